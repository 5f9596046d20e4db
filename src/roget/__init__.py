"""roget: build a thesaurus from your own text, and tell how much any clustering is worth.

Public names are imported when first used, so `import roget` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from roget._version import __version__

if TYPE_CHECKING:
    from roget import data
    from roget.core.counts import Counts
    from roget.errors import InputError, RogetError, Undefined
    from roget.learn.attachment import Attacher
    from roget.learn.build import build
    from roget.learn.classmodel import ClassModel
    from roget.learn.clustering.comdl.estimator import CoMDL
    from roget.learn.clustering.mdl.estimator import MDLTree
    from roget.learn.clustering.soft.estimator import SoftAnnealing
    from roget.learn.clustering.spherical.estimator import SphericalTree
    from roget.learn.clustering.symmetric.estimator import SymmetricAnnealing
    from roget.learn.counting.count import count
    from roget.learn.thesaurus import Thesaurus
    from roget.learn.thesaurus.files import read as load
    from roget.learn.treecut import TreeCut
    from roget.scoring.cells.contingency import Contingency
    from roget.scoring.compare import compare
    from roget.scoring.comparison import Comparison
    from roget.scoring.entropy import entropy_of as entropy
    from roget.scoring.result import ScoreRow, ScoreTable
    from roget.scoring.score import contingency, measure, score
    from roget.scoring.scorer import scorer

_PUBLIC = {
    "Attacher": "roget.learn.attachment:Attacher",
    "ClassModel": "roget.learn.classmodel:ClassModel",
    "CoMDL": "roget.learn.clustering.comdl.estimator:CoMDL",
    "Comparison": "roget.scoring.comparison:Comparison",
    "Contingency": "roget.scoring.cells.contingency:Contingency",
    "Counts": "roget.core.counts:Counts",
    "InputError": "roget.errors:InputError",
    "MDLTree": "roget.learn.clustering.mdl.estimator:MDLTree",
    "RogetError": "roget.errors:RogetError",
    "ScoreRow": "roget.scoring.result:ScoreRow",
    "ScoreTable": "roget.scoring.result:ScoreTable",
    "SoftAnnealing": "roget.learn.clustering.soft.estimator:SoftAnnealing",
    "SphericalTree": "roget.learn.clustering.spherical.estimator:SphericalTree",
    "SymmetricAnnealing": "roget.learn.clustering.symmetric.estimator:SymmetricAnnealing",
    "Thesaurus": "roget.learn.thesaurus:Thesaurus",
    "TreeCut": "roget.learn.treecut:TreeCut",
    "Undefined": "roget.errors:Undefined",
    "build": "roget.learn.build:build",
    "compare": "roget.scoring.compare:compare",
    "contingency": "roget.scoring.score:contingency",
    "count": "roget.learn.counting.count:count",
    "data": "roget.data",
    "entropy": "roget.scoring.entropy:entropy_of",
    "load": "roget.learn.thesaurus.files:read",
    "measure": "roget.scoring.score:measure",
    "score": "roget.scoring.score:score",
    "scorer": "roget.scoring.scorer:scorer",
}

__all__ = [
    "Attacher", "ClassModel", "CoMDL", "Comparison", "Contingency", "Counts", "InputError",
    "MDLTree", "RogetError", "ScoreRow", "ScoreTable", "SoftAnnealing", "SphericalTree",
    "SymmetricAnnealing", "Thesaurus", "TreeCut", "Undefined", "__version__", "build", "compare",
    "contingency", "count", "data", "entropy", "load", "measure", "score",
    "scorer",
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
