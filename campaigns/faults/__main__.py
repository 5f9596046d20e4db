"""Kill commands at random moments and try other faults: `make faults`, or `python -m
campaigns.faults`.
"""

from __future__ import annotations

import argparse
import fnmatch
import itertools
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from campaigns.faults import cases, jobs, nth, page, running, shots

SHORT, LONG = 45, 520
"""Number of signals in a short and in a long run."""


@dataclass
class Tally:
    """Numbers of shots and of failures of one case."""

    shots: int = 0
    signals: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    early: int = 0

    @property
    def sent(self) -> int:
        """Total number of signals."""
        return sum(self.signals.values())


def main() -> int:
    """Run the requested cases; return 1 if any failed."""
    parser = argparse.ArgumentParser(prog="make faults", description=__doc__)
    parser.add_argument(
        "--long", action="store_true", help=f"{LONG} signals, all other faults; write the table"
    )
    parser.add_argument(
        "--signals", type=int, metavar="N", help=f"minimum number of signals [{SHORT}]"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="random seed [0; random with --long]")
    parser.add_argument(
        "--only", metavar="PATTERN", default="*", help="run only these cases, e.g. 'build*'"
    )
    parser.add_argument("--shot", type=int, metavar="I", help="repeat only this shot")
    parser.add_argument("--list", action="store_true", help="list all cases and stop")
    parser.add_argument(
        "--record", action="store_true", help="write the table of docs/reliability.md"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N")
    asked = parser.parse_args()
    nth.register()
    known = jobs.list_jobs()
    names = fnmatch.filter([*known, page.NAME, *cases.CASES], asked.only)
    if asked.list:
        print("\n".join(names))
        return 0
    if not names:
        parser.error(f"no case is like {asked.only!r}; --list names them")
    signals = asked.signals if asked.signals is not None else LONG if asked.long else SHORT
    seed = asked.seed
    if seed is None:
        seed = random.SystemRandom().randrange(10**6) if asked.long else 0
    if signals < LONG:
        cases.Effort.rounds = 1
    room = Path(tempfile.mkdtemp(prefix="roget-faults."))
    began, failed = time.monotonic(), 0
    try:
        running.load()
        material = room / "material"
        make_material(material)
        with ProcessPoolExecutor(asked.processes, multiprocessing.get_context("fork")) as pool:
            shot = [name for name in names if name in known or name == page.NAME]
            tallies = fire(pool, shot, known, material, room, signals, seed, asked.shot)
            tried = try_cases(pool, [n for n in names if n in cases.CASES], material, room)
        failed = sum(one.failed for one in tallies.values()) + sum(
            not ok for ok, _ in tried.values()
        )
        sent, took = sum(one.sent for one in tallies.values()), time.monotonic() - began
        told = f"{sent} signals and {len(tried)} other faults in {took:.0f} s, seed {seed}: "
        print(told + (f"{failed} FAILED" if failed else "all survived"))
        if (asked.record or asked.long) and not failed and asked.only == "*":
            from campaigns.faults.table import write

            print(f"wrote {write(tallies, tried, seed)}")
    finally:
        if failed:
            print(f"what failed is kept in {room}")
        else:
            shutil.rmtree(room, ignore_errors=True)
    return 1 if failed else 0


def make_material(folder: Path) -> None:
    """Make the inputs of the jobs, with roget's own commands."""
    folder.mkdir()
    jobs.write_texts(folder)
    for name, command in jobs.MATERIAL.items():
        run = running.start(command, folder)
        if run.end():
            raise SystemExit(f"{name} cannot be made: {run.words}")


def fire(
    pool: ProcessPoolExecutor,
    names: list[str],
    known: dict[str, jobs.Job],
    material: Path,
    room: Path,
    signals: int,
    seed: int,
    only: int | None,
) -> dict[str, Tally]:
    """Send signals to all jobs in turn, until `signals` have been sent."""
    if not names:
        return {}
    measured = {
        name: pool.submit(shots.measure, known[name], material, room / f"measured-{at}")
        for at, name in enumerate(names)
        if name in known
    }
    references = {name: future.result() for name, future in measured.items()}
    say(f"measured {len(references)} jobs")
    tallies = {name: Tally() for name in names}
    turns: Iterator[tuple[str, int]] = itertools.chain.from_iterable(
        ((name, number) for name in names if is_due(known.get(name), number))
        for number in itertools.count()
    )
    if only is not None:
        turns = iter([(name, only) for name in names])
        signals = sys.maxsize
    waiting: set[Future[Any]] = set()
    while True:
        while sum(one.sent for one in tallies.values()) < signals and len(waiting) < 4:
            turn = next(turns, None)
            if turn is None:
                break
            name, number = turn
            if name == page.NAME:
                waiting.add(pool.submit(page.shoot, material, seed, number, room))
            else:
                job, reference = known[name], references[name]
                waiting.add(pool.submit(shots.shoot, job, reference, seed, number, room))
        if not waiting:
            return tallies
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            count(future.result(), tallies, seed)


def is_due(job: jobs.Job | None, number: int) -> bool:
    """Return True if a job should run in this round. Slow jobs run less often."""
    return job is None or not job.pool or number % 4 == 0


def count(verdict: shots.Verdict, tallies: dict[str, Tally], seed: int) -> None:
    """Record a verdict; print it if the job failed."""
    tally = tallies[verdict.job]
    tally.shots += 1
    tally.early += verdict.early
    for name in verdict.signals:
        tally.signals[name] = tally.signals.get(name, 0) + 1
    if verdict.wrong:
        tally.failed += 1
        print(f"FAILED {verdict.job}, shot {verdict.number} ({', '.join(verdict.signals)}):")
        print("".join(f"  {line}\n" for one in verdict.wrong for line in one.splitlines()), end="")
        again = f"--seed {seed} --only '{verdict.job}' --shot {verdict.number}"
        print(f'  again: make faults FAULTS="{again}"', flush=True)
    sent = sum(one.sent for one in tallies.values())
    if sent // 20 > (sent - len(verdict.signals)) // 20:
        say(f"{sent} signals")


def try_cases(
    pool: ProcessPoolExecutor, names: list[str], material: Path, room: Path
) -> dict[str, tuple[bool, str]]:
    """Try the other faults; return for each whether it was survived, and a summary."""
    futures = {
        name: pool.submit(cases.attempt, name, material, room / f"case-{at}")
        for at, name in enumerate(names)
    }
    found = {}
    for name, future in futures.items():
        ok, told = future.result()
        found[name] = ok, told
        if not ok:
            print(f"FAILED {name}:\n  " + told.replace("\n", "\n  "))
            print(f"  again: make faults FAULTS=\"--only '{name}'\"", flush=True)
        else:
            say(f"{name}: {told or 'survived'}")
    return found


def say(text: str) -> None:
    """Print a line to stderr."""
    print(f"… {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
