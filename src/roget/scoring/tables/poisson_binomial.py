"""The Poisson-binomial distribution: the number of successes in independent trials.

The count of a cell with weighted items has this distribution (see `weighted`). The distributions of
many cells are computed at once, in three steps:

1. The items of a cell are split into short runs. The distribution of each run is computed by a
   recursion over its items t = 1, 2, … with probabilities p_t:
   (1)  P(j, t) = P(j − 1, t − 1)·p_t + P(j, t − 1)·(1 − p_t).
2. Adjacent runs of a cell are convolved in pairs, by fast Fourier transform, until one distribution
   remains:
   (2)  P(j) = Σ_i P_left(i)·P_right(j − i).
3. After each convolution, only a window around the mean is kept. By Bernstein's inequality, less
   than 1e-19 of the probability lies outside. The width of the window grows with √N instead of N.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from roget.core.types import BoolArray, Floats, Ints
from roget.scoring.tables.hypergeometric import find_reach

_RUN = 32
"""Largest number of items in a run. The items of a cell are split into runs."""

_ROWS = 512
"""Number of runs per batch, chosen to fit in the CPU cache."""

_ITEMS = 1 << 21
"""Number of weights per batch, which limits memory use."""


def expected_cells(
    weights: Floats, starts: Ints, coarse: Ints | None = None
) -> tuple[Floats, Floats]:
    """Return the expected numbers of cells and merged cells with count j, for j = 0, 1, ….

    The items of cell i have the probabilities weights[starts[i]:starts[i + 1]]. Adjacent cells with
    equal numbers in `coarse` form one merged cell. By default no cells are merged.

    >>> weights, starts = np.array([0.5, 0.5, 1.0]), np.array([0, 2, 3])
    >>> fine, coarse = expected_cells(weights, starts, np.array([0, 0]))
    >>> fine.tolist(), coarse.round(15).tolist()
    ([0.25, 1.5, 0.25], [0.0, 0.25, 0.5, 0.25])
    """
    alone = coarse is None
    if coarse is None:
        coarse = np.arange(starts.size - 1)
    fine_parts: list[Floats] = []
    coarse_parts: list[Floats] = []
    # A merged cell consists of cells, whose distributions are reused as its runs.
    for first, last in _split_batches(starts, coarse):
        part, lengths = weights[starts[first] : starts[last]], np.diff(starts[first : last + 1])
        merged = _merge_runs(_make_runs(part, lengths))
        fine_parts += map(_sum_masses, merged)
        if not alone:
            runs = _regroup(merged, part, lengths, coarse[first:last])
            coarse_parts += map(_sum_masses, _merge_runs(runs))
    lengths = np.diff(starts)
    fine = _sum_histograms(fine_parts, int(lengths.max()))
    if alone:
        return fine, fine
    return fine, _sum_histograms(coarse_parts, int(np.bincount(coarse, lengths).max()))


class _Runs(NamedTuple):
    """The distribution of the count of each run: entry j of row i is P(offset[i] + j)."""

    mass: Floats
    offset: Ints
    mean: Floats
    variance: Floats
    owner: Ints
    """The cell to which each run belongs. Runs are sorted by cell."""

    def take(self, which: npt.NDArray[np.intp] | BoolArray) -> _Runs:
        return _Runs._make(array[which] for array in self)


def _split_batches(starts: Ints, coarse: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of cells, with about _ITEMS items each, that do not split a merged cell."""
    ends = np.flatnonzero(np.diff(coarse, append=coarse[-1] + 1)) + 1
    first = last = 0
    for end in ends.tolist():
        if last > first and starts[end] - starts[first] > _ITEMS:
            yield first, last
            first = last
        last = end
    yield first, last


