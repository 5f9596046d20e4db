"""The headline of a report: a few scores, quick confidence intervals, and a verdict.

JSON and CSV output always contain all scores. Printed reports show only the headline, unless
measures or `all` are requested.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from roget.core.types import Floats
from roget.errors import Notice, code_of
from roget.scoring.measures.base import (
    COREFERENCE,
    MENTION_MEASURES,
    Request,
    average_groups,
    evaluate,
    parse,
)
from roget.scoring.notices import warn_about_scores
from roget.scoring.options import PipelineOptions
from roget.scoring.results import (
    MEAN,
    Comparison,
    Score,
    ScoreRow,
    ScoreTable,
    is_plug_in,
    none_if_nan,
)
from roget.scoring.signature import JACKKNIFE
from roget.scoring.systems import ScoredSystem, SystemScores
from roget.scoring.tables.contingency import Contingency

Row = TypeVar("Row", bound=ScoreRow)

HEADLINE = ("ami", "v", "ari", "homogeneity", "completeness", "b3-f", "one-to-one")
"""The measures shown in a short report, in this order."""

MOST_CHOSEN = 10
"""Largest number of requested measures that are shown in a short report."""

NOTICEABLE = 0.005
"""Smallest difference between plug-in and corrected scores at which plug-in scores are shown."""

FEWEST_ITEMS = 20
"""Smallest number of items for which jackknife intervals are reliable."""

MAX_CELLS = 4_000
"""Maximum number of non-empty cells for which the jackknife takes less than a second."""

MAX_TERMS = 4e7
"""Maximum cost at which the jackknife of AMI takes less than a second.

The cost is cells · √(n · classes · clusters): the expected mutual information is computed once for
each cell that is left out. It is a sum over all cells of a random table, whose number is classes ·
clusters, and over about √(n/(classes · clusters)) likely counts per cell.
"""

MAX_GROUPS = 1_000
"""Largest number of groups for which intervals are computed without being requested."""

BALANCED = 0.05
"""Largest difference between homogeneity and completeness that is described as balanced."""

CLOSE = 0.9
"""Smallest chance-corrected score at which a clustering is described as very close to gold."""

FAR = 0.2
"""Chance-corrected score below which a clustering is described as far from gold."""

CONLL = "CoNLL"
"""Name of the row with means over the three families of coreference measures."""

SHORT_COREFERENCE = (*list(COREFERENCE)[:3], CONLL, "mentions")
"""The families of coreference measures in a short report."""

SHOWN_COREFERENCE = (
    MENTION_MEASURES[0],
    *(name for family in SHORT_COREFERENCE for name in COREFERENCE.get(family, ())),
)
"""The measures in a short report of coreference."""

LEADERBOARD = (MENTION_MEASURES[0], *(own[-1] for own in list(COREFERENCE.values())[:3]))
"""CoNLL and the F scores of which it is the mean."""

ENTITIES = {
    "pairs": ("paired-recall", "paired-precision", "paired-f"),
    "B-cubed": ("b3-recall", "b3-precision", "b3-f"),
    "exact clusters": ("cluster-recall", "cluster-precision", "cluster-f"),
}
FEWEST_ENTITIES = 10
"""Minimum number of classes, and also of clusters, for labels to be treated as entities."""

LARGEST_ENTITY = 5.0
"""Maximum mean size of classes, and also of clusters, for labels to be treated as entities."""


@dataclass(frozen=True)
class RecallPrecision:
    """Recall, precision and F of one family of measures."""

    name: str
    recall: float | None
    precision: float | None
    f: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the row as a dictionary."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class QuickIntervals:
    """Confidence intervals that are fast enough to be computed when a report is printed.

    As with the option `ci`, they are jackknife intervals over groups, or over items if there are
    no groups.
    """

    requests: Sequence[Request]
    table: Contingency | None = None
    """The table of all items, if there are no groups."""
    real: int = 0
    """The number of columns without those added for single items without a label."""
    values: Floats | None = None
    """The scores in each group, with shape (scores, groups), if there are groups."""
    weights: Floats | None = None
    seed: int = 0

    @property
    def method(self) -> str:
        """The interval method, as named in signatures."""
        return JACKKNIFE

    @cached_property
    def ends(self) -> Mapping[Score, tuple[float, float]]:
        """Lower and upper confidence bounds, keyed by score.

        Scores without an interval are omitted.
        """
        if self.table is not None:
            low, high = self._bound_items(self.table)
        else:
            low, high = self._bound_groups()
        return {
            (str(measure), entropy): (float(a), float(b))
            for (measure, entropy), a, b in zip(self.requests, low, high, strict=True)
            if a < b  # The comparison is False if the bounds are undefined (NaN) or equal.
        }

    def add_bounds(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Return the rows with their intervals. Rows without one are unchanged."""
        nothing = (None, None)
        bounds = [self.ends.get((row.measure, row.entropy), nothing) for row in rows]
        return tuple(
            row if low is None else replace(row, low=low, high=high)
            for row, (low, high) in zip(rows, bounds, strict=True)
        )

    def _bound_items(self, table: Contingency) -> tuple[Floats, Floats]:
        """Return the lower and upper bounds of the scores, by a jackknife over items."""
        from roget.scoring.steps.bootstrap import TableResampler
        from roget.scoring.steps.intervals import interval_bounds

        left = TableResampler(table, self.requests, self.real).jackknife(self.seed)
        means = np.array([[evaluate(table, request)[0][0] for request in self.requests]])
        nothing = np.empty((0, *means.shape))
        low, high = interval_bounds("jackknife", means, nothing, left, self.requests)
        return low[0], high[0]

    def _bound_groups(self) -> tuple[Floats, Floats]:
        """Return the lower and upper bounds of the scores, by a jackknife over groups."""
        from roget.scoring.steps.bootstrap import jackknife_groups
        from roget.scoring.steps.intervals import interval_bounds

        assert self.values is not None
        assert self.weights is not None
        means = average_groups(self.values, self.weights)
        left = jackknife_groups(self.values, self.weights)
        nothing = np.empty((0, *means.shape))
        return interval_bounds("jackknife", means, nothing, left, self.requests)


