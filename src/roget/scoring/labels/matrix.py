"""Read contingency matrices, with classes as rows and clusters as columns, from a file or memory.

A file may have a header with the names of the clusters, and a first column with the names of the
classes. Cells are separated by commas, tabs or spaces. Brackets, as printed by NumPy, are ignored.
"""

from __future__ import annotations

import csv
import os
import re
from itertools import pairwise
from typing import Any

import numpy as np

from roget.core.io.header import is_column_name
from roget.core.io.table import is_number, split_blanks
from roget.errors import InputError, Notice
from roget.scoring.labels.align import AlignedLabels, handle_missing, mark_noise
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.formats import is_binary
from roget.scoring.labels.labels import LabelCodes, Labels
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.totals import drop_totals, list_names


def read_matrix(
    source: Any, missing: str, noise: str | None = None, header: bool | None = None
) -> AlignedLabels:
    """Convert a contingency matrix (a file, an array or a data frame) to aligned labels."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        values, classes, clusters = _parse(name, header)
    else:
        name, values = "the matrix", source
        classes, clusters = (list_names(source, axis) for axis in ("index", "columns"))
        values = source if clusters is None else source.to_numpy()
    values, classes, clusters, dropped = drop_totals(values, classes, clusters)
    warnings: list[str] = []
    if dropped:
        text = f"{name}: the totals in the last {' and the last '.join(dropped)} are not counted"
        warnings.append(Notice(text, code="dropped-totals"))
    table = Contingency.from_table(values)
    sides = []
    for codes, names, used in (
        (table.rows, classes, table.class_codes),
        (table.columns, clusters, table.cluster_codes),
    ):
        shown = [str(at if names is None else names[at]) for at in used.tolist()]
        sides.append(Labels(**LabelCodes(codes, used.size, shown)._asdict(), source=name))
    gold, system = sides
    if noise is not None:
        system = mark_noise(system, noise)
    return handle_missing(gold, system, table.counts, 0, warnings, missing, noise)


def _parse(name: str, header: bool | None) -> tuple[np.ndarray, list[str] | None, list[str] | None]:
    """Parse a matrix file. Return the numbers, the row names and the column names."""
    if is_binary(name) or name.lower().endswith((".parquet", ".pq", ".pkl")):
        raise InputError(
            f"{name}: --matrix reads tables of text (CSV, TSV or as numpy prints them); save the "
            "matrix as CSV, or in Python pass the array or frame: roget.score(matrix=...)",
            code="unsupported-format",
        )
    with LabelFile(name) as file:
        lines = [(at, _split(text)) for at, text in file.lines() if text.strip(" []\t")]
    if not lines:
        raise InputError(f"{name}: no items", code="empty-input")
    if _has_index_line(lines):
        header = True
        del lines[1]
    first, width = lines[0][1], len(lines[min(1, len(lines) - 1)][1])
    if header is None:
        header = len(lines) > 1 and _is_header(first, lines, width, name)
    heading: list[str] | None = None
    if header:
        heading, lines = first, lines[1:]
    named = bool(lines) and not all(is_number(cells[0]) for _, cells in lines)
    named = named or _skips_corner(heading, width)
    if heading is not None and not is_number(heading[0]):
        # With a header such as class,0,1,2 or ,k0,k1, the first column contains the row names.
        named = named or heading[0] == "" or all(map(is_number, heading[1:]))
    rows, names = [], []
    for at, cells in lines:
        if len(cells) != width:
            raise InputError(
                f"{name}:{at}: found {len(cells)} columns; expected {width} in every row of a "
                f"matrix",
                code="length-mismatch",
            )
        names.append(cells[0])
        try:
            rows.append([float(cell) for cell in cells[named:]])
        except ValueError:
            wrong = next(cell for cell in cells[named:] if not is_number(cell))
            raise InputError(
                f"{name}:{at}: {wrong!r} is not a count; expected a matrix of counts with classes "
                "as rows and clusters as columns",
                code="bad-count",
            ) from None
    if not rows or not rows[0]:
        raise InputError(f"{name}: no items", code="empty-input")
    columns = None if heading is None else heading[len(heading) - len(rows[0]) :]
    return np.array(rows), names if named else None, columns


def _has_index_line(lines: list[tuple[int, list[str]]]) -> bool:
    """Return True if the second line contains only a name, as in printed pandas crosstabs.

    The second line then contains the name of the row index, and the first line is a header.
    """
    if len(lines) < 3 or len(lines[0][1]) != len(lines[2][1]):
        return False
    return len(lines[1][1]) == 1 < len(lines[0][1]) and not is_number(lines[1][1][0])


def _is_header(
    first: list[str], lines: list[tuple[int, list[str]]], width: int, source: str
) -> bool:
    """Return True if the first line is a header, or raise an error if this is unclear.

    A header contains a name, or its first cell is empty or missing. Column names may also be
    numbers, as in class,0,1,2.
    """
    if not all(map(is_number, first[1:])) or first[0] == "" or len(first) == width - 1:
        return True
    if is_number(first[0]) or any(is_number(cells[0]) for _, cells in lines[1:]):
        return not is_number(first[0])
    numbers = [float(cell) for cell in first[1:]]
    if is_column_name(first[0]) and all(one < two for one, two in pairwise(numbers)):
        return True
    if numbers not in ([*range(len(numbers))], [*range(1, len(numbers) + 1)]):
        return False
    if len(numbers) > 2:
        return True
    raise InputError(
        f"{source}:{lines[0][0]}: {', '.join(first)!r} may be a header or a row of counts; pass "
        "--header or --no-header",
        code="ambiguous-header",
    )


def _skips_corner(header: list[str] | None, width: int) -> bool:
    """Return True if the header has no cell for the column of row names."""
    return header is not None and len(header) == width - 1


def _split(line: str) -> list[str]:
    """Split a line at tabs, commas or spaces."""
    if "\t" in line:
        return [cell.strip() for cell in line.split("\t")]
    text = re.sub(r"[\[\]]", " ", line).strip().rstrip(",") if "[" in line or "]" in line else line
    if "," in text:
        return [cell.strip() for cell in next(csv.reader([text]))]
    return split_blanks(text)
