"""The sparse contingency table of gold and system, counted once and used by every measure."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Array, BoolArray, Codes, CountArray, Floats, Ints, Values
from roget.errors import InputError, Notice
from roget.scoring.entropy.base import ONE, Histogram
from roget.scoring.labels.labels import Labels, require_total, whole_counts
from roget.scoring.tables.cover import Cover, Degrees, HardCover, HardDegrees
from roget.scoring.tables.dendrogram import Dendrogram
from roget.scoring.tables.keys import compact, count_pairs, sum_by_code
from roget.scoring.tables.matching import (
    BATCH,
    FEW,
    SUBSETS,
    assign,
    best_match,
    choose_cells,
    first_best,
    match_small,
)
from roget.scoring.tables.random_walk import TreeElements
from roget.scoring.tables.records import BCubed, Elements, Links, Matched, Sizes, pairs_among
from roget.scoring.tables.statistics import Statistics
from roget.scoring.tables.totals import drop_totals, list_names

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Leaves(NamedTuple):
    """The tree from which the scored clusters were cut, and the table of classes and leaves."""

    table: Contingency
    tree: Tree

    @property
    def places(self) -> Ints:
        """The position of each column's leaf among all leaves of the tree."""
        places: Ints = self.tree.layout.places[self.table.cluster_codes % self.tree.n_clusters]
        return places


class Occupied(NamedTuple):
    """Masks that exclude the placeholder rows and columns for items missing from gold or system."""

    rows: BoolArray
    """A mask of the classes that contain gold items."""
    columns: BoolArray
    """A mask of the clusters that contain system items."""
    cells: BoolArray
    """A mask of the cells whose items are in both gold and system."""


