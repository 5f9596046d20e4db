"""Grow a binary tree of clusters. The split that shortens the description most comes first.

The search for the best split of a set of words has several starting points. These are the best cut
of the words ordered by a coordinate of correspondence analysis, random halves, and annealed halves.
From each, words are moved one by one while this shortens the description. The best result is kept.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from roget.core.contents import require_arrays, require_numbers, require_range
from roget.core.kernels.lanczos import Operator, find_axes
from roget.core.kernels.rows import RowIndex, RowItems, rows_of
from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.mdl import kernels
from roget.learn.clustering.mdl.criteria import Code, Parts

SWEEPS = 100
"""Maximum number of greedy sweeps over the words of a set."""

AXES = 2
"""Number of coordinates of correspondence analysis. The best cut along each is a starting point."""

LANCZOS, TOLERANCE = 30, 1e-2
"""Maximum number of Lanczos steps, and their tolerance.

Ordering the words needs little precision.
"""

COLDEST, STEPS = 0.02, 20
"""Final annealing temperature as a fraction of the initial one, and the number of sweeps."""

WORK = 10_000_000
"""Approximate limit on the matrix entries that all restarts for one set of words may visit.

Large sets therefore have fewer restarts.
"""

RESTARTS, AGREED = 12, 4
"""Maximum number of restarts. The search ends when AGREED restarts find the same length."""

PRECISION = 1e-9
"""Relative rounding error of a description length or of a sum of tokens."""

LEAST = 1e-6
"""Minimum number of nats that a split must save. A smaller gain may be a rounding error."""


@dataclass(frozen=True, eq=False)
class GrowingCluster:
    """The rows of a cluster, without columns that contain only zeros."""

    items: RowItems
    columns: Array
    prior: Floats

    @property
    def tokens(self) -> float:
        """Total number of tokens in the rows."""
        return float(self.items.totals.sum())


@dataclass(frozen=True, eq=False)
class Cut:
    """A split: the side (0 or 1) of each row, and the description lengths before and after.

    Constant terms are omitted. If the paper's search did not split the rows, one side is empty.
    """

    side: Array
    before: Parts
    after: Parts

    @property
    def saved(self) -> float:
        """Number of nats saved by the split."""
        return self.before.total - self.after.total

    @property
    def proper(self) -> bool:
        """True if both sides of the split have words."""
        return bool(self.side.any() and not self.side.all())


class Bisector:
    """Split sets of table rows in two, with the shortest description under one code."""

    def __init__(self, matrix: Any, code: Code, search: str = "auto", seed: int = 0) -> None:
        self.table = rows_of(matrix)
        self.totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
        self.code, self.search, self.seed = code, search, seed
        self._place = np.full(matrix.shape[1], -1, np.int32)

    def extract(self, rows: Array) -> GrowingCluster:
        """Return the given rows, without columns that contain only zeros."""
        indptr, indices, values, columns = kernels.gather(rows, self.table, self._place)
        items = RowItems(indptr, indices, values, self.totals[rows])
        return GrowingCluster(items, columns, self.code.prior[columns])

    def split(self, rows: Array) -> Cut | None:
        """Return the best split, even if it saves nothing, or None for a single row."""
        if rows.size < 2:
            return None
        # Derive the seed from the rows, so that the result does not depend on the order in which
        # sets are split.
        key = np.random.SeedSequence([self.seed, int(rows[0]), rows.size])
        sides = Sides(self.extract(rows), self.code, int(key.generate_state(1, np.uint64)[0]))
        if self.search == "paper":
            sides.anneal_as_printed()
        else:
            sides.find_best()
        return sides.cut()


class Sides:
    """A set of rows divided into two sides, and the search for the best division."""

    def __init__(self, part: GrowingCluster, code: Code, seed: int) -> None:
        self.part, self.code = part, code
        self.state = np.array([seed], dtype=np.uint64)
        self.side = np.zeros(part.items.totals.size, np.int8)
        self.sums = kernels.Sums(np.zeros((part.columns.size, 2)), np.zeros(2), np.zeros(2))
        self.formula = code.formula(part.prior)

    def find_best(self) -> None:
        """Search from several starting points, and return the best result."""
        # Limit the work per set: larger sets get fewer restarts.
        entries = self.part.items.indices.size
        best, length, agreed = self.side.copy(), math.inf, 0
        for start in self._list_starts(min(RESTARTS, WORK // (20 * entries))):
            here = start() + kernels.descend(SWEEPS, 1e-7, self.state, *self._all)
            # Stop early if several restarts have reached the same best length.
            if here < length - self._bound_rounding(here):
                best, length, agreed = self.side.copy(), here, 0
            agreed += here <= length + self._bound_rounding(here)
            if agreed == AGREED:
                break
        self.assign(best)
        self._check(length)

    def _list_starts(self, restarts: int) -> Iterator[Callable[[], float]]:
        """Yield functions that each set a starting point and return its description length."""
        for coordinate in self.axes():
            order = np.argsort(coordinate, kind="stable")
            yield partial(kernels.sweep_cut, order, *self._all)
        for turn in range(restarts):
            yield self._anneal if turn % 2 == 0 else self._scatter

    def assign(self, side: Array) -> None:
        """Assign the rows to the two sides, and recount the sides."""
        self.side[:] = side
        kernels.tally(self.part.items, self.side, self.sums)

    @property
    def _all(self) -> tuple[RowItems, Array, kernels.Sums, kernels.Formula]:
        return self.part.items, self.side, self.sums, self.formula

    def length(self) -> float:
        """Return the description length of the two sides, computed from their counts."""
        return kernels.length(self.sums, self.formula)

    def anneal_as_printed(self) -> None:
        """Anneal exactly as printed in Li & Abe (1996)."""
        penalty = self.code.penalty(self.part.tokens, self.side.size)
        kernels.anneal_as_printed(penalty, self.state, *self._all)

    def cut(self) -> Cut:
        """Return the current split, with recomputed description lengths.

        Side 0 is the side with more tokens. If both have the same number, it is the side of row 0.
        """
        part, code = self.part, self.code
        self.assign(self.side)
        if (self.sums.tokens[1], self.side[0]) > (self.sums.tokens[0], 0):
            self.assign(1 - self.side)
        counts, tokens, size = self.sums.counts.sum(axis=1), part.tokens, float(self.side.size)
        before = code.single_length(counts, tokens, size, part.prior)
        seen = kernels.length(self.sums, self.formula._replace(kind=code.data_kind, naming=0.0))
        penalty = code.penalty(tokens, size) if self.sums.sizes.all() else 0.0
        after = Parts(self.length() - seen + penalty, seen)
        return Cut(self.side.copy(), before, after)

    def _scatter(self) -> float:
        """Assign the rows to two random halves, and return the description length."""
        kernels.scatter(self.side, self.state)
        self.assign(self.side)
        return self.length()

    def _anneal(self) -> float:
        """Anneal from two random halves, and return the description length."""
        length = self._scatter()
        hottest = kernels.mean_move_cost(*self._all)
        if hottest <= kernels.ROUNDING:
            return length
        temperatures = hottest * COLDEST ** (np.arange(STEPS) / (STEPS - 1))
        return length + kernels.anneal(temperatures, self.state, *self._all)

    def axes(self) -> Floats:
        """Return the coordinates of the rows on the first axes of correspondence analysis."""
        start = np.random.default_rng(int(self.state[0])).standard_normal(self.side.size)
        return analyse(self.part.items, self.part.columns.size, start)

    def _bound_rounding(self, length: float) -> float:
        return PRECISION * max(abs(length), self.part.tokens, 1.0)

    def _check(self, length: float) -> None:
        """Compare the description length, as updated by each move, with a recomputed one.

        A difference indicates an error in the kernels.
        """
        fresh = self.length()
        if abs(fresh - length) > self._bound_rounding(fresh):
            raise RuntimeError(
                f"the incrementally updated description length ({length!r}) differs "
                f"from the recomputed one ({fresh!r})"
            )


def analyse(
    items: RowItems,
    columns: int,
    start: Floats,
    *,
    steps: int = LANCZOS,
    tolerance: float = TOLERANCE,
) -> Floats:
    """Return the coordinates of the rows in correspondence analysis, without the trivial axis."""
    # Find eigenvectors of D_r^-½ X D_c^-1 Xᵀ D_r^-½. The trivial one, √D_r, is projected out.
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
    """The best split of a cluster, with the changes in description length in nats."""

    model: float
    data: float
    proper: bool
    entries: int

    @property
    def saved(self) -> float:
        """Number of nats saved by the split, or −inf if one side is empty."""
        return -(self.model + self.data) if self.proper else -math.inf


class SplitStep(NamedTuple):
    """A split in the tree: both sets of words, and the changes in description length."""

    parent: int
    cluster: int
    kept: int
    moved: int
    model: float
    data: float

    @property
    def saved(self) -> float:
        """Number of nats saved by the split."""
        return -(self.model + self.data)


class Grower:
    """A growing tree of clusters, in which the best split is made first.

    With `most`, splitting continues until there are `most` clusters, even if nothing is saved.
    """

    def __init__(
        self, bisector: Bisector, most: int | None = None, pause: Pause = never_stop
    ) -> None:
        self.bisector, self.most, self.pause = bisector, most, pause
        n = bisector.totals.size
        self.labels = np.zeros(n, np.int32)
        self.side = np.zeros(n, np.int8)
        """Side (0 or 1) of each row in the best split of its cluster."""
        self.candidates: list[SplitCandidate] = []
        self.steps: list[SplitStep] = []
        self._heap: list[tuple[float, int]] = []
        self._open = 0

    @property
    def n_clusters(self) -> int:
        """Current number of clusters."""
        return len(self.steps) + 1

    @property
    def fraction(self) -> float:
        """Approximate progress, from 0 to 1.

        With `most`, it is the number of clusters divided by `most`. Otherwise it is the higher of
        two values: the fraction of entries in final clusters, and the decrease in gain on a log
        scale.
        """
        if self.most is not None:
            return min(1.0, self.n_clusters / self.most)
        if not self._heap:
            return 1.0
        # Gains decrease about geometrically, so measure them on a log scale.
        first = self.steps[0].saved if self.steps else -self._heap[0][0]
        left = math.log1p(max(-self._heap[0][0], 0.0)) / math.log1p(max(first, 1e-9))
        return max(0.0, 1.0 - left, 1.0 - self._open / max(int(self.bisector.table.values.size), 1))

    def run(self) -> Iterator[SplitStep | None]:
        """Split clusters until no useful split is left. Yield whenever the state can be saved."""
        if not self.candidates:
            self.candidates.append(self._find_split(np.arange(self.labels.size)))
            self._offer(0)
            yield None
        while self._heap and self.n_clusters != self.most:
            self.pause()
            yield self._split(heapq.heappop(self._heap)[1])

    def tree(self) -> Tree:
        """Return the splits as a tree. The value of a split is the number of nats saved."""
        return Tree.from_splits((step.parent, step.saved) for step in self.steps)

    def snapshot(self) -> dict[str, Any]:
        """Return the state of the growth, from which `restore` resumes."""
        return {
            "labels": self.labels.copy(),
            "side": self.side.copy(),
            "candidates": [*self.candidates],
            "steps": [*self.steps],
        }

    def restore(self, kept: Mapping[str, Any]) -> None:
        """Resume from a snapshot.

        Raise ValueError, KeyError or TypeError if the snapshot is invalid.
        """
        n = self.labels.size
        require_arrays(kept, {"labels": ("iu", (n,)), "side": ("iu", (n,))})
        self.candidates = [SplitCandidate(*one) for one in kept["candidates"]]
        self.steps = [SplitStep(*one) for one in kept["steps"]]
        known: list[SplitCandidate | SplitStep] = [*self.candidates, *self.steps]
        for one in known:
            require_numbers({"model": one.model, "data": one.data}, "model", "data")
        for new, step in enumerate(self.steps, 1):
            if step.cluster != new or step.parent not in range(new):
                raise ValueError(
                    f"step {new} splits cluster {step.cluster} from {step.parent}; "
                    f"expected cluster {new} and an earlier parent"
                )
        if self.candidates and len(self.candidates) != self.n_clusters:
            raise ValueError(
                f"there are {self.n_clusters} clusters, but {len(self.candidates)} candidate splits"
            )
        require_range("labels", kept["labels"], 0, max(1, len(self.candidates)))
        require_range("side", kept["side"], 0, 2)
        self.labels[:], self.side[:] = kept["labels"], kept["side"]
        for cluster, split in enumerate(self.candidates):
            sides = np.bincount(self.side[self.labels == cluster], minlength=2)
            if not sides.any() or (split.proper and not sides.all()):
                raise ValueError(f"cluster {cluster} or one side of its split is empty")
            require_numbers(split._asdict(), "entries", low=0)
        for cluster in range(len(self.candidates)):
            self._offer(cluster)

    def _offer(self, cluster: int) -> None:
        """Add a cluster to the heap of clusters to split, if its best split is acceptable."""
        # A split that saves nothing is acceptable if a number of clusters was requested, or with
        # search="paper", which follows Li & Abe (1996).
        one = self.candidates[cluster]
        forced = self.most is not None or self.bisector.search == "paper"
        if one.proper and (forced or one.saved > LEAST):
            heapq.heappush(self._heap, (-one.saved, cluster))
            self._open += one.entries

    def _split(self, parent: int) -> SplitStep:
        """Make the best split of a cluster, and find the best splits of both halves."""
        chosen, new = self.candidates[parent], self.n_clusters
        rows = np.flatnonzero(self.labels == parent)
        moves = self.side[rows] == 1
        kept, moved = rows[~moves], rows[moves]
        found = self._find_split(kept), self._find_split(moved)
        # Give the second half the next number. Both halves may be split further.
        self.labels[moved] = new
        self.candidates[parent] = found[0]
        self.candidates.append(found[1])
        self._open -= chosen.entries
        self._offer(parent)
        self._offer(new)
        sizes = int(kept.size), int(moved.size)
        self.steps.append(SplitStep(parent, new, *sizes, chosen.model, chosen.data))
        return self.steps[-1]

    def _find_split(self, rows: Array) -> SplitCandidate:
        """Find the best split of the given rows, and record the side of each row."""
        indptr = self.bisector.table.indptr
        entries = int(np.sum(indptr[rows + 1] - indptr[rows]))
        cut = self.bisector.split(rows)
        if cut is None:
            self.side[rows] = 0
            return SplitCandidate(0.0, 0.0, False, entries)
        self.side[rows] = cut.side
        model, data = cut.after.model - cut.before.model, cut.after.data - cut.before.data
        return SplitCandidate(model, data, cut.proper, entries)
