"""Annealing: threads, energies, settings, splits and states, and walks along a path of states."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np

from roget.core.folder import need_numbers
from roget.core.types import Array
from roget.engines.local import cores
from roget.errors import InputError
from roget.learn.clustering.annealing.data import Data, prepare
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.memberships import sparsify
from roget.learn.clustering.result import BETA, Clustering, Rule

CHUNK = 1 << 14
CHUNKS = 64

_Made = TypeVar("_Made")

STEPS = 20
"""How often words settle at most, unless said otherwise."""


class ThreadPool:
    """Threads that share out ranges of rows; the ranges depend on the data alone.

    There is one for each core if their number is None or -1, one less if it is -2, and so on.
    """

    def __init__(self, n_jobs: int | None) -> None:
        if n_jobs == 0:
            raise InputError("n_jobs=0: expected None, a positive number, or -1 for all cores")
        wanted = -1 if n_jobs is None else n_jobs
        self.size = wanted if wanted > 0 else max(1, cores() + 1 + wanted)
        self._pool: ThreadPoolExecutor | None = None

    def each(self, work: Callable[[int], _Made], tasks: Sequence[int]) -> list[_Made]:
        """What the tasks give, in their order; the first error is raised."""
        if self.size == 1 or len(tasks) < 2:
            return list(map(work, tasks))
        self._pool = self._pool or ThreadPoolExecutor(self.size)
        return list(self._pool.map(work, tasks))

    def over(
        self, parts: Sequence[tuple[int, int]], kernel: Callable[..., object], *given: Any,
        own: Array | None = None,
    ) -> None:  # fmt: skip
        """Call a kernel with the begin and the end of each range, and what is given; `own` has a
        row for each range, which comes last."""

        def work(task: int) -> None:
            kernel(*parts[task], *given, *(() if own is None else (own[task],)))

        self.each(work, range(len(parts)))

    def close(self) -> None:
        """End the threads; they begin anew if there is more to do."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def ranges(indptr: Array) -> list[tuple[int, int]]:
    """Ranges of rows with about as many entries in each."""
    rows = int(indptr.size - 1)
    parts = max(1, min(CHUNKS, rows, int(indptr[-1]) // CHUNK))
    cuts = np.searchsorted(indptr, np.linspace(0, indptr[-1], parts + 1)[1:-1])
    bounds = np.unique([0, *np.clip(cuts, 0, rows), rows]).tolist()
    return list(pairwise(bounds))


@dataclass(frozen=True)
class Energy:
    """Free energy F = D − H/β, average distortion D and entropy H of a state, nats.

    With masses, H in F is that of memberships relative to p(c): F = D + I(words; clusters)/β.
    `plain` is D − H/β in any case.
    """

    free: float
    distortion: float
    entropy: float

    def plain(self, beta: float) -> float:
        """D − H/β, the free energy of Pereira, Tishby & Lee (1993), as a mean over words."""
        return self.distortion - self.entropy / beta


@dataclass(frozen=True)
class AnnealingSettings:
    """What the annealing is to reach, and how."""

    n_clusters: int | None = None
    beta: float | None = None
    mass: bool = False
    """Whether large clusters attract, once no more are split."""
    tol: float = 1e-5
    max_iter: int = 100
    n_jobs: int | None = None
    seed: int = 0
    stride: int = 1
    """How many steps β is raised by at once, after the splits."""
    equations: str = "mass"
    """What holds while clusters split: see the options of `SoftAnnealing`."""
    until: float | None = None
    """The cross-entropy at which no more clusters are split, nats."""


def recall(kept: Mapping[str, Any]) -> AnnealingSettings:
    """The settings that a checkpoint has; a ValueError or TypeError tells what is wrong."""
    for name in ("n_clusters", "beta", "until"):
        if kept.get(name) is not None:
            need_numbers(kept, name, low=0)
    need_numbers(kept, "tol", "max_iter", "seed", low=0)
    found = AnnealingSettings(**kept)
    whole = (found.max_iter, found.seed, found.stride, found.n_clusters or 1)
    if not all(type(one) is int for one in whole) or found.stride < 1:
        raise ValueError(f"settings {dict(kept)!r}: expected whole numbers")
    return found


@dataclass(frozen=True)
class ClusterSplit:
    """One row of the path: a cluster and the new one that came out of it."""

    parent: int
    beta: float
    critical_beta: float
    energy: Energy


class AnnealingSearch:
    """What searches share; a subclass has `_run`, `tree`, `memberships`, `centroids` and `mass`.

    `states` drives a search: it gives the search itself after one or more splits, or after β was
    raised. What that says of its clusters holds until it goes on.
    """

    beta: float
    energy: Energy
    settled = True
    """Whether all words were let settle since the last split."""
    finished = False

    def __init__(self, data: Data, settings: AnnealingSettings, pause: Pause = never_stop) -> None:
        self.data, self.settings = data, settings
        self.crew = ThreadPool(settings.n_jobs)
        self.splits: list[ClusterSplit] = []
        self._pause = pause

    def close(self) -> None:
        """End the threads."""
        self.crew.close()

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.splits) + 1

    @property
    def membership(self) -> Any:
        """p(c|n), a csr_array of words × clusters, without parts of less than 1e-9."""
        return sparsify(self.memberships())

    def memberships(self) -> Array:
        """p(c|n), words × clusters."""
        raise NotImplementedError

    def states(self) -> Iterator[Self]:
        """Split until enough, then take β where it is to end, then settle."""
        if not self.finished:
            for _ in self._run():
                yield self
            self.finished = True
        yield self

    def snapshot(self) -> dict[str, Any]:
        """All that is needed to go on from here, as arrays and plain data."""
        splits = [asdict(split) for split in self.splits]
        plain = {"beta": self.beta, "finished": self.finished, "splits": splits}
        return plain | {"energy": vars(self.energy)}

    def restore(self, kept: dict[str, Any]) -> None:
        """Go on from a snapshot; a ValueError or the like tells why it is none."""
        need_numbers(kept, "beta", low=sys.float_info.min)
        for energy in (kept["energy"], *(split["energy"] for split in kept["splits"])):
            need_numbers(energy, "free", "distortion", "entropy")
        for number, split in enumerate(kept["splits"], 1):
            need_numbers(split, "beta", "critical_beta", low=0)
            if type(split["parent"]) is not int or split["parent"] not in range(number):
                raise ValueError(f"split {number} is of cluster {split['parent']!r}")
        self.beta, self.finished = kept["beta"], bool(kept["finished"])
        self.energy = Energy(**kept["energy"])
        self.splits = [
            ClusterSplit(**{**split, "energy": Energy(**split["energy"])})
            for split in kept["splits"]
        ]

    def _run(self) -> Iterator[None]:
        """Stop at each state but the last one."""
        raise NotImplementedError


class Method(NamedTuple):
    """A way of annealing."""

    search: Any
    rule: Callable[[float], Rule]
    """How its clusters take new words at a β."""
    own: bool = False
    """Whether words that were learnt from have memberships of their own, not those of the rule."""
    settings: AnnealingSettings = AnnealingSettings()
    """What it brings about by itself, whatever numbers are asked for."""


class PathPoint(NamedTuple):
    """The clusters at one place of the path."""

    beta: float
    clustering: Clustering


class AnnealingPath:
    """Anneals to one number of clusters after another, never going over the same ground twice.

    Settings are those of `AnnealingSettings`: a seed, how long words settle, how many threads.
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
        """The clusters at each number asked for, at the β the annealer chooses by itself.

        Stops at the first number that cannot be reached.
        """
        for k in sorted(set(ks)):
            self.reach(k)
            *_, point = self.run(k, None)
            yield point
            if point.clustering.n_clusters < k:
                return

    def reach(self, k: int, beta: float | None = None) -> tuple[int, float]:
        """Split until there are k clusters; gives how many there are, and at what β.

        A β given holds from the first split on, where the search keeps it.
        """
        if self._at[0] < k:
            with closing(self._annealer(k, beta)) as annealer:
                for state in annealer.states():
                    if state.n_clusters >= k:
                        break
                self._kept = annealer.snapshot()
                self._at = int(state.n_clusters), float(state.beta)
        return self._at

    def run(
        self, k: int, beta: float | None, stride: int = 1, least: float = 0.0
    ) -> Iterator[PathPoint]:
        """The clusters as β is raised, having reached k, in so long steps from one to another."""
        with closing(self._annealer(k, beta, stride)) as annealer:
            for state in annealer.states():
                if state.finished or (annealer.grown and state.beta >= least):
                    at = float(state.beta)
                    found = state.tree, state.membership, state.centroids, state.mass
                    rule = self._method.rule(at)
                    yield PathPoint(at, Clustering(*found, self.data.background, rule, BETA))

    def _annealer(self, k: int, beta: float | None, stride: int = 1) -> Any:
        settings = replace(self._settings, n_clusters=k, beta=beta, stride=stride)
        annealer = self._method.search(self.data, settings, self._pause)
        if self._kept is not None:
            annealer.restore(self._kept)
        return annealer
