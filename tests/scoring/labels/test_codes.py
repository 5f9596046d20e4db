"""Coding labels as integers: every method agrees with sorting by numpy."""

from __future__ import annotations

import datetime
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from roget.scoring.labels import codes as coding
from roget.scoring.labels.codes import factorize, is_missing
from roget.scoring.labels.labels import Coder
from support.errors import refused


def spelled(factors):
    """The labels behind the codes, None for no answer."""
    names = factors.names
    if names is None:
        names = range(factors.offset, factors.offset + factors.n_labels)
    return [None if code < 0 else names[code] for code in factors.codes.tolist()]


def check(values):
    """Codes must stand for the values they came from, and equal values for equal codes."""
    values = np.asarray(values)
    factors = factorize(values)
    codes = factors.codes.astype(np.int64)
    assert factors.codes.dtype.kind in "iu"
    assert codes.min() >= 0
    assert codes.max() < factors.n_labels
    assert spelled(factors) == values.tolist()
    distinct, inverse = np.unique(values, return_inverse=True)
    pairs = set(zip(codes.tolist(), inverse.tolist(), strict=True))
    assert len(pairs) == len(distinct) == len(set(codes.tolist()))
    return factors


integers = hnp.integer_dtypes() | hnp.unsigned_integer_dtypes()


@given(integers.flatmap(lambda kind: hnp.arrays(kind, st.integers(1, 40))))
def test_factorize_codes_integers_of_any_type(values):
    check(values)


@given(hnp.arrays(np.int64, st.integers(1, 40), elements=st.integers(-5, 5)))
def test_factorize_codes_small_integers(values):
    check(values)


@given(hnp.arrays("U3", st.integers(1, 60)) | hnp.arrays("U20", st.integers(1, 20)))
def test_factorize_codes_unicode_arrays(values):
    check(values)


@given(hnp.arrays("S3", st.integers(1, 60)) | hnp.arrays("S17", st.integers(1, 20)))
def test_factorize_codes_byte_strings(values):
    factors = factorize(values)
    distinct, inverse = np.unique(values, return_inverse=True)
    pairs = set(zip(factors.codes.tolist(), inverse.tolist(), strict=True))
    assert len(pairs) == len(distinct) == factors.n_labels


@given(
    hnp.arrays(
        hnp.floating_dtypes(sizes=(16, 32, 64)),
        st.integers(1, 40),
        elements={"allow_nan": True},
    )
)
def test_factorize_codes_floats(values):
    factors = factorize(values)
    expected = [None if np.isnan(value) else value for value in values]
    assert spelled(factors) == expected
    assert factors.complete == (not np.isnan(values).any())
    assert len(set(factors.codes[factors.codes >= 0].tolist())) == len(set(expected) - {None})


@given(st.lists(st.text(max_size=3) | st.integers(-3, 3) | st.none(), min_size=1))
def test_factorize_codes_lists(values):
    factors = factorize(values)
    assert spelled(factors) == values
    assert factors.complete == (None not in values)
    assert factors.n_labels == len(set(values) - {None})


def test_factorize_uses_integer_array_as_codes():
    for kind in (np.int8, np.uint16, np.int32, np.int64):
        values = np.array([3, 1, 3], dtype=kind)
        factors = factorize(values)
        assert factors.codes is values
        assert (factors.names, factors.n_labels, factors.offset) == (None, 4, 0)


def test_factorize_views_unsigned_64_bit_without_copy():
    values = np.array([3, 1], dtype=np.uint64)
    factors = factorize(values)
    assert factors.codes.dtype == np.int64
    assert np.shares_memory(factors.codes, values)


@pytest.mark.parametrize(
    "values",
    [
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([2**63, 2**63 + 5], dtype=np.uint64),
        np.array([-(2**63), -(2**63) + 70], dtype=np.int64),
        np.array([10**12, 10**12 + 1]),
        np.array([2**64 - 1, 0], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1]),
        np.array([5, 1, 5], dtype=">i4"),
        np.array(["b", "a", "b"], dtype=">U4"),
        np.arange(20)[::2],
        np.array(["a", "b", "c", "d"])[::2],
    ],
)
def test_factorize_codes_arrays_of_extreme_values(values):
    check(values)


def test_factorize_offsets_numbers_that_do_not_start_near_zero():
    factors = factorize(np.array([-1, 3, -1]))
    assert factors.offset == -1
    assert factors.codes.tolist() == [0, 4, 0]
    assert factorize(np.array([10**9, 10**9 + 2])).n_labels == 3


def test_wide_range_of_numbers_does_not_add_labels():
    assert factorize(np.array([0, 10**15])).n_labels == 2


def test_factorize_codes_booleans_without_copy():
    values = np.array([True, False, True])
    factors = factorize(values)
    assert np.shares_memory(factors.codes, values)
    assert spelled(factors) == [True, False, True]


