"""Estimators that correct the frequencies first: by coverage, by rare counts, by shrinkage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from roget.core.information import xlogx
from roget.core.types import Values
from roget.scoring.entropy.base import Estimator, Histogram


class ChaoShen(Estimator):
    """Horvitz–Thompson: p̃ = C·n/N with Turing's coverage C, each term weighted by 1/P(cell seen).

    If all cells are singletons, C would be 0; one singleton fewer is assumed, so C = 1/N.

    >>> from roget.scoring.entropy import entropy_of
    >>> entropy_of([1], "chao-shen"), round(entropy_of([1, 1, 2], "chao-shen"), 4)
    (0.0, 1.7632)
    """

    name = "chao-shen"
    assumes = "unseen cells together weigh as much as the singletons, and resemble seen cells"
    reference = "Chao & Shen (2003), Nonparametric estimation of Shannon's index of diversity"

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        singletons = histogram.cells_with(1)
        singletons = singletons - (singletons == histogram.total)
        n = histogram.spread(np.float64(histogram.total))
        p = (1.0 - histogram.spread(singletons) / n) * (histogram.counts / n)
        with np.errstate(divide="ignore"):  # p = 1 is always seen: log1p gives −∞ and P = 1
            seen = -np.expm1(n * np.log1p(-p))
        return histogram.sum(-p * np.log(p) / seen) + 0.0


class ChaoWangJost(Estimator):
    """The sum of the slopes of the species accumulation curve, extrapolated from f₁ and f₂.

    Σ (n/N)(ψ(N) − ψ(n)) is unbiased for the first N terms of −log p = Σ (1−p)^r/r; the rest is
    extrapolated from the numbers of singletons f₁ and doubletons f₂.

    >>> from roget.scoring.entropy import entropy_of
    >>> entropy_of([1], "cwj"), round(entropy_of([1, 1, 2], "cwj"), 4)
    (0.0, 1.5875)
    """

    name = "cwj"
    assumes = "the rarest cells are about equally likely, as singletons and doubletons show"
    reference = "Chao, Wang & Jost (2013), Entropy and the species accumulation curve"

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        from scipy.special import digamma

        n = np.float64(histogram.total)
        j, total = histogram.counts.astype(np.float64), histogram.spread(n)
        seen = histogram.sum(j / total * (digamma(total) - digamma(j)))
        rare = histogram.cells_with(1), histogram.cells_with(2)
        return seen + _unseen(n, *map(np.float64, rare))


_NODES = np.exp(math.log(745.0) - 0.25 * np.arange(360))
"""Nodes v: above 745 the exponential is 0, and below N·A ≥ 2/N the integrand decays as v."""


def _unseen(n: Any, f1: Any, f2: Any) -> Any:
    """Return (f₁/N)·(1−A)^(1−N)·{−log A − Σ_{r<N} (1−A)^r/r}, in time independent of N.

    With x = 1−A this is (f₁/N)·x·Σ_{s≥0} x^s/(N+s), and the sum is
    (1/N)·∫₀^∞ e^(−v)/(1 − x·e^(−v/N)) dv. In w = log v the integrand falls off at both ends
    and is analytic in a strip of half-width π/2: the trapezoid rule with step ¼ is exact to
    rounding.
    """
    if isinstance(n, np.ndarray):
        # Each distinct triple only once: it costs hundreds of exponentials.
        triples, group = np.unique(np.stack([n, f1, f2]), axis=1, return_inverse=True)
        return np.array([_unseen(*triple) for triple in triples.T])[group]
    rare = 2.0 * f2 if f2 > 0 else 2.0
    rest = (n - 1.0) * (f1 if f2 > 0 else f1 - 1.0)
    if f1 == 0 or rest == 0:
        return 0.0
    a, x = rare / (rare + rest), rest / (rare + rest)
    v = _NODES
    integral = 0.25 * float(np.sum(v * np.exp(-v) / (a - x * np.expm1(-v / n))))
    return f1 / n * x * integral / n


class Shrink(Estimator):
    """The entropy of λ/m + (1−λ)·n/N, with λ in [0, 1] of least estimated squared error.

    λ = (1 − Σp̂²) / ((N−1)·Σ(1/m − p̂)²), limited to [0, 1] by definition. A single item has no
    variance and an exactly uniform sample needs no shrinking: λ = 1 for both.

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1], "shrink", support=2), 4), round(entropy_of([4, 2], "shrink"), 4)
    (0.6931, 0.6931)
    """

    name = "shrink"
    assumes = "the number of cells is known, and the uniform distribution is a fair first guess"
    reference = "Hausser & Strimmer (2009), Entropy inference and the James–Stein estimator"
    joint_support = "product"

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        m = histogram.seen if support is None else support
        n, unseen, uniform = np.float64(histogram.total), m - histogram.seen, 1.0 / m
        total, even = histogram.spread(n), histogram.spread(uniform)
        p = histogram.counts / total
        # Σp(1−p) instead of 1 − Σp², which cancels if one cell holds almost all items.
        variance = histogram.sum(p * ((total - histogram.counts) / total))
        error = (n - 1.0) * (histogram.sum((p - even) ** 2) + unseen * uniform**2)
        shrinkage = np.where(error > 0.0, variance / np.where(error > 0.0, error, 1.0), 1.0)
        shrinkage = np.minimum(1.0, shrinkage)
        share = histogram.spread(shrinkage)
        empty = xlogx(shrinkage * uniform)
        return -histogram.sum(xlogx(share * even + (1.0 - share) * p)) - unseen * empty + 0.0
