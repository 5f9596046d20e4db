"""What trivial answers get on the same gold standard: the least a system has to beat.

None of them is built item by item: their statistics follow from the class and cluster sizes.
Under random labelling with fixed sizes each cell of the table is hypergeometric. All we ever need
is how many cells hold each count on average, exactly; that is a histogram like any other, and
every linear estimator can be asked of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roget.core.types import Array, Floats, Ints, Values
from roget.errors import Undefined
from roget.scoring.entropy import Estimator, Histogram, LinearEstimator
from roget.scoring.entropy.base import ONE, find_owners
from roget.scoring.labels.labels import Labels, take
from roget.scoring.measures.base import Measurable, Measure, divide
from roget.scoring.tables.contingency import Contingency, count_pairs, find_kinds
from roget.scoring.tables.statistics import (
    BCubed,
    Elements,
    Matched,
    PairCounts,
    Separate,
    Sizes,
    Statistics,
    pairs_of,
    pairs_within,
)

if TYPE_CHECKING:
    from roget.scoring.tables.cover import Cover
    from roget.scoring.tables.weighted import WeightedTable

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
    draws = max(1, min(draws, int(_ITEMS_DRAWN // np.max(statistics.n))))
    if not isinstance(statistics, Contingency):
        from roget.scoring.tables.weighted import WeightedTable

        # Dealing weights costs some ten times more than shuffling labels.
        few = max(1, draws // 10)
        if isinstance(statistics, WeightedTable):
            return _answer_weighted(statistics, seed, few, like_gold)
        from roget.scoring.tables.cover import CoverTable

        if isinstance(statistics, CoverTable):
            return _answer_cover(statistics.cover, seed, few, like_gold)
    table = statistics.table
    if table.fractional:
        # A table of fractions has no items to give a cluster of their own.
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


def answer_groups(
    tables: Statistics | Separate, seed: int, draws: int, *, like_gold: bool
) -> dict[str, Measurable]:
    """The trivial answers to every group."""
    if isinstance(tables, Statistics):
        return answer_trivially(tables, seed, draws, like_gold=like_gold)
    answers = [
        answer_trivially(table, seed + group, draws, like_gold=like_gold)
        for group, table in enumerate(tables.tables)
    ]
    common = [name for name in answers[0] if all(name in of for of in answers)]
    return {name: Separate([of[name] for of in answers]) for name in common}


def one_cluster(table: Contingency) -> Contingency:
    """All items together."""
    rows = np.arange(table.shape[0])
    cuts = table.documents if table.cuts is None else table.cuts
    groups = find_owners(cuts, rows.size)
    whole = Contingency.from_cells(rows, groups, table.row_totals, table.gold)
    return replace(whole, cuts=table.cuts, documents=table.documents)


def _keep_gold(table: Contingency) -> Contingency | None:
    """The items that gold has, to which trivial answers are given; None if a group has none."""
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


def _answer_weighted(
    table: WeightedTable, seed: int, draws: int, like_gold: bool
) -> dict[str, Measurable]:
    """The same on weighted answers; random is one side's answers dealt out anew."""
    from roget.scoring.tables.weighted import WeightedSide, WeightedTable

    gold, n = table.gold, table.n
    like = gold if like_gold else table.system

    def compare_with(labels: Labels, known: Floats | None = None) -> Statistics:
        if gold.labels.weighted or labels.weighted:
            return WeightedTable.from_sides(gold, WeightedSide(labels, known))
        return Contingency.from_labels(gold.labels, labels)

    random = np.random.default_rng(seed)
    known = table.expected[0 if like_gold else 1]
    together, alone = Labels(np.zeros(n, dtype=np.int64), 1, None), Labels(np.arange(n), n, None)
    dealt = [compare_with(take(like.labels, random.permutation(n)), known) for _ in range(draws)]
    answers = compare_with(together), compare_with(alone), Mean(dealt)
    return dict(zip(NAMES, answers, strict=True))


_COVERED = 20_000
"""Up to so many items in several sets trivial answers are tried."""


