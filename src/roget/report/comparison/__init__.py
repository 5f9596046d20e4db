"""A comparison of several systems as a report: `roget compare`."""

from __future__ import annotations

from collections.abc import Iterator

from roget.errors import Notice
from roget.report import Cell, Column, Report, ReportTable
from roget.report.comparison import pictures
from roget.report.format import ARROWS, UNDEFINED, ends, name_score, number, plural, size_form
from roget.report.legend import explain_scores
from roget.report.outline import list_parts, list_systems, sheet_groups
from roget.report.score import ENTROPIES, entropy_columns
from roget.scoring.results import Comparison, SystemRow, score_key

LONGEST_NAME = 26

LETTERS = "systems sharing a letter do not differ significantly (Holm-corrected p ≥ .05)"

FIELDS = (
    "system", "trivial", "clusters", "measure", "entropy", "value", "low", "high", "better",
    "rank", "letters", "first", "reason",
)  # fmt: skip


def report(comparison: Comparison) -> Report:
    """Return the systems, best first, and the baselines; the page has more details."""

    def page() -> str:
        from roget.report.comparison.html import render

        return render(comparison)

    return Report(
        title=comparison.title or "Systems compared",
        lead=[_summary(comparison), _legend(comparison)],
        tables=[
            _board(comparison),
            *_on_each(comparison),
            *_groups(comparison),
            *(list_outlines(comparison) if comparison.show_details else ()),
        ],
        notes=explain_scores(comparison.scores),
        warnings=[*_stability(comparison), *comparison.warnings],
        signature=comparison.signature,
        caption=f"{comparison.title}. {_explain(comparison)}" if comparison.title else "",
        data=comparison.as_dict(),
        sheet=_sheet(comparison),
        page=page,
    )


def _board(comparison: Comparison) -> ReportTable:
    """Return one row per system, by rank under the main score, then the baselines."""
    titles = [
        f"{measure} {ARROWS[better]}\n{entropy or ''}".rstrip("\n")
        for (measure, entropy), better in pictures.directions(comparison).items()
    ]
    lines = pictures.board(comparison)
    columns = [
        Column("system", fit="keep", most=LONGEST_NAME),
        Column("clusters", right=True),
        *(Column(title, fit="keep") for title in titles),
    ]
    above = sum(not rows[0].trivial for rows in lines)
    form = cluster_form(comparison)
    shown: list[list[Cell | str]] = []
    for rows in lines:
        name, clusters = Cell(rows[0].system, slanted=rows[0].trivial), rows[0].clusters
        cells = [_cell(row, comparison.show_intervals) for row in rows]
        shown.append([name, "" if clusters is None else f"{clusters:{form}}", *cells])
    return ReportTable(columns, shown, above=above, repeated=2)


def cluster_form(comparison: Comparison) -> str:
    """Return the format of the numbers of clusters."""
    return size_form((row.clusters for row in comparison.rows), comparison.groups)


def _cell(row: SystemRow, shown: bool) -> Cell:
    interval = ends(row.low, row.high) if shown else ""
    rank = "" if row.rank is None else str(row.rank)
    return Cell(number(row.value), interval, rank, row.letters or "", strong=row.rank == 1)


def _on_each(comparison: Comparison) -> Iterator[ReportTable]:
    """Yield the main score on each gold standard; the JSON has all scores."""
    if comparison.golds:
        names = [gold.name for gold in comparison.golds]
        rows = pictures.score_rows(comparison, *comparison.main)
        lines = [
            [Cell(row.system, slanted=row.trivial), *map(number, map(row.golds.get, names))]
            for row in rows
            if row.golds
        ]
        columns = [
            Column("system", fit="keep", most=LONGEST_NAME),
            *Column.numbers(*names, fit="keep"),
        ]
        title = f"{name_score(*comparison.main)} on each gold standard"
        above = sum(not row.trivial for row in rows)
        yield ReportTable(columns, lines, title=title, above=above, repeated=1)


def _groups(comparison: Comparison) -> Iterator[ReportTable]:
    if comparison.by_group:
        better = pictures.directions(comparison)[comparison.main]
        called = name_score(*comparison.main)
        yield list_systems(comparison.by_group, score_key(*comparison.main), called, better)


def list_outlines(comparison: Comparison) -> Iterator[ReportTable]:
    """Yield the entropies, pair counts and sizes for each system."""
    if comparison.components:
        outlines = dict(zip(comparison.systems, comparison.components, strict=True))
        yield from list_parts(outlines, comparison.groups)


def _sheet(comparison: Comparison) -> ReportTable:
    """Return all digits with the entropies; the signature is a column, so it is never lost."""
    if comparison.by_group:
        return sheet_groups(comparison.by_group, comparison.signature)
    named = zip(comparison.systems, comparison.components, strict=False)
    entropies = {name: entropy_columns(one) for name, one in named}
    none = entropy_columns(None)
    golds = [gold.name for gold in comparison.golds]
    values = [
        [*map(row.as_dict().get, FIELDS), *entropies.get(row.system, none)(row.entropy),
         *map(row.golds.get, golds), comparison.signature]
        for row in comparison.rows
    ]  # fmt: skip
    titles = [*FIELDS, *ENTROPIES, *(f"on {name}" for name in golds), "signature"]
    return ReportTable.of(titles, values)


def _summary(comparison: Comparison) -> str:
    systems = plural(len(comparison.systems), "system")
    if comparison.golds:
        return f"{systems}, {describe_golds(comparison)}"
    text = f"{systems}, {comparison.items:,} items"
    if comparison.groups == 1:
        return f"{text}, {comparison.classes:.0f} classes"
    return f"{text} in {comparison.groups:,} groups, {comparison.classes:.1f} classes per group"


def describe_golds(comparison: Comparison) -> str:
    """Return the names and sizes of several gold standards."""
    each = ", ".join(f"{gold.name} {plural(gold.items, 'item', ',')}" for gold in comparison.golds)
    return f"mean over {len(comparison.golds)} gold standards ({each})"


def _legend(comparison: Comparison) -> str:
    """Return how to read the cells, and the score they are sorted by."""
    drawn = comparison.show_intervals and any(row.low is not None for row in comparison.rows)
    text = f"score{' [95% interval]' if drawn else ''} (rank), "
    text += f"sorted by {name_score(*comparison.main)} ({comparison.reason})"
    return f"{text}; {LETTERS}" if comparison.pairs else text


def _explain(comparison: Comparison) -> str:
    """Return the caption of the table."""
    drawn = comparison.show_intervals and any(row.low is not None for row in comparison.rows)
    text = f"{_summary(comparison)}; sorted by {name_score(*comparison.main)}"
    text += ", with 95% intervals" if drawn else ""
    return f"{text}. {LETTERS[0].upper()}{LETTERS[1:]}." if comparison.pairs else f"{text}."


def _stability(comparison: Comparison) -> list[str]:
    """Return how much the ranking by each measure depends on the estimator."""
    return [
        Notice(
            f"{found['measure']}: the rankings under {found['a']} and {found['b']} differ "
            f"(Kendall's τ {UNDEFINED if found['tau'] is None else format(found['tau'], '.2f')}); "
            f"{found['moved']!r} moves most, from rank {found['from']} to {found['to']}",
            code="bias",
        )
        for found in comparison.stability()
        if found["from"] != found["to"]
    ]
