"""Planted clusters, and a simple dense annealer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

Planted = Callable[..., tuple[Any, Any]]


@pytest.fixture(scope="session")
def planted() -> Planted:
    """Words of k clusters, each with contexts of its own choice and a fifth of noise."""

    def make(n: int, m: int, k: int, tokens: int, seed: int = 0) -> tuple[Any, Any]:
        rng = np.random.default_rng(seed)
        labels = rng.integers(k, size=n)
        counts = np.zeros((n, m))
        for cluster in range(k):
            contexts = rng.choice(m, size=max(20, 2 * m // k), replace=False)
            shares = rng.dirichlet(np.ones(contexts.size))
            for word in np.flatnonzero(labels == cluster):
                drawn = rng.choice(contexts, size=tokens, p=shares)
                drawn = np.where(rng.random(tokens) < 0.2, rng.integers(m, size=tokens), drawn)
                np.add.at(counts[word], drawn, 1)
        return sparse.csr_array(counts), labels

    return make
