"""Growing: counts are added exactly, classes stay, new words are placed, changes proposed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from roget import Counts, Thesaurus, build, catalogue, count, load
from roget.errors import InputError
from roget.learn.growth.add import add
from roget.learn.growth.grow import grow
from roget.learn.growth.incremental import IncrementalUpdate
from roget.learn.thesaurus import lookup
from support.errors import codes, notice, refused

KINDS = ("drink", "text", "arm")
METHODS = tuple(catalogue.names("clusterers"))


def draw(words, tokens, seed, kinds=KINDS, start=0, noise=0.05):
    """Counts of words of some kinds, each with contexts of its own kind and a few of others."""
    rng = np.random.default_rng(seed)
    every = [f"{kind}{n}" for kind in kinds for n in range(start, start + words)]
    contexts = [f"obj:{kind}-{n}" for kind in (*KINDS, "boat") for n in range(8)]
    rows = []
    for name in every:
        own = np.array([name.rstrip("0123456789") == c[4:].partition("-")[0] for c in contexts])
        rates = np.where(own, 1.0, noise)
        rows.append(rng.poisson(tokens * rates / rates.sum()))
    return Counts(np.array(rows), every, contexts).drop_empty()


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    folder = tmp_path_factory.mktemp("old") / "counts"
    draw(12, 60, 0).write(folder)
    return folder


def made(old, method, **more):
    return build(old, method=method, clusters=3, heldout=False, **more)


def classes(thesaurus):
    """The class of each word, by the id of its leaf."""
    ids = thesaurus.ids[thesaurus.places].tolist()
    return dict(zip(thesaurus.words.tolist(), ids, strict=True))


def by_kind(thesaurus, words):
    """The classes in which most words of each kind are."""
    places = classes(thesaurus)
    return {word.rstrip("0123456789"): places[word] for word in words}


@pytest.mark.parametrize("method", METHODS)
def test_every_clusterer_grows(old, method):
    before = made(old, method)
    new = draw(4, 60, 1).merge(draw(3, 60, 2, start=50))
    grown = grow(before, new)
    after = grown.thesaurus
    was, now = classes(before), classes(after)
    untouched = [word for word in was if word not in set(new.words.tolist())]
    assert len(untouched) == 24
    assert all(now[word] == was[word] for word in untouched)
    entered = {one.words[0] for one in grown.changes if one.kind == "new"}
    assert entered == {f"{kind}{n}" for kind in KINDS for n in (50, 51, 52)}
    homes = by_kind(before, [f"{kind}0" for kind in KINDS])
    right = [now[word] == homes[word.rstrip("0123456789")] for word in entered]
    assert np.mean(right) == 1.0
    assert grown.stay == len(after) - len({w for one in grown.changes for w in one.words})
    assert after.counts.total == before.counts.total + new.total
    np.testing.assert_allclose(np.asarray(after.memberships.sum(axis=1)).ravel(), 1, atol=1e-6)
    assert float(after.mass.sum()) == pytest.approx(1)


def test_spherical_grows_if_words_have_more_dimensions(tmp_path):
    """With fewer words than contexts every new word adds dimensions to the vectors."""
    draw(5, 60, 0).write(tmp_path / "counts")
    before = build(tmp_path / "counts", method="spherical", clusters=3, heldout=False)
    grown = grow(before, draw(2, 60, 2, start=50), output=tmp_path / "grown").thesaurus
    widths = [one.clustering.representation.vectors.shape[1] for one in (before, grown)]
    assert widths[0] < widths[1]
    new = draw(2, 60, 4, start=70)
    stored = load(tmp_path / "grown").clustering
    np.testing.assert_allclose(stored.place(new), grown.clustering.place(new), atol=1e-6)
    homes = by_kind(grown, [f"{kind}0" for kind in KINDS])
    assert by_kind(grown, [f"{kind}50" for kind in KINDS]) == homes


@pytest.mark.parametrize("method", METHODS)
def test_growing_by_nothing_changes_no_class(old, method):
    """Renewing by the same counts gives the same centroids, masses and placements."""
    before = made(old, method)
    found = before.clustering
    same = IncrementalUpdate(found, before.counts, before.counts).regroup()
    dense = [c.toarray() if sparse.issparse(c) else c for c in (found.centroids, same.centroids)]
    np.testing.assert_allclose(dense[1], dense[0], atol=1e-6)
    np.testing.assert_allclose(same.mass, found.mass, atol=1e-6)
    new = draw(5, 40, 9, start=70)
    assert (same.place(new).argmax(axis=1) == found.place(new).argmax(axis=1)).all()


@pytest.mark.parametrize("method", METHODS)
def test_centroids_equal_those_of_all_counts(old, method):
    """Compare with the old centroid plus every new token of the class's words."""
    before = made(old, method)
    new = draw(12, 20, 3)
    added = add(before.counts, new)
    found = before.clustering
    got = IncrementalUpdate(found, before.counts, added.counts).regroup()
    had = np.asarray(found.centroids @ np.eye(found.centroids.shape[1]))
    sums = had * (found.mass * before.counts.total)[:, None]
    belongs = found.memberships.toarray()
    for word, context, n in new.rows():
        row, column = before.counts.word_id(word), before.counts.context_id(context)
        sums[:, column] += belongs[row] * n
    sums = np.maximum(sums, 0)
    mine = np.asarray(got.centroids @ np.eye(got.centroids.shape[1]))
    np.testing.assert_allclose(mine, sums / sums.sum(axis=1, keepdims=True), atol=1e-5)
    np.testing.assert_allclose(got.mass, sums.sum(axis=1) / sums.sum(), atol=1e-6)


