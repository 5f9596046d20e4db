"""Measures that count pairs of items kept together or apart by the two sides.

Whole pair counts are Python integers, so ratios are correctly rounded at any size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from roget.errors import Undefined
from roget.scoring.cells.statistics import PairCounts, Sizes
from roget.scoring.measures.base import UNBOUNDED, Distance, Measure, choose, harmonic

MANANDHAR = "Manandhar et al. 2010"


def agreed(pairs: PairCounts) -> bool:
    """Whether the two sides keep exactly the same pairs together."""
    return pairs.gold == pairs.system == pairs.both


class Rand(Measure, name="rand", symmetric=True, reference="Rand 1971"):
    """1 is best: the share of pairs on which the two agree. High by chance alone."""

    def compute(self, pairs: PairCounts) -> float:
        if agreed(pairs):
            return 1.0
        return (pairs.total - pairs.gold - pairs.system + 2 * pairs.both) / pairs.total


class ARI(Measure, name="ari", range=(-1.0, 1.0), symmetric=True, reference="Hubert & Arabie 1985"):
    """1 is best, 0 is chance, negative is worse than chance: Rand, adjusted for chance."""

    def compute(self, pairs: PairCounts) -> float:
        if agreed(pairs):
            return 1.0
        chance = pairs.gold * pairs.system
        above = 2 * (pairs.both * pairs.total - chance)
        most = (pairs.gold + pairs.system) * pairs.total - 2 * chance
        return above / most


class Gamma(
    Measure, name="gamma", range=(-1.0, 1.0), symmetric=True, reference="Hubert & Schultz 1976"
):
    """1 is best, 0 is chance: the correlation of "together in gold" with "together in system".

    Undefined when a side keeps all pairs together, or none.
    """

    def compute(self, pairs: PairCounts) -> float:
        for side, together in (("gold", pairs.gold), ("system", pairs.system)):
            if together == 0 or together == pairs.total:
                kept = "no" if together == 0 else "every"
                raise Undefined(f"{side} keeps {kept} pair together, so nothing can correlate")
        if agreed(pairs):
            return 1.0
        above = pairs.total * pairs.both - pairs.gold * pairs.system
        left = pairs.gold * (pairs.total - pairs.gold)
        right = pairs.system * (pairs.total - pairs.system)
        return above / (math.sqrt(left) * math.sqrt(right))


class Jaccard(Measure, name="jaccard", symmetric=True, reference="Milligan et al. 1983"):
    """1 is best: pairs together in both over pairs together in either."""

    def compute(self, pairs: PairCounts) -> float:
        if agreed(pairs):
            return 1.0
        return pairs.both / (pairs.gold + pairs.system - pairs.both)


class FowlkesMallows(Measure, name="fm", symmetric=True, reference="Fowlkes & Mallows 1983"):
    """1 is best: the geometric mean of pair precision and recall; 1 for identical singletons."""

    def compute(self, pairs: PairCounts) -> float:
        if agreed(pairs):
            return 1.0
        if pairs.gold == 0 or pairs.system == 0:
            return 0.0
        return pairs.both / (math.sqrt(pairs.gold) * math.sqrt(pairs.system))


@dataclass(frozen=True)
class Mirkin(Distance, name="mirkin", range=UNBOUNDED, symmetric=True, reference="Mirkin 1996"):
    """0 is best; up to N(N−1): twice the number of pairs on which the two disagree.

    `scale=pairs` divides by N(N−1), which gives 1 − Rand; `scale=n2` divides by N², which does
    not change when every item is doubled.
    """

    scale: str = "none"

    def __post_init__(self) -> None:
        choose("mirkin", "scale", self.scale, ("none", "pairs", "n2"))

    def compute(self, pairs: PairCounts, sizes: Sizes) -> float:
        if agreed(pairs):
            return 0.0
        apart = 2 * (pairs.gold + pairs.system - 2 * pairs.both)
        if self.scale == "none":
            return float(apart)
        return apart / (2 * pairs.total if self.scale == "pairs" else sizes.n**2)


class PairedPrecision(Measure, name="paired-precision", reference=MANANDHAR):
    """1 is best: of the pairs the system keeps together, the share gold does too; 1 if none."""

    def compute(self, pairs: PairCounts) -> float:
        return pairs.both / pairs.system if pairs.system else 1.0


class PairedRecall(Measure, name="paired-recall", reference=MANANDHAR):
    """1 is best: of the pairs gold keeps together, the share the system does too; 1 if none."""

    def compute(self, pairs: PairCounts) -> float:
        return pairs.both / pairs.gold if pairs.gold else 1.0


class PairedF(Measure, name="paired-f", symmetric=True, reference=MANANDHAR):
    """1 is best: the harmonic mean of paired precision and recall. Favours one big cluster."""

    def compute(self, pairs: PairCounts) -> float:
        return harmonic(PairedPrecision().compute(pairs), PairedRecall().compute(pairs))
