"""Tests of differences between systems: paired bootstrap, permutation, Holm's correction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.core.types import Floats, Ints
from roget.scoring.measures.base import divide
from roget.scoring.results import Pair, none_if_nan
from roget.scoring.steps.bootstrap import NO_JACKKNIFE, Samples, interval_ends
from roget.scoring.systems import SystemScores

SIGNIFICANT = 0.05
"""Level below which two systems differ significantly."""

_CHUNK = 128
"""Permutations drawn at once, so memory does not grow with their number."""


def compare_pairs(scores: SystemScores, samples: Samples, paired: str, seed: int) -> list[Pair]:
    """Return the difference of each pair of systems, with interval and corrected p."""
    both = list(combinations(range(len(scores.systems)), 2))
    if not both:
        return []
    names, pairs = scores.names, []
    for r, (measure, entropy) in enumerate(scores.requests):
        # One score at a time: the differences of all scores together would fill the memory.
        columns = _compare_scores(scores, r, np.array(both), samples, paired, seed)
        for at, (i, j) in enumerate(both):
            numbers = (none_if_nan(column[at]) for column in columns)
            pairs.append(Pair(names[i], names[j], str(measure), entropy, *numbers))
    return pairs


def _compare_scores(
    scores: SystemScores, r: int, both: Ints, samples: Samples, paired: str, seed: int
) -> tuple[Floats, ...]:
    """Return difference, interval ends, p and corrected p of every pair under one score."""
    a, b = both.T
    difference = scores.means[a, r] - scores.means[b, r]
    drawn = samples.drawn[:, a, r] - samples.drawn[:, b, r]
    low, high = interval_ends("percentile", difference, drawn, NO_JACKKNIFE)
    if paired == "permutation":
        values = scores.values[:, r]
        weights = scores.weights if scores.own is None else scores.weights * scores.own[r]
        p = permutation_p(values[a] - values[b], weights, drawn.shape[0], seed + 1)
    else:
        p = bootstrap_p(difference, drawn)
    p = np.where(np.isnan(difference), np.nan, p)
    return difference, low, high, p, holm(p)


def bootstrap_p(difference: Floats, drawn: Floats) -> Floats:
    """Return the two-sided p of no difference; `drawn` is samples × differences.

    It counts how often a resampled difference is as far from its mean as the observed one is from
    0. Undefined (NaN) samples are excluded; if they are more than half, p is undefined.
    """
    defined = ~np.isnan(drawn)
    count = defined.sum(axis=0)
    filled = np.array(drawn)  # in the same memory order, on which the rounding of sums depends
    filled[~defined] = 0.0
    centred = filled - divide(filled.sum(axis=0), count, np.nan)
    centred[~defined] = 0.0
    far = ((np.abs(centred) >= np.abs(difference) - 1e-12) & defined).sum(axis=0)
    error = np.sqrt(divide((centred**2).sum(axis=0), count, np.nan))
    p = _refine(far, count, difference, error)
    return np.where(2 * count < drawn.shape[0], np.nan, p)


def _refine(far: npt.NDArray[Any], draws: Any, difference: Floats, error: Floats) -> Floats:
    """Return p by counting samples, or the normal tail if no sample is as far.

    Counting alone could never detect a difference among many systems: with 190 pairs Holm's method
    requires p below .0003, which a thousand samples cannot show.
    """
    from scipy.special import ndtr

    counted = (1 + far) / (1 + draws)
    with np.errstate(invalid="ignore", divide="ignore"):
        tail = 2 * ndtr(-np.abs(difference) / error)
    return np.asarray(np.where((far == 0) & (error > 0), np.minimum(counted, tail), counted))


def permutation_p(differences: Floats, weights: Floats, draws: int, seed: int) -> Floats:
    """Return the two-sided p of no difference if systems are exchanged at random in each group.

    `differences` is … × groups. If 2^groups ≤ draws, every exchange is tried.
    """
    random = np.random.default_rng(seed)
    shape = differences.shape[:-1]
    flat = np.nan_to_num(differences.reshape(-1, differences.shape[-1])) * weights
    observed = np.abs(flat.sum(axis=1))
    tolerance = 1e-12 * np.abs(flat).sum(axis=1)
    reached, total = np.zeros(flat.shape[0]), 0
    for signs in _draw_signs(weights.size, draws, random):
        sums = np.abs(np.einsum("dg,kg->dk", signs, flat))
        reached += (sums >= observed - tolerance).sum(axis=0)
        total += signs.shape[0]
    if total == 2.0 ** min(weights.size, 60):
        return (reached / total).reshape(shape)
    p = _refine(reached, total, flat.sum(axis=1), np.sqrt((flat**2).sum(axis=1)))
    return p.reshape(shape)


def _draw_signs(groups: int, draws: int, random: np.random.Generator) -> Iterator[Floats]:
    """Yield exchanges as signs, permutations × groups: all of them if they are few."""
    if groups < 40 and 1 << groups <= draws:
        numbers = np.arange(1 << groups)
        yield (1 - 2 * ((numbers[:, None] >> np.arange(groups)) & 1)).astype(np.float64)
        return
    for begin in range(0, draws, _CHUNK):
        size = (min(_CHUNK, draws - begin), groups)
        yield (1 - 2 * random.integers(0, 2, size=size)).astype(np.float64)


def holm(p: Floats) -> Floats:
    """Apply Holm's correction for several tests; NaN is no test.

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    stepped = np.maximum.accumulate(p[order] * np.arange(order.size, 0, -1))
    adjusted = np.full_like(p, np.nan)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def mark_systems(scores: SystemScores, pairs: Sequence[Pair]) -> dict[tuple[int, int], str]:
    """Return letters by (system, request); systems that share one do not differ significantly."""
    if not pairs:
        return {}
    apart = {
        (pair.a, pair.b, pair.measure, pair.entropy)
        for pair in pairs
        if pair.p_holm is not None and pair.p_holm < SIGNIFICANT
    }
    names, ranks = scores.names, scores.ranks
    marks: dict[tuple[int, int], str] = {}
    for r, (measure, entropy) in enumerate(scores.requests):
        order = [s for s in np.argsort(ranks[:, r], kind="stable").tolist() if ranks[s, r]]

        def differ(i: int, j: int, key: tuple[str, str | None] = (str(measure), entropy)) -> bool:
            i, j = min(i, j), max(i, j)
            return (names[i], names[j], *key) in apart

        marks.update({(s, r): mark for s, mark in assign_letters(order, differ).items()})
    return marks


def assign_letters(order: list[int], differ: Callable[[int, int], bool]) -> dict[int, str]:
    """Return compact letters: two systems share one iff they do not differ (Piepho 2004).

    `order` lists the systems best first, so the best have the letter a.

    >>> assign_letters([0, 1, 2], lambda i, j: {i, j} == {0, 2})
    {0: 'a', 1: 'ab', 2: 'b'}
    """
    # Start with one letter for all. Each difference splits every letter that both systems have
    # into two, without the one and without the other; letters covered by others are dropped.
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
    """Return a, b, …, z, aa, ab and so on."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def count_firsts(scores: SystemScores, drawn: Floats) -> Floats:
    """Return the share of bootstrap samples in which each system is first; ties are shared."""
    systems = drawn[:, : len(scores.systems)]
    goodness = np.where(np.isnan(systems), -np.inf, systems * scores.better)
    best = goodness == goodness.max(axis=1, keepdims=True)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))
