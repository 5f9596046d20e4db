"""The symmetric model: its steps compared with naive code, its instability, and its clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from roget.core.tree import Tree
from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.annealing.states import AnnealingSettings
from roget.learn.clustering.symmetric.annealer import BETA, SymmetricAnnealer
from roget.learn.clustering.symmetric.estimator import fold_in
from support.errors import refused


def planted(words: int = 60, contexts: int = 40, clusters: int = 4, seed: int = 0) -> Any:
    """Return counts whose words take most contexts from their own cluster, and the clusters."""
    rng = np.random.default_rng(seed)
    labels = np.arange(words) % clusters
    own = np.arange(contexts) % clusters
    rates = np.where(labels[:, None] == own, 8.0, 0.4)
    return sparse.csr_array(rng.poisson(rates)), labels


def last(matrix: Any, **options: Any) -> Any:
    annealer = SymmetricAnnealer(prepare(matrix), AnnealingSettings(**options))
    states = list(annealer.states())
    annealer.close()
    return states[-1]


def naive_step(
    joint: np.ndarray, words: np.ndarray, contexts: np.ndarray, beta: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Do one tempered EM step over the whole words × contexts × clusters array."""
    conditional = words / joint.sum(axis=1)[:, None]
    given = contexts / contexts.sum(axis=0)
    power = (conditional[:, None, :] * given[None, :, :]) ** beta
    z = power.sum(axis=2)
    counts = joint[:, :, None] * power / z[:, :, None]
    free = -float((joint * np.log(z)).sum()) / beta
    return counts.sum(axis=1), counts.sum(axis=0), free


@pytest.mark.parametrize("beta", [0.7, 0.775, 1.0])
def test_step_equals_naive_code(beta: float) -> None:
    matrix, _ = planted()
    annealer = SymmetricAnnealer(prepare(matrix), AnnealingSettings(n_clusters=3, beta=beta))
    annealer.beta = beta
    rng = np.random.default_rng(1)
    joint = matrix.toarray() / matrix.sum()
    shares = rng.dirichlet(np.ones(3), joint.shape[0])
    annealer.words = shares * joint.sum(axis=1)[:, None]
    annealer.contexts = rng.random((joint.shape[1], 3)) + 0.1
    words, contexts, free = naive_step(joint, annealer.words, annealer.contexts, beta)
    log_z = annealer._step()
    np.testing.assert_allclose(annealer.words, words, rtol=1e-9)
    np.testing.assert_allclose(annealer.contexts, contexts, rtol=1e-9)
    assert -log_z / beta == pytest.approx(free, rel=1e-12)


def test_root_instability_is_its_canonical_correlation() -> None:
    matrix, _ = planted(clusters=2)
    joint = matrix.toarray() / matrix.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    values = np.linalg.svd(joint / np.sqrt(np.outer(rows, columns)), compute_uv=False)
    annealer = SymmetricAnnealer(prepare(matrix), AnnealingSettings(n_clusters=2))
    annealer._expect()
    sigma, _, _ = annealer._instabilities()
    assert sigma[0] == pytest.approx(values[1], rel=1e-6)
    assert last(matrix, n_clusters=2).tree.value[0] == pytest.approx(1 / (1 + values[1]), rel=1e-6)


@pytest.mark.parametrize(("factor", "parts"), [(0.97, False), (1.03, True)])
def test_twins_separate_only_above_the_critical_beta(factor: float, parts: bool) -> None:
    matrix, _ = planted(clusters=2)
    annealer = SymmetricAnnealer(prepare(matrix), AnnealingSettings(n_clusters=2, beta=0.6))
    annealer._expect()
    sigma, scores, modes = annealer._instabilities()
    annealer.beta = factor / (1 + sigma[0])
    for table, direction in (("words", scores), ("contexts", modes)):
        whole, tilt = getattr(annealer, table), 1e-4 * direction
        setattr(annealer, table, np.hstack([whole * (1 + tilt), whole * (1 - tilt)]) / 2)
    before = np.abs(annealer.words[:, 0] - annealer.words[:, 1]).sum()
    for _ in range(10):
        annealer._step()
    after = np.abs(annealer.words[:, 0] - annealer.words[:, 1]).sum()
    assert (after > 1.2 * before) if parts else (after < 0.8 * before)
    assert after / before == pytest.approx(factor**10, rel=0.03)


