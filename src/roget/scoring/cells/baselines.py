"""What trivial answers get on the same gold standard: the least a system has to beat.

None of them is built item by item: their statistics follow from the class and cluster sizes.
Under random labelling with fixed sizes each cell of the table is hypergeometric. All we ever need
is how many cells hold each count on average, exactly; that is a histogram like any other, and
every linear estimator can be asked of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from roget.core.types import Floats, Ints
from roget.errors import Undefined
from roget.scoring.cells.contingency import Contingency, pairs_within
from roget.scoring.cells.statistics import BCubed, Entropies, Matched, PairCounts, Sizes, Statistics
from roget.scoring.entropy import Estimator, Histogram, LinearEstimator
from roget.scoring.entropy import get as get_estimator
from roget.scoring.labels.labels import Labels, take
from roget.scoring.measures.base import Measurable, Measure, parse

if TYPE_CHECKING:
    from roget.scoring.cells.weighted import WeightedTable

NAMES = ("one cluster", "one per item", "random")

_MOST_ITEMS = 10**6
_MOST_CELLS = 250_000
"""Beyond these a baseline's table is not drawn; only measures that look at cells miss it."""

DRAWS = 20
"""How many random answers are averaged, over all groups, where there is no exact expectation."""

_ITEMS_DRAWN = 50_000
"""Several random tables are averaged while they hold no more items than this together."""


