"""Adjusted and reduced mutual information."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from roget import Contingency
from roget.scoring.measures.information import log_tables


def count_tables(rows, columns):
    """How many whole tables have these sums, by trying them."""
    if len(rows) == 1:
        return 1
    total = 0
    for first in itertools.product(*(range(min(rows[0], c) + 1) for c in columns)):
        if sum(first) == rows[0]:
            rest = [c - x for c, x in zip(columns, first, strict=True)]
            total += count_tables(rows[1:], rest)
    return total


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([5, 5], [5, 5]),
        ([4, 6], [3, 7]),
        ([6, 5, 4], [5, 5, 5]),
        ([8, 4, 3], [7, 8]),
        ([9, 9, 9], [9] * 3),
    ],
)
def test_tables_are_counted_well(rows, columns):
    full = np.zeros((len(rows), len(columns)), dtype=int)
    left, right = list(rows), list(columns)
    for i, j in itertools.product(range(len(rows)), range(len(columns))):
        full[i, j] = min(left[i], right[j])
        left[i] -= full[i, j]
        right[j] -= full[i, j]
    sizes = Contingency.from_table(full).sizes
    assert log_tables(sizes) == pytest.approx(math.log(count_tables(rows, columns)), abs=0.2)


def test_one_cluster_costs_nothing():
    table = Contingency.from_table([[3], [4]])
    assert table.measure("rmi") == 0.0


def test_random_labels_are_worth_less_than_nothing():
    random = np.random.default_rng(0)
    table = random.multinomial(500, np.full(400, 1 / 400)).reshape(20, 20)
    assert Contingency.from_table(table).measure("rmi") < 0
    assert Contingency.from_table(table).measure("ami") == pytest.approx(0, abs=0.05)


def test_a_good_clustering_is_worth_its_information():
    table = Contingency.from_table(np.eye(5, dtype=int) * 10**6)
    assert table.measure("rmi") == pytest.approx(math.log(5), abs=1e-3)
    assert table.measure("ami") == 1.0
