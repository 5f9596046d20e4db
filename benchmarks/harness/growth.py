"""Fit a power law to the cost of benchmarks at several sizes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from harness.measuring import Row, size

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXES = {"N": "items", "K": "clusters", "nnz": "entries"}


class Power(NamedTuple):
    """Cost ≈ factor · size^exponent."""

    exponent: float
    error: float | None
    """Standard error of the exponent, or None if there are only two points."""
    factor: float

    def __str__(self) -> str:
        return f"{self.exponent:.2f}" + ("" if self.error is None else f" ± {self.error:.2f}")


def fit_power(sizes: Sequence[float], costs: Sequence[float]) -> Power:
    """Fit a power law by least squares on the logarithms of sizes and costs.

    >>> print(fit_power([1, 10, 100], [3, 30, 300]))
    1.00 ± 0.00
    >>> print(fit_power([1, 4], [1, 2]))
    0.50
    """
    from scipy.stats import linregress

    line = linregress(np.log(sizes), np.log(np.maximum(costs, 1e-12)))
    error = float(line.stderr) if len(sizes) > 2 else None
    return Power(float(line.slope), error, math.exp(line.intercept))


@dataclass(frozen=True)
class Curve:
    """Costs of roget and of a peer at several sizes."""

    series: str
    axis: str
    unit: str
    sizes: tuple[float, ...]
    ours: tuple[float, ...]
    peer: tuple[float, ...]
    """Costs of the peer; empty if the peer was not measured at every size."""
    peer_name: str = ""

    @property
    def power(self) -> Power:
        """The power law fitted to the costs of roget."""
        return fit_power(self.sizes, self.ours)

    @property
    def peer_power(self) -> Power | None:
        """The power law fitted to the costs of the peer, or None."""
        return fit_power(self.sizes, self.peer) if self.peer else None

    def as_dict(self) -> dict[str, Any]:
        """Return the curve as JSON-compatible values."""
        found: dict[str, Any] = {**vars(self), **self.power._asdict()}
        if self.peer_power is not None:
            found["peer_power"] = self.peer_power._asdict()
        return found

    def describe(self) -> str:
        """Return the points as one line of text.

        >>> Curve("score", "N", "s", (1e3, 1e4), (0.1, 1.0), ()).describe()
        '1e3: 0.1 s, 1e4: 1 s'
        """
        return ", ".join(
            f"{size(n)}: {cost:.3g} {self.unit}"
            for n, cost in zip(self.sizes, self.ours, strict=True)
        )


def find_curves(rows: Iterable[Row]) -> list[Curve]:
    """Group rows by series into curves with at least two points."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.series:
            found.setdefault((row.series, row.axis), []).append(row)
    curves = []
    for (series, axis), points in found.items():
        points.sort(key=lambda row: row.size)
        if len({row.size for row in points}) > 1:
            peers = tuple(float(row.peer) for row in points if row.peer is not None)
            curves.append(
                Curve(
                    series, axis, points[0].unit,
                    tuple(row.size for row in points),
                    tuple(float(row.ours) for row in points),
                    peers if len(peers) == len(points) else (),
                    points[0].peer_name,
                )
            )  # fmt: skip
    return curves


def name_axis(axis: str) -> str:
    """Return the label of an axis: the quantity and its symbol.

    >>> name_axis("N"), name_axis("tokens")
    ('N (items)', 'tokens')
    """
    return f"{axis} ({AXES[axis]})" if axis in AXES else axis


def draw_curves(curves: Sequence[Curve]) -> Figure:
    """Plot each curve and its power law in a panel of its own."""
    from roget.report.figures import BLUE, GREY, INK, ORANGE, set_log, styled
    from roget.report.format import canvas, printable

    wide = min(3, len(curves))
    high = -(-len(curves) // wide)
    with styled():
        figure = canvas(3.6 * wide, 2.9 * high)
        panels = figure.subplots(high, wide, squeeze=False).ravel()
        for axes, curve in zip(panels, curves, strict=False):
            sides = [("roget", curve.ours, curve.power, BLUE, "o")]
            if curve.peer_power is not None:
                sides.append((curve.peer_name, curve.peer, curve.peer_power, ORANGE, "s"))
            for name, costs, power, colour, mark in sides:
                said = f"{printable(name, 18)}: {power}"
                axes.plot(curve.sizes, costs, mark, color=colour, markersize=4, label=said)
                line = [power.factor * n**power.exponent for n in curve.sizes]
                axes.plot(curve.sizes, line, "-", color=colour, linewidth=1)
            drawn = [cost for _, costs, _, _, _ in sides for cost in costs]
            set_log(axes, "x", min(curve.sizes), max(curve.sizes))
            set_log(axes, "y", min(drawn), max(drawn))
            axes.tick_params(labelsize=7)
            axes.set_title(curve.series, fontsize=9, color=INK, loc="left")
            axes.set_xlabel(name_axis(curve.axis))
            axes.set_ylabel("CPU s" if curve.unit == "s" else curve.unit)
            axes.grid(color=GREY, alpha=0.25, linewidth=0.5)
            axes.legend(fontsize=6.5, frameon=False)
        for axes in panels[len(curves) :]:
            axes.set_visible(False)
    return figure
