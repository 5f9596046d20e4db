"""What counts say of themselves: names they do not hold, and how they were made."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from roget._version import __version__
from roget.errors import UnknownName

_SEARCHED = 20_000
"""How many names are compared to find the nearest: more would take seconds."""


class NotCounted(UnknownName):
    """A word or context that the counts do not hold; the message offers the nearest ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        near = difflib.get_close_matches(str(name), islice(known, _SEARCHED), n=3, cutoff=0.6)
        hint = f": did you mean {' or '.join(map(repr, near))}?" if near else ""
        # The catalogue's message lists all names that exist, which here may be a million.
        LookupError.__init__(self, f"the counts hold no {kind} {name!r}{hint}")


def with_step(provenance: Mapping[str, Any], step: str | None) -> dict[str, Any]:
    """The provenance of a table that was made from another one."""
    if step is None:
        return dict(provenance)
    return {**provenance, "steps": [*provenance.get("steps", ()), step]}


def combined_provenance(each: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The provenance of a sum: all inputs together, and of each part the rest."""
    return {
        "roget": __version__,
        "inputs": [given for one in each for given in one.get("inputs", ())],
        "merged": [{key: one[key] for key in one if key != "inputs"} for one in each],
    }
