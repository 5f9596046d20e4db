"""Sweeps over the items of one side of the table, compiled.

A sweep lets every item of one side (rows of a sparse table of counts) choose its class, while the
classes of the other side stay fixed. Moving item w with f tokens and r_j tokens in class j of the
other side from class o to class c changes the description length (see `criterion`) by

    ΔL = cost[c] − cost[o],    cost[c] = lnΓ(R_c + f + b(n_c + 1)) − lnΓ(R_c + b·n_c)
         − lnΓ(b(n_c + 1)) + lnΓ(b·n_c) − ln(n_c + 1)
         − Σ_j [lnΓ(N_cj + r_j + a) − lnΓ(N_cj + a)],

where w itself is not counted in R_c, n_c and N_cj. Only the classes j of w's own contexts matter,
so a move costs O(contexts of the item × classes). The first `k` classes are in use; class k is
empty, for an item that opens a class.
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
"""An item that stays with at least this probability is skipped in the next sweeps."""

LONGEST = 7
"""Maximum number of sweeps skipped; the number grows as 2n + 1 each time the item stays again."""


# a = b = 0 stands for the length of Li & Abe: n·ln n replaces lnΓ throughout.


class CoclusterCounts(NamedTuple):
    """Classes of the items of one side by the classes of the other side; changed in place."""

    labels: Ints
    other: Ints
    """Classes of the items of the other side."""
    size: Ints
    mass: Floats
    """Number of items and tokens of each class."""
    blocks: Floats
    """blocks[j, c]: count of class c in class j of the other side. The classes that an item could
    move to are adjacent in memory."""
    logs: Floats
    """ln(blocks + a), the cost of one more token in each block: most counts of an item are 1."""


class CostTables(NamedTuple):
    """Tabulated terms of the description length of one side."""

    table: Floats
    """lnΓ(n + a) of the first integers, or n·ln n."""
    sizes: Floats
    """lnΓ(b·n)."""
    partition: Floats
    """Part of the partition's cost that depends only on the number of classes."""
    sized: bool
    grand: float
    """Sum of all counts."""
    a: float
    b: float


class SkipState(NamedTuple):
    """The items in their order, how stable each is, and how many sweeps to skip it."""

    order: Ints
    calm: Ints
    wait: Ints


class Scratch(NamedTuple):
    """Buffers of a sweep."""

    held: Floats
    fixed: Floats
    gain: Floats
    cost: Floats
    x: Floats
    bits: Ints
    mantissa: Floats
    whole: Ints
    sums: Floats
    """An item's counts by class of the other side, followed by the classes it has counts in."""
    touched: Ints
    full: Array
    """For each class of the other side, the classes with counts in it, and their number."""
    filled: Ints


@compiled_within
def _make_scratch(blocks: Floats) -> Scratch:
    j, width = blocks.shape
    x, mantissa = np.ones(width), np.ones(width)
    full, filled = np.zeros((j, width), np.int32), np.zeros(j, np.int64)
    for i in range(j):
        for c in range(width):
            if blocks[i, c] > 0:
                full[i, filled[i]] = c
                filled[i] += 1
    return Scratch(
        np.zeros(width), np.zeros(width), np.zeros(width), np.zeros(width), x, x.view(np.int64),
        mantissa, mantissa.view(np.int64), np.zeros(j), np.zeros(j, np.int64), full, filled,
    )  # fmt: skip


@compiled
def tally(items: RowItems, labels: Ints, other: Ints, blocks: Floats) -> None:
    """Sum the counts of blocks[class of the other side, class of the item]."""
    for item in range(labels.size):
        c = labels[item]
        for at in range(items.indptr[item], items.indptr[item + 1]):
            blocks[other[items.indices[at]], c] += items.values[at]


@compiled_within
def _xlogx(x: float) -> float:
    return x * math.log(x) if x > 0 else 0.0


@compiled
def rise_table(count: float, r: float, a: float, table: Floats) -> float:
    """Return lnΓ(count + r + a) − lnΓ(count + a)."""
    # Integer counts are looked up; fractions and large counts are computed.
    if count + r < table.size:
        low = int(count)
        return float(table[low + int(r)] - table[low])
    return log_rise(count + a, r) if a > 0 else _xlogx(count + r) - _xlogx(count)


