"""Compiled kernels for sweeps over the rows or the columns of a co-clustered table.

In a sweep, every row (or every column) chooses its class, while the classes of the other axis stay
fixed. Consider an item, that is, a row or column, with f tokens, of which r_j are in class j of the
other axis. Moving it from class o to class c changes the description length (see `criterion`) by

    ΔL = cost[c] − cost[o],    cost[c] = lnΓ(R_c + f + b(n_c + 1)) − lnΓ(R_c + b·n_c)
         − lnΓ(b(n_c + 1)) + lnΓ(b·n_c) − ln(n_c + 1)
         − Σ_j [lnΓ(N_cj + r_j + a) − lnΓ(N_cj + a)],

where R_c, n_c and N_cj do not include the item itself. The sum has a term only for the classes j in
which the item has counts, so a move takes O(contexts of the item × classes). Classes 0 to k − 1 are
in use. Class k is empty, and an item that chooses it opens a new class.

a = b = 0 selects the description length of Li & Abe (1996), in which n·ln n replaces lnΓ throughout
(equations 5 to 7 of the paper), and the number of classes costs ½·ln N per parameter (equation 4).
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
"""Probability of staying in a class above which an item is skipped in the next sweeps."""

MAX_SKIPS = 7
"""Maximum number of consecutive sweeps in which an item is skipped.

Each time the item stays in its class, the number grows from n to 2n + 1.
"""


class CoclusterCounts(NamedTuple):
    """Classes of the rows (or columns), with their counts for each class of the other axis.

    Sweeps modify the arrays in place.
    """

    labels: Ints
    """Class of each item (row or column). A sweep changes it."""
    other: Ints
    """Class of each item on the other axis."""
    size: Ints
    """Number of items in each class."""
    mass: Floats
    """Number of tokens in each class."""
    blocks: Floats
    """Block counts: tokens in class c and in class j of the other axis are blocks[j, c]."""
    logs: Floats
    """Cached values of ln(blocks + a), used to compute the gain from one more token in a block."""


class CostTables(NamedTuple):
    """Tabulated terms of the description length."""

    table: Floats
    """lnΓ(n + a) for integers n from 0, or n·ln n if a = 0."""
    sizes: Floats
    """lnΓ(b·n), indexed by the number n of items in a class."""
    partition: Floats
    """The part of the partition cost that depends only on the number of classes."""
    sized: bool
    grand: float
    """Sum of all counts in the table."""
    a: float
    b: float


class SkipState(NamedTuple):
    """The order of items in a sweep, and how long each item is skipped."""

    order: Ints
    calm: Ints
    """Length of the last period in which each item was skipped, in sweeps."""
    wait: Ints
    """Number of further sweeps in which each item will be skipped."""


class Scratch(NamedTuple):
    """Buffers that a sweep reuses for all items (see the equation in the module docstring)."""

    held: Floats
    """lnΓ(R_c + b·n_c) for each class c, which is one term of cost[c]."""
    fixed: Floats
    """Negative sum of the terms of cost[c] that do not depend on the item, for each class c."""
    gain: Floats
    """Gain from non-empty blocks: the sum over j in cost[c], for each class c."""
    cost: Floats
    """The value cost[c] for the current item and each class c."""
    x: Floats
    bits: Ints
    mantissa: Floats
    whole: Ints
    sums: Floats
    """Counts r_j of the current item in each class j of the other axis."""
    touched: Ints
    """Classes of the other axis in which the current item has counts."""
    full: Array
    """For each class of the other axis, the classes that share a non-empty block with it."""
    filled: Ints
    """Number of classes in each list of `full`."""


@compiled_within
def _make_scratch(blocks: Floats) -> Scratch:
    """Allocate the buffers, and list the classes of each non-empty block."""
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
    """Add the counts of all items to `blocks`, in the column of the item's class."""
    for item in range(labels.size):
        c = labels[item]
        for at in range(items.indptr[item], items.indptr[item + 1]):
            blocks[other[items.indices[at]], c] += items.values[at]


