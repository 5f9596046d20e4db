"""A tree of splits, the one that saves most first; and the best split of one set of words in two.

Starts are the best cut of the words in the order of their first coordinates by correspondence
analysis, random halves, and annealed halves; from each, words move one by one while that helps.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from roget.core.folder import need_arrays, need_numbers, need_range
from roget.core.kernels.lanczos import Operator, find_axes
from roget.core.kernels.rows import RowIndex, RowItems, rows_of
from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.mdl import kernels
from roget.learn.clustering.mdl.criteria import Code, Parts

SWEEPS = 100

AXES = 2
"""Coordinates whose best cuts are starts."""

LANCZOS, TOLERANCE = 30, 1e-2
"""Steps and precision of the coordinates: they only give an order to start from."""

COLDEST, STEPS = 0.02, 20
"""Annealing ends at this part of the temperature that it starts with, after so many sweeps."""

WORK = 10_000_000
"""Entries that all restarts of one set may look at, about; large sets get fewer."""

RESTARTS, AGREED = 12, 4
"""At most so many restarts; fewer if so many starts ended in the same, best, length."""

PRECISION = 1e-9
"""The part of a length, or of the tokens, that rounding may make of it."""

LEAST = 1e-6
"""Nats that a split must save: rounding saves nothing."""


@dataclass(frozen=True, eq=False)
class GrowingCluster:
    """Some rows of the whole table, with only the columns they use."""

    items: RowItems
    columns: Array
    prior: Floats

    @property
    def tokens(self) -> float:
        """How many tokens the rows have."""
        return float(self.items.totals.sum())


@dataclass(frozen=True, eq=False)
class Cut:
    """Two sides (0 and 1 for each row) and description lengths before and after, without constants.

    An empty side means that the search as printed did not split.
    """

    side: Array
    before: Parts
    after: Parts

    @property
    def saved(self) -> float:
        """Nats that the split saves."""
        return self.before.total - self.after.total

    @property
    def proper(self) -> bool:
        """Whether both sides have words."""
        return bool(self.side.any() and not self.side.all())


class Bisector:
    """Splits sets of rows of one table under one code."""

    def __init__(self, matrix: Any, code: Code, search: str = "auto", seed: int = 0) -> None:
        self.table = rows_of(matrix)
        self.totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
        self.code, self.search, self.seed = code, search, seed
        self._place = np.full(matrix.shape[1], -1, np.int32)

    def part(self, rows: Array) -> GrowingCluster:
        """The rows by themselves."""
        indptr, indices, values, columns = kernels.gather(rows, self.table, self._place)
        items = RowItems(indptr, indices, values, self.totals[rows])
        return GrowingCluster(items, columns, self.code.prior[columns])

    def split(self, rows: Array) -> Cut | None:
        """The best split that was found, whether it saves anything or not; None for one row."""
        if rows.size < 2:
            return None
        # The seed of a set of rows is the same in whatever order sets are split.
        key = np.random.SeedSequence([self.seed, int(rows[0]), rows.size])
        sides = Sides(self.part(rows), self.code, int(key.generate_state(1, np.uint64)[0]))
        if self.search == "paper":
            sides.as_printed()
        else:
            sides.best()
        return sides.cut()


class Sides:
    """Two sides of a part, and the searches for good ones."""

    def __init__(self, part: GrowingCluster, code: Code, seed: int) -> None:
        self.part, self.code = part, code
        self.state = np.array([seed], dtype=np.uint64)
        self.side = np.zeros(part.items.totals.size, np.int8)
        self.sums = kernels.Sums(np.zeros((part.columns.size, 2)), np.zeros(2), np.zeros(2))
        self.formula = code.formula(part.prior)

    def best(self) -> None:
        """Leave the best of several starts."""
        entries = self.part.items.indices.size
        best, length, agreed = self.side.copy(), math.inf, 0
        for start in self._starts(min(RESTARTS, WORK // (20 * entries))):
            here = start() + kernels.descend(SWEEPS, 1e-7, self.state, *self._all)
            if here < length - self._slack(here):
                best, length, agreed = self.side.copy(), here, 0
            agreed += here <= length + self._slack(here)
            if agreed == AGREED:
                break
        self.set(best)
        self._check(length)

    def _starts(self, restarts: int) -> Iterator[Callable[[], float]]:
        for coordinate in self.axes():
            order = np.argsort(coordinate, kind="stable")
            yield partial(kernels.sweep_cut, order, *self._all)
        for turn in range(restarts):
            yield self._anneal if turn % 2 == 0 else self._scatter

    def set(self, side: Array) -> None:
        """Take the sides that are given."""
        self.side[:] = side
        kernels.tally(self.part.items, self.side, self.sums)

    @property
    def _all(self) -> tuple[RowItems, Array, kernels.Sums, kernels.Formula]:
        return self.part.items, self.side, self.sums, self.formula

    def length(self) -> float:
        """The length of both sides, from the counts."""
        return kernels.length(self.sums, self.formula)

    def as_printed(self) -> None:
        """The paper's annealing."""
        penalty = self.code.penalty(self.part.tokens, self.side.size)
        kernels.anneal_as_printed(penalty, self.state, *self._all)

    def cut(self) -> Cut:
        """The sides with their lengths, counted afresh; side 0 has more tokens or the first row."""
        part, code = self.part, self.code
        self.set(self.side)
        if (self.sums.tokens[1], self.side[0]) > (self.sums.tokens[0], 0):
            self.set(1 - self.side)
        counts, tokens, size = self.sums.counts.sum(axis=1), part.tokens, float(self.side.size)
        before = code.alone(counts, tokens, size, part.prior)
        seen = kernels.length(self.sums, self.formula._replace(kind=code.data_kind, naming=0.0))
        penalty = code.penalty(tokens, size) if self.sums.sizes.all() else 0.0
        after = Parts(self.length() - seen + penalty, seen)
        return Cut(self.side.copy(), before, after)

    def _scatter(self) -> float:
        kernels.scatter(self.side, self.state)
        self.set(self.side)
        return self.length()

    def _anneal(self) -> float:
        length = self._scatter()
        hottest = kernels.heat(*self._all)
        if hottest <= kernels.ROUNDING:
            return length
        temperatures = hottest * COLDEST ** (np.arange(STEPS) / (STEPS - 1))
        return length + kernels.anneal(temperatures, self.state, *self._all)

    def axes(self) -> Floats:
        """Each row's place on the first axes of correspondence analysis, an axis a row."""
        start = np.random.default_rng(int(self.state[0])).standard_normal(self.side.size)
        return analyse(self.part.items, self.part.columns.size, start)

    def _slack(self, length: float) -> float:
        """What rounding may make of a length."""
        return PRECISION * max(abs(length), self.part.tokens, 1.0)

    def _check(self, length: float) -> None:
        """Compare the sum of all changes with a fresh count: a kernel that errs must not pass."""
        fresh = self.length()
        if abs(fresh - length) > self._slack(fresh):
            raise RuntimeError(f"the length by moves is {length!r}, counted afresh it is {fresh!r}")


