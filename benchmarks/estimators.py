"""How far the scores of a sample are from those of what it was drawn from, by entropy estimator.

    python benchmarks/estimators.py            # all of it, into docs/data/estimators.json
    python benchmarks/estimators.py --quick    # a few cases and draws, printed only

`python docs/guide.py` makes the tables and figures of docs/guide.md of that file.

A case is a table of probabilities: classes and clusters are matched one to one (the smaller side
repeats), the matches weigh as 1/rank^skew, and a share of the items is in its match. The others
are anywhere, as chance would have them, or near: in one of the two next classes only, so that most
cells of a large table can never be met. Items are drawn from it; the truth of a score is its value
on the probabilities themselves. AMI of probabilities is V: of items without end, random answers
share no information. Its error is therefore that of an estimate of V. Real tables are those of the
six bundled clusterings of nouns, taken as probabilities.

Of each case, number of items and score the file has the mean error (bias), the root mean squared
error (rmse), half the 95 % interval of the latter over the draws, and the error that 95 % of the
draws stay within (reach). Draws in which a score is undefined are left out; their share is told.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import roget
from roget import Contingency, catalogue
from roget.core.store import write_atomic
from roget.core.types import Floats, Ints
from roget.report.format import brief
from roget.scoring import entropy as entropies
from roget.scoring.measures import parse
from roget.scoring.tables.records import Entropies

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docs" / "data" / "estimators.json"
DEMO = ROOT / "src" / "roget" / "data" / "demo"
TRIAL = "an hour; nothing else, docs/data/estimators.json is made by it"
SHAPES = ((3, 3), (4, 10), (10, 10), (10, 100), (50, 50))
SKEWS = (0, 1, 2)
LINKS = ((0.0, "anywhere"), (0.5, "anywhere"), (0.9, "anywhere"), (0.5, "near"), (0.9, "near"))
ITEMS = (10, 30, 100, 300, 1000, 3000, 10_000, 100_000)
DRAWS = 200
SLOW = {"nsb": 4}
"""An estimator that would take most of the time sees one draw in so many."""
MIXED = (("mm", "bub"), ("mm", "cwj"))
"""Estimators of H(C) and H(K), and of H(C,K)."""
AVERAGED = ("bub", "cwj")
"""Estimators whose scores are averaged: one takes too many cells for possible, one too few."""
PLAIN = ("ami", "ari", "b3-f", "one-to-one")
"""Measures that use no entropy estimator."""
STATISTICS = ("bias", "rmse", "half", "reach")
HUGE = 10**12
"""Items of the table that stands for the probabilities, where a measure counts items."""


class Case(NamedTuple):
    """What items are drawn from."""

    classes: int
    clusters: int
    skew: float
    agreement: float
    """The share of items in the cluster that matches their class."""
    others: str
    """Where the other items are: anywhere, or near."""


CASES = [Case(*shape, skew, *link) for shape, skew, link in product(SHAPES, SKEWS, LINKS)]


def make_joint(case: Case) -> Floats:
    """The probability of each class and cluster."""
    at = np.arange(max(case.classes, case.clusters))
    weights = (at + 1.0) ** -case.skew
    weights /= weights.sum()
    rows, columns = at % case.classes, at % case.clusters
    matched = np.zeros((case.classes, case.clusters))
    np.add.at(matched, (rows, columns), weights)
    if case.others == "anywhere":
        others = np.outer(matched.sum(axis=1), matched.sum(axis=0))
    else:
        others = np.zeros_like(matched)
        for step in (1, 2):
            np.add.at(others, ((rows + step) % case.classes, columns), weights / 2)
    return np.asarray(case.agreement * matched + (1 - case.agreement) * others)


Table = tuple[dict[str, Any], Floats]
"""What a table of probabilities is, in words and numbers, and the table."""


def make_tables(cases: Iterable[Case] = CASES) -> list[Table]:
    """The tables of cases."""
    return [(case._asdict(), make_joint(case)) for case in cases]


def read_tables() -> list[Table]:
    """The tables of the bundled clusterings, by their names."""
    with open(DEMO / "gold.tsv", encoding="utf-8") as lines:
        gold = {row["item"]: row["label"] for row in csv.DictReader(lines, delimiter="\t")}
    with open(DEMO / "clusterings.csv", encoding="utf-8") as lines:
        found = {row.pop("item"): row for row in csv.DictReader(lines)}
    tables = []
    for name in next(iter(found.values())):
        clusters = [found[item][name] for item in gold]
        table = roget.contingency([*gold.values()], clusters).table
        joint = np.zeros(table.shape)
        joint[table.rows, table.columns] = table.counts / table.n
        tables.append(({"name": name}, joint))
    return tables


def name_scores() -> list[str]:
    """All scores that are studied, as reports name them."""
    of_entropies = product(("v", "nvi"), catalogue.names("entropies"))
    scores = [f"{measure}@{entropy}" for measure, entropy in of_entropies]
    scores += [f"v@{sides}+{joint}" for sides, joint in MIXED]
    return [*scores, *(f"{measure}@{','.join(AVERAGED)}" for measure in ("v", "nvi")), *PLAIN]


def find_truth(joint: Floats) -> dict[str, float]:
    """The value of each measure on the probabilities."""
    exact = Contingency.from_table(joint)
    truth = {name: exact.measure(name) for name in ("v", "nvi")}
    counted = Contingency.from_table(np.rint(joint * HUGE).astype(np.int64))
    return {**truth, "ami": truth["v"], **{name: counted.measure(name) for name in PLAIN[1:]}}


def tabulate(counts: Ints, shape: tuple[int, int]) -> Contingency:
    """Samples, a row of counts of all cells each, as the groups of one table."""
    classes, clusters = shape
    group, cell = np.nonzero(counts)
    row, column = np.divmod(cell, clusters)
    cells = group * classes + row, group * clusters + column, counts[group, cell]
    return Contingency.from_cells(*cells).by_group(classes)


def score_samples(
    counts: Ints, shape: tuple[int, int], scores: Iterable[str]
) -> Iterator[tuple[str, Floats]]:
    """The value of each score in each sample; of slow estimators in one of so many."""
    tables = {part: tabulate(counts[::part], shape) for part in {1, *SLOW.values()}}
    for score in scores:
        measure, _, entropy = score.partition("@")
        table = tables[SLOW.get(entropy, 1)]
        sides, mixed, joint = entropy.partition("+")
        if "," in entropy:
            each = [table.measure_groups(measure, name) for name in entropy.split(",")]
            yield score, np.mean(each, axis=0)
        elif mixed:
            one, other = (table.entropies(entropies.get(name)) for name in (sides, joint))
            together = Entropies(one.gold, one.system, other.joint)
            yield score, np.asarray(parse(measure).compute(together), dtype=np.float64)
        else:
            yield score, table.measure_groups(measure, entropy or "ml")


def summarise(errors: Floats) -> list[float]:
    """Bias, RMSE, half its 95 % interval (delta method), and what 95 % of the errors are within."""
    known = errors[np.isfinite(errors)]
    if not known.size:
        return [math.nan] * len(STATISTICS)
    squares = known**2
    rmse = math.sqrt(squares.mean())
    spread = 1.96 * float(squares.std()) / math.sqrt(known.size)
    half = spread / (2 * rmse) if rmse else 0.0
    return [float(known.mean()), rmse, half, float(np.quantile(np.abs(known), 0.95))]


def study(
    tables: Sequence[Table],
    items: Sequence[int],
    draws: int,
    seed: int = 0,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Draw from all tables, score the samples, and gather their errors, as plain data."""
    scores = name_scores()
    joints = [joint for _, joint in tables]
    truths = [find_truth(joint) for joint in joints]
    values = np.empty((len(tables), len(scores), len(items), len(STATISTICS)))
    lost = dict.fromkeys(scores, 0.0)
    start = time.process_time()
    # Coefficients of an estimator depend on the number of items: all cases of one after the other.
    for n, number in enumerate(items):
        say(f"{number:,} items ({time.process_time() - start:.0f} CPU s so far)")
        for c, (joint, truth) in enumerate(zip(joints, truths, strict=True)):
            random = np.random.default_rng([seed, c, number])
            counts = random.multinomial(number, joint.ravel(), size=draws)
            for s, (score, found) in enumerate(score_samples(counts, joint.shape, scores)):
                values[c, s, n] = summarise(found - truth[score.partition("@")[0]])
                lost[score] += float(np.isnan(found).mean()) / (len(tables) * len(items))
    say(f"{time.process_time() - start:.0f} CPU s")
    return {
        "draws": draws,
        "slow": SLOW,
        "seed": seed,
        "undefined": {score: brief(share, 2) for score, share in lost.items() if share},
        "statistics": list(STATISTICS),
        "items": list(items),
        "scores": scores,
        "cases": [
            {
                **about,
                "truth": {name: round(value, 6) for name, value in truth.items()},
                "values": [[[brief(v, 3) for v in one] for one in of] for of in errors.tolist()],
            }
            for (about, _), truth, errors in zip(tables, truths, values, strict=True)
        ],
    }


