"""Input validation for clusterers, which accept Counts and sparse or dense count matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.catalogue import name_extra
from roget.core.contents import is_list_of, is_text
from roget.core.counts import Counts
from roget.core.counts.matrix import frozen
from roget.core.types import Array, Floats, Ints
from roget.errors import InputError

with name_extra():
    from sklearn.utils.validation import validate_data


NAMES = ("words_", "contexts_", "feature_names_in_")
"""Fitted attributes with the names of words, contexts and columns."""


def table(estimator: Any, X: Any, reset: bool = False) -> Any:
    """Return X as a validated csr_array of float64. The contexts of `Counts` are matched by name.

    With `reset`, store the names and the number of columns in the estimator. Otherwise X must match
    them.
    """
    # A Counts object stores the names of its contexts, so match contexts by name after fitting.
    if isinstance(X, Counts):
        if reset:
            estimator.words_, estimator.contexts_ = X.words, X.contexts
        elif hasattr(estimator, "contexts_"):
            return tidy(align_contexts(X, estimator.contexts_))
        X = X.matrix
    elif reset:
        for name in ("words_", "contexts_"):
            estimator.__dict__.pop(name, None)
    checked = validate_data(
        estimator, X, reset=reset, accept_sparse="csr", dtype=np.float64, ensure_non_negative=True
    )
    found = sparse.csr_array(checked)
    if not np.isfinite(found.data.sum()):
        raise InputError("the sum of the counts is not a finite number", code="bad-count")
    return tidy(found)


def export_names(model: Any) -> dict[str, list[Any]]:
    """Return the word and context names of a fitted model as plain lists."""
    return {name: vars(model)[name].tolist() for name in NAMES if name in vars(model)}


def restore_names(model: Any, content: Mapping[str, Any]) -> None:
    """Set the names of a model from lists returned by `export_names`."""
    for name in NAMES:
        if name in content:
            listed = content[name]
            if not is_list_of(is_text)(listed) or len(set(listed)) < len(listed):
                raise ValueError(f"{name}: expected a list of unique strings")
            setattr(model, name, frozen(listed))


def tidy(matrix: Any) -> Any:
    """Return a copy of the matrix without stored zeros and duplicate entries."""
    if matrix.has_canonical_format and matrix.data.all():
        return matrix
    clean = matrix.copy()
    clean.sum_duplicates()
    clean.eliminate_zeros()
    return clean


def select_learnable(matrix: Any, min_count: float) -> tuple[Floats, npt.NDArray[np.intp], Any]:
    """Return all row sums, and the rows with sums ≥ `min_count` (their indices and submatrix)."""
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    rows = np.flatnonzero((totals > 0) & (totals >= min_count))
    if not rows.size:
        raise InputError(
            f"no row has enough counts: the largest of {totals.size} row sums is "
            f"{totals.max():g}, with min_count={min_count}",
            code="too-little-text",
        )
    return totals, rows, matrix if rows.size == totals.size else matrix[rows]


def align_contexts(counts: Counts, contexts: Array) -> Any:
    """Return the counts with the model's contexts as columns. Other contexts are dropped."""
    if np.array_equal(counts.contexts, contexts):
        return sparse.csr_array(counts.matrix, dtype=np.float64)
    # Renumber the columns of the entries, and drop entries with unknown contexts.
    known = {context: column for column, context in enumerate(contexts.tolist())}
    places = np.array([known.get(context, -1) for context in counts.contexts.tolist()])
    cells = counts.matrix.tocoo()
    held = places[cells.col] >= 0
    rows, columns = cells.row[held], places[cells.col[held]]
    return sparse.csr_array(
        (cells.data[held].astype(np.float64), (rows, columns)),
        shape=(counts.shape[0], contexts.size),
    )


def find_names(keys: Any, names: Any, size: int, noun: str) -> Ints:
    """Convert names or numbers of rows or columns to indices."""
    keys = np.atleast_1d(np.asarray(keys))
    if keys.dtype.kind in "iu":
        if keys.size and not (keys.min() >= 0 and keys.max() < size):
            raise InputError(
                f"{noun} numbers must be between 0 and {size - 1}", code="invalid-input"
            )
        indices: Ints = keys.astype(np.int64)
        return indices
    if names is None:
        raise InputError(
            f"the {noun}s have no names; fit on Counts, or pass row numbers", code="invalid-input"
        )
    known = {name: place for place, name in enumerate(names.tolist())}
    missing = [name for name in keys.tolist() if name not in known]
    if missing:
        raise InputError(
            f"unknown {noun}: {', '.join(map(repr, missing[:5]))}", code="unknown-word"
        )
    return np.array([known[name] for name in keys.tolist()], dtype=np.int64)
