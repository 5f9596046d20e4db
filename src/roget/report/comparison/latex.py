"""The comparison for papers: a booktabs table."""

from __future__ import annotations

from roget.report.comparison.rows import Cell, lines, summary, titles
from roget.report.latex import escape
from roget.scoring.comparison import Comparison


def render(comparison: Comparison) -> str:
    """Best scores bold, letters raised, intervals small, trivial answers below a rule."""
    heads = titles(comparison)
    body: list[str] = []
    for line in lines(comparison):
        if line.trivial and r"\midrule" not in body:
            body.append(r"\midrule")
        name = escape(line.name)
        cells = [rf"\textit{{{name}}}" if line.trivial else name, line.clusters]
        body.append(" & ".join([*cells, *map(_cell, line.cells)]) + r" \\")
    return "\n".join(
        [
            f"% {summary(comparison)}",
            f"% {comparison.signature}",
            rf"\begin{{tabular}}{{lr{'l' * len(heads)}}}",
            r"\toprule",
            " & ".join(["system", "clusters", *map(escape, heads)]) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _cell(cell: Cell) -> str:
    value = f"${cell.value}$" if cell.value.startswith("-") else escape(cell.value)
    text = rf"\textbf{{{value}}}" if cell.best else value
    if cell.letters:
        text += rf"\textsuperscript{{{cell.letters}}}"
    if cell.interval:
        text += rf" {{\footnotesize {escape(cell.interval).replace('-', '$-$')}}}"
    return text
