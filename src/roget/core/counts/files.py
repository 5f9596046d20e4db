"""Read and write counts directories: counts.json and three tables, which are validated on reading.

words.parquet      word VARCHAR; row i is word i
contexts.parquet   context VARCHAR (the full name), slot VARCHAR ("" if unknown)
entries.parquet    row INTEGER, column INTEGER, count BIGINT or DOUBLE; sorted by row and column

If example sentences were kept, the directory also contains the tables described in the module
`evidence`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
from scipy import sparse

from roget.core import contents
from roget.core import folder as folders
from roget.core.contents import Contents, table, tables_of, value
from roget.core.counts import evidence
from roget.core.io.duck import convert_errors, database
from roget.core.types import Array
from roget.errors import InputError

if TYPE_CHECKING:
    from roget.core.counts.counts import Counts

WORDS, CONTEXTS, ENTRIES = "words.parquet", "contexts.parquet", "entries.parquet"


@dataclass(frozen=True)
class WordTable:
    """The words, in the order of the rows of the matrix."""

    word: Array = contents.column("VARCHAR")


@dataclass(frozen=True)
class ContextTable:
    """The contexts, in the order of the columns of the matrix."""

    context: Array = contents.column("VARCHAR")
    slot: Array = contents.column("VARCHAR")


@dataclass(frozen=True)
class EntryTable:
    """The cells of the matrix, sorted by row and column."""

    row: Array = contents.column("INTEGER", below="words")
    column: Array = contents.column("INTEGER", below="contexts")
    count: Array = contents.column(folders.COUNT)


@dataclass(frozen=True)
class MatrixContents(Contents):
    """The tables of counts."""

    words: WordTable = table(WordTable, WORDS, "words")
    contexts: ContextTable = table(ContextTable, CONTEXTS, "contexts")
    cells: EntryTable = table(EntryTable, ENTRIES, "entries")


TABLES = {name: one.types for name, one in tables_of(MatrixContents, optional=False).items()}
"""The column types (SQL) of each table of counts."""

FILES = tuple(TABLES)

_N_CONTEXTS = 5
"""Number of contexts listed for each word in a summary."""


def is_shape(value: Any) -> bool:
    """Return True if a JSON value is a list of two non-negative integers below 2^31."""
    right = contents.is_list_of(contents.is_size)(value) and len(value) == 2
    return right and max(value) < 1 << 31


def is_dtype(value: Any) -> bool:
    """Return True if a JSON value is the name of a valid dtype for counts."""
    return isinstance(value, str) and value in folders.DTYPES


def _is_total(value: Any) -> bool:
    return contents.is_size(value) or (isinstance(value, float) and 0 <= value < math.inf)


@dataclass(frozen=True)
class CountsContents(evidence.ExampleContents, MatrixContents):
    """The content of a counts directory."""

    shape: list[int] = value(is_shape, sizes=("words", "contexts"))
    entries: int = value(contents.is_size, sizes=("entries",))
    total: float = value(_is_total)
    dtype: str = value(is_dtype)
    relations: list[str] = value(contents.is_list_of(contents.is_text))


KIND = folders.Kind(
    name="counts",
    format="roget.counts",
    title="a counts directory",
    manifest="counts.json",
    contents=CountsContents,
)


def is_counts(folder: str | Path) -> bool:
    """Return True if a folder contains the manifest of a counts directory."""
    return folders.is_kind(folder, KIND)


def manifest(path: str | Path) -> dict[str, Any]:
    """Return the validated manifest of a counts directory without reading its tables."""
    return folders.open_folder(path, KIND).record


def seal(
    folder: Path,
    *,
    shape: tuple[int, int],
    entries: int,
    total: int | float,
    dtype: str,
    relations: Sequence[str],
    provenance: Mapping[str, Any],
    evidence: Mapping[str, int],
) -> None:
    """Write the manifest counts.json to a draft folder that already contains the tables.

    `dtype` is int64 or float64. `evidence` maps the names of the evidence tables, if any, to their
    numbers of rows.
    """
    plain = _plain(shape, entries, total, dtype, relations)
    rows = {**dict(zip(FILES, (*shape, entries), strict=True)), **evidence}
    folders.seal(folder, KIND, plain, provenance=provenance, rows=rows)


def _plain(
    shape: tuple[int, int], entries: int, total: float, dtype: str, relations: Sequence[str]
) -> dict[str, Any]:
    return {
        "shape": [int(size) for size in shape],
        "entries": int(entries),
        "total": int(total) if dtype == "int64" else float(total),
        "dtype": dtype,
        "relations": list(relations),
    }


def write(counts: Counts, path: Path) -> None:
    """Write a counts directory atomically, replacing an existing one."""
    dtype = str(counts.matrix.dtype)
    plain = _plain(counts.shape, counts.entries, counts.total, dtype, counts.relations)
    with folders.draft_of(path, KIND) as draft:
        tables = to_tables(counts) | evidence.to_tables(counts)
        folders.fill(draft, KIND, plain, provenance=counts.provenance, tables=tables)


def read(path: Path, make: type[Counts]) -> Counts:
    """Read a counts directory. Raise an error if a file is missing, truncated or modified.

    `make` is the class `Counts`, passed as an argument to avoid a circular import.
    """
    folder = folders.open_folder(path, KIND)
    folder.verify()
    record, tables = folder.record, folder.tables()
    try:
        counts = from_tables(
            tables, tuple(record["shape"]), record["relations"], record["provenance"], make
        )
    except ValueError as error:
        raise InputError(f"{path}: {error}", code="damaged-folder") from None
    if counts.entries != record["entries"]:
        raise InputError(
            f"{path / ENTRIES}: found {counts.entries:,} distinct entries; expected "
            f"{record['entries']:,} according to counts.json",
            code="damaged-folder",
        )
    total = record["total"]
    # An integer in JSON may exceed the range of a float, and isclose would then raise an error.
    if total > sys.float_info.max or not math.isclose(counts.total, total, rel_tol=1e-12):
        raise InputError(
            f"{path}: the counts add up to {counts.total}; expected {total!r:.60} according to "
            "counts.json",
            code="damaged-folder",
        )
    if not counts.entries:
        raise InputError(f"{path} contains no counts", code="empty-input")
    counts.evidence = evidence.from_folder(folder, counts)
    return counts


def to_tables(counts: Counts) -> dict[str, dict[str, Array]]:
    """Convert counts to three tables: words, contexts and entries."""
    matrix = counts.matrix
    rows = np.repeat(np.arange(len(counts), dtype=np.int32), np.diff(matrix.indptr))
    return {
        WORDS: {"word": counts.words},
        CONTEXTS: {"context": counts.contexts, "slot": counts.slots},
        ENTRIES: {"row": rows, "column": matrix.indices.astype(np.int32), "count": matrix.data},
    }


def from_tables(
    tables: Mapping[str, Mapping[str, Array]],
    shape: tuple[int, int],
    relations: Sequence[str],
    provenance: Mapping[str, Any],
    make: type[Counts],
) -> Counts:
    """Build counts from the tables. Raise ValueError if they are inconsistent."""
    contexts, entries = tables[CONTEXTS], tables[ENTRIES]
    cells = (entries["count"], (entries["row"], entries["column"]))
    return make(
        sparse.coo_array(cells, shape=shape),
        tables[WORDS]["word"],
        contexts["context"],
        slots=contexts["slot"],
        relations=relations,
        provenance=provenance,
    )


def summary(path: str | Path, top: int = 10) -> dict[str, Any]:
    """Return a JSON-serialisable summary of a counts directory, without loading its matrix.

    The summary contains the fields of the manifest (shape, entries, total, dtype, relations,
    provenance) and the most frequent `words`, `contexts` and `pairs`. Every word has its `total`
    and its most frequent `contexts`. `hapax` has the proportions of words and pairs that occur only
    once.
    """
    with open_tables(path) as (record, connection):
        found = _summarise(connection, top)
    return {name: record[name] for name in (*KIND.fields, "provenance")} | found


@contextmanager
def open_tables(path: str | Path) -> Iterator[tuple[dict[str, Any], duckdb.DuckDBPyConnection]]:
    """Yield the manifest of a counts directory, and a database with its tables as views."""
    folder = folders.open_folder(path, KIND)
    folder.verify()
    # Use a single thread, which adds fractions in a fixed order, so that sums are reproducible.
    threads = 1 if folder.record["dtype"] == "float64" else None
    with database(threads=threads) as connection, convert_errors(folder.path):
        for name in FILES:
            numbered = folder.query(connection, name)
            view = name.removesuffix(".parquet")
            connection.execute(f"CREATE TEMP VIEW {view} AS SELECT * FROM {numbered}")
        yield folder.record, connection


def _summarise(connection: duckdb.DuckDBPyConnection, top: int) -> dict[str, Any]:
    """Return the most frequent words, contexts and pairs, and the proportions that occur only once.

    Ties are sorted by name or, for pairs, by row number.
    """
    words, seen_once = _list_frequent(connection, "word", "row", top)
    contexts, _ = _list_frequent(connection, "context", "column", top)
    pairs = connection.execute(
        f"""
        SELECT word, context, count
        FROM (SELECT * FROM entries ORDER BY count DESC, "row", "column" LIMIT {int(top)}) AS best
        JOIN words ON words.file_row_number = best."row"
        JOIN contexts ON contexts.file_row_number = best."column"
        ORDER BY count DESC, "row", "column"
        """
    ).fetchall()
    once = connection.execute("SELECT avg((count = 1)::INTEGER) FROM entries").fetchall()[0][0]
    first = _list_contexts(connection, [row for row, _, _ in words])
    return {
        "words": [
            {"word": word, "total": total, "contexts": first[row]} for row, word, total in words
        ],
        "contexts": [{"context": context, "total": total} for _, context, total in contexts],
        "pairs": [{"word": a, "context": b, "count": n} for a, b, n in pairs],
        "hapax": {"words": seen_once or 0.0, "pairs": once or 0.0},
    }


def _list_frequent(
    connection: duckdb.DuckDBPyConnection, name: str, axis: str, top: int
) -> tuple[list[tuple[int, str, int | float]], float | None]:
    """Return the most frequent names, and the proportion of names that occur only once.

    Each name is returned as a tuple (row, name, total).
    """
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE totals AS
        SELECT "{axis}" AS place, sum(count) AS total FROM entries GROUP BY place
        """
    )
    rows = connection.execute(
        f"""
        SELECT place, {name}, total FROM totals
        JOIN {name}s ON {name}s.file_row_number = place ORDER BY total DESC, {name} LIMIT {int(top)}
        """
    ).fetchall()
    query = f"SELECT count(*) FILTER (total = 1) / (SELECT count(*) FROM {name}s) FROM totals"
    return rows, connection.execute(query).fetchall()[0][0]


def _list_contexts(
    connection: duckdb.DuckDBPyConnection, rows: list[int]
) -> dict[int, list[dict[str, Any]]]:
    """Return the most frequent contexts of the words in the given rows."""
    found: dict[int, list[dict[str, Any]]] = {row: [] for row in rows}
    query = f"""
        SELECT "row", context, count FROM entries
        JOIN contexts ON contexts.file_row_number = "column"
        WHERE list_contains(?::INTEGER[], "row")
        QUALIFY row_number() OVER (PARTITION BY "row" ORDER BY count DESC, context) <= {_N_CONTEXTS}
        ORDER BY "row", count DESC, context
        """
    for row, context, count in connection.execute(query, [rows]).fetchall():
        found[row].append({"context": context, "count": count})
    return found
