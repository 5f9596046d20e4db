"""Label tables joined on many machines: rows are dealt out by item, and every part is joined alone.

The statements, the checks and the cells are those of `counted`, so the scores are the same bits.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import duckdb
import numpy as np

from roget.core.io import duck
from roget.core.io.source import STANDARD_INPUT, Source, absolute, is_pipe, is_remote, source_of
from roget.core.io.table import Table
from roget.core.types import Array, BoolArray
from roget.engines import base
from roget.engines.base import Engine, Increment
from roget.errors import InputError
from roget.scoring.labels.align import AlignedLabels
from roget.scoring.labels.duckdb_join import (
    Counting,
    count_lone,
    fetch_arrays,
    join_cells,
    lay_out,
    look,
)
from roget.scoring.labels.read import SUFFIXES, LabelFile, is_binary, list_files, name_files
from roget.scoring.labels.table import SINGLE, Columns, choose_side

SHARE = 8 << 20
"""Bytes of files dealt by one task, at least: larger files are cut, smaller ones bundled."""
_PART = 16 << 20
"""Bytes of files whose rows one part holds."""
_MOST = 64
"""Tasks of one side and parts, at most: so many times so many pieces change hands."""
_FEWEST_PARTS = 8
_MEMORY = "2GB"
"""Of one task; what does not fit goes to the worker's disk."""
_NOTHING = (
    "SELECT NULL::VARCHAR AS item, NULL::VARCHAR AS label, NULL::VARCHAR AS name,"
    " NULL::BIGINT AS r, NULL::DOUBLE AS w WHERE false"
)


class SchemaMismatch(Exception):
    """A file that is not such a table as its side's first: there is more to say than cells can."""


class NotSplittable(Exception):
    """A file that was cut and must not be: its rows may go over several lines."""


class JoinShare(NamedTuple):
    """A file, or from where to where of it: rows of Parquet, bytes of text."""

    path: str
    number: int
    """Rows of later shares have higher numbers."""
    start: int = 0
    stop: int | None = None

    @property
    def is_whole(self) -> bool:
        return not self.start and self.stop is None


class Shuffle(NamedTuple):
    """Rows of one side, dealt out by one task."""

    side: str
    number: int
    shares: tuple[JoinShare, ...]


