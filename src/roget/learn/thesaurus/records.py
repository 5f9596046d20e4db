"""Result records of a thesaurus: words, contexts, classes and changes."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from roget.errors import InputError


class TypicalWord(NamedTuple):
    """A typical word of a class."""

    word: str
    distance: float
    """KL(word ‖ class) in nats."""
    probability: float
    """p(class|word)."""


class TypicalContext(NamedTuple):
    """A typical context of a class or word."""

    context: str
    probability: float
    lift: float
    """ln of the probability divided by p(context)."""


class ContextClass(NamedTuple):
    """A class of contexts, with its probability in a class of words."""

    number: int
    contexts: tuple[str, ...]
    """All contexts of the class, the most frequent first."""
    probability: float
    """Probability in the class of words."""
    lift: float
    """ln of the probability divided by the probability over all words."""

    @property
    def label(self) -> str:
        """The most frequent contexts."""
        return ", ".join(self.contexts[:4])


class Neighbour(NamedTuple):
    """A word similar to another one."""

    word: str
    similarity: float
    """Standard deviations above the mean similarity of common words."""

    @property
    def distance(self) -> float:
        """The similarity as a distance, exp(−similarity)."""
        return math.exp(-self.similarity)


class Reason(NamedTuple):
    """A context of a word as a reason for one class and against another."""

    context: str
    seen: float
    """Occurrences of the word in the context."""
    weight: float
    """Decrease of the log odds in nats if the context is left out."""


class Reasons(NamedTuple):
    """The reasons why a word is in a class and not in the most probable other class."""

    node: int
    probability: float
    """p(class|word) by the contexts of the word."""
    against: int
    """The most probable other class; the class itself if there is only one."""
    other: float
    """p(other class|word)."""
    odds: float
    """Log odds of the two classes. For the placement rule p(c)·Π p(context|c)^count, they are the
    sum of the weights of all contexts and the prior log odds."""
    contexts: tuple[Reason, ...]
    """Contexts with the largest weights, in descending order."""


class Sense(NamedTuple):
    """A class in which a word is used."""

    node: int
    share: float
    """Share of the uses of the word."""
    contexts: tuple[TypicalContext, ...]
    """Contexts of the word that support the class, the strongest first."""
    words: tuple[str, ...]
    """Words of the class that are most similar to the word in these contexts."""


class Placement(NamedTuple):
    """A candidate class of a new word."""

    word: str
    node: int
    label: str
    probability: float
    known: float
    """Share of the word's tokens in contexts known to the thesaurus."""


@dataclass(frozen=True)
class WordClass:
    """A node of the tree as a class of words."""

    node: int
    parent: int | None
    children: tuple[int, ...]
    label: str
    """Name of the class, or words that distinguish it from other classes."""
    size: int
    """Number of words of the class."""
    mass: float
    """p(class); 1 for the root."""
    value: float | None
    """Value of the split, β or the nats saved; None for a leaf."""
    words: tuple[TypicalWord, ...]
    contexts: tuple[TypicalContext, ...]


NEW, MOVED, SPLIT, CLASS = "new", "moved", "split", "class"
CHANGE_KINDS = {
    SPLIT: "a class split in two",
    CLASS: "new words that form a new class",
    MOVED: "a word moved to another class by the new text",
    NEW: "a new word",
}
"""Kinds of growth changes, in display order."""

OPEN, ACCEPTED, REFUSED = "open", "accepted", "refused"
STATES = (OPEN, ACCEPTED, REFUSED)


@dataclass(frozen=True)
class GrowthChange:
    """A change made by growth, which users accept or refuse; classes are given by id."""

    number: int
    kind: str
    """One of `CHANGE_KINDS`."""
    words: tuple[str, ...]
    """The word; for a split, the words of the smaller part; for a new class, all its words."""
    source: int | None
    """The previous class; for a new class, the most similar class; None for a new word."""
    target: int
    """The new class."""
    score: float
    """Strength of the change. For words: log odds in nats to the previous or second-best class. For
    a split: mean cosine within the parts minus between them. For a new class: mean cosine."""
    reasons: tuple[str, ...]
    """Contexts that support the change, the strongest first."""
    tokens: float
    """Number of new tokens of the words."""
    state: str = OPEN
    rest: int | None = None
    """The id of the larger part, for a split."""

    def __post_init__(self) -> None:
        if self.kind not in CHANGE_KINDS or self.state not in STATES:
            raise InputError(
                f"invalid change: kind {self.kind!r}, state {self.state!r}; expected a kind of "
                f"{', '.join(CHANGE_KINDS)} and a state of {', '.join(STATES)}",
                code="damaged-folder",
            )

    def to_json(self) -> dict[str, Any]:
        """Return the change as JSON-compatible values."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> GrowthChange:
        """Read a change written by `to_json`."""
        try:
            plain = dict(content)
            for name in ("words", "reasons"):
                if not all(isinstance(text, str) for text in plain[name]):
                    raise TypeError(f"{name!r} must be strings")
                plain[name] = tuple(plain[name])
            for name in ("number", "target", "source", "rest"):
                value = plain[name]
                if isinstance(value, bool) or not isinstance(value, int | None):
                    raise TypeError(f"{name!r} must be an integer")
            return cls(**plain)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"invalid change: {error!r}", code="damaged-folder") from None
