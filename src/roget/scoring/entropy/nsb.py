"""The Bayesian estimator of Nemenman, Shafee and Bialek, integrated so that it cannot overflow."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from roget.core.types import Floats
from roget.scoring.entropy.base import Estimator, Histogram

DEPTH = 45.0
"""What lies this many nats below the posterior's top is left out of the integral."""
SCAN = 33
"""Points of each scan for the window that holds the posterior."""
SETTLED = 1e-8
"""Halving the step goes on until the mean moves by less: the error left is about its square."""
MOST_PIECES = 1 << 14
BLOCK = 1 << 20
"""Largest number of (β, count) pairs held at once."""

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


class NSB(Estimator):
    """Posterior mean entropy under Dirichlet(β) priors mixed so that the expected entropy is flat.

    The support m is part of the prior: without one it is the cells seen, which is too few if
    any cell was missed. One possible cell has entropy 0.

    >>> from roget.scoring.entropy import entropy_of
    >>> entropy_of([7], "nsb"), round(entropy_of([4, 2, 3, 0], "nsb", support=4), 4)
    (0.0, 1.1642)
    """

    name = "nsb"
    assumes = "the number of cells is known, and all values of the entropy are alike beforehand"
    reference = "Nemenman, Shafee & Bialek (2002), Entropy and inference, revisited"
    joint_support = "product"

    def estimate(self, histogram: Histogram, support: int | None) -> float:
        m = histogram.seen if support is None else support
        if m == 1:
            return 0.0
        return _Posterior(histogram, m).mean()


