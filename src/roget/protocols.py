"""Protocols that cluster and then score, such as MTEB's evaluation of embeddings.

This module imports both `learn` and `scoring`, which must not import each other.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roget.catalogue import name_extra
from roget.core.intervals import CONFIDENCE
from roget.core.progress import Progress, Report
from roget.core.types import Array, Ints
from roget.errors import InputError, Notice, Undefined
from roget.scoring.labels.codes import factorize_objects
from roget.scoring.labels.labels import Labels
from roget.scoring.measures.base import MeasureSpec
from roget.scoring.notices import reword
from roget.scoring.options import ScoreOptions
from roget.scoring.results import Result, ScoreTable, choose_estimator, name_metric, score_key
from roget.scoring.score import score

SAMPLES, SIZE, BATCH, SEED = 10, 16_384, 512, 42
"""MTEB's defaults: number and size of samples, batch size of k-means, and random seed."""


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """The result of `evaluate_embeddings`: mean scores over all samples, and scores by level.

    `result["v", "ml"]` is MTEB's v_measure, `result.std["v@ml"]` its v_measure_std.
    """

    kind = "evaluation"

    signature: str
    items: int
    groups: int
    """Total number of samples over all levels."""
    levels: tuple[ScoreTable, ...]
    """The scores of each level. Their `by_group` contains the scores of each sample."""
    means: Mapping[str, float | None]
    low: Mapping[str, float | None]
    high: Mapping[str, float | None]
    std: Mapping[str, float | None]
    """The standard deviation over the samples of all levels."""
    warnings: tuple[str, ...] = ()

    def __getitem__(self, key: str | tuple[str, str | None]) -> float:
        measure, entropy = key if isinstance(key, tuple) else (key, None)
        rows = self.levels[0].rows
        found = [
            r for r in rows if r.measure == measure and (r.entropy == entropy or key == measure)
        ]
        if not found:
            return self.levels[0][key]  # This raises an error that lists the known scores.
        value = self.means[score_key(measure, choose_estimator(found).entropy)]
        if value is None:
            raise Undefined(f"{measure} is undefined in at least one sample")
        return value

    def flat(self) -> dict[str, float]:
        """Return the defined means as metrics for MLflow, W&B etc., e.g. {"v/jk": 0.71}."""
        scores = [(row.measure, row.entropy) for row in self.levels[0].rows]
        values = {name_metric(*score): self.means[score_key(*score)] for score in scores}
        return {name: value for name, value in values.items() if value is not None}

    def as_dict(self) -> dict[str, Any]:
        """Return the result as a JSON-serialisable dictionary."""
        rows = [
            {"score": name, "mean": mean, "low": self.low[name], "high": self.high[name],
             "std": self.std[name]}
            for name, mean in self.means.items()
        ]  # fmt: skip
        return {
            "signature": self.signature,
            "items": self.items,
            "warnings": list(self.warnings),
            "rows": rows,
            "levels": [level.as_dict() for level in self.levels],
        }

    def __repr__(self) -> str:
        shown = [f"{name} {value:.3f}" for name, value in self.means.items() if value is not None]
        return f"<Evaluation of {self.items:,} embeddings: {', '.join(shown[:3])}, …>"


def evaluate_embeddings(
    X: Any,
    labels: Sequence[Any],
    measures: MeasureSpec | None = ("v", "ami"),
    entropy: str | Sequence[str] = ScoreOptions.entropy,
    *,
    samples: int = SAMPLES,
    size: int = SIZE,
    seed: int = SEED,
    clusterer: Any = None,
    progress: Report | None = None,
) -> Evaluation:
    """Evaluate embeddings: cluster random samples and score the clusters against labels.

    The protocol follows MTEB's clustering tasks. For each level of labels, draw `samples` samples
    of `size` items with replacement, and cluster each by mini-batch k-means, with k = the number
    of labels of the level. With the same seed, V equals MTEB's value, unless some items have no
    label at a level: MTEB treats these items as a class.

    Parameters
    ----------
    X
        Embeddings, items × dimensions.
    labels
        A label for each item, or a list of labels for each item, from the broadest level to the
        most specific. Items without a label at a level are excluded from that level.
    measures, entropy
        As for `roget.score`.
    samples, size, seed
        The number of samples, their size, and the random seed; 42 is MTEB's seed.
    clusterer
        A clusterer with `fit_predict` to use instead of mini-batch k-means. Its parameter
        `n_clusters`, if any, is set to the number of labels.
    progress
        Called after each sample.

    Returns
    -------
    Evaluation
        Means over all samples with 95 % confidence intervals. Each sample is a bootstrap sample
        of the items, so the spread over samples estimates the standard error of the score.
        Intervals use Student's t, with standard deviations scaled to the number of items.

    Raises
    ------
    InputError
        If embeddings and labels differ in length, or an embedding is not finite.
    """
    X, levels = np.asarray(X), split_levels(labels)
    if X.ndim != 2 or len(X) != len(labels):
        raise InputError(
            f"embeddings of shape {X.shape} do not match {len(labels)} labels",
            code="length-mismatch",
        )
    if clusterer is None and X.dtype.kind == "f" and not np.isfinite(X).all():
        at = int(np.argmin(np.isfinite(X).all(axis=1)))
        raise InputError(
            f"row {at} of the embeddings contains a non-finite value", code="invalid-input"
        )
    if samples < 2 or size < 1:
        raise InputError(
            f"samples={samples}, size={size}: samples must be at least 2 and size at least 1",
            code="invalid-option",
        )
    numbers = random.Random(seed)
    report = progress or (lambda now: None)
    tables, scales, done = [], [], 0
    for level in levels:
        known = np.flatnonzero([label is not None for label in level])
        codes = factorize_objects([level[at] for at in known.tolist()]).codes.astype(np.int64)
        model = _prepare(clusterer, int(codes.max()) + 1, seed)
        drawn, found = [], []
        for _ in range(samples):
            rows = np.array(numbers.choices(range(known.size), k=size))
            drawn.append(codes[rows])
            found.append(np.asarray(model.fit_predict(X[known[rows]])))
            done += 1
            report(Progress(done, samples * len(levels)))
        sides = _as_labels(drawn, "gold"), _as_labels(found, "clusters")
        table = score(*sides, measures, entropy, average="unweighted", by="group", seed=seed)
        parts = f"samples:{samples}x{size}|clusterer:{type(model).__name__}"
        # Samples overlap, so they are not independent groups. Quick intervals would assume that
        # they are.
        tables.append(replace(table, signature=f"{table.signature}|{parts}", quick=None))
        scales.append(math.sqrt(size / known.size))
    return _summarise(tables, scales, len(X), size)


