"""Discounts and Kneser–Ney against plain loops; tuned discounts against a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from learn.classmodel import naive
from roget.learn.classmodel import ClassModel, mixing


def everywhere(matrix: Any) -> tuple[Any, Any]:
    n, m = matrix.shape
    return np.repeat(np.arange(n), m), np.tile(np.arange(m), n)


@given(st.integers(0, 10_000), st.sampled_from([1, 3]))
def test_discounted_counts_equal_a_loop(seed: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.poisson(1.0, (5, 6)) * (rng.random((5, 1)) < 0.8)
    discounts = rng.random(levels) * np.arange(1, levels + 1)
    lower = rng.dirichlet(np.ones(6), 5)
    known = mixing.gather_data(table, *everywhere(table), levels)
    own, left = known.discount(discounts)
    found = (own + left * lower.ravel()).reshape(table.shape)
    np.testing.assert_allclose(found, naive.discounted(table, discounts, lower), atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


@given(st.integers(0, 10_000))
def test_fractional_counts_never_go_below_zero(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.random((4, 5)) * rng.integers(0, 4, (4, 5))
    known = mixing.gather_data(table, *everywhere(table), 3)
    own, left = known.discount(np.array([1.0, 2.0, 3.0]))
    assert (own >= 0).all()
    sums = own.reshape(4, 5).sum(axis=1) + left.reshape(4, 5)[:, 0]
    np.testing.assert_allclose(sums, 1.0)


def test_tuned_discounts_are_the_best_of_a_grid(parts: Any) -> None:
    train, dev, _ = (part.matrix for part in parts)
    cells = sparse.coo_array(dev)
    known = mixing.gather_data(train, cells.row, cells.col, 1)
    lower = np.full(cells.data.size, 1 / train.shape[1])
    best = mixing.tune(known, lower, cells.data.astype(float), np.array([0.5]))[0]
    uniform = np.full(train.shape, 1 / train.shape[1])
    grid = np.linspace(0.02, 1.0, 50)
    losses = [
        naive.loss(naive.discounted(train.toarray(), [d], uniform), dev.toarray()) for d in grid
    ]
    assert best == pytest.approx(grid[int(np.argmin(losses))], abs=0.02)


def test_kneser_ney_equals_a_loop(parts: Any) -> None:
    train, dev, test = parts
    model = ClassModel("kneser-ney").fit(train, dev=dev)
    expected = naive.kneser_ney(train.matrix.toarray(), model.discounts_)
    np.testing.assert_allclose(model.proba_rows(np.arange(len(train))), expected, rtol=1e-10)
    assert -model.score(test) == pytest.approx(naive.loss(expected, test.matrix.toarray()))


def test_closed_form_discounts_equal_formula() -> None:
    # 4 pairs seen once, 2 twice, 1 thrice, 1 four times.
    table = np.array([[1, 1, 2, 3], [1, 1, 2, 4]])
    y = 4 / (4 + 2 * 2)
    expected = [1 - 2 * y * 2 / 4, 2 - 3 * y * 1 / 2, 3 - 4 * y * 1 / 1]
    np.testing.assert_allclose(mixing.closed_form(table, 3), expected)
    assert mixing.closed_form(table, 1) == pytest.approx([y])
    assert (mixing.closed_form(np.array([[7]]), 3) > 0).all()
