"""From what a file says line by line to the answers of its items.

Every reader fills a `Table`; `to_labels` puts the rows of one item together, refuses answers
that contradict each other or cannot be used, and counts what was repeated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from roget.core.io.problems import Problems
from roget.core.types import BoolArray, Codes, FloatArray, IntArray
from roget.errors import InputError, plural
from roget.scoring.labels.codes import Coder, Factors, factorize
from roget.scoring.labels.columns import SINGLE, Columns
from roget.scoring.labels.labels import Labels, Packed, pack

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile

_FEW = 4
"""In a shorter table a label that comes once is no sign of anything."""


@dataclass
class Table:
    """The rows of a file: where they stand, whose answer they give and what it is."""

    source: str
    lines: IntArray
    items: list[str] | None
    columns: dict[str, Factors]
    """Label columns (label, or gold and system) and perhaps "group", as codes."""
    weights: FloatArray | None = None
    """One per entry of the label column; checked by the reader."""
    indptr: IntArray | None = None
    """Entries of the label column per row, where a row may hold several; None: one each."""
    spread: bool = False
    """Whether several rows with weights may make up the answer of one item."""
    doubt: str | None = None
    """What to say if the first row looks like a header that was taken for data."""
    warnings: list[str] = field(default_factory=list)


def to_labels(table: Table, problems: Problems, *, role: str = "label", gold: bool) -> Labels:
    """The answers of a table's items; raises what `problems` holds or comes to hold."""
    if not len(table.lines):
        problems.check()
        raise InputError(f"{table.source}: no items")
    groups, group_names = _groups(table, problems)
    first = _first_rows(table, groups, problems)
    factors = table.columns[role]
    empty = _codes_of("", factors)
    if empty:
        for line in _entry_lines(table)[np.isin(factors.codes, empty)]:
            problems.add(line, "the label is empty; expected a label")
    problems.check()
    several = table.indptr is not None or (table.spread and first is not None)
    answers = (_weighted if several else _hard)(table, factors, first, problems)
    rows = None if first is None else np.flatnonzero(first == np.arange(first.size))
    if gold:
        _refuse_gaps(answers, table.lines if rows is None else table.lines[rows], problems)
        if table.doubt is not None and _begins_alone(factors):
            table.warnings.append(table.doubt)
    problems.check()
    items = table.items
    if rows is not None:
        items = None if items is None else [items[row] for row in rows.tolist()]
        groups = None if groups is None else groups[rows]
    return Labels(
        codes=answers.codes,
        n_labels=factors.n_labels,
        names=factors.names,
        offset=factors.offset,
        items=items,
        groups=groups,
        group_names=group_names,
        indptr=answers.indptr,
        weights=answers.weights,
        complete=answers.complete,
        source=table.source,
        warnings=tuple(table.warnings),
    )


def _groups(table: Table, problems: Problems) -> tuple[Codes | None, list[str] | None]:
    factors = table.columns.get("group")
    if factors is None:
        return None, None
    names = factors.names
    if names is None:
        names = range(factors.offset, factors.offset + factors.n_labels)
    for line in table.lines[np.isin(factors.codes, [-1, *_codes_of("", factors)])]:
        problems.add(line, "the group is empty; expected a name")
    return factors.codes, [str(name) for name in names]


def _first_rows(table: Table, groups: Codes | None, problems: Problems) -> IntArray | None:
    """For each row the first row of the same item; None where no item comes twice."""
    if table.items is None:
        return None
    distinct = set(table.items)
    if "" in distinct:
        for row, item in enumerate(table.items):
            if not item:
                problems.add(table.lines[row], "the item is empty; expected an id")
    rows = len(table.items)
    if len(distinct) == rows:
        return None
    keys = Coder().codes(table.items, rows).astype(np.int64)
    if groups is not None:
        keys = keys * (int(groups.max()) + 1) + groups
        keys = factorize(keys).codes.astype(np.int64)
    first = np.empty(int(keys.max()) + 1, dtype=np.int64)
    # Of several writes to one place the last stays: backwards, that is the first row.
    first[keys[::-1]] = np.arange(rows - 1, -1, -1)
    firsts: IntArray = first[keys]
    return None if bool(np.all(firsts == np.arange(rows))) else firsts


def _hard(table: Table, factors: Factors, first: IntArray | None, problems: Problems) -> Packed:
    """One label per item; a row that comes again must say the same."""
    codes = factors.codes
    if table.weights is not None:
        for line in table.lines[(table.weights == 0) & (codes >= 0)]:
            problems.add(line, _ZERO)
    if first is None:
        return Packed(codes, None, None, factors.complete)
    again = np.flatnonzero(first != np.arange(first.size))
    for row in again[codes[again] != codes[first[again]]].tolist():
        _contradiction(table, row, int(first[row]), problems)
    _count_repeats(table, again.size)
    codes = np.delete(codes, again)
    return Packed(codes, None, None, bool(np.all(codes >= 0)))


def _weighted(table: Table, factors: Factors, first: IntArray | None, problems: Problems) -> Packed:
    """Several labels per item, in one row or in several."""
    rows = len(table.lines)
    sizes = np.ones(rows, np.int64) if table.indptr is None else np.diff(table.indptr)
    owners = np.repeat(np.arange(rows), sizes)
    codes = factors.codes.astype(np.int64)
    weights = np.ones(codes.size) if table.weights is None else table.weights
    chosen = codes >= 0
    if table.spread:
        chosen &= _unrepeated(table, owners, first, codes, weights, problems)
    elif first is not None:
        chosen &= _first_answers(table, owners, first, codes, weights, problems)
    owners, codes, weights = owners[chosen], codes[chosen], weights[chosen]
    if not table.spread:
        _count_twice_named(table, owners, codes)
    n_items = rows
    if first is not None:
        is_first = first == np.arange(rows)
        owners = (np.cumsum(is_first) - 1)[first[owners]]
        n_items = int(is_first.sum())
    lines = table.lines if first is None else table.lines[is_first]
    sums = np.bincount(owners, weights=weights, minlength=n_items)
    entries = np.bincount(owners, minlength=n_items)
    for line in lines[(sums == 0) & (entries > 0)]:
        problems.add(line, _ZERO)
    return pack(owners, codes, weights, n_items, factors.n_labels)


