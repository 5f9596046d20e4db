"""The way from the command line to a score is short: few modules, and the file is soon open."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import roget

HOME = Path(roget.__file__).parent
DEMO = HOME / "data" / "demo"
MOST_MODULES = 57
"""Each mechanism on the way has a module of its own, and none is met that has nothing to do."""

DEEPEST = 10

WATCH = """
import inspect, json, os, sys

home, gold, system = sys.argv[1:]
modules, depths = set(), []

def of_roget(frame):
    return frame.f_code.co_filename.startswith(home)

def watch(frame, event, arg):
    # Bodies of modules and classes are run by an import, and are no functions.
    if event == "call" and of_roget(frame) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        modules.add(os.path.relpath(frame.f_code.co_filename, home))

def opened(event, args):
    if event == "open" and args[0] == gold:
        frame, depth = sys._getframe(1), 0
        while frame is not None:
            depth += of_roget(frame)
            frame = frame.f_back
        depths.append(depth)

from roget.cli import main

sys.argv = ["roget", "score", gold, system]
sys.addaudithook(opened)
sys.setprofile(watch)
try:
    main()
except SystemExit:
    pass
sys.setprofile(None)
print(json.dumps([sorted(modules), depths]), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def walked():
    """The modules of which `roget score` of two TSV calls a function, and how deep it opens."""
    files = [str(DEMO / "gold.tsv"), str(DEMO / "system.tsv")]
    done = subprocess.run(
        [sys.executable, "-c", WATCH, str(HOME), *files],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(HOME.parent)},
        check=True,
    )
    assert "one-to-one" in done.stdout
    return json.loads(done.stderr.splitlines()[-1])


def test_few_modules_are_visited(walked):
    modules, _ = walked
    assert len(modules) <= MOST_MODULES, modules


def test_the_file_is_opened_near_the_top(walked):
    _, depths = walked
    assert depths
    assert max(depths) <= DEEPEST
