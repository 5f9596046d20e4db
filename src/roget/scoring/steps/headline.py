"""The short answer of `roget score`: a few scores, intervals that cost little, and a verdict.

JSON and spreadsheets always contain all scores. Printed reports show the headline unless measures
or `all` are requested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from roget.core.types import Floats
from roget.scoring.measures.base import Request, average_groups, evaluate, parse
from roget.scoring.notices import warn_about_scores
from roget.scoring.options import PipelineOptions
from roget.scoring.results import (
    Comparison,
    Score,
    ScoreRow,
    SystemRow,
    is_plug_in,
    none_if_nan,
)
from roget.scoring.systems import ScoredSystem, SystemScores
from roget.scoring.tables.contingency import Contingency

HEADLINE = ("ami", "v", "ari", "homogeneity", "completeness", "b3-f", "one-to-one")
"""Measures of the short report, in this order."""

NOTICEABLE = 0.005
"""Plug-in scores that differ by less from corrected ones are not shown."""

FEWEST_ITEMS = 20
"""Items below which the jackknife is not to be trusted."""

MOST_CELLS = 4_000
"""Non-empty cells up to which the jackknife over items takes less than a second."""

MOST_GROUPS = 1_000
"""Groups up to which the bootstrap over groups takes less than a second."""

GROUP_SAMPLES = 1_000
"""Bootstrap samples of groups."""

BALANCED = 0.05
"""Difference of homogeneity and completeness below which neither is called larger."""

CLOSE = 0.9
"""Chance-corrected score from which a clustering is called very close to gold."""

COREFERENCE = {
    "MUC": ("muc-recall", "muc-precision", "muc"),
    "B-cubed": ("b3-recall", "b3-precision", "b3-f"),
    "CEAF-e": ("ceaf-e-recall", "ceaf-e-precision", "ceaf-e"),
}
CONLL = "CoNLL"
"""Name of the row with the means over the three measures of coreference."""

ENTITIES = {
    "pairs": ("paired-recall", "paired-precision", "paired-f"),
    "B-cubed": ("b3-recall", "b3-precision", "b3-f"),
    "exact clusters": ("cluster-recall", "cluster-precision", "cluster-f"),
}
FEWEST_ENTITIES = 10
LARGEST_ENTITY = 5.0
"""Labels are taken for entities if both sides have at least so many sets of this mean size."""


@dataclass(frozen=True)
class RecallPrecision:
    """Recall, precision and F of one kind of score."""

    name: str
    recall: float | None
    precision: float | None
    f: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the row as plain data."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class QuickIntervals:
    """Intervals that are computed when a report is printed, from a few thousand numbers.

    Items without groups get jackknife intervals, groups BCa intervals, as with `ci`.
    """

    requests: Sequence[Request]
    table: Contingency | None = None
    """The table of all items, if there are no groups."""
    values: Floats | None = None
    """Requests × groups, if there are groups."""
    weights: Floats | None = None
    seed: int = 0

    @property
    def method(self) -> str:
        """Name in the signature."""
        return "jackknife" if self.table is not None else f"{GROUP_SAMPLES}xbca"

    @cached_property
    def ends(self) -> Mapping[Score, tuple[float, float]]:
        """The ends of the interval of each score that has one."""
        if self.table is not None:
            low, high = self._jackknife(self.table)
        else:
            low, high = self._bootstrap()
        return {
            (str(measure), entropy): (float(a), float(b))
            for (measure, entropy), a, b in zip(self.requests, low, high, strict=True)
            if a < b  # neither undefined nor without any spread
        }

    def _jackknife(self, table: Contingency) -> tuple[Floats, Floats]:
        from roget.scoring.steps.bootstrap import TableResampler, interval_ends

        resampler = TableResampler(table, self.requests)
        left = resampler.jackknife(self.seed)
        means = np.array([[evaluate(table, request)[0][0] for request in self.requests]])
        low, high = interval_ends("jackknife", means, np.empty((0, *means.shape)), left)
        return low[0], high[0]

    def _bootstrap(self) -> tuple[Floats, Floats]:
        from roget.scoring.steps.bootstrap import interval_ends, jackknife_groups, resample_groups

        assert self.values is not None
        assert self.weights is not None
        drawn = resample_groups(self.values, self.weights, GROUP_SAMPLES, self.seed)
        left = jackknife_groups(self.values, self.weights)
        return interval_ends("bca", average_groups(self.values, self.weights), drawn, left)


@dataclass(frozen=True)
class Headline:
    """The part of the scores of one system that a short report shows."""

    rows: tuple[ScoreRow, ...]
    """Corrected scores of the headline measures."""
    plain: Mapping[str, float] = field(default_factory=dict)
    """Plug-in values by measure, where they differ noticeably from the corrected ones."""
    warnings: tuple[str, ...] = ()
    families: tuple[RecallPrecision, ...] = ()
    """Recall, precision and F of coreference mentions or entities."""
    kind: str = ""
    """The kind of labels that the families are for: "coreference", "entities" or none."""
    quick: QuickIntervals | None = field(default=None, compare=False, repr=False)

    def interval(self, row: ScoreRow) -> tuple[float | None, float | None]:
        """Return the ends of the interval of a score: the requested one, or a quick one."""
        if row.low is not None or self.quick is None:
            return row.low, row.high
        return self.quick.ends.get((row.measure, row.entropy), (None, None))

    @cached_property
    def verdict(self) -> str:
        """One line in words: better than chance or not, and which kind of error prevails."""
        rows = {row.measure: row for row in self.rows if row.value is not None}
        values = {name: row.value for name, row in rows.items() if row.value is not None}
        if self.kind != "coreference" and values and all(value == 1 for value in values.values()):
            return "a perfect match with gold"
        chance = next((rows[name] for name in ("ami", "omega") if name in rows), None)
        parts = []
        if chance is not None and self.kind != "coreference":
            parts.append(self._compare_with_chance(chance))
        return "; ".join(filter(None, (*parts, self._describe_errors(values))))

    def _compare_with_chance(self, row: ScoreRow) -> str:
        low, high = self.interval(row)
        value = row.value or 0.0
        if row.p is not None:
            better, clearly = row.p < 0.05, row.p < 0.05
        elif low is not None and high is not None:
            better, clearly = low > 0, low > 0
            if high < 0:
                return "worse than chance"
        else:
            better, clearly = value >= BALANCED, False
        if not better:
            return "not clearly better than chance"
        if value >= CLOSE:
            return "very close to gold"
        return "clearly better than chance" if clearly else "better than chance"

    def _describe_errors(self, values: Mapping[str, float]) -> str:
        """Return which errors prevail: sets that are split, or sets that are mixed."""
        if self.kind == "coreference":
            last = self.families[-1]
            if last.recall is None or last.precision is None:
                return ""
            if last.precision - last.recall > BALANCED:
                return "misses links more than it adds wrong ones"
            if last.recall - last.precision > BALANCED:
                return "adds wrong links more than it misses correct ones"
            return "misses links about as much as it adds wrong ones"
        sides = ("homogeneity", "completeness"), ("xb3-precision", "xb3-recall")
        for pure, whole in sides:
            if pure not in values or whole not in values:
                continue
            if values[pure] == values[whole] == 1:
                return ""
            sets = "entities" if self.kind == "entities" else "classes"
            if values[pure] - values[whole] > BALANCED:
                return f"splits {sets} more than it mixes them"
            if values[whole] - values[pure] > BALANCED:
                return f"mixes {sets} more than it splits them"
            return f"splits and mixes {sets} about equally"
        return ""


def make_headline(
    rows: Sequence[ScoreRow],
    scores: SystemScores,
    about_sides: Iterable[str],
    options: PipelineOptions,
) -> Headline | None:
    """Return the headline of a system, or None if the report shows everything.

    Everything is shown if measures or several corrections were requested.
    """
    corrected = {row.entropy for row in rows if row.entropy not in (None, "ml")}
    if options.all or options.measures is not None or len(corrected) > 1:
        return None
    [system] = scores.systems
    own = {(str(measure), entropy): measure for measure, entropy in scores.requests}
    shown, plain = choose_rows(rows)
    kind = name_kind(system)
    warnings = (
        *about_sides,
        *warn_about_scores(shown, [own[row.measure, row.entropy] for row in shown], np.inf),
    )
    return Headline(
        rows=tuple(shown),
        plain=plain,
        warnings=warnings,
        families=tuple(list_families(system, scores.weights, kind)),
        kind=kind,
        quick=plan_intervals(shown, scores, options),
    )


BOARD = ("ami", "v", "ari", "b3-f", "one-to-one")
"""Measures of a short comparison, in this order."""

MORE_SCORES = 3
"""Scores of a short comparison next to the main one."""


@dataclass(frozen=True)
class BoardHeadline:
    """The part of a comparison that a short report shows: a few scores of every system."""

    scores: tuple[Score, ...]
    """The main score, then a few others."""
    quick: Mapping[str, QuickIntervals] = field(default_factory=dict, compare=False, repr=False)
    """Intervals of the main score by system."""

    def interval(self, row: SystemRow) -> tuple[float | None, float | None]:
        """Return the ends of the interval of a main score: the requested one, or a quick one."""
        if row.low is not None or row.system not in self.quick or row.trivial:
            return row.low, row.high
        return self.quick[row.system].ends.get((row.measure, row.entropy), (None, None))


def make_board(
    comparison: Comparison, options: PipelineOptions, scores: SystemScores | None = None
) -> BoardHeadline | None:
    """Return the headline of a comparison, or None if the report shows everything.

    Without `scores`, as for several gold standards, there are no quick intervals.
    """
    corrected = {entropy for _, entropy in comparison.scores if entropy not in (None, "ml")}
    if options.all or options.measures is not None or len(corrected) > 1:
        return None
    main = comparison.main
    by_name: dict[str, Score] = {}
    for score in sorted(comparison.scores, key=is_plug_in):
        by_name.setdefault(score[0], score)
    order = [name for name in BOARD if name in by_name] or list(by_name)
    more = [by_name[name] for name in order if name != main[0]][:MORE_SCORES]
    plans = {} if scores is None else _plan_board(main, scores, options)
    return BoardHeadline((main, *more), plans)


def _plan_board(
    main: Score, scores: SystemScores, options: PipelineOptions
) -> dict[str, QuickIntervals]:
    """Return the intervals of the main score of each system, none if they would cost much."""
    plans: dict[str, QuickIntervals] = {}
    cells = 0
    for system in scores.systems:
        own = SystemScores(scores.requests, [system], scores.weights, scores.rules, scores.own)
        plan = plan_intervals([ScoreRow(*main, 0.0)], own, options)
        if plan is None:
            return {}
        cells += 0 if plan.table is None else int(plan.table.counts.size)
        plans[system.name] = plan
    return plans if cells <= 2 * MOST_CELLS else {}


def choose_rows(rows: Sequence[ScoreRow]) -> tuple[list[ScoreRow], dict[str, float]]:
    """Return the headline rows, corrected ones only, and noticeably different plug-in values.

    Labels with other default measures, such as covers, keep all of them, and trees keep those of
    the whole tree.
    """
    by_name: dict[str, list[ScoreRow]] = {}
    for row in rows:
        # The corrected value comes first.
        own = by_name.setdefault(row.measure, [])
        own.insert(len(own) if is_plug_in((row.measure, row.entropy)) else 0, row)
    order = [name for name in HEADLINE if name in by_name] or list(by_name)
    if "dendrogram-purity" in by_name and "dendrogram-purity" not in order:
        order.insert(0, "dendrogram-purity")
    shown, plain = [], {}
    for own in map(by_name.__getitem__, order):
        shown.append(own[0])
        value, other = own[0].value, own[-1].value
        if value is not None and other is not None and abs(value - other) >= NOTICEABLE:
            plain[own[0].measure] = other
    return shown, plain


def name_kind(system: ScoredSystem) -> str:
    """Return the kind of labels with recall and precision: "coreference", "entities" or none."""
    if not isinstance(system.tables, Contingency):
        return ""
    if system.sides.gold.mentions:
        return "coreference"
    if system.sides.gold.pairs or system.sides.system.pairs:
        return "entities"
    items, classes, clusters = (float(np.sum(size)) for size in system.sizes)
    many = min(classes, clusters) >= FEWEST_ENTITIES
    small = items <= LARGEST_ENTITY * min(classes, clusters)
    return "entities" if many and small and system.groups == 1 else ""


def list_families(system: ScoredSystem, weights: Floats, kind: str) -> list[RecallPrecision]:
    """Return recall, precision and F of coreference or entities."""
    if not kind:
        return []

    def mean(name: str) -> float | None:
        values = evaluate(system.tables, (parse(name), None))[0]
        return none_if_nan(float(average_groups(values[None], weights)[0]))

    families = COREFERENCE if kind == "coreference" else ENTITIES
    found = [RecallPrecision(name, *map(mean, own)) for name, own in families.items()]
    if kind == "coreference":
        # The mean F ranks shared tasks; the means of recall and precision are only informative.
        columns = zip(*((one.recall, one.precision, one.f) for one in found), strict=True)
        found.append(RecallPrecision(CONLL, *(_mean(column) for column in columns)))
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(sum(known) / len(known)) if len(known) == len(values) else None


def plan_intervals(
    shown: Sequence[ScoreRow], scores: SystemScores, options: PipelineOptions
) -> QuickIntervals | None:
    """Return intervals that cost less than a second, None if they would cost more.

    The decision depends on sizes, never on the clock: the same input has the same report.
    """
    if options.ci is not None or options.engine != "local" or scores.own is not None:
        return None
    [system] = scores.systems
    named = {(row.measure, row.entropy) for row in shown if row.value is not None}
    chosen = [
        at
        for at, (measure, entropy) in enumerate(scores.requests)
        if (str(measure), entropy) in named and not measure.sees_tree
    ]
    requests = [scores.requests[at] for at in chosen]
    if not requests:
        return None
    if scores.weights.size > 1:
        if scores.weights.size > MOST_GROUPS:
            return None
        values = system.values[chosen]
        return QuickIntervals(requests, None, values, scores.weights, options.seed)
    table = system.tables
    if not isinstance(table, Contingency) or table.fractional or table.held is not None:
        return None
    several = table.documents is not None or system.sides.groups is not None
    if several or table.counts.size > MOST_CELLS or table.n < FEWEST_ITEMS:
        return None
    # Only the cells are kept, so a result does not hold the labels of all items.
    small = replace(table, gold=None, system=None, leaves=None)
    return QuickIntervals(requests, small, seed=options.seed)
