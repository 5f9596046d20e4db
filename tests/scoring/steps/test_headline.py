"""The short report of one system: main scores, quick intervals, verdict and warnings."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

import roget
from commands import run
from roget.errors import UnknownName
from roget.scoring.steps.headline import HEADLINE

SOME = random.Random(1)
GOLD = [SOME.randrange(4) for _ in range(400)]
SPLIT = [3 * g + SOME.randrange(3) if SOME.random() < 0.9 else SOME.randrange(12) for g in GOLD]
MIXED = [g // 2 if SOME.random() < 0.95 else SOME.randrange(2) for g in GOLD]
CHANCE = [SOME.randrange(4) for _ in GOLD]


@pytest.fixture(scope="module")
def table():
    return roget.score(GOLD, SPLIT)


def lines(text, first):
    return [line for line in text.splitlines() if line.startswith(first)]


def test_report_has_one_row_per_headline_measure(table):
    text = str(table)
    for name in HEADLINE:
        assert len(lines(text, f"{name} ↑")) == 1
    assert not lines(text, "vi ")
    assert "H(C)" not in text
    complete = str(roget.score(GOLD, SPLIT, all=True))
    assert len(lines(complete, "v ↑")) == 2
    assert lines(complete, "vi ↓")
    assert complete.splitlines()[-1] == table.with_intervals().signature


def test_requested_measures_are_all_shown():
    text = str(roget.score(GOLD, SPLIT, "vi,v", all=True))
    assert len(lines(text, "vi ↓")) == len(lines(text, "v ↑")) == 2
    assert "Verdict" not in text


def test_json_and_frames_have_the_intervals_of_the_report(table):
    plain = json.loads(table.render("json"))
    without = json.loads(roget.score(GOLD, SPLIT, ci=0).render("json"))
    bare = [row | {"low": None, "high": None} for row in plain["rows"]]
    assert bare == without["rows"]
    assert len(plain["rows"]) == 14
    shown = {(row["measure"], row["entropy"]) for row in plain["rows"] if row["low"] is not None}
    printed = str(table)
    assert shown
    for row in plain["rows"]:
        if (row["measure"], row["entropy"]) in shown:
            low, high = (f"{row[end]:.3f}".removeprefix("0") for end in ("low", "high"))
            assert f"{row['value']:.3f} [{low}, {high}]" in printed
    assert plain["signature"] == table.with_intervals().signature != table.signature
    frame = table.to_pandas()
    assert frame["low"].notna().sum() == len(shown)
    assert json.loads(roget.score(GOLD, SPLIT, all=True).render("json")) == plain


@pytest.mark.parametrize("measures", ["v", ["ami", "v"], ["v", "ami", "vi", "ari"]])
def test_few_requested_measures_keep_the_short_report(measures):
    table = roget.score(GOLD, SPLIT, measures)
    names = [measures] if isinstance(measures, str) else measures
    assert [row.measure for row in table.headline.rows] == names
    assert table.headline.plain["v"] == table["v", "ml"]
    lines = str(table).splitlines()
    assert "plug-in" in str(table)
    assert all(any(line.startswith(f"{name} ") for line in lines) for name in names)


def test_many_requested_measures_are_shown_with_all_estimators():
    names = [row.measure for row in roget.score(GOLD, SPLIT).rows]
    many = [*dict.fromkeys([*names, "rand", "jaccard", "fm", "purity"])]
    assert roget.score(GOLD, SPLIT, many).headline is None


def test_quick_intervals_equal_requested_intervals(table):
    asked = roget.score(GOLD, SPLIT, list(HEADLINE), "jk", ci=10)
    for row in asked.rows:
        quick = table.quick.ends[row.measure, row.entropy]
        assert quick == pytest.approx((row.low, row.high), abs=1e-12)
    assert "ci:jackknife-t" in str(table).splitlines()[-1]
    without = str(roget.score(GOLD, SPLIT, ci=0))
    assert "CI" not in without
    assert "ci:" not in without.splitlines()[-1]


def test_groups_have_jackknife_intervals(tmp_path):
    rows = [f"{i % 20},{i},{g}" for i, g in enumerate(GOLD)]
    other = [f"{i % 20},{i},{s}" for i, s in enumerate(SPLIT)]
    paths = tmp_path / "gold.csv", tmp_path / "system.csv"
    for path, labels in zip(paths, (rows, other), strict=True):
        path.write_text("\n".join(["group,item,label", *labels]) + "\n")
    found = roget.score(*paths)
    assert found.quick.method == "jackknife-t"
    asked = roget.score(*paths, "ami", ci=1000)
    assert found.quick.ends["ami", None] == (asked.rows[0].low, asked.rows[0].high)


def test_slow_intervals_are_omitted():
    many = [f"{i // 2}" for i in range(10_000)]
    found = roget.score(many, [f"{i // 2}" for i in range(1, 10_001)])
    assert found.quick is None
    assert "CI" not in str(found)


def test_few_or_perfect_items_have_no_intervals():
    assert "CI" not in str(roget.score(GOLD[:15], SPLIT[:15]))
    assert "CI" not in str(roget.score(GOLD, GOLD))


@pytest.mark.parametrize(
    ("system", "verdict"),
    [
        (SPLIT, "clearly better than chance; splits classes more than it mixes them"),
        (MIXED, "clearly better than chance; mixes classes more than it splits them"),
        (GOLD, "a perfect match with gold"),
    ],
    ids=["split", "mixed", "perfect"],
)
def test_verdict_follows_from_scores(system, verdict):
    found = roget.score(GOLD, system)
    assert found.verdict == verdict
    assert f"Verdict: {verdict}." in str(found)


def test_verdict_of_perfect_coreference(shared_data):
    key = shared_data / "coreference" / "TC-B.key"
    found = roget.score(key, key)
    assert (found["conll"], found.verdict) == (1, "a perfect match with gold")
    response = roget.score(key, shared_data / "coreference" / "TC-B-1.response")
    assert response["conll"] < 1
    assert "perfect" not in response.verdict


ENTITIES = {f"r{i}": i // 2 for i in range(60)}


def test_missing_records_of_entities_name_the_usual_rule():
    fewer = {record: entity for record, entity in ENTITIES.items() if entity < 20}
    (found,) = (
        notice
        for notice in roget.score(ENTITIES, fewer).headline.warnings
        if notice.code == "missing-items"
    )
    assert "20 of 60" in found
    assert "missing='singletons'" in found
    alone = roget.score(ENTITIES, fewer, missing="singletons").headline.warnings
    assert not any("missing=" in notice for notice in alone)


def test_bounds_apply_to_all_printed_scores():
    wrong = ENTITIES | {f"r{i}": 99 for i in range(6)}
    found = roget.score(ENTITIES, wrong)
    value = found.headline.list_families()["paired-f"]
    assert 0 < value < 1
    assert found.falls_short([f"paired-f={value - 0.01}", f"cluster-f={value - 0.5}"]) == []
    (missed,) = found.falls_short(["paired-f=0.99"])
    assert f"{value:.4f}" in missed
    with pytest.raises(UnknownName, match="purity"):
        found.falls_short(["purity=0.9"])


def test_verdict_calls_weak_agreement_far_from_gold():
    some = random.Random(3)
    weak = [g if some.random() < 0.4 else some.randrange(4) for g in GOLD * 3]
    found = roget.score(GOLD * 3, weak)
    assert found.verdict.startswith("better than chance, but far from gold")


def test_verdict_calls_random_clusters_no_better_than_chance():
    assert roget.score(GOLD, CHANCE).verdict.startswith("not clearly better than chance")


def test_plug_in_values_are_shown_only_if_different():
    assert "plug-in" in str(roget.score(GOLD, SPLIT))
    assert "plug-in" not in str(roget.score(GOLD, GOLD))
    assert "plug-in" not in str(roget.score(GOLD, SPLIT, entropy="ml"))


def test_report_shows_three_warnings_and_counts_the_rest():
    gold = {str(i): g for i, g in enumerate(GOLD[:40])}
    system = {str(i): -1 if i % 3 else i for i in range(5, 60)}
    found = roget.score(gold, system)
    text = str(found)
    shown = lines(text, "! ")
    assert len(shown) == 3
    more = len(found.warnings) - 3
    assert f"{more} more notice" in text
    assert len(lines(str(roget.score(gold, system, all=True)), "! ")) == len(found.warnings)


def test_report_fits_eighty_columns(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, str(roget.score(GOLD, SPLIT)).splitlines())) <= 80
    assert max(map(len, str(roget.score(GOLD, SPLIT, chance=20)).splitlines())) <= 80


CONLL = """#begin document (d); part 000
d\t0\t0\ta\t(1
d\t0\t1\tb\t1)
d\t0\t2\tc\t{second}
d\t0\t3\td\t(2)
d\t0\t4\te\t(2)
#end document
"""


def test_coreference_report_has_recall_precision_and_f_table(tmp_path):
    key, response = tmp_path / "key.conll", tmp_path / "response.conll"
    key.write_text(CONLL.format(second="(1)"))
    response.write_text(CONLL.format(second="(2)"))
    done = run("score", key, response)
    assert done.returncode == 0, done.stderr
    names = ["MUC", "B-cubed", "CEAF-e", "CoNLL", "mentions"]
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.strip()}
    assert [name for name in rows if name in names] == names
    found = roget.score(key, response, ["muc-recall", "muc-precision", "muc", "conll"])
    assert rows["MUC"] == [f"{found[name]:.3f}" for name in ("muc-recall", "muc-precision", "muc")]
    assert rows["CoNLL"][-1] == f"{found['conll']:.3f}"
    plain = json.loads(run("score", key, response, "--format", "json").stdout)
    assert [row["name"] for row in plain["coreference"]] == names


def test_coreference_systems_are_ranked_by_conll(tmp_path):
    paths = [tmp_path / f"{name}.conll" for name in ("key", "bad", "good")]
    for path, second in zip(paths, ("(1)", "(2)", "(1)"), strict=True):
        path.write_text(CONLL.format(second=second))
    text = str(roget.compare(paths[0], paths[1:]))
    rows = [line.split() for line in text.splitlines() if line[:1] in ("1", "2")]
    names = ("conll", "muc", "b3-f", "ceaf-e")
    bad = [f"{roget.measure(name, paths[0], paths[1]):.3f}" for name in names]
    rows = [[*row[:2], *row[3:]] for row in rows if row[1] in ("good", "bad")]
    assert rows == [["1", "good", *["1.000"] * 4], ["2", "bad", *bad]]


def test_report_of_entities_has_pairs_and_exact_clusters():
    gold = [i // 2 for i in range(60)]
    system = [i // 2 if i < 40 else 100 + i for i in range(60)]
    found = roget.score(gold, system)
    exact = found.headline.families[-1]
    assert (exact.name, exact.recall) == ("exact clusters", 20 / 30)
    assert exact.precision == 20 / 40
    assert "exact clusters" in str(found)
    assert "splits entities more than it mixes them" in found.verdict
    assert "exact clusters" not in str(roget.score(GOLD, SPLIT))


def test_entities_have_no_intervals_and_a_verdict_from_pairs():
    chance = random.Random(0)
    gold = [item // 2 for item in range(600)]
    split = [one if chance.random() < 0.9 else 1000 + item for item, one in enumerate(gold)]
    table = roget.score(gold, split)
    pairs = table.headline.families[0]
    assert (pairs.precision, pairs.recall) == (1.0, pytest.approx(0.79, abs=0.05))
    assert "splits entities more" in table.verdict
    assert all(row.low is None for row in table.with_intervals().rows)


def test_levels_and_gold_standards_have_short_reports(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in ("gold", "other", "system")]
    labels = [GOLD, GOLD[:200] + CHANCE[200:], SPLIT]
    for path, own in zip(paths, labels, strict=True):
        rows = [f"d{i},{x // 2}/{x}" for i, x in enumerate(own)]
        path.write_text("\n".join(["item,label", *rows]) + "\n")
    leveled = roget.score(paths[0], paths[2], levels="/")
    text = str(leveled)
    assert len(lines(text, "mean ")) == len(HEADLINE)
    assert "vi ↓" not in text
    assert leveled.verdict
    several = roget.score(paths[0], paths[2], golds=[paths[1]])
    text = str(several)
    assert "vi ↓" not in text
    assert "Verdict: " in text
    assert "vi ↓" in str(roget.score(paths[0], paths[2], golds=[paths[1]], all=True))
    assert len(several.rows) == 14


def test_scores_of_coreference_reports_can_be_looked_up(tmp_path):
    paths = [tmp_path / name for name in ("key.conll", "response.conll")]
    for path, second in zip(paths, ("(1)", "(2)"), strict=True):
        words = ["a (1)", f"b {second}", "c (2)", "d (2", "e 2)"]
        path.write_text("#begin document d\n" + "\n".join(words) + "\n#end document\n")
    table = roget.score(*paths)
    for family in table.headline.families[:3]:
        name = {"MUC": "muc", "B-cubed": "b3-f", "CEAF-e": "ceaf-e"}[family.name]
        assert table[name] == family.f == roget.measure(name, *paths)
    assert table["conll"] == pytest.approx(table.headline.families[3].f)
    assert table["muc-recall"] == table.headline.families[0].recall
    frame = table.to_pandas()
    assert {"conll", "muc", "ceaf-e"} <= set(frame["measure"])
    compared = roget.compare(paths[0], {"one": paths[1], "gold": paths[0]})
    assert compared.main == ("conll", None)
    assert compared.ordered[:4] == [(name, None) for name in ("conll", "muc", "b3-f", "ceaf-e")]
    assert compared["one"]["conll"] == table["conll"]


def test_scores_of_entity_reports_can_be_looked_up():
    gold = [number // 2 for number in range(60)]
    found = [number // 3 for number in range(60)]
    table = roget.score(gold, found)
    assert table.headline.kind == "entities"
    assert table["paired-f"] == roget.measure("paired-f", gold, found)
    assert table["cluster-recall"] == roget.measure("cluster-recall", gold, found)


@pytest.mark.parametrize("measures", [None, ["homogeneity", "completeness"]])
def test_verdict_calls_random_weights_no_better_than_chance(measures):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 5, 200)
    table = roget.score(gold, rng.dirichlet(np.ones(5), 200), measures)
    assert table.verdict.startswith("not clearly better than chance")
