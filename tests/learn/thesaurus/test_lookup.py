"""Lookup: classes of any node, neighbours, cuts, and evidence of words and classes."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import Counts, InputError
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus, lookup, quality
from support.errors import refused
from thesauri import THESAURI, random_thesaurus


def clusters_below(tree, node):
    return [
        int(tree.cluster[leaf])
        for leaf in range(tree.n_nodes)
        if tree.cluster[leaf] >= 0 and node in tree.path(leaf)
    ]


def naive_kl(p, q):
    return sum(
        float(a) * (math.log(a) - math.log(b)) if b > 0 else math.inf
        for a, b in zip(p, q, strict=True)
        if a > 0
    )


def naive_centroid(t, node):
    below = clusters_below(t.tree, node)
    total = sum(t.mass[c] for c in below)
    return [
        sum(t.mass[c] * t.centroids[c][v] for c in below) / total for v in range(t.contexts.size)
    ]


def naive_place(t, row):
    node = 0
    while t.tree.children(node):
        node = max(
            t.tree.children(node),
            key=lambda child: sum(t.memberships[row, c] for c in clusters_below(t.tree, child)),
        )
    return node


@settings(max_examples=15)
@given(THESAURI)
def test_classes_equal_their_definition(t):
    places = [naive_place(t, row) for row in range(len(t))]
    assert t.places.tolist() == places
    rows = t.counts.matrix.toarray() / t.counts.word_totals[:, None]
    for node in range(t.tree.n_nodes):
        one = t.word_class(node, n=3)
        below = clusters_below(t.tree, node)
        centroid = naive_centroid(t, node)
        assert lookup.centroid(t, node) == pytest.approx(centroid)
        assert one.mass == pytest.approx(sum(t.mass[c] for c in below))
        inside = [row for row, place in enumerate(places) if node in t.tree.path(place)]
        assert one.size == len(inside)
        distances = sorted(naive_kl(rows[r], centroid) for r in inside or range(len(t)))
        assert [word.distance for word in one.words] == pytest.approx(distances[:3])
        for word in one.words:
            row = t.counts.word_id(word.word)
            assert word.distance == pytest.approx(naive_kl(rows[row], centroid))
            assert word.probability == pytest.approx(sum(t.memberships[row, c] for c in below))
            assert not inside or row in inside
        root = naive_centroid(t, 0)
        gains = sorted(
            (p * math.log(p / q) for p, q in zip(centroid, root, strict=True) if p), reverse=True
        )
        found = [context.probability * context.lift for context in one.contexts]
        assert found == pytest.approx(gains[:3], abs=1e-8)
        assert one.label == t.label(node)


@settings(max_examples=15)
@given(THESAURI)
def test_memberships_and_cuts_agree_with_the_tree(t):
    k = t.tree.n_clusters
    for row, word in enumerate(t.words):
        leaves = t.membership(word)
        assert sum(leaves.values()) == pytest.approx(1)
        assert list(leaves.values()) == sorted(leaves.values(), reverse=True)
        for node, p in leaves.items():
            assert p == pytest.approx(t.memberships[row, t.tree.cluster[node]])
        assert t.path(word)[0] == 0
        assert t.path(word)[-1] == t.places[row]
    for asked in range(1, k + 1):
        tops = t.classes(asked, 1)
        labels = t.cut(asked)
        assert sum(one.size for one in tops) == len(t)
        assert sum(one.mass for one in tops) == pytest.approx(1)
        for row, word in enumerate(t.words):
            assert tops[labels[row]].node in t.path(word), "a class and its number are the same"
            held = t.membership(word, asked)
            assert sum(held.values()) == pytest.approx(1)
            assert set(held) <= {one.node for one in tops}
    assert [one.node for one in t.classes(n=1)] == [t.tree.leaf(c) for c in range(k)]


def naive_tops(tree, kept, node=0):
    """The classes left when a node's split is made only if it or one below it is kept."""
    below = [n for n in range(tree.n_nodes) if node in tree.path(n)]
    if not any(kept(n) for n in below if tree.children(n)):
        return [node]
    return [top for child in tree.children(node) for top in naive_tops(tree, kept, child)]


@settings(max_examples=15)
@given(THESAURI, st.integers(0, 5), st.floats(0.5, 8))
def test_cuts_by_depth_and_value(t, depth, value):
    by_length = Thesaurus.from_parts(
        t.counts, t.tree, t.memberships, t.centroids, t.mass, provenance={"description_length": 9.0}
    )
    for found, given_cut, kept in (
        (t, {"depth": depth}, lambda n: t.tree.depth(n) < depth),
        (t, {"value": value}, lambda n: t.tree.value[n] <= value),
        (by_length, {"value": value}, lambda n: t.tree.value[n] >= value),
    ):
        nodes = found.nodes(**given_cut)
        assert sorted(nodes) == sorted(naive_tops(t.tree, kept))
        assert nodes == sorted(nodes, key=lambda n: min(clusters_below(t.tree, n)))
        labels = found.cut(**given_cut)
        assert all(nodes[labels[row]] in t.path(word) for row, word in enumerate(t.words))


