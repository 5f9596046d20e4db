"""Label tables, whose rows contain item, label, weight and group, and their conversion to labels.

Every reader returns a `LabelTable`. `to_labels` combines the rows of each item, drops repeated
rows, and reports contradictory or invalid labels.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.core.io.header import parse_number
from roget.core.io.problems import Problems, plural
from roget.core.types import BoolArray, Codes, Floats, Ints
from roget.errors import InputError, Notice
from roget.scoring.labels.labels import Coder, FirstRow, LabelCodes, Labels, NoItems, code_texts

_MIN_ROWS = 4
"""Minimum number of rows. In smaller tables, the first label is never suspected to be a header."""

_LABEL_ROLES = ("label", "gold", "system")


@dataclass
class LabelTable:
    """The rows of a label file, stored by column: line, item, label codes, weight and group."""

    problems: Problems
    """The invalid lines found so far."""
    lines: Ints
    items: list[str] | None = None
    columns: dict[str, LabelCodes] = field(default_factory=dict)
    """Map from roles (label, gold, system or group) to the codes of the labels in the column."""
    weights: Floats | None = None
    """The weight of each entry in the label column. The weights have been validated."""
    indptr: Ints | None = None
    """Offset of each row in the label column, or None if each row has one label."""
    several: str = ""
    """How an item can have several labels in this format, if not in a column of weights."""
    spread: bool = False
    """True if an item may have several rows, each with a label and a weight."""
    first_row: FirstRow | None = None
    """The first row of a delimited file."""
    is_key: bool = False
    """True for a SemEval key, in which a label of weight 0, or a gold item without a label, is an
    error, because it is the usual sign of a file in another format."""
    warnings: list[Notice] = field(default_factory=list)

    @property
    def source(self) -> str:
        """The name of the file, for messages."""
        return self.problems.name

    def set_weights(self, column: LabelCodes | None, answered: BoolArray | None = None) -> None:
        """Parse the column of weights, if the table has one.

        Only rows with a label need a weight.
        """
        if column is not None:
            if answered is None:
                answered = self.columns["gold" if "gold" in self.columns else "label"].codes >= 0
            self.weights = read_weights(column, self.lines, self.problems, answered)
            self.spread = True


def fill_table(table: LabelTable, columns: dict[str, list[str]]) -> LabelTable:
    """Fill the columns of a table, given a map from roles to lists of strings.

    The role "third" means a column of weights if all its values are numbers, and otherwise a column
    of groups.
    """
    table.items = columns.pop("item", None)
    coded = {role: code_texts(column) for role, column in columns.items()}
    for role in coded.keys() & set(_LABEL_ROLES):
        if "" in (coded[role].names or ()):
            coded[role] = coded[role].drop_empty()
    third = coded.pop("third", None)
    if third is not None:
        numeric = all(number(name) is not None for name in third.names or () if name)
        coded["weight" if numeric else "group"] = third
    table.columns = coded
    weights = coded.pop("weight", None)
    if weights is not None:
        table.set_weights(weights)
    return table


def to_labels(table: LabelTable, *, role: str = "label", gold: bool) -> Labels:
    """Convert a table to labels, or raise one error that lists all problems in its rows."""
    problems = table.problems
    if not len(table.lines):
        problems.check()
        raise NoItems(f"{table.source}: no items")
    groups, group_names = read_groups(table) if "group" in table.columns else (None, None)
    first = _first_rows(table, groups)
    column = table.columns[role]
    _refuse_empty(table, column)
    problems.check()
    # An item may have several labels, either in one row or in several rows with weights.
    several = table.indptr is not None or (table.spread and role == "label" and first is not None)
    coded = column
    if several or first is not None:
        coded = (_weighted if several else _hard)(table, column, first)
    if table.is_key and not (several or table.weights is None):
        for line in table.lines[(table.weights == 0) & (column.codes >= 0)]:
            problems.add(line, _ZERO, code="bad-weight")
    masses = None
    if table.weights is not None and not several:
        masses = _item_weights(table, column, gold=gold)
    rows = None if first is None else np.flatnonzero(first == np.arange(first.size))
    if gold and not coded.complete:
        gaps = coded.codes < 0 if coded.indptr is None else np.diff(coded.indptr) == 0
        if gaps.all() and not (table.is_key and gaps.size == 1):
            raise InputError(
                f"{table.source}: the column of gold labels is empty; choose another column with "
                "--columns label=NAME",
                code="missing-label",
            )
        if table.is_key:
            for line in (table.lines if rows is None else table.lines[rows])[gaps]:
                text = "the label is missing; every gold item of a key must have a label"
                problems.add(line, text, code="missing-label")
    first_row = _judge_first_row(table, column)
    if gold and first_row is not None and first_row.doubt is not None:
        table.warnings.append(first_row.doubt)
    problems.check()
    items = table.items
    if rows is not None:
        items = None if items is None else [items[row] for row in rows.tolist()]
        groups = None if groups is None else groups[rows]
        masses = None if masses is None else masses[rows]
    return Labels(
        **coded._asdict(),
        items=items,
        groups=groups,
        group_names=group_names,
        item_weights=masses,
        source=problems.name,
        warnings=tuple(table.warnings),
        first_row=first_row,
    )


def _judge_first_row(table: LabelTable, column: LabelCodes) -> FirstRow | None:
    """Return the first row.

    If its label is repeated in other rows, remove the notice that it may be a header.
    """
    row = table.first_row
    if row is None or row.doubt is None:
        return row
    code = int(column.codes[0]) if column.codes.size else -1
    if column.names is not None and code >= 0:
        times = int(np.count_nonzero(column.codes == code))
        if may_be_header(column.names[code], times, column.codes.size):
            return row
    return row._replace(doubt=None)


def to_pair(table: LabelTable, *, gold: bool = True) -> tuple[Labels, Labels]:
    """Convert a table with gold and system columns to gold and system labels."""
    # Convert the system first, so that its contradictions are reported before missing gold labels.
    system = to_labels(table, role="system", gold=False)
    table.warnings.clear()
    return to_labels(table, role="gold", gold=gold), system


def read_groups(table: LabelTable) -> tuple[Codes | None, list[str] | None]:
    """Return the group code of each row and the group names, or None if there are no groups."""
    column = table.columns.get("group")
    if column is None:
        return None, None
    names = list(map(str, column.values()))
    empty = [-1, *(code for code, name in enumerate(names) if not name)]
    for line in table.lines[np.isin(column.codes, empty)]:
        table.problems.add(line, "the group is empty; expected a name", code="empty-field")
    return column.codes, names


def _first_rows(table: LabelTable, groups: Codes | None) -> Ints | None:
    """Return the index of the first row of each row's item, or None if no item is repeated."""
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
    # Write in reverse order, so that the first row of each item is written last and is kept.
    first[keys[::-1]] = np.arange(rows - 1, -1, -1)
    firsts: Ints = first[keys]
    return None if bool(np.all(firsts == np.arange(rows))) else firsts


