"""What measures are allowed to see: sufficient statistics of a gold × system table, never labels.

Every source of statistics (a table, weighted answers, a trivial baseline) answers the same
questions, so a measure is written once and serves them all. The statistics of one table are
numbers; those of the tables of many groups are arrays, with a number for each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from roget.core.information import sum_parts
from roget.core.notebook import ReportMixin
from roget.core.types import Floats, Values
from roget.errors import Undefined
from roget.scoring import entropy as entropies_of
from roget.scoring.entropy import Estimator, Histogram
from roget.scoring.entropy.base import plug_in, takes_arrays

if TYPE_CHECKING:
    from roget.scoring.measures.base import Measure
    from roget.scoring.tables.contingency import Contingency
    from roget.scoring.tables.cover import Cover, Degrees, Overlap
    from roget.scoring.tables.dendrogram import Dendrogram


@dataclass(frozen=True)
class Entropies:
    """H(C) of the gold classes, H(K) of the system's clusters and H(C,K) of both, in nats."""

    gold: Values
    system: Values
    joint: Values

    @property
    def gold_given_system(self) -> Values:
        """H(C|K): what the clusters leave unsaid about the classes."""
        return self.joint - self.system

    @property
    def system_given_gold(self) -> Values:
        """H(K|C)."""
        return self.joint - self.gold

    @property
    def mutual(self) -> Values:
        """I(C;K). The order of operations makes it exactly H(C) when clusters are pure."""
        return self.gold - (self.joint - self.system)

    @property
    def perfect(self) -> Any:
        """Whether the three agree to the last bit, as they do when the labellings are one."""
        return np.equal(self.gold, self.system) & np.equal(self.system, self.joint)


@dataclass(frozen=True)
class PairCounts:
    """Pairs of items: all of them, together in gold, together in the system, together in both.

    Whole numbers of any size when the table is whole, so that nothing overflows: Python's own
    in arrays too, where products of pair counts could be too large for machine words.
    """

    total: Any
    gold: Any
    system: Any
    both: Any


@dataclass(frozen=True)
class BCubed:
    """B-cubed precision and recall: the mean over items of their cluster's (class's) overlap."""

    precision: Values
    recall: Values


@dataclass(frozen=True)
class Sizes:
    """Class sizes, cluster sizes and the number of items."""

    gold: Histogram
    system: Histogram
    n: Any

    @property
    def classes(self) -> Any:
        """How many gold classes hold an item."""
        return self.gold.seen

    @property
    def clusters(self) -> Any:
        """How many system clusters hold an item."""
        return self.system.seen


@dataclass(frozen=True)
class Chance:
    """Plug-in mutual information beside what random labels of the same sizes would give."""

    gold: Values
    system: Values
    mutual: Values
    expected: Values
    perfect: Any
    constant: Any
    """One side is a single cluster or all singletons: every labelling of those sizes ties."""


@dataclass(frozen=True)
class Matched:
    """Items in the best one-to-one match of clusters to classes, out of n."""

    items: Any
    n: Any
    twins: tuple[Any, Any, Any] | None = None
    """Where items may be of one side only: items that both have in the best match of these, and how
    many gold and the system have."""

    @property
    def of_sides(self) -> tuple[Any, Any, Any]:
        """Items in the best match, items of gold, items of the system."""
        return self.twins or (self.items, self.n, self.n)


@dataclass(frozen=True)
class Links:
    """Pairs of mentions of one document that gold, the system and both link, or keep apart.

    A pair of which one side lacks a mention is no pair of that side.
    """

    gold: Any
    system: Any
    both: Any
    gold_apart: Any
    system_apart: Any
    both_apart: Any


_EXACT_PRODUCTS = 1 << 13
"""Up to so many items products of two pair counts are below 2^53, and so are exact as floats."""


def pairs_of(n: Any) -> Any:
    """n(n−1)/2, in numbers that hold products of two such."""
    if isinstance(n, np.ndarray) and n.max() > _EXACT_PRODUCTS:
        n = n.astype(object)
    return n * (n - 1) // 2


