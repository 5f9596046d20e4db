"""Classes as predictors: p(v|n) = Σ p(c|n)·p(v|c), for words that were learnt from and others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.types import Array, Floats
from roget.learn.clustering.memberships import predict_cells, to_dense
from roget.learn.clustering.result import Clustering


@dataclass(frozen=True, eq=False)
class Classes:
    """One clustering at one level, or several whose predictions are averaged.

    types: whether they were learnt from types, where a context counts once, however often the
        word was seen in it; so new words are placed.
    """

    name: str
    parts: tuple[Clustering, ...]
    types: bool = False

    def cells(self, rows: Array, columns: Array) -> Floats:
        """p(v|n) of pairs of a row and a column."""
        found = [predict_cells(one.memberships, one.centroids, rows, columns) for one in self.parts]
        return np.asarray(np.mean(found, axis=0))

    def rows(self, rows: Array | slice, columns: Array | slice = slice(None)) -> Floats:
        """p(v|n) of all contexts, or some, for some rows."""
        found = [to_dense(one.memberships[rows] @ one.centroids[:, columns]) for one in self.parts]
        return np.asarray(np.mean(found, axis=0))

    def placed(self, matrix: Any) -> Classes:
        """The same classes, for other words: a row for each row of counts."""
        given = types_of(matrix) if self.types else matrix
        return replace(self, parts=tuple(_placed(one, one.place(given)) for one in self.parts))


def _placed(clustering: Clustering, memberships: Any) -> Clustering:
    """The clustering with other words, whose memberships add up to 1 to the last digit."""
    table = sparse.csr_array(memberships, dtype=np.float64)
    sums = np.asarray(table.sum(axis=1)).ravel()
    table.data /= np.repeat(np.where(sums > 0, sums, 1.0), np.diff(table.indptr))
    return replace(clustering, memberships=table)


def proper(clustering: Clustering) -> Clustering:
    """The clustering with rows of both tables that add up to 1 to the last digit."""
    table = clustering.centroids
    if sparse.issparse(table):
        return _placed(clustering, clustering.memberships)
    table = np.asarray(table, dtype=np.float64)
    table = table / table.sum(axis=1, keepdims=True)
    return _placed(replace(clustering, centroids=table), clustering.memberships)


def types_of(matrix: Any) -> Any:
    """Each pair that was seen, once."""
    once = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    once.eliminate_zeros()
    once.data = np.minimum(once.data, 1.0)
    return once


def continuation(matrix: Any) -> Floats:
    """p(v) by how many words a context was seen with, less one, which all contexts share.

    Less one is what development tokens ask for: of contexts that one word was seen with, hardly
    more is known than of those that none was.
    """
    words = np.asarray(types_of(matrix).sum(axis=0), dtype=np.float64).ravel()
    taken = np.minimum(words, 1.0)
    if not words.sum() > 0:
        return np.full(words.size, 1 / words.size)
    return np.asarray((words - taken + taken.sum() / words.size) / words.sum())
