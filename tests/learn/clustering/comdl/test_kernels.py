from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget.learn.clustering.comdl import criterion, kernels, merges
from roget.learn.clustering.comdl.options import PARTITIONS
from roget.learn.clustering.comdl.predict import CoclusterModel
from roget.learn.clustering.comdl.search import CoclusterState, agglomerate
from roget.learn.clustering.memberships import merge_labels


@st.composite
def problems(draw: st.DrawFn) -> tuple[Any, Any, Any, float, float, str]:
    """A table without empty rows or columns, classes of both sides, a, b and a prior."""
    n, m = draw(st.integers(2, 7)), draw(st.integers(1, 6))
    cell = st.sampled_from([0, 0, 0, 1, 1, 2, 3, 9, 70_000])
    counts = np.array(
        draw(st.lists(st.lists(cell, min_size=m, max_size=m), min_size=n, max_size=n))
    )
    counts[np.arange(n), np.arange(n) % m] += 1
    counts[np.arange(m) % n, np.arange(m)] += 1
    labels = []
    for size in (n, m):
        given = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
        labels.append(np.unique(given, return_inverse=True)[1].astype(np.int64))
    parameter = st.sampled_from([0.05, 0.3, 1.0, 2.5])
    prior = draw(st.sampled_from(PARTITIONS))
    return counts, labels[0], labels[1], draw(parameter), draw(parameter), prior


@settings(max_examples=60, deadline=None)
@given(problems())
def test_length_follows_the_formula(naive: Any, problem: Any) -> None:
    counts, rows, columns, a, b, prior = problem
    ours = criterion.length(criterion.prepare(counts, prior), (rows, columns), a, b)
    right = naive(counts, rows, columns, a, b, prior)
    assert ours.total == pytest.approx(right, rel=1e-12, abs=1e-8)


@settings(max_examples=80, deadline=None)
@given(problems(), st.data())
def test_moves_change_the_length_by_their_cost(
    naive: Any, problem: Any, data: st.DataObject
) -> None:
    counts, rows, columns, a, b, prior = problem
    scale = data.draw(st.sampled_from([1.0, 0.37]))  # fractional counts have a way of their own
    counts = counts * scale
    table = criterion.prepare(counts, prior)
    side = data.draw(st.integers(0, 1))
    part, labels = table.sides[side], [rows.copy(), columns.copy()]
    item = data.draw(st.integers(0, part.n - 1))
    k, j = int(labels[side].max()) + 1, int(labels[1 - side].max()) + 1
    room = min(part.n, k + 1) + 1
    counted = table.count_classes(side, labels, j, room, a)
    temperature = data.draw(st.sampled_from([0.0, 1.0, 1e6]))
    state = np.array([data.draw(st.integers(0, 10**6))], dtype=np.uint64)
    before = naive(counts, *labels, a, b, prior)
    rest = kernels.SkipState(np.array([item]), *np.zeros((2, part.n), dtype=np.int64))
    new, change, moved = kernels.sweep(
        part.items, counted, table.cost_tables(a, b)[side], rest, k, 1, temperature, state
    )
    after = naive(counts, *labels, a, b, prior)
    assert after - before == pytest.approx(change, rel=1e-9, abs=1e-7)
    assert set(labels[side].tolist()) == set(range(new))
    assert temperature > 0 or change <= 0
    fresh = np.zeros((j, room))
    kernels.tally(part.items, labels[side], labels[1 - side], fresh)
    assert np.allclose(counted.blocks, fresh)
    assert moved in (0, 1)


