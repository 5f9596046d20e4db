"""Kullback–Leibler divergence in nats, and sums that do not depend on the number of threads."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from roget.core.types import Array, Floats

NATS_PER_BIT = math.log(2.0)


def bits(nats: float) -> float:
    """Convert nats to bits for output. All computations are in nats.

    >>> bits(math.log(8))
    3.0
    """
    return nats / NATS_PER_BIT


def weighted_sum(values: Array, weights: Array) -> float:
    """Return Σ value·weight by pairwise summation.

    The result does not depend on the number of threads.

    A BLAS dot product would use several threads, which would change the last digits without being
    faster for arrays of this size.

    >>> weighted_sum(np.array([0.5, 2.0]), np.array([4, 1]))
    4.0
    """
    return float(np.multiply(values, weights).sum())


def xlogx(x: npt.ArrayLike) -> Floats:
    """Return x·log x elementwise, with 0·log 0 = 0.

    >>> xlogx([0, 1, math.e]).tolist()
    [0.0, 0.0, 2.718281828459045]
    """
    values = np.asarray(x, dtype=np.float64)
    return values * np.log(np.where(values > 0, values, 1.0))


def kl(p: npt.ArrayLike, q: npt.ArrayLike) -> float:
    """Return KL(p ‖ q) = Σ p·log(p/q). It is infinite if q is 0 where p is positive.

    >>> kl([0.5, 0.5], [1.0, 0.0])
    inf
    """
    left, right = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    positive = left > 0
    if np.any(right[positive] == 0):
        return math.inf
    return weighted_sum(left[positive], np.log(left[positive] / right[positive]))
