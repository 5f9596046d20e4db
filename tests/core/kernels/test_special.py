"""Log-gamma and related kernels against scipy and plain sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from roget.core.kernels import random, special


def test_log_gamma_equals_scipy() -> None:
    x = np.concatenate([np.geomspace(1e-6, 1e15, 4000), [9.999999, 10.0, 10.000001]])
    ours = np.array([special.log_gamma(value) for value in x])
    assert np.allclose(ours, gammaln(x), rtol=2e-15, atol=2e-14)
    many, mantissa = x.copy(), np.ones(x.size)
    special.log_gammas(x.size, many, many.view(np.int64), mantissa, mantissa.view(np.int64))
    assert np.allclose(many, gammaln(x), rtol=2e-15, atol=2e-14)


@pytest.mark.parametrize("x", [0.1, 3.0, 99_999.0, 100_001.0])
@pytest.mark.parametrize("r", [1, 2, 7, 40])
def test_log_rise_equals_sum_of_logarithms(x: float, r: int) -> None:
    right = math.fsum(math.log(x + i) for i in range(r))
    assert special.log_rise(x, float(r)) == pytest.approx(right, rel=1e-12, abs=1e-9)


@given(st.floats(1e-6, 1e6), st.floats(1e-3, 1e6))
def test_log_rise_equals_difference_of_log_gammas(a: float, x: float) -> None:
    expected = float(gammaln(a + x) - gammaln(a))
    assert special.log_rise(a, x) == pytest.approx(expected, rel=1e-9, abs=1e-6)


def test_log_rise_keeps_digits_for_huge_arguments() -> None:
    right = math.fsum(math.log(1e12 + i) for i in range(5))
    assert special.log_rise(1e12, 5.0) == pytest.approx(right, rel=1e-14)
    assert gammaln(1e12 + 5) - gammaln(1e12) != pytest.approx(right, rel=1e-8)
    product = sum(math.log(1e14 + i) for i in range(5))
    assert special.log_rise(1e14, 5.0) == pytest.approx(product, rel=1e-13)
    assert special.log_rise(16.0, 3.0) == pytest.approx(math.log(16 * 17 * 18), rel=1e-11)


def test_exponentials_equal_numpy() -> None:
    x = -np.concatenate([np.linspace(0, 55, 999), [0.0, 700.0, 1e300]])
    y, shifted = x.copy(), np.empty(x.size)
    special.exponentials(x.size, y, shifted, shifted.view(np.int64), y.view(np.int64))
    assert y[:999] == pytest.approx(np.exp(x[:999]), rel=1e-8)
    assert y[-2:].tolist() == [0.0, 0.0]


def test_uniform_numbers_are_uniform() -> None:
    state = np.array([7], dtype=np.uint64)
    drawn = np.array([random.draw_uniform(state) for _ in range(20_000)])
    assert (drawn >= 0).all()
    assert (drawn < 1).all()
    assert np.histogram(drawn, 10, (0, 1))[0] == pytest.approx(np.full(10, 2000), abs=250)
