"""Threads that share out rows of a table, and the energy that they add up."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from roget.core.types import Array
from roget.engines.local import cores
from roget.errors import InputError

CHUNK = 1 << 14
CHUNKS = 64


class Crew:
    """Threads that share out ranges of rows; the ranges depend on the data alone."""

    def __init__(self, n_jobs: int | None) -> None:
        self.size = threads(n_jobs)
        self._pool: ThreadPoolExecutor | None = None

    def each(self, work: Callable[[int], object], tasks: int) -> None:
        """Do tasks 0, 1, …; the first error is raised."""
        if self.size == 1 or tasks < 2:
            for task in range(tasks):
                work(task)
            return
        self._pool = self._pool or ThreadPoolExecutor(self.size)
        for _ in self._pool.map(work, range(tasks)):
            pass

    def close(self) -> None:
        """End the threads; they begin anew if there is more to do."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def threads(n_jobs: int | None) -> int:
    """How many threads to use: None is all cores, -1 as well, -2 all but one."""
    if n_jobs is None:
        return cores()
    if n_jobs == 0:
        raise InputError("n_jobs=0: expected None, a positive number, or -1 for all cores")
    return n_jobs if n_jobs > 0 else max(1, cores() + 1 + n_jobs)


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
    """

    free: float
    distortion: float
    entropy: float
