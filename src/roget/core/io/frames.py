"""Detect data frames and list their columns, without importing data frame libraries.

The library of a frame is detected from the module of its type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

LIBRARIES = ("pandas", "polars", "pyarrow")
"""Libraries whose frames are read column by column. Narwhals reads other frames."""

_FRAMES = ("DataFrame", "Table", "RecordBatch")

_NOT_FRAMES = ("builtins", "pathlib", "numpy", "scipy", "roget", "torch", "anndata")
"""Packages without lazy frames. Narwhals is not imported for objects from these packages."""


class FrameColumns(dict[str, Sequence[Any]]):
    """The columns of a file that was read without a data frame library, by column name."""


def library(value: object) -> str:
    """Return the top-level package that defines the type of a value."""
    return type(value).__module__.partition(".")[0]


def is_frame(value: object) -> bool:
    """Return True if a value is a table with named columns in memory."""
    if isinstance(value, FrameColumns):
        return True
    return library(value) in LIBRARIES and type(value).__name__ in _FRAMES


def is_lazy(value: object) -> bool:
    """Return True if a value is a frame whose rows may not be in memory."""
    if is_frame(value) or library(value) in _NOT_FRAMES:
        return False
    import narwhals.stable.v2 as nw

    # Ask narwhals, which knows the frames of all libraries it supports (Spark, Ibis, Dask, DuckDB
    # …).
    frame = nw.from_native(value, pass_through=True)
    return isinstance(frame, nw.LazyFrame | nw.DataFrame)


def frame_columns(frame: Any) -> dict[str, Any]:
    """Return the columns of a table, keyed by name."""
    if isinstance(frame, FrameColumns):
        return frame
    if library(frame) != "pyarrow":
        return {str(name): frame[name] for name in frame.columns}
    # Columns that have the same name are returned as one table, as in pandas.
    places: dict[str, list[int]] = {}
    for at, name in enumerate(frame.schema.names):
        places.setdefault(name, []).append(at)
    return {
        name: frame.column(at[0]) if len(at) == 1 else frame.select(at)
        for name, at in places.items()
    }
