from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.core.tree import Tree
from support.errors import refused


def grown(seed: int, splits: int) -> tuple[Tree, list[list[int]]]:
    """A random tree, and the partition of final clusters at every stage, kept the slow way."""
    rng = random.Random(seed)
    tree = Tree()
    merges = []
    for step in range(splits):
        cluster = rng.randrange(tree.n_clusters)
        merges.append((cluster, tree.n_clusters))
        tree = tree.split(cluster, 1.0 + step)
    stages = [list(range(splits + 1))]
    for cluster, new in reversed(merges):
        stages.append([cluster if label == new else label for label in stages[-1]])
    return tree, stages[::-1]


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_cut_undoes_later_splits(seed: int, splits: int) -> None:
    tree, stages = grown(seed, splits)
    for k, stage in enumerate(stages, start=1):
        cut = tree.cut(k)
        assert len(set(cut.tolist())) == k
        same = np.equal.outer(cut, cut)
        assert np.array_equal(same, np.equal.outer(np.array(stage), np.array(stage)))


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_json_roundtrip_preserves_structure(seed: int, splits: int) -> None:
    tree, _ = grown(seed, splits)
    assert Tree.from_json(tree.to_json()) == tree
    assert hash(Tree.from_json(tree.to_json())) == hash(tree)
    assert sorted(tree.cluster[tree.leaves()].tolist()) == list(range(splits + 1))
    for node in range(tree.n_nodes):
        below = tree.children(node)
        assert all(tree.parent[child] == node for child in below)
        assert math.isnan(tree.value[node]) == (not below)
        path = tree.path(node)
        assert path[0] == 0
        assert path[-1] == node
        assert tree.depth(node) == len(path) - 1
        together = sorted(leaf for child in below for leaf in tree.leaves(child)) or [node]
        assert tree.leaves(node).tolist() == together


def test_nodes_may_have_more_than_two_children() -> None:
    tree = Tree().split(0, 2.0, into=3).split(1, 1.0)
    assert tree.children(0) == (1, 2, 3)
    assert tree.cut(3).tolist() == [0, 1, 2, 1]
    assert set(tree.cut(2).tolist()) == {0}


def test_tree_arrays_are_read_only() -> None:
    tree = Tree()
    with pytest.raises(ValueError, match="read-only"):
        tree.parent[0] = 3


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_derived_arrays_equal_their_definitions(seed: int, splits: int) -> None:
    tree, _ = grown(seed, splits)
    nodes = range(tree.n_nodes)
    assert tree.depths.tolist() == [len(tree.path(node)) - 1 for node in nodes]
    assert tree.n_children.tolist() == [len(tree.children(node)) for node in nodes]
    assert [tree.leaf(cluster) for cluster in range(splits + 1)] == tree.cluster_nodes.tolist()
    assert [node for node in tree.walk() if not tree.children(node)] == tree.layout.nodes.tolist()
    counts = tree.sum_up((tree.cluster >= 0).astype(np.int64))
    for node in nodes:
        below = tree.leaves(node).tolist()
        assert counts[node] == len(below)
        assert tree.layout.below(node).tolist() == below
        assert tree.lowest_clusters[node] == tree.cluster[below].min()
        assert tree.heights[node] == max(tree.depth(leaf) for leaf in below) - tree.depth(node)
    assert sorted(node for level in tree.levels for node in level.tolist()) == list(nodes)


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_find_lowest_returns_last_common_node_of_two_paths(seed: int, splits: int) -> None:
    tree, _ = grown(seed, splits)
    layout = tree.layout
    begin, end = np.triu_indices(splits + 1, 1)
    for a, b, lowest in zip(begin, end, layout.find_lowest(begin, end), strict=True):
        paths = (tree.path(int(layout.nodes[place])) for place in (a, b))
        assert lowest == [one for one, other in zip(*paths, strict=False) if one == other][-1]


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_explicit_order_of_splits_determines_cuts(seed: int, splits: int) -> None:
    tree, stages = grown(seed, splits)
    # The same nodes under other numbers, with the old order of splits passed explicitly.
    renumbered = list(tree.walk())
    number = np.argsort(renumbered)
    other = Tree(
        [-1, *number[tree.parent[renumbered[1:]]]],
        cluster=tree.cluster[renumbered],
        order=number[tree.order],
    )
    for k in range(1, len(stages) + 1):
        assert other.cut(k).tolist() == tree.cut(k).tolist()
        assert {renumbered[node] for node in other.cut_nodes(k)} == set(tree.cut_nodes(k).tolist())


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        (([-1, 0], [1.0], [0, 1]), "length-mismatch"),
        (([], [], []), "not-a-tree"),
        (([-1, 2, 0], [1.0] * 3, [-1, 0, 1]), "not-a-tree"),
        (([0], [1.0], [0]), "not-a-tree"),
        (([-1, 0, 0], [1.0] * 3, [-1, 0, 2]), "not-a-tree"),
        (([-1, 0, 0], [1.0] * 3, [0, 1, 2]), "not-a-tree"),
        (([-1, 0, 0], None, None, [1]), "not-a-tree"),
    ],
)
def test_broken_trees_are_refused(parts: tuple[Any, ...], code: str) -> None:
    with refused(code):
        Tree(*parts)


def test_unknown_nodes_and_clusters_are_refused() -> None:
    tree = Tree().split(0, 1.0)
    with refused("invalid-option", 3):
        tree.cut(3)
    with refused("unknown-name", 9):
        tree.path(9)
    with refused("unknown-name", 5):
        tree.split(5, 1.0)
    with refused("not-a-tree"):
        Tree.from_json({"parent": [-1]})
