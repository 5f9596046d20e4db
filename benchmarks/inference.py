"""Measure how often intervals cover the truth, and how often tests find false differences.

    python benchmarks/inference.py            # all simulations, printed
    python benchmarks/inference.py --docs     # the same, into docs/inference.md
    python benchmarks/inference.py --quick    # 20 trials of each simulation, printed

Items are drawn from known tables, groups from large pools of simulated groups. Intervals should
cover the true score in 95 % of the trials, and p < .05 should occur in at most 5 % of the trials in
which two systems are equally good.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import roget
from roget.core.store import write_atomic
from roget.scoring.inputs import read_sides
from roget.scoring.measures.base import average_groups, evaluate, list_requests
from roget.scoring.options import PipelineOptions
from roget.scoring.steps.bootstrap import (
    GroupResampler,
    ItemResampler,
    Resampler,
    jackknife_groups,
    resample_groups,
)
from roget.scoring.steps.intervals import Jackknife, interval_bounds
from roget.scoring.steps.significance import (
    bootstrap_p,
    contribution_p,
    difference_bounds,
    holm,
    permutation_p,
    subtract_systems,
)

Numbers = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

TRIAL = "half an hour; nothing else, the tables of docs/inference.md are made by it"
PAGE = Path(__file__).resolve().parent.parent / "docs" / "inference.md"
BLOCK = re.compile(r"(<!-- simulated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)

MEASURES = ("ami", "v", "ari", "homogeneity", "completeness", "b3-f", "one-to-one")
REQUESTS = list_requests(MEASURES, ("ml", "jk"))
COREFERENCE = list_requests(("muc", "b3-f", "ceaf-e", "conll"), ("ml",))
SHORT = {"homogeneity": "hom", "completeness": "com", "one-to-one": "1-1"}
DRAWS = 300
"""Number of bootstrap samples and of random permutations."""
LEVEL = 0.05
ITEMS = (20, 50, 200)
GROUPS = (4, 6, 10, 20, 50)
DOCUMENTS = (4, 6, 10, 20)


class Population(NamedTuple):
    """A table of probabilities: each class mostly in its own clusters, the rest anywhere."""

    classes: int
    clusters: int
    noise: float
    skew: float = 0.5

    @property
    def confusion(self) -> Numbers:
        """The probability of each cluster in each class."""
        own = np.zeros((self.classes, self.clusters))
        for k in range(max(self.classes, self.clusters)):
            own[k % self.classes, k % self.clusters] = 1
        own /= own.sum(axis=1, keepdims=True)
        return (1 - self.noise) * own + self.noise / self.clusters

    @property
    def sizes(self) -> Numbers:
        """The probability of each class."""
        sizes = np.arange(1, self.classes + 1) ** -self.skew
        return np.asarray(sizes / sizes.sum())

    def draw(self, random: np.random.Generator, gold: Labels) -> Labels:
        """Draw a cluster for each item."""
        upper = np.cumsum(self.confusion, axis=1)[gold]
        found = (random.random(gold.size)[:, None] > upper).sum(axis=1)
        return np.minimum(found, self.clusters - 1).astype(np.int64)

    @property
    def truth(self) -> Numbers:
        """The scores of the table itself."""
        counts = np.rint(self.sizes[:, None] * self.confusion * 10**9).astype(np.int64)
        table = roget.Contingency.from_table(counts)
        plain = [(measure, entropy and "ml") for measure, entropy in REQUESTS]
        return np.array([evaluate(table, request)[0][0] for request in plain])


POPULATIONS = {
    "good": Population(5, 5, 0.1),
    "good, classes split": Population(5, 8, 0.1),
    "medium": Population(5, 8, 0.4),
    "medium, skewed": Population(10, 6, 0.4, 1.0),
    "knows nothing": Population(5, 8, 1.0),
    "knows nothing, 2 classes": Population(2, 2, 1.0),
    "20 × 20, good": Population(20, 20, 0.1),
    "20 × 20, medium": Population(20, 20, 0.5),
    "20 × 20, knows nothing": Population(20, 20, 1.0),
}


class Judged(NamedTuple):
    """The jackknife and bootstrap samples of two systems in one trial."""

    scores: Numbers
    jackknife: Jackknife
    drawn: Numbers

    @classmethod
    def from_resampler(cls, resampler: Resampler, draws: int, seed: int) -> Judged:
        """Score and resample all systems of a resampler."""
        scores = next(iter(resampler.score([resampler.counts])))[0]
        drawn = resampler.bootstrap(draws, seed, scores, lambda done: None)
        return cls(scores, resampler.jackknife(seed), drawn)

    @property
    def difference(self) -> Numbers:
        """The differences between the first two systems."""
        return np.asarray(self.scores[0] - self.scores[1])

    @property
    def difference_ends(self) -> tuple[Numbers, Numbers]:
        """The intervals of the differences between the first two systems."""
        first = np.array([[0, 1]])
        ends = [
            np.concatenate(
                difference_bounds(self.scores[:, r], self.jackknife, first, r, REQUESTS[r])
            )
            for r in range(len(REQUESTS))
        ]
        low, high = np.array(ends).T
        return low, high

    def permute(self, seed: int, a: int = 0, b: int = 1) -> Numbers:
        """Return p of the permutation test for each score."""
        p = []
        for r in range(self.scores.shape[1]):
            left = subtract_systems(self.jackknife, np.array([a]), np.array([b]), r)
            p.append(contribution_p(self.scores[[a], r] - self.scores[[b], r], left, DRAWS, seed))
        return np.concatenate(p)


def judge_items(gold: Labels, systems: Sequence[Labels], draws: int, seed: int) -> Judged:
    """Score two systems on items, and resample the items."""
    sides = [read_sides(gold, system, PipelineOptions()) for system in systems]
    return Judged.from_resampler(ItemResampler(sides, REQUESTS), draws, seed)


class Tally:
    """Counts of trials in which something happened, for each score."""

    def __init__(self) -> None:
        self.hits: dict[str, Numbers] = {}
        self.trials: dict[str, Numbers] = {}

    def add(
        self, name: str, happened: npt.NDArray[np.bool_], counted: npt.NDArray[np.bool_]
    ) -> None:
        """Add one trial. Scores without a result are not counted."""
        zero = np.zeros(happened.size)
        self.hits[name] = self.hits.get(name, zero) + (happened & counted)
        self.trials[name] = self.trials.get(name, zero) + counted

    def cover(self, name: str, ends: tuple[Numbers, Numbers], truth: Numbers) -> None:
        """Add one trial: does the interval contain the truth?"""
        low, high = ends
        self.add(name, (low <= truth + 1e-9) & (truth - 1e-9 <= high), ~np.isnan(low))

    def reject(self, name: str, p: Numbers) -> None:
        """Add one trial: is p below .05? A test without p finds no difference."""
        self.add(name, p < LEVEL, np.ones(p.size, dtype=bool))

    def shares(self, name: str) -> Numbers:
        """Return the share of the trials in which it happened."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.hits[name] / self.trials[name])


