"""One reader of tables: format, delimiter, header, columns by role; as rows, or as SQL.

Which column has which role is told, in this order, by the caller, by the header, by the file's
name (verb_object.tsv), or by position, if there are no more columns than roles. Nothing else is
guessed: the error then says which --columns to type.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from roget.core.io.limits import SPOOLED_TIMES, require_room, show_size, weigh
from roget.core.io.problems import Problems
from roget.core.io.source import FORMATS, Source, source_of
from roget.core.io.values import parse_json, whole_number
from roget.errors import InputError, UnknownName

Columns: TypeAlias = str | Sequence[str | int] | Mapping[str, str | int] | None
"""ROLE=COLUMN pairs, or columns in the order of the roles; columns are names or numbers from 1."""

Asked: TypeAlias = Mapping[str, str] | None
"""Role → column, as the caller has it."""

BLANKS = " "
"""The delimiter of cells that are parted by any number of blanks and tabs."""
_BLANKS = re.compile(r"[ \t]+")

_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
WHOLE_TYPES = (*_INTEGERS, *(f"U{kind}" for kind in _INTEGERS))
_NUMBERS = (*WHOLE_TYPES, "FLOAT", "DOUBLE", "DECIMAL")
_NESTED = ("STRUCT", "MAP", "UNION", "VARIANT")


@dataclass(frozen=True)
class Roles:
    """What the columns of a kind of table may be for, and what headers call them."""

    needed: Mapping[str, tuple[str, ...]]
    """In the order of columns that have no names."""
    others: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    number: str = ""
    """The one that holds numbers, and comes last."""
    by_option: bool = True
    """Whether --columns can tell them, where headers do not."""

    @property
    def all(self) -> Mapping[str, tuple[str, ...]]:
        """All roles with their names."""
        return {**self.needed, **self.others}

    @property
    def order(self) -> tuple[str, ...]:
        """Those that can be given without their names."""
        return (*self.needed, *([self.number] if self.number else []))

    @property
    def shown(self) -> str:
        """The columns as messages have them: word, context[, count]."""
        return ", ".join(self.needed) + (f"[, {self.number}]" if self.number else "")

    def find(self, names: Sequence[str]) -> dict[str, list[int]]:
        """The columns that may have each role, by their names; a role's own name is enough."""
        plain = [name.strip().lower() for name in names]
        found = {}
        for role, known in self.all.items():
            called = {name: rank for rank, name in enumerate((role, *known))}
            ranks = {
                at: called[one]
                for at, name in enumerate(plain)
                for one in dict.fromkeys((name, name.removesuffix("s")))
                if one in called
            }
            best = min(ranks, key=lambda at: (ranks[at], plain[at] != role), default=None)
            if best is not None:
                alone = role == self.number or plain[best] == role
                found[role] = [best] if alone else list(ranks)
        return found


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
"""Words in contexts; slot and head together are the context, as relations of text give it."""


