"""Compare scores of random tables with naive implementations: `make differential`."""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import roget
from roget import Undefined

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from campaigns.differential import exact
from campaigns.record import record

twins: Any = importlib.import_module("twins")

TOLERANCE = 1e-9
"""Largest difference, relative to max(1, |expected value|)."""

GREEDY = ("greedy-one-to-one", "meila-heckerman")
"""Measures that depend on the order of equal cells."""

Check = tuple[str, Any, Any]
"""The name of a score, its expected value and its value. None is an undefined value."""


def main() -> int:
    """Run the comparisons; return 1 if any difference exceeds the tolerance."""
    parser = argparse.ArgumentParser(prog="make differential", description=__doc__)
    parser.add_argument("--comparisons", type=int, default=100_000, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", action="append", choices=list(KINDS), help="some kinds of tables")
    parser.add_argument("--docs", action="store_true", help="write the record into the page")
    options = parser.parse_args()
    random, began = np.random.default_rng(options.seed), time.monotonic()
    kinds = {name: KINDS[name] for name in options.only or KINDS}
    counts: Counter[tuple[str, str]] = Counter()
    worst: dict[tuple[str, str], float] = defaultdict(float)
    wrong: list[str] = []
    while counts.total() < options.comparisons:
        for kind, make in kinds.items():
            for name, expected, found in make(random):
                counts[kind, name] += 1
                difference = measure_difference(expected, found)
                worst[kind, name] = max(worst[kind, name], difference)
                if difference > TOLERANCE:
                    wrong.append(f"{kind}: {name}: expected {expected!r}, found {found!r}")
    rows = []
    for kind in kinds:
        own = {name: number for (where, name), number in counts.items() if where == kind}
        largest = max(own, key=lambda name: worst[kind, name])
        rows.append((kind, sum(own.values()), len(own), f"{worst[kind, largest]:.1g}", largest))
    for kind, number, scores, largest, name in rows:
        print(
            f"{kind}: {number:,} values of {scores} scores, largest difference {largest} ({name})"
        )
    print(f"{counts.total():,} comparisons in {time.monotonic() - began:.0f} s: ", end="")
    print(f"{len(wrong)} WRONG" if wrong else "no difference beyond the tolerance")
    print("".join(f"{line}\n" for line in wrong[:20]), end="")
    if options.docs and not wrong:
        told = (
            f"{counts.total():,} values were compared; differences are relative to max(1, |value|)."
        )
        columns = ("tables", "values", "scores", "largest difference", "score")
        record("differential", columns, rows, told=told, seed=options.seed, page_of="reliability")
    return 1 if wrong else 0


def measure_difference(expected: Any, found: Any) -> float:
    """Return the difference relative to max(1, |expected|), infinite if only one is defined."""
    if expected is None or found is None:
        return 0.0 if expected is found else math.inf
    if math.isnan(expected) or math.isnan(found):
        return math.inf
    return abs(float(found) - float(expected)) / max(1.0, abs(float(expected)))


def value_of(compute: Callable[[], Any]) -> Any:
    """Return a score, or None if it is undefined."""
    try:
        return compute()
    except Undefined:
        return None


def compare_labels(random: np.random.Generator) -> Iterator[Check]:
    """Compare all measures on up to 24 items."""
    n = int(random.integers(1, 25))
    gold, system = (random.integers(0, random.integers(1, 8), n).tolist() for _ in "ab")
    if random.random() < 0.3:
        system = [
            one if random.random() < 0.8 else other for one, other in zip(gold, system, strict=True)
        ]
    table = roget.contingency(gold, system)
    cells = Counter(zip(gold, system, strict=True)).values()
    tied = len(set(cells)) < len(cells)
    for name, twin in twins.TWINS.items():
        if not (tied and name in GREEDY):
            yield name, twin(gold, system), value_of(partial(table.measure, name))


def compare_entropies(random: np.random.Generator) -> Iterator[Check]:
    """Compare information measures with bias-corrected entropies, in tables of some 50 items."""
    counts = random.poisson(random.gamma(0.5, 4), (random.integers(1, 7), random.integers(1, 7)))
    counts[0, 0] += 1
    table = roget.Contingency.from_table(counts.astype(np.int64))
    for estimator in exact.ESTIMATORS:
        sides = [counts.sum(axis=1), counts.sum(axis=0), counts.ravel()]
        first, second, joint = (exact.entropy(side[side > 0].tolist(), estimator) for side in sides)
        for name, formula in exact.FORMULAS.items():
            expected = formula(first, second, joint)
            if expected is not None:
                found = value_of(partial(table.measure, name, entropy=estimator))
                yield f"{name}@{estimator}", expected, found


def compare_large(random: np.random.Generator) -> Iterator[Check]:
    """Compare measures on tables with up to 10^12 items, in exact arithmetic."""
    shape = int(random.integers(1, 6)), int(random.integers(1, 6))
    most = 10 ** random.uniform(0, 12)
    counts = np.rint(most * random.dirichlet(np.full(shape[0] * shape[1], 0.3))).astype(np.int64)
    counts = counts.reshape(shape)
    counts[0, 0] += 1
    table = roget.Contingency.from_table(counts)
    for name, formula in exact.TABLE_FORMULAS.items():
        expected = formula([[int(x) for x in row] for row in counts.tolist()])
        if expected is not None:
            yield name, expected, value_of(partial(table.measure, name))


def compare_covers(random: np.random.Generator) -> Iterator[Check]:
    """Compare measures of overlapping clusters, on up to 8 items."""
    n = int(random.integers(2, 9))
    sides = []
    for _ in "ab":
        width = int(random.integers(1, 4))
        member = random.random((n, width)) < 0.5
        member[np.arange(n), random.integers(0, width, n)] = True
        sides.append([dict.fromkeys(np.flatnonzero(row).tolist(), 1.0) for row in member])
    gold, system = ([[str(k) for k in one] for one in side] for side in sides)
    named = [{str(i): one for i, one in enumerate(side)} for side in (gold, system)]
    names = [name for name in twins.COVER_TWINS if not name.startswith(("element", "fuzzy"))]
    gold_sets, system_sets = named
    table = roget.score(gold_sets, system_sets, names, several="cover", baselines=False)
    for row in table.rows:
        yield row.measure, twins.COVER_TWINS[row.measure](*sides), row.value


def compare_weights(random: np.random.Generator) -> Iterator[Check]:
    """Compare measures of items with weights, which count as repeated items."""
    n = int(random.integers(1, 12))
    gold, system = (random.integers(0, 4, n) for _ in "ab")
    times = random.integers(1, 6, n)
    cells = roget.Contingency.from_cells(gold, system, times)
    one, other = (np.repeat(labels, times).tolist() for labels in (gold, system))
    for name in exact.INVARIANT:
        yield name, twins.TWINS[name](one, other), value_of(partial(cells.measure, name))


KINDS: dict[str, Callable[[np.random.Generator], Iterator[Check]]] = {
    "items": compare_labels,
    "corrected entropies": compare_entropies,
    "large tables": compare_large,
    "overlapping clusters": compare_covers,
    "weights": compare_weights,
}


if __name__ == "__main__":
    sys.exit(main())
