"""Declare the contents of folders: dataclasses whose fields specify types, shapes and checks.

A format is declared once. The same declaration is used to validate values on reading and to store
them on writing:

    @dataclass(frozen=True)
    class StoredVectors(Contents):
        words: list[str] = texts("words")
        table: Array = array("f", "words", "dimensions", low=-1.01, below=1.01)

Dimensions with the same name must have the same size in all fields of a declaration. The upper
bound of an index may be the size of a named dimension, e.g. `below="words"`.
"""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol, Self, TypeAlias

import numpy as np

from roget.core.types import Array, PathLike
from roget.errors import InputError

Check: TypeAlias = Callable[[Any], bool]
Sizes: TypeAlias = dict[str, int]
"""Map from the names of dimensions to their sizes."""

Schema: TypeAlias = Mapping[str, tuple[str, tuple[str | int, ...]]]
"""Map from array names to the allowed dtype kinds and the shape of the array.

Dimensions with the same name must have the same size.
"""

CSR = ("data", "indices", "indptr")
_FIELD, _COLUMN, _TABLE = "field", "column", "table"
"""Metadata keys under which dataclass fields store their declarations."""


# ---- declarations


class Declaration(Protocol):
    """Base class of field declarations."""

    def take(self, name: str, values: Mapping[str, Any], sizes: Sizes) -> Any:
        """Check the type and shape of a value, add its dimensions to `sizes`, and return it.

        Raise KeyError if the value is missing, and ValueError if it is invalid.
        """

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Raise ValueError if a value is out of range, given the sizes of all dimensions."""

    def put(self, name: str, value: Any) -> dict[str, Any]:
        """Return the values to store, keyed by name."""


@dataclass(frozen=True)
class ArrayField:
    """An array with one of the given dtype `kinds`, and with low ≤ values < below."""

    kinds: str
    shape: tuple[str | int, ...]
    low: float = -math.inf
    below: float | str = math.inf
    optional: bool = False

    def take(self, name: str, values: Mapping[str, Any], sizes: Sizes) -> Any:
        """Return the array, or None if it is optional and missing."""
        if self.optional and name not in values:
            return None
        require_array(name, values[name], self.kinds, self.shape, sizes)
        return values[name]

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Check the range of the values."""
        if value is not None:
            high = sizes[self.below] if isinstance(self.below, str) else self.below
            require_range(name, value, self.low, high)

    def put(self, name: str, value: Any) -> dict[str, Any]:
        """Return a dictionary with the array, keyed by name."""
        return {} if value is None else {name: value}


@dataclass(frozen=True)
class MatrixField(ArrayField):
    """A matrix, stored as one dense array or as the arrays of a sparse matrix (see `to_arrays`)."""

    def take(self, name: str, values: Mapping[str, Any], sizes: Sizes) -> Any:
        """Return the matrix, dense or as a csr_array."""
        table = from_arrays(values, name)
        require_array(name, table, self.kinds, self.shape, sizes)
        return table

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Check the range of the stored values."""
        super().check(name, value if isinstance(value, np.ndarray) else value.data, sizes)

    def put(self, name: str, value: Any) -> dict[str, Any]:
        """Return the arrays that store the matrix, keyed by name."""
        return dict(to_arrays(name, value))


@dataclass(frozen=True)
class TextsField:
    """A list of strings, whose length is the size of the named dimension."""

    size: str
    distinct: bool = True

    def take(self, name: str, values: Mapping[str, Any], sizes: Sizes) -> Any:
        """Return the list of strings after checking its type and length."""
        require_texts(values, name, distinct=self.distinct)
        found = values[name]
        if len(found) != sizes.setdefault(self.size, len(found)):
            raise ValueError(f"{name}: found {len(found)} strings; expected {sizes[self.size]}")
        return found

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Do nothing, because all strings are valid."""

    def put(self, name: str, value: Any) -> dict[str, Any]:
        """Return a dictionary with the list, keyed by name."""
        return {name: list(value)}


