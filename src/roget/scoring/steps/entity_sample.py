"""Estimate the scores on all items from a gold sample of complete classes (entities).

The sample contains all items of each sampled entity, and the system's clusters are known for all
items. The numerators and denominators of precision and recall are sums over entities, where cluster
sizes include all items. Ratios of the sums over the sampled entities estimate the scores of the
whole data set (Binette et al. 2022, for pairs and clusters). A jackknife over entities reduces
their bias and provides standard errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from roget.core.types import Floats
from roget.errors import InputError, UnknownName
from roget.scoring.inputs import Inputs, read_side
from roget.scoring.labels.align import choose_rules
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.table import varies
from roget.scoring.measures.base import split_names
from roget.scoring.notices import warn_about_sides
from roget.scoring.results import ScoreRow, ScoreTable
from roget.scoring.signature import JACKKNIFE, sign_scores, write_signature
from roget.scoring.steps.intervals import Bounds, Jackknife, jackknife_bounds

Sums = Floats
"""An array with one row per entity or jackknife sample, and the columns listed in `_SUMS`."""

_SUMS = (
    "together",
    "predicted",
    "true",
    "exact",
    "clusters",
    "entities",
    "precision",
    "recall",
    "items",
)
"""The column names. The columns contain the numbers of pairs joined in both gold and system, in the
system and in gold, the numbers of exact clusters, clusters and entities, the sums of B-cubed
precision and recall over items, and the number of items.
"""


def _ratio(above: str, below: str) -> Callable[[Sums], Floats]:
    """Return a function that computes the ratio of the columns `above` and `below` of the sums."""
    return lambda sums: sums[..., _SUMS.index(above)] / sums[..., _SUMS.index(below)]


def _f(above: str, one: str, other: str) -> Callable[[Sums], Floats]:
    """Return a function that computes F = 2·above/(one + other) from the sums."""
    a, b, c = (_SUMS.index(name) for name in (above, one, other))
    return lambda sums: 2 * sums[..., a] / (sums[..., b] + sums[..., c])


def _b3_f(sums: Sums) -> Floats:
    """Return the harmonic mean of B-cubed precision and recall."""
    p, r = _ratio("precision", "items")(sums), _ratio("recall", "items")(sums)
    return 2 * p * r / (p + r)


MEASURES: dict[str, Callable[[Sums], Floats]] = {
    "paired-precision": _ratio("together", "predicted"),
    "paired-recall": _ratio("together", "true"),
    "paired-f": _f("together", "predicted", "true"),
    "cluster-precision": _ratio("exact", "clusters"),
    "cluster-recall": _ratio("exact", "entities"),
    "cluster-f": _f("exact", "clusters", "entities"),
    "b3-precision": _ratio("precision", "items"),
    "b3-recall": _ratio("recall", "items"),
    "b3-f": _b3_f,
}


def score_sample(inputs: Inputs) -> ScoreTable:
    """Estimate what the scores would be if all items had gold labels, with 95 % intervals."""
    options, [system] = inputs.options, inputs.systems.values()
    _check_options(inputs, system)
    names = list(MEASURES) if options.measures is None else _list(options.measures)
    gold, whole = (
        read_side(source, side, options).require_flat()
        for side, source in (("gold", inputs.gold), ("system", system))
    )
    _check_labels(gold, whole)
    sides = inputs.align(gold, whole)
    sums = sum_entities(sides.gold, sides.system, whole)
    rows = []
    for name in names:
        value, low, high = estimate(sums, MEASURES[name])
        reason = None if value is not None else "the sample has no pairs or no clusters to count"
        rows.append(ScoreRow(name, None, value, reason, low, high))
    rules = choose_rules(gold, "weighted", options.missing, options.extra)
    parts = sign_scores(sides, [], rules, options, ci=JACKKNIFE)
    parts["measures"] = ",".join(names)
    return ScoreTable(
        signature=write_signature(parts),
        items=len(sides.gold),
        groups=1,
        classes=float(len(sums)),
        clusters=float(np.unique(sides.system.codes).size),
        warnings=warn_about_sides(sides, options.noise),
        rows=tuple(rows),
        title=options.title,
    )


def _check_options(inputs: Inputs, system: Any) -> None:
    """Raise InputError if an option cannot be combined with extra='sample'."""
    options, code = inputs.options, "conflicting-options"
    if inputs.sample_weight is not None or options.balance is not None:
        raise InputError("--extra sample cannot be combined with item weights", code=code)
    if options.chance:
        raise InputError("--extra sample cannot be combined with --chance", code=code)
    if system is None:
        raise InputError("--extra sample requires a separate system file", code="missing-option")


def _check_labels(gold: Labels, system: Labels) -> None:
    """Raise InputError if labels have weights or groups."""
    code = "conflicting-options"
    if gold.weighted or system.weighted or gold.groups is not None:
        raise InputError("--extra sample requires one label per item and no groups", code=code)
    if gold.item_weights is not None and varies(gold.item_weights):
        raise InputError("--extra sample cannot be combined with item weights", code=code)


def sum_entities(gold: Labels, system: Labels, whole: Labels) -> Sums:
    """Return the sums for each entity, with the columns of `_SUMS`.

    `whole` contains the system's labels for all items.
    """
    width = system.n_labels
    # Cluster sizes are counted over all items of the system. Clusters that were added for gold
    # items without a system label are counted over the gold items.
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
    # Each term belongs to a cell with m items, in an entity of size n and a cluster of size s. A
    # pair of items in a cluster counts half for each of the two items, and a cluster counts m/s for
    # each entity with which it shares m items.
    added: dict[str, Floats] = {
        "together": m * (m - 1) / 2,
        "predicted": m * (s - 1) / 2,
        "exact": ((m == n[entity]) & (m == s)).astype(float),
        "clusters": m / s,
        "precision": m * m / s,
        "recall": m * m / n[entity],
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
    """Return the jackknife estimate and its 95 % confidence bounds. Undefined values are None."""
    n = len(sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = float(ratio(sums.sum(axis=0)))
        without = ratio(sums.sum(axis=0) - sums)
    if not np.isfinite(plain):
        return None, None, None
    if n < 3 or not np.all(np.isfinite(without)):
        return plain, None, None
    # The jackknife estimate removes the bias of order 1/n: n·R − (n − 1)·(mean of R with one
    # entity left out).
    value = n * plain - (n - 1) * float(without.mean())
    left = Jackknife(without, np.ones(n))
    low, high = jackknife_bounds(np.array(plain), left, Bounds(0.0, 1.0, 1.0))
    if np.isnan(low):
        return value, None, None
    # The interval is corrected for bias, but extended to contain the uncorrected ratio.
    return value, min(float(low), max(value, 0.0)), max(float(high), min(value, 1.0))


def _list(measures: Any) -> list[str]:
    """Return the names of the requested measures, or raise UnknownName."""
    names = list(map(str, split_names("measure", measures)))
    for name in names:
        if name not in MEASURES:
            raise UnknownName("measure for --extra sample", name, MEASURES)
    return names