class DaskJoin:
    """Gold's files on a cluster, dealt out once and joined with one system after another."""

    def __init__(
        self,
        make: Callable[[], Engine],
        gold: Any,
        labels: str | None,
        columns: Columns | None,
        noise: str | None,
    ) -> None:
        self._make, self._gold = make, gold
        self._labels, self._columns, self._noise = labels, columns, noise
        self._engine: Engine | None = None
        self._dealt: list[Any] = []
        self._parts = 0
        self._cut = True

    def __enter__(self) -> DaskJoin:
        return self

    def __exit__(self, *_: object) -> None:
        self._dealt.clear()
        if self._engine is not None:
            self._engine.close()

    def count(self, system: Any, missing: str, extra: str) -> AlignedLabels | None:
        """The cells of gold and a system; None where there is more to say than cells can."""
        paths = _list_side(self._gold), _list_side(system)
        gold, answers = self._look(paths[0], "gold"), self._look(paths[1], "system")
        if gold is None or answers is None:
            return None
        try:
            try:
                parts = self._join(paths, (gold, answers))
            except NotSplittable:
                self._cut = False
                self._dealt.clear()
                parts = self._join(paths, (gold, answers))
        except (duckdb.Error, SchemaMismatch):
            # The readers will say which line it is that cannot be read.
            return None
        return Joined(parts, self._noise, gold, answers).join(missing, extra)

    def _look(self, paths: Sequence[str], side: str) -> Table | None:
        """The layout of a side's first file, which the others must share."""
        if any(is_binary(path) for path in paths):
            return None
        head = SUFFIXES.get(Source(paths[0]).suffix) in ("tsv", "csv")
        with LabelFile(paths[0], head=head) as file:
            table = look(file, self._labels, choose_side(self._columns, side), SINGLE)
        named = table is not None and "item" in table.places
        return replace(table, name=name_files(paths)) if table is not None and named else None

    def _join(
        self, paths: tuple[Sequence[str], Sequence[str]], tables: tuple[Table, Table]
    ) -> list[JoinPart]:
        if self._engine is None:
            self._engine = self._make()
            size = sum(_size(path) for side in paths for path in side)
            self._parts = min(_MOST, max(_FEWEST_PARTS, size // _PART))
        if not self._dealt:
            self._dealt = self._deal(self._engine, "gold", paths[0], tables[0])
        dealt = [*self._dealt, *self._deal(self._engine, "system", paths[1], tables[1])]
        by_group = all("group" in table.places for table in tables)
        weighed = ["weight" in table.places for table in tables]
        job = partial(join_part, len(self._dealt), by_group, weighed)
        return base.join(self._engine, job, dealt, self._parts)

    def _deal(self, engine: Engine, side: str, paths: Sequence[str], table: Table) -> list[Any]:
        columns = choose_side(self._columns, side)
        job = partial(deal_rows, self._parts, self._labels, columns, lay_out(table))
        return base.partition(
            engine, job, share_files(side, paths, table.format if self._cut else "")
        )


def _list_side(given: Any) -> list[str]:
    """The files of a side."""
    if not isinstance(given, str | os.PathLike):
        raise InputError("a cluster joins files: give gold and system as files or folders")
    paths = list_files(os.fspath(given))
    if paths == [STANDARD_INPUT] or any(map(is_pipe, paths)):
        said = Source(paths[0]).name
        raise InputError(f"{said} can be read here only: save it, or use the engine local")
    return paths


def share_files(side: str, paths: Sequence[str], form: str) -> list[Shuffle]:
    """A side's files as tasks of about the same size; those of no known format are not cut."""
    sizes = list(map(_size, paths))
    wanted = max(SHARE, sum(sizes) // _MOST)
    bundles: list[list[JoinShare]] = []
    held, number = wanted, 0
    for path, size in zip(map(absolute, paths), sizes, strict=True):
        for start, stop in _cut_file(path, size, wanted, form):
            if held + size > wanted:
                bundles.append([])
                held = 0
            bundles[-1].append(JoinShare(path, number, start, stop))
            held, number = held + size, number + 1
    return [Shuffle(side, number, tuple(of)) for number, of in enumerate(bundles)]


def _size(path: str) -> int:
    """The bytes of a file, which must be there."""
    return source_of(path).size


def _cut_file(path: str, size: int, wanted: int, form: str) -> Iterator[tuple[int, int | None]]:
    """Where the pieces of a large file begin and end."""
    number = size // wanted
    # For a piece of a file elsewhere all of it would have to come.
    if number < 2 or not form or is_remote(path):
        yield 0, None
    elif form == "parquet":
        with duck.database() as connection, duck.readable(path):
            query = f"SELECT count(*) FROM {duck.parquet(path)}"
            rows = duck.execute(connection, query).fetchall()[0][0]
        for piece in range(number):
            yield rows * piece // number, rows * (piece + 1) // number
    else:
        for source in source_of(path).pieces(wanted):
            yield source.start, source.stop


def deal_rows(
    parts: int,
    labels: str | None,
    columns: Columns | None,
    layout: tuple[Any, ...] | None,
    task: Shuffle,
    report: Increment,
) -> list[bytes]:
    """Rows of files, in as many Parquet files; the same item is always in the same one."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory(prefix="roget.")))
        connection = opened.enter_context(duck.connect(_MEMORY, 1, folder / "spilt", ordered=True))
        queries = []
        for share in task.shares:
            table, chosen = _open_share(share, labels, columns, layout, folder, opened)
            rows = Counting(connection, None, table).rows(table, careful=True, chosen=chosen)
            queries.append(f"SELECT * REPLACE (r + {share.number << 40} AS r) FROM ({rows})")
        dealt = f"SELECT *, hash(item) % {parts} AS part FROM ({' UNION ALL '.join(queries)})"
        duck.deal(connection, dealt, "part", folder / "dealt")
        return [_read_part(folder / "dealt" / f"part={part}") for part in range(parts)]


def _read_part(folder: Path) -> bytes:
    """The Parquet file of one part; nothing if it has no rows."""
    if not folder.exists():
        return b""
    (file,) = folder.iterdir()
    return file.read_bytes()


def _open_share(
    share: JoinShare,
    labels: str | None,
    columns: Columns | None,
    layout: tuple[Any, ...] | None,
    folder: Path,
    opened: ExitStack,
) -> tuple[Table, str]:
    """The table of a file or a piece of one, and the SQL that tells which of its rows are meant."""
    if not is_remote(share.path) and not os.path.exists(share.path):
        raise InputError(
            f"{share.path}: not there on the worker {socket.gethostname()}; expected files that "
            "all workers can read under the same names"
        )
    try:
        file = opened.enter_context(LabelFile(share.path))
        table = look(file, labels, columns, SINGLE)
        plain = file.plain
    except InputError:
        raise SchemaMismatch(share.path) from None
    if table is None or lay_out(table) != layout:
        raise SchemaMismatch(share.path)
    if share.is_whole:
        return table, "true"
    if table.format == "parquet":
        return table, f"file_row_number >= {share.start} AND file_row_number < {share.stop}"
    if table.path != plain.path:
        raise NotSplittable(share.path)
    copy = folder / f"{share.number}.{table.format}"
    with copy.open("wb") as target:
        for block in replace(plain, start=share.start, stop=share.stop).blocks():
            if table.format == "csv" and b'"' in block.data:
                raise NotSplittable(share.path)
            target.write(block.data)
    return replace(table, path=str(copy), header=table.header and not share.start), "true"


class JoinPart(NamedTuple):
    """What is known of one part of all items."""

    cells: dict[str, tuple[Array, BoolArray]]
    rows: tuple[int, int]
    repeats: tuple[bool, bool]
    """Whether items that only gold, or only the system has come twice, or have no name."""


def join_part(
    golds: int,
    by_group: bool,
    weighed: Sequence[bool],
    pieces: Sequence[bytes],
    report: Increment,
) -> JoinPart:
    """Join one part: the pieces of so many shares of gold, then those of the system."""
    with (
        TemporaryDirectory(prefix="roget.") as folder,
        duck.connect(_MEMORY, 1, Path(folder), ordered=True) as connection,
    ):

        def fetch(query: str) -> tuple[int, ...]:
            return tuple(duck.execute(connection, query).fetchall()[0])

        sides = []
        for side, of in enumerate((pieces[:golds], pieces[golds:])):
            files = []
            for number, piece in enumerate(of):
                if piece:
                    files.append(Path(folder) / f"{side}.{number}.parquet")
                    files[-1].write_bytes(piece)
            sides.append(f"SELECT * FROM {duck.parquet(*files)}" if files else _NOTHING)
        query = join_cells(sides[0], sides[1], by_group=by_group, weighed=weighed)
        cells = fetch_arrays(connection, query)
        rows = [fetch(f"SELECT count(*) FROM ({side})")[0] for side in sides]
        repeats = [
            bool(cells[other].mask.any())
            and len(set(fetch(count_lone(*of, by_group=by_group)))) > 1
            for other, of in (("system", sides), ("gold", sides[::-1]))
        ]
        # Masked arrays would not travel as they are.
        plain = {name: (values.data, values.mask) for name, values in cells.items()}
        return JoinPart(plain, (rows[0], rows[1]), (repeats[0], repeats[1]))


class Joined(Counting):
    """Two tables that were joined in parts."""

    def __init__(self, parts: Sequence[JoinPart], noise: str | None, *tables: Table) -> None:
        self.parts, self.noise, self.tables = parts, noise, tables

    def _join(self, by_group: bool, *, careful: bool) -> dict[str, Any]:
        """The cells of all parts. Every item was stripped, so that none can look odd."""
        found = {}
        for name in self.parts[0].cells:
            arrays = zip(*(part.cells[name] for part in self.parts), strict=True)
            data, mask = map(np.concatenate, arrays)
            found[name] = np.ma.array(data, mask=mask)
        for side, name in enumerate(("gold_rows", "system_rows")):
            total = sum(part.rows[side] for part in self.parts)
            found[name] = np.ma.array(np.full(found["n"].size, total))
        return found

    def _repeats(self, one: Table, other: Table, by_group: bool) -> bool:
        side = 0 if one is self.tables[0] else 1
        return any(part.repeats[side] for part in self.parts)
