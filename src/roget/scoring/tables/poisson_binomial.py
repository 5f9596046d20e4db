"""How many of a cell's weighted items fall into it: the Poisson-binomial distribution.

An item that answers with weights is a draw from those weights. A cell's count is then a sum of
independent yes-or-no draws. Many cells are done at once: short runs of items by the textbook
recursion, then neighbouring runs are convolved, pair by pair, up to whole cells. Each
distribution is kept only in a window around its mean whose tails are provably negligible.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from roget.core.types import BoolArray, Floats, Ints
from roget.scoring.tables.baselines import find_reach

_RUN = 32
_ROWS = 512
"""So many runs at a time stay in the processor's cache."""

_ITEMS = 1 << 21
"""So many weights at a time bound the memory."""


def expected_cells(
    weights: Floats, starts: Ints, coarse: Ints | None = None
) -> tuple[Floats, Floats]:
    """E[number of cells that hold j] for j = 0, 1, …, and the same of coarser cells.

    Cell i's items have the probabilities weights[starts[i]:starts[i+1]]. Cells of one `coarse`
    number stand together and are united into one coarser cell (by default each is its own).

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
    for first, last in _portions(starts, coarse):
        part, lengths = weights[starts[first] : starts[last]], np.diff(starts[first : last + 1])
        united = _united(_leaves(part, lengths))
        fine_parts += map(_histogram, united)
        if not alone:
            runs = _owned(united, part, lengths, coarse[first:last])
            coarse_parts += map(_histogram, _united(runs))
    lengths = np.diff(starts)
    fine = _added(fine_parts, int(lengths.max()))
    if alone:
        return fine, fine
    return fine, _added(coarse_parts, int(np.bincount(coarse, lengths).max()))


class _Runs(NamedTuple):
    """Distributions of partial sums: row i is P(offset[i]), P(offset[i] + 1), …"""

    mass: Floats
    offset: Ints
    mean: Floats
    variance: Floats
    owner: Ints
    """The cell each run belongs to; runs of a cell stand together, in increasing order."""

    def take(self, which: npt.NDArray[np.intp] | BoolArray) -> _Runs:
        return _Runs._make(array[which] for array in self)


def _portions(starts: Ints, coarse: Ints) -> Iterator[tuple[int, int]]:
    """Stretches of whole coarse cells that together stay within a modest number of items."""
    ends = np.flatnonzero(np.diff(coarse, append=coarse[-1] + 1)) + 1
    first = last = 0
    for end in ends.tolist():
        if last > first and starts[end] - starts[first] > _ITEMS:
            yield first, last
            first = last
        last = end
    yield first, last


def _leaves(weights: Floats, lengths: Ints) -> _Runs:
    """Cut each cell's items into short runs; certain items only shift the count."""
    cell = np.repeat(np.arange(lengths.size), lengths)
    certain = weights >= 1.0
    shift = np.bincount(cell[certain], minlength=lengths.size)
    if certain.any():
        cell, weights = cell[~certain], weights[~certain]
        lengths = np.bincount(cell, minlength=lengths.size)
    # Short cells get short runs, or most of the memory would be padding.
    size = min(_RUN, 1 << max(0, math.ceil(math.log2(max(1.0, float(lengths.mean()))))))
    runs = np.maximum(-(-lengths // size), 1)
    first_run = np.cumsum(runs) - runs
    within = np.arange(weights.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    padded = np.zeros((int(runs.sum()), size))
    padded.ravel()[np.repeat(first_run * size, lengths) + within] = weights
    mass = np.empty((padded.shape[0], size + 1))
    for begin in range(0, padded.shape[0], _ROWS):
        mass[begin : begin + _ROWS] = _recursion(padded[begin : begin + _ROWS])
    offset = np.zeros(padded.shape[0], dtype=np.int64)
    offset[first_run] = shift
    mean = padded.sum(axis=1)
    variance = mean - np.einsum("ij,ij->i", padded, padded)
    mean[first_run] += shift
    return _Runs(mass, offset, mean, variance, np.repeat(np.arange(lengths.size), runs))


def _recursion(probability: Floats) -> Floats:
    """The distribution of each row's sum: P(j, t) = P(j−1, t−1)·p_t + P(j, t−1)·(1−p_t)."""
    rows, steps = probability.shape
    mass = np.zeros((steps + 1, rows))
    mass[0] = 1.0
    moved = np.empty_like(mass)
    for t, p in enumerate(np.ascontiguousarray(probability.T)):
        np.multiply(mass[: t + 1], p, out=moved[: t + 1])
        mass[: t + 1] -= moved[: t + 1]
        mass[1 : t + 2] += moved[: t + 1]
    return mass.T


def _owned(parts: list[_Runs], weights: Floats, lengths: Ints, coarse: Ints) -> _Runs:
    """The cells as runs of coarser ones; from scratch where few wide cells would widen all."""
    width = max(part.mass.shape[1] for part in parts)
    if lengths.size * width > _ITEMS * 8:
        _, number = np.unique(coarse, return_inverse=True)
        return _leaves(weights, np.bincount(number, lengths).astype(np.int64))
    return _together(parts)._replace(owner=coarse)


def _united(runs: _Runs) -> list[_Runs]:
    """Convolve the runs of each owner, pair by pair, until each has one."""
    finished: list[_Runs] = []
    while runs.owner.size:
        alone = (np.diff(runs.owner, prepend=-1) != 0) & (np.diff(runs.owner, append=-1) != 0)
        finished.append(runs.take(alone))
        runs = _halved(runs.take(~alone))
    return finished


def _halved(runs: _Runs) -> _Runs:
    """Convolve runs 0 and 1, 2 and 3, … of each owner; a last odd one waits."""
    if not runs.owner.size:
        return runs
    position = np.arange(runs.owner.size) - np.searchsorted(runs.owner, runs.owner)
    has_next = np.diff(runs.owner, append=-1) == 0
    left = np.flatnonzero((position % 2 == 0) & has_next)
    odd = runs.take((position % 2 == 0) & ~has_next)
    a, b = runs.take(left), runs.take(left + 1)
    product = _Runs(
        _convolved(a.mass, b.mass),
        a.offset + b.offset,
        a.mean + b.mean,
        a.variance + b.variance,
        a.owner,
    )
    return _together([_trimmed(product), odd])


def _convolved(a: Floats, b: Floats) -> Floats:
    """Row by row products of polynomials, by fast Fourier transform."""
    from scipy.fft import irfft, next_fast_len, rfft

    size = a.shape[1] + b.shape[1] - 1
    length = next_fast_len(size, real=True)
    return np.asarray(irfft(rfft(a, length) * rfft(b, length), length))[:, :size]


def _trimmed(runs: _Runs) -> _Runs:
    """Keep of each row only the window that Bernstein's inequality allows any mass."""
    width = runs.mass.shape[1]
    reach = find_reach(runs.variance)
    low = np.maximum(np.ceil(runs.mean - reach).astype(np.int64) - runs.offset, 0)
    high = np.floor(runs.mean + reach).astype(np.int64) - runs.offset
    kept = int((np.minimum(high, width - 1) - low).max()) + 1
    if kept >= width:
        return runs
    low = np.minimum(low, width - kept)
    windows = np.lib.stride_tricks.sliding_window_view(runs.mass, kept, axis=1)
    mass = windows[np.arange(low.size), low]
    return runs._replace(mass=mass, offset=runs.offset + low)


def _together(parts: list[_Runs]) -> _Runs:
    """All parts in one, ordered by owner."""
    width = max(part.mass.shape[1] for part in parts)
    mass = np.concatenate(
        [np.pad(part.mass, ((0, 0), (0, width - part.mass.shape[1]))) for part in parts]
    )
    whole = _Runs(mass, *map(np.concatenate, zip(*(part[1:] for part in parts), strict=True)))
    return whole.take(np.argsort(whole.owner, kind="stable"))


def _histogram(runs: _Runs) -> Floats:
    """The sum of all distributions."""
    at = runs.offset[:, None] + np.arange(runs.mass.shape[1])
    return np.bincount(at.ravel(), runs.mass.ravel()).astype(np.float64, copy=False)


def _added(parts: list[Floats], most: int) -> Floats:
    """The sum of histograms, cut after the largest count there can be."""
    total = np.zeros(most + 1)
    for part in parts:
        kept = part[: most + 1]
        total[: kept.size] += kept
    return total
