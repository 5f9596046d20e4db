"""Reduced mutual information: its codes, scales, and values of other libraries."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from roget import Contingency, InputError, Undefined, contingency
from roget.scoring.measures.reduced import count_tables as estimate_tables
from roget.scoring.measures.reduced import log_tables
from twins import dirichlet_rmi

PEERS = json.loads((Path(__file__).parents[1] / "golden" / "chance.json").read_text("utf-8"))


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
def test_rmi_counts_tables_accurately(rows, columns):
    full = np.zeros((len(rows), len(columns)), dtype=int)
    left, right = list(rows), list(columns)
    for i, j in itertools.product(range(len(rows)), range(len(columns))):
        full[i, j] = min(left[i], right[j])
        left[i] -= full[i, j]
        right[j] -= full[i, j]
    sizes = Contingency.from_table(full).sizes
    exact = math.log(count_tables(rows, columns))
    assert log_tables(sizes) == pytest.approx(exact, abs=0.2)
    estimate = estimate_tables(sizes.gold, sizes.system, np.float64(sizes.n))
    assert estimate == pytest.approx(exact, abs=0.15)


def test_rmi_of_one_cluster_is_zero():
    table = Contingency.from_table([[3], [4]])
    assert table.measure("rmi") == 0.0


def test_rmi_of_random_labels_is_negative():
    random = np.random.default_rng(0)
    table = random.multinomial(500, np.full(400, 1 / 400)).reshape(20, 20)
    assert Contingency.from_table(table).measure("rmi") < 0
    assert Contingency.from_table(table).measure("ami") == pytest.approx(0, abs=0.05)


def test_rmi_of_perfect_clustering_approaches_its_information():
    table = Contingency.from_table(np.eye(5, dtype=int) * 10**6)
    assert table.measure("rmi") == pytest.approx(math.log(5), abs=1e-3)
    assert table.measure("ami") == 1.0


@pytest.mark.parametrize("case", [c for c in PEERS["cases"] if "rmi" in c["values"]])
def test_rmi_equals_clustering_mi(case):
    """Values by clustering-mi, whose search stops slightly off the optimum in some cases."""
    table = Contingency.from_table(case["table"])
    for name, expected in case["values"].items():
        if name.startswith("rmi"):
            assert table.measure(name) == pytest.approx(expected, abs=1e-10), name


def test_rmi_finds_best_concentration():
    random = np.random.default_rng(3)
    for _ in range(5):
        gold, system = random.integers(0, 3, 25).tolist(), random.integers(0, 4, 25).tolist()
        got = contingency(gold, system).measure("rmi(reduction=dirichlet)")
        assert got == pytest.approx(dirichlet_rmi(gold, system), abs=1e-6)


def test_rmi_of_many_groups_equals_single_groups():
    random = np.random.default_rng(4)
    sizes = [(30, 3, 4), (1, 1, 1), (12, 12, 2), (50, 2, 2)]
    parts = [(random.integers(0, k, n), random.integers(0, m, n)) for n, k, m in sizes]
    parts[2] = np.arange(12), parts[2][1]
    rows, columns, counts, at = [], [], [], 0
    for gold, system in parts:
        table = contingency(gold, system).table
        rows.append(table.rows + at)
        columns.append(table.columns + at)
        counts.append(table.counts)
        at += 20
    whole = Contingency.from_cells(*map(np.concatenate, (rows, columns, counts))).by_group(20)
    for name in ("rmi", "rmi(reduction=dirichlet)", "rmi-plug-in", "nca", "psi"):
        alone = [contingency(gold, system).measure(name) for gold, system in parts]
        assert whole.measure_groups(name) == pytest.approx(alone, abs=1e-12)
    scaled = whole.measure_groups("rmi(normalise=gold)")
    assert np.isnan(scaled[2])
    assert scaled[1] == 1.0


@pytest.mark.parametrize("reduction", ["flat", "dirichlet"])
def test_rmi_is_normalised_by_each_scale(reduction):
    gold, system = [0] * 20 + [1] * 20 + [2] * 20, [0] * 19 + [1] * 21 + [2] * 10 + [3] * 10

    def value(scale, one=gold, other=system):
        name = f"rmi(reduction={reduction}, normalise={scale})"
        return contingency(one, other).measure(name)

    assert value("gold") == value("system", system, gold)
    for scale in ("arithmetic", "geometric", "min", "max"):
        assert value(scale) == value(scale, system, gold)
        assert value(scale, gold, gold) == 1.0
    assert 0 < value("gold") < 1


def test_rmi_that_cannot_be_normalised_is_undefined():
    for gold, system in (([0, 0, 0], [0, 0, 1]), ([0, 1, 2], [0, 0, 1])):
        with pytest.raises(Undefined):
            contingency(gold, system).measure("rmi(normalise=gold)")
    with pytest.raises(Undefined):
        contingency([0, 1] * 20, [0, 0, 1, 1] * 10).measure("rmi(normalise=geometric)")
    with pytest.raises(Undefined):
        Contingency.from_table([[0.5, 1.5], [1.0, 2.0]]).measure("rmi")
    for wrong in ("rmi(reduction=round)", "rmi(normalise=mean)"):
        with pytest.raises(InputError):
            contingency([0, 1], [0, 1]).measure(wrong)


@pytest.mark.parametrize("reduction", ["flat", "dirichlet"])
def test_rmi_approaches_mutual_information_for_trillions_of_items(reduction):
    table = Contingency.from_table(np.array([[6, 1, 0], [1, 5, 2], [0, 1, 4]]) * (10**12 // 20))
    assert table.measure(f"rmi(reduction={reduction})") == pytest.approx(
        table.measure("mi"), abs=1e-9
    )


def test_flat_reduction_is_below_dirichlet_reduction():
    """For 6 × 9 cells and 400 items, clustering-mi gives .844 and .849."""
    random = np.random.default_rng(1)
    gold = random.integers(0, 6, 400)
    system = np.where(random.random(400) < 0.7, gold, random.integers(0, 9, 400))
    table = contingency(gold, system)
    names = "rmi", "rmi(reduction=dirichlet)", "rmi-plug-in"
    assert [round(table.measure(name), 4) for name in names] == [0.8444, 0.8486, 0.7538]
