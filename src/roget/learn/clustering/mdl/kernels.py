"""Two sides of a set of words: what a move from one to the other costs, and searches made of moves.

A side's code length is T(tokens, words) − Σ_v g(count of v); which T and g is the formula's kind.
Lengths are in nats.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled
from roget.core.kernels.random import draw_uniform, shuffle
from roget.core.kernels.rows import RowIndex, RowItems
from roget.core.kernels.special import log_gamma, log_rise
from roget.core.types import Array, Floats

UNIFORM, PLAIN, DIRICHLET, NML = 0, 1, 2, 3
"""Kinds: words alike within a side; by their frequency; and codes without separate parameters."""

ROUNDING = 1e-9
"""Changes smaller than this are none: words that are alike would be moved for ever."""

SMALL = 8
"""Counts up to this are rising factorials, one logarithm for a whole row; others take lnΓ."""


class Sums(NamedTuple):
    """What is counted of two sides, or of many clusters; changed in place."""

    counts: Floats
    """Contexts × sides."""
    tokens: Floats
    sizes: Floats


class Formula(NamedTuple):
    """How a side's length follows from its sums."""

    kind: int
    prior: Floats
    """The pseudo-count of each context."""
    mass: float
    """Their sum."""
    width: float
    """How many contexts there are."""
    naming: float
    """1 if it is charged which words go where, else 0."""
    table: Floats
    """n·log n of the first whole numbers."""


@compiled
def xlogx(x: float, table: Floats) -> float:
    """x·log x, from the table where x is a whole number that it holds."""
    if x < table.size:
        whole = int(x)
        if whole == x:
            return float(table[whole])
    return x * math.log(x) if x > 0.0 else 0.0


@compiled
def regret(tokens: float, width: float) -> float:
    """log of the parametric complexity of a multinomial (Szpankowski & Weinberger 2012)."""
    if tokens <= 0.0 or width <= 1.0:
        return 0.0
    alpha = width / tokens
    c = 0.5 + 0.5 * math.sqrt(1.0 + 4.0 / alpha)
    return (
        tokens * (math.log(alpha) + (alpha + 2.0) * math.log(c) - 1.0 / c)
        - 0.5 * math.log(c + 2.0 / alpha)
    )  # fmt: skip


@compiled
def whole_cost(kind: int, tokens: float, size: float, mass: float, width: float) -> float:
    """T: the part of a side's code length that hangs on its totals only."""
    if kind == UNIFORM:
        return tokens * math.log(size) if size > 0.0 else 0.0
    if kind == DIRICHLET:
        return log_rise(mass, tokens)
    plain = tokens * math.log(tokens) if tokens > 0.0 else 0.0
    return plain + regret(tokens, width) if kind == NML else plain


@compiled
def row_change(row: int, items: RowItems, sums: Sums, source: int, formula: Formula) -> float:
    """Σ_v of what g loses on the source side, less what it wins on the other."""
    indices, values = items.indices, items.values
    counts, prior, table = sums.counts, formula.prior, formula.table
    begin, end = items.indptr[row], items.indptr[row + 1]
    target = 1 - source
    change, ratio = 0.0, 1.0
    if formula.kind != DIRICHLET:
        for j in range(begin, end):
            v, x = indices[j], values[j]
            here, there = counts[v, source], counts[v, target]
            change += xlogx(here, table) - xlogx(here - x, table)
            change += xlogx(there, table) - xlogx(there + x, table)
        return change
    for j in range(begin, end):
        v, x = indices[j], values[j]
        left = counts[v, source] - x + prior[v]
        met = counts[v, target] + prior[v]
        if x == 1.0:
            ratio *= left / met
        elif x <= SMALL and x == int(x):
            over, under = left, met
            for i in range(1, int(x)):
                over *= left + i
                under *= met + i
            ratio *= over / under
        else:
            change += log_rise(left, x) - log_rise(met, x)
        if not 1e-100 < ratio < 1e100:
            change += math.log(ratio)
            ratio = 1.0
    return change + math.log(ratio)