Row = tuple[Sequence[str | int], Numbers]


def simulate_items(trials: int, few: int) -> Iterator[tuple[str, Row]]:
    """Yield the coverage of intervals over items and the level of the tests, as rows."""
    old: dict[tuple[str, int], list[Numbers]] = {}
    for size in ITEMS:
        for name, population in POPULATIONS.items():
            truth, covered, rejected = population.truth, Tally(), Tally()
            for trial in range(trials):
                random = np.random.default_rng([size, trial])
                gold = random.choice(population.classes, size, p=population.sizes)
                systems = [population.draw(random, gold) for _ in range(2)]
                draws = DRAWS if trial < few else 0
                judged = judge_items(gold, systems, draws, trial)
                scores, left, drawn = judged
                ends = interval_bounds("jackknife", scores, drawn, left, REQUESTS)
                covered.cover("jackknife", (ends[0][0], ends[1][0]), truth)
                rejected.reject("permutation", judged.permute(trial))
                if draws:
                    for method in ("bca", "percentile"):
                        ends = interval_bounds(method, scores, drawn, left)
                        covered.cover(method, (ends[0][0], ends[1][0]), truth)
                    rejected.reject(
                        "bootstrap", bootstrap_p(judged.difference, drawn[:, 0] - drawn[:, 1])
                    )
            yield "items-coverage", ((name, size), covered.shares("jackknife"))
            yield "items-level", ((name, size), rejected.shares("permutation"))
            for method in ("bca", "percentile"):
                old.setdefault((method, size), []).append(covered.shares(method))
            old.setdefault(("bootstrap", size), []).append(rejected.shares("bootstrap"))
        yield from _simulate_pairs(size, trials)
    for (method, size), shares in old.items():
        table = "items-old-level" if method == "bootstrap" else "items-old-coverage"
        yield table, ((method, size), np.mean(shares, axis=0))


