"""All answers and gold standards of two shared tasks are readable."""

from __future__ import annotations

import re

import numpy as np
import pytest

from roget.errors import FormatError
from roget.scoring.labels import align, as_labels
from support.errors import notice

TASK_2010, TASK_2013 = "semeval2010-task14", "semeval2013-task13"


def naive(path):
    """A key, read by the simplest means: (group, item) → {label: weight}."""
    result = {}
    for line in path.read_text("utf-8").splitlines():
        fields = line.split()
        if fields:
            answer = {}
            for token in fields[2:]:
                parted = re.fullmatch(r"(.+)/([0-9.]+)", token)
                label, weight = parted.groups() if parted else (token, 1)
                answer[label] = answer.get(label, 0) + float(weight)
            total = sum(answer.values())
            result[fields[0], fields[1]] = {k: v / total for k, v in answer.items() if v}
    return result


@pytest.mark.parametrize("task", [TASK_2010, TASK_2013])
def test_every_key_of_shared_tasks_equals_naive_reader(shared_data, answers, task):
    paths = [path for path in (shared_data / task).rglob("*") if path.suffix in (".key", ".txt")]
    assert len(paths) > 15
    for path in sorted(paths):
        found, expected = answers(as_labels(path)), naive(path)
        assert found.keys() == expected.keys(), path
        for key, answer in expected.items():
            if found[key] != answer:
                assert found[key] == pytest.approx(answer, rel=1e-12), (path, key)


def test_gold_of_semeval_2010_is_read(shared_data):
    gold = as_labels(shared_data / TASK_2010 / "gold/all.key", gold=True)
    assert (len(gold), len(gold.group_names), gold.weighted) == (8915, 100, False)
    assert gold.warnings == ()


def test_missing_items_of_semeval_2010_are_reported(shared_data):
    gold = as_labels(shared_data / TASK_2010 / "gold/all.key", gold=True)
    path = shared_data / TASK_2010 / "systems/380-520_duluth-wsi-testdata-gap.txt"
    aligned = align(gold, as_labels(path))
    assert (aligned.missing, aligned.extra) == (2, 0)
    notice(aligned.warnings, "missing-items", "2 of 8,915", path)
    assert len(align(gold, as_labels(path), missing="drop").gold) == 8913


def test_weighted_gold_of_semeval_2013_is_read(shared_data):
    gold = as_labels(shared_data / TASK_2013 / "gold/all.key", gold=True)
    assert (len(gold), len(gold.group_names), gold.weighted) == (4664, 50, True)
    assert [warning for warning in gold.warnings if "17 " in warning]
    sums = np.add.reduceat(gold.weights, gold.indptr[:-1])
    np.testing.assert_allclose(sums, 1.0, rtol=1e-12)
    single = as_labels(shared_data / TASK_2013 / "gold/all.singlesense.key", gold=True)
    assert not single.weighted


def test_weighted_system_of_semeval_2013_is_read(shared_data):
    folder = shared_data / TASK_2013
    path = folder / "systems/UoS/wn/UoS.DEPENDENCYPARSE.MAXMAX.NUMOFWORDNETSENSES.key"
    system = as_labels(path)
    assert int((~system.answered()).sum()) == 3
    aligned = align(as_labels(folder / "gold/all.key", gold=True), system)
    assert (aligned.missing, aligned.extra) == (2, 142)
    with pytest.raises(FormatError) as caught:
        as_labels(path, gold=True)
    assert len(caught.value.problems) == 3
