"""Baselines on the same gold standard: one big cluster, one cluster per item, random clusters.

A useful system beats all three. Baselines are not built item by item: their statistics follow from
the class and cluster sizes. The random baseline keeps the sizes and assigns the items at random, so
each cell is hypergeometric and most expectations are exact (see `hypergeometric`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from roget.core.types import Floats, Ints, Values
from roget.errors import Undefined
from roget.scoring.entropy.base import ONE, Estimator, Histogram, LinearEstimator, find_owners
from roget.scoring.labels.labels import Labels, take
from roget.scoring.measures.base import Measurable, Measure, divide
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.cover import Cover, Sets
from roget.scoring.tables.cover_table import CoverTable
from roget.scoring.tables.keys import count_pairs
from roget.scoring.tables.records import (
    BCubed,
    Elements,
    Matched,
    PairCounts,
    Sizes,
    pairs_among,
    pairs_within,
)
from roget.scoring.tables.statistics import Separate, Statistics
from roget.scoring.tables.weighted import WeightedSide, WeightedTable

NAMES = ("one cluster", "one per item", "random")

_MOST_ITEMS = 10**6
_MOST_CELLS = 250_000
"""Above these limits a baseline's table is not drawn; only measures that need cells lack it."""

DRAWS = 20
"""Number of random tables averaged, over all groups, if there is no exact expectation."""

_ITEMS_DRAWN = 50_000
"""Largest total number of items of the random tables that are averaged."""

_MOST_COVERED = 20_000
"""Largest number of items in overlapping clusters for which baselines are computed."""

MOST_DEALT = 10**9
"""Largest population that numpy's hypergeometric sampler accepts."""


