"""The E-step of the symmetric model and the product behind its instabilities, compiled.

Every kernel writes only rows of its own range, and sums in an order fixed by the data, so that
results do not depend on how many threads share the ranges.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _compiled(function: _Function) -> _Function:
    # Sums over clusters may be taken several at a time; which ones is settled when compiling.
    return cast(
        _Function,
        njit(
            function,
            cache=True,
            nogil=True,
            error_model="numpy",
            fastmath={"reassoc", "contract", "nsz"},
        ),
    )


@_compiled
def expect(
    begin: int, end: int, indptr: Array, indices: Array, joint: Array, words: Array,
    contexts: Array, ratio: Array, counts: Array, log_z: Floats,
) -> None:  # fmt: skip
    """Expected counts of words begin to end in every cluster.

    Both tables hold tempered probabilities, a row for each word or context. Leaves in `ratio`
    p(n,v)/Z(n,v), from which any sum over the posterior follows, and in log_z Σ p(n,v)·log Z.
    """
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
            part = words.dtype.type(joint[j] / z)
            ratio[j] = part
            total += joint[j] * math.log(z)
            for c in range(k):
                out[c] += part * row[c]
        for c in range(k):
            out[c] *= mine[c]
        log_z[i] = total


@_compiled
def gather(
    begin: int, end: int, indptr: Array, indices: Array, ratio: Array, table: Array, out: Array
) -> None:
    """Rows begin to end of a sparse matrix times a table."""
    k = table.shape[1]
    for i in range(begin, end):
        mine = out[i]
        for c in range(k):
            mine[c] = 0
        for j in range(indptr[i], indptr[i + 1]):
            part, row = ratio[j], table[indices[j]]
            for c in range(k):
                mine[c] += part * row[c]
