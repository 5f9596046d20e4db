"""The words nearest to a word, as its classes: what they do, weighed by how near they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.views import ppmi, unit
from roget.learn.classmodel.classes import Classes, Floats, Rule, unigram

DIMENSIONS = 100
POWER = 4
"""Neighbours weigh as their cosine to this power."""

BACKGROUND = 0.05
"""The part of the prediction that is the unigram's: neighbours may not know a context."""

ROWS = 1 << 10
"""Words looked up at a time."""


def nearest(train: Any, seed: int, sizes: tuple[int, ...], types: bool) -> list[Classes]:
    """Classes of so many nearest words, the word itself left out, for each size.

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
    space = {"columns": columns, "projection": projection}
    space["words"] = unit(associations @ projection)
    shares = sparse.csr_array(train / np.maximum(totals, 1e-300)[:, None])
    background = unigram(train)
    shares = shares + sparse.csr_array((totals == 0)[:, None] * background)
    centroids = sparse.csr_array(sparse.vstack([shares, background[None, :]], format="csr"))
    found = []
    for size in sorted({min(size, n - 1) for size in sizes}):
        mass = np.append(np.zeros(n), 1.0)
        rule = Rule("nearest", mass, types=types, space={**space, "size": size})
        found.append(Classes(f"{size} nearest", _near(space["words"], rule, True), centroids, rule))
    return found


def neighbours(given: Any, rule: Rule) -> Any:
    """p(c|n) of new words: weights of their nearest words, and the unigram's part."""
    totals = np.asarray(given.sum(axis=1), dtype=np.float64).ravel()
    vectors = unit(ppmi(given, totals, rule.space["columns"]) @ rule.space["projection"])
    return _near(vectors, rule, False)


def _near(vectors: Floats, rule: Rule, same: bool) -> Any:
    """Weights of the nearest words, and of the unigram; `same`: rows are the words themselves."""
    words, size = rule.space["words"], rule.space["size"]
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
