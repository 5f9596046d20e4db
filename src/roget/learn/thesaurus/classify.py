"""Where new words belong, from their counts alone: the rule of the method that made the classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.counts import Counts
from roget.learn.thesaurus.places import parts


def memberships(
    matrix: Any,
    centroids: npt.NDArray[np.floating[Any]],
    mass: npt.NDArray[np.float64],
    counts: Counts,
    provenance: Mapping[str, Any],
) -> Any:
    """p(class|word) of rows of counts, as a csr_array; a row of zeros gets p(class).

    Classes by annealing are as likely as exp(−β·KL(word ‖ class)), all others as their mass and
    the probability of the word's tokens together: p(c)·Π p(v|c)^n. `counts` are those the classes
    were made from: what a class never saw is not impossible, but as rare as can be.
    """
    from roget.learn.clustering.soft.data import floor
    from roget.learn.clustering.soft.predict import memberships as annealed
    from roget.learn.clustering.soft.predict import sparsely

    given = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    given.eliminate_zeros()
    background = counts.context_totals / max(counts.total, 1e-300)
    beta, options = provenance.get("beta"), provenance.get("options") or {}
    if beta is None:
        logs = np.log(np.maximum(centroids.T, floor(background)[:, None]))
        found = [
            sparsely(_posterior(given[part] @ logs, mass))
            for part in parts(given.shape[0], mass.size)
        ]
        return sparse.csr_array(sparse.vstack(found, format="csr"))
    if options.get("model") == "symmetric":
        from roget.learn.clustering.soft.symmetric import fold_in

        folded = fold_in(given, centroids, float(beta))
        folded[np.diff(given.indptr) == 0] = mass / mass.sum()
        return sparsely(folded)
    massive = bool(options.get("mass"))
    return sparsely(annealed(given, centroids, background, mass, float(beta), massive, None))


def _posterior(logs: Any, mass: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    scores = logs + np.log(np.maximum(mass, 1e-300))
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(scores / scores.sum(axis=1, keepdims=True))
