"""Expected cells of a random table against exact enumeration and scikit-learn."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln

from roget.scoring.entropy import Histogram
from roget.scoring.tables import hypergeometric
from roget.scoring.tables.hypergeometric import expected_cells
from roget.scoring.tables.records import Sizes
from support.examples import few


def exact(gold, system):
    """E[number of cells that hold x], x = 0, 1, …, from exact whole numbers."""
    n = sum(gold)
    expected = [0.0] * (n + 1)
    for a, b in product(gold, system):
        x = max(0, a + b - n)
        ways, all_ways = math.comb(a, x) * math.comb(n - a, b - x), math.comb(n, b)
        while x <= min(a, b):
            expected[x] += ways / all_ways
            ways = ways * (a - x) * (b - x) // ((x + 1) * (n - a - b + x + 1))
            x += 1
    return expected


def computed(gold, system):
    sides = (Histogram.from_counts(np.array(side)) for side in (gold, system))
    cells = expected_cells(Sizes(*sides, sum(gold)))
    return cells.counts, cells.cells


def mean_of(function, gold, system):
    counts, weights = computed(gold, system)
    return float(np.dot(function(counts), weights))


def xlogx(x):
    return x * np.log(x)


sizes = st.lists(st.integers(1, 40), min_size=1, max_size=6)


@few()
@given(sizes, st.data())
def test_expected_cells_equal_enumeration_for_small_tables(gold, data):
    n = sum(gold)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(1, n - 1)), max_size=5)))
    system = [b - a for a, b in zip([0, *cuts], [*cuts, n], strict=True) if b > a]
    expected = exact(gold, system)
    counts, weights = computed(gold, system)
    got = np.bincount(counts.astype(int), weights, minlength=n + 1)
    np.testing.assert_allclose(got[1:], expected[1:], atol=1e-13)
    assert got[0] == 0


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        ([3000, 2000, 1000], [2500, 2500, 1000]),
        ([1500, 1500], [1700, 1300]),
        ([900] * 4, [1800] * 2),
    ],
)
def test_integrated_cells_equal_enumeration(gold, system):
    """For cells wide enough for quadrature, the entropy is accurate to 1e-12 per item."""
    n = sum(gold)
    expected = sum(p * x * math.log(x) for x, p in enumerate(exact(gold, system)) if x)
    assert mean_of(xlogx, gold, system) / n == pytest.approx(expected / n, abs=1e-12)


def test_summed_and_integrated_cells_agree(monkeypatch):
    """Compare summation with integration of the same cells."""
    gold, system = [5000, 3000, 2000], [4000, 3500, 2500]
    smooth = mean_of(xlogx, gold, system)
    monkeypatch.setattr(hypergeometric, "SMOOTH_VARIANCE", math.inf)
    summed = mean_of(xlogx, gold, system)
    assert smooth == pytest.approx(summed, rel=1e-14)


@pytest.mark.parametrize(("n", "k"), [(2000, 30), (20000, 50), (5000, 1000), (100000, 12)])
def test_expected_information_equals_scikit_learn(n, k):
    from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

    random = np.random.default_rng(n)
    gold, system = random.integers(0, k, n), random.zipf(1.7, n) % k
    peer = expected_mutual_information(contingency_matrix(gold, system, sparse=True), n)
    a, b = (np.unique(labels, return_counts=True)[1] for labels in (gold, system))
    ours = (mean_of(xlogx, a, b) - xlogx(a).sum() - xlogx(b).sum()) / n + math.log(n)
    assert ours == pytest.approx(peer, abs=1e-10)


def test_expected_cells_conserve_probability_and_items():
    """Expected cells preserve total probability and the number of items."""
    random = np.random.default_rng(3)
    for n, k in [(10**4, 7), (10**6, 50), (10**6, 3000)]:
        a, b = (np.bincount(random.zipf(1.5, n) % k) for _ in range(2))
        a, b = a[a > 0], b[b > 0]
        counts, weights = computed(a, b)
        # P(x = 0) = (n − a)!·(n − b)!/(n!·(n − a − b)!)
        pairs = [one.ravel() for one in np.meshgrid(a, b)]
        left = n - pairs[0] - pairs[1]
        logs = sum(gammaln(n - one + 1) for one in pairs) - gammaln(n + 1)
        empty = np.exp((logs - gammaln(np.maximum(left, 0) + 1))[left >= 0]).sum()
        assert weights.sum() + empty == pytest.approx(a.size * b.size, rel=1e-7)
        assert np.dot(counts, weights) == pytest.approx(n, rel=1e-12)


def test_expected_information_is_exact_for_trillions_of_items():
    """Two classes and two clusters of 10^12 items: E[I] → (|C|−1)(|K|−1)/2N."""
    half = 10**12 // 2
    gold, system = [half, half], [7 * 10**11, 3 * 10**11]
    counts, weights = computed(gold, system)
    n = 10**12
    information = (
        float(np.dot(weights, (counts / n) * np.log(counts / n)))
        - 2 * 0.5 * math.log(0.5)
        - (0.7 * math.log(0.7) + 0.3 * math.log(0.3))
    )
    assert weights.sum() == pytest.approx(4)
    assert information == pytest.approx(1 / (2 * n), abs=1e-15)


def test_narrow_cells_of_huge_counts_are_binomial():
    """All but five of 10^12 items are in one class: counts are huge but hardly vary."""
    n = 10**12
    gold, system = [n - 5, 5], [n // 2, n // 2]
    counts, weights = computed(gold, system)
    binomial = [math.comb(5, x) / 2**5 for x in range(6)]
    small = np.bincount(counts[counts < 10].astype(int), weights[counts < 10])
    np.testing.assert_allclose(small[1:], 2 * np.array(binomial[1:]), rtol=1e-10)
    assert np.dot(counts, weights) == pytest.approx(n, rel=1e-14)
    assert weights.sum() == pytest.approx(4 - 2 * binomial[0])
