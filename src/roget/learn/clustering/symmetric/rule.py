"""How clusters of associations take new words: their memberships by EM, centroids as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.kernels.rows import Rows
from roget.core.types import Array, Floats
from roget.learn.clustering.result import Clustering, Rule
from roget.learn.clustering.symmetric import kernels

FLOOR = 1e-12
"""No probability counts as less, or it could never grow again."""


@dataclass(frozen=True, eq=False)
class FoldIn(Rule):
    """The weights that fit a word's counts best, tempered by β."""

    clusterer = "symmetric"

    beta: float = 1.0

    def place(self, matrix: Any, leaves: Clustering) -> Array:
        """p(c|word); a word without counts gets p(c)."""
        return fold_in(matrix, leaves.centroids, self.beta, leaves.mass)

    @classmethod
    def recall(cls, provenance: Mapping[str, Any]) -> Rule | None:
        """The rule of a thesaurus by this model, from its β and options."""
        beta, options = provenance.get("beta"), provenance.get("options") or {}
        if beta is None or options.get("model") != "symmetric":
            return None
        return cls(beta=float(beta))


def fold_in(
    matrix: Any,
    centroids: Array,
    beta: float,
    mass: Floats | None = None,
    *,
    steps: int = 50,
    tol: float = 1e-5,
) -> Array:
    """p(c|n) of words that were not there in training, from their counts and fixed centroids.

    A word without counts gets p(c), if that is given; else it belongs to all clusters alike.
    """
    contexts = temper(np.ascontiguousarray(centroids.T), beta)
    dtype, k = contexts.dtype, contexts.shape[1]
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    scale = np.repeat(1.0 / np.where(totals > 0, totals, 1.0), np.diff(matrix.indptr))
    joint = Rows(matrix.indptr, matrix.indices, (matrix.data * scale).astype(dtype))
    ratio, log_z = np.empty_like(joint.values), np.empty(totals.size)
    membership = np.full((totals.size, k), 1.0 / k, dtype)
    counts = np.empty_like(membership)
    for _ in range(steps):
        words = temper(membership, beta)
        kernels.expect(0, totals.size, joint, words, contexts, ratio, counts, log_z)
        counts[totals <= 0] = 1.0 / k if mass is None else mass
        counts /= counts.sum(axis=1, keepdims=True)
        change = float(np.max(np.abs(counts - membership), initial=0.0))
        membership, counts = counts, membership
        if change <= tol:
            break
    return membership


def temper(probabilities: Array, beta: float) -> Array:
    """Probabilities to the power of β, none below the floor."""
    floored: Array = np.maximum(probabilities, probabilities.dtype.type(FLOOR))
    return floored if beta == 1.0 else floored ** probabilities.dtype.type(beta)
