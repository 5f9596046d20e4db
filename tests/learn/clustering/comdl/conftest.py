"""The description length on dense tables, and tables with classes planted on both sides."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln

Naive = Callable[..., float]
Planted = Callable[..., tuple[Any, Any, Any]]


@pytest.fixture(scope="session")
def naive() -> Naive:
    """The length of labels by the formula alone: a dense table, one term after the other."""

    def length(
        counts: Any, rows: Any, columns: Any, a: float, b: float, partition: str = "sizes"
    ) -> float:
        counts, sides = np.asarray(counts, dtype=float), (np.asarray(rows), np.asarray(columns))
        k, m = (len(set(side.tolist())) for side in sides)
        names = [sorted(set(side.tolist())) for side in sides]
        total = gammaln(counts.sum() + k * m * a) - gammaln(k * m * a)
        for i in names[0]:
            for j in names[1]:
                block = counts[np.ix_(sides[0] == i, sides[1] == j)].sum()
                total -= gammaln(block + a) - gammaln(a)
        for side, sums in zip(sides, (counts.sum(axis=1), counts.sum(axis=0)), strict=True):
            n, classes = side.size, sorted(set(side.tolist()))
            for c in classes:
                size, mass = (side == c).sum(), sums[side == c].sum()
                total += gammaln(mass + b * size) - gammaln(b * size)
            for f in sums:
                total -= gammaln(f + b) - gammaln(b)
            total += math.log(n)
            if partition == "sizes":
                total += math.log(math.comb(n - 1, len(classes) - 1)) + math.lgamma(n + 1)
                total -= sum(math.lgamma((side == c).sum() + 1) for c in classes)
            else:
                total += math.log(sum(_stirling(n, c) for c in range(1, len(classes) + 1)))
        return float(total)

    return length


def _stirling(n: int, k: int) -> int:
    """In how many ways n items fall into k classes, by inclusion and exclusion."""
    signed = sum((-1) ** (k - c) * math.comb(k, c) * c**n for c in range(k + 1))
    return signed // math.factorial(k)


@pytest.fixture(scope="session")
def planted() -> Planted:
    """Counts in blocks of k × m classes, the blocks of very different weights."""

    def make(
        n: int, width: int, k: int, m: int, tokens: int, seed: int = 0
    ) -> tuple[Any, Any, Any]:
        rng = np.random.default_rng(seed)
        rows, columns = rng.integers(k, size=n), rng.integers(m, size=width)
        shares = rng.dirichlet(np.full(m, 0.2), size=k)[rows][:, columns]
        shares /= np.bincount(columns, minlength=m)[columns]
        counts = np.stack([rng.multinomial(tokens, row / row.sum()) for row in shares])
        return counts, rows, columns

    return make
