"""Tables of labels: which column holds what, and from their rows to the answers of items.

Columns are told by the caller's word, by known names (whatever their case: see `NAMES`), or by
position. A header of more than two columns must name those that matter by known names, or the
caller must choose; nothing is guessed. Without a header, columns are taken in the order item,
label, weight, group; a third and last column is a weight if it holds only numbers, else a group;
a single column holds the labels, one item per line.

Every reader fills `LabelTable`; `to_labels` joins the rows of one item, refuses labels that
contradict each other or cannot be used, and counts repetitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from roget.core.io.problems import Problems, plural
from roget.core.io.values import whole_number
from roget.core.types import BoolArray, Codes, Floats, Ints
from roget.errors import InputError
from roget.scoring.labels.labels import Coder, Factors, Labels, Packed, pack

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile

Columns: TypeAlias = Mapping[str, str | int]
"""Role → column by name, or by number from 1; a role may be of one side: gold.item."""

_GOLD = ("gold", "class", "truth", "y_true", "labels_true", "true_label", "gold_label")
_SYSTEM = (
    "system", "cluster", "pred", "predicted", "prediction", "y_pred", "labels_pred", "pred_label",
    "predicted_label",
)  # fmt: skip
NAMES: dict[str, tuple[str, ...]] = {
    "item": ("item", "id", "instance"),
    "label": ("label", "labels", *_GOLD, *_SYSTEM, "sense", "topic", "category"),
    "gold": _GOLD,
    "system": _SYSTEM,
    "weight": ("weight", "sample_weight", "probability"),
    "group": ("group",),
    "count": ("count", "n", "freq", "frequency"),
}

NOUNS = ("word", "lemma", "document", "doc")
"""Names of items, if nothing else can be the item; what they head may be anything."""

LABEL_ROLES = ("label", "gold", "system")

LABEL_NAMES = frozenset(NAMES["label"])
_ALL_NAMES = frozenset(NOUNS).union(*NAMES.values()) - {*NAMES["count"]}

SINGLE = ("item", "label", "weight", "group")
"""What the columns of a file with one side's labels can be."""
PAIR = ("item", "gold", "system", "weight", "group")
"""What the columns of a file with both sides' labels can be."""
CELLS = ("gold", "system", "count", "group")
"""What the columns of a table of cells can be."""

_SURE_NAMES = frozenset({"item", "id", "label", "gold", "truth", *_SYSTEM[2:]})
"""Names that head a column but are hardly items of a word list."""


def is_header(cells: Sequence[str], names: frozenset[str] = _ALL_NAMES) -> bool:
    """Whether a row names columns: two of its cells are known names, or one names the labels.

    Words such as group, word or class are also items of word lists, so that one of them alone,
    in the first column, makes no header.

    >>> is_header(["doc_id", "Topic"]), is_header(["gold", "k-means"]), is_header(["group", "A"])
    (True, True, False)
    """
    lowered = _lower(cells)
    known = sum(cell in names for cell in lowered)
    if len(lowered) < 2 or known > 1:
        return known > 0
    if not lowered[0] and all(lowered[1:]):
        # As pandas writes it: the index, which tells items apart, has no name.
        return True
    return lowered[0] in _SURE_NAMES or any(cell in LABEL_NAMES for cell in lowered[1:])


class ColumnMap(dict[str, str | int]):
    """Columns chosen for one side, which messages name."""

    side: str = ""


def choose_side(columns: Columns | None, side: str) -> ColumnMap:
    """The columns of one side: its own (gold.item), else those of both (item).

    >>> choose_side({"item": "id", "gold.label": "topic"}, "system")
    {'item': 'id'}
    """
    chosen = ColumnMap()
    chosen.side = side
    for own in (False, True):
        for role, column in (columns or {}).items():
            of, dot, name = role.rpartition(".")
            if dot and of not in ("gold", "system"):
                raise InputError(f"columns: {role!r} is not known; expected gold.item or the like")
            if bool(dot) == own and of in ("", side):
                chosen[name] = column
    return chosen


def has_several(columns: Columns | None) -> bool:
    """Whether labels are to be in several columns, from general to special: label=coarse+fine."""
    chosen = (columns or {}).items()
    return any("+" in str(name) for role, name in chosen if role.endswith("label"))


