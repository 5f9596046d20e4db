"""Intervals of means over splits or draws (Student), and of shares (Wilson)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean with the ends of its 95 % interval; none for a single value, nor where there is none.

    >>> interval([1.0, 2.0, 3.0])
    Interval(mean=2.0, low=-0.484..., high=4.484...)
    >>> interval([1.5])
    Interval(mean=1.5, low=None, high=None)
    """

    mean: float | None
    low: float | None = None
    high: float | None = None


def interval(values: Sequence[float]) -> Interval:
    """Mean of values and its interval by Student's t; values that are not numbers are left out."""
    from scipy import stats

    known = np.array([value for value in values if math.isfinite(value)])
    if not known.size:
        return Interval(None)
    mean = float(known.mean())
    if known.size == 1:
        return Interval(mean)
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, known.size - 1))
    half = reach * float(known.std(ddof=1)) / math.sqrt(known.size)
    return Interval(mean, mean - half, mean + half)


def wilson(right: int, items: int) -> tuple[float, float]:
    """The ends of the 95 % interval of a share (Wilson 1927).

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    from scipy import stats

    found = stats.binomtest(right, items).proportion_ci(CONFIDENCE, method="wilson")
    return float(found.low), float(found.high)