@dataclass(frozen=True)
class Table:
    """A table that was looked at: how its rows are laid out, and which columns have which role."""

    name: str
    """What messages call the file."""
    path: str
    """A plain file in UTF-8 with the table's bytes."""
    source: Source | None = field(default=None, kw_only=True)
    """The file, where it is held open."""
    more: tuple[str, ...] = field(default=(), kw_only=True)
    """Other files of the same layout, whose rows follow when it is read as SQL."""
    format: str
    names: tuple[str, ...] = ()
    """Its columns: numbers from 1 where there is no header."""
    header: bool = False
    delimiter: str = "\t"
    types: tuple[str, ...] = ()
    """Of a Parquet file's columns."""
    places: Mapping[str, int] = field(default_factory=dict)
    """Role → column, from 0."""
    note: str = ""
    """What to tell of a choice that was made for the caller."""

    @property
    def sql(self) -> str:
        """The SQL table function that reads the file; cells of TSV and CSV are c0, c1, …"""
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
        """The SQL of a role's cell, as text or as it is."""
        from roget.core.io.duck import quoted

        at = self.places[role]
        cell = quoted(self.names[at], '"')
        if self.format == "jsonl":
            plain = f"json_type({cell}) NOT IN ('OBJECT', 'ARRAY', 'NULL')"
            # Python writes this too; as text it would stand in quotes.
            plain += f" AND CAST({cell} AS VARCHAR) <> 'NaN'"
            return f"CASE WHEN {plain} THEN {cell} ->> '$' END"
        if self.format == "parquet":
            if not text:
                return cell
            if self.types[at] == "BLOB":
                return f"decode({cell})"
            if self.types[at] in ("FLOAT", "DOUBLE"):
                # Not a number is no name either.
                cell = f"nullif({cell}, 'NaN'::{self.types[at]})"
            return f"CAST({cell} AS VARCHAR)"
        return f"c{at}"

    def place(self, number: int) -> str:
        """Where a row is, by its number."""
        return f"{self.name}, row {number}" if self.format == "parquet" else f"{self.name}:{number}"

    def lines(self) -> Iterator[tuple[int, str]]:
        """The lines of a table of text, with their numbers."""
        return (self.source or Source(self.path)).lines(self.name)

    def texts(
        self, *, pad: bool = False
    ) -> Iterator[tuple[dict[str, str], str, Callable[[str], None]]]:
        """The texts of each row that is not blank, by role; its place; and what notes its faults.

        After the last row, all that have faults are named at once.
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
        """Each row's number and its cells by role; rows without them are problems.

        With `pad`, cells that are missing at the end of a row are empty.
        """
        for number, cells in self.cells():
            if isinstance(cells, str):
                problems.add(number, cells, self.place(number))
                continue
            if pad and len(cells) < len(self.names):
                cells = [*cells, *[""] * (len(self.names) - len(cells))]
            if len(cells) == len(self.names):
                yield number, {role: cells[at] for role, at in self.places.items()}
            elif list(cells) not in ([], [""]):
                expected = f"expected {len(self.names)} as in the first line"
                problems.add(number, f"{len(cells)} columns; {expected}", self.place(number))

    def cells(self) -> Iterator[tuple[int, Sequence[Any] | str]]:
        """Each row's number and its cells, or what is wrong with it; blank lines have none."""
        by_format = {
            "parquet": self._parquet_rows,
            "jsonl": self._records,
            "csv": self._split_quoted,
        }
        rows = by_format.get(self.format, self._split_text)()
        if self.header and self.format in ("tsv", "csv"):
            next((row for row in rows if any(map(str.strip, row[1]))), None)
        return rows

    def _split_text(self) -> Iterator[tuple[int, Sequence[Any] | str]]:
        if self.delimiter == BLANKS:
            return ((number, split_blanks(text)) for number, text in self.lines())
        return ((number, text.split(self.delimiter)) for number, text in self.lines())

    def _split_quoted(self) -> Iterator[tuple[int, Sequence[Any] | str]]:
        texts = (f"{text}\n" for _, text in self.lines())
        reader = csv.reader(texts, delimiter=self.delimiter, strict=True)
        number = 1
        try:
            for cells in reader:
                yield number, cells
                number = reader.line_num + 1
        except csv.Error as error:
            yield number, f"{error}; expected comma-separated cells, quotes in pairs"

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
        from roget.core.io.duck import database, fetch, readable

        with database() as connection, readable(self.name):
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
    """Look at a table's first rows, and find the columns of its roles.

    The suffix tells the format, or if that may be a `guess`, the first bytes. What DuckDB cannot
    read (compressed, not in UTF-8, standard input) is copied to the folder, or a temporary one,
    while the block lasts.
    `transpose` as in `roget.count`: None for words and contexts as header or name have them.
    """
    source = given if isinstance(given, Source) else source_of(os.fspath(given))
    # It is read from disk, by DuckDB or row by row.
    source.times = SPOOLED_TIMES
    asked = parse_columns(columns, roles)
    with plain_file(source, folder) as path:
        if not os.path.getsize(path):
            raise InputError(f"{source.name}: the file is empty; expected rows of {roles.shown}")
        format = FORMATS.get(source.suffix)
        if format is None and guess:
            with open(path, "rb") as file:
                format = guess_format(file.read(1 << 16))
        if format is None:
            known = ", ".join(FORMATS)
            raise InputError(f"{source.name}: not known as a table; expected one of {known}")
        look = {"parquet": _look_at_parquet, "jsonl": _look_at_json}.get(format, _look_at_text)
        table, numeric = look(Table(source.name, path, format), asked, roles)
        table = _place(table, asked, roles, numeric, transpose)
        check_types(table, roles.number)
        yield table


