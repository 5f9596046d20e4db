"""Tests of differences between systems: paired bootstrap, permutation test and Holm correction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.core.types import Floats, Ints
from roget.scoring.measures.base import divide
from roget.scoring.results import Pair, none_if_nan
from roget.scoring.steps.bootstrap import NO_JACKKNIFE, Samples, interval_bounds
from roget.scoring.systems import SystemScores

SIGNIFICANT = 0.05
"""Significance level for tests of the difference between two systems."""

_CHUNK = 128
"""Batch size: number of permutations processed at once, to limit memory use."""


def compare_pairs(scores: SystemScores, samples: Samples, paired: str, seed: int) -> list[Pair]:
    """Return the difference between each pair of systems, with its interval, p and corrected p."""
    both = list(combinations(range(len(scores.systems)), 2))
    if not both:
        return []
    names, pairs = scores.names, []
    for r, (measure, entropy) in enumerate(scores.requests):
        # Process one score at a time, because the differences of all scores would need too much
        # memory.
        columns = _compare_scores(scores, r, np.array(both), samples, paired, seed)
        for at, (i, j) in enumerate(both):
            numbers = (none_if_nan(column[at]) for column in columns)
            pairs.append(Pair(names[i], names[j], str(measure), entropy, *numbers))
    return pairs


def _compare_scores(
    scores: SystemScores, r: int, both: Ints, samples: Samples, paired: str, seed: int
) -> tuple[Floats, ...]:
    """Return the difference, confidence bounds, p and corrected p of every pair for one score."""
    a, b = both.T
    difference = scores.means[a, r] - scores.means[b, r]
    drawn = samples.drawn[:, a, r] - samples.drawn[:, b, r]
    low, high = interval_bounds("percentile", difference, drawn, NO_JACKKNIFE)
    if paired == "permutation":
        values = scores.values[:, r]
        weights = scores.weights if scores.own is None else scores.weights * scores.own[r]
        p = permutation_p(values[a] - values[b], weights, drawn.shape[0], seed + 1)
    else:
        p = bootstrap_p(difference, drawn)
    p = np.where(np.isnan(difference), np.nan, p)
    return difference, low, high, p, holm(p)


def bootstrap_p(difference: Floats, drawn: Floats) -> Floats:
    """Return the two-sided p for the hypothesis of no difference.

    `drawn` has the shape (samples, differences).

    p is the fraction of bootstrap samples whose difference is at least as far from the mean of the
    samples as the observed difference is from 0. Undefined (NaN) samples are excluded; if more than
    half are undefined, p is undefined.
    """
    defined = ~np.isnan(drawn)
    count = defined.sum(axis=0)
    filled = np.array(drawn)  # copy in the same memory order, on which the rounding of sums depends
    filled[~defined] = 0.0
    centred = filled - divide(filled.sum(axis=0), count, np.nan)
    centred[~defined] = 0.0
    far = ((np.abs(centred) >= np.abs(difference) - 1e-12) & defined).sum(axis=0)
    error = np.sqrt(divide((centred**2).sum(axis=0), count, np.nan))
    p = _refine(far, count, difference, error)
    return np.where(2 * count < drawn.shape[0], np.nan, p)


def _refine(far: npt.NDArray[Any], draws: Any, difference: Floats, error: Floats) -> Floats:
    """Return p from the count of extreme samples, or from a normal approximation if it is 0.

    `far` is the number of samples that are at least as extreme as the observed difference. Counting
    alone cannot yield p below 1/(1 + samples), which is too large for Holm's correction with many
    systems: with 190 pairs it requires p < .0003.
    """
    from scipy.special import ndtr

    counted = (1 + far) / (1 + draws)
    with np.errstate(invalid="ignore", divide="ignore"):
        tail = 2 * ndtr(-np.abs(difference) / error)
    return np.asarray(np.where((far == 0) & (error > 0), np.minimum(counted, tail), counted))


def permutation_p(differences: Floats, weights: Floats, draws: int, seed: int) -> Floats:
    """Return the two-sided p of a permutation test that swaps the two systems in random groups.

    The last axis of `differences` contains the groups. If 2^groups ≤ draws, all permutations are
    evaluated, and p is exact.
    """
    random = np.random.default_rng(seed)
    shape = differences.shape[:-1]
    flat = np.nan_to_num(differences.reshape(-1, differences.shape[-1])) * weights
    observed = np.abs(flat.sum(axis=1))
    tolerance = 1e-12 * np.abs(flat).sum(axis=1)
    reached, total = np.zeros(flat.shape[0]), 0
    # Swapping the systems in a group changes the sign of its difference.
    for signs in _draw_signs(weights.size, draws, random):
        sums = np.abs(np.einsum("dg,kg->dk", signs, flat))
        reached += (sums >= observed - tolerance).sum(axis=0)
        total += signs.shape[0]
    if total == 2.0 ** min(weights.size, 60):
        return (reached / total).reshape(shape)
    p = _refine(reached, total, flat.sum(axis=1), np.sqrt((flat**2).sum(axis=1)))
    return p.reshape(shape)


def _draw_signs(groups: int, draws: int, random: np.random.Generator) -> Iterator[Floats]:
    """Yield arrays of signs with shape (permutations, groups), for random or all permutations."""
    if groups < 40 and 1 << groups <= draws:
        numbers = np.arange(1 << groups)
        yield (1 - 2 * ((numbers[:, None] >> np.arange(groups)) & 1)).astype(np.float64)
        return
    for begin in range(0, draws, _CHUNK):
        size = (min(_CHUNK, draws - begin), groups)
        yield (1 - 2 * random.integers(0, 2, size=size)).astype(np.float64)


def holm(p: Floats) -> Floats:
    """Apply Holm's correction for multiple tests, ignoring missing tests (NaN).

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    # The i-th smallest of m values is multiplied by m − i + 1, and the results are made monotone.
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    stepped = np.maximum.accumulate(p[order] * np.arange(order.size, 0, -1))
    adjusted = np.full_like(p, np.nan)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def mark_systems(scores: SystemScores, pairs: Sequence[Pair]) -> dict[tuple[int, int], str]:
    """Return significance letters, keyed by the indices of system and score.

    Systems with a common letter do not differ.
    """
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
    """Return a compact letter display: systems share a letter if and only if they do not differ.

    `order` lists the systems from best to worst, so the best systems have the letter a. The
    algorithm is that of Piepho 2004.

    >>> assign_letters([0, 1, 2], lambda i, j: {i, j} == {0, 2})
    {0: 'a', 1: 'ab', 2: 'b'}
    """
    # Start with one letter for all systems. For each significant difference, replace every letter
    # that both systems have by two letters, each without one of the systems. Drop letters whose
    # systems are a subset of the systems of another letter.
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
    """Return the letter with the given index: 0 is a, 1 is b, 25 is z, 26 is aa, and so on."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name


def count_firsts(scores: SystemScores, drawn: Floats) -> Floats:
    """Return the fraction of bootstrap samples in which each system is best. Ties are split."""
    systems = drawn[:, : len(scores.systems)]
    goodness = np.where(np.isnan(systems), -np.inf, systems * scores.better)
    best = goodness == goodness.max(axis=1, keepdims=True)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))
