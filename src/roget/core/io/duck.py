"""DuckDB as roget runs it: within a memory limit, spilling where told, reaching for nothing."""

from __future__ import annotations

import glob
import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy.typing as npt

from roget.core.io.limits import allowed, max_size, parse_size
from roget.core.io.paths import spell
from roget.errors import InputError, RogetError

DEFAULT_MEMORY = "50%"

_FETCHED = 1 << 14
"""Rows turned into Python objects at a time."""

_SHARE = re.compile(r"\d+(\.\d+)? ?%")
"""Of the machine's memory."""

_PACKED = "PARQUET_VERSION v2, COMPRESSION_LEVEL 9, ROW_GROUP_SIZE 1000000"
"""How tables are written that are large and seldom read."""

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}


def read_memory(memory: str) -> str:
    """Return a size as DuckDB takes it, or a share of the machine's memory; refuse the rest."""
    if _SHARE.fullmatch(memory):
        return memory
    return f"{parse_size(memory, 'memory', '2GB or 500MB')} bytes"


def _limit_memory(connection: duckdb.DuckDBPyConnection, memory: str) -> None:
    """Set the memory limit; a share is converted to bytes, which DuckDB before 2.0 requires."""
    if memory.endswith("%"):
        # DuckDB's default limit is 80 % of the memory, limits of containers included.
        row = connection.execute("SELECT current_setting('memory_limit')").fetchone()
        whole = parse_size(str(row[0] if row else "1GB").replace(" ", ""), "memory", "2GB") / 0.8
        memory = f"{int(whole * float(memory.rstrip('% ')) / 100)} bytes"
    connection.execute(f"SET memory_limit = {quoted(memory)}")


def connect(
    memory: str | None = None,
    threads: int | None = None,
    spill: Path | None = None,
    *,
    ordered: bool = False,
) -> duckdb.DuckDBPyConnection:
    """An empty database in memory.

    Memory is "2GB" or "50%" (of the machine's; the default); what does not fit is spilled to the
    folder, which is made when needed. Without one nothing is spilled. The order of rows is kept
    only if asked for, and no extension is ever fetched.
    """
    memory = read_memory(memory or DEFAULT_MEMORY)
    connection = duckdb.connect(config=_SETTINGS)
    connection.execute(f"SET preserve_insertion_order = {ordered}")
    _limit_memory(connection, memory)
    if threads is not None:
        connection.execute(f"SET threads = {threads}")
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET temp_directory = {quoted('' if spill is None else str(spill))}")
    return connection


