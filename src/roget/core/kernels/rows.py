"""Sparse tables as kernels see them: row i has the entries indptr[i] to indptr[i + 1]."""

from __future__ import annotations

from typing import NamedTuple

from roget.core.kernels.jit import compiled
from roget.core.types import Array, Floats


class Rows(NamedTuple):
    """A sparse table by rows; of its transpose, by columns."""

    indptr: Array
    indices: Array
    values: Array


class Items(NamedTuple):
    """The same with the sum of each row."""

    indptr: Array
    indices: Array
    values: Floats
    totals: Floats


@compiled
def mean_rows(words: Array, weights: Floats, rows: Rows, out: Floats) -> None:
    """Σ weight·row over some rows, into `out`."""
    out[:] = 0.0
    for w in range(words.size):
        i, weight = words[w], weights[w]
        for j in range(rows.indptr[i], rows.indptr[i + 1]):
            out[rows.indices[j]] += weight * rows.values[j]
