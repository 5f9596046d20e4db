"""Merging classes of both sides, always the pair that lengthens the description least; compiled.

Two classes i and k of one side cost, when they become one,
−Σ_j [G(N_ij + N_kj) − G(N_ij) − G(N_kj) + G(0)] with G(n) = lnΓ(n + a), plus what the words within
them, the sizes of classes and the number of classes change by. A term is zero where either count
is, so that only blocks that both fill are looked at, and a merge changes the costs of the other
side's pairs only where its two classes were filled.
"""

from __future__ import annotations

import numpy as np

from roget.learn.clustering.comdl.kernels import spread
from roget.learn.clustering.comdl.numeric import Floats, Ints, compiled, log_gamma, rise_table


@compiled
def _bound(x: float, y: float, a: float, table: Floats) -> float:
    """G(x) + G(y) − G(x + y) − G(0): what one block of two merged classes costs."""
    if x < y:
        x, y = y, x
    if y == 0:
        return 0.0
    return rise_table(0, y, a, table) - rise_table(x, y, a, table)


@compiled
def _alone(c: int, size: Ints, mass: Floats, b: float, sized: bool) -> float:
    """What a class costs beside its blocks and its number."""
    n = size[c]
    cost = log_gamma(mass[c] + b * n) - log_gamma(b * n)
    return cost - log_gamma(n + 1.0) if sized else cost


@compiled
def _pair(
    one: int, two: int, size: Ints, mass: Floats, b: float, sized: bool, alone: Floats
) -> float:
    """What merging two classes costs beside the blocks."""
    n = size[one] + size[two]
    cost = log_gamma(mass[one] + mass[two] + b * n) - log_gamma(b * n)
    if sized:
        cost -= log_gamma(n + 1.0)
    return cost - float(alone[one]) - float(alone[two])


@compiled
def pair_costs(
    blocks: Floats, size: Ints, mass: Floats, a: float, b: float, sized: bool, table: Floats
) -> Floats:
    """What it costs to merge each pair of the classes that are the rows of blocks, without what
    having a class less saves."""
    k, width = blocks.shape
    costs, alone = np.full((k, k), np.inf), np.zeros(k)
    full = np.zeros(k, np.int64)
    for i in range(k):
        alone[i] = _alone(i, size, mass, b, sized)
        for other in range(i):
            costs[i, other] = _pair(i, other, size, mass, b, sized, alone)
    for j in range(width):
        n = 0
        for i in range(k):
            if blocks[i, j] > 0:
                full[n] = i
                n += 1
        for s in range(n):
            count, row = blocks[full[s], j], costs[full[s]]
            for t in range(s):
                row[full[t]] += _bound(count, blocks[full[t], j], a, table)
    for i in range(k):
        for other in range(i):
            costs[other, i] = costs[i, other]
    return costs


@compiled
def _adjust(
    one: int, two: int, blocks: Floats, k: int, costs: Floats, best: Ints, a: float,
    table: Floats,
) -> None:  # fmt: skip
    """Renew the pair costs of the rows of blocks before its columns one and two become one."""
    full, own = np.zeros(k, np.int64), np.zeros(k)
    n, top = 0, 0.0
    for i in range(k):
        if blocks[i, one] > 0 or blocks[i, two] > 0:
            full[n] = i
            n += 1
            top = max(top, blocks[i, one] + blocks[i, two])
    tabled = 2 * top < table.size
    if tabled:
        for s in range(n):
            p, q = int(blocks[full[s], one]), int(blocks[full[s], two])
            own[s] = table[p + q] - table[p] - table[q]
    for s in range(n):
        i = full[s]
        p, q = blocks[i, one], blocks[i, two]
        for t in range(s):
            other = full[t]
            x, y = blocks[other, one], blocks[other, two]
            if tabled:
                here, there = int(p + x), int(q + y)
                # The sum of both is the same as the three costs below, each count looked up once.
                change = own[s] + own[t] + table[here] + table[there] - table[here + there]
                change += table[0]
            else:
                change = _bound(p + q, x + y, a, table)
                change -= _bound(p, x, a, table) + _bound(q, y, a, table)
            costs[i, other] += change
            costs[other, i] += change
            if change != 0.0:
                _better(i, other, costs, best)
                _better(other, i, costs, best)


@compiled
def _cheapest(costs: Floats, k: int, best: Ints) -> tuple[int, int, float]:
    """The cheapest pair; best[i] is the class that i goes with best, −1 where that is to be found.

    Of each class only one partner is looked at, so that this takes k steps and not k².
    """
    least, one, two = np.inf, 0, 0
    for i in range(k):
        row = costs[i]
        if best[i] < 0:
            low = 1 if i == 0 else 0
            for other in range(k):
                if row[other] < row[low]:
                    low = other
            best[i] = low
        if row[best[i]] < least:
            least, one, two = row[best[i]], min(i, best[i]), max(i, best[i])
    return one, two, least


