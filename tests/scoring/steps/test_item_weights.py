"""Item weights: passed in Python, read from files, or balanced by class."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import roget
from roget.errors import InputError
from roget.scoring.labels import read
from roget.scoring.score import score
from support.errors import refused

GOLD, SYSTEM, WEIGHTS = list("aabbbc"), [1, 1, 1, 2, 2, 3], [2, 1, 3, 1, 1, 2]
LINES = [f"{n},{gold},{w}" for n, (gold, w) in enumerate(zip(GOLD, WEIGHTS, strict=True))]
ANSWERS = {str(n): label for n, label in enumerate(SYSTEM)}
REPEATED = [np.repeat(side, WEIGHTS).tolist() for side in (GOLD, SYSTEM)]
"""What weights mean: every item so many times."""


def values(table):
    return [row.value for row in table.rows]


def test_item_weights_equal_repeated_items():
    gold, system, weights = list("aabbbc"), [1, 1, 1, 2, 2, 3], [2, 1, 3, 1, 0, 2]
    table = score(gold, system, sample_weight=weights)
    long = [np.repeat(side, weights).tolist() for side in (gold, system)]
    expected = score(*long)
    assert table.items == 9
    assert [row.value for row in table.rows] == pytest.approx([r.value for r in expected.rows])
    half = score(gold, system, "v", "ml", sample_weight=np.array(weights) / 2)
    assert half["v"] == pytest.approx(expected["v", "ml"])
    pairs = score(gold, system, "ari", sample_weight=np.array(weights) / 2).rows[0]
    assert pairs.value is None
    assert pairs.reason
    with refused("length-mismatch", "sample_weight", 6, 2):
        score(gold, system, sample_weight=[1, 2])
    for wrong in ([-1] * 6, [0] * 6, [float("nan")] * 6):
        with refused("bad-weight", "sample_weight"):
            score(gold, system, sample_weight=wrong)


def test_unused_weights_of_hard_labels_are_warned_about(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,label,weight\na,x,1\nb,x,2\nc,y,1\n")
    warnings = score({"a": 1, "b": 1, "c": 2}, path).warnings
    assert any("weights" in text for text in warnings)


@pytest.fixture(params=["csv", "jsonl", "parquet", "frame"])
def weighed(request, tmp_path):
    """Gold with a weight column."""
    path = tmp_path / f"gold.{request.param}"
    names = ("item", "label", "weight")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in LINES]
    if request.param == "csv":
        path.write_text("\n".join([",".join(names), *LINES, ""]))
    elif request.param == "jsonl":
        whole = [row | {"weight": int(row["weight"])} for row in rows]
        path.write_text("".join(json.dumps(row) + "\n" for row in whole))
    elif request.param == "parquet":
        with duckdb.connect() as connection:
            values = ", ".join(f"('{r['item']}', '{r['label']}', {r['weight']})" for r in rows)
            query = f"SELECT * FROM (VALUES {values}) t(item, label, weight)"
            connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    else:
        return pytest.importorskip("pandas").DataFrame(rows)
    return path


@pytest.mark.parametrize("large", [True, False])
def test_weight_column_of_gold_weighs_items(weighed, large, monkeypatch, tmp_path):
    monkeypatch.setattr(read, "LARGE", 0 if large else 1 << 30)
    system = tmp_path / "system.csv"
    system.write_text("".join(["item,label\n", *(f"{n},{k}\n" for n, k in ANSWERS.items())]))
    table = score(weighed, system)
    assert values(table) == pytest.approx(values(score(*REPEATED)))
    assert table.items == sum(WEIGHTS)
    assert any("weights" in text for text in table.warnings)
    assert "weighted:items" in table.signature
    assert "weighted" not in score(GOLD, SYSTEM).signature


def test_weight_column_of_paired_file_weighs_items(tmp_path):
    rows = list(zip(GOLD, SYSTEM, WEIGHTS, strict=True))
    path = tmp_path / "both.csv"
    path.write_text("gold,system,weight\n" + "".join(f"{g},{k},{w}\n" for g, k, w in rows))
    expected = values(score(*REPEATED))
    assert values(score(path)) == pytest.approx(expected)
    frame = pytest.importorskip("polars").DataFrame(
        rows, schema=["gold", "system", "weight"], orient="row"
    )
    assert values(score(frame)) == pytest.approx(expected)
    assert values(score(frame.lazy())) == pytest.approx(expected)
    # A probability beside both sides is the system's confidence.
    sure = frame.rename({"weight": "probability"})
    assert values(score(sure)) == pytest.approx(values(score(GOLD, SYSTEM)))


def test_equal_weights_are_ignored(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("item,label,weight\n0,a,.5\n1,a,.5\n2,b,.5\n")
    table = score(path, {"0": 1, "1": 2, "2": 2})
    assert table.items == 3
    assert values(table) == values(score(["a", "a", "b"], [1, 2, 2]))


def test_item_weights_work_with_groups_missing_and_extra_items(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text(
        "item,label,weight,group\n0,a,2,g\n1,a,1,g\n2,b,3,g\n3,b,1,h\n4,c,2,h\n5,c,1,h\n"
    )
    groups = {"0": "g", "1": "g", "3": "h", "4": "h", "5": "h", "9": "h"}
    system = {(group, item): int(item) % 2 for item, group in groups.items()}
    weights = {"0": 2, "1": 1, "2": 3, "3": 1, "4": 2, "5": 1}
    gold = {
        (group, f"{item}.{copy}"): label
        for item, label, group in zip("012345", "aabbcc", "ggghhh", strict=True)
        for copy in range(weights[item])
    }
    answers = {
        (group, f"{item}.{copy}"): label
        for (group, item), label in system.items()
        for copy in range(weights.get(item, 1))
    }
    for rules in ({}, {"missing": "drop"}, {"extra": "count"}):
        assert values(score(path, system, **rules)) == pytest.approx(
            values(score(gold, answers, **rules))
        ), rules


def test_item_weights_are_ignored_with_warning_for_weighted_labels(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("\n".join(["item,label,weight", *LINES]))
    answers = {item: {label: 1, "other": 1} for item, label in ANSWERS.items()}
    table = score(path, answers, "v")
    assert any("weights" in text for text in table.warnings)
    assert table["v", "ml"] == score(dict(zip(ANSWERS, GOLD, strict=True)), answers, "v")["v", "ml"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), min_size=1, max_size=30))
def test_balanced_classes_have_equal_weight(pairs):
    gold, system = map(list, zip(*pairs, strict=True))
    sizes = {label: gold.count(label) for label in set(gold)}
    weights = [len(gold) / len(sizes) / sizes[label] for label in gold]
    names = ["v", "homogeneity", "purity", "b3-f", "nvi", "one-to-one"]
    balanced = score(gold, system, names, "ml", balance="class")
    expected = score(gold, system, names, "ml", sample_weight=weights)
    assert values(balanced) == pytest.approx(values(expected))
    assert "weighted:classes" in balanced.signature
    assert balanced.items == pytest.approx(len(gold))


def test_classes_are_balanced_within_groups():
    gold = {("g", "1"): "a", ("g", "2"): "a", ("g", "3"): "b", ("h", "4"): "a", ("h", "5"): "c"}
    system = {key: key[1] in "134" for key in gold}
    table = score(gold, system, ["purity", "v"], "ml", balance="class")
    weights = [0.75, 0.75, 1.5, 1, 1]
    expected = score(gold, system, ["purity", "v"], "ml", sample_weight=weights)
    assert values(table) == pytest.approx(values(expected))


def test_measures_undefined_for_fractional_counts_have_a_reason():
    table = score(list("aab"), [1, 2, 2], balance="class")
    undefined = {(row.measure, row.entropy): row.reason for row in table.rows if row.value is None}
    assert {("ari", None), ("v", "jk")} <= undefined.keys()
    assert all(undefined.values())


def test_unsupported_item_weights_are_refused():
    soft = np.array([[0.5, 0.5], [1, 0]])
    with refused("conflicting-options", "balance"):
        score([0, 1], soft, balance="class")
    with refused("unknown-name", "'size'"):
        score([0, 1], [0, 1], balance="size")
    for options in ({"balance": "class"}, {"sample_weight": [1, 2]}):
        with refused("conflicting-options", "weights"):
            score({"a": 1}, {"a": 1}, extra="sample", **options)


def test_compare_supports_item_weights(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("\n".join(["item,label,weight", *LINES]))
    other = dict.fromkeys(ANSWERS, 0)
    table = roget.compare(path, {"one": ANSWERS, "other": other}, "v", "ml")
    assert table.rows[0].value == pytest.approx(score(*REPEATED, "v", "ml")["v"])
    assert "weighted:items" in table.signature
    balanced = roget.compare(GOLD, {"one": SYSTEM}, "v", "ml", balance="class")
    assert balanced.rows[0].value == score(GOLD, SYSTEM, "v", "ml", balance="class")["v"]


def test_item_weights_are_joined_by_index():
    pandas = pytest.importorskip("pandas")
    names = [f"d{n}" for n in range(6)]
    gold, system, weights = (pandas.Series(side, index=names) for side in (GOLD, SYSTEM, WEIGHTS))
    expected = values(score(GOLD, SYSTEM, sample_weight=WEIGHTS))
    assert values(score(gold, system[::-1], sample_weight=weights[::-1])) == expected
    with pytest.raises(InputError, match=r"sample_weight.to_numpy\(\)"):
        score(gold, system, sample_weight=weights.reset_index(drop=True))


def test_item_weights_work_with_large_files(tmp_path, monkeypatch):
    gold, system = tmp_path / "g.csv", tmp_path / "s.csv"
    for path, labels in ((gold, GOLD), (system, SYSTEM)):
        path.write_text("item,label\n" + "".join(f"{n},{x}\n" for n, x in enumerate(labels)))
    monkeypatch.setattr(read, "LARGE", 0)
    table = score(gold, system, sample_weight=WEIGHTS)
    assert values(table) == values(score(GOLD, SYSTEM, sample_weight=WEIGHTS))
    with refused("bad-weight", "'x'"):
        score(gold, system, sample_weight=["x"] * 6)


def test_constant_weights_per_file_that_differ_between_files_are_used(tmp_path, monkeypatch):
    """All twos in one file and all threes in another differ."""
    system = tmp_path / "s.csv"
    system.write_text("item,label\n" + "".join(f"{n},{x}\n" for n, x in enumerate(SYSTEM)))
    (tmp_path / "gold").mkdir()
    weights = [2, 2, 2, 3, 3, 3]
    for part in range(2):
        rows = ((n, GOLD[n], weights[n]) for n in range(3 * part, 3 * part + 3))
        text = "".join(f"{n},{label},{weight}\n" for n, label, weight in rows)
        (tmp_path / "gold" / f"{part}.csv").write_text("item,label,weight\n" + text)
    expected = values(score(GOLD, SYSTEM, sample_weight=weights))
    for large in (0, 1 << 30):
        monkeypatch.setattr(read, "LARGE", large)
        assert values(score(tmp_path / "gold", system)) == pytest.approx(expected)
    (tmp_path / "gold" / "2.csv").write_text("item,label,weight\n6,a,1\n6,b,2\n")
    assert score(tmp_path / "gold", system, "v").signature.count("gold:weighted") == 1


def test_weights_beyond_integer_range_are_refused():
    with refused("too-large", "9e+30"):
        score(GOLD, SYSTEM, "v", "ml", sample_weight=[1e30, 1e30, 3e30, 1e30, 1e30, 2e30])
