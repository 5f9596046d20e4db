"""Label tables joined on many machines: rows are dealt out by item, and every part is joined alone.

The statements, the checks and the cells are those of `counted`, so the scores are the same bits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import duckdb
import numpy as np

from roget.core.io import duck
from roget.core.io.source import STANDARD_INPUT
from roget.core.io.table import Table
from roget.core.types import Array, BoolArray
from roget.engines.base import Engine, Increment, exchange
from roget.errors import InputError
from roget.scoring.labels.align import Aligned
from roget.scoring.labels.counted import (
    Counting,
    count_lone,
    fetch_arrays,
    join_cells,
    look,
    look_at,
)
from roget.scoring.labels.read import LabelFile, list_files
from roget.scoring.labels.table import SINGLE, Columns, choose_side

_MOST_PARTS = 32
_MEMORY = "2GB"
"""Of one task; what does not fit goes to the worker's disk."""


class Dealing(NamedTuple):
    """One file whose rows are dealt out."""

    path: str
    side: str
    number: int
    """Rows of later files have higher numbers."""


def count_on(
    make: Callable[[], Engine],
    gold: Any,
    system: Any,
    missing: str,
    labels: str | None,
    columns: Columns | None,
    noise: str | None,
) -> Aligned | None:
    """The cells of two sides; None where there is more to say than cells can."""
    if not all(isinstance(side, str | os.PathLike) for side in (gold, system)):
        raise InputError("a cluster joins files: give gold and system as files or folders")
    sides = [list_files(os.fspath(side)) for side in (gold, system)]
    if [STANDARD_INPUT] in sides:
        raise InputError("standard input can be read here only: save it, or use the engine local")
    with ExitStack() as opened:
        tables = look_at(sides, labels, columns, opened)
        if tables is None:
            return None
        tasks = [
            Dealing(os.path.abspath(path), name, number)
            for side, name in zip(sides, ("gold", "system"), strict=True)
            for number, path in enumerate(side)
        ]
        parts = min(_MOST_PARTS, max(2, len(tasks)))
        by_group = all("group" in table.places for table in tables)
        weighed = ["weight" in table.places for table in tables]
        jobs = (
            partial(deal_rows, parts, labels, columns),
            partial(join_part, len(sides[0]), by_group, weighed),
        )
        engine = make()
        try:
            joined = exchange(engine, jobs[0], tasks, jobs[1], parts)
        except duckdb.Error:
            # The readers will say which line it is that cannot be read.
            return None
        finally:
            engine.close()
        return Joined(joined, noise, *tables).join(missing)


def deal_rows(
    parts: int, labels: str | None, columns: Columns | None, task: Dealing, report: Increment
) -> list[bytes]:
    """The rows of a file, in as many Parquet files; the same item is always in the same one."""
    with (
        TemporaryDirectory(prefix="roget.") as folder,
        duck.connect(_MEMORY, 1, Path(folder), ordered=True) as connection,
        LabelFile(task.path) as file,
    ):
        table = look(file, labels, choose_side(columns, task.side), SINGLE)
        if table is None:
            raise InputError(f"{task.path}: no table of items and labels on this machine")
        rows = Counting(connection, None, table).rows(table, careful=True)
        duck.execute(
            connection,
            f"CREATE TABLE rows AS SELECT * REPLACE (r + {task.number << 40} AS r),"
            f" hash(item) % {parts} AS part FROM ({rows})",
        )
        dealt = []
        for part in range(parts):
            to = Path(folder) / f"{part}.parquet"
            duck.copy(connection, f"SELECT * EXCLUDE part FROM rows WHERE part = {part}", to)
            dealt.append(to.read_bytes())
        return dealt


class Part(NamedTuple):
    """What is known of one part of all items."""

    cells: dict[str, tuple[Array, BoolArray]]
    rows: tuple[int, int]
    repeats: tuple[bool, bool]
    """Whether items that only gold, or only the system has come twice, or have no name."""


def join_part(
    golds: int, by_group: bool, weighed: list[bool], pieces: Sequence[bytes], report: Increment
) -> Part:
    """Join one part: the pieces of so many files of gold, then those of the system."""
    with (
        TemporaryDirectory(prefix="roget.") as folder,
        duck.connect(_MEMORY, 1, Path(folder), ordered=True) as connection,
    ):
        files = [Path(folder) / f"{number}.parquet" for number in range(len(pieces))]
        for file, piece in zip(files, pieces, strict=True):
            file.write_bytes(piece)
        sides = [f"SELECT * FROM {duck.parquet(*of)}" for of in (files[:golds], files[golds:])]

        def fetch(query: str) -> tuple[int, ...]:
            return tuple(duck.execute(connection, query).fetchall()[0])

        lone = [fetch(count_lone(*of, by_group=by_group)) for of in (sides, sides[::-1])]
        rows = [fetch(f"SELECT count(*) FROM ({side})")[0] for side in sides]
        query = join_cells(sides[0], sides[1], by_group=by_group, weighed=weighed)
        cells = fetch_arrays(connection, query)
        repeats = [len(set(counts)) > 1 for counts in lone]
        # Masked arrays would not travel as they are.
        plain = {name: (values.data, values.mask) for name, values in cells.items()}
        return Part(plain, (rows[0], rows[1]), (repeats[0], repeats[1]))


class Joined(Counting):
    """Two tables that were joined in parts."""

    def __init__(self, parts: Sequence[Part], noise: str | None, *tables: Table) -> None:
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
