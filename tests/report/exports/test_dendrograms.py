"""Newick and linkage exports have the thesaurus's cuts and are read back."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy.cluster import hierarchy

from roget import Counts, InputError
from roget.core.tree import Tree
from roget.learn.taxonomy import read
from roget.learn.thesaurus import Thesaurus
from roget.report.exports import export
from roget.report.options import ReportOptions
from roget.scoring.labels.hierarchy import Hierarchy


def made(clusters, seed, into=2, words=3):
    """Every class has words; its splits are in an order that depths do not tell."""
    chance = np.random.default_rng(seed)
    tree = Tree()
    while tree.n_clusters < clusters:
        tree = tree.split(int(chance.integers(tree.n_clusters)), 1.0, into)
    n = tree.n_clusters * words
    counts = Counts(chance.integers(1, 9, (n, 5)), [f"w'{row}" for row in range(n)])
    belongs = np.eye(tree.n_clusters)[chance.permutation(n) % tree.n_clusters]
    k = tree.n_clusters
    return Thesaurus.from_parts(
        counts, tree, belongs, chance.dirichlet(np.ones(5), k), np.full(k, 1 / k)
    )


def same(one, other):
    """Whether two labellings put the same together."""
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len(set(one)) == len(set(other))


CASES = [(made, (9, 0)), (made, (12, 1)), (made, (10, 2, 4)), (made, (1, 0))]


@pytest.mark.parametrize(("make", "how"), CASES)
def test_newick_has_the_cuts_of_the_thesaurus(make, how):
    thesaurus = make(*how)
    out = io.StringIO()
    export(thesaurus, out, "newick")
    tree = Hierarchy.from_newick(out.getvalue())
    order = [tree.items.index(word) for word in thesaurus.words]
    for _, k in thesaurus.tree.splits:
        assert same(tree.cut(k)[order].tolist(), thesaurus.cut(k).tolist()), k


def test_all_words_have_the_same_distance_from_the_root():
    dendropy = pytest.importorskip("dendropy")
    thesaurus = made(9, 3)
    out = io.StringIO()
    export(thesaurus, out, "newick")
    tree = dendropy.Tree.get(data=out.getvalue(), schema="newick")
    far = {round(leaf.distance_from_root()) for leaf in tree.leaf_node_iter()}
    assert far == {9}, "eight splits, and the words of the last class"
    assert all(edge.length is None or edge.length > 0 for edge in tree.preorder_edge_iter())


@pytest.mark.parametrize(("make", "how"), CASES)
def test_exported_linkage_is_valid_in_scipy_and_read_back(make, how, tmp_path):
    thesaurus = make(*how)
    file = tmp_path / "t.npz"
    export(thesaurus, file)
    with np.load(file, allow_pickle=False) as held:
        merges, words = held["Z"], held["words"]
    assert hierarchy.is_valid_linkage(merges, throw=True)
    assert hierarchy.is_monotonic(merges)
    assert words.tolist() == thesaurus.words.tolist()
    for _, k in thesaurus.tree.splits:
        found = hierarchy.fcluster(merges, len(thesaurus.tree.splits) + 1 - _rank(thesaurus, k),
                                   "distance")  # fmt: skip
        assert same(found.tolist(), thesaurus.cut(k).tolist())
    hierarchy.dendrogram(merges, labels=words, no_plot=True)
    back = read(file)
    assert set(back.words) == set(thesaurus.words)
    order = [back.rows[word] for word in thesaurus.words]
    for _, k in thesaurus.tree.splits:
        assert same(back.cut(k)[order].tolist(), thesaurus.cut(k).tolist())
    assert back.label(0) == thesaurus.label(0)


def _rank(thesaurus, k):
    return [made for _, made in thesaurus.tree.splits].index(k) + 1


def test_scipy_linkage_is_read_as_thesaurus(tmp_path):
    points = np.random.default_rng(0).normal(size=(12, 2))
    merges = hierarchy.linkage(points, "average")
    words = [f"w{n}" for n in range(12)]
    np.savez(tmp_path / "z.npz", Z=merges, words=np.array(words))
    found = read(tmp_path / "z.npz")
    naive = hierarchy.to_tree(merges)
    leaves = {frozenset(naive.left.pre_order()), frozenset(naive.right.pre_order())}
    cut = {
        frozenset(int(str(found.words[row])[1:]) for row in found.inside(node))
        for node in found.tree.children(0)
    }
    assert cut == leaves


@pytest.mark.parametrize(
    "arrays",
    [
        {"Z": [[0, 1, 1.0, 2]]},
        {"Z": [[0, 1, 1.0, 2]], "words": ["a"]},
        {"Z": [[0, 0, 1.0, 2]], "words": ["a", "b"]},
        {"Z": [[0, 1, -1.0, 2]], "words": ["a", "b"]},
        {"Z": [[0, 1, 1.0, 2]], "words": ["a", "a"]},
        {"Z": [0, 1], "words": ["a", "b"]},
        {"Z": np.array([[0, "x"]], dtype=object), "words": ["a", "b"]},
    ],
)
def test_invalid_linkages_are_refused(tmp_path, arrays):
    file = tmp_path / "z.npz"
    np.savez(file, allow_pickle=True, **{name: np.array(held) for name, held in arrays.items()})
    with pytest.raises(InputError, match=r"z\.npz"):
        read(file)


def test_own_skos_export_keeps_the_order_of_splits(tmp_path):
    pytest.importorskip("rdflib")
    thesaurus = made(12, 4)
    export(thesaurus, tmp_path / "t.ttl", options=ReportOptions(language="en"))
    back = read(tmp_path / "t.ttl")
    order = [back.rows[word] for word in thesaurus.words]
    for k in range(2, 13):
        assert same(back.cut(k)[order].tolist(), thesaurus.cut(k).tolist())
