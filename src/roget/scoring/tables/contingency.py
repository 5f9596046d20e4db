"""The gold × system table: sparse, exact, counted once, and asked by every measure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roget.core.information import sum_parts
from roget.core.tree import Tree
from roget.core.types import Array, BoolArray, Codes, CountArray, Floats, Ints, Values
from roget.errors import InputError
from roget.scoring.entropy import Histogram
from roget.scoring.entropy.base import ONE
from roget.scoring.labels.labels import EXACT, Labels, whole_counts
from roget.scoring.tables.statistics import (
    BCubed,
    Elements,
    Links,
    Matched,
    Sizes,
    Statistics,
    pairs_of,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from roget.scoring.tables.cover import Cover, Degrees
    from roget.scoring.tables.dendrogram import Dendrogram


class Leaves(NamedTuple):
    """Of a table of clusters that a cut of a tree makes: classes × leaves, and the tree."""

    table: Contingency
    tree: Tree

    @property
    def places(self) -> Ints:
        """The place of each of the table's columns."""
        found: Ints = self.tree.layout.places[self.table.cluster_codes % self.tree.n_clusters]
        return found


class Occupied(NamedTuple):
    """Classes that gold has, clusters that the system has, and cells of items that both have."""

    rows: BoolArray
    columns: BoolArray
    cells: BoolArray