def _simulate_pairs(size: int, trials: int) -> Iterator[tuple[str, Row]]:
    """Yield the level of the permutation test for other pairs of equally good systems."""
    medium, many, some = POPULATIONS["medium"], Population(5, 12, 1.0), Population(5, 3, 1.0)
    near, unlike = Tally(), Tally()
    for trial in range(trials):
        random = np.random.default_rng([size, trial, 1])
        gold = random.choice(medium.classes, size, p=medium.sizes)
        one = medium.draw(random, gold)
        other = np.where(random.random(size) < 0.9, one, medium.draw(random, gold))
        near.reject("permutation", judge_items(gold, [one, other], 0, trial).permute(trial))
        pair = [many.draw(random, gold), some.draw(random, gold)]
        unlike.reject("permutation", judge_items(gold, pair, 0, trial).permute(trial))
    yield "items-level", (("90 % equal labels", size), near.shares("permutation"))
    # B-cubed and one-to-one of two random clusterings differ truly if the numbers of clusters do.
    differ = np.array([measure.name in ("b3-f", "one-to-one") for measure, _ in REQUESTS])
    shares = np.where(differ, np.nan, unlike.shares("permutation"))
    yield "items-level", (("know nothing, 12 and 3 clusters", size), shares)


DIFFERENCES = (
    ("good", "good"),
    ("good", "medium"),
    ("medium", "knows nothing"),
    ("20 × 20, good", "20 × 20, medium"),
    ("20 × 20, medium", "20 × 20, knows nothing"),
)


def simulate_differences(trials: int) -> Iterator[tuple[str, Row]]:
    """Yield the coverage of the intervals of differences between two systems on the same items."""
    for size, names in product(ITEMS, DIFFERENCES):
        one, other = (POPULATIONS[name] for name in names)
        covered = Tally()
        for trial in range(trials):
            random = np.random.default_rng([size, trial, 2])
            gold = random.choice(one.classes, size, p=one.sizes)
            judged = judge_items(gold, [one.draw(random, gold), other.draw(random, gold)], 0, trial)
            covered.cover("difference", judged.difference_ends, one.truth - other.truth)
        name = f"{names[0]} − {names[1].removeprefix('20 × 20, ')}"
        yield "items-differences", ((name, size), covered.shares("difference"))


POOLS = {
    "medium": (4.0, 4.0),
    "good": (8.0, 1.0),
    "good or bad": (0.5, 0.5),
    "poor": (1.0, 5.0),
    "know nothing": None,
}
"""The parameters of the beta distribution of the share of items that a system knows in a group."""


def make_pool(quality: tuple[float, float] | None, seed: int) -> tuple[Numbers, Numbers]:
    """Return the sizes of 4,000 groups, and the scores (systems, scores, groups) of two systems."""
    random = np.random.default_rng(seed)
    count, classes, clusters = 4000, 4, 5
    sizes = np.maximum(4, np.rint(np.exp(random.normal(np.log(30), 0.8, count)))).astype(np.int64)
    group = np.repeat(np.arange(count), sizes)
    upper = np.cumsum(random.dirichlet(np.ones(classes), count), axis=1)[group]
    gold = np.minimum((random.random(group.size)[:, None] > upper).sum(axis=1), classes - 1)
    share = np.zeros(count) if quality is None else random.beta(*quality, count)
    values = []
    for _ in range(2):
        known = np.clip(share + (0 if quality is None else random.normal(0, 0.1, count)), 0, 1)
        found = random.integers(0, clusters, group.size)
        found = np.where(random.random(group.size) < known[group], gold, found)
        cells, counts = np.unique((group * classes + gold) * clusters + found, return_counts=True)
        rows, columns = cells // clusters, cells // (classes * clusters) * clusters
        table = roget.Contingency.from_cells(rows, columns + cells % clusters, counts)
        values.append([evaluate(table.by_group(classes), request)[0] for request in REQUESTS])
    return sizes.astype(np.float64), np.array(values)


