"""Compute exact standard deviations of pair counts and mutual information over random tables.

All assignments of the items to clusters of fixed sizes are equally likely, so the count of each
cell is hypergeometric. The standard deviation of pair counts has a closed form. Mutual information
is a sum over cells of a function f of the cell's count x, which is expanded in the orthonormal
(Hahn) polynomials Q_k of the cell's distribution:

    (1)  f(x) = E f + Σ_k c_k·Q_k(x),   Var f = Σ_k c_k².

Polynomials of two cells are correlated only if they have the same degree k. Their correlation is
the product of a factor for the two classes and a factor for the two clusters. A factor is

    (2)  1 for the same set,   (−1)^k·u_k(a)·u_k(a′) for disjoint sets with a and a′ of the N items,
    (3)  u_k(a)² = a(a−1)…(a−k+1)/((N−a)(N−a−1)…(N−a−k+1)).

The variance of the sum is therefore, for each degree k, a sum over pairs of cells of a product of
factors, which is computed from row sums, column sums and the total, in one pass over the distinct
(class size, cluster size) pairs:

    (4)  Var = Σ_cells Var f + Σ_k Σ_{cell ≠ cell′} c_k·c_k′·(class factor)·(cluster factor).

In contrast, the formula of Romano et al. 2014 requires a sum over three counts for each pair of
cells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from roget.core.types import Floats, Ints, Values
from roget.errors import Undefined
from roget.scoring.entropy.base import Histogram
from roget.scoring.tables.hypergeometric import (
    SMOOTH_VARIANCE,
    PairSizes,
    cross_sizes,
    find_variance,
    find_window,
    make_block,
    share_blocks,
)
from roget.scoring.tables.records import PairCounts, Sizes


def deviate_pairs(pairs: PairCounts, sizes: Sizes) -> Values:
    """Return the standard deviation of the number of pairs joined in both gold and system.

    The formula is from Fowlkes & Mallows 1983.
    """
    triples = map(_count_triples, (sizes.gold, sizes.system))
    terms = sizes.n, 2 * pairs.gold, 2 * pairs.system, *triples
    if sizes.gold.starts is None:
        return _deviate_pairs(*map(int, terms))
    groups = zip(*(np.asarray(each).tolist() for each in terms), strict=True)
    return np.array([_deviate_pairs(*map(int, group)) for group in groups])


def _deviate_pairs(n: int, p: int, q: int, p3: int, q3: int) -> float:
    """Return the standard deviation of pair counts for one group, using exact integer arithmetic.

    Let p and q be the numbers of ordered pairs of items in the same set in gold and in the system,
    and p3 and q3 the numbers of such ordered triples. With the falling factorials n₂ = n(n−1), n₃
    and n₄,
    (5)  4·Var = 2pq/n₂ + 4·p3·q3/n₃ + (p² − 2p − 4·p3)(q² − 2q − 4·q3)/n₄ − (pq/n₂)².
    """
    two, three, four = n * (n - 1), n * (n - 1) * (n - 2), n * (n - 1) * (n - 2) * (n - 3)
    # The first three terms in equation (5) are for two pairs that share two, one or no items. If
    # there are too few items, a falling factorial and its numerator are both 0.
    apart = (p * p - 2 * p - 4 * p3) * (q * q - 2 * q - 4 * q3)
    kinds = (2 * p * q, two), (4 * p3 * q3, three), (apart, four)
    # Write all terms over the common denominator `whole`, so only a single division is rounded.
    whole = two * two * max(three, 1) * max(four, 1)
    above = sum(count * (whole // ways) for count, ways in kinds if ways) - (
        p * p * q * q * max(three, 1) * max(four, 1)
    )
    return math.sqrt(above / whole) / 2 if two else 0.0


def _count_triples(sizes: Histogram) -> Any:
    """Return the number of ordered triples, Σ x(x−1)(x−2) over set sizes x, as a Python integer."""
    counts, cells = sizes.counts.astype(object), sizes.cells.astype(object)
    sums = np.add.reduceat(counts * (counts - 1) * (counts - 2) * cells, sizes.begins)
    return sums[0] if sizes.starts is None else sums


MAX_SIZES = 1 << 18
"""Largest number of distinct (class size, cluster size) pairs for which the exact variance is
computed.
"""

_MAX_PAIRS = 1 << 23
"""Largest total number of (class size, cluster size) pairs in all groups."""


def deviate_information(gold: Histogram, system: Histogram, total: Any) -> Values:
    """Return the standard deviation of plug-in mutual information, in nats."""
    # Step 1: list the (class size, cluster size) pairs of all groups. Equal pairs are expanded only
    # once. `kind` is the index of a pair's expansion.
    n = np.atleast_1d(total).astype(np.float64)
    rows, columns, group = _cross_all(gold, system)
    sizes = PairSizes(
        gold.counts[rows].astype(np.float64),
        system.counts[columns].astype(np.float64),
        np.ones(rows.size),
        n[group],
        group,
    )
    kind, first = sizes.find_kinds()
    if first.size > MAX_SIZES:
        raise Undefined(
            f"the exact variance supports at most {MAX_SIZES:,} distinct (class size, cluster "
            f"size) pairs; this table has {first.size:,}"
        )
    # Step 2: for each distinct (class size, cluster size), expand the cell's function as in
    # equation (1).
    alone, degrees = _expand(sizes.take(first))
    # Step 3: sum the variances of the single cells, the first term of equation (4). `m_a` is the
    # number of classes of size a, and `m_b` the number of clusters of size b.
    m_a, m_b = gold.cells[rows].astype(np.float64), system.cells[columns].astype(np.float64)
    variance: Floats = np.bincount(group, m_a * m_b * alone[kind], n.size).astype(np.float64)
    n_gold, n_system = gold.cells.astype(np.float64), system.cells.astype(np.float64)
    u, v = np.ones(gold.counts.size), np.ones(system.counts.size)
    n_a, n_b = n[gold.owners], n[system.owners]
    # Step 4: add the covariances of pairs of cells for each degree, the second term of (4).
    for k, coefficients in enumerate(degrees, start=1):
        # Compute u_k of equation (3) for class sizes, and v_k, the same factor for cluster sizes.
        u *= _step(gold.counts.astype(np.float64), n_a, k)
        v *= _step(system.counts.astype(np.float64), n_b, k)
        c = coefficients[kind]
        c_u, c_v = m_a * u[rows] * c, m_b * v[columns] * c
        # `down` is Σ u·c over the classes for each cluster size, `across` is Σ v·c over the
        # clusters for each class size, and `both` is Σ u·v·c over all cells.
        down = np.bincount(columns, c_u, system.counts.size)
        across = np.bincount(rows, c_v, gold.counts.size)
        both = np.bincount(group, c_u * m_b * v[columns], n.size)
        sign = -1.0 if k % 2 else 1.0
        squares = m_a * m_b * c * c
        u_squares, v_squares = u[rows] ** 2, v[columns] ** 2
        # Step 4a: pairs of cells in the same cluster but different classes contribute
        # (−1)^k·((Σ over classes)² − Σ of squares), and likewise pairs in the same class.
        in_cluster = _by_group(system, n_system * down**2, n.size)
        in_class = _by_group(gold, n_gold * across**2, n.size)
        variance += sign * (in_cluster - np.bincount(group, squares * u_squares, n.size))
        variance += sign * (in_class - np.bincount(group, squares * v_squares, n.size))
        # Step 4b: add pairs of cells in different classes and different clusters, by
        # inclusion–exclusion. Both factors of equation (2) have the sign (−1)^k, which cancels.
        variance += (
            both**2
            - _by_group(gold, n_gold * (u * across) ** 2, n.size)
            - _by_group(system, n_system * (v * down) ** 2, n.size)
            + np.bincount(group, squares * u_squares * v_squares, n.size)
        )
    # The function that was expanded is N·I, so divide the standard deviation by N.
    deviation: Floats = np.sqrt(np.maximum(variance, 0.0)) / n
    return deviation if gold.starts is not None else float(deviation[0])


def _by_group(sizes: Histogram, values: Floats, groups: int) -> Floats:
    """Return the sum of the values for the class sizes (or cluster sizes) in each group."""
    return np.bincount(sizes.owners, values, groups).astype(np.float64)


def _step(sizes: Floats, n: Floats, k: int) -> Floats:
    """Return u_k/u_{k−1} from equation (3), or 0 if there is no polynomial of degree k."""
    left, right = sizes - (k - 1), n - sizes - (k - 1)
    return np.sqrt(np.where((left > 0) & (right > 0), left / np.maximum(right, 1.0), 0.0))


def _cross_all(gold: Histogram, system: Histogram) -> tuple[Ints, Ints, Ints]:
    """Return all (class size, cluster size) pairs, or raise Undefined if there are too many."""
    count = int(np.bincount(gold.owners) @ np.bincount(system.owners))
    if count > _MAX_PAIRS:
        raise Undefined(
            f"the exact variance supports at most {_MAX_PAIRS:,} (class size, cluster size) pairs; "
            f"there are {count:,}"
        )
    return next(cross_sizes(gold, system, count))


_DEGREES = 60
"""Largest degree of the orthogonal polynomials."""

_REST = 1e-22
"""Fraction of a cell's variance below which the expansion stops."""

