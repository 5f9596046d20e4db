"""`roget place`: candidates as tables, SKOS and JSON, and tests on hidden words."""

from __future__ import annotations

import csv
import io
import json

import pytest
import typer
from typer.testing import CliRunner

import roget
from learn.placing.planted import plant, write_conllu, write_skos
from roget.cli import app as roget_app
from roget.cli.command import expand
from roget.cli.place import place
from roget.errors import InputError, flags_in_messages
from roget.learn.placing.sheet import read_accepted
from roget.learn.taxonomy import taxonomy_of
from thesauri import planted as thesaurus

app = typer.Typer(rich_markup_mode=None)
app.command()(expand(place))

HOME = "http://example.org/"


def run(*args):
    with flags_in_messages():
        return CliRunner().invoke(app, list(map(str, args)))


def refuse(code, *args):
    """Run a command that must fail with a code; return the message."""
    result = run(*args)
    assert result.exit_code == 1
    assert isinstance(result.exception, InputError), result.exception
    assert result.exception.code == code, result.exception
    return str(result.exception)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A SKOS file, counts with a rare word, a corpus of the same, and where words belong."""
    folder = tmp_path_factory.mktemp("placing")
    taxonomy, counts, truth = plant(unknown=1)
    write_skos(taxonomy, folder / "t.ttl")
    rare = {(str(counts.words[0]) + "zz", str(counts.contexts[0])): 2}
    lines = [f"{word}\t{context}\t{count}\n" for word, context, count in counts.rows()]
    lines += [f"{word}\t{context}\t{count}\n" for (word, context), count in rare.items()]
    (folder / "counts.tsv").write_text("".join(lines), encoding="utf-8")
    write_conllu(counts, folder / "text.conllu")
    return folder, truth


def test_candidates_as_json_include_lines_of_the_text(made):
    folder, truth = made
    done = run(folder / "t.ttl", folder / "text.conllu", "--processes", 1, "-n", 2,
               "--format", "json")  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    best = {}
    for one in found["candidates"]:
        best.setdefault(one["word"], one)
    assert best.keys() == truth.keys()
    right = [word for word, name in truth.items() if best[word]["id"] == HOME + name]
    assert len(right) >= 0.8 * len(truth)
    one = best[right[0]]
    assert one["path"] == ["everything", f"area {truth[right[0]][1]}", one["label"]]
    assert one["contexts"]
    for line in one["lines"]:
        assert line["source"] == "text.conllu"
        assert line["text"] == f"{line['context'].partition(':')[2]} {one['word']}"
    assert one["lines"]
    assert {reason["by"] for reason in one["reasons"]} <= {"contexts", "ending"}
    assert all(len(some["lines"]) <= 3 for some in found["candidates"])
    bare = run(folder / "t.ttl", folder / "text.conllu", "--processes", 1, "--lines", 0)
    assert "for instance" not in bare.stdout


def test_candidates_are_printed_as_text(made):
    folder, truth = made
    done = run(folder / "t.ttl", folder / "counts.tsv")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{len(truth)} words ")
    assert any("5 occurrences: 1 word" in line for line in lines)
    assert any("class" in line and "everything" in line for line in lines)


def test_spreadsheet_has_columns_for_decisions(made, tmp_path):
    folder, truth = made
    target = tmp_path / "c.csv"
    done = run(folder / "t.ttl", folder / "counts.tsv", "-n", 1, "-o", target)
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))
    assert {row["word"] for row in rows} == truth.keys()
    assert {row["accept"] for row in rows} == {""}
    assert all(row["id"].startswith(HOME) and 0 <= float(row["score"]) <= 1 for row in rows)
    scores = [float(row["score"]) for row in rows]
    least = sorted(scores)[len(scores) // 2]
    done = run(folder / "t.ttl", folder / "counts.tsv", "-n", 1, "--least", least, "-o", target)
    kept = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))
    assert [row["word"] for row in kept] == [
        row["word"] for row in rows if float(row["score"]) >= least
    ]


def test_accepted_candidates_become_skos(made, tmp_path):
    pytest.importorskip("rdflib")
    folder, _ = made
    sheet, more = tmp_path / "c.csv", tmp_path / "more.ttl"
    assert run(folder / "t.ttl", folder / "counts.tsv", "-o", sheet).exit_code == 0
    assert "c.csv" in refuse("empty-input", folder / "t.ttl", "--accepted", sheet, "-o", more)
    with sheet.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    at = {name: head.index(name) for name in ("accept", "word", "score", "id")}
    assert all(len(row[at["score"]]) <= 6 for row in rows)
    rows[0][0], rows[1][0], rows[-1][0] = "x", "no", "Yes"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    done = run(folder / "t.ttl", "--accepted", sheet, "-o", more)
    assert done.exit_code == 0, done.output
    found = taxonomy_of(more)
    expected = {row[at["word"]]: row[at["id"]] for row in (rows[0], rows[-1])}
    assert found.words.keys() >= expected.keys()
    for word, id in expected.items():
        (concept,) = found.words[word]
        assert found.parents[concept] == [id]
    assert len(done.stderr.split("wrote ")[1].splitlines()) == 1
    rows[0][at["id"]] = "elsewhere"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    with pytest.raises(InputError, match=r"c\.csv:2: .*elsewhere"):
        read_accepted(sheet, taxonomy_of(folder / "t.ttl"))
    assert "FILE.ttl" in refuse("missing-option", folder / "t.ttl", "--accepted", sheet)
    both = folder / "t.ttl", folder / "counts.tsv", "--accepted", sheet, "-o", more
    assert "--accepted" in refuse("conflicting-options", *both)


def test_uninformative_scores_are_warned_about(made, tmp_path):
    folder, _ = made
    taxonomy, _, _ = plant(unknown=1)
    links = [f"{name}\ttop\n" for name in taxonomy.parents if name.startswith("c")]
    links += [f"{word}\t{next(iter(classes))}\n" for word, classes in taxonomy.words.items()]
    (tmp_path / "flat.tsv").write_text("child\tparent\n" + "".join(links), encoding="utf-8")
    flat = run(tmp_path / "flat.tsv", folder / "counts.tsv", "--steps", "2")
    assert "100%" in flat.stderr
    assert "2 steps" in flat.stderr
    assert "--steps 0 or --steps 1" in flat.stderr
    for asked in ((tmp_path / "flat.tsv", folder / "counts.tsv", "--steps", 0),
                  (folder / "t.ttl", folder / "counts.tsv")):  # fmt: skip
        assert "warning" not in run(*asked).stderr
    shown = run(folder / "t.ttl", folder / "counts.tsv", "--steps", 0, "--least", 1).stdout
    assert "--least 0 shows more" in " ".join(shown.split())


def test_skos_candidates_are_below_concepts_of_the_file(made, tmp_path):
    pytest.importorskip("rdflib")
    from rdflib import SKOS, Graph, Literal, URIRef

    folder, truth = made
    target = tmp_path / "c.ttl"
    done = run(folder / "t.ttl", folder / "counts.tsv", "-o", target)
    assert done.exit_code == 0, done.output
    assert "language: en" in done.stderr
    graph = Graph().parse(target)
    status = URIRef("urn:x-roget:status")
    assert len(set(graph.subjects(status, URIRef("urn:x-roget:candidate")))) == len(truth)
    for word in truth:
        (concept,) = graph.subjects(SKOS.prefLabel, Literal(word, "en"))
        (above,) = graph.objects(concept, SKOS.broader)
        assert str(above).startswith(HOME)
        assert any("score " in str(note) for note in graph.objects(concept, SKOS.editorialNote))
    both = tmp_path / "both.ttl"
    (graph + Graph().parse(folder / "t.ttl")).serialize(both, format="turtle")
    grown, before = taxonomy_of(both), taxonomy_of(folder / "t.ttl")
    assert grown.words.keys() == before.words.keys() | truth.keys()
    right = 0
    for word, name in truth.items():
        (concept,) = grown.words[word]
        right += grown.parents[concept] == [HOME + name]
    assert right >= 0.8 * len(truth)


def test_classes_without_iri_get_one(made, tmp_path):
    pytest.importorskip("rdflib")
    folder, truth = made
    taxonomy, _, _ = plant(unknown=1)
    links = [f"{name}\t{above[0]}\n" for name, above in taxonomy.parents.items()]
    links += [f"{word}\t{next(iter(classes))}\n" for word, classes in taxonomy.words.items()]
    table, target = tmp_path / "t.tsv", tmp_path / "c.ttl"
    table.write_text("child\tparent\n" + "".join(links), encoding="utf-8")
    done = run(table, folder / "counts.tsv", "-o", target)
    assert done.exit_code == 0, done.output
    found = taxonomy_of(target)
    parents = {found.labels[above[0]] for name, above in found.parents.items()}
    assert parents & {*truth.values()}


def test_trial_reports_accuracy_and_baseline(made):
    folder, _ = made
    done = run(
        folder / "t.ttl", folder / "counts.tsv", "--hide", 30, "--seed", 4, "--format", "json"
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["hidden"] == 30
    assert found["seed"] == 4
    ours, *_, first, _ = found["ways"]
    assert ours["at"] >= 0.8
    assert ours["at_low"] < ours["at"] < ours["at_high"] or ours["at"] == 1
    assert first["way"] == "nearest word, first sense"
    shown = run(folder / "t.ttl", folder / "counts.tsv", "--hide", 30, "--no-spelling").stdout
    assert "by contexts only" not in shown
    assert "calibration" in shown


def test_invalid_requests_are_refused(made, tmp_path):
    folder, _ = made
    skos, counts = folder / "t.ttl", folder / "counts.tsv"
    refuse("missing-option", skos)
    hidden = refuse("conflicting-options", skos, counts, "--hide", 3, "-o", tmp_path / "c.ttl")
    assert "--hide" in hidden
    refuse("too-little-text", skos, counts, "--min-count", 100000)
    assert "100,000" in refuse("invalid-option", skos, counts, "--hide", 100000)
    thesaurus().save(tmp_path / "t")
    assert "roget grow" in refuse("conflicting-options", tmp_path / "t", counts)


def test_grow_refers_to_place(made, tmp_path):
    folder, _ = made
    done = CliRunner().invoke(
        roget_app, ["grow", str(folder / "t.ttl"), str(folder / "counts.tsv")]
    )
    assert done.exit_code == 1
    assert "roget place" in str(done.exception)
    assert done.exception.code == "conflicting-options"


def test_library_function_reads_files(made):
    folder, truth = made
    found = roget.place(folder / "t.ttl", folder / "counts.tsv", n=1)
    assert {one.word for one in found.candidates} >= truth.keys()
