"""Operations on the nodes of the tree: assigning words to leaves, and reducing the levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Ints
from roget.errors import InputError

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

LISTED = 0.1
"""Minimum membership for listing a word in a class other than its own."""

MANY = 4096
"""Maximum number of classes for which all pairs are compared. Some taxonomies have more classes."""

CELLS = 1 << 22
"""Batch size: number of cells of a dense array computed at once."""


def parts(rows: int, columns: int) -> Iterator[slice]:
    """Yield slices of rows with at most `CELLS` cells each."""
    step = max(1, CELLS // max(columns, 1))
    for begin in range(0, rows, step):
        yield slice(begin, min(begin + step, rows))


def assign_leaves(memberships: Any, tree: Tree) -> Ints:
    """Return the leaf of each word, found by following the child with the largest membership.

    Parameters
    ----------
    memberships
        p(cluster|word) as a csr_array of shape (words, clusters).
    tree
        The tree over the clusters.
    """
    above, order = _tabulate_ancestors(tree)
    leaves = np.zeros(memberships.shape[0], dtype=np.int64)
    # Upper bound on the number of nodes to which a word belongs: all ancestors of its clusters.
    reach = np.minimum(np.diff(memberships.indptr) * np.diff(above.indptr).max(), tree.n_nodes)
    batch = (np.cumsum(reach) - reach) // CELLS
    for begin in np.unique(batch, return_index=True)[1].tolist():
        end = int(np.searchsorted(batch, batch[begin], side="right"))
        leaves[begin:end] = _descend(memberships[begin:end] @ above, order, tree)
    return leaves


def _descend(belongs: Any, order: Ints, tree: Tree) -> Ints:
    """Follow the child with the largest membership, or the first if tied, down to a leaf."""
    size, column = order.size, np.argsort(order)
    # Columns are sorted by parent, so the children of a node are adjacent.
    above = column[tree.parent[order]]
    belongs.sort_indices()
    row = np.repeat(np.arange(belongs.shape[0]), np.diff(belongs.indptr))
    inner = belongs.indices > 0
    row, at, p = row[inner], belongs.indices[inner].astype(np.int64), belongs.data[inner]
    # For each key (word, parent), keep the child with the largest membership.
    key = row * size + above[at]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    largest = np.repeat(np.maximum.reduceat(p, first), np.diff(first, append=key.size))
    best = np.flatnonzero(p == largest)
    best = best[np.diff(key[best], prepend=-1) > 0]
    key, at = key[best], at[best]
    # All words descend together until each has reached a leaf.
    here = np.zeros(belongs.shape[0], dtype=np.int64)
    moving = np.arange(here.size) if size > 1 else np.empty(0, dtype=np.int64)
    while moving.size:
        here[moving] = at[np.searchsorted(key, moving * size + here[moving])]
        moving = moving[tree.cluster[order[here[moving]]] < 0]
    return order[here]


def _tabulate_ancestors(tree: Tree) -> tuple[Any, Ints]:
    """Return a matrix with 1 where a cluster (row) is below a node (column), and the nodes.

    Nodes are ordered by depth, then by the column of their parent, then by number.
    """
    order, level = [np.zeros(1, dtype=np.int64)], np.zeros(1, dtype=np.int64)
    while level.size:
        level = np.array([child for node in level.tolist() for child in tree.children(node)])
        order.append(level.astype(np.int64))
    nodes, clusters = np.concatenate(order), np.arange(tree.n_clusters)
    ones = np.ones(clusters.size)
    inside = tree.share_up(clusters, tree.cluster_nodes, ones, clusters.size)
    return inside[:, nodes], nodes


def collapse(thesaurus: Thesaurus, levels: Iterable[int] = (), min_children: int = 1) -> Thesaurus:
    """Return the thesaurus with fewer levels, keeping only the classes of the given cuts.

    Classes keep their ids, labels and notes, and words keep their places. Clusters within a class
    of the finest cut are merged.

    Parameters
    ----------
    thesaurus
        The thesaurus, which is not changed.
    levels
        Number of classes of each cut, e.g. 8 and 64. By default, all classes are kept.
    min_children
        Replace inner classes with fewer subclasses than this by their subclasses.

    Raises
    ------
    InputError
        If a level is larger than the number of classes.
    """
    tree = thesaurus.tree
    cuts = sorted(set(levels))
    for k in cuts:
        if not 1 <= k <= tree.n_clusters:
            raise InputError(
                f"level {k} is invalid; expected a number of classes from 1 to {tree.n_clusters:,}",
                code="invalid-option",
            )
    kept = {node for k in cuts for node in tree.tops(k)} if cuts else set(range(tree.n_nodes))
    kept = _dissolve(tree, kept, min_children)
    if len(kept) == tree.n_nodes:
        return thesaurus
    coarser, inside = tree.keep(kept)
    nodes = sorted(kept)
    clusters = coarser.cluster[inside[tree.cluster_nodes]]
    return thesaurus.from_clustering(
        thesaurus.counts,
        thesaurus.clustering.join(coarser, clusters),
        provenance={**thesaurus.provenance, "levels": cuts or None},
        labels={at: thesaurus.label(node) for at, node in enumerate(nodes)},
        ids=thesaurus.ids[nodes].tolist(),
        next_id=thesaurus.next_id,
        notes={
            about if isinstance(about, str) else nodes.index(about): note
            for about, note in thesaurus.notes.items()
            if isinstance(about, str) or about in kept
        },
        # Keep the leaf of each word. With more children per node, another leaf could be chosen.
        places=np.asarray(inside[thesaurus.places]),
    )


def _dissolve(tree: Tree, kept: set[int], min_children: int) -> set[int]:
    """Drop nodes with too few children, and attach their children to the nearest kept ancestor."""
    kept = {0, *kept}
    children = dict.fromkeys(kept, 0)

    def above(node: int) -> int:
        node = int(tree.parent[node])
        while node not in kept:
            node = int(tree.parent[node])
        return node

    for node in sorted(kept - {0}, reverse=True):
        if 0 < children[node] < min_children:
            kept.discard(node)
            children[above(node)] += children[node]
        else:
            children[above(node)] += 1
    return kept
