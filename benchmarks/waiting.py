"""Measure what a user waits for before a result: short commands, first calls, first compilations.

Each case runs in new processes, so start-up and imports are included: CPU seconds of all threads,
the best of several runs. The thesaurus is the one that `roget build sample` makes. For the case
`first-use`, every clusterer learns a small table in a process with an empty compilation cache, and
then in one with the filled cache; the difference is the time of compiling.
"""

from __future__ import annotations

import argparse
import os
import shutil
from functools import partial
from pathlib import Path

from harness.measuring import Case, Row, Rows, spend
from harness.script import run_script

from roget import catalogue

RUNS = 5
BARS = {"neighbours": 0.6, "lists": 0.3, "first-use": 8.0}
"""Maximum CPU seconds."""

LISTS = "import roget; str(roget.score(list('aabbc'), list('abbbc')))"

LEARN = """
import sys, numpy, roget
from roget import catalogue
counts = numpy.random.default_rng(0).poisson(0.5, (60, 40)) + numpy.eye(60, 40, dtype=int)
model = catalogue.load("clusterers", sys.argv[1])()
model.fit(counts).predict(counts)
"""


def find_best(*arguments: object, runs: int = RUNS) -> float:
    """Return the CPU seconds of the best of several processes with these arguments."""
    return min(spend(arguments).cpu for _ in range(runs))


def list_neighbours(folder: Path, runs: int) -> Rows:
    """Yield the cost of the neighbours of one word."""
    target = folder / "nouns.thesaurus"
    spend(["-m", "roget", "build", "sample", "-o", target])
    took = find_best("-m", "roget", "neighbours", target, "disease", runs=runs)
    imports = find_best("-c", "import numpy, scipy.sparse, duckdb, typer", runs=runs)
    name = "importing numpy, scipy.sparse, DuckDB and typer"
    yield Row("roget neighbours", took, None, "", "s", BARS["neighbours"])
    yield Row("roget neighbours", took, imports, name, "s")


def score_lists(runs: int) -> Rows:
    """Yield the cost of the first score of two lists, imports included."""
    took = find_best("-c", LISTS, runs=runs)
    yield Row("import roget, score two lists", took, None, "", "s", BARS["lists"])
    imports = find_best("-c", "import numpy", runs=runs)
    yield Row("import roget, score two lists", took, imports, "importing numpy", "s")


def compile_first(folder: Path) -> Rows:
    """Yield the time that each clusterer spends on compiling when it is first used."""
    for name in catalogue.KINDS["clusterers"]:
        cache = folder / f"cache-{name}"
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
        shutil.rmtree(cache, ignore_errors=True)  # An apparent slowdown is measured again.
        cold, warm = (spend(["-c", LEARN, name], env=environment).cpu for _ in range(2))
        yield Row(f"first use of {name}", max(0.0, cold - warm), None, "", "s", BARS["first-use"])


def cases(asked: argparse.Namespace) -> dict[str, Case]:
    """Return all cases by name."""
    runs = 2 if asked.quick else RUNS
    return {
        "neighbours": partial(list_neighbours, asked.folder, runs),
        "lists": partial(score_lists, runs),
        "first-use": partial(compile_first, asked.folder),
    }


if __name__ == "__main__":
    run_script(__file__)
