"""Compiled kernels for the E step, the M step, and EM on the two copies of a split cluster.

Equation numbers refer to Pereira, Tishby & Lee (1993):

    E step  p(c|n) = exp(β·Σ_v p_n(v) ln p(v|c) + bias_c) / Z_n      (eq. 8; H(p_n) cancels in Z_n)
    M step  p(v|c) = Σ_n p(n|c)·p_n(v) = Σ_n p(n)·p(c|n)·p_n(v) / p(c)       (eq. 11, Bayes' rule)

with bias_c = 0, or ln p(c) for mass-constrained memberships. Every kernel writes only the rows of
its range (words in the E step, contexts in the M step) and adds in a fixed order, so results do not
depend on the number of threads. Matrices may have more columns than the k clusters in use.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled, compiled_within
from roget.core.kernels.rows import RowIndex
from roget.core.types import Array, Floats

TINY = 1e-12
"""Fraction of the highest membership below which memberships become 0.

Without this limit, there would be subnormal numbers, with which arithmetic is slow.
"""

TWIN_STEPS, TWIN_TOLERANCE = 40, 1e-3
"""Limits of EM on the two copies of a split cluster (twins).

They are the maximum number of steps, and the change in memberships at which EM stops.
"""


class Centroids(NamedTuple):
    """Parameters of the k clusters that the E step requires."""

    logs: Array
    """ln p(v|c), with one row per context and at least k columns."""
    bias: Floats
    """Term added to β·Σ p_n(v)·ln p(v|c) for each cluster."""
    beta: float


class Fits(NamedTuple):
    """Results of the E step for each word, except memberships. Updated in place."""

    log_z: Floats
    """ln Z_n of each word, excluding the term β·H(p_n)."""
    entropy: Floats
    """Entropy of the word's memberships."""


class Lists(NamedTuple):
    """Sparse memberships, stored as a list of clusters for each word.

    The clusters of word i are clusters[offsets[i]:offsets[i + 1]].
    """

    offsets: Array
    clusters: Array
    shares: Array


@compiled_within
def _sum_rows(begin: int, end: int, rows: RowIndex, table: Array, out: Array) -> None:
    """Write the weighted sum of table rows for the entries `begin` to `end` to `out`.

    The loop handles four rows at once: rows are prefetched while others are added, and `out` is
    loaded and stored a quarter as often. The order of additions is fixed.
    """
    _, indices, values = rows
    out[:] = 0
    four = end - (end - begin) % 4
    for j in range(begin, four, 4):
        first, second = table[indices[j]], table[indices[j + 1]]
        third, fourth = table[indices[j + 2]], table[indices[j + 3]]
        a, b, c, d = values[j], values[j + 1], values[j + 2], values[j + 3]
        for at in range(out.size):
            two = out[at] + a * first[at] + b * second[at]
            out[at] = two + c * third[at] + d * fourth[at]
    for j in range(four, end):
        value, row = values[j], table[indices[j]]
        for at in range(out.size):
            out[at] += value * row[at]


@compiled_within
def _compute_memberships(
    scores: Array, places: Array, bias: Floats, beta: float, weight: float, out: Array, mass: Floats
) -> tuple[float, float]:
    """Compute a word's memberships in the clusters `places` (eq. 8).

    Return ln Z_n and the membership entropy.
    """
    # 1. Find the highest exponent, to avoid overflow.
    highest = -np.inf
    for at in range(places.size):
        highest = max(highest, beta * scores[at] + bias[places[at]])
    total, product = 0.0, 0.0
    # 2. Compute exp(β·score + bias − highest) and the sum. Set values below TINY to 0.
    for at in range(places.size):
        gap = beta * scores[at] + bias[places[at]] - highest
        x = math.exp(gap)
        if x < TINY:
            x = 0.0
        out[at] = x
        total += x
        product += x * gap
    # 3. Normalise to p(c|n), and add p(n)·p(c|n) to the masses p(c).
    scale = 1.0 / total
    for at in range(places.size):
        x = out[at] * scale
        out[at] = x
        mass[places[at]] += weight * x
    # 4. ln Z_n = highest + ln total. H = ln total − Σ p(c|n)·gap_c, where gap_c is the exponent of
    # cluster c minus `highest`.
    return highest + math.log(total), math.log(total) - product * scale


@compiled
def expect(
    begin: int, end: int, rows: RowIndex, centroids: Centroids, prior: Floats, q: Array, fits: Fits,
    mass: Floats,
) -> None:  # fmt: skip
    """Run the E step over all clusters for words `begin` to `end`.

    Write the masses Σ_n p(n)·p(c|n) of these words to `mass`.
    """
    logs, bias, beta = centroids
    scores, every = np.zeros(bias.size, logs.dtype), np.arange(bias.size)
    mass[:] = 0.0
    for i in range(begin, end):
        # Compute the scores Σ_v p_n(v)·ln p(v|c) of all clusters, then the memberships.
        _sum_rows(rows.indptr[i], rows.indptr[i + 1], rows, logs, scores)
        fits.log_z[i], fits.entropy[i] = _compute_memberships(
            scores, every, bias, beta, prior[i], q[i], mass
        )


@compiled_within
def _invert(mass: Floats) -> Floats:
    """Return 1/p(c), or 0 for empty clusters."""
    scale = np.zeros(mass.size)
    for c in range(mass.size):
        scale[c] = 1.0 / mass[c] if mass[c] > 0.0 else 0.0
    return scale


@compiled_within
def _write_logs(sums: Array, scale: Floats, least: float, out: Array) -> None:
    """Write ln p(v|c) of one context for all clusters, clipped from below."""
    lowest = math.log(least)
    for c in range(scale.size):
        x = sums[c] * scale[c]
        out[c] = math.log(x) if x > least else lowest