@dataclass(frozen=True)
class ValueField:
    """A JSON value in a manifest, with a check. `at` is its path, e.g. "provenance.beta".

    If the value is the size of a dimension, or a list of sizes, `sizes` names these dimensions.
    """

    is_valid: Check
    at: str = ""
    sizes: tuple[str, ...] = ()

    def take(self, name: str, values: Mapping[str, Any], sizes: Sizes) -> Any:
        """Return the value, or None if it is missing and the check accepts None."""
        part, _, inner = (self.at or name).partition(".")
        value = values[part].get(inner) if inner else values.get(part)
        if not self.is_valid(value):
            raise ValueError(f"invalid value for {self.at or name!r}: {reprlib.repr(value)}")
        return value

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Do nothing, because `take` has already checked the value."""

    def put(self, name: str, value: Any) -> dict[str, Any]:
        """Return a dictionary with the value, keyed by name."""
        return {name: value}


def array(
    kinds: str,
    *shape: str | int,
    low: float = -math.inf,
    below: float | str = math.inf,
    optional: bool = False,
) -> Any:
    """Declare an array with one of the dtype `kinds`, e.g. "iu" or "f", and low ≤ values < below.

    Floating-point numbers must be finite.
    """
    return _declare(ArrayField(kinds, shape, low, below, optional))


def matrix(
    kinds: str, *shape: str | int, low: float = -math.inf, below: float | str = math.inf
) -> Any:
    """Declare a matrix that may be sparse."""
    return _declare(MatrixField(kinds, shape, low, below))


def texts(size: str, *, distinct: bool = True) -> Any:
    """Declare a list of strings, whose length is the size of the named dimension."""
    return _declare(TextsField(size, distinct))


def value(is_valid: Check, *, at: str = "", sizes: Sequence[str] = ()) -> Any:
    """Declare a JSON value in a manifest.

    `at` is its path in the manifest, by default the field name. If the value is the size of a
    dimension, or a list of sizes, `sizes` names these dimensions.
    """
    return _declare(ValueField(is_valid, at, tuple(sizes)))


def _declare(declaration: Declaration) -> Any:
    return field(metadata={_FIELD: declaration})


class Contents:
    """Base class of dataclasses that declare stored values.

    >>> @dataclass(frozen=True)
    ... class Table(Contents):
    ...     words: list[str] = texts("words")
    ...     rows: Array = array("iu", "cells", low=0, below="words")
    >>> Table.read({"words": ["a", "b"], "rows": np.array([1, 0, 1])}).rows.tolist()
    [1, 0, 1]
    >>> Table.read({"words": ["a"], "rows": np.array([1])})
    Traceback (most recent call last):
    ValueError: rows: found 1; expected numbers ≥ 0 and < 1
    """

    @classmethod
    def read(cls, values: Mapping[str, Any], **sizes: int) -> Self:
        """Check stored values against the declarations, and return an instance that holds them.

        Undeclared values are ignored. `sizes` contains the sizes of dimensions that are already
        known.

        Raises
        ------
        KeyError
            If a value is missing.
        ValueError
            If a value has the wrong type, shape or range.
        """
        return cls(**read_values(cls, values, sizes))

    def content(self) -> dict[str, Any]:
        """Return the values to store, keyed by name."""
        found: dict[str, Any] = {}
        for name, one in declarations(type(self)).items():
            found |= one.put(name, getattr(self, name))
        return found


def read_values(declared: type, values: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    """Check stored values against a dataclass's declarations, and return the declared values."""
    fields = declarations(declared)
    found = {name: one.take(name, values, sizes) for name, one in fields.items()}
    # Check ranges last, because the upper bound of an index may be the size of another field.
    for name, one in fields.items():
        one.check(name, found[name], sizes)
    return found


def declarations(contents: type) -> dict[str, Declaration]:
    """Return the declarations of a dataclass's fields, omitting fields without a declaration."""
    return {one.name: one.metadata[_FIELD] for one in fields(contents) if _FIELD in one.metadata}


# ---- tables


@dataclass(frozen=True)
class ColumnField:
    """A column in a Parquet table, with an SQL type and low ≤ values < below."""

    sql: str
    low: float = 0
    below: float | str = math.inf


@dataclass(frozen=True)
class TableField:
    """A Parquet file with declared columns.

    Its number of rows is the size of the named dimension.
    """

    file: str
    columns: dict[str, ColumnField]
    rows: str
    optional: bool = False

    @property
    def types(self) -> dict[str, str]:
        """The SQL types of the columns."""
        return {name: one.sql for name, one in self.columns.items()}


def table(columns: type, file: str, rows: str, *, optional: bool = False, prefix: str = "") -> Any:
    """Declare a table in a folder: its columns, its file, and the dimension of its rows.

    `columns` is a dataclass whose fields are declared with `column`. The prefix is added to the
    file name and to all dimensions.
    """
    declared: dict[str, ColumnField] = {}
    for one in fields(columns):
        kept: ColumnField = one.metadata[_COLUMN]
        if isinstance(kept.below, str):
            kept = replace(kept, below=prefix + kept.below)
        declared[one.name] = kept
    made = TableField(prefix + file, declared, prefix + rows, optional)
    return field(metadata={_TABLE: made})