@dataclass(frozen=True)
class Headline:
    """The scores of one system shown in a short report."""

    rows: tuple[ScoreRow, ...]
    """The bias-corrected scores of the headline measures."""
    plain: Mapping[str, float] = field(default_factory=dict)
    """Plug-in scores that differ noticeably from the corrected scores, keyed by measure."""
    warnings: tuple[str, ...] = ()
    families: tuple[RecallPrecision, ...] = ()
    """Recall, precision and F of coreference measures or of entities."""
    kind: str = ""
    """The type of labels: "coreference", "entities", or an empty string for other labels."""

    def list_families(self) -> dict[str, float]:
        """Return recall, precision and F of all families, keyed by measure, where defined."""
        found = {}
        measures = ENTITIES if self.kind == "entities" else COREFERENCE
        for family in self.families:
            values = family.recall, family.precision, family.f
            for name, value in zip(measures.get(family.name, ()), values, strict=False):
                if value is not None:
                    found[name] = value
        return found

    @cached_property
    def verdict(self) -> str:
        """A summary in words: whether scores beat chance, and which errors are more frequent."""
        chosen = [row for row in self.rows if row.level in (None, MEAN)]
        rows = {row.measure: row for row in chosen if row.value is not None}
        values = {name: row.value for name, row in rows.items() if row.value is not None}
        printed = self.list_families() if self.kind == "coreference" else values
        if printed and all(value == 1 for value in printed.values()):
            return "a perfect match with gold"
        # AMI is undefined for fractional counts. Use ARI instead, which is also adjusted for
        # chance.
        undefined = any(row.measure == "ami" and row.value is None for row in chosen)
        adjusted = ("ami", "omega", "ari") if undefined else ("ami", "omega")
        chance = next((rows[name] for name in adjusted if name in rows), None)
        parts = []
        if self.kind != "coreference":
            if chance is not None:
                parts.append(self._compare_with_chance(chance))
            elif undefined:
                parts.append("cannot be compared with chance")
        return "; ".join(filter(None, (*parts, self._describe_errors(values, bool(parts)))))

    def _compare_with_chance(self, row: ScoreRow) -> str:
        """Describe how far a chance-corrected score is above chance, if at all."""
        low, high, value = row.low, row.high, row.value or 0.0
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
        if value < FAR:
            return "better than chance, but far from gold"
        return "clearly better than chance" if clearly else "better than chance"

    def _describe_errors(self, values: Mapping[str, float], compared: bool) -> str:
        """Describe which errors are more frequent: split classes or mixed clusters.

        If there is no comparison with chance, scores near 0 are not informative.
        """
        if self.kind == "coreference":
            last = next(one for one in self.families if one.name == CONLL)
            if last.recall is None or last.precision is None:
                return ""
            if last.precision - last.recall > BALANCED:
                return "misses more correct links than it adds wrong ones"
            if last.recall - last.precision > BALANCED:
                return "adds more wrong links than it misses correct ones"
            return "misses about as many correct links as it adds wrong ones"
        sets, found = "classes", None
        if self.kind == "entities" and self.families:
            # For small entities, pairs show the errors more clearly than entropies do.
            sets, found = "entities", (self.families[0].precision, self.families[0].recall)
        for names in (("homogeneity", "completeness"), ("xb3-precision", "xb3-recall")):
            if found is None and values.keys() >= set(names):
                found = values[names[0]], values[names[1]]
        pure, whole = found or (None, None)
        if pure is None or whole is None or pure == whole == 1:
            return ""
        if max(pure, whole) < BALANCED and not compared:
            return "not clearly better than chance"
        if pure - whole > BALANCED:
            return f"splits {sets} more than it mixes them"
        if whole - pure > BALANCED:
            return f"mixes {sets} more than it splits them"
        return f"splits and mixes {sets} about equally"


