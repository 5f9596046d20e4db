"""Iterative singular values against the dense decomposition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from roget.learn.representation.vectors import decompose


@pytest.mark.parametrize("shape", [(60, 200), (200, 60), (12, 9)])
def test_largest_singular_values_and_vectors(shape: tuple[int, int]) -> None:
    table = np.random.default_rng(0).poisson(0.2, shape) * np.linspace(3, 0.2, shape[1])
    left, values, right = decompose(sparse.csr_array(table), 6, seed=1)
    exact = np.linalg.svd(table, full_matrices=False)
    np.testing.assert_allclose(values, exact[1][:6], rtol=1e-3)
    best = (exact[0][:, :6] * exact[1][:6]) @ exact[2][:6]
    assert np.linalg.norm((left * values) @ right - best) < 0.02 * np.linalg.norm(best)
    np.testing.assert_allclose(left.T @ left, np.eye(6), atol=1e-4)
    np.testing.assert_allclose(right @ right.T, np.eye(6), atol=1e-3)


def test_seed_changes_only_rounding() -> None:
    table = sparse.csr_array(np.random.default_rng(0).poisson(0.1, (300, 400)) * 1.0)
    one, two = (decompose(table, 5, seed)[1] for seed in (0, 1))
    np.testing.assert_allclose(one, two, rtol=0.02)
