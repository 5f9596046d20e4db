"""The E-step, the M-step, the twins' EM and the power of a cluster's operator, compiled.

Every kernel writes only rows of its own range (words in the E-step, contexts in the M-step), and
sums in a fixed order, so that results do not depend on how many threads share the ranges.
Score matrices and memberships have room for more clusters than there are: `k` says how many.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

Array: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]

_Function = TypeVar("_Function", bound=Callable[..., Any])

TINY = 1e-12
"""Memberships below this are zero: subnormal numbers are slow, and nothing depends on them."""


def _compiled(function: _Function) -> _Function:
    return cast(_Function, njit(function, cache=True, nogil=True, error_model="numpy"))


@_compiled
def expect(
    begin: int, end: int, indptr: Array, indices: Array, values: Array, logs: Array, k: int,
    beta: float, bias: Floats, prior: Floats, q: Array, log_z: Floats, entropy: Floats,
    mass: Floats,
) -> None:  # fmt: skip
    """Memberships of words begin to end in all k clusters, exactly.

    logs[v, c] is log p(v|c); bias[c] is added to β·Σ p_n(v) log p(v|c). Gives q, log Z without the
    word's own entropy, the entropy of each membership, and this range's part of the masses.
    """
    scores = np.zeros(k, logs.dtype)
    for c in range(k):
        mass[c] = 0.0
    for i in range(begin, end):
        for c in range(k):
            scores[c] = 0
        for j in range(indptr[i], indptr[i + 1]):
            share, row = values[j], logs[indices[j]]
            for c in range(k):
                scores[c] += share * row[c]
        out = q[i]
        highest = -np.inf
        for c in range(k):
            score = beta * scores[c] + bias[c]
            out[c] = score
            highest = max(highest, score)
        total, product = 0.0, 0.0
        for c in range(k):
            gap = beta * scores[c] + bias[c] - highest
            x = math.exp(gap)
            if x < TINY:
                x = 0.0
            out[c] = x
            total += x
            product += x * gap
        scale, weight = 1.0 / total, prior[i]
        for c in range(k):
            x = out[c] * scale
            out[c] = x
            mass[c] += weight * x
        log_z[i] = highest + math.log(total)
        entropy[i] = math.log(total) - product * scale


@_compiled
def maximise(
    begin: int, end: int, indptr: Array, rows: Array, weights: Array, q: Array, k: int,
    mass: Floats, floor: Floats, logs: Array,
) -> None:  # fmt: skip
    """log p(v|c) of contexts begin to end: the members' mean, not below the context's floor."""
    sums, scale = np.zeros(k, logs.dtype), np.zeros(k, np.float64)
    for c in range(k):
        scale[c] = 1.0 / mass[c] if mass[c] > 0.0 else 0.0
    for v in range(begin, end):
        for c in range(k):
            sums[c] = 0
        for j in range(indptr[v], indptr[v + 1]):
            weight, row = weights[j], q[rows[j]]
            for c in range(k):
                sums[c] += weight * row[c]
        out, least = logs[v], floor[v]
        lowest = math.log(least)
        for c in range(k):
            x = sums[c] * scale[c]
            out[c] = math.log(x) if x > least else lowest


@_compiled
def pack(begin: int, end: int, q: Array, k: int, least: float, counts: Array) -> None:
    """How many memberships of each word are at least `least`."""
    for i in range(begin, end):
        row, n = q[i], 0
        for c in range(k):
            n += row[c] >= least
        counts[i] = n


@_compiled
def fill(
    begin: int, end: int, q: Array, k: int, least: float, offsets: Array, clusters: Array,
    shares: Array,
) -> None:  # fmt: skip
    """Those memberships as lists: word i has clusters[offsets[i]:offsets[i + 1]]."""
    for i in range(begin, end):
        row, at = q[i], offsets[i]
        for c in range(k):
            if row[c] >= least:
                clusters[at], shares[at] = c, row[c]
                at += 1


@_compiled
def spread(
    begin: int, end: int, offsets: Array, clusters: Array, shares: Array, k: int, q: Array
) -> None:
    """Lists back into rows; a cluster that is not in a word's list gets 0."""
    for i in range(begin, end):
        row = q[i]
        for c in range(k):
            row[c] = 0
        for at in range(offsets[i], offsets[i + 1]):
            row[clusters[at]] = shares[at]


@_compiled
def expect_listed(
    begin: int, end: int, indptr: Array, indices: Array, values: Array, logs: Array, k: int,
    beta: float, bias: Floats, prior: Floats, offsets: Array, clusters: Array, shares: Array,
    log_z: Floats, entropy: Floats, mass: Floats,
) -> None:  # fmt: skip
    """The E-step among each word's listed clusters only."""
    for c in range(k):
        mass[c] = 0.0
    for i in range(begin, end):
        first, past = offsets[i], offsets[i + 1]
        for at in range(first, past):
            shares[at] = 0
        for j in range(indptr[i], indptr[i + 1]):
            share, row = values[j], logs[indices[j]]
            for at in range(first, past):
                shares[at] += share * row[clusters[at]]
        highest = -np.inf
        for at in range(first, past):
            highest = max(highest, beta * shares[at] + bias[clusters[at]])
        total, product = 0.0, 0.0
        for at in range(first, past):
            gap = beta * shares[at] + bias[clusters[at]] - highest
            x = math.exp(gap)
            if x < TINY:
                x = 0.0
            shares[at] = x
            total += x
            product += x * gap
        scale, weight = 1.0 / total, prior[i]
        for at in range(first, past):
            x = shares[at] * scale
            shares[at] = x
            mass[clusters[at]] += weight * x
        log_z[i] = highest + math.log(total)
        entropy[i] = math.log(total) - product * scale


