"""Centroids and code lengths of new words against naive code."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln

from roget.core.tree import Tree
from roget.learn.clustering.mdl import kernels, options
from roget.learn.clustering.mdl.criteria import MergeGain, frequencies, shrink
from roget.learn.clustering.memberships import one_hot
from roget.learn.clustering.result import posterior


def test_clusters_are_smoothed_by_their_parents() -> None:
    tree = Tree().split(0, 3.0).split(0, 2.0).split(1, 1.0)
    counts = np.random.default_rng(0).poisson(2, size=(4, 5)).astype(float)
    base, weight = np.full(5, 0.2), 7.0

    def told(node: int) -> np.ndarray:
        above = told(int(tree.parent[node])) if node else base
        mine = counts[tree.cluster[tree.leaves(node)]].sum(axis=0)
        return (mine + weight * above) / (mine.sum() + weight)

    found = shrink(sparse.csr_array(counts), tree, base, weight)
    for cluster in range(4):
        assert found[cluster] == pytest.approx(told(tree.leaf(cluster)))
    assert base.tolist() == [0.2] * 5
    alone = shrink(sparse.csr_array(counts[:1]), Tree(), base, weight)
    assert alone[0] == pytest.approx((counts[0] + weight * base) / (counts[0].sum() + weight))


def test_relative_frequencies_and_memberships() -> None:
    assert frequencies(sparse.csr_array([[1.0, 3.0]])).tolist() == [[0.25, 0.75]]
    assert one_hot(np.array([1, 0]), 3).toarray().tolist() == [[0, 1, 0], [1, 0, 0]]


@pytest.mark.parametrize("criterion", options.CRITERIA)
def test_joining_costs_the_growth_of_the_length(criterion: str) -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(3, size=(3, 6)) + 1.0
    sizes, tokens = np.array([4.0, 2.0, 9.0]), counts.sum(axis=1)
    new = rng.poisson(1, size=(5, 6)).astype(float)
    new[4] = 0
    weight = 11.0
    extra = weight * np.full(6, 1 / 6) if criterion == "dirichlet" else np.zeros(6)
    centroids = (counts + extra) / (tokens + extra.sum())[:, None]
    rule = MergeGain(criterion, "mdl", weight, 6, tokens, sizes)
    found = rule.code_lengths(sparse.csr_array(new), centroids)

    def length(row: np.ndarray, size: float) -> float:
        n = row.sum()
        if criterion == "dirichlet":
            held = row + extra
            return float(gammaln(held.sum()) - gammaln(held).sum())
        plain = -np.sum(row * np.log(row))
        if criterion == "li-abe":
            return float(plain + n * np.log(size))
        return float(plain + n * np.log(n)) + (
            kernels.regret(n, 6.0) if criterion == "nml" else 0.0
        )

    for r, row in enumerate(new):
        for c in range(3):
            expected = length(counts[c] + row, sizes[c] + 1) - length(counts[c], sizes[c])
            assert found[r, c] == pytest.approx(expected if row.any() else 0.0)


def test_posteriors() -> None:
    mass = np.array([0.25, 0.75])
    assert posterior(np.zeros((1, 2)), mass)[0] == pytest.approx(mass)
    assert posterior(np.array([[0.0, np.log(3)]]), mass)[0] == pytest.approx([0.5, 0.5])
    assert posterior(np.array([[1e5, 2e5]]), mass)[0] == pytest.approx([1.0, 0.0])
