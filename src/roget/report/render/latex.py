"""The report for papers: booktabs tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from roget.report import Cell, Report, Table
from roget.report.render import suffixes

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
    "β": r"$\beta$",
    "τ": r"$\tau$",
    "…": r"\ldots{}",
    **dict.fromkeys("–─", "--"),
    **dict.fromkeys("|│├└", r"\textbar{}"),
}

_NEGATIVE = re.compile(r"-\d[!-~]*", re.ASCII)


def escape(text: str) -> str:
    """Text that LaTeX prints as it is.

    >>> escape("50% of a_b")
    '50\\\\% of a\\\\_b'
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


@suffixes(".tex")
def render(report: Report) -> str:
    """Tabulars of booktabs; what else there is to say stands in comments."""
    said = (
        *report.lead,
        report.about,
        *report.notes,
        *report.warnings,
        *report.talk,
        report.signature,
    )
    lines = [f"% {' '.join(line.split())}" for line in said if line]
    for table in report.tables:
        lines += _lines(table)
    return "\n".join(lines) + "\n"


def _lines(table: Table) -> Iterator[str]:
    if table.title:
        yield f"% {' '.join(table.title.split())}"
    layout = "".join("r" if column.right else "l" for column in table.columns)
    yield rf"\begin{{tabular}}{{{layout}}}"
    yield r"\toprule"
    if table.headed:
        yield " & ".join(_cell(column.title) for column in table.columns) + r" \\"
        yield r"\midrule"
    for at, row in enumerate(table.rows):
        if at and at == table.above:
            yield r"\midrule"
        yield " & ".join(map(_cell, row)) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _cell(cell: Any) -> str:
    """Negative numbers in maths mode; best ones bold, letters raised, intervals small."""
    if not isinstance(cell, Cell):
        text = " ".join(str(cell).split())
        return f"${text}$" if _NEGATIVE.fullmatch(text) else escape(text)
    text = _cell(cell.text)
    text = rf"\textbf{{{text}}}" if cell.strong else text
    text = rf"\textit{{{text}}}" if cell.slanted else text
    if cell.letters:
        text += rf"\textsuperscript{{{cell.letters}}}"
    if cell.interval:
        text += rf" {{\footnotesize {escape(cell.interval).replace('-', '$-$')}}}"
    return text
