"""The search for the classes of both sides with the shortest description.

Annealing: every item chooses its class anew, by exp(−ΔL/T), one side after the other, while T
falls; then greedy sweeps and exact merges until nothing gets shorter; several times where the table
is small. The best is warmed up once more, so that its light items settle, for which there is little
time while the heavy ones do. a and b follow on their way, by the same length.
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

from roget.core.folder import is_size, need_arrays, need_numbers, need_range
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
"""T falls, by a constant factor, to COLD nats; it begins at WARM, or with the SHAREth part of the
tokens that items have on average: the more tokens, the more nats a move is about."""

TEPID = 1.0
"""The temperature from which the best classes are cooled once more, in half as many sweeps."""

FREQUENT, MOST_FIRST = 16, 250
"""Items with as many tokens could found a class; no side begins with more classes."""

FIRST_A, FIRST_B = 0.25, 1.0
"""What a and b are before they are chosen."""

CHOICE = 4
"""Sweeps between two choices of a and b."""

MOST_GREEDY = 100
"""Greedy sweeps at most."""

PATIENCE = 30.0
"""Nats by which merges may lengthen the description on the way to a shorter one."""

STILL = 1e-6
"""What a round of greedy sweeps or of merges must gain, relative to the length, to go on."""


@dataclass(frozen=True)
class CoMDLSettings:
    """What is asked of the search; None where it is to be found."""

    a: float | None = None
    b: float | None = None
    n_row_classes: int | None = None
    n_column_classes: int | None = None
    sweeps: int = 60
    starts: int = 1
    seed: int = 0

    @property
    def chosen(self) -> str:
        """Which of a and b are chosen by the length."""
        return "a" * (self.a is None) + "b" * (self.b is None)

    @property
    def fixed(self) -> tuple[int | None, int | None]:
        """How many classes there must be on each side."""
        return self.n_row_classes, self.n_column_classes


@dataclass
class CoclusterState:
    """Classes of both sides, their length by the formula with a and b, and how it is reached."""

    labels: list[Ints]
    a: float
    b: float
    total: float

    @property
    def k(self) -> list[int]:
        """How many classes there are on each side."""
        return [int(part.max()) + 1 for part in self.labels]


class CoMDLSearch:
    """A run of the search; `steps` drives it, and it can stop and go on between any two."""

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
        self._prices = lru_cache(maxsize=1)(table.prices)

    @property
    def fraction(self) -> float:
        """How much of the work is done."""
        if self.finished:
            return 1.0
        done = 0.9 * min(1.0, self.sweep / self._sweeps) + min(self.greedy, 20) / 250
        return (self.start + done) / (self.settings.starts + 1)

    @property
    def _last(self) -> bool:
        """Whether the best classes are cooled once more, after all starts."""
        return self.start == self.settings.starts

    @property
    def _sweeps(self) -> int:
        return (self.settings.sweeps + 1) // 2 if self._last else self.settings.sweeps

    def steps(self) -> Iterator[CoMDLSearch]:
        """Itself after every temperature and every greedy round, until there is no more to do."""
        while not self.finished:
            self._pause()
            if self.sweep < self._sweeps:
                self._anneal()
            elif not self._descend():
                self._end()
            self.done += 1
            yield self

    def found(self) -> CoclusterState:
        """The best classes so far."""
        return min([*self.ends, self.now], key=lambda classes: classes.total)

    def results(self) -> list[CoclusterState]:
        """What the starts have come to, the best first; what is under way, if there is no other."""
        return sorted(self.ends or [self.now], key=lambda classes: classes.total)

    def snapshot(self) -> dict[str, Any]:
        """All that is needed to go on from here, as arrays and plain data."""
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
        """Go on from a snapshot; a ValueError or the like tells why it is none."""
        sizes = [side.n for side in self.table.sides]
        schema: dict[str, tuple[str, tuple[str | int, ...]]] = {"state": ("u", self.state.shape)}
        for side, n in enumerate(sizes):
            schema |= {f"rest_{side}": ("i", (2, n))}
            schema |= {f"classes_{at}_{side}": ("i", (n,)) for at in range(len(kept["classes"]))}
        need_arrays(kept, schema)
        counters = ("start", "sweep", "greedy", "done")
        if not all(is_size(kept[name]) for name in counters) or type(kept["finished"]) is not bool:
            raise ValueError("start, sweep, greedy, done or finished make no sense")
        if kept["start"] > self.settings.starts or kept["finished"] > len(kept["classes"]) - 1:
            raise ValueError(f"start {kept['start']} of {self.settings.starts}")
        self.state = kept["state"].astype(np.uint64)
        self.start, self.sweep, self.greedy = kept["start"], kept["sweep"], kept["greedy"]
        self.done, self.finished = kept["done"], kept["finished"]
        self.rest = [kept[f"rest_{side}"].astype(np.int64) for side in (0, 1)]
        every = []
        for at, values in enumerate(kept["classes"]):
            labels = [kept[f"classes_{at}_{side}"].astype(np.int64) for side in (0, 1)]
            for side, fixed in enumerate(self.settings.fixed):
                need_range(f"classes_{at}_{side}", labels[side], 0, sizes[side])
                filled = np.bincount(labels[side])
                if not filled.all() or (fixed and filled.size > fixed):
                    raise ValueError(f"classes_{at}_{side}: a class is empty, or one too many")
            need_numbers(values, "a", "b", low=0)
            need_numbers(values, "total")
            classes = CoclusterState(labels, **values)
            if not math.isclose(
                self.length(classes).total, classes.total, rel_tol=1e-6, abs_tol=1e-2
            ):
                raise ValueError(f"the length of classes {at} is not {classes.total}")
            every.append(classes)
        self.now, self.ends = every[0], every[1:]

    def length(self, classes: CoclusterState) -> Length:
        """The length of classes, from nothing but them."""
        return length(self.table, classes.labels, classes.a, classes.b)

    def _begin(self) -> CoclusterState:
        """Random classes."""
        rng = np.random.default_rng([self.settings.seed, self.start])
        labels = []
        for side, fixed in zip(self.table.sides, self.settings.fixed, strict=True):
            n = fixed or initial_classes(side)
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
        """One temperature."""
        part, hot = self.sweep / max(self._sweeps - 1, 1), TEPID if self._last else self.hot
        for side in (0, 1):
            self._sweep(side, hot * (COLD / hot) ** part)
        self.sweep += 1
        if self.sweep % CHOICE == 0:
            self._choose()

    def _descend(self) -> bool:
        """One greedy round; False if it gained nothing."""
        before = self.now.total
        self._choose()
        for side in (0, 1):
            self._sweep(side, 0.0)
        self.greedy += 1
        enough = STILL * abs(before)
        if before - self.now.total <= enough:
            self._merge()
        return before - self.now.total > enough and self.greedy < MOST_GREEDY

    def _end(self) -> None:
        """Keep the best, and start again if there is another start."""
        total = self.length(self.now).total
        if not math.isclose(total, self.now.total, rel_tol=1e-9, abs_tol=1e-3):
            raise RuntimeError(f"the length went astray: {self.now.total} is in truth {total}")
        self.now.total = total
        if self._last:
            self.ends.sort(key=lambda classes: classes.total)
            self.ends[0] = self.found()
            self.finished = True
            return
        self.ends.append(deepcopy(self.now))
        self.start += 1
        self.sweep, self.greedy = 0, 0
        for part in self.rest:
            part[:] = 0
        self.now = deepcopy(self.found()) if self._last else self._begin()

    def _choose(self) -> None:
        now, which = self.now, self.settings.chosen
        if not which:
            return
        a, b = criterion.choose(self.table, now.labels, now.a, now.b, which)
        if (a, b) != (now.a, now.b):
            now.a, now.b = a, b
            now.total = self.length(now).total

    def _sweep(self, side: int, temperature: float) -> None:
        """One sweep over the items of a side."""
        now, part, fixed = self.now, self.table.sides[side], self.settings.fixed[side]
        k, j = now.k[side], now.k[1 - side]
        room = min(part.n, k + k // 8 + 32) + 1 if fixed is None else k + 1
        board = self.table.board(side, now.labels, j, room, now.a)
        rest = kernels.SkipState(np.arange(part.n), *self.rest[side])
        prices = self._prices(now.a, now.b)[side]
        now.total += kernels.sweep(
            part.items, board, prices, rest, k, fixed or 1, temperature, self.state
        )[1]

    def _merge(self) -> None:
        """Merge classes as far as the length falls, also over a rise."""
        now = self.now
        rows, columns = (n or 1 for n in self.settings.fixed)
        pairs, added = agglomerate(self.table, now, rows, columns, PATIENCE)
        first = find_shortest(added)
        for side in (0, 1) if first else ():
            into = merge_labels(_of_side(side, pairs[:first]), now.k[side])
            now.labels[side] = into[now.labels[side]]
        now.total += float(np.cumsum(added[:first])[-1]) if first else 0.0


def default_starts(table: CoclusterTable) -> int:
    """How often to begin anew: small tables have time for it, and more need of it."""
    return int(np.clip(125_000 // table.sides[0].items.values.size, 1, 5))


def initial_classes(side: AxisClasses) -> int:
    """How many classes a side begins with; they grow more easily than they shrink."""
    frequent = int(np.sum(side.items.totals >= FREQUENT))
    most = min(math.isqrt(side.items.values.size), frequent // 4, MOST_FIRST)
    return min(side.n, max(most, 4))


def default_sweeps(table: CoclusterTable) -> int:
    """How many temperatures: large tables settle in fewer, and cannot wait for more."""
    return int(np.clip(60 * math.sqrt(4e4 / table.sides[0].items.values.size), 40, 60))


def agglomerate(
    table: CoclusterTable,
    classes: CoclusterState,
    rows: int,
    columns: int,
    patience: float = math.inf,
) -> tuple[Ints, Floats]:
    """The merges down to so many classes, and what each adds to the length.

    They end where the length is more than `patience` above the shortest on the way.
    """
    blocks = criterion.count_blocks(table, classes.labels)
    prices = table.prices(classes.a, classes.b)
    first, second = (
        merges.Members(*criterion.members(part, classes.labels[side], k), prices[side])
        for side, (part, k) in enumerate(zip(table.sides, classes.k, strict=True))
    )
    return merges.agglomerate(blocks, (first, second), (rows, columns), float(patience))


def find_shortest(added: Floats) -> int:
    """After how many merges the length is shortest."""
    return int(np.argmin(np.append(0.0, np.cumsum(added))))


@dataclass(frozen=True, eq=False)
class MergeHierarchy:
    """Classes of both sides, numbered as the splits of their trees make them."""

    labels: tuple[Ints, Ints]
    trees: tuple[Tree, Tree]
    path: list[dict[str, Any]]
    length: Length
    a: float
    b: float


def build_hierarchy(
    table: CoclusterTable, classes: CoclusterState, *, shorten: bool = True
) -> MergeHierarchy:
    """Merge all classes of both sides, and read the merges backwards, as splits.

    With `shorten`, what lies on the way with a shorter description takes the classes' place.
    """
    classes = replace(classes, labels=[_in_order(part) for part in classes.labels])
    pairs, added = agglomerate(table, classes, 1, 1)
    first = find_shortest(added) if shorten else 0
    done, left, saved = pairs[:first], pairs[first:], added[first:][::-1]
    sides = left[::-1, 0]
    labels, trees, parents = [], [], np.empty_like(sides)
    for side in (0, 1):
        splits, number = merges_to_splits(_of_side(side, left))
        into = number[merge_labels(_of_side(side, done), classes.k[side])]
        labels.append(into[classes.labels[side]])
        trees.append(Tree.from_splits(zip(splits, saved[sides == side].tolist(), strict=True)))
        parents[sides == side] = splits
    whole = length(table, labels, classes.a, classes.b)
    path = _path(table, labels, np.stack([sides, parents], 1).tolist(), saved.tolist(), whole)
    found = (labels[0], labels[1]), (trees[0], trees[1])
    return MergeHierarchy(*found, path, whole, classes.a, classes.b)


def _of_side(side: int, pairs: Ints) -> list[tuple[int, int]]:
    """The merges of one side, of two classes into the first."""
    return [(one, two) for s, one, two in pairs.tolist() if s == side]


def _in_order(labels: Ints) -> Ints:
    """The same classes, numbered as they come."""
    _, first, places = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[places])


def _path(
    table: CoclusterTable, labels: list[Ints], splits: list[tuple[int, int]], saved: list[float],
    whole: Length,
) -> list[dict[str, Any]]:  # fmt: skip
    """One row for each split, from one class to all; lengths are those after the split.

    Splits are of a class of a side; what splits off has the next number there.
    """
    k = [int(part.max()) + 1 for part in labels]
    sizes = [
        members(side, part, n)[0].tolist()
        for side, part, n in zip(table.sides, labels, k, strict=True)
    ]
    total, model = whole.total, whole.partition
    rows: list[dict[str, Any]] = []
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
