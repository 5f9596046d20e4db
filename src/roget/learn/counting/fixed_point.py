"""Sums that are the same to the last bit in any order: fractional counts kept as integers.

A count is n + fraction/2^64 + rest/2^128, three whole numbers that add up without rounding. Any
double of 2^-75 or more is such a number; smaller ones are cut off after 2^-128.
"""

from __future__ import annotations

WHOLE = ("n",)
FRACTIONAL = ("n", "fraction", "rest")

TOO_MUCH = "counts add up to 2^63 or more"

_UNIT = f"{2**64}::DOUBLE"
_MASK = f"{2**64 - 1}::HUGEINT"
_ROOM = f"{2**63}::HUGEINT"


def columns(fractional: bool) -> tuple[str, ...]:
    """The columns that hold a count."""
    return FRACTIONAL if fractional else WHOLE


def split(query: str) -> str:
    """Rows with n DOUBLE as rows with n, fraction and rest; other columns stay."""
    shifted = f"SELECT *, (n - trunc(n)) * {_UNIT} AS shifted FROM ({query})"
    return (
        "SELECT * EXCLUDE (shifted) REPLACE (CAST(trunc(n) AS BIGINT) AS n),"
        " CAST(trunc(shifted) AS UBIGINT) AS fraction,"
        f" CAST(trunc((shifted - trunc(shifted)) * {_UNIT}) AS UBIGINT) AS rest FROM ({shifted})"
    )


def summed(query: str, keys: str, fractional: bool, also: str = "") -> str:
    """Rows with equal keys (names of columns) added up; `also` asks for more sums."""
    sums = ", ".join(f"sum({column})::HUGEINT AS {column}" for column in columns(fractional))
    query = f"SELECT {keys}, {sums}{also and ', '}{also} FROM ({query}) GROUP BY {keys}"
    if fractional:
        carried = f"fraction + (rest >> 64) AS fraction, rest & {_MASK} AS rest"
        query = f"SELECT * REPLACE ({carried}) FROM ({query})"
        carried = f"n + (fraction >> 64) AS n, fraction & {_MASK} AS fraction"
        query = f"SELECT * REPLACE ({carried}) FROM ({query})"
    checked = f"CASE WHEN n < {_ROOM} THEN CAST(n AS BIGINT) ELSE error('{TOO_MUCH}') END AS n"
    small = [f"CAST({column} AS UBIGINT) AS {column}" for column in columns(fractional)[1:]]
    return f"SELECT * REPLACE ({', '.join([checked, *small])}) FROM ({query})"


def value(fractional: bool) -> str:
    """A count as BIGINT or DOUBLE; one that was read as a double is the same double again."""
    if not fractional:
        return "n"
    small = f"(fraction::DOUBLE / {_UNIT} + rest::DOUBLE / {_UNIT} / {_UNIT})"
    return f"(n::DOUBLE + {small})"


def numbered(query: str, keys: str, fractional: bool) -> str:
    """Rows with an id from 0: the largest counts first, and then by keys (names of columns)."""
    counts = ", ".join(f"{column} DESC" for column in columns(fractional))
    return f"SELECT row_number() OVER (ORDER BY {counts}, {keys}) - 1 AS id, * FROM ({query})"
