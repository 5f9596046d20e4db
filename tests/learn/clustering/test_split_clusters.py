"""Clusters that were split afterwards: a naive account of where words go, and folders of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.core.counts.views import to_dense
from roget.core.tree import Tree
from roget.learn.clustering.result import Clustering
from roget.learn.clustering.split_clusters import PRIOR, apply_splits, split_cluster


def clustering(seed, k=3, m=5, words=6):
    random = np.random.default_rng(seed)
    tree = Tree()
    for cluster in range(1, k):
        tree = tree.split(int(random.integers(cluster)), float(cluster))
    return Clustering(
        tree,
        random.dirichlet(np.ones(k), words),
        random.dirichlet(np.ones(m), k),
        random.dirichlet(np.ones(k)),
    )


def divided(seed, k=3, m=5):
    """A cluster split by any counts, then one of its sides again, joined to another cluster."""
    found, random = clustering(seed, k, m), np.random.default_rng(seed + 1)
    sides = random.poisson(2, (2, m)).astype(float)
    one = split_cluster(np.array([0]), to_dense(found.centroids)[0], float(found.mass[0]), sides)
    both = (found.mass[1] + one.mass[1]) or 1.0
    mean = (found.mass[1] * to_dense(found.centroids)[1] + one.mass[1] * one.centroids[1]) / both
    two = split_cluster(
        np.array([1, k + 1]), mean, float(both), random.poisson(2, (2, m)).astype(float)
    )
    parts = np.array([-1, -1, *range(k - 2), k - 2, -1, k - 1, k])
    tree = Tree.flat(k + 1)
    belongs = np.full((6, k + 1), 1 / (k + 1))
    return found, found.join(tree, parts, belongs, (one, two)), (one, two), parts


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_sides_follow_the_counts_and_their_mean_is_unchanged(seed, m):
    random = np.random.default_rng(seed)
    centroid, mass = random.dirichlet(np.ones(m)), float(random.random())
    sides = random.poisson(1, (2, m)).astype(float)
    made = split_cluster(np.array([3]), centroid, mass, sides)
    total = sides.sum()
    for side in (0, 1):
        usual = sides[side].sum() / total if total else 0.5
        parts = [
            centroid[v] * (sides[side, v] + PRIOR * usual) / (sides[:, v].sum() + PRIOR)
            for v in range(m)
        ]
        assert made.mass[side] == pytest.approx(mass * math.fsum(parts))
        if math.fsum(parts) > 0:
            assert made.centroids[side] == pytest.approx(np.array(parts) / math.fsum(parts))
    assert made.mass @ made.centroids == pytest.approx(mass * centroid)


@given(st.integers(0, 10**6))
def test_words_are_placed_on_the_likelier_side(seed):
    found, _, (one, two), _ = divided(seed)
    matrix = np.random.default_rng(seed).poisson(1, (4, 5)).astype(float)
    placed = apply_splits(to_dense(found.place(matrix)), matrix, (one, two))
    assert placed.sum(axis=1) == pytest.approx(1)
    for row, counts in enumerate(matrix):
        learnt = to_dense(found.place(matrix))[row]
        weights = [
            one.mass[side]
            * math.prod(max(one.centroids[side, v], 1e-300) ** n for v, n in enumerate(counts))
            for side in (0, 1)
        ]
        first = learnt[0] * weights[0] / sum(weights)
        assert placed[row, 3] == pytest.approx(first)
        assert placed[row, 5] + placed[row, 6] == pytest.approx(learnt[1] + learnt[0] - first)
        assert placed[row, [0, 1, 4]].tolist() == [0, 0, 0]


@given(st.integers(0, 10**6))
def test_split_clusters_are_consistent(tmp_path_factory, seed):
    found, made, (one, two), parts = divided(seed)
    matrix = np.random.default_rng(seed).poisson(1, (4, 5)).astype(float)
    placed = to_dense(made.place(matrix))
    assert placed.sum(axis=1) == pytest.approx(1)
    units = apply_splits(to_dense(found.place(matrix)), matrix, (one, two))
    for unit, cluster in enumerate(parts.tolist()):
        if cluster >= 0:
            assert placed[:, cluster] == pytest.approx(units[:, unit])
    assert made.mass.sum() == pytest.approx(found.mass.sum())
    assert made.mass @ to_dense(made.centroids) == pytest.approx(
        found.mass @ to_dense(found.centroids)
    )
    folder = tmp_path_factory.mktemp("divided") / "c"
    made.save(folder)
    again = Clustering.load(folder)
    assert to_dense(again.place(matrix)).tolist() == placed.tolist()
    # Joined once more, and asked among some clusters only.
    level = made.join(Tree.flat(2), np.array([0, 1, 0, 1]))
    sums = np.stack([placed[:, [0, 2]].sum(axis=1), placed[:, [1, 3]].sum(axis=1)], 1)
    assert to_dense(level.place(matrix)) == pytest.approx(sums)
    among = made.place_among(matrix, np.array([1, 3]))
    assert among == pytest.approx(placed[:, [1, 3]] / placed[:, [1, 3]].sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    "change",
    [
        {"parts": np.array([-1, -1, 0, 1, -1, 2, 4])},
        {"parts": np.array([-2, -1, 0, 1, -1, 2, 3])},
        {"parts": np.array([-1, -1, 0, 1, -1, 2])},
        {"parts": np.array([-1, -1, 0, 1, -1, 2, 3.0])},
        {"division0.clusters": np.array([3])},
        {"division1.clusters": np.array([-1])},
        {"division0.centroids": np.ones((2, 4))},
        {"division0.centroids": np.full((2, 5), np.nan)},
        {"division1.mass": np.ones(3)},
    ],
    ids=str,
)
def test_stored_splits_that_do_not_fit_are_refused(change):
    plain, arrays = divided(0)[1].to_parts()
    assert Clustering.from_parts(plain, arrays).divisions
    with pytest.raises(ValueError, match=next(iter(change)).partition(".")[2] or "parts"):
        Clustering.from_parts(plain, arrays | change)
