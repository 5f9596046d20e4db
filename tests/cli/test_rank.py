"""`roget rank` on the command line."""

from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from roget import catalogue
from roget.cli import app


def run(*arguments):
    return CliRunner().invoke(app, ["rank", *map(str, arguments)])


@pytest.fixture
def scores(tmp_path):
    file = tmp_path / "scores.csv"
    rows = [("good", 9), ("fine", 8), ("poor", 2)]
    lines = [
        ",".join([name, *(str(level + at * level % 3) for at in range(8))]) for name, level in rows
    ]
    file.write_text("\n".join([",".join(["model", *(f"t{at}" for at in range(8))]), *lines]))
    return file


@pytest.mark.parametrize("form", catalogue.KINDS["renderers"])
def test_every_format_shows_the_systems(scores, form):
    done = run(scores, "--format", form, "--details")
    assert done.exit_code == 0, done.output
    assert "poor" in done.stdout


def test_pairs_and_figure_are_saved(scores, tmp_path):
    pairs, figure = tmp_path / "pairs.csv", tmp_path / "ranks.svg"
    done = run(scores, "--save", f"pairs={pairs}", "--save", f"figure={figure}", "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [row["system"] for row in found["rows"]][-1] == "poor"
    assert "pairs" not in found
    with pairs.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["b"] for row in rows][1:] == ["poor", "poor"]
    assert all(float(row["p"]) < 0.05 for row in rows[1:])
    assert "<svg" in figure.read_text()


def test_options_reach_the_library(scores):
    done = run(scores, "--by", "rank", "--lower", "all", "--tasks", "t0,t1", "--format", "json")
    found = json.loads(done.stdout)
    assert (found["by"], found["tasks"]) == ("rank", ["t0", "t1"])
    assert found["rows"][0]["system"] == "poor"
    assert run(scores, "--fail-on", "few-tasks", "--tasks", "t0").exit_code == 1
