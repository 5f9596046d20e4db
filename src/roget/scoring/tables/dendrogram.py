"""Dendrogram: the tree over the clusters of a table, for measures of whole trees.

Two items of a class meet at the lowest node above both. A class with m items (or cells) meets at
no more than m − 1 nodes, its branches. They are found by sorting the class's leaves and taking the
lowest node above each pair of neighbours, and they are all that sums over pairs, and the counts of
every cut, depend on: from cut to cut a cell changes only where its class branches.
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
    """The nodes at which items of one owner (a class, or all items) meet.

    The owner's cells at leaves come first, then its inner nodes.
    """

    owner: Ints
    node: Ints
    """−1 for a cell at a leaf, which is never split."""
    place: Ints
    """The first place below the branch."""
    end: Ints
    """One more than the last place."""
    items: CountArray
    """The number of items of the owner below the branch."""
    over: Ints
    """The next branch of the owner above this one, −1 for none."""

    def subtract_parts(self, values: Floats) -> Floats:
        """Return the values of branches minus the values of the branches right below them."""
        part = np.flatnonzero(self.over >= 0)
        below = np.bincount(self.over[part], values[part], values.size)
        return values - below


def find_branches(owner: Ints, place: Ints, counts: CountArray, layout: Layout) -> Branches:
    """Return the branches of each owner, whose cells are in order of owner and place."""
    nodes, width = layout.first.size, layout.places.size
    cells = owner.size
    # Step 1: neighbouring cells of one owner meet at the lowest node above both.
    near = np.flatnonzero(owner[1:] == owner[:-1])
    meet = layout.find_lowest(place[near], place[near + 1])
    bounds = np.full(cells + 1, -1, dtype=np.int64)
    bounds[near + 1] = meet
    # Step 2: the distinct (owner, node) pairs are the inner branches. Sorting and comparing
    # neighbours is faster than np.unique, which hashes first.
    keys = np.sort(owner[near] * nodes + meet)
    keys = keys[np.diff(keys, prepend=-1) > 0]
    owners, inner = np.divmod(keys, nodes)
    # Step 3: the cells below a branch are a range of the owner's cells; so are their counts.
    at = owner * width + place
    low, high = (
        np.searchsorted(at, owners * width + layout.first[inner]),
        np.searchsorted(at, owners * width + layout.end[inner]),
    )
    sums = np.concatenate(([0], np.cumsum(counts)))
    # Step 4: the branch above a branch is the lower of the meeting points at its two ends. Both
    # are ancestors of it, so the lower one has the larger number.
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
    """A tree whose leaves are the clusters of a table."""

    table: Contingency
    """Classes × leaves."""
    layout: Layout
    places: Ints
    """The place of each of the table's columns."""

    @classmethod
    def flat(cls, table: Contingency) -> Dendrogram:
        """Make the star of a flat clustering: a root with all clusters below it."""
        columns = table.shape[1]
        # Unlike in `Tree.flat`, a single cluster is a child of the root, too.
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
        """The number of items before each place, and the number of all items."""
        at = np.zeros(self.layout.places.size, dtype=self.table.counts.dtype)
        np.add.at(at, self.places, self.table.column_totals)
        return np.concatenate(([0], np.cumsum(at)))

    @cached_property
    def pairs(self) -> tuple[Floats, Floats]:
        """The number of pairs of a class that meet at each branch, and the purity there.

        The purity is the share of the class among all items below the branch.
        """
        branches = self.branches
        pairs = branches.subtract_parts(branches.items * (branches.items - 1.0) / 2)
        return pairs, branches.items / (self.sums[branches.end] - self.sums[branches.place])

    @property
    def single(self) -> bool:
        """True if each leaf holds one item."""
        return bool(np.all(self.table.column_totals == 1))
