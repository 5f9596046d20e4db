"""The contingency table: exact, sparse, and independent of how it was made."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from roget import Contingency, contingency
from roget.scoring.labels import Labels
from roget.scoring.tables import keys as tabulate
from roget.scoring.tables.keys import count_pairs
from support.errors import refused
from support.examples import few

arrays = st.integers(1, 60).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 9), min_size=n, max_size=n).map(np.array),
        st.lists(st.integers(0, 9), min_size=n, max_size=n).map(np.array),
    )
)


def dense(table):
    return table.to_sparse().toarray()


@pytest.mark.parametrize("direct", [tabulate._DIRECT, 0], ids=["counted", "sorted"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
@few()
@given(labels=arrays)
def test_count_pairs_equals_dense_count(direct, dtype, labels):
    gold, system = (codes.astype(dtype) for codes in labels)
    kept = tabulate._DIRECT
    try:
        tabulate._DIRECT = direct
        keys, counts = count_pairs(gold, system, 10, 100)
    finally:
        tabulate._DIRECT = kept
    expected = np.zeros((10, 10), dtype=int)
    np.add.at(expected, (gold.astype(int), system.astype(int)), 1)
    assert keys.tolist() == np.flatnonzero(expected).tolist()
    assert counts.tolist() == expected[expected > 0].tolist()


def test_count_pairs_handles_keys_beyond_32_bits():
    gold, system = np.array([2**20, 0, 2**20]), np.array([2**20, 5, 2**20])
    n = 2**20 + 1
    keys, counts = count_pairs(gold, system, n, n * n)
    assert keys.tolist() == [5, 2**20 * n + 2**20]
    assert counts.tolist() == [1, 2]


def test_count_pairs_processes_long_arrays_in_chunks(monkeypatch):
    monkeypatch.setattr(tabulate, "_CHUNK", 7)
    random = np.random.default_rng(0)
    gold, system = random.integers(0, 5, 1000), random.integers(0, 6, 1000)
    expected = np.bincount(gold * 6 + system, minlength=30)
    for direct in (1 << 22, 0):
        monkeypatch.setattr(tabulate, "_DIRECT", direct)
        keys, counts = count_pairs(gold, system, 6, 30)
        assert np.bincount(keys, counts, minlength=30).tolist() == expected.tolist()


@few()
@given(labels=arrays)
def test_totals_and_transpose_equal_dense_table(labels):
    table = contingency(*labels).table
    full = dense(table)
    assert full.sum(axis=1).tolist() == table.row_totals.tolist()
    assert full.sum(axis=0).tolist() == table.column_totals.tolist()
    assert dense(table.T).tolist() == full.T.tolist()
    assert table.n == len(labels[0])
    assert table.row_best.tolist() == full.max(axis=1).tolist()
    assert table.column_best.tolist() == full.max(axis=0).tolist()


@few()
@given(labels=arrays, data=st.data())
def test_groups_are_blocks_of_the_table(labels, data):
    gold, system = labels
    n = gold.size
    groups = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    _, groups = np.unique(groups, return_inverse=True)
    sides = Labels(gold, 10, None), Labels(system, 10, None)
    whole = Contingency.from_labels(*sides, groups, int(groups.max()) + 1)
    by_group = whole.by_group(10)
    assert by_group.groups == groups.max() + 1
    for group in range(by_group.groups):
        block = by_group.block(group)
        alone = contingency(gold[groups == group], system[groups == group]).table
        assert dense(block).tolist() == dense(alone).tolist()
        assert [block.class_name(i) for i in range(block.shape[0])] == [
            alone.class_name(i) for i in range(alone.shape[0])
        ]
        assert block.cluster_name(0) == alone.cluster_name(0)
    assert whole.n == n


def test_tables_of_every_type_are_equivalent():
    rows = [[3, 0, 1], [0, 0, 0], [0, 2, 2]]
    tables = [
        rows,
        np.array(rows),
        np.array(rows, dtype=float),
        scipy.sparse.csr_array(np.array(rows)),
        scipy.sparse.coo_matrix(np.array(rows)),
    ]
    scores = {Contingency.from_table(table).measure("vi") for table in tables}
    assert len(scores) == 1
    table = Contingency.from_table(rows)
    assert table.shape == (2, 3)
    assert table.counts.dtype == np.int64
    assert table.class_name(1) == "2"


def test_repeated_sparse_entries_are_summed():
    table = scipy.sparse.coo_array(([1, 2, 3], ([0, 0, 1], [0, 0, 1])))
    assert Contingency.from_table(table).counts.tolist() == [3, 3]


@pytest.mark.parametrize(
    ("table", "code", "place"),
    [
        ([[1, -2]], "bad-count", "-2 in row 0, column 1"),
        ([[1.0, float("nan")]], "bad-count", "nan in row 0, column 1"),
        ([[1.0, float("inf")]], "bad-count", "inf"),
        ([[0, 0]], "empty-input", ""),
        ([], "invalid-input", "1"),
        ([1, 2, 3], "invalid-input", "1"),
        ([["a", "b"]], "bad-count", "<U1"),
        ([[1, 2], [3]], "length-mismatch", ""),
        ([[2.0**63]], "too-large", "9.22e+18"),
    ],
)
def test_invalid_tables_are_refused(table, code, place):
    with refused(code, place):
        Contingency.from_table(table)


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        ((["a"], ["x", "y"], None), "length-mismatch"),
        ((["a", "b"], ["x", "y"], [1]), "length-mismatch"),
        ((["a"], ["x"], [-1]), "bad-count"),
        ((["a"], ["x"], [0]), "empty-input"),
    ],
)
def test_invalid_cells_are_refused(cells, code):
    with refused(code):
        Contingency.from_cells(*cells)


def test_contingency_never_allocates_dense_table():
    """A dense table of 200,000 classes and clusters would need 320 GB."""
    n = 200_000
    codes = np.arange(n)
    table = contingency(codes, (codes + 1) % n)
    assert table.shape == (n, n) if isinstance(table, Contingency) else False
    assert table.measure("one-to-one") == 1.0
    assert table.measure("v") == 1.0


def test_pair_counts_are_exact_beyond_machine_words():
    unit = 10**18
    pairs = Contingency.from_table([[4 * unit, unit], [0, 4 * unit]]).pairs
    assert pairs.total == 9 * unit * (9 * unit - 1) // 2
    assert pairs.both == 2 * (4 * unit * (4 * unit - 1) // 2) + unit * (unit - 1) // 2
