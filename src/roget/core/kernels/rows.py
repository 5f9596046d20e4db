"""Sparse tables for kernels, in CSR layout: row i has the entries indptr[i] to indptr[i + 1]."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled
from roget.core.types import Array, Floats


class RowIndex(NamedTuple):
    """A sparse table in CSR layout. A CSC table is represented by its transpose."""

    indptr: Array
    indices: Array
    values: Array


class RowItems(NamedTuple):
    """A sparse table in CSR layout, with the sum of each row."""

    indptr: Array
    indices: Array
    values: Floats
    totals: Floats


def rows_of(table: Any, dtype: Any = np.float64) -> RowIndex:
    """Convert a csr_array for use in kernels. For a csc_array, the result is its transpose."""
    indptr, indices = table.indptr.astype(np.int64), table.indices.astype(np.int32)
    return RowIndex(indptr, indices, table.data.astype(dtype))


@compiled
def mean_rows(words: Array, weights: Floats, rows: RowIndex, out: Floats) -> None:
    """Write the weighted sum of rows Σ weights[w]·row(words[w]) into `out`."""
    out[:] = 0.0
    for w in range(words.size):
        i, weight = words[w], weights[w]
        for j in range(rows.indptr[i], rows.indptr[i + 1]):
            out[rows.indices[j]] += weight * rows.values[j]
