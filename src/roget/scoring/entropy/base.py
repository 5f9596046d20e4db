"""What an entropy estimator is: a named value that turns a histogram of counts into nats.

Here too are those in closed form: plug-in, Miller–Madow, jackknife, Grassberger.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, Literal

import numpy as np

from roget import catalogue
from roget.core.information import weighted_sum
from roget.core.types import CountArray, Floats, Ints
from roget.errors import InputError, Undefined

_TALLIED = 1 << 16
"""Up to this count a tally fits the cache, and is quicker than sorting."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """How many cells hold each count: all any estimator needs to know of a sample.

    `counts` are the distinct positive counts in increasing order (int64, or float64 for
    fractional tables); `cells[i]` is the number of cells that hold `counts[i]`.
    """

    counts: CountArray
    cells: Ints

    @classmethod
    def of(cls, counts: CountArray) -> Histogram:
        """The histogram of an array of non-negative counts; zeros are left out."""
        if counts.dtype.kind == "f" and counts.size and counts.max() < 2**53:
            # Whole numbers in a float array are counts like any other, up to 2**53.
            whole = counts.astype(np.int64)
            counts = whole if np.array_equal(whole, counts) else counts
        if counts.dtype.kind == "f":
            fractions = counts.astype(np.float64, copy=False)
            return cls(*np.unique(fractions[fractions > 0], return_counts=True))
        large = counts[:0]
        if counts.max(initial=0) > 4 * counts.size + 1024:
            # A heavy tail: most counts are small and are tallied, only the others are sorted.
            beyond = counts > _TALLIED
            counts, large = counts[~beyond], counts[beyond]
        tally = np.bincount(counts, minlength=1)
        tally[0] = 0
        small = np.flatnonzero(tally)
        values, cells = np.unique(large, return_counts=True)
        return cls(
            np.concatenate([small.astype(np.int64), values]), np.concatenate([tally[small], cells])
        )

    @cached_property
    def total(self) -> int | float:
        """N, the sum of all counts."""
        roughly = weighted_sum(self.counts.astype(np.float64), self.cells.astype(np.float64))
        if self.counts.dtype.kind == "f":
            return roughly
        if roughly < 2**62:
            return int(np.dot(self.counts, self.cells))
        # Beyond int64 the exact sum needs Python's integers.
        return sum(int(j) * int(h) for j, h in zip(self.counts, self.cells, strict=True))

    @cached_property
    def seen(self) -> int:
        """How many cells hold something."""
        return int(self.cells.sum())

    @property
    def whole(self) -> bool:
        """Whether all counts are whole numbers."""
        return self.counts.dtype.kind != "f"

    def cells_with(self, count: int) -> int:
        """How many cells hold exactly `count` (1: singletons, 2: doubletons)."""
        at = int(np.searchsorted(self.counts, count))
        return int(self.cells[at]) if at < self.counts.size and self.counts[at] == count else 0


class Estimator(ABC):
    """An entropy estimator: stateless, declared by class attributes, called with a histogram.

    `joint_support` says what the estimator is told about the joint table when a measure asks
    for H(gold, system): "seen" (nothing: it uses the cells seen) or "product" (|C|·|K| cells).
    """

    name: ClassVar[str]
    assumes: ClassVar[str]
    reference: ClassVar[str]
    joint_support: ClassVar[Literal["seen", "product"]] = "seen"
    fractional: ClassVar[bool] = False
    """Whether fractional counts make sense to it (else they are an error)."""

    def __call__(self, histogram: Histogram, support: int | None = None) -> float:
        """The entropy in nats; `support` is the number of cells that could occur."""
        if histogram.seen == 0:
            raise InputError("entropy of an empty sample: no positive count was given")
        if support is not None and support < histogram.seen:
            raise InputError(f"support {support} is smaller than the {histogram.seen} cells seen")
        if not histogram.whole and not self.fractional:
            raise Undefined(f"{self.name} needs whole counts or weighted answers")
        return self.estimate(histogram, support)

    @abstractmethod
    def estimate(self, histogram: Histogram, support: int | None) -> float:
        """The estimate itself; arguments are already checked."""


class LinearEstimator(Estimator):
    """Estimators Ĥ = Σ_j a(j, N)·h_j: these also have an expected value under weights."""

    def estimate(self, histogram: Histogram, support: int | None) -> float:
        m = histogram.seen if support is None else support
        return self.expect(histogram.counts, histogram.cells, histogram.total, m)

    def expect(
        self, counts: CountArray, cells: Ints | Floats, total: int | float, support: int
    ) -> float:
        """Σ_j a(j, N)·h_j for (expected) numbers of cells, with those that hold nothing."""
        value = weighted_sum(self.coefficients(counts, total, support), cells)
        empty = support - float(cells.sum())
        return value + empty * self.empty_cell(total, support) if empty else value

    @abstractmethod
    def coefficients(self, counts: CountArray, total: int | float, support: int) -> Floats:
        """a(j, N) for an array of positive counts j, each at least 1 (or fractional)."""

    def empty_cell(self, total: int | float, support: int) -> float:
        """a(0, N): what a cell that could occur but did not contributes."""
        return 0.0


def get(estimator: str | Estimator) -> Estimator:
    """The estimator with a catalogue name (one shared instance), or the one given, as it is.

    >>> get("jk").name, get("jk") is get("jk")
    ('jk', True)
    """
    if isinstance(estimator, Estimator):
        return estimator
    if not isinstance(estimator, str):
        raise InputError(f"estimator {estimator!r}: expected a catalogue name or an Estimator")
    return _instance(estimator)


@cache
def _instance(name: str) -> Estimator:
    made: Estimator = catalogue.load("entropies", name)()
    return made


def plug_in(counts: CountArray, total: int | float) -> Floats:
    """−(j/N)·log(j/N) for an array of positive counts j."""
    n = float(total)
    p = counts / n
    log = np.log(p)
    # Near 1 the logarithm of a quotient has lost what makes the entropy of a skewed sample.
    most = np.flatnonzero(p > 0.5)
    if most.size:
        log[most] = np.log1p((counts[most] - n) / n)
    return np.asarray(-p * log)


def miller_madow(counts: CountArray, total: int | float) -> Floats:
    """The plug-in coefficients plus (1 − j/N)/(2N): over the cells seen these add (m̂ − 1)/(2N)."""
    n = float(total)
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

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> Floats:
        return plug_in(counts, total)


class MillerMadow(LinearEstimator):
    """ML + (m − 1)/(2N); m is the number of cells seen unless the caller gives a support.

    The coefficients are those of m = cells seen, so `empty_cell` is 0 and the expected value
    under weights counts the cells expected to be seen.

    >>> from roget.scoring.entropy import entropy_of
    >>> [round(entropy_of([1, 1, 2], "mm", support=m) - entropy_of([1, 1, 2]), 4) for m in (3, 5)]
    [0.25, 0.5]
    """

    name = "mm"
    assumes = "every possible cell was seen (or their number is given), and N is well above it"
    reference = "Miller (1955), Note on the bias of information estimates"
    fractional = True

    def estimate(self, histogram: Histogram, support: int | None) -> float:
        seen = super().estimate(histogram, None)
        if support is None:
            return seen
        return seen + (support - histogram.seen) / (2.0 * float(histogram.total))

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> Floats:
        return miller_madow(counts, total)


def _g(j: Floats) -> Floats:
    """log j − (j − 1)·log(1 − 1/j), 0 at 1: the leave-one-out mean without differences of N·Ĥ."""
    # At j = 1 the product is 0·∞; any finite stand-in for the logarithm gives the limit 0.
    return np.asarray(np.log(j) - (j - 1.0) * np.log1p(-1.0 / np.maximum(j, 2.0)))


class Jackknife(LinearEstimator):
    """N·Ĥ − (N − 1)·(mean of Ĥ without one item) = Σ h_j·(j/N)·(g(N) − g(j)): removes the 1/N bias.

    The textbook difference loses half of its digits at N = 1e15; this form keeps them. One
    item has entropy 0, because there is nothing to leave out.

    >>> from roget.scoring.entropy import entropy_of
    >>> round(entropy_of([1, 1], "jk"), 4), entropy_of([1], "jk")
    (1.3863, 0.0)
    """

    name = "jk"
    assumes = "the bias falls as 1/N, so that leaving one item out shows how large it is"
    reference = "Quenouille (1956), Notes on bias in estimation; Tukey (1958)"

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> Floats:
        n = float(total)
        g_total = float(_g(np.array([n]))[0])
        j = counts.astype(np.float64)
        return np.asarray(j / n * (g_total - _g(j)))


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

    def coefficients(self, counts: CountArray, total: int | float, support: int) -> Floats:
        from scipy.special import digamma

        n = float(total)
        j = counts.astype(np.float64)
        # Between whole numbers (averages over random tables) odd and even cancel out.
        sign = np.where(j == np.rint(j), 1.0 - 2.0 * (j % 2.0), 0.0)
        g = digamma(j) + 0.5 * sign * (digamma((j + 1.0) / 2.0) - digamma(j / 2.0))
        return np.asarray(j / n * (math.log(n) - g))
