"""Li & Abe 1996: Clustering words with the MDL principle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from roget.core.information import bits
from roget.core.types import Array, Floats
from roget.data import sample
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.papers import compose
from roget.report import Column, Report, Table
from roget.report.format import branches, canvas

NOUNS, VERBS, CLUSTERS = 40, 30, 4
"""The true model's; the paper gives only the last number."""

SIZES = (100, 300, 1000, 3000, 10_000, 30_000)
TRIALS = 10

WAYS: dict[str, dict[str, Any]] = {
    "MDL": {"estimator": "mdl", "search": "auto"},
    "MLE": {"estimator": "mle", "search": "auto"},
    "MDL, as printed": {"estimator": "mdl", "search": "paper"},
    "MLE, as printed": {"estimator": "mle", "search": "paper"},
}
"""Estimator and search; the criterion is the paper's."""


class Truth(NamedTuple):
    """A model of pairs: which cluster each noun is of, and P(noun, verb)."""

    labels: Array
    joint: Floats


class Row(NamedTuple):
    """Means over the trials of one way at one data size; the distance is in bits."""

    way: str
    size: int
    leaves: float
    distance: float


def truth(rng: np.random.Generator) -> Truth:
    """Clusters of as many nouns, each with verbs of its own; nouns of one are equally likely."""
    labels = np.arange(NOUNS) * CLUSTERS // NOUNS
    clusters = rng.dirichlet(np.ones(CLUSTERS) * 5)
    verbs = rng.dirichlet(np.ones(VERBS) * 0.5, size=CLUSTERS)
    shares = clusters[labels] / np.bincount(labels)[labels]
    return Truth(labels, shares[:, None] * verbs[labels])


def estimate_pairs(counts: Array, labels: Array) -> Floats:
    """P(n, v) = f(C, v) / (|S|·|C|), equation 6 of the paper."""
    held = np.equal.outer(np.unique(labels), labels).astype(np.float64)
    sizes = held.sum(axis=1)
    return np.asarray(held.T @ (held @ counts / sizes[:, None]) / counts.sum())


def distance(estimate: Floats, true: Floats) -> float:
    """D(estimate ‖ true), bits.

    The other way round it would be infinite as soon as a pair was not seen.
    """
    seen = estimate > 0
    return float(np.sum(estimate[seen] * np.log2(estimate[seen] / true[seen])))


def simulation(sizes: Sequence[int] = SIZES, trials: int = TRIALS) -> list[Row]:
    """Every way on the same samples of the same true models."""
    results: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        model = truth(rng)
        for size in sizes:
            counts = rng.multinomial(size, model.joint.ravel()).reshape(model.joint.shape)
            seen = np.flatnonzero(counts.sum(axis=1))
            for way, how in WAYS.items():
                tree = MDLTree(criterion="li-abe", random_state=trial, **how)
                tree.fit(counts[seen])
                # A noun that was never seen has no probability, whatever the clusters.
                guess = np.zeros(model.joint.shape)
                guess[seen] = estimate_pairs(counts[seen], tree.labels_)
                found = tree.n_clusters_, distance(guess, model.joint)
                results.setdefault((way, size), []).append(found)
    return [Row(way, size, *map(float, np.mean(f, axis=0))) for (way, size), f in results.items()]


def figure_3(figures: Path | None = None) -> Report:
    """Figure 3 of Li & Abe (1996): clusters found, and distance to the truth, by data size"""
    rows = simulation()
    about = (
        f"Simulation: {NOUNS} nouns in {CLUSTERS} true clusters, {VERBS} verbs, means of {TRIALS} "
        "trials, the paper's description length (MDL) and its data part alone (MLE). MDL and MLE "
        'look for the best split and make it if it shortens the description; "as printed" is the '
        "paper's annealing, which makes a split unless one side happens to be empty. The distance "
        "is D(estimate ‖ truth) in bits; the other way round it is infinite."
    )
    return compose(
        "Number of clusters and KL distance by data size (Li & Abe 1996, Figure 3)",
        figures,
        "mdl-figure-3.svg",
        partial(draw, rows),
        about=about,
        tables=[
            _table("(a) clusters", rows, "leaves", ".1f"),
            _table("(b) KL distance, bits", rows, "distance", ".4f"),
        ],
        notes=[_moral(rows)],
        data=[row._asdict() for row in rows],
        sheet=Table.of(Row._fields, rows),
    )