def column(sql: str, *, low: float = 0, below: str = "") -> Any:
    """Declare a column by its SQL type.

    If `below` names a dimension, the column contains indices into that dimension.
    """
    return field(metadata={_COLUMN: ColumnField(sql, low, below or math.inf)})


def tables_of(contents: type, *, optional: bool) -> dict[str, TableField]:
    """Return the required or the optional tables of a declaration, keyed by file name."""
    found: list[TableField] = [
        one.metadata[_TABLE] for one in fields(contents) if _TABLE in one.metadata
    ]
    return {one.file: one for one in found if one.optional is optional}


def values_of(contents: type) -> dict[str, Check]:
    """Return the functions that check the declared manifest values, keyed by path."""
    found = declarations(contents).items()
    return {one.at or name: one.is_valid for name, one in found if isinstance(one, ValueField)}


def stated_sizes(contents: type, record: Mapping[str, Any]) -> Sizes:
    """Return the dimension sizes that are stated in a manifest."""
    found: Sizes = {}
    for name, one in declarations(contents).items():
        if isinstance(one, ValueField) and one.sizes:
            stated = record[name]
            found |= zip(one.sizes, stated if isinstance(stated, list) else [stated], strict=True)
    return found


def check_tables(
    declared: Mapping[str, TableField], tables: Mapping[str, Mapping[str, Array]], sizes: Sizes
) -> None:
    """Check the number of rows in each table, and the indices in its columns.

    Raise ValueError if they are inconsistent with each other or with the known `sizes`.
    """
    for name, columns in tables.items():
        rows, dimension = len(next(iter(columns.values()))), declared[name].rows
        if rows != sizes.setdefault(dimension, rows):
            raise ValueError(f"{name}: found {rows:,} {dimension}; expected {sizes[dimension]:,}")
    for name, columns in tables.items():
        for key, one in declared[name].columns.items():
            if isinstance(one.below, str):
                require_range(f"{name}: column {key}", columns[key], one.low, sizes[one.below])


# Validators of JSON values


def is_whole(value: Any) -> bool:
    """Return True if a JSON value is an integer."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_size(value: Any) -> bool:
    """Return True if a JSON value is a non-negative integer."""
    return is_whole(value) and value >= 0


def is_number(value: Any) -> bool:
    """Return True if a JSON value is a finite number."""
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and abs(value) <= sys.float_info.max


def is_mapping(value: Any) -> bool:
    """Return True if a JSON value is an object."""
    return isinstance(value, dict)


def is_list_of(is_valid: Check) -> Check:
    """Return a function that checks that a JSON value is a list whose elements pass `is_valid`."""
    return lambda value: isinstance(value, list) and all(map(is_valid, value))


def is_text(value: Any) -> bool:
    """Return True if a JSON value is a string."""
    return isinstance(value, str)


def is_optional(is_valid: Check) -> Check:
    """Return a function that accepts None and the values that pass `is_valid`."""
    return lambda value: value is None or is_valid(value)


# Validators of arrays


def require_csr(parts: Sequence[Array], shape: Any, *, finite: bool = True) -> Any:
    """Build a csr_array from data, indices and indptr, after checking all indices.

    SciPy's compiled code does not check indices. Raise ValueError if an array is invalid.
    """
    from scipy import sparse

    data, indices, indptr = parts
    shape = tuple(int(size) for size in shape)
    if len(shape) != 2 or min(shape) < 0:
        raise ValueError(f"invalid shape {shape}; expected (rows, columns)")
    for name, part, kinds in (
        ("data", data, "biuf"), ("indices", indices, "iu"), ("indptr", indptr, "iu"),
    ):  # fmt: skip
        if not isinstance(part, np.ndarray) or part.ndim != 1 or part.dtype.kind not in kinds:
            raise ValueError(
                f"{name}: expected a one-dimensional array with a dtype kind in {kinds}"
            )
    if indptr.size != shape[0] + 1 or indptr[0] != 0 or indptr[-1] != indices.size:
        raise ValueError(f"indptr does not match {shape[0]} rows and {indices.size} cells")
    if data.size != indices.size:
        raise ValueError(f"data and indices differ in length ({data.size} and {indices.size})")
    if not np.all(indptr[1:] >= indptr[:-1]):
        raise ValueError("indptr decreases")
    if indices.size and not (int(indices.min()) >= 0 and int(indices.max()) < shape[1]):
        raise ValueError(f"indices are outside the {shape[1]} columns")
    if finite and not np.isfinite(data).all():
        raise ValueError("data: expected finite numbers")
    return sparse.csr_array((data, indices, indptr), shape=shape)


def to_arrays(name: str, table: Any) -> dict[str, Array]:
    """Return a matrix as named arrays: one dense array, or the arrays of a sparse matrix."""
    if isinstance(table, np.ndarray):
        return {name: table}
    parts = {f"{name}.{part}": np.asarray(getattr(table, part)) for part in CSR}
    return {**parts, f"{name}.shape": np.array(table.shape)}


def from_arrays(arrays: Mapping[str, Any], name: str) -> Any:
    """Rebuild a matrix from the arrays returned by `to_arrays`.

    Raise KeyError or ValueError if the arrays are incomplete or invalid.
    """
    if name in arrays:
        require_arrays(arrays, {name: ("iuf", ("rows", "columns"))})
        return arrays[name]
    try:
        table = require_csr([arrays[f"{name}.{part}"] for part in CSR], arrays[f"{name}.shape"])
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    # Compiled code requires sorted rows without duplicates.
    if not table.has_canonical_format:
        table.sum_duplicates()
    return table


def put_under(part: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Add a prefix and a period to the names in `content`."""
    return {f"{part}.{name}": value for name, value in content.items()}


