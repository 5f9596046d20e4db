"""Entropies, pairs and matches behind the scores, compared with naive code, in every output."""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roget import InputError, compare, contingency, score
from roget.scoring.labels.write import write_columns
from roget.scoring.tables.contingency import Contingency
from support.errors import refused

LABELS = st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("1234")), min_size=2)


def entropy(labels):
    n = len(labels)
    return -sum(k / n * math.log(k / n) for k in Counter(labels).values())


@given(LABELS)
def test_entropies_and_pairs_equal_naive_computation(pairs):
    gold, system = zip(*pairs, strict=True)
    found = score(gold, system, "v", "ml", baselines=False).as_dict()
    (row,) = found["entropies"]
    assert row["gold"] == pytest.approx(entropy(gold), abs=1e-12)
    assert row["system"] == pytest.approx(entropy(system), abs=1e-12)
    assert row["joint"] == pytest.approx(entropy(pairs), abs=1e-12)
    assert row["mutual"] == pytest.approx(entropy(gold) + entropy(system) - entropy(pairs))
    counted = Counter(f"n{int(a[0] == b[0])}{int(a[1] == b[1])}" for a, b in combinations(pairs, 2))
    assert found["pair_counts"] == {name: counted[name] for name in ("n11", "n10", "n01", "n00")}


def test_entropies_of_groups_are_averaged_like_scores():
    keys = [("g", 1), ("g", 2), ("h", 1), ("h", 2), ("h", 3), ("h", 4)]
    gold = dict(zip(keys, "abaaab", strict=True))
    asked = (gold, dict.fromkeys(gold, "k"), "v", "ml")
    (row,) = score(*asked).components.entropies
    assert row.gold == pytest.approx((2 * math.log(2) + 4 * entropy("aaab")) / 6)
    (row,) = score(*asked, average="unweighted").components.entropies
    assert row.gold == pytest.approx((math.log(2) + entropy("aaab")) / 2)
    pairs = score(*asked).components.pairs
    assert pairs.n11 + pairs.n10 + pairs.n01 + pairs.n00 == 1 + 6


def test_cluster_sizes_are_binned():
    gold = ["one"] + ["nine"] * 9 + ["ten"] * 10 + ["more"] * 100
    bands = score(gold, range(120), "ari").components
    assert [(b.size, b.sets, b.items) for b in bands.gold] == [
        ("1", 1, 1), ("< 10", 1, 9), ("< 100", 1, 10), ("more", 1, 100),
    ]  # fmt: skip
    assert [b.sets for b in bands.system] == [120, 0, 0, 0]
    assert sum(b.share for b in bands.gold) == pytest.approx(1)


def test_pair_counts_of_trillions_of_items_are_exact():
    table = Contingency.from_table([[10**12, 1], [0, 10**12]])
    from roget.scoring.steps.components import compute_components

    found = compute_components([table], ["ml", "jk"], np.ones(1))
    n = 2 * 10**12 + 1
    assert sum(vars(found.pairs).values()) == n * (n - 1) // 2


def test_undefined_entropies_have_a_reason():
    weighted = {"a": {"x": 0.5, "y": 0.5}, "b": {"x": 1}, "c": {"y": 1}}
    rows = score({"a": 0, "b": 0, "c": 1}, weighted, "v", ["ml", "nsb"]).as_dict()["entropies"]
    assert rows[0]["gold"] is not None
    assert rows[1]["gold"] is None
    assert rows[1]["reason"]


def test_entropies_accept_estimator_name():
    table = contingency(["a", "a", "b"], [1, 2, 2])
    assert (
        table.entropies("jk").gold
        == table.entropies("jk").mutual + table.entropies("jk").gold_given_system
    )
    assert table.entropies().gold == pytest.approx(entropy("aab"))
    with refused("unknown-name", "jackknif"):
        table.entropies("jackknif")


GOLD = {("g", 1): "a", ("g", 2): "a", ("h", 1): "a", ("h", 2): "b", ("h", 3): "b"}
ONE = {("g", 1): "1", ("g", 2): "2", ("h", 1): "1", ("h", 2): "2", ("h", 3): "2"}


