"""Figure 1: the objects of a verb, split into clusters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.tree import Tree
from roget.data import sample
from roget.learn.clustering.soft.estimator import SoftAnnealing
from roget.learn.opening import open_counts
from roget.learn.thesaurus import Thesaurus
from roget.papers.options import Options
from roget.papers.reproduction import MissingData, Reproduced, find_data, heeds
from roget.report import Column, Table
from roget.report.format import WIDTH, branches, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

VERB = "fire"
MOST = 64
"""Nouns, as in the paper."""

CLUSTERS = 3
"""What the first two splits give, as in the paper."""

VERBS = 5
"""Verbs that a noun must be seen with: one that has no other verb is a cluster by itself."""

NEAREST = 4
"""Words shown of every cluster, as in the paper."""

PRINTED = (
    "In the paper (64 nouns, Associated Press 1988): cluster 1 has missile, rocket and bullet, "
    "cluster 2 officer, aide, chief and manager; cluster 1 then splits into gun, missile, weapon, "
    "rocket (3) and shot, bullet, rocket, missile (4)."
)


@heeds("counts", "verb", "random_state")
def figure_1(options: Options) -> Reproduced:
    """Figure 1 of Pereira, Tishby & Lee (1993): the objects of "fire" split into clusters"""
    verb = options.verb or VERB
    counts, source, least = verb_object(options)
    nouns = objects(counts, verb, MOST, least)
    model = SoftAnnealing(CLUSTERS, prior="uniform", random_state=options.random_state).fit(nouns)
    thesaurus = Thesaurus.from_clustering(nouns, model)
    words, contexts = nouns.shape
    about = (
        f'{words} nouns, of those most often the object of "{verb}" (at most {MOST}) the ones seen '
        f"at least {least} times as an object, of {VERBS} verbs or more, each a distribution over "
        f"{contexts:,} verbs; {source}. All nouns have the same weight, as in the paper. Beside "
        f"each cluster are the {NEAREST} nouns nearest to its centroid and their distances, KL in "
        "bits; below a cluster that was not split, the nouns that have their place in it."
    )
    lines = [(line,) for line in tree_lines(thesaurus)]
    return Reproduced(
        f'Direct object clusters for "{verb}" (Pereira, Tishby & Lee 1993, Figure 1)',
        about=about,
        tables=[Table([Column("cluster", fit="keep")], lines, headed=False)],
        notes=[PRINTED] if verb == VERB else [],
        data=[_node(thesaurus, node) for node in range(thesaurus.tree.n_nodes)],
        picture=partial(draw, thesaurus),
    )


def _node(thesaurus: Thesaurus, node: int) -> dict[str, Any]:
    """A cluster as plain data; distances in bits."""
    one = thesaurus.word_class(node, len(thesaurus))
    near = thesaurus.nearest(node, NEAREST) if node else []
    return {
        "node": node,
        "parent": int(thesaurus.tree.parent[node]) if node else None,
        "beta": one.value,
        "nearest": [{"noun": n.word, "distance_bits": bits(n.distance)} for n in near],
        "nouns": [word.word for word in one.words],
    }


def verb_object(options: Options) -> tuple[Counts, str, int]:
    """Nouns as objects of verbs, where they are from, and how often a noun should be seen."""
    if options.counts is not None:
        return open_counts(options.counts)[0], f"from {options.counts}", 5
    try:
        path = find_data(options, "the BNC's pairs", "bnc-verb-noun", "verb_object.tsv")
    except MissingData:
        source = "from the bundled sample (AMALGUM), which is small: see the nouns as a sketch"
        return sample("verb_object"), source, 5
    source = "from the British National Corpus (pairs seen fewer than 5 times are not in it)"
    return Counts.read(path, columns=(2, 1, 3)), source, 30


def objects(counts: Counts, verb: str, most: int, least: int, verbs: int = VERBS) -> Counts:
    """The nouns that are most often objects of a verb, with all their verbs."""
    column = counts.matrix[:, [counts.context_id(verb)]].toarray().ravel()
    order = sorted(np.flatnonzero(column), key=lambda row: (-column[row], counts.words[row]))
    seen = np.diff(counts.matrix.indptr)
    kept = [r for r in order[:most] if counts.word_totals[r] >= least and seen[r] >= verbs]
    return counts.select(words=counts.words[kept]).drop_empty()


def tree_lines(thesaurus: Thesaurus) -> Iterator[str]:
    """The tree of splits, a line for each node and one for its nouns."""
    for branch, below, node in branches(thesaurus.tree.children):
        one = thesaurus.word_class(node, len(thesaurus))
        split = "" if one.value is None else f"   splits at β = {one.value:.3f}"
        near = "  ".join(_nearest(thesaurus, node))
        yield f"{branch}{node}  {near}{split}" if node else f"root{split}"
        if node and not one.children:
            nouns = f"{one.size} nouns: {', '.join(word.word for word in one.words)}"
            margin = f"{below}   "
            yield from textwrap.wrap(nouns, WIDTH, initial_indent=margin, subsequent_indent=margin)


def _nearest(thesaurus: Thesaurus, node: int) -> list[str]:
    """The nouns nearest to a cluster that was split off, and their distances in bits."""
    near = thesaurus.nearest(node, NEAREST) if node else []
    return [f"{one.word} {bits(one.distance):.3f}" for one in near]


def draw(thesaurus: Thesaurus) -> Figure:
    """The tree as a picture: from left to right, with the value of each split."""
    tree = thesaurus.tree
    depth = max(tree.depth(int(leaf)) for leaf in tree.leaves())
    figure = canvas(2.6 * (depth + 1), 1.3 * tree.n_clusters + 0.5)
    axes = figure.subplots()
    height = _heights(tree)
    for node in range(tree.n_nodes):
        x, y = tree.depth(node), height[node]
        if node:
            parent = int(tree.parent[node])
            axes.plot([x - 1, x], [height[parent], y], color="grey", linewidth=1, zorder=0)
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": "grey"}
        said = _caption(thesaurus, node)
        axes.text(x, y, said, ha="center", va="center", fontsize=8, bbox=box)
    axes.set_xlim(-0.6, depth + 0.6)
    axes.set_ylim(-0.6, tree.n_clusters - 0.4)
    axes.set_axis_off()
    return figure


def _caption(thesaurus: Thesaurus, node: int) -> str:
    value = thesaurus.tree.value[node]
    split = [] if np.isnan(value) else [f"β = {value:.3f}"]
    return "\n".join([*(_nearest(thesaurus, node) if node else ["root"]), *split])


def _heights(tree: Tree) -> dict[int, float]:
    """Leaves one above the other in the order of the tree, parents between their children."""
    leaves = [node for node in tree.walk() if not tree.children(node)]
    heights = {leaf: float(place) for place, leaf in enumerate(reversed(leaves))}
    for node in reversed(range(tree.n_nodes)):
        if children := tree.children(node):
            heights[node] = fmean(heights[child] for child in children)
    return heights
