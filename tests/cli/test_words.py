"""`roget neighbours`, `senses` and `classify` on the command line."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import pytest

from commands import run
from roget import Counts
from roget.learn.thesaurus import Thesaurus, lookup
from thesauri import FAMILIES, planted


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("words") / "t"
    t = planted()
    t.editor.rename(t.common_class(*FAMILIES["arms"]), "arms").save(place)
    return place


def test_neighbours_are_printed_as_text(folder):
    done = run("neighbours", folder, "gun", "-n", 2)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("gun: 8 occurrences")
    assert "arms-1" in lines[0]
    assert lines[1].split() == ["class:", "arms"]
    assert len(lines) == 9
    for line, near in zip(lines[5:7], Thesaurus.load(folder).neighbours("gun", 2), strict=True):
        word, alike, *rest = line.split()
        assert word == near.word
        assert float(alike) == pytest.approx(near.similarity, abs=6e-3)
        assert rest[-1] == "arms"


@pytest.mark.parametrize("by", ["both", "classes", "counts"])
def test_neighbours_are_printed_as_json(folder, by):
    done = run("neighbours", folder, "tea", "--by", by, "--format", "json")
    found = json.loads(done.stdout)
    near = Thesaurus.load(folder).neighbours("tea", by=by)
    assert [(one["word"], one["similarity"]) for one in found["neighbours"]] == near
    assert found["by"] == by
    assert found["classes"][0]["probability"] == 1
    assert found["neighbours"][0]["contexts"] == ["drinks-1", "drinks-2"]


def test_senses_are_printed_as_text_and_json(folder):
    done = run("senses", folder, "gun", "-n", 2)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "gun: 8 occurrences, 1 sense"
    assert lines[1].split()[0] == "100%"
    assert lines[1].endswith("› arms")
    found = json.loads(run("senses", folder, "gun", "-n", 2, "--format", "json").stdout)
    (sense,) = Thesaurus.load(folder).senses("gun", 2)
    (entry,) = found["senses"]
    assert (entry["node"], entry["label"], entry["share"]) == (sense.node, "arms", 1.0)
    assert entry["path"][-1] == "arms"
    assert entry["words"] == list(sense.words)
    assert set(entry["words"]) < set(FAMILIES["arms"]) - {"gun"}
    assert entry["contexts"] == [one.context for one in sense.contexts]


def test_unknown_words_are_explained(folder, tmp_path):
    for arguments, message in (
        (["neighbours", folder, "teaa"], "no word 'teaa': did you mean 'tea'"),
        (["senses", folder, "teaa"], "no word 'teaa': did you mean 'tea'"),
        (["neighbours", tmp_path, "tea"], "not a thesaurus: thesaurus.json is missing"),
        (["classify", folder, tmp_path / "absent.tsv"], "absent.tsv: no such file"),
    ):
        done = run(*arguments)
        assert done.returncode == 1
        assert done.stderr.startswith("roget: ")
        assert message in done.stderr
        assert "Traceback" not in done.stderr


@pytest.fixture
def table(tmp_path):
    matrix = [[4, 1, 0, 0], [0, 2, 6, 0], [0, 0, 0, 3]]
    contexts = ["arms-1", "arms-2", "homes-1", "sing"]
    Counts(matrix, ["pike", "fort", "ballad"], contexts).write(tmp_path / "new.tsv")
    return tmp_path / "new.tsv"


def test_classify_prints_text_json_and_tsv(folder, table, tmp_path):
    # Of the third word nothing is known: it has no class in any format.
    expected = [
        one
        for one in lookup.list_placements(Thesaurus.load(folder), Counts.read(table))
        if one.known
    ]
    done = run("classify", folder, table)
    assert done.returncode == 0, done.stderr
    assert "(ballad) [unknown-word]" in done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["word", "known", "probability", "class"]
    (pike,) = [line for line in lines if line[0] == "pike"]
    assert (pike[1], pike[3]) == ("100%", "arms")
    assert [line for line in lines if line[0] == "ballad"] == [
        ["ballad", "0%", "(no", "known", "context)"]
    ]
    found = json.loads(run("classify", folder, table, "--format", "json").stdout)["words"]
    listed = [
        (one["word"], of["node"], of["label"], of["probability"], one["known"])
        for one in found
        for of in one["classes"]
    ]
    assert listed == [tuple(one) for one in expected]
    assert found[-1] == {"word": "ballad", "known": 0.0, "classes": []}
    done = run("classify", folder, table, "-o", tmp_path / "out.tsv")
    assert done.stdout == ""
    rows = list(csv.reader(io.StringIO((tmp_path / "out.tsv").read_text()), delimiter="\t"))
    assert rows[0] == ["word", "node", "class", "probability", "known"]
    assert [(r[0], int(r[1]), r[2], float(r[3]), float(r[4])) for r in rows[1:-1]] == listed
    assert rows[-1] == ["ballad", "", "", "", "0.0"]


def test_assigned_name_of_the_root_is_shown(folder, tmp_path):
    t = Thesaurus.load(folder)
    answer = json.loads(run("neighbours", folder, "gun", "-n", 13, "--format", "json").stdout)
    assert answer["neighbours"][-1]["class"] == {"node": 0, "label": "(all words)"}
    t.editor.rename(0, "Everything").save(tmp_path / "t")
    done = run("neighbours", tmp_path / "t", "gun", "-n", 13)
    assert "Everything" in done.stdout
    assert "(all words)" not in done.stdout


ANIMALS = "dog\tmammal\ncat\tmammal\nowl\tbird\ncrow\tbird\nmammal\tanimal\nbird\tanimal\n"


def test_taxonomies_are_read_like_thesauri(tmp_path):
    table = tmp_path / "animals.tsv"
    table.write_text(ANIMALS)
    done = run("neighbours", table, "dog", "-n", 1)
    assert done.returncode == 0, done.stderr
    (cat,) = [line for line in done.stdout.splitlines() if line.startswith("cat")]
    assert cat.split() == ["cat", "0.24", "mammal,", "animal", "mammal"]
    Counts([[3]], ["wolf"], ["mammal"]).write(tmp_path / "new.tsv")
    done = run("classify", table, tmp_path / "new.tsv", "--format", "json")
    (wolf,) = json.loads(done.stdout)["words"]
    assert wolf["classes"][0]["label"] == "mammal"


def test_help_and_lookups_import_no_heavy_package():
    code = (
        "import sys; from roget.cli import app\n"
        "for command in ('neighbours', 'senses', 'classify'):\n"
        "    try: app([command, '--help'])\n"
        "    except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'numba', 'sklearn'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "import roget.learn.load, roget.report.growth\n"
        "heavy = {'numba', 'sklearn', 'roget.learn.counting.count'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--by" in done.stdout
    assert "--columns" in done.stdout
