"""What trivial answers get on the same gold standard: the least a system has to beat.

None of them is built item by item: their statistics follow from the class and cluster sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from roget.core.information import weighted_sum
from roget.core.types import FloatArray, IntArray
from roget.errors import Undefined
from roget.scoring.cells.contingency import Contingency, pairs_within
from roget.scoring.cells.statistics import (
    BCubed,
    Entropies,
    Matched,
    PairCounts,
    Sizes,
    Statistics,
)
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

    def compare_with(labels: Labels, known: FloatArray | None = None) -> Statistics:
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

    row_totals: IntArray
    column_totals: IntArray
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
    def random_cells(self) -> tuple[FloatArray, FloatArray]:
        return super().random_cells if self.answered is None else self.answered.random_cells

    def _estimate(self, estimator: Estimator) -> Entropies:
        if not isinstance(estimator, LinearEstimator):
            return self.table.entropies(estimator)
        c, k = self.sizes.classes, self.sizes.clusters
        counts, cells = self.random_cells
        joint = weighted_sum(estimator.coefficients(counts, self.n, c * k), cells)
        empty = c * k - float(cells.sum())
        product = estimator.joint_support == "product"
        return Entropies(
            estimator(self.sizes.gold, c if product else None),
            estimator(self.sizes.system, k if product else None),
            joint + empty * estimator.empty_cell(self.n, c * k),
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
