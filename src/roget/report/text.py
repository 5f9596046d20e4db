"""The report people read in a terminal."""

from __future__ import annotations

import io
import shutil
import textwrap

from roget.report.rows import NUMBERS, cells, detail_tables, header, reasons, summary
from roget.scoring.result import ScoreTable

WIDTH = 100


def width() -> int:
    """At most 100 columns, fewer where the terminal (or COLUMNS) has fewer."""
    return max(60, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))


def render(table: ScoreTable) -> str:
    """At most 100 columns wide: what was scored, the scores, what to beware of, the signature."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False)
    titles = header(table)
    for title in titles:
        grid.add_column(title, justify="left" if title in ("measure", "entropy") else "right")
    for row in cells(table):
        grid.add_row(*map(Text, row))
    out = io.StringIO()
    console = Console(file=out, width=width(), color_system=None, highlight=False, emoji=False)
    console.print(Text(summary(table)))
    console.print()
    console.print(grid)
    console.print()
    if table.details is not None:
        for title, heads, lines in detail_tables(table.details):
            console.print(Text(title))
            shown = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False)
            for head in heads:
                shown.add_column(head, justify="right" if head in NUMBERS else "left")
            for line in lines:
                shown.add_row(*map(Text, line))
            console.print(shown)
            console.print()
    notes = (*reasons(table), *table.warnings)
    for note in notes:
        out.write(textwrap.fill(note, width(), initial_indent="! ", subsequent_indent="  ") + "\n")
    if notes:
        console.print()
    out.write(table.signature + "\n")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
