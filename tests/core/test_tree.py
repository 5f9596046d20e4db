from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.core.tree import Tree
from roget.errors import InputError


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
def test_cut_undoes_the_later_splits(seed: int, splits: int) -> None:
    tree, stages = grown(seed, splits)
    for k, stage in enumerate(stages, start=1):
        cut = tree.cut(k)
        assert len(set(cut.tolist())) == k
        same = np.equal.outer(cut, cut)
        assert np.array_equal(same, np.equal.outer(np.array(stage), np.array(stage)))


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_json_and_structure(seed: int, splits: int) -> None:
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


def test_more_than_two_children() -> None:
    tree = Tree().split(0, 2.0, into=3).split(1, 1.0)
    assert tree.children(0) == (1, 2, 3)
    assert tree.cut(3).tolist() == [0, 1, 2, 1]
    assert set(tree.cut(2).tolist()) == {0}


def test_nothing_can_be_changed() -> None:
    tree = Tree()
    with pytest.raises(ValueError, match="read-only"):
        tree.parent[0] = 3


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (([-1, 0], [1.0], [0, 1]), "one parent, value and cluster"),
        (([], [], []), "one parent, value and cluster"),
        (([-1, 2, 0], [1.0] * 3, [-1, 0, 1]), "parent is before its child"),
        (([0], [1.0], [0]), "first node is its root"),
        (([-1, 0, 0], [1.0] * 3, [-1, 0, 2]), "numbered from 0"),
        (([-1, 0, 0], [1.0] * 3, [0, 1, 2]), "numbered from 0"),
    ],
)
def test_broken_trees_are_refused(
    parts: tuple[list[int], list[float], list[int]], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        Tree(*parts)


def test_unknown_places_are_named() -> None:
    tree = Tree().split(0, 1.0)
    for wrong in (lambda: tree.cut(3), lambda: tree.path(9), lambda: tree.split(5, 1.0)):
        with pytest.raises(InputError):
            wrong()
    with pytest.raises(InputError, match="not a tree"):
        Tree.from_json({"parent": [-1]})
