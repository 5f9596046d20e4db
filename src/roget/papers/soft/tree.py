"""Trees of splits in the style of the paper: the nearest nouns of each cluster, with distances."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.information import bits
from roget.learn.thesaurus import Thesaurus, lookup
from roget.report import Column, ReportTable
from roget.report.figures import place_nodes
from roget.report.format import WIDTH, branches, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEAREST = 4
"""Number of nouns shown per cluster, as in the paper."""


def describe(thesaurus: Thesaurus, node: int) -> dict[str, Any]:
    """Return a cluster as plain data, with distances in bits."""
    one = thesaurus.word_class(node, len(thesaurus))
    near = _find_nearest(thesaurus, node)
    return {
        "node": node,
        "parent": int(thesaurus.tree.parent[node]) if node else None,
        "beta": one.value,
        "nearest": [{"noun": n.word, "distance_bits": bits(n.distance)} for n in near],
        "nouns": [word.word for word in one.words],
    }


def tabulate(thesaurus: Thesaurus, *, nouns: bool = True) -> ReportTable:
    """Return the tree of splits, one row per node. A leaf shows its nouns or their number."""
    lines = []
    for branch, below, node in branches(thesaurus.tree.children):
        one = thesaurus.word_class(node, len(thesaurus))
        split = "" if one.value is None else f"   splits at β = {one.value:.3f}"
        near = "  ".join(_nearest(thesaurus, node))
        size = "" if nouns or one.children else f"  ({one.size})"
        lines.append(f"{branch}{node}  {near}{split}{size}" if node else f"root{split}")
        if node and not one.children and nouns:
            text = f"{one.size} nouns: {', '.join(word.word for word in one.words)}"
            margin = f"{below}   "
            lines += textwrap.wrap(text, WIDTH, initial_indent=margin, subsequent_indent=margin)
    return ReportTable([Column("cluster", fit="keep")], [(line,) for line in lines], headed=False)


def _nearest(thesaurus: Thesaurus, node: int) -> list[str]:
    """Return the nouns nearest to a cluster, with their distances in bits."""
    return [f"{one.word} {bits(one.distance):.3f}" for one in _find_nearest(thesaurus, node)]


def _find_nearest(thesaurus: Thesaurus, node: int) -> list[Any]:
    """Return the nouns nearest to a cluster, or no nouns for the root.

    Nouns at infinite distance are omitted. They occur with a verb that has probability 0 in the
    cluster.
    """
    near = lookup.nearest_words(thesaurus, node, NEAREST) if node else []
    return [one for one in near if math.isfinite(one.distance)]


def draw(thesaurus: Thesaurus) -> Figure:
    """Draw the tree from left to right, with the value of each split."""
    tree = thesaurus.tree
    depth = max(tree.depth(int(leaf)) for leaf in tree.leaves())
    figure = canvas(2.6 * (depth + 1), 1.3 * tree.n_clusters + 0.5)
    axes = figure.subplots()
    height = place_nodes(tree)
    for node in range(tree.n_nodes):
        x, y = tree.depth(node), height[node]
        if node:
            parent = int(tree.parent[node])
            axes.plot([x - 1, x], [height[parent], y], color="grey", linewidth=1, zorder=0)
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "grey"}
        caption = _caption(thesaurus, node)
        axes.text(x, y, caption, ha="center", va="center", fontsize=8, bbox=box)
    axes.set_xlim(-0.6, depth + 0.6)
    axes.set_ylim(-0.6, tree.n_clusters - 0.4)
    axes.set_axis_off()
    return figure


def _caption(thesaurus: Thesaurus, node: int) -> str:
    value = thesaurus.tree.value[node]
    split = [] if np.isnan(value) else [f"β = {value:.3f}"]
    return "\n".join([*(_nearest(thesaurus, node) if node else ["root"]), *split])
