"""The Bayesian estimator of Nemenman, Shafee and Bialek (NSB), integrated without overflow.

Under a symmetric Dirichlet(β) prior over m cells, the expected entropy is, with κ = mβ,

    (1)  ξ(β) = ψ(κ + 1) − ψ(β + 1).

A fixed β would nearly determine the entropy, so β has a prior under which ξ is uniform. The density
of log β is then β·dξ/dβ. For N items with counts n,

    (2)  evidence(β) = Γ(κ)/Γ(N + κ)·Π_cells Γ(n + β)/Γ(β),
    (3)  E[H | n, β] = ψ(N + κ + 1) − Σ_cells (n + β)/(N + κ)·ψ(n + β + 1),
    (4)  Ĥ = ∫ E[H | n, β]·evidence·(β·dξ/dβ) d log β / ∫ evidence·(β·dξ/dβ) d log β.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from roget.core.types import Floats
from roget.scoring.entropy.base import Estimator, Histogram

DEPTH = 45.0
"""Points are ignored if their log posterior is below the maximum by more than this value."""
SCAN = 33
"""Number of points in each scan for the range of log β that contributes to the integral."""
SETTLED = 1e-8
"""Tolerance of the integration.

The step is halved until the result changes by less than this value.

The error is about the square of the last change.
"""
MAX_PIECES = 1 << 14
"""Maximum number of intervals of the trapezoidal rule."""
BLOCK = 1 << 20
"""Maximum number of (β, count) pairs in memory."""

HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)


class NSB(Estimator):
    """NSB: the posterior mean of the entropy under a mixture of Dirichlet priors.

    The mixture makes the prior of the entropy nearly uniform. It depends on the support m, by
    default the number of non-empty cells. If more cells are possible, pass their number. The
    entropy of a single possible cell is 0.

    >>> from roget.scoring.entropy import entropy_of
    >>> entropy_of([7], "nsb"), round(entropy_of([4, 2, 3, 0], "nsb", support=4), 4)
    (0.0, 1.1642)
    """

    name = "nsb"
    assumes = "the number of cells is known, and all entropies are equally likely a priori"
    reference = "Nemenman, Shafee & Bialek (2002), Entropy and inference, revisited"
    joint_support = "product"

    def estimate(self, histogram: Histogram, support: int | None) -> float:
        m = histogram.seen if support is None else support
        if m == 1:
            return 0.0
        return _Posterior(histogram, m).mean()


class _Posterior:
    """The posterior density of log β, and the expected entropy for each β."""

    def __init__(self, histogram: Histogram, support: int) -> None:
        self.n = float(histogram.total)
        self.m = float(support)
        self.counts = histogram.counts.astype(np.float64)
        self.cells = histogram.cells.astype(np.float64)
        self.unseen = float(support - histogram.seen)

    def mean(self) -> float:
        """Return the posterior mean, equation (4), integrated over log β by the trapezoidal rule.

        The step is halved until the result converges. The integrand is analytic near the real line
        and vanishes at both ends of the window, so the rule converges exponentially once the step
        is smaller than the width of the posterior.
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
            if abs(mean - before) <= SETTLED * (mean + SETTLED) or pieces > MAX_PIECES:
                return mean
            # Halve the step: add the midpoints of all intervals, reusing the sums over the old
            # points.
            before = mean
            points = np.asarray(low + (high - low) / pieces * (np.arange(pieces) + 0.5))
            pieces *= 2

    def _window(self) -> tuple[float, float, float]:
        """Return the relevant range of log β, and the maximum of the log density.

        The range is scanned, narrowed to the points within DEPTH of the maximum, and scanned again.
        At both ends of the first range the log density is far more than DEPTH below the maximum:
        for small β the density is proportional to a power of β, the number of non-empty cells, and
        for β above N² it is proportional to 1/β.
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
        """Return the log evidence (2) plus log |dξ/d log β|, up to a constant.

        Differences of log Γ would have errors of thousands of nats at N = 1e12. Therefore log Γ is
        written by Stirling's formula,
        (5)  log Γ(z) = (z − ½)·log z − z + ½·log 2π + rest(z).
        The leading terms are combined analytically into the divergence of the smoothed frequencies
        from the uniform distribution, and only the small remainders are evaluated.
        """
        beta = np.exp(log_beta)
        kappa = self.m * beta

        def cell(n: Floats, b: Floats) -> Floats:
            rest = _stirling_rest(n + b) - _stirling_rest(b) - 0.5 * np.log1p(n / b)
            return np.asarray(self._divergence(n, b) + rest)

        # Sum over all cells, then add the terms of Γ(κ)/Γ(N + κ).
        evidence = self._over_cells(cell, beta) + self.unseen * self._divergence(np.zeros(1), beta)
        evidence += _stirling_rest(kappa) - _stirling_rest(self.n + kappa)
        evidence += 0.5 * np.log1p(self.n / kappa)
        return np.asarray(evidence + np.log(_flat_entropy_weight(beta, self.m)))

    def _divergence(self, n: Floats, beta: Floats) -> Floats:
        """Return the contribution of a cell to (N+κ)·KL(smoothed ‖ uniform).

        It is c·(t·log t − t + 1) with t = (n+β)/c, where c = N/m + β is the mean of n + β over
        cells. Near t = 1 a series avoids cancellation.
        """
        mean = self.n / self.m
        centre = mean + beta
        u = (n - mean) / centre
        t = (n + beta) / centre
        near = u * u * (0.5 - u * (1.0 / 6.0 - u * (1.0 / 12.0 - u / 20.0)))
        return np.asarray(centre * np.where(np.abs(u) < 1e-3, near, t * np.log(t) - u))

    def _mean_entropy(self, log_beta: Floats) -> Floats:
        """Return E[H | n, β] of equation (3), including empty cells."""
        from scipy.special import digamma

        def share(n: Floats, beta: Floats) -> Floats:
            return np.asarray((n + beta) / (self.n + self.m * beta) * digamma(n + beta + 1.0))

        beta = np.exp(log_beta)
        cells = self._over_cells(share, beta) + self.unseen * share(np.zeros(1), beta)
        return np.asarray(digamma(self.n + self.m * beta + 1.0) - cells)

    def _over_cells(self, term: Callable[[Floats, Floats], Floats], beta: Floats) -> Floats:
        """Return the sum of term(n, β) over the non-empty cells, for each β."""
        # Process the counts in blocks to limit memory use.
        total = np.zeros(beta.size)
        width = max(1, BLOCK // beta.size)
        for at in range(0, self.counts.size, width):
            block = slice(at, at + width)
            total += term(self.counts[block], beta[:, None]) @ self.cells[block]
        return total


def _stirling_rest(z: Floats) -> Floats:
    """Return the remainder term of equation (5), using its asymptotic series for z ≥ 10."""
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
    """Return β·dξ/dβ of equation (1), the prior of log β under which ξ is uniform.

    For large β the two trigamma functions are nearly equal, so their computed difference may be
    negative and its logarithm NaN. For β > 50 their asymptotic series are subtracted term by term.
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
