"""DuckDB connections with a memory limit and a spill folder.

Extensions and network access are disabled. DuckDB is imported inside functions, because commands
that read small files do not need it.
"""

from __future__ import annotations

import atexit
import glob
import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from roget.core.io.limits import allowed, max_size, parse_size
from roget.core.io.paths import spell
from roget.errors import InputError, RogetError

if TYPE_CHECKING:
    import duckdb
    import numpy.typing as npt

DEFAULT_MEMORY = "50%"

_EXAMPLE = "2GB or 500MB"

_FETCH_SIZE = 1 << 14
"""Batch size: number of rows converted to Python objects at once."""

_PERCENTAGE = re.compile(r"\d+(\.\d+)? ?%")
"""Pattern that matches a memory limit expressed as a percentage of the machine's memory."""

_PACKED = "PARQUET_VERSION v2, COMPRESSION_LEVEL 9, ROW_GROUP_SIZE 1000000"
"""Parquet options for large tables that are rarely read."""

_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}


def read_memory(memory: str) -> str:
    """Convert a memory limit to DuckDB's syntax. Return a percentage unchanged.

    Raise an error if the limit is 0.
    """
    is_percentage = _PERCENTAGE.fullmatch(memory) is not None
    size = float(memory.rstrip("% ")) if is_percentage else parse_size(memory, "memory", _EXAMPLE)
    if not size:
        raise InputError(
            f"memory {memory!r}: the limit must be positive, e.g. {_EXAMPLE}", code="invalid-option"
        )
    return memory if is_percentage else f"{size} bytes"


