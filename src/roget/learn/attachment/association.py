"""Lexical association (Hindle & Rooth 1993): which of verb and noun the preposition goes with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from roget.learn.attachment.words import Normal

Floats = npt.NDArray[np.float64]

_GAP = "\t"


class Association:
    """p(prep|head), from counts f(head, prep) of phrases that are the head's, smoothed.

    p(prep|head) = (f(head, prep) + f(all heads, prep)/f(all heads)) / (f(head) + 1), where f(head)
    counts all quadruples with the head, and heads are verbs or first nouns. The original has a
    factor p(no phrase|noun) as well: quadruples have no nouns without phrases, so it is left out.
    """

    def __init__(self, counts: Mapping[str, float]) -> None:
        self.counts = dict(counts)

    @classmethod
    def of(cls, quads: Sequence[Normal], nouns: Sequence[bool]) -> Self:
        """Counted from quadruples; `nouns` says of each whether it is N."""
        counts: Counter[str] = Counter()
        for quad, noun in zip(quads, nouns, strict=True):
            counts[quad.preposition] += 1
            for kind, word, its in (("V", quad.verb, not noun), ("N", quad.noun1, noun)):
                counts[_key(kind)] += 1
                counts[_key(kind, word)] += 1
                if its:
                    counts[_key(kind, word, quad.preposition)] += 1
                    counts[_key(kind, "", quad.preposition)] += 1
        return cls(counts)

    def share(self, quads: Sequence[Normal], noun: bool) -> Floats:
        """p(prep|noun), or p(prep|verb), of each quadruple."""
        return np.array(
            [
                self._share("N", quad.noun1, quad.preposition)
                if noun
                else self._share("V", quad.verb, quad.preposition)
                for quad in quads
            ]
        )

    def log_ratio(self, quads: Sequence[Normal]) -> Floats:
        """log p(prep|noun) / p(prep|verb), nats: above 0 the phrase is the noun's.

        0 where the preposition is new, or both heads are.
        """
        known = [
            bool(
                self.counts.get(quad.preposition)
                and (self._count("N", quad.noun1) or self._count("V", quad.verb))
            )
            for quad in quads
        ]
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

    def _share(self, kind: str, word: str, preposition: str) -> float:
        usual = self._count(kind, "", preposition) / max(self._count(kind), 1.0)
        return (self._count(kind, word, preposition) + usual) / (self._count(kind, word) + 1)

    def _count(self, *parts: str) -> float:
        return self.counts.get(_key(*parts), 0.0)


def _key(*parts: str) -> str:
    return _GAP.join(parts)
