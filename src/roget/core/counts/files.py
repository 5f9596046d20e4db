"""Counts as a directory: counts.json and three Parquet files, checked whenever they are read."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts import summary as counts_summary
from roget.core.counts.counts import Counts
from roget.core.io.duck import database, parquet, readable, write_parquet
from roget.core.store import new_directory, read_object
from roget.errors import InputError

FORMAT = "roget.counts"
VERSION = 1
MANIFEST = "counts.json"
WORDS, CONTEXTS, ENTRIES = "words.parquet", "contexts.parquet", "entries.parquet"
FILES = (WORDS, CONTEXTS, ENTRIES)
KIND = "a counts directory"

HASHED = 256 << 20
"""Bytes up to which a file's SHA-256 is checked on reading; of larger ones, only the size."""

_COUNT = {"int64": "BIGINT", "float64": "DOUBLE"}


def seal(
    folder: Path,
    *,
    shape: tuple[int, int],
    entries: int,
    total: int | float,
    dtype: str,
    relations: Sequence[str],
    provenance: Mapping[str, Any],
) -> None:
    """Write counts.json for a folder that holds the words, contexts and entries already.

    The folder is the draft of `roget.core.store.new_directory(path, is_counts, KIND)`; dtype is
    "int64" or "float64". What is in the three files:

        words.parquet      word VARCHAR, row i being word i
        contexts.parquet   context VARCHAR (the full name), slot VARCHAR ("" if none)
        entries.parquet    row INTEGER, column INTEGER, count BIGINT or DOUBLE; by row, then column
    """
    record = {
        "format": FORMAT,
        "version": VERSION,
        "shape": [int(size) for size in shape],
        "entries": int(entries),
        "total": int(total) if dtype == "int64" else float(total),
        "dtype": dtype,
        "relations": list(relations),
        "files": {
            name: {"bytes": (folder / name).stat().st_size, "sha256": sha256(folder / name)}
            for name in FILES
        },
        "provenance": dict(provenance),
    }
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1)
    except (TypeError, ValueError) as error:
        raise InputError(f"provenance cannot be written as JSON: {error}") from None
    # A file name that is no text holds lone surrogates; their escape is what JSON wants as well.
    (folder / MANIFEST).write_bytes(text.encode("utf-8", "backslashreplace") + b"\n")


def is_counts(folder: Path) -> bool:
    """Whether the folder says of itself that it holds counts."""
    try:
        return bool(read_object(folder / MANIFEST)["format"] == FORMAT)
    except (InputError, KeyError):
        return False


def manifest(path: str | Path) -> dict[str, Any]:
    """What counts.json says of a counts directory, checked; nothing else is read."""
    folder = Path(path)
    place = folder / MANIFEST
    if not folder.is_dir():
        raise InputError(f"{folder}: no such directory; expected {KIND}")
    if not place.is_file():
        raise InputError(f"{folder}: not {KIND}: it has no {MANIFEST}")
    record = read_object(place)
    if record.get("format") != FORMAT:
        raise InputError(f"{place}: the format is {record.get('format')!r}; expected {FORMAT!r}")
    version = record.get("version")
    if isinstance(version, int) and version > VERSION:
        raise InputError(
            f"{place}: version {version} of the format; this roget reads up to version {VERSION}: "
            "update roget"
        )
    wrong = next((name for name, right in _EXPECTED.items() if not right(record.get(name))), None)
    if wrong is not None:
        raise InputError(f"{place}: {wrong!r} is {record.get(wrong)!r}, which makes no sense")
    return record


def verify(path: str | Path, record: Mapping[str, Any]) -> None:
    """Compare the files with their manifest: all sizes, and the hashes of all but huge ones."""
    for name in FILES:
        file, said = Path(path) / name, record["files"][name]
        if not file.is_file():
            raise InputError(f"{file}: the file is missing")
        size = file.stat().st_size
        if size != said["bytes"]:
            raise InputError(f"{file}: {size:,} bytes; {MANIFEST} says {said['bytes']:,}")
        if size <= HASHED and sha256(file) != said["sha256"]:
            raise InputError(f"{file}: the file was changed since {MANIFEST} was written")


def read(path: Path) -> Counts:
    """Read a counts directory; a file that is missing, cut short or changed is named."""
    record = manifest(path)
    verify(path, record)
    with database() as connection:
        words, contexts, entries = (
            _fetched(connection, path, name, record["dtype"]) for name in FILES
        )
    try:
        cells = (entries["count"], (entries["row"], entries["column"]))
        counts = Counts(
            sparse.coo_array(cells, shape=tuple(record["shape"])),
            words["word"],
            contexts["context"],
            slots=contexts["slot"],
            relations=record["relations"],
            provenance=record["provenance"],
        )
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
    if counts.entries != record["entries"] or len(entries["count"]) != record["entries"]:
        raise InputError(
            f"{path / ENTRIES}: {counts.entries:,} entries; {MANIFEST} says {record['entries']:,}"
        )
    if not math.isclose(counts.total, record["total"], rel_tol=1e-12):
        raise InputError(f"{path}: the total is {counts.total}; {MANIFEST} says {record['total']}")
    if not counts.entries:
        raise InputError(f"{path}: there are no counts in it")
    return counts


