"""Hierarchy: a tree with the items at its leaves, many or one to a leaf, however it was written.

Nodes are numbered so that parents come before their children; 0 is the root. The order in which
nodes are split says what a cut into k clusters is: of a dendrogram, its merges from the last on;
of a tree with lengths, nodes by their distance from the root; of any other, level by level, nodes
of more items first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.core.io.problems import plural
from roget.core.tree import Tree
from roget.core.types import Array, BoolArray, Floats, Ints
from roget.errors import InputError
from roget.scoring.labels.labels import Factors, Labels


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Items at the leaves of a tree, to be scored as a system: `roget.score(gold, hierarchy)`.

    >>> tree = Hierarchy.from_linkage([[0, 1, 0.5, 2], [2, 3, 1.0, 3]], ["a", "b", "c"])
    >>> tree
    <Hierarchy of 3 items at 3 leaves>
    >>> tree.cut(2).tolist()
    [0, 0, 1]
    """

    tree: Tree
    """The nodes and the order of their splits."""
    codes: Ints
    """The leaf (cluster of the tree) of each item."""
    items: Sequence[str] | None = None
    """Item ids; None if items are identified by position."""
    names: Sequence[str] | None = None
    """The name of each node; "" for nodes without a name."""
    levels: tuple[Factors, ...] = ()
    """The label of each item at each level, if levels have a meaning of their own."""
    kind: str = "tree"
    """The input format, for signatures."""
    source: str = "the system's tree"
    warnings: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def from_linkage(
        cls, linkage: Any, items: Iterable[Any] | None = None, source: str = "the linkage"
    ) -> Hierarchy:
        """The dendrogram of a scipy linkage: (n − 1) × 4 numbers that merge n items.

        Parameters
        ----------
        linkage
            As `scipy.cluster.hierarchy.linkage` gives it.
        items
            Their ids, in order; without them items are known by their position.
        """
        return cls._of_merges(np.asarray(linkage), 4, items, "linkage", source)

    @classmethod
    def from_children(
        cls, children: Any, items: Iterable[Any] | None = None, source: str = "the merges"
    ) -> Hierarchy:
        """The dendrogram of scikit-learn's `AgglomerativeClustering.children_`: (n − 1) × 2.

        >>> Hierarchy.from_children([[0, 1], [2, 3]]).cut(2).tolist()
        [0, 0, 1]
        """
        return cls._of_merges(np.asarray(children), 2, items, "merges", source)

    @classmethod
    def _of_merges(
        cls, table: Array, width: int, items: Iterable[Any] | None, kind: str, source: str
    ) -> Hierarchy:
        types, numbers = _MERGES[width]
        if table.ndim != 2 or table.shape[1] != width or table.dtype.kind not in types:
            shown = " × ".join(map(str, table.shape)) or "no dimension"
            raise InputError(f"{source}: found {shown}; expected n − 1 rows of {numbers}")
        wrong = fault_of_merges(table)
        if wrong:
            raise InputError(f"{source}: {wrong}")
        merges = table[:, :2].astype(np.int64)
        rows = len(merges)
        last = 2 * rows
        parent = np.full(last + 1, -1, dtype=np.int64)
        # The last merge is the root: nodes are numbered backwards.
        parent[last - merges] = (rows - 1 - np.arange(rows))[:, None]
        named = None if items is None else [str(item) for item in items]
        if named is not None and len(named) != rows + 1:
            raise InputError(
                f"{source}: {plural(rows, 'row')} {'merges' if rows == 1 else 'merge'} "
                f"{rows + 1} items, but {len(named)} ids were given"
            )
        at = np.arange(rows + 1)
        clusters = np.full(last + 1, -1, dtype=np.int64)
        clusters[last - at] = at
        tree = Tree(parent, cluster=clusters, order=np.arange(rows))
        return cls(tree, at, named, kind=kind, source=source)

    @classmethod
    def from_newick(cls, text: str, source: str = "the tree") -> Hierarchy:
        """The tree of a text in Newick's format; its leaves are the items.

        >>> Hierarchy.from_newick("((a,b),c);").cut(2).tolist()
        [0, 0, 1]
        """
        from roget.scoring.labels.newick import parse

        return parse(text, source)

    @classmethod
    def from_paths(
        cls,
        paths: Sequence[Sequence[str]],
        items: Iterable[Any] | None = None,
        *,
        leveled: bool = True,
        kind: str = "paths",
        source: str = "the paths",
    ) -> Hierarchy:
        """The tree of labels from general to special, a list of them for each item.

        Parameters
        ----------
        paths
            For each item its labels, one for each level; those of some items may be longer.
        items
            Their ids, in order; without them items are known by their position.
        leveled
            Whether levels are to be scored one by one, too.

        Examples
        --------
        >>> tree = Hierarchy.from_paths([["cs", "nlp"], ["cs", "vision"], ["physics"]])
        >>> [level.codes.tolist() for level in tree.levels]
        [[0, 0, 1], [0, 1, 2]]
        """
        from roget.scoring.labels.nested import plant

        named = None if items is None else [str(item) for item in items]
        return plant(paths, named, leveled=leveled, kind=kind, source=source)

    def __post_init__(self) -> None:
        if self.items is not None and len(set(self.items)) < len(self.items):
            seen: set[str] = set()
            twice = next(item for item in self.items if item in seen or seen.add(item))  # type: ignore[func-returns-value]
            raise InputError(f"{self.source}: the item {twice!r} is there twice; expected it once")

    def __len__(self) -> int:
        return self.codes.size

    def __repr__(self) -> str:
        leaves = f"{self.n_leaves:,} {'leaf' if self.n_leaves == 1 else 'leaves'}"
        return f"<Hierarchy of {plural(len(self), 'item', ',')} at {leaves}>"

    @property
    def n_leaves(self) -> int:
        """The number of leaves, the most clusters that a cut can have."""
        return self.tree.n_clusters

    @property
    def cuts(self) -> Ints:
        """The possible numbers of clusters of a cut; a node with many children skips some."""
        return self.tree.cuts

    def nearest_cut(self, k: int) -> int:
        """Return the largest possible number of clusters up to k."""
        if not 1 <= k <= self.n_leaves:
            raise InputError(
                f"{self.source}: cannot be cut into {k} clusters: expected 1 to {self.n_leaves}",
                code="invalid-option",
            )
        return int(self.cuts[np.searchsorted(self.cuts, k, side="right") - 1])

    def grow(self, extra: int) -> Tree:
        """Return the tree with extra leaves below a new root, which no cut merges.

        The extra leaves are clusters n_leaves, n_leaves + 1, …; the new root is split first, so
        the cut of the new tree into k + extra clusters is the cut of this one into k.
        """
        tree = self.tree
        if not extra:
            return tree
        parent = np.concatenate(([-1, 0], tree.parent[1:] + 1, np.zeros(extra, dtype=np.int64)))
        clusters = np.concatenate(([-1], tree.cluster, tree.n_clusters + np.arange(extra)))
        return Tree(parent, cluster=clusters, order=np.append(0, tree.order + 1))

    def cut(self, k: int) -> Ints:
        """Return for each item its cluster in the cut into k clusters."""
        self.nearest_cut(k)
        return self.tree.cut_leaves(k)[self.codes]

    def name(self, node: int) -> str:
        """What a node is called, or its number."""
        named = self.names[node] if self.names is not None else ""
        return named or f"node {node}"

    def to_labels(self) -> Labels:
        """The items with their leaves as labels."""
        names = [self.name(node) for node in self.tree.cluster_nodes.tolist()]
        return Labels(
            self.codes,
            self.n_leaves,
            names,
            self.items,
            source=self.source,
            warnings=self.warnings,
            tree=self,
        )

    def level(self, number: int) -> Labels:
        """The items with their labels at one level, counted from 0."""
        return Labels.of(
            self.levels[number], items=self.items, source=self.source, warnings=self.warnings
        )