@dataclass(frozen=True, eq=False, repr=False)
class Contingency(Statistics):
    """How many items each (class, cluster) cell holds; empty cells, rows and columns are left out.

    Cells are in row order. Counts are int64, or float64 when the table is fractional. The tables
    of many groups are one table of blocks; `by_group` gives the statistics of each block.

    >>> table = Contingency.from_table([[3, 1], [0, 2]])
    >>> table.n, table.rows.tolist(), table.columns.tolist(), table.counts.tolist()
    (6, [0, 0, 1], [0, 1, 1], [3, 1, 2])
    >>> round(table.measure("v"), 4)
    0.4787
    """

    rows: Ints
    columns: Ints
    counts: CountArray
    row_totals: CountArray
    column_totals: CountArray
    class_codes: Ints
    cluster_codes: Ints
    gold: Labels | None = field(default=None, repr=False)
    system: Labels | None = field(default=None, repr=False)
    cuts: Ints | None = field(default=None, repr=False)
    """The first row of each group; None: one table."""
    documents: Ints | None = field(default=None, repr=False)
    """The first row of each document of one table, beyond which mentions are not linked."""
    leaves: Leaves | None = field(default=None, repr=False)
    """The tree that was cut into these clusters, if there is one."""

    @classmethod
    def from_labels(
        cls,
        gold: Labels,
        system: Labels,
        groups: Codes | None = None,
        n_groups: int = 1,
        times: CountArray | None = None,
    ) -> Contingency:
        """Count aligned hard labels, each once or so many `times`. With groups, labels are private
        to their group, so the table is block-diagonal: `by_group` tells its blocks apart.
        """
        first: Codes = gold.codes
        per_group, width = gold.n_labels, system.n_labels
        if groups is not None:
            first = groups.astype(np.int64) * per_group + first
        counts: CountArray
        n_rows, used = n_groups * per_group, None
        if n_rows * width >= 2**63:
            # Sparse codes of many groups: number the classes that occur.
            used, first = np.unique(first, return_inverse=True)
            n_rows = used.size
        if times is None:
            keys, counts = count_pairs(first, system.codes, width, n_rows * width)
        else:
            keys, cell = np.unique(
                first.astype(np.int64) * width + system.codes, return_inverse=True
            )
            counts = _totals(cell, times, keys.size)
        rows, columns = np.divmod(keys, width)
        if used is not None:
            rows = used[rows]
        columns += rows // per_group * width
        return cls.from_cells(rows, columns, counts, gold, system)

    @classmethod
    def from_cells(
        cls,
        rows: Any,
        columns: Any,
        counts: Any = None,
        gold: Labels | None = None,
        system: Labels | None = None,
    ) -> Contingency:
        """The table of cells that were counted elsewhere, by one GROUP BY of any database.

        Rows are classes and columns clusters, under any labels, in any order; a cell that comes
        again adds up, and without counts each weighs 1. Integer codes in row order are not copied.

        >>> table = Contingency.from_cells(["a", "b", "a"], ["x", "x", "y"], [3, 2, 1])
        >>> table.n, table.counts.tolist(), table.class_name(0)
        (6, [3, 1, 2], 'a')
        >>> Contingency.from_cells(np.array([0, 0, 1]), np.array([0, 1, 1])).counts.tolist()
        [1, 1, 1]
        """
        if not _in_order(rows, columns):
            return cls._count_cells(rows, columns, counts)
        rows, class_codes = compact(rows, ordered=True)
        columns, cluster_codes = compact(columns, ordered=False)
        counts = np.ones(rows.size, dtype=np.int64) if counts is None else counts
        return cls(
            rows,
            columns,
            counts,
            _totals(rows, counts, class_codes.size),
            _totals(columns, counts, cluster_codes.size),
            class_codes,
            cluster_codes,
            gold,
            system,
        )

    @classmethod
    def _count_cells(cls, gold: Any, system: Any, counts: Any) -> Contingency:
        """The table of cells under any labels."""
        from roget.scoring.labels import as_labels

        sides = as_labels(gold, gold=True), as_labels(system)
        lengths = {len(side) for side in sides}
        times = np.ones(len(sides[0])) if counts is None else np.asarray(counts)
        if len({*lengths, times.size}) > 1 or times.ndim != 1:
            raise InputError(f"cells: columns of {sorted({*lengths, times.size})} rows")
        for name, side in zip(("gold", "system"), sides, strict=True):
            if side.weighted or not side.complete:
                raise InputError(f"cells: a {name} label is missing; expected one in each cell")
        if times.dtype.kind not in "iufb" or not np.all(np.isfinite(times) & (times >= 0)):
            raise InputError("cells: a count is no number that is 0 or more")
        kept = np.flatnonzero(times > 0)
        if not kept.size:
            raise InputError("cells: no count is above 0")
        left, right = (replace(side, codes=side.codes[kept]) for side in sides)
        return cls.from_labels(left, right, times=whole_counts(times[kept]))

    @classmethod
    def from_table(cls, table: Any) -> Contingency:
        """A dense or sparse matrix of counts, classes as rows; fractions stay fractions.

        >>> Contingency.from_table([[0.5, 0.25], [0.0, 0.25]]).n
        1.0
        """
        if hasattr(table, "tocsr"):
            sparse = table.tocsr(copy=True)
            sparse.sum_duplicates()
            sparse = sparse.tocoo()
            rows, columns, values = sparse.row, sparse.col, sparse.data
        else:
            try:
                dense = np.asarray(table)
            except ValueError:
                raise InputError("the rows of a contingency table must be of one length") from None
            if dense.ndim != 2:
                raise InputError(f"a contingency table has 2 dimensions, this has {dense.ndim}")
            rows, columns = np.nonzero(dense)
            values = dense[rows, columns]
        if values.dtype.kind not in "iufb":
            raise InputError(f"a contingency table holds numbers, this holds {values.dtype}")
        bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
        if bad.size:
            at = bad[0]
            place = f"row {rows[at]}, column {columns[at]}"
            raise InputError(f"count {values[at]} in {place}: expected a number that is 0 or more")
        total = float(values.sum(dtype=np.float64))
        if total >= 2**63:
            raise InputError(f"the table sums to {total:.3g}: expected less than 2^63")
        kept = values > 0
        if not kept.any():
            raise InputError("the contingency table is empty: no count is above 0")
        rows, columns, values = rows[kept], columns[kept], values[kept]
        order = np.lexsort((columns, rows))
        counts = whole_counts(values[order])
        return cls.from_cells(rows[order].astype(np.int64), columns[order].astype(np.int64), counts)

    def by_group(self, n_classes: int) -> Contingency:
        """The same table with statistics for each block of class codes from g·n_classes on."""
        return replace(
            self, cuts=np.flatnonzero(np.diff(self.class_codes // n_classes, prepend=-1))
        )

    @property
    def groups(self) -> int | None:
        return None if self.cuts is None else self.cuts.size

    def pool_documents(self, n_classes: int) -> Contingency:
        """The same table as one, which knows the blocks of class codes as documents."""
        return replace(self, documents=self.by_group(n_classes).cuts)

    @cached_property
    def held(self) -> Occupied | None:
        """What is of items that a side has, where some may be of one side only; None: all is.

        Each item without a twin has a class or a cluster of its own, which only measures that
        look here know to be none.
        """
        sides, codes = (self.gold, self.system), (self.class_codes, self.cluster_codes)
        if not any(side is not None and side.absent and side.made for side in sides):
            return None
        rows, columns = (
            np.ones(code.size, dtype=bool)
            if side is None or not side.absent
            else code % side.n_labels < side.n_labels - side.made
            for side, code in zip(sides, codes, strict=True)
        )
        return Occupied(rows, columns, rows[self.rows] & columns[self.columns])

    @cached_property
    def mentions(self) -> tuple[Any, Any]:
        """How many items gold and the system have."""
        if self.held is None:
            return self.n, self.n
        return (
            self.over_rows(self.row_totals * self.held.rows),
            self.over_columns(self.column_totals * self.held.columns),
        )

    @cached_property
    def entities(self) -> tuple[Any, Any]:
        """How many classes gold and how many clusters the system has."""
        if self.held is None:
            return self.sizes.classes, self.sizes.clusters
        return (
            self.over_rows(self.held.rows.astype(np.int64)),
            self.over_columns(self.held.columns.astype(np.int64)),
        )

    @cached_property
    def links(self) -> Links:
        """Pairs of mentions."""
        if self.documents is not None:
            each = replace(self, cuts=self.documents, documents=None).links
            return Links(*(int(np.sum(number)) for number in vars(each).values()))
        # Items without a twin are alone in their class or cluster: they are in no pair.
        pairs = self.pairs
        gold, system = map(pairs_of, self.mentions)
        both, gold_twins, system_twins = gold, pairs.gold, pairs.system
        if self.held is not None:
            twins = self.counts * self.held.cells
            both = pairs_of(self.over_cells(twins))
            gold_twins = self.over_rows(pairs_of(np.add.reduceat(twins, self.row_starts)))
            in_columns = _totals(self.columns, twins, self.column_totals.size)
            system_twins = self.over_columns(pairs_of(in_columns))
        return Links(
            pairs.gold,
            pairs.system,
            pairs.both,
            gold - pairs.gold,
            system - pairs.system,
            both - gold_twins - system_twins + pairs.both,
        )

    @cached_property
    def cell_cuts(self) -> Ints:
        """The first cell of each group."""
        return ONE if self.cuts is None else self.row_starts[self.cuts]

    @cached_property
    def column_cuts(self) -> Ints | None:
        """The first column of each group; None: one table."""
        return None if self.cuts is None else np.minimum.reduceat(self.columns, self.cell_cuts)

    @cached_property
    def _bounds(self) -> list[Ints]:
        """Where each group's rows, columns and cells begin, and the last ones end."""
        cuts = self.cuts, self.column_cuts, self.cell_cuts
        sizes = *self.shape, self.rows.size
        return [
            np.append(ONE if at is None else at, end) for at, end in zip(cuts, sizes, strict=True)
        ]

    def over_cells(self, values: Array) -> Any:
        """The sum over all cells, of each group."""
        return self._sum(values, self.cell_cuts)

    def over_rows(self, values: Array) -> Any:
        """The sum over all classes, of each group."""
        return self._sum(values, self.cuts)

    def over_columns(self, values: Array) -> Any:
        """The sum over all clusters, of each group."""
        return self._sum(values, self.column_cuts)

    def _sum(self, values: Array, starts: Ints | None) -> Any:
        sums = sum_parts(values, ONE if starts is None else starts)
        return sums[0].item() if self.cuts is None else sums

    @cached_property
    def n(self) -> Any:
        """How many items there are."""
        return self.over_rows(self.row_totals)

    @cached_property
    def sizes(self) -> Sizes:
        """Histograms of class and cluster sizes."""
        gold = Histogram.of(self.row_totals, self.cuts)
        return Sizes(gold, Histogram.of(self.column_totals, self.column_cuts), self.n)

    @cached_property
    def joint(self) -> Histogram:
        """Histogram of the cells."""
        return Histogram.of(self.counts, None if self.cuts is None else self.cell_cuts)

    @property
    def fractional(self) -> bool:
        return self.counts.dtype.kind == "f"

    @cached_property
    def bcubed(self) -> BCubed:
        """B-cubed precision and recall, in one pass over the cells."""
        counts = self.counts.astype(np.float64)
        squares = self.only_twins(counts * counts)
        in_column = np.bincount(self.columns, squares, minlength=self.column_totals.size)
        in_row = np.add.reduceat(squares, self.row_starts)
        gold, system = self.mentions
        if self.held is not None:
            gold, system = np.maximum(gold, 1), np.maximum(system, 1)
        return BCubed(
            self.over_columns(in_column / self.column_totals) / system,
            self.over_rows(in_row / self.row_totals) / gold,
        )

    def only_twins(self, weights: CountArray) -> CountArray:
        """Weights of cells, 0 where one side only has the items."""
        return weights if self.held is None else weights * self.held.cells

    @cached_property
    def matched(self) -> Matched:
        """Items in the best one-to-one match of clusters to classes."""
        best = self._match_items(self.counts)
        if self.held is None:
            return Matched(best, self.n)
        twins = self._match_items(self.only_twins(self.counts))
        return Matched(best, self.n, (twins, *self.mentions))

    def _match_items(self, counts: CountArray) -> Any:
        best = self.match(counts)
        if self.fractional:
            return best
        return np.rint(best).astype(np.int64) if self.groups else round(best)

    def match(self, weights: CountArray) -> Any:
        """The weight of the best one-to-one match of clusters to classes, of each group."""
        if self.documents is not None:
            return float(np.sum(replace(self, cuts=self.documents, documents=None).match(weights)))
        if self.cuts is None or self.column_cuts is None:
            return best_match(self.rows, self.columns, weights, self.row_starts)
        best = np.maximum.reduceat(weights, self.row_starts)
        totals = self.over_rows(best).astype(np.float64)
        wanted = self.columns[first_best(self.rows, weights, best)]
        contested = np.bincount(wanted, minlength=self.shape[1])[wanted] > 1
        # Where no two classes want the same cluster, each gets the one it wants.
        unsettled = np.flatnonzero(np.logical_or.reduceat(contested, self.cuts))
        high, wide, long = (np.diff(bounds)[unsettled] for bounds in self._bounds)
        narrow = np.minimum(high, wide)
        for side in range(1, _SUBSETS + 1):
            groups = np.flatnonzero(narrow == side)
            groups = groups[np.argsort((high + wide)[groups], kind="stable")]
            for begin in range(0, groups.size, _TABLES):
                part = groups[begin : begin + _TABLES]
                totals[unsettled[part]] = match_small(
                    self._stack(weights, unsettled[part], long[part], high[part] > side)
                )
        for group in unsettled[narrow > _SUBSETS].tolist():
            block = self.block(group)
            cells = weights[slice(*self._bounds[2][group : group + 2])]
            chosen = _assign(block.rows, block.columns, cells, *block.shape)
            totals[group] = cells[chosen].sum()
        return totals

    @cached_property
    def matched_cells(self) -> Ints:
        """The cells of the best one-to-one match of clusters to classes, group by group."""
        found = []
        for group in range(self.groups or 1):
            block = self.block(group)
            first = self._bounds[2][group]
            cells = block.rows, block.columns, block.counts, block.row_starts
            found.append(first + choose_cells(*cells))
        return np.concatenate(found)

    def _stack(self, weights: CountArray, groups: Ints, lengths: Ints, tall: Array) -> Floats:
        """Dense tables of groups, narrow side × wide side × groups; tall ones are turned."""
        which = np.repeat(np.arange(groups.size), lengths)
        firsts = [bounds[groups] for bounds in self._bounds]
        cells = np.arange(which.size) + (firsts[2] - np.cumsum(lengths) + lengths)[which]
        rows, columns = self.rows[cells] - firsts[0][which], self.columns[cells] - firsts[1][which]
        turned = tall[which]
        narrow, wide = np.where(turned, columns, rows), np.where(turned, rows, columns)
        tables = np.zeros((narrow.max() + 1, wide.max() + 1, groups.size))
        tables[narrow, wide, which] = weights[cells]
        return tables

    @property
    def elements(self) -> Elements:
        """Similarity item by item: of a tree that was cut, that of the whole tree."""
        if self.leaves is None:
            return HardElements(self)
        from roget.scoring.tables.random_walk import TreeElements

        return TreeElements(self.leaves)

    @property
    def cover(self) -> Cover:
        """Classes and clusters as sets of items."""
        # Only measures of covers ask for it.
        from roget.scoring.tables.cover import HardCover

        return HardCover.from_table(self)

    @property
    def degrees(self) -> Degrees:
        """The same; whoever belongs to a set does so in full."""
        from roget.scoring.tables.cover import HardCover, HardDegrees

        return HardDegrees(HardCover.from_table(self))

    @property
    def table(self) -> Contingency:
        """The table itself."""
        return self

    @cached_property
    def tree(self) -> Dendrogram:
        """The tree above the clusters."""
        from roget.scoring.tables.dendrogram import Dendrogram

        leaves = self.leaves
        if leaves is None:
            return Dendrogram.flat(self)
        return Dendrogram(leaves.table, leaves.tree.layout, leaves.places)

    @cached_property
    def row_starts(self) -> Ints:
        """Where each row's cells begin."""
        return np.searchsorted(self.rows, np.arange(self.row_totals.size))

    @cached_property
    def row_best(self) -> CountArray:
        """The largest cell of each row."""
        best: CountArray = np.maximum.reduceat(self.counts, self.row_starts)
        return best

    @cached_property
    def column_best(self) -> CountArray:
        """The largest cell of each column."""
        best = np.zeros_like(self.column_totals)
        np.maximum.at(best, self.columns, self.counts)
        return best

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and clusters hold an item."""
        return self.row_totals.size, self.column_totals.size

    @property
    def T(self) -> Contingency:
        """Gold and system exchanged."""
        order = np.lexsort((self.rows, self.columns))
        return Contingency(
            self.columns[order],
            self.rows[order],
            self.counts[order],
            self.column_totals,
            self.row_totals,
            self.cluster_codes,
            self.class_codes,
            self.system,
            self.gold,
            self.column_cuts,
        )

    def group_of(self, row: int) -> int:
        """The group a row belongs to."""
        return 0 if self.cuts is None else int(np.searchsorted(self.cuts, row, side="right")) - 1

    def class_name(self, row: int) -> str:
        """The gold label of a row; its number where the table came without labels."""
        code = int(self.class_codes[row])
        return str(code) if self.gold is None else self.gold.label(code % self.gold.n_labels)

    def cluster_name(self, column: int) -> str:
        """The system's label of a column."""
        code = int(self.cluster_codes[column])
        return str(code) if self.system is None else self.system.label(code % self.system.n_labels)

    def to_sparse(self) -> csr_array[Any]:
        """The table as a scipy sparse array."""
        from scipy.sparse import csr_array

        return csr_array((self.counts, (self.rows, self.columns)), shape=self.shape)

    def block(self, group: int) -> Contingency:
        """The table of one group out of the table of all."""
        if self.cuts is None:
            return self
        rows, columns, cells = (slice(*cuts[group : group + 2].tolist()) for cuts in self._bounds)
        return Contingency(
            self.rows[cells] - rows.start,
            self.columns[cells] - columns.start,
            self.counts[cells],
            self.row_totals[rows],
            self.column_totals[columns],
            self.class_codes[rows],
            self.cluster_codes[columns],
            self.gold,
            self.system,
            leaves=self.leaves and self.leaves._replace(table=self.leaves.table.block(group)),
        )


@dataclass(frozen=True, eq=False)
class HardElements(Elements):
    """Where an item has one class and one cluster, its walks never leave them.

    So they spread evenly, and what they have in common is overlap / larger of the two, whatever
    the probability of going on.
    """

    cells: Contingency

    def each(self, alpha: float, r: float = 1.0) -> Floats:
        table = self.cells
        larger = np.maximum(table.row_totals[table.rows], table.column_totals[table.columns])
        return np.asarray(table.counts / larger)

    def mean(self, alpha: float, r: float = 1.0) -> Values:
        table = self.cells
        return table.over_cells(table.counts * self.each(alpha, r)) / table.n


def _in_order(rows: Any, columns: Any) -> bool:
    """Whether both are integer codes, distinct cells in row order."""
    if not all(isinstance(x, np.ndarray) and x.dtype.kind == "i" for x in (rows, columns)):
        return False
    ahead = rows[1:] > rows[:-1]
    return bool(np.all(ahead | ((rows[1:] == rows[:-1]) & (columns[1:] > columns[:-1]))))


def compact(codes: Ints, *, ordered: bool) -> tuple[Ints, Ints]:
    """Codes renumbered 0, 1, … in increasing order, and the old code of each."""
    top = int(codes[-1] if ordered else codes.max()) + 1
    if top > 4 * codes.size + 1024:
        old, new = np.unique(codes, return_inverse=True)
        return new.astype(np.int64), old
    used = np.zeros(top, dtype=bool)
    used[codes] = True
    old = np.flatnonzero(used)
    if old.size == top:
        return codes, old
    rank = np.cumsum(used) - 1
    return rank[codes], old


def find_kinds(columns: Iterable[tuple[Array, int]]) -> tuple[Ints, Ints]:
    """The kind of each row, the same for rows with equal codes; and one row of each kind.

    Columns are codes, and one more than the largest there can be.

    >>> find_kinds([(np.array([0, 1, 0]), 2), (np.array([2, 2, 2]), 3)])
    (array([0, 1, 0]), array([2, 1]))
    """
    kinds: Ints = ONE[:0]
    for codes, width in columns:
        # Renumbered after each, so that no key is too large.
        key = kinds * width + codes if kinds.size else codes.astype(np.int64)
        kinds, old = compact(key, ordered=False)
    one_of = np.empty(old.size, dtype=np.int64)
    one_of[kinds] = np.arange(kinds.size)
    return kinds, one_of


def _totals(codes: Ints, counts: CountArray, size: int) -> CountArray:
    """Sums of counts by code, exact for whole counts."""
    if counts.dtype.kind == "f":
        return np.bincount(codes, counts, minlength=size)
    if float(counts.sum(dtype=np.float64)) < EXACT:
        return np.bincount(codes, counts, minlength=size).astype(np.int64)
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, codes, counts)
    return totals


_CHUNK = 1 << 16
"""Keys are made a stretch at a time, so that they are still in the cache when counted."""

_DIRECT = 1 << 18
"""Up to so many possible keys, an array with a place for each is the fastest counter."""


def count_pairs(first: Codes, second: Codes, n_second: int, keys: int) -> tuple[Ints, Ints]:
    """Distinct values of first·n_second + second in increasing order, with their counts.

    `keys` is one more than the largest key there can be. Memory is a small table when there are
    few possible keys, else one 4- or 8-byte key per item; never a dense table of all label pairs.
    """
    if keys <= min(max(4 * first.size, 1 << 12), max(_DIRECT, first.size // 8)):
        counts = _counted(first, second, n_second, keys)
        seen = np.flatnonzero(counts)
        return seen.astype(np.int64), counts[seen]
    return _sorted(first, second, n_second, keys)


def _counted(first: Codes, second: Codes, n_second: int, keys: int) -> Ints:
    counts = np.zeros(keys, dtype=np.int64)
    chunk = max(_CHUNK, keys)
    room = np.empty(min(chunk, first.size), dtype=np.intp)
    for begin in range(0, first.size, chunk):
        part = slice(begin, begin + chunk)
        key = room[: first[part].size]
        _make_keys(first[part], second[part], n_second, key)
        counts += np.bincount(key, minlength=keys)
    return counts


def _sorted(first: Codes, second: Codes, n_second: int, keys: int) -> tuple[Ints, Ints]:
    dtype = np.uint32 if keys <= 1 << 32 else np.uint64
    key = np.empty(first.size, dtype=dtype)
    for begin in range(0, first.size, _CHUNK):
        part = slice(begin, begin + _CHUNK)
        _make_keys(first[part], second[part], n_second, key[part])
    key.sort()
    change = np.empty(key.size, dtype=bool)
    change[:1] = True
    np.not_equal(key[1:], key[:-1], out=change[1:])
    starts = np.flatnonzero(change)
    del change
    counts = np.diff(starts, append=key.size)
    return key[starts].astype(np.int64), counts


def _make_keys(first: Codes, second: Codes, n_second: int, key: Array) -> None:
    # The type is named because numpy would multiply 8-bit codes in 8 bits.
    np.multiply(first, n_second, out=key, dtype=key.dtype, casting="unsafe")
    np.add(key, second, out=key, dtype=key.dtype, casting="unsafe")


_DENSE_CELLS = 1 << 20


def best_match(rows: Ints, columns: Ints, weights: CountArray, row_starts: Ints) -> float:
    """The largest total weight of cells no two of which share a row or a column.

    Rows are compact and in order; `row_starts` says where each begins.

    >>> r, c = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> best_match(r, c, np.array([5, 4, 4, 0]), np.array([0, 2]))
    8.0
    """
    return float(weights[choose_cells(rows, columns, weights, row_starts)].sum())


def choose_cells(rows: Ints, columns: Ints, weights: CountArray, row_starts: Ints) -> Ints:
    """The cells of such a match.

    >>> r, c = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> choose_cells(r, c, np.array([5, 4, 4, 0]), np.array([0, 2])).tolist()
    [1, 2]
    """
    settled = _largest_cells(rows, columns, weights, row_starts)
    if settled is not None:
        return settled
    return _assign(rows, columns, weights, row_starts.size, int(columns.max()) + 1)


_SUBSETS = 6
"""Up to so many classes or clusters, tables are matched many at once by their subsets."""

_TABLES = 1 << 11
"""So many small tables at a time stay in the processor's cache."""


def match_small(tables: Floats) -> Floats:
    """The weights of the best matches of many small tables (narrow side × wide side × tables).

    After each column, `best` has the largest weight for every set of rows that may be used.

    >>> match_small(np.array([[[5.0], [4.0]], [[4.0], [0.0]]])).tolist()
    [8.0]
    """
    rows, columns, count = tables.shape
    best = np.zeros((1 << rows, count))
    for column in range(columns):
        before = best.copy()
        for row in range(rows):
            halves = 1 << rows - 1 - row, 2, 1 << row, count
            used, free = best.reshape(halves)[:, 1], before.reshape(halves)[:, 0]
            np.maximum(used, free + tables[row, column], out=used)
    return np.asarray(best[-1])


def _assign(rows: Ints, columns: Ints, weights: CountArray, n_rows: int, n_columns: int) -> Ints:
    """The cells of the best match where no simple bound settles it."""
    if n_rows * n_columns <= _DENSE_CELLS:
        return _dense(rows, columns, weights, n_rows, n_columns)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    # Cells that share no row or column, even indirectly, are separate problems.
    links = csr_array((np.ones(rows.size), (rows, columns + n_rows)), (n_rows + n_columns,) * 2)
    count, component = connected_components(links, directed=False)
    if count == 1:
        return _sparse(rows, columns, weights, n_rows, n_columns)
    part = component[rows]
    order = np.lexsort((rows, part))
    cuts = np.flatnonzero(np.diff(part[order], prepend=-1, append=-1))
    found = []
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        cells = order[begin:end]
        if cells.size > 1:
            row, column = (np.unique(of[cells], return_inverse=True)[1] for of in (rows, columns))
            starts = np.searchsorted(row, np.arange(row[-1] + 1))
            cells = cells[choose_cells(row, column, weights[cells], starts)]
        found.append(cells)
    return np.concatenate(found)


def _largest_cells(rows: Ints, columns: Ints, weights: CountArray, row_starts: Ints) -> Ints | None:
    """The largest cell of each row bounds every match; in different columns, they are the match."""
    best = np.maximum.reduceat(weights, row_starts)
    claimed = first_best(rows, weights, best)
    return claimed if np.unique(columns[claimed]).size == claimed.size else None


def first_best(rows: Ints, weights: CountArray, best: CountArray) -> Ints:
    """The first cell of each row that holds the row's largest weight."""
    winners = np.flatnonzero(weights == best[rows])
    return winners[np.searchsorted(rows[winners], np.arange(best.size))]


def _dense(rows: Ints, columns: Ints, weights: CountArray, n_rows: int, n_columns: int) -> Ints:
    from scipy.optimize import linear_sum_assignment

    table, cell = np.zeros((n_rows, n_columns)), np.full((n_rows, n_columns), -1)
    table[rows, columns], cell[rows, columns] = weights, np.arange(rows.size)
    found: Ints = cell[linear_sum_assignment(table, maximize=True)]
    return found[found >= 0]


def _sparse(rows: Ints, columns: Ints, weights: CountArray, n_rows: int, n_columns: int) -> Ints:
    """Sparse assignment; a private column of weight 0 lets every row stay unmatched."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    spare = np.arange(n_rows)
    shift = 1.0 + float(weights.max())
    data = np.concatenate([shift - weights, np.full(n_rows, shift)])
    at = (np.concatenate([rows, spare]), np.concatenate([columns, n_columns + spare]))
    graph = csr_array((data, at), shape=(n_rows, n_columns + n_rows))
    matched_rows, matched_columns = min_weight_full_bipartite_matching(graph)
    partner = np.full(n_rows, -1)
    partner[matched_rows] = matched_columns
    return np.flatnonzero(partner[rows] == columns)