def simulate_groups(trials: int, few: int) -> Iterator[tuple[str, Row]]:
    """Yield the coverage of intervals over groups and the level of the tests, as rows."""
    old: dict[tuple[str, int], list[Numbers]] = {}
    for name, quality in POOLS.items():
        sizes, values = make_pool(quality, 1)
        for average in ("weighted", "unweighted"):
            weights = sizes if average == "weighted" else np.ones_like(sizes)
            truth = average_groups(values, weights).mean(axis=0)
            for count in GROUPS:
                covered, rejected = Tally(), Tally()
                for trial in range(trials):
                    random = np.random.default_rng([count, trial])
                    at = random.integers(0, sizes.size, count)
                    own, w = values[:, :, at], weights[at]
                    # Exchange the systems at random, so neither is better in the whole pool.
                    swap = random.integers(0, 2, count).astype(bool)
                    own = np.where(swap, own[::-1], own)
                    means, left = average_groups(own, w), jackknife_groups(own, w)
                    drawn = resample_groups(own, w, DRAWS if trial < few else 0, trial)
                    low, high = interval_bounds("jackknife", means, drawn, left, REQUESTS)
                    covered.cover("jackknife", (low[0], high[0]), truth)
                    rejected.reject("permutation", permutation_p(own[0] - own[1], w, DRAWS, trial))
                    if trial < few:
                        low, high = interval_bounds("bca", means, drawn, left)
                        covered.cover("bca", (low[0], high[0]), truth)
                        p = bootstrap_p(means[0] - means[1], drawn[:, 0] - drawn[:, 1])
                        rejected.reject("bootstrap", p)
                label = f"{name}, {average}"
                yield "groups-coverage", ((label, count), covered.shares("jackknife"))
                yield "groups-level", ((label, count), rejected.shares("permutation"))
                old.setdefault(("bca", count), []).append(covered.shares("bca"))
                old.setdefault(("bootstrap", count), []).append(rejected.shares("bootstrap"))
    for (method, count), shares in old.items():
        table = "groups-old-level" if method == "bootstrap" else "groups-old-coverage"
        yield table, ((method, count), np.mean(shares, axis=0))


Mentions = dict[tuple[str, str], str]


def make_documents(count: int, noise: float, seed: Sequence[int]) -> tuple[Mentions, ...]:
    """Return gold entities and two systems that lose, add and move mentions at random."""
    random = np.random.default_rng(seed)
    sides: tuple[Mentions, ...] = ({}, {}, {})
    for document in range(count):
        entities = np.repeat(np.arange(8), random.geometric(0.35, 8))
        hard = np.clip(noise * random.gamma(2.0, 0.5), 0, 1)
        for mention, entity in enumerate(entities.tolist()):
            key = f"d{document}", f"m{mention}"
            sides[0][key] = f"e{entity}"
            for system in sides[1:]:
                if random.random() < hard / 3:
                    continue
                wrong = random.random() < hard
                system[key] = f"e{random.integers(12) if wrong else entity}"
        for system in sides[1:]:
            for extra in range(random.poisson(len(entities) * hard / 3)):
                system[f"d{document}", f"x{extra}"] = f"e{random.integers(12)}"
    return sides


RULES = {"average": "pooled", "missing": "unmatched", "extra": "unmatched"}


def simulate_documents(trials: int) -> Iterator[tuple[str, Row]]:
    """Yield coverage and level for coreference scores, pooled over documents."""
    for name, noise in (("good", 0.15), ("poor", 0.6)):
        gold, system, _ = make_documents(3000, noise, [99])
        table = roget.score(gold, system, [m for m, _ in COREFERENCE], baselines=False, **RULES)
        truth = np.array([row.value for row in table.rows])
        for count in DOCUMENTS:
            covered, rejected = Tally(), Tally()
            for trial in range(trials):
                gold, *systems = make_documents(count, noise, [count, trial])
                options = PipelineOptions(missing="unmatched", extra="unmatched")
                sides = [read_sides(gold, system, options) for system in systems]
                judged = Judged.from_resampler(GroupResampler(sides, COREFERENCE), 0, trial)
                scores, left, drawn = judged
                low, high = interval_bounds("jackknife", scores, drawn, left, COREFERENCE)
                covered.cover("jackknife", (low[0], high[0]), truth)
                rejected.reject("permutation", judged.permute(trial))
            yield "documents-coverage", ((name, count), covered.shares("jackknife"))
            yield "documents-level", ((name, count), rejected.shares("permutation"))


