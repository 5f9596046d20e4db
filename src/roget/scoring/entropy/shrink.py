"""James–Stein shrinkage of the frequencies towards the uniform distribution."""

from __future__ import annotations

from roget.core.information import weighted_sum, xlogx
from roget.scoring.entropy.base import Estimator, Histogram


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
