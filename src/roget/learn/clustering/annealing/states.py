"""What annealing is asked for, and what it gives: settings, splits, states."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.learn.clustering.annealing.crew import Energy
from roget.learn.clustering.memberships import sparsify


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
    stride: int = 1
    """How many steps β is raised by at once, after the splits."""


@dataclass(frozen=True)
class Split:
    """One row of the path: a cluster and the new one that came out of it."""

    parent: int
    beta: float
    critical_beta: float
    energy: Energy

    def plain(self) -> dict[str, Any]:
        """The split as plain data."""
        return {**vars(self), "energy": vars(self.energy)}

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Split:
        """The split of `plain`."""
        return cls(**{**plain, "energy": Energy(**plain["energy"])})


class Search(Protocol):
    """What a state asks of the search it is a state of."""

    def memberships(self) -> Array: ...
    def centroids(self) -> Array: ...
    def masses(self) -> Floats: ...
    def tree(self) -> Tree: ...


@dataclass(frozen=True, eq=False)
class State:
    """The clustering after one or more splits or after β was raised.

    `membership`, `centroids` and `tree` are made when asked for, which must be before the next
    state is asked for. `settled` says whether all words were let settle since the last split.
    """

    annealer: Search = field(repr=False)
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
        return sparsify(self.annealer.memberships())

    @property
    def centroids(self) -> Array:
        """p(v|c), clusters × contexts."""
        return self.annealer.centroids()

    @property
    def mass(self) -> Floats:
        """p(c) of each cluster."""
        return self.annealer.masses()

    @property
    def tree(self) -> Tree:
        """The splits so far; a node's value is the β at which it was split."""
        return self.annealer.tree()
