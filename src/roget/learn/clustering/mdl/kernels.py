"""Compiled kernels that split a set of words in two by minimising the description length.

A split divides the words between two sides. The code length of a side with counts f(v), N tokens
and n words is, in nats,

    T(N, n) − Σ_v g(f(v)).

The kind of code determines T and g:

    UNIFORM    T = N ln n                    g(f) = f ln f                    (li-abe)
    PLAIN      T = N ln N                    g(f) = f ln f                    (corrected)
    NML        T = N ln N + regret(N, |V|)   g(f) = f ln f
    DIRICHLET  T = lnΓ(N + α) − lnΓ(α)       g(f) = lnΓ(f + α_v) − lnΓ(α_v)

α_v is the pseudo-count of context v, and α is the sum of the pseudo-counts. UNIFORM is L_dat of Li
& Abe (1996), equations 5 to 7. Terms that do not depend on the partition are omitted.
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
"""Kinds of code (see the formulas in the module docstring)."""

ROUNDING = 1e-9
"""Changes in description length below this value are treated as 0.

Otherwise identical words would move back and forth forever.
"""

SMALL = 8
"""Maximum count for which rising factorials are multiplied out. Higher counts use lnΓ."""


class Sums(NamedTuple):
    """Counts of the two sides of a split, or of several clusters. Modified in place."""

    counts: Floats
    """Counts of each context on each side of the split, with shape (contexts, sides)."""
    tokens: Floats
    """Number of tokens N on each side of the split."""
    sizes: Floats
    """Number of words n on each side of the split."""


class Formula(NamedTuple):
    """Parameters for computing the description length of one side of a split."""

    kind: int
    """Kind of code: `UNIFORM`, `PLAIN`, `DIRICHLET` or `NML`."""
    prior: Floats
    """Pseudo-count α_v of each context."""
    mass: float
    """Sum α of the pseudo-counts."""
    width: float
    """Number of contexts |V|."""
    naming: float
    """1 if the code lists the words on each side of the split, otherwise 0."""
    table: Floats
    """The values n·ln n for integers n from 0."""


@compiled
def xlogx(x: float, table: Floats) -> float:
    """Return x·ln x, from the table if x is a tabulated integer."""
    if x < table.size:
        whole = int(x)
        if whole == x:
            return float(table[whole])
    return x * math.log(x) if x > 0.0 else 0.0


@compiled
def regret(tokens: float, width: float) -> float:
    """Return the log parametric complexity of a multinomial (Szpankowski & Weinberger 2012)."""
    if tokens <= 0.0 or width <= 1.0:
        return 0.0
    # This asymptotic form holds for any ratio |V|/N of parameters to tokens.
    alpha = width / tokens
    c = 0.5 + 0.5 * math.sqrt(1.0 + 4.0 / alpha)
    return (
        tokens * (math.log(alpha) + (alpha + 2.0) * math.log(c) - 1.0 / c)
        - 0.5 * math.log(c + 2.0 / alpha)
    )  # fmt: skip


@compiled
def total_cost(kind: int, tokens: float, size: float, mass: float, width: float) -> float:
    """Return T(N, n), the part of the code length that depends only on the totals of a side."""
    if kind == UNIFORM:
        return tokens * math.log(size) if size > 0.0 else 0.0
    if kind == DIRICHLET:
        return log_rise(mass, tokens)
    plain = tokens * math.log(tokens) if tokens > 0.0 else 0.0
    return plain + regret(tokens, width) if kind == NML else plain


@compiled
def row_change(row: int, items: RowItems, sums: Sums, source: int, formula: Formula) -> float:
    """Return the change in −Σ_v g(f(v)) over both sides if a row moves away from side `source`."""
    indices, values = items.indices, items.values
    counts, prior, table = sums.counts, formula.prior, formula.table
    begin, end = items.indptr[row], items.indptr[row + 1]
    target = 1 - source
    change, ratio = 0.0, 1.0
    # 1. g(f) = f ln f: the source loses g(f) − g(f − x), and the target gains g(f + x) − g(f).
    if formula.kind != DIRICHLET:
        for j in range(begin, end):
            v, x = indices[j], values[j]
            here, there = counts[v, source], counts[v, target]
            change += xlogx(here, table) - xlogx(here - x, table)
            change += xlogx(there, table) - xlogx(there + x, table)
        return change
    # 2. Dirichlet: g changes by the log of a rising factorial, Γ(f + α_v)/Γ(f − x + α_v). For small
    # integer counts, multiply the ratios, and take one logarithm per row.
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
        # Take the logarithm early if the product might overflow or underflow.
        if not 1e-100 < ratio < 1e100:
            change += math.log(ratio)
            ratio = 1.0
    return change + math.log(ratio)


@compiled
def move_cost(row: int, items: RowItems, side: Array, sums: Sums, formula: Formula) -> float:
    """Return the increase in description length if a row moves to the other side of the split.

    The time is proportional to the number of non-zeros in the row.
    """
    kind, mass, width = formula.kind, formula.mass, formula.width
    tokens, sizes = sums.tokens, sums.sizes
    s = side[row]
    t = 1 - s
    x = items.totals[row]
    # 1. Add the change for the totals: ΔT = T(N_s − x, n_s − 1) − T(N_s, n_s) + T(N_t + x, n_t + 1)
    # − T(N_t, n_t).
    change = (
        total_cost(kind, tokens[s] - x, sizes[s] - 1.0, mass, width)
        - total_cost(kind, tokens[s], sizes[s], mass, width)
        + total_cost(kind, tokens[t] + x, sizes[t] + 1.0, mass, width)
        - total_cost(kind, tokens[t], sizes[t], mass, width)
    )
    # 2. Add the change for the contexts of the row, −Δ Σ_v g(f(v)) over both sides.
    change += row_change(row, items, sums, s, formula)
    # 3. Add the change in the cost ln C(n, n_t) of coding the sides: ln n_s − ln(n_t + 1).
    if formula.naming > 0.0:
        change += formula.naming * math.log(sizes[s] / (sizes[t] + 1.0))
    return change


@compiled
def move(row: int, items: RowItems, side: Array, sums: Sums) -> None:
    """Move a row to the other side of the split, and update the sums."""
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
    """Recompute the sums of both sides from the labels."""
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
    """Return the total code length of both sides, computed from the sums."""
    counts, sizes, kind = sums.counts, sums.sizes, formula.kind
    result = 0.0
    for s in range(2):
        result += total_cost(kind, sums.tokens[s], sizes[s], formula.mass, formula.width)
        for v in range(counts.shape[0]):
            # Subtract g(f(v)) for context v.
            if kind != DIRICHLET:
                result -= xlogx(counts[v, s], formula.table)
            elif counts[v, s] > 0.0:
                result -= log_rise(formula.prior[v], counts[v, s])
    if formula.naming > 0.0:
        # Add ln C(n, n_1), the cost of coding which words are on each side.
        result += formula.naming * (
            log_gamma(sizes[0] + sizes[1] + 1.0)
            - log_gamma(sizes[0] + 1.0)
            - log_gamma(sizes[1] + 1.0)
        )
    return result


@compiled
def scatter(side: Array, state: Array) -> None:
    """Assign a random half of the rows to each side."""
    order = np.arange(side.size)
    shuffle(order, state)
    for i in range(order.size):
        side[order[i]] = i % 2


@compiled
def sweep_cut(order: Array, items: RowItems, side: Array, sums: Sums, formula: Formula) -> float:
    """Find the best cut of an ordered list of rows, and return its description length.

    Rows move to side 1 one after the other, and the length is updated at each step. No side may be
    empty.
    """
    side[:] = 0
    tally(items, side, sums)
    here = length(sums, formula)
    best, place = np.inf, 0
    for i in range(order.size - 1):
        here += move_cost(order[i], items, side, sums, formula)
        move(order[i], items, side, sums)
        if here < best:
            best, place = here, i
    # All rows except the last are on side 1 now. Move the rows after the best cut back to side 0.
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
    """Move rows greedily, in random order, until a sweep gains at most `least` nats.

    Return the change in description length. No side becomes empty.
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
def mean_move_cost(items: RowItems, side: Array, sums: Sums, formula: Formula) -> float:
    """Return the mean absolute cost of a move, which is used as the initial temperature."""
    total = 0.0
    for row in range(side.size):
        if sums.sizes[side[row]] > 1.0:
            total += abs(move_cost(row, items, side, sums, formula))
    return total / side.size


