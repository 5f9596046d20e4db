"""Neighbours: the most similar words, compared with naive code."""

from __future__ import annotations

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget import Counts
from roget.core.tree import Tree
from roget.learn.clustering.spherical.estimator import SphericalTree
from roget.learn.options import WAYS
from roget.learn.thesaurus import Thesaurus, neighbours
from roget.learn.thesaurus.neighbours import compare_words, list_neighbours
from support.errors import refused
from thesauri import THESAURI


def cosine(a, b):
    long = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / long if long else 0.0


def tell(table):
    """w²/(1 + w) of positive mutual information, contexts by totals^.75; rows of length 1."""
    columns = (table.sum(axis=0) ** 0.75) / (table.sum(axis=0) ** 0.75).sum()
    rows = []
    for row in table:
        ratios = [n / row.sum() / p if n else 0 for n, p in zip(row, columns, strict=True)]
        w = [math.log(x) if x > 1 + 1e-12 else 0.0 for x in ratios]
        weights = np.array([x * x / (1 + x) for x in w])
        rows.append(weights / (math.sqrt((weights**2).sum()) or 1.0))
    return np.array(rows)


def deviations(cosines):
    n = len(cosines)
    pairs = [cosines[i][j] for i in range(n) for j in range(n) if i != j]
    spread = np.std(pairs)
    return (np.array(cosines) - np.mean(pairs)) / (spread if spread > 1e-9 else 1.0)


def naive(t, by, vectors=None):
    """Similarities of all words, pair by pair."""
    weights, n = tell(t.counts.matrix.toarray().astype(float)), len(t)
    own = deviations([[cosine(weights[i], weights[j]) for j in range(n)] for i in range(n)])
    belongs = t.memberships.toarray()
    sums = belongs.T @ weights
    between = np.array([[cosine(a, b) for b in sums] for a in sums])
    classes = deviations(belongs @ between @ belongs.T)
    if by != "both":
        return own if by == "counts" else classes
    more = classes if vectors is None else deviations(vectors @ vectors.T)
    seen = np.sqrt(np.outer(t.counts.word_totals, t.counts.word_totals))
    share = seen / (seen + 100)
    return (share * own + (1 - share) * more) * (seen + 1) / (seen + 11)


@settings(max_examples=20)
@given(THESAURI, st.integers(1, 20), st.sampled_from(list(WAYS)), st.sampled_from([1, 4096]))
def test_neighbours_equal_naive_ranking(t, n, by, many):
    right = naive(t, by)[1]
    with mock.patch("roget.learn.thesaurus.neighbours.MANY", many):
        found = t.neighbours("w1", n, by)
    assert len(found) == min(n, len(t) - 1)
    values = sorted(np.delete(right, 1), reverse=True)[:n]
    assert [one.similarity for one in found] == pytest.approx(values, abs=1e-8)
    for one in found:
        assert one.similarity == pytest.approx(right[t.row(one.word)], abs=1e-8)
        assert one.distance == pytest.approx(math.exp(-one.similarity))


def topics(words=90, contexts=40):
    chance = np.random.default_rng(2)
    kinds = chance.dirichlet(np.full(contexts, 0.1), 5)
    return Counts([chance.multinomial(10 + 3 * row, kinds[row % 5]) for row in range(words)])


def test_saved_vectors_are_combined_with_contexts(tmp_path):
    counts = topics()
    model = SphericalTree(5, random_state=0, set_aside=False).fit(counts)
    t = Thesaurus.from_clustering(counts, model)
    vectors = model.clustering_.representation.vectors.astype(np.float64)
    right = naive(t, "both", vectors)
    t.save(tmp_path / "t")
    for one in (t, Thesaurus.load(tmp_path / "t")):
        for row in (0, 7, 89):
            near = one.neighbours(str(row), 5)
            values = sorted(np.delete(right[row], row), reverse=True)[:5]
            assert [x.similarity for x in near] == pytest.approx(values, abs=1e-6)
            assert all(int(x.word) % 5 == row % 5 for x in near)


def test_excluded_words_have_vectors():
    rows = topics().matrix.toarray()
    rows[7, np.argsort(rows[7])[:-2]] = 0  # two contexts, which the third word of its kind has too
    counts = Counts(rows)
    model = SphericalTree(5, random_state=0, set_aside=False).fit(counts)
    assert model.clustering_.representation.rows[7] == -1
    t = Thesaurus.from_clustering(counts, model)
    assert all(int(one.word) % 5 == 2 for one in t.neighbours("7", 5))


def test_neighbours_do_not_depend_on_batch_size(monkeypatch):
    counts = topics()
    t = Thesaurus.from_clustering(counts, SphericalTree(5, random_state=0).fit(counts))
    together = list_neighbours(t, np.arange(90), 7)
    monkeypatch.setattr(neighbours, "CELLS", 200)
    assert list_neighbours(t, np.arange(90), 7) == together
    assert [t.neighbours(str(row), 7) for row in range(90)] == together


def test_ties_are_ordered_by_number():
    t = Thesaurus.from_clustering(
        same := Counts([[5, 0, 1], [1, 5, 0]] * 3), SphericalTree(2, min_contexts=1).fit(same)
    )
    assert [one.word for one in t.neighbours("2", 2)] == ["0", "4"]


def test_invalid_requests_for_neighbours_are_refused():
    t = Thesaurus.from_clustering(counts := topics(), SphericalTree(5).fit(counts))
    with refused("unknown-name"):
        t.neighbours("1", by="by_sound")
    with refused("invalid-option", "0"):
        t.neighbours("1", 0)


@settings(max_examples=15)
@given(THESAURI, st.sampled_from(WAYS), st.integers(0, 10**6))
def test_similarities_equal_those_of_neighbours(t, by, seed):
    rows, others = np.random.default_rng(seed).integers(len(t), size=(2, 30))
    found = compare_words(t, rows, others, by)
    neighbours_by_row = [dict(near) for near in list_neighbours(t, np.arange(len(t)), len(t), by)]
    for row, other, alike in zip(rows, others, found, strict=True):
        if row != other:
            assert alike == neighbours_by_row[row][str(t.words[other])]
    # However few are compared at a time.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbours, "CELLS", 1)
        assert np.array_equal(compare_words(t, rows, others, by), found)


def test_incomparable_pairs_are_refused():
    counts = Counts([[3, 1], [1, 3], [0, 0]])
    t = Thesaurus.from_parts(
        counts, Tree.flat(2), [[1, 0], [0, 1], [1, 0]], [[0.5, 0.5]] * 2, [0.5, 0.5]
    )
    rows = np.array([0, 1])
    with refused("too-little-text"):
        compare_words(t, rows, np.array([1, 2]), "counts")
    with refused("unknown-name", "colour"):
        compare_words(t, rows, rows, "colour")
