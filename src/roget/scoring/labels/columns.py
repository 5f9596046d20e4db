"""Which column of a table holds what: by the caller's word, by known names, or by position.

Known names, whatever their case: see `NAMES`. A header of more than two columns must name those
that matter by known names, or the caller must choose; nothing is guessed. Without a header,
columns are taken in the order item, label, weight, group; a third and last column is a weight if
it holds only numbers, else a group; a single column holds the labels, one item per line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from roget.errors import InputError, plural

Columns: TypeAlias = Mapping[str, str | int]

NAMES: dict[str, tuple[str, ...]] = {
    "item": ("item", "id", "instance"),
    "gold": ("gold", "class", "truth"),
    "system": ("system", "cluster", "pred", "predicted", "prediction"),
    "weight": ("weight", "probability"),
    "group": ("group", "word", "lemma", "document", "doc"),
}
NAMES["label"] = ("label", *NAMES["gold"], *NAMES["system"], "sense", "topic", "category")

LABEL_ROLES = ("label", "gold", "system")

LABEL_NAMES = frozenset(NAMES["label"])
_ALL_NAMES = frozenset(name for names in NAMES.values() for name in names)

SINGLE = ("item", "label", "weight", "group")
"""What the columns of a file with one side's labels can be."""
PAIR = ("item", "gold", "system", "group")
"""What the columns of a file with both sides' labels can be."""


_SURE_NAMES = frozenset({"item", "id", "label", "gold", "truth", "pred", "predicted", "prediction"})
"""Names that head a column but are hardly items of a word list."""


def is_header(cells: Sequence[str], names: frozenset[str] = _ALL_NAMES) -> bool:
    """Whether a row names columns: two of its cells are known names, or one names the labels.

    Words such as group, word or class are also items of word lists, so that one of them alone,
    in the first column, makes no header.

    >>> is_header(["doc_id", "Topic"]), is_header(["gold", "k-means"]), is_header(["group", "A"])
    (True, True, False)
    """
    lowered = [cell.strip().lower() for cell in cells]
    known = sum(cell in names for cell in lowered)
    if len(lowered) < 2 or known > 1:
        return known > 0
    return lowered[0] in _SURE_NAMES or any(cell in LABEL_NAMES for cell in lowered[1:])


def by_name(
    names: Sequence[str], roles: Sequence[str], columns: Columns | None, source: str
) -> dict[str, int]:
    """The column number of each role, for a table whose columns have names.

    A table without an item column has items by position, if nothing else could be one. Only in
    a table of two columns may one of them go by an unknown name.
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
                how = _how({role: names[near[0]]})
                raise InputError(f"{source}: several columns could be the {role}: {could}; {how}")
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
    example = {"gold": "1", "system": "2"} if roles is PAIR else {"item": "1", "label": "3"}
    by_number = f", or columns by number: {_how(example)}" if width > 1 else ""
    raise InputError(
        f"{source}: {plural(width, 'column')} without a header; expected {expected}, or a first "
        f"line with names such as {', '.join(roles)}{by_number}"
    )


def wants_header(columns: Columns | None) -> bool:
    """Whether the caller asked for columns by name, so that the first row must hold names."""
    return any(not str(value).isdecimal() for value in (columns or {}).values())


def _how(example: Mapping[str, str]) -> str:
    """How to choose columns, by an example that fits the table."""
    pairs = ",".join(f"{role}={name}" for role, name in example.items())
    return f"choose with --columns {pairs} (in Python columns={dict(example)})"


def _asked(
    names: Sequence[str], roles: Sequence[str], columns: Columns | None, source: str
) -> dict[str, int]:
    found: dict[str, int] = {}
    for role, value in (columns or {}).items():
        if role not in roles:
            known = ", ".join(roles)
            raise InputError(
                f"columns: {role!r} is not known; expected some of {known}, such as --columns "
                f"{'gold' if roles is PAIR else 'label'}=topic"
            )
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
    there = ", ".join(names) if any(names) else f"{plural(len(names), 'column')}, without names"
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
    """Fill in a label or item column that goes by another name, in a table of two columns."""
    for role in (*(role for role in roles if role in LABEL_ROLES), "item"):
        left = [at for at in range(len(names)) if at not in found.values()]
        if role in found or (role == "item" and (roles is PAIR or not left)):
            continue
        if len(left) != 1 or len(names) > 2:
            there, how = ", ".join(names), _how(_likely(found, names, left, roles))
            raise InputError(f"{source}: no {role} column among: {there}; {how}")
        found[role] = left[0]
    if "item" not in found and roles is not PAIR and "group" in found:
        name = _lower(names)[found["group"]]
        if "group" not in (columns or {}) and name != "group":
            # "doc, topic" or "word, class": the only column beside the label tells items apart.
            found["item"] = found.pop("group")
    return found


def _likely(
    found: dict[str, int], names: Sequence[str], left: list[int], roles: Sequence[str]
) -> dict[str, str]:
    """A choice of columns as it might be meant, to show how it is written."""
    places = dict(found)
    if "item" not in found and "group" in found:
        places["item"] = found["group"]
    spare = iter([names[at] for at in left if at not in places.values()])
    wanted = PAIR[1:3] if roles is PAIR else SINGLE[:2]
    return {r: names[places[r]] if r in places else next(spare, "NAME") for r in wanted}
