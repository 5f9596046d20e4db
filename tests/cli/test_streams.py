"""Closed standard streams, loops of symbolic links, and undecodable names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import run
from roget.errors import InputError
from roget.learn.load import open_thesaurus
from roget.scoring.labels.read import as_labels
from support.errors import refused


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """What a shell says to a line in which $R is the command."""
    env = {**os.environ, "R": f"{sys.executable} -m roget"}
    return subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, timeout=100)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "g.tsv").write_text("item\tlabel\na\tx\nb\ty\n")
    (tmp_path / "loop").symlink_to("loop")
    return tmp_path


def test_closed_standard_input_is_reported(folder: Path) -> None:
    done = shell("$R score g.tsv - <&-", folder)
    assert done.returncode == 1
    assert done.stderr.startswith(b"roget: standard input is closed")
    assert done.stderr.endswith(b" [empty-input]\n")


def test_closed_standard_output_is_reported(folder: Path) -> None:
    done = shell("$R score g.tsv g.tsv >&-", folder)
    assert done.returncode == 1
    assert b"Bad file descriptor" in done.stderr
    assert b"Traceback" not in done.stderr
    # What goes to a file is written, and to none that is held by the number of a closed stream.
    done = shell("$R convert g.tsv -o out.csv <&- >&- 2>&-", folder)
    assert (folder / "out.csv").read_text().startswith("item,label")
    assert done.returncode == 0


def test_symlink_loops_are_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from roget.core.store import check_file

    monkeypatch.chdir(folder)
    with pytest.raises(InputError, match="cannot read loop: Too many levels"):
        as_labels("loop")
    with refused("file-not-found", "loop: ", kind=InputError):
        open_thesaurus("loop")
    with pytest.raises((InputError, OSError)):
        check_file("loop/out.csv")
    done = run("export", "loop", "-o", "out.tsv", cwd=folder)
    assert done.returncode == 1
    assert done.stderr.startswith("roget: loop: ")
    assert done.stderr.endswith(" [file-not-found]\n")
    assert "Traceback" not in done.stderr


def test_undecodable_names_are_reported(folder: Path) -> None:
    done = shell("$R score g.tsv \"$(printf '\\377.tsv')\"", folder)
    assert done.returncode == 1
    assert done.stderr.endswith(b".tsv: no such file [file-not-found]\n")
    assert b"Traceback" not in done.stderr
