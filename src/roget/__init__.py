"""roget: build a thesaurus from your own text, and tell how much any clustering is worth.

Public names are imported when first used, so `import roget` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from roget._version import __version__

if TYPE_CHECKING:
    from roget.errors import InputError, RogetError, Undefined
    from roget.score.contingency import Contingency
    from roget.score.entropy import entropy_of as entropy
    from roget.score.evaluate import contingency, measure, score
    from roget.score.result import ScoreRow, ScoreTable

_PUBLIC = {
    "Contingency": "roget.score.contingency:Contingency",
    "InputError": "roget.errors:InputError",
    "RogetError": "roget.errors:RogetError",
    "ScoreRow": "roget.score.result:ScoreRow",
    "ScoreTable": "roget.score.result:ScoreTable",
    "Undefined": "roget.errors:Undefined",
    "contingency": "roget.score.evaluate:contingency",
    "entropy": "roget.score.entropy:entropy_of",
    "measure": "roget.score.evaluate:measure",
    "score": "roget.score.evaluate:score",
}

__all__ = [
    "Contingency",
    "InputError",
    "RogetError",
    "ScoreRow",
    "ScoreTable",
    "Undefined",
    "__version__",
    "contingency",
    "entropy",
    "measure",
    "score",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'roget' has no attribute {name!r}")
    module, _, attribute = _PUBLIC[name].partition(":")
    value = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
