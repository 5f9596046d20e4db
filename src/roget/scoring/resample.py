"""Bootstrap and permutation from sufficient statistics: labels are never read again.

With groups, whole groups are drawn and their scores averaged. Without, items are drawn: a
multinomial on the joint table of gold and all systems, so that every system meets the same draw.
All draws come from one seed and are summed in a fixed order, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.scoring.cells.contingency import Contingency, compact
from roget.scoring.labels import Aligned
from roget.scoring.measures.base import Request, average_draws, average_groups, evaluate

_CHUNK = 128
"""Draws made at a time, so that memory does not grow with their number."""

_DRAWN = 1 << 18
"""Kinds of items in draws that are scored at once."""

_BLOCKS = 200
"""Parts the jackknife leaves out in turn when there are more kinds of items than this."""

LEVEL = 0.95


def group_draws(values: Floats, weights: Floats, draws: int, seed: int) -> Floats:
    """Bootstrap averages when groups are drawn with replacement: draws × the leading axes."""
    random = np.random.default_rng(seed)
    groups = weights.size
    parts = []
    for begin in range(0, draws, _CHUNK):
        size = min(_CHUNK, draws - begin)
        times = random.multinomial(groups, np.full(groups, 1 / groups), size=size)
        parts.append(average_draws(values, times * weights))
    return np.concatenate(parts)


def group_jackknife(values: Floats, weights: Floats) -> Jackknife:
    """The averages with each group left out in turn."""
    without = np.where(np.eye(weights.size, dtype=bool), 0.0, weights)
    return Jackknife(average_draws(values, without), np.ones(weights.size))


def item_draws(counts: Ints, draws: int, seed: int) -> Iterator[Ints]:
    """How often each distinct kind of item is drawn, one draw at a time."""
    random = np.random.default_rng(seed)
    n = int(counts.sum())
    shares = counts / n
    for _ in range(draws):
        yield random.multinomial(n, shares)


def item_jackknife(counts: Ints, seed: int) -> Iterator[tuple[Ints, int]]:
    """The counts left when one item is taken out, and how many items that stands for.

    Beyond a few hundred kinds of items, random blocks are taken out instead.
    """
    if counts.size <= _BLOCKS:
        for kind, count in enumerate(counts.tolist()):
            left = counts.copy()
            left[kind] -= 1
            yield left, count
        return
    random = np.random.default_rng(seed)
    rest, n = counts.copy(), int(counts.sum())
    for block in range(_BLOCKS):
        size = n * (block + 1) // _BLOCKS - n * block // _BLOCKS
        taken = random.multivariate_hypergeometric(rest, size, method="marginals")
        rest = rest - taken
        yield counts - taken, 1


@dataclass(frozen=True, eq=False)
class Jackknife:
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


NO_JACKKNIFE = Jackknife(np.zeros((1, 1)), np.ones(1))
"""For percentile intervals, which look at the draws alone."""


def interval_ends(
    method: str, estimate: Floats, drawn: Floats, jackknife: Jackknife
) -> tuple[Floats, Floats]:
    """Ends of the 95 % interval of each estimate; `drawn` is draws × estimates."""
    from scipy.special import ndtri

    tails = np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2])
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


class ItemDraws:
    """Scores of several systems on items drawn with replacement."""

    def __init__(self, sides: Sequence[Aligned], asked: Sequence[Request]) -> None:
        if any(side.gold.absent or side.system.absent for side in sides):
            raise InputError(
                "intervals of unmatched items need groups to draw from: average documents "
                "(--average weighted), or give more than one"
            )
        if any(side.gold.weighted or side.system.weighted for side in sides):
            raise InputError("intervals for weighted answers need groups to draw from")
        self.asked = asked
        gold = sides[0].gold.codes.astype(np.int64)
        kinds = gold
        for side in sides:
            kinds, _ = compact(kinds * side.system.n_labels + side.system.codes, ordered=False)
        times = sides[0].counts
        if times is not None and times.dtype.kind == "f":
            raise InputError("intervals over items need whole counts, or groups to draw from")
        self.counts = np.bincount(kinds, times).astype(np.int64)
        one_of = np.empty(self.counts.size, dtype=np.int64)
        one_of[kinds] = np.arange(kinds.size)
        self.classes, self.widths = sides[0].gold.n_labels, [side.system.n_labels for side in sides]
        self.cells = [
            compact(gold[one_of] * side.system.n_labels + side.system.codes[one_of], ordered=False)
            for side in sides
        ]
        """For each system the cell of each kind of items, and which class and cluster it is."""

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
        drawn = np.empty((draws, *estimates.shape))
        done = 0
        for times in self._batches(item_draws(self.counts, draws, seed)):
            until = done + len(times)
            drawn[done:until] = self._scores(times, self.asked) - truth + estimates
            for done in range(done + 1, until + 1):  # noqa: B020
                step(done)
        return drawn

    def jackknife(self, seed: int) -> Jackknife:
        """Scores with an item, or a block of items, left out in turn."""
        parts = list(item_jackknife(self.counts, seed))
        batches = self._batches(left for left, _ in parts)
        without = np.concatenate([self._scores(times, self.asked) for times in batches])
        return Jackknife(without, np.array([weight for _, weight in parts], dtype=float))

    def _batches(self, drawn: Iterable[Ints]) -> Iterator[Ints]:
        """Several draws at a time, as many as the memory holds with ease."""
        source = iter(drawn)
        while times := list(islice(source, max(1, _DRAWN // self.counts.size))):
            yield np.array(times)

    def _scores(self, times: Ints, asked: Sequence[Request]) -> Floats:
        """Draws × systems × requests: draws are scored as groups are, all at once."""
        tables = [self._tables(system, times) for system in range(len(self.cells))]
        scores = [[evaluate(table, request)[0] for request in asked] for table in tables]
        return np.array(scores).transpose(2, 0, 1)

    def _tables(self, system: int, times: Ints) -> Contingency:
        cell, keys = self.cells[system]
        at = np.arange(len(times))[:, None] * keys.size + cell
        counts = np.bincount(at.ravel(), times.ravel(), len(times) * keys.size).astype(np.int64)
        held = np.flatnonzero(counts)
        draw, which = np.divmod(held, keys.size)
        rows, columns = np.divmod(keys[which], self.widths[system])
        rows, columns = rows + draw * self.classes, columns + draw * self.widths[system]
        return Contingency.from_cells(rows, columns, counts[held]).by_group(self.classes)


@dataclass(frozen=True, eq=False)
class Draws:
    """Bootstrap scores (draws × systems × requests) and the ends of 95 % intervals."""

    drawn: Floats
    low: Floats
    high: Floats


def draw(
    values: Floats,
    weights: Floats,
    sides: Sequence[Aligned],
    asked: Sequence[Request],
    ci: int,
    method: str,
    seed: int,
    *,
    pairs: bool = True,
    step: Callable[[int], None] = lambda done: None,
) -> Draws:
    """Draws and intervals of scores given as systems × requests × groups.

    Rows of `values` beyond the `sides` (trivial answers) have intervals with groups only. Without
    `pairs` to test, items are not drawn for intervals that do without. `step` hears of each draw.
    """
    means = average_groups(values, weights)
    if weights.size > 1:
        drawn = group_draws(values, weights, ci, seed)
        chosen = "bca" if method == "auto" else method
        return Draws(drawn, *interval_ends(chosen, means, drawn, group_jackknife(values, weights)))
    # Quantiles of drawn items cover badly where entropies are biased; see docs/comparing.md.
    chosen = "jackknife" if method == "auto" else method
    count = len(sides)
    items = ItemDraws(sides, asked)
    needed = ci if pairs or chosen != "jackknife" else 0
    drawn = items.bootstrap(needed, seed, means[:count], step)
    low, high = np.full_like(means, np.nan), np.full_like(means, np.nan)
    low[:count], high[:count] = interval_ends(chosen, means[:count], drawn, items.jackknife(seed))
    return Draws(drawn, low, high)
