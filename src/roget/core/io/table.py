"""Read tables, detecting their format, delimiter, header and column roles.

A role is the meaning of a column, such as word or count. `Roles` lists the roles of a kind of
table. Roles are assigned by the first source that applies: the caller's `columns`, the header, the
file name (verb_object.tsv), or the position, if there are no more columns than roles. If the roles
remain unclear, the error suggests a value for --columns.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn, TypeAlias

from roget.core.io.header import SAMPLE, detect_header
from roget.core.io.limits import IN_MEMORY, ON_DISK, require_room, show_size, stored_size
from roget.core.io.problems import Problems, plural
from roget.core.io.source import FORMATS, Source, source_of
from roget.core.io.values import parse_json, whole_number
from roget.errors import FormatError, InputError, Notice, UnknownName

Columns: TypeAlias = str | Sequence[str | int] | Mapping[str, str | int] | None
"""The columns chosen by the user: ROLE=COLUMN pairs, or columns in the order of the roles.

A column is specified by its name or its number, counted from 1.
"""

Requested: TypeAlias = Mapping[str, Any] | None
"""Map from roles to the columns specified by the caller, or None if nothing was specified."""

HEAD = 1 << 16
"""Number of bytes to read at once if only the first lines are needed."""

BLANKS = " "
"""Special delimiter that means any number of spaces and tabs."""
_BLANKS = re.compile(r"[ \t]+")
_QUOTED = re.compile(r'"[^"]*"')

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
WHOLE_TYPES = (*_INTEGERS, *(f"U{kind}" for kind in _INTEGERS))
_NUMBERS = (*WHOLE_TYPES, "FLOAT", "DOUBLE", "DECIMAL")
_NESTED = ("STRUCT", "MAP", "UNION", "VARIANT")


@dataclass(frozen=True)
class Roles:
    """The roles of columns in one type of table, with the usual column names for each role."""

    needed: Mapping[str, tuple[str, ...]]
    """Required roles. In a table without a header, they are assigned to the columns in this order.
    """
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    number: str = ""
    """The role of the numeric column, which is the last column of a table without a header."""
    by_option: bool = True
    """True if the command has the option --columns."""
    column_words: Collection[str] = ()
    """Words that identify a header even if its column names are unknown.

    See the module `header`.
    """
    blanks: bool = False
    """True if the cells of a file without tabs may be separated by spaces."""
    has_header_option: bool = False
    """True if the command has the options --header and --no-header."""
    all: Mapping[str, tuple[str, ...]] = field(init=False)
    """Map from all roles to their usual column names."""

    def __post_init__(self) -> None:
        vars(self).update(all={**self.needed, **self.others})

    @property
    def order(self) -> tuple[str, ...]:
        """The roles that can be specified by position."""
        return (*self.needed, *([self.number] if self.number else []))

    @property
    def shown(self) -> str:
        """The columns as shown in messages, e.g. "word, context[, count]"."""
        return ", ".join(self.needed) + (f"[, {self.number}]" if self.number else "")

    def find(self, names: Sequence[str]) -> dict[str, list[int]]:
        """Return, for each role, the columns whose names may denote this role.

        A column with exactly the name of the role is the only candidate.
        """
        plain = [name.strip().lower() for name in names]
        found = {}
        for role, known in self.all.items():
            ranking = {name: rank for rank, name in enumerate((role, *known))}
            ranks = {
                at: ranking[one]
                for at, name in enumerate(plain)
                for one in dict.fromkeys((name, name.removesuffix("s")))
                if one in ranking
            }
            best = min(ranks, key=lambda at: (ranks[at], plain[at] != role), default=None)
            if best is not None:
                exact = role == self.number or plain[best] == role
                found[role] = [best] if exact else list(ranks)
        return found

    def parse(self, columns: Columns) -> dict[str, Any] | None:
        """Return a map from roles to the specified columns, or None if none were specified."""
        return parse_columns(columns, self)

    def is_header(self, first: Sequence[str]) -> bool:
        """Return True if a row contains column names for all required roles and no numbers."""
        return self.needed.keys() <= self.find(first).keys() and not any(map(is_number, first))

    def cannot_be_data(
        self, first: Sequence[str], second: Sequence[str], columns: Requested
    ) -> bool:
        """Return True if the numeric column contains text in row 1 and a number in row 2."""
        later = [at for at, cell in enumerate(second) if is_number(cell)]
        if len(second) != len(first) or not self.number:
            return False
        if columns is not None:
            at = _number(str(columns.get(self.number, "")))
            return at in later and at is not None and not is_number(first[at])
        expected = (*range(len(self.needed), len(first)), *self.find(first).get(self.number, ()))
        return not any(map(is_number, first)) and any(at in later for at in expected)

    def place(
        self,
        table: Table,
        columns: Requested,
        numeric: Sequence[int] = (),
        transpose: bool | None = None,
    ) -> Table:
        """Assign a column to each role, and return the table.

        `numeric` lists the numeric columns.
        """
        return _place(table, columns, self, numeric, transpose)


TEXT_COLUMNS = ("text", "content", "body", "sentence")
"""Names of columns that contain whole texts."""

LONG = 200
"""Minimum number of characters for a value to be a text rather than a word or a context."""

PAIRS = Roles(
    {
        "word": (
            "noun", "lemma", "object", "obj", "subject", "subj", "argument", "dependent",
            "user", "row", "source",
        ),
        "context": (
            "verb", "head", "predicate", "governor", "adjective",
            "item", "feature", "column", "target",
        ),
    },
    {
        "slot": ("relation", "rel", "deprel", "preposition", "prep"),
        "count": ("n", "freq", "frequency", "weight", "f"),
    },
    number="count",
)  # fmt: skip
"""Column roles in tables of (word, context) pairs.

