"""Join label tables on a cluster: rows are partitioned by item, and each partition is joined.

SQL statements and checks are shared with `duckdb_join`, so scores are bit-for-bit identical.
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
from roget.core.io.address import is_remote
from roget.core.io.source import STANDARD_INPUT, Source, absolute, is_pipe, source_of
from roget.core.io.table import Table
from roget.engines import base
from roget.engines.base import Engine, Increment
from roget.errors import InputError
from roget.scoring.labels.align import AlignedLabels
from roget.scoring.labels.columns import SINGLE, Columns, choose_side
from roget.scoring.labels.duckdb_join import (
    Counting,
    Nullable,
    count_lone,
    fetch_arrays,
    get_layout,
    inspect_file,
    join_cells,
)
from roget.scoring.labels.files import LabelFile, name_files
from roget.scoring.labels.formats import is_binary, list_files, list_suffixes

SHARE = 8 << 20
"""Minimum number of bytes per task. Larger files are split, and smaller files are combined."""
_PARTITION_SIZE = 16 << 20
"""Number of bytes of input per partition."""
_MAX_PARTS = 64
"""Maximum number of partitions, and of tasks for the gold or system files.

The number is limited because every task sends data to every partition.
"""
_MIN_PARTS = 8
"""Minimum number of partitions."""
_MEMORY = "2GB"
"""Memory limit of a task. Beyond this limit, data are spilled to the worker's disk."""
_NO_ROWS = (
    "SELECT NULL::VARCHAR AS item, NULL::VARCHAR AS label, NULL::VARCHAR AS name,"
    " NULL::BIGINT AS r, NULL::DOUBLE AS w WHERE false"
)


class SchemaMismatch(Exception):
    """Raised if the gold files do not all have the same layout, or the system files do not."""


class NotSplittable(Exception):
    """Raised if a file cannot be split because its rows may span several lines."""


class JoinShare(NamedTuple):
    """A label file, or a range of its rows (Parquet) or bytes (text)."""

    path: str
    number: int
    """The position of this share among all shares of the gold or system files."""
    start: int = 0
    stop: int | None = None

    @property
    def is_whole(self) -> bool:
        return not self.start and self.stop is None


class Shuffle(NamedTuple):
    """A task that partitions a share of the gold or system rows by item."""

    side: str
    number: int
    shares: tuple[JoinShare, ...]


