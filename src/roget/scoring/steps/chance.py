"""Test scores against random clusterings, with z-scores and p-values.

A random clustering permutes the system's labels among the items of each group. All permutations are
equally likely, and clusters keep their sizes in every group. z is the difference between the score
and its mean over random clusterings, divided by the standard deviation. The mean and the standard
deviation are exact for measures that are linear in mutual information or pair counts. For other
measures, they are estimated from random clusterings. p is the fraction of random clusterings that
score at least as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from roget.core.types import Floats, Ints, Values
from roget.errors import InputError, Undefined
from roget.scoring.entropy import Estimator
from roget.scoring.entropy import get as get_estimator
from roget.scoring.labels.labels import take
from roget.scoring.measures.base import Request, average_groups, evaluate
from roget.scoring.options import ScoreOptions
from roget.scoring.results import ScoreRow
from roget.scoring.steps.bootstrap import fill_samples
from roget.scoring.systems import ScoredSystem
from roget.scoring.tables.baselines import MAX_SAMPLED, RandomSameSizes
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.null_moments import deviate_pairs
from roget.scoring.tables.records import Chance, PairCounts
from roget.scoring.tables.statistics import Separate, Statistics
from roget.scoring.tables.weighted import WeightedSide, WeightedTable
from roget.scoring.tabulate import tabulate

_ITEMS = 1 << 20
"""Maximum size of a batch of random clusterings.

