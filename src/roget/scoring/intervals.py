"""Intervals of scores: groups are drawn where there are groups, else items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from roget.errors import InputError, UnknownName
from roget.scoring.labels import Aligned
from roget.scoring.requests import Request
from roget.scoring.resample import average, group_draws, group_jackknife, interval
from roget.scoring.resample_items import ItemDraws

FloatArray = npt.NDArray[np.float64]

METHODS = ("auto", "bca", "percentile", "jackknife")
"""auto is BCa over groups, and the jackknife's standard error over items."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Bootstrap scores (draws × systems × requests) and the ends of 95 % intervals."""

    drawn: FloatArray
    low: FloatArray
    high: FloatArray


def check(ci: int, method: str, seed: int) -> None:
    """Refuse what `draw` cannot do, before any work is done."""
    if not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed is {seed!r}: expected a whole number that is 0 or more")
    if ci < 0:
        raise InputError(f"ci is {ci}: expected a number of draws, or 0 for no interval")
    if method not in METHODS:
        raise UnknownName("interval", method, METHODS)


def described(ci: int, method: str) -> str:
    """The intervals as the signature names them."""
    return f"{ci}x{method}" if ci else "none"


def draw(
    values: FloatArray,
    weights: FloatArray,
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
    means = average(values, weights)
    if weights.size > 1:
        drawn = group_draws(values, weights, ci, seed)
        chosen = "bca" if method == "auto" else method
        return Draws(drawn, *interval(chosen, means, drawn, group_jackknife(values, weights)))
    # Quantiles of drawn items cover badly where entropies are biased; see docs/comparing.md.
    chosen = "jackknife" if method == "auto" else method
    count = len(sides)
    items = ItemDraws(sides, asked)
    needed = ci if pairs or chosen != "jackknife" else 0
    drawn = items.bootstrap(needed, seed, means[:count], step)
    low, high = np.full_like(means, np.nan), np.full_like(means, np.nan)
    low[:count], high[:count] = interval(chosen, means[:count], drawn, items.jackknife(seed))
    return Draws(drawn, low, high)