def order_splits(tree: Tree, weights: Ints, distance: Floats | None) -> Ints:
    """Return the inner nodes in the order in which they are split, parents before children.

    Nodes are ordered by their distance from the root, if it is known; otherwise by depth and, at
    the same depth, by the weight of the leaves below them. `weights` has one entry per leaf,
    `distance` the length of the branch above each node.
    """
    nodes = np.arange(tree.n_nodes)
    if distance is not None:
        above, far = tree.parent.tolist(), distance.tolist()
        for node in range(1, tree.n_nodes):
            # A negative length, as neighbour joining yields, splits no child before its parent.
            far[node] = max(far[above[node]], far[above[node]] + far[node])
        keys: tuple[Array, ...] = (nodes, np.array(far))
    else:
        below = np.bincount(tree.cluster_nodes, weights, tree.n_nodes)
        keys = nodes, -tree.sum_up(below), tree.depths
    order = np.lexsort(keys)
    return order[tree.cluster[order] < 0]


_MERGES = {4: ("iuf", "4 numbers"), 2: ("iu", "2 whole numbers")}
"""The types of numbers that rows of so many may have, of linkages and of their children."""


def fault_of_merges(table: Array) -> str | None:
    """Why rows do not merge all items into one, step by step; None if they do.

    Their first two numbers are merged; of a linkage, the last one says how many items these have.
    """
    merges, rows = table[:, :2], len(table)
    if not rows:
        return "no rows; expected at least one merge"
    whole = np.isfinite(merges).all() and np.all(merges == np.floor(merges))
    if not whole or merges.min() < 0:
        return "the first two columns are not all whole numbers from 0 on"
    late = np.flatnonzero((merges > rows + np.arange(rows)[:, None]).any(axis=1))
    if late.size:
        at = int(late[0])
        return (
            f"row {at} (counted from 0) merges cluster {int(merges[at].max())}, which is made only "
            f"later; expected numbers up to {rows + at}"
        )
    times = np.bincount(merges.astype(np.int64).ravel(), minlength=2 * rows)
    if np.any(times > 1):
        return f"cluster {int(np.argmax(times > 1))} is merged twice; expected each to be once"
    return _fault_of_sizes(table) if table.shape[1] == 4 else None


