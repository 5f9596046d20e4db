"""roget: build a thesaurus from your own text, and measure how good any clustering is.

The names in `roget.__all__` and `roget.plugins.__all__` are public. All other modules and names are
internal and may change in any version. Public names are imported on first use, which keeps `import
roget` fast.
"""

from __future__ import annotations

import importlib

from roget._version import __version__

TYPE_CHECKING = False  # Type checkers know this name. Importing it from typing would be slow.
if TYPE_CHECKING:
    from typing import Any

    from roget import data
    from roget.core.counts import Counts
    from roget.errors import InputError, RogetError, Undefined
    from roget.learn.attachment.attacher import Attacher
    from roget.learn.build import build
    from roget.learn.classmodel import ClassModel
    from roget.learn.clustering.agglomerative.estimator import AgglomerativeTree
    from roget.learn.clustering.comdl.estimator import CoMDL
    from roget.learn.clustering.mdl.estimator import MDLTree
    from roget.learn.clustering.soft.estimator import SoftAnnealing
    from roget.learn.clustering.spherical.estimator import SphericalTree
    from roget.learn.clustering.symmetric.estimator import SymmetricAnnealing
    from roget.learn.counting.count import count
    from roget.learn.growth.grow import grow
    from roget.learn.placing.place import place
    from roget.learn.thesaurus import Thesaurus
    from roget.learn.thesaurus.thesaurus import load
    from roget.learn.treecut import TreeCut
    from roget.protocols import evaluate_embeddings
    from roget.scoring.agreement.agree import agree
    from roget.scoring.agreement.result import Agreement
    from roget.scoring.compare import compare
    from roget.scoring.entropy import entropy_of as entropy
    from roget.scoring.labels.hierarchy import Hierarchy
    from roget.scoring.ranks.rank import rank
    from roget.scoring.ranks.result import Ranking
    from roget.scoring.references import cite
    from roget.scoring.results import Comparison, ScoreRow, ScoreTable
    from roget.scoring.score import contingency, measure, score
    from roget.scoring.scorer import scorer
    from roget.scoring.steps.items import ItemScores, score_items
    from roget.scoring.steps.sweep import Sweep, sweep
    from roget.scoring.tables.contingency import Contingency
    from roget.scoring.tables.synthetic import make_dom_table
    from roget.web.widget import widget

_PUBLIC = {
    "Agreement": "roget.scoring.agreement.result:Agreement",
    "Attacher": "roget.learn.attachment.attacher:Attacher",
    "ClassModel": "roget.learn.classmodel:ClassModel",
    "AgglomerativeTree": "roget.learn.clustering.agglomerative.estimator:AgglomerativeTree",
    "CoMDL": "roget.learn.clustering.comdl.estimator:CoMDL",
    "Comparison": "roget.scoring.results:Comparison",
    "Contingency": "roget.scoring.tables.contingency:Contingency",
    "Counts": "roget.core.counts:Counts",
    "Hierarchy": "roget.scoring.labels.hierarchy:Hierarchy",
    "InputError": "roget.errors:InputError",
    "ItemScores": "roget.scoring.steps.items:ItemScores",
    "MDLTree": "roget.learn.clustering.mdl.estimator:MDLTree",
    "Ranking": "roget.scoring.ranks.result:Ranking",
    "RogetError": "roget.errors:RogetError",
    "ScoreRow": "roget.scoring.results:ScoreRow",
    "ScoreTable": "roget.scoring.results:ScoreTable",
    "SoftAnnealing": "roget.learn.clustering.soft.estimator:SoftAnnealing",
    "SphericalTree": "roget.learn.clustering.spherical.estimator:SphericalTree",
    "SymmetricAnnealing": "roget.learn.clustering.symmetric.estimator:SymmetricAnnealing",
    "Sweep": "roget.scoring.steps.sweep:Sweep",
    "Thesaurus": "roget.learn.thesaurus:Thesaurus",
    "TreeCut": "roget.learn.treecut:TreeCut",
    "Undefined": "roget.errors:Undefined",
    "agree": "roget.scoring.agreement.agree:agree",
    "build": "roget.learn.build:build",
    "cite": "roget.scoring.references:cite",
    "compare": "roget.scoring.compare:compare",
    "contingency": "roget.scoring.score:contingency",
    "count": "roget.learn.counting.count:count",
    "data": "roget.data",
    "entropy": "roget.scoring.entropy:entropy_of",
    "evaluate_embeddings": "roget.protocols:evaluate_embeddings",
    "grow": "roget.learn.growth.grow:grow",
    "load": "roget.learn.thesaurus.thesaurus:load",
    "make_dom_table": "roget.scoring.tables.synthetic:make_dom_table",
    "measure": "roget.scoring.score:measure",
    "place": "roget.learn.placing.place:place",
    "rank": "roget.scoring.ranks.rank:rank",
    "score": "roget.scoring.score:score",
    "score_items": "roget.scoring.steps.items:score_items",
    "scorer": "roget.scoring.scorer:scorer",
    "sweep": "roget.scoring.steps.sweep:sweep",
    "widget": "roget.web.widget:widget",
}

__all__ = [
    "AgglomerativeTree", "Agreement", "Attacher", "ClassModel", "CoMDL", "Comparison",
    "Contingency", "Counts", "Hierarchy", "InputError", "ItemScores", "MDLTree", "Ranking",
    "RogetError", "ScoreRow", "ScoreTable", "SoftAnnealing", "SphericalTree", "Sweep",
    "SymmetricAnnealing", "Thesaurus", "TreeCut", "Undefined", "__version__", "agree", "build",
    "cite", "compare", "contingency", "count", "data", "entropy", "evaluate_embeddings", "grow",
    "load", "make_dom_table", "measure", "place", "rank", "score", "score_items", "scorer", "sweep",
    "widget",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'roget' has no attribute {name!r}")
    from roget.catalogue import name_extra

    module, _, attribute = _PUBLIC[name].partition(":")
    with name_extra():
        value: Any = importlib.import_module(module)
    if attribute:
        value = getattr(value, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
