"""Reduced mutual information: mutual information minus the cost of encoding the table.

If a receiver knows the clusters and the contingency table, the class of every item can be
transmitted in a shorter message. But the table must be transmitted as well, at a cost that depends
on the code. With a_i items in class i, b_j items in cluster j, n_ij items in both, and N items in
total,

    (1)  RMI = (1/N)·(log(N!·Π n_ij!/(Π a_i!·Π b_j!)) − cost of the table).
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
from roget.scoring.measures.base import EVERYTHING, Measure, divide, undefined
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
    choices={"reduction": REDUCTIONS, "normalise": SCALES},
):
    """Mutual information in nats minus the cost of the table. Higher is better; may be negative.

    The cost is the information that is needed to describe the contingency table, so more clusters
    alone do not raise the score. The formula is (1/N)·(log(N!·Πn_ij!/(Πa_i!·Πb_j!)) − cost), with
    a_i items in class i, b_j items in cluster j and n_ij items in both.

    - `reduction=flat`: the cost is the logarithm of the number of tables with the same sizes,
      estimated as in Jerdee, Kirkley & Newman 2022.
    - `reduction=dirichlet`: the table is encoded as in Jerdee, Kirkley & Newman 2024, with the best
      concentration parameters between 10⁻⁴ and 10⁴.
    - `normalise` divides by the self-information of gold or of the system, or by the arithmetic,
      geometric, min or max average of both. A perfect clustering then scores 1.

    The costs change slightly if gold and system are exchanged, so the measure is not symmetric.
    """

    reduction: str = "flat"
    normalise: str = "none"

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True if the score averages both directions (gold given system, and vice versa)."""
        return self.normalise in SCALES[3:]

    @property
    def best(self) -> float | None:  # type: ignore[override]
        """The best score: 1 if normalised, otherwise None."""
        return None if self.normalise == "none" else 1.0

    def compute(self, sizes: Sizes, joint: Histogram) -> Values:
        if not (joint.whole and sizes.gold.whole and sizes.system.whole):
            raise Undefined("the number of tables is undefined for fractional counts")
        gold, system, n = sizes.gold, sizes.system, np.float64(sizes.n)
        inform = _reduce_flat if self.reduction == "flat" else _reduce_dirichlet
        if self.normalise == "none":
            if self.reduction == "flat":
                # The number of tables is symmetric, but its estimate is not. As in the authors'
                # code, use the classes as rows.
                return inform(system, gold, joint, n) / n
            return inform(gold, system, joint, n) / n
        # `forth` is the information about gold, given the system, and `back` the information about
        # the system, given gold. `own` and `other` are the self-information of gold and the system,
        # respectively.
        forth, own = inform(gold, system, joint, n), inform(gold, gold, gold, n)
        if self.normalise == "gold":
            value, scale = forth, own
        else:
            back, other = inform(system, gold, joint, n), inform(system, system, system, n)
            value, scale = (
                _average(self.normalise, forth, back),
                _average(self.normalise, own, other),
            )
        perfect = np.equal(joint.seen, sizes.classes) & np.equal(sizes.classes, sizes.clusters)
        # Treat a scale of at most 1 nat per 10¹² items as 0, because it is due to rounding errors.
        nothing = np.less_equal(scale, 1e-12 * n) & ~perfect
        gaps = undefined(
            nothing,
            "the normaliser is 0, because the class and cluster sizes alone determine the labels",
        )
        return np.where(perfect, 1.0, divide(value, np.where(nothing, 1.0, scale))) + gaps


def _average(kind: str, forth: Values, back: Values) -> Values:
    """Return the average over both directions, or the value of the selected direction."""
    if kind == "system":
        return back
    if kind == "geometric":
        negative = np.less(forth, 0) | np.less(back, 0)
        gaps = undefined(negative, "the geometric mean of negative information is undefined")
        return average(kind, np.maximum(forth, 0), np.maximum(back, 0)) + gaps
    return average(kind, forth, back)


def _count_labellings(sizes: Histogram, joint: Histogram, by: Histogram, n: Any) -> Values:
    """Return log(N!·Πn_ij!/(Πa_i!·Πb_j!)), the first term of equation (1)."""
    from scipy.special import gammaln

    cells, rows, columns = (h.sum(gammaln(h.counts + 1.0)) for h in (joint, sizes, by))
    one = np.equal(sizes.seen, 1) | np.equal(by.seen, 1)
    return np.where(one, 0.0, gammaln(n + 1.0) + cells - rows - columns)


def _log_ways(n: Any, alpha: Any) -> Any:
    """Return log(Γ(n+α)/(Γ(α)·n!)).

    For integer α this is the logarithm of the number of ways to put n identical items into α boxes.
    """
    from scipy.special import betaln

    # Equal to −log B(n, α) − log n. The beta function is accurate for all sizes.
    return -betaln(n, alpha) - np.log(n)


def _reduce_flat(target: Histogram, by: Histogram, joint: Histogram, n: Any) -> Values:
    """Return N·RMI, where the cost of the table is the logarithm of the number of tables."""
    return _count_labellings(target, joint, by, n) - count_tables(by, target, n)


