"""Labels as text: TSV and CSV, with or without a header, and one label per line.

TSV cells are parted by tabs and have no quotes; a file without a tab in its first line is parted
by blanks. CSV cells are parted by commas (by semicolons where only they give known column names)
and quoted as the csv module has it. Blanks around a cell are not part of it, and an empty label
is an item without an answer. So is an empty line in a table of one column; elsewhere empty lines
are passed over.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from roget.core.io.problems import Problems, plural
from roget.core.types import Ints
from roget.errors import FormatError, InputError
from roget.scoring.labels.labels import Coder, Factors, without_empty
from roget.scoring.labels.table import (
    LABEL_ROLES,
    Columns,
    Table,
    by_name,
    by_position,
    is_header,
    make_reader,
    number,
    read_weights,
    wants_header,
)

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile


def tsv_table(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> Table:
    """The rows of tab- or blank-separated columns."""
    return gather(split_tsv(file), columns, roles, problems)


def csv_table(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> Table:
    """The rows of comma-separated columns."""
    return gather(split_csv(file), columns, roles, problems)


def split_tsv(file: LabelFile) -> Iterator[Chunk]:
    """The cells of a TSV, a block at a time."""
    _, first = file.first_line()
    cells = first.split()
    blanks = "\t" not in first and len(cells) > 1
    if "\t" not in first:
        refuse_json(file, "tab-separated columns")
        # "d1, x" is parted by commas, the blank is for the eye; a cell may still be a comma.
        if not blanks or any(len(cell) > 1 and cell[-1] in ",;" for cell in cells[:-1]):
            refuse_other_delimiters(file, "tsv")
    for start, text in file.blocks():
        lines = text.split("\n")
        numbers = np.arange(start, start + len(lines))
        columns = uniform_columns(text, lines, tabs=not blanks)
        if columns is not None:
            yield Chunk(numbers, columns=columns)
        else:
            for at, rows in batches(lines, tabs=not blanks):
                yield Chunk(numbers[at : at + len(rows)], rows)


def split_csv(file: LabelFile) -> Iterator[Chunk]:
    """The cells of a CSV, some rows at a time."""
    _, first = file.first_line()
    semicolons = is_header(first.split(";")) and not is_header(first.split(","))
    refuse_json(file, "comma-separated columns")
    if "," not in first and not semicolons:
        refuse_other_delimiters(file, "csv")
    blocks = (io.StringIO(f"{text}\n", newline="\n") for _, text in file.blocks())
    lines = chain.from_iterable(blocks)
    reader = csv.reader(lines, delimiter=";" if semicolons else ",", strict=True)
    start = 1
    while True:
        try:
            rows = list(islice(reader, BATCH))
        except csv.Error as error:
            text = f"{file.name}:{reader.line_num}: {error}; expected comma-separated cells"
            raise FormatError(file.name, [text]) from None
        if not rows:
            return
        numbers = np.arange(start, start + len(rows))
        if reader.line_num - start + 1 != len(rows):
            # A quoted cell may run over several lines; a row is known by its first.
            extra = [sum(cell.count("\n") for cell in row) for row in rows]
            numbers[1:] += np.cumsum(extra[:-1])
        start = reader.line_num + 1
        yield Chunk(numbers, rows)


class Chunk(NamedTuple):
    """Some lines of a table: their numbers, and their cells by row or all by column."""

    numbers: Ints
    rows: list[list[str]] | None = None
    columns: list[list[str]] | None = None


def gather(
    chunks: Iterator[Chunk], columns: Columns | None, roles: Sequence[str], problems: Problems
) -> Table:
    """The columns that matter of a table given as rows of cells."""
    gatherer: Gatherer | None = None
    for chunk in chunks:
        if gatherer is None:
            top = _first_row(chunk)
            if top is None:
                continue
            at, cells = top
            gatherer = Gatherer(cells, columns, roles, problems)
            if gatherer.header:
                chunk = _after(chunk, at)
        gatherer.add(chunk)
    if gatherer is None:
        return Table(problems, np.empty(0, dtype=np.int64), None, {})
    return gatherer.table()


class Gatherer:
    """Knows from the first row where everything stands, then takes rows as they come."""

    def __init__(
        self, top: Sequence[str], columns: Columns | None, roles: Sequence[str], problems: Problems
    ) -> None:
        self.problems = problems
        self.top = [cell.strip() for cell in top]
        self.width = len(top)
        self.header = wants_header(columns) or is_header(top)
        if self.header:
            self.places = by_name(self.top, roles, columns, problems.name)
        else:
            self.places = by_position(self.width, roles, columns, problems.name)
        self.items: list[str] | None = [] if "item" in self.places else None
        self._coders = {role: Coder() for role in self.places if role != "item"}
        self._parts: dict[str, list[npt.NDArray[np.int32]]] = {role: [] for role in self._coders}
        self._lines: list[Ints] = []

    def add(self, chunk: Chunk) -> None:
        """Take some rows; those of another width than the first are broken."""
        numbers, rows, columns = chunk
        if columns is None or len(columns) != self.width:
            rows = rows if columns is None else [list(row) for row in zip(*columns, strict=True)]
            numbers, rows = self._keep_regular(numbers, rows or [])
            columns = [list(column) for column in zip(*rows, strict=True)]
        if not numbers.size:
            return
        if self.items is not None:
            self.items.extend(map(str.strip, columns[self.places["item"]]))
        for role, coder in self._coders.items():
            values = map(str.strip, columns[self.places[role]])
            self._parts[role].append(coder.codes(values, numbers.size))
        self._lines.append(numbers)

    def _keep_regular(self, numbers: Ints, rows: list[list[str]]) -> tuple[Ints, list[list[str]]]:
        kept = []
        for at, row in enumerate(rows):
            if len(row) == self.width:
                kept.append(at)
            elif self.width == 1 and not row:
                rows[at] = [""]
                kept.append(at)
            elif len(row) > 1 or any(map(str.strip, row)):
                fields = f"{plural(len(row), 'field')}; expected {self.width}"
                self.problems.add(numbers[at], f"{fields}, as in the first line")
        return numbers[kept], [rows[at] for at in kept]

    def table(self) -> Table:
        """All rows taken, weights read and checked."""
        if not self._lines:
            return Table(self.problems, np.empty(0, dtype=np.int64), self.items, {})
        found = {role: self._factors(role) for role in self._coders}
        table = Table(self.problems, np.concatenate(self._lines), self.items, found)
        table.doubt = self._doubt(int(table.lines[0]))
        third = found.pop("third", None)
        if third is not None:
            numeric = all(number(name) is not None for name in third.names or () if name)
            found["weight" if numeric else "group"] = third
        weight = found.pop("weight", None)
        if weight is not None:
            answered = found["label"].codes >= 0
            table.weights = read_weights(weight, table.lines, self.problems, answered)
            table.spread = True
        self._doubt_header(table)
        return table

    def _factors(self, role: str) -> Factors:
        codes = np.concatenate(self._parts[role])
        factors = Factors(codes, self._coders[role].names(), len(self._coders[role]))
        return without_empty(factors) if role in LABEL_ROLES else factors

    def _doubt(self, line: int) -> str | None:
        """What to say if the first row, taken for data, should look like names of columns."""
        if self.header:
            return None
        taken = "an item and its label" if self.items is not None else "a label"
        if "gold" in self.places:
            taken = "a gold and a system label"
        return (
            f"{self.problems.name}:{line}: {', '.join(self.top)!r} is read as {taken}; "
            "if it is a header, name the columns with --columns"
        )

    def _doubt_header(self, table: Table) -> None:
        for role in LABEL_ROLES:
            if self.header and role in table.columns:
                name = self.top[self.places[role]]
                if name in (table.columns[role].names or ()):
                    table.warnings.append(
                        f"the first line of {table.source} was taken for column names, "
                        f"but {name!r} is also a label"
                    )


def _first_row(chunk: Chunk) -> tuple[int, list[str]] | None:
    """The first row that is not blank, and where it stands in the chunk."""
    rows = chunk.rows if chunk.columns is None else zip(*chunk.columns, strict=True)
    for at, row in enumerate(rows or ()):
        if any(map(str.strip, row)):
            return at, list(row)
    return None


def _after(chunk: Chunk, row: int) -> Chunk:
    """What follows a row."""
    rows = None if chunk.rows is None else chunk.rows[row + 1 :]
    columns = None if chunk.columns is None else [cells[row + 1 :] for cells in chunk.columns]
    return Chunk(chunk.numbers[row + 1 :], rows, columns)


BATCH = 512
"""Rows cut into lists at a time: few enough never to wake the garbage collector."""

_OTHER_BLANKS = (*"\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000", *map(chr, range(0x2000, 0x200B)))
"""What `str.split` parts at besides ASCII blanks: in a label file these are part of a cell."""

_BLANKS = re.compile(r"[ \t]+")


def uniform_columns(text: str, lines: list[str], *, tabs: bool) -> list[list[str]] | None:
    """The columns of a block whose lines all have the same number of cells, else None.

    >>> uniform_columns("a 1\\nb 2", ["a 1", "b 2"], tabs=False)
    [['a', 'b'], ['1', '2']]
    >>> uniform_columns("a 1\\nb", ["a 1", "b"], tabs=False)
    """
    separator = "\t" if tabs else " "
    if not tabs and "\t" in text:
        text = text.replace("\t", " ")
        lines = text.split("\n")
    counts = set(map(str.count, lines, repeat(separator)))
    if len(counts) > 1 or (not tabs and _has_other_blanks(text)):
        return None
    width = counts.pop() + 1
    cells = text.replace("\n", "\t").split("\t") if tabs else text.split()
    # As many cells as separators allow in every line, so each line has exactly its share.
    if len(cells) != width * len(lines):
        return None
    return [cells[at::width] for at in range(width)]


def batches(lines: list[str], *, tabs: bool) -> Iterator[tuple[int, list[list[str]]]]:
    """The cells of each line, some lines at a time, with the index of the first."""
    for start in range(0, len(lines), BATCH):
        batch = lines[start : start + BATCH]
        if tabs:
            yield start, [line.split("\t") for line in batch]
        elif _has_other_blanks("".join(batch)):
            yield start, [[cell for cell in _BLANKS.split(line) if cell] for line in batch]
        else:
            yield start, [line.split() for line in batch]


def _has_other_blanks(text: str) -> bool:
    return not text.isascii() and any(blank in text for blank in _OTHER_BLANKS)


def lines_table(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> Table:
    """One label per line: the item is the line. An empty line is an item without an answer."""
    if columns:
        raise InputError(f"{file.name}: columns cannot be chosen in a file of one label per line")
    refuse_json(file, "one label per line")
    coder = Coder()
    # Known before any label, so that empty lines have code 0, which becomes −1.
    coder.codes([""], 1)
    parts = [np.empty(0, dtype=np.int32)]
    for _, text in file.blocks():
        rows = text.split("\n")
        parts.append(coder.codes(map(str.strip, rows), len(rows)) - np.int32(1))
    codes = np.concatenate(parts)
    complete = bool(np.all(codes >= 0))
    labels = Factors(codes, coder.names()[1:], len(coder) - 1, complete=complete)
    return Table(problems, np.arange(1, codes.size + 1), None, {"label": labels})


read_tsv, read_csv, read_lines = map(make_reader, (tsv_table, csv_table, lines_table))


_JSON = re.compile(r"""\s*[\[{]\s*(?:["'\[{}\]]|$|-?[\d.]+\s*,)""")
_QUOTED = re.compile(r'"[^"]*"')
_DELIMITERS = {"\t": ("tabs", "tsv"), ",": ("commas", "csv"), ";": ("semicolons", "csv")}


def looks_like_json(line: str) -> bool:
    """Whether a line begins as a JSON object or array does, rather than a label in brackets.

    >>> [looks_like_json(line) for line in ('{"item": 1}', '[{"item": 1}', "[1, 2]", "[CLS]")]
    [True, True, True, False]
    """
    return _JSON.match(line) is not None


def refuse_json(file: LabelFile, expected: str) -> None:
    """Raise if a file of another format begins like JSON."""
    _, first = file.first_line()
    if looks_like_json(first):
        array = first.lstrip().startswith("[")
        looks = "a JSON array: write one object per line and" if array else "JSON lines:"
        _refuse(file, expected, f"which looks like {looks} {_say('jsonl')}")


def refuse_other_delimiters(file: LabelFile, form: str) -> None:
    """Raise if the first line, which holds no mark of its format, holds that of another."""
    _, first = file.first_line()
    text = _QUOTED.sub("", first) if form == "csv" else first
    for mark, (name, other) in _DELIMITERS.items():
        if mark in text and mark != {"tsv": "\t", "csv": ","}[form]:
            cures = [_say(other)] if other != form else []
            if mark == ";" and not is_header(first.split(";")):
                cures.append("begin the file with the names of its columns, such as item;label")
            cure = f"{' and '.join(cures)}, or say --labels lines if each line is one label"
            expected = "tab-separated columns" if form == "tsv" else "comma-separated columns"
            _refuse(file, expected, f"with {name}: {cure}")


def _refuse(file: LabelFile, expected: str, why: str) -> NoReturn:
    line, first = file.first_line()
    shown = repr(first.strip() if len(first) <= 40 else f"{first.strip()[:40]}…")
    text = f"{file.name}:{line}: expected {expected}, found {shown}, {why}"
    raise FormatError(file.name, [text])


def _say(form: str) -> str:
    return f"say --labels {form} (in Python labels={form!r})"
