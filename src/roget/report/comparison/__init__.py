"""A comparison of several systems as a report: `roget compare`."""

from __future__ import annotations

from roget.report import Cell, Column, Report, Table
from roget.report.comparison import pictures
from roget.report.format import ARROWS, UNDEFINED, number, plural
from roget.scoring.comparison import Comparison, SystemRow

LONGEST_NAME = 26

FIELDS = (
    "system", "trivial", "clusters", "measure", "entropy", "value", "low", "high", "better",
    "rank", "letters", "first", "reason",
)  # fmt: skip


def report(comparison: Comparison) -> Report:
    """Systems best first, then the trivial answers; the page goes into detail."""

    def page() -> str:
        from roget.report.comparison.html import render

        return render(comparison)

    return Report(
        title="Systems compared",
        lead=[_summary(comparison), _legend(comparison)],
        tables=[_board(comparison)],
        warnings=[*_stability(comparison), *comparison.warnings],
        signature=comparison.signature,
        data=comparison.as_dict(),
        sheet=_sheet(comparison),
        page=page,
    )


def _board(comparison: Comparison) -> Table:
    """A row for each system, by its rank under the first score, then the trivial answers."""
    better = pictures.directions(comparison)
    titles = [" ".join(filter(None, (*score, ARROWS[better[score]]))) for score in better]
    lines = pictures.board(comparison)
    columns = [
        Column("system", fit="keep", most=LONGEST_NAME),
        Column("clusters", right=True),
        *(Column(title, fit="keep") for title in titles),
    ]
    above = sum(not rows[0].trivial for rows in lines)
    return Table(columns, [_line(rows) for rows in lines], above=above, repeated=2)


def _line(rows: list[SystemRow]) -> list[Cell | str]:
    clusters = rows[0].clusters
    name = Cell(rows[0].system, slanted=rows[0].trivial)
    return [name, "" if clusters is None else f"{clusters:.1f}", *map(_cell, rows)]


def _cell(row: SystemRow) -> Cell:
    interval = ""
    if row.low is not None and row.high is not None:
        interval = f"[{number(row.low)}, {number(row.high)}]"
    rank = "" if row.rank is None else str(row.rank)
    return Cell(number(row.value), interval, rank, row.letters or "", strong=row.rank == 1)


def _sheet(comparison: Comparison) -> Table:
    """All digits; the signature is a column, so that it stays with the scores."""
    rows = [row.as_dict() for row in comparison.rows]
    values = [[*map(row.get, FIELDS), comparison.signature] for row in rows]
    return Table.of([*FIELDS, "signature"], values)


def _summary(comparison: Comparison) -> str:
    systems = plural(len(comparison.systems), "system")
    text = f"{systems}, {comparison.items:,} items"
    if comparison.groups == 1:
        return f"{text}, {comparison.classes:.0f} classes"
    return f"{text} in {comparison.groups:,} groups, {comparison.classes:.1f} classes per group"


def _legend(comparison: Comparison) -> str:
    """How to read the cells."""
    drawn = any(row.low is not None for row in comparison.rows)
    text = f"score{' [95% interval]' if drawn else ''} (rank)"
    if comparison.pairs:
        text += "; systems that share a letter do not differ (p ≥ .05 after Holm)"
    return text


def _stability(comparison: Comparison) -> list[str]:
    """How much the ranking of each measure depends on the estimator."""
    return [
        f"{found['measure']}: Kendall's τ of the rankings under {found['a']} and {found['b']} is "
        f"{UNDEFINED if found['tau'] is None else format(found['tau'], '.2f')}; "
        f"{found['moved']} moves most, from rank {found['from']} to {found['to']}"
        for found in comparison.stability()
        if found["from"] != found["to"]
    ]
