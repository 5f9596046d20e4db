"""The report people read in a terminal."""

from __future__ import annotations

import io

from roget.report.rows import cells, header, reasons, summary
from roget.scoring.result import ScoreTable

WIDTH = 100


def render(table: ScoreTable) -> str:
    """At most 100 columns wide: what was scored, the scores, what to beware of, the signature."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="", show_edge=False)
    titles = header(table)
    for title in titles:
        grid.add_column(title, justify="left" if title in ("measure", "entropy") else "right")
    for row in cells(table):
        grid.add_row(*map(Text, row))
    out = io.StringIO()
    console = Console(file=out, width=WIDTH, color_system=None, highlight=False, emoji=False)
    console.print(Text(summary(table)))
    console.print()
    console.print(grid)
    console.print()
    for note in (*reasons(table), *table.warnings):
        console.print(Padding(Text(note), (0, 0, 0, 2)))
    if table.warnings or reasons(table):
        console.print()
    console.print(Text(table.signature, overflow="fold"), soft_wrap=True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