def split_levels(labels: Sequence[Any]) -> list[list[Any]]:
    """Return a list of labels for each level, with None for items without a label at that level.

    >>> split_levels([["a", "x"], ["b"]])
    [['a', 'b'], ['x', None]]
    >>> split_levels(["a", None])
    [['a', None]]
    """
    if not len(labels):
        raise InputError("no labels; expected one label per embedding", code="empty-input")
    paths = [list(one) if isinstance(one, list | tuple | np.ndarray) else [one] for one in labels]
    depth = max(map(len, paths))
    levels = [[path[at] if len(path) > at else None for path in paths] for at in range(depth)]
    if not levels or any(all(label is None for label in level) for level in levels):
        raise InputError("a level has no labels", code="missing-label")
    return levels


def _prepare(clusterer: Any, k: int, seed: int) -> Any:
    """Return MTEB's clusterer for k clusters, or a copy of `clusterer` with k clusters."""
    with name_extra():
        from sklearn.base import clone
        from sklearn.cluster import MiniBatchKMeans

    if clusterer is None:
        return MiniBatchKMeans(k, batch_size=BATCH, n_init=1, random_state=seed)
    made = clone(clusterer)
    return made.set_params(n_clusters=k) if "n_clusters" in made.get_params() else made


def _as_labels(parts: Sequence[Ints], source: str) -> Labels:
    """Concatenate the labels of all samples. Each sample becomes a group."""
    codes: Array = np.concatenate(parts)
    low = int(codes.min())
    groups = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return Labels(
        codes - low,
        int(codes.max()) - low + 1,
        None,
        groups=groups,
        group_names=[f"sample {number}" for number in range(1, len(parts) + 1)],
        source=source,
        offset=low,
    )


def _summarise(
    tables: Sequence[ScoreTable], scales: Sequence[float], items: int, size: int
) -> Evaluation:
    """Return means, intervals and standard deviations over samples and levels."""
    from scipy import stats

    found: dict[str, tuple[float | None, ...]] = {}
    for row in tables[0].rows:
        name = score_key(row.measure, row.entropy)
        values = [[one.values[name] for one in table.by_group] for table in tables]
        if any(value is None for level in values for value in level):
            found[name] = (None,) * 4
            continue
        each = np.array(values, dtype=float)
        quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, each.shape[1] - 1))
        # Levels share their items, so their errors are correlated. The standard errors are
        # therefore averaged instead of pooled.
        half = quantile * float(np.mean(each.std(axis=1, ddof=1) * np.array(scales)))
        mean = float(each.mean())
        found[name] = mean, mean - half, mean + half, float(each.std())
    warnings = [
        reword(text, f"level {at}: {text}") if len(tables) > 1 else text
        for at, table in enumerate(tables, start=1)
        for text in table.warnings
    ]
    if size > items / 2:
        warnings.append(
            Notice(
                f"each item occurs {size / items:.1f} times in a sample; corrected entropies "
                "treat the copies as different items, so the correction is too small; pass a "
                "smaller size",
                code="bias",
            )
        )
    means, low, high, std = (
        {name: numbers[at] for name, numbers in found.items()} for at in range(4)
    )
    signature, samples = tables[0].signature, sum(table.groups for table in tables)
    tested = tuple(tables), means, low, high, std, tuple(warnings)
    return Evaluation(signature, items, samples, *tested)
