"""Choosing the number of clusters and β on tokens held out of the training data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from roget import SoftAnnealing
from roget.core.counts import Counts
from roget.learn.clustering.annealing.choose import _grid, choose, generator
from roget.learn.clustering.tokens import hold_out


def planted(clusters: int, words: int = 80, contexts: int = 60, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    own = np.arange(contexts) % clusters == (np.arange(words) % clusters)[:, None]
    return sparse.csr_array(rng.poisson(np.where(own, 30.0 * clusters / contexts, 0.05)))


def options(**given: Any) -> Any:
    return SoftAnnealing(**{"n_jobs": 1, "random_state": 0, **given})


@pytest.mark.parametrize("model", ["asymmetric", "symmetric"])
def test_planted_number_of_clusters_is_chosen(model: str) -> None:
    choice = choose(planted(4), options(model=model))
    assert choice.n_clusters == 4
    best = min(
        (row for row in choice.table if row["n_clusters"] == 4), key=lambda row: row["backoff"]
    )
    assert (best["n_clusters"], best["beta"]) == (choice.n_clusters, choice.beta)
    assert {row["n_clusters"] for row in choice.table} >= {1, 2, 3, 4, 6}


def test_identical_words_give_one_cluster() -> None:
    rng = np.random.default_rng(0)
    same = sparse.csr_array(rng.poisson(np.tile([9.0, 5.0, 2.0, 1.0], (300, 1))))
    choice = choose(same, options())
    assert choice.n_clusters == 1


@pytest.mark.parametrize("model", ["asymmetric", "symmetric"])
def test_requested_beta_is_kept(model: str) -> None:
    beta = 0.8 if model == "symmetric" else 12.0
    choice = choose(planted(3), options(model=model, beta=beta))
    assert choice.beta == beta
    assert {row["beta"] for row in choice.table} == {beta}


def test_choice_depends_only_on_the_seed() -> None:
    matrix = planted(2, 30, 20)
    assert choose(matrix, options()) == choose(matrix, options())
    assert choose(matrix, options()).table != choose(matrix, options(random_state=1)).table
    assert choose(matrix, options(), 5) == choose(Counts(matrix), options(), 5)


@pytest.mark.parametrize("matrix", [[[3, 1]], [[1], [1]], [[1, 0], [0, 1]]])
def test_too_few_tokens_give_one_cluster(matrix: Any) -> None:
    assert choose(sparse.csr_array(matrix), options()).n_clusters == 1


def test_held_out_tokens_are_removed_from_the_rest() -> None:
    matrix = planted(3)
    train, held = hold_out(matrix, 0.1, np.random.default_rng(0))
    assert np.array_equal((train + held).toarray(), matrix.toarray())
    assert held.min() >= 0
    assert held.sum() / matrix.sum() == pytest.approx(0.1, abs=0.02)
    assert np.array_equal(held.data, np.floor(held.data))


def test_fractions_are_held_out_by_cells() -> None:
    matrix = planted(3) / 1000
    train, held = hold_out(matrix, 0.1, np.random.default_rng(0))
    assert held.nnz > 0
    assert not train.multiply(held).nnz


def test_grid_grows_by_half_and_a_third() -> None:
    assert list(_grid(30)) == [2, 3, 4, 6, 8, 12, 16, 24]
    assert list(_grid(2)) == [2]
    assert list(_grid(1)) == []


def test_random_state_is_not_consumed() -> None:
    state = np.random.RandomState(3)
    one, two = (generator(state).random() for _ in range(2))
    assert one == two != generator(np.random.RandomState(4)).random()


def test_frequent_words_are_clustered_too() -> None:
    """So many tokens that a word's own counts predict the others best."""
    rng = np.random.default_rng(0)
    families = rng.dirichlet(np.ones(12), 3)
    words = 0.9 * np.repeat(families, 12, axis=0) + 0.1 * rng.dirichlet(np.ones(12), 36)
    counts = sparse.csr_array(np.array([rng.multinomial(20_000, p / p.sum()) for p in words]))
    choice = choose(counts, options())
    losses = [row["backoff"] for row in choice.table]
    assert losses[0] - min(losses) < 1e-4, "as back-off, classes bring nothing"
    assert 3 <= choice.n_clusters <= 6