def make_baselines(
    statistics: Statistics, seed: int = 0, draws: int = DRAWS, *, like_gold: bool = False
) -> dict[str, Measurable]:
    """Return the three baselines for the same items: one cluster, one per item, random.

    Quantities without an exact expectation are averaged over at most `draws` random tables. Random
    clusters have the sizes of the system's clusters or, with `like_gold`, of the gold classes.
    """
    draws = max(1, min(draws, int(_ITEMS_DRAWN // np.max(statistics.n))))
    # Permuting weights or memberships costs about ten times more than permuting hard labels.
    few = max(1, draws // 10)
    if isinstance(statistics, WeightedTable):
        return _make_weighted(statistics, seed, few, like_gold)
    if isinstance(statistics, CoverTable):
        return _make_covers(statistics.cover, seed, few, like_gold)
    table = statistics.table
    if table.fractional:
        # A table of fractions has no items that could get clusters of their own.
        return {"one cluster": one_cluster(table)}
    if table.held is not None or table.documents is not None:
        known = _keep_gold(table)
        if known is None:
            return {}
        return dict(zip(NAMES, (one_cluster(known), OnePerItem(known)), strict=False))
    rows, cuts = table.row_totals.astype(np.int64), table.cuts
    if like_gold:
        random = RandomSameSizes(rows, rows, seed, draws, None, cuts, cuts)
    else:
        columns = table.column_totals.astype(np.int64)
        random = RandomSameSizes(rows, columns, seed, draws, table, cuts, table.column_cuts)
    return dict(zip(NAMES, (one_cluster(table), OnePerItem(table), random), strict=True))


def make_group_baselines(
    tables: Statistics | Separate, seed: int, draws: int, *, like_gold: bool
) -> dict[str, Measurable]:
    """Return the baselines of all groups; only the ones that every group has."""
    if isinstance(tables, Statistics):
        return make_baselines(tables, seed, draws, like_gold=like_gold)
    groups = [
        make_baselines(table, seed + group, draws, like_gold=like_gold)
        for group, table in enumerate(tables.tables)
    ]
    common = [name for name in groups[0] if all(name in baselines for baselines in groups)]
    return {name: Separate([baselines[name] for baselines in groups]) for name in common}


def one_cluster(table: Contingency) -> Contingency:
    """Return the table of all items in one cluster."""
    rows = np.arange(table.shape[0])
    cuts = table.documents if table.cuts is None else table.cuts
    groups = find_owners(cuts, rows.size)
    whole = Contingency.from_cells(rows, groups, table.row_totals, table.gold)
    return replace(whole, cuts=table.cuts, documents=table.documents)


def _keep_gold(table: Contingency) -> Contingency | None:
    """Return the table of the items that gold has; None if a group has no such item."""
    if table.held is None:
        return table
    kept = np.flatnonzero(table.held.rows)
    starts = table.documents if table.cuts is None else table.cuts
    places = np.searchsorted(kept, np.append(ONE if starts is None else starts, table.shape[0]))
    if np.any(np.diff(places) == 0):
        return None
    cells = table.held.rows[table.rows]
    known = Contingency.from_cells(table.rows[cells], table.columns[cells], table.counts[cells])
    if table.cuts is not None:
        return replace(known, cuts=places[:-1])
    return known if table.documents is None else replace(known, documents=places[:-1])


def _make_weighted(
    table: WeightedTable, seed: int, draws: int, like_gold: bool
) -> dict[str, Measurable]:
    """Return the baselines of weighted labels; the random one permutes one side's items."""
    gold, n = table.gold, table.n
    like = gold if like_gold else table.system

    def compare_with(labels: Labels, known: Floats | None = None) -> Statistics:
        if gold.labels.weighted or labels.weighted:
            return WeightedTable.from_sides(gold, WeightedSide(labels, known))
        return Contingency.from_labels(gold.labels, labels)

    random = np.random.default_rng(seed)
    # A permutation of the items leaves the expected sizes of the labels unchanged.
    known = table.expected[0 if like_gold else 1]
    together, alone = Labels(np.zeros(n, dtype=np.int64), 1, None), Labels(np.arange(n), n, None)
    mixed = [compare_with(take(like.labels, random.permutation(n)), known) for _ in range(draws)]
    baselines = compare_with(together), compare_with(alone), Mean(mixed)
    return dict(zip(NAMES, baselines, strict=True))


def _make_covers(cover: Cover, seed: int, draws: int, like_gold: bool) -> dict[str, Measurable]:
    """Return the baselines of overlapping clusters; the random one permutes memberships."""
    n = cover.n
    if n > _MOST_COVERED:
        return {}
    items = np.repeat(np.arange(cover.times.size), cover.times.astype(np.int64))
    gold = cover.gold.take(items)
    like = gold if like_gold else cover.system.take(items)
    random = np.random.default_rng(seed)
    single, ones = np.arange(n + 1), np.ones(n)
    sides = [
        Sets(single, np.zeros(n, dtype=np.int64), ones, 1),
        Sets(single, np.arange(n), ones, n),
        *(like.take(random.permutation(n)) for _ in range(draws)),
    ]
    together, alone, *mixed = (CoverTable(Cover.from_sides(gold, sets)) for sets in sides)
    return dict(zip(NAMES, (together, alone, Mean(mixed)), strict=True))


@dataclass(frozen=True)
class Mean:
    """The mean scores of several tables."""

    tables: Sequence[Statistics]

    groups = None

    def block(self, group: int) -> Mean:
        """Return the object itself, which has no groups."""
        return self

    def measure(self, measure: str | Measure, entropy: str | Estimator = "ml") -> float:
        """Return the mean of the measure's values."""
        return float(self.measure_groups(measure, entropy)[0])

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats:
        """Return the mean of the measure's values in each group."""
        values = [table.measure_groups(measure, entropy) for table in self.tables]
        return np.asarray(sum(values) / len(values))


@dataclass(frozen=True, eq=False)
class OnePerItem(Statistics):
    """The baseline with one cluster per item."""

    source: Contingency
    """The table whose items and classes these are."""

    @property
    def n(self) -> Any:
        return self.source.n

    @property
    def groups(self) -> int | None:
        return self.source.groups

    def block(self, group: int) -> OnePerItem:
        """Return the baseline of one group."""
        return OnePerItem(self.source.block(group))

    @cached_property
    def joint(self) -> Histogram:
        items = np.atleast_1d(self.n)
        starts = None if self.groups is None else np.arange(items.size)
        return Histogram(np.ones_like(items), items, starts)

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes(self.source.sizes.gold, self.joint, self.n)

    @property
    def bcubed(self) -> BCubed:
        # Recall: each item has 1/size of its class, which adds up to 1 per class.
        return BCubed(1.0, self.sizes.classes / self.n)

    @property
    def matched(self) -> Matched:
        return Matched(self.sizes.classes, self.n)

    @property
    def elements(self) -> Elements:
        return _SingletonElements(self)

    @cached_property
    def table(self) -> Contingency:
        items = self.source.row_totals.sum()
        if items > _MOST_ITEMS:
            raise Undefined(f"one cluster per item is computed for up to {_MOST_ITEMS:,} items")
        sizes = self.source.row_totals.astype(np.int64)
        rows = np.repeat(np.arange(sizes.size), sizes)
        whole = Contingency.from_cells(rows, np.arange(items), np.ones(items, dtype=np.int64))
        return replace(whole, cuts=self.source.cuts, documents=self.source.documents)


@dataclass(frozen=True, eq=False)
class _SingletonElements(Elements):
    """Element-centric similarity of singletons: an item shares 1/size of its class's walk."""

    alone: OnePerItem

    def each(self, alpha: float, r: float = 1.0) -> Floats:
        return np.asarray(1 / self.alone.source.row_totals)

    def mean(self, alpha: float, r: float = 1.0) -> Values:
        return self.alone.sizes.classes / self.alone.n


@dataclass(frozen=True, eq=False)
class RandomSameSizes(Statistics):
    """The random baseline: clusters of the same sizes, with items assigned at random.

    Entropies under linear estimators, pair counts and B-cubed are exact expectations; measures that
    need a table are averaged over random tables.
    """

    row_totals: Ints
    column_totals: Ints
    seed: int = 0
    draws: int = 1
    source: Contingency | None = None
    """The table with these sizes, if there is one; its statistics of the sizes are reused."""
    cuts: Ints | None = None
    column_cuts: Ints | None = None
    """The first row and column of each group; None for one table."""
    thorough: bool = False
    """True to draw large tables too, although it takes longer than a score."""

    def _compute(self, measure: Measure, estimator: Estimator) -> Values:
        """Return the expected value, or the mean over random tables if the measure needs cells."""
        linear = isinstance(estimator, LinearEstimator)
        cells = {"table", "joint", "matched", "elements", "cover", "degrees", "tree"}
        if cells & set(measure.needs) or (measure.uses_entropy and not linear):
            mean = Mean(self.tables).measure_groups(measure, estimator)
            return mean[0] if self.groups is None else np.where(self._too_large, np.nan, mean)
        return super()._compute(measure, estimator)

    @property
    def groups(self) -> int | None:
        return None if self.cuts is None else self.cuts.size

    def block(self, group: int) -> RandomSameSizes:
        """Return the baseline of one group."""
        if self.cuts is None or self.column_cuts is None:
            return self
        rows, columns = (
            slice(cuts[group], cuts[group + 1] if group + 1 < cuts.size else None)
            for cuts in (self.cuts, self.column_cuts)
        )
        sizes = self.row_totals[rows], self.column_totals[columns]
        return RandomSameSizes(*sizes, self.seed + group, self.draws)

    @cached_property
    def n(self) -> Any:
        return self.sizes.gold.total

    @cached_property
    def sizes(self) -> Sizes:
        if self.source is not None:
            return self.source.sizes
        gold = Histogram.from_counts(self.row_totals, self.cuts)
        return Sizes(gold, Histogram.from_counts(self.column_totals, self.column_cuts), gold.total)

    @property
    def perfect(self) -> Any:
        # Only one clustering has such sizes: all items together, or each alone.
        c, k, n = self.sizes.classes, self.sizes.clusters, self.sizes.n
        return (np.equal(c, 1) & np.equal(k, 1)) | (np.equal(c, n) & np.equal(k, n))

    @cached_property
    def random_cells(self) -> Histogram:
        return super().random_cells if self.source is None else self.source.random_cells

    def _estimate_joint(self, estimator: Estimator, support: Any) -> Values:
        if not isinstance(estimator, LinearEstimator):
            return self.table.entropies(estimator).joint
        return estimator.expect(self.random_cells, self.n, self._cells)

    @cached_property
    def pairs(self) -> PairCounts:
        gold, system = map(pairs_within, (self.sizes.gold, self.sizes.system))
        total = pairs_among(self.n)
        # A pair together in gold is together in the system with probability system/total.
        return PairCounts(total, gold, system, divide(gold * system, total))

    @property
    def bcubed(self) -> BCubed:
        pairs, n = self.pairs, self.n
        c, k = self.sizes.classes, self.sizes.clusters
        square = 2 * pairs.total + n  # n²
        # Σ E[x²]/b over cells of class size a and cluster size b, with the second moment
        # E[x²] = ab/n + a(a−1)·b(b−1)/(n(n−1)); Σ a(a−1) = 2·pairs.gold, Σ (b−1) = n − k.
        precision = (divide(2 * pairs.gold * (n - k), n - 1) + n * k) / square
        recall = (divide(2 * pairs.system * (n - c), n - 1) + n * c) / square
        return BCubed(precision, recall)

    @property
    def table(self) -> Contingency:
        return self.tables[0]

    @cached_property
    def tables(self) -> list[Contingency]:
        """Random tables with these sizes."""
        random = np.random.default_rng(self.seed)
        if np.all(self._too_large):
            raise Undefined("a random table of this size would take longer than the score")
        return [self.draw(random) for _ in range(self.draws)]

    @cached_property
    def _too_large(self) -> Any:
        """True for groups whose tables are drawn neither item by item nor cell by cell."""
        large = np.greater(self.n, _MOST_CELLS) & np.greater(self._cells, _MOST_CELLS)
        return large & (not self.thorough)

    @property
    def _cells(self) -> Any:
        return self.sizes.classes * self.sizes.clusters

    @cached_property
    def _few(self) -> Any:
        """True for groups whose tables are drawn item by item."""
        fewer = self.thorough & np.less(self.n, self._cells)
        return np.atleast_1d(np.less_equal(self.n, _MOST_CELLS) | fewer)

    @cached_property
    def _items(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The group of each class and cluster, and the class and cluster of each item to draw."""
        sides = []
        for cuts, totals in (
            (self.cuts, self.row_totals),
            (self.column_cuts, self.column_totals),
        ):
            own = find_owners(cuts, totals.size)
            few = self._few[own]
            sides.append((own, np.repeat(np.arange(totals.size), np.where(few, totals, 0))))
        (row_group, rows), (column_group, columns) = sides
        return row_group, column_group, rows, columns

    def draw(self, random: np.random.Generator) -> Contingency:
        """Draw one table, item by item, or cell by cell if there are many items."""
        _, column_group, rows, columns = self._items
        c, k = self.row_totals.size, self.column_totals.size
        mixed = random.permutation(columns.size)
        if self.cuts is not None:
            from scipy.sparse import csr_array

            # Items are shuffled as a whole and then put back into their groups: building a
            # sparse matrix does this in linear time, sorting would not.
            places = column_group[columns[mixed]], np.arange(mixed.size)
            mixed = csr_array((mixed, places), (np.size(self.n), mixed.size)).data
        keys, counts = count_pairs(rows, columns[mixed], k, c * k)
        if not self._few.all():
            keys, counts = self._draw_cells(random, keys, counts)
        whole = Contingency.from_cells(*np.divmod(keys, k), counts)
        return replace(whole, cuts=self.cuts)

    def _draw_cells(
        self, random: np.random.Generator, keys: Ints, counts: Ints
    ) -> tuple[Ints, Ints]:
        """Add the cells of tables of many items, which are drawn cell by cell."""
        row_group, column_group, _, _ = self._items
        parts, k = [(keys, counts)], self.column_totals.size
        for group in np.flatnonzero(~self._few).tolist():
            own, other = np.flatnonzero(row_group == group), np.flatnonzero(column_group == group)
            if np.atleast_1d(self._too_large)[group]:
                other = other[:1]
            drawn = _draw_table(random, self.row_totals[own], self.column_totals[other])
            held = drawn > 0
            parts.append(((own[:, None] * k + other)[held], drawn[held]))
        keys, counts = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(keys, kind="stable")
        return keys[order], counts[order]


def _draw_table(random: np.random.Generator, rows: Ints, columns: Ints) -> Ints:
    """Draw a table with these sums, row by row from the items that remain.

    Beyond the sampler's limit rows are multinomial, so column sums are only right on average.
    """
    if columns.size == 1 or columns.sum() >= MOST_DEALT:
        return random.multinomial(rows, columns / columns.sum())
    left, drawn = columns.copy(), np.empty((rows.size, columns.size), dtype=np.int64)
    for row, size in enumerate(rows.tolist()):
        drawn[row] = random.multivariate_hypergeometric(left, size, method="marginals")
        left -= drawn[row]
    return drawn
