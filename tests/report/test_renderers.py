"""Same rows, every format."""

from __future__ import annotations

import csv
import io
import json

import pytest

from roget import ScoreRow, ScoreTable, score

TABLE = ScoreTable(
    signature="roget:0|measures:v",
    items=1234,
    groups=10,
    classes=3.25,
    clusters=4.5,
    warnings=(
        "a warning with a | pipe & an ampersand, long enough that it has to be wrapped "
        "somewhere before the hundredth column of a terminal",
    ),
    rows=(
        ScoreRow("v", "jk", -0.0361, baselines={"one cluster": 0.005, "random": None}),
        ScoreRow("vi", "ml", 1.5, direction="lower", baselines={"one cluster": 2.0, "random": 3.0}),
        ScoreRow("gamma", None, None, "gold keeps every pair together"),
        ScoreRow("mirkin", None, 1234567.0, direction="lower"),
    ),
)


def test_text():
    lines = TABLE.render("text").splitlines()
    assert lines[0] == "1,234 items in 10 groups, 3.2 classes and 4.5 clusters per group"
    assert max(map(len, lines)) <= 100
    (row,) = [line for line in lines if line.startswith("v ↑")]
    assert row.split() == ["v", "↑", "jk", "-0.036", "0.005", "–"]
    assert "! gamma: gold keeps every pair together" in lines
    assert lines[-1] == TABLE.signature
    assert str(TABLE) == TABLE.render("text").rstrip("\n")


def test_json_is_standard():
    report = json.loads(TABLE.render("json"), parse_constant=pytest.fail)
    assert report == TABLE.as_dict()
    assert report["rows"][2]["reason"] == "gold keeps every pair together"
    assert report["rows"][2]["value"] is None
    assert "reason" not in report["rows"][0]


def test_csv_keeps_all_digits_and_the_signature():
    rows = list(csv.DictReader(io.StringIO(TABLE.render("csv"))))
    assert [row["measure"] for row in rows] == ["v", "vi", "gamma", "mirkin"]
    assert float(rows[0]["value"]) == -0.0361
    assert rows[0]["random"] == ""
    assert rows[2]["value"] == ""
    assert {row["signature"] for row in rows} == {TABLE.signature}


def test_markdown_is_a_table():
    lines = TABLE.render("markdown").splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + len(TABLE.rows)
    assert len({line.count("|") for line in table}) == 1
    assert f"`{TABLE.signature}`" in lines


def test_latex_is_escaped():
    text = TABLE.render("latex")
    assert r"\begin{tabular}{llrrr}" in text
    assert "$-0.036$" in text
    assert r"v $\uparrow$ & jk" in text
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in body} == {4}


def test_a_system_without_entropies_has_no_entropy_column():
    text = score([0, 0, 1], [0, 1, 1], "ari").render("text")
    assert "entropy" not in text.splitlines()[2]
