"""The statistics of many cuts of one tree, computed at once.

The items of a class below one of its branches (see `dendrogram`) form a cell of the contingency
table in an interval of cuts. The interval begins when the next higher branch is split and ends when
the branch itself is split. To sum a function over the cells of every cut, add the value of each
branch at the beginning of its interval, subtract it at the end, and take the cumulative sum over
the cuts. Tables are built only for measures that need cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Floats, Ints, Values
from roget.scoring.entropy.base import Estimator, Histogram, plug_in
from roget.scoring.measures.base import Measure, parse
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.dendrogram import Branches, Dendrogram, find_branches
from roget.scoring.tables.keys import compact
from roget.scoring.tables.records import BCubed, Sizes
from roget.scoring.tables.statistics import Statistics

_HELD = 1 << 23
"""Maximum total size of the histograms in memory, i.e. their number of distinct counts.
"""

_PAIRS = 1 << 16
"""Number of (class size, cluster size) pairs per batch."""


@dataclass(frozen=True, eq=False)
class CutTables(Statistics):
    """The statistics of many cuts of a tree, with one group per cut."""

    whole: Contingency
    """The table of classes (rows) and leaves (columns)."""
    source_tree: Tree
    """The tree, whose leaves are the clusters of `whole`."""
    cuts: Ints
    """The number of clusters in each cut, in increasing order."""
    extra: int = 0
    """Number of leaves below the root that are never merged and are not counted in `cuts`."""

    _WITHOUT_TABLE = frozenset({"entropies", "sizes", "pairs", "bcubed", "chance"})
    """The names of the statistics that are computed without a table."""

    def __post_init__(self) -> None:
        vars(self).update(groups=self.cuts.size, n=np.full(self.cuts.size, self.whole.n))

    @cached_property
    def _places(self) -> Ints:
        return self.source_tree.layout.places[self.whole.cluster_codes]

    @cached_property
    def _cells(self) -> _Spans:
        """The contingency cells of each cut."""
        layout = self.source_tree.layout
        return self._span(Dendrogram(self.whole, layout, self._places).branches)

    @cached_property
    def _columns(self) -> _Spans:
        """The non-empty clusters in each cut, i.e. the branches of the set of all items."""
        order = np.argsort(self._places)
        totals = self.whole.column_totals[order]
        owner = np.zeros(order.size, dtype=np.int64)
        layout = self.source_tree.layout
        return self._span(find_branches(owner, self._places[order], totals, layout))

    def parts(self) -> Iterator[CutTables]:
        """Yield the statistics of a few cuts at a time, to limit the size of histograms."""
        # If the clusters or cells of a cut have d different sizes, there are more than d²/2 items,
        # so d is at most √(2n).
        most = np.minimum(self.cells, int((2 * float(self.whole.n)) ** 0.5) + 1)
        steps = np.flatnonzero(np.diff(np.cumsum(most) // _HELD)) + 1
        for begin, end in pairwise([0, *steps.tolist(), self.cuts.size]):
            part = replace(self, cuts=self.cuts[begin:end])
            cells, columns = (side.among(begin, end) for side in (self._cells, self._columns))
            vars(part).update(_places=self._places, _cells=cells, _columns=columns)
            yield part

    def _span(self, branches: Branches) -> _Spans:
        """Return the interval of cuts for which the items of each branch form one cell."""
        made = self.source_tree.made - self.extra
        split = np.where(branches.node < 0, self.source_tree.n_clusters + 1, made[branches.node])
        begin = np.where(branches.over < 0, 0, split[branches.over])
        first, end = (np.searchsorted(self.cuts, at, side="left") for at in (begin, split))
        held = np.flatnonzero(first < end)
        return _Spans(branches, held, first[held], end[held], self.cuts.size)

    @cached_property
    def sizes(self) -> Sizes:
        repeated = _repeat(self.whole.sizes.gold, self.cuts.size)
        return Sizes(repeated, self._columns.histogram, self.n)

    @cached_property
    def joint(self) -> Histogram:
        return self._cells.histogram

    @cached_property
    def bcubed(self) -> BCubed:
        cells, n = self._cells, self.whole.n
        squares = cells.branches.items.astype(np.float64) ** 2
        recall = cells.sum(squares / self.whole.row_totals[cells.branches.owner])
        # Precision is Σ x²/b over cells with x items in a cluster of size b. For each cluster that
        # occurs in some cut, sum x² over its cells, then divide by its size.
        inside = self._sum_below(cells.branches, cells.branches.subtract_children(squares))
        precision = self._columns.sum(inside / self._columns.branches.items)
        return BCubed(precision / n, recall / n)

    def _sum_below(self, cells: Branches, values: Floats) -> Floats:
        """Return the sum of `values` over the class branches below each branch of the full tree."""
        every = self._columns.branches
        # Each branch of the tree restricted to a class is also a branch of the full tree. If
        # branches are sorted by start position (ascending) and end position (descending), the
        # descendants of a branch directly follow it, so the sum of their values is a difference of
        # cumulative sums.
        order = np.lexsort((-every.end, every.place))
        wide = self.source_tree.n_clusters + 1
        keys = every.place[order] * wide + wide - every.end[order]
        at = np.searchsorted(keys, cells.place * wide + wide - cells.end)
        sums = np.concatenate(([0.0], np.cumsum(np.bincount(at, values, order.size))))
        after = np.searchsorted(every.place[order], every.end[order])
        below = np.empty(order.size)
        below[order] = sums[after] - sums[:-1]
        return below

    def _expect_joint(self) -> Values:
        # The distribution of a random cell depends only on its class size and cluster size, so
        # process each cluster size only once, even if it occurs in several cuts. `mean` is the
        # expected plug-in entropy of all cells of a cluster of this size.
        spans, gold, n = self._columns, self.whole.sizes.gold, self.whole.n
        which, sizes = spans.rank_counts()
        mean = np.empty(sizes.size)
        many = max(1, _PAIRS // gold.counts.size)
        for begin in range(0, sizes.size, many):
            some = sizes[begin : begin + many]
            one = np.ones(some.size, dtype=np.int64)
            columns = Histogram(some, one, np.arange(some.size))
            cells = Sizes(_repeat(gold, some.size), columns, one * n).random_cells
            mean[begin : begin + many] = cells.sum(plug_in(cells.counts, n))
        return spans.add(mean[which])

    @cached_property
    def table(self) -> Contingency:
        """The tables for all cuts, combined into one table with one group per cut."""
        spans = self._cells
        which, cut = spans.expand()
        cells, layout = spans.branches, self.source_tree.layout
        clusters = np.empty(cut.size, dtype=np.int64)
        begins = np.searchsorted(cut, np.arange(self.cuts.size + 1))
        for at, k in enumerate(self.cuts.tolist()):
            part = slice(begins[at], begins[at + 1])
            # The cluster of a cell is the node of the cut that contains the first leaf of the cell.
            nodes = self.source_tree.cut_nodes(k + self.extra)
            clusters[part] = (
                np.searchsorted(layout.first[nodes], cells.place[which[part]], side="right") - 1
            )
        width = int(clusters.max()) + 1
        rows = cut * self.whole.shape[0] + cells.owner[which]
        columns = cut * width + clusters
        order = np.lexsort((columns, rows))
        table = Contingency.from_cells(rows[order], columns[order], cells.items[which][order])
        return table.by_group(self.whole.shape[0])

    def block(self, group: int) -> CutTables:
        """Return the statistics of one cut."""
        return replace(self, cuts=self.cuts[group : group + 1])

    def supports(self, measure: Measure) -> bool:
        """Return True if the measure can be computed without a table."""
        return set(measure.needs) <= self._WITHOUT_TABLE

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats:
        """Return the value of one measure at each cut, or NaN where it is undefined."""
        if self.supports(parse(measure)):
            return super().measure_groups(measure, entropy)
        return self.table.measure_groups(measure, entropy)

    @property
    def clusters(self) -> Ints:
        """The number of non-empty clusters in each cut."""
        return self._columns.lengths

    @property
    def cells(self) -> Ints:
        """The number of cells in each cut's table."""
        return self._cells.lengths


