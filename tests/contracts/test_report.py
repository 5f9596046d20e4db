"""One `Report` for people and machines, with renderers that depend on nothing else."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import roget
from roget import Counts, catalogue
from roget.cli import app
from roget.core.tree import Tree
from roget.errors import InputError
from roget.learn.attachment.attacher import Test
from roget.learn.attachment.statistics import BackoffStage
from roget.learn.evaluation.answers import Judgement
from roget.learn.evaluation.ratings import RatedPair, judge_ratings
from roget.learn.evaluation.sheets import Question
from roget.learn.thesaurus import Thesaurus
from roget.learn.usage.shift import shift as compare
from roget.learn.usage.sketch import sketch as draw
from roget.report import (
    Cell,
    Column,
    Report,
    ReportTable,
    agreement,
    attachment,
    comparison,
    counts,
    judging,
    listing,
    ranking,
    score,
    shift,
    sketch,
    thesaurus,
    why,
    words,
)
from roget.report.render import choose_format
from support.errors import refused

SOURCE = Path(roget.__file__).parent

OWN = {"convert", "export", "explore", "sql"}
"""Commands that write files of other kinds."""
PATHS = {"data path", "data fetch"}
"""Commands that print the path of one folder, for the shell."""
MADE = {"count", "build", "grow", "place", "attach train", "judge sheet"}
"""Commands whose -o is what they make; the report of it goes to standard output."""


def commands(group: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    for part, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{name} {part}".strip())
    if name and not hasattr(group, "commands"):
        yield name, group


REPORTING = {
    name: command for name, command in commands(get_command(app)) if name not in OWN | PATHS
}


def invoke(*arguments: Any) -> Any:
    return CliRunner().invoke(app, [str(one) for one in arguments])


@pytest.mark.parametrize("name", REPORTING)
def test_every_command_supports_every_format(name: str) -> None:
    options = {one: parameter for parameter in REPORTING[name].params for one in parameter.opts}
    assert {"--format", "-o"} <= set(options)
    done = invoke(*name.split(), "--format", "txt")
    assert done.exit_code == 2
    assert "unknown format 'txt'" in done.output
    flag = "--help" if " " in name else "--help-all"
    help = invoke(*name.split(), flag).output
    assert f"<{'|'.join(catalogue.names('renderers'))}>" in "".join(help.split())
    assert (options["-o"].callback is not None) == (name not in MADE), "suffixes are looked at"


LABELS = ["a", "a", "b", "b", "c"], ["x", "x", "y", "x", "z"]


def thesaurus_of(words: list[str]) -> Thesaurus:
    table = Counts([[3, 1], [1, 3], [2, 2]], words, ["see | \\", "have & hold_%"])
    belongs = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    return Thesaurus.from_parts(table, Tree().split(0, 1.0), belongs, [[0.5, 0.5]] * 2, [0.5, 0.5])


HOSTILE = ["<script>alert(1)</script>", "a|b_c%\\", "two\nlines"]


def reports() -> Iterator[tuple[str, Report]]:
    t = thesaurus_of(HOSTILE)
    yield "score", score.report(roget.score(*LABELS, ci=10, details=True))
    yield "compare", comparison.report(roget.compare(LABELS[0], {"<s>": LABELS[1], "t": LABELS[0]}))
    named = {HOSTILE[0]: LABELS[0], HOSTILE[1]: LABELS[1], "<t>": ["a"] * 5}
    yield "agree", agreement.report(roget.agree(named, ["ari", "homogeneity", "gamma"], ci=10))
    table = {HOSTILE[0]: [1, 2, 3, 4, 5, 6], HOSTILE[1]: [0, 0, 0, 0, 1, 1]}
    yield "rank", ranking.report(roget.rank(table, details=True, samples=100))
    yield "neighbours", words.neighbours(t, HOSTILE[0], 2, "both")
    yield "senses", words.senses(t, HOSTILE[0], 2)
    yield "sketch", sketch.report(draw(t.counts, HOSTILE[0]))
    yield "sketch --compare", sketch.report(draw(t.counts, HOSTILE[0], HOSTILE[1]))
    yield "why", why.report(t, HOSTILE[0], HOSTILE[1])
    yield "why --class", why.report(t, HOSTILE[0], into="1")
    yield "shift", shift.report(compare(t.counts, t.counts.select(HOSTILE[:2]), min_count=1))
    yield "classify", words.classify(t, t.counts, 2)
    yield "thesaurus", thesaurus.report(t)
    yield "list", listing.report("measures")
    yield "data", listing.report_data()
    summary = {"shape": (1, 1), "entries": 1, "total": 3, "relations": ["obj"], "provenance": {}}
    entry = {"word": HOSTILE[1], "total": 3, "contexts": [{"context": HOSTILE[2], "count": 3}]}
    yield "count --show", counts.report("some.tsv", {**summary, "words": [entry]})
    yield "count --show --word", counts.report_word(entry)
    stage = BackoffStage("quadruple", 1.0, None)
    yield "attach test", attachment.report(Test(2, 1.0, 0.5, 0.1, 0.9, (stage,)))
    yield "attach predict", attachment.report_predictions([(*"vnpm", "N", "0.7")])
    pairs = [RatedPair(*pair, 1.0) for pair in permutations(HOSTILE, 2)]
    yield "judge ratings", judging.report_ratings(judge_ratings(t, pairs, draws=5))
    asked = Question(1, 2, HOSTILE[0], (HOSTILE[1], HOSTILE[2]), HOSTILE[2])
    for kind, answer in (("intrusion", HOSTILE[2]), ("reading", "")):
        found = Judgement(
            kind, (asked._replace(answer=answer),), ("<a>", "b"), np.array([[1], [0]])
        )
        yield f"judge answers, {kind}", judging.report_answers(found)
    yield "facts", Report.of("Facts", {"output": "c", "shape": [1, 1]})


MADE_REPORTS = dict(reports())


@pytest.mark.parametrize("format", catalogue.names("renderers"))
@pytest.mark.parametrize("kind", MADE_REPORTS)
def test_every_renderer_writes_every_report(kind: str, format: str) -> None:
    report = MADE_REPORTS[kind]
    text = report.render(format)
    assert text.endswith("\n") or format == "html"
    if format == "json":
        parsed = json.loads(text, parse_constant=pytest.fail)
        if "warnings" in parsed:
            assert len(parsed.pop("warning_codes")) == len(parsed["warnings"])
        assert parsed == json.loads(json.dumps(report.make_data()))
    if format == "text":
        lines = text.splitlines()
        assert all(len(line) <= 100 for line in lines if line != report.signature)
        assert "\x1b" not in text
    if format == "html":
        assert text.lower().count("<!doctype html>") == 1
        assert "<script>alert" not in text
        # A figure is part of the page, as a data URL.
        assert 'src="' not in text.replace('src="data:', "")
        assert 'href="http' not in text
    if format == "markdown":
        tables = [line for line in text.splitlines() if line.startswith("|")]
        assert tables
        assert text.count("\n| ") + text.startswith("|") == len(tables)


def test_renderers_write_unknown_reports() -> None:
    """Every renderer writes a report that it has never seen."""
    table = ReportTable(
        [Column("what\never", fit="cut"), Column("n", right=True)],
        [("x", "-1"), (Cell("y", "[-0.1, 0.2]", "1", "a", strong=True), "2")],
        title="a table",
        above=1,
    )
    report = Report("T", ["lead"], "about", [table], ["note"], ["beware"], data={"x": None})
    for format in catalogue.names("renderers"):
        assert report.render(format)
    assert report.render("csv") == 'what ever,n\nx,-1\n"y [-0.1, 0.2] (1) a",2\n'
    assert "\\textbf{y}\\textsuperscript{a} {\\footnotesize [$-$0.1, 0.2]} & 2 \\\\" in (
        report.render("latex")
    )
    loaded = _loads("import roget.report, roget.report.render.text, roget.report.render.html")
    assert [name for name in loaded if name.startswith(("roget.scoring", "roget.learn"))] == []


def _loads(code: str) -> list[str]:
    ask = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_learning_reports_import_no_scoring() -> None:
    modules = (
        "thesaurus",
        "words",
        "counts",
        "evaluation",
        "preference",
        "attachment",
        "listing",
        "sketch",
        "why",
    )
    code = "\n".join(f"import roget.report.{name}" for name in modules)
    assert [name for name in _loads(code) if name.startswith("roget.scoring")] == []


@pytest.mark.parametrize(
    ("suffix", "format"),
    [(".json", "json"), (".csv", "csv"), (".tsv", "tsv"), (".md", "markdown"), (".tex", "latex"),
     (".html", "html"), (".HTM", "html"), (".txt", "text"), ("", "text")],
)  # fmt: skip
def test_suffix_determines_the_format(suffix: str, format: str) -> None:
    assert choose_format(f"report{suffix}") == format


def test_unknown_suffix_is_refused_before_computing(tmp_path: Path) -> None:
    with refused("unsupported-format", ".docx"):
        choose_format("report.docx")
    for arguments in (("score", "no", "no"), ("heldout", "no"), ("neighbours", "no", "word")):
        done = invoke(*arguments, "-o", tmp_path / "report.docx")
        assert isinstance(done.exception, InputError)
        assert ".csv, .htm, .html, .json" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_html_output_is_complete_and_messages_go_to_stderr(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    gold.write_text("a\tx\nb\tx\nc\ty\n")
    system.write_text("a\t1\nb\t1\n")
    done = invoke("score", gold, system, "-o", tmp_path / "report.html")
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert "[missing-items]" in done.stderr
    assert "1 of 3" in done.stderr
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "missing-items" in page
    assert invoke("score", gold, system, "--format", "html", "-o", "-").stdout == page
    # What is asked for outweighs the name.
    invoke("score", gold, system, "--format", "json", "-o", tmp_path / "report.html")
    assert json.loads((tmp_path / "report.html").read_text())["items"] == 3


def imports(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_tables_are_rendered_in_one_place() -> None:
    """Outside of report/render nothing draws a table; csv and json write file formats only."""
    users: dict[str, set[str]] = {"rich.table": set(), "csv": set(), "json": set()}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        # To parse what imports none of them takes a while.
        named = re.search(r"\b(import|from)\b.*\b(rich\.table|csv|json)\b", text)
        for name in imports(text) if named else ():
            if name in users:
                users[name].add(path.relative_to(SOURCE).as_posix())
    assert users["rich.table"] == {"report/render/text.py"}
    shown = {path for path in users["csv"] | users["json"] if path.startswith(("report", "cli"))}
    exports = {path for path in shown if path.startswith(("report/exports/", "report/comparison/"))}
    assert shown - exports == {"report/render/data.py"}
