"""The largest singular values of a sparse table."""

from __future__ import annotations

from typing import Any

import numpy as np

ITERATIONS = 8
"""Steps by which a random start comes near: the seed is then of little matter."""


def decompose(
    matrix: Any, dimensions: int, seed: int, iterations: int = ITERATIONS
) -> tuple[Any, Any, Any]:
    """U, the largest singular values and Vᵀ, on one thread; a small matrix is done exactly."""
    from sklearn.utils.extmath import randomized_svd
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # the same bits on every machine
        if min(matrix.shape) <= dimensions:
            found = np.linalg.svd(matrix.toarray(), full_matrices=False)
            return found[0], found[1], found[2]
        left, values, right = randomized_svd(
            matrix.astype(np.float32), dimensions, n_oversamples=20, n_iter=iterations,
            power_iteration_normalizer="QR", random_state=seed,
        )  # fmt: skip
    return left, values, right
