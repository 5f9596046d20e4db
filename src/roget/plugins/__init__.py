"""Public interface for plug-ins: base classes, and a test kit for every kind of plug-in.

These names and the names in `roget.__all__` are public. All other modules of roget are internal and
may change without notice. A kit raises `AssertionError` with the reason if a plug-in violates the
contract of its kind:

>>> from roget.plugins import Measure, check_measure
>>> class Kulczynski(Measure, name="kulczynski", symmetric=True, reference="Kulczyński 1927"):
...     '''Mean of paired precision and paired recall; 1 is best.'''
...
...     def compute(self, pairs):
...         if not (pairs.gold and pairs.system):
...             return float(pairs.gold == pairs.system)
...         return (pairs.both / pairs.system + pairs.both / pairs.gold) / 2
>>> check_measure(Kulczynski)
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # Type checkers know this name. Importing it from typing would take time.
if TYPE_CHECKING:
    from typing import Any

    from roget.errors import FormatError, InputError, Notice, Undefined, UnknownName
    from roget.learn.classmodel import ModelRecipe
    from roget.learn.clustering.base import Clusterer
    from roget.learn.corpus.base import Tokens
    from roget.learn.corpus.tagger import Analysis
    from roget.learn.taxonomy.taxonomy import Taxonomy
    from roget.plugins.kits import (
        check_clusterer,
        check_corpus_reader,
        check_estimator,
        check_exporter,
        check_label_reader,
        check_language,
        check_measure,
    )
    from roget.plugins.strategies import contingency_tables, histograms, labellings
    from roget.report import Report, ReportTable
    from roget.scoring.entropy.base import Estimator, Histogram, LinearEstimator
    from roget.scoring.labels.labels import Labels
    from roget.scoring.labels.readers.base import LabelReader
    from roget.scoring.measures.base import Measure

_PUBLIC = {
    "Analysis": "roget.learn.corpus.tagger",
    "Clusterer": "roget.learn.clustering.base",
    "Estimator": "roget.scoring.entropy.base",
    "FormatError": "roget.errors",
    "Histogram": "roget.scoring.entropy.base",
    "InputError": "roget.errors",
    "LabelReader": "roget.scoring.labels.readers.base",
    "Labels": "roget.scoring.labels.labels",
    "LinearEstimator": "roget.scoring.entropy.base",
    "Measure": "roget.scoring.measures.base",
    "ModelRecipe": "roget.learn.classmodel",
    "Notice": "roget.errors",
    "Report": "roget.report",
    "ReportTable": "roget.report",
    "Taxonomy": "roget.learn.taxonomy.taxonomy",
    "Tokens": "roget.learn.corpus.base",
    "Undefined": "roget.errors",
    "UnknownName": "roget.errors",
    "check_clusterer": "roget.plugins.kits",
    "check_corpus_reader": "roget.plugins.kits",
    "check_estimator": "roget.plugins.kits",
    "check_exporter": "roget.plugins.kits",
    "check_label_reader": "roget.plugins.kits",
    "check_language": "roget.plugins.kits",
    "check_measure": "roget.plugins.kits",
    "contingency_tables": "roget.plugins.strategies",
    "histograms": "roget.plugins.strategies",
    "labellings": "roget.plugins.strategies",
}

__all__ = [
    "Analysis", "Clusterer", "Estimator", "FormatError", "Histogram", "InputError",
    "LabelReader", "Labels", "LinearEstimator", "Measure", "ModelRecipe", "Notice", "Report",
    "ReportTable", "Taxonomy", "Tokens", "Undefined", "UnknownName", "check_clusterer",
    "check_corpus_reader", "check_estimator", "check_exporter", "check_label_reader",
    "check_language", "check_measure", "contingency_tables", "histograms",
    "labellings",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'roget.plugins' has no attribute {name!r}")
    from roget.catalogue import name_extra

    with name_extra():
        value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
