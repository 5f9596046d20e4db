"""What every entropy estimator is: a named value that turns a histogram of counts into nats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, Literal

import numpy as np

from roget import catalogue
from roget.core.information import weighted_sum
from roget.core.types import CountArray, FloatArray, IntArray
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
    cells: IntArray

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
        a = self.coefficients(histogram.counts, histogram.total, m)
        value = weighted_sum(a, histogram.cells)
        unseen = m - histogram.seen
        return value + unseen * self.empty_cell(histogram.total, m) if unseen else value

    @abstractmethod
    def coefficients(self, counts: CountArray, total: int | float, support: int) -> FloatArray:
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
