"""Bootstrap, permutation, Holm and letters against brute force, laws and known coverage."""

from __future__ import annotations

import itertools

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import roget
from roget.errors import code_of
from roget.scoring.inputs import read_sides
from roget.scoring.measures.base import average_groups, list_requests
from roget.scoring.options import PipelineOptions
from roget.scoring.steps import bootstrap
from roget.scoring.steps.bootstrap import (
    GroupResampler,
    jackknife_groups,
    leave_items_out,
    resample_groups,
    resample_items,
    split_jackknife,
)
from roget.scoring.steps.intervals import NO_JACKKNIFE, Jackknife, interval_bounds
from roget.scoring.steps.significance import (
    Units,
    assign_letters,
    bootstrap_p,
    contribution_p,
    flip_signs,
    holm,
    permutation_p,
)
from support.errors import notice


def test_group_average_excludes_undefined_groups():
    values = np.array([[1.0, np.nan, 3.0], [np.nan] * 3])
    got = average_groups(values, np.array([1.0, 5.0, 3.0]))
    assert got[0] == pytest.approx(2.5)
    assert np.isnan(got[1])


def test_bootstrap_samples_depend_only_on_seed():
    values, weights = np.random.default_rng(0).random((2, 3, 30)), np.arange(1.0, 31.0)
    once = resample_groups(values, weights, 300, seed=5)
    assert once.shape == (300, 2, 3)
    assert np.array_equal(once, resample_groups(values, weights, 300, seed=5))
    assert not np.array_equal(once, resample_groups(values, weights, 300, seed=6))
    assert once.mean(axis=0) == pytest.approx(average_groups(values, weights), abs=0.05)


def test_jackknife_error_of_a_mean_equals_textbook_formula():
    values = np.random.default_rng(1).random(40)
    got = jackknife_groups(values[None], np.ones(40)).error
    assert got[0] == pytest.approx(values.std(ddof=1) / np.sqrt(40))


def jackknife_items(counts):
    """The item counts of each distinct jackknife sample, and its weight."""
    tasks = split_jackknife(counts, seed=0)
    return [part for task in tasks for part in leave_items_out(counts, task)]


def test_jackknife_leaves_out_items_one_by_one():
    counts = np.array([3, 1, 2])
    parts = jackknife_items(counts)
    assert [left.tolist() for left, _ in parts] == [[2, 1, 2], [3, 0, 2], [3, 1, 1]]
    assert [weight for _, weight in parts] == [3, 1, 2]


def test_jackknife_leaves_out_blocks_of_many_items():
    counts = np.random.default_rng(0).integers(1, 9, 500)
    parts = [left for left, _ in jackknife_items(counts)]
    assert len(parts) == 200
    taken = sum(counts - left for left in parts)
    assert taken.tolist() == counts.tolist()


@pytest.mark.parametrize("most", [10**9, 10], ids=["few", "many"])
def test_jackknife_blocks_have_equal_size(most, monkeypatch):
    """Also beyond numpy's hypergeometric limit, where items are sampled independently."""
    monkeypatch.setattr(bootstrap, "_MAX_HYPERGEOMETRIC", most)
    counts = np.full(300, 10_000)
    taken = np.array([counts - left for left, _ in jackknife_items(counts)])
    assert (taken >= 0).all()
    assert taken.sum(axis=0).tolist() == counts.tolist()
    assert taken.sum(axis=1) == pytest.approx(15_000, rel=0.05 if most == 10 else 0)
    # No block has more of one kind than chance gives it: 50 of each, 7 more or less.
    assert taken.std() == pytest.approx(np.sqrt(50 * (1 - 1 / 200)), rel=0.02)


def test_intervals_exist_beyond_numpy_hypergeometric_limit():
    gold, system = np.nonzero(np.ones((20, 20)))
    count = np.where(gold == system, 10**10, 10**8)
    cells = pandas.DataFrame({"gold": gold, "system": system, "count": count})
    row = roget.score(cells=cells, measures=["v"], entropy=["ml"], ci=50).rows[0]
    assert row.low < row.value < row.high
    assert row.high - row.low < 1e-4


def test_resample_items_keeps_number_of_items():
    for times in resample_items(np.array([5, 0, 15]), range(50), seed=1):
        assert times.sum() == 20
        assert times[1] == 0


def test_bootstrap_sample_does_not_depend_on_other_samples():
    counts = np.arange(1, 9)
    drawn = [times.tolist() for times in resample_items(counts, range(20), seed=1)]
    assert [times.tolist() for times in resample_items(counts, range(7, 9), seed=1)] == drawn[7:9]
    assert len({tuple(times) for times in drawn}) > 15


