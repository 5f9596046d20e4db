"""Files of numpy, Arrow and Excel, and files in a .zip."""

from __future__ import annotations

import importlib
import pickle
import re
import zipfile

import numpy as np
import pytest

import roget
from roget.errors import InputError
from roget.scoring.labels import as_labels
from support.errors import refused


def test_npy_file_is_read_as_labels(tmp_path):
    np.save(tmp_path / "a.npy", np.array([3, 1, 3]))
    assert as_labels(tmp_path / "a.npy").codes.tolist() == [3, 1, 3]
    np.save(tmp_path / "b.npy", np.array([{"a": 1}], dtype=object))
    with refused("broken-archive", "b.npy"):
        as_labels(tmp_path / "b.npy")


def test_arrow_file_is_read_as_labels(tmp_path, answers):
    pyarrow = pytest.importorskip("pyarrow")
    feather = importlib.import_module("pyarrow.feather")
    table = pyarrow.table({"id": ["d1", "d2"], "topic": ["x", "y"]})
    feather.write_feather(table, tmp_path / "a.feather")
    expected = {(None, "d1"): {"x": 1.0}, (None, "d2"): {"y": 1.0}}
    assert answers(as_labels(tmp_path / "a.feather")) == expected
    (tmp_path / "b.arrow").write_bytes(b"no arrow")
    with refused("broken-archive", "b.arrow"):
        as_labels(tmp_path / "b.arrow")


def test_excel_requires_openpyxl(tmp_path, monkeypatch):
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"")
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with refused("missing-extra"):
        as_labels(path)


def test_excel_file_is_read_as_labels(tmp_path, answers):
    """Like a saved spreadsheet: numeric ids, empty cells, and a blank row."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("id", "label"), ("d1", "x"), (None, None), (2, None)):
        book.active.append(row)
    path = tmp_path / "a.xlsx"
    book.save(path)
    assert answers(as_labels(path)) == {(None, "d1"): {"x": 1.0}, (None, "2"): {}}


def test_short_rows_of_a_sheet_are_padded(tmp_path, answers):
    """Like files of programs that do not store the width of a sheet."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("item", "label", "note"), ("d1", "x"), ("d2", "y", "sure"), ("d3",)):
        book.active.append(row)
    written, path = tmp_path / "written.xlsx", tmp_path / "a.xlsx"
    book.save(written)
    with zipfile.ZipFile(written) as whole, zipfile.ZipFile(path, "w") as archive:
        for name in whole.namelist():
            archive.writestr(name, re.sub(rb"<dimension[^>]*>", b"", whole.read(name)))
    expected = {(None, "d1"): {"x": 1.0}, (None, "d2"): {"y": 1.0}, (None, "d3"): {}}
    assert answers(as_labels(path)) == expected


def test_zip_with_one_file_is_read(tmp_path, answers):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "item,label\nd1,x\n")
    assert answers(as_labels(path)) == {(None, "d1"): {"x": 1.0}}
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("b.csv", "item,label\nd1,x\n")
    with refused("unsupported-format", "2", "a.csv", "b.csv"):
        as_labels(path)
    path.write_bytes(b"PK no zip")
    with refused("broken-archive"):
        as_labels(path)


def test_pickles_are_refused(tmp_path):
    path = tmp_path / "labels.pkl"
    path.write_bytes(pickle.dumps(["a", "b"]))
    with refused("unsupported-format", "labels.pkl"):
        roget.score(path, path)


def test_empty_gold_column_is_one_error(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("item,label\n" + "".join(f"d{at},\n" for at in range(30)))
    with pytest.raises(InputError) as caught:
        roget.score(path, {"d1": 1})
    assert caught.value.code == "missing-label"
    assert str(caught.value).count("\n") == 0
