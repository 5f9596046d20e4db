"""Figure 2: a tree of the clusters of a thousand nouns."""

from __future__ import annotations

from functools import partial
from statistics import fmean
from typing import Any

from roget.learn.clustering.soft.estimator import SoftAnnealing
from roget.learn.thesaurus import Thesaurus
from roget.papers.options import ReproduceOptions
from roget.papers.reproduction import Claim, Reproduced, heeds
from roget.papers.soft.counts import FREQUENT, verb_object
from roget.papers.soft.tree import NEAREST, describe, draw, tabulate

CLUSTERS = 16
"""Number of leaf clusters, similar to that in the paper."""

DRAWN = 7
"""Number of clusters drawn, from the top of the tree."""


@heeds("counts", "random_state")
def figure_2(options: ReproduceOptions) -> Reproduced:
    """Reproduce Figure 2 of Pereira, Tishby & Lee (1993): a tree of the clusters of 1000 nouns."""
    table, source, _ = verb_object(options)
    nouns = table.top(FREQUENT).drop_empty()
    model = SoftAnnealing(CLUSTERS, prior="uniform", random_state=options.random_state).fit(nouns)
    thesaurus = Thesaurus.from_clustering(nouns, model)
    top = min(DRAWN, model.n_clusters_)
    drawn = Thesaurus.from_clustering(nouns, model.clustering_.level(top))
    nodes = [describe(thesaurus, node) for node in range(thesaurus.tree.n_nodes)]
    for node in nodes:
        node["size"] = len(node.pop("nouns"))
    words, contexts = nouns.shape
    about = (
        f"The {words:,} most frequent object nouns, each a distribution over {contexts:,} verbs; "
        f"{source}. All nouns have the same weight. Each cluster is shown with the {NEAREST} nouns "
        "nearest to its centroid and their KL distances in bits; leaf clusters have their number "
        "of nouns in brackets."
    )
    return Reproduced(
        "Noun clusters (Pereira, Tishby & Lee 1993, Figure 2)",
        about=about,
        claims=[_compare(thesaurus, nodes)],
        tables=[tabulate(thesaurus, nouns=False)],
        notes=[
            "In the paper (Grolier's Encyclopedia, 10 million words), one cluster has conductor, "
            "vice-president, director and chairman, another essay, comedy, poem and treatise, a "
            "third recognition, acclaim, renown and nomination."
        ],
        data=nodes,
        picture=partial(draw, drawn),
    )


def _compare(thesaurus: Thesaurus, nodes: list[dict[str, Any]]) -> Claim:
    """Compare the mean distance of the nearest noun in the first clusters and in the leaves."""
    tree = thesaurus.tree
    first, last = (
        fmean(nodes[node]["nearest"][0]["distance_bits"] for node in which)
        for which in (tree.children(0), tree.leaves().tolist())
    )
    return Claim(
        "distance of the nearest noun, first clusters to leaves",
        "nearer, such as conductor 0.699, then 0.457",
        f"{first:.3f}, then {last:.3f} on average",
        holds=last < first,
        excused=True,
        remark="general nouns (kind, number) are near all of the first clusters",
    )
