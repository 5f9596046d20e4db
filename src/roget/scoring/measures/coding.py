"""Dom's measures: the bits needed to send the classes to someone who knows the clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from roget.core.information import weighted_sum
from roget.scoring.entropy import Histogram
from roget.scoring.measures.base import Measure
from roget.scoring.statistics import Entropies, Sizes

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


@dataclass(frozen=True)
class Q0(Measure):
    """Lower is better, in nats per item: H(C|K) plus the cost of the clusters' class counts."""

    name = "q0"
    direction = "lower"
    range = (0.0, math.inf)
    best = None
    needs = ("entropies", "sizes")
    reference = DOM

    def compute(self, entropies: Entropies, sizes: Sizes) -> float:
        cost = table_cost(sizes.system, sizes.classes, float(sizes.n))
        return entropies.gold_given_system + cost


@dataclass(frozen=True)
class Q2(Measure):
    """1 is best: the cost of a perfect clustering over that of this one; 1 for a single class."""

    name = "q2"
    needs = ("entropies", "sizes")
    reference = DOM

    def compute(self, entropies: Entropies, sizes: Sizes) -> float:
        if sizes.classes == 1:
            # Nothing has to be sent, whatever the clusters.
            return 1.0
        least = table_cost(sizes.gold, sizes.classes, float(sizes.n))
        return least / Q0().compute(entropies, sizes)
