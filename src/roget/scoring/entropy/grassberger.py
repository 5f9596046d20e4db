"""Grassberger's digamma estimator of 2003."""

from __future__ import annotations

import math

import numpy as np

from roget.scoring.entropy.base import CountArray, FloatArray, LinearEstimator


class Grassberger(LinearEstimator):
    """log N − (1/N)·Σ n·G(n), G(n) = ψ(n) + ½(−1)ⁿ[ψ((n+1)/2) − ψ(n/2)].

    Each cell is treated as Poisson, so log N is not corrected: a single item gives
    γ + log 2 ≈ 1.27. G steps at even counts only, so a cell of n items alone has an entropy
    of nearly 0 if n is even, of about 1/n if it is odd.

    >>> from roget.scoring.entropy import entropy_of
    >>> [round(entropy_of(counts, "grassberger"), 4) for counts in ([50, 50], [51, 51], [1])]
    [0.6931, 0.7129, 1.2704]
    """

    name = "grassberger"
    assumes = "many cells, each with a small probability, so that their counts are Poisson"
    reference = "Grassberger (2003), Entropy estimates from insufficient samplings"

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> FloatArray:
        from scipy.special import digamma

        n = float(total)
        j = counts.astype(np.float64)
        # Between whole numbers (averages over random tables) odd and even cancel out.
        sign = np.where(j == np.rint(j), 1.0 - 2.0 * (j % 2.0), 0.0)
        g = digamma(j) + 0.5 * sign * (digamma((j + 1.0) / 2.0) - digamma(j / 2.0))
        return np.asarray(j / n * (math.log(n) - g))
