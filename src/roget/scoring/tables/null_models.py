"""Compute expectations over random clusterings with random cluster sizes (Gates & Ahn 2017).

In the `num` models, all clusterings of N items into K clusters are equally likely. In the `all`
models, all clusterings of N items are equally likely. The number of clusterings is N! times the
coefficient of z^N in the generating function

    (1)  f(z) = (e^z − 1)^K/K!   (num)   or   f(z) = exp(e^z − 1)   (all),

and expectations are ratios of such coefficients. By Cauchy's formula the coefficient is the mean of
f(z)·z^−N over a circle around 0 of radius r. If the circle passes through the saddle point, where
z·f'(z)/f(z) = N, that is,

    (2)  K·r/(1 − e^−r) = N   (num)   or   r·e^r = N   (all),

the integrand decays like a Gaussian with the angle θ, so a few dozen points z = r·e^{iθ} give full
precision for any N. All quantities are weighted means over these points, with weights

    (3)  w(θ) = f(z)/f(r)·(z/r)^−N.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from roget.core.types import Array, Floats, Values
from roget.scoring.entropy.base import Histogram, plug_in
from roget.scoring.tables.null_moments import excess
from roget.scoring.tables.records import Sizes


def expect_information(model: str, sizes: Sizes) -> Values:
    """Return the mean plug-in mutual information over random clusterings, for each group."""
    return _each(_expect_information, model, sizes)


def expect_disagreement(model: str, sizes: Sizes) -> Values:
    """Return the mean fraction of item pairs on which random clusterings disagree (1 − Rand)."""
    return _each(_expect_disagreement, model, sizes)


def _each(expect: Callable[[str, Histogram, Histogram], float], model: str, sizes: Sizes) -> Values:
    """Apply a function to the class and cluster sizes of each group."""
    sides = zip(sizes.gold.parts(), sizes.system.parts(), strict=True)
    values = [expect(model, gold, system) for gold, system in sides]
    return values[0] if sizes.gold.starts is None else np.array(values)


def _expect_information(model: str, gold: Histogram, system: Histogram) -> float:
    """Return E[I] = E[H(C)] + E[H(K)] − E[H(C,K)] for one group."""
    n = gold.total
    # The models num1 and all1 keep the gold classes fixed. For a random clustering, the sizes are
    # replaced by the expected number of clusters of each size.
    sides = [
        side if fixed else _expect_sizes(n, side.seen if "num" in model else None)
        for side, fixed in ((gold, model.endswith("1")), (system, False))
    ]
    cells = Sizes(sides[0], sides[1], n).random_cells
    h_gold, h_system, h_joint = (float(h.sum(plug_in(h.counts, float(n)))) for h in (*sides, cells))
    return h_gold + h_system - h_joint


def _expect_disagreement(model: str, gold: Histogram, system: Histogram) -> float:
    """Return the probability that exactly one of two clusterings puts a pair of items together."""
    n = gold.total
    if n == 1:
        return 0.0
    # The probability, for each clustering, that two items share a cluster. For a fixed clustering
    # it is the fraction of such pairs, and for a random clustering it is `_Circle.together`.
    joined = [
        sum(int(c) * (int(c) - 1) * int(m) for c, m in zip(side.counts, side.cells, strict=True))
        / (n * (n - 1))
        if fixed
        else _Circle.through_saddle(n, side.seen if "num" in model else None).together
        for side, fixed in ((gold, model.endswith("1")), (system, False))
    ]
    return joined[0] * (1 - joined[1]) + (1 - joined[0]) * joined[1]


@lru_cache(maxsize=256)
def _expect_sizes(n: int, clusters: int | None) -> Histogram:
    """Return the expected number of clusters of each size.

    If the range of sizes is wide, only a sample of sizes is used.
    """
    if clusters in (1, n):
        return Histogram(np.array([n / clusters]), np.array([float(clusters)]))
    # Sizes are distributed almost like a Poisson variable with mean r. All but a negligible part
    # of the distribution lies within 10 standard deviations √r of the mean.
    circle = _Circle.through_saddle(n, clusters)
    most = n if clusters is None else n - clusters + 1
    reach = 10 * math.sqrt(circle.radius)
    low = max(1, math.floor(circle.radius - reach - 5))
    high = min(most, math.ceil(circle.radius + reach + 60))
    # Sample a wide distribution at steps of 1/12 of the standard deviation. For smooth
    # functions the sum over the samples, times the step, equals the full sum to machine precision.
    step = max(1, math.floor(math.sqrt(circle.radius) / 12)) if circle.radius > 2500 else 1
    sizes = np.arange(low, high + 1, step).astype(np.float64)
    expected = circle.count_sizes(sizes)
    relevant = expected > 1e-18 * expected.max()
    sizes, expected = sizes[relevant], expected[relevant]
    # Normalise to Σ size·expected = n. This accounts for the step and removes rounding errors.
    return Histogram(sizes, expected * (n / float((sizes * expected).sum())))


_WHOLE = 1 << 11
"""Maximum number of points per half circle for sampling the whole circle.

