"""Scoring covers from labels to reports, and item scores."""

from __future__ import annotations

import csv
import json
from dataclasses import replace

import duckdb
import numpy as np
import pandas
import pytest

import roget
from roget import InputError
from roget.scoring.inputs import read_sides
from roget.scoring.measures.base import list_requests
from roget.scoring.options import PipelineOptions
from roget.scoring.steps.bootstrap import ItemResampler
from roget.scoring.steps.intervals import interval_bounds
from support.errors import notice, refused
from twins import element_centric

GOLD = [{"a", "b", "c", "d"}, {"d", "e", "f"}, {"g", "h", "a"}]
SYSTEM = [{"a", "b", "c"}, {"d", "e", "f", "a"}, {"g", "h"}]
HARD = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 2, "g": 3, "h": 3}


def test_covers_are_scored_by_cover_measures():
    table = roget.score(GOLD, SYSTEM)
    assert [row.measure for row in table.rows] == [
        "xb3-precision", "xb3-recall", "xb3-f", "omega", "onmi", "mean-best-f1", "element-centric",
    ]  # fmt: skip
    assert "gold:cover|system:cover" in table.signature
    assert (table.items, table.classes, table.clusters) == (8, 3, 3)
    assert set(table.rows[0].baselines) == {"one cluster", "one per item", "random"}
    assert table.rows[0].baselines["one per item"] == 1.0


def test_other_measures_of_covers_are_undefined_with_a_reason():
    row = roget.score(GOLD, SYSTEM, "ari").rows[0]
    assert row.value is None
    assert row.reason


@pytest.mark.parametrize(
    ("gold", "system"),
    [([{"a", "b"}, {"a"}], [{"a"}, {"a"}, {"a", "b"}]),
     ([{"a", "b"}, {"a", "b"}, {"a"}], [{"a", "b"}, {"a"}, {"a"}])],
)  # fmt: skip
def test_repeated_set_is_a_distinct_set(gold, system):
    members = [
        [{at: 1.0 for at, one in enumerate(side) if item in one} for item in "ab"]
        for side in (gold, system)
    ]
    found = roget.score(gold, system, "element-centric")["element-centric"]
    assert found == pytest.approx(element_centric(*members), abs=1e-12)
    assert found < 1
    again = roget.score(system, [*reversed(system)], "element-centric,onmi,xb3-f")
    assert [row.value for row in again.rows] == [1.0, 1.0, 1.0]


def test_cover_can_be_scored_against_hard_labels():
    table = roget.score(GOLD, HARD)
    assert "gold:cover|system:hard" in table.signature
    turned = roget.score(HARD, GOLD)
    assert table["xb3-precision"] == turned["xb3-recall"]
    assert table["omega"] == turned["omega"]


def test_weighted_labels_against_a_cover_are_read_as_sets():
    table = roget.score(GOLD, {**HARD, "a": {"1": 3, "2": 1}}, "onmi")
    assert "system:cover" in table.signature
    assert any("weights" in text for text in table.warnings)


def test_rules_for_missing_and_extra_items_apply_to_covers():
    system = [{"a", "b"}, {"b", "c"}, {"d", "e", "f", "z"}]
    together = roget.score(GOLD, system, "xb3-f")
    assert any("2 of 8" in text for text in together.warnings)
    assert any("'z'" in text or "1 item" in text for text in together.warnings)
    alone = roget.score(GOLD, system, "xb3-f", missing="singletons")
    dropped = roget.score(GOLD, system, "xb3-f", missing="drop")
    assert (together.items, alone.items, dropped.items) == (8, 8, 6)
    assert alone["xb3-f"] != together["xb3-f"]
    with refused("conflicting-options", "--missing cluster"):
        roget.score(GOLD, system, "xb3-f", missing="unmatched")


def test_noise_is_excluded_from_covers():
    system = {**{item: {label} for item, label in HARD.items()}, "a": {"1", "-1"}, "b": {"-1"}}
    table = roget.score(GOLD, system, "xb3-f", noise=-1)
    assert any("1 of 8" in text for text in table.warnings)


