"""Compute the expected numbers of cells in random tables with fixed class and cluster sizes.

If N items are assigned at random to clusters of fixed sizes, the count x of a cell with class size
a and cluster size b is hypergeometric:

    (1)  P(x) = C(a, x)·C(N − a, b − x)/C(N, b),   max(0, a + b − N) ≤ x ≤ min(a, b)
    (2)  E[x] = ab/N,   Var[x] = (ab/N)·(1 − b/N)·(N − a)/(N − 1)

The expectation of a sum over cells requires only the expected number of cells with each count,
which is the sum of (number of cells)·P(x) over all (class size, cluster size) pairs. The result is
a histogram, to which every linear entropy estimator applies. Probabilities are computed from the
ratio of successive probabilities,

    (3)  P(x + 1)/P(x) = (a − x)(b − x)/((x + 1)(N − a − b + x + 1)),

within a window that omits less than 1e-19 of the probability. Cells with a wide, smooth
distribution are integrated by a quadrature rule instead of being summed count by count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roget.core.types import Array, Floats, Ints
from roget.scoring.entropy.base import Histogram, find_owners
from roget.scoring.tables.keys import find_kinds

if TYPE_CHECKING:
    from roget.scoring.tables.records import Sizes

TAIL = math.log(2.0 / 1e-19)
"""Negative logarithm of the probability of one tail.

A window of counts omits a probability of at most 1e-19 in both tails together.
"""

SMOOTH_VARIANCE = 400.0
"""Minimum variance at which expectations are computed by quadrature instead of summation."""

_CHUNK = 1 << 15
"""Number of probabilities per batch."""

_PAIRS = 1 << 20
"""Number of (class size, cluster size) pairs per batch."""

_DENSE = 1 << 22
"""Maximum number of products in a dense matrix product that sums expected counts over groups."""

_TALLIED = 1 << 14
"""Upper limit of counts that are summed in an array.

The array covers all cells whose window of counts starts below this limit. The counts of other cells
are listed individually.
"""


class PairSizes(NamedTuple):
    """Pairs of a class size and a cluster size, with one entry per pair."""

    a: Floats
    """The class size."""
    b: Floats
    """The cluster size."""
    cells: Floats
    """The number of cells with this class size and cluster size."""
    n: Floats
    """The number of items in the group."""
    group: Ints

    def take(self, which: Array) -> PairSizes:
        """Return the selected pairs."""
        return PairSizes._make(array[which] for array in self)

    def find_kinds(self) -> tuple[Ints, Ints]:
        """Return the kind of each pair, and the position of one pair of each kind.

        Pairs with equal a, b and n are of the same kind.
        """
        sizes = (self.n, self.a, self.b)
        return find_kinds((size.astype(np.int64), int(size.max()) + 1) for size in sizes)


def expected_cells(sizes: Sizes) -> Histogram:
    """Return the expected histogram of cell counts in each group.

    The histogram may list a count more than once. The counts of cells with a wide, smooth
    distribution are the nodes of a quadrature rule for smooth functions of the count, not whole
    numbers.
    """
    gold, system = sizes.gold, sizes.system
    n = np.atleast_1d(sizes.n).astype(np.float64)
    parts: list[tuple[Ints, Floats, Floats]] = []
    # Step 1: compute the distribution of every (class size, cluster size) pair, times the number of
    # cells with these sizes.
    for rows, columns, group in cross_sizes(gold, system, _PAIRS):
        a, b = gold.counts[rows].astype(np.float64), system.counts[columns].astype(np.float64)
        cells = gold.cells[rows].astype(np.float64) * system.cells[columns]
        pairs = PairSizes(a, b, cells, n[group], group)
        parts += (_distribute if n.size == 1 else _distribute_kinds)(pairs, n.size)
    # Step 2: combine the distributions of each group into one histogram.
    groups, counts, weights = map(np.concatenate, zip(*parts, strict=True))
    if gold.starts is None:
        return Histogram(counts, weights)
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(n.size))
    return Histogram(counts[order], weights[order], starts)


def cross_sizes(gold: Histogram, system: Histogram, most: int) -> Iterator[tuple[Ints, Ints, Ints]]:
    """Yield all (class size, cluster size) pairs within the same group, in batches.

    A batch has about `most` pairs. It consists of three arrays: the positions of the class sizes
    and of the cluster sizes in their histograms, and the group of each pair.
    """
    owners = find_owners(gold.starts, gold.counts.size)
    # Each class size is paired with all cluster sizes of its group. `partners` is the number of
    # these.
    partners = np.diff(system.begins, append=system.counts.size)[owners]
    ends = np.cumsum(partners)
    first = system.begins[owners] - ends + partners
    begin = 0
    while begin < owners.size:
        before = int(ends[begin] - partners[begin])
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        rows = np.repeat(np.arange(begin, end), partners[begin:end])
        columns = np.arange(before, before + rows.size) + first[rows]
        yield rows, columns, owners[rows]
        begin = end


def _distribute_kinds(pairs: PairSizes, groups: int) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Call `_distribute` only once for each pair of sizes, even if it occurs in several groups."""
    kind, one_of = pairs.find_kinds()
    if 4 * one_of.size > kind.size:
        yield from _distribute(pairs, groups)
        return
    # Compute the distribution of one cell for each distinct pair of sizes (kind), then sum over
    # kinds by multiplying with a groups × kinds matrix.
    ones = np.ones(one_of.size)
    kinds = pairs.take(one_of)._replace(cells=ones, group=np.arange(one_of.size))
    owner, counts, mass = map(np.concatenate, zip(*_distribute(kinds, one_of.size), strict=True))
    values, value = np.unique(counts, return_inverse=True)
    if groups * one_of.size * values.size <= _DENSE:
        # For small tables, importing scipy.sparse takes longer than the whole product.
        times = _sum_cells(pairs.group, kind, pairs.cells, (groups, one_of.size))
        spread = _sum_cells(owner, value, mass, (one_of.size, values.size))
        product = np.einsum("gk,kv->gv", times, spread)
        row, column = np.nonzero(product)
        yield row, values[column], product[row, column]
        return
    from scipy.sparse import csr_array

    several = csr_array((pairs.cells, (pairs.group, kind)), (groups, one_of.size))
    held = (several @ csr_array((mass, (owner, value)), (one_of.size, values.size))).tocoo()
    yield held.row.astype(np.int64), values[held.col], held.data


