"""Warnings in plain words: when a score should not be taken at face value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from roget.scoring.measures import Measure
from roget.scoring.result import ScoreRow

THIN_CELL = 5.0
"""Items per non-empty cell below which entropies are mostly bias."""

DISAGREEMENT = 0.05

_ANSWERS = {
    "one cluster": "putting all items in one cluster",
    "one per item": "giving each item its own cluster",
    "random": "random clusters of the same sizes",
}


def advice(
    rows: Sequence[ScoreRow], measures: Sequence[Measure], items_per_cell: float
) -> list[str]:
    """All warnings the rows call for; `measures` are those of the rows."""
    return [
        *_no_better(rows, measures),
        *_disagreements(rows),
        *_thin(items_per_cell, any(row.entropy == "ml" for row in rows)),
    ]


def partly_undefined(
    values: npt.NDArray[np.float64], measures: Sequence[Measure], reasons: Mapping[int, str]
) -> list[str]:
    """A note for each average (measures × groups) that leaves some groups out."""
    groups = values.shape[1]
    undefined = np.isnan(values).sum(axis=1)
    return [
        f"{measure}: undefined in {undefined[i]} of {groups} groups, which are left out of the "
        f"average ({reasons.get(i, 'no value')})"
        for i, measure in enumerate(measures)
        if 0 < 2 * undefined[i] <= groups
    ]


def _no_better(rows: Sequence[ScoreRow], measures: Sequence[Measure]) -> Iterable[str]:
    for name, answer in _ANSWERS.items():
        beaten = []
        for row, measure in zip(rows, measures, strict=True):
            trivial = row.baselines.get(name)
            # A measure that gives a trivial answer the best score cannot tell them apart.
            if row.value is None or trivial is None or trivial == measure.best:
                continue
            if measure.best is None and name == "one per item":
                continue
            if not measure.better(row.value, trivial):
                beaten.append(f"{_label(row)} {row.value:.3f} against {trivial:.3f}")
        if beaten:
            shown = "; ".join(beaten[:3]) + (f"; and {len(beaten) - 3} more" if beaten[3:] else "")
            yield f"the system does no better than {answer}: {shown}"


def _disagreements(rows: Sequence[ScoreRow]) -> Iterable[str]:
    plain = {row.measure: row.value for row in rows if row.entropy == "ml"}
    apart = []
    for row in rows:
        value = plain.get(row.measure)
        if row.entropy in (None, "ml") or row.value is None or value is None:
            continue
        if abs(row.value - value) > max(DISAGREEMENT, DISAGREEMENT * abs(value)):
            apart.append(f"{row.measure} {value:.3f} (ml) and {row.value:.3f} ({row.entropy})")
    if apart:
        shown = "; ".join(apart[:3]) + (f"; and {len(apart) - 3} more" if apart[3:] else "")
        yield f"plug-in and bias-corrected scores disagree, prefer the corrected: {shown}"


def _thin(items_per_cell: float, entropies: bool) -> Iterable[str]:
    if entropies and items_per_cell < THIN_CELL:
        yield (
            f"only {items_per_cell:.1f} items per non-empty (class, cluster) cell: "
            "too thin to trust an entropy without correction"
        )


def _label(row: ScoreRow) -> str:
    return row.measure if row.entropy is None else f"{row.measure} ({row.entropy})"
