"""The largest singular values of a sparse table."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

ITERATIONS = 8
"""Steps by which a random start comes near: the seed is then of little matter."""

MORE = 20
"""Dimensions that are followed besides those asked for, so that the last of them come near too."""


def decompose(matrix: Any, dimensions: int, seed: int) -> tuple[Any, Any, Any]:
    """U, the largest singular values and Vᵀ, on one thread; a small matrix is done exactly.

    Iterations of the subspace of the shorter side: only its vectors are made orthogonal, which is
    where other ways spend their time.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # the same bits on every machine
        if min(matrix.shape) <= dimensions + MORE:
            left, values, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
            return left[:, :dimensions], values[:dimensions], right[:dimensions]
        wide = matrix.shape[0] <= matrix.shape[1]
        there = sparse.csr_array(matrix if wide else matrix.T, dtype=np.float32)
        back = sparse.csr_array(there.T)
        rng = np.random.default_rng(seed)
        basis = rng.standard_normal((there.shape[0], dimensions + MORE)).astype(np.float32)
        for _ in range(ITERATIONS):
            basis = np.linalg.qr(there @ (back @ basis))[0]
        across = back @ basis
        squares, turn = np.linalg.eigh(across.T @ across)
        turn = turn[:, ::-1][:, :dimensions]
        values = np.sqrt(np.maximum(squares[::-1][:dimensions], 0))
        left, right = basis @ turn, (across @ turn / np.maximum(values, 1e-12)).T
        return (left, values, right) if wide else (right.T, values, left.T)
