"""Figure 2: the problem of matching clusters to classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from roget.core.types import Ints
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced
from roget.papers.v_measure.rules import FIGURE_2 as RULES
from roget.report import ReportTable
from roget.report.figures import GREY, INK, SERIES
from roget.report.format import canvas
from roget.scoring.tables.contingency import Contingency

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CORE = np.array([[3, 2, 0], [0, 3, 2], [2, 0, 3]])
SOLUTIONS: dict[str, Ints] = {
    "A": np.array([[3, 1, 1], [1, 3, 1], [1, 1, 3]]),
    "B": CORE,
    "C": np.hstack([CORE, [[0, 1, 1], [1, 0, 1], [1, 1, 0]]]),
    "D": np.hstack([CORE, np.repeat(np.eye(3, dtype=np.int64), 2, axis=1)]),
}
"""Contingency tables of the solutions, with classes as rows and clusters as columns."""

PRINTED = {"A": (0.6, 0.135, 3), "B": (0.6, 0.387, 3), "C": (0.5, 0.30, 2), "D": (0.5, 0.41, 2)}
"""F and V as printed in the text, and the number of decimals of V."""

PARTS = {
    **dict.fromkeys("AB", ((3, 5), (3, 5))),
    **dict.fromkeys("CD", ((3, 5), (3, 7))),
}
"""Precision and recall of each class as printed in the text."""

CAPTION = {"A": 0.5, "B": 0.5, "C": 0.6, "D": 0.6}
"""F as printed in the captions of the figure."""


def figure_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 2 of Rosenberg & Hirschberg (2007): solutions that only V distinguishes."""
    claims, rows, data = [], [], {}
    for name, solution in SOLUTIONS.items():
        table = Contingency.from_table(solution)
        found = {key: table.measure(key) for key in ("f", "homogeneity", "completeness", "v")}
        f, v, digits = PRINTED[name]
        claims += [
            Claim(RULES["f"], f"{name}: F", f, found["f"], digits=1),
            _check_caption(name),
            Claim(RULES["v"], f"{name}: V", v, found["v"], digits=digits),
        ]
        clusters = "; ".join(" ".join(map(str, cluster)) for cluster in solution.T.tolist())
        rows.append((name, clusters, *(f"{value:.4f}" for value in found.values())))
        data[name] = {"table": solution.tolist(), **found}
    titles = ("solution", "clusters (items of each class)", "F", "h", "c", "V")
    return Reproduced(
        "The problem of matching (Rosenberg & Hirschberg 2007, Figure 2)",
        about="Four solutions as described in the text: three classes of five items, or of seven "
        "items in C and D. F only considers the best matching cluster of each class.",
        claims=claims,
        tables=[ReportTable.of(titles, rows, ("F", "h", "c", "V"))],
        data=data,
        picture=draw_solutions,
    )


def _check_caption(name: str) -> Claim:
    """Compare F in a caption with F of the printed precision and recall."""
    (a, b), (c, d) = PARTS[name]
    p, r = a / b, c / d
    f = 2 * p * r / (p + r)
    proof = f"2PR/(P + R) with the printed P = {a}/{b} and R = {c}/{d} is {f:.1f}"
    return Claim(
        RULES["caption"], f"{name}: F, in the caption", CAPTION[name], f, 1, misprint=proof
    )


def draw_solutions() -> Figure:
    """Draw clusters as boxes and classes as shapes."""
    figure = canvas(6.4, 4.2)
    panels = figure.subplots(2, 2, gridspec_kw={"height_ratios": [1, 1.55]}).ravel()
    for axes, (name, solution) in zip(panels, SOLUTIONS.items(), strict=True):
        table = Contingency.from_table(solution)
        scores = f"F = {table.measure('f'):.1f}, V = {table.measure('v'):.3f}"
        axes.set_title(f"Solution {name}: {scores}", fontsize=9, color=INK)
        _draw_clusters(axes, solution)
    marks = [
        figure.axes[0].scatter([], [], color=colour, marker=marker, label=f"class {at}")
        for at, (colour, marker) in enumerate(SERIES[:3], start=1)
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _draw_clusters(axes: Axes, solution: Ints) -> None:
    """Draw the large clusters in the first row and the small clusters below."""
    from matplotlib.patches import FancyBboxPatch

    large, small = (
        [c for c in solution.T.tolist() if (sum(c) > 2) is wanted] for wanted in (True, False)
    )
    low = 0.0
    for row in filter(None, (large, small)):
        width = 9 / len(row)
        high = 1.6 if row is large else 1.0
        low -= high + 0.25
        for at, cluster in enumerate(row):
            left = at * width + 0.1
            box = FancyBboxPatch(
                (left, low), width - 0.2, high, boxstyle="round,pad=0,rounding_size=0.2",
                facecolor=GREY, edgecolor=GREY, alpha=0.25,
            )  # fmt: skip
            axes.add_patch(box)
            items = [kind for kind, count in enumerate(cluster) for _ in range(count)]
            across = min(len(items), 3)
            for place, kind in enumerate(items):
                colour, marker = SERIES[kind]
                lines = -(-len(items) // across)
                x = left + (width - 0.2) * (place % across + 0.5) / across
                y = low + high * (1 - (place // across + 0.5) / lines)
                axes.plot(x, y, marker, color=colour, ms=6)
    axes.set(xlim=(0, 9), ylim=(low - 0.1, 0))
    axes.set_axis_off()
