"""What annealing is asked for, and what it gives: settings, splits, states."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.tree import Tree
from roget.learn.clustering.soft.data import Array, Floats
from roget.learn.clustering.soft.em import Energy

if TYPE_CHECKING:
    from roget.learn.clustering.soft.anneal import Annealer


@dataclass(frozen=True)
class Settings:
    """What the annealing is to reach, and how."""

    n_clusters: int | None = None
    beta: float | None = None
    mass: bool = False
    tol: float = 1e-5
    max_iter: int = 100
    n_jobs: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Split:
    """One row of the path: a cluster and the new one that came out of it."""

    parent: int
    beta: float
    critical_beta: float
    energy: Energy


@dataclass(frozen=True, eq=False)
class State:
    """The clustering after a split or after β was raised.

    `membership`, `centroids` and `tree` are made when asked for, which must be before the next
    state is asked for. `settled` says whether all words were let settle since the last split.
    """

    annealer: Annealer = field(repr=False)
    beta: float
    n_clusters: int
    free_energy: float
    distortion: float
    entropy: float
    settled: bool
    last: bool

    @property
    def membership(self) -> Any:
        """p(c|n), a csr_array of words × clusters, without parts of less than 1e-9."""
        from scipy import sparse

        dense = self.annealer.mixture.q[:, : self.n_clusters]
        kept = sparse.csr_array(np.where(dense < 1e-9, 0, dense))
        kept.data /= np.repeat(kept.sum(axis=1), np.diff(kept.indptr)).astype(kept.dtype)
        return kept

    @property
    def centroids(self) -> Array:
        """p(v|c), clusters × contexts."""
        if not self.settled:
            self.annealer.mixture.m_step()
        return self.annealer.mixture.centroids()

    @property
    def mass(self) -> Floats:
        """p(c) of each cluster."""
        return self.annealer.mixture.mass[: self.n_clusters].copy()

    @property
    def tree(self) -> Tree:
        """The splits so far."""
        return self.annealer.tree()
