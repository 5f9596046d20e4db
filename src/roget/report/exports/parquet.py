"""Words and their classes as a Parquet file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

from roget.core.io.duck import database, write_parquet
from roget.core.store import new_file
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import PLAIN, Options, Target, is_text
from roget.report.exports.rows import COLUMNS, rows

_TEXTS = ("word", "class_path", "label")


def write(thesaurus: Thesaurus, target: Target, options: Options = PLAIN) -> None:
    """Write a row for each word and class in which it is listed."""
    if is_text(target):
        raise InputError("Parquet is bytes: expected a file, or a stream of bytes")
    if isinstance(target, str | os.PathLike):
        with new_file(target) as draft:
            _write(thesaurus, draft)
        return
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        file = Path(folder) / "rows.parquet"
        _write(thesaurus, file)
        target.write(file.read_bytes())


def _write(thesaurus: Thesaurus, file: Path) -> None:
    listed = list(rows(thesaurus))
    whole = all(isinstance(row[-1], int) for row in listed)
    types = {
        **dict.fromkeys(_TEXTS, "VARCHAR"),
        "probability": "DOUBLE",
        "count": "BIGINT" if whole else "DOUBLE",
    }
    kinds = {"BIGINT": np.int64, "DOUBLE": np.float64}
    columns = {}
    for place, name in enumerate(COLUMNS):
        array = np.empty(len(listed), dtype=kinds.get(types[name], object))
        array[:] = [row[place] for row in listed]
        columns[name] = array
    with database() as connection:
        write_parquet(connection, columns, types, file)
