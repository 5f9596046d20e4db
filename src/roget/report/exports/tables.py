"""Words and their classes as tables: tabs and lines, or Parquet."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

from roget.core.io import duck
from roget.core.store import new_file
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Target, entries, exporter, number, one_line
from roget.report.options import Options

COLUMNS = ("word", "class_path", "label", "probability", "count")
"""A word and a class: the nodes from the root to it, such as 0/2/5, and what it is called."""

Row: TypeAlias = tuple[str, str, str, float, int | float]


def rows(thesaurus: Thesaurus) -> Iterator[Row]:
    """Class by class, the words that are listed in it."""
    totals = thesaurus.counts.word_totals
    for one in entries(thesaurus):
        path = "/".join(map(str, one.path))
        for member in one.members:
            yield member.word, path, one.label, member.probability, number(totals[member.row])


@exporter
def write_tsv(thesaurus: Thesaurus, options: Options) -> Iterator[str]:
    """Write a head and a line for each word and class in which it is listed; nothing is quoted."""
    one_line(map(str, thesaurus.words), "TSV")
    yield "\t".join(COLUMNS) + "\n"
    for row in rows(thesaurus):
        one_line([row[2]], "TSV")
        yield "\t".join(map(str, row)) + "\n"


def write_parquet(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write a row for each word and class in which it is listed."""
    if isinstance(target, io.TextIOBase):
        raise InputError("Parquet is bytes: expected a file, or a stream of bytes")
    if isinstance(target, str | os.PathLike):
        with new_file(target) as draft:
            _write_file(thesaurus, draft)
        return
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        file = Path(folder) / "rows.parquet"
        _write_file(thesaurus, file)
        target.write(file.read_bytes())


def _write_file(thesaurus: Thesaurus, file: Path) -> None:
    listed = list(rows(thesaurus))
    whole = all(isinstance(row[-1], int) for row in listed)
    types = ["VARCHAR", "VARCHAR", "VARCHAR", "DOUBLE", "BIGINT" if whole else "DOUBLE"]
    kinds = {"VARCHAR": object, "BIGINT": np.int64, "DOUBLE": np.float64}
    columns = {
        name: np.fromiter((row[place] for row in listed), dtype=kinds[type], count=len(listed))
        for place, (name, type) in enumerate(zip(COLUMNS, types, strict=True))
    }
    with duck.database() as connection:
        duck.write_parquet(connection, columns, dict(zip(COLUMNS, types, strict=True)), file)
