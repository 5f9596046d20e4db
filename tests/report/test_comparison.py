"""Comparisons have the same rows in every format."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget import Comparison, catalogue, compare, score
from roget.report.format import shorten
from roget.scoring.results import Pair, SystemRow
from support.errors import refused


def row(system, measure, entropy, value, **options):
    return SystemRow(measure, entropy, value, system=system, **options)


TABLE = Comparison(
    signature="roget:0|measures:v",
    items=1234,
    groups=10,
    classes=3.25,
    warnings=("a & b_c: 1 of 2 items has no answer",),
    rows=(
        row("second_best", "v", "ml", 0.25, low=0.2, high=0.31, rank=2, letters="ab", clusters=4.5),
        row("second_best", "gamma", None, None, reason="undefined", clusters=4.5),
        row("winner", "v", "ml", 0.5, low=-0.01, high=0.61, rank=1, letters="a", clusters=3.0),
        row("winner", "gamma", None, 0.1, rank=1, clusters=3.0),
        row("one cluster", "v", "ml", -0.036, trivial=True),
        row("one cluster", "gamma", None, None, trivial=True),
    ),
    pairs=(Pair("second_best", "winner", "v", "ml", -0.25, -0.3, -0.2, 0.01, 0.01),),
)


@pytest.mark.parametrize("form", ["text", "latex", "markdown", "html"])
def test_cluster_counts_are_integers_unless_they_are_means(form):
    rows = tuple(replace(row, clusters=10.0) for row in TABLE.rows)
    # The page sorts by all digits and shows what stands between the tags.
    shown = ">10.0<" if form == "html" else "10.0"
    assert shown not in replace(TABLE, groups=1, rows=rows).render(form)
    assert shown in replace(TABLE, rows=rows).render(form)
    assert "4.5" in replace(TABLE, groups=1).render(form)


def test_text_is_sorted_and_at_most_100_columns_wide():
    lines = TABLE.render("text").splitlines()
    assert max(map(len, lines[:-1])) <= 100
    assert lines[0] == "2 systems, 1,234 items in 10 groups, 3.2 classes per group"
    names = [line.split()[0] for line in lines if line.startswith(("winner", "second", "one"))]
    assert names == ["winner", "second_best", "one"]
    assert any("0.500 [-.010, .610] (1) a" in line for line in lines)
    assert lines[-1] == TABLE.signature
    assert str(TABLE) == TABLE.render("text").rstrip("\n")


def test_many_scores_are_shown_below_each_other():
    random = np.random.default_rng(0)
    gold = random.integers(0, 3, 60)
    systems = {f"a system with a rather long name {i}": random.integers(0, 3, 60) for i in range(2)}
    lines = compare(gold, systems, all=True).render("text").splitlines()
    assert max(map(len, lines[:-1])) <= 100
    assert sum(line.startswith("system ") for line in lines) > 1


def random_systems(count=5, items=120):
    random = np.random.default_rng(0)
    gold = random.integers(0, 4, items)
    noise = random.random((count, items))
    systems = {
        f"a system with a rather long name {i}": np.where(
            noise[i] < 0.9 - i / 10, gold, random.integers(0, 4, items)
        )
        for i in range(count)
    }
    return gold, systems


@pytest.mark.parametrize("columns", ["80", "100"])
def test_short_comparison_is_one_table_that_fits(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    lines = str(compare(*random_systems())).splitlines()
    assert max(map(len, lines)) <= int(columns)
    [head] = (line for line in lines if line.startswith("rank "))
    assert "[95% CI]" in head
    assert [line.split()[0] for line in lines if "a sys" in line] == ["1", "2", "3", "4", "5"]
    assert len(lines) < 30
    assert len(str(compare(*random_systems(), all=True)).splitlines()) > 50


def test_json_of_short_comparison_has_all_rows():
    short, complete = (compare(*random_systems(), all=everything) for everything in (False, True))
    assert json.loads(short.render("json")) == json.loads(complete.render("json"))
    assert any(row["low"] is not None for row in json.loads(short.render("json"))["rows"])


def test_quick_interval_of_a_comparison_equals_that_of_score():
    gold, systems = random_systems(2)
    found = compare(gold, systems)
    measure, entropy = found.main
    for row in found.rows:
        if (row.measure, row.entropy) == (measure, entropy) and not row.trivial:
            alone = score(gold, systems[row.system], measure, entropy or "ml", ci=10).rows[0]
            mine = found.with_intervals()[row.system].rows
            [ends] = [(own.low, own.high) for own in mine if own.low is not None]
            assert ends == pytest.approx((alone.low, alone.high), abs=1e-12)
    assert "CI" not in str(compare(gold, systems, ci=0))
    assert "CI" not in str(compare(gold, systems, intervals=False))


def test_similar_warnings_of_many_systems_are_shown_once():
    gold, systems = random_systems()
    named = {name: {str(i): x for i, x in enumerate(one) if i > 3 + len(name) % 2 + int(name[-1])}
             for name, one in systems.items()}  # fmt: skip
    found = compare({str(i): x for i, x in enumerate(gold)}, named)
    assert len(found.warnings) >= 5
    text = str(found)
    assert text.count("[missing-items]") == 1
    for format in ("markdown", "latex"):
        whole = found.render(format)
        assert whole.count("[missing-items]") == 1
        assert all(f"{one.sides.missing} in {one.name}" in whole for one in found.scored)


def test_pairs_are_a_separate_table(tmp_path):
    found = compare(*random_systems(3), "ari", ci=20)
    columns = found.sets("pairs")
    assert list(columns) == [
        "a", "b", "measure", "entropy", "difference", "low", "high", "p", "p_holm",
        "reason", "code",
    ]  # fmt: skip
    assert columns["difference"] == [pair.difference for pair in found.pairs]
    with refused("missing-option", "--ci"):
        compare(*random_systems(3), "ari").sets("pairs")


@pytest.mark.parametrize("form", ["text", "html", "latex", "markdown"])
def test_reports_say_that_few_groups_cannot_tell(form):
    gold = {(f"g{i % 4}", i): i % 3 for i in range(40)}
    systems = {
        name: {key: key[1] % 3 if key[1] % (7 + at) else 9 for key in gold}
        for at, name in enumerate(("one", "two"))
    }
    found = compare(gold, systems, "ari", ci=20)
    assert found.untestable is not None
    assert found.untestable.code == "too-few-groups"
    text = found.render(form)
    assert "too-few-groups" in text
    assert "sharing a letter" not in text
    assert "1–2" not in text
    assert "1--2" not in text


def test_json_of_comparison_has_documented_keys():
    report = json.loads(TABLE.render("json"), parse_constant=pytest.fail)
    assert {"signature", "items", "groups", "warnings", "rows", "pairs"} <= set(report)
    first = report["rows"][0]
    assert {"system", "clusters", "rank", "measure", "entropy", "value", "low", "high"} <= set(
        first
    )
    assert report["rows"][1]["reason"] == "undefined"
    assert report["pairs"][0]["p"] == 0.01


def test_csv_of_comparison_has_all_rows():
    rows = list(csv.DictReader(io.StringIO(TABLE.render("csv"))))
    assert len(rows) == len(TABLE.rows)
    assert rows[0]["system"] == "second_best"
    assert float(rows[0]["value"]) == 0.25
    assert {line["signature"] for line in rows} == {TABLE.signature}


def test_markdown_of_comparison_is_a_table():
    lines = [line for line in TABLE.render("markdown").splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in lines}) == 1
    assert "| winner | 3.0 | **0.500 [-0.010, 0.610] (1) a** |" in lines[2]
    assert lines[-1].startswith("| *one cluster* |")


def test_latex_of_comparison_is_a_tabular():
    text = TABLE.render("latex")
    assert r"\begin{tabular}{@{}lrll@{}}" in text
    assert r"second\_best & 4.5 & 0.250\textsuperscript{ab}" in text
    assert r"\textbf{0.500}\textsuperscript{a} {\footnotesize [$-$0.010, 0.610]}" in text
    assert text.count(r"\midrule") == 2
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.count("&") - line.count(r"\&") for line in body} == {3}


def test_latex_table_has_caption_and_fits():
    text = replace(TABLE, title="Senses & words", show_intervals=False).render("latex")
    assert r"\caption{Senses \& words. 2 systems" in text
    assert r"\caption{2 systems" in replace(TABLE, title="").render("latex")
    assert r"\label{tab:senses-words}" in text
    assert text.startswith("% needs \\usepackage{booktabs}\n")
    assert r"(Holm-corrected p $\geq$ .05)" in text
    assert r"{\footnotesize Sorted by" in text
    assert "[$-$0.010" not in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    rows = [replace(r, measure=f"a-long-measure-{n}") for n in range(5) for r in TABLE.rows]
    wide = replace(TABLE, rows=tuple(rows), title="Wide").render("latex")
    assert wide.count(r"\begin{table*}") == wide.count(r"\end{table*}") > 1
    assert r"\label{tab:wide-2}" in wide
    assert r"\caption{Wide (continued).}" in wide
    assert wide.count("Holm-corrected p $") == 1
    assert " v = V-measure" in text.partition("smallskip")[2]


def test_latex_table_fits_a_column_or_the_page_of_a_two_column_paper():
    """Narrow tables fit a column. Wide tables span both, in smaller print, and are split last."""
    letters = "abcdef"
    expected = {1: ("table", r"\small"), 3: ("table*", r"\small"), 5: ("table*", r"\scriptsize")}
    for count, (environment, size) in expected.items():
        rows = [replace(r, measure=f"m-{at}") for at in letters[:count] for r in TABLE.rows[::2]]
        rows = [replace(row, letters="", system=row.system[:6]) for row in rows]
        text = replace(TABLE, rows=tuple(rows), pairs=()).render("latex")
        assert text.count(rf"\begin{{{environment}}}") == text.count(r"\begin{tabular}") == 1
        assert rf"\centering{size}" in text
        assert ("resizebox" in text) == ("graphicx" in text) == (count == 5)


def test_long_latex_tables_are_split_across_pages():
    named = [replace(r, system=f"s{n}") for n in range(45) for r in TABLE.rows[2:4]]
    text = replace(TABLE, rows=(*named, *TABLE.rows[4:]), title="Long").render("latex")
    assert text.count(r"\begin{table*}") == 2
    assert text.count(r"\midrule") == 3
    assert (
        sum(line.startswith("s") and line.endswith(r"\\") for line in text.splitlines()) == 45 + 2
    )


def test_reports_explain_shared_letters():
    for format in ("text", "markdown"):
        text = " ".join(TABLE.render(format).split())
        assert "Holm-corrected" in text


def test_long_names_are_cut_only_in_narrow_terminals(monkeypatch):
    names = [f"shared-task-2010_team-{team}_final-run-of-the-year-2010" for team in "abc"]
    rows = [replace(r, system=name) for name in names for r in TABLE.rows[:2]]
    monkeypatch.setenv("COLUMNS", "100")
    assert all(name in replace(TABLE, rows=tuple(rows)).render("text") for name in names)
    monkeypatch.setenv("COLUMNS", "60")
    text = replace(TABLE, rows=tuple(rows)).render("text")
    shown = [line.split()[0] for line in text.splitlines() if line.startswith("shared")]
    assert len(set(shown)) == 3
    assert not set(shown) & set(names)
    for format in ("latex", "csv", "markdown"):
        text = replace(TABLE, rows=tuple(rows)).render(format).replace(r"\_", "_")
        assert all(name in text for name in names), format


@given(st.lists(st.text("ab-", min_size=1, max_size=12), unique=True), st.integers(5, 8))
def test_short_names_are_distinct_and_short(names, most):
    short = shorten(names, most)
    assert len(set(short)) == len(names)
    assert all(len(text) <= most for text in short)
    assert all(text == name for text, name in zip(short, names, strict=True) if len(name) <= most)


def test_every_renderer_is_in_the_catalogue():
    for name in catalogue.names("renderers"):
        assert TABLE.render(name)