@dataclass(frozen=True, eq=False, repr=False)
class Contingency(Statistics):
    """A contingency table: the number of items in each non-empty (class, cluster) cell.

    Cells are in row order, and there are no empty rows or columns. Counts are int64, or float64 if
    the table is fractional. The tables of many groups are stored as one block-diagonal table. Use
    `by_group` to compute the statistics of each block.

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
    """The index of the first row of each group, or None for a single table."""
    documents: Ints | None = field(default=None, repr=False)
    """The index of the first row of each document.

    Mentions are linked only within the same document.
    """
    leaves: Leaves | None = field(default=None, repr=False)
    """The tree and the table of its leaves, if the clusters were made by cutting a tree."""
    shape: tuple[int, int] = field(init=False, repr=False)
    """The number of classes and the number of clusters with at least one item."""

    row_starts: Ints = field(init=False, repr=False)
    """The position of the first cell of each row."""
    cell_cuts: Ints = field(init=False, repr=False)
    """The position of the first cell of each group."""
    column_cuts: Ints | None = field(init=False, repr=False)
    """The index of the first column of each group, or None for a single table."""

    def __post_init__(self) -> None:
        row_starts = np.searchsorted(self.rows, np.arange(self.row_totals.size))
        cell_cuts = ONE if self.cuts is None else row_starts[self.cuts]
        vars(self).update(
            n=self._sum(self.row_totals, self.cuts),
            shape=(self.row_totals.size, self.column_totals.size),
            groups=None if self.cuts is None else self.cuts.size,
            fractional=self.counts.dtype.kind == "f",
            row_starts=row_starts,
            cell_cuts=cell_cuts,
            column_cuts=(
                None if self.cuts is None else np.minimum.reduceat(self.columns, cell_cuts)
            ),
        )

    @classmethod
    def from_labels(
        cls,
        gold: Any,
        system: Any,
        groups: Codes | None = None,
        n_groups: int = 1,
        times: CountArray | None = None,
    ) -> Contingency:
        """Count the items in each cell, given aligned hard labels.

        Item i is counted `times[i]` times, by default once. If there are groups, equal labels in
        different groups are different classes or clusters, so the table is block-diagonal. Use
        `by_group` to compute the statistics of its blocks. Labels of other types, such as lists or
        Series, are converted.
        """
        if not (isinstance(gold, Labels) and isinstance(system, Labels)):
            from roget.scoring.labels.precounted import match_index

            return cls._count_cells(gold, match_index(gold, system), times)
        first: Codes = gold.codes
        per_group, width = gold.n_labels, system.n_labels
        if groups is not None:
            first = groups.astype(np.int64) * per_group + first
        counts: CountArray
        n_rows, used = n_groups * per_group, None
        if n_rows * width >= 2**63:
            # The keys would overflow, so renumber the (group, class) codes in use, starting at 0.
            used, first = np.unique(first, return_inverse=True)
            n_rows = used.size
        if times is None:
            keys, counts = count_pairs(first, system.codes, width, n_rows * width)
        else:
            keys, cell = np.unique(
                first.astype(np.int64) * width + system.codes, return_inverse=True
            )
            counts = sum_by_code(cell, times, keys.size)
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
        """Make a table from counted cells, such as the result of a GROUP BY query.

        `rows` and `columns` hold the class and the cluster of each cell, as labels of any type and
        in any order. Repeated cells are summed. If `counts` is omitted, each cell counts once.
        Integer codes in row order are not copied.

        >>> table = Contingency.from_cells(["a", "b", "a"], ["x", "x", "y"], [3, 2, 1])
        >>> table.n, table.counts.tolist(), table.class_name(0)
        (6, [3, 1, 2], 'a')
        >>> Contingency.from_cells(np.array([0, 0, 1]), np.array([0, 1, 1])).counts.tolist()
        [1, 1, 1]
        """
        if not all(
            isinstance(side, np.ndarray) and side.dtype.kind == "i" for side in (rows, columns)
        ):
            return cls._count_cells(rows, columns, counts)
        below = (rows[1:] == rows[:-1]) & (columns[1:] > columns[:-1])
        if not np.all(below | (rows[1:] > rows[:-1])):
            # The cells are not distinct, or are not sorted by row and column.
            return cls._count_cells(rows, columns, counts)
        rows, class_codes = compact(rows, ordered=True)
        columns, cluster_codes = compact(columns, ordered=False)
        counts = np.ones(rows.size, dtype=np.int64) if counts is None else counts
        return cls(
            rows,
            columns,
            counts,
            sum_by_code(rows, counts, class_codes.size),
            sum_by_code(columns, counts, cluster_codes.size),
            class_codes,
            cluster_codes,
            gold,
            system,
        )

    @classmethod
    def _count_cells(cls, gold: Any, system: Any, counts: Any) -> Contingency:
        """Make a table from cells with labels of any type."""
        from roget.scoring.labels import as_labels

        sides = as_labels(gold, gold=True), as_labels(system)
        lengths = {len(side) for side in sides}
        times = np.ones(len(sides[0])) if counts is None else np.asarray(counts)
        if len({*lengths, times.size}) > 1 or times.ndim != 1:
            raise InputError(
                "cells: gold, system and counts must have the same length; got "
                f"{len(sides[0])}, {len(sides[1])} and {times.size}",
                code="length-mismatch",
            )
        for name, side in zip(("gold", "system"), sides, strict=True):
            if side.weighted or not side.complete:
                raise InputError(
                    f"cells: every cell needs one {name} label, but some labels are missing",
                    code="missing-label",
                )
        if times.dtype.kind not in "iufb" or not np.all(np.isfinite(times) & (times >= 0)):
            raise InputError(
                "cells: counts must be finite numbers greater than or equal to 0", code="bad-count"
            )
        kept = np.flatnonzero(times > 0)
        if not kept.size:
            raise InputError("cells: all counts are 0", code="empty-input")
        left, right = (replace(side, codes=side.codes[kept]) for side in sides)
        return cls.from_labels(left, right, times=whole_counts(times[kept]))

    @classmethod
    def from_table(cls, table: Any) -> Contingency:
        """Make a table from a dense or sparse matrix of counts with classes as rows.

        Fractional counts are kept. Totals of a pandas frame, as in a crosstab with margins, are
        dropped with a warning. An array must not contain totals.

        >>> Contingency.from_table([[0.5, 0.25], [0.0, 0.25]]).n
        1.0
        """
        if hasattr(table, "columns"):
            names = list_names(table, "index"), list_names(table, "columns")
            table, _, _, dropped = drop_totals(table.to_numpy(), *names, by_value=False)
            if dropped:
                text = f"totals in the last {' and the last '.join(dropped)} are not counted"
                warnings.warn(Notice(text, code="dropped-totals"), stacklevel=2)
        if hasattr(table, "tocsr"):
            sparse = table.tocsr(copy=True)
            sparse.sum_duplicates()
            sparse = sparse.tocoo()
            rows, columns, values = sparse.row, sparse.col, sparse.data
        else:
            try:
                dense = np.asarray(table)
            except ValueError:
                raise InputError(
                    "all rows of a contingency table must have the same length",
                    code="length-mismatch",
                ) from None
            if dense.ndim != 2:
                raise InputError(
                    f"a contingency table must have 2 dimensions; this array has {dense.ndim}",
                    code="invalid-input",
                )
            rows, columns = np.nonzero(dense)
            values = dense[rows, columns]
        if values.dtype.kind not in "iufb":
            raise InputError(
                f"a contingency table must contain numbers; this array has dtype {values.dtype}",
                code="bad-count",
            )
        bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
        if bad.size:
            at = bad[0]
            place = f"row {rows[at]}, column {columns[at]}"
            raise InputError(
                f"invalid count {values[at]} in {place}: expected a finite number ≥ 0",
                code="bad-count",
            )
        require_total(values)
        kept = values > 0
        if not kept.any():
            raise InputError("the contingency table is empty: all counts are 0", code="empty-input")
        rows, columns, values = rows[kept], columns[kept], values[kept]
        order = np.lexsort((columns, rows))
        counts = whole_counts(values[order])
        return cls.from_cells(rows[order].astype(np.int64), columns[order].astype(np.int64), counts)

    def by_group(self, n_classes: int) -> Contingency:
        """Return the table with separate statistics for each group.

        The class codes of group g are g·n_classes, …, (g + 1)·n_classes − 1.
        """
        return replace(
            self, cuts=np.flatnonzero(np.diff(self.class_codes // n_classes, prepend=-1))
        )

    def pool_documents(self, n_classes: int) -> Contingency:
        """Return one table for all documents.

        Each document has a consecutive block of `n_classes` class codes.
        """
        return replace(self, documents=self.by_group(n_classes).cuts)

    @cached_property
    def held(self) -> Occupied | None:
        """Masks of the real classes, clusters and cells, or None if no item is unmatched.

        An unmatched item occurs only in gold or only in the system. It is assigned to a placeholder
        cluster or class on the side from which it is missing. Measures for coreference mentions use
        these masks to exclude the placeholders. Other measures count them as singletons.
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
        """The number of items in the gold standard and in the system output."""
        if self.held is None:
            return self.n, self.n
        return (
            self.over_rows(self.row_totals * self.held.rows),
            self.over_columns(self.column_totals * self.held.columns),
        )

    @cached_property
    def entities(self) -> tuple[Any, Any]:
        """The number of gold classes and the number of system clusters, without placeholders."""
        if self.held is None:
            return self.sizes.classes, self.sizes.clusters
        return (
            self.over_rows(self.held.rows.astype(np.int64)),
            self.over_columns(self.held.columns.astype(np.int64)),
        )

    @cached_property
    def links(self) -> Links:
        """The numbers of linked and unlinked pairs of mentions."""
        if self.documents is not None:
            each = replace(self, cuts=self.documents, documents=None).links
            return Links(*(int(np.sum(number)) for number in vars(each).values()))
        # Placeholder classes and clusters have one item each, so they contain no pairs.
        pairs = self.pairs
        gold, system = map(pairs_among, self.mentions)
        both, gold_common, system_common = gold, pairs.gold, pairs.system
        if self.held is not None:
            # Only pairs of shared items exist in both gold and the system.
            common = self.counts * self.held.cells
            both = pairs_among(self.over_cells(common))
            gold_common = self.over_rows(pairs_among(np.add.reduceat(common, self.row_starts)))
            in_columns = sum_by_code(self.columns, common, self.column_totals.size)
            system_common = self.over_columns(pairs_among(in_columns))
        return Links(
            pairs.gold,
            pairs.system,
            pairs.both,
            gold - pairs.gold,
            system - pairs.system,
            both - gold_common - system_common + pairs.both,
        )

    @cached_property
    def _bounds(self) -> list[Ints]:
        """The boundaries between groups in the rows, the columns and the cells."""
        cuts = self.cuts, self.column_cuts, self.cell_cuts
        sizes = *self.shape, self.rows.size
        return [
            np.append(ONE if at is None else at, end) for at, end in zip(cuts, sizes, strict=True)
        ]

    def over_cells(self, values: Array) -> Any:
        """Return the sum of values over the cells of each group."""
        return self._sum(values, self.cell_cuts)

    def over_rows(self, values: Array) -> Any:
        """Return the sum of values over the classes of each group."""
        return self._sum(values, self.cuts)

    def over_columns(self, values: Array) -> Any:
        """Return the sum of values over the clusters of each group."""
        return self._sum(values, self.column_cuts)

    def _sum(self, values: Array, starts: Ints | None) -> Any:
        sums = np.add.reduceat(values, ONE if starts is None else starts)
        return sums[0].item() if self.cuts is None else sums

    @cached_property
    def sizes(self) -> Sizes:
        """The histograms of class sizes and cluster sizes."""
        gold = Histogram.from_counts(self.row_totals, self.cuts)
        return Sizes(gold, Histogram.from_counts(self.column_totals, self.column_cuts), self.n)

    @cached_property
    def joint(self) -> Histogram:
        """The histogram of the cell counts."""
        return Histogram.from_counts(self.counts, None if self.cuts is None else self.cell_cuts)

    @cached_property
    def bcubed(self) -> BCubed:
        """B-cubed precision and recall, computed in one pass over the cells."""
        counts = self.counts.astype(np.float64)
        # The x items in a class of size a and a cluster of size b each have precision x/b and
        # recall x/a, so precision = Σ x²/b / (items in the system) and recall = Σ x²/a / (items in
        # gold), with sums over all cells.
        squares: CountArray = counts * counts
        gold = system = self.n
        if self.held is not None:
            squares = self.keep_common(squares)
            gold, system = (np.maximum(number, 1) for number in self.mentions)
        in_column = np.bincount(self.columns, squares, minlength=self.column_totals.size)
        in_row = np.add.reduceat(squares, self.row_starts)
        return BCubed(
            self.over_columns(in_column / self.column_totals) / system,
            self.over_rows(in_row / self.row_totals) / gold,
        )

    def keep_common(self, weights: CountArray) -> CountArray:
        """Set the weights of cells to 0 if their items are missing from gold or from the system."""
        return weights if self.held is None else weights * self.held.cells

    @cached_property
    def matched(self) -> Matched:
        """The number of items in the best one-to-one match between clusters and classes."""
        counts = [self.counts]
        if self.held is not None:
            counts.append(self.keep_common(self.counts))
        best = [self.match(weights) for weights in counts]
        if not self.fractional:
            best = [np.rint(one).astype(np.int64) if self.groups else round(one) for one in best]
        common = None if self.held is None else (best[1], *self.mentions)
        return Matched(best[0], self.n, common)

    def match(self, weights: CountArray) -> Any:
        """Return the weight of the best one-to-one match of clusters and classes in each group."""
        if self.documents is not None:
            return float(np.sum(replace(self, cuts=self.documents, documents=None).match(weights)))
        if self.cuts is None or self.column_cuts is None:
            return best_match(self.rows, self.columns, weights, self.row_starts)
        # Step 1: compute an upper bound for each group, the sum of the row maxima.
        best = np.maximum.reduceat(weights, self.row_starts)
        totals = self.over_rows(best).astype(np.float64)
        preferred = self.columns[first_best(self.rows, weights, best)]
        contested = np.bincount(preferred, minlength=self.shape[1])[preferred] > 1
        # Step 2: the bound is attained in groups where no two classes prefer the same cluster.
        unsettled = np.flatnonzero(np.logical_or.reduceat(contested, self.cuts))
        high, wide, long = (np.diff(bounds)[unsettled] for bounds in self._bounds)
        narrow = np.minimum(high, wide)
        # Step 3: solve small tables in batches of tables with the same height or width.
        for side in range(1, SUBSETS + 1):
            groups = np.flatnonzero(narrow == side)
            groups = groups[np.argsort((high + wide)[groups], kind="stable")]
            for begin in range(0, groups.size, BATCH):
                part = groups[begin : begin + BATCH]
                totals[unsettled[part]] = match_small(
                    self._stack(weights, unsettled[part], long[part], high[part] > side)
                )
        # Step 4: solve larger tables one by one. If there are only a few, solve them without scipy,
        # because importing scipy would take longer.
        larger = unsettled[narrow > SUBSETS].tolist()
        for group in larger:
            block = self.block(group)
            cells = weights[slice(*self._bounds[2][group : group + 2])]
            if len(larger) <= FEW:
                totals[group] = best_match(block.rows, block.columns, cells, block.row_starts)
            else:
                chosen = assign(block.rows, block.columns, cells, *block.shape)
                totals[group] = cells[chosen].sum()
        return totals

    @cached_property
    def matched_cells(self) -> Ints:
        """The positions of the cells in the best one-to-one match, group by group."""
        matched = []
        for group in range(self.groups or 1):
            block = self.block(group)
            first = self._bounds[2][group]
            cells = block.rows, block.columns, block.counts, block.row_starts
            matched.append(first + choose_cells(*cells))
        return np.concatenate(matched)

    def _stack(self, weights: CountArray, groups: Ints, lengths: Ints, tall: Array) -> Floats:
        """Return the tables of the given groups as a dense array.

        The shape is (shorter dimension, longer dimension, groups). Tall tables are transposed.
        """
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
        """Element-centric similarity.

        If the clusters were made by cutting a tree, the whole tree is compared.
        """
        if self.leaves is None:
            return HardElements(self)
        return TreeElements(self.leaves)

    @property
    def cover(self) -> Cover:
        """Classes and clusters as sets of items."""
        return HardCover.from_table(self)

    @property
    def degrees(self) -> Degrees:
        """Classes and clusters as sets of items with membership degree 1."""
        return HardDegrees(HardCover.from_table(self))

    @property
    def table(self) -> Contingency:
        """The table itself."""
        return self

    @cached_property
    def tree(self) -> Dendrogram:
        """The tree over the clusters.

        In a flat clustering all clusters are children of the root.
        """
        leaves = self.leaves
        if leaves is None:
            return Dendrogram.flat(self)
        return Dendrogram(leaves.table, leaves.tree.layout, leaves.places)

    @cached_property
    def row_best(self) -> CountArray:
        """The largest cell count in each row."""
        best: CountArray = np.maximum.reduceat(self.counts, self.row_starts)
        return best

    @cached_property
    def column_best(self) -> CountArray:
        """The largest cell count in each column."""
        best = np.zeros_like(self.column_totals)
        np.maximum.at(best, self.columns, self.counts)
        return best

    @property
    def T(self) -> Contingency:
        """The transposed table, with gold and system exchanged."""
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

    def find_group(self, row: int) -> int:
        """Return the group of a row."""
        return 0 if self.cuts is None else int(np.searchsorted(self.cuts, row, side="right")) - 1

    def class_name(self, row: int) -> str:
        """Return the gold label of a row, or its code if the table has no labels."""
        code = int(self.class_codes[row])
        return str(code) if self.gold is None else self.gold.label(code % self.gold.n_labels)

    def cluster_name(self, column: int) -> str:
        """Return the system label of a column, or its code if the table has no labels."""
        code = int(self.cluster_codes[column])
        return str(code) if self.system is None else self.system.label(code % self.system.n_labels)

    def to_sparse(self) -> csr_array[Any]:
        """Return the table as a scipy sparse array."""
        from scipy.sparse import csr_array

        return csr_array((self.counts, (self.rows, self.columns)), shape=self.shape)

    def block(self, group: int) -> Contingency:
        """Return the table of one group."""
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
    """Element-centric similarity of items with one class and one cluster each.

    A random walk never leaves the item's class (or cluster) and is uniform over it, so the overlap
    of the two walks is (items in both)/(size of the larger set), for every `alpha`.
    """

    cells: Contingency

    def each(self, alpha: float, r: float = 1.0) -> Floats:
        table = self.cells
        larger = np.maximum(table.row_totals[table.rows], table.column_totals[table.columns])
        return np.asarray(table.counts / larger)

    def mean(self, alpha: float, r: float = 1.0) -> Values:
        table = self.cells
        return table.over_cells(table.counts * self.each(alpha, r)) / table.n
