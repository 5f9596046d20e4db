"""Clusterings without gold: matrices, means, trees, maps and consensus against naive code."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import roget
from roget import InputError, Undefined, contingency
from roget.scoring.agreement import consensus as consensus_of
from roget.scoring.agreement.panel import align_clusterings, list_runs
from roget.scoring.labels import as_labels
from support.errors import codes, notice, refused
from twins import jackknife_ends

panels = st.integers(2, 16).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=2, max_size=5)
)
gappy = st.integers(3, 14).flatmap(
    lambda n: st.lists(
        st.lists(st.none() | st.integers(0, 3), min_size=n, max_size=n), min_size=2, max_size=4
    )
)


def named(rows):
    return {f"s{at}": row for at, row in enumerate(rows)}


def mapped(rows):
    """The same as mappings, so that an item may be missing."""
    return {
        f"s{at}": {f"i{item}": label for item, label in enumerate(row) if label is not None}
        for at, row in enumerate(rows)
    }


def naive(measure, gold, system, entropy="ml"):
    try:
        return contingency(gold, system).measure(measure, entropy)
    except Undefined:
        return np.nan


@given(panels)
@settings(max_examples=6)
def test_agree_scores_every_pair_like_measure(rows):
    asked = ["ari", "vi", "homogeneity", "b3-f", "one-to-one", "gamma"]
    found = roget.agree(named(rows), asked, ("ml", "jk"))
    for (measure, entropy), at in zip(found.scores, range(99), strict=False):
        for i, gold in enumerate(rows):
            for j, system in enumerate(rows):
                expected = naive(measure, gold, system, entropy or "ml")
                got = found.matrices.values[at, i, j]
                np.testing.assert_allclose(got, expected, atol=1e-12)
                assert np.isnan(expected) == ((at, i, j) in found.matrices.reasons)


@given(panels)
@settings(max_examples=25)
def test_agreement_is_symmetric_with_perfect_diagonal_and_triangle_inequality(rows):
    found = roget.agree(named(rows), ["vi", "ari", "ami"])
    for measure, best in (("vi", 0.0), ("ari", 1.0), ("ami", 1.0)):
        matrix = found.matrix(measure)
        assert np.array_equal(matrix, matrix.T)
        assert np.all(np.diag(matrix) == best)
    vi = found.matrix("vi")
    assert np.all(vi[:, None, :] <= vi[:, :, None] + vi[None, :, :] + 1e-12)


@given(panels, st.randoms())
@settings(max_examples=20)
def test_agree_ignores_order_of_clusterings_and_items(rows, chance):
    order = list(range(len(rows)))
    chance.shuffle(order)
    items = list(range(len(rows[0])))
    chance.shuffle(items)
    one = roget.agree(named(rows), ["ari", "vi", "homogeneity"])
    moved = {f"s{at}": [rows[at][item] for item in items] for at in order}
    two = roget.agree(moved, ["ari", "vi", "homogeneity"])
    place = np.ix_(range(3), order, order)
    np.testing.assert_allclose(one.matrices.values[place], two.matrices.values, atol=1e-12)
    np.testing.assert_allclose(one.matrices.means[:, order], two.matrices.means, atol=1e-12)
    assert two.distances("ari").shape == (len(rows), len(rows))


@given(gappy, st.sampled_from(["drop", "pairs", "cluster", "singletons"]))
@settings(max_examples=40)
def test_agree_applies_rule_for_missing_items(rows, rule):
    items = [i for i in range(len(rows[0])) if any(row[i] is not None for row in rows)]
    whole = [i for i in items if all(row[i] is not None for row in rows)]
    if any(all(row[i] is None for i in items) for row in rows) or (rule == "drop" and not whole):
        with pytest.raises(InputError):
            roget.agree(mapped(rows), ["ari"], missing="drop" if rule == "drop" else "error")
        return
    found = roget.agree(mapped(rows), ["vi"], missing=rule)
    for i, j in combinations(range(len(rows)), 2):
        kept = whole if rule == "drop" else items
        if rule == "pairs":
            kept = [at for at in items if rows[i][at] is not None and rows[j][at] is not None]
        sides = [
            [
                row[at] if row[at] is not None else "none" if rule == "cluster" else ("none", at)
                for at in kept
            ]
            for row in (rows[i], rows[j])
        ]
        got = found.matrix()[i, j]
        assert found.matrices.shared[i, j] == len(kept)
        if not kept:
            assert np.isnan(got)
            assert found.matrices.reasons[0, i, j]
        else:
            np.testing.assert_allclose(got, naive("vi", *sides), atol=1e-12)


def test_missing_items_are_warned_about_or_refused():
    sides = {"a": {"x": 1, "y": 1, "z": 2}, "b": {"x": 1, "y": 2}, "c": {"y": 1, "x": 1}}
    found = roget.agree(sides, "ari")
    assert found.items == 2
    notice(found.warnings, "missing-items", "1 of 3", "b lacks 1", "c lacks 1")
    assert "missing:drop" in found.signature
    with refused("missing-items", "'z'"):
        roget.agree(sides, "ari", missing="error")
    with refused("no-common-items", "--missing pairs"):
        roget.agree({"a": {"x": 1}, "b": {"y": 1}, "c": {"x": 2, "y": 2}}, "ari")
    with refused("unknown-name", "unmatched"):
        roget.agree(sides, "ari", missing="unmatched")


def test_agree_reports_means_ranks_typical_and_odd_clustering():
    rows = {"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": [0, 1, 0, 1]}
    found = roget.agree(rows, ["ari", "vi"])
    ari = found.matrix("ari")
    assert found.means[0].value == pytest.approx((ari[0, 1] + ari[0, 2]) / 2)
    assert [row.rank for row in found.means if row.measure == "vi"] == [1, 1, 3]
    assert (found.typical, found.odd) == ("a", "c")
    assert codes(found.warnings) == ["identical-systems"]
    notice(found.warnings, "identical-systems", "a and b")
    spread = found.spread()[0]
    values = ari[np.triu_indices(3, 1)]
    assert spread["mean"] == pytest.approx(values.mean())
    assert spread["deviation"] == pytest.approx(values.std(ddof=1))
    assert (spread["least"], spread["most"]) == (values.min(), values.max())
    two = roget.agree({"a": [0, 1], "b": [0, 0]}, "ari")
    assert two.odd is None


def test_asymmetric_measure_is_computed_in_both_directions():
    found = roget.agree({"fine": [0, 1, 2, 3], "coarse": [0, 0, 1, 1]}, "homogeneity,ari")
    rows = [(row.a, row.b, row.measure, row.value) for row in found.rows]
    assert ("coarse", "fine", "homogeneity", 1.0) in rows
    assert ("fine", "coarse", "homogeneity", pytest.approx(0.5)) in rows
    assert sum(row[2] == "ari" for row in rows) == 1
    assert found.means[0].value == pytest.approx(0.75)
    assert json.loads(json.dumps(found.as_dict()))["rows"]


def test_agree_averages_groups_like_score():
    rng = np.random.default_rng(0)
    keys = [(f"g{n % 24}", f"i{n}") for n in range(240)]
    sides = {name: dict(zip(keys, rng.integers(0, 3, 240).tolist(), strict=True)) for name in "abc"}
    for average in ("weighted", "unweighted", "pooled"):
        found = roget.agree(sides, ["v", "ari"], ("jk",), average=average)
        for i, j in combinations(range(3), 2):
            alone = roget.score(
                sides["abc"[i]], sides["abc"[j]], ["v", "ari"], ("jk",), average=average
            )
            assert found.matrix("v")[i, j] == pytest.approx(alone["v"], abs=1e-12)
            assert found.matrix("ari")[i, j] == pytest.approx(alone["ari"], abs=1e-12)
    assert found.groups == 1
    drawn = roget.agree(sides, ["v"], ("jk",), ci=80)
    alone = roget.score(sides["a"], sides["b"], "v", "jk", ci=80)
    row = next(drawn.rows)
    assert (row.low, row.high) == pytest.approx((alone.rows[0].low, alone.rows[0].high))
    assert all(mean.low <= mean.value <= mean.high for mean in drawn.means)


def test_intervals_of_agree_are_jackknife_over_items():
    rng = np.random.default_rng(1)
    sides = {name: rng.integers(0, 3, 40) for name in "abc"}
    found = roget.agree(sides, ["ari", "homogeneity"], ci=1)
    for row in found.rows:
        one, two = sides[row.a], sides[row.b]
        without = np.array(
            [naive(row.measure, np.delete(one, at), np.delete(two, at)) for at in range(40)]
        )
        least = -1 if row.measure == "ari" else 0
        expected = jackknife_ends(row.value, without, least, 1, items=40)
        assert (row.low, row.high) == pytest.approx(expected)
    mean = found.means[0]
    without = [
        np.mean([naive("ari", np.delete(sides["a"], at), np.delete(sides[o], at)) for o in "bc"])
        for at in range(40)
    ]
    expected = jackknife_ends(mean.value, without, -1, 1, items=40)
    assert (mean.low, mean.high) == pytest.approx(expected)
    assert "ci:jackknife-t" in found.signature
    many = {name: rng.integers(0, 3, 3000) for name in "ab"}
    assert next(roget.agree(many, "ari", ci=1).rows).low is not None


def test_agree_scores_weighted_labels_like_score():
    rng = np.random.default_rng(2)
    soft = {name: rng.dirichlet(np.ones(3), 12) for name in "ab"} | {"c": rng.integers(0, 3, 12)}
    found = roget.agree(soft, ["v", "homogeneity", "ami"])
    for row in found.rows:
        if row.measure != "ami":
            alone = roget.measure(row.measure, soft[row.a], soft[row.b])
            assert row.value == pytest.approx(alone, abs=1e-12)
        else:
            assert row.value is None
            assert row.reason
    assert "labels:hard+weighted" in found.signature
    with refused("conflicting-options", "--answers top"):
        found.consensus()
    assert roget.agree(soft, "ari", answers="top").matrix()[0, 0] == 1.0


def test_agree_computes_tree_and_map():
    pytest.importorskip("scipy")
    rng = np.random.default_rng(3)
    base, other = rng.integers(0, 4, (2, 200))
    rows = {}
    for at in range(6):
        near = (base if at < 3 else other).copy()
        near[rng.integers(0, 200, 10)] = rng.integers(0, 4, 10)
        rows[f"s{at}"] = near
    found = roget.agree(rows, ["vi", "mi"])
    tree = found.tree()
    assert {frozenset(tree.order[:3]), frozenset(tree.order[3:])} == {
        frozenset(range(3)), frozenset(range(3, 6)),
    }  # fmt: skip
    apart = found.distances()
    top = np.mean([apart[i, j] for i in range(3) for j in range(3, 6)])
    assert tree.links[-1, 2] == pytest.approx(top), "average linkage of two threes"
    places, share = found.map()
    assert 0.5 < share <= 1.0
    assert abs(places.mean(axis=0)).max() < 1e-9
    with pytest.raises(Undefined):
        found.tree("mi")
    # Distances in a plane are found again.
    flat = roget.agree({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": [0, 1, 1, 1]}, "vi")
    places = flat.map().places
    drawn = np.linalg.norm(places[:, None] - places[None], axis=-1)
    np.testing.assert_allclose(drawn, flat.distances(), atol=1e-9)


@given(gappy)
@settings(max_examples=25)
def test_consistency_support_and_pairs_equal_naive_computation(rows):
    if any(all(label is None for label in row) for row in rows):
        return
    found = roget.agree(mapped(rows), "ari", missing="pairs")
    items = [int(name[1:]) for name in found.panel.items]
    size = len(items)
    together = np.zeros((size, size))
    both = np.zeros((size, size))
    alike = [[] for _ in items]
    for row in rows:
        for i, j in combinations(range(size), 2):
            one, two = row[items[i]], row[items[j]]
            if one is not None and two is not None:
                both[i, j] += 1
                together[i, j] += one == two
    for one, two in combinations(rows, 2):
        kept = [i for i in items if one[i] is not None and two[i] is not None]
        for at, i in enumerate(items):
            if i in kept:
                first = {k for k in kept if one[k] == one[i]}
                second = {k for k in kept if two[k] == two[i]}
                # Gates et al. 2019, α = 1: half the distance of two uniform distributions.
                gap = sum(
                    abs((k in first) / len(first) - (k in second) / len(second)) for k in kept
                )
                alike[at].append(1 - gap / 2)
    got = found.consistency().values
    wanted = [np.mean(values) if values else np.nan for values in alike]
    np.testing.assert_allclose(got, wanted, atol=1e-12)
    pairs = found.together(at_least=0.5)
    listed = {
        (i, j): (t, b)
        for i, j, t, b in zip(pairs.first, pairs.second, pairs.together, pairs.both, strict=True)
    }
    expected = {
        (i, j): (together[i, j], both[i, j])
        for i, j in combinations(range(size), 2)
        if both[i, j] and together[i, j] and together[i, j] >= 0.5 * both[i, j]
    }
    assert listed == expected
    chosen = found.consensus("average")
    codes = chosen.labels.codes
    full_t, full_b = together + together.T, both + both.T
    for i in range(size):
        mates = [j for j in range(size) if j != i and codes[j] == codes[i] and full_b[i, j]]
        whole = sum(full_b[i, j] for j in mates)
        if whole:
            part = sum(full_t[i, j] for j in mates)
            assert chosen.support[i] == pytest.approx(part / whole)
        else:
            assert np.isnan(chosen.support[i])


def test_consensus_is_written_as_label_file(tmp_path):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 4, 80)
    runs = {}
    for at in range(7):
        row = truth.copy()
        row[rng.integers(0, 80, 12)] = rng.integers(0, 4, 12)
        runs[f"r{at}"] = {f"i{n}": f"c{label}" for n, label in enumerate(row.tolist())}
    found = roget.agree(runs, "vi")
    medoid = found.consensus()
    assert medoid.name == found.typical
    means = found.matrix().sum(axis=1)
    assert found.systems[int(means.argmin())] == medoid.name
    medoid.write(tmp_path / "medoid.tsv")
    assert roget.score(runs[medoid.name], tmp_path / "medoid.tsv", "ari")["ari"] == 1.0
    linked = found.consensus("average", clusters=4)
    linked.write(tmp_path / "linked.csv")
    gold = {f"i{n}": label for n, label in enumerate(truth.tolist())}
    best = max(roget.measure("ari", gold, run) for run in runs.values())
    assert roget.score(gold, tmp_path / "linked.csv", "ari")["ari"] >= best
    assert np.nanmin(linked.cluster_support) > 0.5
    with refused("conflicting-options", "--consensus-by average"):
        found.consensus(clusters=3)


def test_average_link_consensus_works_within_groups_and_limits_size(monkeypatch):
    keys = [("g", "1"), ("g", "2"), ("g", "3"), ("h", "1"), ("h", "2"), ("k", "1")]
    sides = {
        name: dict(zip(keys, row, strict=True))
        for name, row in (("a", "xxyxxz"), ("b", "xxyxyz"), ("c", "xxyxxz"))
    }
    labels = roget.agree(sides, "ari").consensus("average").labels
    # Labels are private to their group, and so are those of the consensus.
    assert len(set(labels.codes.tolist())) == 4
    assert labels.codes[0] == labels.codes[1] != labels.codes[2]
    assert labels.codes[3] == labels.codes[4]
    monkeypatch.setattr(consensus_of, "LINKED", 2)
    with refused("too-large", "3 items", "--consensus-by medoid"):
        roget.agree(sides, "ari").consensus("average")


def test_too_many_pairs_are_refused():
    found = roget.agree({"a": [0] * 300, "b": [0] * 299 + [1]}, "vi")
    with refused("too-large", "--most"):
        found.together(most=100)
    rng = np.random.default_rng(5)
    found = roget.agree({f"r{n}": rng.integers(0, 3, 300) for n in range(4)}, "vi")
    with refused("too-large", "--at-least"):
        found.together(at_least=0.25, most=6000)
    assert len(found.together(at_least=1.0, most=20_000)) > 0


def test_agree_accepts_files_folders_columns_and_frames(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    for at, row in enumerate(("xxyy", "xyyy", "xxxy")):
        text = "".join(f"i{n}\t{label}\n" for n, label in enumerate(row))
        (runs / f"run{at}.tsv").write_text("item\tlabel\n" + text)
    wide = tmp_path / "wide.csv"
    wide.write_text("item,run0,run1,run2\ni0,x,x,x\ni1,x,y,x\ni2,y,y,x\ni3,y,y,y\n")
    frame = {"run0": list("xxyy"), "run1": list("xyyy"), "run2": list("xxxy")}
    ways = [runs, [runs / f"run{at}.tsv" for at in range(3)], f"{runs}/*.tsv", wide, frame]
    pandas = pytest.importorskip("pandas")
    ways.append(pandas.DataFrame(frame))
    polars = pytest.importorskip("polars")
    ways.append(polars.DataFrame({"id": ["a", "b", "c", "d"], **frame}))
    polars.DataFrame({"id": ["a", "b", "c", "d"], **frame}).write_parquet(tmp_path / "wide.parquet")
    ways.append(tmp_path / "wide.parquet")
    first = roget.agree(ways[0], "ari,vi")
    for way in ways:
        found = roget.agree(way, "ari,vi")
        assert found.systems == ("run0", "run1", "run2")
        assert np.array_equal(found.matrices.values, first.matrices.values)


@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize(
    ("head", "columns", "items"),
    [
        (",doc_id,run0,run1", {"item": "doc_id"}, ["a", "b", "c", "d"]),
        (",doc_id,run0,run1", {"item": 1, "group": "doc_id"}, ["7", "8", "9", "10"]),
        (",item,run0,run1", None, ["a", "b", "c", "d"]),
        (",group,run0,run1", None, ["7", "8", "9", "10"]),
    ],
)
def test_unnamed_first_column_is_not_a_clustering(tmp_path, delimiter, head, columns, items):
    rows = [head, "7,a,x,x", "8,b,x,y", "9,c,y,y", "10,d,y,y", ""]
    path = tmp_path / ("wide.csv" if delimiter == "," else "wide.tsv")
    path.write_text("\n".join(rows).replace(",", delimiter))
    found = roget.agree(path, "ari", columns=columns)
    assert found.systems == ("run0", "run1")
    assert list(found.panel.items) == items


def test_pandas_index_column_holds_item_ids(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "wide.csv"
    pandas.DataFrame({"run0": list("xxyy"), "run1": list("xyyy")}).to_csv(path)
    found = roget.agree(path, "ari")
    assert found.systems == ("run0", "run1")
    assert list(found.panel.items) == ["0", "1", "2", "3"]
    assert found.warnings == ()


def test_clustering_of_singletons_is_warned_about(tmp_path):
    runs = {"name": list("abcd"), "run0": list("xxyy"), "run1": list("xyyy")}
    notice(roget.agree(runs, "ari").warnings, "all-singletons", "name")
    part = {"name": {"a": 1, "b": 2}, "run0": {"a": 1, "b": 1, "c": 1}, "run1": {"a": 1, "c": 1}}
    notice(roget.agree(part, "vi", missing="pairs").warnings, "all-singletons", "name")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("item,label\na,x\nb,y\n", "label"),
        ("1,2,3\n4,5,6\n", r"wide\.csv"),
        ("item,a,b\nx,1\n", r"wide\.csv:2"),
    ],
)
def test_tables_without_clusterings_are_refused(tmp_path, text, place):
    (tmp_path / "wide.csv").write_text(text)
    with pytest.raises(InputError, match=place):
        roget.agree(tmp_path / "wide.csv")


def test_thesaurus_folder_is_one_clustering(tmp_path):
    for name in ("thesaurus.json", "a.tsv", "b.tsv"):
        (tmp_path / name).write_text("{}")
    assert list_runs(str(tmp_path)) == [str(tmp_path)]
    (tmp_path / "thesaurus.json").unlink()
    assert len(list_runs(str(tmp_path))) == 2


def test_agree_refuses_invalid_requests():
    with refused("missing-option", "1"):
        roget.agree({"a": [0, 1]})
    with pytest.raises(InputError, match="3"):
        roget.agree({"a": [0, 1], "b": [0, 1, 2]})
    with refused("unknown-name", "'v'"):
        roget.agree({"a": [0, 1], "b": [0, 0]}, "ari").matrix("v")
    with refused("needs-groups"):
        roget.agree({"a": [0], "b": [0]}, ci=10)


def test_declared_noise_is_missing():
    sides = {"a": [-1, 0, 0, 1, 1], "b": [0, 0, 0, 1, -1]}
    found = roget.agree(sides, "ari")
    notice(found.warnings, "noise-label", "--noise -1")
    clean = roget.agree(sides, "ari", noise=-1)
    assert (clean.items, clean.matrix()[0, 1]) == (3, 1.0)
    assert "noise:-1" in clean.signature


def test_clusterings_with_and_without_groups_are_joined():
    with_groups = {("g", "a"): 1, ("g", "b"): 1, ("h", "c"): 2}
    found = roget.agree({"x": {"a": 1, "b": 2, "c": 2, "d": 3}, "y": with_groups}, "ari")
    assert found.groups == 2
    notice(found.warnings, "missing-items", "x: 1 item")
    panel = align_clusterings(
        ["x", "y"], [as_labels(with_groups), as_labels({("k", "z"): 1})], "pairs"
    )
    assert list(panel.group_names) == ["g", "h", "k"]
    assert len(panel.items) == 4


def test_agreement_has_text_html_and_frames():
    found = roget.agree({"a": [0, 0, 1], "b": [0, 1, 1], "c": [0, 0, 1]})
    assert repr(found) == "<Agreement of 3 clusterings on 3 items>"
    text = str(found)
    assert (found.typical, found.odd) == ("a", "b")
    assert found.signature in text
    assert "<table" in found._repr_html_()
    frame = found.to_pandas()
    assert len(frame) == 6
    assert set(frame["measure"]) == {"ari", "vi"}
    many = roget.agree({f"s{n}": [0, 0, 1] for n in range(30)}, "ari")
    assert "24" in str(many)


def test_recipe_of_agree_page_runs(capsys):
    pytest.importorskip("sklearn")
    page = Path(__file__).parents[2] / "docs" / "agree.md"
    if not page.exists():
        pytest.skip("an installed package has no documentation")
    recipe = re.search(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert "range(2, 21)" in recipe
    exec(recipe.replace("range(2, 21)", "range(2, 4)"), {})
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines] == ["2", "3"]
    assert all(0.5 < float(line[1]) <= 1 for line in lines)


IDS = [f"c{at}" for at in range(12)]
RUNS = {"one": [0, 0, 1, 1] * 3, "two": [0, 1, 1, 1] * 3}


def test_first_column_of_different_values_is_the_item(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"customer": IDS, **RUNS})
    frame.to_csv(tmp_path / "wide.csv", index=False)
    for source in (frame, tmp_path / "wide.csv"):
        found = roget.agree(source, "ari")
        assert found.systems == ("one", "two")
        assert "inferred-items" in codes(found.warnings)


def test_label_columns_select_clusterings(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"customer": IDS, "age": range(12), **RUNS})
    assert roget.agree(frame, "ari", columns={"label": "one+two"}).systems == ("one", "two")
    with refused("invalid-option", "weight"):
        roget.agree(frame, "ari", columns={"weight": "age"})


@pytest.mark.parametrize("columns", [None, {"item": "customer"}])
def test_compare_reads_a_column_for_each_system(tmp_path, columns):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"customer": IDS, **RUNS})
    frame.sample(frac=1, random_state=0).to_csv(tmp_path / "wide.csv", index=False)
    gold = pandas.DataFrame({"customer": IDS, "class": list("aabb") * 3})
    gold.to_csv(tmp_path / "gold.csv", index=False)
    rows = roget.compare(tmp_path / "gold.csv", tmp_path / "wide.csv", "ari", columns=columns).rows
    assert {row.system: row.value for row in rows if not row.trivial}["one"] == 1


def test_index_of_pandas_parquet_files_is_the_item(tmp_path):
    pandas = pytest.importorskip("pandas")
    for name, suffix in (("one", "parquet"), ("two", "feather")):
        frame = pandas.DataFrame({name: RUNS["one"]}, index=IDS).sample(
            frac=1, random_state=len(name)
        )
        path = tmp_path / f"{name}.{suffix}"
        frame.to_parquet(path) if suffix == "parquet" else frame.to_feather(path)
    assert roget.measure("ari", tmp_path / "one.parquet", tmp_path / "two.feather") == 1