def take_under(part: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Select the values whose names begin with a prefix added by `put_under`, and remove the
    prefix."""
    head = f"{part}."
    return {name[len(head) :]: value for name, value in kept.items() if name.startswith(head)}


def require_arrays(arrays: Mapping[str, Any], schema: Schema) -> dict[str, int]:
    """Check the types, shapes and finiteness of arrays, and return the sizes of the named
    dimensions.

    >>> arrays = {"a": np.ones((2, 3)), "b": np.ones(3)}
    >>> require_arrays(arrays, {"a": ("f", ("n", "m")), "b": ("f", ("m",))})
    {'n': 2, 'm': 3}
    """
    sizes: Sizes = {}
    for name, (kinds, shape) in schema.items():
        require_array(name, arrays[name], kinds, shape, sizes)
    return sizes


def require_array(
    name: str, array: Any, kinds: str, shape: Sequence[str | int], sizes: Sizes
) -> None:
    """Check the type, shape and finiteness of an array, or of a sparse matrix.

    The sizes of named dimensions are compared with `sizes`; new names are added to `sizes`.
    """
    if not hasattr(array, "dtype") or not hasattr(array, "shape") or array.dtype.kind not in kinds:
        raise ValueError(f"{name}: expected an array with a dtype kind in {kinds}")
    if array.ndim != len(shape):
        raise ValueError(f"{name}: the shape is {array.shape}, expected {shape}")
    for size, of in zip(array.shape, shape, strict=True):
        if size != (of if isinstance(of, int) else sizes.setdefault(of, size)):
            raise ValueError(f"{name}: the shape is {array.shape}, expected {shape} with {sizes}")
    cells = array if isinstance(array, np.ndarray) else array.data
    if array.dtype.kind == "f" and not np.isfinite(cells).all():
        raise ValueError(f"{name}: expected finite numbers")


def require_range(name: str, values: Array, low: float, high: float) -> None:
    """Raise ValueError unless low ≤ values < high."""
    if not values.size:
        return
    least, most = values.min(), values.max()
    if not (least >= low and most < high):
        found = most if least >= low else least
        raise ValueError(f"{name}: found {found}; expected numbers ≥ {low:,} and < {high:,}")


def require_texts(values: Mapping[str, Any], *names: str, distinct: bool = True) -> None:
    """Raise ValueError unless the named values are lists of (distinct) strings."""
    for name in names:
        texts = values[name]
        if not is_list_of(is_text)(texts) or (distinct and len({*texts}) != len(texts)):
            raise ValueError(f"invalid value for {name!r}: {reprlib.repr(texts)}")


def require_numbers(values: Mapping[str, Any], *names: str, low: float = -math.inf) -> None:
    """Raise ValueError unless the named values are finite numbers of at least `low`."""
    for name in names:
        value = values[name]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not low <= value <= sys.float_info.max:
            raise ValueError(f"invalid value for {name!r}: {reprlib.repr(value)}")


@contextmanager
def report_damage(path: PathLike) -> Iterator[None]:
    """Convert errors about missing or invalid content to InputErrors that name the folder."""
    try:
        yield
    except InputError:
        raise
    except KeyError as error:
        raise InputError(
            f"{path} is incomplete: {error} is missing", code="damaged-folder"
        ) from None
    except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as error:
        raise InputError(f"{path} is damaged: {error}", code="damaged-folder") from None
