"""Bootstrap and jackknife resampling of counts, without reading the labels again.

If there are groups, whole groups are resampled, and their scores are averaged or their tables are
pooled. Otherwise items are resampled. Items with the same labels in gold and in all systems form
one kind. A sample of items is drawn from a multinomial distribution over kinds, so all systems are
scored on the same samples. All samples are derived from one seed and summed in a fixed order, so
results do not depend on the number of threads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import NamedTuple, cast

import numpy as np

from roget.core.io.problems import join_names
from roget.core.types import Array, BoolArray, Codes, CountArray, Floats, Ints
from roget.engines.base import current, map_tasks, working_on
from roget.engines.compress import shrink
from roget.errors import InputError, Notice
from roget.scoring.inputs import has_groups
from roget.scoring.labels import AlignedLabels, Labels
from roget.scoring.measures.base import Measurable, Request, average_draws, divide, evaluate
from roget.scoring.options import LabelOptions
from roget.scoring.results import score_key
from roget.scoring.signature import choose_interval
from roget.scoring.steps.intervals import ChanceBias, Jackknife, interval_bounds
from roget.scoring.systems import SystemScores
from roget.scoring.tables.contingency import Contingency, Leaves
from roget.scoring.tables.keys import compact, find_kinds, order_kinds

_CHUNK = 128
"""Number of bootstrap samples of groups per batch, which limits memory use."""

_BATCH_ITEMS = 1 << 18
"""Maximum size of a batch: the number of samples times the number of item kinds. Items with
identical labels are of the same kind.
"""

_BLOCKS = 200
"""Maximum number of jackknife samples.

Items with identical labels are of the same kind and give equal samples. If there are more kinds
than this, random blocks of items are left out instead.
"""

_TASKS = 20
"""Number of tasks into which an engine splits the bootstrap and the jackknife."""

_MAX_HYPERGEOMETRIC = 1_000_000_000
"""Population size from which numpy's hypergeometric generator raises an error."""


def resample_groups(
    values: Floats, weights: Floats, draws: int, seed: int, own: Floats | None = None
) -> Floats:
    """Return the scores averaged over groups, for each bootstrap sample of groups."""
    random = np.random.default_rng(seed)
    groups = weights.size
    parts = [np.empty((0, *values.shape[:-1]))]
    for begin in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - begin)
        # Groups are sampled with replacement. `times` contains the number of times that each group
        # is drawn.
        times = random.multinomial(groups, np.full(groups, 1 / groups), size=size)
        parts.append(average_draws(values, times * weights, own))
    return np.concatenate(parts)


def jackknife_groups(values: Floats, weights: Floats, own: Floats | None = None) -> Jackknife:
    """Return the mean scores over groups, leaving out each group in turn."""
    defined = ~np.isnan(values)
    masses = defined * (weights if own is None else weights * own)
    sums = np.where(defined, values, 0.0) * masses
    rest = masses.sum(axis=-1, keepdims=True) - masses
    left = divide(sums.sum(axis=-1, keepdims=True) - sums, rest, np.nan)
    return Jackknife(np.moveaxis(left, -1, 0), np.ones(weights.size), effective_freedom(masses))


def effective_freedom(weights: Floats) -> Floats:
    """Return the effective degrees of freedom of a weighted mean over the last axis.

    The effective number of groups is (Σw)²/Σw² (Kish 1965), which is less than the number of groups
    if some groups are much larger than others.
    """
    return np.asarray(
        divide(weights.sum(axis=-1) ** 2, np.asarray((weights**2).sum(axis=-1)), 0.0) - 1
    )


def resample_items(counts: Ints, draws: range, seed: int) -> Iterator[Ints]:
    """Yield bootstrap samples of items. A sample is the number of items drawn of each kind.

    Items of the same kind have identical labels. Each sample has a separate random generator, so a
    worker can draw any range of samples.
    """
    n = int(counts.sum())
    shares = counts / n
    for draw in draws:
        yield np.random.default_rng([seed, draw]).multinomial(n, shares)


class BootstrapTask(NamedTuple):
    """A range of bootstrap samples for one worker."""

    draws: range
    seed: int


def _run_bootstrap(resampler: Resampler, task: BootstrapTask) -> Floats:
    """Return the scores of a task's bootstrap samples."""
    return np.concatenate([*resampler.score(resample_items(resampler.counts, *task))])


