"""What clusterers take: Counts, or any sparse or dense table of counts, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils.validation import validate_data

from roget.core.counts import Counts
from roget.errors import InputError


def table(estimator: Any, X: Any, reset: bool = False) -> Any:
    """X as a csr_array of float64, checked; contexts of Counts are matched by name.

    With `reset` the estimator learns the names and the number of columns, else X must fit them.
    """
    if isinstance(X, Counts):
        if reset:
            estimator.words_, estimator.contexts_ = X.words, X.contexts
        elif hasattr(estimator, "contexts_"):
            return aligned(X, estimator.contexts_)
        X = X.matrix
    elif reset:
        for name in ("words_", "contexts_"):
            estimator.__dict__.pop(name, None)
    checked = validate_data(
        estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_non_negative=True
    )
    return sparse.csr_array(checked)


def learnable(
    matrix: Any, min_count: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    """The sum of each row, and the rows that have enough counts to be learnt from."""
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    rows = np.flatnonzero((totals > 0) & (totals >= min_count))
    if not rows.size:
        raise InputError(
            f"no row can be learnt from: {totals.size} rows, the largest sum is "
            f"{totals.max():g}, min_count={min_count}"
        )
    return totals, rows


def aligned(counts: Counts, contexts: npt.NDArray[Any]) -> Any:
    """The counts with the model's contexts as columns; others are left out."""
    if np.array_equal(counts.contexts, contexts):
        return sparse.csr_array(counts.matrix, dtype=np.float64)
    known = {context: column for column, context in enumerate(contexts.tolist())}
    places = np.array([known.get(context, -1) for context in counts.contexts.tolist()])
    cells = counts.matrix.tocoo()
    held = places[cells.col] >= 0
    rows, columns = cells.row[held], places[cells.col[held]]
    return sparse.csr_array(
        (cells.data[held].astype(np.float64), (rows, columns)),
        shape=(counts.shape[0], contexts.size),
    )