class _Posterior:
    """Density of log β given the counts, and the mean entropy at each β."""

    def __init__(self, histogram: Histogram, support: int) -> None:
        self.n = float(histogram.total)
        self.m = float(support)
        self.counts = histogram.counts.astype(np.float64)
        self.cells = histogram.cells.astype(np.float64)
        self.unseen = float(support - histogram.seen)

    def mean(self) -> float:
        """The entropy averaged over β: the trapezoid rule in log β, halved until it settles.

        The integrand is analytic around the real line and vanishes at both ends of the window,
        so the rule converges exponentially once its step is below the posterior's width.
        """
        low, high, top = self._window()
        pieces = SCAN - 1
        points = np.linspace(low, high, SCAN)
        mass = moment = 0.0
        before = math.inf
        while True:
            weight = np.exp(self.log_density(points) - top)
            mass += float(weight.sum())
            moment += float(np.dot(weight, self._mean_entropy(points)))
            mean = moment / mass
            if abs(mean - before) <= SETTLED * (mean + SETTLED) or pieces > MOST_PIECES:
                return mean
            before = mean
            points = np.asarray(low + (high - low) / pieces * (np.arange(pieces) + 0.5))
            pieces *= 2

    def _window(self) -> tuple[float, float, float]:
        """Where log β matters, and the top of its density: scan, keep what is high, scan that.

        At both ends of the first scan the density has fallen by far more than DEPTH: below, it
        goes as β to the number of cells seen; above, where β exceeds N², as 1/β.
        """
        low = -math.log(self.m) - 2.0 * DEPTH
        high = 2.0 * math.log(self.n) + 2.0 * DEPTH
        while True:
            grid = np.linspace(low, high, SCAN)
            density = self.log_density(grid)
            top = float(density.max())
            kept = np.flatnonzero(density > top - DEPTH)
            first, last = max(int(kept[0]) - 1, 0), min(int(kept[-1]) + 1, SCAN - 1)
            low, high = float(grid[first]), float(grid[last])
            if last - first > SCAN // 2:
                return low, high, top

    def log_density(self, log_beta: Floats) -> Floats:
        """Log evidence plus log |dξ/d log β|, up to a constant.

        The evidence is Γ(κ)/Γ(N+κ)·Π Γ(n+β)/Γ(β) with κ = mβ. Differences of log Γ lose
        thousands of nats at N = 1e12; so Stirling's leading terms are combined by hand into
        the divergence of the smoothed frequencies from uniform, and only small rests remain.
        """
        beta = np.exp(log_beta)
        kappa = self.m * beta

        def cell(n: Floats, b: Floats) -> Floats:
            rest = _stirling_rest(n + b) - _stirling_rest(b) - 0.5 * np.log1p(n / b)
            return np.asarray(self._divergence(n, b) + rest)

        evidence = self._over_cells(cell, beta) + self.unseen * self._divergence(np.zeros(1), beta)
        evidence += _stirling_rest(kappa) - _stirling_rest(self.n + kappa)
        evidence += 0.5 * np.log1p(self.n / kappa)
        return np.asarray(evidence + np.log(_flat_entropy_weight(beta, self.m)))

    def _divergence(self, n: Floats, beta: Floats) -> Floats:
        """A cell's part of (N+κ)·KL(smoothed ‖ uniform): c·(t·log t − t + 1), t = (n+β)/c."""
        mean = self.n / self.m
        centre = mean + beta
        u = (n - mean) / centre
        t = (n + beta) / centre
        near = u * u * (0.5 - u * (1.0 / 6.0 - u * (1.0 / 12.0 - u / 20.0)))
        return np.asarray(centre * np.where(np.abs(u) < 1e-3, near, t * np.log(t) - u))

    def _mean_entropy(self, log_beta: Floats) -> Floats:
        """ψ(N+κ+1) − Σ (n+β)/(N+κ)·ψ(n+β+1) over all cells, seen or not."""
        from scipy.special import digamma

        def share(n: Floats, beta: Floats) -> Floats:
            return np.asarray((n + beta) / (self.n + self.m * beta) * digamma(n + beta + 1.0))

        beta = np.exp(log_beta)
        cells = self._over_cells(share, beta) + self.unseen * share(np.zeros(1), beta)
        return np.asarray(digamma(self.n + self.m * beta + 1.0) - cells)

    def _over_cells(self, term: Callable[[Floats, Floats], Floats], beta: Floats) -> Floats:
        """Σ over the cells seen of term(n, β), for each β; in blocks, to bound the memory."""
        total = np.zeros(beta.size)
        width = max(1, BLOCK // beta.size)
        for at in range(0, self.counts.size, width):
            block = slice(at, at + width)
            total += term(self.counts[block], beta[:, None]) @ self.cells[block]
        return total


def _stirling_rest(z: Floats) -> Floats:
    """log Γ(z) − (z − ½)·log z + z − ½·log 2π, by its series from 10 on."""
    from scipy.special import gammaln

    z = np.asarray(z)
    x = 1.0 / np.maximum(z, 10.0)
    y = x * x
    rest = x * (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188))))
    low = z < 10.0
    small = z[low]
    rest[low] = gammaln(small) - (small - 0.5) * np.log(small) + small - HALF_LOG_TAU
    return np.asarray(rest)


def _flat_entropy_weight(beta: Floats, m: float) -> Floats:
    """β·dξ/dβ of the expected entropy ξ = ψ(mβ+1) − ψ(β+1): flat in ξ means this in log β.

    For large β the two trigammas agree in all their digits, which is where a plain difference
    turns negative and its logarithm into NaN: from 50 on their asymptotic series is subtracted
    term by term.
    """
    from scipy.special import zeta

    weight = np.empty_like(beta)
    large = beta > 50.0
    b = beta[~large]
    weight[~large] = b * (m * zeta(2.0, m * b + 1.0) - zeta(2.0, b + 1.0))
    b, r = 1.0 / beta[large], 1.0 / m
    series = (1.0 - r**4) / 30.0 - b * b * (1.0 - r**6) / 42.0
    weight[large] = b * ((1.0 - r) / 2.0 - b * ((1.0 - r**2) / 6.0 - b * b * series))
    return weight
