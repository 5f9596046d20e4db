"""Held-out evaluation: how well clusters predict tokens and words they were not learnt from.

Figure 3 of Pereira, Tishby & Lee (1993) is `relative_entropy_path`; the losses beneath it serve
the choice of the number of clusters as well. Whole models are compared in `compare.py`.
"""

from __future__ import annotations

from roget.learn.clustering.tokens import SMOOTHING, Cells, backoff, cells, mixed, unigram
from roget.learn.heldout.path import figure, relative_entropy_path

__all__ = [
    "SMOOTHING",
    "Cells",
    "backoff",
    "cells",
    "figure",
    "mixed",
    "relative_entropy_path",
    "unigram",
]
