"""The shortest cut of a tree for each head, from the leaves up to the root, all heads at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from roget.learn.treecut.hierarchy import Floats, Hierarchy, Ints

ROUNDING = 1e-9
"""How much shorter, relatively, a split must be: equal lengths keep the higher node."""


class Cuts(NamedTuple):
    """The nodes on the cuts of some heads that were seen, how often, and how long each cut is."""

    node: Ints
    head: Ints
    seen: Floats
    length: Floats


def shortest(hierarchy: Hierarchy, counts: Any, penalty: float = 1.0) -> Cuts:
    """The cut of each column of counts (sparse, words × heads, no zero kept) of least length.

    Length is penalty·(nodes − 1)/2·log max(|S|, 2) − Σ f·log P, where a node of the cut with count
    f and size z gives P = f/(|S|·z) to a word that is wholly below it. What has no count is never
    split, so only nodes above words that occur are looked at: every other child of a split node is
    one node of the cut, of no count.
    """
    held = (hierarchy.shares.T @ counts).tocsc()
    held.eliminate_zeros()  # a small share of a small count
    held.sort_indices()
    heads = np.repeat(np.arange(held.shape[1]), np.diff(held.indptr))
    nodes, count = held.indices.astype(np.int64), held.data.astype(np.float64)
    totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
    # Even one token has to pay, else it would be told down to single words.
    each = penalty * np.log(np.maximum(totals, 2.0)) / 2
    own = count * (np.log(totals[heads]) + np.log(hierarchy.sizes[nodes]) - np.log(count))
    own += each[heads]
    above = _entry_above(heads, nodes, hierarchy)
    best, split = _upwards(own, each[heads], nodes, above, hierarchy)
    reached = _downwards(split, nodes, above, hierarchy)
    on = reached & ~split
    roots = nodes == 0
    length = np.zeros(totals.size)
    length[heads[roots]] = best[roots] - each[heads[roots]]
    return Cuts(nodes[on], heads[on], count[on], length + counts.T @ hierarchy.spread)


def _entry_above(heads: Ints, nodes: Ints, hierarchy: Hierarchy) -> Ints:
    """For each entry (head, node), in this order, that of the head and the parent; 0 for roots."""
    key = heads * hierarchy.n_nodes + nodes
    wanted = heads * hierarchy.n_nodes + np.maximum(hierarchy.parent[nodes], 0)
    return np.searchsorted(key, wanted)


def _upwards(
    own: Floats, each: Floats, nodes: Ints, above: Ints, hierarchy: Hierarchy
) -> tuple[Floats, Any]:
    """The least length below each entry, its node's own cost included, and whether it is split."""
    best, split = own.copy(), np.zeros(own.size, dtype=bool)
    parts = hierarchy.n_children[nodes] * each
    for entries in reversed(_levels(nodes, hierarchy)):
        here = entries[hierarchy.n_children[nodes[entries]] > 0]
        split[here] = parts[here] < own[here] - ROUNDING * (1 + np.abs(own[here]))
        best[here] = np.where(split[here], parts[here], own[here])
        lower = entries[nodes[entries] > 0]
        # Every child costs a node, which a child with counts has in its own length already.
        np.add.at(parts, above[lower], best[lower] - each[lower])
    return best, split


def _downwards(split: Any, nodes: Ints, above: Ints, hierarchy: Hierarchy) -> Any:
    reached = nodes == 0
    for entries in _levels(nodes, hierarchy)[1:]:
        reached[entries] = reached[above[entries]] & split[above[entries]]
    return reached


def _levels(nodes: Ints, hierarchy: Hierarchy) -> list[Ints]:
    """Entries by the depth of their nodes."""
    depth = hierarchy.depth[nodes]
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depth))[:-1]) if depth.size else []
