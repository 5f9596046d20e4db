"""`roget.rank`: ranks, intervals, tiers and probabilities from a table of scores."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import roget
from roget.scoring.ranks.rank import rank_tasks, top_probability
from roget.scoring.ranks.rank_sets import (
    SignFlips,
    TaskBootstrap,
    adjust_pairs,
    find_differences,
    rank_bounds,
    split_tiers,
)
from roget.scoring.ranks.skewness import adjust_skewed, estimate_skewness, skewed_p
from support.errors import codes, notice, refused

RANDOM = np.random.default_rng(4)
TABLE = {
    f"s{at}": (RANDOM.normal(size=8) * 0.1 + level).round(3).tolist()
    for at, level in enumerate((0.9, 0.85, 0.4, 0.38, 0.0))
}

tables = st.integers(2, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 4), min_size=size, max_size=size), min_size=6, max_size=8
    )
)
"""Tables of tasks × systems with many ties."""


def named(columns):
    return {f"s{at}": [float(cell) for cell in row] for at, row in enumerate(zip(*columns))}  # noqa: B905


def mean_rank_twin(table):
    """Return the mean rank of each system, with the mean of the ranks for ties."""
    found = {}
    for name, own in table.items():
        ranks = []
        for task, score in enumerate(own):
            others = [row[task] for other, row in table.items() if other != name]
            better = sum(other > score for other in others)
            equal = sum(other == score for other in others)
            ranks.append(1 + better + equal / 2)
        found[name] = sum(ranks) / len(ranks)
    return found


@settings(max_examples=15, deadline=None)
@given(tables)
def test_mean_rank_and_borda_equal_naive_computation(columns):
    table = named(columns)
    twin = mean_rank_twin(table)
    ranking = roget.rank(table, by="rank", samples=100)
    wins = ranking.wins()
    for at, row in enumerate(ranking.rows):
        assert row.mean_rank == pytest.approx(twin[row.system])
        beaten = (wins[at].sum() - 0.5) / (len(table) - 1)
        assert row.borda == pytest.approx(beaten)
        assert row.rank == 1 + sum(twin[other] < twin[row.system] - 1e-9 for other in twin)


@settings(max_examples=15, deadline=None)
@given(tables, st.randoms(use_true_random=False))
def test_rank_ignores_order_of_systems(columns, random):
    table = named(columns)
    shuffled = list(table.items())
    random.shuffle(shuffled)
    one, two = roget.rank(table, samples=100), roget.rank(dict(shuffled), samples=100)
    for row in one.rows:
        other = two[row.system]
        assert (row.rank, row.rank_low, row.rank_high, row.tier) == (
            other.rank, other.rank_low, other.rank_high, other.tier,
        )  # fmt: skip
        assert row.first == pytest.approx(other.first)


@settings(max_examples=10, deadline=None)
@given(tables)
def test_ranking_by_rank_ignores_monotone_transformations(columns):
    table = named(columns)
    bent = {name: np.exp(np.array(row)).tolist() for name, row in table.items()}
    one = roget.rank(table, by="rank", samples=100)
    two = roget.rank(bent, by="rank", samples=100)
    for row in one.rows:
        other = two[row.system].as_dict() | {"mean": row.mean}
        assert other == row.as_dict()


@settings(max_examples=15, deadline=None)
@given(tables, st.sampled_from(["mean", "rank"]))
def test_identical_systems_share_rank_tier_and_probability(columns, by):
    table = named(columns)
    table["twin"] = table["s0"]
    ranking = roget.rank(table, by=by, samples=100)
    one, two = ranking["s0"].as_dict(), ranking["twin"].as_dict()
    assert one.pop("first") == pytest.approx(two.pop("first"))
    assert one.pop("top") == pytest.approx(two.pop("top"))
    assert one | {"system": ""} == two | {"system": ""}


@settings(max_examples=15, deadline=None)
@given(tables)
def test_intervals_contain_the_rank_and_marginal_ones_are_narrower(columns):
    for row in roget.rank(named(columns), samples=100).rows:
        assert row.rank_low <= row.marginal_low <= row.rank <= row.marginal_high <= row.rank_high


def test_clear_differences_are_found_and_small_ones_are_not():
    ranking = roget.rank(TABLE)
    assert ranking.systems == ["s0", "s1", "s2", "s3", "s4"]
    assert [row.tier for row in ranking.rows] == [1, 1, 2, 2, 3]
    assert [(row.rank_low, row.rank_high) for row in ranking.rows][2:] == [(3, 4), (3, 4), (5, 5)]
    assert sum(row.first for row in ranking.rows) == pytest.approx(1)
    assert sum(row.top for row in ranking.rows) == pytest.approx(3)
    assert len(ranking.pairs) == 10
    pair = ranking.pairs[-1]
    assert (pair.a, pair.b, pair.wins, pair.ahead) == ("s3", "s4", 1.0, 1.0)
    assert 0 < pair.low < pair.difference < pair.high
    assert pair.p < 0.05


def test_sign_flip_test_equals_naive_computation():
    """With two systems, p is the fraction of sign patterns with a mean at least as extreme."""
    a, b = np.array(TABLE["s2"]), np.array(TABLE["s3"])
    model = SignFlips.sample(np.array([a, b]), 1000, np.random.default_rng(0))
    apart = a - b
    signs = np.array(np.meshgrid(*[[-1, 1]] * apart.size)).reshape(apart.size, -1)
    extreme = np.abs(apart @ signs) >= abs(apart.sum()) - 1e-9
    assert model.exact
    assert adjust_pairs([model], 2).simultaneous[0, 1] == pytest.approx(extreme.mean())


def test_nearly_identical_pair_does_not_hide_other_differences():
    values = np.array([*TABLE.values()])
    values[1] = values[0]
    values[1, 0] += 0.01
    random = np.random.default_rng(0)
    p = adjust_pairs([TaskBootstrap.sample(values, 500, random)], len(values)).simultaneous
    assert p[0, 4] < 0.05 < p[0, 1]


def test_constant_difference_is_significant():
    values = np.repeat([[1.0], [2.0]], 8, axis=1)
    random = np.random.default_rng(0)
    models = [cls.sample(values, 500, random) for cls in (SignFlips, TaskBootstrap)]
    assert adjust_pairs(models, 2).simultaneous[0, 1] == pytest.approx(2 / 256)


def test_tiers_have_no_significant_pair():
    better = np.zeros((4, 4), dtype=bool)
    better[1, 2] = better[0, 3] = True
    assert split_tiers(np.array([4.0, 3.0, 2.0, 1.0]), better).tolist() == [1, 1, 2, 2]
    low, high = rank_bounds(better)
    assert (low.tolist(), high.tolist()) == ([1, 1, 2, 2], [3, 3, 4, 4])


def test_top_probability_is_shared_by_ties():
    drawn = np.array([[2.0, 1.0], [2.0, 3.0], [0.0, 3.0]])
    assert top_probability(drawn, 2).tolist() == [0.5, 1.0, 0.5]
    assert rank_tasks(np.array([[1.0], [1.0], [1.0]])).ravel().tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("tied", [True, False])
def test_simultaneous_intervals_cover_all_ranks(tied):
    """Naive percentiles of bootstrapped ranks cover ties in a few per cent of the cases only."""
    random = np.random.default_rng(11)
    truth = np.zeros(6) if tied else np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.05])
    best = 1 + (truth[None] > truth[:, None]).sum(axis=1)
    worst = len(truth) - (truth[None] < truth[:, None]).sum(axis=1)
    covered = []
    for _ in range(60):
        values = truth[:, None] + random.normal(size=(6, 10)) + random.normal(size=10)
        models = [cls.sample(values, 200, random) for cls in (SignFlips, TaskBootstrap)]
        means = values.mean(axis=1)
        p = adjust_pairs(models, 6).simultaneous
        low, high = rank_bounds(find_differences(means, p))
        covered.append(bool(((low <= best) & (worst <= high)).all()))
    assert np.mean(covered) >= 0.9


@pytest.mark.parametrize("tasks", [6, 10])
def test_rank_intervals_cover_all_ranks_of_skewed_differences(tasks):
    """Twelve tied systems that sometimes do much better, by amounts of different sizes."""
    random = np.random.default_rng(tasks)
    scale = np.linspace(0.3, 3, 12)[:, None]
    covered = []
    for trial in range(60):
        values = scale * random.exponential(size=(12, tasks))
        values -= scale
        models = [kind.sample(values, 300, random) for kind in (SignFlips, TaskBootstrap)]
        p = adjust_skewed(values, adjust_pairs(models, 12), trial % 2).simultaneous
        low, high = rank_bounds(find_differences(values.mean(axis=1), p))
        covered.append(bool(((low <= 1) & (high >= 12)).all()))
    assert np.mean(covered) >= 0.9


def test_skewed_p_equals_students_where_there_is_no_skewness():
    t = np.array([0.5, 2.0, 4.0, 30.0])
    usual = 2 * scipy.stats.t.sf(t, 9)
    assert skewed_p(t, 10, 0.25, 0) == pytest.approx(usual, rel=0.7)
    heavy = skewed_p(t, 10, 2.0, 0)
    assert (heavy[1:] > 3 * usual[1:]).all()
    assert estimate_skewness(np.random.default_rng(0).normal(size=(40, 200))) <= 0.5


def test_standard_errors_rank_a_single_task():
    table = {"system": ["a", "b", "c"], "acc": [0.9, 0.89, 0.5], "acc_se": [0.02, 0.02, 0.02]}
    ranking = roget.rank(table)
    assert "|uncertainty:se|" in ranking.signature
    assert [(row.rank_low, row.rank_high) for row in ranking.rows] == [(1, 2), (1, 2), (3, 3)]
    assert ranking["a"].first == pytest.approx(0.64, abs=0.06)
    other = roget.rank(
        {"a": [0.9], "b": [0.89], "c": [0.5]}, se={"a": [0.02], "b": [0.02], "c": [0.02]}
    )
    assert other.rows == ranking.rows


def test_rank_averages_repeats_and_runs(tmp_path):
    rows = [
        ("a", 0, 0.9),
        ("a", 1, 0.8),
        ("a", 2, 0.85),
        ("b", 0, 0.2),
        ("b", 1, 0.3),
        ("b", 2, 0.25),
    ]
    file = tmp_path / "runs.csv"
    lines = [f"{name},{seed},{score},{score + 0.01}" for name, seed, score in rows]
    file.write_text("\n".join(["model,seed,t1,t2", *lines]))
    ranking = roget.rank(file)
    notice(ranking.warnings, "repeated-scores", "a and b")
    assert ranking.uncertainty == "repeats"
    assert ranking["a"].mean == pytest.approx(0.855)
    assert ranking["b"].rank_low == 2
    many = {f"t{at}": [score + at / 100 for *_, score in rows] for at in range(8)}
    long = roget.rank({"model": [row[0] for row in rows], "run": ["x", "y", "z"] * 2, **many})
    assert long.uncertainty == "tasks+runs"
    assert long["b"].rank_low == 2
    assert roget.rank({"model": [row[0] for row in rows], **many}, by="rank").uncertainty == (
        "tasks+runs"
    )


def test_rank_gives_no_intervals_for_too_few_tasks():
    ranking = roget.rank({"a": [3, 2, 3], "b": [1, 1, 1]})
    notice(ranking.warnings, "few-tasks", "3 of at least 6")
    assert ranking["a"].rank == 1
    assert ranking["a"].rank_low is None
    assert "|uncertainty:none|" in ranking.signature


def test_rank_accepts_measures_where_lower_is_better():
    negative = {name: [-score for score in row] for name, row in TABLE.items()}
    assert [row.rank_low for row in roget.rank(negative, lower="all").rows] == [
        row.rank_low for row in roget.rank(TABLE).rows
    ]
    mixed = {name: [-row[0], *row[1:]] for name, row in TABLE.items()}
    ranking = roget.rank(mixed, lower="task 1")
    assert ranking.by == "rank"
    assert ranking["s0"].mean is None
    with refused("conflicting-options", "--by rank"):
        roget.rank(mixed, lower="task 1", by="mean")
    with refused("unknown-name", "task 99"):
        roget.rank(mixed, lower="task 99")


def test_rank_warns_about_tasks_of_different_scales():
    table = {name: [1000 * row[0], *row[1:]] for name, row in TABLE.items()}
    notice(roget.rank(table).warnings, "mixed-scales", "task 1")
    assert "mixed-scales" not in codes(roget.rank(table, by="rank").warnings)


def write(path, text):
    path.write_text(text)
    return path


WIDE = "model,org,t1,t2,t3,average\na,x,1,2,3,2\nb,y,2,,4,3\n"


def test_rank_refuses_missing_scores_with_their_place(tmp_path):
    file = write(tmp_path / "wide.csv", WIDE)
    with refused("missing-scores", "wide.csv:3", "'b'", "'t2'"):
        roget.rank(file)
    dropped = roget.rank(file, missing="drop-task")
    notice(dropped.warnings, "missing-scores", "1 missing score", "1 task")
    notice(dropped.warnings, "ignored-columns", "org and average")
    assert dropped.tasks == ("t1", "t3")
    assert roget.rank(file, missing="worst")["b"].mean == pytest.approx((2 + 2 + 4) / 3)
    with refused("missing-scores", "drop-system"):
        roget.rank(file, missing="drop-system")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("w.csv", "model,t1,t2\na,1,2\nb,3,5\n"),
        ("w.tsv", "model\tt1\tt2\na\t1\t2\nb\t3\t5\n"),
        ("semi.csv", "model;t1;t2\na;1;2\nb;3;5\n"),
        ("percent.csv", "rank,model,t1,t2\n2,a,1%,2%\n1,b,3%,5%\n"),
        ("long.csv", "model,dataset,value\na,t1,1\na,t2,2\nb,t1,3\nb,t2,5\n"),
        ("w.jsonl", '{"model": "a", "t1": 1, "t2": 2}\n{"model": "b", "t1": 3, "t2": 5}\n'),
        ("list.json", '[{"model": "a", "t1": 1, "t2": 2}, {"model": "b", "t1": 3, "t2": 5}]'),
        ("nested.json", '{"a": {"t1": 1, "t2": 2}, "b": {"t1": 3, "t2": 5}}'),
    ],
)
def test_rank_reads_every_table_layout(tmp_path, name, text):
    ranking = roget.rank(write(tmp_path / name, text))
    assert ranking.tasks == ("t1", "t2")
    assert [(row.system, row.mean) for row in ranking.rows] == [("b", 4.0), ("a", 1.5)]


def test_rank_reads_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(TABLE).T
    expected = [row.rank_low for row in roget.rank(TABLE).rows]
    assert [row.rank_low for row in roget.rank(frame).rows] == expected
    named = frame.reset_index(names="system")
    assert [row.rank_low for row in roget.rank(named).rows] == expected


def test_rank_reports_place_of_invalid_cells(tmp_path):
    with refused("broken-lines", "wide.csv:3", "'0,7'"):
        roget.rank(write(tmp_path / "wide.csv", 'model,t1\na,1\nb,"0,7"\nc,2\nd,3\n'))
    with refused("duplicate-name", "'t1'"):
        roget.rank(write(tmp_path / "twice.csv", "model,t1,t1\na,1,2\nb,2,3\n"))
    with refused("missing-column", "'t9'"):
        roget.rank(write(tmp_path / "wide.csv", WIDE), tasks="t9")
    with refused("empty-input", "1 system"):
        roget.rank({"a": [1, 2]})
    with refused("missing-option", "--se"):
        roget.rank(TABLE, uncertainty="errors")
    with refused("duplicate-item", "'t1'"):
        long = {"system": ["a", "a", "b"], "task": ["t1"] * 3, "score": [1, 2, 3], "run": ["x"] * 3}
        roget.rank(long)


def test_json_of_rank_has_all_values():
    ranking = roget.rank(TABLE, details=True, samples=100)
    data = json.loads(ranking.render("json"))
    assert {"rank", "rank_low", "marginal_high", "tier", "borda", "first"} <= data["rows"][0].keys()
    assert len(data["pairs"]) == 10
    assert ranking.cite().count("@") == 3


def test_comparison_is_ranked_by_its_groups():
    gold = {(f"w{at % 8}", at): at // 8 % 3 for at in range(96)}
    systems = {
        name: {key: label if key[1] % cut else 9 for key, label in gold.items()}
        for name, cut in (("one", 3), ("two", 7))
    }
    compared = roget.compare(gold, systems, ["vi", "ari"], "ml", main="vi")
    found = roget.rank(compared)
    assert found.tasks == tuple(f"w{at}" for at in range(8))
    values = {row.system: row.value for row in compared.rows if row.measure == "vi"}
    assert {row.system: row.mean for row in found.rows} == pytest.approx(
        {name: values[name] for name in systems}
    )
    assert found.rows[0].system == min(systems, key=values.__getitem__)
    with refused("needs-groups"):
        roget.rank(roget.compare([0, 1, 1], {"a": [0, 1, 1], "b": [0, 0, 1]}, "ari"))
