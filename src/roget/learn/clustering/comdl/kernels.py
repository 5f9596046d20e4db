"""Sweeps over the words of one side, compiled.

A sweep sees one side of the table: its items (rows of a CSR table, of counts), the classes they are
in, and the classes of the other side, which stay as they are. `blocks[j, k]` is the count of items
of class k in contexts of class j, so that all classes an item could move to lie side by side;
`logs` is log(blocks + a), kept up to date, because most of an item's counts are 1, and what a token
more costs is the log. The first `k` classes are in use; class k itself is empty, for an item that
opens a class.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from roget.learn.clustering.comdl.numeric import (
    Array,
    Floats,
    Ints,
    compiled,
    exponentials,
    log_gamma,
    log_gammas,
    rise,
    rise_table,
    shuffle,
    uniform,
)

CALM = 0.9995
"""An item that stays with this probability is passed over in the next sweeps,"""

LONGEST = 7
"""in so many at most: twice as many, and one, each time it stays again."""


@compiled
def tally(
    indptr: Array, indices: Array, values: Floats, labels: Ints, other: Ints, blocks: Floats
) -> None:
    """Add up the counts of blocks[class of the item, class of the context]."""
    for item in range(labels.size):
        row = blocks[labels[item]]
        for at in range(indptr[item], indptr[item + 1]):
            row[other[indices[at]]] += values[at]


@compiled
def tally_across(
    indptr: Array, indices: Array, values: Floats, labels: Ints, other: Ints, blocks: Floats
) -> None:
    """The same with rows and columns of blocks exchanged."""
    for item in range(labels.size):
        c = labels[item]
        for at in range(indptr[item], indptr[item + 1]):
            blocks[other[indices[at]], c] += values[at]


@compiled
def spread(k: int, j: int, total: float, a: float, partition: Floats) -> float:
    """What having k classes costs: of the blocks with j classes on the other side, and as such."""
    return rise(k * j * a, total) + float(partition[k])


@compiled
def _gather(
    begin: int, end: int, indices: Array, values: Floats, other: Ints, sums: Floats, touched: Ints
) -> int:
    """An item's counts by class of context; gives how many classes it has."""
    n = 0
    for at in range(begin, end):
        j = other[indices[at]]
        if sums[j] == 0:
            touched[n] = j
            n += 1
        sums[j] += values[at]
    return n


@compiled
def _gains(
    n: int, touched: Ints, sums: Floats, k: int, own: int, blocks: Floats, logs: Floats, a: float,
    full: Array, filled: Ints, table: Floats, gain: Floats,
) -> None:  # fmt: skip
    """gain[c] = Σ_j lnΓ(N_cj + r_j + a) − lnΓ(N_cj + a), the item taken out of its own class."""
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
            empty = rise_table(0, r, a, table)
            base += empty
            for at in range(filled[j]):
                c = full[j, at]
                count = cells[c]
                if count < most:
                    low = int(count)
                    gain[c] += table[low + step] - table[low] - empty
                else:
                    gain[c] += rise(count + a, r) - empty
        at_own += rise_table(blocks[j, own] - r, r, a, table)
    for c in range(k + 1):
        gain[c] += base
    gain[own] = at_own


@compiled
def listed(blocks: Floats) -> tuple[Array, Ints]:
    """For each class of contexts, which classes have counts there, and how many they are."""
    full = np.zeros(blocks.shape, np.int32)
    filled = np.zeros(blocks.shape[0], np.int64)
    for j in range(blocks.shape[0]):
        for c in range(blocks.shape[1]):
            if blocks[j, c] > 0:
                full[j, filled[j]] = c
                filled[j] += 1
    return full, filled


@compiled
def _place(full: Array, c: int) -> int:
    at = 0
    while full[at] != c:
        at += 1
    return at