def split_columns(columns: Columns) -> tuple[str, ...]:
    """Columns as texts, in either of the two forms in which they may be given.

    >>> split_columns("noun,verb"), split_columns({"word": 2, "context": 1})
    (('noun', 'verb'), ('word=2', 'context=1'))
    """
    if isinstance(columns, Mapping):
        return tuple(f"{role}={column}" for role, column in columns.items())
    listed = columns.split(",") if isinstance(columns, str) else columns or ()
    return tuple(str(column).strip() for column in listed)


def pair_columns(columns: Columns) -> dict[str, str]:
    """Role → column, of ROLE=COLUMN pairs."""
    pairs = [text.partition("=") for text in split_columns(columns)]
    wrong = next((role for role, equals, _ in pairs if not equals), None)
    if wrong is not None:
        raise InputError(f"--columns {wrong!r}: expected ROLE=COLUMN, such as label=topic")
    return {role.strip(): column.strip() for role, _, column in pairs}


def parse_columns(columns: Columns, roles: Roles = PAIRS) -> dict[str, str] | None:
    """Role → column, as the caller has it.

    >>> parse_columns("2,1,3"), parse_columns("context=verb,word=noun")
    ({'word': '2', 'context': '1', 'count': '3'}, {'context': 'verb', 'word': 'noun'})
    """
    if columns is None:
        return None
    texts = split_columns(columns)
    said = ",".join(texts)
    if all("=" in text for text in texts):
        named = pair_columns(texts)
        for role in named:
            if role not in roles.all:
                raise UnknownName("column role", role, roles.all)
        lacking = [role for role in roles.needed if role not in named]
        if lacking:
            raise InputError(f"columns {said}: no {lacking[0]}={lacking[0].upper()} among them")
        return named
    least = len(roles.needed)
    if len(texts) not in (least, len(roles.order)):
        few = "two or three" if roles is PAIRS else f"{least}"
        raise InputError(
            f"columns {said!r}: expected {few}, {roles.shown}, or pairs of ROLE=COLUMN"
        )
    return dict(zip(roles.order, texts, strict=False))


def split_blanks(text: str) -> list[str]:
    """The cells of a line parted by blanks or tabs; other white space is part of a cell.

    >>> split_blanks(" d1  new\u00a0york\t")
    ['d1', 'new\xa0york']
    """
    return [cell for cell in _BLANKS.split(text) if cell]


def is_number(value: object) -> bool:
    """Whether a cell can be a count: ASCII digits, as the database reads them."""
    try:
        return str(value).isascii() and float(str(value)) == float(str(value))
    except ValueError:
        return False