def _limit_memory(connection: duckdb.DuckDBPyConnection, memory: str) -> None:
    """Set the memory limit. Percentages are converted to bytes, as DuckDB before 2.0 requires."""
    if memory.endswith("%"):
        # DuckDB's default is 80 % of the available memory, which takes a container's limit into
        # account.
        row = connection.execute("SELECT current_setting('memory_limit')").fetchone()
        text = str(row[0] if row else "1GB").replace(" ", "")
        # DuckDB 1.3 reports petabytes if a container has no limit.
        whole = float("inf") if "PiB" in text else parse_size(text, "memory", "2GB") / 0.8
        whole = min(whole, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        memory = f"{int(whole * float(memory.rstrip('% ')) / 100)} bytes"
    connection.execute(f"SET memory_limit = {quoted(memory)}")


def connect(
    memory: str | None = None,
    threads: int | None = None,
    spill: Path | None = None,
    *,
    ordered: bool = False,
) -> duckdb.DuckDBPyConnection:
    """Connect to an empty in-memory database.

    `memory` is a size such as "2GB", or a percentage of RAM (default "50%"). Larger data are
    spilled to the folder `spill`, which is created when needed. If no folder is passed, larger data
    raise an error. The order of rows is preserved only if `ordered` is True. Extensions are never
    installed.
    """
    import duckdb

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
def database(
    memory: str | None = None, threads: int | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Provide a database that preserves the order of rows and spills data to a temporary folder.

    Temporary tables and views are dropped at the end. A full disk or too little memory raises an
    OSError.
    """
    import duckdb

    with ExitStack() as opened:
        if memory is None and threads is None:
            # Opening a cursor of the shared instance is 60 times faster than creating an instance.
            connection = opened.enter_context(_open_shared(os.getpid()).cursor())
        else:
            spill = opened.enter_context(TemporaryDirectory(prefix="roget."))
            connection = opened.enter_context(connect(memory, threads, Path(spill), ordered=True))
        try:
            yield connection
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            raise OSError(reason(error)) from None


@cache
def _open_shared(process: int) -> duckdb.DuckDBPyConnection:
    """Return the DuckDB instance shared within this process. A forked process opens a new one."""
    # DuckDB creates the folder when it spills data, and removes it when the instance is closed.
    spill = Path(gettempdir(), f"roget.{uuid4().hex}")
    shared = connect(spill=spill, ordered=True)

    def close() -> None:
        if os.getpid() == process:
            shared.close()

    atexit.register(close)
    return shared


@contextmanager
def convert_errors(file: str | Path) -> Iterator[None]:
    """Convert DuckDB errors to InputErrors that name the file.

    Must be used within a `database` context.
    """
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        # If a small file needs too much memory, it is damaged, e.g. its header declares a wrong
        # size.
        small = os.path.isfile(file) and allowed(os.path.getsize(file)) == max_size()
        if lacks_room(error) and not (small and isinstance(error, duckdb.OutOfMemoryException)):
            raise
        raise InputError(
            f"{file}: cannot be read as Parquet: {reason(error)}", code="broken-archive"
        ) from None
    except (UnicodeDecodeError, RuntimeError) as error:
        # DuckDB raises a RuntimeError for a column name that is not UTF-8.
        if isinstance(error, RuntimeError) and "conversion error" not in str(error):
            raise
        raise InputError(
            f"{file}: cannot be read as Parquet: not text ({error})", code="broken-archive"
        ) from None


def lacks_room(error: duckdb.Error) -> bool:
    """Return True if an error is due to a lack of memory or disk space, not to invalid input."""
    import duckdb

    return isinstance(error, duckdb.OutOfMemoryException) or "No space left" in str(error)


def execute(connection: duckdb.DuckDBPyConnection, query: str) -> duckdb.DuckDBPyConnection:
    """Run a query. Ctrl-C interrupts it immediately.

    The query runs in another thread, because DuckDB may take minutes to react to Ctrl-C.
    """
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
    """Yield the rows of a query, fetched in batches."""
    found = connection.execute(query)
    while rows := found.fetchmany(_FETCH_SIZE):
        yield from rows


def copy(
    connection: duckdb.DuckDBPyConnection, query: str, file: Path, *, packed: bool = False
) -> None:
    """Write the result of a query to a Parquet file.

    With `packed`, the file is smaller but takes longer to write.
    """
    how = f", {_PACKED}" if packed else ""
    to = f"TO {quoted(str(file))} (FORMAT parquet, COMPRESSION zstd{how})"
    execute(connection, f"COPY ({query}) {to}")


def write_partitions(
    connection: duckdb.DuckDBPyConnection, query: str, key: str, folder: Path
) -> None:
    """Write the result of a query to temporary Parquet files named KEY=VALUE/*.parquet."""
    how = "FORMAT parquet, PARQUET_VERSION v2, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1000"
    execute(connection, f"COPY ({query}) TO {quoted(str(folder))} ({how}, PARTITION_BY ({key}))")


def parquet(*files: str | Path, by_name: bool = False, numbered: bool = False) -> str:
    """Return an SQL expression that reads Parquet files as one table.

    If `by_name` is True, columns are matched by name, and may be missing in some files. If
    `numbered` is True, the table has a column `file_row_number`, which starts at 0.
    """
    return (
        f"read_parquet({list_files(files)}, hive_partitioning=false, union_by_name={by_name},"
        f" file_row_number={numbered})"
    )


def measure_parquet(connection: duckdb.DuckDBPyConnection, file: str | Path) -> tuple[int, int]:
    """Return the number of rows, and the column sizes in bytes, from the footer of a Parquet file.

    Repeated cells are run-length encoded, so a file of a few kilobytes may contain billions of
    cells.
    """
    # Doubles do not overflow, even if a damaged footer contains huge numbers.
    chunk = "greatest(8.0 * num_values, 8.0 * row_group_num_rows, total_uncompressed_size)"
    query = (
        "SELECT coalesce(sum(rows), 0), coalesce(sum(bytes), 0) FROM ("
        f"SELECT max(row_group_num_rows)::DOUBLE AS rows, sum({chunk}) AS bytes"
        f" FROM parquet_metadata({list_files([file])}) GROUP BY row_group_id)"
    )
    rows, size = connection.execute(query).fetchall()[0]
    return int(rows), int(size)


def list_files(files: Iterable[str | Path]) -> str:
    """Return a list of file names in SQL syntax, with wildcards escaped."""
    return f"[{', '.join(quoted(glob.escape(str(file))) for file in files)}]"


@contextmanager
def clear_errors(doing: str) -> Iterator[None]:
    """Convert DuckDB errors about memory or disk space to errors with clear messages.

    A full disk raises OSError, like in other functions that write files. Other errors are re-raised
    unchanged.
    """
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        if "temp_directory" in str(error) and "max_temp_directory_size" in str(error):
            raise OSError(f"{doing}: not enough disk space for temporary files") from None
        raise RogetError(
            f"{doing}: not enough memory ({reason(error)}); raise 'memory', e.g. to 4GB"
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
    """Write arrays as the columns of a Parquet file. See `copy` for the parameter `packed`."""
    columns = ", ".join(f'CAST("{name}" AS {type}) AS "{name}"' for name, type in types.items())
    connection.register("arrays", dict(arrays))
    copy(connection, f"SELECT {columns} FROM arrays", file, packed=packed)
    connection.unregister("arrays")


def reason(error: duckdb.Error) -> str:
    """Return the first line of an error message, without DuckDB's JSON wrapper."""
    inner = re.search(r'"exception_message":"((?:[^"\\]|\\.)*)"', str(error))
    return (json.loads(f'"{inner[1]}"') if inner else str(error)).partition("\n")[0]


def quoted(text: str, mark: str = "'") -> str:
    """Quote a string for SQL, or a column name if `mark` is '"'.

    >>> quoted("it's")
    "'it''s'"
    """
    spelt = spell(text)
    try:
        spelt.encode()
    except UnicodeEncodeError:  # DuckDB accepts only UTF-8.
        raise InputError(
            f"{text!a}: the name is not UTF-8; rename the file or folder", code="not-text"
        ) from None
    return mark + spelt.replace(mark, mark * 2) + mark
