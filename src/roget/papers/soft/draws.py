"""Means over draws, as tables and pictures of this paper show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roget.core.intervals import Interval
from roget.report.format import spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = (("o", "-"), ("s", "--"), ("^", ":"))
"""Marker and line of each curve, so that none is told by its colour alone."""


def say(mean: Interval) -> str:
    """A mean and half its interval, if it has one."""
    return spread(mean.mean, mean.low, mean.high)


def draw_curves(axes: Axes, sizes: Sequence[int], curves: dict[str, Sequence[Interval]]) -> None:
    """Means against the number of clusters, each with its interval."""
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
