"""Scores have the same rows in every format."""

from __future__ import annotations

import csv
import io
import json

import pytest

from roget import ScoreRow, ScoreTable, score
from roget.report import Cell, Column, Report, ReportTable
from roget.report.render.text import _grid, _wrap_grid

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


def test_text_report_is_at_most_100_columns_wide():
    lines = TABLE.render("text").splitlines()
    assert lines[0] == "1,234 items in 10 groups, 3.2 classes and 4.5 clusters per group"
    assert max(map(len, lines)) <= 100
    (row,) = [line for line in lines if line.startswith("v ↑")]
    assert row.split() == ["v", "↑", "jk", "-0.036", "0.005", "–"]
    assert "! gamma: gold keeps every pair together" in lines
    assert lines[-1] == TABLE.signature
    assert str(TABLE) == TABLE.render("text").rstrip("\n")


def test_text_tables_are_aligned_like_those_of_rich():
    columns = [
        Column("measure", fit="keep"),
        Column("one\ncluster", right=True),
        Column("x", fit="cut"),
        Column("", right=True, fit="cut"),
    ]
    rows = [["v ↑", "0.5", "a", ""], ["ami", "0.125 ", "longer cell", "7"], ["", "", "", "1"]]
    for headed in (True, False):
        for above in (None, 1, 2):
            table = ReportTable(columns, rows, headed=headed, above=above)
            assert _grid(table, rows, range(4)) == _wrap_grid(table, rows, columns)


def test_json_has_no_nan_and_equals_as_dict():
    report = json.loads(TABLE.render("json"), parse_constant=pytest.fail)
    assert len(report.pop("warning_codes")) == len(report["warnings"])
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


def test_markdown_report_is_a_table():
    lines = TABLE.render("markdown").splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 + len(TABLE.rows)
    assert len({line.count("|") for line in table}) == 1
    assert f"`{TABLE.signature}`" in lines


def test_page_keeps_line_breaks_in_column_titles():
    page = score([0, 0, 1], [0, 1, 1], "ari", details=True).render("html")
    assert "size 1<br>sets, items</th>" in page
    assert "N11: together<br>in both</th>" in page
    assert "within groups" not in page


def test_page_shows_file_names_without_directories(tmp_path):
    for name in ("gold", "system"):
        (tmp_path / f"{name}.tsv").write_text("a\t1\nb\t2\n", "utf-8")
    table = score(tmp_path / "gold.tsv", tmp_path / "system.tsv", "ari", keep=True)
    page = table.render("html")
    assert "<h1>system.tsv against gold.tsv</h1>" in page
    assert str(tmp_path) not in page
    page = score([0, 1], [0, 1], "ari", keep=True).render("html")
    assert "<h1>Scores against a gold standard</h1>" in page


def test_latex_report_is_escaped():
    text = TABLE.render("latex")
    assert r"\begin{tabular}{@{}llrrr@{}}" in text
    assert "$-0.036$" in text
    assert r"v $\uparrow$ & jk" in text
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") for line in body} == {4}


@pytest.mark.parametrize(
    ("shown", "written"),
    [("-0.5", "$-0.5$"), ("-1.375 ±.037", r"$-$1.375 $\pm$.037"), ("-.5 ±1", r"$-$.5 $\pm$1"),
     ("all-in -1", "all-in -1")],
)  # fmt: skip
def test_latex_writes_minus_signs_of_numbers(shown, written):
    assert f"{written} \\\\\n" in Report("t", tables=[ReportTable.of(["x"], [[shown]])]).render(
        "latex"
    )


def test_page_has_minus_signs_in_numbers_and_hyphens_in_names():
    rows = [["kmeans-1", "-0.5", Cell("-.25", "[-.3, -1.5]")], [Cell("-1", slanted=True), "1", "2"]]
    page = Report("t", tables=[ReportTable.of(["x", "y", "z"], rows, numbers="yz")]).render("html")
    for text in (">kmeans-1<", ">\u22120.5<", ">\u2212.25<", ">[\u2212.3, \u22121.5]<", ">-1<"):
        assert text in page


def test_table_without_entropies_has_no_entropy_column():
    text = score([0, 0, 1], [0, 1, 1], "ari").render("text")
    assert "entropy" not in text.splitlines()[2]
