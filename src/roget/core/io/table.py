"""How a file of pairs is laid out: format, header, and where word, context and count stand."""

from __future__ import annotations

import csv
import glob
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from roget.core.io.duck import parquet, quoted
from roget.core.io.lines import COMPRESSED, lines
from roget.errors import InputError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FORMATS = {
    ".tsv": "tsv",
    ".tab": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Formats by suffix; ".gz" or ".zst" may follow that of a text."""

COUNT_NAMES = ("count", "n", "frequency", "weight")

Columns: TypeAlias = Sequence[str | int] | None

LARGEST = 2**62
"""Counts must be smaller, so that sums of them can be told from overflow."""

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_WHOLE = (*_INTEGERS, *(f"U{kind}" for kind in _INTEGERS))
_NUMBERS = (*_WHOLE, "FLOAT", "DOUBLE", "DECIMAL")
_NESTED = ("STRUCT", "MAP", "UNION", "VARIANT")


@dataclass(frozen=True)
class Layout:
    """How a file's rows are laid out, and where in them the pair stands."""

    path: str
    name: str
    """What messages call the file."""
    format: str
    names: tuple[str, ...]
    """Its columns: numbers from 1 where there is no header."""
    header: bool = False
    delimiter: str = "\t"
    types: tuple[str, ...] = ()
    """Of a Parquet file's columns."""
    word: int = 0
    context: int = 1
    count: int | None = None

    @property
    def whole(self) -> bool:
        """Whether the counts' type alone says that they are whole numbers."""
        return bool(self.types) and self.count is not None and self.types[self.count] in _WHOLE


def layout(
    connection: DuckDBPyConnection,
    path: str | os.PathLike[str],
    columns: Columns = None,
    *,
    format: str | None = None,
    name: str | None = None,
) -> Layout:
    """A file's layout, from its first rows and the columns asked for."""
    path = os.fspath(path)
    name = name or path
    if columns is not None and len(columns) not in (2, 3):
        given = ",".join(map(str, columns))
        raise InputError(f"columns {given!r}: expected two or three, word,context[,count]")
    if not os.path.isfile(path):
        raise InputError(f"{name}: no such file")
    format = format or _format_of(path)
    if not os.path.getsize(path):
        raise InputError(f"{name}: the file is empty; expected rows of word, context[, count]")
    look = {"parquet": _parquet, "jsonl": _jsonl}.get(format, _delimited)
    return look(connection, Layout(path, name, format, ()), columns)


def source(found: Layout) -> str:
    """The SQL table function that reads the file; cells of TSV and CSV are c0, c1, …"""
    if found.format == "parquet":
        return parquet(found.path, numbered=True)
    path = quoted(glob.escape(found.path))
    if found.format == "jsonl":
        places = dict.fromkeys(
            at for at in (found.word, found.context, found.count) if at is not None
        )
        types = ", ".join(f"{quoted(found.names[at])}: 'JSON'" for at in places)
        return (
            f"read_json({path}, format='newline_delimited', columns={{{types}}},"
            " hive_partitioning=false)"
        )
    types = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(len(found.names)))
    quotes = "quote='\"', escape='\"'" if found.format == "csv" else "quote='', escape=''"
    return (
        f"read_csv({path}, auto_detect=false, delim={quoted(found.delimiter)}, {quotes},"
        f" header={found.header}, columns={{{types}}}, nullstr='', comment='',"
        " hive_partitioning=false)"
    )


def is_number(value: object) -> bool:
    """Whether a cell can be a count: ASCII digits, as the database reads them."""
    try:
        return str(value).isascii() and float(str(value)) == float(str(value))
    except ValueError:
        return False


def _format_of(path: str) -> str:
    base, suffix = os.path.splitext(path.lower())
    if suffix in COMPRESSED:
        suffix = os.path.splitext(base)[1]
    if suffix not in FORMATS:
        raise InputError(f"{path}: not known as a table; expected one of {', '.join(FORMATS)}")
    return FORMATS[suffix]


def _parquet(connection: DuckDBPyConnection, found: Layout, columns: Columns) -> Layout:
    rows = connection.execute(f"DESCRIBE SELECT * FROM {source(found)}").fetchall()[:-1]
    found = replace(
        found,
        names=tuple(str(row[0]) for row in rows),
        types=tuple(str(row[1]) for row in rows),
        header=True,
    )
    numeric = len(rows) > 2 and found.types[2].partition("(")[0] in _NUMBERS
    placed = _place(found, columns, numeric=numeric)
    for role, at in (("word", placed.word), ("context", placed.context), ("count", placed.count)):
        kind = "" if at is None else found.types[at]
        wrong = role == "count" and kind in ("BOOLEAN", "BLOB")
        if wrong or kind.endswith("]") or kind.startswith(_NESTED):
            raise InputError(
                f"{found.name}: the {role} column {found.names[at or 0]!r} is of type {kind}; "
                f"expected {'a number' if role == 'count' else 'one text or number'} per row"
            )
    return placed


