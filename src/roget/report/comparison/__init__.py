"""Report of `roget compare`: several systems against one gold standard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roget.errors import Notice, code_of
from roget.report import Brief, Cell, Column, Report, ReportTable
from roget.report.comparison import pictures
from roget.report.comparison.parts import (
    cluster_form,
    describe_golds,
    describe_mentions,
    explain_letters,
    list_notices,
    list_outlines,
)
from roget.report.format import (
    ARROWS,
    GAP,
    UNDEFINED,
    ends,
    name_score,
    number,
    plural,
    width,
)
from roget.report.item_names import list_system_items
from roget.report.legend import explain_scores
from roget.report.outline import list_systems, sheet_groups
from roget.report.score import ENTROPIES, MOST_WARNINGS, entropy_columns
from roget.scoring.measures.base import COREFERENCE
from roget.scoring.results import Comparison, SystemRow, score_key
from roget.scoring.signature import shorten_signature
from roget.scoring.steps.headline import CONLL

if TYPE_CHECKING:
    from roget.scoring.steps.headline import ComparisonHeadline

LONGEST_NAME, SHORTEST_NAME = 26, 12
"""Maximum lengths of system names in wide and in narrow terminals."""

FIELDS = (
    "system", "trivial", "clusters", "measure", "entropy", "value", "low", "high", "better",
    "rank", "rank_low", "rank_high", "tier", "letters", "first", "reason",
)  # fmt: skip


def report(comparison: Comparison) -> Report:
    """Report the scores of all systems, best first, and of the baselines."""
    comparison = comparison.with_intervals()

    def page() -> str:
        from roget.report.comparison.html import render

        return render(comparison)

    head = comparison.headline
    if head is None:
        board, scores = _board(comparison), comparison.defined
    else:
        board, scores = _short_board(comparison, head), list(head.scores)
    return Report(
        title=comparison.title or "Systems compared",
        lead=[
            _summary(comparison),
            _legend(comparison) if head is None else _short_legend(comparison),
        ],
        tables=[
            board,
            *_recall_precision(comparison),
            *_on_each(comparison),
            *_groups(comparison),
            *(list_outlines(comparison) if comparison.show_details else ()),
        ],
        notes=explain_scores(scores),
        warnings=[*list_notices(comparison), *_stability(comparison)],
        signature=comparison.signature,
        brief=None if head is None else _brief(comparison),
        titled=bool(comparison.title),
        caption=". ".join(filter(None, [comparison.title, _summary(comparison)])) + ".",
        legend=_explain(comparison),
        data=list_system_items(comparison),
        sheet=_sheet(comparison),
        page=page,
    )


def _board(comparison: Comparison) -> ReportTable:
    """Return a table of systems sorted by rank under the main score, followed by the baselines."""
    titles = [
        f"{measure} {ARROWS[better]}\n{entropy or ''}".rstrip("\n")
        for (measure, entropy), better in pictures.directions(comparison).items()
    ]
    lines = pictures.group_rows(comparison)
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


def _short_board(comparison: Comparison, head: ComparisonHeadline) -> ReportTable:
    """Return a table with each system's rank, main score, interval and a few other scores."""
    better = pictures.directions(comparison)
    main, *more = head.scores
    has_rank = any(row.rank is not None for row in comparison.rows)
    has_bounds = any(row.rank_low is not None for row in comparison.rows)
    lines = pictures.group_rows(comparison)
    form = cluster_form(comparison)
    shown: list[list[Cell | str]] = []
    for rows in lines:
        by_score = {(row.measure, row.entropy): row for row in rows}
        first = by_score[main]
        drawn = comparison.show_intervals and not first.trivial
        interval = ends(first.low, first.high) if drawn else ""
        score = Cell(number(first.value), interval, "", first.letters or "", first.rank == 1)
        rank = [_rank(first)] if has_rank else []
        clusters = "" if first.clusters is None else f"{first.clusters:{form}}"
        name = Cell(first.system, slanted=first.trivial)
        others = [_plain_cell(by_score.get(score)) for score in more]
        shown.append([*rank, name, clusters, score, *others])
    measures = [measure for measure, _ in head.scores]
    named = [name_score(*one) if measures.count(one[0]) > 1 else one[0] for one in more]
    titles = [f"{name} {ARROWS[better[one]]}" for name, one in zip(named, more, strict=True)]
    has_intervals = any("[" in str(row[-1 - len(more)]) for row in shown)
    title = f"{name_score(*main)} {ARROWS[better[main]]}{' [95% CI]' if has_intervals else ''}"
    columns = [
        *([Column(f"rank{' [95%]' if has_bounds else ''}", fit="keep")] if has_rank else []),
        Column("system", fit="keep", most=LONGEST_NAME),
        Column("entities" if head.families else "clusters", right=True, fit="keep"),
        Column(title, fit="keep"),
        *Column.numbers(*titles, fit="keep"),
    ]
    above = sum(not rows[0].trivial for rows in lines)
    table = ReportTable(columns, shown, above=above, repeated=2)
    # Shorten names if the other columns leave little space.
    needed = sum(table.widths([[str(cell) for cell in row] for row in shown], GAP)) - GAP
    longest = max(len(rows[0].system) for rows in lines)
    spare = width() - int(needed) + longest
    most = max(SHORTEST_NAME, min(LONGEST_NAME, spare))
    columns[int(has_rank)] = Column("system", fit="keep", most=most)
    return table


