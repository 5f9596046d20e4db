"""Grassberger's estimator against exact recursions, and a sign error of another library."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.scoring.entropy import entropy_of
from support.examples import few


def naive(counts: Sequence[int]) -> float:
    """G by its recursion: G(1) = −γ − log 2, G(2) = 2 + G(1), G(2k+1) = G(2k), + 2/(2k+1)."""

    def g(n: int) -> float:
        first = -np.euler_gamma - math.log(2)
        return float(first + math.fsum(2 / (2 * k + 1) for k in range(n // 2)))

    total = sum(counts)
    return math.log(total) - math.fsum(n * g(n) for n in counts if n) / total


@few()
@given(st.lists(st.integers(1, 200), min_size=1, max_size=10))
def test_equals_the_recursion(counts: list[int]) -> None:
    assert entropy_of(counts, "grassberger") == pytest.approx(naive(counts), rel=1e-12, abs=1e-12)


def test_grassberger_of_two_equal_cells_is_near_one_bit() -> None:
    """A sign error makes this 8.52 in a popular library."""
    assert entropy_of([50, 50], "grassberger") == pytest.approx(math.log(2), abs=2e-4)
    assert entropy_of([51, 51], "grassberger") == pytest.approx(math.log(2) + 1 / 51, abs=2e-4)


def test_grassberger_of_one_item_follows_formula() -> None:
    assert entropy_of([1], "grassberger") == pytest.approx(np.euler_gamma + math.log(2))


@pytest.mark.parametrize("n", [10**12, 10**12 + 1])
def test_grassberger_digamma_is_accurate_at_1e12(n: int) -> None:
    with mpmath.workdps(40):
        half = (mpmath.psi(0, mpmath.mpf(n + 1) / 2) - mpmath.psi(0, mpmath.mpf(n) / 2)) / 2
        g = mpmath.psi(0, n) + (-1) ** n * half
        exact = mpmath.log(3 * n) - g
    assert entropy_of([n, n, n], "grassberger") == pytest.approx(float(exact), abs=2e-14)
