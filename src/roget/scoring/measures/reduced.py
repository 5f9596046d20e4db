"""Reduced mutual information: what the clusters tell of the classes, less the cost of the table.

Who is told the clusters, and then the table of classes and clusters, needs to be told less to know
the class of every item. Sending the table costs something too; how much depends on the code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.types import Floats, Values
from roget.errors import Undefined
from roget.scoring.entropy import Histogram
from roget.scoring.measures.base import EVERYTHING, Measure, choose, divide, undefined
from roget.scoring.measures.information import AVERAGES, average
from roget.scoring.tables.records import Chance, Sizes

NEWMAN = "Newman, Cantwell & Young 2020"
REDUCTIONS = ("flat", "dirichlet")
SCALES = ("none", "gold", "system", *AVERAGES)


@dataclass(frozen=True)
class RMI(
    Measure,
    name="rmi",
    range=EVERYTHING,
    reference=f"{NEWMAN}; Jerdee, Kirkley & Newman 2024",
):
    """Higher is better, in nats; can be negative: what the clusters tell of the classes, less the
    cost of sending the table.

    (1/N)·(log N!·Πn_ij!/(Πa_i!·Πb_j!) − cost), with a_i items in a class, b_j in a cluster and n_ij
    in both. The cost is by `reduction`: flat, log of the number of tables with these sizes, by the
    estimate of Jerdee, Kirkley & Newman 2022; or dirichlet, their code of 2024, whose
    concentration is the best between 10⁻⁴ and 10⁴, for what the clusters tell of the classes. Both
    change (slightly) if the sides change places. `normalise` divides by what a side tells of
    itself: gold, system, or the arithmetic, geometric, min or max of both directions; a perfect
    clustering then scores 1.
    """

    reduction: str = "flat"
    normalise: str = "none"

    def __post_init__(self) -> None:
        choose("rmi", "reduction", self.reduction, REDUCTIONS)
        choose("rmi", "normalise", self.normalise, SCALES)

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Where both directions are taken together."""
        return self.normalise in SCALES[3:]

    @property
    def best(self) -> float | None:  # type: ignore[override]
        """1 where it is a share of what there is to know."""
        return None if self.normalise == "none" else 1.0

    def compute(self, sizes: Sizes, joint: Histogram) -> Values:
        if not (joint.whole and sizes.gold.whole and sizes.system.whole):
            raise Undefined("counting tables needs whole counts, not weighted ones")
        gold, system, n = sizes.gold, sizes.system, np.float64(sizes.n)
        tell = _reduce_flat if self.reduction == "flat" else _reduce_dirichlet
        if self.normalise == "none":
            if self.reduction == "flat":
                # As many tables from both sides, but for the estimate: the authors' has classes
                # as rows when it is called with gold and system.
                return tell(system, gold, joint, n) / n
            return tell(gold, system, joint, n) / n
        # What is told of gold, of the system, and of each by itself.
        forth, own = tell(gold, system, joint, n), tell(gold, gold, gold, n)
        if self.normalise == "gold":
            value, scale = forth, own
        else:
            back, other = tell(system, gold, joint, n), tell(system, system, system, n)
            value, scale = (
                _average(self.normalise, forth, back),
                _average(self.normalise, own, other),
            )
        perfect = np.equal(joint.seen, sizes.classes) & np.equal(sizes.classes, sizes.clusters)
        # Less than a nat in 10¹² items is rounding.
        nothing = np.less_equal(scale, 1e-12 * n) & ~perfect
        gaps = undefined(nothing, "the sizes alone tell all there is to know")
        return np.where(perfect, 1.0, divide(value, np.where(nothing, 1.0, scale))) + gaps


def _average(kind: str, forth: Values, back: Values) -> Values:
    if kind == "system":
        return back
    if kind == "geometric":
        negative = np.less(forth, 0) | np.less(back, 0)
        gaps = undefined(negative, "there is no geometric mean of information below 0")
        return average(kind, np.maximum(forth, 0), np.maximum(back, 0)) + gaps
    return average(kind, forth, back)


def _count_labellings(sizes: Histogram, joint: Histogram, by: Histogram, n: Any) -> Values:
    """log N!·Πn_ij!/(Πa_i!·Πb_j!): how many labellings fewer fit once the table is known."""
    from scipy.special import gammaln

    cells, rows, columns = (h.sum(gammaln(h.counts + 1.0)) for h in (joint, sizes, by))
    one = np.equal(sizes.seen, 1) | np.equal(by.seen, 1)
    return np.where(one, 0.0, gammaln(n + 1.0) + cells - rows - columns)


def _log_ways(n: Any, alpha: Any) -> Any:
    """log Γ(n+α)/(Γ(α)·n!): for whole α, in how many ways α boxes may share n items."""
    from scipy.special import betaln

    # The beta function keeps its digits at any size.
    return -betaln(n, alpha) - np.log(n)


def _reduce_flat(told: Histogram, by: Histogram, joint: Histogram, n: Any) -> Values:
    return _count_labellings(told, joint, by, n) - count_tables(by, told, n)


