"""Run damaged and hostile inputs: `make fuzz`, or `python -m campaigns.fuzz`."""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.environment import describe_machine

from campaigns.fuzz import run
from campaigns.fuzz.guide import Reached
from campaigns.fuzz.targets import Target, deal, every
from roget.core.store import write_atomic

INPUTS = 60_000
"""Number of inputs of a short run."""

SEED = 20
KEPT = Path(".fuzz")
LIBRARIES = ("numpy", "scipy", "duckdb", "pyarrow", "spacy", "pyoxigraph", "starlette")


def main() -> int:
    """Run the campaign; return 1 if any input failed."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument(
        "--inputs", type=int, default=INPUTS, help=f"total number of inputs [{INPUTS:,}]"
    )
    parser.add_argument(
        "--each", type=int, metavar="N", help="the same number of inputs for each target"
    )
    parser.add_argument("--seed", type=int, default=SEED, help=f"random seed [{SEED}]")
    parser.add_argument(
        "--first", type=int, default=0, help="number of the first input of each target"
    )
    parser.add_argument("--processes", type=int, default=2, help="number of processes [2]")
    parser.add_argument(
        "--only", action="append", metavar="TARGET", help="run only these targets; may be repeated"
    )
    parser.add_argument(
        "--guided",
        action="store_true",
        help="derive inputs from earlier ones that reached new lines",
    )
    parser.add_argument("--list", action="store_true", help="show the targets and stop")
    parser.add_argument("--repeat", type=Path, metavar="FILE", help="run one saved input again")
    parser.add_argument(
        "--keep", type=Path, default=KEPT, metavar="DIR", help=f"folder for failed inputs [{KEPT}]"
    )
    parser.add_argument("--resume", action="store_true", help="continue a run that was stopped")
    parser.add_argument(
        "--record", action="store_true", help="write the table into docs/reliability.md"
    )
    asked = parser.parse_args()
    # Fixed hashes give sets the same order in all processes, so the same lines run.
    os.environ.setdefault("PYTHONHASHSEED", "0")
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
        parser.error(f"no target matches {', '.join(asked.only)}; --list shows them")
    dealt = list(deal(asked.inputs, chosen))
    if asked.each:
        dealt = [(target, asked.each) for target in chosen]
        asked.inputs = asked.each * len(chosen)
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
        for target, tally in run.campaign(
            left, asked.seed, asked.processes, asked.first, guided=asked.guided
        ):
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
            if tally.reached is not None:
                rows[target.name] += [len(tally.reached.inputs), *_reach(tally.reached)]
            took = before + time.monotonic() - begun
            kept = {"seed": asked.seed, "inputs": asked.inputs, "guided": asked.guided}
            kept |= {"commits": commits, "took": took}
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
        told = _tell(rows, asked, took, list(dict.fromkeys(commits)), stopped)
        if asked.guided:
            _record_guided(rows, asked, told, [one for one in dealt if one[0].name in rows])
        else:
            _record(rows, asked, told)
    return 1 if broken else 130 if stopped else 0


def _resume(done: Path, asked: argparse.Namespace) -> tuple[dict[str, Any], list[str], float]:
    """Return the rows, commits and seconds of an earlier run."""
    found = json.loads(done.read_text(encoding="utf-8"))
    guided = found.get("guided", False)
    if (found["seed"], found["inputs"], guided) != (asked.seed, asked.inputs, asked.guided):
        way = " --guided" if guided else ""
        raise SystemExit(
            f"{done} is of --seed {found['seed']} --inputs {found['inputs']}{way}: give these"
        )
    return found["rows"], found["commits"], found["took"]


def _reach(reached: Reached) -> tuple[int, int]:
    """Return the number of lines, and of pairs of lines, that were reached."""
    return len(reached.lines()), len(reached.pairs)


def _tell(
    rows: dict[str, Any],
    asked: argparse.Namespace,
    took: float,
    commits: list[str],
    stopped: bool,
) -> str:
    """Return the text below the table of a run."""
    inputs = sum(row[0] for row in rows.values())
    told = [f"{inputs:,} inputs in {took / 60:.0f} minutes; processes: {asked.processes}."]
    if stopped:
        told[0] += f" Stopped before {asked.inputs:,}."
    if asked.only or asked.first:
        told[0] += " Not all targets or inputs."
    if len(commits) > 1:
        told[0] += f" Interrupted and continued; begun at commit {commits[0]}."
    failures = [f"- {name}: {key}" for name, row in rows.items() for key in row[4]]
    told += ["", "Failures:", "", *failures] if failures else ["No failure."]
    return "\n".join(told)


def _record(rows: dict[str, Any], asked: argparse.Namespace, told: str) -> None:
    """Write the table of a run into the documentation."""
    from campaigns.record import record

    table = [(name, *row[:4]) for name, row in rows.items()]
    table.append(("all", *_sums(table)))
    columns = ("target", "inputs", "accepted", "refused", "failed")
    record(
        "fuzz",
        columns,
        table,
        told=told,
        seed=asked.seed,
        libraries=LIBRARIES,
        page_of="reliability",
    )


def _record_guided(
    rows: dict[str, Any], asked: argparse.Namespace, told: str, dealt: list[tuple[Target, int]]
) -> None:
    """Write how much code guided inputs reach, compared with as many unguided inputs."""
    from campaigns.record import record

    print("the same number of unguided inputs:", flush=True)
    table: list[tuple[object, ...]] = []
    for target, beside in run.campaign(
        dealt, asked.seed, asked.processes, asked.first, followed=True
    ):
        assert beside.reached is not None
        lines, pairs = _reach(beside.reached)
        inputs, *_, failed, _, kept, guided_lines, guided_pairs = rows[target.name]
        table.append((target.name, inputs, failed, kept, guided_lines, lines, guided_pairs, pairs))
        print(f"{target.name:24} {guided_lines:>8,} {lines:>8,} lines", flush=True)
        for failure in beside.failures.values():
            print(f"  {failure.key}\n    saved: {run.save(failure, asked.keep, asked.seed)}")
    table.append(("all", *_sums(table)))
    columns = (
        "target", "inputs", "failed", "kept", "lines", "lines, not guided", "pairs",
        "pairs, not guided",
    )  # fmt: skip
    record(
        "fuzz-guided", columns, table, told=told, seed=asked.seed, libraries=LIBRARIES,
        page_of="reliability",
    )  # fmt: skip


def _sums(table: Sequence[Sequence[Any]]) -> list[int]:
    return [sum(row[column] for row in table) for column in range(1, len(table[0]))]


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