@compiled
def maximise(
    begin: int, end: int, columns: RowIndex, q: Array, mass: Floats, floor: Floats, logs: Array
) -> None:
    """Run the M step for contexts `begin` to `end`.

    Compute ln p(v|c) with the lower bound `floor`. `columns` holds p(n)·p_n(v) by context.
    """
    scale, sums = _invert(mass), np.zeros(mass.size, logs.dtype)
    for v in range(begin, end):
        # Compute Σ_n p(n)·p_n(v)·p(c|n), then divide by p(c) (eq. 11).
        _sum_rows(columns.indptr[v], columns.indptr[v + 1], columns, q, sums)
        _write_logs(sums, scale, floor[v], logs[v])


@compiled
def pack(begin: int, end: int, q: Array, k: int, least: float, counts: Array) -> None:
    """Count the memberships of at least `least` for each word."""
    for i in range(begin, end):
        row, n = q[i], 0
        for c in range(k):
            n += row[c] >= least
        counts[i] = n


@compiled
def fill(begin: int, end: int, q: Array, k: int, least: float, lists: Lists) -> None:
    """Copy memberships of at least `least` to the lists."""
    offsets, clusters, shares = lists
    for i in range(begin, end):
        row, at = q[i], offsets[i]
        for c in range(k):
            if row[c] >= least:
                clusters[at], shares[at] = c, row[c]
                at += 1


@compiled
def spread(begin: int, end: int, lists: Lists, k: int, q: Array) -> None:
    """Copy the lists back to the matrix. Clusters that are not in a word's list get 0."""
    offsets, clusters, shares = lists
    for i in range(begin, end):
        row = q[i]
        for c in range(k):
            row[c] = 0
        for at in range(offsets[i], offsets[i + 1]):
            row[clusters[at]] = shares[at]


@compiled
def expect_listed(
    begin: int, end: int, rows: RowIndex, centroids: Centroids, prior: Floats, lists: Lists,
    fits: Fits,
    mass: Floats,
) -> None:  # fmt: skip
    """Run the E step over each word's listed clusters only."""
    logs, bias, beta = centroids
    indptr, indices, values = rows
    mass[:] = 0.0
    for i in range(begin, end):
        here = slice(lists.offsets[i], lists.offsets[i + 1])
        clusters, shares = lists.clusters[here], lists.shares[here]
        # Compute the scores of the listed clusters in place, then the memberships.
        shares[:] = 0
        for j in range(indptr[i], indptr[i + 1]):
            share, row = values[j], logs[indices[j]]
            for at in range(clusters.size):
                shares[at] += share * row[clusters[at]]
        fits.log_z[i], fits.entropy[i] = _compute_memberships(
            shares, clusters, bias, beta, prior[i], shares, mass
        )


@compiled
def maximise_listed(
    begin: int, end: int, columns: RowIndex, lists: Lists, mass: Floats, floor: Floats, logs: Array
) -> None:
    """Run the M step with memberships stored as lists (see `Lists`)."""
    indptr, rows, weights = columns
    offsets, clusters, shares = lists
    k, scale = mass.size, _invert(mass)
    sums = np.zeros(k, logs.dtype)
    for v in range(begin, end):
        for c in range(k):
            sums[c] = 0
        for j in range(indptr[v], indptr[v + 1]):
            i, weight = rows[j], weights[j]
            for at in range(offsets[i], offsets[i + 1]):
                sums[clusters[at]] += weight * shares[at]
        _write_logs(sums, scale, floor[v], logs[v])


@compiled
def twins(
    words: Array, weights: Floats, rows: RowIndex, beta: float, floor: Floats, share: Floats,
    sums: Floats,
) -> float:  # fmt: skip
    """Run EM on the two copies of a cluster (twins), which divide the weights of its words.

    `share` is the fraction of each word in the first twin. On return, the rows of `sums` hold the
    centroids of the twins, multiplied by their masses. Return the mass of the first twin.
    """
    indptr, indices, values = rows
    first, second, steps = sums[0], sums[1], TWIN_STEPS
    gap = np.zeros(first.size)
    total, one = np.sum(weights), 0.0
    for step in range(steps + 1):
        # 1. M step (eq. 11): compute the masses of the twin clusters, and their centroids times
        # masses.
        one = np.sum(weights * share)
        two = total - one
        first[:] = 0.0
        second[:] = 0.0
        for w in range(words.size):
            i, left = words[w], weights[w] * share[w]
            right = weights[w] - left
            for j in range(indptr[i], indptr[i + 1]):
                first[indices[j]] += left * values[j]
                second[indices[j]] += right * values[j]
        if step == steps or one <= TINY * total or two <= TINY * total:
            return one
        # 2. E step (eq. 8): the membership in the first twin is a logistic function of β·Σ_v
        # p_n(v)·ln(p(v|first)/p(v|second)) + ln(mass ratio).
        for v in range(gap.size):
            if first[v] + second[v] > 0.0:
                a, b = max(first[v] / one, floor[v]), max(second[v] / two, floor[v])
                gap[v] = math.log(a / b)
        bias, change = math.log(one / two), 0.0
        for w in range(words.size):
            i, score = words[w], 0.0
            for j in range(indptr[i], indptr[i + 1]):
                score += values[j] * gap[indices[j]]
            new = 1.0 / (1.0 + math.exp(-(beta * score + bias)))
            change = max(change, abs(new - share[w]))
            share[w] = new
        # 3. After convergence, run one more M step.
        if change < TWIN_TOLERANCE:
            steps = step + 1
    return one
