"""Bugs of other libraries that roget must not have."""

from __future__ import annotations

import math
import tracemalloc

import mpmath
import numpy as np
import pytest
import scipy.sparse

from roget import (
    Contingency,
    InputError,
    RogetError,
    Undefined,
    contingency,
    entropy,
    measure,
    score,
)
from roget.scoring.labels import Labels
from roget.scoring.measures import parse
from roget.scoring.measures.information import V
from roget.scoring.tables.baselines import make_baselines
from roget.scoring.tables.weighted import WeightedTable


def test_adjusted_rand_does_not_overflow():
    """Random labels score 0, even if pair counts exceed 64 bits (.683 elsewhere at N = 1e7)."""
    random = np.random.default_rng(0)
    table = random.multinomial(10**7, np.full(100, 0.01)).reshape(10, 10)
    assert Contingency.from_table(table).measure("ari") == pytest.approx(0, abs=1e-5)
    assert Contingency.from_table(table * 10**9).measure("ari") == pytest.approx(0, abs=1e-5)


def test_fractional_tables_are_not_truncated():
    """Mutual information of a fractional table is .065 (.693 elsewhere)."""
    table = np.array([[0.9, 0.6], [0.4, 0.9]])
    p = table / table.sum()
    outer = np.outer(p.sum(axis=1), p.sum(axis=0))
    expected = float((p * np.log(p / outer)).sum())
    assert Contingency.from_table(table).measure("mi") == pytest.approx(expected, rel=1e-12)


def test_mutual_information_is_finite_at_eight_billion_items():
    """The value is finite and correct at N = 8e9 (NaN elsewhere)."""
    small = np.array([[3, 1], [1, 3]])
    huge = Contingency.from_table(small * 10**9).measure("mi")
    assert huge == pytest.approx(Contingency.from_table(small).measure("mi"), rel=1e-13)


def test_v_accepts_beta_of_zero():
    gold, system = [0, 0, 1, 1], [0, 0, 1, 2]
    assert measure("v(beta=0)", gold, system) == measure("homogeneity", gold, system)
    assert measure("v(beta=0)", [0, 0], [0, 1]) == 1.0
    assert measure("v(beta=inf)", gold, system) == measure("completeness", gold, system)


def test_fowlkes_mallows_of_identical_singletons_is_one():
    """Fowlkes–Mallows is 1 (0 elsewhere)."""
    assert measure("fm", [1, 2, 3], ["a", "b", "c"]) == 1.0