def answer_trivially(
    statistics: Statistics, seed: int = 0, draws: int = DRAWS, *, like_gold: bool = False
) -> dict[str, Measurable]:
    """The three trivial answers to the same items: one cluster, one per item, random.

    What has no exact expectation over random answers is averaged over (at most) `draws` of them.
    Random clusters have the sizes of the system's, or of the gold classes.
    """
    draws = max(1, min(draws, int(_ITEMS_DRAWN // statistics.n)))
    if not isinstance(statistics, Contingency):
        from roget.scoring.cells.weighted import WeightedTable

        if isinstance(statistics, WeightedTable):
            # Dealing weights costs some ten times more than shuffling labels.
            return _answer_weighted(statistics, seed, max(1, draws // 10), like_gold)
    table = statistics.table
    if table.counts.dtype.kind == "f":
        # A table of fractions has no items to give a cluster of their own.
        return {"one cluster": one_cluster(table)}
    rows, columns = table.row_totals.astype(np.int64), table.column_totals.astype(np.int64)
    if like_gold:
        random = RandomSameSizes(rows, rows, seed, draws)
    else:
        random = RandomSameSizes(rows, columns, seed, draws, table)
    return dict(zip(NAMES, (one_cluster(table), OnePerItem(table), random), strict=True))


def one_cluster(table: Contingency) -> Contingency:
    """All items together."""
    rows = np.arange(table.shape[0])
    return Contingency.from_cells(rows, np.zeros_like(rows), table.row_totals, table.gold)


def _answer_weighted(
    table: WeightedTable, seed: int, draws: int, like_gold: bool
) -> dict[str, Measurable]:
    """The same on weighted answers; random is one side's answers dealt out anew."""
    from roget.scoring.cells.weighted import Side, WeightedTable

    gold, n = table.gold, table.n
    like = gold if like_gold else table.system

    def compare_with(labels: Labels, known: Floats | None = None) -> Statistics:
        if gold.labels.weighted or labels.weighted:
            return WeightedTable.from_sides(gold, Side(labels, known))
        return Contingency.from_labels(gold.labels, labels)

    random = np.random.default_rng(seed)
    known = table.expected[0 if like_gold else 1]
    together, alone = Labels(np.zeros(n, dtype=np.int64), 1, None), Labels(np.arange(n), n, None)
    dealt = [compare_with(take(like.labels, random.permutation(n)), known) for _ in range(draws)]
    answers = compare_with(together), compare_with(alone), Mean(dealt)
    return dict(zip(NAMES, answers, strict=True))


@dataclass(frozen=True)
class Mean:
    """The average answer of several tables."""

    tables: Sequence[Statistics]

    def measure(self, measure: str | Measure, entropy: str | Estimator = "ml") -> float:
        """The mean of the measure's values."""
        values = [table.measure(measure, entropy) for table in self.tables]
        return sum(values) / len(values)


@dataclass(frozen=True, eq=False)
class OnePerItem(Statistics):
    """Every item a cluster of its own."""

    answered: Contingency

    @property
    def n(self) -> int:
        return int(self.answered.n)

    @cached_property
    def joint(self) -> Histogram:
        return Histogram(np.array([1]), np.array([self.n]))

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes(self.answered.sizes.gold, self.joint, self.n)

    @property
    def pairs(self) -> PairCounts:
        given = self.answered.pairs
        return PairCounts(given.total, given.gold, 0, 0)

    @property
    def bcubed(self) -> BCubed:
        return BCubed(1.0, self.sizes.classes / self.n)

    @property
    def matched(self) -> Matched:
        return Matched(self.sizes.classes, self.n)

    @cached_property
    def table(self) -> Contingency:
        if self.n > _MOST_ITEMS:
            raise Undefined(f"not computed for one cluster per item beyond {_MOST_ITEMS} items")
        sizes = self.answered.row_totals.astype(np.int64)
        rows = np.repeat(np.arange(sizes.size), sizes)
        return Contingency.from_cells(rows, np.arange(self.n), np.ones(self.n, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class RandomSameSizes(Statistics):
    """The system's cluster sizes, filled at random: expected values where they have a formula.

    Entropies under linear estimators, pair counts and B-cubed are exact expectations; what needs
    a table is averaged over random draws.
    """

    row_totals: Ints
    column_totals: Ints
    seed: int = 0
    draws: int = 1
    answered: Contingency | None = None
    """The table whose sizes these are: what both need is computed once."""

    def measure(self, measure: str | Measure, entropy: str | Estimator = "ml") -> float:
        """The expected value, or the mean over drawn tables where the measure looks at cells."""
        wanted = parse(measure)
        linear = isinstance(get_estimator(entropy), LinearEstimator)
        if {"table", "matched"} & set(wanted.needs) or (wanted.uses_entropy and not linear):
            return Mean(self.tables).measure(wanted, entropy)
        return super().measure(wanted, entropy)

    @cached_property
    def n(self) -> int:
        return int(self.row_totals.sum())

    @cached_property
    def sizes(self) -> Sizes:
        if self.answered is not None:
            return self.answered.sizes
        return Sizes(Histogram.of(self.row_totals), Histogram.of(self.column_totals), self.n)

    @property
    def perfect(self) -> bool:
        return self.sizes.classes == 1 == self.sizes.clusters

    @property
    def joint(self) -> Histogram:
        return self.table.joint

    @cached_property
    def random_cells(self) -> tuple[Floats, Floats]:
        return super().random_cells if self.answered is None else self.answered.random_cells

    def _estimate(self, estimator: Estimator) -> Entropies:
        if not isinstance(estimator, LinearEstimator):
            return self.table.entropies(estimator)
        c, k = self.sizes.classes, self.sizes.clusters
        product = estimator.joint_support == "product"
        return Entropies(
            estimator(self.sizes.gold, c if product else None),
            estimator(self.sizes.system, k if product else None),
            estimator.expect(*self.random_cells, self.n, c * k),
        )

    @property
    def pairs(self) -> PairCounts:
        total = self.n * (self.n - 1) // 2
        gold, system = pairs_within(self.sizes.gold), pairs_within(self.sizes.system)
        return PairCounts(total, gold, system, gold * system / total if total else 0.0)

    @property
    def bcubed(self) -> BCubed:
        pairs, n = self.pairs, self.n
        c, k = self.sizes.classes, self.sizes.clusters
        if n == 1:
            return BCubed(1.0, 1.0)
        # Σ E[x²]/size over cells, where E[x²] is the hypergeometric second moment.
        precision = (2 * pairs.gold * (n - k) / (n - 1) + n * k) / n**2
        recall = (2 * pairs.system * (n - c) / (n - 1) + n * c) / n**2
        return BCubed(float(precision), float(recall))

    @property
    def matched(self) -> Matched:
        return self.table.matched

    @property
    def table(self) -> Contingency:
        return self.tables[0]

    @cached_property
    def tables(self) -> list[Contingency]:
        """Random tables: these sizes exactly, or on average where there are very many items."""
        random = np.random.default_rng(self.seed)
        return [self._drawn(random) for _ in range(self.draws)]

    def _drawn(self, random: np.random.Generator) -> Contingency:
        c, k = self.row_totals.size, self.column_totals.size
        if self.n <= _MOST_CELLS:
            rows = np.repeat(np.arange(c), self.row_totals)
            columns = np.repeat(np.arange(k), self.column_totals)
            random.shuffle(columns)
            return Contingency.from_labels(Labels(rows, c, None), Labels(columns, k, None))
        if c * k > _MOST_CELLS:
            raise Undefined("not drawn: a random table of this size takes longer than the score")
        shares = self.column_totals / self.n
        return Contingency.from_table(random.multinomial(self.row_totals, shares))


_TAIL = math.log(2.0 / 1e-19)
"""Each window leaves out at most 1e-19 of its cell's probability."""

_SMOOTH_VARIANCE = 400.0
"""From here on a cell's distribution is integrated as a smooth one, not summed count by count."""

_CHUNK = 1 << 15
_PAIRS = 1 << 20

_TALLIED = 1 << 14
"""Counts below this are added up in an array; larger ones, being rare, are listed."""


def expected_cells(gold: Histogram, system: Histogram, total: int) -> tuple[Floats, Floats, float]:
    """Counts, the expected number of cells that hold each, and the expected number of empty cells.

    Counts may repeat. Where a cell's distribution is wide and smooth, they are the nodes of a
    quadrature (not whole numbers) that integrates smooth functions of the count.
    """
    counts: list[Floats] = []
    weights: list[Floats] = []
    empty = 0.0
    rows = max(1, _PAIRS // system.counts.size)
    for begin in range(0, gold.counts.size, rows):
        part = slice(begin, begin + rows)
        a = np.repeat(gold.counts[part], system.counts.size).astype(np.float64)
        b = np.tile(system.counts, gold.counts[part].size).astype(np.float64)
        cells = np.outer(gold.cells[part], system.cells).ravel().astype(np.float64)
        empty += _add_cells(a, b, cells, float(total), counts, weights)
    return np.concatenate(counts), np.concatenate(weights), empty


def _add_cells(
    a: Floats, b: Floats, cells: Floats, n: float, counts: list[Floats], weights: list[Floats]
) -> float:
    """Append what cells with margins a and b hold on average; return how many hold nothing."""
    # The variance of sampling without replacement is below either binomial's.
    binomial = np.minimum(a * (b / n) * (1 - b / n), b * (a / n) * (1 - a / n))
    variance = a * (b / n) * (1 - b / n) * (n - a) / max(n - 1.0, 1.0)
    smooth = variance >= _SMOOTH_VARIANCE
    narrow = ~smooth
    empty = 0.0
    if narrow.any():
        held, mass, empty = _summed(a[narrow], b[narrow], cells[narrow], n, binomial[narrow])
        counts.append(held)
        weights.append(mass)
    if smooth.any():
        nodes, mass = _smooth(a[smooth], b[smooth], cells[smooth], n, variance[smooth])
        counts.append(nodes)
        weights.append(mass)
    return empty


def _summed(
    a: Floats, b: Floats, cells: Floats, n: float, variance: Floats
) -> tuple[Floats, Floats, float]:
    """Every count of every cell, within windows whose tails are below 1e-19."""
    low, high = _window(a, b, n, variance)
    widths = (high - low + 1).astype(np.int64)
    order = np.argsort(widths, kind="stable")
    histogram = np.zeros(_TALLIED + int(widths.max()))
    large_counts, large_cells = [], []
    begin = 0
    while begin < order.size:
        # Cells of similar width share one rectangular block, so little of it is padding.
        end = min(order.size, begin + max(1, _CHUNK // int(widths[order[begin]])))
        end = max(begin + 1, min(end, begin + _CHUNK // int(widths[order[end - 1]])))
        chosen = order[begin:end]
        begin = end
        counts, probability = _block(a[chosen], b[chosen], low[chosen], int(widths[chosen[-1]]), n)
        probability *= cells[chosen, None]
        few = low[chosen] < _TALLIED
        histogram += np.bincount(
            counts[few].astype(np.intp).ravel(), probability[few].ravel(), histogram.size
        )
        large_counts.append(counts[~few].ravel())
        large_cells.append(probability[~few].ravel())
    held = np.flatnonzero(histogram[1:]) + 1
    return (
        np.concatenate([held, *large_counts]),
        np.concatenate([histogram[held], *large_cells]),
        float(histogram[0]),
    )


def _block(a: Floats, b: Floats, low: Floats, width: int, n: float) -> tuple[Floats, Floats]:
    """Counts and probabilities of one block of cells, by the ratio of neighbours.

    A ratio is 0 at the largest possible count, so whatever lies beyond it is 0 as well.
    """
    counts = low[:, None] + np.arange(width, dtype=np.float64)
    here = counts[:, :-1]
    ratios = a[:, None] - here
    ratios *= b[:, None] - here
    below = here + 1.0
    below *= here + (n - a - b + 1.0)[:, None]
    ratios /= below
    probability = np.ones_like(counts)
    np.cumprod(ratios, axis=1, out=probability[:, 1:])
    probability /= probability.sum(axis=1, keepdims=True)
    return counts, probability


def _window(a: Floats, b: Floats, n: float, variance: Floats) -> tuple[Floats, Floats]:
    """The counts outside of which less than 1e-19 of the probability lies.

    Bernstein's bound below the mean, Chernoff's (by Newton's method, which approaches the root
    from the safe side) above it; both hold for sampling without replacement.
    """
    mean = a * b / n
    reach = _TAIL / 3 + np.sqrt(_TAIL**2 / 9 + 2 * _TAIL * variance)
    top = mean + reach
    for _ in range(4):
        excess = top * np.log(top / mean) - top + mean - _TAIL
        top = np.minimum(top, top - excess / np.maximum(np.log(top / mean), 1e-9))
    top = np.minimum(np.maximum(top, mean), mean + reach)
    low = np.maximum(np.ceil(mean - reach), np.maximum(0.0, a + b - n))
    high = np.minimum(np.floor(top) + 1, np.minimum(a, b))
    return low, np.maximum(high, low)


def _smooth(
    a: Floats, b: Floats, cells: Floats, n: float, variance: Floats
) -> tuple[Floats, Floats]:
    """Wide cells: seven Gauss–Hermite nodes, weighted by the Edgeworth series to fourth order.

    What is left out of E[n log n] is of the order .05/mean³ per cell, below 1e-11 in all.
    """
    skewness = (n - 2 * a) * (n - 2 * b) / (n * (n - 2)) / np.sqrt(variance)
    spread = a * b * (n - a) * (n - b)
    shape = n * (n + 1) - 6 * a * (n - a) - 6 * b * (n - b)
    kurtosis = ((n - 1) * n * n * shape + 6 * spread * (5 * n - 6)) / (spread * (n - 2) * (n - 3))
    x, weight = np.polynomial.hermite_e.hermegauss(7)
    he3 = x**3 - 3 * x
    he4 = x**4 - 6 * x**2 + 3
    he6 = x**6 - 15 * x**4 + 45 * x**2 - 15
    weights = (weight / weight.sum()) * (
        1
        + np.outer(skewness, he3) / 6
        + np.outer(kurtosis, he4) / 24
        + np.outer(skewness**2, he6) / 72
    )
    nodes = (a * b / n)[:, None] + np.outer(np.sqrt(variance), x)
    return nodes.ravel(), (weights * cells[:, None]).ravel()
