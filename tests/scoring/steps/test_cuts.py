"""Trees as systems: dendrogram purity, single cuts, sweeps, levels and intervals."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import roget
from roget import Contingency, Hierarchy, InputError, Undefined, compare, score, sweep
from roget.core.tree import Tree
from roget.scoring.labels.hierarchy import merge_leaves, order_splits
from roget.scoring.labels.labels import Labels
from roget.scoring.measures.base import evaluate, list_requests
from roget.scoring.tables import cut_tables
from roget.scoring.tables.contingency import Leaves
from roget.scoring.tables.cut_tables import CutTables
from roget.scoring.tables.random_walk import TreeElements
from support.errors import notice, refused
from twins import dendrogram_purity, element_centric, jackknife_ends, memberships

GOLDEN, WALKS = (
    json.loads((Path(__file__).parents[2] / "golden" / name).read_text("utf-8"))
    for name in ("trees.json", "walks.json")
)

LIGHT = "homogeneity,v,vi,nvi,q2,ami,ari,b3-precision,b3-recall,b3-f"
HEAVY = "one-to-one,purity,f,van-dongen,element-centric"


def grow(parent, at):
    """The hierarchy of items at nodes, whatever they are."""
    tree, codes = merge_leaves(np.array([-1, *parent]), np.array(at))
    order = order_splits(tree, np.bincount(codes, minlength=tree.n_clusters), None)
    return Hierarchy(tree.with_order(order), codes)


def sets_of(tree):
    """The items below each node."""
    below = [set() for _ in tree.tree.parent]
    for item, code in enumerate(tree.codes.tolist()):
        node = tree.tree.leaf(code)
        while node >= 0:
            below[node].add(item)
            node = int(tree.tree.parent[node])
    return below


@st.composite
def trees(draw):
    nodes = draw(st.integers(1, 14))
    parent = [draw(st.integers(0, node)) for node in range(nodes)]
    at = draw(st.lists(st.integers(0, nodes), min_size=1, max_size=30))
    gold = draw(st.lists(st.integers(0, 4), min_size=len(at), max_size=len(at)))
    return grow(parent, at), gold


@given(case=trees())
def test_dendrogram_purity_equals_mean_over_pairs(case):
    tree, gold = case
    expected = dendrogram_purity(gold, tree.codes.tolist(), sets_of(tree))
    got = score(gold, tree, "dendrogram-purity", cut=1, baselines=False).rows[0]
    if expected is None:
        assert got.value is None
        assert got.reason
    else:
        assert got.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=range(len(GOLDEN["cases"])))
def test_dendrogram_purity_equals_clustpy(case):
    tree = Hierarchy.from_children(np.array(case["merges"]))
    leaf = np.array(case["leaf"])
    many = Hierarchy(tree.tree, leaf)
    got = roget.measure("dendrogram-purity", case["gold"], many, cut=1)
    assert got == pytest.approx(case["value"], abs=1e-12)


def test_tree_with_every_class_as_node_is_perfect():
    tree = Hierarchy.from_newick("(((a,b),c),((d,e),f,g));")
    gold = dict(zip("abcdefg", [0, 0, 0, 1, 1, 1, 1], strict=True))
    found = score(gold, tree)
    assert found["dendrogram-purity"] == 1.0
    assert found["ari"] == 1.0
    assert "cut:2(best-ami)" in found.signature
    notice(found.warnings, "cut-by-gold", "2 clusters", "7 leaves", "ami")


def test_dendrogram_purity_is_one_in_degenerate_cases():
    assert score({"a": 0}, Hierarchy.from_newick("a;"))["dendrogram-purity"] == 1.0
    tree = Hierarchy.from_newick("((a,b),c);")
    assert score(dict.fromkeys("abc", 0), tree, cut=1)["dendrogram-purity"] == 1.0
    assert score({"a": 0, "b": 1, "c": 2}, tree, cut=3)["dendrogram-purity"] == 1.0


def test_dendrogram_purity_is_exact_for_trillions_of_items():
    small = np.array([[6, 1, 0], [1, 5, 2], [0, 1, 4]])
    huge = Contingency.from_table(small * 10**11).measure("dendrogram-purity")
    rows, columns = small.sum(axis=1), small.sum(axis=0)
    # With replacement, as it is for so many: within clusters, and else at the root.
    within = (small**2 * small / columns).sum()
    across = ((rows**2 - (small**2).sum(axis=1)) * rows / small.sum()).sum()
    assert huge == pytest.approx((within + across) / (rows**2).sum(), rel=1e-9)


@given(case=trees(), extra=st.integers(0, 2))
@settings(max_examples=10)
def test_all_cuts_at_once_equal_single_cuts(case, extra):
    tree, gold = case
    codes = tree.codes.copy()
    added = min(extra, codes.size)
    codes[:added] = tree.n_leaves + np.arange(added)
    leaves = Labels(codes, tree.n_leaves + added, None)
    whole = Contingency.from_labels(Labels(np.array(gold), 5, None), leaves)
    tables = CutTables(whole, tree.grow(added), tree.cuts, added)
    flats = [
        np.append(tree.tree.cut_leaves(k), 1000 + np.arange(added))[codes]
        for k in tree.cuts.tolist()
    ]
    for request in list_requests(f"{LIGHT},{HEAVY}", ("ml", "jk")):
        got, _ = evaluate(tables, request)
        expected = [evaluate(roget.contingency(gold, flat), request)[0][0] for flat in flats]
        np.testing.assert_allclose(got, expected, atol=1e-10)
    assert tables.clusters.tolist() == [np.unique(flat).size for flat in flats]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cut_tables, "_HELD", 4)
        patch.setattr(cut_tables, "_PAIRS", 2)
        parts = list(tables.parts())
    assert np.concatenate([part.cuts for part in parts]).tolist() == tree.cuts.tolist()
    for request in list_requests(LIGHT, ("ml", "jk")):
        got = np.concatenate([evaluate(part, request)[0] for part in parts])
        np.testing.assert_allclose(got, evaluate(tables, request)[0], atol=1e-12)


def test_all_cuts_of_a_long_chain_are_scored_in_linear_time():
    # Single linkage often makes one: every cut has one more size, and few of them at a time.
    n = 12_000
    rows = np.arange(n - 1)
    merges = np.column_stack((rows + 1, np.where(rows, n - 1 + rows, 0)))
    tree = Hierarchy.from_children(merges)
    gold = rows[: n - 1] % 7
    started = time.process_time()
    found = sweep([*gold.tolist(), 0], tree, measures="v,ami")
    assert time.process_time() - started < 5
    assert len(found.cuts) == n
    few = sweep([*gold.tolist(), 0], tree, cuts=[2, 5000, n], measures="v,ami")
    for all_cuts, some in zip(found.curves, few.curves, strict=True):
        picked = [all_cuts.values[k - 1] for k in few.cuts]
        assert picked == pytest.approx(some.values, abs=1e-10)


@given(case=trees())
def test_cuts_are_nested_and_have_requested_size(case):
    tree, _ = case
    before = np.zeros(len(tree), dtype=int)
    for k in tree.cuts.tolist():
        tops = tree.tree.cut_nodes(k)
        assert tops.size == k
        now = tree.cut(k)
        pairs = set(zip(now.tolist(), before.tolist(), strict=True))
        assert len(pairs) == len(set(now.tolist()))
        before = now


def test_linkage_is_cut_as_by_scipy():
    from scipy.cluster.hierarchy import fcluster, linkage

    points = np.random.default_rng(0).normal(size=(40, 3))
    merges = linkage(points, "average")
    tree = Hierarchy.from_linkage(merges)
    for k in (1, 2, 7, 40):
        theirs = fcluster(merges, k, "maxclust")
        assert roget.contingency(theirs, tree.cut(k)).measure("ari") == 1.0


def test_merges_are_cut_as_by_scikit_learn():
    cluster = pytest.importorskip("sklearn.cluster")
    points = np.random.default_rng(1).normal(size=(30, 2))
    fitted = cluster.AgglomerativeClustering(n_clusters=5, linkage="average").fit(points)
    tree = Hierarchy.from_children(fitted.children_)
    assert roget.contingency(fitted.labels_, tree.cut(5)).measure("ari") == 1.0


def test_score_of_a_cut_equals_score_of_its_labels():
    random = np.random.default_rng(2)
    tree = grow([0, 0, 1, 1, 2, 2, 2], random.integers(1, 8, 50))
    gold = random.integers(0, 3, 50).tolist()
    found = score(gold, tree, "v,ari,one-to-one", cut=3)
    flat = score(gold, tree.cut(3), "v,ari,one-to-one")
    assert [row.value for row in found.rows] == [row.value for row in flat.rows]
    assert found.signature.endswith("|tree:tree|cut:2")
    notice(found.warnings, "nearest-cut", 3, 2)


def test_items_missing_in_tree_share_a_cluster():
    tree = Hierarchy.from_newick("((a,b),(c,d));")
    gold = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 2, "f": 2}
    found = score(gold, tree, "ari,dendrogram-purity", cut=2)
    assert found["ari"] == found["dendrogram-purity"] == 1.0
    alone = score(gold, tree, "dendrogram-purity", cut=2, missing="singletons")
    assert alone["dendrogram-purity"] == pytest.approx((1 + 1 + 2 / 6) / 3)


def test_groups_of_gold_are_scored_separately_in_tree():
    tree = Hierarchy.from_newick("((a,b),(c,d));")
    gold = {("x", "a"): 0, ("x", "b"): 0, ("x", "c"): 1, ("y", "d"): 0}
    found = score(gold, tree, "dendrogram-purity,v")
    assert found.groups == 2
    assert found["dendrogram-purity"] == 1.0
    assert "best-ami" in found.signature


def test_trees_and_cuts_have_intervals():
    random = np.random.default_rng(0)
    tree = grow([0, 0, 1, 1, 2, 2], random.integers(1, 7, 120))
    gold = (tree.cut(2) + (random.random(120) < 0.2)).tolist()
    found = score(gold, tree, "dendrogram-purity,v", "jk", cut=2, ci=60, interval="percentile")
    for row in found.rows:
        assert row.low < row.value < row.high
    by_jackknife = score(gold, tree, "dendrogram-purity", cut=2, ci=60).rows[0]
    assert by_jackknife.low < by_jackknife.value < by_jackknife.high


def test_jackknife_of_a_tree_leaves_out_items():
    """The error equals that of scoring the remaining items for each item left out."""
    random = np.random.default_rng(3)
    codes, gold = random.integers(0, 5, 24), random.integers(0, 3, 24)
    tree = Hierarchy(Tree([-1, 0, 0, 1, 1, 1, 2, 2]), codes)
    row = score(gold.tolist(), tree, "dendrogram-purity", cut=1, ci=10).rows[0]
    left = []
    for item in range(24):
        kept = np.delete(np.arange(24), item)
        part = Hierarchy(tree.tree, codes[kept])
        left.append(roget.measure("dendrogram-purity", gold[kept].tolist(), part, cut=1))
    expected = jackknife_ends(row.value, left, 0, 1, items=24)
    assert (row.low, row.high) == pytest.approx(expected)


def test_trees_are_compared_with_flat_systems():
    gold = {"a": 0, "b": 0, "c": 1, "d": 1}
    tree = Hierarchy.from_newick("((a,b),(c,d));")
    flat = {"a": 0, "b": 1, "c": 1, "d": 1}
    found = compare(gold, {"flat": flat, "tree": tree}, "ari,dendrogram-purity", ci=20)
    values = {(row.system, row.measure): row.value for row in found.rows}
    assert values["tree", "ari"] == values["tree", "dendrogram-purity"] == 1.0
    assert values["flat", "dendrogram-purity"] == pytest.approx(
        dendrogram_purity([0, 0, 1, 1], [0, 1, 1, 1])
    )
    assert "cut:best-ami" in found.signature
    assert "cut:2" in compare(gold, {"tree": tree}, "ari", cut=2).signature
    with refused("needs-tree", "cut=2"):
        compare(gold, {"flat": flat}, cut=2)


def test_sweep_scores_every_cut():
    random = np.random.default_rng(0)
    tree = grow([0, 0, 1, 1, 2, 2, 3, 3], random.integers(5, 9, 60))
    gold = (tree.cut(3) * 10 + (random.random(60) < 0.1)).tolist()
    found = sweep(gold, tree)
    assert found.cuts == tuple(tree.cuts.tolist())
    assert [curve.name for curve in found.curves] == [
        "v@ml", "v@jk", "vi@ml", "vi@jk", "nvi@ml", "nvi@jk", "q2@ml", "q2@jk", "ami",
    ]  # fmt: skip
    for curve in found.curves:
        for k, value in zip(found.cuts, curve.values, strict=True):
            flat = score(gold, tree.cut(k), curve.measure, curve.entropy or "ml", baselines=False)
            assert value == pytest.approx(flat.rows[0].value, abs=1e-12)
        best = max if curve.direction == "higher" else min
        assert curve.value == best(curve.values)
        assert curve.values[found.cuts.index(curve.best)] == curve.value
    assert found["ami"].best == 2
    frame = found.to_pandas()
    assert list(frame.columns[:3]) == ["cut", "clusters", "v@ml"]
    assert len(frame) == len(found.cuts)
    assert "<table" in found._repr_html_()
    assert "best cuts" in str(found)
    assert found.as_dict()["scores"][-1]["best"] == {"cut": 2, "value": found["ami"].value}
    assert "cut:1..5" in found.signature


def test_sweep_of_groups_scores_each_cut():
    tree = Hierarchy.from_newick("((a,b),(c,d));")
    gold = {("x", "a"): 0, ("x", "b"): 0, ("x", "c"): 1, ("y", "d"): 0}
    found = sweep(gold, tree, "1..4", "v", "ml")
    for k, value in zip(found.cuts, found["v"].values, strict=True):
        labels = dict(zip(tree.items, tree.cut(k).tolist(), strict=True))
        assert value == score(gold, labels, "v", "ml", baselines=False)["v"]


def test_score_with_cuts_includes_sweep():
    tree = Hierarchy.from_newick("((a,b),(c,d));")
    gold = {"a": 0, "b": 0, "c": 1, "d": 1}
    found = score(gold, tree, cuts="2,4,9")
    assert found.sweep.cuts == (2, 4)
    counted = score(gold, tree, cuts="all", extra="count")
    assert "extra:count" in counted.sweep.signature
    notice(found.sweep.warnings, "nearest-cut", "4 leaves")
    assert found.as_dict()["sweep"]["cuts"] == [2, 4]
    figure = found.sweep.figure()
    assert len(figure.axes) >= 5
    labels = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert all(len(set(some)) == len(some) for some in labels)  # a cut that two share, once
    for page in (score(gold, tree, cuts="2,4", keep=True), found, found.sweep):
        text = page.render("html")
        assert "best cuts" in text
        assert "selected cuts" in text
        assert "data:image/svg+xml;base64," in text


@pytest.mark.parametrize(
    ("cuts", "value"), [("1-5", "1..500"), ("0..3", "0..3"), ("9", "4 leaves"), ([1.5], "1.5")]
)
def test_invalid_cuts_are_refused(cuts, value):
    tree = Hierarchy.from_newick("((a,b),(c,d));")
    with refused("invalid-option", value):
        sweep({"a": 0, "b": 0, "c": 1, "d": 1}, tree, cuts)


def test_unsupported_options_of_trees_are_refused():
    tree = Hierarchy.from_newick("((a,b),c);")
    gold = {"a": 0, "b": 0, "c": 1}
    for options, code, value in (
        ({"cut": 0}, "invalid-option", "cut=0"),
        ({"cut": "dendrogram-purity"}, "invalid-option", "dendrogram-purity"),
        ({"missing": "unmatched", "extra": "unmatched"}, "conflicting-options", "--missing"),
        ({"measures": "dendrogram-purity", "cuts": "all"}, "conflicting-options", "purity"),
    ):
        with refused(code, value):
            score(gold, tree, **options)
    with refused("needs-tree", "cut=2"):
        score(gold, gold, cut=2)
    with refused("needs-tree"):
        sweep(gold, gold)
    with refused("needs-flat-labels"):
        score(tree, gold)
    for refuse in (
        lambda: score(gold, tree, cut=9),
        lambda: roget.contingency(gold, tree),
        lambda: roget.score_items(gold, tree),
        lambda: roget.agree({"tree": tree, "flat": gold}),
    ):
        with pytest.raises(InputError):
            refuse()


def test_weighted_gold_has_no_dendrogram_purity():
    tree = Hierarchy.from_newick("((a,b),(c,d));")
    gold = {"a": 0, "b": 0, "c": {0: 1, 1: 3}, "d": 1}
    found = score(gold, tree, "v,dendrogram-purity", "ml")
    assert "best-v@jk" in found.signature
    assert found["v"] > 0
    with pytest.raises(Undefined):
        assert found["dendrogram-purity"]


LEVELS = ["a/x", "a/x", "a/y", "b/z", "b/z", "b"]


class TestLevels:
    def test_every_level_is_scored(self):
        system = ["1/1", "1/1", "1/2", "2/1", "2/1", "2/1"]
        found = score(LEVELS, system, "v", "ml", levels="/")
        levels = {row.level: row.value for row in found.rows if row.measure == "v"}
        tops, whole = [one[0] for one in LEVELS], [one[0] for one in system]
        assert levels["1"] == score(tops, whole, "v", "ml")["v"] == 1.0
        assert levels["2"] == score(LEVELS, system, "v", "ml")["v"] < 1.0
        assert levels["mean"] == pytest.approx((levels["1"] + levels["2"]) / 2)
        assert "levels:2x2" in found.signature

    def test_flat_labels_are_scored_against_levels(self):
        system = [1, 1, 1, 2, 2, 2]
        found = score(LEVELS, system, "ari", levels="/")
        assert {row.level for row in found.rows} == {"1", "2", "mean"}
        assert found.rows[0].value == 1.0
        back = score(system, LEVELS, levels="/")
        assert {row.level for row in back.rows} == {"1", "2", "mean", "tree"}
        tree = [row for row in back.rows if row.level == "tree"]
        assert [(row.measure, row.value) for row in tree] == [("dendrogram-purity", 1.0)]

    def test_slashes_are_not_levels_by_default(self):
        assert score(LEVELS, LEVELS, "ari").rows[0].level is None

    def test_lists_in_memory_and_json_are_levels(self, tmp_path):
        lists = [one.split("/") for one in LEVELS]
        system = [1, 1, 1, 2, 2, 2]
        found = score(lists, system, "ari", levels="lists")
        assert [row.value for row in found.rows] == [
            row.value for row in score(LEVELS, system, "ari", levels="/").rows
        ]
        gold, other = tmp_path / "gold.jsonl", tmp_path / "system.tsv"
        gold.write_text(
            "".join(
                json.dumps({"item": f"d{i}", "label": one}) + "\n" for i, one in enumerate(lists)
            )
        )
        other.write_text("".join(f"d{i}\t{k}\n" for i, k in enumerate(system)))
        again = score(gold, other, "ari", levels="lists")
        assert [row.value for row in again.rows] == [row.value for row in found.rows]
        (tmp_path / "gold.json").write_text(json.dumps(lists))
        (tmp_path / "lines.txt").write_text("".join(f"{k}\n" for k in system))
        last = score(tmp_path / "gold.json", tmp_path / "lines.txt", "ari", levels="lists")
        assert [row.value for row in last.rows] == [row.value for row in found.rows]

    def test_several_columns_are_levels(self, tmp_path):
        gold, system = tmp_path / "gold.csv", tmp_path / "system.csv"
        gold.write_text("id,coarse,fine\nd1,a,x\nd2,a,x\nd3,a,y\nd4,b,z\n")
        system.write_text("id,label\nd1,1\nd2,1\nd3,1\nd4,2\n")
        columns = {"gold.label": "coarse+fine"}
        found = score(gold, system, "ari", columns=columns)
        assert [row.level for row in found.rows] == ["1", "2", "mean"]
        assert found.rows[0].value == 1.0
        with pytest.raises(InputError, match="'rough'"):
            score(gold, system, "ari", columns={"gold.label": "rough+fine"})

    def test_gold_levels_are_scored_against_a_tree(self):
        tree = Hierarchy.from_newick("(((a,b),c),((d,e),f));")
        gold = dict(zip("abcdef", (one.split("/") for one in LEVELS), strict=True))
        found = score(gold, tree, levels="lists")
        purity = {row.level: row.value for row in found.rows if row.measure == "dendrogram-purity"}
        assert purity == {"1": 1.0, "2": 1.0, "mean": 1.0}
        assert "cut:2(best-ami)+4(best-ami)" in found.signature

    def test_different_numbers_of_levels_are_scored_in_all_pairs(self):
        three = ["1/1/1", "1/1/1", "1/2/1", "2/1/1", "2/1/2", "2/1/2"]
        found = score(LEVELS, three, "ari", levels="/")
        assert [row.level for row in found.rows] == ["1×1", "1×2", "1×3", "2×1", "2×2", "2×3"]

    def test_invalid_levels_are_refused(self):
        with pytest.raises(InputError):
            score(["a//b", "c/d"], [1, 2], levels="/")
        with pytest.raises(InputError):
            score([["a"], "b"], [1, 2], levels="lists")
        with refused("conflicting-options", "cuts"):
            score(LEVELS, [1] * 6, levels="/", cuts="all")


def test_examples_of_structures_page_run():
    import doctest

    page = Path(__file__).parents[3] / "docs" / "structures.md"
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted > 5
    assert results.failed == 0


def walk(gold, tree, alpha=0.9, r=1.0, **rules):
    name = f"element-centric(alpha={alpha}, r={r})"
    return score(gold, tree, name, cut=1, baselines=False, **rules).rows[0].value


@given(
    case=trees(),
    alpha=st.sampled_from([0.1, 0.5, 0.9, 0.99]),
    r=st.sampled_from([-8.0, -1.0, 0.0, 1.0, 2.5, 20.0]),
)
def test_tree_walks_equal_walks_over_all_nodes(case, alpha, r):
    tree, gold = case
    nodes = memberships(tree.tree.parent.tolist(), tree.tree.cluster_nodes[tree.codes].tolist(), r)
    expected = element_centric([{label: 1.0} for label in gold], nodes, alpha)
    assert walk(gold, tree, alpha, r) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("case", WALKS["cases"], ids=range(len(WALKS["cases"])))
def test_element_centric_of_trees_equals_clusim(case):
    if "merges" in case:
        tree = Hierarchy.from_linkage(np.array(case["merges"]))
    else:
        tree = grow(case["parent"], case["at"])
    for name, value in case["values"].items():
        assert roget.measure(name, case["gold"], tree, cut=1) == pytest.approx(value, abs=1e-10)


@given(case=trees(), cut=st.integers(1, 5))
def test_element_centric_of_a_tree_ignores_the_cut(case, cut):
    tree, gold = case
    cut = min(cut, tree.n_leaves)
    found = score(gold, tree, "element-centric", cut=cut, cuts=str(cut), baselines=False)
    assert found.rows[0].value == walk(gold, tree)
    assert "elements:tree" in found.signature
    # A sweep has that of the cut, which is flat.
    k = tree.nearest_cut(cut)
    flat = roget.measure("element-centric", gold, tree.cut(k))
    assert found.sweep["element-centric"].values[0] == pytest.approx(flat, abs=1e-12)


@given(case=trees())
def test_extreme_r_restricts_walks_to_leaves_or_root(case):
    tree, gold = case
    leaves = roget.measure("element-centric", gold, tree.codes)
    whole = roget.measure("element-centric", gold, [0] * len(gold))
    one = tree.tree.n_nodes == 1
    assert walk(gold, tree, r=1e6) == pytest.approx(leaves, abs=1e-9)
    assert walk(gold, tree, r=-1e6) == pytest.approx(leaves if one else whole, abs=1e-9)


def test_single_node_tree_equals_flat_clustering():
    gold = [0, 0, 1, 2, 2, 2]
    tree = Hierarchy(Tree(), np.zeros(6, np.int64))
    for r in (-1e3, 0.0, 1.0, 1e3):
        flat = roget.measure(f"element-centric(r={r})", gold, [0] * 6)
        assert walk(gold, tree, r=r) == pytest.approx(flat, abs=1e-15)
        assert walk([0] * 6, tree, r=r) == 1.0
    for r in ("inf", "nan"):
        with pytest.raises(InputError):
            roget.measure(f"element-centric(r={r})", gold, gold)


def test_walks_handle_trillions_of_items_and_deep_trees():
    small = np.array([[6, 1, 0], [1, 5, 2], [0, 1, 4]])
    rows, columns = np.nonzero(small)
    tree = grow([0, 0, 1, 1], [2, 3, 4])
    one, huge = (
        TreeElements(
            Leaves(Contingency.from_cells(rows, columns, small[rows, columns] * times), tree.tree)
        )
        for times in (1, 10**11)
    )
    assert huge.mean(0.9) == pytest.approx(one.mean(0.9), abs=1e-12)
    deep = Hierarchy.from_children([[0, 1], *([i + 2, 3000 + i] for i in range(2998))])
    gold = np.arange(3000) // 2
    assert 0 < walk(gold.tolist(), deep) < 1


def test_element_centric_supports_groups_and_resamples():
    tree = Hierarchy.from_newick("((a,b),((c,d),(e,f)));")
    gold = np.array([0, 0, 1, 0, 1, 1])
    halves = np.array([0, 1, 0, 1, 0, 0])
    rows, columns = halves * 2 + gold, halves * 6 + tree.codes
    order = np.lexsort((columns, rows))
    both = Contingency.from_cells(rows[order], columns[order]).by_group(2)
    found = TreeElements(Leaves(both, tree.tree)).mean(0.9)
    for half, value in enumerate(found.tolist()):
        kept = order[halves[order] == half]
        one = Contingency.from_cells(gold[kept], tree.codes[kept])
        assert value == pytest.approx(TreeElements(Leaves(one, tree.tree)).mean(0.9), abs=1e-14)
    named = dict(zip("abcdef", gold.tolist(), strict=True))
    drawn = score(named, tree, "element-centric", cut=2, ci=40).rows[0]
    assert 0 <= drawn.low < drawn.value < drawn.high <= 1


def test_levels_and_tree_have_separate_element_centric_scores():
    found = score([0, 0, 1, 1], ["a/x", "a/y", "b/z", "b/z"], "element-centric", levels="/")
    values = {row.level: row.value for row in found.rows}
    assert list(values) == ["1", "2", "tree", "mean"]
    assert values["1"] == 1.0
    assert values["2"] == 0.75
    assert values["tree"] < 1


def test_element_centric_of_trees_reports_unsupported_input(monkeypatch):
    tree = Hierarchy.from_newick("((a,b),(c,d));")
    weighted = {"a": {1: 0.5, 2: 0.5}, "b": {1: 1.0}, "c": {2: 1.0}, "d": {2: 1.0}}
    cover = {item: list(held) for item, held in weighted.items()}
    for gold, rules in ((weighted, {}), (cover, {"several": "cover"})):
        found = score(gold, tree, "element-centric", cut=2, **rules)
        assert found.rows[0].value is None
        assert found.rows[0].reason
    monkeypatch.setattr("roget.scoring.tables.random_walk.MAX_PAIRS", 1)
    found = score(dict.fromkeys("abcd", 0), tree, "element-centric,ari", cut=2)
    assert found.rows[0].value is None
    assert "6" in found.rows[0].reason
    assert found["ari"] == 0.0


def test_range_of_cuts_ends_at_number_of_leaves():
    tree = Hierarchy.from_newick("((a,b),c);")
    found = sweep({"a": 0, "b": 0, "c": 1}, tree, cuts="1..1000000000000", measures="ari")
    assert found.cuts == (1, 2, 3)
    notice(found.warnings, "nearest-cut", "3 leaves")
    with refused("invalid-option", "3 leaves"):
        sweep({"a": 0, "b": 0, "c": 1}, tree, cuts="5..1000000000000", measures="ari")


def test_undefined_mean_names_the_level():
    gold = {"a": "x/1", "b": "x/1", "c": "x/2", "d": "x/2"}
    found = score(gold, dict(zip("abcd", [1, 1, 2, 2], strict=True)), "gamma", levels="/")
    assert found.rows[-1].level == "mean"
    assert found.rows[-1].reason.endswith("(at level 1)")
