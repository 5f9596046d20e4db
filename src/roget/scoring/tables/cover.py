"""Covers: items that may be in several classes and in several clusters, each of them in full.

Items in the same classes and the same clusters are of one kind; what is asked of all items, or of
all pairs, is asked of the kinds and counted as often as they come.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from roget.core.information import xlogx
from roget.core.types import Array, BoolArray, CountArray, Floats, Ints, Values
from roget.errors import Undefined
from roget.scoring.entropy import Histogram
from roget.scoring.entropy.base import plug_in
from roget.scoring.measures.base import divide
from roget.scoring.tables.contingency import Contingency, find_kinds
from roget.scoring.tables.statistics import BCubed, Elements, Sizes, Statistics

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from roget.scoring.labels.labels import Labels

SEVERAL = (
    "items are in several clusters; of such, xb3-precision, xb3-recall, xb3-f, omega, onmi, "
    "mean-best-f1 and element-centric are known"
)

WHOLE = (
    "of a tree it is that of the whole, which is known beside gold with one class for each item; "
    "--cuts K has that of the cut into K clusters"
)

_PAIRS = 1 << 22
"""Pairs of kinds that are looked at together."""

_LARGE = 3
"""A set of at most a third of the items tells less than nothing of one that it does not meet."""

_TIE = 1e-12
"""What of two entropies may be rounding: that of a quarter is that of a half, for one."""


@dataclass(frozen=True, eq=False)
class Sets:
    """One side: kind i is in the sets `codes[indptr[i]:indptr[i + 1]]`, to such degrees."""

    indptr: Ints
    codes: Ints
    degrees: Floats
    count: int
    """How many sets there are; each has an item."""

    @classmethod
    def of(cls, labels: Labels, degrees_are: Literal["full", "graded", "shares"] = "full") -> Sets:
        """The sets of labels, in which items are in full, or to a degree.

        That of an item's heaviest label is 1 ("graded"), or those of all its labels sum to 1
        ("shares").
        """
        codes = labels.codes.astype(np.int64)
        if labels.indptr is None or labels.weights is None:
            held = codes >= 0
            indptr = np.concatenate(([0], np.cumsum(held)))
            codes, degrees = codes[held], np.ones(int(held.sum()))
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
        """In how many sets each kind is."""
        return np.diff(self.indptr)

    @property
    def owners(self) -> Ints:
        """The kind of each entry."""
        return np.repeat(np.arange(self.indptr.size - 1), self.sizes)

    def matrix(self, values: Array | None = None) -> csr_array[Any]:
        """Kinds × sets, of ones or of such values."""
        from scipy.sparse import csr_array

        data = np.ones(self.codes.size, dtype=np.int64) if values is None else values
        return csr_array((data, self.codes, self.indptr), (self.indptr.size - 1, self.count))

    def number_kinds(self) -> Ints:
        """A number for each item, the same for items that are in the same sets."""
        sizes = self.sizes
        numbers = np.zeros(sizes.size, dtype=np.int64)
        for place in range(int(sizes.max(initial=0))):
            more = np.flatnonzero(sizes > place)
            keys = numbers[more] * self.count + self.codes[self.indptr[more] + place]
            # Those that end here keep the numbers they have, which the new ones leave free.
            _, found = np.unique(keys, return_inverse=True)
            numbers[more] = found + numbers.max() + 1
            _, numbers = np.unique(numbers, return_inverse=True)
        return numbers

    def take(self, rows: Ints) -> Sets:
        """The sets of such kinds, in this order; only those that they are in."""
        sizes = self.sizes[rows]
        indptr = np.concatenate(([0], np.cumsum(sizes)))
        entries = np.repeat(self.indptr[:-1][rows] - indptr[:-1], sizes) + np.arange(indptr[-1])
        used, codes = np.unique(self.codes[entries], return_inverse=True)
        return Sets(indptr, codes, self.degrees[entries], used.size)


class Overlap(NamedTuple):
    """How many items a class and a cluster have in common, of all that have any."""

    rows: Ints
    columns: Ints
    counts: CountArray
    gold: CountArray
    system: CountArray
    """The sizes of classes and clusters."""
    n: Any

    @property
    def perfect(self) -> bool:
        """Whether every class is a cluster and every cluster a class, as often on either side."""
        same = (self.gold[self.rows] == self.counts) & (self.system[self.columns] == self.counts)
        rows, columns = self.rows[same], self.columns[same]
        # How often a class is a cluster is how often the cluster is there, and the other way round.
        there = np.bincount(rows, minlength=self.gold.size)
        here = np.bincount(columns, minlength=self.system.size)
        every = bool(there.all() and here.all())
        return every and np.array_equal(there[rows], here[columns])

    def turned(self) -> Overlap:
        """Gold and system exchanged."""
        return Overlap(self.columns, self.rows, self.counts, self.system, self.gold, self.n)

    def conditional(self, *, strict: bool = False) -> Floats:
        """H of each class given the cluster that says most of it (McDaid et al. 2011).

        Only clusters count that say more by what they have in common than by what they have not;
        not `strict`, as much is enough.
        """
        rows, columns, both = self._informative()
        gold, system = self.gold[rows], self.system[columns]
        alike, unlike = self._compare(gold, system, both)
        left = alike + unlike - self._h(system) - self._h(self.n - system)
        # To the last bit, so that a perfect answer is one.
        left[(both == gold) & (both == system)] = 0.0
        found = self.entropies
        known = alike > unlike * (1 + _TIE) if strict else alike >= unlike * (1 - _TIE)
        np.minimum.at(found, rows[known], left[known])
        return found

    def tell_each_other(self) -> BoolArray:
        """Of classes × clusters, which say something of each other by what they have in common."""
        rows, columns, both = self._informative()
        alike, unlike = self._compare(self.gold[rows], self.system[columns], both)
        known = np.zeros((self.gold.size, self.system.size), dtype=bool)
        known[rows, columns] = alike >= unlike * (1 - _TIE)
        return known

    def _compare(
        self, gold: CountArray, system: CountArray, both: CountArray
    ) -> tuple[Floats, Floats]:
        """What is added to H by items in both or neither, and by those in one of the two."""
        only_gold, only_system = gold - both, system - both
        neither = self.n - gold - only_system
        return (
            self._h(neither) + self._h(both),
            self._h(only_gold) + self._h(only_system),
        )

    @property
    def entropies(self) -> Floats:
        """H of being in each class or not."""
        return self._h(self.gold) + self._h(self.n - self.gold)

    def _informative(self) -> tuple[Ints, Ints, CountArray]:
        """The pairs in which a class can say something of a cluster: also some that do not meet.

        Of two that do not, one must have more than a third of all items; else being in neither
        says less than the two say by being apart.
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
        values = np.zeros(counts.size)
        held = np.flatnonzero(counts > 0)
        values[held] = plug_in(counts[held], self.n)
        return values