def guess_format(head: bytes) -> str:
    """The format of a table whose name does not tell it, from its first bytes.

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
    """A file that DuckDB can read: decompressed and in UTF-8, if need be in a copy."""
    if source.is_plain:
        yield source.path
        return
    with TemporaryDirectory(prefix="roget.", dir=folder) as made:
        copy = os.path.join(made, "table")
        with open(copy, "wb") as file:
            for block in source.blocks():
                file.write(block.data)
        yield copy


def look_at_parquet(table: Table, times: int = SPOOLED_TIMES) -> Table:
    """The table with the names and types of a Parquet file's columns.

    `times` as in `limits`: fewer if all of it is held.
    """
    from roget.core.io.duck import database, readable, weigh_parquet

    with database() as connection, readable(table.name):
        count, size = weigh_parquet(connection, table.path)
        what = f"a table of {count:,} rows, {show_size(size)} in memory"
        require_room(table.name, size, weigh(table.path), what, times)
        rows = connection.execute(f"DESCRIBE SELECT * FROM {table.sql}").fetchall()[:-1]
    names, types = zip(*((str(row[0]), str(row[1])) for row in rows), strict=True)
    return replace(table, names=names, types=types, header=True)


def _look_at_parquet(table: Table, asked: Asked, roles: Roles) -> tuple[Table, list[int]]:
    table = look_at_parquet(table)
    kinds = [kind.partition("(")[0] for kind in table.types]
    return table, [at for at, kind in enumerate(kinds) if kind in _NUMBERS]


def _look_at_json(table: Table, asked: Asked, roles: Roles) -> tuple[Table, list[int]]:
    line, text = next(((at, text) for at, text in table.lines() if text.strip()), (1, ""))
    try:
        record = parse_json(text)
    except ValueError as error:
        raise InputError(f"{table.name}:{line}: not JSON ({error}); expected an object") from None
    if not isinstance(record, dict):
        raise InputError(f"{table.name}:{line}: found {text!r:.60}; expected one object per line")
    numeric = [at for at, value in enumerate(record.values()) if is_number(value)]
    return replace(table, names=tuple(record), header=True), numeric


def _look_at_text(table: Table, asked: Asked, roles: Roles) -> tuple[Table, list[int]]:
    table, first, second = _first_rows(table, roles)
    numbers, later = (
        [at for at, cell in enumerate(row) if is_number(cell)] for row in (first, second)
    )
    header = _is_header(first, asked, roles, numbers, later if len(second) == len(first) else [])
    names = first if header else [str(at + 1) for at in range(len(first))]
    table = replace(table, names=tuple(names), header=header)
    return table, later if header else numbers


def _is_header(
    first: Sequence[str], asked: Asked, roles: Roles, numbers: Sequence[int], later: Sequence[int]
) -> bool:
    """Whether the first row holds names: those asked for, those of the roles, or no number yet."""
    if any(name in first and _number(name) is None for name in (asked or {}).values()):
        return True
    named = roles.find(first)
    if not numbers and roles.needed.keys() <= named.keys():
        return True
    if asked is None:
        counts = (*range(len(roles.needed), len(first)), *named.get(roles.number, ()))
        return not numbers and any(at in later for at in counts)
    at = _number(asked.get(roles.number, ""))
    return at in later and at not in numbers


def _first_rows(table: Table, roles: Roles) -> tuple[Table, list[str], list[str]]:
    """The cells of the first two rows that are not blank, and by what they are parted."""
    texts = (text for _, text in table.lines() if text.strip())
    first = next(texts, "")
    if not first:
        raise InputError(f"{table.name}: only blank lines; expected rows of {roles.shown}")
    if table.format == "tsv":
        if "\t" not in first and len(roles.needed) > 1:
            _refuse_lines(table, roles)
        second = next(texts, "")
        return table, first.split("\t"), second.split("\t") if second else []
    mark = ";" if "," not in first and ";" in first else ","
    rows = csv.reader((f"{text}\n" for text in chain([first], texts)), delimiter=mark, strict=True)
    cells: list[list[str]] = [[], []]
    # If a quote is never closed, reading the rows will tell where.
    with suppress(csv.Error, StopIteration):
        cells[0] = next(rows)
        cells[1] = next(rows)
    if not cells[0]:
        raise InputError(f"{table.name}:1: a quote is opened and never closed")
    return replace(table, delimiter=mark), cells[0], cells[1]


def _refuse_lines(table: Table, roles: Roles) -> None:
    """Name the lines of a TSV that cannot have the columns needed."""
    problems = Problems(table.name)
    one, other = [*roles.needed][:2]
    for number, text in table.lines():
        width = text.count("\t") + 1
        if text.strip() and (width < 2 or (width > 2 and not roles.others)):
            hint = "; a comma-separated file is named .csv" if "," in text else ""
            what = "no tab" if width < 2 else f"{width - 1} tabs"
            problems.add(number, f"{what} in {text!r:.60}; expected {one}, a tab and {other}{hint}")
    problems.check()


def check_types(table: Table, number: str = "") -> None:
    """Refuse columns of a Parquet file that hold no text or number."""
    for role, at in table.places.items() if table.types else ():
        kind, counted = table.types[at], role == number
        wrong = counted and kind in ("BOOLEAN", "BLOB")
        if wrong or kind.endswith("]") or kind.startswith(_NESTED):
            raise InputError(
                f"{table.name}: the {role} column {table.names[at]!r} is of type {kind}; "
                f"expected {'a number' if counted else 'one text or number'} per row"
            )


def _place(
    table: Table, asked: Asked, roles: Roles, numeric: Sequence[int], transpose: bool | None
) -> Table:
    """The table with the columns of its roles; `numeric` are those that could be the number."""
    if asked is not None:
        places = {role: _find(table, column) for role, column in asked.items()}
        return replace(table, places=_swap(places) if transpose else places)
    if len(table.names) < len(roles.needed):
        raise InputError(f"{table.name}: one column only; expected {' and '.join(roles.needed)}")
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
            raise InputError(_unclear(table, roles, found, numeric))
    note = ""
    if roles is PAIRS and not sure:
        word, context = places["word"], places["context"]
        if transpose is not None and word > context:
            places = _swap(places)  # as the columns stand
        elif word > context or "slot" in places:
            note = _note(names, places)
    return replace(table, places=_swap(places) if transpose else places, note=note)


def _swap(places: Mapping[str, int]) -> dict[str, int]:
    return {**places, "word": places["context"], "context": places["word"]}


def _names_in(table: Table, roles: Roles, numeric: Sequence[int]) -> tuple[str, ...]:
    """What the file's name says of columns that have no header: verb and object, for one."""
    width = len(table.names)
    if roles.number and width > len(roles.needed) and width - 1 in numeric:
        width -= 1
    said = re.findall(r"[^\W\d_]+", Path(table.name).name.partition(".")[0])[:width]
    roles_said = roles.find(said)
    whole = sum(map(len, roles_said.values())) == width == len(said)
    return tuple(said) if whole else table.names