@compiled_within
def _xlogx(x: float) -> float:
    """Return x·ln x, which is 0 for x = 0."""
    return x * math.log(x) if x > 0 else 0.0


@compiled
def rise_table(count: float, r: float, a: float, table: Floats) -> float:
    """Return lnΓ(count + r + a) − lnΓ(count + a)."""
    # Look up small integer counts. Compute the result for large and for fractional counts, for
    # which the table is empty.
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
    """Return lnΓ(count + 1 + a) − lnΓ(count + a) for an array of counts."""
    logs = np.empty(blocks.shape)
    for j in range(blocks.shape[0]):
        for c in range(blocks.shape[1]):
            logs[j, c] = rise_by_one(blocks[j, c], a)
    return logs


@compiled
def number_cost(k: int, j: int, tables: CostTables) -> float:
    """Return the cost terms that depend only on the numbers of classes k and j.

    These are the cost of k × j blocks and the cost of dividing items into k classes.
    """
    if tables.a == 0:
        return 0.5 * k * j * math.log(tables.grand) + float(tables.partition[k])
    return log_rise(k * j * tables.a, tables.grand) + float(tables.partition[k])


@compiled_within
def _gather(item: int, items: RowItems, other: Ints, sums: Floats, touched: Ints) -> int:
    """Sum the counts r_j of an item by class j. Return the number of classes with counts."""
    n = 0
    for at in range(items.indptr[item], items.indptr[item + 1]):
        j = other[items.indices[at]]
        if sums[j] == 0:
            touched[n] = j
            n += 1
        sums[j] += items.values[at]
    return n


@compiled_within
def _compute_gains(
    n: int, k: int, own: int, counts: CoclusterCounts, tables: CostTables, scratch: Scratch
) -> None:
    """Compute gain[c] = Σ_j [lnΓ(N_cj + r_j + a) − lnΓ(N_cj + a)], where N excludes the item."""
    touched, sums, gain = scratch.touched, scratch.sums, scratch.gain
    blocks, logs, a, table = counts.blocks, counts.logs, tables.a, tables.table
    full, filled = scratch.full, scratch.filled
    for c in range(k + 1):
        gain[c] = 0.0
    # All classes share `base`, the sum of the gains of empty blocks.
    at_own, base = 0.0, 0.0
    for t in range(n):
        j = touched[t]
        r = sums[j]
        cells = blocks[j]
        # 1. For a single token in class j, the gain ln(N_cj + a) is cached in `logs`.
        if r == 1:
            row = logs[j]
            for c in range(k + 1):
                gain[c] += row[c]
        else:
            # 2. For two or more tokens, treat all blocks as empty first, and add their gain to
            # `base`. Then visit only the filled blocks, and add their difference from an empty
            # block.
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
        # 3. The item is still counted in its own class. Remove its contribution.
        at_own += rise_table(blocks[j, own] - r, r, a, table)
    for c in range(k + 1):
        gain[c] += base
    gain[own] = at_own


@compiled_within
def _find(full: Array, c: int) -> int:
    """Return the index of class c in a list that contains it."""
    at = 0
    while full[at] != c:
        at += 1
    return at


@compiled_within
def _shift(
    n: int, old: int, new: int, alone: bool, counts: CoclusterCounts, a: float, scratch: Scratch
) -> None:
    """Move the counts of an item from class `old` to `new`. Set `alone` if this empties `old`."""
    touched, sums, full, filled = scratch.touched, scratch.sums, scratch.full, scratch.filled
    blocks, logs = counts.blocks, counts.logs
    for t in range(n):
        j = touched[t]
        r = sums[j]
        row = blocks[j]
        # 1. Move the counts. Set an empty class to exactly 0, in spite of rounding errors.
        row[old] = 0.0 if alone else max(row[old] - r, 0.0)
        if row[old] == 0:
            at = _find(full[j], old)
            filled[j] -= 1
            full[j, at] = full[j, filled[j]]
        if row[new] == 0:
            full[j, filled[j]] = new
            filled[j] += 1
        row[new] += r
        # 3. Update the cached gain of one more token in both blocks.
        logs[j, old] = rise_by_one(row[old], a)
        logs[j, new] = rise_by_one(row[new], a)


