"""`roget edit`: edits from tables, history, undo and redo."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import commands
from roget.cli import app
from roget.errors import InputError, RogetError
from roget.learn.editing import edit
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.edits import read_requests
from thesauri import FAMILIES, planted, words_of, written

TABLE = """action\tclass\tword\ttext\tinto\tfield
rename\ttea\t\tdrinks\t\t
move\tdrinks\tgun|bow\t\t\t
add\tdrinks\tmead\t\t\t

split\thut\thut\t\t\t
nest\tdrinks\t\t\tbook\t
note\tdrinks\t\twhat one drinks\t\tdefinition
note\t\ttea\ta leaf\t\t
delete\t\tpoem\t\t\t
merge\tknife\t\t\tdrinks\t
"""


@pytest.fixture
def folder(tmp_path):
    planted().save(tmp_path / "t")
    return tmp_path / "t"


@pytest.fixture
def table(tmp_path):
    (tmp_path / "edits.tsv").write_text(TABLE)
    return tmp_path / "edits.tsv"


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_edits_are_applied_from_a_table(folder, table):
    done = run("edit", folder, table)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "9 edits made; 9 in total"
    t = Thesaurus.load(folder)
    assert [one.kind for one in t.edits] == [
        "rename", "move", "add", "split", "nest", "note", "note", "delete", "merge"
    ]  # fmt: skip
    drinks = next(node for node, label in t.labels.items() if label == "drinks")
    assert words_of(t, drinks) == {*FAMILIES["drinks"], *FAMILIES["arms"], "mead"}
    assert t.notes == {drinks: ("what one drinks", ""), "tea": ("", "a leaf")}
    assert "poem" not in t.words
    assert t.common_class("tea", "play") != drinks
    assert t.path("hut")[-1] != t.path("house")[-1]


def test_nothing_is_written_if_any_edit_fails(folder, table):
    before = written(folder)
    table.write_text(TABLE + "move\tdrinks\tzebra\t\t\t\nmerge\t99\t\t\tdrinks\t\n")
    done = commands.run("edit", folder, table)
    assert done.returncode == 1
    assert "edits.tsv:12: " in done.stderr
    assert "edits.tsv:13: class id 99" in done.stderr
    assert "'zebra'" in done.stderr
    assert "[edit-refused]" in done.stderr
    assert done.stdout == ""
    assert written(folder) == before
    table.write_text(TABLE)
    result = run("edit", folder, table, "--dry-run")
    assert result.stdout.startswith("9 edits would be made; nothing was written")
    assert result.stdout.count("would be done") == 9
    assert written(folder) == before


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("action,class\nfly,tea\n", "edits.csv:2: .*'fly'.* rename"),
        ("action,class,into\naccept,tea,book\n", "edits.csv:2: .*'accept'.* rename"),
        ("action,class\nrename,tea,x\n", "edits.csv:2: "),
        ("action,class\n", "edits.csv"),
        ("what,class,text\nrename,tea,x\n", "edits.csv .*action, class, word, text, into"),
        ("action,class,text\nrename,nothing,x\n", "edits.csv:2: .*'nothing'"),
        ("action,class,text\nrename,,x\n", "edits.csv:2: "),
        ("action,class,text\nrename,tea,\n", "edits.csv:2: "),
        ("action,text\nnote,x\n", "edits.csv:2: "),
        ("action,class,word\nmove,tea,\n", "edits.csv:2: "),
        (f"action,class,text\nrename,{'9' * 5000},x\n", "edits.csv:2: .*'999"),
        ("action\nundo\n", "edits.csv:2: .*'undo'.* rename"),
        ("", "edits.csv"),
    ],
)
def test_invalid_rows_are_named(folder, tmp_path, text, named):
    (tmp_path / "edits.csv").write_text(text)
    with pytest.raises(RogetError, match=named):
        edit(folder, tmp_path / "edits.csv")


def test_words_are_moved_into_the_class_in_the_column_into(folder, tmp_path):
    (tmp_path / "edits.tsv").write_text("action\tclass\tword\tinto\nmove\tgun\tgun|bow\ttea\n")
    edit(folder, tmp_path / "edits.tsv")
    t = Thesaurus.load(folder)
    assert t.path("gun")[-1] == t.path("bow")[-1] == t.path("tea")[-1]
    (tmp_path / "edits.tsv").write_text("action\tclass\tword\tinto\nmove\thut\tgun\tknife\n")
    with pytest.raises(RogetError, match=r"edits.tsv:2: 'gun' is not in the class") as caught:
        edit(folder, tmp_path / "edits.tsv")
    assert caught.value.code == "edit-refused"


def test_trailing_cells_may_be_missing(folder, tmp_path):
    whole = [line.split("\t") for line in TABLE.splitlines()]
    (tmp_path / "whole.tsv").write_text(TABLE)
    short = ["\t".join(cells).rstrip("\t") for cells in whole]
    (tmp_path / "short.tsv").write_text("\n".join(short))
    asked = read_requests(tmp_path / "short.tsv")
    assert len(asked) == 9
    assert [replace(one, place="") for one in asked] == [
        replace(one, place="") for one in read_requests(tmp_path / "whole.tsv")
    ]


def test_single_column_table_is_read_as_tsv(folder, tmp_path):
    (tmp_path / "edits.tsv").write_text("action\nundo\n")
    with pytest.raises(RogetError, match=r"edits.tsv:2: the action is 'undo'; expected one of"):
        edit(folder, tmp_path / "edits.tsv")


def test_edits_without_effect_are_skipped(folder, table):
    table.write_text(
        "action\tclass\tword\ttext\tfield\nrename\ttea\t\tdrinks\t\nmove\tdrinks\tgun|bow\t\t\n"
        "note\tdrinks\t\twhat one drinks\t\nnote\t\ttea\ta leaf\t\n"
    )
    assert len(edit(folder, table).done) == 4
    # A word that is moved to where it is stays there when all is built anew.
    assert [one.kind for one in edit(folder, table).done] == ["move"]
    assert len(Thesaurus.load(folder).edits) == 5


def test_history_undo_and_redo_work(folder, table):
    assert run("edit", folder).stdout == "0 edits\n"
    edit(folder, table)
    whole = Thesaurus.load(folder)
    done = run("edit", folder, "--undo")
    assert done.stdout.splitlines()[0] == "1 edit undone; 8 in total"
    assert "merged into “drinks”" in done.stdout
    assert run("edit", folder, "--undo", "-n", 2).exit_code == 0
    found = json.loads(run("edit", folder, "--format", "json").stdout)["edits"]
    assert [one["number"] for one in found] == list(range(1, 10))
    assert [one["state"] for one in found] == ["done"] * 6 + ["undone"] * 3
    assert [one["what"] for one in found] == [str(one) for one in whole.edits]
    sheet = list(csv.DictReader(io.StringIO(run("edit", folder, "--format", "csv").stdout)))
    assert [one["edit"] for one in sheet] == [one["what"] for one in found]
    assert run("edit", folder, "--redo", "--number", 3).exit_code == 0
    assert Thesaurus.load(folder).edits == whole.edits
    assert run("edit", folder, "--undo-to", 0).exit_code == 0
    assert Thesaurus.load(folder).edits == ()
    assert len(Thesaurus.load(folder).undone) == 9
    for options, message in (
        ({"undo": True}, "undo"),
        ({"redo": True, "n": 10}, "10.*9"),
        ({"undo_to": 3}, "edit 3"),
        ({"undo": True, "redo": True}, "undo_to"),
    ):
        with pytest.raises(RogetError, match=message):
            edit(folder, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"undo": True, "n": 0}, "n 0: expected 1 or more"),
        ({"redo": True, "n": -1}, "n -1: expected 1 or more"),
        ({"undo_to": -1}, "undo_to -1: expected not negative"),
    ],
)
def test_number_of_undone_edits_is_validated(folder, options, message):
    with pytest.raises(InputError, match=message):
        edit(folder, **options)


def test_classes_are_found_by_id_name_or_word(folder, tmp_path):
    t = Thesaurus.load(folder)
    (tmp_path / "e.jsonl").write_text(
        "".join(
            json.dumps({"action": "rename", "class": of, "text": f"name {at}"}) + "\n"
            for at, of in enumerate((3, "gun", t.label(t.path("hut")[-1])))
        )
    )
    assert [one.target for one in read_requests(tmp_path / "e.jsonl")] == [
        "3", "gun", t.label(t.path("hut")[-1])
    ]  # fmt: skip
    made = edit(folder, tmp_path / "e.jsonl").thesaurus
    assert made.labels == {3: "name 0", t.path("gun")[-1]: "name 1", t.path("hut")[-1]: "name 2"}
    twice = made.editor.rename(1, "name 1")
    twice.save(folder)
    (tmp_path / "e.csv").write_text("action,class,text\nrename,name 1,x\n")
    with pytest.raises(RogetError, match="'name 1'"):
        edit(folder, tmp_path / "e.csv")


def test_skos_changed_in_another_tool_becomes_edits(folder, tmp_path):
    pytest.importorskip("rdflib")
    file, before = tmp_path / "t.ttl", Thesaurus.load(folder)
    assert run("export", folder, "-o", file, "--language", "en").exit_code == 0
    result = run("edit", folder, file)
    assert result.stdout.splitlines()[0] == "0 edits made; 0 in total"
    id = int(before.ids[before.path("tea")[-1]])
    text = file.read_text(encoding="utf-8")
    label = before.label(before.path("tea")[-1])
    assert text.count(f'skos:prefLabel "{label}"@en') == 1
    file.write_text(text.replace(f'skos:prefLabel "{label}"@en', 'skos:prefLabel "drinks"@en'))
    shown = run("edit", folder, file, "--dry-run")
    assert shown.stdout.startswith("1 edit would be made")
    assert run("edit", folder, file).exit_code == 0
    after = Thesaurus.load(folder)
    assert after.label(after.node(id)) == "drinks"
    assert (after.memberships.toarray() == before.memberships.toarray()).all()
    file.write_text(text.replace('"tea"@en', '"char"@en'))
    wrong = run("edit", folder, file)
    assert wrong.exit_code != 0
    assert "word-tea" in str(wrong.exception)
    assert "char" in str(wrong.exception)
