"""Tests of inputs and calls as data scientists write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import roget
from support.errors import codes, notice, refused

GOLD, SYSTEM = list("aabbcc") * 5, [1, 1, 2, 2, 3, 1] * 5
IDS = [f"i{at}" for at in range(30)]


def write_workbook(path, **sheets):
    with pd.ExcelWriter(path) as book:
        for name, frame in sheets.items():
            frame.to_excel(book, sheet_name=name, index=False)
    return str(path)


def test_sheet_of_workbook_is_chosen_by_name(tmp_path):
    gold, system = (pd.DataFrame({"id": IDS, "label": one}) for one in (GOLD, SYSTEM))
    path = write_workbook(tmp_path / "two.xlsx", first=gold, second=system)
    notice(roget.score(gold, path).warnings, "inferred-format", "first", "two.xlsx:second")
    chosen = roget.score(gold, f"{path}:second")
    assert (chosen["ari"], chosen.warnings) == (roget.measure("ari", GOLD, SYSTEM), ())
    with refused("missing-column", "third"):
        roget.score(gold, f"{path}:third")


def test_compare_splits_one_table(tmp_path):
    frame = pd.DataFrame({"id": IDS, "target": GOLD, "one": SYSTEM, "two": SYSTEM[::-1]})
    path = tmp_path / "all.csv"
    frame.to_csv(path, index=False)
    for table in (frame, str(path)):
        assert roget.compare(table).systems == ["one", "two"]
        assert roget.compare(table, columns={"gold": "one"}).systems == ["target", "two"]
    warnings = roget.compare(frame[["id", "target"]], str(path)).warnings
    notice(warnings, "identical-inputs", "target")
    with refused("ambiguous-columns", "truths"):
        roget.compare(frame.rename(columns={"target": "truths"}))


def test_edge_list_is_read_as_pairs(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\nb,c\n")
    assert roget.score({"a": 1, "b": 1, "c": 1, "d": 2}, str(path))["ari"] == 1


def test_systems_may_have_numbers_as_names():
    compared = roget.compare(GOLD, {5: SYSTEM, 15: GOLD})
    assert 5 in compared
    assert compared[15]["ari"] == 1


def test_table_is_a_mapping_with_intervals():
    table = roget.score(GOLD, SYSTEM)
    assert "v" in table
    assert "x" not in table
    assert dict(table)["v"] == table["v@jk"] == table["v", "jk"]
    assert table.low["v@jk"] < table["v@jk"] < table.high["v@jk"]


def test_matrix_of_features_gives_notice():
    weights = np.arange(60.0).reshape(30, 2) + 1
    notice(roget.score(GOLD, weights).warnings, "inferred-format", "2 labels")
    scaled = weights / weights.sum(axis=1, keepdims=True)
    assert "inferred-format" not in codes(roget.score(GOLD, scaled).warnings)


def test_column_array_is_read_as_labels():
    assert roget.score(GOLD, np.array(SYSTEM)[:, None])["ari"] == roget.measure("ari", GOLD, SYSTEM)


def test_index_of_series_joins_ids(tmp_path):
    series, expected = pd.Series(SYSTEM, IDS), roget.measure("ari", GOLD, SYSTEM)
    gold = pd.DataFrame({"id": IDS[::-1], "label": GOLD[::-1]})
    gold.to_csv(tmp_path / "gold.csv", index=False)
    others = (gold, dict(zip(IDS[::-1], GOLD[::-1], strict=True)), str(tmp_path / "gold.csv"))
    assert [roget.score(one, series)["ari"] for one in others] == pytest.approx([expected] * 3)


def test_wrong_arguments_are_refused():
    with refused("invalid-option"):
        roget.scorer(["v", "ari"])
    with refused("invalid-option"):
        roget.compare(pd.Series(GOLD), pd.Series(SYSTEM), pd.Series(SYSTEM))


def test_two_columns_of_one_file_are_not_identical(tmp_path):
    path = tmp_path / "both.csv"
    path.write_text("id,x,y\n1,a,p\n2,b,p\n3,b,q\n4,a,q\n")
    columns = {"gold.label": "x", "system.label": "y"}
    assert "identical-inputs" not in codes(roget.score(path, path, columns=columns).warnings)


def test_notebook_shows_line_of_caller():
    with pytest.raises(roget.errors.InputError) as caught:
        roget.score(GOLD, SYSTEM[:-1])
    line, message = caught.value._render_traceback_()
    assert "roget.score(GOLD, SYSTEM[:-1])" in line
    assert "length-mismatch" in message
