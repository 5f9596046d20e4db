"""Counts tables: accepted values, errors and properties."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from roget import InputError
from roget.core.counts import Counts
from support.errors import refused

DRINKS = Counts(
    [[2, 1, 0], [0, 3, 0]],
    ["milk", "book"],
    ["obj:drink", "obj:read", "obj:buy"],
    slots=["obj"] * 3,
    relations=["obj"],
    provenance={"tokens": 6},
)

SHAPE = (3, 4)
cell = st.tuples(st.integers(0, 2), st.integers(0, 3))
whole = st.lists(st.tuples(cell, st.integers(0, 10**15)), max_size=30)
fractional = st.lists(
    st.tuples(cell, st.floats(0, 1e6, allow_subnormal=False) | st.sampled_from([0.1, 0.2, 1e-20])),
    max_size=30,
)


def coo(cells, dtype):
    values = np.array([value for _, value in cells], dtype=dtype)
    places = np.array([place for place, _ in cells], dtype=np.int32).reshape(-1, 2).T
    return sparse.coo_array((values, tuple(places)), shape=SHAPE)


def naive(cells):
    """Exact sums by cell, without zeros."""
    sums = defaultdict(Fraction)
    for place, value in cells:
        sums[place] += Fraction(value)
    return {place: value for place, value in sums.items() if value}


def cells_of(counts):
    names = [str(number) for number in range(4)]
    assert counts.words.tolist() == names[:3]
    assert counts.contexts.tolist() == names
    return {(int(word), int(context)): count for word, context, count in counts.rows()}


@given(whole)
def test_integral_counts_are_summed_exactly(cells):
    expected = naive(cells)
    for matrix in (coo(cells, np.int64), coo(cells, np.uint64), sparse.csc_matrix(coo(cells, int))):
        counts = Counts(matrix)
        assert cells_of(counts) == expected
        assert counts.matrix.dtype == np.int64
        assert isinstance(counts.matrix, sparse.csr_array)
        assert counts.matrix.has_canonical_format
        assert counts.entries == len(expected)
        assert counts.total == sum(expected.values())
        for axis, totals in enumerate((counts.word_totals, counts.context_totals)):
            assert totals.dtype == np.int64
            assert totals.tolist() == [
                sum(value for place, value in expected.items() if place[axis] == number)
                for number in range(SHAPE[axis])
            ]


@given(fractional, st.randoms())
def test_fractional_counts_are_rounded_once_in_any_order(cells, shuffler):
    # A cell whose sum underflows to nothing cannot be told from an empty one: none is here.
    expected = {place: float(value) for place, value in naive(cells).items()}
    counts = Counts(coo(cells, np.float64))
    assert cells_of(counts) == expected
    is_whole = all(value == int(value) for value in expected.values())
    assert counts.matrix.dtype == (np.int64 if is_whole else np.float64)
    for axis, totals in enumerate((counts.word_totals, counts.context_totals)):
        assert totals.tolist() == [
            math.fsum(value for place, value in expected.items() if place[axis] == number)
            for number in range(SHAPE[axis])
        ]
    assert counts.total == math.fsum(expected.values())
    shuffler.shuffle(cells)
    assert Counts(coo(cells, np.float64)) == counts


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.float16, np.float32, np.longdouble])
def test_integral_values_of_every_type_become_int64(dtype):
    counts = Counts(np.array([[1, 0], [0, 1]], dtype=dtype))
    assert counts.matrix.dtype == np.int64
    assert list(counts.rows()) == [("0", "0", 1), ("1", "1", 1)]


def test_matrices_of_every_type_give_the_same_table():
    dense = [[0, 2, 0], [1, 0, 5]]
    expected = Counts(dense)
    for kind in ("csr", "csc", "coo", "lil", "dok", "dia", "bsr"):
        assert Counts(getattr(sparse, f"{kind}_array")(np.array(dense))) == expected
        assert Counts(getattr(sparse, f"{kind}_matrix")(np.array(dense))) == expected


def test_passed_matrix_is_neither_changed_nor_shared():
    given = sparse.csr_array((np.array([1, 2, 0]), np.array([1, 0, 2]), np.array([0, 3])))
    before = [given.data.tolist(), given.indices.tolist(), given.indptr.tolist()]
    counts = Counts(given)
    counts.matrix.data[:] = 9
    assert [given.data.tolist(), given.indices.tolist(), given.indptr.tolist()] == before


@pytest.mark.parametrize("bad", [-1, -0.5, math.nan, math.inf, -math.inf, 2.0**63, 1e300])
def test_invalid_counts_are_refused_with_their_place(bad):
    value = str(bad) if bad < 2**62 else ""
    with refused("bad-count", "'b' (row 1)", "'y' (column 1)", value):
        Counts([[1, 2], [3, bad]], ["a", "b"], ["x", "y"])


def test_negative_counts_are_not_hidden_by_their_sum():
    with refused("bad-count", "-1"):
        Counts(sparse.coo_array(([3, -1], ([0, 0], [0, 0])), shape=(1, 1)))


def test_overflowing_totals_are_refused():
    largest = 2**63 - 1
    assert Counts([[largest]]).total == largest
    assert Counts([[largest - 1, 1]]).word_totals.tolist() == [largest]
    for over in ([[largest, 1]], np.array([[2**63]], dtype=np.uint64), [[2.0**62, 2.0**62]]):
        with pytest.raises(InputError) as error:
            Counts(over)
        assert "2^63" in str(error.value)
    with refused("too-large", "2^63"):
        Counts(sparse.coo_array(([2**62] * 2, ([0, 0], [0, 0])), shape=(1, 1)))
    with refused("too-large", "2^63"):
        Counts([[2.0**62, 2.0**62, 0.5]])


@pytest.mark.parametrize(
    ("matrix", "code", "value"),
    [
        ([1, 2], "invalid-input", "not 1"),
        ([[[1]]], "invalid-input", "not 3"),
        ([["a"]], "bad-count", "<U1"),
        ([[1j]], "bad-count", "complex"),
        ([[10**30]], "bad-count", "object"),
        ([[1], [1, 2]], "invalid-input", ""),
        (sparse.coo_array([1, 2]), "invalid-input", "not 1"),
    ],
)
def test_values_that_are_not_a_numeric_matrix_are_refused(matrix, code, value):
    with refused(code, value):
        Counts(matrix)


def test_a_broken_sparse_matrix_is_refused():
    broken = sparse.csr_array([[1, 2]])
    broken.indices[1] = 7
    with refused("bad-count", "axis 1 index 7"):
        Counts(broken)


@pytest.mark.parametrize(
    ("words", "code", "values"),
    [
        (["a"], "length-mismatch", ["1 word", "2"]),
        (["a", "a"], "duplicate-name", ["word 'a'", "0 and 1"]),
        (["a", None], "invalid-input", ["word 1", "None"]),
        (["a", 1.5], "invalid-input", ["word 1", "1.5"]),
        (["a", "\ud800"], "not-text", ["word 1"]),
        ("ab", "invalid-option", ["word", "'ab'"]),
    ],
)
def test_invalid_names_are_refused(words, code, values):
    with refused(code, *values):
        Counts([[1], [2]], words)
    with refused(code, *(value.replace("word", "context") for value in values)):
        Counts([[1, 2]], None, words)


def test_names_may_be_arrays_or_numbers():
    counts = Counts([[1, 2]], np.array(["ü"]), np.array([7, 8]))
    assert counts.words.dtype == object
    assert [type(name) for name in [*counts.words, *counts.contexts]] == [str] * 3
    assert counts.contexts.tolist() == ["7", "8"]
    with pytest.raises(ValueError, match="read-only"):
        counts.words[0] = "x"


def test_slots_have_one_entry_per_context():
    assert DRINKS.slots.tolist() == ["obj"] * 3
    assert Counts([[1, 2]]).slots.tolist() == ["", ""]
    with refused("length-mismatch", "1", "2"):
        Counts([[1, 2]], slots=["obj"])


def test_repr_shows_shape_and_totals():
    assert repr(DRINKS) == "Counts: 2 words × 3 contexts, 3 entries, 6 tokens"
    assert repr(Counts([[1]])) == "Counts: 1 word × 1 context, 1 entry, 1 token"
    assert (
        repr(Counts([[0.5, 1200.25]])) == "Counts: 1 word × 2 contexts, 2 entries, 1,200.75 tokens"
    )
    assert len(DRINKS) == 2
    assert DRINKS.shape == (2, 3)
    assert DRINKS.relations == ("obj",)
    assert Counts([[1]], relations="obj").relations == ("obj",)
    assert DRINKS.provenance == {"tokens": 6}
    assert list(DRINKS.rows()) == [
        ("milk", "obj:drink", 2),
        ("milk", "obj:read", 1),
        ("book", "obj:read", 3),
    ]


def test_count_looks_up_one_pair():
    assert DRINKS.count("milk", "obj:drink") == 2
    assert DRINKS.count("book", "obj:drink") == 0
    assert DRINKS.count("book", "obj:buy") == 0
    assert type(DRINKS.count("milk", "obj:drink")) is int
    assert Counts([[0.5]]).count("0", "0") == 0.5
    assert (DRINKS.word_id("book"), DRINKS.context_id("obj:buy")) == (1, 2)
    with refused("unknown-name", "word 'boook'", "'book'"):
        DRINKS.count("boook", "obj:drink")
    with refused("unknown-name", "context 'zzz'"):
        DRINKS.context_id("zzz")


@given(whole)
def test_count_agrees_with_rows(cells):
    counts, expected = Counts(coo(cells, np.int64)), naive(cells)
    for row in range(SHAPE[0]):
        for column in range(SHAPE[1]):
            assert counts.count(str(row), str(column)) == expected.get((row, column), 0)


def test_equality_compares_names_order_and_counts():
    words, contexts = ["a", "b"], ["x", "y"]
    counts = Counts([[1, 2], [3, 4]], words, contexts)
    assert counts == Counts([[1.0, 2.0], [3.0, 4.0]], words, contexts, relations=["obj"])
    different = [
        Counts([[1, 2], [3, 5]], words, contexts),
        Counts([[1, 2], [3, 0]], words, contexts),
        Counts([[1, 2], [3, 4.5]], words, contexts),
        Counts([[1, 2], [3, 4]], ["a", "c"], contexts),
        Counts([[1, 2], [3, 4]], words, ["y", "x"]),
        Counts([[1, 2]], ["a"], contexts),
        counts.T,
    ]
    assert not any(counts == other for other in different)
    assert counts != "counts"
    with pytest.raises(TypeError, match="unhashable"):
        hash(counts)


def test_transpose_swaps_words_and_contexts():
    turned = DRINKS.T
    assert turned.words.tolist() == DRINKS.contexts.tolist()
    assert turned.contexts.tolist() == DRINKS.words.tolist()
    assert turned.matrix.toarray().tolist() == [[2, 0], [1, 3], [0, 0]]
    assert turned.slots.tolist() == ["", ""]
    assert turned.relations == ("obj",)
    assert turned.matrix.has_sorted_indices
    assert turned.T == DRINKS


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 2)])
def test_empty_table_supports_every_operation(shape):
    counts = Counts(sparse.csr_array(shape, dtype=np.int64))
    assert counts.shape == shape
    assert (counts.total, counts.entries, len(counts)) == (0, 0, shape[0])
    assert counts.word_totals.tolist() == [0] * shape[0]
    assert counts.context_totals.tolist() == [0] * shape[1]
    assert list(counts.rows()) == []
    assert repr(counts).endswith("0 entries, 0 tokens")
    assert counts.T.shape == shape[::-1]
    assert counts.top(5).shape == (min(shape[0], 5), 0)
    assert counts.top(5, 5).shape == shape
    for cut in (counts.min_count(2), counts.drop_empty(), counts.largest_component()):
        assert cut.shape == (0, 0)
    assert counts.select().shape == counts.merge(counts).shape == shape
    for view in (counts.conditional(), counts.joint(), counts.ppmi()):
        assert view.shape == shape
        assert view.nnz == 0
    assert [part.shape for part in counts.split(0.5, random_state=0)] == [shape] * 2


def test_min_count_keeps_entries_that_occur_exactly_that_often():
    counts = Counts([[3, 2, 0], [1, 1, 0], [0, 0, 5]])
    assert sorted(counts.min_count(pairs=2).rows()) == [("0", "0", 3), ("0", "1", 2), ("2", "2", 5)]
    assert counts.min_count(words=5).words.tolist() == ["0", "2"]
    assert counts.min_count(contexts=4).contexts.tolist() == ["0", "2"]


def test_rows_are_yielded_in_chunks(monkeypatch):
    monkeypatch.setattr("roget.core.counts.counts._CHUNK", 7)
    dealer = random.Random(0)
    dense = [[dealer.randrange(3) for _ in range(10)] for _ in range(10)]
    expected = [(str(i), str(j), n) for i, row in enumerate(dense) for j, n in enumerate(row) if n]
    assert list(Counts(dense).rows()) == expected