def shows_everything(scores: Iterable[Score], options: PipelineOptions) -> bool:
    """Return True if many measures, several corrected estimators or all scores are requested."""
    scores = list(scores)
    corrected = {entropy for _, entropy in scores if entropy not in (None, "ml")}
    chosen = 0 if options.measures is None else len({measure for measure, _ in scores})
    return options.all or chosen > MOST_CHOSEN or len(corrected) > 1


def make_headline(
    rows: Sequence[ScoreRow],
    scores: SystemScores,
    about_sides: Iterable[str],
    options: PipelineOptions,
) -> Headline | None:
    """Return the headline of a system, or None if the report shows everything."""
    if shows_everything(((row.measure, row.entropy) for row in rows), options):
        return None
    [system] = scores.systems
    own = {(str(measure), entropy): measure for measure, entropy in scores.requests}
    shown, plain = choose_rows(rows, chosen=options.measures is not None)
    kind = "" if options.measures is not None else name_kind(system)
    # The report of coreference shows other scores.
    warned = [] if kind == "coreference" else shown
    warnings = (
        *(map(_add_remedy, about_sides) if kind == "entities" else about_sides),
        *warn_about_scores(warned, [own[row.measure, row.entropy] for row in warned], np.inf),
    )
    return Headline(
        rows=tuple(shown),
        plain=plain,
        warnings=warnings,
        families=tuple(_list_kind(rows, system, scores.weights, kind)) if kind else (),
        kind=kind,
    )


def _add_remedy(notice: str) -> str:
    """If missing records form one extra entity, name the rule that is usual for them."""
    if code_of(notice) != "missing-items" or "one extra cluster" not in notice:
        return notice
    text = f"{notice}, i.e. one entity; for entity resolution, --missing singletons is usual"
    return Notice(text, code="missing-items")


LATER = ("bias", "sparse-table", "undefined-groups", "unused-number")
"""Codes of the less important warnings, which are listed after all others."""


def shorten_table(table: ScoreTable, options: PipelineOptions) -> ScoreTable:
    """Add a verdict and a short selection of rows to a table of several levels or golds."""
    if shows_everything(((row.measure, row.entropy) for row in table.rows), options):
        return table
    levels = list(dict.fromkeys(row.level for row in table.rows))
    if MEAN in levels:
        # The mean over levels comes first.
        levels = [MEAN, *(level for level in levels if level != MEAN)]
    shown: list[ScoreRow] = []
    plain: dict[str, float] = {}
    for level in levels:
        own, plain = choose_rows(
            [row for row in table.rows if row.level == level], chosen=options.measures is not None
        )
        shown += own
    warnings = sorted(table.warnings, key=lambda notice: code_of(notice) in LATER)
    plain = plain if levels == [None] else {}
    return replace(table, headline=Headline(tuple(shown), plain, tuple(warnings)))


