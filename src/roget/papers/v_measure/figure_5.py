"""Figure 5: clusterings of items with numeric features."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from roget.core.io.problems import Problems
from roget.core.io.table import Roles, is_number, open_table
from roget.core.types import Floats, PathLike
from roget.errors import InputError
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, heeds
from roget.papers.v_measure.sweep import (
    Scores,
    claim_growth,
    claim_peak,
    claim_shapes,
    list_ks,
    show,
    sweep_kmeans,
)

PEAK = 10
"""Number of clusters at which Q2 is highest in the paper."""

RISES = 30
"""Number of clusters beyond which V rises in the paper."""

_ROLES = Roles({"label": ()})


def read_features(path: PathLike) -> tuple[Floats, list[str]]:
    """Read a table of features with a column `label`; return the features and the labels."""
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
            f"{path}: at least two rows and one column of features are required",
            code="empty-input",
        )
    return np.array(rows), labels


def _is_finite(cell: Any) -> bool:
    return is_number(cell) and bool(np.isfinite(float(cell)))


def open_features(options: ReproduceOptions) -> tuple[Floats, list[str], str]:
    """Return the feature matrix, the labels, and the source of the data."""
    if options.features is not None:
        return *read_features(options.features), options.features
    digits = load_digits()
    return digits.data, list(map(str, digits.target)), "digits of scikit-learn, a stand-in"


def standardise(features: Floats) -> Floats:
    """Scale columns to mean 0 and standard deviation 1; constant columns become 0."""
    deviation = features.std(axis=0)
    return np.asarray((features - features.mean(axis=0)) / np.where(deviation > 0, deviation, 1))


@heeds("features", "random_state")
def figure_5(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 5 of Rosenberg & Hirschberg (2007): scores of k-means on features."""
    features, labels, source = open_features(options)
    ks = list_ks(len(labels))
    scores = sweep_kmeans(standardise(features), labels, ks, options.random_state)
    found = scores.as_sweep(source)
    least = found["vi"].best
    other = "no pitch accents" if options.features is None else "other items"
    return show(
        "Clusterings of items with features (Rosenberg & Hirschberg 2007, Figure 5)",
        f"{scores.items:,} items of {scores.classes} classes, {features.shape[1]} features: "
        f"{source}. The paper has pitch accents of the Boston Directions Corpus, 5 types with 10 "
        "acoustic features; `--features FILE` reads another table with a column `label`. Features "
        "have mean 0 and standard deviation 1; k-means from random items, "
        f"{len(scores)} starts for each of {len(ks)} numbers of clusters.",
        scores,
        found,
        [
            claim_growth(scores, f"{other}; least at k = {least}"),
            *claim_shapes(scores),
            claim_peak(scores, "q2", PEAK, other),
            *_claim_rise(scores, other),
        ],
        features=int(features.shape[1]),
    )


def _claim_rise(scores: Scores, remark: str) -> list[Claim]:
    """Check the claims about V, homogeneity and completeness beyond 30 clusters."""
    at = int(np.searchsorted(scores.ks, RISES))
    if at >= len(scores.ks) - 1:
        return []
    claims = []
    for name, short, published in (
        ("v", "V", "rises"), ("homogeneity", "h", "rises"), ("completeness", "c", "stays"),
    ):  # fmt: skip
        mean = scores.average(name)
        first, last = mean[at], mean[-1]
        ours = "rises" if last > first * 1.05 else "falls" if last < first * 0.95 else "stays"
        # Smaller clusters are purer in any data, so a difference in homogeneity is not excused.
        excused = name != "homogeneity"
        claims.append(
            Claim(
                f"{short} from k = {scores.ks[at]} on", published,
                f"{ours}, {last - first:+.2f}", holds=ours == published,
                remark=remark if excused else "", excused=excused,
            )
        )  # fmt: skip
    return claims
