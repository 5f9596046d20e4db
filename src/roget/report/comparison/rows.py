"""A comparison as rows of text, for every format alike."""

from __future__ import annotations

from dataclasses import dataclass

from roget.report.rows import ARROWS, UNDEFINED, number
from roget.scoring.comparison import Comparison, SystemRow


@dataclass(frozen=True)
class Cell:
    """One score of one system, in parts that a format may set apart."""

    value: str
    interval: str
    rank: str
    letters: str
    best: bool

    def __str__(self) -> str:
        parts = (self.value, self.interval, f"({self.rank})" if self.rank else "", self.letters)
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class Line:
    """One system, or trivial answer, across all scores."""

    name: str
    trivial: bool
    clusters: str
    cells: tuple[Cell, ...]


def titles(comparison: Comparison) -> list[str]:
    """What each score column holds, with the direction that is better."""
    directions = {(row.measure, row.entropy): row.direction for row in comparison.rows}
    return [
        " ".join(filter(None, (measure, entropy, ARROWS[directions[measure, entropy]])))
        for measure, entropy in comparison.scores
    ]


def lines(comparison: Comparison) -> list[Line]:
    """Systems best first by the first score, then the trivial answers."""
    by_name: dict[str, list[SystemRow]] = {}
    for row in comparison.rows:
        by_name.setdefault(row.system, []).append(row)
    systems = sorted(
        (name for name in by_name if not by_name[name][0].trivial),
        key=lambda name: (by_name[name][0].rank is None, by_name[name][0].rank),
    )
    trivial = [name for name in by_name if by_name[name][0].trivial]
    return [_line(name, by_name[name]) for name in (*systems, *trivial)]


def _line(name: str, rows: list[SystemRow]) -> Line:
    clusters = rows[0].clusters
    return Line(
        name,
        rows[0].trivial,
        "" if clusters is None else f"{clusters:.1f}",
        tuple(_cell(row) for row in rows),
    )


def _cell(row: SystemRow) -> Cell:
    interval = ""
    if row.low is not None and row.high is not None:
        interval = f"[{number(row.low)}, {number(row.high)}]"
    rank = "" if row.rank is None else str(row.rank)
    value = UNDEFINED if row.value is None else number(row.value)
    return Cell(value, interval, rank, row.letters or "", row.rank == 1)


def summary(comparison: Comparison) -> str:
    """One line about the data."""
    systems = len(comparison.systems)
    text = f"{systems} system{'s' if systems != 1 else ''}, {comparison.items:,} items"
    if comparison.groups == 1:
        return f"{text}, {comparison.classes:.0f} classes"
    return f"{text} in {comparison.groups:,} groups, {comparison.classes:.1f} classes per group"


def legend(comparison: Comparison) -> str:
    """How to read the cells."""
    text = "score (rank)"
    if any(row.low is not None for row in comparison.rows):
        text = "score [95% interval] (rank)"
    if comparison.pairs:
        text += "; systems that share a letter do not differ (p ≥ .05 after Holm)"
    return text


def stability(comparison: Comparison) -> list[str]:
    """How much the ranking of each measure depends on the estimator."""
    return [
        f"{found['measure']}: Kendall's τ of the rankings under {found['a']} and {found['b']} is "
        f"{UNDEFINED if found['tau'] is None else format(found['tau'], '.2f')}; "
        f"{found['moved']} moves most, from rank {found['from']} to {found['to']}"
        for found in comparison.stability()
        if found["from"] != found["to"]
    ]