@compiled
def move_cost(row: int, items: RowItems, side: Array, sums: Sums, formula: Formula) -> float:
    """How much longer the code is when a row changes sides; O(non-zeros of the row)."""
    kind, mass, width = formula.kind, formula.mass, formula.width
    tokens, sizes = sums.tokens, sums.sizes
    s = side[row]
    t = 1 - s
    x = items.totals[row]
    change = (
        whole_cost(kind, tokens[s] - x, sizes[s] - 1.0, mass, width)
        - whole_cost(kind, tokens[s], sizes[s], mass, width)
        + whole_cost(kind, tokens[t] + x, sizes[t] + 1.0, mass, width)
        - whole_cost(kind, tokens[t], sizes[t], mass, width)
    )
    change += row_change(row, items, sums, s, formula)
    if formula.naming > 0.0:
        change += formula.naming * math.log(sizes[s] / (sizes[t] + 1.0))
    return change


@compiled
def move(row: int, items: RowItems, side: Array, sums: Sums) -> None:
    """Put a row on its other side."""
    s = side[row]
    t = 1 - s
    for j in range(items.indptr[row], items.indptr[row + 1]):
        sums.counts[items.indices[j], s] -= items.values[j]
        sums.counts[items.indices[j], t] += items.values[j]
    sums.tokens[s] -= items.totals[row]
    sums.tokens[t] += items.totals[row]
    sums.sizes[s] -= 1.0
    sums.sizes[t] += 1.0
    side[row] = t


@compiled
def tally(items: RowItems, side: Array, sums: Sums) -> None:
    """Counts and totals of the sides, from nothing."""
    sums.counts[:] = 0.0
    sums.tokens[:] = 0.0
    sums.sizes[:] = 0.0
    for row in range(side.size):
        s = side[row]
        for j in range(items.indptr[row], items.indptr[row + 1]):
            sums.counts[items.indices[j], s] += items.values[j]
        sums.tokens[s] += items.totals[row]
        sums.sizes[s] += 1.0


@compiled
def length(sums: Sums, formula: Formula) -> float:
    """The code length of both sides."""
    counts, sizes, kind = sums.counts, sums.sizes, formula.kind
    result = 0.0
    for s in range(2):
        result += whole_cost(kind, sums.tokens[s], sizes[s], formula.mass, formula.width)
        for v in range(counts.shape[0]):
            # g: what a context's count takes off a side's code length.
            if kind != DIRICHLET:
                result -= xlogx(counts[v, s], formula.table)
            elif counts[v, s] > 0.0:
                result -= log_rise(formula.prior[v], counts[v, s])
    if formula.naming > 0.0:
        result += formula.naming * (
            log_gamma(sizes[0] + sizes[1] + 1.0)
            - log_gamma(sizes[0] + 1.0)
            - log_gamma(sizes[1] + 1.0)
        )
    return result


@compiled
def scatter(side: Array, state: Array) -> None:
    """Two random halves."""
    order = np.arange(side.size)
    shuffle(order, state)
    for i in range(order.size):
        side[order[i]] = i % 2


@compiled
def sweep_cut(order: Array, items: RowItems, side: Array, sums: Sums, formula: Formula) -> float:
    """The best of all cuts of an order of rows, of which both sides keep some; its length."""
    side[:] = 0
    tally(items, side, sums)
    here = length(sums, formula)
    best, place = np.inf, 0
    for i in range(order.size - 1):
        here += move_cost(order[i], items, side, sums, formula)
        move(order[i], items, side, sums)
        if here < best:
            best, place = here, i
    for i in range(place + 1, order.size - 1):
        move(order[i], items, side, sums)
    return best


@compiled
def descend(
    sweeps: int,
    least: float,
    state: Array,
    items: RowItems,
    side: Array,
    sums: Sums,
    formula: Formula,
) -> float:
    """Greedy moves, in random order, until a sweep brings at most `least`; the change of length.

    Neither side is emptied.
    """
    order = np.arange(side.size)
    change = 0.0
    for _ in range(sweeps):
        shuffle(order, state)
        gained = 0.0
        for i in range(order.size):
            row = order[i]
            if sums.sizes[side[row]] <= 1.0:
                continue
            d = move_cost(row, items, side, sums, formula)
            if d < -ROUNDING:
                move(row, items, side, sums)
                gained -= d
        change -= gained
        if gained <= least:
            break
    return change


@compiled
def heat(items: RowItems, side: Array, sums: Sums, formula: Formula) -> float:
    """The mean size of what a move costs or brings: a temperature at which all may happen."""
    total = 0.0
    for row in range(side.size):
        if sums.sizes[side[row]] > 1.0:
            total += abs(move_cost(row, items, side, sums, formula))
    return total / side.size