def test_grown_counts_equal_counts_of_all_text():
    one, two = draw(6, 30, 4), draw(6, 30, 5)
    both = one.merge(two)
    got = add(one, two).counts
    assert got.words[: len(one)].tolist() == one.words.tolist()
    assert got.contexts[: one.shape[1]].tolist() == one.contexts.tolist()
    assert got.select(both.words, both.contexts) == both


def test_word_moves_to_the_class_of_its_new_contexts(old):
    before = made(old, "spherical", set_aside=False)
    homes = by_kind(before, [f"{kind}5" for kind in KINDS])
    turned = draw(1, 400, 6, kinds=("text",))
    new = Counts(turned.matrix, ["drink0"], turned.contexts)
    grown = grow(before, new)
    (moved,) = [one for one in grown.changes if one.kind == "moved"]
    assert moved.words == ("drink0",)
    assert moved.score > 0
    assert (moved.source, moved.target) == (homes["drink"], homes["text"])
    assert classes(grown.thesaurus)["drink0"] == homes["text"]
    assert any(reason.startswith("obj:text") for reason in moved.reasons)
    assert not grow(before, new, move=False).changes


def test_word_stays_if_few_of_its_tokens_are_new(old):
    before = made(old, "spherical", set_aside=False)
    turned = draw(1, 40, 6, kinds=("text",))
    grown = grow(before, Counts(turned.matrix, ["drink0"], turned.contexts))
    assert not [one for one in grown.changes if one.kind == "moved"]


def test_words_are_placed_by_their_own_vectors(old):
    found = made(old, "spherical", set_aside=False).clustering
    matrix = sparse.csr_array(draw(12, 60, 0).matrix, dtype=np.float64)
    rows = np.array([1, 17, 30])
    own = found.placing.place_rows(rows, matrix, found)
    assert own.argmax(axis=1).tolist() == found.labels[rows].tolist()
    # The counts are not used: an empty table gives the same result.
    assert np.array_equal(own, found.placing.place_rows(rows, matrix * 0, found))


def test_dissimilar_new_words_form_a_class(old):
    before = made(old, "spherical", set_aside=False)
    grown = grow(before, draw(12, 80, 7, kinds=("boat",)).merge(draw(3, 30, 8)), min_contexts=1)
    after = grown.thesaurus
    (new,) = [one for one in grown.changes if one.kind == "class"]
    assert set(new.words) == {f"boat{n}" for n in range(12)}
    assert after.tree.n_clusters == 4
    assert len({classes(after)[word] for word in new.words}) == 1
    assert classes(after)["boat0"] not in classes(before).values()
    assert {w: p for w, p in classes(after).items() if w in before.rows} == classes(before)


