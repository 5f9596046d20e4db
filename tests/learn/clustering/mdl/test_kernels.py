"""Every kernel against naive code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from roget.core.kernels.rows import RowItems
from roget.learn.clustering.mdl import criteria, kernels
from roget.learn.clustering.mdl.grow import Bisector, Sides, analyse

KINDS = [
    ("li-abe", "mdl"), ("li-abe", "mle"), ("corrected", "mdl"), ("dirichlet", "mdl"),
    ("dirichlet", "mle"), ("nml", "mdl"),
]  # fmt: skip


def sides(counts: Any, criterion: str, estimator: str, concentration: float = 5.0) -> Sides:
    table = sparse.csr_array(counts, dtype=np.float64)
    found = criteria.make_code(table, criterion, estimator, concentration)
    return Sides(Bisector(table, found).extract(np.arange(table.shape[0])), found, 1)


def cost(one: Sides, row: int) -> float:
    return kernels.move_cost(row, *one._all)


def test_xlogx_inside_and_outside_of_the_table() -> None:
    table = np.array([0.0, 0.0, 2 * math.log(2)])
    for x in (0.0, 1.0, 2.0, 0.5, 1.75, 3.0, 1e12):
        assert kernels.xlogx(x, table) == pytest.approx(x * math.log(x) if x else 0.0)
    assert kernels.xlogx(1e-300, table) == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("tokens", "width"), [(5, 3), (10, 50), (100, 30), (100, 400), (3000, 30), (1000, 5)]
)
def test_complexity_of_a_multinomial(tokens: int, width: int, complexity: Any) -> None:
    assert kernels.regret(tokens, width) == pytest.approx(complexity(tokens, width), abs=0.08)
    assert kernels.regret(0, width) == kernels.regret(tokens, 1) == 0.0


tables = st.tuples(st.integers(2, 6), st.integers(1, 5), st.integers(0, 10**6))


@pytest.mark.parametrize(("criterion", "estimator"), KINDS)
@given(shape=tables)
def test_move_cost_is_the_difference_of_lengths(
    criterion: str, estimator: str, shape: tuple[int, int, int]
) -> None:
    rng = np.random.default_rng(shape[2])
    counts = rng.poisson(rng.choice([0.7, 4, 200]), size=shape[:2])
    counts[:, 0] += 1
    one = sides(counts * rng.choice([1, 1, 10**6]), criterion, estimator)
    one.assign(rng.integers(2, size=shape[0]))
    rounding = 1e-13 * one.sums.tokens.sum() * math.log(one.sums.tokens.sum() + 2) + 1e-9
    for row in rng.permutation(shape[0]):
        before, change = one.length(), cost(one, int(row))
        kernels.move(int(row), *one._all[:3])
        after = one.length()
        assert after - before == pytest.approx(change, abs=rounding)
        moved = [part.copy() for part in (one.side, *one.sums)]
        one.assign(one.side)
        for kept, fresh in zip(moved, (one.side, *one.sums), strict=True):
            assert np.array_equal(kept, fresh)


def test_move_cost_of_fractional_counts() -> None:
    counts = np.random.default_rng(0).random((5, 4)) * 20
    for criterion, estimator in KINDS:
        one = sides(counts, criterion, estimator)
        one.assign(np.array([0, 1, 0, 1, 1]))
        before, change = one.length(), cost(one, 2)
        kernels.move(2, *one._all[:3])
        assert one.length() - before == pytest.approx(change)


def test_sweep_finds_the_best_cut_of_an_order() -> None:
    counts = np.random.default_rng(3).poisson(2, size=(9, 6)) + np.eye(9, 6)
    for criterion, estimator in KINDS:
        one = sides(counts, criterion, estimator)
        order = np.random.default_rng(1).permutation(9)
        found = kernels.sweep_cut(order, *one._all)
        assert one.length() == pytest.approx(found)
        lengths = []
        for cut in range(1, 9):
            side = np.zeros(9, np.int8)
            side[order[:cut]] = 1
            one.assign(side)
            lengths.append(one.length())
        assert found == pytest.approx(min(lengths))


def test_axes_equal_correspondence_analysis() -> None:
    counts = np.random.default_rng(0).poisson(1.5, size=(30, 12)) + 0.1
    table = sparse.csr_array(counts)
    totals, sums = counts.sum(axis=1), counts.sum(axis=0)
    items = RowItems(table.indptr.astype(np.int64), table.indices, table.data, totals)
    start = np.random.default_rng(1).standard_normal(30)
    found = analyse(items, 12, start, steps=29, tolerance=1e-12)
    scaled = counts / np.sqrt(np.outer(totals, sums))
    vectors = np.linalg.svd(scaled)[0]
    for place in range(2):
        expected = vectors[:, place + 1] / np.sqrt(totals)
        assert abs(np.corrcoef(found[place], expected)[0, 1]) == pytest.approx(1.0)


def test_extracted_rows_have_only_their_columns() -> None:
    counts = np.array([[0, 3, 0, 1], [2, 0, 0, 0], [0, 5, 0, 0]])
    table = sparse.csr_array(counts, dtype=np.float64)
    cutter = Bisector(table, criteria.make_code(table, "dirichlet", "mdl", 7.0))
    for rows in ([0, 2], [1], [0, 1, 2]):
        part = cutter.extract(np.array(rows))
        local = sparse.csr_array(
            (part.items.values, part.items.indices, part.items.indptr)
        ).toarray()
        full = np.zeros((len(rows), 4))
        full[:, part.columns] = local
        assert np.array_equal(full, counts[rows])
        assert np.array_equal(part.prior, cutter.code.prior[part.columns])
        assert (cutter._place == -1).all()
