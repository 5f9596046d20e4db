"""The search for a split compared with all partitions, and the search as printed in the paper."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from roget.data import sample
from roget.learn.clustering.mdl import criteria
from roget.learn.clustering.mdl.grow import Bisector, Sides

CODES = [
    ("li-abe", "mdl"), ("li-abe", "mle"), ("corrected", "mdl"), ("dirichlet", "mdl"),
    ("nml", "mdl"),
]  # fmt: skip


def cutter(counts: Any, criterion: str, estimator: str = "mdl", **options: Any) -> Bisector:
    table = sparse.csr_array(counts, dtype=np.float64)
    return Bisector(table, criteria.make_code(table, criterion, estimator, 30.0), **options)


@pytest.mark.parametrize(("criterion", "estimator"), CODES)
def test_lengths_follow_the_definition(criterion: str, estimator: str, naive: Any) -> None:
    counts = np.random.default_rng(1).poisson(3, size=(6, 5)) + np.eye(6, 5, dtype=int)
    found = cutter(counts, criterion, estimator)
    cut = found.split(np.arange(6))
    assert cut is not None
    root = found.code.root_length(sparse.csr_array(counts), found.totals)
    alone = naive(counts, [0] * 6, criterion, estimator, 30.0)
    slack = 0.2 if criterion == "nml" else 1e-9  # the complexity is an approximation
    assert root.total == pytest.approx(alone, abs=slack)
    split = naive(counts, cut.side.tolist(), criterion, estimator, 30.0)
    assert cut.saved == pytest.approx(alone - split, abs=slack)
    data = naive(
        counts, cut.side.tolist(), "li-abe" if criterion == "li-abe" else "corrected", "mle"
    )
    assert root.data - cut.before.data + cut.after.data == pytest.approx(data)
    if estimator == "mle":
        assert root.model == cut.after.model - cut.before.model == 0


def problems(planted: Any) -> Any:
    rng = np.random.default_rng(0)
    nouns = sample("verb_object").top(300).matrix
    for number in range(8):
        n = int(rng.integers(3, 9))
        if number % 2:
            yield nouns[rng.choice(300, n, replace=False)]
        else:
            yield planted(n, 12, 3, int(rng.integers(3, 60)), seed=number)[0]


@pytest.mark.parametrize(("criterion", "estimator"), CODES)
def test_best_of_all_partitions_is_found(planted: Any, criterion: str, estimator: str) -> None:
    for number, table in enumerate(problems(planted)):
        found = cutter(table, criterion, estimator, seed=number)
        rows = np.arange(table.shape[0])
        cut = found.split(rows)
        assert cut is not None
        assert cut.proper
        every = Sides(found.extract(rows), found.code, 0)
        lengths = []
        for rest in itertools.product((0, 1), repeat=rows.size - 1):
            every.assign(np.array([0, *rest], dtype=np.int8))
            lengths.append(every.length() if any(rest) else math.inf)
        every.assign(cut.side)
        assert every.length() == pytest.approx(min(lengths), abs=1e-6)


def test_split_depends_only_on_the_rows() -> None:
    table = np.random.default_rng(0).poisson(1, size=(60, 40)) + np.eye(60, 40)
    one, two = (cutter(table, "dirichlet", seed=5) for _ in range(2))
    rows = np.arange(10, 50)
    two.split(np.arange(20))
    first, second = one.split(rows), two.split(rows)
    assert first is not None
    assert second is not None
    assert np.array_equal(first.side, second.side)
    assert first.saved == second.saved


def test_one_row_has_no_split() -> None:
    assert cutter([[1, 2], [3, 4]], "li-abe").split(np.array([1])) is None


def test_side_0_has_more_tokens() -> None:
    for counts in ([[9, 0], [0, 1]], [[1, 0], [0, 9]], [[5, 0], [0, 5]]):
        cut = cutter(counts, "dirichlet").split(np.arange(2))
        assert cut is not None
        assert cut.side.tolist() == ([1, 0] if counts[1][1] == 9 else [0, 1])


def test_error_of_a_kernel_is_detected() -> None:
    found = cutter(np.eye(4) + 1, "li-abe")
    one = Sides(found.extract(np.arange(4)), found.code, 0)
    one.assign(np.array([0, 0, 1, 1]))
    one._check(one.length())
    with pytest.raises(RuntimeError):
        one._check(one.length() + 1e-3)


def test_printed_search_stays_near_its_start(planted: Any) -> None:
    """The printed schedule is too cold: some runs miss the optimum, and none beats it."""
    table = planted(15, 20, 3, 30, seed=2)[0]
    best = cutter(table, "li-abe").split(np.arange(15))
    assert best is not None
    runs = [cutter(table, "li-abe", search="paper", seed=s).split(np.arange(15)) for s in range(30)]
    lengths = [run.after.total - run.before.total for run in runs if run is not None]
    least = min(0.0, best.after.total - best.before.total)
    assert min(lengths) >= least - 1e-9
    assert max(lengths) > least + 1e-6
    assert any(run is not None and run.proper for run in runs)


def test_printed_search_may_empty_a_side() -> None:
    found = cutter(np.full((2, 400), 1), "li-abe", search="paper")
    cuts = [found.split(np.arange(2))]
    assert cuts[0] is not None
    assert not cuts[0].proper
    assert cuts[0].side.tolist() == [0, 0]
    assert cuts[0].saved == pytest.approx(0.0)
