"""How far clusterings agree, as a report: `roget agree`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roget.errors import Undefined
from roget.report import Cell, Column, Report, ReportTable
from roget.report.format import ARROWS, branches, ends, name_score, number, plural, size_form
from roget.scoring.agreement.result import Agreement, AgreementTree, MeanRow
from roget.scoring.results import none_if_nan

LONGEST_NAME = 26
MOST_SHOWN = 24
"""Clusterings up to which matrices and trees are printed; pages and data have them all."""

FIELDS = ("a", "b", "measure", "entropy", "value", "low", "high", "better", "items", "reason")


def report(found: Agreement) -> Report:
    """Clusterings, the most typical first; the spread over pairs, matrices and a tree."""

    def page() -> str:
        from roget.report.agreement.html import render

        return render(found)

    shown = len(found.systems) <= MOST_SHOWN
    notes = (
        [] if shown else [f"matrices of more than {MOST_SHOWN} clusterings: -o FILE.html or .csv"]
    )
    return Report(
        title="Agreement of clusterings",
        lead=[summary(found), *tell_typical(found)],
        tables=[
            _board(found),
            *([_spread(found)] if len(found.systems) > 2 else []),
            *(_matrices(found) if shown else ()),
            *(_tree(found) if shown else ()),
        ],
        notes=notes,
        warnings=[*_reasons(found), *found.warnings],
        signature=found.signature,
        data=found.as_dict(),
        sheet=_sheet(found),
        page=page,
    )


def summary(found: Agreement) -> str:
    """How much was compared."""
    text = f"{plural(len(found.systems), 'clustering')}, {plural(found.items, 'item')}"
    return text if found.groups == 1 else f"{text} in {found.groups:,} groups"


def tell_typical(found: Agreement) -> list[str]:
    """Which clustering is typical, and which is the odd one out."""
    if found.odd is None or found.typical is None:
        return []
    return [
        f"by {name_score(*found.scores[0])}, {found.typical} is the most typical and {found.odd} "
        "the odd one out"
    ]


def board(found: Agreement) -> list[list[MeanRow]]:
    """The rows of each clustering, the most typical first."""
    lines: dict[str, list[MeanRow]] = {}
    for row in found.means:
        lines.setdefault(row.system, []).append(row)
    return sorted(lines.values(), key=lambda rows: (rows[0].rank is None, rows[0].rank or 0))


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
        [rows[0].system, f"{rows[0].clusters:{form}}", *map(_cell, rows)] for rows in board(found)
    ]
    return ReportTable(columns, rows, title="mean with the others", repeated=2)


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
    said = f"clusters: {some[0]:.4g} to {some[2]:.4g}, mean {some[1]:.4g}"
    titles = ["measure", "entropy", *numbers]
    return ReportTable.of(titles, rows, numbers, title=f"over all pairs ({said})")


def _matrices(found: Agreement) -> Iterator[ReportTable]:
    """A matrix for each score, the clusterings in one order."""
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
        ways = "" if wanted.symmetric else "; the row is taken as gold"
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


def leaf_order(found: Agreement) -> list[int]:
    """Clusterings as the tree of the first score that has one puts them, else as given."""
    for score in found.scores:
        try:
            return found.tree(*score).order
        except Undefined:
            continue
    return list(range(len(found.systems)))


def _tree(found: Agreement) -> Iterator[ReportTable]:
    """The tree of the first score that has one, where there is something to group."""
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
    """A line for each node: its branch, and its clustering or its height."""
    size, top = len(names), 2 * len(names) - 2

    def children(at: int) -> list[int]:
        # Counted from the root, which is the last of scipy's nodes.
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


def distance_name(found: Agreement, score: tuple[str, str | None]) -> str:
    """What the distance of a score is called: itself, or what it lacks of the best."""
    wanted = next(w for w, e in found.requests if (str(w), e) == score)
    text = name_score(*score)
    return text if wanted.direction == "lower" else f"{wanted.best:g} − {text}"


def _reasons(found: Agreement) -> list[str]:
    """Why scores have no value, each reason once, with a pair it is so of."""
    told: dict[tuple[int, str], list[tuple[int, int]]] = {}
    for (r, i, j), reason in found.matrices.reasons.items():
        if i < j or not found.requests[r][0].symmetric:
            told.setdefault((r, reason), []).append((i, j))
    lines = []
    for (r, reason), pairs in told.items():
        i, j = pairs[0]
        more = f" and {plural(len(pairs) - 1, 'other pair')}" if len(pairs) > 1 else ""
        names = f"{found.systems[i]} and {found.systems[j]}{more}"
        lines.append(f"{name_score(*found.scores[r])}: undefined for {names}: {reason}")
    return lines


def _sheet(found: Agreement) -> ReportTable:
    """All digits, a row for each pair and score; the signature stays with them."""
    rows = (row.as_dict() for row in found.rows)
    return ReportTable.of(
        [*FIELDS, "signature"], [[*map(row.get, FIELDS), found.signature] for row in rows]
    )
