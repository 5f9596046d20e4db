"""Read and write counts as a directory, a table, an .npz file or a Matrix Market file.

The file name determines the format.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core import contents
from roget.core import folder as folders
from roget.core.counts import files as counts_files
from roget.core.counts.matrix import Names
from roget.core.io import limits
from roget.core.io.address import is_remote, show_address
from roget.core.io.duck import database, fetch, parquet
from roget.core.io.pairs import SUM, WHOLE, explain_errors, kind, scan
from roget.core.io.source import FORMATS, local_file, open_output, source_of, special
from roget.core.io.table import Columns, open_table
from roget.core.store import check_file, new_file
from roget.core.types import Array, PathLike
from roget.errors import InputError

if TYPE_CHECKING:
    from roget.core.counts.counts import Counts

_MAX_PADDED = 1 << 32
"""Maximum size in bytes of the array of names in an .npz file.

numpy pads every name to the length of the longest one.
"""

_ROW_MEMORY = 200
"""Estimated memory in bytes for each row or column, including its name."""

_NPZ, _MATRIX_MARKET = ".npz", ".mtx"
_TSV = (".tsv", ".tsv.gz")
_WRITTEN = (*_TSV, _NPZ)
_NOT_DIRECTORIES = (*FORMATS, _MATRIX_MARKET, ".txt", ".npy", ".gz", ".zst", ".xz", ".bz2")
"""File suffixes that are not allowed for output directories."""


def read(path: PathLike, columns: Columns, make: type[Counts]) -> tuple[Counts, tuple[str, ...]]:
    """Read counts in any format.

    Return the counts, and notes about columns whose roles were inferred.

    `make` is the class `Counts`, passed as an argument to avoid a circular import.
    """
    if is_remote(os.fspath(path)):
        with local_file(path) as copy:
            found = read(copy, columns, make)
        found[0].provenance["inputs"][0]["path"] = show_address(os.fspath(path))
        return found
    place = Path(path)
    if not place.exists():
        raise InputError(f"{place}: no such file or directory", code="file-not-found")
    if not place.is_dir() and not place.is_file():
        raise InputError(
            f"{place} is {special(place.stat().st_mode)}, not a file", code="unsupported-format"
        )
    suffix = "" if place.is_dir() else source_of(str(place)).suffix
    is_table = place.is_file() and suffix not in (_NPZ, _MATRIX_MARKET)
    if columns is not None and not is_table:
        raise InputError(f"{place}: --columns applies only to tables", code="conflicting-options")
    if place.is_dir():
        return counts_files.read(place, make), ()
    notes: tuple[str, ...] = ()
    with add_name(place):
        if suffix == _NPZ:
            counts = _read_npz(place, make)
        elif suffix == _MATRIX_MARKET:
            counts = make(_require_room(place, _matrix_market(place)))
        else:
            counts, notes = _read_table(place, columns, make)
        if not counts.entries:
            raise InputError("the file contains no counts", code="empty-input")
    origin = {"path": str(place), "bytes": place.stat().st_size}
    counts.provenance["inputs"] = [origin | {"sha256": folders.sha256(place)}]
    return counts, notes


def write(counts: Counts, path: PathLike) -> None:
    """Write counts to a .tsv, .tsv.gz or .npz file. With any other name, write a directory."""
    place = Path(path)
    name = place.name.lower()
    if not counts.entries:
        raise InputError(f"cannot write {place}: the table has no counts", code="empty-input")
    if name.endswith(_NPZ):
        with new_file(place) as draft:
            _write_npz(counts, draft)
    elif name.endswith(_TSV):
        _write_tsv(place, counts.words, counts.contexts, counts.rows())
    else:
        check(place)
        counts_files.write(counts, place)


def convert(folder: Path, place: Path, make: type[Counts]) -> None:
    """Convert a counts directory to a file.

    For a .tsv file, only the names are loaded into memory.
    """
    if not place.name.lower().endswith(_TSV):
        return counts_files.read(folder, make).write(place)
    with database() as connection:
        words, contexts = (
            [text for (text,) in fetch(connection, f"SELECT {axis} FROM {parquet(folder / file)}")]
            for axis, file in (("word", counts_files.WORDS), ("context", counts_files.CONTEXTS))
        )
        cells = fetch(connection, f"FROM {parquet(folder / counts_files.ENTRIES)}")
        rows = ((words[row], contexts[column], count) for row, column, count in cells)
        _write_tsv(place, words, contexts, rows)


def is_file(path: Path) -> bool:
    """Return True if the suffix of a path selects a file rather than a counts directory."""
    return path.name.lower().endswith(_WRITTEN)


def check(path: Path) -> None:
    """Raise an error if counts cannot be written to a path.

    Commands call this function before long computations.
    """
    if is_file(path):
        check_file(path)
    elif path.name.lower().endswith(_NOT_DIRECTORIES):
        raise InputError(
            f"cannot write {path}: unsupported format; use {', '.join(_WRITTEN)}, or a name "
            "without a suffix for a directory",
            code="unsupported-format",
        )
    else:
        folders.check(path, counts_files.KIND)


@contextmanager
def add_name(place: Path) -> Iterator[None]:
    """Add the file name to error messages raised in the block, unless they already contain it."""
    try:
        yield
    except InputError as error:
        if str(error).startswith(str(place)):
            raise
        raise InputError(f"{place}: {error}", code=error.code) from None


def _read_table(
    place: Path, columns: Columns, make: type[Counts]
) -> tuple[Counts, tuple[str, ...]]:
    """Read a table of pairs and return the counts, and notes about inferred column roles."""
    with (
        open_table(place, columns) as table,
        database() as connection,
        explain_errors(connection, table),
    ):
        query = scan(connection, table)
        slotted = "slot" in table.places
        if slotted:
            # The full name of a context is slot:context. Different contexts may have the same full
            # name: for example, context b:c in slot a, and context c in slot a:b, are both a:b:c.
            name = "CASE WHEN slot = '' THEN context ELSE slot || ':' || context END"
            query = f"SELECT word, {name} AS context, slot, n FROM ({query})"
        if kind(connection, query) == WHOLE:
            # Fractions are summed later by `Counts`, which rounds every sum only once.
            slot = "min(slot) AS slot, " if slotted else ""
            query = f"SELECT word, context, {slot}{SUM[WHOLE]} AS n FROM ({query}) GROUP BY 1, 2"
        connection.execute(f"CREATE TEMP TABLE pairs AS {query}")
        axes: dict[str, Any] = {}
        for axis in ("word", "context"):
            slot = ", min(slot) AS slot" if slotted and axis == "context" else ""
            connection.execute(
                f"CREATE TEMP TABLE {axis}s AS SELECT *, CAST(row_number() OVER "
                f"(ORDER BY {axis}) - 1 AS INTEGER) AS {axis}_id "
                f"FROM (SELECT {axis}{slot} FROM pairs GROUP BY {axis})"
            )
            query = f"SELECT * FROM {axis}s ORDER BY {axis}_id"
            axes |= connection.execute(query).fetchnumpy()
        cells = connection.execute(
            "SELECT word_id, context_id, n FROM pairs JOIN words USING (word) "
            "JOIN contexts USING (context)"
        ).fetchnumpy()
    words, contexts = axes["word"], axes["context"]
    places = (cells["word_id"], cells["context_id"])
    matrix = sparse.coo_array((cells["n"], places), shape=(words.size, contexts.size))
    counts = make(matrix, words, contexts, slots=axes.get("slot"))
    return counts.ranked(), (table.note,) if table.note else ()


def _matrix_market(place: Path) -> Any:
    from roget.core.counts.market import read_matrix_market

    try:
        return read_matrix_market(source_of(str(place)))
    except (OSError, EOFError) as error:
        raise InputError(
            f"cannot be read as Matrix Market: {error}", code="broken-archive"
        ) from None


def _write_tsv(
    place: Path,
    words: Iterable[str],
    contexts: Iterable[str],
    rows: Iterable[tuple[str, str, int | float]],
) -> None:
    for axis, texts in (("word", words), ("context", contexts)):
        for text in texts:
            if not text or "\t" in text or "\n" in text or "\r" in text:
                fault = "contains a tab or a line end" if text else "is empty"
                raise InputError(
                    f"cannot write {place}: the {axis} {text!r} {fault}, which .tsv cannot "
                    "represent; write a directory instead (a name without a suffix)",
                    code="unsupported-format",
                )
    # repr gives the shortest string that is parsed as the same float.
    lines = (f"{word}\t{context}\t{count!r}\n" for word, context, count in rows)
    with new_file(place) as draft, open_output(draft, place.name) as file:
        file.write(b"word\tcontext\tcount\n")
        while chunk := "".join(islice(lines, 1 << 16)):
            file.write(chunk.encode())


def _read_npz(place: Path, make: type[Counts]) -> Counts:
    """Read counts from an .npz file: a sparse matrix or a dense array `X`.

    A sparse matrix may be saved by SciPy, or consist of the arrays data, indices, indptr and shape.
    The names are in the arrays words and contexts, or obs_names and var_names. No array is
    unpickled.
    """
    arrays = folders.read_npz(place, packed=True, kinds="biufSU")
    try:
        found = [
            next((_texts(arrays[key]) for key in keys if key in arrays), None)
            for keys in (("words", "obs_names"), ("contexts", "var_names"), ("slots",))
        ]
        matrix = _require_room(place, _sparse(arrays))
        return make(matrix, found[0], found[1], slots=found[2])
    except (KeyError, ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot be read as .npz: {error}", code="broken-archive") from None


def _write_npz(counts: Counts, draft: Path) -> None:
    """Write an .npz file that `scipy.sparse.load_npz` can read, plus the words and contexts."""
    arrays: dict[str, Any] = {
        "words": _pad(counts.words, "word"),
        "contexts": _pad(counts.contexts, "context"),
    }
    if any(counts.slots):
        arrays["slots"] = _pad(counts.slots, "slot")
    parts = {name: getattr(counts.matrix, name) for name in contents.CSR}
    layout = {"format": np.array(b"csr"), "_is_array": np.array(True)}
    shape = {"shape": np.array(counts.shape)}
    folders.write_npz(draft, layout | shape | parts | arrays, packed=True)


def _sparse(arrays: dict[str, Any]) -> Any:
    """Return a sparse matrix after validating its arrays.

    SciPy's compiled code does not validate them.
    """
    layout = arrays["format"].item() if "format" in arrays else b"csr"
    layout = layout.decode() if isinstance(layout, bytes) else str(layout)
    if "format" not in arrays and not set(contents.CSR) <= set(arrays):
        if "X" in arrays:
            return arrays["X"]
        raise InputError(
            f"expected a sparse matrix (data, indices, indptr, shape) or a dense X, found "
            f"{', '.join(arrays) or 'no arrays'}",
            code="unsupported-format",
        )
    shape = tuple(arrays["shape"].tolist())
    if layout in ("csr", "csc", "bsr"):
        data, indices, indptr = (arrays[part] for part in contents.CSR)
        values, sizes = data, shape if layout == "csr" else shape[::-1]
        if layout == "bsr":  # In bsr format, the indices refer to blocks instead of single values.
            values = np.arange(len(data))
            sizes = tuple(size // block for size, block in zip(shape, data.shape[1:], strict=True))
        contents.require_csr([values, indices, indptr], sizes, finite=False)
        return getattr(sparse, f"{layout}_array")((data, indices, indptr), shape=shape)
    if layout == "coo":
        return sparse.coo_array((arrays["data"], (arrays["row"], arrays["col"])), shape=shape)
    if layout == "dia":
        return sparse.dia_array((arrays["data"], arrays["offsets"]), shape=shape)
    raise InputError(
        f"unsupported sparse layout {layout!r}; use csr, csc, coo, bsr or dia",
        code="unsupported-format",
    )


def _require_room(place: Path, matrix: Any) -> Any:
    """Return the matrix. Raise an error if its shape is implausible for the size of the file."""
    if matrix.ndim == 2:
        size = _ROW_MEMORY * sum(map(int, matrix.shape))
        what = f"a matrix of {matrix.shape[0]:,} × {matrix.shape[1]:,}"
        limits.require_room(str(place), size, place.stat().st_size, what)
    return matrix


def _texts(array: Array) -> list[Any]:
    if array.ndim != 1:
        raise InputError(
            f"the array of names has {array.ndim} dimensions; expected one", code="broken-archive"
        )
    return list((np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array).tolist())


def _pad(texts: Names, kind: str) -> npt.NDArray[np.str_]:
    longest = max(map(len, texts), default=0)
    if 4 * longest * texts.size > _MAX_PADDED:
        raise InputError(
            f"a {kind} of {longest:,} characters is too long for .npz; write a directory instead",
            code="unsupported-format",
        )
    padded = texts.astype(np.str_)
    # numpy pads strings with NUL characters, so a NUL at the end of a name would be lost.
    if any(text.endswith("\0") for text in texts):
        raise InputError(
            f"a {kind} ends in \\0, which .npz cannot represent; write a directory instead",
            code="unsupported-format",
        )
    return padded