COMPARISON_MEASURES = ("ami", "v", "ari", "b3-f", "one-to-one")
"""The measures shown in a short comparison, in this order."""

MORE_SCORES = 3
"""Number of scores in a short comparison, in addition to the main score."""


@dataclass(frozen=True)
class ComparisonHeadline:
    """The scores of every system shown in the short report of a comparison."""

    scores: tuple[Score, ...]
    """The main score, followed by a few other scores."""
    families: Mapping[str, tuple[RecallPrecision, ...]] = field(default_factory=dict)
    """Recall, precision and F1 of each family of coreference measures, keyed by system.

    The last entry is the CoNLL score.
    """


def make_comparison_headline(
    comparison: Comparison, options: PipelineOptions, scores: SystemScores | None = None
) -> ComparisonHeadline | None:
    """Return the headline of a comparison, or None if the report shows everything.

    Recall and precision require `scores`, which are not available for several gold standards.
    """
    if shows_everything(comparison.scores, options):
        return None
    main = comparison.main
    by_name: dict[str, Score] = {}
    for score in sorted(comparison.defined, key=is_plug_in):
        by_name.setdefault(score[0], score)
    usual = [name for name in COMPARISON_MEASURES if name in by_name] or list(by_name)
    if options.measures is None:
        more = [by_name[name] for name in usual if name != main[0]][:MORE_SCORES]
    else:
        # Show all requested scores, and the plug-in scores next to the corrected ones.
        order = list(by_name)
        requested = [score for score in comparison.defined if score != main]
        more = sorted(requested, key=lambda score: (order.index(score[0]), is_plug_in(score)))
    if scores is None:
        return ComparisonHeadline((main, *more))
    families = {
        system.name: tuple(
            list_coreference(row for row in comparison.rows if row.system == system.name)
        )
        for system in scores.systems
        if options.measures is None and name_kind(system) == "coreference"
    }
    if families:
        shared = [(name, None) for name in LEADERBOARD]
        more = [score for score in shared if score in comparison.defined and score != main]
        more = more[:MORE_SCORES]
    return ComparisonHeadline((main, *more), families)


def plan_comparison_intervals(
    main: Score, scores: SystemScores, options: PipelineOptions
) -> dict[str, QuickIntervals]:
    """Return quick intervals for the main score, keyed by system.

    The result is empty if the computation would be slow.
    """
    plans: dict[str, QuickIntervals] = {}
    cells = 0
    for system in scores.systems:
        own = SystemScores(scores.requests, [system], scores.weights, scores.rules, scores.own)
        plan = plan_intervals([ScoreRow(*main, 0.0)], own, options)
        if plan is None:
            return {}
        cells += 0 if plan.table is None else int(plan.table.counts.size)
        plans[system.name] = plan
    return plans if cells <= 2 * MAX_CELLS else {}


def choose_rows(
    rows: Sequence[ScoreRow], *, chosen: bool = False
) -> tuple[list[ScoreRow], dict[str, float]]:
    """Return the headline's rows, and the plug-in scores if any of them differs noticeably.

    Headline rows contain bias-corrected scores where they are defined. For label types with other
    default measures, such as covers, all measures are shown. For trees, dendrogram purity is also
    shown. If the measures were `chosen`, all are shown, with their plug-in scores.
    """
    by_name: dict[str, list[ScoreRow]] = {}
    for row in rows:
        # Put the corrected value first.
        own = by_name.setdefault(row.measure, [])
        own.insert(len(own) if row.entropy == "ml" else 0, row)
    short = SHOWN_COREFERENCE if MENTION_MEASURES[0] in by_name else HEADLINE
    order = [name for name in short if name in by_name and not chosen] or list(by_name)
    if "dendrogram-purity" in by_name and "dendrogram-purity" not in order:
        order.insert(0, "dendrogram-purity")
    shown, plain = [], {}
    for own in map(by_name.__getitem__, order):
        row, other = next((row for row in own if row.value is not None), own[0]), own[-1]
        shown.append(row)
        if row is not other and other.value is not None:
            plain[row.measure] = other.value
    values = {row.measure: row.value or 0.0 for row in shown}
    if not chosen and all(abs(values[name] - plain[name]) < NOTICEABLE for name in plain):
        plain = {}
    return shown, plain


