"""Thesauri and their source folders: edits of others are not overwritten."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from roget.learn.thesaurus import Thesaurus, files
from support.errors import refused
from thesauri import as_version_1, random_thesaurus, written


@pytest.fixture
def folder(tmp_path):
    random_thesaurus(1).save(tmp_path / "t")
    return tmp_path / "t"


@pytest.mark.parametrize("version", [1, 2])
def test_save_refuses_to_overwrite_a_rebuilt_thesaurus(folder, tmp_path, version):
    if version == 1:
        as_version_1(folder)
    t = Thesaurus.load(folder)
    t.save(tmp_path / "copy")  # does not make it forget where it came from
    random_thesaurus(2).editor.rename(1, "new").save(folder)
    before = written(folder)
    for old in (t, t.editor.rename(1, "x"), t.editor.rename(1, "x").editor.undo()):
        with refused("changed", "thesaurus.json"):
            old.save(folder)
    assert written(folder) == before
    assert sorted(os.listdir(tmp_path)) == ["copy", "t"], "nor is a draft left"
    t.editor.rename(1, "x").save(tmp_path / "copy")
    assert Thesaurus.load(tmp_path / "copy").label(1) == "x"
    again = Thesaurus.load(folder)
    again.editor.rename(1, "y").save(folder)
    assert Thesaurus.load(folder).label(1) == "y"


def test_save_refuses_to_overwrite_edits_of_others(folder):
    one, other = Thesaurus.load(folder), Thesaurus.load(folder)
    one = one.editor.rename(1, "first")
    one.save(folder)
    for late in (other.editor.rename(2, "second"), other):
        with refused("changed", "edits.json"):
            late.save(folder)
    assert [str(edit) for edit in Thesaurus.load(folder).edits] == [str(one.edits[0])]
    # The one that is up to date goes on, back and forth, as often as it likes.
    two = one.editor.move("w3", 2)
    for now in (
        two,
        two,
        two.editor.undo(),
        one,
        two,
        two.editor.undo().editor.undo(),
        one.editor.merge(1, 2),
    ):
        now.save(folder)
        assert Thesaurus.load(folder).edits == now.edits
    (folder / "edits.json").unlink()
    two.save(folder)
    assert Thesaurus.load(folder).edits == two.edits, "what is gone is lost to nobody"


EDITING = """
import sys
sys.path.insert(0, sys.argv[1])
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.files import Changed

done = 0
while done < 3:
    try:
        t = Thesaurus.load(sys.argv[2])
        t.editor.rename(1, f"{sys.argv[3]} {done}").save(sys.argv[2])
        done += 1
    except Changed:
        pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no locks")
def test_concurrent_edits_are_not_lost(folder):
    tests = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-W", "ignore", "-c", EDITING, str(tests), str(folder)]
    both = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in "ab"]
    assert [one.communicate()[1] for one in both] == [b"", b""]
    labels = [edit.text for edit in Thesaurus.load(folder).edits]
    for name in "ab":
        assert [text for text in labels if text[0] == name] == [f"{name} {n}" for n in range(3)]


def test_folder_that_changes_during_loading_is_read_again(folder, monkeypatch):
    read = files._read_edits

    def late(path):
        found = read(path)
        monkeypatch.undo()
        Thesaurus.load(folder).editor.rename(1, "x").save(folder)
        return found

    monkeypatch.setattr(files, "_read_edits", late)
    with refused("changed"):
        Thesaurus.load(folder)
    assert Thesaurus.load(folder).label(1) == "x"
