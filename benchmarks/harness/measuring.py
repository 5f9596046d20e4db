"""Measuring: CPU seconds, peak memory, whole processes; rows with ours beside a peer's."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from roget.core.io.values import parse_json
from roget.errors import RogetError

Result = TypeVar("Result")

RSS_UNIT = 1 if sys.platform == "darwin" else 1024
MB = 1e6
PATIENCE = 900
"""Seconds after which a measured child that says nothing is taken for dead."""


class Patience:
    """CPU seconds after which the same work is not measured again; quick runs have less."""

    seconds = 4.0


class LeftOut(RogetError):
    """A case cannot run here: data or a peer is not there."""


class Spent(float):
    """Seconds of the best of some runs, and by what share the middle one was slower."""

    spread: float = 0.0


@dataclass(frozen=True)
class Row:
    """One comparison; the ratio is roget divided by the peer, so lower is better."""

    case: str
    ours: float
    peer: float | None
    peer_name: str
    unit: str
    bar: float = float("inf")
    series: str = ""
    """Rows of one series are points of a curve of cost against size."""
    axis: str = ""
    """What grows: N items, K clusters, nnz entries of a table."""
    size: float = 0.0

    @property
    def ratio(self) -> float:
        """What the bar is held against: the bare value where there is no peer."""
        return self.ours if self.peer is None else self.ours / max(self.peer, 1e-9)

    @property
    def ok(self) -> bool:
        """Whether the bar is met."""
        return bool(self.ratio <= self.bar)

    @property
    def spread(self) -> float:
        """How far apart runs were, by their share, both sides together."""
        return sum(getattr(one, "spread", 0.0) for one in (self.ours, self.peer))

    def as_dict(self) -> dict[str, Any]:
        """The row as plain data."""
        shown = {**asdict(self), "ratio": self.ratio, "spread": self.spread, "ok": self.ok}
        # Cases may give numbers of numpy's.
        shown |= {key: float(shown[key]) for key in ("ours", "ratio", "spread", "size")}
        shown |= {"peer": None if self.peer is None else float(self.peer)}
        if self.bar == float("inf"):
            del shown["bar"], shown["ok"]
        return {key: value for key, value in shown.items() if value not in ("", None)}


Rows: TypeAlias = Iterator[Row | str]
"""A case yields rows for the table, and sentences for the lines under it."""
Case: TypeAlias = Callable[[], Rows]


def cpu(work: Callable[[], object], times: int = 3) -> Spent:
    """Best CPU seconds of a few runs, all threads counted; slow work is run once only."""
    took: list[float] = []
    for _ in range(times):
        gc.collect()
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
        if sum(took) > Patience.seconds:
            break
    best = Spent(min(took))
    best.spread = statistics.median(took) / best - 1 if best else 0.0
    return best


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What the work gives, and its CPU seconds."""
    start = time.process_time()
    made = work()
    return made, time.process_time() - start


def peak(work: Callable[[], object]) -> float:
    """Bytes that the work needs on top of what is already resident, inputs included.

    A forked child starts with the inputs mapped and its high-water mark at its present size,
    so nothing that the parent did earlier can hide or add to what the work needs.
    """
    context = multiprocessing.get_context("fork")
    reader, writer = context.Pipe(duplex=False)

    def child() -> None:
        before = most_memory()
        work()
        writer.send(most_memory() - before)

    _return_free_memory()
    process = context.Process(target=child)
    process.start()
    writer.close()
    try:
        if not reader.poll(PATIENCE):
            process.kill()
            raise LeftOut(f"the measured child said nothing for {PATIENCE} s")
        return float(reader.recv())
    except EOFError:
        process.join()
        raise LeftOut(f"the measured child died (exit code {process.exitcode})") from None
    finally:
        process.join()


def most_memory() -> float:
    """The most bytes that this process ever held."""
    import resource

    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT)


