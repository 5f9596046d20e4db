"""Assign roles (item, label, weight, group) to the columns of label tables.

Columns are specified by the caller, or found by known names (see `NAMES`, ignoring case), or by
position. A header with more than two columns must use known names, unless the caller specifies the
columns. Without a header, the columns are item, label, weight, group. In a table with three
columns, the last one holds weights if all its values are numbers, else groups. A single column
holds labels, one item per line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any, TypeAlias

from roget.core.io.header import COLUMN_WORDS, parse_number
from roget.core.io.problems import plural
from roget.core.io.table import Requested, Roles, Table
from roget.core.io.values import whole_number
from roget.errors import InputError

Columns: TypeAlias = Mapping[str, str | int]
"""Map from roles to columns, which are specified by name or by number, counted from 1.

A role may be restricted to gold or system labels, e.g. gold.item.
"""

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
"""Map from each role to its known column names."""

NOUNS = ("word", "lemma", "document", "doc")
"""Names accepted for the item column if no other column name is more specific."""

_INDEX = "__index_level_0__"
"""The name of an index without a name in Parquet and Arrow files written by pandas."""

FEW = 10
"""Maximum number of items in a file with a header for which all gold labels may differ."""

LABEL_ROLES = ("label", "gold", "system")

LABEL_NAMES = frozenset(NAMES["label"])
_ALL_NAMES = frozenset(NOUNS).union(*NAMES.values()) - {*NAMES["count"]}

_NUMBERS = frozenset({*NAMES["weight"], *NAMES["count"]})
"""Names of columns that hold numbers, not labels."""

_SURE_NAMES = frozenset({"item", "id", "label", "gold", "truth", *_SYSTEM[2:]})
"""Column names that are unlikely to be words in a word list."""


@dataclass(frozen=True)
class LabelRoles(Roles):
    """The column roles in a label table."""

    is_pair: bool = field(init=False)
    """True if the table has both gold and system labels."""

    def __post_init__(self) -> None:
        super().__post_init__()
        vars(self).update(is_pair="gold" in self.needed)

    def parse(self, columns: Any) -> dict[str, Any] | None:
        """Return the columns specified by the caller, which must be a mapping, as a dictionary."""
        return None if columns is None else dict(columns)

    def is_header(self, first: Sequence[str], names: frozenset[str] = _ALL_NAMES) -> bool:
        """Return True if a row contains two known column names or the name of a label column.

        Words such as group, word or class may also be items in a list of words. A row in which only
        the first field is such a word is therefore not a header.

        >>> rows = ["doc_id", "Topic"], ["gold", "k-means"], ["group", "A"]
        >>> [SINGLE.is_header(row) for row in rows]
        [True, True, False]
        """
        lowered = [name.strip().lower() for name in first]
        known = sum(cell in names for cell in lowered)
        if len(lowered) < 2 or known > 1:
            return known > 0
        if not lowered[0] and all(lowered[1:]):
            # pandas writes its index, which holds the item ids, as a column without a name.
            return True
        return lowered[0] in _SURE_NAMES or any(cell in LABEL_NAMES for cell in lowered[1:])

    def cannot_be_data(
        self, first: Sequence[str], second: Sequence[str], columns: Requested
    ) -> bool:
        """Return True if the first row must be a header, because it cannot be data.

        This is the case if the first row contains text and the second row numbers, or if there are
        more columns than roles. It is also the case if a file with gold and system labels has three
        columns, one of them numeric, because their roles can only be assigned by name.
        """
        if columns or not all(first) or any(parse_number(cell) is not None for cell in first):
            return False
        numbers = [parse_number(cell) is not None for cell in second]
        if self.is_pair and len(first) == 3 and any(numbers):
            return True
        same = 1 < len(first) == len(second)
        distinct = len(set(first)) == len(first) and not set(first) & set(second)
        return same and (all(numbers) or (len(first) > len(self.all) and distinct))

    def place(
        self,
        table: Table,
        columns: Requested,
        numeric: Sequence[int] = (),
        transpose: bool | None = None,
    ) -> Table:
        """Find the column of each role, and return the table with the roles assigned."""
        if table.header and table.first:
            places = self.find_columns(table.names, columns, table.name)
        elif table.header:
            places = self.find_by_name(table.names, columns, table.name)
        else:
            places = self.find_by_position(table.names, columns, table.name)
        return replace(table, places=places)

    def find_columns(
        self, names: Sequence[str], columns: Columns | None, source: str
    ) -> dict[str, int]:
        """Return the column index of each role, by name or, if all names are unknown, by position.

        Positions are used only in tables with one or two columns.
        """
        known = {name for role in self.all for name in NAMES[role]}
        lowered = _lower(names)
        unknown = known.isdisjoint(lowered) and _INDEX not in names
        if columns or len(names) not in (1, 2) or not unknown:
            return self.find_by_name(names, columns, source)
        places = self.find_by_position(names, columns, source)
        if lowered[-1] in NOUNS and lowered[0] not in NOUNS:
            # With a header such as "kmeans, doc", the second column contains the items.
            places = {role: len(lowered) - 1 - at for role, at in places.items()}
        return places

    def find_by_name(
        self, names: Sequence[str], columns: Columns | None, source: str
    ) -> dict[str, int]:
        """Return the column index of each role for a table with column names.

        If no column contains items, items are identified by position. In a table with two columns,
        one of them may have an unknown name.
        """
        found = self.find_requested(names, columns, source)
        lowered = _lower(names)
        index = find_index(names)
        for role in self.all:
            if role in found:
                continue
            free = set(range(len(names))).difference(found.values())
            known = NAMES[role][:-1] if role == "weight" and self.is_pair else NAMES[role]
            near = [at for at in sorted(free) if lowered[at] in known]
            exact = [at for at in near if lowered[at] == role]
            if len(exact or near) > 1:
                shown = ", ".join(names[at] for at in exact or near)
                # Columns that have the same name can only be specified by number.
                same = len({lowered[at] for at in near}) < len(near)
                example = {role: str(near[0] + 1) if same else names[near[0]]}
                raise InputError(
                    f"{source}: several columns could be the {role} column: {shown}; "
                    f"{_show_choice(example, columns)}",
                    code="ambiguous-columns",
                )
            if near:
                found[role] = exact[0] if exact else near[0]
            elif role == "item" and index in free:
                # The index contains the item ids, unless another column does.
                nouns = [at for at in sorted(free) if lowered[at] in NOUNS]
                found[role] = nouns[0] if len(nouns) == 1 else index
        return self._complete(found, names, columns, source)

    def _complete(
        self, found: dict[str, int], names: Sequence[str], columns: Columns | None, source: str
    ) -> dict[str, int]:
        """Assign the missing role to the column with the unknown name in a two-column table."""
        lowered = _lower(names)
        if self.is_pair and not found.keys() & {"item", "count"} and {"gold", "system"} <= {*found}:
            _refuse_counts(names, columns, source)
        for role in (*(role for role in self.all if role in LABEL_ROLES), "item"):
            left = [at for at in _list_named(names) if at not in found.values()]
            if role in found or (role == "item" and (self.is_pair or not left)):
                continue
            # With a header such as "doc, topic, weight", the remaining column contains the items.
            noun = role == "item" and all(lowered[at] in NOUNS for at in left)
            # With a header such as "id, label, cluster", it contains the other side's labels.
            other = {"item", "gold", "system"} - {role} <= found.keys()
            noun |= self.is_pair and other and not any(lowered[at] in _NUMBERS for at in left)
            if len(left) != 1 or (len(_list_named(names)) > 2 and not noun):
                example = self._likely(found, names, left)
                matrix = (
                    "; if it is a contingency matrix, pass --matrix"
                    if self.is_pair and lowered[:1] == [""]
                    else ""
                )
                shown = ", ".join(name or "(unnamed)" for name in names)
                raise InputError(
                    f"{source}: cannot determine which of the columns {shown} is the "
                    f"{role} column; {_show_choice(example, columns)}{matrix}",
                    code="ambiguous-columns",
                )
            found[role] = left[0]
        return found

    def _likely(
        self, found: dict[str, int], names: Sequence[str], left: list[int]
    ) -> dict[str, str]:
        """Return a likely assignment of roles to columns, as an example for messages."""
        places = {role: at for role, at in found.items() if names[at].strip()}
        nouns = [at for at in left if names[at].strip().lower() in NOUNS]
        if "item" not in found and nouns:
            places["item"] = nouns[0]
        roles: tuple[str, ...] = ("gold", "system") if self.is_pair else ("item", "label")
        free = [names[at] for at in left if at not in places.values()]
        if self.is_pair and len(free) == 3 and not places:
            roles = ("item", "gold", "system")
        open_roles = [role for role in roles if role not in places]
        if len(free) > len(open_roles):
            # Items are usually in the first column. With many columns, the label column cannot be
            # guessed.
            free = free[: open_roles[:1] == ["item"]]
            if free and free[0] != names[0]:
                free = []
        spare = iter(free)
        return {r: names[places[r]] if r in places else next(spare, "NAME") for r in roles}

    def find_by_position(
        self, names: Sequence[str], columns: Columns | None, source: str
    ) -> dict[str, int]:
        """Return the column index of each role for a table without a header.

        The role "third" means a column that contains weights or groups, depending on its values.
        """
        width = len(names)
        if columns:
            return self.find_requested([""] * width, columns, source)
        if self is CELLS and 3 <= width <= 4:
            return {role: at for at, role in enumerate([*CELLS.all][:width])}
        if self.is_pair:
            if width == 2:
                return {"gold": 0, "system": 1}
        elif width <= 4:
            roles = [*SINGLE.all]
            order = {1: ["label"], 3: ["item", "label", "third"]}.get(width, roles[:width])
            return {role: at for at, role in enumerate(order)}
        expected = "2 (gold, system)" if self.is_pair else "1 to 4 (item, label, weight, group)"
        example = {"item": "1", "label": "3"}
        if self.is_pair:
            chosen = ("item", "gold", "system") if width == 3 else ("gold", "system")
            example = {role: str(at) for at, role in enumerate(chosen, 1)}
        choice = f"; or {_show_choice(example, columns)}" if width > 1 else ""
        raise InputError(
            f"{source}: {plural(width, 'column')} without a header; expected {expected}, or a "
            f"header with names such as {', '.join(self.all)}{choice}",
            code="ambiguous-columns",
        )

    def find_requested(
        self, names: Sequence[str], columns: Columns | None, source: str
    ) -> dict[str, int]:
        """Return the column index of each role specified by the caller."""
        found: dict[str, int] = {}
        for role, value in (columns or {}).items():
            if role not in self.all:
                raise InputError(
                    f"columns: unknown role {role!r}; expected {', '.join(self.all)}, e.g. "
                    f"--columns {'gold' if self.is_pair else 'label'}=topic",
                    code="invalid-option",
                )
            found[role] = _find_column(names, role, value, source)
        return found

    def find_several(
        self, names: Sequence[str], role: str, value: str | int, source: str
    ) -> list[int]:
        """Return the indices of the columns for one role, e.g. of a+b."""
        parts = [str(value)] if value in names else str(value).split("+")
        return [_find_column(names, role, part, source) for part in parts]


def _refuse_counts(names: Sequence[str], columns: Columns | None, source: str) -> None:
    """Raise an error if a table of gold and system labels without items has a column of counts."""
    counts = [name for name in names if name.strip().lower() in NAMES["count"]]
    if counts and not {"gold", "system"} <= {*(columns or {})}:
        raise InputError(
            f"{source}: the column {counts[0]} may hold the number of items in each row; pass "
            f"--cells {quote(source) if ' ' not in source else 'FILE'} instead of the file, or, if "
            "each row is one item, specify the columns, e.g. --columns gold=NAME,system=NAME",
            code="ambiguous-columns",
        )


def find_index(names: Sequence[str]) -> int:
    """Return the position of the index in a table that pandas has written, or −1.

    In CSV files, it is a first column without a name.
    """
    if _INDEX in names:
        return list(names).index(_INDEX)
    return 0 if names and not names[0].strip() else -1


def _make_roles(needed: Sequence[str], others: Sequence[str]) -> LabelRoles:
    return LabelRoles(
        {role: NAMES[role] for role in needed},
        {role: NAMES[role] for role in others},
        column_words=COLUMN_WORDS,
        blanks=True,
        has_header_option=True,
    )


SINGLE = _make_roles(("item", "label"), ("weight", "group"))
"""Column roles in a file with either gold or system labels."""
PAIR = _make_roles(("item", "gold", "system"), ("weight", "group"))
"""Column roles in a file with both gold and system labels."""
CELLS = _make_roles(("gold", "system", "count"), ("group",))
"""Column roles in a table of contingency cells."""


class ColumnMap(dict[str, str | int]):
    """The columns of either the gold or the system labels, keyed by role."""

    side: str = ""
    """The kind of labels in these columns, "gold" or "system", for messages."""


def choose_side(columns: Columns | None, side: str) -> ColumnMap:
    """Return the columns that apply to the gold labels or to the system labels.

    A specific role (gold.item) overrides a general role (item).

    >>> choose_side({"item": "id", "gold.label": "topic"}, "system")
    {'item': 'id'}
    """
    chosen = ColumnMap()
    chosen.side = side
    for own in (False, True):
        for role, column in (columns or {}).items():
            owner, dot, name = role.rpartition(".")
            if dot and owner not in ("gold", "system"):
                raise InputError(
                    f"columns: unknown prefix in {role!r}; expected gold.ROLE or system.ROLE",
                    code="invalid-option",
                )
            if bool(dot) == own and owner in ("", side):
                chosen[name] = column
    return chosen


def has_several(columns: Columns | None) -> bool:
    """Return True if hierarchical labels are spread over several columns (label=a+b)."""
    chosen = (columns or {}).items()
    return any("+" in str(name) for role, name in chosen if role.endswith("label"))


def _show_choice(example: Mapping[str, str], columns: Columns | None) -> str:
    """Return a hint to pass --columns, with an example for this table."""
    side = getattr(columns, "side", "")
    example = {f"{side}.{role}" if side else role: name for role, name in example.items()}
    pairs = ",".join(f"{role}={name}" for role, name in example.items())
    return f"specify the columns, e.g. --columns {quote(pairs)}"


def _find_column(names: Sequence[str], role: str, value: str | int, source: str) -> int:
    """Return the index of a column that is specified by name (ignoring case) or number (from 1)."""
    if isinstance(value, str):
        name = value.strip()
        for candidates, target in ((list(names), name), (_lower(names), name.lower())):
            if target and target in candidates:
                return candidates.index(target)
    at = whole_number(str(value)) or 0
    if 1 <= at <= len(names):
        return at - 1
    there = ", ".join(names) if any(names) else f"{plural(len(names), 'column')}, without names"
    raise InputError(
        f"{source}: the {role} column {value!r} does not exist; the columns are: {there}",
        code="missing-column",
    )


def _list_named(names: Sequence[str]) -> list[int]:
    """Return the indices of the columns, without an index column that pandas has written."""
    index = find_index(names) if len(names) > 1 else -1
    return [at for at in range(len(names)) if at != index]


def _lower(names: Sequence[str]) -> list[str]:
    return [name.strip().lower() for name in names]
