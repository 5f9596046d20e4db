"""Search for the row and column classes with the shortest description length.

1. Annealing: every item draws its class with probability ∝ exp(−ΔL/T), first all rows, then all
   columns, while the temperature T falls.
2. Greedy sweeps and exact merges, until the description no longer becomes shorter.
3. For small tables, steps 1 and 2 are repeated from other random starts.
4. The best result is annealed again from a low temperature. This helps rare items, which hardly
   converge while frequent items are still moving.

The parameters a and b are adjusted during the search to minimise the same description length.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import gammaln

from roget.core.contents import is_size, require_arrays, require_numbers, require_range
from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.learn.clustering.checkpoints import Pause, never_stop
from roget.learn.clustering.comdl import criterion, kernels, merges
from roget.learn.clustering.comdl.criterion import (
    AxisClasses,
    CoclusterTable,
    Length,
    length,
    members,
)
from roget.learn.clustering.memberships import merge_labels, merges_to_splits

WARM, SHARE, COLD = 3.0, 16.0, 0.6
"""Parameters of the temperature in nats. It falls geometrically to COLD.

It starts at WARM, or at the mean number of tokens per item divided by SHARE if that is higher. The
more tokens an item has, the more nats a move costs.
"""

TEPID = 1.0
"""Initial temperature for annealing the best classes again. This run has half the sweeps."""

FREQUENT, MAX_FIRST = 16, 250
"""Limits on the initial number of classes.

