"""Where each system goes wrong: its scores by group, its tables, its mixed and scattered sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from roget.scoring.comparison import Comparison
from roget.scoring.contingency import Contingency

if TYPE_CHECKING:
    from roget.scoring.compare import Answered

WORST = 10
"""Groups of each score whose tables are kept."""
MOST_TABLES = 30
"""Tables of a system, whatever the number of scores."""
TABLE_SIDE = 12
"""Classes and clusters a table shows."""
DIAGNOSED = 20
"""Mixed clusters and scattered classes that are listed."""

FloatArray = npt.NDArray[np.float64]
Cell = int | float | None


def brief(value: float) -> Cell:
    """A number as short as a reader can use; None where undefined.

    >>> brief(0.123456789), brief(3.0), brief(float("nan"))
    (0.12346, 3, None)
    """
    if np.isnan(value):
        return None
    short = float(f"{value:.5g}")
    return int(short) if short.is_integer() else short


def group_names(system: Answered) -> list[str]:
    """The names of the groups that were scored; one for all where there are none."""
    names = system.sides.group_names
    if names is None or len(names) != len(system.groups):
        return ["all items"]
    return [str(name) for name in names]


def details(comparison: Comparison) -> dict[str, Any] | None:
    """Everything the page says about groups; None where the tables were not kept."""
    answered = comparison.answered
    if not answered:
        return None
    signs = [1.0 if _better(comparison, score) == "higher" else -1.0 for score in comparison.scores]
    goodness = np.stack([system.values for system in answered]) * np.array(signs)[:, None]
    best = _best(goodness)
    return {
        "groups": group_names(answered[0]),
        "best": best,
        "systems": [
            _detail(system, goodness[number], group_names(system))
            for number, system in enumerate(answered)
        ],
    }


def _better(comparison: Comparison, score: tuple[str, str | None]) -> str:
    return next(r.direction for r in comparison.rows if (r.measure, r.entropy) == score)


def _best(goodness: FloatArray) -> list[list[int | None]]:
    """The best system of each score and group, by its number."""
    filled = np.where(np.isnan(goodness), -np.inf, goodness)
    first, found = filled.argmax(axis=0), np.isfinite(filled.max(axis=0))
    return [
        [int(at) if known else None for at, known in zip(*pair, strict=True)]
        for pair in zip(first, found, strict=True)
    ]


def _detail(system: Answered, goodness: FloatArray, names: Sequence[str]) -> dict[str, Any]:
    tables = [group.table for group in system.groups]
    return {
        "n": [brief(float(table.n)) for table in tables],
        "classes": [table.shape[0] for table in tables],
        "clusters": [table.shape[1] for table in tables],
        "values": [[brief(value) for value in row] for row in system.values],
        "tables": {group: shown_table(tables[group]) for group in worst_groups(goodness)},
        "mixed": impure((table.T for table in tables), names),
        "scattered": impure(tables, names),
    }


def worst_groups(goodness: FloatArray) -> list[int]:
    """The worst groups under each score in turn, no group twice, undefined ones left out."""
    orders = [row.argsort(kind="stable")[: np.count_nonzero(~np.isnan(row))] for row in goodness]
    ranked = [int(order[at]) for at in range(WORST) for order in orders if at < order.size]
    return list(dict.fromkeys(ranked))[:MOST_TABLES]


def shown_table(table: Contingency) -> dict[str, Any]:
    """The largest classes and clusters of a table, clusters beside their majority class."""
    rows = np.argsort(-table.row_totals, kind="stable")[:TABLE_SIDE]
    columns = np.argsort(-table.column_totals, kind="stable")[:TABLE_SIDE]
    place = {int(row): at for at, row in enumerate(rows)}
    counts = np.zeros((rows.size, columns.size))
    for at, column in enumerate(columns):
        cells = np.flatnonzero(table.columns == column)
        for row, count in zip(table.rows[cells], table.counts[cells], strict=True):
            if int(row) in place:
                counts[place[int(row)], at] = count
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


def impure(tables: Iterable[Contingency], names: Sequence[str]) -> list[list[Any]]:
    """The rows with most items outside their largest cell: name, group, size, cells, largest
    cell's name and share. Rows are classes; of a transposed table, clusters.
    """
    found = []
    for group, table in enumerate(tables):
        outside = table.row_totals - table.row_best
        for row in np.argsort(-outside, kind="stable")[:DIAGNOSED]:
            if outside[row] > 1e-9:
                found.append((-float(outside[row]), group, int(row), table))
    found.sort(key=lambda entry: entry[:3])
    return [_impure_row(table, row, names[group]) for _, group, row, table in found[:DIAGNOSED]]


def _impure_row(table: Contingency, row: int, group: str) -> list[Any]:
    cells = np.flatnonzero(table.rows == row)
    largest = int(table.columns[cells[table.counts[cells].argmax()]])
    size = float(table.row_totals[row])
    return [
        table.class_name(row),
        group,
        brief(size),
        int(cells.size),
        table.cluster_name(largest),
        brief(float(table.row_best[row]) / size),
    ]
