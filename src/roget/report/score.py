"""Report of `roget score`: the scores of one system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from roget.core.io.problems import plural
from roget.report import Brief, Cell, Column, Report, ReportTable
from roget.report.format import ARROWS, UNDEFINED, ends, number
from roget.report.item_names import list_table_items, name_items
from roget.report.legend import ENTROPIES as ENTROPY_NAMES
from roget.report.legend import explain_scores
from roget.scoring.measures.base import COREFERENCE, MENTION_MEASURES
from roget.scoring.results import MEAN, TREE, ScoreRow, ScoreTable, score_key
from roget.scoring.signature import shorten_signature
from roget.scoring.steps.headline import CONLL, LEADERBOARD, list_coreference

if TYPE_CHECKING:
    from roget.scoring.steps.components import ScoreComponents
    from roget.scoring.steps.headline import Headline


def report(table: ScoreTable) -> Report:
    """Report the scores of a system next to baseline scores, with sizes, notes and warnings."""
    table = table.with_intervals()
    if table.missing_items or table.extra_items:
        table = name_items(table)
    baselines = list(dict.fromkeys(name for row in table.rows for name in row.baselines))
    head = table.headline
    shown = table.rows if head is None else head.rows
    mentions = _lists_coreference(table) if head is None else []
    reasons = [f"{row.measure}: {row.reason}" for row in table.rows if row.value is None]
    summary = _summary(table)
    verdict = [] if head is None or not head.verdict else [f"Verdict: {head.verdict}."]
    scores = Report(
        title=table.title or _name_files(table),
        lead=[summary, *(_entropies(table) if head is None else verdict)],
        notes=[
            *(_explain_chance(table) if table.chance else ()),
            *(_explain_rows(shown, head) if head is not None or not mentions else ()),
        ],
        tables=[
            *(_headline(table, head, baselines) if head is not None else ()),
            *([_coreference(table.rows, mentions)] if head is None and mentions else ()),
            *([_scores(table, baselines)] if head is None and not mentions else ()),
            *(_on_each(table) if table.rows and table.rows[0].golds else ()),
            *(_groups(table) if table.by_group else ()),
            *(_details(table) if table.details is not None else ()),
        ],
        warnings=[*reasons, *table.warnings],
        signature=table.signature,
        brief=None if head is None else _brief(table, head, len(reasons)),
        titled=bool(table.title),
        caption=f"{table.title}. {summary}." if table.title else f"{summary}.",
        data=partial(list_table_items, table),
        sheet=partial(_sheet, table, baselines),
    )
    if table.sweep is not None:
        from roget.report.sweep import add_sweep

        scores = add_sweep(scores, table.sweep)
    if table.scored is None or table.scored.sides.overlapping:
        return scores

    def page() -> str:
        from roget.report.contingency import show_tables
        from roget.report.render.html import bundle, fill_plain

        return fill_plain(scores, bundle("scored"), show_tables(table))

    return replace(scores, page=page)


def _name(row: ScoreRow) -> tuple[str, str | None]:
    return row.measure, row.entropy


def _name_files(table: ScoreTable) -> str:
    """Return the page title: the names of both label files, if the labels come from files."""
    if table.scored is not None:
        sides = table.scored.sides
        gold, system = PurePath(sides.gold.source), PurePath(sides.system.source)
        if gold.suffix and system.suffix and gold != system:
            return f"{system.name} against {gold.name}"
    return "Scores against a gold standard"


def _scores(table: ScoreTable, baselines: list[str]) -> ReportTable:
    """Return the table of scores, with columns for entropies and intervals if there are any."""
    entropies = any(row.entropy is not None for row in table.rows)
    intervals = any(row.low is not None for row in table.rows)
    levels = any(row.level is not None for row in table.rows)
    texts = [*(["level"] if levels else []), "measure", *(["entropy"] if entropies else [])]
    numbers = ["score", "low", "high"] if intervals else ["score"]
    beyond = ["z", "p"] if _tests_chance(table) else []
    rows = []
    for row in table.rows:
        first = [f"{row.measure} {ARROWS[row.direction]}", row.entropy or ""]
        first = [row.level or "", *first] if levels else first
        values = map(number, [row.value, row.low, row.high][: len(numbers)])
        tested = _format_test(row, table.chance)[: len(beyond)]
        against = (number(row.baselines.get(name)) for name in baselines)
        rows.append([*first[: len(texts)], *values, *tested, *against])
    numbers += [*beyond, *baselines]
    return ReportTable.of([*texts, *numbers], rows, numbers)


MOST_WARNINGS = 3
"""Maximum number of warnings in a short report. Further warnings are only counted."""


def _headline(table: ScoreTable, head: Headline, baselines: list[str]) -> Iterator[ReportTable]:
    """Yield the tables of the short report: recall and precision if computed, and the scores."""
    if head.kind == "coreference":
        yield _coreference(head.rows, [one.name for one in head.families])
        return
    if head.families:
        yield _families(head)
    rows = []
    beyond = ["z", "p"] if _tests_chance(table) else []
    levels = any(row.level is not None for row in head.rows)
    for row in head.rows:
        score = Cell(number(row.value), ends(row.low, row.high))
        tested = _format_test(row, table.chance) if beyond else []
        plain = [number(head.plain.get(row.measure))] if head.plain else []
        plain = [text.replace(UNDEFINED, "") for text in plain]
        against = (number(row.baselines.get(name)) for name in baselines)
        name = [*([row.level or ""] if levels else []), f"{row.measure} {ARROWS[row.direction]}"]
        rows.append([*name, score, *plain, *tested, *against])
    intervals = any(row.low is not None for row in head.rows)
    shown = [BASELINE_TITLES.get(name, name) for name in baselines]
    numbers = [*(["plug-in"] if head.plain else []), *beyond, *shown]
    columns = [
        *([Column("level", fit="keep")] if levels else []),
        Column("measure", fit="keep"),
        Column("score [95% CI]" if intervals else "score", fit="keep"),
        *(Column(title, right=True, fit="keep") for title in numbers),
    ]
    yield ReportTable(columns, rows, repeated=1 + levels)


BASELINE_TITLES = {"one cluster": "one\ncluster", "one per item": "one\nper item"}
"""Titles of the baseline columns, in two lines."""


def _families(head: Headline) -> ReportTable:
    """Return a table of recall, precision and F for entities."""
    rows = [[one.name, *map(number, (one.recall, one.precision, one.f))] for one in head.families]
    numbers = ("recall", "precision", "F")
    return ReportTable.of([head.kind, *numbers], rows, numbers, fit="keep")


def _lists_coreference(table: ScoreTable) -> list[str]:
    """Return the families of coreference measures if all default measures were computed."""
    levels = any(row.level is not None or row.golds for row in table.rows)
    if levels or [row.measure for row in table.rows] != list(MENTION_MEASURES):
        return []
    return [one.name for one in list_coreference(table.rows)]


def _coreference(rows: Iterable[ScoreRow], families: Sequence[str]) -> ReportTable:
    """Return a table of recall, precision and F, with intervals, of coreference measures."""
    rows = list(rows)
    by_name = {row.measure: row for row in rows}
    means = {one.name: one for one in list_coreference(rows)}
    lines = []
    for name in families:
        if name == CONLL:
            mean, row = means[CONLL], by_name[MENTION_MEASURES[0]]
            cells = [Cell(number(mean.recall)), Cell(number(mean.precision)), _bounded(row)]
        else:
            cells = [_bounded(by_name[measure]) for measure in COREFERENCE[name]]
        lines.append([name, *cells])
    bounded = " [95% CI]" if any(row.low is not None for row in rows) else ""
    columns = [Column("coreference", fit="keep")]
    columns += [
        Column(f"{name}{bounded}", right=not bounded, fit="keep")
        for name in ("recall", "precision", "F")
    ]
    return ReportTable(columns, lines, repeated=1)


def _bounded(row: ScoreRow) -> Cell:
    return Cell(number(row.value), ends(row.low, row.high))


def _explain_rows(rows: Iterable[ScoreRow], head: Headline | None) -> list[str]:
    """Return lines that explain the names in the table."""
    if head is None:
        return explain_scores((row.measure, row.entropy) for row in rows)
    if head.kind == "coreference":
        return [
            "CoNLL: mean of the three scores above; mentions: mention detection; for CEAF-m, "
            "BLANC and LEA, pass --all"
        ]
    lines = explain_scores((row.measure, None) for row in rows)
    estimators = {row.entropy for row in rows if row.entropy and row.entropy != "ml"}
    if estimators:
        used = ", ".join(sorted({row.measure for row in rows if row.entropy in estimators}))
        name = next(iter(estimators))
        lines.append(f"{used}: bias-corrected ({ENTROPY_NAMES.get(name, name)})")
    if any(row.measure == "dendrogram-purity" and row.level is None for row in rows):
        lines.append("scores of other cuts: --set cuts=all")
    return ["; ".join(lines)] if lines else []


def _brief(table: ScoreTable, head: Headline, undefined: int) -> Brief:
    """Return the most important warnings and the short signature."""
    reasons = [f"{row.measure}: {row.reason}" for row in head.rows if row.value is None]
    warnings = [*reasons, *head.warnings][:MOST_WARNINGS]
    more = max(0, undefined + len(table.warnings) - len(warnings))
    return Brief(warnings, shorten_signature(table.signature), more)


def _on_each(table: ScoreTable) -> Iterator[ReportTable]:
    """Yield a table of the scores on each gold standard, whose means are in the main table."""
    names = list(table.rows[0].golds)
    rows = [
        [f"{row.measure} {ARROWS[row.direction]}", row.entropy or "", *map(number, each)]
        for row in (table.rows if table.headline is None else table.headline.rows)
        for each in [row.golds.values()]
    ]
    titles = ["measure", "entropy", *names]
    yield ReportTable.of(titles, rows, names, title="on each gold standard (mean above)")


def _tests_chance(table: ScoreTable) -> bool:
    return any(row.p is not None for row in table.rows)


def _format_test(row: ScoreRow, samples: int) -> list[str]:
    """Format the z score and the p value of a test against random clusterings."""
    z = UNDEFINED if row.z is None else f"{row.z:z.1f}"
    return [z, _format_p(row.p, samples)]


def _format_p(p: float | None, samples: int) -> str:
    """Format p. It is an upper bound (≤) if no random clustering scores as well as the system."""
    text = number(p) if p is None or p >= 0.0005 else f"{p:.1g}"
    return f"≤ {text}" if _is_least(p, samples) else text


def _is_least(p: float | None, samples: int) -> bool:
    return p is not None and samples > 0 and p * (1 + samples) < 1.5


def _explain_chance(table: ScoreTable) -> list[str]:
    """Return a line that states how many of the scores are better than chance."""
    tested = [row for row in table.rows if row.p is not None]
    if not tested:
        return []
    kind = f"{plural(table.chance, 'random clustering', ',')} with the same cluster sizes"
    if all(_is_least(row.p, table.chance) for row in tested):
        return [f"none of {kind} scored as well on any measure"]
    better = sum(row.p < 0.05 for row in tested if row.p is not None)
    scores = plural(len(tested), "score")
    are = "is" if better == 1 else "are"
    return [f"{better} of {scores} {are} better than chance at p < .05, by {kind}"]


def _sheet(table: ScoreTable, baselines: list[str]) -> ReportTable:
    """Return a spreadsheet table of scores and entropies at full precision, with the signature."""
    if table.by_group:
        from roget.report.outline import sheet_groups

        return sheet_groups(table.by_group, table.signature)
    beyond = ["z", "p"] if _tests_chance(table) else []
    titles = ["measure", "entropy", "value", "low", "high", "better", *beyond, *baselines]
    entropies = entropy_columns(table.components)
    levels = any(row.level is not None for row in table.rows)
    titles = ["level", *titles] if levels else titles
    golds = list(table.rows[0].golds) if table.rows else []
    rows = []
    for row in table.rows:
        own = [row.measure, row.entropy, row.value, row.low, row.high, row.direction]
        own += [row.z, row.p][: len(beyond)]
        own = [row.level, *own] if levels else own
        others = [*map(row.baselines.get, baselines), *entropies(row.entropy)]
        others += map(row.golds.get, golds)
        rows.append([*own, *others, row.reason, table.signature])
    titles += [*ENTROPIES, *(f"on {name}" for name in golds)]
    return ReportTable.of([*titles, "reason", "signature"], rows)


ENTROPIES = ("h_gold", "h_system", "h_joint")
"""Spreadsheet columns with the entropies of gold, system and both. The row's estimator is used."""


