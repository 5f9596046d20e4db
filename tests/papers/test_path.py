"""Held-out losses against naive code, and the path of relative entropies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from roget.core.counts import Counts
from roget.core.types import Floats
from roget.learn.clustering import tokens as heldout
from roget.learn.clustering.symmetric.estimator import SymmetricAnnealing
from roget.papers.soft.figure_3 import _divergence, relative_entropy_path
from support.errors import refused


def planted(words: int = 120, contexts: int = 60, clusters: int = 4) -> Counts:
    rng = np.random.default_rng(0)
    own = np.arange(contexts) % clusters == (np.arange(words) % clusters)[:, None]
    return Counts(rng.poisson(np.where(own, 3.0, 0.1)))


def split() -> tuple[Any, Any]:
    train, test = planted().split(0.8, random_state=1)
    return train.matrix, test.matrix


def test_token_table_has_word_and_unigram_probabilities() -> None:
    train, test = (part.toarray() for part in split())
    tokens = heldout.tabulate_tokens(*split())
    totals = train.sum(axis=0) + 0.5
    for n, (row, column) in enumerate(zip(tokens.rows, tokens.columns, strict=True)):
        assert tokens.counts[n] == test[row, column]
        assert tokens.word[n] == pytest.approx(train[row, column] / train[row].sum())
        assert tokens.unigram[n] == pytest.approx(totals[column] / totals.sum())
    assert tokens.counts.sum() == test.sum()


@pytest.mark.parametrize("dense", [True, False])
def test_predictions_equal_product_of_the_tables(
    dense: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roget.learn.clustering.memberships.CELLS", 50)
    rng = np.random.default_rng(2)
    tokens = heldout.tabulate_tokens(*split())
    membership, centroids = rng.dirichlet(np.ones(5), 120), rng.dirichlet(np.ones(60), 5)
    given = membership if dense else sparse.csr_array(membership)
    expected = (membership @ centroids)[tokens.rows, tokens.columns]
    np.testing.assert_allclose(tokens.predict(given, centroids), expected, rtol=1e-12)


def test_weights_are_optimal() -> None:
    rng = np.random.default_rng(3)
    stack, counts = rng.random((2, 200)) ** 3, rng.integers(1, 5, 200).astype(float)
    weights = heldout.fit_weights(stack, counts)
    assert weights.sum() == pytest.approx(1)

    def loss(first: float) -> float:
        return -float(counts @ np.log(np.array([first, 1 - first]) @ stack))

    assert loss(weights[0]) <= min(map(loss, np.linspace(0.001, 0.999, 999))) + 1e-3


def test_informative_class_lowers_the_loss_and_a_useless_one_does_not_raise_it() -> None:
    train, test = split()
    tokens = heldout.tabulate_tokens(train, test)
    labels = np.arange(120) % 4
    membership = np.eye(4)[labels]
    sums = np.stack([train.toarray()[labels == c].sum(axis=0) for c in range(4)]) + 0.1
    classes = tokens.predict(membership, sums / sums.sum(axis=1, keepdims=True))

    def loss(*given: Floats) -> float:
        return tokens.loss(heldout.backoff(tokens, *given))

    plain = loss()
    assert loss(classes) < plain - 0.1
    assert loss(tokens.unigram) == pytest.approx(plain, abs=1e-3)


def test_relative_entropy_equals_naive_computation() -> None:
    rng = np.random.default_rng(4)
    tokens = rng.poisson(0.5, (8, 6))
    tokens[2] = 0
    membership, centroids = rng.dirichlet(np.ones(3), 8), rng.dirichlet(np.ones(6), 3)
    background = np.full(6, 1 / 6)
    model = 0.95 * membership @ centroids + 0.05 / 6
    each, loss = [], 0.0
    for row, predicted in zip(tokens, model, strict=True):
        if row.sum():
            pairs = zip(row / row.sum(), predicted, strict=True)
            each.append(sum(p * math.log2(p / q) for p, q in pairs if p))
        loss -= sum(n * math.log2(q) for n, q in zip(row, predicted, strict=True) if n)
    found = _divergence(sparse.csr_array(tokens), membership, centroids, background)
    assert found == pytest.approx((np.mean(each), loss / tokens.sum()))
    empty = _divergence(sparse.csr_array((8, 6)), membership, centroids, background)
    assert np.isnan(empty).all()


@pytest.mark.parametrize("model", [None, SymmetricAnnealing()], ids=["the paper's", "symmetric"])
def test_clusters_lower_the_relative_entropy(model: SymmetricAnnealing | None) -> None:
    rows = relative_entropy_path(planted(), [1, 2, 4], random_state=0, model=model)
    assert [row["n_clusters"] for row in rows] == [1, 2, 4]
    for name in ("train", "test", "new", "train_loss", "test_loss", "new_loss"):
        values = [row[name] for row in rows]
        assert values == sorted(values, reverse=True)
        assert values[-1] < values[0] - 0.5
    again = relative_entropy_path(planted(), [1, 2, 4], random_state=0, model=model)
    assert again == rows


def test_one_cluster_is_the_mean_of_all_words() -> None:
    counts = planted()
    row, *_ = relative_entropy_path(counts, [1], random_state=0, new=0.0)
    assert math.isnan(row["new"])
    mean = counts.context_totals / counts.total
    own = counts.matrix.toarray() / counts.word_totals[:, None]
    expected = np.where(own > 0, own * np.log2(np.where(own > 0, own, 1) / mean), 0).sum(axis=1)
    assert row["train"] == pytest.approx(expected.mean(), rel=0.05)


def test_further_words_are_placed_by_their_own_tokens() -> None:
    counts = planted()
    known, further = counts.select(words=counts.words[:90]), counts.select(words=counts.words[90:])
    rows = relative_entropy_path(known, [1, 4], random_state=0, further=further)
    own = further.matrix.toarray() / further.word_totals[:, None]
    train, _ = known.split(0.9, random_state=np.random.default_rng(0))
    background = heldout.unigram(train.matrix)
    mean = np.asarray(train.matrix.sum(axis=0)).ravel() / train.total
    model = 0.95 * mean + 0.05 * background
    each = [sum(p * math.log2(p / q) for p, q in zip(row, model, strict=True) if p) for row in own]
    assert rows[0]["new"] == pytest.approx(np.mean(each), rel=1e-3)
    assert rows[1]["new"] < rows[0]["new"] - 0.5


def test_too_few_counts_are_refused() -> None:
    with refused("too-little-text"):
        relative_entropy_path(Counts([[1]]), [1], random_state=0, new=1.0)
