"""`roget neighbours` and `roget classify` as people and scripts meet them."""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys

import pytest

from roget import Counts
from roget.learn.thesaurus import Thesaurus
from thesauri import FAMILIES, planted


def run(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "roget", *map(str, arguments)],
        capture_output=True,
        text=True,
        **more,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("words") / "t"
    t = planted()
    t.rename(t.common_class(*FAMILIES["arms"]), "arms").save(place)
    return place


def test_neighbours_as_text(folder):
    done = run("neighbours", folder, "gun", "-n", 2)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("gun: seen 8 times, such as with arms-1")
    assert lines[1].split() == ["100%", "arms"]
    assert len(lines) == 7
    for line, near in zip(lines[-2:], Thesaurus.load(folder).neighbours("gun", 2), strict=True):
        word, distance, *rest = line.split()
        assert word == near.word
        assert float(distance) == pytest.approx(near.distance / math.log(2), abs=5e-4)
        assert rest[-1] == "arms"


@pytest.mark.parametrize("by", ["both", "classes", "counts"])
def test_neighbours_as_json(folder, by):
    done = run("neighbours", folder, "tea", "--by", by, "--format", "json")
    found = json.loads(done.stdout)
    near = Thesaurus.load(folder).neighbours("tea", by=by)
    assert [(one["word"], one["distance"]) for one in found["neighbours"]] == near
    assert found["by"] == by
    assert found["classes"][0]["probability"] == 1
    assert found["neighbours"][0]["contexts"] == ["drinks-1", "drinks-2"]


def test_what_is_not_there_is_explained(folder, tmp_path):
    for arguments, said in (
        (["neighbours", folder, "teaa"], "no word 'teaa': did you mean 'tea'"),
        (["neighbours", tmp_path, "tea"], "not a thesaurus: it has no thesaurus.json"),
        (["classify", folder, tmp_path / "absent.tsv"], "absent.tsv: no such file"),
    ):
        done = run(*arguments)
        assert done.returncode == 1
        assert done.stderr.startswith("roget: ")
        assert said in done.stderr
        assert "Traceback" not in done.stderr


@pytest.fixture
def table(tmp_path):
    matrix = [[4, 1, 0, 0], [0, 2, 6, 0], [0, 0, 0, 3]]
    contexts = ["arms-1", "arms-2", "homes-1", "sing"]
    Counts(matrix, ["pike", "fort", "ballad"], contexts).write(tmp_path / "new.tsv")
    return tmp_path / "new.tsv"


def test_classify_as_text_json_and_tsv(folder, table, tmp_path):
    expected = Thesaurus.load(folder).classify_table(Counts.read(table))
    done = run("classify", folder, table)
    assert done.returncode == 0, done.stderr
    assert "1 word without any context that the thesaurus knows (ballad)" in done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["word", "known", "probability", "class"]
    (pike,) = [line for line in lines if line[0] == "pike"]
    assert (pike[1], pike[3]) == ("100%", "arms")
    found = json.loads(run("classify", folder, table, "--format", "json").stdout)["words"]
    told = [
        (one["word"], of["node"], of["label"], of["probability"], one["known"])
        for one in found
        for of in one["classes"]
    ]
    assert told == [tuple(one) for one in expected]
    done = run("classify", folder, table, "-o", tmp_path / "out.tsv")
    assert done.stdout == ""
    rows = list(csv.reader(io.StringIO((tmp_path / "out.tsv").read_text()), delimiter="\t"))
    assert rows[0] == ["word", "node", "class", "probability", "known"]
    assert [(r[0], int(r[1]), r[2], float(r[3]), float(r[4])) for r in rows[1:]] == told


def test_help_is_light():
    code = (
        "import sys; from roget.cli import app\n"
        "for command in ('neighbours', 'classify'):\n"
        "    try: app([command, '--help'])\n"
        "    except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'numba', 'sklearn'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--by" in done.stdout
    assert "--columns" in done.stdout
