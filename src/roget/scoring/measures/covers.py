"""Measures for overlapping clusters, and item-by-item similarity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from roget.core.types import Values
from roget.errors import InputError
from roget.scoring.measures.base import Measure, choose, divide, harmonic
from roget.scoring.tables.cover import Cover, Degrees, Overlap, measure_information
from roget.scoring.tables.records import Elements

AMIGO = "Amigó et al. 2009"
JURGENS = "Jurgens & Klapaftis 2013"


@dataclass(frozen=True)
class ElementCentric(
    Measure, name="element-centric", symmetric=True, reference="Gates et al. 2019"
):
    """1 is best: the mean similarity of an item's random walks through classes and clusters.

    At each step a walk moves, with probability `alpha`, to an item of a cluster of the current
    item, else returns to its start. If every item has one class and one cluster, the similarity is
    overlap/larger of the two, for any `alpha`. For a tree the whole tree is scored, whatever the
    cut: an item belongs to every node above it with weight exp(`r` · level), where the level is 0
    at the root and 1 at leaves. Compared with flat classes a tree usually scores below 1, even if
    each class is a node.
    """

    alpha: float = 0.9
    r: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise InputError(
                f"element-centric: invalid alpha={self.alpha:g}; expected a number between 0 and 1",
                code="invalid-option",
            )
        if not math.isfinite(self.r):
            raise InputError(
                f"element-centric: invalid r={self.r:g}; expected a finite number",
                code="invalid-option",
            )

    def compute(self, elements: Elements) -> Values:
        return elements.mean(self.alpha, self.r)


class ExtendedPrecision(Measure, name="xb3-precision", reference=AMIGO):
    """1 is best: B-cubed precision for overlapping clusters.

    For two items that share s clusters and g classes, min(g, s)/s; averaged over the items that
    share a cluster with an item, and then over items.
    """

    def compute(self, cover: Cover) -> float:
        return float(cover.bcubed.precision)


class ExtendedRecall(Measure, name="xb3-recall", reference=AMIGO):
    """1 is best: B-cubed recall for overlapping classes.

    For two items that share g classes and s clusters, min(g, s)/g; averaged over the items that
    share a class with an item, and then over items.
    """

    def compute(self, cover: Cover) -> float:
        return float(cover.bcubed.recall)


class ExtendedF(Measure, name="xb3-f", symmetric=True, reference=AMIGO):
    """1 is best: the harmonic mean of extended B-cubed precision and recall.

    If every item has one class and one cluster, it equals B-cubed F.
    """

    def compute(self, cover: Cover) -> float:
        return float(harmonic(cover.bcubed.precision, cover.bcubed.recall))


class Omega(
    Measure, name="omega", range=(-1.0, 1.0), symmetric=True, reference="Collins & Dent 1988"
):
    """1 is best, 0 is chance: pairs of items that share as many classes as clusters, adjusted.

    If every item has one class and one cluster, it equals the adjusted Rand index.
    """

    def compute(self, cover: Cover) -> float:
        shares = cover.shares
        total = shares.total
        if shares.equal == total:
            return 1.0
        sides = zip(shares.gold, shares.system, strict=False)
        chance = sum(one * other for one, other in sides)
        return float((shares.equal * total - chance) / (total * total - chance))


@dataclass(frozen=True)
class OverlappingNMI(
    Measure, name="onmi", symmetric=True, reference="McDaid, Greene & Hurley 2011"
):
    """1 is best: mutual information of overlapping classes and clusters with their best partners.

    Classes and clusters are sets of items. `norm=max` divides by the larger of the two entropies;
    `norm=lfk` is the older measure of Lancichinetti, Fortunato & Kertész (2009), the mean share of
    the entropy of each set that its best partner explains.
    """

    norm: str = "max"

    def __post_init__(self) -> None:
        choose("onmi", "norm", self.norm, ("max", "lfk"))

    def compute(self, cover: Cover) -> float:
        overlap = cover.overlap
        if self.norm == "lfk":
            return 1 - (_unknown(overlap) + _unknown(overlap.swap())) / 2
        gold, system, mutual = measure_information(overlap)
        # Both entropies are 0 only if all sets of both sides hold all items.
        return float(divide(mutual, max(gold, system), 1.0))


def _unknown(overlap: Overlap) -> float:
    """Return the mean over classes of the share of H that the best cluster does not explain."""
    entropies = overlap.entropies
    left = divide(overlap.conditional(strict=True), entropies, 1.0)
    # A class of all items, with entropy 0, is explained if some cluster has all items.
    whole = (entropies == 0) & bool(np.any(overlap.system == overlap.n))
    return float(np.where(whole, 0.0, left).mean())


class MeanBestF1(Measure, name="mean-best-f1", symmetric=True, reference="Yang & Leskovec 2013"):
    """1 is best: the mean F of each class with its best cluster, and of each cluster likewise.

    The two means are averaged. Without overlaps the mean over classes is Larsen's measure.
    """

    def compute(self, cover: Cover) -> float:
        overlap = cover.overlap
        sizes = overlap.gold[overlap.rows] + overlap.system[overlap.columns]
        fit = 2.0 * overlap.counts / sizes
        means = []
        for codes, count in (
            (overlap.rows, overlap.gold.size),
            (overlap.columns, overlap.system.size),
        ):
            best = np.zeros(count)
            np.maximum.at(best, codes, fit)
            means.append(best.mean())
        return float(sum(means) / 2)


class FuzzyPrecision(Measure, name="fuzzy-b3-precision", best=None, reference=JURGENS):
    """1 is best: B-cubed precision of weighted labels, over pairs of two items.

    Weights are scaled so that the largest of an item is 1, and two items agree in a label by 1 −
    the difference of their weights. An item that shares a cluster with no other item scores 0, so a
    perfect clustering with such items is below 1. The scorer of the task calls this recall.
    """

    def compute(self, degrees: Degrees) -> Values:
        return degrees.bcubed.precision


class FuzzyRecall(Measure, name="fuzzy-b3-recall", best=None, reference=JURGENS):
    """1 is best: B-cubed recall of weighted labels, over pairs of two items.

    Weights are scaled so that the largest of an item is 1, and two items agree in a label by 1 −
    the difference of their weights. An item that shares a class with no other item scores 0. The
    scorer of the task calls this precision.
    """

    def compute(self, degrees: Degrees) -> Values:
        return degrees.bcubed.recall


class FuzzyF(Measure, name="fuzzy-b3-f", symmetric=True, best=None, reference=JURGENS):
    """1 is best: the harmonic mean of fuzzy B-cubed precision and recall.

    For several words the task reports the harmonic mean of the averages, not the mean of F.
    """

    def compute(self, degrees: Degrees) -> Values:
        return harmonic(degrees.bcubed.precision, degrees.bcubed.recall)


@dataclass(frozen=True)
class FuzzyNMI(Measure, name="fuzzy-nmi", symmetric=True, reference=JURGENS):
    """1 is best: mutual information of classes and clusters with their best partners, by weights.

    Weights are scaled so that the largest of an item is 1, and put into `bins` bins. Without
    weights it equals `onmi`.
    """

    bins: int = 10

    def __post_init__(self) -> None:
        if self.bins < 2:
            raise InputError(
                f"fuzzy-nmi: invalid bins={self.bins}; expected 2 or more", code="invalid-option"
            )

    def compute(self, degrees: Degrees) -> float:
        gold, system, mutual = degrees.mutual(self.bins)
        return float(divide(mutual, max(gold, system), 1.0))
