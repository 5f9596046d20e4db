"""A tree of splits, the one that saves most first."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Array
from roget.learn.clustering.mdl.bisect import Bisector

LEAST = 1e-6
"""Nats that a split must save: rounding saves nothing."""


@dataclass(frozen=True)
class Candidate:
    """The best split of a cluster: what it would change (nats), and how large the cluster is."""

    model: float
    data: float
    proper: bool
    entries: int

    @property
    def saved(self) -> float:
        """Nats that it would save; splits that are none would cost without end."""
        return -(self.model + self.data) if self.proper else -math.inf


@dataclass(frozen=True)
class Step:
    """A split that was made: which cluster gave which, how many words each kept, what changed."""

    parent: int
    cluster: int
    kept: int
    moved: int
    model: float
    data: float

    @property
    def saved(self) -> float:
        """Nats that it saved."""
        return -(self.model + self.data)


class Grower:
    """Clusters that are split in two, best first, and what remains to be split.

    With `most` clusters splits go on until there are as many, also where they save nothing.
    """

    def __init__(
        self, bisector: Bisector, most: int | None = None, pause: Callable[[], None] = lambda: None
    ) -> None:
        self.bisector, self.most, self.pause = bisector, most, pause
        n = bisector.totals.size
        self.labels = np.zeros(n, np.int32)
        self.side = np.zeros(n, np.int8)
        """The side of each row in the best split of its cluster."""
        self.candidates: list[Candidate] = []
        self.steps: list[Step] = []
        self._heap: list[tuple[float, int]] = []
        self._open = 0

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.steps) + 1

    @property
    def fraction(self) -> float:
        """About how much is done: of the clusters, if so many are wanted.

        Else of the entries, or of the way from the first split's gain to none, on a log scale.
        """
        if self.most is not None:
            return min(1.0, self.n_clusters / self.most)
        if not self._heap:
            return 1.0
        first = self.steps[0].saved if self.steps else -self._heap[0][0]
        left = math.log1p(max(-self._heap[0][0], 0.0)) / math.log1p(max(first, 1e-9))
        return max(0.0, 1.0 - left, 1.0 - self._open / max(int(self.bisector.table.values.size), 1))

    def run(self) -> Iterator[Step | None]:
        """Split until the end; yields where it could be stopped and taken up again."""
        if not self.candidates:
            self.candidates.append(self._look(np.arange(self.labels.size)))
            self._offer(0)
            yield None
        while self._heap and self.n_clusters != self.most:
            self.pause()
            yield self._split(heapq.heappop(self._heap)[1])

    def tree(self) -> Tree:
        """The splits as a tree; a node's value is what its split saved, nats."""
        return Tree.of_splits((step.parent, step.saved) for step in self.steps)

    def snapshot(self) -> dict[str, Any]:
        """All that `restore` needs."""
        return {
            "labels": self.labels.copy(),
            "side": self.side.copy(),
            "candidates": [astuple(one) for one in self.candidates],
            "steps": [astuple(one) for one in self.steps],
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Go on from a snapshot."""
        self.labels[:], self.side[:] = kept["labels"], kept["side"]
        self.candidates = [Candidate(*one) for one in kept["candidates"]]
        self.steps = [Step(*one) for one in kept["steps"]]
        for cluster in range(len(self.candidates)):
            self._offer(cluster)

    def _offer(self, cluster: int) -> None:
        """Put a cluster among those to be split, if its split is wanted."""
        one = self.candidates[cluster]
        forced = self.most is not None or self.bisector.search == "paper"
        if one.proper and (forced or one.saved > LEAST):
            heapq.heappush(self._heap, (-one.saved, cluster))
            self._open += one.entries

    def _split(self, parent: int) -> Step:
        chosen, new = self.candidates[parent], self.n_clusters
        rows = np.flatnonzero(self.labels == parent)
        moved = self.side[rows] == 1
        kept, parted = rows[~moved], rows[moved]
        looked = self._look(kept), self._look(parted)
        self.labels[parted] = new
        self.candidates[parent] = looked[0]
        self.candidates.append(looked[1])
        self._open -= chosen.entries
        self._offer(parent)
        self._offer(new)
        sizes = int(kept.size), int(parted.size)
        self.steps.append(Step(parent, new, *sizes, chosen.model, chosen.data))
        return self.steps[-1]

    def _look(self, rows: Array) -> Candidate:
        """Search for the best split of some rows and keep it."""
        indptr = self.bisector.table.indptr
        entries = int(np.sum(indptr[rows + 1] - indptr[rows]))
        cut = self.bisector.split(rows)
        if cut is None:
            self.side[rows] = 0
            return Candidate(0.0, 0.0, False, entries)
        self.side[rows] = cut.side
        model, data = cut.after.model - cut.before.model, cut.after.data - cut.before.data
        return Candidate(model, data, cut.proper, entries)