@pytest.mark.parametrize("method", ["percentile", "bca", "jackknife"])
@pytest.mark.parametrize("trials", [75, pytest.param(300, marks=pytest.mark.slow)])
def test_intervals_of_mean_over_groups_have_nominal_coverage(method, trials):
    """Skewed scores of 60 groups: nominal 95 % intervals cover 91 to 98 % of the time."""
    random = np.random.default_rng(3)
    covered = 0
    for trial in range(trials):
        values = random.gamma(2.0, 0.05, size=(1, 60))
        weights = np.ones(60)
        mean = average_groups(values, weights)
        drawn = resample_groups(values, weights, 500, seed=trial)
        low, high = interval_bounds(method, mean, drawn, jackknife_groups(values, weights))
        covered += bool(low[0] <= 0.1 <= high[0])
    assert 0.91 <= covered / trials <= (0.98 if trials > 100 else 1.0)


def test_permutation_test_enumerates_all_signs_for_few_groups():
    differences = np.array([[0.3, -0.1, 0.2, 0.4, 0.0, 0.2, np.nan]])
    weights = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 1.0, 5.0])
    terms = (differences[0] * weights)[:6]
    sums = [abs(np.dot(signs, terms)) for signs in itertools.product([1, -1], repeat=6)]
    expected = np.mean([total >= abs(terms.sum()) - 1e-12 for total in sums])
    assert permutation_p(differences, weights, 10, seed=0)[0] == expected


def test_p_is_uniform_if_systems_are_equal():
    """Of 400 tests of two equal systems, about 5 % find a difference at .05, half at .5."""
    random = np.random.default_rng(0)
    permuted, drawn = [], []
    for trial in range(400):
        differences = random.normal(size=(1, 30))
        weights = np.ones(30)
        permuted.append(permutation_p(differences, weights, 300, seed=trial)[0])
        mean = average_groups(differences, weights)
        draws = resample_groups(differences, weights, 300, seed=trial)
        drawn.append(bootstrap_p(mean, draws)[0])
    for found in (permuted, drawn):
        for level in (0.05, 0.25, 0.5, 0.75):
            assert np.mean(np.array(found) <= level) == pytest.approx(level, abs=0.075)


def test_bootstrap_and_permutation_detect_real_difference():
    differences = np.random.default_rng(0).normal(1.0, 1.0, size=(1, 40))
    mean = average_groups(differences, np.ones(40))
    assert bootstrap_p(mean, resample_groups(differences, np.ones(40), 500, seed=0))[0] < 0.01
    assert permutation_p(differences, np.ones(40), 500, seed=0)[0] < 0.01


def test_p_can_be_smaller_than_one_over_number_of_samples():
    """With 200 pairs to correct for, a clear difference needs a very small p."""
    differences = np.random.default_rng(0).normal(2.0, 1.0, size=(1, 100))
    mean = average_groups(differences, np.ones(100))
    assert bootstrap_p(mean, resample_groups(differences, np.ones(100), 100, seed=0))[0] < 1e-6
    assert permutation_p(differences, np.ones(100), 100, seed=0)[0] < 1e-6


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_equals_step_down_procedure(p):
    """Compare with the textbook procedure, one hypothesis at a time."""
    adjusted = holm(np.array(p))
    order = sorted(range(len(p)), key=lambda i: p[i])
    running = 0.0
    for step, i in enumerate(order):
        running = max(running, min(1.0, (len(p) - step) * p[i]))
        assert adjusted[i] == pytest.approx(running)


@given(st.integers(1, 7), st.data())
def test_letters_are_shared_exactly_by_systems_that_do_not_differ(n, data):
    pairs = list(itertools.combinations(range(n), 2))
    apart = {pair for pair in pairs if data.draw(st.booleans())}
    order = data.draw(st.permutations(range(n)))
    marks = assign_letters(list(order), lambda i, j: (min(i, j), max(i, j)) in apart)
    assert all(marks[i] for i in range(n))
    for i, j in pairs:
        assert bool(set(marks[i]) & set(marks[j])) == ((i, j) not in apart)


def test_percentile_interval_uses_samples_only():
    drawn = np.linspace(0, 1, 1001)[:, None]
    low, high = interval_bounds("percentile", np.array([0.5]), drawn, NO_JACKKNIFE)
    assert (low[0], high[0]) == (pytest.approx(0.025), pytest.approx(0.975))


