"""Names in CSV and TSV tables are written unchanged, so that readers find them."""

from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

import roget
from roget.cli import app
from roget.report import Report, ReportTable
from roget.report.render.data import find_formulas
from web.helpers import FAMILIES, asking, made

ODD = ('=HYPERLINK("http://evil.example","x")', "-ly", "@you", "+1", "=)", "'=1+1")


@pytest.fixture
def odd(tmp_path):
    """A thesaurus whose animals are words that a spreadsheet may take for formulas."""
    thesaurus = made({**FAMILIES, "animal": ODD}, soft=False)
    thesaurus.save(tmp_path / "odd.thesaurus")
    return thesaurus


def test_score_reads_sheets_of_the_explorer(odd, tmp_path):
    from roget.web.session import Session

    session = Session(tmp_path / "odd.thesaurus")
    sheet = tmp_path / "cut.csv"
    sheet.write_text(asking(session).get("/api/cut/4?format=csv").text)
    labels = dict(zip(map(str, odd.words), odd.cut(4).tolist(), strict=True))
    gold = tmp_path / "gold.jsonl"
    rows = ({"item": word, "label": label} for word, label in labels.items())
    gold.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    found = roget.score(gold, sheet, "v")
    assert found.rows[0].value == 1
    assert found.warnings == ()
    with sheet.open(newline="") as file:
        assert {row["item"] for row in csv.DictReader(file)} == set(labels)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_comparison_tables_keep_names_and_warn_about_formulas(tmp_path, ending):
    gold, system, target = (tmp_path / one for one in ("g.tsv", "=HYPERLINK(1).tsv", f"x.{ending}"))
    for file in (gold, system):
        file.write_text("item\tlabel\na\tx\nb\ty\nc\tx\n")
    arguments = ["compare", str(gold), str(system), "-o", str(target)]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    with target.open(newline="") as file:
        rows = list(csv.reader(file, delimiter="," if ending == "csv" else "\t"))
    assert any("=HYPERLINK(1)" in row for row in rows)
    assert "a spreadsheet would run '=HYPERLINK(1)'" in done.stderr


def test_only_possible_formulas_are_warned_about():
    rows = [[name, -1.5] for name in (*ODD, "-0.5", "=cmd|' /C calc'!A0", "='file:///x'#$x.A1")]
    found = find_formulas(Report("", sheet=ReportTable.of(["name", "value"], rows)))
    assert found == [ODD[0], "=cmd|' /C calc'!A0", "='file:///x'#$x.A1"]
