"""Measures that match clusters to classes one to one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roget.scoring.contingency import Contingency
from roget.scoring.measures.base import Measure
from roget.scoring.statistics import Matched


@dataclass(frozen=True)
class OneToOne(Measure):
    """1 is best: accuracy under the best one-to-one match ("clustering accuracy")."""

    name = "one-to-one"
    symmetric = True
    needs = ("matched",)
    reference = "Kuhn 1955"

    def compute(self, matched: Matched) -> float:
        return matched.items / matched.n


@dataclass(frozen=True)
class Misclassification(Measure):
    """0 is best: the share of items outside the best one-to-one match, 1 − one-to-one."""

    name = "misclassification"
    direction = "lower"
    symmetric = True
    best = 0.0
    needs = ("matched",)
    reference = "Zeng et al. 2002"

    def compute(self, matched: Matched) -> float:
        return (matched.n - matched.items) / matched.n


def greedy_match(table: Contingency) -> float:
    """Take the largest cell, cross out its row and column, repeat; the share of items taken.

    Of equal cells the one with the smaller class and cluster goes first, then the earlier one.
    """
    sizes = table.row_totals[table.rows] + table.column_totals[table.columns]
    order = np.lexsort((sizes, -table.counts))
    free_rows = bytearray(b"\1") * table.shape[0]
    free_columns = bytearray(b"\1") * table.shape[1]
    left = min(table.shape)
    taken: list[int] = []
    pairs = zip(table.rows[order].tolist(), table.columns[order].tolist(), strict=True)
    for at, (row, column) in enumerate(pairs):
        if free_rows[row] and free_columns[column]:
            free_rows[row] = free_columns[column] = 0
            taken.append(at)
            left -= 1
            if not left:
                break
    return float(table.counts[order[taken]].sum() / table.n)


@dataclass(frozen=True)
class GreedyOneToOne(Measure):
    """1 is best: accuracy when the largest cells are matched first, one to one."""

    name = "greedy-one-to-one"
    ties = True
    needs = ("table",)
    reference = "Haghighi & Klein 2006"

    def compute(self, table: Contingency) -> float:
        return greedy_match(table)


@dataclass(frozen=True)
class MeilaHeckerman(GreedyOneToOne):
    """1 is best: the criterion H, whose match is greedy by cell size like greedy-one-to-one."""

    name = "meila-heckerman"
    reference = "Meilă & Heckerman 2001"
