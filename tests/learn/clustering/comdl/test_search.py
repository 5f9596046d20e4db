from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import v_measure_score

from roget.learn.clustering.comdl.criterion import prepare
from roget.learn.clustering.comdl.search import CoMDLSearch, CoMDLSettings, build_hierarchy


def run(counts: Any, **options: Any) -> CoMDLSearch:
    search = CoMDLSearch(prepare(counts), CoMDLSettings(**options))
    for _ in search.steps():
        pass
    return search


def partitions(n: int) -> Iterator[list[int]]:
    """All partitions of n items, as labels."""
    if n == 0:
        yield []
        return
    for labels in partitions(n - 1):
        for c in range(max(labels, default=-1) + 2):
            yield [*labels, c]


@pytest.mark.parametrize("seed", range(6))
def test_optimum_of_tiny_tables_is_found(naive: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = rng.dirichlet(np.full(3, 0.3), size=3)
    counts = rng.poisson(12 * blocks[[0, 0, 1, 2, 1]][:, [0, 1, 1, 2]])
    counts[counts.sum(axis=1) == 0, 0] = 1
    counts[0, counts.sum(axis=0) == 0] = 1
    best = min(
        naive(counts, rows, columns, 0.5, 1.0)
        for rows in partitions(5)
        for columns in partitions(4)
    )
    found = run(counts, a=0.5, b=1.0, starts=5, seed=seed).find_best()
    assert found.total == pytest.approx(best, rel=1e-12)


def printed(counts: Any, rows: Any, columns: Any) -> float:
    """Li & Abe's length, token by token, in nats."""
    rows, columns, n = np.asarray(rows), np.asarray(columns), counts.sum()
    total = 0.0
    for w, v in np.argwhere(counts):
        inside = rows == rows[w], columns == columns[v]
        share = counts[np.ix_(*inside)].sum() / n / (inside[0].sum() * inside[1].sum())
        total -= counts[w, v] * math.log(share)
    parameters = len(set(rows.tolist())) * len(set(columns.tolist())) - 1
    return total + parameters / 2 * math.log(n) + (rows.size + columns.size - 2) * math.log(2)


@pytest.mark.parametrize("seed", range(6))
def test_optimum_of_tiny_tables_by_li_and_abe_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    blocks = rng.dirichlet(np.full(3, 0.3), size=3)
    counts = rng.poisson(20 * blocks[[0, 0, 1, 2, 1]][:, [0, 1, 1, 2]]) + 1
    best = min(
        printed(counts, rows, columns) for rows in partitions(5) for columns in partitions(4)
    )
    search = CoMDLSearch(prepare(counts, "printed"), CoMDLSettings(0.0, 0.0, starts=5, seed=seed))
    assert [*search.steps()][-1].find_best().total == pytest.approx(best, rel=1e-12)


def test_sweeps_and_merges_by_li_and_abe_track_the_length(planted: Any) -> None:
    """Counts below and above the table of logs, whole and not; the search raises where it errs."""
    counts = planted(80, 50, 4, 3, 60)[0] + 1
    for one in (counts, counts * 3000, counts / 7):
        search = CoMDLSearch(prepare(one, "printed"), CoMDLSettings(0.0, 0.0, sweeps=10))
        found = [*search.steps()][-1].find_best()
        assert search.length(found).total == pytest.approx(printed(one, *found.labels), rel=1e-10)
        tree = build_hierarchy(search.table, found, shorten=False)
        first = printed(one, np.zeros(80, int), np.zeros(50, int))
        assert tree.path[0]["description_length"] + tree.path[0]["saved"] == pytest.approx(first)


def test_planted_classes_are_found(planted: Any) -> None:
    counts, rows, columns = planted(300, 200, 6, 5, 120)
    seen = counts.sum(axis=0) > 0
    search = run(counts[:, seen], sweeps=40)
    found = search.find_best()
    assert v_measure_score(rows, found.labels[0]) == pytest.approx(1.0)
    assert v_measure_score(columns[seen], found.labels[1]) > 0.97
    assert search.length(found).total == pytest.approx(found.total, rel=1e-12)


def test_same_seed_gives_the_same_classes(planted: Any) -> None:
    counts = planted(60, 40, 4, 3, 30)[0] + 1
    first, second, other = (run(counts, sweeps=10, seed=seed).find_best() for seed in (3, 3, 4))
    assert first.total == second.total
    assert all(map(np.array_equal, first.labels, second.labels))
    assert not all(map(np.array_equal, first.labels, other.labels))


@pytest.mark.parametrize("stop", [1, 4, 9, 13, 17])
def test_search_resumes_from_a_snapshot(planted: Any, stop: int) -> None:
    counts = planted(60, 40, 4, 3, 30)[0] + 1
    settings = CoMDLSettings(sweeps=8, starts=2, seed=5)
    whole = run(counts, sweeps=8, starts=2, seed=5)
    search = CoMDLSearch(prepare(counts), settings)
    for _, _ in zip(range(stop), search.steps(), strict=False):
        pass
    kept = search.snapshot()
    for _ in search.steps():  # what goes on does not change what was kept
        pass
    again = CoMDLSearch(prepare(counts), settings)
    again.restore(kept)
    for _ in again.steps():
        pass
    for one, two in zip(whole.ends, again.ends, strict=True):
        assert (one.total, one.a, one.b) == (two.total, two.a, two.b)
        assert all(map(np.array_equal, one.labels, two.labels))


def test_requested_number_of_classes_is_found(planted: Any) -> None:
    counts = planted(60, 40, 4, 3, 30)[0] + 1
    assert run(counts, n_row_classes=7, n_column_classes=2, sweeps=15).find_best().k == [7, 2]
    assert run(counts, n_row_classes=2, sweeps=15).find_best().k[0] == 2
    assert run(counts, n_row_classes=60, n_column_classes=40, sweeps=3).find_best().k == [60, 40]


def test_path_holds_true_lengths(naive: Any, planted: Any) -> None:
    counts = planted(30, 20, 4, 3, 40)[0]
    counts = counts[:, counts.sum(axis=0) > 0]
    table = prepare(counts)
    found = run(counts, sweeps=20).find_best()
    result = build_hierarchy(table, found)
    last = result.path[-1]
    assert last["description_length"] == pytest.approx(result.length.total, rel=1e-12)
    assert last["model"] == pytest.approx(result.length.partition, rel=1e-12)
    first = result.path[0]
    alone = naive(counts, np.zeros(30, int), np.zeros(counts.shape[1], int), found.a, found.b)
    assert first["description_length"] + first["saved"] == pytest.approx(alone, rel=1e-12)
    for before, after in zip(result.path, result.path[1:], strict=False):
        saved = before["description_length"] - after["description_length"]
        assert saved == pytest.approx(after["saved"], abs=1e-6)
    for row in result.path:
        rows = result.trees[0].cut(row["n_clusters"])[result.labels[0]]
        columns = result.trees[1].cut(row["n_column_clusters"])[result.labels[1]]
        here = naive(counts, rows, columns, found.a, found.b)
        assert row["description_length"] == pytest.approx(here, rel=1e-12)
        assert row["model"] + row["data"] == pytest.approx(here, rel=1e-12)


def test_shorter_description_on_the_way_replaces_the_classes(planted: Any) -> None:
    counts = planted(60, 40, 3, 3, 100)[0]
    seen = counts.sum(axis=0) > 0
    table = prepare(counts[:, seen])
    search = CoMDLSearch(table, CoMDLSettings(sweeps=1))
    kept = build_hierarchy(table, search.now, shorten=False)
    shorter = build_hierarchy(table, search.now)
    assert kept.trees[0].n_clusters == search.now.k[0]
    assert shorter.length.total < kept.length.total
    assert shorter.trees[0].n_clusters < kept.trees[0].n_clusters
    assert shorter.length.total <= min(row["description_length"] for row in kept.path) + 1e-6
