"""Binary trees are collapsed to the requested levels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.lookup import list_path
from roget.learn.thesaurus.thesaurus import collapse
from support.errors import refused


def grown(clusters, seed, into=2):
    chance = np.random.default_rng(seed)
    tree = Tree()
    while tree.n_clusters < clusters:
        tree = tree.split(int(chance.integers(tree.n_clusters)), float(tree.n_clusters), into)
    return tree


def of_tree(tree, seed=0):
    chance = np.random.default_rng(seed)
    k = tree.n_clusters
    counts = Counts(chance.integers(1, 9, (3 * k, 5)), [f"w{n}" for n in range(3 * k)])
    belongs = chance.dirichlet(np.full(k, 0.1), 3 * k)
    return Thesaurus.from_parts(
        counts, tree, belongs, chance.dirichlet(np.ones(5), k), np.full(k, 1 / k)
    )


@settings(max_examples=10, deadline=None)
@given(st.integers(6, 12), st.integers(0, 99), st.lists(st.integers(2, 6), min_size=1, max_size=3))
def test_levels_are_nested_cuts(clusters, seed, levels):
    thesaurus = of_tree(grown(clusters, seed), seed)
    fewer = collapse(thesaurus, levels)
    assert fewer.tree.n_clusters == max(levels)
    for k in levels:
        assert (fewer.cut(k) == thesaurus.cut(k)).all()
    finest = thesaurus.tree.tops(max(levels))
    for row in range(len(thesaurus)):
        whole = thesaurus.memberships[[row]].toarray().ravel()
        naive = [whole[thesaurus.tree.cluster[thesaurus.tree.leaves(n)]].sum() for n in finest]
        assert np.allclose(fewer.memberships[[row]].toarray().ravel(), naive)
    # What is called something is called so still.
    kept = sorted({0, *(node for k in levels for node in thesaurus.tree.tops(k))})
    assert [fewer.label(n) for n in range(fewer.tree.n_nodes)] == list(map(thesaurus.label, kept))
    assert fewer.mass.sum() == pytest.approx(1)
    assert fewer.ids.tolist() == thesaurus.ids[kept].tolist()


def test_paths_skip_classes_between_levels():
    thesaurus = of_tree(grown(40, 0)).replace(provenance={"levels": [4, 16]})
    tree = thesaurus.tree
    shown = {0, *tree.leaves().tolist(), *tree.tops(4), *tree.tops(16)}
    plain = thesaurus.replace(provenance={})
    for node in range(tree.n_nodes):
        whole = list(tree.path(node))
        naive = [one for one in whole if one in shown or one == node]
        assert (list_path(thesaurus, node), list_path(plain, node)) == (naive, whole)
    assert len(naive) < len(whole)


def test_collapse_makes_a_tree_of_levels():
    thesaurus = of_tree(grown(40, 0))
    tree = collapse(thesaurus, (4, 16)).tree
    assert len(tree.children(0)) == 4
    assert max(tree.depth(node) for node in range(tree.n_nodes)) == 2
    assert tree.n_clusters == 16


def test_classes_of_few_classes_are_dissolved():
    #      0 > (1 > (3 > (5, 6)), 2 > 4): a chain, as taxonomies have them
    tree = Tree([-1, 0, 0, 1, 2, 3, 3], [np.nan] * 7, [-1, -1, -1, -1, 2, 0, 1])
    thesaurus = of_tree(tree)
    fewer = collapse(thesaurus, min_children=2)
    assert fewer.tree.parent.tolist() == [-1, 0, 0, 1, 1]
    assert [fewer.label(n) for n in range(5)] == [thesaurus.label(n) for n in (0, 3, 4, 5, 6)]
    assert (fewer.memberships.toarray() == thesaurus.memberships.toarray()).all()
    assert collapse(thesaurus, min_children=3).tree.parent.tolist() == [-1, 0, 0, 0]
    assert collapse(thesaurus) is thesaurus


def test_collapse_keeps_ids_and_notes():
    thesaurus = of_tree(grown(12, 0)).editor.merge(3, 4)
    top = thesaurus.tree.tops(3)[1]
    written = thesaurus.editor.note(top, "what it is", "definition").editor.note("w3", "rare")
    fewer = collapse(written, (3, 6))
    assert fewer.notes[fewer.node(int(written.ids[top]))].definition == "what it is"
    assert fewer.notes["w3"].note == "rare"
    assert fewer.next_id == written.next_id
    assert len(collapse(written.editor.note(top, "", "definition"), (3,)).notes) == 1


def test_invalid_levels_are_refused():
    with refused("invalid-option", "7", "1", "6"):
        collapse(of_tree(grown(6, 0)), (2, 7))


def test_keep_refuses_nodes_that_leave_words_unassigned():
    with refused("not-a-tree"):
        grown(6, 0).keep([1])


def test_collapse_keeps_classes_that_a_user_has_edited():
    thesaurus = of_tree(grown(12, 3))
    for node in range(1, thesaurus.tree.n_nodes):
        named = thesaurus.editor.rename(node, "limbs").editor.note(node, "a text", "definition")
        fewer = collapse(named, (2, 3))
        assert [fewer.label(at) for at in range(fewer.tree.n_nodes)].count("limbs") == 1
        assert len(fewer.notes) == 1
        kept = next(at for at in range(fewer.tree.n_nodes) if fewer.label(at) == "limbs")
        inside = {str(named.words[row]) for row in named.inside(node)}
        assert {str(fewer.words[row]) for row in fewer.inside(kept)} == inside