RULES = {"average": "pooled", "missing": "unmatched", "extra": "unmatched"}
MENTIONS = ["conll", "lea", "blanc", "ceaf-m", "b3-recall", "v"]


def documents(seed: int, labels: int) -> dict[tuple[str, str], str]:
    """Six documents of mentions, of which each side has some that the other lacks."""
    random = np.random.default_rng(seed)
    return {
        (f"d{document}", f"m{item}"): f"e{random.integers(labels)}"
        for document in range(6)
        for item in range(8 + document)
        if random.random() < 0.8
    }


def test_resampled_documents_are_scored_like_documents_passed_directly():
    """Compare with one table of the sampled documents, with repeated ones under new names."""
    gold, system = documents(0, 3), documents(1, 4)
    sides = read_sides(gold, system, PipelineOptions(missing="unmatched", extra="unmatched"))
    asked = list_requests(MENTIONS, "jk")
    scored = GroupResampler([sides], asked)._score_batch(np.array([[2, 0, 1, 3, 0, 1]]), asked)[
        0, 0
    ]
    copies = [(0, "a"), (0, "b"), (2, "a"), (3, "a"), (3, "b"), (3, "c"), (5, "a")]
    again = [
        {
            (f"d{document}{copy}", item): label
            for document, copy in copies
            for (group, item), label in side.items()
            if group == f"d{document}"
        }
        for side in (gold, system)
    ]
    expected = roget.score(*again, MENTIONS, "jk", baselines=False, **RULES)
    assert scored.tolist() == pytest.approx([row.value for row in expected.rows], abs=1e-12)


def test_pooled_scores_have_intervals_over_documents():
    gold, system = documents(0, 3), documents(1, 4)
    for interval in ("auto", "percentile", "jackknife"):
        table = roget.score(gold, system, MENTIONS, "ml", ci=60, interval=interval, **RULES)
        for row in table.rows:
            assert row.low <= row.value <= row.high
            assert row.low < row.high
    compared = roget.compare(gold, {"one": system, "two": documents(2, 2)}, "conll", ci=60, **RULES)
    assert compared.pairs[0].low <= compared.pairs[0].difference <= compared.pairs[0].high
    # What stands in one document only cannot be drawn.
    alone = [
        {key: label for key, label in side.items() if key[0] == "d5"} for side in (gold, system)
    ]
    for result in (
        roget.score(*alone, "conll", ci=20, **RULES),
        roget.compare(alone[0], {"one": alone[1], "two": alone[0]}, "conll", ci=20, **RULES),
    ):
        notice(result.warnings, "needs-groups", "groups")
        assert result.rows[0].value is not None
        assert all(row.low is None for row in result.rows)
        assert "ci:none" in result.signature


def test_undefined_samples_do_not_make_systems_differ():
    """An undefined sample must not give the smallest possible p."""
    systems = {"a": [0] * 6 + [1, 1], "b": [0, 0, 0, 0, 0, 1, 0, 1]}
    table = roget.compare([0] * 7 + [1], systems, "gamma", ci=1000)
    (pair,) = table.pairs
    assert pair.p is None or pair.p > 0.05
    notice(
        [text for text in table.warnings if "bootstrap" in text], "undefined-samples", "of 1,000"
    )


def test_p_excludes_undefined_samples():
    drawn = np.random.default_rng(0).normal(1.0, 1.0, (500, 1))
    gaps = np.concatenate([drawn, np.full((100, 1), np.nan)])
    assert bootstrap_p(np.array([1.0]), gaps) == bootstrap_p(np.array([1.0]), drawn)
    mostly = np.concatenate([drawn, np.full((501, 1), np.nan)])
    assert np.isnan(bootstrap_p(np.array([1.0]), mostly)).all()


def test_jackknife_excludes_undefined_parts():
    """The mean over the defined parts must not be divided by the weight of all parts."""
    values = np.random.default_rng(0).normal(5.0, 1.0, (40, 1))
    gaps = values.copy()
    gaps[:10] = np.nan
    left = Jackknife(gaps, np.ones(40))
    assert np.nanmean(left.spread) == pytest.approx(0, abs=1e-12)
    # The error is scaled from the defined parts to all 40.
    squares = ((values[10:] - values[10:].mean()) ** 2).sum()
    assert left.error == pytest.approx(np.sqrt(39 / 40 * squares * 40 / 30))
    assert left.skew == pytest.approx(Jackknife(values[10:], np.ones(30)).skew * np.sqrt(30 / 40))
    gaps[:21] = np.nan
    assert np.isnan(Jackknife(gaps, np.ones(40)).error).all()


