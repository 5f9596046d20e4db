"""Edit a tree: merge, nest or split classes, and map old nodes to new nodes."""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Ints
from roget.errors import InputError


class EditedTree(NamedTuple):
    """The tree after an edit, with maps from old to new node and cluster numbers."""

    tree: Tree
    nodes: Ints
    """Map from old to new node numbers. Removed nodes map to -1."""
    clusters: Ints
    """Map from old to new cluster numbers, followed by the numbers of added clusters.

    A cluster that was split maps to -1.
    """
    heir: tuple[int, int] | None = None
    """The removed node and its only child, which replaced it, or None.

    Both are numbered as in the old tree.
    """
    made: tuple[int, ...] = ()
    """Node numbers of the added nodes, in the new tree."""


class _Draft:
    """A mutable tree that stores the parent and cluster of each node.

    Added nodes are numbered after the existing ones.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.parent = dict(enumerate(tree.parent.tolist()))
        self.order = {number: number for number in self.parent}
        self.cluster = {node: one for node, one in enumerate(tree.cluster.tolist()) if one >= 0}
        self.new: list[int] = []

    def add(self, parent: int, cluster: int) -> None:
        """Add a leaf for a cluster below a node."""
        number = self.tree.n_nodes + len(self.new)
        self.parent[number], self.order[number], self.cluster[number] = parent, number, cluster
        self.new.append(number)

    def close(self, above: int, into: int) -> tuple[int, int] | None:
        """Remove `above` and its ancestors if they are empty.

        If the remaining ancestor has only one child, replace the ancestor by this child and return
        both node numbers. `into` is never removed or replaced.
        """
        while True:
            below = [child for child, one in self.parent.items() if one == above]
            if below or above == into:
                break
            gone, above = above, self.parent[above]
            del self.parent[gone]
        if len(below) != 1 or above == into:
            return None
        only = below[0]
        self.parent[only], self.order[only] = self.parent.pop(above), self.order[above]
        return above, only

    def finish(self, heir: tuple[int, int] | None = None) -> EditedTree:
        """Return the edited tree.

        Nodes keep their order as far as possible, but parents always precede their children.
        """
        numbers = self._order_nodes()
        nodes = np.full(self.tree.n_nodes + len(self.new), -1, dtype=np.int64)
        nodes[numbers] = np.arange(len(numbers))
        before = [self.cluster.get(one, -1) for one in numbers]
        kept = sorted(one for one in before if one >= 0)
        clusters = np.full(max(self.tree.n_clusters, kept[-1] + 1), -1, dtype=np.int64)
        clusters[kept] = np.arange(len(kept))
        old = self.tree.n_nodes
        made = Tree(
            [-1 if self.parent[one] < 0 else int(nodes[self.parent[one]]) for one in numbers],
            [
                math.nan if one in self.cluster or one >= old else float(self.tree.value[one])
                for one in numbers
            ],
            [-1 if one < 0 else int(clusters[one]) for one in before],
        )
        return EditedTree(made, nodes[:old], clusters, heir, tuple(nodes[old:].tolist()))

    def _order_nodes(self) -> list[int]:
        below: dict[int, list[int]] = {}
        for node, one in self.parent.items():
            below.setdefault(one, []).append(node)
        # Sort topologically: of the nodes whose parents are already in the list, take the one that
        # came first in the old tree.
        waiting, ordered = [(self.order[node], node) for node in below[-1]], []
        while waiting:
            _, node = heapq.heappop(waiting)
            ordered.append(node)
            for child in below.get(node, ()):
                heapq.heappush(waiting, (self.order[child], child))
        return ordered


def merge(tree: Tree, node: int, into: int) -> EditedTree:
    """Merge a class into another class.

    If `into` is a leaf, all leaves of `node` are merged into it. Otherwise the children of `node`
    (or `node` itself, if it is a leaf) become children of `into`. If the old parent is left with
    one child, the child replaces it.
    """
    _require_apart(tree, node, into, "merged into")
    if int(tree.parent[node]) == into and not tree.children(node):
        raise InputError(
            f"node {node} is a leaf and already a child of {into}", code="edit-refused"
        )
    draft = _Draft(tree)
    parent, above = draft.parent, draft.parent[node]
    joined = np.empty(0, dtype=np.int64)
    if not tree.children(into):
        joined = tree.cluster[tree.leaves(node)]
        for one in tree.walk(node):
            del parent[one]
            draft.cluster.pop(one, None)
    elif tree.children(node):
        for child in tree.children(node):
            parent[child] = into
        del parent[node]
    else:
        parent[node] = into
    made = draft.finish(draft.close(above, into))
    if joined.size:
        made.clusters[joined] = made.clusters[tree.cluster[into]]
    return made


def nest(tree: Tree, node: int, into: int) -> EditedTree:
    """Move a class and its subtree under another class.

    If the other class is a leaf, its words move to a new leaf next to the moved class. If the old
    parent is left with one child, the child replaces it.
    """
    if node == 0:
        raise InputError(
            "the root (node 0) contains all classes and cannot be moved", code="edit-refused"
        )
    _require_apart(tree, node, into, "moved under")
    if int(tree.parent[node]) == into:
        raise InputError(f"node {node} is already a child of node {into}", code="edit-refused")
    draft = _Draft(tree)
    above = draft.parent[node]
    draft.parent[node] = into
    if into in draft.cluster:
        draft.add(into, draft.cluster.pop(into))
    return draft.finish(draft.close(above, into))


def split(tree: Tree, node: int) -> EditedTree:
    """Split a leaf into two new leaves, which become its children."""
    if tree.children(node):
        raise InputError(
            f"node {node} is not a leaf; split one of its children", code="edit-refused"
        )
    draft, known = _Draft(tree), tree.n_clusters
    del draft.cluster[node]
    draft.add(node, known)
    draft.add(node, known + 1)
    return draft.finish()


def _require_apart(tree: Tree, node: int, into: int, action: str) -> None:
    """Raise an error if a class would be moved or merged into itself or a class below it."""
    if node == into:
        raise InputError(f"node {node} cannot be {action} itself", code="edit-refused")
    if node in tree.path(into):
        raise InputError(
            f"node {node} cannot be {action} node {into}, which is below it", code="edit-refused"
        )