@compiled
def _shift(
    n: int, touched: Ints, sums: Floats, old: int, new: int, blocks: Floats, logs: Floats, a: float,
    full: Array, filled: Ints, alone: bool,
) -> None:  # fmt: skip
    """Move an item's counts from one class, which it may leave empty, to another."""
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
        logs[j, old] = math.log(row[old] + a)
        logs[j, new] = math.log(row[new] + a)


@compiled
def close(
    gone: int, last: int, labels: Ints, size: Ints, mass: Floats, held: Floats, fixed: Floats,
    blocks: Floats, logs: Floats, a: float, full: Array,
) -> None:  # fmt: skip
    """Put the last class where an empty one was, so that classes in use lie side by side."""
    if gone != last:
        for item in range(labels.size):
            if labels[item] == last:
                labels[item] = gone
    size[gone], mass[gone] = size[last], mass[last]
    held[gone], fixed[gone] = held[last], fixed[last]
    size[last], mass[last] = 0, 0
    empty = math.log(a)
    for j in range(blocks.shape[0]):
        if blocks[j, last] > 0 and gone != last:
            full[j, _place(full[j], last)] = gone
        blocks[j, gone], logs[j, gone] = blocks[j, last], logs[j, last]
        blocks[j, last], logs[j, last] = 0, empty


@compiled
def _hold(
    c: int, mass: Floats, size: Ints, b: float, sizes: Floats, sized: bool, held: Floats,
    fixed: Floats,
) -> None:  # fmt: skip
    """What a class costs already: lnΓ(R + b·n), and the same with all that an item more adds."""
    n = size[c]
    held[c] = log_gamma(mass[c] + b * n) if n else 0.0
    fixed[c] = held[c] + sizes[n + 1] - sizes[n]
    if sized:
        fixed[c] += math.log(n + 1)


@compiled
def _weigh(
    f: float, own: int, k: int, opens: bool, mass: Floats, size: Ints, b: float, sizes: Floats,
    sized: bool, held: Floats, fixed: Floats, gain: Floats, fewer: float, more: float,
    x: Floats, bits: Ints, mantissa: Floats, whole: Ints, cost: Floats,
) -> None:  # fmt: skip
    """cost[c]: how much an item of f tokens adds to the length in class c; k is a new class."""
    for c in range(k):
        x[c] = mass[c] + f + b * (size[c] + 1)
    log_gammas(k, x, bits, mantissa, whole)
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


@compiled
def _draw(shares: Floats, k: int, state: Any) -> tuple[int, float]:
    """A class drawn by its share, and the sum of the shares."""
    whole = 0.0
    for c in range(k):
        whole += shares[c]
    left, last = uniform(state) * whole, 0
    for c in range(k):
        if shares[c] > 0.0:
            last = c
            left -= shares[c]
            if left < 0.0:
                break
    return last, whole


@compiled
def _pick(
    own: int, k: int, cost: Floats, temperature: float, state: Any, x: Floats, bits: Ints,
    mantissa: Floats, whole: Ints,
) -> tuple[int, bool]:  # fmt: skip
    """The class to go to, drawn by exp(−cost/T) or the cheapest; and whether that is to stay,
    almost surely."""
    best = own
    for c in range(k):
        if cost[c] < cost[best]:
            best = c
    if temperature > 0.0:
        for c in range(k):
            x[c] = (cost[best] - cost[c]) / temperature
        exponentials(k, x, mantissa, whole, bits)
        new, total = _draw(x, k, state)
        return new, x[own] > CALM * total
    if cost[best] < cost[own] - 1e-9 * (1.0 + abs(cost[own])):
        return best, False
    return own, False


@compiled
def _steps(k: int, j: int, grand: float, a: float, partition: Floats) -> tuple[float, float]:
    """What the last class cost, and what one more would, as far as only their number counts."""
    here = spread(k, j, grand, a, partition)
    fewer = here - spread(max(k - 1, 1), j, grand, a, partition)
    return fewer, spread(k + 1, j, grand, a, partition) - here


