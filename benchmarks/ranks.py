"""How often simultaneous 95 % rank intervals contain the true ranks of all systems.

Run `python benchmarks/ranks.py [--quick] [--trials 300] [--seed 1]`. Each row is a kind of data.
For each method, the first number is the coverage (0.95 or more is right), the second the mean width
of the intervals (smaller is better). "naive" are percentiles of the ranks of bootstrap samples.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

import roget
from roget.scoring.ranks.rank_sets import (
    SignFlips,
    TaskBootstrap,
    adjust_pairs,
    find_differences,
    rank_bounds,
)
from roget.scoring.ranks.skewness import adjust_skewed
from roget.scoring.steps.significance import holm

TRIAL = "minutes; nothing else"
Array = npt.NDArray[np.float64]
SAMPLES = 400
QUICK = ((5, 10), (12, 6), (12, 10), (5, 40))
SIZES = ((2, 6), (2, 20), (5, 6), (5, 10), (5, 40), (12, 6), (12, 10), (12, 40))
"""Numbers of systems and tasks."""


def make_noise(kind: str, systems: int, tasks: int, random: np.random.Generator) -> Array:
    """Return noise with mean 0 for each system and task."""
    shape = (systems, tasks)
    scale = np.linspace(0.3, 3, systems)[:, None]
    if kind == "normal":
        return random.normal(size=shape)
    if kind == "unequal":
        return scale * random.normal(size=shape)
    if kind == "heavy":
        return random.standard_t(3, size=shape)
    if kind == "sparse":  # systems differ on one task in ten
        return np.where(random.random(shape) < 0.1, random.choice([-1.0, 1.0], size=shape), 0.0)
    if kind == "skewed":
        return random.exponential(size=shape) - 1
    if kind == "skewed unequal":  # the differences are skewed as well
        return scale * (random.exponential(size=shape) - 1)
    raise ValueError(kind)


KINDS = ("normal", "unequal", "heavy", "sparse", "skewed", "skewed unequal")
TRUTHS: dict[str, Callable[[int], Array]] = {
    "tied": np.zeros,
    "near": lambda systems: np.linspace(0, 1, systems),
    "two levels": lambda systems: np.where(np.arange(systems) < systems // 2, 0.0, 1.5),
}


def bound_naive(values: Array, random: np.random.Generator) -> tuple[Array, Array]:
    """Return percentiles of the ranks of bootstrap samples."""
    tasks = values.shape[1]
    shares = random.multinomial(tasks, np.full(tasks, 1 / tasks), size=SAMPLES)
    ranks = 1 + np.argsort(np.argsort(-(shares @ values.T), axis=1), axis=1)
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0)
    return low, high


def bound_holm(values: Array, random: np.random.Generator) -> tuple[Array, Array]:
    """Return intervals from t tests with Holm's correction."""
    from scipy.special import stdtr

    systems, tasks = values.shape
    a, b = np.triu_indices(systems, 1)
    apart = values[a] - values[b]
    error = np.maximum(apart.std(axis=1, ddof=1) / np.sqrt(tasks), 1e-12)
    p = np.ones((systems, systems))
    p[a, b] = p[b, a] = holm(2 * stdtr(tasks - 1, -np.abs(apart.mean(axis=1) / error)))
    low, high = rank_bounds(find_differences(values.mean(axis=1), p))
    return low.astype(float), high.astype(float)


def bound_ours(values: Array, random: np.random.Generator) -> tuple[Array, Array]:
    """Return the intervals of `roget rank`."""
    models = [kind.sample(values, SAMPLES, random) for kind in (SignFlips, TaskBootstrap)]
    p = adjust_skewed(values, adjust_pairs(models, len(values)), 0).simultaneous
    low, high = rank_bounds(find_differences(values.mean(axis=1), p))
    return low.astype(float), high.astype(float)


METHODS = {"roget": bound_ours, "Holm, t": bound_holm, "naive": bound_naive}


def measure(
    kind: str, truth: Array, tasks: int, trials: int, random: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """Return the coverage and mean width of each method."""
    best = 1 + (truth[None] > truth[:, None]).sum(axis=1)
    worst = len(truth) - (truth[None] < truth[:, None]).sum(axis=1)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
    for _ in range(trials):
        noise = make_noise(kind, len(truth), tasks, random)
        values = truth[:, None] + noise + random.normal(size=tasks)
        for name, bound in METHODS.items():
            low, high = bound(values, random)
            covers = bool(((low <= best) & (worst <= high)).all())
            found[name].append((covers, float((high - low + 1).mean())))
    return {name: tuple(np.mean(rows, axis=0).tolist()) for name, rows in found.items()}


def main() -> None:
    """Print the table of coverages, and the time for a large leaderboard."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer sizes and 100 trials")
    chosen = parser.parse_args()
    trials = 100 if chosen.quick else chosen.trials
    sizes = QUICK if chosen.quick else SIZES
    random = np.random.default_rng(chosen.seed)
    heads = "".join(f"{name:>16}" for name in METHODS)
    print(
        f"{'systems':>7} {'tasks':>5}  {'differences':<15}{'truth':<11}{heads}   ({trials} trials)"
    )
    for systems, tasks in sizes:
        for kind in KINDS:
            for name, make in TRUTHS.items():
                found = measure(kind, make(systems), tasks, trials, random)
                cells = "".join(f"{one:>10.3f}{width:>6.1f}" for one, width in found.values())
                print(f"{systems:>7} {tasks:>5}  {kind:<15}{name:<11}{cells}", flush=True)
    values = random.normal(size=(180, 40)) + np.linspace(0, 3, 180)[:, None]
    table = {f"s{at}": row.tolist() for at, row in enumerate(values)}
    began = time.process_time()
    roget.rank(table)
    print(f"180 systems × 40 tasks: {time.process_time() - began:.2f} CPU seconds")


if __name__ == "__main__":
    main()