def write(counts: Counts, path: Path) -> None:
    """Write a counts directory whole or not at all, in the place of an older one if need be."""
    matrix = counts.matrix
    rows = np.repeat(np.arange(len(counts), dtype=np.int32), np.diff(matrix.indptr))
    tables = {
        WORDS: {"word": counts.words},
        CONTEXTS: {"context": counts.contexts, "slot": counts.slots},
        ENTRIES: {"row": rows, "column": matrix.indices.astype(np.int32), "count": matrix.data},
    }
    with new_directory(path, is_counts, KIND) as draft:
        with database() as connection:
            for name, arrays in tables.items():
                write_parquet(connection, arrays, expected(name, str(matrix.dtype)), draft / name)
        seal(
            draft,
            shape=counts.shape,
            entries=counts.entries,
            total=counts.total,
            dtype=str(matrix.dtype),
            relations=counts.relations,
            provenance=counts.provenance,
        )


def summary(path: str | Path, top: int = 10) -> dict[str, Any]:
    """What a counts directory holds, without loading its matrix; ready for JSON.

    The fields of the manifest (shape, entries, total, dtype, relations, provenance); the most
    frequent `words` (each with its `total` and first `contexts`), `contexts` and `pairs`; and
    `hapax`: the share of words, and of pairs, that were seen once.
    """
    folder = Path(path)
    record = manifest(folder)
    verify(folder, record)
    kept = ("shape", "entries", "total", "dtype", "relations", "provenance")
    with database() as connection, readable(folder):
        if record["dtype"] == "float64":
            # With one thread, fractions are always added up in the same order.
            connection.execute("SET threads = 1")
        for name in FILES:
            table(connection, folder, name, record["dtype"])
            numbered = parquet(folder.resolve() / name, numbered=True)
            view = name.removesuffix(".parquet")
            connection.execute(f"CREATE VIEW {view} AS SELECT * FROM {numbered}")
        return {name: record[name] for name in kept} | counts_summary.facts(connection, top)


def expected(name: str, dtype: str) -> dict[str, str]:
    """The columns of one of the files and their types."""
    entries = {"row": "INTEGER", "column": "INTEGER", "count": _COUNT[dtype]}
    return {
        WORDS: {"word": "VARCHAR"},
        CONTEXTS: {"context": "VARCHAR", "slot": "VARCHAR"},
        ENTRIES: entries,
    }[name]


def table(connection: duckdb.DuckDBPyConnection, path: Path, name: str, dtype: str) -> str:
    """The SQL that reads one of the files, once its columns are what they should be."""
    file = path.resolve() / name
    function = parquet(file)
    with readable(file):
        rows = connection.execute(f"DESCRIBE SELECT * FROM {function}").fetchall()
    found = {str(row[0]): str(row[1]) for row in rows}
    want = expected(name, dtype)
    if found != want:
        said, right = (", ".join(f"{k} {v}" for k, v in c.items()) for c in (found, want))
        raise InputError(f"{file}: the columns are {said}; expected {right}")
    return function


def _fetched(
    connection: duckdb.DuckDBPyConnection, path: Path, name: str, dtype: str
) -> dict[str, npt.NDArray[Any]]:
    function = table(connection, path, name, dtype)
    with readable(path / name):
        arrays = connection.execute(f"SELECT * FROM {function}").fetchnumpy()
    for column, array in arrays.items():
        if np.ma.isMaskedArray(array):
            raise InputError(f"{path / name}: the column {column} has a null")
    return arrays


def sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _files(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(said := value.get(name), dict)
        and _size(said.get("bytes"))
        and isinstance(said.get("sha256"), str)
        for name in FILES
    )


_EXPECTED: dict[str, Callable[[Any], bool]] = {
    "version": lambda value: _size(value) and 1 <= value <= VERSION,
    "shape": lambda value: isinstance(value, list) and len(value) == 2 and all(map(_size, value)),
    "entries": _size,
    "total": lambda value: _size(value) or (isinstance(value, float) and 0 <= value < math.inf),
    "dtype": lambda value: isinstance(value, str) and value in _COUNT,
    "relations": lambda v: isinstance(v, list) and all(isinstance(name, str) for name in v),
    "files": _files,
    "provenance": lambda value: isinstance(value, dict),
}
"""For each field of counts.json, whether a value can be right."""
