"""The test kits of `roget.plugins` accept good parts and find faults."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from roget import AgglomerativeTree, catalogue, plugins
from roget.plugins.kits import (
    check_clusterer,
    check_corpus_reader,
    check_estimator,
    check_exporter,
    check_label_reader,
    check_language,
    check_measure,
)
from roget.scoring.entropy.base import ML
from roget.scoring.measures.base import Measure

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "plugin"))

import roget_extras


def test_every_public_name_of_plugins_can_be_imported():
    assert sorted(plugins.__all__) == sorted(plugins._PUBLIC)
    for name in plugins.__all__:
        assert getattr(plugins, name) is not None


def test_check_measure_accepts_built_in_and_plugin_measures():
    check_measure(roget_extras.Kulczynski)
    for name in ("v", "ari", "b3-precision"):
        check_measure(catalogue.load("measures", name), examples=15)


class _OutOfRange(Measure, name="out-of-range", symmetric=True, reference=""):
    """1 is best: grows without bound."""

    def compute(self, pairs):
        return 1.0 + pairs.total


class _Asymmetric(Measure, name="asymmetric", symmetric=True, reference=""):
    """1 is best: paired precision, declared symmetric."""

    def compute(self, pairs):
        return pairs.both / pairs.system if pairs.system else 1.0


@pytest.mark.parametrize("kind", [_OutOfRange, _Asymmetric])
def test_check_measure_finds_false_declarations(kind):
    with pytest.raises(AssertionError, match=kind.__dict__.get("name") or "measure|of"):
        check_measure(kind)


class _Doubled(ML):
    """Twice the plug-in estimate."""

    name = "doubled"

    def estimate(self, histogram, support):
        return 2 * super().estimate(histogram, support)


def test_check_estimator_finds_faults():
    check_estimator(roget_extras.Laplace)
    with pytest.raises(AssertionError, match="doubled"):
        check_estimator(_Doubled)


def test_check_corpus_reader_finds_faults():
    text = "<s>\nCats\tNOUN\tcat\nsleep\tVERB\tsleep\n</s>\n"
    check_corpus_reader(roget_extras.read_vrt, text, [["cat", "sleep"]])
    with pytest.raises(AssertionError, match="expected"):
        check_corpus_reader(roget_extras.read_vrt, text, [["dog"]])


def test_check_corpus_reader_knows_suffixes_of_the_catalogue():
    text = (
        "1\tCats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    )
    check_corpus_reader(catalogue.load("readers", "conllu"), text, [["cat", "sleep"]])

    def read(source, tables, reading):
        yield from ()

    with pytest.raises(AssertionError, match="suffixes"):
        check_corpus_reader(read, text, [])


def test_check_label_reader_finds_faults():
    text = "d1 -> x\nd2 -> y\n"
    check_label_reader(roget_extras.ARROWS, text, {"d1": "x", "d2": "y"})
    with pytest.raises(AssertionError, match="expected"):
        check_label_reader(roget_extras.ARROWS, text, {"d1": "x", "d2": "x"})


class _OneCluster:
    """Puts everything in one cluster."""

    def fit(self, counts):
        import numpy as np

        self.labels_ = np.zeros(counts.shape[0], dtype=int)
        return self


class _NoNumber(AgglomerativeTree):
    """Names a parameter that it does not have."""

    number = "n_groups"


def test_check_clusterer_finds_faults():
    check_clusterer(catalogue.load("clusterers", "agglomerative"), n_clusters=2)
    with pytest.raises(AssertionError, match="families"):
        check_clusterer(_OneCluster)
    with pytest.raises(AssertionError, match="n_groups"):
        check_clusterer(_NoNumber, n_clusters=2)


class _NoTags(roget_extras.Shorthand):
    """Gives one tag too few."""

    def analyse(self, sentences):
        for one in super().analyse(sentences):
            yield one._replace(upos=one.upos[1:])


class _OwnHead(roget_extras.Shorthand):
    """Makes every token its own head."""

    def analyse(self, sentences):
        for one in super().analyse(sentences):
            count = range(len(one.lemmas))
            yield one._replace(heads=list(count), labels=["obj" for _ in count])


def test_check_language_finds_faults():
    sentence, tokens = "cat drinks milk.", ["cat", "drinks", "milk", "."]
    check_language(roget_extras.Shorthand, sentence, tokens)
    with pytest.raises(AssertionError, match="expected"):
        check_language(roget_extras.Shorthand, sentence, ["cat"])
    for kind in (_NoTags, _OwnHead):
        with pytest.raises(AssertionError, match=r"upos|heads"):
            check_language(kind, sentence, tokens)


def test_check_exporter_finds_faults():
    check_exporter(roget_extras.write_words)
    check_exporter(catalogue.load("exporters", "tsv"))

    def write_nothing(thesaurus, target, options=None):
        target.write_text("")

    write_nothing.suffixes = (".nothing",)
    with pytest.raises(AssertionError, match="lacks"):
        check_exporter(write_nothing)
