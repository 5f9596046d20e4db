"""`roget build` and `roget reproduce` as people and scripts meet them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from roget.learn.thesaurus import Thesaurus


def run(*arguments, **more):
    return subprocess.run(
        [sys.executable, "-m", "roget", *map(str, arguments)],
        capture_output=True,
        text=True,
        **more,
    )


def test_the_sample_becomes_a_thesaurus(tmp_path):
    done = run("build", "--clusters", 8, "--top", 300, "sample", "-o", "a.thesaurus", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "", "talk goes to stderr"
    assert "wrote a.thesaurus: 300 words in 8 classes (β = " in done.stderr
    assert "the 300 most frequent of" in done.stderr
    assert "of what words tell about their contexts" in done.stderr
    assert "held out: classes save 0." in done.stderr
    shown = [line for line in done.stderr.splitlines() if "─ " in line]
    assert len(shown) == 14, "all nodes of a tree of 8, but for the root"
    assert max(len(line) for line in done.stderr.splitlines()[:-1]) <= 100
    thesaurus = Thesaurus.load(tmp_path / "a.thesaurus")
    assert (len(thesaurus), thesaurus.tree.n_clusters) == (300, 8)
    assert os.listdir(tmp_path) == ["a.thesaurus"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "t"], "nothing to build from"),
        (["sample"], "-o DIR"),
        (["absent.conllu", "-o", "t"], "absent.conllu"),
        (["sample", "--clusters", "some", "-o", "t"], "'some': expected a whole number, or auto"),
        (["sample", "-r", "subj", "-o", "t"], "counted already"),
        (["sample", "--min-count", "100000", "-o", "t"], "lower --min-count"),
    ],
)
def test_mistakes_are_explained(tmp_path, arguments, said):
    done = run("build", *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("roget: ")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert os.listdir(tmp_path) == []


def test_help_is_light():
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


def test_reproductions_are_listed_and_run(tmp_path):
    assert "soft/figure-1" in run("reproduce").stdout
    environment = {**os.environ, "ROGET_TEST_DATA": str(tmp_path)}
    done = run("reproduce", "soft/figure-1", "--figures", tmp_path / "f", env=environment)
    assert done.returncode == 0, done.stderr
    assert "splits at β" in done.stdout
    assert (tmp_path / "f" / "soft-figure-1.svg").is_file()
    wrong = run("reproduce", "soft/figure-7")
    assert wrong.returncode == 1
    assert "unknown reproduction" in wrong.stderr
