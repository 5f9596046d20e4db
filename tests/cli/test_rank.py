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


def test_files_of_compare_are_ranked(tmp_path):
    gold, *systems = (tmp_path / f"{name}.key" for name in ("gold", "good", "poor"))
    keys = [(f"w{at % 8}", f"w{at % 8}.{at}", at // 8 % 3) for at in range(96)]
    gold.write_text("".join(f"{group} {item} s{label}\n" for group, item, label in keys))
    for cut, path in zip((3, 7), systems, strict=True):
        lines = (f"{g} {i} c{x if n % cut else 0}\n" for n, (g, i, x) in enumerate(keys))
        path.write_text("".join(lines))
    groups, scores = tmp_path / "groups.csv", tmp_path / "scores.csv"
    arguments = ["compare", *map(str, (gold, *systems)), "-m", "v,vi,ari"]
    for more in (["--set", "by=group", "-o", groups], ["-o", scores]):
        assert CliRunner().invoke(app, [*arguments, *map(str, more)]).exit_code == 0
    done = run(groups, "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert sorted(found["tasks"]) == [f"w{at}" for at in range(8)]
    assert [row["system"] for row in found["rows"]] == ["good", "poor"]
    assert "ignored-columns" in found["warning_codes"]
    with groups.open() as file:
        values = [float(row["ari"]) for row in csv.DictReader(file) if row["system"] == "good"]
    done = run(groups, "--columns", "score=ari", "--format", "json")
    mean = json.loads(done.stdout)["rows"][0]["mean"]
    assert mean == pytest.approx(sum(values) / len(values))
    done = run(scores, "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["tasks"] == ["v@ml", "v@jk", "vi@ml", "vi@jk", "ari"]
    assert "lower:2" in found["signature"]
    assert [row["system"] for row in found["rows"]] == ["good", "poor"]
