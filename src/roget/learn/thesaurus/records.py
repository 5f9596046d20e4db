"""What a thesaurus answers with: words, contexts and classes as plain values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple


class TypicalWord(NamedTuple):
    """A word of a class: how far it is from the centroid (nats), and p(class|word)."""

    word: str
    distance: float
    probability: float


class TypicalContext(NamedTuple):
    """A context of a class or word: its probability there, and the log of that over p(context)."""

    context: str
    probability: float
    lift: float


class ContextClass(NamedTuple):
    """Contexts that are used alike: what they are in a class of words, and against the average."""

    number: int
    contexts: tuple[str, ...]
    """All of them, the most frequent first."""
    probability: float
    lift: float

    @property
    def label(self) -> str:
        """The most frequent contexts."""
        return ", ".join(self.contexts[:4])


class Neighbour(NamedTuple):
    """A word like another one, and how much: in deviations above what is common."""

    word: str
    similarity: float

    @property
    def distance(self) -> float:
        """The smaller, the more alike: exp(−similarity)."""
        return math.exp(-self.similarity)


class Reason(NamedTuple):
    """A context of a word, and what it says for one class and against another."""

    context: str
    seen: float
    weight: float
    """By how much the log of the odds would be less without it, nats."""


class Reasons(NamedTuple):
    """What puts a word into a class, and not into the likeliest of the others."""

    node: int
    probability: float
    """p(class|word), by the word's contexts."""
    against: int
    """The likeliest of the other classes; the class itself, if there is no other."""
    other: float
    """Its probability."""
    odds: float
    """The log of their odds: with the rule p(c)·Π p(context|c)^count, the sum of all weights and of
    the log of the odds before any context."""
    contexts: tuple[Reason, ...]
    """The weightiest first."""


class Sense(NamedTuple):
    """A class in which a word is used, and how much of the word it is."""

    node: int
    share: float
    contexts: tuple[TypicalContext, ...]
    """Contexts of the word that vote for it, the weightiest first."""
    words: tuple[str, ...]
    """Words of the class that are most like the word in these contexts."""


class Placement(NamedTuple):
    """A class that a new word may belong to, and how likely."""

    word: str
    node: int
    label: str
    probability: float
    known: float
    """The share of the word's tokens that stand in contexts the thesaurus knows."""


@dataclass(frozen=True)
class WordClass:
    """A node of the tree as a class of words."""

    node: int
    parent: int | None
    children: tuple[int, ...]
    label: str
    """The name it was given, or else words that tell it from those around it."""
    size: int
    """How many words have their place here."""
    mass: float
    """The probability of the class, p(c); that of the root is 1."""
    value: float | None
    """At which value the class was split: β, or the nats that saved; None for a leaf."""
    words: tuple[TypicalWord, ...]
    contexts: tuple[TypicalContext, ...]
