"""Weighted labels: expectations over all hard labels, checked by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget import compare, contingency, score
from roget.scoring.entropy import get as get_estimator
from roget.scoring.labels import Labels
from roget.scoring.tables.weighted import WeightedTable
from support.errors import refused
from support.examples import few

LINEAR = ("ml", "mm", "jk", "bub", "grassberger")


def weighted(matrix):
    """Labels from a matrix of weights, kept weighted even when they are 0 and 1."""
    matrix = np.asarray(matrix, dtype=float)
    items, codes = np.nonzero(matrix)
    indptr = np.searchsorted(items, np.arange(len(matrix) + 1))
    weights = matrix[items, codes] / matrix.sum(axis=1)[items]
    return Labels(codes, matrix.shape[1], None, indptr=indptr, weights=weights)


def draws(matrix):
    """Every way to draw one label per item, with its probability."""
    matrix = np.asarray(matrix, dtype=float)
    matrix = matrix / matrix.sum(axis=1, keepdims=True)
    choices = [np.flatnonzero(row) for row in matrix]
    for labels in itertools.product(*choices):
        yield (
            labels,
            float(np.prod([row[label] for row, label in zip(matrix, labels, strict=True)])),
        )


def expected_entropies(gold, system, estimator):
    """E[Ĥ] of both sides and the cells: supports are the labels that could be drawn."""
    c, k = ((np.asarray(side) > 0).any(axis=0).sum() for side in (gold, system))
    product = estimator.joint_support == "product"
    total = np.zeros(3)
    for (g, pg), (s, ps) in itertools.product(draws(gold), draws(system)):
        table = contingency(list(g), list(s))
        supports = (int(c), int(k), int(c * k)) if product else (None, None, None)
        values = [
            estimator(histogram, support)
            for histogram, support in zip(
                (table.sizes.gold, table.sizes.system, table.joint), supports, strict=True
            )
        ]
        total += pg * ps * np.array(values)
    return total


MATRIX = np.array([[0.5, 0.5, 0], [0.2, 0.3, 0.5], [1, 0, 0], [0, 0.9, 0.1], [0.25, 0.25, 0.5]])
HARD = np.eye(2)[[0, 0, 1, 1, 1]]
SOFT_GOLD = np.array([[0.5, 0.5], [1, 0], [0.25, 0.75], [0, 1], [0.1, 0.9]])


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("gold", [HARD, SOFT_GOLD], ids=["hard gold", "weighted gold"])
def test_expected_entropies_equal_enumeration(name, gold):
    estimator = get_estimator(name)
    table = WeightedTable.from_labels(weighted(gold), weighted(MATRIX))
    got = table.entropies(estimator)
    expected = expected_entropies(gold, MATRIX, estimator)
    assert [got.gold, got.system, got.joint] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", LINEAR)
def test_expected_entropies_of_weighted_gold_and_hard_system_equal_enumeration(name):
    estimator = get_estimator(name)
    hard = Labels(np.array([0, 0, 1, 1, 1]), 2, None)
    table = WeightedTable.from_labels(weighted(MATRIX), hard)
    got = table.entropies(estimator)
    expected = expected_entropies(MATRIX, HARD, estimator)
    assert [got.gold, got.system, got.joint] == pytest.approx(expected, abs=1e-12)


def test_expected_pairs_equal_enumeration():
    table = WeightedTable.from_labels(weighted(SOFT_GOLD), weighted(MATRIX))
    total = np.zeros(4)
    for (g, pg), (s, ps) in itertools.product(draws(SOFT_GOLD), draws(MATRIX)):
        pairs = contingency(list(g), list(s)).pairs
        total += pg * ps * np.array([pairs.total, pairs.gold, pairs.system, pairs.both])
    got = table.pairs
    assert [got.total, got.gold, got.system, got.both] == pytest.approx(total, abs=1e-12)


labellings = st.integers(1, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
    )
)


@pytest.mark.parametrize("entropy", LINEAR)
@pytest.mark.parametrize("measure", ["v", "nvi", "ari", "b3-f", "one-to-one", "purity", "ceaf-e"])
@few()
@given(labels=labellings)
def test_weights_of_zero_and_one_give_hard_values(measure, entropy, labels):
    gold, system = labels
    soft = WeightedTable.from_labels(weighted(np.eye(5)[gold]), weighted(np.eye(5)[system]))
    hard = contingency(gold, system)
    assert soft.measure(measure, entropy) == pytest.approx(
        hard.measure(measure, entropy), abs=1e-11
    )


def test_one_hot_matrix_is_hard():
    gold = [0, 0, 1, 1]
    assert "system:hard" in score(gold, np.eye(2)[gold]).signature
    assert "system:weighted" in score(gold, np.eye(2)[gold] * 0.9 + 0.05).signature


def test_weights_are_normalised_per_item():
    gold = [0, 0, 1, 1, 1]
    once, scaled = score(gold, MATRIX), score(gold, MATRIX * [[1], [2], [3], [4], [5]])
    assert [row.value for row in once.rows if row.value] == pytest.approx(
        [row.value for row in scaled.rows if row.value]
    )


def test_measures_without_expectation_are_undefined_with_a_reason():
    table = score([0, 0, 1, 1, 1], MATRIX, ["v", "ami"], ["nsb", "jk"])
    by_entropy = {(row.measure, row.entropy): row for row in table.rows}
    assert "nsb" in by_entropy["v", "nsb"].reason
    assert by_entropy["ami", None].reason
    assert by_entropy["v", "jk"].value is not None
    with refused("undefined", "nsb"):
        table["v", "nsb"]


def test_weighted_gold_has_baselines():
    table = score(SOFT_GOLD, [0, 0, 1, 1, 1], "v", "ml")
    row = table.rows[0]
    assert row.baselines["one cluster"] == pytest.approx(0, abs=1e-12)
    assert set(row.baselines) == {"one cluster", "one per item", "random"}


def test_top_answers_keep_only_the_heaviest_label():
    gold = [0, 0, 1, 1, 1]
    top = score(gold, MATRIX, "v", "jk", answers="top")
    assert top["v"] == score(gold, MATRIX.argmax(axis=1), "v", "jk")["v"]
    assert "system:hard" in top.signature
    assert "answers:top" in top.signature
    mixed = compare(gold, {"soft": MATRIX, "hard": [0, 0, 1, 1, 1]}, "v", answers="top")
    assert mixed.systems == ["soft", "hard"]
    with refused("unknown-name", "best"):
        score(gold, MATRIX, answers="best")
