"""The concentration, chosen on held-out tokens or by the description length."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from roget.learn.clustering.mdl import choose as choosing
from roget.learn.clustering.mdl.choose import choose


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_concentration_is_chosen_on_held_out_tokens(planted: Any) -> None:
    table, _ = planted(50, 30, 4, 100)
    choice = choose(table, "auto", rng())
    rows = [row for row in choice.table if row["concentration"] == choice.concentration]
    best = min(rows, key=lambda row: row["loss"])
    assert choice.weight == best["weight"]
    assert best["loss"] <= choice.table[0]["loss"]
    assert len({row["weight"] for row in choice.table}) > 2
    tried = list(dict.fromkeys(row["concentration"] for row in choice.table))
    assert len(tried) > 1
    assert tried == sorted(tried, reverse=True)
    assert all(0 < row["loss"] < 10 for row in choice.table)
    assert choose(table, "auto", rng()) == choice
    kept = choose(table, 12.0, rng())
    assert kept.concentration == 12.0
    assert {row["concentration"] for row in kept.table} == {12.0}


def test_description_length_chooses_if_tokens_are_few(planted: Any) -> None:
    table, _ = planted(20, 10, 2, 30)
    choice = choose(table, "auto", rng())
    best = min(choice.table, key=lambda row: row["loss"])
    assert choice.concentration == choice.weight == best["concentration"]
    assert best["n_clusters"] == 2
    assert best["loss"] > 100


def test_unstructured_table_is_searched_down_to_the_lowest_concentration() -> None:
    table = sparse.csr_array(rng().multinomial(20, np.ones(5) / 5, size=30), dtype=np.float64)
    choice = choose(table, "auto", rng())
    assert {row["n_clusters"] for row in choice.table} == {1}
    assert choice.table[-1]["concentration"] <= choosing.LOWEST


def test_large_tables_are_sampled(planted: Any, monkeypatch: Any) -> None:
    table, _ = planted(200, 30, 3, 20)
    monkeypatch.setattr(choosing, "ENTRIES", 500)
    part = choosing._sample(table, rng())
    assert 500 <= part.nnz <= 500 + 30
    assert part.shape[1] == 30
    rows = {tuple(row) for row in table.toarray()}
    assert all(tuple(row) in rows for row in part.toarray())


def test_frequent_words_are_not_isolated_by_auto() -> None:
    """Each word of three kinds has contexts of its own, and enough tokens to show them."""
    random = rng()
    kinds = random.dirichlet(np.ones(60), 3)
    shares = [random.dirichlet(kinds[at % 3] * 100) for at in range(24)]
    table = sparse.csr_array(np.array([random.multinomial(5000, p) for p in shares]), dtype=float)
    coarse, fine = (choose(table, how, rng()) for how in ("auto", "fine"))
    found = {
        how: choosing.grow_tree(table, one.concentration, 0).labels
        for how, one in (("auto", coarse), ("fine", fine))
    }
    assert len(set(found["fine"].tolist())) >= 20
    assert 3 <= len(set(found["auto"].tolist())) <= 12
    for cluster in set(found["auto"].tolist()):
        assert len({int(at) % 3 for at in np.flatnonzero(found["auto"] == cluster)}) == 1
    # Classes that do not help such words keep what sets them apart.
    assert coarse.weight < float(table.sum()) / 10
