"""One annealing path, looked at in several places: at each number of clusters, at several β."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roget.core.types import Array, Floats
from roget.learn.clustering.soft import predict
from roget.learn.clustering.soft.anneal import Annealer
from roget.learn.clustering.soft.data import prepare
from roget.learn.clustering.soft.states import Settings
from roget.learn.clustering.soft.symmetric import SymmetricAnnealer, fold_in

MODELS: dict[str, Any] = {"asymmetric": Annealer, "symmetric": SymmetricAnnealer}


@dataclass(frozen=True, eq=False)
class Point:
    """The clusters at one place of the path."""

    n_clusters: int
    beta: float
    membership: Any
    centroids: Array
    walker: Walker = field(repr=False)
    mass: Floats = field(repr=False)

    def place(self, matrix: Any) -> Array:
        """p(c|n) of other words, from their counts."""
        walker = self.walker
        if walker.model == "symmetric":
            return fold_in(matrix, self.centroids, self.beta)
        return predict.memberships(
            matrix, self.centroids, walker.data.background, self.mass, self.beta,
            walker.massive, walker.n_jobs,
        )  # fmt: skip


class Walker:
    """Anneals to one number of clusters after another, never going over the same ground twice."""

    def __init__(
        self,
        matrix: Any,
        *,
        model: str = "asymmetric",
        prior: str = "empirical",
        mass: bool = False,
        dtype: str = "float64",
        seed: int = 0,
        max_iter: int = 20,
        n_jobs: int | None = None,
        pause: Callable[[], None] | None = None,
    ) -> None:
        self.model, self.massive, self.n_jobs = model, mass, n_jobs
        self._pause = pause
        self.data = prepare(matrix, prior, dtype)
        self._seed, self._max_iter = seed, max_iter
        self._kept: dict[str, Any] | None = None
        self._at = 1, 0.0

    def points(self, ks: Iterable[int]) -> Iterator[Point]:
        """The clusters at each number asked for, at the β the annealer chooses by itself.

        Stops at the first number that cannot be reached.
        """
        for k in sorted(set(ks)):
            self.reach(k)
            *_, point = self._run(k, None)
            yield point
            if point.n_clusters < k:
                return

    def sharpened(self, k: int, beta: float) -> Iterator[Point]:
        """The clusters as β is raised, having reached k, in steps up to the one given."""
        self.reach(k)
        yield from self._run(k, beta)

    def reach(self, k: int, beta: float | None = None) -> tuple[int, float]:
        """Split until there are k clusters; gives how many there are, and at what β.

        A β given holds from the first split on; it is of use to the symmetric model only.
        """
        if self._at[0] < k:
            annealer = self._annealer(k, beta)
            try:
                for state in annealer.states():
                    if state.n_clusters >= k:
                        break
                self._kept = annealer.snapshot()
                self._at = int(state.n_clusters), float(state.beta)
            finally:
                annealer.close()
        return self._at

    def _run(self, k: int, beta: float | None) -> Iterator[Point]:
        annealer = self._annealer(k, beta)
        try:
            for state in annealer.states():
                if annealer.grown or state.last:
                    yield Point(
                        state.n_clusters,
                        float(state.beta),
                        state.membership,
                        np.asarray(state.centroids),
                        self,
                        state.mass,
                    )
        finally:
            annealer.close()

    def _annealer(self, k: int, beta: float | None) -> Any:
        settings = Settings(
            n_clusters=k,
            beta=beta,
            mass=self.massive,
            max_iter=self._max_iter,
            n_jobs=self.n_jobs,
            seed=self._seed,
        )
        annealer = MODELS[self.model](self.data, settings, self._pause)
        if self._kept is not None:
            annealer.restore(self._kept)
        return annealer