def find_columns(
    rows: Sequence[Sequence[str]], roles: Sequence[str], columns: Columns | None, source: str
) -> tuple[bool, dict[str, int]]:
    """Whether the first row of a table's first two is a header, and the column of each role."""
    first = rows[0]
    by_name = any(not str(value).isdecimal() for value in (columns or {}).values())
    if by_name or is_header(first) or (not columns and _may_be_names(roles, *rows)):
        return True, find_by_name(first, roles, columns, source)
    return False, _find_by_position(len(first), roles, columns, source)


def _may_be_names(roles: Sequence[str], first: Sequence[str], second: Sequence[str] = ()) -> bool:
    """Whether a row can hardly be but names: above numbers only, or of more columns than roles.

    So are three cells above a number, where both sides' labels are wanted: unknown names, which
    are refused with an example of how to choose among them.
    """
    if not all(first) or any(number(cell) is not None for cell in first):
        return False
    numbers = [number(cell) is not None for cell in second]
    if "gold" in roles and len(first) == 3 and any(numbers):
        return True
    if not 1 < len(first) == len(second):
        return False
    wide = (
        len(first) > len(roles) and len(set(first)) == len(first) and not set(first) & set(second)
    )
    return wide or all(numbers)


def find_by_name(
    names: Sequence[str], roles: Sequence[str], columns: Columns | None, source: str
) -> dict[str, int]:
    """The column number of each role, for a table whose columns have names.

    A table without an item column has items by position, if nothing else could be one. Only in
    a table of two columns may one of them go by an unknown name.
    """
    found = find_asked(names, roles, columns, source)
    lowered = _lower(names)
    for role in roles:
        if role not in found:
            free = set(range(len(names))).difference(found.values())
            known = NAMES[role][:-1] if role == "weight" and "gold" in roles else NAMES[role]
            near = [at for at in sorted(free) if lowered[at] in known]
            exact = [at for at in near if lowered[at] == role]
            if len(exact or near) > 1:
                could = ", ".join(names[at] for at in exact or near)
                # Of columns with one name only the number can choose.
                alike = len({lowered[at] for at in near}) < len(near)
                how = _how({role: str(near[0] + 1) if alike else names[near[0]]}, columns)
                raise InputError(f"{source}: several columns could be the {role}: {could}; {how}")
            if near:
                found[role] = exact[0] if exact else near[0]
            elif role == "item" and lowered[:1] == [""] and 0 in free:
                found[role] = 0
    return _complete(found, names, roles, columns, source)


def _find_by_position(
    width: int, roles: Sequence[str], columns: Columns | None, source: str
) -> dict[str, int]:
    """The column number of each role, for a table without a header.

    The role "third" is a column that is a weight or a group, as its values will tell.
    """
    if columns:
        return find_asked([""] * width, roles, columns, source)
    if roles is CELLS and 3 <= width <= 4:
        return {role: at for at, role in enumerate(CELLS[:width])}
    if "gold" in roles:
        if width == 2:
            return {"gold": 0, "system": 1}
    elif width <= 4:
        order = {1: ("label",), 3: ("item", "label", "third")}.get(width, SINGLE[:width])
        return {role: at for at, role in enumerate(order)}
    expected = "2 (gold, system)" if "gold" in roles else "1 to 4 (item, label, weight, group)"
    example = {"item": "1", "label": "3"}
    if "gold" in roles:
        chosen = PAIR[:3] if width == 3 else PAIR[1:3]
        example = {role: str(at) for at, role in enumerate(chosen, 1)}
    by_number = f", or columns by number: {_how(example, columns)}" if width > 1 else ""
    raise InputError(
        f"{source}: {plural(width, 'column')} without a header; expected {expected}, or a first "
        f"line with names such as {', '.join(roles)}{by_number}"
    )


def _how(example: Mapping[str, str], columns: Columns | None) -> str:
    """How to choose columns, by an example that fits the table."""
    side = getattr(columns, "side", "")
    example = {f"{side}.{role}" if side else role: name for role, name in example.items()}
    pairs = ",".join(f"{role}={name}" for role, name in example.items())
    return f"choose with --columns {pairs} (in Python columns={example})"


def find_asked(
    names: Sequence[str], roles: Sequence[str], columns: Columns | None, source: str
) -> dict[str, int]:
    """The column number of each role that the caller chose a column for."""
    found: dict[str, int] = {}
    for role, value in (columns or {}).items():
        if role not in roles:
            known = ", ".join(roles)
            raise InputError(
                f"columns: {role!r} is not known; expected some of {known}, such as --columns "
                f"{'gold' if 'gold' in roles else 'label'}=topic"
            )
        found[role] = _number(names, role, value, source)
    return found


