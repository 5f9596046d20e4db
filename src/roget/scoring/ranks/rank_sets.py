"""Rank intervals and tiers from simultaneous tests of all pairs of systems.

A system's rank is at least 1 + the number of systems that are significantly better, and at most the
number of systems minus the number that are significantly worse (Mogstad et al. 2024). If the
family-wise error rate of the tests is at most 5 %, all intervals contain the true ranks
simultaneously with a probability of at least 95 %, even if systems are tied. Percentiles of
bootstrapped ranks do not have this property.

The tests are stepdown tests of the largest studentised difference (Romano and Wolf 2005), which
use the correlation of the differences and are therefore sharper than Holm's correction.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from roget.core.types import Array, BoolArray, Floats, Ints

SIGNIFICANT = 0.05
"""Family-wise error rate: the probability of at least one false positive in a family of tests."""

MIN_TASKS = 6
"""Minimum number of tasks for tests: if a system wins all of T tasks, the exact p is 2^(1 − T)."""

_LEAST = 1e-9
"""Smallest standard error of a difference, relative to the largest estimate.

A difference that is the same on all tasks has an estimated error of 0. With this minimum, its
statistic is finite but very large.
"""

_BATCH = 1 << 22
"""Batch size: number of statistics (pairs × samples) that are computed at once."""

_FLOOR = 0.5
"""Smallest standard error of a bootstrap sample, relative to the standard error of the data.

Two systems that differ on only one task do not differ at all in about a third of the samples.
Without this minimum, the statistics of these samples would be infinite, and no pair of systems
could differ significantly.
"""


class NullModel(ABC):
    """The distribution of differences between systems under the null hypothesis."""

    exact: bool = False
    """True if all possible samples are enumerated, including the observed data."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of samples."""

    @abstractmethod
    def observe(self, a: Ints, b: Ints) -> Floats:
        """Return the studentised difference a − b of each pair of systems."""

    @abstractmethod
    def draw(self, a: Ints, b: Ints, samples: slice) -> Array:
        """Return the studentised differences in a range of samples, with shape (pairs, samples)."""


class Noise(NamedTuple):
    """Independent estimation errors of the systems, whose variances are estimated as well."""

    errors: Floats
    """Samples of the errors, with shape (systems, samples)."""
    variances: Floats
    """The variance of each system, estimated from the data."""
    drawn: Floats
    """The variance estimated in each sample, with shape (systems, samples)."""

    @classmethod
    def sample(
        cls, variances: Floats, freedom: Floats, samples: int, random: np.random.Generator
    ) -> Noise:
        """Draw normal errors and variances. The degrees of freedom may be infinite."""
        shape = (variances.size, samples)
        errors = np.sqrt(variances)[:, None] * random.standard_normal(shape)
        finite = np.where(np.isfinite(freedom), freedom, 1.0)[:, None]
        ratios = random.chisquare(np.broadcast_to(finite, shape)) / finite
        ratios = np.where(np.isfinite(freedom)[:, None], ratios, 1.0)
        return cls(errors, variances, variances[:, None] * ratios)


