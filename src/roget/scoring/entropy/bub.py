"""Paninski's best-upper-bound estimator, in time that depends neither on N nor on the support."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from roget.core.information import xlogx
from roget.core.types import CountArray, Floats
from roget.scoring.entropy.base import LinearEstimator, miller_madow

SMALL_SAMPLE = 20
"""Below this N all coefficients are fitted at once; from it on only the first few."""
K_MAX = 11
"""The largest number of coefficients that may leave Miller–Madow."""
MESH = 200
REACH = 30.0
"""The bias is watched up to N·p = 30, the variance up to m·p = 30."""
SMOOTH_FROM = 200.0
"""From this mean on, expectations over a binomial are taken by Gauss quadrature."""
NODES = 4


class BUB(LinearEstimator):
    """The linear estimator with the least bound on its squared error over all distributions.

    Empty cells count (a_0 ≠ 0), so the support m matters; without one, m is the cells seen.
    Known habits, kept as published and never clamped:

    * N = 20 is a seam: [1]*19 gives 3.602 and [1]*20 gives 3.471, although one item was added;
    * below N = 20 a single cluster has an entropy other than 0 (0.181 for one item);
    * with m far above N² the bound itself is useless, and so is the value: it may exceed log m.

    >>> from roget.scoring.entropy import entropy_of
    >>> [round(entropy_of(counts, "bub"), 4) for counts in ([1, 2, 3, 2, 1], [1], [1]*19, [1]*20)]
    [1.7089, 0.1812, 3.6025, 3.4707]
    """

    name = "bub"
    assumes = "the number of cells is known and not far above N²; guards against the worst case"
    reference = "Paninski (2003), Estimation of entropy and mutual information"
    joint_support = "product"

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> Floats:
        return fitted(int(total), support).at(counts)

    def empty_cell(self, total: int | float, support: int) -> float:
        return float(fitted(int(total), support).start[0])


@dataclass(frozen=True, eq=False)
class Coefficients:
    """a_j as a short table for j < len(start) and Miller–Madow's value beyond it."""

    total: int
    start: Floats
    bound: float
    """The bound on the root mean squared error that chose `start` (nan if N < 20)."""

    def at(self, counts: CountArray) -> Floats:
        """a_j for an array of positive counts, in time linear in its length."""
        own = self.start[np.minimum(counts, self.start.size - 1).astype(np.int64)]
        if self.start.size > self.total:
            return own
        return np.where(counts < self.start.size, own, miller_madow(counts, self.total))


@lru_cache(maxsize=4096)
def fitted(total: int, support: int) -> Coefficients:
    """The coefficients for N items in a support of m cells; kept, since measures ask again."""
    if total < SMALL_SAMPLE:
        return Coefficients(total, _fit_all(total, support), math.nan)
    k_max = min(K_MAX, total)
    variance = _Variance.of(total, support, k_max)
    best = Coefficients(total, np.zeros(0), math.inf)
    for start, worst_bias in _fit_starts(total, support, k_max):
        bound = math.sqrt(worst_bias**2 + total * variance.bound(start))
        if bound < best.bound:
            best = Coefficients(total, start, bound)
    return best


def _fit_all(total: int, support: int) -> Floats:
    """N < 20: least squares over all a_0…a_N on p = 0, 1/(5N), …, 1, neighbours kept close."""
    p = np.arange(5 * total + 1) / (5.0 * total)
    j = np.arange(total + 1)
    choose = np.array([math.comb(total, i) for i in range(total + 1)], dtype=np.float64)
    x = support * (choose * p[:, None] ** j * (1.0 - p[:, None]) ** (total - j))
    normal = x.T @ x + total * _second_difference(total + 1)
    # Part of the published procedure: entries this small are taken for rounding errors.
    normal[np.abs(normal) < 1e-7 * normal.max()] = 0.0
    right = x.T @ (-support * xlogx(p))
    return np.asarray(np.linalg.pinv(normal, hermitian=True) @ right)


def _second_difference(size: int) -> Floats:
    """2 on the diagonal, 1 at its ends, −1 beside it: the quadratic form Σ (a_j − a_{j−1})²."""
    matrix = 2.0 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
    matrix[0, 0] = matrix[-1, -1] = 1.0
    return matrix


def _fit_starts(total: int, support: int, k_max: int) -> Iterator[tuple[Floats, float]]:
    """For k = 1, 2, …: a_0…a_{k−1}, and the largest bias m·|Σ a_j·B_j(p) − H(p)| with them.

    Minimised is m²·Σ_p bias(p)² + N·(Σ (a_j − a_{j−1})² + (a_{k−1} − Miller–Madow)²). The
    normal equations have condition numbers up to 3e10, so the problem is solved by QR: once
    for the binomials, then for the small triangle with the penalty rows below it.
    """
    means = np.geomspace(1e-4, min(total, REACH), MESH)
    means[-1] -= 1e-10  # p = 1 would make the binomial's logarithm infinite
    highest = min(total, 110)  # a binomial with mean 30 exceeds 110 with probability below 1e-28
    binomials = _binomials(highest, total, means / total)
    goal = -xlogx(means / total)
    a_mm = np.append(0.5 / total, miller_madow(np.arange(1, highest + 1), total))
    # tails[k] = Σ_{j≥k} a_j·B_j, added up from the far end so that nothing cancels.
    tails = np.cumsum((a_mm[:, None] * binomials)[::-1], axis=0)[::-1]
    q, r = np.linalg.qr(binomials[:k_max].T)
    projected = q.T @ (goal - tails[: k_max + 1]).T
    weight = math.sqrt(total) / support
    for k in range(1, k_max + 1):
        # With k = 1 there is no neighbour, but the published matrix has a 1 in its only corner.
        apart = np.eye(k - 1, k, 1) - np.eye(k - 1, k) if k > 1 else np.ones((1, 1))
        rows = np.vstack([r[:k, :k], weight * apart, weight * np.eye(1, k, k - 1)])
        right = np.zeros(rows.shape[0])
        right[:k] = projected[:k, k]
        # The last fitted coefficient is drawn to Miller–Madow's value at its own index k−1;
        # the derivation has a_k. The published scores contain this, and only it gives them.
        right[-1] = weight * a_mm[k - 1]
        orthogonal, triangle = np.linalg.qr(rows)
        start = np.linalg.solve(triangle, orthogonal.T @ right)
        bias = start @ binomials[:k] + tails[k] - goal
        yield start, support * float(np.abs(bias).max())


