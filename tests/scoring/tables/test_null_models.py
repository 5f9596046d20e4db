"""Null models with random cluster sizes against full enumeration and CluSim."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import twins
from roget import Contingency, contingency
from roget.scoring.measures import parse
from roget.scoring.tables.null_models import _Circle, _expect_sizes
from support.errors import refused

PEERS = json.loads((Path(__file__).parents[2] / "golden" / "chance.json").read_text("utf-8"))
MODELS = ["num", "all", "num1", "all1"]


def clusterings(n):
    """Every clustering of n items: the label of each is at most one more than those before."""
    for labels in itertools.product(range(n), repeat=n):
        if all(label <= max((-1, *labels[:i])) + 1 for i, label in enumerate(labels)):
            yield labels


@pytest.mark.parametrize("case", [c for c in PEERS["cases"] if "ari(model=num)" in c["values"]])
def test_null_models_equal_clusim(case):
    table = Contingency.from_table(case["table"])
    for name, expected in case["values"].items():
        assert table.measure(name) == pytest.approx(expected, abs=1e-10), name


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("gold", "system"), [("aabbc", "xxxyz"), ("aaaab", "xyxyz"), ("abbb", "xxxy"), ("abc", "xxx")]
)
def test_null_models_equal_enumeration_of_all_clusterings(model, gold, system):
    every = list(clusterings(len(gold)))
    sides = [
        [c for c in every if "all" in model or len(set(c)) == len(set(side))]
        for side in (gold, system)
    ]
    if model.endswith("1"):
        sides[0] = [gold]
    pairs = list(itertools.product(*sides))
    rand = np.mean([twins.rand(*pair) for pair in pairs])
    information = np.mean([twins.mutual(*pair) for pair in pairs])
    k = [len(gold)] * 2 if "all" in model else [len(set(side)) for side in (gold, system)]
    most = sum(map(math.log, k)) / 2
    table = contingency(list(gold), list(system))
    ari = (twins.rand(gold, system) - rand) / (1 - rand)
    ami = (twins.mutual(gold, system) - information) / (most - information)
    assert table.measure(f"ari(model={model})") == pytest.approx(ari, abs=1e-12)
    assert table.measure(f"ami(model={model})") == pytest.approx(ami, abs=1e-12)


def count_clusterings(n, k):
    """Stirling numbers of the second kind, exactly."""
    total = sum((-1) ** (k - j) * math.comb(k, j) * j**n for j in range(k + 1))
    return total // math.factorial(k)


@pytest.mark.parametrize(
    ("n", "k"), [(10, 9), (10, 3), (60, 59), (60, 30), (400, 7), (1000, 300), (3000, 2)]
)
def test_stirling_ratios_equal_exact_fractions(n, k):
    """For 3,000 items, the integral covers only part of the circle."""
    exact = Fraction(count_clusterings(n - 1, k), count_clusterings(n, k))
    assert _Circle.through_saddle(n, k).together == pytest.approx(float(exact), rel=1e-12)
    sizes = _expect_sizes(n, k)
    assert float(sizes.cells.sum()) == pytest.approx(k, rel=1e-12)
    for size, number in list(zip(sizes.counts.astype(int).tolist(), sizes.cells, strict=True))[::9]:
        ways = math.comb(n, size) * count_clusterings(n - size, k - 1)
        exact = float(Fraction(ways, count_clusterings(n, k)))
        assert number == pytest.approx(exact, rel=1e-9, abs=1e-14)


def test_saddle_point_of_stirling_ratio_is_accurate_for_large_n():
    """For fixed K, the ratio is 1/K up to K·(1 − 1/K)^n."""
    assert _Circle.through_saddle(10**12, 3).together == pytest.approx(1 / 3, rel=1e-14)
    assert _Circle.through_saddle(10**6, 10**4).together == pytest.approx(1e-4, rel=1e-12)
    n = 10**6
    assert _Circle.through_saddle(n, n - 1).together == pytest.approx(2 / (n * (n - 1)), rel=1e-9)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("measure", ["ami", "ari"])
def test_null_models_are_one_if_identical_symmetric_and_computed_by_group(measure, model):
    name = f"{measure}(model={model})"
    for labels in ([0], [0, 0, 0], [0, 1, 2], [0, 0, 1, 1, 1]):
        assert contingency(labels, labels).measure(name) == 1.0
    gold, system = [0, 0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 2, 2, 3, 3]
    table = contingency(gold, system)
    back = contingency(system, gold).measure(name)
    assert parse(name).symmetric == (not model.endswith("1"))
    assert (table.measure(name) == pytest.approx(back, abs=1e-12)) == parse(name).symmetric
    two = Contingency.from_cells(
        np.concatenate([table.table.rows, table.table.rows + 5]),
        np.concatenate([table.table.columns, table.table.columns + 5]),
        np.tile(table.table.counts, 2),
    ).by_group(5)
    assert two.measure_groups(name) == pytest.approx([table.measure(name)] * 2, abs=1e-14)


@pytest.mark.parametrize("model", MODELS)
def test_null_models_are_stable_for_trillions_of_items(model):
    """Values converge for growing tables, unless they grow with log N."""
    small = np.array([[6, 1, 0], [1, 5, 2], [0, 1, 4]])
    values = [
        [
            Contingency.from_table(small * unit).measure(f"{m}(model={model})")
            for m in ("ami", "ari")
        ]
        for unit in (5 * 10**8, 5 * 10**10)
    ]
    assert np.isfinite(values).all()
    if "num" in model:
        assert values[0] == pytest.approx(values[1], abs=1e-8)


def test_unknown_null_models_are_refused():
    for measure in ("ami", "ari"):
        with refused("invalid-option", "fixed", "perm, num, all, num1, all1"):
            contingency([0, 1], [0, 1]).measure(f"{measure}(model=fixed)")
