"""Naming the rows of a table that cannot be used: slow, and run only when there are some."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from roget.core.io.duck import quoted
from roget.core.io.lines import lines
from roget.core.io.table import LARGEST, Layout, source
from roget.errors import MAX_PROBLEMS, FormatError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def check_text(found: Layout) -> None:
    """Raise a FormatError that names the broken lines of a TSV, CSV or JSON-lines file."""
    problems: list[str] = []
    for number, cells in _records(found) if found.format == "jsonl" else _rows(found):
        fault = cells if isinstance(cells, str) else _fault(*cells)
        if fault:
            problems.append(f"{found.name}:{number}: {fault}")
        if len(problems) == MAX_PROBLEMS:
            break
    if problems:
        raise FormatError(found.name, problems, more=len(problems) == MAX_PROBLEMS)


def check_parquet(connection: DuckDBPyConnection, found: Layout) -> None:
    """Raise a FormatError that names the broken rows, counted from 1."""
    places = [at for at in (found.word, found.context, found.count) if at is not None]
    cells = [quoted(found.names[at], '"') for at in places]
    broken = [f"coalesce(CAST({cell} AS VARCHAR), '') = ''" for cell in cells[:2]]
    broken += [
        f"coalesce(NOT (TRY_CAST({cell} AS DOUBLE) >= 0"
        f" AND TRY_CAST({cell} AS DOUBLE) < {LARGEST}::DOUBLE), true)"
        for cell in cells[2:]
    ]
    query = (
        f"SELECT file_row_number + 1, {', '.join(cells)} FROM {source(found)}"
        f" WHERE {' OR '.join(broken)} ORDER BY 1 LIMIT {MAX_PROBLEMS}"
    )
    rows = connection.execute(query).fetchall()
    if rows:
        counted = len(cells) == 3
        problems = [
            f"{found.name}, row {row[0]}: {_fault(row[1], row[2], row[3] if counted else 1)}"
            for row in rows
        ]
        raise FormatError(found.name, problems, more=len(problems) == MAX_PROBLEMS)


def _fault(word: Any, context: Any, count: Any) -> str | None:
    """What is wrong with a row, if anything is."""
    for role, value in (("word", word), ("context", context)):
        if value is None or value == "":
            return f"the {role} is empty; expected text"
        if isinstance(value, dict | list):
            return f"the {role} is {json.dumps(value)!r:.60}; expected text or a number"
    try:
        number = float(count) if str(count).isascii() else math.nan
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(count, bool) or not 0 <= number < LARGEST:
        shown = "missing" if count in (None, "") else repr(count)
        return f"the count is {shown}; expected a number from 0 to below 2^62"
    return None


def _rows(found: Layout) -> Iterator[tuple[int, tuple[Any, Any, Any] | str]]:
    rows = iter(_cells(found))
    if found.header:
        next(rows, None)
    for number, cells in rows:
        if isinstance(cells, str):
            yield number, cells
        elif len(cells) != len(found.names):
            expected = f"expected {len(found.names)} as in the first line"
            yield number, f"{len(cells)} columns; {expected}"
        else:
            count = 1 if found.count is None else cells[found.count]
            yield number, (cells[found.word], cells[found.context], count)


def _cells(found: Layout) -> Iterator[tuple[int, list[str] | str]]:
    if found.format == "tsv":
        for number, text in lines(found):
            if text:
                yield number, text.split("\t")
        return
    reader = csv.reader(
        (f"{text}\n" for _, text in lines(found)), delimiter=found.delimiter, strict=True
    )
    number = 1
    try:
        for cells in reader:
            if cells:
                yield number, cells
            number = reader.line_num + 1
    except csv.Error as error:
        yield number, f"{error}; expected comma-separated cells, quotes in pairs"


def _records(found: Layout) -> Iterator[tuple[int, tuple[Any, Any, Any] | str]]:
    for number, text in lines(found):
        if not text.strip():
            continue
        try:
            record = json.loads(text)
        except ValueError as error:
            yield number, f"not JSON ({error}); expected an object"
            continue
        if not isinstance(record, dict):
            yield number, f"found {text!r:.60}; expected an object"
            continue
        count = 1 if found.count is None else record.get(found.names[found.count])
        cells = [record.get(found.names[at]) for at in (found.word, found.context)]
        yield number, (cells[0], cells[1], count)
