"""Measures made of H(C), H(K) and H(C,K): any entropy estimator serves them all.

Conditional entropies are always differences of the three, each estimated on its own, so a
corrected value may leave the plug-in range. Nothing is clamped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from roget.core.information import weighted_sum
from roget.core.types import Floats
from roget.errors import InputError, Undefined
from roget.scoring.cells.statistics import Chance, Entropies, Sizes
from roget.scoring.entropy import Histogram
from roget.scoring.measures.base import UNBOUNDED, Distance, Measure, choose

ROSENBERG = "Rosenberg & Hirschberg 2007"
REICHART = "Reichart & Rappoport 2009"
MEILA = "Meilă 2007"

AVERAGES = ("arithmetic", "geometric", "min", "max")


def average(kind: str, a: float, b: float) -> float:
    """The mean of two entropies that normalises mutual information."""
    if kind == "arithmetic":
        return (a + b) / 2
    if kind == "geometric":
        if a * b < 0:
            raise Undefined("the geometric mean of a positive and a negative entropy")
        return math.sqrt(a * b)
    return min(a, b) if kind == "min" else max(a, b)


class Homogeneity(Measure, name="homogeneity", reference=ROSENBERG):
    """1 is best: each cluster holds one class only. 1 − H(C|K)/H(C); 1 if H(C) = 0."""

    def compute(self, entropies: Entropies) -> float:
        if entropies.gold == 0:
            return 1.0
        return 1 - entropies.gold_given_system / entropies.gold


class Completeness(Measure, name="completeness", reference=ROSENBERG):
    """1 is best: each class lies in one cluster. 1 − H(K|C)/H(K); 1 if H(K) = 0."""

    def compute(self, entropies: Entropies) -> float:
        if entropies.system == 0:
            return 1.0
        return 1 - entropies.system_given_gold / entropies.system


@dataclass(frozen=True)
class V(Measure, name="v", reference=ROSENBERG):
    """1 is best, 0 is no knowledge: the harmonic mean of homogeneity and completeness.

    (1+β)·h·c/(β·h + c), written as (1+β)·I/(β·H(K) + H(C)) so that rounding near 0 stays small.
    β above 1 weighs completeness; β = 0 is homogeneity.
    """

    beta: float = 1.0

    def __post_init__(self) -> None:
        if not self.beta >= 0:
            raise InputError(f"v: beta is {self.beta}, expected a number that is 0 or more")

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Only the balanced mean treats both sides alike."""
        return self.beta == 1

    def compute(self, entropies: Entropies) -> float:
        if entropies.perfect:
            return 1.0
        if self.beta == 0:
            return Homogeneity().compute(entropies)
        if math.isinf(self.beta):
            return Completeness().compute(entropies)
        scale = self.beta * entropies.system + entropies.gold
        if scale == 0:
            raise Undefined("the entropies of both sides cancel")
        return (1 + self.beta) * entropies.mutual / scale


class VI(Distance, name="vi", range=UNBOUNDED, symmetric=True, reference=MEILA):
    """0 is best, in nats: the information lost and gained between the two, H(C|K) + H(K|C)."""

    def compute(self, entropies: Entropies) -> float:
        return entropies.gold_given_system + entropies.system_given_gold


class NVI(Distance, name="nvi", range=UNBOUNDED, reference=REICHART):
    """0 is best; 1 = as bad as one big cluster; no upper bound. VI/H(C); H(K) if H(C) = 0."""

    def compute(self, entropies: Entropies) -> float:
        if entropies.gold == 0:
            return entropies.system
        return VI().compute(entropies) / entropies.gold


class NVIK(Distance, name="nvi-k", range=UNBOUNDED, reference=REICHART):
    """0 is best; no upper bound. VI/H(K); H(C) if H(K) = 0. Favours many clusters."""

    def compute(self, entropies: Entropies) -> float:
        if entropies.system == 0:
            return entropies.gold
        return VI().compute(entropies) / entropies.system


class VILogN(Distance, name="vi-logn", symmetric=True, reference=MEILA):
    """0 is best, 1 the worst N items allow: VI/log N. Not comparable between sizes of data."""

    def compute(self, entropies: Entropies, sizes: Sizes) -> float:
        vi = VI().compute(entropies)
        if isinstance(sizes.n, float):
            raise Undefined("a table of fractions has no number of items")
        if sizes.n <= 1:
            if vi == 0:
                return 0.0
            raise Undefined("log N is 0 for a single item")
        return vi / math.log(sizes.n)


class MI(Measure, name="mi", range=UNBOUNDED, symmetric=True, best=None, reference="Shannon 1948"):
    """H(C) is best, 0 is no knowledge, in nats: the mutual information of classes and clusters."""

    def compute(self, entropies: Entropies) -> float:
        return entropies.mutual


@dataclass(frozen=True)
class NMI(Measure, name="nmi", symmetric=True, reference="Strehl & Ghosh 2002"):
    """1 is best, 0 is no knowledge: I(C;K) over an average of H(C) and H(K).

    `average` is arithmetic (then it is V), geometric, min or max.
    """

    average: str = "arithmetic"

    def __post_init__(self) -> None:
        choose("nmi", "average", self.average, AVERAGES)

    def compute(self, entropies: Entropies) -> float:
        if entropies.perfect:
            return 1.0
        scale = average(self.average, entropies.gold, entropies.system)
        # One side says nothing at all, so nothing is shared.
        return entropies.mutual / scale if scale else 0.0


