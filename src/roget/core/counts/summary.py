"""The most frequent of everything, by SQL over words, contexts and entries."""

from __future__ import annotations

from typing import Any

import duckdb

_FIRST = 5
"""Contexts shown for each word."""


def facts(connection: duckdb.DuckDBPyConnection, top: int) -> dict[str, Any]:
    """Frequent words, contexts and pairs, and the share of those seen once.

    The tables `words` and `contexts` number their rows by file_row_number; equal counts stand in
    the order of their words.
    """
    words, seen_once = _frequent(connection, "word", "row", top)
    contexts, _ = _frequent(connection, "context", "column", top)
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
    first = _contexts(connection, [row for row, _, _ in words])
    return {
        "words": [
            {"word": word, "total": total, "contexts": first[row]} for row, word, total in words
        ],
        "contexts": [{"context": context, "total": total} for _, context, total in contexts],
        "pairs": [{"word": a, "context": b, "count": n} for a, b, n in pairs],
        "hapax": {"words": seen_once or 0.0, "pairs": once or 0.0},
    }


def _frequent(
    connection: duckdb.DuckDBPyConnection, name: str, axis: str, top: int
) -> tuple[list[tuple[int, str, int | float]], float | None]:
    """The (place, text, total) of those with the largest totals, and the share with total 1."""
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


def _contexts(
    connection: duckdb.DuckDBPyConnection, rows: list[int]
) -> dict[int, list[dict[str, Any]]]:
    """For each of these words, its most frequent contexts."""
    found: dict[int, list[dict[str, Any]]] = {row: [] for row in rows}
    query = f"""
        SELECT "row", context, count FROM entries
        JOIN contexts ON contexts.file_row_number = "column"
        WHERE list_contains(?::INTEGER[], "row")
        QUALIFY row_number() OVER (PARTITION BY "row" ORDER BY count DESC, context) <= {_FIRST}
        ORDER BY "row", count DESC, context
        """
    for row, context, count in connection.execute(query, [rows]).fetchall():
        found[row].append({"context": context, "count": count})
    return found
