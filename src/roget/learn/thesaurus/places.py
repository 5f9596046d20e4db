"""Where in a tree words are: their leaf, and the classes that a cut of the tree leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.tree import Ints, Tree
from roget.errors import InputError

CELLS = 1 << 22
"""Cells of a dense table worked on at a time."""


def parts(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows that make tables of at most `CELLS` cells."""
    step = max(1, CELLS // max(columns, 1))
    for begin in range(0, rows, step):
        yield slice(begin, min(begin + step, rows))


def places_of(memberships: Any, tree: Tree) -> Ints:
    """The leaf of each word: from the root, at every split, the side to which it belongs more."""
    above = _ancestry(tree)
    places = np.zeros(memberships.shape[0], dtype=np.int64)
    inner = [node for node in range(tree.n_nodes) if tree.children(node)]
    for part in parts(places.size, tree.n_nodes):
        belongs = (memberships[part] @ above).toarray()
        here = np.zeros(part.stop - part.start, dtype=np.int64)
        for node in inner:
            at = np.flatnonzero(here == node)
            below = np.array(tree.children(node))
            here[at] = below[belongs[at][:, below].argmax(axis=1)]
        places[part] = here
    return places


def leaves_of(tree: Tree) -> Ints:
    """The node of each cluster."""
    leaves = np.flatnonzero(tree.cluster >= 0)
    return np.asarray(leaves[np.argsort(tree.cluster[leaves])])


def sizes_of(places: Ints, tree: Tree) -> Ints:
    """How many of some words, given by their leaves, lie in each node."""
    sizes = np.bincount(places, minlength=tree.n_nodes)
    for node in range(tree.n_nodes - 1, 0, -1):
        sizes[tree.parent[node]] += sizes[node]
    return sizes


def first_classes(tree: Tree, k: int) -> list[int]:
    """The nodes of the first k classes, in the order of the labels of `tree.cut(k)`."""
    labels = tree.cut(k)
    # Children come after their parents, so that they are known before them from behind.
    held = np.where(tree.cluster >= 0, labels[tree.cluster], -1)
    for node in reversed(range(tree.n_nodes)):
        below = {int(held[child]) for child in tree.children(node)}
        if len(below) == 1:
            held[node] = below.pop()
    highest = {int(held[node]): node for node in reversed(range(tree.n_nodes))}
    return [node for label, node in sorted(highest.items()) if label >= 0]


def at_depth(tree: Tree, depth: int) -> list[int]:
    """The nodes that lie under so many splits, and the leaves that lie under fewer."""
    if depth < 0:
        raise InputError(f"depth {depth}: expected 0 or more")
    far = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(1, tree.n_nodes):
        far[node] = far[tree.parent[node]] + 1
    return _ordered(tree, np.flatnonzero((far == depth) | ((far < depth) & (tree.cluster >= 0))))


def of_splits(tree: Tree, good: Any) -> list[int]:
    """The classes that are left when only good splits, and those above them, are made."""
    kept = np.asarray(good) & (tree.cluster < 0)
    for node in range(tree.n_nodes - 1, 0, -1):
        kept[tree.parent[node]] |= kept[node]
    whole = ~kept
    whole[1:] &= kept[tree.parent[1:]]
    return _ordered(tree, np.flatnonzero(whole))


def _ordered(tree: Tree, nodes: Any) -> list[int]:
    """Nodes in the order of their lowest cluster, as a cut numbers them."""
    return sorted(nodes.tolist(), key=lambda node: int(tree.cluster[tree.leaves(node)].min()))


def _ancestry(tree: Tree) -> Any:
    """1 where a cluster (row) lies in a node (column)."""
    ways = [tree.path(int(leaf)) for leaf in leaves_of(tree)]
    rows = np.repeat(np.arange(len(ways)), [len(way) for way in ways])
    columns = np.concatenate([np.array(way) for way in ways])
    shape = len(ways), tree.n_nodes
    return sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=shape)
