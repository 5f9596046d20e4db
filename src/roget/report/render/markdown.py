"""Markdown renderer, for README files and issue trackers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roget.report import Cell, Report, ReportTable
from roget.report.format import with_code


def render(report: Report) -> str:
    """Render pipe tables, followed by the notes and the signature."""
    parts = [
        f"**{report.title}**" if report.titled else "",
        "\n".join(report.lead),
        report.about,
        *(part for table in report.tables for part in _table(table)),
        *report.notes,
        "\n".join(f"- {with_code(warning)}" for warning in (*report.warnings, *report.talk)),
        f"`{report.signature}`" if report.signature else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(table: ReportTable) -> Iterator[str]:
    if table.title:
        yield f"**{table.title}**"
    titles = [column.title if table.headed else "" for column in table.columns]
    rule = ["--:" if column.right else ":--" for column in table.columns]
    lines = (" | ".join(map(_cell, row)) for row in (titles, rule, *table.rows))
    yield "\n".join(f"| {line} |" for line in lines)


def _cell(cell: Any) -> str:
    text = " ".join(str(cell).replace("|", "\\|").splitlines())
    if isinstance(cell, Cell):
        mark = "**" * cell.strong + "*" * cell.slanted
        return f"{mark}{text}{mark}"
    return text
