"""Where a clustering goes wrong: its worst groups, mixed clusters and scattered classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from roget.core.types import FloatArray
from roget.scoring.cells.contingency import Contingency
from roget.scoring.cells.statistics import Statistics
from roget.scoring.labels import Aligned
from roget.scoring.measures import Measure
from roget.scoring.requests import Request, Values
from roget.scoring.result import ScoreRow

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


def details(
    groups: Sequence[Statistics], names: Sequence[str], values: Values, request: Request
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


THIN_CELL = 5.0
"""Items per non-empty cell below which entropies are mostly bias."""

DISAGREEMENT = 0.05

_ANSWERS = {
    "one cluster": "putting all items in one cluster",
    "one per item": "giving each item its own cluster",
    "random": "random clusters of the same sizes",
}


def advice(
    rows: Sequence[ScoreRow], measures: Sequence[Measure], items_per_cell: float
) -> list[str]:
    """All warnings the rows call for; `measures` are those of the rows."""
    return [
        *_no_better(rows, measures),
        *_disagreements(rows),
        *_thin(items_per_cell, any(row.entropy == "ml" for row in rows)),
    ]


def partly_undefined(
    values: FloatArray, measures: Sequence[Measure], reasons: Mapping[int, str]
) -> list[str]:
    """A note for each average (measures × groups) that leaves some groups out."""
    groups = values.shape[1]
    undefined = np.isnan(values).sum(axis=1)
    return [
        f"{measure}: undefined in {undefined[i]} of {groups} groups, which are left out of the "
        f"average ({reasons.get(i, 'no value')})"
        for i, measure in enumerate(measures)
        if 0 < 2 * undefined[i] <= groups
    ]


def _no_better(rows: Sequence[ScoreRow], measures: Sequence[Measure]) -> Iterable[str]:
    for name, answer in _ANSWERS.items():
        beaten = []
        for row, measure in zip(rows, measures, strict=True):
            trivial = row.baselines.get(name)
            # A measure that gives a trivial answer the best score cannot tell them apart.
            if row.value is None or trivial is None or trivial == measure.best:
                continue
            if measure.best is None and name == "one per item":
                continue
            if not measure.better(row.value, trivial):
                beaten.append(f"{_label(row)} {row.value:.3f} against {trivial:.3f}")
        if beaten:
            shown = "; ".join(beaten[:3]) + (f"; and {len(beaten) - 3} more" if beaten[3:] else "")
            yield f"the system does no better than {answer}: {shown}"


def _disagreements(rows: Sequence[ScoreRow]) -> Iterable[str]:
    plain = {row.measure: row.value for row in rows if row.entropy == "ml"}
    apart = []
    for row in rows:
        value = plain.get(row.measure)
        if row.entropy in (None, "ml") or row.value is None or value is None:
            continue
        if abs(row.value - value) > max(DISAGREEMENT, DISAGREEMENT * abs(value)):
            apart.append(f"{row.measure} {value:.3f} (ml) and {row.value:.3f} ({row.entropy})")
    if apart:
        shown = "; ".join(apart[:3]) + (f"; and {len(apart) - 3} more" if apart[3:] else "")
        yield f"plug-in and bias-corrected scores disagree, prefer the corrected: {shown}"


def _thin(items_per_cell: float, entropies: bool) -> Iterable[str]:
    if entropies and items_per_cell < THIN_CELL:
        yield (
            f"only {items_per_cell:.1f} items per non-empty (class, cluster) cell: "
            "too thin to trust an entropy without correction"
        )


def _label(row: ScoreRow) -> str:
    return row.measure if row.entropy is None else f"{row.measure} ({row.entropy})"