def count_tables(rows: Histogram, columns: Histogram, n: Any) -> Values:
    """Return the log of the number of tables with the given row and column sums.

    For m rows with sums a_i and columns with sums b_j, Jerdee, Kirkley & Newman 2022 estimate
    (2)  Ω ≈ Π_j C(b_j + m − 1, m − 1)·Π_i C(a_i + α − 1, α − 1)/C(N + mα − 1, mα − 1),
    where α is chosen to match the covariances of the row sums in random tables with these column
    sums. The result is exact if there is a single row or column, or if every column contains one
    item.
    """
    from scipy.special import gammaln

    # Compute α = (N² − N + (N² − Σ b_j²)/m)/(Σ b_j² − N).
    m, squares = np.float64(rows.seen), columns.sum(np.square(columns.counts.astype(np.float64)))
    single = np.equal(squares, n)
    alpha = divide(n * n - n + (n * n - squares) / m, np.where(single, 0.0, squares - n), 1.0)
    ways = (
        rows.sum(_log_ways(rows.counts.astype(np.float64), rows.spread(alpha)))
        + columns.sum(_log_ways(columns.counts.astype(np.float64), columns.spread(m)))
        - _log_ways(n, m * alpha)
    )
    # If each column has one item, there are N!/Π a_i! tables. If there is a single row or column,
    # there is only one table.
    alone = gammaln(n + 1.0) - rows.sum(gammaln(rows.counts + 1.0))
    one = np.equal(m, 1) | np.equal(columns.seen, 1)
    return np.where(one, 0.0, np.where(single, alone, ways))


LOW, HIGH = math.log(1e-4), math.log(1e4)
"""Logarithms of the smallest and largest concentration parameters, as in the authors' code."""


def _reduce_dirichlet(target: Histogram, by: Histogram, joint: Histogram, n: Any) -> Values:
    """Return N·RMI, where the class sizes and the table are encoded by Dirichlet–multinomial codes.

    The concentration parameter of each code is chosen to minimise the length of the message.
    """
    q = np.float64(target.seen)

    def send_sizes(alpha: Values) -> Values:
        each = _log_ways(target.counts.astype(np.float64), target.spread(alpha))
        return _log_ways(n, q * alpha) - target.sum(each)

    def send_table(alpha: Values) -> Values:
        cells = _log_ways(joint.counts.astype(np.float64), joint.spread(alpha))
        columns = _log_ways(by.counts.astype(np.float64), by.spread(q * alpha))
        return by.sum(columns) - joint.sum(cells)

    shape = np.shape(n)
    saved = _minimise(send_sizes, shape) - _minimise(send_table, shape)
    return _count_labellings(target, joint, by, n) + saved


_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 27
"""Number of steps of the golden-section search.

After the last step the inner points are 10⁻⁵ apart, as in the authors' code.
"""


def _minimise(cost: Callable[[Values], Values], shape: tuple[int, ...]) -> Values:
    """Minimise the cost over the concentration parameter, per group, by golden-section search."""
    low, high = np.full(shape, LOW), np.full(shape, HIGH)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = cost(_exp(left)), cost(_exp(right))
    for _ in range(_STEPS):
        # Shrink the bracket around the inner point with the lower cost. One inner point is reused,
        # so only one new cost is computed.
        down = np.less(at_left, at_right)
        low, high = np.where(down, low, left), np.where(down, right, high)
        new = np.where(down, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
        at_new = cost(_exp(new))
        left, right = np.where(down, new, right), np.where(down, left, new)
        at_left, at_right = np.where(down, at_new, at_right), np.where(down, at_left, at_new)
    return cost(_exp((low + high) / 2))


def _exp(log: Floats) -> Any:
    """Return the exponential, as an array if there are groups and as a number otherwise."""
    return np.exp(log) if np.ndim(log) else math.exp(log)


class PlugInRMI(
    Measure, name="rmi-plug-in", range=EVERYTHING, symmetric=True, best=None, reference=NEWMAN
):
    """Plug-in mutual information in nats minus the cost of the table. Higher is better; may be
    negative.

    The formula is I(C;K) − (1/N)·log Ω, where Ω is the approximate number of tables with the same
    sizes.
    """

    def compute(self, chance: Chance, sizes: Sizes) -> Values:
        return chance.mutual - log_tables(sizes) / np.float64(sizes.n)


def log_tables(sizes: Sizes) -> Values:
    """Return the approximate log of the number of tables with the given row and column sums.

    The approximation is equation 29 of Newman, Cantwell & Young. It is slightly asymmetric, so the
    mean of both directions is returned. The result is exactly 0 if there is a single row or column.
    """
    n = np.float64(sizes.n)
    logs = _log_tables(sizes.gold, sizes.system, n) + _log_tables(sizes.system, sizes.gold, n)
    return np.where(np.equal(sizes.classes, 1) | np.equal(sizes.clusters, 1), 0.0, logs / 2)


def _log_tables(rows: Histogram, columns: Histogram, n: Any) -> Values:
    """Return equation 29 of Newman, Cantwell & Young for r rows and s columns."""
    from scipy.special import gammaln

    # The weight w smooths the relative row sums x and column sums y towards the uniform
    # distribution.
    r, s = np.float64(rows.seen), np.float64(columns.seen)
    w = n / (n + r * s / 2)
    x, y = _smooth(rows, r, w, n), _smooth(columns, s, w, n)
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


def _smooth(sizes: Histogram, m: Any, w: Any, n: Any) -> Floats:
    """Return (1 − w)/m + w·size/n for each size."""
    w, shares = sizes.spread(w), sizes.counts.astype(np.float64)
    return np.asarray((1 - w) / sizes.spread(m) + w * shares / sizes.spread(n))
