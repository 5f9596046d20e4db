"""The description length of a table whose rows and columns are in classes, in nats.

    blocks     lnΓ(N + IJa) − lnΓ(IJa) − Σ_ij [lnΓ(N_ij + a) − lnΓ(a)]
    words      per side, Σ_classes [lnΓ(R + bn) − lnΓ(bn)] − Σ_words [lnΓ(f + b) − lnΓ(b)]
    partition  per side, ln n + ln C(n − 1, I − 1) + ln n! − Σ ln n_i!

N_ij are the counts of the I × J blocks, R and n the tokens and words of a class, f the tokens of a
word. Alternatively the partition costs ln n + ln B(n, I), with B the number of partitions of n
words into at most I classes, as in the MODL criterion. Terms that depend on the words alone are
included, so that lengths with different classes, a and b can be compared.

a = b = 0 stands for the length of Li & Abe (1996) with classes on both sides: blocks are coded at
their relative frequencies, parameters cost ½·ln N each, and the words of a class are equally
likely:

    blocks     N ln N − Σ_ij N_ij ln N_ij + (IJ − 1)/2 · ln N
    words      per side, Σ_classes R ln n
    partition  per side, (n − 1) ln 2
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
"""lnΓ is tabulated for counts below this."""

STEPS = 4
"""Number of values of a and b to each doubling in the grids."""

A_GRID = tuple(2.0 ** (step / STEPS) for step in range(-10 * STEPS, 4 * STEPS + 1))
B_GRID = tuple(2.0 ** (step / STEPS) for step in range(-6 * STEPS, 10 * STEPS + 1))


@dataclass(frozen=True, eq=False)
class AxisClasses:
    """The items of one side: their counts by item of the other side, and their totals."""

    items: RowItems
    partition: Floats
    """Cost of the partition by number of classes, without the sizes of the classes."""

    @property
    def n(self) -> int:
        """The number of items."""
        return int(self.items.totals.size)

    @cached_property
    def frequencies(self) -> tuple[Floats, Ints]:
        """The distinct totals of items, and how many items have each."""
        return np.unique(self.items.totals, return_counts=True)


@dataclass(frozen=True, eq=False)
class CoclusterTable:
    """A table of counts without empty rows or columns, indexed from both sides."""

    sides: tuple[AxisClasses, AxisClasses]
    grand: float
    sized: bool
    """True if the sizes of the classes are part of the cost of a partition."""
    whole: bool
    """True if all counts are integers."""

    def cost_tables(self, a: float, b: float) -> tuple[kernels.CostTables, kernels.CostTables]:
        """Tabulate the terms of the lengths of both sides."""
        logs = np.empty(int(min(self.grand + 2, TABLE)) if self.whole else 0)
        if a > 0:
            fill_log_gamma(logs, 1.0, a)
        else:
            counts = np.arange(logs.size, dtype=np.float64)
            logs[:] = xlogy(counts, counts)
        found = []
        # Each side has its own tables of lnΓ(b·n), by the number of items of a class.
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
        """Count the classes of one side by the classes of the other, with room for more."""
        part, blocks = self.sides[side], np.zeros((classes, room))
        kernels.tally(part.items, labels[side], labels[1 - side], blocks)
        return kernels.CoclusterCounts(
            labels[side], labels[1 - side], *members(part, labels[side], room), blocks,
            kernels.rise_all(blocks, a),
        )  # fmt: skip


@dataclass(frozen=True)
class Length:
    """A description length and its parts, in nats."""

    blocks: float
    words: float
    partition: float

    @property
    def total(self) -> float:
        """The sum of the parts."""
        return self.blocks + self.words + self.partition


def prepare(matrix: Any, partition: str = "sizes") -> CoclusterTable:
    """Return the table of a matrix in which every row and every column has counts."""
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
    """Return the cost of a partition of n items by number of classes, from 0 to n + 1.

    For "sizes", Σ ln n_i! is still to be taken away.
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
    """Return ln of the number of partitions of n items into at most k classes, k = 0 to n + 1.

    Exact for few items, else to a relative error of about 1/n.
    """
    k = np.arange(1, n + 1, dtype=np.float64)
    # Exact: the recurrence S(n, k) = k·S(n − 1, k) + S(n − 1, k − 1) in the log domain.
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
    """Return ln S(n, k), the partitions into k classes, by the saddle point of (eˣ − 1)ᵏ/xⁿ."""
    out = np.zeros(k.size)
    # S(n, 1) = S(n, n) = 1, so only the inner values are approximated.
    inner = (k > 1) & (k < n)
    j = k[inner]
    ratio = n / j
    x = ratio.copy()  # Newton's method for the root of x = (n/k)·(1 − e⁻ˣ)
    for _ in range(40):
        x -= (x + ratio * np.expm1(-x)) / (1.0 - ratio * np.exp(-x))
    power = j * (x + np.log(-np.expm1(-x))) - n * np.log(x)
    curve = n - j * np.exp(-x) * (x / np.expm1(-x)) ** 2
    out[inner] = gammaln(n + 1) - gammaln(j + 1) + power - 0.5 * np.log(2 * math.pi * curve)
    return out


