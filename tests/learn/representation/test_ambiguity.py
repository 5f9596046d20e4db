"""Ambiguity by prior vectors: words between groups have distant, scattered neighbours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from roget.core.counts.views import unit
from roget.core.tree import Tree
from roget.learn.representation.ambiguity import NEAREST, measure_ambiguity
from roget.learn.representation.vectors import Representation
from roget.learn.thesaurus.senses import Senses
from thesauri import EACH, MIXED, mixtures


def learn(between: bool, seed: int = 0) -> tuple[Representation, np.ndarray, list[tuple[int, int]]]:
    """Vectors of families, and of words that lie between two of them, or in one."""
    counts, home, pairs = mixtures(seed)
    random = np.random.default_rng(seed)
    centres = unit(random.normal(size=(MIXED, 40)))
    middle = [centres[a] + between * centres[b] for a, b in pairs]
    prior = np.vstack([centres[home[: MIXED * EACH]], unit(np.array(middle))])
    prior = unit(prior + random.normal(scale=0.05, size=prior.shape)).astype(np.float32)
    known = Representation.learn(counts.matrix.astype(float), widths=(10, 10))
    return known.add_prior(prior, np.ones(len(prior), dtype=bool), 0.5), home, pairs


def naive(known: Representation, often: list[int]) -> list[float]:
    own, prior = unit(known.vectors[:, : -known.prior]), unit(known.vectors[:, -known.prior :])
    figures = []
    for row in range(len(prior)):
        others = sorted((at for at in often if at != row), key=lambda at: -(prior[at] @ prior[row]))
        near = others[:NEAREST]
        pairs = [(a, b) for a in near for b in near if a != b]
        close = [float(prior[at] @ prior[row]) for at in near[:5]]
        cohesion = [
            float(np.mean([table[a] @ table[b] for a, b in pairs])) for table in (prior, own)
        ]
        figures.append([np.mean(close), *cohesion])
    table = np.array(figures)
    usual = table[often]
    return list(-((table - usual.mean(axis=0)) / usual.std(axis=0)).mean(axis=1))


def test_ambiguity_equals_naive_code() -> None:
    known, home, _ = learn(True)
    totals = np.full(home.size, 400.0)
    totals[::7] = 10  # too rare for a neighbour
    found = measure_ambiguity(known, totals)
    assert found == pytest.approx(naive(known, np.flatnonzero(totals >= 20).tolist()), abs=1e-4)


def test_words_between_groups_are_ambiguous() -> None:
    known, home, _ = learn(True)
    found = measure_ambiguity(known, np.full(home.size, 400))
    assert found[-MIXED:].min() > np.quantile(found[:-MIXED], 0.99)


def test_words_without_vectors_or_neighbours_are_not_ambiguous() -> None:
    known, home, _ = learn(True)
    rows = np.arange(home.size)
    rows[3] = -1
    found = measure_ambiguity(replace(known, rows=rows), np.full(home.size, 400))
    assert np.flatnonzero(np.isinf(found)).tolist() == [3]
    rare = measure_ambiguity(known, np.where(np.arange(home.size) < NEAREST, 400, 10))
    assert np.isneginf(rare).all()


def test_mixed_words_have_both_senses_if_prior_vectors_are_ambiguous() -> None:
    counts, home, pairs = mixtures()
    split = []
    for between in (True, False):
        known, _, _ = learn(between)
        found = Senses(counts, home, Tree.flat(MIXED), known=known).memberships
        mixed = [set(found[[row]].indices.tolist()) for row in range(MIXED * EACH, home.size)]
        split.append(sum(len(one) > 1 for one in mixed))
        if between:
            assert mixed == [set(pair) for pair in pairs]
        assert np.mean(np.diff(found.indptr)[: MIXED * EACH] == 1) >= 0.95
    assert split[0] == MIXED
    assert split[1] <= MIXED // 2


def test_vectors_without_prior_do_not_change_senses() -> None:
    counts, home, _ = mixtures()
    bare = Representation.learn(counts.matrix.astype(float), widths=(10, 10))
    without = Senses(counts, home, Tree.flat(MIXED)).memberships
    found = Senses(counts, home, Tree.flat(MIXED), known=bare).memberships
    assert np.array_equal(found.toarray(), without.toarray())
