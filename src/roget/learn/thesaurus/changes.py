"""Change: one thing that growing has made of a thesaurus, to be accepted or refused."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from roget.errors import InputError

NEW, MOVED, SPLIT, CLASS = "new", "moved", "split", "class"
KINDS = {
    SPLIT: "a class that has become two",
    CLASS: "new words that make a class of their own",
    MOVED: "a word that new text puts into another class",
    NEW: "a word that was not there",
}
"""Kinds of changes, the largest first."""

OPEN, ACCEPTED, REFUSED = "open", "accepted", "refused"
STATES = (OPEN, ACCEPTED, REFUSED)


@dataclass(frozen=True)
class GrowthChange:
    """A word that is new or has moved, a class that was split or made.

    Classes are known by their ids, which stay.
    """

    number: int
    kind: str
    """One of `KINDS`."""
    words: tuple[str, ...]
    """The word; of a class that was split the words of the smaller part, of a new one all."""
    source: int | None
    """The class the words were in; of a new class the one most like it; None for a new word."""
    target: int
    """The class they are in now."""
    score: float
    """How much better they are there: in nats, against the class before or the next best one; of
    classes, the cosine of words inside the parts less that across them."""
    reasons: tuple[str, ...]
    """Contexts that speak for it, the weightiest first."""
    tokens: float
    """How many tokens of the words are new."""
    state: str = OPEN
    rest: int | None = None
    """Of a class that was split: the id of its larger part."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS or self.state not in STATES:
            raise InputError(
                f"a change of kind {self.kind!r}, {self.state!r}: expected {', '.join(KINDS)}, and "
                f"{', '.join(STATES)}"
            )

    def to_json(self) -> dict[str, Any]:
        """The change as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Any) -> GrowthChange:
        """The change of `to_json`."""
        try:
            plain = dict(given)
            for name in ("words", "reasons"):
                if not all(isinstance(text, str) for text in plain[name]):
                    raise TypeError(f"{name!r} are texts")
                plain[name] = tuple(plain[name])
            for name in ("number", "target", "source", "rest"):
                value = plain[name]
                if isinstance(value, bool) or not isinstance(value, int | None):
                    raise TypeError(f"{name!r} is a number")
            return cls(**plain)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"this is not a change: {error!r}") from None