def _last_number(
    table: Table, roles: Roles, numeric: Sequence[int], places: Mapping[str, int]
) -> dict[str, int]:
    """The number's column, if it is the last one and the only one left."""
    last = len(table.names) - 1
    left = last not in places.values() and len(places) == last
    return {roles.number: last} if roles.number and left and last in numeric else {}


def _note(names: Sequence[str], places: Mapping[str, int]) -> str:
    word, context, slot = (places.get(role) for role in ("word", "context", "slot"))
    if slot is None:
        said = f"columns are {names[context or 0]} and {names[word or 0]}"
        as_they_stand = ",".join(str(at + 1) for at in sorted(places.values()))
        return f"{said}: the second one's words are taken (else --columns {as_they_stand})"
    shown = f"{names[slot]}:{names[context or 0]}"
    return f"words are the column {names[word or 0]}, contexts {shown} (else --columns)"


def _unclear(
    table: Table, roles: Roles, found: Mapping[str, Sequence[int]], numeric: Sequence[int]
) -> str:
    """What to type where columns do not tell their roles."""
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
        could = " or ".join(table.names[at] for at in found[several])
        why = f"the {several} may be {could}"
    else:
        why = f"which are {' and '.join(roles.needed)}?"
    width = len(table.names)
    there = f"the columns {', '.join(table.names)}" if table.header else f"{width} columns"
    if not roles.by_option:
        first = f"name the columns in the first line: {', '.join(roles.all)}"
        return (
            f"{table.name}: has {there}: {why}; {first} ({', '.join(roles.needed)} must be there)"
        )
    return f"{table.name}: has {there}: {why}; choose with --columns, such as --columns {typed}"


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
    raise InputError(f"{table.name}: no column {column!r}; {hint}the file {has}")


def _number(column: str) -> int | None:
    number = whole_number(column)
    return number - 1 if number else None
