"""The interface between contingency tables and measures.

Measures are computed from sufficient statistics, never from labels. Every source of statistics (a
contingency table, weighted labels, a baseline) provides the same statistics, so each measure is
written once and works with all sources. For a single table, statistics are numbers. For several
groups, they are arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np

from roget.core.notebook import ReportMixin
from roget.core.types import Floats, Values
from roget.errors import Undefined
from roget.scoring.entropy.base import (
    Estimator,
    Histogram,
    LinearEstimator,
    get,
    plug_in,
    takes_arrays,
)
from roget.scoring.measures.base import Measure, parse
from roget.scoring.tables.null_moments import deviate_information
from roget.scoring.tables.records import (
    BCubed,
    Chance,
    Elements,
    Entropies,
    Matched,
    PairCounts,
    Sizes,
    pairs_among,
    pairs_within,
)

if TYPE_CHECKING:
    from roget.scoring.tables.contingency import Contingency
    from roget.scoring.tables.cover import Cover, Degrees, Overlap
    from roget.scoring.tables.dendrogram import Dendrogram

Outline: TypeAlias = "Contingency | Overlap"
"""The number of items that each class shares with each cluster, omitting disjoint pairs."""


class Statistics(ReportMixin, ABC):
    """A source of sufficient statistics. Measures declare the statistics that they need."""

    kind = "contingency"
    sampled: ClassVar[frozenset[str]] = frozenset()
    """The names of statistics that depend on a random table.

    Measures that need them, or that use a nonlinear estimator, are averaged over random tables.
    """

    groups: int | None = None
    """The number of groups, or None for a single table, whose statistics are scalars."""
    fractional: bool = False
    """True if counts are not whole numbers of items."""

    def __repr__(self) -> str:
        classes, clusters = self.table.shape
        items = f"{self.table.row_totals.sum():,.15g} items"
        return f"<{type(self).__name__} of {items}: {classes:,} classes × {clusters:,} clusters>"

    @cached_property
    def n(self) -> Any:
        """The number of items."""
        raise NotImplementedError

    @cached_property
    def sizes(self) -> Sizes:
        """The histograms of class sizes and cluster sizes."""
        raise NotImplementedError

    @property
    @abstractmethod
    def table(self) -> Contingency:
        """The contingency table, for measures that need its cells."""

    @cached_property
    def joint(self) -> Histogram:
        """The histogram of the table's cells."""
        return self.table.joint

    @cached_property
    def pairs(self) -> PairCounts:
        """The number of item pairs that are joined in gold, in the system, and in both."""
        if self.fractional:
            raise Undefined("pair counts are undefined for fractional counts")
        within = map(pairs_within, (self.sizes.gold, self.sizes.system, self.joint))
        return PairCounts(pairs_among(self.n), *within)

    @cached_property
    def bcubed(self) -> BCubed:
        """B-cubed precision and recall."""
        return self.table.bcubed

    @cached_property
    def matched(self) -> Matched:
        """The number of items in the best one-to-one match between clusters and classes."""
        return self.table.matched

    @property
    def elements(self) -> Elements:
        """Element-centric similarity."""
        return self.table.elements

    @property
    def cover(self) -> Cover:
        """Classes and clusters as sets of items."""
        return self.table.cover

    @property
    def degrees(self) -> Degrees:
        """Classes and clusters as sets of items with graded membership."""
        return self.table.degrees

    @property
    def outline(self) -> Outline:
        """The number of items that each class shares with each cluster, omitting disjoint pairs."""
        return self.table

    @property
    def tree(self) -> Dendrogram:
        """The tree over the clusters.

        In a flat clustering all clusters are children of the root.
        """
        return self.table.tree

    def block(self, group: int) -> Statistics:
        """Return the statistics of one group."""
        return self

    @cached_property
    def perfect(self) -> Any:
        """True if the clusters and the classes are the same sets of items."""
        sizes = self.sizes
        return np.equal(self.joint.seen, sizes.classes) & np.equal(sizes.classes, sizes.clusters)

    def entropies(self, estimator: str | Estimator = "ml") -> Entropies:
        """Return H(C), H(K) and H(C,K) in nats, given an estimator or its name."""
        chosen = get(estimator)
        known: dict[str, Entropies] = self.__dict__.setdefault("_entropies", {})
        if chosen.name not in known:
            # A support is the number of possible outcomes: classes, clusters or (class, cluster)
            # pairs. If it is not passed, an estimator uses the number of outcomes that occurred.
            c, k = self.sizes.classes, self.sizes.clusters
            product = chosen.joint_support == "product"
            supports = (c, k, c * k) if product else (None, None, None)
            known[chosen.name] = Entropies(
                chosen(self.sizes.gold, supports[0]),
                chosen(self.sizes.system, supports[1]),
                self._estimate_joint(chosen, supports[2]),
            )
        return known[chosen.name]

    def _estimate_joint(self, estimator: Estimator, support: Any) -> Values:
        """Return H(C,K), where `support` is the number of possible cells."""
        return estimator(self.joint, support)

    @cached_property
    def chance(self) -> Chance:
        """The statistics of chance-adjusted measures, with exact expectations."""
        c, k, n = self.sizes.classes, self.sizes.clusters, self.n
        if self.fractional:
            raise Undefined("the adjustment for chance is undefined for fractional counts")
        plain = self.entropies("ml")
        # If gold or the system is a single cluster or all singletons, every table with these sizes
        # has the same mutual information I.
        constant = np.equal(c, 1) | np.equal(c, n) | np.equal(k, 1) | np.equal(k, n)
        expected = plain.mutual
        if not np.all(constant):
            random = self._expect_joint()
            # E[I] = H(C) + H(K) − E[H(C,K)], because the sizes determine H(C) and H(K).
            expected = np.where(constant, expected, plain.gold + plain.system - random)
        return Chance(plain.gold, plain.system, plain.mutual, expected, self.perfect, constant)

    def _expect_joint(self) -> Values:
        """Return the mean plug-in H(C,K) over all tables with the same sizes."""
        cells = self.sizes.random_cells
        return cells.sum(plug_in(cells.counts, cells.spread(self.n)))

    @cached_property
    def deviation(self) -> Values:
        """The standard deviation of plug-in mutual information over tables with the same sizes."""
        if self.fractional:
            raise Undefined("the standard deviation is undefined for fractional counts")
        return deviate_information(self.sizes.gold, self.sizes.system, self.n)

    def measure(self, measure: str | Measure, entropy: str | Estimator = "ml") -> float:
        """Return the value of one measure for a single table, or raise Undefined."""
        return float(self.measure_groups(measure, entropy).item())

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats:
        """Return the value of one measure in each group, or NaN where it is undefined.

        Raise Undefined if the measure is undefined in all groups.
        """
        chosen, estimator = parse(measure), get(entropy)
        if self.groups is not None and not takes_arrays(chosen.compute):
            return measure_each(map(self.block, range(self.groups)), chosen, estimator)
        exact = isinstance(estimator, LinearEstimator) or not chosen.uses_entropy
        if self.sampled and not (exact and self.sampled.isdisjoint(chosen.needs)):
            return self._average(chosen, estimator)
        statistics = [
            self.entropies(estimator) if need == "entropies" else getattr(self, need)
            for need in chosen.needs
        ]
        value = np.asarray(chosen.compute(*statistics), dtype=np.float64)
        return value.reshape(1) if self.groups is None else np.broadcast_to(value, self.groups)

    def _average(self, measure: Measure, estimator: Estimator) -> Floats:
        """Return the mean of a measure over random tables.

        Only sources with `sampled` statistics implement this method.
        """
        raise NotImplementedError


def measure_each(
    tables: Iterable[Statistics], measure: str | Measure, entropy: str | Estimator
) -> Floats:
    """Return the value of one measure for each table, or NaN where it is undefined.

    Raise Undefined if the measure is undefined for all tables.
    """
    values, error = [], None
    for table in tables:
        try:
            values.append(table.measure(measure, entropy))
        except Undefined as undefined:
            error = error or undefined
            values.append(np.nan)
    if error is not None and np.isnan(values).all():
        raise error
    return np.array(values)


@dataclass(frozen=True, eq=False)
class Separate:
    """The statistics of several groups, each computed separately."""

    tables: Sequence[Any]
    """The statistics of each group, or other objects with a `measure` method."""

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.tables)

    def block(self, group: int) -> Any:
        """Return the statistics of one group."""
        return self.tables[group]

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats:
        """Return the value of one measure in each group, or NaN where it is undefined."""
        return measure_each(self.tables, measure, entropy)
