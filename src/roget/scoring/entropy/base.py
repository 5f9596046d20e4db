"""Histograms of counts, base classes for entropy estimators, and the simple estimators.

An estimator computes an entropy in nats from a histogram of counts. The estimators in this module
have closed forms: plug-in, Miller–Madow, jackknife and Grassberger.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise, repeat
from typing import Any, ClassVar, Literal

import numpy as np

from roget import catalogue
from roget.core.types import Array, CountArray, Floats, Ints, Values
from roget.errors import InputError, Undefined

_TALLIED = 1 << 16
"""Largest count that is tallied in an array.

The limit ensures that the array fits into the CPU cache.

Larger counts are sorted instead.
"""


def takes_arrays(method: Any) -> bool:
    """Return True if a method is vectorised over groups, i.e. annotated as returning `Values`."""
    return method.__annotations__.get("return") in ("Values", Values)


ONE = np.zeros(1, dtype=np.int64)
"""The array `starts` of a histogram with a single group."""


def find_owners(starts: Ints | None, size: int) -> Ints:
    """Return the group index of each of `size` values.

    `starts` contains the position of the first value of each group.
    """
    begins = ONE if starts is None else starts
    return np.repeat(np.arange(begins.size), np.diff(begins, append=size))


@dataclass(frozen=True, eq=False)
class Histogram:
    """A histogram of counts (the number of cells with each count), the input of estimators.

    `counts` are the distinct positive counts in increasing order (int64, or float64 for fractional
    tables). `cells[i]` is the number, or expected number, of cells with count `counts[i]`. If there
    are several groups, their histograms are concatenated, and properties such as `total` are
    arrays.
    """

    counts: CountArray
    cells: Ints | Floats
    starts: Ints | None = None
    """The position of the first count of each group, or None if there is a single group."""
    begins: Ints = field(init=False, repr=False)
    """The same positions as `starts`, but [0] if there is a single group."""
    whole: bool = field(init=False, repr=False)
    """True if all counts are whole numbers."""
    seen: Any = field(init=False, repr=False)
    """The number of cells with a positive count."""
    total: Any = field(init=False, repr=False)
    """The sum N of all counts."""

    def __post_init__(self) -> None:
        counts, starts, cells = self.counts, self.starts, self.cells
        whole = counts.dtype.kind != "f"
        if starts is None:
            seen = cells.sum().item()
            total: Any = float(np.multiply(counts, cells, dtype=np.float64).sum())
            if whole and total < 2**62:
                total = int(np.dot(counts, cells))
            elif whole:
                # The sum may exceed int64, so compute it with Python integers.
                total = sum(int(j) * int(h) for j, h in zip(counts, cells, strict=True))
        else:
            # Use reduceat, because it adds in order, regardless of the number of threads.
            seen = np.add.reduceat(cells, starts)
            total = np.add.reduceat(np.multiply(counts, cells), starts)
        begins = ONE if starts is None else starts
        vars(self).update(begins=begins, whole=whole, seen=seen, total=total)

    @classmethod
    def from_counts(cls, counts: CountArray, starts: Ints | None = None) -> Histogram:
        """Make the histogram of an array of non-negative counts, ignoring zeros.

        With `starts`, make one histogram for each group of an array of positive counts.
        """
        if counts.dtype.kind == "f" and counts.size and counts.max() < 2**53:
            # Floats below 2**53 that are whole numbers are converted to integers exactly.
            whole = counts.astype(np.int64)
            counts = whole if np.array_equal(whole, counts) else counts
        if starts is not None:
            return cls(*_tally_parts(counts, starts))
        if counts.dtype.kind == "f":
            fractions = counts.astype(np.float64, copy=False)
            return cls(*np.unique(fractions[fractions > 0], return_counts=True))
        large = counts[:0]
        if counts.max(initial=0) > 4 * counts.size + 1024:
            # The distribution has a heavy tail: tally the many small counts in an array, and sort
            # only the large ones.
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
    def owners(self) -> Ints:
        """The index of the group to which each count belongs."""
        return find_owners(self.starts, self.counts.size)

    def sum(self, values: Array) -> Values:
        """Return the sum of value · cells over the distinct counts of each group."""
        sums = np.add.reduceat(np.multiply(values, self.cells), self.begins)
        return float(sums[0]) if self.starts is None else sums

    def spread(self, values: Any) -> Any:
        """Repeat the value of each group for all distinct counts in the group.

        Return a scalar unchanged.
        """
        if self.starts is None or not isinstance(values, np.ndarray):
            return values
        return np.repeat(values, np.diff(self.starts, append=self.counts.size))

    def parts(self) -> Iterator[Histogram]:
        """Yield one histogram per group."""
        for begin, end in pairwise([*self.begins, None]):
            yield Histogram(self.counts[begin:end], self.cells[begin:end])

    def cells_with(self, count: int) -> Any:
        """Return the number of cells with the given count (1: singletons, 2: doubletons)."""
        if self.starts is not None:
            return np.add.reduceat(np.where(self.counts == count, self.cells, 0), self.starts)
        at = int(np.searchsorted(self.counts, count))
        return int(self.cells[at]) if at < self.counts.size and self.counts[at] == count else 0


def _tally_parts(counts: CountArray, starts: Ints) -> tuple[CountArray, Ints, Ints]:
    """Return the distinct counts of each group, their frequencies, and the start of each group."""
    owners = find_owners(starts, counts.size)
    width = int(counts.max()) + 1
    if counts.dtype.kind != "f" and starts.size * width <= 4 * counts.size + 1024:
        tally = np.bincount(owners * width + counts, minlength=starts.size * width)
        positive = np.flatnonzero(tally)
        owners, values = np.divmod(positive, width)
        cells = tally[positive]
    else:
        # There are too many possible (group, count) pairs for an array, so sort the pairs and count
        # runs of equal pairs.
        order = np.lexsort((counts, owners))
        owners, values = owners[order], counts[order]
        new = (np.diff(owners, prepend=-1) != 0) | (np.diff(values, prepend=0) != 0)
        at = np.flatnonzero(new)
        cells = np.diff(at, append=order.size)
        owners, values = owners[at], values[at]
    return values, cells, np.searchsorted(owners, np.arange(starts.size))


class Estimator(ABC):
    """Base class of entropy estimators, which are stateless and called with a histogram.

    `assumes` names the assumption under which the estimator is accurate. `joint_support` is the
    support used for H(gold, system): the number of non-empty cells ("seen") or all |C|·|K| cells
    ("product").
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    """The full name for legends, required for abbreviations that `report.legend` does not list."""
    assumes: ClassVar[str]
    reference: ClassVar[str]
    bibtex: ClassVar[str] = ""
    """BibTeX entries for publications that are not in references.bib."""
    joint_support: ClassVar[Literal["seen", "product"]] = "seen"
    fractional: ClassVar[bool] = False
    """True if the estimator accepts fractional counts."""

    def __call__(self, histogram: Histogram, support: Any = None) -> Any:
        """Return the entropy of each group in nats, given the number of possible cells."""
        if np.any(histogram.seen == 0):
            raise InputError(
                "entropy is undefined: there are no positive counts", code="empty-input"
            )
        if support is not None and np.any(support < histogram.seen):
            raise InputError(
                f"support {support} is below the number of non-empty cells, {histogram.seen}",
                code="invalid-option",
            )
        if not histogram.whole and not self.fractional:
            raise Undefined(
                f"{self.name} is undefined for fractional counts; use ml or mm, or pass the labels "
                "and weights of the items instead of a table"
            )
        if histogram.starts is None:
            return float(self.estimate(histogram, support))
        estimate = self.estimate if takes_arrays(self.estimate) else self._estimate_parts
        return estimate(histogram, support)

    @abstractmethod
    def estimate(self, histogram: Histogram, support: Any) -> Values:
        """Return the estimate for arguments that have already been validated."""

    def _estimate_parts(self, histogram: Histogram, support: Ints | None) -> Floats:
        """Estimate the entropy of each group separately, but only once for identical groups."""
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
    """An estimator of the form Ĥ = Σ_j a(j, N)·h_j, where h_j is the number of cells with count j.

    Its expectation can be computed exactly for weighted labels and random tables.
    """

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        m = histogram.seen if support is None else support
        return self.expect(histogram, histogram.total, m)

    def expect(self, histogram: Histogram, total: Any, support: Any) -> Values:
        """Return Σ_j a(j, N)·h_j for observed or expected numbers h_j of cells, j ≥ 0."""
        # Each possible cell that did not occur contributes a(0, N).
        empty = support - histogram.seen
        if histogram.starts is None or takes_arrays(self.coefficients):
            n, m = histogram.spread(total), histogram.spread(support)
            value = histogram.sum(self.coefficients(histogram.counts, n, m))
            return value + empty * self.empty_cell(total, support) if np.any(empty) else value
        # The coefficients depend only on N and on the support m, so compute them once for all
        # groups with the same N and m.
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
        """Return a(j, N) for an array of positive and possibly fractional counts j."""

    def empty_cell(self, total: Any, support: Any) -> Values:
        """Return a(0, N), the contribution of a possible cell with count 0."""
        return 0.0


