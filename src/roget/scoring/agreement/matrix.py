"""Score matrices for all pairs of clusterings, with confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.scoring.agreement.panel import Panel
from roget.scoring.labels import AlignedLabels
from roget.scoring.labels.labels import take
from roget.scoring.measures.base import Request, average_groups, divide, evaluate, explain
from roget.scoring.steps import bootstrap
from roget.scoring.steps.intervals import Jackknife, interval_bounds
from roget.scoring.tables.statistics import Separate, Statistics
from roget.scoring.tabulate import tabulate

_CELLS = 1 << 18
"""Maximum number of contingency cells per batch of pairs."""

NO_COMMON_ITEM = "the two clusterings have no common items"


@dataclass(frozen=True, eq=False)
class Matrices:
    """The scores of all pairs of clusterings, with shape (scores, clusterings, clusterings).

    Rows are gold standards, and columns are systems.
    """

    values: Floats
    low: Floats
    high: Floats
    means: Floats
    """Each clustering's mean scores against all others, with shape (scores, clusterings)."""
    mean_low: Floats
    mean_high: Floats
    shared: Ints
    """The number of items that both clusterings of each pair contain."""
    reasons: dict[tuple[int, int, int], str] = field(default_factory=dict)
    """The reasons for undefined scores, keyed by score index, row and column."""


def fill_matrices(
    panel: Panel,
    requests: Sequence[Request],
    average: str,
    ci: int,
    seed: int,
    step: Callable[[int], None],
) -> Matrices:
    """Compute every requested score for every pair of clusterings. Call `step` after each pair."""
    size, scores = len(panel), len(requests)
    shape = scores, size, size
    values, low, high = (np.full(shape, np.nan) for _ in range(3))
    shared = np.zeros((size, size), dtype=np.int64)
    undefined: dict[tuple[int, int, int], str] = {}
    samples = _Samples(size, requests) if ci else None
    if ci and panel.n_groups == 1:
        if panel.weighted:
            raise InputError(
                "confidence intervals for weighted labels require groups", code="needs-groups"
            )
        if panel.size < 2:
            raise InputError("confidence intervals require at least two items", code="needs-groups")
    parts = bootstrap.assign_parts(panel.size, seed)
    done = 0
    for batch in _list_batches(panel):
        each, items, reasons = _evaluate(batch, requests, panel.n_groups)
        weights = items if average == "weighted" else (items > 0).astype(np.float64)
        mean = _average(each, weights)
        # `mean` contains the scores in both directions for each pair, because measures may be
        # asymmetric.
        one, two = np.array(batch.pairs).T
        values[:, one, two], values[:, two, one] = mean
        shared[one, two] = shared[two, one] = items.sum(axis=1)
        for direction, r, at in np.argwhere(np.isnan(mean)).tolist():
            ends = batch.pairs[at] if direction == 0 else batch.pairs[at][::-1]
            undefined[r, *ends] = reasons.get((at, direction, r), NO_COMMON_ITEM)
        for at, (i, j) in enumerate(batch.pairs):
            if i == j:
                continue
            if samples is not None and items[at].any():
                if panel.n_groups > 1:
                    way = each[:, :, at].reshape(2 * scores, -1)
                    # Groups in which two clusterings have no common items get weight 0.
                    sample = bootstrap.jackknife_groups(way, weights[at])
                else:
                    sample = _jackknife_items(panel, i, j, requests, parts)
                ends_of_pair = _bound(mean[:, :, at].ravel(), sample, [*requests, *requests])
                for matrix, end in zip((low, high), ends_of_pair, strict=True):
                    matrix[:, i, j], matrix[:, j, i] = end.reshape(2, scores)
                samples.add(i, j, sample)
            done += 1
            step(done)
    means = _average_others(values)
    none = np.full_like(means, np.nan)
    reach = (none, none) if samples is None else samples.finish(means)
    return Matrices(values, low, high, means, *reach, shared, undefined)


def _average(values: Floats, weights: Floats) -> Floats:
    """Return the means over groups, with shape (directions, scores, pairs)."""
    if weights.shape[1] == 1:
        return np.asarray(values[..., 0])
    mean = np.full(values.shape[:3], np.nan)
    for at, counted in enumerate(weights):
        common = counted > 0
        if common.any():
            mean[:, :, at] = average_groups(values[:, :, at][..., common], counted[common])
    return mean


def _average_others(values: Floats) -> Floats:
    """Return each clustering's mean score against all others, ignoring undefined scores."""
    both = (values + values.transpose(0, 2, 1)) / 2
    defined = ~np.isnan(both) & ~np.eye(values.shape[1], dtype=bool)
    means: Floats = divide(np.where(defined, both, 0.0).sum(axis=2), defined.sum(axis=2), np.nan)
    return means


@dataclass(frozen=True, eq=False)
class _Batch:
    """A batch of pairs of clusterings, with one contingency table per pair and group."""

    pairs: list[tuple[int, int]]
    tables: Statistics | Separate | None
    """The tables with the first clustering of each pair as gold, or None if there are no common
    items.
    """
    turn: Callable[[], Statistics | Separate]
    """A function that returns the tables with gold and system exchanged."""
    blocks: Ints
    """The index of each table, which is pair index · number of groups + group index."""


