"""How annealed clusters take new words: one exact E-step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from roget.core.types import Array, Floats
from roget.learn.clustering.annealing.crew import Crew, ranges
from roget.learn.clustering.annealing.data import distributions, rows_of
from roget.learn.clustering.memberships import floor
from roget.learn.clustering.result import Clustering, Rule
from roget.learn.clustering.soft import kernels


@dataclass(frozen=True, eq=False)
class Annealed(Rule):
    """∝ exp(−β·KL(word ‖ cluster)), with `mass` times p(c)."""

    clusterer = "soft"

    beta: float = 1.0
    mass: bool = False
    n_jobs: int | None = None

    def place(self, matrix: Any, leaves: Clustering) -> Array:
        """p(c|word); a word without counts gets p(c)."""
        return memberships(
            matrix, leaves.centroids, leaves.background, leaves.mass, self.beta, self.mass,
            self.n_jobs,
        )  # fmt: skip

    @classmethod
    def recall(cls, provenance: Mapping[str, Any]) -> Rule | None:
        """The rule of a thesaurus by this model, from its β and options."""
        beta, options = provenance.get("beta"), provenance.get("options") or {}
        if beta is None or options.get("model") == "symmetric":
            return None
        return cls(beta=float(beta), mass=bool(options.get("mass")))


def memberships(
    matrix: Any, centroids: Array, background: Floats, mass: Floats, beta: float,
    massive: bool, n_jobs: int | None,
) -> Array:  # fmt: skip
    """p(c|n) of each row, by one exact E-step; rows of zeros get p(c)."""
    k, dtype = centroids.shape[0], centroids.dtype
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    rows = distributions(matrix, totals)
    logs = np.log(np.maximum(centroids.T, floor(background)[:, None])).astype(dtype)
    logs = np.ascontiguousarray(logs)
    bias = np.log(np.maximum(mass, 1e-30)) if massive else np.zeros(k)
    q = np.empty((totals.size, k), dtype=dtype)
    table, centres = rows_of(rows, dtype), kernels.Centroids(logs, bias, float(beta))
    parts = ranges(table.indptr)
    ones, fits = np.ones(totals.size), kernels.Fits(np.empty(totals.size), np.empty(totals.size))

    def work(task: int) -> None:
        kernels.expect(*parts[task], table, centres, ones, q, fits, np.empty(k))

    crew = Crew(n_jobs)
    try:
        crew.each(work, len(parts))
    finally:
        crew.close()
    q[totals <= 0] = mass / mass.sum()
    return q
