"""Compiled kernels for merging row classes and column classes greedily.

Each step merges the two row classes, or the two column classes, that increase the description
length least. Merging classes i and k costs

    −Σ_j [G(N_ij + N_kj) − G(N_ij) − G(N_kj) + G(0)],    G(n) = lnΓ(n + a),

plus the changes in the terms for words within classes, class sizes and the number of classes. A
term of the sum is 0 if N_ij or N_kj is 0, so only blocks in which both classes have counts are
visited. After a merge of row classes, the costs of column classes change only if they have counts
in a merged class, and vice versa.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled, compiled_within
from roget.core.kernels.special import log_gamma
from roget.core.types import Floats, Ints
from roget.learn.clustering.comdl.kernels import CostTables, number_cost, rise_table


class Members(NamedTuple):
    """Numbers of items and of tokens in each row class or column class, and tabulated costs."""

    size: Ints
    mass: Floats
    tables: CostTables


class Merging(NamedTuple):
    """State of merging the row classes or the column classes. Merges modify it in place."""

    blocks: Floats
    """Block counts, with the classes being merged as rows and the other classes as columns."""
    size: Ints
    mass: Floats
    names: Ints
    """Name of each class: the lowest number of the original classes in it."""
    costs: Floats
    """Cost of merging each pair of classes, without `number_cost`."""
    best: Ints
    """The cheapest partner of each class, or −1 if it must be recomputed."""
    tables: CostTables


@compiled_within
def _compute_block_cost(x: float, y: float, tables: CostTables) -> float:
    """Return G(x) + G(y) − G(x + y) − G(0), the cost of merging two blocks."""
    if x < y:
        x, y = y, x
    if y == 0:
        return 0.0
    a, table = tables.a, tables.table
    return rise_table(0.0, y, a, table) - rise_table(x, y, a, table)


@compiled_within
def _compute_class_cost(n: int, mass: float, tables: CostTables) -> float:
    """Return the cost of a class of n items, without the terms for blocks and `number_cost`."""
    if tables.b == 0:
        return mass * math.log(n)
    cost = log_gamma(mass + tables.b * n) - log_gamma(tables.b * n)
    return cost - log_gamma(n + 1.0) if tables.sized else cost


@compiled
def pair_costs(blocks: Floats, size: Ints, mass: Floats, tables: CostTables) -> Floats:
    """Return the cost of merging each pair of classes (rows of `blocks`), without `number_cost`."""
    k, width = blocks.shape
    costs, alone = np.full((k, k), np.inf), np.zeros(k)
    full = np.zeros(k, np.int64)
    # 1. Add the cost terms for the words within each class and for the class sizes.
    for i in range(k):
        alone[i] = _compute_class_cost(size[i], mass[i], tables)
        for other in range(i):
            together = _compute_class_cost(size[i] + size[other], mass[i] + mass[other], tables)
            costs[i, other] = together - alone[i] - alone[other]
    # 2. For each column, add the terms for pairs of classes that both have counts in it.
    for j in range(width):
        n = 0
        for i in range(k):
            if blocks[i, j] > 0:
                full[n] = i
                n += 1
        for s in range(n):
            count, row = blocks[full[s], j], costs[full[s]]
            for t in range(s):
                row[full[t]] += _compute_block_cost(count, blocks[full[t], j], tables)
    # 3. Copy the lower triangle to the upper one.
    for i in range(k):
        for other in range(i):
            costs[other, i] = costs[i, other]
    return costs


@compiled_within
def _adjust(one: int, two: int, k: int, side: Merging) -> None:
    """Update the pair costs of k classes before columns `one` and `two` are merged."""
    blocks, costs, table = side.blocks, side.costs, side.tables.table
    full, own = np.zeros(k, np.int64), np.zeros(k)
    n, top = 0, 0.0
    # 1. List the classes with counts in either column.
    for i in range(k):
        if blocks[i, one] > 0 or blocks[i, two] > 0:
            full[n] = i
            n += 1
            top = max(top, blocks[i, one] + blocks[i, two])
    # 2. If all sums of counts are tabulated, precompute the terms that depend on one class.
    tabled = 2 * top < table.size
    if tabled:
        for s in range(n):
            p, q = int(blocks[full[s], one]), int(blocks[full[s], two])
            own[s] = table[p + q] - table[p] - table[q]
    # 3. For each pair, replace the cost of merging the two blocks by the cost for the joined block.
    for s in range(n):
        i = full[s]
        p, q = blocks[i, one], blocks[i, two]
        for t in range(s):
            other = full[t]
            x, y = blocks[other, one], blocks[other, two]
            if tabled:
                here, there = int(p + x), int(q + y)
                # Compute the same change by looking up tabulated terms.
                change = own[s] + own[t] + table[here] + table[there] - table[here + there]
                change += table[0]
            else:
                change = _compute_block_cost(p + q, x + y, side.tables)
                change -= _compute_block_cost(p, x, side.tables) + _compute_block_cost(
                    q, y, side.tables
                )
            costs[i, other] += change
            costs[other, i] += change
            if change != 0.0:
                _note_cost(i, other, costs, side.best)
                _note_cost(other, i, costs, side.best)


@compiled_within
def _find_cheapest(k: int, side: Merging) -> tuple[int, int, float]:
    """Return the cheapest pair among k classes, and its cost.

    Only the best partner of each class is compared, so this takes O(k) instead of O(k²).
    """
    costs, best = side.costs, side.best
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


@compiled_within
def _note_cost(i: int, other: int, costs: Floats, best: Ints) -> None:
    """Update the cheapest partner of class `i` after a change in the cost of a pair."""
    if best[i] == other:
        best[i] = -1
    elif best[i] >= 0 and costs[i, other] < costs[i, best[i]]:
        best[i] = other


@compiled_within
def _unite(one: int, two: int, k: int, width: int, side: Merging, across: Floats) -> None:
    """Merge class `two` into `one`, and give the number `two` to the last of the k classes.

    `across` is the transposed table of blocks, of which `width` rows are in use.
    """
    blocks, size, mass, costs, best = side.blocks, side.size, side.mass, side.costs, side.best
    last = k - 1
    # 1. Add the counts, and move the last class to index `two`.
    size[one] += size[two]
    mass[one] += mass[two]
    # List the columns in which the merged class has counts.
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
    # 2. Move the pair costs and best partners of the last class.
    size[two], mass[two], best[two] = size[last], mass[last], best[last]
    side.names[two] = side.names[last]
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
    # 3. Compute the costs of merging the new class with every other class.
    cost, own = np.zeros(last), _compute_class_cost(size[one], mass[one], side.tables)
    for c in range(last):
        together = _compute_class_cost(size[one] + size[c], mass[one] + mass[c], side.tables)
        cost[c] = together - own - _compute_class_cost(size[c], mass[c], side.tables)
    for t in range(n):
        row = across[full[t]]
        for c in range(last):
            if row[c] > 0:
                cost[c] += _compute_block_cost(row[one], row[c], side.tables)
    for c in range(last):
        if c != one:
            costs[one, c] = cost[c]
            costs[c, one] = cost[c]
            _note_cost(c, one, costs, best)


@compiled_within
def _begin(blocks: Floats, members: Members) -> Merging:
    """Return the initial state for merging the row classes or the column classes."""
    k, size, mass = blocks.shape[0], members.size.copy(), members.mass.copy()
    costs = pair_costs(blocks, size, mass, members.tables)
    return Merging(blocks, size, mass, np.arange(k), costs, np.full(k, -1), members.tables)


@compiled
def agglomerate(
    blocks: Floats, sides: tuple[Members, Members], fewest: tuple[int, int], patience: float
) -> tuple[Ints, Floats]:
    """Merge classes greedily.

    Return the merges, and the increase in description length caused by each.

    A merge is (axis, class kept, class removed), with axis 0 for rows. A class is named by the
    lowest number of the original classes in it. Merging stops at the numbers of classes in
    `fewest`, or when the description length exceeds the shortest one so far by more than
    `patience`.
    """
    merging = (_begin(blocks.copy(), sides[0]), _begin(blocks.T.copy(), sides[1]))
    k = np.array(blocks.shape)
    steps = max(k[0] - fewest[0], 0) + max(k[1] - fewest[1], 0)
    merges, added = np.zeros((steps, 3), np.int64), np.zeros(steps)
    grown, least = 0.0, 0.0
    for step in range(steps):
        if grown > least + patience:
            return merges[:step], added[:step]
        # 1. Find the cheapest pair of row classes or column classes. Include the change in
        # `number_cost`.
        chosen, one, two, price = 0, 0, 0, np.inf
        for s in range(2):
            if k[s] > fewest[s]:
                tables = merging[s].tables
                i, other, cost = _find_cheapest(k[s], merging[s])
                fewer, now = k[s] - 1, k[s]
                cost += number_cost(fewer, k[1 - s], tables) - number_cost(now, k[1 - s], tables)
                if cost < price:
                    chosen, one, two, price = s, i, other, cost
        side, opposite = merging[chosen], merging[1 - chosen]
        names = side.names[one], side.names[two]
        merges[step, 0], merges[step, 1], merges[step, 2] = chosen, min(names), max(names)
        added[step] = price
        side.names[one] = min(names)
        # 2. Update the pair costs on the other axis, then merge.
        _adjust(one, two, k[1 - chosen], opposite)
        _unite(one, two, k[chosen], k[1 - chosen], side, opposite.blocks)
        k[chosen] -= 1
        grown += price
        least = min(least, grown)
    return merges, added
