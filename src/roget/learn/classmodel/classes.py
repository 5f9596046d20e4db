"""Classes as predictors: p(v|n) = Σ p(c|n)·p(v|c), for words that were learnt from and others."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.learn.clustering.soft.rule import memberships as annealed
from roget.learn.clustering.symmetric.rule import fold_in

Floats: TypeAlias = npt.NDArray[np.float64]
Array: TypeAlias = npt.NDArray[Any]

CELLS = 1 << 22
"""Cells × classes worked on at a time."""

LEAST = 1e-12
"""No p(v|c) counts as less when a new word looks for its class."""


@dataclass(frozen=True, eq=False)
class Rule:
    """How new words find their classes, from their counts.

    kind: "posterior", ∝ p(c)·Π p(v|c)^count; "anneal", ∝ exp(−β·KL); "fold-in", the weights that
        fit the counts best, tempered by β; "nearest", see `nearest.py`.
    mass: p(c), what a word without counts gets.
    types: whether a context counts once, however often the word was seen in it.
    blocks: how many classes each of several clusterings has that stand side by side.
    """

    kind: str
    mass: Floats
    beta: float = 1.0
    types: bool = False
    blocks: tuple[int, ...] = ()
    space: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Classes:
    """One clustering at one level: rows of both tables add up to 1; either may be sparse."""

    name: str
    membership: Any
    centroids: Any
    rule: Rule

    def cells(self, rows: Array, columns: Array) -> Floats:
        """p(v|n) of pairs of a row and a column."""
        out = np.empty(rows.size)
        by_column = self.centroids.T
        by_column = (
            by_column.tocsr() if sparse.issparse(by_column) else np.ascontiguousarray(by_column)
        )
        step = max(1, CELLS // self.centroids.shape[0])
        for begin in range(0, out.size, step):
            part = slice(begin, begin + step)
            left, right = self.membership[rows[part]], by_column[columns[part]]
            if sparse.issparse(left) and sparse.issparse(right):
                out[part] = np.asarray(left.multiply(right).sum(axis=1)).ravel()
            else:
                out[part] = np.einsum("ij,ij->i", dense(left), dense(right))
        return out

    def rows(self, rows: Array) -> Floats:
        """p(v|n) of all contexts, for some rows."""
        return dense(self.membership[rows] @ self.centroids)

    def placed(self, matrix: Any) -> Classes:
        """The same classes, for other words: a row for each row of counts."""
        return replace(self, membership=place(matrix, self.centroids, self.rule))


def dense(table: Any) -> Floats:
    """A table as an array, whatever it was."""
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)


def types_of(matrix: Any) -> Any:
    """Each pair that was seen, once."""
    once = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    once.eliminate_zeros()
    once.data = np.minimum(once.data, 1.0)
    return once


def unigram(matrix: Any) -> Floats:
    """p(v), half a token added to each context."""
    totals = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel() + 0.5
    return np.asarray(totals / totals.sum())


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


def place(matrix: Any, centroids: Any, rule: Rule) -> Any:
    """p(c|n) of rows of counts; a row of zeros gets p(c)."""
    given = types_of(matrix) if rule.types else sparse.csr_array(matrix, dtype=np.float64)
    if rule.kind == "nearest":
        from roget.learn.classmodel.nearest import neighbours

        return neighbours(given, rule)
    if rule.kind == "posterior":
        return _posterior(given, centroids, rule)
    table = dense(centroids)
    if rule.kind == "fold-in":
        found = fold_in(given, table, rule.beta, rule.mass)
    else:
        found = annealed(given, table, rule.mass @ table, rule.mass, rule.beta, False, None)
    found = np.asarray(found, dtype=np.float64)
    return found / found.sum(axis=1, keepdims=True)


def _posterior(given: Any, centroids: Any, rule: Rule) -> Floats:
    # Classes that say nothing of a context are all alike in it, so that tables may be sparse.
    if sparse.issparse(centroids):
        logs = centroids.copy()
        logs.data = np.log(np.maximum(logs.data, LEAST)) - np.log(LEAST)
        scores = dense(given @ logs.T)
    else:
        scores = dense(given @ np.log(np.maximum(centroids.T, LEAST)))
    scores += np.log(np.maximum(rule.mass, LEAST))
    begin, blocks = 0, rule.blocks or (rule.mass.size,)
    for size in blocks:
        part = scores[:, begin : begin + size]
        part -= part.max(axis=1, keepdims=True)
        np.exp(part, out=part)
        part /= part.sum(axis=1, keepdims=True) * len(blocks)
        begin += size
    return scores
