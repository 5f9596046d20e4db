"""Faults seen in other libraries, each as a test that ours does not have it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from roget import Contingency, contingency, entropy, measure, score


def test_adjusted_rand_does_not_overflow():
    """Random labels score 0, also where pair counts leave 64 bits (elsewhere .683 at N = 1e7)."""
    random = np.random.default_rng(0)
    table = random.multinomial(10**7, np.full(100, 0.01)).reshape(10, 10)
    assert Contingency.from_table(table).measure("ari") == pytest.approx(0, abs=1e-5)
    assert Contingency.from_table(table * 10**9).measure("ari") == pytest.approx(0, abs=1e-5)


def test_fractional_tables_are_not_truncated():
    """Mutual information .065 of a table of fractions (elsewhere .693)."""
    table = np.array([[0.9, 0.6], [0.4, 0.9]])
    p = table / table.sum()
    outer = np.outer(p.sum(axis=1), p.sum(axis=0))
    expected = float((p * np.log(p / outer)).sum())
    assert Contingency.from_table(table).measure("mi") == pytest.approx(expected, rel=1e-12)


def test_mutual_information_at_eight_thousand_million():
    """Finite and right at N = 8e9 (elsewhere NaN)."""
    small = np.array([[3, 1], [1, 3]])
    huge = Contingency.from_table(small * 10**9).measure("mi")
    assert huge == pytest.approx(Contingency.from_table(small).measure("mi"), rel=1e-13)


def test_beta_may_be_zero():
    gold, system = [0, 0, 1, 1], [0, 0, 1, 2]
    assert measure("v(beta=0)", gold, system) == measure("homogeneity", gold, system)
    assert measure("v(beta=0)", [0, 0], [0, 1]) == 1.0
    assert measure("v(beta=inf)", gold, system) == measure("completeness", gold, system)


def test_identical_singletons_are_perfect():
    """Fowlkes–Mallows 1 (elsewhere 0)."""
    assert measure("fm", [1, 2, 3], ["a", "b", "c"]) == 1.0


def test_weighted_homogeneity():
    """Items that count several times: homogeneity .738 (elsewhere .576)."""
    gold, system, weight = [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [1, 2, 1, 3, 4]
    repeated = [np.repeat(labels, weight) for labels in (gold, system)]
    table = np.zeros((2, 2))
    np.add.at(table, (gold, system), weight)
    assert Contingency.from_table(table).measure("homogeneity") == pytest.approx(
        measure("homogeneity", *repeated)
    )
    assert measure("homogeneity", *repeated) != pytest.approx(measure("homogeneity", gold, system))


def test_unanswered_items_count_against_the_system():
    """Two of four items answered: B-cubed below 1 (elsewhere P = R = 1)."""
    gold = {"a": "x", "b": "x", "c": "y", "d": "y"}
    table = score(gold, {"a": 1, "c": 2}, ["b3-precision", "b3-recall"])
    assert table["b3-recall"] < 1
    assert table["b3-precision"] < 1
    assert any("2 of 4 items" in warning for warning in table.warnings)


def test_a_perfect_single_class_is_perfect():
    """V = 1 (elsewhere 0), ARI = 1 (elsewhere NaN)."""
    table = contingency(["a"] * 5, ["x"] * 5)
    assert table.measure("v") == 1.0
    assert table.measure("ari") == 1.0


def test_one_cluster_has_an_adjusted_rand():
    """0, not NaN."""
    assert measure("ari", [0, 0, 1, 1], [0, 0, 0, 0]) == 0.0


def test_grassberger_of_a_fair_coin():
    """[50, 50] is close to log 2 (elsewhere 8.52)."""
    assert entropy([50, 50], "grassberger") == pytest.approx(math.log(2), abs=0.01)


@pytest.mark.parametrize("n", [100, 150, 200, 1000, 10**6])
def test_nsb_is_a_number(n):
    """Finite from N = 150 on (elsewhere NaN)."""
    assert entropy([n // 2, n - n // 2], "nsb") == pytest.approx(math.log(2), abs=0.01)


def test_precision_and_recall_are_not_swapped():
    """One big cluster: full recall, low precision."""
    table = contingency([0, 0, 1, 1, 2, 2], [0] * 6)
    assert table.measure("b3-recall") == table.measure("paired-recall") == 1.0
    assert table.measure("b3-precision") == pytest.approx(1 / 3)
    assert table.measure("homogeneity") == 0.0
    assert table.measure("completeness") == 1.0
