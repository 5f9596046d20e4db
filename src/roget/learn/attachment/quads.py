"""Quadruples from files and lines: verb, noun, preposition, noun, and N or V where it is known."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from roget.core.io.problems import Problems
from roget.core.io.source import FORMATS, Source, source_of
from roget.core.io.table import PAIRS, Roles, open_table
from roget.core.quadruple import Quadruple
from roget.data import sample
from roget.errors import InputError

NOUN, VERB = "N", "V"
"""Where a phrase may belong: to the object, or to the verb."""

WORDS = "verb, noun, preposition, noun"
EXPECTED = f"expected {WORDS} and N or V, with or without a number before them"

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
"""The largest count a line may have: it stands for so many lines."""


class Line(NamedTuple):
    """A quadruple, its answer if it is known ("" otherwise), and how often it was seen."""

    quadruple: Quadruple
    times: int = 1


def read(path: str | os.PathLike[str]) -> list[Quadruple]:
    """The answered quadruples of a file, as often as it counts them; `sample` is the bundled one.

    Each line has blanks between its parts and a sentence number before them, as Ratnaparkhi,
    Reynar & Roukos have it ("0 join board as director V"), or tabs and perhaps a count behind.
    Lines that are empty are left out. A table may also have a header, or be CSV, JSON lines or
    Parquet: verb, noun1, preposition, noun2, attachment and perhaps count.
    """
    if os.fspath(path) == "sample" and not Path(path).exists():
        return sample("pp_quads")
    place = Path(path)
    if not place.is_file():
        raise InputError(f"{place}: there is no such file")
    source = source_of(str(place))
    lines = _rows(source) if _has_columns(source) else source.lines()
    found = [
        line.quadruple
        for line in parse(lines, str(place), answered=True)
        for _ in range(line.times)
    ]
    if not found:
        raise InputError(f"{place}: there is no quadruple in it; {EXPECTED}")
    return found


def parse(lines: Iterable[tuple[int, str]], name: str, *, answered: bool) -> Iterator[Line]:
    """The quadruples of numbered lines; a FormatError names the broken ones at the end.

    Where no answer is asked for, there may be one or none.
    """
    problems = Problems(name)
    for number, text in lines:
        found = line_of(text, answered) if text.strip() else None
        if isinstance(found, Line):
            yield found
        elif found is not None:
            problems.add(number, f"{text.strip()[:80]!r}; {found}")
    problems.check()


def line_of(text: str, answered: bool) -> Line | str:
    """The quadruple of a line, or what was expected of it."""
    cells = text.strip().split("\t") if "\t" in text else text.split()
    cells = [cell.strip() for cell in cells]
    count = 1
    if "\t" in text and len(cells) == 6 and cells[4].upper() in (NOUN, VERB):
        if not cells[5].isdecimal() or not 1 <= int(cells[5]) <= LARGEST:
            return f"expected a whole count from 1 to {LARGEST:,} in the end"
        count = int(cells.pop())
    answer = ""
    if len(cells) > 4 and cells[-1].upper() in (NOUN, VERB):
        answer = cells.pop().upper()
    elif answered:
        return EXPECTED
    if len(cells) == 5 and cells[0].lstrip("-").isdecimal():
        del cells[0]
    if len(cells) != 4 or not all(cells) or cells[0].isdecimal():
        return EXPECTED if answered else f"expected {WORDS}"
    return Line(Quadruple(cells[0], cells[1], cells[2], cells[3], answer), count)


def checked(quads: Iterable[Sequence[str]], y: Iterable[str] | None = None) -> list[Quadruple]:
    """Quadruples as given to Python: four words each, with an answer of their own or from `y`."""
    made = []
    for number, quad in enumerate(quads):
        cells = [quad] if isinstance(quad, str) else list(quad)
        if len(cells) not in (4, 5) or not all(isinstance(cell, str) for cell in cells):
            raise InputError(f"quadruple {number}: {quad!r}; expected {WORDS}")
        if not all(cell.strip() for cell in cells[:4]):
            raise InputError(f"quadruple {number}: {quad!r}; expected words that are not empty")
        made.append(Quadruple(*cells[:4], *(cells[4:] or [""])))
    if y is None:
        return made
    answers = [str(one) for one in y]
    if len(answers) != len(made):
        raise InputError(f"{len(answers):,} answers to {len(made):,} quadruples")
    return [quad._replace(attachment=one) for quad, one in zip(made, answers, strict=True)]


def answers_of(quads: Sequence[Quadruple]) -> list[bool]:
    """True for N, of quadruples that all are answered."""
    wrong = next((quad for quad in quads if quad.attachment not in (NOUN, VERB)), None)
    if wrong is not None:
        raise InputError(f"{tuple(wrong)!r}: expected N or V as the answer")
    return [quad.attachment == NOUN for quad in quads]


def _has_columns(source: Source) -> bool:
    """Whether a file has cells that are told by their names, not by their number."""
    first = next(source.lines(), (1, ""))[1] if source.suffix in (".tsv", ".tab") else ""
    named = COLUMNS.needed.keys() <= COLUMNS.find(first.split("\t")).keys()
    return named if first else source.suffix in FORMATS


def _rows(source: Source) -> Iterator[tuple[int, str]]:
    problems = Problems(source.name)
    with open_table(source, roles=COLUMNS) as table:
        for number, cells in table.rows(problems):
            yield number, "\t".join(str(cell) for cell in cells.values())
    problems.check()
