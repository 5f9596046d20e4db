"""Report of the scores of single items (`roget score --save items=FILE`)."""

from __future__ import annotations

from roget.report import Report, ReportTable
from roget.report.format import number, plural
from roget.scoring.steps.items import SCORES, ItemScores

SHOWN = 20
"""Number of items shown, lowest scores first. JSON and CSV contain all items."""


def report(scores: ItemScores) -> Report:
    """Report the items with the lowest scores."""
    titles = list(scores.columns)
    rows = list(zip(*scores.columns.values(), strict=True))
    first = titles.index(SCORES[0])
    lowest = sorted(rows, key=lambda row: float(row[first]))[:SHOWN]
    numbers = [title for title in titles if title in SCORES]
    texts = len(titles) - len(numbers)
    shown = [[*map(str, row[:texts]), *map(number, row[texts:])] for row in lowest]
    return Report(
        title="Scores of items",
        lead=[f"{plural(len(scores), 'item', ',')}, lowest first"],
        tables=[ReportTable.of(titles, shown, numbers)],
        signature=scores.signature,
        data={
            "signature": scores.signature,
            "items": [dict(zip(titles, row, strict=True)) for row in rows],
        },
        sheet=ReportTable.of(titles, rows),
    )
