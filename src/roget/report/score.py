"""The scores of one system as a report: `roget score`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roget.report import Report, Table
from roget.report.format import ARROWS, number, plural
from roget.scoring.result import ScoreTable

if TYPE_CHECKING:
    from roget.scoring.diagnostics import Details


def report(table: ScoreTable) -> Report:
    """What was scored, the scores beside those of trivial answers, and what to beware of."""
    trivial = list(dict.fromkeys(name for row in table.rows for name in row.baselines))
    reasons = [f"{row.measure}: {row.reason}" for row in table.rows if row.value is None]
    return Report(
        title="Scores against a gold standard",
        lead=[_summary(table)],
        tables=[_scores(table, trivial), *_details(table.details)],
        warnings=[*reasons, *table.warnings],
        signature=table.signature,
        data=table.as_dict(),
        sheet=_sheet(table, trivial),
    )


def _scores(table: ScoreTable, trivial: list[str]) -> Table:
    """Entropies and intervals have columns only where a measure has them."""
    entropies = any(row.entropy is not None for row in table.rows)
    intervals = any(row.low is not None for row in table.rows)
    texts = ["measure", "entropy"] if entropies else ["measure"]
    numbers = ["score", "low", "high"] if intervals else ["score"]
    rows = []
    for row in table.rows:
        first = [f"{row.measure} {ARROWS[row.direction]}", row.entropy or ""]
        values = [row.value, row.low, row.high][: len(numbers)]
        values += [row.baselines.get(name) for name in trivial]
        rows.append([*first[: len(texts)], *map(number, values)])
    numbers += trivial
    return Table.of([*texts, *numbers], rows, numbers)


def _sheet(table: ScoreTable, trivial: list[str]) -> Table:
    """All digits; the signature is a column, so that it stays with them."""
    titles = ["measure", "entropy", "value", "low", "high", "better", *trivial]
    rows = []
    for row in table.rows:
        own = [row.measure, row.entropy, row.value, row.low, row.high, row.direction]
        rows.append([*own, *map(row.baselines.get, trivial), row.reason, table.signature])
    return Table.of([*titles, "reason", "signature"], rows)


def _summary(table: ScoreTable) -> str:
    items = plural(table.items, "item", ",")
    if table.groups == 1:
        classes = plural(table.classes, "class", ".0f")
        return f"{items}, {classes}, {plural(table.clusters, 'cluster', '.0f')}"
    per_group = f"{table.classes:.1f} classes and {table.clusters:.1f} clusters per group"
    return f"{items} in {table.groups:,} groups, {per_group}"


def _details(details: Details | None) -> Iterator[Table]:
    """A table for each list of details that has any rows."""
    if details is None:
        return
    rows = [
        [g.group, f"{g.items:g}", str(g.classes), str(g.clusters), number(g.value)]
        for g in details.worst
    ]
    heads = ["group", "items", "classes", "clusters", "score"]
    tables = [(f"groups with the worst {details.score}", heads, rows)]
    for title, sets, kind, part, parts in (
        ("clusters that mix classes", details.mixed, "cluster", "class", "classes"),
        ("classes that are scattered", details.scattered, "class", "cluster", "clusters"),
    ):
        rows = [
            [s.name, s.group, f"{s.size:.4g}", str(s.parts), s.largest, f"{s.share:.0%}"]
            for s in sets
        ]
        tables.append((title, [kind, "group", "items", parts, f"largest {part}", "share"], rows))
    for title, heads, rows in tables:
        if rows:
            yield Table.of(heads, rows, _NUMBERS, title=title)


_NUMBERS = ("items", "classes", "clusters", "score", "share")
"""Columns of details that hold numbers."""
