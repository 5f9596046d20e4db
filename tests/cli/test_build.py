"""`roget build` and `roget reproduce` on the command line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from commands import run
from roget import Counts
from roget.learn.thesaurus import Thesaurus


def test_build_makes_thesaurus_of_the_sample(tmp_path):
    done = run("build", "--clusters", 8, "--top", 300, "sample", "-o", "a.thesaurus", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "", "talk goes to stderr"
    assert "words in 8 classes" in done.stderr
    assert "levels of 8 classes" in done.stderr
    assert "the 300 most frequent of" in done.stderr
    assert "of the mutual information" in done.stderr
    assert "held-out" in done.stderr
    shown = [line for line in done.stderr.splitlines() if "─ " in line]
    assert len(shown) == 14, "all nodes of a tree of 8, but for the root"
    assert max(len(line) for line in done.stderr.splitlines()[:-1]) <= 100
    thesaurus = Thesaurus.load(tmp_path / "a.thesaurus")
    assert (len(thesaurus) + len(thesaurus.unsure), thesaurus.tree.n_clusters) == (300, 8)
    assert os.listdir(tmp_path) == ["a.thesaurus"]


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["-o", "t"], "sample", "missing-option"),
        (["sample"], "-o DIR", "missing-option"),
        (["absent.conllu", "-o", "t"], "absent.conllu", "file-not-found"),
        (["sample", "--clusters", "some", "-o", "t"], "'some'", "invalid-option"),
        (["sample", "-r", "subj", "-o", "t"], "'subj'", "conflicting-options"),
        (["sample", "--min-count", "100000", "-o", "t"], "--min-count", "too-little-text"),
    ],
)
def test_errors_are_explained(tmp_path, arguments, message, code):
    done = run("build", *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("roget: ")
    assert message in done.stderr
    assert done.stderr.endswith(f" [{code}]\n")
    assert "Traceback" not in done.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("method", ["soft", "mdl", "comdl"])
def test_single_class_is_explained(tmp_path, method):
    counts = Counts([[1, 2], [2, 1], [1, 1]], ["tea", "ale", "milk"], ["drink", "pour"])
    counts.write(tmp_path / "c")
    command = ("build", "c", "--min-count", 1, "--method", method)
    done = run(*command, "-o", "t", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 words in 1 class" in done.stderr
    (why,) = (line for line in done.stderr.splitlines() if "too few counts" in line)
    assert "--min-count" in why
    assert "--clusters N" in why
    assert len(why) <= 100
    for clusters in (1, 2):
        done = run(*command, "--clusters", clusters, "-o", "t", cwd=tmp_path)
        assert f"3 words in {clusters} class" in done.stderr
        assert "too few counts" not in done.stderr, "that is what was asked for"


INTERRUPTED = """
import os, signal, sys
from contextlib import contextmanager
from roget.__main__ import main
from roget.cli import build

@contextmanager
def stopping(doing, unit=""):
    def tell(state):
        if doing == "clustering" and state["n_clusters"] == 2:
            os.kill(os.getpid(), signal.SIGINT)
    yield tell

build.bar = stopping
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("there", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_ctrl_c_is_reported_and_sets_exit_code(tmp_path, there):
    more = ["build", "sample", "--top", "100", "--no-heldout", "-o", "t"]
    more += ["--method", "soft", "--clusters"]
    if there:
        assert run(*more, "6", cwd=tmp_path).returncode == 0
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *more, "8"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert "run the same command again" in done.stderr
    assert ("wrote t" in done.stderr) is not there
    assert ("t is unchanged" in done.stderr) is there
    assert "too few counts" not in done.stderr
    found = Thesaurus.load(tmp_path / "t").tree.n_clusters
    assert found == 6 if there else 1 <= found < 8
    assert (tmp_path / "t.partial").is_dir()


def test_help_imports_no_heavy_package():
    code = (
        "import sys; from roget.cli import app\n"
        "for command in ('build', 'reproduce'):\n"
        "    try: app([command, '--help'])\n"
        "    except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'duckdb', 'numba', 'sklearn', 'matplotlib'}\n"
        "heavy &= set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--clusters" in done.stdout
    assert "--figures" in done.stdout


def test_reproductions_are_listed_and_run(tmp_path, monkeypatch):
    assert "soft/figure-1" in run("reproduce", "--list").stdout
    monkeypatch.setenv("ROGET_TEST_DATA", str(tmp_path))
    done = run("reproduce", "soft/figure-1", "--figures", tmp_path / "f")
    assert done.returncode == 0, done.stderr
    assert "splits at β" in done.stdout
    assert (tmp_path / "f" / "soft-figure-1.svg").is_file()
    idle = run("reproduce", "mdl/figure-3", "--verb", "eat")
    assert idle.returncode == 1
    assert "[conflicting-options]" in idle.stderr
    for named in ("mdl/figure-3", "--verb", "soft/figure-1"):
        assert named in idle.stderr
    wrong = run("reproduce", "soft/figure-7")
    assert wrong.returncode == 1
    assert "unknown reproduction" in wrong.stderr
