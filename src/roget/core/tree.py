"""A rooted tree, stored in arrays. It represents word classes, dendrograms and taxonomies.

Node 0 is the root, and every parent has a smaller number than its children. A loop over the node
numbers therefore visits parents before their children, and a reverse loop visits children first.
This module traverses, cuts and lays out trees. Other modules combine a `Tree` with data per node.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roget.core.io.problems import plural
from roget.core.types import Array, BoolArray, Floats, Ints
from roget.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Layout(NamedTuple):
    """The leaves of a tree in depth-first order.

    In this order, the leaves below any node are contiguous. The children of a node are ordered by
    number.
    """

    nodes: Ints
    """Node numbers of the leaves, in this order."""
    places: Ints
    """Positions of the leaves in `nodes`, indexed by cluster number."""
    first: Ints
    """The leaves below node n are nodes[first[n] : end[n]]."""
    end: Ints
    between: Ints
    """between[i] is the lowest common ancestor of nodes[i] and nodes[i + 1]."""

    def below(self, node: int) -> Ints:
        """Return the leaves below a node, sorted by number."""
        return np.sort(self.nodes[self.first[node] : self.end[node]])

    def find_lowest(self, begin: Ints, end: Ints) -> Ints:
        """Return the lowest common ancestors of the leaves at positions `begin` and `end`.

        Each `begin` must be less than the corresponding `end`. An ancestor has a smaller number
        than its descendants, so the result is the minimum of `between[begin:end]`. These
        range-minimum queries are answered with a sparse table, which contains the minima over
        ranges of 1, 2, 4, 8 … leaves. Two overlapping ranges cover any query.
        """
        lowest = np.empty(begin.size, dtype=np.int64)
        powers = np.frexp((end - begin).astype(np.float64))[1] - 1
        minima = self.between
        for power in range(int(powers.max(initial=-1)) + 1):
            # minima[i] is the minimum of between[i : i + 2**power].
            chosen = np.flatnonzero(powers == power)
            length = 1 << power
            lowest[chosen] = np.minimum(minima[begin[chosen]], minima[end[chosen] - length])
            minima = np.minimum(minima[:-length], minima[length:])
        return lowest


class Tree:
    """A rooted tree whose leaves are clusters. Immutable.

    `parent` is the parent of each node, or -1 for the root. `value` is the value at which a node
    was split (β, a description length etc.), or NaN for leaves. The default is NaN. `cluster` is -1
    for inner nodes and numbers the leaves from 0, by default in node order. `order` lists the inner
    nodes in the order of their splits. By default, they are ordered by their smallest child.

    >>> tree = Tree().split(0, 1.5).split(1, 2.0)
    >>> tree
    Tree: 3 clusters, 5 nodes, depth 2
    >>> tree.cluster.tolist(), tree.cut(2).tolist()
    ([-1, 0, -1, 1, 2], [0, 1, 1])
    """

    def __init__(
        self,
        parent: Iterable[int] = (-1,),
        value: Iterable[float] | None = None,
        cluster: Iterable[int] | None = None,
        order: Iterable[int] | None = None,
    ) -> None:
        self.parent: Ints = _freeze(parent, np.int64)
        size = self.parent.size
        if size == 0 or self.parent[0] != -1 or not _parents_precede(self.parent):
            raise InputError(
                "invalid tree: node 0 must be the root (parent -1), and every parent must have a "
                "smaller number than its children",
                code="not-a-tree",
            )
        inner = np.zeros(size, dtype=bool)
        inner[self.parent[1:]] = True
        if value is None:
            value = np.full(size, math.nan)
        if cluster is None:
            cluster = np.where(inner, -1, np.cumsum(~inner) - 1)
        self.value: Floats = _freeze(value, np.float64)
        self.cluster: Ints = _freeze(cluster, np.int64)
        self._order = None if order is None else _freeze(order, np.int64)
        self._check(inner)

    def with_order(self, order: Iterable[int]) -> Tree:
        """Return a copy of the tree with a different order of splits."""
        return Tree(self.parent, self.value, self.cluster, order)

    @classmethod
    def from_splits(cls, splits: Iterable[tuple[int, float]]) -> Tree:
        """Build a tree from a sequence of binary splits, each a (cluster, value) pair.

        The split cluster keeps its number, and the new cluster is assigned the next free number.

        >>> Tree.from_splits([(0, 1.5), (1, 2.0)]) == Tree().split(0, 1.5).split(1, 2.0)
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
    def from_merges(cls, merges: Ints) -> Tree:
        """Build a tree from n − 1 merges of n clusters, as in a SciPy linkage matrix.

        Row i merges two clusters into cluster n + i. The last merge is the root. Cuts undo the
        merges, starting with the last.

        >>> Tree.from_merges(np.array([[0, 1], [2, 3]])).cut(2).tolist()
        [0, 0, 1]
        """
        rows = len(merges)
        last = 2 * rows
        # Cluster c becomes node 2n − 2 − c, so the root is 0 and parents precede children.
        parent, clusters = np.full((2, last + 1), -1, dtype=np.int64)
        parent[last - merges] = (rows - 1 - np.arange(rows))[:, None]
        leaves = np.arange(rows + 1)
        clusters[last - leaves] = leaves
        return cls(parent, cluster=clusters, order=np.arange(rows))

    @classmethod
    def flat(cls, clusters: int) -> Tree:
        """Build a flat tree (a star), in which all clusters are children of the root.

        >>> Tree.flat(3)
        Tree: 3 clusters, 4 nodes, depth 1
        """
        return cls() if clusters == 1 else cls(np.append(-1, np.zeros(clusters, dtype=np.int64)))

    @property
    def n_nodes(self) -> int:
        """The number of nodes, including the root and the leaves."""
        return int(self.parent.size)

    @cached_property
    def n_clusters(self) -> int:
        """The number of leaves."""
        return int((self.cluster >= 0).sum())

    @cached_property
    def n_children(self) -> Ints:
        """The number of children of each node, indexed by node number."""
        return np.bincount(self.parent[1:], minlength=self.n_nodes)

    @cached_property
    def cluster_nodes(self) -> Ints:
        """The node number of each cluster's leaf."""
        leaves = np.flatnonzero(self.cluster >= 0)
        return np.asarray(leaves[np.argsort(self.cluster[leaves])])

    def children(self, node: int) -> tuple[int, ...]:
        """Return the children of a node in increasing order, or an empty list for a leaf."""
        below, begin = self._children
        at = self.require_node(node)
        return tuple(below[begin[at] : begin[at + 1]])

    def walk(self, node: int = 0) -> Iterator[int]:
        """Yield a node (by default the root) and all nodes below it, in depth-first order."""
        below, begin = self._children
        waiting = [self.require_node(node)]
        while waiting:
            here = waiting.pop()
            yield here
            waiting += reversed(below[begin[here] : begin[here + 1]])

    def leaves(self, node: int = 0) -> Ints:
        """Return the sorted leaves below a node (by default all leaves).

        A leaf yields only itself.
        """
        return self.layout.below(self.require_node(node))

    def leaf(self, cluster: int) -> int:
        """Return the node number of a cluster's leaf."""
        if not 0 <= cluster < self.n_clusters:
            raise InputError(
                f"unknown cluster {cluster}: the tree has clusters 0 to {self.n_clusters - 1}",
                code="unknown-name",
            )
        return int(self.cluster_nodes[cluster])

    def path(self, node: int) -> tuple[int, ...]:
        """Return the nodes on the path from the root to a node, both included."""
        nodes = [self.require_node(node)]
        while nodes[-1]:
            nodes.append(int(self.parent[nodes[-1]]))
        return tuple(reversed(nodes))

    def depth(self, node: int) -> int:
        """Return the number of ancestors of a node."""
        return int(self.depths[self.require_node(node)])

    def require_node(self, node: int) -> int:
        """Return a node number as an int. Raise InputError if the tree has no such node."""
        if not 0 <= node < self.n_nodes:
            raise InputError(
                f"unknown node {node}: the tree has nodes 0 to {self.n_nodes - 1}",
                code="unknown-name",
            )
        return int(node)

    @cached_property
    def depths(self) -> Ints:
        """The number of ancestors of each node."""
        parent, depth = self.parent.tolist(), [0] * self.n_nodes
        for node in range(1, self.n_nodes):
            depth[node] = depth[parent[node]] + 1
        return np.array(depth, dtype=np.int64)

    @cached_property
    def heights(self) -> Ints:
        """The length of the longest path from each node down to a leaf."""
        parent, height = self.parent.tolist(), [0] * self.n_nodes
        for node in range(self.n_nodes - 1, 0, -1):
            height[parent[node]] = max(height[parent[node]], height[node] + 1)
        return np.array(height, dtype=np.int64)

    @cached_property
    def levels(self) -> list[Ints]:
        """The nodes at each depth, beginning with the root."""
        order = np.argsort(self.depths, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.depths))[:-1])

    @cached_property
    def layout(self) -> Layout:
        """The leaves in depth-first order, with the range of leaves below each node."""
        parent = self.parent.tolist()
        size = self.sum_up((self.cluster >= 0).astype(np.int64))
        sizes, first, following = size.tolist(), [0] * self.n_nodes, [0] * self.n_nodes
        for node in range(1, self.n_nodes):
            # The leaves of a child follow the leaves of its previous sibling, which end at
            # following[above].
            above = parent[node]
            first[node] = following[node] = following[above]
            following[above] += sizes[node]
        begin = np.array(first, dtype=np.int64)
        end = begin + size
        between = np.zeros(self.n_clusters - 1, dtype=np.int64)
        # If a child is not the last one, its parent is the lowest common ancestor of the leaves
        # before and after the child's end.
        inner = np.flatnonzero(end[1:] < end[self.parent[1:]]) + 1
        between[end[inner] - 1] = self.parent[inner]
        places = begin[self.cluster_nodes]
        nodes = np.empty(self.n_clusters, dtype=np.int64)
        nodes[places] = self.cluster_nodes
        return Layout(nodes, places, begin, end, between)

    def sum_up(self, values: Array) -> Array:
        """Return, for each node, the sum of its value and the values of all nodes below it."""
        parent, sums = self.parent.tolist(), values.tolist()
        for node in range(self.n_nodes - 1, 0, -1):
            sums[parent[node]] += sums[node]
        return np.array(sums, dtype=values.dtype)

    def share_up(self, rows: Ints, nodes: Ints, shares: Floats, n_rows: int) -> csr_array[Any]:
        """Add shares to nodes and all their ancestors. The result is a matrix of shape (rows,
        nodes).

        The i-th share is added to row rows[i], in the columns of nodes[i] and its ancestors.
        """
        from scipy.sparse import coo_array

        at, entries = nodes, [(rows, nodes, shares)]
        while rows.size:
            # Move every entry that has not reached the root one level up.
            below = at > 0
            rows, at, shares = rows[below], self.parent[at[below]], shares[below]
            entries.append((rows, at, shares))
        row, node, share = map(np.concatenate, zip(*entries, strict=True))
        matrix = coo_array((share, (row, node)), shape=(n_rows, self.n_nodes)).tocsr()
        matrix.sum_duplicates()
        return matrix

    @cached_property
    def order(self) -> Ints:
        """The inner nodes, in the order in which they are split."""
        if self._order is not None:
            return self._order
        inner, first_child = np.unique(self.parent[1:], return_index=True)
        return np.asarray(inner[np.argsort(first_child)])

    @cached_property
    def made(self) -> Ints:
        """For each inner node, the number of clusters after its split.

        For leaves, the value is n_clusters + 1.
        """
        made = np.full(self.n_nodes, self.n_clusters + 1, dtype=np.int64)
        made[self.order] = 1 + np.cumsum(self.n_children[self.order] - 1)
        return made

    @cached_property
    def splits(self) -> tuple[tuple[int, int], ...]:
        """Pairs (inner node, number of clusters after its split), in the order of the splits.

        >>> Tree().split(0, 1.5).split(1, 2.0).splits
        ((0, 2), (2, 3))
        """
        return tuple(zip(self.order.tolist(), self.made[self.order].tolist(), strict=True))

    @cached_property
    def cuts(self) -> Ints:
        """The numbers of clusters into which the tree can be cut.

        Some numbers are impossible if a node has three or more children.
        """
        return np.unique(np.append(1, self.made[self.order]))

    def cut_nodes(self, k: int) -> Ints:
        """Cut the tree into k clusters, and return the nodes of the clusters in depth-first order.

        If k is skipped by a split into three or more clusters, the next smaller number is used.
        """
        if not 1 <= k <= self.n_clusters:
            raise InputError(
                f"cannot cut into {k} clusters: expected 1 to {self.n_clusters}",
                code="invalid-option",
            )
        return self._find_tops(self.made <= k)

    def cut_leaves(self, k: int) -> Ints:
        """Return the label of each cluster in the cut into k clusters.

        Labels are indices into `cut_nodes(k)`.
        """
        nodes = self.cut_nodes(k)
        sizes = self.layout.end[nodes] - self.layout.first[nodes]
        return np.repeat(np.arange(nodes.size), sizes)[self.layout.places]

    def tops(self, k: int) -> list[int]:
        """Cut the tree into k clusters, and return their nodes, sorted by smallest cluster number.

        >>> Tree().split(0, 1.5).split(1, 2.0).tops(2)
        [1, 2]
        """
        return self._sort_nodes(self.cut_nodes(k))

    def cut(self, k: int) -> Ints:
        """Return the label of each cluster in the cut into k clusters.

        Labels are indices into `tops(k)`.

        If k is skipped by a split into three or more clusters, the next smaller number is used.
        """
        return self.label_clusters(self.tops(k))

    def cut_depth(self, depth: int) -> list[int]:
        """Return the nodes at a given depth and the leaves above it, in the order of `tops`."""
        if depth < 0:
            raise InputError(f"invalid depth {depth}: expected 0 or more", code="invalid-option")
        return self._sort_nodes(self._find_tops((self.cluster < 0) & (self.depths < depth)))

    def cut_splits(self, good: BoolArray) -> list[int]:
        """Perform the `good` splits and all splits above them, and return the nodes of the
        resulting cut."""
        kept = good & (self.cluster < 0)
        return self._sort_nodes(self._find_tops(self.sum_up(kept.astype(np.int64)) > 0))

    def label_clusters(self, nodes: Iterable[int]) -> Ints:
        """Return, for each cluster, the index of the cut node that is its ancestor."""
        labels = np.empty(self.n_clusters, dtype=np.int64)
        for label, node in enumerate(nodes):
            labels[self.cluster[self.leaves(node)]] = label
        return labels

    @cached_property
    def lowest_clusters(self) -> Ints:
        """The smallest cluster number below each node."""
        parent = self.parent.tolist()
        lowest = np.where(self.cluster >= 0, self.cluster, self.n_nodes).tolist()
        for node in range(self.n_nodes - 1, 0, -1):
            lowest[parent[node]] = min(lowest[parent[node]], lowest[node])
        return np.array(lowest, dtype=np.int64)

    def _find_tops(self, split: BoolArray) -> Ints:
        """Return the topmost nodes that are not split, in depth-first order."""
        whole = ~split
        whole[1:] &= split[self.parent[1:]]
        nodes = np.flatnonzero(whole)
        return nodes[np.argsort(self.layout.first[nodes], kind="stable")]

    def _sort_nodes(self, nodes: Ints) -> list[int]:
        """Sort disjoint nodes by their smallest cluster number."""
        ordered: list[int] = nodes[np.argsort(self.lowest_clusters[nodes])].tolist()
        return ordered

    def prune(self, k: int) -> Tree:
        """Return the tree whose leaves are the k clusters of a cut, numbered as in `cut`.

        >>> Tree().split(0, 1.5).split(1, 2.0).prune(2)
        Tree: 2 clusters, 3 nodes, depth 1
        """
        return self.keep(node for top in self.tops(k) for node in self.path(top))[0]

    def keep(self, nodes: Iterable[int]) -> tuple[Tree, Ints]:
        """Return a tree that consists of the given nodes, and a map from old to new node numbers.

        The root is always kept. A removed node maps to its nearest kept ancestor, and its kept
        children become children of that ancestor. New leaves are ordered by the smallest cluster
        number below them.

        >>> Tree().split(0, 1.5).split(1, 2.0).split(2, 3.0).keep([1, 3, 4])[0].parent.tolist()
        [-1, 0, 0, 0]
        """
        kept = sorted({0, *map(self.require_node, nodes)})
        number = {node: place for place, node in enumerate(kept)}
        inside = np.zeros(self.n_nodes, dtype=np.int64)
        for node in range(1, self.n_nodes):
            inside[node] = number.get(node, inside[self.parent[node]])
        parent = [-1, *(int(inside[self.parent[node]]) for node in kept[1:])]
        inner = set(parent)
        leaves = sorted((at for at in range(len(kept)) if at not in inner),
                        key=lambda at: int(self.lowest_clusters[kept[at]]))  # fmt: skip
        if not np.isin(inside[self.cluster_nodes], leaves).all():
            raise InputError(
                "the nodes to keep do not cover all clusters: an inner node would also "
                "have clusters of its own",
                code="not-a-tree",
            )
        clusters = np.full(len(kept), -1)
        clusters[leaves] = np.arange(len(leaves))
        values = np.where(clusters < 0, self.value[kept], math.nan)
        return Tree(parent, values, clusters), inside

    def split(self, cluster: int, value: float, into: int = 2) -> Tree:
        """Return a copy of the tree in which one cluster is split into `into` clusters.

        The first new cluster keeps the old number, and the others are assigned the next free
        numbers.
        """
        leaf, known = self.leaf(cluster), self.n_clusters
        values, clusters = self.value.copy(), self.cluster.copy()
        values[leaf], clusters[leaf] = value, -1
        return Tree(
            [*self.parent, *[leaf] * into],
            [*values, *[math.nan] * into],
            [*clusters, cluster, *range(known, known + into - 1)],
        )

    def to_json(self) -> dict[str, list[Any]]:
        """Return the tree as plain lists, with None for missing values."""
        values = [None if math.isnan(value) else value for value in self.value.tolist()]
        return {"parent": self.parent.tolist(), "value": values, "cluster": self.cluster.tolist()}

    @classmethod
    def from_json(cls, data: Mapping[str, Iterable[Any]]) -> Tree:
        """Build a tree from the lists returned by `to_json`."""
        try:
            value = [math.nan if item is None else item for item in data["value"]]
            return cls(data["parent"], value, data["cluster"])
        except (KeyError, TypeError, OverflowError) as error:
            raise InputError(f"invalid JSON of a tree: {error!r}", code="not-a-tree") from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            np.array_equal(self.parent, other.parent)
            and np.array_equal(self.value, other.value, equal_nan=True)
            and np.array_equal(self.cluster, other.cluster)
            and np.array_equal(self.order, other.order)
        )

    def __hash__(self) -> int:
        return hash((self.parent.tobytes(), self.value.tobytes(), self.cluster.tobytes()))

    def __repr__(self) -> str:
        sizes = f"{plural(self.n_clusters, 'cluster')}, {plural(self.n_nodes, 'node')}"
        return f"Tree: {sizes}, depth {self.depths.max()}"

    @cached_property
    def _children(self) -> tuple[list[int], list[int]]:
        """All nodes except the root, sorted by parent, and the offset of each node's children."""
        below = np.argsort(self.parent[1:], kind="stable") + 1
        return below.tolist(), [0, *np.cumsum(self.n_children).tolist()]

    def _check(self, inner: BoolArray) -> None:
        size = self.parent.size
        if not size == self.value.size == self.cluster.size:
            raise InputError(
                f"parent, value and cluster of a tree must have the same length; got {size}, "
                f"{self.value.size} and {self.cluster.size}",
                code="length-mismatch",
            )
        numbers = np.sort(self.cluster[~inner])
        if (self.cluster[inner] != -1).any() or not np.array_equal(
            numbers, np.arange(numbers.size)
        ):
            raise InputError(
                "invalid tree: the clusters of the leaves must be 0 to n − 1, each once, and "
                "inner nodes must have -1",
                code="not-a-tree",
            )
        if self._order is not None and not np.array_equal(
            np.sort(self._order), np.flatnonzero(inner)
        ):
            raise InputError(
                "invalid tree: the order of splits must list every inner node once",
                code="not-a-tree",
            )


