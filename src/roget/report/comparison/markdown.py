"""The comparison for README files and issue trackers."""

from __future__ import annotations

from roget.report.comparison.rows import legend, lines, stability, summary, titles
from roget.report.markdown import table_line
from roget.scoring.comparison import Comparison


def render(comparison: Comparison) -> str:
    """A pipe table, best scores in bold, trivial answers in italics."""
    heads = ["system", "clusters", *titles(comparison)]
    rule = [":--", "--:", *[":--"] * len(titles(comparison))]
    rows = []
    for line in lines(comparison):
        cells = [f"**{cell}**" if cell.best else str(cell) for cell in line.cells]
        rows.append([f"*{line.name}*" if line.trivial else line.name, line.clusters, *cells])
    notes = [f"- {note}" for note in (*stability(comparison), *comparison.warnings)]
    parts = [
        f"{summary(comparison)}. {legend(comparison)}.",
        "\n".join(table_line(row) for row in (heads, rule, *rows)),
        "\n".join(notes),
        f"`{comparison.signature}`",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