It is at most MAX_FIRST, and at most a quarter of the number of items with FREQUENT or more tokens.
"""

FIRST_A, FIRST_B = 0.25, 1.0
"""Initial values of a and b if they are chosen automatically."""

CHOICE = 4
"""Number of sweeps between two adjustments of a and b."""

MAX_GREEDY = 100
"""Maximum number of rounds of greedy sweeps and merges."""

PATIENCE = 30.0
"""Maximum increase in description length, in nats, that merges may cause temporarily."""

STILL = 1e-6
"""Minimum relative gain of a greedy round. The search stops when the gain is smaller."""


@dataclass(frozen=True)
class CoMDLSettings:
    """Parameters of the search. If a parameter is None, the search chooses it."""

    a: float | None = None
    b: float | None = None
    n_row_classes: int | None = None
    n_column_classes: int | None = None
    sweeps: int = 60
    starts: int = 1
    seed: int = 0

    @property
    def chosen(self) -> str:
        """Names of the parameters that are chosen automatically: a, b, or both."""
        return "a" * (self.a is None) + "b" * (self.b is None)

    @property
    def fixed(self) -> tuple[int | None, int | None]:
        """Required numbers of row classes and column classes.

        None means that the search chooses them.
        """
        return self.n_row_classes, self.n_column_classes


@dataclass
class CoclusterState:
    """Row and column classes, the parameters a and b, and the description length."""

    labels: list[Ints]
    a: float
    b: float
    total: float

    @property
    def k(self) -> list[int]:
        """Numbers of row classes and column classes."""
        return [int(part.max()) + 1 for part in self.labels]


class CoMDLSearch:
    """A run of the search. It can be saved and resumed between any two of its `steps`."""

    def __init__(
        self, table: CoclusterTable, settings: CoMDLSettings, pause: Pause = never_stop
    ) -> None:
        self.table, self.settings, self._pause = table, settings, pause
        self.state = np.array([settings.seed], dtype=np.uint64)
        rows, columns = (side.n for side in table.sides)
        self.hot = max(WARM, table.grand / math.sqrt(rows * columns) / SHARE)
        self.start, self.sweep, self.greedy, self.done = 0, 0, 0, 0
        self.finished = False
        self.ends: list[CoclusterState] = []
        self.rest = [np.zeros((2, side.n), dtype=np.int64) for side in table.sides]
        self.now = self._begin()
        self._tables = lru_cache(maxsize=1)(table.cost_tables)

    @property
    def fraction(self) -> float:
        """Approximate progress of the search, from 0 to 1."""
        if self.finished:
            return 1.0
        done = 0.9 * min(1.0, self.sweep / self._sweeps) + min(self.greedy, 20) / 250
        return (self.start + done) / (self.settings.starts + 1)

    @property
    def _last(self) -> bool:
        """True while the best classes are annealed again."""
        return self.start == self.settings.starts

    @property
    def _sweeps(self) -> int:
        return (self.settings.sweeps + 1) // 2 if self._last else self.settings.sweeps

    def steps(self) -> Iterator[CoMDLSearch]:
        """Yield after every temperature and every greedy round until the search is finished."""
        while not self.finished:
            self._pause()
            if self.sweep < self._sweeps:
                self._anneal()
            elif not self._descend():
                self._end()
            self.done += 1
            yield self

    def find_best(self) -> CoclusterState:
        """Return the best classes so far."""
        return min([*self.ends, self.now], key=lambda classes: classes.total)

    def results(self) -> list[CoclusterState]:
        """Return the results of the random starts, best first.

        Before the end of the first start, return the current state.
        """
        return sorted(self.ends or [self.now], key=lambda classes: classes.total)

    def snapshot(self) -> dict[str, Any]:
        """Return the complete state as arrays and plain data."""
        kept: dict[str, Any] = {
            "state": self.state.copy(), "start": self.start, "sweep": self.sweep,
            "greedy": self.greedy, "done": self.done, "finished": self.finished,
            "rest_0": self.rest[0].copy(), "rest_1": self.rest[1].copy(), "classes": [],
        }  # fmt: skip
        for at, classes in enumerate([self.now, *self.ends]):
            kept |= {f"classes_{at}_{side}": classes.labels[side].copy() for side in (0, 1)}
            kept["classes"].append({"a": classes.a, "b": classes.b, "total": classes.total})
        return kept

    def restore(self, kept: dict[str, Any]) -> None:
        """Resume from a snapshot.

        Raise ValueError, KeyError or TypeError if the snapshot is invalid.
        """
        sizes = [side.n for side in self.table.sides]
        schema: dict[str, tuple[str, tuple[str | int, ...]]] = {"state": ("u", self.state.shape)}
        for side, n in enumerate(sizes):
            schema |= {f"rest_{side}": ("i", (2, n))}
            schema |= {f"classes_{at}_{side}": ("i", (n,)) for at in range(len(kept["classes"]))}
        require_arrays(kept, schema)
        counters = ("start", "sweep", "greedy", "done")
        if not all(is_size(kept[name]) for name in counters) or type(kept["finished"]) is not bool:
            raise ValueError(
                "'start', 'sweep', 'greedy', 'done' or 'finished' has an invalid value"
            )
        if kept["start"] > self.settings.starts or kept["finished"] > len(kept["classes"]) - 1:
            raise ValueError(
                f"'start' is {kept['start']}, but there are {self.settings.starts} random starts"
            )
        self.state = kept["state"].astype(np.uint64)
        self.start, self.sweep, self.greedy = kept["start"], kept["sweep"], kept["greedy"]
        self.done, self.finished = kept["done"], kept["finished"]
        self.rest = [kept[f"rest_{side}"].astype(np.int64) for side in (0, 1)]
        every = []
        for at, values in enumerate(kept["classes"]):
            labels = [kept[f"classes_{at}_{side}"].astype(np.int64) for side in (0, 1)]
            for side, fixed in enumerate(self.settings.fixed):
                require_range(f"classes_{at}_{side}", labels[side], 0, sizes[side])
                filled = np.bincount(labels[side])
                if not filled.all() or (fixed and filled.size > fixed):
                    raise ValueError(
                        f"'classes_{at}_{side}' has an empty class or too many classes"
                    )
            require_numbers(values, "a", "b", low=0)
            require_numbers(values, "total")
            classes = CoclusterState(labels, **values)
            if not math.isclose(
                self.length(classes).total, classes.total, rel_tol=1e-6, abs_tol=1e-2
            ):
                raise ValueError(
                    f"result {at}: the stored description length ({classes.total}) "
                    "does not match the classes"
                )
            every.append(classes)
        self.now, self.ends = every[0], every[1:]

    def length(self, classes: CoclusterState) -> Length:
        """Compute the description length of the current classes from scratch."""
        return length(self.table, classes.labels, classes.a, classes.b)

    def _begin(self) -> CoclusterState:
        """Return a random initial state."""
        rng = np.random.default_rng([self.settings.seed, self.start])
        labels = []
        for side, fixed in zip(self.table.sides, self.settings.fixed, strict=True):
            n = fixed or initial_classes(side)
            # Put one item into every class first, so no class is empty.
            places = rng.permutation(side.n)
            part = rng.integers(n, size=side.n)
            part[places[:n]] = np.arange(n)
            labels.append(part.astype(np.int64))
        a = FIRST_A if self.settings.a is None else self.settings.a
        b = FIRST_B if self.settings.b is None else self.settings.b
        classes = CoclusterState(labels, a, b, 0.0)
        classes.total = self.length(classes).total
        return classes

    def _anneal(self) -> None:
        """Run a sweep over the rows and the columns at the next temperature."""
        # Cool geometrically from `hot` to COLD.
        part, hot = self.sweep / max(self._sweeps - 1, 1), TEPID if self._last else self.hot
        for side in (0, 1):
            self._sweep(side, hot * (COLD / hot) ** part)
        self.sweep += 1
        if self.sweep % CHOICE == 0:
            self._choose()

    def _descend(self) -> bool:
        """Run one greedy round. Return False if its gain is too small to continue."""
        before = self.now.total
        self._choose()
        for side in (0, 1):
            self._sweep(side, 0.0)
        self.greedy += 1
        # Try merges only when greedy sweeps no longer shorten the description.
        enough = STILL * abs(before)
        if before - self.now.total <= enough:
            self._merge()
        return before - self.now.total > enough and self.greedy < MAX_GREEDY

    def _end(self) -> None:
        """Store the result of a random start, and begin the next one, if any."""
        # The description length was updated after each move. Compare it with a full computation.
        total = self.length(self.now).total
        if not math.isclose(total, self.now.total, rel_tol=1e-9, abs_tol=1e-3):
            raise RuntimeError(
                f"the incrementally updated description length ({self.now.total}) differs from "
                f"the recomputed one ({total})"
            )
        self.now.total = total
        if self._last:
            self.ends.sort(key=lambda classes: classes.total)
            self.ends[0] = self.find_best()
            self.finished = True
            return
        self.ends.append(deepcopy(self.now))
        self.start += 1
        self.sweep, self.greedy = 0, 0
        for part in self.rest:
            part[:] = 0
        self.now = deepcopy(self.find_best()) if self._last else self._begin()

    def _choose(self) -> None:
        """Set a and b to the best values for the current classes."""
        now, which = self.now, self.settings.chosen
        if not which:
            return
        a, b = criterion.choose(self.table, now.labels, now.a, now.b, which)
        if (a, b) != (now.a, now.b):
            now.a, now.b = a, b
            now.total = self.length(now).total

    def _sweep(self, side: int, temperature: float) -> None:
        """Run one sweep over the rows or over the columns."""
        now, part, fixed = self.now, self.table.sides[side], self.settings.fixed[side]
        k, j = now.k[side], now.k[1 - side]
        # Reserve columns for classes that items may open during the sweep.
        room = min(part.n, k + k // 8 + 32) + 1 if fixed is None else k + 1
        counts = self.table.count_classes(side, now.labels, j, room, now.a)
        skips = kernels.SkipState(np.arange(part.n), *self.rest[side])
        tables = self._tables(now.a, now.b)[side]
        now.total += kernels.sweep(
            part.items, counts, tables, skips, k, fixed or 1, temperature, self.state
        )[1]

    def _merge(self) -> None:
        """Merge classes if this shortens the description, possibly after a temporary increase."""
        now = self.now
        rows, columns = (n or 1 for n in self.settings.fixed)
        pairs, added = agglomerate(self.table, now, rows, columns, PATIENCE)
        first = find_shortest(added)
        for side in (0, 1) if first else ():
            into = merge_labels(_select_side(side, pairs[:first]), now.k[side])
            now.labels[side] = into[now.labels[side]]
        now.total += float(np.cumsum(added[:first])[-1]) if first else 0.0


def default_starts(table: CoclusterTable) -> int:
    """Return the default number of random starts. Small tables need more."""
    return int(np.clip(125_000 // table.sides[0].items.values.size, 1, 5))


def initial_classes(side: AxisClasses) -> int:
    """Return the initial number of row classes or column classes."""
    frequent = int(np.sum(side.items.totals >= FREQUENT))
    most = min(math.isqrt(side.items.values.size), frequent // 4, MAX_FIRST)
    return min(side.n, max(most, 4))


def default_sweeps(table: CoclusterTable) -> int:
    """Return the default number of temperatures. Large tables get fewer."""
    return int(np.clip(60 * math.sqrt(4e4 / table.sides[0].items.values.size), 40, 60))


def agglomerate(
    table: CoclusterTable,
    classes: CoclusterState,
    rows: int,
    columns: int,
    patience: float = math.inf,
) -> tuple[Ints, Floats]:
    """Merge classes until `rows` row classes and `columns` column classes are left.

    Return the merges, and the increase in description length caused by each. Merging stops when the
    description length exceeds the shortest one so far by more than `patience`.
    """
    blocks = criterion.count_blocks(table, classes.labels)
    tables = table.cost_tables(classes.a, classes.b)
    first, second = (
        merges.Members(*criterion.members(part, classes.labels[side], k), tables[side])
        for side, (part, k) in enumerate(zip(table.sides, classes.k, strict=True))
    )
    return merges.agglomerate(blocks, (first, second), (rows, columns), float(patience))


def find_shortest(added: Floats) -> int:
    """Return the number of merges that give the shortest description."""
    return int(np.argmin(np.append(0.0, np.cumsum(added))))


@dataclass(frozen=True, eq=False)
class MergeHierarchy:
    """Row classes and column classes, with their trees.

    Classes are numbered from the root downwards, in the order in which they are split off.
    """

    labels: tuple[Ints, Ints]
    trees: tuple[Tree, Tree]
    path: list[dict[str, Any]]
    length: Length
    a: float
    b: float


def build_hierarchy(
    table: CoclusterTable, classes: CoclusterState, *, shorten: bool = True
) -> MergeHierarchy:
    """Merge row and column classes down to one each, and reverse the merges to get two trees.

    With `shorten`, merges that shorten the description are applied to the classes first.
    """
    classes = replace(classes, labels=[_number_in_order(part) for part in classes.labels])
    # Merge down to one row class and one column class, and find the shortest description on the
    # way.
    pairs, added = agglomerate(table, classes, 1, 1)
    first = find_shortest(added) if shorten else 0
    done, left, saved = pairs[:first], pairs[first:], added[first:][::-1]
    sides = left[::-1, 0]
    labels, trees, parents = [], [], np.empty_like(sides)
    for side in (0, 1):
        splits, number = merges_to_splits(_select_side(side, left))
        into = number[merge_labels(_select_side(side, done), classes.k[side])]
        labels.append(into[classes.labels[side]])
        trees.append(Tree.from_splits(zip(splits, saved[sides == side].tolist(), strict=True)))
        parents[sides == side] = splits
    whole = length(table, labels, classes.a, classes.b)
    path = _make_path(table, labels, np.stack([sides, parents], 1).tolist(), saved.tolist(), whole)
    found = (labels[0], labels[1]), (trees[0], trees[1])
    return MergeHierarchy(*found, path, whole, classes.a, classes.b)


def _select_side(side: int, pairs: Ints) -> list[tuple[int, int]]:
    """Return the merges of one axis as (into, merged) pairs."""
    return [(one, two) for s, one, two in pairs.tolist() if s == side]


def _number_in_order(labels: Ints) -> Ints:
    """Renumber the classes in the order in which they first occur in `labels`."""
    _, first, places = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[places])


def _make_path(
    table: CoclusterTable, labels: list[Ints], splits: list[tuple[int, int]], saved: list[float],
    whole: Length,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return one row per split, with the description length, from a single class to all classes.

    A split is (axis, class). The new class gets the next number on its axis.
    """
    k = [int(part.max()) + 1 for part in labels]
    sizes = [
        members(side, part, n)[0].tolist()
        for side, part, n in zip(table.sides, labels, k, strict=True)
    ]
    total, model = whole.total, whole.partition
    rows: list[dict[str, Any]] = []
    # Work backwards from the full set of classes. The description length before a split is the
    # length after it plus the nats that the split saved.
    for step in range(len(splits), 0, -1):
        side, one = splits[step - 1]
        rows.append(
            {
                "step": step,
                "side": ("rows", "columns")[side],
                "parent": one,
                "n_clusters": k[0],
                "n_column_clusters": k[1],
                "model": model,
                "data": total - model,
                "description_length": total,
                "saved": saved[step - 1],
            }
        )
        partition, n, m = table.sides[side].partition, sizes[side][one], sizes[side][k[side] - 1]
        model += float(partition[k[side] - 1] - partition[k[side]])
        if table.sized:
            model -= float(gammaln(n + m + 1) - gammaln(n + 1) - gammaln(m + 1))
        total += saved[step - 1]
        sizes[side][one] += m
        k[side] -= 1
    return rows[::-1]