@contextmanager
def database(memory: str | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database that keeps the order of rows and spills where temporary files belong.

    A full disk or too little memory is an OSError.
    """
    with (
        TemporaryDirectory(prefix="roget.") as spill,
        connect(memory, spill=Path(spill), ordered=True) as connection,
    ):
        try:
            yield connection
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            raise OSError(reason(error)) from None


@contextmanager
def readable(file: str | Path) -> Iterator[None]:
    """DuckDB's errors as ours, with the name of the file being read; inside of `database`."""
    try:
        yield
    except duckdb.Error as error:
        # Headers that are damaged ask for any memory; a file that may hold much may need it.
        small = os.path.isfile(file) and allowed(os.path.getsize(file)) == max_size()
        if lacks_room(error) and not (small and isinstance(error, duckdb.OutOfMemoryException)):
            raise
        raise InputError(f"{file}: cannot be read as Parquet: {reason(error)}") from None
    except (UnicodeDecodeError, RuntimeError) as error:
        # The name of a column is told as the latter.
        if isinstance(error, RuntimeError) and "conversion error" not in str(error):
            raise
        raise InputError(f"{file}: cannot be read as Parquet: no text ({error})") from None


def lacks_room(error: duckdb.Error) -> bool:
    """Whether DuckDB lacks memory or disk, which is no fault of what it reads."""
    return isinstance(error, duckdb.OutOfMemoryException) or "No space left" in str(error)


def execute(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyConnection:
    """Run a query, which signals end within moments; DuckDB alone may take minutes to notice."""
    if threading.current_thread() is not threading.main_thread():
        return connection.execute(query)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(connection.execute, query)
        try:
            return running.result()
        except (KeyboardInterrupt, SystemExit):
            connection.interrupt()
            raise


def fetch(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows that a query gives, some at a time in memory."""
    found = connection.execute(query)
    while rows := found.fetchmany(_FETCHED):
        yield from rows


def copy(
    connection: duckdb.DuckDBPyConnection, query: str, file: Path, *, packed: bool = False
) -> None:
    """Write what a query gives as a Parquet file; `packed` takes more time for a smaller one."""
    how = f", {_PACKED}" if packed else ""
    to = f"TO {quoted(str(file))} (FORMAT parquet, COMPRESSION zstd{how})"
    execute(connection, f"COPY ({query}) {to}")


def deal(connection: duckdb.DuckDBPyConnection, query: str, key: str, folder: Path) -> None:
    """Write what a query gives as Parquet files KEY=VALUE/*.parquet, to be read again soon."""
    how = "FORMAT parquet, PARQUET_VERSION v2, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1000"
    execute(connection, f"COPY ({query}) TO {quoted(str(folder))} ({how}, PARTITION_BY ({key}))")


def parquet(*files: str | Path, by_name: bool = False, numbered: bool = False) -> str:
    """The SQL that reads Parquet files as one table.

    `by_name` if some lack columns; `numbered` to have each row's `file_row_number` from 0.
    """
    return (
        f"read_parquet({list_files(files)}, hive_partitioning=false, union_by_name={by_name},"
        f" file_row_number={numbered})"
    )


def weigh_parquet(connection: duckdb.DuckDBPyConnection, file: str | Path) -> tuple[int, int]:
    """The rows of a Parquet file, and the bytes that its columns take, as its footer has them.

    Equal cells are stored once and counted, so a few kilobytes can hold billions of them.
    """
    # As doubles, since damaged footers have any number.
    chunk = "greatest(8.0 * num_values, 8.0 * row_group_num_rows, total_uncompressed_size)"
    query = (
        "SELECT coalesce(sum(rows), 0), coalesce(sum(bytes), 0) FROM ("
        f"SELECT max(row_group_num_rows)::DOUBLE AS rows, sum({chunk}) AS bytes"
        f" FROM parquet_metadata({list_files([file])}) GROUP BY row_group_id)"
    )
    rows, size = connection.execute(query).fetchall()[0]
    return int(rows), int(size)


def list_files(files: Iterable[str | Path]) -> str:
    """Files as SQL lists them: a name may hold what stands for others in DuckDB's patterns."""
    return f"[{', '.join(quoted(glob.escape(str(file))) for file in files)}]"


@contextmanager
def clear_errors(doing: str) -> Iterator[None]:
    """A full disk or too little memory, said in words; other errors of the database as they are.

    A full disk is an OSError, as it is anywhere else.
    """
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        if "temp_directory" in str(error) and "max_temp_directory_size" in str(error):
            raise OSError(f"{doing}: no room on the disk for what memory cannot hold") from None
        raise RogetError(
            f"{doing}: not enough memory ({reason(error)}); allow more, for example --memory 4GB"
        ) from None
    except duckdb.IOException as error:
        raise OSError(f"{doing}: {reason(error)}") from None


def write_parquet(
    connection: duckdb.DuckDBPyConnection,
    arrays: Mapping[str, npt.NDArray[Any]],
    types: Mapping[str, str],
    file: Path,
    *,
    packed: bool = False,
) -> None:
    """Write arrays as the columns of a Parquet file; `packed` as in `copy`."""
    picked = ", ".join(f'CAST("{name}" AS {type}) AS "{name}"' for name, type in types.items())
    connection.register("arrays", dict(arrays))
    copy(connection, f"SELECT {picked} FROM arrays", file, packed=packed)
    connection.unregister("arrays")


def reason(error: duckdb.Error) -> str:
    """What went wrong, without DuckDB's own decorations."""
    inner = re.search(r'"exception_message":"((?:[^"\\]|\\.)*)"', str(error))
    return (json.loads(f'"{inner[1]}"') if inner else str(error)).partition("\n")[0]


def quoted(text: str, mark: str = "'") -> str:
    """A text, or with mark '"' the name of a column, as SQL has it.

    >>> quoted("it's")
    "'it''s'"
    """
    spelt = spell(text)
    try:
        spelt.encode()
    except UnicodeEncodeError:  # DuckDB takes nothing but UTF-8
        raise InputError(f"{text!a}: no name in UTF-8; rename the file or folder") from None
    return mark + spelt.replace(mark, mark * 2) + mark
