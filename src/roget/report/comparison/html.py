"""The comparison as one page that needs nothing else: no server, no network, no other file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from roget.core.types import Floats
from roget.report.comparison import pictures
from roget.report.format import ARROWS, brief, plural
from roget.report.render.data import embed
from roget.report.render.html import bundle, digest, fill
from roget.scoring.cells.contingency import Contingency
from roget.scoring.comparison import Comparison, SystemRow
from roget.scoring.diagnostics import MOST, Impure, impure

if TYPE_CHECKING:
    from roget.scoring.score import Answered

WORST = 10
"""Groups of each score whose tables are kept."""
MOST_TABLES = 30
"""Tables of a system, whatever the number of scores."""
TABLE_SIDE = 12
"""Classes and clusters a table shows."""


@dataclass(frozen=True)
class Scale:
    """From values to places on a bar of width 100, with some room at both ends."""

    low: float
    high: float

    @classmethod
    def over(cls, rows: Sequence[SystemRow]) -> Scale:
        """The scale that holds every value and interval of a column."""
        ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
        return cls(min(ends), max(ends)) if ends else cls(0.0, 1.0)

    def place(self, value: float) -> float:
        """Where a value lies; the middle where all values are the same.

        >>> Scale(0, 1).place(0.5), Scale(2, 2).place(2), Scale(0, 1).place(1)
        (50.0, 50.0, 97.0)
        """
        width = self.high - self.low
        return 50.0 if width <= 0 else round(3 + 94 * (value - self.low) / width, 2)


def render(comparison: Comparison) -> str:
    """The whole page; the same comparison gives the same page."""
    script, lines = bundle("comparison"), pictures.board(comparison)
    return fill(
        "roget.report.comparison",
        "page/page.html",
        about=_about(comparison),
        comparison=comparison,
        scores=_scores(comparison),
        systems=[rows for rows in lines if not rows[0].trivial],
        trivial=[rows for rows in lines if rows[0].trivial],
        scales=[Scale.over(pictures.score_rows(comparison, *score)) for score in comparison.scores],
        reasons=_reasons(comparison),
        stability=comparison.stability(),
        drawn=any(row.first is not None for row in comparison.rows),
        names=min(max(len(row.system) for row in comparison.rows), 28),
        diagnosed=MOST,
        several=any(len(pictures.estimators(comparison, m)) > 1 for m, _ in comparison.scores),
        script=Markup(script),
        hash=Markup(digest(script)),
        data=Markup(embed(data(comparison))),
    )


def data(comparison: Comparison) -> dict[str, Any]:
    """What the page's script draws, numbers cut to what a reader can use."""
    measures = dict.fromkeys(measure for measure, _ in comparison.scores)
    return {
        "scores": _scores(comparison),
        "systems": comparison.systems,
        "grouped": comparison.groups > 1,
        "intervals": [
            [
                _brief((row.system, row.trivial, row.value, row.low, row.high, row.rank))
                for row in pictures.intervals(comparison, *score)
            ]
            for score in comparison.scores
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
            "title": pictures.title(measure, entropy),
        }
        for (measure, entropy), better in pictures.directions(comparison).items()
    ]


def _reasons(comparison: Comparison) -> list[str]:
    found = [
        f"{row.system}, {pictures.title(row.measure, row.entropy)}: {row.reason or 'undefined'}"
        for row in comparison.rows
        if row.value is None
    ]
    return list(dict.fromkeys(found))


def _pairs(comparison: Comparison) -> list[list[list[Any]]]:
    """For each score, the pairs of systems, these by their numbers."""
    numbers = {name: at for at, name in enumerate(comparison.systems)}
    by_score: dict[tuple[str, str | None], list[list[Any]]] = {s: [] for s in comparison.scores}
    for pair in comparison.pairs:
        line = (pair.difference, pair.low, pair.high, pair.p, pair.p_holm)
        by_score[pair.measure, pair.entropy].append(
            [numbers[pair.a], numbers[pair.b], *_brief(line)]
        )
    return list(by_score.values())


