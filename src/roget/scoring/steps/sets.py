"""Tables that list the classes, the clusters, or the mapping from clusters to classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.types import Ints
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.matching import first_best

if TYPE_CHECKING:
    from roget.scoring.systems import ScoredSystem

KINDS = ("classes", "clusters", "mapping")

Columns = dict[str, list[Any]]


def list_sets(systems: Sequence[ScoredSystem], kind: str) -> Columns:
    """Return the columns of a table with one row per class or cluster in any group.

    For each class, the columns are its size, the cluster with most of its items, the cluster with
    the highest F (with precision and recall), and the cluster to which it is matched one-to-one, if
    any. The columns for clusters are analogous. The table "mapping" lists, for each cluster, its
    majority class (which several clusters may share) and its class in the one-to-one match.
    """
    one, other = ("class", "cluster") if kind == "classes" else ("cluster", "class")
    columns: Columns = {}
    for system in systems:
        for name, column in _list(system, one, other):
            columns.setdefault(name, []).extend(column)
    if len(systems) == 1:
        del columns["system"]
    if len({*columns["group"]}) == 1 and systems[0].sides.group_names is None:
        del columns["group"]
    if kind != "mapping":
        return columns
    kept = ("system", "group", "cluster", "items")
    mapping = {name: columns[name] for name in kept if name in columns}
    return mapping | {
        "many_to_one": columns["largest_class"],
        "one_to_one": columns["matched_class"],
    }


def _list(system: ScoredSystem, one: str, other: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the columns of a system's table (name and values) for each contingency table."""
    first = 0
    for part in system.parts:
        table = part.table if one == "class" else part.table.T
        numbers = np.arange(table.shape[0])
        if table.held is not None:
            # Skip the placeholder rows of items that are missing from gold or from the system.
            numbers = np.flatnonzero(table.held.rows)
        names = [table.cluster_name(column) for column in range(table.shape[1])]
        cells = np.bincount(table.rows, minlength=table.shape[0])
        largest = first_best(table.rows, table.counts, table.row_best)
        # If rows are classes, recall is the fraction of the row that is in the cell, and precision
        # is the fraction of the column. If rows are clusters, precision and recall are exchanged.
        row_shares, column_shares = (
            table.counts / totals[at]
            for totals, at in ((table.row_totals, table.rows), (table.column_totals, table.columns))
        )
        f = 2 * row_shares * column_shares / (row_shares + column_shares)
        best = first_best(table.rows, f, np.maximum.reduceat(f, table.row_starts))
        shares = row_shares, column_shares
        recall, precision = shares if one == "class" else shares[::-1]
        partners = _match(table, names)
        largest, best = largest[numbers], best[numbers]
        rows = numbers.tolist()
        yield "system", [system.name] * len(rows)
        yield "group", [system.group_names[first + table.find_group(row)] for row in rows]
        yield one, [table.class_name(row) for row in rows]
        yield "items", table.row_totals[numbers].tolist()
        yield "classes" if other == "class" else "clusters", cells[numbers].tolist()
        yield f"largest_{other}", [names[at] for at in table.columns[largest].tolist()]
        yield "share", row_shares[largest].tolist()
        yield f"best_{other}", [names[at] for at in table.columns[best].tolist()]
        for name, values in (("precision", precision), ("recall", recall), ("f", f)):
            yield name, values[best].tolist()
        yield f"matched_{other}", [partners[row] for row in rows]
        first += table.groups or 1


def _match(table: Contingency, names: Sequence[str]) -> list[str | None]:
    """Return the column matched to each row in the best one-to-one match, or None if unmatched."""
    partner: list[str | None] = [None] * table.shape[0]
    cells: Ints = table.matched_cells
    for row, column in zip(table.rows[cells].tolist(), table.columns[cells].tolist(), strict=True):
        partner[row] = names[column]
    return partner