FREQUENT = 20
"""Nouns of Experiment 2, as in the paper."""


def experiment_2(figures: Path | None = None) -> Report:
    """Experiment 2 of Li & Abe (1996): a thesaurus of the 20 most frequent nouns"""
    counts = sample("verb_object").top(FREQUENT).drop_empty()
    words, contexts = counts.shape
    about = (
        f"{words} nouns by {contexts:,} verbs of which they are objects, {counts.total:,} pairs; "
        "from the bundled sample (AMALGUM). Beside each class are the bits that its split saves; "
        "the two nouns of a pair are classes of their own. Under the paper's own description "
        "length, which charges for every verb, "
    )
    printed = MDLTree(criterion="li-abe", random_state=0).fit(counts)
    about += (
        "the same nouns stay one class."
        if printed.n_clusters_ == 1
        else f"the same nouns make {printed.n_clusters_} classes."
    )
    model = MDLTree(random_state=0).fit(counts)
    title = "A thesaurus of frequent nouns (Li & Abe 1996, Experiment 2)"
    lines = [(line,) for line in _lines(model, counts.words)]
    labels = zip(counts.words.tolist(), model.labels_.tolist(), strict=True)
    return Report(
        title=title,
        lead=[title],
        about=about,
        tables=[Table([Column("class", fit="keep")], lines, headed=False)],
        data={"classes": dict(labels), "description_length": model.description_length_},
    )


def _lines(model: MDLTree, words: Array) -> Iterator[str]:
    """The tree, a line for each class; two nouns that part need no lines of their own."""
    tree = model.tree_

    def inside(node: int) -> Array:
        return words[np.isin(model.labels_, tree.cluster[tree.leaves(node)])]

    def parts(node: int) -> Sequence[int]:
        return () if len(tree.leaves(node)) == 2 == inside(node).size else tree.children(node)

    for branch, _, node in branches(parts):
        nouns = ", ".join(map(str, inside(node))) if node else "all nouns"
        saved = f"   {bits(float(tree.value[node])):,.0f} bits" if tree.children(node) else ""
        yield f"{branch}{nouns}{saved}"


def _table(title: str, rows: Sequence[Row], column: str, form: str) -> Table:
    sizes = sorted({row.size for row in rows})
    lines = []
    for way in dict.fromkeys(row.way for row in rows):
        values = {row.size: getattr(row, column) for row in rows if row.way == way}
        lines.append((way, *(format(values[size], form) for size in sizes)))
    columns = [Column("|S|"), *(Column(f"{size:,}", right=True) for size in sizes)]
    return Table(columns, lines, title)


def _moral(rows: Sequence[Row]) -> str:
    """What the paper says, and what the numbers say."""
    of = {(row.way, row.size): row for row in rows}
    size = SIZES[-1]
    mdl, mle, printed = (of[way, size] for way in ("MDL", "MLE", "MDL, as printed"))
    return (
        f"In the paper MDL comes to the true number, {CLUSTERS}, and nearer to the truth than MLE, "
        f"which overfits. So here: with {size:,} pairs {mdl.leaves:.1f} clusters against "
        f"{mle.leaves:.1f}, and a distance {mle.distance / mdl.distance:.0f} times smaller. The "
        f"search as printed leaves {printed.leaves:.1f} clusters: to empty a side it would have to "
        "climb out of a local optimum, noun by noun."
    )


def draw(rows: Sequence[Row], path: Path) -> None:
    """Both panels as a picture."""
    figure = canvas(9, 4)
    panels = figure.subplots(1, 2)
    titles = {"leaves": "clusters", "distance": "KL distance (bits)"}
    for axes, (column, title) in zip(panels, titles.items(), strict=True):
        for way, style in zip(WAYS, ("o-", "s-", "o:", "s:"), strict=True):
            drawn = [(row.size, getattr(row, column)) for row in rows if row.way == way]
            axes.plot(*zip(*drawn, strict=True), style, label=way, markersize=4)
        axes.set(xscale="log", xlabel="data size", ylabel=title)
    panels[0].axhline(CLUSTERS, color="grey", linewidth=0.8)
    panels[0].legend()
    panels[1].set_yscale("log")
    figure.savefig(path)
