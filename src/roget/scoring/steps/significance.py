"""Test differences between systems: permutation test, paired bootstrap and Holm correction.

The permutation test flips the signs of the differences in random groups, which is the same as
exchanging the two systems in these groups. The labels of two clusterings of the same items are not
comparable, so single items cannot be exchanged. Instead, the test flips the signs of the items'
contributions to the difference, which are estimated by the jackknife. Pooled groups are treated in
the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from roget.core.types import Floats, Ints
from roget.errors import Notice
from roget.scoring.measures.base import Request, divide
from roget.scoring.results import (
    Pair,
    explain_untestable,
    list_by_score,
    none_if_nan,
    score_key,
)
from roget.scoring.steps.bootstrap import Samples
from roget.scoring.steps.intervals import (
    NO_JACKKNIFE,
    Bounds,
    ChanceBias,
    Jackknife,
    interval_bounds,
    jackknife_bounds,
)
from roget.scoring.systems import SystemScores

SIGNIFICANT = 0.05
"""Significance level for tests of the difference between two systems."""

FEWEST_UNITS = 6
"""Minimum number of groups or items for which the permutation test can reach p < .05.

With G groups, the smallest p is 2/2^G.
"""

TOO_FEW = {"too-few-groups", "too-few-items"}
"""Codes of the reasons why no difference can be significant."""

_CHUNK = 128
"""Number of permutations per batch, which limits memory use."""

_BATCH_VALUES = 1 << 22
"""Maximum size of a batch of differences: pairs of systems × groups."""

_MAX_EXACT = 20
"""Largest number of groups or items for which all permutations are evaluated."""

_TAIL = 3.18
"""Factor of the tail bound.

