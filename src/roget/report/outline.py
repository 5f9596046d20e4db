"""Tables of score components (entropies, pair counts, sizes) and of group scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from roget.report import Cell, Column, ReportTable
from roget.report.format import ARROWS, number
from roget.scoring.steps.components import BANDS, ScoreComponents
from roget.scoring.steps.diagnostics import GroupRow

LONGEST = 26
MOST_GROUPS = 100
"""Maximum number of groups in a text table. CSV and JSON contain all groups."""

_SIZES = ("items", "classes", "clusters")
_MENTION_SIZES = ("gold\nmentions", "gold\nentities", "response\nentities")

_ENTROPIES = {
    "H(C)": "gold",
    "H(K)": "system",
    "H(C,K)": "joint",
    "H(C|K)": "gold_given_system",
    "H(K|C)": "system_given_gold",
    "I(C;K)": "mutual",
}
_PAIRS = {
    "N11: together\nin both": "n11",
    "N10: together\nonly in gold": "n10",
    "N01: together\nonly in system": "n01",
    "N00: apart\nin both": "n00",
}


def list_parts(outlines: Mapping[str, ScoreComponents], groups: int) -> Iterator[ReportTable]:
    """Yield tables of entropies, pair counts and sizes, for one system (named "") or several."""
    several = "" not in outlines
    first = [Column("system", fit="keep", most=LONGEST)] if several else []
    rows = [
        [
            *_called(name),
            row.entropy,
            *(number(getattr(row, field)) for field in _ENTROPIES.values()),
        ]
        for name, one in outlines.items()
        for row in one.entropies
    ]
    columns = [*first, Column("entropy"), *Column.numbers(*_ENTROPIES)]
    if rows:
        yield ReportTable(
            columns,
            rows,
            "entropies of classes (C) and clusters (K), in nats",
            repeated=len(first) + 1,
        )
    rows = [
        [*_called(name), *(f"{getattr(one.pairs, field):,}" for field in _PAIRS.values())]
        for name, one in outlines.items()
        if one.pairs is not None
    ]
    if rows:
        columns = [*first, *Column.numbers(*_PAIRS)]
        title = "pairs of items within groups" if groups > 1 else "pairs of items"
        yield ReportTable(columns, rows, title, repeated=len(first))
    sides = [("gold", next(iter(outlines.values())).gold)]
    sides += [(name or "system", one.system) for name, one in outlines.items()]
    if not all(bands for _, bands in sides):
        return
    titles = [f"{'size ' * at.isdigit()}{at}\nsets, items" for at in BANDS]
    columns = [Column("", fit="keep", most=LONGEST), *Column.numbers(*titles)]
    rows = [
        [name, *(f"{band.sets:,.6g}, {band.share:4.0%}" for band in bands)] for name, bands in sides
    ]
    title = "classes and clusters by size, and their share of the items"
    yield ReportTable(columns, rows, title, repeated=1)


def _called(name: str) -> list[str]:
    return [name] if name else []


def list_groups(
    rows: Sequence[GroupRow], better: Mapping[str, str], *, mentions: bool = False
) -> ReportTable:
    """Return a table of one system's scores by group. `better` is the direction of each score.

    For coreference `mentions`, the groups are documents.
    """
    shown = rows[:MOST_GROUPS]
    titles = [f"{' '.join((measure, ARROWS[side]))}\n{entropy}".rstrip("\n")
              for name, side in better.items()
              for measure, _, entropy in [name.partition("@")]]  # fmt: skip
    columns = [
        Column("document" if mentions else "group", fit="keep", most=LONGEST),
        *Column.numbers(*(_MENTION_SIZES if mentions else _SIZES), *titles),
    ]
    lines = [
        [
            *(r.group, f"{r.items:g}", str(r.classes), str(r.clusters)),
            *(number(r.values[name]) for name in better),
        ]
        for r in shown
    ]
    return ReportTable(columns, lines, _title(len(shown), len(rows)), repeated=2)


def list_systems(rows: Sequence[GroupRow], main: str, called: str, better: str) -> ReportTable:
    """Return a table of the main score, with a row per group (worst mean first) and a column per
    system."""
    values: dict[str, dict[str, float | None]] = {}
    for row in rows:
        values.setdefault(row.group, {})[row.system] = row.values[main]
    items = {row.group: row.items for row in rows}
    systems = list(dict.fromkeys(row.system for row in rows))
    sign = 1.0 if better == "higher" else -1.0

    def goodness(group: str) -> float:
        known = [sign * one for one in values[group].values() if one is not None]
        return sum(known) / len(known) if known else float("inf")

    shown = sorted(values, key=goodness)[:MOST_GROUPS]
    lines = []
    for group in shown:
        own = [values[group].get(name) for name in systems]
        best = max((sign * one for one in own if one is not None), default=None)
        cells = [Cell(number(one), strong=one is not None and sign * one == best) for one in own]
        lines.append([group, f"{items[group]:g}", *cells])
    columns = [
        Column("group", fit="keep", most=LONGEST),
        *Column.numbers("items", *map(_stack, systems)),
    ]
    title = f"{called} of each system, {_title(len(shown), len(values))}"
    return ReportTable(columns, lines, title, repeated=2)


def _stack(name: str, most: int = 14) -> str:
    """Break a name into short lines so that it fits above a numeric column."""
    lines = [name[at : at + most] for at in range(0, len(name), most)]
    return "\n".join(lines)


def sheet_groups(rows: Sequence[GroupRow], signature: str) -> ReportTable:
    """Return a spreadsheet table with one row per system and group, and one column per score."""
    named = bool(rows[0].system)
    own = ["group", "items", "classes", "clusters"]
    titles = [*(["system"] if named else []), *own, *rows[0].values, "signature"]
    lines = [
        [
            *_called(row.system),
            *(getattr(row, field) for field in own),
            *row.values.values(),
            signature,
        ]
        for row in rows
    ]
    return ReportTable.of(titles, lines)


def _title(shown: int, every: int) -> str:
    if shown == every:
        return "by group, worst first"
    return f"by group, the worst {shown:,} of {every:,} (CSV and JSON contain all)"