_BLOCK = 1 << 16
"""Number of probabilities per batch."""


def _expand(pairs: PairSizes) -> tuple[Floats, list[Floats]]:
    """Return the variance of each cell's term in N·I, and its coefficients c_k (equation 1)."""
    variances = np.zeros(pairs.n.size)
    degrees: list[Floats] = []
    for chosen, counts, mass in _list_blocks(pairs):
        part = pairs.take(chosen)
        mean = (part.a * (part.b / part.n))[:, None]
        # Step 1: compute f(x) − E f at each count. Since the sizes are fixed, Σ x·log(mean) and
        # Σ x over all cells are constant, so Σ (x·log(x/mean) − x + mean) and Σ x·log x differ by a
        # constant. Unlike x·log x, the terms keep their precision for 10¹² items.
        values = mean * excess(counts / mean - 1)
        values -= (mass * values).sum(axis=1, keepdims=True)
        variances[chosen] = left = (mass * values * values).sum(axis=1)
        enough = _REST * left
        # Step 2: standardise the count, so Q_0 = 1 and Q_1 = x.
        x = counts - mean
        x /= np.sqrt((mass * x * x).sum(axis=1, keepdims=True)) + 1e-300
        before, here, beta = np.zeros_like(x), np.ones_like(x), np.zeros(chosen.size)
        # Step 3: compute Q_1, Q_2, … by the three-term recurrence of orthogonal polynomials
        # (Stieltjes),
        #   β_{k+1}·Q_{k+1} = (x − α_k)·Q_k − β_k·Q_{k−1},   α_k = E[x·Q_k²],
        # with β such that E[Q²] = 1.
        for k in range(1, _DEGREES + 1):
            if not np.any(left > enough):
                break
            alpha = (mass * x * here * here).sum(axis=1)
            following = (x - alpha[:, None]) * here - beta[:, None] * before
            beta = np.sqrt((mass * following * following).sum(axis=1))
            # A distribution over k counts has no polynomial of degree k, so β is 0.
            following *= np.where((beta > 1e-10) & (left > enough), 1 / (beta + 1e-300), 0.0)[
                :, None
            ]
            before, here = here, following
            # Step 4: compute c_k = E[f·Q_k] of equation (1), subtract c_k·Q_k, and compute the
            # remaining variance.
            coefficient = (mass * values * here).sum(axis=1)
            values -= coefficient[:, None] * here
            left = (mass * values * values).sum(axis=1)
            if len(degrees) < k:
                degrees.append(np.zeros(pairs.n.size))
            degrees[k - 1][chosen] = coefficient
    return variances, degrees