class DaskJoin:
    """A join on a cluster.

    Gold files are partitioned only once and then joined with each system.
    """

    def __init__(
        self,
        make: Callable[[], Engine],
        gold: Any,
        labels: str | None,
        columns: Columns | None,
        noise: str | None,
        header: bool | None = None,
    ) -> None:
        self._header = header
        self._make, self._gold = make, gold
        self._labels, self._columns, self._noise = labels, columns, noise
        self._engine: Engine | None = None
        self._gold_parts: list[Any] = []
        self._parts = 0
        self._cut = True

    def __enter__(self) -> DaskJoin:
        return self

    def __exit__(self, *_: object) -> None:
        self._gold_parts.clear()
        if self._engine is not None:
            self._engine.close()

    def count(self, system: Any, missing: str, extra: str) -> AlignedLabels | None:
        """Return the contingency cells, or None if the files cannot be joined in this way."""
        paths = _list_side(self._gold), _list_side(system)
        gold, answers = self._inspect(paths[0], "gold"), self._inspect(paths[1], "system")
        if gold is None or answers is None:
            return None
        try:
            try:
                parts = self._join(paths, (gold, answers))
            except NotSplittable:
                self._cut = False
                self._gold_parts.clear()
                parts = self._join(paths, (gold, answers))
        except (duckdb.Error, SchemaMismatch):
            # The slower readers will report which line cannot be read.
            return None
        return Joined(parts, self._noise, gold, answers).join(missing, extra)

    def _inspect(self, paths: Sequence[str], side: str) -> Table | None:
        """Return the layout of the gold or system files.

        All files must have the same layout.
        """
        if any(is_binary(path) for path in paths):
            return None
        head = list_suffixes().get(Source(paths[0]).suffix) in ("tsv", "csv")
        with LabelFile(paths[0], short=head, header=self._header) as file:
            table = inspect_file(file, self._labels, choose_side(self._columns, side), SINGLE)
        named = table is not None and "item" in table.places
        return replace(table, name=name_files(paths)) if table is not None and named else None

    def _join(
        self, paths: tuple[Sequence[str], Sequence[str]], tables: tuple[Table, Table]
    ) -> list[JoinPart]:
        if self._engine is None:
            self._engine = self._make()
            size = sum(_size(path) for side in paths for path in side)
            self._parts = min(_MAX_PARTS, max(_MIN_PARTS, size // _PARTITION_SIZE))
        if not self._gold_parts:
            self._gold_parts = self._partition(self._engine, "gold", paths[0], tables[0])
        rows_by_part = [
            *self._gold_parts,
            *self._partition(self._engine, "system", paths[1], tables[1]),
        ]
        by_group = all("group" in table.places for table in tables)
        weighed = ["weight" in table.places for table in tables]
        job = partial(join_part, len(self._gold_parts), by_group, weighed)
        return base.join(self._engine, job, rows_by_part, self._parts)

    def _partition(
        self, engine: Engine, side: str, paths: Sequence[str], table: Table
    ) -> list[Any]:
        columns = choose_side(self._columns, side)
        layout = get_layout(table)
        job = partial(partition_rows, self._parts, self._labels, columns, layout, self._header)
        shares = share_files(side, paths, table.format if self._cut else "")
        return base.partition(engine, job, shares)


def _list_side(given: Any) -> list[str]:
    """Return the gold files or the system files."""
    if not isinstance(given, str | os.PathLike):
        raise InputError(
            "with --engine dask, gold and system must be files or folders",
            code="conflicting-options",
        )
    paths = list_files(os.fspath(given))
    if paths == [STANDARD_INPUT] or any(map(is_pipe, paths)):
        name = Source(paths[0]).name
        raise InputError(
            f"workers cannot read {name}; save it as a file, or use the local engine",
            code="conflicting-options",
        )
    return paths


def share_files(side: str, paths: Sequence[str], form: str) -> list[Shuffle]:
    """Divide the gold files or the system files into tasks of similar size.

    Large files are split, unless the format `form` is empty.
    """
    sizes = list(map(_size, paths))
    target = max(SHARE, sum(sizes) // _MAX_PARTS)
    bundles: list[list[JoinShare]] = []
    filled, number = target, 0
    for path, size in zip(map(absolute, paths), sizes, strict=True):
        for start, stop in _cut_file(path, size, target, form):
            if filled + size > target:
                bundles.append([])
                filled = 0
            bundles[-1].append(JoinShare(path, number, start, stop))
            filled, number = filled + size, number + 1
    return [Shuffle(side, number, tuple(shares)) for number, shares in enumerate(bundles)]


def _size(path: str) -> int:
    """Return the size of a file, or raise an error if it does not exist."""
    return source_of(path).size


def _cut_file(path: str, size: int, target: int, form: str) -> Iterator[tuple[int, int | None]]:
    """Yield the start and end of each piece of a file, where a piece has about `target` bytes."""
    number = size // target
    # Do not split a remote file, because a worker would have to download all of it to read a piece.
    if number < 2 or not form or is_remote(path):
        yield 0, None
    elif form == "parquet":
        with duck.database() as connection, duck.convert_errors(path):
            query = f"SELECT count(*) FROM {duck.parquet(path)}"
            rows = duck.execute(connection, query).fetchall()[0][0]
        for piece in range(number):
            yield rows * piece // number, rows * (piece + 1) // number
    else:
        for source in source_of(path).pieces(target):
            yield source.start, source.stop


def partition_rows(
    parts: int,
    labels: str | None,
    columns: Columns | None,
    layout: tuple[Any, ...] | None,
    header: bool | None,
    task: Shuffle,
    report: Increment,
) -> list[bytes]:
    """Partition rows by a hash of the item. Return the bytes of one Parquet file per partition."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory(prefix="roget.")))
        connection = opened.enter_context(duck.connect(_MEMORY, 1, folder / "spill", ordered=True))
        queries = []
        for share in task.shares:
            table, chosen = _open_share(share, labels, columns, layout, header, folder, opened)
            rows = Counting(connection, None, table).rows(table, careful=True, chosen=chosen)
            queries.append(f"SELECT * REPLACE (r + {share.number << 40} AS r) FROM ({rows})")
        rows_by_part = (
            f"SELECT *, hash(item) % {parts} AS part FROM ({' UNION ALL '.join(queries)})"
        )
        duck.write_partitions(connection, rows_by_part, "part", folder / "parts")
        return [_read_part(folder / "parts" / f"part={part}") for part in range(parts)]


def _read_part(folder: Path) -> bytes:
    """Return the content of a partition's Parquet file, or b"" if the partition has no rows."""
    if not folder.exists():
        return b""
    (file,) = folder.iterdir()
    return file.read_bytes()


def _open_share(
    share: JoinShare,
    labels: str | None,
    columns: Columns | None,
    layout: tuple[Any, ...] | None,
    header: bool | None,
    folder: Path,
    opened: ExitStack,
) -> tuple[Table, str]:
    """Return the table that contains a share, and SQL that selects the rows of the share."""
    if not is_remote(share.path) and not os.path.exists(share.path):
        raise InputError(
            f"{share.path}: not found on the worker {socket.gethostname()}; all workers must have "
            "access to the files under the same paths",
            code="file-not-found",
        )
    try:
        file = opened.enter_context(LabelFile(share.path, header=header))
        table = inspect_file(file, labels, columns, SINGLE)
        plain = file.plain
    except InputError:
        raise SchemaMismatch(share.path) from None
    if table is None or get_layout(table) != layout:
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
    """The result of joining one partition."""

    cells: dict[str, Nullable]
    rows: tuple[int, int]
    repeats: tuple[bool, bool]
    """For gold and for system, True if an unmatched item is repeated or has no id."""


def join_part(
    golds: int,
    by_group: bool,
    weighed: Sequence[bool],
    pieces: Sequence[bytes],
    report: Increment,
) -> JoinPart:
    """Join a partition.

    The first `golds` elements of `pieces` contain gold rows, the others contain system rows.
    """
    with (
        TemporaryDirectory(prefix="roget.") as folder,
        duck.connect(_MEMORY, 1, Path(folder), ordered=True) as connection,
    ):

        def fetch(query: str) -> tuple[int, ...]:
            return tuple(duck.execute(connection, query).fetchall()[0])

        sides = []
        for side, part in enumerate((pieces[:golds], pieces[golds:])):
            files = []
            for number, piece in enumerate(part):
                if piece:
                    files.append(Path(folder) / f"{side}.{number}.parquet")
                    files[-1].write_bytes(piece)
            sides.append(f"SELECT * FROM {duck.parquet(*files)}" if files else _NO_ROWS)
        query = join_cells(sides[0], sides[1], by_group=by_group, weighed=weighed)
        cells = fetch_arrays(connection, query)
        rows = [fetch(f"SELECT count(*) FROM ({side})")[0] for side in sides]
        repeats = [
            bool(cells[other].mask.any())
            and len(set(fetch(count_lone(*of, by_group=by_group)))) > 1
            for other, of in (("system", sides), ("gold", sides[::-1]))
        ]
        return JoinPart(cells, (rows[0], rows[1]), (repeats[0], repeats[1]))


class Joined(Counting):
    """The contingency cells of two tables that were joined in partitions."""

    def __init__(self, parts: Sequence[JoinPart], noise: str | None, *tables: Table) -> None:
        self.parts, self.noise, self.tables = parts, noise, tables

    def _join(self, by_group: bool, *, careful: bool) -> dict[str, Nullable]:
        """Concatenate the cells of all partitions. White space has already been stripped."""
        found = {}
        for name in self.parts[0].cells:
            arrays = zip(*(part.cells[name] for part in self.parts), strict=True)
            data, mask = map(np.concatenate, arrays)
            found[name] = Nullable(data, mask)
        for side, name in enumerate(("gold_rows", "system_rows")):
            total = sum(part.rows[side] for part in self.parts)
            size = found["n"].data.size
            found[name] = Nullable(np.full(size, total), np.zeros(size, dtype=bool))
        return found

    def _repeats(self, one: Table, other: Table, by_group: bool) -> bool:
        side = 0 if one is self.tables[0] else 1
        return any(part.repeats[side] for part in self.parts)
