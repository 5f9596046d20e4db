"""Hierarchy: a tree with items at its leaves, one or many per leaf, from any tree format.

Nodes are numbered with parents before children; 0 is the root. The order in which nodes are split
defines the cut into k clusters: the merges of a dendrogram from the last one, the nodes of a tree
with branch lengths by their distance from the root, and the nodes of any other tree level by level,
larger nodes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.core.io.problems import plural
from roget.core.io.values import whole_number
from roget.core.tree import Tree, check_merges
from roget.core.types import Array, BoolArray, Floats, Ints
from roget.errors import InputError
from roget.scoring.labels import newick
from roget.scoring.labels.labels import LabelCodes, Labels, NoItems, code_texts


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
    levels: tuple[LabelCodes, ...] = ()
    """The label of each item at each level, if levels have a meaning of their own."""
    kind: str = "tree"
    """The input format, for signatures."""
    source: str = "the system's tree"
    warnings: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def from_linkage(
        cls, linkage: Any, items: Iterable[Any] | None = None, source: str = "the linkage"
    ) -> Hierarchy:
        """Return the dendrogram of a scipy linkage: (n − 1) × 4 numbers that merge n items.

        Parameters
        ----------
        linkage
            The result of `scipy.cluster.hierarchy.linkage`.
        items
            Ids of the items, in order; by default items are identified by position.
        """
        return cls._from_merges(np.asarray(linkage), 4, items, "linkage", source)

    @classmethod
    def from_children(
        cls, children: Any, items: Iterable[Any] | None = None, source: str = "the merges"
    ) -> Hierarchy:
        """Return the dendrogram of scikit-learn's `AgglomerativeClustering.children_`: (n − 1) × 2.

        >>> Hierarchy.from_children([[0, 1], [2, 3]]).cut(2).tolist()
        [0, 0, 1]
        """
        return cls._from_merges(np.asarray(children), 2, items, "merges", source)

    @classmethod
    def _from_merges(
        cls, table: Array, width: int, items: Iterable[Any] | None, kind: str, source: str
    ) -> Hierarchy:
        types, numbers = _MERGES[width]
        if table.ndim != 2 or table.shape[1] != width or table.dtype.kind not in types:
            shown = " × ".join(map(str, table.shape)) or "no dimension"
            raise InputError(
                f"{source}: found {shown}; expected n − 1 rows of {numbers}", code="not-a-tree"
            )
        wrong = check_merges(table)
        if wrong:
            raise InputError(f"{source}: {wrong}", code="not-a-tree")
        rows = len(table)
        named = None if items is None else [str(item) for item in items]
        if named is not None and len(named) != rows + 1:
            raise InputError(
                f"{source}: {plural(rows, 'row')} {'merges' if rows == 1 else 'merge'} "
                f"{rows + 1} items, but there are {len(named)} ids",
                code="length-mismatch",
            )
        tree = Tree.from_merges(table[:, :2].astype(np.int64))
        return cls(tree, np.arange(rows + 1), named, kind=kind, source=source)

    @classmethod
    def from_newick(cls, text: str, source: str = "the tree") -> Hierarchy:
        """Return the tree of a text in Newick format; its leaves are the items.

        >>> Hierarchy.from_newick("((a,b),c);").cut(2).tolist()
        [0, 0, 1]
        """
        parsed = newick.parse(text, source)
        tree = Tree(parsed.parent)
        leaves = tree.cluster_nodes.tolist()
        items = [parsed.names[node] for node in leaves]
        # Nodes are split in the order of their distance from the root, if branches have lengths.
        order = order_splits(tree, np.ones(len(leaves), dtype=np.int64), parsed.lengths)
        codes = np.arange(len(leaves))
        return cls(tree.with_order(order), codes, items, parsed.names, kind="newick", source=source)

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
        """Return the tree of hierarchical labels, a list from general to specific for each item.

        Parameters
        ----------
        paths
            The labels of each item, one per level; paths may have different lengths.
        items
            Ids of the items, in order; by default items are identified by position.
        leveled
            True if levels are scored one by one, too.

        Examples
        --------
        >>> tree = Hierarchy.from_paths([["cs", "nlp"], ["cs", "vision"], ["physics"]])
        >>> [level.codes.tolist() for level in tree.levels]
        [[0, 0, 1], [0, 1, 2]]
        """
        named = None if items is None else [str(item) for item in items]
        return plant_tree(paths, named, leveled=leveled, kind=kind, source=source)

    def __post_init__(self) -> None:
        if self.items is not None and len(set(self.items)) < len(self.items):
            seen: set[str] = set()
            twice = next(item for item in self.items if item in seen or seen.add(item))  # type: ignore[func-returns-value]
            raise InputError(
                f"{self.source}: the item {twice!r} occurs twice", code="duplicate-item"
            )

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
        """Return the name of a node, or its number."""
        named = self.names[node] if self.names is not None else ""
        return named or f"node {node}"

    def to_labels(self) -> Labels:
        """Return the items with their leaves as labels."""
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
        """Return the items with their labels at one level, counted from 0."""
        return Labels.from_codes(
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
"""Types and description of the rows of a linkage (4 columns) or of its children (2)."""


def is_linkage(array: Any) -> bool:
    """Return True if an array must be a linkage, or the children of one.

    All merges must be valid, and the sizes of a linkage too: no matrix of weights is so by chance,
    except with one row, which does not count.
    """
    if not isinstance(array, np.ndarray) or array.ndim != 2 or len(array) < 2:
        return False
    types, _ = _MERGES.get(array.shape[1], ("", ""))
    right = array.dtype.kind in types and np.isfinite(array).all()
    return bool(right) and check_merges(array) is None


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


def plant_tree(
    paths: Sequence[Sequence[str]],
    items: Sequence[str] | None,
    *,
    leveled: bool,
    kind: str,
    source: str,
    alone: bool = False,
) -> Hierarchy:
    """Return the tree whose nodes are the prefixes of paths, each item at the end of its path.

    Nodes named by numbers, as in thesauri, are split in numeric order. The labels of a level are
    the parts of that level `alone`, or whole prefixes.
    """
    known = {tuple(map(str, path)): 0 for path in paths}
    if not known:
        raise NoItems(f"{source}: no items")
    if any(not all(path) or not path for path in known):
        raise InputError(
            f"{source}: an empty label; expected a label at each level", code="empty-field"
        )
    # If the paths do not share one root, add one above them.
    roots = {path[0] for path in known}
    above = () if len(roots) == 1 and not leveled else ("",)
    numbers: dict[tuple[int, str], int] = {}
    parent: list[int] = []
    names: list[str] = []
    for path in known:
        node = -1
        for part in (*above, *path):
            child = numbers.setdefault((node, part), len(names))
            if child == len(names):
                parent.append(node)
                names.append(f"{names[node]}/{part}" if leveled and node > 0 else part)
            node = child
        known[path] = node
    at = np.array([known[tuple(map(str, path))] for path in paths], dtype=np.int64)
    tree, codes = merge_leaves(np.array(parent, dtype=np.int64), at)
    names += [names[node] for node in tree.parent[len(names) :].tolist()]
    order = _order_numbers(tree, names) if not leveled else None
    if order is None:
        order = order_splits(tree, np.bincount(codes, minlength=tree.n_clusters), None)
    levels = _level(paths, alone) if leveled else ()
    return Hierarchy(tree.with_order(order), codes, items, names, levels, kind, source)


def _order_numbers(tree: Tree, names: Sequence[str]) -> Ints | None:
    """Order inner nodes by the lowest number of their children, if all names are numbers."""
    numbers = [whole_number(name) for name in names]
    if None in numbers:
        return None
    parent, called = tree.parent, np.array(numbers, dtype=np.int64)
    lowest = np.full(parent.size, np.iinfo(np.int64).max)
    np.minimum.at(lowest, parent[1:], called[1:])
    inner = np.flatnonzero(tree.cluster < 0)
    below = inner[inner > 0]
    if np.any(lowest[parent[below]] > lowest[below]):
        return None
    # The root comes first, whatever the numbers of its children.
    return inner[np.lexsort((inner, np.where(inner > 0, lowest[inner], -1)))]


def _level(paths: Sequence[Sequence[str]], alone: bool) -> tuple[LabelCodes, ...]:
    """Return the labels of each level; an item whose path has ended keeps its last label."""
    depth = max(map(len, paths))
    ends = [[min(level, len(path)) for path in paths] for level in range(1, depth + 1)]
    return tuple(
        code_texts(
            [
                str(path[end - 1]) if alone else "/".join(map(str, path[:end]))
                for path, end in zip(paths, each, strict=True)
            ]
        )
        for each in ends
    )