def test_folder_grows_in_place(old, tmp_path):
    place = tmp_path / "t"
    build(old, clusters=3, output=place, heldout=False)
    draw(4, 30, 11).write(tmp_path / "more")
    grown = grow(place, tmp_path / "more", output=place)
    again = load(place)
    assert again.counts == grown.thesaurus.counts
    assert again.changes == grown.thesaurus.changes
    assert (again.memberships != grown.thesaurus.memberships).nnz == 0
    assert not list(tmp_path.glob("*.partial"))
    twice = grow(place, draw(4, 30, 12), output=place).thesaurus
    assert twice.counts.total == again.counts.total + draw(4, 30, 12).total


def test_unsuitable_input_is_refused(old, tmp_path):
    before = made(old, "spherical")
    with refused("no-common-contexts"):
        grow(before, Counts([[3]], ["tea"], ["zzz"]))
    with refused("missing-option"):
        grow(before, [])
    assert isinstance(before, Thesaurus)


def edited(old):
    """A thesaurus of six classes with an edit of every kind."""
    t = build(old, clusters=6, heldout=False, set_aside=False)
    leaves = {word: int(t.places[t.row(word)]) for word in t.words.tolist()}
    one, two = (
        t.ids[leaves["drink0"]],
        next(t.ids[leaf] for word, leaf in leaves.items() if leaf != leaves["drink0"]),
    )
    t = t.editor.rename(t.node(one), "first").editor.move(["arm3", "arm4"], t.node(one))
    t = t.editor.add("whisky", t.node(one)).editor.delete("text7")
    t = t.editor.split(t.node(one), ["arm3", "whisky"])
    made = t.edits[-1].ids
    t = (
        t.editor.rename(t.node(made[1]), "split off")
        .editor.note(t.node(made[1]), "a remark")
        .editor.note("arm4", "odd")
    )
    others = [int(id) for id in t.ids[t.tree.leaves()] if id not in (one, *made)]
    t = t.editor.merge(t.node(others[0]), t.node(others[1]))
    t = t.editor.nest(t.node(others[2]), t.node(others[1]))
    return t.editor.rename(t.node(others[1]), "together"), made, others, two


def test_edits_of_every_kind_are_kept(old):
    before, made, others, _ = edited(old)
    new = draw(12, 15, 21).merge(draw(3, 40, 22, start=40))
    grown = grow(before, new)
    after = grown.thesaurus
    assert "replayed-edits" not in codes(grown.notes)
    assert [str(edit) for edit in after.edits] == [str(edit) for edit in before.edits]
    kept = {int(id) for id in before.ids}
    assert kept <= {int(id) for id in after.ids}
    for id in kept:
        node, was = after.node(id), before.node(id)
        assert after.labels.get(node) == before.labels.get(was)
        assert after.notes.get(node) == before.notes.get(was)
        if was and before.tree.parent[was] >= 0:
            above = before.ids[before.tree.parent[was]]
            assert after.ids[after.tree.parent[node]] == above
    assert after.notes["arm4"] == before.notes["arm4"]
    assert "text7" not in after.rows
    now, was = classes(after), classes(before)
    touched = {word for one in grown.changes for word in one.words}
    assert not touched & {"arm3", "arm4", "whisky"}
    assert all(now[word] == was[word] for word in was if word not in touched)
    assert now["arm3"] == now["whisky"] == made[1]
    assert after.editor.undo().label(after.editor.undo().node(others[1])) != "together"


def test_added_word_that_occurs_in_new_text_stays_where_it_was_put(old):
    before = made(old, "spherical", set_aside=False)
    home = int(before.places[before.row("arm0")])
    before = before.editor.add("text80", home)
    grown = grow(before, draw(1, 80, 23, kinds=("text",), start=80))
    after = grown.thesaurus
    assert classes(after)["text80"] == before.ids[home]
    assert after.counts.word_totals[after.row("text80")] > 0
    assert len(after.words) == len(set(after.words.tolist())) == len(before)
    assert not [one for one in grown.changes if "text80" in one.words]


def test_refusing_all_changes_keeps_words_added_by_users(old):
    before = made(old, "spherical", set_aside=False)
    home = int(before.places[before.row("arm0")])
    before = before.editor.add("text80", home).editor.add("text81", home).editor.delete("text81")
    after = grow(before, draw(3, 80, 23, kinds=("text",), start=80)).thesaurus
    assert [(one.number, one.kind, one.words) for one in after.changes] == [(1, "new", ("text82",))]
    back = after.editor.refuse([one.number for one in after.changes])
    assert classes(back) == classes(before)