def test_permutation_test_needs_six_groups():
    """With five groups, p could not be below 2/2^5 = .0625."""
    p = permutation_p(np.ones((2, 5)), np.ones(5), 1000, seed=0)
    assert np.isnan(p).all()
    assert permutation_p(np.ones((1, 6)), np.ones(6), 1000, seed=0)[0] == 2 / 2**6
    gap = np.array([[1.0, 1.0, 1.0, 1.0, 1.0, np.nan]])
    assert np.isnan(permutation_p(gap, np.ones(6), 1000, seed=0)[0])


@pytest.mark.parametrize("size", [20, 21])
def test_random_signs_agree_with_enumerated_signs(size):
    """Signs are enumerated for up to 20 groups and sampled beyond."""
    random = np.random.default_rng(size)
    differences = random.normal(0.3, 1.0, (5, size))
    all_sums = np.zeros((5, 1))
    for column in differences.T[:, :, None]:
        all_sums = np.concatenate([all_sums + column, all_sums - column], axis=1)
    observed = np.abs(differences.sum(axis=1, keepdims=True))
    exact = (np.abs(all_sums) >= observed - 1e-12).mean(axis=1)
    p = permutation_p(differences, np.ones(size), 4000, seed=0)
    assert p == pytest.approx(exact, abs=1e-12 if size == 20 else 0.04)


def test_tail_of_p_is_upper_bound():
    """Beyond the number of permutations, p is never smaller than the exact p."""
    random = np.random.default_rng(1)
    differences = np.abs(random.normal(1.0, 0.5, (20, 20)))
    exact = permutation_p(differences, np.ones(20), 10, seed=0)
    terms = Units(differences, np.ones(20, dtype=np.int64), differences.sum(axis=1))
    wide = Units(np.pad(terms.terms, ((0, 0), (0, 5))), np.ones(25, dtype=np.int64), terms.observed)
    assert (flip_signs(wide, 50, seed=0) >= exact).all()


def test_constant_difference_is_significant_among_many_systems():
    """Homogeneities 1 and 0 differ even after correction for 55 pairs, with either test."""
    gold = [0, 0, 1, 1] * 8
    systems = {f"s{i}": gold if i % 2 else [0] * 32 for i in range(11)}
    for paired in ("permutation", "bootstrap"):
        table = roget.compare(gold, systems, "homogeneity", "ml", ci=100, paired=paired)
        for pair in table.pairs:
            assert (pair.p_holm < 0.05) == (abs(pair.difference) == 1), pair


def test_items_with_equal_contributions_are_counted_together():
    """Distinct contributions with counts have the distribution of single items."""
    left = np.repeat(np.array([[0.2], [0.5], [-0.4]]), [9, 8, 8], axis=0)
    difference = np.array([0.12])
    together = Jackknife(np.array([[0.2], [0.5], [-0.4]]), np.array([9, 8, 8]))
    one = contribution_p(difference, Jackknife(left, np.ones(25)), 4000, seed=0)
    assert contribution_p(difference, together, 4000, seed=0) == pytest.approx(one, abs=0.03)


@pytest.mark.parametrize(
    ("groups", "systems", "value"),
    [(4, 2, "4 groups"), (8, 8, "28 pairs")],
)
def test_too_few_groups_are_warned_about(groups, systems, value):
    random = np.random.default_rng(0)
    names = [(f"g{i % groups}", i) for i in range(10 * groups)]
    gold = {key: key[1] % 3 for key in names}
    others = {
        f"s{s}": {key: int(random.integers(3)) for key in names} | {names[0]: 9}
        for s in range(systems)
    }
    table = roget.compare(gold, others, "ari", ci=50)
    notice(table.warnings, "too-few-groups", value)
    assert all((pair.p is None) == (groups < 6) for pair in table.pairs)
    assert {pair.code for pair in table.pairs} == {"too-few-groups"}
    ranked = [row for row in table.rows if not row.trivial]
    assert {(row.letters, row.rank_low, row.rank_high, row.tier) for row in ranked} == {(None,) * 4}
    assert {row.rank for row in ranked} >= {1}


def test_enough_groups_have_letters_and_no_reason():
    names = [(f"g{group}", i) for group in range(6) for i in range(10)]
    gold = {key: key[1] % 3 for key in names}
    others = {"good": gold | {names[0]: 9}, "bad": {key: key[1] % 2 for key in names}}
    table = roget.compare(gold, others, "ari", ci=50)
    [pair] = table.pairs
    assert (pair.p, pair.reason, pair.code) == (2 / 2**6, None, None)
    letters = {row.system: (row.letters, row.tier) for row in table.rows if not row.trivial}
    assert letters == {"good": ("a", 1), "bad": ("b", 2)}
    assert not [text for text in table.warnings if code_of(text) == "too-few-groups"]