def _group_equal(total: Ints, support: Ints) -> Iterator[tuple[int, int, Ints]]:
    """Yield each distinct (N, m) pair with the groups in which it occurs."""
    order = np.lexsort((support, total))
    n, m = total[order], support[order]
    cuts = np.flatnonzero((np.diff(n, prepend=-1) != 0) | (np.diff(m, prepend=-1) != 0))
    for begin, end in pairwise([*cuts.tolist(), order.size]):
        yield int(n[begin]), int(m[begin]), order[begin:end]


_CALL = re.compile(r"([\w-]+)\(\s*(\w+)\s*=\s*(\d+)\s*\)")
"""An estimator with one parameter, such as bub(small=2)."""

_instances: dict[str, Estimator] = {}


def get(estimator: str | Estimator) -> Estimator:
    """Return the estimator with a catalogue name. An Estimator is returned unchanged.

    The name may include integer parameters. The same name always returns the same instance.

    >>> get("jk").name, get("jk") is get("jk"), get("bub(small=2)").small
    ('jk', True, 2)
    """
    if isinstance(estimator, Estimator):
        return estimator
    if not isinstance(estimator, str):
        raise InputError(
            f"estimator {estimator!r}: expected a catalogue name or an Estimator",
            code="unknown-name",
        )
    if estimator not in _instances:
        match = _CALL.fullmatch(estimator)
        name, parameter = match.group(1, 2) if match else (estimator, "")
        make = catalogue.load("entropies", name)
        try:
            _instances[estimator] = make(**{parameter: int(match[3])}) if match else make()
        except TypeError:
            raise InputError(
                f"{estimator}: {name} has no parameter {parameter!r}", code="unknown-name"
            ) from None
    return _instances[estimator]