class JackknifeTask(NamedTuple):
    """A range of jackknife samples for one worker. Each sample leaves out one block of items.

    `items` contains the number of items of each kind in these blocks, or None if each block is one
    item.
    """

    parts: range
    seed: int
    items: Ints | None


def _run_jackknife(resampler: Resampler, task: JackknifeTask) -> tuple[Floats, Floats]:
    """Return the scores without each block of the task, and the weights of the blocks."""
    parts = list(leave_items_out(resampler.counts, task))
    weights = np.array([weight for _, weight in parts], dtype=float)
    return np.concatenate([*resampler.score(left for left, _ in parts)]), weights


def split_jackknife(counts: Ints, seed: int) -> Iterator[JackknifeTask]:
    """Split the jackknife into tasks, each with a separate random generator.

    Each sample leaves out one item, so items of the same kind (with identical labels) give equal
    samples. If there are many kinds of items, random blocks of items are left out instead.
    """
    each = _BLOCKS // _TASKS
    if counts.size <= _BLOCKS:
        size = counts.size if current() is None else each
        for begin in range(0, counts.size, size):
            yield JackknifeTask(range(begin, min(begin + size, counts.size)), seed, None)
        return
    for task, items in enumerate(_partition(counts, _TASKS, _partition_rng(seed, _TASKS))):
        yield JackknifeTask(range(task * each, (task + 1) * each), seed, shrink(items))


