"""The path from the command line to a score is short, and loads no package that it does not need.

`python benchmarks/score_path.py --functions` lists the functions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from score_path import list_shapes

import roget

TRACE = Path(__file__).parents[2] / "benchmarks" / "harness" / "call_trace.py"
MOST_FUNCTIONS = 257
MOST_MODULES = 53
MOST_SHAPES = 9
DEEPEST = 14
"""Upper bounds, which may only be lowered."""


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """The record of `roget score` for two small TSV files without a header."""
    folder = tmp_path_factory.mktemp("labels")
    files = folder / "a.tsv", folder / "b.tsv"
    files[0].write_text("a\tx\nb\tx\nc\ty\nd\ty\ne\tz\n")
    files[1].write_text("a\t1\nb\t1\nc\t1\nd\t2\ne\t2\n")
    done = subprocess.run(
        [sys.executable, str(TRACE), "score", *map(str, files)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(roget.__file__).parents[1])},
        check=True,
    )
    assert "one-to-one" in done.stdout
    return json.loads(done.stderr.splitlines()[-1])


def test_scoring_calls_few_functions(record):
    assert sum(map(len, record["functions"].values())) <= MOST_FUNCTIONS
    assert len(record["functions"]) <= MOST_MODULES


def test_scoring_call_stack_is_shallow(record):
    assert len(record["deepest"]) <= DEEPEST, record["deepest"]


def test_data_have_few_shapes(record):
    assert len(list_shapes(record)) <= MOST_SHAPES, list_shapes(record)


def test_each_file_is_opened_once(record):
    assert list(record["opened"].values()) == [1, 1]


def test_no_large_package_is_imported(record):
    assert record["loaded"] == []
