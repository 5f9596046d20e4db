"""Measures of a whole tree, independent of the cut; a flat clustering is a tree of depth one."""

from __future__ import annotations

from roget.errors import Undefined
from roget.scoring.measures.base import Measure
from roget.scoring.tables.dendrogram import Dendrogram


class DendrogramPurity(Measure, name="dendrogram-purity", reference="Heller & Ghahramani 2005"):
    """1 is best: the mean purity of the smallest node above two items of one class.

    The mean is over all pairs of items of one class. A flat clustering is a tree of a root, its
    clusters and their items. Undefined if no two items share a class, except that a tree with one
    item per leaf then scores 1.
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
        raise Undefined("no two items share a class, so there are no pairs")