def test_scores_that_are_undefined_in_most_groups_cannot_tell():
    """Groups in which a score is undefined do not count."""
    names = [(f"g{group}", i) for group in range(8) for i in range(10)]
    # gamma is undefined if gold or system is one cluster.
    gold = {key: key[1] % 3 if key[0] < "g4" else 0 for key in names}
    others = {"one": {key: key[1] % 3 for key in names}, "two": {key: key[1] % 2 for key in names}}
    table = roget.compare(gold, others, ["gamma", "b3-f"], ci=50)
    codes = {pair.measure: pair.code for pair in table.pairs}
    assert codes == {"gamma": "too-few-groups", "b3-f": None}
    notice(table.warnings, "too-few-groups", "gamma", "4 groups")
    letters = {row.measure for row in table.rows if row.letters}
    assert letters == {"b3-f"}


def test_scores_that_do_not_vary_have_no_interval():
    gold = [0, 1, 2] * 10
    table = roget.score(gold, gold, ["ari", "v"], "jk", ci=1)
    assert [(row.value, row.low, row.high) for row in table.rows] == [(1, None, None)] * 2
    notice(table.warnings, "no-spread", "ari", "v")
    other = [0, 1, 2, 0, 1, 1] * 5
    compared = roget.compare(gold, {"same": gold, "other": other}, "ari", ci=20)
    text = notice(compared.warnings, "no-spread", "ari", "same")
    assert "other" not in text


def test_biased_scores_are_warned_about():
    random = np.random.default_rng(0)
    gold, system = random.integers(0, 6, (2, 60))
    table = roget.score(gold, system, ["b3-f", "ari"], ci=1)
    notice(table.warnings, "biased-scores", "b3-f +0.08")
    few = roget.score(gold[:12], system[:12], "ari", ci=1)
    notice(few.warnings, "few-items", "12 items")


def test_large_groups_reduce_the_degrees_of_freedom():
    values = np.random.default_rng(0).random((1, 6))
    equal = jackknife_groups(values, np.ones(6))
    unequal = jackknife_groups(values, np.array([1.0, 1, 1, 1, 1, 50]))
    assert equal.df == pytest.approx(5)
    assert unequal.df == 1
    undefined = np.where(np.arange(6) < 2, np.nan, values)
    assert jackknife_groups(undefined, np.ones(6)).df == pytest.approx(3)


def test_jackknife_has_one_sample_per_group():
    """The closed form equals averages over the remaining groups."""
    random = np.random.default_rng(0)
    values, weights = random.random((2, 3, 7)), random.integers(1, 9, 7).astype(float)
    values[0, 1, 2] = values[1, 2, 5] = np.nan
    left = jackknife_groups(values, weights).without
    for group in range(7):
        keep = np.arange(7) != group
        expected = average_groups(values[..., keep], weights[keep])
        assert left[group] == pytest.approx(expected)


def bounds(table):
    """Return the confidence bounds of a table, keyed by score."""
    return {(*name(row), end): getattr(row, end) for row in table.rows for end in ("low", "high")}


def name(row):
    return row.measure, row.entropy


def test_intervals_do_not_depend_on_other_systems_or_on_names_of_labels():
    random = np.random.default_rng(3)
    gold = random.integers(0, 20, 700)
    systems = {
        name: np.where(random.random(700) < share, gold, random.integers(0, 25, 700))
        for name, share in (("a", 0.5), ("b", 0.6), ("c", 0.4))
    }
    chosen = ["ami", "v", "b3-f", "one-to-one"]
    expected = bounds(roget.score(gold, systems["a"], chosen, ci=10))
    together = roget.compare(gold, systems, chosen, ci=10)
    fewer = roget.compare(gold, {name: systems[name] for name in "ca"}, chosen, ci=10)
    assert bounds(together["a"]) == bounds(fewer["a"]) == pytest.approx(expected, abs=1e-12)
    names = random.permutation(25)
    renamed = [f"{name:02}" for name in names[gold]], names[systems["a"]].astype(float)
    assert bounds(roget.score(*renamed, chosen, ci=10)) == pytest.approx(expected, abs=1e-12)
    order = random.permutation(700)
    shuffled = roget.score(gold[order], systems["a"][order], chosen, ci=10)
    assert bounds(shuffled) == pytest.approx(expected, abs=1e-12)
