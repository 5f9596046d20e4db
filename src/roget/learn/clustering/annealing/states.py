"""Base classes of annealing searches, with their settings, splits and energies."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from roget.core.contents import require_numbers
from roget.core.types import Array
from roget.engines.local import cores
from roget.errors import InputError
from roget.learn.clustering.annealing.data import Data, prepare
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.memberships import sparsify
from roget.learn.clustering.result import BETA, Clustering, Rule

CHUNK = 1 << 14
"""Minimum number of matrix entries in each range of rows assigned to a thread."""
CHUNKS = 64
"""Maximum number of ranges into which rows are split."""

_Made = TypeVar("_Made")

STEPS = 20
"""Default maximum number of EM steps."""


class ThreadPool:
    """A thread pool that processes ranges of rows.

    The ranges do not depend on the number of threads. `n_jobs` is the number of threads: None or −1
    for one per core, −2 for one less, and so on.
    """

    def __init__(self, n_jobs: int | None) -> None:
        if n_jobs == 0:
            raise InputError(
                "n_jobs=0: expected None, a positive number, or -1 for all cores",
                code="invalid-option",
            )
        requested = -1 if n_jobs is None else n_jobs
        self.size = requested if requested > 0 else max(1, cores() + 1 + requested)
        self._pool: ThreadPoolExecutor | None = None

    def each(self, work: Callable[[int], _Made], tasks: Sequence[int]) -> list[_Made]:
        """Run `work` for each task, and return the results in order.

        If tasks fail, raise the first error.
        """
        if self.size == 1 or len(tasks) < 2:
            return list(map(work, tasks))
        self._pool = self._pool or ThreadPoolExecutor(self.size)
        return list(self._pool.map(work, tasks))

    def over(
        self, parts: Sequence[tuple[int, int]], kernel: Callable[..., object], *given: Any,
        own: Array | None = None,
    ) -> None:  # fmt: skip
        """Call a compiled function for each range of rows, with the bounds of the range and
        `given`.

        `own` is an array with one row per range. If it is passed, the row of the range is the last
        argument.
        """

        def work(task: int) -> None:
            kernel(*parts[task], *given, *(() if own is None else (own[task],)))

        self.each(work, range(len(parts)))

    def close(self) -> None:
        """Stop the threads. They start again when they are needed."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def ranges(indptr: Array) -> list[tuple[int, int]]:
    """Split rows into ranges with about the same number of entries."""
    rows = int(indptr.size - 1)
    parts = max(1, min(CHUNKS, rows, int(indptr[-1]) // CHUNK))
    # Rows differ in length. Divide the entries equally, not the rows.
    cuts = np.searchsorted(indptr, np.linspace(0, indptr[-1], parts + 1)[1:-1])
    bounds = np.unique([0, *np.clip(cuts, 0, rows), rows]).tolist()
    return list(pairwise(bounds))


@dataclass(frozen=True)
class Energy:
    """Free energy F = D − H/β, mean distortion D and membership entropy H, in nats.

    With mass-constrained memberships, F uses the entropy relative to p(c): F = D + I(words;
    clusters)/β.
    """

    free: float
    distortion: float
    entropy: float

    def plain(self, beta: float) -> float:
        """Return D − H/β, the mean free energy per word in Pereira, Tishby & Lee (1993)."""
        return self.distortion - self.entropy / beta


@dataclass(frozen=True)
class AnnealingSettings:
    """Parameters of an annealing run."""

    n_clusters: int | None = None
    beta: float | None = None
    mass: bool = False
    """True if memberships are proportional to p(c)·exp(−β·d) after the last split."""
    tol: float = 1e-5
    max_iter: int = 100
    n_jobs: int | None = None
    seed: int = 0
    stride: int = 1
    """Number of steps by which β is raised at once after the last split."""
    equations: str = "mass"
    """Equations to use while clusters are split (see the options of `SoftAnnealing`)."""
    until: float | None = None
    """Cross-entropy in nats at which splitting stops, or None."""


def read_settings(kept: Mapping[str, Any]) -> AnnealingSettings:
    """Restore settings from a checkpoint. Raise ValueError or TypeError if they are invalid."""
    for name in ("n_clusters", "beta", "until"):
        if kept.get(name) is not None:
            require_numbers(kept, name, low=0)
    require_numbers(kept, "tol", "max_iter", "seed", low=0)
    found = AnnealingSettings(**kept)
    whole = (found.max_iter, found.seed, found.stride, found.n_clusters or 1)
    if not all(type(one) is int for one in whole) or found.stride < 1:
        raise ValueError(f"settings {dict(kept)!r}: expected whole numbers")
    return found


@dataclass(frozen=True)
class ClusterSplit:
    """A split of the cluster `parent` on the annealing path."""

    parent: int
    beta: float
    critical_beta: float
    energy: Energy


class AnnealingSearch:
    """Base class of annealing searches.

    A subclass defines `_run`, `tree`, `memberships`, `centroids` and `mass`. The method `states`
    runs the search. It yields the search itself after splits and whenever β was raised. The
    attributes are valid until the next state is yielded.
    """

    beta: float
    energy: Energy
    settled = True
    """True if EM has converged on all words since the last split."""
    finished = False

    def __init__(self, data: Data, settings: AnnealingSettings, pause: Pause = never_stop) -> None:
        self.data, self.settings = data, settings
        self.threads = ThreadPool(settings.n_jobs)
        self.splits: list[ClusterSplit] = []
        self._pause = pause

    def close(self) -> None:
        """Stop the threads."""
        self.threads.close()

    @property
    def n_clusters(self) -> int:
        """Current number of clusters."""
        return len(self.splits) + 1

    @property
    def membership(self) -> Any:
        """p(c|n) as a csr_array of words × clusters, without entries below 1e-9."""
        return sparsify(self.memberships())

    def memberships(self) -> Array:
        """Return p(c|n) as an array of shape (words, clusters)."""
        raise NotImplementedError

    def states(self) -> Iterator[Self]:
        """Run the search: split clusters, raise β to its final value, and run EM to convergence."""
        if not self.finished:
            for _ in self._run():
                yield self
            self.finished = True
        yield self

    def snapshot(self) -> dict[str, Any]:
        """Return the complete state as arrays and plain data."""
        splits = [asdict(split) for split in self.splits]
        plain = {"beta": self.beta, "finished": self.finished, "splits": splits}
        return plain | {"energy": vars(self.energy)}

    def restore(self, kept: dict[str, Any]) -> None:
        """Resume from a snapshot.

        Raise ValueError, KeyError or TypeError if the snapshot is invalid.
        """
        require_numbers(kept, "beta", low=sys.float_info.min)
        for energy in (kept["energy"], *(split["energy"] for split in kept["splits"])):
            require_numbers(energy, "free", "distortion", "entropy")
        for number, split in enumerate(kept["splits"], 1):
            require_numbers(split, "beta", "critical_beta", low=0)
            if type(split["parent"]) is not int or split["parent"] not in range(number):
                raise ValueError(f"split {number} has an invalid parent {split['parent']!r}")
        self.beta, self.finished = kept["beta"], bool(kept["finished"])
        self.energy = Energy(**kept["energy"])
        self.splits = [
            ClusterSplit(**{**split, "energy": Energy(**split["energy"])})
            for split in kept["splits"]
        ]

    def _run(self) -> Iterator[None]:
        """Run the search, and yield after each change."""
        raise NotImplementedError


class Method(NamedTuple):
    """An annealing method: the class of the search, and the rule for placing new words."""

    search: Any
    rule: Callable[[float], Rule]
    """Function that returns the rule for placing new words at a given β."""
    own: bool = False
    """True if training words keep the memberships from the search, False to place them again."""
    settings: AnnealingSettings = AnnealingSettings()
    """Values of `AnnealingSettings` fields that are fixed for this method."""


class PathPoint(NamedTuple):
    """The clustering at one value of β."""

    beta: float
    clustering: Clustering


class AnnealingPath:
    """An annealing path through increasing numbers of clusters.

    Each run continues from the previous one. `settings` are fields of `AnnealingSettings`, such as
    the seed or the number of threads.
    """

    def __init__(
        self,
        matrix: Any,
        method: Method,
        *,
        prior: str = "empirical",
        dtype: str = "float64",
        pause: Pause = never_stop,
        **settings: Any,
    ) -> None:
        self._method, self._pause = method, pause
        self.data = prepare(matrix, prior, dtype)
        self._settings = replace(method.settings, **{"max_iter": STEPS, **settings})
        self._kept: dict[str, Any] | None = None
        self._at = 1, 0.0

    def points(self, ks: Iterable[int]) -> Iterator[PathPoint]:
        """Yield the clustering for each number of clusters, at the final β of the search.

        Stop at the first number that cannot be reached.
        """
        for k in sorted(set(ks)):
            self.reach(k)
            *_, point = self.run(k, None)
            yield point
            if point.clustering.n_clusters < k:
                return

    def reach(self, k: int, beta: float | None = None) -> tuple[int, float]:
        """Split until there are k clusters. Return the number of clusters reached, and β.

        `beta` is only used by searches that split clusters at a fixed β.
        """
        # Continue from the snapshot of the previous call.
        if self._at[0] < k:
            with closing(self._resume_search(k, beta)) as annealer:
                for state in annealer.states():
                    if state.n_clusters >= k:
                        break
                self._kept = annealer.snapshot()
                self._at = int(state.n_clusters), float(state.beta)
        return self._at

    def run(
        self, k: int, beta: float | None, stride: int = 1, least: float = 0.0
    ) -> Iterator[PathPoint]:
        """Yield clusterings with k clusters, for β increasing from `least` to `beta`."""
        with closing(self._resume_search(k, beta, stride)) as annealer:
            for state in annealer.states():
                if state.finished or (annealer.grown and state.beta >= least):
                    at = float(state.beta)
                    found = state.tree, state.membership, state.centroids, state.mass
                    rule = self._method.rule(at)
                    yield PathPoint(at, Clustering(*found, self.data.background, rule, BETA))

    def _resume_search(self, k: int, beta: float | None, stride: int = 1) -> Any:
        """Return a search for k clusters that continues from the last snapshot."""
        settings = replace(self._settings, n_clusters=k, beta=beta, stride=stride)
        annealer = self._method.search(self.data, settings, self._pause)
        if self._kept is not None:
            annealer.restore(self._kept)
        return annealer