If a table has a slot column, the full name of a context is slot:context, as for parsed text.
"""


@dataclass(frozen=True)
class Table:
    """An inspected table: its file, its layout and the roles of its columns."""

    name: str
    """The name of the file, for messages."""
    path: str
    """The path of a plain UTF-8 file with the content of the table."""
    source: Source | None = field(default=None, kw_only=True)
    """The source, if its file is kept open."""
    more: tuple[str, ...] = field(default=(), kw_only=True)
    """Paths of further files with the same layout. SQL queries also read their rows."""
    format: str
    names: tuple[str, ...] = ()
    """Names of the columns. Without a header, the names are the numbers 1, 2, …."""
    header: bool = False
    delimiter: str = "\t"
    types: tuple[str, ...] = ()
    """SQL types of the columns of a Parquet file."""
    places: Mapping[str, int] = field(default_factory=dict)
    """Map from each role to the index of its column (from 0)."""
    note: str = ""
    """A note for the user about inferred columns."""
    first: tuple[str, ...] = field(default=(), kw_only=True)
    """The cells of the first row of a text file, which may be a header or data."""

    @property
    def sql(self) -> str:
        """An SQL expression that reads the file.

        The columns of TSV and CSV files are named c0, c1, ….
        """
        from roget.core.io.duck import list_files, parquet, quoted

        if self.format == "parquet":
            return parquet(self.path, *self.more, numbered=True)
        files = list_files((self.path, *self.more))
        if self.format == "jsonl":
            used = dict.fromkeys(self.names[at] for at in self.places.values())
            types = ", ".join(f"{quoted(name)}: 'JSON'" for name in used)
            return (
                f"read_json({files}, format='newline_delimited', columns={{{types}}},"
                " hive_partitioning=false)"
            )
        types = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(len(self.names)))
        quotes = "quote='\"', escape='\"'" if self.format == "csv" else "quote='', escape=''"
        return (
            f"read_csv({files}, auto_detect=false, delim={quoted(self.delimiter)}, {quotes},"
            f" header={self.header}, columns={{{types}}}, nullstr='', comment='',"
            " hive_partitioning=false)"
        )

    def cell(self, role: str, *, text: bool = True) -> str:
        """Return an SQL expression for the column of a role, as text or in its original type."""
        from roget.core.io.duck import quoted

        at = self.places[role]
        cell = quoted(self.names[at], '"')
        if self.format == "jsonl":
            plain = f"json_type({cell}) NOT IN ('OBJECT', 'ARRAY', 'NULL')"
            # Python's json module writes missing numbers as NaN without quotes.
            plain += f" AND CAST({cell} AS VARCHAR) <> 'NaN'"
            return f"CASE WHEN {plain} THEN {cell} ->> '$' END"
        if self.format == "parquet":
            if not text:
                return cell
            if self.types[at] == "BLOB":
                return f"decode({cell})"
            if self.types[at] in ("FLOAT", "DOUBLE"):
                # In a column of names, NaN means that the name is missing.
                cell = f"nullif({cell}, 'NaN'::{self.types[at]})"
            return f"CAST({cell} AS VARCHAR)"
        return f"c{at}"

    def place(self, number: int) -> str:
        """Return the location of a row for messages, e.g. file.tsv:3."""
        return f"{self.name}, row {number}" if self.format == "parquet" else f"{self.name}:{number}"

    def lines(self, size: int | None = None) -> Iterator[tuple[int, str]]:
        """Yield the numbered lines of a text file, reading `size` bytes at once."""
        return (self.source or Source(self.path)).lines(self.name, size)

    def texts(
        self, *, pad: bool = False
    ) -> Iterator[tuple[dict[str, str], str, Callable[[str], None]]]:
        """Yield tuples (row, location, report) for all non-blank rows.

        The row is a map from roles to strings. `report` is a callback that reports a problem in it.

        After the last row, the reported problems are raised as one error.
        """
        problems = Problems(self.name)
        for number, cells in self.rows(problems, pad=pad):
            texts = {role: str(cell or "").strip() for role, cell in cells.items()}
            if any(texts.values()):
                place = self.place(number)
                yield texts, place, partial(problems.add, number, place=place)
        problems.check()

    def rows(
        self, problems: Problems, *, pad: bool = False
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the number of each row and a map from roles to cells.

        Add invalid rows to `problems`.

        With `pad`, missing cells at the end of a row are treated as empty.
        """
        for number, cells in self.whole_rows(problems, pad=pad):
            yield number, {role: cells[at] for role, at in self.places.items()}

    def whole_rows(
        self, problems: Problems, *, pad: bool = False
    ) -> Iterator[tuple[int, Sequence[Any]]]:
        """Yield the number and all cells of each row. Add rows of a different width to `problems`.

        A blank line is skipped, except in a table with one column, where it is an empty cell.
        """
        width = len(self.names)
        for number, cells in self.cells():
            if isinstance(cells, str):
                problems.add(number, cells, self.place(number))
            elif len(cells) == width:
                yield number, cells
            elif pad and len(cells) < width and any(cells):
                yield number, [*cells, *[""] * (width - len(cells))]
            elif width == 1 and not cells:
                yield number, [""]
            elif len(cells) > 1 or any(str(cell).strip() for cell in cells):
                text = (
                    f"found {plural(len(cells), 'field')}; expected {width}, as in the first line"
                )
                problems.add(number, text, self.place(number))

    def cells(self) -> Iterator[tuple[int, Sequence[Any] | str]]:
        """Yield the number of each row and its cells, or an error message if the row is invalid."""
        if self.format == "parquet":
            return self._parquet_rows()
        if self.format == "jsonl":
            return self._records()
        if self.format == "csv":
            rows = self._split_quoted()
        elif self.delimiter == BLANKS:
            rows = ((number, split_blanks(text)) for number, text in self.lines())
        else:
            rows = ((number, text.split(self.delimiter)) for number, text in self.lines())
        if self.header:
            next((row for row in rows if any(map(str.strip, row[1]))), None)
        return rows

    def _split_quoted(self) -> Iterator[tuple[int, Sequence[Any] | str]]:
        texts = (f"{text}\n" for _, text in self.lines())
        reader = csv.reader(texts, delimiter=self.delimiter, strict=True)
        number = 1
        try:
            for cells in reader:
                yield number, cells
                number = reader.line_num + 1
        except csv.Error as error:
            yield number, f"{error}; expected comma-separated cells with balanced quotes"

    def _records(self) -> Iterator[tuple[int, Sequence[Any] | str]]:
        for number, text in self.lines():
            if text.strip():
                try:
                    record = parse_json(text)
                except ValueError as error:
                    yield number, f"not JSON ({error}); expected an object"
                    continue
                if isinstance(record, dict):
                    yield number, [record.get(name) for name in self.names]
                else:
                    yield number, f"found {text!r:.60}; expected an object"

    def _parquet_rows(self) -> Iterator[tuple[int, Sequence[Any] | str]]:
        from roget.core.io.duck import convert_errors, database, fetch

        with database() as connection, convert_errors(self.name):
            query = f"SELECT * EXCLUDE (file_row_number) FROM {self.sql}"
            yield from enumerate(fetch(connection, query), 1)


