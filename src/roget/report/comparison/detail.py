"""Where each system goes wrong: its scores by group, its tables, its mixed and scattered sets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from roget.report.comparison.pictures import directions
from roget.report.format import brief
from roget.scoring.cells.contingency import Contingency
from roget.scoring.comparison import Comparison
from roget.scoring.diagnostics import Impure, impure

if TYPE_CHECKING:
    from roget.scoring.score import Answered

WORST = 10
"""Groups of each score whose tables are kept."""
MOST_TABLES = 30
"""Tables of a system, whatever the number of scores."""
TABLE_SIDE = 12
"""Classes and clusters a table shows."""

Floats = npt.NDArray[np.float64]


def details(comparison: Comparison) -> dict[str, Any] | None:
    """Everything the page says about groups; None where the tables were not kept."""
    answered = comparison.answered
    if not answered:
        return None
    signs = [1.0 if better == "higher" else -1.0 for better in directions(comparison).values()]
    goodness = np.stack([system.values for system in answered]) * np.array(signs)[:, None]
    return {
        "groups": answered[0].group_names,
        "best": _best(goodness),
        "systems": [_detail(system, goodness[number]) for number, system in enumerate(answered)],
    }


def _best(goodness: Floats) -> list[list[int | None]]:
    """The best system of each score and group, by its number."""
    filled = np.where(np.isnan(goodness), -np.inf, goodness)
    first, found = filled.argmax(axis=0), np.isfinite(filled.max(axis=0))
    return [
        [int(at) if known else None for at, known in zip(*pair, strict=True)]
        for pair in zip(first, found, strict=True)
    ]


def _detail(system: Answered, goodness: Floats) -> dict[str, Any]:
    items, classes, clusters = system.sizes
    worst, names = worst_groups(goodness), system.group_names
    return {
        "n": [brief(float(n)) for n in items],
        "classes": classes.tolist(),
        "clusters": clusters.tolist(),
        "values": [[brief(value) for value in row] for row in system.values],
        "tables": {group: shown_table(system.tables.block(group).table) for group in worst},
        "mixed": _listed(impure((part.table.T for part in system.parts()), names)),
        "scattered": _listed(impure((part.table for part in system.parts()), names)),
    }


def _listed(sets: Iterable[Impure]) -> list[list[Any]]:
    return [[s.name, s.group, brief(s.size), s.parts, s.largest, brief(s.share)] for s in sets]


def worst_groups(goodness: Floats) -> list[int]:
    """The worst groups under each score in turn, no group twice, undefined ones left out."""
    orders = [row.argsort(kind="stable")[: np.count_nonzero(~np.isnan(row))] for row in goodness]
    ranked = [int(order[at]) for at in range(WORST) for order in orders if at < order.size]
    return list(dict.fromkeys(ranked))[:MOST_TABLES]


def shown_table(table: Contingency) -> dict[str, Any]:
    """The largest classes and clusters of a table, clusters beside their majority class."""
    rows = np.argsort(-table.row_totals, kind="stable")[:TABLE_SIDE]
    columns = np.argsort(-table.column_totals, kind="stable")[:TABLE_SIDE]
    row_at, column_at = (np.full(size, -1) for size in table.shape)
    row_at[rows], column_at[columns] = np.arange(rows.size), np.arange(columns.size)
    at = row_at[table.rows], column_at[table.columns]
    kept = (at[0] >= 0) & (at[1] >= 0)
    counts = np.zeros((rows.size, columns.size))
    counts[at[0][kept], at[1][kept]] = table.counts[kept]
    order = np.argsort(counts.argmax(axis=0), kind="stable")
    counts, columns = counts[:, order], columns[order]
    return {
        "classes": [table.class_name(int(row)) for row in rows],
        "clusters": [table.cluster_name(int(column)) for column in columns],
        "counts": [[brief(count) for count in row] for row in counts],
        "sizes": [brief(float(size)) for size in table.row_totals[rows]],
        "totals": [brief(float(size)) for size in table.column_totals[columns]],
        "all": list(table.shape),
    }