def count_blocks(table: CoclusterTable, labels: Sequence[Ints]) -> Floats:
    """Return the counts of the blocks, row classes × column classes."""
    rows, columns = labels
    blocks = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
    kernels.tally(table.sides[1].items, columns, rows, blocks)
    return blocks


def length(table: CoclusterTable, labels: Sequence[Ints], a: float, b: float) -> Length:
    """Compute the description length of classes, numbered from 0 without gaps, from scratch."""
    blocks, words, partition = count_blocks(table, labels), 0.0, 0.0
    for side, part, k in zip(table.sides, labels, blocks.shape, strict=True):
        size, mass = members(side, part, k)
        words += _words_part(side, size, mass, b)
        partition += float(side.partition[k])
        if table.sized:
            partition -= float(gammaln(size + 1.0).sum())
    return Length(_blocks_part(*_histogram(blocks), table, blocks.size, a), words, partition)


def members(side: AxisClasses, labels: Ints, k: int) -> tuple[Ints, Floats]:
    """Return the numbers of items and tokens of each class."""
    size = np.bincount(labels, minlength=k).astype(np.int64)
    mass = np.bincount(labels, weights=side.items.totals, minlength=k)
    return size, np.asarray(mass, dtype=np.float64)


def choose(
    table: CoclusterTable, labels: Sequence[Ints], a: float, b: float, which: str
) -> tuple[float, float]:
    """Return the a and b of the grids, those named in `which`, with the shortest length.

    Only values next to the present ones are tried, then those next to them, and so on.
    """
    blocks = count_blocks(table, labels)
    if "a" in which:
        values, times = _histogram(blocks)
        a = _descend(A_GRID, a, lambda x: _blocks_part(values, times, table, blocks.size, x))
    if "b" in which:
        parts = [
            (side, *members(side, part, k))
            for side, part, k in zip(table.sides, labels, blocks.shape, strict=True)
        ]
        b = _descend(B_GRID, b, lambda x: sum(_words_part(*part, x) for part in parts))
    return a, b


def _descend(grid: tuple[float, ...], start: float, cost: Any) -> float:
    """Return the grid value from which no step to either side gains."""
    # Walk from the grid value nearest to the present one while the length falls.
    at = int(np.argmin(np.abs(np.log(np.array(grid) / start))))
    here = cost(grid[at])
    for step in (1, -1):
        while 0 <= at + step < len(grid) and (there := cost(grid[at + step])) < here:
            at, here = at + step, there
    return grid[at]


def _histogram(blocks: Floats) -> tuple[Floats, Ints]:
    filled: tuple[Floats, Ints] = np.unique(blocks[blocks > 0], return_counts=True)
    return filled


def _blocks_part(values: Floats, times: Ints, table: CoclusterTable, cells: int, a: float) -> float:
    if a == 0:
        data = float(xlogy(table.grand, table.grand) - np.sum(times * xlogy(values, values)))
        return data + 0.5 * (cells - 1) * math.log(table.grand)
    here = float(np.sum(times * (gammaln(values + a) - gammaln(a))))
    return float(gammaln(table.grand + cells * a) - gammaln(cells * a)) - here


def _words_part(side: AxisClasses, size: Ints, mass: Floats, b: float) -> float:
    if b == 0:
        return float(np.sum(mass * np.log(size)))
    values, times = side.frequencies
    items = float(np.sum(times * (gammaln(values + b) - gammaln(b))))
    return float(np.sum(gammaln(mass + b * size) - gammaln(b * size))) - items
