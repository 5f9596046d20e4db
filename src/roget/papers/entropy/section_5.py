"""Section 5: size of the corrections to each entropy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np

from roget.papers.entropy.rules import SECTION_5 as RULES
from roget.papers.entropy.semeval import (
    ESTIMATORS,
    TABLE_1,
    ScoredAnswer,
    find_task,
    read_key,
    score_task,
)
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, uses_options
from roget.papers.rules import decide
from roget.report import ReportTable
from roget.scoring.score import contingency

Corrections: TypeAlias = Mapping[tuple[str, str], float]
"""Differences from the plug-in entropies, keyed by (estimator, entropy)."""

N_SYSTEMS = 5
"""Number of systems to compare.

These are the systems with the most clusters, excluding baselines.
"""

BASELINES = ("1ClI", "MFS", "Random")
SIDES = ("H(c)", "H(k)", "H(k,c)")

PRINTED = {
    ("jk", "H(k)"): 0.08,
    ("jk", "H(k,c)"): 0.16,
    ("bub", "H(k)"): 0.15,
    ("bub", "H(k,c)"): 0.06,
}
SMALL = 0.02
"""Maximum correction of H(c) according to the paper."""


SEEDS = 5
"""Number of random clusterings that replace a missing system."""

NEAR = 0.03
"""Tolerance for averages in which random clusters replace missing systems."""


@uses_options("random_state")
def section_5(options: ReproduceOptions) -> Reproduced:
    """Reproduce Section 5 of Li, Titov & Sporleder (2014): the corrections of each entropy."""
    folder = find_task(options)
    rows = score_task(folder)
    wanted = rank_clusters(TABLE_1)
    missing = [name for name in wanted if name not in rows]
    keys = list(product(ESTIMATORS[1:], SIDES))
    corrected = {
        name: {key: correct(rows[name].entropies, *key) for key in keys}
        for name in rows
        if name not in BASELINES
    }
    random = {
        name: draw_corrections(folder, TABLE_1[name].clusters, options.random_state)
        for name in missing
    }
    five = [random.get(name) or corrected[name] for name in wanted]
    means = {key: fmean(one[key] for one in five) for key in keys}
    shown = list(product(ESTIMATORS[1:], SIDES[1:]))
    titles = ("difference to ml in nats", "clusters", *map(": ".join, shown))
    every = {**{f"random for {name}": found for name, found in random.items()}, **corrected}
    lines = [
        (name, f"{TABLE_1[name.removeprefix('random for ')].clusters:.1f}",
         *(f"{found[key]:+.3f}" for key in shown))
        for name, found in every.items()
    ]  # fmt: skip
    return Reproduced(
        "Which entropies are corrected most (Li, Titov & Sporleder 2014, Section 5)",
        about=(
            f"SemEval-2010 task 14, the {N_SYSTEMS} systems with the most clusters per word: "
            f"{', '.join(wanted)}. The output of {', '.join(missing)} is not available; each is "
            "replaced by random clusters, whose number is the printed average per word. The "
            "table shows differences of entropies between two estimators in nats, averaged over "
            "words like V."
        ),
        claims=judge(corrected, means, wanted),
        tables=[ReportTable.of(titles, lines, numbers=titles[1:])],
        data={
            name: {" ".join(key): value for key, value in found.items()}
            for name, found in every.items()
        },
    )


def judge(
    corrected: Mapping[str, Corrections], means: Corrections, wanted: Sequence[str]
) -> list[Claim]:
    """Test the section's statements about the size of the corrections."""
    gold = next(iter(corrected.values()))
    swapped = PRINTED["bub", "H(k,c)"], PRINTED["bub", "H(k)"]
    near = ", ".join(f"{means['bub', side]:.2f}" for side in SIDES[1:])
    claims = []
    for (estimator, side), value in PRINTED.items():
        reason = "random clusters replace three of the five systems"
        if estimator == "bub":
            reason = (
                f"the printed pair is probably exchanged: ours are {near}, exchanged it is "
                f"{swapped[0]}, {swapped[1]}"
            )
        claims.append(
            Claim(RULES["difference"], f"{side}: {estimator} − ml", value, means[estimator, side],
                  2, within=NEAR, reason=reason)
        )  # fmt: skip
    claims += [
        Claim(
            RULES["gold"], f"H(c): {estimator} − ml", f"< {SMALL}",
            f"{gold[estimator, 'H(c)']:.4f}", decided=decide(gold[estimator, "H(c)"] < SMALL),
        )
        for estimator in ("jk", "bub")
    ]  # fmt: skip
    for estimator in ("jk", "bub"):
        more = [found[estimator, "H(k,c)"] > found[estimator, "H(k)"]
                for found in corrected.values()]  # fmt: skip
        claims.append(
            Claim(
                RULES["joint"], f"H(k,c) corrected more than H(k), {estimator}", "yes",
                f"{sum(more)} of {len(more)} systems", decided=decide(all(more)),
            )
        )  # fmt: skip
    return [*claims, _judge_fall(wanted)]


def _judge_fall(wanted: Sequence[str]) -> Claim:
    """Compare the printed BUB corrections with the printed change of V from ML to BUB."""
    own, joint = PRINTED["bub", "H(k)"], PRINTED["bub", "H(k,c)"]
    change = [(TABLE_1[name].v[3] - TABLE_1[name].v[0]) / 100 for name in wanted]
    least, most = own - joint, own - joint + SMALL
    return Claim(
        RULES["fall"],
        "mutual information and V, ml to bub",
        f"V changes by {fmean(change):+.3f}",
        f"H(k) + H(c) − H(k,c) by {least:+.2f} to {most:+.2f}",
        decided=decide(least * fmean(change) > 0),
        reason=f"with the pair exchanged, it changes by {-least:+.2f} to {-least + SMALL:+.2f}, "
        "and V falls",
    )


def draw_corrections(folder: Path, clusters: float, seed: int) -> Corrections:
    """Return the mean corrections for random clusterings with the given mean number of clusters."""
    keys = list(product(ESTIMATORS[1:], SIDES))
    gold = read_key(folder / "gold" / "all.key")
    words = [list(own.values()) for own in gold.values()]
    items = sum(map(len, words))
    total = dict.fromkeys(keys, 0.0)
    for number in range(seed, seed + SEEDS):
        rng = np.random.default_rng(number)
        for labels in words:
            # The mean number of clusters is not whole, so round it up or down at random.
            most = int(clusters) + int(rng.random() < clusters - int(clusters))
            table = contingency(labels, rng.integers(most, size=len(labels)))
            found = {name: table.entropies(name) for name in ESTIMATORS}
            values = {name: (e.gold, e.system, e.joint) for name, e in found.items()}
            for key in keys:
                total[key] += len(labels) / items / SEEDS * correct(values, *key)
    return total


def rank_clusters(rows: Mapping[str, ScoredAnswer] | Mapping[str, object]) -> list[str]:
    """Return the systems with the most clusters according to Table 1, excluding baselines."""
    systems = [name for name in rows if name not in BASELINES]
    return sorted(systems, key=lambda name: -TABLE_1[name].clusters)[:N_SYSTEMS]


def correct(entropies: Mapping[str, Sequence[Any]], estimator: str, side: str) -> float:
    """Return the correction of H(c), H(k) or H(k,c): the estimate minus the plug-in entropy."""
    at = SIDES.index(side)
    return float(entropies[estimator][at] - entropies["ml"][at])