@compiled_within
def _close(gone: int, last: int, counts: CoclusterCounts, a: float, scratch: Scratch) -> None:
    """Close the gap left by an empty class by giving its number to the last class."""
    labels, size, mass = counts.labels, counts.size, counts.mass
    blocks, logs, full = counts.blocks, counts.logs, scratch.full
    held, fixed = scratch.held, scratch.fixed
    # 1. Relabel the items of the last class.
    if gone != last:
        for item in range(labels.size):
            if labels[item] == last:
                labels[item] = gone
    # 2. Move its totals, cached terms and blocks. The last class number is then unused.
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
    """Cache the terms of cost[c] that do not depend on the item (`held` and `fixed`)."""
    n = counts.size[c]
    if tables.b == 0:
        scratch.held[c] = scratch.fixed[c] = counts.mass[c] * math.log(n) if n else 0.0
        return
    # Set held[c] = lnΓ(R + b·n). To obtain fixed[c], add lnΓ(b(n + 1)) − lnΓ(b·n) and, if class
    # sizes are coded, ln(n + 1).
    scratch.held[c] = log_gamma(counts.mass[c] + tables.b * n) if n else 0.0
    scratch.fixed[c] = scratch.held[c] + tables.sizes[n + 1] - tables.sizes[n]
    if tables.sized:
        scratch.fixed[c] += math.log(n + 1)


@compiled_within
def _compute_costs(
    f: float, own: int, k: int, opens: bool, steps: tuple[float, float], counts: CoclusterCounts,
    tables: CostTables, scratch: Scratch,
) -> None:  # fmt: skip
    """Compute cost[c] of an item with f tokens for each class c, including the new class k.

    `steps` are the changes in `number_cost` from k − 1 to k and from k to k + 1 classes.
    """
    mass, size, b, sizes, sized = counts.mass, counts.size, tables.b, tables.sizes, tables.sized
    held, fixed, gain, x, cost = scratch.held, scratch.fixed, scratch.gain, scratch.x, scratch.cost
    fewer, more = steps
    if b == 0:
        # In the code of Li & Abe, the words of a class cost R·ln n.
        for c in range(k):
            cost[c] = (mass[c] + f) * math.log(size[c] + 1) - fixed[c] - gain[c]
        n = size[own]
        left = (mass[own] - f) * math.log(n - 1) if n > 1 else -fewer
        cost[own] = held[own] - left - gain[own]
        cost[k] = more - gain[k]
        return
    # 1. All classes: lnΓ(R_c + f + b(n_c + 1)) − fixed[c] − gain[c].
    for c in range(k):
        x[c] = mass[c] + f + b * (size[c] + 1)
    log_gammas(k, x, scratch.bits, scratch.mantissa, scratch.whole)
    for c in range(k):
        cost[c] = x[c] - fixed[c] - gain[c]
    # 2. Consider the item's own class, without the item. If it has no other members, it disappears.
    n = size[own]
    if n == 1:
        cost[own] = held[own] - sizes[1] + fewer - gain[own]
    else:
        left = log_gamma(mass[own] - f + b * (n - 1))
        cost[own] = held[own] - left - sizes[n] + sizes[n - 1] - gain[own]
        if sized:
            cost[own] -= math.log(n)
    # 3. Consider a new class that contains only this item.
    if opens:
        cost[k] = log_gamma(f + b) - sizes[1] + more - gain[k]


@compiled_within
def _draw(shares: Floats, k: int, state: Array) -> tuple[int, float]:
    """Draw a class with probability proportional to `shares`.

    Return the class, and the sum of `shares`.
    """
    whole = 0.0
    for c in range(k):
        whole += shares[c]
    # Inverse transform sampling: find the interval that contains the uniform random number.
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
    """Draw a class with probability ∝ exp(−cost/T), or return the cheapest class if T = 0.

    Also return True if the item stays in its class with a probability above CALM.
    """
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
    # T = 0: move only if the gain exceeds rounding errors.
    if cost[best] < cost[own] - 1e-9 * (1.0 + abs(cost[own])):
        return best, False
    return own, False


