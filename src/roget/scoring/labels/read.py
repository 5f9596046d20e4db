"""Read labels: files of any format, data in memory, and files with both sides."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from roget.core.io.problems import Problems
from roget.core.io.source import STANDARD_INPUT, is_pipe, state_of
from roget.scoring.labels.columns import PAIR, Columns, LabelRoles
from roget.scoring.labels.files import LabelFile, is_thesaurus, name_files
from roget.scoring.labels.formats import (
    THESAURUS,
    detect_format,
    get_reader,
    is_binary,
    is_tree,
    list_files,
)
from roget.scoring.labels.labels import Labels, NoItems, as_cover, concatenate
from roget.scoring.labels.table import LabelTable, to_pair
from roget.scoring.options import RULES

if TYPE_CHECKING:
    from roget.scoring.labels.align import AlignedLabels

LARGE = 1 << 20
"""Total bytes of the files from which DuckDB, which is slow to start, is faster."""


def as_labels(
    source: Any,
    *,
    labels: str | None = None,
    columns: Columns | None = None,
    gold: bool = False,
    name: str | None = None,
    several: str | None = None,
    header: bool | None = None,
) -> Labels:
    """Return the labels of a source.

    A str or path is a label file; `labels` names its format, `columns` its columns, and `header`
    whether its first row is a header, if they cannot be detected. A mapping goes from item to
    label, or to a mapping of labels to weights. A matrix, dense or sparse, holds a weight per item
    (row) and label (column); an empty row means no label. Clusters may also be listed as sets of
    items. With `gold`, files with unlabelled items are refused. `name` is the name of data in
    memory in messages. `several` labels of an item are fractional ("weights") or full memberships
    ("cover"); only in a cover may an item be repeated without weights.

    >>> as_labels(["a", "b", "a"]).codes.tolist()
    [0, 1, 0]
    >>> as_labels({"d1": "x", "d2": {"x": 1, "y": 3}}).weights.tolist()
    [1.0, 0.25, 0.75]
    """
    if isinstance(source, Labels):
        found = source
    elif isinstance(source, str | os.PathLike):
        # A gold standard next to a tree has the format that its own name indicates.
        format = None if gold and labels is not None and is_tree(labels) else labels
        cover = several == "cover"
        found = _read_files(os.fspath(source), format, columns, gold, cover, header)
    else:
        from roget.scoring.labels.memory import convert_data

        name = name or ("the gold labels" if gold else "the system labels")
        found = convert_data(source, name, columns, gold=gold, cover=several == "cover")
    if several == "cover" and not found.cover:
        return as_cover(found)
    return replace(found, cover=False) if several == "weights" and found.cover else found


def _read_files(
    path: str,
    format: str | None,
    columns: Columns | None,
    gold: bool,
    cover: bool,
    header: bool | None,
) -> Labels:
    """Read the labels of a file, of the files of a folder, or of a thesaurus folder."""
    if format == THESAURUS or (format is None and is_thesaurus(path)):
        return get_reader(THESAURUS)(LabelFile(path), columns=columns, gold=gold)
    paths = list_files(path)
    parts = []
    for one in paths:
        # Clusters write one file per partition, and some may be empty.
        with (
            LabelFile(one, cover=cover, header=header) as file,
            suppress(*[NoItems] if len(paths) > 1 else []),
        ):
            reader = get_reader(format or detect_format(file))
            parts.append(reader(file, columns=columns, gold=gold))
    if not parts:
        raise NoItems(f"{name_files(paths)}: no items")
    return parts[0] if len(paths) == 1 else concatenate(parts, name_files(paths))


def count_large(
    gold: Any,
    system: Any,
    missing: str,
    labels: str | None = None,
    columns: Columns | None = None,
    noise: str | None = None,
    memory: str | None = None,
    extra: str = RULES.extra,
    header: bool | None = None,
) -> AlignedLabels | None:
    """Return the cells of large tables, counted by DuckDB; None if labels must be read singly.

    Without a system, gold has the columns of both sides.
    """
    sides = [side for side in (gold, system) if side is not None]
    if not all(isinstance(side, str | os.PathLike) for side in sides):
        return None
    names = [os.fspath(side) for side in sides]
    if any(is_binary(name) or is_thesaurus(name) for name in names):
        return None
    paths = [list_files(name) for name in names]
    if sum((state_of(path) or (0, 0))[0] for side in paths for path in side) < LARGE:
        return None
    if any(path == STANDARD_INPUT or is_pipe(path) for side in paths for path in side):
        return None
    from roget.scoring.labels.duckdb_join import count_files

    return count_files(paths, missing, labels, columns, noise, extra, memory, header)


def read_pair(
    path: str | os.PathLike[str],
    *,
    labels: str | None = None,
    columns: Columns | None = None,
    header: bool | None = None,
) -> tuple[Labels, Labels]:
    """Return the gold and system labels of a file with a column for each.

    Columns are found by their header, or they are gold and system in this order. With a header
    there may also be columns for item and group. An empty system cell is an item without a label.
    """
    pairs = [to_pair(rows) for rows in read_tables(path, labels, columns, PAIR, header)]
    if len(pairs) == 1:
        return pairs[0]
    name = name_files([gold.source for gold, _ in pairs])
    golds, systems = zip(*pairs, strict=True)
    return concatenate(golds, name), concatenate(systems, name)


def read_tables(
    path: str | os.PathLike[str],
    labels: str | None,
    columns: Columns | None,
    roles: LabelRoles,
    header: bool | None = None,
) -> list[LabelTable]:
    """Return the rows of a table with columns for `roles`, one part for each of its files."""
    parts: list[LabelTable] = []
    paths = list_files(os.fspath(path))
    for one in paths:
        with LabelFile(one, header=header) as file:
            reader = get_reader(labels or detect_format(file))
            if reader.table is None or not (reader.is_table or reader.is_binary):
                # Formats without columns: the file is a table all the same.
                reader = get_reader("tsv")
            assert reader.table is not None
            rows = reader.table(file, columns, roles, Problems(file.name))
            if len(rows.lines):
                parts.append(rows)
            else:
                rows.problems.check()
    if not parts:
        raise NoItems(f"{name_files(paths)}: no items")
    return parts
