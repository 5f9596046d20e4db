"""Growing: counts are added exactly, classes stay, new words are placed, clear changes are made."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from roget import Counts, Thesaurus, build, catalogue, load
from roget.errors import InputError
from roget.learn.clustering.renewal import Renewal
from roget.learn.growth.adding import add
from roget.learn.growth.grow import grow

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
    return dict(zip(thesaurus.words.tolist(), thesaurus.places.tolist(), strict=True))


def by_kind(thesaurus, words):
    """The classes in which most words of each kind are."""
    places = classes(thesaurus)
    return {word.rstrip("0123456789"): places[word] for word in words}


@pytest.mark.parametrize("method", METHODS)
def test_all_clusterers_grow(old, method):
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


@pytest.mark.parametrize("method", METHODS)
def test_nothing_new_changes_no_class(old, method):
    """Renewing by the same counts gives the same centroids, masses and placements."""
    before = made(old, method)
    found = before.clustering
    same = Renewal(found, before.counts, before.counts).regroup()
    dense = [c.toarray() if sparse.issparse(c) else c for c in (found.centroids, same.centroids)]
    np.testing.assert_allclose(dense[1], dense[0], atol=1e-6)
    np.testing.assert_allclose(same.mass, found.mass, atol=1e-6)
    new = draw(5, 40, 9, start=70)
    assert (same.place(new).argmax(axis=1) == found.place(new).argmax(axis=1)).all()


@pytest.mark.parametrize("method", METHODS)
def test_centroids_are_those_of_all_counts(old, method):
    """The naive twin: what a class had, and every new token of its words."""
    before = made(old, method)
    new = draw(12, 20, 3)
    added = add(before.counts, new)
    found = before.clustering
    got = Renewal(found, before.counts, added.counts).regroup()
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


def test_counts_are_those_of_all_text_at_once():
    one, two = draw(6, 30, 4), draw(6, 30, 5)
    both = one.merge(two)
    got = add(one, two).counts
    assert got.words[: len(one)].tolist() == one.words.tolist()
    assert got.contexts[: one.shape[1]].tolist() == one.contexts.tolist()
    assert got.select(both.words, both.contexts) == both


def test_a_word_moves_where_new_text_puts_it(old):
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


def test_new_words_unlike_all_make_a_class(old):
    before = made(old, "spherical", set_aside=False)
    grown = grow(before, draw(12, 80, 7, kinds=("boat",)).merge(draw(3, 30, 8)), min_contexts=1)
    after = grown.thesaurus
    (new,) = [one for one in grown.changes if one.kind == "class"]
    assert set(new.words) == {f"boat{n}" for n in range(12)}
    assert after.tree.n_clusters == 4
    assert len({classes(after)[word] for word in new.words}) == 1
    assert classes(after)["boat0"] not in classes(before).values()
    assert {w: p for w, p in classes(after).items() if w in before.rows} == classes(before)


def test_a_folder_grows_in_its_place(old, tmp_path):
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


def test_what_is_something_else_is_refused(old, tmp_path):
    before = made(old, "spherical")
    with pytest.raises(InputError, match="count them in the same way"):
        grow(before, Counts([[3]], ["tea"], ["zzz"]))
    with pytest.raises(InputError, match="nothing to grow by"):
        grow(before, [])
    assert isinstance(before, Thesaurus)
