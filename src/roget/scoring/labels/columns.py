"""Which column of a table holds what: by the caller's word, by known names, or by position.

Known names, whatever their case: see `NAMES`. Without a header, columns are taken in the order
item, label, weight, group; a third and last column is a weight if it holds only numbers, else a
group; a single column holds the labels, one item per line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from roget.errors import InputError

Columns: TypeAlias = Mapping[str, str | int]

NAMES: dict[str, tuple[str, ...]] = {
    "item": ("item", "id", "instance"),
    "gold": ("gold", "class", "truth"),
    "system": ("system", "cluster", "pred", "predicted", "prediction"),
    "weight": ("weight", "probability"),
    "group": ("group", "word", "lemma", "document", "doc"),
}
NAMES["label"] = ("label", *NAMES["gold"], *NAMES["system"], "sense", "topic", "category")

LABEL_NAMES = frozenset(NAMES["label"])
_ALL_NAMES = frozenset(name for names in NAMES.values() for name in names)

SINGLE = ("item", "label", "weight", "group")
"""What the columns of a file with one side's labels can be."""
PAIR = ("item", "gold", "system", "group")
"""What the columns of a file with both sides' labels can be."""


def is_header(cells: Sequence[str], names: frozenset[str] = _ALL_NAMES) -> bool:
    """Whether a row names columns: one of its cells is a known name.

    >>> is_header(["doc_id", "Topic"]), is_header(["doc7", "sport"])
    (True, False)
    """
    return any(cell.strip().lower() in names for cell in cells)


def by_name(
    names: Sequence[str], roles: Sequence[str], columns: Columns | None, source: str
) -> dict[str, int]:
    """The column number of each role, for a table whose columns have names.

    A table without an item column has items by position, if nothing else could be one.
    """
    found = _asked(names, roles, columns, source)
    lowered = [name.strip().lower() for name in names]
    for role in roles:
        if role not in found:
            taken = set(found.values())
            near = [at for at, name in enumerate(lowered) if name in NAMES[role]]
            near = [at for at in near if at not in taken]
            exact = [at for at in near if lowered[at] == role]
            if len(near) > 1 and not exact:
                could = ", ".join(names[at] for at in near)
                raise InputError(f"{source}: several columns could be the {role}: {could}; {_HOW}")
            if near:
                found[role] = exact[0] if exact else near[0]
    return _completed(found, names, roles, columns, source)


def by_position(
    width: int, roles: Sequence[str], columns: Columns | None, source: str
) -> dict[str, int]:
    """The column number of each role, for a table without a header.

    The role "third" is a column that is a weight or a group, as its values will tell.
    """
    if columns:
        return _asked([""] * width, roles, columns, source)
    if roles is PAIR:
        if width == 2:
            return {"gold": 0, "system": 1}
    elif width <= 4:
        order: dict[int, tuple[str, ...]] = {
            1: ("label",),
            2: ("item", "label"),
            3: ("item", "label", "third"),
        }
        return {role: at for at, role in enumerate(order.get(width, SINGLE))}
    expected = "2 (gold, system)" if roles is PAIR else "1 to 4 (item, label, weight, group)"
    raise InputError(
        f"{source}: {width} columns without a header; expected {expected}, a first line with "
        f"names such as {', '.join(roles)}, or a choice of columns by number"
    )


def wants_header(columns: Columns | None) -> bool:
    """Whether the caller asked for columns by name, so that the first row must hold names."""
    return any(not str(value).isdecimal() for value in (columns or {}).values())


_HOW = "choose with columns={'role': 'name'}"


def _asked(
    names: Sequence[str], roles: Sequence[str], columns: Columns | None, source: str
) -> dict[str, int]:
    found: dict[str, int] = {}
    for role, value in (columns or {}).items():
        if role not in roles:
            known = ", ".join(roles)
            raise InputError(f"columns: {role!r} is not known; expected some of {known}")
        found[role] = _number(names, role, value, source)
    return found


def _number(names: Sequence[str], role: str, value: str | int, source: str) -> int:
    if isinstance(value, str):
        wanted = value.strip()
        for candidates, target in ((list(names), wanted), (_lower(names), wanted.lower())):
            if target and target in candidates:
                return candidates.index(target)
    if str(value).isdecimal() and 1 <= int(value) <= len(names):
        return int(value) - 1
    there = ", ".join(names) if any(names) else f"columns 1 to {len(names)}, without names"
    raise InputError(f"{source}: no column {value!r} for the {role}; there are: {there}")


def _lower(names: Sequence[str]) -> list[str]:
    return [name.strip().lower() for name in names]


def _completed(
    found: dict[str, int],
    names: Sequence[str],
    roles: Sequence[str],
    columns: Columns | None,
    source: str,
) -> dict[str, int]:
    """Fill in a label or item column that goes by another name, where only one is left."""
    there = ", ".join(names)
    for role in (role for role in roles if role in ("label", "gold", "system")):
        if role not in found:
            left = [at for at in range(len(names)) if at not in found.values()]
            if len(left) != 1:
                raise InputError(f"{source}: no {role} column among: {there}; {_HOW}")
            found[role] = left[0]
    if roles is PAIR or "item" in found:
        return found
    left = [at for at in range(len(names)) if at not in found.values()]
    if len(left) > 1:
        raise InputError(f"{source}: no item column among: {there}; {_HOW}")
    if left:
        found["item"] = left[0]
    elif (
        "group" in found
        and "group" not in (columns or {})
        and _lower(names)[found["group"]] != "group"
    ):
        # "doc, topic" or "word, class": the only column beside the label tells items apart.
        found["item"] = found.pop("group")
    return found
