"""Two sides of a set of words: what a move from one to the other costs, and searches made of moves.

A side's code length is T(tokens, words) − Σ_v g(count of v). Which T and g is the `kind`; `prior`
has the pseudo-count of each context, `mass` their sum, and `width` how many contexts there are.
`counts` is contexts × 2, `tokens` and `sizes` are the two sides' totals. Lengths are in nats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit, uint64

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]

_Function = TypeVar("_Function", bound=Callable[..., Any])

UNIFORM, PLAIN, DIRICHLET, NML = 0, 1, 2, 3
"""Kinds: words alike within a side; by their frequency; and codes without separate parameters."""

ROUNDING = 1e-9
"""Changes smaller than this are none: words that are alike would be moved for ever."""

SMALL = 8
"""Counts up to this are rising factorials, one logarithm for a whole row; others take lnΓ."""


def compiled(function: _Function) -> _Function:
    return cast(_Function, njit(function, cache=True, nogil=True, error_model="numpy"))


@compiled
def xlogx(x: float, table: Floats) -> float:
    """x·log x, from the table where x is a whole number that it holds."""
    if x < table.size:
        whole = int(x)
        if whole == x:
            return float(table[whole])
    return x * math.log(x) if x > 0.0 else 0.0


@compiled
def rising(a: float, x: float) -> float:
    """lnΓ(a + x) − lnΓ(a), also where both are so large that their difference would be rounding."""
    if a < 16.0:
        return math.lgamma(a + x) - math.lgamma(a)
    b = a + x
    u, w = 1.0 / a, 1.0 / b
    uu, ww = u * u, w * w
    return (
        (a - 0.5) * math.log1p(x * u)
        + x * (math.log(b) - 1.0)
        + (w - u) / 12.0
        - (w * ww - u * uu) / 360.0
        + (w * ww * ww - u * uu * uu) / 1260.0
    )


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
        return rising(mass, tokens)
    plain = tokens * math.log(tokens) if tokens > 0.0 else 0.0
    return plain + regret(tokens, width) if kind == NML else plain


@compiled
def cell_gain(kind: int, count: float, pseudo: float, table: Floats) -> float:
    """g: what a context's count takes off a side's code length."""
    if kind == DIRICHLET:
        return rising(pseudo, count) if count > 0.0 else 0.0
    return xlogx(count, table)


@compiled
def row_change(
    kind: int, begin: int, end: int, indices: Array, values: Floats, counts: Floats, source: int,
    prior: Floats, table: Floats,
) -> float:  # fmt: skip
    """Σ_v of what g loses on the source side, less what it wins on the other."""
    target = 1 - source
    change, ratio = 0.0, 1.0
    if kind != DIRICHLET:
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
            change += rising(left, x) - rising(met, x)
        if not 1e-100 < ratio < 1e100:
            change += math.log(ratio)
            ratio = 1.0
    return change + math.log(ratio)


@compiled
def move_cost(
    row: int, kind: int, indptr: Array, indices: Array, values: Floats, totals: Floats,
    side: Array, counts: Floats, tokens: Floats, sizes: Floats, prior: Floats, mass: float,
    width: float, naming: float, table: Floats,
) -> float:  # fmt: skip
    """How much longer the code is when a row changes sides; O(non-zeros of the row)."""
    s = side[row]
    t = 1 - s
    x = totals[row]
    change = (
        whole_cost(kind, tokens[s] - x, sizes[s] - 1.0, mass, width)
        - whole_cost(kind, tokens[s], sizes[s], mass, width)
        + whole_cost(kind, tokens[t] + x, sizes[t] + 1.0, mass, width)
        - whole_cost(kind, tokens[t], sizes[t], mass, width)
    )
    change += row_change(
        kind, indptr[row], indptr[row + 1], indices, values, counts, s, prior, table
    )
    if naming > 0.0:
        change += naming * math.log(sizes[s] / (sizes[t] + 1.0))
    return change


@compiled
def move(
    row: int, indptr: Array, indices: Array, values: Floats, totals: Floats, side: Array,
    counts: Floats, tokens: Floats, sizes: Floats,
) -> None:  # fmt: skip
    """Put a row on its other side."""
    s = side[row]
    t = 1 - s
    for j in range(indptr[row], indptr[row + 1]):
        counts[indices[j], s] -= values[j]
        counts[indices[j], t] += values[j]
    tokens[s] -= totals[row]
    tokens[t] += totals[row]
    sizes[s] -= 1.0
    sizes[t] += 1.0
    side[row] = t


@compiled
def tally(
    indptr: Array, indices: Array, values: Floats, totals: Floats, side: Array, counts: Floats,
    tokens: Floats, sizes: Floats,
) -> None:  # fmt: skip
    """Counts and totals of the sides, from nothing."""
    counts[:] = 0.0
    tokens[:] = 0.0
    sizes[:] = 0.0
    for row in range(side.size):
        s = side[row]
        for j in range(indptr[row], indptr[row + 1]):
            counts[indices[j], s] += values[j]
        tokens[s] += totals[row]
        sizes[s] += 1.0


@compiled
def length(
    kind: int, counts: Floats, tokens: Floats, sizes: Floats, prior: Floats, mass: float,
    width: float, naming: float, table: Floats,
) -> float:  # fmt: skip
    """The code length of both sides."""
    result = 0.0
    for s in range(2):
        result += whole_cost(kind, tokens[s], sizes[s], mass, width)
        for v in range(counts.shape[0]):
            result -= cell_gain(kind, counts[v, s], prior[v], table)
    if naming > 0.0:
        result += naming * (
            math.lgamma(sizes[0] + sizes[1] + 1.0)
            - math.lgamma(sizes[0] + 1.0)
            - math.lgamma(sizes[1] + 1.0)
        )
    return result


@compiled
def _random(state: Array) -> float:
    """The next number of [0, 1) (SplitMix64)."""
    state[0] += uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> uint64(27))) * uint64(0x94D049BB133111EB)
    return float((z ^ (z >> uint64(31))) >> uint64(11)) * 2.0**-53


@compiled
def shuffle(order: Array, state: Array) -> None:
    """A random order, in place."""
    for i in range(order.size - 1, 0, -1):
        j = int(_random(state) * (i + 1))
        order[i], order[j] = order[j], order[i]


@compiled
def scatter(side: Array, state: Array) -> None:
    """Two random halves."""
    order = np.arange(side.size)
    shuffle(order, state)
    for i in range(order.size):
        side[order[i]] = i % 2


@compiled
def sweep_cut(
    order: Array, kind: int, indptr: Array, indices: Array, values: Floats, totals: Floats,
    side: Array, counts: Floats, tokens: Floats, sizes: Floats, prior: Floats, mass: float,
    width: float, naming: float, table: Floats,
) -> float:  # fmt: skip
    """The best of all cuts of an order of rows, of which both sides keep some; its length."""
    side[:] = 0
    tally(indptr, indices, values, totals, side, counts, tokens, sizes)
    here = length(kind, counts, tokens, sizes, prior, mass, width, naming, table)
    best, place = np.inf, 0
    for i in range(order.size - 1):
        row = order[i]
        here += move_cost(
            row, kind, indptr, indices, values, totals, side, counts, tokens, sizes, prior, mass,
            width, naming, table,
        )  # fmt: skip
        move(row, indptr, indices, values, totals, side, counts, tokens, sizes)
        if here < best:
            best, place = here, i
    for i in range(place + 1, order.size - 1):
        move(order[i], indptr, indices, values, totals, side, counts, tokens, sizes)
    return best


@compiled
def descend(
    sweeps: int, least: float, state: Array, kind: int, indptr: Array, indices: Array,
    values: Floats, totals: Floats, side: Array, counts: Floats, tokens: Floats, sizes: Floats,
    prior: Floats, mass: float, width: float, naming: float, table: Floats,
) -> float:  # fmt: skip
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
            if sizes[side[row]] <= 1.0:
                continue
            d = move_cost(
                row, kind, indptr, indices, values, totals, side, counts, tokens, sizes, prior,
                mass, width, naming, table,
            )  # fmt: skip
            if d < -ROUNDING:
                move(row, indptr, indices, values, totals, side, counts, tokens, sizes)
                gained -= d
        change -= gained
        if gained <= least:
            break
    return change


@compiled
def heat(
    kind: int, indptr: Array, indices: Array, values: Floats, totals: Floats, side: Array,
    counts: Floats, tokens: Floats, sizes: Floats, prior: Floats, mass: float, width: float,
    naming: float, table: Floats,
) -> float:  # fmt: skip
    """The mean size of what a move costs or brings: a temperature at which all may happen."""
    total = 0.0
    for row in range(side.size):
        if sizes[side[row]] > 1.0:
            total += abs(
                move_cost(
                    row, kind, indptr, indices, values, totals, side, counts, tokens, sizes,
                    prior, mass, width, naming, table,
                )
            )  # fmt: skip
    return total / side.size


@compiled
def anneal(
    hottest: float, coldest: float, steps: int, state: Array, kind: int, indptr: Array,
    indices: Array, values: Floats, totals: Floats, side: Array, counts: Floats, tokens: Floats,
    sizes: Floats, prior: Floats, mass: float, width: float, naming: float, table: Floats,
) -> float:  # fmt: skip
    """Heat-bath sweeps at falling temperatures; the change of length. Neither side is emptied."""
    order = np.arange(side.size)
    change = 0.0
    for step in range(steps):
        temperature = hottest * (coldest / hottest) ** (step / max(steps - 1, 1))
        shuffle(order, state)
        for i in range(order.size):
            row = order[i]
            if sizes[side[row]] <= 1.0:
                continue
            d = move_cost(
                row, kind, indptr, indices, values, totals, side, counts, tokens, sizes, prior,
                mass, width, naming, table,
            )  # fmt: skip
            if _random(state) < 1.0 / (1.0 + math.exp(min(d / temperature, 700.0))):
                move(row, indptr, indices, values, totals, side, counts, tokens, sizes)
                change += d
    return change


@compiled
def anneal_as_printed(
    penalty: float, state: Array, kind: int, indptr: Array, indices: Array, values: Floats,
    totals: Floats, side: Array, counts: Floats, tokens: Floats, sizes: Floats, prior: Floats,
    mass: float, width: float, naming: float, table: Floats,
) -> int:  # fmt: skip
    """Figure 1 of Li & Abe (1996), steps 1 and 2: T = 1 at first, in bits; sides may be emptied.

    The penalty is charged while both sides have words. Gives the number of trials.
    """
    n = side.size
    scatter(side, state)
    tally(indptr, indices, values, totals, side, counts, tokens, sizes)
    temperature, trials, since = 1.0, 0, 0
    while since < 10 * n:
        row = int(_random(state) * n)
        d = move_cost(
            row, kind, indptr, indices, values, totals, side, counts, tokens, sizes, prior, mass,
            width, naming, table,
        )  # fmt: skip
        if sizes[side[row]] == 1.0:
            d -= penalty
        if sizes[1 - side[row]] == 0.0:
            d += penalty
        trials += 1
        since += 1
        if d < 0.0 or _random(state) < math.exp(-d / math.log(2.0) / temperature):
            move(row, indptr, indices, values, totals, side, counts, tokens, sizes)
            if d < -ROUNDING:
                since = 0
        if trials % (10 * n) == 0:
            temperature *= 0.9
    return trials
