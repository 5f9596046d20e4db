"""The tree over the clusters in a table, which measures of whole trees require.

Two items in a class meet at their lowest common ancestor. The items in a class with m cells meet at
no more than m − 1 nodes, which are called the branches of the class. To find them, sort the leaves
of the class and take the lowest common ancestor of each pair of neighbours. Sums over pairs of
items depend only on the branches, and so do the tables of all cuts: from one cut to the next, a
cell changes only if the node that is split is a branch of its class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roget.core.tree import Layout, Tree
from roget.core.types import CountArray, Floats, Ints

if TYPE_CHECKING:
    from roget.scoring.tables.contingency import Contingency


class Branches(NamedTuple):
    """Branches of a tree, listed for each class or for all classes together.

    A branch is a leaf that contains items of the class, or an inner node at which such items meet.
    The leaves come first, followed by the inner nodes.
    """

    owner: Ints
    node: Ints
    """The tree node of the branch, or −1 for a leaf, which is never split."""
    place: Ints
    """The position of the first leaf below the branch."""
    end: Ints
    """The position after the last leaf below the branch."""
    items: CountArray
    """The number of the class's items below the branch."""
    over: Ints
    """The index of the next higher branch of the same class, or −1 for the highest branch."""

    def subtract_children(self, values: Floats) -> Floats:
        """Return the value of each branch minus the values of the branches directly below it."""
        part = np.flatnonzero(self.over >= 0)
        below = np.bincount(self.over[part], values[part], values.size)
        return values - below


def find_branches(owner: Ints, place: Ints, counts: CountArray, layout: Layout) -> Branches:
    """Return the branches of each class.

    `owner` is the class of each cell, or 0 to find the branches of all classes together. Cells must
    be sorted by owner and then by leaf position.
    """
    nodes, width = layout.first.size, layout.places.size
    cells = owner.size
    # Step 1: find the lowest common ancestor of each pair of adjacent cells in the same class.
    near = np.flatnonzero(owner[1:] == owner[:-1])
    meet = layout.find_lowest(place[near], place[near + 1])
    bounds = np.full(cells + 1, -1, dtype=np.int64)
    bounds[near + 1] = meet
    # Step 2: the distinct (class, node) pairs are the inner branches. Sorting the keys and
    # comparing neighbours is faster than np.unique, which hashes the keys first.
    keys = np.sort(owner[near] * nodes + meet)
    keys = keys[np.diff(keys, prepend=-1) > 0]
    owners, inner = np.divmod(keys, nodes)
    # Step 3: the cells below a branch are a contiguous range of the cells of its class, so the sum
    # of their counts is a difference of cumulative sums.
    at = owner * width + place
    low, high = (
        np.searchsorted(at, owners * width + layout.first[inner]),
        np.searchsorted(at, owners * width + layout.end[inner]),
    )
    sums = np.concatenate(([0], np.cumsum(counts)))
    # Step 4: the next higher branch is the node at which the branch meets the next cell on its left
    # or on its right, whichever node is lower. Both nodes are ancestors of the branch, so the lower
    # one has the larger number.
    above = np.concatenate(
        (np.maximum(bounds[:-1], bounds[1:]), np.maximum(bounds[low], bounds[high]))
    )
    every = np.concatenate((owner, owners))
    over = np.where(above < 0, -1, cells + np.searchsorted(keys, every * nodes + above))
    return Branches(
        every,
        np.concatenate((np.full(cells, -1), inner)),
        np.concatenate((place, layout.first[inner])),
        np.concatenate((place + 1, layout.end[inner])),
        np.concatenate((counts, sums[high] - sums[low])),
        over,
    )


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """A tree whose leaves are the clusters of a contingency table."""

    table: Contingency
    """The table of classes (rows) and leaves (columns)."""
    layout: Layout
    places: Ints
    """The position of each column's leaf in the layout."""

    @classmethod
    def flat(cls, table: Contingency) -> Dendrogram:
        """Make the tree of a flat clustering: a root with all clusters as children."""
        columns = table.shape[1]
        # Unlike in `Tree.flat`, a single cluster is a child of the root instead of the root itself.
        star = Tree(np.append(-1, np.zeros(columns, dtype=np.int64)))
        return cls(table, star.layout, np.arange(columns))

    @cached_property
    def branches(self) -> Branches:
        """The branches of each class."""
        place = self.places[self.table.columns]
        order = np.argsort(self.table.rows * self.layout.places.size + place, kind="stable")
        rows, counts = self.table.rows[order], self.table.counts[order]
        return find_branches(rows, place[order], counts, self.layout)

    @cached_property
    def sums(self) -> CountArray:
        """The cumulative number of items over the leaves, in layout order, starting with 0."""
        at = np.zeros(self.layout.places.size, dtype=self.table.counts.dtype)
        np.add.at(at, self.places, self.table.column_totals)
        return np.concatenate(([0], np.cumsum(at)))

    @cached_property
    def pairs(self) -> tuple[Floats, Floats]:
        """The number of item pairs that meet at each branch, and the purity of each branch.

        The purity is the fraction of all items below the branch that belong to the branch's class.
        """
        branches = self.branches
        pairs = branches.subtract_children(branches.items * (branches.items - 1.0) / 2)
        return pairs, branches.items / (self.sums[branches.end] - self.sums[branches.place])

    @property
    def single(self) -> bool:
        """True if each leaf contains exactly one item."""
        return bool(np.all(self.table.column_totals == 1))