def test_minus_zero_equals_zero_and_integral_floats_are_integers():
    assert factorize(np.array([0.0, -0.0, 0.5])).codes.tolist() == [0, 0, 1]
    factors = factorize(np.array([2.0, 5.0, np.nan]))
    assert spelled(factors) == [2, 5, None]
    assert factors.codes.dtype.kind == "i"


def test_masked_values_are_missing():
    factors = factorize(np.ma.array([4, 5, 4], mask=[False, True, False]))
    assert spelled(factors) == [4, None, 4]
    assert not factors.complete
    assert factorize(np.ma.array(["a", "b"])).complete
    assert spelled(factorize(np.ma.array([4, 5], mask=True))) == [None, None]


def test_factorize_codes_dates_and_structures():
    dates = np.array(["2020-01-01", "NaT", "2020-01-01"], dtype="datetime64[D]")
    factors = factorize(dates)
    assert factors.codes.tolist() == [0, -1, 0]
    assert str(factors.names[0]) == "2020-01-01"
    pairs = np.array([(1, 2), (1, 3), (1, 2)], dtype=[("a", int), ("b", int)])
    assert factorize(pairs).codes.tolist() == [0, 1, 0]
    assert factorize(np.array([1 + 1j, 2, 1 + 1j])).codes.tolist() == [0, 1, 0]


def test_factorize_codes_variable_width_strings():
    values = np.array(["a", "bcd", "a"], dtype=np.dtypes.StringDType())
    assert spelled(factorize(values)) == ["a", "bcd", "a"]


def test_factorize_accepts_empty_and_zero_width_arrays():
    assert factorize(np.array([], dtype=int)).n_labels == 0
    assert factorize([]).n_labels == 0
    assert spelled(factorize(np.array(["", ""]))) == ["", ""]


def test_byte_strings_are_decoded_as_text():
    assert spelled(factorize(np.array([b"ab", b"c"]))) == ["ab", "c"]
    assert spelled(factorize(np.array([b"\xff"]))) == [b"\xff"]


def test_missing_values_of_every_type_are_recognised():
    nan = float("nan")
    values = ["a", None, nan, np.nan, np.float32("nan"), np.datetime64("NaT"), Decimal("NaN"), 0]
    factors = factorize(values)
    assert spelled(factors) == ["a", *[None] * 6, 0]
    assert [is_missing(value) for value in ("", "nan", 0, (), datetime.date.min)] == [False] * 5


def test_values_equal_in_python_are_one_label():
    assert factorize([1, 1.0, True, "1"]).codes.tolist() == [0, 0, 0, 1]


def test_unhashable_label_is_refused_with_its_position():
    with refused("broken-lines", "item 2", "[1]"):
        factorize(["a", "b", [1]])


def test_other_type_errors_are_not_swallowed():
    class Odd:
        def __hash__(self):
            return 1

        def __eq__(self, other):
            raise TypeError("cannot compare")

    with pytest.raises(TypeError, match="cannot compare"):
        factorize([Odd(), Odd()])


def test_coder_keeps_numbers_between_chunks():
    coder = Coder()
    assert coder.codes(["a", "b"], 2).tolist() == [0, 1]
    assert coder.codes(["b", "c"], 2).tolist() == [1, 2]
    assert (len(coder), list(coder)) == (3, ["a", "b", "c"])


@pytest.mark.parametrize("distinct", [3, 5_000, 200_000])
def test_string_hash_table_grows_over_many_chunks(distinct):
    rng = np.random.default_rng(distinct)
    values = rng.integers(0, distinct, 200_000)
    words = values.astype("U8")
    codes, firsts = coding.number_strings(words)
    assert np.array_equal(words[firsts][codes], words)
    assert firsts.size == np.unique(values).size
    wide = values * 2**40
    codes, firsts = coding.number_rows(
        wide.size, 1, lambda start, end: [wide[start:end].view(np.uint64)]
    )
    assert np.array_equal(wide[firsts][codes], wide)
    assert firsts.size == np.unique(values).size


@pytest.mark.parametrize("top", ["z", "é", "ж", "𝄞"])
def test_factorize_codes_characters_of_any_width(top):
    rng = np.random.default_rng(1)
    words = np.array(["ab" + top, "b" + top * 9, "", top, "a" * 8, "a" * 9, "b" * 17])
    values = words[rng.integers(0, words.size, 1000)]
    check(values)


def test_rows_with_equal_hashes_are_distinguished(monkeypatch):
    """All rows start at one slot, so only comparing the rows distinguishes them."""
    monkeypatch.setattr(coding, "_GOLDEN", np.uint64(0))
    values = np.array([f"w{i % 50}" for i in range(500)])
    check(values)


def test_factorize_strings_needs_little_memory():
    words = np.array([f"{i:05d}" for i in range(100)])
    values = words[np.random.default_rng(0).integers(0, 100, 300_000)]
    factorize(values[:10])
    tracemalloc.start()
    try:
        factors = factorize(values)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # What is beyond the codes themselves, against the input of 20 bytes per string.
    assert peak - factors.codes.nbytes < values.nbytes / 2
