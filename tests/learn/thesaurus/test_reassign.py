"""Frequent words move to the class that their own contexts support."""

from __future__ import annotations

import numpy as np
import pytest

from roget import Counts, SphericalTree
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.reassign import ENOUGH, KEY, _move, find_contradicted, reassign
from roget.report.thesaurus import report
from roget.report.why import report as explain


def plant(tokens=120):
    """Return a thesaurus of four classes of 12 words with contexts of their own."""
    rng = np.random.default_rng(0)
    broad = rng.dirichlet(np.full(400, 0.02), 4)
    rows = [rng.multinomial(tokens, broad[at // 12]) for at in range(48)]
    counts = Counts(np.array(rows), [f"w{at}" for at in range(48)])
    model = SphericalTree(4, random_state=0, set_aside=False, min_contexts=1).fit(counts)
    return Thesaurus.from_clustering(counts, model)


@pytest.fixture(scope="module")
def planted():
    return plant()


def misplace(thesaurus, word="w0", like="w20"):
    """Move a word to the class of another word."""
    cluster = thesaurus.tree.cluster[thesaurus.places[thesaurus.rows[like]]]
    return _move(thesaurus, np.array([thesaurus.rows[word]]), np.array([cluster]))


def test_misplaced_word_moves_back(planted):
    wrong = misplace(planted)
    assert wrong.places[0] == wrong.places[20]
    found = reassign(wrong)
    assert np.array_equal(found.places, planted.places)
    assert found.provenance[KEY] == ["w0"]
    assert float(found.mass.sum()) == pytest.approx(1)
    assert np.allclose(found.clustering.centroids.sum(axis=1), 1)


def test_words_of_a_good_thesaurus_stay(planted):
    assert reassign(planted) is planted


def test_rare_words_stay():
    wrong = misplace(plant(ENOUGH - 1))
    assert reassign(wrong) is wrong


def test_evidence_agrees_with_why(planted):
    wrong = misplace(planted)
    rows, nodes, shares = find_contradicted(wrong, np.arange(len(wrong)))
    assert rows.tolist() == [0]
    best = explain(wrong, "w0").data["classes"][0]
    assert (best["node"], best["probability"]) == (nodes[0], pytest.approx(shares[0]))
    label = wrong.label(int(nodes[0]))
    one = explain(wrong, "w0", into=label).data["class"]
    assert one["probability"] == pytest.approx(shares[0])


def test_report_lists_moved_words(planted):
    lead = report(reassign(misplace(planted))).lead
    assert any("1 frequent word (w0)" in line for line in lead)