def plug_in(counts: CountArray, total: Any, support: Any = None) -> Values:
    """Return −(j/N)·log(j/N) for an array of positive counts j.

    N is a scalar or has one entry per count. The support has no effect.
    """
    n = np.float64(total)
    p = counts / n
    log = np.log(p)
    # For j/N near 1, rounding j/N loses the digits of 1 − j/N, on which the entropy of a skewed
    # sample depends. log1p of the exact difference preserves them.
    most = np.flatnonzero(p > 0.5)
    if most.size:
        totals = n[most] if n.ndim else n
        log[most] = np.log1p((counts[most] - totals) / totals)
    return np.asarray(-p * log)


def miller_madow(counts: CountArray, total: Any) -> Floats:
    """Return the Miller–Madow coefficients: plug-in plus (1 − j/N)/(2N).

    The additional terms sum to (m̂ − 1)/(2N), where m̂ is the number of non-empty cells.
    """
    n = np.float64(total)
    return np.asarray(plug_in(counts, n) + (1.0 - counts / n) / (2.0 * n))


class ML(LinearEstimator):
    """Maximum likelihood (plug-in), −Σ p·log p; its bias is about −(cells − 1)/(2N).

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1, 1, 2], "ml"), 4)
    1.0397
    """

    name = "ml"
    assumes = (
        "observed frequencies equal the true probabilities, which holds for large samples only"
    )
    reference = "Shannon (1948), A mathematical theory of communication"
    fractional = True

    coefficients = staticmethod(plug_in)


