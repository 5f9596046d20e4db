"""Read NumPy arrays in .npy and .npz files, and linkage matrices.

A one-dimensional array holds one label per item. A matrix holds label weights, or the gold and
system labels of each item. An .npz archive holds one array, or one array per column.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from roget.core.folder import read_npy, read_npz
from roget.core.io.frames import FrameColumns
from roget.core.io.problems import Problems
from roget.core.io.source import local_file
from roget.errors import InputError, Notice
from roget.scoring.labels.columns import SINGLE, Columns, LabelRoles
from roget.scoring.labels.files import LabelFile
from roget.scoring.labels.frames import select_columns
from roget.scoring.labels.hierarchy import Hierarchy, is_linkage
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.memory import convert_data
from roget.scoring.labels.readers.base import LabelReader
from roget.scoring.labels.table import LabelTable, to_labels


def read_array(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read gold or system labels from an .npy file, which may also contain a linkage matrix."""
    array = _load_array(file)
    if not is_linkage(array):
        return convert_data(array, file.name, columns, gold=gold, cover=file.cover)
    tree = _merge(array, file)
    text = (
        f"{file.name} is read as a linkage matrix for {len(tree):,} items, not as weights of labels"
    )
    return replace(tree, warnings=(Notice(text, code="inferred-format"),)).to_labels()


def read_array_rows(
    file: LabelFile, columns: Columns | None, roles: LabelRoles, problems: Problems
) -> LabelTable:
    """Read an .npy matrix with two columns, gold and system."""
    array = _load_array(file)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(
            f"{file.name}: found an array of shape {array.shape}; expected two columns (gold, "
            "system), or two files",
            code="ambiguous-columns",
        )
    frame = FrameColumns({"gold": array[:, 0], "system": array[:, 1]})
    return select_columns(frame, roles, columns, file.name)


def read_linkage(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read a SciPy linkage matrix, or scikit-learn's `children_`."""
    return _merge(_load_array(file), file).to_labels()


def read_archive(file: LabelFile, columns: Columns | None, gold: bool) -> Labels:
    """Read gold or system labels from an .npz archive with one array, or one array per column."""
    arrays = load_archive(file)
    if len(arrays) == 1 and not columns:
        (array,) = arrays.values()
        return convert_data(array, file.name, None, gold=gold, cover=file.cover)
    return to_labels(select_columns(arrays, SINGLE, columns, file.name), gold=gold)


def _merge(array: Any, file: LabelFile) -> Hierarchy:
    make = Hierarchy.from_children if array.shape[-1:] == (2,) else Hierarchy.from_linkage
    return make(array, source=Path(file.name).name)


def _load_array(file: LabelFile) -> Any:
    try:
        with local_file(file.path) as path:
            return read_npy(path)
    except InputError as error:
        raise InputError(
            f"{file.name}: cannot be read as .npy: {error}", code="broken-archive"
        ) from None


def load_archive(file: LabelFile) -> FrameColumns:
    """Load the arrays of an .npz archive as columns."""
    with local_file(file.path) as path:
        arrays = read_npz(path, packed=True, kinds="biufUS")
    lengths = {len(array) if array.ndim == 1 else -1 for array in arrays.values()}
    if not arrays or (len(arrays) > 1 and (len(lengths) > 1 or -1 in lengths)):
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InputError(
            f"{file.name}: found {f'the arrays {shapes}' if shapes else 'no arrays'}; expected one "
            "array of labels, or one-dimensional arrays of the same length, e.g. gold and system",
            code="length-mismatch",
        )
    return FrameColumns(arrays)


NPY = LabelReader(
    "A numpy array: labels by position, weights of labels, or a linkage.",
    (".npy",),
    labels=read_array,
    table=read_array_rows,
    is_binary=True,
)
NPZ = LabelReader(
    "A numpy archive: one array of labels, or one array per column.",
    (".npz",),
    labels=read_archive,
    frame=load_archive,
    is_table=True,
    is_binary=True,
)
LINKAGE = LabelReader(
    "A scipy linkage or scikit-learn's children_ in an .npy file.",
    labels=read_linkage,
    is_tree=True,
    is_binary=True,
)