@dataclass(frozen=True, eq=False)
class SignFlips(NullModel):
    """Permutation samples, in which the signs of differences are flipped on random tasks.

    The test is exact if differences are distributed symmetrically around 0.
    """

    values: Floats
    """The scores (higher is better), with shape (systems, tasks)."""
    signs: Floats
    """The signs, with shape (tasks, samples)."""
    exact: bool = False
    noise: Noise | None = None
    """Errors of whole runs, which are the same on all tasks."""

    @classmethod
    def sample(
        cls,
        values: Floats,
        samples: int,
        random: np.random.Generator,
        noise: Noise | None = None,
    ) -> SignFlips:
        """Draw random signs, or list all signs if there are at most `samples` combinations."""
        tasks = values.shape[1]
        if noise is None and tasks < 40 and 1 << tasks <= samples:
            numbers = np.arange(1 << tasks)
            signs = 1.0 - 2.0 * ((numbers >> np.arange(tasks)[:, None]) & 1)
            return cls(values, signs.astype(np.float64), exact=True)
        signs = 1.0 - 2.0 * random.integers(0, 2, size=(tasks, samples))
        return cls(values, signs.astype(np.float64), False, noise)

    @property
    def size(self) -> int:
        """The number of combinations of signs."""
        return int(self.signs.shape[1])

    @cached_property
    def _sums(self) -> Floats:
        """The sums over the tasks in each sample, plus the errors of the runs."""
        sums = self.values @ self.signs
        return sums if self.noise is None else sums + self.signs.shape[0] * self.noise.errors

    def _squares(self, a: Ints, b: Ints) -> Floats:
        return np.asarray(((self.values[a] - self.values[b]) ** 2).sum(axis=1))

    def observe(self, a: Ints, b: Ints) -> Floats:
        """Return Σ d / √Σ d², a monotone function of Student's t.

        Flipping signs leaves Σ d² unchanged.
        """
        squares = self._squares(a, b)
        if self.noise is not None:
            own = self.signs.shape[0] ** 2 * self.noise.variances
            squares = squares + own[a] + own[b]
        return divide_zero((self.values[a] - self.values[b]).sum(axis=1), np.sqrt(squares))

    def draw(self, a: Ints, b: Ints, samples: slice) -> Array:
        """Return Σ s·d / √Σ d² with the signs s of each sample."""
        sums = self._sums[:, samples]
        squares = self._squares(a, b)[:, None]
        if self.noise is not None:
            own = self.signs.shape[0] ** 2 * self.noise.drawn[:, samples]
            squares = squares + own[a] + own[b]
        return divide_zero(1.0, np.sqrt(squares)) * (sums[a] - sums[b])


@dataclass(frozen=True, eq=False)
class TaskBootstrap(NullModel):
    """Bootstrap samples of the tasks. The test also holds approximately for skewed differences."""

    values: Floats
    """The scores (higher is better), with shape (systems, tasks)."""
    shares: Floats
    """The fraction of draws of each task in each sample, with shape (tasks, samples)."""

    @classmethod
    def sample(cls, values: Floats, samples: int, random: np.random.Generator) -> TaskBootstrap:
        """Draw samples of the tasks, with replacement."""
        return cls(values, draw_shares(values.shape[1], samples, random))

    @property
    def size(self) -> int:
        """The number of samples."""
        return int(self.shares.shape[1])

    def _moments(self, a: Ints, b: Ints) -> tuple[Floats, Floats, Floats]:
        """Return the differences, their means and the standard errors of the means."""
        apart = self.values[a] - self.values[b]
        means = apart.mean(axis=1)
        errors = apart.std(axis=1, ddof=1) / np.sqrt(apart.shape[1])
        return apart, means, np.maximum(errors, _LEAST * np.abs(means))

    def observe(self, a: Ints, b: Ints) -> Floats:
        """Return Student's t for each pair of systems."""
        _, means, errors = self._moments(a, b)
        return divide_zero(means, errors)

    def draw(self, a: Ints, b: Ints, samples: slice) -> Array:
        """Return (sample mean − mean) / standard error, computed in each sample for each pair."""
        apart, means, errors = self._moments(a, b)
        # Single precision is sufficient for centred differences, and is faster.
        centred = (apart - means[:, None]).astype(np.float32)
        shares = self.shares[:, samples].astype(np.float32)
        drawn = centred @ shares
        scale = (centred**2) @ shares
        scale -= drawn**2
        np.sqrt(np.maximum(scale, 0.0, out=scale), out=scale)
        scale /= np.float32(np.sqrt(apart.shape[1] - 1))
        least = np.where(errors > 0, _FLOOR * errors, 1.0).astype(np.float32)
        np.maximum(scale, least[:, None], out=scale)
        drawn /= scale
        return drawn


