"""Estimators that correct the observed frequencies: Chao–Shen, Chao–Wang–Jost and shrinkage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from roget.core.information import xlogx
from roget.core.types import Values
from roget.scoring.entropy.base import Estimator, Histogram


class ChaoShen(Estimator):
    """Chao–Shen: −Σ p̃·log p̃/P(cell observed), with p̃ = C·n/N and the Turing coverage C.

    The weights 1/P(cell observed) make it a Horvitz–Thompson estimator. If all cells are
    singletons, C would be 0 and is therefore set to 1/N, as if one item were not a singleton.

    >>> from roget.scoring.entropy import entropy_of
    >>> entropy_of([1], "chao-shen"), round(entropy_of([1, 1, 2], "chao-shen"), 4)
    (0.0, 1.7632)
    """

    name = "chao-shen"
    assumes = "the unobserved cells have the total probability of the singletons"
    reference = "Chao & Shen (2003), Nonparametric estimation of Shannon's index of diversity"

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        # The coverage is C = 1 − f₁/N, and P(cell observed) = 1 − (1 − p̃)^N.
        singletons = histogram.cells_with(1)
        singletons = singletons - (singletons == histogram.total)
        n = histogram.spread(np.float64(histogram.total))
        p = (1.0 - histogram.spread(singletons) / n) * (histogram.counts / n)
        with np.errstate(divide="ignore"):  # For p = 1, log1p gives −∞, and the probability is 1.
            seen = -np.expm1(n * np.log1p(-p))
        return histogram.sum(-p * np.log(p) / seen) + 0.0


class ChaoWangJost(Estimator):
    """Chao–Wang–Jost: the sum of the slopes of the extrapolated species accumulation curve.

    The entropy is expanded by −log p = Σ_r (1−p)^r/r. The unbiased estimate of its first terms, up
    to the sample size, is Σ (n/N)(ψ(N) − ψ(n)). The remaining terms are extrapolated from the
    numbers of singletons f₁ and doubletons f₂.

    >>> from roget.scoring.entropy import entropy_of
    >>> entropy_of([1], "cwj"), round(entropy_of([1, 1, 2], "cwj"), 4)
    (0.0, 1.5875)
    """

    name = "cwj"
    assumes = "rare cells have similar probabilities, estimated from singletons and doubletons"
    reference = "Chao, Wang & Jost (2013), Entropy and the species accumulation curve"

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        from scipy.special import digamma

        n = np.float64(histogram.total)
        j, total = histogram.counts.astype(np.float64), histogram.spread(n)
        seen = histogram.sum(j / total * (digamma(total) - digamma(j)))
        rare = histogram.cells_with(1), histogram.cells_with(2)
        return seen + _unseen(n, *map(np.float64, rare))


_NODES = np.exp(math.log(745.0) - 0.25 * np.arange(360))
"""Quadrature nodes v in `_unseen`.

They range from 745, where e^(−v) underflows, down to about 1e-36.
"""


def _unseen(n: Any, f1: Any, f2: Any) -> Any:
    """Return (f₁/N)·(1−A)^(1−N)·{−log A − Σ_{r<N} (1−A)^r/r} in time independent of N.

    With x = 1−A, the term equals (f₁/N)·x·Σ_{s≥0} x^s/(N+s), where
    (1)  Σ_{s≥0} x^s/(N+s) = (1/N)·∫₀^∞ e^(−v)/(1 − x·e^(−v/N)) dv.
    As a function of log v, the integrand decays at both ends and is analytic in a strip of
    half-width π/2, so the trapezoidal rule with step ¼ is exact up to rounding errors.
    """
    if isinstance(n, np.ndarray):
        # Compute each distinct (N, f₁, f₂) triple only once, because it requires hundreds of
        # exponentials.
        triples, group = np.unique(np.stack([n, f1, f2]), axis=1, return_inverse=True)
        return np.array([_unseen(*triple) for triple in triples.T])[group]
    # A = 2f₂/((N−1)·f₁ + 2f₂), or 2/((N−1)·(f₁−1) + 2) without doubletons.
    rare = 2.0 * f2 if f2 > 0 else 2.0
    rest = (n - 1.0) * (f1 if f2 > 0 else f1 - 1.0)
    if f1 == 0 or rest == 0:
        return 0.0
    a, x = rare / (rare + rest), rest / (rare + rest)
    # Equation (1) in log v: dv = v·d(log v), and 1 − x·e^(−v/N) = A − x·(e^(−v/N) − 1).
    v = _NODES
    integral = 0.25 * float(np.sum(v * np.exp(-v) / (a - x * np.expm1(-v / n))))
    return f1 / n * x * integral / n


class Shrink(Estimator):
    """Shrinkage: the entropy of λ/m + (1−λ)·n/N, where λ minimises the estimated squared error.

    The shrinkage intensity is λ = (1 − Σp̂²)/((N−1)·Σ(1/m − p̂)²), limited to at most 1. If the
    denominator is 0, for a single item or an exactly uniform sample, λ is 1.

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1], "shrink", support=2), 4), round(entropy_of([4, 2], "shrink"), 4)
    (0.6931, 0.6931)
    """

    name = "shrink"
    assumes = "the number of cells is known, and the uniform distribution is a reasonable target"
    reference = "Hausser & Strimmer (2009), Entropy inference and the James–Stein estimator"
    joint_support = "product"

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        m = histogram.seen if support is None else support
        n, unseen, uniform = np.float64(histogram.total), m - histogram.seen, 1.0 / m
        total, even = histogram.spread(n), histogram.spread(uniform)
        p = histogram.counts / total
        # Use Σp(1−p) instead of 1 − Σp², which would lose precision if one cell contains almost all
        # items.
        variance = histogram.sum(p * ((total - histogram.counts) / total))
        error = (n - 1.0) * (histogram.sum((p - even) ** 2) + unseen * uniform**2)
        shrinkage = np.where(error > 0.0, variance / np.where(error > 0.0, error, 1.0), 1.0)
        shrinkage = np.minimum(1.0, shrinkage)
        share = histogram.spread(shrinkage)
        # Each unobserved cell has probability λ/m.
        empty = xlogx(shrinkage * uniform)
        return -histogram.sum(xlogx(share * even + (1.0 - share) * p)) - unseen * empty + 0.0
