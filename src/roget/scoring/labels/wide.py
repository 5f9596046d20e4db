"""Read wide tables, in which each column is a clustering of the same items."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from roget import catalogue
from roget.core.io.frames import FrameColumns, frame_columns
from roget.core.io.problems import Problems, plural
from roget.core.io.table import Table, detect_delimiter, inspect_parquet
from roget.errors import InputError, Notice
from roget.scoring.labels.columns import FEW, NAMES, NOUNS, SINGLE, Columns, find_index
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.formats import detect_format
from roget.scoring.labels.frames import table_from_columns
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.readers.base import refuse_json
from roget.scoring.labels.table import number, to_labels

FORMATS = ("csv", "tsv", "parquet")


def split_frame(
    frame: Any, columns: Columns | None = None, source: str = "the table", *, least: int = 2
) -> dict[str, Labels]:
    """Return the clusterings in a table, keyed by column name.

    Columns with items, groups or weights are not clusterings. A first column without a name, such
    as the index column in CSV files from pandas, is not a clustering either. It holds the item ids
    unless there is another item column. Without an item column, a first column whose values are
    all different holds the item ids. The role label selects clusterings (label=a+b). There must be
    at least `least` clusterings.
    """
    named = frame_columns(frame)
    names = list(named)
    if "weight" in (columns or {}):
        raise InputError(
            f"{source}: a table with one column per clustering cannot have a column of weights; "
            "remove weight from the columns",
            code="invalid-option",
        )
    places = find_shared(names, columns, source)
    notices = []
    if "item" not in places and _holds_ids(named, places, columns):
        places["item"] = 0
        text = (
            f"{source}: all values in the column {names[0]} are different, so it is read as "
            "item ids"
        )
        notices.append(Notice(text, code="inferred-items"))
    lowered = [name.strip().lower() for name in names]
    others = {find_index(names), *places.values()}
    left = [
        name
        for at, name in enumerate(names)
        if at not in others and lowered[at] not in NAMES["weight"]
    ]
    chosen = (columns or {}).get("label")
    if chosen is not None:
        requested = SINGLE.find_several(names, "label", chosen, source)
        left = [names[at] for at in requested]
    if len(left) < least:
        raise InputError(
            f"{source}: found {plural(len(left), 'column')} of labels among {', '.join(names)}; "
            "expected two or more clusterings, as columns of one file or as several files",
            code="missing-column",
        )
    shared = {role: named[names[at]] for role, at in places.items()}
    clusterings = {}
    for name in left:
        problems = Problems(f"{source}, column {name}")
        rows = table_from_columns({**shared, "label": named[name]}, problems)
        rows.warnings.extend(notices)
        clusterings[name] = to_labels(rows, gold=False)
    return clusterings


def _holds_ids(named: dict[str, Any], places: Mapping[str, int], columns: Columns | None) -> bool:
    """Return True if all values in the first of several columns are different.

    Numbers must also differ in more than `FEW` rows, because they may be cluster numbers.
    """
    if len(named) < 2 or 0 in places.values() or (columns and "label" in columns):
        return False
    first, *others = (list(column) for column in named.values())
    texts = all(isinstance(value, str) and number(value) is None for value in first)
    if len(first) < (2 if texts else FEW + 1) or len(set(map(str, first))) < len(first):
        return False
    return any(len(set(map(str, other))) < len(other) for other in others)


def find_shared(names: list[str], columns: Columns | None, source: str) -> dict[str, int]:
    """Return the item and group columns, which all clusterings in a table share."""
    lowered = [name.strip().lower() for name in names]
    shared = {role: name for role, name in (columns or {}).items() if role != "label"}
    places = SINGLE.find_requested(names, shared, source)
    for role, known in (("item", (*NAMES["item"], *NOUNS)), ("group", NAMES["group"])):
        free = [at for at in range(len(names)) if at not in places.values()]
        found = [at for word in known for at in free if lowered[at] == word]
        if role not in places and found:
            places[role] = found[0]
    index = find_index(names)
    if index >= 0 and index not in places.values():
        places.setdefault("item", index)
    return places


def read_columns(
    path: str | os.PathLike[str], labels: str | None = None, columns: Columns | None = None
) -> dict[str, Labels]:
    """Read a file in which each column is a clustering."""
    with LabelFile(os.fspath(path)) as file:
        format = labels or detect_format(file)
        return split_frame(_load_columns(file, format), columns, file.name)


def _load_columns(file: LabelFile, format: str) -> Any:
    """Load all columns of a table that has a header, keyed by name."""
    load = catalogue.load("label formats", format).frame
    if load is not None:
        return load(file)
    if format not in FORMATS:
        raise InputError(
            f"{file.name}: the file has only one clustering; pass several files, or one file "
            f"({', '.join(FORMATS)}) with a column for each clustering",
            code="unsupported-format",
        )
    problems = Problems(file.name)
    if format == "parquet":
        table = inspect_parquet(Table(file.name, file.plain.path, format), held=True)
        cells = [row for _, row in table.whole_rows(problems)]
    else:
        table = _inspect_header(file, format)
        rows = table.whole_rows(problems)
        cells = [[cell.strip() or None for cell in row] for _, row in rows]
    problems.check()
    names = table.names
    return FrameColumns({name: [row[at] for row in cells] for at, name in enumerate(names)})


def _inspect_header(file: LabelFile, format: str) -> Table:
    """Return the layout of a delimited file, whose header must name the clusterings."""
    refuse_json(file, f"{'tab' if format == 'tsv' else 'comma'}-separated columns")
    line, first = file.first_line
    table = Table(file.name, file.plain.path, format, source=file.plain)
    delimiter = detect_delimiter(table, line, first, SINGLE)
    table = Table(file.name, file.plain.path, format, delimiter=delimiter, source=file.plain)
    rows = (cells for _, cells in table.cells() if not isinstance(cells, str) and any(cells))
    names = tuple(str(cell).strip() for cell in next(rows, ()))
    if len(set(names)) < len(names) or any(number(name) is not None for name in names):
        raise InputError(
            f"{file.name}:{line}: expected a header that names the clusterings, found "
            f"{', '.join(names)}",
            code="missing-column",
        )
    return Table(
        file.name,
        file.plain.path,
        format,
        names,
        header=True,
        delimiter=delimiter,
        source=file.plain,
    )
