"""What measures are allowed to see: sufficient statistics of a gold × system table, never labels.

Every source of statistics (a table, weighted answers, a trivial baseline) answers the same
questions, so a measure is written once and serves them all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from roget.core.information import weighted_sum
from roget.core.types import Floats
from roget.errors import Undefined
from roget.scoring import entropy as entropies_of
from roget.scoring.entropy import Estimator, Histogram
from roget.scoring.entropy.base import plug_in

if TYPE_CHECKING:
    from roget.scoring.cells.contingency import Contingency
    from roget.scoring.measures.base import Measure


@dataclass(frozen=True)
class Entropies:
    """H(C) of the gold classes, H(K) of the system's clusters and H(C,K) of both, in nats."""

    gold: float
    system: float
    joint: float

    @property
    def gold_given_system(self) -> float:
        """H(C|K): what the clusters leave unsaid about the classes."""
        return self.joint - self.system

    @property
    def system_given_gold(self) -> float:
        """H(K|C)."""
        return self.joint - self.gold

    @property
    def mutual(self) -> float:
        """I(C;K). The order of operations makes it exactly H(C) when clusters are pure."""
        return self.gold - (self.joint - self.system)

    @property
    def perfect(self) -> bool:
        """Whether the three agree to the last bit, as they do when the labellings are one."""
        return self.gold == self.system == self.joint


@dataclass(frozen=True)
class PairCounts:
    """Pairs of items: all of them, together in gold, together in the system, together in both.

    Whole numbers of any size when the table is whole, so that nothing overflows.
    """

    total: int | float
    gold: int | float
    system: int | float
    both: int | float


@dataclass(frozen=True)
class BCubed:
    """B-cubed precision and recall: the mean over items of their cluster's (class's) overlap."""

    precision: float
    recall: float


@dataclass(frozen=True)
class Sizes:
    """Class sizes, cluster sizes and the number of items."""

    gold: Histogram
    system: Histogram
    n: int | float

    @property
    def classes(self) -> int:
        """How many gold classes hold an item."""
        return self.gold.seen

    @property
    def clusters(self) -> int:
        """How many system clusters hold an item."""
        return self.system.seen


@dataclass(frozen=True)
class Chance:
    """Plug-in mutual information beside what random labels of the same sizes would give."""

    gold: float
    system: float
    mutual: float
    expected: float
    perfect: bool
    constant: bool
    """One side is a single cluster or all singletons: every labelling of those sizes ties."""


@dataclass(frozen=True)
class Matched:
    """Items in the best one-to-one match of clusters to classes, out of n."""

    items: int | float
    n: int | float


class Statistics(ABC):
    """A source of sufficient statistics; measures name the ones they need."""

    @property
    @abstractmethod
    def n(self) -> int | float:
        """How many items there are."""

    @property
    @abstractmethod
    def sizes(self) -> Sizes:
        """Histograms of class and cluster sizes."""

    @property
    @abstractmethod
    def joint(self) -> Histogram:
        """Histogram of the table's cells."""

    @property
    @abstractmethod
    def pairs(self) -> PairCounts:
        """Pairs of items kept together by each side."""

    @property
    @abstractmethod
    def bcubed(self) -> BCubed:
        """B-cubed precision and recall."""

    @property
    @abstractmethod
    def matched(self) -> Matched:
        """The best one-to-one match."""

    @property
    @abstractmethod
    def table(self) -> Contingency:
        """The cells themselves, for measures that look at each."""

    @property
    def perfect(self) -> bool:
        """Whether clusters and classes are the same sets."""
        return self.joint.seen == self.sizes.classes == self.sizes.clusters

    @property
    def fractional(self) -> bool:
        """Whether counts are not those of whole items."""
        return False

    def entropies(self, estimator: Estimator) -> Entropies:
        """H(C), H(K) and H(C,K) under one estimator."""
        cache = self._entropy_cache
        if estimator.name not in cache:
            cache[estimator.name] = self._estimate(estimator)
        return cache[estimator.name]

    @cached_property
    def _entropy_cache(self) -> dict[str, Entropies]:
        return {}

    def _estimate(self, estimator: Estimator) -> Entropies:
        samples = self.sizes.gold, self.sizes.system, self.joint
        if estimator.joint_support != "product":
            return Entropies(*map(estimator, samples))
        c, k = self.sizes.classes, self.sizes.clusters
        return Entropies(*map(estimator, samples, (c, k, c * k)))

    @cached_property
    def chance(self) -> Chance:
        """What the adjusted measures need, by the exact expectation over all random tables."""
        sizes = self.sizes
        if self.fractional:
            raise Undefined("adjusting for chance needs whole counts, not weighted ones")
        plain = self.entropies(entropies_of.get("ml"))
        constant = sizes.classes in (1, self.n) or sizes.clusters in (1, self.n)
        expected = plain.mutual
        if not constant:
            counts, cells = self.random_cells
            expected = plain.gold + plain.system - weighted_sum(plug_in(counts, self.n), cells)
        return Chance(plain.gold, plain.system, plain.mutual, expected, self.perfect, constant)

    @cached_property
    def random_cells(self) -> tuple[Floats, Floats]:
        """Counts and how many cells hold each, on average over all tables with these sizes."""
        # Random tables are statistics too, so they are imported after them.
        from roget.scoring.cells.baselines import expected_cells

        counts, cells, _ = expected_cells(self.sizes.gold, self.sizes.system, int(self.n))
        return counts, cells

    def measure(self, measure: str | Measure, entropy: str | Estimator = "ml") -> float:
        """The value of one measure; raises Undefined where it has none."""
        if isinstance(measure, str):
            # The measures see statistics, so they are imported after them.
            from roget.scoring.measures import parse

            measure = parse(measure)
        given = [
            self.entropies(entropies_of.get(entropy))
            if need == "entropies"
            else getattr(self, need)
            for need in measure.needs
        ]
        return measure.compute(*given)