@compiled
def anneal(
    temperatures: Floats, state: Array, items: RowItems, side: Array, sums: Sums, formula: Formula
) -> float:
    """Run a heat-bath sweep at each temperature. No side becomes empty.

    Return the change in description length.
    """
    order = np.arange(side.size)
    change = 0.0
    for temperature in temperatures:
        shuffle(order, state)
        for i in range(order.size):
            row = order[i]
            if sums.sizes[side[row]] <= 1.0:
                continue
            d = move_cost(row, items, side, sums, formula)
            # Heat bath: move the row with probability 1/(1 + exp(ΔL/T)).
            if draw_uniform(state) < 1.0 / (1.0 + math.exp(min(d / temperature, 700.0))):
                move(row, items, side, sums)
                change += d
    return change


@compiled
def anneal_as_printed(
    penalty: float, state: Array, items: RowItems, side: Array, sums: Sums, formula: Formula
) -> int:
    """Anneal as in Figure 1, steps 1 and 2, of Li & Abe (1996), and return the number of trials.

    The initial temperature is 1 bit, and a side may become empty. The penalty L_par (equation 4)
    for the parameters of a second cluster applies only while both sides have words.
    """
    n = side.size
    scatter(side, state)
    tally(items, side, sums)
    # Step 2 ends after 10·|N| consecutive trials without a decrease.
    temperature, trials, since = 1.0, 0, 0
    while since < 10 * n:
        # Propose to move a random word. ΔL includes the penalty if the number of non-empty sides
        # changes.
        row = int(draw_uniform(state) * n)
        d = move_cost(row, items, side, sums, formula)
        if sums.sizes[side[row]] == 1.0:
            d -= penalty
        if sums.sizes[1 - side[row]] == 0.0:
            d += penalty
        trials += 1
        since += 1
        # Accept the move if ΔL < 0, otherwise with probability exp(−ΔL/T), with ΔL in bits.
        if d < 0.0 or draw_uniform(state) < math.exp(-d / math.log(2.0) / temperature):
            move(row, items, side, sums)
            if d < -ROUNDING:
                since = 0
        # T ← 0.9·T after every 10·|N| trials.
        if trials % (10 * n) == 0:
            temperature *= 0.9
    return trials


