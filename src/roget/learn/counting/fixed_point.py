"""SQL that sums fractional counts exactly, independently of the order of summation.

A count is a fixed-point number n + fraction/2^64 + rest/2^128, stored as three integers. These are
added up without rounding. Every double of at least 2^-75 is represented exactly, and smaller ones
are truncated after 2^-128.
"""

from __future__ import annotations

WHOLE = ("n",)
FRACTIONAL = ("n", "fraction", "rest")

TOO_MUCH = "the sum of the counts is 2^63 or more"

_UNIT = f"{2**64}::DOUBLE"
_MASK = f"{2**64 - 1}::HUGEINT"
_ROOM = f"{2**63}::HUGEINT"


def columns(fractional: bool) -> tuple[str, ...]:
    """Return the names of the columns that make up a count."""
    return FRACTIONAL if fractional else WHOLE


def split(query: str) -> str:
    """Return a query that splits the DOUBLE column n into n, fraction and rest."""
    shifted = f"SELECT *, (n - trunc(n)) * {_UNIT} AS shifted FROM ({query})"
    return (
        "SELECT * EXCLUDE (shifted) REPLACE (CAST(trunc(n) AS BIGINT) AS n),"
        " CAST(trunc(shifted) AS UBIGINT) AS fraction,"
        f" CAST(trunc((shifted - trunc(shifted)) * {_UNIT}) AS UBIGINT) AS rest FROM ({shifted})"
    )


def summed(query: str, keys: str, fractional: bool, also: str = "") -> str:
    """Return a query that sums the counts of rows with equal key columns.

    `also` lists additional aggregates.
    """
    sums = ", ".join(f"sum({column})::HUGEINT AS {column}" for column in columns(fractional))
    query = f"SELECT {keys}, {sums}{also and ', '}{also} FROM ({query}) GROUP BY {keys}"
    if fractional:
        # Carry from rest to fraction, then from fraction to n.
        carried = f"fraction + (rest >> 64) AS fraction, rest & {_MASK} AS rest"
        query = f"SELECT * REPLACE ({carried}) FROM ({query})"
        carried = f"n + (fraction >> 64) AS n, fraction & {_MASK} AS fraction"
        query = f"SELECT * REPLACE ({carried}) FROM ({query})"
    checked = f"CASE WHEN n < {_ROOM} THEN CAST(n AS BIGINT) ELSE error('{TOO_MUCH}') END AS n"
    small = [f"CAST({column} AS UBIGINT) AS {column}" for column in columns(fractional)[1:]]
    return f"SELECT * REPLACE ({', '.join([checked, *small])}) FROM ({query})"


def value(fractional: bool) -> str:
    """Return an SQL expression for a count, as BIGINT or DOUBLE. Doubles are restored exactly."""
    if not fractional:
        return "n"
    small = f"(fraction::DOUBLE / {_UNIT} + rest::DOUBLE / {_UNIT} / {_UNIT})"
    return f"(n::DOUBLE + {small})"


def numbered(query: str, keys: str, fractional: bool) -> str:
    """Return a query that numbers rows from 0, by descending count, then by key columns."""
    counts = ", ".join(f"{column} DESC" for column in columns(fractional))
    return f"SELECT row_number() OVER (ORDER BY {counts}, {keys}) - 1 AS id, * FROM ({query})"
