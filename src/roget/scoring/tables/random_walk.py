"""Random walks over the items of a tree, in closed form.

Each node of the tree is a cluster of all items below it. A step of the walk leads from an item to
one of the nodes above it, with probability proportional to the weight w of the node, and from there
to a random item below that node. Let W(i) be the sum of the weights of the nodes above item i, and
u = w/size for each node. The probability that the walk from i is at j is entry (i, j) of

    (1)  (1 − α)·(diag(W) − α·Σ_nodes u·1·1ᵀ)⁻¹·diag(W)   (1 is the indicator of a node's items).

The blocks are nested, so a node adds a rank-one term to the inverse of its children's blocks
(Sherman–Morrison formula), and each entry is a product of three factors:

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

MAX_PAIRS = 1 << 29
"""Maximum number of leaf pairs in the same class, which takes about half a minute."""

_ROUNDING = 1e-12
"""Tolerance: similarities closer to 1 than this are rounded to 1."""


class _Walks(NamedTuple):
    """The factors of the walk probabilities, equation (2)."""

    leave: Floats
    """The factor leave(i) in equation (2), for each leaf in depth-first order."""
    reach: Floats
    """The factor reach(j) in equation (2), for each leaf in depth-first order."""
    meet: Floats
    """The factor meet(node) in equation (2), for each node."""


@dataclass(frozen=True, eq=False)
class TreeElements(Elements):
    """Element-centric similarity between flat gold classes and all nodes of a tree."""

    leaves: Leaves

    def mean(self, alpha: float, r: float = 1.0) -> Values:
        table = self.leaves.table
        return table.over_cells(table.counts * self.each(alpha, r)) / table.n

    def each(self, alpha: float, r: float = 1.0) -> Floats:
        table, tree = self.leaves
        width = tree.n_clusters
        # Step 1: sort the cells by class and then by the position of their leaf.
        place = self.leaves.places[table.columns]
        order = np.argsort(table.rows * width + place, kind="stable")
        rows, place, counts = table.rows[order], place[order], table.counts[order] * 1.0
        starts = [0] if table.cuts is None else np.searchsorted(rows, table.cuts).tolist()
        ends = [*starts[1:], rows.size]
        many = np.bincount(rows).astype(np.float64)
        pairs = np.add.reduceat(many * (many - 1) / 2, [0] if table.cuts is None else table.cuts)
        if pairs.max() > MAX_PAIRS:
            raise Undefined(
                f"element-centric similarity supports trees with at most {MAX_PAIRS:,} pairs of "
                f"leaves in the same class; this tree has {pairs.max():,.0f}. To score the "
                "cut into K clusters instead, use `roget score --set cuts=K`"
            )
        # Step 2: find the lowest common ancestor of the leaves of each cell and of the next cell
        # in the same class.
        apart = np.flatnonzero(rows[1:] == rows[:-1])
        lowest = np.zeros(rows.size, dtype=np.int64)
        lowest[apart] = tree.layout.find_lowest(place[apart], place[apart + 1])
        # Step 3: look up the factors of equation (2), group by group.
        leave, reach, own, met = np.empty((4, rows.size))
        for begin, end in zip(starts, ends, strict=True):
            at = place[begin:end]
            sizes = np.bincount(at, counts[begin:end], width).astype(np.float64)
            walks = self._walk(sizes, alpha, r)
            leave[begin:end], reach[begin:end] = walks.leave[at], walks.reach[at]
            own[begin:end] = walks.meet[tree.layout.nodes[at]]
            met[begin:end] = walks.meet[lowest[begin:end]]
        # Step 4: sum the overlap of the two walks. In gold, the walk from an item puts α/size on
        # every item of its class. The restart mass 1 − α at the item itself is the same in gold
        # and in the system. The similarity is the sum over items of the smaller probability,
        # divided by α.
        even = alpha / table.row_totals[rows]
        common = counts * np.minimum(even, leave * reach * own)
        one, step, least = apart, 1, met[apart]
        while one.size:
            # Process all pairs of cells of the same class that are `step` positions apart. `meet`
            # decreases towards the root, so the smallest `met` between two cells belongs to their
            # lowest common ancestor.
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
        """Return the factors in equation (2), given the number of items at each leaf (`sizes`)."""
        tree = self.leaves.tree
        layout, leaf, parent, levels = tree.layout, tree.layout.nodes, tree.parent, tree.levels
        sums = np.concatenate(([0.0], np.cumsum(sizes)))
        below = sums[layout.end] - sums[layout.first]
        # A node has weight exp(r·level). Its level is its depth divided by the length of the
        # longest path through it: 0 at the root, 1 at leaves. Only ratios of weights matter, so
        # they are scaled to a maximum of 1.
        powers = r * (tree.depths / np.maximum(tree.depths + tree.heights, 1))
        weights = np.exp(powers - powers.max())
        # `shares` is α·u of each node. `above` is W, the sum of the weights of a node and its
        # ancestors.
        shares = alpha * np.divide(weights, below, out=np.zeros(below.size), where=below > 0)
        above = weights.copy()
        for nodes in levels[1:]:
            above[nodes] += above[parent[nodes]]
        # Bottom-up pass: `inverse` is 1ᵀ·M⁻¹·1 of a node's block M before the node's own rank-one
        # term is added, and `kept` is the denominator 1 − α·u·(1ᵀ·M⁻¹·1) of Sherman–Morrison.
        inverse = np.zeros(below.size)
        inverse[leaf] = sizes / above[leaf]
        kept = np.empty(below.size)
        for nodes in reversed(levels):
            kept[nodes] = 1 - shares[nodes] * inverse[nodes]
            if nodes[0]:
                np.add.at(inverse, parent[nodes], inverse[nodes] / kept[nodes])
        # Top-down pass: `passed` is the product of `kept` from the root to a node. A node adds
        # α·u/kept to the entry of two items below it, divided by `kept` of every node between the
        # node and each item. With 1/passed(leaf) as a factor of each item, passed(node)² remains
        # as a factor of the node. The terms of the common ancestors are then summed.
        meet, passed = shares / kept, kept.copy()
        for nodes in levels[1:]:
            passed[nodes] *= passed[parent[nodes]]
        meet *= passed**2
        for nodes in levels[1:]:
            meet[nodes] += meet[parent[nodes]]
        reach = 1 / passed[leaf]
        return _Walks((1 - alpha) * reach / above[leaf], reach, meet)
