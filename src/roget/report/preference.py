"""What a head prefers, as a table: `roget prefer`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from roget.core.information import bits
from roget.learn.treecut.estimator import CutClass
from roget.learn.treecut.preference import Preference
from roget.report.counts import many
from roget.report.text import width

SHOWN = 12
"""Classes in the table, if no other number is asked for."""

WORDS = 12
"""Words of a class, as far as there is room."""


def render(found: Preference, source: str, top: int | None = None) -> str:
    """The classes with their probability, how often likelier than usual, and their words."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = found.classes[: top or SHOWN]
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False, expand=True)
    grid.add_column("p", justify="right", no_wrap=True)
    grid.add_column("× usual", justify="right", no_wrap=True)
    grid.add_column("class", ratio=2, no_wrap=True, overflow="ellipsis")
    grid.add_column("words seen", ratio=3, no_wrap=True, overflow="ellipsis")
    for one in shown:
        words = ", ".join(f"{word} {number(count)}" for word, count in one.words[:WORDS])
        grid.add_row(*map(Text, (f"{one.probability:.3f}", _ratio(one), one.label, words)))
    out = io.StringIO()
    console = Console(file=out, width=width(), color_system=None, highlight=False, emoji=False)
    for line in _head(found, source):
        console.print(Text(line))
    console.print()
    console.print(grid)
    rest = found.classes[len(shown) :]
    if rest:
        total = sum(one.probability for one in rest)
        console.print(Text(f"and {_classes(len(rest))} of p {total:.3f} together (--top)"))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _head(found: Preference, source: str) -> list[str]:
    lines = [
        f"{found.context}: {many(found.tokens, 'token')} in {_classes(len(found.classes))} "
        f"of {source}, described in {bits(found.description_length):,.0f} bits"
    ]
    if found.unknown:
        lines.append(f"  {found.unknown:.0%} of the tokens are words it does not know: left out")
    return lines


def as_json(found: Preference, source: str, top: int | None = None) -> str:
    """The classes for machines; lengths and associations in nats."""
    rows = [
        {
            "id": one.id,
            "label": one.label,
            "probability": one.probability,
            "prior": one.prior,
            "ratio": one.probability / one.prior if one.prior else None,
            "association": one.association,
            "size": one.size,
            "words": [{"word": word, "count": count} for word, count in one.words],
        }
        for one in found.classes[:top]
    ]
    whole: dict[str, Any] = {
        "head": found.context,
        "thesaurus": source,
        "tokens": found.tokens,
        "unknown": found.unknown,
        "description_length": found.description_length,
        "classes": rows,
    }
    return json.dumps(whole, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_csv(found: Preference, source: str, top: int | None = None) -> str:
    """The classes, one in each line, with all digits; words and counts in one cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    titles = ("head", "id", "label", "probability", "prior", "association", "size", "words")
    writer.writerow(titles)
    for one in found.classes[:top]:
        words = "; ".join(f"{word} {count:g}" for word, count in one.words)
        values = (one.id, one.label, one.probability, one.prior, one.association, one.size, words)
        writer.writerow((found.context, *values))
    return out.getvalue()


def number(count: float) -> str:
    """A count that may be shared out, in few digits."""
    return f"{count:,.0f}" if count == round(count) or count >= 10 else f"{count:.1f}"


def notes(found: Preference) -> Sequence[str]:
    """What makes the table unreliable."""
    if found.tokens and found.unknown == 1:
        return ("the thesaurus knows none of these words: there is nothing to tell",)
    return ()


def _ratio(one: CutClass) -> str:
    if not one.prior:
        return ""
    ratio = one.probability / one.prior
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"


def _classes(n: int) -> str:
    return f"{n:,} class{'es' * (n != 1)}"
