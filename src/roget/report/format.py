"""Format numbers, nouns and names in reports, without importing heavy packages."""

from __future__ import annotations

import math
import shutil
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from roget.catalogue import name_extra
from roget.core.io import problems
from roget.errors import code_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from roget.core.counts.evidence import EvidenceLine

UNDEFINED = "–"
ARROWS = {"higher": "↑", "lower": "↓"}
WIDTH = 100
GAP = 3
"""Number of spaces between two columns of a table."""

CONTROLS = ("Cc", "Cs", "Zl", "Zp")
"""Unicode categories: control characters, surrogates, line and paragraph separators."""

TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Bidirectional control characters, which change the direction of the following text."""


def width() -> int:
    """Return the width of the terminal (or COLUMNS), at least 60 and at most 100."""
    return max(60, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))


def number(value: float | None, sign: str = "") -> str:
    """Format a score with three decimals, or with four significant digits if it is 1,000 or more.

    >>> number(0.0314159), number(None), number(183749.0), number(-0.00001), number(0.5, "+")
    ('0.031', '–', '1.837e+05', '0.000', '+0.500')
    """
    if value is None:
        return UNDEFINED
    return f"{value:{sign}z.3f}" if abs(value) < 1000 else f"{value:{sign}.4g}"


def ends(low: float | None, high: float | None, sign: str = "") -> str:
    """Format the bounds of an interval, or return "" if there is no interval.

    >>> ends(0.25, 0.5), ends(None, None)
    ('[0.250, 0.500]', '')
    """
    return "" if low is None or high is None else f"[{number(low, sign)}, {number(high, sign)}]"


def spread(
    mean: float | None, low: float | None = None, high: float | None = None, sign: str = ""
) -> str:
    """Format a mean with half the width of its interval, if it has one.

    >>> spread(0.5, 0.25, 0.75), spread(0.5, sign="+")
    ('0.500 ±.250', '+0.500')
    """
    if mean is None or low is None or high is None:
        return number(mean, sign)
    return f"{number(mean, sign)} ±{(high - low) / 2:.3f}".replace("±0.", "±.")


def name_score(measure: str, entropy: str | None) -> str:
    """Return the name of a score, with its entropy estimator.

    >>> name_score("v", "jk"), name_score("ari", None)
    ('v (jk)', 'ari')
    """
    return measure if entropy is None else f"{measure} ({entropy})"


def size_form(sizes: Iterable[float | None], groups: int) -> str:
    """Return the format string for cluster counts: whole numbers, or one decimal for means.

    >>> size_form([10.0, None], groups=1), size_form([10.0, 9.5], groups=1), size_form([3.0], 2)
    ('.0f', '.1f', '.1f')
    """
    whole = groups == 1 and all(size is None or float(size).is_integer() for size in sizes)
    return ".0f" if whole else ".1f"


def with_code(message: str) -> str:
    """Return a warning followed by its code in brackets, if it has one.

    >>> from roget.errors import Notice
    >>> with_code(Notice("label -1 is an ordinary cluster", code="noise-label")), with_code("old")
    ('label -1 is an ordinary cluster [noise-label]', 'old')
    """
    code = code_of(message)
    return str(message) if code is None else f"{message} [{code}]"


def plural(number: float, noun: str, form: str = ",.15g") -> str:
    """Format a number with its noun, in the singular or plural.

    >>> plural(1, "word"), plural(2000, "class"), plural(2.25, "cluster", ".1f")
    ('1 word', '2,000 classes', '2.2 clusters')
    """
    return problems.plural(number, noun, form)


def occurrences(count: float) -> str:
    """Format a number of occurrences. Fractional counts of at least 1 are rounded.

    >>> occurrences(5.1667), occurrences(1), occurrences(0.25)
    ('5 occurrences', '1 occurrence', '0.25 occurrences')
    """
    return plural(round(count) if count >= 1 else round(count, 2), "occurrence")


def canvas(width: float, height: float) -> Figure:
    """Return an empty matplotlib figure.

    It is created without pyplot, which would keep the figure open and load a GUI toolkit.
    """
    with name_extra():
        from matplotlib.figure import Figure
    return Figure(figsize=(width, height), layout="constrained")


def branches(children: Callable[[int], Sequence[int]]) -> Iterator[tuple[str, str, int]]:
    """Yield (prefix, prefix of the lines below, node) for each node of a tree with root 0.

    >>> [branch + str(node) for branch, _, node in branches([[1, 3], [2], [], []].__getitem__)]
    ['0', '├─ 1', '│  └─ 2', '└─ 3']
    """
    waiting = [("", "", 0)]
    while waiting:
        branch, below, node = waiting.pop()
        yield branch, below, node
        for number, child in enumerate(reversed(children(node))):
            sign, margin = ("├─ ", "│  ") if number else ("└─ ", "   ")
            waiting.append((below + sign, below + margin, child))


def brief(value: float | None, digits: int = 5) -> float | int | None:
    """Round a number to `digits` significant digits. Return None if it is undefined.

    >>> brief(0.123456789), brief(3.0), brief(float("nan"))
    (0.12346, 3, None)
    """
    if value is None or not math.isfinite(value):
        return None
    # This function is called half a million times per page, and % is three times as fast as a
    # nested format.
    short = float("%.*g" % (digits, value))  # noqa: UP031
    return int(short) if short.is_integer() else short


def printable(text: str, most: int | None = None) -> str:
    """Escape the control characters of a string, and cut it to at most `most` terminal columns.

    >>> print(printable("a\\x1b[31m\\tb"), printable("thesaurus", 5))
    a\\x1b[31m\\tb thes…
    """
    if most is None:
        return text if text.isprintable() else "".join(map(_spell, text))
    from rich.cells import cell_len, set_cell_size

    # Combining marks have zero width. Keep at most 8 code points per column.
    shown = "".join(map(_spell, text[: 8 * most]))
    if len(text) <= 8 * most and cell_len(shown) <= most:
        return shown
    return set_cell_size(shown, min(most - 1, cell_len(shown))).rstrip() + "…"


def _spell(sign: str) -> str:
    if sign in TURNS or unicodedata.category(sign) in CONTROLS:
        return sign.encode("unicode_escape", "backslashreplace").decode("ascii")
    return sign


def part_line(line: EvidenceLine) -> list[tuple[str, str]]:
    """Split an example sentence into parts of kind "word", "context" or ""."""
    spans = (line.context, "context"), (line.word, "word")
    return part_text(line.text, [(span, kind) for span, kind in spans if span is not None])


def part_text(text: str, spans: Iterable[tuple[tuple[int, int], str]]) -> list[tuple[str, str]]:
    """Split a string at spans. Each part is paired with the kind of its span, or with ""."""
    parts, at = [], 0
    for (begin, end), kind in sorted(spans):
        # Skip overlapping spans, because a word may also be the context or a part of a name.
        if begin >= at:
            parts += [(text[at:begin], ""), (text[begin:end], kind)]
            at = end
    return [part for part in (*parts, (text[at:], "")) if part[0]]


def shorten(names: Sequence[str], most: int) -> list[str]:
    """Cut out the middle of names longer than `most` characters. Distinct names remain distinct.

    >>> shorten(["task-run-1-of-the-first-system", "task-run-2-of-the-first-system", "ours"], 15)
    ['task-run-1…stem', 'task-run-2…stem', 'ours']
    """
    found: dict[str, str] = {}
    waiting = dict.fromkeys(name for name in names if len(name) > most)
    found.update({name: name for name in names if len(name) <= most})
    usual = (most - 1) // 2
    for head in (usual, *range(usual + 1, most), *range(usual)):
        tail = most - 1 - head
        cut = {name: f"{name[:head]}…{name[len(name) - tail :]}" for name in waiting}
        seen = Counter((*found.values(), *cut.values()))
        if head == usual or max(seen.values(), default=0) == 1:
            found.update({name: text for name, text in cut.items() if seen[text] == 1})
            waiting = {name: None for name in waiting if name not in found}
    for name in waiting:
        number = 2
        while (text := f"{name[: most - 1 - len(str(number))]}…{number}") in found.values():
            number += 1
        found[name] = text
    return [found[name] for name in names]
