"""Intervals of means over splits or draws (Student), of shares (Wilson), and by resampling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roget.core.types import Floats

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


def wilson(right: float, items: float) -> tuple[float, float]:
    """The ends of the 95 % interval of a share (Wilson 1927).

    What is right may be a sum of shares, where several people answered each item.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    from scipy.special import ndtri

    if not 0 <= right <= items or not items:
        raise ValueError(f"{right} right of {items}: expected at least one item, and no more right")
    square = float(ndtri((1 + CONFIDENCE) / 2)) ** 2
    share = right / items
    middle = share + square / (2 * items)
    half = math.sqrt(square * (share * (1 - share) + square / (4 * items)) / items)
    whole = 1 + square / items
    # Rounding must not leave 0 and 1 outside where nothing, or all, is right.
    low = 0.0 if not right else (middle - half) / whole
    high = 1.0 if right == items else (middle + half) / whole
    return low, high


def drawn_interval(value: float, drawn: Floats) -> Interval:
    """A value with the 95 % percentile interval of bootstrap draws; draws without one are left out.

    >>> drawn_interval(0.5, np.linspace(0, 1, 101))
    Interval(mean=0.5, low=0.025..., high=0.975...)
    """
    known = drawn[np.isfinite(drawn)]
    if not known.size:
        return Interval(value)
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(value, float(low), float(high))
