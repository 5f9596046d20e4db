"""Tables and matrices as parts: they hold pairs already, so DuckDB adds them up."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from roget.core.counts import Counts
from roget.core.io import duck
from roget.core.io import pairs as tables
from roget.core.io.source import STANDARD_INPUT, Source
from roget.core.io.table import FORMATS
from roget.engines.base import Report
from roget.learn.counting import exact
from roget.learn.counting.parts import CONTEXTS, WORDS, Facts, pairs_name
from roget.learn.counting.recipe import Recipe


def count_table(
    source: Source,
    recipe: Recipe,
    folder: Path,
    connection: duckdb.DuckDBPyConnection,
    report: Report,
) -> Facts:
    """Write the part of a file of (word, context[, count])."""
    source = replace(source)
    if source.path == STANDARD_INPUT:
        source.digest = hashlib.sha256()
    file = _plain_file(source, folder)
    asked: dict[str, Any] = {
        "columns": recipe.columns or None,
        "format": FORMATS.get(source.suffix) or guess(_head(file)),
        "name": source.name,
    }
    if recipe.limit is not None:
        # So that the rows read are the first ones.
        connection.execute("SET preserve_insertion_order = true")
    try:
        with tables.explained(connection, file, **asked):
            query = tables.scan(connection, file, **asked, rows=recipe.limit)
            facts = _write(connection, query, recipe.transpose, folder, _shares(source, report))
    finally:
        if file != Path(source.path):
            file.unlink()
    if source.digest is None:
        return facts
    return replace(facts, read=source.read, sha256=source.digest.hexdigest())


def count_matrix(
    source: Source,
    recipe: Recipe,
    folder: Path,
    connection: duckdb.DuckDBPyConnection,
    report: Report,
) -> Facts:
    """Write the part of a matrix in .npz or Matrix Market, which must fit in memory."""
    counts = Counts.read(source.path)
    cells = counts.matrix.tocoo()
    rows, columns = cells.coords
    stop = recipe.limit
    connection.register(
        "cells", {"row": rows[:stop], "col": columns[:stop], "n": cells.data[:stop]}
    )
    for name, texts in (("row_names", counts.words), ("column_names", counts.contexts)):
        connection.register(name, {"at": np.arange(texts.size), "text": texts})
    query = (
        "SELECT CAST(r.text AS VARCHAR) AS word, CAST(c.text AS VARCHAR) AS context, n FROM cells"
        " JOIN row_names r ON r.at = row JOIN column_names c ON c.at = col"
    )
    return _write(connection, query, recipe.transpose, folder, _shares(source, report))


def guess(head: bytes) -> str:
    """The format of a table whose name does not tell it, from its first bytes.

    >>> guess(b'{"word": "milk"}'), guess(b"milk,drink"), guess(b"milk, or tea\\tdrink")
    ('jsonl', 'csv', 'tsv')
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.lstrip().startswith(b"{"):
        return "jsonl"
    line = head.lstrip(b"\r\n").partition(b"\n")[0]
    return "csv" if b"\t" not in line and (b"," in line or b";" in line) else "tsv"


def _head(file: Path) -> bytes:
    with open(file, "rb") as opened:
        return opened.read(1 << 16)


def _plain_file(source: Source, folder: Path) -> Path:
    """A file that DuckDB can read: decompressed and in UTF-8, if need be in a copy."""
    plain = source.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "ascii")
    if plain and not source.compression and source.path != STANDARD_INPUT:
        return Path(source.path)
    copy = folder / "table"
    with open(copy, "wb") as file:
        for block in source.blocks():
            file.write(block.data)
    return copy


def _shares(source: Source, report: Report) -> Report:
    """A report in hundredths of the file, which DuckDB reads several times over."""
    return lambda share, rows: report(source.size * share // 100, rows)


def _write(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    transpose: bool,
    folder: Path,
    report: Report,
) -> Facts:
    fractional = tables.kind(connection, query) == tables.FRACTIONAL
    if transpose:
        query = f"SELECT context AS word, word AS context, n FROM ({query})"
    if fractional:
        query = exact.split(query)
    # Numbers in the place of texts make the large table of pairs several times smaller.
    for axis, slot in (("word", ""), ("context", "'' AS slot, ")):
        summed = exact.summed(query, axis, fractional, "count(*) AS rows")
        order = f"ORDER BY {exact.descending(fractional)}, {axis}"
        duck.execute(
            connection,
            f"CREATE TEMP TABLE {axis}s AS SELECT"
            f" row_number() OVER ({order}) - 1 AS id, {slot}* FROM ({summed})",
        )
        report(10, 0)
    keyed = (
        "SELECT w.id << 32 | c.id AS key, p.* EXCLUDE (word, context) FROM"
        f" ({query}) p JOIN words w USING (word) JOIN contexts c USING (context)"
    )
    pairs = (
        f"SELECT key >> 32 AS word, key & {2**32 - 1} AS context, * EXCLUDE (key)"
        f" FROM ({exact.summed(keyed, 'key', fractional)})"
    )
    duck.copy(connection, pairs, folder / pairs_name(0))
    for axis, name in (("words", WORDS), ("contexts", CONTEXTS)):
        duck.copy(connection, f"SELECT * EXCLUDE (rows) FROM {axis}", folder / name)
    rows = connection.execute("SELECT coalesce(sum(rows), 0)::BIGINT FROM words").fetchall()[0][0]
    report(80, 0)  # rows are no tokens
    return Facts(tokens=rows, sentences=0, fractional=fractional)
