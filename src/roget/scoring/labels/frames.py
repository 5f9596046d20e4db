"""Convert data frames from pandas, polars and pyarrow, column by column.

This module does not import these libraries itself. It detects the library of a column from the
module of its type, and uses the library that the caller has already imported.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from roget.core.io.frames import is_frame, library
from roget.core.io.problems import Problems
from roget.errors import InputError
from roget.scoring.labels.codes import factorize, factorize_objects, is_missing
from roget.scoring.labels.columns import (
    LABEL_ROLES,
    NAMES,
    NOUNS,
    SINGLE,
    Columns,
    LabelRoles,
)
from roget.scoring.labels.labels import LabelCodes
from roget.scoring.labels.table import LabelTable


def find_in_frame(
    names: Sequence[str], roles: LabelRoles, columns: Columns | None, source: str
) -> dict[str, int]:
    """Return the column index of each role in a data frame.

    As in files, two columns with unknown names are items and labels. Gold and system columns of one
    frame must be named.
    """
    find = roles.find_columns if roles is SINGLE else roles.find_by_name
    return find(names, columns, source)


def select_columns(
    named: Mapping[str, Any], roles: LabelRoles, columns: Columns | None, source: str
) -> LabelTable:
    """Select a column for each role, and return the columns as a label table."""
    names = list(named)
    places = find_in_frame(names, roles, columns, source)
    if len(names) == 2 and not columns and places == {"item": 0, "label": 1}:
        ids = _items(named[names[0]])
        if len(set(ids)) < len(ids) and names[0].lower() not in (*NAMES["item"], *NOUNS):
            raise InputError(
                f"{source}: the column {names[0]} has repeated values, so it does not contain "
                f"item ids; pass one column of labels ({names[0]} or {names[1]}), or compare both "
                "columns",
                code="ambiguous-columns",
            )
    by_role = {role: named[names[at]] for role, at in places.items()}
    return table_from_columns(by_role, Problems(source))


def table_from_columns(columns: Mapping[str, Any], problems: Problems) -> LabelTable:
    """Convert columns, keyed by role, to a label table. Rows are numbered from 1, like lines."""
    columns = dict(columns)
    for role, column in columns.items():
        if getattr(column, "ndim", 1) > 1 or is_frame(column):
            raise InputError(
                f"{problems.name}: several columns have the same name as the {role} column",
                code="duplicate-name",
            )
    items = _items(columns.pop("item")) if "item" in columns else None
    coded = {
        role: factorize_column(column) if is_column(column) else factorize(column)
        for role, column in columns.items()
    }
    coded |= {role: coded[role].drop_empty() for role in LABEL_ROLES if role in coded}
    lines = np.arange(1, len(next(iter(coded.values())).codes) + 1)
    table = LabelTable(problems, lines, items, coded)
    table.set_weights(coded.pop("weight", None))
    return table


def _items(column: Any) -> list[str]:
    """Convert each value to a string, and missing values to empty strings."""
    methods = [name for name in ("tolist", "to_list", "to_pylist") if hasattr(column, name)]
    values = getattr(column, methods[0])() if methods else list(column)
    if set(map(type, values)) <= {str}:
        return cast(list[str], values)
    return ["" if is_missing(value) else str(value) for value in values]


def is_column(value: object) -> bool:
    """Return True if a value is a one-dimensional column from a supported data frame library."""
    if library(value) == "pyarrow":
        return type(value).__name__.endswith("Array")
    return library(value) in _COLUMNS and hasattr(value, "dtype") and hasattr(value, "__len__")


def factorize_column(column: Any) -> LabelCodes:
    """Factorize a column. The index of a pandas column is ignored."""
    return _COLUMNS[library(column)](column)


def _pandas(column: Any) -> LabelCodes:
    if getattr(column, "nlevels", 1) > 1:
        return factorize_objects(column.tolist())
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


def _polars(column: Any) -> LabelCodes:
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


def _arrow(column: Any) -> LabelCodes:
    pyarrow = sys.modules["pyarrow"]
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pyarrow.ChunkedArray):
            # A single array cannot hold strings with a total size above 2 GiB.
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


def _coded(codes: npt.NDArray[Any], names: list[Any]) -> LabelCodes:
    """Convert a dictionary-encoded column. Its dictionary may contain duplicates or NA."""
    complete = not codes.size or bool(codes.min() >= 0)
    distinct = factorize_objects(names)
    if distinct.complete and distinct.n_labels == len(names):
        return LabelCodes(codes, len(names), names, complete=complete)
    lookup = np.append(distinct.codes, np.int32(-1))
    merged = lookup[codes.astype(np.int64)]
    return LabelCodes(merged, distinct.n_labels, distinct.names, complete=bool((merged >= 0).all()))


_COLUMNS = {"pandas": _pandas, "polars": _polars, "pyarrow": _arrow}
