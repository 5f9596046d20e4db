"""Measures for overlapping clusters, and element-centric similarity."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from roget.core.types import Values
from roget.errors import InputError
from roget.scoring.measures.base import Measure, divide, harmonic
from roget.scoring.tables.cover import Cover, Degrees, Overlap, measure_information
from roget.scoring.tables.records import Elements

AMIGO = "Amigó et al. 2009"
JURGENS = "Jurgens & Klapaftis 2013"


@dataclass(frozen=True)
class ElementCentric(
    Measure, name="element-centric", symmetric=True, reference="Gates et al. 2019"
):
    """Mean similarity between each item's random walks over classes and over clusters. Best value:
    1.

    At each step a walk moves, with probability `alpha`, to an item of a cluster of the current
    item. Otherwise it returns to its first item. If every item has one class and one cluster, the
    similarity of an item is the overlap of its class and cluster divided by the size of the larger
    set, for any `alpha`.

    A tree is scored as a whole, without a cut. An item belongs to every node above it with weight
    exp(`r` · level), where the level is 0 at the root and 1 at the leaves. A tree usually scores
    below 1 against flat classes, even if each class is a node in the tree.
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
    """B-cubed precision for overlapping clusters. Best value: 1.

    The precision of two items that share s clusters and g classes is min(g, s)/s. For each item it
    is averaged over all items that share a cluster with it, and then over items.
    """

    def compute(self, cover: Cover) -> float:
        return float(cover.bcubed.precision)


class ExtendedRecall(Measure, name="xb3-recall", reference=AMIGO):
    """B-cubed recall for overlapping classes. Best value: 1.

    The recall of two items that share g classes and s clusters is min(g, s)/g. For each item it is
    averaged over all items that share a class with it, and then over items.
    """

    def compute(self, cover: Cover) -> float:
        return float(cover.bcubed.recall)


class ExtendedF(Measure, name="xb3-f", symmetric=True, reference=AMIGO):
    """Harmonic mean of extended B-cubed precision and recall. Best value: 1.

    If every item has one class and one cluster, the score equals B-cubed F.
    """

    def compute(self, cover: Cover) -> float:
        return float(harmonic(cover.bcubed.precision, cover.bcubed.recall))


class Omega(
    Measure, name="omega", range=(-1.0, 1.0), symmetric=True, reference="Collins & Dent 1988"
):
    """Fraction of item pairs that share as many classes as clusters. Best: 1, chance: 0.

    The fraction is adjusted for chance. If every item has one class and one cluster, the score
    equals the adjusted Rand index.
    """

    def compute(self, cover: Cover) -> float:
        shares = cover.shares
        total = shares.total
        if shares.equal == total:
            return 1.0
        # The score is (equal/total − E)/(1 − E). E = Σ_j gold_j·system_j/total² is the expected
        # fraction of pairs that share as many classes as clusters if both numbers are independent.
        sides = zip(shares.gold, shares.system, strict=False)
        chance = sum(one * other for one, other in sides)
        return float((shares.equal * total - chance) / (total * total - chance))


@dataclass(frozen=True)
class OverlappingNMI(
    Measure,
    name="onmi",
    symmetric=True,
    reference="McDaid, Greene & Hurley 2011",
    choices={"norm": ("max", "lfk")},
):
    """Normalised mutual information between overlapping classes and clusters. Best value: 1.

    Each class is compared with its most informative cluster, and each cluster with its most
    informative class. `norm=max` divides by the larger of the two entropies. `norm=lfk` is the
    older measure of Lancichinetti, Fortunato & Kertész (2009): the fraction of a set's entropy that
    is explained by its best match, averaged over sets.
    """

    norm: str = "max"

    def compute(self, cover: Cover) -> float:
        overlap = cover.overlap
        if self.norm == "lfk":
            return 1 - (_unknown(overlap) + _unknown(overlap.swap())) / 2
        gold, system, mutual = measure_information(overlap)
        # Both entropies are 0 only if every class and every cluster contains all items.
        return float(divide(mutual, max(gold, system), 1.0))


def _unknown(overlap: Overlap) -> float:
    """Return the mean fraction of a class's entropy that its best cluster does not explain."""
    entropies = overlap.entropies
    left = divide(overlap.conditional(strict=True), entropies, 1.0)
    # A class that contains all items has entropy 0. It is explained if some cluster also contains
    # all items.
    whole = (entropies == 0) & bool(np.any(overlap.system == overlap.n))
    return float(np.where(whole, 0.0, left).mean())


class MeanBestF1(Measure, name="mean-best-f1", symmetric=True, reference="Yang & Leskovec 2013"):
    """Mean F of each class with its best cluster, and vice versa. Best value: 1.

    The score is the average of the mean over classes and the mean over clusters. Without overlaps
    the mean over classes equals `larsen`.
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
    """B-cubed precision for weighted labels, over pairs of different items. Best value: 1.

    Weights are scaled to a maximum of 1 per item. The agreement of two items in a label is 1 minus
    the difference between their weights. An item that shares no cluster with another item scores 0,
    so a perfect clustering with such items scores below 1. The scorer of the shared task calls this
    value recall.
    """

    def compute(self, degrees: Degrees) -> Values:
        return degrees.bcubed.precision


class FuzzyRecall(Measure, name="fuzzy-b3-recall", best=None, reference=JURGENS):
    """B-cubed recall for weighted labels, over pairs of different items. Best value: 1.

    Weights are scaled to a maximum of 1 per item. The agreement of two items in a label is 1 minus
    the difference between their weights. An item that shares no class with another item scores 0.
    The scorer of the shared task calls this value precision.
    """

    def compute(self, degrees: Degrees) -> Values:
        return degrees.bcubed.recall


class FuzzyF(Measure, name="fuzzy-b3-f", symmetric=True, best=None, reference=JURGENS):
    """Harmonic mean of fuzzy B-cubed precision and recall. Best value: 1.

    For several words, F is computed for each word and then averaged. In contrast, the shared task
    reports the harmonic mean of average precision and average recall.
    """

    def compute(self, degrees: Degrees) -> Values:
        return harmonic(degrees.bcubed.precision, degrees.bcubed.recall)


@dataclass(frozen=True)
class FuzzyNMI(Measure, name="fuzzy-nmi", symmetric=True, reference=JURGENS):
    """Normalised mutual information between classes and clusters with weighted labels. Best value:
    1.

    Weights are scaled to a maximum of 1 per item and discretised into `bins` bins. Each class is
    compared with its most informative cluster, and vice versa. Without weights the score equals
    `onmi`.
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
