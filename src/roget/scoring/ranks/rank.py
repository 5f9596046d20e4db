"""The function `roget.rank`, which ranks systems by a table of scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from roget._version import __version__
from roget.core.intervals import CONFIDENCE
from roget.core.options import choose, with_options
from roget.core.types import Floats
from roget.errors import InputError, Notice
from roget.scoring.options import RankOptions
from roget.scoring.ranks.assemble import TaskScores, assemble
from roget.scoring.ranks.rank_sets import (
    MIN_TASKS,
    Estimates,
    Noise,
    NullModel,
    PairTests,
    SignFlips,
    TaskBootstrap,
    adjust_pairs,
    draw_shares,
    find_differences,
    rank_bounds,
    rank_systems,
    split_tiers,
)
from roget.scoring.ranks.read import read_records
from roget.scoring.ranks.result import RankArrays, Ranking, RankRow
from roget.scoring.ranks.skewness import adjust_skewed
from roget.scoring.signature import write_signature

_UNEVEN = 10.0
"""Minimum standard deviation of the scores on a task that dominates the mean.

It is a multiple of the median standard deviation over all tasks.
"""


@with_options(RankOptions)
def rank(table: Any, **options: Any) -> Ranking:
    """Rank systems by their scores on several tasks, with confidence intervals for the ranks.

    Parameters
    ----------
    table
        The scores: a path (CSV, TSV, Parquet, JSON, Excel), a data frame, or a mapping from systems
        to scores or to mappings from tasks to scores. A table has one row per system and one column
        per task, or the columns system, task, score[, se][, run]. A `Comparison` with groups is
        ranked by its main score, with one task per group.

    Returns
    -------
    Ranking
        The ranks with 95 % intervals, tiers, and probabilities of being first. Printing it shows a
        report.

    Raises
    ------
    InputError
        If the table cannot be read, or a score is missing; the message names the row or cell.

    Examples
    --------
    >>> ranking = rank({"a": [9, 8, 9, 7, 8, 9, 8, 9], "b": [5, 4, 4, 5, 3, 4, 5, 4]})
    >>> ranking["b"].rank, (ranking["b"].rank_low, ranking["b"].rank_high)
    (2, (2, 2))
    """
    chosen = RankOptions(**choose(RankOptions, options))
    records = read_records(table, chosen)
    errors = None
    if chosen.se is not None:
        # The table of standard errors has the same layout as the table of scores.
        errors = read_records(chosen.se, chosen, "the standard errors")
    scores = assemble(records, errors, chosen)
    by = _choose_criterion(scores, chosen)
    ranks = rank_tasks(scores.goodness)
    values = scores.goodness if by == "mean" else -ranks
    means = round_means(values.mean(axis=1))
    found = _infer(scores, values, means, by, chosen)
    tests = found.tests
    arrays = RankArrays(scores.goodness, means, found.reach, found.drawn, tests)
    rows = _list_rows(scores, ranks, arrays, chosen.top)
    order = sorted(range(len(rows)), key=lambda at: (rows[at].rank, at))
    return Ranking(
        signature=write_signature(_sign(scores, by, found, chosen)),
        tasks=tuple(scores.tasks),
        by=by,
        uncertainty=found.source,
        rows=tuple(rows[at] for at in order),
        top=chosen.top,
        warnings=(*scores.notes, *found.notes, *_warn_scales(scores, by)),
        order=tuple(order),
        arrays=arrays,
        interval=chosen.interval,
        show_details=chosen.details,
        title=chosen.title,
    )


class Inference(NamedTuple):
    """Tests, intervals and samples for the differences between systems."""

    source: str
    """The source of uncertainty, as named in the signature."""
    tests: PairTests | None = None
    reach: Floats | None = None
    drawn: Floats | None = None
    notes: tuple[Notice, ...] = ()


def rank_tasks(goodness: Floats) -> Floats:
    """Return the ranks of the systems on each task. Tied systems share the mean of their ranks.

    >>> rank_tasks(np.array([[0.5], [0.9], [0.5]])).ravel().tolist()
    [2.5, 1.0, 2.5]
    """
    ranks = np.empty_like(goodness)
    for task, column in enumerate(goodness.T):
        _, at, counts = np.unique(-column, return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        ranks[:, task] = (last - (counts - 1) / 2)[at]
    return ranks


def round_means(means: Floats, digits: int = 12) -> Floats:
    """Round means to a fixed precision relative to the largest value, so that ties remain ties."""
    scale = float(np.abs(means).max(initial=0.0))
    return np.round(means / scale, digits) * scale if scale else means


def _choose_criterion(scores: TaskScores, options: RankOptions) -> str:
    mixed = bool(scores.lower.any() and not scores.lower.all())
    if options.by == "mean" and mixed:
        raise InputError(
            "the mean score is undefined if lower scores are better on only some tasks (--lower); "
            "rank by the mean rank with --by rank",
            code="conflicting-options",
        )
    return options.by or ("rank" if mixed else "mean")


def _infer(
    scores: TaskScores, values: Floats, means: Floats, by: str, options: RankOptions
) -> Inference:
    """Choose the source of uncertainty, and test all pairs of systems."""
    tasks = values.shape[1]
    source = options.uncertainty
    if source is None:
        known = scores.errors is not None and by == "mean"
        source = "errors" if tasks < MIN_TASKS and known else "tasks"
    if source == "errors":
        return _infer_errors(scores, means, by, options)
    if tasks < MIN_TASKS:
        text = (
            f"ranks have no intervals, because there are only {tasks} of at least {MIN_TASKS} "
            "tasks; if the scores have standard errors or repeats, pass them and --uncertainty "
            "errors"
        )
        return Inference("none", notes=(Notice(text, code="few-tasks"),))
    random = np.random.default_rng(options.seed)
    noise = _measure_runs(scores, by, options.samples, random)
    models: list[NullModel] = [SignFlips.sample(values, options.samples, random, noise)]
    if noise is None:
        models.append(TaskBootstrap.sample(values, options.samples, random))
    tests = adjust_pairs(models, len(values))
    drawn = values @ draw_shares(tasks, options.samples, random)
    # For T tasks, the variance of bootstrap means is too small by the factor (T − 1)/T.
    centre = values.mean(axis=1, keepdims=True)
    drawn = centre + (drawn - centre) * np.sqrt(tasks / (tasks - 1))
    if noise is not None:
        drawn += noise.errors
    return Inference(
        "tasks" if noise is None else "tasks+runs",
        tests if noise is not None else adjust_skewed(values, tests, options.seed),
        _reach_tasks(values, noise),
        round_means(drawn, 10),
    )


def _measure_runs(
    scores: TaskScores, by: str, samples: int, random: np.random.Generator
) -> Noise | None:
    """Return the random errors of training runs, or None if there are no complete runs.

    An error that affects all tasks of a run equally is invisible in differences between tasks.
    """
    if scores.runs is None:
        return None
    signed = [np.where(scores.lower, -runs, runs) for runs in scores.runs]
    if by == "rank":
        # Rank the scores of each run relative to the mean scores of the other systems.
        signed = [_rank_runs(scores.goodness, at, runs) for at, runs in enumerate(signed)]
    variances, freedom = _run_variances(signed)
    return Noise.sample(variances, freedom, samples, random)


def _rank_runs(goodness: Floats, system: int, runs: Floats) -> Floats:
    """Return the negative ranks of a system's runs on each task, with shape (runs, tasks)."""
    others = np.delete(goodness, system, axis=0)
    return np.array([-rank_tasks(np.vstack([row, others]))[0] for row in runs])