def _make_runs(weights: Floats, lengths: Ints) -> _Runs:
    """Split the items in each cell into short runs, and return the distribution of each run."""
    # Items with probability 1 are not part of the recursion. They shift the count of the first run.
    cell = np.repeat(np.arange(lengths.size), lengths)
    certain = weights >= 1.0
    shift = np.bincount(cell[certain], minlength=lengths.size)
    if certain.any():
        cell, weights = cell[~certain], weights[~certain]
        lengths = np.bincount(cell, minlength=lengths.size)
    # Adapt the length of runs to the mean number of items per cell. Otherwise the rows of small
    # cells would be mostly padding.
    size = min(_RUN, 1 << max(0, math.ceil(math.log2(max(1.0, float(lengths.mean()))))))
    # Write the probabilities of each run into a row, padded with 0.
    runs = np.maximum(-(-lengths // size), 1)
    first_run = np.cumsum(runs) - runs
    within = np.arange(weights.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    padded = np.zeros((int(runs.sum()), size))
    padded.ravel()[np.repeat(first_run * size, lengths) + within] = weights
    mass = np.empty((padded.shape[0], size + 1))
    for begin in range(0, padded.shape[0], _ROWS):
        mass[begin : begin + _ROWS] = _apply_recursion(padded[begin : begin + _ROWS])
    offset = np.zeros(padded.shape[0], dtype=np.int64)
    offset[first_run] = shift
    # The mean is Σ p, and the variance is Σ p(1 − p). Items with probability 1 therefore affect
    # only the mean.
    mean = padded.sum(axis=1)
    variance = mean - np.einsum("ij,ij->i", padded, padded)
    mean[first_run] += shift
    return _Runs(mass, offset, mean, variance, np.repeat(np.arange(lengths.size), runs))


def _apply_recursion(probability: Floats) -> Floats:
    """Return the distribution of the number of successes in each row, by equation (1)."""
    rows, steps = probability.shape
    mass = np.zeros((steps + 1, rows))
    mass[0] = 1.0
    moved = np.empty_like(mass)
    for t, p in enumerate(np.ascontiguousarray(probability.T)):
        # Item t increases the count with probability p, so the probability p·P(j) moves from j to j
        # + 1.
        np.multiply(mass[: t + 1], p, out=moved[: t + 1])
        mass[: t + 1] -= moved[: t + 1]
        mass[1 : t + 2] += moved[: t + 1]
    return mass.T


def _regroup(parts: list[_Runs], weights: Floats, lengths: Ints, coarse: Ints) -> _Runs:
    """Return the runs from which the distributions of the merged cells are computed.

    `parts` contains the distributions of the cells, and each of them becomes one run of its merged
    cell. For this, they are copied to one array, whose rows are as wide as the widest distribution.
    If that array would be too large, compute the runs from the items of the merged cells instead.
    """
    width = max(part.mass.shape[1] for part in parts)
    if lengths.size * width > _ITEMS * 8:
        _, number = np.unique(coarse, return_inverse=True)
        return _make_runs(weights, np.bincount(number, lengths).astype(np.int64))
    return _concatenate(parts)._replace(owner=coarse)


def _merge_runs(runs: _Runs) -> list[_Runs]:
    """Convolve the runs of each cell in pairs until one run per cell remains."""
    finished: list[_Runs] = []
    while runs.owner.size:
        # A cell is finished if neither of the adjacent runs belongs to the same cell.
        alone = (np.diff(runs.owner, prepend=-1) != 0) & (np.diff(runs.owner, append=-1) != 0)
        finished.append(runs.take(alone))
        runs = _convolve_pairs(runs.take(~alone))
    return finished


def _convolve_pairs(runs: _Runs) -> _Runs:
    """Convolve runs 0 and 1, 2 and 3, … of each cell, keeping an unpaired last run."""
    if not runs.owner.size:
        return runs
    position = np.arange(runs.owner.size) - np.searchsorted(runs.owner, runs.owner)
    has_next = np.diff(runs.owner, append=-1) == 0
    left = np.flatnonzero((position % 2 == 0) & has_next)
    odd = runs.take((position % 2 == 0) & ~has_next)
    a, b = runs.take(left), runs.take(left + 1)
    product = _Runs(
        _convolve(a.mass, b.mass),
        a.offset + b.offset,
        a.mean + b.mean,
        a.variance + b.variance,
        a.owner,
    )
    return _concatenate([_trim(product), odd])


def _convolve(a: Floats, b: Floats) -> Floats:
    """Convolve the rows of two arrays, equation (2), by fast Fourier transform."""
    from scipy.fft import irfft, next_fast_len, rfft

    size = a.shape[1] + b.shape[1] - 1
    length = next_fast_len(size, real=True)
    return np.asarray(irfft(rfft(a, length) * rfft(b, length), length))[:, :size]


def _trim(runs: _Runs) -> _Runs:
    """Trim each row to a window around its mean, by Bernstein's inequality."""
    width = runs.mass.shape[1]
    reach = find_reach(runs.variance)
    low = np.maximum(np.ceil(runs.mean - reach).astype(np.int64) - runs.offset, 0)
    high = np.floor(runs.mean + reach).astype(np.int64) - runs.offset
    kept = int((np.minimum(high, width - 1) - low).max()) + 1
    if kept >= width:
        return runs
    # Trim all rows to the width of the widest window.
    low = np.minimum(low, width - kept)
    windows = np.lib.stride_tricks.sliding_window_view(runs.mass, kept, axis=1)
    mass = windows[np.arange(low.size), low]
    return runs._replace(mass=mass, offset=runs.offset + low)


def _concatenate(parts: list[_Runs]) -> _Runs:
    """Concatenate several sets of runs, padding them to the same width and sorting them by cell."""
    width = max(part.mass.shape[1] for part in parts)
    mass = np.concatenate(
        [np.pad(part.mass, ((0, 0), (0, width - part.mass.shape[1]))) for part in parts]
    )
    whole = _Runs(mass, *map(np.concatenate, zip(*(part[1:] for part in parts), strict=True)))
    return whole.take(np.argsort(whole.owner, kind="stable"))


def _sum_masses(runs: _Runs) -> Floats:
    """Return the sum of all distributions, i.e. the expected histogram of the counts."""
    at = runs.offset[:, None] + np.arange(runs.mass.shape[1])
    return np.bincount(at.ravel(), runs.mass.ravel()).astype(np.float64, copy=False)


def _sum_histograms(parts: list[Floats], most: int) -> Floats:
    """Return the sum of histograms, truncated after the largest possible count."""
    total = np.zeros(most + 1)
    for part in parts:
        kept = part[: most + 1]
        total[: kept.size] += kept
    return total
