"""Let the n-th file operation of a command fail once, for n = 1, 2, 3, …; and limit its memory.

The operations are patched in the forked child: open, write, fsync, rename, unlink, mkdir, rmdir,
and DuckDB's COPY. Only operations on paths in the folder of the job are counted.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import random
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

from campaigns.faults import shots
from campaigns.faults.cases import Effort, case, need
from campaigns.faults.jobs import Job, list_jobs
from campaigns.faults.running import start

JOBS = ("count text", "count evidence", "build spherical", "grow", "edit", "export SKOS")
SAMPLE = 5
"""Number of operations that fail per job in a short campaign."""

NO_EXCEPTION = "SystemError: error return without exception set"
"""Error of the interpreter itself, which may lose a MemoryError."""

HEADROOM = (1 << 20, 4 << 20, 16 << 20, 48 << 20)
"""Bytes that a command may allocate in addition to what is loaded already."""


class Faults:
    """A counter of operations on files in a folder. The operation number `at` fails."""

    def __init__(self, folder: Path, at: int, trace: Path) -> None:
        self._folder = os.path.realpath(folder)
        self._at = at
        self._trace = os.open(trace, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        self._count = 0

    def hit(self, kind: str, path: Any, dir_fd: int | None = None) -> None:
        """Count an operation; raise an error if it is the one that fails."""
        if isinstance(path, int):
            path = os.readlink(f"/proc/self/fd/{path}")
        elif dir_fd is not None:
            path = os.path.join(os.readlink(f"/proc/self/fd/{dir_fd}"), os.fsdecode(path))
        full = os.path.abspath(os.fsdecode(path))
        if not f"{full}/".startswith(f"{self._folder}/"):
            return
        self._count += 1
        _WRITE(self._trace, f"{kind} {os.path.relpath(full, self._folder)}\n".encode())
        if self._count == self._at:
            code = errno.EIO if self._at % 2 else errno.ENOSPC
            raise OSError(code, os.strerror(code), full)

    def install(self) -> None:
        """Patch the functions in this process."""
        import duckdb

        from roget.core.io import duck

        for name in ("fsync", "unlink", "remove", "rmdir", "mkdir", "rename", "replace"):
            setattr(os, name, self._wrap(name, getattr(os, name)))
        os.open = self._wrap_open(os.open)
        builtins.open = io.open = self._wrap_file(io.open)
        copy = duck.copy

        def copy_or_fail(connection: Any, query: str, file: Path, **more: Any) -> None:
            try:
                self.hit("copy", file)
            except OSError as error:
                raise duckdb.IOException(f"IO Error: {error.strerror}") from None
            copy(connection, query, file, **more)

        duck.copy = copy_or_fail

    def _wrap(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *rest: Any, **more: Any) -> Any:
            self.hit(kind, path, more.get("dir_fd"))
            return real(path, *rest, **more)

        return call

    def _wrap_open(self, real: Callable[..., int]) -> Any:
        def call(path: Any, flags: int, *rest: Any, **more: Any) -> int:
            self.hit("open", path, more.get("dir_fd"))
            return real(path, flags, *rest, **more)

        return call

    def _wrap_file(self, real: Callable[..., Any]) -> Any:
        faults = self

        class File(io.FileIO):
            def write(self, data: Any) -> int:
                faults.hit("write", self.name)
                return super().write(data)

        def call(file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **more: Any) -> Any:
            if isinstance(file, int):
                return real(file, mode, buffering, *rest, **more)
            faults.hit("open", file)
            if not set(mode) & set("wax") or "+" in mode or buffering == 0:
                return real(file, mode, buffering, *rest, **more)
            raw = io.BufferedWriter(File(file, mode.replace("b", "").replace("t", "")))
            if "b" in mode:
                return raw
            names = ("encoding", "errors", "newline")
            return io.TextIOWrapper(raw, **dict(zip(names, rest, strict=False)), **more)

        return call


_WRITE = os.write


def fail_at(job: Job, reference: shots.Reference, room: Path, number: int) -> list[str]:
    """Let one operation of a job fail, and run the job again; return what is wrong."""
    folder = room / f"{job.name.replace(' ', '-')}-{number}"
    trace = room / f"{folder.name}.trace"

    def before() -> None:
        Faults(folder, number, trace).install()

    return disturb(job, reference, folder, number, before)


def disturb(
    job: Job,
    reference: shots.Reference,
    folder: Path,
    number: int,
    before: Callable[[], None],
    tolerated: tuple[int, ...] = (),
) -> list[str]:
    """Run a job with a fault, and again without; return what is wrong."""
    verdict = shots.Verdict(job.name, number)
    shots.clear(folder)
    theirs = shots.prepare(job, reference.material, folder)
    run = start(job.command, folder, before=before)
    try:
        code = run.end()
    except TimeoutError as error:
        return [str(error)]
    said = run.words
    traced = "Traceback" in said and not (tolerated and NO_EXCEPTION in said)
    if code not in (0, 1, *tolerated) or traced:
        verdict.wrong.append(f"exit code {code}: {said}")
    elif code == 1 and not any(text in said for text in ("roget: ", "Traceback", "OpenBLAS error")):
        verdict.wrong.append(f"no message: {said}")
    elif code == 0 and not shots.is_done(job, reference, folder):
        verdict.wrong.append(f"exit code 0, but the output is not complete: {said}")
    shots.judge_state(job, reference, folder, theirs, verdict)
    shots.finish(job, reference, folder, theirs, verdict)
    if not verdict.wrong:
        shots.clear(folder)
    return verdict.wrong


def sweep(name: str, material: Path, room: Path) -> str:
    """Let operations of a job fail: all of them in a long campaign, otherwise a sample."""
    job = list_jobs()[name]
    reference = shots.measure(job, material, room / "measured")
    wrong = fail_at(job, reference, room, 0)
    need(not wrong, "\n".join(wrong))
    trace = (room / f"{job.name.replace(' ', '-')}-0.trace").read_text().splitlines()
    numbers = list(range(1, len(trace) + 1))
    if Effort.rounds == 1:
        numbers = sorted(random.Random(name).sample(numbers, min(SAMPLE, len(numbers))))
    found = []
    for number in numbers:
        for one in fail_at(job, reference, room, number):
            found.append(f"operation {number} ({trace[number - 1]}): {one}")
    need(not found, "\n".join(found))
    return f"{len(numbers)} of {len(trace)} operations"


def starve(name: str, material: Path, room: Path) -> str:
    """Limit the memory of a job (RLIMIT_AS) to what is loaded and a little more."""
    job = list_jobs()[name]
    reference = shots.measure(job, material, room / "measured")
    sizes = HEADROOM if Effort.rounds > 1 else HEADROOM[1:3]
    found = []
    for size in sizes:

        def limit(size: int = size) -> None:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + size
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

        # Compiled libraries end the process if they cannot allocate memory (SIGABRT, SIGSEGV, 127,
        # OpenBLAS with its own message); OpenBLAS interrupts it if it cannot start a thread (130).
        folder = room / f"{job.name.replace(' ', '-')}-{size}"
        wrong = disturb(job, reference, folder, size, limit, tolerated=(-6, -11, 127, 130))
        found += [f"{size:,} bytes: {one}" for one in wrong]
    need(not found, "\n".join(found))
    return f"{len(sizes)} limits"


def register() -> None:
    """Add the cases of this module to `CASES`."""
    for name in JOBS:

        def fail(material: Path, room: Path, name: str = name) -> str:
            return sweep(name, material, room)

        def limit(material: Path, room: Path, name: str = name) -> str:
            return starve(name, material, room)

        case(f"each file operation of {name} fails once")(fail)
        case(f"little memory for {name}")(limit)