def _jsonl(connection: DuckDBPyConnection, found: Layout, columns: Columns) -> Layout:
    line, text = next(((at, text) for at, text in lines(found) if text.strip()), (1, ""))
    try:
        record = json.loads(text)
    except ValueError as error:
        raise InputError(f"{found.name}:{line}: not JSON ({error}); expected an object") from None
    if not isinstance(record, dict):
        raise InputError(f"{found.name}:{line}: found {text!r:.60}; expected one object per line")
    values = list(record.values())
    found = replace(found, names=tuple(record), header=True)
    return _place(found, columns, numeric=len(values) > 2 and is_number(values[2]))


def _delimited(connection: DuckDBPyConnection, found: Layout, columns: Columns) -> Layout:
    found, first, second = _first_rows(found)
    by_name = any(str(at) in first for at in columns or () if _number(at) is None)
    header = by_name or {"word", "context"} <= {cell.strip().lower() for cell in first}
    if not header and len(second) == len(first):
        # Where counts begin only with the second row, the first one holds names.
        at = 2 if columns is None else _number(columns[2]) if len(columns) == 3 else None
        if at is not None and at < len(first):
            header = is_number(second[at]) and not is_number(first[at])
    names = first if header else [str(at + 1) for at in range(len(first))]
    sample = second if header else first
    found = replace(found, names=tuple(names), header=header)
    return _place(found, columns, numeric=len(sample) > 2 and is_number(sample[2]))


def _first_rows(found: Layout) -> tuple[Layout, list[str], list[str]]:
    """The cells of the first two rows that are not blank, and by what they are parted."""
    texts = (text for _, text in lines(found) if text.strip())
    first = next(texts, "")
    if not first:
        raise InputError(f"{found.name}: only blank lines; expected rows of word, context[, count]")
    if found.format == "tsv":
        if "\t" not in first:
            hint = "; a comma-separated file is named .csv" if "," in first else ""
            raise InputError(
                f"{found.name}:1: no tab in {first!r:.60}; expected word, a tab and context{hint}"
            )
        return found, first.split("\t"), next(texts, "").split("\t")
    mark = ";" if "," not in first and ";" in first else ","
    rows = csv.reader((f"{text}\n" for text in chain([first], texts)), delimiter=mark, strict=True)
    cells: list[list[str]] = [[], []]
    # If a quote is never closed, reading the rows will tell where.
    with suppress(csv.Error, StopIteration):
        cells[0] = next(rows)
        cells[1] = next(rows)
    if not cells[0]:
        raise InputError(f"{found.name}:1: a quote is opened and never closed")
    return replace(found, delimiter=mark), cells[0], cells[1]


def _place(found: Layout, columns: Columns, *, numeric: bool) -> Layout:
    """The layout with its three columns; `numeric` tells whether the third could be the count."""
    names = found.names
    if columns is not None:
        places = [_find(found, column) for column in columns]
        count = places[2] if len(places) == 3 else None
        return replace(found, word=places[0], context=places[1], count=count)
    known = {text.strip().lower(): at for at, text in reversed(list(enumerate(names)))}
    if found.header and "word" in known and "context" in known:
        count = next((known[text] for text in COUNT_NAMES if text in known), None)
        return replace(found, word=known["word"], context=known["context"], count=count)
    if len(names) < 2:
        raise InputError(f"{found.name}: one column only; expected word and context")
    return replace(found, count=2 if numeric else None)


def _find(found: Layout, column: str | int) -> int:
    text, names = str(column), list(found.names)
    if text in names:
        return names.index(text)
    at = _number(column)
    if at is not None and at < len(names):
        return at
    near = get_close_matches(text, names, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? " if near else ""
    has = f"has the columns {', '.join(names)}" if found.header else f"has {len(names)} columns"
    raise InputError(f"{found.name}: no column {text!r}; {hint}the file {has}")


def _number(column: str | int) -> int | None:
    text = str(column)
    return int(text) - 1 if text.isascii() and text.isdecimal() and int(text) else None
