"""Means and deviations over all random clusterings against full enumeration."""

from __future__ import annotations

import itertools
from statistics import NormalDist

import numpy as np
import pytest

import twins
from roget import Contingency, Undefined, catalogue, contingency
from roget.scoring.measures import parse
from roget.scoring.steps.chance import Shifted
from roget.scoring.tables import null_moments
from roget.scoring.tables.baselines import RandomSameSizes
from roget.scoring.tables.null_moments import deviate_information, deviate_pairs
from support.errors import refused

LINEAR = [name for name in catalogue.names("measures") if parse(name).linear]


def answers(system):
    """Return every assignment of the system's labels to the items."""
    return sorted(set(itertools.permutations(system)))


def labels(seed, most=9):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, most))
    return random.integers(0, 3, n).tolist(), random.integers(0, 4, n).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_deviations_equal_enumeration_of_all_permutations(seed):
    gold, system = labels(seed)
    table = contingency(gold, system)
    tried = answers(system)
    information = [twins.mutual(gold, answer) for answer in tried]
    pairs = [twins.pair_counts(gold, answer)[0] for answer in tried]
    assert table.deviation == pytest.approx(np.std(information), abs=1e-9)
    assert deviate_pairs(table.pairs, table.sizes) == pytest.approx(np.std(pairs), abs=1e-12)
    if np.std(information) > 1e-9:
        smi = (twins.mutual(gold, system) - np.mean(information)) / np.std(information)
        assert table.measure("smi") == pytest.approx(smi, abs=1e-9)
    if np.std(pairs) > 1e-9:
        joined = twins.pair_counts(gold, system)[0]
        standard = (joined - np.mean(pairs)) / np.std(pairs)
        assert table.measure("pmi2") == pytest.approx(NormalDist().cdf(standard), abs=1e-12)
    else:
        with pytest.raises(Undefined):
            table.measure("pmi2")


def test_pmi2_approximates_the_fraction_of_worse_clusterings():
    """Klede et al. 2023 define it as P(random < system) + P(random = system)/2."""
    gold = [0] * 4 + [1] * 3 + [2] * 2
    tried = answers([0, 0, 0, 1, 1, 1, 2, 2, 2])
    pairs = np.array([twins.pair_counts(gold, one)[0] for one in tried])
    for at in range(0, len(tried), 200):
        exact = np.mean(pairs < pairs[at]) + np.mean(pairs == pairs[at]) / 2
        assert contingency(gold, tried[at]).measure("pmi2") == pytest.approx(exact, abs=0.06)


@pytest.fixture(scope="module")
def every_table():
    """Return a table, and the tables of every assignment with the same sizes."""
    gold, system = [0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 0]
    return contingency(gold, system).table, [contingency(gold, one) for one in answers(system)]


@pytest.mark.parametrize("name", LINEAR)
def test_measures_declared_linear_have_exact_moments(name, every_table):
    table, tables = every_table
    values = [one.measure(name) for one in tables]
    mean, above, twice = (
        Shifted.from_table(table, shift).measure(name) for shift in (0.0, 1.0, 2.0)
    )
    assert mean == pytest.approx(np.mean(values), abs=1e-10)
    assert abs(above - mean) == pytest.approx(np.std(values), abs=1e-10)
    assert twice - above == pytest.approx(above - mean, abs=1e-10)


def test_measures_not_declared_linear_are_not():
    """This shows that the declaration is not vacuous."""
    table = contingency([0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 0]).table
    for name in ("jaccard", "q2"):
        mean, above, twice = (
            Shifted.from_table(table, shift).measure(name) for shift in (0.0, 1.0, 2.0)
        )
        assert abs(twice - 2 * above + mean) > 1e-4


@pytest.mark.parametrize(
    ("rows", "columns"),
    [([30, 50, 20], [10, 60, 20, 10]), ([190, 5, 5], [100, 50, 50]), ([900, 1100], [1000, 1000])],
)
def test_deviations_of_larger_tables_equal_simulation(rows, columns):
    random = np.random.default_rng(0)
    drawn = RandomSameSizes(np.tile(rows, 500), np.tile(columns, 500), cuts=_cuts(rows, 500),
                            column_cuts=_cuts(columns, 500)).draw(random)  # fmt: skip
    alone = RandomSameSizes(np.array(rows), np.array(columns))
    assert alone.deviation == pytest.approx(np.std(drawn.measure_groups("mi")), rel=0.15)
    both = np.std(drawn.pairs.both.astype(float))
    assert deviate_pairs(alone.pairs, alone.sizes) == pytest.approx(both, rel=0.15)


def _cuts(sizes, count):
    return np.arange(count) * len(sizes)


def test_sampled_wide_cells_equal_summed_cells(monkeypatch):
    """Compare integration at steps with summation over every count."""
    table = RandomSameSizes(np.array([3000, 5000, 2000]), np.array([4000, 4500, 1500]))
    sampled = deviate_information(table.sizes.gold, table.sizes.system, table.n)
    monkeypatch.setattr(null_moments, "SMOOTH_VARIANCE", 1e9)
    summed = deviate_information(table.sizes.gold, table.sizes.system, table.n)
    assert sampled == pytest.approx(summed, rel=1e-11)


def test_deviation_for_trillions_of_items_is_chi_square():
    """2N·I is χ² with (R−1)(C−1) degrees of freedom, whose variance is twice their number."""
    table = Contingency.from_table(np.array([[6, 1, 0], [1, 5, 2], [0, 1, 4]]) * (10**12 // 20))
    assert table.deviation == pytest.approx(np.sqrt(2 * 4) / 2e12, rel=1e-6)


def test_moments_of_many_groups_equal_single_groups():
    parts = [(np.arange(12) % 3, np.arange(12) % 5), *map(np.array, [labels(2), labels(5)])]
    rows, columns, counts = [], [], []
    for at, (gold, system) in enumerate(parts):
        table = contingency(gold, system).table
        rows.append(table.rows + 20 * at)
        columns.append(table.columns + 20 * at)
        counts.append(table.counts)
    whole = Contingency.from_cells(*map(np.concatenate, (rows, columns, counts))).by_group(20)
    alone = [contingency(gold, system).deviation for gold, system in parts]
    assert whole.deviation == pytest.approx(alone, abs=1e-14)


def test_smi_is_undefined_with_a_reason(monkeypatch):
    for gold, system in (([0, 0, 0], [0, 1, 1]), ([0, 1, 2], [0, 1, 1])):
        with refused("undefined"):
            contingency(gold, system).measure("smi")
    with refused("undefined"):
        Contingency.from_table([[0.5, 1.5], [1.0, 2.0]]).measure("smi")
    monkeypatch.setattr(null_moments, "MAX_SIZES", 3)
    with refused("undefined", 3, 4):
        contingency([0, 0, 0, 1, 1], [0, 1, 1, 1, 1]).measure("smi")
