"""The tree over classes: merges that cost least, and levels that cuts give back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.learn.clustering.spherical import levels
from support.errors import refused


def naive(centres: np.ndarray, weights: np.ndarray) -> list[float]:
    """What the merges cost, all pairs looked at each time."""
    sets = [([at], weight) for at, weight in enumerate(weights)]
    costs = []
    while len(sets) > 1:
        best = None
        for i in range(len(sets)):
            for j in range(i):
                (a, m), (b, n) = sets[i], sets[j]
                one, two = (np.average(centres[s], axis=0, weights=weights[s]) for s in (a, b))
                cost = m * n / (m + n) * float(np.sum((one - two) ** 2))
                if best is None or cost < best[0]:
                    best = cost, i, j
        assert best is not None
        cost, i, j = best
        sets[j] = (sets[j][0] + sets[i][0], sets[j][1] + sets[i][1])
        del sets[i]
        costs.append(cost)
    return costs


@given(st.integers(2, 14), st.integers(0, 50))
def test_merge_costs_equal_those_of_all_pairs(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    centres, weights = rng.normal(size=(n, 4)).astype(np.float32), rng.uniform(1, 5, n)
    found = [cost for _, _, cost in levels.merge(centres, weights)]
    np.testing.assert_allclose(found, naive(centres.astype(float), weights), rtol=1e-4)


@given(st.integers(2, 70), st.integers(0, 20))
def test_cut_at_a_level_is_that_level_and_refines_the_one_above(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(k, 6)).astype(np.float32)
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    sizes = levels.choose_levels(k)
    tree, number = levels.grow(centres, rng.integers(1, 40, k), sizes, lambda: None)
    assert tree.n_clusters == k
    assert np.sort(number).tolist() == list(range(k))
    cuts = [tree.cut(size) for size in sizes]
    for above, below in pairwise(cuts):
        assert len({(a, b) for a, b in zip(above, below, strict=True)}) == len(set(below.tolist()))


def test_planted_families_are_the_first_level() -> None:
    rng = np.random.default_rng(3)
    family = np.arange(48) % 3
    centres = np.eye(3, 10)[family] + 0.15 * rng.normal(size=(48, 10))
    centres = (centres / np.linalg.norm(centres, axis=1, keepdims=True)).astype(np.float32)
    tree, number = levels.grow(centres, np.full(48, 9), (3, 48), lambda: None)
    found = tree.cut(3)[number]
    assert len({(a, b) for a, b in zip(found.tolist(), family.tolist(), strict=True)}) == 3


@pytest.mark.parametrize("wrong", ["8,x", "64,8", "0,8", "8,8", [], 5])
def test_invalid_levels_are_refused(wrong: object) -> None:
    with refused("invalid-option", "levels"):
        levels.read_levels(wrong, None)


def test_number_of_classes_is_the_last_level() -> None:
    assert levels.read_levels("8,64", None) == (8, 64)
    assert levels.read_levels([8, 64], 512) == (8, 64, 512)
    assert levels.read_levels("auto", 512) is None
