"""Report of `roget agree`: the agreement between clusterings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roget.errors import Undefined
from roget.report import Cell, Column, Report, ReportTable
from roget.report.agreement.parts import (
    distance_name,
    group_rows,
    leaf_order,
    name_typical,
    summary,
)
from roget.report.format import ARROWS, branches, ends, name_score, number, plural, size_form
from roget.report.legend import explain_scores
from roget.scoring.agreement.result import Agreement, AgreementTree, MeanRow
from roget.scoring.results import none_if_nan

LONGEST_NAME = 26
MOST_SHOWN = 24
"""Maximum number of clusterings for which matrices and trees are printed."""

FIELDS = ("a", "b", "measure", "entropy", "value", "low", "high", "better", "items", "reason")


def report(found: Agreement) -> Report:
    """Report each clustering's typicality, the spread of the scores, score matrices and a tree."""

    def page() -> str:
        from roget.report.agreement.html import render

        return render(found)

    shown = len(found.systems) <= MOST_SHOWN
    hidden = (
        f"matrices of more than {MOST_SHOWN} clusterings are written only to FILE.html or FILE.csv"
    )
    notes = [] if shown else [hidden]
    return Report(
        title="Agreement of clusterings",
        lead=[summary(found), *name_typical(found)],
        tables=[
            _board(found),
            *([_spread(found)] if len(found.systems) > 2 else []),
            *(_matrices(found) if shown else ()),
            *(_tree(found) if shown else ()),
        ],
        notes=[*explain_scores(found.scores), *notes],
        warnings=[*_reasons(found), *found.warnings],
        signature=found.signature,
        data=found.as_dict(),
        sheet=_sheet(found),
        page=page,
    )


def _board(found: Agreement) -> ReportTable:
    titles = [
        " ".join(filter(None, (str(wanted), entropy, ARROWS[wanted.direction])))
        for wanted, entropy in found.requests
    ]
    columns = [
        Column("clustering", fit="keep", most=LONGEST_NAME),
        Column("clusters", right=True),
        *(Column(text, fit="keep") for text in titles),
    ]
    form = size_form(found.clusters, found.groups)
    rows = [
        [rows[0].system, f"{rows[0].clusters:{form}}", *map(_cell, rows)]
        for rows in group_rows(found)
    ]
    title = "mean agreement with the other clusterings (rank)"
    return ReportTable(columns, rows, title=title, repeated=2)


def _cell(row: MeanRow) -> Cell:
    rank = "" if row.rank is None else str(row.rank)
    return Cell(number(row.value), ends(row.low, row.high), rank, strong=row.rank == 1)


def _spread(found: Agreement) -> ReportTable:
    numbers = ["pairs", "mean", "deviation", "least", "median", "most"]
    rows = [
        [
            f"{line['measure']} {ARROWS[line['better']]}",
            line["entropy"] or "",
            f"{line['pairs']:,}",
            *(number(line[name]) for name in numbers[1:]),
        ]
        for line in found.spread()
    ]
    counts = found.clusters
    some = [min(counts), sum(counts) / len(counts), max(counts)]
    sizes = f"clusters: {some[0]:.4g} to {some[2]:.4g}, mean {some[1]:.4g}"
    titles = ["measure", "entropy", *numbers]
    return ReportTable.of(titles, rows, numbers, title=f"over all pairs ({sizes})")


def _matrices(found: Agreement) -> Iterator[ReportTable]:
    """Yield a matrix of all pairs for each score, with the clusterings in the same order."""
    order = leaf_order(found)
    for r, (wanted, _) in enumerate(found.requests):
        values, low, high = found.matrices.values[r], found.matrices.low[r], found.matrices.high[r]
        rows: list[list[Any]] = []
        for at, i in enumerate(order):
            cells = [
                Cell(
                    number(none_if_nan(values[i, j])),
                    ends(none_if_nan(low[i, j]), none_if_nan(high[i, j])),
                )
                for j in order
            ]
            rows.append([str(at + 1), found.systems[i], *cells])
        ways = "" if wanted.symmetric else "; the clustering of the row is taken as gold"
        yield ReportTable(
            [
                Column("", right=True),
                Column("", fit="keep", most=LONGEST_NAME),
                *Column.numbers(*(str(at + 1) for at in range(len(order))), fit="keep"),
            ],
            rows,
            title=f"{name_score(*found.scores[r])} {ARROWS[wanted.direction]}{ways}",
            repeated=2,
        )


def _tree(found: Agreement) -> Iterator[ReportTable]:
    """Yield the tree for the first score that permits one, if there are at least 3 clusterings."""
    if len(found.systems) < 3:
        return
    for score in found.scores:
        try:
            tree = found.tree(*score)
        except Undefined:
            continue
        yield ReportTable(
            [Column("clustering", fit="keep"), Column("height", right=True)],
            _branch(found.systems, tree),
            title=f"average linkage by {distance_name(found, score)}",
            headed=False,
        )
        return


def _branch(names: Sequence[str], tree: AgreementTree) -> list[list[str]]:
    """Return one row per tree node: the name of the clustering (leaves) or the height (merges)."""
    size, top = len(names), 2 * len(names) - 2

    def children(at: int) -> list[int]:
        # scipy numbers the leaves first and the root last. Here, the root is node 0.
        node = top - at
        return [] if node < size else [top - int(child) for child in tree.links[node - size, :2]]

    rows = []
    for branch, _, at in branches(children):
        node = top - at
        if node < size:
            rows.append([branch + names[node], ""])
        else:
            rows.append([f"{branch}┐", number(float(tree.links[node - size, 2]))])
    return rows


def _reasons(found: Agreement) -> list[str]:
    """List each reason for undefined scores once, with an example pair."""
    grouped: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for (r, i, j), reason in found.matrices.reasons.items():
        if i < j or not found.requests[r][0].symmetric:
            grouped.setdefault((r, reason), []).append((i, j))
    lines = []
    for (r, reason), pairs in grouped.items():
        i, j = pairs[0]
        more = f" and {plural(len(pairs) - 1, 'other pair')}" if len(pairs) > 1 else ""
        names = f"{found.systems[i]} and {found.systems[j]}{more}"
        lines.append(f"{name_score(*found.scores[r])}: undefined for {names}: {reason}")
    return lines


def _sheet(found: Agreement) -> ReportTable:
    """Return a spreadsheet table with one row per pair and score, at full precision."""
    rows = (row.as_dict() for row in found.rows)
    return ReportTable.of(
        [*FIELDS, "signature"], [[*map(row.get, FIELDS), found.signature] for row in rows]
    )
