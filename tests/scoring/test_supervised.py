"""Supervised recall by seeded splits of the table."""

from __future__ import annotations

import numpy as np
import pytest

from roget import Contingency, InputError, Undefined


def naive(gold, system, train, splits, seed):
    """Split real items, learn the majority class of each cluster, test."""
    random = np.random.default_rng(seed)
    recalls = []
    n = len(gold)
    for _ in range(splits):
        order = random.permutation(n)
        learn, test = order[: round(train * n)], order[round(train * n) :]
        mapping = {}
        for cluster in set(system[learn]):
            classes, counts = np.unique(gold[learn][system[learn] == cluster], return_counts=True)
            mapping[cluster] = classes[counts.argmax()]
        recalls.append(np.mean([mapping.get(system[i]) == gold[i] for i in test]))
    return np.mean(recalls)


def test_supervised_recall_agrees_with_splitting_items():
    random = np.random.default_rng(5)
    gold = random.integers(0, 4, 400)
    system = np.where(random.random(400) < 0.6, gold, random.integers(0, 12, 400))
    table = np.zeros((4, 12), dtype=int)
    np.add.at(table, (gold, system), 1)
    ours = Contingency.from_table(table).measure("supervised-recall(splits=300)")
    assert ours == pytest.approx(naive(gold, system, 0.8, 300, 1), abs=0.01)


def test_seed_determines_supervised_recall():
    table = Contingency.from_table(np.arange(1, 13).reshape(3, 4))
    once = table.measure("supervised-recall(seed=3)")
    assert once == table.measure("supervised-recall(seed=3)")
    values = {table.measure(f"supervised-recall(seed={seed})") for seed in range(5)}
    assert len(values) > 1


def test_unseen_clusters_count_as_wrong():
    """With one cluster per item, no test cluster occurs in training."""
    table = Contingency.from_table(np.repeat(np.eye(2, dtype=int), 10, axis=1))
    assert table.measure("supervised-recall") == 0.0


def test_supervised_recall_of_too_few_items_is_undefined():
    with pytest.raises(Undefined):
        Contingency.from_table([[1, 1]]).measure("supervised-recall")


@pytest.mark.parametrize("text", ["supervised-recall(train=1)", "supervised-recall(splits=0)"])
def test_invalid_parameters_of_supervised_recall_are_refused(text):
    with pytest.raises(InputError):
        Contingency.from_table([[1, 1]]).measure(text)
