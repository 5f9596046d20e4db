"""Places, layouts and groups of contexts against their definitions."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from roget.core.tree import Tree
from roget.learn.clustering import memberships


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
def test_assign_leaves_follows_the_larger_side_of_every_split(given, cells):
    tree, rows = given
    before = memberships.CELLS
    try:
        memberships.CELLS = cells  # few cells: some words at a time
        found = memberships.assign_leaves(sparse.csr_array(rows), tree)
    finally:
        memberships.CELLS = before
    assert found.tolist() == [naive_place(row, tree) for row in rows]


def test_assign_leaves_resolves_ties_to_the_first_side():
    tree = Tree([-1, 0, 0, 1, 1], [math.nan] * 5, [-1, -1, 2, 1, 0])
    rows = np.array([[0.25, 0.25, 0.5], [0.2, 0.2, 0.6], [0.3, 0.3, 0.4], [1.0, 0.0, 0.0]])
    assert memberships.assign_leaves(sparse.csr_array(rows), tree).tolist() == [3, 2, 3, 4]


def test_assign_leaves_handles_one_class_and_no_words():
    assert memberships.assign_leaves(sparse.csr_array(np.ones((2, 1))), Tree()).tolist() == [0, 0]
    assert memberships.assign_leaves(sparse.csr_array((0, 1)), Tree()).tolist() == []


@given(trees())
def test_layout_has_the_leaves_of_every_node(tree):
    layout = tree.layout
    for node in range(tree.n_nodes):
        assert layout.below(node).tolist() == tree.leaves(node).tolist()