def _number(names: Sequence[str], role: str, value: str | int, source: str) -> int:
    if isinstance(value, str):
        wanted = value.strip()
        for candidates, target in ((list(names), wanted), (_lower(names), wanted.lower())):
            if target and target in candidates:
                return candidates.index(target)
    at = whole_number(str(value)) or 0
    if 1 <= at <= len(names):
        return at - 1
    there = ", ".join(names) if any(names) else f"{plural(len(names), 'column')}, without names"
    raise InputError(f"{source}: no column {value!r} for the {role}; there are: {there}")


def _lower(names: Sequence[str]) -> list[str]:
    return [name.strip().lower() for name in names]


def _complete(
    found: dict[str, int],
    names: Sequence[str],
    roles: Sequence[str],
    columns: Columns | None,
    source: str,
) -> dict[str, int]:
    """Fill in a label or item column that goes by another name, in a table of two columns."""
    lowered = _lower(names)
    for role in (*(role for role in roles if role in LABEL_ROLES), "item"):
        left = [at for at in range(len(names)) if at not in found.values()]
        if role in found or (role == "item" and ("label" not in roles or not left)):
            continue
        # "doc, topic, weight": what is left beside the label tells items apart.
        noun = role == "item" and all(lowered[at] in NOUNS for at in left)
        if len(left) != 1 or (len(names) > 2 and not noun):
            there, how = ", ".join(names), _how(_likely(found, names, left, roles), columns)
            raise InputError(f"{source}: no {role} column among: {there}; {how}")
        found[role] = left[0]
    return found


def _likely(
    found: dict[str, int], names: Sequence[str], left: list[int], roles: Sequence[str]
) -> dict[str, str]:
    """A choice of columns as it might be meant, to show how it is written."""
    places = dict(found)
    nouns = [at for at in left if names[at].strip().lower() in NOUNS]
    if "item" not in found and nouns:
        places["item"] = nouns[0]
    wanted: Sequence[str] = PAIR[1:3] if "gold" in roles else SINGLE[:2]
    if "gold" in roles and len(names) == 3 and not {"item", "weight", "group"} & set(found):
        wanted = PAIR[:3]
    spare = iter([names[at] for at in left if at not in places.values()])
    return {r: names[places[r]] if r in places else next(spare, "NAME") for r in wanted}


_FEW = 4
"""In a shorter table a label that comes once is no sign of anything."""


@dataclass
class LabelTable:
    """The rows of a file: where they stand, whose answer they give and what it is."""

    problems: Problems
    """What is wrong with them, as far as it is known."""
    lines: Ints
    items: list[str] | None
    columns: dict[str, Factors]
    """Label columns (label, or gold and system) and perhaps "group", as codes."""
    weights: Floats | None = None
    """One per entry of the label column; checked by the reader."""
    indptr: Ints | None = None
    """Entries of the label column per row, where a row may hold several; None: one each."""
    spread: bool = False
    """Whether they are of a column, so that several rows may make up the answer of one item."""
    doubt: str | None = None
    """What to say if the first row looks like a header that was taken for data."""
    warnings: list[str] = field(default_factory=list)

    @property
    def source(self) -> str:
        """What messages call the file."""
        return self.problems.name

    def take_weights(self, column: Factors | None, answered: BoolArray | None = None) -> None:
        """Read a column of weights, if there is one; only rows that are answered need them."""
        if column is not None:
            if answered is None:
                answered = self.columns["gold" if "gold" in self.columns else "label"].codes >= 0
            self.weights = read_weights(column, self.lines, self.problems, answered)
            self.spread = True


class NoItems(InputError):
    """A file without a single row; one of several may be so."""


