"""Where in a tree words are: their leaf, and the classes that a cut of the tree leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Ints

LISTED = 0.1
"""A word is listed in its place, and in every class to which at least so much of it belongs."""

MANY = 4096
"""Classes, at most, of which each is compared with each other; imported taxonomies have more."""

CELLS = 1 << 22
"""Cells of a dense table worked on at a time."""


def parts(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows that make tables of at most `CELLS` cells."""
    step = max(1, CELLS // max(columns, 1))
    for begin in range(0, rows, step):
        yield slice(begin, min(begin + step, rows))


def assign_leaves(memberships: Any, tree: Tree) -> Ints:
    """The leaf of each word: from the root, at every split, the side to which it belongs more."""
    above, order = _ancestry(tree)
    places = np.zeros(memberships.shape[0], dtype=np.int64)
    # A word lies in no more nodes than there are above all of its clusters.
    reach = np.minimum(np.diff(memberships.indptr) * np.diff(above.indptr).max(), tree.n_nodes)
    numbers = (np.cumsum(reach) - reach) // CELLS
    for begin in np.unique(numbers, return_index=True)[1].tolist():
        end = int(np.searchsorted(numbers, numbers[begin], side="right"))
        places[begin:end] = _descended(memberships[begin:end] @ above, order, tree)
    return places


def _descended(belongs: Any, order: Ints, tree: Tree) -> Ints:
    """The leaves that are reached by the larger sides; of equal ones, the first."""
    size, column = order.size, np.argsort(order)
    above = column[tree.parent[order]]  # by columns, among which children stand together
    belongs.sort_indices()
    row = np.repeat(np.arange(belongs.shape[0]), np.diff(belongs.indptr))
    inner = belongs.indices > 0
    row, at, p = row[inner], belongs.indices[inner].astype(np.int64), belongs.data[inner]
    key = row * size + above[at]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    largest = np.repeat(np.maximum.reduceat(p, first), np.diff(first, append=key.size))
    best = np.flatnonzero(p == largest)
    best = best[np.diff(key[best], prepend=-1) > 0]
    key, at = key[best], at[best]
    here = np.zeros(belongs.shape[0], dtype=np.int64)
    moving = np.arange(here.size) if size > 1 else np.empty(0, dtype=np.int64)
    while moving.size:
        here[moving] = at[np.searchsorted(key, moving * size + here[moving])]
        moving = moving[tree.cluster[order[here[moving]]] < 0]
    return order[here]


def _ancestry(tree: Tree) -> tuple[Any, Ints]:
    """1 where a cluster (row) lies in a node (column), and the node of each column.

    Nodes are ordered by depth, then by the column of their parent, then by number.
    """
    order, level = [np.zeros(1, dtype=np.int64)], np.zeros(1, dtype=np.int64)
    while level.size:
        level = np.array([child for node in level.tolist() for child in tree.children(node)])
        order.append(level.astype(np.int64))
    nodes, clusters = np.concatenate(order), np.arange(tree.n_clusters)
    whole = np.ones(clusters.size)
    inside = tree.share_up(clusters, tree.cluster_nodes, whole, clusters.size)
    return inside[:, nodes], nodes