def _hard(table: LabelTable, column: LabelCodes, first: Ints | None) -> LabelCodes:
    """Return one label per item. Repeated rows of an item must have the same label."""
    codes = column.codes
    if first is None:
        return column
    again = np.flatnonzero(first != np.arange(first.size))
    for row in again[codes[again] != codes[first[again]]].tolist():
        _contradiction(table, row, int(first[row]))
    _count_repeats(table, again.size)
    codes = np.delete(codes, again)
    return column._replace(codes=codes, complete=bool(np.all(codes >= 0)))


def _item_weights(table: LabelTable, column: LabelCodes, *, gold: bool) -> Floats | None:
    """Return the gold items' weights, or None if the table has no weights."""
    weights = table.weights
    if weights is None or not table.spread:
        return None
    if gold:
        return weights
    if "gold" not in table.columns and varies(weights[column.codes >= 0]):
        table.warnings.append(warn_unused_weights(table.source))
    return None


def varies(values: Floats) -> bool:
    """Return True if the values are not all equal."""
    return bool(values.size and np.any(values != values[0]))


def warn_unused_weights(source: str) -> Notice:
    """Return a notice that the item weights of a system are not used."""
    return Notice(
        f"the weights of {source} are not used, because every item has only one label and items "
        f"are weighted by the gold standard",
        code="unused-weights",
    )


def _weighted(table: LabelTable, column: LabelCodes, first: Ints | None) -> LabelCodes:
    """Return the weighted labels of each item, which may be in one row or in several rows."""
    rows = len(table.lines)
    sizes = np.ones(rows, np.int64) if table.indptr is None else np.diff(table.indptr)
    owners = np.repeat(np.arange(rows), sizes)
    codes = column.codes.astype(np.int64)
    weights = np.ones(codes.size) if table.weights is None else table.weights
    chosen = codes >= 0
    if table.spread:
        chosen &= _mark_distinct(table, owners, first, codes, weights)
    elif first is not None:
        chosen &= _mark_first_rows(table, owners, first, codes, weights)
    owners, codes, weights = owners[chosen], codes[chosen], weights[chosen]
    if not table.spread:
        _count_duplicates(table, owners, codes)
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


