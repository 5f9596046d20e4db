"""Baselines on the same gold standard: one big cluster, one cluster per item, random clusters.

A useful system beats all three. The baselines are not built item by item, because their statistics
follow from the class sizes a, the cluster sizes b and the number of items n. The random baseline
assigns the items at random to clusters of the same sizes, so the count x of each cell is
hypergeometric (see `hypergeometric`), with

    (1)  E[x] = ab/n,   E[x²] = ab/n + a(a−1)·b(b−1)/(n(n−1)).

Its expected pair counts and B-cubed scores follow from these moments, and the expectations of
linear entropy estimators from the distribution of x:

    (2)  E[pairs in both] = (pairs in gold)·(pairs in the system)/(all pairs),
    (3)  E[B-cubed precision] = (1/n)·Σ_cells E[x²]/b,   E[B-cubed recall] = (1/n)·Σ_cells E[x²]/a.

Other measures are averaged over random tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from roget.core.types import BoolArray, Floats, Ints, Values
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

_MAX_ITEMS = 10**6
_MAX_CELLS = 250_000
"""Maximum size of baseline tables.

Above these limits, no baselines are computed for measures that require a table.
"""

DRAWS = 20
"""Number of random tables that are averaged if no exact expectation is known."""

_ITEMS_DRAWN = 50_000
"""Maximum total number of items in all random tables.

If there are many items, fewer tables are drawn.
"""

_MAX_COVERED = 20_000
"""Largest number of items for which baselines with overlapping clusters are computed."""

MAX_SAMPLED = 10**9
"""Largest population that numpy's hypergeometric sampler accepts."""


