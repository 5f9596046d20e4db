"""Senses: planted senses are found, pure words have one, and no word votes for itself."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import Counts
from roget.core.tree import Tree
from roget.learn.thesaurus.senses import USUAL, Senses, find_kin, fit, log_ratio_to_usual
from thesauri import CONTEXTS, EACH, MIXED, THESAURI, hard, mixtures


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("share", [0.5, 0.3])
def test_mixtures_have_both_senses_and_pure_words_have_one(seed, share):
    counts, home, pairs = mixtures(seed, share)
    t = hard(counts, home)
    for row, pair in enumerate(pairs):
        found = t.senses(f"m{row}")
        assert {int(t.tree.cluster[one.node]) for one in found} == set(pair)
        weights = {int(t.tree.cluster[one.node]): one.share for one in found}
        assert weights[pair[1]] == pytest.approx(share, abs=0.15)
    single = [len(t.senses(f"w{row}")) == 1 for row in range(MIXED * EACH)]
    assert np.mean(single) >= 0.95


def test_each_sense_has_its_own_contexts_and_words():
    counts, home, pairs = mixtures()
    t = hard(counts, home)
    for row, pair in enumerate(pairs):
        for one in t.senses(f"m{row}", 5):
            family = int(t.tree.cluster[one.node])
            assert family in pair
            families = [int(context.context[1:]) // CONTEXTS for context in one.contexts]
            assert set(families) <= {family, MIXED}, "its own, or those that all have"
            assert families.count(family) >= 4
            assert all(home[t.row(word)] == family for word in one.words)
            assert f"m{row}" not in one.words
            own = counts.matrix[[t.row(f"m{row}")]].toarray().ravel() / 400
            for context in one.contexts:
                assert context.probability == own[int(context.context[1:])]


def test_rare_word_has_one_sense():
    counts, home, _ = mixtures()
    few = counts.matrix.toarray()
    few[-1] = np.where(np.arange(few.shape[1]) % 40 == 0, np.minimum(few[-1], 1), 0)
    t = hard(Counts(few, counts.words, counts.contexts), home)
    (one,) = t.senses(f"m{MIXED - 1}")
    assert one.node == t.path(f"m{MIXED - 1}")[-1]


def test_word_does_not_vote_for_its_own_class():
    counts, home, _ = mixtures()
    home[-1] = MIXED  # a class of its own
    t = hard(counts, home)
    senses = {int(t.tree.cluster[one.node]) for one in t.senses(f"m{MIXED - 1}")}
    assert senses == {MIXED - 1, 1}, "of which it was made"
    home[0] = MIXED + 1
    t = hard(counts, home)
    (one,) = t.senses("w0")
    assert (one.node, one.share, one.contexts, one.words) == (t.path("w0")[-1], 1.0, (), ())


def test_senses_respect_edits():
    counts, home, _ = mixtures()
    t = hard(counts, home)
    there = t.path("w20")[-1]
    (one,) = t.editor.move("w0", there).senses("w0")
    assert one.node == there
    kept = t.index.places.senses
    assert t.editor.rename(there, "named").index.places.senses is kept


@settings(max_examples=60)
@given(THESAURI)
def test_shares_of_senses_sum_to_one_and_single_sense_is_the_class(t):
    table = t.sense_memberships
    assert table.shape == t.memberships.shape
    assert np.asarray(table.sum(axis=1)).ravel() == pytest.approx(np.ones(len(t)))
    for word in t.words.tolist():
        found = t.senses(word)
        assert sum(one.share for one in found) == pytest.approx(1)
        assert [one.share for one in found] == sorted((one.share for one in found), reverse=True)
        assert len({one.node for one in found}) == len(found)
        assert len(found) > 1 or found[0].node == t.path(word)[-1]
        assert all(word not in one.words for one in found)


@pytest.mark.parametrize("seed", range(3))
def test_senses_do_not_depend_on_order_of_words(seed):
    random = np.random.default_rng(seed)
    counts, home, _ = mixtures(seed, 0.4, 200)
    order = random.permutation(home.size)
    turned = Counts(counts.matrix[order], counts.words[order], counts.contexts)
    one = Senses(counts, home, Tree.flat(MIXED)).memberships.toarray()
    other = Senses(turned, home[order], Tree.flat(MIXED)).memberships.toarray()
    assert one[order] == pytest.approx(other, abs=1e-6)


def test_related_classes_of_a_large_tree_are_one_sense():
    halves = [(cluster, -float(at)) for at in range(6) for cluster in range(2**at)]
    kin = find_kin(Tree.from_splits(halves))
    assert np.unique(kin).size == 64 // 5
    assert np.bincount(kin).min() >= 4
    for flat_or_small in (Tree.flat(64), Tree.from_splits(halves[:20])):
        kin = find_kin(flat_or_small)
        assert np.array_equal(kin, np.arange(flat_or_small.n_clusters))


def test_word_has_one_sense_per_part_of_the_tree(monkeypatch):
    counts, home, pairs = mixtures()
    tree = Tree.from_splits([(0, 2.0), *((at, 1.0) for at in range(MIXED - 2))])
    apart = Senses(counts, home, tree).memberships
    monkeypatch.setattr("roget.learn.thesaurus.senses.find_kin", lambda tree: np.zeros(MIXED, int))
    together = Senses(counts, home, tree).memberships
    mixed = slice(-len(pairs), None)
    assert np.diff(apart.indptr)[mixed].max() == 2
    assert np.diff(together.indptr).max() == 1


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_weights_equal_non_negative_least_squares(seed, size):
    from scipy.optimize import nnls

    random = np.random.default_rng(seed)
    atoms = np.eye(size) + 0.1 * random.random((size, size))
    target = random.normal(size=size)
    weights = fit((atoms @ atoms.T)[None], (atoms @ target)[None])[0]
    assert weights == pytest.approx(nnls(atoms.T, target)[0], abs=1e-3)


def test_words_without_informative_counts_have_one_sense():
    counts = Counts([[1, 1], [1, 1], [0, 0]], ["a", "b", "c"], ["x", "y"])
    t = hard(counts, np.array([0, 0, 1]))
    for word in "abc":
        (one,) = t.senses(word)
        assert (one.node, one.share) == (t.path(word)[-1], 1.0)


@given(THESAURI)
@settings(max_examples=10)
def test_senses_of_too_many_classes_equal_memberships(t):
    with mock.patch("roget.learn.thesaurus.senses.MANY", 1):
        found = t.sense_memberships
    if t.tree.n_clusters > 1:
        assert np.array_equal(found.toarray(), t.memberships.toarray())


@pytest.mark.parametrize("usual", [20, 500])
def test_threshold_depends_on_the_evidence_and_not_on_the_other_words(usual):
    contexts = np.array([usual, usual, 2 * usual])
    found = log_ratio_to_usual(contexts)
    # In a small text, even the most frequent word has less evidence than is usual.
    assert (found[2] > 0) == (usual > USUAL)
    assert found[2] - found[0] == pytest.approx(np.log(2))
    assert log_ratio_to_usual(np.zeros(2))[0] == pytest.approx(-np.log(USUAL))
