"""Maximum likelihood, Miller–Madow, and exact biases for small samples."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.scoring.entropy import LinearEstimator, entropy_of, get
from support.examples import few

WEIGHTS = st.lists(st.floats(0.01, 50), min_size=1, max_size=10)


def naive_ml(counts: Sequence[float]) -> float:
    total = math.fsum(counts)
    return -math.fsum(c / total * math.log(c / total) for c in counts if c > 0)


@few()
@given(WEIGHTS)
def test_ml_equals_entropy_of_frequencies(counts: list[float]) -> None:
    assert entropy_of(counts, "ml") == pytest.approx(naive_ml(counts), rel=1e-12, abs=1e-13)
    assert entropy_of(counts, "ml", support=100) == entropy_of(counts, "ml")


@few()
@given(WEIGHTS)
def test_miller_madow_adds_cells_minus_one_over_two_n(counts: list[float]) -> None:
    correction = (len(counts) - 1) / (2 * math.fsum(counts))
    expected = naive_ml(counts) + correction
    assert entropy_of(counts, "mm") == pytest.approx(expected, rel=1e-12, abs=1e-13)


@few()
@given(WEIGHTS, st.integers(0, 90))
def test_miller_madow_with_a_support(counts: list[float], unseen: int) -> None:
    support = len(counts) + unseen
    expected = naive_ml(counts) + (support - 1) / (2 * math.fsum(counts))
    assert entropy_of(counts, "mm", support=support) == pytest.approx(expected, rel=1e-12)


def exact_bias(name: str, p: Sequence[float], n: int) -> float:
    """E[Ĥ] − H: the counts of each cell are binomial, and the estimator is linear in them."""
    estimator = get(name)
    assert isinstance(estimator, LinearEstimator)
    j = np.arange(1, n + 1)
    a = estimator.coefficients(j, n, len(p))
    expected = sum(
        math.comb(n, i) * x**i * (1 - x) ** (n - i) * a[i - 1] for x in p for i in range(1, n + 1)
    )
    return float(expected) - naive_ml(p)


@pytest.mark.parametrize(
    ("slope", "published"),
    [
        (0, (-0.533, -0.258, -0.039)),
        (1, (-0.479, -0.257, -0.089)),
        (2, (-0.329, -0.207, -0.114)),
        (3, (-0.187, -0.126, -0.078)),
        (4, (-0.107, -0.076, -0.049)),
    ],
)
def test_exact_biases_of_ten_items_in_ten_cells(
    slope: int, published: tuple[float, float, float]
) -> None:
    weights = [rank**-slope for rank in range(1, 11)]
    p = [weight / sum(weights) for weight in weights]
    found = [exact_bias(name, p, 10) for name in ("ml", "mm", "jk")]
    assert found == pytest.approx(published, abs=5e-4)
