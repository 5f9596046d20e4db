"""Where a clustering goes wrong: its worst groups, mixed clusters and scattered classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from roget.core.types import Floats
from roget.scoring.cells.contingency import Contingency
from roget.scoring.cells.statistics import Statistics
from roget.scoring.labels import Aligned
from roget.scoring.measures.base import Request

MOST = 20
"""Entries of each list."""


@dataclass(frozen=True)
class Impure:
    """A cluster that mixes classes, or a class that is scattered over clusters."""

    name: str
    group: str
    size: float
    parts: int
    """How many classes (or clusters) it has items of."""
    largest: str
    """The class (or cluster) most of its items are of."""
    share: float
    """The share of its items that are."""


@dataclass(frozen=True)
class GroupScore:
    """What one group contributes to a score."""

    group: str
    items: float
    classes: int
    clusters: int
    value: float


@dataclass(frozen=True)
class Details:
    """The groups with the worst score, and the sets with most items out of place."""

    score: str
    """The score by which groups are worst."""
    worst: tuple[GroupScore, ...]
    mixed: tuple[Impure, ...]
    scattered: tuple[Impure, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def group_names(sides: Aligned, groups: int) -> list[str]:
    """The names of the groups that were scored; one for all where there are none."""
    names = sides.group_names
    if names is None or len(names) != groups:
        return ["all items"]
    return [str(name) for name in names]


def diagnose(
    groups: Sequence[Statistics], names: Sequence[str], values: Floats, request: Request
) -> Details:
    """Diagnose a scored clustering; `values` are one score by group."""
    measure, entropy = request
    tables = [statistics.table for statistics in groups]
    sign = 1.0 if measure.direction == "higher" else -1.0
    order = np.argsort(values * sign, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    worst = [_group(names[g], tables[g], float(values[g])) for g in order[:MOST].tolist()]
    return Details(
        " ".join(filter(None, (str(measure), entropy))),
        tuple(worst) if len(tables) > 1 else (),
        tuple(impure((table.T for table in tables), names)),
        tuple(impure(tables, names)),
    )


def _group(name: str, table: Contingency, value: float) -> GroupScore:
    classes, clusters = table.shape
    return GroupScore(name, float(table.n), classes, clusters, value)


def impure(tables: Iterable[Contingency], names: Sequence[str]) -> list[Impure]:
    """The rows with most items outside their largest cell, over all groups.

    Rows are classes, which are then scattered; of transposed tables clusters, which mix.
    """
    found = []
    for group, table in enumerate(tables):
        outside = table.row_totals - table.row_best
        for row in np.argsort(-outside, kind="stable")[:MOST].tolist():
            if outside[row] > 1e-9:
                found.append((-float(outside[row]), group, row, table))
    found.sort(key=lambda entry: entry[:3])
    return [_impure(table, row, names[group]) for _, group, row, table in found[:MOST]]


def _impure(table: Contingency, row: int, group: str) -> Impure:
    cells = np.flatnonzero(table.rows == row)
    largest = int(table.columns[cells[table.counts[cells].argmax()]])
    size = float(table.row_totals[row])
    return Impure(
        table.class_name(row),
        group,
        size,
        int(cells.size),
        table.cluster_name(largest),
        float(table.row_best[row]) / size,
    )
