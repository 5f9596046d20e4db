"""The one place that turns a score table into rows of text, for every format alike."""

from __future__ import annotations

from collections.abc import Iterator

from roget.scoring.diagnostics import Details
from roget.scoring.result import ScoreRow, ScoreTable

ARROWS = {"higher": "↑", "lower": "↓"}
UNDEFINED = "–"


def number(value: float | None) -> str:
    """A score as people read it: three decimals, or more digits where it is large.

    >>> number(0.0314159), number(None), number(183749.0), number(-0.00001)
    ('0.031', '–', '1.837e+05', '0.000')
    """
    if value is None:
        return UNDEFINED
    return f"{value:z.3f}" if abs(value) < 1000 else f"{value:.4g}"


def baseline_names(table: ScoreTable) -> list[str]:
    """The trivial answers that have a column."""
    return list(dict.fromkeys(name for row in table.rows for name in row.baselines))


def header(table: ScoreTable) -> list[str]:
    """Column titles; the entropy column only where a measure uses one."""
    first = ["measure", "entropy"] if _entropies(table) else ["measure"]
    ends = ["low", "high"] if _intervals(table) else []
    return [*first, "score", *ends, *baseline_names(table)]


def cells(table: ScoreTable) -> list[list[str]]:
    """One list of texts per row, under `header`."""
    return [_cells(row, table) for row in table.rows]


def _cells(row: ScoreRow, table: ScoreTable) -> list[str]:
    first = [f"{row.measure} {ARROWS[row.direction]}"]
    if _entropies(table):
        first.append(row.entropy or "")
    against = [number(row.baselines.get(name)) for name in baseline_names(table)]
    ends = [number(row.low), number(row.high)] if _intervals(table) else []
    return [*first, number(row.value), *ends, *against]


def _intervals(table: ScoreTable) -> bool:
    return any(row.low is not None for row in table.rows)


def _entropies(table: ScoreTable) -> bool:
    return any(row.entropy is not None for row in table.rows)


def reasons(table: ScoreTable) -> list[str]:
    """Why some scores have no value."""
    return [f"{row.measure}: {row.reason}" for row in table.rows if row.value is None]


def summary(table: ScoreTable) -> str:
    """One line about the data."""
    items = f"{table.items:,} item{'s' if table.items != 1 else ''}"
    if table.groups == 1:
        classes = f"{table.classes:.0f} class{'es' if table.classes != 1 else ''}"
        clusters = f"{table.clusters:.0f} cluster{'s' if table.clusters != 1 else ''}"
        return f"{items}, {classes}, {clusters}"
    per_group = f"{table.classes:.1f} classes and {table.clusters:.1f} clusters per group"
    return f"{items} in {table.groups:,} groups, {per_group}"


NUMBERS = ("items", "classes", "clusters", "score", "share")
"""Columns of details that hold numbers."""


def detail_tables(details: Details) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Title, column heads and rows of each list of details that has any."""
    if details.worst:
        heads = ["group", "items", "classes", "clusters", "score"]
        rows = [
            [g.group, f"{g.items:g}", str(g.classes), str(g.clusters), number(g.value)]
            for g in details.worst
        ]
        yield f"groups with the worst {details.score}", heads, rows
    for title, sets, part, other in (
        ("clusters that mix classes", details.mixed, "classes", "largest class"),
        ("classes that are scattered", details.scattered, "clusters", "largest cluster"),
    ):
        kind = "cluster" if part == "classes" else "class"
        rows = [
            [s.name, s.group, f"{s.size:.4g}", str(s.parts), s.largest, f"{s.share:.0%}"]
            for s in sets
        ]
        if rows:
            yield title, [kind, "group", "items", part, other, "share"], rows