class ZKEntropy(Distance, name="zk-entropy", reference="Zhao & Karypis 2001"):
    """0 is best: H(C|K)/log q for q classes. Rewards purity only; singletons score 0."""

    def compute(self, entropies: Entropies, sizes: Sizes) -> float:
        left = entropies.gold_given_system
        if sizes.classes == 1:
            return 0.0
        return left / math.log(sizes.classes)


DOM = "Dom 2001"


def table_cost(sizes: Histogram, classes: int, n: float) -> float:
    """(1/n)·Σ log binom(size + |C| − 1, |C| − 1): the cost of each cluster's class counts.

    The binomial goes through the beta function, which keeps its digits at any size.
    """
    from scipy.special import betaln

    if classes == 1:
        return 0.0
    counts = sizes.counts.astype(np.float64)
    cost = -np.log(counts + classes) - betaln(counts + 1, classes)
    return weighted_sum(cost, sizes.cells) / n


class Q0(Measure, name="q0", direction="lower", range=UNBOUNDED, best=None, reference=DOM):
    """Lower is better, in nats per item: H(C|K) plus the cost of the clusters' class counts."""

    def compute(self, entropies: Entropies, sizes: Sizes) -> float:
        cost = table_cost(sizes.system, sizes.classes, float(sizes.n))
        return entropies.gold_given_system + cost


class Q2(Measure, name="q2", reference=DOM):
    """1 is best: the cost of a perfect clustering over that of this one; 1 for a single class."""

    def compute(self, entropies: Entropies, sizes: Sizes) -> float:
        if sizes.classes == 1:
            # Nothing has to be sent, whatever the clusters.
            return 1.0
        least = table_cost(sizes.gold, sizes.classes, float(sizes.n))
        return least / Q0().compute(entropies, sizes)


@dataclass(frozen=True)
class AMI(
    Measure,
    name="ami",
    range=(-math.inf, 1.0),
    symmetric=True,
    reference="Vinh, Epps & Bailey 2010",
):
    """1 is best, 0 is chance: mutual information adjusted by its exact expectation.

    `average` of the entropies is arithmetic, geometric, min or max. Plug-in entropies only.
    """

    average: str = "arithmetic"

    def __post_init__(self) -> None:
        choose("ami", "average", self.average, AVERAGES)

    def compute(self, chance: Chance) -> float:
        if chance.perfect:
            return 1.0
        if chance.constant:
            # Every labelling of these sizes shares the same information: nothing is above chance.
            return 0.0
        above = chance.mutual - chance.expected
        return above / (average(self.average, chance.gold, chance.system) - chance.expected)


class RMI(
    Measure,
    name="rmi",
    range=(-math.inf, math.inf),
    symmetric=True,
    best=None,
    reference="Newman, Cantwell & Young 2020",
):
    """Higher is better, in nats; can be negative: information less the cost of sending the table.

    I(C;K) − (1/N)·log Ω, where Ω counts the tables with these sizes (Newman's approximation).
    """

    def compute(self, chance: Chance, sizes: Sizes) -> float:
        return chance.mutual - log_tables(sizes) / float(sizes.n)


def log_tables(sizes: Sizes) -> float:
    """Approximate log of the number of whole tables with these row and column sums.

    Newman, Cantwell & Young's equation 29, which is not symmetric to the last digit: the two
    readings are averaged. Exactly 0 when one side is a single cluster.
    """
    if sizes.classes == 1 or sizes.clusters == 1:
        return 0.0
    one_way = _log_tables(sizes.gold, sizes.system, float(sizes.n))
    return (one_way + _log_tables(sizes.system, sizes.gold, float(sizes.n))) / 2


def _log_tables(rows: Histogram, columns: Histogram, n: float) -> float:
    from scipy.special import gammaln

    r, s = float(rows.seen), float(columns.seen)
    w = n / (n + r * s / 2)
    x, y = _smoothed(rows, r, w, n), _smoothed(columns, s, w, n)
    mu = (r + 1) / (r * weighted_sum(columns.cells, y * y)) - 1 / r
    nu = (s + 1) / (s * weighted_sum(rows.cells, x * x)) - 1 / s
    logs_x = weighted_sum(rows.cells, np.log(x))
    logs_y = weighted_sum(columns.cells, np.log(y))
    gammas = (
        gammaln(mu * r)
        + gammaln(nu * s)
        - s * (gammaln(nu) + gammaln(r))
        - r * (gammaln(mu) + gammaln(s))
    )
    return float(
        (r - 1) * (s - 1) * math.log(n + r * s / 2)
        + (r + nu - 2) * logs_y / 2
        + (s + mu - 2) * logs_x / 2
        + gammas / 2
    )


def _smoothed(sizes: Histogram, m: float, w: float, n: float) -> Floats:
    return (1 - w) / m + w * sizes.counts.astype(np.float64) / n