class Shares(NamedTuple):
    """Pairs of items by how many sets they share: at place j, those that share j."""

    gold: list[Any]
    system: list[Any]
    alike: Any
    """Pairs that share as many classes as clusters."""

    @property
    def total(self) -> Any:
        """All pairs."""
        return sum(self.gold)


class PairScores(NamedTuple):
    """What is said of all pairs: how many sets they share, and extended B-cubed of each kind."""

    shares: Shares
    precision: Floats
    recall: Floats


@dataclass(frozen=True, eq=False)
class Cover:
    """Both sides as sets of items, for measures that allow an item to be in several."""

    gold: Sets
    system: Sets
    times: CountArray
    """How many items of each kind there are."""
    kinds: Ints | None = None
    """The kind of each item, where items are known."""

    @classmethod
    def of_sides(cls, gold: Sets, system: Sets) -> Cover:
        """Both sides as sets of the same items in the same order."""
        kinds, one_of = find_kinds(
            (numbers, int(numbers.max()) + 1)
            for numbers in (gold.number_kinds(), system.number_kinds())
        )
        return cls(gold.take(one_of), system.take(one_of), np.bincount(kinds), kinds)

    @property
    def n(self) -> Any:
        """How many items there are."""
        return self.times.sum().item()

    @cached_property
    def overlap(self) -> Overlap:
        """Classes and clusters that have items in common."""
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
        """Pairs of items by how many sets they share."""
        return self.pairs.shares

    @property
    def bcubed(self) -> BCubed:
        """Extended B-cubed (Amigó et al. 2009)."""
        precision, recall = (self.average(each) for each in self.pairs[1:])
        return BCubed(precision, recall)

    def average(self, each: Floats) -> float:
        """The mean over items of a value for each kind."""
        return float((self.times * each).sum() / self.n)

    @cached_property
    def pairs(self) -> PairScores:
        """All pairs, in one pass over those that share a set."""
        times = self.times.astype(np.float64)
        own = self.gold.sizes, self.system.sizes
        width = int(max(sizes.max() for sizes in own)) + 1
        # Each item beside itself, which is no pair, is taken off beforehand.
        counts = [np.bincount(sizes, -times, width).astype(np.float64) for sizes in own]
        sides = self.gold.matrix(), self.system.matrix()
        unlike = -float(times[own[0] != own[1]].sum())
        precision, recall = np.empty(times.size), np.empty(times.size)
        turned = [side.T.tocsr() for side in sides]
        for part in self._parts():
            one, other = (side[part] @ back for side, back in zip(sides, turned, strict=True))
            for counted, shared in zip(counts, (one, other), strict=True):
                rows = np.repeat(times[part], np.diff(shared.indptr))
                counted += np.bincount(shared.data, rows * times[shared.indices], width)
            apart = one != other
            unlike += float(np.repeat(times[part], np.diff(apart.indptr)) @ times[apart.indices])
            least = one.minimum(other)
            precision[part] = _average_pairs(least, other, times)
            recall[part] = _average_pairs(least, one, times)
        total = self.n * (self.n - 1) // 2
        gold, system = ([int(number) // 2 for number in counted] for counted in counts)
        for numbers in (gold, system):
            numbers[0] = total - sum(numbers[1:])
        shares = Shares(gold, system, total - int(unlike) // 2)
        return PairScores(shares, precision, recall)

    def _parts(self) -> list[slice]:
        """Stretches of kinds whose pairs that share a set are few enough to hold at once."""
        reach = np.zeros(self.times.size, dtype=np.int64)
        for side in (self.gold, self.system):
            held = np.bincount(side.codes, minlength=side.count)
            reach += np.bincount(side.owners, held[side.codes], self.times.size).astype(np.int64)
        at = np.cumsum(reach) // _PAIRS
        starts = np.flatnonzero(np.diff(at, prepend=-1)).tolist()
        ends = [*starts[1:], self.times.size]
        return [slice(begin, end) for begin, end in zip(starts, ends, strict=True)]


def _average_pairs(least: csr_array[Any], shared: csr_array[Any], times: Floats) -> Floats:
    """For each row, the mean of least/shared over all items that share a set, itself included."""
    inverse = shared.astype(np.float64)
    inverse.data = 1 / inverse.data
    found = np.asarray(least.multiply(inverse).tocsr() @ times)
    inverse.data[:] = 1.0
    return np.asarray(found / (inverse @ times))


@dataclass(frozen=True, eq=False)
class HardCover(Cover):
    """A table's items, a kind for each cell: its pairs and B-cubed are known already."""

    table: Contingency = field(kw_only=True)

    @classmethod
    def from_table(cls, table: Contingency) -> HardCover:
        """Where every item has one class and one cluster."""
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
        alike = pairs.total - pairs.gold - pairs.system + 2 * pairs.both
        one, other = ([pairs.total - side, side] for side in (pairs.gold, pairs.system))
        return Shares(one, other, alike)

    @property
    def bcubed(self) -> BCubed:
        return self.table.bcubed


@dataclass(frozen=True, eq=False)
class Degrees:
    """Memberships that have degrees, the highest of an item being 1 (Jurgens & Klapaftis 2013)."""

    sets: Cover

    @property
    def graded(self) -> bool:
        """Whether some degree is not 1."""
        return any(np.any(side.degrees != 1) for side in (self.sets.gold, self.sets.system))

    @cached_property
    def bcubed(self) -> BCubed:
        """Fuzzy B-cubed: of pairs of two items, 0 for one that shares a label with no other."""
        sets, times = self.sets, self.sets.times
        kinds = times.size
        found = [np.empty(kinds), np.empty(kinds)]
        stretch = max(1, _PAIRS // kinds)
        for begin in range(0, kinds, stretch):
            rows = np.arange(begin, min(begin + stretch, kinds))
            one, other = (_agree(side, rows, kinds) for side in (sets.gold, sets.system))
            least = np.minimum(one, other)
            for values, shared in zip(found, (other, one), strict=True):
                held = shared > 0
                part = np.divide(least, shared, out=np.zeros_like(least), where=held)
                # An item beside itself is no pair.
                own = part[np.arange(rows.size), rows], held[np.arange(rows.size), rows]
                counts = held @ times - own[1]
                values[rows] = divide(part @ times - own[0], counts)
        return BCubed(*map(sets.average, found))

    def mutual(self, bins: int) -> tuple[float, float, float]:
        """H(C), H(K) and I(C;K) of degrees that are put into so many bins."""
        sets = self.sets
        if not self.graded:
            return mutual_of_sets(sets.overlap)
        n, times = sets.n, sets.times.astype(np.float64)
        one, other = (_bin(side, bins, times.size) for side in (sets.gold, sets.system))
        gold, system = (_entropies_of(side, bins, times) for side in (one, other))
        overlap = sets.overlap
        joint = np.full((gold.size, system.size), np.inf)
        known = overlap.tell_each_other()
        offsets = np.arange(system.size) * bins**2
        for row in range(gold.size):
            keys = other + offsets + (bins * one[:, row])[:, None]
            counts = np.bincount(
                keys.ravel(), np.repeat(times, system.size), system.size * bins**2
            ).reshape(system.size, -1)
            joint[row] = _entropy_rows(counts, n)
        joint[~known] = np.inf
        left = np.minimum((joint - system).min(axis=1), np.where(known.any(axis=1), np.inf, gold))
        right = np.minimum(
            (joint - gold[:, None]).min(axis=0), np.where(known.any(axis=0), np.inf, system)
        )
        mutual = (gold.sum() - left.sum() + system.sum() - right.sum()) / 2
        return float(gold.sum()), float(system.sum()), float(mutual)


def _agree(side: Sets, rows: Ints, kinds: int) -> Floats:
    """Σ over labels that two kinds share of 1 − the difference of degrees: rows × all kinds."""
    shared = np.zeros((rows.size, kinds))
    order = np.argsort(side.codes, kind="stable")
    owners, degrees = side.owners[order], side.degrees[order]
    cuts = np.searchsorted(side.codes[order], np.arange(side.count + 1))
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        members, own = owners[begin:end], degrees[begin:end]
        here = slice(*np.searchsorted(members, (rows[0], rows[-1] + 1)).tolist())
        at = np.ix_(members[here] - rows[0], members)
        shared[at] += 1 - np.abs(own[here][:, None] - own)
    return shared


def _bin(side: Sets, bins: int, kinds: int) -> Ints:
    """The bin of each kind's degree in each set; the edge above belongs to a bin."""
    # A weight at an edge may be a bit above it, after weights were made to sum to 1.
    edges = np.arange(1, bins) / bins * (1 + 1e-9)
    found = np.zeros((kinds, side.count), dtype=np.int64)
    found[side.owners, side.codes] = np.searchsorted(edges, side.degrees, side="left")
    return found


def _entropies_of(binned: Ints, bins: int, times: Floats) -> Floats:
    keys = binned + np.arange(binned.shape[1]) * bins
    counts = np.bincount(keys.ravel(), np.repeat(times, binned.shape[1]), binned.shape[1] * bins)
    return _entropy_rows(counts.reshape(-1, bins), times.sum())


def _entropy_rows(counts: Array, n: Any) -> Floats:
    return np.asarray(-xlogx(counts / n).sum(axis=1))


def mutual_of_sets(overlap: Overlap) -> tuple[float, float, float]:
    """H(C), H(K) and I(C;K) of covers (McDaid et al. 2011)."""
    gold, system = overlap.entropies.sum(), overlap.turned().entropies.sum()
    left = gold - overlap.conditional().sum()
    right = system - overlap.turned().conditional().sum()
    return float(gold), float(system), float((left + right) / 2)


@dataclass(frozen=True, eq=False)
class HardDegrees(Degrees):
    """One class and one cluster for each item, to the degree 1."""

    sets: HardCover

    @cached_property
    def bcubed(self) -> BCubed:
        table = self.sets.table
        counts = table.counts.astype(np.float64)
        found = (
            counts * (counts - 1) / np.maximum(totals[codes] - 1, 1)
            for totals, codes in (
                (table.column_totals, table.columns),
                (table.row_totals, table.rows),
            )
        )
        return BCubed(*(table.over_cells(values) / table.n for values in found))


@dataclass(frozen=True, eq=False)
class CoverElements(Elements):
    """Walks through sets that overlap, in closed form.

    A step leads from an item to one of its sets and on to an item of it, so that steps between
    sets say it all: Σ (alpha · step)^k is one inverse of a matrix of sets × sets.
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
        found = np.empty(kinds)
        stretch = max(1, _PAIRS // kinds)
        for begin in range(0, kinds, stretch):
            part = slice(begin, begin + stretch)
            one, other = (arrive @ (leave[part] @ walks).T for leave, walks, arrive in sides)
            apart = np.abs(one - other)
            found[part] = 1 - (1 - alpha) / 2 * (self.times[:, None] * apart).sum(axis=0)
        return found


def _follow(
    side: Sets, times: CountArray, alpha: float
) -> tuple[csr_array[Any], Floats, csr_array[Any]]:
    """From kinds to sets, walks between sets, and from sets to an item of each kind."""
    leaving = side.degrees / np.bincount(side.owners, side.degrees, times.size)[side.owners]
    masses = np.bincount(side.codes, side.degrees * times[side.owners], side.count)
    leave, arrive = side.matrix(leaving), side.matrix(side.degrees / masses[side.codes])
    step = (arrive.T.tocsr() @ side.matrix(leaving * times[side.owners])).toarray()
    return leave, np.linalg.inv(np.eye(side.count) - alpha * step), arrive


@dataclass(frozen=True, eq=False)
class CoverTable(Statistics):
    """The statistics of a comparison in which items may be in several classes or clusters."""

    sets: Cover
    cut: bool = False
    """Whether the clusters are those of a cut of a tree."""

    @classmethod
    def from_labels(cls, gold: Labels, system: Labels, *, cut: bool = False) -> CoverTable:
        """Both sides over the same items in the same order."""
        return cls(Cover.of_sides(Sets.of(gold), Sets.of(system)), cut)

    @property
    def cover(self) -> Cover:
        return self.sets

    @property
    def degrees(self) -> Degrees:
        return Degrees(self.sets)

    @property
    def n(self) -> Any:
        return self.cover.n

    @cached_property
    def sizes(self) -> Sizes:
        overlap = self.cover.overlap
        return Sizes(Histogram.of(overlap.gold), Histogram.of(overlap.system), self.n)

    @property
    def outline(self) -> Overlap:
        return self.cover.overlap

    @property
    def perfect(self) -> bool:
        return self.cover.overlap.perfect

    @property
    def elements(self) -> CoverElements:
        if self.cut:
            raise Undefined(WHOLE)
        cover = self.cover
        return CoverElements(cover.gold, cover.system, cover.times, self.perfect)

    @property
    def table(self) -> Contingency:
        """There is none, nor what is counted in it."""
        raise Undefined(SEVERAL)