def entropy_columns(outline: ScoreComponents | None) -> Callable[[str | None], list[float | None]]:
    """Return a function that maps an estimator's name to the values of the `ENTROPIES` columns."""
    rows = (
        {row.entropy: [row.gold, row.system, row.joint] for row in outline.entropies}
        if outline
        else {}
    )
    return lambda entropy: rows.get(entropy or "", [None, None, None])


def _count_levels(names: Iterable[str]) -> str:
    """Format the number of levels, for gold and system separately if all pairs were scored.

    >>> _count_levels(["1", "2", "tree"]), _count_levels(["1×1", "1×2", "1×3", "1×tree"])
    ('2 levels', '1 × 3 levels')
    """
    sides = [[side for side in name.split("×") if side != TREE] for name in names]
    widest = max(map(len, sides))
    counts = [len({one[at] for one in sides if len(one) > at}) for at in range(widest)]
    most = counts[-1] if counts else 1
    return f"{' × '.join(map(str, counts)) or 1} {'level' if most == 1 else 'levels'}"


def _summary(table: ScoreTable) -> str:
    items = plural(table.items, "item", ",")
    head = table.headline
    if (head is None or head.kind) and _lists_coreference(table):
        entities = plural(table.classes * table.groups, "gold entity", ",.0f")
        found = plural(table.clusters * table.groups, "response entity", ",.0f")
        return f"{items.replace('item', 'gold mention')}, {entities}, {found}"
    if "|weighted:" in table.signature:
        # If items have weights, the total is the sum of the weights.
        items = f"items of total weight {table.items:,.6g}"
    levels = [row.level for row in table.rows if row.level not in (None, MEAN)]
    if levels:
        sizes = f"{table.classes:.1f} classes and {table.clusters:.1f} clusters"
        return f"{items}, {_count_levels(levels)}, {sizes} on average"
    if table.groups == 1:
        classes = plural(table.classes, "class", ".0f")
        return f"{items}, {classes}, {plural(table.clusters, 'cluster', '.0f')}"
    per_group = f"{table.classes:.1f} classes and {table.clusters:.1f} clusters per group"
    return f"{items} in {table.groups:,} groups, {per_group}"


