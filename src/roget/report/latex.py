"""The report for papers: a booktabs table."""

from __future__ import annotations

from roget.report.rows import cells, header, summary
from roget.scoring.result import ScoreTable

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "–": "--",
    "|": r"\textbar{}",
}


def escape(text: str) -> str:
    """Text that LaTeX prints as it is.

    >>> escape("50% of a_b")
    '50\\\\% of a\\\\_b'
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def render(table: ScoreTable) -> str:
    """A complete tabular; negative numbers in maths mode, the signature as a comment and a note."""
    titles = header(table)
    layout = "".join("l" if title in ("measure", "entropy") else "r" for title in titles)
    body = [" & ".join(map(_cell, row)) + r" \\" for row in cells(table)]
    lines = [
        f"% {summary(table)}",
        f"% {table.signature}",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        " & ".join(map(escape, titles)) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return f"${text}$" if text.startswith("-") else escape(text)
