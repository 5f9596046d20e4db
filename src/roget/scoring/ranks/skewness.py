"""Tests of differences between systems that hold for skewed differences on few tasks.

If a system fails completely on rare tasks, a small sample of tasks may not contain any failure. Its
mean is then too high and its variance too low, which permutation tests and the bootstrap cannot
detect. However, the average skewness over all pairs of systems can be estimated even from few
tasks. The p-value of a t test is corrected by the distribution of Student's t in samples with this
skewness.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from roget.core.types import Floats
from roget.scoring.ranks.rank_sets import PairTests
from roget.scoring.steps.significance import holm

_FACTOR = 2.0
"""Factor by which the skewness is increased, because estimates from few tasks are too low.

The value was chosen by simulation.
"""

_STEP = 0.25
"""Step size to which the skewness is rounded."""

_MOST = 3.0
"""Upper limit of the skewness."""

_VALUES = 800_000
"""Number of random values from which the distribution of Student's t is estimated."""

_TAIL = 50
"""Number of samples from which the tail of the distribution is estimated."""


def adjust_skewed(values: Floats, tests: PairTests, seed: int) -> PairTests:
    """Replace each p-value by that of a t test for skewed differences if the latter is larger.

    `values` are the scores, with shape (systems, tasks). Holm's correction is applied to all pairs
    or, for `marginal`, to the pairs of each system.
    """
    systems, tasks = values.shape
    a, b = np.triu_indices(systems, 1)
    apart = values[a] - values[b]
    skewness = estimate_skewness(apart)
    if skewness == 0:
        return tests
    error = apart.std(axis=1, ddof=1) / np.sqrt(tasks)
    means = np.abs(apart.mean(axis=1))
    # If a difference is the same on all tasks, its error is 0, so use a small positive error.
    p = skewed_p(means / np.maximum(error, 1e-9 * means + 1e-300), tasks, skewness, seed)
    single = np.ones((systems, systems))
    single[a, b] = single[b, a] = p
    simultaneous = np.ones_like(single)
    simultaneous[a, b] = simultaneous[b, a] = holm(p)
    own = single[~np.eye(systems, dtype=bool)].reshape(systems, systems - 1)
    marginal = np.ones_like(single)
    marginal[~np.eye(systems, dtype=bool)] = np.concatenate([*map(holm, own)])
    return PairTests(
        np.maximum(tests.simultaneous, simultaneous), np.maximum(tests.marginal, marginal)
    )


def estimate_skewness(apart: Floats) -> float:
    """Return the root mean square skewness of differences, which have the shape (pairs, tasks).

    The mean square that normal differences would have by chance is subtracted.
    """
    tasks = apart.shape[1]
    centred = apart - apart.mean(axis=1, keepdims=True)
    variances = (centred**2).mean(axis=1)
    varied = variances > (1e-9 * np.abs(apart).max(initial=0.0)) ** 2
    if tasks < 3 or not varied.any():
        return 0.0
    # G₁ = √(n(n − 1))/(n − 2) · m₃/m₂^1.5, whose variance in normal samples is
    # 6n(n − 1)/((n − 2)(n + 1)(n + 3)).
    skews = (centred**3).mean(axis=1)[varied] / variances[varied] ** 1.5
    skews *= np.sqrt(tasks * (tasks - 1)) / (tasks - 2)
    chance = 6 * tasks * (tasks - 1) / ((tasks - 2) * (tasks + 1) * (tasks + 3))
    skewness = _FACTOR * np.sqrt(max(0.0, float((skews**2).mean()) - chance))
    return float(min(round(skewness / _STEP) * _STEP, _MOST))


def skewed_p(t: Floats, tasks: int, skewness: float, seed: int) -> Floats:
    """Return the two-sided p-value of |t| for differences with a gamma distribution.

    The p-value of the heavier tail is used for both tails. For very large |t|, it is proportional
    to the p-value of Student's distribution (Zholud 2014).
    """
    from scipy.special import stdtr

    drawn = _draw_tail(tasks, skewness, seed)
    near = np.minimum(t, drawn[-_TAIL])
    share = 1 - np.searchsorted(drawn, near) / drawn.size
    factor = np.maximum(1.0, share / stdtr(tasks - 1, -near))
    return np.asarray(np.minimum(1.0, 2 * factor * stdtr(tasks - 1, -t)))


@lru_cache(maxsize=64)
def _draw_tail(tasks: int, skewness: float, seed: int) -> Floats:
    """Simulate samples from a centred gamma distribution, and return the sorted values of −t."""
    random = np.random.default_rng([seed, tasks])
    shape = 4 / skewness**2
    sample = random.gamma(shape, 1.0, (max(_VALUES // tasks, 4 * _TAIL), tasks)) - shape
    error = np.maximum(sample.std(axis=1, ddof=1) / np.sqrt(tasks), 1e-300)
    return np.sort(-sample.mean(axis=1) / error)