@dataclass(frozen=True, eq=False)
class Estimates(NullModel):
    """Independent estimates of the systems' scores, with their errors."""

    means: Floats
    """The estimates (higher is better), with shape (systems,)."""
    noise: Noise

    @property
    def size(self) -> int:
        """The number of samples."""
        return int(self.noise.errors.shape[1])

    @property
    def _least(self) -> float:
        return float(_LEAST * np.abs(self.means).max(initial=0.0))

    def observe(self, a: Ints, b: Ints) -> Floats:
        """Return each difference, divided by its standard error."""
        scale = np.sqrt(self.noise.variances[a] + self.noise.variances[b])
        return divide_zero(self.means[a] - self.means[b], np.maximum(scale, self._least))

    def draw(self, a: Ints, b: Ints, samples: slice) -> Array:
        """Return the error of each difference, divided by its standard error in the sample."""
        apart = self.noise.errors[a, samples] - self.noise.errors[b, samples]
        scale = np.sqrt(self.noise.drawn[a, samples] + self.noise.drawn[b, samples])
        return divide_zero(apart, np.maximum(scale, self._least))


def draw_shares(tasks: int, samples: int, random: np.random.Generator) -> Floats:
    """Return each task's fraction of each bootstrap sample, with shape (tasks, samples)."""
    times = random.multinomial(tasks, np.full(tasks, 1 / tasks), size=samples)
    return np.ascontiguousarray(times.T / tasks)


def divide_zero(numerator: Floats | float, denominator: Floats) -> Floats:
    """Divide two arrays. The result is 0 where the denominator is 0.

    >>> divide_zero(np.array([1.0, 2.0]), np.array([0.0, 4.0])).tolist()
    [0.0, 0.5]
    """
    fine = denominator > 0
    return np.where(fine, numerator / np.where(fine, denominator, 1.0), 0.0)


class _Family(NamedTuple):
    """Families of tests, each sorted by the absolute difference, smallest first.

    All arrays have the shape (families, tests per family).
    """

    pairs: Ints
    """The index of the pair of systems that is tested."""
    signs: npt.NDArray[np.float32]
    """−1 if the second system of the pair is better, else 1."""
    observed: Floats
    """The absolute value of the studentised difference."""

    @classmethod
    def sort(cls, pairs: Ints, observed: Floats) -> _Family:
        """Sort the pairs of each family, which are passed with shape (families, tests)."""
        order = np.argsort(np.abs(observed[pairs]), axis=1, kind="stable")
        pairs = np.take_along_axis(pairs, order, axis=1)
        signs = np.where(observed[pairs] < 0, np.float32(-1), np.float32(1))
        return cls(pairs, signs, np.abs(observed[pairs]))

    def count_larger(self, drawn: npt.NDArray[np.float32]) -> Ints:
        """For each test, count the samples whose largest statistic reaches the observed statistic.

        As in stepdown tests, the maximum excludes more significant tests of the family. It includes
        the differences with reversed signs, because a ≤ b and b ≤ a are separate hypotheses.
        """
        # The first axis is the step, so that NumPy processes long rows.
        statistics = drawn[self.pairs.T]
        statistics *= self.signs.T[..., None]
        np.maximum(statistics[0], -statistics.min(axis=0), out=statistics[0])
        for before, step in pairwise(statistics):
            np.maximum(before, step, out=step)
        limit = (self.observed.T * (1 - 1e-6)).astype(np.float32)
        return np.asarray(np.count_nonzero(statistics >= limit[..., None], axis=2).T)


class PairTests(NamedTuple):
    """Adjusted p-values of all pairs of systems, with shape (systems, systems)."""

    simultaneous: Floats
    """p-values adjusted for the tests of all pairs."""
    marginal: Floats
    """p-values adjusted only for the tests that involve the row's system."""


