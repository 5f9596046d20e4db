"""Run inputs in child processes, which are monitored and restarted if they end."""

from __future__ import annotations

import faulthandler
import gc
import hashlib
import multiprocessing
import os
import random
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from campaigns.fuzz.guide import Followed, Reached
from campaigns.fuzz.targets import Runner, Target, every

SECONDS = 20.0
"""Largest CPU time of an input."""

WAITING = 6
"""Wall-clock limit as a multiple of the CPU limit, for busy machines."""

FIRST = 60.0
"""CPU limit of the first input of a process, which imports modules and compiles kernels."""

MEMORY = 1 << 30
"""Largest memory use of an input in bytes, in addition to that of the process."""

SLOWER = 3
"""Factor by which limits are raised if lines are traced."""

GROWN = 400 << 20
"""Growth in bytes after which a process is replaced."""

_SHM = Path("/dev/shm")
_INDEX, _BEGUN, _ACCEPTED, _REFUSED, _BASE, _USED, _SIZE = range(7)
_IDLE = 0
_INPUT = "input"
"""The file that contains the current input of a process."""


@dataclass(frozen=True)
class Failure:
    """An input that was neither accepted nor refused with a proper error."""

    target: str
    index: int
    key: str
    """Key that is equal for failures with the same cause."""
    told: str
    data: bytes


@dataclass
class Tally:
    """Results of the inputs of one target."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0
    """CPU time of its processes."""
    failures: dict[str, Failure] = field(default_factory=dict)
    """One failure for each cause."""
    reached: Reached | None = None
    """Lines that were reached, if they are traced."""

    def note(self, failure: Failure) -> None:
        """Record a failure; of failures with one cause, keep the shortest input."""
        known = self.failures.get(failure.key)
        if known is None or len(failure.data) < len(known.data):
            self.failures[failure.key] = failure


def seed_of(seed: int, target: str, index: int) -> int:
    """Return the random seed of an input."""
    return seed << 96 | zlib.crc32(target.encode()) << 64 | index


def judge(runner: Runner, data: bytes) -> BaseException | None:
    """Return what is wrong unless the input is accepted (None) or refused with a RogetError."""
    try:
        runner.run(data)
    except BaseException as error:  # every exception is a result
        return error
    return None


def key_of(error: BaseException) -> str:
    """Return the type of an exception and its innermost frame in roget."""
    place, campaign = "", ""
    for frame in traceback.extract_tb(error.__traceback__):
        if f"{os.sep}roget{os.sep}" in frame.filename:
            inner = frame.filename.rpartition(f"{os.sep}roget{os.sep}")[2]
            place = f"{inner}:{frame.name}:{frame.lineno}"
        else:
            campaign = f"{Path(frame.filename).name}:{frame.name}"
    kind = type(error)
    return f"{kind.__module__}.{kind.__qualname__} at {place or campaign}"


# ---- the child


@dataclass(frozen=True)
class Job:
    """Some inputs of a target."""

    target: str
    start: int
    stop: int
    reached: Reached | None = None
    """Lines that earlier inputs reached, if they are traced."""
    guided: bool = False
    """Whether inputs are derived from earlier ones that reached new lines."""


def work(pipe: Connection, state: Any, seed: int, folder: str) -> None:
    """Process all jobs. `state` shows the progress, even if this process dies."""
    from roget.errors import RogetError

    settle(Path(folder))
    targets, runner, name = every(), None, ""
    current = os.open(Path(folder) / _INPUT, os.O_WRONLY | os.O_CREAT)
    chance = random.Random()
    while (job := pipe.recv()) is not None:
        if job.target != name:
            place = Path(folder) / "work"
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            os.chdir(place)
            resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY,) * 2)
            runner, name = targets[job.target].prepare(place), job.target
            gc.collect()
            _limit()
        assert runner is not None
        doing = runner if job.reached is None else Followed(runner, job.reached, job.guided)
        state[_ACCEPTED] = state[_REFUSED] = 0
        state[_BASE] = _status("VmRSS")
        found: dict[str, Failure] = {}
        failed, begun = 0, time.process_time()
        for index in range(job.start, job.stop):
            state[_INDEX] = index
            state[_USED] = time.process_time_ns()
            state[_BEGUN] = time.monotonic_ns()
            chance.seed(seed_of(seed, name, index))
            state[_SIZE] = 0
            data = doing.make(chance)
            os.pwrite(current, data, 0)
            state[_SIZE] = len(data)
            error = judge(doing, data)
            if error is None:
                state[_ACCEPTED] += 1
            elif isinstance(error, RogetError):
                state[_REFUSED] += 1
            else:
                failed += 1
                key = key_of(error)
                if key not in found or len(data) < len(found[key].data):
                    told = "".join(traceback.format_exception(error, limit=-12))[-6000:]
                    found[key] = Failure(name, index, key, told, data)
        state[_BEGUN] = _IDLE
        done = state[_ACCEPTED], state[_REFUSED], failed, time.process_time() - begun
        grown = _status("VmRSS") - state[_BASE] > GROWN
        pipe.send((done, list(found.values()), job.reached, grown))


def settle(folder: Path) -> None:
    """Restrict this process, so that inputs can do no harm."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    os.environ["HOME"] = str(folder)
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    faulthandler.enable(2)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    share_database()


