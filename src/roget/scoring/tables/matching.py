"""Best one-to-one matches of clusters to classes: the assignment problem on sparse tables.

Simple bounds settle most tables, dynamic programming many small ones at once, and the assignment
algorithms of scipy the rest.
"""

from __future__ import annotations

import numpy as np

from roget.core.types import CountArray, Floats, Ints

_DENSE_CELLS = 1 << 20
"""Up to this number of cells a dense table is solved."""

SUBSETS = 6
"""Up to this number of classes or clusters, many tables are matched at once by their subsets."""

BATCH = 1 << 11
"""Number of small tables matched at once, so that they stay in the cache."""


def best_match(rows: Ints, columns: Ints, weights: CountArray, row_starts: Ints) -> float:
    """Return the largest total weight of cells of which no two share a row or a column.

    Rows are compact and in order; `row_starts` is the first cell of each row.

    >>> r, c = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> best_match(r, c, np.array([5, 4, 4, 0]), np.array([0, 2]))
    8.0
    """
    return float(weights[choose_cells(rows, columns, weights, row_starts)].sum())


def choose_cells(rows: Ints, columns: Ints, weights: CountArray, row_starts: Ints) -> Ints:
    """Return the cells of a best match.

    >>> r, c = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> choose_cells(r, c, np.array([5, 4, 4, 0]), np.array([0, 2])).tolist()
    [1, 2]
    """
    # The largest cell of each row bounds every match; in different columns, they are the match.
    largest = first_best(rows, weights, np.maximum.reduceat(weights, row_starts))
    if np.unique(columns[largest]).size == largest.size:
        return largest
    return assign(rows, columns, weights, row_starts.size, int(columns.max()) + 1)


def first_best(rows: Ints, weights: CountArray, best: CountArray) -> Ints:
    """Return the first cell of each row that holds the row's largest weight."""
    winners = np.flatnonzero(weights == best[rows])
    return winners[np.searchsorted(rows[winners], np.arange(best.size))]


def match_small(tables: Floats) -> Floats:
    """Return the weights of the best matches of many small tables (narrow × wide × tables).

    Dynamic programming over subsets of the narrow side: after column j, best[S] is the largest
    weight of a match of columns 0…j that uses rows of S only, by
    best[S] = max(best[S], max over rows r of S: best_before[S − r] + table[r, j]).

    >>> match_small(np.array([[[5.0], [4.0]], [[4.0], [0.0]]])).tolist()
    [8.0]
    """
    rows, columns, count = tables.shape
    best = np.zeros((1 << rows, count))
    for column in range(columns):
        before = best.copy()
        for row in range(rows):
            # Subsets are bit patterns; axis 1 of this view is the bit of the row.
            halves = 1 << rows - 1 - row, 2, 1 << row, count
            used, free = best.reshape(halves)[:, 1], before.reshape(halves)[:, 0]
            np.maximum(used, free + tables[row, column], out=used)
    return np.asarray(best[-1])


def assign(rows: Ints, columns: Ints, weights: CountArray, n_rows: int, n_columns: int) -> Ints:
    """Return the cells of a best match where no simple bound settles it."""
    if n_rows * n_columns <= _DENSE_CELLS:
        return _assign_dense(rows, columns, weights, n_rows, n_columns)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    # Cells that share no row or column, even indirectly, are separate problems.
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
    from scipy.optimize import linear_sum_assignment

    table, cell = np.zeros((n_rows, n_columns)), np.full((n_rows, n_columns), -1)
    table[rows, columns], cell[rows, columns] = weights, np.arange(rows.size)
    matched: Ints = cell[linear_sum_assignment(table, maximize=True)]
    return matched[matched >= 0]


def _assign_sparse(
    rows: Ints, columns: Ints, weights: CountArray, n_rows: int, n_columns: int
) -> Ints:
    """Solve a sparse assignment; a private column of weight 0 lets every row stay unmatched."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    spare = np.arange(n_rows)
    # The solver minimises, and takes an entry of 0 for missing: costs are shifted above 0.
    shift = 1.0 + float(weights.max())
    data = np.concatenate([shift - weights, np.full(n_rows, shift)])
    at = (np.concatenate([rows, spare]), np.concatenate([columns, n_columns + spare]))
    graph = csr_array((data, at), shape=(n_rows, n_columns + n_rows))
    matched_rows, matched_columns = min_weight_full_bipartite_matching(graph)
    partner = np.full(n_rows, -1)
    partner[matched_rows] = matched_columns
    return np.flatnonzero(partner[rows] == columns)
