"""The published numbers, where they are not misprints; PAPER says which table or figure."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from roget import Contingency


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
def test_problem_of_matching(solution):
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


def test_dom_example():
    """Figure 3: the example solution of 60 items."""
    table = np.rint(60 * dom(3, 2, 1, 1, 0.1, 0.2, 0.1)).astype(int)
    assert table.T.tolist() == [[12, 12, 2, 3], [2, 2, 12, 3], [4, 4, 4, 0]]


ERRORS = {"e1": (0, 0.033, 0.066, 0.1), "e2": (0, 0.066, 0.133, 0.2), "e3": (0, 0.066, 0.133, 0.2)}


def better(measure, a, b):
    """How much better table a scores than table b, as fractions of one item's worth."""
    higher = measure == "v"
    left, right = (Contingency.from_table(table).measure(measure) for table in (a, b))
    return (left - right) * (1 if higher else -1)


@pytest.mark.parametrize("measure", ["v", "vi"])
@pytest.mark.parametrize("prop", ["P3", "P4", "P5", "P6", "P7"])
def test_desirable_properties(prop, measure):
    """Table 2: V and VI satisfy the properties; a sample of the paper's grid, |C| = 5."""
    seen = 0
    for clusters in (2, 4, 5, 8, 11):
        for noise in (1, 3):
            base = {"e1": 0.066, "e2": 0.133, "e3": 0.066}
            sizes = [5, clusters, noise, noise]
            if prop in ("P3", "P6"):
                at = 3 if prop == "P3" else 2
                more = sizes.copy()
                more[at] += 1
                assert better(measure, dom(*sizes, **base), dom(*more, **base)) > 0
                seen += 1
                continue
            error = {"P4": "e1", "P5": "e2", "P7": "e3"}[prop]
            for low, high in zip(ERRORS[error], ERRORS[error][1:], strict=False):
                less, more_error = {**base, error: low}, {**base, error: high}
                assert better(measure, dom(*sizes, **less), dom(*sizes, **more_error)) > 0
                seen += 1
    assert seen >= 10


@pytest.mark.parametrize("measure", ["v", "vi"])
def test_useful_clusters(measure):
    """P1 and P2: more useful clusters help up to the number of classes, and hurt beyond it."""
    scores = [dom(5, k, 1, 1, 0.066, 0.133, 0.066) for k in range(2, 12)]
    for k, (a, b) in enumerate(pairwise(scores), start=2):
        if k >= 5:
            assert better(measure, a, b) > 0, k
        elif k <= 5 - k:
            assert better(measure, b, a) > 0, k


SOLUTION_R = circulant([7, 1, 1, 1, 0, 0, 0, 0, 0, 0])


def test_singletons_of_reichart_and_rappoport():
    """Table 1: 100 items in 10 classes of 10, each a cluster of its own."""
    table = Contingency.from_table(np.repeat(np.eye(10, dtype=int), 10, axis=1))
    assert table.measure("v") == pytest.approx(0.667, abs=5e-4)
    assert table.measure("vi") == pytest.approx(2.303, abs=5e-4)
    assert table.measure("nvi") == pytest.approx(1, abs=1e-12)
    assert table.measure("nvi-k") == pytest.approx(0.5, abs=1e-12)


def test_solution_r():
    """Table 1, solution R; its printed V of .587 does not fit its own VI."""
    table = Contingency.from_table(SOLUTION_R)
    assert table.measure("vi") == pytest.approx(1.881, abs=5e-4)
    assert table.measure("nvi") == pytest.approx(0.8169, abs=5e-5)
    assert table.measure("nvi-k") == pytest.approx(0.8169, abs=5e-5)
    assert table.measure("v") == pytest.approx(0.5916, abs=5e-5)


def test_no_knowledge():
    """The other extreme: V = 0, VI = H(C) + H(K), NVI = 1 + H(K)/H(C)."""
    table = Contingency.from_table(np.ones((4, 8), dtype=int))
    assert table.measure("v") == pytest.approx(0, abs=1e-12)
    assert table.measure("vi") == pytest.approx(math.log(32))
    assert table.measure("nvi") == pytest.approx(1 + math.log(8) / math.log(4))
