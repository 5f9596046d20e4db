"""Counts of weighted items against the full textbook recursion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.scoring.tables.poisson_binomial import expected_cells
from support.examples import few

weights = st.one_of(st.sampled_from([0.0, 1.0, 0.5, 1e-12, 1 - 1e-12]), st.floats(0, 1))
cells = st.lists(st.lists(weights, max_size=40), min_size=1, max_size=6)


def full(probabilities):
    """P(j) for j = 0 … n, no window, one item at a time."""
    mass = np.array([1.0])
    for p in probabilities:
        mass = np.append(mass * (1 - p), 0) + np.append(0, mass * p)
    return mass


def fitted(mass, size):
    """Windows may run past the last possible count: nothing but rounding may stand there."""
    np.testing.assert_allclose(mass[size:], 0, atol=1e-15)
    return np.pad(mass[:size], (0, max(0, size - mass.size)))


def by_hand(groups):
    total = np.zeros(max(map(len, groups)) + 1)
    for group in groups:
        total[: len(group) + 1] += full(group)
    return total


def computed(groups):
    starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])])
    flat = np.array([p for group in groups for p in group], dtype=float)
    got, same = expected_cells(flat, starts)
    np.testing.assert_allclose(got, same, atol=1e-13)
    return fitted(got, max(map(len, groups)) + 1)


@few()
@given(cells)
def test_poisson_binomial_equals_full_recursion(groups):
    np.testing.assert_allclose(computed(groups), by_hand(groups), atol=1e-14)


@pytest.mark.parametrize("sizes", [[1000], [17, 16, 15, 1], [3000, 5, 700], [257] * 9])
@pytest.mark.parametrize("power", [1, 6])
def test_poisson_binomial_of_long_cells_equals_full_recursion(sizes, power):
    random = np.random.default_rng(sum(sizes) + power)
    groups = [random.random(size) ** power for size in sizes]
    np.testing.assert_allclose(computed(groups), by_hand(groups), atol=1e-13)


@few()
@given(cells)
def test_poisson_binomial_conserves_probability_and_items(groups):
    got = computed(groups)
    assert got.sum() == pytest.approx(len(groups))
    assert np.dot(np.arange(got.size), got) == pytest.approx(sum(map(sum, groups)), abs=1e-10)


def test_poisson_binomial_does_not_depend_on_batch_size(monkeypatch):
    from roget.scoring.tables import poisson_binomial

    groups = [np.linspace(0.1, 0.9, 50)] * 20
    whole = computed(groups)
    monkeypatch.setattr(poisson_binomial, "_ITEMS", 64)
    np.testing.assert_allclose(computed(groups), whole, atol=1e-13)


@few()
@given(cells, st.data())
def test_coarser_cells_are_unions_of_finer_ones(groups, data):
    cuts = data.draw(st.lists(st.booleans(), min_size=len(groups), max_size=len(groups)))
    coarse = np.cumsum(cuts)
    united = [
        [p for group, at in zip(groups, coarse, strict=True) if at == number for p in group]
        for number in dict.fromkeys(coarse.tolist())
    ]
    starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])])
    flat = np.array([p for group in groups for p in group], dtype=float)
    _, got = expected_cells(flat, starts, coarse)
    expected = by_hand(united)
    np.testing.assert_allclose(fitted(got, expected.size), expected, atol=1e-14)


def test_poisson_binomial_of_equal_probabilities_is_binomial():
    n = 5000
    got = computed([np.full(n, 0.5)])
    exact = [math.exp(math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
                      - n * math.log(2)) for j in range(2300, 2700)]  # fmt: skip
    np.testing.assert_allclose(got[2300:2700], exact, atol=1e-15)
