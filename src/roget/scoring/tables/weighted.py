"""Statistics for weighted labels. Weights are label probabilities, and scores are expectations.

Each item i has a random class and, independently, a random cluster, with probabilities w(c|i) and
w(k|i). The count n of a cell (c, k) is then a sum of independent Bernoulli variables, one per item,

    (1)  p_i = w(c|i)·w(k|i),   E[n] = Σ p_i,   P(n = j) Poisson-binomial,

and a linear entropy estimator Ĥ = Σ_j a(j, N)·h_j, where h_j is the number of cells with count j,
has the exact expectation (Li, Titov & Sporleder 2014, section 3.3)

    (2)  E[Ĥ] = Σ_j a(j, N)·E[h_j],   E[h_j] = Σ over cells of P(n = j).

The expected number of pairs within a cell is

    (3)  Σ_{i<i'} p_i·p_i' = ((Σ p_i)² − Σ p_i²)/2.

Measures that need the cells themselves receive the expected counts E[n], which are fractional.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from roget.core.types import Floats, Ints, Values
from roget.errors import Undefined
from roget.scoring.entropy.base import Estimator, Histogram, LinearEstimator, get
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
    """The probabilities p_i of equation (1), sorted by cell.

    The probabilities of cell c are weights[starts[c]:starts[c + 1]].
    """

    keys: Ints
    """The key of each cell, in increasing order."""
    starts: Ints
    weights: Floats

    @classmethod
    def from_entries(cls, keys: Ints, weights: Floats) -> WeightedCells:
        """Sort entries by the keys of their cells, and drop entries with weight 0."""
        positive = weights > 0
        if not positive.all():
            keys, weights = keys[positive], weights[positive]
        # numpy's radix sort, which takes linear time, is used only for small integer types.
        narrow = keys.astype(np.min_scalar_type(int(keys.max())))
        order = np.argsort(narrow, kind="stable")
        keys = keys[order]
        # A cell starts where the key changes.
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        return cls(keys[starts], np.append(starts, keys.size), weights[order])

    @cached_property
    def sums(self) -> Floats:
        """The expected count E[n] of each cell, equation (1)."""
        return np.add.reduceat(self.weights, self.starts[:-1])

    @property
    def pairs(self) -> float:
        """The expected number of pairs of items in the same cell, equation (3)."""
        squares = np.add.reduceat(self.weights**2, self.starts[:-1])
        return float((self.sums**2 - squares).sum()) / 2


@dataclass(frozen=True, eq=False)
class WeightedSide:
    """The labels of gold or of the system, with the expected size of each class or cluster."""

    labels: Labels
    known: Floats | None = None
    """The expected number of labels with j items, for each j, or None if not yet computed."""

    @cached_property
    def sums(self) -> Floats:
        """The expected size of each label."""
        _, codes, weights = self.labels.entries()
        return np.bincount(codes, weights).astype(np.float64, copy=False)

    @cached_property
    def sizes(self) -> Histogram:
        """The histogram of label sizes, which are expected sizes if labels are weighted."""
        if self.labels.weighted:
            return Histogram.from_counts(self.sums)
        return Histogram.from_counts(np.bincount(self.labels.codes.astype(np.intp)))

    @property
    def pairs(self) -> int | float:
        """The number of item pairs that share a label, or its expectation for weighted labels."""
        if not self.labels.weighted:
            return int(pairs_within(self.sizes))
        # Equation (3), with labels instead of cells.
        _, codes, weights = self.labels.entries()
        return float((self.sums**2 - np.bincount(codes, weights**2)).sum()) / 2

    @cached_property
    def expected(self) -> Floats:
        """The expected number of weighted labels with j items, for each j."""
        if self.known is not None:
            return self.known
        _, codes, weights = self.labels.entries()
        cells = WeightedCells.from_entries(codes, weights)
        return expected_cells(cells.weights, cells.starts)[0]


@dataclass(frozen=True, eq=False, repr=False)
class WeightedTable(Statistics):
    """The statistics of a comparison in which gold or the system has weighted labels."""

    gold: WeightedSide
    system: WeightedSide
    cells: WeightedCells
    """The contingency cells.

    If only one of gold and system is weighted, the cells are sorted by its labels.
    """
    fractions: Contingency
    """The table of expected counts."""
    cut: bool = False
    """True if the clusters were made by cutting a tree."""

    fractional = True

    @classmethod
    def from_labels(cls, gold: Labels, system: Labels, *, cut: bool = False) -> WeightedTable:
        """Compute the statistics for two labellings of the same items, in the same order."""
        return replace(cls.from_sides(WeightedSide(gold), WeightedSide(system)), cut=cut)

    @classmethod
    def from_sides(cls, gold: WeightedSide, system: WeightedSide) -> WeightedTable:
        """Compute the statistics for gold and system, reusing known expectations."""
        # Step 1: pair each gold label of an item with each system label of the same item. `left`
        # and `right` are the positions of the paired labels among the entries of gold and of the
        # system. If gold (or the system) is hard, it has one entry per item, so the pairs are the
        # entries of the system (or gold).
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
        # Step 2: sort the pairs by cell. The probability of a pair is p = w(c|i)·w(k|i), equation
        # (1). Cells are sorted first by the labels of gold or the system, whichever is weighted, so
        # the cells of each weighted label are adjacent, as `expected` requires.
        by_system = not gold.labels.weighted
        major, minor = (s_code[right], g_code[left]) if by_system else (g_code[left], s_code[right])
        n_minor = (gold if by_system else system).labels.n_labels
        cells = WeightedCells.from_entries(
            major * n_minor + minor, g_weight[left] * s_weight[right]
        )
        # Step 3: sum the probabilities of each cell to obtain the table of expected counts, in row
        # order.
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
        """E[h_j] from equation (2) for gold labels, system labels and cells. For hard labels, it is
        None.

        If only one of gold and system is weighted, each weighted label is a union of cells. A
        single pass then computes the distributions of cells and labels.
        """
        gold, system = self.gold, self.system
        if gold.labels.weighted and system.labels.weighted:
            joint, _ = expected_cells(self.cells.weights, self.cells.starts)
            return gold.expected, system.expected, joint
        hard, soft = (system, gold) if gold.labels.weighted else (gold, system)
        # The major part of a cell's key is its weighted label (see `from_sides`).
        label = None if soft.known is not None else self.cells.keys // hard.labels.n_labels
        joint, by_label = expected_cells(self.cells.weights, self.cells.starts, label)
        sizes = by_label if soft.known is None else soft.known
        return (None, sizes, joint) if hard is gold else (sizes, None, joint)

    @cached_property
    def n(self) -> int:
        return len(self.gold.labels)

    @property
    def table(self) -> Contingency:
        """The table of expected counts."""
        return self.fractions

    @cached_property
    def sizes(self) -> Sizes:
        return Sizes(self.gold.sizes, self.system.sizes, self.n)

    def entropies(self, estimator: str | Estimator = "ml") -> Entropies:
        """Return the expected entropies H(C), H(K) and H(C,K) in nats."""
        chosen = get(estimator)
        known: dict[str, Entropies] = self.__dict__.setdefault("_entropies", {})
        if chosen.name not in known:
            known[chosen.name] = self._estimate(chosen)
        return known[chosen.name]

    def _estimate(self, estimator: Estimator) -> Entropies:
        if not isinstance(estimator, LinearEstimator):
            raise Undefined(
                f"the expected value of {estimator.name} cannot be computed for weighted labels; "
                "use ml, mm, jk, bub or grassberger"
            )
        c, k = self.sizes.classes, self.sizes.clusters
        product = estimator.joint_support == "product"
        gold, system, joint = self.expected

        def expect(expected: Floats, support: int) -> Values:
            # Apply equation (2) to the counts j ≥ 1 that can occur. The estimator adds the term for
            # j = 0 from the support.
            counts = np.flatnonzero(expected[1:] > 0) + 1
            return estimator.expect(Histogram(counts, expected[counts]), self.n, support)

        def side(expected: Floats | None, sizes: Histogram, support: int) -> Values:
            # The sizes of hard labels are not random, so apply the estimator directly.
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
        raise Undefined(
            "undefined for weighted labels; if the clusters overlap, pass --set several=cover"
        )

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
    """Return all pairs of a left entry and a right entry of the same item.

    `left` and `right` hold the item of each entry, in increasing order.
    """
    # Item i has lefts[i]·rights[i] pairs, which `within` numbers from 0.
    lefts, rights = np.bincount(left, minlength=n), np.bincount(right, minlength=n)
    pairs = lefts * rights
    item = np.repeat(np.arange(n), pairs)
    within = np.arange(item.size) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    # Pair number q of an item combines its left entry q // rights with its right entry q % rights.
    first_left, first_right = np.cumsum(lefts) - lefts, np.cumsum(rights) - rights
    return first_left[item] + within // rights[item], first_right[item] + within % rights[item]
