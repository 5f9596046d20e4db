"""The first axes of a correspondence analysis: eigenvectors of a sparse table by Lanczos iteration.

Lanczos builds an orthonormal basis b_1, b_2, … of the Krylov space of a symmetric operator A, in
which A is tridiagonal:

    (1)  A·b_j = β_{j−1}·b_{j−1} + α_j·b_j + β_j·b_{j+1}.

The eigenvectors of the small tridiagonal matrix, mapped back by the basis, approximate the extreme
eigenvectors of A; the residual of an approximation is β_j times its last component.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled, compiled_within
from roget.core.kernels.rows import RowIndex, mean_rows
from roget.core.types import Array, Floats

NONE = 1e-9
"""A vector of at most this length is a rounding error."""


class Operator(NamedTuple):
    """The operator y = S·P·diag(inverse)·Pᵀ·S·x over some rows P of a table, with S = diag(scale).

    Its largest eigenvalue is known to be 1; `trivial` is the eigenvector of length 1.
    """

    rows: RowIndex
    words: Array
    scale: Floats
    inverse: Floats
    trivial: Floats


@compiled_within
def _apply(operator: Operator, x: Floats, room: Floats, y: Floats) -> None:
    rows, words, scale = operator.rows, operator.words, operator.scale
    mean_rows(words, scale * x, rows, room)
    for v in range(room.size):
        room[v] *= operator.inverse[v]
    for w in range(words.size):
        i, total = words[w], 0.0
        for j in range(rows.indptr[i], rows.indptr[i + 1]):
            total += rows.values[j] * room[rows.indices[j]]
        y[w] = scale[w] * total


@compiled_within
def _orthogonalise(x: Floats, basis: Floats, size: int) -> float:
    """Subtract the components of x along the basis and return the length of the rest.

    Two passes are needed to keep the basis orthogonal to the last digits.
    """
    for _ in range(2):
        for b in range(size):
            x -= np.sum(x * basis[b]) * basis[b]
    return math.sqrt(np.sum(x * x))


@compiled
def find_axes(
    operator: Operator, start: Floats, steps: int, tolerance: float, wanted: int
) -> tuple[Floats, Floats, float]:
    """Return the largest non-trivial eigenvalues, their vectors, and the residual of the first.

    The iteration ends when the first eigenvalue has the relative tolerance, or after `steps` steps.
    Fewer than `wanted` vectors are returned if the table has no more.
    """
    n = operator.words.size
    steps = min(steps, n - 1)
    basis = np.zeros((steps + 2, n))
    basis[0] = operator.trivial
    x, room = start.copy(), np.zeros(operator.inverse.size)
    norm = _orthogonalise(x, basis, 1)
    small, vectors, values = np.zeros((steps, steps)), np.zeros((1, 1)), np.zeros(1)
    done, error = 0, 0.0
    for step in range(steps):
        if norm < NONE:
            break
        done = step + 1
        # One step of equation (1); all basis vectors are kept, the trivial one first.
        basis[done] = x / norm
        _apply(operator, basis[done], room, x)
        small[step, step] = np.sum(x * basis[done])
        norm = _orthogonalise(x, basis, done + 1)
        if done < steps:
            small[step, done] = small[done, step] = norm
        # Solve the small problem every fourth step and test the residual.
        if done % 4 == 0 or norm < NONE or done == steps:
            values, vectors = np.linalg.eigh(small[:done, :done].copy())
            error = norm * abs(vectors[done - 1, done - 1])
            if error <= tolerance * values[done - 1]:
                break
    size = vectors.shape[0]
    kept = min(wanted, size) if done else 0
    # Map the small eigenvectors back, the largest eigenvalue first.
    largest, out = np.zeros(kept), np.zeros((kept, n))
    for place in range(kept):
        largest[place] = max(values[size - 1 - place], 0.0)
        for step in range(size):
            out[place] += vectors[step, size - 1 - place] * basis[step + 1]
    residual = error / largest[0] if kept and largest[0] > 0.0 else 0.0
    return largest, out, residual