def make_baselines(
    statistics: Statistics | Separate,
    seed: int = 0,
    draws: int = DRAWS,
    *,
    like_gold: bool = False,
) -> dict[str, Measurable]:
    """Return the baselines, keyed by name: one cluster, one cluster per item, and random clusters.

    Quantities without an exact expectation are averaged over at most `draws` random tables. Random
    clusters have the sizes of the system's clusters or, with `like_gold`, of the gold classes. If
    groups have separate statistics, only the baselines that exist for all groups are returned.
    """
    if isinstance(statistics, Separate):
        groups = [
            make_baselines(table, seed + group, draws, like_gold=like_gold)
            for group, table in enumerate(statistics.tables)
        ]
        common = [name for name in groups[0] if all(name in baselines for baselines in groups)]
        return {name: Separate([baselines[name] for baselines in groups]) for name in common}
    draws = max(1, min(draws, int(_ITEMS_DRAWN // np.max(statistics.n))))
    # Permuting weights or memberships takes about ten times as long as permuting hard labels.
    few = max(1, draws // 10)
    if isinstance(statistics, WeightedTable):
        return _make_weighted(statistics, seed, few, like_gold)
    if isinstance(statistics, CoverTable):
        return _make_covers(statistics.cover, seed, few, like_gold)
    table = statistics.table
    if table.fractional:
        # The individual items of a fractional table are unknown, so only the baseline with one
        # cluster can be computed.
        return {"one cluster": one_cluster(table)}
    if table.held is not None or table.documents is not None:
        # For coreference mentions, the baselines cluster the gold mentions, and there is no random
        # baseline.
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


def one_cluster(table: Contingency) -> Contingency:
    """Return the table of the one-cluster baseline (one cluster per group or document)."""
    # Each row has a single cell, which contains all items of the class.
    rows = np.arange(table.shape[0])
    cuts = table.documents if table.cuts is None else table.cuts
    groups = find_owners(cuts, rows.size)
    whole = Contingency.from_cells(rows, groups, table.row_totals, table.gold)
    return replace(whole, cuts=table.cuts, documents=table.documents)


def _keep_gold(table: Contingency) -> Contingency | None:
    """Drop items that are missing from gold.

    Return the table, or None if this leaves a group empty.
    """
    if table.held is None:
        return table
    # `places` contains the index of the first remaining row of each group, followed by the number
    # of remaining rows.
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
    """Return the baselines for weighted labels. The random baseline permutes labels among items."""
    gold, n = table.gold, table.n
    like = gold if like_gold else table.system

    def compare_with(labels: Labels, known: Floats | None = None) -> Statistics:
        if gold.labels.weighted or labels.weighted:
            return WeightedTable.from_sides(gold, WeightedSide(labels, known))
        return Contingency.from_labels(gold.labels, labels)

    random = np.random.default_rng(seed)
    # Permuting the items does not change the expected sizes of the clusters.
    known = table.expected[0 if like_gold else 1]
    together, alone = Labels(np.zeros(n, dtype=np.int64), 1, None), Labels(np.arange(n), n, None)
    mixed = [compare_with(take(like.labels, random.permutation(n)), known) for _ in range(draws)]
    baselines = compare_with(together), compare_with(alone), Mean(mixed)
    return dict(zip(NAMES, baselines, strict=True))


def _make_covers(cover: Cover, seed: int, draws: int, like_gold: bool) -> dict[str, Measurable]:
    """Return the baselines for overlapping clusters.

    The random baseline permutes memberships among items.
    """
    n = cover.n
    if n > _MAX_COVERED:
        return {}
    # A cover stores items with identical memberships only once, together with their number, so
    # repeat them to obtain individual items.
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
    """Mean scores over several tables."""

    tables: Sequence[Statistics]

    groups = None

    def block(self, group: int) -> Mean:
        """Return this object, because there are no groups."""
        return self

    def measure(self, measure: str | Measure, entropy: str | Estimator = "ml") -> float:
        """Return the mean of the measure's values."""
        return float(self.measure_groups(measure, entropy)[0])

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats:
        """Return the mean of the measure's values in each group."""
        values = [table.measure_groups(measure, entropy) for table in self.tables]
        return np.asarray(sum(values) / len(values))


class OnePerItem(Statistics):
    """The baseline with one cluster per item. `source` provides the items and classes."""

    def __init__(self, source: Contingency) -> None:
        self.source, self.groups = source, source.groups
        # There are n non-empty cells, each with one item. The cluster sizes have the same
        # histogram as the cell counts.
        items = np.atleast_1d(source.n)
        starts = None if self.groups is None else np.arange(items.size)
        joint = Histogram(np.ones_like(items), items, starts)
        sizes = Sizes(source.sizes.gold, joint, source.n)
        vars(self).update(
            n=source.n,
            joint=joint,
            sizes=sizes,
            # Clusters are pure, so precision is 1. The recall of an item is 1/(size of its class).
            # These values sum to 1 over the items of a class.
            bcubed=BCubed(1.0, sizes.classes / source.n),
            # Each class is matched with one of its single-item clusters.
            matched=Matched(sizes.classes, source.n),
        )

    def block(self, group: int) -> OnePerItem:
        """Return the baseline of one group."""
        return OnePerItem(self.source.block(group))

    @property
    def elements(self) -> Elements:
        return _SingletonElements(self)

    @cached_property
    def table(self) -> Contingency:
        items = self.source.row_totals.sum()
        if items > _MAX_ITEMS:
            raise Undefined(f"this baseline supports at most {_MAX_ITEMS:,} items")
        sizes = self.source.row_totals.astype(np.int64)
        rows = np.repeat(np.arange(sizes.size), sizes)
        whole = Contingency.from_cells(rows, np.arange(items), np.ones(items, dtype=np.int64))
        return replace(whole, cuts=self.source.cuts, documents=self.source.documents)


@dataclass(frozen=True, eq=False)
class _SingletonElements(Elements):
    """Element-centric similarity of singleton clusters.

    The walk over clusters stays at the item, while the walk over classes is at the item with
    probability 1/size, so the similarity is 1/size.
    """

    alone: OnePerItem

    def each(self, alpha: float, r: float = 1.0) -> Floats:
        return np.asarray(1 / self.alone.source.row_totals)

    def mean(self, alpha: float, r: float = 1.0) -> Values:
        return self.alone.sizes.classes / self.alone.n


@dataclass(frozen=True, eq=False)
class RandomSameSizes(Statistics):
    """The random baseline: clusters of the given sizes, with items assigned at random.

    Entropies under linear estimators, pair counts and B-cubed are exact expectations. Measures that
    need a table are averaged over random tables.
    """

    row_totals: Ints
    column_totals: Ints
    seed: int = 0
    draws: int = 1
    source: Contingency | None = None
    """An optional table with the same class and cluster sizes, whose size statistics are reused."""
    cuts: Ints | None = None
    column_cuts: Ints | None = None
    """The first row and the first column of each group, or None for a single table."""
    thorough: bool = False
    """True if large tables are also sampled, which may take longer than scoring the system."""
    too_large: Any = field(init=False, repr=False)
    """A mask of the groups with too many items and cells for sampling."""
    few: BoolArray = field(init=False, repr=False)
    """A mask of the groups in which items are sampled one by one."""

    sampled = frozenset({"table", "joint", "matched", "elements", "cover", "degrees", "tree"})

    def _average(self, measure: Measure, estimator: Estimator) -> Floats:
        values = [table.measure_groups(measure, estimator) for table in self.tables]
        return np.where(self.too_large, np.nan, sum(values) / len(values))

    def __post_init__(self) -> None:
        if self.source is not None:
            sizes = self.source.sizes
        else:
            gold = Histogram.from_counts(self.row_totals, self.cuts)
            system = Histogram.from_counts(self.column_totals, self.column_cuts)
            sizes = Sizes(gold, system, gold.total)
        c, k, n = sizes.classes, sizes.clusters, sizes.n
        # Sample a group item by item unless it has too many items, and otherwise cell by cell
        # unless it has too many cells.
        too_large = np.greater(n, _MAX_CELLS) & np.greater(c * k, _MAX_CELLS)
        few = np.less_equal(n, _MAX_CELLS) | (self.thorough & np.less(n, c * k))
        vars(self).update(
            groups=None if self.cuts is None else self.cuts.size,
            n=n,
            sizes=sizes,
            # Random clusters are certain to equal the classes only if both consist of one big
            # cluster, or both of singletons.
            perfect=(np.equal(c, 1) & np.equal(k, 1)) | (np.equal(c, n) & np.equal(k, n)),
            too_large=too_large & (not self.thorough),
            few=np.atleast_1d(few),
        )

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

    def _estimate_joint(self, estimator: Estimator, support: Any) -> Values:
        if not isinstance(estimator, LinearEstimator):
            return self.table.entropies(estimator).joint
        # E[Ĥ] = Σ_j a(j, n)·E[h_j], where E[h_j] is the exact expected number of cells with count
        # j.
        sizes = self.sizes
        return estimator.expect(sizes.random_cells, sizes.n, sizes.classes * sizes.clusters)

    @cached_property
    def pairs(self) -> PairCounts:
        gold, system = map(pairs_within, (self.sizes.gold, self.sizes.system))
        total = pairs_among(self.n)
        # Equation (2): a pair that is joined in gold is joined in the system with probability
        # system/total.
        return PairCounts(total, gold, system, divide(gold * system, total))

    @cached_property
    def bcubed(self) -> BCubed:
        pairs, n = self.pairs, self.n
        c, k = self.sizes.classes, self.sizes.clusters
        square = 2 * pairs.total + n  # n²
        # Equation (3): substitute the second moment (1), and sum over the classes and clusters,
        # with Σ a = n, Σ a(a−1) = 2·pairs.gold and Σ (b−1) = n − k:
        #   Σ E[x²]/b = (1/n)·Σ a·k + Σ a(a−1)·Σ (b−1)/(n(n−1)) = k + 2·pairs.gold·(n−k)/(n(n−1)).
        # Multiply by n before dividing by n², to keep the integer arithmetic exact for as long as
        # possible.
        precision = (divide(2 * pairs.gold * (n - k), n - 1) + n * k) / square
        recall = (divide(2 * pairs.system * (n - c), n - 1) + n * c) / square
        return BCubed(precision, recall)

    @property
    def table(self) -> Contingency:
        return self.tables[0]

    @cached_property
    def tables(self) -> list[Contingency]:
        """The random tables over which measures are averaged."""
        random = np.random.default_rng(self.seed)
        if np.all(self.too_large):
            raise Undefined(
                f"this baseline supports tables with at most {_MAX_CELLS:,} items or cells"
            )
        return [self.draw(random) for _ in range(self.draws)]

    @cached_property
    def _items(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The group of each class and each cluster, and the class and cluster of each item.

        Groups with too many items are excluded, because they are sampled cell by cell.
        """
        sides = []
        for cuts, totals in (
            (self.cuts, self.row_totals),
            (self.column_cuts, self.column_totals),
        ):
            own = find_owners(cuts, totals.size)
            few = self.few[own]
            sides.append((own, np.repeat(np.arange(totals.size), np.where(few, totals, 0))))
        (row_group, rows), (column_group, columns) = sides
        return row_group, column_group, rows, columns

    def draw(self, random: np.random.Generator) -> Contingency:
        """Sample one table. Groups with many items are sampled cell by cell, other groups item by
        item.
        """
        _, column_group, rows, columns = self._items
        c, k = self.row_totals.size, self.column_totals.size
        # Step 1: permute the cluster labels of the items, and keep the class labels in order.
        mixed = random.permutation(columns.size)
        if self.cuts is not None:
            from scipy.sparse import csr_array

            # Step 2: sort the permuted labels back into their groups, so that each group is
            # permuted separately. Building a sparse matrix with groups as rows sorts in linear
            # time.
            places = column_group[columns[mixed]], np.arange(mixed.size)
            mixed = csr_array((mixed, places), (np.size(self.n), mixed.size)).data
        # Step 3: count the (class, cluster) pairs.
        keys, counts = count_pairs(rows, columns[mixed], k, c * k)
        if not self.few.all():
            keys, counts = self._draw_cells(random, keys, counts)
        whole = Contingency.from_cells(*np.divmod(keys, k), counts)
        return replace(whole, cuts=self.cuts)

    def _draw_cells(
        self, random: np.random.Generator, keys: Ints, counts: Ints
    ) -> tuple[Ints, Ints]:
        """Sample the cells of groups with many items, and add them to `keys` and `counts`."""
        row_group, column_group, _, _ = self._items
        parts, k = [(keys, counts)], self.column_totals.size
        for group in np.flatnonzero(~self.few).tolist():
            own, other = np.flatnonzero(row_group == group), np.flatnonzero(column_group == group)
            if np.atleast_1d(self.too_large)[group]:
                # Use a placeholder with one column, because `_compute` replaces the value of this
                # group with NaN.
                other = other[:1]
            sampled = draw_table(random, self.row_totals[own], self.column_totals[other])
            positive = sampled > 0
            parts.append(((own[:, None] * k + other)[positive], sampled[positive]))
        keys, counts = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(keys, kind="stable")
        return keys[order], counts[order]


def draw_table(random: np.random.Generator, rows: Ints, columns: Ints) -> Ints:
    """Sample a table with the given row and column sums, one row at a time.

    If there are more items than the hypergeometric sampler accepts, rows are sampled from a
    multinomial distribution, and the column sums are correct only in expectation.
    """
    if columns.size == 1 or columns.sum() >= MAX_SAMPLED:
        return random.multinomial(rows, columns / columns.sum())
    # Each row is drawn without replacement from the items that are not in earlier rows.
    left, table = columns.copy(), np.empty((rows.size, columns.size), dtype=np.int64)
    for row, size in enumerate(rows.tolist()):
        table[row] = random.multivariate_hypergeometric(left, size, method="marginals")
        left -= table[row]
    return table