def test_free_energy_never_rises_and_is_consistent() -> None:
    matrix, _ = planted()
    annealer = SymmetricAnnealer(prepare(matrix), AnnealingSettings(n_clusters=4))
    for _ in annealer.states():
        pass
    annealer.words = annealer.words * np.random.default_rng(0).uniform(0.5, 1, annealer.words.shape)
    annealer.words *= (annealer.data.prior / annealer.words.sum(axis=1))[:, None]
    free = [-annealer._step() / annealer.beta for _ in range(20)]
    assert np.all(np.diff(free) < 1e-12)
    energy = annealer._energy(free[-1])
    assert energy.free == pytest.approx(energy.distortion - energy.entropy / annealer.beta)
    assert energy.entropy >= 0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_planted_clusters_are_found(dtype: str) -> None:
    matrix, labels = planted()
    annealer = SymmetricAnnealer(prepare(matrix, dtype=dtype), AnnealingSettings(n_clusters=4))
    *_, state = annealer.states()
    found = np.asarray(state.membership.toarray().argmax(axis=1))
    assert len(set(zip(found.tolist(), labels.tolist(), strict=True))) == 4
    assert state.membership.dtype == state.centroids.dtype == np.dtype(dtype)
    np.testing.assert_allclose(state.membership.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(state.centroids.sum(axis=1), 1, rtol=1e-5)
    assert state.mass.sum() == pytest.approx(1, rel=1e-5)
    assert state.finished
    assert state.beta == BETA
    assert isinstance(state.tree, Tree)
    assert state.tree.n_clusters == 4


def test_results_do_not_depend_on_threads() -> None:
    matrix, _ = planted(200, 150, 6)
    one, two = (last(matrix, n_clusters=7, n_jobs=jobs, seed=3) for jobs in (1, 2))
    assert np.array_equal(one.membership.toarray(), two.membership.toarray())
    assert np.array_equal(one.centroids, two.centroids)


def test_resumed_run_ends_the_same() -> None:
    matrix, _ = planted(clusters=6)
    data, settings = prepare(matrix), AnnealingSettings(n_clusters=9, beta=0.85)
    whole = list(SymmetricAnnealer(data, settings).states())
    for stop in range(1, len(whole), 3):
        annealer = SymmetricAnnealer(data, settings)
        states = annealer.states()
        for _ in range(stop):
            next(states)
        kept = annealer.snapshot()
        again = SymmetricAnnealer(data, settings)
        again.restore(kept)
        *_, end = again.states()
        assert np.array_equal(end.centroids, whole[-1].centroids)
        assert end.tree == whole[-1].tree


def test_beta_is_raised_after_the_splits() -> None:
    matrix, _ = planted()
    annealer = SymmetricAnnealer(prepare(matrix), AnnealingSettings(n_clusters=4, beta=0.9))
    betas = [state.beta for state in annealer.states()]
    assert betas == sorted(betas)
    assert betas[0] == BETA
    assert betas[-1] == 0.9


def test_words_are_placed_as_in_training() -> None:
    matrix, _ = planted()
    state = last(matrix, n_clusters=4, max_iter=500, tol=1e-12)
    placed = fold_in(matrix, state.centroids, state.beta, steps=500, tol=1e-9)
    np.testing.assert_allclose(placed, state.membership.toarray(), atol=1e-4)
    alone = fold_in(matrix[:1], state.centroids, state.beta, steps=500, tol=1e-9)
    np.testing.assert_allclose(alone, placed[:1], atol=1e-7)
    nothing = fold_in(sparse.csr_array((2, matrix.shape[1])), state.centroids, state.beta)
    np.testing.assert_allclose(nothing, 0.25)


def test_identical_words_are_not_split() -> None:
    same = sparse.csr_array(np.tile([3, 2, 1], (5, 1)))
    assert last(same, n_clusters=3).n_clusters == 1
    assert last(sparse.csr_array([[4, 1]]), n_clusters=3).n_clusters == 1
    assert last(sparse.csr_array([[4], [1]]), n_clusters=2).n_clusters == 1


def test_disconnected_components_are_separated() -> None:
    matrix = sparse.csr_array(np.kron(np.eye(2, dtype=int), np.full((3, 3), 10**12)))
    labels = last(matrix, n_clusters=2).membership.toarray().argmax(axis=1)
    assert len(set(labels[:3])) == len(set(labels[3:])) == 1
    assert labels[0] != labels[3]


def test_number_of_clusters_is_required() -> None:
    matrix, _ = planted()
    with refused("missing-option", "clusters"):
        SymmetricAnnealer(prepare(matrix), AnnealingSettings())
