"""Baselines: statistics from sizes alone equal those of the explicit labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget import Undefined, catalogue, contingency
from roget.scoring.measures import parse
from roget.scoring.tables import baselines
from roget.scoring.tables.baselines import RandomSameSizes, make_baselines
from support.examples import few

MEASURES = [name for name in catalogue.names("measures") if name != "supervised-recall"]
labels = st.lists(st.integers(0, 4), min_size=1, max_size=25)


def value(statistics, name, entropy="ml"):
    try:
        return statistics.measure(name, entropy)
    except Undefined:
        return None


@few()
@given(gold=labels)
def test_trivial_baselines_equal_scores_of_their_labels(gold):
    n = len(gold)
    answers = make_baselines(contingency(gold, [i % 3 for i in range(n)]))
    for answer, system in (("one cluster", [0] * n), ("one per item", list(range(n)))):
        written_out = contingency(gold, system)
        for name in MEASURES:
            assert value(answers[answer], name) == pytest.approx(
                value(written_out, name), abs=1e-12
            ), f"{name}, {answer}"


SHUFFLED = ("ml", "mm", "jk", "bub", "grassberger", "chao-shen")
COUNTED = ("paired-recall", "b3-precision", "b3-recall")


@pytest.fixture(scope="module")
def shuffles():
    """Return the random baseline, and the mean scores of 500 shuffles."""
    random = np.random.default_rng(0)
    gold, system = random.integers(0, 4, 60), random.integers(0, 6, 60) ** 2 // 6
    expected = make_baselines(contingency(gold, system))["random"]
    asked = [("vi", entropy) for entropy in SHUFFLED] + [(name, "ml") for name in COUNTED]
    means = dict.fromkeys(asked, 0.0)
    for _ in range(500):
        table = contingency(gold, random.permutation(system))
        for name, entropy in means:
            means[name, entropy] += table.measure(name, entropy) / 500
    return expected, means


@pytest.mark.parametrize("entropy", SHUFFLED)
def test_random_baseline_equals_mean_of_shuffles(entropy, shuffles):
    """Exact expectations (one sample where there is no formula) against 500 shuffles."""
    expected, means = shuffles
    if entropy != "chao-shen":
        assert expected.measure("vi", entropy) == pytest.approx(means["vi", entropy], abs=0.02)
    for name in COUNTED:
        # Asked for beside an estimator, which they do not use.
        assert expected.measure(name, entropy) == pytest.approx(means[name, "ml"], abs=0.02), name


def test_adjusted_measures_of_random_baseline_are_zero():
    random = np.random.default_rng(2)
    gold, system = random.integers(0, 5, 300), random.integers(0, 9, 300)
    answer = make_baselines(contingency(gold, system))["random"]
    assert answer.measure("ari") == pytest.approx(0, abs=1e-12)
    assert answer.measure("ami") == pytest.approx(0, abs=1e-12)


def test_random_table_has_requested_margins():
    answer = RandomSameSizes(np.array([5, 3, 2]), np.array([4, 6]), seed=7)
    table = answer.table
    assert table.row_totals.tolist() == [5, 3, 2]
    assert table.column_totals.tolist() == [4, 6]
    again = RandomSameSizes(np.array([5, 3, 2]), np.array([4, 6]), seed=7).table
    assert table.counts.tolist() == again.counts.tolist()
    many = RandomSameSizes(np.array([5, 3, 2]), np.array([4, 6]), seed=7, draws=300)
    assert len({tuple(one.counts) for one in many.tables}) > 1


def test_random_table_of_many_items_is_sampled_by_share():
    rows, columns = np.array([600_000, 400_000]), np.array([700_000, 300_000])
    table = RandomSameSizes(rows, columns, seed=1).table
    assert table.row_totals.tolist() == rows.tolist()
    np.testing.assert_allclose(table.column_totals, columns, rtol=0.01)


def test_random_baseline_of_too_large_table_is_undefined(monkeypatch):
    monkeypatch.setattr(baselines, "_MAX_CELLS", 10)
    answer = RandomSameSizes(np.full(20, 5), np.full(10, 10), seed=0)
    assert value(answer, "one-to-one") is None
    assert value(answer, "v") is not None
    assert parse("one-to-one").needs == ("matched",)


@pytest.mark.parametrize("name", ["ami", "ari", "nmi", "v", "one-to-one"])
@pytest.mark.parametrize("n", [1, 4])
def test_random_baseline_is_perfect_if_only_one_table_has_the_margins(name, n):
    random = make_baselines(contingency(range(n), range(n)))["random"]
    assert value(random, name) == pytest.approx(1.0)