def analyse(
    items: RowItems,
    columns: int,
    start: Floats,
    *,
    steps: int = LANCZOS,
    tolerance: float = TOLERANCE,
) -> Floats:
    """Rows' coordinates by correspondence analysis: an axis a row, the trivial one left out."""
    roots = np.sqrt(items.totals)
    sums = np.bincount(items.indices, items.values, minlength=columns)
    operator = Operator(
        RowIndex(*items[:3]),
        np.arange(roots.size),
        1 / roots,
        1 / sums,
        roots / np.linalg.norm(roots),
    )
    return find_axes(operator, start, steps, tolerance, AXES)[1] / roots


class SplitCandidate(NamedTuple):
    """The best split of a cluster: what it would change (nats), and how large the cluster is."""

    model: float
    data: float
    proper: bool
    entries: int

    @property
    def saved(self) -> float:
        """Nats that it would save; splits that are none would cost without end."""
        return -(self.model + self.data) if self.proper else -math.inf


class SplitStep(NamedTuple):
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
        self, bisector: Bisector, most: int | None = None, pause: Pause = never_stop
    ) -> None:
        self.bisector, self.most, self.pause = bisector, most, pause
        n = bisector.totals.size
        self.labels = np.zeros(n, np.int32)
        self.side = np.zeros(n, np.int8)
        """The side of each row in the best split of its cluster."""
        self.candidates: list[SplitCandidate] = []
        self.steps: list[SplitStep] = []
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

    def run(self) -> Iterator[SplitStep | None]:
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
        return Tree.from_splits((step.parent, step.saved) for step in self.steps)

    def snapshot(self) -> dict[str, Any]:
        """All that `restore` needs."""
        return {
            "labels": self.labels.copy(),
            "side": self.side.copy(),
            "candidates": [*self.candidates],
            "steps": [*self.steps],
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Go on from a snapshot; a ValueError or the like tells why it is none."""
        n = self.labels.size
        need_arrays(kept, {"labels": ("iu", (n,)), "side": ("iu", (n,))})
        self.candidates = [SplitCandidate(*one) for one in kept["candidates"]]
        self.steps = [SplitStep(*one) for one in kept["steps"]]
        told: list[SplitCandidate | SplitStep] = [*self.candidates, *self.steps]
        for one in told:
            need_numbers({"model": one.model, "data": one.data}, "model", "data")
        for new, step in enumerate(self.steps, 1):
            if step.cluster != new or step.parent not in range(new):
                raise ValueError(f"step {new} makes {step.cluster} of {step.parent}")
        if self.candidates and len(self.candidates) != self.n_clusters:
            raise ValueError(f"{self.n_clusters} clusters have {len(self.candidates)} splits")
        need_range("labels", kept["labels"], 0, max(1, len(self.candidates)))
        need_range("side", kept["side"], 0, 2)
        self.labels[:], self.side[:] = kept["labels"], kept["side"]
        for cluster, split in enumerate(self.candidates):
            sides = np.bincount(self.side[self.labels == cluster], minlength=2)
            if not sides.any() or (split.proper and not sides.all()):
                raise ValueError(f"cluster {cluster} is empty, or a side of its split")
            need_numbers(split._asdict(), "entries", low=0)
        for cluster in range(len(self.candidates)):
            self._offer(cluster)

    def _offer(self, cluster: int) -> None:
        """Put a cluster among those to be split, if its split is wanted."""
        one = self.candidates[cluster]
        forced = self.most is not None or self.bisector.search == "paper"
        if one.proper and (forced or one.saved > LEAST):
            heapq.heappush(self._heap, (-one.saved, cluster))
            self._open += one.entries

    def _split(self, parent: int) -> SplitStep:
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
        self.steps.append(SplitStep(parent, new, *sizes, chosen.model, chosen.data))
        return self.steps[-1]

    def _look(self, rows: Array) -> SplitCandidate:
        """Search for the best split of some rows and keep it."""
        indptr = self.bisector.table.indptr
        entries = int(np.sum(indptr[rows + 1] - indptr[rows]))
        cut = self.bisector.split(rows)
        if cut is None:
            self.side[rows] = 0
            return SplitCandidate(0.0, 0.0, False, entries)
        self.side[rows] = cut.side
        model, data = cut.after.model - cut.before.model, cut.after.data - cut.before.data
        return SplitCandidate(model, data, cut.proper, entries)
