"""What a tree of clusters says: p(context|cluster), and how long the code of a word would be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.kernels.rows import Items
from roget.core.tree import Tree
from roget.core.types import Floats
from roget.learn.clustering.mdl import kernels
from roget.learn.clustering.mdl.criteria import kind_of
from roget.learn.clustering.mdl.options import CRITERIA, ESTIMATORS
from roget.learn.clustering.result import Clustering, Rule, array, posterior


def frequencies(counts: Any) -> Floats:
    """p(v|c): each cluster's relative frequencies."""
    table = counts.toarray()
    table /= table.sum(axis=1, keepdims=True)
    return np.asarray(table)


def shrink(counts: Any, tree: Tree, background: Floats, weight: float) -> Floats:
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


@dataclass(frozen=True, eq=False)
class Joining(Rule):
    """∝ p(c)·exp(−nats by which c's description grows if the word joins it)."""

    clusterer = "mdl"

    criterion: str
    estimator: str
    weight: float
    """By how many tokens of its parent a cluster is smoothed."""
    width: int
    """How many contexts the code is about."""
    tokens: Floats = field(metadata=array("k"))
    sizes: Floats = field(metadata=array("k"))

    def place(self, matrix: Any, leaves: Clustering) -> Floats:
        """p(c|word); a word without counts gets p(c)."""
        return posterior(self.code_lengths(matrix, leaves.centroids), leaves.mass)

    def code_lengths(self, matrix: Any, centroids: Floats) -> Floats:
        """How much longer the description gets if a row joins a cluster, rows × clusters, nats."""
        kind = kind_of(self.criterion, self.estimator)
        held = self.tokens + (self.weight if kind == kernels.DIRICHLET else 0.0)
        counts = np.ascontiguousarray((centroids * held[:, None]).T)
        out = np.empty((matrix.shape[0], self.tokens.size))
        totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
        indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
        kernels.join_costs(
            Items(indptr, indices, matrix.data, totals),
            kernels.Sums(counts, held, self.sizes),
            kernels.Formula(kind, np.empty(0), 1.0, float(self.width), 0.0, np.empty(0)),
            out,
        )
        return out

    def check(self, k: int, m: int) -> None:
        """Refuse codes that there are not, too."""
        super().check(k, m)
        for name, value, known in (
            ("criterion", self.criterion, CRITERIA),
            ("estimator", self.estimator, ESTIMATORS),
        ):
            if value not in known:
                raise ValueError(f"{name} {value!r}: expected {' or '.join(known)}")
        if self.weight < 0 or self.width < 1:
            raise ValueError(f"weight {self.weight}, width {self.width}: expected 0 and 1 or more")