def _about(comparison: Comparison) -> dict[str, str]:
    """The page's title and the line under it."""
    source = comparison.answered[0].sides.gold.source if comparison.answered else ""
    items = plural(comparison.items, "item", ",")
    if comparison.groups == 1:
        size = f"{items} in {comparison.classes:.0f} classes"
    else:
        size = (
            f"{items} in {comparison.groups:,} groups, {comparison.classes:.1f} classes per group"
        )
    systems = plural(len(comparison.systems), "system")
    return {"systems": systems, "gold": PurePath(source).name or "one gold standard", "size": size}


def details(comparison: Comparison) -> dict[str, Any] | None:
    """Everything the page says about groups; None where the tables were not kept."""
    answered = comparison.answered
    if not answered:
        return None
    signs = [
        1.0 if better == "higher" else -1.0 for better in pictures.directions(comparison).values()
    ]
    goodness = np.stack([system.values for system in answered]) * np.array(signs)[:, None]
    return {
        "groups": answered[0].group_names,
        "best": _best(goodness),
        "systems": [_detail(system, goodness[number]) for number, system in enumerate(answered)],
    }


def _best(goodness: Floats) -> list[list[int | None]]:
    """The best system of each score and group, by its number."""
    filled = np.where(np.isnan(goodness), -np.inf, goodness)
    first, found = filled.argmax(axis=0), np.isfinite(filled.max(axis=0))
    return [
        [int(at) if known else None for at, known in zip(*pair, strict=True)]
        for pair in zip(first, found, strict=True)
    ]


def _detail(system: Answered, goodness: Floats) -> dict[str, Any]:
    items, classes, clusters = system.sizes
    worst, names = worst_groups(goodness), system.group_names
    return {
        "n": [brief(float(n)) for n in items],
        "classes": classes.tolist(),
        "clusters": clusters.tolist(),
        "values": [[brief(value) for value in row] for row in system.values],
        "tables": {group: shown_table(system.tables.block(group).table) for group in worst},
        "mixed": _list_sets(impure((part.table.T for part in system.parts()), names)),
        "scattered": _list_sets(impure((part.table for part in system.parts()), names)),
    }


def _list_sets(sets: Iterable[Impure]) -> list[list[Any]]:
    return [[s.name, s.group, brief(s.size), s.parts, s.largest, brief(s.share)] for s in sets]


def worst_groups(goodness: Floats) -> list[int]:
    """The worst groups under each score in turn, no group twice, undefined ones left out."""
    orders = [row.argsort(kind="stable")[: np.count_nonzero(~np.isnan(row))] for row in goodness]
    ranked = [int(order[at]) for at in range(WORST) for order in orders if at < order.size]
    return list(dict.fromkeys(ranked))[:MOST_TABLES]


def shown_table(table: Contingency) -> dict[str, Any]:
    """The largest classes and clusters of a table, clusters beside their majority class."""
    rows = np.argsort(-table.row_totals, kind="stable")[:TABLE_SIDE]
    columns = np.argsort(-table.column_totals, kind="stable")[:TABLE_SIDE]
    row_at, column_at = (np.full(size, -1) for size in table.shape)
    row_at[rows], column_at[columns] = np.arange(rows.size), np.arange(columns.size)
    at = row_at[table.rows], column_at[table.columns]
    kept = (at[0] >= 0) & (at[1] >= 0)
    counts = np.zeros((rows.size, columns.size))
    counts[at[0][kept], at[1][kept]] = table.counts[kept]
    order = np.argsort(counts.argmax(axis=0), kind="stable")
    counts, columns = counts[:, order], columns[order]
    return {
        "classes": [table.class_name(int(row)) for row in rows],
        "clusters": [table.cluster_name(int(column)) for column in columns],
        "counts": [[brief(count) for count in row] for row in counts],
        "sizes": [brief(float(size)) for size in table.row_totals[rows]],
        "totals": [brief(float(size)) for size in table.column_totals[columns]],
        "all": list(table.shape),
    }
