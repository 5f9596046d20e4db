"""A thesaurus of fewer levels: what a tree of splits in two is for people who read it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from roget.core.tree import Tree
from roget.errors import InputError
from roget.learn.thesaurus.thesaurus import Thesaurus


def collapse(thesaurus: Thesaurus, levels: Iterable[int] = (), min_children: int = 1) -> Thesaurus:
    """The thesaurus with the classes of some cuts only, those of a finer one below a broader one.

    Classes keep their ids, labels and notes, and words their places; clusters within a class of
    the finest cut are joined.

    Parameters
    ----------
    thesaurus
        Any; it is not changed.
    levels
        Numbers of classes, such as 8 and 64, each as in `Thesaurus.cut`; by default all classes
        are kept.
    min_children
        A class of fewer classes gives way to them, unless it is the root or has none.

    Raises
    ------
    InputError
        If there are not so many classes.
    """
    tree = thesaurus.tree
    wanted = sorted(set(levels))
    for k in wanted:
        if not 1 <= k <= tree.n_clusters:
            raise InputError(f"a level of {k} classes: expected 1 to {tree.n_clusters:,}")
    kept = {node for k in wanted for node in tree.tops(k)} if wanted else set(range(tree.n_nodes))
    kept = _dissolve(tree, kept, min_children)
    if len(kept) == tree.n_nodes:
        return thesaurus
    fewer, inside = tree.keep(kept)
    nodes = sorted(kept)
    parts = fewer.cluster[inside[tree.cluster_nodes]]
    made = Thesaurus.from_clustering(
        thesaurus.counts,
        thesaurus.clustering.join(fewer, parts),
        provenance={**thesaurus.provenance, "levels": wanted or None},
        labels={at: thesaurus.label(node) for at, node in enumerate(nodes)},
        ids=thesaurus.ids[nodes].tolist(),
        next_id=thesaurus.next_id,
        notes={
            about if isinstance(about, str) else nodes.index(about): note
            for about, note in thesaurus.notes.items()
            if isinstance(about, str) or about in kept
        },
    )
    # The side that a word takes in a split of many may be another than in splits of two.
    vars(made)["places"] = np.asarray(inside[thesaurus.places])
    return made


def _dissolve(tree: Tree, kept: set[int], least: int) -> set[int]:
    """The nodes without those of too few children, which become children of the one above."""
    kept = {0, *kept}
    children = dict.fromkeys(kept, 0)

    def above(node: int) -> int:
        node = int(tree.parent[node])
        while node not in kept:
            node = int(tree.parent[node])
        return node

    for node in sorted(kept - {0}, reverse=True):
        if 0 < children[node] < least:
            kept.discard(node)
            children[above(node)] += children[node]
        else:
            children[above(node)] += 1
    return kept
