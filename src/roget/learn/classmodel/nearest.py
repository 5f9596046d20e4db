"""The words nearest to a word, as its classes: what they do, weighed by how near they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.views import ppmi, unit
from roget.core.tree import Tree
from roget.core.types import Floats
from roget.learn.classmodel.classes import Classes
from roget.learn.clustering.result import Clustering, Rule, array
from roget.learn.clustering.tokens import unigram

SIZES = (50, 100, 200)
DIMENSIONS = 100
POWER = 4
"""Neighbours weigh as their cosine to this power."""

BACKGROUND = 0.05
"""The part of the prediction that is the unigram's: neighbours may not know a context."""

ROWS = 1 << 10
"""Words looked up at a time."""


def nearest(train: Any, seed: int) -> list[Classes]:
    """Classes of so many nearest words, the word itself left out, for each of the sizes.

    Words are compared by the cosine of positive pointwise mutual information, in 100 dimensions.
    """
    from sklearn.decomposition import TruncatedSVD

    n, m = train.shape
    if min(n, m) < 3 or train.nnz < 3:
        return []
    columns = np.asarray(train.sum(axis=0), dtype=np.float64).ravel()
    totals = np.asarray(train.sum(axis=1), dtype=np.float64).ravel()
    associations = ppmi(train, totals, columns)
    if not associations.nnz:
        return []
    svd = TruncatedSVD(min(DIMENSIONS, n - 1, m - 1), random_state=seed).fit(associations)
    projection = np.ascontiguousarray(svd.components_.T)
    words = unit(associations @ projection)
    shares = sparse.csr_array(train / np.maximum(totals, 1e-300)[:, None])
    background = unigram(train)
    shares = shares + sparse.csr_array((totals == 0)[:, None] * background)
    centroids = sparse.csr_array(sparse.vstack([shares, background[None, :]], format="csr"))
    found, mass = [], np.append(np.zeros(n), 1.0)
    for size in sorted({min(size, n - 1) for size in SIZES}):
        rule = Nearest(size, columns, projection, words)
        near = rule.near(words, same=True)
        made = Clustering(Tree.flat(n + 1), near, centroids, mass, rule=rule)
        found.append(Classes(f"{size} nearest", (made,)))
    return found


@dataclass(frozen=True, eq=False)
class Nearest(Rule):
    """Weights of the words nearest to a word, and of the unigram, which is the last class."""

    clusterer = "nearest"

    size: int
    columns: Floats = field(metadata=array("m"))
    projection: Floats = field(metadata=array("m", "d", least=-np.inf))
    words: Floats = field(metadata=array("n", "d", least=-np.inf))

    def place(self, matrix: Any, leaves: Clustering) -> Any:
        """p(c|word), a csr_array; a word without neighbours gets the unigram."""
        totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
        vectors = unit(ppmi(matrix, totals, self.columns) @ self.projection)
        return self.near(vectors, same=False)

    def check(self, k: int, m: int) -> None:
        """Refuse more neighbours than there are words, too."""
        super().check(k, m)
        if len(self.words) != k - 1:
            raise ValueError(f"words: the shape is {self.words.shape}, expected {k - 1} rows")
        if type(self.size) is not int or not 0 < self.size < k:
            raise ValueError(f"size {self.size!r} of {k - 1} words")

    def near(self, vectors: Floats, same: bool) -> Any:
        """Weights of nearest words and of the unigram; `same`: rows are the words themselves."""
        words, size = self.words, self.size
        parts = []
        for begin in range(0, len(vectors), ROWS):
            near = vectors[begin : begin + ROWS] @ words.T
            rows = np.arange(len(near))
            if same:
                near[rows, begin + rows] = -2.0
            best = np.argpartition(-near, size - 1, axis=1)[:, :size]
            weights = np.maximum(np.take_along_axis(near, best, axis=1), 0.0) ** POWER
            sums = weights.sum(axis=1, keepdims=True)
            # Who has no neighbour at all has the unigram.
            weights *= np.where(sums > 0, (1 - BACKGROUND) / np.where(sums > 0, sums, 1.0), 0.0)
            rest = 1.0 - weights.sum(axis=1)
            table = (
                np.append(weights.ravel(), rest),
                (np.append(np.repeat(rows, size), rows),
                 np.append(best.ravel(), np.full(rows.size, len(words)))),
            )  # fmt: skip
            parts.append(sparse.csr_array(table, shape=(rows.size, len(words) + 1)))
        return sparse.csr_array(sparse.vstack(parts, format="csr"))
