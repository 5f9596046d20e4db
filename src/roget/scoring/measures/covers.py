"""Measures that know what to do with an item in several clusters, or that look item by item."""

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
    """1 is best: how alike an item's walks through classes and through clusters are, on average.

    At each step a walk goes on to an item of a cluster that the last one is in with probability
    `alpha`, else back to the item. Where every item has one class and one cluster, it is overlap /
    larger of the two for any `alpha`. Of a tree it is that of the whole tree, whatever the cut: an
    item is in every node above it, with weight exp(`r` · level), from level 0 at the root to 1 at
    leaves. Beside flat classes a tree is then as a rule below 1, even if each class is a node.
    """

    alpha: float = 0.9
    r: float = 1.0

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise InputError(f"element-centric: alpha={self.alpha:g}, expected it between 0 and 1")
        if not math.isfinite(self.r):
            raise InputError(f"element-centric: r={self.r:g}, expected a finite number")

    def compute(self, elements: Elements) -> Values:
        return elements.mean(self.alpha, self.r)


class ExtendedPrecision(Measure, name="xb3-precision", reference=AMIGO):
    """1 is best: B-cubed precision where items may be in several clusters.

    Of the clusters that two items share, the share for which they have common classes; averaged
    over all items that share a cluster with an item, and then over items.
    """

    def compute(self, cover: Cover) -> float:
        return float(cover.bcubed.precision)


class ExtendedRecall(Measure, name="xb3-recall", reference=AMIGO):
    """1 is best: B-cubed recall where items may be in several classes.

    Of the classes that two items share, the share for which they have common clusters; averaged
    over all items that share a class with an item, and then over items.
    """

    def compute(self, cover: Cover) -> float:
        return float(cover.bcubed.recall)


class ExtendedF(Measure, name="xb3-f", symmetric=True, reference=AMIGO):
    """1 is best: the harmonic mean of extended B-cubed precision and recall.

    Where every item has one class and one cluster, it is B-cubed.
    """

    def compute(self, cover: Cover) -> float:
        return float(harmonic(cover.bcubed.precision, cover.bcubed.recall))


class Omega(
    Measure, name="omega", range=(-1.0, 1.0), symmetric=True, reference="Collins & Dent 1988"
):
    """1 is best, 0 is chance: pairs of items that share as many classes as clusters, adjusted.

    Where every item has one class and one cluster, it is the adjusted Rand index.
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
    """1 is best: what classes and clusters, each as a set of items, say of their best partners.

    `norm=max` divides by the larger of the two entropies; `norm=lfk` is the older measure of
    Lancichinetti, Fortunato & Kertész (2009), the mean of what is known of each set.
    """

    norm: str = "max"

    def __post_init__(self) -> None:
        choose("onmi", "norm", self.norm, ("max", "lfk"))

    def compute(self, cover: Cover) -> float:
        overlap = cover.overlap
        if self.norm == "lfk":
            return 1 - (_unknown(overlap) + _unknown(overlap.swap())) / 2
        gold, system, mutual = measure_information(overlap)
        # Without entropy, all sets of both sides hold all items.
        return float(divide(mutual, max(gold, system), 1.0))


def _unknown(overlap: Overlap) -> float:
    """The mean over classes of the share of H that the best cluster leaves unsaid."""
    of = overlap.entropies
    left = divide(overlap.conditional(strict=True), of, 1.0)
    # A class of all items is known if some cluster has them all.
    whole = (of == 0) & bool(np.any(overlap.system == overlap.n))
    return float(np.where(whole, 0.0, left).mean())


class MeanBestF1(Measure, name="mean-best-f1", symmetric=True, reference="Yang & Leskovec 2013"):
    """1 is best: the mean F of classes with the cluster that fits best, and of clusters likewise.

    The two means are averaged; that of classes is Larsen's where clusters do not overlap.
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

    Two items agree in a label by 1 − the difference of their weights, of which the largest of an
    item is 1. An item that shares a cluster with no other adds 0, so that a perfect answer with
    such items is below 1. The task's own tool calls this recall.
    """

    def compute(self, degrees: Degrees) -> Values:
        return degrees.bcubed.precision


class FuzzyRecall(Measure, name="fuzzy-b3-recall", best=None, reference=JURGENS):
    """1 is best: B-cubed recall of weighted labels, over pairs of two items.

    Two items agree in a label by 1 − the difference of their weights, of which the largest of an
    item is 1. An item that shares a class with no other adds 0. The task's own tool calls this
    precision.
    """

    def compute(self, degrees: Degrees) -> Values:
        return degrees.bcubed.recall


class FuzzyF(Measure, name="fuzzy-b3-f", symmetric=True, best=None, reference=JURGENS):
    """1 is best: the harmonic mean of fuzzy B-cubed precision and recall.

    Of several words the task takes the harmonic mean of the averages, not the average of these.
    """

    def compute(self, degrees: Degrees) -> Values:
        return harmonic(degrees.bcubed.precision, degrees.bcubed.recall)


@dataclass(frozen=True)
class FuzzyNMI(Measure, name="fuzzy-nmi", symmetric=True, reference=JURGENS):
    """1 is best: what classes and clusters say of their best partners by the weights of items.

    Weights, of which the largest of an item is 1, are put into ten bins. Without weights, it is
    `onmi`.
    """

    bins: int = 10

    def __post_init__(self) -> None:
        if self.bins < 2:
            raise InputError(f"fuzzy-nmi: bins={self.bins}, expected 2 or more")

    def compute(self, degrees: Degrees) -> float:
        gold, system, mutual = degrees.mutual(self.bins)
        return float(divide(mutual, max(gold, system), 1.0))
