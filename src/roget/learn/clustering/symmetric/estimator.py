"""SymmetricAnnealing: the symmetric model as a scikit-learn estimator, and its placement rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.kernels.rows import RowIndex
from roget.core.types import Array, Floats
from roget.learn.clustering.annealing.estimator import Annealing
from roget.learn.clustering.annealing.states import Method
from roget.learn.clustering.result import Clustering, Rule
from roget.learn.clustering.symmetric import kernels
from roget.learn.clustering.symmetric.annealer import SymmetricAnnealer
from roget.learn.clustering.symmetric.kernels import temper


@dataclass(frozen=True, eq=False)
class FoldIn(Rule):
    """Rule that places words: fit p(c|word) to their counts with tempered EM."""

    clusterer = "symmetric"

    beta: float = 1.0

    def place(self, matrix: Any, leaves: Clustering) -> Array:
        """Return p(c|word). For a word without counts, this is p(c)."""
        return fold_in(matrix, leaves.centroids, self.beta, leaves.mass)

    @classmethod
    def from_provenance(cls, provenance: Mapping[str, Any]) -> Rule | None:
        """Restore the rule from β and the options, as recorded by an early version."""
        beta, options = provenance.get("beta"), provenance.get("options") or {}
        ours = options.get("model") == "symmetric" or provenance.get("rule") == "fold-in"
        return cls(beta=float(beta)) if ours and beta is not None else None


def fold_in(
    matrix: Any,
    centroids: Array,
    beta: float,
    mass: Floats | None = None,
    *,
    steps: int = 50,
    tol: float = 1e-5,
) -> Array:
    """Compute p(c|n) of new words from their counts, with fixed centroids.

    A word without counts gets p(c) if `mass` is passed, and equal memberships otherwise.
    """
    contexts = temper(np.ascontiguousarray(centroids.T), beta)
    dtype, k = contexts.dtype, contexts.shape[1]
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    scale = np.repeat(1.0 / np.where(totals > 0, totals, 1.0), np.diff(matrix.indptr))
    joint = RowIndex(matrix.indptr, matrix.indices, (matrix.data * scale).astype(dtype))
    ratio, log_z = np.empty_like(joint.values), np.empty(totals.size)
    membership = np.full((totals.size, k), 1.0 / k, dtype)
    counts, resting = np.empty_like(membership), np.zeros(totals.size, dtype=bool)
    for _ in range(steps):
        words = temper(membership, beta)
        kernels.expect(0, totals.size, joint, words, contexts, ratio, counts, log_z)
        counts[totals <= 0] = 1.0 / k if mass is None else mass
        counts /= counts.sum(axis=1, keepdims=True)
        # Stop each word separately, so its result does not depend on other words.
        counts[resting] = membership[resting]
        resting = np.abs(counts - membership).max(axis=1) <= tol
        membership, counts = counts, membership
        if resting.all():
            break
    return membership


class SymmetricAnnealing(Annealing):
    """Soft clustering of (word, context) pairs by annealing the symmetric model.

    The model is p(word, context) = Σ p(c)·p(word|c)·p(context|c). A pair belongs to cluster c in
    proportion to [p(c)·p(word|c)·p(context|c)]^β. The memberships of a word are the mean over its
    pairs. With β < 1, clusters stay soft, and predict held-out pairs best. A word with several
    senses is in several clusters more often than with `SoftAnnealing`.

    The final β is 0.775 by default. If no number of clusters is requested, the number and β are
    chosen on held-out counts. `checkpoint`, `progress` and `random_state` have the same meaning as
    in `SoftAnnealing`.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[9, 1, 0, 0], [8, 2, 0, 1], [0, 0, 7, 3], [1, 0, 6, 4]])
    >>> model = SymmetricAnnealing(2, random_state=0).fit(counts)
    >>> sorted(model.labels_.tolist()), model.tree_
    ([0, 0, 1, 1], Tree: 2 clusters, 3 nodes, depth 1)
    """

    name = "symmetric"
    makes = "soft classes of (word, context) pairs"
    rule = FoldIn
    walk_steps = 50

    @property
    def method(self) -> Method:
        """The search class, and the rule for placing new words."""
        return Method(SymmetricAnnealer, lambda beta: FoldIn(float(beta)), own=True)