def test_new_class_does_not_list_words_added_by_users(old):
    before = made(old, "spherical", set_aside=False)
    home = int(before.places[before.row("arm0")])
    before = before.editor.add("boat3", home)
    grown = grow(before, draw(12, 80, 7, kinds=("boat",)), min_contexts=1)
    (new,) = [one for one in grown.changes if one.kind == "class"]
    assert set(new.words) == {f"boat{n}" for n in range(12) if n != 3}
    assert classes(grown.thesaurus)["boat3"] == before.ids[home]
    assert "boat3" in grown.thesaurus.editor.refuse(new.number).rows


def test_undone_edits_can_be_redone_after_growing(old):
    before = made(old, "spherical", set_aside=False)
    home = int(before.places[before.row("arm0")])
    whole = (
        before.editor.rename(home, "weapons")
        .editor.add("text80", home)
        .editor.split(home, ["arm1", "arm2"])
    )
    apart = whole.edits[-1].ids[1]
    whole = whole.editor.rename(whole.node(apart), "few")
    grown = grow(whole.editor.undo_to(1), draw(2, 80, 23, kinds=("text",), start=80))
    after = grown.thesaurus
    assert [edit.kind for edit in after.undone] == ["move", "split", "rename"]
    assert apart not in after.ids
    assert "replayed-edits" not in codes(grown.notes)
    again = after.editor.redo().editor.redo().editor.redo()
    assert again.label(again.node(apart)) == "few"
    assert classes(again)["arm1"] == classes(again)["arm2"] == apart
    assert not again.undone
    bare = grow(before.editor.rename(home, "weapons").editor.undo(), draw(2, 20, 26)).thesaurus
    assert bare.editor.redo().label(bare.node(int(before.ids[home]))) == "weapons"


def test_lost_undone_edits_are_reported(old, monkeypatch):
    before = made(old, "spherical", set_aside=False)
    home = int(before.places[before.row("arm0")])
    before = before.editor.rename(home, "weapons").editor.rename(home, "arms").editor.undo_to(0)

    def lose(self, id):
        raise InputError("it is gone")

    monkeypatch.setattr("roget.learn.thesaurus.editor.Draft.find", lose)
    grown = grow(before, draw(2, 20, 26))
    notice(grown.notes, "replayed-edits", "2 undone edits")
    assert not grown.thesaurus.undone


def test_move_of_a_deleted_word_can_be_refused(old):
    before = made(old, "spherical", set_aside=False)
    turned = draw(1, 400, 6, kinds=("text",))
    new = Counts(turned.matrix, ["drink0"], turned.contexts)
    after = grow(before, new.merge(draw(1, 60, 24, start=50))).thesaurus
    assert "moved" in {one.kind for one in after.changes}
    reverted = after.editor.delete("drink0").editor.refuse([one.number for one in after.changes])
    assert {one.state for one in reverted.changes} == {"refused"}
    was = classes(before)
    del was["drink0"]
    assert classes(reverted) == was
    with refused("edit-refused", "'a'"):
        after.editor.refuse("a")


def test_another_thesaurus_is_not_overwritten(old, tmp_path):
    before = build(old, clusters=3, output=tmp_path / "t", heldout=False)
    build(old, clusters=2, output=tmp_path / "u", heldout=False)
    load(tmp_path / "u").editor.rename(0, "mine").save(tmp_path / "u")
    new = draw(4, 30, 11)
    for given in (tmp_path / "t", load(tmp_path / "t")):
        with refused("not-writable", "u"):
            grow(given, new, output=tmp_path / "u")
    assert load(tmp_path / "u").labels == {0: "mine"}
    assert not list(tmp_path.glob("*.partial"))
    (tmp_path / "link").symlink_to(tmp_path / "t")
    grow(tmp_path / "link", new, output=tmp_path / "t")
    assert load(tmp_path / "t").counts.total == before.counts.total + new.total
    grow(load(tmp_path / "t"), draw(4, 30, 12), output=tmp_path / "t")


