"""Correspondence analysis of a sparse table: its first axes, by Lanczos iteration, compiled."""

from __future__ import annotations

import math

import numpy as np

from roget.learn.clustering.mdl.kernels import Array, Floats, compiled


@compiled
def _apply(
    indptr: Array, indices: Array, values: Floats, inverse: Floats, roots: Floats, x: Floats,
    room: Floats, y: Floats,
) -> None:  # fmt: skip
    """y = R·X·C·Xᵀ·R·x, with R = diag(1/√row sums) and C = diag(1/column sums)."""
    room[:] = 0.0
    for i in range(x.size):
        weight = x[i] / roots[i]
        for j in range(indptr[i], indptr[i + 1]):
            room[indices[j]] += weight * values[j]
    for v in range(room.size):
        room[v] *= inverse[v]
    for i in range(x.size):
        total = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            total += values[j] * room[indices[j]]
        y[i] = total / roots[i]


@compiled
def _orthogonalise(x: Floats, basis: Floats, size: int) -> float:
    """Take out of x its parts along the basis, twice; return what is left."""
    for _ in range(2):
        for b in range(size):
            x -= np.sum(x * basis[b]) * basis[b]
    return math.sqrt(np.sum(x * x))


@compiled
def axes(
    indptr: Array, indices: Array, values: Floats, totals: Floats, columns: int, start: Floats,
    steps: int, tolerance: float, wanted: int,
) -> Floats:  # fmt: skip
    """Rows' coordinates on the first axes (one axis, one row of the result), the trivial one aside.

    Ends when the first axis is found to the tolerance, or after so many steps. There are fewer
    axes than wanted if the table has no more.
    """
    n = totals.size
    roots, sums = np.sqrt(totals), np.zeros(columns)
    for j in range(values.size):
        sums[indices[j]] += values[j]
    inverse = 1.0 / sums
    basis = np.zeros((steps + 2, n))
    basis[0] = roots / math.sqrt(np.sum(totals))
    x, room = start.copy(), np.zeros(columns)
    norm = _orthogonalise(x, basis, 1)
    small, vectors = np.zeros((steps, steps)), np.zeros((1, 1))
    done = 0
    for step in range(min(steps, n - 1)):
        if norm < 1e-9:
            break
        done = step + 1
        basis[done] = x / norm
        _apply(indptr, indices, values, inverse, roots, basis[done], room, x)
        small[step, step] = np.sum(x * basis[done])
        norm = _orthogonalise(x, basis, done + 1)
        if step + 1 < steps:
            small[step, step + 1] = small[step + 1, step] = norm
        if done % 4 == 0 or norm < 1e-9 or done == min(steps, n - 1):
            found, vectors = np.linalg.eigh(small[:done, :done].copy())
            error = norm * abs(vectors[done - 1, done - 1])
            if error <= tolerance * found[done - 1]:
                break
    kept = min(wanted, vectors.shape[0]) if done else 0
    out = np.zeros((kept, n))
    size = vectors.shape[0]
    for place in range(kept):
        for step in range(size):
            out[place] += vectors[step, size - 1 - place] * basis[step + 1]
        out[place] /= roots
    return out
