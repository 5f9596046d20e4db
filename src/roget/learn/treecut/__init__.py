"""Tree cut models (Li & Abe 1998) of selectional preferences."""

from __future__ import annotations

from roget.learn.treecut.estimator import CutClass, TreeCut
from roget.learn.treecut.hierarchy import WordHierarchy

__all__ = ["CutClass", "TreeCut", "WordHierarchy"]
