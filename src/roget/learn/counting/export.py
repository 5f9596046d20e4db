"""Where counts are written to: a directory, or a file made from one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from roget.core import folder as folders
from roget.core.counts import Counts
from roget.core.counts import files as counts_files
from roget.core.io import duck
from roget.core.io.source import STANDARD_INPUT, open_output
from roget.core.store import new_file
from roget.errors import InputError

TABLES = (".tsv", ".tsv.gz")
FILES = (*TABLES, ".npz")
_OTHERS = (".csv", ".txt", ".json", ".jsonl", ".parquet", ".mtx", ".gz", ".zst", ".xz", ".bz2")
_ROWS = 1 << 17


def checked(target: Path) -> Path:
    """The output, once it is sure that it can be written: better now than after hours."""
    if target.name == STANDARD_INPUT:
        raise InputError("counts are not written to standard output: name a folder or a .tsv file")
    place = target.resolve()
    if not place.parent.is_dir():
        raise InputError(f"cannot write {target}: there is no folder {place.parent}")
    if place.name.lower().endswith(FILES):
        if place.is_dir():
            raise InputError(f"cannot write {target}: it is a folder")
    elif place.name.lower().endswith(_OTHERS):
        raise InputError(
            f"cannot write {target}: counts are written as {', '.join(FILES)} or, by any name "
            "without such an ending, as a directory"
        )
    elif place.is_file():
        raise InputError(f"cannot write {target}: it is a file; expected {counts_files.KIND.title}")
    elif place.is_dir() and not counts_files.is_counts(place):
        raise InputError(f"cannot write {target}: the folder is there and holds something else")
    return target


@contextmanager
def draft_of(target: Path, work: Path) -> Iterator[Path]:
    """A folder for a counts directory, which becomes the output if the block ends well."""
    name = target.name.lower()
    if not name.endswith(FILES):
        with folders.draft_of(target, counts_files.KIND) as draft:
            yield draft
        return
    draft = work / "counts"
    draft.mkdir()
    yield draft
    if name.endswith(TABLES):
        with new_file(target) as file:
            _write_table(draft, file, name)
    else:
        Counts.read(draft).write(target)


def _write_table(counts: Path, file: Path, name: str) -> None:
    """Write word, context and count in columns divided by tabs, as `Counts.write` does.

    Only the words and contexts are held in memory.
    """
    with duck.database() as connection, open_output(file, name) as table:
        words, contexts = (_names(connection, counts, axis) for axis in ("word", "context"))
        table.write(b"word\tcontext\tcount\n")
        connection.execute(f"FROM {duck.parquet(counts / counts_files.ENTRIES)}")
        while rows := connection.fetchmany(_ROWS):
            lines = (f"{words[row]}\t{contexts[at]}\t{count!r}\n" for row, at, count in rows)
            table.write("".join(lines).encode())


def _names(connection: duckdb.DuckDBPyConnection, counts: Path, axis: str) -> list[str]:
    file = duck.parquet(counts / f"{axis}s.parquet")
    texts = [str(text) for (text,) in connection.execute(f"SELECT {axis} FROM {file}").fetchall()]
    for text in texts:
        if "\t" in text or "\n" in text or "\r" in text:
            raise InputError(
                f"the {axis} {text!r} holds a tab or a line end, which a table cannot keep; write "
                "a directory instead (a name without .tsv)"
            )
    return texts
