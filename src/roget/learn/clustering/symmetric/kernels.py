"""Compiled kernels for the symmetric model: the E step, and a sparse matrix product.

The model is p(n,v) = Σ_c p(c)·p(n|c)·p(v|c), equation 1 of Pereira, Tishby & Lee (1993), with the
tempered posterior of Hofmann (1999), p(c|n,v) = [p(c|n)·p(v|c)]^β / Z(n,v).

Every kernel writes only the rows of its range, and adds in the order of the data. Results therefore
do not depend on the number of threads.
"""

from __future__ import annotations

import math

import numpy as np

from roget.core.kernels.jit import compiled_reassociated
from roget.core.kernels.rows import RowIndex
from roget.core.types import Array, Floats

FLOOR = 1e-12
"""Lower bound on probabilities. A probability of 0 could never become positive again."""


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
    """Compute the expected counts p(n,c) of words `begin` to `end`.

    `words` and `contexts` hold tempered probabilities, with one row per word or context. `ratio`
    becomes p(n,v)/Z(n,v), from which all sums over the posterior follow. `log_z` becomes Σ
    p(n,v)·ln Z(n,v).
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
            # 1. Compute Z(n,v) = Σ_c [p(c|n)·p(v|c)]^β.
            z = words.dtype.type(0)
            for c in range(k):
                z += mine[c] * row[c]
            part = words.dtype.type(values[j] / z)
            ratio[j] = part
            total += values[j] * math.log(z)
            # 2. Compute p(n,c) = Σ_v p(n,v)·p(c|n,v). The loop omits the word's factor, which is
            # applied afterwards.
            for c in range(k):
                out[c] += part * row[c]
        for c in range(k):
            out[c] *= mine[c]
        log_z[i] = total


@compiled_reassociated
def gather(begin: int, end: int, rows: RowIndex, table: Array, out: Array) -> None:
    """Multiply rows `begin` to `end` of a sparse matrix by a table."""
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
