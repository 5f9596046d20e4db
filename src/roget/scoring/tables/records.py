"""The sufficient statistics that measures receive, as plain records.

A statistic of one table is a number; statistics of the tables of many groups are arrays with one
number per group.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.information import sum_parts
from roget.core.types import Floats, Values
from roget.scoring.entropy.base import Histogram


@dataclass(frozen=True)
class Entropies:
    """H(C) of the gold classes, H(K) of the system's clusters and H(C,K) of both, in nats."""

    gold: Values
    system: Values
    joint: Values

    @property
    def gold_given_system(self) -> Values:
        """H(C|K): the uncertainty about the class that remains once the cluster is known."""
        return self.joint - self.system

    @property
    def system_given_gold(self) -> Values:
        """H(K|C): the uncertainty about the cluster that remains once the class is known."""
        return self.joint - self.gold

    @property
    def mutual(self) -> Values:
        """I(C;K). The order of operations makes it exactly H(C) when clusters are pure."""
        return self.gold - (self.joint - self.system)

    @property
    def perfect(self) -> Any:
        """True if the three entropies are equal to the last bit, as for identical labellings."""
        return np.equal(self.gold, self.system) & np.equal(self.system, self.joint)


@dataclass(frozen=True)
class PairCounts:
    """Numbers of pairs of items: all, together in gold, together in the system, in both.

    Exact for whole tables: products of pair counts may exceed 64 bits, so they are Python integers
    (in arrays of objects for groups) where necessary.
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
        """The number of gold classes with at least one item."""
        return self.gold.seen

    @property
    def clusters(self) -> Any:
        """The number of system clusters with at least one item."""
        return self.system.seen


@dataclass(frozen=True)
class Chance:
    """Plug-in mutual information, and its expectation over random labels of the same sizes."""

    gold: Values
    system: Values
    mutual: Values
    expected: Values
    perfect: Any
    constant: Any
    """True if one side is a single cluster or all singletons: all labellings of those sizes tie."""


@dataclass(frozen=True)
class Matched:
    """The number of items in the best one-to-one match of clusters to classes, out of n."""

    items: Any
    n: Any
    common: tuple[Any, Any, Any] | None = None
    """If items may occur on one side only: items of both sides in the best match of these items,
    and the numbers of items of gold and of the system."""

    @property
    def of_sides(self) -> tuple[Any, Any, Any]:
        """Items in the best match, items of gold, items of the system."""
        return self.common or (self.items, self.n, self.n)


@dataclass(frozen=True)
class Links:
    """Numbers of pairs of mentions of one document that gold, the system or both link or separate.

    A pair counts for a side only if that side has both mentions.
    """

    gold: Any
    system: Any
    both: Any
    gold_apart: Any
    system_apart: Any
    both_apart: Any


_EXACT_PRODUCTS = 1 << 13
"""Up to this number of items a product of two pair counts is below 2^53, exact as a float."""


def pairs_among(n: Any) -> Any:
    """Return n(n−1)/2, in a type that can hold the product of two such numbers."""
    if isinstance(n, np.ndarray) and n.max() > _EXACT_PRODUCTS:
        n = n.astype(object)
    return n * (n - 1) // 2


def pairs_within(histogram: Histogram) -> Any:
    """Return Σ x(x−1)/2 over cells: in 64 bits if they are certain to suffice, else as objects."""
    counts, cells = histogram.counts, histogram.cells
    total = int(np.max(histogram.total))
    if int(counts.max()) * total >= 2**63:
        counts, cells = counts.astype(object), cells.astype(object)
    pairs = sum_parts(counts * (counts - 1) * cells, histogram.begins) // 2
    if histogram.starts is None:
        return int(pairs[0])
    return pairs.astype(object) if total > _EXACT_PRODUCTS else pairs


class Elements(ABC):
    """Element-centric similarity of the two sides, item by item (Gates et al. 2019).

    A random walk from an item moves at each step, with probability `alpha`, to an item of one of
    its clusters, else restarts. The similarity of an item is the overlap of the stationary
    distributions of its walks on the two sides. In a tree an item belongs to all nodes above it,
    with weights that grow from the root down, faster for larger `r`.
    """

    @abstractmethod
    def mean(self, alpha: float, r: float = 1.0) -> Values:
        """Return the mean similarity over items."""

    @abstractmethod
    def each(self, alpha: float, r: float = 1.0) -> Floats:
        """Return the similarity of each kind of items (for a table, of the items of each cell)."""
