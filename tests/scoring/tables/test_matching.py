"""One-to-one matching: every method equals brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linear_sum_assignment

from roget.scoring.tables import matching as assignment
from roget.scoring.tables.matching import best_match, match_dense
from support.examples import few

tables = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 9))
)


def brute_force(table):
    if table.shape[0] > table.shape[1]:
        table = table.T
    rows = range(table.shape[0])
    return max(
        sum(table[i, j] for i, j in zip(rows, chosen, strict=True))
        for chosen in itertools.permutations(range(table.shape[1]), table.shape[0])
    )


def matched(table):
    rows, columns = np.nonzero(table)
    names, rows = np.unique(rows, return_inverse=True)
    _, columns = np.unique(columns, return_inverse=True)
    weights = table[table > 0]
    return best_match(rows, columns, weights, np.searchsorted(rows, np.arange(names.size)))


@pytest.mark.parametrize("dense_cells", [1 << 20, 1, 6], ids=["dense", "sparse", "components"])
@few()
@given(table=tables)
def test_matching_equals_brute_force(dense_cells, table):
    if not table.any():
        return
    kept = assignment._DENSE_CELLS
    try:
        assignment._DENSE_CELLS = dense_cells
        assert matched(table) == brute_force(table)
    finally:
        assignment._DENSE_CELLS = kept


@pytest.mark.parametrize("dense_cells", [1 << 20, 1], ids=["dense", "sparse"])
@few()
@given(table=tables)
def test_matching_supports_fractional_weights(dense_cells, table):
    if not table.any():
        return
    weights = np.sqrt(table)
    kept = assignment._DENSE_CELLS
    try:
        assignment._DENSE_CELLS = dense_cells
        assert matched(weights) == pytest.approx(brute_force(weights))
    finally:
        assignment._DENSE_CELLS = kept


@few()
@given(table=tables)
def test_augmenting_paths_equal_brute_force(table):
    assert match_dense(table) == brute_force(table)


def test_augmenting_paths_equal_scipy_for_larger_tables():
    random = np.random.default_rng(0)
    for shape in ((20, 30), (30, 20), (25, 25)):
        table = random.poisson(5, shape)
        assert match_dense(table) == table[linear_sum_assignment(table, maximize=True)].sum()


def test_large_diagonal_is_matched_without_solver(monkeypatch):
    monkeypatch.setattr(assignment, "_assign_dense", None)
    monkeypatch.setattr(assignment, "_assign_sparse", None)
    n = 20_000
    rows = np.repeat(np.arange(n), 2)
    columns = np.column_stack([np.arange(n), (np.arange(n) + 1) % n]).ravel()
    weights = np.tile([7, 3], n)
    assert best_match(rows, columns, weights, np.arange(0, 2 * n, 2)) == 7 * n