class MillerMadow(LinearEstimator):
    """Miller–Madow: ML + (m − 1)/(2N), where m is by default the number of non-empty cells.

    The coefficients assume that m is the number of non-empty cells, so `empty_cell` is 0. For
    weighted labels the expected number of non-empty cells is used.

    >>> from roget.scoring.entropy import entropy_of
    >>> [round(entropy_of([1, 1, 2], "mm", support=m) - entropy_of([1, 1, 2]), 4) for m in (3, 5)]
    [0.25, 0.5]
    """

    name = "mm"
    assumes = "every possible cell was observed or the support is known, and N is much larger"
    reference = "Miller (1955), Note on the bias of information estimates"
    fractional = True

    def estimate(self, histogram: Histogram, support: Any) -> Values:
        seen = super().estimate(histogram, None)
        if support is None:
            return seen
        return seen + (support - histogram.seen) / (2.0 * np.float64(histogram.total))

    def coefficients(self, counts: CountArray, total: Any, support: Any) -> Values:
        return miller_madow(counts, total)


class Jackknife(LinearEstimator):
    """Jackknife: N·Ĥ − (N − 1)·(mean leave-one-out Ĥ), which removes the bias of order 1/N.

    It is computed as Σ h_j·(j/N)·(g(N) − g(j)) with g(j) = log j − (j − 1)·log(1 − 1/j). Unlike the
    textbook formula, which loses most of its digits at N = 1e15, this form is accurate for all N.
    The entropy of a single item is 0, because no item can be left out.

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1, 1], "jk"), 4), entropy_of([1], "jk")
    (1.3863, 0.0)
    """

    name = "jk"
    assumes = "the bias is proportional to 1/N, so it can be estimated by leaving one item out"
    reference = "Quenouille (1956), Notes on bias in estimation; Tukey (1958)"

    def coefficients(self, counts: CountArray, total: Any, support: Any) -> Values:
        n, j = np.float64(total), counts.astype(np.float64)
        # For x = 1 the product in g is 0·∞; any finite value of the logarithm gives the limit 0.
        g_n, g_j = (np.log(x) - (x - 1.0) * np.log1p(-1.0 / np.maximum(x, 2.0)) for x in (n, j))
        return np.asarray(j / n * (g_n - g_j))


class Grassberger(LinearEstimator):
    """Grassberger: log N − (1/N)·Σ n·G(n), with G(n) = ψ(n) + ½(−1)ⁿ[ψ((n+1)/2) − ψ(n/2)].

    Counts are treated as independent Poisson variables, so the term log N is not corrected: a
    single item has entropy γ + log 2 ≈ 1.27. G increases only at even counts, so the entropy of a
    single cell of n items is nearly 0 if n is even and about 1/n if n is odd.

    >>> from roget.scoring.entropy import entropy_of
    >>> [round(entropy_of(counts, "grassberger"), 4) for counts in ([50, 50], [51, 51], [1])]
    [0.6931, 0.7129, 1.2704]
    """

    name = "grassberger"
    assumes = "there are many cells with small probabilities, so counts are Poisson distributed"
    reference = "Grassberger (2003), Entropy estimates from insufficient samplings"

    def coefficients(self, counts: CountArray, total: Any, support: Any) -> Values:
        from scipy.special import digamma

        n, j = np.float64(total), counts.astype(np.float64)
        # Fractional counts occur only as quadrature nodes for random tables, where the alternating
        # terms of odd and even counts cancel on average.
        sign = np.where(j == np.rint(j), 1.0 - 2.0 * (j % 2.0), 0.0)
        g = digamma(j) + 0.5 * sign * (digamma((j + 1.0) / 2.0) - digamma(j / 2.0))
        return np.asarray(j / n * (np.log(n) - g))
