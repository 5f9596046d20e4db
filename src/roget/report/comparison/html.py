"""A comparison as one self-contained HTML page, which needs no server, network or other file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.types import Floats
from roget.report.comparison import pictures
from roget.report.comparison.parts import (
    cluster_form,
    describe_golds,
    describe_mentions,
    explain_letters,
    list_notices,
    list_outlines,
)
from roget.report.contingency import shown_table, worst_groups
from roget.report.format import ARROWS, brief, name_score, plural
from roget.report.legend import explain_scores
from roget.report.render.html import bundle, fill_frame
from roget.scoring.results import Comparison, SystemRow
from roget.scoring.steps.diagnostics import MOST, Impure, impure

if TYPE_CHECKING:
    from roget.scoring.systems import ScoredSystem


@dataclass(frozen=True)
class BarScale:
    """A linear scale from values to positions on a bar of width 100, with a margin."""

    low: float
    high: float

    @classmethod
    def over(cls, rows: Sequence[SystemRow]) -> BarScale:
        """Return a scale that covers the values and intervals of all rows."""
        ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
        return cls(min(ends), max(ends)) if ends else cls(0.0, 1.0)

    def place(self, value: float) -> float:
        """Return the position of a value on the bar, or the middle if all values are equal.

        >>> BarScale(0, 1).place(0.5), BarScale(2, 2).place(2), BarScale(0, 1).place(1)
        (50.0, 50.0, 97.0)
        """
        width = self.high - self.low
        return 50.0 if width <= 0 else round(3 + 94 * (value - self.low) / width, 2)


FIRST_SCORES = 5
"""Maximum number of score columns that the leaderboard shows at first."""


def render(comparison: Comparison) -> str:
    """Render the page. The output is deterministic."""
    lines, head = pictures.group_rows(comparison), comparison.headline
    return fill_frame(
        "roget.report.comparison",
        "page/page.html",
        bundle("comparison"),
        data(comparison),
        about=_about(comparison),
        comparison=comparison,
        warnings=list_notices(comparison),
        notes=explain_scores(comparison.defined),
        signature=comparison.signature,
        scores=_scores(comparison),
        first_scores=FIRST_SCORES if head is None else min(FIRST_SCORES, len(head.scores)),
        has_ranks=any(rows[0].rank is not None for rows in lines),
        systems=[rows for rows in lines if not rows[0].trivial],
        baselines=[rows for rows in lines if rows[0].trivial],
        cluster_form=f"%{cluster_form(comparison)}",
        scales=[
            BarScale.over(pictures.score_rows(comparison, *score)) for score in comparison.ordered
        ],
        reasons=_reasons(comparison),
        tested=explain_letters(comparison),
        stability=comparison.stability(),
        parts=list(list_outlines(comparison)),
        drawn=any(row.first is not None for row in comparison.rows),
        names=min(max(len(row.system) for row in comparison.rows), 28),
        letters=max(len(row.letters or "") for row in comparison.rows),
        diagnosed=MOST,
        loses=comparison.groups > 1
        or not all(one.sides.overlapping for one in comparison.scored or ()),
        several=any(len(pictures.estimators(comparison, m)) > 1 for m, _ in comparison.defined),
    )


def data(comparison: Comparison) -> dict[str, Any]:
    """Return the data embedded in the page for its script, rounded to save space."""
    measures = dict.fromkeys(measure for measure, _ in comparison.defined)
    return {
        "scores": _scores(comparison),
        "systems": comparison.systems,
        "grouped": comparison.groups > 1,
        "intervals": [
            [
                _brief((row.system, row.trivial, row.value, row.low, row.high, row.rank))
                for row in pictures.intervals(comparison, *score)
            ]
            for score in comparison.ordered
        ],
        "first": {m: e[0] for m in measures if (e := pictures.estimators(comparison, m))},
        "shifts": {m: pictures.shifts(comparison, m) for m in measures},
        "drops": {
            m: {e: [_brief(drop) for drop in some] for e, some in found.items()}
            for m in measures
            if (found := pictures.drops(comparison, m))
        },
        "pairs": _pairs(comparison),
        "detail": details(comparison),
    }


def _brief(values: Sequence[Any]) -> list[Any]:
    return [brief(value) if isinstance(value, float) else value for value in values]


def _scores(comparison: Comparison) -> list[dict[str, Any]]:
    return [
        {
            "measure": measure,
            "entropy": entropy,
            "better": better,
            "arrow": ARROWS[better],
            "title": name_score(measure, entropy),
        }
        for (measure, entropy), better in pictures.directions(comparison).items()
    ]


def _reasons(comparison: Comparison) -> list[str]:
    found = [
        f"{row.system}, {name_score(row.measure, row.entropy)}: {row.reason or 'undefined'}"
        for row in comparison.rows
        if row.value is None
    ]
    return list(dict.fromkeys(found))


def _pairs(comparison: Comparison) -> list[list[list[Any]]]:
    """Return the pairwise tests for each score. Systems are identified by index."""
    numbers = {name: at for at, name in enumerate(comparison.systems)}
    by_score: dict[tuple[str, str | None], list[list[Any]]] = {s: [] for s in comparison.ordered}
    for pair in comparison.pairs:
        line = (pair.difference, pair.low, pair.high, pair.p, pair.p_holm)
        reason = pair.reason and f"{pair.reason} [{pair.code}]"
        by_score[pair.measure, pair.entropy].append(
            [numbers[pair.a], numbers[pair.b], *_brief(line), reason]
        )
    return list(by_score.values())


def _about(comparison: Comparison) -> dict[str, str]:
    """Return the texts of the page header: number of systems, gold standard and sizes."""
    source = comparison.scored[0].sides.gold.source if comparison.scored else ""
    items = plural(comparison.items, "item", ",")
    if comparison.groups == 1:
        size = f"{items} in {comparison.classes:.0f} classes"
    else:
        size = (
            f"{items} in {comparison.groups:,} groups, {comparison.classes:.1f} classes per group"
        )
    size = describe_mentions(comparison) or size
    systems = plural(len(comparison.systems), "system")
    name = PurePath(source).name or "one gold standard"
    if comparison.golds:
        name = f"{len(comparison.golds)} gold standards"
        size = describe_golds(comparison)
    return {"systems": systems, "gold": name, "size": size}


def details(comparison: Comparison) -> dict[str, Any] | None:
    """Return scores and contingency tables by group, or None if the tables were not kept."""
    answered = comparison.scored
    if not answered:
        return None
    signs = [
        1.0 if better == "higher" else -1.0 for better in pictures.directions(comparison).values()
    ]
    rows = [comparison.scores.index(score) for score in comparison.ordered]
    values = np.stack([system.values for system in answered])[:, rows]
    goodness = values * np.array(signs)[:, None]
    return {
        "groups": answered[0].group_names,
        "best": _best(goodness),
        "systems": [_detail(*one) for one in zip(answered, values, goodness, strict=True)],
    }


def _best(goodness: Floats) -> list[list[int | None]]:
    """Return the index of the best system for each score and group."""
    filled = np.where(np.isnan(goodness), -np.inf, goodness)
    first, found = filled.argmax(axis=0), np.isfinite(filled.max(axis=0))
    return [
        [int(at) if known else None for at, known in zip(*pair, strict=True)]
        for pair in zip(first, found, strict=True)
    ]


def _detail(system: ScoredSystem, values: Floats, goodness: Floats) -> dict[str, Any]:
    items, classes, clusters = system.sizes
    worst, names = worst_groups(goodness), system.group_names
    # A contingency table counts each item once, so there is no such table for overlapping clusters.
    tables = [] if system.sides.overlapping else [part.table for part in system.parts]
    return {
        "n": [brief(float(n)) for n in items],
        "classes": classes.tolist(),
        "clusters": clusters.tolist(),
        "values": [[brief(value) for value in row] for row in values],
        "tables": {
            group: shown_table(system.tables.block(group).table) for group in worst if tables
        },
        "overlapping": system.sides.overlapping,
        "mixed": _list_sets(impure((table.T for table in tables), names)),
        "scattered": _list_sets(impure(tables, names)),
    }


def _list_sets(sets: Iterable[Impure]) -> list[list[Any]]:
    return [[s.name, s.group, brief(s.size), s.parts, s.largest, brief(s.share)] for s in sets]
