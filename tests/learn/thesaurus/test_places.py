"""Places, layouts and groups of contexts, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from roget.core.counts import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus, places
from roget.learn.thesaurus.neighbours import group_contexts


@st.composite
def trees(draw):
    n = draw(st.integers(1, 12))
    parents = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, n)]
    leaves = draw(st.permutations([node for node in range(n) if node not in set(parents)]))
    cluster = [leaves.index(node) if node in leaves else -1 for node in range(n)]
    return Tree(parents, [math.nan] * n, cluster)


@st.composite
def belongings(draw):
    """A tree, and memberships with many equal sides."""
    tree = draw(trees())
    k = tree.n_clusters
    row = st.lists(st.integers(0, 3), min_size=k, max_size=k).filter(any)
    # Whole numbers, whose sums are exact; where a word has its place is no matter of scale.
    return tree, np.array(draw(st.lists(row, min_size=1, max_size=6)), dtype=float)


def naive_place(row, tree):
    node = 0
    while below := tree.children(node):
        sums = [sum(row[tree.cluster[leaf]] for leaf in tree.leaves(child)) for child in below]
        node = below[max(range(len(below)), key=lambda at: (sums[at], -at))]
    return node


@given(belongings(), st.sampled_from([1, 7, 1 << 22]))
def test_the_larger_side_at_every_split(given, cells):
    tree, rows = given
    before = places.CELLS
    try:
        places.CELLS = cells  # few cells: some words at a time
        found = places.places_of(sparse.csr_array(rows), tree)
    finally:
        places.CELLS = before
    assert found.tolist() == [naive_place(row, tree) for row in rows]


def test_of_equal_sides_the_first():
    tree = Tree([-1, 0, 0, 1, 1], [math.nan] * 5, [-1, -1, 2, 1, 0])
    rows = np.array([[0.25, 0.25, 0.5], [0.2, 0.2, 0.6], [0.3, 0.3, 0.4], [1.0, 0.0, 0.0]])
    assert places.places_of(sparse.csr_array(rows), tree).tolist() == [3, 2, 3, 4]


def test_one_class_and_no_words():
    assert places.places_of(sparse.csr_array(np.ones((2, 1))), Tree()).tolist() == [0, 0]
    assert places.places_of(sparse.csr_array((0, 1)), Tree()).tolist() == []


@given(trees())
def test_a_layout_has_the_leaves_of_every_node(tree):
    layout = places.layout_of(tree)
    for node in range(tree.n_nodes):
        assert layout.below(node).tolist() == tree.leaves(node).tolist()


@pytest.mark.parametrize("few", [2, 48])
def test_groups_are_those_of_owners(few, monkeypatch):
    monkeypatch.setattr("roget.learn.thesaurus.neighbours.FEW", few)
    monkeypatch.setattr("roget.learn.thesaurus.neighbours.ALONE", 3)
    rng = np.random.default_rng(0)
    centroids = rng.dirichlet(np.ones(12), size=50)
    rank = rng.permutation(50)
    found = group_contexts(centroids, np.full(50, 0.02), rank)
    owners = rank[np.argmax(centroids, axis=0)]
    kinds = sorted(set(owners.tolist()))
    common = set(np.argsort(-centroids.sum(axis=0))[:3].tolist())
    # The commonest contexts are alone; of the others, owners that are neighbours share a group.
    halves = {kind: at * min(few, len(kinds)) // len(kinds) for at, kind in enumerate(kinds)}
    for a in range(12):
        for b in range(a):
            alike = not {a, b} & common and halves[int(owners[a])] == halves[int(owners[b])]
            assert (found[a] == found[b]) == alike
    assert sorted(set(found.tolist())) == list(range(max(found) + 1))


@pytest.mark.parametrize("by", ["both", "classes"])
def test_neighbours_are_those_of_all_words(by, monkeypatch):
    """Whatever the bounds leave out: the nearest of all distances."""
    rng = np.random.default_rng(1)
    tree = Tree()
    for at in range(19):
        tree = tree.split(int(rng.integers(tree.n_clusters)), float(at))
    counts = Counts(rng.poisson(0.6, (300, 40)) + np.eye(300, 40, dtype=int))
    memberships = rng.dirichlet(np.full(20, 0.1), 300)
    centroids = rng.dirichlet(np.full(40, 0.1), 20)
    thesaurus = Thesaurus(counts, tree, memberships, centroids, np.full(20, 0.05))
    for name, few in {"FEW": 4, "ALONE": 4, "LIKELY": 20, "FIRST": 8}.items():
        monkeypatch.setattr(f"roget.learn.thesaurus.neighbours.{name}", few)
    profiles = memberships @ centroids
    if by == "both":
        profiles = (profiles + counts.conditional().toarray()) / 2
    for row in range(0, 300, 37):
        right = sorted(
            (naive_divergence(profiles[row], profiles[other]), other)
            for other in range(300)
            if other != row
        )
        found = thesaurus.neighbours(str(row), 7, by)
        assert [one.word for one in found] == [str(other) for _, other in right[:7]]
        assert [one.distance for one in found] == pytest.approx([d for d, _ in right[:7]])


def naive_divergence(p, q):
    total = 0.0
    for a, b in zip(p, q, strict=True):
        total += sum(x * math.log(2 * x / (a + b)) for x in (a, b) if x > 0) / 2
    return total