@contextmanager
def open_table(
    given: Source | str | os.PathLike[str],
    columns: Columns = None,
    *,
    roles: Roles = PAIRS,
    guess: bool = False,
    transpose: bool | None = None,
    folder: Path | None = None,
) -> Iterator[Table]:
    """Inspect the first rows of a table and assign roles to its columns.

    The format is determined by the suffix or, if the suffix is unknown and `guess` is True, by the
    first bytes. Inputs that DuckDB cannot read (compressed, not UTF-8, standard input) are copied
    to `folder`, or to a temporary folder, until the end of the block. `transpose` is explained in
    `roget.count`. With None, words and contexts are inferred from the header or the file name.
    """
    source = given if isinstance(given, Source) else source_of(os.fspath(given))
    # The table is never held in memory. DuckDB reads it from disk, or it is read row by row.
    source.expansion = ON_DISK
    requested = roles.parse(columns)
    with plain_file(source, folder) as path:
        if not os.path.getsize(path):
            raise InputError(
                f"{source.name}: the file is empty; expected rows of {roles.shown}",
                code="empty-input",
            )
        format = FORMATS.get(source.suffix)
        if format is None and guess:
            with open(path, "rb") as file:
                format = guess_format(file.read(1 << 16))
        if format is None:
            known = ", ".join(FORMATS)
            raise InputError(
                f"{source.name}: unknown table format; expected one of {known}",
                code="unsupported-format",
            )
        yield inspect_table(Table(source.name, path, format), roles, requested, transpose=transpose)


