"""Many groups at once: every value equals that of the group's own table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget import Contingency, Undefined, catalogue, contingency
from roget.scoring.entropy import Histogram
from roget.scoring.entropy import get as get_estimator
from roget.scoring.labels import AlignedLabels, Labels
from roget.scoring.measures import Measure, parse
from roget.scoring.measures.base import evaluate, explain
from roget.scoring.tables import baselines
from roget.scoring.tables import contingency as tabulate
from roget.scoring.tables.baselines import RandomSameSizes, make_baselines
from roget.scoring.tabulate import tabulate as tabulate_sides
from support.errors import refused
from support.examples import few

MEASURES = [
    *catalogue.names("measures"),
    *("v(beta=0.5)", "v(beta=0)", "nmi(average=max)", "nmi(average=geometric)"),
    *("ami(average=min)", "mirkin(scale=n2)", "mirkin(scale=pairs)"),
]
ENTROPIES = catalogue.names("entropies")
REQUESTS = [
    (measure, entropy)
    for measure in MEASURES
    for entropy in (ENTROPIES if parse(measure).uses_entropy else ["ml"])
]


def by_needs(requests):
    """Requests by the statistics they need: those are made once for each table, for all of them."""
    families = {}
    for measure, entropy in requests:
        families.setdefault("+".join(parse(measure).needs), []).append((measure, entropy))
    return [pytest.param(family, id=needs) for needs, family in families.items()]


items = st.tuples(st.integers(0, 4), st.integers(0, 6))
groups = st.lists(st.lists(items, min_size=1, max_size=30), min_size=1, max_size=6)


def tables_of(parts):
    """The tables of lists of (class, cluster), as one by group and as one each."""
    gold, system = np.array([item for part in parts for item in part]).T
    owners = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    sides = Labels(gold, 5, None), Labels(system, 7, None)
    whole = Contingency.from_labels(*sides, owners, len(parts)).by_group(5)
    return whole, [contingency(*np.array(part).T) for part in parts]


def alone(table, measure, entropy):
    try:
        return table.measure(measure, entropy)
    except Undefined:
        return np.nan


def together(tables, measure, entropy):
    try:
        return tables.measure_groups(measure, entropy)
    except Undefined:
        return np.nan


def assert_same(tables, singles, *requests):
    wrong = []
    for measure, entropy in requests:
        found = together(tables, measure, entropy)
        expected = [alone(single, measure, entropy) for single in singles]
        if not np.allclose(found, expected, rtol=1e-12, atol=1e-14, equal_nan=True):
            wrong.append(f"{measure}@{entropy}: {found}, one by one {expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("requests", by_needs(REQUESTS))
@few()
@given(parts=groups)
def test_measures_of_groups_equal_loop(requests, parts):
    assert_same(*tables_of(parts), *requests)


EXPECTED = [
    (measure, entropy)
    for measure, entropy in REQUESTS
    if not {"table", "joint", "matched"} & set(parse(measure).needs)
    and entropy in ("ml", "mm", "jk", "grassberger")
]


@pytest.mark.parametrize("requests", by_needs(EXPECTED))
@few()
@given(parts=groups, like_gold=st.booleans())
def test_baselines_of_groups_equal_loop(requests, parts, like_gold):
    whole, singles = tables_of(parts)
    answers = [make_baselines(single, like_gold=like_gold) for single in singles]
    drawn = {"elements", "cover", "degrees", "tree"} & set(parse(requests[0][0]).needs)
    for name, answer in make_baselines(whole, like_gold=like_gold).items():
        # Random tables of all groups are drawn at once, and so are others than one by one.
        if name != "random" or not drawn:
            assert_same(answer, [each[name] for each in answers], *requests)


@few()
@given(parts=groups)
def test_baseline_tables_of_groups_equal_loop(parts):
    whole, singles = tables_of(parts)
    answers, of_all = [make_baselines(single) for single in singles], make_baselines(whole)
    requests = [(name, "ml") for name in ("purity", "one-to-one", "ceaf-e", "supervised-recall")]
    for name in ("one cluster", "one per item"):
        assert_same(of_all[name], [each[name] for each in answers], *requests)


def random_groups(count, most, clusters, seed=0):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, most, count)
    return [
        random.integers(0, clusters, (size, 2)) // np.array([1, 1 + size % 3]) for size in sizes
    ]


@pytest.mark.parametrize(("count", "most", "clusters"), [(300, 40, 4), (40, 400, 30), (3, 9000, 9)])
def test_measures_of_larger_groups_equal_loop(count, most, clusters):
    """Matching by subsets and assignment, counting and sorting, exact products of pair counts."""
    parts = random_groups(count, most, clusters)
    gold, system = np.concatenate(parts).T
    owners = np.repeat(np.arange(count), [len(part) for part in parts])
    sides = Labels(gold, clusters, None), Labels(system, clusters, None)
    whole = Contingency.from_labels(*sides, owners, count).by_group(clusters)
    singles = [contingency(*part.T) for part in parts]
    measures = ("v", "ami", "ari", "gamma", "one-to-one", "ceaf-e", "b3-f", "rmi", "f", "q2")
    assert_same(whole, singles, *((measure, "jk") for measure in measures))
    random = [make_baselines(single)["random"] for single in singles]
    requests = [(measure, "jk") for measure in ("v", "ami", "b3-f", "paired-f")]
    assert_same(make_baselines(whole)["random"], random, *requests)


def test_random_tables_have_margins_of_each_group(monkeypatch):
    monkeypatch.setattr(baselines, "_MAX_CELLS", 60)
    whole, singles = tables_of([[(i % 4, i % 6) for i in range(size)] for size in (30, 100, 1, 40)])
    random = make_baselines(whole, seed=3)["random"]
    assert isinstance(random, RandomSameSizes)
    drawn = random.table
    for group, single in enumerate(singles):
        block = drawn.block(group)
        assert block.row_totals.tolist() == single.row_totals.tolist()
        assert block.column_totals.tolist() == single.column_totals.tolist()
    monkeypatch.setattr(baselines, "_MAX_CELLS", 10)
    random = make_baselines(whole, seed=3)["random"]
    assert np.isnan(random.measure_groups("one-to-one")).tolist() == [True, True, False, True]


def test_random_tables_depend_on_seed():
    whole, _ = tables_of([[(i % 4, i % 6) for i in range(30)]] * 5)
    drawn = [make_baselines(whole, seed=seed)["random"].table.counts for seed in (1, 1, 2)]
    assert drawn[0].tolist() == drawn[1].tolist() != drawn[2].tolist()


@few()
@given(parts=groups)
def test_matching_by_subsets_equals_assignment(parts):
    whole, _ = tables_of(parts)
    kept = tabulate.SUBSETS
    found = whole.match(whole.counts)
    try:
        tabulate.SUBSETS = 0
        assert whole.match(whole.counts).tolist() == found.tolist()
    finally:
        tabulate.SUBSETS = kept


@pytest.mark.parametrize("entropy", ENTROPIES)
@given(
    parts=st.lists(
        st.lists(st.integers(1, 2000) | st.just(10**15), min_size=1, max_size=8),
        min_size=1,
        max_size=5,
    )
)
@few(5)
def test_estimators_of_many_samples_equal_loop(entropy, parts):
    starts = np.cumsum([0, *map(len, parts[:-1])])
    samples = Histogram.from_counts(np.concatenate(parts), starts)
    estimator = get_estimator(entropy)
    supports = np.array([len(part) + 3 for part in parts])
    one_by_one = [Histogram.from_counts(np.array(part)) for part in parts]
    for given_support in (None, supports):
        each = [None] * len(parts) if given_support is None else supports.tolist()
        expected = [estimator(*pair) for pair in zip(one_by_one, each, strict=True)]
        np.testing.assert_allclose(estimator(samples, given_support), expected, rtol=1e-12)


def test_reason_is_that_of_first_undefined_group():
    whole, _ = tables_of([[(0, 0), (1, 1), (1, 1)], [(0, 0), (1, 2)], [(0, 0), (0, 1)]])
    values, reason = evaluate(whole, (parse("gamma"), None))
    assert np.isnan(values).tolist() == [False, True, True]
    assert reason == explain(whole, 1, (parse("gamma"), None)) is not None


def test_groups_of_fractional_counts_are_scored_separately():
    labels = Labels(np.array([0, 1, 0, 1]), 2, None), Labels(np.array([0, 1, 1, 1]), 2, None)
    owners, counts = np.array([0, 0, 1, 1]), np.array([1.5, 2.0, 3.0, 1.0])
    sides = AlignedLabels(*labels, owners, ["a", "b"], 0, 0, (), counts)
    tables = tabulate_sides(sides, pooled=False)
    values, reason = evaluate(tables, (parse("v"), "jk"))
    assert np.isnan(values).tolist() == [True, False]
    assert "jk" in str(reason)


@dataclass(frozen=True)
class OneAtATime(Measure):
    """1 is best: paired precision, written for one table."""

    name = "one-at-a-time"
    needs = ("pairs",)
    reference = "nobody"

    def compute(self, pairs: Any) -> float:
        if not pairs.system:
            raise Undefined("no pairs")
        return float(pairs.both / pairs.system)


def test_single_table_measures_are_computed_group_by_group():
    whole, singles = tables_of([[(0, 0), (1, 1), (1, 1)], [(0, 0), (1, 2)], [(0, 1), (1, 1)]])
    values = whole.measure_groups(OneAtATime())
    assert values.tolist()[::2] == [singles[0].measure("paired-precision"), 0.0]
    assert np.isnan(values[1])
    answers = make_baselines(whole)
    assert answers["one cluster"].measure_groups(OneAtATime()).shape == (3,)
    assert answers["random"].measure_groups(OneAtATime()).shape == (3,)
    with refused("undefined", "no pairs"):
        answers["one per item"].measure_groups(OneAtATime())
