"""Figure 2: a thesaurus of frequent nouns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.types import Array
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.clustering.notices import ignore_trivial
from roget.learn.load import open_counts
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, heeds
from roget.report import Column, ReportTable
from roget.report.figures import BLUE, INK, place_nodes
from roget.report.format import branches, canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FREQUENT = 20
"""Number of nouns, as in the paper."""

SLOTS = ("subj", "obj")
"""Grammatical relations in which nouns are counted with verbs, as in the paper."""

WAYS: dict[str, dict[str, Any]] = {
    "li-abe, best split": {"criterion": "li-abe"},
    "li-abe, search as printed": {"criterion": "li-abe", "search": "paper"},
    "nml": {"criterion": "nml"},
    "default": {},
    "data part alone (MLE)": {"criterion": "li-abe", "estimator": "mle"},
}


@heeds("counts", "random_state")
def figure_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 2 of Li & Abe (1996): a thesaurus of the 20 most frequent nouns."""
    counts = frequent_nouns(options)
    source = options.counts or "the bundled sample (AMALGUM)"
    words, contexts = counts.shape
    with ignore_trivial():  # no warning, since the figure shows a fixed number of classes
        trees = {
            way: MDLTree(random_state=options.random_state, **how).fit(counts)
            for way, how in WAYS.items()
        }
    model = trees["default"]
    found = {way: tree.n_clusters_ for way, tree in trees.items()}
    about = (
        f"{words} nouns by {contexts:,} subject and object slots of verbs, {counts.total:,} pairs; "
        f"from {source}, not from the Wall Street Journal. By the paper's description length, "
        "which charges for every slot of every class, no split of so few pairs pays. The search of "
        "the paper splits anyway, because it rarely empties one side. The tree is that of the "
        "default; each class is followed by the bits that its split saves. Two nouns followed by "
        "bits are two classes."
    )
    classes = found["default"]
    claims = [
        Claim(
            "frequent nouns share classes",
            "classes with several nouns",
            f"{classes} classes of {words} nouns",
            holds=1 < classes < words,
        ),
        Claim(
            "million and billion, stock and share",
            "together",
            "not among these nouns",
            remark="the text has other frequent nouns",
            excused=True,
        ),
    ]
    rows = [(way, f"{number}") for way, number in found.items()]
    lines = [(line,) for line in draw_lines(model, counts.words)]
    labels = zip(counts.words.tolist(), model.labels_.tolist(), strict=True)
    return Reproduced(
        "A thesaurus of frequent nouns (Li & Abe 1996, Figure 2)",
        about=about,
        claims=claims,
        tables=[
            ReportTable.of(("code and search", "classes"), rows, ("classes",)),
            ReportTable([Column("class", fit="keep")], lines, headed=False),
        ],
        data={
            "classes": dict(labels),
            "n_classes": found,
            "description_length": model.description_length_,
        },
        picture=partial(draw, model, counts.words),
    )


def frequent_nouns(options: ReproduceOptions) -> Counts:
    """Return the counts of the most frequent nouns as subjects and objects.

    Counts passed with --counts may have other relations, which are all used.
    """
    table, _ = open_counts(options.counts or "verb_slot_noun")
    if options.counts is None:
        slots = np.isin(table.slots, SLOTS)
        table = Counts(table.matrix[:, slots], table.words, table.contexts[slots])
    return table.top(FREQUENT).drop_empty()


def nouns_below(model: MDLTree, words: Array, node: int) -> Array:
    """Return the nouns in all classes below a node."""
    tree = model.tree_
    return words[np.isin(model.labels_, tree.cluster[tree.leaves(node)])]


def draw_lines(model: MDLTree, words: Array) -> Iterator[str]:
    """Yield the tree, one line per class. A class of two nouns is shown on a single line."""
    tree = model.tree_

    def parts(node: int) -> Sequence[int]:
        pair = len(tree.leaves(node)) == 2 == nouns_below(model, words, node).size
        return () if pair else tree.children(node)

    for branch, _, node in branches(parts):
        nouns = ", ".join(map(str, nouns_below(model, words, node))) if node else "all nouns"
        saved = f"   {bits(float(tree.value[node])):,.0f} bits" if tree.children(node) else ""
        yield f"{branch}{nouns}{saved}"


def draw(model: MDLTree, words: Array) -> Figure:
    """Draw the tree from left to right, with the classes at its leaves."""
    tree = model.tree_
    height = place_nodes(tree)
    deepest = max(map(tree.depth, tree.leaves().tolist())) + 1
    figure = canvas(6, 0.28 * tree.n_clusters + 0.6)
    axes = figure.subplots()
    for node in range(tree.n_nodes):
        x, below = float(tree.depth(node)), tree.children(node)
        if not below:
            axes.plot([x, deepest], [height[node]] * 2, ":", color=BLUE, linewidth=0.8)
            nouns = ", ".join(map(str, nouns_below(model, words, node)))
            axes.text(deepest + 0.1, height[node], nouns, va="center", color=INK)
            continue
        ends = [height[child] for child in below]
        axes.plot([x + 0.5] * 2, [min(ends), max(ends)], color=BLUE)
        axes.plot([x, x + 0.5], [height[node]] * 2, color=BLUE)
        for child in below:
            axes.plot([x + 0.5, x + 1], [height[child]] * 2, color=BLUE)
    axes.set(xlim=(0, deepest + 3))
    axes.set_axis_off()
    return figure
