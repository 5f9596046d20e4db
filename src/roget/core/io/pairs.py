"""Files of pairs as SQL: word, context and perhaps a count, in TSV, CSV, JSON lines or Parquet.

`scan` looks at a file's first rows and gives a SELECT of `word`, `context` and `n`. The query
stops with an error at a row that cannot be used; under `explained` that error names the lines:

    with explained(connection, path):
        connection.execute(f"CREATE TABLE pairs AS {scan(connection, path)}")
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

from roget.core.io.duck import quoted
from roget.core.io.lines import check_compressed
from roget.core.io.problems import check_parquet, check_text
from roget.core.io.table import LARGEST, Layout, layout, source
from roget.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Path: TypeAlias = str | os.PathLike[str]
Columns: TypeAlias = Sequence[str | int]

WHOLE, FRACTIONAL = "BIGINT", "DOUBLE"

SUM = {
    WHOLE: "CASE WHEN sum(n) < 9223372036854775808 THEN CAST(sum(n) AS BIGINT)"
    " ELSE error('the counts of a pair add up to 2^63 or more') END",
}
"""How to add up the whole n of a scan. Sums of fractions would depend on the order of rows."""


def scan(
    connection: DuckDBPyConnection,
    path: Path,
    columns: Columns | None = None,
    *,
    format: str | None = None,
    name: str | None = None,
    rows: int | None = None,
) -> str:
    """A SELECT of word VARCHAR, context VARCHAR and n BIGINT or DOUBLE, without rows of n = 0.

    Columns are names, or numbers from 1: word, context and perhaps count. Without them the names
    word, context and count (or n, frequency, weight) are looked for; else the first two columns
    are taken, and the third if it is a number. The suffix tells the format, unless it is given;
    messages use the name. With `rows` only so many are read: the first ones, if the connection
    preserves the order.
    """
    with explained(connection, path, columns, format=format, name=name):
        found = layout(connection, path, columns, format=format, name=name)
        check_compressed(found)
        raw = f"SELECT {_raw(found)} FROM {source(found)}"
        if rows is not None:
            raw += f" LIMIT {rows}"
        words = ", ".join(
            f"CASE WHEN {side} <> '' THEN {side} ELSE error('an empty {side}') END AS {side}"
            for side in ("word", "context")
        )
        if found.count is None:
            return f"SELECT {words}, CAST(1 AS BIGINT) AS n FROM ({raw})"
        kind = WHOLE if _is_whole(connection, found, raw) else FRACTIONAL
        good = f"value >= 0 AND value < {LARGEST}::DOUBLE"
        return (
            f"SELECT {words}, CASE WHEN {good} THEN CAST(n AS {kind})"
            f" ELSE error('a bad count') END AS n"
            f" FROM (SELECT *, TRY_CAST(n AS DOUBLE) AS value FROM ({raw}))"
            " WHERE value IS DISTINCT FROM 0"
        )


def kind(connection: DuckDBPyConnection, query: str) -> str:
    """The type of a scan's n: WHOLE or FRACTIONAL."""
    return str(connection.execute(f"DESCRIBE {query}").fetchall()[2][1])


@contextmanager
def explained(
    connection: DuckDBPyConnection,
    path: Path,
    columns: Columns | None = None,
    *,
    format: str | None = None,
    name: str | None = None,
) -> Iterator[None]:
    """Turn the database's complaint about a table into a FormatError that names broken lines.

    The file is read once more for that, slowly. A full disk or too little memory is no fault of
    the table and stays what it is.
    """
    import duckdb

    try:
        yield
    except (duckdb.DataError, duckdb.ProgrammingError, duckdb.OperationalError) as error:
        if isinstance(error, duckdb.OutOfMemoryException) or "No space left" in str(error):
            raise
        # A file that cannot be read at all has no lines to name.
        with suppress(duckdb.Error):
            check(connection, path, columns, format=format, name=name)
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{name or os.fspath(path)}: cannot be read: {reason}") from None


def check(
    connection: DuckDBPyConnection,
    path: Path,
    columns: Columns | None = None,
    *,
    format: str | None = None,
    name: str | None = None,
) -> None:
    """Read all rows and raise a FormatError that names those that cannot be used."""
    found = layout(connection, path, columns, format=format, name=name)
    if found.format == "parquet":
        check_parquet(connection, found)
    else:
        check_text(found)


def _is_whole(connection: DuckDBPyConnection, found: Layout, raw: str) -> bool:
    """Whether all counts are whole numbers: only a pass over them can tell."""
    if found.whole:
        return True
    # A cast of 1.5 to BIGINT would round it, so the test is on the DOUBLE.
    values = f"SELECT TRY_CAST(n AS DOUBLE) AS value FROM ({raw})"
    query = f"SELECT bool_and(value = trunc(value)) FROM ({values})"
    return connection.execute(query).fetchall()[0][0] is not False


def _raw(found: Layout) -> str:
    """The cells as the file has them: word and context as text, and n."""
    places = {"word": found.word, "context": found.context, "n": found.count}
    return ", ".join(
        f"{_cell(found, at, role)} AS {role}" for role, at in places.items() if at is not None
    )


def _cell(found: Layout, at: int, role: str) -> str:
    cell = quoted(found.names[at], '"')
    if found.format == "jsonl":
        plain = f"json_type({cell}) NOT IN ('OBJECT', 'ARRAY', 'NULL')"
        return f"CASE WHEN {plain} THEN {cell} ->> '$' END"
    if found.format == "parquet":
        if role == "n":
            return cell
        return f"decode({cell})" if found.types[at] == "BLOB" else f"CAST({cell} AS VARCHAR)"
    return f"c{at}"