@compiled
def rise_by_one(count: float, a: float) -> float:
    """Return lnΓ(count + 1 + a) − lnΓ(count + a)."""
    return math.log(count + a) if a > 0 else _xlogx(count + 1.0) - _xlogx(count)


@compiled
def rise_all(blocks: Floats, a: float) -> Floats:
    """Return `rise_by_one` of all counts."""
    logs = np.empty(blocks.shape)
    for j in range(blocks.shape[0]):
        for c in range(blocks.shape[1]):
            logs[j, c] = rise_by_one(blocks[j, c], a)
    return logs


@compiled
def number_cost(k: int, j: int, tables: CostTables) -> float:
    """Return the cost of having k classes: of k × j blocks, and of the partition."""
    if tables.a == 0:
        return 0.5 * k * j * math.log(tables.grand) + float(tables.partition[k])
    return log_rise(k * j * tables.a, tables.grand) + float(tables.partition[k])


@compiled_within
def _gather(item: int, items: RowItems, other: Ints, sums: Floats, touched: Ints) -> int:
    """Sum an item's counts by class of its contexts; return the number of these classes."""
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
    n: int, k: int, own: int, counts: CoclusterCounts, tables: CostTables, scratch: Scratch
) -> None:
    """Compute gain[c] = Σ_j lnΓ(N_cj + r_j + a) − lnΓ(N_cj + a), without the item itself."""
    touched, sums, gain = scratch.touched, scratch.sums, scratch.gain
    blocks, logs, a, table = counts.blocks, counts.logs, tables.a, tables.table
    full, filled = scratch.full, scratch.filled
    for c in range(k + 1):
        gain[c] = 0.0
    # `base` collects the gain of empty blocks, which all classes share.
    at_own, base = 0.0, 0.0
    for t in range(n):
        j = touched[t]
        r = sums[j]
        cells = blocks[j]
        # One token in class j: its cost ln(N_cj + a) is tabulated in `logs`.
        if r == 1:
            row = logs[j]
            for c in range(k + 1):
                gain[c] += row[c]
        else:
            # Several tokens: empty blocks all gain the same, so only filled ones are visited.
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
        # In its own class the item's counts are included: take them out.
        at_own += rise_table(blocks[j, own] - r, r, a, table)
    for c in range(k + 1):
        gain[c] += base
    gain[own] = at_own


@compiled_within
def _find(full: Array, c: int) -> int:
    at = 0
    while full[at] != c:
        at += 1
    return at


@compiled_within
def _shift(
    n: int, old: int, new: int, alone: bool, counts: CoclusterCounts, a: float, scratch: Scratch
) -> None:
    """Move an item's counts from one class, which may become empty, to another."""
    touched, sums, full, filled = scratch.touched, scratch.sums, scratch.full, scratch.filled
    blocks, logs = counts.blocks, counts.logs
    for t in range(n):
        j = touched[t]
        r = sums[j]
        row = blocks[j]
        # Subtracting fractions leaves rounding errors; an empty class has exactly 0.
        row[old] = 0.0 if alone else max(row[old] - r, 0.0)
        if row[old] == 0:
            at = _find(full[j], old)
            filled[j] -= 1
            full[j, at] = full[j, filled[j]]
        if row[new] == 0:
            full[j, filled[j]] = new
            filled[j] += 1
        row[new] += r
        # Update the cached cost of one more token in the two changed blocks.
        logs[j, old] = rise_by_one(row[old], a)
        logs[j, new] = rise_by_one(row[new], a)


