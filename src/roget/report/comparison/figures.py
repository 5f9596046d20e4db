"""Figures of `roget compare`: intervals, ranks and differences as SVG, PDF and PNG."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from roget.core.types import PathLike
from roget.report.comparison import pictures
from roget.report.figures import BLUE, GREY, INK, ORANGE, SERIES, label_point, save_pictures
from roget.report.format import ARROWS, canvas, name_score, shorten
from roget.scoring.results import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def write(comparison: Comparison, folder: PathLike) -> list[Path]:
    """Draw all figures into a folder, which is created if missing, and return the files.

    There is one figure of intervals per score. A measure computed with several entropy estimators
    also has a figure of ranks, and one of score differences against the number of clusters.
    """
    return save_pictures(_figures(comparison), folder)


def _figures(comparison: Comparison) -> Iterator[tuple[str, Figure]]:
    """Yield the figures with their file names, without suffix."""
    for measure, entropy in comparison.defined:
        if pictures.intervals(comparison, measure, entropy):
            name = f"intervals-{measure}-{entropy or ''}"
            yield plain_name(name), _intervals(comparison, measure, entropy)
    for measure in dict.fromkeys(measure for measure, _ in comparison.defined):
        first = next(iter(pictures.estimators(comparison, measure)), "")
        shifts, drops = pictures.shifts(comparison, measure), pictures.drops(comparison, measure)
        if any(shifts.values()):
            yield plain_name(f"ranks-{measure}"), _ranks(first, shifts)
        if any(drops.values()):
            grouped = comparison.groups > 1
            yield plain_name(f"difference-{measure}"), _drops(measure, first, drops, grouped)


def plain_name(text: str) -> str:
    """Return a safe file name: only letters, digits, dots, dashes and underscores.

    >>> plain_name("intervals-v(beta=0.5)-ml"), plain_name("../x")
    ('intervals-v-beta-0.5-ml', 'x')
    """
    return re.sub(r"[^\w.]+", "-", text, flags=re.ASCII).strip("-.") or "figure"


def list_names(names: Sequence[str]) -> tuple[Figure, Axes]:
    """Return a figure and its axes, with one row per name, the first at the top."""
    size = len(names)
    figure = canvas(6.4, 0.8 + 0.24 * size)
    axes = figure.subplots()
    axes.set_yticks(range(size), labels=shown(names))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(size - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=GREY, alpha=0.25, lw=0.6)
    return figure, axes


def shown(names: Sequence[str], most: int = 40) -> list[str]:
    """Replace control characters in names, and shorten long names, for use in a figure.

    >>> shown(["a\\x00b", "x" * 50 + "end"], 9)
    ['a\N{REPLACEMENT CHARACTER}b', 'xxxx…xend']
    """
    clean = ["".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)
             for name in names]  # fmt: skip
    return shorten(clean, most)


def _intervals(comparison: Comparison, measure: str, entropy: str | None) -> Figure:
    dots = pictures.intervals(comparison, measure, entropy)
    figure, axes = list_names([dot.system for dot in dots])
    for at, dot in enumerate(dots):
        colour = GREY if dot.trivial else BLUE
        if dot.low is not None and dot.high is not None:
            axes.plot([dot.low, dot.high], [at, at], color=colour, marker="|", lw=1.4, zorder=2)
        fill = "white" if dot.trivial else colour
        axes.plot(dot.value or 0.0, at, "o", color=colour, markerfacecolor=fill, ms=5, zorder=3)
    systems = sum(not dot.trivial for dot in dots)
    if 0 < systems < len(dots):
        axes.axhline(systems - 0.5, color=GREY, lw=0.6, ls=(0, (3, 4)))
    better = pictures.directions(comparison)[measure, entropy]
    axes.set_xlabel(f"{name_score(measure, entropy)} {ARROWS[better]} {better} is better")
    return figure


def _ranks(first: str, shifts: dict[str, list[pictures.RankShift]]) -> Figure:
    most = max(len(moves) for moves in shifts.values())
    figure = canvas(4.2 * len(shifts), 0.7 + 0.24 * most)
    panels = figure.subplots(1, len(shifts), squeeze=False)[0]
    for axes, (other, moves) in zip(panels, shifts.items(), strict=True):
        after = [at for _, at in sorted((move.after, at) for at, move in enumerate(moves))]
        for at, move in enumerate(moves):
            rise = move.after - move.before
            colour = BLUE if rise < 0 else ORANGE if rise > 0 else GREY
            axes.plot([0, 1], [at, after.index(at)], color=colour, marker="o", ms=4, lw=1.4)
            axes.text(1.06, after.index(at), str(move.after), va="center", color=INK)
        names = shown([move.name for move in moves], 28)
        labels = [f"{name}  {move.before}" for name, move in zip(names, moves, strict=True)]
        axes.set_yticks(range(len(moves)), labels=labels)
        axes.set_xticks([0, 1], labels=[first, other])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.set_ylim(len(moves) - 0.5, -0.5)
        axes.set_xlim(-0.05, 1.2)
        axes.spines[:].set_visible(False)
    return figure


def _drops(
    measure: str, first: str, drops: dict[str, list[pictures.Drop]], grouped: bool
) -> Figure:
    figure = canvas(6.4, 3.8)
    axes = figure.subplots()
    axes.axhline(0, color=GREY, lw=0.8)
    for number, (other, points) in enumerate(drops.items()):
        colour, marker = SERIES[number % len(SERIES)]
        places = [point.clusters for point in points], [point.difference for point in points]
        label = f"{first} − {other}"
        axes.plot(*places, marker, color=colour, ms=5, alpha=0.85, label=label)
    for point in next(iter(drops.values())):
        label_point(axes, str(point.rank), (point.clusters, point.difference), (5, -3))
    axes.set_xlabel("clusters per group" if grouped else "clusters")
    axes.set_ylabel(f"difference of {measure}")
    axes.grid(axis="y", color=GREY, alpha=0.25, lw=0.6)
    axes.legend(frameon=False, loc="best")
    return figure
