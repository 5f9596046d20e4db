"""Edits: their effect, undo, and replay on a rebuilt thesaurus."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roget import Counts, InputError
from roget.core.tree import Tree
from roget.learn.thesaurus import ClassSnapshot, Edit, Thesaurus
from roget.learn.thesaurus.edits import SAMPLE
from support.errors import refused
from thesauri import FAMILIES, THESAURI, planted, random_thesaurus, same, words_of


def test_renamed_class_has_its_name_everywhere():
    t = planted()
    node = t.common_class(*FAMILIES["drinks"])
    new = t.editor.rename(node, "drinks")
    assert new.label(node) == new.word_class(node).label == "drinks"
    assert [one.label for one in new.classes() if one.node == node] == ["drinks"]
    assert t.label(node) == "milk, ale, wine", "the old one stays as it is"
    assert new.editor.rename(node, "beverages").label(node) == "beverages"
    assert str(new.edits[0]) == "“milk, ale, wine” renamed “drinks”"


@settings(max_examples=20)
@given(THESAURI, st.data())
def test_moved_word_is_in_its_new_class_only(t, data):
    row = data.draw(st.integers(0, len(t) - 1))
    node = data.draw(st.integers(0, t.tree.n_nodes - 1))
    word = str(t.words[row])
    new = t.editor.move(word, node)
    inside = [int(t.tree.cluster[leaf]) for leaf in t.tree.leaves(node)]
    before, after = t.memberships.toarray(), new.memberships.toarray()
    assert after[row, inside].sum() == pytest.approx(1)
    if before[row, inside].sum() > 0:
        shares = before[row, inside] / before[row, inside].sum()
        assert after[row, inside] == pytest.approx(shares)
    assert node in new.path(word)
    others = np.arange(len(t)) != row
    assert after[others].tolist() == before[others].tolist()
    assert new.places[others].tolist() == t.places[others].tolist()
    assert new.tree == t.tree
    assert new.centroids.tolist() == t.centroids.tolist()


def test_word_moved_to_an_inner_node_is_divided_by_its_counts():
    t = planted()
    right = t.common_class("gun", "hut")
    new = t.editor.move("tea", right)
    assert right in new.path("tea")
    assert sum(new.membership("tea").values()) == pytest.approx(1)
    gun = Counts([[9, 1]], ["gun2"], ["arms-1", "drinks-1"])
    like = t.classify(gun).toarray()[0, t.tree.cluster[t.tree.leaves(right)]]
    mixed = t.counts.merge(gun).select(["tea", "gun2"], t.contexts)
    both = Thesaurus.from_parts(
        mixed, t.tree, np.eye(4)[[t.tree.cluster[t.path("tea")[-1]]] * 2], t.centroids, t.mass,
        provenance=t.provenance,
    ).editor.move("gun2", right)  # fmt: skip
    found = both.memberships.toarray()[1, t.tree.cluster[t.tree.leaves(right)]]
    assert found == pytest.approx(like / like.sum())


@st.composite
def edited(draw):
    """A thesaurus, and what it was after each of some edits."""
    t = draw(THESAURI)
    states = [t]
    for kind in draw(st.lists(st.sampled_from(["rename", "move", "merge"]), max_size=6)):
        node = draw(st.integers(0, t.tree.n_nodes - 1))
        other = draw(st.integers(0, t.tree.n_nodes - 1))
        if draw(st.booleans()):
            t.places  # noqa: B018 - whether it is known must make no difference
        if kind == "rename":
            t = t.editor.rename(node, f"name {len(states)}")
        elif kind == "move":
            t = t.editor.move(str(t.words[draw(st.integers(0, len(t) - 1))]), node)
        else:
            try:
                t = t.editor.merge(node, other)
            except InputError:
                continue
        states.append(t)
    return states


@given(edited())
def test_undo_reverts_edits_step_by_step(states):
    t = states[-1]
    for number in range(len(states) - 2, -1, -1):
        t = t.editor.undo()
        assert same(t, states[number])
        assert t.edits == states[number].edits
        assert [t.label(n) for n in range(t.tree.n_nodes)] == [
            states[number].label(n) for n in range(t.tree.n_nodes)
        ]
    with refused("edit-refused"):
        t.editor.undo()


@given(edited())
def test_edited_thesauri_are_consistent(states):
    t = states[-1]
    # Words of merged classes stay together, whatever their memberships.
    merged = any(edit.kind == "merge" for edit in t.edits)
    parts = t.counts, t.tree, t.memberships, t.centroids, t.mass
    fresh = Thesaurus.from_parts(*parts, labels=t.labels, places=t.places if merged else None)
    assert same(fresh, t), "what was taken over is what follows from the tables"
    assert [e.kind for e in t.edits] == [e.kind for e in states[-1].edits]
    for word in t.words[:3]:
        assert t.neighbours(word, by="counts") == fresh.neighbours(word, by="counts")
    assert [Edit.from_json(edit.to_json()) for edit in t.edits] == list(t.edits)


@given(edited())
def test_replay_on_the_same_thesaurus_is_identical(states):
    first, last = states[0], states[-1]
    sizes = [edit.node.size and (edit.into is None or edit.into.size) for edit in last.edits]
    assume(all(sizes))
    new, problems, _ = first.editor.replay(last.edits)
    if not problems:
        assert new.edits == last.edits
        assert same(new, last)


def test_edits_are_replayed_on_a_rebuilt_thesaurus():
    t = planted()
    edited = t.editor.rename(t.common_class(*FAMILIES["arms"]), "arms")
    edited = edited.editor.move("ale", edited.common_class(*FAMILIES["texts"]))
    edited = edited.editor.merge(edited.path("hut")[-1], edited.path("gun")[-1])
    rebuilt = planted(reverse=True)
    assert rebuilt.common_class(*FAMILIES["arms"]) != t.common_class(*FAMILIES["arms"])
    new, problems, _ = rebuilt.editor.replay(edited.edits)
    assert problems == []
    assert words_of(new, new.path("gun")[-1]) == {*FAMILIES["arms"], *FAMILIES["homes"]}
    assert new.label(new.path("gun")[-1]) == "arms"
    assert words_of(new, new.path("book")[-1]) == {*FAMILIES["texts"], "ale"}
    assert words_of(new, new.path("tea")[-1]) == {"tea", "milk", "wine"}
    assert [str(edit) for edit in new.edits] == [str(edit) for edit in edited.edits]


def test_inapplicable_edits_wait():
    t = planted()
    edited = t.editor.move("ale", t.path("gun")[-1]).editor.rename(t.path("tea")[-1], "drinks")
    poor, problems, _ = planted(left_out=["ale"]).editor.replay(edited.edits)
    assert len(problems) == 1
    assert problems[0].startswith("“ale” moved to “")
    assert "no word 'ale'" in problems[0]
    assert [edit.waiting for edit in poor.edits] == [True, False]
    assert poor.label(poor.path("tea")[-1]) == "drinks"
    assert [edit.waiting for edit in poor.editor.undo().edits] == [True], "what waits is not undone"
    again, problems, _ = planted(reverse=True).editor.replay(poor.edits)
    assert problems == []
    assert again.path("ale")[-1] == again.path("gun")[-1]
    assert not any(edit.waiting for edit in again.edits)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Edit("rename", ClassSnapshot(3, "x", 2, ("zebra", "gnu")), "beasts"), "“x”"),
        (Edit("rename", ClassSnapshot(0, "x", 0, ()), "animals"), "“x”"),
        (Edit("rename", ClassSnapshot(3, "x", 60, ("tea", "gun")), "y"), "“x”"),
        (
            Edit("merge", ClassSnapshot(1, "x", 1, ("tea",)), into=ClassSnapshot(2, "y", 1, ("tea",))),  # noqa: E501
            "“x”",
        ),
        (
            Edit("merge", ClassSnapshot(1, "x", 2, ("hut", "house")),
                 into=ClassSnapshot(2, "y", 2, ("hut", "house"))),
            "cannot be merged into itself",
        ),
    ],
)  # fmt: skip
def test_problems_of_replay_are_explained(edit, message):
    new, problems, _ = planted().editor.replay([edit])
    assert len(problems) == 1
    assert message in problems[0]
    assert same(new, planted())
    assert new.edits[0].waiting


def test_snapshot_of_large_class_is_a_representative_sample():
    n = 5 * SAMPLE
    belongs = np.eye(2)[np.arange(n) % 2]
    counts = Counts(np.arange(n, 0, -1)[:, None] * (1 + belongs.astype(int)), map(str, range(n)))
    t = Thesaurus.from_parts(
        counts, Tree().split(0, 1.0), belongs, np.full((2, 2), 0.5), [0.5, 0.5]
    )
    node = t.path("0")[-1]
    seen = t.editor.rename(node, "even").edits[0].node
    assert (seen.size, len(seen.words)) == (n // 2, SAMPLE)
    ranks = np.array([int(word) for word in seen.words])
    assert (ranks % 2 == 0).all()
    assert abs(np.median(ranks) - n / 2) < n / 20
    new, problems, _ = t.editor.replay(t.editor.rename(node, "even").editor.rename(0, "all").edits)
    assert problems == []
    assert new.labels == {node: "even", 0: "all"}


@pytest.mark.parametrize(
    "label",
    ["a\ud800b", b"x", None, 7, "", "\t\n", "a\0b", "a\nb", "a\tb", "a\x7fb", "a\x85b", "a\u2028b",
     "a\ufffeb", "a\U0010ffffb"],
)  # fmt: skip
def test_labels_must_be_one_line_of_printable_text(label):
    with refused("edit-refused"):
        planted().editor.rename(1, label)


def test_labels_of_any_script_are_accepted_and_old_ones_kept(tmp_path):
    t = planted()
    for label in ("می\u200cخواهم", "prix\u00a0: 5", "飲み\u3000物", "👩\u200d🍳"):
        assert t.editor.rename(1, label).label(1) == label
    old = Edit.from_json({**t.editor.rename(1, "x").edits[0].to_json(), "text": "a\tb\n"})
    t.editor.with_edits((old,)).save(tmp_path / "t")
    found = Thesaurus.load(tmp_path / "t")
    assert found.label(1) == "a\tb\n"
    assert planted().editor.replay(found.edits)[0].label(1) == "a\tb\n"


@pytest.mark.parametrize("node", [1.5, 1.0, "1", None, True, np.bool_(True), np.float64(1)])
def test_nodes_must_be_integers(node):
    t = planted()
    for do in (
        lambda: t.editor.rename(node, "x"),
        lambda: t.editor.move("tea", node),
        lambda: t.editor.merge(node, 2),
        lambda: t.editor.merge(2, node),
    ):
        with refused("edit-refused"):
            do()


def test_numpy_integers_are_accepted_as_nodes(tmp_path):
    t = planted()
    new = (
        t.editor.rename(np.int32(1), "x")
        .editor.move("tea", np.uint8(4))
        .editor.merge(np.int64(3), np.int16(5))
    )
    assert new.edits == t.editor.rename(1, "x").editor.move("tea", 4).editor.merge(3, 5).edits
    new.save(tmp_path / "t")
    assert Thesaurus.load(tmp_path / "t").edits == new.edits


def test_replay_maps_only_the_root_to_the_root():
    words = [f"w{n}" for n in range(20)]

    def of(*owners):
        k = 1 + max(owners)
        counts = Counts(np.ones((len(owners), 2), dtype=np.int64), words[: len(owners)])
        tree = Tree().split(0, 1.0, k) if k > 1 else Tree()
        return Thesaurus.from_parts(
            counts, tree, np.eye(k)[list(owners)], np.full((k, 2), 0.5), np.full(k, 1 / k)
        )

    most = of(*[0] * 13, *[1] * 7)
    edited = most.editor.rename(most.path("w0")[-1], "most").editor.rename(0, "all")
    # 13 of 20 words are more like all than like any class of four; yet they are not all.
    new, problems, _ = of(*(n % 5 for n in range(20))).editor.replay(edited.edits)
    assert new.labels == {0: "all"}
    assert len(problems) == 1
    assert "“w0, w1, w2”" in problems[0]
    assert of(0, 1).editor.replay(edited.edits)[0].labels[0] == "all", "however few words are left"
    new, problems, _ = of(*[0] * 20).editor.replay(edited.edits)
    assert new.labels == {0: "all"}
    assert "“w0, w1, w2”" in problems[0]


def test_weak_matches_are_reported():
    t = planted()
    arms, homes = (t.path(FAMILIES[name][0])[-1] for name in ("arms", "homes"))
    edited = t.editor.rename(arms, "weapons").editor.move("ale", homes)
    made = planted(left_out=["gun", "bow"]).editor.move("spear", 4).editor.replay(edited.edits)
    assert made.problems == []
    assert made.doubts == [], "words that are gone say nothing of a class"
    other = t.editor.move("hut", arms).editor.move("house", arms).editor.move("tea", arms)
    other = other.editor.move("bow", t.path("book")[-1])
    made = other.editor.replay(t.editor.rename(arms, "weapons").edits)
    assert made.problems == []
    (doubt,) = made.doubts
    assert doubt.startswith(f"“{t.label(arms)}” renamed “weapons”: “{t.label(arms)}” is now “")
    assert f"“{other.label(arms)}” (4 of 5 words, and 3 others)" in doubt
    merged = other.editor.replay(t.editor.merge(arms, t.path("tea")[-1]).edits)
    assert len(merged.doubts) == 1
    assert merged.thesaurus.edits[-1].kind == "merge"


def test_invalid_edits_are_refused():
    t = random_thesaurus(0)
    with refused("edit-refused"):
        t.editor.rename(1, "  ")
    with refused("unknown-name", "node 99"):
        t.editor.rename(99, "x")
    with refused("unknown-name", "w77"):
        t.editor.move("w77", 1)
    with pytest.raises(InputError, match="node 1"):
        t.editor.merge(1, 1)
    with refused("edit-refused", "into"):
        Edit("merge", ClassSnapshot(1, "x", 0, ()))
