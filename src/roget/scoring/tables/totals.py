"""Totals in contingency matrices, such as the margins of `pandas.crosstab(..., margins=True)`."""

from __future__ import annotations

from typing import Any

import numpy as np

_NAMES = {"total", "all", "sum", "margin"}
"""Names that pandas and R give to rows and columns of totals."""


def list_names(frame: Any, axis: str) -> list[Any] | None:
    """Return the names of the rows or columns of a pandas frame, or None for an array."""
    if not hasattr(frame, "to_numpy") or not hasattr(frame, axis):
        return None
    return list(getattr(frame, axis))


def drop_totals(
    values: Any, rows: list[Any] | None, columns: list[Any] | None, *, by_value: bool = True
) -> tuple[Any, list[Any] | None, list[Any] | None, list[str]]:
    """Drop a last row or column of totals. Return also the axes on which totals were dropped.

    Totals have a name such as Total. With `by_value`, totals without a name are detected, too: the
    last row and the last column must both be the sums of the others, in a table with at least two
    other rows and columns.
    """
    last = [names[-1] if names else None for names in (rows, columns)]
    by_row, by_column = (str(name).lower() in _NAMES for name in last)
    unnamed = not any(isinstance(name, str) for name in last)
    if by_value and unnamed and _has_sums(values):
        by_row = by_column = True
    if by_row:
        values, rows = np.asarray(values)[:-1], rows and rows[:-1]
    if by_column:
        values, columns = np.asarray(values)[:, :-1], columns and columns[:-1]
    dropped = [axis for axis, found in (("row", by_row), ("column", by_column)) if found]
    return values, rows, columns, dropped


def _has_sums(values: Any) -> bool:
    """Return True if the last row and the last column of a matrix are the sums of the others."""
    if hasattr(values, "tocsr"):
        return False
    try:
        matrix = np.asarray(values)
    except ValueError:
        return False
    if matrix.ndim != 2 or min(matrix.shape) < 3 or matrix.dtype.kind not in "iuf":
        return False
    return bool(
        matrix[-1, -1] > 0
        and np.allclose(matrix[:-1].sum(axis=0), matrix[-1])
        and np.allclose(matrix[:, :-1].sum(axis=1), matrix[:, -1])
    )
