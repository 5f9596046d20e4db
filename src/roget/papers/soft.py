"""Pereira, Tishby & Lee 1993: Distributional clustering of English words."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.information import bits
from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.data import sample
from roget.errors import InputError
from roget.learn.clustering.annealing.choose import choose
from roget.learn.clustering.annealing.estimator import Annealing
from roget.learn.clustering.annealing.states import Walker
from roget.learn.clustering.soft.estimator import SoftAnnealing
from roget.learn.clustering.tokens import Cells, unigram
from roget.learn.evaluation.heldout import measure_losses
from roget.learn.thesaurus import Thesaurus
from roget.papers import compose, data_file
from roget.report import Column, Report, Table
from roget.report.format import branches, canvas

WIDTH = 100

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

FREQUENT = 1000
"""Nouns of Figure 3, as in the paper."""

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


def figure_1(figures: Path | None = None) -> Report:
    """Figure 1 of Pereira, Tishby & Lee (1993): the objects of "fire" split into clusters"""
    counts, source, least = verb_object()
    nouns = objects(counts, VERB, MOST, least)
    model = SoftAnnealing(CLUSTERS, prior="uniform", random_state=0).fit(nouns)
    thesaurus = Thesaurus.from_clustering(nouns, model)
    words, contexts = nouns.shape
    about = (
        f'{words} nouns, of those most often the object of "{VERB}" (at most {MOST}) the ones seen '
        f"at least {least} times as an object, of {VERBS} verbs or more, each a distribution over "
        f"{contexts:,} verbs; {source}. All nouns have the same weight, as in the paper. Beside "
        f"each cluster are the {NEAREST} nouns nearest to its centroid and their distances, KL in "
        "bits; below a cluster that was not split, the nouns that have their place in it."
    )
    lines = [(line,) for line in tree_lines(thesaurus)]
    return compose(
        f'Direct object clusters for "{VERB}" (Pereira, Tishby & Lee 1993, Figure 1)',
        figures,
        "soft-figure-1.svg",
        partial(draw, thesaurus),
        about=about,
        tables=[Table([Column("cluster", fit="keep")], lines, headed=False)],
        notes=[PRINTED],
        data=[_node(thesaurus, node) for node in range(thesaurus.tree.n_nodes)],
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


def figure_3(figures: Path | None = None) -> Report:
    """Figure 3 of Pereira, Tishby & Lee (1993): relative entropy against the number of clusters"""
    # Not the counts of Figure 1, which may lack rare pairs: with those, no test set has a minimum.
    nouns = sample("verb_object").top(FREQUENT).drop_empty()
    rows = relative_entropy_path(nouns, SIZES, random_state=0)
    best = choose(nouns, SoftAnnealing(random_state=0))
    words, contexts = nouns.shape
    about = (
        f"{words:,} nouns by {contexts:,} verbs, {nouns.total:,} pairs; from the bundled sample "
        "(AMALGUM). The mean over "
        "nouns of KL(the noun's verbs ‖ Σ p(c|n) p(v|c)) in bits: of the tokens learnt from "
        "(train), of one token in ten held out (test), and of nouns no cluster was learnt from "
        "(new); and the loss per held-out token. All with .05 of the unigram."
    )
    titles = ("clusters", "β", "train", "test", "new", "test loss")
    names = ("train", "test", "new", "test_loss")
    least = min(rows, key=lambda row: row["test"])
    texts = [
        (
            str(row["n_clusters"]),
            f"{row['beta']:.2f}",
            *(f"{row[name]:.3f}" for name in names),
            "least for test" if row is least else "",
        )
        for row in rows
    ]
    notes = [
        "Chosen on a tenth of the tokens, as the back-off of a noun's own counts: "
        f"{best.n_clusters} clusters, β = {best.beta:.2f}.",
        "In the paper (756,721 training pairs): train falls throughout, test is lowest at 206 "
        "clusters, new nouns gain over one bit.",
    ]
    return compose(
        "Relative entropies (Pereira, Tishby & Lee 1993, Figure 3)",
        figures,
        "soft-figure-3.svg",
        lambda file: draw_path(rows, file, chosen=(best.n_clusters, best.beta)),
        about=about,
        tables=[Table([*(Column(title, right=True) for title in titles), Column()], texts)],
        notes=notes,
        data={"rows": rows, "chosen": {"n_clusters": best.n_clusters, "beta": best.beta}},
        sheet=Table.of(rows[0], [tuple(row.values()) for row in rows]),
    )


def draw_path(
    rows: Sequence[dict[str, float]], path: Path, *, chosen: tuple[int, float] | None = None
) -> None:
    """Draw a path of relative entropies against the number of clusters, into a file.

    `chosen` marks a number of clusters and its β.
    """
    figure = canvas(6, 4)
    axes = figure.subplots()
    ks = [row["n_clusters"] for row in rows]
    for name, style in (("train", "o-"), ("test", "s-"), ("new", "^-")):
        axes.plot(ks, [row[name] for row in rows], style, label=name, markersize=4)
    if chosen is not None:
        axes.axvline(chosen[0], color="grey", linestyle=":")
        axes.annotate(
            f"K = {chosen[0]}, β = {chosen[1]:.3g}",
            (chosen[0], 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(4, -12),
            textcoords="offset points",
        )
    axes.set_xscale("log")
    axes.set_xlabel("number of clusters")
    axes.set_ylabel("relative entropy (bits)")
    axes.legend()
    figure.savefig(path)


def verb_object() -> tuple[Counts, str, int]:
    """Nouns as objects of verbs, where they are from, and how often a noun should be seen."""
    path = data_file("bnc-verb-noun", "verb_object.tsv")
    if path is None:
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


def draw(thesaurus: Thesaurus, path: Path) -> None:
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
    figure.savefig(path)


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


def relative_entropy_path(
    counts: Counts,
    ks: Iterable[int],
    random_state: int | None = None,
    *,
    model: Annealing | None = None,
    new: float = 0.1,
) -> list[dict[str, float]]:
    """For each number of clusters, how far training, test and new words are from the model, bits.

    One in ten words is new: no cluster is learnt from it. Of all words' tokens one in ten is test.
    `train`, `test` and `new` are the mean over words of KL(word's distribution ‖ Σ p(c|n) p(v|c)),
    every word alike as in the paper; the distribution of a test or new word is that of its test
    tokens, and p(c|n) comes from its other tokens. `train_loss`, `test_loss` and `new_loss` are
    −log2 p(v|n) per token. All predictions are .95 of the model's and .05 of the unigram's. The
    model is the paper's, unless another is given.
    """
    rng = np.random.default_rng(random_state)
    train, held = counts.split(0.9, random_state=rng)
    matrix, outside = train.matrix, held.matrix
    known = train.word_totals > 0
    fresh = known & (rng.random(len(counts)) < new)
    learnt, unseen = np.flatnonzero(known & ~fresh), np.flatnonzero(fresh)
    if not learnt.size:
        raise InputError("no words are left to learn from: the counts are too few")
    base = matrix[learnt]
    seed = int(rng.integers(2**31))
    walker = Walker(base, (model or SoftAnnealing()).method, prior="empirical", seed=seed)
    background = unigram(base)
    rows = []
    for beta, found in walker.points(ks):
        parts = {
            "train": (base, found.memberships),
            "test": (outside[learnt], found.memberships),
            "new": (outside[unseen], found.place(matrix[unseen])),
        }
        row: dict[str, float] = {"n_clusters": found.n_clusters, "beta": beta}
        for name, (tokens, membership) in parts.items():
            row[name], row[f"{name}_loss"] = _divergence(
                tokens, membership, found.centroids, background
            )
        rows.append(row)
    return rows


def _divergence(
    tokens: Any, membership: Any, centroids: Array, background: Floats
) -> tuple[float, float]:
    """Mean KL of the words' distributions from the model's, and loss per token; bits."""
    found = sparse.coo_array(tokens, dtype=np.float64)
    rows, columns = found.coords
    seen = Cells(rows, columns, found.data, np.empty(0), background[columns])
    predicted = seen.smooth(seen.predicted(membership, centroids))
    loss, divergence = measure_losses(found, np.log(predicted))
    return bits(divergence), bits(loss)