def _binomials(highest: int, total: int, p: Floats) -> Floats:
    """B_j(p) for j = 0…highest (rows) and 0 < p < 1 (columns), by logarithms that do not cancel."""
    j = np.arange(highest + 1, dtype=np.float64)
    # log of N!/(j!·(N−j)!·N^j): small numbers only, however large N is.
    steps = np.log1p(-(j[1:] - 1.0) / total) - np.log(j[1:])
    log_choose = np.concatenate([[0.0], np.cumsum(steps)])
    power = j[:, None] * np.log(total * p)
    return np.asarray(np.exp(log_choose[:, None] + power + (total - j)[:, None] * np.log1p(-p)))


def _miller_madow_steps(j: Floats, total: int) -> Floats:
    """a_{j+1} − a_j of Miller–Madow for any real j > 0, without subtracting neighbours."""
    return -((j + 1.0) * np.log1p(1.0 / j) + np.log(j / total) + 0.5 / total) / total


@dataclass(frozen=True, eq=False)
class _Variance:
    """Both bounds on the variance (per N), prepared for Miller–Madow and corrected for a start.

    V1(p) = Σ_j (j/N)(a_j − a_{j−1})²·B_{j,N}(p) = p·E[(a_{n+1} − a_n)²] with n ~ Bin(N−1, p).
    """

    after: Floats
    """Miller–Madow's a_0…a_{k_max}."""
    steepest: float
    """The largest |a_{j+1} − a_j| of Miller–Madow, at one end because it is concave."""
    mean_square: Floats
    """E[(a_{n+1} − a_n)²] of Miller–Madow at each p."""
    chances: Floats
    """P(n = 0…k_max−1) at each p (only where the mean is small; it is 0 elsewhere)."""
    factor: Floats
    """p·f(p) = min(m·p, 1) at each p."""

    @classmethod
    def of(cls, total: int, support: int, k_max: int) -> _Variance:
        p = np.arange(1, MESH + 1) / (MESH + 1) * min(1.0, REACH / support)
        trials = total - 1
        exact = p if trials <= 2 * SMOOTH_FROM else p[p * trials <= SMOOTH_FROM]
        reach = trials * float(exact.max(initial=0.0))
        highest = min(trials, k_max + int(reach + 12.0 * math.sqrt(reach)) + 20)
        steps = np.empty(highest + 1)
        steps[0] = (math.log(total) - 0.5 / total) / total
        steps[1:] = _miller_madow_steps(np.arange(1.0, highest + 1.0), total)
        last = float(_miller_madow_steps(np.array(total - 1.0), total))
        binomials = _binomials(highest, trials, exact)
        smooth = _smooth_mean_square(total, p[exact.size :])
        return cls(
            after=np.append(0.5 / total, miller_madow(np.arange(1, k_max + 1), total)),
            steepest=max(abs(float(steps[0])), abs(last)),
            mean_square=np.concatenate([steps**2 @ binomials, smooth]),
            chances=binomials[:k_max],
            factor=np.minimum(support * p, 1.0),
        )

    def bound(self, start: Floats) -> float:
        """min(max|Δa|², 4·max f(p)·V1(p)) for Miller–Madow with its first values replaced."""
        k = start.size
        old = np.diff(self.after[: k + 1])
        new = np.diff(np.append(start, self.after[k]))
        mean_square = self.mean_square.copy()
        mean_square[: self.chances.shape[1]] += (new**2 - old**2) @ self.chances[:k]
        steepest = max(self.steepest, float(np.abs(new).max()))
        return min(steepest**2, 4.0 * float((self.factor * mean_square).max()))


def _smooth_mean_square(total: int, p: Floats) -> Floats:
    """E[(a_{n+1} − a_n)²] for n ~ Bin(N−1, p) with a large mean, by Gauss–Krawtchouk quadrature.

    The recurrence of the binomial's own orthogonal polynomials gives nodes and weights; with
    four nodes the function, smooth at this scale, is integrated to about 1e−9 of its value.
    """
    if p.size == 0:
        return np.zeros(0)
    trials = total - 1
    i = np.arange(NODES)
    jacobi = np.zeros((p.size, NODES, NODES))
    jacobi[:, i, i] = i * (1.0 - 2.0 * p[:, None])
    beside = np.sqrt(i[1:] * (trials - i[1:] + 1.0) * (p * (1.0 - p))[:, None])
    jacobi[:, i[1:], i[:-1]] = beside
    nodes, vectors = np.linalg.eigh(jacobi)
    squares = _miller_madow_steps(trials * p[:, None] + nodes, total) ** 2
    return np.asarray((squares * vectors[:, 0, :] ** 2).sum(axis=1))
