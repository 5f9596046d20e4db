"""Laws of edits: any sequence can be undone, redone, saved, and stays consistent."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import InputError, SphericalTree
from roget.data import sample
from roget.learn.thesaurus import Edit, Thesaurus, lookup, quality
from roget.report.exports.base import entries, members
from support.errors import refused
from thesauri import THESAURI, planted, same

KINDS = ["rename", "move", "merge", "nest", "add", "delete", "split", "split", "note"]


def change(draw, t, number):
    """One edit of any kind, by any numbers; an InputError if it makes no sense."""
    kind = draw(st.sampled_from(KINDS))
    node = draw(st.integers(0, t.tree.n_nodes - 1))
    other = draw(st.integers(0, t.tree.n_nodes - 1))
    words = [str(t.words[row]) for row in draw(st.lists(st.integers(0, len(t) - 1), min_size=1,
                                                         max_size=3))]  # fmt: skip
    match kind:
        case "rename":
            return t.editor.rename(node, f"name {number}")
        case "move":
            return t.editor.move(words, node)
        case "merge":
            return t.editor.merge(node, other)
        case "nest":
            return t.editor.nest(node, other)
        case "add":
            return t.editor.add([f"new {number}"], node)
        case "delete":
            return t.editor.delete(words)
        case "split":
            leaf = t.path(words[0])[-1]
            inside = {str(t.words[row]) for row in t.inside(leaf)}
            return t.editor.split(
                leaf, [w for w in words if w in inside] if draw(st.booleans()) else None
            )
        case _:
            about = draw(st.sampled_from([node, words[0]]))
            return t.editor.note(
                about, f"text {number}", draw(st.sampled_from(["definition", "note"]))
            )


@st.composite
def edited(draw):
    """A thesaurus, and what it was after each of some edits."""
    t = draw(THESAURI)
    states = [t]
    for number in range(draw(st.integers(0, 8))):
        if draw(st.booleans()):
            t.places  # noqa: B018 - whether it is known must make no difference
        try:
            t = change(draw, t, number)
        except InputError:
            continue
        states.append(t)
    return states


def alike(one, other):
    """Whether all is the same, bit by bit, with what edits add."""
    return (
        same(one, other)
        and one.ids.tolist() == other.ids.tolist()
        and one.notes == other.notes
        and one.memberships.nnz == other.memberships.nnz
        and [one.label(node) for node in range(one.tree.n_nodes)]
        == [other.label(node) for node in range(other.tree.n_nodes)]
    )


@given(edited())
def test_undo_and_redo_are_inverse(states):
    t = states[-1]
    for before in states[-2::-1]:
        undoable = t.editor.undoable
        t = t.editor.undo()
        assert t.undone[0] == undoable
        assert alike(t, before)
        assert t.edits == before.edits
    assert t.editor.undoable is None
    with refused("edit-refused"):
        t.editor.undo()
    for after in states[1:]:
        t = t.editor.redo()
        assert alike(t, after)
        assert t.edits == after.edits
    with refused("edit-refused"):
        t.editor.redo()


@given(edited(), st.data())
def test_undo_to_reaches_any_point_of_the_log(states, data):
    last = states[-1]
    n = data.draw(st.integers(0, len(states) - 1))
    t = last.editor.undo_to(n)
    assert alike(t, states[n])
    assert len(t.undone) == len(states) - 1 - n
    for _ in t.undone:
        t = t.editor.redo()
    assert alike(t, last)
    back = last.editor.undo_to(n)
    new = back.editor.rename(0, "all")
    assert new.undone == (), "a new edit takes the place of what was undone"
    assert new.next_id == back.next_id == last.next_id, "no id is given twice"


@settings(max_examples=8)
@given(edited(), st.integers(0, 2))
def test_saved_thesaurus_is_loaded_unchanged(tmp_path_factory, states, back):
    folder = tmp_path_factory.mktemp("laws") / "t"
    t = states[max(0, len(states) - 1 - back)]
    t = states[-1].editor.undo_to(len(t.edits))
    t.save(folder)
    again = Thesaurus.load(folder)
    assert alike(again, t)
    word = str(t.words[0])
    assert again.neighbours(word) == t.neighbours(word)
    assert again.senses(word) == t.senses(word)
    assert quality.information(again) == quality.information(t)
    assert (again.edits, again.undone, again.next_id) == (t.edits, t.undone, t.next_id)
    for _ in t.undone:
        again = again.editor.redo()
    assert alike(again, states[-1])
    assert [Edit.from_json(edit.to_json()) for edit in t.edits] == list(t.edits)


@given(edited())
def test_edited_thesauri_are_consistent(states):
    for before, t in itertools.pairwise(states):
        assert np.asarray(t.memberships.sum(axis=1)).ravel() == pytest.approx(1)
        assert t.mass.sum() == pytest.approx(before.mass.sum())
        assert np.asarray(t.centroids.sum(axis=1)) == pytest.approx(1)
        assert lookup.centroid(t, 0) == pytest.approx(lookup.centroid(before, 0)), (
            "the average of all stays"
        )
        assert len(t.places) == len(t) == t.memberships.shape[0] == len(set(t.words))
        assert (t.tree.cluster[t.places] >= 0).all()
        # Ids are there once, are those of before, or new; the root has one for ever.
        assert len(set(t.ids.tolist())) == t.tree.n_nodes
        assert t.ids[0] == before.ids[0]
        assert all(id in before.ids or id >= before.next_id for id in t.ids)
        assert all(id < t.next_id for id in t.ids)
        for node, id in enumerate(t.ids):
            assert t.node(int(id)) == node
        untouched(before, t)
        untouched(states[0], t)
    t = states[-1]
    assert all(str(edit) for edit in t.edits)
    placed = [one.word for some in members(t).values() for one in some if one.placed]
    assert sorted(placed) == sorted(map(str, t.words))
    assert len(list(entries(t))) == t.tree.n_nodes
    assert t.classify(t.counts).shape == (len(t), t.tree.n_clusters)
    for word in map(str, t.words[-2:]):
        assert len(t.neighbours(word)) == min(10, len(t) - 1)
        assert t.senses(word)
        t.evidence(word)
    for node in range(t.tree.n_nodes):
        t.word_class(node)


def untouched(before, after):
    """Classes with the same words as before keep their names."""
    words = {int(before.ids[node]): set(before.words[before.inside(node)].tolist())
             for node in range(before.tree.n_nodes)}  # fmt: skip
    named = {edit.text for edit in after.edits}
    for node, id in enumerate(after.ids.tolist()):
        if id in words and words[id] == set(after.words[after.inside(node)].tolist()):
            old, given = before.node(id), after.labels.get(node)
            assert given in named or given == before.labels.get(old)
            if given is None and not before.edits:
                assert after.label(node) == before.label(old), "nor do labels that nobody gave"


@given(edited())
def test_replay_on_the_same_thesaurus_loses_nothing(states):
    first, last = states[0], states[-1]
    new, problems, _ = first.editor.replay(last.edits)
    assert len([edit for edit in new.edits if edit.waiting]) == len(problems)
    if not problems and all(
        one is None or one.size for edit in last.edits for one in (edit.node, edit.into)
    ):
        assert new.edits == last.edits
        assert same(new, last)
        assert new.ids.tolist() == last.ids.tolist()


def test_classes_keep_their_ids():
    t = planted()
    tea, gun = t.path("tea")[-1], t.path("gun")[-1]
    drinks, arms = int(t.ids[tea]), int(t.ids[gun])
    assert t.ids.tolist() == list(range(t.tree.n_nodes))
    parted = t.editor.split(tea, ["ale", "wine"])
    assert parted.ids[parted.common_class("tea", "ale")] == drinks, "the class itself keeps its id"
    assert {int(parted.ids[parted.path(w)[-1]]) for w in ("tea", "ale")} == {7, 8}
    merged = parted.editor.merge(parted.path("hut")[-1], parted.node(arms))
    assert merged.node(arms) == merged.path("hut")[-1]
    with refused("unknown-word"):
        merged.node(int(t.ids[t.path("hut")[-1]]))
    with refused("unknown-word", "class id 99"):
        merged.node(99)
    nested = merged.editor.nest(merged.node(drinks), merged.node(arms))
    assert nested.common_class("tea", "ale") == nested.node(drinks)
    assert nested.common_class("tea", "gun") == nested.node(arms)
    assert (
        nested.editor.undo_to(1)
        .editor.split(1 + nested.editor.undo_to(1).path("gun")[-1] - 1)
        .next_id
        == 12
    )


def test_word_class_accepts_words():
    t = planted()
    assert t.word_class("tea").node == t.path("tea")[-1]
    with refused("unknown-word", "mead"):
        t.word_class("mead")


@pytest.mark.parametrize("word", ["Tea", "TEAS", "teas"])
def test_unknown_forms_suggest_the_word(word):
    with refused("unknown-name", word, "did you mean tea?"):
        planted().row(word)


def test_thesauri_of_sparse_matrices_are_refused():
    t = planted()
    with refused("invalid-input", "csr_array", "Counts(matrix, words, contexts)"):
        Thesaurus.from_clustering(t.counts.matrix, t.clustering)


def test_undone_id_is_not_reused():
    t = planted()
    tea = t.path("tea")[-1]
    parted = t.editor.split(tea, ["ale"])
    again = parted.editor.undo().editor.split(tea, ["wine"])
    assert not {*parted.edits[-1].ids} & {*again.edits[-1].ids}
    assert again.editor.undo().editor.undo_to(0).next_id == again.next_id


def test_words_can_be_added_and_deleted():
    t = planted()
    leaf = t.path("tea")[-1]
    new = t.editor.add(["mead", "grog"], leaf)
    assert new.membership("mead") == {leaf: 1.0}
    assert {one.word for one in new.neighbours("mead", 5)} == {"ale", "grog", "milk", "tea", "wine"}
    assert str(new.edits[0]) == "“mead” and “grog” added to “milk, ale, wine”"
    assert new.counts.word_totals[new.row("mead")] == 0
    gone = new.editor.delete(["tea", "grog"])
    assert "tea" not in gone.words
    assert "grog" not in gone.words
    assert "tea" not in {one.word for one in gone.neighbours("ale", 20)}
    with refused("unknown-word", "tea"):
        gone.path("tea")
    back = gone.editor.add("tea", t.path("gun")[-1])
    assert back.counts.count("tea", back.evidence("tea")[0].context) > 0
    assert back.path("tea")[-1] == t.path("gun")[-1]
    with refused("edit-refused", "ale"):
        t.editor.add("ale", leaf)
    for bad in ("", " x", "a\nb", "x" * 201):
        with refused("edit-refused"):
            t.editor.add(bad, leaf)
    with refused("edit-refused"):
        t.editor.delete(t.words.tolist())


def test_class_is_split_by_similarity_of_its_words():
    t = planted()
    both = t.editor.merge(t.path("hut")[-1], t.path("gun")[-1])
    node = both.path("gun")[-1]
    parted = both.editor.split(node)
    assert set(parted.edits[-1].words) == {"hut", "house"}
    assert parted.path("hut")[-1] != parted.path("gun")[-1]
    assert parted.common_class("hut", "gun") == parted.node(int(both.ids[node]))
    assert both.editor.suggest_split(node) == both.editor.suggest_split(node)
    placed = parted.classify(t.counts.select(["hut", "gun"])).toarray()
    for row, word in enumerate(("hut", "gun")):
        assert placed[row].argmax() == parted.tree.cluster[parted.path(word)[-1]]
    for leaf, words, value in (
        (0, None, "node 0"),
        (node, ["tea"], "tea"),
        (node, ["hut", "house", "gun", "knife", "sword", "bow", "spear"], "."),
    ):
        with pytest.raises(InputError, match=value):
            both.editor.split(leaf, words)


def test_vector_based_classes_can_be_edited(tmp_path):
    counts = sample("nouns").top(400)
    t = Thesaurus.from_clustering(counts, SphericalTree(12, random_state=0).fit(counts))
    word = str(t.words[0])
    leaf = t.path(word)[-1]
    near = t.neighbours(word, 5)
    new = t.editor.add("neologism", leaf)
    inside = {str(t.words[row]) for row in t.inside(leaf)}
    like = [one.word for one in new.neighbours("neologism", 5)]
    assert len(inside & set(like)) >= 4, "a word of which nothing is known is like its class"
    assert [one.word for one in new.neighbours(word, 5)] == [one.word for one in near]
    parted = new.editor.split(leaf)
    assert 0 < len(parted.edits[-1].words) <= (len(inside) + 1) / 2
    # The sides are more alike within than across, by the vectors that made the classes.
    apart = [t.row(one) for one in parted.edits[-1].words if one in inside]
    rest = [t.row(one) for one in inside if one not in parted.edits[-1].words]
    vectors = t.clustering.representation.vectors
    within, across = (vectors[rest].mean(axis=0) @ vectors[some].T for some in (rest, apart))
    assert within.mean() > across.mean()
    gone = parted.editor.delete(near[0].word)
    assert near[0].word not in {one.word for one in gone.neighbours(word, 50)}
    assert gone.clustering.representation.n_words == len(gone)
    gone.save(tmp_path / "t")
    again = Thesaurus.load(tmp_path / "t")
    assert again.neighbours("neologism", 5) == gone.neighbours("neologism", 5)
    placed = again.classify(counts.select([word, str(t.words[1])]))
    assert placed.sum(axis=1) == pytest.approx(1)
    assert lookup.list_placements(again, counts.select([word]))[0].node in range(again.tree.n_nodes)


def test_classes_can_be_nested():
    t = planted()
    tea, gun, arms = t.path("tea")[-1], t.path("gun")[-1], t.common_class("gun", "hut")
    for node, into in ((0, 1), (arms, gun), (gun, gun), (gun, arms)):
        with pytest.raises(InputError, match=f"node {node}"):
            t.editor.nest(node, into)
    new = t.editor.rename(tea, "drinks").editor.nest(gun, tea)
    assert str(new.edits[-1]).endswith("put under “drinks”")
    assert new.label(new.common_class("gun", "tea")) == "drinks"
    assert new.path("tea")[-1] != new.common_class("gun", "tea"), "its words have a class below it"
    assert new.memberships.toarray().tolist() == t.memberships.toarray().tolist()


def test_notes_are_added_to_classes_and_words():
    t = planted()
    new = (
        t.editor.note(1, "what one drinks", "definition")
        .editor.note("tea", "a leaf")
        .editor.note(1, "see also 2")
    )
    assert new.notes == {1: ("what one drinks", "see also 2"), "tea": ("", "a leaf")}
    assert str(new.edits[1]) == "note of “tea”: “a leaf”"
    assert new.editor.note("tea", "").notes == {1: ("what one drinks", "see also 2")}
    assert str(new.editor.note("tea", "").edits[-1]) == "note of “tea” removed"
    assert "tea" not in new.editor.delete("tea").notes
    for about, text, field in ((1, "x" * 10_001, "note"), (1, "x", "remark"), (1, 3, "note")):
        with pytest.raises(InputError):
            t.editor.note(about, text, field)
    with pytest.raises(LookupError):
        t.editor.note("zebra", "x")


def test_edits_of_words_are_replayed_on_a_rebuilt_thesaurus():
    t = planted()
    edited = (
        t.editor.add("mead", t.path("tea")[-1])
        .editor.delete(["poem", "bow"])
        .editor.note("gun", "it shoots")
    )
    edited = edited.editor.move(["tea", "ale"], t.path("gun")[-1]).editor.split(
        t.path("gun")[-1], ["tea"]
    )
    new, problems, _ = planted(reverse=True, left_out=["bow", "ale"]).editor.replay(edited.edits)
    assert problems == [
        "“bow” deleted: not in this thesaurus",
        "“ale” moved to “gun, sword, spear”: not in this thesaurus",
    ]
    assert [edit.waiting for edit in new.edits] == [False, False, True, False, False, True, False]
    assert new.notes == {"gun": ("", "it shoots")}
    assert "poem" not in new.words
    assert new.path("mead")[-1] == new.path("milk")[-1]
    assert new.common_class("tea", "gun") != new.path("tea")[-1]
    # A word that was added, and is now in the text, goes where it was put.
    moved, problems, _ = t.editor.replay(
        planted(left_out=["ale"]).editor.add("ale", t.path("gun")[-1]).edits
    )
    assert problems == []
    assert moved.edits[0].kind == "move"
    assert moved.path("ale") == moved.path("gun")