def _return_free_memory() -> None:
    """Give freed heap back to the system, or the child would use it again without being seen."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only
    if trim is not None:
        trim(0)


class Spending(NamedTuple):
    """What a process took."""

    cpu: float
    clock: float
    memory: float
    """Bytes, the most that was resident."""
    said: str


LAUNCHER = """
import json, os, subprocess, sys, time
began = time.perf_counter()
child = subprocess.Popen([sys.executable, *sys.argv[2:]])
_, status, used = os.wait4(child.pid, 0)
found = used.ru_utime + used.ru_stime, time.perf_counter() - began, used.ru_maxrss
with open(sys.argv[1], "w") as file:
    json.dump(found, file)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
"""
"""A process begins with the peak of the one that starts it, so a small one has to."""


def spend(arguments: Sequence[object], **settings: Any) -> Spending:
    """Run a process of this interpreter; CPU and memory of it and of the children it waited for."""
    with tempfile.TemporaryDirectory() as folder:
        usage = Path(folder, "usage.json")
        command = [sys.executable, "-I", "-S", "-c", LAUNCHER, str(usage), *map(str, arguments)]
        done: subprocess.CompletedProcess[bytes] = subprocess.run(
            command, capture_output=True, check=False, **settings
        )
        if done.returncode:
            lines = done.stderr.decode(errors="replace").split("\n")
            why = next((line for line in reversed(lines) if line.strip()), "")
            raise LeftOut(f"a process failed, exit code {done.returncode}: {why}")
        cpu, clock, memory = parse_json(usage.read_text())
    return Spending(cpu, clock, memory * RSS_UNIT, done.stdout.decode())


def beside(
    case: str,
    ours: Callable[[], object],
    peer: Callable[[], object],
    name: str,
    bar: float = float("inf"),
    memory: float | None = None,
    **curve: Any,
) -> Iterator[Row]:
    """Rows of the same work done by us and by a peer: CPU seconds and, with a bar, peak memory."""
    held = (peak(ours), peak(peer)) if memory is not None else None
    yield Row(case, cpu(ours), cpu(peer), name, "s", bar, **curve)
    if held is not None:
        yield Row(f"{case}, peak", *held, name, "MB", memory or 0.0)


def point(
    series: str,
    axis: str,
    at: float,
    ours: float,
    peer: float | None = None,
    name: str = "",
    unit: str = "s",
) -> Row:
    """A point of a curve of cost against size.

    >>> point("score", "N", 1000, 0.5).case
    'score, N = 1e3'
    """
    case = f"{series}, {axis} = {size(at)}"
    return Row(case, ours, peer, name, unit, series=series, axis=axis, size=at)


def data_folder() -> Path:
    """Where data lie that do not ship: ROGET_TEST_DATA, or shared/data beside the repository."""
    beside = Path(__file__).resolve().parents[4] / "shared" / "data"
    return Path(os.environ.get("ROGET_TEST_DATA") or beside)


def find_data(*parts: str) -> Path:
    """A file or folder of the data that do not ship; a case without it is left out."""
    if said := tell_missing(["/".join(parts)]):
        raise LeftOut(said)
    return data_folder().joinpath(*parts)


def tell_missing(names: Iterable[str]) -> str:
    """Which of some files or folders of these data are not there; empty if all are."""
    missing = [name for name in names if not (data_folder() / name).exists()]
    listed = ", ".join(missing)
    return f"needs {listed}: set ROGET_TEST_DATA to a folder that has it" if missing else ""


def progress(text: str) -> None:
    """A line on stderr, so that stdout holds the report alone."""
    print(f"… {text}", file=sys.stderr, flush=True)


def size(n: float) -> str:
    """1000 as 1e3: powers of ten keep tables narrow.

    >>> size(10_000_000), size(100), size(20), size(30_000)
    ('1e7', '100', '20', '3e4')
    """
    short = f"{n:.0e}".replace("e+0", "e").replace("e+", "e")
    return short if n >= 1000 and float(short) == n else f"{n:,.10g}"