@compiled
def anneal(
    temperatures: Floats, state: Array, items: RowItems, side: Array, sums: Sums, formula: Formula
) -> float:
    """A heat-bath sweep at each temperature; the change of length. Neither side is emptied."""
    order = np.arange(side.size)
    change = 0.0
    for temperature in temperatures:
        shuffle(order, state)
        for i in range(order.size):
            row = order[i]
            if sums.sizes[side[row]] <= 1.0:
                continue
            d = move_cost(row, items, side, sums, formula)
            if draw_uniform(state) < 1.0 / (1.0 + math.exp(min(d / temperature, 700.0))):
                move(row, items, side, sums)
                change += d
    return change


@compiled
def anneal_as_printed(
    penalty: float, state: Array, items: RowItems, side: Array, sums: Sums, formula: Formula
) -> int:
    """Figure 1 of Li & Abe (1996), steps 1 and 2: T = 1 at first, in bits; sides may be emptied.

    The penalty is charged while both sides have words. Gives the number of trials.
    """
    n = side.size
    scatter(side, state)
    tally(items, side, sums)
    temperature, trials, since = 1.0, 0, 0
    while since < 10 * n:
        row = int(draw_uniform(state) * n)
        d = move_cost(row, items, side, sums, formula)
        if sums.sizes[side[row]] == 1.0:
            d -= penalty
        if sums.sizes[1 - side[row]] == 0.0:
            d += penalty
        trials += 1
        since += 1
        if d < 0.0 or draw_uniform(state) < math.exp(-d / math.log(2.0) / temperature):
            move(row, items, side, sums)
            if d < -ROUNDING:
                since = 0
        if trials % (10 * n) == 0:
            temperature *= 0.9
    return trials


@compiled
def gather(rows: Array, table: RowIndex, place: Array) -> tuple[Array, Array, Floats, Array]:
    """A table of some rows with only the columns they use, and which columns those are.

    `place` holds −1 for every column, before and after.
    """
    entries = 0
    for row in rows:
        entries += table.indptr[row + 1] - table.indptr[row]
    starts = np.zeros(rows.size + 1, np.int64)
    places, data = np.empty(entries, np.int32), np.empty(entries, np.float64)
    columns = np.empty(min(entries, place.size), np.int32)
    known, at = 0, 0
    for i in range(rows.size):
        for j in range(table.indptr[rows[i]], table.indptr[rows[i] + 1]):
            v = table.indices[j]
            if place[v] < 0:
                place[v] = known
                columns[known] = v
                known += 1
            places[at], data[at] = place[v], table.values[j]
            at += 1
        starts[i + 1] = at
    for i in range(known):
        place[columns[i]] = -1
    return starts, places, data, columns[:known].copy()


@compiled
def join_costs(items: RowItems, clusters: Sums, formula: Formula, out: Floats) -> None:
    """out[row, c]: the code length of cluster c with the row, less that without it.

    Sums have a column for each cluster; of a Dirichlet code they include pseudo-counts, and the
    formula's own are not looked at. A row of zeros costs nothing anywhere.
    """
    kind, tokens, sizes = formula.kind, clusters.tokens, clusters.sizes
    k = tokens.size
    for row in range(items.totals.size):
        cost, x = out[row], items.totals[row]
        cost[:] = 0.0
        if x <= 0.0:
            continue
        for c in range(k):
            if kind == DIRICHLET:
                cost[c] = log_rise(tokens[c], x)
            else:
                cost[c] = whole_cost(kind, tokens[c] + x, sizes[c] + 1.0, 1.0, formula.width)
                cost[c] -= whole_cost(kind, tokens[c], sizes[c], 1.0, formula.width)
        for j in range(items.indptr[row], items.indptr[row + 1]):
            y, held = items.values[j], clusters.counts[items.indices[j]]
            for c in range(k):
                f = held[c]
                if kind != DIRICHLET:
                    cost[c] -= (f + y) * math.log(f + y) - (f * math.log(f) if f > 0.0 else 0.0)
                elif y == 1.0:
                    cost[c] -= math.log(f)
                else:
                    cost[c] -= log_rise(f, y)