def check_merges(table: Array) -> str | None:
    """Return a description of the first error in a linkage matrix, or None if it is valid.

    Each row merges the clusters in its first two columns. A table with four columns is a SciPy
    linkage matrix, whose last column is the number of items in the merged cluster.
    """
    merges, rows = table[:, :2], len(table)
    if not rows:
        return "no rows; expected at least one merge"
    whole = np.isfinite(merges).all() and np.all(merges == np.floor(merges))
    if not whole or merges.min() < 0:
        return "the first two columns must be whole numbers of 0 or more"
    late = np.flatnonzero((merges > rows + np.arange(rows)[:, None]).any(axis=1))
    if late.size:
        at = int(late[0])
        return (
            f"row {at} (counted from 0) merges cluster {int(merges[at].max())}, which does not "
            f"exist yet; expected numbers up to {rows + at}"
        )
    times = np.bincount(merges.astype(np.int64).ravel(), minlength=2 * rows)
    if np.any(times > 1):
        return f"cluster {int(np.argmax(times > 1))} is merged twice; expected once"
    return _check_sizes(table) if table.shape[1] == 4 else None


def _check_sizes(table: Array) -> str | None:
    """Return an error message for the first row with a wrong cluster size, or None."""
    rows = len(table)
    sizes = [1] * (rows + 1)
    stated = table[:, 3].tolist()
    for at, (one, other) in enumerate(table[:, :2].astype(np.int64).tolist()):
        sizes.append(sizes[one] + sizes[other])
        if stated[at] != sizes[-1]:
            return (
                f"row {at} (counted from 0) states {stated[at]:g} items, but its two clusters have "
                f"{sizes[-1]}; expected a SciPy linkage matrix"
            )
    return None


def _parents_precede(parent: Ints) -> bool:
    """Return True if every parent has a smaller number than its children."""
    return bool(np.all((parent[1:] >= 0) & (parent[1:] < np.arange(1, parent.size))))


def _freeze(values: Iterable[Any], dtype: Any) -> Array:
    array = np.array(values if isinstance(values, np.ndarray) else list(values), dtype=dtype)
    array.flags.writeable = False
    return array
