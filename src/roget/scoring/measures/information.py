"""Measures computed from H(C), H(K) and H(C,K), with any entropy estimator.

Conditional entropies are differences of these three entropies, which are estimated separately, so
corrected scores may lie outside the range of plug-in scores. Scores are never clamped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.types import Values
from roget.errors import InputError, Undefined
from roget.scoring.entropy import Histogram
from roget.scoring.measures.base import (
    EVERYTHING,
    MODELS,
    UNBOUNDED,
    Adjusted,
    Distance,
    Measure,
    divide,
    undefined,
)
from roget.scoring.tables.null_models import expect_information
from roget.scoring.tables.records import Chance, Entropies, Sizes

ROSENBERG = "Rosenberg & Hirschberg 2007"
REICHART = "Reichart & Rappoport 2009"
MEILA = "Meilă 2007"

AVERAGES = ("arithmetic", "geometric", "min", "max")


def average(kind: str, a: Values, b: Values) -> Values:
    """Return the selected average of two values, such as the entropies that normalise I(C;K)."""
    if kind == "arithmetic":
        return (a + b) / 2
    if kind == "geometric":
        gaps = undefined(
            np.less(a * b, 0),
            "the geometric mean of a positive and a negative entropy is undefined",
        )
        return np.sqrt(np.maximum(a * b, 0)) + gaps
    return np.minimum(a, b) if kind == "min" else np.maximum(a, b)


class Homogeneity(Measure, name="homogeneity", linear="information", reference=ROSENBERG):
    """Homogeneity of the clusters, 1 − H(C|K)/H(C), or 1 if H(C) = 0.
    Best value: 1, reached if each cluster contains a single class.
    """

    def compute(self, entropies: Entropies) -> Values:
        return 1 - divide(entropies.gold_given_system, entropies.gold)


class Completeness(Measure, name="completeness", linear="information", reference=ROSENBERG):
    """Completeness of the classes, 1 − H(K|C)/H(K), or 1 if H(K) = 0.
    Best value: 1, reached if each class is in a single cluster.
    """

    def compute(self, entropies: Entropies) -> Values:
        return 1 - divide(entropies.system_given_gold, entropies.system)


@dataclass(frozen=True)
class V(Measure, name="v", linear="information", reference=ROSENBERG):
    """Harmonic mean of homogeneity and completeness. Best value: 1; no information: 0.

    The formula is (1+β)·h·c/(β·h + c), where h is homogeneity and c completeness. If β > 1,
    completeness has more weight. If β = 0, the score is homogeneity.
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        if not self.beta >= 0:
            raise InputError(
                f"v: invalid beta={self.beta}; expected a number ≥ 0",
                code="invalid-option",
            )

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True if homogeneity and completeness have equal weight (β = 1)."""
        return self.beta == 1

    def compute(self, entropies: Entropies) -> Values:
        perfect = entropies.perfect
        if self.beta == 0:
            value = Homogeneity().compute(entropies)
        elif math.isinf(self.beta):
            value = Completeness().compute(entropies)
        else:
            scale = self.beta * entropies.system + entropies.gold
            gaps = undefined(
                np.equal(scale, 0) & ~perfect,
                "the denominator beta·H(K) + H(C) is 0 with this entropy estimator",
            )
            value = divide((1 + self.beta) * entropies.mutual, scale) + gaps
        return np.where(perfect, 1.0, value)


class VI(
    Distance, name="vi", linear="information", range=UNBOUNDED, symmetric=True, reference=MEILA
):
    """Variation of information in nats, H(C|K) + H(K|C). Best value: 0."""

    def compute(self, entropies: Entropies) -> Values:
        return entropies.gold_given_system + entropies.system_given_gold


class NVI(Distance, name="nvi", linear="information", range=UNBOUNDED, reference=REICHART):
    """Normalised variation of information, VI/H(C), or H(K) if H(C) = 0. Best value: 0.
    One big cluster scores 1, and there is no upper bound.
    """

    def compute(self, entropies: Entropies) -> Values:
        return divide(VI().compute(entropies), entropies.gold, entropies.system)


class NVIK(Distance, name="nvi-k", linear="information", range=UNBOUNDED, reference=REICHART):
    """Variation of information divided by H(K), or H(C) if H(K) = 0. Best value: 0.
    There is no upper bound, and the measure favours many clusters.
    """

    def compute(self, entropies: Entropies) -> Values:
        return divide(VI().compute(entropies), entropies.system, entropies.gold)


class VILogN(Distance, name="vi-logn", linear="information", symmetric=True, reference=MEILA):
    """Variation of information divided by log N, its maximum for N items.
    Best value: 0, worst: 1.
    """

    def compute(self, entropies: Entropies, sizes: Sizes) -> Values:
        vi = VI().compute(entropies)
        if isinstance(sizes.n, float):
            raise Undefined("the number of items N is undefined for fractional counts")
        gaps = undefined(np.equal(sizes.n, 1) & np.not_equal(vi, 0), "log N is 0 for a single item")
        return divide(vi, np.log(sizes.n)) + gaps


class VITwoLogN(VILogN, name="vi-2logn", range=(0.0, 0.5), reference=REICHART):
    """Variation of information divided by 2 log N, half of vi-logn. Best value: 0, worst: 1/2."""

    def compute(self, entropies: Entropies, sizes: Sizes) -> Values:
        return VILogN().compute(entropies, sizes) / 2


class VITwoLogK(
    Distance, name="vi-2logk", linear="information", symmetric=True, reference=REICHART
):
    """Variation of information divided by 2 log k*. Best value: 0, worst: 1.

    k* is the larger of the numbers of classes and clusters. The score is 0 if both are 1.
    """

    def compute(self, entropies: Entropies, sizes: Sizes) -> Values:
        most = np.maximum(sizes.classes, sizes.clusters)
        return divide(VI().compute(entropies), 2 * np.log(most))


class MI(
    Measure,
    name="mi",
    linear="information",
    range=UNBOUNDED,
    symmetric=True,
    best=None,
    reference="Shannon 1948",
):
    """Mutual information between classes and clusters in nats. Best value: H(C); no information:
    0.
    """

    def compute(self, entropies: Entropies) -> Values:
        return entropies.mutual


@dataclass(frozen=True)
class NMI(
    Measure,
    name="nmi",
    linear="information",
    symmetric=True,
    reference="Strehl & Ghosh 2002",
    choices={"average": AVERAGES},
):
    """Mutual information divided by an average of H(C) and H(K). Best value: 1; no information: 0.

    The average is arithmetic (which equals V), geometric, min or max.
    """

    average: str = "arithmetic"

    def compute(self, entropies: Entropies) -> Values:
        perfect = entropies.perfect
        scale = average(self.average, entropies.gold, entropies.system)
        # If the average is 0, gold or the system carries no information, and the value is 0.
        return np.where(perfect, 1.0, divide(entropies.mutual, scale))


class ZKEntropy(Distance, name="zk-entropy", linear="information", reference="Zhao & Karypis 2001"):
    """Conditional entropy H(C|K)/log q for q classes. Best value: 0.
    The measure only assesses purity, so one cluster per item scores 0.
    """

    def compute(self, entropies: Entropies, sizes: Sizes) -> Values:
        return divide(entropies.gold_given_system, np.log(sizes.classes))


DOM = "Dom 2001"


def table_cost(sizes: Histogram, classes: Any, n: Any) -> Values:
    """Return (1/n)·Σ log binom(size + |C| − 1, |C| − 1) over clusters.

    This is the cost, in nats per item, of encoding the class counts of each cluster. The binomial
    is computed by the beta function, which is accurate for all sizes.
    """
    from scipy.special import betaln

    counts, c = sizes.counts.astype(np.float64), sizes.spread(classes)
    cost = np.where(np.equal(c, 1), 0.0, -np.log(counts + c) - betaln(counts + 1, c))
    return sizes.sum(cost) / np.float64(n)


class Q0(
    Measure,
    name="q0",
    linear="information",
    direction="lower",
    range=UNBOUNDED,
    best=None,
    reference=DOM,
):
    """H(C|K) plus the cost of encoding the class counts, in nats per item. Lower is better.

    The class counts are the numbers of items of each class in each cluster. With more clusters,
    there are more counts to encode, so one cluster per item is not rewarded.
    """

    def compute(self, entropies: Entropies, sizes: Sizes) -> Values:
        cost = table_cost(sizes.system, sizes.classes, sizes.n)
        return entropies.gold_given_system + cost


class Q2(Measure, name="q2", reference=DOM):
    """Cost Q0 of a perfect clustering divided by the cost of the system. Best value: 1.

    The value is 1 if there is only one class.
    """

    def compute(self, entropies: Entropies, sizes: Sizes) -> Values:
        # A single class needs no encoding, so both costs are 0.
        least = table_cost(sizes.gold, sizes.classes, sizes.n)
        value = divide(least, Q0().compute(entropies, sizes))
        return np.where(np.equal(sizes.classes, 1), 1.0, value)


@dataclass(frozen=True)
class AMI(
    Adjusted,
    name="ami",
    range=(-math.inf, 1.0),
    linear="information",
    choices={"average": AVERAGES, "model": MODELS},
):
    """Mutual information adjusted by its exact expectation. Best value: 1; chance level: 0.

    The formula is (I − E[I])/(A − E[I]), where A is the average of H(C) and H(K) and E[I] is the
    mean over random clusterings. `average` is arithmetic, geometric, min or max. Entropies are
    plug-in estimates. `model` is the random model (Gates & Ahn 2017):

    - perm keeps the cluster sizes, num the number of clusters, all only the number of items;
    - num1 and all1 do the same for the system and keep gold fixed.

    Under the models num and num1, A is the average of the logarithms of the numbers of classes and
    clusters. Under all and all1, it is log N. A perfect clustering scores 1 under every model.
    """

    adjusts = "Vinh, Epps & Bailey 2010"

    average: str = "arithmetic"
    model: str = "perm"

    def compute(self, chance: Chance, sizes: Sizes) -> Values:
        if self.model != "perm":
            return self._adjust(chance, sizes)
        most = average(self.average, chance.gold, chance.system)
        value = divide(chance.mutual - chance.expected, most - chance.expected)
        # If gold or the system is a single cluster or all singletons, every clustering with the
        # same cluster sizes has the same mutual information, which therefore equals its
        # expectation.
        return np.where(chance.perfect, 1.0, np.where(chance.constant, 0.0, value))

    def _adjust(self, chance: Chance, sizes: Sizes) -> Values:
        numbers = (sizes.n, sizes.n) if "all" in self.model else (sizes.classes, sizes.clusters)
        most = average(self.average, *(np.log(number) for number in numbers))
        expected = expect_information(self.model, sizes)
        value = divide(chance.mutual - expected, most - expected)
        return np.where(chance.perfect, 1.0, value)


class SMI(
    Measure,
    name="smi",
    range=EVERYTHING,
    symmetric=True,
    best=None,
    linear="information",
    reference="Romano et al. 2014",
):
    """Standardised mutual information, (I − E[I])/SD(I). Higher is better; chance level: 0.

    The mean and the standard deviation over all random clusterings with the same sizes are exact.
    The score is undefined if gold or the system is one cluster or all singletons, because all
    clusterings with such sizes have the same mutual information.
    """

    def compute(self, chance: Chance, deviation: Values) -> Values:
        tied = chance.constant | np.equal(deviation, 0)
        gaps = undefined(tied, "all clusterings with these cluster sizes have the same value")
        return divide(chance.mutual - chance.expected, deviation) + gaps
