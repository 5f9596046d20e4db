"""Sweeps over the words of one side, compiled.

A sweep sees one side of the table: its items (rows of a sparse table, of counts), the classes they
are in, and the classes of the other side, which stay as they are. The first `k` classes are in use;
class k itself is empty, for an item that opens a class.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled, compiled_within
from roget.core.kernels.random import draw_uniform, shuffle
from roget.core.kernels.rows import RowItems
from roget.core.kernels.special import exponentials, log_gamma, log_gammas, log_rise
from roget.core.types import Array, Floats, Ints

CALM = 0.9995
"""An item that stays with this probability is passed over in the next sweeps,"""

LONGEST = 7
"""in so many at most: twice as many, and one, each time it stays again."""


# Where a and b are 0, lengths are Li & Abe's: Γ is not asked, and n·ln n takes its place.


class CoclusterCounts(NamedTuple):
    """Classes of one side's items against those of the other side; changed in place."""

    labels: Ints
    other: Ints
    """The classes of the other side's items."""
    size: Ints
    mass: Floats
    """How many items and tokens each class has."""
    blocks: Floats
    """blocks[j, c]: the count of class c in class j of the other side, so that all classes an item
    could move to lie side by side."""
    logs: Floats
    """What one more costs in each block, log(blocks + a): most of an item's counts are 1."""


class CostTables(NamedTuple):
    """What the description length is made of, for one side."""

    table: Floats
    """lnΓ(n + a) of the first whole numbers, or n·ln n."""
    sizes: Floats
    """lnΓ(b·n)."""
    partition: Floats
    """The part of the partition's cost that depends on the number of classes only."""
    sized: bool
    grand: float
    """The sum of all counts."""
    a: float
    b: float


class SkipState(NamedTuple):
    """The items in their order, how calm each is, and how many sweeps pass it over."""

    order: Ints
    calm: Ints
    wait: Ints


class Scratch(NamedTuple):
    """Where a sweep works."""

    held: Floats
    fixed: Floats
    gain: Floats
    cost: Floats
    x: Floats
    bits: Ints
    mantissa: Floats
    whole: Ints
    sums: Floats
    """An item's counts by class of the other side, and which of them it has."""
    touched: Ints
    full: Array
    """For each class of the other side, which classes have counts there, and how many they are."""
    filled: Ints


@compiled_within
def _make_room(blocks: Floats) -> Scratch:
    j, room = blocks.shape
    x, mantissa = np.ones(room), np.ones(room)
    full, filled = np.zeros((j, room), np.int32), np.zeros(j, np.int64)
    for i in range(j):
        for c in range(room):
            if blocks[i, c] > 0:
                full[i, filled[i]] = c
                filled[i] += 1
    return Scratch(
        np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(room), x, x.view(np.int64),
        mantissa, mantissa.view(np.int64), np.zeros(j), np.zeros(j, np.int64), full, filled,
    )  # fmt: skip


@compiled
def tally(items: RowItems, labels: Ints, other: Ints, blocks: Floats) -> None:
    """Add up the counts of blocks[class of the other side, class of the item]."""
    for item in range(labels.size):
        c = labels[item]
        for at in range(items.indptr[item], items.indptr[item + 1]):
            blocks[other[items.indices[at]], c] += items.values[at]


@compiled_within
def _xlogx(x: float) -> float:
    return x * math.log(x) if x > 0 else 0.0


@compiled
def rise_table(count: float, r: float, a: float, table: Floats) -> float:
    """lnΓ(count + r + a) − lnΓ(count + a)."""
    if count + r < table.size:
        low = int(count)
        return float(table[low + int(r)] - table[low])
    return log_rise(count + a, r) if a > 0 else _xlogx(count + r) - _xlogx(count)


@compiled
def rise_by_one(count: float, a: float) -> float:
    """lnΓ(count + 1 + a) − lnΓ(count + a)."""
    return math.log(count + a) if a > 0 else _xlogx(count + 1.0) - _xlogx(count)


@compiled
def rise_all(blocks: Floats, a: float) -> Floats:
    """The same for all counts."""
    logs = np.empty(blocks.shape)
    for j in range(blocks.shape[0]):
        for c in range(blocks.shape[1]):
            logs[j, c] = rise_by_one(blocks[j, c], a)
    return logs


@compiled
def spread(k: int, j: int, prices: CostTables) -> float:
    """What having k classes costs: of the blocks with j classes on the other side, and as such."""
    if prices.a == 0:
        return 0.5 * k * j * math.log(prices.grand) + float(prices.partition[k])
    return log_rise(k * j * prices.a, prices.grand) + float(prices.partition[k])


@compiled_within
def _gather(item: int, items: RowItems, other: Ints, sums: Floats, touched: Ints) -> int:
    """An item's counts by class of context; gives how many classes it has."""
    n = 0
    for at in range(items.indptr[item], items.indptr[item + 1]):
        j = other[items.indices[at]]
        if sums[j] == 0:
            touched[n] = j
            n += 1
        sums[j] += items.values[at]
    return n


