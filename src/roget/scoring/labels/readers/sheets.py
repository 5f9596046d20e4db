"""Read Arrow and Feather files and Excel workbooks, using pyarrow and openpyxl."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import Any

from roget.core.folder import check_archive
from roget.core.io import limits
from roget.core.io.arrow import measure_arrow
from roget.core.io.frames import FrameColumns
from roget.core.io.source import local_file
from roget.errors import InputError, MissingExtra, Notice
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.readers.base import LabelReader


def load_arrow(file: LabelFile) -> Any:
    """Load a pyarrow table after checking its size."""
    with local_file(file.path) as path:
        feather = _import("pyarrow.feather", file.name, "save it as Parquet")
        with _convert_errors(file.name, "Arrow"):
            rows, size = measure_arrow(str(path))
        what = f"a table of {rows:,} rows, {limits.show_size(size)} in memory"
        limits.require_room(file.name, size, limits.stored_size(str(path)), what)
        with _convert_errors(file.name, "Arrow"):
            table = feather.read_table(str(path))
            # Check that the file's metadata match its buffers.
            table.validate(full=True)
            return table


def load_workbook(file: LabelFile) -> FrameColumns:
    """Load the first or the chosen sheet of a workbook. Its first row is the header."""
    with local_file(file.path) as path:
        openpyxl = _import("openpyxl", file.name, "save the sheet as CSV")
        check_archive(Path(path))
        with _convert_errors(file.name, "a workbook"):
            book = openpyxl.load_workbook(path, read_only=True)
            names = [sheet.title for sheet in book.worksheets]
            chosen = file.sheet or names[0]
            rows = [
                row
                for sheet in book.worksheets
                if sheet.title == chosen
                for row in sheet.iter_rows(values_only=True)
                if any(cell is not None for cell in row)
            ]
    if chosen not in names:
        raise InputError(
            f"{file.name}: no sheet {chosen!r}; the sheets are {', '.join(names)}",
            code="missing-column",
        )
    if len(names) > 1 and not file.sheet:
        text = (
            f"{file.name}: read the sheet {chosen!r}, the first of {', '.join(names)}; to read "
            f"another one, pass {file.name}:{names[1]}"
        )
        file.warnings.append(Notice(text, code="inferred-format"))
    if len(rows) < 2:
        raise InputError(
            f"{file.name}: the sheet {chosen!r} has no items; expected a header and rows; for "
            "another sheet pass FILE.xlsx:SHEET",
            code="empty-input",
        )
    # openpyxl may yield rows of different lengths.
    columns = list(zip_longest(*rows))
    names = ["" if column[0] is None else str(column[0]).strip() for column in columns]
    if len(set(names)) < len(names):
        raise InputError(
            f"{file.name}: two columns have the same name; expected a header with distinct names "
            "in row 1",
            code="duplicate-name",
        )
    cells = [list(column[1:]) for column in columns]
    return FrameColumns(dict(zip(names, cells, strict=True)))


@contextmanager
def _convert_errors(name: str, kind: str) -> Iterator[None]:
    """Convert errors raised by other libraries to InputErrors that name the file."""
    try:
        yield
    except Exception as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(
            f"{name}: cannot be read as {kind}: {reason}", code="broken-archive"
        ) from None


def _import(module: str, name: str, alternative: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise InputError(
            f"{name}: reading this format requires {package}; run pip install {package}, or "
            f"{alternative}",
            code=MissingExtra.code,
        ) from None


ARROW = LabelReader(
    "Arrow or Feather columns item, label[, weight][, group].",
    (".feather", ".arrow"),
    frame=load_arrow,
    is_table=True,
    is_binary=True,
)
XLSX = LabelReader(
    "A sheet of an Excel workbook, with a header: the first, or SHEET in FILE.xlsx:SHEET.",
    (".xlsx",),
    frame=load_workbook,
    is_table=True,
    is_binary=True,
)
