"""`roget prefer`: preferred classes of a head, and errors."""

from __future__ import annotations

import csv
import io
import json

import pytest
import typer
from typer.testing import CliRunner

from roget.cli.command import expand
from roget.cli.prefer import prefer
from roget.core.counts import Counts
from roget.errors import InputError, MissingExtra, UnknownName, flags_in_messages
from support.errors import refused

app = typer.Typer(rich_markup_mode=None)
app.command()(expand(prefer))

TAXONOMY = """child\tparent
bread\tfood
cake\tfood
rice\tfood
apple\tfood
apple\tplant
hammer\ttool
saw\ttool
axe\ttool
oak\tplant
fern\tplant
food\tthing
tool\tthing
plant\tthing
plant\tfood
thing\t
"""

WORDS = ["bread", "cake", "rice", "apple", "hammer", "saw", "oak", "muesli"]
CONTEXTS = ["obj:eat", "obj:use", "subj:eat", "subj:grow"]
CELLS = [
    [30, 2, 0, 1],
    [31, 0, 0, 0],
    [28, 1, 0, 0],
    [33, 1, 0, 9],
    [0, 40, 1, 0],
    [1, 39, 0, 0],
    [0, 4, 2, 20],
    [7, 0, 0, 0],
]


def run(*args):
    with flags_in_messages():
        return CliRunner().invoke(app, list(map(str, args)))


def error(*args):
    result = run(*args)
    assert result.exit_code == 1
    assert result.exception is not None
    return result.exception


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "counts.tsv"
    Counts(CELLS, WORDS, CONTEXTS).write(path)
    return path


@pytest.fixture
def taxonomy(tmp_path):
    path = tmp_path / "things.tsv"
    path.write_text(TAXONOMY)
    return path


def answer(*args):
    result = run(*args, "--format", "json")
    assert result.exit_code == 0, result.exception
    return json.loads(result.stdout)


def test_preferred_classes_of_a_taxonomy_are_printed(counts, taxonomy):
    found = answer(counts, "eat", "obj", "--thesaurus", taxonomy)
    assert found["head"] == "obj:eat"
    assert found["tokens"] == 130
    assert found["unknown"] == pytest.approx(7 / 130)
    first = found["classes"][0]
    assert first["label"].startswith("food")
    assert first["probability"] > 0.8
    assert first["ratio"] == pytest.approx(first["probability"] / first["prior"])
    assert {one["word"] for one in first["words"]} >= {"bread", "cake", "rice"}
    total = sum(one["probability"] for one in found["classes"])
    assert total == pytest.approx(1)
    # No class is told twice, though plants lie below two others.
    labels = [one["label"] for one in found["classes"]]
    assert len(labels) == len(set(labels))
    order = [one["association"] for one in found["classes"]]
    assert order == sorted(order, reverse=True)


def test_prior_is_that_of_the_slot(counts, taxonomy):
    table = Counts.read(counts)
    objects = table.select(contexts=["obj:eat", "obj:use"])
    found = answer(counts, "obj:eat", "--thesaurus", taxonomy, "--penalty", "1000")
    (root,) = found["classes"]
    assert (root["label"], root["prior"], root["probability"]) == ("thing", 1.0, 1.0)
    found = answer(counts, "use", "obj", "--thesaurus", taxonomy)
    tool = next(one for one in found["classes"] if one["label"] == "tool")
    known = objects.total - objects.word_totals[objects.word_id("muesli")]
    tools = sum(objects.word_totals[objects.word_id(word)] for word in ("hammer", "saw"))
    assert tool["prior"] == pytest.approx(tools / known)


