"""The E-step of the symmetric model and the product behind its instabilities, compiled.

Every kernel writes only rows of its own range, and sums in an order fixed by the data, so that
results do not depend on how many threads share the ranges.
"""

from __future__ import annotations

import math

import numpy as np

from roget.core.kernels.jit import compiled_reassociated
from roget.core.kernels.rows import RowIndex
from roget.core.types import Array, Floats

FLOOR = 1e-12
"""No probability counts as less, or it could never grow again."""


def temper(probabilities: Array, beta: float) -> Array:
    """Probabilities to the power of β, none below the floor."""
    floored: Array = np.maximum(probabilities, probabilities.dtype.type(FLOOR))
    return floored if beta == 1.0 else floored ** probabilities.dtype.type(beta)


@compiled_reassociated
def expect(
    begin: int, end: int, joint: RowIndex, words: Array, contexts: Array, ratio: Array,
    counts: Array,
    log_z: Floats,
) -> None:  # fmt: skip
    """Expected counts of words begin to end in every cluster.

    Both tables hold tempered probabilities, a row for each word or context. Leaves in `ratio`
    p(n,v)/Z(n,v), from which any sum over the posterior follows, and in log_z Σ p(n,v)·log Z.
    """
    indptr, indices, values = joint
    k = words.shape[1]
    for i in range(begin, end):
        mine, out = words[i], counts[i]
        for c in range(k):
            out[c] = 0
        total = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            row = contexts[indices[j]]
            z = words.dtype.type(0)
            for c in range(k):
                z += mine[c] * row[c]
            part = words.dtype.type(values[j] / z)
            ratio[j] = part
            total += values[j] * math.log(z)
            for c in range(k):
                out[c] += part * row[c]
        for c in range(k):
            out[c] *= mine[c]
        log_z[i] = total


@compiled_reassociated
def gather(begin: int, end: int, rows: RowIndex, table: Array, out: Array) -> None:
    """Rows begin to end of a sparse matrix times a table."""
    indptr, indices, ratio = rows
    k = table.shape[1]
    for i in range(begin, end):
        mine = out[i]
        for c in range(k):
            mine[c] = 0
        for j in range(indptr[i], indptr[i + 1]):
            part, row = ratio[j], table[indices[j]]
            for c in range(k):
                mine[c] += part * row[c]
