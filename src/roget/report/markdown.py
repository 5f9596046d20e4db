"""The report for README files and issue trackers."""

from __future__ import annotations

from roget.report.rows import cells, header, reasons, summary
from roget.scoring.result import ScoreTable


def render(table: ScoreTable) -> str:
    """A pipe table with the notes and the signature below it."""
    titles = header(table)
    rule = [":--" if title in ("measure", "entropy") else "--:" for title in titles]
    lines = [table_line(row) for row in (titles, rule, *cells(table))]
    notes = [f"- {note}" for note in (*reasons(table), *table.warnings)]
    parts = [summary(table), "\n".join(lines), "\n".join(notes), f"`{table.signature}`"]
    return "\n\n".join(part for part in parts if part) + "\n"


def table_line(row: list[str]) -> str:
    """One row of a pipe table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
