from __future__ import annotations

from collections import deque
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import v_measure_score

from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.annealing.states import AnnealingSettings
from roget.learn.clustering.soft import anneal as annealing
from roget.learn.clustering.soft.anneal import Annealer, instability


def last(counts: Any, *, prior: str = "empirical", dtype: str = "float64", **options: Any) -> Any:
    return deque(
        Annealer(prepare(counts, prior, dtype), AnnealingSettings(**options)).states(), maxlen=1
    ).pop()


def hard(state: Any) -> Any:
    return np.asarray(state.membership.argmax(axis=1)).ravel()


@pytest.mark.parametrize("mass", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_annealing_finds_four_planted_clusters(planted: Any, seed: int, mass: bool) -> None:
    counts, labels = planted(200, 100, 4, 60, seed)
    state = last(counts, n_clusters=4, mass=mass)
    assert v_measure_score(labels, hard(state)) == pytest.approx(1.0)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_annealing_finds_fifty_planted_clusters(planted: Any, dtype: str) -> None:
    counts, labels = planted(2000, 1000, 50, 60)
    state = last(counts, n_clusters=50, dtype=dtype)
    assert state.n_clusters == 50
    assert v_measure_score(labels, hard(state)) == pytest.approx(1.0)


def test_first_split_is_at_the_dense_critical_beta(planted: Any) -> None:
    counts, _ = planted(200, 100, 4, 60)
    data = prepare(counts)
    p = counts.toarray() / counts.sum(axis=1)[:, None]
    scaled = np.sqrt(data.prior)[:, None] * p / np.sqrt(data.prior @ p)
    sigma = np.linalg.svd(scaled, compute_uv=False)[1]
    state = last(counts, n_clusters=3)
    first = state.splits[0]
    assert first.critical_beta == pytest.approx(1 / sigma**2, rel=1e-4)
    assert first.beta == pytest.approx(annealing.STEP / sigma**2, rel=1e-4)


def test_every_number_of_clusters_comes_once(planted: Any) -> None:
    counts, _ = planted(150, 60, 5, 40)
    seen = []
    for state in Annealer(prepare(counts), AnnealingSettings(n_clusters=12)).states():
        q = state.membership
        assert q.shape == (150, state.n_clusters)
        assert np.allclose(q.sum(axis=1), 1)
        assert np.allclose(state.centroids.sum(axis=1), 1, atol=1e-6)
        assert state.tree.n_clusters == state.n_clusters
        assert state.mass.sum() == pytest.approx(1)
        seen.append((state.n_clusters, state.beta))
    sizes = [k for k, _ in seen]
    assert sizes[:11] == [*range(2, 13)]
    assert set(sizes[11:]) == {12}, "then β goes where it is to end"
    assert all(one[1] <= two[1] for one, two in pairwise(seen[:11]))


@pytest.mark.parametrize("mass", [False, True])
def test_energies_belong_to_memberships_and_centroids(planted: Any, mass: bool) -> None:
    counts, _ = planted(100, 60, 3, 40)
    p = counts.toarray() / counts.sum(axis=1)[:, None]
    data = prepare(counts)
    for state in Annealer(data, AnnealingSettings(n_clusters=5, mass=mass)).states():
        q, centroids = state.membership.toarray(), state.centroids
        logs = np.log(np.maximum(centroids, data.floor))
        far = -data.entropy[:, None] - p @ logs.T
        distortion = float(data.prior @ (q * far).sum(axis=1))
        entropy = -float(data.prior @ np.where(q > 0, q * np.log(q + 1e-300), 0).sum(axis=1))
        # Between two settlings only the twins' own centroids are up to date.
        near = 1e-6 if state.settled else 2e-2
        assert state.energy.distortion == pytest.approx(distortion, rel=near)
        assert state.energy.entropy == pytest.approx(entropy, rel=near, abs=1e-9)
        # Masses count while clusters are split, and afterwards if asked for.
        relative = entropy
        if mass or not state.grown:
            before = state.mass if not state.settled else q.T @ data.prior
            relative += float(np.sum(before * np.log(before)))
        free = distortion - relative / state.beta
        assert state.energy.free == pytest.approx(free, rel=1e-4 if state.settled else 3e-2)


def test_beta_alone_leaves_no_cluster_unstable(planted: Any) -> None:
    counts, _ = planted(200, 100, 4, 60)
    state = last(counts, beta=4.0, mass=True)
    assert state.beta == 4.0
    assert 4 <= state.n_clusters < 60
    q, data = state.mixture.q, state.data
    for cluster in range(state.n_clusters):
        found = instability(data, q, cluster, drop=annealing.DROP)
        retried = state.handicap[cluster]
        assert 4.0 * found.eigenvalue < 1.03 * retried
    assert last(counts, beta=4.0).n_clusters == state.n_clusters
    assert last(counts, beta=1.2).n_clusters == 1


def test_number_of_clusters_and_beta_are_reached(planted: Any) -> None:
    counts, _ = planted(200, 100, 4, 60)
    sharp = last(counts, n_clusters=4, beta=9.0)
    assert (sharp.n_clusters, sharp.beta) == (4, 9.0)
    low = last(counts, n_clusters=4, beta=1.5)
    assert (low.n_clusters, low.beta) == (1, 1.5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_threads_change_nothing(planted: Any, dtype: str) -> None:
    counts, _ = planted(600, 300, 12, 80)
    results = []
    for jobs in (1, 2):
        state = last(counts, n_clusters=20, n_jobs=jobs, dtype=dtype)
        mixture = state.mixture
        results.append((mixture.q.tobytes(), mixture.logs.tobytes(), state.splits))
    assert results[0] == results[1]


def test_single_precision_is_close(planted: Any) -> None:
    counts, _ = planted(300, 120, 6, 60)
    one, two = (last(counts, n_clusters=6, dtype=dtype) for dtype in ("float32", "float64"))
    assert one.energy.free == pytest.approx(two.energy.free, rel=1e-4)
    assert np.abs(one.membership.toarray() - two.membership.toarray()).max() < 1e-2
    assert np.array_equal(hard(one), hard(two))


@pytest.mark.parametrize("relax", [annealing.RELAX, 2.0])
def test_snapshot_at_any_split_leads_to_the_same_end(
    planted: Any, monkeypatch: pytest.MonkeyPatch, relax: float
) -> None:
    monkeypatch.setattr(annealing, "RELAX", relax)
    counts, _ = planted(200, 100, 6, 50)
    data, settings = prepare(counts), AnnealingSettings(n_clusters=30, beta=12.0)
    annealer = Annealer(data, settings)
    kept = []
    for _ in annealer.states():
        snapshot = annealer.snapshot()
        kept.append({**snapshot, "q": snapshot["q"].copy(), "mass": snapshot["mass"].copy()})
    end = annealer.snapshot()
    for snapshot in [*kept[::4], kept[-1]]:
        again = Annealer(data, settings)
        again.restore(snapshot)
        for _ in again.states():
            pass
        new = again.snapshot()
        assert new["q"].tobytes() == end["q"].tobytes()
        assert again.splits == annealer.splits
        assert again.energy == annealer.energy
        assert again.mixture.centroids().tobytes() == annealer.mixture.centroids().tobytes()


def test_coinciding_twins_are_merged() -> None:
    counts = sparse.csr_array(np.random.default_rng(0).poisson(2, size=(30, 8)) + 1.0)
    annealer = Annealer(prepare(counts), AnnealingSettings(n_clusters=3))
    list(annealer.states())
    k, splits = annealer.mixture.k, len(annealer.splits)
    assert k == splits + 1
    # Two clusters with one and the same centroid, as if their twins had not parted.
    annealer.mixture.logs[:, k - 1] = annealer.mixture.logs[:, annealer.splits[-1].parent]
    annealer.relaxed_at = 1
    annealer._merge()
    assert annealer.mixture.k == k - 1
    assert annealer.tree.n_clusters == k - 1
    assert annealer.mixture.q[:, : k - 1].sum(axis=1) == pytest.approx(np.ones(30))


def test_rare_word_with_contexts_of_its_own_does_not_stop_the_splits(planted: Any) -> None:
    counts, labels = planted(200, 100, 4, 60)
    alone = sparse.csr_array(np.array([[2.0]]))
    state = last(sparse.csr_array(sparse.block_diag([counts, alone])), n_clusters=4)
    assert state.n_clusters == 4
    assert v_measure_score(labels, hard(state)[:200]) == pytest.approx(1.0)


def test_narrow_directions_are_ignored(planted: Any) -> None:
    counts, _ = planted(200, 100, 4, 60)
    alone = sparse.csr_array(np.array([[2.0]]))
    both = prepare(sparse.csr_array(sparse.block_diag([counts, alone])))
    one = np.ones((201, 1))
    assert instability(both, one, 0).eigenvalue == pytest.approx(1.0), "a component of its own"
    wide = instability(both, one, 0, narrow=1e-3)
    without = instability(prepare(counts), np.ones((200, 1)), 0)
    assert wide.eigenvalue == pytest.approx(without.eigenvalue, rel=1e-6)
    assert 200 not in wide.words