def test_classes_are_drawn_in_proportion_to_exp_of_minus_cost(naive: Any) -> None:
    counts = np.array([[3, 0, 1], [2, 1, 0], [0, 4, 1], [1, 2, 2]])
    table, columns = criterion.prepare(counts), np.array([0, 1, 1])
    part, temperature, drawn = table.sides[0], 1.7, dict.fromkeys(range(3), 0)
    state, tables = np.array([1], dtype=np.uint64), table.cost_tables(0.5, 1.0)[0]
    for _ in range(6000):
        labels = np.array([0, 0, 1, 1])
        counted = table.count_classes(0, [labels, columns], 2, 4, 0.5)
        rest = kernels.SkipState(np.array([0]), *np.zeros((2, 4), dtype=np.int64))
        kernels.sweep(part.items, counted, tables, rest, 2, 1, temperature, state)
        drawn[int(labels[0])] += 1
    lengths = np.array([naive(counts, [c, 0, 1, 1], columns, 0.5, 1.0) for c in range(3)])
    shares = np.exp((lengths.min() - lengths) / temperature)
    shares /= shares.sum()
    assert np.array(list(drawn.values())) / 6000 == pytest.approx(shares, abs=0.025)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_every_merge_is_the_cheapest_and_its_cost_is_right(naive: Any, problem: Any) -> None:
    counts, rows, columns, a, b, prior = problem
    table = criterion.prepare(counts, prior)
    labels = [rows.copy(), columns.copy()]
    classes = CoclusterState(labels, a, b, 0.0)
    pairs, added = agglomerate(table, classes, 1, 1)
    assert len(pairs) == sum(classes.k) - 2
    here = naive(counts, *labels, a, b, prior)
    for (side, one, two), change in zip(pairs.tolist(), added.tolist(), strict=True):
        possible = []
        for s in (0, 1):
            names = sorted(set(labels[s].tolist()))
            for i, first in enumerate(names):
                for second in names[i + 1 :]:
                    merged = [part.copy() for part in labels]
                    merged[s][merged[s] == second] = first
                    possible.append(naive(counts, *merged, a, b, prior) - here)
        labels[side][labels[side] == two] = one
        there = naive(counts, *labels, a, b, prior)
        assert one < two
        assert there - here == pytest.approx(change, rel=1e-9, abs=1e-6)
        assert change == pytest.approx(min(possible), rel=1e-9, abs=1e-6)
        here = there


@settings(max_examples=40, deadline=None)
@given(problems())
def test_pair_costs(naive: Any, problem: Any) -> None:
    counts, rows, columns, a, b, prior = problem
    table = criterion.prepare(counts, prior)
    k, m = int(rows.max()) + 1, int(columns.max()) + 1
    blocks = criterion.count_blocks(table, (rows, columns))
    size, mass = criterion.members(table.sides[0], rows, k)
    tables = table.cost_tables(a, b)[0]
    costs = merges.pair_costs(blocks, size, mass, tables)
    before = naive(counts, rows, columns, a, b, prior)
    for one in range(k):
        for two in range(one):
            after = naive(counts, np.where(rows == one, two, rows), columns, a, b, prior)
            fewer = kernels.number_cost(k - 1, m, tables) - kernels.number_cost(k, m, tables)
            assert costs[one, two] + fewer == pytest.approx(after - before, rel=1e-9, abs=1e-6)
            assert costs[two, one] == costs[one, two]


@settings(max_examples=40, deadline=None)
@given(problems())
def test_code_lengths_are_differences_of_lengths(naive: Any, problem: Any) -> None:
    counts, rows, columns, a, b, prior = problem
    table = criterion.prepare(counts, prior)
    k = int(rows.max()) + 1
    model = CoclusterModel(
        criterion.count_blocks(table, (rows, columns)), rows, columns, counts.sum(axis=0), a, b,
        prior == "sizes", (None, None),  # type: ignore[arg-type]
    )  # fmt: skip
    new = counts[:1] + (np.arange(counts.shape[1]) == 0)
    ours = model.rule().code_lengths(criterion.sparse.csr_array(new, dtype=float))[0]
    lengths = [naive(np.vstack([counts, new]), [*rows, c], columns, a, b, prior) for c in range(k)]
    assert ours - ours[0] == pytest.approx(np.array(lengths) - lengths[0], rel=1e-8, abs=1e-6)


def test_merge_labels_applies_merges_in_order() -> None:
    assert merge_labels([(3, 4), (1, 3), (0, 2)], 6).tolist() == [0, 1, 0, 1, 1, 2]


@pytest.mark.parametrize("n", [3, 60, 499])
def test_exact_and_approximate_numbers_of_partitions_agree(n: int) -> None:
    exact = criterion._log_partitions(n)
    near = np.logaddexp.accumulate(criterion._saddle(n, np.arange(1.0, n + 1)))
    assert near == pytest.approx(exact[1 : n + 1], abs=1.0 / n)
    if n == 3:
        assert np.exp(exact).tolist() == pytest.approx([1, 1, 4, 5, 5])


def test_chosen_a_and_b_are_local_optima(planted: Any) -> None:
    counts, rows, columns = planted(40, 30, 4, 3, 60)
    counts *= 1 + np.arange(40)[:, None] ** 2 // 100  # words of different frequency
    columns = columns[counts.sum(axis=0) > 0]
    table = criterion.prepare(counts[:, counts.sum(axis=0) > 0])
    a, b = criterion.choose(table, (rows, columns), 0.25, 1.0, "ab")
    here = criterion.length(table, (rows, columns), a, b).total
    for factor in (2**0.25, 2**-0.25):
        assert here <= criterion.length(table, (rows, columns), a * factor, b).total
        assert here <= criterion.length(table, (rows, columns), a, b * factor).total
    assert criterion.choose(table, (rows, columns), 0.25, 1.0, "b") == (0.25, b)
