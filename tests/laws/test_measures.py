"""Properties that the catalogue declares of measures hold on generated tables."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roget import Contingency, Undefined, catalogue, contingency, score
from roget.scoring.entropy import get as get_estimator
from roget.scoring.measures import parse
from support.errors import refused
from support.examples import few

MEASURES = catalogue.names("measures")
INFORMATION = [name for name in MEASURES if parse(name).uses_entropy]
SPLIT_AT_RANDOM = {"supervised-recall"}
DUPLICATION_KEEPS = {
    "homogeneity", "completeness", "v", "vi", "nvi", "nvi-k", "mi", "nmi", "zk-entropy", "purity",
    "inverse-purity", "f", "larsen", "micro-precision", "micro-recall", "many-to-one",
    "van-dongen", "one-to-one", "greedy-one-to-one", "misclassification", "meila-heckerman",
    "b3-precision", "b3-recall", "b3-f", "ceaf-e", "ceaf-e-precision", "ceaf-e-recall", "ceaf-m",
    "ceaf-m-precision", "ceaf-m-recall", "element-centric", "nca", "psi", "xb3-precision",
    "xb3-recall", "xb3-f", "onmi", "mean-best-f1", "fuzzy-nmi", "cluster-precision",
    "cluster-recall", "cluster-f", "vi-2logk",
}  # fmt: skip

labellings = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
    )
)
one_labelling = st.lists(st.integers(0, 6), min_size=1, max_size=30)


def by_needs(names):
    """Names of measures by the statistics they need: each table is drawn and counted for all."""
    families = {}
    for name in names:
        families.setdefault("+".join(parse(name).needs), []).append(name)
    return [pytest.param(family, id=needs) for needs, family in families.items()]


def value_of(table, name, entropy="ml"):
    try:
        return table.measure(name, entropy)
    except Undefined:
        return None


def value(name, gold, system, entropy="ml"):
    return value_of(contingency(gold, system), name, entropy)


def same(a, b):
    return a is b is None or (a is not None and b is not None and math.isclose(a, b, abs_tol=1e-11))


def tied(table):
    counts = table.table.counts
    return len(set(counts.tolist())) < counts.size


def assert_same(names, one, other):
    """Measures of two tables agree; where the order of equal cells may matter, there are none."""
    wrong = {}
    for name in names:
        if not (parse(name).ties and tied(one)):
            values = value_of(one, name), value_of(other, name)
            if not same(*values):
                wrong[name] = values
    assert not wrong


@pytest.mark.parametrize("names", by_needs(n for n in MEASURES if n not in SPLIT_AT_RANDOM))
@few(4)
@given(labels=labellings, data=st.data())
def test_measures_ignore_label_names_and_item_order(names, labels, data):
    gold, system = labels
    order = data.draw(st.permutations(range(len(gold))))
    rename = data.draw(st.permutations(range(7)))
    other_gold = [f"class {rename[gold[i]]}" for i in order]
    other_system = [-10 * rename[system[i]] for i in order]
    assert_same(names, contingency(gold, system), contingency(other_gold, other_system))


@pytest.mark.parametrize("names", by_needs(MEASURES))
@few(4)
@given(labels=one_labelling, data=st.data())
def test_perfect_clustering_has_best_value(names, labels, data):
    rename = data.draw(st.permutations(range(7)))
    table = contingency(labels, [rename[label] for label in labels])
    for name in names:
        check_perfect(name, labels, value_of(table, name))


def check_perfect(name, labels, got):
    if name == "gamma":
        assert got in (None, 1.0)
    elif name in ("smi", "pmi2") and got is None:
        assert len(set(labels)) in (1, len(labels))
    elif parse(name).best is not None:
        assert got == parse(name).best, name
    elif name == "mi":
        assert got == pytest.approx(contingency(labels, labels).entropies(get_estimator("ml")).gold)
    else:
        assert math.isfinite(got), name


@pytest.mark.parametrize("labels", [[0], [0, 0, 0], [0, 1, 2]], ids=["item", "class", "singletons"])
@pytest.mark.parametrize("name", MEASURES)
def test_degenerate_perfect_clusterings_have_best_value(name, labels):
    best = parse(name).best
    if name == "gamma":
        assert value(name, labels, labels) is None
    elif best is not None:
        assert value(name, labels, labels) == best


@pytest.mark.parametrize("name", MEASURES)
@few(4)
@given(labels=labellings)
def test_values_are_within_declared_range(name, labels):
    low, high = parse(name).range
    got = value(name, *labels)
    assume(got is not None)
    assert low - 1e-12 <= got <= high + 1e-12


@pytest.mark.parametrize("names", by_needs(n for n in MEASURES if parse(n).symmetric))
@few(4)
@given(labels=labellings)
def test_symmetric_measures_are_symmetric(names, labels):
    gold, system = labels
    there, back = contingency(gold, system), contingency(system, gold)
    values = {name: (value_of(there, name), value_of(back, name)) for name in names}
    assert not {name: both for name, both in values.items() if not same(*both)}


@pytest.mark.parametrize("name", [name for name in MEASURES if not parse(name).symmetric])
def test_asymmetric_measures_have_a_counterexample(name):
    """A counterexample shows that the declaration is not vacuous."""
    random = np.random.default_rng(0)
    for _ in range(200):
        gold, system = random.integers(0, 3, 12), random.integers(0, 5, 12)
        if not same(value(name, gold, system), value(name, system, gold)):
            return
    # Some tell the sides apart where one has no pairs at all, or where they have other items.
    sides = [({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 1, "c": 2}), ({"a": 1, "b": 2}, {"a": 1})]
    for gold, system in sides:
        rules = {"missing": "unmatched", "extra": "unmatched", "baselines": False}
        there, back = score(gold, system, name, **rules), score(system, gold, name, **rules)
        if not same(there.rows[0].value, back.rows[0].value):
            return
    assert parse(name).ties, f"{name} looks symmetric"


@pytest.mark.parametrize("names", by_needs(sorted(DUPLICATION_KEEPS)))
@few(4)
@given(labels=labellings)
def test_doubling_every_item_changes_nothing(names, labels):
    gold, system = labels
    assert_same(names, contingency(gold, system), contingency(gold * 2, system * 2))


@pytest.mark.parametrize("entropy", catalogue.names("entropies"))
@few(4)
@given(labels=labellings)
def test_every_estimator_supports_every_information_measure(entropy, labels):
    table = contingency(*labels)
    for name in INFORMATION:
        got = value_of(table, name, entropy)
        assert got is None or math.isfinite(got), name


@pytest.mark.parametrize("name", ["vi", "nvi"])
@few(4)
@given(gold=st.lists(st.integers(0, 3), min_size=2, max_size=30), data=st.data())
def test_vi_and_nvi_are_convexly_additive(name, gold, data):
    """Splitting one class costs P(class)·H(split), over H(C) for NVI, and nothing else."""
    split = data.draw(st.sampled_from(sorted(set(gold))))
    parts = data.draw(st.lists(st.integers(0, 2), min_size=len(gold), max_size=len(gold)))
    system = [(g, part if g == split else 0) for g, part in zip(gold, parts, strict=True)]
    inside = [part for g, part in zip(gold, parts, strict=True) if g == split]
    share = len(inside) / len(gold)
    cost = share * sum(
        -p * math.log(p) for p in np.unique(inside, return_counts=True)[1] / len(inside)
    )
    gold_entropy = contingency(gold, gold).entropies(get_estimator("ml")).gold
    if name == "nvi" and gold_entropy:
        cost /= gold_entropy
    assert value(name, gold, [str(s) for s in system]) == pytest.approx(cost, abs=1e-12)


@few(4)
@given(labels=labellings, data=st.data())
def test_nvi_keeps_the_order_of_vi(labels, data):
    gold, first = labels
    second = data.draw(st.lists(st.integers(0, 6), min_size=len(gold), max_size=len(gold)))
    vi = value("vi", gold, first) - value("vi", gold, second)
    nvi = value("nvi", gold, first) - value("nvi", gold, second)
    assert abs(vi) < 1e-9 or abs(nvi) < 1e-9 or (vi > 0) == (nvi > 0)


@few(4)
@given(gold=one_labelling)
def test_nvi_of_one_cluster_is_exactly_one(gold):
    assume(len(set(gold)) > 1)
    assert value("nvi", gold, [0] * len(gold)) == 1.0


@pytest.mark.parametrize("names", by_needs(n for n in MEASURES if n not in SPLIT_AT_RANDOM))
@few(4)
@given(labels=labellings)
def test_table_and_labels_have_equal_measures(names, labels):
    gold, system = np.array(labels)
    table = np.zeros((7, 7), dtype=np.int64)
    np.add.at(table, (gold, system), 1)
    assert_same(names, Contingency.from_table(table), contingency(gold, system))


@pytest.mark.parametrize("exponent", [12, 15])
@pytest.mark.parametrize("name", MEASURES)
def test_measures_of_huge_tables_are_exact(name, exponent):
    """A table of 10^12 or 10^15 items scores like its proportions, within 1/N effects."""
    unit = 10**exponent // 20
    small = np.array([[6, 1, 0], [1, 5, 2], [0, 1, 4]])
    huge = Contingency.from_table(small * unit)
    if name == "supervised-recall":
        with refused("undefined"):
            huge.measure(name)
        return
    got = huge.measure(name)
    assert math.isfinite(got)
    if name in DUPLICATION_KEEPS:
        assert got == pytest.approx(Contingency.from_table(small).measure(name), rel=1e-12)
    if name == "mirkin":
        sides = (7**2 + 8**2 + 5**2) + (7**2 + 7**2 + 6**2) - 2 * (36 + 1 + 1 + 25 + 4 + 1 + 16)
        assert got == pytest.approx(sides * float(unit) ** 2, rel=1e-12)


@pytest.mark.parametrize("entropy", catalogue.names("entropies"))
def test_estimators_agree_for_huge_tables(entropy):
    """At N = 10^12 all estimators agree with the plug-in value."""
    table = Contingency.from_table(np.array([[6, 1, 0], [1, 5, 2], [0, 1, 4]]) * 5 * 10**10)
    assert table.measure("v", entropy) == pytest.approx(table.measure("v"), abs=1e-6)


@pytest.mark.parametrize("entropy", catalogue.names("entropies"))
def test_one_item_has_a_value_or_a_reason(entropy):
    for row in score(["a"], ["x"], measures=MEASURES, entropy=entropy).rows:
        assert row.value is not None or row.reason


@few(4)
@given(labels=labellings, groups=st.data())
def test_score_is_the_weighted_average_of_groups(labels, groups):
    gold, system = labels
    group = groups.draw(st.lists(st.integers(0, 2), min_size=len(gold), max_size=len(gold)))
    ids = [f"i{i}" for i in range(len(gold))]
    parts = [
        ([gold[i] for i in range(len(gold)) if group[i] == g],
         [system[i] for i in range(len(gold)) if group[i] == g])
        for g in sorted(set(group))
    ]  # fmt: skip
    expected = sum(len(part) * value("v", part, answer) for part, answer in parts) / len(gold)
    import pandas as pd

    left = pd.DataFrame({"item": ids, "label": gold, "group": group})
    right = pd.DataFrame({"item": ids, "label": system, "group": group})
    got = score(left, right.iloc[::-1], measures="v", entropy="ml")["v"]
    assert got == pytest.approx(expected, abs=1e-12)
