"""Files are written whole or not at all."""

from __future__ import annotations

import os

import pytest

from roget import InputError
from roget.core.store import write_atomic


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "report.txt"
    write_atomic(path, "first\n")
    write_atomic(path, "zweite Zeile: ü\n")
    assert path.read_text(encoding="utf-8") == "zweite Zeile: ü\n"
    assert os.listdir(tmp_path) == ["report.txt"]


def test_permissions_are_the_usual_ones(tmp_path):
    plain, ours = tmp_path / "plain", tmp_path / "ours"
    plain.write_text("")
    write_atomic(ours, "")
    assert plain.stat().st_mode == ours.stat().st_mode


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "report.txt"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomic(path, "half \ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.txt"]


def test_links_are_followed_and_pipes_kept(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomic(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert not pipe.is_file()


def test_impossible_places_are_named(tmp_path):
    with pytest.raises(InputError, match="no folder"):
        write_atomic(tmp_path / "nowhere" / "x", "")
    with pytest.raises(InputError, match="is a folder"):
        write_atomic(tmp_path, "")