@compiled_within
def _close(gone: int, last: int, counts: CoclusterCounts, a: float, scratch: Scratch) -> None:
    """Move the last class to the place of an emptied one, so that classes in use are adjacent."""
    labels, size, mass = counts.labels, counts.size, counts.mass
    blocks, logs, full = counts.blocks, counts.logs, scratch.full
    held, fixed = scratch.held, scratch.fixed
    # 1. Relabel the items of the last class, which takes the number of the empty one.
    if gone != last:
        for item in range(labels.size):
            if labels[item] == last:
                labels[item] = gone
    # 2. Move its totals, cached terms and blocks; the last class becomes empty.
    size[gone], mass[gone] = size[last], mass[last]
    held[gone], fixed[gone] = held[last], fixed[last]
    size[last], mass[last] = 0, 0
    empty = rise_by_one(0.0, a)
    for j in range(blocks.shape[0]):
        if blocks[j, last] > 0 and gone != last:
            full[j, _find(full[j], last)] = gone
        blocks[j, gone], logs[j, gone] = blocks[j, last], logs[j, last]
        blocks[j, last], logs[j, last] = 0, empty


@compiled_within
def _cache_class(c: int, counts: CoclusterCounts, tables: CostTables, scratch: Scratch) -> None:
    """Cache lnΓ(R + b·n) of a class, and the same with the terms of one more item."""
    n = counts.size[c]
    if tables.b == 0:
        scratch.held[c] = scratch.fixed[c] = counts.mass[c] * math.log(n) if n else 0.0
        return
    # lnΓ(R + b·n) of the class; one more item also changes lnΓ(b·n) and, if sizes
    # are coded, ln n!.
    scratch.held[c] = log_gamma(counts.mass[c] + tables.b * n) if n else 0.0
    scratch.fixed[c] = scratch.held[c] + tables.sizes[n + 1] - tables.sizes[n]
    if tables.sized:
        scratch.fixed[c] += math.log(n + 1)


@compiled_within
def _weigh(
    f: float, own: int, k: int, opens: bool, steps: tuple[float, float], counts: CoclusterCounts,
    tables: CostTables, scratch: Scratch,
) -> None:  # fmt: skip
    """Compute cost[c], what an item of f tokens adds to the length in class c; k is a new class.

    `steps` are the costs of the last class and of one more class as such.
    """
    mass, size, b, sizes, sized = counts.mass, counts.size, tables.b, tables.sizes, tables.sized
    held, fixed, gain, x, cost = scratch.held, scratch.fixed, scratch.gain, scratch.x, scratch.cost
    fewer, more = steps
    if b == 0:
        for c in range(k):
            cost[c] = (mass[c] + f) * math.log(size[c] + 1) - fixed[c] - gain[c]
        n = size[own]
        left = (mass[own] - f) * math.log(n - 1) if n > 1 else -fewer
        cost[own] = held[own] - left - gain[own]
        cost[k] = more - gain[k]
        return
    # All classes at once: lnΓ(R_c + f + b(n_c + 1)), then the cached terms and the gain.
    for c in range(k):
        x[c] = mass[c] + f + b * (size[c] + 1)
    log_gammas(k, x, scratch.bits, scratch.mantissa, scratch.whole)
    for c in range(k):
        cost[c] = x[c] - fixed[c] - gain[c]
    # The item's own class, without the item; if it is alone there, the class disappears.
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
    """Draw a class by its share; return it with the sum of the shares."""
    whole = 0.0
    for c in range(k):
        whole += shares[c]
    # Inverse transform: the class in whose interval the uniform number falls.
    left, last = draw_uniform(state) * whole, 0
    for c in range(k):
        if shares[c] > 0.0:
            last = c
            left -= shares[c]
            if left < 0.0:
                break
    return last, whole


@compiled_within
def _pick(own: int, k: int, temperature: float, state: Array, scratch: Scratch) -> tuple[int, bool]:
    """Choose a class by exp(−cost/T), or the cheapest if T = 0; return it with True if the item
    stays almost surely."""
    cost, x = scratch.cost, scratch.x
    best = own
    for c in range(k):
        if cost[c] < cost[best]:
            best = c
    if temperature > 0.0:
        for c in range(k):
            x[c] = (cost[best] - cost[c]) / temperature
        exponentials(k, x, scratch.mantissa, scratch.whole, scratch.bits)
        new, total = _draw(x, k, state)
        return new, x[own] > CALM * total
    if cost[best] < cost[own] - 1e-9 * (1.0 + abs(cost[own])):
        return best, False
    return own, False


