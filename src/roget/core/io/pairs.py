"""Generate SQL that reads tables of (word, context) pairs, optionally with relation and count.

`scan` returns a query for the columns `word`, `context` and `n`. The query fails at the first
invalid row. `explain_errors` replaces this error by one that lists all invalid lines:

    with open_table(path) as table, explain_errors(connection, table):
        connection.execute(f"CREATE TABLE pairs AS {scan(connection, table)}")
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from roget.core.io.problems import Problems
from roget.core.io.table import WHOLE_TYPES, Table
from roget.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

WHOLE, FRACTIONAL = "BIGINT", "DOUBLE"

LARGEST = 2**62
"""Exclusive upper bound for a count. Sums of larger counts might overflow silently."""

SUM = {
    WHOLE: "CASE WHEN sum(n) < 9223372036854775808 THEN CAST(sum(n) AS BIGINT)"
    " ELSE error('the counts of a pair add up to 2^63 or more') END"
}
"""SQL expressions that sum the counts returned by `scan`.

Fractional counts are not summed in SQL, because the result would depend on the order of rows.
"""


def scan(connection: DuckDBPyConnection, table: Table, rows: int | None = None) -> str:
    """Return a SELECT statement with the columns word, context, slot (if any) and n (the count).

    The type of n is BIGINT or DOUBLE. Rows with n = 0 are excluded. `rows` limits the number of
    rows. The first rows are selected if the connection preserves the row order.
    """
    with explain_errors(connection, table):
        slot = f", coalesce({table.cell('slot')}, '') AS slot" if "slot" in table.places else ""
        also = ", slot" if slot else ""
        counted = "count" in table.places
        n = f", {table.cell('count', text=False)} AS n" if counted else ""
        raw = (
            f"SELECT {table.cell('word')} AS word, {table.cell('context')} AS context{slot}{n}"
            f" FROM {table.sql}"
        )
        if rows is not None:
            raw += f" LIMIT {rows}"
        words = ", ".join(
            f"CASE WHEN {side} <> '' THEN {side} ELSE error('an empty {side}') END AS {side}"
            for side in ("word", "context")
        )
        if not counted:
            return f"SELECT {words}{also}, CAST(1 AS BIGINT) AS n FROM ({raw})"
        kind = WHOLE if _is_whole(connection, table, raw) else FRACTIONAL
        good = f"value >= 0 AND value < {LARGEST}::DOUBLE"
        return (
            f"SELECT {words}{also}, CASE WHEN {good} THEN CAST(n AS {kind})"
            f" ELSE error('a bad count') END AS n"
            f" FROM (SELECT *, TRY_CAST(n AS DOUBLE) AS value FROM ({raw}))"
            " WHERE value IS DISTINCT FROM 0"
        )


def kind(connection: DuckDBPyConnection, query: str) -> str:
    """Return the SQL type of the counts returned by `scan`: WHOLE or FRACTIONAL."""
    return str(connection.execute(f"DESCRIBE SELECT n FROM ({query})").fetchall()[0][1])


@contextmanager
def explain_errors(connection: DuckDBPyConnection, table: Table) -> Iterator[None]:
    """Convert a database error about a table to a FormatError that lists the invalid lines.

    To find these lines, the file is read again row by row. Errors about disk space or memory are
    not converted.
    """
    import duckdb

    from roget.core.io.duck import lacks_room

    try:
        yield
    except duckdb.Error as error:
        if lacks_room(error):
            raise
        # If the file cannot be read at all, `check` raises a DuckDB error and there are no lines to
        # list.
        with suppress(duckdb.Error):
            check(table)
        reason = str(error).strip().partition("\n")[0]
        raise InputError(f"{table.name}: cannot be read: {reason}", code="broken-lines") from None


def check(table: Table) -> None:
    """Read all rows. Raise a FormatError that lists the invalid rows, if any."""
    problems = Problems(table.name)
    for number, cells in table.rows(problems):
        fault = _find_fault(cells["word"], cells["context"], cells.get("count", 1))
        if fault:
            code, text = fault
            problems.add(number, text, table.place(number), code=code)
    problems.check()


def _find_fault(word: Any, context: Any, count: Any) -> tuple[str, str] | None:
    """Return the code and message of the first error in a row, or None if the row is valid."""
    for role, value in (("word", word), ("context", context)):
        if value is None or value == "":
            return "empty-field", f"the {role} is empty; expected text"
        if isinstance(value, dict | list):
            text = f"the {role} is {json.dumps(value)!r:.60}; expected text or a number"
            return "broken-lines", text
    try:
        number = float(count) if str(count).isascii() else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(count, bool) or not 0 <= number < LARGEST:
        shown = "missing" if count in (None, "") else repr(count)
        return "bad-count", f"the count is {shown}; expected a number from 0 to below 2^62"
    return None


def _is_whole(connection: DuckDBPyConnection, table: Table, raw: str) -> bool:
    """Return True if all counts are whole numbers. This may require a pass over the table."""
    if table.types and table.types[table.places["count"]] in WHOLE_TYPES:
        return True
    # A cast to BIGINT would round 1.5, so test the value as DOUBLE.
    values = f"SELECT TRY_CAST(n AS DOUBLE) AS value FROM ({raw})"
    query = f"SELECT bool_and(value = trunc(value)) FROM ({values})"
    return connection.execute(query).fetchall()[0][0] is not False
