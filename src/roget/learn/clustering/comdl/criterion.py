"""The description length of a co-clustered table, in nats.

The rows and the columns of the table are divided into classes. The cells of a row class and a
column class form a block. The description length is the sum of three parts:

    blocks     lnΓ(N + IJa) − lnΓ(IJa) − Σ_ij [lnΓ(N_ij + a) − lnΓ(a)]
    words      per axis, Σ_classes [lnΓ(R + bn) − lnΓ(bn)] − Σ_words [lnΓ(f + b) − lnΓ(b)]
    partition  per axis, ln n + ln C(n − 1, I − 1) + ln n! − Σ ln n_i!

N_ij are the counts of the I × J blocks and N is their sum. In "words", a class consists of n words
with R tokens in total, and f is the number of tokens of one word. In "partition", n is the number
of words on the axis, and n_i are the sizes of the classes. In the MODL criterion, the partition
costs ln n + ln B(n, I) instead, where B is the number of partitions of n words into at most I
classes. Terms that depend only on the words are included too, so lengths with different classes, a
and b are comparable.

a = b = 0 stands for the length of Li & Abe (1996) with classes on both axes. Blocks are coded by
their relative frequencies (equations 5 to 7), each parameter costs ½·ln N (equation 4), and the
words of a class are equally likely:

    blocks     N ln N − Σ_ij N_ij ln N_ij + (IJ − 1)/2 · ln N
    words      per axis, Σ_classes R ln n
    partition  per axis, (n − 1) ln 2                               (equation 3)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import gammaln, xlogy

from roget.core.kernels.rows import RowItems, rows_of
from roget.core.kernels.special import fill_log_gamma
from roget.core.types import Floats, Ints
from roget.learn.clustering.comdl import kernels

TABLE = 1 << 16
"""Maximum number of values for which lnΓ is tabulated."""

STEPS = 4
"""Number of grid values per doubling of a or b."""

A_GRID = tuple(2.0 ** (step / STEPS) for step in range(-10 * STEPS, 4 * STEPS + 1))
"""Values of a to try: the pseudo-count of blocks."""
B_GRID = tuple(2.0 ** (step / STEPS) for step in range(-6 * STEPS, 10 * STEPS + 1))
"""Values of b to try: the pseudo-count of words within classes."""


@dataclass(frozen=True, eq=False)
class AxisClasses:
    """The rows or the columns of the table, and the costs of dividing them into classes."""

    items: RowItems
    """Counts of the items (rows or columns of the table), with the total of each item."""
    partition: Floats
    """Cost of a partition into k classes, for each k, without the term for class sizes."""

    @property
    def n(self) -> int:
        """Number of items (rows or columns of the table)."""
        return int(self.items.totals.size)

    @cached_property
    def frequencies(self) -> tuple[Floats, Ints]:
        """The distinct total counts of items, and the number of items with each total."""
        return np.unique(self.items.totals, return_counts=True)


@dataclass(frozen=True, eq=False)
class CoclusterTable:
    """A table of counts without empty rows or columns, stored by row and by column."""

    sides: tuple[AxisClasses, AxisClasses]
    grand: float
    sized: bool
    """True to code class sizes, which adds −Σ ln n_i! to the cost of a partition."""
    whole: bool
    """True if all counts are integers."""

    def cost_tables(self, a: float, b: float) -> tuple[kernels.CostTables, kernels.CostTables]:
        """Return tables of precomputed cost terms, for rows and for columns."""
        logs = np.empty(int(min(self.grand + 2, TABLE)) if self.whole else 0)
        if a > 0:
            fill_log_gamma(logs, 1.0, a)
        else:
            counts = np.arange(logs.size, dtype=np.float64)
            logs[:] = xlogy(counts, counts)
        found = []
        # Tabulate lnΓ(b·n) for rows and for columns, where n is the number of items in a class.
        for side in self.sides:
            sizes = np.zeros(side.n + 3)
            if b > 0:
                fill_log_gamma(sizes, b, 0.0)
            found.append(
                kernels.CostTables(
                    logs, sizes, side.partition, self.sized, self.grand, float(a), float(b)
                )
            )
        return found[0], found[1]

    def count_classes(
        self, side: int, labels: Sequence[Ints], classes: int, room: int, a: float
    ) -> kernels.CoclusterCounts:
        """Count the tokens in each block, with `room` columns for the classes of `side`.

        `classes` is the number of classes on the other axis.
        """
        part, blocks = self.sides[side], np.zeros((classes, room))
        kernels.tally(part.items, labels[side], labels[1 - side], blocks)
        return kernels.CoclusterCounts(
            labels[side], labels[1 - side], *members(part, labels[side], room), blocks,
            kernels.rise_all(blocks, a),
        )  # fmt: skip


@dataclass(frozen=True)
class Length:
    """A description length and its three parts, in nats."""

    blocks: float
    words: float
    partition: float

    @property
    def total(self) -> float:
        """The description length in nats."""
        return self.blocks + self.words + self.partition


def prepare(matrix: Any, partition: str = "sizes") -> CoclusterTable:
    """Convert a matrix without empty rows or columns to a table."""
    rows = sparse.csr_array(matrix, dtype=np.float64)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    columns = sparse.csr_array(rows.T)
    sides = []
    for part in (rows, columns):
        part.sort_indices()
        totals = np.asarray(part.sum(axis=1), dtype=np.float64).ravel()
        costs = partition_costs(totals.size, partition)
        sides.append(AxisClasses(RowItems(*rows_of(part), totals), costs))
    whole = bool((rows.data == np.floor(rows.data)).all())
    return CoclusterTable((sides[0], sides[1]), float(rows.data.sum()), partition == "sizes", whole)


def partition_costs(n: int, partition: str) -> Floats:
    """Return the cost of dividing n items into k classes, for each k from 0 to n + 1.

    For "sizes", the term −Σ ln n_i! is missing.
    """
    k = np.arange(n + 2, dtype=np.float64)
    if partition == "printed":
        return np.full(n + 2, (n - 1) * math.log(2))
    if partition == "modl":
        costs = _log_partitions(n)
    else:
        inner = np.clip(k, 1, n)
        costs = gammaln(n) - gammaln(inner) - gammaln(n - inner + 1) + gammaln(n + 1)
    return np.asarray(costs + math.log(max(n, 1)), dtype=np.float64)


def _log_partitions(n: int) -> Floats:
    """Return the log number of partitions of n items into at most k classes, for k from 0 to n + 1.

    The result is exact for up to 500 items. For more, the relative error is about 1/n.
    """
    k = np.arange(1, n + 1, dtype=np.float64)
    # The recurrence S(n, k) = k·S(n − 1, k) + S(n − 1, k − 1) is exact, and evaluated with
    # logarithms.
    if n <= 500:
        logs = np.full(n + 1, -math.inf)
        logs[0] = 0.0
        index = np.arange(1, n + 1)
        for _ in range(n):
            new = np.full(n + 1, -math.inf)
            new[1:] = np.logaddexp(logs[:-1], np.log(index) + logs[1:])
            logs = new
        single = logs[1:]
    else:
        single = _saddle(n, k)
    total = np.logaddexp.accumulate(single)
    return np.concatenate([total[:1], total, total[-1:]])


def _saddle(n: int, k: Floats) -> Floats:
    """Approximate ln S(n, k), the number of partitions into k classes, by the saddle point method.

    S(n, k) is n!/k! times the coefficient of xⁿ in (eˣ − 1)ᵏ.
    """
    out = np.zeros(k.size)
    # S(n, 1) = S(n, n) = 1, so only the values between them are approximated.
    inner = (k > 1) & (k < n)
    j = k[inner]
    ratio = n / j
    x = ratio.copy()  # Solve x = (n/k)·(1 − e⁻ˣ) by Newton's method.
    for _ in range(40):
        x -= (x + ratio * np.expm1(-x)) / (1.0 - ratio * np.exp(-x))
    power = j * (x + np.log(-np.expm1(-x))) - n * np.log(x)
    curve = n - j * np.exp(-x) * (x / np.expm1(-x)) ** 2
    out[inner] = gammaln(n + 1) - gammaln(j + 1) + power - 0.5 * np.log(2 * math.pi * curve)
    return out


def count_blocks(table: CoclusterTable, labels: Sequence[Ints]) -> Floats:
    """Return the block counts as an array of shape (row classes, column classes)."""
    rows, columns = labels
    blocks = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
    kernels.tally(table.sides[1].items, columns, rows, blocks)
    return blocks


def length(table: CoclusterTable, labels: Sequence[Ints], a: float, b: float) -> Length:
    """Compute the description length from scratch. Classes must be numbered from 0 without gaps."""
    blocks, words, partition = count_blocks(table, labels), 0.0, 0.0
    for side, part, k in zip(table.sides, labels, blocks.shape, strict=True):
        size, mass = members(side, part, k)
        words += _measure_words(side, size, mass, b)
        partition += float(side.partition[k])
        if table.sized:
            partition -= float(gammaln(size + 1.0).sum())
    return Length(_measure_blocks(*_count_values(blocks), table, blocks.size, a), words, partition)


def members(side: AxisClasses, labels: Ints, k: int) -> tuple[Ints, Floats]:
    """Return the number of items and the number of tokens in each class."""
    size = np.bincount(labels, minlength=k).astype(np.int64)
    mass = np.bincount(labels, weights=side.items.totals, minlength=k)
    return size, np.asarray(mass, dtype=np.float64)


def choose(
    table: CoclusterTable, labels: Sequence[Ints], a: float, b: float, which: str
) -> tuple[float, float]:
    """Return a and b. The parameters named in `which` get their best values on the grid.

    The search moves along the grid from the current value while the length decreases.
    """
    blocks = count_blocks(table, labels)
    if "a" in which:
        values, times = _count_values(blocks)
        a = _descend(A_GRID, a, lambda x: _measure_blocks(values, times, table, blocks.size, x))
    if "b" in which:
        parts = [
            (side, *members(side, part, k))
            for side, part, k in zip(table.sides, labels, blocks.shape, strict=True)
        ]
        b = _descend(B_GRID, b, lambda x: sum(_measure_words(*part, x) for part in parts))
    return a, b


def _descend(grid: tuple[float, ...], start: float, cost: Any) -> float:
    """Return the grid value at a local minimum of the cost, near `start`."""
    # Begin at the grid value nearest to `start`. Move while the cost decreases.
    at = int(np.argmin(np.abs(np.log(np.array(grid) / start))))
    here = cost(grid[at])
    for step in (1, -1):
        while 0 <= at + step < len(grid) and (there := cost(grid[at + step])) < here:
            at, here = at + step, there
    return grid[at]


def _count_values(blocks: Floats) -> tuple[Floats, Ints]:
    """Return the distinct positive block counts, and their frequencies."""
    filled: tuple[Floats, Ints] = np.unique(blocks[blocks > 0], return_counts=True)
    return filled


def _measure_blocks(
    values: Floats, times: Ints, table: CoclusterTable, cells: int, a: float
) -> float:
    """Return the "blocks" part of the description length, given how often each count occurs."""
    if a == 0:
        data = float(xlogy(table.grand, table.grand) - np.sum(times * xlogy(values, values)))
        return data + 0.5 * (cells - 1) * math.log(table.grand)
    here = float(np.sum(times * (gammaln(values + a) - gammaln(a))))
    return float(gammaln(table.grand + cells * a) - gammaln(cells * a)) - here


def _measure_words(side: AxisClasses, size: Ints, mass: Floats, b: float) -> float:
    """Return the "words" part of the description length for the rows or the columns."""
    if b == 0:
        return float(np.sum(mass * np.log(size)))
    values, times = side.frequencies
    items = float(np.sum(times * (gammaln(values + b) - gammaln(b))))
    return float(np.sum(gammaln(mass + b * size) - gammaln(b * size))) - items