def _list_blocks(pairs: PairSizes) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Yield batches of pairs, with the counts and probabilities of their cells.

    The cells in a batch have distributions of similar width. Wide distributions are sampled.
    """
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
"""Number of counts at which a wide distribution is sampled."""


def _sample(pairs: PairSizes, variance: Floats) -> tuple[Floats, Floats]:
    """Return sampled counts of wide cells, and their probabilities.

    The step is at most 1/6 of the standard deviation, so sums over the samples equal sums over all
    counts up to a relative error of e^−700 (Poisson summation). Probabilities are computed by
    Stirling's series around the mean (Loader 2000).
    """
    a, b, _, n, _ = pairs
    mean = a * (b / n)
    step = np.floor(np.sqrt(variance) / 6)
    counts: Floats = np.rint(mean)[:, None] + step[:, None] * (np.arange(_POINTS) - _POINTS // 2)
    away = counts - mean[:, None]
    # The probability is proportional to the product of 1/y! over the four cells y of the 2 × 2
    # table (in class or not, in cluster or not), with mean m and y = m ± away. By Stirling,
    # log y! − y·log m + m = m·excess(y/m − 1) + log(y)/2 + 1/(12y) − 1/(360y³) + constants.
    log: Floats = np.zeros(counts.shape)
    for sign, cell in ((1, mean), (-1, a - mean), (-1, b - mean), (1, n - a - b + mean)):
        expected = cell[:, None]
        here = expected + sign * away
        log -= expected * excess(sign * away / expected) + np.log(here) / 2
        log -= 1 / (12 * here) - 1 / (360 * here**3)
    mass = np.exp(log - log.max(axis=1, keepdims=True))
    return counts, mass / mass.sum(axis=1, keepdims=True)


def excess(t: Floats) -> Floats:
    """Return (1+t)·log(1+t) − t, using a series for small t. The value at t = −1 is 1."""
    # The series is Σ_{k≥2} (−1)^k·t^k/(k(k−1)), evaluated by Horner's rule.
    small = np.abs(t) < 0.02
    tame = np.where(small | (t <= -1), 0.0, t)
    series = np.zeros_like(t)
    for k in range(10, 1, -1):
        series = (1.0 if k % 2 == 0 else -1.0) / (k * (k - 1)) + np.where(small, t, 0.0) * series
    whole = (1 + tame) * np.log1p(tame) - tame
    return np.where(small, series * t * t, np.where(t <= -1, 1.0, whole))
