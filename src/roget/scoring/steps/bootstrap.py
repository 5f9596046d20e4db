"""Bootstrap and permutation from sufficient statistics: labels are never read again.

With groups, whole groups are drawn, and their scores averaged or their tables pooled. Without,
items are drawn: a multinomial on the joint table of gold and all systems, so that every system
meets the same draw.
All draws come from one seed and are summed in a fixed order, whatever the number of threads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from roget.core.intervals import CONFIDENCE
from roget.core.types import Array, Codes, CountArray, Floats, Ints
from roget.engines.base import current, map_tasks, working_on
from roget.errors import InputError
from roget.scoring.labels import AlignedLabels, Labels
from roget.scoring.measures.base import (
    Measurable,
    Request,
    average_draws,
    average_groups,
    evaluate,
)
from roget.scoring.tables.contingency import Contingency, Leaves
from roget.scoring.tables.keys import compact, find_kinds

_CHUNK = 128
"""Draws made at a time, so that memory does not grow with their number."""

_DRAWN = 1 << 18
"""Kinds of items in draws that are scored at once."""

_BLOCKS = 200
"""Parts the jackknife leaves out in turn when there are more kinds of items than this."""

_TASKS = 20
"""Tasks of an interval where they are spread out; of the jackknife everywhere."""

_MOST_DEALT = 1_000_000_000
"""Items that numpy's hypergeometric draws know; there must be fewer."""


def group_draws(
    values: Floats, weights: Floats, draws: int, seed: int, own: Floats | None = None
) -> Floats:
    """Bootstrap averages when groups are drawn with replacement: draws × the leading axes."""
    random = np.random.default_rng(seed)
    groups = weights.size
    parts = []
    for begin in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - begin)
        times = random.multinomial(groups, np.full(groups, 1 / groups), size=size)
        parts.append(average_draws(values, times * weights, own))
    return np.concatenate(parts)


def group_jackknife(values: Floats, weights: Floats, own: Floats | None = None) -> JackknifeDraws:
    """The averages with each group left out in turn."""
    without = np.where(np.eye(weights.size, dtype=bool), 0.0, weights)
    return JackknifeDraws(average_draws(values, without, own), np.ones(weights.size))


def item_draws(counts: Ints, draws: range, seed: int) -> Iterator[Ints]:
    """How often each distinct kind of item is drawn, one draw at a time.

    Each draw has a generator of its own, so that none has to be made for the sake of another.
    """
    n = int(counts.sum())
    shares = counts / n
    for draw in draws:
        yield np.random.default_rng([seed, draw]).multinomial(n, shares)


class DrawTask(NamedTuple):
    """Some draws in a row."""

    draws: range
    seed: int


def _score_drawn(given: Drawing, task: DrawTask) -> Floats:
    return np.concatenate([*given.score(item_draws(given.counts, *task))])


class LeaveTask(NamedTuple):
    """Parts that the jackknife leaves out in turn, and the items that these are made of.

    Without such items, each part is one of a kind.
    """

    parts: range
    seed: int
    items: Ints | None


def _score_left(given: Drawing, task: LeaveTask) -> tuple[Floats, Floats]:
    """Scores without some of the parts, and the weights of these."""
    parts = list(leave_items(given.counts, task))
    weights = np.array([weight for _, weight in parts], dtype=float)
    return np.concatenate([*given.score(left for left, _ in parts)]), weights


def item_jackknife(counts: Ints, seed: int) -> Iterator[tuple[Ints, int]]:
    """The counts left when one item is taken out, and how many items that stands for.

    Beyond a few hundred kinds of items, random blocks are taken out instead.
    """
    return chain.from_iterable(leave_items(counts, task) for task in cut_jackknife(counts, seed))


def cut_jackknife(counts: Ints, seed: int) -> Iterator[LeaveTask]:
    """The parts in tasks, which have generators of their own as draws have."""
    from roget.engines.compress import shrink

    each = _BLOCKS // _TASKS
    if counts.size <= _BLOCKS:
        size = counts.size if current() is None else each
        for begin in range(0, counts.size, size):
            yield LeaveTask(range(begin, min(begin + size, counts.size)), seed, None)
        return
    for task, items in enumerate(_deal(counts, _TASKS, _make_dealer(seed, _TASKS))):
        yield LeaveTask(range(task * each, (task + 1) * each), seed, shrink(items))


