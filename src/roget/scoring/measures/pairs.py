"""Measures that count pairs of items in the same cluster or in different clusters.

Pair counts are exact integers if the table contains whole numbers, so ratios are correctly rounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.types import Values
from roget.scoring.measures.base import (
    MODELS,
    UNBOUNDED,
    Adjusted,
    Distance,
    Measure,
    divide,
    harmonic,
    undefined,
)
from roget.scoring.tables.null_models import expect_disagreement
from roget.scoring.tables.null_moments import deviate_pairs
from roget.scoring.tables.records import PairCounts, Sizes

MANANDHAR = "Manandhar et al. 2010"


def is_identical(pairs: PairCounts) -> Any:
    """Return True if gold and system put exactly the same pairs of items together."""
    return np.equal(pairs.gold, pairs.system) & np.equal(pairs.system, pairs.both)


def root(number: Any) -> Any:
    """Return the square root of a number, which may be an arbitrarily large integer."""
    return np.sqrt(np.asarray(number, dtype=np.float64))


class Rand(Measure, name="rand", linear="pairs", symmetric=True, reference="Rand 1971"):
    """Fraction of item pairs on which gold and system agree. Best value: 1.
    The score is not adjusted for chance.
    """

    def compute(self, pairs: PairCounts) -> Values:
        agreeing = pairs.total - pairs.gold - pairs.system + 2 * pairs.both
        return np.where(is_identical(pairs), 1.0, divide(agreeing, pairs.total))


@dataclass(frozen=True)
class ARI(Adjusted, name="ari", linear="pairs", choices={"model": MODELS}):
    """Rand index adjusted for chance. Best value: 1; chance level: 0; negative if worse than
    chance.

    `model` is the random model (Gates & Ahn 2017). The minimum under perm is −1.

    - perm keeps the cluster sizes, num the number of clusters, all only the number of items;
    - num1 and all1 do the same for the system and keep gold fixed.
    """

    adjusts = "Hubert & Arabie 1985"

    model: str = "perm"

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """The range of the score, which has no lower bound under models other than perm."""
        return (-1.0 if self.model == "perm" else -math.inf), 1.0

    def compute(self, pairs: PairCounts, sizes: Sizes) -> Values:
        # The score is (both − E[both])/(mean of gold and system − E[both]) with E[both] =
        # gold·system/total. The numerator and the denominator are multiplied by 2·total to keep
        # them integers. Other models compare the fraction of pairs on which gold and system
        # disagree with its expectation.
        if self.model != "perm":
            apart = divide(pairs.gold + pairs.system - 2 * pairs.both, pairs.total)
            value = 1 - divide(apart, expect_disagreement(self.model, sizes))
            return np.where(is_identical(pairs), 1.0, value)
        chance = pairs.gold * pairs.system
        above = 2 * (pairs.both * pairs.total - chance)
        most = (pairs.gold + pairs.system) * pairs.total - 2 * chance
        return np.where(is_identical(pairs), 1.0, divide(above, most))


class Gamma(
    Measure,
    name="gamma",
    linear="pairs",
    range=(-1.0, 1.0),
    symmetric=True,
    reference="Hubert & Schultz 1976",
):
    """Correlation between "in the same class" and "in the same cluster". Best value: 1; chance
    level: 0.

    The score is undefined if gold or the system joins all pairs, or no pair.
    """

    def compute(self, pairs: PairCounts) -> Values:
        gaps: Values = 0.0
        for side, together in (("gold", pairs.gold), ("system", pairs.system)):
            for which, number in (("no pairs", 0), ("all pairs", pairs.total)):
                reason = f"the correlation is undefined, because {side} joins {which} of items"
                gaps = gaps + undefined(np.equal(together, number), reason)
        # Compute the correlation of the two binary variables over all pairs.
        above = pairs.total * pairs.both - pairs.gold * pairs.system
        left = pairs.gold * (pairs.total - pairs.gold)
        right = pairs.system * (pairs.total - pairs.system)
        value = divide(above, root(left) * root(right))
        return np.where(is_identical(pairs), 1.0, value) + gaps


GOSGENS = "Gösgens, Tikhonov & Prokhorenkova 2021"


def one_sided(pairs: PairCounts) -> Any:
    """Return True if gold and system differ and at least one of them joins all pairs or no pair."""
    joins = (pairs.gold, pairs.system)
    extreme = [np.equal(joined, 0) | np.equal(joined, pairs.total) for joined in joins]
    return (extreme[0] | extreme[1]) & ~is_identical(pairs)


class CorrelationDistance(Distance, name="correlation-distance", symmetric=True, reference=GOSGENS):
    """Angle arccos(gamma)/π between gold's and the system's pairs. Best value: 0; chance level:
    1/2.

    The score is undefined if gold or the system joins all pairs or no pairs, unless they are
    identical.
    """

    def compute(self, pairs: PairCounts) -> Values:
        gaps = undefined(one_sided(pairs), "gold or the system joins all or no pairs of items")
        above = pairs.total * pairs.both - pairs.gold * pairs.system
        left = pairs.gold * (pairs.total - pairs.gold)
        right = pairs.system * (pairs.total - pairs.system)
        gamma = np.clip(divide(above, root(left) * root(right)), -1.0, 1.0)
        return np.where(is_identical(pairs), 0.0, np.arccos(gamma) / np.pi) + gaps


class PMI2(Measure, name="pmi2", symmetric=True, best=None, reference="Klede et al. 2023"):
    """p-value adjusted Rand index, Φ((N11 − E[N11])/SD(N11)). Higher is better; chance level: 1/2.

    It approximates the probability that a random clustering with the same sizes joins fewer
    same-class pairs N11 than the system, where ties count half. The mean and the standard deviation
    of N11 are exact. The normal distribution Φ is the fast approximation of the paper. Scores of
    clusterings much better than chance are all close to 1. The score is undefined if all
    clusterings of these sizes join the same number of pairs.
    """

    def compute(self, pairs: PairCounts, sizes: Sizes) -> Values:
        from scipy.special import ndtr

        deviation = deviate_pairs(pairs, sizes)
        reason = "all clusterings with these cluster sizes have the same value"
        gaps = undefined(np.equal(deviation, 0), reason)
        # E[N11] is the number of pairs times the product of the fractions of joined pairs.
        above = pairs.total * pairs.both - pairs.gold * pairs.system
        found: Values = ndtr(divide(divide(above, pairs.total), deviation)) + gaps
        return found


class SokalSneath(
    Measure,
    name="sokal-sneath",
    linear="pairs",
    symmetric=True,
    reference="Sokal & Sneath 1963; Gösgens, Tikhonov & Prokhorenkova 2021",
):
    """Mean of precision and recall on joined and on separated pairs. Best value: 1; chance level:
    1/2.

    The formula is (N11/(N11+N10) + N11/(N11+N01) + N00/(N00+N10) + N00/(N00+N01))/4. The score is
    undefined if gold or the system joins all pairs or no pairs, unless they are identical.
    """

    def compute(self, pairs: PairCounts) -> Values:
        gaps = undefined(one_sided(pairs), "gold or the system joins all or no pairs of items")
        joined = divide(pairs.both, pairs.gold) + divide(pairs.both, pairs.system)
        apart = pairs.total - pairs.gold - pairs.system + pairs.both
        separated = divide(apart, pairs.total - pairs.gold)
        separated = separated + divide(apart, pairs.total - pairs.system)
        return np.where(is_identical(pairs), 1.0, (joined + separated) / 4) + gaps


class Jaccard(Measure, name="jaccard", symmetric=True, reference="Milligan et al. 1983"):
    """Jaccard index of the sets of same-class and same-cluster pairs. Best value: 1."""

    def compute(self, pairs: PairCounts) -> Values:
        either = pairs.gold + pairs.system - pairs.both
        return np.where(is_identical(pairs), 1.0, divide(pairs.both, either))


class FowlkesMallows(
    Measure, name="fm", linear="pairs", symmetric=True, reference="Fowlkes & Mallows 1983"
):
    """Geometric mean of paired precision and recall. Best value: 1. If gold and system are all
    singletons, the score is 1.
    """

    def compute(self, pairs: PairCounts) -> Values:
        value = divide(pairs.both, root(pairs.gold) * root(pairs.system))
        return np.where(is_identical(pairs), 1.0, value)


@dataclass(frozen=True)
class Mirkin(
    Distance,
    name="mirkin",
    linear="pairs",
    range=UNBOUNDED,
    symmetric=True,
    reference="Mirkin 1996",
    choices={"scale": ("none", "pairs", "n2")},
):
    """Twice the number of item pairs on which gold and system disagree. Best value: 0, worst:
    N(N−1).

    `scale=pairs` divides by N(N−1), which gives 1 − Rand. `scale=n2` divides by N², so that the
    score does not change if every item is duplicated.
    """

    scale: str = "none"

    def compute(self, pairs: PairCounts, sizes: Sizes) -> Values:
        apart = 2 * (pairs.gold + pairs.system - 2 * pairs.both)
        # Use n² = n(n − 1) + n.
        scales = {"none": 1, "pairs": 2 * pairs.total, "n2": 2 * pairs.total + sizes.n}
        return np.where(is_identical(pairs), 0.0, divide(apart, scales[self.scale]))


class PairedPrecision(Measure, name="paired-precision", linear="pairs", reference=MANANDHAR):
    """Fraction of same-cluster pairs that are in the same class. Best value: 1.

    The value is 1 if the system joins no pairs.
    """

    def compute(self, pairs: PairCounts) -> Values:
        return divide(pairs.both, pairs.system, 1.0)


class PairedRecall(Measure, name="paired-recall", linear="pairs", reference=MANANDHAR):
    """Fraction of same-class pairs that are in the same cluster. Best value: 1.

    The value is 1 if gold joins no pairs.
    """

    def compute(self, pairs: PairCounts) -> Values:
        return divide(pairs.both, pairs.gold, 1.0)


class PairedF(Measure, name="paired-f", linear="pairs", symmetric=True, reference=MANANDHAR):
    """Harmonic mean of paired precision and recall. Best value: 1.
    The measure favours one big cluster.
    """

    def compute(self, pairs: PairCounts) -> Values:
        return harmonic(PairedPrecision().compute(pairs), PairedRecall().compute(pairs))
