"""Confidence intervals for means (Student's t), proportions (Wilson) and bootstrap samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roget.core.types import Floats

CONFIDENCE = 0.95
"""Confidence level of all intervals."""

_BELOW = 1.9
"""A lower bound for the 97.5 % quantiles of all Student's distributions, where iteration starts."""

_NODES = 32
"""Number of nodes of the Gauss–Legendre quadrature."""

_STEPS = 8
"""Number of steps of Newton's method."""


@dataclass(frozen=True)
class Interval:
    """A mean with the bounds of its 95 % confidence interval, which are None if unknown.

    >>> interval([1.0, 2.0, 3.0])
    Interval(mean=2.0, low=-0.484..., high=4.484...)
    >>> interval([1.5])
    Interval(mean=1.5, low=None, high=None)
    """

    mean: float | None
    low: float | None = None
    high: float | None = None


def interval(values: Sequence[float]) -> Interval:
    """Return the mean of the finite values, with a confidence interval based on Student's t."""
    known = np.array([value for value in values if math.isfinite(value)])
    if not known.size:
        return Interval(None)
    mean = float(known.mean())
    if known.size == 1:
        return Interval(mean)
    # The bounds are mean ± t·s / √n, with n − 1 degrees of freedom.
    quantile = float(student_quantile(np.array(known.size - 1.0)))
    half = quantile * float(known.std(ddof=1)) / math.sqrt(known.size)
    return Interval(mean, mean - half, mean + half)


def student_quantile(freedom: Floats) -> Floats:
    """Return the 97.5 % quantiles of Student's distributions with at least 1 degree of freedom.

    This function does not need scipy, whose import takes longer than scoring a small table.

    >>> student_quantile(np.array([1.0, 9.0, 1e9])).round(6).tolist()
    [12.706205, 2.262157, 1.959964]
    """
    df = np.asarray(freedom, dtype=np.float64)
    # Substitute T = √df·tan u. The density of u is proportional to cos^(df − 1) u: (1)  P(|T| ≤ t)
    # = c·∫₀^θ cos^(df − 1) u du,   θ = arctan(t/√df),   c = 2·Γ(a + ½)/(Γ(a)·√π) with a = df/2
    half = df / 2
    gammas = [math.lgamma(a + 0.5) - math.lgamma(a) for a in np.minimum(half, 50).ravel()]
    series = np.log(half) / 2 - 1 / (8 * half) + 1 / (192 * half**3) - 1 / (640 * half**5)
    ratio = np.where(half < 50, np.reshape(gammas, half.shape), series)
    scale = np.exp(ratio) * 2 / math.sqrt(math.pi)
    # Newton's method from below. P is concave in θ, so θ increases until it converges.
    theta = np.arctan(_BELOW / np.sqrt(df))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    for _ in range(_STEPS):
        angles = theta[..., None] * (nodes + 1) / 2
        power = np.exp((df[..., None] - 1) * np.log1p(-(np.sin(angles) ** 2)) / 2)
        inside = scale * theta * (power * weights).sum(axis=-1) / 2
        theta = theta + (CONFIDENCE - inside) / scale / np.cos(theta) ** (df - 1)
    return np.asarray(np.sqrt(df) * np.tan(theta))


def wilson(right: float, items: float) -> tuple[float, float]:
    """Return the bounds of the 95 % confidence interval for a proportion (Wilson 1927).

    The proportion is `right / items`. `right` may be fractional, e.g. if each item was judged by
    several people.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    from scipy.special import ndtri

    if not 0 <= right <= items or not items:
        raise ValueError(f"right={right}, items={items}: expected 0 ≤ right ≤ items and items > 0")
    # The bounds are (p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n).
    square = float(ndtri((1 + CONFIDENCE) / 2)) ** 2
    share = right / items
    middle = share + square / (2 * items)
    half = math.sqrt(square * (share * (1 - share) + square / (4 * items)) / items)
    whole = 1 + square / items
    # Rounding must not exclude 0 from the interval for 0/n, or 1 from the interval for n/n.
    low = 0.0 if not right else (middle - half) / whole
    high = 1.0 if right == items else (middle + half) / whole
    return low, high


def bootstrap_interval(value: float, drawn: Floats) -> Interval:
    """Return a value with its 95 % bootstrap confidence interval (percentile method).

    Samples that are not finite are excluded.

    >>> bootstrap_interval(0.5, np.linspace(0, 1, 101))
    Interval(mean=0.5, low=0.025..., high=0.975...)
    """
    known = drawn[np.isfinite(drawn)]
    if not known.size:
        return Interval(value)
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(value, float(low), float(high))
