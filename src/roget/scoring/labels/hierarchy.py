"""The class `Hierarchy`: a tree with one or more items at each leaf, read from any tree format.

Nodes are numbered with parents before children. The root is node 0. The tree is cut into k clusters
by splitting nodes in a fixed order until there are k clusters. In a dendrogram, the merges are
undone, starting with the last. In a tree with branch lengths, nodes are split by their distance
from the root. In other trees, nodes are split level by level, larger nodes first.
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
    """A tree with items at its leaves. Score it with `roget.score(gold, hierarchy)`.

    >>> tree = Hierarchy.from_linkage([[0, 1, 0.5, 2], [2, 3, 1.0, 3]], ["a", "b", "c"])
    >>> tree
    <Hierarchy of 3 items at 3 leaves>
    >>> tree.cut(2).tolist()
    [0, 0, 1]
    """

    tree: Tree
    """The tree, including the order in which its nodes are split."""
    codes: Ints
    """The leaf of each item, as a cluster number in the tree."""
    items: Sequence[str] | None = None
    """Item ids, or None if items are identified by position."""
    names: Sequence[str] | None = None
    """The name of each node, or "" if the node has no name."""
    levels: tuple[LabelCodes, ...] = ()
    """The label of each item at each level, if levels are scored separately."""
    kind: str = "tree"
    """The input format, as shown in signatures."""
    source: str = "the system's tree"
    warnings: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def from_linkage(
        cls, linkage: Any, items: Iterable[Any] | None = None, source: str = "the linkage"
    ) -> Hierarchy:
        """Build a dendrogram from a SciPy linkage matrix, which has shape (n − 1, 4) for n items.

        Parameters
        ----------
        linkage
            The result of `scipy.cluster.hierarchy.linkage`.
        items
            Ids of the items, in order. By default, items are identified by position.
        source
            The name of the tree in messages.
        """
        return cls._from_merges(np.asarray(linkage), 4, items, "linkage", source)

    @classmethod
    def from_children(
        cls, children: Any, items: Iterable[Any] | None = None, source: str = "the merges"
    ) -> Hierarchy:
        """Build a dendrogram from scikit-learn's `AgglomerativeClustering.children_`.

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
            shown = " × ".join(map(str, table.shape)) or "a single value"
            raise InputError(
                f"{source}: found {shown} of dtype {table.dtype}; expected n − 1 rows of {numbers}",
                code="not-a-tree",
            )
        wrong = check_merges(table)
        if wrong:
            raise InputError(f"{source}: {wrong}", code="not-a-tree")
        rows = len(table)
        named = None if items is None else [str(item) for item in items]
        if named is not None and len(named) != rows + 1:
            raise InputError(
                f"{source}: {plural(rows, 'row')} {'merges' if rows == 1 else 'merge'} "
                f"{rows + 1} items, but {plural(len(named), 'id')} were passed",
                code="length-mismatch",
            )
        tree = Tree.from_merges(table[:, :2].astype(np.int64))
        return cls(tree, np.arange(rows + 1), named, kind=kind, source=source)

    @classmethod
    def from_newick(cls, text: str, source: str = "the tree") -> Hierarchy:
        """Build a tree from a string in Newick format. The items are the leaves.

        >>> Hierarchy.from_newick("((a,b),c);").cut(2).tolist()
        [0, 0, 1]
        """
        parsed = newick.parse(text, source)
        tree = Tree(parsed.parent)
        leaves = tree.cluster_nodes.tolist()
        items = [parsed.names[node] for node in leaves]
        # If branches have lengths, nodes are split in the order of their distance from the root.
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
        """Build a tree from hierarchical labels.

        Each item has a list of labels, from general to specific.

        Parameters
        ----------
        paths
            The labels of each item, one per level. Paths may have different lengths.
        items
            Ids of the items, in order. By default items are identified by position.
        leveled
            Whether to score each level separately as well.
        kind, source
            The format of the labels in signatures, and the name of the tree in messages.

        Examples
        --------
        >>> tree = Hierarchy.from_paths([["cs", "nlp"], ["cs", "vision"], ["physics"]])
        >>> [level.codes.tolist() for level in tree.levels]
        [[0, 0, 1], [0, 1, 2]]
        """
        named = None if items is None else [str(item) for item in items]
        return build_tree(paths, named, leveled=leveled, kind=kind, source=source)

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
        """The number of leaves, which is the maximum number of clusters in a cut."""
        return self.tree.n_clusters

    @property
    def cuts(self) -> Ints:
        """The numbers of clusters into which the tree can be cut.

        Some numbers are impossible if a node has three or more children.
        """
        return self.tree.cuts

    def nearest_cut(self, k: int) -> int:
        """Return the largest possible number of clusters that is at most k."""
        if not 1 <= k <= self.n_leaves:
            raise InputError(
                f"cannot cut {self.source} into {k} clusters; expected 1 to {self.n_leaves}",
                code="invalid-option",
            )
        return int(self.cuts[np.searchsorted(self.cuts, k, side="right") - 1])

    def grow(self, extra: int) -> Tree:
        """Return the tree with `extra` additional leaves, which become children of a new root.

        The new leaves are numbered n_leaves, n_leaves + 1, …. The new root is split first, so
        cutting the new tree into k + extra clusters gives this tree's cut into k clusters plus the
        new leaves.
        """
        tree = self.tree
        if not extra:
            return tree
        parent = np.concatenate(([-1, 0], tree.parent[1:] + 1, np.zeros(extra, dtype=np.int64)))
        clusters = np.concatenate(([-1], tree.cluster, tree.n_clusters + np.arange(extra)))
        return Tree(parent, cluster=clusters, order=np.append(0, tree.order + 1))

    def cut(self, k: int) -> Ints:
        """Cut the tree into k clusters, and return the cluster of each item."""
        self.nearest_cut(k)
        return self.tree.cut_leaves(k)[self.codes]

    def name(self, node: int) -> str:
        """Return the name of a node, or "node N" if it has no name."""
        named = self.names[node] if self.names is not None else ""
        return named or f"node {node}"

    def to_labels(self) -> Labels:
        """Return flat labels, with each item labelled by its leaf."""
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
        """Return the labels of all items at one level, counted from 0."""
        return Labels(
            **self.levels[number]._asdict(),
            items=self.items,
            source=self.source,
            warnings=self.warnings,
        )


