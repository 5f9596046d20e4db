"""Signals end commands with a message and their exit code at any moment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")

CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}

SENT_AT = """
import os, runpy, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run in the background
number, module = int(sys.argv.pop(1)), sys.argv.pop(1)

class Sender:
    def find_spec(self, name, path, target=None):
        if name == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), number)

sys.meta_path.insert(0, Sender())
runpy.run_module("roget", run_name="__main__", alter_sys=True)
"""


def ended(code, *arguments, cwd=None):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize(
    ("number", "module"),
    [
        (signal.SIGINT, "roget.cli"),
        (signal.SIGINT, "typer"),
        (signal.SIGTERM, "roget.cli.command"),
        (signal.SIGHUP, "roget.errors"),
    ],
)
def test_signal_while_loading_the_cli_is_reported(number, module):
    done = ended(SENT_AT, int(number), module, "list", "measures")
    assert (done.returncode, done.stderr) == (CODES[number], "roget: interrupted\n")
    assert not done.stdout


@pytest.mark.parametrize(
    ("number", "module"),
    [(signal.SIGINT, "numpy"), (signal.SIGINT, "numba"), (signal.SIGTERM, "duckdb")],
)
def test_signal_while_loading_packages_is_reported(tmp_path, number, module):
    (tmp_path / "text.txt").write_text("The cat drinks milk. The dog drinks water.\n")
    more = ("count", "text.txt", "--window", "2", "-o", "c")
    done = ended(SENT_AT, int(number), module, *more, cwd=tmp_path)
    assert done.returncode == CODES[number], done.stderr
    assert "roget: interrupted\n" in done.stderr
    assert os.listdir(tmp_path) == ["text.txt"]


MIDST = """
import os, signal, sys
from pathlib import Path
from roget.core import store
import roget.__main__

signal.signal(signal.SIGINT, signal.default_int_handler)
number, flush = int(sys.argv.pop(1)), store._flush

def send(path):
    if path.name == "draft":
        os.kill(os.getpid(), number)
    flush(path)

store._flush = send
roget.__main__.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_while_writing_keeps_the_old_file(tmp_path, number):
    (tmp_path / "g.tsv").write_text("a\tx\nb\tx\nc\ty\n")
    (tmp_path / "out.csv").write_text("old")
    more = ("score", "g.tsv", "g.tsv", "-o", "out.csv")
    done = ended(MIDST, int(number), *more, cwd=tmp_path)
    assert done.returncode == CODES[number], done.stderr
    assert (tmp_path / "out.csv").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["g.tsv", "out.csv"]


OVER = """
import os, signal, sys
import roget.__main__

class Last:
    def __init__(self, number):
        self.number, self.kill, self.process = number, os.kill, os.getpid()

    def __del__(self):
        self.kill(self.process, self.number)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.kept = Last(int(sys.argv.pop(1)))  # cleared away when Python has no handlers any more
roget.__main__.main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_after_the_end_does_not_change_exit_code(number):
    done = ended(OVER, int(number), "list", "entropies")
    assert (done.returncode, done.stderr) == (0, "")
    assert "jk" in done.stdout


UNHEARD = """
import os, signal, sys
from roget.core.signals import stoppable

class Cleared:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(100):
            pass

with stoppable():
    Cleared()  # what is raised in there goes nowhere
    while True:
        pass
"""


def test_signal_where_nothing_can_be_raised_is_raised_later():
    assert ended(UNHEARD).returncode == 143


UNHEARD_IN_A_SEARCH = """
import os, signal, sys, time
from roget.core.signals import stoppable
from roget.learn.clustering.checkpoints import interruptible

signal.signal(signal.SIGINT, signal.default_int_handler)

class Cleared:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(100):
            pass

try:
    with stoppable(), interruptible():
        os.kill(os.getpid(), signal.SIGINT)  # waits for the search
        Cleared()
        until = time.monotonic() + 10
        while time.monotonic() < until:
            pass
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_second_ctrl_c_during_a_search_is_raised_later():
    assert ended(UNHEARD_IN_A_SEARCH).returncode == 7


IGNORED = """
import os, signal
import roget.__main__

signal.signal(signal.SIGHUP, signal.SIG_IGN)
os.kill(os.getpid(), signal.SIGHUP)
signal.signal = lambda number, handler, usual=signal.signal: (
    usual(number, handler), os.kill(os.getpid(), signal.SIGHUP)
)[0]
roget.__main__.main()
"""


def test_ignored_signals_stay_ignored():
    """Under nohup and in background jobs, some signals are ignored."""
    done = ended(IGNORED, "list", "entropies")
    assert done.returncode == 0
    assert "jk" in done.stdout


def test_console_script_starts_in_main_module():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["scripts"] == {"roget": "roget.__main__:main"}
