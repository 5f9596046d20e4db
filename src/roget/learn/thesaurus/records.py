"""Records: the words, contexts, classes and changes that a thesaurus returns."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from roget.errors import InputError


class TypicalWord(NamedTuple):
    """A word of a class."""

    word: str
    distance: float
    """KL(word ‖ class), nats."""
    probability: float
    """p(class|word)."""


class TypicalContext(NamedTuple):
    """A context of a class or word."""

    context: str
    probability: float
    lift: float
    """Log of the probability over p(context)."""


class ContextClass(NamedTuple):
    """A class of contexts, as used by a class of words."""

    number: int
    contexts: tuple[str, ...]
    """All its contexts, the most frequent first."""
    probability: float
    """Its probability in the class of words."""
    lift: float
    """Log of the probability over that in all words."""

    @property
    def label(self) -> str:
        """The most frequent contexts."""
        return ", ".join(self.contexts[:4])


class Neighbour(NamedTuple):
    """A word similar to another one."""

    word: str
    similarity: float
    """In standard deviations above the mean of common words."""

    @property
    def distance(self) -> float:
        """exp(−similarity): the smaller, the more similar."""
        return math.exp(-self.similarity)


class Reason(NamedTuple):
    """A context of a word as a reason for one class and against another."""

    context: str
    seen: float
    """Occurrences of the word in the context."""
    weight: float
    """Decrease of the log odds without the context, nats."""


class Reasons(NamedTuple):
    """Why a word is in a class, and not in the most probable other one."""

    node: int
    probability: float
    """p(class|word), by the word's contexts."""
    against: int
    """The most probable other class; the class itself if there is no other."""
    other: float
    """p(other class|word)."""
    odds: float
    """Log odds of the two classes. With the rule p(c)·Π p(context|c)^count this is the sum of all
    weights and of the prior log odds."""
    contexts: tuple[Reason, ...]
    """The largest weights first."""


class Sense(NamedTuple):
    """A class in which a word is used."""

    node: int
    share: float
    """The share of the word's use."""
    contexts: tuple[TypicalContext, ...]
    """Contexts of the word that vote for the class, the strongest first."""
    words: tuple[str, ...]
    """Words of the class that are most similar to the word in these contexts."""


class Placement(NamedTuple):
    """A class that a new word may belong to."""

    word: str
    node: int
    label: str
    probability: float
    known: float
    """Share of the word's tokens in contexts that the thesaurus has."""


@dataclass(frozen=True)
class WordClass:
    """A node of the tree as a class of words."""

    node: int
    parent: int | None
    children: tuple[int, ...]
    label: str
    """Its name, or words that distinguish it from other classes."""
    size: int
    """Number of words that have their place here."""
    mass: float
    """p(class); 1 for the root."""
    value: float | None
    """Value of the split: β, or the nats saved; None for a leaf."""
    words: tuple[TypicalWord, ...]
    contexts: tuple[TypicalContext, ...]


NEW, MOVED, SPLIT, CLASS = "new", "moved", "split", "class"
CHANGE_KINDS = {
    SPLIT: "a class split in two",
    CLASS: "new words that form a new class",
    MOVED: "a word moved to another class by the new text",
    NEW: "a new word",
}
"""Kinds of changes that growth makes, the largest first."""

OPEN, ACCEPTED, REFUSED = "open", "accepted", "refused"
STATES = (OPEN, ACCEPTED, REFUSED)


@dataclass(frozen=True)
class GrowthChange:
    """A change that growth made, to be accepted or refused; classes are known by their ids."""

    number: int
    kind: str
    """One of `CHANGE_KINDS`."""
    words: tuple[str, ...]
    """The word; for a split the words of the smaller part, for a new class all its words."""
    source: int | None
    """The class before; for a new class the most similar one; None for a new word."""
    target: int
    """The class now."""
    score: float
    """How much better the new class fits. For words: nats, compared with the class before or the
    second best. For classes: mean cosine within the parts minus that between them."""
    reasons: tuple[str, ...]
    """Contexts that support the change, the strongest first."""
    tokens: float
    """Number of new tokens of the words."""
    state: str = OPEN
    rest: int | None = None
    """For a split: the id of the larger part."""

    def __post_init__(self) -> None:
        if self.kind not in CHANGE_KINDS or self.state not in STATES:
            raise InputError(
                f"invalid change: kind {self.kind!r}, state {self.state!r}; expected a kind of "
                f"{', '.join(CHANGE_KINDS)} and a state of {', '.join(STATES)}",
                code="damaged-folder",
            )

    def to_json(self) -> dict[str, Any]:
        """Return the change as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> GrowthChange:
        """Return the change that `to_json` wrote."""
        try:
            plain = dict(content)
            for name in ("words", "reasons"):
                if not all(isinstance(text, str) for text in plain[name]):
                    raise TypeError(f"{name!r} must be texts")
                plain[name] = tuple(plain[name])
            for name in ("number", "target", "source", "rest"):
                value = plain[name]
                if isinstance(value, bool) or not isinstance(value, int | None):
                    raise TypeError(f"{name!r} must be a whole number")
            return cls(**plain)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"invalid change: {error!r}", code="damaged-folder") from None