def leave_items(counts: Ints, task: LeaveTask) -> Iterator[tuple[Ints, int]]:
    """The counts that are left without each part of a task, and how many items that stands for."""
    if task.items is None:
        for kind in task.parts:
            left = counts.copy()
            left[kind] -= 1
            yield left, int(counts[kind])
        return
    random = _make_dealer(task.seed, task.parts.start // len(task.parts))
    for taken in _deal(task.items.astype(np.int64), len(task.parts), random):
        yield counts - taken, 1


def _make_dealer(seed: int, number: int) -> np.random.Generator:
    """A generator for each task of a seed that deals, which no draw has."""
    return np.random.default_rng([seed, number, 1])


def _deal(items: Ints, parts: int, random: np.random.Generator) -> Iterator[Ints]:
    """Items dealt at random into parts of equal size.

    Where they are more than numpy deals, each falls by itself: sizes are then equal to a part in
    thousands.
    """
    total, left = int(items.sum()), items
    for part in range(parts):
        if total < _MOST_DEALT:
            size = total * (part + 1) // parts - total * part // parts
            taken = random.multivariate_hypergeometric(left, size, method="marginals")
        else:
            taken = random.binomial(left, 1 / (parts - part))
        left = left - taken
        yield taken


def deal_parts(size: int, seed: int) -> Ints:
    """A part for each item: each for itself where they are few, else at random, of equal sizes."""
    if size <= _BLOCKS:
        return np.arange(size)
    return np.random.default_rng(seed).permutation(np.arange(size) % _BLOCKS)


def leave_out(
    gold: Codes, system: Codes, sizes: tuple[int, int], parts: Codes, count: int
) -> Contingency:
    """The tables of two labellings, as groups, with each of `count` parts left out in turn.

    `sizes` say how many codes either can have, `parts` of which part each item is.
    """
    cell, keys = compact(gold.astype(np.int64) * sizes[1] + system, ordered=False)
    taken = parts.astype(np.int64) * keys.size + cell
    each = np.bincount(taken, minlength=count * keys.size).reshape(count, keys.size)
    return _stack_tables((each.sum(axis=0) - each).ravel(), keys, sizes)


def _stack_tables(counts: Ints, keys: Ints, sizes: tuple[int, int]) -> Contingency:
    """Tables of the same cells, one after the other, as groups.

    `keys` say which cells, row · width + column, of tables of such `sizes`.
    """
    height, width = sizes
    held = np.flatnonzero(counts)
    table, which = np.divmod(held, keys.size)
    rows, columns = np.divmod(keys[which], width)
    made = Contingency.from_cells(rows + table * height, columns + table * width, counts[held])
    return made.by_group(height)


@dataclass(frozen=True, eq=False)
class JackknifeDraws:
    """Estimates with a part left out each time, and the weight of each part."""

    without: Floats
    weights: Floats

    @property
    def spread(self) -> Floats:
        """How far each part pulls the estimate: mean − what is left."""
        mean = np.nansum(self._weighted(self.without), axis=0) / self.weights.sum()
        return np.asarray(mean - self.without)

    @property
    def error(self) -> Floats:
        """The standard error (Tukey 1958)."""
        total = self.weights.sum()
        squares = np.nansum(self._weighted(self.spread**2), axis=0)
        return np.asarray(np.sqrt((total - 1) / total * squares))

    @property
    def skew(self) -> Floats:
        """The acceleration of BCa (Efron 1987)."""
        squares = np.nansum(self._weighted(self.spread**2), axis=0)
        cubes = np.nansum(self._weighted(self.spread**3), axis=0)
        return np.where(squares > 0, cubes / np.maximum(6 * squares**1.5, 1e-300), 0.0)

    def _weighted(self, values: Floats) -> Floats:
        return values * self.weights.reshape(-1, *[1] * (values.ndim - 1))


NO_JACKKNIFE = JackknifeDraws(np.zeros((1, 1)), np.ones(1))
"""For percentile intervals, which look at the draws alone."""


def interval_ends(
    method: str, estimate: Floats, drawn: Floats, jackknife: JackknifeDraws
) -> tuple[Floats, Floats]:
    """Ends of the 95 % interval of each estimate; `drawn` is draws × estimates."""
    from scipy.special import ndtri

    tails = np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    if method == "jackknife":
        reach = ndtri(tails[1]) * jackknife.error
        return estimate - reach, estimate + reach
    flat, skews = drawn.reshape(drawn.shape[0], -1), jackknife.skew.ravel()
    ends = np.full((2, flat.shape[1]), np.nan)
    for column, centre in enumerate(estimate.ravel()):
        sample = flat[~np.isnan(flat[:, column]), column]
        if np.isnan(centre) or not sample.size:
            continue
        at = tails if method == "percentile" else _corrected(tails, centre, sample, skews[column])
        ends[:, column] = np.quantile(sample, at)
    low, high = ends.reshape(2, *estimate.shape)
    return low, high


def _corrected(tails: Floats, centre: float, sample: Floats, skew: float) -> Floats:
    """The quantiles BCa takes instead (Efron 1987): bias by the draws, skew by the jackknife."""
    from scipy.special import ndtr, ndtri

    below = (np.count_nonzero(sample < centre) + np.count_nonzero(sample <= centre)) / 2
    if not 0 < below < sample.size:
        # Every draw on one side, or all equal: there is nothing to correct by.
        return tails
    bias = ndtri(below / sample.size)
    z = bias + ndtri(tails)
    return np.asarray(ndtr(bias + z / (1 - skew * z)))


def bootstrap_p(difference: Floats, drawn: Floats) -> Floats:
    """Two-sided p of no difference: how often draws stray as far from their own mean."""
    centred = drawn - drawn.mean(axis=0)
    far = (np.abs(centred) >= np.abs(difference) - 1e-12).sum(axis=0)
    return _finer(far, drawn.shape[0], difference, np.sqrt((centred**2).mean(axis=0)))


def _finer(far: npt.NDArray[Any], draws: int, difference: Floats, error: Floats) -> Floats:
    """p by counting draws; where none strays as far, the normal tail with the draws' error.

    Counting alone could never find a difference among many systems: with 190 pairs Holm's method
    asks for p below .0003, which a thousand draws cannot show.
    """
    from scipy.special import ndtr

    counted = (1 + far) / (1 + draws)
    with np.errstate(invalid="ignore", divide="ignore"):
        tail = 2 * ndtr(-np.abs(difference) / error)
    return np.where((far == 0) & (error > 0), np.minimum(counted, tail), counted)


def permutation_p(differences: Floats, weights: Floats, draws: int, seed: int) -> Floats:
    """Two-sided p of no difference when systems change places at random within each group.

    `differences` is … × groups. With 2^groups ≤ draws every exchange is tried.
    """
    random = np.random.default_rng(seed)
    shape = differences.shape[:-1]
    flat = np.nan_to_num(differences.reshape(-1, differences.shape[-1])) * weights
    observed = np.abs(flat.sum(axis=1))
    tolerance = 1e-12 * np.abs(flat).sum(axis=1)
    reached, total = np.zeros(flat.shape[0]), 0
    for signs in _signs(weights.size, draws, random):
        sums = np.abs(np.einsum("dg,kg->dk", signs, flat))
        reached += (sums >= observed - tolerance).sum(axis=0)
        total += signs.shape[0]
    if total == 2.0 ** min(weights.size, 60):
        return (reached / total).reshape(shape)
    p = _finer(reached, total, flat.sum(axis=1), np.sqrt((flat**2).sum(axis=1)))
    return p.reshape(shape)


def _signs(groups: int, draws: int, random: np.random.Generator) -> Iterator[Floats]:
    if groups < 40 and 1 << groups <= draws:
        numbers = np.arange(1 << groups)
        yield (1 - 2 * ((numbers[:, None] >> np.arange(groups)) & 1)).astype(np.float64)
        return
    for begin in range(0, draws, _CHUNK):
        size = (min(_CHUNK, draws - begin), groups)
        yield (1 - 2 * random.integers(0, 2, size=size)).astype(np.float64)


def holm(p: Floats) -> Floats:
    """Holm's correction for testing several hypotheses at once; NaN stands for none.

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    stepped = np.maximum.accumulate(p[order] * np.arange(order.size, 0, -1))
    adjusted = np.full_like(p, np.nan)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def letters(order: list[int], differ: Callable[[int, int], bool]) -> dict[int, str]:
    """Compact letters: two systems share one if and only if they do not differ (Piepho 2004).

    `order` lists the systems best first, so that the best have the letter a.

    >>> letters([0, 1, 2], lambda i, j: {i, j} == {0, 2})
    {0: 'a', 1: 'ab', 2: 'b'}
    """
    columns = [set(order)]
    for i in order:
        for j in order:
            if order.index(i) < order.index(j) and differ(i, j):
                split = [c for c in columns if {i, j} <= c]
                columns = [c for c in columns if not {i, j} <= c]
                for both in split:
                    for part in (both - {j}, both - {i}):
                        if not any(part <= other for other in columns):
                            columns = [c for c in columns if not c <= part] + [part]
    columns.sort(key=lambda c: sorted(order.index(i) for i in c))
    return {
        i: "".join(_letter(at) for at, column in enumerate(columns) if i in column) for i in order
    }


def _letter(number: int) -> str:
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


class Drawing(ABC):
    """Scores of several systems on items or groups that are drawn, or left out in turn."""

    asked: Sequence[Request]
    counts: Ints
    """How many there are of each kind that is drawn."""

    @property
    def batch(self) -> int:
        """Draws that are scored at once, as many as the memory holds with ease."""
        return max(1, _DRAWN // self.counts.size)

    def score(self, drawn: Iterable[Ints]) -> Iterator[Floats]:
        """Draws × systems × requests, several draws at a time."""
        source = iter(drawn)
        while times := list(islice(source, self.batch)):
            yield self._scores(np.array(times), self.asked)

    @abstractmethod
    def _scores(self, times: Ints, asked: Sequence[Request]) -> Floats:
        """Draws × systems × requests."""

    def bootstrap(
        self, draws: int, seed: int, estimates: Floats, step: Callable[[int], None]
    ) -> Floats:
        """Draws × systems × requests."""
        drawn = np.empty((draws, *estimates.shape))
        fill_draws(drawn, self._score_draws(draws, seed), step)
        return drawn

    def _score_draws(self, draws: int, seed: int) -> Iterator[Floats]:
        """Scores of so many draws, some at a time; where they are made does not change a bit."""
        size = self._cut_size(draws) if current() is not None else self.batch
        cuts = (range(begin, min(begin + size, draws)) for begin in range(0, draws, size))
        yield from map_tasks(_score_drawn, self, (DrawTask(cut, seed) for cut in cuts))

    def jackknife(self, seed: int) -> JackknifeDraws:
        """Scores with each item or group, or each block of them, left out in turn."""
        tasks = cut_jackknife(self.counts, seed)
        scores, weights = zip(*map_tasks(_score_left, self, tasks), strict=True)
        return JackknifeDraws(np.concatenate(scores), np.concatenate(weights))

    def _cut_size(self, count: int) -> int:
        """How many draws one task has: whole batches, so that the same are scored at once."""
        return -(-max(1, -(-count // _TASKS)) // self.batch) * self.batch


def fill_draws(drawn: Floats, parts: Iterable[Floats], step: Callable[[int], None]) -> None:
    """Fill an array with what comes some draws at a time; `step` hears of each."""
    done = 0
    for part in parts:
        until = done + len(part)
        drawn[done:until] = part
        for done in range(done + 1, until + 1):  # noqa: B020
            step(done)


def _score_tables(tables: Iterable[Measurable], asked: Sequence[Request]) -> Floats:
    """Tables × requests × groups."""
    return np.array([[evaluate(table, request)[0] for request in asked] for table in tables])


class ItemDraws(Drawing):
    """Scores of several systems on items drawn with replacement."""

    def __init__(self, sides: Sequence[AlignedLabels], asked: Sequence[Request]) -> None:
        if any(side.gold.absent or side.system.absent for side in sides):
            raise InputError(
                "intervals of unmatched items need groups to draw from: give more than one document"
            )
        if any(side.gold.weighted or side.system.weighted for side in sides):
            raise InputError("intervals for weighted answers need groups to draw from")
        self.asked = asked
        gold = sides[0].gold.codes.astype(np.int64)
        given = [sides[0].gold, *chain.from_iterable((s.system, s.leaves) for s in sides)]
        kinds, one_of = find_kinds((one.codes, one.n_labels) for one in given if one is not None)
        times = sides[0].counts
        if times is not None and times.dtype.kind == "f":
            raise InputError("intervals over items need whole counts, or groups to draw from")
        self.counts = np.bincount(kinds, times).astype(np.int64)
        self.classes = sides[0].gold.n_labels
        self.cells = [_Cells.of(gold[one_of], side.system, one_of) for side in sides]
        """For each system the cell of each kind of items, and which class and cluster it is."""
        self.leaves = [
            None if side.leaves is None else _Cells.of(gold[one_of], side.leaves, one_of)
            for side in sides
        ]
        """The same of the leaves of trees."""
        self.trees = [
            None if labels is None or labels.tree is None else labels.tree.grow(labels.made)
            for labels in (side.leaves for side in sides)
        ]

    def bootstrap(
        self, draws: int, seed: int, estimates: Floats, step: Callable[[int], None]
    ) -> Floats:
        """Draws × systems × requests, about the estimates (systems × requests).

        In the world of the draws the truth is the observed table, whose scores are plug-in ones.
        What a draw says is its distance from that truth: without the shift, corrected scores
        would be centred on the uncorrected ones.
        """
        plain: list[Request] = [(m, None if e is None else "ml") for m, e in self.asked]
        truth = self._scores(self.counts[None], plain)
        return super().bootstrap(draws, seed, estimates, step) - truth + estimates

    def _scores(self, times: Ints, asked: Sequence[Request]) -> Floats:
        """Draws × systems × requests: draws are scored as groups are, all at once."""
        tables = (self._table(system, times) for system in range(len(self.cells)))
        return _score_tables(tables, asked).transpose(2, 0, 1)

    def _table(self, system: int, times: Ints) -> Contingency:
        table = self._count(self.cells[system], times)
        leaves, tree = self.leaves[system], self.trees[system]
        if leaves is None or tree is None or not any(m.sees_tree for m, _ in self.asked):
            return table
        return replace(table, leaves=Leaves(self._count(leaves, times), tree))

    def _count(self, cells: _Cells, times: Ints) -> Contingency:
        cell, keys, width = cells
        at = np.arange(len(times))[:, None] * keys.size + cell
        counts = np.bincount(at.ravel(), times.ravel(), len(times) * keys.size).astype(np.int64)
        return _stack_tables(counts, keys, (self.classes, width))


class _Cells(NamedTuple):
    """The cell of each kind of items, which class and cluster it is, and how many clusters."""

    cell: Ints
    keys: Ints
    width: int

    @classmethod
    def of(cls, gold: Ints, labels: Labels, rows: Ints) -> _Cells:
        """The cells of some rows."""
        return cls(
            *compact(gold * labels.n_labels + labels.codes[rows], ordered=False), labels.n_labels
        )


class CoverDraws(ItemDraws):
    """The same of items that may be in several clusters: draws are scored one by one."""

    def __init__(self, sides: Sequence[AlignedLabels], asked: Sequence[Request]) -> None:
        from roget.scoring.tables.cover import Sets

        self.asked = asked
        given = [
            Sets.from_labels(labels) for labels in (sides[0].gold, *(side.system for side in sides))
        ]
        numbers = (sets.number_kinds() for sets in given)
        kinds, one_of = find_kinds((of, int(of.max()) + 1) for of in numbers)
        self.counts = np.bincount(kinds)
        self.gold, *self.systems = (sets.take(one_of) for sets in given)

    def _scores(self, times: Ints, asked: Sequence[Request]) -> Floats:
        from roget.scoring.tables.cover import Cover
        from roget.scoring.tables.cover_table import CoverTable

        scores = []
        for counts in times:
            held = np.flatnonzero(counts)
            gold = self.gold.take(held)
            covers = (Cover(gold, system.take(held), counts[held]) for system in self.systems)
            scores.append(_score_tables(map(CoverTable, covers), asked)[..., 0])
        return np.array(scores)


class GroupDraws(Drawing):
    """Scores of several systems on one table of groups (documents) drawn with replacement.

    Labels are private to their group, so that a group drawn twice is two groups. Its cells stay
    as they are, and so does the bias of its entropies: draws need no shift.
    """

    def __init__(self, sides: Sequence[AlignedLabels], asked: Sequence[Request]) -> None:
        self.asked = asked
        size = 1 + max(int(np.max(side.groups)) for side in sides if side.groups is not None)
        self.counts = np.ones(size, dtype=np.int64)
        self.blocks = [Blocks.of(side, size) for side in sides]

    batch = 1

    def _scores(self, times: Ints, asked: Sequence[Request]) -> Floats:
        scores = []
        for each in times:
            chosen = np.repeat(np.arange(self.counts.size), each)
            tables = (blocks.draw(chosen) for blocks in self.blocks)
            scores.append(_score_tables(tables, asked)[..., 0])
        return np.array(scores)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The cells of each group, from `starts[g]` on, with the codes of their labels."""

    sides: AlignedLabels
    rows: Ints
    columns: Ints
    counts: Array
    starts: Ints
    matches: dict[tuple[int, bytes], float] = field(default_factory=dict)
    """The best match of each group that was drawn so far, by the weights of its cells."""

    @classmethod
    def of(cls, sides: AlignedLabels, size: int) -> Blocks:
        """The cells of groups 0 to size − 1, some of which may have none."""
        gold, system = sides.gold, sides.system
        if gold.weighted or system.weighted:
            raise InputError("pooling groups is not possible with weighted answers: average them")
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
        """One table of some groups, each as often as it was chosen."""
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
        made = cast(DrawnTable, table)
        return replace(made, drawn=(chosen, ends - sizes, ends), matches=self.matches)


@dataclass(frozen=True, eq=False, repr=False)
class DrawnTable(Contingency):
    """One table of groups that may come again: each is matched once, whatever is drawn."""

    drawn: tuple[Ints, Ints, Ints] | None = None
    """The groups, and where the cells of each begin and end."""
    matches: dict[tuple[int, bytes], float] | None = None

    def match(self, weights: CountArray) -> float:
        """The weight of the best one-to-one match: no cluster is in two groups."""
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


@dataclass(frozen=True, eq=False)
class Draws:
    """Bootstrap scores (draws × systems × requests) and the ends of 95 % intervals."""

    drawn: Floats
    low: Floats
    high: Floats


def has_groups(sides: AlignedLabels) -> bool:
    """Whether there are several groups to draw from."""
    return sides.groups is not None and int(np.max(sides.groups)) > 0


def draw(
    values: Floats,
    weights: Floats,
    sides: Sequence[AlignedLabels],
    asked: Sequence[Request],
    ci: int,
    method: str,
    seed: int,
    *,
    own: Floats | None = None,
    pairs: bool = True,
    step: Callable[[int], None] = lambda done: None,
    engine: str = "local",
    scheduler: str | None = None,
) -> Draws:
    """Draws and intervals of scores given as systems × requests × groups.

    `own` are weights that the groups have under a request, beside those they have under all. Rows
    of `values` beyond the `sides` (trivial answers) have intervals with groups only. Without
    `pairs` to test, items are not drawn for intervals that do without. `step` hears of each draw.
    Drawn items and pooled groups are scored by the `engine`.
    """
    means = average_groups(values, weights, own)
    if weights.size > 1:
        drawn = group_draws(values, weights, ci, seed, own)
        chosen = "bca" if method == "auto" else method
        left_out = group_jackknife(values, weights, own)
        return Draws(drawn, *interval_ends(chosen, means, drawn, left_out))
    count, overlapping = len(sides), any(side.overlapping for side in sides)
    pooled = has_groups(sides[0]) and not overlapping
    # Quantiles of drawn items cover badly where entropies are biased; see docs/comparing.md.
    usual = "bca" if pooled else "jackknife"
    chosen = usual if method == "auto" else method
    drawing = CoverDraws if overlapping else GroupDraws if pooled else ItemDraws
    items: Drawing = drawing(sides, asked)
    needed = ci if pairs or chosen != "jackknife" else 0
    with working_on(engine, scheduler):
        drawn = items.bootstrap(needed, seed, means[:count], step)
        left = items.jackknife(seed)
    low, high = np.full_like(means, np.nan), np.full_like(means, np.nan)
    low[:count], high[:count] = interval_ends(chosen, means[:count], drawn, left)
    return Draws(drawn, low, high)