def pairs_within(histogram: Histogram) -> Any:
    """Σ x(x−1)/2 over cells: in machine words while they are sure to hold it, else in Python's."""
    counts, cells = histogram.counts, histogram.cells
    total = int(np.max(histogram.total))
    if int(counts.max()) * total >= 2**63:
        counts, cells = counts.astype(object), cells.astype(object)
    pairs = sum_parts(counts * (counts - 1) * cells, histogram.begins) // 2
    if histogram.starts is None:
        return int(pairs[0])
    return pairs.astype(object) if total > _EXACT_PRODUCTS else pairs


class Elements(ABC):
    """How alike the sides are seen from each item (Gates et al. 2019).

    A walk from an item goes on, with probability `alpha` at each step, to an item of one of its
    clusters, else starts anew. An item's similarity is what the two sides' walks have in common.
    In a tree an item is in all nodes above it, with weights that `r` makes grow from the root down.
    """

    @abstractmethod
    def mean(self, alpha: float, r: float = 1.0) -> Values:
        """The mean similarity over items."""

    @abstractmethod
    def each(self, alpha: float, r: float = 1.0) -> Floats:
        """The similarity of each kind of items (of a table: of each cell's)."""


Outline: TypeAlias = "Contingency | Overlap"
"""Has pairs of a class and a cluster, and how many items they have in common."""


