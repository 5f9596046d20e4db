"""Histogram and Estimator: an entropy estimator maps a histogram of counts to nats.

The estimators in closed form are here as well: plug-in, Miller–Madow, jackknife, Grassberger.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise, repeat
from typing import Any, ClassVar, Literal

import numpy as np

from roget import catalogue
from roget.core.information import sum_parts, weighted_sum
from roget.core.types import Array, CountArray, Floats, Ints, Values
from roget.errors import InputError, Undefined

_TALLIED = 1 << 16
"""Up to this count a tally array fits in the cache and is faster than sorting."""


def takes_arrays(method: Any) -> bool:
    """Return whether a method handles arrays over groups: it is declared to return `Values`."""
    return method.__annotations__.get("return") in ("Values", Values)


ONE = np.zeros(1, dtype=np.int64)
"""The starts of the parts if there is only one part."""


def find_owners(starts: Ints | None, size: int) -> Ints:
    """Return the part of each of `size` values; without starts there is one part."""
    begins = ONE if starts is None else starts
    return np.repeat(np.arange(begins.size), np.diff(begins, append=size))


@dataclass(frozen=True, eq=False)
class Histogram:
    """The number of cells with each count: all that an estimator needs of a sample.

    `counts` are the distinct positive counts in increasing order (int64, or float64 for fractional
    tables); `cells[i]` is the number of cells with count `counts[i]`, or an expected number. The
    samples of several groups are concatenated; totals are then arrays.
    """

    counts: CountArray
    cells: Ints | Floats
    starts: Ints | None = None
    """The first count of each group; None for one sample, whose totals are numbers."""

    @classmethod
    def from_counts(cls, counts: CountArray, starts: Ints | None = None) -> Histogram:
        """Make the histogram of an array of non-negative counts; zeros are ignored.

        With `starts`, make the histogram of each part of an array of positive counts.
        """
        if counts.dtype.kind == "f" and counts.size and counts.max() < 2**53:
            # Whole numbers in a float array are exact counts up to 2**53.
            whole = counts.astype(np.int64)
            counts = whole if np.array_equal(whole, counts) else counts
        if starts is not None:
            return cls(*_tally_parts(counts, starts))
        if counts.dtype.kind == "f":
            fractions = counts.astype(np.float64, copy=False)
            return cls(*np.unique(fractions[fractions > 0], return_counts=True))
        large = counts[:0]
        if counts.max(initial=0) > 4 * counts.size + 1024:
            # A heavy tail: tally the many small counts, and sort only the large ones.
            beyond = counts > _TALLIED
            counts, large = counts[~beyond], counts[beyond]
        tally = np.bincount(counts, minlength=1)
        tally[0] = 0
        small = np.flatnonzero(tally)
        values, cells = np.unique(large, return_counts=True)
        return cls(
            np.concatenate([small.astype(np.int64), values]), np.concatenate([tally[small], cells])
        )

    @property
    def begins(self) -> Ints:
        """The first count of each sample, also for a single one."""
        return ONE if self.starts is None else self.starts

    @property
    def owners(self) -> Ints:
        """The sample of each count."""
        return find_owners(self.starts, self.counts.size)

    def sum(self, values: Array) -> Values:
        """Return Σ value·cells over the counts of each sample."""
        sums = sum_parts(np.multiply(values, self.cells), self.begins)
        return float(sums[0]) if self.starts is None else sums

    def spread(self, values: Any) -> Any:
        """Repeat a value per sample for each of its counts; a number is returned unchanged."""
        if self.starts is None or not isinstance(values, np.ndarray):
            return values
        return np.repeat(values, np.diff(self.starts, append=self.counts.size))

    def parts(self) -> Iterator[Histogram]:
        """Yield the histogram of each group."""
        for begin, end in pairwise([*self.begins, None]):
            yield Histogram(self.counts[begin:end], self.cells[begin:end])

    @cached_property
    def total(self) -> Any:
        """N, the sum of all counts."""
        if self.starts is not None:
            return self.sum(self.counts)
        roughly = weighted_sum(self.counts.astype(np.float64), self.cells.astype(np.float64))
        if self.counts.dtype.kind == "f":
            return roughly
        if roughly < 2**62:
            return int(np.dot(self.counts, self.cells))
        # Beyond int64 the exact sum needs Python's integers.
        return sum(int(j) * int(h) for j, h in zip(self.counts, self.cells, strict=True))

    @cached_property
    def seen(self) -> Any:
        """The number of cells with a positive count."""
        return (
            self.cells.sum().item() if self.starts is None else sum_parts(self.cells, self.starts)
        )

    @property
    def whole(self) -> bool:
        """True if all counts are whole numbers."""
        return self.counts.dtype.kind != "f"

    def cells_with(self, count: int) -> Any:
        """Return the number of cells with exactly this count (1: singletons, 2: doubletons)."""
        if self.starts is not None:
            return sum_parts(np.where(self.counts == count, self.cells, 0), self.starts)
        at = int(np.searchsorted(self.counts, count))
        return int(self.cells[at]) if at < self.counts.size and self.counts[at] == count else 0


def _tally_parts(counts: CountArray, starts: Ints) -> tuple[CountArray, Ints, Ints]:
    """Return the distinct counts of each part, their frequencies, and the starts of the parts."""
    owners = find_owners(starts, counts.size)
    width = int(counts.max()) + 1
    if counts.dtype.kind != "f" and starts.size * width <= 4 * counts.size + 1024:
        tally = np.bincount(owners * width + counts, minlength=starts.size * width)
        held = np.flatnonzero(tally)
        owners, values = np.divmod(held, width)
        cells = tally[held]
    else:
        order = np.lexsort((counts, owners))
        owners, values = owners[order], counts[order]
        new = (np.diff(owners, prepend=-1) != 0) | (np.diff(values, prepend=0) != 0)
        at = np.flatnonzero(new)
        cells = np.diff(at, append=order.size)
        owners, values = owners[at], values[at]
    return values, cells, np.searchsorted(owners, np.arange(starts.size))


class Estimator(ABC):
    """An entropy estimator: stateless, declared by class attributes, called with a histogram.

    `joint_support` is the support of the joint table for H(gold, system): "seen" (the number of
    non-empty cells) or "product" (|C|·|K| cells).
    """

    name: ClassVar[str]
    assumes: ClassVar[str]
    reference: ClassVar[str]
    joint_support: ClassVar[Literal["seen", "product"]] = "seen"
    fractional: ClassVar[bool] = False
    """True if fractional counts are accepted."""

    def __call__(self, histogram: Histogram, support: Any = None) -> Any:
        """Return the entropy of each group in nats, with `support` cells that could occur."""
        if np.any(histogram.seen == 0):
            raise InputError("entropy of an empty sample: there are no counts", code="empty-input")
        if support is not None and np.any(support < histogram.seen):
            raise InputError(
                f"support {support} is smaller than the {histogram.seen} non-empty cells",
                code="invalid-option",
            )
        if not histogram.whole and not self.fractional:
            raise Undefined(f"{self.name} needs whole counts or weighted labels")
        if histogram.starts is None:
            return float(self.estimate(histogram, support))
        estimate = self.estimate if takes_arrays(self.estimate) else self._estimate_parts
        return estimate(histogram, support)

    @abstractmethod
    def estimate(self, histogram: Histogram, support: Any) -> Values:
        """Return the estimate; arguments are already checked."""

    def _estimate_parts(self, histogram: Histogram, support: Ints | None) -> Floats:
        """Estimate one sample after the other, equal samples only once."""
        known: dict[tuple[bytes, bytes, int | None], float] = {}
        values = []
        supports = repeat(None) if support is None else support.tolist()
        for part, m in zip(histogram.parts(), supports, strict=False):
            key = part.counts.tobytes(), part.cells.tobytes(), m
            if key not in known:
                known[key] = float(self.estimate(part, m))
            values.append(known[key])
        return np.array(values)


class LinearEstimator(Estimator):
    """An estimator Ĥ = Σ_j a(j, N)·h_j, which has an exact expectation for weighted labels."""

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        m = histogram.seen if support is None else support
        return self.expect(histogram, histogram.total, m)

    def expect(self, histogram: Histogram, total: Any, support: Any) -> Values:
        """Return Σ_j a(j, N)·h_j for (expected) numbers of cells, including empty cells."""
        empty = support - histogram.seen
        if histogram.starts is None or takes_arrays(self.coefficients):
            n, m = histogram.spread(total), histogram.spread(support)
            value = histogram.sum(self.coefficients(histogram.counts, n, m))
            return value + empty * self.empty_cell(total, support) if np.any(empty) else value
        weights, nothing = np.empty(histogram.counts.size), np.empty(total.size)
        ends = np.append(histogram.starts, histogram.counts.size)
        for n, m, groups in _group_equal(total, support):
            within = np.diff(ends)[groups]
            at = np.repeat(ends[groups] - np.cumsum(within) + within, within) + np.arange(
                within.sum()
            )
            weights[at] = self.coefficients(histogram.counts[at], n, m)
            nothing[groups] = self.empty_cell(n, m)
        return histogram.sum(weights) + empty * nothing

    @abstractmethod
    def coefficients(self, counts: CountArray, total: Any, support: Any) -> Values:
        """Return a(j, N) for an array of positive counts j, each at least 1 (or fractional)."""

    def empty_cell(self, total: Any, support: Any) -> Values:
        """Return a(0, N), the contribution of a cell that could occur but did not."""
        return 0.0


def _group_equal(total: Ints, support: Ints) -> Iterator[tuple[int, int, Ints]]:
    """Yield each distinct pair of N and m, and the groups that have it."""
    order = np.lexsort((support, total))
    n, m = total[order], support[order]
    cuts = np.flatnonzero((np.diff(n, prepend=-1) != 0) | (np.diff(m, prepend=-1) != 0))
    for begin, end in pairwise([*cuts.tolist(), order.size]):
        yield int(n[begin]), int(m[begin]), order[begin:end]


def get(estimator: str | Estimator) -> Estimator:
    """Return the estimator with a catalogue name (a shared instance); return others unchanged.

    >>> get("jk").name, get("jk") is get("jk")
    ('jk', True)
    """
    if isinstance(estimator, Estimator):
        return estimator
    if not isinstance(estimator, str):
        raise InputError(
            f"estimator {estimator!r}: expected a catalogue name or an Estimator",
            code="unknown-name",
        )
    return _instance(estimator)


@cache
def _instance(name: str) -> Estimator:
    made: Estimator = catalogue.load("entropies", name)()
    return made


def plug_in(counts: CountArray, total: Any) -> Floats:
    """Return −(j/N)·log(j/N) for an array of positive counts j, with one N or one per count."""
    n = np.float64(total)
    p = counts / n
    log = np.log(p)
    # Near 1, log(j/N) has lost the digits of 1 − j/N, on which the entropy of a skewed sample
    # depends; log1p of the difference keeps them.
    most = np.flatnonzero(p > 0.5)
    if most.size:
        totals = n[most] if n.ndim else n
        log[most] = np.log1p((counts[most] - totals) / totals)
    return np.asarray(-p * log)


def miller_madow(counts: CountArray, total: Any) -> Floats:
    """Return the plug-in coefficients plus (1 − j/N)/(2N), which add up to (m̂ − 1)/(2N)."""
    n = np.float64(total)
    return plug_in(counts, n) + (1.0 - counts / n) / (2.0 * n)


class ML(LinearEstimator):
    """Maximum likelihood, −Σ p̂·log p̂: too low by about (cells − 1)/(2N) on average.

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1, 1, 2], "ml"), 4)
    1.0397
    """

    name = "ml"
    assumes = "the observed frequencies are the true probabilities: right only for large samples"
    reference = "Shannon (1948), A mathematical theory of communication"
    fractional = True

    def coefficients(self, counts: CountArray, total: Any, support: Any) -> Values:
        return plug_in(counts, total)


class MillerMadow(LinearEstimator):
    """ML + (m − 1)/(2N); m is the support, by default the number of non-empty cells.

    The coefficients assume m = non-empty cells, so `empty_cell` is 0, and the expected value for
    weighted labels uses the expected number of non-empty cells.

    >>> from roget.scoring.entropy import entropy_of
    >>> [round(entropy_of([1, 1, 2], "mm", support=m) - entropy_of([1, 1, 2]), 4) for m in (3, 5)]
    [0.25, 0.5]
    """

    name = "mm"
    assumes = "every possible cell was seen (or their number is given), and N is well above it"
    reference = "Miller (1955), Note on the bias of information estimates"
    fractional = True

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        seen = super().estimate(histogram, None)
        if support is None:
            return seen
        return seen + (support - histogram.seen) / (2.0 * np.float64(histogram.total))

    def coefficients(self, counts: CountArray, total: Any, support: Any) -> Values:
        return miller_madow(counts, total)


def _g(j: Any) -> Any:
    """Return log j − (j − 1)·log(1 − 1/j), which is 0 at 1."""
    # At j = 1 the product is 0·∞; any finite value for the logarithm gives the limit 0.
    return np.asarray(np.log(j) - (j - 1.0) * np.log1p(-1.0 / np.maximum(j, 2.0)))


class Jackknife(LinearEstimator):
    """N·Ĥ − (N − 1)·(mean of Ĥ without one item) = Σ h_j·(j/N)·(g(N) − g(j)): removes the 1/N bias.

    With g(j) = log j − (j − 1)·log(1 − 1/j). The textbook difference loses half of its digits at
    N = 1e15; this form keeps them. One item has entropy 0, because no item can be left out.

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1, 1], "jk"), 4), entropy_of([1], "jk")
    (1.3863, 0.0)
    """

    name = "jk"
    assumes = "the bias falls as 1/N, so that leaving one item out shows how large it is"
    reference = "Quenouille (1956), Notes on bias in estimation; Tukey (1958)"

    def coefficients(self, counts: CountArray, total: Any, support: Any) -> Values:
        n, j = np.float64(total), counts.astype(np.float64)
        return np.asarray(j / n * (_g(n) - _g(j)))


class Grassberger(LinearEstimator):
    """log N − (1/N)·Σ n·G(n), G(n) = ψ(n) + ½(−1)ⁿ[ψ((n+1)/2) − ψ(n/2)].

    Each cell is treated as Poisson, so log N is not corrected: a single item gives
    γ + log 2 ≈ 1.27. G steps at even counts only, so a cell of n items alone has an entropy
    of nearly 0 if n is even, of about 1/n if it is odd.

    >>> from roget.scoring.entropy import entropy_of
    >>> [round(entropy_of(counts, "grassberger"), 4) for counts in ([50, 50], [51, 51], [1])]
    [0.6931, 0.7129, 1.2704]
    """

    name = "grassberger"
    assumes = "many cells, each with a small probability, so that their counts are Poisson"
    reference = "Grassberger (2003), Entropy estimates from insufficient samplings"

    def coefficients(self, counts: CountArray, total: Any, support: Any) -> Values:
        from scipy.special import digamma

        n, j = np.float64(total), counts.astype(np.float64)
        # Between whole numbers (quadrature nodes of random tables) odd and even terms cancel.
        sign = np.where(j == np.rint(j), 1.0 - 2.0 * (j % 2.0), 0.0)
        g = digamma(j) + 0.5 * sign * (digamma((j + 1.0) / 2.0) - digamma(j / 2.0))
        return np.asarray(j / n * (np.log(n) - g))
