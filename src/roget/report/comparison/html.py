"""The comparison as one page that needs nothing else: no server, no network, no other file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from markupsafe import Markup

from roget.report.comparison import pictures
from roget.report.comparison.detail import details
from roget.report.format import ARROWS, brief, plural
from roget.report.render.data import embed
from roget.report.render.html import bundle, digest, fill
from roget.scoring.comparison import Comparison, SystemRow
from roget.scoring.diagnostics import MOST


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
        names=min(max(map(len, comparison.systems), default=0), 28),
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