class Statistics(ReportMixin, ABC):
    """A source of sufficient statistics; measures name the ones they need."""

    kind = "contingency"

    def __repr__(self) -> str:
        classes, clusters = self.table.shape
        items = f"{self.table.row_totals.sum():,.15g} items"
        return f"<{type(self).__name__} of {items}: {classes:,} classes × {clusters:,} clusters>"

    @property
    @abstractmethod
    def n(self) -> Any:
        """How many items there are."""

    @property
    @abstractmethod
    def sizes(self) -> Sizes:
        """Histograms of class and cluster sizes."""

    @property
    @abstractmethod
    def table(self) -> Contingency:
        """The cells themselves, for measures that look at each."""

    @property
    def joint(self) -> Histogram:
        """Histogram of the table's cells."""
        return self.table.joint

    @cached_property
    def pairs(self) -> PairCounts:
        """Pairs of items kept together by each side."""
        if self.fractional:
            raise Undefined("pairs of items need whole counts, not fractions")
        within = map(pairs_within, (self.sizes.gold, self.sizes.system, self.joint))
        return PairCounts(pairs_of(self.n), *within)

    @property
    def bcubed(self) -> BCubed:
        """B-cubed precision and recall."""
        return self.table.bcubed

    @property
    def matched(self) -> Matched:
        """The best one-to-one match."""
        return self.table.matched

    @property
    def elements(self) -> Elements:
        """Similarity item by item."""
        return self.table.elements

    @property
    def cover(self) -> Cover:
        """Both sides as sets of items."""
        return self.table.cover

    @property
    def degrees(self) -> Degrees:
        """Both sides as sets of items that belong to them more or less."""
        return self.table.degrees

    @property
    def outline(self) -> Outline:
        """The pairs of a class and a cluster that have items in common, and how many."""
        return self.table

    @property
    def tree(self) -> Dendrogram:
        """The tree above the table's clusters; of a flat one, all side by side."""
        return self.table.tree

    @property
    def groups(self) -> int | None:
        """How many tables these are the statistics of; None: of one, and they are numbers."""
        return None

    def block(self, group: int) -> Statistics:
        """The statistics of one group alone."""
        return self

    @property
    def perfect(self) -> Any:
        """Whether clusters and classes are the same sets."""
        sizes = self.sizes
        return np.equal(self.joint.seen, sizes.classes) & np.equal(sizes.classes, sizes.clusters)

    @property
    def fractional(self) -> bool:
        """Whether counts are not those of whole items."""
        return False

    def entropies(self, estimator: str | Estimator = "ml") -> Entropies:
        """H(C), H(K) and H(C,K) in nats under one estimator, which a name will do for."""
        chosen, cache = entropies_of.get(estimator), self._entropy_cache
        if chosen.name not in cache:
            cache[chosen.name] = self._estimate(chosen)
        return cache[chosen.name]

    @cached_property
    def _entropy_cache(self) -> dict[str, Entropies]:
        return {}

    def _estimate(self, estimator: Estimator) -> Entropies:
        c, k = self.sizes.classes, self.sizes.clusters
        told = (c, k, c * k) if estimator.joint_support == "product" else (None, None, None)
        return Entropies(
            estimator(self.sizes.gold, told[0]),
            estimator(self.sizes.system, told[1]),
            self._estimate_joint(estimator, told[2]),
        )

    def _estimate_joint(self, estimator: Estimator, support: Any) -> Values:
        """H(C,K) of a table with so many cells that could occur."""
        return estimator(self.joint, support)

    @cached_property
    def chance(self) -> Chance:
        """What the adjusted measures need, by the exact expectation over all random tables."""
        c, k, n = self.sizes.classes, self.sizes.clusters, self.n
        if self.fractional:
            raise Undefined("adjusting for chance needs whole counts, not weighted ones")
        plain = self.entropies(entropies_of.get("ml"))
        constant = np.equal(c, 1) | np.equal(c, n) | np.equal(k, 1) | np.equal(k, n)
        expected = plain.mutual
        if not np.all(constant):
            random = self._expect_joint()
            expected = np.where(constant, expected, plain.gold + plain.system - random)
        return Chance(plain.gold, plain.system, plain.mutual, expected, self.perfect, constant)

    def _expect_joint(self) -> Values:
        """The plug-in H(C,K) on average over all tables with these sizes."""
        cells = self.random_cells
        return cells.sum(plug_in(cells.counts, cells.spread(self.n)))

    @cached_property
    def deviation(self) -> Values:
        """The standard deviation of plug-in mutual information over all tables with these sizes."""
        if self.fractional:
            raise Undefined("standardising needs whole counts, not weighted ones")
        from roget.scoring.tables.null_moments import deviate_information

        return deviate_information(self.sizes.gold, self.sizes.system, self.n)

    @cached_property
    def random_cells(self) -> Histogram:
        """How many cells hold each count, on average over all tables with these sizes."""
        # Random tables are statistics too, so they are imported after them.
        from roget.scoring.tables.baselines import expected_cells

        return expected_cells(self.sizes.gold, self.sizes.system, self.n)[0]

    def measure(self, measure: str | Measure, entropy: str | Estimator = "ml") -> float:
        """The value of one measure; raises Undefined where it has none."""
        return float(self._compute(_parse(measure), entropies_of.get(entropy)))

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats:
        """The value of one measure in each group; NaN where it has none, Undefined if nowhere."""
        wanted, estimator = _parse(measure), entropies_of.get(entropy)
        if self.groups is None or takes_arrays(wanted.compute):
            value = np.asarray(self._compute(wanted, estimator), dtype=np.float64)
            return value.reshape(1) if self.groups is None else np.broadcast_to(value, self.groups)
        return measure_each(map(self.block, range(self.groups)), wanted, estimator)

    def _compute(self, measure: Measure, estimator: Estimator) -> Values:
        given = [
            self.entropies(estimator) if need == "entropies" else getattr(self, need)
            for need in measure.needs
        ]
        return measure.compute(*given)


def _parse(measure: str | Measure) -> Measure:
    # The measures see statistics, so they are imported after them.
    from roget.scoring.measures import parse

    return parse(measure)


def measure_each(
    tables: Iterable[Statistics], measure: str | Measure, entropy: str | Estimator
) -> Floats:
    """The value of one measure in each table; NaN where it has none, Undefined if nowhere."""
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
    """The statistics of groups that are computed one after the other."""

    tables: Sequence[Any]
    """Statistics, or what else has a `measure`."""

    @property
    def groups(self) -> int:
        """How many there are."""
        return len(self.tables)

    def block(self, group: int) -> Any:
        """The statistics of one group."""
        return self.tables[group]

    def measure_groups(self, measure: str | Measure, entropy: str | Estimator = "ml") -> Floats:
        """The value of one measure in each group; NaN where it has none."""
        return measure_each(self.tables, measure, entropy)
