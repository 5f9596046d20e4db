"""Mutual information less what chance or coding would account for."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from roget.core.information import weighted_sum
from roget.scoring.entropy import Histogram
from roget.scoring.measures.base import Measure, choose
from roget.scoring.measures.information import AVERAGES, average
from roget.scoring.statistics import Chance, Sizes


@dataclass(frozen=True)
class AMI(Measure):
    """1 is best, 0 is chance: mutual information adjusted by its exact expectation.

    `average` of the entropies is arithmetic, geometric, min or max. Plug-in entropies only.
    """

    average: str = "arithmetic"

    name = "ami"
    range = (-math.inf, 1.0)
    symmetric = True
    needs = ("chance",)
    reference = "Vinh, Epps & Bailey 2010"

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


@dataclass(frozen=True)
class RMI(Measure):
    """Higher is better, in nats; can be negative: information less the cost of sending the table.

    I(C;K) − (1/N)·log Ω, where Ω counts the tables with these sizes (Newman's approximation).
    """

    name = "rmi"
    range = (-math.inf, math.inf)
    symmetric = True
    best = None
    needs = ("chance", "sizes")
    reference = "Newman, Cantwell & Young 2020"

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


def _smoothed(sizes: Histogram, m: float, w: float, n: float) -> npt.NDArray[np.float64]:
    return (1 - w) / m + w * sizes.counts.astype(np.float64) / n
