"""Columns of pandas, polars and pyarrow, numbered by their own fast tools.

Nothing is imported here: a column is recognised by the module its type comes from, so the
library is already loaded whenever one of these functions runs.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.scoring.labels.factorize import Factors, factorize, factorize_objects


def library(value: object) -> str:
    """The top-level package a value's type comes from."""
    return type(value).__module__.partition(".")[0]


def is_column(value: object) -> bool:
    """Whether a value is a one-dimensional column of a library known here."""
    if library(value) == "pyarrow":
        return type(value).__name__.endswith("Array")
    return library(value) in _COLUMNS and hasattr(value, "dtype") and hasattr(value, "__len__")


def is_frame(value: object) -> bool:
    """Whether a value is a table with named columns."""
    return library(value) in _COLUMNS and type(value).__name__ in _FRAMES


def frame_columns(frame: Any) -> dict[str, Any]:
    """The columns of a table by name."""
    names = frame.schema.names if library(frame) == "pyarrow" else frame.columns
    return {str(name): frame[name] for name in names}


def factorize_column(column: Any) -> Factors:
    """Codes of a column; items are known by position, never by an index the column may have."""
    return _COLUMNS[library(column)](column)


def _pandas(column: Any) -> Factors:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind != "O":
        return factorize(column.to_numpy())
    array = getattr(column, "array", column)
    if column.dtype.name == "category":
        return _coded(array.codes, array.categories.tolist())
    pandas = sys.modules["pandas"]
    try:
        codes, names = pandas.factorize(array if array.dtype.kind != "O" else column)
    except TypeError:
        return factorize_objects(column.tolist())
    return _coded(codes, names.tolist())


def _polars(column: Any) -> Factors:
    if column.dtype.is_numeric() and not column.null_count():
        return factorize(column.to_numpy())
    polars = sys.modules["polars"]
    if column.dtype in (polars.Categorical, polars.Enum):
        column = column.cast(polars.String)
    try:
        distinct = column.drop_nulls().unique(maintain_order=True)
        numbers = polars.int_range(len(distinct), dtype=polars.Int32, eager=True)
        codes = column.replace_strict(distinct, numbers, default=-1, return_dtype=polars.Int32)
    except polars.exceptions.PolarsError:
        return factorize_objects(column.to_list())
    return _coded(codes.to_numpy(), distinct.to_list())


def _arrow(column: Any) -> Factors:
    pyarrow = sys.modules["pyarrow"]
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pyarrow.ChunkedArray):
            # Too long for one array: only possible for text beyond 2 GiB.
            return factorize_objects(column.to_pylist())
    kind = column.type
    numeric = pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)
    if numeric and not column.null_count:
        return factorize(column.to_numpy(zero_copy_only=False))
    try:
        if not pyarrow.types.is_dictionary(kind):
            column = column.dictionary_encode()
    except (pyarrow.ArrowNotImplementedError, pyarrow.ArrowInvalid):
        return factorize_objects(column.to_pylist())
    indices = column.indices
    if indices.null_count:
        indices = indices.cast(pyarrow.int64()).fill_null(-1)
    codes = indices.to_numpy(zero_copy_only=False)
    return _coded(codes, column.dictionary.to_pylist())


def _coded(codes: npt.NDArray[Any], names: list[Any]) -> Factors:
    """Factors from codes over a dictionary, which may itself hold gaps or repeat a label."""
    complete = not codes.size or bool(codes.min() >= 0)
    distinct = factorize_objects(names)
    if distinct.complete and distinct.n_labels == len(names):
        return Factors(codes, names, len(names), complete=complete)
    lookup = np.append(distinct.codes, np.int32(-1))
    merged = lookup[codes.astype(np.int64)]
    return Factors(merged, distinct.names, distinct.n_labels, complete=bool((merged >= 0).all()))


_FRAMES = ("DataFrame", "Table", "RecordBatch")
_COLUMNS = {"pandas": _pandas, "polars": _polars, "pyarrow": _arrow}