@compiled_within
def _gains(
    n: int, k: int, own: int, board: CoclusterCounts, prices: CostTables, room: Scratch
) -> None:
    """gain[c] = Σ_j lnΓ(N_cj + r_j + a) − lnΓ(N_cj + a), the item taken out of its own class."""
    touched, sums, gain = room.touched, room.sums, room.gain
    blocks, logs, a, table = board.blocks, board.logs, prices.a, prices.table
    full, filled = room.full, room.filled
    for c in range(k + 1):
        gain[c] = 0.0
    at_own, base = 0.0, 0.0
    for t in range(n):
        j = touched[t]
        r = sums[j]
        cells = blocks[j]
        if r == 1:
            row = logs[j]
            for c in range(k + 1):
                gain[c] += row[c]
        else:
            most, step = table.size - r, int(r)
            empty = rise_table(0.0, r, a, table)
            base += empty
            for at in range(filled[j]):
                c = full[j, at]
                count = cells[c]
                if count < most:
                    low = int(count)
                    gain[c] += table[low + step] - table[low] - empty
                else:
                    gain[c] += rise_table(count, r, a, table) - empty
        at_own += rise_table(blocks[j, own] - r, r, a, table)
    for c in range(k + 1):
        gain[c] += base
    gain[own] = at_own


@compiled_within
def _place(full: Array, c: int) -> int:
    at = 0
    while full[at] != c:
        at += 1
    return at


@compiled_within
def _shift(
    n: int, old: int, new: int, alone: bool, board: CoclusterCounts, a: float, room: Scratch
) -> None:
    """Move an item's counts from one class, which it may leave empty, to another."""
    touched, sums, full, filled = room.touched, room.sums, room.full, room.filled
    blocks, logs = board.blocks, board.logs
    for t in range(n):
        j = touched[t]
        r = sums[j]
        row = blocks[j]
        # Fractions leave traces, but not where no item is left.
        row[old] = 0.0 if alone else max(row[old] - r, 0.0)
        if row[old] == 0:
            at = _place(full[j], old)
            filled[j] -= 1
            full[j, at] = full[j, filled[j]]
        if row[new] == 0:
            full[j, filled[j]] = new
            filled[j] += 1
        row[new] += r
        logs[j, old] = rise_by_one(row[old], a)
        logs[j, new] = rise_by_one(row[new], a)


@compiled_within
def _close(gone: int, last: int, board: CoclusterCounts, a: float, room: Scratch) -> None:
    """Put the last class where an empty one was, so that classes in use lie side by side."""
    labels, size, mass = board.labels, board.size, board.mass
    blocks, logs, full = board.blocks, board.logs, room.full
    held, fixed = room.held, room.fixed
    if gone != last:
        for item in range(labels.size):
            if labels[item] == last:
                labels[item] = gone
    size[gone], mass[gone] = size[last], mass[last]
    held[gone], fixed[gone] = held[last], fixed[last]
    size[last], mass[last] = 0, 0
    empty = rise_by_one(0.0, a)
    for j in range(blocks.shape[0]):
        if blocks[j, last] > 0 and gone != last:
            full[j, _place(full[j], last)] = gone
        blocks[j, gone], logs[j, gone] = blocks[j, last], logs[j, last]
        blocks[j, last], logs[j, last] = 0, empty


@compiled_within
def _hold(c: int, board: CoclusterCounts, prices: CostTables, room: Scratch) -> None:
    """What a class costs already: lnΓ(R + b·n), and the same with all that an item more adds."""
    n = board.size[c]
    if prices.b == 0:
        room.held[c] = room.fixed[c] = board.mass[c] * math.log(n) if n else 0.0
        return
    room.held[c] = log_gamma(board.mass[c] + prices.b * n) if n else 0.0
    room.fixed[c] = room.held[c] + prices.sizes[n + 1] - prices.sizes[n]
    if prices.sized:
        room.fixed[c] += math.log(n + 1)


@compiled_within
def _weigh(
    f: float, own: int, k: int, opens: bool, steps: tuple[float, float], board: CoclusterCounts,
    prices: CostTables, room: Scratch,
) -> None:  # fmt: skip
    """cost[c]: how much an item of f tokens adds to the length in class c; k is a new class.

    `steps` are what the last class cost, and what one more would.
    """
    mass, size, b, sizes, sized = board.mass, board.size, prices.b, prices.sizes, prices.sized
    held, fixed, gain, x, cost = room.held, room.fixed, room.gain, room.x, room.cost
    fewer, more = steps
    if b == 0:
        for c in range(k):
            cost[c] = (mass[c] + f) * math.log(size[c] + 1) - fixed[c] - gain[c]
        n = size[own]
        left = (mass[own] - f) * math.log(n - 1) if n > 1 else -fewer
        cost[own] = held[own] - left - gain[own]
        cost[k] = more - gain[k]
        return
    for c in range(k):
        x[c] = mass[c] + f + b * (size[c] + 1)
    log_gammas(k, x, room.bits, room.mantissa, room.whole)
    for c in range(k):
        cost[c] = x[c] - fixed[c] - gain[c]
    n = size[own]
    if n == 1:
        cost[own] = held[own] - sizes[1] + fewer - gain[own]
    else:
        left = log_gamma(mass[own] - f + b * (n - 1))
        cost[own] = held[own] - left - sizes[n] + sizes[n - 1] - gain[own]
        if sized:
            cost[own] -= math.log(n)
    if opens:
        cost[k] = log_gamma(f + b) - sizes[1] + more - gain[k]


