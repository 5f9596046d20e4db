"""A small table with four families of words, split into three."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roget.core.counts import Counts


def planted(words: int = 60, contexts: int = 40, seed: int = 0) -> Counts:
    """Words of four families, each with contexts of its own and some noise."""
    rng = np.random.default_rng(seed)
    own = np.arange(contexts) % 4 == (np.arange(words) % 4)[:, None]
    rates = np.where(own, 1.5, 0.05) * rng.gamma(1.0, 1.0, (words, 1))
    return Counts(
        rng.poisson(rates) + (np.arange(contexts) == np.arange(words)[:, None] % contexts),
        [f"w{n}" for n in range(words)],
        [f"v{n}" for n in range(contexts)],
    )


@pytest.fixture(scope="session")
def parts() -> tuple[Any, Any, Any]:
    """Training, development and test tokens of one table."""
    return planted().split(0.7, 0.15, random_state=0)
