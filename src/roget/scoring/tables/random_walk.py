"""Random walks through a tree whose nodes are clusters of all items below them, in closed form.

From an item a step leads to one of the nodes above it, chosen by the nodes' weights w, and on to
any item below that node. Let W(i) be the sum of the weights above item i, and u = w/size of a node.
The walks from i at j are entries of

    (1)  (1 − α)·(diag(W) − α·Σ_nodes u·1·1ᵀ)⁻¹·diag(W)   (1 is the indicator of a node's items).

The blocks are nested, so a node adds a rank-one term to the inverse of its children's blocks
(Sherman–Morrison), and an entry factorises into

    (2)  leave(i)·reach(j)·meet(lowest node above i and j).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roget.core.types import Floats, Values
from roget.errors import Undefined
from roget.scoring.tables.records import Elements

if TYPE_CHECKING:
    from roget.scoring.tables.contingency import Leaves

MOST_PAIRS = 1 << 29
"""Largest number of pairs of leaves of one class that are evaluated: half a minute."""

_ROUNDING = 1e-12
"""Rounding error of a similarity of 1."""


class _Walks(NamedTuple):
    """The factors of equation (2)."""

    leave: Floats
    """For an item of the leaf at each place."""
    reach: Floats
    """For an item of the leaf at each place."""
    meet: Floats
    """For each node."""


@dataclass(frozen=True, eq=False)
class TreeElements(Elements):
    """Element-centric similarity of flat gold classes and all nodes of a tree."""

    leaves: Leaves

    def mean(self, alpha: float, r: float = 1.0) -> Values:
        table = self.leaves.table
        return table.over_cells(table.counts * self.each(alpha, r)) / table.n

    def each(self, alpha: float, r: float = 1.0) -> Floats:
        table, tree = self.leaves
        width = tree.n_clusters
        # Cells in order of class and place.
        place = self.leaves.places[table.columns]
        order = np.argsort(table.rows * width + place, kind="stable")
        rows, place, counts = table.rows[order], place[order], table.counts[order] * 1.0
        starts = [0] if table.cuts is None else np.searchsorted(rows, table.cuts).tolist()
        ends = [*starts[1:], rows.size]
        many = np.bincount(rows).astype(np.float64)
        pairs = np.add.reduceat(many * (many - 1) / 2, [0] if table.cuts is None else table.cuts)
        if pairs.max() > MOST_PAIRS:
            raise Undefined(
                f"computed for trees with up to {MOST_PAIRS:,} pairs of leaves of one class; there "
                f"are {pairs.max():,.0f}. --cuts K gives the value of the cut into K clusters"
            )
        # `met` of a cell belongs to the lowest node above it and the next cell of its class.
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
        # Within its class an item's walk puts α/size on every item; the restart mass 1 − α at the
        # item itself is the same on both sides. Similarity = Σ over items of the minimum, over α.
        even = alpha / table.row_totals[rows]
        common = counts * np.minimum(even, leave * reach * own)
        one, step, least = apart, 1, met[apart]
        while one.size:
            # All pairs of cells of a class that are `step` cells apart. `meet` decreases towards
            # the root, so the minimum between two cells belongs to the lowest node above both.
            two = one + step
            common[one] += counts[two] * np.minimum(even[one], leave[one] * reach[two] * least)
            common[two] += counts[one] * np.minimum(even[two], leave[two] * reach[one] * least)
            held = two + 1 < rows.size
            held[held] = rows[two[held] + 1] == rows[one[held]]
            one, least = one[held], np.minimum(least[held], met[two[held]])
            step += 1
        similarity = np.empty(rows.size)
        similarity[order] = common / alpha
        similarity[similarity > 1 - _ROUNDING] = 1.0
        return similarity

    def _walk(self, sizes: Floats, alpha: float, r: float) -> _Walks:
        """Return the factors of equation (2) for these numbers of items at the places."""
        tree = self.leaves.tree
        layout, leaf, parent, levels = tree.layout, tree.layout.nodes, tree.parent, tree.levels
        sums = np.concatenate(([0.0], np.cumsum(sizes)))
        below = sums[layout.end] - sums[layout.first]
        # Weights exp(r·level); a node's level is its share of the longest path through it, 0 at
        # the root and 1 at leaves. Only ratios of weights matter, so the largest becomes 1.
        powers = r * (tree.depths / np.maximum(tree.depths + tree.heights, 1))
        weights = np.exp(powers - powers.max())
        # α·u of each node, and W: the sum of the weights of a node and all nodes above it.
        shares = alpha * np.divide(weights, below, out=np.zeros(below.size), where=below > 0)
        above = weights.copy()
        for nodes in levels[1:]:
            above[nodes] += above[parent[nodes]]
        # Bottom-up: `inverse` is 1ᵀ·M⁻¹·1 of a node's block before its own rank-one term is added,
        # `kept` the denominator 1 − α·u·(1ᵀ·M⁻¹·1) of Sherman–Morrison.
        inverse = np.zeros(below.size)
        inverse[leaf] = sizes / above[leaf]
        kept = np.empty(below.size)
        for nodes in reversed(levels):
            kept[nodes] = 1 - shares[nodes] * inverse[nodes]
            if nodes[0]:
                np.add.at(inverse, parent[nodes], inverse[nodes] / kept[nodes])
        # Top-down: `passed` is the product of `kept` from the root to a node. The term of a node is
        # α·u/kept, seen from an item through the factors 1/kept of the nodes between; relative to
        # the product at the item's leaf this is passed(node)², and terms add up along the path.
        meet, passed = shares / kept, kept.copy()
        for nodes in levels[1:]:
            passed[nodes] *= passed[parent[nodes]]
        meet *= passed**2
        for nodes in levels[1:]:
            meet[nodes] += meet[parent[nodes]]
        reach = 1 / passed[leaf]
        return _Walks((1 - alpha) * reach / above[leaf], reach, meet)
