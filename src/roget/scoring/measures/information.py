"""Measures made of H(C), H(K) and H(C,K): any entropy estimator serves them all.

Conditional entropies are always differences of the three, each estimated on its own, so a
corrected value may leave the plug-in range. Nothing is clamped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from roget.errors import InputError, Undefined
from roget.scoring.measures.base import Measure, choose
from roget.scoring.statistics import Entropies, Sizes

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


@dataclass(frozen=True)
class Homogeneity(Measure):
    """1 is best: each cluster holds one class only. 1 − H(C|K)/H(C); 1 if H(C) = 0."""

    name = "homogeneity"
    needs = ("entropies",)
    reference = ROSENBERG

    def compute(self, entropies: Entropies) -> float:
        if entropies.gold == 0:
            return 1.0
        return 1 - entropies.gold_given_system / entropies.gold


@dataclass(frozen=True)
class Completeness(Measure):
    """1 is best: each class lies in one cluster. 1 − H(K|C)/H(K); 1 if H(K) = 0."""

    name = "completeness"
    needs = ("entropies",)
    reference = ROSENBERG

    def compute(self, entropies: Entropies) -> float:
        if entropies.system == 0:
            return 1.0
        return 1 - entropies.system_given_gold / entropies.system


@dataclass(frozen=True)
class V(Measure):
    """1 is best, 0 is no knowledge: the harmonic mean of homogeneity and completeness.

    (1+β)·h·c/(β·h + c), written as (1+β)·I/(β·H(K) + H(C)) so that rounding near 0 stays small.
    β above 1 weighs completeness; β = 0 is homogeneity.
    """

    beta: float = 1.0

    name = "v"
    needs = ("entropies",)
    reference = ROSENBERG

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


@dataclass(frozen=True)
class VI(Measure):
    """0 is best, in nats: the information lost and gained between the two, H(C|K) + H(K|C)."""

    name = "vi"
    direction = "lower"
    range = (0.0, math.inf)
    symmetric = True
    best = 0.0
    needs = ("entropies",)
    reference = MEILA

    def compute(self, entropies: Entropies) -> float:
        return entropies.gold_given_system + entropies.system_given_gold


@dataclass(frozen=True)
class NVI(Measure):
    """0 is best; 1 = as bad as one big cluster; no upper bound. VI/H(C); H(K) if H(C) = 0."""

    name = "nvi"
    direction = "lower"
    range = (0.0, math.inf)
    best = 0.0
    needs = ("entropies",)
    reference = REICHART

    def compute(self, entropies: Entropies) -> float:
        if entropies.gold == 0:
            return entropies.system
        return VI().compute(entropies) / entropies.gold


@dataclass(frozen=True)
class NVIK(Measure):
    """0 is best; no upper bound. VI/H(K); H(C) if H(K) = 0. Favours many clusters."""

    name = "nvi-k"
    direction = "lower"
    range = (0.0, math.inf)
    best = 0.0
    needs = ("entropies",)
    reference = REICHART

    def compute(self, entropies: Entropies) -> float:
        if entropies.system == 0:
            return entropies.gold
        return VI().compute(entropies) / entropies.system


@dataclass(frozen=True)
class VILogN(Measure):
    """0 is best, 1 the worst N items allow: VI/log N. Not comparable between sizes of data."""

    name = "vi-logn"
    direction = "lower"
    symmetric = True
    best = 0.0
    needs = ("entropies", "sizes")
    reference = MEILA

    def compute(self, entropies: Entropies, sizes: Sizes) -> float:
        vi = VI().compute(entropies)
        if isinstance(sizes.n, float):
            raise Undefined("a table of fractions has no number of items")
        if sizes.n <= 1:
            if vi == 0:
                return 0.0
            raise Undefined("log N is 0 for a single item")
        return vi / math.log(sizes.n)


@dataclass(frozen=True)
class MI(Measure):
    """H(C) is best, 0 is no knowledge, in nats: the mutual information of classes and clusters."""

    name = "mi"
    range = (0.0, math.inf)
    symmetric = True
    best = None
    needs = ("entropies",)
    reference = "Shannon 1948"

    def compute(self, entropies: Entropies) -> float:
        return entropies.mutual


@dataclass(frozen=True)
class NMI(Measure):
    """1 is best, 0 is no knowledge: I(C;K) over an average of H(C) and H(K).

    `average` is arithmetic (then it is V), geometric, min or max.
    """

    average: str = "arithmetic"

    name = "nmi"
    symmetric = True
    needs = ("entropies",)
    reference = "Strehl & Ghosh 2002"

    def __post_init__(self) -> None:
        choose("nmi", "average", self.average, AVERAGES)

    def compute(self, entropies: Entropies) -> float:
        if entropies.perfect:
            return 1.0
        scale = average(self.average, entropies.gold, entropies.system)
        # One side says nothing at all, so nothing is shared.
        return entropies.mutual / scale if scale else 0.0


@dataclass(frozen=True)
class ZKEntropy(Measure):
    """0 is best: H(C|K)/log q for q classes. Rewards purity only; singletons score 0."""

    name = "zk-entropy"
    direction = "lower"
    best = 0.0
    needs = ("entropies", "sizes")
    reference = "Zhao & Karypis 2001"

    def compute(self, entropies: Entropies, sizes: Sizes) -> float:
        left = entropies.gold_given_system
        if sizes.classes == 1:
            return 0.0
        return left / math.log(sizes.classes)
