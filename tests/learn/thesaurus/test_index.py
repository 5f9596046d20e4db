"""Indexes of a thesaurus: shared by copies as long as their inputs are the same objects."""

from __future__ import annotations

import pytest

from roget.learn.thesaurus import Thesaurus
from thesauri import random_thesaurus

NAMES = ("words", "profiles", "places", "neighbours")


def used(thesaurus: Thesaurus) -> Thesaurus:
    """Compute all indexes."""
    for name in NAMES:
        getattr(thesaurus.index, name)
    return thesaurus


@pytest.fixture(scope="module")
def thesaurus() -> Thesaurus:
    return used(random_thesaurus(0, clusters=4))


def shared(one: Thesaurus, other: Thesaurus) -> set[str]:
    return {name for name in NAMES if getattr(one.index, name) is getattr(other.index, name)}


def test_edits_share_unaffected_indexes(thesaurus):
    leaf = int(thesaurus.tree.cluster_nodes[0])
    word = next(w for w in thesaurus.words.tolist() if thesaurus.path(w)[-1] != leaf)
    renamed = used(thesaurus.editor.rename(leaf, "a name"))
    assert shared(thesaurus, renamed) == set(NAMES)
    moved = used(renamed.editor.move(word, leaf))
    assert shared(renamed, moved) == {"words", "profiles"}
    assert shared(moved, used(moved.editor.note(word, "a note"))) == set(NAMES)
    assert shared(moved, used(moved.editor.delete(word))) == {"profiles"}
    other = int(thesaurus.tree.cluster_nodes[1])
    assert shared(thesaurus, used(thesaurus.editor.merge(leaf, other))) == {"words"}


def test_copies_with_other_values_share_all_indexes(thesaurus):
    assert shared(thesaurus, thesaurus.replace(labels={1: "one"})) == set(NAMES)
    assert thesaurus.replace(labels={1: "one"}).label(1) == "one"
    assert shared(thesaurus, thesaurus.replace(provenance={})) == set(NAMES)


def test_indexes_that_were_not_computed_are_not_shared():
    plain = random_thesaurus(1)
    assert not shared(plain, plain.replace(provenance={})) & {"neighbours", "profiles"}
