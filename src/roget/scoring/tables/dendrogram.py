"""Trees above tables: what measures of trees see, and the tables of many cuts of one tree at once.

Two items of a class meet at the lowest node above both. Of all nodes, a class has only as many
where some of its items meet as it has items (or cells), less one: those, its branches, are found by
sorting, and are all that is needed for sums over pairs, and for the counts of every cut: from cut
to cut a cell changes only where its class branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from roget.core.tree import Layout, Tree
from roget.core.types import CountArray, Floats, Ints, Values
from roget.scoring.entropy import Estimator, Histogram
from roget.scoring.entropy.base import plug_in
from roget.scoring.measures.base import Measure
from roget.scoring.tables.baselines import expected_cells
from roget.scoring.tables.contingency import Contingency, compact
from roget.scoring.tables.statistics import BCubed, Sizes, Statistics


class Branches(NamedTuple):
    """The nodes at which items of one owner (a class, or all) meet; first their cells at leaves."""

    owner: Ints
    node: Ints
    """−1 for a cell at a leaf, which is never split."""
    place: Ints
    """The first place below it."""
    end: Ints
    """One more than the last."""
    items: CountArray
    """How many items of the owner are below."""
    over: Ints
    """The branch that it is a part of, −1 for none."""

    def less_parts(self, values: Floats) -> Floats:
        """Values of branches without those of their parts."""
        part = np.flatnonzero(self.over >= 0)
        below = np.bincount(self.over[part], values[part], values.size)
        return values - below


def branch(owner: Ints, place: Ints, counts: CountArray, layout: Layout) -> Branches:
    """The branches of each owner, whose cells at leaves are given in order of owner and place."""
    nodes, width = layout.first.size, layout.places.size
    cells = owner.size
    near = np.flatnonzero(owner[1:] == owner[:-1])
    meet = layout.find_lowest(place[near], place[near + 1])
    bounds = np.full(cells + 1, -1, dtype=np.int64)
    bounds[near + 1] = meet
    keys = np.sort(owner[near] * nodes + meet)
    # Not numpy's unique, which hashes before it sorts.
    keys = keys[np.diff(keys, prepend=-1) > 0]
    owners, inner = np.divmod(keys, nodes)
    at = owner * width + place
    low, high = (
        np.searchsorted(at, owners * width + layout.first[inner]),
        np.searchsorted(at, owners * width + layout.end[inner]),
    )
    sums = np.concatenate(([0], np.cumsum(counts)))
    # Of the branches on both sides the lower is what this one is a part of: it has the higher
    # number, since both are above it.
    above = np.concatenate(
        (np.maximum(bounds[:-1], bounds[1:]), np.maximum(bounds[low], bounds[high]))
    )
    every = np.concatenate((owner, owners))
    over = np.where(above < 0, -1, cells + np.searchsorted(keys, every * nodes + above))
    return Branches(
        every,
        np.concatenate((np.full(cells, -1), inner)),
        np.concatenate((place, layout.first[inner])),
        np.concatenate((place + 1, layout.end[inner])),
        np.concatenate((counts, sums[high] - sums[low])),
        over,
    )


@dataclass(frozen=True, eq=False)
class Dendrogram:
    """A tree whose leaves are the clusters of a table."""

    table: Contingency
    """Classes × leaves."""
    layout: Layout
    places: Ints
    """The place of each of the table's columns."""

    @classmethod
    def flat(cls, table: Contingency) -> Dendrogram:
        """All clusters side by side, below a root."""
        columns = table.shape[1]
        # Also a single cluster is a child of the root.
        star = Tree(np.append(-1, np.zeros(columns, dtype=np.int64)))
        return cls(table, star.layout, np.arange(columns))

    @cached_property
    def branches(self) -> Branches:
        """The branches of each class."""
        place = self.places[self.table.columns]
        order = np.argsort(self.table.rows * self.layout.places.size + place, kind="stable")
        return branch(self.table.rows[order], place[order], self.table.counts[order], self.layout)

    @cached_property
    def sums(self) -> CountArray:
        """The number of items before each place, and of all."""
        at = np.zeros(self.layout.places.size, dtype=self.table.counts.dtype)
        np.add.at(at, self.places, self.table.column_totals)
        return np.concatenate(([0], np.cumsum(at)))

    @cached_property
    def pairs(self) -> tuple[Floats, Floats]:
        """How many pairs of a class meet at each of its branches, and its share of items there."""
        found = self.branches
        pairs = found.less_parts(found.items * (found.items - 1.0) / 2)
        return pairs, found.items / (self.sums[found.end] - self.sums[found.place])

    @property
    def single(self) -> bool:
        """Whether each leaf holds one item."""
        return bool(np.all(self.table.column_totals == 1))