@compiled
def _better(i: int, other: int, costs: Floats, best: Ints) -> None:
    """Take note that the cost of a pair is new."""
    if best[i] == other:
        best[i] = -1
    elif best[i] >= 0 and costs[i, other] < costs[i, best[i]]:
        best[i] = other


@compiled
def _unite(
    one: int, two: int, k: int, blocks: Floats, across: Floats, width: int, size: Ints,
    mass: Floats, names: Ints, costs: Floats, best: Ints, a: float, b: float, sized: bool,
    table: Floats,
) -> None:  # fmt: skip
    """Make one class of two rows of blocks; the last class takes the free place.

    `across` is the same table with rows and columns exchanged.
    """
    last = k - 1
    size[one] += size[two]
    mass[one] += mass[two]
    full, n = np.zeros(width, np.int64), 0
    for j in range(width):
        blocks[one, j] += blocks[two, j]
        across[j, one] = blocks[one, j]
        blocks[two, j] = blocks[last, j]
        across[j, two] = blocks[last, j]
        blocks[last, j] = 0
        across[j, last] = 0
        if blocks[one, j] > 0:
            full[n] = j
            n += 1
    size[two], mass[two], names[two], best[two] = size[last], mass[last], names[last], best[last]
    for c in range(k):
        costs[two, c] = costs[last, c]
        costs[c, two] = costs[c, last]
    costs[two, two] = np.inf
    for c in range(last):
        if best[c] == two or best[c] == one:
            best[c] = -1
        elif best[c] == last:
            best[c] = two if c != two else -1
    best[one] = -1
    cost, alone = np.zeros(last), np.zeros(last)
    for c in range(last):
        alone[c] = _alone(c, size, mass, b, sized)
    for c in range(last):
        cost[c] = _pair(one, c, size, mass, b, sized, alone)
    for t in range(n):
        row = across[full[t]]
        for c in range(last):
            if row[c] > 0:
                cost[c] += _bound(row[one], row[c], a, table)
    for c in range(last):
        if c != one:
            costs[one, c] = cost[c]
            costs[c, one] = cost[c]
            _better(c, one, costs, best)


@compiled
def agglomerate(
    blocks: Floats, row_size: Ints, row_mass: Floats, column_size: Ints, column_mass: Floats,
    row_partition: Floats, column_partition: Floats, sized: bool, grand: float, a: float,
    b: float, table: Floats, fewest_rows: int, fewest_columns: int, patience: float,
) -> tuple[Ints, Floats]:  # fmt: skip
    """Merge down to as few classes as said; gives the merges and what each adds to the length.

    A merge is (side, class kept, class given up): side 0 are the rows, and a class is known by the
    lowest of the classes it began with. Where the length is more than `patience` above the shortest
    on the way, that is the end.
    """
    k, m = blocks.shape
    blocks, across = blocks.copy(), blocks.T.copy()
    rs, rm, cs, cm = row_size.copy(), row_mass.copy(), column_size.copy(), column_mass.copy()
    rn, cn = np.arange(k), np.arange(m)
    rows = pair_costs(blocks, rs, rm, a, b, sized, table)
    columns = pair_costs(across, cs, cm, a, b, sized, table)
    steps = max(k - fewest_rows, 0) + max(m - fewest_columns, 0)
    row_best, column_best = np.full(k, -1), np.full(m, -1)
    merges, added = np.zeros((steps, 3), np.int64), np.zeros(steps)
    grown, least = 0.0, 0.0
    for step in range(steps):
        if grown > least + patience:
            return merges[:step], added[:step]
        here = spread(k, m, grand, a, row_partition)
        by_row, by_column = np.inf, np.inf
        i, other, j, fellow = 0, 0, 0, 0
        if k > fewest_rows:
            i, other, by_row = _cheapest(rows, k, row_best)
            by_row += spread(k - 1, m, grand, a, row_partition) - here
        here = spread(m, k, grand, a, column_partition)
        if m > fewest_columns:
            j, fellow, by_column = _cheapest(columns, m, column_best)
            by_column += spread(m - 1, k, grand, a, column_partition) - here
        if by_row <= by_column:
            first, second = min(rn[i], rn[other]), max(rn[i], rn[other])
            merges[step, 0], merges[step, 1], merges[step, 2] = 0, first, second
            added[step] = by_row
            rn[i] = first
            _adjust(i, other, across, m, columns, column_best, a, table)
            _unite(i, other, k, blocks, across, m, rs, rm, rn, rows, row_best, a, b, sized, table)
            k -= 1
        else:
            first, second = min(cn[j], cn[fellow]), max(cn[j], cn[fellow])
            merges[step, 0], merges[step, 1], merges[step, 2] = 1, first, second
            added[step] = by_column
            cn[j] = first
            _adjust(j, fellow, blocks, k, rows, row_best, a, table)
            _unite(
                j,
                fellow,
                m,
                across,
                blocks,
                k,
                cs,
                cm,
                cn,
                columns,
                column_best,
                a,
                b,
                sized,
                table,
            )
            m -= 1
        grown += added[step]
        least = min(least, grown)
    return merges, added
