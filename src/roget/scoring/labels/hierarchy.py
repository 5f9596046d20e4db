"""Hierarchy: a tree with the items at its leaves, many or one to a leaf, however it was written.

Nodes are numbered so that parents come before their children; 0 is the root. The order in which
nodes are split says what a cut into k clusters is: of a dendrogram, its merges from the last on;
of a tree with lengths, nodes by their distance from the root; of any other, level by level, nodes
of more items first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from roget.core.io.problems import plural
from roget.core.types import Array, BoolArray, Floats, Ints
from roget.errors import InputError
from roget.scoring.labels.labels import Factors, Labels


class Layout(NamedTuple):
    """The leaves side by side, so that those below any node are a stretch of places."""

    places: Ints
    """The place of each leaf."""
    first: Ints
    """The first place below each node."""
    end: Ints
    """One more than the last."""
    between: Ints
    """The lowest node above the leaves at each place and the next."""
    parent: Ints
    """The parent of each node, −1 of the root."""


class Grown(NamedTuple):
    """A tree with leaves for items that it did not have, beside its root, below a new one."""

    layout: Layout
    made: Ints
    """How many clusters of the tree there are once a node is split."""
    never: int

    def tops(self, k: int) -> Ints:
        """The nodes that a cut into k clusters leaves, in the order of the branches."""
        split = self.made <= k
        whole = ~split
        whole[1:] &= split[self.layout.parent[1:]]
        nodes = np.flatnonzero(whole)
        return nodes[np.argsort(self.layout.first[nodes], kind="stable")]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Items at the leaves of a tree, to be scored as a system: `roget.score(gold, hierarchy)`.

    >>> tree = Hierarchy.from_linkage([[0, 1, 0.5, 2], [2, 3, 1.0, 3]], ["a", "b", "c"])
    >>> tree
    <Hierarchy of 3 items at 3 leaves>
    >>> tree.cut(2).tolist()
    [0, 0, 1]
    """

    parent: Ints
    """The parent of each node, −1 of the root; parents come before their children."""
    splits: Ints
    """The inner nodes, in the order in which they are split."""
    leaves: Ints
    """The node of each leaf."""
    codes: Ints
    """The leaf of each item."""
    items: Sequence[str] | None = None
    """Item ids; None: items are known by their position."""
    names: Sequence[str] | None = None
    """What nodes are called; "" for those without a name."""
    levels: tuple[Factors, ...] = ()
    """The label of each item at each level, where levels have a meaning of their own."""
    kind: str = "tree"
    """What it was written as, for signatures."""
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
        return cls(parent, np.arange(rows), last - at, at, named, kind=kind, source=source)

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
        leaves = f"{self.leaves.size:,} {'leaf' if self.leaves.size == 1 else 'leaves'}"
        return f"<Hierarchy of {plural(len(self), 'item', ',')} at {leaves}>"

    @cached_property
    def layout(self) -> Layout:
        """The leaves in the order of the branches."""
        return lay_out(self.parent, self.leaves)

    @cached_property
    def made(self) -> Ints:
        """How many clusters there are once a node is split; of leaves, one more than ever."""
        made = np.full(self.parent.size, self.leaves.size + 1, dtype=np.int64)
        children = np.bincount(self.parent[1:], minlength=self.parent.size)
        made[self.splits] = 1 + np.cumsum(children[self.splits] - 1)
        return made

    @cached_property
    def cuts(self) -> Ints:
        """The numbers of clusters that a cut can have; a node of many children jumps over some."""
        return np.unique(np.append(1, self.made[self.splits]))

    def nearest_cut(self, k: int) -> int:
        """The most clusters that a cut can have, up to k."""
        if not 1 <= k <= self.leaves.size:
            raise InputError(
                f"{self.source}: cannot be cut into {k} clusters: expected 1 to {self.leaves.size}"
            )
        return int(self.cuts[np.searchsorted(self.cuts, k, side="right") - 1])

    def grow(self, extra: int) -> Grown:
        """The tree with so many more leaves, numbered after its own, which no cut puts together."""
        if not extra:
            return Grown(self.layout, self.made, self.leaves.size + 1)
        parent = np.concatenate(([-1, 0], self.parent[1:] + 1, np.zeros(extra, dtype=np.int64)))
        leaves = np.append(self.leaves + 1, self.parent.size + 1 + np.arange(extra))
        never = self.leaves.size + 1
        made = np.concatenate(([0], self.made, np.full(extra, never)))
        return Grown(lay_out(parent, leaves), made, never)

    def tops(self, k: int) -> Ints:
        """The nodes that a cut into k clusters leaves, in the order of the branches."""
        return self.grow(0).tops(self.nearest_cut(k))

    def cut_leaves(self, k: int) -> Ints:
        """For each leaf, which of the k clusters it is in."""
        tops, layout = self.tops(k), self.layout
        sizes = layout.end[tops] - layout.first[tops]
        return np.repeat(np.arange(tops.size), sizes)[layout.places]

    def cut(self, k: int) -> Ints:
        """For each item, which of the k clusters it is in."""
        return self.cut_leaves(k)[self.codes]

    def name(self, node: int) -> str:
        """What a node is called, or its number."""
        named = self.names[node] if self.names is not None else ""
        return named or f"node {node}"

    def to_labels(self) -> Labels:
        """The items with their leaves as labels."""
        names = [self.name(node) for node in self.leaves.tolist()]
        return Labels(
            self.codes,
            self.leaves.size,
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


def lay_out(parent: Ints, leaves: Ints) -> Layout:
    """The leaves of a tree in the order of its branches."""
    nodes = parent.size
    above = parent.tolist()
    sizes = np.zeros(nodes, dtype=np.int64)
    sizes[leaves] = 1
    size = sizes.tolist()
    for node in range(nodes - 1, 0, -1):
        size[above[node]] += size[node]
    first = [0] * nodes
    following = [0] * nodes
    for node in range(1, nodes):
        over = above[node]
        at = following[over]
        first[node] = following[node] = at
        following[over] = at + size[node]
    begin = np.array(first, dtype=np.int64)
    end = begin + np.array(size, dtype=np.int64)
    between = np.zeros(max(leaves.size - 1, 0), dtype=np.int64)
    # Where a child ends that is not its parent's last.
    inner = np.flatnonzero(end[1:] < end[parent[1:]]) + 1
    between[end[inner] - 1] = parent[inner]
    return Layout(begin[leaves], begin, end, between, parent)


def order_splits(parent: Ints, leaves: Ints, weights: Ints, distance: Floats | None) -> Ints:
    """The inner nodes in the order in which they are split, parents before their children.

    By distance from the root, where it is known; else by depth, and then by the weight below.
    """
    nodes, above = parent.size, parent.tolist()
    inner = np.ones(nodes, dtype=bool)
    inner[leaves] = False
    if distance is not None:
        far = distance.tolist()
        for node in range(1, nodes):
            # A negative length, as neighbour joining gives, splits no child before its parent.
            far[node] = max(far[above[node]], far[above[node]] + far[node])
        keys: tuple[Array, ...] = (np.arange(nodes), np.array(far))
    else:
        depth, below = [0] * nodes, np.bincount(leaves, weights, nodes).tolist()
        for node in range(1, nodes):
            depth[node] = depth[above[node]] + 1
        for node in range(nodes - 1, 0, -1):
            below[above[node]] += below[node]
        keys = np.arange(nodes), -np.array(below), np.array(depth)
    order = np.lexsort(keys)
    return order[inner[order]]


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


def merge_leaves(parent: Ints, at: Ints) -> tuple[Ints, Ints, Ints]:
    """A leaf for each node that holds items: the parents with those added, leaves, and codes.

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
    return np.concatenate((parent, added)), leaves, codes.astype(np.int64)
