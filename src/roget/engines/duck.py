"""DuckDB as roget runs it: within a memory limit, spilling where told, reaching for nothing."""

from __future__ import annotations

import glob
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import duckdb

from roget.core.database import quoted, reason
from roget.errors import InputError, RogetError

DEFAULT_MEMORY = "50%"

_SIZE = re.compile(r"\d+(\.\d+)? ?([KMGT]i?B|%)", re.IGNORECASE)

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "preserve_insertion_order": "false",
}


def connect(
    memory: str | None = None, threads: int | None = None, spill: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """An empty database in memory.

    Memory is "2GB" or "50%" (of the machine's; the default); what does not fit is spilled to the
    folder, which is made when needed. Without one nothing is spilled. The order of rows is not
    kept, and no extension is ever fetched.
    """
    memory = memory or DEFAULT_MEMORY
    if not _SIZE.fullmatch(memory):
        raise InputError(f"memory {memory!r}: expected a size such as 2GB or 500MB")
    connection = duckdb.connect(config=_SETTINGS)
    connection.execute(f"SET memory_limit = {quoted(memory)}")
    if threads is not None:
        connection.execute(f"SET threads = {threads}")
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET temp_directory = {quoted('' if spill is None else str(spill))}")
    return connection


def execute(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyConnection:
    """Run a query, which Ctrl-C ends within moments; DuckDB alone may take minutes to notice."""
    if threading.current_thread() is not threading.main_thread():
        return connection.execute(query)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(connection.execute, query)
        try:
            return running.result()
        except KeyboardInterrupt:
            connection.interrupt()
            raise


def copy(connection: duckdb.DuckDBPyConnection, query: str, file: Path) -> None:
    """Write what a query gives as a Parquet file."""
    to = f"TO {quoted(str(file))} (FORMAT parquet, COMPRESSION zstd)"
    execute(connection, f"COPY ({query}) {to}")


def parquet(*files: Path, by_name: bool = False) -> str:
    """The SQL that reads Parquet files as one table; `by_name` if some lack columns."""
    names = ", ".join(quoted(glob.escape(str(file))) for file in files)
    return f"read_parquet([{names}], hive_partitioning=false, union_by_name={by_name})"


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