@_compiled
def maximise_listed(
    begin: int, end: int, indptr: Array, rows: Array, weights: Array, offsets: Array,
    clusters: Array, shares: Array, k: int, mass: Floats, floor: Floats, logs: Array,
) -> None:  # fmt: skip
    """The M-step from lists of clusters."""
    sums, scale = np.zeros(k, logs.dtype), np.zeros(k, np.float64)
    for c in range(k):
        scale[c] = 1.0 / mass[c] if mass[c] > 0.0 else 0.0
    for v in range(begin, end):
        for c in range(k):
            sums[c] = 0
        for j in range(indptr[v], indptr[v + 1]):
            i, weight = rows[j], weights[j]
            for at in range(offsets[i], offsets[i + 1]):
                sums[clusters[at]] += weight * shares[at]
        out, least = logs[v], floor[v]
        lowest = math.log(least)
        for c in range(k):
            x = sums[c] * scale[c]
            out[c] = math.log(x) if x > least else lowest


@_compiled
def members(q: Array, c: int, prior: Floats, least: float) -> tuple[Array, Floats]:
    """The words of a cluster with their weights p(n)·p(c|n), without those of at most `least`."""
    n = 0
    for i in range(q.shape[0]):
        n += prior[i] * q[i, c] > least
    words, weights = np.empty(n, np.int64), np.empty(n, np.float64)
    n = 0
    for i in range(q.shape[0]):
        weight = prior[i] * q[i, c]
        if weight > least:
            words[n], weights[n] = i, weight
            n += 1
    return words, weights


@_compiled
def mean(words: Array, weights: Floats, indptr: Array, indices: Array, values: Array,
         out: Floats) -> None:  # fmt: skip
    """Σ weight·p_n(v) over the words, into `out`."""
    out[:] = 0.0
    for w in range(words.size):
        i, weight = words[w], weights[w]
        for j in range(indptr[i], indptr[i + 1]):
            out[indices[j]] += weight * values[j]


@_compiled
def apply(
    words: Array, roots: Floats, indptr: Array, indices: Array, values: Array, inverse: Floats,
    x: Floats, room: Floats, y: Floats,
) -> None:  # fmt: skip
    """y = S·P·diag(1/p_c)·Pᵀ·S·x, with S = diag(√p(n|c)): the cluster's operator, symmetric.

    It has the eigenvalues of C_c·diag(1/p_c), which is never formed.
    """
    room[:] = 0.0
    for w in range(words.size):
        i, weight = words[w], roots[w] * x[w]
        for j in range(indptr[i], indptr[i + 1]):
            room[indices[j]] += weight * values[j]
    for v in range(room.size):
        room[v] *= inverse[v]
    for w in range(words.size):
        i, total = words[w], 0.0
        for j in range(indptr[i], indptr[i + 1]):
            total += values[j] * room[indices[j]]
        y[w] = roots[w] * total


@_compiled
def lanczos(
    words: Array, roots: Floats, indptr: Array, indices: Array, values: Array, inverse: Floats,
    x: Floats, steps: int, tolerance: float,
) -> tuple[float, float]:  # fmt: skip
    """The largest eigenvalue apart from the trivial 1 of √p(n|c), and its relative residual.

    Starts from x and leaves the eigenvector there; keeps all vectors orthogonal.
    """
    n = words.size
    basis = np.zeros((steps + 1, n))
    room, y = np.zeros(inverse.size), np.zeros(n)
    diagonal, beside = np.zeros(steps), np.zeros(steps + 1)
    norm = _orthogonalise(x, basis, 0, roots)
    if norm < 1e-9:
        return 0.0, 0.0
    basis[0] = x / norm
    value, error, done = 0.0, 0.0, 0
    small = np.zeros((steps, steps))
    vectors = np.zeros((1, 1))
    for step in range(steps):
        done = step + 1
        apply(words, roots, indptr, indices, values, inverse, basis[step], room, y)
        diagonal[step] = np.sum(y * basis[step])
        beside[done] = _orthogonalise(y, basis, done, roots)
        small[step, step] = diagonal[step]
        if step:
            small[step, step - 1] = small[step - 1, step] = beside[step]
        last = done == steps or beside[done] < 1e-12
        if last or done % 4 == 0:
            found, vectors = np.linalg.eigh(small[:done, :done].copy())
            value = max(found[done - 1], 0.0)
            error = abs(beside[done] * vectors[done - 1, done - 1])
            if last or error <= tolerance * value or value < 1e-12:
                break
        basis[done] = y / beside[done]
    x[:] = 0.0
    for step in range(done):
        x += vectors[step, done - 1] * basis[step]
    return value, (error / value if value > 0.0 else 0.0)


@_compiled
def _orthogonalise(x: Floats, basis: Floats, size: int, roots: Floats) -> float:
    """Take out of x its parts along the roots and the basis, twice; return what is left."""
    for _ in range(2):
        x -= np.sum(x * roots) * roots
        for b in range(size):
            x -= np.sum(x * basis[b]) * basis[b]
    return math.sqrt(np.sum(x * x))


@_compiled
def twins(
    words: Array, weights: Floats, indptr: Array, indices: Array, values: Array, beta: float,
    floor: Floats, share: Floats, steps: int, tolerance: float, first: Floats, second: Floats,
) -> float:  # fmt: skip
    """EM between two twins that share their parent's weights; share is the first one's part.

    Leaves in `first` and `second` the twins' means times their masses; gives the first one's mass.
    """
    gap = np.zeros(first.size)
    total, one = np.sum(weights), 0.0
    for step in range(steps + 1):
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
        if change < tolerance:
            steps = step + 1
    return one