def share_database() -> None:
    """Share one DuckDB instance among all inputs, because starting one takes 25 ms."""
    import duckdb

    from roget.core.io import duck

    def start() -> Any:
        base = duckdb.connect(config=duck._SETTINGS)
        base.execute("SET threads = 1")
        base.execute("SET enable_external_file_cache = false")
        return base

    shared = start()

    class Shared:
        """The duckdb module with one function replaced."""

        def __getattr__(self, name: str) -> Any:
            return getattr(duckdb, name)

        def connect(self, **_: Any) -> Any:
            nonlocal shared
            try:
                shared.execute("SELECT 1")
            except duckdb.FatalException:  # Some files make DuckDB's instance unusable.
                shared = start()
            return shared.cursor()

    duck.duckdb = Shared()  # type: ignore[assignment, attr-defined]


def _limit() -> None:
    most = _status("VmData") + MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))


def _status(name: str, process: int | str = "self") -> int:
    """Return a figure of /proc/PID/status, in bytes."""
    try:
        with open(f"/proc/{process}/status") as file:
            for line in file:
                if line.startswith(f"{name}:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


def _used(process: int) -> int:
    """Return the CPU time of a process in nanoseconds."""
    try:
        with open(f"/proc/{process}/stat") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0
    return (int(user) + int(system)) * 10**9 // os.sysconf("SC_CLK_TCK")


# ---- the parent


class Child:
    """A child process and its current job."""

    def __init__(self, seed: int, root: Path) -> None:
        self._seed, self._root = seed, root
        self.job: Job | None = None
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.folder = Path(tempfile.mkdtemp(dir=self._root))
        self.state = context.RawArray("q", 7)
        self.pipe, other = context.Pipe()
        args = (other, self.state, self._seed, str(self.folder))
        self.process = context.Process(target=work, args=args, daemon=True)
        self.process.start()
        other.close()

    def give(self, job: Job) -> None:
        """Give the child a job."""
        self.job = job
        self.state[_BEGUN] = _IDLE
        self.pipe.send(job)

    def renew(self) -> tuple[str, bytes]:
        """Replace the process; return the last message of the old one, and its input."""
        self.process.kill()
        self.process.join()
        self.pipe.close()
        log, current = self.folder / "log", self.folder / _INPUT
        said = log.read_bytes()[-4000:].decode(errors="replace") if log.exists() else ""
        data = current.read_bytes()[: self.state[_SIZE]] if current.exists() else b""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._start()
        return said, data

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.join()
        shutil.rmtree(self.folder, ignore_errors=True)

    def excess(self) -> str:
        """Return why the process must be ended, or None."""
        begun = self.state[_BEGUN]
        if begun == _IDLE:
            return ""
        first = self.job is not None and self.state[_INDEX] == self.job.start
        most = (FIRST if first else SECONDS) * 1e9
        if self.job is not None and self.job.reached is not None:
            most *= SLOWER
        passed = time.monotonic_ns() - begun
        used = _used(self.process.pid or 0) - self.state[_USED] if passed > most else 0
        if used > most or passed > WAITING * most:
            return f"more than {SECONDS:g} seconds"
        if _status("VmRSS", self.process.pid or 0) - self.state[_BASE] > MEMORY:
            return f"more than {MEMORY >> 20} MB"
        return ""


def campaign(
    dealt: Sequence[tuple[Target, int]],
    seed: int,
    processes: int,
    first: int = 0,
    *,
    followed: bool = False,
    guided: bool = False,
) -> Iterator[tuple[Target, Tally]]:
    """Run the given number of inputs of each target; yield the results as targets finish.

    If `followed`, the lines that inputs reach are recorded. If `guided`, inputs are derived from
    earlier ones that reached new lines.
    """
    root = Path(tempfile.mkdtemp(prefix="roget-fuzz.", dir=_SHM if _SHM.is_dir() else None))
    children = [Child(seed, root) for _ in range(processes)]
    tallies = {
        target.name: Tally(inputs, reached=Reached() if followed or guided else None)
        for target, inputs in dealt
    }
    left = {target.name: 0 for target, _ in dealt}
    jobs = list(_cut(dealt, first))
    for job in jobs:
        left[job.target] += 1
    jobs.reverse()
    ready: list[str] = []
    try:
        while jobs or any(child.job for child in children):
            for child in children:
                # Inputs are derived from the inputs of the target's previous job.
                given = None if child.job else _next(jobs, children, one_each=followed or guided)
                if given is not None:
                    jobs.remove(given)
                    reached = tallies[given.target].reached
                    child.give(replace(given, reached=reached, guided=guided))
            busy = [child for child in children if child.job]
            wait([child.pipe for child in busy], timeout=0.1)
            for child in busy:
                assert child.job is not None
                name, tally = child.job.target, tallies[child.job.target]
                rest = _look(child, tally)
                if rest is not None:
                    jobs += rest
                    left[name] += len(rest) - 1
                    if not left[name]:
                        ready.append(name)
            for target, _ in dealt:
                if target.name in ready:
                    ready.remove(target.name)
                    yield target, tallies[target.name]
    finally:
        for child in children:
            child.end()
        shutil.rmtree(root, ignore_errors=True)


def _cut(dealt: Iterable[tuple[Target, int]], first: int) -> Iterator[Job]:
    """Return the jobs, small enough that all processes end at about the same time."""
    for target, inputs in dealt:
        size = min(max(inputs // 24, 20), 20_000)
        for start in range(first, first + inputs, size):
            yield Job(target.name, start, min(start + size, first + inputs))


def _next(jobs: Sequence[Job], children: Sequence[Child], *, one_each: bool) -> Job | None:
    """Remove and return the next job, preferably of a target that no child is working on."""
    busy = {child.job.target for child in children if child.job and one_each}
    return next((job for job in reversed(jobs) if job.target not in busy), None)


def _look(child: Child, tally: Tally) -> list[Job] | None:
    """Check a child: return None while it works, otherwise the rest of its job."""
    job = child.job
    assert job is not None
    try:
        if child.pipe.poll():
            (accepted, refused, failed, seconds), failures, reached, grown = child.pipe.recv()
            tally.accepted += accepted
            tally.refused += refused
            tally.failed += failed
            tally.seconds += seconds
            tally.reached = reached
            for failure in failures:
                tally.note(failure)
            child.job = None
            if grown:
                child.renew()
            return []
    except (EOFError, ConnectionResetError):
        pass
    why = child.excess()
    if not why:
        if child.process.is_alive():
            return None
        child.process.join()
        code = child.process.exitcode or 0
        why = (
            f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        )
    if child.state[_BEGUN] == _IDLE:
        raise RuntimeError(f"{job.target} cannot be made ready: {child.renew()[0]}")
    index = child.state[_INDEX]
    tally.accepted += child.state[_ACCEPTED]
    tally.refused += child.state[_REFUSED]
    # Earlier failures of the same job are already counted.
    tally.failed += index + 1 - job.start - child.state[_ACCEPTED] - child.state[_REFUSED]
    said, data = child.renew()
    tally.note(Failure(job.target, index, why, f"{why}\n{said}", data))
    child.job = None
    return [Job(job.target, index + 1, job.stop)] if index + 1 < job.stop else []


# ---- failures


def save(failure: Failure, folder: Path, seed: int) -> Path:
    """Save a failed input with its messages, so that it can be run again."""
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(failure.key.encode()).hexdigest()[:8]
    place = folder / f"{failure.target}--{digest}"
    place.write_bytes(failure.data)
    head = f"{failure.target}, seed {seed}, input {failure.index}\n{failure.key}\n\n"
    place.with_suffix(".txt").write_text(head + failure.told, errors="replace")
    return place


def target_of(file: Path) -> str:
    """Return the target of a saved input, from its file name."""
    return file.name.partition("--")[0]


def repeat(file: Path, target: Target, folder: Path) -> None:
    """Run one saved input again in this process, without limits; raise its exception."""
    folder.mkdir(parents=True, exist_ok=True)
    before = os.getcwd()
    os.chdir(folder)
    try:
        target.prepare(folder).run(file.read_bytes())
    finally:
        os.chdir(before)
