"""Thesaurus folders: read back completely, damage is reported, killed saves are harmless."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from roget import InputError
from roget.learn.thesaurus import Thesaurus, files
from roget.learn.thesaurus.files import FILES, read_edits
from support.errors import refused
from thesauri import THESAURI, as_version_1, random_thesaurus, same, written


@settings(max_examples=5)
@given(THESAURI)
def test_saved_thesaurus_is_loaded_unchanged(tmp_path_factory, t):
    folder = tmp_path_factory.mktemp("save") / "a.thesaurus"
    t.save(folder)
    again = Thesaurus.load(folder)
    assert again.counts == t.counts
    assert again.tree == t.tree
    assert again.memberships.toarray().tolist() == t.memberships.toarray().tolist()
    assert again.centroids.tolist() == t.centroids.tolist()
    assert again.mass.tolist() == t.mass.tolist()
    assert again.provenance == t.provenance
    assert again.clustering.path == (
        {"step": 1, "beta": 1.5, "critical_beta": None, "free_energy": None},
    )
    assert [one.label for one in again.classes()] == [one.label for one in t.classes()]
    assert sorted(path.name for path in folder.parent.iterdir()) == ["a.thesaurus"]


@pytest.fixture
def folder(tmp_path):
    random_thesaurus(1).save(tmp_path / "t")
    return tmp_path / "t"


@pytest.mark.parametrize("name", FILES)
def test_damaged_file_is_named(folder, name):
    file = folder / name
    whole = file.read_bytes()
    middle = len(whole) // 2
    file.write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    with pytest.raises(InputError, match=name):
        Thesaurus.load(folder)
    file.write_bytes(whole[:-1])
    with pytest.raises(InputError, match=name):
        Thesaurus.load(folder)
    file.unlink()
    with pytest.raises(InputError, match=name):
        Thesaurus.load(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 4},
        {"version": 3},
        {"version": 2},
        {"format": "roget.counts"},
        {"tree": [1]},
        {"tree": {"parent": [-1], "value": [None], "cluster": [0]}},
        {"shape": [1, 1, 1]},
        {"dtype": "float16"},
        {"files": {}},
        {"files": {"words.parquet": 3}},
        {"files": {"words.parquet": {"bytes": "x", "sha256": ""}}},
        {"version": 0},
        {"version": -1},
        {"version": True},
        {"version": 1.0},
        {"version": None},
        {"labels": []},
        {"labels": {"one": "x"}},
        {"labels": {"1": 3}},
        {"provenance": {"beta": "x"}},
        {"provenance": {"beta": [1]}},
        {"provenance": {"beta": True}},
        {"provenance": {"beta": 10**400}},
        {"provenance": {"options": 3}},
        {"provenance": {"heldout": {"word": "x", "both": 1}}},
        {"provenance": {"description_length": {}}},
        {"path": [1]},
        {"path": [{"beta": []}]},
        {"relations": [1]},
        {"shape": [1, 2]},
        {"shape": [12, 9, 10**30]},
        {"tree": {"parent": [[-1]], "value": [None], "cluster": [0]}},
        {"tree": {"parent": [-1], "value": ["x"], "cluster": [0]}},
        {"tree": {"parent": [-1]}},
    ],
)
def test_inconsistent_manifests_are_refused(folder, change):
    as_version_1(folder)
    place = folder / "thesaurus.json"
    place.write_text(json.dumps(json.loads(place.read_text()) | change))
    with pytest.raises(InputError) as caught:
        Thesaurus.load(folder)
    assert str(place) in str(caught.value)
    if not {"version", "format"} & change.keys():
        assert next(iter(change)) in str(caught.value) or caught.value.code == "damaged-folder"


@pytest.mark.parametrize("version", [1, -1, True, 0, "2", None])
def test_seal_cannot_be_bypassed_by_another_version(folder, version):
    Thesaurus.load(folder).editor.rename(1, "x").save(folder)
    place = folder / "thesaurus.json"
    record = json.loads(place.read_text())
    place.write_text(json.dumps(record | {"version": version}))
    for read in (Thesaurus.load, read_edits):
        with refused("damaged-folder", "thesaurus.json"):
            read(folder)
    # Without the seal, the edits that are there tell as much.
    del record["seal"], record["kind"]
    place.write_text(json.dumps(record | {"version": version}))
    with refused("damaged-folder", "thesaurus.json"):
        Thesaurus.load(folder)


@pytest.mark.parametrize("name", ["thesaurus.json", "edits.json"])
@pytest.mark.parametrize("depth", [600, 900, 960, 980, 200_000])
def test_deeply_nested_json_is_refused(folder, name, depth):
    place = folder / name
    whole = place.read_text().rstrip()[:-1]
    key = "edits" if name == "edits.json" else "more"
    place.write_text(f'{whole}, "{key}": {"[" * depth}{"]" * depth}}}')
    with pytest.raises(InputError, match=name):
        Thesaurus.load(folder)


def test_other_folders_are_neither_read_nor_replaced(folder, tmp_path):
    with pytest.raises(InputError, match="absent"):
        Thesaurus.load(tmp_path / "absent")
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="mine"):
        Thesaurus.load(tmp_path / "mine")
    with refused("not-writable"):
        random_thesaurus(2).save(tmp_path / "mine")
    random_thesaurus(2).save(folder)
    assert Thesaurus.load(folder).counts == random_thesaurus(2).counts
    shutil.rmtree(folder)
    (tmp_path / "t").write_text("a file")
    with refused("not-writable"):
        random_thesaurus(2).save(tmp_path / "t")


def test_version_1_is_read(folder):
    as_version_1(folder)
    old = Thesaurus.load(folder)
    assert same(old, random_thesaurus(1))
    assert old.edits == () == read_edits(folder)
    old.editor.rename(1, "x").save(folder)
    assert json.loads((folder / "thesaurus.json").read_text())["version"] == 3
    assert Thesaurus.load(folder).label(1) == "x"


@pytest.mark.parametrize("edited", [False, True])
def test_save_load_save_gives_identical_bytes(tmp_path, edited):
    t = random_thesaurus(3, labels={1: "ein <b>Name</b>", 0: "\u202e\ud800"})
    if edited:
        t = (
            t.editor.rename(2, "“quoted” <i>")
            .editor.move("w3", 1)
            .editor.merge(t.tree.leaf(3), t.tree.leaf(1))
        )
    t.save(tmp_path / "a")
    again = Thesaurus.load(tmp_path / "a")
    assert same(again, t)
    assert again.edits == t.edits
    again.save(tmp_path / "b")
    assert written(tmp_path / "a") == written(tmp_path / "b")
    again.save(tmp_path / "a")
    assert written(tmp_path / "a") == written(tmp_path / "b")


def test_save_in_place_writes_only_edits(folder):
    t = Thesaurus.load(folder)
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    edited = t.editor.rename(1, "x")
    edited.save(folder)
    after = {path.name: path.stat().st_ino for path in folder.iterdir()}
    assert {name for name in before if before[name] != after[name]} == {"edits.json"}
    assert Thesaurus.load(folder).label(1) == "x"
    edited.editor.undo().save(folder)
    assert Thesaurus.load(folder).edits == ()
    (folder / "words.parquet").unlink()
    edited.save(folder)
    assert same(Thesaurus.load(folder), edited), "what is gone is written again"
    random_thesaurus(2).save(folder)
    with refused("changed"):
        edited.save(folder)
    assert same(Thesaurus.load(folder), random_thesaurus(2)), "edits are not put into another one"
    shutil.rmtree(folder)
    edited.save(folder)
    assert same(Thesaurus.load(folder), edited), "where nothing is, all is written again"


def test_damaged_edits_are_refused(folder, tmp_path):
    random_thesaurus(1).editor.rename(1, "namely").save(folder)
    place = folder / "edits.json"
    whole = place.read_text()
    for text in (
        whole.replace("namely", "nam-ly"),
        whole[:-20],
        "{}",
        whole.replace('"version": 3', '"version": 4'),
        whole.replace('"version": 3', '"version": 1'),
        whole.replace(" ", "  "),
        "[]",
        *(
            whole.replace('"version": 3', f'"version": {version}')
            for version in ('"x"', "null", "[]", "true", "0", "-1", "1.0")
        ),
    ):
        place.write_text(text)
        with pytest.raises(InputError, match=r"edits\.json"):
            Thesaurus.load(folder)
    random_thesaurus(1, words=11).save(tmp_path / "other")
    place.write_bytes((tmp_path / "other" / "edits.json").read_bytes())
    with refused("damaged-folder", "edits.json"):
        Thesaurus.load(folder)
    place.unlink()
    with refused("damaged-folder", "edits.json"):
        Thesaurus.load(folder)


def test_inconsistent_edits_are_refused(folder):
    edited = random_thesaurus(1).editor.rename(1, "x")
    seen = replace(edited.edits[0].node, node=99)
    digest = hashlib.sha256((folder / "thesaurus.json").read_bytes()).hexdigest()
    for edits, value in (
        ([replace(edited.edits[0], node=seen).to_json()], "node 99"),
        ([{"kind": "rename"}], ""),
        ([edited.edits[0].to_json() | {"kind": "burn"}], "burn"),
        ([edited.edits[0].to_json() | {"text": 7}], "text"),
        ([edited.edits[0].to_json() | {"text": "\ud800"}], ""),
        ([edited.edits[0].to_json() | {"text": " "}], ""),
        *(
            ([edited.edits[0].to_json() | {"node": node}], "words")
            for plain in [edited.edits[0].to_json()["node"]]
            for node in (
                plain | {"words": "x"},
                plain | {"words": [1]},
                plain | {"node": True},
                plain | {"node": 1.0},
                plain | {"size": "9"},
                plain | {"size": 0},
                plain | {"label": None},
            )
        ),
        ([edited.edits[0].to_json() | {"node": "x"}], ""),
        (["x"], ""),
        ([None], ""),
    ):
        plain = json.dumps(edits, sort_keys=True).encode()
        record = {
            "format": "roget.edits", "version": 1, "thesaurus": digest,
            "sha256": hashlib.sha256(plain).hexdigest(), "edits": edits,
        }  # fmt: skip
        (folder / "edits.json").write_text(json.dumps(record))
        with refused("damaged-folder", "edits.json", value):
            Thesaurus.load(folder)


KILLED = """
import os, shutil, signal, sys
sys.path.insert(0, sys.argv[1])
from thesauri import random_thesaurus, same
from roget.learn.thesaurus import Thesaurus

