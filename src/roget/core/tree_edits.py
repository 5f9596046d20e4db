"""A tree in another shape: classes merged, put under others, or split; and what became of them."""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Ints
from roget.errors import InputError


class Reshaped(NamedTuple):
    """The tree after a change."""

    tree: Tree
    nodes: Ints
    """For each node of the tree before: its new number, -1 if it is gone."""
    clusters: Ints
    """For each cluster before, then for each that is new: which it is part of now; -1 if split."""
    heir: tuple[int, int] | None = None
    """A node (by its old number) that is gone, and the only child that took its place."""
    made: tuple[int, ...] = ()
    """Nodes that are new."""


class _Sketch:
    """Nodes by number, with what is above them, while they are changed; new ones have the next."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.parent = dict(enumerate(tree.parent.tolist()))
        self.order = {number: number for number in self.parent}
        self.cluster = {node: one for node, one in enumerate(tree.cluster.tolist()) if one >= 0}
        self.new: list[int] = []

    def add(self, parent: int, cluster: int) -> None:
        """A new leaf."""
        number = self.tree.n_nodes + len(self.new)
        self.parent[number], self.order[number], self.cluster[number] = parent, number, cluster
        self.new.append(number)

    def close(self, above: int, into: int) -> tuple[int, int] | None:
        """Remove what has become empty; put an only child in the place of the node above it."""
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

    def finish(self, heir: tuple[int, int] | None = None) -> Reshaped:
        """The tree, its nodes as near to their old order as can be, each after its parent."""
        numbers = self._number()
        nodes = np.full(self.tree.n_nodes + len(self.new), -1, dtype=np.int64)
        nodes[numbers] = np.arange(len(numbers))
        held = [self.cluster.get(one, -1) for one in numbers]
        kept = sorted(one for one in held if one >= 0)
        clusters = np.full(max(self.tree.n_clusters, kept[-1] + 1), -1, dtype=np.int64)
        clusters[kept] = np.arange(len(kept))
        old = self.tree.n_nodes
        made = Tree(
            [-1 if self.parent[one] < 0 else int(nodes[self.parent[one]]) for one in numbers],
            [
                math.nan if one in self.cluster or one >= old else float(self.tree.value[one])
                for one in numbers
            ],
            [-1 if one < 0 else int(clusters[one]) for one in held],
        )
        return Reshaped(made, nodes[:old], clusters, heir, tuple(nodes[old:].tolist()))

    def _number(self) -> list[int]:
        below: dict[int, list[int]] = {}
        for node, one in self.parent.items():
            below.setdefault(one, []).append(node)
        waiting, found = [(self.order[node], node) for node in below[-1]], []
        while waiting:
            _, node = heapq.heappop(waiting)
            found.append(node)
            for child in below.get(node, ()):
                heapq.heappush(waiting, (self.order[child], child))
        return found


def merge(tree: Tree, node: int, into: int) -> Reshaped:
    """Make a class part of another one, and close the gap that it leaves.

    The leaves of a class that is merged into a leaf are joined into that one. Where the other has
    classes of its own, those of the first (or itself, if it has none) are put beside them. A node
    with one class left below it gives way to that.
    """
    _need_apart(tree, node, into, "merged into")
    if int(tree.parent[node]) == into and not tree.children(node):
        raise InputError(f"node {node} has no classes of its own and is part of {into} already")
    sketch = _Sketch(tree)
    parent, above = sketch.parent, sketch.parent[node]
    joined = np.empty(0, dtype=np.int64)
    if not tree.children(into):
        joined = tree.cluster[tree.leaves(node)]
        for one in tree.walk(node):
            del parent[one]
            sketch.cluster.pop(one, None)
    elif tree.children(node):
        for child in tree.children(node):
            parent[child] = into
        del parent[node]
    else:
        parent[node] = into
    made = sketch.finish(sketch.close(above, into))
    if joined.size:
        made.clusters[joined] = made.clusters[tree.cluster[into]]
    return made


def nest(tree: Tree, node: int, into: int) -> Reshaped:
    """Put a class, with all below it, under another one, and close the gap that it leaves.

    Where the other has no classes yet, its words stay in a new one of its own, beside the first.
    """
    if node == 0:
        raise InputError("the root (node 0) is above all classes and cannot be put under another")
    _need_apart(tree, node, into, "put under")
    if int(tree.parent[node]) == into:
        raise InputError(f"node {node} stands under node {into} already")
    sketch = _Sketch(tree)
    above = sketch.parent[node]
    sketch.parent[node] = into
    if into in sketch.cluster:
        sketch.add(into, sketch.cluster.pop(into))
    return sketch.finish(sketch.close(above, into))


def split(tree: Tree, node: int) -> Reshaped:
    """Put two new classes, in the place of its cluster, under one that has none yet."""
    if tree.children(node):
        raise InputError(f"node {node} has classes of its own: split one of those")
    sketch, known = _Sketch(tree), tree.n_clusters
    del sketch.cluster[node]
    sketch.add(node, known)
    sketch.add(node, known + 1)
    return sketch.finish()


def _need_apart(tree: Tree, node: int, into: int, done: str) -> None:
    """Refuse a class that would be done so to itself, or to one that is part of it."""
    if node == into:
        raise InputError(f"a class (node {node}) cannot be {done} itself")
    if node in tree.path(into):
        raise InputError(f"node {into} is part of node {node}, which cannot be {done} it")