def _entropies(table: ScoreTable) -> list[str]:
    """Return a line with H(C), H(K) and H(C,K) for each estimator, if any score uses entropies."""
    lines: list[str] = []
    for row in table.components.entropies if table.components else ():
        if row.reason is None:
            values = zip(("H(C)", "H(K)", "H(C,K)"), (row.gold, row.system, row.joint), strict=True)
            named = (
                number(value) if lines else f"{name} {number(value)}" for name, value in values
            )
            lines.append(f"{', '.join(named)}{'' if lines else ' nats'} ({row.entropy})")
    return ["; ".join(lines)] if lines else []


def _groups(table: ScoreTable) -> Iterator[ReportTable]:
    """Yield the table of the scores of each group."""
    from roget.report.outline import list_groups

    shown = table.rows
    if table.headline is not None and table.headline.kind == "coreference":
        shown = tuple(row for row in shown if row.measure in LEADERBOARD)
    better = {score_key(row.measure, row.entropy): row.direction for row in shown}
    yield list_groups(table.by_group, better, mentions=bool(_lists_coreference(table)))


def _details(table: ScoreTable) -> Iterator[ReportTable]:
    """Yield the tables for --details: score components, mixed clusters and scattered classes."""
    details = table.details
    assert details is not None
    if table.components is not None:
        from roget.report.outline import list_parts

        yield from list_parts({"": table.components}, table.groups)
    rows = [
        [g.group, f"{g.items:g}", str(g.classes), str(g.clusters), number(g.value)]
        for g in details.worst
    ]
    heads = ["group", "items", "classes", "clusters", "score"]
    tables = [(f"groups with the worst {details.score}", heads, rows)]
    for title, sets, kind, part, parts in (
        ("clusters that mix classes", details.mixed, "cluster", "class", "classes"),
        ("classes that are scattered", details.scattered, "class", "cluster", "clusters"),
    ):
        rows = [
            [s.name, s.group, f"{s.size:.4g}", str(s.parts), s.largest, f"{s.share:.0%}"]
            for s in sets
        ]
        tables.append((title, [kind, "group", "items", parts, f"largest {part}", "share"], rows))
    for title, heads, rows in tables:
        if rows:
            yield ReportTable.of(heads, rows, _NUMBERS, title=title)


_NUMBERS = ("items", "classes", "clusters", "score", "share")
"""Numeric columns of the tables for --details."""
