"""Quadruples (verb, noun, preposition, noun) for prepositional phrase attachment."""

from __future__ import annotations

from typing import NamedTuple


class Quadruple(NamedTuple):
    """A verb, its object, a prepositional phrase and the correct attachment of the phrase."""

    verb: str
    noun1: str
    preposition: str
    noun2: str
    attachment: str
    """N if the phrase modifies the object (noun1), V if it modifies the verb."""