def _list_batches(panel: Panel) -> Iterator[_Batch]:
    """Yield the tables of all pairs, beginning with each clustering with itself."""
    if panel.weighted:
        for i in range(len(panel)):
            for j in range(i, len(panel)):
                yield _tabulate_weighted(panel, i, j)
        return
    selves = [(i, i) for i in range(len(panel))]
    for pairs in (selves, *panel.batches(_CELLS)):
        table, blocks = panel.tables(pairs)
        yield _Batch(pairs, table, lambda table=table: table.T, blocks)  # type: ignore[misc]


def _tabulate_weighted(panel: Panel, i: int, j: int) -> _Batch:
    """Return the tables of one pair of weighted clusterings."""
    kept = np.flatnonzero(panel.sides[i].answered() & panel.sides[j].answered())
    there = np.zeros(1, dtype=np.int64)
    groups = None if panel.groups is None else panel.groups[kept]
    if groups is not None:
        there, groups = np.unique(groups, return_inverse=True)

    def make(one: int, two: int) -> Statistics | Separate:
        gold, system = (take(panel.sides[at], kept) for at in (one, two))
        aligned = AlignedLabels(gold, system, groups, panel.group_names, 0, 0, ())
        return tabulate(aligned, pooled=panel.pooled)

    if not kept.size:
        return _Batch([(i, j)], None, lambda: make(j, i), there[:0])
    return _Batch([(i, j)], make(i, j), lambda: make(j, i), there)


Reasons = dict[tuple[int, int, int], str]
"""The reasons for undefined scores, keyed by pair index, direction and score index."""


def _evaluate(
    batch: _Batch, requests: Sequence[Request], groups: int
) -> tuple[Floats, Floats, Reasons]:
    """Return the scores and item counts of a batch, and the reasons for undefined scores.

    Values have the shape (directions, scores, pairs, groups). Numbers of items have the shape
    (pairs, groups).
    """
    count, blocks = len(batch.pairs), batch.blocks
    values = np.full((2, len(requests), count * groups), np.nan)
    items = np.zeros(count * groups)
    reasons: Reasons = {}
    if batch.tables is not None:
        tables = [batch.tables]
        one = batch.tables
        parts = [one] if isinstance(one, Statistics) else one.tables
        items[blocks] = np.hstack([np.atleast_1d(part.n) for part in parts])
        # Symmetric measures are computed in only one direction.
        if not all(measure.symmetric for measure, _ in requests):
            tables.append(batch.turn())
        for r, request in enumerate(requests):
            ways = tables[:1] if request[0].symmetric else tables
            for direction, way in enumerate(ways):
                values[direction, r, blocks], reason = evaluate(way, request)
                if reason is not None:
                    gaps = np.flatnonzero(np.isnan(values[direction, r, blocks])).tolist()
                    for at in gaps:
                        key = int(blocks[at]) // groups, direction, r
                        if key not in reasons:
                            reasons[key] = explain(way, at, request) or reason
            if len(ways) == 1:
                values[1, r] = values[0, r]
                reasons |= {(p, 1, q): why for (p, d, q), why in reasons.items() if q == r}
    shaped = values.reshape(2, len(requests), count, groups)
    return shaped, items.reshape(count, groups), reasons


def _bound(
    estimate: Floats, jackknife: Jackknife, requests: Sequence[Request]
) -> tuple[Floats, Floats]:
    """Return the lower and upper bounds of the confidence intervals of the scores."""
    nothing = np.empty((0, *estimate.shape))
    return interval_bounds("jackknife", estimate, nothing, jackknife, requests)


def _jackknife_items(
    panel: Panel, i: int, j: int, requests: Sequence[Request], parts: Ints
) -> Jackknife:
    """Return the scores of a pair of clusterings without each block of items."""
    count = int(parts.max()) + 1
    table = panel.without(i, j, parts, count)
    without = np.full((2, len(requests), count), np.nan)
    for r, request in enumerate(requests):
        without[0, r] = evaluate(table, request)[0]
        without[1, r] = without[0, r] if request[0].symmetric else evaluate(table.T, request)[0]
    left = without.reshape(2 * len(requests), count).T
    return Jackknife(left, np.ones(count), resolution=1 / panel.size)


class _Samples:
    """The scores of each clustering in each jackknife sample, summed over all other clusterings."""

    def __init__(self, size: int, requests: Sequence[Request]) -> None:
        self.size, self.requests = size, requests
        self.sums = self.counts = np.zeros(0)
        self.weights = np.ones(1)
        self.resolution = 0.0
        self.freedom: float | None = None

    def add(self, i: int, j: int, sample: Jackknife) -> None:
        """Add the scores of a pair of clusterings, averaged over both directions."""
        parts, scores = sample.without.shape[0], len(self.requests)
        if not self.sums.size:
            self.weights, self.resolution = sample.weights, sample.resolution
            self.sums = np.zeros((parts, scores, self.size))
            self.counts = np.zeros_like(self.sums)
        if sample.freedom is not None:
            least = float(np.min(sample.freedom))
            self.freedom = least if self.freedom is None else min(self.freedom, least)
        value = sample.without.reshape(parts, 2, scores).mean(axis=1)
        defined = ~np.isnan(value)
        for at in (i, j):
            self.sums[:, :, at] += np.where(defined, value, 0.0)
            self.counts[:, :, at] += defined

    def finish(self, means: Floats) -> tuple[Floats, Floats]:
        """Return the lower and upper confidence bounds of the means, with shape (scores,
        clusterings).
        """
        without = divide(self.sums, self.counts, np.nan).transpose(0, 2, 1)
        left = Jackknife(without, self.weights, self.freedom, self.resolution)
        low, high = _bound(means.T, left, self.requests)
        return low.T, high.T