def _run_variances(runs: list[Floats]) -> tuple[Floats, Floats]:
    """Return the variance of each system's mean over its runs, and the degrees of freedom."""
    sizes = np.array([len(one) for one in runs], dtype=np.float64)
    spread = np.array([one.mean(axis=1).var(ddof=1) for one in runs])
    return spread / sizes, sizes - 1


def _reach_tasks(values: Floats, noise: Noise | None) -> Floats:
    """Return half the width of the 95 % t interval of each difference."""
    from scipy.special import stdtrit

    tasks = values.shape[1]
    squares = np.array([(one - values).var(axis=1, ddof=1) for one in values]) / tasks
    if noise is not None:
        squares += noise.variances[:, None] + noise.variances[None, :]
    return np.asarray(stdtrit(tasks - 1, (1 + CONFIDENCE) / 2) * np.sqrt(squares))


def _infer_errors(scores: TaskScores, means: Floats, by: str, options: RankOptions) -> Inference:
    """Test differences using standard errors or repeated scores, treating the tasks as fixed."""
    from scipy.special import stdtrit

    if by != "mean":
        raise InputError("--uncertainty errors requires --by mean", code="conflicting-options")
    if scores.errors is None:
        raise InputError(
            "--uncertainty errors requires standard errors (--se FILE, or columns NAME_se) or at "
            "least two scores for every system on every task",
            code="missing-option",
        )
    if np.isnan(scores.errors).any():
        i, j = np.argwhere(np.isnan(scores.errors))[0]
        raise InputError(
            f"the standard error of {scores.systems[i]!r} on {scores.tasks[j]!r} is missing",
            code="missing-scores",
        )
    parts = scores.errors**2 / len(scores.tasks) ** 2
    variances, freedom = parts.sum(axis=1), np.full(len(parts), np.inf)
    if scores.freedom is not None and scores.runs is not None:
        variances, freedom = _run_variances(scores.runs)
    elif scores.freedom is not None:
        # Compute the Welch–Satterthwaite degrees of freedom for a sum of estimated variances.
        lost = np.maximum((parts**2 / scores.freedom).sum(axis=1), 1e-300)
        freedom = np.maximum(variances**2 / lost, 1.0)
    random = np.random.default_rng(options.seed)
    noise = Noise.sample(variances, freedom, options.samples, random)
    squares = variances[:, None] + variances[None, :]
    terms = (variances**2 / freedom)[:, None] + (variances**2 / freedom)[None, :]
    pooled = np.where(terms > 0, squares**2 / np.where(terms > 0, terms, 1.0), 1e9)
    drawn = means[:, None] + noise.errors * np.sqrt(
        np.where(noise.drawn > 0, variances[:, None] / np.where(noise.drawn > 0, noise.drawn, 1), 1)
    )
    return Inference(
        "se" if scores.freedom is None else "repeats",
        adjust_pairs([Estimates(means, noise)], len(means)),
        stdtrit(pooled, (1 + CONFIDENCE) / 2) * np.sqrt(squares),
        round_means(drawn, 10),
    )