def _answer_cover(cover: Cover, seed: int, draws: int, like_gold: bool) -> dict[str, Measurable]:
    """The same where items are in several sets; random is one side's sets dealt out anew."""
    from roget.scoring.tables.cover import Cover, CoverTable, Sets

    n = cover.n
    if n > _COVERED:
        return {}
    items = np.repeat(np.arange(cover.times.size), cover.times.astype(np.int64))
    gold = cover.gold.take(items)
    like = gold if like_gold else cover.system.take(items)
    random = np.random.default_rng(seed)
    single, ones = np.arange(n + 1), np.ones(n)
    answers = [
        Sets(single, np.zeros(n, dtype=np.int64), ones, 1),
        Sets(single, np.arange(n), ones, n),
        *(like.take(random.permutation(n)) for _ in range(draws)),
    ]
    together, alone, *dealt = (CoverTable(Cover.of_sides(gold, sets)) for sets in answers)
    return dict(zip(NAMES, (together, alone, Mean(dealt)), strict=True))


@dataclass(frozen=True)
class Mean:
    """The average answer of several tables."""

    tables: Sequence[Statistics]

    groups = None

    def block(self, group: int) -> Mean:
        """The same."""
        return self

    def measure(self, measure: str | Measure, entropy: str | Estimator = "ml") -> float:
        """The mean of the measure's values."""
        return float(self.measure_groups(measure, entropy)[0])

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats:
        """The mean of the measure's values in each group."""
        values = [table.measure_groups(measure, entropy) for table in self.tables]
        return np.asarray(sum(values) / len(values))


@dataclass(frozen=True, eq=False)
class OnePerItem(Statistics):
    """Every item a cluster of its own."""

    answered: Contingency

    @property
    def n(self) -> Any:
        return self.answered.n

    @property
    def groups(self) -> int | None:
        return self.answered.groups

    def block(self, group: int) -> OnePerItem:
        return OnePerItem(self.answered.block(group))

    @cached_property
    def joint(self) -> Histogram:
        items = np.atleast_1d(self.n)
        starts = None if self.groups is None else np.arange(items.size)
        return Histogram(np.ones_like(items), items, starts)

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes(self.answered.sizes.gold, self.joint, self.n)

    @property
    def bcubed(self) -> BCubed:
        return BCubed(1.0, self.sizes.classes / self.n)

    @property
    def matched(self) -> Matched:
        return Matched(self.sizes.classes, self.n)

    @property
    def elements(self) -> Elements:
        return _AloneElements(self)

    @cached_property
    def table(self) -> Contingency:
        items = self.answered.row_totals.sum()
        if items > _MOST_ITEMS:
            raise Undefined(f"not computed for one cluster per item beyond {_MOST_ITEMS} items")
        sizes = self.answered.row_totals.astype(np.int64)
        rows = np.repeat(np.arange(sizes.size), sizes)
        whole = Contingency.from_cells(rows, np.arange(items), np.ones(items, dtype=np.int64))
        return replace(whole, cuts=self.answered.cuts, documents=self.answered.documents)