@compiled_within
def _compute_steps(k: int, j: int, tables: CostTables) -> tuple[float, float]:
    """Return the change in `number_cost` from k − 1 to k classes, and from k to k + 1 classes."""
    here = number_cost(k, j, tables)
    fewer = here - number_cost(max(k - 1, 1), j, tables)
    return fewer, number_cost(k + 1, j, tables) - here


@compiled
def sweep(
    items: RowItems, counts: CoclusterCounts, tables: CostTables, skips: SkipState, k: int,
    least: int, temperature: float, state: Array,
) -> tuple[int, float, int]:  # fmt: skip
    """Reassign every item to a class, in random order, and keep at least `least` classes.

    Return the number of classes, the change in description length, and the number of moves. The
    steps for each item are:

    1. Sum its counts by class of the other axis (`_gather`).
    2. Compute the cost of joining each class (`_compute_gains`, `_compute_costs`).
    3. Draw a class with probability ∝ exp(−cost/T), or choose the cheapest one (`_pick`).
    4. If the item moves, update counts and caches, and close or open a class.
    """
    labels, size, mass = counts.labels, counts.size, counts.mass
    j, most = counts.blocks.shape
    scratch = _make_scratch(counts.blocks)
    for c in range(k):
        _cache_class(c, counts, tables, scratch)
    steps = _compute_steps(k, j, tables)
    change, moved = 0.0, 0
    shuffle(skips.order, state)
    for item in skips.order:
        own, f = labels[item], items.totals[item]
        alone = size[own] == 1
        # If the number of classes must not decrease, the last member of a class stays.
        if alone and k <= least:
            continue
        # While annealing, skip stable items for some sweeps.
        if temperature > 0.0 and skips.wait[item] > 0:
            skips.wait[item] -= 1
            continue
        # 1. Sum the item's counts in each class of the other axis.
        n = _gather(item, items, counts.other, scratch.sums, scratch.touched)
        # 2. Compute the costs. An item that forms a class by itself cannot open another class.
        opens = k + 1 < most and not alone
        _compute_gains(n, k, own, counts, tables, scratch)
        _compute_costs(f, own, k, opens, steps, counts, tables, scratch)
        # 3. Choose a class. An item that almost certainly stays is skipped for 1, then 3, then 7
        # sweeps.
        new, still = _pick(own, k + 1 if opens else k, temperature, state, scratch)
        skips.calm[item] = min(2 * skips.calm[item] + 1, MAX_SKIPS) if still else 0
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
            # 5. Remove a class that became empty, or count the new class.
            if alone:
                k -= 1
                _close(own, k, counts, tables.a, scratch)
            elif new == k:
                k += 1
            # Update the costs that depend on the number of classes.
            if alone or new == k - 1:
                steps = _compute_steps(k, j, tables)
        for t in range(n):
            scratch.sums[scratch.touched[t]] = 0
    return k, change, moved


@compiled
def code_lengths(items: RowItems, counts: CoclusterCounts, tables: CostTables, out: Floats) -> None:
    """Compute out[item, c], the increase in description length if a new item joins class c."""
    blocks, size, mass, a, b = counts.blocks, counts.size, counts.mass, tables.a, tables.b
    j, k = blocks.shape
    sums, touched = np.zeros(j), np.zeros(j, np.int64)
    for item in range(out.shape[0]):
        n = _gather(item, items, counts.other, sums, touched)
        f = 0.0
        for t in range(n):
            f += sums[touched[t]]
        for c in range(k):
            # This equals cost[c] in `_compute_costs`, but the item does not belong to any class
            # yet.
            cost = log_rise(mass[c] + b * size[c], f + b) - log_rise(b * size[c], b)
            if tables.sized:
                cost -= math.log(size[c] + 1)
            for t in range(n):
                cost -= log_rise(blocks[touched[t], c] + a, sums[touched[t]])
            out[item, c] = cost
        for t in range(n):
            sums[touched[t]] = 0.0
