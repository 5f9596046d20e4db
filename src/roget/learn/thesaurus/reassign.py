"""Move frequent words to the class that their own contexts in the text support.

With background counts and prior vectors, a word of the text may be placed by its general meaning,
although the text uses it in another sense: "club" among shops, in sports news. Such a word is moved
if its contexts in the text, judged like the contexts of a new word (see `roget why WORD`),
contradict its class and support another, and if its nearest neighbours confirm this.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from roget.core.types import Floats, Ints
from roget.learn.clustering.memberships import one_hot
from roget.learn.thesaurus.neighbours import Neighbours
from roget.learn.thesaurus.thesaurus import Thesaurus

KEY = "moved"
"""Provenance key of the moved words, as a list, most frequent word first."""

ENOUGH = 50
"""Minimum number of occurrences in the text. The evidence of rarer words is unreliable: it
contradicts the class of one word in five or six, often wrongly."""

REJECTED, SUPPORTED = 0.1, 0.9
"""Highest probability of the class that a word leaves, and lowest of the class that it joins."""

NEAREST, LEFT, JOINED = 10, 1, 3
"""Of the nearest `NEAREST` words, at most `LEFT` are in the class that a word leaves, and at least
`JOINED` in the class that it joins. In 2,124 news articles, this keeps 30 of 95 moves: rate, club,
unit, board and pack are right, waste, employment and core are wrong."""


def find_contradicted(thesaurus: Thesaurus, rows: Ints) -> tuple[Ints, Ints, Floats]:
    """Return the frequent words whose own contexts contradict their class.

    The words are placed by their contexts in the text, like new words. Return the rows of the words
    found among `rows`, the node of the leaf class that their contexts support, and its probability.
    """
    counts, tree = thesaurus.counts, thesaurus.tree
    rows = rows[np.asarray(counts.word_totals)[rows] >= ENOUGH]
    if not rows.size or tree.n_clusters < 2:
        return rows[:0], rows[:0], np.empty(0)
    placed = thesaurus.clustering.place(counts.matrix[rows])
    own = placed[np.arange(rows.size), tree.cluster[thesaurus.places[rows]]]
    best, highest = placed.argmax(axis=1), placed.max(axis=1)
    wrong = (own < REJECTED) & (highest >= SUPPORTED)
    return rows[wrong], tree.cluster_nodes[best[wrong]], highest[wrong]


def reassign(thesaurus: Thesaurus) -> Thesaurus:
    """Return the thesaurus with frequent words moved to the class that their contexts support."""
    places = thesaurus.places
    # 1. Find the words whose class is contradicted.
    rows, nodes, _ = find_contradicted(thesaurus, np.arange(len(thesaurus)))
    if not rows.size:
        return thesaurus
    # 2. Keep words with neighbours in the new class rather than the old one.
    near = Neighbours(thesaurus.counts, thesaurus.clustering).nearest(rows, NEAREST)
    classes = [places[found] for found, _ in near]
    confirmed = np.array(
        [
            (some == places[row]).sum() <= LEFT and (some == node).sum() >= JOINED
            for row, node, some in zip(rows, nodes, classes, strict=True)
        ]
    )
    # 3. Every class keeps a word that is not moved.
    staying = np.delete(places, rows[confirmed])
    confirmed &= np.isin(places[rows], staying)
    if not confirmed.any():
        return thesaurus
    return _move(thesaurus, rows[confirmed], thesaurus.tree.cluster[nodes[confirmed]])


def _move(thesaurus: Thesaurus, rows: Ints, clusters: Ints) -> Thesaurus:
    """Return the thesaurus with words moved to other clusters."""
    counts, clustering = thesaurus.counts, thesaurus.clustering
    home = thesaurus.tree.cluster[thesaurus.places].copy()
    home[rows] = clusters
    belongs = sparse.csr_array(one_hot(home, clustering.n_clusters), dtype=np.float64)
    sums = sparse.csr_array(belongs.T @ counts.matrix)
    mass = np.asarray(sums.sum(axis=1), dtype=np.float64).ravel()
    moved = replace(
        clustering,
        memberships=belongs,
        centroids=sparse.csr_array(sums / np.maximum(mass, 1)[:, None]),
        mass=mass / mass.sum(),
    )
    order = np.argsort(-np.asarray(counts.word_totals)[rows], kind="stable")
    record = {KEY: counts.words[rows[order]].tolist()}
    return Thesaurus.from_clustering(counts, moved, provenance={**thesaurus.provenance, **record})
