"""Senses of real nouns: the figures of benchmarks/senses.py stay above their floors."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from roget import Thesaurus
from roget.learn.clustering.spherical.estimator import SphericalTree

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "senses.py"


@pytest.fixture(scope="module")
def bench():
    spec = importlib.util.spec_from_file_location("benchmark_of_senses", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def wordnet(bench, shared_data):
    return bench.WordNet(shared_data / "wordnet30")


@pytest.fixture(scope="module")
def thesauri(bench, shared_data):
    tops = {name: counts.top(bench.NOUNS) for name, counts in bench.corpora(shared_data)}
    return [
        Thesaurus.from_clustering(t, SphericalTree(random_state=0).fit(t)) for t in tops.values()
    ]


@pytest.mark.slow
def test_ten_of_twenty_ambiguous_nouns_have_separate_senses(bench, wordnet, thesauri):
    right = {
        word
        for thesaurus in thesauri
        for word in bench.TWENTY.split()
        if word in thesaurus.rows and wordnet.separates(word, bench.groups_of(thesaurus, word))
    }
    assert len(right) >= 10, right


@pytest.mark.slow
def test_nine_of_ten_monosemous_nouns_have_one_sense(bench, wordnet, thesauri):
    for thesaurus in thesauri:
        several = np.diff(thesaurus.sense_memberships.indptr) > 1
        # All such nouns: a draw of 100 varies by some 3 nouns with the vocabulary.
        single = bench.single_nouns(thesaurus, wordnet, len(thesaurus))
        assert len(single) >= 300
        assert np.mean([several[thesaurus.rows[word]] for word in single]) <= 0.1
