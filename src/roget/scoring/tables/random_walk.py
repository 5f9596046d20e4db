"""Walks through a tree whose nodes are clusters of all items below them, in closed form.

From an item a step leads to a node above it, by the nodes' weights, and on to any item of it. With
W the sum of the weights above an item and u = weight/size of a node, walks from i that are at j
are an entry of the inverse of diag(W) − alpha·Σ u·11ᵀ, a sum over nodes of blocks of ones. The
blocks are nested: a node adds a rank of one to what its children have, so that an entry is a factor
of i, one of j, and one of the lowest node above both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from roget.core.types import Floats, Values
from roget.errors import Undefined
from roget.scoring.tables.contingency import Leaves
from roget.scoring.tables.statistics import Elements

MOST_PAIRS = 1 << 29
"""Pairs of one class's leaves that are looked at, each for itself: half a minute."""

_ROUNDING = 1e-12
"""What of a similarity of 1 may be lost on the way."""


class _Walks(NamedTuple):
    """At item j of another leaf a walk from i is by `leave[i]` · `reach[j]` · `meet` of both."""

    leave: Floats
    """For each place, of an item of its leaf."""
    reach: Floats
    meet: Floats
    """For each node."""


@dataclass(frozen=True, eq=False)
class TreeElements(Elements):
    """Walks of flat gold, which stay in a class, beside walks through all nodes of a tree."""

    leaves: Leaves

    def mean(self, alpha: float, r: float = 1.0) -> Values:
        table = self.leaves.table
        return table.over_cells(table.counts * self.each(alpha, r)) / table.n

    def each(self, alpha: float, r: float = 1.0) -> Floats:
        table, tree = self.leaves
        width = tree.n_clusters
        place = self.leaves.places[table.columns]
        order = np.argsort(table.rows * width + place, kind="stable")
        rows, place, counts = table.rows[order], place[order], table.counts[order] * 1.0
        starts = [0] if table.cuts is None else np.searchsorted(rows, table.cuts).tolist()
        ends = [*starts[1:], rows.size]
        many = np.bincount(rows).astype(np.float64)
        pairs = np.add.reduceat(many * (many - 1) / 2, [0] if table.cuts is None else table.cuts)
        if pairs.max() > MOST_PAIRS:
            raise Undefined(
                f"known of a tree up to {MOST_PAIRS:,} pairs of leaves of one class, and there are "
                f"{pairs.max():,.0f}; --cuts K has that of the cut into K clusters"
            )
        apart = np.flatnonzero(rows[1:] == rows[:-1])
        lowest = np.zeros(rows.size, dtype=np.int64)
        lowest[apart] = tree.layout.find_lowest(place[apart], place[apart + 1])
        leave, reach, own, met = np.empty((4, rows.size))
        for begin, end in zip(starts, ends, strict=True):
            at = place[begin:end]
            sizes = np.bincount(at, counts[begin:end], width).astype(np.float64)
            walks = self._walk(sizes, alpha, r)
            leave[begin:end], reach[begin:end] = walks.leave[at], walks.reach[at]
            own[begin:end] = walks.meet[tree.layout.nodes[at]]
            met[begin:end] = walks.meet[lowest[begin:end]]
        # Of its class's walks an item has alpha / size at each of its items, beside what both
        # have at the item itself from the start.
        even = alpha / table.row_totals[rows]
        common = counts * np.minimum(even, leave * reach * own)
        one, step, least = apart, 1, met[apart]
        while one.size:
            # All pairs that are so many cells of their class apart. Going up, `meet` gets less, so
            # that the least of what is between two is that of the lowest node above both.
            two = one + step
            common[one] += counts[two] * np.minimum(even[one], leave[one] * reach[two] * least)
            common[two] += counts[one] * np.minimum(even[two], leave[two] * reach[one] * least)
            held = two + 1 < rows.size
            held[held] = rows[two[held] + 1] == rows[one[held]]
            one, least = one[held], np.minimum(least[held], met[two[held]])
            step += 1
        found = np.empty(rows.size)
        found[order] = common / alpha
        found[found > 1 - _ROUNDING] = 1.0
        return found

    def _walk(self, sizes: Floats, alpha: float, r: float) -> _Walks:
        """The factors of walks where so many items are at each place."""
        tree = self.leaves.tree
        layout, leaf = tree.layout, tree.layout.nodes
        sums = np.concatenate(([0.0], np.cumsum(sizes)))
        below = sums[layout.end] - sums[layout.first]
        # A node's level is its share of the longest path through it: 0 at the root, 1 at leaves.
        powers = r * (tree.depths / np.maximum(tree.depths + tree.heights, 1))
        weights = np.exp(powers - powers.max())
        shares = alpha * np.divide(weights, below, out=np.zeros(below.size), where=below > 0)
        parent, levels = tree.parent, tree.levels
        above = weights.copy()
        for nodes in levels[1:]:
            above[nodes] += above[parent[nodes]]
        inverse = np.zeros(below.size)
        inverse[leaf] = sizes / above[leaf]
        kept = np.empty(below.size)
        for nodes in reversed(levels):
            kept[nodes] = 1 - shares[nodes] * inverse[nodes]
            if nodes[0]:
                np.add.at(inverse, parent[nodes], inverse[nodes] / kept[nodes])
        meet, passed = shares / kept, kept.copy()
        for nodes in levels[1:]:
            passed[nodes] *= passed[parent[nodes]]
        meet *= passed**2
        for nodes in levels[1:]:
            meet[nodes] += meet[parent[nodes]]
        reach = 1 / passed[leaf]
        return _Walks((1 - alpha) * reach / above[leaf], reach, meet)
