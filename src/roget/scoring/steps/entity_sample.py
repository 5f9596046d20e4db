"""Scores of all items from gold that is a sample of whole classes (entities).

Who judges a sample of entities knows all items of each, and the system's clusters of all items.
What a precision counts can then be added up entity by entity, the clusters' sizes being those of
all items, and ratios of such sums estimate the scores of the whole (Binette et al. 2022 have those
of pairs and clusters). Their small bias is taken away, and their standard error told, by the
jackknife over entities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from roget.core.types import Floats
from roget.errors import InputError, UnknownName
from roget.scoring.labels.align import choose_rules
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.table import varies
from roget.scoring.results import ScoreRow, ScoreTable
from roget.scoring.score import ReadOptions, sign, warn_of, write_signature
from roget.scoring.steps.bootstrap import JackknifeDraws

Sums = Floats
"""By `_SUMS`: of all entities, or of all but one in each row."""

_SUMS = ("together", "predicted", "true", "exact", "clusters", "entities", "own", "found", "items")


def _ratio(above: str, below: str) -> Callable[[Sums], Floats]:
    return lambda sums: sums[..., _SUMS.index(above)] / sums[..., _SUMS.index(below)]


def _f(above: str, one: str, other: str) -> Callable[[Sums], Floats]:
    a, b, c = (_SUMS.index(name) for name in (above, one, other))
    return lambda sums: 2 * sums[..., a] / (sums[..., b] + sums[..., c])


def _b3_f(sums: Sums) -> Floats:
    p, r = _ratio("own", "items")(sums), _ratio("found", "items")(sums)
    return 2 * p * r / (p + r)


MEASURES: dict[str, Callable[[Sums], Floats]] = {
    "paired-precision": _ratio("together", "predicted"),
    "paired-recall": _ratio("together", "true"),
    "paired-f": _f("together", "predicted", "true"),
    "cluster-precision": _ratio("exact", "clusters"),
    "cluster-recall": _ratio("exact", "entities"),
    "cluster-f": _f("exact", "clusters", "entities"),
    "b3-precision": _ratio("own", "items"),
    "b3-recall": _ratio("found", "items"),
    "b3-f": _b3_f,
}


def score_sample(gold: Any, system: Any, measures: Any, reading: ReadOptions) -> ScoreTable:
    """Estimates, with 95 % intervals, of the scores that gold of all items would give."""
    if system is None:
        raise InputError("a sample of entities needs the system's labels of all items beside it")
    asked = list(MEASURES) if measures is None else _list(measures)
    left, right = reading.read(gold, "gold").need_flat(), reading.read(system, "system").need_flat()
    if left.weighted or right.weighted or left.groups is not None:
        raise InputError("a sample of entities needs hard labels, and no groups")
    if left.item_weights is not None and varies(left.item_weights):
        raise InputError("a sample of entities needs items that all count the same, not weights")
    sides = reading.align(left, right)
    sums = sum_entities(sides.gold, sides.system, right)
    rows = []
    for name in asked:
        value, low, high = estimate(sums, MEASURES[name])
        reason = None if value is not None else "no pairs or clusters in the sample to judge by"
        rows.append(ScoreRow(name, None, value, reason, low, high))
    rules = choose_rules(left, "weighted", reading.missing, reading.extra)
    parts = sign(sides, [], rules, reading.answers, reading.noise, "jackknife")
    parts["measures"] = ",".join(asked)
    entities = len(sums)
    return ScoreTable(
        signature=write_signature(parts),
        items=len(sides.gold),
        groups=1,
        classes=float(entities),
        clusters=float(np.unique(sides.system.codes).size),
        warnings=warn_of(sides, reading.noise),
        rows=tuple(rows),
    )


def sum_entities(gold: Labels, system: Labels, whole: Labels) -> Sums:
    """What each entity adds to the sums; `whole` has the system's labels of all items."""
    width = system.n_labels
    # Sizes of clusters among all items; of those made up for missing answers, among gold's.
    sizes = np.bincount(system.codes, minlength=width)
    known = whole.codes[whole.codes >= 0]
    sizes[: whole.n_labels] = np.bincount(known, minlength=whole.n_labels)
    cells, counts = np.unique(
        gold.codes.astype(np.int64) * width + system.codes, return_counts=True
    )
    rows, columns = np.divmod(cells, width)
    _, entity = np.unique(rows, return_inverse=True)
    m, s = counts.astype(float), sizes[columns].astype(float)
    n = np.bincount(entity, m)
    added: dict[str, Floats] = {
        "together": m * (m - 1) / 2,
        "predicted": m * (s - 1) / 2,
        "exact": ((m == n[entity]) & (m == s)).astype(float),
        "clusters": m / s,
        "own": m * m / s,
        "found": m * m / n[entity],
        "items": m,
    }
    sums: dict[str, Floats] = {
        name: np.bincount(entity, values).astype(np.float64) for name, values in added.items()
    }
    sums |= {"true": n * (n - 1) / 2, "entities": np.ones(n.size)}
    return np.stack([sums[name] for name in _SUMS], axis=1)


def estimate(
    sums: Sums, ratio: Callable[[Sums], Floats]
) -> tuple[float | None, float | None, float | None]:
    """The estimate without its first bias, and a 95 % interval; None where there is none."""
    from scipy.special import stdtrit

    n = len(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = float(ratio(sums.sum(axis=0)))
        without = ratio(sums.sum(axis=0) - sums)
    if not np.isfinite(plain):
        return None, None, None
    if n < 3 or not np.all(np.isfinite(without)):
        return plain, None, None
    value = n * plain - (n - 1) * float(without.mean())
    error = float(JackknifeDraws(without, np.ones(n)).error)
    reach = float(stdtrit(n - 1, 0.975)) * error
    return value, max(value - reach, 0.0), min(value + reach, 1.0)


def _list(measures: Any) -> list[str]:
    names = [measures] if isinstance(measures, str) else list(map(str, measures))
    for name in names:
        if name not in MEASURES:
            raise UnknownName("measure that a sample of entities allows", name, MEASURES)
    return names
