"""Names of missing and extra items in reports, where they are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from roget.errors import Notice, code_of
from roget.scoring.results import Comparison, ScoreTable

KINDS = {"missing-items": "missing_items", "extra-items": "extra_items"}
"""The attributes with the ids of items, keyed by the code of the notice about them."""

MOST, LONGEST = 5, 60
"""Maximum number of ids in a message, and maximum length of an id."""


def name_items(table: ScoreTable) -> ScoreTable:
    """Return a table whose notices name the first missing and extra items."""
    ids = {code: getattr(table, name) for code, name in KINDS.items()}
    head = table.headline
    return replace(
        table,
        warnings=_add_ids(table.warnings, ids),
        headline=head and replace(head, warnings=_add_ids(head.warnings, ids)),
    )


def list_table_items(table: ScoreTable) -> dict[str, Any]:
    """Return the data of a table, with the ids of all missing and extra items."""
    return table.as_dict() | _list_ids(table)


def list_system_items(comparison: Comparison) -> dict[str, Any]:
    """Return the data of a comparison, with the missing and extra items of each system."""
    data = comparison.as_dict()
    ids = {one.name: _list_ids(one.sides) for one in comparison.scored}
    systems = [{**one, **ids.get(one["system"], {})} for one in data["systems"]]
    return {**data, "systems": systems}


def _list_ids(source: Any) -> dict[str, list[str]]:
    return {name: list(ids) for name in KINDS.values() if (ids := getattr(source, name))}


def _add_ids(notices: Iterable[str], ids: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Insert the first ids before the effect, which follows the last colon of a notice."""
    found = []
    for one in notices:
        code = code_of(one) or ""
        text, colon, effect = one.rpartition(": ")
        named = code in ids and ids[code] and colon
        found.append(Notice(f"{text}{show_ids(ids[code])}: {effect}", code=code) if named else one)
    return tuple(found)


def show_ids(names: Sequence[str]) -> str:
    """Format the first few ids, such as " ('a', 'b', …)".

    >>> show_ids("abcdef")
    " ('a', 'b', 'c', 'd', 'e', …)"
    """
    short = (name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names[:MOST])
    shown = [*map(repr, short), *("…" for _ in names[MOST:][:1])]
    return f" ({', '.join(shown)})"
