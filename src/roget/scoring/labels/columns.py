"""Columns of label tables: which column holds the items, labels, weights and groups.

Columns are chosen by the caller, by known names (in any case: see `NAMES`), or by position. A
header of more than two columns must use known names, or the caller must choose; nothing is
guessed. Without a header the columns are item, label, weight, group; a third and last column is a
weight if it holds only numbers, else a group; a single column holds the labels, one item per line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from roget.core.io.header import COLUMN_WORDS, parse_number
from roget.core.io.problems import plural
from roget.core.io.table import Requested, Roles, Table
from roget.core.io.values import whole_number
from roget.errors import InputError

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
"""Known names of the columns of each role."""

NOUNS = ("word", "lemma", "document", "doc")
"""Names of item columns that are used only if no other column can be the item."""

LABEL_ROLES = ("label", "gold", "system")

LABEL_NAMES = frozenset(NAMES["label"])
_ALL_NAMES = frozenset(NOUNS).union(*NAMES.values()) - {*NAMES["count"]}

_SURE_NAMES = frozenset({"item", "id", "label", "gold", "truth", *_SYSTEM[2:]})
"""Names of columns that are hardly items of a word list."""


@dataclass(frozen=True)
class LabelRoles(Roles):
    """The roles of a label table."""

    @property
    def is_pair(self) -> bool:
        """True if the table has both sides' labels."""
        return "gold" in self.all

    def parse(self, columns: Any) -> dict[str, Any] | None:
        """Return the caller's columns, which are already a mapping."""
        return None if columns is None else dict(columns)

    def is_header(self, first: Sequence[str]) -> bool:
        """Return True if a row consists of known names."""
        return is_header(first)

    def heads_numbers(
        self, first: Sequence[str], second: Sequence[str], columns: Requested
    ) -> bool:
        """Return True if a row must be names: as data it would have too many columns.

        A file with both sides and three columns, the last of numbers, has an item column; the
        names are needed to choose.
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
        """Return the table with the column of each role.

        One or two columns whose names are all unknown are assigned by position.
        """
        known = {name for role in self.all for name in NAMES[role]}
        lowered = _lower(table.names)
        unknown = bool(table.first) and not columns and len(lowered) < 3
        if table.header and not (unknown and known.isdisjoint(lowered)):
            places = self.find_by_name(table.names, columns, table.name)
        else:
            places = self.find_by_position(table.names, columns, table.name)
            if table.header and lowered[-1] in NOUNS and lowered[0] not in NOUNS:
                # "kmeans, doc": the second column is the item.
                places = {role: len(lowered) - 1 - at for role, at in places.items()}
        return replace(table, places=places)

    def find_by_name(
        self, names: Sequence[str], columns: Columns | None, source: str
    ) -> dict[str, int]:
        """Return the column number of each role of a table whose columns have names.

        Without an item column items are identified by position, if no column could be the item.
        Only in a table of two columns may one of them have an unknown name.
        """
        found = self.find_requested(names, columns, source)
        lowered = _lower(names)
        for role in self.all:
            if role in found:
                continue
            free = set(range(len(names))).difference(found.values())
            known = NAMES[role][:-1] if role == "weight" and self.is_pair else NAMES[role]
            near = [at for at in sorted(free) if lowered[at] in known]
            exact = [at for at in near if lowered[at] == role]
            if len(exact or near) > 1:
                shown = ", ".join(names[at] for at in exact or near)
                # Columns with the same name can only be chosen by number.
                same = len({lowered[at] for at in near}) < len(near)
                example = {role: str(near[0] + 1) if same else names[near[0]]}
                raise InputError(
                    f"{source}: several columns could be the {role}: {shown}; "
                    f"{_show_choice(example, columns)}",
                    code="ambiguous-columns",
                )
            if near:
                found[role] = exact[0] if exact else near[0]
            elif role == "item" and lowered[:1] == [""] and 0 in free:
                # pandas writes its index, which identifies the items, without a name.
                found[role] = 0
        return self._complete(found, names, columns, source)

    def _complete(
        self, found: dict[str, int], names: Sequence[str], columns: Columns | None, source: str
    ) -> dict[str, int]:
        """Assign a label or item column with an unknown name, in a table of two columns."""
        lowered = _lower(names)
        for role in (*(role for role in self.all if role in LABEL_ROLES), "item"):
            left = [at for at in range(len(names)) if at not in found.values()]
            if role in found or (role == "item" and (self.is_pair or not left)):
                continue
            # "doc, topic, weight": the remaining column identifies the items.
            noun = role == "item" and all(lowered[at] in NOUNS for at in left)
            if len(left) != 1 or (len(names) > 2 and not noun):
                example = self._likely(found, names, left)
                matrix = (
                    "; if it is a contingency matrix, pass --matrix"
                    if self.is_pair and lowered[0] == ""
                    else ""
                )
                raise InputError(
                    f"{source}: no {role} column among: {', '.join(names)}; "
                    f"{_show_choice(example, columns)}{matrix}",
                    code="ambiguous-columns",
                )
            found[role] = left[0]
        return found

    def _likely(
        self, found: dict[str, int], names: Sequence[str], left: list[int]
    ) -> dict[str, str]:
        """Return a likely choice of columns, as an example for messages."""
        places = dict(found)
        nouns = [at for at in left if names[at].strip().lower() in NOUNS]
        if "item" not in found and nouns:
            places["item"] = nouns[0]
        wanted: tuple[str, ...] = ("gold", "system") if self.is_pair else ("item", "label")
        if self.is_pair and len(names) == 3 and not {"item", "weight", "group"} & set(found):
            wanted = ("item", "gold", "system")
        free = [names[at] for at in left if at not in places.values()]
        open_roles = [role for role in wanted if role not in places]
        if len(free) > len(open_roles):
            # Items usually come first; which of many columns holds the labels cannot be guessed.
            free = free[: open_roles[:1] == ["item"]]
        spare = iter(free)
        return {r: names[places[r]] if r in places else next(spare, "NAME") for r in wanted}

    def find_by_position(
        self, names: Sequence[str], columns: Columns | None, source: str
    ) -> dict[str, int]:
        """Return the column number of each role of a table without a header.

        The role "third" is a weight or a group, depending on its values.
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
        choice = f", or choose by number: {_show_choice(example, columns)}" if width > 1 else ""
        raise InputError(
            f"{source}: {plural(width, 'column')} without a header; expected {expected}, or a "
            f"header with names such as {', '.join(self.all)}{choice}",
            code="ambiguous-columns",
        )

    def find_requested(
        self, names: Sequence[str], columns: Columns | None, source: str
    ) -> dict[str, int]:
        """Return the column number of each role for which the caller chose a column."""
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


