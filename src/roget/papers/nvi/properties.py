"""Properties of NVI that are proved in the paper, tested on random tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from roget.core.information import xlogx
from roget.core.types import Array
from roget.papers.nvi.rules import PROPERTIES as RULES
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, uses_options
from roget.papers.rules import decide
from roget.scoring.score import contingency
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.statistics import Statistics

TRIALS, SEEDS = 200, 3
"""Number of random gold standards per seed, and number of seeds."""

CLOSE = 1e-9
"""Tolerance for rounding errors in sums of logarithms."""


class PropertyTrial(NamedTuple):
    """Two clusterings of random items, and a gold standard."""

    classes: Array
    first: Array
    second: Array

    @property
    def tables(self) -> tuple[Statistics, Statistics]:
        """The contingency tables of the classes with each clustering."""
        return contingency(self.classes, self.first), contingency(self.classes, self.second)


def draw(rng: np.random.Generator) -> PropertyTrial:
    """Return a random trial: up to 200 items, and clusterings that range from random to correct."""
    n = int(rng.integers(4, 200))
    classes = rng.integers(0, int(rng.integers(2, 12)), n)
    classes[:2] = 0, 1
    found = []
    for _ in range(2):
        noise = rng.integers(0, int(rng.integers(1, n + 1)), n)
        found.append(np.where(rng.random(n) < rng.random(), classes, noise))
    return PropertyTrial(classes, *found)


def keeps_order(
    trial: PropertyTrial, rng: np.random.Generator, name: str = "nvi", sign: int = 1
) -> bool:
    """Return True if VI and another measure order the two clusterings in the same way.

    Pass sign −1 for measures where higher is better.
    """
    one, two = trial.tables
    by_vi = one.measure("vi") - two.measure("vi")
    by_other = sign * (one.measure(name) - two.measure(name))
    return abs(by_vi) < CLOSE or by_vi * by_other > 0


def separates_at_one(trial: PropertyTrial, rng: np.random.Generator) -> bool:
    """Return True if NVI is below 1 exactly when VI is below H(C), the VI of one big cluster."""
    one = trial.tables[0]
    bar = one.entropies().gold
    better = one.measure("vi") < bar - CLOSE
    worse = one.measure("vi") > bar + CLOSE
    return (not better or 0 <= one.measure("nvi") < 1) and (not worse or one.measure("nvi") > 1)


def is_one_for_one_cluster(trial: PropertyTrial, rng: np.random.Generator) -> bool:
    """Return True if NVI is exactly 1 when all items are in one cluster."""
    return contingency(trial.classes, np.zeros_like(trial.classes)).measure("nvi") == 1.0


def is_zero_for_the_same(trial: PropertyTrial, rng: np.random.Generator) -> bool:
    """Return True if NVI is exactly 0 for clusters that equal the classes up to renaming."""
    renamed = rng.permutation(trial.classes.max() + 1)[trial.classes]
    return contingency(trial.classes, renamed).measure("nvi") == 0.0


def is_known_for_independence(trial: PropertyTrial, rng: np.random.Generator) -> bool:
    """Return True if NVI is 1 + H(K)/H(C) for clusters that are independent of the classes."""
    sizes, times = np.bincount(trial.classes), rng.integers(1, 9, int(rng.integers(1, 9)))
    blind = Contingency.from_table(np.outer(sizes[sizes > 0], times))
    expected = 1 + entropy(times) / entropy(sizes)
    return abs(blind.measure("nvi") - expected) < CLOSE


def is_known_for_singletons(trial: PropertyTrial, rng: np.random.Generator) -> bool:
    """Return True if NVI is H(K|C)/H(C) = (log N − H(C))/H(C) for one cluster per item."""
    n, of_classes = trial.classes.size, entropy(np.bincount(trial.classes))
    alone = contingency(trial.classes, np.arange(n)).measure("nvi")
    return abs(alone - (math.log(n) - of_classes) / of_classes) < CLOSE


def is_convexly_additive(trial: PropertyTrial, rng: np.random.Generator) -> bool:
    """Return True if splitting a class of relative size p gives an NVI of p · H(split) / H(C)."""
    classes = trial.classes
    chosen = classes == rng.choice(classes)
    split = np.where(chosen, classes.max() + 1 + rng.integers(0, 5, classes.size), classes)
    cost = float(chosen.mean()) * entropy(np.unique(split[chosen], return_counts=True)[1])
    expected = cost / entropy(np.bincount(classes))
    return abs(contingency(classes, split).measure("nvi") - expected) < CLOSE


def survives_duplication(
    trial: PropertyTrial, rng: np.random.Generator, name: str = "nvi", times: int | None = None
) -> bool:
    """Return True if a measure is unchanged when every item is repeated, by default 2–5 times."""
    times = times or int(rng.integers(2, 6))
    one = trial.tables[0]
    many = contingency(np.repeat(trial.classes, times), np.repeat(trial.first, times))
    return abs(one.measure(name) - many.measure(name)) < CLOSE


def is_a_metric(trial: PropertyTrial, rng: np.random.Generator) -> bool:
    """Return True if VI is symmetric and satisfies the triangle inequality."""
    one, two = (found.measure("vi") for found in trial.tables)
    between = contingency(trial.first, trial.second).measure("vi")
    back = contingency(trial.first, trial.classes).measure("vi")
    return abs(one - back) < CLOSE and between <= one + two + CLOSE


def is_symmetric(trial: PropertyTrial, rng: np.random.Generator) -> bool:
    """Return True if NVI is the same with classes and clusters exchanged."""
    there, back = trial.tables[0], contingency(trial.first, trial.classes)
    return abs(there.measure("nvi") - back.measure("nvi")) < CLOSE


Law = Callable[[PropertyTrial, np.random.Generator], bool]

HOLD: dict[str, Law] = {
    "NVI and VI order the clusterings of one gold standard equally": keeps_order,
    "better than one cluster by VI: NVI in [0, 1); worse: above 1": separates_at_one,
    "NVI of one cluster is exactly 1": is_one_for_one_cluster,
    "NVI of the classes themselves is 0": is_zero_for_the_same,
    "no knowledge: NVI = 1 + H(K)/H(C)": is_known_for_independence,
    "one cluster per item: NVI = H(K|C)/H(C)": is_known_for_singletons,
    "splitting a class costs P(class)·H(split)/H(C)": is_convexly_additive,
    "repeating every item leaves NVI unchanged": survives_duplication,
    "VI is symmetric and satisfies the triangle inequality": is_a_metric,
}
FAIL: dict[str, Law] = {
    "NVI is symmetric": is_symmetric,
    "repeating every item leaves VI/(2 log N) unchanged": partial(
        survives_duplication, name="vi-logn", times=2
    ),
    "V and VI order clusterings equally": partial(keeps_order, name="v", sign=-1),
    "NVI_K and VI order clusterings equally": partial(keeps_order, name="nvi-k"),
}
"""Properties that, according to the paper, do not hold."""


def entropy(sizes: Array) -> float:
    """Return −Σ p log p, implemented independently of the tested code."""
    return -float(xlogx(sizes / np.sum(sizes)).sum())


def count_held(law: Law, seed: int, trials: int = TRIALS) -> int:
    """Return the number of random trials in which a property holds."""
    return sum(law(trial, rng) for trial, rng in draw_trials(seed, trials))


def draw_trials(seed: int, trials: int) -> Iterator[tuple[PropertyTrial, np.random.Generator]]:
    """Yield random trials, each with a generator for the random choices of a property."""
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        yield draw(rng), rng


@uses_options("random_state")
def properties(options: ReproduceOptions) -> Reproduced:
    """Reproduce Section 4 of Reichart & Rappoport (2009): properties of NVI on random tables."""
    seeds = range(options.random_state, options.random_state + SEEDS)
    claims = []
    for laws, wanted, rule in ((HOLD, "always", "holds"), (FAIL, "not always", "fails")):
        for statement, law in laws.items():
            held = [count_held(law, seed, TRIALS) for seed in seeds]
            right = all((one == TRIALS) == (wanted == "always") for one in held)
            claims.append(
                Claim(
                    RULES[rule], statement, wanted, f"{sum(held)} of {SEEDS * TRIALS}",
                    decided=decide(right),
                )
            )  # fmt: skip
    return Reproduced(
        "Properties of NVI (Reichart & Rappoport 2009, Section 4)",
        about=(
            f"{SEEDS * TRIALS} random gold standards of 4 to 199 items in 2 to 11 classes, each "
            "with two clusterings whose quality ranges from random to nearly correct. Expected "
            "values are computed from class sizes, independently of the measures; the tolerance "
            "is 1e−9."
        ),
        claims=claims,
    )