def leave_items_out(counts: Ints, task: JackknifeTask) -> Iterator[tuple[Ints, int]]:
    """Yield the item counts without each block of a task, and the weight of the block."""
    if task.items is None:
        for kind in task.parts:
            left = counts.copy()
            left[kind] -= 1
            yield left, int(counts[kind])
        return
    random = _partition_rng(task.seed, task.parts.start // len(task.parts))
    for taken in _partition(task.items.astype(np.int64), len(task.parts), random):
        yield counts - taken, 1


def _partition_rng(seed: int, number: int) -> np.random.Generator:
    """Return the random generator of one jackknife task."""
    # The third seed value makes this generator differ from the generators of bootstrap samples.
    return np.random.default_rng([seed, number, 1])


def _partition(items: Ints, parts: int, random: np.random.Generator) -> Iterator[Ints]:
    """Split items at random into blocks of equal size.

    If there are more items than numpy's generator allows, each item is assigned independently, and
    the sizes of the blocks differ slightly.
    """
    total, left = int(items.sum()), items
    for part in range(parts):
        if total < _MAX_HYPERGEOMETRIC:
            size = total * (part + 1) // parts - total * part // parts
            taken = random.multivariate_hypergeometric(left, size, method="marginals")
        else:
            taken = random.binomial(left, 1 / (parts - part))
        left = left - taken
        yield taken


def assign_parts(size: int, seed: int) -> Ints:
    """Assign each item to a separate jackknife block or, for many items, to a random block."""
    if size <= _BLOCKS:
        return np.arange(size)
    return np.random.default_rng(seed).permutation(np.arange(size) % _BLOCKS)


def leave_parts_out(
    gold: Codes, system: Codes, sizes: tuple[int, int], parts: Codes, count: int
) -> Contingency:
    """Leave out each block of items in turn, and return the tables as groups of a single table.

    `sizes` holds the numbers of gold codes and system codes, `parts` holds the block of each item,
    and `count` is the number of blocks.
    """
    cell, keys = compact(gold.astype(np.int64) * sizes[1] + system, ordered=False)
    taken = parts.astype(np.int64) * keys.size + cell
    each = np.bincount(taken, minlength=count * keys.size).reshape(count, keys.size)
    return _stack_tables((each.sum(axis=0) - each).ravel(), keys, sizes)


def _stack_tables(counts: Ints, keys: Ints, sizes: tuple[int, int]) -> Contingency:
    """Combine several tables with identical cells into one table, with one group per input table.

    `sizes` holds the numbers of rows and columns. The key of a cell is row · columns + column.
    """
    height, width = sizes
    used = np.flatnonzero(counts)
    table, which = np.divmod(used, keys.size)
    rows, columns = np.divmod(keys[which], width)
    stacked = Contingency.from_cells(rows + table * height, columns + table * width, counts[used])
    return stacked.by_group(height)


class Resampler(ABC):
    """Base class for objects that score several systems on bootstrap and jackknife samples."""

    requests: Sequence[Request]
    counts: Ints
    """The number of items of each kind (items with identical labels), or 1 for each group."""
    sizes: Floats | None = None
    """The number of items in each group, or None if items are resampled."""

    @property
    def batch(self) -> int:
        """The number of samples scored at once, which limits memory use."""
        return max(1, _BATCH_ITEMS // self.counts.size)

    def score(self, samples: Iterable[Ints]) -> Iterator[Floats]:
        """Yield the scores in batches, with shape (samples, systems, scores)."""
        source = iter(samples)
        while times := list(islice(source, self.batch)):
            yield self._score_batch(np.array(times), self.requests)

    @abstractmethod
    def _score_batch(self, times: Ints, requests: Sequence[Request]) -> Floats:
        """Return the scores of a batch, with shape (samples, systems, scores)."""

    def bootstrap(
        self, draws: int, seed: int, estimates: Floats, step: Callable[[int], None]
    ) -> Floats:
        """Return the scores of the bootstrap samples, with shape (samples, systems, scores)."""
        drawn = np.empty((draws, *estimates.shape))
        fill_samples(drawn, self._score_samples(draws, seed), step)
        return drawn

    def _score_samples(self, draws: int, seed: int) -> Iterator[Floats]:
        """Yield the scores of bootstrap samples in batches, in the same order on every engine."""
        size = self._task_size(draws) if current() is not None else self.batch
        ranges = (range(begin, min(begin + size, draws)) for begin in range(0, draws, size))
        yield from map_tasks(_run_bootstrap, self, (BootstrapTask(part, seed) for part in ranges))

    def jackknife(self, seed: int) -> Jackknife:
        """Return the scores with each item, group or block left out in turn, and their bias."""
        return replace(self.leave_out(seed), chance=self._estimate_chance(seed))

    def leave_out(self, seed: int) -> Jackknife:
        """Return the scores with each item, group or block left out in turn."""
        tasks = split_jackknife(self.counts, seed)
        scores, weights = zip(*map_tasks(_run_jackknife, self, tasks), strict=True)
        parts = np.concatenate(weights)
        freedom = None if self.sizes is None else float(effective_freedom(self.sizes))
        if freedom is not None:
            freedom = min(freedom, float(parts.sum()) - 1)
        resolution = 1 / float(self.counts.sum()) if self.sizes is None else 0.0
        return Jackknife(np.concatenate(scores), parts, freedom, resolution)

    def _estimate_chance(self, seed: int) -> ChanceBias | None:
        """Estimate bias and error from random clusterings. Return None if groups are resampled."""
        return None

    def _task_size(self, count: int) -> int:
        """Return the number of samples per task, a multiple of the batch size."""
        # Round up to whole batches, so that the results do not depend on the number of tasks.
        return -(-max(1, -(-count // _TASKS)) // self.batch) * self.batch


def fill_samples(drawn: Floats, parts: Iterable[Floats], step: Callable[[int], None]) -> None:
    """Copy batches of samples into one array. Call `step` after each sample."""
    done = 0
    for part in parts:
        until = done + len(part)
        drawn[done:until] = part
        for done in range(done + 1, until + 1):  # noqa: B020
            step(done)


def _score_tables(tables: Iterable[Measurable], requests: Sequence[Request]) -> Floats:
    """Return the scores of several tables, with shape (tables, scores, groups)."""
    return np.array([[evaluate(table, request)[0] for request in requests] for table in tables])


class ItemResampler(Resampler):
    """A resampler that draws items with replacement, where each item has one label."""

    def __init__(self, sides: Sequence[AlignedLabels], requests: Sequence[Request]) -> None:
        if any(side.gold.absent or side.system.absent for side in sides):
            raise InputError(
                "confidence intervals with unmatched items require groups; pass several documents",
                code="needs-groups",
            )
        if any(side.gold.weighted or side.system.weighted for side in sides):
            raise InputError(
                "confidence intervals for weighted labels require groups", code="needs-groups"
            )
        self.requests = requests
        gold = sides[0].gold.codes.astype(np.int64)
        every = [sides[0].gold, *chain.from_iterable((s.system, s.leaves) for s in sides)]
        # Items with the same labels in gold and in all systems form one kind and are counted
        # together. `one_of` holds the position of one item of each kind.
        kinds, one_of = find_kinds((one.codes, one.n_labels) for one in every if one is not None)
        times = sides[0].counts
        if times is not None and times.dtype.kind == "f":
            raise InputError(
                "confidence intervals for fractional counts require groups",
                code="needs-groups",
            )
        counts = np.bincount(kinds, times).astype(np.int64)
        codes = [one.codes[one_of].astype(np.int64) for one in every if one is not None]
        order = order_kinds(codes, counts)
        self.counts, one_of = counts[order], one_of[order]
        self.classes = sides[0].gold.n_labels
        self.cells = [_Cells.from_rows(gold[one_of], side.system, one_of) for side in sides]
        """The contingency cell of each kind of item, for each system."""
        self.leaves = [
            None if side.leaves is None else _Cells.from_rows(gold[one_of], side.leaves, one_of)
            for side in sides
        ]
        """The cell of each kind of item in the table of leaves, for each system that is a tree."""
        self.trees = [
            None if labels is None or labels.tree is None else labels.tree.grow(labels.made)
            for labels in (side.leaves for side in sides)
        ]

    def bootstrap(
        self, draws: int, seed: int, estimates: Floats, step: Callable[[int], None]
    ) -> Floats:
        """Return the scores of the bootstrap samples, shifted to be centred on the estimates.

        The bootstrap treats the observed table as the true distribution, so the plug-in scores are
        the true scores. The deviations of the samples from these true scores are added to the
        estimates. Without the shift, samples of bias-corrected scores would be centred on the
        plug-in scores.
        """
        plain: list[Request] = [(m, None if e is None else "ml") for m, e in self.requests]
        truth = self._score_batch(self.counts[None], plain)
        return super().bootstrap(draws, seed, estimates, step) - truth + estimates

    def _estimate_chance(self, seed: int) -> ChanceBias | None:
        from roget.scoring.steps.chance_bias import estimate_chance_bias

        found = []
        for system, cells in enumerate(self.cells):
            # Items without a label that each form their own cluster do so in every sample. Only the
            # scores of the other items are biased.
            others = np.where(cells.added, 0, self.counts)
            share = others.sum() / self.counts.sum()
            if not share:
                found.append(
                    ChanceBias(np.full(len(self.requests), np.nan), np.zeros(len(self.requests)))
                )
                continue
            scores = _score_tables([self._table(system, others[None])], self.requests)[0, :, 0]
            table = self._count(cells, others[None])
            bias, error = estimate_chance_bias(table, self.requests, scores, seed)
            found.append(ChanceBias(share * bias, share * error))
        return ChanceBias(*map(np.array, zip(*found, strict=True)))

    def _score_batch(self, times: Ints, requests: Sequence[Request]) -> Floats:
        """Score a batch of samples, using one table with one group per sample."""
        tables = (self._table(system, times) for system in range(len(self.cells)))
        return _score_tables(tables, requests).transpose(2, 0, 1)

    def _table(self, system: int, times: Ints) -> Contingency:
        """Return the tables of a system for a batch of samples, with the leaves of its tree."""
        table = self._count(self.cells[system], times)
        leaves, tree = self.leaves[system], self.trees[system]
        if leaves is None or tree is None or not any(m.sees_tree for m, _ in self.requests):
            return table
        return replace(table, leaves=Leaves(self._count(leaves, times), tree))

    def _count(self, cells: _Cells, times: Ints) -> Contingency:
        """Return the tables of a batch.

        `times` contains the number of times that each kind is drawn in each sample.
        """
        cell, keys, width, _ = cells
        at = np.arange(len(times))[:, None] * keys.size + cell
        counts = np.bincount(at.ravel(), times.ravel(), len(times) * keys.size).astype(np.int64)
        return _stack_tables(counts, keys, (self.classes, width))


class _Cells(NamedTuple):
    """The contingency cell of each kind of item (items with identical labels)."""

    cell: Ints
    """The index of the cell of each kind of item."""
    keys: Ints
    """The key of each cell, class · width + cluster."""
    width: int
    """The number of clusters."""
    real: int
    """The number of clusters, excluding clusters added for single items without a label.

    The added clusters have the largest codes.
    """

    @classmethod
    def from_rows(cls, gold: Ints, labels: Labels, rows: Ints) -> _Cells:
        """Find the cells of the selected items and number them."""
        cell, keys = compact(gold * labels.n_labels + labels.codes[rows], ordered=False)
        return cls(cell, keys, labels.n_labels, labels.n_shared)

    @property
    def added(self) -> BoolArray:
        """True for each kind of item whose cluster was added for a single item."""
        return np.asarray((self.keys % self.width >= self.real)[self.cell])


class TableResampler(ItemResampler):
    """A resampler that draws the items of one system, given only its contingency table.

    The first `real` columns are clusters, and the others were added for single items without a
    label.
    """

    def __init__(self, table: Contingency, requests: Sequence[Request], real: int) -> None:
        self.requests = requests
        height, width = table.shape
        # Items in the same cell have identical labels, so each cell is one kind of item.
        counts = table.counts.astype(np.int64)
        order = order_kinds([table.rows, table.columns], counts)
        self.counts = counts[order]
        self.classes = height
        keys = (table.rows * width + table.columns)[order]
        self.cells = [_Cells(np.arange(keys.size), keys, width, real)]
        self.leaves, self.trees = [None], [None]


class CoverResampler(ItemResampler):
    """A resampler that draws items that may belong to several clusters.

    Samples are scored one by one.
    """

    def __init__(self, sides: Sequence[AlignedLabels], requests: Sequence[Request]) -> None:
        from roget.scoring.tables.cover import Sets

        self.requests = requests
        every = [
            Sets.from_labels(labels) for labels in (sides[0].gold, *(side.system for side in sides))
        ]
        numbers = (sets.number_kinds() for sets in every)
        kinds, one_of = find_kinds((codes, int(codes.max()) + 1) for codes in numbers)
        self.counts = np.bincount(kinds)
        self.gold, *self.systems = (sets.take(one_of) for sets in every)

    def _estimate_chance(self, seed: int) -> ChanceBias | None:
        return None

    def _score_batch(self, times: Ints, requests: Sequence[Request]) -> Floats:
        from roget.scoring.tables.cover import Cover
        from roget.scoring.tables.cover_table import CoverTable

        scores = []
        for counts in times:
            drawn = np.flatnonzero(counts)
            gold = self.gold.take(drawn)
            covers = (Cover(gold, system.take(drawn), counts[drawn]) for system in self.systems)
            scores.append(_score_tables(map(CoverTable, covers), requests)[..., 0])
        return np.array(scores)


class GroupResampler(Resampler):
    """A resampler that draws groups with replacement and pools them into one table.

    Equal labels in different groups denote different clusters, so a group that is drawn twice
    counts as two groups. Resampling changes neither the cells of a group nor the bias of its
    entropies, so samples need not be shifted.
    """

    def __init__(self, sides: Sequence[AlignedLabels], requests: Sequence[Request]) -> None:
        self.requests = requests
        size = 1 + max(int(np.max(side.groups)) for side in sides if side.groups is not None)
        self.counts = np.ones(size, dtype=np.int64)
        self.blocks = [Blocks.from_sides(side, size) for side in sides]
        first = self.blocks[0]
        before = np.concatenate([[0.0], np.cumsum(first.counts, dtype=np.float64)])
        self.sizes = np.diff(before[first.starts])

    batch = 1

    def _score_batch(self, times: Ints, requests: Sequence[Request]) -> Floats:
        scores = []
        for each in times:
            chosen = np.repeat(np.arange(self.counts.size), each)
            tables = (blocks.draw(chosen) for blocks in self.blocks)
            scores.append(_score_tables(tables, requests)[..., 0])
        return np.array(scores)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The contingency cells of all groups.

    The cells of group g are starts[g], …, starts[g + 1] − 1.
    """

    sides: AlignedLabels
    rows: Ints
    columns: Ints
    counts: Array
    starts: Ints
    matches: dict[tuple[int, bytes], float] = field(default_factory=dict)
    """A cache of the best one-to-one matches, keyed by group and the weights of its cells."""

    @classmethod
    def from_sides(cls, sides: AlignedLabels, size: int) -> Blocks:
        """Count the cells of the groups 0, …, size − 1, some of which may be empty."""
        gold, system = sides.gold, sides.system
        table = Contingency.from_labels(gold, system, sides.groups, size, sides.counts)
        codes = table.class_codes[table.rows]
        return cls(
            sides,
            codes % gold.n_labels,
            table.cluster_codes[table.columns] % system.n_labels,
            table.counts,
            np.searchsorted(codes // gold.n_labels, np.arange(size + 1)),
        )

    def draw(self, chosen: Ints) -> DrawnTable:
        """Return one table made of the chosen groups, which may contain a group more than once."""
        gold, system = self.sides.gold, self.sides.system
        begins, sizes = self.starts[chosen], np.diff(self.starts)[chosen]
        ends = np.cumsum(sizes)
        cells = np.arange(ends[-1]) + np.repeat(begins - ends + sizes, sizes)
        copy = np.repeat(np.arange(chosen.size), sizes)
        table = DrawnTable.from_cells(
            copy * gold.n_labels + self.rows[cells],
            copy * system.n_labels + self.columns[cells],
            self.counts[cells],
            gold,
            system,
        )
        if gold.absent or system.absent:
            table = table.pool_documents(gold.n_labels)
        sampled = cast(DrawnTable, table)
        return replace(sampled, drawn=(chosen, ends - sizes, ends), matches=self.matches)


@dataclass(frozen=True, eq=False, repr=False)
class DrawnTable(Contingency):
    """A table of groups drawn with replacement.

    The best one-to-one match of each distinct group is computed only once.
    """

    drawn: tuple[Ints, Ints, Ints] | None = None
    """The drawn groups, the position of the first cell of each group, and the position after its
    last cell.
    """
    matches: dict[tuple[int, bytes], float] | None = None

    def match(self, weights: CountArray) -> float:
        """Return the total weight of the best one-to-one matches in the drawn groups."""
        assert self.drawn is not None
        assert self.matches is not None
        total = 0.0
        for group, begin, end in zip(*(part.tolist() for part in self.drawn), strict=True):
            cells = weights[begin:end]
            key = group, cells.tobytes()
            if key not in self.matches:
                rows, columns = self.rows[begin:end], self.columns[begin:end]
                block = Contingency.from_cells(rows, columns, self.counts[begin:end])
                self.matches[key] = float(block.match(cells))
            total += self.matches[key]
        return total


FEWEST_ITEMS = 20
"""Minimum number of items for intervals and tests to have their nominal level."""

FEWEST_GROUPS = 4
"""Minimum number of groups for intervals to have their nominal level."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Scores of bootstrap and jackknife samples, and 95 % confidence bounds.

    `drawn` has the shape (samples, systems, scores).
    """

    drawn: Floats
    low: Floats
    high: Floats
    jackknife: Jackknife
    method: str
    """The method used for the intervals: jackknife, bca or percentile."""
    estimates: Floats
    """The scores, with shape (systems, scores)."""
    items: int | None = None
    """The number of items if items are resampled, or None if groups are resampled."""
    averaged: bool = False
    """True if the scores are averages over groups."""
    systems: int | None = None
    """The number of systems, which come before the baselines, or None if there are no baselines."""
    names: Sequence[str] = ()
    """The names of the systems if several are compared."""

    @property
    def unit(self) -> str:
        """The sampling units: "groups" or "items"."""
        return "groups" if self.items is None else "items"

    def list_warnings(self, requests: Sequence[Request]) -> list[str]:
        """Return warnings about undefined samples, few items or groups, and biased scores."""
        warnings = self._warn_undefined(requests)
        unit = self.unit
        least = FEWEST_GROUPS if self.items is None else FEWEST_ITEMS
        count = len(self.jackknife.weights) if self.items is None else self.items
        if count < least:
            what = "intervals" if self.items is None else "intervals and tests"
            text = f"only {count} {unit}: {what} are reliable with {least} or more"
            warnings.append(Notice(text, code=f"few-{unit}"))
        if self.method != "jackknife":
            return warnings
        still = ~(self.jackknife.varies | np.isnan(self.jackknife.error) | np.isnan(self.estimates))
        still = still[: self.systems]
        by_systems: dict[tuple[str, ...], list[str]] = {}
        for r, request in enumerate(requests):
            named = tuple(name for name, row in zip(self.names, still, strict=False) if row[r])
            if still[:, r].any():
                by_systems.setdefault(named, []).append(_name(request))
        for named, constant in by_systems.items():
            of_systems = f" of {join_names(named)}" if named else ""
            text = (
                f"{', '.join(constant)}{of_systems}: no interval, because the score never changes "
                f"when a single {unit[:-1]} is left out"
            )
            warnings.append(Notice(text, code="no-spread"))
        return warnings + self._warn_biased(requests)

    def _warn_biased(self, requests: Sequence[Request]) -> list[str]:
        """Warn about scores whose estimated bias is larger than their standard error."""
        bias = self.jackknife.bias(self.estimates)
        if self.jackknife.chance is not None:
            chance = self.jackknife.chance.bias
            bias = np.where(np.abs(chance) > np.abs(bias), chance, bias)
        with np.errstate(invalid="ignore"):
            large = np.where(np.abs(bias) > self.jackknife.error, bias, 0.0)[: self.systems]
        found = []
        for r, request in enumerate(requests):
            worst = large[np.abs(large[:, r]).argmax(), r]
            if abs(worst) >= _NOTICEABLE_BIAS:
                found.append(f"{_name(request)} {worst:+.3f}")
        if not found:
            return []
        text = f"possible bias, for which the intervals are corrected: {', '.join(found)}"
        return [Notice(text, code="biased-scores")]

    def _warn_undefined(self, requests: Sequence[Request]) -> list[str]:
        """Warn about each score that is undefined in some bootstrap or jackknife samples."""
        kinds = {"bootstrap": self.drawn, "jackknife": self.jackknife.without}
        warnings: list[str] = []
        for r, request in enumerate(requests):
            for kind, scores in kinds.items():
                # A sample may be undefined for only some systems. Report the system that has the
                # most undefined samples.
                undefined = np.isnan(scores[:, : self.systems, r]).sum(axis=0).max(initial=0)
                if 0 < undefined < len(scores):
                    text = (
                        f"{_name(request)} is undefined in {undefined:,} of "
                        f"{len(scores):,} {kind} samples, which are excluded"
                    )
                    warnings.append(Notice(text, code="undefined-samples"))
        return warnings


_NOTICEABLE_BIAS = 0.005
"""Smallest estimated bias about which a warning is issued."""


def _name(request: Request) -> str:
    """Return the name of a score, such as v@jk."""
    return score_key(str(request[0]), request[1])


def resample(
    scores: SystemScores,
    options: LabelOptions,
    *,
    pairs: bool,
    step: Callable[[int], None] = lambda done: None,
) -> Samples:
    """Return bootstrap samples and confidence intervals for the scores of all systems.

    If items are resampled, no intervals are computed for baselines. The bootstrap is skipped if
    intervals need only the jackknife and there are no `pairs` of systems to rank. `step` is called
    after each sample. Samples of items and of pooled groups are scored on the engine selected in
    `options`.
    """
    means, method = scores.means, choose_interval(options.interval)
    names = [system.name for system in scores.systems] if pairs else []
    sides = [system.sides for system in scores.systems]
    needed = (options.ci or 0) if pairs or method != "jackknife" else 0
    if scores.weights.size > 1:
        grouped = scores.values, scores.weights
        drawn = resample_groups(*grouped, needed, options.seed, scores.own)
        left = jackknife_groups(*grouped, scores.own)
        bounds = interval_bounds(method, means, drawn, left, scores.requests)
        return Samples(
            drawn, *bounds, left, method, means, averaged=True, systems=len(sides), names=names
        )
    count, overlapping = len(sides), any(side.overlapping for side in sides)
    pooled = has_groups(sides[0]) and not overlapping
    kind = CoverResampler if overlapping else GroupResampler if pooled else ItemResampler
    resampler: Resampler = kind(sides, scores.requests)
    own = means[:count]
    with working_on(options.engine, options.scheduler):
        drawn = resampler.bootstrap(needed, options.seed, own, step)
        left = resampler.jackknife(options.seed)
    low, high = np.full_like(means, np.nan), np.full_like(means, np.nan)
    low[:count], high[:count] = interval_bounds(method, own, drawn, left, scores.requests)
    if kind is ItemResampler and method == "jackknife" and resampler.counts.size > _BLOCKS:
        # Leave out the same blocks as if the system were scored alone.
        for at, side in enumerate(sides if count > 1 else ()):
            alone = ItemResampler([side], scores.requests).leave_out(options.seed)
            alone = replace(alone, chance=left.chance and left.chance.select(at))
            low[at], high[at] = (
                end[0] for end in interval_bounds(method, own[[at]], drawn, alone, scores.requests)
            )
    items = None if pooled else int(resampler.counts.sum())
    return Samples(drawn, low, high, left, method, own, items, names=names)
