"""LaTeX renderer: booktabs tables for papers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

from roget.report import Cell, Report, ReportTable
from roget.report.format import with_code

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\to$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "−": "$-$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "β": r"$\beta$",
    "τ": r"$\tau$",
    "…": r"\ldots{}",
    **dict.fromkeys("–─", "--"),
    **dict.fromkeys("|│├└", r"\textbar{}"),
}

_NEGATIVE = re.compile(r"-\d[!-~]*", re.ASCII)
_SIGN = re.compile(r"^-(?=\.?\d)", re.ASCII)


def escape(text: str) -> str:
    """Escape the special characters of LaTeX.

    >>> escape("50% of a_b")
    '50\\\\% of a\\\\_b'
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def render(report: Report) -> str:
    """Render booktabs tables. All other lines (lead, notes, warnings) become LaTeX comments.

    With a caption, tables float: in a column or, if they are wider, across both columns of a page.
    """
    remarks = (
        *report.lead,
        report.about,
        *report.notes,
        *map(with_code, (*report.warnings, *report.talk)),
        report.signature,
    )
    parts = [part for table in report.tables for part in _split(table)]
    lines: list[str] = []
    for number, part in enumerate(parts, 1):
        lines += (
            _float(report, number, part) if report.caption else [*part.heading, *_tabular(part)]
        )
    packages = ["booktabs"] if parts else []
    if report.caption and any(part.layout.squeezed for part in parts):
        packages.append("graphicx")
    needs = [rf"needs \usepackage{{{','.join(packages)}}}"] if packages else []
    comments = [f"% {' '.join(line.split())}" for line in (*needs, *remarks) if line]
    return "\n".join([*comments, *lines]) + "\n"


class Layout(NamedTuple):
    """The environment and the font size of a table."""

    environment: str
    room: float
    """The width of the environment, in points."""
    size: str
    """The font size of the table."""
    smaller: str
    """The font size of intervals, or an empty string if it is that of the table."""
    scale: float
    """The width of letters, relative to the first layout."""
    gap: float
    """The column separation on each side of a column, in points."""
    squeezed: bool = False
    """True if the table is scaled to the width of the environment."""


COLUMN, PAGE_WIDTH, SIGN = 219.0, 455.0, 4.8
"""Column and text width of two-column papers (ACL style), and letter width, in points."""

_SMALL = r"\small", r"\footnotesize", 1.0, 6.0
_FOOTNOTE = r"\footnotesize", r"\scriptsize", 0.9, 4.0

LAYOUTS = (
    Layout("table", COLUMN, *_SMALL),
    Layout("table", COLUMN, *_FOOTNOTE),
    Layout("table*", PAGE_WIDTH, *_SMALL),
    Layout("table*", PAGE_WIDTH, *_FOOTNOTE),
    Layout("table*", PAGE_WIDTH, r"\scriptsize", "", 0.85, 3.0),
)
"""The layouts of tables. The first one in which a table fits is used."""

SMALLEST = 0.8
"""Smallest factor by which a table is scaled down to fit the page. Wider tables are split."""

PAGE = 40
"""Maximum number of rows per page."""


class Part(NamedTuple):
    """A table, or the part of a table that fits on a page."""

    table: ReportTable
    columns: list[int]
    begin: int
    """The first row."""
    layout: Layout

    @property
    def heading(self) -> list[str]:
        """The title of the table, as a comment."""
        return [f"% {' '.join(self.table.title.split())}"] if self.table.title else []


def _split(table: ReportTable) -> Iterator[Part]:
    """Yield a table, or several parts of it if it is too wide or too long for a page."""
    needed = table.widths(table.rows, 0.0, _width)
    last = LAYOUTS[-1]
    gap, room = 2 * last.gap, last.room / SMALLEST
    padded = [last.scale * width + gap for width in needed]
    whole = [list(range(len(needed)))]
    for columns in table.batches(padded, room + gap) if sum(padded) > room + gap else whole:
        content = sum(needed[at] for at in columns)
        fitting = (
            one
            for one in LAYOUTS
            if one.scale * content + 2 * one.gap * (len(columns) - 1) <= one.room
        )
        layout = next(fitting, last._replace(squeezed=True))
        for begin in range(0, max(len(table.rows), 1), PAGE):
            yield Part(table, columns, begin, layout)


def _float(report: Report, number: int, part: Part) -> Iterator[str]:
    """Yield a floating table with a caption, a label and notes below the first table."""
    name, size = part.layout.environment, part.layout.size
    first = re.sub(r"[^a-z0-9]+", "-", report.title.lower() if report.titled else "scores")
    again = "" if number == 1 else f"-{number}"
    yield rf"\begin{{{name}}}"
    yield rf"\centering{size}"
    if part.layout.gap != LAYOUTS[0].gap:
        yield rf"\setlength{{\tabcolsep}}{{{part.layout.gap:g}pt}}"
    squeezed = part.layout.squeezed
    yield from [r"\resizebox{\textwidth}{!}{%"] if squeezed else []
    yield from _tabular(part)
    yield from ["}"] if squeezed else []
    if number == 1:
        legend = f"{report.legend[:1].upper()}{report.legend[1:]}"
        text = " ".join(f"{one.removesuffix('.')}." for one in (legend, *report.notes) if one)
        if text:
            yield rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize {escape(text)}}}"
        caption = report.caption
    else:
        caption = f"{report.title if report.titled else 'Scores'} (continued)."
    title = part.table.title
    yield rf"\caption{{{escape(f'{title[0].upper()}{title[1:]}.' if title else caption)}}}"
    yield rf"\label{{tab:{first[:40].strip('-') or 'scores'}{again}}}"
    yield rf"\end{{{name}}}"


def _tabular(part: Part) -> Iterator[str]:
    """Yield the lines of a tabular."""
    table, columns, begin, layout = part
    form = "".join("r" if table.columns[at].right else "l" for at in columns)
    yield rf"\begin{{tabular}}{{@{{}}{form}@{{}}}}"
    yield r"\toprule"
    if table.headed:
        titles = [table.columns[at].title.split("\n") for at in columns]
        for line in zip_longest(*titles, fillvalue=""):
            yield " & ".join(map(_cell, line)) + r" \\"
        yield r"\midrule"
    for at, row in enumerate(table.rows[begin : begin + PAGE], begin):
        if at > begin and at == table.above:
            yield r"\midrule"
        yield " & ".join(_cell(row[column], layout.smaller) for column in columns) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _width(cell: Any) -> float:
    """Return the approximate width of a cell."""
    if not isinstance(cell, Cell):
        return SIGN * len(str(cell))
    small = 0.75 * len(cell.letters) + 0.9 * len(cell.interval) + bool(cell.interval)
    return SIGN * (len(cell.text) * (1.1 if cell.strong else 1.0) + small)


def _cell(cell: Any, smaller: str = "") -> str:
    """Format a cell: negative numbers in maths mode, superscript letters, small intervals."""
    if not isinstance(cell, Cell):
        text = " ".join(str(cell).split())
        if _NEGATIVE.fullmatch(text):
            return f"${text}$"
        # In a number with ±, put only this sign in maths mode.
        return _SIGN.sub("$-$", escape(text))
    text = _cell(cell.text)
    text = rf"\textbf{{{text}}}" if cell.strong else text
    text = rf"\textit{{{text}}}" if cell.slanted else text
    if cell.letters:
        text += rf"\textsuperscript{{{cell.letters}}}"
    if cell.interval:
        interval = escape(cell.interval).replace("-", "$-$")
        text += f" {{{smaller} {interval}}}" if smaller else f" {interval}"
    return text
