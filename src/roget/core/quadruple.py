"""A prepositional phrase and what it could belong to."""

from __future__ import annotations

from typing import NamedTuple


class Quadruple(NamedTuple):
    """A verb with an object and a prepositional phrase after it: "eat pizza with fork", V."""

    verb: str
    noun1: str
    preposition: str
    noun2: str
    attachment: str
    """N if the phrase belongs to the object, V if to the verb."""
