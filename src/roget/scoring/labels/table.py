"""Label tables: columns of rows with item, label, weight and group, and how they become labels.

Every reader yields a `LabelTable`. `to_labels` joins the rows of one item, refuses labels that
contradict each other or cannot be used, and counts repetitions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.core.io.header import parse_number
from roget.core.io.problems import Problems, plural
from roget.core.types import BoolArray, Codes, Floats, Ints
from roget.errors import Notice
from roget.scoring.labels.labels import Coder, FirstRow, LabelCodes, Labels, NoItems, code_texts

_FEW = 4
"""Rows from which a first label that occurs once is suspicious."""

_LABEL_ROLES = ("label", "gold", "system")


@dataclass
class LabelTable:
    """The rows of a label file as columns: line, item, label codes, weight and group."""

    problems: Problems
    """The broken lines found so far."""
    lines: Ints
    items: list[str] | None = None
    columns: dict[str, LabelCodes] = field(default_factory=dict)
    """Label columns (label, or gold and system) and perhaps "group", as codes."""
    weights: Floats | None = None
    """One weight per entry of the label column; checked by the reader."""
    indptr: Ints | None = None
    """Entries of the label column per row, if a row may hold several; None for one each."""
    spread: bool = False
    """True if several rows may make up the labels of one item, each with a weight."""
    first_row: FirstRow | None = None
    """The first row of a delimited file."""
    warnings: list[Notice] = field(default_factory=list)

    @property
    def source(self) -> str:
        """The name of the file in messages."""
        return self.problems.name

    def set_weights(self, column: LabelCodes | None, answered: BoolArray | None = None) -> None:
        """Read a column of weights, if there is one; only rows with a label need one."""
        if column is not None:
            if answered is None:
                answered = self.columns["gold" if "gold" in self.columns else "label"].codes >= 0
            self.weights = read_weights(column, self.lines, self.problems, answered)
            self.spread = True


def fill_table(table: LabelTable, columns: dict[str, list[str]]) -> LabelTable:
    """Set the columns of a table from texts by role.

    The role "third" becomes the weight if all its values are numbers, else the group.
    """
    table.items = columns.pop("item", None)
    coded = {role: code_texts(column) for role, column in columns.items()}
    for role in coded.keys() & set(_LABEL_ROLES):
        coded[role] = coded[role].drop_empty()
    third = coded.pop("third", None)
    if third is not None:
        numeric = all(number(name) is not None for name in third.names or () if name)
        coded["weight" if numeric else "group"] = third
    table.columns = coded
    table.set_weights(coded.pop("weight", None))
    return table


def to_labels(table: LabelTable, *, role: str = "label", gold: bool) -> Labels:
    """Return the labels of a table's items; raise all problems of its rows as one error."""
    problems = table.problems
    if not len(table.lines):
        problems.check()
        raise NoItems(f"{table.source}: no items")
    groups, group_names = read_groups(table)
    first = _first_rows(table, groups)
    column = table.columns[role]
    _refuse_empty(table, column)
    problems.check()
    # Several entries per item: in one row, or in several rows with weights.
    several = table.indptr is not None or (table.spread and role == "label" and first is not None)
    coded = (_weighted if several else _hard)(table, column, first)
    masses = None if several else _item_weights(table, column, gold=gold)
    rows = None if first is None else np.flatnonzero(first == np.arange(first.size))
    if gold and not coded.complete:
        gaps = coded.codes < 0 if coded.indptr is None else np.diff(coded.indptr) == 0
        for line in (table.lines if rows is None else table.lines[rows])[gaps]:
            problems.add(line, "no label; every gold item needs one", code="missing-label")
    first_row = _judge_first_row(table, column)
    if gold and first_row is not None and first_row.doubt is not None:
        table.warnings.append(first_row.doubt)
    problems.check()
    items = table.items
    if rows is not None:
        items = None if items is None else [items[row] for row in rows.tolist()]
        groups = None if groups is None else groups[rows]
        masses = None if masses is None else masses[rows]
    return Labels.from_codes(
        coded,
        items=items,
        groups=groups,
        group_names=group_names,
        item_weights=masses,
        source=table.source,
        warnings=tuple(table.warnings),
        first_row=first_row,
    )


def _judge_first_row(table: LabelTable, column: LabelCodes) -> FirstRow | None:
    """Return the first row; its doubt only stays if its label occurs nowhere else."""
    row = table.first_row
    if row is None or row.doubt is None:
        return row
    code = int(column.codes[0]) if column.codes.size else -1
    if column.names is not None and code >= 0:
        times = int(np.count_nonzero(column.codes == code))
        if begins_alone(column.names[code], times, column.codes.size):
            return row
    return row._replace(doubt=None)


