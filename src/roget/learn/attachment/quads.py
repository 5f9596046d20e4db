"""Read quadruples (verb, noun, preposition, noun), with the label N or V if known.

Words are lemmatised. Numbers are replaced by a placeholder such as <year>, unknown words by their
surface features.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from roget import catalogue
from roget.core.contents import require_numbers
from roget.core.io.address import is_remote
from roget.core.io.problems import Problems
from roget.core.io.source import FORMATS, Source, source_of
from roget.core.io.table import PAIRS, Roles, open_table
from roget.core.io.values import whole_number
from roget.core.quadruple import Quadruple
from roget.core.types import PathLike
from roget.data import sample
from roget.errors import InputError

LANGUAGE = "english"

_SHAPES = tuple(
    (f"<{name}>", re.compile(pattern))
    for name, pattern in (
        ("year", r"(?:1[5-9]|20)\d\d|'\d\d"),
        ("decade", r"(?:1[5-9]|20)\d0s|'?\d0s"),
        ("clock", r"\d{1,2}:\d\d"),
        ("fraction", r"(?:\d+-)?\d+/\d+"),
        ("decimal", r"\d+\.\d+"),
        ("thousands", r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
        ("small", r"\d{1,2}"),
        ("digits", r"\d+"),
        ("figure", r"[$£€#.,+'-]*\d.*"),
    )
)

_PRONOUNS = ("i", "me", "you", "he", "him", "she", "her", "we", "us", "they", "them", "who")

_OTHER_NAMES = {
    **dict.fromkeys(("<small>", "<digits>", "<decimal>", "<figure>", "<thousands>"), "number"),
    **dict.fromkeys(_PRONOUNS, "person"),
    "<year>": "year", "<decade>": "decade", "<clock>": "hour", "<fraction>": "fraction",
    "%": "percentage", "co.": "company", "inc.": "corporation", "corp.": "corporation",
}  # fmt: skip

NOUN, VERB = "N", "V"
"""Labels for attachment to the noun (the object) and to the verb."""

WORDS = "verb, noun, preposition, noun"

EXPECTED = f"expected {WORDS} and N or V, optionally after a sentence number"

COLUMNS = Roles(
    {
        "verb": ("v",),
        "noun1": ("noun", "object", "n1"),
        "preposition": ("prep", "p"),
        "noun2": ("n2",),
        "attachment": ("answer", "label"),
    },
    {"count": PAIRS.others["count"]},
    number="count",
)

LARGEST = 1_000_000
"""Maximum count on a line (the number of identical quadruples that the line represents)."""


class LemmatisedQuadruple(NamedTuple):
    """A quadruple (verb, noun, preposition, noun) of lemmas."""

    verb: str
    noun1: str
    preposition: str
    noun2: str


class Forms(Protocol):
    """Interface of a lemmatiser. If a word has several lemmas, it returns the most frequent one."""

    verbs: dict[str, float]
    nouns: dict[str, float]

    def normal(self, quads: Iterable[Quadruple]) -> list[LemmatisedQuadruple]:
        """Return the quadruples after lemmatising all words."""


def make_forms(verbs: Mapping[str, float], nouns: Mapping[str, float]) -> Forms:
    """Make a lemmatiser for the language from the frequencies of verbs and nouns."""
    made: Forms = catalogue.load("languages", LANGUAGE).forms(verbs, nouns)
    return made


def read_forms(kept: Mapping[str, Any]) -> Forms:
    """Restore a lemmatiser from stored word frequencies."""
    for known in (kept["verbs"], kept["nouns"]):
        require_numbers(known, *known, low=0)
    return make_forms(kept["verbs"], kept["nouns"])


def number(word: str) -> str | None:
    """Return the shape of a number, such as <year>, or None for any other word.

    >>> [number(word) for word in ("1989", "3/4", "10,000", "$5", "seven")]
    ['<year>', '<fraction>', '<thousands>', '<figure>', None]
    """
    return next((name for name, shape in _SHAPES if shape.fullmatch(word)), None)


def traits(word: str) -> list[str]:
    """Return surface features of an unknown word, such as capitals, a full stop or its ending.

    >>> traits("Corp."), traits("sales")
    (['^Capital', '^dot', '^-rp.'], ['^s', '^-les'])
    """
    # The prefix ^ distinguishes features from words.
    small = word.lower()
    found = {
        "^Capital": word[:1].isupper(),
        "^CAPITALS": len(word) > 1 and word.isupper(),
        "^dot": word.endswith("."),
        "^ing": small.endswith("ing"),
        "^s": small.endswith("s"),
        f"^-{small[-3:]}": len(word) > 4 and not number(word),
    }
    return [name for name, holds in found.items() if holds]


def other_name(word: str) -> str:
    """Return the word to look up in a thesaurus, such as "person" for a pronoun."""
    return _OTHER_NAMES.get(word, word)


class QuadrupleLine(NamedTuple):
    """A quadruple and its count. The label is an empty string if unknown."""

    quadruple: Quadruple
    times: int = 1


def read(path: PathLike) -> list[Quadruple]:
    """Read labelled quadruples from a file, or the bundled sample if the path is "sample".

    The fields of a line are separated by blanks, optionally after a sentence number, as in the data
    of Ratnaparkhi, Reynar & Roukos ("0 join board as director V"), or by tabs, optionally with a
    count at the end. A quadruple with count n is returned n times, and empty lines are skipped.
    Tables with a header, CSV, JSON Lines and Parquet are read too. Their columns are verb, noun1,
    preposition, noun2, attachment and optionally count.
    """
    if os.fspath(path) == "sample" and not Path(path).exists():
        return sample("pp_quads")
    place = os.fspath(path)
    if not os.path.isfile(place) and not is_remote(place):
        raise InputError(f"{place}: file not found", code="file-not-found")
    source = source_of(place)
    lines = _rows(source) if _has_columns(source) else source.lines()
    found = [
        line.quadruple for line in parse(lines, place, answered=True) for _ in range(line.times)
    ]
    if not found:
        raise InputError(f"{place}: no quadruples; {EXPECTED}", code="empty-input")
    return found


def parse(
    lines: Iterable[tuple[int, str]], name: str, *, answered: bool
) -> Iterator[QuadrupleLine]:
    """Parse numbered lines, and raise a single FormatError that lists all invalid lines.

    If `answered` is False, labels are optional.
    """
    problems = Problems(name)
    for number, text in lines:
        found = parse_line(text, answered) if text.strip() else None
        if isinstance(found, QuadrupleLine):
            yield found
        elif found is not None:
            problems.add(number, f"{text.strip()[:80]!r}; {found}", code="broken-lines")
    problems.check()


def parse_line(text: str, answered: bool) -> QuadrupleLine | str:
    """Parse a line, and return the quadruple or a description of the expected format."""
    cells = text.strip().split("\t") if "\t" in text else text.split()
    cells = [cell.strip() for cell in cells]
    count = 1
    if "\t" in text and len(cells) == 6 and cells[4].upper() in (NOUN, VERB):
        count = whole_number(cells.pop()) or 0
        if not 1 <= count <= LARGEST:
            return f"expected an integer count from 1 to {LARGEST:,} in the last column"
    answer = ""
    if len(cells) > 4 and cells[-1].upper() in (NOUN, VERB):
        answer = cells.pop().upper()
    elif answered:
        return EXPECTED
    if len(cells) == 5 and cells[0].lstrip("-").isdecimal():
        del cells[0]
    if len(cells) != 4 or not all(cells) or cells[0].isdecimal():
        return EXPECTED if answered else f"expected {WORDS}"
    return QuadrupleLine(Quadruple(cells[0], cells[1], cells[2], cells[3], answer), count)


def check_quadruples(
    quads: Iterable[Sequence[str]], y: Iterable[str] | None = None
) -> list[Quadruple]:
    """Check that each quadruple has four words, and return them with their labels.

    The labels are in `y`, or they are the fifth elements of the quadruples.
    """
    made = []
    for number, quad in enumerate(quads):
        cells = [quad] if isinstance(quad, str) else list(quad)
        if len(cells) not in (4, 5) or not all(isinstance(cell, str) for cell in cells):
            raise InputError(
                f"quadruple {number}: {quad!r}; expected {WORDS}", code="invalid-input"
            )
        if not all(cell.strip() for cell in cells[:4]):
            raise InputError(f"quadruple {number}: {quad!r} has an empty word", code="empty-field")
        made.append(Quadruple(*cells[:4], *(cells[4:] or [""])))
    if y is None:
        return made
    answers = [str(one) for one in y]
    if len(answers) != len(made):
        raise InputError(
            f"quadruples and labels must have the same length ({len(made):,} and "
            f"{len(answers):,} given)",
            code="length-mismatch",
        )
    return [quad._replace(attachment=one) for quad, one in zip(made, answers, strict=True)]


def check_answers(quads: Sequence[Quadruple]) -> list[bool]:
    """Convert the labels to booleans: True for N and False for V.

    Raise an error if a quadruple has no label.
    """
    wrong = next((quad for quad in quads if quad.attachment not in (NOUN, VERB)), None)
    if wrong is not None:
        raise InputError(f"{tuple(wrong)!r}: the label must be N or V", code="missing-label")
    return [quad.attachment == NOUN for quad in quads]


def _has_columns(source: Source) -> bool:
    """Return True if the columns of a file are identified by name rather than position."""
    first = next(source.lines(), (1, ""))[1] if source.suffix in (".tsv", ".tab") else ""
    named = COLUMNS.needed.keys() <= COLUMNS.find(first.split("\t")).keys()
    return named if first else source.suffix in FORMATS


def _rows(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the rows of a table with named columns as numbered, tab-separated lines."""
    problems = Problems(source.name)
    with open_table(source, roles=COLUMNS) as table:
        for number, cells in table.rows(problems):
            yield number, "\t".join(str(cell) for cell in cells.values())
    problems.check()