@compiled
def sweep(
    indptr: Array, indices: Array, values: Floats, totals: Floats, labels: Ints, other: Ints,
    j: int, k: int, least: int, size: Ints, mass: Floats, blocks: Floats, logs: Floats,
    table: Floats, sizes: Floats, partition: Floats, sized: bool, grand: float, a: float,
    b: float, temperature: float, state: Any, order: Ints, calm: Ints, wait: Ints,
) -> tuple[int, float, int]:  # fmt: skip
    """Let every item choose its class anew, in random order.

    table[n] = lnΓ(n + a), sizes[n] = lnΓ(b·n), partition[k] is the part of the partition's cost
    that depends on the number of classes only. Gives the number of classes, what the
    description length changed by, and how many items moved.
    """
    room = blocks.shape[1]
    held, fixed, gain, cost = np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(room)
    x, mantissa = np.ones(room), np.ones(room)
    bits, whole = x.view(np.int64), mantissa.view(np.int64)
    sums, touched = np.zeros(j), np.zeros(j, np.int64)
    full, filled = listed(blocks)
    for c in range(k):
        _hold(c, mass, size, b, sizes, sized, held, fixed)
    fewer, more = _steps(k, j, grand, a, partition)
    change, moved = 0.0, 0
    shuffle(order, state)
    for item in order:
        own, f = labels[item], totals[item]
        alone = size[own] == 1
        if alone and k <= least:
            continue
        if temperature > 0.0 and wait[item] > 0:
            wait[item] -= 1
            continue
        n = _gather(indptr[item], indptr[item + 1], indices, values, other, sums, touched)
        opens = k + 1 < room and not alone
        _gains(n, touched, sums, k, own, blocks, logs, a, full, filled, table, gain)
        _weigh(
            f, own, k, opens, mass, size, b, sizes, sized, held, fixed, gain, fewer, more, x,
            bits, mantissa, whole, cost,
        )  # fmt: skip
        span = k + 1 if opens else k
        new, still = _pick(own, span, cost, temperature, state, x, bits, mantissa, whole)
        calm[item] = min(2 * calm[item] + 1, LONGEST) if still else 0
        wait[item] = calm[item]
        if new != own:
            change += cost[new] - cost[own]
            moved += 1
            _shift(n, touched, sums, own, new, blocks, logs, a, full, filled, alone)
            labels[item] = new
            size[own] -= 1
            mass[own] = 0.0 if alone else mass[own] - f
            size[new] += 1
            mass[new] += f
            for c in (own, new):
                _hold(c, mass, size, b, sizes, sized, held, fixed)
            if alone:
                k -= 1
                close(own, k, labels, size, mass, held, fixed, blocks, logs, a, full)
            elif new == k:
                k += 1
            if alone or new == k - 1:
                fewer, more = _steps(k, j, grand, a, partition)
        for t in range(n):
            sums[touched[t]] = 0
    return k, change, moved


@compiled
def code_lengths(
    indptr: Array, indices: Array, values: Floats, other: Ints, size: Ints, mass: Floats,
    blocks: Floats, a: float, b: float, sized: bool, out: Floats,
) -> None:  # fmt: skip
    """out[item, c]: by how much the length grows when an item not counted yet joins class c."""
    j, k = blocks.shape
    sums, touched = np.zeros(j), np.zeros(j, np.int64)
    for item in range(out.shape[0]):
        n = _gather(indptr[item], indptr[item + 1], indices, values, other, sums, touched)
        f = 0.0
        for t in range(n):
            f += sums[touched[t]]
        for c in range(k):
            cost = rise(mass[c] + b * size[c], f + b) - rise(b * size[c], b)
            if sized:
                cost -= math.log(size[c] + 1)
            for t in range(n):
                cost -= rise(blocks[touched[t], c] + a, sums[touched[t]])
            out[item, c] = cost
        for t in range(n):
            sums[touched[t]] = 0.0
