"""Supervised recall on given splits: a naive implementation, small cases, files."""

from __future__ import annotations

import gzip
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget.errors import InputError
from roget.scoring.labels import as_labels
from roget.scoring.steps.splits import read_splits, supervised_recall
from support.errors import refused

GROUPS, CLASSES, CLUSTERS = ("g", "h", "i"), ("x", "y", "z", "10", "9"), ("1", "2", "3", None)


def best(answer):
    """The heaviest label of an answer, the first as text of equal ones."""
    if not isinstance(answer, dict):
        return answer
    return min(answer, key=lambda label: (-answer[label], str(label)))


def twin(gold, system, splits):
    """Item by item, from the words of the rule."""
    groups = list(dict.fromkeys(group for group, _ in gold))
    shares, pooled = {group: [0.0, 0.0] for group in groups}, []
    for mapping, test in splits:
        met = {}
        for key, label in mapping.items():
            cluster = best(system.get(key))
            if cluster is not None:
                met.setdefault((key[0], cluster), Counter())[best(label)] += 1
        right = {}
        for key, label in test.items():
            counter = met.get((key[0], best(system.get(key))))
            most = max(counter.values()) if counter else 0
            meant = min(k for k, n in counter.items() if n == most) if counter else None
            right[key] = meant == best(label)
        pooled.append(sum(right.values()) / len(right))
        for (group, _), value in right.items():
            shares[group][0] += value / len(right)
            shares[group][1] += 1 / len(right)
    means = [found / tested if tested else math.nan for found, tested in shares.values()]
    return means, sum(pooled) / len(pooled)


@st.composite
def cases(draw):
    keys = st.tuples(st.sampled_from(GROUPS), st.sampled_from("123456789"))
    gold = draw(st.dictionaries(keys, st.sampled_from(CLASSES), min_size=2, max_size=24))
    hard = st.sampled_from(CLUSTERS)
    weights = st.dictionaries(st.sampled_from(("1", "2", "3")), st.integers(1, 3), min_size=1)
    system = {key: draw(hard | weights) for key in draw(st.permutations(list(gold)))}
    splits = []
    for _ in range(draw(st.integers(1, 3))):
        order = draw(st.permutations(list(gold)))
        cut = draw(st.integers(1, len(order) - 1))
        splits.append(({k: gold[k] for k in order[:cut]}, {k: gold[k] for k in order[cut:]}))
    return gold, system, splits


@given(cases())
def test_supervised_recall_equals_naive_computation(case):
    gold, system, splits = case
    parts = [(as_labels(mapping), as_labels(test)) for mapping, test in splits]
    recall = supervised_recall(as_labels(gold), as_labels(system), parts)
    groups, pooled = twin(gold, system, splits)
    assert recall.pooled == pytest.approx(pooled)
    np.testing.assert_allclose(recall.groups, groups)


def one(gold, system, mapping, test):
    split = (as_labels(mapping), as_labels(test))
    return supervised_recall(as_labels(gold), as_labels(system), [split])


def test_tie_is_resolved_to_class_that_sorts_first_as_text():
    gold = dict(zip("abcd", ("9", "10", "9", "10"), strict=True))
    system = dict.fromkeys("abcd", "k")
    mapping = {"a": "9", "b": "10"}
    assert one(gold, system, mapping, {"d": "10"}).pooled == 1
    assert one(gold, system, mapping, {"c": "9"}).pooled == 0


def test_missing_labels_and_unseen_clusters_count_as_wrong():
    gold = dict.fromkeys("abcd", "x")
    system = {"a": "k", "b": "k", "c": "l", "d": None}
    assert one(gold, system, {"a": "x"}, {"b": "x", "c": "x", "d": "x"}).pooled == 1 / 3
    del system["d"]
    assert one(gold, system, {"a": "x"}, {"b": "x", "c": "x", "d": "x"}).pooled == 1 / 3
    assert one(gold, system, {"c": "x"}, {"d": "x"}).pooled == 0
    # What has no answer does not teach anything either.
    assert one(gold, system, {"d": "x"}, {"a": "x"}).pooled == 0