def inspect_table(
    table: Table,
    roles: Roles,
    columns: Requested = None,
    *,
    transpose: bool | None = None,
    held: bool = False,
) -> Table:
    """Detect the delimiter, header, column names and column roles, and return the completed table.

    `held` means that all rows will be loaded into
    memory, for which the size limit is lower.
    """
    if table.format == "parquet":
        table = inspect_parquet(table, held=held)
        kinds = [kind.partition("(")[0] for kind in table.types]
        numeric = [at for at, kind in enumerate(kinds) if kind in _NUMBERS]
    elif table.format == "jsonl":
        table, numeric = _inspect_json(table)
    else:
        table, numeric = inspect_text(table, roles, columns)
    if roles is PAIRS and columns is None and not PAIRS.needed.keys() <= {*table.names}:
        _refuse_texts(table)
    table = roles.place(table, columns, numeric, transpose)
    if table.types:
        check_types(table, roles.number)
    return table


def split_columns(columns: Columns) -> tuple[str, ...]:
    """Convert columns, given as a string, a list or a mapping, to a tuple of strings.

    >>> split_columns("noun,verb"), split_columns({"word": 2, "context": 1})
    (('noun', 'verb'), ('word=2', 'context=1'))
    """
    if isinstance(columns, Mapping):
        return tuple(f"{role}={column}" for role, column in columns.items())
    listed = columns.split(",") if isinstance(columns, str) else columns or ()
    return tuple(str(column).strip() for column in listed)


