"""How a score compares with those of random answers: z and p.

Random answers have the system's clusters, of the same sizes in every group, filled anew: each way
to deal the system's answers out to the items of a group is as likely as any other.
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
from roget.scoring.score import ScoredSystem, make_tables
from roget.scoring.steps.bootstrap import fill_draws
from roget.scoring.tables.baselines import MOST_DEALT, RandomSameSizes
from roget.scoring.tables.contingency import Contingency
from roget.scoring.tables.null_moments import deviate_pairs
from roget.scoring.tables.records import Chance, PairCounts
from roget.scoring.tables.statistics import Separate, Statistics
from roget.scoring.tables.weighted import WeightedSide, WeightedTable

_ITEMS = 1 << 20
"""Items, or cells where they are fewer, of the random answers that are scored at once."""


class ChanceTest(NamedTuple):
    """What chance makes of a score; None where there is nothing to tell."""

    z: float | None
    p: float | None


def try_chance(
    found: ScoredSystem,
    asked: Sequence[Request],
    average: str,
    draws: int,
    seed: int,
    step: Callable[[int], None] = lambda done: None,
) -> list[ChanceTest]:
    """z and p of every request, by random answers to the same items; `step` hears of each."""
    _refuse(found)
    weights = found.weigh(average)
    scores = average_groups(found.values, weights)
    drawn = np.full((draws, len(asked)), np.nan)
    random = np.random.default_rng(seed)
    fill_draws(drawn, _draw_scores(found, asked, weights, draws, random), step)
    return [
        ChanceTest(None, None)
        if np.isnan(score)
        else ChanceTest(
            _find_z(found, request, weights, i, others), _find_p(request, score, others)
        )
        for i, (request, score, others) in enumerate(zip(asked, scores, drawn.T, strict=True))
    ]


def _refuse(found: ScoredSystem) -> None:
    """Raise where answers cannot be dealt out anew."""
    sides = found.sides
    if sides.gold.absent or sides.system.absent:
        raise InputError(
            "chance: items that one side only has cannot be dealt out at random; say --missing "
            "cluster --extra drop"
        )
    weighed = isinstance(found.tables, Contingency) and found.tables.fractional
    if sides.weighed or weighed:
        raise InputError("chance: needs items that all count the same, not weights of items")
    if found.items >= MOST_DEALT:
        raise InputError(f"chance: {found.items:,} items; at most {MOST_DEALT:,} are dealt out")


def _find_p(request: Request, score: float, random: Floats) -> float:
    """(1 + random answers that do as well)/(1 + random answers); a tie does as well."""
    higher = request[0].direction == "higher"
    held = random[~np.isnan(random)]
    near = 1e-10 * max(1.0, abs(score))
    as_good = held >= score - near if higher else held <= score + near
    return float((1 + np.count_nonzero(as_good)) / (1 + held.size))


def _find_z(
    found: ScoredSystem, request: Request, weights: Floats, at: int, random: Floats
) -> float | None:
    """How many deviations better than random answers: exactly, or by the drawn ones."""
    exact = _find_moments(found, request)
    if exact is None:
        known = random[~np.isnan(random)]
        if known.size < 2:
            return None
        deviation = float(known.std(ddof=1))
        beyond = float(average_groups(found.values[at], weights) - known.mean())
    else:
        # Groups are dealt out each for itself, so their variances add up.
        held = ~np.isnan(found.values[at])
        share = np.where(held, weights, 0.0) / weights[held].sum()
        means, deviations = (np.where(held, moment, 0.0) for moment in exact)
        beyond = float((share * (np.where(held, found.values[at], 0.0) - means)).sum())
        deviation = float(np.sqrt((share**2 * deviations**2).sum()))
    scale = max(1.0, float(np.abs(found.values[at][~np.isnan(found.values[at])]).max()))
    if not deviation > 1e-14 * scale:
        return None
    return float(beyond / deviation) * (1 if request[0].direction == "higher" else -1)


def _find_moments(found: ScoredSystem, request: Request) -> tuple[Floats, Floats] | None:
    """Mean and deviation in each group where there is a formula for both, else None."""
    measure, estimator = request
    tables = found.tables
    pooled = found.sides.groups is not None and tables.groups is None
    if not measure.linear or estimator not in (None, "ml") or pooled:
        return None
    if not isinstance(tables, Contingency):
        return None
    try:
        mean, beside = (
            Shifted.of(tables, shift).measure_groups(measure, "ml") for shift in (0.0, 1.0)
        )
    except Undefined:
        return None
    return mean, np.abs(beside - mean)


@dataclass(frozen=True, eq=False)
class Shifted(RandomSameSizes):
    """What random answers give on average, or so many deviations above it."""

    shift: float = 0.0

    @classmethod
    def of(cls, table: Contingency, shift: float) -> Shifted:
        """With the sizes of a table."""
        rows, columns = (sums.astype(np.int64) for sums in (table.row_totals, table.column_totals))
        cuts = table.cuts, table.column_cuts
        return cls(rows, columns, source=table, cuts=cuts[0], column_cuts=cuts[1], shift=shift)

    @cached_property
    def pairs(self) -> PairCounts:
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


def _draw_scores(
    found: ScoredSystem,
    asked: Sequence[Request],
    weights: Floats,
    draws: int,
    random: np.random.Generator,
) -> Iterator[Floats]:
    """Scores of random answers, so many at a time × requests."""
    tables, sides = found.tables, found.sides
    if not isinstance(tables, Contingency):
        for _ in range(draws):
            dealt = _deal_sets(found, random) if sides.gold.cover else _deal_weights(tables, random)
            values = np.array([evaluate(dealt, request)[0] for request in asked])
            yield average_groups(values, weights)[None]
        return
    # Labels are private to groups, so that answers are dealt out within them if these are pooled.
    inner = tables if sides.groups is None else make_tables(sides, pooled=False)
    assert isinstance(inner, Contingency)
    size = max(1, _ITEMS // max(int(min(found.items, np.prod(inner.shape))), inner.shape[0]))
    for begin in range(0, draws, size):
        count = min(size, draws - begin)
        drawn = Drawn.of(inner, tables, count, random)
        values = np.array([evaluate(drawn, request)[0] for request in asked])
        yield average_groups(values.reshape(len(asked), count, -1), weights).T


@dataclass(frozen=True, eq=False)
class Drawn(Contingency):
    """Tables drawn with the sizes of another's, as groups; what depends on sizes alone is its."""

    like: Contingency | None = None

    @classmethod
    def of(
        cls, inner: Contingency, like: Contingency, count: int, random: np.random.Generator
    ) -> Drawn:
        """So many; `inner` has the groups within which answers are dealt out."""
        rows, columns = (sums.astype(np.int64) for sums in (inner.row_totals, inner.column_totals))
        cuts, beside = (
            _repeat_cuts(starts, sums.size, count)
            for starts, sums in ((inner.cuts, rows), (inner.column_cuts, columns))
        )
        sizes = np.tile(rows, count), np.tile(columns, count)
        source = RandomSameSizes(*sizes, cuts=cuts, column_cuts=beside, thorough=True)
        table = source.draw(random)
        given = {field.name: getattr(table, field.name) for field in fields(Contingency)}
        return cls(**given | {"cuts": _repeat_cuts(like.cuts, rows.size, count)}, like=like)

    @cached_property
    def chance(self) -> Chance:
        assert self.like is not None
        known, plain = self.like.chance, self.entropies(get_estimator("ml"))
        mutual = plain.gold, plain.system, plain.mutual
        return Chance(
            *mutual, self._again(known.expected), self.perfect, self._again(known.constant)
        )

    @cached_property
    def deviation(self) -> Values:
        assert self.like is not None
        return self._again(self.like.deviation)

    def _again(self, values: Values) -> Floats:
        assert self.like is not None
        return np.tile(values, (self.groups or 1) // (self.like.groups or 1))


def _repeat_cuts(starts: Ints | None, size: int, count: int) -> Ints:
    """Where the groups of so many tables begin, each table a group where there are none."""
    first = np.zeros(1, dtype=np.int64) if starts is None else starts
    return (np.arange(count)[:, None] * size + first).ravel()


def _deal_weights(tables: Statistics | Separate, random: np.random.Generator) -> Separate:
    """The system's weighted answers dealt out anew within each group."""
    dealt = []
    for table in tables.tables if isinstance(tables, Separate) else [tables]:
        if not isinstance(table, WeightedTable):
            raise InputError("chance: needs items that all count the same, not weights of items")
        order = random.permutation(table.n)
        side = WeightedSide(take(table.system.labels, order), table.expected[1])
        dealt.append(WeightedTable.from_sides(table.gold, side))
    return Separate(dealt)


def _deal_sets(found: ScoredSystem, random: np.random.Generator) -> Statistics | Separate:
    """Sets of a cover dealt out anew within each group: an item gets all those of another."""
    sides = found.sides
    n = len(sides.gold)
    groups = np.zeros(n, dtype=np.int64) if sides.groups is None else sides.groups
    order = np.empty(n, dtype=np.int64)
    order[np.argsort(groups, kind="stable")] = np.lexsort((random.random(n), groups))
    dealt = replace(sides, system=take(sides.system, order))
    return make_tables(dealt, pooled=found.tables.groups is None)