def test_changes_are_accepted_refused_and_undone(old, tmp_path):
    before = made(old, "spherical", set_aside=False, output=tmp_path / "t")
    turned = draw(1, 400, 6, kinds=("text",))
    new = Counts(turned.matrix, ["drink0"], turned.contexts).merge(draw(2, 60, 24, start=50))
    after = grow(tmp_path / "t", new, output=tmp_path / "t").thesaurus
    by_kind = {one.kind: one for one in after.changes}
    was = classes(before)
    moved, entered = by_kind["moved"].number, by_kind["new"].number
    reverted = after.editor.refuse([moved, entered])
    assert classes(reverted)["drink0"] == was["drink0"]
    assert by_kind["new"].words[0] not in reverted.rows
    states = {one.number: one.state for one in reverted.changes}
    assert {states[moved], states[entered]} == {"refused"}
    assert set(states.values()) == {"refused", "open"}
    reverted.save(tmp_path / "t")
    again = load(tmp_path / "t")
    assert again.changes == reverted.changes
    assert classes(again) == classes(reverted)
    back = again.editor.undo()
    assert classes(back) == classes(after)
    assert {one.state for one in back.changes} == {"open"}
    others = [one.number for one in again.changes if one.state == "open"]
    done = again.editor.accept(others)
    assert not [one for one in done.changes if one.state == "open"]
    assert classes(done) == classes(again)
    assert str(done.edits[-1]).startswith(f"{len(others)} changes accepted: “")
    with refused("edit-refused", f"change {moved}"):
        done.editor.accept(moved)
    with refused("edit-refused", "change 999", "1"):
        done.editor.refuse(999)
    more = grow(done, draw(12, 10, 25)).thesaurus
    assert classes(more)["drink0"] == was["drink0"]
    assert by_kind["new"].words[0] not in more.rows
    assert [one.state for one in more.changes[: len(done.changes)]] == [
        one.state for one in done.changes
    ]


def test_class_with_two_uses_is_split_and_can_be_rejoined(old):
    """Words of one class have since been used in two ways."""
    before = made(old, "spherical", set_aside=False)
    rng = np.random.default_rng(30)
    names = [f"drink{n}" for n in range(12)]
    contexts = [f"obj:drink-{n}" for n in range(8)]
    halves = np.array([[(n < 6) == (c < 4) for c in range(8)] for n in range(12)])
    new = Counts(rng.poisson(np.where(halves, 60, 0.0)), names, contexts)
    grown = grow(before, new, move=False)
    (split,) = [one for one in grown.changes if one.kind == "split"]
    assert set(split.words) in (
        {f"drink{n}" for n in range(6)},
        {f"drink{n}" for n in range(6, 12)},
    )
    after = grown.thesaurus
    was, now = classes(before), classes(after)
    assert split.source == was["drink0"]
    assert {now[word] for word in names} == {split.target, split.rest}
    assert after.ids[after.tree.parent[after.node(split.target)]] == split.source
    back = after.editor.refuse(split.number)
    assert classes(back) == was
    assert sorted(back.ids.tolist()) == sorted(before.ids.tolist())
    assert classes(back.editor.undo()) == now


def test_growing_by_far_more_text_adds_all_counts(old):
    before = made(old, "spherical", set_aside=False)
    grown = grow(before, draw(30, 200, 31))
    assert len(grown.thesaurus) == 90
    assert grown.thesaurus.counts.total == before.counts.total + draw(30, 200, 31).total
    homes = by_kind(before, [f"{kind}5" for kind in KINDS])
    now = classes(grown.thesaurus)
    assert np.mean([now[w] == homes[w.rstrip("0123456789")] for w in now]) == 1.0


TALK = ["drink", "eat", "pour", "bring", "read", "write", "like", "see"]