def pair_columns(columns: Columns) -> dict[str, str]:
    """Parse ROLE=COLUMN pairs and return a map from roles to columns."""
    pairs = [text.partition("=") for text in split_columns(columns)]
    wrong = next((role for role, equals, _ in pairs if not equals), None)
    if wrong is not None:
        raise InputError(
            f"--columns {wrong!r}: expected ROLE=COLUMN, e.g. label=topic", code="invalid-option"
        )
    named: dict[str, str] = {}
    for role, _, column in pairs:
        if named.setdefault(role.strip(), column.strip()) != column.strip():
            raise InputError(
                f"--columns: {role.strip()} has two columns, {named[role.strip()]} and "
                f"{column.strip()}; pass one of them, or for several columns of labels label=a+b",
                code="invalid-option",
            )
    return named


def parse_columns(columns: Columns, roles: Roles = PAIRS) -> dict[str, str] | None:
    """Parse the columns chosen by the user and return a map from roles to columns.

    >>> parse_columns("2,1,3"), parse_columns("context=verb,word=noun")
    ({'word': '2', 'context': '1', 'count': '3'}, {'context': 'verb', 'word': 'noun'})
    """
    if columns is None:
        return None
    texts = split_columns(columns)
    shown = ",".join(texts)
    if all("=" in text for text in texts):
        named = pair_columns(texts)
        for role in named:
            if role not in roles.all:
                raise UnknownName("column role", role, roles.all)
        lacking = [role for role in roles.needed if role not in named]
        if lacking:
            raise InputError(
                f"columns {shown}: {lacking[0]}=COLUMN is missing",
                code="missing-column",
            )
        return named
    least = len(roles.needed)
    if len(texts) not in (least, len(roles.order)):
        count = "two or three" if roles is PAIRS else f"{least}"
        raise InputError(
            f"columns {shown!r}: expected {count} columns ({roles.shown}), or ROLE=COLUMN pairs",
            code="invalid-option",
        )
    return dict(zip(roles.order, texts, strict=False))


def split_blanks(text: str) -> list[str]:
    """Split a line at spaces and tabs. Treat other white space as part of a cell.

    >>> split_blanks(" d1  new\u00a0york\t")
    ['d1', 'new\xa0york']
    """
    return [cell for cell in _BLANKS.split(text) if cell]


def is_number(value: object) -> bool:
    """Return True if a cell is a number in ASCII characters, so that DuckDB can parse it."""
    try:
        return str(value).isascii() and float(str(value)) == float(str(value))
    except ValueError:
        return False