def test_sets_of_covers_are_separate_by_group():
    gold = {("u", "1"): {1, 2}, ("u", "2"): {1}, ("v", "1"): {1}, ("v", "2"): {1, 2}}
    system = {("u", "1"): {1}, ("u", "2"): {1}, ("v", "1"): {1}, ("v", "2"): {1, 2}}
    each = roget.score(gold, system, "xb3-f")
    parts = [
        roget.measure("xb3-f", *({i: s for (g, i), s in side.items() if g == group} for side in (gold, system)))  # noqa: E501
        for group in "uv"
    ]  # fmt: skip
    assert each["xb3-f"] == pytest.approx(sum(parts) / 2)
    assert each.groups == 2
    pooled = roget.score(gold, system, "omega", average="pooled")
    apart = [{(g, x) for x in sets} for (g, _), sets in gold.items()]
    others = [{(g, x) for x in sets} for (g, _), sets in system.items()]
    whole = roget.measure("omega", dict(enumerate(apart)), dict(enumerate(others)))
    assert pooled["omega"] == whole


def test_covers_have_intervals_over_items():
    table = roget.score(GOLD, SYSTEM, ["xb3-f", "omega"], ci=30)
    for row in table.rows:
        assert row.low < row.value < row.high
    drawn = roget.score(GOLD, SYSTEM, "xb3-f", ci=30, interval="percentile").rows[0]
    assert 0 <= drawn.low < drawn.high <= 1


def test_cover_intervals_of_hard_labels_equal_table_intervals():
    """Covers with one set per item have the same jackknife as their table.

    Only intervals of tables use random clusterings.
    """
    random = np.random.default_rng(0)
    gold, system = random.integers(0, 3, 60).tolist(), random.integers(0, 3, 60).tolist()
    covers = [{i: {str(x)} for i, x in enumerate(side)} for side in (gold, system)]
    covers[0][0].add("another")
    measures = ["xb3-f", "omega"]
    requests = list_requests(measures, "ml")
    resampler = ItemResampler([read_sides(gold, system, PipelineOptions())], requests)
    scores = next(iter(resampler.score([resampler.counts])))[0]
    left = replace(resampler.jackknife(0), chance=None)
    low, high = interval_bounds("jackknife", scores, np.empty((0, 1, 2)), left, requests)
    table = roget.score(*covers, measures, ci=1)
    assert "gold:cover" in table.signature
    for row, width in zip(table.rows, (high - low)[0].tolist(), strict=True):
        assert row.high - row.low == pytest.approx(width, rel=0.15)


def test_covers_are_compared():
    found = roget.compare(GOLD, {"one": SYSTEM, "hard": HARD, "same": GOLD}, ci=20)
    best = {row.system: row.rank for row in found.rows if row.measure == "omega"}
    assert best["same"] == 1
    assert "system:hard+cover" in found.signature
    notice(found.warnings, "mixed-labels", "hard")
    assert found.pairs
    assert (
        roget.compare(HARD, {"hard": HARD, "one": SYSTEM}, several="cover").rows[0].measure
        == "xb3-precision"
    )


def test_hard_systems_are_compared_with_weighted_ones():
    weighted = {**HARD, "a": {"1": 3, "2": 1}}
    found = roget.compare(HARD, {"soft": weighted, "hard": HARD}, ["v", "fuzzy-nmi"])
    values = {row.system: row.value for row in found.rows if row.measure == "fuzzy-nmi"}
    assert values["hard"] == 1.0
    assert 0 < values["soft"] < 1
    assert "system:hard+weighted" in found.signature
    notice(found.warnings, "mixed-labels", "hard", "--set answers=top")


def test_unsupported_options_of_covers_are_refused():
    with refused("conflicting-options", "answers='top'"):
        roget.score(GOLD, SYSTEM, several="cover", answers="top")
    with refused("conflicting-options", "engine='local'"):
        roget.score(GOLD, SYSTEM, several="cover", engine="dask")
    with refused("conflicting-options", "details"):
        roget.score(GOLD, SYSTEM, details=True)


def test_item_scores_average_to_the_score():
    for gold, system in ((HARD, {**HARD, "a": 2}), (GOLD, SYSTEM)):
        scores = roget.score_items(gold, system)
        mean = roget.measure("element-centric", gold, system)
        assert np.mean(scores["element-centric"]) == pytest.approx(mean, abs=1e-12)
        hard = gold is HARD
        for name in ("precision", "recall"):
            mean = roget.measure(f"{'b3' if hard else 'xb3'}-{name}", gold, system)
            assert np.mean(scores[f"b3-{name}"]) == pytest.approx(mean, abs=1e-12)


