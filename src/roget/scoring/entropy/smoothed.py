"""Estimators that mend the frequencies first: by coverage, by rare counts, by shrinkage."""

from __future__ import annotations

import math

import numpy as np

from roget.core.information import weighted_sum, xlogx
from roget.scoring.entropy.base import Estimator, Histogram


class ChaoShen(Estimator):
    """Horvitz–Thompson: p̃ = C·n/N with Turing's coverage C, each term weighted by 1/P(cell seen).

    If every item is alone in its cell, C would be 0: one singleton fewer is assumed, so C = 1/N.

    >>> from roget.scoring.entropy import entropy_of
    >>> entropy_of([1], "chao-shen"), round(entropy_of([1, 1, 2], "chao-shen"), 4)
    (0.0, 1.7632)
    """

    name = "chao-shen"
    assumes = "unseen cells together weigh as much as the singletons, and resemble the seen ones"
    reference = "Chao & Shen (2003), Nonparametric estimation of Shannon's index of diversity"

    def estimate(self, histogram: Histogram, support: int | None) -> float:
        n = float(histogram.total)
        singletons = histogram.cells_with(1)
        if singletons == histogram.total:
            singletons -= 1
        p = (1.0 - singletons / n) * (histogram.counts / n)
        with np.errstate(divide="ignore"):  # p = 1 is certain to be seen: log1p gives −∞, P = 1
            seen = -np.expm1(n * np.log1p(-p))
        return weighted_sum(-p * np.log(p) / seen, histogram.cells) + 0.0


class ChaoWangJost(Estimator):
    """The slope of the species accumulation curve, summed, its unseen part from f₁ and f₂.

    Σ (n/N)(ψ(N) − ψ(n)) is free of bias for the first N terms of −log p = Σ (1−p)^r/r; the
    rest is extrapolated from the singletons and doubletons.

    >>> from roget.scoring.entropy import entropy_of
    >>> entropy_of([1], "cwj"), round(entropy_of([1, 1, 2], "cwj"), 4)
    (0.0, 1.5875)
    """

    name = "cwj"
    assumes = "the rarest cells have about the same probability, told by singletons and doubletons"
    reference = "Chao, Wang & Jost (2013), Entropy and the species accumulation curve"

    def estimate(self, histogram: Histogram, support: int | None) -> float:
        from scipy.special import digamma

        n = float(histogram.total)
        j = histogram.counts.astype(np.float64)
        seen = weighted_sum(j / n * (digamma(n) - digamma(j)), histogram.cells)
        return seen + _unseen(n, histogram.cells_with(1), histogram.cells_with(2))


def _unseen(n: float, f1: int, f2: int) -> float:
    """(f₁/N)·(1−A)^(1−N)·{−log A − Σ_{r<N} (1−A)^r/r}, in time that does not grow with N.

    With x = 1−A this is (f₁/N)·x·Σ_{s≥0} x^s/(N+s), and the sum is
    (1/N)·∫₀^∞ e^(−v)/(1 − x·e^(−v/N)) dv. In w = log v the integrand falls off at both ends
    and is analytic in a strip of half-width π/2: the trapezoid rule with step ¼ is exact to
    rounding.
    """
    if f1 == 0:
        return 0.0
    if f2 > 0:
        rare, rest = 2.0 * f2, (n - 1.0) * f1
    else:
        rare, rest = 2.0, (n - 1.0) * (f1 - 1.0)
    a, x = rare / (rare + rest), rest / (rare + rest)
    if x == 0.0:
        return 0.0
    # Below v ≈ N·A the integrand falls as v; above 745 the exponential is 0.
    w = np.arange(math.log(min(1.0, n * a)) - 40.0, math.log(745.0), 0.25)
    v = np.exp(w)
    integral = 0.25 * float(np.sum(v * np.exp(-v) / (a - x * np.expm1(-v / n))))
    return f1 / n * x * integral / n


class Shrink(Estimator):
    """Entropy of λ/m + (1−λ)·n/N, with the λ in [0, 1] that minimises the estimated squared error.

    λ = (1 − Σp̂²) / ((N−1)·Σ(1/m − p̂)²), limited to [0, 1] by definition. One item says nothing
    about spread and an exactly uniform sample needs no shrinking: λ = 1 for both.

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1], "shrink", support=2), 4), round(entropy_of([4, 2], "shrink"), 4)
    (0.6931, 0.6931)
    """

    name = "shrink"
    assumes = "the number of cells is known, and the uniform distribution is a fair first guess"
    reference = "Hausser & Strimmer (2009), Entropy inference and the James–Stein estimator"
    joint_support = "product"

    def estimate(self, histogram: Histogram, support: int | None) -> float:
        m = histogram.seen if support is None else support
        n, cells, uniform = float(histogram.total), histogram.cells, 1.0 / m
        unseen = m - histogram.seen
        p = histogram.counts / n
        # Σp(1−p), not 1 − Σp²: the latter cancels when one cell holds almost everything.
        variance = weighted_sum(p * ((n - histogram.counts) / n), cells)
        distance = weighted_sum((p - uniform) ** 2, cells) + unseen * uniform**2
        shrinkage = variance / ((n - 1.0) * distance) if n > 1.0 and distance > 0.0 else 1.0
        shrinkage = min(1.0, shrinkage)
        shrunk = shrinkage * uniform + (1.0 - shrinkage) * p
        empty = float(xlogx(shrinkage * uniform))
        return -weighted_sum(xlogx(shrunk), cells) - unseen * empty + 0.0
