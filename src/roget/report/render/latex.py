"""LaTeX renderer: booktabs tables for papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

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
    """Render booktabs tables. All other lines (lead, notes, warnings) become LaTeX comments."""
    remarks = (
        *report.lead,
        report.about,
        *report.notes,
        *map(with_code, (*report.warnings, *report.talk)),
        report.signature,
    )
    needs = [r"needs \usepackage{booktabs}"] if report.tables else []
    lines = [f"% {' '.join(line.split())}" for line in (*needs, *remarks) if line]
    parts = [part for table in report.tables for part in _parts(table)]
    for number, part in enumerate(parts, 1):
        lines += _float(report, number, part) if report.caption else part
    return "\n".join(lines) + "\n"


def _float(report: Report, number: int, part: Iterable[str]) -> Iterator[str]:
    """Yield a floating table with a caption, and a label made from the first words of the caption.

    The caption explains abbreviations. Further parts of the table repeat only the first words.
    """
    caption = report.caption
    first = re.sub(r"[^a-z0-9]+", "-", caption.partition(". ")[0].lower())[:40].strip("-")
    again = "" if number == 1 else f"-{number}"
    yield r"\begin{table}"
    yield r"\centering\small"
    if again:
        text = f"{caption.partition('. ')[0].removesuffix('.')} (continued)."
    else:
        text = " ".join([caption, *(f"Note: {note.removesuffix('.')}." for note in report.notes)])
    yield rf"\caption{{{escape(text)}}}"
    yield rf"\label{{tab:{first or 'scores'}{again}}}"
    yield from part
    yield r"\end{table}"


def _parts(table: ReportTable) -> Iterator[list[str]]:
    """Yield one tabular, or several if the table is too wide for a line or too long for a page."""
    rows = [list(row) for row in table.rows]
    needed = table.widths(rows, GAP, _width)
    named = [f"% {' '.join(table.title.split())}"] if table.title else []
    for columns in table.batches(needed, LINE + GAP):
        for begin in range(0, max(len(rows), 1), PAGE):
            yield [*named, *_tabular(table, rows, columns, begin)]


def _tabular(
    table: ReportTable, rows: list[list[Any]], columns: list[int], begin: int
) -> Iterator[str]:
    """Yield the lines of a tabular that holds the rows of one page."""
    layout = "".join("r" if table.columns[at].right else "l" for at in columns)
    yield rf"\begin{{tabular}}{{{layout}}}"
    yield r"\toprule"
    if table.headed:
        titles = [table.columns[at].title.split("\n") for at in columns]
        for line in zip_longest(*titles, fillvalue=""):
            yield " & ".join(map(_cell, line)) + r" \\"
        yield r"\midrule"
    for at, row in enumerate(rows[begin : begin + PAGE], begin):
        if at > begin and at == table.above:
            yield r"\midrule"
        yield " & ".join(_cell(row[column]) for column in columns) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


LINE, GAP, SIGN = 345.0, 12.0, 4.8
"""Text width of LaTeX's article class, column separation, and width of a letter, in points."""

PAGE = 40
"""Maximum number of rows per page."""


def _width(cell: Any) -> float:
    """Return the approximate width of a cell."""
    if not isinstance(cell, Cell):
        return SIGN * len(str(cell))
    small = 0.75 * len(cell.letters) + 0.9 * len(cell.interval) + bool(cell.interval)
    return SIGN * (len(cell.text) * (1.1 if cell.strong else 1.0) + small)


def _cell(cell: Any) -> str:
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
        text += rf" {{\footnotesize {escape(cell.interval).replace('-', '$-$')}}}"
    return text
