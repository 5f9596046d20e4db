"""The published numbers, where they are not misprints; PAPER says which table or figure."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from roget import Contingency, contingency
from roget.scoring.tables.baselines import make_baselines


def circulant(row):
    return np.array([np.roll(row, i) for i in range(len(row))])


CORE = circulant([3, 2, 0])
MIXED = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
SINGLETONS = np.repeat(np.eye(3, dtype=int), 2, axis=1)

FIGURE_2 = {
    "A": (circulant([3, 1, 1]), 0.6, 0.1350),
    "B": (CORE, 0.6, 0.3874),
    "C": (np.hstack([CORE, MIXED]), 0.5, 0.3004),
    "D": (np.hstack([CORE, SINGLETONS]), 0.5, 0.4128),
}


@pytest.mark.parametrize("solution", FIGURE_2)
def test_problem_of_matching_is_reproduced(solution):
    """Rosenberg & Hirschberg, Figure 2: F cannot tell A from B or C from D, V can."""
    table, f, v = FIGURE_2[solution]
    scored = Contingency.from_table(table)
    assert scored.measure("f") == pytest.approx(f, abs=5e-5)
    assert scored.measure("v") == pytest.approx(v, abs=5e-5)


def dom(useful_classes, useful_clusters, noise_classes, noise_clusters, e1, e2, e3):
    """Dom's parametric solutions as a table of probabilities (classes as rows)."""
    classes, clusters = useful_classes + noise_classes, useful_clusters + noise_clusters
    table = np.zeros((classes, clusters))
    matches = max(useful_classes, useful_clusters)
    matched = np.zeros((useful_classes, useful_clusters), dtype=bool)
    for i in range(matches):
        matched[i * useful_classes // matches, i * useful_clusters // matches] = True
    useful = table[:useful_classes, :useful_clusters]
    useful[matched] = (1 - e1 - e2 - e3) / matches
    rest = int((~matched).sum())
    if rest:
        useful[~matched] = e1 / rest
    if noise_clusters:
        table[:useful_classes, useful_clusters:] = e2 / (useful_classes * noise_clusters)
    if noise_classes:
        table[useful_classes:, :useful_clusters] = e3 / (noise_classes * useful_clusters)
    return table


def test_dom_example_is_reproduced():
    """Figure 3: the example solution of 60 items."""
    table = np.rint(60 * dom(3, 2, 1, 1, 0.1, 0.2, 0.1)).astype(int)
    assert table.T.tolist() == [[12, 12, 2, 3], [2, 2, 12, 3], [4, 4, 4, 0]]


USEFUL_CLUSTERS = range(2, 12)
NOISE = (0, 1, 3, 6)
ERRORS = ((0, 0.033, 0.066, 0.1), (0, 0.066, 0.133, 0.2), (0, 0.066, 0.133, 0.2))


@pytest.fixture(scope="module")
def grid():
    """V, VI and Q0 over the paper's grid (every |Ku| and error, four of seven noise sizes).

    Axes: useful clusters, noise clusters, noise classes, ε1, ε2, ε3. Higher is better. Error mass
    that has no noise cluster or class to go to stays with the matches.
    """
    axes = (USEFUL_CLUSTERS, NOISE, NOISE, *ERRORS)
    scores = {name: np.empty([len(axis) for axis in axes]) for name in ("v", "vi", "q0")}
    places = product(*(range(len(axis)) for axis in axes))
    for at, (ku, kn, cn, e1, e2, e3) in zip(places, product(*axes), strict=True):
        solution = dom(5, ku, cn, kn, e1, e2 if kn else 0, e3 if cn else 0)
        table = Contingency.from_table(1000 * solution)
        for name, values in scores.items():
            values[at] = table.measure(name) * (1 if name == "v" else -1)
    return scores


def gains(grid, name, axis):
    """What each step along one axis is worth, with that axis first."""
    return np.moveaxis(np.diff(grid[name], axis=axis), axis, 0)


@pytest.mark.parametrize("name", ["v", "vi", "q0"])
def test_desirable_properties_hold(grid, name):
    """Table 2: V, VI and Q0 satisfy P1 to P7 under all conditions, |C| = 5."""
    useful = gains(grid, name, 0)
    for k, gain in zip(USEFUL_CLUSTERS, useful, strict=False):
        if k < 5 and k <= 5 - k:
            assert (gain > 0).all(), "P1: more useful clusters help below the number of classes"
        if k >= 5:
            assert (gain < 0).all(), "P2: and hurt beyond it"
    assert (gains(grid, name, 1)[..., 1:, :] < 0).all(), "P3: noise clusters hurt, if ε2 > 0"
    assert (gains(grid, name, 2)[..., 1:] < 0).all(), "P6: noise classes hurt, if ε3 > 0"
    assert (gains(grid, name, 3) < 0).all(), "P4: ε1 hurts"
    assert (gains(grid, name, 4)[:, :, 1:] < 0).all(), "P5: ε2 hurts where there is noise"
    assert (gains(grid, name, 4)[:, :, 0] == 0).all()
    assert (gains(grid, name, 5)[:, :, :, 1:] < 0).all(), "P7: ε3 hurts where there is noise"
    assert (gains(grid, name, 5)[:, :, :, 0] == 0).all()


@pytest.mark.parametrize(("clusters", "v"), [(2, 0.014), (10, 0.089), (50, 0.285)])
def test_plain_v_rewards_random_clusters(clusters, v):
    """Random labels for 100 items of four classes: the more clusters, the better plain V."""
    random = np.random.default_rng(0)
    draws = [
        contingency(random.integers(0, 4, 100), random.integers(0, clusters, 100))
        for _ in range(300)
    ]
    assert np.mean([draw.measure("v") for draw in draws]) == pytest.approx(v, abs=0.005)
    assert np.mean([draw.measure("ami") for draw in draws]) == pytest.approx(0, abs=0.005)


def test_plain_v_rewards_singletons():
    alone = make_baselines(contingency(np.arange(100) % 4, np.zeros(100, dtype=int)))[
        "one per item"
    ]
    assert alone.measure("v") == pytest.approx(0.459, abs=0.005)
    assert alone.measure("ami") == 0
