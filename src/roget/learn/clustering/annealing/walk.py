"""One annealing path, looked at in several places: at each number of clusters, at several β."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from roget.learn.clustering.annealing.data import prepare
from roget.learn.clustering.annealing.states import Settings
from roget.learn.clustering.result import BETA, Clustering, Rule


class Method(NamedTuple):
    """A way of annealing."""

    search: Any
    rule: Callable[[float], Rule]
    """How its clusters take new words at a β."""
    mass: bool = False
    """Whether large clusters attract, once no more are split."""
    own: bool = False
    """Whether words that were learnt from have memberships of their own, not those of the rule."""


class Point(NamedTuple):
    """The clusters at one place of the path."""

    beta: float
    clustering: Clustering


class Walker:
    """Anneals to one number of clusters after another, never going over the same ground twice."""

    def __init__(
        self,
        matrix: Any,
        method: Method,
        *,
        prior: str = "empirical",
        dtype: str = "float64",
        seed: int = 0,
        max_iter: int = 20,
        n_jobs: int | None = None,
        pause: Callable[[], None] | None = None,
    ) -> None:
        self._method, self._n_jobs = method, n_jobs
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
            if point.clustering.n_clusters < k:
                return

    def sharpened(self, k: int, beta: float, least: float = 0.0) -> Iterator[Point]:
        """The clusters as β is raised, having reached k, in long steps from one to another."""
        self.reach(k)
        yield from self._run(k, beta, self._method.search.stride, least)

    def reach(self, k: int, beta: float | None = None) -> tuple[int, float]:
        """Split until there are k clusters; gives how many there are, and at what β.

        A β given holds from the first split on, where the search keeps it.
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

    def _run(
        self, k: int, beta: float | None, stride: int = 1, least: float = 0.0
    ) -> Iterator[Point]:
        annealer = self._annealer(k, beta, stride)
        try:
            for state in annealer.states():
                if state.last or (annealer.grown and state.beta >= least):
                    yield Point(float(state.beta), self._clustering(state))
        finally:
            annealer.close()

    def _clustering(self, state: Any) -> Clustering:
        rule = self._method.rule(float(state.beta))
        return Clustering(
            state.tree, state.membership, state.centroids, state.mass.copy(), self.data.background,
            rule, BETA,
        )  # fmt: skip

    def _annealer(self, k: int, beta: float | None, stride: int = 1) -> Any:
        settings = Settings(
            n_clusters=k,
            beta=beta,
            mass=self._method.mass,
            max_iter=self._max_iter,
            n_jobs=self._n_jobs,
            seed=self._seed,
            stride=stride,
        )
        annealer = self._method.search(self.data, settings, self._pause)
        if self._kept is not None:
            annealer.restore(self._kept)
        return annealer
