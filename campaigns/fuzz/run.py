"""Running: inputs in child processes, which are watched, and started again if they end."""

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
"""CPU time of an input, at most."""

WAITING = 6
"""How many times that much may pass, where other processes want the machine too."""

FIRST = 60.0
"""Of the first one in a process, where modules are imported and kernels compiled."""

MEMORY = 1 << 30
"""Bytes that an input may take, beside what the process has before it."""

SLOWER = 3
"""How many times as long inputs take where it is followed which lines they reach."""

GROWN = 400 << 20
"""Bytes by which a process may grow over many inputs before another takes its place."""

_SHM = Path("/dev/shm")
_INDEX, _BEGUN, _ACCEPTED, _REFUSED, _BASE, _USED, _SIZE = range(7)
_IDLE = 0
_INPUT = "input"
"""The file that holds the input that a process is at."""


@dataclass(frozen=True)
class Failure:
    """An input that was neither accepted nor refused as it should be."""

    target: str
    index: int
    key: str
    """What is the same of failures that have one cause."""
    told: str
    data: bytes


@dataclass
class Tally:
    """What became of a target's inputs."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0
    """CPU time of its processes."""
    failures: dict[str, Failure] = field(default_factory=dict)
    """One for each cause."""
    reached: Reached | None = None
    """Where it is followed which lines inputs reach."""

    def note(self, failure: Failure) -> None:
        """Keep a failure, the shortest of those of one cause."""
        known = self.failures.get(failure.key)
        if known is None or len(failure.data) < len(known.data):
            self.failures[failure.key] = failure


def seed_of(seed: int, target: str, index: int) -> int:
    """What the random numbers of an input begin with."""
    return seed << 96 | zlib.crc32(target.encode()) << 64 | index


def judge(runner: Runner, data: bytes) -> BaseException | None:
    """What is wrong, if an input is neither accepted (None) nor refused (a RogetError)."""
    try:
        runner.run(data)
    except BaseException as error:  # whatever it is, it is the verdict
        return error
    return None


def key_of(error: BaseException) -> str:
    """The kind of an exception and the innermost frame of roget's."""
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
    """What those before it reached, where that is followed."""
    guided: bool = False
    """Whether inputs are made of those that reached something new."""


def work(pipe: Connection, state: Any, seed: int, folder: str) -> None:
    """Do jobs until there are no more; `state` tells how far, also if this process dies."""
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
    """Make this process one that inputs can do no harm from."""
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
    """Let all inputs use one DuckDB, each by a connection of its own: to start one takes 25 ms."""
    import duckdb

    from roget.core.io import duck

    def start() -> Any:
        base = duckdb.connect(config=duck._SETTINGS)
        base.execute("SET threads = 1")
        base.execute("SET enable_external_file_cache = false")
        return base

    shared = start()

    class Shared:
        """The module, but for one function."""

        def __getattr__(self, name: str) -> Any:
            return getattr(duckdb, name)

        def connect(self, **_: Any) -> Any:
            nonlocal shared
            try:
                shared.execute("SELECT 1")
            except duckdb.FatalException:  # some files bring it down
                shared = start()
            return shared.cursor()

    duck.duckdb = Shared()  # type: ignore[assignment, attr-defined]


def _limit() -> None:
    most = _status("VmData") + MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))


def _status(name: str, process: int | str = "self") -> int:
    """Bytes of memory of a process, by one of the names that Linux has for them."""
    try:
        with open(f"/proc/{process}/status") as file:
            for line in file:
                if line.startswith(f"{name}:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return 0


def _used(process: int) -> int:
    """Nanoseconds of CPU time that a process has taken."""
    try:
        with open(f"/proc/{process}/stat") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0
    return (int(user) + int(system)) * 10**9 // os.sysconf("SC_CLK_TCK")


# ---- the parent


class Child:
    """A process, what it does, and how far it is."""

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
        """Let it do a job."""
        self.job = job
        self.state[_BEGUN] = _IDLE
        self.pipe.send(job)

    def renew(self) -> tuple[str, bytes]:
        """Start another process in its place; gives what the last one had to say, and its input."""
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
        """Let it go."""
        self.process.kill()
        self.process.join()
        shutil.rmtree(self.folder, ignore_errors=True)

    def excess(self) -> str:
        """Why it must be ended, if it must."""
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
    """Run so many inputs of each target; gives the tally of each when it is done.

    If they are `followed`, it is told which lines they reach; `guided` ones are made of those that
    reached something new.
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
                # What one job reaches the next one of the target is made of.
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
    """The jobs, each small enough that processes end at about the same time."""
    for target, inputs in dealt:
        size = min(max(inputs // 24, 20), 20_000)
        for start in range(first, first + inputs, size):
            yield Job(target.name, start, min(start + size, first + inputs))


def _next(jobs: Sequence[Job], children: Sequence[Child], *, one_each: bool) -> Job | None:
    """The job that comes next, the last one; perhaps not of a target that a child has a job of."""
    busy = {child.job.target for child in children if child.job and one_each}
    return next((job for job in reversed(jobs) if job.target not in busy), None)


def _look(child: Child, tally: Tally) -> list[Job] | None:
    """See to a child: None while it works, else the jobs that are left of the one it had."""
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
    # Failures before this one in the same job are counted again by nobody.
    tally.failed += index + 1 - job.start - child.state[_ACCEPTED] - child.state[_REFUSED]
    said, data = child.renew()
    tally.note(Failure(job.target, index, why, f"{why}\n{said}", data))
    child.job = None
    return [Job(job.target, index + 1, job.stop)] if index + 1 < job.stop else []


# ---- failures


def save(failure: Failure, folder: Path, seed: int) -> Path:
    """Put a failed input where it can be run again, with what was said beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(failure.key.encode()).hexdigest()[:8]
    place = folder / f"{failure.target}--{digest}"
    place.write_bytes(failure.data)
    head = f"{failure.target}, seed {seed}, input {failure.index}\n{failure.key}\n\n"
    place.with_suffix(".txt").write_text(head + failure.told, errors="replace")
    return place


def target_of(file: Path) -> str:
    """The target that a saved input is for, which its name tells."""
    return file.name.partition("--")[0]


def repeat(file: Path, target: Target, folder: Path) -> None:
    """Run one saved input again, here, without limits; raises what it raises."""
    folder.mkdir(parents=True, exist_ok=True)
    before = os.getcwd()
    os.chdir(folder)
    try:
        target.prepare(folder).run(file.read_bytes())
    finally:
        os.chdir(before)