def to_labels(table: LabelTable, *, role: str = "label", gold: bool) -> Labels:
    """The answers of a table's items; raises what its problems are or come to be."""
    problems = table.problems
    if not len(table.lines):
        problems.check()
        raise NoItems(f"{table.source}: no items")
    groups, group_names = read_groups(table)
    first = _first_rows(table, groups)
    factors = table.columns[role]
    empty = _empty_codes(factors)
    if empty:
        sizes = 1 if table.indptr is None else np.diff(table.indptr)
        for line in np.repeat(table.lines, sizes)[np.isin(factors.codes, empty)]:
            problems.add(line, "the label is empty; expected a label")
    problems.check()
    together = table.spread and role == "label" and first is not None
    several = table.indptr is not None or together
    answers = (_weighted if several else _hard)(table, factors, first)
    masses = None if several else _weigh_items(table, factors, gold=gold)
    rows = None if first is None else np.flatnonzero(first == np.arange(first.size))
    if gold:
        if not answers.complete:
            gaps = answers.codes < 0 if answers.indptr is None else np.diff(answers.indptr) == 0
            for line in (table.lines if rows is None else table.lines[rows])[gaps]:
                problems.add(line, "no label; every item of the gold standard needs one")
        code = int(factors.codes[0]) if factors.codes.size else -1
        if table.doubt is not None and factors.names is not None and code >= 0:
            times = int(np.count_nonzero(factors.codes == code))
            if begins_alone(factors.names[code], times, factors.codes.size):
                table.warnings.append(table.doubt)
    problems.check()
    items = table.items
    if rows is not None:
        items = None if items is None else [items[row] for row in rows.tolist()]
        groups = None if groups is None else groups[rows]
        masses = None if masses is None else masses[rows]
    return Labels.of(
        factors,
        answers,
        items=items,
        groups=groups,
        group_names=group_names,
        item_weights=masses,
        source=table.source,
        warnings=tuple(table.warnings),
    )


def to_pair(table: LabelTable, *, gold: bool = True) -> tuple[Labels, Labels]:
    """Gold and system labels of a table with a column for each."""
    # The system first: its contradictions are found while gold gaps are still collected.
    system = to_labels(table, role="system", gold=False)
    table.warnings.clear()
    return to_labels(table, role="gold", gold=gold), system


def read_groups(table: LabelTable) -> tuple[Codes | None, list[str] | None]:
    """The group of each row and the names of groups, if there are any; each must have a name."""
    factors = table.columns.get("group")
    if factors is None:
        return None, None
    names = list(map(str, factors.values()))
    empty = [-1, *(code for code, name in enumerate(names) if not name)]
    for line in table.lines[np.isin(factors.codes, empty)]:
        table.problems.add(line, "the group is empty; expected a name")
    return factors.codes, names


def _first_rows(table: LabelTable, groups: Codes | None) -> Ints | None:
    """For each row the first row of the same item; None where no item comes twice."""
    if table.items is None:
        return None
    distinct = set(table.items)
    if "" in distinct:
        for row, item in enumerate(table.items):
            if not item:
                table.problems.add(table.lines[row], "the item is empty; expected an id")
    rows = len(table.items)
    if len(distinct) == rows:
        return None
    keys = Coder().codes(table.items, rows).astype(np.int64)
    if groups is not None:
        keys = keys * (int(groups.max()) + 1) + groups
        keys = np.unique(keys, return_inverse=True)[1]
    first = np.empty(int(keys.max()) + 1, dtype=np.int64)
    # Of several writes to one place the last stays: backwards, that is the first row.
    first[keys[::-1]] = np.arange(rows - 1, -1, -1)
    firsts: Ints = first[keys]
    return None if bool(np.all(firsts == np.arange(rows))) else firsts


def _hard(table: LabelTable, factors: Factors, first: Ints | None) -> Packed:
    """One label per item; a row that comes again must say the same."""
    codes = factors.codes
    if table.weights is not None:
        for line in table.lines[(table.weights == 0) & (codes >= 0)]:
            table.problems.add(line, _ZERO)
    if first is None:
        return Packed(codes, None, None, factors.complete)
    again = np.flatnonzero(first != np.arange(first.size))
    for row in again[codes[again] != codes[first[again]]].tolist():
        _contradiction(table, row, int(first[row]))
    _count_repeats(table, again.size)
    codes = np.delete(codes, again)
    return Packed(codes, None, None, bool(np.all(codes >= 0)))


def _weigh_items(table: LabelTable, factors: Factors, *, gold: bool) -> Floats | None:
    """The weights of gold's items, where a table has them."""
    weights = table.weights
    if weights is None or not table.spread:
        return None
    if gold:
        return weights
    if "gold" not in table.columns and varies(weights[factors.codes >= 0]):
        table.warnings.append(WEIGHTS_UNUSED.format(table.source))
    return None


def varies(values: Floats) -> bool:
    """Whether not all values are the same."""
    return bool(values.size and np.any(values != values[0]))


WEIGHTS_UNUSED = (
    "the weights of {} are not used, since every item has one label only; items are weighed by "
    "the gold standard"
)


