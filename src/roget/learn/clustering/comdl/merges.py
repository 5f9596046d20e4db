"""Merging classes of both sides, always the pair that lengthens the description least; compiled.

Two classes i and k of one side cost, when they become one,
−Σ_j [G(N_ij + N_kj) − G(N_ij) − G(N_kj) + G(0)] with G(n) = lnΓ(n + a), plus what the words within
them, the sizes of classes and the number of classes change by. A term is zero where either count
is, so that only blocks that both fill are looked at, and a merge changes the costs of the other
side's pairs only where its two classes were filled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled, compiled_within
from roget.core.kernels.special import log_gamma
from roget.core.types import Floats, Ints
from roget.learn.clustering.comdl.kernels import CostTables, rise_table, spread


class Members(NamedTuple):
    """How many items and tokens each class of a side has, and what its length is made of."""

    size: Ints
    mass: Floats
    prices: CostTables


class Merging(NamedTuple):
    """A side while its classes are merged; changed in place."""

    blocks: Floats
    """This side's classes × those of the other side."""
    size: Ints
    mass: Floats
    names: Ints
    """The lowest of the classes that each began with."""
    costs: Floats
    """What each pair would cost."""
    best: Ints
    """The class that each goes with best, −1 where that is to be found."""
    prices: CostTables


@compiled_within
def _bound(x: float, y: float, prices: CostTables) -> float:
    """G(x) + G(y) − G(x + y) − G(0): what one block of two merged classes costs."""
    if x < y:
        x, y = y, x
    if y == 0:
        return 0.0
    a, table = prices.a, prices.table
    return rise_table(0.0, y, a, table) - rise_table(x, y, a, table)


@compiled_within
def _alone(n: int, mass: float, prices: CostTables) -> float:
    """What a class of n items costs beside its blocks and its number."""
    if prices.b == 0:
        return mass * math.log(n)
    cost = log_gamma(mass + prices.b * n) - log_gamma(prices.b * n)
    return cost - log_gamma(n + 1.0) if prices.sized else cost


@compiled
def pair_costs(blocks: Floats, size: Ints, mass: Floats, prices: CostTables) -> Floats:
    """What it costs to merge each pair of the classes that are the rows of blocks, without what
    having a class less saves."""
    k, width = blocks.shape
    costs, alone = np.full((k, k), np.inf), np.zeros(k)
    full = np.zeros(k, np.int64)
    for i in range(k):
        alone[i] = _alone(size[i], mass[i], prices)
        for other in range(i):
            together = _alone(size[i] + size[other], mass[i] + mass[other], prices)
            costs[i, other] = together - alone[i] - alone[other]
    for j in range(width):
        n = 0
        for i in range(k):
            if blocks[i, j] > 0:
                full[n] = i
                n += 1
        for s in range(n):
            count, row = blocks[full[s], j], costs[full[s]]
            for t in range(s):
                row[full[t]] += _bound(count, blocks[full[t], j], prices)
    for i in range(k):
        for other in range(i):
            costs[other, i] = costs[i, other]
    return costs


@compiled_within
def _adjust(one: int, two: int, k: int, side: Merging) -> None:
    """Renew the pair costs of k classes before their columns one and two become one."""
    blocks, costs, table = side.blocks, side.costs, side.prices.table
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
                change = _bound(p + q, x + y, side.prices)
                change -= _bound(p, x, side.prices) + _bound(q, y, side.prices)
            costs[i, other] += change
            costs[other, i] += change
            if change != 0.0:
                _better(i, other, costs, side.best)
                _better(other, i, costs, side.best)


@compiled_within
def _cheapest(k: int, side: Merging) -> tuple[int, int, float]:
    """The cheapest pair of k classes.

    Of each class only one partner is looked at, so that this takes k steps and not k².
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
def _better(i: int, other: int, costs: Floats, best: Ints) -> None:
    """Take note that the cost of a pair is new."""
    if best[i] == other:
        best[i] = -1
    elif best[i] >= 0 and costs[i, other] < costs[i, best[i]]:
        best[i] = other


@compiled_within
def _unite(one: int, two: int, k: int, width: int, side: Merging, across: Floats) -> None:
    """Make one class of two of k; the last class takes the free place.

    `across` are the blocks with rows and columns exchanged, of which `width` rows are in use.
    """
    blocks, size, mass, costs, best = side.blocks, side.size, side.mass, side.costs, side.best
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
    cost, own = np.zeros(last), _alone(size[one], mass[one], side.prices)
    for c in range(last):
        together = _alone(size[one] + size[c], mass[one] + mass[c], side.prices)
        cost[c] = together - own - _alone(size[c], mass[c], side.prices)
    for t in range(n):
        row = across[full[t]]
        for c in range(last):
            if row[c] > 0:
                cost[c] += _bound(row[one], row[c], side.prices)
    for c in range(last):
        if c != one:
            costs[one, c] = cost[c]
            costs[c, one] = cost[c]
            _better(c, one, costs, best)


@compiled_within
def _begin(blocks: Floats, members: Members) -> Merging:
    k, size, mass = blocks.shape[0], members.size.copy(), members.mass.copy()
    costs = pair_costs(blocks, size, mass, members.prices)
    return Merging(blocks, size, mass, np.arange(k), costs, np.full(k, -1), members.prices)


@compiled
def agglomerate(
    blocks: Floats, sides: tuple[Members, Members], fewest: tuple[int, int], patience: float
) -> tuple[Ints, Floats]:
    """Merge down to as few classes as said; gives the merges and what each adds to the length.

    A merge is (side, class kept, class given up): side 0 are the rows, and a class is known by the
    lowest of the classes it began with. Where the length is more than `patience` above the shortest
    on the way, that is the end.
    """
    merging = (_begin(blocks.copy(), sides[0]), _begin(blocks.T.copy(), sides[1]))
    k = np.array(blocks.shape)
    steps = max(k[0] - fewest[0], 0) + max(k[1] - fewest[1], 0)
    merges, added = np.zeros((steps, 3), np.int64), np.zeros(steps)
    grown, least = 0.0, 0.0
    for step in range(steps):
        if grown > least + patience:
            return merges[:step], added[:step]
        chosen, one, two, price = 0, 0, 0, np.inf
        for s in range(2):
            if k[s] > fewest[s]:
                prices = merging[s].prices
                i, other, cost = _cheapest(k[s], merging[s])
                cost += spread(k[s] - 1, k[1 - s], prices) - spread(k[s], k[1 - s], prices)
                if cost < price:
                    chosen, one, two, price = s, i, other, cost
        side, beside = merging[chosen], merging[1 - chosen]
        names = side.names[one], side.names[two]
        merges[step, 0], merges[step, 1], merges[step, 2] = chosen, min(names), max(names)
        added[step] = price
        side.names[one] = min(names)
        _adjust(one, two, k[1 - chosen], beside)
        _unite(one, two, k[chosen], k[1 - chosen], side, beside.blocks)
        k[chosen] -= 1
        grown += price
        least = min(least, grown)
    return merges, added