def _make_roles(needed: Sequence[str], others: Sequence[str]) -> LabelRoles:
    return LabelRoles(
        {role: NAMES[role] for role in needed},
        {role: NAMES[role] for role in others},
        column_words=COLUMN_WORDS,
        blanks=True,
        has_header_option=True,
    )


SINGLE = _make_roles(("item", "label"), ("weight", "group"))
"""Columns of a file with one side's labels."""
PAIR = _make_roles(("item", "gold", "system"), ("weight", "group"))
"""Columns of a file with both sides' labels."""
CELLS = _make_roles(("gold", "system", "count"), ("group",))
"""Columns of a table of cells."""


def is_header(cells: Sequence[str], names: frozenset[str] = _ALL_NAMES) -> bool:
    """Return True if a row names columns: two known names, or one that names the labels.

    Words such as group, word or class are also items of word lists, so one of them alone in the
    first column does not make a header.

    >>> is_header(["doc_id", "Topic"]), is_header(["gold", "k-means"]), is_header(["group", "A"])
    (True, True, False)
    """
    lowered = _lower(cells)
    known = sum(cell in names for cell in lowered)
    if len(lowered) < 2 or known > 1:
        return known > 0
    if not lowered[0] and all(lowered[1:]):
        # pandas writes its index, which identifies the items, without a name.
        return True
    return lowered[0] in _SURE_NAMES or any(cell in LABEL_NAMES for cell in lowered[1:])


class ColumnMap(dict[str, str | int]):
    """Columns chosen for one side, which messages name."""

    side: str = ""


def choose_side(columns: Columns | None, side: str) -> ColumnMap:
    """Return the columns of one side: its own (gold.item), else those of both (item).

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
                    f"columns: unknown side in {role!r}; expected gold.ROLE or system.ROLE, e.g. "
                    "gold.item",
                    code="invalid-option",
                )
            if bool(dot) == own and owner in ("", side):
                chosen[name] = column
    return chosen


def has_several(columns: Columns | None) -> bool:
    """Return True if labels are in several columns, from general to specific: a+b."""
    chosen = (columns or {}).items()
    return any("+" in str(name) for role, name in chosen if role.endswith("label"))


def _show_choice(example: Mapping[str, str], columns: Columns | None) -> str:
    """Return how to choose columns, with an example that fits the table."""
    side = getattr(columns, "side", "")
    example = {f"{side}.{role}" if side else role: name for role, name in example.items()}
    pairs = ",".join(f"{role}={name}" for role, name in example.items())
    return f"choose with --columns {pairs} (in Python columns={example})"


def _find_column(names: Sequence[str], role: str, value: str | int, source: str) -> int:
    """Return the number of a column chosen by name, in any case, or by number from 1."""
    if isinstance(value, str):
        wanted = value.strip()
        for candidates, target in ((list(names), wanted), (_lower(names), wanted.lower())):
            if target and target in candidates:
                return candidates.index(target)
    at = whole_number(str(value)) or 0
    if 1 <= at <= len(names):
        return at - 1
    there = ", ".join(names) if any(names) else f"{plural(len(names), 'column')}, without names"
    raise InputError(
        f"{source}: no column {value!r} for the {role}; the columns are: {there}",
        code="missing-column",
    )


def _lower(names: Sequence[str]) -> list[str]:
    return [name.strip().lower() for name in names]
