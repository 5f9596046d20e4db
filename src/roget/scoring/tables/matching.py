"""Find best one-to-one matches between clusters and classes (the assignment problem).

For most tables a simple bound gives the solution. Other small tables are solved in batches by
dynamic programming, or individually by `match_dense`. The remaining tables are solved by scipy's
assignment algorithms.
"""

from __future__ import annotations

import sys

import numpy as np

from roget.core.types import CountArray, Floats, Ints

_DENSE_CELLS = 1 << 20
"""Maximum number of cells for the dense assignment algorithm."""

_PLAIN_CELLS = 1 << 13
"""Maximum number of cells for `match_dense`. Larger tables are solved by scipy."""

_SOLVER = "scipy.optimize"
"""The module of scipy's solver. Importing it takes as long as solving a hundred tables with
`match_dense`, so it is used for all tables only if it has already been imported.
"""

FEW = 32
"""Maximum number of tables that `match_dense` solves faster than scipy can be imported.
"""

_NEVER = np.iinfo(np.int64).max
"""Distance assigned to columns that have already been reached."""

SUBSETS = 6
"""Largest number of classes (or clusters) in tables that `match_small` solves."""

BATCH = 1 << 11
"""Number of tables per call of `match_small`, chosen to fit in the CPU cache."""


def best_match(rows: Ints, columns: Ints, weights: CountArray, row_starts: Ints) -> float:
    """Return the largest total weight of cells in different rows and different columns.

    Rows are numbered from 0 without gaps, and cells are in row order. `row_starts` holds the
    position of the first cell of each row.

    >>> r, c = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> best_match(r, c, np.array([5, 4, 4, 0]), np.array([0, 2]))
    8.0
    """
    largest = first_best(rows, weights, np.maximum.reduceat(weights, row_starts))
    if np.bincount(columns[largest]).max() == 1:
        # No match exceeds the sum of the row maxima. If the maxima are in different columns, they
        # are therefore the best match.
        return float(weights[largest].sum())
    shape = row_starts.size, int(columns.max()) + 1
    small = shape[0] * shape[1] <= _PLAIN_CELLS and _SOLVER not in sys.modules
    if small and weights.dtype.kind == "i":
        table = np.zeros(shape, dtype=np.int64)
        table[rows, columns] = weights
        return float(match_dense(table))
    return float(weights[assign(rows, columns, weights, *shape)].sum())


def choose_cells(rows: Ints, columns: Ints, weights: CountArray, row_starts: Ints) -> Ints:
    """Return the positions of the cells in a best match.

    >>> r, c = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> choose_cells(r, c, np.array([5, 4, 4, 0]), np.array([0, 2])).tolist()
    [1, 2]
    """
    largest = first_best(rows, weights, np.maximum.reduceat(weights, row_starts))
    if np.bincount(columns[largest]).max() == 1:
        return largest
    return assign(rows, columns, weights, row_starts.size, int(columns.max()) + 1)


def first_best(rows: Ints, weights: CountArray, best: CountArray) -> Ints:
    """Return the position of the first cell with the largest weight in each row."""
    winners = np.flatnonzero(weights == best[rows])
    return winners[np.searchsorted(rows[winners], np.arange(best.size))]


def match_small(tables: Floats) -> Floats:
    """Return the weight of the best match in each of many small tables.

    `tables` has the shape (rows, columns, tables), with at most as many rows as columns.

    The algorithm is dynamic programming over subsets S of the rows, the shorter dimension.
    After column j, best[S] is the largest weight of a match between columns 0, …, j and rows in S:
    best[S] = max(best_before[S], max over r in S of best_before[S − r] + table[r, j]).

    >>> match_small(np.array([[[5.0], [4.0]], [[4.0], [0.0]]])).tolist()
    [8.0]
    """
    rows, columns, count = tables.shape
    best = np.zeros((1 << rows, count))
    for column in range(columns):
        before = best.copy()
        for row in range(rows):
            # Subsets of rows are bit patterns. Axis 1 of the reshaped array is the bit of the
            # current row.
            halves = 1 << rows - 1 - row, 2, 1 << row, count
            used, free = best.reshape(halves)[:, 1], before.reshape(halves)[:, 0]
            np.maximum(used, free + tables[row, column], out=used)
    return np.asarray(best[-1])


