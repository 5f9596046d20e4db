"""Figures of `roget agree`: matrix, tree and map of clusterings as SVG, PDF and PNG."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roget.core.types import PathLike
from roget.errors import Undefined
from roget.report.agreement.parts import distance_name, leaf_order
from roget.report.comparison.figures import list_names, plain_name, shown
from roget.report.figures import BLUE, GREY, INK, ORANGE, label_point, save_pictures
from roget.report.format import ARROWS, canvas, name_score, number
from roget.scoring.agreement.result import Agreement, AgreementTree, Map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NUMBERED = 20
"""Maximum number of clusterings for which matrix cells show numbers."""


def write(found: Agreement, folder: PathLike) -> list[Path]:
    """Draw a matrix per score, and a tree and a map if the score can be turned into a distance."""
    return save_pictures(_figures(found), folder)


def _figures(found: Agreement) -> Iterator[tuple[str, Figure]]:
    for at, score in enumerate(found.scores):
        name = f"{score[0]}-{score[1] or ''}"
        try:
            tree, places = found.tree(*score), found.map(*score)
        except Undefined:
            yield plain_name(f"matrix-{name}"), _matrix(found, at, leaf_order(found))
            continue
        distance = distance_name(found, score)
        yield plain_name(f"matrix-{name}"), _matrix(found, at, tree.order)
        yield plain_name(f"tree-{name}"), _tree(found.systems, tree, distance)
        yield plain_name(f"map-{name}"), _map(found, places, score)


def _matrix(found: Agreement, at: int, order: list[int]) -> Figure:
    wanted = found.requests[at][0]
    values = found.matrices.values[at][np.ix_(order, order)]
    size = len(order)
    side = max(2.4, min(0.46 * size, 9.0))
    figure = canvas(side + 2.4, side + 0.9)
    axes = figure.subplots()
    apart = np.ma.masked_where(np.eye(size, dtype=bool), np.ma.masked_invalid(values))
    colours = "Blues" if wanted.direction == "higher" else "Blues_r"
    drawn = axes.imshow(apart, cmap=colours)
    low, high = drawn.get_clim()
    if size <= NUMBERED:
        for (i, j), value in np.ndenumerate(values):
            known = None if np.isnan(value) else float(value)
            share = 0.0 if known is None or high == low else (value - low) / (high - low)
            dark = i != j and (share if wanted.direction == "higher" else 1 - share) > 0.6
            colour = "white" if dark else INK
            axes.text(j, i, number(known), ha="center", va="center", fontsize=7, color=colour)
    names = shown([found.systems[i] for i in order], 24)
    step = max(1, size // 60)
    axes.set_yticks(range(0, size, step), labels=names[::step])
    axes.set_xticks(range(0, size, step), labels=names[::step], rotation=90)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    ways = "" if wanted.symmetric else "; the clustering of the row is taken as gold"
    named = name_score(*found.scores[at])
    axes.set_title(f"{named} {ARROWS[wanted.direction]}{ways}", fontsize=9)
    figure.colorbar(drawn, ax=axes, shrink=0.7)
    return figure


def _tree(names: tuple[str, ...], tree: AgreementTree, distance: str) -> Figure:
    figure, axes = list_names([names[leaf] for leaf in tree.order])
    places = {leaf: (0.0, float(at)) for at, leaf in enumerate(tree.order)}
    for at, (one, two, height, _) in enumerate(tree.links.tolist()):
        (left, top), (right, foot) = places[int(one)], places[int(two)]
        axes.plot([left, height, height, right], [top, top, foot, foot], color=BLUE, lw=1.4)
        places[len(names) + at] = (height, (top + foot) / 2)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"{distance}, average linkage")
    return figure


def _map(found: Agreement, drawn: Map, score: tuple[str, str | None]) -> Figure:
    figure = canvas(6.4, 4.8)
    axes = figure.subplots()
    labels = shown(found.systems, 24)
    kinds = {
        found.outlier(*score): (ORANGE, "odd one out"),
        found.medoid(*score): (BLUE, "most typical"),
    }
    for at, (label, (x, y)) in enumerate(zip(labels, drawn.places.tolist(), strict=True)):
        colour, kind = kinds.get(at, (GREY, None))
        axes.plot(x, y, "o", color=colour, ms=5, label=kind)
        label_point(axes, label, (x, y), (5, 3))
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.15)
    # Place the legend outside the axes, so that it does not cover points.
    figure.legend(frameon=False, fontsize=7, loc="outside upper right", ncols=2)
    axes.set_xlabel(
        f"{distance_name(found, score)}; two dimensions show {drawn.share:.0%} of the spread"
    )
    return figure
