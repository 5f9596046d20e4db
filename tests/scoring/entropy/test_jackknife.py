"""The jackknife against its definition, and against high precision where the sum cancels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.scoring.entropy import entropy_of
from support.examples import few


def naive_ml(counts: Sequence[int]) -> float:
    total = sum(counts)
    return -math.fsum(c / total * math.log(c / total) for c in counts if c) if total else 0.0


def leave_one_out(counts: Sequence[int]) -> float:
    """N·Ĥ − (N−1)·mean of Ĥ without one item, each item in turn."""
    n = sum(counts)
    without = 0.0
    for at, count in enumerate(counts):
        rest = [c - (i == at) for i, c in enumerate(counts)]
        without += count / n * naive_ml(rest)
    return n * naive_ml(counts) - (n - 1) * without


@few()
@given(st.lists(st.integers(1, 40), min_size=1, max_size=10).filter(lambda c: sum(c) > 1))
def test_jackknife_equals_leave_one_out_definition(counts: list[int]) -> None:
    assert entropy_of(counts, "jk") == pytest.approx(leave_one_out(counts), rel=1e-10, abs=1e-11)


def many_digits(counts: Sequence[int]) -> mpmath.mpf:
    """The printed coefficients N·a(j,N) − (N−1)/N·((N−j)·a(j,N−1) + j·a(j−1,N−1)), 80 digits."""
    with mpmath.workdps(80):
        n = mpmath.mpf(sum(counts))

        def a(j: mpmath.mpf, total: mpmath.mpf) -> mpmath.mpf:
            return -j / total * mpmath.log(j / total) if j else mpmath.mpf(0)

        return mpmath.fsum(
            n * a(j, n) - (n - 1) / n * ((n - j) * a(j, n - 1) + j * a(j - 1, n - 1))
            for j in map(mpmath.mpf, counts)
        )


@pytest.mark.parametrize(
    "counts",
    [
        [1, 2, 3],
        [10**6, 1, 1, 5],
        [10**15 - 4, 3, 1],
        [4 * 10**14, 3 * 10**14, 2 * 10**14, 10**14],
        [999_999_999_999_999 // 7] * 7,
    ],
)
def test_jackknife_keeps_thirteen_digits_up_to_1e15(counts: list[int]) -> None:
    assert abs(entropy_of(counts, "jk") - float(many_digits(counts))) < 1e-13
