"""Gathering the columns of a text table, some thousand rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from roget.scoring.labels.base import FloatArray
from roget.scoring.labels.columns import (
    LABEL_ROLES,
    Columns,
    by_name,
    by_position,
    is_header,
    wants_header,
)
from roget.scoring.labels.factorize import Coder, Factors, without_empty
from roget.scoring.labels.problems import Problems
from roget.scoring.labels.table import Table
from roget.scoring.labels.weights import fault, number
from roget.scoring.labels.words import count

Numbers: TypeAlias = npt.NDArray[np.int64]


class Chunk(NamedTuple):
    """Some lines of a table: their numbers, and their cells by row or all by column."""

    numbers: Numbers
    rows: list[list[str]] | None = None
    columns: list[list[str]] | None = None


def gather(
    source: str,
    chunks: Iterator[Chunk],
    columns: Columns | None,
    roles: Sequence[str],
    problems: Problems,
) -> Table:
    """The columns that matter of a table given as rows of cells."""
    gatherer: Gatherer | None = None
    for chunk in chunks:
        if gatherer is None:
            top = _first_row(chunk)
            if top is None:
                continue
            at, cells = top
            gatherer = Gatherer(source, cells, columns, roles, problems)
            if gatherer.header:
                chunk = _after(chunk, at)
        gatherer.add(chunk)
    if gatherer is None:
        return Table(source, np.empty(0, dtype=np.int64), None, {})
    return gatherer.table()


class Gatherer:
    """Knows from the first row where everything stands, then takes rows as they come."""

    def __init__(
        self,
        source: str,
        top: Sequence[str],
        columns: Columns | None,
        roles: Sequence[str],
        problems: Problems,
    ) -> None:
        self.source = source
        self.problems = problems
        self.top = [cell.strip() for cell in top]
        self.width = len(top)
        self.header = wants_header(columns) or is_header(top)
        if self.header:
            self.places = by_name(self.top, roles, columns, source)
        else:
            self.places = by_position(self.width, roles, columns, source)
        self.items: list[str] | None = [] if "item" in self.places else None
        self._coders = {role: Coder() for role in self.places if role != "item"}
        self._parts: dict[str, list[npt.NDArray[np.int32]]] = {role: [] for role in self._coders}
        self._lines: list[Numbers] = []

    def add(self, chunk: Chunk) -> None:
        """Take some rows; those of another width than the first are broken."""
        numbers, rows, columns = chunk
        if columns is None or len(columns) != self.width:
            rows = rows if columns is None else [list(row) for row in zip(*columns, strict=True)]
            numbers, rows = self._regular(numbers, rows or [])
            columns = [list(column) for column in zip(*rows, strict=True)]
        if not numbers.size:
            return
        if self.items is not None:
            self.items.extend(map(str.strip, columns[self.places["item"]]))
        for role, coder in self._coders.items():
            values = map(str.strip, columns[self.places[role]])
            self._parts[role].append(coder.codes(values, numbers.size))
        self._lines.append(numbers)

    def _regular(self, numbers: Numbers, rows: list[list[str]]) -> tuple[Numbers, list[list[str]]]:
        kept = []
        for at, row in enumerate(rows):
            if len(row) == self.width:
                kept.append(at)
            elif self.width == 1 and not row:
                rows[at] = [""]
                kept.append(at)
            elif len(row) > 1 or any(map(str.strip, row)):
                fields = f"{count(len(row), 'field')}; expected {self.width}"
                self.problems.add(numbers[at], f"{fields}, as in the first line")
        return numbers[kept], [rows[at] for at in kept]

    def table(self) -> Table:
        """All rows taken, weights read and checked."""
        if not self._lines:
            return Table(self.source, np.empty(0, dtype=np.int64), self.items, {})
        found = {role: self._factors(role) for role in self._coders}
        table = Table(self.source, np.concatenate(self._lines), self.items, found)
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
            f"{self.source}:{line}: {', '.join(self.top)!r} is read as {taken}; "
            "if it is a header, name the columns with --columns"
        )

    def _doubt_header(self, table: Table) -> None:
        for role in LABEL_ROLES:
            if self.header and role in table.columns:
                name = self.top[self.places[role]]
                if name in (table.columns[role].names or ()):
                    table.warnings.append(
                        f"the first line of {self.source} was taken for column names, "
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


def read_weights(
    factors: Factors, lines: Numbers, problems: Problems, answered: npt.NDArray[np.bool_]
) -> FloatArray:
    """The weights behind codes; each distinct one is read once. Only answers need one."""
    names = factors.names
    if names is None:
        names = range(factors.offset, factors.offset + factors.n_labels)
    elif isinstance(names, np.ndarray):
        names = names.tolist()
    values = [number(name) for name in names]
    faults = {code: wrong for code, value in enumerate(values) if (wrong := fault(value))}
    # The last place is that of code −1, no weight at all.
    faults[-1] = "is missing"
    for at in np.flatnonzero(np.isin(factors.codes, list(faults)) & answered).tolist():
        code = int(factors.codes[at])
        shown = f" {names[code]!r}" if code >= 0 else ""
        problems.add(lines[at], f"the weight{shown} {faults[code]}; expected 0 or more")
    usable = [value if value is not None else np.nan for value in values]
    weights: FloatArray = np.array([*usable, np.nan])[factors.codes]
    return weights
