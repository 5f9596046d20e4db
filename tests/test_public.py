"""The public interface: exported names, and cost of importing it."""

from __future__ import annotations

import importlib
import pkgutil

import roget
from roget import catalogue
from roget.scoring.measures import Measure, parse

EXPORTED = {
    "AgglomerativeTree", "Agreement", "Attacher", "ClassModel", "CoMDL", "Comparison",
    "Contingency", "Counts", "Hierarchy", "InputError", "ItemScores", "MDLTree", "Ranking",
    "RogetError", "ScoreRow", "ScoreTable", "SoftAnnealing", "SphericalTree", "Sweep",
    "SymmetricAnnealing", "Thesaurus", "TreeCut", "Undefined", "__version__", "agree", "build",
    "cite", "compare", "contingency", "count", "data", "entropy", "evaluate_embeddings", "grow",
    "load", "make_dom_table", "measure", "place", "rank", "score", "score_items", "scorer", "sweep",
    "widget",
}  # fmt: skip

DESIGNED_MEASURES = [
    "homogeneity",
    "completeness",
    "v",
    "vi",
    "nvi",
    "nvi-k",
    "vi-logn",
    "q0",
    "q2",
    "mi",
    "nmi",
    "ami",
    "rmi",
    "purity",
    "inverse-purity",
    "zk-entropy",
    "f",
    "larsen",
    "micro-precision",
    "micro-recall",
    "many-to-one",
    "one-to-one",
    "greedy-one-to-one",
    "van-dongen",
    "misclassification",
    "meila-heckerman",
    "rand",
    "ari",
    "gamma",
    "jaccard",
    "fm",
    "mirkin",
    "paired-precision",
    "paired-recall",
    "paired-f",
    "b3-precision",
    "b3-recall",
    "b3-f",
    "ceaf-e",
    "ceaf-m",
    "supervised-recall",
]
DESIGNED_ENTROPIES = ["ml", "mm", "jk", "bub", "grassberger", "chao-shen", "shrink", "nsb", "cwj"]


def test_exported_names_are_as_expected():
    assert set(roget.__all__) == EXPORTED == set(dir(roget))
    assert all(getattr(roget, name) is not None for name in EXPORTED)


def test_score_is_not_shadowed_by_a_module():
    """No module may have the name of a public function."""
    for module in pkgutil.walk_packages(roget.__path__, "roget."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert roget.score([0], [0], "ari")["ari"] == 1.0


def test_catalogue_has_all_designed_parts():
    # What was designed stays under its name; more may be added by a line of the catalogue.
    assert set(catalogue.names("measures")) >= set(DESIGNED_MEASURES)
    assert set(catalogue.names("entropies")) >= set(DESIGNED_ENTROPIES)


def test_every_entry_loads_and_declares_itself():
    for name in catalogue.names("measures"):
        measure = parse(name)
        assert isinstance(measure, Measure)
        assert measure.name == name == str(measure)
        assert hash(measure) == hash(parse(name))
        assert measure == parse(name)
        assert measure.reference
        assert measure.__doc__
    for name in catalogue.names("entropies"):
        estimator = catalogue.load("entropies", name)
        assert estimator.name == name
        assert estimator.assumes
        assert estimator.reference
    for kind in ("renderers", "label formats"):
        assert all(callable(catalogue.load(kind, name)) for name in catalogue.names(kind))


def test_entry_points_add_to_the_catalogue(monkeypatch):
    from importlib import metadata

    point = metadata.EntryPoint("twice-v", "roget.scoring.measures.information:V", "roget.measures")
    found = {"roget.measures": [point]}
    monkeypatch.setattr(metadata, "entry_points", lambda group: found.get(group, []))
    catalogue.entries.cache_clear()
    catalogue.load.cache_clear()
    try:
        assert "twice-v" in catalogue.names("measures")
        assert catalogue.load("measures", "twice-v").name == "v"
    finally:
        monkeypatch.undo()
        catalogue.entries.cache_clear()
        catalogue.load.cache_clear()
