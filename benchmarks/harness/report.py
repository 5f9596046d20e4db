"""Reports of benchmark runs, and the list of benchmarks."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from harness.environment import format_machine
from harness.growth import Curve, draw_curves, name_axis
from harness.measuring import MB, Row
from harness.suite import Entry, Outcome, Results
from roget.report import Column, Report, ReportTable

LAW = "CPU seconds of all threads (engines: by the clock); ratio = roget ÷ peer, lower is better"


def report(found: Results) -> Report:
    """Return the report of a run."""
    tables = [tabulate(one, found) for one in found.outcomes if one.rows]
    if found.curves:
        tables.append(tabulate_curves(found.curves))
    notes = [f"{one.name}: {_flat(note)}" for one in found.outcomes for note in one.notes]
    notes += list_absent(found)
    notes += judge_bars(found.rows, found.quick)
    notes.append(judge_record(found))
    warnings = [f"fell behind: {one}" for one in found.behind]
    warnings += [f"failed: {case}: {why}" for case, why in found.failed.items()]
    return Report(
        "Benchmarks",
        lead=[describe_run(found)],
        about=f"{LAW}." + (" Bars are for full sizes, without --quick." if found.quick else ""),
        tables=tables,
        notes=notes,
        warnings=warnings,
        data=as_dict(found),
        sheet=_sheet(found),
        picture=(lambda: draw_curves(found.curves)) if found.curves else None,
    )


def describe_run(found: Results) -> str:
    """Describe the machine and the versions in one line."""
    return format_machine(found.facts) + ("; quick" if found.quick else "")


def tabulate(outcome: Outcome, found: Results) -> ReportTable:
    """Return the table of one benchmark. Bars are shown only for full sizes."""
    rows = []
    for row in outcome.rows:
        before = found.record.find(outcome.name, found.quick, row)
        compared = row.peer is not None
        barred = row.bar != float("inf")
        bar = f"{row.bar:.3g}" if compared else show(row.bar, row.unit)
        cells = [
            row.case,
            show(row.ours, row.unit),
            show(row.peer, row.unit) if row.peer is not None else "",
            row.peer_name,
            f"{row.ratio:.3g}" if compared else "",
            f"{before[0]:.3g}" if before is not None and compared else "",
        ]
        if not found.quick:
            cells += [f"≤ {bar}", "yes" if row.ok else "NO"] if barred else ["", ""]
        rows.append(cells)
    columns = [
        Column("case", share=2),
        *Column.numbers("roget", "peer", fit="keep"),
        Column("which", share=1),
        *Column.numbers("ratio", "recorded", fit="keep"),
    ]
    if not found.quick:
        columns += [*Column.numbers("bar", fit="keep"), Column("met", fit="keep")]
    return ReportTable(columns, rows, title=outcome.name)


def tabulate_curves(curves: Sequence[Curve]) -> ReportTable:
    """Return a table of all curves: points, and exponents with standard errors."""
    rows = [
        (
            one.series,
            name_axis(one.axis),
            one.describe(),
            str(one.power),
            "" if one.peer_power is None else str(one.peer_power),
            one.peer_name if one.peer else "",
        )
        for one in curves
    ]
    titles = ("work", "size", "cost", "exponent", "peer's", "peer")
    return ReportTable.of(titles, rows, title="cost against size")


def list_absent(found: Results) -> list[str]:
    """List the cases that did not run, with the reasons."""
    return [
        f"left out: {'/'.join(filter(None, (one.name, case)))}: {why}"
        for one in found.outcomes
        for case, why in one.left_out.items()
    ]


def judge_bars(rows: Sequence[Row], quick: bool) -> list[str]:
    """Return how many bars were met, and the cases that missed theirs. Quick runs have no bars."""
    barred = [row for row in rows if row.bar != float("inf")]
    if quick or not barred:
        return []
    short = [row.case for row in barred if not row.ok]
    met = f"{len(barred) - len(short)} of {len(barred)} bars met"
    return [f"{met}. Fell short: {'; '.join(short)}." if short else f"{met}."]


def judge_record(found: Results) -> str:
    """Summarise how the ratios compare with the recorded ones."""
    compared = [
        row
        for one in found.outcomes
        for row in one.rows
        if row.peer is not None and found.record.find(one.name, found.quick, row) is not None
    ]
    if not compared:
        return "No ratio of these is recorded: --record keeps them."
    return f"{len(compared)} ratios compared with the record; {len(found.behind)} fell behind it."


def as_dict(found: Results) -> dict[str, Any]:
    """Return a run as JSON-compatible values."""
    return {
        "machine": dict(found.facts),
        "quick": found.quick,
        "benchmarks": {
            one.name: {
                "about": one.entry.title,
                "rows": [row.as_dict() for row in one.rows],
                "notes": one.notes,
                "left out": one.left_out,
                "failed": one.failed,
                "seconds": {case: round(took, 2) for case, took in one.seconds.items()},
            }
            for one in found.outcomes
        },
        "growth": [curve.as_dict() for curve in found.curves],
        "behind": [one._asdict() for one in found.behind],
    }


def _sheet(found: Results) -> ReportTable:
    titles = ("benchmark", "case", "roget", "peer", "which", "unit", "ratio", "bar")
    rows = [
        (
            one.name, row.case, float(row.ours), None if row.peer is None else float(row.peer),
            row.peer_name, row.unit, row.ratio, None if row.bar == float("inf") else row.bar,
        )
        for one in found.outcomes
        for row in one.rows
    ]  # fmt: skip
    return ReportTable.of(titles, rows)


def report_entries(entries: Sequence[Entry]) -> Report:
    """Return a report of all benchmarks, and what they lack to run here."""
    rows = []
    for one in entries:
        if one.trial:
            state = one.trial
        elif one.reason:
            state = f"left out: {one.reason}"
        else:
            state = f"without {', '.join(one.absent)}, not installed" if one.absent else "ready"
        rows.append((one.name, "quality" if one.trial else "speed", one.title, state))
    titles = ("name", "kind", "what", "here")
    data = [dict(zip(titles, row, strict=True)) for row in rows]
    notes = ["Trials of quality need the time and data shown: python benchmarks/NAME.py."]
    return Report("Benchmarks", tables=[ReportTable.of(titles, rows)], notes=notes, data=data)


def show(value: float, unit: str) -> str:
    """Format an amount with a suitable unit.

    >>> show(0.0123, "s"), show(2.5, "s"), show(12e6, "MB"), show(3.0, "")
    ('12.3 ms', '2.5 s', '12 MB', '3')
    """
    if unit == "s" and 0 < value < 1e-4:
        return f"{value * 1e6:.3g} µs"
    if unit == "s" and 0 < value < 0.1:
        return f"{value * 1e3:.3g} ms"
    if unit == "MB":
        return f"{value / MB:,.0f} MB"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{text} {unit}".rstrip()


def _flat(note: str) -> str:
    return " ".join(textwrap.dedent(note).split())
