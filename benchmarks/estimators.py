"""Measure how far scores of a sample are from the truth, by entropy estimator.

    python benchmarks/estimators.py            # everything, into docs/data/estimators.json
    python benchmarks/estimators.py --quick    # a few cases and samples, printed only

`python docs/guide.py` makes the tables and figures of docs/guide.md from that file.

A case is a table of probabilities of classes and clusters. Classes and clusters are matched one to
one (the smaller set repeats); the probability of a match is proportional to 1/rank^skew, and a
share of the items is in the match of their class. The other items are in any cluster (“anywhere”)
or in one of the two next classes (“near”), so that most cells of a large table have probability 0.
Items are drawn from the table. The truth is the score of the probabilities themselves. The AMI of
probabilities is V, because infinitely many random labels share no information; the error of AMI is
therefore its error as an estimate of V. Real tables come from the six bundled clusterings of
nouns.

For each case, number of items and score, the file has the mean error (bias), the root mean squared
error (rmse), half the width of its 95 % interval over samples, and the error that 95 % of the
samples stay within (reach). Samples with an undefined score are left out, and their share is
recorded.
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
"""A slow estimator is computed for one in this number of samples."""
MIXED = (("mm", "bub"), ("mm", "cwj"))
"""Estimators of H(C) and H(K), and of H(C,K)."""
AVERAGED = ("bub", "cwj")
"""Estimators whose scores are averaged: one assumes too many possible cells, the other too few."""
PLAIN = ("ami", "ari", "b3-f", "one-to-one")
"""Measures that use no entropy estimator."""
STATISTICS = ("bias", "rmse", "half", "reach")
HUGE = 10**12
"""Number of items of the table that stands for the probabilities, for measures that count items."""


class Case(NamedTuple):
    """Parameters of a table of probabilities."""

    classes: int
    clusters: int
    skew: float
    agreement: float
    """Share of the items in the cluster that matches their class."""
    others: str
    """Where the other items are: anywhere or near."""


CASES = [Case(*shape, skew, *link) for shape, skew, link in product(SHAPES, SKEWS, LINKS)]


def make_joint(case: Case) -> Floats:
    """Return the probability of each class and cluster."""
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
"""Description and parameters of a table of probabilities, and the table."""


def make_tables(cases: Iterable[Case] = CASES) -> list[Table]:
    """Return the tables of the cases."""
    return [(case._asdict(), make_joint(case)) for case in cases]


def read_tables() -> list[Table]:
    """Return the tables of the bundled clusterings by name."""
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
    """Return the names of all scores that are studied."""
    of_entropies = product(("v", "nvi"), catalogue.names("entropies"))
    scores = [f"{measure}@{entropy}" for measure, entropy in of_entropies]
    scores += [f"v@{sides}+{joint}" for sides, joint in MIXED]
    return [*scores, *(f"{measure}@{','.join(AVERAGED)}" for measure in ("v", "nvi")), *PLAIN]


def find_truth(joint: Floats) -> dict[str, float]:
    """Return the value of each measure on the probabilities."""
    exact = Contingency.from_table(joint)
    truth = {name: exact.measure(name) for name in ("v", "nvi")}
    counted = Contingency.from_table(np.rint(joint * HUGE).astype(np.int64))
    return {**truth, "ami": truth["v"], **{name: counted.measure(name) for name in PLAIN[1:]}}


def tabulate(counts: Ints, shape: tuple[int, int]) -> Contingency:
    """Return samples as the groups of one table. Each row of counts is a sample."""
    classes, clusters = shape
    group, cell = np.nonzero(counts)
    row, column = np.divmod(cell, clusters)
    cells = group * classes + row, group * clusters + column, counts[group, cell]
    return Contingency.from_cells(*cells).by_group(classes)


def score_samples(
    counts: Ints, shape: tuple[int, int], scores: Iterable[str]
) -> Iterator[tuple[str, Floats]]:
    """Return the value of each score in each sample, for slow estimators only in some."""
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
    """Return bias, RMSE, half the width of its 95 % interval (delta method), and the 95 % error
    bound.
    """
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
    """Draw samples from all tables, score them, and return the summarised errors."""
    scores = name_scores()
    joints = [joint for _, joint in tables]
    truths = [find_truth(joint) for joint in joints]
    values = np.empty((len(tables), len(scores), len(items), len(STATISTICS)))
    lost = dict.fromkeys(scores, 0.0)
    start = time.process_time()
    # Cases with the same number of items share the coefficients of an estimator.
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
    """Write the results, one case per line."""
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
