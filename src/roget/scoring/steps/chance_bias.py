"""Bias of scores due to few items per cell, estimated from random clusterings.

The jackknife does not detect this bias. For example, the best one-to-one match of random clusters
scores above 0, and plug-in entropies of sparse tables are far too small. Random clusterings of the
same sizes have the full bias, and perfect clusterings are unbiased. The bias of a score between
these two extremes is interpolated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from roget.core.types import Floats, Ints
from roget.scoring.measures.base import Measure, Request, evaluate, parse
from roget.scoring.steps.intervals import Bounds, ChanceBias
from roget.scoring.tables.baselines import draw_table
from roget.scoring.tables.contingency import Contingency

_MOST = 24
"""Maximum number of random clusterings. Fewer are used for tables with many cells."""

_LEAST = 8
"""Minimum number of random clusterings."""

_CELLS = 1 << 21
"""Maximum total number of cells in all random tables."""

_SIDE = 1000
"""Maximum number of classes and of clusters for computing the limit.

The smallest ones are merged.
"""

_LIMIT = 10**8
"""Number of items in the table that approximates infinitely many items."""

_SIMILAR = 0.05
"""Maximum change of a score when every item is repeated, for the score to count as convergent.

The value 5/n is used instead if it is larger.
"""

_SHAPE = 0.3
"""Exponent of the interpolation, chosen by simulation (see `benchmarks/inference.py`)."""

_SHAPE_CORRECTED = 0.5
"""Exponent of the interpolation for scores that are corrected for bias or chance."""


class _Random(NamedTuple):
    """The distribution of a score over random clusterings."""

    mean: float
    error: float
    """The standard deviation of the score."""
    limit: float
    """The score of a random clustering with infinitely many items."""
    converges: bool
    """True if the score hardly changes when every item is repeated many times."""


def estimate_chance_bias(
    table: Contingency, requests: Sequence[Request], scores: Floats, seed: int
) -> ChanceBias:
    """Estimate the bias and the standard error of scores from random clusterings.

    Let x be a score with the best value `best`. For random clusterings of the same sizes, let E be
    its mean, s its standard deviation, and L its limit for infinitely many items. Interpolate:
    (1)  d = 1 − (x − E)/(best − E), between 0 (perfect) and 1 (random)
    (2)  bias = (E − L)·d^0.3,  error = s·d^0.3
    Adjustment for chance and bias correction remove only the part of the bias that is linear in d.
    With E' and L' of the plug-in score, the remaining bias is at least
    (3)  (E' − L')·(√d − d)
    """
    bias, error = np.full(len(requests), np.nan), np.zeros(len(requests))
    flat = [i for i, (measure, _) in enumerate(requests) if not measure.sees_tree]
    if flat:
        random = _score_random(table, [requests[i] for i in flat], seed)
        for i in flat:
            bias[i], error[i] = _interpolate(requests[i], float(scores[i]), random)
    return ChanceBias(bias, np.nan_to_num(error))


def _interpolate(
    request: Request, score: float, random: dict[Request, _Random]
) -> tuple[float, float]:
    """Return the bias and the error of one score by equations (1) to (3)."""
    best, plain = Bounds.from_request(request).best, random[_strip(request)]
    if best is None or not plain.converges:
        return np.nan, 0.0
    own = random.get(request, plain)
    mean, error = own.mean, own.error
    if _adjusted(request[0]):
        # An adjusted score (x − E)/(1 − E) has the mean 0 for random clusterings. The exponent
        # is 1.5 instead of 1, because a large E increases the variation between samples.
        mean, error = 0.0, plain.error / max(1.0 - plain.mean, 1e-6) ** 1.5
    room = best - mean
    far = 1.0 - float(np.clip((score - mean) / room, 0.0, 1.0)) if abs(room) > 1e-9 else 1.0
    curve = far**_SHAPE
    bias = 0.0 if _adjusted(request[0]) else (mean - own.limit) * curve
    if own is not plain or _adjusted(request[0]):
        rest = (plain.mean - plain.limit) * (far**_SHAPE_CORRECTED - far)
        bias = max(bias, rest, key=abs)
    return bias, error * curve


def _adjusted(measure: Measure) -> bool:
    """Return True if a measure is mutual information adjusted for chance."""
    return "chance" in measure.needs


def _strip(request: Request) -> Request:
    """Return the plug-in score on which a score is based."""
    measure, entropy = request
    if _adjusted(measure):
        return parse("nmi"), "ml"
    return measure, None if entropy is None else "ml"


def _score_random(
    table: Contingency, requests: Sequence[Request], seed: int
) -> dict[Request, _Random]:
    """Score random clusterings of the same sizes. Replace adjusted scores by plug-in scores."""
    # Sort the sizes, so that the samples do not depend on the order of labels.
    rows, columns = (
        np.sort(sums.astype(np.int64))[::-1] for sums in (table.row_totals, table.column_totals)
    )
    cells = min(int(rows.sum()), rows.size * columns.size)
    count = int(np.clip(_CELLS // cells, _LEAST, _MOST))
    # The third seed value makes this generator differ from the generators of other samples.
    random = np.random.default_rng([seed, 0, 2])
    drawn = draw_tables(rows, columns, count, random)
    infinite = _multiply(rows, columns)
    times = max(1, _LIMIT // int(table.counts.sum()))
    larger = Contingency.from_cells(table.rows, table.columns, table.counts * times)
    found: dict[Request, _Random] = {}
    for request in dict.fromkeys([*map(_strip, requests), *requests]):
        if not _adjusted(request[0]):
            values = evaluate(drawn, request)[0]
            values = values[~np.isnan(values)]
            plain = _strip(request)
            one, other, limit = (
                float(evaluate(each, plain)[0][0]) for each in (table, larger, infinite)
            )
            mean, error = (values.mean(), values.std()) if values.size else (np.nan, np.nan)
            # Scores that depend on the number of items by definition, such as MUC, have no limit.
            converges = abs(one - other) <= max(_SIMILAR, 5 / float(table.counts.sum()))
            found[request] = _Random(float(mean), float(error), limit, converges)
    return found


def draw_tables(rows: Ints, columns: Ints, count: int, random: np.random.Generator) -> Contingency:
    """Sample random tables with the given row and column sums, as groups of one table."""
    n, c, k = int(rows.sum()), rows.size, columns.size
    if n * count <= _CELLS:
        # Permute the cluster labels of the items of each table.
        labels = np.repeat(np.arange(k), columns)
        mixed = random.permuted(np.tile(labels, (count, 1)), axis=1)
        keys = (np.arange(count)[:, None] * c + np.repeat(np.arange(c), rows)) * k + mixed
        used, counts = np.unique(keys, return_counts=True)
    else:
        tables = [draw_table(random, rows, columns).ravel() for _ in range(count)]
        whole = np.concatenate(tables)
        used = np.flatnonzero(whole)
        counts = whole[used]
    row, column = np.divmod(used, k)
    stacked = Contingency.from_cells(row, column + row // c * k, counts.astype(np.int64))
    return stacked.by_group(c)


def _multiply(rows: Ints, columns: Ints) -> Contingency:
    """Return a table of independent classes and clusters with a very large number of items."""
    first, second = (_join_smallest(sums) for sums in (rows, columns))
    return Contingency.from_table(np.rint(np.outer(first, second) * _LIMIT).astype(np.int64))


def _join_smallest(sums: Ints) -> Floats:
    """Return the relative sizes of the classes.

    The smallest classes are merged into the last one.
    """
    shares = np.sort(sums / sums.sum())[::-1]
    if shares.size <= _SIDE:
        return np.asarray(shares)
    return np.append(shares[: _SIDE - 1], shares[_SIDE - 1 :].sum())
