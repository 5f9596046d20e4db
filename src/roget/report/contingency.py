"""Format contingency tables of classes and clusters as text and for HTML pages."""

from __future__ import annotations

from typing import Any

import numpy as np

from roget.core.types import Array, Floats, Ints
from roget.report import Report, ReportTable
from roget.report.format import brief, plural
from roget.scoring.results import ScoreTable
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.statistics import Statistics

WORST = 10
"""Number of worst groups per score whose tables are shown on a page."""
MOST_TABLES = 30
"""Maximum number of contingency tables on the page of a system."""
TABLE_SIDE = 20
"""Maximum number of classes and of clusters shown in a table."""


def report(statistics: Statistics) -> Report:
    """Report the sizes, and the contingency table of the largest classes and clusters."""
    table = statistics.table
    rows, columns, counts = find_largest(table)
    items = table.row_totals.sum()
    edges = table.row_totals[rows][:, None], table.column_totals[columns]
    cells = np.block([[counts, edges[0]], [edges[1], items]])
    names = [
        [*(table.class_name(row) for row in rows.tolist()), "all"],
        [*(table.cluster_name(column) for column in columns.tolist()), "all"],
    ]
    for axis, size in enumerate(table.shape):
        hidden = size - len(names[axis]) + 1
        if hidden:
            # Add the number of items in classes or clusters that are not shown. The sum along an
            # axis includes the total, so this number is 2 × total − sum.
            rest = 2 * np.take(cells, -1, axis) - cells.sum(axis)
            cells = np.insert(cells, -1, rest, axis)
            names[axis].insert(-1, plural(hidden, "other"))
    titles, values = ["class", *names[1]], cells.tolist()
    form = "," if cells.dtype.kind == "i" else ",.4g"
    lines = [
        [name, *(f"{count:{form}}" if count else "" for count in row)]
        for name, row in zip(names[0], values, strict=True)
    ]
    sizes = plural(table.shape[0], "class"), plural(table.shape[1], "cluster")
    return Report(
        title="Classes and clusters",
        lead=[f"{plural(items.item(), 'item')}, {' × '.join(sizes)}"],
        tables=[ReportTable.of(titles, lines, titles[1:])],
        data={
            "items": items.item(),
            "classes": names[0],
            "clusters": names[1],
            "cells": values,
        },
        sheet=ReportTable.of(
            titles, [[name, *row] for name, row in zip(names[0], values, strict=True)]
        ),
    )


def show_tables(table: ScoreTable) -> dict[str, Any]:
    """Return the contingency tables of a system's worst groups, as data for its page."""
    answered = table.scored
    assert answered is not None
    at = [(row.measure, row.entropy) for row in table.rows].index(table.main)
    sign = 1.0 if table.rows[at].direction == "higher" else -1.0
    groups = worst_groups(answered.values[at : at + 1] * sign) or [0]
    return {
        "groups": answered.group_names,
        "tables": {group: shown_table(answered.tables.block(group).table) for group in groups},
        "first": groups[0],
    }


def worst_groups(goodness: Floats) -> list[int]:
    """Return the indices of the worst groups, choosing one for each score in turn.

    Groups that were already chosen and groups with an undefined score are skipped.
    """
    orders = [row.argsort(kind="stable")[: np.count_nonzero(~np.isnan(row))] for row in goodness]
    ranked = [int(order[at]) for at in range(WORST) for order in orders if at < order.size]
    return list(dict.fromkeys(ranked))[:MOST_TABLES]


def find_largest(table: Contingency) -> tuple[Ints, Ints, Array]:
    """Return the largest classes, the largest clusters (by majority class) and their cells."""
    rows = np.argsort(-table.row_totals, kind="stable")[:TABLE_SIDE]
    columns = np.argsort(-table.column_totals, kind="stable")[:TABLE_SIDE]
    row_at, column_at = (np.full(size, -1) for size in table.shape)
    row_at[rows], column_at[columns] = np.arange(rows.size), np.arange(columns.size)
    at = row_at[table.rows], column_at[table.columns]
    kept = (at[0] >= 0) & (at[1] >= 0)
    counts = np.zeros((rows.size, columns.size), dtype=table.counts.dtype)
    counts[at[0][kept], at[1][kept]] = table.counts[kept]
    order = np.argsort(counts.argmax(axis=0), kind="stable")
    return rows, columns[order], counts[:, order]


def shown_table(table: Contingency) -> dict[str, Any]:
    """Return the largest classes and clusters of a contingency table as plain data for a page."""
    rows, columns, counts = find_largest(table)
    return {
        "classes": [table.class_name(int(row)) for row in rows],
        "clusters": [table.cluster_name(int(column)) for column in columns],
        "counts": [[brief(float(count)) for count in row] for row in counts],
        "sizes": [brief(float(size), 15) for size in table.row_totals[rows]],
        "totals": [brief(float(size), 15) for size in table.column_totals[columns]],
        "all": list(table.shape),
        "n": brief(float(table.row_totals.sum()), 15),
    }