def count_tables(rows: Histogram, columns: Histogram, n: Any) -> Values:
    """Log of the number of whole tables with these sums, by Jerdee, Kirkley & Newman 2022.

    Exact where a side is one set, and where every column holds one item.
    """
    from scipy.special import gammaln

    m, squares = np.float64(rows.seen), columns.sum(np.square(columns.counts.astype(np.float64)))
    single = np.equal(squares, n)
    alpha = divide(n * n - n + (n * n - squares) / m, np.where(single, 0.0, squares - n), 1.0)
    ways = (
        rows.sum(_log_ways(rows.counts.astype(np.float64), rows.spread(alpha)))
        + columns.sum(_log_ways(columns.counts.astype(np.float64), columns.spread(m)))
        - _log_ways(n, m * alpha)
    )
    alone = gammaln(n + 1.0) - rows.sum(gammaln(rows.counts + 1.0))
    one = np.equal(m, 1) | np.equal(columns.seen, 1)
    return np.where(one, 0.0, np.where(single, alone, ways))


LOW, HIGH = math.log(1e-4), math.log(1e4)
"""Between which the concentration is looked for, as the authors do."""


def _reduce_dirichlet(told: Histogram, by: Histogram, joint: Histogram, n: Any) -> Values:
    q = np.float64(told.seen)

    def send_sizes(alpha: Values) -> Values:
        each = _log_ways(told.counts.astype(np.float64), told.spread(alpha))
        return _log_ways(n, q * alpha) - told.sum(each)

    def send_table(alpha: Values) -> Values:
        cells = _log_ways(joint.counts.astype(np.float64), joint.spread(alpha))
        columns = _log_ways(by.counts.astype(np.float64), by.spread(q * alpha))
        return by.sum(columns) - joint.sum(cells)

    shape = np.shape(n)
    saved = _least(send_sizes, shape) - _least(send_table, shape)
    return _count_labellings(told, joint, by, n) + saved


_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 27
"""Then the two inner points are 10⁻⁵ apart, where the authors stop. Further steps would matter at
the ends of the range only, where the cost has a slope."""


def _least(cost: Callable[[Values], Values], shape: tuple[int, ...]) -> Values:
    """The least cost of any concentration, in each group, by golden sections."""
    low, high = np.full(shape, LOW), np.full(shape, HIGH)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    here, there = cost(_exp(left)), cost(_exp(right))
    for _ in range(_STEPS):
        down = np.less(here, there)
        low, high = np.where(down, low, left), np.where(down, right, high)
        new = np.where(down, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        found = cost(_exp(new))
        left, right = np.where(down, new, right), np.where(down, left, new)
        here, there = np.where(down, found, there), np.where(down, here, found)
    return cost(_exp((low + high) / 2))


def _exp(log: Floats) -> Any:
    # Groups have arrays, one table a number.
    return np.exp(log) if np.ndim(log) else math.exp(log)


class PlugInRMI(
    Measure, name="rmi-plug-in", range=EVERYTHING, symmetric=True, best=None, reference=NEWMAN
):
    """Higher is better, in nats; can be negative: plug-in information less the cost of the table.

    I(C;K) − (1/N)·log Ω, where Ω counts the tables with these sizes (Newman's approximation).
    """

    def compute(self, chance: Chance, sizes: Sizes) -> Values:
        return chance.mutual - log_tables(sizes) / np.float64(sizes.n)


def log_tables(sizes: Sizes) -> Values:
    """Approximate log of the number of whole tables with these row and column sums.

    Newman, Cantwell & Young's equation 29, which is not symmetric to the last digit: the two
    readings are averaged. Exactly 0 when one side is a single cluster.
    """
    n = np.float64(sizes.n)
    logs = _log_tables(sizes.gold, sizes.system, n) + _log_tables(sizes.system, sizes.gold, n)
    return np.where(np.equal(sizes.classes, 1) | np.equal(sizes.clusters, 1), 0.0, logs / 2)


def _log_tables(rows: Histogram, columns: Histogram, n: Any) -> Values:
    from scipy.special import gammaln

    r, s = np.float64(rows.seen), np.float64(columns.seen)
    w = n / (n + r * s / 2)
    x, y = _smoothed(rows, r, w, n), _smoothed(columns, s, w, n)
    mu = (r + 1) / (r * columns.sum(y * y)) - 1 / r
    nu = (s + 1) / (s * rows.sum(x * x)) - 1 / s
    logs_x, logs_y = rows.sum(np.log(x)), columns.sum(np.log(y))
    gammas = (
        gammaln(mu * r)
        + gammaln(nu * s)
        - s * (gammaln(nu) + gammaln(r))
        - r * (gammaln(mu) + gammaln(s))
    )
    return (
        (r - 1) * (s - 1) * np.log(n + r * s / 2)
        + (r + nu - 2) * logs_y / 2
        + (s + mu - 2) * logs_x / 2
        + gammas / 2
    )


def _smoothed(sizes: Histogram, m: Any, w: Any, n: Any) -> Floats:
    of, w = sizes.spread(n), sizes.spread(w)
    return np.asarray((1 - w) / sizes.spread(m) + w * sizes.counts.astype(np.float64) / of)
