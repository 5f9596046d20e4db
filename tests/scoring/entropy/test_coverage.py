"""Chao–Shen and Chao–Wang–Jost against their definitions in high precision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget.scoring.entropy import entropy_of

COUNTS = st.lists(st.integers(1, 12), min_size=1, max_size=12)


def naive_chao_shen(counts: Sequence[int]) -> float:
    with mpmath.workdps(50):
        n = sum(counts)
        singletons = list(counts).count(1)
        coverage = 1 - mpmath.mpf(singletons - (singletons == n)) / n
        shares = [coverage * c / n for c in counts]
        return float(mpmath.fsum(-p * mpmath.log(p) / (1 - (1 - p) ** n) for p in shares))


def rare_share(counts: Sequence[int]) -> mpmath.mpf:
    """A, the mean probability of the cells seen once."""
    n, tally = sum(counts), Counter(counts)
    f1, f2 = tally[1], tally[2]
    if f2:
        return mpmath.mpf(2 * f2) / ((n - 1) * f1 + 2 * f2)
    return mpmath.mpf(2) / ((n - 1) * (f1 - 1) + 2) if f1 else mpmath.mpf(1)


def naive_cwj(counts: Sequence[int]) -> float:
    """As printed, the power series summed term by term."""
    with mpmath.workdps(60):
        n, f1, a = sum(counts), list(counts).count(1), rare_share(counts)
        seen = mpmath.fsum(
            mpmath.mpf(c) / n * mpmath.fsum(mpmath.mpf(1) / k for k in range(c, n)) for c in counts
        )
        if not f1 or a == 1:
            return float(seen)
        series = mpmath.fsum((1 - a) ** r / r for r in range(1, n))
        unseen = mpmath.mpf(f1) / n * (1 - a) ** (1 - n) * (-mpmath.log(a) - series)
        return float(seen + unseen)


@settings(deadline=None)
@given(COUNTS)
def test_chao_shen_equals_its_definition(counts: list[int]) -> None:
    expected = naive_chao_shen(counts)
    assert entropy_of(counts, "chao-shen") == pytest.approx(expected, rel=1e-12, abs=1e-13)


@settings(deadline=None, max_examples=60)
@given(COUNTS)
def test_cwj_equals_its_definition(counts: list[int]) -> None:
    assert entropy_of(counts, "cwj") == pytest.approx(naive_cwj(counts), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(
    "counts",
    [[1] * 300, [1] * 299 + [2], [500, 1, 1, 1], [500, 1], [700, 2, 1], [3, 3, 2, 2]],
)
def test_cwj_equals_definition_for_few_and_many_rare_cells(counts: list[int]) -> None:
    assert entropy_of(counts, "cwj") == pytest.approx(naive_cwj(counts), rel=1e-12)


@pytest.mark.parametrize(
    ("big", "f1", "f2"),
    [(10**12, 5, 0), (10**12, 5, 3), (10**6, 100, 7), (10**4, 10**6, 0), (0, 10**6, 1)],
)
def test_cwj_tail_does_not_cancel_for_huge_samples(big: int, f1: int, f2: int) -> None:
    """The tail Σ x^(s+1)/(N+s) by adaptive quadrature of ∫ t^(N−1)/(1−xt) dt, 40 digits."""
    counts = np.array([big] * (big > 0) + [1] * f1 + [2] * f2)
    with mpmath.workdps(40):
        n = mpmath.mpf(int(counts.sum()))
        a = rare_share(counts.tolist())
        x = 1 - a
        breaks = [mpmath.mpf(0), *[mpmath.mpf(10) ** e for e in range(-40, 3)], 200]
        total = mpmath.quad(lambda v: mpmath.exp(-v) / (1 - x * mpmath.exp(-v / n)), breaks)
        unseen = f1 / n * x * total / n
        seen = mpmath.fsum(
            cells * c / n * (mpmath.psi(0, n) - mpmath.psi(0, c))
            for c, cells in Counter(counts.tolist()).items()
        )
    assert entropy_of(counts, "cwj") == pytest.approx(float(seen + unseen), rel=1e-12, abs=1e-14)


def test_chao_shen_with_singletons_only_keeps_one_over_n_of_the_mass() -> None:
    assert entropy_of([1] * 10, "chao-shen") == pytest.approx(naive_chao_shen([1] * 10), rel=1e-13)


def test_chao_shen_denominator_at_1e12() -> None:
    counts = [10**12 - 5, 2, 1, 1, 1]
    assert entropy_of(counts, "chao-shen") == pytest.approx(naive_chao_shen(counts), rel=1e-9)
