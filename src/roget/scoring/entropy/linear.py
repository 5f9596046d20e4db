"""Estimators Ĥ = Σ a(j, N)·h_j in closed form: plug-in, Miller–Madow, jackknife, Grassberger."""

from __future__ import annotations

import math

import numpy as np

from roget.core.types import CountArray, FloatArray
from roget.scoring.entropy.base import Histogram, LinearEstimator


def plug_in(counts: CountArray, total: int | float) -> FloatArray:
    """−(j/N)·log(j/N) for an array of positive counts j."""
    n = float(total)
    p = counts / n
    log = np.log(p)
    # Near 1 the logarithm of a quotient has lost what makes the entropy of a skewed sample.
    most = np.flatnonzero(p > 0.5)
    if most.size:
        log[most] = np.log1p((counts[most] - n) / n)
    return np.asarray(-p * log)


def miller_madow(counts: CountArray, total: int | float) -> FloatArray:
    """The plug-in coefficients plus (1 − j/N)/(2N): over the cells seen these add (m̂ − 1)/(2N)."""
    n = float(total)
    return plug_in(counts, n) + (1.0 - counts / n) / (2.0 * n)


class ML(LinearEstimator):
    """Maximum likelihood, −Σ p̂·log p̂: too low by about (cells − 1)/(2N) on average.

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1, 1, 2], "ml"), 4)
    1.0397
    """

    name = "ml"
    assumes = "the observed frequencies are the true probabilities: right only for large samples"
    reference = "Shannon (1948), A mathematical theory of communication"
    fractional = True

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> FloatArray:
        return plug_in(counts, total)


class MillerMadow(LinearEstimator):
    """ML + (m − 1)/(2N); m is the number of cells seen unless the caller gives a support.

    The coefficients are those of m = cells seen, so `empty_cell` is 0 and the expected value
    under weights counts the cells expected to be seen.

    >>> from roget.scoring.entropy import entropy_of
    >>> [round(entropy_of([1, 1, 2], "mm", support=m) - entropy_of([1, 1, 2]), 4) for m in (3, 5)]
    [0.25, 0.5]
    """

    name = "mm"
    assumes = "every possible cell was seen (or their number is given), and N is well above it"
    reference = "Miller (1955), Note on the bias of information estimates"
    fractional = True

    def estimate(self, histogram: Histogram, support: int | None) -> float:
        seen = super().estimate(histogram, None)
        if support is None:
            return seen
        return seen + (support - histogram.seen) / (2.0 * float(histogram.total))

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> FloatArray:
        return miller_madow(counts, total)


def _g(j: FloatArray) -> FloatArray:
    """log j − (j − 1)·log(1 − 1/j), 0 at 1: the leave-one-out mean without differences of N·Ĥ."""
    # At j = 1 the product is 0·∞; any finite stand-in for the logarithm gives the limit 0.
    return np.asarray(np.log(j) - (j - 1.0) * np.log1p(-1.0 / np.maximum(j, 2.0)))


class Jackknife(LinearEstimator):
    """N·Ĥ − (N − 1)·(mean of Ĥ without one item) = Σ h_j·(j/N)·(g(N) − g(j)): removes the 1/N bias.

    The textbook difference loses half of its digits at N = 1e15; this form keeps them. One
    item has entropy 0, because there is nothing to leave out.

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1, 1], "jk"), 4), entropy_of([1], "jk")
    (1.3863, 0.0)
    """

    name = "jk"
    assumes = "the bias falls as 1/N, so that leaving one item out shows how large it is"
    reference = "Quenouille (1956), Notes on bias in estimation; Tukey (1958)"

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> FloatArray:
        n = float(total)
        g_total = float(_g(np.array([n]))[0])
        j = counts.astype(np.float64)
        return np.asarray(j / n * (g_total - _g(j)))


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
