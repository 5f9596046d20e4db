"""Senseval and SemEval keys: `group item label[/weight] ...`, with `!!` before a comment.

Fields are parted by blanks or tabs. A number after the last slash of a label is its weight
(`common%3:00:01::/4`); without one the weight is 1. What begins like a number must be one, so
that `a/0,7` is not taken for a label; `and/or` is one. A line with a group and an item alone is an
item without an answer. A label named twice in one answer has its weights added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, takewhile
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from roget.core.io.problems import Problems
from roget.core.types import Codes, Floats, Ints
from roget.errors import InputError
from roget.scoring.labels.labels import Coder, Factors
from roget.scoring.labels.table import Columns, Table, fault, make_reader, number
from roget.scoring.labels.text import batches, refuse_json, uniform_columns

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile


def read_table(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> Table:
    """The lines of a key."""
    if columns:
        raise InputError(f"{file.name}: columns cannot be chosen in a key")
    refuse_json(file, "group item label[/weight] ...")
    gatherer = _Gatherer(problems)
    for start, text in file.blocks():
        gatherer.add(start, text)
    return gatherer.table()


read = make_reader(read_table)


class _Gatherer:
    """Takes blocks of a key as they come; `label/weight` is parted at the end, once for each."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.items: list[str] = []
        self._groups, self._tokens = Coder(), Coder()
        self._parts: list[tuple[Ints, Codes, Codes, Ints]] = []

    def add(self, start: int, text: str) -> None:
        """Take a block of lines."""
        lines = text.split("\n")
        columns = None if "!!" in text else uniform_columns(text, lines, tabs=False)
        if columns is not None and len(columns) > 2:
            numbers = np.arange(start, start + len(lines))
            each = np.full(len(lines), len(columns) - 2)
            tokens = columns[2] if len(columns) == 3 else chain(*zip(*columns[2:], strict=True))
            self._take(numbers, columns[0], columns[1], tokens, each)
            return
        for first, batch in batches(lines, tabs=False):
            rows = [_without_comment(row) for row in batch] if "!!" in text else batch
            kept = [at for at, row in enumerate(rows) if len(row) > 1]
            if len(kept) < len(rows):
                for line, row in enumerate(rows, start + first):
                    if len(row) == 1:
                        text = f"1 field, {row[0]!r}; expected group item label[/weight] ..."
                        self.problems.add(line, text)
                rows = [rows[at] for at in kept]
            each = np.fromiter(map(len, rows), np.int64, len(rows)) - 2
            tokens = chain.from_iterable(row[2:] for row in rows)
            groups, items = [row[0] for row in rows], [row[1] for row in rows]
            self._take(np.array(kept, dtype=np.int64) + start + first, groups, items, tokens, each)

    def _take(
        self, numbers: Ints, groups: list[str], items: list[str], tokens: Iterable[str], each: Ints
    ) -> None:
        self.items.extend(items)
        codes = self._groups.codes(groups, len(groups))
        entries = self._tokens.codes(tokens, int(each.sum()))
        self._parts.append((numbers, codes, entries, each))

    def table(self) -> Table:
        """All lines taken, with weights read and checked."""
        if not self._parts:
            return Table(self.problems, np.empty(0, dtype=np.int64), [], {})
        lines, codes, entries, sizes = map(np.concatenate, zip(*self._parts, strict=True))
        indptr = None if bool(np.all(sizes == 1)) else np.concatenate(([0], np.cumsum(sizes)))
        labels, weights = _labels_and_weights(
            self._tokens, entries, np.repeat(lines, sizes), self.problems
        )
        group = Factors(codes, self._groups.names(), len(self._groups))
        columns = {"group": group, "label": labels}
        return Table(self.problems, lines, self.items, columns, weights, indptr)


_BEGINS_A_WEIGHT = ("", *"0123456789+-.")


def _without_comment(row: list[str]) -> list[str]:
    return list(takewhile(lambda cell: not cell.startswith("!!"), row))


def _labels_and_weights(
    tokens: Coder, entries: npt.NDArray[np.int32], lines: Ints, problems: Problems
) -> tuple[Factors, Floats]:
    """Part `label/weight` once for each distinct token, then look every entry up."""
    coder = Coder()
    labels: list[str] = []
    weights = np.ones(len(tokens))
    faults: dict[int, str] = {}
    for code, token in enumerate(tokens.names()):
        label, slash, tail = token.rpartition("/")
        value = number(tail) if slash else None
        if value is None and slash and tail[:1] in _BEGINS_A_WEIGHT:
            faults[code] = f"the weight {tail!r} is not a number in {token!r}; expected label/0.7"
        elif value is None:
            label = token
        else:
            weights[code] = value
            wrong = fault(value)
            if wrong:
                faults[code] = f"the weight {tail!r} of {label!r} {wrong}; expected 0 or more"
        if not label:
            faults[code] = f"{token!r} is a weight without a label; expected label/weight"
            label = token
        labels.append(label)
    if faults:
        for at in np.flatnonzero(np.isin(entries, list(faults))).tolist():
            problems.add(lines[at], faults[int(entries[at])])
    codes = coder.codes(labels, len(labels))
    return Factors(codes[entries], coder.names(), len(coder)), weights[entries]