def test_clusters_are_private_to_their_group():
    gold = {("g", "1"): "x", ("g", "2"): "x", ("h", "1"): "x"}
    system = dict.fromkeys(gold, "k")
    recall = one(gold, system, {("g", "1"): "x"}, {("g", "2"): "x", ("h", "1"): "x"})
    assert recall.groups.tolist() == [1, 0]
    assert recall.pooled == 0.5


def test_group_without_test_items_has_no_recall():
    gold = {("g", "1"): "x", ("g", "2"): "x", ("h", "1"): "x"}
    recall = one(gold, dict.fromkeys(gold, "k"), {("g", "1"): "x"}, {("g", "2"): "x"})
    assert recall.groups[0] == 1
    assert math.isnan(recall.groups[1])
    assert recall.pooled == 1


def test_equal_weights_are_resolved_by_name():
    gold = dict.fromkeys("abc", "x")
    mapping, test = {"a": "x"}, {"b": "x", "c": "x"}
    system = {"a": {"k": 1, "l": 1}, "b": {"l": 2, "k": 2}, "c": {"l": 2, "k": 1}}
    assert one(gold, system, mapping, test).pooled == 0.5
    backwards = dict(reversed(system.items()))
    assert one(gold, backwards, mapping, test).pooled == 0.5


def test_inconsistent_splits_are_refused():
    gold = as_labels({"a": "x", "b": "y"}, name="the gold labels")
    part, strange = as_labels({"a": "x"}), as_labels({"q": "x"}, name="the test part")
    with refused("missing-option"):
        supervised_recall(gold, gold, [])
    with refused("extra-items", "the test part", "'q'", "the gold labels"):
        supervised_recall(gold, gold, [(part, strange)])
    with refused("missing-column"):
        supervised_recall(gold, gold, [(as_labels(["x"]), part)])
    with refused("empty-input"):
        supervised_recall(gold, gold, [(part, as_labels({"a": None}))])


def test_splits_are_read_in_numeric_order(tmp_path):
    for number, item in ((2, "b"), (10, "c"), (1, "a")):
        (tmp_path / f"mapping.{number}.key").write_text(f"g {item} x\n")
        with gzip.open(tmp_path / f"test.{number}.tsv.gz", "wt") as file:
            file.write(f"item\tlabel\tgroup\n{item}{item}\ty\tg\n")
    (tmp_path / "mapping.1.key~").write_text("left by an editor")
    (tmp_path / "README.md").write_text("not a split")
    splits = read_splits(tmp_path)
    assert [mapping.items for mapping, _ in splits] == [["a"], ["b"], ["c"]]
    assert [test.items for _, test in splits] == [["aa"], ["bb"], ["cc"]]


@pytest.mark.parametrize(
    ("names", "code", "values"),
    [
        ((), "empty-input", ["mapping.1.key"]),
        (("all.key",), "empty-input", ["mapping.1.key"]),
        (("mapping.1.key", "test.2.key"), "file-not-found", ["mapping.1.key", "test.1"]),
        (("mapping.1.key", "test.1.key", "test.2.key"), "file-not-found", ["mapping.2"]),
        (("mapping.1.key", "mapping.1.tsv", "test.1.key"), "duplicate-name", ["mapping.1.tsv"]),
        (("mapping.01.key", "mapping.1.key", "test.1.key"), "duplicate-name", ["mapping.01.key"]),
    ],
)
def test_incomplete_split_folders_are_refused(tmp_path, names, code, values):
    for name in names:
        (tmp_path / name).write_text("g a x\n")
    with refused(code, *values):
        read_splits(tmp_path)


def test_missing_split_folder_is_refused(tmp_path):
    with refused("file-not-found", "none"):
        read_splits(tmp_path / "none")


def test_split_item_without_class_is_refused(tmp_path):
    (tmp_path / "mapping.1.key").write_text("g a x\n")
    (tmp_path / "test.1.key").write_text("g b\n")
    with pytest.raises(InputError, match=r"test\.1\.key:1"):
        read_splits(tmp_path)
