"""What annealing is asked for, and what it gives: settings, splits, states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.learn.clustering.annealing.crew import Crew, Energy
from roget.learn.clustering.annealing.data import Data
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


class Search:
    """What searches share; `states` drives them, and a subclass has `_run`."""

    beta: float
    energy: Energy
    settled = True

    def __init__(
        self, data: Data, settings: Settings, pause: Callable[[], None] | None = None
    ) -> None:
        self.data, self.settings = data, settings
        self.crew = Crew(settings.n_jobs)
        self.splits: list[Split] = []
        self.finished = False
        self._pause = pause or (lambda: None)

    def close(self) -> None:
        """End the threads."""
        self.crew.close()

    def states(self) -> Iterator[State]:
        """Split until enough, then take β where it is to end, then settle."""
        if not self.finished:
            yield from self._run()
            self.finished = True
        yield self.state(last=True)

    def state(self, last: bool = False) -> State:
        """Where the search is."""
        return State(
            self, self.beta, len(self.splits) + 1, self.energy.free, self.energy.distortion,
            self.energy.entropy, self.settled, last,
        )  # fmt: skip

    def snapshot(self) -> dict[str, Any]:
        """All that is needed to go on from here, as arrays and plain data."""
        splits = [split.plain() for split in self.splits]
        plain = {"beta": self.beta, "finished": self.finished, "splits": splits}
        return plain | {"energy": vars(self.energy)}

    def restore(self, kept: dict[str, Any]) -> None:
        """Go on from a snapshot."""
        self.beta, self.finished = kept["beta"], bool(kept["finished"])
        self.energy = Energy(**kept["energy"])
        self.splits = [Split.of(split) for split in kept["splits"]]

    def _run(self) -> Iterator[State]:
        """The states but for the last one."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class State:
    """The clustering after one or more splits or after β was raised.

    `membership`, `centroids` and `tree` are made when asked for, which must be before the next
    state is asked for. `settled` says whether all words were let settle since the last split.
    """

    annealer: Any = field(repr=False)
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
        return np.asarray(self.annealer.centroids())

    @property
    def mass(self) -> Floats:
        """p(c) of each cluster."""
        return np.asarray(self.annealer.masses())

    @property
    def tree(self) -> Tree:
        """The splits so far; a node's value is the β at which it was split."""
        found: Tree = self.annealer.tree()
        return found