def test_text_table_fits_80_columns(counts, taxonomy, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = run(counts, "eat", "obj", "--thesaurus", taxonomy, "--top", "1")
    assert result.exit_code == 0, result.exception
    lines = result.stdout.splitlines()
    assert lines[0].startswith("eat …: 130 tokens in ")
    assert "5% of the tokens" in result.stdout
    assert "bread 30" in result.stdout
    assert any(line.startswith("and ") and "(--top)" in line for line in lines)


def test_csv_has_the_same_rows(counts, taxonomy, tmp_path):
    file = tmp_path / "out.csv"
    assert run(counts, "eat", "obj", "--thesaurus", taxonomy, "-o", file).exit_code == 0
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    found = answer(counts, "eat", "obj", "--thesaurus", taxonomy)
    assert [row["label"] for row in rows] == [one["label"] for one in found["classes"]]
    for row, one in zip(rows, found["classes"], strict=True):
        assert float(row["probability"]) == one["probability"]
        assert row["words"] == "; ".join(f"{w['word']} {w['count']:g}" for w in one["words"])


def test_words_option_goes_down_to_words(counts, taxonomy):
    found = answer(counts, "eat", "obj", "--thesaurus", taxonomy, "--words", "--penalty", "0")
    # A word that lies in several places is told once.
    labels = [one["label"] for one in found["classes"]]
    assert sorted(labels) == ["apple", "bread", "cake", "rice", "saw"]
    assert {one["label"]: one["words"][0]["count"] for one in found["classes"]}["apple"] == 33


@pytest.mark.parametrize("method", [(), ("--method", "mdl")])
def test_thesaurus_is_learnt_if_none_is_passed(counts, method):
    result = run(counts, "eat", "obj", "--format", "json", *method)
    assert result.exit_code == 0, result.exception
    assert "a thesaurus from the counts: 8 words in " in result.stderr
    found = json.loads(result.stdout)
    assert found["unknown"] == 0
    assert {"bread", "cake"} <= {one["word"] for one in found["classes"][0]["words"]}


def test_sample_needs_no_other_input():
    result = run("sample", "eat", "obj", "--format", "json")
    assert result.exit_code == 0, result.exception
    first = json.loads(result.stdout)["classes"][0]
    words = {one["word"] for one in first["words"]}
    assert {"food", "meal", "bread"} <= words
    assert first["probability"] > 0.3
    assert first["ratio"] > 10


@pytest.mark.parametrize(
    ("args", "kind", "code", "message"),
    [
        (("eat",), InputError, "missing-option", ("'eat'", "obj (130), subj (3)")),
        (("eta", "obj"), UnknownName, "unknown-name", ("no head 'eta'", "'eat'")),
        (("grow", "obj"), InputError, "invalid-option", ("'grow'", "'obj'", "subj (30)")),
        (("eat", "onj"), UnknownName, "unknown-name", ("slot 'onj'", "obj")),
    ],
)
def test_unknown_heads_are_refused(counts, args, kind, code, message):
    with refused(code, *message, kind=kind):
        raise error(counts, *args)


def test_head_of_one_slot_needs_no_slot_name(counts, taxonomy):
    assert answer(counts, "grow", "--thesaurus", taxonomy)["head"] == "subj:grow"


def test_counts_without_slots_are_supported(taxonomy, tmp_path):
    plain = tmp_path / "plain"
    Counts([[5], [3]], ["bread", "saw"], ["eat"], relations=("obj",)).write(plain)
    for args in (("eat",), ("eat", "obj")):
        assert answer(plain, *args, "--thesaurus", taxonomy)["head"] == "eat"
    with refused("conflicting-options", "slot 'subj'", "only obj", kind=InputError):
        raise error(plain, "eat", "subj", "--thesaurus", taxonomy)


def test_unknown_words_are_reported(taxonomy, tmp_path):
    strange = tmp_path / "strange"
    Counts([[5]], ["xylophone"], ["eat"]).write(strange)
    result = run(strange, "eat", "--thesaurus", taxonomy, "--format", "json")
    assert "[unknown-word]" in result.stderr
    found = json.loads(result.stdout)
    assert found["unknown"] == 1
    assert [one["probability"] for one in found["classes"]] == [0.0]


def test_cyclic_taxonomy_is_refused(counts, tmp_path):
    file = tmp_path / "loop.tsv"
    file.write_text("a\tb\nb\ta\nbread\ta\n")
    with refused("not-a-tree", "loop: ", "'a' > 'b' > 'a'", kind=InputError):
        raise error(counts, "eat", "obj", "--thesaurus", file)


def test_conflicting_options_are_refused(counts, taxonomy, tmp_path):
    with refused("conflicting-options", "--thesaurus", "--wordnet", kind=InputError):
        raise error(counts, "eat", "obj", "--thesaurus", taxonomy, "--wordnet", taxonomy)
    with refused("file-not-found", tmp_path / "dict", kind=InputError):
        raise error(counts, "eat", "obj", "--wordnet", tmp_path / "dict")
    with refused("unsupported-format", "pp_quads", "quadruples", kind=InputError):
        raise error("pp_quads", "eat", "obj")


def test_missing_wn_package_is_named(counts, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "wn", None)
    with pytest.raises(MissingExtra, match=r"needs wn: pip install 'roget\[wordnet\]'"):
        raise error(counts, "eat", "obj", "--wordnet", "wn:oewn:2024")


def test_wordnet_tables_are_read(counts, shared_data):
    folder = shared_data / "wordnet30"
    if not folder.is_dir():
        pytest.skip(f"no {folder}")
    found = answer(counts, "eat", "obj", "--wordnet", folder, "--penalty", "0.1")
    assert found["unknown"] == 0
    labels = {one["label"] for one in found["classes"]}
    assert not labels & {"verb", "noun"}
    assert any("bread" in {w["word"] for w in one["words"]} for one in found["classes"])
