"""Records that hold the sufficient statistics passed to measures.

For a single table, each statistic is a number. For several groups, it is an array with one entry
per group.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from roget.core.types import Floats, Values
from roget.scoring.entropy.base import Histogram
from roget.scoring.tables.hypergeometric import expected_cells


@dataclass(frozen=True)
class Entropies:
    """Entropies in nats: H(C) of gold classes, H(K) of system clusters, and the joint H(C,K)."""

    gold: Values
    system: Values
    joint: Values
    gold_given_system: Values = field(init=False, repr=False)
    """The conditional entropy H(C|K): uncertainty about the class if the cluster is known."""
    system_given_gold: Values = field(init=False, repr=False)
    """The conditional entropy H(K|C): uncertainty about the cluster if the class is known."""
    mutual: Values = field(init=False, repr=False)
    """The mutual information I(C;K)."""
    perfect: Any = field(init=False, repr=False)
    """True if the three entropies are exactly equal, as for identical clusterings."""

    def __post_init__(self) -> None:
        gold, system, joint = self.gold, self.system, self.joint
        vars(self).update(
            gold_given_system=joint - system,
            system_given_gold=joint - gold,
            # In this order of operations, the result is exactly H(C) if all clusters are pure.
            mutual=gold - (joint - system),
            perfect=np.equal(gold, system) & np.equal(system, joint),
        )


@dataclass(frozen=True)
class PairCounts:
    """Numbers of item pairs: all pairs, and pairs joined in gold, in the system and in both.

    Pair counts are exact if the table contains whole numbers. Products of pair counts may exceed 64
    bits, so large counts are Python integers (object arrays for groups).
    """

    total: Any
    gold: Any
    system: Any
    both: Any


@dataclass(frozen=True)
class BCubed:
    """B-cubed precision and recall.

    The precision of an item is the fraction of its cluster that is in the same class. Its recall is
    the fraction of its class that is in the same cluster. Both are averaged over items.
    """

    precision: Values
    recall: Values


@dataclass(frozen=True)
class Sizes:
    """Class sizes, cluster sizes and the number of items."""

    gold: Histogram
    system: Histogram
    n: Any
    classes: Any = field(init=False, repr=False)
    """The number of gold classes with at least one item."""
    clusters: Any = field(init=False, repr=False)
    """The number of system clusters with at least one item."""

    def __post_init__(self) -> None:
        vars(self).update(classes=self.gold.seen, clusters=self.system.seen)

    random_cells = cached_property(expected_cells)
    """The expected number of cells with each count, over all tables with these sizes."""


@dataclass(frozen=True)
class Chance:
    """Plug-in mutual information, and its expectation over random clusters of the same sizes."""

    gold: Values
    system: Values
    mutual: Values
    expected: Values
    perfect: Any
    constant: Any
    """True if every table with these sizes has the same score, because gold or the system is a
    single cluster or all singletons.
    """


@dataclass(frozen=True)
class Matched:
    """The number of items, out of n, in the best one-to-one match of clusters and classes."""

    items: Any
    n: Any
    common: tuple[Any, Any, Any] | None = None
    """Three numbers of items: in the best match, in gold and in the system. None if gold and system
    both contain all n items.
    """

    @property
    def of_sides(self) -> tuple[Any, Any, Any]:
        """The number of items in the best match, in gold, and in the system."""
        return self.common or (self.items, self.n, self.n)


@dataclass(frozen=True)
class Links:
    """Numbers of mention pairs that are linked, or not linked, in gold, in the system, and in both.

    Only pairs within a document are counted. The gold numbers count pairs of gold mentions, and the
    system numbers count pairs of system mentions.
    """

    gold: Any
    system: Any
    both: Any
    gold_apart: Any
    system_apart: Any
    both_apart: Any


_EXACT_PRODUCTS = 1 << 13
"""Maximum number of items for which products of two pair counts are exact as floats (< 2^53)."""


def pairs_among(n: Any) -> Any:
    """Return n(n−1)/2 in a type that can represent the product of two such numbers."""
    if isinstance(n, np.ndarray) and n.max() > _EXACT_PRODUCTS:
        n = n.astype(object)
    return n * (n - 1) // 2


def pairs_within(histogram: Histogram) -> Any:
    """Return Σ x(x−1)/2 over cells, as 64-bit integers if possible, else as Python integers."""
    counts, cells = histogram.counts, histogram.cells
    total = int(np.max(histogram.total))
    if int(counts.max()) * total >= 2**63:
        counts, cells = counts.astype(object), cells.astype(object)
    pairs = np.add.reduceat(counts * (counts - 1) * cells, histogram.begins) // 2
    if histogram.starts is None:
        return int(pairs[0])
    return pairs.astype(object) if total > _EXACT_PRODUCTS else pairs


class Elements(ABC):
    """The element-centric similarity between two clusterings (Gates et al. 2019).

    At each step a random walk moves, with probability `alpha`, to an item of one of the clusters of
    the current item. Otherwise it restarts at its first item. The similarity of an item is the
    overlap of the stationary distributions of its two walks, one per clustering. In a tree, an item
    belongs to all nodes above it, with weights that increase from the root to the leaves. The
    larger `r`, the faster they increase.
    """

    @abstractmethod
    def mean(self, alpha: float, r: float = 1.0) -> Values:
        """Return the mean similarity over items."""

    @abstractmethod
    def each(self, alpha: float, r: float = 1.0) -> Floats:
        """Return the similarity of each kind of item.

        Items of the same kind have the same labels. In a contingency table, each cell is a kind.
        """
