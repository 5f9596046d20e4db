"""Report of `roget rank`: ranks with intervals, tiers and probabilities, and their figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from roget.report import Cell, Column, Report, ReportTable
from roget.report.comparison.figures import list_names
from roget.report.figures import BLUE, GREY, styled
from roget.report.format import UNDEFINED, number, plural
from roget.scoring.ranks.result import Ranking, RankRow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LONGEST_NAME = 26
MOST_SHOWN = 24
"""Maximum number of systems for which matrices are printed."""

SOURCES = {
    "tasks": "the tasks are a sample of a domain",
    "tasks+runs": "tasks and runs are samples",
    "se": "standard errors of the scores, with fixed tasks",
    "repeats": "repeated scores, with fixed tasks",
}
CRITERIA = {"mean": "mean score", "rank": "mean rank"}


def report(ranking: Ranking) -> Report:
    """Report the systems with ranks, intervals, tiers and probabilities, best first."""
    return Report(
        title=ranking.title or "Ranking",
        lead=_lead(ranking),
        tables=[_board(ranking), *_matrices(ranking)],
        notes=_notes(ranking),
        warnings=ranking.warnings,
        signature=ranking.signature,
        titled=bool(ranking.title),
        caption=". ".join([*([ranking.title] if ranking.title else []), *_lead(ranking)]) + ".",
        data=ranking.as_dict(),
        sheet=_sheet(ranking),
        picture=lambda: draw(ranking),
    )


def _lead(ranking: Ranking) -> list[str]:
    lines = [
        f"{plural(len(ranking.rows), 'system')}, {plural(len(ranking.tasks), 'task')}, ranked by "
        f"{CRITERIA[ranking.by]}"
    ]
    if ranking.has_intervals:
        tiers = max(row.tier or 0 for row in ranking.rows)
        lines.append(
            f"{plural(tiers, 'tier')}; {ranking.interval} 95% rank intervals "
            f"({SOURCES[ranking.uncertainty]})"
        )
    return lines


def _board(ranking: Ranking) -> ReportTable:
    """Return a table with one row per system: rank, interval, tier, scores and probabilities."""
    tested, mixed = ranking.has_intervals, ranking.rows[0].mean is None
    top = min(ranking.top, len(ranking.rows))
    columns = [
        Column("rank", right=True, fit="keep"),
        *([Column("95% interval", fit="keep"), Column("tier", right=True)] if tested else []),
        Column("system", fit="keep", most=LONGEST_NAME),
        *Column.numbers(*([] if mixed else ["mean"]), "mean rank", "Borda", fit="keep"),
        *Column.numbers(*(["p(first)", f"p(top {top})"] if tested else []), fit="keep"),
    ]
    rows = []
    for row in ranking.rows:
        tests = [_interval(ranking, row), str(row.tier)] if tested else []
        chances = [_share(row.first), _share(row.top)] if tested else []
        means = [] if mixed else [number(row.mean)]
        name = Cell(row.system, strong=row.tier == 1 if tested else row.rank == 1)
        numbers = f"{row.mean_rank:.2f}", f"{row.borda:.3f}"
        rows.append([str(row.rank), *tests, name, *means, *numbers, *chances])
    return ReportTable(columns, rows)


def _interval(ranking: Ranking, row: RankRow) -> str:
    low, high = ranking.bounds(row)
    return f"{low}–{high}" if low != high else str(low)


def _share(value: float | None) -> str:
    """Format a probability. Small values become "<.001", so "0.000" means exactly zero."""
    if value is None:
        return UNDEFINED
    return "<.001" if 0 < value < 0.0005 else f"{value:.3f}"


def _matrices(ranking: Ranking) -> Iterator[ReportTable]:
    """Yield matrices of pairwise wins and ranking probabilities, if requested and not too large."""
    if not ranking.show_details or len(ranking.rows) > MOST_SHOWN:
        return
    for title, values in (
        ("fraction of tasks on which the row beats the column", ranking.wins()),
        ("probability that the row is ahead of the column", ranking.ahead()),
    ):
        if values is None:
            continue
        rows = [
            [str(at), name, *("" if at == to else f"{one:.2f}" for to, one in enumerate(line, 1))]
            for at, (name, line) in enumerate(zip(ranking.systems, values, strict=True), 1)
        ]
        columns = [
            Column("", right=True),
            Column("", fit="keep", most=LONGEST_NAME),
            *Column.numbers(*(str(at) for at in range(1, len(rows) + 1)), fit="keep"),
        ]
        yield ReportTable(columns, rows, title=title, repeated=2)


def _notes(ranking: Ranking) -> list[str]:
    notes = ["Borda = fraction of the other systems beaten, averaged over tasks"]
    if ranking.has_intervals:
        notes.insert(
            0,
            "interval: from 1 + the number of significantly better systems to the number of "
            "systems that are not significantly worse; no two systems in the same tier differ "
            "significantly",
        )
    if ranking.show_details and len(ranking.rows) > MOST_SHOWN:
        notes.append(
            f"matrices of more than {MOST_SHOWN} systems are not printed; pass --save pairs=FILE"
        )
    return notes


def _sheet(ranking: Ranking) -> ReportTable:
    """Return a spreadsheet table at full precision, with the signature."""
    names = [one.name for one in fields(RankRow)]
    values = [[*(getattr(row, name) for name in names), ranking.signature] for row in ranking.rows]
    return ReportTable.of([*names, "signature"], values)


def draw(ranking: Ranking) -> Figure:
    """Draw the rank intervals of all systems. Tiers alternate in colour."""
    with styled():
        figure, axes = list_names(ranking.systems)
        for at, row in enumerate(ranking.rows):
            low, high = ranking.bounds(row)
            colour = BLUE if (row.tier or 1) % 2 else GREY
            if low is not None and high is not None:
                axes.plot([low, high], [at, at], color=colour, marker="|", lw=1.4, zorder=2)
            axes.plot(row.rank, at, "o", color=colour, ms=5, zorder=3)
        size = len(ranking.rows)
        axes.set_xlim(0.5, size + 0.5)
        axes.set_xticks(np.unique(np.linspace(1, size, min(size, 10)).round().astype(int)))
        kind = f" with {ranking.interval} 95% intervals" if ranking.has_intervals else ""
        axes.set_xlabel(f"rank by {CRITERIA[ranking.by]}{kind}")
    return figure
