"""How far pair counts and mutual information stray over all tables with the same sizes, exactly.

Every way to give the items the system's labels anew is as likely as any other, so each cell is
hypergeometric. Pairs have a formula. For a sum of functions of cells, mutual information say, the
function of each cell is written in the orthonormal (Hahn) polynomials of its distribution. Those of
two cells correlate only where they are of one degree k, by a product of one factor for the classes
and one for the clusters: 1 if both are the same set, else (−1)^k·u(a)·u(a′) for disjoint sets of a
and a′ of N items, with u(a)² = a(a−1)…(a−k+1)/((N−a)(N−a−1)…(N−a−k+1)). All covariances then add up
in one pass over the pairs of different sizes, where the formula of Romano et al. 2014 takes a sum
over three counts for each pair of cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from roget.core.information import sum_parts
from roget.core.types import Floats, Ints, Values
from roget.errors import Undefined
from roget.scoring.entropy import Histogram
from roget.scoring.tables.baselines import (
    SMOOTH_VARIANCE,
    PairSizes,
    cross,
    find_variance,
    find_window,
    make_block,
    share_blocks,
)
from roget.scoring.tables.statistics import PairCounts, Sizes


def deviate_pairs(pairs: PairCounts, sizes: Sizes) -> Values:
    """The standard deviation of the pairs together in both (Fowlkes & Mallows 1983)."""
    of = sizes.n, 2 * pairs.gold, 2 * pairs.system, *map(_count_triples, (sizes.gold, sizes.system))
    if sizes.gold.starts is None:
        return _deviate_pairs(*map(int, of))
    groups = zip(*(np.asarray(each).tolist() for each in of), strict=True)
    return np.array([_deviate_pairs(*map(int, group)) for group in groups])


def _deviate_pairs(n: int, p: int, q: int, p3: int, q3: int) -> float:
    """From ordered pairs and triples within the sets of each side, in whole numbers of any size."""
    two, three, four = n * (n - 1), n * (n - 1) * (n - 2), n * (n - 1) * (n - 2) * (n - 3)
    # Two pairs share both items, one, or none; what too few items do not have counts 0.
    apart = (p * p - 2 * p - 4 * p3) * (q * q - 2 * q - 4 * q3)
    kinds = (2 * p * q, two), (4 * p3 * q3, three), (apart, four)
    whole = two * two * max(three, 1) * max(four, 1)
    above = sum(count * (whole // ways) for count, ways in kinds if ways) - (
        p * p * q * q * max(three, 1) * max(four, 1)
    )
    return math.sqrt(above / whole) / 2 if two else 0.0


def _count_triples(sizes: Histogram) -> Any:
    """Σ x(x−1)(x−2) over the sets of a side, in numbers that hold it."""
    counts, cells = sizes.counts.astype(object), sizes.cells.astype(object)
    sums = sum_parts(counts * (counts - 1) * (counts - 2) * cells, sizes.begins)
    return sums[0] if sizes.starts is None else sums


MOST_SIZES = 1 << 18
"""Pairs of different class and cluster sizes beyond which the variance is not computed."""

_MOST_PAIRS = 1 << 23
"""The same over all groups, equal ones in groups of equal size included."""


def deviate_information(gold: Histogram, system: Histogram, total: Any) -> Values:
    """The standard deviation of plug-in mutual information, in nats."""
    n = np.atleast_1d(total).astype(np.float64)
    rows, columns, group = _cross(gold, system)
    of = PairSizes(
        gold.counts[rows].astype(np.float64),
        system.counts[columns].astype(np.float64),
        np.ones(rows.size),
        n[group],
        group,
    )
    kind, first = of.find_alike()
    if first.size > MOST_SIZES:
        raise Undefined(
            f"the variance is not computed for {first.size:,} pairs of different class and cluster "
            f"sizes; at most {MOST_SIZES:,} are"
        )
    alone, degrees = _expand(of.take(first))
    m_a, m_b = gold.cells[rows].astype(np.float64), system.cells[columns].astype(np.float64)
    variance: Floats = np.bincount(group, m_a * m_b * alone[kind], n.size).astype(np.float64)
    of_gold, of_system = gold.cells.astype(np.float64), system.cells.astype(np.float64)
    u, v = np.ones(gold.counts.size), np.ones(system.counts.size)
    n_a, n_b = n[gold.owners], n[system.owners]
    for k, found in enumerate(degrees, start=1):
        u *= _step(gold.counts.astype(np.float64), n_a, k)
        v *= _step(system.counts.astype(np.float64), n_b, k)
        c = found[kind]
        c_u, c_v = m_a * u[rows] * c, m_b * v[columns] * c
        # Sums over the classes of a cluster, over the clusters of a class, and over both.
        down = np.bincount(columns, c_u, system.counts.size)
        across = np.bincount(rows, c_v, gold.counts.size)
        both = np.bincount(group, c_u * m_b * v[columns], n.size)
        sign = -1.0 if k % 2 else 1.0
        squares = m_a * m_b * c * c
        of_u, of_v = u[rows] ** 2, v[columns] ** 2
        in_cluster = _by_group(system, of_system * down**2, n.size)
        in_class = _by_group(gold, of_gold * across**2, n.size)
        variance += sign * (in_cluster - np.bincount(group, squares * of_u, n.size))
        variance += sign * (in_class - np.bincount(group, squares * of_v, n.size))
        variance += (
            both**2
            - _by_group(gold, of_gold * (u * across) ** 2, n.size)
            - _by_group(system, of_system * (v * down) ** 2, n.size)
            + np.bincount(group, squares * of_u * of_v, n.size)
        )
    deviation: Floats = np.sqrt(np.maximum(variance, 0.0)) / n
    return deviation if gold.starts is not None else float(deviation[0])


def _by_group(sizes: Histogram, values: Floats, groups: int) -> Floats:
    return np.bincount(sizes.owners, values, groups).astype(np.float64)


def _step(sizes: Floats, n: Floats, k: int) -> Floats:
    """By what u grows from degree k − 1 to k; 0 where there are no polynomials of that degree."""
    left, right = sizes - (k - 1), n - sizes - (k - 1)
    return np.sqrt(np.where((left > 0) & (right > 0), left / np.maximum(right, 1.0), 0.0))


def _cross(gold: Histogram, system: Histogram) -> tuple[Ints, Ints, Ints]:
    """All pairs of a class size and a cluster size at once, if there are not too many."""
    count = int(np.bincount(gold.owners) @ np.bincount(system.owners))
    if count > _MOST_PAIRS:
        raise Undefined(
            f"the variance is not computed for {count:,} pairs of class and cluster sizes; at most "
            f"{_MOST_PAIRS:,} are"
        )
    return next(cross(gold, system, count))


_DEGREES = 60
_REST = 1e-22
"""A cell's function is known when so little of its variance is left."""

