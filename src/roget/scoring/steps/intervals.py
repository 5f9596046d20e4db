"""Confidence intervals from jackknife and bootstrap samples.

The default is the jackknife interval, both for groups and for items. `benchmarks/inference.py`
measures how often each kind of interval covers the true value, and docs/inference.md shows the
results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from roget.core.intervals import CONFIDENCE, student_quantile
from roget.core.types import Array, Floats
from roget.scoring.measures.base import Request, divide

TAILS = np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
"""The tail probabilities of the bounds of a 95 % interval."""

_SMALL = 1.5
"""Factor of the small-sample corrections in `jackknife_bounds`, chosen by simulation."""

_HALF = 0.5
"""Weight of the bias and of the inner shift if random clusterings show the bias, chosen by
simulation.
"""

_ROUNDING = 1e-12
"""Standard errors below this value are treated as rounding errors of constant samples."""


class ChanceBias(NamedTuple):
    """The bias and the standard error of scores, estimated from random clusterings."""

    bias: Floats
    """The bias, or NaN if random clusterings do not show it."""
    error: Floats

    def select(self, system: int) -> ChanceBias:
        """Return the bias and the error of one system, i.e. of one position on the first axis."""
        return ChanceBias(self.bias[[system]], self.error[[system]])


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Jackknife estimates, which leave out one block of items each, and the weights of the blocks.

    Samples in which an estimate is undefined (NaN) are excluded. If they make up more than half of
    the total weight, the standard error is undefined.
    """

    without: Floats
    """The estimates with each block left out, with shape (blocks, estimates)."""
    weights: Floats
    """The number of jackknife samples that each row represents."""
    freedom: Floats | float | None = None
    """Degrees of freedom of the standard errors. Default: the number of samples minus 1."""
    resolution: float = 0.0
    """Lower limit of the standard errors: 1/n for n items, and 0 for groups. For items, the
    estimated error may be 0 by coincidence if a system is independent of gold.
    """
    chance: ChanceBias | None = None
    """The bias that the jackknife does not detect, or None if groups are resampled."""

    @cached_property
    def total(self) -> float:
        """The number of jackknife samples, including undefined ones."""
        return float(self.weights.sum())

    @property
    def df(self) -> Floats:
        """The degrees of freedom, at least 1."""
        return np.maximum(self.total - 1 if self.freedom is None else self.freedom, 1.0)

    @cached_property
    def defined(self) -> Floats:
        """The total weight of the samples in which each estimate is defined."""
        return np.asarray(self._weight(~np.isnan(self.without)).sum(axis=0))

    @cached_property
    def mean(self) -> Floats:
        """The mean of the defined samples."""
        total = np.nansum(self._weight(self.without), axis=0)
        return np.asarray(divide(total, self.defined, np.nan))

    @cached_property
    def spread(self) -> Floats:
        """The influence of each block: the mean estimate minus the estimate without the block."""
        return np.asarray(self.mean - self.without)

    @cached_property
    def error(self) -> Floats:
        """The standard error √((n − 1)/n · Σ spread²) (Tukey 1958)."""
        # If some samples are undefined, scale the sum over the defined samples up to all n samples.
        squares = np.nansum(self._weight(self.spread**2), axis=0)
        error = np.sqrt(divide(self.total - 1, self.defined, np.nan) * squares)
        return np.where(2 * self.defined < self.total, np.nan, error)

    @property
    def varies(self) -> Array:
        """True for each estimate that differs between samples."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.error > _ROUNDING * np.maximum(1.0, np.abs(self.mean)))

    @cached_property
    def skew(self) -> Floats:
        """The acceleration of BCa intervals, Σ spread³/(6·(Σ spread²)^1.5) (Efron 1987)."""
        squares = np.nansum(self._weight(self.spread**2), axis=0)
        cubes = np.nansum(self._weight(self.spread**3), axis=0)
        skew = np.where(squares > 0, cubes / np.maximum(6 * squares**1.5, 1e-300), 0.0)
        # The ratio is proportional to 1/√n, so it is rescaled if some samples are undefined.
        return np.asarray(skew * np.sqrt(self.defined / self.total))

    def bias(self, estimate: Floats) -> Floats:
        """Return the estimated bias, (n − 1)·(mean − estimate) (Quenouille 1956)."""
        return np.asarray((self.total - 1) * (self.mean - estimate))

    def select(self, column: int) -> Jackknife:
        """Return the jackknife samples of one estimate, i.e. one position on the last axis."""
        freedom = self.freedom
        if isinstance(freedom, np.ndarray):
            freedom = freedom[..., column]
        chance = self.chance and ChanceBias(*(part[..., column] for part in self.chance))
        return Jackknife(self.without[..., column], self.weights, freedom, self.resolution, chance)

    def _weight(self, values: Array) -> Floats:
        """Multiply values by the block weights along the first axis."""
        return np.asarray(values * self.weights.reshape(-1, *[1] * (values.ndim - 1)))


NO_JACKKNIFE = Jackknife(np.zeros((1, 1)), np.ones(1))
"""Placeholder for percentile intervals, which use only the bootstrap samples."""


class Bounds(NamedTuple):
    """The range of a measure, and its best value."""

    least: float = -np.inf
    most: float = np.inf
    best: float | None = None
    """The best value if it is an end of the range, otherwise None."""

    @classmethod
    def from_request(cls, request: Request) -> Bounds:
        """Return the range of the requested measure."""
        measure, _ = request
        least, most = measure.range
        best = most if measure.direction == "higher" else least
        return cls(least, most, best if np.isfinite(best) else None)


def interval_bounds(
    method: str,
    estimate: Floats,
    drawn: Floats,
    jackknife: Jackknife,
    requests: Sequence[Request] | None = None,
) -> tuple[Floats, Floats]:
    """Return the lower and upper bounds of the 95 % confidence interval of each estimate.

    `drawn` holds the bootstrap samples, with shape (samples, estimates). Undefined (NaN) samples
    are excluded. With `requests`, which name the scores on the last axis, jackknife intervals are
    kept within the range of the measure.
    """
    if method == "jackknife":
        if requests is None:
            return jackknife_bounds(estimate, jackknife, Bounds())
        ends = [
            jackknife_bounds(estimate[..., r], jackknife.select(r), Bounds.from_request(request))
            for r, request in enumerate(requests)
        ]
        low, high = (np.stack(end, axis=-1) for end in zip(*ends, strict=True))
        return low, high
    flat, skews = drawn.reshape(drawn.shape[0], -1), jackknife.skew.ravel()
    bounds = np.full((2, flat.shape[1]), np.nan)
    for column, centre in enumerate(estimate.ravel()):
        sample = flat[~np.isnan(flat[:, column]), column]
        if np.isnan(centre) or not sample.size:
            continue
        at = TAILS if method == "percentile" else _correct(TAILS, centre, sample, skews[column])
        bounds[:, column] = np.quantile(sample, at)
    low, high = bounds.reshape(2, *estimate.shape)
    return low, high


def jackknife_bounds(
    estimate: Floats, jackknife: Jackknife, bounds: Bounds
) -> tuple[Floats, Floats]:
    """Return the bounds of jackknife intervals, or NaN if the samples do not vary.

    With the bias b, the standard error s and the acceleration a of the jackknife, and the quantile
    t of Student's distribution with m − 1 degrees of freedom:
    (1)  s is increased by 1.5/m, and a by 1.5·√(m(m − 1))/(m − 2), because few groups or items
         underestimate both, and s is at least the standard error in `ChanceBias`
    (2)  c = x − b,   e = √(s² + b²),   c ± t·e
    (3)  the end in the direction of the skew is a·(1 + 2t²)·s further away (Cornish & Fisher 1938)
    (4)  the end away from the best value is best ± (best − c)·exp(t·e/|best − c|), as for an
         interval on the scale log |best − c|, if this makes the interval wider
    (5)  the interval is extended to contain x and, with the bias b' of `ChanceBias`, x − b' ± t·s
    In (2), the estimated bias is added to the standard error because it is itself uncertain. With
    `ChanceBias`, half of b is added, and in (3) the other end is moved inwards by half as much.
    """
    bias, t = jackknife.bias(estimate), student_quantile(jackknife.df)
    centre = estimate - bias
    if bounds.best is not None:
        # If a corrected score exceeds the best value, the distance |best − c| is not meaningful.
        beyond = (centre >= bounds.most) if bounds.best == bounds.most else (centre <= bounds.least)
        centre = np.where(beyond, estimate, centre)
    units = jackknife.df + 1
    error = jackknife.error * (1 + _SMALL / units)
    further = np.sqrt(units * (units - 1)) / np.maximum(units - 2, 1)
    further = _SMALL * further * (1 + 2 * t**2) * jackknife.error * jackknife.skew
    chance = jackknife.chance or ChanceBias(np.full((), np.nan), np.zeros(()))
    error = np.maximum(error, chance.error)
    # A difference between systems has no best value. It requires the full bias.
    part = np.where(np.isnan(chance.bias) | (bounds.best is None), 1.0, _HALF)
    reach = t * np.maximum(np.hypot(error, part * bias), jackknife.resolution)
    low = centre - reach + np.where(further < 0, further, (1 - part) * further)
    high = centre + reach + np.where(further > 0, further, (1 - part) * further)
    if bounds.best is not None:
        distance = np.abs(bounds.best - centre)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            scaled = np.where(distance > 0, distance * np.exp(reach / distance), 0.0)
        if bounds.best == bounds.most:
            low = np.minimum(low, bounds.best - scaled)
        else:
            high = np.maximum(high, bounds.best + scaled)
    reach = t * np.maximum(error, jackknife.resolution)
    away = estimate - chance.bias
    low, high = np.fmin(low, away - reach), np.fmax(high, away + reach)
    # Bias-corrected entropies may move an estimate outside the range.
    low = np.maximum(np.minimum(low, estimate), np.minimum(bounds.least, estimate))
    high = np.minimum(np.maximum(high, estimate), np.maximum(bounds.most, estimate))
    unknown = ~jackknife.varies
    return np.where(unknown, np.nan, low), np.where(unknown, np.nan, high)


def _correct(tails: Floats, centre: float, sample: Floats, skew: float) -> Floats:
    """Return the quantiles of a BCa interval (Efron 1987).

    With bias z₀ from the bootstrap samples and acceleration a from the jackknife, the quantile for
    a tail α is
    (1)  Φ(z₀ + (z₀ + z_α)/(1 − a·(z₀ + z_α))),   z₀ = Φ⁻¹(fraction of samples below the estimate).
    """
    from scipy.special import ndtr, ndtri

    # A sample that equals the estimate counts as half a sample below it.
    below = (np.count_nonzero(sample < centre) + np.count_nonzero(sample <= centre)) / 2
    if not 0 < below < sample.size:
        # The bias cannot be estimated if all samples are below or all are above the estimate.
        return tails
    bias = ndtri(below / sample.size)
    z = bias + ndtri(tails)
    return np.asarray(ndtr(bias + z / (1 - skew * z)))
