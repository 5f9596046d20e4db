"""Tables with a column for each of several clusterings of the same items."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from roget.core.io.limits import TIMES
from roget.core.io.problems import Problems, plural
from roget.core.io.table import Table, look_at_parquet
from roget.errors import InputError
from roget.scoring.labels.frames import FrameColumns, frame_columns, rows_of
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.read import BINARY, LabelFile, detect_format, find_delimiter
from roget.scoring.labels.table import NAMES, NOUNS, Columns, find_asked, number, to_labels

ROLES = ("item", "group")
FORMATS = ("csv", "tsv", "parquet")


def split_frame(
    frame: Any, columns: Columns | None = None, source: str = "the table"
) -> dict[str, Labels]:
    """The clusterings of a table, by the names of their columns.

    A column of weights is none, nor a first one without a name, as pandas writes its index: that
    is the item, unless another column is.
    """
    named = frame_columns(frame)
    names = list(named)
    lowered = [name.strip().lower() for name in names]
    places = find_asked(names, ROLES, columns, source)
    for role, known in (("item", (*NAMES["item"], *NOUNS)), ("group", NAMES["group"])):
        free = [at for at in range(len(names)) if at not in places.values()]
        found = [at for word in known for at in free if lowered[at] == word]
        if role not in places and found:
            places[role] = found[0]
    index = {0} if lowered and not lowered[0] else set()
    if index - set(places.values()):
        places.setdefault("item", 0)
    left = [
        name
        for at, name in enumerate(names)
        if at not in index.union(places.values()) and lowered[at] not in NAMES["weight"]
    ]
    if len(left) < 2:
        raise InputError(
            f"{source}: {plural(len(left), 'column')} of labels among: {', '.join(names)}; "
            "expected a column for each of several clusterings, or several files"
        )
    shared = {role: named[names[at]] for role, at in places.items()}
    return {
        name: to_labels(
            rows_of({**shared, "label": named[name]}, Problems(f"{source}, column {name}")),
            gold=False,
        )
        for name in left
    }


def read_columns(
    path: str | os.PathLike[str], labels: str | None = None, columns: Columns | None = None
) -> dict[str, Labels]:
    """The clusterings of one file with a column for each."""
    place = os.fspath(path)
    if Path(place).suffix.lower() in BINARY:
        from roget.scoring.labels.binary import load

        return split_frame(load(place), columns, place)
    with LabelFile(place) as file:
        form = labels or detect_format(file)
        if form not in FORMATS:
            raise InputError(
                f"{file.name}: one clustering; expected several files, or one as "
                f"{', '.join(FORMATS)} with a column for each clustering"
            )
        return split_frame(_gather(file, form), columns, file.name)


def _gather(file: LabelFile, form: str) -> FrameColumns:
    """All columns of a table with a header, by name."""
    if form == "parquet":
        table = look_at_parquet(Table(file.name, file.plain.path, form), TIMES)
        rows = [list(cells) for _, cells in table.cells()]
        return FrameColumns(
            {name: [row[at] for row in rows] for at, name in enumerate(table.names)}
        )
    delimiter = find_delimiter(file, file.first_line()[1], form)
    table = Table(file.name, file.plain.path, form, delimiter=delimiter, source=file.plain)
    problems = Problems(file.name)
    names: list[str] = []
    columns: list[list[str | None]] = []
    for line, cells in table.cells():
        if isinstance(cells, str):
            problems.add(line, cells)
        elif not any(map(str.strip, cells)):
            continue
        elif not names:
            names = [cell.strip() for cell in cells]
            columns = [[] for _ in names]
        elif len(cells) != len(names):
            said = f"{plural(len(cells), 'field')}; expected {len(names)}, as in the first line"
            problems.add(line, said)
        else:
            for column, cell in zip(columns, cells, strict=True):
                column.append(cell.strip() or None)
    problems.check()
    if len(set(names)) < len(names) or any(number(name) is not None for name in names):
        raise InputError(
            f"{file.name}: expected a first line that names the clusterings, found "
            f"{', '.join(names)}"
        )
    return FrameColumns(zip(names, columns, strict=True))