def write_text(path, seed, sentences=400):
    """CoNLL-U of verbs with objects, of which some are rare."""
    rng = np.random.default_rng(seed)
    nouns = [f"{kind}{letter}" for kind in ("tea", "book", "gun") for letter in "abcdefghijklmnop"]
    rates = rng.gamma(0.4, size=48) + 0.02
    lines = []
    for at in rng.choice(48, sentences, p=rates / rates.sum()).tolist():
        kind = at // 16
        verb = rng.choice(TALK, p=np.roll([0.3, 0.3, 0.1, 0.1, 0.05, 0.05, 0.05, 0.05], 2 * kind))
        lines.append(f"1\t{verb}\t{verb}\tVERB\tVB\t_\t0\troot\t_\t_")
        lines.append(f"2\t{nouns[at]}\t{nouns[at]}\tNOUN\tNN\t_\t1\tobj\t_\t_\n")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    return write_text(folder / "one.conllu", 40), write_text(folder / "two.conllu", 41)


def test_growing_by_text_equals_counting_all_at_once(texts, tmp_path):
    one, two = texts
    options = {"relation": "obj", "heldout": False, "min_count": 5, "clusters": 3, "processes": 1}
    build(one, output=tmp_path / "t", **options)
    before = load(tmp_path / "t")
    rare = set(before.spare.words.tolist())
    assert rare
    grown = grow(tmp_path / "t", two, output=tmp_path / "t", min_contexts=1, processes=1)
    after = load(tmp_path / "t")
    both = count([one, two], relation="obj", min_count=5, processes=1)
    assert set(after.words.tolist()) == set(both.words.tolist())
    entered = {one.words[0] for one in grown.changes if one.kind == "new"}
    assert entered & rare
    got = after.counts.select(both.words, both.contexts)
    assert (got.matrix != both.matrix).nnz == 0
    assert after.counts.total == both.total
    everything = count([one, two], relation="obj", processes=1)
    rest = set(everything.words.tolist()) - set(both.words.tolist())
    assert set(after.spare.words.tolist()) == rest
    held = everything.select(after.spare.words, after.spare.contexts)
    assert (after.spare.matrix != held.matrix).nnz == 0
    inputs = [given["path"] for given in after.counts.provenance["inputs"]]
    assert inputs == [str(one), str(two)]
    assert after.counts.provenance["tokens"] == everything.provenance["tokens"]
    assert (after.counts.evidence is None) == (before.counts.evidence is None)
    if after.counts.evidence is not None:
        word = sorted(entered)[0]
        assert lookup.find_lines(after, word)


def test_known_files_of_a_folder_are_skipped(texts, tmp_path):
    one, two = texts
    options = {"relation": "obj", "heldout": False, "clusters": 3, "processes": 1}
    build(one, output=tmp_path / "t", **options)
    grown = grow(tmp_path / "t", [one, two])
    assert grown.tokens == count(two, relation="obj").total
    assert notice(grown.notes, "copies", "1 of 2")


def test_growing_by_the_same_text_twice_is_refused(texts, tmp_path):
    one, two = texts
    options = {"relation": "obj", "heldout": False, "clusters": 3, "processes": 1}
    build(one, output=tmp_path / "t", **options)
    state = (tmp_path / "t" / "thesaurus.json").read_bytes()
    copy = tmp_path / "copy.conllu"
    copy.write_bytes(one.read_bytes())
    with refused("duplicate-input"):
        grow(tmp_path / "t", copy, output=tmp_path / "t")
    count(copy, relation="obj", output=tmp_path / "counts")
    with refused("duplicate-input"):
        grow(tmp_path / "t", tmp_path / "counts", output=tmp_path / "t")
    count(two, relation="nouns", output=tmp_path / "other")
    with refused("incompatible-counts"):
        grow(tmp_path / "t", tmp_path / "other")
    kept = {"evidence": 2, "evidence_size": 5.0, "processes": 1}
    count(two, relation="obj", output=tmp_path / "kept", **kept)
    assert grow(tmp_path / "t", tmp_path / "kept").tokens == count(two, relation="obj").total
    table = tmp_path / "more.tsv"
    table.write_text("tea\tdrink\t3\n", encoding="utf-8")
    with refused("incompatible-counts"):
        grow(tmp_path / "t", table)
    nothing = tmp_path / "nothing.conllu"
    nothing.write_text("1\tyes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_\n\n", encoding="utf-8")
    with refused("empty-input"):
        grow(tmp_path / "t", nothing, output=tmp_path / "t")
    assert (tmp_path / "t" / "thesaurus.json").read_bytes() == state
    assert not list(tmp_path.glob("*.partial"))
