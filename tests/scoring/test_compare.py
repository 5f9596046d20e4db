"""`roget.compare`: ranks, intervals, pairs and errors."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from roget import InputError, compare, contingency, score
from roget.core.io.paths import name_sources
from roget.errors import InputErrors
from roget.scoring.agreement.panel import name_clusterings
from roget.scoring.steps.annotators import name_golds
from support.errors import notice, refused

RANDOM = np.random.default_rng(7)
GROUPS = np.repeat(np.arange(12), 25)
GOLD = RANDOM.integers(0, 4, GROUPS.size)


def noisy(share, seed=0):
    random = np.random.default_rng(seed)
    return np.where(random.random(GOLD.size) < share, random.integers(0, 4, GOLD.size), GOLD)


SYSTEMS = {"good": noisy(0.2), "middling": noisy(0.5, 1), "bad": noisy(0.95, 2)}


def frame(labels, groups=GROUPS):
    items = [f"i{i}" for i in range(len(labels))]
    return pd.DataFrame({"item": items, "label": labels, "group": groups})


def grouped(**options):
    return compare(frame(GOLD), {name: frame(s) for name, s in SYSTEMS.items()}, **options)


def rows_of(comparison, measure, entropy=None):
    return {
        row.system: row
        for row in comparison.rows
        if row.measure == measure and row.entropy == entropy
    }


def test_compare_values_equal_those_of_score():
    comparison = grouped()
    for name, system in SYSTEMS.items():
        table = score(frame(GOLD), frame(system))
        for row in table.rows:
            assert rows_of(comparison, row.measure, row.entropy)[name].value == row.value


def test_ranks_follow_the_direction_of_the_measure():
    comparison = grouped(measures=["v", "vi"], entropy="ml")
    for measure in ("v", "vi"):
        ranks = {name: row.rank for name, row in rows_of(comparison, measure, "ml").items()}
        assert (ranks["good"], ranks["middling"], ranks["bad"]) == (1, 2, 3)
        assert ranks["one cluster"] is ranks["one per item"] is ranks["random"] is None


def test_equal_systems_share_a_rank():
    comparison = compare(
        GOLD, {"a": SYSTEMS["bad"], "b": SYSTEMS["good"], "c": SYSTEMS["good"]}, "ari"
    )
    assert [row.rank for row in comparison.rows if not row.trivial] == [3, 1, 1]


@pytest.mark.parametrize("paired", ["bootstrap", "permutation"])
def test_groups_distinguish_systems(paired):
    comparison = grouped(measures="v", entropy="jk", ci=400, paired=paired)
    rows = rows_of(comparison, "v", "jk")
    for name in SYSTEMS:
        assert rows[name].low < rows[name].value < rows[name].high
    assert [rows[name].letters for name in SYSTEMS] == ["a", "b", "c"]
    assert rows["good"].first == 1.0
    (pair,) = [p for p in comparison.pairs if (p.a, p.b) == ("good", "bad")]
    assert pair.difference == pytest.approx(rows["good"].value - rows["bad"].value)
    assert pair.low < pair.difference < pair.high
    assert pair.p <= pair.p_holm < 0.05


def test_items_are_resampled_without_groups():
    comparison = compare(GOLD, SYSTEMS, ["v", "ari"], ["jk"], ci=200)
    rows = rows_of(comparison, "v", "jk")
    for name in SYSTEMS:
        assert rows[name].low < rows[name].value < rows[name].high
    assert rows["good"].letters == "a"
    assert rows["bad"].letters == "c"
    assert rows["one cluster"].low is None


def test_seed_determines_all_results():
    once, again = (grouped(measures="v", ci=200, seed=3).as_dict() for _ in range(2))
    assert once == again
    assert once != grouped(measures="v", ci=200, seed=4).as_dict()


def test_random_baseline_has_sizes_of_gold_classes():
    gold, one, each = [0, 0, 0, 1, 1, 2], [0] * 6, [0, 1, 2, 3, 4, 5]
    there = rows_of(compare(gold, {"one": one, "each": each}, "b3-f"), "b3-f")["random"].value
    back = rows_of(compare(gold, {"each": each, "one": one}, "b3-f"), "b3-f")["random"].value
    assert there == back
    assert there == pytest.approx(
        rows_of(compare(gold, {"gold": gold}, "b3-f"), "b3-f")["random"].value
    )


def test_baselines_are_separate_rows():
    comparison = grouped(measures=["v", "ari"], entropy="ml")
    one = rows_of(comparison, "v", "ml")["one cluster"]
    assert one.trivial
    assert one.value == 0
    assert not any(row.trivial for row in grouped(measures="v", baselines=False).rows)


def test_rank_stability_compares_estimators():
    comparison = grouped(measures="v", entropy=["ml", "jk", "bub"])
    found = comparison.stability()
    assert [(f["a"], f["b"]) for f in found] == [("ml", "jk"), ("ml", "bub"), ("jk", "bub")]
    assert all(f["tau"] == pytest.approx(1.0) for f in found)


def test_systems_are_named_after_their_files(tmp_path):
    gold, first = tmp_path / "gold.txt", tmp_path / "first.txt"
    gold.write_text("a\na\nb\n")
    first.write_text("1\n1\n2\n")
    assert compare(gold, [first, tmp_path / "gold.txt"], "v").systems == ["first", "gold"]
    with pytest.raises(InputError, match="'first'"):
        compare(gold, [first, first])


def test_files_are_named_consistently_as_system_and_gold():
    """URLs keep neither directory nor query string in the name."""
    paths = ["runs/lda.v2.tsv", "https://example.org/sub/hdp.tsv?download=1.5"]
    expected = ["lda.v2", "hdp"]
    assert list(name_sources(paths, "systems")) == expected
    assert list(name_golds(paths[0], paths[1:])) == expected
    assert list(name_clusterings(paths)) == expected


@pytest.mark.parametrize(
    ("options", "code", "value"),
    [
        ({"paired": "t-test"}, "unknown-name", "'t-test'"),
        ({"interval": "normal"}, "unknown-name", "'normal'"),
        ({"ci": -1}, "invalid-option", "-1"),
    ],
)
def test_invalid_options_are_refused(options, code, value):
    with refused(code, value):
        compare(GOLD, SYSTEMS, "v", **options)


def test_incomparable_scores_are_refused():
    partial = dict(enumerate(SYSTEMS["good"].tolist()[:-5]))
    gold = dict(enumerate(GOLD.tolist()))
    whole = dict(enumerate(SYSTEMS["good"].tolist()))
    with refused("signature-mismatch", "items is 300 for whole but 295 for partial"):
        compare(gold, {"whole": whole, "partial": partial}, "v", missing="drop")


def test_compare_requires_a_system():
    with refused("missing-option"):
        compare(GOLD, {})


def test_compare_supports_weighted_systems_with_groups():
    random = np.random.default_rng(0)
    rows = [
        (f"i{i}", label, weight, GROUPS[i])
        for i in range(GOLD.size)
        for label, weight in enumerate(random.dirichlet(np.ones(3)))
    ]
    soft = pd.DataFrame(rows, columns=["item", "label", "weight", "group"])
    comparison = compare(frame(GOLD), {"a": soft, "b": soft}, ["v", "ari"], ["ml", "jk"], ci=50)
    systems = [row for row in comparison.rows if not row.trivial]
    assert {row.rank for row in systems} == {1}
    trivial = {row.system for row in comparison.rows if row.trivial and row.value is not None}
    assert trivial == {"one cluster", "one per item", "random"}
    assert all(pair.p_holm == 1 for pair in comparison.pairs)


@pytest.mark.parametrize("trials", [40, pytest.param(150, marks=pytest.mark.slow)])
def test_item_intervals_have_nominal_coverage(trials):
    """V(jk), NVI(jk) and ARI of 300 items drawn from a known table: nominal 95 % intervals."""
    random = np.random.default_rng(11)
    table = np.array([[20, 3, 2, 1], [2, 25, 1, 4], [3, 3, 30, 6]]) / 100
    huge = np.rint(table * 10**9).astype(np.int64)
    from roget import Contingency

    true = [Contingency.from_table(huge).measure(name, "jk") for name in ("v", "nvi", "ari")]
    covered = np.zeros(3)
    for trial in range(trials):
        cells = random.choice(12, size=300, p=table.ravel())
        scored = score(
            cells // 4, cells % 4, ["v", "nvi", "ari"], "jk", ci=1, seed=trial, baselines=False
        )
        covered += [
            row.low <= value <= row.high for row, value in zip(scored.rows, true, strict=True)
        ]
    assert (covered / trials >= 0.91).all()
    assert (covered / trials <= (0.99 if trials > 100 else 1.0)).all()


def test_score_has_intervals_on_request():
    table = score(frame(GOLD), frame(SYSTEMS["good"]), "v", "jk", ci=300)
    (row,) = table.rows
    assert row.low < row.value < row.high
    assert "ci:jackknife-t|" in table.signature
    assert f"[{row.low:.3f}, {row.high:.3f}]".replace("0.", ".") in str(table)
    assert contingency(GOLD, SYSTEMS["good"]).measure("v") > 0


def test_score_defined_in_few_groups_is_undefined():
    """More than half of the groups undefined gives no average; fewer give a note."""
    gold = frame(["a", "a", "b", "x", "x", "y", "y"], [1, 1, 1, 2, 2, 3, 3])
    mostly = frame([1, 1, 2, 1, 2, 1, 2], [1, 1, 1, 2, 2, 3, 3])
    (row,) = [r for r in compare(gold, {"s": mostly}, "gamma").rows if not r.trivial]
    assert row.value is None
    assert row.rank is None
    assert row.reason
    half = frame(["a", "a", "b", "x", "x"], [1, 1, 1, 2, 2])
    comparison = compare(half, {"s": half}, "gamma")
    notice(comparison.warnings, "undefined-groups", "gamma", "1 of 2")


def test_bootstrap_progress_is_reported():
    seen = []
    compare(GOLD, SYSTEMS, "ari", ci=20, progress=lambda now: seen.append((now.done, now.total)))
    assert seen[-1] == (23, 23)
    assert len(seen) == 23


def test_identical_systems_are_warned_about():
    gold = ["a", "a", "b", "b", "c", "c", "c"]
    one, again, other = [1, 1, 2, 2, 3, 3, 1], [*"xxyyzzx"], [1, 1, 2, 2, 3, 1, 1]
    table = compare(gold, {"one": one, "again": again, "other": other}, "v")
    notice(table.warnings, "identical-systems", "one and again")
    soft = [{1: 1, 2: 3}, {1: 1}, {2: 1}]
    gold, answers = {"a": 0, "b": 0, "c": 1}, dict(zip("abc", soft, strict=True))
    other = answers | {"b": {1: 2, 2: 1}}
    table = compare(gold, {"one": answers, "again": dict(answers), "other": other}, "v", "ml")
    notice(table.warnings, "identical-systems", "one and again")


def test_main_score_is_ami_then_corrected_v_whatever_the_values():
    measures = ["homogeneity", "completeness", "ari", "v"]
    comparison = compare(GOLD, SYSTEMS, measures)
    assert comparison.main == ("v", "jk")
    assert comparison.ordered[0] == ("v", "jk")
    assert comparison.scores[0] == ("homogeneity", "ml")
    assert comparison.as_dict()["main"]["measure"] == "v"
    bad = {"bad": SYSTEMS["bad"]}
    assert compare(GOLD, bad, measures).main == ("v", "jk"), "although a baseline wins"
    assert compare(GOLD, SYSTEMS, [*measures, "ami"]).main == ("ami", None)
    assert compare(GOLD, SYSTEMS).main == ("ami", None)
    assert compare(GOLD, SYSTEMS, ["homogeneity", "ari"]).main == ("homogeneity", "jk")
    chosen = compare(GOLD, SYSTEMS, ["homogeneity", "ari"], main="homogeneity@ml")
    assert chosen.main == ("homogeneity", "ml")
    assert chosen.reason != comparison.reason
    with refused("unknown-name", "v@mm"):
        compare(GOLD, SYSTEMS, "v", main="v@mm")


def test_baseline_that_no_system_beats_is_reported():
    items = dict(enumerate(GOLD.tolist()))
    ours = {"bad": dict(enumerate(SYSTEMS["bad"].tolist()))}
    best = {"strong": dict(enumerate(SYSTEMS["good"].tolist()))}
    found = compare(items, ours, "ami", baselines=best)
    notice(found.warnings, "below-baseline", "strong", "bad", "ami")
    found = compare(items, {"good": best["strong"]}, "ami", baselines=ours)
    assert "below-baseline" not in {one.code for one in found.warnings}
    found = compare(items, {"worse": ours["bad"]}, "vi", baselines=best)
    notice(found.warnings, "below-baseline", "strong", "vi")


WEIGHTED = {name: {1: 2.0, 2: 1.0} if name in "ab" else {2: 1.0} for name in "abcdefgh"}
FLAT = {name: number // 3 for number, name in enumerate("abcdefgh")}


def test_undefined_score_is_reported_and_never_the_main_score():
    systems = {"one": FLAT, "two": {**FLAT, "a": 2}}
    found = compare(WEIGHTED, systems, ["ami", "v"], main="ami")
    assert found.main[0] == "v"
    assert {row.rank for row in found.rows if not row.trivial and row.measure == "v"} <= {1, 2}
    notice(found.warnings, "undefined", "ami", "all systems", "answers")
    assert "ami" not in str(found).split("\n\n")[1]
    assert "ami" in {row["measure"] for row in found.as_dict()["rows"]}
    for report in (compare(WEIGHTED, systems, all=True), compare(WEIGHTED, systems)):
        assert ("ami", None) not in report.ordered
        assert "not sorted" not in str(report)
        assert "fractional" in str(report)
        report.render("html")
    nothing = compare(WEIGHTED, systems, "ami")
    assert "not sorted" in str(nothing)
    nothing.render("html")
    nothing.render("latex")
    # A score that only some systems lack is shown, with the reason.
    some = compare(FLAT, {"hard": FLAT, "soft": WEIGHTED}, ["ami", "v"])
    assert some.main[0] == "v"
    assert ("ami", None) in some.ordered
    notice(some.warnings, "undefined", "ami", "soft")


def test_baselines_of_the_caller_are_scored_but_not_ranked_or_tested(tmp_path):
    names = [f"i{at}" for at in range(GOLD.size)]
    files = {}
    for name, labels in {"gold": GOLD, **SYSTEMS}.items():
        files[name] = tmp_path / f"{name}.tsv"
        lines = zip(GROUPS.tolist(), names, labels.tolist(), strict=True)
        files[name].write_text(
            "group\titem\tlabel\n" + "".join(f"{g}\t{i}\t{x}\n" for g, i, x in lines)
        )
    ours = [files["middling"], files["bad"]]
    plain = compare(files["gold"], ours, ["ami", "v"], ci=50)
    for given in ({"best": files["good"]}, [f"best={files['good']}"]):
        found = compare(files["gold"], ours, ["ami", "v"], ci=50, baselines=given)
        assert found.systems == ["middling", "bad"]
        assert found.pairs == plain.pairs
        row = rows_of(found, "ami")["best"]
        assert row.trivial
        assert row.rank is row.letters is row.first is row.tier is None
        assert row.value == rows_of(compare(files["gold"], [files["good"]]), "ami")["good"].value
        assert row.clusters == 4
        ranked = [one for one in found.rows if not one.trivial]
        assert ranked == [one for one in plain.rows if not one.trivial]
        last = [one for one in found.rows if one.trivial and one.measure == "ami"]
        assert [one.system for one in last] == ["best", "one cluster", "one per item", "random"]
        assert found["bad"].rows[0].baselines["best"] == row.value
        lines = found.render("latex").splitlines()
        assert not any("best" in line and "textbf" in line for line in lines)
    alone = compare(files["gold"], ours, "ami", baselines=["none", str(files["good"])])
    assert [one.system for one in alone.rows if one.trivial] == ["good"]
    assert not [one for one in compare(files["gold"], ours, baselines="none").rows if one.trivial]
    with refused("duplicate-name", "bad"):
        compare(files["gold"], ours, "ami", baselines=[files["bad"]])
    with refused("duplicate-name", "random"):
        compare(files["gold"], ours, "ami", baselines={"random": files["bad"]})


def test_baselines_of_the_caller_are_scored_on_several_golds():
    items = [dict(enumerate(labels.tolist())) for labels in (GOLD, *SYSTEMS.values())]
    gold, good, middling, bad = items
    found = compare(gold, {"one": middling}, "ari", golds={"other": good}, baselines={"own": bad})
    row = rows_of(found, "ari")["own"]
    assert row.trivial
    assert row.golds["other"] == pytest.approx(score(good, bad, "ari")["ari"])
    assert row.value == pytest.approx(sum(row.golds.values()) / 2)


def test_gold_warnings_appear_once_and_name_files_only(tmp_path):
    gold, one, two = (tmp_path / f"{name}.tsv" for name in ("gold", "one", "two"))
    gold.write_text("item\tlabel\na\tx\na\tx\nb\ty\nc\ty\n")
    one.write_text("item\tlabel\na\t1\nb\t2\nc\t2\n")
    two.write_text("item\tlabel\na\t1\nb\t2\n")
    warnings = compare(gold, [one, two], "ari").warnings
    assert len([text for text in warnings if "1 line" in text and "gold.tsv" in text]) == 1
    assert any(text.startswith("two: ") and "1 of 3" in text for text in warnings)
    assert str(tmp_path) not in compare(gold, [one, two], "ari").render("html")
    assert not any(str(tmp_path) in text for text in score(gold, two, "ari").warnings)


def test_series_are_joined_by_index_as_in_score():
    """Series must not be joined by position."""
    pandas = pytest.importorskip("pandas")
    gold = pandas.Series(["a", "a", "b", "b"], index=[1, 2, 3, 4])
    system = pandas.Series([0, 1, 0, 1], index=[1, 3, 2, 4])
    assert compare(gold, {"s": system}, "ari").rows[0].value == score(gold, system, "ari")["ari"]


def test_rank_intervals_and_tiers_follow_from_corrected_tests():
    random = np.random.default_rng(3)
    gold = random.integers(0, 4, 120)
    systems = {
        f"noise {share}": np.where(random.random(120) < share, random.integers(0, 4, 120), gold)
        for share in (0.1, 0.15, 0.5, 0.9)
    }
    compared = compare(gold, systems, "ari", ci=200)
    rows = {row.system: row for row in compared.rows if not row.trivial}
    for name, row in rows.items():
        pairs = [pair for pair in compared.pairs if name in (pair.a, pair.b) and pair.p_holm < 0.05]
        won = sum((pair.difference > 0) == (pair.a == name) for pair in pairs)
        assert (row.rank_low, row.rank_high) == (1 + len(pairs) - won, len(rows) - won)
        assert {"rank_low", "rank_high", "tier"} <= row.as_dict().keys()
    tiers = [row.tier for row in sorted(rows.values(), key=lambda row: row.rank)]
    assert tiers[0] == 1 < tiers[-1]
    assert tiers == sorted(tiers)
    untested = compare(gold, systems, "ari")
    assert {row.rank_low for row in untested.rows} == {None}


def test_documentation_in_a_folder_of_systems_is_skipped(tmp_path):
    (tmp_path / "README.md").write_text("The systems.\n")
    for name in ("one.tsv", "two.tsv"):
        (tmp_path / name).write_text("a\tx\nb\tx\nc\ty\n")
    found = compare({"a": 1, "b": 1, "c": 2}, tmp_path, "ari")
    assert found.systems == ["one", "two"]
    notice(found.warnings, "skipped-files", "README.md")
    # Identical systems are more serious and come first.
    assert found.warnings[0].code == "identical-systems"


def test_systems_without_the_same_items_are_refused_with_a_remedy():
    gold, part = dict(enumerate("aabb")), {0: "a", 1: "b"}
    with refused("signature-mismatch", "missing"):
        compare(gold, {"whole": gold, "part": part}, "ari", missing="drop")


def test_missing_and_extra_items_are_named_and_listed_in_json():
    gold = {f"i{at}": at % 3 for at in range(20)}
    lacking = {name: label for name, label in gold.items() if int(name[1:]) >= 7}
    more = gold | {f"x{at}": 1 for at in range(3)}
    table = score(gold, lacking)
    assert "('i0', 'i1', 'i2', 'i3', 'i4', …)" in " ".join(str(table).split())
    assert json.loads(table.render("json"))["missing_items"] == list(table.missing_items)
    assert list(table.missing_items) == [f"i{at}" for at in range(7)]
    table = score(gold, more)
    assert "('x0', 'x1', 'x2')" in " ".join(table.render("text").split())
    assert json.loads(table.render("json"))["extra_items"] == ["x0", "x1", "x2"]
    assert "missing_items" not in json.loads(table.render("json"))
    systems = {"lacking": lacking, "more": more, "also": {**more, "x9": 0}}
    found = json.loads(compare(gold, systems, "ami").render("json"))["systems"]
    assert [one.get("missing_items", []) for one in found] == [table_ids(7), [], []]
    assert [len(one.get("extra_items", [])) for one in found] == [0, 3, 4]
    (line,) = [one for one in str(compare(gold, systems, "ami", all=True)).split("! ")
               if "extra-items" in one]  # fmt: skip
    assert "4 in also and 3 in more: dropped" in " ".join(line.split())


def table_ids(count):
    return [f"i{at}" for at in range(count)]


def test_broken_files_of_all_systems_are_reported_together(tmp_path):
    texts = {
        "gold": "a\tx\nb\tx\nc\ty\n",
        "good": "a\t1\nb\t1\nc\t2\n",
        "empty": "",
        "twice": "a\t1\na\t2\nb\t1\n",
        "other": "q\t1\nr\t2\n",
        "broken": "item\tlabel\n" + "onlyone\n" * 30,
    }
    paths = {name: tmp_path / f"{name}.tsv" for name in texts}
    for name, text in texts.items():
        paths[name].write_text(text)
    broken = ["empty", "twice", "other", "broken"]
    with pytest.raises(InputErrors) as caught:
        compare(paths["gold"], [paths[name] for name in ("good", *broken)], "ari")
    assert len(caught.value.errors) == 4
    text = str(caught.value)
    assert text.startswith("4 of 5 systems")
    assert all(f"{name}.tsv" in text for name in broken)
    assert "good.tsv" not in text
    assert "the first 20 problems" in text
    assert text.count("\n") < 40
    with refused("duplicate-item", "twice.tsv", "twice.tsv:2"):
        compare(paths["gold"], [paths["good"], paths["twice"]], "ari")
    with refused("invalid-input", "empty.tsv", "absent.tsv"):
        compare(paths["gold"], [paths["empty"], tmp_path / "absent.tsv"], "ari")
    with refused("empty-input", "empty.tsv") as caught:
        compare(paths["empty"], [paths["twice"], paths["good"]], "ari")
    assert "twice.tsv" not in str(caught.value)
