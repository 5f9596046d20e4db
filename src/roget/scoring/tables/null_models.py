"""Random clusterings whose sizes are random too (Gates & Ahn 2017).

All clusterings of N items into K clusters are equally likely (models num), or all clusterings of N
items (models all). Their number is N! times the coefficient of z^N of the generating function

    (1)  f(z) = (e^z − 1)^K/K!   or   f(z) = exp(e^z − 1),

and expectations are ratios of such coefficients. By Cauchy's formula a coefficient is the mean of
f(z)·z^−N over a circle around 0. On the circle through the saddle point, where z·f'(z)/f(z) = N,

    (2)  K·r/(1 − e^−r) = N   or   r·e^r = N,

the integrand decays like a Gaussian with the angle, so a few dozen points give all digits at any N.
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
from roget.scoring.tables.hypergeometric import expected_cells
from roget.scoring.tables.null_moments import excess
from roget.scoring.tables.records import Sizes


def expect_information(model: str, sizes: Sizes) -> Values:
    """Return the mean plug-in mutual information of random clusterings, in each group."""
    return _each(_expect_information, model, sizes)


def expect_disagreement(model: str, sizes: Sizes) -> Values:
    """Return the mean share of pairs on which random clusterings disagree (1 − Rand)."""
    return _each(_expect_disagreement, model, sizes)


def _each(expect: Callable[[str, Histogram, Histogram], float], model: str, sizes: Sizes) -> Values:
    sides = zip(sizes.gold.parts(), sizes.system.parts(), strict=True)
    values = [expect(model, gold, system) for gold, system in sides]
    return values[0] if sizes.gold.starts is None else np.array(values)


def _expect_information(model: str, gold: Histogram, system: Histogram) -> float:
    n = gold.total
    sides = [
        side if fixed else _expect_sizes(n, side.seen if "num" in model else None)
        for side, fixed in ((gold, model.endswith("1")), (system, False))
    ]
    cells = expected_cells(sides[0], sides[1], n)[0]
    own, other, both = (float(h.sum(plug_in(h.counts, float(n)))) for h in (*sides, cells))
    return own + other - both


def _expect_disagreement(model: str, gold: Histogram, system: Histogram) -> float:
    n = gold.total
    if n == 1:
        return 0.0
    kept = [
        sum(int(c) * (int(c) - 1) * int(m) for c, m in zip(side.counts, side.cells, strict=True))
        / (n * (n - 1))
        if fixed
        else _Circle.through_saddle(n, side.seen if "num" in model else None).together
        for side, fixed in ((gold, model.endswith("1")), (system, False))
    ]
    return kept[0] * (1 - kept[1]) + (1 - kept[0]) * kept[1]


@lru_cache(maxsize=256)
def _expect_sizes(n: int, clusters: int | None) -> Histogram:
    """Return the expected number of clusters of each size; of a wide range, at steps only."""
    if clusters in (1, n):
        return Histogram(np.array([n / clusters]), np.array([float(clusters)]))
    circle = _Circle.through_saddle(n, clusters)
    most = n if clusters is None else n - clusters + 1
    reach = 10 * math.sqrt(circle.radius)
    low = max(1, math.floor(circle.radius - reach - 5))
    high = min(most, math.ceil(circle.radius + reach + 60))
    # Sums of smooth functions at steps of 1/12 of the deviation, times the step, equal the sums
    # over all sizes to all digits.
    step = max(1, math.floor(math.sqrt(circle.radius) / 12)) if circle.radius > 2500 else 1
    sizes = np.arange(low, high + 1, step).astype(np.float64)
    expected = circle.count_sizes(sizes)
    held = expected > 1e-18 * expected.max()
    sizes, expected = sizes[held], expected[held]
    # Every item is in one cluster: normalising removes the step and rounding errors.
    return Histogram(sizes, expected * (n / float((sizes * expected).sum())))


_WHOLE = 1 << 11
"""Up to twice this number of points, the whole circle is used."""

_SMALL = 300.0
"""On larger circles f would overflow on the far side, where the weights vanish."""


@dataclass(frozen=True, eq=False)
class _Circle:
    """The points of a circle through the saddle point, and their weights."""

    n: int
    clusters: int | None
    """The number of clusters K; None for any number."""
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
        # Newton's method on a convex function, starting to the right of its root.
        share = n / clusters
        r = share
        for _ in range(100):
            below = -math.expm1(-r)
            slope = (below - r * math.exp(-r)) / below**2 if r > 0.01 else 0.5 + r / 6
            before, r = r, r - (r / below - share) / slope
            if abs(r - before) <= 1e-15 * r:
                break
        return cls(n, clusters, r)

    @property
    def deviation(self) -> float:
        """The standard deviation of the sum of independently drawn sizes: the width of the peak."""
        r, k = self.radius, self.clusters
        if k is None:
            return math.sqrt(r * (1 + r) * math.exp(r))
        below = -math.expm1(-r)
        # 1 − e^−r·(1 + r), by its series where it would cancel.
        rest = below - r * math.exp(-r) if r > 0.01 else r * r * (1 / 2 - r / 3 + r * r / 8)
        return math.sqrt(k * r * rest) / below

    @cached_property
    def angles(self) -> Floats:
        """The angles of the points: wide enough for the peak, close enough for exact sums."""
        # Without one of the K clusters (see `count_sizes`) the weights decay more slowly.
        k = 2 if self.clusters is None else self.clusters
        last = math.ceil(10 * self.deviation + 32)
        step = 2 * math.pi / (2 * last + 1)
        if last > _WHOLE or self.radius > _SMALL:
            last = math.ceil(9.5 / (self.deviation * math.sqrt(1 - 1 / k)) / step)
        return np.arange(-last, last + 1).astype(np.float64) * step

    @cached_property
    def _beyond(self) -> Array:
        """The differences z − r, without cancellation."""
        half = np.sin(self.angles / 2)
        return self.radius * (-2 * half * half + 1j * np.sin(self.angles))

    @cached_property
    def weights(self) -> Array:
        """f(z)/f(r)·(z/r)^−n at each point."""
        turned = -1j * self.n * self.angles
        if self.clusters is None:
            return np.asarray(np.exp(math.exp(self.radius) * np.expm1(self._beyond) + turned))
        below = np.log(-np.expm1(-self.radius - self._beyond) / -np.expm1(-self.radius))
        return np.asarray(np.exp(self.clusters * (self._beyond + below) + turned))

    def mean(self, values: Array) -> Any:
        """Return the weighted mean over the points, along the last axis."""
        return (values * self.weights).sum(axis=-1).real / self.weights.sum().real

    @cached_property
    def together(self) -> float:
        """The probability that two items share a cluster.

        Merging the two items maps these clusterings onto all clusterings of n − 1 items.
        """
        if self.clusters in (1, self.n):
            return float(self.clusters == 1)
        return float(self.radius * self.mean(np.exp(1j * self.angles)) / self.n)

    def count_sizes(self, sizes: Floats) -> Floats:
        """Return the expected number of clusters of each size s.

        C(n, s) choices of the items, times the clusterings of the other n − s items (into K − 1
        clusters), divided by all clusterings.
        """
        from scipy.special import gammaln

        turned = np.exp(1j * np.multiply.outer(sizes, self.angles))
        if self.clusters is None:
            shares = np.exp(sizes * math.log(self.radius) - gammaln(sizes + 1))
            return np.asarray(shares * self.mean(turned))
        # Poisson probabilities r^s·e^−r/s!, by Stirling's series where logarithms would cancel.
        r = self.radius
        plain = sizes * math.log(r) - r - gammaln(sizes + 1)
        series = -r * excess(sizes / r - 1) - np.log(2 * math.pi * sizes) / 2 - 1 / (12 * sizes)
        chance = np.exp(np.where(sizes > 1000, series, plain))
        without = np.exp(-self._beyond) / -np.expm1(-r - self._beyond)
        return np.asarray(self.clusters * chance * self.mean(turned * without))
