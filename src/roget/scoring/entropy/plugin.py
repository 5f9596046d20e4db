"""The plug-in entropy of the observed frequencies, bare and with Miller's correction."""

from __future__ import annotations

import numpy as np

from roget.scoring.entropy.base import CountArray, FloatArray, Histogram, LinearEstimator


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