def _sum_cells(rows: Ints, columns: Ints, values: Floats, shape: tuple[int, int]) -> Floats:
    """Return a dense matrix of the given shape with the sums of the values of each cell."""
    at = np.ravel_multi_index((rows, columns), shape)
    sums = np.bincount(at, values, minlength=shape[0] * shape[1])
    return np.asarray(sums.reshape(shape), dtype=np.float64)


def _distribute(pairs: PairSizes, groups: int) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Return arrays of groups, positive counts and expected numbers of cells."""
    variance = find_variance(pairs)
    smooth = variance >= SMOOTH_VARIANCE
    if not smooth.any():
        return _sum_counts(pairs, groups)
    wide = _integrate(pairs.take(smooth), variance[smooth])
    return chain(_sum_counts(pairs.take(~smooth), groups) if not smooth.all() else (), [wide])


def find_variance(pairs: PairSizes) -> Floats:
    """Return the variance of each cell's count, equation (2)."""
    a, b, _, n, _ = pairs
    return np.asarray(a * (b / n) * (1 - b / n) * (n - a) / np.maximum(n - 1.0, 1.0))


def _sum_counts(pairs: PairSizes, groups: int) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Yield the expected number of cells with each positive count within the cells' windows.

    Small counts are summed per group.
    """
    low, high = find_window(pairs)
    widths = (high - low + 1).astype(np.int64)
    few = low < _TALLIED
    # One array holds the sums of all groups. Each group has one entry for each count up to the
    # largest count. A block covers counts outside the window of a narrow cell, but no counts above
    # the largest possible one.
    tops = np.zeros(groups, dtype=np.int64)
    most = np.minimum(np.minimum(pairs.a, pairs.b), high + widths.max()).astype(np.int64)
    np.maximum.at(tops, pairs.group[few], most[few] + 1)
    ends = np.cumsum(tops)
    tally = np.zeros(int(ends[-1]) + int(widths.max()))
    for chosen in share_blocks(widths, _CHUNK):
        part = pairs.take(chosen)
        counts, mass = make_block(part, low[chosen], int(widths[chosen[-1]]))
        mass *= part.cells[:, None]
        inside = few[chosen]
        # Counts above the largest possible count have probability 0, so their positions in the
        # array do not matter.
        at = (counts[inside] + (ends - tops)[part.group[inside], None]).astype(np.intp).ravel()
        # bincount is faster than add.at, but its running time also depends on the length of the
        # array.
        if tally.size <= 4 * at.size:
            tally += np.bincount(at, mass[inside].ravel(), tally.size)
        else:
            np.add.at(tally, at, mass[inside].ravel())
        if not inside.all():
            group = np.repeat(part.group[~inside], counts.shape[1])
            yield group, counts[~inside].ravel(), mass[~inside].ravel()
    # Convert positions in the array back to groups and counts. Cells with count 0 are empty.
    positive = np.flatnonzero(tally)
    group = np.searchsorted(ends, positive, side="right")
    counts = positive - (ends - tops)[group]
    occupied = counts > 0
    yield group[occupied], counts[occupied].astype(np.float64), tally[positive[occupied]]


def share_blocks(widths: Ints, size: int) -> Iterator[Ints]:
    """Yield batches of cells whose windows have similar widths, to avoid padding."""
    order = np.argsort(widths, kind="stable")
    begin = 0
    while begin < order.size:
        end = min(order.size, begin + max(1, size // int(widths[order[begin]])))
        end = max(begin + 1, min(end, begin + size // int(widths[order[end - 1]])))
        yield order[begin:end]
        begin = end


def make_block(pairs: PairSizes, low: Floats, width: int) -> tuple[Floats, Floats]:
    """Return `width` consecutive counts from `low` for each cell, and their probabilities.

    Both arrays have the shape (cells, width). The probabilities are cumulative products of the
    ratios in equation (3), normalised to sum to 1. The ratio is 0 at the largest possible count, so
    all larger counts have probability 0.
    """
    a, b, _, n, _ = pairs
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


def find_reach(variance: Floats) -> Floats:
    """Return the distance from the mean to the bounds of the window, by Bernstein's inequality.

    The bound P(|x − E x| ≥ t) ≤ 2·exp(−t²/(2·Var + 2t/3)) equals 1e-19 for
    (4)  t = TAIL/3 + √(TAIL²/9 + 2·TAIL·Var).
    """
    return np.asarray(TAIL / 3 + np.sqrt(TAIL**2 / 9 + 2 * TAIL * variance))


def find_window(pairs: PairSizes) -> tuple[Floats, Floats]:
    """Return the first and last counts of a window that omits a probability of at most 1e-19.

    Below the mean μ the window ends at Bernstein's bound, equation (4). Above the mean, Chernoff's
    bound is tighter for small cells:
    (5)  P(x ≥ t) ≤ exp(−(t·log(t/μ) − t + μ)).
    It is solved for t by Newton's method, which approaches the root from above, so the window is
    never too narrow. Both bounds hold for sampling without replacement.
    """
    a, b, _, n, _ = pairs
    mean = a * b / n
    # The hypergeometric variance is below the variances of both binomial distributions.
    reach = find_reach(np.minimum(a * (b / n) * (1 - b / n), b * (a / n) * (1 - a / n)))
    top = mean + reach
    for _ in range(4):
        excess = top * np.log(top / mean) - top + mean - TAIL
        top = np.minimum(top, top - excess / np.maximum(np.log(top / mean), 1e-9))
    top = np.minimum(np.maximum(top, mean), mean + reach)
    low = np.maximum(np.ceil(mean - reach), np.maximum(0.0, a + b - n))
    high = np.minimum(np.floor(top) + 1, np.minimum(a, b))
    return low, np.maximum(high, low)


def _integrate(pairs: PairSizes, variance: Floats) -> tuple[Ints, Floats, Floats]:
    """Return a quadrature rule with seven Gauss–Hermite nodes for each wide cell.

    The weights include an Edgeworth series for the deviation from the normal distribution. With
    skewness γ, excess kurtosis κ and standardised count z, the ratio of the densities is
    (6)  1 + γ·He₃(z)/6 + κ·He₄(z)/24 + γ²·He₆(z)/72.
    The error of E[x log x] is about 0.05/mean³ per cell, and below 1e-11 in total.
    """
    a, b, cells, n, group = pairs
    # The moments of the hypergeometric distribution.
    skewness = (n - 2 * a) * (n - 2 * b) / (n * (n - 2)) / np.sqrt(variance)
    spread = a * b * (n - a) * (n - b)
    shape = n * (n + 1) - 6 * a * (n - a) - 6 * b * (n - b)
    kurtosis = ((n - 1) * n * n * shape + 6 * spread * (5 * n - 6)) / (spread * (n - 2) * (n - 3))
    # Quadrature nodes and weights for the normal distribution, and equation (6) at the nodes.
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
    # Convert the standardised nodes back to counts.
    nodes = (a * b / n)[:, None] + np.outer(np.sqrt(variance), x)
    return np.repeat(group, x.size), nodes.ravel(), (weights * cells[:, None]).ravel()
