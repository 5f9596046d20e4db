"""A table of classes and clusters as a report: the cells of the largest of each."""

from __future__ import annotations

import numpy as np

from roget.report import Report, Table
from roget.report.cells import find_largest
from roget.report.format import plural
from roget.scoring.cells.statistics import Statistics


def report(statistics: Statistics) -> Report:
    """Sizes, and how many items of the largest classes are in the largest clusters."""
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
            # What the sums along the edge have, and the cells before them have not.
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
        tables=[Table.of(titles, lines, titles[1:])],
        data={
            "items": items.item(),
            "classes": names[0],
            "clusters": names[1],
            "cells": values,
        },
        sheet=Table.of(titles, [[name, *row] for name, row in zip(names[0], values, strict=True)]),
    )
