"""Find the groups with the worst scores, the mixed clusters and the scattered classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.types import Array
from roget.errors import InputError
from roget.scoring.measures.base import Request, evaluate
from roget.scoring.results import Score, none_if_nan, score_key
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tabulate import tabulate

if TYPE_CHECKING:
    from roget.scoring.systems import ScoredSystem

MOST = 20
"""Maximum number of groups, clusters and classes to list."""


@dataclass(frozen=True)
class Impure:
    """A cluster that contains several classes, or a class that is scattered over clusters."""

    name: str
    group: str
    size: float
    parts: int
    """The number of classes in the cluster, or the number of clusters that contain items of the
    class.
    """
    largest: str
    """The class with the most items in the cluster, or the cluster with the most items of the
    class.
    """
    share: float
    """The fraction of the cluster's or the class's items that are in `largest`."""


@dataclass(frozen=True)
class GroupScore:
    """The score of one group."""

    group: str
    items: float
    classes: int
    clusters: int
    value: float


@dataclass(frozen=True)
class GroupRow:
    """All scores of one group, keyed by names such as v@jk. Undefined scores are None."""

    group: str
    items: float
    classes: int
    clusters: int
    values: Mapping[str, float | None]
    system: str = ""
    """The name of the system, if several systems are compared."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary."""
        named = {"system": self.system} if self.system else {}
        return {**named, **{k: v for k, v in vars(self).items() if k != "system"}}


def list_groups(system: ScoredSystem, requests: Sequence[Request], main: Score) -> list[GroupRow]:
    """Return the scores of each group, sorted by the main score from worst to best.

    Groups in which the main score is undefined come last.
    """
    scores = [score_key(str(measure), entropy) for measure, entropy in requests]
    at = scores.index(score_key(*main))
    system = _split_documents(system, requests)
    items, classes, clusters = _count_sizes(system)
    values = system.values
    sign = 1.0 if requests[at][0].direction == "higher" else -1.0
    return [
        GroupRow(
            system.group_names[g],
            items[g].item(),
            int(classes[g]),
            int(clusters[g]),
            dict(zip(scores, map(none_if_nan, values[:, g].tolist()), strict=True)),
            system.name,
        )
        for g in np.argsort(values[at] * sign, kind="stable").tolist()
    ]


def _split_documents(system: ScoredSystem, requests: Sequence[Request]) -> ScoredSystem:
    """Score each document separately if the documents are pooled. Other systems are unchanged."""
    sides = system.sides
    if system.average != "pooled" or sides.groups is None or sides.group_names is None:
        return system
    tables = tabulate(sides, pooled=False)
    values = np.array([evaluate(tables, request)[0] for request in requests])
    return replace(system, tables=tables, values=values, average="unweighted")


def _count_sizes(system: ScoredSystem) -> list[Array]:
    """Return the numbers of items, classes and clusters in each group.

    For unmatched items, such as coreference mentions, these are the numbers in gold and the
    numbers of classes and clusters without placeholders.
    """
    tables = system.tables
    if isinstance(tables, Contingency) and tables.held is not None:
        return [np.atleast_1d(size) for size in (tables.mentions[0], *tables.entities)]
    return system.sizes


@dataclass(frozen=True)
class Details:
    """The groups with the worst scores, and the clusters and classes with the most errors."""

    score: str
    """The score by which groups are sorted."""
    worst: tuple[GroupScore, ...]
    mixed: tuple[Impure, ...]
    scattered: tuple[Impure, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary."""
        return asdict(self)


def diagnose(system: ScoredSystem, request: Request) -> Details:
    """Return the details of a scored clustering, with groups sorted by the first score."""
    if system.sides.overlapping:
        raise InputError(
            "'details' requires one class and one cluster per item", code="conflicting-options"
        )
    measure, entropy = request
    values, names = system.values[0], system.group_names
    sign = 1.0 if measure.direction == "higher" else -1.0
    order = np.argsort(values * sign, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    items, classes, clusters = system.sizes
    worst = [
        GroupScore(names[g], float(items[g]), int(classes[g]), int(clusters[g]), float(values[g]))
        for g in order[:MOST].tolist()
    ]
    return Details(
        " ".join(filter(None, (str(measure), entropy))),
        tuple(worst) if system.groups > 1 else (),
        tuple(impure((part.table.T for part in system.parts), names)),
        tuple(impure((part.table for part in system.parts), names)),
    )


def impure(tables: Iterable[Contingency], names: Sequence[str]) -> list[Impure]:
    """Return the rows of all tables that have the most items outside their largest cell.

    Rows are classes, or clusters if the tables are transposed.
    """
    candidates: list[tuple[float, int, int, Contingency]] = []
    first = 0
    for table in tables:
        outside = table.row_totals - table.row_best
        for row in np.argsort(-outside, kind="stable")[:MOST].tolist():
            if outside[row] > 1e-9:
                group = first + table.find_group(row)
                candidates.append((-float(outside[row]), group, row, table))
        first += table.groups or 1
    candidates.sort(key=lambda entry: entry[:3])
    return [_describe(table, row, names[group]) for _, group, row, table in candidates[:MOST]]


def _describe(table: Contingency, row: int, group: str) -> Impure:
    """Describe a row of the table by its name, its size and its largest cell."""
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
