"""Tree: what was split into what, at which value; its leaves are clusters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from roget.core.io.problems import plural
from roget.core.types import Array, Floats, Ints
from roget.errors import InputError


class Tree:
    """A rooted tree whose leaves are clusters; it is never changed, only made anew.

    Node 0 is the root and every node comes after its parent, so that the order of the nodes is
    the order of the splits. `parent` is -1 at the root; `value` is what a node was split at (β, a
    description length, …), NaN at leaves; `cluster` numbers the leaves from 0, -1 at inner nodes.

    >>> tree = Tree().split(0, 1.5).split(1, 2.0)
    >>> tree
    Tree: 3 clusters, 5 nodes, depth 2
    >>> tree.cluster.tolist(), tree.cut(2).tolist()
    ([-1, 0, -1, 1, 2], [0, 1, 1])
    """

    def __init__(
        self,
        parent: Iterable[int] = (-1,),
        value: Iterable[float] = (math.nan,),
        cluster: Iterable[int] = (0,),
    ) -> None:
        self.parent: Ints = _freeze(parent, np.int64)
        self.value: Floats = _freeze(value, np.float64)
        self.cluster: Ints = _freeze(cluster, np.int64)
        self._check()

    @classmethod
    def of_splits(cls, splits: Iterable[tuple[int, float]]) -> Tree:
        """The tree in which clusters were split in two, one by one: (cluster, value) of each.

        A cluster keeps its number, and what is split off takes the next one.

        >>> Tree.of_splits([(0, 1.5), (1, 2.0)]) == Tree().split(0, 1.5).split(1, 2.0)
        True
        """
        parent, value, cluster, leaf = [-1], [math.nan], [0], [0]
        for split, at in splits:
            node = leaf[split]
            value[node], cluster[node] = at, -1
            leaf[split] = len(parent)
            leaf.append(len(parent) + 1)
            parent += [node, node]
            value += [math.nan, math.nan]
            cluster += [split, len(leaf) - 1]
        return cls(parent, value, cluster)

    @classmethod
    def flat(cls, clusters: int) -> Tree:
        """The tree in which all clusters lie side by side.

        >>> Tree.flat(3)
        Tree: 3 clusters, 4 nodes, depth 1
        """
        return cls() if clusters == 1 else cls().split(0, math.nan, clusters)

    @property
    def n_nodes(self) -> int:
        """How many nodes there are, the root and the leaves included."""
        return int(self.parent.size)

    @property
    def n_clusters(self) -> int:
        """How many leaves there are."""
        return int((self.cluster >= 0).sum())

    def children(self, node: int) -> tuple[int, ...]:
        """The nodes that this one was split into; none for a leaf."""
        return self._children[self._known(node)]

    def walk(self, node: int = 0) -> Iterator[int]:
        """A node (the root by default) and all below it, each followed by its own."""
        waiting = [self._known(node)]
        while waiting:
            here = waiting.pop()
            yield here
            waiting += reversed(self._children[here])

    def leaves(self, node: int = 0) -> Ints:
        """The leaves below a node (all by default), by number; a leaf gives itself."""
        found = [one for one in self.walk(node) if not self._children[one]]
        return np.array(sorted(found), dtype=np.int64)

    def leaf(self, cluster: int) -> int:
        """The leaf of a cluster."""
        found = np.flatnonzero(self.cluster == cluster)
        if cluster < 0 or not found.size:
            raise InputError(f"cluster {cluster}: the tree has clusters 0 to {self.n_clusters - 1}")
        return int(found[0])

    def path(self, node: int) -> tuple[int, ...]:
        """The nodes from the root to this one, both included."""
        way = [self._known(node)]
        while way[-1]:
            way.append(int(self.parent[way[-1]]))
        return tuple(reversed(way))

    def depth(self, node: int) -> int:
        """How many splits lie above a node."""
        return len(self.path(node)) - 1

    def cut(self, k: int) -> Ints:
        """For each cluster, which of the k clusters it lay in before the later splits.

        The k clusters are numbered in the order of their lowest cluster. A node of more than two
        children may jump over k; the cut then has the largest number of clusters below it.
        """
        labels = np.empty(self.n_clusters, dtype=np.int64)
        for label, node in enumerate(self.tops(k)):
            labels[self.cluster[self.leaves(node)]] = label
        return labels

    def tops(self, k: int) -> list[int]:
        """The nodes of the first k clusters, in the order of their labels in `cut`.

        >>> Tree().split(0, 1.5).split(1, 2.0).tops(2)
        [1, 2]
        """
        if not 1 <= k <= self.n_clusters:
            raise InputError(f"cannot cut into {k} clusters: expected 1 to {self.n_clusters}")
        tops = {0}
        for node, made in self.splits:
            if made > k:
                break
            tops = (tops - {node}) | set(self.children(node))
        return sorted(tops, key=lambda node: int(self.cluster[self.leaves(node)].min()))

    def prune(self, k: int) -> Tree:
        """The tree of the first k clusters, numbered as in `cut`.

        >>> Tree().split(0, 1.5).split(1, 2.0).prune(2)
        Tree: 2 clusters, 3 nodes, depth 1
        """
        return self.keep(node for top in self.tops(k) for node in self.path(top))[0]

    def keep(self, nodes: Iterable[int]) -> tuple[Tree, Ints]:
        """The tree of some nodes, and for each node of this one, which of the new it lies in.

        The root is always kept. A node that is not kept lies in the lowest one above it; what it
        was split into, if that is kept, becomes part of that one. Leaves are numbered in the order
        of their lowest clusters.

        >>> Tree().split(0, 1.5).split(1, 2.0).split(2, 3.0).keep([1, 3, 4])[0].parent.tolist()
        [-1, 0, 0, 0]
        """
        kept = sorted({0, *map(self._known, nodes)})
        number = {node: place for place, node in enumerate(kept)}
        inside = np.zeros(self.n_nodes, dtype=np.int64)
        lowest = np.where(self.cluster >= 0, self.cluster, self.n_nodes)
        for node in range(1, self.n_nodes):
            inside[node] = number.get(node, inside[self.parent[node]])
        for node in range(self.n_nodes - 1, 0, -1):
            above = self.parent[node]
            lowest[above] = min(lowest[above], lowest[node])
        parent = [-1, *(int(inside[self.parent[node]]) for node in kept[1:])]
        inner = set(parent)
        leaves = sorted((at for at in range(len(kept)) if at not in inner),
                        key=lambda at: int(lowest[kept[at]]))  # fmt: skip
        if not np.isin(inside[self.leaves()], leaves).all():
            raise InputError("nodes to keep: some clusters lie in none that is undivided")
        clusters = np.full(len(kept), -1)
        clusters[leaves] = np.arange(len(leaves))
        values = np.where(clusters < 0, self.value[kept], math.nan)
        return Tree(parent, values, clusters), inside

    @cached_property
    def splits(self) -> tuple[tuple[int, int], ...]:
        """The inner nodes in the order of their splits, and how many clusters each one makes it.

        >>> Tree().split(0, 1.5).split(1, 2.0).splits
        ((0, 2), (2, 3))
        """
        inner = sorted(filter(self.children, range(self.n_nodes)), key=self.children)
        made = np.cumsum([len(self.children(node)) - 1 for node in inner], dtype=np.int64) + 1
        return tuple(zip(inner, made.tolist(), strict=True))

    def split(self, cluster: int, value: float, into: int = 2) -> Tree:
        """A tree in which the cluster's leaf has children: itself first, then new clusters."""
        leaf, known = self.leaf(cluster), self.n_clusters
        values, clusters = self.value.copy(), self.cluster.copy()
        values[leaf], clusters[leaf] = value, -1
        return Tree(
            [*self.parent, *[leaf] * into],
            [*values, *[math.nan] * into],
            [*clusters, cluster, *range(known, known + into - 1)],
        )

    def to_json(self) -> dict[str, list[Any]]:
        """The tree as plain lists; a value that is not there is None."""
        values = [None if math.isnan(value) else value for value in self.value.tolist()]
        return {"parent": self.parent.tolist(), "value": values, "cluster": self.cluster.tolist()}

    @classmethod
    def from_json(cls, given: Mapping[str, Iterable[Any]]) -> Tree:
        """The tree of `to_json`."""
        try:
            value = [math.nan if item is None else item for item in given["value"]]
            return cls(given["parent"], value, given["cluster"])
        except (KeyError, TypeError, OverflowError) as error:
            raise InputError(f"this is not a tree: {error!r}") from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            np.array_equal(self.parent, other.parent)
            and np.array_equal(self.value, other.value, equal_nan=True)
            and np.array_equal(self.cluster, other.cluster)
        )

    def __hash__(self) -> int:
        return hash((self.parent.tobytes(), self.value.tobytes(), self.cluster.tobytes()))

    def __repr__(self) -> str:
        deepest = max(self.depth(int(leaf)) for leaf in self.leaves())
        sizes = f"{plural(self.n_clusters, 'cluster')}, {plural(self.n_nodes, 'node')}"
        return f"Tree: {sizes}, depth {deepest}"

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        below: list[list[int]] = [[] for _ in range(self.n_nodes)]
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                below[parent].append(node)
        return tuple(map(tuple, below))

    def _known(self, node: int) -> int:
        if not 0 <= node < self.n_nodes:
            raise InputError(f"node {node}: the tree has nodes 0 to {self.n_nodes - 1}")
        return int(node)

    def _check(self) -> None:
        size = self.parent.size
        if not size == self.value.size == self.cluster.size or not size:
            raise InputError(
                f"a tree needs one parent, value and cluster for each node; got "
                f"{size}, {self.value.size} and {self.cluster.size}"
            )
        if self.parent[0] != -1 or any(
            not 0 <= parent < node for node, parent in enumerate(self.parent.tolist()) if node
        ):
            raise InputError("a tree's first node is its root, and each parent is before its child")
        inner = np.zeros(size, dtype=bool)
        inner[self.parent[1:]] = True
        numbers = np.sort(self.cluster[~inner])
        if (self.cluster[inner] != -1).any() or not np.array_equal(
            numbers, np.arange(numbers.size)
        ):
            raise InputError("a tree's leaves are numbered from 0, each once; inner nodes have -1")


def _freeze(values: Iterable[Any], dtype: Any) -> Array:
    array = np.array(list(values), dtype=dtype)
    array.flags.writeable = False
    return array