def _weighted(table: LabelTable, factors: Factors, first: Ints | None) -> Packed:
    """Several labels per item, in one row or in several."""
    rows = len(table.lines)
    sizes = np.ones(rows, np.int64) if table.indptr is None else np.diff(table.indptr)
    owners = np.repeat(np.arange(rows), sizes)
    codes = factors.codes.astype(np.int64)
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
        table.problems.add(line, _ZERO)
    return pack(owners, codes, weights, n_items, factors.n_labels)


def _unrepeated(
    table: LabelTable, owners: Ints, first: Ints | None, codes: Ints, weights: Floats
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
            _contradiction(table, int(owners[other]), int(owners[one]))
    _count_repeats(table, later.size)
    chosen = np.ones(codes.size, dtype=bool)
    chosen[later] = False
    return chosen


def _first_answers(
    table: LabelTable, owners: Ints, first: Ints, codes: Ints, weights: Floats
) -> BoolArray:
    """Which entries belong to the first row of their item; later rows must say the same."""
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
    "an item may have several labels if each row has a weight: item, label, weight; or, if it is "
    "in all of them, with --several cover; "
    "ids that are unique within a group only need its column: --columns group=NAME"
)
_ZERO = "the weights of this item sum to 0; expected at least one above 0"


def _contradiction(table: LabelTable, row: int, earlier: int) -> None:
    item = "" if table.items is None else f" {table.items[row]!r}"
    text = f"item{item} has another answer than on line {table.lines[earlier]}; expected one"
    table.problems.hint = _SEVERAL
    table.problems.add(table.lines[row], text)


def _count_repeats(table: LabelTable, repeats: int) -> None:
    if repeats:
        verb = "repeats" if repeats == 1 else "repeat"
        said = f"{plural(repeats, 'line')} of {table.source} {verb} an earlier one: dropped"
        table.warnings.append(said)


def _count_twice_named(table: LabelTable, owners: Ints, codes: Ints) -> None:
    order = np.lexsort((codes, owners))
    near = (np.diff(owners[order]) == 0) & (np.diff(codes[order]) == 0)
    twice = np.unique(owners[order][1:][near]).size
    if twice:
        said = f"{plural(twice, 'answer')} of {table.source} {'names' if twice == 1 else 'name'}"
        table.warnings.append(f"{said} a label twice: its weights were added")


def begins_alone(label: Any, times: int, items: int) -> bool:
    """Whether the first label, which comes so many times, is no number and never comes again."""
    return items >= _FEW and times == 1 and number(label) is None


def _empty_codes(factors: Factors) -> list[int]:
    """The codes, at most one, of the empty text."""
    names = factors.names
    if names is None or not len(names) or not isinstance(names[0], str):
        return []
    return [code for code, name in enumerate(names) if name == ""]


DIGITS = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
"""The text of a number, also as DuckDB has patterns."""

_NUMBER = re.compile(rf"{DIGITS}|[+-]?(?:nan|inf|infinity)", re.IGNORECASE | re.ASCII)


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
    factors: Factors, lines: Ints, problems: Problems, answered: BoolArray, noun: str = "weight"
) -> Floats:
    """The weights behind codes; each distinct one is read once. Only answers need one."""
    names = factors.values()
    values = [number(name) for name in names]
    faults = {code: wrong for code, value in enumerate(values) if (wrong := fault(value))}
    # The last place is that of code −1, no weight at all.
    faults[-1] = "is missing"
    for at in np.flatnonzero(np.isin(factors.codes, list(faults)) & answered).tolist():
        code = int(factors.codes[at])
        shown = f" {names[code]!r}" if code >= 0 else ""
        problems.add(lines[at], f"the {noun}{shown} {faults[code]}; expected 0 or more")
    usable = [value if value is not None else np.nan for value in values]
    weights: Floats = np.array([*usable, np.nan])[factors.codes]
    return weights


class LabelReader(Protocol):
    """Reads the labels of a file; in a gold file every item must have one."""

    def __call__(
        self, file: LabelFile, *, columns: Columns | None = None, gold: bool = False
    ) -> Labels: ...


TableReader: TypeAlias = (
    "Callable[[LabelFile, Columns | None, Sequence[str], Problems], LabelTable]"
)


def make_reader(read_table: TableReader) -> LabelReader:
    """A reader of one side's labels from a reader of tables."""

    def read(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
        rows = read_table(file, columns, SINGLE, Problems(file.name))
        rows.spread |= file.cover
        return to_labels(rows, gold=gold)

    return read
