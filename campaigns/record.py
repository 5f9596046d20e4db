"""Write the results of a campaign into a page of the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from harness.environment import describe_machine, format_machine
from harness.pages import BLOCK, fill_blocks

from roget.report import Report, ReportTable

DOCS = Path(__file__).resolve().parents[1] / "docs"


def record(
    name: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    told: str,
    seed: int,
    libraries: Iterable[str] = (),
    page_of: str | None = None,
) -> Path:
    """Write a table, a summary, the machine and the versions into the page of a campaign.

    The block on the page has the name of the campaign; `page_of` names another page.
    """
    page = DOCS / f"{page_of or name}.md"
    if name not in [mark[2] for mark in BLOCK.finditer(page.read_text(encoding="utf-8"))]:
        raise SystemExit(f"{page}: expected <!-- measured: {name} --> and <!-- end -->")
    cells = [[_show(value) for value in row] for row in rows]
    table = (
        Report("", tables=[ReportTable.of(columns, cells, columns[1:])])
        .render("markdown")
        .strip("\n")
    )
    measured = format_machine(describe_machine(libraries))
    fill_blocks(page, {name: f"\n{table}\n\n{told}\n\n(Seed {seed}; {measured}.)\n\n"})
    return page


def _show(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
