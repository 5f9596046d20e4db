"""Quantiles of t, Wilson intervals of proportions, and bootstrap intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from roget.core.intervals import Interval, bootstrap_interval, student_quantile, wilson


@given(st.integers(1, 5000), st.floats(0, 1))
def test_wilson_interval_solves_its_equation(items: int, part: float) -> None:
    right = round(part * items)
    share, z = right / items, 1.959963984540054
    low, high = wilson(right, items)
    assert 0 <= low <= share <= high <= 1
    for end in (low, high):
        assert (share - end) ** 2 == pytest.approx(z * z * end * (1 - end) / items, abs=1e-9)


@given(st.integers(1, 5000), st.floats(0, 1))
def test_wilson_interval_equals_scipy_and_accepts_fractions(items: int, part: float) -> None:
    right = round(part * items)
    ends = stats.binomtest(right, items).proportion_ci(0.95, method="wilson")
    assert wilson(right, items) == pytest.approx((ends.low, ends.high), abs=1e-12)
    if right < items:
        below, above = wilson(right, items), wilson(right + 1, items)
        between = wilson(right + 0.5, items)
        assert all(a < b < c for a, b, c in zip(below, between, above, strict=True))


@pytest.mark.parametrize(("right", "items"), [(0, 0), (3, 2), (-1, 2)])
def test_wilson_refuses_invalid_proportions(right: int, items: int) -> None:
    with pytest.raises(ValueError, match=f"{right}.*{items}"):
        wilson(right, items)


def test_bootstrap_interval_excludes_undefined_samples() -> None:
    drawn = np.array([np.nan, 0.0, 1.0, 2.0])
    found = bootstrap_interval(1.0, drawn)
    assert (found.low, found.high) == pytest.approx((0.05, 1.95))
    assert bootstrap_interval(1.0, drawn[:1]) == Interval(1.0)


def test_student_quantiles_equal_scipy() -> None:
    degrees = np.array([[1.0, 1.5, 2.0, 5.5], [49.9, 99.9, 100.1, 1e9]])
    expected = stats.t.ppf(0.975, degrees)
    np.testing.assert_allclose(student_quantile(degrees), expected, rtol=1e-12)