def test_item_scores_respect_groups():
    gold = {("u", "1"): "x", ("v", "1"): "x", ("u", "2"): "x"}
    system = {("u", "1"): "k", ("v", "1"): "k", ("u", "2"): "l"}
    scores = roget.score_items(gold, system)
    assert scores["group"] == ["u", "v", "u"]
    assert scores["element-centric"] == [0.5, 1.0, 0.5]
    soft = roget.score_items(gold, {**system, ("u", "1"): {"k": 1, "l": 1}})
    assert soft["system"] == ["k/0.5 l/0.5", "k/1", "l/1"]
    assert soft["element-centric"][1] == 1.0
    assert "b3-recall" not in soft.columns
    assert roget.cite(soft).startswith("@")


def test_item_scores_are_saved_to_files(tmp_path):
    found = roget.score_items(GOLD, SYSTEM)
    for name in ("s.csv", "s.tsv", "s.jsonl", "s.parquet"):
        roget.score(GOLD, SYSTEM, "omega", items=tmp_path / name)
    with open(tmp_path / "s.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["item"] for row in rows] == found["item"]
    assert [float(row["element-centric"]) for row in rows] == found["element-centric"]
    lines = (tmp_path / "s.tsv").read_text().splitlines()
    assert lines[0].split("\t") == list(found.columns)
    record = json.loads((tmp_path / "s.jsonl").read_text().splitlines()[0])
    assert record["gold"] == found["gold"][0]
    file = (tmp_path / "s.parquet").as_posix()
    stored = duckdb.sql(f"SELECT \"b3-recall\" FROM '{file}'").fetchall()
    assert [value for (value,) in stored] == found["b3-recall"]


def test_item_score_files_are_checked_before_scoring(tmp_path):
    with pytest.raises(InputError, match=r"\.parquet"):
        roget.score(GOLD, SYSTEM, items=tmp_path / "s.xyz")
    with refused("conflicting-options", "cells"):
        roget.score(cells=tmp_path / "cells.tsv", items=tmp_path / "s.csv")
    with pytest.raises(InputError):
        roget.score_items({"a\tb": 1}, {"a\tb": 1}).write(tmp_path / "s.tsv")


def test_item_scores_have_text_and_frame():
    scores = roget.score_items(["a", "a", "b"], [1, 2, 2])
    assert "lowest first" in str(scores)
    assert repr(scores).startswith("<ItemScores of 3 items")
    assert list(scores.to_pandas().columns) == list(scores.columns)
    assert "<table" in scores._repr_html_()


def test_item_scores_are_joined_by_index_or_position():
    gold = pandas.Series(list("aab"), index=[7, 8, 9])
    system = pandas.Series([2, 1, 1], index=[9, 7, 8])
    frame = roget.score_items(gold, system).to_pandas()
    assert frame["item"].tolist() == [7, 8, 9]
    assert frame["system"].tolist() == ["1", "1", "2"]
    gaps = system.replace({2: None})
    assert roget.score_items(gold, gaps, missing="drop")["item"] == [7, 8]
    assert roget.score_items(gold.to_list(), system.to_list())["item"] == [0, 1, 2]
    # An index that does not tell items apart is none.
    twice = [side.set_axis([1, 1, 2]) for side in (gold, system)]
    assert roget.score_items(*twice)["item"] == [0, 1, 2]


def test_covers_have_pages(tmp_path):
    for result in (roget.score(GOLD, SYSTEM), roget.compare(GOLD, {"one": SYSTEM, "hard": HARD})):
        page = result.render("html")
        assert "element-centric" in page
    # Groups of a comparison are looked into; of covers there are no tables to show.
    sides = [{(g, i): set(s) for g in "uv" for i, s in side.items()} for side in (
        {"1": {1, 2}, "2": {1}}, {"1": {1}, "2": {2}})]  # fmt: skip
    assert "omega" in roget.compare(sides[0], {"one": sides[1], "two": sides[0]}).render("html")
