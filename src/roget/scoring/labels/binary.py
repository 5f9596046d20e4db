"""Label files that other libraries read: .npy, .feather and .arrow, .xlsx."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roget.core.folder import check_archive, read_npy
from roget.core.io import limits
from roget.core.io.arrow import weigh_arrow
from roget.errors import InputError
from roget.scoring.labels.frames import FrameColumns
from roget.scoring.labels.hierarchy import Hierarchy, is_linkage

if TYPE_CHECKING:
    from roget.scoring.labels.labels import Labels
    from roget.scoring.labels.read import LabelFile
    from roget.scoring.labels.table import Columns


def load(path: str) -> Any:
    """What a file holds, as data in memory: an array, or a table."""
    suffix = Path(path).suffix.lower()
    if suffix != ".npy":
        return _load_sheet(path) if suffix == ".xlsx" else _load_arrow(path)
    array = _load_array(path, path)
    if not is_linkage(array):
        return array
    # It can be nothing but the merges of a hierarchy.
    tree = _merge(array, path)
    said = f"{path} is read as the merges of {len(tree):,} items, not as weights of their labels"
    return replace(tree, warnings=(said,))


def _merge(array: Any, path: str) -> Hierarchy:
    name = Path(path).name
    make = Hierarchy.from_children if array.shape[-1:] == (2,) else Hierarchy.from_linkage
    return make(array, source=name)


def read_linkage(file: LabelFile, *, columns: Columns | None = None, gold: bool = False) -> Labels:
    """The dendrogram of a scipy linkage, or of scikit-learn's `children_`, in an .npy file."""
    path = file.source.path
    return _merge(_load_array(path, file.name), path).to_labels()


def _load_array(path: str, name: str) -> Any:
    try:
        return read_npy(Path(path))
    except InputError as error:
        raise InputError(f"{name}: cannot be read as .npy: {error}") from None


def _load_arrow(path: str) -> Any:
    feather = _find("pyarrow.feather", path, "save it as Parquet")
    with _readable(path, "Arrow"):
        rows, size = weigh_arrow(path)
    what = f"a table of {rows:,} rows, {limits.show_size(size)} in memory"
    limits.require_room(path, size, limits.weigh(path), what)
    with _readable(path, "Arrow"):
        table = feather.read_table(path)
        # What a file says of its parts is trusted until then.
        table.validate(full=True)
        return table


def _load_sheet(path: str) -> Any:
    """The first sheet of a workbook, as CSV that the readers know."""
    openpyxl = _find("openpyxl", path, "save the sheet as CSV")
    check_archive(Path(path))
    with _readable(path, "a workbook"):
        book = openpyxl.load_workbook(path, read_only=True)
        rows = [
            row
            for row in book.worksheets[0].iter_rows(values_only=True)
            if any(cell is not None for cell in row)
        ]
    if len(rows) < 2:
        raise InputError(f"{path}: no items in the first sheet; expected a header and rows")
    # Rows may be as long as what is in them.
    columns = list(zip_longest(*rows))
    names = ["" if column[0] is None else str(column[0]).strip() for column in columns]
    if len(set(names)) < len(names):
        raise InputError(f"{path}: two columns have the same name; expected a header in row 1")
    cells = [list(column[1:]) for column in columns]
    return FrameColumns(dict(zip(names, cells, strict=True)))


@contextmanager
def _readable(path: str, kind: str) -> Iterator[None]:
    """Name the file in whatever another library says of it: each has errors of many kinds."""
    try:
        yield
    except Exception as error:
        said = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{path}: cannot be read as {kind}: {said}") from None


def _find(module: str, path: str, cure: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise InputError(f"{path}: needs {package}: pip install {package}, or {cure}") from None
