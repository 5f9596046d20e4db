"""The first axes of a correspondence analysis, computed as eigenvectors by Lanczos iteration.

Lanczos builds an orthonormal basis b_1, b_2, … of the Krylov space of a symmetric operator A, in
which A is tridiagonal:

    (1)  A·b_j = β_{j−1}·b_{j−1} + α_j·b_j + β_j·b_{j+1}.

The eigenvectors of the small tridiagonal matrix, multiplied by the basis, approximate the extreme
eigenvectors of A. The residual of an approximation is β_j times the last component of the small
eigenvector.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from roget.core.kernels.jit import compiled, compiled_within
from roget.core.kernels.rows import RowIndex, mean_rows
from roget.core.types import Array, Floats

NONE = 1e-9
"""Maximum Euclidean norm of vectors that are treated as zero."""


class Operator(NamedTuple):
    """The operator S·P·diag(inverse)·Pᵀ·S, where S = diag(scale) and P is a matrix of table rows.

    P consists of the rows `words` of the table. The largest eigenvalue is always 1. Its
    eigenvector, scaled to length 1, is `trivial`.
    """

    rows: RowIndex
    words: Array
    scale: Floats
    inverse: Floats
    trivial: Floats


@compiled_within
def _apply(operator: Operator, x: Floats, scratch: Floats, y: Floats) -> None:
    """Apply the operator to x and write the result into y. `scratch` has one element per column."""
    rows, words, scale = operator.rows, operator.words, operator.scale
    # Compute scratch = diag(inverse)·Pᵀ·S·x.
    mean_rows(words, scale * x, rows, scratch)
    for v in range(scratch.size):
        scratch[v] *= operator.inverse[v]
    # Compute y = S·P·scratch.
    for w in range(words.size):
        i, total = words[w], 0.0
        for j in range(rows.indptr[i], rows.indptr[i + 1]):
            total += rows.values[j] * scratch[rows.indices[j]]
        y[w] = scale[w] * total


@compiled_within
def _orthogonalise(x: Floats, basis: Floats, size: int) -> float:
    """Subtract the projections of x onto the basis from x, and return the length of the remainder.

    One pass of Gram–Schmidt loses digits by cancellation. A second pass restores orthogonality.
    """
    for _ in range(2):
        for b in range(size):
            x -= np.sum(x * basis[b]) * basis[b]
    return math.sqrt(np.sum(x * x))


@compiled
def find_axes(
    operator: Operator, start: Floats, steps: int, tolerance: float, wanted: int
) -> tuple[Floats, Floats, float]:
    """Return the largest non-trivial eigenvalues, their eigenvectors, and the first residual.

    At most `wanted` eigenvalues are returned.

    The iteration ends when the relative residual of the first eigenvalue is at most `tolerance`,
    or after `steps` steps. The result has fewer vectors if the Krylov space is smaller.
    """
    n = operator.words.size
    steps = min(steps, n - 1)
    basis = np.zeros((steps + 2, n))
    basis[0] = operator.trivial
    x, scratch = start.copy(), np.zeros(operator.inverse.size)
    norm = _orthogonalise(x, basis, 1)
    small, vectors, values = np.zeros((steps, steps)), np.zeros((1, 1)), np.zeros(1)
    done, error = 0, 0.0
    for step in range(steps):
        if norm < NONE:
            break
        done = step + 1
        # Apply equation (1) once. basis[0] is the trivial vector, so x is also orthogonal to it.
        basis[done] = x / norm
        _apply(operator, basis[done], scratch, x)
        small[step, step] = np.sum(x * basis[done])
        norm = _orthogonalise(x, basis, done + 1)
        if done < steps:
            small[step, done] = small[done, step] = norm
        # Every fourth step, compute the eigenvectors of the small matrix and test the residual.
        if done % 4 == 0 or norm < NONE or done == steps:
            values, vectors = np.linalg.eigh(small[:done, :done].copy())
            error = norm * abs(vectors[done - 1, done - 1])
            if error <= tolerance * values[done - 1]:
                break
    size = vectors.shape[0]
    kept = min(wanted, size) if done else 0
    # Multiply the basis by the eigenvectors of the small matrix, largest eigenvalue first.
    largest, out = np.zeros(kept), np.zeros((kept, n))
    for place in range(kept):
        largest[place] = max(values[size - 1 - place], 0.0)
        for step in range(size):
            out[place] += vectors[step, size - 1 - place] * basis[step + 1]
    residual = error / largest[0] if kept and largest[0] > 0.0 else 0.0
    return largest, out, residual