@dataclass(frozen=True, eq=False)
class _AloneElements(Elements):
    """An item alone has its share of its class in common with it."""

    alone: OnePerItem

    def each(self, alpha: float, r: float = 1.0) -> Floats:
        sizes = self.alone.answered.row_totals
        return np.asarray(1 / sizes)

    def mean(self, alpha: float, r: float = 1.0) -> Values:
        return self.alone.sizes.classes / self.alone.n


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
    cuts: Ints | None = None
    column_cuts: Ints | None = None
    """The first row and column of each group; None: one table."""
    thorough: bool = False
    """Whether large tables are drawn too, though it takes longer than a score."""

    def _compute(self, measure: Measure, estimator: Estimator) -> Values:
        """The expected value, or the mean over drawn tables where the measure looks at cells."""
        linear = isinstance(estimator, LinearEstimator)
        own = {"table", "joint", "matched", "elements", "cover", "degrees", "tree"}
        looks = own & set(measure.needs)
        if looks or (measure.uses_entropy and not linear):
            mean = Mean(self.tables).measure_groups(measure, estimator)
            return mean[0] if self.groups is None else np.where(self._too_large, np.nan, mean)
        return super()._compute(measure, estimator)

    @property
    def groups(self) -> int | None:
        return None if self.cuts is None else self.cuts.size

    def block(self, group: int) -> RandomSameSizes:
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
        if self.answered is not None:
            return self.answered.sizes
        gold = Histogram.of(self.row_totals, self.cuts)
        return Sizes(gold, Histogram.of(self.column_totals, self.column_cuts), gold.total)

    @property
    def perfect(self) -> Any:
        # There is one answer of such sizes only: all items together, or each alone.
        c, k, n = self.sizes.classes, self.sizes.clusters, self.sizes.n
        return (np.equal(c, 1) & np.equal(k, 1)) | (np.equal(c, n) & np.equal(k, n))

    @cached_property
    def random_cells(self) -> Histogram:
        return super().random_cells if self.answered is None else self.answered.random_cells

    def _estimate_joint(self, estimator: Estimator, support: Any) -> Values:
        if not isinstance(estimator, LinearEstimator):
            return self.table.entropies(estimator).joint
        return estimator.expect(self.random_cells, self.n, self._cells)

    @cached_property
    def pairs(self) -> PairCounts:
        total, gold, system = (
            pairs_of(self.n),
            *map(pairs_within, (self.sizes.gold, self.sizes.system)),
        )
        return PairCounts(total, gold, system, divide(gold * system, total))

    @property
    def bcubed(self) -> BCubed:
        pairs, n = self.pairs, self.n
        c, k = self.sizes.classes, self.sizes.clusters
        square = 2 * pairs.total + n
        # Σ E[x²]/size over cells, where E[x²] is the hypergeometric second moment.
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
            raise Undefined("not drawn: a random table of this size takes longer than the score")
        return [self.draw(random) for _ in range(self.draws)]

    @cached_property
    def _too_large(self) -> Any:
        """Tables that are neither drawn item by item nor cell by cell."""
        large = np.greater(self.n, _MOST_CELLS) & np.greater(self._cells, _MOST_CELLS)
        return large & (not self.thorough)

    @property
    def _cells(self) -> Any:
        return self.sizes.classes * self.sizes.clusters

    @cached_property
    def _few(self) -> Any:
        """Tables that are drawn item by item."""
        dealt = self.thorough & np.less(self.n, self._cells)
        return np.atleast_1d(np.less_equal(self.n, _MOST_CELLS) | dealt)

    @cached_property
    def _dealt(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The group of each class and cluster; those of each item, in tables of few items."""
        found = []
        for cuts, totals in (
            (self.cuts, self.row_totals),
            (self.column_cuts, self.column_totals),
        ):
            own = find_owners(cuts, totals.size)
            few = self._few[own]
            found.append((own, np.repeat(np.arange(totals.size), np.where(few, totals, 0))))
        (of_rows, rows), (of_columns, columns) = found
        return of_rows, of_columns, rows, columns

    def draw(self, random: np.random.Generator) -> Contingency:
        """One table, item by item, or cell by cell where there are many items."""
        _, of_columns, rows, columns = self._dealt
        c, k = self.row_totals.size, self.column_totals.size
        mixed = random.permutation(columns.size)
        if self.cuts is not None:
            from scipy.sparse import csr_array

            # Shuffled as a whole, then put back into groups: in linear time, where sorting is not.
            places = of_columns[columns[mixed]], np.arange(mixed.size)
            mixed = csr_array((mixed, places), (np.size(self.n), mixed.size)).data
        keys, counts = count_pairs(rows, columns[mixed], k, c * k)
        if not self._few.all():
            keys, counts = self._draw_cells(random, keys, counts)
        whole = Contingency.from_cells(*np.divmod(keys, k), counts)
        return replace(whole, cuts=self.cuts)

    def _draw_cells(
        self, random: np.random.Generator, keys: Ints, counts: Ints
    ) -> tuple[Ints, Ints]:
        """The same with the cells of tables of many items, which are drawn as such."""
        of_rows, of_columns, _, _ = self._dealt
        parts, k = [(keys, counts)], self.column_totals.size
        for group in np.flatnonzero(~self._few).tolist():
            at, beside = np.flatnonzero(of_rows == group), np.flatnonzero(of_columns == group)
            if np.atleast_1d(self._too_large)[group]:
                beside = beside[:1]
            drawn = _deal(random, self.row_totals[at], self.column_totals[beside])
            held = drawn > 0
            parts.append(((at[:, None] * k + beside)[held], drawn[held]))
        keys, counts = map(np.concatenate, zip(*parts, strict=True))
        order = np.argsort(keys, kind="stable")
        return keys[order], counts[order]


MOST_DEALT = 10**9
"""The sampler of numpy takes no larger population."""


def _deal(random: np.random.Generator, rows: Ints, columns: Ints) -> Ints:
    """A table with these sums, cell by cell; column sums on average beyond what can be dealt."""
    if columns.size == 1 or columns.sum() >= MOST_DEALT:
        return random.multinomial(rows, columns / columns.sum())
    left, dealt = columns.copy(), np.empty((rows.size, columns.size), dtype=np.int64)
    for row, size in enumerate(rows.tolist()):
        dealt[row] = random.multivariate_hypergeometric(left, size, method="marginals")
        left -= dealt[row]
    return dealt


TAIL = math.log(2.0 / 1e-19)
"""Each window leaves out at most 1e-19 of its cell's probability."""

SMOOTH_VARIANCE = 400.0
"""From here on a cell's distribution is integrated as a smooth one, not summed count by count."""

_CHUNK = 1 << 15
_PAIRS = 1 << 20

_TALLIED = 1 << 14
"""Counts below this are added up in an array; larger ones, being rare, are listed."""


class PairSizes(NamedTuple):
    """Class and cluster sizes that meet, in how many cells, among how many items of which group."""

    a: Floats
    b: Floats
    cells: Floats
    n: Floats
    group: Ints

    def take(self, which: Array) -> PairSizes:
        return PairSizes._make(array[which] for array in self)

    def find_alike(self) -> tuple[Ints, Ints]:
        """The kind of each pair, the same for equal sizes among equally many items; one of each."""
        sizes = (self.n, self.a, self.b)
        return find_kinds((of.astype(np.int64), int(of.max()) + 1) for of in sizes)


def expected_cells(gold: Histogram, system: Histogram, total: Any) -> tuple[Histogram, Values]:
    """How many cells hold each count on average, and how many hold nothing, in each group.

    Counts may repeat. Where a cell's distribution is wide and smooth, they are the nodes of a
    quadrature (not whole numbers) that integrates smooth functions of the count.
    """
    n = np.atleast_1d(total).astype(np.float64)
    found: list[tuple[Ints, Floats, Floats]] = []
    empty = np.zeros(n.size)
    for rows, columns, group in cross(gold, system, _PAIRS):
        a, b = gold.counts[rows].astype(np.float64), system.counts[columns].astype(np.float64)
        cells = gold.cells[rows].astype(np.float64) * system.cells[columns]
        pairs = PairSizes(a, b, cells, n[group], group)
        found += (_distribute if n.size == 1 else _distribute_alike)(pairs, empty)
    groups, counts, weights = map(np.concatenate, zip(*found, strict=True))
    if gold.starts is None:
        return Histogram(counts, weights), float(empty[0])
    order = np.argsort(groups, kind="stable")
    cuts = np.searchsorted(groups[order], np.arange(n.size))
    return Histogram(counts[order], weights[order], cuts), empty


def cross(gold: Histogram, system: Histogram, most: int) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Every class size with every cluster size of its group, about so many at a time.

    Where both stand in their histograms, and the group.
    """
    owners = gold.owners
    beside = np.diff(system.begins, append=system.counts.size)[owners]
    ends = np.cumsum(beside)
    first = system.begins[owners] - ends + beside
    begin = 0
    while begin < owners.size:
        before = int(ends[begin] - beside[begin])
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        rows = np.repeat(np.arange(begin, end), beside[begin:end])
        columns = np.arange(before, before + rows.size) + first[rows]
        yield rows, columns, owners[rows]
        begin = end


def _distribute_alike(pairs: PairSizes, empty: Floats) -> Iterator[tuple[Ints, Floats, Floats]]:
    """The same as `_distribute`, with the work done once for equal sizes in groups of one size."""
    from scipy.sparse import csr_array

    kind, one_of = pairs.find_alike()
    if 4 * one_of.size > kind.size:
        yield from _distribute(pairs, empty)
        return
    nothing, ones = np.zeros(one_of.size), np.ones(one_of.size)
    kinds = pairs.take(one_of)._replace(cells=ones, group=np.arange(one_of.size))
    of, counts, mass = map(np.concatenate, zip(*_distribute(kinds, nothing), strict=True))
    times = csr_array((pairs.cells, (pairs.group, kind)), (empty.size, one_of.size))
    values, value = np.unique(counts, return_inverse=True)
    held = (times @ csr_array((mass, (of, value)), (one_of.size, values.size))).tocoo()
    empty += times @ nothing
    yield held.row.astype(np.int64), values[held.col], held.data


def _distribute(pairs: PairSizes, empty: Floats) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Groups, counts and how many cells hold them on average; adds to those that hold nothing."""
    variance = find_variance(pairs)
    smooth = variance >= SMOOTH_VARIANCE
    if not smooth.all():
        yield from _add_up(pairs.take(~smooth), empty)
    if smooth.any():
        yield _integrate(pairs.take(smooth), variance[smooth])


def find_variance(pairs: PairSizes) -> Floats:
    """The variance of the items that sets of a and of b of n items share."""
    a, b, _, n, _ = pairs
    return np.asarray(a * (b / n) * (1 - b / n) * (n - a) / np.maximum(n - 1.0, 1.0))


def _add_up(pairs: PairSizes, empty: Floats) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Every count of every cell, within windows whose tails are below 1e-19."""
    low, high = find_window(pairs)
    widths = (high - low + 1).astype(np.int64)
    few = low < _TALLIED
    tops = np.zeros(empty.size, dtype=np.int64)
    # Blocks reach beyond the windows of their narrower cells, but never beyond a possible count.
    most = np.minimum(np.minimum(pairs.a, pairs.b), high + widths.max()).astype(np.int64)
    np.maximum.at(tops, pairs.group[few], most[few] + 1)
    ends = np.cumsum(tops)
    tally = np.zeros(int(ends[-1]) + int(widths.max()))
    for chosen in share_blocks(widths, _CHUNK):
        part = pairs.take(chosen)
        counts, mass = make_block(part, low[chosen], int(widths[chosen[-1]]))
        mass *= part.cells[:, None]
        inside = few[chosen]
        # What is beyond the largest possible count is 0, and may be added anywhere.
        at = (counts[inside] + (ends - tops)[part.group[inside], None]).astype(np.intp).ravel()
        if tally.size <= 4 * at.size:
            tally += np.bincount(at, mass[inside].ravel(), tally.size)
        else:
            np.add.at(tally, at, mass[inside].ravel())
        if not inside.all():
            group = np.repeat(part.group[~inside], counts.shape[1])
            yield group, counts[~inside].ravel(), mass[~inside].ravel()
    held = np.flatnonzero(tally)
    group = np.searchsorted(ends, held, side="right")
    counts = held - (ends - tops)[group]
    none = counts == 0
    empty[group[none]] += tally[held[none]]
    yield group[~none], counts[~none].astype(np.float64), tally[held[~none]]


def share_blocks(widths: Ints, room: int) -> Iterator[Ints]:
    """Cells of similar width, which share one rectangular block: little of it is padding."""
    order = np.argsort(widths, kind="stable")
    begin = 0
    while begin < order.size:
        end = min(order.size, begin + max(1, room // int(widths[order[begin]])))
        end = max(begin + 1, min(end, begin + room // int(widths[order[end - 1]])))
        yield order[begin:end]
        begin = end


def make_block(pairs: PairSizes, low: Floats, width: int) -> tuple[Floats, Floats]:
    """Counts and probabilities of one block of cells, by the ratio of neighbours.

    A ratio is 0 at the largest possible count, so whatever lies beyond it is 0 as well.
    """
    a, b, _, n, _ = pairs
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


def find_reach(variance: Floats) -> Floats:
    """How far from the mean there is any mass but the tail, by Bernstein's inequality."""
    return np.asarray(TAIL / 3 + np.sqrt(TAIL**2 / 9 + 2 * TAIL * variance))


def find_window(pairs: PairSizes) -> tuple[Floats, Floats]:
    """The counts outside of which less than 1e-19 of the probability lies.

    Bernstein's bound below the mean, Chernoff's (by Newton's method, which approaches the root
    from the safe side) above it; both hold for sampling without replacement.
    """
    a, b, _, n, _ = pairs
    mean = a * b / n
    # The variance of sampling without replacement is below either binomial's.
    reach = find_reach(np.minimum(a * (b / n) * (1 - b / n), b * (a / n) * (1 - a / n)))
    top = mean + reach
    for _ in range(4):
        excess = top * np.log(top / mean) - top + mean - TAIL
        top = np.minimum(top, top - excess / np.maximum(np.log(top / mean), 1e-9))
    top = np.minimum(np.maximum(top, mean), mean + reach)
    low = np.maximum(np.ceil(mean - reach), np.maximum(0.0, a + b - n))
    high = np.minimum(np.floor(top) + 1, np.minimum(a, b))
    return low, np.maximum(high, low)


def _integrate(pairs: PairSizes, variance: Floats) -> tuple[Ints, Floats, Floats]:
    """Wide cells: seven Gauss–Hermite nodes, weighted by the Edgeworth series to fourth order.

    What is left out of E[n log n] is of the order .05/mean³ per cell, below 1e-11 in all.
    """
    a, b, cells, n, group = pairs
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
    return np.repeat(group, x.size), nodes.ravel(), (weights * cells[:, None]).ravel()