def guess_format(head: bytes) -> str:
    """Infer the format of a table from its first bytes.

    >>> guess_format(b'{"word": 1}'), guess_format(b"milk,drink"), guess_format(b"a, b\\tc")
    ('jsonl', 'csv', 'tsv')
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.lstrip().startswith(b"{"):
        return "jsonl"
    line = head.lstrip(b"\r\n").partition(b"\n")[0]
    return "csv" if b"\t" not in line and (b"," in line or b";" in line) else "tsv"


@contextmanager
def plain_file(source: Source, folder: Path | None = None) -> Iterator[str]:
    """Provide the path of a plain UTF-8 file: the file itself, or a decompressed copy."""
    if source.is_plain:
        yield source.path
        return
    with TemporaryDirectory(prefix="roget.", dir=folder) as made:
        copy = os.path.join(made, "table")
        with open(copy, "wb") as file:
            for block in source.blocks():
                file.write(block.data)
        yield copy


def inspect_parquet(table: Table, *, held: bool = False) -> Table:
    """Return a table with the column names and types read from a Parquet file.

    `held` means that all rows will be loaded into memory, for which the size limit is lower.
    """
    from roget.core.io.duck import convert_errors, database, measure_parquet

    with database() as connection, convert_errors(table.name):
        count, size = measure_parquet(connection, table.path)
        what = f"a table of {count:,} rows, {show_size(size)} in memory"
        expansion = IN_MEMORY if held else ON_DISK
        require_room(table.name, size, stored_size(table.path), what, expansion)
        rows = connection.execute(f"DESCRIBE SELECT * FROM {table.sql}").fetchall()[:-1]
    names, types = zip(*((str(row[0]), str(row[1])) for row in rows), strict=True)
    return replace(table, names=names, types=types, header=True)


def _inspect_json(table: Table) -> tuple[Table, list[int]]:
    line, text = next(((at, text) for at, text in table.lines() if text.strip()), (1, ""))
    try:
        record = parse_json(text)
    except ValueError as error:
        raise InputError(
            f"{table.name}:{line}: not JSON ({error}); expected an object", code="broken-lines"
        ) from None
    if not isinstance(record, dict):
        raise InputError(
            f"{table.name}:{line}: found {text!r:.60}; expected one object per line",
            code="broken-lines",
        )
    numeric = [at for at, value in enumerate(record.values()) if is_number(value)]
    return replace(table, names=tuple(record), header=True), numeric


def inspect_text(
    table: Table, roles: Roles, columns: Requested = None, header: bool | None = None
) -> tuple[Table, list[int]]:
    """Detect the delimiter, header and names of a text table.

    Return the table and the indices of its numeric columns.
    """
    texts = ((line, text) for line, text in table.lines(HEAD) if text.strip())
    line, top = next(texts, (1, ""))
    if not top:
        raise InputError(
            f"{table.name}: all lines are blank; expected rows of {roles.shown}", code="empty-input"
        )
    table = replace(table, delimiter=detect_delimiter(table, line, top, roles))
    sample = islice(chain([(line, top)], texts), SAMPLE)
    first, *rest = _split_sample(table, [f"{text}\n" for _, text in sample])
    if header is None:
        # The first row is a header if the caller specified columns by name, if it contains known
        # column names, or if it differs from the other rows like a typical header.
        second = rest[0] if rest else ()
        named = any(whole_number(str(column)) is None for column in (columns or {}).values())
        if named or roles.is_header(first) or roles.cannot_be_data(first, second, columns):
            header = True
        else:
            header = False if columns else detect_header(first, rest, roles.column_words)
    if header is None and roles.has_header_option:
        raise InputError(
            f"{table.name}:{line}: {', '.join(first)!r} may be a header or a row of data; pass "
            "--header or --no-header",
            code="ambiguous-header",
        )
    names = first if header else [str(at + 1) for at in range(len(first))]
    typed = rest[0] if header and rest else [] if header else first
    numeric = [at for at, cell in enumerate(typed) if is_number(cell)]
    return replace(table, names=tuple(names), header=bool(header), first=tuple(first)), numeric


def _split_sample(table: Table, lines: list[str]) -> list[list[str]]:
    """Split the first lines into cells and strip them. Skip incomplete rows."""
    if table.format != "csv":
        texts = (line.rstrip("\n") for line in lines)
        if table.delimiter == BLANKS:
            return [[cell.strip() for cell in split_blanks(text)] for text in texts]
        return [[cell.strip() for cell in text.split(table.delimiter)] for text in texts]
    rows: list[list[str]] = []
    # The sample may end inside a quoted cell, so ignore errors. They are reported when the rows are
    # read.
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=table.delimiter, strict=True):
            rows.append([cell.strip() for cell in row])
    if not rows:
        raise FormatError(table.name, [f"{table.name}:1: a quoted cell has no closing quote"])
    return rows


_DELIMITERS = {",": ("commas", "csv"), ";": ("semicolons", "csv")}


def detect_delimiter(table: Table, line: int, first: str, roles: Roles) -> str:
    """Return the delimiter of the first line. Raise an error if it belongs to another format."""
    if table.format == "csv":
        bare = _QUOTED.sub("", first)
        if ";" in bare and "," in bare:
            # If a line contains semicolons and commas, use semicolons only if they yield known
            # column names and commas do not.
            names = first.replace('"', "")
            semicolons = roles.is_header(names.split(";")) and not roles.is_header(names.split(","))
            return ";" if semicolons else ","
        if "," in bare or ";" not in bare:
            return "\t" if "," not in bare and "\t" in bare else ","
        return ";"
    if "\t" in first:
        return "\t"
    if not roles.blanks:
        if len(roles.needed) > 1:
            _refuse_lines(table, roles)
        return "\t"
    cells = first.split()
    # In "d1, x", the delimiter is the comma instead of the space. A cell may also be a single
    # comma.
    if len(cells) < 2 or any(len(cell) > 1 and cell[-1] in ",;" for cell in cells[:-1]):
        for mark in (",", ";"):
            if mark in first:
                refuse_delimiter(table, line, first, mark)
    return BLANKS if len(cells) > 1 else "\t"


def refuse_delimiter(table: Table, line: int, first: str, mark: str) -> NoReturn:
    """Raise an error that reports the delimiter of another format in the first line of a file."""
    name, other = _DELIMITERS[mark]
    shown = first.strip() if len(first) <= 40 else f"{first.strip()[:40]}…"
    text = (
        f"{table.name}:{line}: expected columns separated by tabs, found {name} in "
        f"{shown!r}; pass --labels {other}, or --labels lines if each "
        "line is one label"
    )
    raise FormatError(table.name, [Notice(text, code="unsupported-format")])


def _refuse_lines(table: Table, roles: Roles) -> None:
    """Raise an error that lists the lines of a TSV file with the wrong number of tabs."""
    problems = Problems(table.name)
    one, other = [*roles.needed][:2]
    for number, text in table.lines():
        width = text.count("\t") + 1
        if text.strip() and (width < 2 or (width > 2 and not roles.others)):
            hint = "; a comma-separated file needs the suffix .csv" if "," in text else ""
            what = "no tab" if width < 2 else f"{width - 1} tabs"
            problems.add(number, f"{what} in {text!r:.60}; expected {one}, a tab and {other}{hint}")
    problems.check()


def check_types(table: Table, number: str = "") -> None:
    """Raise an error if a Parquet column with a role contains neither text nor numbers."""
    for role, at in table.places.items():
        kind, counted = table.types[at], role == number
        wrong = counted and kind in ("BOOLEAN", "BLOB")
        if wrong or kind.endswith("]") or kind.startswith(_NESTED):
            raise InputError(
                f"{table.name}: the {role} column {table.names[at]!r} has the type {kind}; "
                f"expected {'a number' if counted else 'one string or number'} per row",
                code="broken-lines",
            )


def _place(
    table: Table, columns: Requested, roles: Roles, numeric: Sequence[int], transpose: bool | None
) -> Table:
    """Assign a column to each role, and return the table. `numeric` lists the numeric columns."""
    if columns is not None:
        places = {role: _find(table, column) for role, column in columns.items()}
        return replace(table, places=_swap(places) if transpose else places)
    if len(table.names) < len(roles.needed):
        raise InputError(
            f"{table.name} has only one column; expected {' and '.join(roles.needed)}",
            code="missing-column",
        )
    names = table.names if table.header else _names_in(table, roles, numeric)
    found = roles.find(names)
    own = {role for role in roles.needed if role in [name.strip().lower() for name in names]}
    sure = own == roles.needed.keys()
    if all(len(found.get(role, ())) == 1 for role in roles.needed):
        places = {role: at[0] for role, at in found.items() if len(at) == 1}
        if roles.number and roles.number not in places and not sure:
            places |= _last_number(table, roles, numeric, places)
    else:
        places = dict(zip(roles.needed, range(len(roles.needed)), strict=True))
        places |= _last_number(table, roles, numeric, places)
        if len(places) < len(table.names):
            raise InputError(_unclear(table, roles, found, numeric), code="ambiguous-columns")
    note = ""
    if roles is PAIRS and not sure:
        word, context = places["word"], places["context"]
        if transpose is not None and word > context:
            places = _swap(places)  # Assign the roles in the order of the columns.
        elif word > context or "slot" in places:
            note = _note(names, places)
    return replace(table, places=_swap(places) if transpose else places, note=note)


def _refuse_texts(table: Table) -> None:
    """Raise an error if a table contains texts instead of pairs of words and contexts."""
    rows = [row for _, row in islice(table.cells(), 2) if not isinstance(row, str)]
    for row in rows:
        for at, value in enumerate(row[: len(table.names)]):
            # Without a recognised header, "text" in the first row may be an ordinary word rather
            # than a column name.
            first = table.names[at] if table.header else str(rows[0][at])
            named = first.strip().lower() in TEXT_COLUMNS
            size = len(value) if isinstance(value, str) else 0
            if size > LONG or (named and (table.header or len(str(value).split()) > 2)):
                raise InputError(
                    f"{table.name}: the column {table.names[at]} contains texts; expected a table "
                    "of words and contexts. Write the texts to a file, one per line, or to one "
                    ".txt file each, and pass --reader text. If the table does contain words and "
                    "contexts, choose the columns with --columns",
                    code="unsupported-format",
                )


def _swap(places: Mapping[str, int]) -> dict[str, int]:
    return {**places, "word": places["context"], "context": places["word"]}


def _names_in(table: Table, roles: Roles, numeric: Sequence[int]) -> tuple[str, ...]:
    """Infer column names from a file name such as verb_object.tsv, or return the table's names."""
    width = len(table.names)
    if roles.number and width > len(roles.needed) and width - 1 in numeric:
        width -= 1
    words = re.findall(r"[^\W\d_]+", Path(table.name).name.partition(".")[0])[:width]
    whole = sum(map(len, roles.find(words).values())) == width == len(words)
    return tuple(words) if whole else table.names