@compiled
def gather(rows: Array, table: RowIndex, place: Array) -> tuple[Array, Array, Floats, Array]:
    """Copy the given rows, and only the columns in which they have counts.

    Return the CSR arrays and the columns, renumbered in the order of first use. `place` must hold
    −1 for every column, and is reset on return.
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
    """Compute out[row, c], the increase in description length if the row joins cluster c.

    `clusters` has a column for each cluster. In the Dirichlet code, its counts and tokens include
    the pseudo-counts, and `formula.prior` is not used. A row of zeros costs 0.
    """
    kind, tokens, sizes = formula.kind, clusters.tokens, clusters.sizes
    k = tokens.size
    for row in range(items.totals.size):
        cost, x = out[row], items.totals[row]
        cost[:] = 0.0
        if x <= 0.0:
            continue
        # 1. Add the change of T, which depends only on totals.
        for c in range(k):
            if kind == DIRICHLET:
                cost[c] = log_rise(tokens[c], x)
            else:
                cost[c] = total_cost(kind, tokens[c] + x, sizes[c] + 1.0, 1.0, formula.width)
                cost[c] -= total_cost(kind, tokens[c], sizes[c], 1.0, formula.width)
        # 2. Add the change of −Σ_v g(f(v)) over the contexts of the row.
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