The probability that a sum Σ ε·a with random signs ε exceeds x is at most 3.18 times that of a
normal variable with the same variance (Bentkus & Dzindzalieta 2015).
"""


def compare_pairs(scores: SystemScores, samples: Samples, paired: str, seed: int) -> list[Pair]:
    """Return each pair's difference, with its interval, p-value and corrected p-value."""
    both = np.array(list(combinations(range(len(scores.systems)), 2)))
    if not both.size:
        return []
    names, pairs = scores.names, []
    size = max(1, _BATCH_VALUES // samples.jackknife.weights.size)
    for r, (measure, entropy) in enumerate(scores.requests):
        # Process one score and a batch of pairs at a time, because the differences of all scores
        # require too much memory.
        parts = [
            _compare_scores(scores, r, both[begin : begin + size], samples, paired, seed)
            for begin in range(0, len(both), size)
        ]
        *columns, units = [np.concatenate(column) for column in zip(*parts, strict=True)]
        columns.append(holm(columns[-1]))
        reasons = _explain_pairs(columns, units, samples.unit)
        for at, (i, j) in enumerate(both.tolist()):
            difference, low, high, p, corrected = (none_if_nan(column[at]) for column in columns)
            why = reasons[at]
            reason, code = (None, None) if why is None else (str(why), why.code)
            score = names[i], names[j], str(measure), entropy
            pairs.append(Pair(*score, difference, low, high, p, corrected, reason, code))
    return pairs


def _explain_pairs(columns: Sequence[Floats], units: Floats, unit: str) -> list[Notice | None]:
    """Return the reason why each pair cannot differ significantly, or None.

    `columns` holds differences, bounds, p-values and corrected p-values. `units` holds the number
    of groups or items in each permutation test. With n groups or items, no p is below 2/2^n.
    """
    difference, _, _, p, corrected = columns
    tests = int(np.count_nonzero(~np.isnan(p)))
    reasons: list[Notice | None] = []
    for at, count in enumerate(units.tolist()):
        reason = None
        if np.isnan(difference[at]):
            reason = Notice("a score is undefined", code="undefined")
        elif count < FEWEST_UNITS:
            text = (
                f"cannot tell if the systems differ: there are {count:.0f} {unit}, and a test "
                f"needs at least {FEWEST_UNITS}"
            )
            reason = Notice(text, code=f"too-few-{unit}")
        elif np.isnan(p[at]):
            text = "the difference is undefined in more than half of the samples"
            reason = Notice(text, code="undefined-samples")
        elif tests * 2.0 ** (1 - count) >= SIGNIFICANT and not corrected[at] < SIGNIFICANT:
            least = min(1.0, tests * 2.0 ** (1 - count))
            text = (
                f"cannot tell if the systems differ: with {count:.0f} {unit}, no p corrected for "
                f"{tests} pairs can be below {least:.2f}"
            )
            reason = Notice(text, code=f"too-few-{unit}")
        reasons.append(reason)
    return reasons


def _compare_scores(
    scores: SystemScores, r: int, both: Ints, samples: Samples, paired: str, seed: int
) -> tuple[Floats, ...]:
    """Return differences between pairs of systems in one score, with bounds, p-values and the
    number of groups or items that limit p.
    """
    a, b = both.T
    difference = scores.means[a, r] - scores.means[b, r]
    drawn = samples.drawn[:, a, r] - samples.drawn[:, b, r]
    left = subtract_systems(samples.jackknife, a, b, r)
    if samples.method == "jackknife":
        own = scores.means[: len(scores.systems), r]
        low, high = difference_bounds(own, samples.jackknife, both, r, scores.requests[r])
    else:
        low, high = interval_bounds("percentile", difference, drawn, NO_JACKKNIFE)
    units = left.defined
    if paired == "bootstrap":
        p = bootstrap_p(difference, drawn, left.total)
        units = np.full(difference.shape, np.inf)
    elif samples.averaged:
        values = scores.values[:, r]
        weights = scores.weights if scores.own is None else scores.weights * scores.own[r]
        p = permutation_p(values[a] - values[b], weights, drawn.shape[0], seed + 1)
        units = np.count_nonzero(~np.isnan(values[a] - values[b]) & (weights > 0), axis=-1)
    else:
        p = contribution_p(difference, left, drawn.shape[0], seed + 1)
    return difference, low, high, np.where(np.isnan(difference), np.nan, p), units


def difference_bounds(
    means: Floats, jackknife: Jackknife, both: Ints, r: int, request: Request
) -> tuple[Floats, Floats]:
    """Return the bounds of the intervals of differences between pairs of systems in one score.

    `means` holds the score r of each system, and `both` the pairs. With `ChanceBias`, the biases of
    the two systems differ by an unknown amount. The interval is therefore extended to the bounds of
    the MOVER method (Zou & Donner 2008), which combines the intervals (l₁, u₁) and (l₂, u₂) of the
    scores x₁ and x₂ with the correlation ρ of their jackknife samples (0 if it is negative):
    (1)  low  = x₁ − x₂ − √((x₁ − l₁)² + (u₂ − x₂)² − 2ρ·(x₁ − l₁)·(u₂ − x₂))
    (2)  high = x₁ − x₂ + √((u₁ − x₁)² + (x₂ − l₂)² − 2ρ·(u₁ − x₁)·(x₂ − l₂))
    """
    a, b = both.T
    difference = means[a] - means[b]
    bounds = Bounds.from_request(request)
    width = bounds.most - bounds.least
    left = subtract_systems(jackknife, a, b, r)
    low, high = jackknife_bounds(difference, left, Bounds(-width, width))
    if jackknife.chance is None:
        return low, high
    own = jackknife.select(r)
    lower, upper = jackknife_bounds(means, own, bounds)
    # A score without an interval, such as that of a perfect clustering, is treated as exact.
    below, above = np.nan_to_num(means - lower), np.nan_to_num(upper - means)
    variance = own.error**2
    covariance = (variance[a] + variance[b] - left.error**2) / 2
    rho = np.clip(divide(covariance, own.error[a] * own.error[b], 0.0), 0.0, 1.0)

    def combine(one: Floats, other: Floats) -> Floats:
        return np.asarray(np.sqrt(np.maximum(one**2 + other**2 - 2 * rho * one * other, 0.0)))

    mover_low = difference - combine(below[a], above[b])
    mover_high = difference + combine(above[a], below[b])
    # np.minimum keeps NaN, because a difference that does not vary has no interval.
    low = np.minimum(low, np.maximum(mover_low, -width))
    return low, np.maximum(high, np.minimum(mover_high, width))


def subtract_systems(jackknife: Jackknife, a: Ints, b: Ints, r: int) -> Jackknife:
    """Return the jackknife replicates of the difference between systems a and b in one score."""
    freedom = jackknife.freedom
    if isinstance(freedom, np.ndarray):
        freedom = np.minimum(freedom[a, r], freedom[b, r])
    without = jackknife.without[:, a, r] - jackknife.without[:, b, r]
    chance = None
    if jackknife.chance is not None:
        # Set no lower limit on the error of a difference, because the errors of two systems on the
        # same items are correlated.
        bias = jackknife.chance.bias[a, r] - jackknife.chance.bias[b, r]
        chance = ChanceBias(bias, np.zeros_like(bias))
    return Jackknife(without, jackknife.weights, freedom, jackknife.resolution, chance)


def bootstrap_p(difference: Floats, drawn: Floats, units: float = 0.0) -> Floats:
    """Return the two-sided bootstrap p-value for the hypothesis of no difference.

    `drawn` has the shape (samples, differences).

    p is the fraction of bootstrap samples whose difference is at least as far from the mean of the
    samples as the observed difference is from 0. Undefined (NaN) samples are excluded. If more than
    half are undefined, p is undefined. If all samples have the same difference, p is at most
    2/2^units, the p-value of a sign test with `units` groups or items.
    """
    defined = ~np.isnan(drawn)
    count = defined.sum(axis=0)
    # Copy in the same memory order, because the memory order affects the rounding errors of sums.
    filled = np.array(drawn)
    filled[~defined] = 0.0
    centred = filled - divide(filled.sum(axis=0), count, np.nan)
    centred[~defined] = 0.0
    far = ((np.abs(centred) >= np.abs(difference) - 1e-12) & defined).sum(axis=0)
    error = np.sqrt(divide((centred**2).sum(axis=0), count, np.nan))
    error = np.where(error > 1e-12, error, 0.0)
    p = _refine(far, count, np.abs(difference), error, 1.0)
    constant = (error == 0) & (np.abs(difference) > 1e-12)
    p = np.where(constant, np.minimum(p, 2.0 ** (1 - units)), p)
    return np.where(2 * count < drawn.shape[0], np.nan, p)


def _refine(
    far: npt.NDArray[Any], draws: Any, observed: Floats, error: Floats, factor: float
) -> Floats:
    """Return p from the number of extreme samples or, if it is 0, from the normal distribution.

    `far` is the number of samples that are at least as extreme as the observed difference. Counting
    alone cannot yield p below 1/(1 + samples). This is too large for Holm's correction with many
    systems: with 190 pairs, a p-value below .0003 is required. The normal tail is multiplied by
    `factor`.
    """
    from scipy.special import ndtr

    counted = (1 + far) / (1 + draws)
    with np.errstate(invalid="ignore", divide="ignore"):
        tail = factor * 2 * ndtr(-observed / error)
    return np.asarray(np.where((far == 0) & (error > 0), np.minimum(counted, tail), counted))


def permutation_p(differences: Floats, weights: Floats, draws: int, seed: int) -> Floats:
    """Return the two-sided p-value of a permutation test that swaps systems in random groups.

    The last axis of `differences` contains the groups. If there are at most 20 groups, all
    permutations are evaluated, and p is exact. If the difference is defined in fewer than 6 groups,
    p is undefined, because it could not be below .05.
    """
    flat = differences.reshape(-1, differences.shape[-1])
    defined = ~np.isnan(flat) & (weights > 0)
    terms = np.where(defined, flat, 0.0) * weights
    units = Units(terms, np.ones(weights.size, dtype=np.int64), np.abs(terms.sum(axis=1)))
    p = np.where(defined.sum(axis=1) < FEWEST_UNITS, np.nan, flip_signs(units, draws, seed))
    return np.asarray(p.reshape(differences.shape[:-1]))


def contribution_p(difference: Floats, jackknife: Jackknife, draws: int, seed: int) -> Floats:
    """Return the two-sided p-value of a permutation test for items or pooled groups.

    The test flips the signs of the contributions of n blocks to the difference, which are estimated
    by the jackknife. The contribution of a block is difference + (n − 1)·spread, with the mean
    `difference`. The jackknife's estimate of the bias is another contribution. The observed
    statistic is the difference or one of its bias-corrected values, whichever is closest to 0.
    """
    n = jackknife.total
    bias = jackknife.bias(difference)
    corrected = [difference, difference - bias]
    if jackknife.chance is not None:
        corrected.append(difference - np.nan_to_num(jackknife.chance.bias))
    same = np.abs(np.sum(np.sign(corrected), axis=0)) == len(corrected)
    nearer = np.where(same, np.min(np.abs(corrected), axis=0), 0.0)
    spread = (n - 1) * jackknife.spread.T
    gaps = np.isnan(spread)
    terms = np.where(gaps, 0.0, np.nan_to_num(difference)[:, None] + spread)
    terms = np.concatenate([terms, n * np.nan_to_num(bias)[:, None]], axis=1)
    times = np.append(jackknife.weights.astype(np.int64), 1)
    units = Units(terms, times, jackknife.defined * np.nan_to_num(nearer))
    # The number of blocks determines the smallest attainable p-value. The bias term does not count.
    p = np.maximum(flip_signs(units, draws, seed), 2.0 ** (1 - jackknife.defined))
    few = (jackknife.defined < FEWEST_UNITS) | (2 * jackknife.defined < n)
    return np.where(few, np.nan, p)


class Units(NamedTuple):
    """The contributions of groups or items to the differences between systems.

    The permutation test changes their signs at random.
    """

    terms: Floats
    """The contributions, with shape (differences, columns)."""
    times: Ints
    """The number of groups or items that each column represents."""
    observed: Floats
    """The absolute values of the observed sums."""


def flip_signs(units: Units, draws: int, seed: int) -> Floats:
    """Return the fraction of sign patterns whose sum is at least as extreme as the observed sum.

    If there are at most 20 groups or items, all sign patterns are counted. Otherwise, `draws`
    random patterns are counted. If no random pattern is as extreme, p is an upper bound on the tail
    probability.
    """
    terms, times, observed = units
    # Use einsum, because rounding errors of a matrix product would depend on the number of threads.
    counts = times.astype(np.float64)
    tolerance = 1e-12 * np.einsum("ku,u->k", np.abs(terms), counts)
    if times.sum() <= _MAX_EXACT + 1:
        single = np.repeat(terms, times, axis=1)
        return np.array([*map(_count_signs, single, observed - tolerance)])
    random, reached = np.random.default_rng(seed), np.zeros(len(terms))
    for signs in _draw_signs(times, draws, random):
        sums = np.abs(np.einsum("du,ku->dk", signs, terms))
        reached += (sums >= observed - tolerance).sum(axis=0)
    error = np.sqrt(np.einsum("ku,u->k", terms**2, counts))
    return _refine(reached, draws, observed, error, _TAIL)


def _count_signs(terms: Floats, least: float) -> float:
    """Return the fraction of all sign patterns whose sum has an absolute value of at least `least`.

    The sums of the two halves of the terms are sorted and combined, so 2^20 sign patterns need only
    about 2^10 operations (Horowitz & Sahni 1974).
    """
    terms = terms[terms != 0]
    if least <= 0 or not terms.size:
        return 1.0
    half = terms.size // 2
    one, two = (_sum_signs(part) for part in (terms[:half], terms[half:]))
    two.sort()
    above = two.size - np.searchsorted(two, least - one, side="left")
    return float(2 * above.sum() / (one.size * two.size))


def _sum_signs(terms: Floats) -> Floats:
    """Return the sums of the terms with all combinations of signs."""
    sums = np.zeros(1)
    for term in terms.tolist():
        sums = np.concatenate([sums + term, sums - term])
    return sums


def _draw_signs(times: Ints, draws: int, random: np.random.Generator) -> Iterator[Floats]:
    """Yield arrays of sums of random signs with shape (permutations, columns)."""
    single = bool((times == 1).all())
    for begin in range(0, draws, _CHUNK):
        size = (min(_CHUNK, draws - begin), times.size)
        if single:
            yield (1 - 2 * random.integers(0, 2, size=size)).astype(np.float64)
        else:
            # The sum of n random signs is 2·k − n with k from a binomial distribution.
            yield (2 * random.binomial(times, 0.5, size=size) - times).astype(np.float64)


def warn_few_units(pairs: Sequence[Pair]) -> list[str]:
    """Warn if there are too few groups or items for any difference to be significant."""
    scores = list_by_score(pairs)
    found: dict[Notice, list[str]] = {}
    for score, own in scores.items():
        reason = explain_untestable(own)
        if reason is not None and reason.code in TOO_FEW:
            found.setdefault(reason, []).append(score_key(*score))
    return [
        text if len(names) == len(scores) else text.prefix(", ".join(names))
        for text, names in found.items()
    ]


def holm(p: Floats) -> Floats:
    """Apply Holm's correction for multiple tests, ignoring missing tests (NaN).

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    # The i-th smallest of m p-values is multiplied by m − i + 1, and the results are made monotone.
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]
    stepped = np.maximum.accumulate(p[order] * np.arange(order.size, 0, -1))
    adjusted = np.full_like(p, np.nan)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def mark_systems(scores: SystemScores, pairs: Sequence[Pair]) -> dict[tuple[int, int], str]:
    """Return significance letters, keyed by system index and score index.

    Systems that share a letter do not differ significantly. There are no letters if no test could
    find a difference.
    """
    untestable = {score for score, own in list_by_score(pairs).items() if explain_untestable(own)}
    apart = {
        (pair.a, pair.b, pair.measure, pair.entropy)
        for pair in pairs
        if pair.p_holm is not None and pair.p_holm < SIGNIFICANT
    }
    names, ranks = scores.names, scores.ranks
    marks: dict[tuple[int, int], str] = {}
    for r, (measure, entropy) in enumerate(scores.requests):
        if not pairs or (str(measure), entropy) in untestable:
            continue
        order = [s for s in np.argsort(ranks[:, r], kind="stable").tolist() if ranks[s, r]]

        def differ(i: int, j: int, key: tuple[str, str | None] = (str(measure), entropy)) -> bool:
            i, j = min(i, j), max(i, j)
            return (names[i], names[j], *key) in apart

        marks.update({(s, r): mark for s, mark in assign_letters(order, differ).items()})
    return marks


def assign_letters(order: list[int], differ: Callable[[int, int], bool]) -> dict[int, str]:
    """Return a compact letter display: systems share a letter if and only if they do not differ.

    `order` lists the systems from best to worst, so the best systems get the letter a. The
    algorithm is from Piepho (2004).

    >>> assign_letters([0, 1, 2], lambda i, j: {i, j} == {0, 2})
    {0: 'a', 1: 'ab', 2: 'b'}
    """
    # Start with one letter for all systems. For each significant difference, replace every letter
    # that both systems share by two letters, each of which omits one of the systems. Drop letters
    # whose systems are a subset of the systems of another letter.
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
    """Return the fraction of bootstrap samples in which each system is best, with ties split."""
    systems = drawn[:, : len(scores.systems)]
    goodness = np.where(np.isnan(systems), -np.inf, systems * scores.better)
    best = goodness == goodness.max(axis=1, keepdims=True)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))
