"""Views of counts against exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from roget.core.counts import Counts
from support.errors import refused

values = st.sampled_from([0, 0, 1, 1, 2, 3, 7, 10**6, 10**12]) | st.sampled_from([0, 0.5, 0.1])
tables = st.lists(st.lists(values, min_size=3, max_size=3), min_size=3, max_size=3)


def exact(dense):
    counts = [[Fraction(value) for value in row] for row in dense]
    rows = [sum(row) for row in counts]
    columns = [sum(column) for column in zip(*counts, strict=True)]
    return counts, rows, columns, sum(rows)


def agrees(view, expected):
    assert isinstance(view, sparse.csr_array)
    assert view.dtype == np.float64
    assert view.has_sorted_indices
    np.testing.assert_allclose(view.toarray(), np.array(expected, float), rtol=1e-13, atol=1e-14)
    return True


@given(tables)
def test_conditional_and_joint_equal_exact_fractions(dense):
    table = Counts(dense)
    counts, rows, _, total = exact(dense)
    assert agrees(
        table.conditional(), [[n / (rows[i] or 1) for n in row] for i, row in enumerate(counts)]
    )
    assert agrees(table.joint(), [[n / (total or 1) for n in row] for row in counts])


@given(tables, st.sampled_from([1.0, 2.0, 0.5, 5.0]), st.sampled_from([1.0, 0.75, 0.5]))
def test_ppmi_equals_its_definition(dense, shift, smoothing):
    counts, rows, columns, _ = exact(dense)
    with mpmath.workdps(50):
        power = [mpmath.mpf(c.numerator) / c.denominator for c in columns]
        power = [c ** mpmath.mpf(smoothing) if c else mpmath.mpf(0) for c in power]
        expected = [
            [
                max(0.0, float(mpmath.log(_mp(n / rows[i]) * sum(power) / power[j] / shift)))
                if n
                else 0.0
                for j, n in enumerate(row)
            ]
            for i, row in enumerate(counts)
        ]
    view = Counts(dense).ppmi(shift=shift, smoothing=smoothing)
    assert agrees(view, expected)
    # What is 0 in truth is not kept as rounding dust.
    assert set(zip(*view.nonzero(), strict=True)) == {
        (i, j) for i, row in enumerate(expected) for j, value in enumerate(row) if value > 1e-14
    }


def _mp(fraction):
    return mpmath.mpf(fraction.numerator) / fraction.denominator


def test_ppmi_of_independent_counts_is_zero():
    rows, columns = np.array([3, 7, 11, 10**5]), np.array([1, 13, 17, 10**4])
    assert Counts(np.outer(rows, columns)).ppmi().nnz == 0
    # 49·(1/49) is less than 1 in floating point, and log 49 − log 49 must still be 0.
    assert Counts(np.eye(49)).ppmi(shift=49).nnz == 0


@pytest.mark.parametrize("n", [1, 10**12])
def test_views_are_exact_for_one_token_and_for_trillions(n):
    counts = Counts([[n, 0], [0, n]])
    assert agrees(counts.ppmi(), [[math.log(2), 0], [0, math.log(2)]])
    assert counts.conditional().toarray().tolist() == [[1, 0], [0, 1]]
    assert counts.joint().toarray().tolist() == [[0.5, 0], [0, 0.5]]
    assert Counts([[n]]).ppmi().nnz == 0


def test_views_are_copies():
    counts = Counts([[1, 2]])
    for view in (counts.conditional(), counts.joint(), counts.ppmi()):
        view.data[:], view.indices[:], view.indptr[:] = 9, 0, 0
    assert counts == Counts([[1, 2]])


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
def test_parameters_are_checked(bad):
    with refused("invalid-option", f"shift={bad}"):
        Counts([[1]]).ppmi(shift=bad)
    with refused("invalid-option", f"smoothing={bad}"):
        Counts([[1]]).ppmi(smoothing=bad)
