"""Mixtures of similarities, with and without prior vectors, compared with naive code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from roget.core.types import Floats, Ints
from roget.learn.representation.similarity import (
    Similarity,
    StandardisedCosine,
    share_of_prior,
)

TOTALS = [5, 12, 40, 300, 2000]


class Table(StandardisedCosine):
    """Similarities from a table."""

    def __init__(self, seed: int) -> None:
        self.table = np.random.default_rng(seed).normal(size=(5, 5))

    def compare(self, rows: Ints) -> Floats:
        return np.asarray(self.table[rows])


def mix(i: int, j: int, own: Any, more: Any, prior: Any) -> float:
    seen = math.sqrt(TOTALS[i] * TOTALS[j])
    sure, few = (100, 10) if prior is None else (80, 2)
    found = (seen * own.table[i, j] + sure * more.table[i, j]) / (seen + sure)
    if prior is not None:
        found = (seen * found + 25 * prior.table[i, j]) / (seen + 25)
    return float(found * (seen + 1) / (seen + 1 + few))


@pytest.mark.parametrize("prior", [None, Table(3)])
def test_rare_words_rely_on_vectors_and_most_on_prior_vectors(prior: Any) -> None:
    own, more, rows = Table(1), Table(2), np.array([3, 0])
    found = Similarity(TOTALS, own, more, prior).compare(rows)
    right = [[mix(i, j, own, more, prior) for j in range(5)] for i in rows.tolist()]
    assert found == pytest.approx(np.array(right))


def test_share_of_prior_decreases_with_occurrences() -> None:
    shares = share_of_prior(np.full(5, 0.5), 40, np.array(TOTALS))
    assert (np.diff(shares) < 0).all()
    # Weights of 25/(25 + 40) for the prior alone, and of 80/(80 + 40) for combined vectors.
    assert shares[2] == pytest.approx(25 / 65 + 40 / 65 * 80 / 120 * 0.5)
    assert share_of_prior(np.zeros(1), 5, np.array([5])).tolist() == [0]
