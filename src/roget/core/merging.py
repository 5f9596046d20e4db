"""A tree in which one class has become part of another, and what became of its nodes."""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Ints
from roget.errors import InputError


class Merged(NamedTuple):
    """The tree after a merge."""

    tree: Tree
    nodes: Ints
    """For each node of the tree before: its new number, -1 if it is gone."""
    leaves: Ints
    """For each leaf of the tree before, by its number: the one that has its words now."""
    heir: tuple[int, int] | None
    """A node (by its old number) that is gone, and the only child that took its place."""
    clusters: Ints
    """For each cluster before: which it is part of now."""


def merge(tree: Tree, node: int, into: int) -> Merged:
    """Make a class part of another one, and close the gap that it leaves.

    The leaves of a class that is merged into a leaf are joined into that one. Where the other has
    classes of its own, those of the first (or itself, if it has none) are put beside them. A node
    with one class left below it gives way to that.
    """
    _check(tree, node, into)
    parent = dict(enumerate(tree.parent.tolist()))
    order = {number: number for number in parent}
    above = parent[node]
    joined = np.empty(0, dtype=np.int64)
    if not tree.children(into):
        joined = tree.cluster[tree.leaves(node)]
        gone = [node]
        for one in gone:  # which grow meanwhile
            gone += tree.children(one)
            del parent[one]
    elif tree.children(node):
        for child in tree.children(node):
            parent[child] = into
        del parent[node]
    else:
        parent[node] = into
    heir = _close(parent, order, above, into)
    numbers = _number(parent, order)
    nodes = np.full(tree.n_nodes, -1, dtype=np.int64)
    nodes[numbers] = np.arange(len(numbers))
    old = tree.cluster[numbers]
    clusters = np.full(tree.n_clusters, -1, dtype=np.int64)
    clusters[np.sort(old[old >= 0])] = np.arange(int((old >= 0).sum()))
    new = np.where(old >= 0, clusters[old], -1)
    if joined.size:
        clusters[joined] = clusters[tree.cluster[into]]
    made = Tree(
        [-1 if parent[one] < 0 else int(nodes[parent[one]]) for one in numbers],
        [math.nan if tree.cluster[one] >= 0 else float(tree.value[one]) for one in numbers],
        new,
    )
    # Only leaves that were joined to another one are gone; so is what lay above them.
    leaves = np.where(nodes >= 0, nodes, nodes[into])
    return Merged(made, nodes, leaves, heir, clusters)


def _check(tree: Tree, node: int, into: int) -> None:
    if node == into:
        raise InputError(f"a class (node {node}) cannot be merged into itself")
    if node in tree.path(into):
        raise InputError(f"node {into} is part of node {node}, which cannot be merged into it")
    if int(tree.parent[node]) == into and not tree.children(node):
        raise InputError(f"node {node} has no classes of its own and is part of {into} already")


def _close(
    parent: dict[int, int], order: dict[int, int], above: int, into: int
) -> tuple[int, int] | None:
    """Remove what has become empty; put an only child in the place of the node above it."""
    while True:
        below = [child for child, one in parent.items() if one == above]
        if below or above == into:
            break
        gone, above = above, parent[above]
        del parent[gone]
    if len(below) != 1 or above == into:
        return None
    only = below[0]
    parent[only], order[only] = parent.pop(above), order[above]
    return above, only


def _number(parent: dict[int, int], order: dict[int, int]) -> list[int]:
    """The nodes as near to their old order as can be, each after its parent."""
    below: dict[int, list[int]] = {}
    for node, one in parent.items():
        below.setdefault(one, []).append(node)
    waiting, found = [(order[node], node) for node in below[-1]], []
    while waiting:
        _, node = heapq.heappop(waiting)
        found.append(node)
        for child in below.get(node, ()):
            heapq.heappush(waiting, (order[child], child))
    return found
