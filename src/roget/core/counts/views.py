"""Matrices derived from counts: association scores and normalised rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.matrix import Matrix
from roget.core.types import Array, Floats
from roget.errors import InputError

_NEAR_ONE = 8 * np.finfo(np.float64).eps
"""Tolerance for ratios whose exact value is 1, to allow for the rounding errors of four operations.
"""

_MAX_LOG_DICE = 14
"""Maximum of logDice, which is reached if a word and a context always occur together."""


def ppmi(
    matrix: Matrix,
    word_totals: Array,
    context_totals: Array,
    *,
    shift: float = 1.0,
    smoothing: float = 1.0,
) -> Matrix:
    """Return the shifted positive pointwise mutual information, in nats.

    The value is max(0, log(p(context | word) / p(context)) − log shift), with p(context) ∝
    total^smoothing.

    `context_totals` may come from another table. A context total of 0 is replaced by 0.5.
    """
    if not 0 < shift < math.inf:
        raise InputError(f"shift={shift} must be finite and above 0", code="invalid-option")
    if not 0 < smoothing <= 1:
        raise InputError(
            f"smoothing={smoothing} must be above 0 and at most 1", code="invalid-option"
        )
    seen = matrix.data / np.repeat(word_totals, np.diff(matrix.indptr))
    weights = context_totals.astype(np.float64) ** smoothing
    expected = np.where(weights > 0, weights, 0.5) / (math.fsum(weights) or 1.0)
    ratio = seen / (expected[matrix.indices] * shift)
    # If a ratio is 1 up to rounding errors, its PPMI is set to exactly 0 and removed.
    view = like(matrix, np.log(np.where(ratio > 1 + _NEAR_ONE, ratio, 1.0)))
    view.eliminate_zeros()
    return view


def log_dice(seen: Any, word_totals: Any, context_totals: Any) -> Floats:
    """Return Rychlý's (2008) logDice, 14 + log2(2·count / (word total + context total)).

    `seen` contains the counts of pairs. The maximum is 14. A difference of 1 corresponds to a
    factor of 2 in association strength. The score does not depend on the corpus size, and is NaN if
    the count is 0.

    >>> log_dice([8, 1, 0], 8, [8, 15, 3]).round(2).tolist()
    [14.0, 10.48, nan]
    """
    seen = np.asarray(seen, dtype=np.float64)
    both = np.asarray(word_totals, dtype=np.float64) + np.asarray(context_totals, np.float64)
    scores = np.full(np.broadcast(seen, both).shape, np.nan)
    np.divide(2 * seen, both, out=scores, where=seen > 0)
    return np.asarray(_MAX_LOG_DICE + np.log2(scores))


def unit(rows: Any) -> Any:
    """Scale the rows of an array or csr_array to length 1. Rows of zeros are not changed."""
    if sparse.issparse(rows):
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        return sparse.csr_array(sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ rows)
    rows = np.asarray(rows)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def to_dense(table: Any) -> Floats:
    """Convert a sparse or dense table to a dense float64 array."""
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)


def like(matrix: Matrix, data: Floats) -> Matrix:
    """Return a matrix with the sparsity pattern of `matrix`, but with new values."""
    parts = (data, matrix.indices.copy(), matrix.indptr.copy())
    view = sparse.csr_array(parts, shape=matrix.shape)
    view.has_canonical_format = True
    return view


def widen(matrix: Any, columns: int) -> Any:
    """Append columns of zeros to a csr_array without copying its data."""
    if matrix.shape[1] == columns:
        return matrix
    return sparse.csr_array(
        (matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], columns)
    )
