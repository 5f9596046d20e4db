"""`roget heldout` and `roget decide` on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from learn.classmodel.conftest import planted
from roget import catalogue
from roget.cli import app
from roget.errors import InputError
from roget.learn.classmodel import RECIPES
from roget.learn.evaluation import decision
from support.errors import refused


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("counts") / "pairs.tsv"
    planted(words=80, seed=1).write(path)
    return str(path)


@pytest.fixture(autouse=True)
def wide_band(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision, "BAND", (0.005, 0.04))


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def as_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


HELDOUT = ("--top", "60", "--splits", "2", "-m", "unigram", "-m", "nearest")
DECIDE = ("--top", "60", "--draws", "2", "--pairs", "15", "-m", "unigram", "-m", "nearest")


def test_heldout_prints_text_and_json(counts: str) -> None:
    text = run("heldout", counts, *HELDOUT).stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "20 new words" in text
    found = json.loads(run("heldout", counts, *HELDOUT, "--format", "json").stdout)
    assert [row["model"] for row in found["rows"]] == ["kneser-ney", "unigram", "nearest"]
    ours = found["rows"][-1]
    assert ours["below_kneser_ney"]["mean"] > 0
    assert f"{ours['loss']['test']['mean']:.3f}" in text
    assert ours["loss"]["test"]["mean"] == pytest.approx(sum(ours["test_losses"]) / 2)
    rows = list(
        csv.DictReader(io.StringIO(run("heldout", counts, *HELDOUT, "--format", "csv").stdout))
    )
    losses = {(r["model"], r["part"]): r["mean"] for r in rows if r["quantity"] == "loss"}
    assert float(losses["nearest", "test"]) == ours["loss"]["test"]["mean"]


def test_heldout_writes_figure_and_report(counts: str, tmp_path: Path) -> None:
    picture, report = tmp_path / "losses.svg", tmp_path / "losses.json"
    run("heldout", counts, *HELDOUT, "--figure", str(picture), "-o", str(report))
    assert picture.read_text().lstrip().startswith("<?xml")
    assert json.loads(report.read_text())["unit"] == "bits"


def test_decide_prints_text_and_json(counts: str) -> None:
    text = run("decide", counts, *DECIDE).stdout
    assert max(map(len, text.splitlines())) <= 80
    found = json.loads(run("decide", counts, *DECIDE, "--format", "json").stdout)
    totals, ours = found["rows"]
    assert ours["all"]["mean"] < totals["all"]["mean"]
    assert "nearest" in ours["chosen"]
    assert f"{ours['all']['mean']:.3f}" in text
    rows = list(
        csv.DictReader(io.StringIO(run("decide", counts, *DECIDE, "--format", "csv").stdout))
    )
    assert float(rows[2]["error"]) == ours["all"]["mean"]


def test_columns_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "turned.tsv"
    lines = [f"{v}\t{n}\t{c}\n" for n, v, c in planted(seed=1).rows()]
    path.write_text("".join(lines))
    one = json.loads(
        run("heldout", str(path), "--columns", "2,1,3", *HELDOUT, "--format", "json").stdout
    )
    assert (one["words"], one["contexts"]) == (60, 40)


@pytest.mark.parametrize("command", ["heldout", "decide"])
def test_help_names_every_model(command: str) -> None:
    output = " ".join(run(command, "--help").stdout.replace("│", " ").split())
    for name in catalogue.MODELS:
        assert name in output


@pytest.mark.parametrize(
    ("command", "option", "file", "code"),
    [
        ("heldout", "--figure", "a.xyz", "unsupported-format"),
        ("heldout", "--figure", "a", "unsupported-format"),
        ("heldout", "--figure", "none/a.svg", "not-writable"),
        ("heldout", "-o", "none/a.txt", "not-writable"),
        ("heldout", "-o", "", "not-writable"),
        ("decide", "-o", "none/a.txt", "not-writable"),
    ],
)
def test_files_are_checked_before_computing(
    command: str, option: str, file: str, code: str, tmp_path: Path
) -> None:
    # Counts that are not there would be complained about next.
    given = command, str(tmp_path / "no.tsv"), option, str(tmp_path / file)
    with refused(code, tmp_path / file, kind=InputError):
        CliRunner().invoke(app, given, catch_exceptions=False)


def test_report_is_written_even_if_the_figure_fails(
    counts: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: object) -> None:
        raise OSError("disc full")

    monkeypatch.setattr("roget.report.figures.save_picture", fails)
    report = tmp_path / "losses.json"
    given = "heldout", counts, "--top", "60", "--splits", "1", "-m", "unigram"
    files = "--figure", str(tmp_path / "a.svg"), "-o", str(report)
    with pytest.raises(OSError, match="disc full"):
        CliRunner().invoke(app, (*given, *files), catch_exceptions=False)
    assert json.loads(report.read_text())["unit"] == "bits"


def test_models_are_listed() -> None:
    done = CliRunner().invoke(app, ["list", "models", "--json"])
    names = [entry["name"] for entry in json.loads(done.stdout)]
    assert names == catalogue.names("models")
    assert set(names) == {*RECIPES, "soft-symmetric", *catalogue.names("clusterers")}
