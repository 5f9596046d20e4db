"""Weighted labels: an item's weights are the probabilities of its labels, scores are expectations.

Each item draws one class and one cluster, independently, with probabilities w(c|i) and w(k|i). The
count n of a cell (c, k) is then a sum of independent yes-or-no draws with probabilities

    (1)  p_i = w(c|i)·w(k|i),   E[n] = Σ p_i,   P(n = j) Poisson-binomial,

and a linear entropy estimator Ĥ = Σ_j a(j, N)·h_j has the exact expectation (Li, Titov & Sporleder
2014, section 3.3)

    (2)  E[Ĥ] = Σ_j a(j, N)·E[h_j],   E[h_j] = Σ over cells of P(n = j).

Pair counts are expected numbers of pairs,

    (3)  E[pairs within a cell] = Σ_{i<i'} p_i·p_i' = ((Σ p_i)² − Σ p_i²)/2,

and measures that need cells get the expected, fractional counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from roget.core.types import Floats, Ints, Values
from roget.errors import Undefined
from roget.scoring.entropy.base import Estimator, Histogram, LinearEstimator
from roget.scoring.labels.labels import Labels
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.cover import Cover, CoverElements, Degrees, Sets
from roget.scoring.tables.cover_table import WHOLE_TREE
from roget.scoring.tables.poisson_binomial import expected_cells
from roget.scoring.tables.records import (
    Elements,
    Entropies,
    PairCounts,
    Sizes,
    pairs_among,
    pairs_within,
)
from roget.scoring.tables.statistics import Statistics


@dataclass(frozen=True, eq=False)
class WeightedCells:
    """Probabilities p_i sorted by cell: cell c has weights[starts[c]:starts[c + 1]]."""

    keys: Ints
    starts: Ints
    weights: Floats

    @classmethod
    def from_entries(cls, keys: Ints, weights: Floats) -> WeightedCells:
        """Sort entries by the key of their cell; entries of weight 0 are dropped."""
        held = weights > 0
        if not held.all():
            keys, weights = keys[held], weights[held]
        # numpy sorts small integer types by radix, in linear time.
        narrow = keys.astype(np.min_scalar_type(int(keys.max())))
        order = np.argsort(narrow, kind="stable")
        keys = keys[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        return cls(keys[starts], np.append(starts, keys.size), weights[order])

    @cached_property
    def sums(self) -> Floats:
        """The expected count of each cell, equation (1)."""
        return np.add.reduceat(self.weights, self.starts[:-1])

    @property
    def pairs(self) -> float:
        """The expected number of pairs of items within one cell, equation (3)."""
        squares = np.add.reduceat(self.weights**2, self.starts[:-1])
        return float((self.sums**2 - squares).sum()) / 2


@dataclass(frozen=True, eq=False)
class WeightedSide:
    """The labels of one side, and the expectations of their sizes."""

    labels: Labels
    known: Floats | None = None
    """E[number of labels with j items], if it is known already."""

    @cached_property
    def sums(self) -> Floats:
        """The expected size of each label."""
        _, codes, weights = self.labels.entries()
        return np.bincount(codes, weights).astype(np.float64, copy=False)

    @cached_property
    def sizes(self) -> Histogram:
        """The histogram of label sizes: whole if hard, expected if weighted."""
        if self.labels.weighted:
            return Histogram.from_counts(self.sums)
        return Histogram.from_counts(np.bincount(self.labels.codes.astype(np.intp)))

    @property
    def pairs(self) -> int | float:
        """The (expected) number of pairs of items that share a label."""
        if not self.labels.weighted:
            return int(pairs_within(self.sizes))
        _, codes, weights = self.labels.entries()
        return float((self.sums**2 - np.bincount(codes, weights**2)).sum()) / 2

    @cached_property
    def expected(self) -> Floats:
        """E[number of labels with j items], for weighted labels."""
        if self.known is not None:
            return self.known
        _, codes, weights = self.labels.entries()
        cells = WeightedCells.from_entries(codes, weights)
        return expected_cells(cells.weights, cells.starts)[0]


@dataclass(frozen=True, eq=False, repr=False)
class WeightedTable(Statistics):
    """The statistics of a comparison in which at least one side has weighted labels."""

    gold: WeightedSide
    system: WeightedSide
    cells: WeightedCells
    """Ordered by the labels of the weighted side if only one side is weighted."""
    fractions: Contingency
    cut: bool = False
    """True if the clusters are a cut of a tree."""

    @classmethod
    def from_labels(cls, gold: Labels, system: Labels, *, cut: bool = False) -> WeightedTable:
        """Make the statistics of two sides over the same items in the same order."""
        return replace(cls.from_sides(WeightedSide(gold), WeightedSide(system)), cut=cut)

    @classmethod
    def from_sides(cls, gold: WeightedSide, system: WeightedSide) -> WeightedTable:
        """Make the statistics of two sides, reusing the expectations they already have."""
        g_item, g_code, g_weight = gold.labels.entries()
        s_item, s_code, s_weight = system.labels.entries()
        n = len(gold.labels)
        left, right = (
            _cross_entries(g_item, s_item, n)
            if gold.labels.weighted and system.labels.weighted
            else (s_item, np.arange(s_item.size))
            if system.labels.weighted
            else (np.arange(g_item.size), g_item)
        )
        # Cells are sorted by the labels of the weighted side (the major key), so that each of its
        # labels is a run of cells; `expected` uses this.
        by_system = not gold.labels.weighted
        major, minor = (s_code[right], g_code[left]) if by_system else (g_code[left], s_code[right])
        n_minor = (gold if by_system else system).labels.n_labels
        cells = WeightedCells.from_entries(
            major * n_minor + minor, g_weight[left] * s_weight[right]
        )
        columns, rows = np.divmod(cells.keys, n_minor)
        if not by_system:
            rows, columns = columns, rows
        order = np.lexsort((columns, rows))
        fractions = Contingency.from_cells(
            rows[order], columns[order], cells.sums[order], gold.labels, system.labels
        )
        return cls(gold, system, cells, fractions)

    @cached_property
    def expected(self) -> tuple[Floats | None, Floats | None, Floats]:
        """E[h_j] of equation (2) for gold and system (None if hard) and for cells.

        If one side is hard, the labels of the other are unions of cells, so one pass yields both.
        """
        gold, system = self.gold, self.system
        if gold.labels.weighted and system.labels.weighted:
            joint, _ = expected_cells(self.cells.weights, self.cells.starts)
            return gold.expected, system.expected, joint
        hard, soft = (system, gold) if gold.labels.weighted else (gold, system)
        label = None if soft.known is not None else self.cells.keys // hard.labels.n_labels
        joint, united = expected_cells(self.cells.weights, self.cells.starts, label)
        sizes = united if soft.known is None else soft.known
        return (None, sizes, joint) if hard is gold else (sizes, None, joint)

    @property
    def fractional(self) -> bool:
        return True

    @property
    def n(self) -> int:
        return len(self.gold.labels)

    @property
    def table(self) -> Contingency:
        """The table of expected counts."""
        return self.fractions

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes(self.gold.sizes, self.system.sizes, self.n)

    def _estimate(self, estimator: Estimator) -> Entropies:
        if not isinstance(estimator, LinearEstimator):
            raise Undefined(
                f"{estimator.name} has no expected value for weighted labels; use ml, mm, jk, bub "
                "or grassberger"
            )
        c, k = self.sizes.classes, self.sizes.clusters
        product = estimator.joint_support == "product"
        gold, system, joint = self.expected

        def expect(expected: Floats, support: int) -> Values:
            # Equation (2); counts that cannot occur are left out.
            counts = np.flatnonzero(expected[1:] > 0) + 1
            return estimator.expect(Histogram(counts, expected[counts]), self.n, support)

        def side(expected: Floats | None, sizes: Histogram, support: int) -> Values:
            if expected is None:
                return float(estimator(sizes, support if product else None))
            return expect(expected, support)

        return Entropies(
            side(gold, self.sizes.gold, c),
            side(system, self.sizes.system, k),
            expect(joint, c * k if product else self.cells.keys.size),
        )

    @cached_property
    def pairs(self) -> PairCounts:
        return PairCounts(pairs_among(self.n), self.gold.pairs, self.system.pairs, self.cells.pairs)

    @property
    def cover(self) -> Cover:
        raise Undefined("weighted labels are not sets of items; pass --several cover if they are")

    @cached_property
    def degrees(self) -> Degrees:
        gold, system = (
            Sets.from_labels(side.labels, "graded") for side in (self.gold, self.system)
        )
        return Degrees(Cover(gold, system, np.ones(self.n, dtype=np.int64)))

    @property
    def elements(self) -> Elements:
        if self.cut:
            raise Undefined(WHOLE_TREE)
        gold, system = (
            Sets.from_labels(side.labels, "shares") for side in (self.gold, self.system)
        )
        return CoverElements(gold, system, np.ones(self.n, dtype=np.int64))


def _cross_entries(left: Ints, right: Ints, n: int) -> tuple[Ints, Ints]:
    """Return every pair of a left entry and a right entry of the same item.

    `left` and `right` are the items of the entries, in increasing order.
    """
    lefts, rights = np.bincount(left, minlength=n), np.bincount(right, minlength=n)
    pairs = lefts * rights
    item = np.repeat(np.arange(n), pairs)
    within = np.arange(item.size) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    first_left, first_right = np.cumsum(lefts) - lefts, np.cumsum(rights) - rights
    return first_left[item] + within // rights[item], first_right[item] + within % rights[item]