def to_pair(table: LabelTable, *, gold: bool = True) -> tuple[Labels, Labels]:
    """Return the gold and system labels of a table with a column for each."""
    # The system first: its contradictions are reported before gaps in gold.
    system = to_labels(table, role="system", gold=False)
    table.warnings.clear()
    return to_labels(table, role="gold", gold=gold), system


def read_groups(table: LabelTable) -> tuple[Codes | None, list[str] | None]:
    """Return the group of each row and the names of groups, if there are groups."""
    column = table.columns.get("group")
    if column is None:
        return None, None
    names = list(map(str, column.values()))
    empty = [-1, *(code for code, name in enumerate(names) if not name)]
    for line in table.lines[np.isin(column.codes, empty)]:
        table.problems.add(line, "the group is empty; expected a name", code="empty-field")
    return column.codes, names


def _first_rows(table: LabelTable, groups: Codes | None) -> Ints | None:
    """Return for each row the first row of its item; None if no item is repeated."""
    if table.items is None:
        return None
    distinct = set(table.items)
    if "" in distinct:
        for row, item in enumerate(table.items):
            if not item:
                text = "the item is empty; expected an id"
                table.problems.add(table.lines[row], text, code="empty-field")
    rows = len(table.items)
    if len(distinct) == rows:
        return None
    keys = Coder().codes(table.items, rows).astype(np.int64)
    if groups is not None:
        keys = keys * (int(groups.max()) + 1) + groups
        keys = np.unique(keys, return_inverse=True)[1]
    first = np.empty(int(keys.max()) + 1, dtype=np.int64)
    # Of several writes to one index the last wins: written backwards, that is the first row.
    first[keys[::-1]] = np.arange(rows - 1, -1, -1)
    firsts: Ints = first[keys]
    return None if bool(np.all(firsts == np.arange(rows))) else firsts


def _hard(table: LabelTable, column: LabelCodes, first: Ints | None) -> LabelCodes:
    """Return one label per item; repeated rows must have the same label."""
    codes = column.codes
    if table.weights is not None:
        for line in table.lines[(table.weights == 0) & (codes >= 0)]:
            table.problems.add(line, _ZERO, code="bad-weight")
    if first is None:
        return column
    again = np.flatnonzero(first != np.arange(first.size))
    for row in again[codes[again] != codes[first[again]]].tolist():
        _contradiction(table, row, int(first[row]))
    _count_repeats(table, again.size)
    codes = np.delete(codes, again)
    return column._replace(codes=codes, complete=bool(np.all(codes >= 0)))


def _item_weights(table: LabelTable, column: LabelCodes, *, gold: bool) -> Floats | None:
    """Return the weights of gold's items, if the table has them."""
    weights = table.weights
    if weights is None or not table.spread:
        return None
    if gold:
        return weights
    if "gold" not in table.columns and varies(weights[column.codes >= 0]):
        table.warnings.append(warn_unused_weights(table.source))
    return None


def varies(values: Floats) -> bool:
    """Return True if not all values are the same."""
    return bool(values.size and np.any(values != values[0]))


def warn_unused_weights(source: str) -> Notice:
    """Return the notice that a system's weights of items are not used."""
    return Notice(
        f"the weights of {source} are not used: every item has one label only, and items are "
        "weighted by the gold standard",
        code="unused-weights",
    )


def _weighted(table: LabelTable, column: LabelCodes, first: Ints | None) -> LabelCodes:
    """Return several labels per item, which are in one row or in several."""
    rows = len(table.lines)
    sizes = np.ones(rows, np.int64) if table.indptr is None else np.diff(table.indptr)
    owners = np.repeat(np.arange(rows), sizes)
    codes = column.codes.astype(np.int64)
    weights = np.ones(codes.size) if table.weights is None else table.weights
    chosen = codes >= 0
    if table.spread:
        chosen &= _unrepeated(table, owners, first, codes, weights)
    elif first is not None:
        chosen &= _first_answers(table, owners, first, codes, weights)
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
        table.problems.add(line, _ZERO, code="bad-weight")
    return column._replace(codes=codes).pack(owners, weights, n_items)


def _unrepeated(
    table: LabelTable, owners: Ints, first: Ints | None, codes: Ints, weights: Floats
) -> BoolArray:
    """Return which entries do not repeat an earlier one; equal labels need equal weights."""
    items = owners if first is None else first[owners]
    order = np.lexsort((np.arange(codes.size), codes, items))
    earlier, later = order[:-1], order[1:]
    again = (items[earlier] == items[later]) & (codes[earlier] == codes[later])
    again &= codes[later] >= 0
    earlier, later = earlier[again], later[again]
    for one, other in zip(earlier.tolist(), later.tolist(), strict=True):
        if weights[one] != weights[other]:
            _contradiction(table, int(owners[other]), int(owners[one]))
    _count_repeats(table, later.size)
    chosen = np.ones(codes.size, dtype=bool)
    chosen[later] = False
    return chosen


