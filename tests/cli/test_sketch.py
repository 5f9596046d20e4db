"""`roget sketch` on the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import roget
from roget.cli import app
from roget.errors import RogetError, code_of
from roget.learn.taxonomy import read
from roget.learn.usage.sketch import sketch


def run(*arguments, columns=100):
    """What a command says; errors as `roget` prints them."""
    done = CliRunner().invoke(app, ["sketch", *map(str, arguments)], env={"COLUMNS": str(columns)})
    if isinstance(done.exception, RogetError):
        message = f"{done.exception} [{code_of(done.exception)}]"
        return SimpleNamespace(returncode=1, stdout=done.stdout, stderr=message)
    return SimpleNamespace(returncode=done.exit_code, stdout=done.stdout, stderr=done.stderr)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("sketch") / "counts"
    roget.data.sample("nouns").top(400).write(place)
    return place


def test_relations_are_side_by_side_if_they_fit(folder):
    wide, narrow = run(folder, "time"), run(folder, "time", columns=60)
    assert wide.returncode == narrow.returncode == 0, wide.stderr
    heads = [line for line in wide.stdout.splitlines() if "count" in line and "Dice" in line]
    assert max(line.count("Dice") for line in heads) >= 3
    assert max(map(len, wide.stdout.splitlines())) <= 100
    assert max(map(len, narrow.stdout.splitlines())) <= 60
    assert "roget why" not in wide.stdout, "there are no lines to be seen"
    for relation in sketch(roget.Counts.read(folder), "time").relations:
        for one in relation.collocates[:3]:
            assert one.name in wide.stdout
            assert f"{one.score:.1f}" in wide.stdout


def test_json_and_csv_have_all_digits(folder):
    found = json.loads(run(folder, "time", "-n", 3, "--format", "json").stdout)
    right = sketch(roget.Counts.read(folder), "time", n=3)
    assert (found["word"], found["seen"], found["min"]) == ("time", right.totals[0], 2)
    assert [one["slot"] for one in found["relations"]] == [one.slot for one in right.relations]
    entry = found["relations"][0]
    assert {*entry} == {"slot", "group", "name", "total", "share", "collocates", "more"}
    assert entry["collocates"] == [
        {"context": one.context, "name": one.name, "count": one.count, "score": one.score}
        for one in right.relations[0].collocates
    ]
    rows = [*csv.DictReader(io.StringIO(run(folder, "time", "--format", "csv").stdout))]
    assert {*rows[0]} == {"slot", "relation", "collocate", "context", "count", "score"}


def test_two_words_are_compared(folder):
    arguments = (folder, "man", "--compare", "woman", "-n", 4)
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    for message in ("only man", "both", "only woman"):
        assert message in done.stdout
    found = json.loads(run(*arguments, "--format", "json").stdout)
    right = sketch(roget.Counts.read(folder), "man", "woman", 4)
    assert found["words"] == ["man", "woman"]
    for entry, relation in zip(found["relations"], right.relations, strict=True):
        assert entry["totals"] == list(relation.totals)
        for kind in ("only", "both", "other"):
            assert [(one["name"], one["counts"], one["scores"]) for one in entry[kind]] == [
                (one.name, list(one.counts), list(one.scores)) for one in getattr(relation, kind)
            ]
    rows = [*csv.DictReader(io.StringIO(run(*arguments, "--format", "csv").stdout))]
    assert {one["taken by"] for one in rows} == {"man", "both", "woman"}


def test_html_page_is_written(folder, tmp_path):
    for name, more in (("one", []), ("two", ["--compare", "woman"])):
        page = tmp_path / f"{name}.html"
        done = run(folder, "man", *more, "-o", page)
        assert done.returncode == 0, done.stderr
        text = page.read_text()
        assert "<h1>Sketch of man" in text
        assert ("adjectives of “man”" if name == "one" else "adjectives of the word") in text
        assert text.count('class="card"') > 5


def test_options_are_respected(folder):
    done = json.loads(run(
        folder, "time", "-r", "obj", "-r", "at", "--min", 5, "--sort", "count", "--format", "json"
    ).stdout)  # fmt: skip
    assert {one["slot"] for one in done["relations"]} <= {"obj", "obl:at", "nmod:at", "~nmod:at"}
    for one in done["relations"]:
        counts = [entry["count"] for entry in one["collocates"]]
        assert counts == sorted(counts, reverse=True)
        assert min(counts) >= 5


def test_errors_are_explained(folder):
    for arguments, message, code in (
        ((folder, "tyme"), "no word 'tyme': did you mean 'type' or 'time'", "unknown-name"),
        ((folder, "time", "--compare", "wimen"), "no word 'wimen'", "unknown-name"),
        ((folder, "time", "--compare", "time"), "'time'", "invalid-option"),
        ((folder, "time", "-r", "objj"), "'objj': did you mean obj", "unknown-name"),
        ((folder, "time", "--lines", 2), f"--lines 2: {folder} ", "conflicting-options"),
        (("nowhere", "time"), "nowhere: ", "file-not-found"),
    ):
        done = run(*arguments)
        assert done.returncode == 1
        assert message in done.stderr
        assert done.stderr.endswith(f" [{code}]"), done.stderr
        assert done.stdout == ""


def test_unknown_relation_lists_the_main_ones(folder):
    output = run(folder, "time", "-r", "nonsuch").stderr
    assert "unknown relation 'nonsuch': closest: " in output
    assert output.endswith(" [unknown-name]")
    assert re.search(r"the main ones of \d+: .*\bobl\b", output)
    assert len(output) < 300


def test_texts_and_taxonomies_are_refused(tmp_path):
    write_conllu(tmp_path / "a.conllu", [("drink", "tea")])
    output = run(tmp_path / "a.conllu", "tea").stderr
    assert f"count it first: roget count {tmp_path / 'a.conllu'} -o a.counts" in output
    (tmp_path / "t.tsv").write_text("child\tparent\ntea\tdrink\nmilk\tdrink\n")
    read(tmp_path / "t.tsv", "tsv").save(tmp_path / "t")
    (tmp_path / "t.ttl").write_text("")
    for name in ("t", "t.ttl"):
        output = run(tmp_path / name, "tea").stderr
        assert str(tmp_path / name) in output
        assert output.endswith("[unsupported-format]")


def test_comparing_rare_words_warns(folder):
    done = run("nouns", "time", "--compare", "illness")
    assert "'illness'" in done.stderr
    assert "[too-little-text]" in done.stderr


def write_conllu(path, sentences):
    lines = []
    for verb, noun in sentences:
        lines += [f"1\t{verb}\t{verb}\tVERB\t_\t_\t0\troot\t_\t_",
                  f"2\t{noun}\t{noun}\tNOUN\t_\t_\t1\tobj\t_\t_", ""]  # fmt: skip
    path.write_text("\n".join([*lines, ""]))


def test_numbers_link_to_lines_on_request(tmp_path):
    write_conllu(tmp_path / "t.conllu", [("drink", "tea"), ("drink", "milk"), ("spill", "tea")] * 3)
    roget.count(tmp_path / "t.conllu", evidence=2, output=tmp_path / "counts")
    found = json.loads(run(tmp_path / "counts", "tea", "--lines", 2, "--format", "json").stdout)
    [drink, spill] = sorted(found["relations"][0]["collocates"], key=lambda one: one["name"])
    for one, verb in ((drink, "drink"), (spill, "spill")):
        assert len(one["lines"]["tea"]) == 2
        line = one["lines"]["tea"][0]
        assert (line["source"], line["text"]) == ("t.conllu", f"{verb} tea")
        assert line["text"][slice(*line["word"])] == line["keyword"] == "tea"
        assert line["text"][slice(*line["context"])] == verb
    output = run(tmp_path / "counts", "tea", "--lines", 1).stdout
    assert "sentences with tea" in output
    assert re.search(r"spill … +t.conllu:\d+ +spill +tea", output)
    page = tmp_path / "page.html"
    assert run(tmp_path / "counts", "tea", "--lines", 1, "-o", page).returncode == 0
    assert '<b class="context">spill</b> <b class="word">tea</b>' in page.read_text()
    assert run(tmp_path / "counts", "tea", "-o", page).returncode == 0
    assert "t.conllu" not in page.read_text(), "no sentence unless asked for"
