"""The bundled samples and the sets that can be fetched, as a list."""

from __future__ import annotations

from typing import Any

from roget.data import SAMPLES, data_sets
from roget.data.bundled import ATTRIBUTION
from roget.errors import InputError
from roget.report.listing import two_columns


def describe() -> list[dict[str, Any]]:
    """One plain dictionary per name: samples first."""
    samples = [
        {"name": name, "about": about, "licence": ATTRIBUTION, "here": True, "megabytes": None}
        for name, about in SAMPLES.items()
    ]
    sets = [
        {
            "name": one.name,
            "about": one.about,
            "licence": one.licence,
            "here": _is_here(one),
            "megabytes": one.megabytes,
        }
        for one in data_sets().values()
    ]
    return samples + sets


def _is_here(one: Any) -> bool:
    try:
        return bool(one.path)
    except InputError:
        return False


def render(entries: list[dict[str, Any]]) -> str:
    """Name, content, state and licence, wrapped to the terminal."""
    rows = []
    for entry in entries:
        if entry["megabytes"] is None:
            state = "bundled"
        elif entry["here"]:
            state = "fetched"
        else:
            state = f"{entry['megabytes']:g} MB to fetch"
        rows.append((entry["name"], f"{entry['about']} ({state}; {entry['licence']})"))
    return two_columns(rows)