def _first_answers(
    table: LabelTable, owners: Ints, first: Ints, codes: Ints, weights: Floats
) -> BoolArray:
    """Return which entries belong to the first row of their item; later rows must be equal."""
    again = np.flatnonzero(first != np.arange(first.size))
    bounds = np.searchsorted(owners, np.arange(first.size + 1))

    def answer(row: int) -> list[tuple[int, float]]:
        at = slice(bounds[row], bounds[row + 1])
        return sorted(zip(codes[at].tolist(), weights[at].tolist(), strict=True))

    for row in again.tolist():
        if answer(row) != answer(int(first[row])):
            _contradiction(table, row, int(first[row]))
    _count_repeats(table, again.size)
    chosen: BoolArray = first[owners] == owners
    return chosen


_SEVERAL = (
    "An item may have several labels if each row has a weight (item, label, weight), or with "
    "--several cover if it belongs to all of them. If ids are unique only within a group, choose "
    "its column: --columns group=NAME."
)
_ZERO = "the weights of this item sum to 0; expected at least one above 0"


def _contradiction(table: LabelTable, row: int, earlier: int) -> None:
    """Add the problem that a row contradicts an earlier one of the same item."""
    item = "" if table.items is None else f" {table.items[row]!r}"
    text = f"item{item} has a different label on line {table.lines[earlier]}; expected one label"
    table.problems.hint = _SEVERAL
    table.problems.add(table.lines[row], text, code="duplicate-item")


def _count_repeats(table: LabelTable, repeats: int) -> None:
    if repeats:
        verb = "repeats" if repeats == 1 else "repeat"
        text = f"{plural(repeats, 'line')} of {table.source} {verb} an earlier one: dropped"
        table.warnings.append(Notice(text, code="repeated-rows"))


def _count_twice_named(table: LabelTable, owners: Ints, codes: Ints) -> None:
    order = np.lexsort((codes, owners))
    near = (np.diff(owners[order]) == 0) & (np.diff(codes[order]) == 0)
    twice = np.unique(owners[order][1:][near]).size
    if twice:
        verb = "names" if twice == 1 else "name"
        text = f"{plural(twice, 'item')} of {table.source} {verb} a label twice: weights were added"
        table.warnings.append(Notice(text, code="repeated-rows"))


def begins_alone(label: Any, times: int, items: int) -> bool:
    """Return True if the first label is not a number and occurs once in more than a few rows."""
    return items >= _FEW and times == 1 and number(label) is None


def _refuse_empty(table: LabelTable, column: LabelCodes) -> None:
    """Add a problem for each entry whose label is the empty text."""
    names = column.names
    if names is None or not len(names) or not isinstance(names[0], str):
        return
    empty = [code for code, name in enumerate(names) if name == ""]
    if empty:
        sizes = 1 if table.indptr is None else np.diff(table.indptr)
        for line in np.repeat(table.lines, sizes)[np.isin(column.codes, empty)]:
            text = "the label is empty; expected a label"
            table.problems.add(line, text, code="empty-field")


def number(value: Any) -> float | None:
    """Return a number, or the text of one, as float; None for anything else.

    >>> number("1e-3"), number("NaN"), number("1_000"), number("x"), number(2)
    (0.001, nan, None, None, 2.0)
    """
    if isinstance(value, str):
        return parse_number(value)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def fault(value: float | None) -> str | None:
    """Return why a number cannot be a weight, None if it can."""
    if value is None or np.isnan(value):
        return "is not a number"
    if value < 0:
        return "is negative"
    return "is infinite" if np.isinf(value) else None


def read_weights(
    column: LabelCodes, lines: Ints, problems: Problems, answered: BoolArray, noun: str = "weight"
) -> Floats:
    """Return the weights behind codes, parsing each distinct text once; check labelled rows."""
    names = column.values()
    values = [number(name) for name in names]
    faults = {code: wrong for code, value in enumerate(values) if (wrong := fault(value))}
    # Code −1, no weight at all, refers to the last entry.
    faults[-1] = "is missing"
    for at in np.flatnonzero(np.isin(column.codes, list(faults)) & answered).tolist():
        code = int(column.codes[at])
        shown = f" {names[code]!r}" if code >= 0 else ""
        text = f"the {noun}{shown} {faults[code]}; expected 0 or more"
        problems.add(lines[at], text, code=f"bad-{noun}")
    usable = [value if value is not None else np.nan for value in values]
    weights: Floats = np.array([*usable, np.nan])[column.codes]
    return weights
