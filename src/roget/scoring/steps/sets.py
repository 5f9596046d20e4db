"""Tables of all classes and clusters of scored systems, and of the class of each cluster."""

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
    """Return the columns of a table with a row for each class or each cluster, over all groups.

    Columns are its size and its largest part; the best matching set of the other side by F, with
    precision (of the cluster) and recall (of the class); and its partner in the best one-to-one
    match, if any. "mapping" lists the clusters with their classes only: the majority class, which
    several clusters may share, and the class of the one-to-one match.
    """
    one, other = ("class", "cluster") if kind == "classes" else ("cluster", "class")
    found: Columns = {}
    for system in systems:
        for name, column in _list(system, one, other):
            found.setdefault(name, []).extend(column)
    if len(systems) == 1:
        del found["system"]
    if len({*found["group"]}) == 1 and systems[0].sides.group_names is None:
        del found["group"]
    if kind != "mapping":
        return found
    kept = ("system", "group", "cluster", "items")
    columns = {name: found[name] for name in kept if name in found}
    return columns | {
        "many_to_one": found["largest_class"],
        "one_to_one": found["matched_class"],
    }


def _list(system: ScoredSystem, one: str, other: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the columns of one system, part by part."""
    first = 0
    for part in system.parts():
        table = part.table if one == "class" else part.table.T
        numbers = np.arange(table.shape[0])
        if table.held is not None:
            # Items that only one side has are not classes or clusters of the other.
            numbers = np.flatnonzero(table.held.rows)
        names = [table.cluster_name(column) for column in range(table.shape[1])]
        cells = np.bincount(table.rows, minlength=table.shape[0])
        largest = first_best(table.rows, table.counts, table.row_best)
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
    """Return the partner of each row in the best one-to-one match; None without a partner."""
    partner: list[str | None] = [None] * table.shape[0]
    cells: Ints = table.matched_cells
    for row, column in zip(table.rows[cells].tolist(), table.columns[cells].tolist(), strict=True):
        partner[row] = names[column]
    return partner
