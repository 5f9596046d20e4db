"""Experiment 2: a thesaurus of frequent nouns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from roget.core.information import bits
from roget.core.types import Array
from roget.learn.clustering.mdl.estimator import MDLTree
from roget.learn.opening import open_counts
from roget.papers.options import Options
from roget.papers.reproduction import Reproduced, heeds
from roget.report import Column, Table
from roget.report.format import branches

FREQUENT = 20
"""Nouns, as in the paper."""


@heeds("counts", "random_state")
def experiment_2(options: Options) -> Reproduced:
    """Experiment 2 of Li & Abe (1996): a thesaurus of the 20 most frequent nouns"""
    table, _ = open_counts(options.counts or "verb_object")
    counts = table.top(FREQUENT).drop_empty()
    source = options.counts or "the bundled sample (AMALGUM)"
    words, contexts = counts.shape
    about = (
        f"{words} nouns by {contexts:,} verbs of which they are objects, {counts.total:,} pairs; "
        f"from {source}. Beside each class are the bits that its split saves; "
        "the two nouns of a pair are classes of their own. Under the paper's own description "
        "length, which charges for every verb, "
    )
    printed = MDLTree(criterion="li-abe", random_state=options.random_state).fit(counts)
    about += (
        "the same nouns stay one class."
        if printed.n_clusters_ == 1
        else f"the same nouns make {printed.n_clusters_} classes."
    )
    model = MDLTree(random_state=options.random_state).fit(counts)
    lines = [(line,) for line in _lines(model, counts.words)]
    labels = zip(counts.words.tolist(), model.labels_.tolist(), strict=True)
    return Reproduced(
        "A thesaurus of frequent nouns (Li & Abe 1996, Experiment 2)",
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
