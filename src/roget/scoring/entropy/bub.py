"""Paninski's best-upper-bound (BUB) estimator, in time independent of N and the support.

For N items in m cells with true probabilities p, a linear estimator Ĥ = Σ_j a_j·h_j satisfies

    (1)  bias = Σ_cells (Σ_j a_j·B_j(p) − H(p)),   B_j(p) = C(N, j)·p^j·(1 − p)^(N−j),
         H(p) = −p·log p,
    (2)  |bias| ≤ m·max_p |Σ_j a_j·B_j(p) − H(p)|,
    (3)  variance ≤ N·max_j (a_{j+1} − a_j)²   (Efron–Stein; `_Variance` has a sharper bound).

The coefficients minimise the bound on bias² + variance: the first k coefficients a_0, …, a_{k−1}
are fitted by least squares, the remaining ones are the Miller–Madow coefficients, and the k ≤ 11
with the smallest bound is chosen. For N < 20 all coefficients are fitted jointly, as published.
With `bub(small=2)`, the first method is used for all N ≥ 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from roget.core.information import xlogx
from roget.core.types import CountArray, Floats
from roget.errors import InputError
from roget.scoring.entropy.base import LinearEstimator, miller_madow

SMALL_SAMPLE = 20
"""Default value of `small`, the sample size N from which only a few coefficients are fitted.