def match_dense(table: Ints) -> int:
    """Return the weight of the best match in a small table of whole numbers.

    Rows are matched one by one with shortest augmenting paths (Jonker and Volgenant 1987). The
    length of cell (i, j) is u[i] + v[j] − table[i, j] ≥ 0, and matched cells have length 0.

    >>> match_dense(np.array([[5, 4], [4, 0]]))
    8
    """
    weights = table if table.shape[0] <= table.shape[1] else table.T
    columns = weights.shape[1]
    u, v = weights.max(axis=1), np.zeros(columns, dtype=np.int64)
    partner = np.full(columns, -1)
    for start in range(u.size):
        # Step 1: find the shortest path from this row to a column without a partner (Dijkstra).
        distance = u[start] + v - weights[start]
        waiting, before = distance.copy(), np.full(columns, -1)
        reached: list[int] = []
        column = int(waiting.argmin())
        while partner[column] >= 0:
            row, waiting[column] = partner[column], _NEVER
            reached.append(column)
            length = distance[column] + u[row] + v - weights[row]
            # A column that has already been reached keeps its distance, because no path to it is
            # shorter.
            shorter = np.flatnonzero(length < distance)
            distance[shorter] = waiting[shorter] = length[shorter]
            before[shorter] = column
            column = int(waiting.argmin())
        # Step 2: change the potentials so that all cells on the path have length 0.
        passed = distance[column]
        u[start] -= passed
        u[partner[reached]] -= passed - distance[reached]
        v[reached] += passed - distance[reached]
        # Step 3: match each column on the path with the former partner of the column before it.
        while before[column] >= 0:
            partner[column] = partner[before[column]]
            column = before[column]
        partner[column] = start
    used = np.flatnonzero(partner >= 0)
    return int(weights[partner[used], used].sum())


def assign(rows: Ints, columns: Ints, weights: CountArray, n_rows: int, n_columns: int) -> Ints:
    """Find a best match with an assignment algorithm, and return the positions of its cells."""
    if n_rows * n_columns <= _DENSE_CELLS:
        return _assign_dense(rows, columns, weights, n_rows, n_columns)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    # Connected components share no rows or columns, so they are independent problems.
    links = csr_array((np.ones(rows.size), (rows, columns + n_rows)), (n_rows + n_columns,) * 2)
    count, component = connected_components(links, directed=False)
    if count == 1:
        return _assign_sparse(rows, columns, weights, n_rows, n_columns)
    part = component[rows]
    order = np.lexsort((rows, part))
    cuts = np.flatnonzero(np.diff(part[order], prepend=-1, append=-1))
    chosen = []
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        cells = order[begin:end]
        if cells.size > 1:
            row, column = (
                np.unique(codes[cells], return_inverse=True)[1] for codes in (rows, columns)
            )
            starts = np.searchsorted(row, np.arange(row[-1] + 1))
            cells = cells[choose_cells(row, column, weights[cells], starts)]
        chosen.append(cells)
    return np.concatenate(chosen)


def _assign_dense(
    rows: Ints, columns: Ints, weights: CountArray, n_rows: int, n_columns: int
) -> Ints:
    """Solve the assignment problem for a dense table, and return the matched cells."""
    from scipy.optimize import linear_sum_assignment

    # `cell` maps a position in the dense table to the sparse cell, or to −1 if it is empty.
    table, cell = np.zeros((n_rows, n_columns)), np.full((n_rows, n_columns), -1)
    table[rows, columns], cell[rows, columns] = weights, np.arange(rows.size)
    matched: Ints = cell[linear_sum_assignment(table, maximize=True)]
    return matched[matched >= 0]


def _assign_sparse(
    rows: Ints, columns: Ints, weights: CountArray, n_rows: int, n_columns: int
) -> Ints:
    """Solve the assignment problem for a sparse table, and return the matched cells."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    # The solver matches every row, so add a column with weight 0 for each row that remains
    # unmatched. It minimises costs and treats 0 as a missing entry, so the cost of a cell is shift
    # − weight > 0.
    spare = np.arange(n_rows)
    shift = 1.0 + float(weights.max())
    data = np.concatenate([shift - weights, np.full(n_rows, shift)])
    at = (np.concatenate([rows, spare]), np.concatenate([columns, n_columns + spare]))
    graph = csr_array((data, at), shape=(n_rows, n_columns + n_rows))
    matched_rows, matched_columns = min_weight_full_bipartite_matching(graph)
    partner = np.full(n_rows, -1)
    partner[matched_rows] = matched_columns
    return np.flatnonzero(partner[rows] == columns)
