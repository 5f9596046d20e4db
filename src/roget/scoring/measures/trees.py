"""Measures of whole trees, which do not depend on a cut."""

from __future__ import annotations

from roget.errors import Undefined
from roget.scoring.measures.base import Measure
from roget.scoring.tables.dendrogram import Dendrogram


class DendrogramPurity(Measure, name="dendrogram-purity", reference="Heller & Ghahramani 2005"):
    """Mean purity of the lowest common ancestors of same-class items. Best value: 1.

    The mean is taken over all pairs of items in the same class. The purity of a node is the
    fraction of its items that belong to this class. A flat clustering is a tree with the clusters
    as children of the root. If no two items share a class, the score is 1 for a tree with one item
    per leaf, and undefined otherwise.
    """

    def compute(self, tree: Dendrogram) -> float:
        if tree.table.fractional:
            raise Undefined("pair counts are undefined for fractional counts")
        weights, purity = tree.pairs
        total = float(weights.sum())
        if total:
            return float((weights * purity).sum() / total)
        if tree.single:
            return 1.0
        raise Undefined("there are no pairs of items that share a class")
