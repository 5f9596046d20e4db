"""Figure 5: clusterings of items with numeric features."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from roget.core.io.problems import Problems
from roget.core.io.table import Roles, is_number, open_table
from roget.core.types import Floats, PathLike
from roget.errors import InputError
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, uses_options
from roget.papers.rules import decide_mean
from roget.papers.v_measure.rules import FIGURE_5 as RULES
from roget.papers.v_measure.sweep import (
    Scores,
    claim_growth,
    claim_peak,
    claim_sum,
    correlate,
    find_change,
    join_scores,
    list_ks,
    show,
    sweep_kmeans,
)

PEAK = 10
"""Number of clusters at which Q2 is highest in the paper."""

RISES = 30
"""Number of clusters above which V rises in the paper."""

SHARES = ("54.4", "32.1", "26.5", "2.8", "2.1")
"""Percentages of the five accent types as printed, which add up to 117.9."""

ITEMS, FEATURES, SETS = 2000, 10, 5
"""Number of simulated items, of their features (as in the paper), and of simulated sets."""

STRENGTH = 0.45
"""Standard deviation of the class means in each feature, relative to that within a class.

It was chosen on another simulated set, before these sets were scored. With this value, V is about
.1 for 22 clusters, which is the middle of the paper's axis.
"""

_ROLES = Roles({"label": ()})


def read_features(path: PathLike) -> tuple[Floats, list[str]]:
    """Read a table of features with a column `label`. Return the features and the labels."""
    rows: list[list[float]] = []
    labels: list[str] = []
    problems = Problems(str(path))
    with open_table(path, {"label": "label"}, roles=_ROLES) as table:
        names = [name for at, name in enumerate(table.names) if at != table.places["label"]]
        for name in names:
            if table.names.count(name) > 1:
                raise InputError(
                    f"{path}: two columns have the name {name!r}", code="duplicate-name"
                )
        every = replace(table, places={name: at for at, name in enumerate(table.names)})
        for number, row in every.rows(problems):
            wrong = [name for name in names if not _is_finite(row[name])]
            if wrong:
                reason = f"{wrong[0]} is {row[wrong[0]]!r}; expected a number"
            elif row["label"] in (None, ""):
                reason = "missing label"
            else:
                rows.append([float(row[name]) for name in names])
                labels.append(str(row["label"]))
                continue
            problems.add(number, reason, table.place(number))
    problems.check()
    if len(rows) < 2 or not names:
        raise InputError(
            f"{path}: the table needs at least two rows and one column of features",
            code="empty-input",
        )
    return np.array(rows), labels


def _is_finite(cell: Any) -> bool:
    return is_number(cell) and bool(np.isfinite(float(cell)))


def simulate(seed: int) -> tuple[Floats, list[str]]:
    """Return items of five skewed classes with ten weak features.

    Classes have the printed shares, divided by their sum. Class means are normal in each feature,
    with standard deviation `STRENGTH`. Items are normal around them, with standard deviation 1.
    """
    rng = np.random.default_rng(seed)
    shares = np.array(list(map(float, SHARES)))
    labels = rng.choice(shares.size, ITEMS, p=shares / shares.sum())
    centres = STRENGTH * rng.normal(size=(shares.size, FEATURES))
    return centres[labels] + rng.normal(size=(ITEMS, FEATURES)), list(map(str, labels))


@cache
def sweep_simulated(seed: int) -> Scores:
    """Return the scores of k-means on the simulated sets.

    They are cached, because two figures use them.
    """
    ks, parts = list_ks(ITEMS), []
    for number in range(seed, seed + SETS):
        features, labels = simulate(number)
        parts.append(sweep_kmeans(standardise(features), labels, ks, number, starts=1))
    return replace(join_scores(parts), unit="simulated sets")


def standardise(features: Floats) -> Floats:
    """Scale columns to mean 0 and standard deviation 1. Constant columns become 0."""
    deviation = features.std(axis=0)
    return np.asarray((features - features.mean(axis=0)) / np.where(deviation > 0, deviation, 1))


@uses_options("features", "random_state")
def figure_5(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 5 of Rosenberg & Hirschberg (2007): scores of k-means on features."""
    scores, source, width = score_features(options)
    return show(
        "Clusterings of items with features (Rosenberg & Hirschberg 2007, Figure 5)",
        f"{source}. The paper has pitch accents of the Boston Directions Corpus, 5 types with 10 "
        "acoustic features; `--features FILE` reads another table with a column `label`. "
        "Features have mean 0 and standard deviation 1. k-means starts from random items, for "
        f"each of {len(scores.ks)} numbers of clusters. V (jk) and AMI are corrected for chance "
        "agreement: see `roget reproduce v-measure/bias`.",
        scores,
        scores.as_sweep(source),
        judge(scores),
        features=width,
    )


def score_features(options: ReproduceOptions) -> tuple[Scores, str, int]:
    """Return the scores, a description of the items, and the number of features."""
    if options.features is None:
        source = (
            f"{SETS} simulated sets of {ITEMS:,} items in 5 classes of the printed relative sizes, "
            f"with {FEATURES} weak features"
        )
        return sweep_simulated(options.random_state), source, FEATURES
    features, labels = read_features(options.features)
    ks = list_ks(len(labels))
    scores = sweep_kmeans(standardise(features), labels, ks, options.random_state)
    source = f"{scores.items:,} items of {scores.classes} classes, from {options.features}"
    return scores, source, int(features.shape[1])


def judge(scores: Scores) -> list[Claim]:
    """Test the paper's statements about the figure."""
    claims = [claim_growth(RULES["vi"], scores), claim_peak(RULES["peak"], scores, "q2", PEAK)]
    if scores.ks[-1] > RISES:
        falls = correlate(scores, "q2", PEAK)
        claims.append(
            Claim(
                RULES["q2"], f"Q2 from k = {PEAK} on", "descends",
                f"rank correlation {np.mean(falls):.2f}",
                decided=decide_mean([-rank for rank in falls]),
            )
        )  # fmt: skip
        claims += _judge_rise(scores)
    return [*claims, claim_sum(RULES["shares"], "sum of the shares of accent types, %", SHARES)]


def _judge_rise(scores: Scores) -> list[Claim]:
    """Test the statements about V, homogeneity and completeness for more than 30 clusters."""
    ends = {name: find_change(scores, name, RISES) for name in ("v", "homogeneity", "completeness")}
    begin = scores.ks[int(np.searchsorted(scores.ks, RISES))]
    parts = [np.abs(last / first - 1) for first, last in list(ends.values())[1:]]
    statistics = {
        "v": ends["v"][1] - ends["v"][0],
        "homogeneity": ends["homogeneity"][1] - ends["homogeneity"][0],
        "completeness": parts[0] / 4 - parts[1],
    }
    published = {"v": "increases", "homogeneity": "increases", "completeness": "relatively stable"}
    return [
        Claim(
            RULES[name], f"{name} from k = {begin} to {scores.ks[-1]:,}", published[name],
            f"{first.mean():.3f}, then {last.mean():.3f}",
            decided=decide_mean(statistics[name].tolist()),
        )
        for name, (first, last) in ends.items()
    ]  # fmt: skip