@settings(max_examples=15)
@given(THESAURI)
def test_common_class_is_the_smallest(t):
    inside = {n: {w for w in t.words if n in t.path(w)} for n in range(t.tree.n_nodes)}
    for words in (["w0"], ["w0", "w1"], list(t.words)):
        node = t.common_class(*words)
        holding = [n for n in inside if set(words) <= inside[n]]
        assert node in holding
        assert t.tree.depth(node) == max(t.tree.depth(n) for n in holding)
    with refused("invalid-input"):
        t.common_class()


@settings(max_examples=15)
@given(THESAURI)
def test_evidence_equals_its_definition(t):
    own = t.counts.matrix.toarray() / t.counts.word_totals[:, None]
    root = naive_centroid(t, 0)

    def ranked(p):
        return sorted(
            (a * math.log(a / b) for a, b in zip(p, root, strict=True) if a), reverse=True
        )

    for found, p in (
        (t.evidence("w0", 4), own[0]),
        (lookup.shared_evidence(t, "w0", "w1", 4), np.minimum(own[0], own[1])),
    ):
        gains = [one.probability * one.lift for one in found]
        assert gains == pytest.approx(ranked(p)[:4], abs=1e-8)
        for one in found:
            assert one.probability == pytest.approx(p[t.counts.context_id(one.context)])


@settings(max_examples=15)
@given(THESAURI)
def test_information_equals_that_of_both_tables(t):
    def mutual(joint):
        joint = joint / joint.sum()
        return naive_kl(joint.ravel(), np.outer(joint.sum(axis=1), joint.sum(axis=0)).ravel())

    classes, words = quality.information(t)
    assert classes == pytest.approx(mutual(t.mass[:, None] * t.centroids), abs=1e-9)
    assert words == pytest.approx(mutual(t.counts.matrix.toarray()), abs=1e-9)


def test_zero_centroids_have_infinite_distance():
    counts = Counts([[3, 0], [0, 2], [0, 0]], ["a", "b", "never"])
    belongs = np.eye(3)[:, [0, 1]] + [[0, 0], [0, 0], [1, 0]]
    t = Thesaurus.from_parts(counts, Tree().split(0, 2.0), belongs, np.eye(2), [0.6, 0.4])
    assert [(one.word, one.distance) for one in lookup.nearest_words(t, 1, 3)] == [
        ("a", 0.0), ("b", math.inf), ("never", math.inf)]  # fmt: skip
    assert t.word_class(2).label == "b"
    near = [one.word for one in t.neighbours("never")]
    assert near == ["a", "b"], "a word never seen has its classes"
    assert [one.word for one in t.neighbours("a", by="counts")] == ["b"]
    with refused("too-little-text"):
        t.neighbours("never", by="counts")
    assert repr(t) == "Thesaurus: 3 words in 2 classes, 2 contexts"


def test_class_without_words_is_named_by_its_contexts():
    counts = Counts([[3, 1], [2, 2]], ["a", "b"], ["eat", "drink"])
    t = Thesaurus.from_parts(
        counts, Tree().split(0, 2.0), [[0.9, 0.1]] * 2, [[0.6, 0.4], [0.1, 0.9]], [0.9, 0.1]
    )
    assert t.word_class(2).size == 0
    assert t.word_class(2).label == "(drink, eat)"


def test_invalid_lookups_are_refused():
    t = random_thesaurus(0)
    with refused("unknown-name", "w99"):
        t.neighbours("w99")
    with refused("invalid-option", "5", "1", "4"):
        t.classes(5)
    with refused("conflicting-options"):
        t.cut(2, depth=1)
    with refused("invalid-option", "depth -1"):
        t.cut(depth=-1)
    with refused("unknown-name", "class"):
        t.neighbours("w1", by="class")
    unsplit = Tree(t.tree.parent, np.full(7, math.nan), t.tree.cluster)
    with refused("invalid-option"):
        Thesaurus.from_parts(t.counts, unsplit, t.memberships, t.centroids, t.mass).cut(value=2)
    with refused("unknown-name", "node 9"):
        Thesaurus.from_parts(t.counts, t.tree, t.memberships, t.centroids, t.mass, labels={9: "x"})
    with refused("invalid-input", "node 1"):
        Thesaurus.from_parts(t.counts, t.tree, t.memberships, t.centroids, t.mass, labels={1: " "})
    with refused("unknown-name", "node 7"):
        t.word_class(7)
    with refused("invalid-option", "0"):
        t.neighbours("w1", 0)
    parts = (t.counts, t.tree, t.memberships, t.centroids, t.mass)
    for place, wrong, name in (
        (2, t.memberships[:3], "memberships"),
        (2, t.memberships * 0.5, "0.5"),
        (3, t.centroids * -1, "centroids"),
        (3, t.centroids[:, :2], "centroids"),
        (4, t.mass * math.nan, "mass"),
    ):
        with pytest.raises(InputError, match=name):
            Thesaurus.from_parts(*parts[:place], wrong, *parts[place + 1 :])
    with refused("not-fitted"):
        Thesaurus.from_clustering(t.counts, SimpleNamespace())