def name_kind(system: ScoredSystem) -> str:
    """Return the type of labels: "coreference", "entities", or an empty string for other labels."""
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


def _list_kind(
    rows: Iterable[ScoreRow], system: ScoredSystem, weights: Floats, kind: str
) -> list[RecallPrecision]:
    """Return recall, precision and F of coreference measures or of entities."""
    if kind == "coreference":
        return [one for one in list_coreference(rows) if one.name in SHORT_COREFERENCE]
    return list_entities(system, weights)


def list_entities(system: ScoredSystem, weights: Floats) -> list[RecallPrecision]:
    """Return recall, precision and F of entities."""

    def mean(name: str) -> float | None:
        values = evaluate(system.tables, (parse(name), None))[0]
        return none_if_nan(float(average_groups(values[None], weights)[0]))

    return [RecallPrecision(name, *map(mean, own)) for name, own in ENTITIES.items()]


def list_coreference(rows: Iterable[ScoreRow]) -> list[RecallPrecision]:
    """Return recall, precision and F of every family of coreference measures among the rows.

    The means of the first three families, i.e. CoNLL, follow them.
    """
    values = {row.measure: row.value for row in rows}
    families = [
        RecallPrecision(name, *map(values.get, own))
        for name, own in COREFERENCE.items()
        if values.keys() >= set(own)
    ]
    # Shared tasks rank systems by mean F. Mean recall and precision are shown only for
    # information.
    columns = zip(*((one.recall, one.precision, one.f) for one in families[:3]), strict=True)
    families.insert(3, RecallPrecision(CONLL, *(_mean(column) for column in columns)))
    return families


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of the values, or None if any value is undefined."""
    known = [value for value in values if value is not None]
    return float(sum(known) / len(known)) if len(known) == len(values) else None


def plan_intervals(
    rows: Sequence[ScoreRow], scores: SystemScores, options: PipelineOptions
) -> QuickIntervals | None:
    """Return quick intervals, or None if they would take more than a second to compute.

    They are intervals of the scores in a short report. The decision depends only on sizes, so the
    same input always produces the same report.
    """
    if options.ci is not None or scores.own is not None:
        return None
    [system] = scores.systems
    shown, _ = choose_rows(rows, chosen=options.measures is not None)
    named = {(row.measure, row.entropy) for row in shown if row.value is not None}
    chosen = [
        at
        for at, (measure, entropy) in enumerate(scores.requests)
        if (str(measure), entropy) in named and not measure.sees_tree
    ]
    requests = [scores.requests[at] for at in chosen]
    if not 0 < len(requests) <= MOST_CHOSEN:
        return None
    if scores.weights.size > 1:
        if scores.weights.size > MAX_GROUPS:
            return None
        values = system.values[chosen]
        return QuickIntervals(requests, values=values, weights=scores.weights, seed=options.seed)
    table = system.tables
    if not isinstance(table, Contingency) or table.fractional or table.held is not None:
        return None
    several = table.documents is not None or system.sides.groups is not None
    if several or table.counts.size > MAX_CELLS or table.n < FEWEST_ITEMS:
        return None
    if name_kind(system) == "entities":
        return None  # Intervals over items are too wide to be useful for small entities.
    adjusted = any("chance" in measure.needs for measure, _ in requests)
    terms = table.counts.size * (table.n * table.shape[0] * table.shape[1]) ** 0.5
    if adjusted and terms > MAX_TERMS:
        return None
    # Keep only the contingency cells, so that the labels of all items are not stored in the result.
    small = replace(table, gold=None, system=None, leaves=None)
    real = int(np.searchsorted(table.cluster_codes, system.sides.system.n_shared))
    return QuickIntervals(requests, small, real=real, seed=options.seed)