For smaller N, all coefficients are fitted.
"""
K_MAX = 11
"""Maximum number of coefficients that are fitted rather than taken from Miller–Madow."""
MESH = 200
"""Number of probabilities p at which bias and variance are evaluated."""
REACH = 30.0
"""Upper ends of the mesh. The bias is evaluated up to N·p = 30, and the variance up to m·p = 30."""
SMOOTH_FROM = 200.0
"""Smallest binomial mean at which expectations are computed by Gauss quadrature."""
NODES = 4
"""Number of nodes of the Gauss quadrature."""


class BUB(LinearEstimator):
    """BUB: the linear estimator with the smallest upper bound on the squared error.

    The bound holds for all distributions. Empty cells contribute (a_0 ≠ 0), so the result depends
    on the support m, which is by default the number of non-empty cells. The estimator is
    implemented as published, with these known properties:

    * It is discontinuous at N = 20: [1]*19 gives 3.602, [1]*20 gives 3.471.
    * For N < 20 the entropy of a single cluster is not 0, e.g. 0.181 for one item.
    * For N < 20 it is too high for skewed samples if m is known.
    * If m is much larger than N², the bound is useless, and the value may exceed log m.

    Parameters
    ----------
    small : sample size below which all coefficients are fitted jointly, as published. With small=2,
        only the first coefficients are fitted for all N ≥ 2, which avoids the first three
        properties for these N.

    >>> from roget.scoring.entropy import entropy_of
    >>> [round(entropy_of(counts, "bub"), 4) for counts in ([1, 2, 3, 2, 1], [1], [1]*19, [1]*20)]
    [1.7089, 0.1812, 3.6025, 3.4707]
    >>> [round(entropy_of([9, 1], name, support=10), 4) for name in ("bub", "bub(small=2)")]
    [0.6712, 0.45]
    """

    name = "bub"
    assumes = (
        "the number of cells is known and not much larger than N²; the estimator minimises "
        "the worst-case error"
    )
    reference = "Paninski (2003), Estimation of entropy and mutual information"
    joint_support = "product"

    def __init__(self, small: int = SMALL_SAMPLE) -> None:
        if small < 2:
            raise InputError(f"bub(small={small}): small must be at least 2", code="invalid-option")
        self.small = small

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> Floats:
        return fit_coefficients(int(total), support, self.small).at(counts)

    def empty_cell(self, total: int | float, support: int) -> float:
        return float(fit_coefficients(int(total), support, self.small).start[0])


@dataclass(frozen=True, eq=False)
class Coefficients:
    """The coefficients a_j: fitted for j < len(start), then the Miller–Madow coefficients."""

    total: int
    start: Floats
    bound: float
    """The minimised bound on the root mean squared error, or NaN if all coefficients are fitted."""

    def at(self, counts: CountArray) -> Floats:
        """Return a_j for an array of positive counts j."""
        own = self.start[np.minimum(counts, self.start.size - 1).astype(np.int64)]
        if self.start.size > self.total:
            return own
        return np.where(counts < self.start.size, own, miller_madow(counts, self.total))


@lru_cache(maxsize=4096)
def fit_coefficients(total: int, support: int, small: int = SMALL_SAMPLE) -> Coefficients:
    """Return the coefficients for N items in m possible cells.

    If N < small, all of them are fitted.
    """
    if total < small:
        return Coefficients(total, _fit_all(total, support), math.nan)
    k_max = min(K_MAX, total)
    variance = _Variance.prepare(total, support, k_max)
    best = Coefficients(total, np.zeros(0), math.inf)
    # Step 1: fit a_0, …, a_{k−1} for every k. Step 2: keep the k with the smallest error bound.
    for start, worst_bias in _fit_starts(total, support, k_max):
        bound = math.sqrt(worst_bias**2 + total * variance.bound(start))
        if bound < best.bound:
            best = Coefficients(total, start, bound)
    return best


def _fit_all(total: int, support: int) -> Floats:
    """Fit a_0, …, a_N for N < 20 by least squares at p = 0, 1/(5N), …, 1.

    The coefficients minimise Σ_p (m·bias(p))² + N·Σ (a_j − a_{j−1})². They are computed from the
    normal equations.
    """
    p = np.arange(5 * total + 1) / (5.0 * total)
    j = np.arange(total + 1)
    choose = np.array([math.comb(total, i) for i in range(total + 1)], dtype=np.float64)
    x = support * (choose * p[:, None] ** j * (1.0 - p[:, None]) ** (total - j))
    normal = x.T @ x + total * _second_difference(total + 1)
    # Set small entries to 0, as in the published procedure.
    normal[np.abs(normal) < 1e-7 * normal.max()] = 0.0
    right = x.T @ (-support * xlogx(p))
    return np.asarray(np.linalg.pinv(normal, hermitian=True) @ right)


def _second_difference(size: int) -> Floats:
    """Return the matrix of the quadratic form Σ (a_j − a_{j−1})²."""
    matrix = 2.0 * np.eye(size) - np.eye(size, k=1) - np.eye(size, k=-1)
    matrix[0, 0] = matrix[-1, -1] = 1.0
    return matrix


def _fit_starts(total: int, support: int, k_max: int) -> Iterator[tuple[Floats, float]]:
    """Yield the fitted a_0, …, a_{k−1} and their bias bound, equation (2), for k = 1, 2, ….

    The coefficients minimise m²·Σ_p bias(p)² + N·(Σ (a_j − a_{j−1})² + (a_{k−1} − Miller–Madow)²).
    The normal equations are ill-conditioned (condition numbers up to 3e10), so the problem is
    solved by QR decomposition: once for the matrix of binomials, and then, for each k, for its
    triangular factor with the penalty rows appended.
    """
    means = np.geomspace(1e-4, min(total, REACH), MESH)
    means[-1] -= 1e-10  # log(1 − p) is infinite for p = 1.
    # The probability that a binomial variable with mean 30 exceeds 110 is below 1e-28.
    highest = min(total, 110)
    binomials = _binomials(highest, total, means / total)
    goal = -xlogx(means / total)
    a_mm = np.append(0.5 / total, miller_madow(np.arange(1, highest + 1), total))
    # Compute tails[k] = Σ_{j≥k} a_j·B_j with the Miller–Madow coefficients. Sum from the far end to
    # avoid cancellation.
    tails = np.cumsum((a_mm[:, None] * binomials)[::-1], axis=0)[::-1]
    q, r = np.linalg.qr(binomials[:k_max].T)
    projected = q.T @ (goal - tails[: k_max + 1]).T
    weight = math.sqrt(total) / support
    for k in range(1, k_max + 1):
        # The rows a_j − a_{j−1} of the penalty. For k = 1 there are no differences, but the
        # published matrix has a single entry of 1.
        apart = np.eye(k - 1, k, 1) - np.eye(k - 1, k) if k > 1 else np.ones((1, 1))
        rows = np.vstack([r[:k, :k], weight * apart, weight * np.eye(1, k, k - 1)])
        right = np.zeros(rows.shape[0])
        right[:k] = projected[:k, k]
        # The last fitted coefficient is penalised by its squared distance from the Miller–Madow
        # value with index k − 1. The published derivation uses a_k, but only a_{k−1} reproduces the
        # published scores.
        right[-1] = weight * a_mm[k - 1]
        orthogonal, triangle = np.linalg.qr(rows)
        start = np.linalg.solve(triangle, orthogonal.T @ right)
        # Equation (1) per cell, and its maximum times m, equation (2).
        bias = start @ binomials[:k] + tails[k] - goal
        yield start, support * float(np.abs(bias).max())


def _binomials(highest: int, total: int, p: Floats) -> Floats:
    """Return B_j(p) for j = 0, …, highest (rows) and 0 < p < 1 (columns), without cancellation."""
    j = np.arange(highest + 1, dtype=np.float64)
    # Compute log(N!/(j!·(N−j)!·N^j)), which stays small even if N is large. The factor N^j is part
    # of `power`.
    steps = np.log1p(-(j[1:] - 1.0) / total) - np.log(j[1:])
    log_choose = np.concatenate([[0.0], np.cumsum(steps)])
    power = j[:, None] * np.log(total * p)
    return np.asarray(np.exp(log_choose[:, None] + power + (total - j)[:, None] * np.log1p(-p)))


def _miller_madow_steps(j: Floats, total: int) -> Floats:
    """Return the Miller–Madow differences a_{j+1} − a_j for real j > 0, without cancellation."""
    return -((j + 1.0) * np.log1p(1.0 / j) + np.log(j / total) + 0.5 / total) / total


@dataclass(frozen=True, eq=False)
class _Variance:
    """Two upper bounds on the variance, divided by N.

    Both are computed for the Miller–Madow coefficients and then corrected for the fitted
    coefficients. The first bound is equation (3). The second, sharper one is 4·max_p f(p)·V1(p),
    with f(p) = min(m, 1/p) and
    (4)  V1(p) = Σ_j (j/N)(a_j − a_{j−1})²·B_{j,N}(p) = p·E[(a_{n+1} − a_n)²],   n ~ Bin(N−1, p).
    """

    after: Floats
    """The Miller–Madow coefficients a_0, …, a_{k_max}."""
    steepest: float
    """The largest difference |a_{j+1} − a_j| of Miller–Madow coefficients.

    It is the first or the last difference, because a_j is concave in j.
    """
    mean_square: Floats
    """The expectation E[(a_{n+1} − a_n)²] for the Miller–Madow coefficients at each p."""
    chances: Floats
    """The probabilities P(n = 0), …, P(n = k_max−1) at each p where the binomial mean is small."""
    factor: Floats
    """The factor p·f(p) = min(m·p, 1) at each p."""

    @classmethod
    def prepare(cls, total: int, support: int, k_max: int) -> _Variance:
        """Evaluate the Miller–Madow terms at MESH values of p."""
        p = np.arange(1, MESH + 1) / (MESH + 1) * min(1.0, REACH / support)
        trials = total - 1
        # If the mean is small, sum over the binomial distribution. If it is large, use quadrature.
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
        """Return the bound on the variance, given the first coefficients."""
        k = start.size
        old = np.diff(self.after[: k + 1])
        new = np.diff(np.append(start, self.after[k]))
        # Only the first k differences change. Subtract their old squares, weighted by P(n = j), and
        # add their new squares, equation (4).
        mean_square = self.mean_square.copy()
        mean_square[: self.chances.shape[1]] += (new**2 - old**2) @ self.chances[:k]
        steepest = max(self.steepest, float(np.abs(new).max()))
        return min(steepest**2, 4.0 * float((self.factor * mean_square).max()))


def _smooth_mean_square(total: int, p: Floats) -> Floats:
    """Return E[(a_{n+1} − a_n)²] for n ~ Bin(N−1, p) with a large mean, by Gauss quadrature.

    The orthogonal polynomials of the binomial distribution are the Krawtchouk polynomials. The
    nodes are the eigenvalues of their Jacobi matrix, and the weights are the squared first
    components of the eigenvectors (Golub & Welsch). The function is smooth over the width of the
    distribution, so four nodes give a relative error of about 1e−9.
    """
    if p.size == 0:
        return np.zeros(0)
    trials = total - 1
    i = np.arange(NODES)
    jacobi = np.zeros((p.size, NODES, NODES))
    jacobi[:, i, i] = i * (1.0 - 2.0 * p[:, None])
    subdiagonal = np.sqrt(i[1:] * (trials - i[1:] + 1.0) * (p * (1.0 - p))[:, None])
    jacobi[:, i[1:], i[:-1]] = subdiagonal
    nodes, vectors = np.linalg.eigh(jacobi)
    squares = _miller_madow_steps(trials * p[:, None] + nodes, total) ** 2
    return np.asarray((squares * vectors[:, 0, :] ** 2).sum(axis=1))