def simulate_families(trials: int) -> Iterator[tuple[str, Row]]:
    """Yield the share of comparisons of equal systems in which any pair differs after Holm."""
    population = POPULATIONS["medium"]
    _, values = make_pool(POOLS["medium"], 2)
    for count in (2, 11, 17, 40):
        both = list(combinations(range(count), 2))
        a, b = np.array(both).T
        found = {("20 groups", count): Tally(), ("50 items", count): Tally()}
        for trial in range(trials):
            random = np.random.default_rng([count, trial])
            own = values[0][:, random.integers(0, values.shape[-1], (count, 20))]
            p = [permutation_p(one[a] - one[b], np.ones(20), DRAWS, trial) for one in own]
            found["20 groups", count].reject("any", np.array([np.min(holm(x)) for x in p]))
            if count == 40 and trial >= max(10, trials // 4):
                continue  # 780 pairs of items take seconds
            gold = random.choice(population.classes, 50, p=population.sizes)
            judged = judge_items(gold, [population.draw(random, gold) for _ in range(count)], 0, 0)
            p = np.array([judged.permute(trial, i, j) for i, j in both]).T
            found["50 items", count].reject("any", np.array([np.min(holm(x)) for x in p]))
        for (data, systems), tally in found.items():
            yield "families", ((data, systems), tally.shares("any"))


def name_scores(table: str) -> list[str]:
    """Return the column titles of a table."""
    requests = COREFERENCE if table.startswith("documents") else REQUESTS
    names = []
    for measure, entropy in requests:
        name = SHORT.get(measure.name, measure.name)
        names.append(name if len(requests) < 5 or entropy is None else f"{name} {entropy}")
    return names


def write_table(table: str, rows: Sequence[Row]) -> str:
    """Return a table in Markdown. The number of items, groups or systems is the second column."""
    unit = {"families": "systems", "items": "items", "groups": "groups", "documents": "documents"}
    kind = "method" if "-old-" in table else "data" if table == "families" else "systems"
    titles = [kind, unit[table.partition("-")[0]], *name_scores(table)]
    lines = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for keys, shares in rows:
        cells = ["–" if np.isnan(x) else f"{x:.2f}".lstrip("0") for x in shares.tolist()]
        lines.append("| " + " | ".join([*map(str, keys), *cells]) + " |")
    return "\n".join(lines) + "\n"


PARTS: dict[str, Callable[[int], Iterator[tuple[str, Row]]]] = {
    "groups": lambda trials: simulate_groups(trials, trials // 6),
    "items": lambda trials: simulate_items(trials, trials // 6),
    "differences": simulate_differences,
    "documents": lambda trials: simulate_documents(trials // 2),
    "families": lambda trials: simulate_families(trials // 2),
}


def simulate(trials: int, parts: Sequence[str], say: Callable[[str], None]) -> dict[str, list[Row]]:
    """Run some simulations, and return the rows of each table."""
    tables: dict[str, list[Row]] = {}
    start = time.process_time()
    for part in parts:
        for table, row in PARTS[part](trials):
            tables.setdefault(table, []).append(row)
        say(f"{part}: {time.process_time() - start:.0f} CPU s")
    return tables


def fill_page(text: str, tables: dict[str, list[Row]]) -> str:
    """Return the page with the simulated tables replaced."""

    def fill(block: re.Match[str]) -> str:
        name = block[2]
        return (
            f"{block[1]}{write_table(name, tables[name])}{block[3]}" if name in tables else block[0]
        )

    return BLOCK.sub(fill, text)


def main() -> None:
    """Run the simulations, and print the tables or write them into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="20 trials of each simulation")
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--only", choices=list(PARTS), action="append", help="some simulations")
    parser.add_argument("--docs", action="store_true", help=f"write {PAGE.name}")
    chosen = parser.parse_args()

    def say(text: str) -> None:
        print(f"… {text}", file=sys.stderr, flush=True)

    tables = simulate(20 if chosen.quick else chosen.trials, chosen.only or list(PARTS), say)
    if chosen.docs:
        write_atomic(PAGE, fill_page(PAGE.read_text(encoding="utf-8"), tables))
    for table, rows in tables.items():
        print(f"{table}\n\n{write_table(table, rows)}")


if __name__ == "__main__":
    main()