def order_splits(tree: Tree, weights: Ints, distance: Floats | None) -> Ints:
    """Return the inner nodes in the order in which they are split, parents before children.

    `distance` contains the length of the branch above each node. If branch lengths are known, nodes
    are sorted by their distance from the root. Otherwise they are sorted by depth, then by the
    total weight of the leaves below them, largest first. `weights` contains one weight per leaf.
    """
    nodes = np.arange(tree.n_nodes)
    if distance is not None:
        above, far = tree.parent.tolist(), distance.tolist()
        for node in range(1, tree.n_nodes):
            # Neighbour joining may yield negative lengths. Make sure that no child is nearer to the
            # root than its parent.
            far[node] = max(far[above[node]], far[above[node]] + far[node])
        keys: tuple[Array, ...] = (nodes, np.array(far))
    else:
        below = np.bincount(tree.cluster_nodes, weights, tree.n_nodes)
        keys = nodes, -tree.sum_up(below), tree.depths
    order = np.lexsort(keys)
    return order[tree.cluster[order] < 0]


_MERGES = {4: ("iuf", "4 numbers"), 2: ("iu", "2 whole numbers")}
"""The allowed dtype kinds and the description of a row, by number of columns.

Linkage matrices have 4 columns, and `children_` has 2.
"""


def is_linkage(array: Any) -> bool:
    """Return True if an array is evidently a linkage matrix or `children_`.

    All merges, and the cluster sizes in a linkage matrix, must be valid. A weight matrix with two
    or more rows almost never meets these conditions by chance.
    """
    if not isinstance(array, np.ndarray) or array.ndim != 2 or len(array) < 2:
        return False
    types, _ = _MERGES.get(array.shape[1], ("", ""))
    right = array.dtype.kind in types and np.isfinite(array).all()
    return bool(right) and check_merges(array) is None


def merge_leaves(parent: Ints, at: Ints) -> tuple[Tree, Ints]:
    """Move all items to leaves. Return the new tree and the leaf of each item.

    `at` is the node of each item. A leaf is added below every inner node that has items.
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


def build_tree(
    paths: Sequence[Sequence[str]],
    items: Sequence[str] | None,
    *,
    leveled: bool,
    kind: str,
    source: str,
    alone: bool = False,
) -> Hierarchy:
    """Build a tree whose nodes are prefixes of the paths, with each item at the end of its path.

    If all names are numbers, as in thesauri, nodes are split in numeric order. The label of an item
    at a level is the prefix of its path down to this level or, with `alone`, only the last name of
    this prefix.
    """
    known = {tuple(map(str, path)): 0 for path in paths}
    if not known:
        raise NoItems(f"{source}: no items")
    if any(not all(path) or not path for path in known):
        raise InputError(
            f"{source}: a label is empty; expected a label at each level", code="empty-field"
        )
    # Add a root above the paths unless all of them begin with the same label.
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
    """Sort the inner nodes by the smallest number among their children.

    Return None if the names are not numbers, or are not in the order used by a thesaurus.
    """
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
    # The root is always first.
    return inner[np.lexsort((inner, np.where(inner > 0, lowest[inner], -1)))]


def _level(paths: Sequence[Sequence[str]], alone: bool) -> tuple[LabelCodes, ...]:
    """Return the labels at each level.

    At levels below the end of its path, an item keeps its last label.
    """
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
