"""Where in a tree words are: their leaf, and the classes that a cut of the tree leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.errors import InputError

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


class NodeLayout(NamedTuple):
    """The leaves of a tree side by side, so that those below any node are a slice."""

    leaves: Ints
    first: Ints
    last: Ints

    def below(self, node: int) -> Ints:
        """The leaves below a node, by number."""
        return np.sort(self.leaves[self.first[node] : self.last[node]])


def lay_out(tree: Tree) -> NodeLayout:
    """The leaves of a tree in the order of its branches."""
    leaves = [node for node in tree.walk() if not tree.children(node)]
    first, last = np.zeros((2, tree.n_nodes), dtype=np.int64)
    first[leaves], last[leaves] = np.arange(len(leaves)), np.arange(len(leaves)) + 1
    for node in reversed(range(tree.n_nodes)):
        if below := tree.children(node):
            first[node], last[node] = first[below[0]], last[below[-1]]
    return NodeLayout(np.array(leaves), first, last)


def cluster_leaves(tree: Tree) -> Ints:
    """The node of each cluster."""
    leaves = np.flatnonzero(tree.cluster >= 0)
    return np.asarray(leaves[np.argsort(tree.cluster[leaves])])


def sum_subtrees(places: Ints, tree: Tree, weights: Any = None) -> Any:
    """How many of some words, given by their leaves, lie in each node; or how much they weigh."""
    sizes = np.bincount(places, weights, minlength=tree.n_nodes)
    for node in range(tree.n_nodes - 1, 0, -1):
        sizes[tree.parent[node]] += sizes[node]
    return sizes


def add_ancestors(row: Any, at: Any, share: Floats, parent: Ints, n_rows: int) -> Any:
    """A csr_array, rows × nodes: shares at the nodes where rows are, and at all nodes above."""
    rows, nodes, shares = [row], [at], [share]
    while row.size:
        inner = at > 0
        row, at, share = row[inner], parent[at[inner]], share[inner]
        rows.append(row)
        nodes.append(at)
        shares.append(share)
    cells = np.concatenate(shares), (np.concatenate(rows), np.concatenate(nodes))
    table = sparse.coo_array(cells, shape=(n_rows, parent.size)).tocsr()
    table.sum_duplicates()
    return table


def node_depths(parent: Ints) -> Ints:
    """How many nodes lie above each node; node 0 is the root."""
    depth = np.zeros(parent.size, dtype=np.int64)
    waiting = np.arange(1, parent.size)
    at = parent[waiting]
    while waiting.size:
        depth[waiting] += 1
        below = at > 0
        waiting, at = waiting[below], parent[at[below]]
    return depth


def nodes_at_depth(tree: Tree, depth: int) -> list[int]:
    """The nodes that lie under so many splits, and the leaves that lie under fewer."""
    if depth < 0:
        raise InputError(f"depth {depth}: expected 0 or more")
    far = node_depths(tree.parent)
    return _ordered(tree, np.flatnonzero((far == depth) | ((far < depth) & (tree.cluster >= 0))))


def nodes_after_splits(tree: Tree, good: Any) -> list[int]:
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
    inside = add_ancestors(clusters, cluster_leaves(tree), whole, tree.parent, clusters.size)
    return inside[:, nodes], nodes
