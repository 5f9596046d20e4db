"""What a tree of clusters says: p(context|cluster), and how long the code of a word would be."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from roget.core.kernels.rows import Items
from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.learn.clustering.mdl import kernels

CELLS = 1 << 22
"""Rows × clusters worked on at a time."""


def one_hot(labels: Array, clusters: int) -> Any:
    """Memberships, words × clusters, of words that are wholly in one cluster."""
    n = labels.size
    return sparse.csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, clusters))


def frequencies(counts: Any) -> Floats:
    """p(v|c): each cluster's relative frequencies."""
    table = counts.toarray()
    table /= table.sum(axis=1, keepdims=True)
    return np.asarray(table)


def shrunk(counts: Any, tree: Tree, background: Floats, weight: float) -> Floats:
    """p(v|c): a cluster's counts and `weight` tokens as its parent has them, and so up the tree.

    What a small cluster has not seen, it is told by the larger ones that it was split from.
    """
    table, cells = sparse.csr_array(counts), np.empty(counts.shape)
    known: dict[int, Floats] = {}
    sums = _node_sums(table, tree)
    for node in range(tree.n_nodes):
        above = background if not node else known[int(tree.parent[node])]
        here = weight * above
        row = slice(sums.indptr[node], sums.indptr[node + 1])
        here[sums.indices[row]] += sums.data[row]
        here /= sums.data[row].sum() + weight
        if tree.cluster[node] >= 0:
            cells[tree.cluster[node]] = here
        else:
            known[node] = here
        if node and node == tree.children(int(tree.parent[node]))[-1]:
            del known[int(tree.parent[node])]
    return cells


def _node_sums(counts: Any, tree: Tree) -> Any:
    """The counts of every node: of a leaf its cluster's, else its leaves' together."""
    leaves = np.flatnonzero(tree.cluster >= 0)
    ways = [tree.path(int(leaf)) for leaf in leaves]
    nodes = np.concatenate([np.array(way) for way in ways])
    clusters = np.repeat(tree.cluster[leaves], [len(way) for way in ways])
    shape = tree.n_nodes, counts.shape[0]
    gathered = sparse.csr_array((np.ones(nodes.size), (nodes, clusters)), shape=shape)
    return sparse.csr_array(gathered @ counts)


def code_lengths(
    matrix: Any, kind: int, centroids: Floats, tokens: Floats, sizes: Floats, weight: float,
    width: int,
) -> Floats:  # fmt: skip
    """How much longer the description gets if a row joins a cluster, rows × clusters, nats."""
    held = tokens + (weight if kind == kernels.DIRICHLET else 0.0)
    counts = np.ascontiguousarray((centroids * held[:, None]).T)
    out = np.empty((matrix.shape[0], tokens.size))
    totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
    kernels.join_costs(
        Items(indptr, indices, matrix.data, totals),
        kernels.Sums(counts, held, sizes),
        kernels.Formula(kind, np.empty(0), 1.0, float(width), 0.0, np.empty(0)),
        out,
    )
    return out


def posterior(lengths: Floats, mass: Floats) -> Floats:
    """p(c|row) ∝ p(c)·exp(−length); rows of zeros should be given no lengths."""
    scores = np.log(np.maximum(mass, 1e-300)) - lengths
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    return scores
