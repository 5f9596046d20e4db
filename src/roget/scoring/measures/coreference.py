"""Measures from coreference resolution: B-cubed and CEAF."""

from __future__ import annotations

from dataclasses import dataclass

from roget.scoring.assignment import best_match
from roget.scoring.contingency import Contingency
from roget.scoring.measures.base import Measure, harmonic
from roget.scoring.statistics import BCubed, Matched

BAGGA = "Bagga & Baldwin 1998"
LUO = "Luo 2005"


@dataclass(frozen=True)
class BCubedPrecision(Measure):
    """1 is best: for the average item, the share of its cluster that is of its class."""

    name = "b3-precision"
    needs = ("bcubed",)
    reference = BAGGA

    def compute(self, bcubed: BCubed) -> float:
        return bcubed.precision


@dataclass(frozen=True)
class BCubedRecall(Measure):
    """1 is best: for the average item, the share of its class that is in its cluster."""

    name = "b3-recall"
    needs = ("bcubed",)
    reference = BAGGA

    def compute(self, bcubed: BCubed) -> float:
        return bcubed.recall


@dataclass(frozen=True)
class BCubedF(Measure):
    """1 is best: the harmonic mean of B-cubed precision and recall."""

    name = "b3-f"
    symmetric = True
    needs = ("bcubed",)
    reference = BAGGA

    def compute(self, bcubed: BCubed) -> float:
        return harmonic(bcubed.precision, bcubed.recall)


@dataclass(frozen=True)
class CEAFE(Measure):
    """1 is best: F of the best one-to-one match by Dice overlap, each class counting alike."""

    name = "ceaf-e"
    symmetric = True
    needs = ("table",)
    reference = LUO

    def compute(self, table: Contingency) -> float:
        sizes = table.row_totals[table.rows] + table.column_totals[table.columns]
        overlap = 2.0 * table.counts / sizes
        total = best_match(table.rows, table.columns, overlap, table.row_starts)
        return 2 * total / sum(table.shape)


@dataclass(frozen=True)
class CEAFM(Measure):
    """1 is best: F of the best one-to-one match by items; with every item answered, one-to-one."""

    name = "ceaf-m"
    symmetric = True
    needs = ("matched",)
    reference = LUO

    def compute(self, matched: Matched) -> float:
        return matched.items / matched.n
