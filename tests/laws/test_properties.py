"""Properties that the documentation claims of measures hold on generated clusterings."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from roget import Undefined, catalogue, contingency
from roget.scoring.measures import parse
from roget.scoring.measures.laws import BASELINES, METRICS, MONOTONE, list_properties
from roget.scoring.tables.contingency import Contingency

OURS = list(catalogue.MEASURES)


def value_of(table, name):
    try:
        return table.measure(name)
    except Undefined:
        return None


def labels(some, n, most):
    return [some.randrange(some.randint(1, most)) for _ in range(n)]


def improve(some, gold, system):
    """Merge two pure clusters of one class, or separate the classes of a cluster; None if neither.

    The result is never further from gold than before.
    """
    members = {name: [i for i, s in enumerate(system) if s == name] for name in set(system)}
    classes = {name: sorted({gold[i] for i in own}) for name, own in members.items()}
    mixed = sorted(name for name, own in classes.items() if len(own) > 1)
    pure = [
        pair
        for pair in itertools.combinations(sorted(classes), 2)
        if classes[pair[0]] == classes[pair[1]] and len(classes[pair[0]]) == 1
    ]
    if pure and (not mixed or some.random() < 0.5):
        kept, gone = some.choice(pure)
        return [kept if s == gone else s for s in system]
    if not mixed:
        return None
    split = some.choice(mixed)
    side = set(some.sample(classes[split], some.randint(1, len(classes[split]) - 1)))
    return [-1 if s == split and g in side else s for g, s in zip(gold, system, strict=True)]


def test_monotone_measures_never_fall_after_an_improvement():
    some = random.Random(0)
    for _ in range(300):
        n = some.randint(4, 12)
        gold, system = labels(some, n, 4), labels(some, n, 5)
        better = improve(some, gold, system)
        if better is None:
            continue
        before, after = contingency(gold, system), contingency(gold, better)
        for name in MONOTONE:
            values = value_of(before, name), value_of(after, name)
            if None not in values:
                sign = 1 if parse(name).direction == "higher" else -1
                assert sign * (values[1] - values[0]) > -1e-10, (name, gold, system, better)


@pytest.mark.parametrize("name", ["smi", "nvi-k", "ceaf-e", "nca", "psi", "vi-2logk"])
def test_non_monotone_measures_have_a_counterexample(name):
    assert name not in MONOTONE
    some = random.Random(0)
    for _ in range(2000):
        n = some.randint(4, 10)
        gold, system = labels(some, n, 4), labels(some, n, 5)
        better = improve(some, gold, system)
        if better is None:
            continue
        values = [value_of(contingency(gold, one), name) for one in (system, better)]
        sign = 1 if parse(name).direction == "higher" else -1
        if None not in values and sign * (values[1] - values[0]) < -1e-9:
            return
    pytest.fail(f"{name} looks monotone")


SHAPES = [
    ([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]),
    ([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]),
    ([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]),
]


@pytest.mark.parametrize("name", BASELINES)
def test_mean_over_all_clusterings_of_the_same_sizes_is_constant(name):
    for gold, system in SHAPES:
        orders = Counter(itertools.permutations(system))
        values = [contingency(gold, list(one)).measure(name) * n for one, n in orders.items()]
        assert sum(values) / orders.total() == pytest.approx(BASELINES[name], abs=1e-9)


def test_metrics_obey_the_triangle_inequality():
    some = random.Random(0)
    for _ in range(500):
        n = some.randint(3, 8)
        sides = [labels(some, n, 4) for _ in range(3)]
        tables = [contingency(sides[i], sides[j]) for i, j in ((0, 1), (1, 2), (0, 2))]
        for name in METRICS:
            first, second, direct = (value_of(table, name) for table in tables)
            if None not in (first, second, direct):
                assert direct <= first + second + 1e-9, (name, sides)
            assert parse(name).symmetric


def test_measures_of_linear_cost_compute_no_matching(monkeypatch):
    def refuse(*_):
        pytest.fail("a measure of linear cost searches for the best match")

    monkeypatch.setattr(Contingency, "match", refuse)
    linear = [name for name in OURS if list_properties(name).linear]
    assert {"v", "ari", "b3-f", "paired-f", "cluster-f"} <= set(linear)
    assert not {"ami", "one-to-one", "ceaf-e", "conll", "supervised-recall"} & set(linear)
    for name in linear:
        value_of(contingency([0, 0, 1, 1, 2], [0, 1, 1, 1, 2]), name)