folder = sys.argv[2]
steps = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree", "ctypes.dlsym")

def in_a_child(work):
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def save(last):
    left = [last]
    def watch(event, arguments):
        if event in steps and "roget." not in str(arguments[:1]):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
    thesaurus = random_thesaurus(2)
    sys.addaudithook(watch)
    thesaurus.save(folder)
    os._exit(-left[0])

def check():
    found = Thesaurus.load(folder)
    os._exit(next(code for code, seed in ((3, 1), (4, 2)) if same(found, random_thesaurus(seed))))

# This process itself starts no threads, so that its children are sound.
assert in_a_child(lambda: random_thesaurus(1).save(folder)) == 0
killed, found = 0, set()
steps_in_all = in_a_child(lambda: save(0))
assert in_a_child(lambda: random_thesaurus(1).save(folder)) == 0
for last in (*range(1, steps_in_all - 18, 8), *range(steps_in_all - 18, steps_in_all + 1)):
    for left in os.listdir(os.path.dirname(folder)):
        if left.endswith(".draft"):  # to remove it takes steps that were not counted
            shutil.rmtree(os.path.join(os.path.dirname(folder), left))
    ended = in_a_child(lambda: save(last))
    is_there = in_a_child(check)
    assert is_there in (3, 4), (last, "neither the old nor the new one")
    found.add(is_there)
    assert ended == -signal.SIGKILL, ended
    killed += 1
print(killed, *sorted(found))
"""


def test_failed_save_keeps_the_old_thesaurus(folder, monkeypatch):
    before = written(folder)
    monkeypatch.setattr(files, "_write_edits", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        random_thesaurus(2).save(folder)
    assert written(folder) == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the exchange at one stroke is Linux's")
def test_killed_save_leaves_the_old_or_the_new_thesaurus(tmp_path):
    tests = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", KILLED, str(tests), str(tmp_path / "t")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    killed, *found = map(int, done.stdout.split())
    assert killed > 10
    assert found == [3, 4], "some steps come before the exchange, some after it"


def test_pickled_arrays_are_refused(folder):
    file = folder / "centroids.npz"
    np.savez(file, centroids=np.array([print], dtype=object), mass=np.ones(4))
    place = folder / "thesaurus.json"
    record = json.loads(place.read_text())
    data = file.read_bytes()
    record["files"]["centroids.npz"] = {
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "arrays": {},
    }
    place.write_text(json.dumps(record))
    as_version_1(folder)
    with pytest.raises(InputError, match=r"centroids\.npz"):
        Thesaurus.load(folder)
