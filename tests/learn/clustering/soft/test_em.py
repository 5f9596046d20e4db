from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.annealing.states import ThreadPool
from roget.learn.clustering.memberships import FLOOR
from roget.learn.clustering.soft import em
from roget.learn.clustering.soft.em import SoftMixture


def naive_step(
    counts: Any, q: Any, beta: float, prior: str, mass: bool
) -> tuple[Any, Any, float, float, float]:
    """An M-step and an E-step by the formulas, one number at a time."""
    n, m = counts.shape
    k = q.shape[1]
    p = [[counts[i, v] / counts[i].sum() for v in range(m)] for i in range(n)]
    total = counts.sum()
    weight = [counts[i].sum() / total if prior == "empirical" else 1 / n for i in range(n)]
    background = [sum(weight[i] * p[i][v] for i in range(n)) for v in range(m)]
    size = [sum(weight[i] * q[i, c] for i in range(n)) for c in range(k)]
    centroid = [
        [sum(weight[i] * q[i, c] * p[i][v] for i in range(n)) / size[c] for v in range(m)]
        for c in range(k)
    ]
    new, free, distortion = np.zeros((n, k)), 0.0, 0.0
    for i in range(n):
        far = [
            sum(
                x * np.log(x / max(centroid[c][v], FLOOR * background[v]))
                for v, x in enumerate(p[i])
                if x > 0
            )
            for c in range(k)
        ]
        pull = [(size[c] if mass else 1.0) * np.exp(-beta * far[c]) for c in range(k)]
        new[i] = np.array(pull) / sum(pull)
        free -= weight[i] * np.log(sum(pull)) / beta
        distortion += weight[i] * sum(new[i, c] * far[c] for c in range(k))
    entropy = -sum(weight[i] * x * np.log(x) for i in range(n) for x in new[i] if x > 0)
    return new, np.array(centroid), free, distortion, entropy


def random_case(seed: int, words: int = 7, contexts: int = 5, k: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, size=(words, contexts)).astype(float)
    counts[np.arange(words), rng.integers(contexts, size=words)] += 1
    return counts, rng.dirichlet(np.ones(k), size=words)


def mixture_of(counts: Any, q: Any, prior: str, mass: bool, dtype: str = "float64") -> SoftMixture:
    from scipy import sparse

    data = prepare(sparse.csr_array(counts), prior, dtype)
    mixture = SoftMixture(data, mass, ThreadPool(1))
    mixture.reserve(q.shape[1])
    mixture.k = q.shape[1]
    mixture.q[:, : mixture.k] = q
    mixture.mass[: mixture.k] = data.prior @ q
    return mixture


@given(
    st.integers(0, 10**6),
    st.floats(0.3, 12),
    st.sampled_from(["empirical", "uniform"]),
    st.booleans(),
)
def test_step_follows_the_formulas(seed: int, beta: float, prior: str, mass: bool) -> None:
    counts, q = random_case(seed)
    new, centroids, free, distortion, entropy = naive_step(counts, q, beta, prior, mass)
    mixture = mixture_of(counts, q, prior, mass)
    energy = mixture.run(beta, 1, 0.0)
    assert np.allclose(mixture.q[:, :3], new, atol=1e-11)
    assert np.allclose(mixture.centroids(), centroids, atol=1e-12)
    assert energy.free == pytest.approx(free, abs=1e-10)
    assert energy.distortion == pytest.approx(distortion, abs=1e-9)
    assert energy.entropy == pytest.approx(entropy, abs=1e-9)


@given(st.integers(0, 10**6), st.floats(0.5, 8), st.booleans())
def test_free_energy_never_rises(seed: int, beta: float, mass: bool) -> None:
    counts, q = random_case(seed, words=12, contexts=6)
    mixture = mixture_of(counts, q, "empirical", mass)
    energies = [mixture.run(beta, 1, 0.0).free for _ in range(15)]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(energies))


def test_sparse_membership_lists_change_no_step(
    planted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, labels = planted(300, 120, 30, 40)
    q = np.full((300, 30), 0.3 / 29)
    q[np.arange(300), labels] = 0.7
    results = []
    for share in (1.0, 0.0):
        monkeypatch.setattr(em, "LISTED_SHARE", share)
        mixture = mixture_of(counts.toarray(), q, "empirical", False)
        results.append((mixture.run(6.0, 60, 1e-12), mixture.q[:, :30].copy()))
    assert results[0][0].free == pytest.approx(results[1][0].free, rel=1e-6)
    assert np.abs(results[0][1] - results[1][1]).max() < 1e-4


def test_membership_lists_are_used_and_lose_little(planted: Any) -> None:
    counts, labels = planted(300, 120, 30, 40)
    q = np.full((300, 30), 1e-3 / 29)
    q[np.arange(300), labels] = 1 - 1e-3
    mixture = mixture_of(counts.toarray(), q, "empirical", False)
    mixture.run(12.0, 3, 0.0)
    lists = mixture._lists()
    assert lists is not None
    offsets, clusters, shares = lists
    sums = np.add.reduceat(shares, offsets[:-1])
    assert np.all(sums > 1 - em.LOST)
    assert clusters.size < em.LISTED_SHARE * 300 * 30


def test_empty_cluster_does_not_spread_nan() -> None:
    counts, q = random_case(3)
    q[:, 2] = 0
    q /= q.sum(axis=1, keepdims=True)
    mixture = mixture_of(counts, q, "empirical", False)
    energy = mixture.run(3.0, 5, 0.0)
    assert np.isfinite(energy.free)
    assert np.isfinite(mixture.q[:, :3]).all()


def test_zero_centroid_entries_do_not_lock_memberships() -> None:
    counts = np.array([[5.0, 1.0, 0.0], [0.0, 1.0, 5.0], [4.0, 2.0, 0.0]])
    q = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])  # the third word is in the wrong place
    mixture = mixture_of(counts, q, "uniform", False)
    mixture.run(2.0, 60, 1e-12)
    assert mixture.q[:, :2].argmax(axis=1).tolist() == [0, 1, 0]


def test_threads_do_not_change_a_step(planted: Any) -> None:
    counts, _ = planted(400, 900, 6, 120)
    rng = np.random.default_rng(0)
    q = rng.dirichlet(np.ones(6), size=400)
    results = []
    for jobs in (1, 2, 3):
        mixture = mixture_of(counts.toarray(), q, "empirical", True)
        mixture.threads = ThreadPool(jobs)
        assert len(mixture._words) > 1
        energy = mixture.run(3.0, 20, 0.0)
        mixture.threads.close()
        results.append(
            (energy, mixture.q.tobytes(), mixture.logs.tobytes(), mixture.mass.tobytes())
        )
    assert results[0] == results[1] == results[2]


def test_ranges_cover_all_rows_once() -> None:
    rng = np.random.default_rng(1)
    indptr = np.concatenate([[0], np.cumsum(rng.integers(0, 5000, size=300))])
    covered = [row for begin, end in em.ranges(indptr) for row in range(begin, end)]
    assert covered == list(range(300))
