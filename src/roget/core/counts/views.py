"""Counts seen as probabilities and as association: sparse matrices of float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.matrix import Matrix
from roget.core.types import Array, Floats
from roget.errors import InputError

_NEAR_ONE = 8 * np.finfo(np.float64).eps
"""How far a quotient of four rounded numbers can be from 1 when in truth it is 1."""

_MOST_DICE = 14
"""logDice of a word and a context that never stand apart."""


def ppmi(
    matrix: Matrix,
    word_totals: Array,
    context_totals: Array,
    *,
    shift: float = 1.0,
    smoothing: float = 1.0,
) -> Matrix:
    """max(0, log p(context | word) / p(context) − log shift), p(context) ∝ total^smoothing.

    Totals of contexts may be those of other words; what was never seen there counts as half seen.
    """
    if not 0 < shift < math.inf:
        raise InputError(f"shift={shift}: expected a finite number above 0")
    if not 0 < smoothing <= 1:
        raise InputError(f"smoothing={smoothing}: expected an exponent above 0, at most 1")
    seen = matrix.data / np.repeat(word_totals, np.diff(matrix.indptr))
    weights = context_totals.astype(np.float64) ** smoothing
    expected = np.where(weights > 0, weights, 0.5) / (math.fsum(weights) or 1.0)
    ratio = seen / (expected[matrix.indices] * shift)
    held = np.where(ratio > 1 + _NEAR_ONE, ratio, 1.0)
    view = like(matrix, np.log(held))
    view.eliminate_zeros()
    return view


def log_dice(seen: Any, word_totals: Any, context_totals: Any) -> Floats:
    """Rychlý's (2008) logDice, 14 + log2(2·seen / (word total + context total)): 14 at most.

    One more is twice as strong, whatever the size of the corpus; NaN where nothing was seen.

    >>> log_dice([8, 1, 0], 8, [8, 15, 3]).round(2).tolist()
    [14.0, 10.48, nan]
    """
    seen = np.asarray(seen, dtype=np.float64)
    both = np.asarray(word_totals, dtype=np.float64) + np.asarray(context_totals, np.float64)
    scores = np.full(np.broadcast(seen, both).shape, np.nan)
    np.divide(2 * seen, both, out=scores, where=seen > 0)
    return np.asarray(_MOST_DICE + np.log2(scores))


def unit(rows: Any) -> Any:
    """Rows of length 1, of an array or a csr_array; those of length 0 stay."""
    if sparse.issparse(rows):
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        return sparse.csr_array(sparse.diags_array(1 / np.where(lengths > 0, lengths, 1)) @ rows)
    rows = np.asarray(rows)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def to_dense(table: Any) -> Floats:
    """A table as an array of float64, whatever it was."""
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)


def like(matrix: Matrix, data: Floats) -> Matrix:
    """A matrix with other data at the same places."""
    parts = (data, matrix.indices.copy(), matrix.indptr.copy())
    view = sparse.csr_array(parts, shape=matrix.shape)
    view.has_canonical_format = True
    return view
