"""The comparison people read in a terminal."""

from __future__ import annotations

import io
import textwrap

from roget.report.comparison.rows import Cell, legend, lines, stability, summary, titles
from roget.report.text import width
from roget.scoring.comparison import Comparison

LONGEST_NAME = 26


def render(comparison: Comparison) -> str:
    """Tables of as many scores as fit side by side, one under the other."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = io.StringIO()
    console = Console(file=out, width=width(), color_system=None, highlight=False, emoji=False)
    rows, heads = lines(comparison), titles(comparison)
    console.print(Text(summary(comparison)))
    console.print(Text(legend(comparison)))
    for columns in _fitting(comparison):
        grid = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False)
        grid.add_column("system", no_wrap=True)
        grid.add_column("clusters", justify="right")
        for column in columns:
            grid.add_column(heads[column], no_wrap=True)
        for at, row in enumerate(rows):
            cells = [Text(_cell(row.cells[column])) for column in columns]
            last = at + 1 < len(rows) and rows[at + 1].trivial and not row.trivial
            grid.add_row(Text(_short(row.name)), row.clusters, *cells, end_section=last)
        console.print()
        console.print(grid)
    notes = (*stability(comparison), *comparison.warnings)
    if notes:
        console.print()
    for note in notes:
        out.write(textwrap.fill(note, width(), initial_indent="! ", subsequent_indent="  ") + "\n")
    out.write(f"\n{comparison.signature}\n")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _fitting(comparison: Comparison) -> list[list[int]]:
    """Score columns in batches that fit the width beside names and clusters."""
    rows, heads = lines(comparison), titles(comparison)
    taken = max(len(_short(row.name)) for row in rows) + len("   clusters")
    room = width() - taken
    batches: list[list[int]] = []
    left = 0
    for column, head in enumerate(heads):
        needed = max(len(head), *(len(_cell(row.cells[column])) for row in rows)) + 3
        if not batches or needed > left:
            batches.append([])
            left = room
        batches[-1].append(column)
        left -= needed
    return batches


def _cell(cell: Cell) -> str:
    """A cell in little room: the ends of the interval lose their leading zeros."""
    ends = cell.interval.replace("[0.", "[.").replace(" 0.", " .").replace("-0.", "-.")
    parts = (cell.value, ends, f"({cell.rank})" if cell.rank else "", cell.letters)
    return " ".join(part for part in parts if part)


def _short(name: str) -> str:
    """A name that leaves room for scores: its middle goes first."""
    if len(name) <= LONGEST_NAME:
        return name
    half = (LONGEST_NAME - 1) // 2
    return f"{name[:half]}…{name[-half:]}"
