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
    """Log ratio ln(probability / p(context))."""


class ContextClass(NamedTuple):
    """A class of contexts, with its probability in a class of words."""

    number: int
    contexts: tuple[str, ...]
    """All contexts of the class, most frequent first."""
    probability: float
    """Probability of the contexts in the class of words."""
    lift: float
    """Log ratio of the probability in the class of words to the probability over all words."""

    @property
    def label(self) -> str:
        """Label of the class: its most frequent contexts."""
        return ", ".join(self.contexts[:4])


class Neighbour(NamedTuple):
    """A word similar to another one."""

    word: str
    similarity: float
    """Similarity, in standard deviations above the mean similarity of common words."""

    @property
    def distance(self) -> float:
        """The similarity as a distance, exp(−similarity)."""
        return math.exp(-self.similarity)


class Reason(NamedTuple):
    """A context that is a reason to put a word into one class rather than another."""

    context: str
    seen: float
    """Occurrences of the word in the context."""
    weight: float
    """Decrease of the log odds, in nats, if the context is left out."""


class Reasons(NamedTuple):
    """The reasons why a word is in a class and not in the most probable other class."""

    node: int
    probability: float
    """p(class|word), based on the contexts of the word."""
    against: int
    """The most probable other class, or the class itself if there is only one."""
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
    """Fraction of the uses of the word that have this sense."""
    contexts: tuple[TypicalContext, ...]
    """Contexts of the word that support the class, strongest first."""
    words: tuple[str, ...]
    """Words of the class that are most similar to the word in the supporting contexts."""


class Placement(NamedTuple):
    """A candidate class for a new word."""

    word: str
    node: int
    label: str
    probability: float
    known: float
    """Fraction of the word's tokens whose contexts are known to the thesaurus."""


@dataclass(frozen=True)
class WordClass:
    """A class of words, which is a node of the tree."""

    node: int
    parent: int | None
    children: tuple[int, ...]
    label: str
    """Name of the class, or words that distinguish it from other classes."""
    size: int
    """Number of words in the class."""
    mass: float
    """p(class), which is 1 for the root."""
    value: float | None
    """Value at which the class was split, or None for a leaf. The value depends on the method, e.g.
    β or the reduction of the description length in nats."""
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
    """A change made by growth, which users can accept or refuse. Classes are identified by id."""

    number: int
    kind: str
    """One of `CHANGE_KINDS`."""
    words: tuple[str, ...]
    """The new or moved word, the words of the smaller part of a split, or all words of a new
    class."""
    source: int | None
    """The previous class, the class most similar to a new class, or None for a new word."""
    target: int
    """The new class."""
    score: float
    """Strength of the change. For a word, the log odds against the previous or second-best class,
    in nats. For a split, the mean cosine within the parts minus the mean cosine between them. For a
    new class, the mean cosine between its words."""
    reasons: tuple[str, ...]
    """Contexts that support the change, strongest first."""
    tokens: float
    """Number of new tokens of the words."""
    state: str = OPEN
    rest: int | None = None
    """For a split, the id of the larger part."""

    def __post_init__(self) -> None:
        if self.kind not in CHANGE_KINDS or self.state not in STATES:
            raise InputError(
                f"invalid change with kind {self.kind!r} and state {self.state!r}; the "
                f"kind must be one of {', '.join(CHANGE_KINDS)}, and the state one of "
                f"{', '.join(STATES)}",
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
                    raise TypeError(f"{name!r} must be a list of strings")
                plain[name] = tuple(plain[name])
            for name in ("number", "target", "source", "rest"):
                value = plain[name]
                if isinstance(value, bool) or not isinstance(value, int | None):
                    raise TypeError(f"{name!r} must be an integer")
            return cls(**plain)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"invalid change: {error!r}", code="damaged-folder") from None