def _recall_precision(comparison: Comparison) -> Iterator[ReportTable]:
    """Yield the leaderboard usual for coreference: recall, precision and F of each measure."""
    families = {} if comparison.headline is None else comparison.headline.families
    if not families:
        return
    ranked = [row for row in pictures.score_rows(comparison, *comparison.main) if not row.trivial]
    parts = list(COREFERENCE)[:3]
    rows = []
    for row in ranked:
        by_name = {one.name: one for one in families[row.system]}
        scores = [(one.recall, one.precision, one.f) for one in map(by_name.__getitem__, parts)]
        rows.append([row.system, *(number(x) for one in scores for x in one),
                     number(by_name[CONLL].f)])  # fmt: skip
    short = ["MUC", "B3", "CEAF-e"]  # The table should fit into a terminal.
    titles = [f"{name}\n{side}" for name in short for side in ("R", "P", "F")]
    columns = [
        Column("system", fit="keep", most=SHORTEST_NAME),
        *Column.numbers(*titles, f"{CONLL}\nF", fit="keep"),
    ]
    title = "recall (R), precision (P) and F"
    yield ReportTable(columns, rows, title, repeated=1)


def _rank(row: SystemRow) -> str:
    """Format a rank with its interval, such as 2 [1–3]."""
    if row.rank_low is None or row.rank is None:
        return str(row.rank or "")
    return f"{row.rank} [{row.rank_low}–{row.rank_high}]"


def _plain_cell(row: SystemRow | None) -> Cell:
    """Format a score without rank and significance letters. The best system's score is bold."""
    if row is None:
        return Cell(UNDEFINED)
    return Cell(number(row.value), strong=row.rank == 1)


def _short_legend(comparison: Comparison) -> str:
    """Return a line that names the score used for sorting and explains significance letters."""
    text = f"sorted by {name_score(*comparison.main)}, {comparison.reason}"
    if comparison.main not in comparison.defined:
        text = f"not sorted, because {comparison.reason}"
    if comparison.pairs:
        return f"{text}; {explain_letters(comparison)}"
    testable = all(code_of(one) != "needs-groups" for one in comparison.warnings)
    if len(comparison.systems) > 1 and testable:
        return f"{text}; to test the differences, pass --ci 1000"
    return text


def _brief(comparison: Comparison) -> Brief:
    """Return one warning of each kind, at most three, and the short signature."""
    notices = [*list_notices(comparison), *_stability(comparison)]
    kinds: dict[str, str] = {}
    for notice in notices:
        kinds.setdefault(code_of(notice) or notice, notice)
    shown = list(kinds.values())[:MOST_WARNINGS]
    signature = shorten_signature(comparison.signature)
    return Brief(shown, signature, len(notices) - len(shown))


def _cell(row: SystemRow, shown: bool) -> Cell:
    interval = ends(row.low, row.high) if shown else ""
    rank = "" if row.rank is None else str(row.rank)
    return Cell(number(row.value), interval, rank, row.letters or "", strong=row.rank == 1)


def _on_each(comparison: Comparison) -> Iterator[ReportTable]:
    """Yield a table of the main score on each gold standard, if there are several."""
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


def _sheet(comparison: Comparison) -> ReportTable:
    """Return a spreadsheet table of scores and entropies at full precision, with the signature."""
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
    if mentions := describe_mentions(comparison):
        return f"{systems}, {mentions}"
    text = f"{systems}, {comparison.items:,} items"
    if comparison.groups == 1:
        return f"{text}, {comparison.classes:.0f} classes"
    return f"{text} in {comparison.groups:,} groups, {comparison.classes:.1f} classes per group"


def _legend(comparison: Comparison) -> str:
    """Return a line that explains the table cells and names the score used for sorting."""
    drawn = comparison.show_intervals and any(row.low is not None for row in comparison.rows)
    text = f"score{' [95% interval]' if drawn else ''} (rank), "
    text += f"sorted by {name_score(*comparison.main)} ({comparison.reason})"
    return f"{text}; {explain_letters(comparison)}" if comparison.pairs else text


def _explain(comparison: Comparison) -> str:
    """Return a legend of the table, without advice on options."""
    drawn = comparison.show_intervals and any(row.low is not None for row in comparison.rows)
    text = f"sorted by {name_score(*comparison.main)}{', with 95% intervals' if drawn else ''}"
    letters = explain_letters(comparison)
    return f"{text}. {letters[0].upper()}{letters[1:]}." if comparison.pairs else f"{text}."


def _stability(comparison: Comparison) -> list[str]:
    """Return a warning for each measure whose ranking depends on the entropy estimator."""
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
