"""Grassberger's digamma estimator of 2003."""

from __future__ import annotations

import math

import numpy as np

from roget.score.entropy.base import CountArray, FloatArray, LinearEstimator


class Grassberger(LinearEstimator):
    """log N − (1/N)·Σ n·G(n), G(n) = ψ(n) + ½(−1)ⁿ[ψ((n+1)/2) − ψ(n/2)].

    Each cell is treated as Poisson, so log N is not corrected: a single item gives
    γ + log 2 ≈ 1.27, and one cell of n items about ±1/(2n²), not exactly 0.

    >>> from roget.score.entropy import entropy_of
    >>> round(entropy_of([50, 50], "grassberger"), 4), round(entropy_of([1], "grassberger"), 4)
    (0.6931, 1.2704)
    """

    name = "grassberger"
    assumes = "many cells, each with a small probability, so that their counts are Poisson"
    reference = "Grassberger (2003), Entropy estimates from insufficient samplings"

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> FloatArray:
        from scipy.special import digamma

        n = float(total)
        j = counts.astype(np.float64)
        sign = 1.0 - 2.0 * (j % 2.0)
        g = digamma(j) + 0.5 * sign * (digamma((j + 1.0) / 2.0) - digamma(j / 2.0))
        return np.asarray(j / n * (math.log(n) - g))