If more points are needed, only the peak is sampled.
"""

_SMALL = 300.0
"""Maximum radius for sampling the whole circle. On larger circles, f would overflow."""


@dataclass(frozen=True, eq=False)
class _Circle:
    """Points, with weights, on a circle in the complex plane through the saddle point."""

    n: int
    clusters: int | None
    """The number of clusters K, or None if it is not fixed."""
    radius: float

    @classmethod
    @lru_cache(maxsize=256)
    def through_saddle(cls, n: int, clusters: int | None) -> _Circle:
        """Make the circle whose radius solves equation (2)."""
        if clusters is None:
            from scipy.special import lambertw

            return cls(n, None, float(lambertw(n).real))
        if clusters in (1, n):
            return cls(n, clusters, 0.0)
        # Newton's method for r/(1 − e^−r) = N/K. The function is convex and the initial value N/K
        # is to the right of the root, so the iterates decrease monotonically.
        share = n / clusters
        r = share
        for _ in range(100):
            # `below` is 1 − e^−r. The derivative is (1 − e^−r − r·e^−r)/(1 − e^−r)², computed by
            # its series for small r, where the difference would cancel.
            below = -math.expm1(-r)
            slope = (below - r * math.exp(-r)) / below**2 if r > 0.01 else 0.5 + r / 6
            before, r = r, r - (r / below - share) / slope
            if abs(r - before) <= 1e-15 * r:
                break
        return cls(n, clusters, r)

    @property
    def deviation(self) -> float:
        """The inverse width of the peak: the square root of the curvature at the saddle point."""
        # The square root of d²/dt² log f(r·e^t) at t = 0, which is also the standard deviation of
        # a sum of K independent cluster sizes.
        r, k = self.radius, self.clusters
        if k is None:
            return math.sqrt(r * (1 + r) * math.exp(r))
        below = -math.expm1(-r)
        # `rest` is 1 − e^−r·(1 + r), computed by its series for small r, where the difference
        # would cancel.
        rest = below - r * math.exp(-r) if r > 0.01 else r * r * (1 / 2 - r / 3 + r * r / 8)
        return math.sqrt(k * r * rest) / below

    @cached_property
    def angles(self) -> Floats:
        """The angles of the points, dense enough for sums over the peak to be exact."""
        # The trapezoidal rule converges geometrically. For large N only the peak is sampled, up to
        # 9.5 times its width. In `count_sizes` one of the K clusters is left out, so the weights
        # decay more slowly by the factor √(1 − 1/K).
        k = 2 if self.clusters is None else self.clusters
        last = math.ceil(10 * self.deviation + 32)
        step = 2 * math.pi / (2 * last + 1)
        if last > _WHOLE or self.radius > _SMALL:
            last = math.ceil(9.5 / (self.deviation * math.sqrt(1 - 1 / k)) / step)
        return np.arange(-last, last + 1).astype(np.float64) * step

    @cached_property
    def _beyond(self) -> Array:
        """The difference z − r between each point and the radius.

        It is computed without catastrophic cancellation.
        """
        # Use the identity r·(e^{iθ} − 1) = r·(−2·sin²(θ/2) + i·sin θ).
        half = np.sin(self.angles / 2)
        return self.radius * (-2 * half * half + 1j * np.sin(self.angles))

    @cached_property
    def weights(self) -> Array:
        """The weight of each point, equation (3)."""
        turned = -1j * self.n * self.angles
        if self.clusters is None:
            # In the `all` models, f(z)/f(r) = exp(e^z − e^r) = exp(e^r·(e^{z−r} − 1)).
            return np.asarray(np.exp(math.exp(self.radius) * np.expm1(self._beyond) + turned))
        # In the `num` models, f(z)/f(r) = ((e^z − 1)/(e^r − 1))^K = exp(K·(z − r + log((1 −
        # e^−z)/(1 − e^−r)))).
        below = np.log(-np.expm1(-self.radius - self._beyond) / -np.expm1(-self.radius))
        return np.asarray(np.exp(self.clusters * (self._beyond + below) + turned))

    def mean(self, values: Array) -> Any:
        """Return the weighted mean over the points, along the last axis."""
        return (values * self.weights).sum(axis=-1).real / self.weights.sum().real

    @cached_property
    def together(self) -> float:
        """The probability that two items share a cluster.

        Clusterings in which the two items share a cluster correspond to clusterings of n − 1 items,
        so the probability is a ratio of two coefficients of f.
        """
        if self.clusters in (1, self.n):
            return float(self.clusters == 1)
        # The probability is (n−1)!·[z^(n−1)]f / (n!·[z^n]f) = (1/n)·(weighted mean of z).
        return float(self.radius * self.mean(np.exp(1j * self.angles)) / self.n)

    def count_sizes(self, sizes: Floats) -> Floats:
        """Return the expected number of clusters of each size s.

        This is the number of ways C(n, s) to choose the s items, times the number of clusterings of
        the other n − s items (into K − 1 clusters), divided by the number of all clusterings.
        """
        from scipy.special import gammaln

        turned = np.exp(1j * np.multiply.outer(sizes, self.angles))
        if self.clusters is None:
            # The expected number is (1/s!)·[z^(n−s)]f / [z^n]f = r^s/s!·(weighted mean of e^{isθ}).
            shares = np.exp(sizes * math.log(self.radius) - gammaln(sizes + 1))
            return np.asarray(shares * self.mean(turned))
        # With K − 1 clusters f(z) is multiplied by K/(e^z − 1) = K·e^−r·e^{−(z−r)}/(1 − e^−z), so
        # the result is K·(r^s·e^−r/s!)·(weighted mean of e^{isθ}·e^{−(z−r)}/(1 − e^−z)). For large
        # s the Poisson probabilities r^s·e^−r/s! use Stirling's series: logarithms would cancel.
        r = self.radius
        plain = sizes * math.log(r) - r - gammaln(sizes + 1)
        series = -r * excess(sizes / r - 1) - np.log(2 * math.pi * sizes) / 2 - 1 / (12 * sizes)
        chance = np.exp(np.where(sizes > 1000, series, plain))
        without = np.exp(-self._beyond) / -np.expm1(-r - self._beyond)
        return np.asarray(self.clusters * chance * self.mean(turned * without))
