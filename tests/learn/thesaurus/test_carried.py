"""Places of words after edits against naive code."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import Counts, InputError
from roget.learn.thesaurus import Thesaurus
from roget.report.exports.base import members
from thesauri import random_thesaurus


@st.composite
def carried(draw):
    """A thesaurus with a word wholly in each cluster, some edits, and where words should be.

    The words that are wholly in a cluster, and are never moved, tell by their memberships alone
    what became of it. So the places of words are kept as clusters of the thesaurus at first,
    together with which of those have become one.
    """
    t = draw(st.builds(random_thesaurus, st.integers(0, 10**6), st.integers(2, 9), st.just(4),
                       st.integers(2, 7)))  # fmt: skip
    k, n = t.tree.n_clusters, len(t)
    counts = Counts(np.vstack([t.counts.matrix.toarray(), np.ones((k, 4), dtype=np.int64)]),
                    [*t.words, *(f"c{c}" for c in range(k))], t.contexts)  # fmt: skip
    belongs = np.vstack([t.memberships.toarray(), np.eye(k)])
    t = Thesaurus.from_parts(counts, t.tree, belongs, t.centroids, t.mass, provenance={"beta": 2.0})
    where = {f"w{row}": int(t.tree.cluster[descended(t, row, 0)]) for row in range(n)}
    one_with = {c: {c} for c in range(k)}
    for kind in draw(st.lists(st.sampled_from(["rename", "move", "merge", "merge"]), max_size=7)):
        node, into = (draw(st.integers(0, t.tree.n_nodes - 1)) for _ in range(2))
        if kind == "rename":
            t = t.editor.rename(node, "a name")
        elif kind == "move":
            row = draw(st.integers(0, n - 1))
            t = t.editor.move(f"w{row}", node)
            if where[f"w{row}"] not in clusters_of(t, node):
                where[f"w{row}"] = min(clusters_of(t, descended(t, row, node)))
        else:
            both, is_leaf = clusters_of(t, node) | clusters_of(t, into), not t.tree.children(into)
            try:
                t = t.editor.merge(node, into)
            except InputError:
                continue
            if is_leaf:
                one_with |= dict.fromkeys(both, both)
    return t, where, one_with


def descended(t, row, node):
    """From a node, at every split, to the side to which a word belongs more."""
    while below := t.tree.children(node):
        node = max(below, key=lambda child: sum(
            t.memberships.toarray()[row, t.tree.cluster[leaf]] for leaf in t.tree.leaves(child)
        ))  # fmt: skip
    return node


def clusters_of(t, node):
    """The clusters of the thesaurus before all edits that are in a node now."""
    inside = {int(t.tree.cluster[leaf]) for leaf in t.tree.leaves(node)}
    table = t.memberships.toarray()
    return {int(str(word)[1:]) for row, word in enumerate(t.words)
            if str(word)[0] == "c" and int(table[row].argmax()) in inside}  # fmt: skip


@settings(max_examples=10)
@given(carried(), st.booleans())
def test_words_stay_with_their_classes_after_any_merge(tmp_path_factory, made, saved):
    t, where, one_with = made
    if saved:
        folder = tmp_path_factory.mktemp("carried") / "t"
        t.save(folder)
        t = Thesaurus.load(folder)
    leaves = {word: t.path(word)[-1] for word in where}
    for word, leaf in leaves.items():
        assert clusters_of(t, leaf) == one_with[where[word]]
    for c in one_with:
        assert clusters_of(t, t.path(f"c{c}")[-1]) == one_with[c]
    # Everything else says the same.
    labels, nodes = t.cut(), t.nodes()
    tops = t.nodes(depth=1)
    for row, word in enumerate(t.words):
        leaf = int(t.places[row])
        assert nodes[labels[row]] == leaf
        assert row in t.inside(tops[t.cut(depth=1)[row]])
        for node in range(t.tree.n_nodes):
            assert (row in t.inside(node)) == (node in t.path(word))
    for one in t.classes():
        assert one.size == t.inside(one.node).size == (t.places == one.node).sum()
    assert t.index.places.sizes.tolist() == [t.inside(node).size for node in range(t.tree.n_nodes)]
    placed = {one.word: node for node, some in members(t).items() for one in some if one.placed}
    assert placed == {str(word): int(t.places[row]) for row, word in enumerate(t.words)}


def parted(t):
    """The words of each leaf that has any."""
    leaves = {int(leaf): [] for leaf in t.places}
    for word, leaf in zip(t.words.tolist(), t.places.tolist(), strict=True):
        leaves[leaf].append(word)
    return sorted(leaves.values())


@pytest.mark.parametrize("seed", range(4))
def test_merge_moves_exactly_the_words_of_the_merged_class(seed):
    t = random_thesaurus(seed, words=40, clusters=5)
    for node, into in itertools.product(range(t.tree.n_nodes), repeat=2):
        try:
            new = t.editor.merge(node, into)
        except InputError:
            continue
        parts = parted(t)
        if not t.tree.children(into):
            both = sorted(str(t.words[row]) for row in {*t.inside(node), *t.inside(into)})
            rest = [part for part in parts if not {*part} & {*both}]
            parts = sorted([*rest, sorted(both, key=t.words.tolist().index)])
        assert parted(new) == [part for part in parts if part]
        assert new.editor.undo().places.tolist() == t.places.tolist()
        again, problems, _ = t.editor.replay(new.edits)
        assert problems or again.places.tolist() == new.places.tolist()