def write(found: dict[str, Any], path: Path) -> None:
    """Write what was found, each case on a line of its own."""
    about = {key: value for key, value in found.items() if key != "cases"}
    head = json.dumps(about, indent=1, ensure_ascii=False)[:-2]
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in found["cases"])
    write_atomic(path, f'{head},\n "cases": [\n{lines}\n]}}\n')


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few cases, printed only")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, default=FILE)
    asked = parser.parse_args()

    def say(text: str) -> None:
        print(f"… {text}", file=sys.stderr, flush=True)

    if not asked.quick:
        tables = [*make_tables(), *read_tables()]
        write(study(tables, ITEMS, asked.draws, asked.seed, say), asked.output)
        return
    few = [case for case in CASES if case.skew == 1 and case.classes == 10]
    tables = [*make_tables(few), *read_tables()[-2:]]
    found = study(tables, (10, 100, 1000), 40, asked.seed, say)
    for case in found["cases"]:
        about = (f"{key} {case[key]}" for key in ("name", *Case._fields) if key in case)
        print(*about, f"V {case['truth']['v']}", sep=", ")
        for score, of in zip(found["scores"], case["values"], strict=True):
            cells = (
                f"{number:>7,}: {bias:+.3f} {rmse:.3f} ±{half:.3f}"
                for number, (bias, rmse, half, _) in zip(found["items"], of, strict=True)
            )
            print(f"  {score:<15}", *cells)


if __name__ == "__main__":
    main()
