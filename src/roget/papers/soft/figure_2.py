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
"""About as many leaves as are printed."""

DRAWN = 7
"""Clusters of the top of the tree, in the picture."""


@heeds("counts", "random_state")
def figure_2(options: ReproduceOptions) -> Reproduced:
    """Figure 2 of Pereira, Tishby & Lee (1993): a tree of the clusters of 1000 nouns"""
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
        f"The {words:,} nouns that are most often objects, each a distribution over {contexts:,} "
        f"verbs; {source}. All nouns have the same weight. Beside each cluster are the {NEAREST} "
        "nouns nearest to its centroid and their distances, KL in bits; in brackets, how many "
        "nouns have their place in a cluster that was not split."
    )
    return Reproduced(
        "Noun clusters (Pereira, Tishby & Lee 1993, Figure 2)",
        about=about,
        claims=[_compare(thesaurus, nodes)],
        tables=[tabulate(thesaurus, nouns=False)],
        notes=[
            "In the paper (Grolier's Encyclopedia, 10 million words) conductor, vice-president, "
            "director and chairman come to one cluster, essay, comedy, poem and treatise to "
            "another, recognition, acclaim, renown and nomination to a third."
        ],
        data=nodes,
        picture=partial(draw, drawn),
    )


def _compare(thesaurus: Thesaurus, nodes: list[dict[str, Any]]) -> Claim:
    """How near the nearest noun is to the first clusters and to the last ones."""
    tree = thesaurus.tree
    first, last = (
        fmean(nodes[node]["nearest"][0]["distance_bits"] for node in which)
        for which in (tree.children(0), tree.leaves().tolist())
    )
    return Claim(
        "the nearest noun, from the first clusters to the last",
        "nearer, such as conductor 0.699, then 0.457",
        f"{first:.3f}, then {last:.3f} in the mean",
        holds=last < first,
        excused=True,
        remark="general nouns (kind, number) are near to all of the first clusters",
    )