@compiled_within
def _steps(k: int, j: int, tables: CostTables) -> tuple[float, float]:
    """Return the costs of the last class and of one more that depend only on their number."""
    here = number_cost(k, j, tables)
    fewer = here - number_cost(max(k - 1, 1), j, tables)
    return fewer, number_cost(k + 1, j, tables) - here


@compiled
def sweep(
    items: RowItems, counts: CoclusterCounts, tables: CostTables, skips: SkipState, k: int,
    least: int, temperature: float, state: Array,
) -> tuple[int, float, int]:  # fmt: skip
    """Let every item choose its class in random order; at least `least` classes remain.

    Returns the number of classes, the change of the description length, and the number of moves.
    For each item:

    1. sum its counts by class of the other side (`_gather`);
    2. compute the cost of joining each class (`_gains`, `_weigh`);
    3. draw a class by exp(−cost/T), or take the cheapest (`_pick`);
    4. if it moves, update counts and caches, and close or open a class.
    """
    labels, size, mass = counts.labels, counts.size, counts.mass
    j, most = counts.blocks.shape
    scratch = _make_scratch(counts.blocks)
    for c in range(k):
        _cache_class(c, counts, tables, scratch)
    steps = _steps(k, j, tables)
    change, moved = 0.0, 0
    shuffle(skips.order, state)
    for item in skips.order:
        own, f = labels[item], items.totals[item]
        alone = size[own] == 1
        # The last member of a class stays if no class may be lost.
        if alone and k <= least:
            continue
        # Stable items are skipped for some sweeps while annealing.
        if temperature > 0.0 and skips.wait[item] > 0:
            skips.wait[item] -= 1
            continue
        n = _gather(item, items, counts.other, scratch.sums, scratch.touched)
        # An item alone in its class gains nothing by opening another.
        opens = k + 1 < most and not alone
        _gains(n, k, own, counts, tables, scratch)
        _weigh(f, own, k, opens, steps, counts, tables, scratch)
        new, still = _pick(own, k + 1 if opens else k, temperature, state, scratch)
        # An item that almost surely stays is skipped 1, 3, then 7 sweeps.
        skips.calm[item] = min(2 * skips.calm[item] + 1, LONGEST) if still else 0
        skips.wait[item] = skips.calm[item]
        if new != own:
            change += scratch.cost[new] - scratch.cost[own]
            moved += 1
            _shift(n, own, new, alone, counts, tables.a, scratch)
            labels[item] = new
            size[own] -= 1
            mass[own] = 0.0 if alone else mass[own] - f
            size[new] += 1
            mass[new] += f
            for c in (own, new):
                _cache_class(c, counts, tables, scratch)
            if alone:
                k -= 1
                _close(own, k, counts, tables.a, scratch)
            elif new == k:
                k += 1
            # The number of classes has changed, and with it the cost of one more or less.
            if alone or new == k - 1:
                steps = _steps(k, j, tables)
        for t in range(n):
            scratch.sums[scratch.touched[t]] = 0
    return k, change, moved


@compiled
def code_lengths(items: RowItems, counts: CoclusterCounts, tables: CostTables, out: Floats) -> None:
    """Compute out[item, c], the growth of the length when a new item joins class c."""
    blocks, size, mass, a, b = counts.blocks, counts.size, counts.mass, tables.a, tables.b
    j, k = blocks.shape
    sums, touched = np.zeros(j), np.zeros(j, np.int64)
    for item in range(out.shape[0]):
        n = _gather(item, items, counts.other, sums, touched)
        f = 0.0
        for t in range(n):
            f += sums[touched[t]]
        for c in range(k):
            cost = log_rise(mass[c] + b * size[c], f + b) - log_rise(b * size[c], b)
            if tables.sized:
                cost -= math.log(size[c] + 1)
            for t in range(n):
                cost -= log_rise(blocks[touched[t], c] + a, sums[touched[t]])
            out[item, c] = cost
        for t in range(n):
            sums[touched[t]] = 0.0
