"""Several gold standards: single scores, means, and annotators against each other."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import roget
from roget import InputError
from roget.cli import app
from roget.errors import code_of
from roget.scoring.steps.annotators import name_golds
from support.errors import notice, refused
from twins import jackknife_ends

RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 4, 90)


def noisy(share, drop=0.0, groups=0):
    """The truth with some labels at random, and some items left out."""
    row = np.where(RNG.random(90) < share, RNG.integers(0, 4, 90), TRUTH)
    kept = RNG.random(90) >= drop
    keys = [(f"g{n % groups}", f"i{n}") if groups else f"i{n}" for n in range(90)]
    return {key: f"c{label}" for key, label, keep in zip(keys, row, kept, strict=True) if keep}


GOLDS = {"ann": noisy(0.1), "ben": noisy(0.2, 0.3), "cat": noisy(0.3, 0.1)}
SYSTEMS = {"good": noisy(0.2), "bad": noisy(0.7, 0.1)}
ASKED = ["ari", "homogeneity"]


def compared(golds=GOLDS, systems=SYSTEMS, **options):
    (_, gold), *others = golds.items()
    return roget.compare(gold, systems, ASKED, "jk", golds=dict(others), **options)


def _flat(side):
    return {item: label for (_, item), label in side.items()}


def rows_of(found, system):
    return {row.measure: row for row in found.rows if row.system == system}


def test_scores_are_averaged_over_gold_standards():
    found = compared()
    names = ["gold 1", "ben", "cat"]
    for name, labels in SYSTEMS.items():
        for measure, row in rows_of(found, name).items():
            each = [roget.measure(measure, gold, labels, "jk") for gold in GOLDS.values()]
            assert row.value == pytest.approx(np.mean(each))
            assert row.golds == pytest.approx(dict(zip(names, each, strict=True)))
    assert rows_of(found, "good")["ari"].rank == 1
    assert [gold.name for gold in found.golds] == names
    assert [gold.items for gold in found.golds] == [len(gold) for gold in GOLDS.values()]
    assert "golds:3xmean|annotators:drop" in found.signature
    assert f"items:{'+'.join(str(len(gold)) for gold in GOLDS.values())}" in found.signature


def test_annotators_are_scored_against_each_other_on_common_items():
    found = compared()
    called = dict(zip(GOLDS, ["gold 1", "ben", "cat"], strict=True))
    every = {measure: [] for measure in ASKED}
    for who, labels in GOLDS.items():
        for measure, row in rows_of(found, f"annotator {called[who]}").items():
            each = {
                called[other]: roget.measure(measure, gold, labels, "jk", missing="drop")
                for other, gold in GOLDS.items()
                if other != who
            }
            assert row.value == pytest.approx(np.mean(list(each.values())))
            assert row.golds == pytest.approx(each)
            assert row.trivial
            assert row.annotator
            assert row.rank is None
            every[measure] += each.values()
    for measure, row in rows_of(found, "annotators").items():
        assert row.value == pytest.approx(np.mean(every[measure]))
    # Annotators do better than systems, which makes no score one that trivial answers win.
    assert found.main == ("ari", None)
    assert found.systems == ["good", "bad"]


def test_baselines_are_averaged_over_gold_standards():
    found = compared()
    for name in ("one cluster", "one per item"):
        each = [
            {row.measure: row.value for row in one.rows if row.system == name}
            for one in (roget.compare(gold, SYSTEMS, ASKED, "jk") for gold in GOLDS.values())
        ]
        for measure, row in rows_of(found, name).items():
            assert row.value == pytest.approx(np.mean([one[measure] for one in each]))


def test_repeated_gold_standard_changes_no_score():
    gold = GOLDS["ann"]
    twice = compared({"a": gold, "b": gold})
    once = roget.compare(gold, SYSTEMS, ASKED, "jk")
    for name in SYSTEMS:
        for measure, row in rows_of(once, name).items():
            assert rows_of(twice, name)[measure].value == pytest.approx(row.value, abs=1e-12)
    assert rows_of(twice, "annotators")["ari"].value == 1.0


def test_jackknife_leaves_same_items_out_of_all_gold_standards():
    found = compared(ci=10)
    items = list(dict.fromkeys(item for gold in GOLDS.values() for item in gold))
    system = SYSTEMS["good"]
    without = []
    for item in items:
        each = []
        for gold in GOLDS.values():
            left = {one: label for one, label in gold.items() if one != item}
            each.append(roget.measure("ari", left, system))
        without.append(np.mean(each))
    row = rows_of(found, "good")["ari"]
    expected = jackknife_ends(row.value, without, -1, 1, items=len(items))
    assert (row.low, row.high) == pytest.approx(expected)
    assert found.pairs == ()
    notice(found.warnings, "untested")
    assert "bootstrap" not in found.signature


def test_bootstrap_draws_groups_from_all_gold_standards_together():
    golds = {"a": noisy(0.1, 0, 15), "b": noisy(0.2, 0.1, 15)}
    systems = {"x": noisy(0.1, 0, 15), "y": noisy(0.8, 0, 15)}
    found = compared(golds, systems, ci=200)
    row = rows_of(found, "x")["ari"]
    assert row.low < row.value < row.high
    (pair,) = [one for one in found.pairs if one.measure == "ari"]
    assert pair.difference == pytest.approx(row.value - rows_of(found, "y")["ari"].value)
    assert pair.p_holm < 0.05
    assert rows_of(found, "x")["ari"].letters != rows_of(found, "y")["ari"].letters
    assert "x200" not in found.signature
    assert "ci:jackknife-t+200xpermutation" in found.signature
    assert all(one.p < 0.05 for one in compared(golds, systems, ci=50, paired="bootstrap").pairs)
    # The same gold twice has the interval of one: nothing is gained by counting it again.
    twice = compared({"a": golds["a"], "b": golds["a"]}, systems, ci=400)
    once = roget.compare(golds["a"], systems, ASKED, "jk", ci=400)
    one, two = rows_of(once, "x")["ari"], rows_of(twice, "x")["ari"]
    assert two.high - two.low == pytest.approx(one.high - one.low, rel=0.2)
    pooled = compared(golds, systems, ci=5, average="pooled")
    # Labels of pooled groups are private to them, also where items are left out.
    private = [
        {key: (key[0], label) for key, label in side.items()}
        for side in (golds["a"], golds["b"], systems["x"])
    ]
    without = []
    for item in golds["a"]:
        left = [{key: label for key, label in side.items() if key != item} for side in private]
        each = [roget.measure("ari", _flat(gold), _flat(left[2])) for gold in left[:2]]
        without.append(np.mean(each))
    row = rows_of(pooled, "x")["ari"]
    expected = jackknife_ends(row.value, without, -1, 1, items=90)
    assert (row.low, row.high) == pytest.approx(expected)


def test_score_reports_mean_single_gold_standards_and_annotators():
    golds = [GOLDS["ben"], GOLDS["cat"]]
    table = roget.score(GOLDS["ann"], SYSTEMS["good"], ASKED, "jk", golds=golds, ci=5)
    against = compared(ci=5)
    for row in table.rows:
        there = rows_of(against, "good")[row.measure]
        assert (row.value, row.low, row.high) == (there.value, there.low, there.high)
        assert row.baselines["annotators"] == rows_of(against, "annotators")[row.measure].value
        each = [roget.score(gold, SYSTEMS["good"], ASKED, "jk").rows for gold in GOLDS.values()]
        random = [r.baselines["random"] for rows in each for r in rows if r.measure == row.measure]
        assert row.baselines["random"] == pytest.approx(np.mean(random))
    assert "on each gold standard" in str(table)
    assert "golds:3xmean" in table.signature
    assert table.as_dict()["rows"][0]["golds"]
    assert roget.cite(table)


def test_annotators_without_common_item_have_undefined_score():
    one = {f"i{n}": "a" for n in range(5)} | {"j1": "b"}
    two = {f"k{n}": "a" for n in range(4)} | {"k9": "b"}
    system = dict.fromkeys(one | two, "x")
    found = roget.compare(one, {"s": system}, "ari", golds={"two": two})
    row = rows_of(found, "annotators")["ari"]
    assert row.value is None
    assert row.reason


def test_gold_names_are_inferred_and_duplicates_refused(tmp_path):
    (tmp_path / "g.tsv").write_text("item\tlabel\na\tx\nb\ty\n")
    assert list(name_golds(tmp_path / "g.tsv", [f"other={tmp_path / 'g.tsv'}"])) == ["g", "other"]
    with pytest.raises(InputError, match="'g'"):
        name_golds(tmp_path / "g.tsv", tmp_path / "g.tsv")
    with refused("conflicting-options", "splits"):
        compared(splits=[tmp_path])
    gold = GOLDS["ann"]
    with refused("conflicting-options", "details"):
        roget.score(gold, gold, golds=[gold], details=True)
    with refused("conflicting-options", "extra='sample'"):
        roget.score(gold, gold, golds=[gold], extra="sample")
    grouped = {("g", item): label for item, label in gold.items()}
    with refused("signature-mismatch", "average is none for gold 1 but weighted for gold 2"):
        roget.compare(gold, SYSTEMS, "ari", golds=[grouped])


def write_files(folder):
    """The gold standards and systems as files, whose names are told."""
    paths = []
    for name, labels in {**GOLDS, **SYSTEMS}.items():
        paths.append(folder / f"{name}.tsv")
        rows = "".join(f"{item}\t{label}\n" for item, label in labels.items())
        paths[-1].write_text(f"item\tlabel\n{rows}")
    return list(map(str, paths))


@pytest.mark.parametrize("form", ["text", "json", "csv", "html"])
def test_score_command_accepts_several_gold_standards(tmp_path, form):
    ann, ben, _, good, _ = write_files(tmp_path)
    expected = roget.score(ann, good, "ari", golds=[ben])
    done = CliRunner().invoke(
        app, ["score", ann, good, "--gold", ben, "-m", "ari", "--format", form]
    )
    assert done.exit_code == 0, done.output
    assert "annotators" in done.stdout
    if form == "json":
        assert json.loads(done.stdout)["rows"][0]["golds"] == expected.rows[0].golds
    elif form == "csv":
        (row,) = csv.DictReader(done.stdout.splitlines())
        assert float(row["on ben"]) == expected.rows[0].golds["ben"]
    else:
        assert f"{expected['ari']:.3f}" in done.stdout


@pytest.mark.parametrize("command", ["score", "compare"])
def test_class_table_requires_single_gold_standard(tmp_path, command):
    ann, ben, _, good, _ = write_files(tmp_path)
    given = [ann, good, "--gold", ben, "-m", "ari", "--save", f"classes={tmp_path / 'classes.csv'}"]
    done = CliRunner().invoke(app, [command, *given])
    assert isinstance(done.exception, InputError)
    assert code_of(done.exception) == "conflicting-options"
    assert "classes" in str(done.exception)


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "latex", "html"])
def test_compare_command_renders_gold_standards_in_every_format(tmp_path, form):
    ann, ben, cat, *systems = write_files(tmp_path)
    given = [ann, *systems, "--gold", ben, "--gold", f"cat={cat}", "-m", "ari", "--format", form]
    done = CliRunner().invoke(app, ["compare", *given])
    assert done.exit_code == 0, done.output
    assert "annotator ben" in done.stdout
    if form == "json":
        found = json.loads(done.stdout)
        assert [gold["name"] for gold in found["golds"]] == ["ann", "ben", "cat"]
        assert found["rows"][0]["golds"].keys() == {"ann", "ben", "cat"}
    if form == "csv":
        assert ",on ann,on ben,on cat,signature" in done.stdout


def test_page_names_all_gold_standards_in_one_sentence():
    gold, other = [0, 0, 1, 1], [0, 1, 1, 1]
    systems = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    plain = roget.compare(gold, systems, "ari", golds={"ben": other}).render("html")
    assert '<p class="lead">Mean over 2 gold standards (' in plain
    titled = roget.compare(gold, systems, "ari", golds={"ben": other}, title="Senses")
    lead = '<p class="lead">2 systems, mean over 2 gold standards ('
    assert lead in titled.render("html")
