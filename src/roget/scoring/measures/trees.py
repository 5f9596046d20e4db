"""Measures of a whole tree, whatever the cut; a flat clustering is a tree of depth one."""

from __future__ import annotations

from roget.errors import Undefined
from roget.scoring.measures.base import Measure
from roget.scoring.tables.dendrogram import Dendrogram


class DendrogramPurity(Measure, name="dendrogram-purity", reference="Heller & Ghahramani 2005"):
    """1 is best: how pure the smallest node above two items of one class is, over all such pairs.

    A flat clustering is a tree of all items, clusters and items. Undefined where no two items
    share a class, unless each item has a leaf of its own, as is then right.
    """

    def compute(self, tree: Dendrogram) -> float:
        if tree.table.fractional:
            raise Undefined("pairs of items need whole counts, not fractions")
        weights, purity = tree.pairs
        total = float(weights.sum())
        if total:
            return float((weights * purity).sum() / total)
        if tree.single:
            return 1.0
        raise Undefined("no two items share a class, so that there is no pair to look at")
