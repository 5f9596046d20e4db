"""z and p of the test against random clusterings."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import kstest

from roget import contingency, score
from roget.scoring.tables import baselines
from support.errors import refused

GOLD = [0, 0, 0, 1, 1, 1, 2, 2]
SYSTEM = [0, 0, 1, 1, 1, 2, 2, 2]


def rows(gold, system, measures="v", **options):
    options = {"entropy": "ml", "baselines": False, "chance": 199, **options}
    return score(gold, system, measures, **options).rows


@pytest.mark.parametrize("trials", [25, pytest.param(120, marks=pytest.mark.slow)])
def test_p_is_uniform_for_random_clusterings(trials):
    random = np.random.default_rng(7)
    found = []
    for seed in range(trials):
        gold, system = random.integers(0, 4, 80), random.integers(0, 5, 80)
        tested = rows(gold, system, ["v", "ari", "vi", "b3-f"], chance=99, seed=seed)
        found.append([row.p for row in tested])
    # p has the values .01, .02 … 1.00: half a step lower it is centred.
    for of_measure in np.array(found).T:
        assert kstest(of_measure - 0.005, "uniform").pvalue > 0.01


@pytest.mark.parametrize("trials", [20, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("average", ["weighted", "pooled"])
def test_p_is_uniform_in_groups(average, trials):
    """Separating the groups earns no credit."""
    random = np.random.default_rng(8)
    found = []
    for seed in range(trials):
        group = np.repeat(np.arange(5), [40, 8, 30, 20, 12])
        ids = [f"i{i}" for i in range(group.size)]
        gold = {"item": ids, "group": group, "label": group * 3 + random.integers(0, 3, 110)}
        system = {**gold, "label": group * 4 + random.integers(0, 4, 110)}
        table = score(*map(_frame, (gold, system)), "v", "ml", average=average, chance=99,
                      seed=seed, baselines=False)  # fmt: skip
        found.append(table.rows[0].p)
    assert kstest(np.array(found) - 0.005, "uniform").pvalue > 0.01


def _frame(columns):
    import pandas as pd

    return pd.DataFrame(columns)


@pytest.mark.parametrize("measure", ["v", "vi", "ari", "one-to-one", "jaccard"])
def test_p_and_z_equal_enumeration_of_all_permutations(measure):
    value = contingency(GOLD, SYSTEM).measure(measure)
    tried = [contingency(GOLD, answer).measure(measure)
             for answer in set(itertools.permutations(SYSTEM))]  # fmt: skip
    sign = -1 if measure == "vi" else 1
    share = np.mean(sign * np.array(tried) >= sign * value - 1e-9)
    z = sign * (value - np.mean(tried)) / np.std(tried)
    (row,) = rows(GOLD, SYSTEM, measure, chance=4999)
    assert row.p == pytest.approx(share, abs=0.02)
    exact = measure in ("v", "vi", "ari")
    assert row.z == pytest.approx(z, abs=1e-9 if exact else 0.1)


def test_z_of_groups_adds_up():
    """Two identical groups are √2 times as far from chance as one."""
    ids = [f"i{i}" for i in range(16)]
    sides = [{"item": ids, "group": [0] * 8 + [1] * 8, "label": side * 2}
             for side in (GOLD, SYSTEM)]  # fmt: skip
    for measure in ("v", "ari", "ami", "smi"):
        (one,) = rows(GOLD, SYSTEM, measure)
        (two,) = rows(*map(_frame, sides), measure)
        assert two.z == pytest.approx(one.z * np.sqrt(2), abs=1e-9)


def test_labels_that_only_separate_groups_are_at_chance():
    """Pooled scores are high, yet every clustering of these sizes scores at least as much."""
    ids = [f"i{i}" for i in range(12)]
    side = {"item": ids, "group": [0] * 6 + [1] * 6, "label": [0] * 6 + [1] * 6}
    (row,) = rows(_frame(side), _frame(side), "v", average="pooled")
    assert (row.value, row.z, row.p) == (1.0, None, 1.0)


@pytest.mark.parametrize("measure", ["v", "b3-f", "one-to-one", "rmi", "ami", "smi"])
def test_good_clustering_beats_every_random_sample(measure):
    gold = np.repeat(np.arange(5), 20)
    system = np.where(np.arange(100) % 10 == 0, 0, gold)
    (row,) = rows(gold, system, measure)
    assert row.p == 1 / 200
    assert row.z > 10


def test_chance_test_supports_other_estimators():
    found = rows(GOLD * 5, SYSTEM * 5, "v", entropy=("ml", "jk", "chao-shen"))
    assert all(row.p == 1 / 200 and row.z > 3 for row in found)


def test_chance_test_permutes_rows_of_weighted_labels():
    gold = np.repeat(np.arange(3), 8)
    weights = np.full((24, 3), 0.1) + 0.7 * np.eye(3)[gold]
    (good,) = rows(gold, weights)
    (bad,) = rows(gold, np.tile(weights[[0, 8, 16]], (8, 1)))
    assert good.p == 1 / 200
    assert bad.p > 0.05


def test_chance_test_permutes_rows_of_covers():
    sets = [set(range(10)), set(range(8, 20)), set(range(18, 30))]
    moved = [sets[0] | {11}, sets[1] - {9}, sets[2]]
    for measure in ("omega", "onmi", "element-centric"):
        (good,) = rows(sets, moved, measure, chance=39)
        (bad,) = rows(sets, [set(range(i, 30, 3)) for i in range(3)], measure, chance=39)
        assert good.p == 0.025
        assert bad.p > 0.05


def test_chance_test_accepts_cells():
    cells = {"gold": ["a", "a", "b", "b"], "system": [0, 1, 0, 1], "count": [90, 10, 20, 80]}
    table = score(cells=_frame(cells), measures="v", entropy="ml", chance=99)
    assert table.rows[0].p == 0.01


def test_chance_test_of_large_tables_samples_cells(monkeypatch):
    random = np.random.default_rng(3)
    gold = random.integers(0, 4, 2000)
    system = np.where(random.random(2000) < 0.06, gold, random.integers(0, 4, 2000))
    by_item = rows(gold, system, "v", chance=999)[0]
    monkeypatch.setattr(baselines, "_MAX_CELLS", 1000)
    by_cell = rows(gold, system, "v", chance=999)[0]
    assert by_cell.p == pytest.approx(by_item.p, abs=0.05)
    assert by_cell.z == by_item.z


def test_chance_test_is_reproducible_and_off_by_default():
    first, second, third = (rows(GOLD, SYSTEM, "b3-f", seed=seed)[0] for seed in (1, 1, 2))
    assert first == second != third
    table = score(GOLD, SYSTEM, "v")
    assert "p" not in table.as_dict()["rows"][0]
    assert "chance" not in table.signature
    asked = score(GOLD, SYSTEM, ["v", "gamma"], "ml", chance=99)
    assert asked.signature.endswith("|chance:99")
    assert set(asked.as_dict()["rows"][0]) >= {"z", "p"}
    assert json.loads(asked.render("json"))["rows"][0]["p"] == asked.rows[0].p
    assert ",z,p," in asked.render("csv").partition("\n")[0]
    assert " z " in str(asked)


def test_smallest_p_is_shown_as_upper_bound():
    asked = score(
        list("aaabbbccc") * 4, list("xxxyyyzzz") * 4, ["v", "ari"], "ml", chance=99, all=True
    )
    assert [row.p for row in asked.rows] == [0.01, 0.01]
    assert str(asked).count("≤ 0.010") == 2
    assert f" {asked.rows[0].z:.1f} " in str(asked)
    assert "99 random" in str(asked)
    assert r"$\leq$ 0.010" in asked.render("latex")
    assert "≤ 0.0001" in str(replace(asked, chance=9999, rows=(replace(asked.rows[0], p=1e-4),)))
    mixed = replace(asked, rows=(asked.rows[0], replace(asked.rows[1], p=0.4)))
    assert "1 of 2 scores" in str(mixed)
    assert "99 random" not in str(score(GOLD, SYSTEM, "v"))


def test_chance_test_refuses_unsupported_options():
    with refused("conflicting-options", "--missing cluster"):
        rows({"a": 1, "b": 2}, {"a": 1}, missing="unmatched", extra="unmatched")
    with refused("conflicting-options", "weights"):
        rows(GOLD, SYSTEM, sample_weight=[0.5] * 4 + [1.0] * 4)
    with refused("conflicting-options", "extra='sample'"):
        rows(GOLD, SYSTEM, None, extra="sample")
    with refused("invalid-option", "-1"):
        rows(GOLD, SYSTEM, chance=-1)
    cells = {"gold": ["a", "b"], "system": [0, 1], "count": [10**9, 10**9]}
    with refused("too-large", "1,000,000,000"):
        score(cells=_frame(cells), measures="v", chance=9)


def test_random_clusterings_with_undefined_score_are_excluded():
    gold = np.repeat(np.arange(4), 10)
    (row,) = rows(gold, gold // 2, "rmi(normalise=geometric)", chance=20)
    assert row.z is None
    assert row.p >= 0.5


def test_undefined_score_has_no_p_and_z():
    (row,) = rows([0, 0, 1], [0, 0, 0], "gamma")
    assert (row.value, row.z, row.p) == (None, None, None)