The size is the total number of items or of cells, whichever is smaller.
"""


class ChanceTest(NamedTuple):
    """The z-score and the p-value of one score. Undefined values are None."""

    z: float | None
    p: float | None


def add_chance(
    rows: Sequence[ScoreRow],
    system: ScoredSystem,
    requests: Sequence[Request],
    options: ScoreOptions,
    step: Callable[[int], None] = lambda done: None,
) -> list[ScoreRow]:
    """Add z-scores and p-values to the rows if a test against random clusterings is requested.

    Measures of whole trees get no z and p, because random clusterings are flat.
    """
    if not options.chance:
        return list(rows)
    tests = compare_with_chance(system, requests, options.chance, options.seed, step)
    whole = [system.sides.leaves is not None and measure.sees_tree for measure, _ in requests]
    return [
        row if of_tree else replace(row, z=z, p=p)
        for row, (z, p), of_tree in zip(rows, tests, whole, strict=True)
    ]


def compare_with_chance(
    system: ScoredSystem,
    requests: Sequence[Request],
    draws: int,
    seed: int,
    step: Callable[[int], None] = lambda done: None,
) -> list[ChanceTest]:
    """Return z and p for every requested score. Call `step` after each random clustering."""
    _check_system(system)
    weights = system.weights
    scores = average_groups(system.values, weights)
    drawn = np.full((draws, len(requests)), np.nan)
    random = np.random.default_rng(seed)
    fill_samples(drawn, _score_random(system, requests, weights, draws, random), step)
    return [
        ChanceTest(None, None)
        if np.isnan(score)
        else ChanceTest(
            _find_z(system, request, weights, i, others), _find_p(request, score, others)
        )
        for i, (request, score, others) in enumerate(zip(requests, scores, drawn.T, strict=True))
    ]


def _check_system(system: ScoredSystem) -> None:
    """Raise InputError if labels cannot be permuted among items."""
    sides = system.sides
    if sides.gold.absent or sides.system.absent:
        raise InputError(
            "--chance cannot be combined with unmatched items; pass --missing cluster --extra drop",
            code="conflicting-options",
        )
    weighted = isinstance(system.tables, Contingency) and system.tables.fractional
    if sides.weighed or weighted:
        raise InputError(
            "'chance' cannot be combined with item weights", code="conflicting-options"
        )
    if system.items >= MAX_SAMPLED:
        raise InputError(
            f"'chance' supports at most {MAX_SAMPLED:,} items; there are {system.items:,}",
            code="too-large",
        )


def _find_p(request: Request, score: float, random: Floats) -> float:
    """Return p = (1 + number of random clusterings at least as good)/(1 + their total number)."""
    higher = request[0].direction == "higher"
    defined = random[~np.isnan(random)]
    near = 1e-10 * max(1.0, abs(score))
    as_good = defined >= score - near if higher else defined <= score + near
    return float((1 + np.count_nonzero(as_good)) / (1 + defined.size))


def _find_z(
    system: ScoredSystem, request: Request, weights: Floats, at: int, random: Floats
) -> float | None:
    """Return z, using exact moments if there is a formula, and otherwise random clusterings."""
    exact = _find_moments(system, request)
    if exact is None:
        known = random[~np.isnan(random)]
        if known.size < 2:
            return None
        deviation = float(known.std(ddof=1))
        beyond = float(average_groups(system.values[at], weights) - known.mean())
    else:
        # Groups are permuted independently, so the variance of the weighted mean is the sum of
        # weight²·variance over groups.
        defined = ~np.isnan(system.values[at])
        share = np.where(defined, weights, 0.0) / weights[defined].sum()
        means, deviations = (np.where(defined, moment, 0.0) for moment in exact)
        beyond = float((share * (np.where(defined, system.values[at], 0.0) - means)).sum())
        deviation = float(np.sqrt((share**2 * deviations**2).sum()))
    scale = max(1.0, float(np.abs(system.values[at][~np.isnan(system.values[at])]).max()))
    if not deviation > 1e-14 * scale:
        return None
    return float(beyond / deviation) * (1 if request[0].direction == "higher" else -1)


def _find_moments(system: ScoredSystem, request: Request) -> tuple[Floats, Floats] | None:
    """Return the exact mean and standard deviation in each group, or None if no formula exists."""
    measure, estimator = request
    tables = system.tables
    pooled = system.sides.groups is not None and tables.groups is None
    if not measure.linear or estimator not in (None, "ml") or pooled:
        return None
    if not isinstance(tables, Contingency):
        return None
    try:
        # The measure is linear in the statistic. Its mean is therefore its value at the statistic's
        # mean, and its standard deviation is the change when the statistic increases by one
        # standard deviation.
        mean, above = (
            Shifted.from_table(tables, shift).measure_groups(measure, "ml") for shift in (0.0, 1.0)
        )
    except Undefined:
        return None
    return mean, np.abs(above - mean)


@dataclass(frozen=True, eq=False)
class Shifted(RandomSameSizes):
    """The expected statistics of random clusterings, shifted by a number of standard deviations."""

    shift: float = 0.0

    @classmethod
    def from_table(cls, table: Contingency, shift: float) -> Shifted:
        """Return the shifted expectation for the class and cluster sizes of a table."""
        rows, columns = (sums.astype(np.int64) for sums in (table.row_totals, table.column_totals))
        cuts = table.cuts, table.column_cuts
        return cls(rows, columns, source=table, cuts=cuts[0], column_cuts=cuts[1], shift=shift)

    @cached_property
    def pairs(self) -> PairCounts:
        """The expected pair counts, with a shifted number of pairs joined in both."""
        mean = super().pairs
        if not self.shift:
            return mean
        both = np.asarray(mean.both, dtype=np.float64) + self.shift * deviate_pairs(
            mean, self.sizes
        )
        return PairCounts(mean.total, mean.gold, mean.system, both)

    def _estimate_joint(self, estimator: Estimator, support: Any) -> Values:
        mean = super()._estimate_joint(estimator, support)
        return mean - self.shift * (self.source or self).deviation if self.shift else mean


def _score_random(
    system: ScoredSystem,
    requests: Sequence[Request],
    weights: Floats,
    draws: int,
    random: np.random.Generator,
) -> Iterator[Floats]:
    """Yield the scores of random clusterings, with shape (clusterings, scores)."""
    tables, sides = system.tables, system.sides
    if not isinstance(tables, Contingency):
        permute = _permute_sets if sides.gold.cover else _permute_weights
        for _ in range(draws):
            permuted = permute(system, random)
            values = np.array([evaluate(permuted, request)[0] for request in requests])
            yield average_groups(values, weights)[None]
        return
    # Labels are permuted within groups, even if the groups are pooled for scoring.
    inner = tables if sides.groups is None else tabulate(sides, pooled=False)
    assert isinstance(inner, Contingency)
    size = max(1, _ITEMS // max(int(min(system.items, np.prod(inner.shape))), inner.shape[0]))
    for begin in range(0, draws, size):
        count = min(size, draws - begin)
        drawn = Drawn.from_sizes(inner, tables, count, random)
        values = np.array([evaluate(drawn, request)[0] for request in requests])
        yield average_groups(values.reshape(len(requests), count, -1), weights).T


@dataclass(frozen=True, eq=False)
class Drawn(Contingency):
    """Random tables with the same margins as another table.

    The random tables are stored as groups of a single table. Statistics that depend only on the
    margins are copied from the other table.
    """

    like: Contingency | None = None

    @classmethod
    def from_sizes(
        cls, inner: Contingency, like: Contingency, count: int, random: np.random.Generator
    ) -> Drawn:
        """Sample `count` tables by permuting labels within the groups of `inner`."""
        rows, columns = (sums.astype(np.int64) for sums in (inner.row_totals, inner.column_totals))
        cuts, column_cuts = (
            _repeat_cuts(starts, sums.size, count)
            for starts, sums in ((inner.cuts, rows), (inner.column_cuts, columns))
        )
        sizes = np.tile(rows, count), np.tile(columns, count)
        source = RandomSameSizes(*sizes, cuts=cuts, column_cuts=column_cuts, thorough=True)
        table = source.draw(random)
        values = {
            field.name: getattr(table, field.name) for field in fields(Contingency) if field.init
        }
        return cls(**values | {"cuts": _repeat_cuts(like.cuts, rows.size, count)}, like=like)

    @cached_property
    def chance(self) -> Chance:
        """The expectations used by chance-adjusted measures, which depend only on the margins."""
        assert self.like is not None
        known, plain = self.like.chance, self.entropies(get_estimator("ml"))
        mutual = plain.gold, plain.system, plain.mutual
        return Chance(
            *mutual, self._repeat(known.expected), self.perfect, self._repeat(known.constant)
        )

    @cached_property
    def deviation(self) -> Values:
        """The standard deviation of mutual information, which depends only on the margins."""
        assert self.like is not None
        return self._repeat(self.like.deviation)

    def _repeat(self, values: Values) -> Floats:
        assert self.like is not None
        return np.tile(values, (self.groups or 1) // (self.like.groups or 1))


def _repeat_cuts(starts: Ints | None, size: int, count: int) -> Ints:
    """Return the start positions of the groups in `count` copies of a table."""
    first = np.zeros(1, dtype=np.int64) if starts is None else starts
    return (np.arange(count)[:, None] * size + first).ravel()


def _permute_weights(system: ScoredSystem, random: np.random.Generator) -> Separate:
    """Permute weighted labels among the items of each group."""
    permuted = []
    for table in system.parts:
        if not isinstance(table, WeightedTable):
            raise InputError(
                "'chance' cannot be combined with item weights", code="conflicting-options"
            )
        order = random.permutation(table.n)
        side = WeightedSide(take(table.system.labels, order), table.expected[1])
        permuted.append(WeightedTable.from_sides(table.gold, side))
    return Separate(permuted)


def _permute_sets(system: ScoredSystem, random: np.random.Generator) -> Statistics | Separate:
    """Permute memberships: assign to each item all clusters of another item in the same group."""
    sides = system.sides
    n = len(sides.gold)
    groups = np.zeros(n, dtype=np.int64) if sides.groups is None else sides.groups
    order = np.empty(n, dtype=np.int64)
    # Permute the items within each group.
    order[np.argsort(groups, kind="stable")] = np.lexsort((random.random(n), groups))
    permuted = replace(sides, system=take(sides.system, order))
    return tabulate(permuted, pooled=system.tables.groups is None)
