from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.soft.anneal import instability


def dense(data: Any) -> Any:
    shape = data.n_words, data.n_contexts
    return sparse.csr_array(
        (data.rows.values, data.rows.indices, data.rows.indptr), shape=shape
    ).toarray()


def some_data(seed: int = 0, prior: str = "empirical") -> Any:
    rng = np.random.default_rng(seed)
    rates = rng.gamma(0.3, size=(3, 40)) * 3 + 0.05
    counts = rng.poisson(rates[rng.integers(3, size=80)])
    counts[np.arange(80), rng.integers(40, size=80)] += 1
    return prepare(sparse.csr_array(counts), prior)


def twin_step(p: Any, weights: Any, first: Any, second: Any, beta: float) -> tuple[Any, Any]:
    """One EM step of two twins with the given centroids."""
    gap = beta * (p @ np.log(np.maximum(first, 1e-200) / np.maximum(second, 1e-200)))
    share = 1 / (1 + np.exp(-gap))
    one, two = weights * share, weights * (1 - share)
    return one @ p / one.sum(), two @ p / two.sum()


@pytest.mark.parametrize("prior", ["empirical", "uniform"])
@pytest.mark.parametrize("seed", range(3))
def test_root_eigenvalue_is_the_squared_singular_value(seed: int, prior: str) -> None:
    data = some_data(seed, prior)
    p = dense(data)
    scaled = np.sqrt(data.prior)[:, None] * p / np.sqrt(data.prior @ p)
    sigma = np.linalg.svd(scaled, compute_uv=False)
    found = instability(data, np.ones((80, 1)), 0)
    assert sigma[0] == pytest.approx(1.0)
    assert found.critical_beta == pytest.approx(1 / sigma[1] ** 2, rel=1e-4)
    assert found.critical_beta == pytest.approx(1 / sigma[1] ** 2, rel=1e-9)


def test_perturbation_grows_by_beta_times_the_eigenvalue() -> None:
    data = some_data(1)
    p = dense(data)
    q = np.random.default_rng(5).dirichlet(np.ones(2), size=80)
    found = instability(data, q, 1)
    weights = data.prior * q[:, 1]
    centroid = weights @ p / weights.sum()
    # The split direction d over contexts, Σ d = 0, of the eigenvector that was found.
    move = np.sum((found.weights * found.scores)[:, None] * p[found.words], axis=0) / weights.sum()
    move *= 1e-6 / np.abs(move / centroid).max()
    assert abs(move.sum()) < 1e-18
    for beta in (1.0, 1.7, 3.0):
        first, second = twin_step(p, weights, centroid + move, centroid - move, beta)
        grown = (first - second) / 2
        growth = (grown @ (move / centroid)) / (move @ (move / centroid))
        assert growth == pytest.approx(beta * found.eigenvalue, rel=1e-5)
        assert np.allclose(grown, beta * found.eigenvalue * move, atol=1e-5 * np.abs(move).max())


def parted(p: Any, weights: Any, beta: float, rng: Any) -> bool:
    """The paper's test: do two slightly perturbed copies of the centroid move apart?"""
    centroid = weights @ p / weights.sum()
    noise = rng.standard_normal(centroid.size) * centroid
    noise -= noise.sum() * centroid
    noise *= 1e-5 / np.abs(noise / centroid).max()
    first, second = centroid + noise, centroid - noise
    size = []
    for _ in range(600):
        first, second = twin_step(p, weights, first, second, beta)
        size.append(np.abs(first - second).sum())
    return bool(size[-1] > 0.1 or size[-1] > size[-100])


def test_perturbations_of_the_paper_give_the_same_beta() -> None:
    data = some_data(2)
    p, rng = dense(data), np.random.default_rng(0)
    low, high = 1.0, 6.0
    while high / low > 1.002:
        beta = (low * high) ** 0.5
        low, high = (low, beta) if parted(p, data.prior, beta, rng) else (beta, high)
    found = instability(data, np.ones((80, 1)), 0)
    assert found.critical_beta == pytest.approx(low, rel=0.01)


def test_identical_words_never_split() -> None:
    same = prepare(sparse.csr_array(np.tile([3.0, 1.0, 2.0], (5, 1)) * np.arange(1, 6)[:, None]))
    found = instability(same, np.ones((5, 1)), 0)
    assert found.eigenvalue == 0.0
    assert found.critical_beta == np.inf
    alone = prepare(sparse.csr_array([[3.0, 1.0]]))
    assert instability(alone, np.ones((1, 1)), 0).eigenvalue == 0.0


def test_words_without_common_contexts_split_at_beta_1() -> None:
    apart = prepare(sparse.csr_array(np.kron(np.eye(2), [[2.0, 1.0], [1.0, 3.0]])))
    found = instability(apart, np.ones((4, 1)), 0)
    assert found.eigenvalue == pytest.approx(1.0, abs=1e-12)
    assert sorted(np.sign(found.scores)) == [-1, -1, 1, 1]


def test_words_that_hardly_belong_can_be_ignored() -> None:
    data = some_data(0)
    q = np.ones((80, 2))
    q[:40, 0], q[40:, 0] = 1e-7, 1.0
    assert instability(data, q, 0, drop=1e-3).words.tolist() == list(range(40, 80))
    assert instability(data, q, 0).words.size == 80
