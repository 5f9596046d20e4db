"""Lexical association (Hindle & Rooth 1993): which of verb and noun the preposition goes with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from roget.learn.attachment.words import Normal

Floats = npt.NDArray[np.float64]

_GAP = "\t"
ANY = ""
"""Stands for all prepositions."""
OTHERS = 0.3
"""How much a quadruple of other text counts."""


class Association:
    """p(prep|head), from counts f(head, prep) of phrases that are the head's, smoothed.

    p(prep|head) = (f(head, prep) + f(all heads, prep)/f(all heads)) / (f(head) + 1), where f(head)
    counts all quadruples with the head, and heads are verbs or first nouns. A quadruple is the
    noun's by p(prep|noun)·p(no phrase|verb), the verb's by p(prep|verb)·p(no phrase|noun): heads
    have no phrase in quadruples that are the other's.
    """

    def __init__(self, counts: Mapping[str, float]) -> None:
        self.counts = dict(counts)

    @classmethod
    def of(
        cls,
        quads: Sequence[Normal],
        nouns: Sequence[bool],
        others: Iterable[tuple[Normal, bool]] = (),
    ) -> Self:
        """Counted from quadruples; `nouns` says of each whether it is N. Others count less."""
        counts: defaultdict[str, float] = defaultdict(float)
        own = zip(quads, nouns, repeat(1.0))
        for quad, noun, times in chain(own, ((*one, OTHERS) for one in others)):
            counts[quad.preposition] += times
            for kind, word, its in (("V", quad.verb, not noun), ("N", quad.noun1, noun)):
                counts[_key(kind)] += times
                counts[_key(kind, word)] += times
                if its:
                    for preposition in (quad.preposition, ANY):
                        counts[_key(kind, word, preposition)] += times
                        counts[_key(kind, "", preposition)] += times
        return cls(counts)

    def share(self, quads: Sequence[Normal], noun: bool) -> Floats:
        """p(prep|noun)·p(no phrase|verb) of each quadruple, or the same of the verb."""
        return np.array([self._part(quad, noun) for quad in quads])

    def log_ratio(self, quads: Sequence[Normal]) -> Floats:
        """log of the noun's share over the verb's, nats: above 0 the phrase is the noun's.

        0 where the preposition is new.
        """
        known = [quad.preposition in self.counts for quad in quads]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(self.share(quads, True) / self.share(quads, False))
        return np.where(known, ratio, 0.0)

    def content(self) -> dict[str, Any]:
        """What is to be kept."""
        return {"keys": list(self.counts), "counts": np.array(list(self.counts.values()))}

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """From what was kept."""
        return cls(dict(zip(kept["keys"], kept["counts"].tolist(), strict=True)))

    def _part(self, quad: Normal, noun: bool) -> float:
        heads = ("N", quad.noun1), ("V", quad.verb)
        own, other = heads if noun else heads[::-1]
        return self._share(*own, quad.preposition) * (1 - self._share(*other, ANY))

    def _share(self, kind: str, word: str, preposition: str) -> float:
        usual = self._count(kind, "", preposition) / max(self._count(kind), 1.0)
        return (self._count(kind, word, preposition) + usual) / (self._count(kind, word) + 1)

    def _count(self, *parts: str) -> float:
        return self.counts.get(_key(*parts), 0.0)


def _key(*parts: str) -> str:
    return _GAP.join(parts)