def _mark_distinct(
    table: LabelTable, owners: Ints, first: Ints | None, codes: Ints, weights: Floats
) -> BoolArray:
    """Return a mask of the entries that do not repeat an earlier entry of the same item.

    A repeated label must have the same weight.
    """
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


def _mark_first_rows(
    table: LabelTable, owners: Ints, first: Ints, codes: Ints, weights: Floats
) -> BoolArray:
    """Return a mask of the entries in the first row of each item.

    Report later rows that differ from the item's first row.
    """
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
    "If items have several labels, add a column of weights (item, label, weight), or pass "
    "--set several=cover for overlapping clusters. If ids are unique only within groups, name the "
    "group column: --columns group=NAME."
)
_PAIRS = (
    "If each line is a pair of ids that belong together, pass --labels pairs. If items have "
    "several labels, add a column of weights, or pass --set several=cover."
)
_ZERO = "the weights of this item sum to 0; expected at least one positive weight"


def _contradiction(table: LabelTable, row: int, earlier: int) -> None:
    """Report that a row contradicts an earlier row for the same item."""
    item = "" if table.items is None else f" {table.items[row]!r}"
    text = f"item{item} already has a different label on line {table.lines[earlier]}"
    if table.problems.hint not in (_PAIRS, table.several or _SEVERAL):
        column = table.columns.get("label")
        labels = {str(label) for label in column.values()} if column else set()
        items = {*(table.items or ())}
        are_ids = not labels.isdisjoint(items) and 3 * len(labels) > len(items)
        table.problems.hint = _PAIRS if are_ids else table.several or _SEVERAL
    table.problems.add(table.lines[row], text, code="duplicate-item")


def _count_repeats(table: LabelTable, repeats: int) -> None:
    if repeats:
        verb = "repeats" if repeats == 1 else "repeat"
        text = f"dropped {plural(repeats, 'line')} of {table.source} that {verb} an earlier line"
        table.warnings.append(Notice(text, code="repeated-rows"))


def _count_duplicates(table: LabelTable, owners: Ints, codes: Ints) -> None:
    """Add a notice if some rows list the same label twice."""
    order = np.lexsort((codes, owners))
    near = (np.diff(owners[order]) == 0) & (np.diff(codes[order]) == 0)
    twice = np.unique(owners[order][1:][near]).size
    if twice:
        verb = "lists" if twice == 1 else "list"
        text = f"{plural(twice, 'item')} of {table.source} {verb} a label twice; weights were added"
        table.warnings.append(Notice(text, code="repeated-rows"))


def may_be_header(label: Any, times: int, items: int) -> bool:
    """Return True if the first label may be a header, i.e. is text that occurs in only one row."""
    return items >= _MIN_ROWS and times == 1 and number(label) is None


def _refuse_empty(table: LabelTable, column: LabelCodes) -> None:
    """Add a problem for each entry whose label is an empty string."""
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
    """Convert a number or a string to float. Return None if this is impossible.

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
    """Return the reason why a number is not a valid weight, or None if it is valid."""
    if value is None or np.isnan(value):
        return "is not a number"
    if value < 0:
        return "is negative"
    return "is infinite" if np.isinf(value) else None


def read_weights(
    column: LabelCodes, lines: Ints, problems: Problems, answered: BoolArray, noun: str = "weight"
) -> Floats:
    """Parse a column of weights and report invalid ones. Each distinct string is parsed only once.

    Only the rows in the mask `answered` are checked. `noun` is the name of the column in messages.
    """
    names = column.values()
    values = [number(name) for name in names]
    faults = {code: wrong for code, value in enumerate(values) if (wrong := fault(value))}
    # Code −1 (no weight) selects the last element of the lookup table.
    faults[-1] = "is missing"
    for at in np.flatnonzero(np.isin(column.codes, list(faults)) & answered).tolist():
        code = int(column.codes[at])
        shown = f" {names[code]!r}" if code >= 0 else ""
        text = f"the {noun}{shown} {faults[code]}; expected 0 or more"
        problems.add(lines[at], text, code=f"bad-{noun}")
    usable = [value if value is not None else np.nan for value in values]
    weights: Floats = np.array([*usable, np.nan])[column.codes]
    return weights