_BLOCK = 1 << 16


def _expand(pairs: PairSizes) -> tuple[Floats, list[Floats]]:
    """Of what each cell adds to N·I: its variance, and its coefficients of degree 1, 2, …"""
    variances = np.zeros(pairs.n.size)
    degrees: list[Floats] = []
    for chosen, counts, mass in _list_blocks(pairs):
        part = pairs.take(chosen)
        mean = (part.a * (part.b / part.n))[:, None]
        # Given the sizes Σ x·log(mean) and Σ x are what they are, so this differs from x·log x by
        # constants; it keeps its digits where x·log x of 10¹² items would not.
        values = mean * excess(counts / mean - 1)
        values -= (mass * values).sum(axis=1, keepdims=True)
        variances[chosen] = left = (mass * values * values).sum(axis=1)
        enough = _REST * left
        x = counts - mean
        x /= np.sqrt((mass * x * x).sum(axis=1, keepdims=True)) + 1e-300
        before, here, beta = np.zeros_like(x), np.ones_like(x), np.zeros(chosen.size)
        for k in range(1, _DEGREES + 1):
            if not np.any(left > enough):
                break
            alpha = (mass * x * here * here).sum(axis=1)
            following = (x - alpha[:, None]) * here - beta[:, None] * before
            beta = np.sqrt((mass * following * following).sum(axis=1))
            # A distribution on k counts has no polynomial of degree k.
            following *= np.where((beta > 1e-10) & (left > enough), 1 / (beta + 1e-300), 0.0)[
                :, None
            ]
            before, here = here, following
            found = (mass * values * here).sum(axis=1)
            values -= found[:, None] * here
            left = (mass * values * values).sum(axis=1)
            if len(degrees) < k:
                degrees.append(np.zeros(pairs.n.size))
            degrees[k - 1][chosen] = found
    return variances, degrees


def _list_blocks(pairs: PairSizes) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Pairs of similar width, the counts of their cells, and the probabilities of these."""
    variance = find_variance(pairs)
    narrow = np.flatnonzero(variance < SMOOTH_VARIANCE)
    low, high = find_window(pairs)
    widths = (high - low + 1).astype(np.int64)
    for part in share_blocks(widths[narrow], _BLOCK):
        chosen = narrow[part]
        yield chosen, *make_block(pairs.take(chosen), low[chosen], int(widths[chosen[-1]]))
    wide = np.flatnonzero(variance >= SMOOTH_VARIANCE)
    for begin in range(0, wide.size, _BLOCK // _POINTS):
        chosen = wide[begin : begin + _BLOCK // _POINTS]
        yield chosen, *_sample(pairs.take(chosen), variance[chosen])


_POINTS = 161


def _sample(pairs: PairSizes, variance: Floats) -> tuple[Floats, Floats]:
    """Some counts of wide cells, at steps of a sixth of the deviation or a little less.

    Sums over such steps are those over all counts: what differs is below e^−700 (Poisson's
    summation). Probabilities are by Stirling's series about the mean (Loader 2000).
    """
    a, b, _, n, _ = pairs
    mean = a * (b / n)
    step = np.floor(np.sqrt(variance) / 6)
    counts: Floats = np.rint(mean)[:, None] + step[:, None] * (np.arange(_POINTS) - _POINTS // 2)
    away = counts - mean[:, None]
    log: Floats = np.zeros(counts.shape)
    for sign, cell in ((1, mean), (-1, a - mean), (-1, b - mean), (1, n - a - b + mean)):
        expected = cell[:, None]
        here = expected + sign * away
        log -= expected * excess(sign * away / expected) + np.log(here) / 2
        log -= 1 / (12 * here) - 1 / (360 * here**3)
    mass = np.exp(log - log.max(axis=1, keepdims=True))
    return counts, mass / mass.sum(axis=1, keepdims=True)


def excess(t: Floats) -> Floats:
    """(1+t)·log(1+t) − t, of small t by its series, 1 at −1."""
    small = np.abs(t) < 0.02
    tame = np.where(small | (t <= -1), 0.0, t)
    series = np.zeros_like(t)
    for k in range(10, 1, -1):
        series = (1.0 if k % 2 == 0 else -1.0) / (k * (k - 1)) + np.where(small, t, 0.0) * series
    whole = (1 + tame) * np.log1p(tame) - tame
    return np.where(small, series * t * t, np.where(t <= -1, 1.0, whole))
