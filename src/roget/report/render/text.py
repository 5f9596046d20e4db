"""Plain text renderer, for the terminal."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from roget.errors import spell_options
from roget.report import Cell, Column, Report, ReportTable
from roget.report.format import GAP, printable, width, with_code


def render(report: Report) -> str:
    """Render plain text of at most 100 columns.

    A brief report shows only the most important warnings and counts the rest.
    """
    brief = report.brief
    shown = report.warnings if brief is None else brief.warnings
    warnings = [_fill(with_code(warning), "! ", "  ") for warning in shown]
    if brief is not None and brief.more:
        more = "notice" if brief.more == 1 else "notices"
        warnings.append(spell_options(f"  {brief.more} more {more}: --all"))
    blocks = [
        _fill(report.title) if report.titled else "",
        "\n".join(_fill(line, after="  ") for line in report.lead),
        _fill(report.about),
        *(block for table in report.tables for block in _blocks(table)),
        "\n".join(map(_fill, report.notes)),
        "\n".join(warnings),
        report.signature if brief is None else brief.signature,
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _fill(line: str, before: str = "", after: str = "") -> str:
    # Do not break names such as [few-items] and --min-count at hyphens.
    return textwrap.fill(
        printable(line),
        width(),
        initial_indent=before,
        subsequent_indent=after,
        break_on_hyphens=False,
    ).rstrip()


def _blocks(table: ReportTable) -> Iterator[str]:
    """Yield the table, split into several tables if it is too wide."""
    rows, needed, batches = _split(table, table.rows)
    wide = any(sum(needed[at] for at in batch) > width() + GAP for batch in batches)
    if (wide or len(batches) > 1) and any(one.most is not None for one in table.columns):
        # Cut long names only if this avoids splitting the table, or if parts of the table are too
        # wide.
        cut = _split(table, table.shorten())
        if wide or len(cut[2]) == 1:
            rows, needed, batches = cut
    for number, columns in enumerate(batches):
        title = f"{table.title}\n" if table.title and not number else ""
        yield title + _grid(table, [[row[at] for at in columns] for row in rows], columns)


def _split(
    table: ReportTable, cells: Sequence[Sequence[Any]]
) -> tuple[list[list[str]], list[float], list[list[int]]]:
    """Return the formatted rows, the widths of the columns, and the columns of each part."""
    rows = [
        [_text(cell, column) for cell, column in zip(row, table.columns, strict=True)]
        for row in cells
    ]
    needed = table.widths(rows, GAP)
    if sum(needed) <= width() + GAP:
        return rows, needed, [list(range(len(needed)))]
    return rows, needed, table.batches(needed, width() + GAP)


def _text(cell: Any, column: Column) -> str:
    """Format a cell. Interval bounds are shown without leading zeros to save space."""
    if isinstance(cell, Cell):
        ends = cell.interval.replace("[0.", "[.").replace(" 0.", " .").replace("-0.", "-.")
        cell = str(Cell(cell.text, ends, cell.rank, cell.letters))
    if column.fit != "cut":
        return printable(cell)
    return printable(cell, width() if column.share else width() // 3)


def _grid(table: ReportTable, rows: Sequence[Sequence[str]], columns: Sequence[int]) -> str:
    """Format the given columns of a table.

    A table that fits the terminal and has only single-width characters is padded here. Other tables
    are passed to Rich, which wraps and cuts cells.
    """
    chosen = [table.columns[at] for at in columns]
    titles = [column.title.split("\n") if table.headed else [] for column in chosen]
    height = max(map(len, titles))
    heads = [[*[""] * (height - len(own)), *own] for own in titles]
    lines = [*map(list, zip(*heads, strict=True)), *map(list, rows)]
    least = [_least_width(column) for column in chosen]
    cells = zip(*lines, strict=True) if lines else [()] * len(chosen)
    widths = [max(at, 0, *map(len, column)) for at, column in zip(least, cells, strict=True)]
    gap = GAP if table.headed else 2
    total = sum(widths) + gap * (len(chosen) - 1)
    plain = all(
        sign < "\u0300" or sign in NARROW for line in lines for cell in line for sign in cell
    )
    if not plain or total > width() or any(column.share for column in chosen):
        return _wrap_grid(table, rows, chosen)
    texts = [
        (" " * gap)
        .join(
            cell.rstrip().rjust(size) if column.right else cell.ljust(size)
            for cell, size, column in zip(line, widths, chosen, strict=True)
        )
        .rstrip()
        for line in lines
    ]
    if table.headed:
        if table.above is not None and 0 < table.above < len(rows):
            texts.insert(height + table.above, "")
        texts.insert(height, "─" * max(total, 1))
    return "\n".join(texts)


def _least_width(column: Column) -> int:
    """Return the minimum width of a column whose cells may be cut, or 0 for other columns."""
    if column.fit != "cut" or column.share:
        return 0
    return max(map(len, column.title.split("\n"))) if column.right else 4


NARROW = frozenset("↑↓–—…≥≤−±×·“”‘’β─│├└")
"""Characters above U+02FF that are known to be one column wide."""


def _wrap_grid(table: ReportTable, rows: Sequence[Sequence[str]], chosen: Sequence[Column]) -> str:
    """Format a table that is too wide for the terminal, or has wide or combining characters."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(
        box=SIMPLE_HEAD if table.headed else None,
        show_header=table.headed,
        padding=(0, 1) if table.headed else (0, 2, 0, 0),
        pad_edge=False,
        show_edge=False,
        header_style="",
        expand=table.headed and any(column.share for column in chosen),
    )
    lines = max(column.title.count("\n") for column in chosen)
    for column in chosen:
        grid.add_column(
            Text("\n" * (lines - column.title.count("\n")) + column.title),
            justify="right" if column.right else "left",
            no_wrap=column.fit != "wrap",
            overflow="ellipsis" if column.fit == "cut" else "fold",
            min_width=_least_width(column) or None,
            ratio=column.share or None,
        )
    for at, row in enumerate(rows, 1):
        grid.add_row(*map(Text, row), end_section=at == table.above)
    out = io.StringIO()
    # In a notebook, Rich would display the grid instead of writing it to the file.
    console = Console(
        file=out,
        width=width(),
        color_system=None,
        highlight=False,
        emoji=False,
        force_jupyter=False,
    )
    console.print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
