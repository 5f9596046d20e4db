"""Classification of new words by the rules of the clusterers, from the thesaurus alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import Counts, MDLTree, SoftAnnealing
from roget.learn.thesaurus import Thesaurus, lookup
from support.errors import refused
from thesauri import FAMILIES, THESAURI, planted


def counted(t, seed, words=5):
    """Counts of new words, with the contexts in another order and one that is not known."""
    random = np.random.default_rng(seed)
    contexts = [*random.permutation(t.contexts), "unheard-of"]
    matrix = random.poisson(2, (words, len(contexts)))
    matrix[0, :-1], matrix[0, -1] = 0, 4
    matrix[1, 0] += 1
    return Counts(matrix, [f"new{n}" for n in range(words)], contexts)


def naive(t, counts, row):
    """p(cluster|word) by the rule of annealing if there is a β, else by Bayes."""
    given_row = {
        str(c): counts.count(str(counts.words[row]), str(c))
        for c in counts.contexts
        if c in set(t.contexts)
    }
    total, beta = sum(given_row.values()), t.provenance.get("beta")
    scores = []
    for c in range(t.tree.n_clusters):
        fit = sum(
            n * math.log(max(t.centroids[c, t.counts.context_id(v)], 1e-300))
            for v, n in given_row.items()
        )
        scores.append(beta * fit / max(total, 1) if beta else fit + math.log(t.mass[c]))
    if not total:
        return t.mass
    weights = np.exp(np.array(scores) - max(scores))
    return weights / weights.sum()


@settings(max_examples=15)
@given(THESAURI, st.integers(0, 99), st.booleans())
def test_classify_applies_the_placement_rule(t, seed, soft):
    if not soft:
        t = Thesaurus.from_parts(t.counts, t.tree, t.memberships, t.centroids, t.mass)
    counts = counted(t, seed)
    found = t.classify(counts).toarray()
    for row in range(len(counts)):
        assert found[row] == pytest.approx(naive(t, counts, row), abs=1e-7)
    rows = lookup.list_placements(t, counts, 2)
    for row, word in enumerate(counts.words):
        own = [one for one in rows if one.word == word]
        assert own[0].probability == pytest.approx(found[row].max())
        assert found[row, t.tree.cluster[own[0].node]] == pytest.approx(own[0].probability)
        assert own[0].label == t.label(own[0].node)
        assert len(own) == 1 + (np.sort(found[row])[:-1] >= 0.01)[-1:].sum()
        known = sum(counts.count(word, v) for v in counts.contexts if v != "unheard-of")
        assert own[0].known == pytest.approx(known / max(counts.word_totals[row], 1))


@pytest.mark.parametrize("model", ["asymmetric", "symmetric"])
def test_annealed_thesaurus_classifies_like_its_model(model):
    counts = planted().counts
    fitted = SoftAnnealing(3, model=model, random_state=0).fit(counts)
    t = Thesaurus.from_clustering(counts, fitted)
    new = counted(t, 3)
    assert t.classify(new).toarray() == pytest.approx(fitted.predict_proba(new), abs=1e-6)


def test_mdl_thesaurus_classifies_like_its_model():
    counts = planted().counts
    fitted = MDLTree(random_state=0).fit(counts)
    t = Thesaurus.from_clustering(counts, fitted)
    found = np.asarray(t.classify(counts).argmax(axis=1)).ravel()
    assert found.tolist() == fitted.predict(counts).tolist()
    assert fitted.n_clusters_ > 1


def test_merged_classes_receive_new_words():
    t = planted()
    new = t.editor.merge(t.path("hut")[-1], t.path("gun")[-1])
    rows = lookup.list_placements(new, Counts([[5, 1]], ["tent"], ["homes-1", "homes-2"]))
    assert rows[0].node == new.path(FAMILIES["homes"][0])[-1]


def test_classify_refuses_counts_without_known_context():
    with refused("no-common-contexts", "obj:drink"):
        planted().classify(Counts([[1]], ["tea"], ["obj:drink"]))