def _last_number(
    table: Table, roles: Roles, numeric: Sequence[int], places: Mapping[str, int]
) -> dict[str, int]:
    """Return the role and index of the last column if it is the only unassigned one and numeric."""
    last = len(table.names) - 1
    left = last not in places.values() and len(places) == last
    return {roles.number: last} if roles.number and left and last in numeric else {}


def _note(names: Sequence[str], places: Mapping[str, int]) -> str:
    word, context, slot = (places.get(role) for role in ("word", "context", "slot"))
    if slot is None:
        order = ",".join(str(at + 1) for at in sorted(places.values()))
        return (
            f"words are in the column {names[word or 0]}, contexts in {names[context or 0]} "
            f"(to exchange them, pass --columns {order})"
        )
    shown = f"{names[slot]}:{names[context or 0]}"
    return (
        f"words are in the column {names[word or 0]}, contexts are {shown} (to change this, pass "
        "--columns)"
    )


def _unclear(
    table: Table, roles: Roles, found: Mapping[str, Sequence[int]], numeric: Sequence[int]
) -> str:
    """Return a message that the column roles are unclear, with an example of --columns."""
    taken: dict[str, int] = {role: at[0] for role, at in found.items() if at}
    spare = (at for at in range(len(table.names)) if at not in taken.values())
    for role in roles.needed:
        if role not in taken:
            taken[role] = next((at for at in spare if at not in numeric), 0)
    if roles.number and roles.number not in taken and len(table.names) - 1 in numeric:
        taken[roles.number] = len(table.names) - 1
    typed = ",".join(f"{role}={table.names[taken[role]]}" for role in roles.all if role in taken)
    several = next((role for role in roles.needed if len(found.get(role, ())) > 1), None)
    if several is not None:
        candidates = " or ".join(table.names[at] for at in found[several])
        why = f"the {several} column may be {candidates}"
    else:
        why = f"it is not clear which columns are {' and '.join(roles.needed)}"
    width = len(table.names)
    there = f"the columns {', '.join(table.names)}" if table.header else f"{width} columns"
    if not roles.by_option:
        first = f"add a header with the names {', '.join(roles.all)}"
        return f"{table.name} has {there}, and {why}; {first} (required: {', '.join(roles.needed)})"
    return f"{table.name} has {there}, and {why}; choose with --columns, e.g. --columns {typed}"


def _find(table: Table, column: str) -> int:
    names = list(table.names)
    if column in names:
        return names.index(column)
    at = _number(column)
    if at is not None and at < len(names):
        return at
    near = get_close_matches(column, names, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}? " if near else ""
    has = f"has the columns {', '.join(names)}" if table.header else f"has {len(names)} columns"
    raise InputError(
        f"{table.name}: no column {column!r}; {hint}the file {has}", code="missing-column"
    )


def _number(column: str) -> int | None:
    number = whole_number(column)
    return number - 1 if number else None
