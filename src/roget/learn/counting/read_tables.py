"""Count tables and matrices of pairs: sum the counts in DuckDB, and write them to a folder."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np

from roget.core.counts import Counts
from roget.core.io import duck
from roget.core.io import pairs as tables
from roget.core.io.source import STANDARD_INPUT, Source
from roget.core.io.table import open_table
from roget.engines.base import Increment
from roget.learn.counting import fixed_point
from roget.learn.counting.parts import CONTEXTS, WORDS, Facts, pairs_name
from roget.learn.counting.recipe import CountRecipe


class Sink(NamedTuple):
    """The output folder, the database and the progress callback for counting a table."""

    folder: Path
    connection: duckdb.DuckDBPyConnection
    report: Increment


def count_table(source: Source, recipe: CountRecipe, sink: Sink) -> Facts:
    """Count a table of words, contexts and optionally counts."""
    source, connection, columns = replace(source), sink.connection, recipe.columns or None
    if source.path == STANDARD_INPUT:
        source.digest = hashlib.sha256()
    if recipe.limit is not None:
        # With a row limit, the order of rows matters, because only the first rows are read.
        connection.execute("SET preserve_insertion_order = true")
    with (
        open_table(
            source, columns, guess=True, transpose=recipe.transpose, folder=sink.folder
        ) as table,
        tables.explain_errors(connection, table),
    ):
        query = tables.scan(connection, table, recipe.limit)
        facts = _write(query, source, sink, slotted="slot" in table.places)
    facts = replace(facts, note=table.note)
    if source.digest is None:
        return facts
    return replace(facts, read=source.read, sha256=source.digest.hexdigest())


def count_matrix(source: Source, recipe: CountRecipe, sink: Sink) -> Facts:
    """Count a sparse matrix in .npz or Matrix Market format. The matrix must fit in memory."""
    counts = Counts.read(source.path)
    cells = counts.matrix.tocoo()
    rows, columns = cells.coords
    stop = recipe.limit
    sink.connection.register(
        "cells", {"row": rows[:stop], "col": columns[:stop], "n": cells.data[:stop]}
    )
    for name, texts in (("row_names", counts.words), ("column_names", counts.contexts)):
        sink.connection.register(name, {"at": np.arange(texts.size), "text": texts})
    query = (
        "SELECT CAST(r.text AS VARCHAR) AS word, CAST(c.text AS VARCHAR) AS context, n FROM cells"
        " JOIN row_names r ON r.at = row JOIN column_names c ON c.at = col"
    )
    if recipe.transpose:
        query = f"SELECT context AS word, word AS context, n FROM ({query})"
    return _write(query, source, sink)


def _write(query: str, source: Source, sink: Sink, *, slotted: bool = False) -> Facts:
    """Sum the counts of the pairs in a query, and write words, contexts and pairs."""
    folder, connection, report = sink
    fractional = tables.kind(connection, query) == tables.FRACTIONAL
    if fractional:
        query = fixed_point.split(query)
    # Replace strings by ids, so that the large table of pairs becomes several times smaller.
    keys, no_slot = ("slot, context", "") if slotted else ("context", "'' AS slot, ")
    for axis, key, slot in (("word", "word", ""), ("context", keys, no_slot)):
        summed = fixed_point.summed(query, key, fractional, "count(*) AS rows")
        numbered = fixed_point.numbered(f"SELECT {slot}* FROM ({summed})", key, fractional)
        duck.execute(connection, f"CREATE TEMP TABLE {axis}s AS {numbered}")
        # DuckDB reads the file several times. Report each pass as a fraction of the file size.
        report(source.size // 10, 0)
    keyed = (
        f"SELECT w.id << 32 | c.id AS key, p.* EXCLUDE (word, {keys}) FROM"
        f" ({query}) p JOIN words w USING (word) JOIN contexts c USING ({keys})"
    )
    pairs = (
        f"SELECT key >> 32 AS word, key & {2**32 - 1} AS context, * EXCLUDE (key)"
        f" FROM ({fixed_point.summed(keyed, 'key', fractional)})"
    )
    duck.copy(connection, pairs, folder / pairs_name(0))
    for axis, name in (("words", WORDS), ("contexts", CONTEXTS)):
        duck.copy(connection, f"SELECT * EXCLUDE (rows) FROM {axis}", folder / name)
    rows = connection.execute("SELECT coalesce(sum(rows), 0)::BIGINT FROM words").fetchall()[0][0]
    report(source.size * 8 // 10, 0)  # Table rows are not tokens.
    return Facts(tokens=rows, sentences=0, fractional=fractional)