def adjust_pairs(models: Sequence[NullModel], systems: int) -> PairTests:
    """Test all pairs of systems under each model, and return the largest adjusted p-values."""
    shape = (systems, systems)
    found = PairTests(np.zeros(shape), np.zeros(shape))
    if systems < 2:
        return PairTests(np.ones(shape), np.ones(shape))
    for model in models:
        for before, p in zip(found, _test(model, systems), strict=True):
            np.maximum(before, p, out=before)
    return found


def _test(model: NullModel, systems: int) -> PairTests:
    """Return the p-values of all pairs under one model."""
    a, b = np.triu_indices(systems, 1)
    numbers = np.zeros((systems, systems), dtype=np.int64)
    numbers[a, b] = numbers[b, a] = np.arange(a.size)
    involved = numbers[~np.eye(systems, dtype=bool)].reshape(systems, systems - 1)
    observed = model.observe(a, b)
    families = [_Family.sort(pairs, observed) for pairs in (np.arange(a.size)[None], involved)]
    counts = [np.zeros(family.pairs.shape) for family in families]
    step = max(1, _BATCH // a.size)
    for begin in range(0, model.size, step):
        # Single precision is sufficient to count larger statistics, and is faster.
        samples = slice(begin, min(begin + step, model.size))
        drawn = model.draw(a, b, samples).astype(np.float32, copy=False)
        for family, count in zip(families, counts, strict=True):
            count += family.count_larger(drawn)
    # Random samples do not include the observed data, so count the observed data as one more
    # sample.
    extra = 0 if model.exact else 1
    found = []
    for family, count in zip(families, counts, strict=True):
        p = (count + extra) / (model.size + extra)
        # Make the p-values monotone, so that no test is more significant than the tests before it.
        p = np.maximum.accumulate(p[:, ::-1], axis=1)[:, ::-1]
        whole = np.ones((systems, systems))
        if family.pairs.shape[0] == 1:
            whole[a[family.pairs], b[family.pairs]] = whole[b[family.pairs], a[family.pairs]] = p
        else:
            rows = np.arange(systems)[:, None]
            others = np.where(a[family.pairs] == rows, b[family.pairs], a[family.pairs])
            whole[rows, others] = p
        found.append(whole)
    return PairTests(*found)


def find_differences(means: Floats, p: Floats) -> BoolArray:
    """Return a matrix that is True where the row's system is significantly better."""
    return np.asarray((p < SIGNIFICANT) & (means[:, None] > means[None, :]))


def rank_systems(means: Floats) -> Ints:
    """Return the ranks of systems by their means (higher is better). Ties share the best rank.

    >>> rank_systems(np.array([0.5, 0.7, 0.5])).tolist()
    [2, 1, 2]
    """
    return np.asarray(1 + (means[None, :] > means[:, None]).sum(axis=1))


def rank_bounds(better: BoolArray, marginal: BoolArray | None = None) -> tuple[Ints, Ints]:
    """Return lower and upper bounds on each system's rank, given the significant differences.

    `better` is True where the row's system is better than the column's. For marginal intervals,
    `marginal` is True where the row's system is worse.

    >>> low, high = rank_bounds(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    >>> low.tolist(), high.tolist()
    ([1, 1, 2], [2, 3, 3])
    """
    worse = better.T if marginal is None else marginal
    return 1 + worse.sum(axis=1), len(better) - better.sum(axis=1)


def split_tiers(means: Floats, better: BoolArray) -> Ints:
    """Return the tier of each system, from 1 for the best.

    Systems are processed from best to worst. A system that is significantly worse than any system
    in the current tier begins a new tier, so no two systems in a tier differ significantly. Systems
    with equal means share a tier.

    >>> better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> split_tiers(np.array([0.9, 0.8, 0.7]), better).tolist()
    [1, 1, 2]
    """
    tiers = np.zeros(means.size, dtype=np.int64)
    members: list[int] = []
    tier = 1
    for mean in np.unique(means)[::-1]:
        tied = np.flatnonzero(means == mean)
        if better[members][:, tied].any():
            tier, members = tier + 1, []
        tiers[tied] = tier
        members.extend(tied.tolist())
    return tiers
