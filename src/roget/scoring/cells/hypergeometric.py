"""What a random table with the same sizes looks like on average, cell by cell, exactly.

Under random labelling with fixed class and cluster sizes, each cell of the table is
hypergeometric. All we ever need is how many cells hold each count on average; that is a
histogram like any other, and every linear estimator can be asked of it.
"""

from __future__ import annotations

import math

import numpy as np

from roget.core.types import FloatArray
from roget.scoring.entropy.base import Histogram

_TAIL = math.log(2.0 / 1e-19)
"""Each window leaves out at most 1e-19 of its cell's probability."""

_SMOOTH_VARIANCE = 400.0
"""From here on a cell's distribution is integrated as a smooth one, not summed count by count."""

_CHUNK = 1 << 15
_PAIRS = 1 << 20

_TALLIED = 1 << 14
"""Counts below this are added up in an array; larger ones, being rare, are listed."""


def expected_cells(
    gold: Histogram, system: Histogram, total: int
) -> tuple[FloatArray, FloatArray, float]:
    """Counts, the expected number of cells that hold each, and the expected number of empty cells.

    Counts may repeat. Where a cell's distribution is wide and smooth, they are the nodes of a
    quadrature (not whole numbers) that integrates smooth functions of the count.
    """
    counts: list[FloatArray] = []
    weights: list[FloatArray] = []
    empty = 0.0
    rows = max(1, _PAIRS // system.counts.size)
    for begin in range(0, gold.counts.size, rows):
        part = slice(begin, begin + rows)
        a = np.repeat(gold.counts[part], system.counts.size).astype(np.float64)
        b = np.tile(system.counts, gold.counts[part].size).astype(np.float64)
        cells = np.outer(gold.cells[part], system.cells).ravel().astype(np.float64)
        empty += _add_cells(a, b, cells, float(total), counts, weights)
    return np.concatenate(counts), np.concatenate(weights), empty


def _add_cells(
    a: FloatArray,
    b: FloatArray,
    cells: FloatArray,
    n: float,
    counts: list[FloatArray],
    weights: list[FloatArray],
) -> float:
    """Append what cells with margins a and b hold on average; return how many hold nothing."""
    # The variance of sampling without replacement is below either binomial's.
    binomial = np.minimum(a * (b / n) * (1 - b / n), b * (a / n) * (1 - a / n))
    variance = a * (b / n) * (1 - b / n) * (n - a) / max(n - 1.0, 1.0)
    smooth = variance >= _SMOOTH_VARIANCE
    narrow = ~smooth
    empty = 0.0
    if narrow.any():
        held, mass, empty = _summed(a[narrow], b[narrow], cells[narrow], n, binomial[narrow])
        counts.append(held)
        weights.append(mass)
    if smooth.any():
        nodes, mass = _smooth(a[smooth], b[smooth], cells[smooth], n, variance[smooth])
        counts.append(nodes)
        weights.append(mass)
    return empty


def _summed(
    a: FloatArray, b: FloatArray, cells: FloatArray, n: float, variance: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Every count of every cell, within windows whose tails are below 1e-19."""
    low, high = _window(a, b, n, variance)
    widths = (high - low + 1).astype(np.int64)
    order = np.argsort(widths, kind="stable")
    histogram = np.zeros(_TALLIED + int(widths.max()))
    large_counts, large_cells = [], []
    begin = 0
    while begin < order.size:
        # Cells of similar width share one rectangular block, so little of it is padding.
        end = min(order.size, begin + max(1, _CHUNK // int(widths[order[begin]])))
        end = max(begin + 1, min(end, begin + _CHUNK // int(widths[order[end - 1]])))
        chosen = order[begin:end]
        begin = end
        counts, probability = _block(a[chosen], b[chosen], low[chosen], int(widths[chosen[-1]]), n)
        probability *= cells[chosen, None]
        few = low[chosen] < _TALLIED
        histogram += np.bincount(
            counts[few].astype(np.intp).ravel(), probability[few].ravel(), histogram.size
        )
        large_counts.append(counts[~few].ravel())
        large_cells.append(probability[~few].ravel())
    held = np.flatnonzero(histogram[1:]) + 1
    return (
        np.concatenate([held, *large_counts]),
        np.concatenate([histogram[held], *large_cells]),
        float(histogram[0]),
    )


def _block(
    a: FloatArray, b: FloatArray, low: FloatArray, width: int, n: float
) -> tuple[FloatArray, FloatArray]:
    """Counts and probabilities of one block of cells, by the ratio of neighbours.

    A ratio is 0 at the largest possible count, so whatever lies beyond it is 0 as well.
    """
    counts = low[:, None] + np.arange(width, dtype=np.float64)
    here = counts[:, :-1]
    ratios = a[:, None] - here
    ratios *= b[:, None] - here
    below = here + 1.0
    below *= here + (n - a - b + 1.0)[:, None]
    ratios /= below
    probability = np.ones_like(counts)
    np.cumprod(ratios, axis=1, out=probability[:, 1:])
    probability /= probability.sum(axis=1, keepdims=True)
    return counts, probability


def _window(
    a: FloatArray, b: FloatArray, n: float, variance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The counts outside of which less than 1e-19 of the probability lies.

    Bernstein's bound below the mean, Chernoff's (by Newton's method, which approaches the root
    from the safe side) above it; both hold for sampling without replacement.
    """
    mean = a * b / n
    reach = _TAIL / 3 + np.sqrt(_TAIL**2 / 9 + 2 * _TAIL * variance)
    top = mean + reach
    for _ in range(4):
        excess = top * np.log(top / mean) - top + mean - _TAIL
        top = np.minimum(top, top - excess / np.maximum(np.log(top / mean), 1e-9))
    top = np.minimum(np.maximum(top, mean), mean + reach)
    low = np.maximum(np.ceil(mean - reach), np.maximum(0.0, a + b - n))
    high = np.minimum(np.floor(top) + 1, np.minimum(a, b))
    return low, np.maximum(high, low)


def _smooth(
    a: FloatArray, b: FloatArray, cells: FloatArray, n: float, variance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Wide cells: seven Gauss–Hermite nodes, weighted by the Edgeworth series to fourth order.

    What is left out of E[n log n] is of the order .05/mean³ per cell, below 1e-11 in all.
    """
    skewness = (n - 2 * a) * (n - 2 * b) / (n * (n - 2)) / np.sqrt(variance)
    spread = a * b * (n - a) * (n - b)
    shape = n * (n + 1) - 6 * a * (n - a) - 6 * b * (n - b)
    kurtosis = ((n - 1) * n * n * shape + 6 * spread * (5 * n - 6)) / (spread * (n - 2) * (n - 3))
    x, weight = np.polynomial.hermite_e.hermegauss(7)
    he3 = x**3 - 3 * x
    he4 = x**4 - 6 * x**2 + 3
    he6 = x**6 - 15 * x**4 + 45 * x**2 - 15
    weights = (weight / weight.sum()) * (
        1
        + np.outer(skewness, he3) / 6
        + np.outer(kurtosis, he4) / 24
        + np.outer(skewness**2, he6) / 72
    )
    nodes = (a * b / n)[:, None] + np.outer(np.sqrt(variance), x)
    return nodes.ravel(), (weights * cells[:, None]).ravel()
