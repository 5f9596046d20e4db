"""Read labels from files in any format, in-memory data, and files with gold and system labels."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from roget import catalogue
from roget.core.io.problems import Problems
from roget.core.io.source import STANDARD_INPUT, is_pipe, state_of
from roget.core.io.table import is_number
from roget.errors import InputError
from roget.scoring.labels.columns import FEW, PAIR, Columns, LabelRoles
from roget.scoring.labels.files import LabelFile, is_thesaurus, name_files
from roget.scoring.labels.formats import (
    KIND,
    THESAURUS,
    detect_format,
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
"""Minimum total size, in bytes, of files to read with DuckDB.

For smaller files, its start-up time outweighs its speed.
"""


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
    """Read or convert any source of labels.

    Parameters
    ----------
    source
        A label file (str or path); a sequence of labels; a mapping from item to label, or to a
        mapping from label to weight; a dense or sparse matrix of weights with shape (items,
        labels), in which a row of zeros means no label; a list of clusters, each a set of items; or
        a table.
    labels, columns, header
        The format of a file, the map from roles to columns, and a flag that is True if the first
        row is a header. All three are detected by default.
    gold
        True for a gold standard, in which every item of a file must have a label.
    name
        The name of in-memory data in messages.
    several
        How to read items with several labels: "weights" for fractional membership, "cover" for full
        membership in each cluster. An item may be repeated without weights only in a cover.

    Examples
    --------
    >>> as_labels(["a", "b", "a"]).codes.tolist()
    [0, 1, 0]
    >>> as_labels({"d1": "x", "d2": {"x": 1, "y": 3}}).weights.tolist()
    [1.0, 0.25, 0.75]
    """
    if isinstance(source, Labels):
        found = source
    elif isinstance(source, str | os.PathLike):
        # `labels` may be the format of a tree. A gold standard is never a tree, so its format is
        # detected from its own file name.
        format = None if gold and labels is not None and is_tree(labels) else labels
        path = os.fspath(source)
        single = os.path.isfile(path)
        if format == THESAURUS or (format is None and not single and is_thesaurus(path)):
            reader = catalogue.load(KIND, THESAURUS)
            found = reader(LabelFile(path), columns=columns, gold=gold)
        else:
            paths = [path] if single else list_files(path)
            parts = []
            for one in paths:
                # Programs such as Spark write one file per partition, some of which may be empty.
                with (
                    LabelFile(one, cover=several == "cover", header=header) as file,
                    suppress(*[NoItems] if len(paths) > 1 else []),
                ):
                    reader = catalogue.load(KIND, format or detect_format(file))
                    parts.append(reader(file, columns=columns, gold=gold))
            if not parts:
                raise NoItems(f"{name_files(paths)}: no items")
            found = parts[0] if len(paths) == 1 else concatenate(parts, name_files(paths))
    else:
        from roget.scoring.labels.memory import convert_data

        name = name or ("the gold labels" if gold else "the system labels")
        found = convert_data(source, name, columns, gold=gold, cover=several == "cover")
    if several == "cover" and not found.cover:
        return as_cover(found)
    return replace(found, cover=False) if several == "weights" and found.cover else found


def are_small(*sides: Any) -> bool:
    """Return True if all inputs are local files small enough to be read faster without DuckDB."""
    paths = [side for side in sides if isinstance(side, str | os.PathLike)]
    if len(paths) < len([side for side in sides if side is not None]):
        return False
    return all(map(os.path.isfile, paths)) and sum(map(os.path.getsize, paths)) < LARGE


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
    """Count the contingency cells of large tables with DuckDB, or return None if it cannot.

    If `system` is None, `gold` is a file with both gold and system labels.
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
    """Read gold and system labels from a file that has a column for each.

    Columns are identified by the header, which may also name item and group columns. If there is no
    header, the columns are gold and system, in this order. An empty system cell means no label.
    """
    pairs = [to_pair(rows) for rows in read_tables(path, labels, columns, PAIR, header)]
    if header is None and not columns:
        for gold, system in pairs:
            _refuse_ids(gold, system)
    if len(pairs) == 1:
        return pairs[0]
    name = name_files([gold.source for gold, _ in pairs])
    golds, systems = zip(*pairs, strict=True)
    return concatenate(golds, name), concatenate(systems, name)


def _refuse_ids(gold: Labels, system: Labels) -> None:
    """Raise an error if the gold column of a file probably contains item ids."""
    first = gold.first_row
    if first is None or gold.weighted:
        return
    if first.is_header and not (len(gold) > FEW and system.n_labels <= len(gold) / 2):
        return
    if len(gold) < 2 or gold.n_labels < len(gold):
        return
    if len(gold) == 2 and not all(map(is_number, map(system.label, system.codes))):
        return
    raise InputError(
        f"{gold.source}: all values of the first column differ, so they are probably item ids; "
        "pass the file of the system as the second argument, --matrix for a contingency matrix, or "
        "--no-header if the columns are gold and system labels",
        code="missing-option",
    )


def read_tables(
    path: str | os.PathLike[str],
    labels: str | None,
    columns: Columns | None,
    roles: LabelRoles,
    header: bool | None = None,
) -> list[LabelTable]:
    """Read tables that have a column for each role. Return one label table per file."""
    parts: list[LabelTable] = []
    paths = list_files(os.fspath(path))
    for one in paths:
        with LabelFile(one, header=header) as file:
            reader = catalogue.load(KIND, labels or detect_format(file))
            if reader.table is None or not (reader.is_table or reader.is_binary):
                # The detected format has no columns, but a table is required. Read the file as TSV.
                reader = catalogue.load(KIND, "tsv")
            assert reader.table is not None
            rows = reader.table(file, columns, roles, Problems(file.name))
            if len(rows.lines):
                parts.append(rows)
            else:
                rows.problems.check()
    if not parts:
        raise NoItems(f"{name_files(paths)}: no items")
    return parts