def _unrepeated(
    table: Table,
    owners: IntArray,
    first: IntArray | None,
    codes: IntArray,
    weights: FloatArray,
    problems: Problems,
) -> BoolArray:
    """Which entries of a spread table are not said before; the same label must weigh the same."""
    items = owners if first is None else first[owners]
    order = np.lexsort((np.arange(codes.size), codes, items))
    earlier, later = order[:-1], order[1:]
    again = (items[earlier] == items[later]) & (codes[earlier] == codes[later])
    again &= codes[later] >= 0
    earlier, later = earlier[again], later[again]
    for one, other in zip(earlier.tolist(), later.tolist(), strict=True):
        if weights[one] != weights[other]:
            _contradiction(table, int(owners[other]), int(owners[one]), problems)
    _count_repeats(table, later.size)
    chosen = np.ones(codes.size, dtype=bool)
    chosen[later] = False
    return chosen


def _first_answers(
    table: Table,
    owners: IntArray,
    first: IntArray,
    codes: IntArray,
    weights: FloatArray,
    problems: Problems,
) -> BoolArray:
    """Which entries belong to the first row of their item; later rows must say the same."""
    again = np.flatnonzero(first != np.arange(first.size))
    bounds = np.searchsorted(owners, np.arange(first.size + 1))

    def answer(row: int) -> list[tuple[int, float]]:
        at = slice(bounds[row], bounds[row + 1])
        return sorted(zip(codes[at].tolist(), weights[at].tolist(), strict=True))

    for row in again.tolist():
        if answer(row) != answer(int(first[row])):
            _contradiction(table, row, int(first[row]), problems)
    _count_repeats(table, again.size)
    chosen: BoolArray = first[owners] == owners
    return chosen


_ZERO = "the weights of this item sum to 0; expected at least one above 0"


def _contradiction(table: Table, row: int, earlier: int, problems: Problems) -> None:
    item = "" if table.items is None else f" {table.items[row]!r}"
    text = f"item{item} has another answer than on line {table.lines[earlier]}; expected one"
    problems.add(table.lines[row], text)


def _count_repeats(table: Table, repeats: int) -> None:
    if repeats:
        verb = "repeats" if repeats == 1 else "repeat"
        lines = plural(repeats, "line")
        table.warnings.append(f"{lines} of {table.source} {verb} an earlier one: dropped")


def _count_twice_named(table: Table, owners: IntArray, codes: IntArray) -> None:
    order = np.lexsort((codes, owners))
    near = (np.diff(owners[order]) == 0) & (np.diff(codes[order]) == 0)
    twice = np.unique(owners[order][1:][near]).size
    if twice:
        answers = plural(twice, "answer")
        verb = "names" if twice == 1 else "name"
        table.warnings.append(
            f"{answers} of {table.source} {verb} a label twice: its weights were added"
        )


def _refuse_gaps(answers: Packed, lines: IntArray, problems: Problems) -> None:
    if answers.complete:
        return
    empty = answers.codes < 0 if answers.indptr is None else np.diff(answers.indptr) == 0
    for line in lines[empty]:
        problems.add(line, "no label; every item of the gold standard needs one")


def _begins_alone(factors: Factors) -> bool:
    """Whether the first label of several is no number and never comes again."""
    codes, names = factors.codes, factors.names
    if names is None or codes.size < _FEW or codes[0] < 0:
        return False
    return number(names[int(codes[0])]) is None and np.count_nonzero(codes == codes[0]) == 1


def _entry_lines(table: Table) -> IntArray:
    return table.lines if table.indptr is None else np.repeat(table.lines, np.diff(table.indptr))


def _codes_of(label: str, factors: Factors) -> list[int]:
    """The codes, at most one, of a label given as text."""
    names = factors.names
    if names is None or not len(names) or not isinstance(names[0], str):
        return []
    return [code for code, name in enumerate(names) if name == label]


_NUMBER = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE | re.ASCII
)


def number(value: Any) -> float | None:
    """A number or the text of one as float; None for anything else.

    >>> number("1e-3"), number("NaN"), number("1_000"), number("x"), number(2)
    (0.001, nan, None, None, 2.0)
    """
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def fault(value: float | None) -> str | None:
    """Why a number cannot be a weight, or None if it can."""
    if value is None or np.isnan(value):
        return "is not a number"
    if value < 0:
        return "is negative"
    return "is infinite" if np.isinf(value) else None


def read_weights(
    factors: Factors, lines: IntArray, problems: Problems, answered: BoolArray
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


class Reader(Protocol):
    """Reads the labels of a file; in a gold file every item must have one."""

    def __call__(
        self, file: LabelFile, *, columns: Columns | None = None, gold: bool = False
    ) -> Labels: ...


def make_reader(
    read_table: Callable[[LabelFile, Columns | None, Sequence[str], Problems], Table],
) -> Reader:
    """A reader of one side's labels from a reader of tables."""

    def read(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
        problems = Problems(file.name)
        return to_labels(read_table(file, columns, SINGLE, problems), problems, gold=gold)

    return read
