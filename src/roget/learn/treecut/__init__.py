"""Tree cut models (Li & Abe): at which level of a thesaurus a head chooses its words."""

from __future__ import annotations

from roget.learn.treecut.estimator import CutClass, TreeCut
from roget.learn.treecut.hierarchy import WordHierarchy

__all__ = ["CutClass", "TreeCut", "WordHierarchy"]
