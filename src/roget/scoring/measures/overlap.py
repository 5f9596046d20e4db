"""Measures that let each cluster (or class) choose its best partner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roget.core.information import weighted_sum
from roget.scoring.contingency import Contingency
from roget.scoring.measures.base import Measure


@dataclass(frozen=True)
class Purity(Measure):
    """1 is best: the share of items in their cluster's majority class. Singletons score 1."""

    name = "purity"
    needs = ("table",)
    reference = "Zhao & Karypis 2001"

    def compute(self, table: Contingency) -> float:
        return float(table.column_best.sum() / table.n)


@dataclass(frozen=True)
class InversePurity(Measure):
    """1 is best: the share of items in their class's majority cluster. One cluster scores 1."""

    name = "inverse-purity"
    needs = ("table",)
    reference = "Zhao & Karypis 2001"

    def compute(self, table: Contingency) -> float:
        return float(table.row_best.sum() / table.n)


@dataclass(frozen=True)
class MicroPrecision(Purity):
    """1 is best: micro-averaged precision once each cluster is given its majority class.

    Every item has one class and one cluster, so it equals recall and purity.
    """

    name = "micro-precision"
    reference = "Dhillon, Mallela & Modha 2003"


@dataclass(frozen=True)
class MicroRecall(Purity):
    """1 is best: micro-averaged recall once each cluster is given its majority class.

    Every item has one class and one cluster, so it equals precision and purity.
    """

    name = "micro-recall"
    reference = "Dhillon, Mallela & Modha 2003"


@dataclass(frozen=True)
class ManyToOne(Purity):
    """1 is best: accuracy when many clusters may map to one class; the tagger's name for purity."""

    name = "many-to-one"
    reference = "Johnson 2007"


@dataclass(frozen=True)
class VanDongen(Measure):
    """0 is best: the share of items to move, 1 − (Σ row maxima + Σ column maxima)/2N."""

    name = "van-dongen"
    direction = "lower"
    symmetric = True
    best = 0.0
    needs = ("table",)
    reference = "van Dongen 2000"

    def compute(self, table: Contingency) -> float:
        kept = table.row_best.sum() + table.column_best.sum()
        return float((2 * table.n - kept) / (2 * table.n))


def best_f_by_class(table: Contingency) -> np.ndarray:
    """For each class, 2·overlap/(class size + cluster size) with the cluster it fits best."""
    sizes = table.row_totals[table.rows] + table.column_totals[table.columns]
    best: np.ndarray = np.maximum.reduceat(2.0 * table.counts / sizes, table.row_starts)
    return best


@dataclass(frozen=True)
class ClusteringF(Measure):
    """1 is best: each class's best F with any cluster, averaged by class size."""

    name = "f"
    needs = ("table",)
    reference = "Fung, Wang & Ester 2003"

    def compute(self, table: Contingency) -> float:
        return float(weighted_sum(best_f_by_class(table), table.row_totals) / table.n)


@dataclass(frozen=True)
class Larsen(Measure):
    """1 is best: each class's best F with any cluster, all classes counting alike."""

    name = "larsen"
    needs = ("table",)
    reference = "Larsen & Aone 1999"

    def compute(self, table: Contingency) -> float:
        return float(best_f_by_class(table).mean())
