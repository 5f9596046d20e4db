"""Measuring and printing: CPU seconds, peak memory in a forked child, one table of ratios."""

from __future__ import annotations

import argparse
import ctypes
import fnmatch
import gc
import json
import multiprocessing
import os
import platform
import resource
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

RSS_UNIT = 1 if sys.platform == "darwin" else 1024
MB = 1e6


@dataclass(frozen=True)
class Row:
    """One comparison; the ratio is roget divided by the peer, so lower is better."""

    case: str
    ours: float
    peer: float | None
    peer_name: str
    unit: str
    bar: float

    @property
    def ratio(self) -> float:
        """What the bar is held against: the bare value where there is no peer."""
        return self.ours if self.peer is None else self.ours / max(self.peer, 1e-9)

    @property
    def ok(self) -> bool:
        """Whether the bar is met."""
        return self.ratio <= self.bar

    def as_json(self) -> dict[str, Any]:
        """The row as plain data."""
        return {**self.__dict__, "ratio": self.ratio, "ok": self.ok}


def cpu(work: Callable[[], object], times: int = 3, budget: float = 4.0) -> float:
    """Best CPU seconds of a few runs, all threads counted; slow work is run once only."""
    best, spent = float("inf"), 0.0
    for _ in range(times):
        gc.collect()
        start = time.process_time()
        work()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
        if spent > budget:
            break
    return best


def peak(work: Callable[[], object]) -> float:
    """Bytes that the work needs on top of what is already resident, inputs included.

    A forked child starts with the inputs mapped and its high-water mark at its present size,
    so nothing that the parent did earlier can hide or add to what the work needs.
    """
    context = multiprocessing.get_context("fork")
    reader, writer = context.Pipe(duplex=False)

    def child() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work()
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        writer.send((after - before) * RSS_UNIT)

    _return_free_memory()
    process = context.Process(target=child)
    process.start()
    writer.close()
    try:
        return float(reader.recv())
    except EOFError:
        raise RuntimeError(f"the measured child died (exit code {process.exitcode})") from None
    finally:
        process.join()


def _return_free_memory() -> None:
    """Give freed heap back to the system, or the child would use it again without being seen."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only
    if trim is not None:
        trim(0)


Case = Callable[[], Iterator[Row | str]]
"""Gives rows of the table, and sentences to stand below it."""


def options(doc: str | None, **more: Mapping[str, Any]) -> argparse.Namespace:
    """The command line: what all benchmarks understand, and what this one does besides."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    parser.add_argument("--only", metavar="PATTERN", default="*", help="cases, such as 'a*'")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the rows there")
    for name, how in more.items():
        parser.add_argument(f"--{name}", **how)
    return parser.parse_args()


def chosen(known: Mapping[str, Case], only: str, unasked: Iterable[str] = ()) -> list[str]:
    """The names of the cases wanted; some are run only if they are asked for."""
    names = fnmatch.filter(known, only)
    if not names:
        sys.exit(f"no case matches {only!r}; known: {', '.join(known)}")
    return [name for name in names if only != "*" or name not in unasked]


def run(
    known: Mapping[str, Case],
    names: Iterable[str],
    about: Iterable[str],
    file: Path | None,
    libraries: Iterable[str] = (),
) -> None:
    """Run cases, then print the table, what fell short, and what it is about."""
    rows: list[Row] = []
    notes: list[str] = []
    start = time.perf_counter()
    for name in names:
        progress(f"{name} ({time.perf_counter() - start:.0f} s so far)")
        try:
            for item in known[name]():
                if isinstance(item, Row):
                    rows.append(item)
                else:
                    notes.append(item)
        except FileNotFoundError as error:
            notes.append(f"{name} was left out: {error}")
    facts = machine() | {name: metadata.version(name) for name in libraries}
    print(", ".join(f"{key} {value}" for key, value in facts.items() if key != "cpu"))
    print(f"{facts['cpu']}; " + "\n".join(about) + "\n")
    print(table(rows), *notes, verdict(rows), sep="\n")
    if file is not None:
        report = {"about": facts, "rows": [row.as_json() for row in rows], "notes": notes}
        file.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def progress(text: str) -> None:
    """A line on stderr, so that stdout holds the table alone."""
    print(f"… {text}", file=sys.stderr, flush=True)


def machine() -> dict[str, str]:
    """Processor and the versions that were compared."""
    names = ("roget", "numpy", "scipy", "scikit-learn")
    return {
        "cpu": f"{_processor()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in names},
    }


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def table(rows: Iterable[Row]) -> str:
    """The rows as text, at most 100 columns wide."""
    lines = [_line("case", "roget", "peer", "ratio", "bar", "ok")]
    lines.append("-" * len(lines[0]))
    for row in rows:
        peer = f"{_amount(row.peer, row.unit):>8} " if row.peer is not None else " " * 9
        lines.append(
            _line(
                row.case,
                _amount(row.ours, row.unit),
                peer + row.peer_name,
                f"{row.ratio:.3g}",
                f"≤ {row.bar:.3g}",
                "yes" if row.ok else "NO",
            )
        )
    return "\n".join(lines)


def _line(case: str, ours: str, peer: str, ratio: str, bar: str, ok: str) -> str:
    return f"{case:<27} | {ours:>8} | {peer:<29} | {ratio:>8} | {bar:>6} | {ok:<3}".rstrip()


def _amount(value: float, unit: str) -> str:
    if unit == "s" and value < 1e-4:
        return f"{value * 1e6:.3g} µs"
    if unit == "s" and value < 0.1:
        return f"{value * 1e3:.3g} ms"
    if unit == "MB":
        return f"{value / MB:.0f} MB"
    return f"{value:.3g} {unit}".rstrip()


def verdict(rows: list[Row]) -> str:
    """How many bars were met, and by name those that were not."""
    short = [row.case for row in rows if not row.ok]
    met = f"{len(rows) - len(short)} of {len(rows)} bars met."
    return textwrap.fill(f"{met} Fell short: {'; '.join(short)}." if short else met, 100)