def test_every_output_format_has_entropies():
    table = score(GOLD, ONE, all=True)
    assert "H(C) " in table.render("text").splitlines()[1]
    rows = list(csv.DictReader(io.StringIO(table.render("csv"))))
    assert float(rows[0]["h_gold"]) == table.components.entropies[0].gold
    assert "H(C|K)" in score(GOLD, ONE, details=True).render("text")
    comparison = compare(GOLD, {"one": ONE, "two": ONE}, details=True)
    first = json.loads(comparison.render("json"))["systems"][0]
    assert first["system"] == "one"
    assert first["pair_counts"] == {"n11": 1, "n10": 1, "n01": 0, "n00": 2}
    for format in ("text", "html", "markdown", "latex"):
        assert "N11" in comparison.render(format) or format == "html"


def test_scores_are_reported_by_group():
    table = score(GOLD, ONE, ["v", "ari"], "ml", by="group")
    assert [row.group for row in table.by_group] == ["g", "h"]
    assert table.by_group[1].values == {"v@ml": 1.0, "ari": 1.0}
    assert json.loads(table.render("json"))["by_group"][1]["values"]["v@ml"] == 1.0
    frame = table.to_pandas()
    assert frame["group"].tolist() == ["g", "h"]
    assert "by group" in table.render("text")
    both = compare(GOLD, {"one": ONE, "all": dict.fromkeys(GOLD, 1)}, ["v", "ari"], by="group")
    rows = list(csv.DictReader(io.StringIO(both.render("csv"))))
    assert [(row["system"], row["group"]) for row in rows].count(("one", "g")) == 1
    assert len(rows) == 4
    assert {"v@ml", "v@jk", "ari"} <= set(rows[0])
    lines = both.render("text").splitlines()
    assert max(map(len, lines[:-1])) <= 100
    with refused("unknown-name", "word"):
        score(GOLD, ONE, by="word")


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=4))
def test_matched_cells_form_best_matching(rows):
    if not any(map(any, rows)):
        return
    table = Contingency.from_table(rows)
    cells = table.matched_cells
    assert table.counts[cells].sum() == table.matched.items
    assert len({*table.rows[cells].tolist()}) == len({*table.columns[cells].tolist()}) == cells.size


def test_sets_returns_full_tables_of_classes_and_clusters(tmp_path):
    gold, system = list("aaaabbc"), list("1112223")
    table = score(gold, system, "ari", keep=True)
    clusters = table.sets("clusters")
    assert clusters["cluster"] == ["1", "2", "3"]
    assert clusters["largest_class"] == ["a", "b", "c"]
    assert clusters["share"] == pytest.approx([1, 2 / 3, 1])
    assert clusters["precision"] == pytest.approx([1, 2 / 3, 1])
    assert clusters["recall"] == pytest.approx([3 / 4, 1, 1])
    classes = table.sets("classes")
    assert (classes["class"], classes["clusters"]) == (["a", "b", "c"], [2, 1, 1])
    assert classes["precision"] == pytest.approx([1, 2 / 3, 1])
    many = score(list("aab"), list("123"), "ari", keep=True).sets("mapping")
    assert many["many_to_one"] == ["a", "a", "b"]
    assert sorted(map(str, many["one_to_one"])) == ["None", "a", "b"]
    with refused("missing-option", "keep=True"):
        score(gold, system, "ari").sets()
    both = compare(gold, {"x": system, "y": gold}, "ari")
    assert both.sets("clusters")["system"] == ["x"] * 3 + ["y"] * 3
    for name in ("k.parquet", "k.csv", "k.json"):
        write_columns(clusters, tmp_path / name)
    import duckdb

    read = duckdb.read_parquet(str(tmp_path / "k.parquet")).fetchall()
    assert [row[:2] for row in read] == [("1", 3), ("2", 3), ("3", 1)]
    assert json.loads((tmp_path / "k.json").read_text())[0]["cluster"] == "1"
    with pytest.raises(InputError, match=r"\.csv"):
        write_columns(clusters, tmp_path / "k.xyz")


def test_covers_have_page_but_no_table_of_clusters(tmp_path):
    key = tmp_path / "gold.key"
    key.write_text("g a x\ng b x y\ng c y\n")
    table = score(key, key, several="cover", keep=True)
    assert "xb3-f" in table.render("html")
    with refused("conflicting-options", "clusters"):
        table.sets("clusters")


def test_sets_of_groups_are_separate():
    sets = score(GOLD, ONE, "ari", keep=True).sets("clusters")
    assert list(zip(sets["group"], sets["cluster"], sets["matched_class"], strict=True)) == [
        ("g", "1", "a"), ("g", "2", None), ("h", "1", "a"), ("h", "2", "b"),
    ]  # fmt: skip
