"""Merging equals explicit reconstruction of trees as nested sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roget import Counts, InputError
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus, lookup


@st.composite
def trees(draw):
    """Any tree, with splits in two to four, and a few nodes with one child only."""
    tree = Tree()
    for number in range(draw(st.integers(1, 6))):
        cluster = draw(st.integers(0, tree.n_clusters - 1))
        into = draw(st.sampled_from([2, 2, 2, 3, 4, 1]))
        tree = tree.split(cluster, 1.0 + number, into)
    return tree


def one_word_each(tree, seed=0):
    """A thesaurus with one word in each cluster, so that a word tells what became of it."""
    random, k = np.random.default_rng(seed), tree.n_clusters
    counts = Counts(np.eye(k, dtype=np.int64), [f"w{n}" for n in range(k)])
    mass = random.dirichlet(np.ones(k))
    return Thesaurus.from_parts(counts, tree, np.eye(k), random.dirichlet(np.ones(k), k), mass)


def nested(tree):
    """The tree as {node: [children]}."""
    return {node: list(tree.children(node)) for node in range(tree.n_nodes)}


def merged_by_hand(tree, node, into):
    """What a merge should give, as (value, set of parts); a leaf is the set of its clusters."""
    below = nested(tree)
    leaves = {n: {int(tree.cluster[n])} for n in below if not below[n]}
    above = int(tree.parent[node])
    below[above].remove(node)
    if not below[into] and into in leaves:
        leaves[into] |= {int(tree.cluster[leaf]) for leaf in tree.leaves(node)}
    else:
        below[into] += below[node] or [node]

    def form(n):
        if n in leaves:
            return frozenset(leaves[n])
        parts = [part for child in below[n] if (part := form(child)) is not None]
        if not parts:
            return None  # nothing is left of it
        if len(parts) == 1 and n in gap:
            return parts[0]
        return (float(tree.value[n]), frozenset(parts))

    # Only where the class was taken away do single children move up: the next node above that
    # still has any.
    gap, here = set(), above
    while here != into and not any(form(child) is not None for child in below[here]):
        here = int(tree.parent[here])
    if here != into:
        gap.add(here)
    return form(0)


def form_of(thesaurus, node=0):
    """A thesaurus of `one_word_each`, after edits, in the same form."""
    below = thesaurus.tree.children(node)
    if not below:
        cluster = int(thesaurus.tree.cluster[node])
        return frozenset(np.flatnonzero(thesaurus.memberships.toarray()[:, cluster]).tolist())
    value = float(thesaurus.tree.value[node])
    return (value, frozenset(form_of(thesaurus, child) for child in below))


@given(trees(), st.data())
def test_merge_equals_explicit_construction(tree, data):
    assume(tree.n_clusters > 1)
    node, into = (data.draw(st.integers(0, tree.n_nodes - 1)) for _ in range(2))
    t = one_word_each(tree)
    if node in tree.path(into) or (into == tree.parent[node] and not tree.children(node)):
        with pytest.raises(InputError, match="node"):
            t.editor.merge(node, into)
        return
    new = t.editor.merge(node, into)
    assert form_of(new) == merged_by_hand(tree, node, into)
    assert math.fsum(new.mass) == pytest.approx(1)
    for cluster in range(new.tree.n_clusters):
        held = np.flatnonzero(new.memberships.toarray()[:, cluster]).tolist()
        mass = sum(t.mass[c] for c in held)
        assert new.mass[cluster] == pytest.approx(mass)
        for v in range(tree.n_clusters):
            mean = sum(t.mass[c] * t.centroids[c, v] for c in held) / mass
            assert new.centroids[cluster, v] == pytest.approx(mean)
    assert lookup.centroid(new, 0) == pytest.approx(lookup.centroid(t, 0)), (
        "the average of all stays"
    )
    assert t.tree == tree, "nothing is changed in place"


def test_merge_keeps_the_order_of_splits():
    tree = Tree().split(0, 1.0).split(0, 2.0).split(1, 3.0).split(2, 4.0)
    t = one_word_each(tree)
    leaf = {n: t.path(f"w{n}")[-1] for n in range(5)}
    new = t.editor.merge(leaf[3], leaf[1])  # what the third split had parted
    assert new.cut(2).tolist() == t.cut(2).tolist()
    assert new.cut(3).tolist() == t.cut(3).tolist()
    assert new.tree.value[~np.isnan(new.tree.value)].tolist() == [1.0, 2.0, 4.0]


def test_merge_keeps_labels_of_classes():
    tree = Tree().split(0, 1.0).split(0, 2.0).split(1, 3.0)
    t = one_word_each(tree)
    drinks, arms = t.common_class("w0", "w2"), t.common_class("w1", "w3")
    named = (
        t.editor.rename(drinks, "drinks")
        .editor.rename(arms, "arms")
        .editor.rename(t.path("w3")[-1], "guns")
    )
    new = named.editor.merge(named.path("w2")[-1], named.path("w0")[-1])
    assert new.label(new.path("w0")[-1]) == "drinks", "the only one left takes the name above"
    assert new.label(new.common_class("w1", "w3")) == "arms"
    assert new.label(new.path("w3")[-1]) == "guns"
    again = new.editor.merge(new.path("w1")[-1], new.path("w3")[-1])
    assert again.label(again.path("w1")[-1]) == "guns", "its own name goes before the one above"
    assert sorted(again.labels.values()) == ["drinks", "guns"]
