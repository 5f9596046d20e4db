"""`roget.score`: labels in, a table of scores out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roget.errors import Undefined, UnknownName
from roget.scoring import signature
from roget.scoring.cells import baselines as baseline
from roget.scoring.cells.statistics import Statistics
from roget.scoring.diagnostics import advice, group_names, partly_undefined
from roget.scoring.diagnostics import details as diagnose
from roget.scoring.measures import Measure, parse
from roget.scoring.requests import DEFAULT_ENTROPIES, Asked, Request, Values, requests
from roget.scoring.requests import answers as values_of
from roget.scoring.resample import average as group_average
from roget.scoring.resample import check, described, draw
from roget.scoring.result import ScoreRow, ScoreTable
from roget.scoring.tables import AVERAGES, aligned, tables

Progress = Callable[[int, int], None]


def score(
    gold: Any,
    system: Any = None,
    measures: Asked | None = None,
    entropy: str | Sequence[str] = DEFAULT_ENTROPIES,
    *,
    average: str = "weighted",
    missing: str = "cluster",
    answers: str = "weighted",
    labels: str | None = None,
    columns: Mapping[str, str] | None = None,
    baselines: bool = True,
    ci: int = 0,
    interval: str = "auto",
    details: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> ScoreTable:
    """Score a system's clustering against a gold standard.

    `gold` and `system` are paths, sequences, numpy, pandas, polars or arrow columns, mappings
    from item to label, or n×k weight matrices; with `system` left out, `gold` is the path of a
    file with two aligned columns. Measures that use entropies are computed under each estimator.
    `answers="top"` keeps only the heaviest label of a weighted answer.
    With groups (words, documents), each group is scored and the scores averaged by `average`.
    With `ci` draws, every score has a 95 % interval (`interval` is auto, bca, percentile or
    jackknife) over drawn groups, or over drawn items where there are none. `details` adds the
    groups with the worst first score, the clusters that mix classes and the scattered classes.
    """
    check(ci, interval, seed)
    asked = requests(measures, entropy)
    if average not in AVERAGES:
        raise UnknownName("average", average, AVERAGES)
    sides = aligned(gold, system, missing, labels, columns, answers)
    groups = list(tables(sides, pooled=average == "pooled"))
    reasons: dict[int, str] = {}
    values, trivial = _values(groups, asked, reasons, seed if baselines else None, progress)
    weights = np.array([table.n if average == "weighted" else 1.0 for table in groups], dtype=float)
    means = group_average(values, weights)
    against = {name: group_average(scores, weights) for name, scores in trivial.items()}
    rows = tuple(
        ScoreRow(
            str(wanted),
            estimator,
            _defined(means[i]),
            _reason(reasons[i], values[i]) if np.isnan(means[i]) else None,
            direction=wanted.direction,
            baselines={name: _defined(scores[i]) for name, scores in against.items()},
        )
        for i, (wanted, estimator) in enumerate(asked)
    )
    if ci:

        def step(done: int) -> None:
            if progress is not None:
                progress(len(groups) + done, len(groups) + ci)

        ends = draw(
            values[None], weights, [sides], asked, ci, interval, seed, pairs=False, step=step
        )
        rows = tuple(
            replace(row, low=_defined(low), high=_defined(high)) if row.value is not None else row
            for row, low, high in zip(rows, ends.low[0], ends.high[0], strict=True)
        )
    items = sum(table.n for table in groups)
    cells = sum(table.joint.seen for table in groups)
    parts = signature.fields(
        sides,
        asked,
        average=average,
        missing=missing,
        seed=seed,
        answers=answers,
        ci=described(ci, interval),
    )
    return ScoreTable(
        signature=signature.written(parts),
        items=items,
        groups=len(groups),
        classes=float(np.mean([table.sizes.classes for table in groups])),
        clusters=float(np.mean([table.sizes.clusters for table in groups])),
        warnings=(
            *sides.warnings,
            *partly_undefined(values, [wanted for wanted, _ in asked], reasons),
            *advice(rows, [wanted for wanted, _ in asked], items / cells),
        ),
        rows=rows,
        details=diagnose(groups, group_names(sides, len(groups)), values[0], asked[0])
        if details
        else None,
    )


def measure(
    name: str | Measure, gold: Any, system: Any, entropy: str = "ml", **options: Any
) -> float:
    """One value; raises Undefined where there is none.

    >>> measure("v", ["a", "a", "b"], [1, 1, 2])
    1.0
    """
    table = score(gold, system, parse(name), entropy, baselines=False, **options)
    row = table.rows[0]
    if row.value is None:
        raise Undefined(f"{row.measure}: {row.reason}")
    return row.value


def contingency(gold: Any, system: Any, *, missing: str = "cluster") -> Statistics:
    """The table of two labellings, to ask any number of measures of.

    >>> table = contingency(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> round(table.measure("nvi"), 4), round(table.measure("b3-f"), 4)
    (1.1887, 0.7059)
    """
    return next(tables(aligned(gold, system, missing), pooled=True))


def _values(
    groups: Sequence[Statistics],
    asked: Sequence[Request],
    reasons: dict[int, str],
    seed: int | None,
    progress: Progress | None,
) -> tuple[Values, dict[str, Values]]:
    """Every request of every group, and the same of the trivial answers unless seed is None."""
    values = np.full((len(asked), len(groups)), np.nan)
    trivial: dict[str, Values] = {}
    for column, table in enumerate(groups):
        values[:, column] = values_of(table, asked, reasons)
        if seed is not None:
            draws = max(1, baseline.DRAWS // len(groups))
            for name, answer in baseline.trivial(table, seed + column, draws).items():
                scores = trivial.setdefault(name, np.full(values.shape, np.nan))
                scores[:, column] = values_of(answer, asked)
        if progress is not None:
            progress(column + 1, len(groups))
    return values, trivial


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _reason(reason: str, values: Values) -> str:
    undefined = int(np.isnan(values).sum())
    return reason if values.size == 1 else f"{reason} (so in {undefined} of {values.size} groups)"
