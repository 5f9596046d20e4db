"""James–Stein shrinkage against exact fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.scoring.entropy import entropy_of
from support.examples import few


def naive(counts: Sequence[int], support: int) -> float:
    n = sum(counts)
    p = [Fraction(c, n) for c in counts] + [Fraction(0)] * (support - len(counts))
    distance = sum((Fraction(1, support) - x) ** 2 for x in p)
    shrinkage = Fraction(1)
    if n > 1 and distance:
        shrinkage = min(Fraction(1), (1 - sum(x * x for x in p)) / ((n - 1) * distance))
    shrunk = [float(shrinkage / support + (1 - shrinkage) * x) for x in p]
    return -math.fsum(x * math.log(x) for x in shrunk if x > 0)


@few()
@given(st.lists(st.integers(1, 60), min_size=1, max_size=10), st.integers(0, 20))
def test_shrink_equals_exact_arithmetic(counts: list[int], unseen: int) -> None:
    support = len(counts) + unseen
    expected = naive(counts, support)
    assert entropy_of(counts, "shrink", support=support) == pytest.approx(
        expected, rel=1e-11, abs=1e-12
    )


def test_shrink_of_one_item_is_log_support() -> None:
    assert entropy_of([1], "shrink", support=8) == pytest.approx(math.log(8))


def test_shrink_of_one_full_cell_is_zero() -> None:
    assert entropy_of([5], "shrink", support=8) == 0.0


def test_shrink_of_exactly_uniform_sample_is_uniform() -> None:
    assert entropy_of([3] * 6, "shrink") == pytest.approx(math.log(6))


def test_shrink_handles_huge_samples_in_huge_support() -> None:
    counts = [10**12 - 3, 1, 1, 1]
    value = entropy_of(counts, "shrink", support=10**6)
    assert value == pytest.approx(entropy_of(counts), abs=1e-9)