def _fault_of_sizes(table: Array) -> str | None:
    """Why the last column does not count the items of what each row merges; None if it does."""
    rows = len(table)
    sizes = [1] * (rows + 1)
    said = table[:, 3].tolist()
    for at, (one, other) in enumerate(table[:, :2].astype(np.int64).tolist()):
        sizes.append(sizes[one] + sizes[other])
        if said[at] != sizes[-1]:
            return (
                f"row {at} (counted from 0) says that it merges {said[at]:g} items, and its parts "
                f"have {sizes[-1]}; expected a linkage as scipy gives it"
            )
    return None


def is_linkage(array: Any) -> bool:
    """Whether an array can hardly be but a linkage, or the children of one.

    All of its merges must be right, and of a linkage the sizes too: no matrix of weights is so by
    chance, but for those of one row, which are none.
    """
    if not isinstance(array, np.ndarray) or array.ndim != 2 or len(array) < 2:
        return False
    types, _ = _MERGES.get(array.shape[1], ("", ""))
    right = array.dtype.kind in types and np.isfinite(array).all()
    return bool(right) and fault_of_merges(array) is None


def merge_leaves(parent: Ints, at: Ints) -> tuple[Tree, Ints]:
    """Return the tree with a leaf for each node that holds items, and the leaf of each item.

    An inner node that holds items of its own gets one more child for them.
    """
    inner = np.zeros(parent.size, dtype=bool)
    inner[parent[1:]] = True
    held, codes = np.unique(at, return_inverse=True)
    own: BoolArray = inner[held]
    added = held[own]
    nodes = held.copy()
    nodes[own] = parent.size + np.arange(added.size)
    empty = np.setdiff1d(np.flatnonzero(~inner), held)
    leaves = np.concatenate((nodes, empty))
    clusters = np.full(parent.size + added.size, -1, dtype=np.int64)
    clusters[leaves] = np.arange(leaves.size)
    return Tree(np.concatenate((parent, added)), cluster=clusters), codes.astype(np.int64)
