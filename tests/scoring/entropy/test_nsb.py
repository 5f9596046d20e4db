"""NSB against an independent quadrature in high precision, and where others return NaN."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import cache

import mpmath
import numpy as np
import pytest

from roget.scoring.entropy import entropy_of


def many_digits(counts: Sequence[int], m: int) -> float:
    """Posterior mean by tanh-sinh quadrature over log β, straight from the definitions."""
    n = sum(counts)
    cells = Counter([*counts, *[0] * (m - len(counts))])

    @cache  # both integrals ask for it, at the same places
    def density(w: mpmath.mpf) -> mpmath.mpf:
        b = mpmath.exp(w)
        evidence = mpmath.gammaprod(
            [m * b, *[c + b for c in counts]], [n + m * b, *[b] * len(counts)]
        )
        return evidence * b * (m * mpmath.psi(1, m * b + 1) - mpmath.psi(1, b + 1))

    def entropy(w: mpmath.mpf) -> mpmath.mpf:
        b = mpmath.exp(w)
        whole = n + m * b
        shares = [times * (c + b) / whole * mpmath.psi(0, c + b + 1) for c, times in cells.items()]
        return mpmath.psi(0, whole + 1) - mpmath.fsum(shares)

    with mpmath.workdps(20):
        breaks = list(range(-40, 41, 8))
        weight = mpmath.quad(density, breaks, maxdegree=5)
        moment = mpmath.quad(lambda w: entropy(w) * density(w), breaks, maxdegree=5)
        return float(moment / weight)


@pytest.mark.parametrize(("counts", "support"), [([4, 2, 3], 4), ([3, 1], 12), ([60], 5)])
def test_nsb_equals_independent_quadrature(counts: list[int], support: int) -> None:
    expected = many_digits(counts, support)
    assert entropy_of(counts, "nsb", support=support) == pytest.approx(expected, rel=1e-11)


def test_nsb_of_one_item_is_prior_mean() -> None:
    """One item has no information about β, so the mean is that of the flat prior: half of log m."""
    for m in (2, 10, 10**6):
        assert entropy_of([1], "nsb", support=m) == pytest.approx(math.log(m) / 2, rel=1e-10)


@pytest.mark.parametrize("n", [1, 2, 149, 151, 1000, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("m", [1, 2, 3, 1000, 10**6])
@pytest.mark.parametrize("shape", ["one", "even", "zipf"])
def test_nsb_is_never_nan(n: int, m: int, shape: str) -> None:
    """A common implementation returns NaN from N ≈ 150 on; one trigamma difference is to blame."""
    if shape == "one":
        counts = np.array([n])
    elif shape == "even":
        cells = min(m, n)
        counts = np.full(cells, n // cells)
    else:
        p = 1.0 / np.arange(1, min(m, 1000) + 1)
        counts = np.random.default_rng(3).multinomial(n, p / p.sum())
    value = entropy_of(counts, "nsb", support=m)
    assert -1e-12 <= value <= math.log(m) + 1e-9
    if n >= 10**9:
        assert value == pytest.approx(entropy_of(counts), abs=3e-2 * m / 10**6 + 1e-4)


def test_nsb_grows_with_support_and_is_finite_at_1e12_cells() -> None:
    values = [entropy_of([2, 1, 1, 1], "nsb", support=m) for m in (4, 10, 100, 10**6, 10**12)]
    assert values == sorted(values)
    assert all(math.isfinite(value) for value in values)


def test_nsb_processes_many_distinct_counts_in_blocks() -> None:
    counts = np.arange(1, 20_001)
    value = entropy_of(counts, "nsb", support=20_000)
    assert value == pytest.approx(entropy_of(counts), abs=1e-3)