@dataclass(frozen=True, eq=False)
class CutTables(Statistics):
    """The statistics of many cuts of a tree, each of which is a group.

    Histograms of cells and sizes follow from the branches and the cuts at which they are there;
    no table is made, but for measures that look at cells.
    """

    whole: Contingency
    """Classes × leaves."""
    source_tree: Tree
    """The tree, whose leaves are the clusters of `whole`."""
    cuts: Ints
    """Numbers of clusters, in increasing order."""
    extra: int = 0
    """Number of leaves below the root that no cut merges; `cuts` do not count them."""

    _OWN = frozenset({"entropies", "sizes", "pairs", "bcubed", "chance"})

    @property
    def groups(self) -> int:
        return self.cuts.size

    @cached_property
    def n(self) -> Any:
        return np.full(self.cuts.size, self.whole.n)

    @cached_property
    def _places(self) -> Ints:
        return self.source_tree.layout.places[self.whole.cluster_codes]

    @cached_property
    def _cells(self) -> _Spans:
        """The cells of each cut."""
        return self._span(Dendrogram(self.whole, self.source_tree.layout, self._places).branches)

    @cached_property
    def _columns(self) -> _Spans:
        """The clusters of each cut that hold an item."""
        order = np.argsort(self._places)
        totals = self.whole.column_totals[order]
        owner = np.zeros(order.size, dtype=np.int64)
        return self._span(branch(owner, self._places[order], totals, self.source_tree.layout))

    def parts(self) -> Iterator[CutTables]:
        """The same of some cuts after the other, so that histograms of few are held at a time."""
        # A cut whose clusters (or cells) have d different sizes has more than d²/2 items.
        most = np.minimum(self.cells, int((2 * float(self.whole.n)) ** 0.5) + 1)
        steps = np.flatnonzero(np.diff(np.cumsum(most) // _HELD)) + 1
        for begin, end in pairwise([0, *steps.tolist(), self.cuts.size]):
            part = replace(self, cuts=self.cuts[begin:end])
            cells, columns = (side.among(begin, end) for side in (self._cells, self._columns))
            vars(part).update(_places=self._places, _cells=cells, _columns=columns)
            yield part

    def _span(self, branches: Branches) -> _Spans:
        """From which cut on a branch is a cell of its own, and at which it is parted."""
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
        inside = self._sum_below(cells.branches, cells.branches.less_parts(squares))
        precision = self._columns.sum(inside / self._columns.branches.items)
        return BCubed(precision / n, recall / n)

    def _sum_below(self, cells: Branches, values: Floats) -> Floats:
        """The sum of the values of classes' branches at or below each branch of all items."""
        every = self._columns.branches
        # A branch of a class is one of all items as well; sorted so, parts follow their wholes.
        order = np.lexsort((-every.end, every.place))
        wide = self.source_tree.layout.places.size + 1
        keys = every.place[order] * wide + wide - every.end[order]
        at = np.searchsorted(keys, cells.place * wide + wide - cells.end)
        sums = np.concatenate(([0.0], np.cumsum(np.bincount(at, values, order.size))))
        after = np.searchsorted(every.place[order], every.end[order])
        found = np.empty(order.size)
        found[order] = sums[after] - sums[:-1]
        return found

    def _expect_joint(self) -> Values:
        # A random cell knows only the sizes of its class and its cluster: each size that some
        # cluster has at some cut is looked at once.
        spans, gold, n = self._columns, self.whole.sizes.gold, self.whole.n
        which, sizes = spans.rank_counts()
        mean = np.empty(sizes.size)
        many = max(1, _PAIRS // gold.counts.size)
        for begin in range(0, sizes.size, many):
            some = sizes[begin : begin + many]
            one = np.ones(some.size, dtype=np.int64)
            cells, _ = expected_cells(
                _repeat(gold, some.size), Histogram(some, one, np.arange(some.size)), one * n
            )
            mean[begin : begin + many] = cells.sum(plug_in(cells.counts, n))
        return spans.add(mean[which])

    @cached_property
    def table(self) -> Contingency:
        """The tables of all cuts, group by group."""
        spans = self._cells
        which, cut = spans.spread()
        cells, layout = spans.branches, self.source_tree.layout
        clusters = np.empty(cut.size, dtype=np.int64)
        begins = np.searchsorted(cut, np.arange(self.cuts.size + 1))
        for at, k in enumerate(self.cuts.tolist()):
            part = slice(begins[at], begins[at + 1])
            tops = self.source_tree.cut_nodes(k + self.extra)
            clusters[part] = (
                np.searchsorted(layout.first[tops], cells.place[which[part]], side="right") - 1
            )
        width = int(clusters.max()) + 1
        rows = cut * self.whole.shape[0] + cells.owner[which]
        columns = cut * width + clusters
        order = np.lexsort((columns, rows))
        table = Contingency.from_cells(rows[order], columns[order], cells.items[which][order])
        return table.by_group(self.whole.shape[0])

    def block(self, group: int) -> CutTables:
        return replace(self, cuts=self.cuts[group : group + 1])

    def knows(self, measure: Measure) -> bool:
        """Whether the measure can do without tables."""
        return set(measure.needs) <= self._OWN

    def _compute(self, measure: Measure, estimator: Estimator) -> Values:
        if self.knows(measure):
            return super()._compute(measure, estimator)
        return self.table.measure_groups(measure, estimator)

    @property
    def clusters(self) -> Ints:
        """How many clusters of each cut hold an item."""
        return self._columns.lengths

    @property
    def cells(self) -> Ints:
        """How many cells each cut's table has."""
        return self._cells.lengths


@dataclass(frozen=True, eq=False)
class _Spans:
    """Branches that are there from one cut on until another."""

    branches: Branches
    held: Ints
    """Those that are there at some cut."""
    first: Ints
    end: Ints
    cuts: int

    @property
    def lengths(self) -> Ints:
        """How many are there at each cut."""
        return self.add(np.ones(self.held.size)).astype(np.int64)

    def sum(self, values: Floats) -> Floats:
        """Σ of the values of all branches that are there, at each cut."""
        return self.add(values[self.held])

    def add(self, values: Floats) -> Floats:
        """The same with values of those that are there at some cut."""
        size = self.cuts + 1
        steps = np.bincount(self.first, values, size) - np.bincount(self.end, values, size)
        total: Floats = np.cumsum(steps)[:-1]
        return total

    def spread(self) -> tuple[Ints, Ints]:
        """Each branch at each cut where it is there, cut by cut."""
        which, cut = _spread(self.first, self.end - self.first)
        return self.held[which], cut

    def among(self, begin: int, end: int) -> _Spans:
        """Those that are there at some of these cuts, which are then all."""
        some = np.flatnonzero((self.first < end) & (self.end > begin))
        first, last = (np.clip(at[some], begin, end) - begin for at in (self.first, self.end))
        return _Spans(self.branches, self.held[some], first, last, end - begin)

    def rank_counts(self) -> tuple[Ints, Ints]:
        """The rank of each one's count among all different ones, and those in increasing order."""
        return compact(self.branches.items[self.held].astype(np.int64), ordered=False)

    @cached_property
    def histogram(self) -> Histogram:
        """How many of them have each count, at each cut."""
        which, values = self.rank_counts()
        wide = self.cuts + 1
        always = (self.first == 0) & (self.end == self.cuts)
        # Those that are there at all cuts, which may be nearly all, are counted without sorting.
        still = np.bincount(which[always], minlength=values.size)
        kept, turns = np.flatnonzero(still), which[~always]
        begun = np.append(turns * wide + self.first[~always], kept * wide)
        ended = np.append(turns * wide + self.end[~always], kept * wide + self.cuts)
        times = np.append(np.ones(turns.size, dtype=np.int64), still[kept])
        keys, event = np.unique(np.concatenate((begun, ended)), return_inverse=True)
        change = np.bincount(event, np.concatenate((times, -times)))
        # All branches of a count end at last, so that sums begin anew with each count.
        cells = np.cumsum(change.astype(np.int64))
        held = np.flatnonzero(cells)
        value, first = np.divmod(keys[held], wide)
        length = keys[held + 1] - keys[held]
        which, cut = _spread(first, length)
        starts = np.searchsorted(cut, np.arange(self.cuts))
        return Histogram(values[value][which], cells[held][which], starts)


def _spread(first: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Each of several stretches of cuts at each cut of it, cut by cut."""
    which = np.repeat(np.arange(length.size), length)
    cut = np.arange(which.size) - np.repeat(np.cumsum(length) - length - first, length)
    order = np.argsort(cut, kind="stable")
    return which[order], cut[order]


def _repeat(histogram: Histogram, times: int) -> Histogram:
    """The histogram of one sample for each of so many groups."""
    counts: Any = np.tile(histogram.counts, times)
    cells: Any = np.tile(histogram.cells, times)
    return Histogram(counts, cells, np.arange(times) * histogram.counts.size)


_HELD = 1 << 23
"""Different counts of several cuts' cells that are held at a time."""

_PAIRS = 1 << 16
"""Pairs of a class's and a cluster's size whose random cells are held at a time."""
