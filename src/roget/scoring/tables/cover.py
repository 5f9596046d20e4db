"""Covers: overlapping classes and clusters, where an item may belong to several sets.

Items that belong to the same classes and the same clusters form one kind. Sums over items or pairs
of items are computed as sums over kinds, weighted by the number of items of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from roget.core.information import xlogx
from roget.core.types import Array, BoolArray, CountArray, Floats, Ints, Values
from roget.scoring.entropy.base import plug_in
from roget.scoring.measures.base import divide
from roget.scoring.tables.keys import find_kinds
from roget.scoring.tables.records import BCubed, Elements

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from roget.scoring.labels.labels import Labels
    from roget.scoring.tables.contingency import Contingency

_PAIRS = 1 << 22
"""Number of pairs of item kinds per batch.

Items of the same kind belong to the same sets.
"""

_LARGE = 3
"""A set is large if it contains more than 1/_LARGE of the items (see `Overlap._informative`)."""

_TIE = 1e-12
"""Relative tolerance within which entropies are treated as equal.

For example, h(1/4) = h(1/2), but their rounding errors differ.
"""


@dataclass(frozen=True, eq=False)
class Sets:
    """The classes or clusters (sets) of each kind of item, in compressed sparse row format.

    Items of the same kind belong to the same sets. Kind i belongs to the sets
    codes[indptr[i]:indptr[i + 1]], with the corresponding membership degrees.
    """

    indptr: Ints
    codes: Ints
    degrees: Floats
    count: int
    """The number of sets, all of which are non-empty."""

    @classmethod
    def from_labels(
        cls, labels: Labels, degrees_are: Literal["full", "graded", "shares"] = "full"
    ) -> Sets:
        """Make one set of items per label.

        The degrees of membership are 1 ("full"), the weights divided by the item's largest weight
        ("graded"), or the weights themselves, which sum to 1 per item ("shares").
        """
        codes = labels.codes.astype(np.int64)
        if labels.indptr is None or labels.weights is None:
            # A negative code marks an item without a label.
            labelled = codes >= 0
            indptr = np.concatenate(([0], np.cumsum(labelled)))
            codes, degrees = codes[labelled], np.ones(int(labelled.sum()))
        else:
            indptr, degrees = labels.indptr, labels.weights
            owners, _, _ = labels.entries()
            order = np.lexsort((codes, owners))
            codes, degrees = codes[order], degrees[order]
            if degrees_are == "graded":
                heaviest = np.zeros(len(labels))
                np.maximum.at(heaviest, owners, degrees)
                degrees = degrees / heaviest[owners]
            elif degrees_are == "full":
                degrees = np.ones(codes.size)
        used, codes = np.unique(codes, return_inverse=True)
        return cls(indptr, codes, degrees, used.size)

    @property
    def sizes(self) -> Ints:
        """The number of sets to which each kind of item belongs."""
        return np.diff(self.indptr)

    @property
    def owners(self) -> Ints:
        """The kind of item (row) of each entry of `codes`."""
        return np.repeat(np.arange(self.indptr.size - 1), self.sizes)

    def matrix(self, values: Array | None = None) -> csr_array[Any]:
        """Return the memberships as a sparse matrix with shape (kinds, sets).

        The entries are 1 or the given values.
        """
        from scipy.sparse import csr_array

        data = np.ones(self.codes.size, dtype=np.int64) if values is None else values
        return csr_array((data, self.codes, self.indptr), (self.indptr.size - 1, self.count))

    def number_kinds(self) -> Ints:
        """Return the number of each item's kind.

        Items that belong to the same sets are of the same kind.
        """
        # Compare the lists of sets one position at a time. After k steps, items of the same kind
        # agree in their first k sets.
        sizes = self.sizes
        numbers = np.zeros(sizes.size, dtype=np.int64)
        for place in range(int(sizes.max(initial=0))):
            more = np.flatnonzero(sizes > place)
            keys = numbers[more] * self.count + self.codes[self.indptr[more] + place]
            # Items without further sets keep their kinds. The numbers of new kinds start above the
            # existing numbers.
            _, following = np.unique(keys, return_inverse=True)
            numbers[more] = following + numbers.max() + 1
            _, numbers = np.unique(numbers, return_inverse=True)
        return numbers

    def take(self, rows: Ints) -> Sets:
        """Return the sets of the selected kinds of items, dropping sets that become empty."""
        sizes = self.sizes[rows]
        indptr = np.concatenate(([0], np.cumsum(sizes)))
        entries = np.repeat(self.indptr[:-1][rows] - indptr[:-1], sizes) + np.arange(indptr[-1])
        used, codes = np.unique(self.codes[entries], return_inverse=True)
        return Sets(indptr, codes, self.degrees[entries], used.size)


class Overlap(NamedTuple):
    """The number of items that each class shares with each cluster.

    Disjoint pairs are omitted.
    """

    rows: Ints
    columns: Ints
    counts: CountArray
    gold: CountArray
    """The sizes of the classes."""
    system: CountArray
    """The sizes of the clusters."""
    n: Any

    @property
    def perfect(self) -> bool:
        """True if gold and system consist of the same sets, with the same repetitions."""
        same = (self.gold[self.rows] == self.counts) & (self.system[self.columns] == self.counts)
        rows, columns = self.rows[same], self.columns[same]
        # Sets may be repeated, so count the clusters that equal each class, and the classes that
        # equal each cluster.
        in_system = np.bincount(rows, minlength=self.gold.size)
        in_gold = np.bincount(columns, minlength=self.system.size)
        every = bool(in_system.all() and in_gold.all())
        return every and np.array_equal(in_system[rows], in_gold[columns])

    def swap(self) -> Overlap:
        """Return the overlap with gold and system exchanged."""
        return Overlap(self.columns, self.rows, self.counts, self.system, self.gold, self.n)

    def conditional(self, *, strict: bool = False) -> Floats:
        """Return the entropy of each class given its most informative cluster.

        Let h(p) = −p·log p, and let p₁₁, p₀₀, p₁₀, p₀₁ be the fractions of items in both sets, in
        neither, in the class only and in the cluster only. A cluster is considered only if
        (1)  h(p₁₁) + h(p₀₀) ≥ h(p₁₀) + h(p₀₁),
        because otherwise the complement of the cluster would be more similar to the class. With
        `strict` the inequality must be strict. If no cluster qualifies, the class keeps its
        unconditional entropy (McDaid et al. 2011).
        """
        rows, columns, both = self._informative()
        gold, system = self.gold[rows], self.system[columns]
        agree, differ = self._compare(gold, system, both)
        # H(class | cluster) = H(class, cluster) − H(cluster).
        left = agree + differ - self._h(system) - self._h(self.n - system)
        # Set the entropy of identical sets to exactly 0, so that a perfect clustering scores
        # exactly 1.
        left[(both == gold) & (both == system)] = 0.0
        conditional = self.entropies
        known = agree > differ * (1 + _TIE) if strict else agree >= differ * (1 - _TIE)
        np.minimum.at(conditional, rows[known], left[known])
        return conditional

    def find_informative(self) -> BoolArray:
        """Return a mask of the (class, cluster) pairs that satisfy (1) of `conditional`."""
        rows, columns, both = self._informative()
        agree, differ = self._compare(self.gold[rows], self.system[columns], both)
        known = np.zeros((self.gold.size, self.system.size), dtype=bool)
        known[rows, columns] = agree >= differ * (1 - _TIE)
        return known

    def _compare(
        self, gold: CountArray, system: CountArray, both: CountArray
    ) -> tuple[Floats, Floats]:
        """Return both sides of inequality (1) of `conditional` for (class, cluster) pairs."""
        only_gold, only_system = gold - both, system - both
        neither = self.n - gold - only_system
        return (
            self._h(neither) + self._h(both),
            self._h(only_gold) + self._h(only_system),
        )

    @property
    def entropies(self) -> Floats:
        """The entropy of membership in each class."""
        return self._h(self.gold) + self._h(self.n - self.gold)

    def _informative(self) -> tuple[Ints, Ints, CountArray]:
        """Return the (class, cluster) pairs that may satisfy inequality (1) of `conditional`.

        These are all pairs with common items, and disjoint pairs in which one set has more than a
        third of all items. For other disjoint pairs h(p₀₀) < h(p₁₀) + h(p₀₁).
        """
        keys = [self.rows * self.system.size + self.columns]
        for row in np.flatnonzero(self.gold * _LARGE > self.n).tolist():
            keys.append(row * self.system.size + np.arange(self.system.size))
        for column in np.flatnonzero(self.system * _LARGE > self.n).tolist():
            keys.append(np.arange(self.gold.size) * self.system.size + column)
        if len(keys) == 1:
            return self.rows, self.columns, self.counts
        apart = np.setdiff1d(np.concatenate(keys[1:]), keys[0])
        rows, columns = np.divmod(apart, self.system.size)
        none = np.zeros(apart.size, self.counts.dtype)
        both: CountArray = np.concatenate((self.counts, none))  # type: ignore[assignment]
        return np.concatenate((self.rows, rows)), np.concatenate((self.columns, columns)), both

    def _h(self, counts: CountArray) -> Floats:
        """Return h(p) = −p·log p for p = counts/n."""
        values = np.zeros(counts.size)
        positive = np.flatnonzero(counts > 0)
        values[positive] = plug_in(counts[positive], self.n)
        return values


class Shares(NamedTuple):
    """Counts of item pairs by the number of sets they share."""

    gold: list[Any]
    """The number of pairs that share j classes, for j = 0, 1, …."""
    system: list[Any]
    """The number of pairs that share j clusters, for j = 0, 1, …."""
    equal: Any
    """The number of pairs that share as many classes as clusters."""

    @property
    def total(self) -> Any:
        """The total number of pairs."""
        return sum(self.gold)


class PairScores(NamedTuple):
    """Counts of item pairs by number of shared sets, and B-cubed scores of each kind of item."""

    shares: Shares
    precision: Floats
    recall: Floats


@dataclass(frozen=True, eq=False)
class Cover:
    """Overlapping classes and clusters as sets of items.

    Items that belong to the same classes and clusters are of the same kind and are stored once.
    """

    gold: Sets
    system: Sets
    times: CountArray
    """The number of items of each kind."""
    kinds: Ints | None = None
    """The kind of each item, if the items are known."""

    @classmethod
    def from_sides(cls, gold: Sets, system: Sets) -> Cover:
        """Make a cover from the classes and clusters of the same items, in the same order."""
        kinds, one_of = find_kinds(
            (numbers, int(numbers.max()) + 1)
            for numbers in (gold.number_kinds(), system.number_kinds())
        )
        return cls(gold.take(one_of), system.take(one_of), np.bincount(kinds), kinds)

    @property
    def n(self) -> Any:
        """The number of items."""
        return self.times.sum().item()

    @cached_property
    def overlap(self) -> Overlap:
        """The number of items that each class shares with each cluster."""
        left, right = self.gold, self.system
        weighted = left.matrix(self.times[left.owners])
        table = (weighted.T.tocsr() @ right.matrix()).tocoo()
        sizes = [
            np.bincount(side.codes, self.times[side.owners], side.count).astype(np.int64)
            for side in (left, right)
        ]
        places = table.row.astype(np.int64), table.col.astype(np.int64)
        return Overlap(*places, table.data, sizes[0], sizes[1], self.n)

    @property
    def shares(self) -> Shares:
        """Counts of item pairs by the number of sets they share."""
        return self.pairs.shares

    @property
    def bcubed(self) -> BCubed:
        """Extended B-cubed precision and recall (Amigó et al. 2009)."""
        precision, recall = (self.average(each) for each in self.pairs[1:])
        return BCubed(precision, recall)

    def average(self, each: Floats) -> float:
        """Return the mean over items. `each` contains one value per kind of item."""
        return float((self.times * each).sum() / self.n)

    @cached_property
    def pairs(self) -> PairScores:
        """Pair counts and B-cubed scores, computed in one pass over the pairs that share a set.

        For two items that share g classes and s clusters, the extended B-cubed precision is
        (1)  min(g, s)/s if s > 0, and recall is
        (2)  min(g, s)/g if g > 0 (Amigó et al. 2009).
        """
        times = self.times.astype(np.float64)
        own = self.gold.sizes, self.system.sizes
        width = int(max(sizes.max() for sizes in own)) + 1
        # The matrix products below also pair each item with itself, so subtract these pairs in
        # advance.
        counts = [np.bincount(sizes, -times, width).astype(np.float64) for sizes in own]
        sides = self.gold.matrix(), self.system.matrix()
        unequal = -float(times[own[0] != own[1]].sum())
        precision, recall = np.empty(times.size), np.empty(times.size)
        transposed = [side.T.tocsr() for side in sides]
        for part in self._parts():
            # Step 1: entry (i, j) is the number of classes (`one`) or clusters (`other`) that kinds
            # i and j share.
            one, other = (side[part] @ back for side, back in zip(sides, transposed, strict=True))
            # Step 2: count the pairs of items by the number of sets they share.
            for counted, shared in zip(counts, (one, other), strict=True):
                rows = np.repeat(times[part], np.diff(shared.indptr))
                counted += np.bincount(shared.data, rows * times[shared.indices], width)
            # Step 3: count the pairs that share different numbers of classes and clusters.
            apart = one != other
            unequal += float(np.repeat(times[part], np.diff(apart.indptr)) @ times[apart.indices])
            # Step 4: for each kind of item, average equations (1) and (2) over its pairs.
            least = one.minimum(other)
            precision[part] = _average_pairs(least, other, times)
            recall[part] = _average_pairs(least, one, times)
        # Every pair was counted in both orders. All remaining pairs share no set.
        total = self.n * (self.n - 1) // 2
        gold, system = ([int(number) // 2 for number in counted] for counted in counts)
        for numbers in (gold, system):
            numbers[0] = total - sum(numbers[1:])
        shares = Shares(gold, system, total - int(unequal) // 2)
        return PairScores(shares, precision, recall)

    def _parts(self) -> list[slice]:
        """Split the kinds of items into ranges whose pairs with common sets fit into memory."""
        # `reach` is an upper bound on the number of kinds that share a set with each kind of item.
        reach = np.zeros(self.times.size, dtype=np.int64)
        for side in (self.gold, self.system):
            held = np.bincount(side.codes, minlength=side.count)
            reach += np.bincount(side.owners, held[side.codes], self.times.size).astype(np.int64)
        at = np.cumsum(reach) // _PAIRS
        starts = np.flatnonzero(np.diff(at, prepend=-1)).tolist()
        ends = [*starts[1:], self.times.size]
        return [slice(begin, end) for begin, end in zip(starts, ends, strict=True)]


def _average_pairs(least: csr_array[Any], shared: csr_array[Any], times: Floats) -> Floats:
    """Return the mean of `least/shared` for each row, over all items that share a set with it."""
    inverse = shared.astype(np.float64)
    inverse.data = 1 / inverse.data
    sums = np.asarray(least.multiply(inverse).tocsr() @ times)
    inverse.data[:] = 1.0
    return np.asarray(sums / (inverse @ times))


@dataclass(frozen=True, eq=False)
class HardCover(Cover):
    """The cover of a contingency table.

    The items of a cell belong to the same class and cluster, so each cell is one kind of item.
    Pair counts and B-cubed scores are computed from the table.
    """

    table: Contingency = field(kw_only=True)

    @classmethod
    def from_table(cls, table: Contingency) -> HardCover:
        """Make the cover of a contingency table, where each item has one class and one cluster."""
        places = np.arange(table.rows.size + 1)
        ones = np.ones(table.rows.size)
        gold = Sets(places, table.rows, ones, table.shape[0])
        system = Sets(places, table.columns, ones, table.shape[1])
        return cls(gold, system, table.counts, table=table)

    @cached_property
    def overlap(self) -> Overlap:
        table = self.table
        totals = table.row_totals, table.column_totals
        return Overlap(table.rows, table.columns, table.counts, *totals, table.n)

    @property
    def shares(self) -> Shares:
        pairs = self.table.pairs
        equal = pairs.total - pairs.gold - pairs.system + 2 * pairs.both
        one, other = ([pairs.total - side, side] for side in (pairs.gold, pairs.system))
        return Shares(one, other, equal)

    @property
    def bcubed(self) -> BCubed:
        return self.table.bcubed


@dataclass(frozen=True, eq=False)
class Degrees:
    """Degrees of membership in classes and clusters, scaled to a maximum of 1 per item (Jurgens &
    Klapaftis 2013).
    """

    sets: Cover

    @property
    def graded(self) -> bool:
        """True if some degrees differ from 1."""
        return any(np.any(side.degrees != 1) for side in (self.sets.gold, self.sets.system))

    @cached_property
    def bcubed(self) -> BCubed:
        """Fuzzy B-cubed precision and recall over pairs of different items."""
        sets, times = self.sets, self.sets.times
        kinds = times.size
        scores = [np.empty(kinds), np.empty(kinds)]
        stretch = max(1, _PAIRS // kinds)
        for begin in range(0, kinds, stretch):
            rows = np.arange(begin, min(begin + stretch, kinds))
            # `one` and `other` contain the agreement of each pair of items in gold and in the
            # system. Precision is min(one, other)/other, and recall is min(one, other)/one, both
            # averaged over pairs.
            one, other = (_agree(side, rows, kinds) for side in (sets.gold, sets.system))
            least = np.minimum(one, other)
            for values, shared in zip(scores, (other, one), strict=True):
                positive = shared > 0
                part = np.divide(least, shared, out=np.zeros_like(least), where=positive)
                # Exclude the pair of an item with itself.
                own = part[np.arange(rows.size), rows], positive[np.arange(rows.size), rows]
                counts = positive @ times - own[1]
                values[rows] = divide(part @ times - own[0], counts)
        return BCubed(*map(sets.average, scores))

    def mutual(self, bins: int) -> tuple[float, float, float]:
        """Return H(C), H(K) and I(C;K), with degrees discretised into bins.

        As in `Overlap.conditional`, each set is predicted from its most informative counterpart:
        (1) I(C;K) = ½·(H(C) − Σ H(class | best cluster) + H(K) − Σ H(cluster | best class)).
        """
        sets = self.sets
        if not self.graded:
            return measure_information(sets.overlap)
        n, times = sets.n, sets.times.astype(np.float64)
        one, other = (_bin(side, bins, times.size) for side in (sets.gold, sets.system))
        gold, system = (_binned_entropies(side, bins, times) for side in (one, other))
        overlap = sets.overlap
        joint = np.full((gold.size, system.size), np.inf)
        known = overlap.find_informative()
        offsets = np.arange(system.size) * bins**2
        for row in range(gold.size):
            # Compute the joint histograms of the bins of this class and the bins of each cluster,
            # all at once.
            keys = other + offsets + (bins * one[:, row])[:, None]
            counts = np.bincount(
                keys.ravel(), np.repeat(times, system.size), system.size * bins**2
            ).reshape(system.size, -1)
            joint[row] = _entropy_rows(counts, n)
        joint[~known] = np.inf
        # Find the smallest conditional entropy of each class and each cluster. Classes and clusters
        # without an informative match keep their unconditional entropy.
        left = np.minimum((joint - system).min(axis=1), np.where(known.any(axis=1), np.inf, gold))
        right = np.minimum(
            (joint - gold[:, None]).min(axis=0), np.where(known.any(axis=0), np.inf, system)
        )
        mutual = (gold.sum() - left.sum() + system.sum() - right.sum()) / 2
        return float(gold.sum()), float(system.sum()), float(mutual)


def _agree(side: Sets, rows: Ints, kinds: int) -> Floats:
    """Return the agreement between each kind of item in `rows` and all kinds of items.

    The agreement is the sum of 1 − |difference of degrees| over shared labels.
    """
    shared = np.zeros((rows.size, kinds))
    order = np.argsort(side.codes, kind="stable")
    owners, degrees = side.owners[order], side.degrees[order]
    cuts = np.searchsorted(side.codes[order], np.arange(side.count + 1))
    # For each label, add the agreement between its members in `rows` and all of its members.
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        members, own = owners[begin:end], degrees[begin:end]
        here = slice(*np.searchsorted(members, (rows[0], rows[-1] + 1)).tolist())
        at = np.ix_(members[here] - rows[0], members)
        shared[at] += 1 - np.abs(own[here][:, None] - own)
    return shared


def _bin(side: Sets, bins: int, kinds: int) -> Ints:
    """Return the bin of the degree of each kind of item in each set, with shape (kinds, sets).

    Bins include their upper edge.
    """
    # Raise the bin edges slightly, because rounding errors may put normalised weights just above an
    # edge.
    edges = np.arange(1, bins) / bins * (1 + 1e-9)
    binned = np.zeros((kinds, side.count), dtype=np.int64)
    binned[side.owners, side.codes] = np.searchsorted(edges, side.degrees, side="left")
    return binned


def _binned_entropies(binned: Ints, bins: int, times: Floats) -> Floats:
    """Return the entropy of the binned degrees of each set."""
    keys = binned + np.arange(binned.shape[1]) * bins
    counts = np.bincount(keys.ravel(), np.repeat(times, binned.shape[1]), binned.shape[1] * bins)
    return _entropy_rows(counts.reshape(-1, bins), times.sum())


def _entropy_rows(counts: Array, n: Any) -> Floats:
    """Return the plug-in entropy of each row of counts with sum n."""
    return np.asarray(-xlogx(counts / n).sum(axis=1))


def measure_information(overlap: Overlap) -> tuple[float, float, float]:
    """Return H(C), H(K) and I(C;K) for covers (McDaid et al. 2011)."""
    gold, system = overlap.entropies.sum(), overlap.swap().entropies.sum()
    left = gold - overlap.conditional().sum()
    right = system - overlap.swap().conditional().sum()
    return float(gold), float(system), float((left + right) / 2)


@dataclass(frozen=True, eq=False)
class HardDegrees(Degrees):
    """Membership degrees of items with one class and one cluster, which are all 1."""

    sets: HardCover

    @cached_property
    def bcubed(self) -> BCubed:
        table = self.sets.table
        counts = table.counts.astype(np.float64)
        # For an item in a cell with x items, precision is x − 1 divided by the number of other
        # items in the cluster, and recall is x − 1 divided by the number of other items in the
        # class.
        scores = (
            counts * (counts - 1) / np.maximum(totals[codes] - 1, 1)
            for totals, codes in (
                (table.column_totals, table.columns),
                (table.row_totals, table.rows),
            )
        )
        return BCubed(*(table.over_cells(values) / table.n for values in scores))


@dataclass(frozen=True, eq=False)
class CoverElements(Elements):
    """Element-centric similarity of overlapping sets, in closed form.

    A step of the random walk leads from an item to one of its sets (matrix L, items × sets) and
    then to an item of that set (matrix A, sets × items). With the step matrix S = A·L between sets,
    the distribution of the walk from each item is a row of
    (1)  (1 − α)·Σ_k α^k·(L·A)^k = (1 − α)·(I + α·L·(I − α·S)⁻¹·A),
    so only a sets × sets matrix is inverted. The similarity of an item is 1 minus half the L1
    distance between its two walks, divided by α, because both walks restart at the item itself with
    probability 1 − α.
    """

    gold: Sets
    system: Sets
    times: CountArray
    perfect: bool = False

    def mean(self, alpha: float, r: float = 1.0) -> Values:
        return float((self.times * self.each(alpha)).sum() / self.times.sum())

    def each(self, alpha: float, r: float = 1.0) -> Floats:
        kinds = self.times.size
        if self.perfect:
            return np.ones(kinds)
        sides = [_follow(side, self.times, alpha) for side in (self.gold, self.system)]
        similarity = np.empty(kinds)
        stretch = max(1, _PAIRS // kinds)
        for begin in range(0, kinds, stretch):
            part = slice(begin, begin + stretch)
            one, other = (arrive @ (leave[part] @ walks).T for leave, walks, arrive in sides)
            apart = np.abs(one - other)
            # The factor α of equation (1) cancels with the division by α.
            similarity[part] = 1 - (1 - alpha) / 2 * (self.times[:, None] * apart).sum(axis=0)
        return similarity


def _follow(
    side: Sets, times: CountArray, alpha: float
) -> tuple[csr_array[Any], Floats, csr_array[Any]]:
    """Return L, (I − α·S)⁻¹ and Aᵀ from equation (1), with one row per kind of item."""
    leaving = side.degrees / np.bincount(side.owners, side.degrees, times.size)[side.owners]
    masses = np.bincount(side.codes, side.degrees * times[side.owners], side.count)
    leave, arrive = side.matrix(leaving), side.matrix(side.degrees / masses[side.codes])
    step = (arrive.T.tocsr() @ side.matrix(leaving * times[side.owners])).toarray()
    return leave, np.linalg.inv(np.eye(side.count) - alpha * step), arrive
