"""`roget agree` on the command line."""

from __future__ import annotations

import csv
import json

import pytest
from typer.testing import CliRunner

from roget import catalogue, score
from roget.cli import app


def run(*arguments):
    return CliRunner().invoke(app, ["agree", *map(str, arguments)])


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for at, row in enumerate(("aabbcc", "aabbcd", "abbbcc", "aabacc")):
        text = "".join(f"i{n}\t{label}\n" for n, label in enumerate(row))
        (folder / f"run{at}.tsv").write_text(f"item\tlabel\n{text}")
    return folder


def test_folder_holds_several_clusterings(runs):
    done = run(runs, "--format", "json", "-m", "ari,homogeneity")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["systems"] == ["run0", "run1", "run2", "run3"]
    assert found["typical"] == "run0"
    assert len(found["rows"]) == 6 + 12
    assert found["signature"].startswith("roget:")
    named = run(f"one={runs / 'run0.tsv'}", f"two={runs / 'run1.tsv'}", "--format", "json")
    assert json.loads(named.stdout)["systems"] == ["one", "two"]
    twice = run(runs / "run0.tsv", runs / "run0.tsv")
    assert isinstance(twice.exception, Exception)
    assert "'run0'" in str(twice.exception)


@pytest.mark.parametrize("form", [n for n in catalogue.KINDS["renderers"] if n != "html"])
def test_every_format_shows_the_values(runs, form):
    done = run(runs, "--format", form, "-m", "ari", "--ci", 1)
    assert done.exit_code == 0, done.output
    assert "run3" in done.stdout
    assert "0.3" in done.stdout


def save(kind, path):
    """Return the arguments that write an additional file."""
    return "--save", f"{kind}={path}"


def test_save_writes_consensus_items_and_pairs(runs, tmp_path):
    names = [tmp_path / name for name in ("c.tsv", "items.csv", "pairs.tsv")]
    kinds = ("consensus", "items", "pairs")
    given = [one for kind, name in zip(kinds, names, strict=True) for one in save(kind, name)]
    done = run(runs, *given, "--at-least", 0.75, "--consensus-by", "average", "--clusters", 3)
    assert done.exit_code == 0, done.output
    assert score(runs / "run0.tsv", names[0], "ari")["ari"] == 1.0
    with names[1].open() as file:
        items = list(csv.DictReader(file))
    assert [row["item"] for row in items] == [f"i{n}" for n in range(6)]
    assert all(0 <= float(row["consistency"]) <= 1 for row in items)
    assert names[2].read_text().splitlines()[0] == "a\tb\ttogether\tclusterings"
    assert "i0\ti1\t3\t4" in names[2].read_text()


def test_items_and_pairs_have_the_same_rows_in_every_format(runs, tmp_path):
    duckdb = pytest.importorskip("duckdb")

    def write(suffix):
        names = [tmp_path / f"{kind}{suffix}" for kind in ("items", "pairs")]
        done = run(runs, "-m", "ari", "--save", f"items={names[0]}", "--save", f"pairs={names[1]}")
        assert done.exit_code == 0, done.output
        return names

    for lines, plain, parquet in zip(
        write(".jsonl"), write(".json"), write(".parquet"), strict=True
    ):
        rows = [json.loads(line) for line in lines.read_text().splitlines()]
        assert rows
        assert json.loads(plain.read_text()) == rows
        found = duckdb.sql(f"SELECT * FROM '{parquet}'")
        assert found.columns == list(rows[0])
        assert found.fetchall() == [tuple(row.values()) for row in rows]


def test_many_figures_are_reported_in_one_line(runs, tmp_path):
    pytest.importorskip("matplotlib")
    done = run(
        runs,
        "-m",
        "vi",
        *save("figures", tmp_path / "drawn"),
        *save("items", tmp_path / "items.csv"),
    )
    assert done.exit_code == 0, done.output
    files = len(list((tmp_path / "drawn").iterdir()))
    assert [line for line in done.stderr.splitlines() if line.startswith("wrote")] == [
        f"wrote {tmp_path / 'items.csv'}",
        f"wrote {files} files in {tmp_path / 'drawn'}",
    ]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--save", "items=x.unknown"], ".csv, .tsv, .jsonl, .json, .parquet"),
        (["--save", "pairs=x.html"], ".csv, .tsv, .jsonl, .json, .parquet"),
        (["--save", "consensus=nowhere/c.tsv"], "nowhere"),
        (["--missing", "unmatched"], "unmatched"),
        (["--at-least", "2"], "up to 1"),
    ],
)
def test_invalid_requests_are_refused_before_computing(runs, extra, message):
    done = run(runs, *extra)
    assert done.exit_code != 0
    assert message in done.output + str(done.exception)
