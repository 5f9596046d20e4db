"""Figure 2: a thesaurus of frequent nouns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.quadruple import Quadruple
from roget.core.types import Array
from roget.learn.attachment.quads import NOUN, read
from roget.learn.attachment.sources import make_sources, tabulate
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.clustering.notices import ignore_trivial
from roget.learn.load import open_counts
from roget.papers.mdl.rules import FIGURE_2 as RULES
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, MissingData, Reproduced, find_data, uses_options
from roget.papers.rules import decide_mean
from roget.report import Column, ReportTable
from roget.report.figures import BLUE, INK, place_nodes
from roget.report.format import branches, canvas, plural

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


PRINTED = "li-abe, search as printed"
"""The paper's own method, as a key of `WAYS`. Its tree is shown."""

PAIRS = (("million", "billion"), ("stock", "share"))
"""Nouns that are classified together in the paper."""

SEEDS = 20
"""Number of random seeds for the search."""

OTHERS = frozenset(
    [
        "all",
        "any",
        "both",
        "each",
        "him",
        "her",
        "it",
        "itself",
        "many",
        "me",
        "more",
        "most",
        "none",
        "one",
        "other",
        "some",
        "that",
        "the",
        "them",
        "themselves",
        "these",
        "this",
        "those",
        "us",
        "what",
        "which",
        "who",
        "you",
    ]
)
"""Frequent words in noun positions that are not nouns, and are excluded."""


@uses_options("counts", "random_state")
def figure_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 2 of Li & Abe (1996): a thesaurus of the 20 most frequent nouns."""
    counts, source = frequent_nouns(options)
    words, contexts = counts.shape
    seeds = range(options.random_state, options.random_state + SEEDS)
    # Suppress the warning, because the figure shows a fixed number of classes.
    with ignore_trivial():
        trees = {
            way: MDLTree(random_state=options.random_state, **how).fit(counts)
            for way, how in WAYS.items()
        }
        runs = [MDLTree(random_state=seed, **WAYS[PRINTED]).fit(counts) for seed in seeds]
    model = trees[PRINTED]
    found = {way: tree.n_clusters_ for way, tree in trees.items()}
    best = found["li-abe, best split"]
    about = (
        f"{words} nouns by {contexts:,} slots, {counts.total:,} pairs; {source}. The tree is the "
        "result of the description length and the search of the paper, with the first seed. A "
        "class with several nouns is one cluster of the paper, and bits are the savings of a "
        f"split. By this description length, the best splits give {plural(best, 'class')}; the "
        "search of the paper splits further, because it stops only if one side becomes empty."
    )
    claims = judge(counts.words.tolist(), [run.labels_ for run in runs])
    missing = "" if claims else "The nouns of the paper's example are not among these nouns."
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
        notes=[missing] if missing else [],
        data={
            "classes": dict(labels),
            "n_classes": found,
            "description_length": model.description_length_,
        },
        picture=partial(draw, model, counts.words),
    )


def judge(words: Sequence[str], runs: Sequence[Array]) -> list[Claim]:
    """Test whether the paper's noun pairs share a class more often than other pairs of nouns."""
    claims = []
    for one, two in PAIRS:
        if not {one, two} <= set(words):
            continue
        first, second = words.index(one), words.index(two)
        together = [float(labels[first] == labels[second]) for labels in runs]
        usual = [share_together(labels) for labels in runs]
        more = [have - expected for have, expected in zip(together, usual, strict=True)]
        claims.append(
            Claim(
                RULES["pair"],
                f"{one} and {two}",
                "together",
                f"in {sum(together):.0f} of {len(runs)} seeds; of all pairs, "
                f"{100 * fmean(usual):.0f} % are",
                decided=decide_mean(more),
            )
        )
    return claims


def share_together(labels: Array) -> float:
    """Return the share of all pairs of words that are in the same class.

    >>> share_together(np.array([0, 0, 0, 1]))
    0.5
    """
    sizes = np.bincount(labels)
    return float((sizes * (sizes - 1)).sum() / (labels.size * (labels.size - 1)))


def frequent_nouns(options: ReproduceOptions) -> tuple[Counts, str]:
    """Return the counts of the most frequent nouns, and their source.

    Counts passed with --counts may have other relations, which are all used. By default, nouns of
    the Wall Street Journal are used if they are available, otherwise bundled subjects and objects.
    """
    if options.counts is not None:
        table, source = open_counts(options.counts)[0], f"from {options.counts}"
    else:
        try:
            path = find_data(
                options, "quadruples of the Wall Street Journal", "ppattach", "training"
            )
        except MissingData:
            table = open_counts("verb_slot_noun")[0]
            slots = np.isin(table.slots, SLOTS)
            table = Counts(table.matrix[:, slots], table.words, table.contexts[slots])
            source = "subjects and objects of verbs, from the bundled sample (AMALGUM)"
        else:
            table = count_slots(read(str(path)))
            source = (
                "objects of verbs, and complements of prepositions after verbs and nouns, from the "
                "Wall Street Journal quadruples of Ratnaparkhi, Reynar & Roukos (1994)"
            )
    return table.top(FREQUENT).drop_empty(), source


def count_slots(quads: Sequence[Quadruple]) -> Counts:
    """Count the nouns of quadruples by slot: object of a verb, or complement of a head.

    >>> quads = [Quadruple("buy", "shares", "in", "markets", "V")]
    >>> list(count_slots(quads).rows())
    [('market', 'in:buy', 1), ('share', 'obj:buy', 1)]
    """
    forms = make_sources(quads, None, (), None).forms()
    pairs: Counter[tuple[str, str]] = Counter()
    for quad, one in zip(quads, forms.normal(quads), strict=True):
        head = one.noun1 if quad.attachment == NOUN else one.verb
        pairs[one.noun1, f"obj:{one.verb}"] += 1
        pairs[one.noun2, f"{one.preposition}:{head}"] += 1
    kept = {pair: n for pair, n in pairs.items() if pair[0].isalpha() and pair[0] not in OTHERS}
    words, contexts, matrix = tabulate(kept)
    return Counts(matrix, words, contexts)


def nouns_below(model: MDLTree, words: Array, node: int) -> Array:
    """Return the nouns in all classes below a node."""
    tree = model.tree_
    return words[np.isin(model.labels_, tree.cluster[tree.leaves(node)])]


def draw_lines(model: MDLTree, words: Array) -> Iterator[str]:
    """Yield the lines of the tree, one per class.

    A class of two nouns is shown on a single line.
    """
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
