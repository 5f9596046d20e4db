"""Planted clusters, and description lengths in their simplest form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln, xlogy

Planted = Callable[..., tuple[Any, Any]]
LN2 = math.log(2)


@pytest.fixture(scope="session")
def planted() -> Planted:
    """Words of k clusters, each with contexts of its own choice and a fifth of noise."""

    def make(n: int, m: int, k: int, tokens: int, seed: int = 0) -> tuple[Any, Any]:
        rng = np.random.default_rng(seed)
        labels = rng.integers(k, size=n)
        shares = np.full((k, m), 0.2 / m)
        for cluster in range(k):
            contexts = rng.choice(m, size=max(3, m // k), replace=False)
            shares[cluster, contexts] += 0.8 * rng.dirichlet(np.ones(contexts.size))
        sizes = rng.poisson(tokens, size=n) + 1
        counts = np.array(
            [rng.multinomial(size, shares[z]) for size, z in zip(sizes, labels, strict=True)]
        )
        return sparse.csr_array(counts, dtype=np.float64), labels

    return make


def _complexity(tokens: int, width: int) -> float:
    """log of the sum of maximum likelihoods of all sequences: the exact recurrence, in order."""
    if width == 1 or not tokens:
        return 0.0
    h = np.arange(tokens + 1)
    logs = gammaln(tokens + 1) - gammaln(h + 1) - gammaln(tokens - h + 1)
    logs += xlogy(h, h / tokens) + xlogy(tokens - h, (tokens - h) / tokens)
    one, two = 1.0, float(np.exp(logs).sum())
    for k in range(3, width + 1):
        one, two = two, two + tokens / (k - 2) * one
    return math.log(two)


def _naive(
    counts: Any, labels: Any, criterion: str, estimator: str, concentration: float = 1.0
) -> float:
    """The whole description length of a partition into one cluster or two, by the definitions."""
    counts = np.asarray(counts, dtype=float)
    tokens, words, width = counts.sum(), counts.shape[0], np.count_nonzero(counts.sum(axis=0))
    k = len(set(labels))
    share = (counts.sum(axis=0) + 0.5) / (tokens + 0.5 * counts.shape[1])
    data, contexts = 0.0, 0.0
    for cluster in set(labels):
        rows = counts[np.asarray(labels) == cluster]
        whole = rows.sum(axis=0)
        for row in rows:
            here = 1 / len(rows) if criterion == "li-abe" else row.sum() / whole.sum()
            for v in np.flatnonzero(row):
                data -= row[v] * math.log(whole[v] / tokens * here)
        if criterion == "dirichlet":
            a = concentration * share
            contexts += gammaln(whole.sum() + a.sum()) - gammaln(a.sum())
            contexts -= np.sum(gammaln(whole + a) - gammaln(a))
            contexts -= -sum(xlogy(f, f / whole.sum()) for f in whole)
        if criterion == "nml":
            contexts += _complexity(int(whole.sum()), width)
    if estimator == "mle":
        return data
    half = math.log(tokens) / 2
    if criterion == "li-abe":
        return data + (words - 1) * LN2 + (k * width - 1) * half
    if criterion == "corrected":
        return data + (words - 1) * LN2 + (k * width - 1 + words - k) * half
    names = 0.0
    if k == 2:
        names = math.log(words - 1) + math.log(math.comb(words, int(np.sum(labels))))
    return data + contexts + names + (words - 1) * half


@pytest.fixture(scope="session")
def complexity() -> Callable[[int, int], float]:
    """The exact complexity of a multinomial."""
    return _complexity


@pytest.fixture(scope="session")
def naive() -> Callable[..., float]:
    """The description length by the definitions."""
    return _naive
