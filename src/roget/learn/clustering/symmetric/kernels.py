"""The E step of the symmetric model and the product behind its instabilities, compiled.

Every kernel writes only the rows of its own range and sums in an order fixed by the data, so that
results do not depend on the number of threads.
"""

from __future__ import annotations

import math

import numpy as np

from roget.core.kernels.jit import compiled_reassociated
from roget.core.kernels.rows import RowIndex
from roget.core.types import Array, Floats

FLOOR = 1e-12
"""Lower bound of probabilities; at 0 a probability could never grow again."""


def temper(probabilities: Array, beta: float) -> Array:
    """Raise probabilities to the power β, after applying the lower bound."""
    floored: Array = np.maximum(probabilities, probabilities.dtype.type(FLOOR))
    return floored if beta == 1.0 else floored ** probabilities.dtype.type(beta)


@compiled_reassociated
def expect(
    begin: int, end: int, joint: RowIndex, words: Array, contexts: Array, ratio: Array,
    counts: Array,
    log_z: Floats,
) -> None:  # fmt: skip
    """Compute the expected counts of words begin to end in every cluster.

    Both tables hold tempered probabilities, a row for each word or context. Leaves p(n,v)/Z(n,v) in
    `ratio`, from which any sum over the posterior follows, and Σ p(n,v)·ln Z in `log_z`.
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
            # Z(n,v) = Σ_c [p(c|n)·p(v|c)]^β; both tables are tempered already.
            z = words.dtype.type(0)
            for c in range(k):
                z += mine[c] * row[c]
            part = words.dtype.type(values[j] / z)
            ratio[j] = part
            total += values[j] * math.log(z)
            # Σ_v p(n,v)·p(c|n,v): the word's own factor is applied after the loop.
            for c in range(k):
                out[c] += part * row[c]
        for c in range(k):
            out[c] *= mine[c]
        log_z[i] = total


@compiled_reassociated
def gather(begin: int, end: int, rows: RowIndex, table: Array, out: Array) -> None:
    """Multiply rows begin to end of a sparse matrix by a table."""
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
