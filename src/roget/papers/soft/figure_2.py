"""Figure 2: a tree of the clusters of a thousand nouns."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import Any

import numpy as np

from roget.core.counts import Counts
from roget.learn.clustering.soft.estimator import SoftAnnealing
from roget.learn.thesaurus import Thesaurus
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, uses_options
from roget.papers.rules import decide_mean
from roget.papers.soft.counts import FREQUENT, verb_object
from roget.papers.soft.figure_1 import VERBS
from roget.papers.soft.rules import FIGURE_2 as RULES
from roget.papers.soft.tree import NEAREST, describe, draw, tabulate

CLUSTERS = 16
"""Number of leaf clusters, similar to that in the paper."""

DRAWN = 7
"""Number of clusters drawn, from the top of the tree."""


@uses_options("counts", "random_state")
def figure_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 2 of Pereira, Tishby & Lee (1993): a tree of the clusters of 1000 nouns."""
    table, source, _ = verb_object(options)
    nouns = choose_nouns(table)
    model = SoftAnnealing(CLUSTERS, prior="uniform", random_state=options.random_state).fit(nouns)
    thesaurus = Thesaurus.from_clustering(nouns, model)
    top = min(DRAWN, model.n_clusters_)
    drawn = Thesaurus.from_clustering(nouns, model.clustering_.level(top))
    nodes = [describe(thesaurus, node) for node in range(thesaurus.tree.n_nodes)]
    for node in nodes:
        node["size"] = len(node.pop("nouns"))
    words, contexts = nouns.shape
    about = (
        f"The most frequent object nouns ({words:,} of {FREQUENT:,}: those with at least {VERBS} "
        f"verbs), each a distribution over {contexts:,} verbs; "
        f"{source}. All nouns have the same weight. Each cluster is shown with the {NEAREST} nouns "
        "nearest to its centroid and their KL distances in bits; leaf clusters have their number "
        "of nouns in brackets."
    )
    return Reproduced(
        "Noun clusters (Pereira, Tishby & Lee 1993, Figure 2)",
        about=about,
        claims=[judge(thesaurus, nodes)],
        tables=[tabulate(thesaurus, nouns=False)],
        notes=[
            "In the paper (Grolier's Encyclopedia, 10 million words), one cluster has conductor, "
            "vice-president, director and chairman, another essay, comedy, poem and treatise, a "
            "third recognition, acclaim, renown and nomination."
        ],
        data=nodes,
        picture=partial(draw, drawn),
    )


def choose_nouns(table: Counts) -> Counts:
    """Return the most frequent nouns, excluding nouns that occur with fewer than `VERBS` verbs.

    A noun with a single verb would form a cluster of its own.
    """
    nouns = table.top(FREQUENT)
    kept = np.diff(nouns.matrix.indptr) >= VERBS
    return nouns.select(words=nouns.words[kept]).drop_empty()


def judge(thesaurus: Thesaurus, nodes: list[dict[str, Any]]) -> Claim:
    """Test whether the nearest noun of a cluster is nearer than the nearest noun of its parent."""
    tree = thesaurus.tree
    near = {node: nodes[node]["nearest"][0]["distance_bits"] for node in range(1, tree.n_nodes)}
    steps = [
        near[parent] - near[child]
        for parent in range(1, tree.n_nodes)
        for child in tree.children(parent)
    ]
    falls = sum(step > 0 for step in steps)
    return Claim(
        RULES["nearer"],
        "nearest noun, from a cluster to its child",
        "nearer",
        f"on average {fmean(steps):.3f} bits nearer; nearer in {falls} of {len(steps)} steps",
        decided=decide_mean(steps),
        reason="general nouns are near the centroids of large clusters",
    )
