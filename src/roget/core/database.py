"""What reading and writing counts asks of DuckDB: a database, texts in SQL, errors in words."""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy.typing as npt

from roget.errors import InputError


@contextmanager
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty database in memory, which spills where temporary files belong.

    A full disk or too little memory is an OSError.
    """
    with TemporaryDirectory(prefix="roget.") as spill, duckdb.connect() as connection:
        connection.execute(f"SET temp_directory = {quoted(spill)}")
        try:
            yield connection
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            raise OSError(reason(error)) from None


@contextmanager
def readable(file: Path) -> Iterator[None]:
    """DuckDB's errors as ours, with the name of the file being read."""
    try:
        yield
    except duckdb.Error as error:
        raise InputError(f"{file}: cannot be read as Parquet: {reason(error)}") from None


def parquet(file: Path, *, numbered: bool = False) -> str:
    """The SQL that reads a Parquet file, if asked with each row's `file_row_number` from 0."""
    # A file's name may hold characters that stand for others in DuckDB's patterns.
    name = quoted(glob.escape(str(file)))
    return f"read_parquet({name}, hive_partitioning=false, file_row_number={numbered})"


def write_parquet(
    connection: duckdb.DuckDBPyConnection,
    arrays: Mapping[str, npt.NDArray[Any]],
    types: Mapping[str, str],
    file: Path,
) -> None:
    """Write arrays as the columns of a Parquet file."""
    picked = ", ".join(f'CAST("{name}" AS {type}) AS "{name}"' for name, type in types.items())
    connection.register("arrays", dict(arrays))
    connection.execute(
        f"COPY (SELECT {picked} FROM arrays) TO {quoted(str(file))} "
        "(FORMAT parquet, COMPRESSION zstd)"
    )
    connection.unregister("arrays")


def reason(error: duckdb.Error) -> str:
    """What went wrong, without DuckDB's own decorations."""
    inner = re.search(r'"exception_message":"((?:[^"\\]|\\.)*)"', str(error))
    return (json.loads(f'"{inner[1]}"') if inner else str(error)).partition("\n")[0]


def quoted(text: str) -> str:
    """A text as SQL writes it.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
