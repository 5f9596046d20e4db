"""Best-first growth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roget.learn.clustering.mdl import criteria
from roget.learn.clustering.mdl.grow import Bisector, Grower


def grower(table: Any, most: int | None = None, criterion: str = "dirichlet") -> Grower:
    found = criteria.make_code(table, criterion, "mdl", 50.0)
    return Grower(Bisector(table, found, seed=1), most)


def test_split_that_saves_most_comes_first(planted: Any) -> None:
    table, _ = planted(60, 40, 6, 60)
    grown, offered = grower(table), {}
    for step in grown.run():
        if step is not None:
            assert step.saved == pytest.approx(max(offered.values()))
        offered = {c: one.saved for c, one in enumerate(grown.candidates)}
    assert grown.n_clusters > 3
    assert max(offered.values()) <= 1e-6
    assert grown.fraction == 1.0
    assert grown.tree().n_clusters == grown.n_clusters == len(set(grown.labels))


def test_fewer_clusters_equal_a_cut_of_the_tree(planted: Any) -> None:
    table, _ = planted(60, 40, 6, 60)
    whole, part, more = grower(table), grower(table, 4), grower(table, 20)
    for one in (whole, part, more):
        list(one.run())
    assert np.array_equal(whole.tree().cut(4)[whole.labels], part.tree().cut(4)[part.labels])
    assert np.array_equal(part.labels, part.tree().cut(4)[part.labels])
    assert more.n_clusters == 20 > whole.n_clusters
    assert more.steps[: len(whole.steps)] == whole.steps
    assert more.steps[-1].saved < 0


def test_saving_is_the_difference_of_whole_descriptions(planted: Any, naive: Any) -> None:
    table, _ = planted(12, 10, 2, 40)
    one = grower(table, 2)
    (_, step) = one.run()
    assert step is not None
    lengths = [naive(table.toarray(), x, "dirichlet", "mdl", 50.0) for x in ([0] * 12, one.labels)]
    assert step.saved == pytest.approx(lengths[0] - lengths[1])
    assert one.tree().value[0] == step.saved
    assert (step.kept, step.moved) == tuple(np.bincount(one.labels))


@pytest.mark.parametrize("after", [1, 3, 6])
def test_growth_resumes_from_a_snapshot(planted: Any, after: int) -> None:
    table, _ = planted(60, 40, 6, 60)
    whole, begun, resumed = grower(table), grower(table), grower(table)
    list(whole.run())
    for number, _ in enumerate(begun.run()):
        if number == after:
            break
    resumed.restore(begun.snapshot())
    list(resumed.run())
    assert resumed.steps == whole.steps
    assert np.array_equal(resumed.labels, whole.labels)
    assert resumed.fraction == 1.0