@compiled_within
def _draw(shares: Floats, k: int, state: Array) -> tuple[int, float]:
    """A class drawn by its share, and the sum of the shares."""
    whole = 0.0
    for c in range(k):
        whole += shares[c]
    left, last = draw_uniform(state) * whole, 0
    for c in range(k):
        if shares[c] > 0.0:
            last = c
            left -= shares[c]
            if left < 0.0:
                break
    return last, whole


@compiled_within
def _pick(own: int, k: int, temperature: float, state: Array, room: Scratch) -> tuple[int, bool]:
    """The class to go to, drawn by exp(−cost/T) or the cheapest; and whether that is to stay,
    almost surely."""
    cost, x = room.cost, room.x
    best = own
    for c in range(k):
        if cost[c] < cost[best]:
            best = c
    if temperature > 0.0:
        for c in range(k):
            x[c] = (cost[best] - cost[c]) / temperature
        exponentials(k, x, room.mantissa, room.whole, room.bits)
        new, total = _draw(x, k, state)
        return new, x[own] > CALM * total
    if cost[best] < cost[own] - 1e-9 * (1.0 + abs(cost[own])):
        return best, False
    return own, False


@compiled_within
def _steps(k: int, j: int, prices: CostTables) -> tuple[float, float]:
    """What the last class cost, and what one more would, as far as only their number counts."""
    here = spread(k, j, prices)
    fewer = here - spread(max(k - 1, 1), j, prices)
    return fewer, spread(k + 1, j, prices) - here


@compiled
def sweep(
    items: RowItems, board: CoclusterCounts, prices: CostTables, rest: SkipState, k: int,
    least: int, temperature: float, state: Array,
) -> tuple[int, float, int]:  # fmt: skip
    """Let every item choose its class anew, in random order; `least` classes stay at least.

    Gives the number of classes, what the description length changed by, and how many items moved.
    """
    labels, size, mass = board.labels, board.size, board.mass
    j, most = board.blocks.shape
    room = _make_room(board.blocks)
    for c in range(k):
        _hold(c, board, prices, room)
    steps = _steps(k, j, prices)
    change, moved = 0.0, 0
    shuffle(rest.order, state)
    for item in rest.order:
        own, f = labels[item], items.totals[item]
        alone = size[own] == 1
        if alone and k <= least:
            continue
        if temperature > 0.0 and rest.wait[item] > 0:
            rest.wait[item] -= 1
            continue
        n = _gather(item, items, board.other, room.sums, room.touched)
        opens = k + 1 < most and not alone
        _gains(n, k, own, board, prices, room)
        _weigh(f, own, k, opens, steps, board, prices, room)
        new, still = _pick(own, k + 1 if opens else k, temperature, state, room)
        rest.calm[item] = min(2 * rest.calm[item] + 1, LONGEST) if still else 0
        rest.wait[item] = rest.calm[item]
        if new != own:
            change += room.cost[new] - room.cost[own]
            moved += 1
            _shift(n, own, new, alone, board, prices.a, room)
            labels[item] = new
            size[own] -= 1
            mass[own] = 0.0 if alone else mass[own] - f
            size[new] += 1
            mass[new] += f
            for c in (own, new):
                _hold(c, board, prices, room)
            if alone:
                k -= 1
                _close(own, k, board, prices.a, room)
            elif new == k:
                k += 1
            if alone or new == k - 1:
                steps = _steps(k, j, prices)
        for t in range(n):
            room.sums[room.touched[t]] = 0
    return k, change, moved


@compiled
def code_lengths(items: RowItems, board: CoclusterCounts, prices: CostTables, out: Floats) -> None:
    """out[item, c]: by how much the length grows when an item not counted yet joins class c."""
    blocks, size, mass, a, b = board.blocks, board.size, board.mass, prices.a, prices.b
    j, k = blocks.shape
    sums, touched = np.zeros(j), np.zeros(j, np.int64)
    for item in range(out.shape[0]):
        n = _gather(item, items, board.other, sums, touched)
        f = 0.0
        for t in range(n):
            f += sums[touched[t]]
        for c in range(k):
            cost = log_rise(mass[c] + b * size[c], f + b) - log_rise(b * size[c], b)
            if prices.sized:
                cost -= math.log(size[c] + 1)
            for t in range(n):
                cost -= log_rise(blocks[touched[t], c] + a, sums[touched[t]])
            out[item, c] = cost
        for t in range(n):
            sums[touched[t]] = 0.0
