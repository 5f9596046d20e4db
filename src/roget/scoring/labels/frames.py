"""Tables by columns: data frames of pandas, polars and pyarrow, and Parquet files by DuckDB.

No library of frames is imported here: a column is recognised by the module its type comes from,
so the library is already loaded whenever it is needed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from roget.core.io.limits import SPOOLED_TIMES, TIMES
from roget.core.io.problems import Problems
from roget.core.io.source import STANDARD_INPUT
from roget.core.io.table import Table, check_types, look_at_parquet
from roget.errors import InputError
from roget.scoring.labels.codes import factorize, factorize_objects, is_missing
from roget.scoring.labels.labels import Factors, without_empty
from roget.scoring.labels.table import (
    LABEL_ROLES,
    Columns,
    LabelTable,
    find_by_name,
    make_reader,
)

if TYPE_CHECKING:
    from roget.scoring.labels.read import LabelFile


def choose_rows(
    named: Mapping[str, Any], roles: Sequence[str], columns: Columns | None, source: str
) -> LabelTable:
    """Rows from columns by name, of which those that matter are found."""
    names = list(named)
    places = find_by_name(names, roles, columns, source)
    return rows_of({role: named[names[at]] for role, at in places.items()}, Problems(source))


def rows_of(columns: Mapping[str, Any], problems: Problems) -> LabelTable:
    """Rows from columns by role; they count from 1, as lines do."""
    columns = dict(columns)
    for role, column in columns.items():
        if getattr(column, "ndim", 1) > 1 or is_frame(column):
            raise InputError(f"{problems.name}: several columns have the name of the {role} column")
    items = _items(columns.pop("item")) if "item" in columns else None
    found = {
        role: factorize_column(column) if is_column(column) else factorize(column)
        for role, column in columns.items()
    }
    found |= {role: without_empty(found[role]) for role in LABEL_ROLES if role in found}
    lines = np.arange(1, len(next(iter(found.values())).codes) + 1)
    rows = LabelTable(problems, lines, items, found)
    rows.take_weights(found.pop("weight", None))
    return rows


def _items(column: Any) -> list[str]:
    """The text of each value, empty where there is none."""
    methods = [name for name in ("tolist", "to_list", "to_pylist") if hasattr(column, name)]
    values = getattr(column, methods[0])() if methods else list(column)
    if set(map(type, values)) <= {str}:
        return cast(list[str], values)
    return ["" if is_missing(value) else str(value) for value in values]


class FrameColumns(dict[str, Sequence[Any]]):
    """Columns by name, of a file that no library of frames has read."""


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
    if isinstance(value, FrameColumns):
        return True
    return library(value) in _COLUMNS and type(value).__name__ in _FRAMES


def frame_columns(frame: Any) -> dict[str, Any]:
    """The columns of a table by name."""
    if isinstance(frame, FrameColumns):
        return frame
    if library(frame) != "pyarrow":
        return {str(name): frame[name] for name in frame.columns}
    # Of several columns with one name all are given, as by pandas.
    places: dict[str, list[int]] = {}
    for at, name in enumerate(frame.schema.names):
        places.setdefault(name, []).append(at)
    return {
        name: frame.column(at[0]) if len(at) == 1 else frame.select(at)
        for name, at in places.items()
    }


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


_AS_THEY_ARE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR")
"""Types numpy has too; all others are taken by their text."""


def look(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], times: int = SPOOLED_TIMES
) -> Table:
    """A Parquet file with its columns by role; `times` as in `limits`."""
    # The file, looked at first, says so if it is not there.
    if file.source.path == STANDARD_INPUT or (file.plain and file.source.compression):
        raise InputError(f"{file.name}: Parquet is read from a plain file only")
    table = look_at_parquet(Table(file.name, file.plain.path, "parquet"), times)
    table = replace(table, places=find_by_name(table.names, roles, columns, file.name))
    check_types(table)
    return table


def read_table(
    file: LabelFile, columns: Columns | None, roles: Sequence[str], problems: Problems
) -> LabelTable:
    """The rows of a Parquet file, only the columns that matter."""
    from roget.core.io.duck import database, readable

    table = look(file, columns, roles, TIMES)
    # All roles are quoted: group is a word of SQL.
    picked = ", ".join(
        f'{table.cell(role, text=table.types[at] not in _AS_THEY_ARE)} AS "{role}"'
        for role, at in table.places.items()
    )
    with database() as connection, readable(file.name):
        arrays = connection.execute(f"SELECT {picked} FROM {table.sql}").fetchnumpy()
    return rows_of(arrays, problems)


read = make_reader(read_table)
