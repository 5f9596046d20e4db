"""Measure CPU seconds and peak memory, and compare roget with peers."""

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
"""Seconds without output after which a measured child process is ended."""


class Patience:
    """CPU seconds after which a measurement is not repeated. Quick runs use less."""

    seconds = 4.0


class LeftOut(RogetError):
    """Raised if a case cannot run because data or a peer is missing."""


class Spent(float):
    """CPU seconds of the best run, and by what fraction the median run was slower."""

    spread: float = 0.0


@dataclass(frozen=True)
class Row:
    """One comparison. The ratio is roget divided by the peer, so lower is better."""

    case: str
    ours: float
    peer: float | None
    peer_name: str
    unit: str
    bar: float = float("inf")
    series: str = ""
    """Name of the curve of cost against size that this row is a point of."""
    axis: str = ""
    """Quantity that grows along the curve: N items, K clusters or nnz entries of a table."""
    size: float = 0.0

    @property
    def ratio(self) -> float:
        """The ratio to the peer, or without a peer roget's value. The bar applies to it."""
        return self.ours if self.peer is None else self.ours / max(self.peer, 1e-9)

    @property
    def ok(self) -> bool:
        """Whether the bar is met."""
        return bool(self.ratio <= self.bar)

    @property
    def spread(self) -> float:
        """Variation between runs of roget and of the peer, as a fraction."""
        return sum(getattr(one, "spread", 0.0) for one in (self.ours, self.peer))

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON-compatible values."""
        shown = {**asdict(self), "ratio": self.ratio, "spread": self.spread, "ok": self.ok}
        # Cases may contain numpy numbers.
        shown |= {key: float(shown[key]) for key in ("ours", "ratio", "spread", "size")}
        shown |= {"peer": None if self.peer is None else float(self.peer)}
        if self.bar == float("inf"):
            del shown["bar"], shown["ok"]
        return {key: value for key, value in shown.items() if value not in ("", None)}


Rows: TypeAlias = Iterator[Row | str]
"""A case yields rows for the table, and sentences for the notes below it."""
Case: TypeAlias = Callable[[], Rows]


def cpu(work: Callable[[], object], times: int = 3) -> Spent:
    """Return the lowest CPU time of several runs, over all threads. Slow work runs only once."""
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
    """Return the result of `work` and its CPU seconds."""
    start = time.process_time()
    made = work()
    return made, time.process_time() - start


def peak(work: Callable[[], object]) -> float:
    """Return the bytes that `work` allocates in addition to resident memory, inputs included.

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
            raise LeftOut(f"no output of the measured child for {PATIENCE} s")
        return float(reader.recv())
    except EOFError:
        process.join()
        raise LeftOut(f"the measured child died (exit code {process.exitcode})") from None
    finally:
        process.join()


def most_memory() -> float:
    """Return the peak memory of this process in bytes."""
    import resource

    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT)


def _return_free_memory() -> None:
    """Return freed heap memory to the system, so that a child's use of it is measured."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only
    if trim is not None:
        trim(0)


class Spending(NamedTuple):
    """CPU time and memory of a process."""

    cpu: float
    clock: float
    memory: float
    """Peak resident memory in bytes."""
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
"""A small script that starts the measured process, which inherits the peak of its parent."""


def spend(arguments: Sequence[object], **settings: Any) -> Spending:
    """Run this interpreter with `arguments`; measure it and the children that it waits for."""
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
    """Compare the same work by roget and by a peer: CPU seconds and, with `memory`, peak memory."""
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
    """Return a point of a curve of cost against size.

    >>> point("score", "N", 1000, 0.5).case
    'score, N = 1e3'
    """
    case = f"{series}, {axis} = {size(at)}"
    return Row(case, ours, peer, name, unit, series=series, axis=axis, size=at)


def data_folder() -> Path:
    """Return the folder of test data: ROGET_TEST_DATA, or by default ../shared/data."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return Path(os.environ.get("ROGET_TEST_DATA") or beside)


def find_data(*parts: str) -> Path:
    """Return a file or folder of the test data; raise LeftOut if it is missing."""
    if said := tell_missing(["/".join(parts)]):
        raise LeftOut(said)
    return data_folder().joinpath(*parts)


def tell_missing(names: Iterable[str]) -> str:
    """Return a message that names missing test data, or an empty string."""
    missing = [name for name in names if not (data_folder() / name).exists()]
    listed = ", ".join(missing)
    return f"needs {listed}: set ROGET_TEST_DATA to a folder that has it" if missing else ""


def progress(text: str) -> None:
    """Print a line to stderr; stdout contains only the report."""
    print(f"… {text}", file=sys.stderr, flush=True)


def size(n: float) -> str:
    """Format a size, with powers of ten as e.g. 1e3 to keep tables narrow.

    >>> size(10_000_000), size(100), size(20), size(30_000)
    ('1e7', '100', '20', '3e4')
    """
    short = f"{n:.0e}".replace("e+0", "e").replace("e+", "e")
    return short if n >= 1000 and float(short) == n else f"{n:,.10g}"
