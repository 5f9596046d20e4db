"""Names for the classes of a thesaurus: those of the classes of a taxonomy that cover them best."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from roget.learn.taxonomy.taxonomy import Taxonomy
from roget.learn.thesaurus import Thesaurus
from roget.learn.treecut.hierarchy import Hierarchy

COVERED = 0.2
"""The part of a class's words that must lie below what it is named by."""

LEAST = 0.1
"""The least F of a name: what covers much more than a class says nothing of it."""


def name_classes(
    thesaurus: Thesaurus, taxonomy: Thesaurus | Taxonomy | Hierarchy
) -> dict[int, str]:
    """For each class that a class of the taxonomy covers, by node: its name, and our words for it.

    Of all classes of the taxonomy, the one with the best F: the harmonic mean of the part of our
    words that lie below it and the part of its words that are ours. Words have shares in the
    classes of their senses, and only words that both know count.

    Parameters
    ----------
    thesaurus
        Whose classes are to be named.
    taxonomy
        WordNet, a SKOS file, or another thesaurus.

    Returns
    -------
    dict of int to str
        Such as {3: "animal: dog, horse, bird"}; classes that nothing covers are not in it.
    """
    hierarchy = Hierarchy.of(taxonomy, words=False, senses="weighted")
    known = hierarchy.rows(thesaurus.words.tolist())
    rows = np.flatnonzero(known >= 0)
    if not rows.size:
        return {}
    shares = sparse.csr_array(hierarchy.shares[known[rows]])
    nodes = [
        np.flatnonzero(np.isin(rows, thesaurus.inside(n))) for n in range(thesaurus.tree.n_nodes)
    ]
    at = np.repeat(np.arange(len(nodes)), [part.size for part in nodes])
    cells = np.ones(at.size), (at, np.concatenate(nodes))
    inside = sparse.csr_array(cells, shape=(len(nodes), rows.size))
    sums = sparse.csr_array(inside @ shares)
    ours, theirs = (np.asarray(table).ravel() for table in (inside.sum(axis=1), shares.sum(axis=0)))
    names = {}
    for node in range(1, len(nodes)):
        part = slice(sums.indptr[node], sums.indptr[node + 1])
        places, held = sums.indices[part], sums.data[part]
        f = np.where(held >= COVERED * ours[node], 2 * held / (ours[node] + theirs[places]), 0.0)
        f[places == 0] = 0  # the root is no name
        if f.max(initial=0) >= LEAST:
            name = hierarchy.label(int(places[f.argmax()]))
            names[node] = f"{name}: {thesaurus.label(node)}"
    return names