def test_weighted_homogeneity_equals_repeated_items():
    """Repeated items give homogeneity .738 (.576 elsewhere)."""
    gold, system, weight = [0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [1, 2, 1, 3, 4]
    repeated = [np.repeat(labels, weight) for labels in (gold, system)]
    table = np.zeros((2, 2))
    np.add.at(table, (gold, system), weight)
    assert Contingency.from_table(table).measure("homogeneity") == pytest.approx(
        measure("homogeneity", *repeated)
    )
    assert measure("homogeneity", *repeated) != pytest.approx(measure("homogeneity", gold, system))


def test_missing_items_count_against_the_system():
    """With two of four items answered, B-cubed is below 1 (P = R = 1 elsewhere)."""
    gold = {"a": "x", "b": "x", "c": "y", "d": "y"}
    table = score(gold, {"a": 1, "c": 2}, ["b3-precision", "b3-recall"])
    assert table["b3-recall"] < 1
    assert table["b3-precision"] < 1
    assert any("2 of 4" in warning for warning in table.warnings)


def test_perfect_single_class_scores_one():
    """V is 1 (0 elsewhere), and ARI is 1 (NaN elsewhere)."""
    table = contingency(["a"] * 5, ["x"] * 5)
    assert table.measure("v") == 1.0
    assert table.measure("ari") == 1.0


def test_ari_of_one_cluster_is_zero():
    """The value is 0, not NaN."""
    assert measure("ari", [0, 0, 1, 1], [0, 0, 0, 0]) == 0.0


def test_grassberger_of_fair_coin_is_near_log_two():
    """The estimate of [50, 50] is close to log 2 (8.52 elsewhere)."""
    assert entropy([50, 50], "grassberger") == pytest.approx(math.log(2), abs=0.01)


@pytest.mark.parametrize("n", [100, 150, 200, 1000, 10**6])
def test_nsb_is_finite(n):
    """The estimate is finite from N = 150 on (NaN elsewhere)."""
    assert entropy([n // 2, n - n // 2], "nsb") == pytest.approx(math.log(2), abs=0.01)


def test_precision_and_recall_are_not_swapped():
    """One big cluster has full recall and low precision."""
    table = contingency([0, 0, 1, 1, 2, 2], [0] * 6)
    assert table.measure("b3-recall") == table.measure("paired-recall") == 1.0
    assert table.measure("b3-precision") == pytest.approx(1 / 3)
    assert table.measure("homogeneity") == 0.0
    assert table.measure("completeness") == 1.0


def test_random_baseline_is_not_rounded_by_linear_estimators():
    """Averages over random tables are fractional, and no estimator may round them."""
    answer = make_baselines(Contingency.from_table(np.full((10, 10), 1000)))["random"]
    for name in ("ml", "mm", "jk", "bub", "grassberger"):
        assert answer.measure("mi", name) == pytest.approx(answer.measure("mi"), abs=6e-4), name


def test_sparse_codes_of_many_groups_do_not_overflow():
    groups = np.repeat(np.arange(1000), 2)
    codes = np.tile([0, 2**40], 1000)
    sides = Labels(codes, 2**40 + 1, None), Labels(codes, 2**40 + 1, None)
    table = Contingency.from_labels(*sides, groups, 1000)
    assert table.shape == (2000, 2000)
    assert table.by_group(sides[0].n_labels).groups == 1000


@pytest.mark.parametrize("table", [[[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.25], [0, 0.25]]])
@pytest.mark.parametrize("name", ["ami", "rmi", "rand", "ari", "gamma", "fm", "jaccard", "vi-logn"])
def test_pair_and_chance_measures_of_fractional_tables_are_undefined(name, table):
    with pytest.raises(Undefined):
        Contingency.from_table(table).measure(name)


def test_ami_of_weighted_labels_is_undefined():
    for weights in ([[0.5, 0.5]] * 4, [[0.5, 0.5]] * 3 + [[0.3, 0.7]]):
        with pytest.raises(Undefined):
            contingency(list("aabb"), np.array(weights)).measure("ami")


@pytest.mark.parametrize("row", [[81940, 805], [200, 100, 200], [1, 12344]])
def test_q2_of_single_class_is_one(row):
    assert Contingency.from_table([row]).measure("q2") == 1.0
    assert Contingency.from_table([row]).measure("q0") == pytest.approx(0, abs=1e-12)


def test_v_of_skewed_sizes_keeps_its_digits():
    """All but three of 10^12 items are in one cell; compare with 50 digits."""
    n = 10**12

    def h(counts):
        return -sum(mpmath.mpf(c) / n * mpmath.log(mpmath.mpf(c) / n) for c in counts)

    with mpmath.workdps(50):
        joint, rows = h([n - 3, 1, 1, 1]), h([n - 2, 2])
        v = float(2 * (2 * rows - joint) / (2 * rows))
    assert Contingency.from_table([[n - 3, 1], [1, 1]]).measure("v") == pytest.approx(v, rel=1e-9)


def test_measure_parameters_keep_their_digits():
    gold, system = [0, 0, 1, 1, 1], [0, 1, 1, 1, 2]
    expected = V(beta=0.123456789)
    assert parse(str(expected)) == expected
    assert measure(expected, gold, system) == contingency(gold, system).measure(expected)


def test_from_table_does_not_change_the_passed_matrix():
    matrix = scipy.sparse.csr_matrix(([1, 2, 3], ([0, 0, 1], [0, 0, 1])))
    before = matrix.data.copy()
    Contingency.from_table(matrix)
    assert matrix.data.tolist() == before.tolist()


def test_tables_beyond_machine_words_are_refused():
    with pytest.raises(InputError, match=r"2\^63"):
        Contingency.from_table(np.array([[2**63, 1], [1, 5]], dtype=np.uint64))


def test_custom_measure_needs_no_catalogue_entry():
    class Half(V):
        name = "half-v"

        def compute(self, entropies):
            return super().compute(entropies) / 2

    assert score([0, 0, 1], [0, 0, 1], [Half()], "ml").rows[0].value == 0.5


@pytest.mark.parametrize(
    "options",
    [{"seed": -1}, {"measures": 5}, {"measures": []}, {"entropy": [None]}, {"average": "none"}],
)
def test_invalid_arguments_are_refused(options):
    with pytest.raises(RogetError):
        score([0, 1], [0, 1], **options)


def test_memory_of_expected_information_follows_number_of_cells():
    """Two big clusters and 20,000 tiny ones: memory must not be widest cell times all cells."""
    random = np.random.default_rng(0)
    n, tiny = 20_000, 20_000
    first = np.concatenate([np.zeros(n, dtype=int), 2 + np.arange(tiny)])
    second = np.concatenate([np.ones(n, dtype=int), 2 + (np.arange(tiny) + 1) % tiny])
    share = random.random(n + tiny)
    codes = np.column_stack([first, second]).ravel()
    weights = np.column_stack([share, 1 - share]).ravel()
    indptr = np.arange(0, 2 * (n + tiny) + 1, 2)
    system = Labels(codes, tiny + 2, None, indptr=indptr, weights=weights)
    gold = Labels(np.arange(n + tiny) % 3, 3, None)
    tracemalloc.start()
    value = WeightedTable.from_labels(gold, system).measure("v", "jk")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0 < value < 1
    assert peak < 400e6