@dataclass(frozen=True, eq=False)
class _Spans:
    """Branches of a tree, and the intervals of cuts in which their items form one cell."""

    branches: Branches
    held: Ints
    """The positions of the branches that have a non-empty interval."""
    first: Ints
    """The first cut of each interval."""
    end: Ints
    """The index after the last cut of each interval."""
    cuts: int
    """The number of cuts."""

    @property
    def lengths(self) -> Ints:
        """The number of branches present at each cut."""
        return self.add(np.ones(self.held.size)).astype(np.int64)

    def sum(self, values: Floats) -> Floats:
        """Return the sum of the values of all branches that are present at each cut."""
        return self.add(values[self.held])

    def add(self, values: Floats) -> Floats:
        """Return the sum of `values` for each cut, given one value per branch in `held`."""
        size = self.cuts + 1
        steps = np.bincount(self.first, values, size) - np.bincount(self.end, values, size)
        total: Floats = np.cumsum(steps)[:-1]
        return total

    def expand(self) -> tuple[Ints, Ints]:
        """Return all pairs of a branch and a cut in which it is present, sorted by cut."""
        which, cut = _expand(self.first, self.end - self.first)
        return self.held[which], cut

    def among(self, begin: int, end: int) -> _Spans:
        """Restrict the branches and their intervals to the cuts begin, …, end − 1."""
        some = np.flatnonzero((self.first < end) & (self.end > begin))
        first, last = (np.clip(at[some], begin, end) - begin for at in (self.first, self.end))
        return _Spans(self.branches, self.held[some], first, last, end - begin)

    def rank_counts(self) -> tuple[Ints, Ints]:
        """Rank branches by their number of items.

        Return the rank of each branch, and the distinct numbers of items in increasing order.
        """
        return compact(self.branches.items[self.held].astype(np.int64), ordered=False)

    @cached_property
    def histogram(self) -> Histogram:
        """The histogram of branch sizes (numbers of items) at each cut."""
        which, values = self.rank_counts()
        wide = self.cuts + 1
        # Count the branches that are present in all cuts without sorting them, because they are
        # often the majority.
        always = (self.first == 0) & (self.end == self.cuts)
        still = np.bincount(which[always], minlength=values.size)
        kept, turns = np.flatnonzero(still), which[~always]
        # List the events for each count: +1 at the cut where a branch with this count appears, and
        # −1 at the cut where it disappears. The cumulative sum is the number of branches.
        begun = np.append(turns * wide + self.first[~always], kept * wide)
        ended = np.append(turns * wide + self.end[~always], kept * wide + self.cuts)
        times = np.append(np.ones(turns.size, dtype=np.int64), still[kept])
        keys, event = np.unique(np.concatenate((begun, ended)), return_inverse=True)
        change = np.bincount(event, np.concatenate((times, -times)))
        # After the last cut, all branches with this count have disappeared. The cumulative sum for
        # the next count therefore starts at 0.
        cells = np.cumsum(change.astype(np.int64))
        held = np.flatnonzero(cells)
        value, first = np.divmod(keys[held], wide)
        length = keys[held + 1] - keys[held]
        which, cut = _expand(first, length)
        starts = np.searchsorted(cut, np.arange(self.cuts))
        return Histogram(values[value][which], cells[held][which], starts)


def _expand(first: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Return all pairs of an interval and a cut in the interval, sorted by cut."""
    which = np.repeat(np.arange(length.size), length)
    cut = np.arange(which.size) - np.repeat(np.cumsum(length) - length - first, length)
    order = np.argsort(cut, kind="stable")
    return which[order], cut[order]


def _repeat(histogram: Histogram, times: int) -> Histogram:
    """Repeat a histogram `times` times, as separate groups."""
    counts: Any = np.tile(histogram.counts, times)
    cells: Any = np.tile(histogram.cells, times)
    return Histogram(counts, cells, np.arange(times) * histogram.counts.size)
