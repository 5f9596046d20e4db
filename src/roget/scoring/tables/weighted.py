"""Weighted answers: each item's weights are the chances of a draw, scores are expectations.

Entropies are expected values of the estimator over all draws, exactly (Li, Titov & Sporleder
2014, section 3.3). Pair counts are expected numbers of pairs. Measures that look at cells see
the expected, fractional counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from roget.core.types import Floats, Ints, Values
from roget.errors import Undefined
from roget.scoring.entropy import Estimator, Histogram, LinearEstimator
from roget.scoring.labels.labels import Labels
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.cover import WHOLE, Cover, CoverElements, Degrees, Sets
from roget.scoring.tables.poisson_binomial import expected_cells
from roget.scoring.tables.statistics import (
    Elements,
    Entropies,
    PairCounts,
    Sizes,
    Statistics,
    pairs_of,
    pairs_within,
)


@dataclass(frozen=True, eq=False)
class WeightedCells:
    """Items' weights sorted by the cell they bear on: cell i owns starts[i]:starts[i+1]."""

    keys: Ints
    starts: Ints
    weights: Floats

    @classmethod
    def grouped(cls, keys: Ints, weights: Floats) -> WeightedCells:
        """Sort entries by key; entries of weight 0 bear on nothing."""
        held = weights > 0
        if not held.all():
            keys, weights = keys[held], weights[held]
        # Small integer types are sorted by radix.
        narrow = keys.astype(np.min_scalar_type(int(keys.max())))
        order = np.argsort(narrow, kind="stable")
        keys = keys[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        return cls(keys[starts], np.append(starts, keys.size), weights[order])

    @cached_property
    def sums(self) -> Floats:
        """The expected count of each cell."""
        return np.add.reduceat(self.weights, self.starts[:-1])

    @property
    def pairs(self) -> float:
        """The expected number of pairs of items within one cell."""
        squares = np.add.reduceat(self.weights**2, self.starts[:-1])
        return float((self.sums**2 - squares).sum()) / 2


@dataclass(frozen=True, eq=False)
class WeightedSide:
    """One side's labels and what is expected of their sizes."""

    labels: Labels
    known: Floats | None = None
    """E[number of labels that hold j items], where it is known already."""

    @cached_property
    def sums(self) -> Floats:
        """The expected size of each label."""
        _, codes, weights = self.labels.entries()
        return np.bincount(codes, weights).astype(np.float64, copy=False)

    @cached_property
    def sizes(self) -> Histogram:
        """Label sizes: whole when hard, expected when weighted."""
        if self.labels.weighted:
            return Histogram.of(self.sums)
        return Histogram.of(np.bincount(self.labels.codes.astype(np.intp)))

    @property
    def pairs(self) -> int | float:
        """The (expected) number of pairs of items that share a label."""
        if not self.labels.weighted:
            return int(pairs_within(self.sizes))
        _, codes, weights = self.labels.entries()
        return float((self.sums**2 - np.bincount(codes, weights**2)).sum()) / 2

    @cached_property
    def expected(self) -> Floats:
        """E[number of labels that hold j items] of weighted labels."""
        if self.known is not None:
            return self.known
        _, codes, weights = self.labels.entries()
        cells = WeightedCells.grouped(codes, weights)
        return expected_cells(cells.weights, cells.starts)[0]


@dataclass(frozen=True, eq=False, repr=False)
class WeightedTable(Statistics):
    """The statistics of a comparison in which at least one side answers with weights."""

    gold: WeightedSide
    system: WeightedSide
    cells: WeightedCells
    """In the order of the weighted side's labels where only one is weighted."""
    fractions: Contingency
    cut: bool = False
    """Whether the clusters are those of a cut of a tree."""

    @classmethod
    def from_labels(cls, gold: Labels, system: Labels, *, cut: bool = False) -> WeightedTable:
        """Both sides over the same items in the same order; their draws are independent."""
        return replace(cls.from_sides(WeightedSide(gold), WeightedSide(system)), cut=cut)

    @classmethod
    def from_sides(cls, gold: WeightedSide, system: WeightedSide) -> WeightedTable:
        """The same, with the work on each side done before."""
        g_item, g_code, g_weight = gold.labels.entries()
        s_item, s_code, s_weight = system.labels.entries()
        n = len(gold.labels)
        left, right = (
            _crossed(g_item, s_item, n)
            if gold.labels.weighted and system.labels.weighted
            else (s_item, np.arange(s_item.size))
            if system.labels.weighted
            else (np.arange(g_item.size), g_item)
        )
        by_system = not gold.labels.weighted
        major, minor = (s_code[right], g_code[left]) if by_system else (g_code[left], s_code[right])
        n_minor = (gold if by_system else system).labels.n_labels
        cells = WeightedCells.grouped(major * n_minor + minor, g_weight[left] * s_weight[right])
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
        """Expected histograms of gold, system (where weighted) and cells.

        With one side hard, the other's labels are unions of cells, so one pass gives both.
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
                f"{estimator.name} has no expected value under weighted answers; "
                "ml, mm, jk, bub and grassberger have"
            )
        c, k = self.sizes.classes, self.sizes.clusters
        product = estimator.joint_support == "product"
        gold, system, joint = self.expected

        def expect(expected: Floats, support: int) -> Values:
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
        return PairCounts(pairs_of(self.n), self.gold.pairs, self.system.pairs, self.cells.pairs)

    @property
    def cover(self) -> Cover:
        raise Undefined("weighted labels are no sets of items; say --several cover if they are")

    @cached_property
    def degrees(self) -> Degrees:
        gold, system = (Sets.of(side.labels, "graded") for side in (self.gold, self.system))
        return Degrees(Cover(gold, system, np.ones(self.n, dtype=np.int64)))

    @property
    def elements(self) -> Elements:
        if self.cut:
            raise Undefined(WHOLE)
        gold, system = (Sets.of(side.labels, "shares") for side in (self.gold, self.system))
        return CoverElements(gold, system, np.ones(self.n, dtype=np.int64))


def _crossed(left: Ints, right: Ints, n: int) -> tuple[Ints, Ints]:
    """For each item, every pair of one entry of each side."""
    lefts, rights = np.bincount(left, minlength=n), np.bincount(right, minlength=n)
    pairs = lefts * rights
    item = np.repeat(np.arange(n), pairs)
    within = np.arange(item.size) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    first_left, first_right = np.cumsum(lefts) - lefts, np.cumsum(rights) - rights
    return first_left[item] + within // rights[item], first_right[item] + within % rights[item]
