"""Matching clusters to classes one to one, without ever building a dense table by default."""

from __future__ import annotations

import numpy as np

from roget.core.types import CountArray, IntArray

_DENSE_CELLS = 1 << 20


def best_match(
    rows: IntArray, columns: IntArray, weights: CountArray, row_starts: IntArray
) -> float:
    """The largest total weight of cells no two of which share a row or a column.

    Rows are compact and in order; `row_starts` says where each begins.

    >>> r, c = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> best_match(r, c, np.array([5, 4, 4, 0]), np.array([0, 2]))
    8.0
    """
    bound = _row_bound(rows, columns, weights, row_starts)
    if bound is not None:
        return bound
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n_rows, n_columns = row_starts.size, int(columns.max()) + 1
    if n_rows * n_columns <= _DENSE_CELLS:
        return _dense(rows, columns, weights, n_rows, n_columns)
    # Cells that share no row or column, even indirectly, are separate problems.
    links = csr_array((np.ones(rows.size), (rows, columns + n_rows)), (n_rows + n_columns,) * 2)
    _, component = connected_components(links, directed=False)
    part = component[rows]
    order = np.lexsort((rows, part))
    cuts = np.flatnonzero(np.diff(part[order], prepend=-1, append=-1))
    total = 0.0
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        cells = order[begin:end]
        total += _component(rows[cells], columns[cells], weights[cells])
    return total


def _component(rows: IntArray, columns: IntArray, weights: CountArray) -> float:
    if rows.size == 1:
        return float(weights[0])
    row_names, rows = np.unique(rows, return_inverse=True)
    column_names, columns = np.unique(columns, return_inverse=True)
    starts = np.searchsorted(rows, np.arange(row_names.size))
    bound = _row_bound(rows, columns, weights, starts)
    if bound is not None:
        return bound
    if row_names.size * column_names.size <= _DENSE_CELLS:
        return _dense(rows, columns, weights, row_names.size, column_names.size)
    return _sparse(rows, columns, weights, row_names.size, column_names.size)


def _row_bound(
    rows: IntArray, columns: IntArray, weights: CountArray, row_starts: IntArray
) -> float | None:
    """Σ of row maxima bounds every match; where they sit in different columns, it is the match."""
    best = np.maximum.reduceat(weights, row_starts)
    winners = np.flatnonzero(weights == best[rows])
    first = np.searchsorted(rows[winners], np.arange(row_starts.size))
    claimed = columns[winners[first]]
    if np.unique(claimed).size == claimed.size:
        return float(best.sum())
    return None


def _dense(
    rows: IntArray, columns: IntArray, weights: CountArray, n_rows: int, n_columns: int
) -> float:
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((n_rows, n_columns))
    table[rows, columns] = weights
    chosen = linear_sum_assignment(table, maximize=True)
    return float(table[chosen].sum())


def _sparse(
    rows: IntArray, columns: IntArray, weights: CountArray, n_rows: int, n_columns: int
) -> float:
    """Sparse assignment; a private column of weight 0 lets every row stay unmatched."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    spare = np.arange(n_rows)
    shift = 1.0 + float(weights.max())
    data = np.concatenate([shift - weights, np.full(n_rows, shift)])
    at = (np.concatenate([rows, spare]), np.concatenate([columns, n_columns + spare]))
    graph = csr_array((data, at), shape=(n_rows, n_columns + n_rows))
    matched_rows, matched_columns = min_weight_full_bipartite_matching(graph)
    real = matched_columns < n_columns
    lookup = csr_array((weights.astype(np.float64), (rows, columns)), (n_rows, n_columns))
    return float(lookup[matched_rows[real], matched_columns[real]].sum())
