"""Run commands in forked children, which start fast because large modules are already imported."""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

HEAVY = (
    "numpy", "scipy.sparse", "scipy.stats", "scipy.special", "numba", "duckdb", "sklearn.base",
    "sklearn.utils",
    "roget.cli", "roget.learn.build", "roget.learn.growth.grow", "roget.learn.editing",
    "roget.learn.attachment", "roget.learn.evaluation.heldout", "roget.scoring.compare",
    "roget.report.comparison", "roget.report.exports", "roget.report.thesaurus",
    "roget.web.session",
    "roget.web.server", "rich.progress", "rich.table",
    "uvicorn", "rdflib", "roget.report.edits", "roget.report.growth",
)  # fmt: skip
SOURCE = Path(__file__).resolve().parents[2] / "src"
PATIENCE = 300.0
"""Seconds after which a child counts as hanging."""


def load() -> None:
    """Import what the children need."""
    from roget import catalogue
    from roget.learn.clustering import checkpoints

    for name in HEAVY:
        importlib.import_module(name)
    for name in catalogue.names("clusterers"):
        catalogue.load("clusterers", name)
    # Small jobs would otherwise end before their first checkpoint.
    checkpoints.INTERVAL = 0.02


@dataclass
class Run:
    """A child process and the file of its messages."""

    process: int
    said: Path
    began: float
    code: int | None = None

    def wait(self, seconds: float) -> bool:
        """Return whether the child ended within the given time."""
        until = time.monotonic() + seconds
        while self.code is None:
            found, status = os.waitpid(self.process, os.WNOHANG)
            if found:
                self.code = os.waitstatus_to_exitcode(status)
            elif time.monotonic() >= until:
                return False
            else:
                time.sleep(min(0.002, max(until - time.monotonic(), 0)))
        return True

    def end(self) -> int:
        """Return the exit code; kill a hanging child and raise an error."""
        if not self.wait(PATIENCE):
            os.kill(self.process, signal.SIGKILL)
            self.wait(PATIENCE)
            raise TimeoutError(f"no end after {PATIENCE:.0f} s: {self.words}")
        assert self.code is not None
        return self.code

    def send(self, number: int) -> bool:
        """Send a signal; return whether the child was still running."""
        if self.wait(0):
            return False
        os.kill(self.process, number)
        return True

    @property
    def words(self) -> str:
        """Messages of the child on stderr."""
        if not self.said.exists():
            return ""
        return self.said.read_text(encoding="utf-8", errors="replace")


Before = Callable[[], None]


def start(
    arguments: tuple[str, ...],
    folder: Path,
    *,
    fresh: bool = False,
    words: str = "",
    environment: Mapping[str, str | None] | None = None,
    before: Before | None = None,
) -> Run:
    """Run a command in a folder, forked or as a new process; `before` is called in the child.

    Temporary files are in FOLDER.tmp, messages in FOLDER.output or FOLDER.WORDS.output.
    """
    room = folder.parent / f"{folder.name}.tmp"
    room.mkdir(exist_ok=True)
    said = folder.parent / f"{folder.name}{words}.output"
    said.write_bytes(b"")  # Remove messages of an earlier run.
    given = {"TMPDIR": str(room), "PYTHONPATH": str(SOURCE), **(environment or {})}
    if fresh:
        merged = {**os.environ, **given}
        with said.open("wb") as file:
            child = subprocess.Popen(
                [sys.executable, "-m", "roget", *arguments],
                cwd=folder,
                env={name: value for name, value in merged.items() if value is not None},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
                preexec_fn=lambda: _reset(before),
            )
        child.returncode = 0  # already waited for by its process number
        return Run(child.pid, said, time.monotonic())
    began = time.monotonic()
    process = os.fork()
    if process == 0:
        _run(arguments, folder, said, given, before)
    return Run(process, said, began)


def _reset(before: Before | None) -> None:
    """Restore default signals; a shell makes processes in the background ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if before is not None:
        before()


def _run(
    arguments: tuple[str, ...],
    folder: Path,
    said: Path,
    environment: Mapping[str, str | None],
    before: Before | None,
) -> None:
    code = 70
    try:
        os.chdir(folder)
        words = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        nothing = os.open(os.devnull, os.O_RDWR)
        for handle, number in ((nothing, 0), (nothing, 1), (words, 2)):
            os.dup2(handle, number)
        sys.stdin = os.fdopen(0, encoding="utf-8")
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
        sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8")
        for name, value in environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        tempfile.tempdir = None
        sys.argv = ["roget", *arguments]
        from roget.__main__ import main

        _reset(before)
        main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    finally:
        sys.stdout.flush()
        os._exit(code)


def forgo_privileges() -> None:
    """Drop capabilities of root in the calling process, so that it respects permissions."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (0, 1, 2, 3, 4):  # chown, dac_override, dac_read_search, fowner, fsetid
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP: for the children
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, this process
    data = (ctypes.c_uint32 * 6)()
    if libc.capget(header, data):
        raise OSError(ctypes.get_errno(), "capget")
    for at in range(3):
        data[at] &= ~0b11111
    if libc.capset(header, data):
        raise OSError(ctypes.get_errno(), "capset")
