"""Damaged and hostile inputs for all that reads: `make fuzz`, or `python -m campaigns.fuzz`."""

from __future__ import annotations

import argparse
import fnmatch
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from campaigns.fuzz import run
from campaigns.fuzz.targets import Target, deal, every
from roget.core.machine import describe_machine
from roget.core.store import write_atomic

INPUTS = 60_000
"""Of a short run."""

SEED = 20
KEPT = Path(".fuzz")


def main() -> int:
    """Run the campaign; exit code 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=INPUTS, help=f"in all [{INPUTS:,}]")
    parser.add_argument("--seed", type=int, default=SEED, help=f"[{SEED}]")
    parser.add_argument(
        "--first", type=int, default=0, help="number of the first input of each target"
    )
    parser.add_argument("--processes", type=int, default=2, help="[2]")
    parser.add_argument(
        "--only", action="append", metavar="TARGET", help="a name or a pattern; may be repeated"
    )
    parser.add_argument("--list", action="store_true", help="show the targets and stop")
    parser.add_argument("--repeat", type=Path, metavar="FILE", help="run one saved input again")
    parser.add_argument(
        "--keep", type=Path, default=KEPT, metavar="DIR", help=f"where failures are saved [{KEPT}]"
    )
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument("--record", action="store_true", help="write the table into docs/fuzz.md")
    asked = parser.parse_args()
    targets = every()
    if asked.repeat is not None:
        return _repeat(asked.repeat)
    chosen = [
        target
        for name, target in targets.items()
        if target.share
        and (not asked.only or any(fnmatch.fnmatch(name, one) for one in asked.only))
    ]
    if not chosen:
        parser.error(f"no target is called {', '.join(asked.only)}: see --list")
    dealt = list(deal(asked.inputs, chosen))
    if asked.list:
        for target, inputs in dealt:
            print(f"{target.name:24} {inputs:>11,}  {target.about}")
        return 0
    return _run(asked, dealt)


def _run(asked: argparse.Namespace, dealt: list[tuple[Target, int]]) -> int:
    begun, stopped = time.monotonic(), False
    done = asked.keep / "done.json"
    rows, commits, before = (
        _resume(done, asked) if asked.resume and done.exists() else ({}, [], 0.0)
    )
    commits.append(describe_machine().get("commit", "none"))
    left = [(target, inputs) for target, inputs in dealt if target.name not in rows]
    print(f"{'target':24} {'inputs':>11} {'accepted':>11} {'refused':>11} {'failed':>7} {'µs':>8}")
    try:
        for target, tally in run.campaign(left, asked.seed, asked.processes, asked.first):
            each = tally.seconds / tally.inputs * 1e6
            print(
                f"{target.name:24} {tally.inputs:>11,} {tally.accepted:>11,} {tally.refused:>11,} "
                f"{tally.failed:>7,} {each:>8,.0f}",
                flush=True,
            )
            for failure in tally.failures.values():
                place = run.save(failure, asked.keep, asked.seed)
                print(f"  {failure.key}\n    again: make fuzz FUZZ='--repeat {place}'", flush=True)
            kinds = list(tally.failures)
            rows[target.name] = [tally.inputs, tally.accepted, tally.refused, tally.failed, kinds]
            took = before + time.monotonic() - begun
            kept = {"seed": asked.seed, "inputs": asked.inputs, "commits": commits, "took": took}
            asked.keep.mkdir(parents=True, exist_ok=True)
            write_atomic(done, json.dumps({**kept, "rows": rows}))
    except KeyboardInterrupt:
        stopped = True
        print(f"stopped; --resume goes on from {done}")
    took = before + time.monotonic() - begun
    inputs = sum(row[0] for row in rows.values())
    broken = sum(len(row[4]) for row in rows.values())
    print(
        f"{inputs:,} inputs in {took:,.0f} s, {inputs / took:,.0f} a second; seed {asked.seed}; ",
        end="",
    )
    print(f"{broken} kinds of failures" if broken else "no failure")
    if asked.record:
        _record(rows, asked, took, list(dict.fromkeys(commits)), stopped)
    return 1 if broken else 130 if stopped else 0


def _resume(done: Path, asked: argparse.Namespace) -> tuple[dict[str, Any], list[str], float]:
    """What an earlier run has done: its rows, its commits, its seconds."""
    found = json.loads(done.read_text(encoding="utf-8"))
    if (found["seed"], found["inputs"]) != (asked.seed, asked.inputs):
        raise SystemExit(
            f"{done} is of --seed {found['seed']} --inputs {found['inputs']}: give these"
        )
    return found["rows"], found["commits"], found["took"]


def _record(
    rows: dict[str, Any],
    asked: argparse.Namespace,
    took: float,
    commits: list[str],
    stopped: bool,
) -> None:
    """Write the table of a run into the documentation."""
    from campaigns.record import record

    table = [(name, *row[:4]) for name, row in rows.items()]
    sums = [sum(row[column] for row in table) for column in range(1, 5)]
    table.append(("all", *sums))
    told = [f"{sums[0]:,} inputs in {took / 60:.0f} minutes; processes: {asked.processes}."]
    if stopped:
        told[0] += f" It was to be {asked.inputs:,}, and was stopped."
    if asked.only or asked.first:
        told[0] += " Some targets or inputs only."
    if len(commits) > 1:
        told[0] += f" It was stopped and went on; it began at commit {commits[0]}."
    failures = [f"- {name}: {key}" for name, row in rows.items() for key in row[4]]
    told += ["", "Failures:", "", *failures] if failures else ["No failure."]
    record(
        "fuzz",
        ("target", "inputs", "accepted", "refused", "failed"),
        table,
        told="\n".join(told),
        seed=asked.seed,
        libraries=("numpy", "scipy", "duckdb", "pyarrow", "spacy", "pyoxigraph", "starlette"),
    )


def _repeat(file: Path) -> int:
    from roget.errors import RogetError

    target = every()[run.target_of(file)]
    with tempfile.TemporaryDirectory(prefix="roget-fuzz.") as folder:
        try:
            run.repeat(file.absolute(), target, Path(folder))
        except RogetError as error:
            print(f"refused: {type(error).__name__}: {error}")
            return 0
        except BaseException:
            traceback.print_exc()
            return 1
    print("accepted")
    return 0


if __name__ == "__main__":
    sys.exit(main())
