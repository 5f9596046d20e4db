"""Tables and figures of means over random samples, for the figures of this paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from roget.core.intervals import Interval
from roget.report import ReportTable
from roget.report.format import canvas, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curves: TypeAlias = Mapping[str, Sequence[Interval]]
"""Curves by name. A curve has a mean with its interval for each number of clusters."""

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)

STYLES = (("o", "-"), ("s", "--"), ("^", ":"))
"""Marker and line style of each curve, which distinguish curves without colour."""


def say(mean: Interval) -> str:
    """Format a mean with half the width of its interval, if it has one."""
    return spread(mean.mean, mean.low, mean.high)


def tabulate_means(sizes: Sequence[int], curves: Curves) -> tuple[ReportTable, ReportTable]:
    """Return two tables of means by number of clusters: one formatted, one with all digits."""
    titles = ("clusters", *curves)
    rows = list(zip(sizes, zip(*curves.values(), strict=True), strict=True))
    texts = [(f"{size}", *map(say, means)) for size, means in rows]
    values = [(size, *(one.mean for one in means)) for size, means in rows]
    return ReportTable.of(titles, texts, titles), ReportTable.of(titles, values)


def draw_curves(
    sizes: Sequence[int], curves: Curves, called: str, top: float | None = None
) -> Figure:
    """Draw means with intervals by number of clusters. The axis starts at 0."""
    figure = canvas(6, 4)
    axes = figure.subplots()
    for (name, values), (marker, line) in zip(curves.items(), STYLES, strict=False):
        centre = [one.mean or 0.0 for one in values]
        half = [0.0 if one.low is None else (one.mean or 0.0) - one.low for one in values]
        axes.errorbar(
            sizes, centre, half, label=name, marker=marker, linestyle=line, markersize=4, capsize=2
        )
    axes.set_xscale("log", base=2)
    axes.set_xticks(list(sizes), [f"{size}" for size in sizes])
    axes.set_xlabel("number of clusters")
    axes.legend()
    axes.set_ylim(0, top)
    axes.set_ylabel(called)
    return figure
