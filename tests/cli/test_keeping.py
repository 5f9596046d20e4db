"""Commands overwrite none of their inputs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from roget.cli import app
from roget.cli.command import WRITTEN, keep_inputs
from roget.errors import InputError
from support.errors import refused

OLD = Path(__file__).resolve().parents[1] / "old_folders" / "thesauri"

READ = {
    "baselines",
    "se",
    "vectors",
    "golds",
    "cells",
    "matrix",
    "splits",
    "stop",
    "vocabulary",
    "contexts",
    "data",
    "treebank",
    "features",
}
"""Options that name files or folders to read."""


@pytest.fixture(autouse=True)
def labels(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.tsv").write_text("a\tx\nb\tx\nc\ty\n")
    (tmp_path / "s.tsv").write_text("a\t1\nb\t1\nc\t2\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "g.tsv", "s.tsv", "-o", "g.tsv"),
        ("score", "g.tsv", "s.tsv", "--save", "items=s.tsv"),
        ("score", "g.tsv", "s.tsv", "-o", "link.tsv"),
        ("score", "g.tsv", "s.tsv", "--gold", "other.tsv", "-o", "other.tsv"),
        ("score", "--matrix", "g.tsv", "-o", "g.tsv"),
        ("compare", "g.tsv", "a=s.tsv", "-o", "s.tsv"),
        ("compare", "g.tsv", "runs", "-o", "runs/1.csv"),
        ("compare", "g.tsv", "s.tsv", "--baseline", "b=other.tsv", "-o", "other.tsv"),
        ("compare", "g.tsv", "a=s.tsv", "--save", "mapping=./g.tsv"),
        ("agree", "g.tsv", "s.tsv", "--save", "consensus=g.tsv"),
        ("agree", "runs", "-o", "runs/1.csv"),
        ("agree", "runs/*.csv", "-o", "runs/1.csv"),
        ("convert", "g.tsv", "-o", "g.tsv"),
        ("score", "file://g.tsv", "s.tsv", "-o", "g.tsv"),
        ("compare", "g.tsv", "a=local://s.tsv", "-o", "s.tsv"),
    ],
    ids=" ".join,
)
def test_inputs_are_not_overwritten(arguments, tmp_path):
    (tmp_path / "runs").mkdir()
    for name in ("runs/1.csv", "runs/2.csv", "other.tsv"):
        (tmp_path / name).write_bytes((tmp_path / "g.tsv").read_bytes())
    os.symlink("g.tsv", "link.tsv")
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.?sv")}
    done = CliRunner().invoke(app, arguments)
    assert isinstance(done.exception, InputError)
    assert "input" in str(done.exception)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.?sv")} == files


@pytest.mark.parametrize("output", ["t/edits.json", "t/thesaurus.json", "t"])
def test_thesaurus_is_not_exported_over_itself(output, tmp_path):
    shutil.copytree(OLD / "sealed", tmp_path / "t")
    files = {path: path.read_bytes() for path in (tmp_path / "t").iterdir()}
    done = CliRunner().invoke(app, ["export", "t", "--to", "json", "-o", output])
    assert isinstance(done.exception, InputError)
    assert "cannot write" in str(done.exception)
    assert {path: path.read_bytes() for path in (tmp_path / "t").iterdir()} == files


def test_two_outputs_to_the_same_file_are_refused():
    arguments = ["score", "g.tsv", "s.tsv", "-o", "x.csv", "--save", "items=x.csv"]
    done = CliRunner().invoke(app, arguments)
    with refused("conflicting-options", "x.csv", "--output", "--save items", kind=InputError):
        raise done.exception
    assert not os.path.exists("x.csv")


def test_other_files_are_overwritten(tmp_path):
    (tmp_path / "out.csv").write_text("old")
    done = CliRunner().invoke(app, ["score", "g.tsv", "s.tsv", "-o", "out.csv"])
    assert done.exit_code == 0
    assert (tmp_path / "out.csv").read_text().startswith("measure")
    keep_inputs([], {})


def commands(group):
    for one in group.commands.values():
        yield from commands(one) if hasattr(one, "commands") else [one]


def test_every_path_option_is_declared_as_input_or_output():
    """A new path option must be declared as input or output."""
    found = {
        one.name
        for command in commands(typer.main.get_command(app))
        for one in command.params
        if one.param_type_name == "option" and one.metavar in ("FILE", "FOLDER", "OUTPUT")
    }
    assert found - READ - {*WRITTEN, "figures"} == set()
