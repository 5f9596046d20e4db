"""Functions for membership matrices p(cluster|word)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.views import to_dense
from roget.core.tree import Tree
from roget.core.types import Array, Floats, Ints

CELLS = 1 << 22
"""Maximum number of entries times clusters to compute in one batch."""

FLOOR = 1e-9
"""Lower bound on p(v|c), as a fraction of p(v)."""

KEPT = 1e-9
"""Minimum membership stored in sparse matrices. Smaller memberships are dropped."""


def floor(background: Floats) -> Floats:
    """Return the lower bound on p(v|c) for each context. It is the same for all unseen contexts."""
    return np.maximum(background, 1e-12) * FLOOR


def one_hot(labels: Array, clusters: int) -> Any:
    """Return hard labels as a one-hot words × clusters matrix."""
    n = labels.size
    return sparse.csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, clusters))


def grouping_matrix(parts: Ints, clusters: int, weights: Floats | None = None) -> Any:
    """Return a matrix that sums the columns of each cluster when multiplied from the right.

    The entry at (column, cluster) is 1, or the weight of the column. Columns with cluster −1 are
    dropped.
    """
    used = np.flatnonzero(parts >= 0)
    data = np.ones(used.size) if weights is None else weights[used]
    return sparse.csr_array((data, (used, parts[used])), shape=(parts.size, clusters))


def merge_labels(merges: Iterable[tuple[int, int]], classes: int) -> Ints:
    """Return the new number of each class after pairwise merges. The new numbers have no gaps.

    In each pair, the second class is merged into the first.
    """
    into = np.arange(classes)
    for one, two in merges:
        into[into == two] = one
    return np.unique(into, return_inverse=True)[1]


def merges_to_splits(merges: Sequence[tuple[int, int]]) -> tuple[list[int], Ints]:
    """Convert pairwise merges that end with a single class to splits, in reverse order.

    Return the class that each split divides, and the new number of each merged class, in the order
    of the old numbers. In a split, one half keeps the number of the class, and the other gets the
    next number.
    """
    # The last merge is the first split. Class 0 is left after all merges.
    number, parents = {0: 0}, []
    for one, two in reversed(merges):
        parents.append(number[one])
        number[two] = len(number)
    return parents, np.array([number[name] for name in sorted(number)])


def sparsify(q: Array, least: float = KEPT) -> Any:
    """Return memberships as a csr_array without entries below `least`. Rows sum to 1."""
    kept = sparse.csr_array(np.where(q < least, 0, q))
    kept.data /= np.repeat(kept.sum(axis=1), np.diff(kept.indptr)).astype(kept.dtype)
    return kept


def replace_rows(table: Any, rows: Array, new: Any) -> Any:
    """Replace the rows `rows` of a table by the rows of `new`."""
    # Stack the new rows above the table, and select each row of the result from the stack.
    place = np.full(table.shape[0], -1)
    place[rows] = np.arange(rows.size)
    order = np.where(place >= 0, place, new.shape[0] + np.arange(place.size))
    return sparse.csr_array(sparse.vstack([new, table], format="csr")[order])


def log_likelihood(matrix: Any, q: Array, centroids: Array, background: Floats) -> float:
    """Return the mean log-likelihood ln Σ_c p(c|n)·p(v|c) over all tokens, in nats."""
    cells = matrix.tocoo()
    fit = predict_cells(q, centroids, cells.row, cells.col)
    logs = np.log(np.maximum(fit, floor(background)[cells.col]))
    tokens = float(np.sum(cells.data))
    return float(np.sum(cells.data * logs)) / tokens if tokens > 0 else 0.0


def predict_cells(memberships: Any, centroids: Any, rows: Array, columns: Array) -> Floats:
    """Return p(v|n) = Σ_c p(c|n)·p(v|c) for (row, column) pairs. Both tables may be sparse."""
    out = np.empty(rows.size)
    by_column: Any = centroids.T
    by_column = by_column.tocsr() if sparse.issparse(by_column) else np.ascontiguousarray(by_column)
    # Work in batches, because both gathered tables have one row per pair.
    step = max(1, CELLS // centroids.shape[0])
    for begin in range(0, out.size, step):
        part = slice(begin, begin + step)
        left, right = memberships[rows[part]], by_column[columns[part]]
        if sparse.issparse(right):
            out[part] = np.asarray(right.multiply(left).sum(axis=1)).ravel()
        else:
            out[part] = np.einsum("ij,ij->i", to_dense(left), right, dtype=np.float64)
    return out


def tabulate(rows: Iterable[Mapping[int, float]], width: int) -> Any:
    """Return a csr_array whose rows are given as mappings from columns to values."""
    indptr = [0]
    indices: list[int] = []
    data: list[float] = []
    for row in rows:
        indices += row.keys()
        data += row.values()
        indptr.append(len(indices))
    cells = np.array(data, dtype=np.float64), np.array(indices, dtype=np.int64), np.array(indptr)
    return sparse.csr_array(cells, shape=(len(indptr) - 1, width))


def assign_leaves(memberships: Any, tree: Tree) -> Ints:
    """Return the leaf of each word. Follow the child with the highest membership, from the root
    down.

    Parameters
    ----------
    memberships
        p(cluster|word) as a csr_array of shape (words, clusters).
    tree
        The tree over the clusters.
    """
    above, order = _tabulate_ancestors(tree)
    leaves = np.zeros(memberships.shape[0], dtype=np.int64)
    # This is the maximum number of nodes that a word belongs to: all ancestors of its clusters.
    reach = np.minimum(np.diff(memberships.indptr) * np.diff(above.indptr).max(), tree.n_nodes)
    batch = (np.cumsum(reach) - reach) // CELLS
    for begin in np.unique(batch, return_index=True)[1].tolist():
        end = int(np.searchsorted(batch, batch[begin], side="right"))
        leaves[begin:end] = _descend(memberships[begin:end] @ above, order, tree)
    return leaves


def _descend(belongs: Any, order: Ints, tree: Tree) -> Ints:
    """Follow the child with the highest membership, or the first if tied, down to a leaf."""
    size, column = order.size, np.argsort(order)
    # Columns are sorted by parent, so the children of a node are adjacent.
    above = column[tree.parent[order]]
    belongs.sort_indices()
    row = np.repeat(np.arange(belongs.shape[0]), np.diff(belongs.indptr))
    inner = belongs.indices > 0
    row, at, p = row[inner], belongs.indices[inner].astype(np.int64), belongs.data[inner]
    # For each key (word, parent), keep the child with the highest membership.
    key = row * size + above[at]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    largest = np.repeat(np.maximum.reduceat(p, first), np.diff(first, append=key.size))
    best = np.flatnonzero(p == largest)
    best = best[np.diff(key[best], prepend=-1) > 0]
    key, at = key[best], at[best]
    # Move all words down together, until each has reached a leaf.
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
