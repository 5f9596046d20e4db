"""Report of the scores of many cuts of a tree: the best cuts, a selection, and curves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from roget.report import Cell, Column, Report, ReportTable
from roget.report.figures import BLUE, GREY, SERIES, label_point, set_log, styled
from roget.report.format import ARROWS, UNDEFINED, canvas, number, plural
from roget.report.legend import explain_scores
from roget.scoring.steps.sweep import Sweep, SweepCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN = 12
"""Number of cuts in the text table, in addition to the best cuts."""

NATS = ("vi", "mi", "q0", "rmi")
"""Measures whose values are in nats."""

WIDE = 50
"""Minimum number of clusters for a logarithmic axis."""

_LINES = ("-", "--", ":", "-.")


def report(sweep: Sweep) -> Report:
    """Report the best cut under each score, a selection of cuts, and the curves as a figure."""
    scale = f"{plural(sweep.items, 'item', ',')}, {plural(sweep.classes, 'class', ',')}"
    return Report(
        title="Scores of the cuts of a tree",
        lead=[f"{plural(len(sweep.cuts), 'cut', ',')} of {sweep.source}: {scale}"],
        tables=_tables(sweep),
        notes=explain_scores((curve.measure, curve.entropy) for curve in sweep.curves),
        warnings=list(sweep.warnings),
        signature=sweep.signature,
        data=sweep.as_dict(),
        sheet=_sheet(sweep),
        picture=lambda: draw(sweep),
    )


def add_sweep(scores: Report, sweep: Sweep) -> Report:
    """Add tables and a figure of the scores of many cuts to a report."""
    tables = [*scores.tables, *_tables(sweep)]
    new = [text for text in sweep.warnings if text not in scores.warnings]
    return replace(
        scores,
        tables=tables,
        warnings=[*scores.warnings, *new],
        sheet=_sheet(sweep),
        picture=lambda: draw(sweep),
    )


def _tables(sweep: Sweep) -> list[ReportTable]:
    titles = [f"{curve.name} {ARROWS[curve.direction]}" for curve in sweep.curves]
    best = [
        [title, str(curve.best or UNDEFINED), number(curve.value)]
        for title, curve in zip(titles, sweep.curves, strict=True)
    ]
    columns = [*Column.numbers("cut", "clusters"), *Column.numbers(*titles, fit="keep")]
    rows = [
        [
            str(sweep.cuts[at]),
            str(sweep.clusters[at]),
            *(
                Cell(number(curve.values[at]), strong=curve.best == sweep.cuts[at])
                for curve in sweep.curves
            ),
        ]
        for at in choose_cuts(sweep)
    ]
    return [
        ReportTable.of(["score", "cut", "value"], best, ("cut", "value"), title="best cuts"),
        ReportTable(columns, rows, title="selected cuts", repeated=2),
    ]


def choose_cuts(sweep: Sweep) -> list[int]:
    """Return the indices of the cuts to show: log-spaced cuts, and the best cut of each score."""
    size = len(sweep.cuts)
    if size <= SHOWN:
        return list(range(size))
    low, high = sweep.cuts[0], sweep.cuts[-1]
    wanted = [low * (high / low) ** (step / (SHOWN - 1)) for step in range(SHOWN)]
    near = [min(range(size), key=lambda at: abs(sweep.cuts[at] - k)) for k in wanted]
    best = [sweep.cuts.index(curve.best) for curve in sweep.curves if curve.best is not None]
    return sorted({*near, *best})


def _sheet(sweep: Sweep) -> ReportTable:
    """Return a spreadsheet table of all cuts at full precision, with the signature."""
    titles = ["cut", "clusters", *(curve.name for curve in sweep.curves), "signature"]
    rows = [
        [cut, clusters, *(curve.values[at] for curve in sweep.curves), sweep.signature]
        for at, (cut, clusters) in enumerate(zip(sweep.cuts, sweep.clusters, strict=True))
    ]
    return ReportTable.of(titles, rows)


def draw(sweep: Sweep) -> Figure:
    """Draw a panel per measure: score against number of clusters, one curve per estimator."""
    measures = list(dict.fromkeys(curve.measure for curve in sweep.curves))
    across = 1 if len(measures) == 1 else 2
    down = -(-len(measures) // across)
    with styled():
        figure = canvas(3.4 * across, 0.3 + 2.1 * down)
        figure.set_layout_engine("constrained", h_pad=0.1, w_pad=0.08)
        panels = figure.subplots(down, across, squeeze=False, sharex=True).ravel()
        for axes, measure in zip(panels, measures, strict=False):
            curves = [curve for curve in sweep.curves if curve.measure == measure]
            _draw_panel(axes, sweep.cuts, curves)
        for axes in panels[len(measures) :]:
            axes.set_axis_off()
        for axes in panels[max(0, len(measures) - across) : len(measures)]:
            axes.set_xlabel("clusters")
            axes.tick_params(axis="x", labelbottom=True)
    return figure


def _label_best(axes: Axes, curves: list[SweepCurve]) -> None:
    """Label each best cut at its best score, with the first and last label pointing outwards."""
    higher = curves[0].direction == "higher"
    outer = max if higher else min
    marks: dict[int, float] = {}
    for curve in curves:
        if curve.best is not None and curve.value is not None:
            marks[curve.best] = outer(curve.value, marks.get(curve.best, curve.value))
    ordered = sorted(marks)
    for cut in ordered:
        side = 1 if cut == ordered[-1] else -1 if cut == ordered[0] else 0
        above = higher == (side != 0)
        offset = 4 * side, 4 if above else -10
        aligned = ("center", "left", "right")[side]
        label_point(axes, f"{cut:,}", (cut, marks[cut]), offset, ha=aligned)


def _draw_panel(axes: Axes, cuts: tuple[int, ...], curves: list[SweepCurve]) -> None:
    for place, curve in enumerate(curves):
        colour, marker = SERIES[place % len(SERIES)]
        values = [float("nan") if value is None else value for value in curve.values]
        alone: dict[str, Any] = {"marker": marker, "ms": 3} if len(cuts) < SHOWN else {}
        axes.plot(
            cuts, values, _LINES[place % len(_LINES)], color=colour, lw=1.3,
            label=curve.entropy or curve.measure, **alone,
        )  # fmt: skip
        if curve.best is not None and curve.value is not None:
            axes.plot(curve.best, curve.value, marker, color=colour, ms=5, zorder=3)
    _label_best(axes, curves)
    first = curves[0]
    if cuts[-1] >= WIDE and len(cuts) > 1:
        set_log(axes, "x", cuts[0], cuts[-1])
    unit = ", nats" if first.measure in NATS else ""
    axes.set_ylabel(f"{first.measure}{unit} {ARROWS[first.direction]}")
    axes.margins(y=0.15)
    axes.grid(color=GREY, alpha=0.25, lw=0.6)
    if len(curves) > 1:
        axes.legend(frameon=False, fontsize=7, loc="best")
    elif first.entropy is None:
        axes.lines[0].set_color(BLUE)
