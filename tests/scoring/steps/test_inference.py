"""Intervals and tests keep their level in small simulations; see benchmarks/inference.py."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import roget
from roget.scoring.inputs import read_sides
from roget.scoring.measures.base import average_groups, evaluate, list_requests
from roget.scoring.options import PipelineOptions
from roget.scoring.steps.bootstrap import ItemResampler, jackknife_groups
from roget.scoring.steps.chance_bias import draw_tables
from roget.scoring.steps.intervals import Bounds, Jackknife, interval_bounds, jackknife_bounds
from roget.scoring.steps.significance import (
    contribution_p,
    difference_bounds,
    holm,
    permutation_p,
    subtract_systems,
)
from support.errors import notice

TRIALS = 500
HALF = 3 * np.sqrt(0.05 * 0.95 / TRIALS)
"""Three standard errors of a share of 5 %."""

UNIT = Bounds(0.0, 1.0, 1.0)


@pytest.mark.parametrize("groups", [4, 6, 10, 30])
@pytest.mark.parametrize(("alpha", "beta"), [(4, 4), (8, 1), (1, 3)])
def test_intervals_over_groups_have_nominal_coverage(groups, alpha, beta):
    random = np.random.default_rng(groups)
    values = random.beta(alpha, beta, (TRIALS, groups))
    left = jackknife_groups(values, np.ones(groups))
    low, high = jackknife_bounds(values.mean(axis=1), left, UNIT)
    true = alpha / (alpha + beta)
    assert np.mean((low <= true) & (true <= high)) >= 0.95 - HALF
    assert (low >= 0).all()
    assert (high <= 1).all()


def test_intervals_over_groups_of_unequal_size_have_nominal_coverage():
    random = np.random.default_rng(0)
    covered = []
    for _ in range(300):
        weights = np.exp(random.normal(0, 1, 6))
        values = random.beta(4, 4, (1, 6))
        means = average_groups(values, weights)
        low, high = jackknife_bounds(means, jackknife_groups(values, weights), UNIT)
        covered.append(low[0] <= 0.5 <= high[0])
    assert np.mean(covered) >= 0.92


@pytest.mark.parametrize("groups", [4, 6, 10, 30])
def test_permutation_test_of_groups_keeps_its_level(groups):
    random = np.random.default_rng(groups)
    differences = random.beta(8, 1, (TRIALS, groups)) - random.beta(8, 1, (TRIALS, groups))
    p = permutation_p(differences, random.random(groups) + 0.1, 400, seed=0)
    assert np.isnan(p).all() == (groups < 6)
    assert np.mean(p < 0.05) <= 0.05 + HALF


@pytest.mark.parametrize("systems", [2, 11, 17])
def test_permutation_tests_keep_familywise_error(systems):
    random = np.random.default_rng(systems)
    a, b = np.array(list(itertools.combinations(range(systems), 2))).T
    wrong = []
    for trial in range(60):
        values = random.beta(4, 4, (systems, 14))
        wrong.append(np.min(holm(permutation_p(values[a] - values[b], np.ones(14), 50, trial))))
    assert np.mean(np.array(wrong) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_tests_and_intervals_over_items_keep_level_and_coverage():
    """Fifty items of two equally good systems, sampled from a known table."""
    random = np.random.default_rng(0)
    requests = list_requests(("ami", "v", "ari", "b3-f", "one-to-one"), "jk")
    confusion = 0.7 * np.eye(4) + 0.3 / 4
    table = roget.Contingency.from_table(np.rint(confusion * 10**8).astype(np.int64))
    true = np.array([evaluate(table, (m, e and "ml"))[0][0] for m, e in requests])
    covered, different = [], []
    for _ in range(60):
        gold = random.integers(0, 4, 50)
        systems = [np.where(random.random(50) < 0.7, gold, random.integers(0, 4, 50)) for _ in "ab"]
        sides = [read_sides(gold, system, PipelineOptions()) for system in systems]
        resampler = ItemResampler(sides, requests)
        left = resampler.jackknife(0)
        scores = next(iter(resampler.score([resampler.counts])))[0]
        low, high = interval_bounds("jackknife", scores, np.empty((0, 2, 5)), left, requests)
        covered.append((low[0] <= true) & (true <= high[0]))
        both = Jackknife(left.without[:, 0] - left.without[:, 1], left.weights, None, 0.01)
        different.append(contribution_p(scores[0] - scores[1], both, 200, 0) < 0.05)
    assert (np.mean(covered, axis=0) >= 0.87).all()
    assert (np.mean(different, axis=0) <= 0.135).all()


SPARSE = list_requests(("ami", "v", "b3-f", "one-to-one"), ("ml", "jk"))


@pytest.mark.parametrize(
    ("classes", "clusters", "noise", "items"),
    [(5, 8, 0.1, 20), (5, 8, 1.0, 50), (20, 20, 0.5, 20), (20, 20, 0.1, 100)],
)
def test_intervals_cover_the_truth_in_sparse_tables(classes, clusters, noise, items):
    """The jackknife alone covers the truth in .2 to .8 of such samples."""
    random = np.random.default_rng(items)
    own = np.zeros((classes, clusters))
    own[np.arange(clusters) % classes, np.arange(clusters)] = 1
    confusion = (1 - noise) * own / own.sum(axis=1, keepdims=True) + noise / clusters
    table = roget.Contingency.from_table(np.rint(confusion * 10**8).astype(np.int64))
    true = np.array([evaluate(table, (m, e and "ml"))[0][0] for m, e in SPARSE])
    hits, trials = np.zeros(len(SPARSE)), np.zeros(len(SPARSE))
    for trial in range(60):
        gold = random.integers(0, classes, items)
        system = np.array([random.choice(clusters, p=confusion[one]) for one in gold])
        resampler = ItemResampler([read_sides(gold, system, PipelineOptions())], SPARSE)
        scores = next(iter(resampler.score([resampler.counts])))[0]
        left = resampler.jackknife(trial)
        low, high = interval_bounds(
            "jackknife", scores, np.empty((0, 1, len(SPARSE))), left, SPARSE
        )
        hits += (low[0] <= true) & (true <= high[0])
        trials += ~np.isnan(low[0])
    assert (hits / trials >= 0.88).all()


@pytest.mark.parametrize(("noise", "other"), [(0.1, 0.5), (0.5, 1.0)])
def test_intervals_of_differences_cover_the_truth_in_sparse_tables(noise, other):
    """The jackknife of the difference covers plug-in V in .5 to .7 of such samples."""
    random = np.random.default_rng(0)
    confusion = [(1 - share) * np.eye(20) + share / 20 for share in (noise, other)]
    tables = [roget.Contingency.from_table(np.rint(p * 10**8).astype(np.int64)) for p in confusion]
    true = np.array([evaluate(t, (m, e and "ml"))[0][0] for t in tables for m, e in SPARSE])
    truth = true[: len(SPARSE)] - true[len(SPARSE) :]
    hits = np.zeros(len(SPARSE))
    for trial in range(50):
        gold = random.integers(0, 20, 50)
        sides = []
        for share in (noise, other):
            system = np.where(random.random(50) < 1 - share, gold, random.integers(0, 20, 50))
            sides.append(read_sides(gold, system, PipelineOptions()))
        resampler = ItemResampler(sides, SPARSE)
        scores = next(iter(resampler.score([resampler.counts])))[0]
        left, first = resampler.jackknife(trial), np.array([[0, 1]])
        for r, request in enumerate(SPARSE):
            low, high = difference_bounds(scores[:, r], left, first, r, request)
            hits[r] += low[0] <= truth[r] <= high[0]
    assert (hits / 50 >= 0.88).all()


def test_intervals_with_noise_do_not_treat_single_items_as_biased_clusters():
    """Noise items are single items in every sample, so they are not evidence of bias."""
    random = np.random.default_rng(0)
    gold = random.integers(0, 10, 1800)
    system = np.where(random.random(1800) < 0.85, gold, random.integers(0, 12, 1800))
    noisy = np.where(random.random(1800) < 0.4, -1, system)
    quick = roget.score(gold, noisy, noise=-1).to_pandas()
    full = roget.score(gold, noisy, noise=-1, ci=20).to_pandas()
    for frame in (quick, full):
        rows = frame[frame["entropy"] != "ml"].set_index("measure")
        widths = rows["high"] - rows["low"]
        assert widths["homogeneity"] < 0.08
        assert widths["v"] < 0.12


def test_interval_of_a_difference_contains_the_difference_and_keeps_its_range():
    random = np.random.default_rng(0)
    gold = random.integers(0, 4, 25)
    systems = {
        str(share): np.where(random.random(25) < share, gold, random.integers(0, 4, 25))
        for share in (0.0, 0.5, 0.9)
    }
    for pair in roget.compare(gold, systems, ("v", "ari", "vi"), ci=50).pairs:
        assert pair.low <= pair.difference <= pair.high
        assert pair.measure != "v" or (pair.low >= -1 and pair.high <= 1)


def test_random_clusterings_with_other_numbers_of_clusters_do_not_differ():
    """Plug-in homogeneity of 12 random clusters is much higher than that of 3."""
    random = np.random.default_rng(0)
    requests = list_requests(("homogeneity", "v"), "ml")
    different = []
    for trial in range(60):
        gold = random.integers(0, 5, 20)
        systems = [random.integers(0, size, 20) for size in (12, 3)]
        sides = [read_sides(gold, system, PipelineOptions()) for system in systems]
        resampler = ItemResampler(sides, requests)
        scores = next(iter(resampler.score([resampler.counts])))[0]
        left = resampler.jackknife(trial)
        for r in range(2):
            both = subtract_systems(left, np.array([0]), np.array([1]), r)
            different.append(contribution_p(scores[[0], r] - scores[[1], r], both, 200, 0) < 0.05)
    assert np.mean(different) <= 0.1


def test_random_tables_have_the_given_sizes():
    rows, columns = np.array([5, 3, 2]), np.array([4, 6])
    random = np.random.default_rng(0)
    for count in (3, 10**6 // 5):
        table = draw_tables(rows, columns, min(count, 300_000), random)
        assert (table.row_totals == np.tile(rows, table.groups)).all()
        assert (table.column_totals == np.tile(columns, table.groups)).all()
    cells = table.counts[
        (table.class_codes[table.rows] % 3 == 0) & (table.cluster_codes[table.columns] % 2 == 0)
    ]
    assert cells.sum() / table.groups == pytest.approx(5 * 4 / 10, rel=0.01)


@pytest.mark.parametrize("measure", ["smi", "rmi(normalise=gold)", "gamma"])
def test_groups_of_one_class_are_excluded_from_tests(measure):
    """Undefined groups are excluded and reported."""
    random = np.random.default_rng(0)
    keys = [(f"g{i // 12}", i) for i in range(120)]
    gold = {key: 0 if key[1] < 24 else int(random.integers(3)) for key in keys}
    systems = {name: {key: int(random.integers(3)) for key in keys} for name in "ab"}
    table = roget.compare(gold, systems, measure, ci=20)
    notice(table.warnings, "undefined-groups", "2 of 10")
    assert table.pairs[0].p > 0.05
    alone = roget.compare([0] * 30, {name: random.integers(0, 3, 30) for name in "ab"}, measure)
    assert all(row.value is None and row.reason for row in alone.rows if not row.trivial)


def test_results_do_not_depend_on_batch_size(monkeypatch):
    """Pairs are processed in batches, which share their permutations."""
    from roget.scoring.steps import significance

    random = np.random.default_rng(0)
    gold = random.integers(0, 3, 60)
    systems = {f"s{i}": random.integers(0, 3, 60) for i in range(4)}
    once = roget.compare(gold, systems, "ari", ci=50)
    monkeypatch.setattr(significance, "_BATCH_VALUES", 1)
    assert roget.compare(gold, systems, "ari", ci=50).pairs == once.pairs