def top_probability(drawn: Floats, k: int) -> Floats:
    """Return the fraction of samples in which each system is among the best k, with ties split.

    >>> top_probability(np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 2.0]]), 1).tolist()
    [0.5, 0.25, 0.25]
    """
    k = min(k, len(drawn))
    limit = np.partition(drawn, len(drawn) - k, axis=0)[len(drawn) - k]
    above, equal = drawn > limit, drawn == limit
    share = (k - above.sum(axis=0)) / equal.sum(axis=0)
    return np.asarray((above + equal * share).mean(axis=1))


def _list_rows(scores: TaskScores, ranks: Floats, arrays: RankArrays, top: int) -> list[RankRow]:
    """Return the rows of all systems in input order."""
    means, tests = arrays.means, arrays.tests
    size = len(means)
    mixed = scores.lower.any() and not scores.lower.all()
    bounds: list[Any] = [[None] * 5] * size
    if tests is not None:
        better = find_differences(means, tests.simultaneous)
        # `marginal` is not symmetric: row i is adjusted only for the tests that involve system i.
        wins = find_differences(means, tests.marginal)
        losses = find_differences(-means, tests.marginal)
        numbers = (*rank_bounds(better), *rank_bounds(wins, losses), split_tiers(means, better))
        bounds = np.stack(numbers, axis=1).tolist()
    drawn = arrays.drawn
    chances: list[Any] = [[None] * 2] * size
    if drawn is not None:
        chances = np.stack([top_probability(drawn, k) for k in (1, top)], axis=1).tolist()
    places, mean_ranks = rank_systems(means), ranks.mean(axis=1)
    averages = scores.values.mean(axis=1)
    rows = []
    for at, name in enumerate(scores.systems):
        low, high, marginal_low, marginal_high, tier = bounds[at]
        rows.append(
            RankRow(
                system=name,
                rank=int(places[at]),
                rank_low=low,
                rank_high=high,
                marginal_low=marginal_low,
                marginal_high=marginal_high,
                tier=tier,
                mean=None if mixed else float(averages[at]),
                mean_rank=float(mean_ranks[at]),
                borda=float((size - mean_ranks[at]) / (size - 1)),
                first=chances[at][0],
                top=chances[at][1],
            )
        )
    return rows


def _warn_scales(scores: TaskScores, by: str) -> list[Notice]:
    """Warn if the mean is dominated by a task with a much larger spread of scores."""
    spread = scores.values.std(axis=0)
    usual = float(np.median(spread[spread > 0])) if (spread > 0).any() else 0.0
    if by != "mean" or len(scores.tasks) < 2 or not usual or spread.max() < _UNEVEN * usual:
        return []
    widest = scores.tasks[int(spread.argmax())]
    text = (
        f"the scores on {widest!r} vary {spread.max() / usual:.0f} times as much as on the median "
        "task and dominate the mean; rank by the mean rank with --by rank"
    )
    return [Notice(text, code="mixed-scales")]


def _sign(scores: TaskScores, by: str, found: Inference, options: RankOptions) -> dict[str, str]:
    """Return the fields of the signature, keyed by name."""
    test = {
        "tasks": "signs+bootstrap+skewed-t", "tasks+runs": "signs", "se": "normal", "repeats": "t",
    }.get(found.source, "none")  # fmt: skip
    lower = int(scores.lower.sum())
    return {
        "roget": __version__,
        "systems": str(len(scores.systems)),
        "tasks": str(len(scores.tasks)),
        "by": by,
        "lower": "none" if not lower else "all" if scores.lower.all() else str(lower),
        "missing": options.missing,
        "uncertainty": found.source,
        "test": test,
        "samples": str(options.samples),
        "seed": str(options.seed),
    }
