"""Update a clustering with new counts, without changing its classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.views import to_dense
from roget.core.tree import Tree
from roget.core.types import Ints
from roget.errors import InputError
from roget.learn.clustering.memberships import grouping_matrix
from roget.learn.clustering.result import Clustering, Posterior

_NOTHING = 1e-6
"""Class counts with a smaller absolute value are treated as rounding errors."""


class IncrementalUpdate:
    """An update of a clustering after more words, contexts or tokens were counted.

    `counts` includes the counts of `before`, with the same words and contexts first. Smoothing may
    give a class more counts than its words have, and this surplus is kept. `background` holds
    counts from other texts that also contributed to the vectors, and `prior` holds the prior
    vectors, if any.
    """

    def __init__(
        self,
        found: Clustering,
        before: Counts,
        counts: Counts,
        background: Counts | None = None,
        prior: Any = None,
    ) -> None:
        n, m = before.shape
        if not (
            np.array_equal(counts.words[:n], before.words)
            and np.array_equal(counts.contexts[:m], before.contexts)
        ):
            raise InputError(
                "the new counts must begin with the words and contexts of the old counts",
                code="index-mismatch",
            )
        self.counts = counts
        if found.learnt is not None:
            # This clustering was cut from a tree, so its classes are unions of learnt classes. The
            # placement rule and word vectors of the learnt classes cannot be used.
            found = replace(found, learnt=None, parts=None, rule=Posterior(), representation=None)
        total = float(before.total)
        # Surplus of each class over the counts of its words: N·p(c)·p(v|c) − Σ counts.
        had = _scale(found.centroids, found.mass * total)
        more = counts.shape[1] - m
        rest = had - _sum(found.memberships, before.matrix, dense=not sparse.issparse(had))
        self._rest = _widen(rest, more)
        if sparse.issparse(self._rest):
            self._rest.data[np.abs(self._rest.data) < _NOTHING] = 0
            self._rest.eliminate_zeros()
        belongs = found.memberships
        self.memberships = sparse.csr_array(
            (belongs.data, belongs.indices, np.pad(belongs.indptr, (0, len(counts) - n), "edge")),
            shape=(len(counts), belongs.shape[1]),
        )
        """Memberships of the old words. The rows of new words are empty."""
        totals = np.asarray(counts.context_totals, dtype=np.float64)
        made = replace(
            found, memberships=self.memberships, centroids=_widen(found.centroids, more),
            background=totals / max(float(counts.total), 1e-300), contexts=counts.contexts,
            rule=found.placing.widen(self._find_alike(m)), representation=None,
        )  # fmt: skip
        borrowed = {"background": background, "prior": prior}
        borrowed = {name: one for name, one in borrowed.items() if one is not None}
        self.wide = made.placing.extend(made, found, counts, **borrowed)

    def regroup(
        self, memberships: Any = None, tree: Tree | None = None, origin: Ints | None = None
    ) -> Clustering:
        """Recompute the classes for the given memberships (default: the same as before).

        If `tree` has more classes than before, `origin` contains the old number of each class, or
        −1 for a new class.
        """
        belongs = self.memberships if memberships is None else memberships
        tree = self.wide.tree if tree is None else tree
        k = tree.n_clusters
        origin = np.arange(k) if origin is None else origin
        # 1. Sum the counts of the words of each class.
        sums = _sum(belongs, self.counts.matrix, dense=not sparse.issparse(self._rest))
        # 2. Add the surplus of the old class. If the class was split, divide the surplus in
        # proportion to the tokens.
        tokens = np.asarray(sums.sum(axis=1), dtype=np.float64).ravel()
        known = origin >= 0
        before = np.bincount(origin[known], tokens[known], minlength=self.wide.n_clusters)
        share = np.where(
            before[origin] > 0, tokens / np.where(before > 0, before, 1.0)[origin], 1.0
        )
        sums = sums + grouping_matrix(origin, self._rest.shape[0], share) @ self._rest
        if sparse.issparse(sums):
            sums.data[sums.data < 0] = 0
            sums = sparse.csr_array(sums)
        else:
            np.maximum(sums, 0, out=sums)
        # 3. Normalise to p(c) and p(v|c). Without tokens, a class has the background p(v).
        mass = np.asarray(sums.sum(axis=1), dtype=np.float64).ravel()
        nothing = mass <= 0
        centroids = _scale(sums, 1 / np.where(nothing, 1.0, mass))
        if nothing.any():
            flat = np.outer(nothing, self.wide.background)
            centroids = centroids + (sparse.csr_array(flat) if sparse.issparse(sums) else flat)
        rule = self.wide.placing.select(np.maximum(origin, 0))
        made = replace(
            self.wide, tree=tree, memberships=belongs, mass=mass / max(mass.sum(), 1e-300),
            centroids=centroids.astype(self.wide.centroids.dtype), rule=rule,
        )  # fmt: skip
        return rule.regroup(made, self.counts)

    def _find_alike(self, m: int) -> Ints:
        """Map each context to a known context: to itself or, if it is new, to a similar context.

        The similar context is the most frequent context of the class in which the new context is
        most frequent.
        """
        alike = np.arange(self.counts.shape[1])
        if m == alike.size:
            return alike
        sums = _sum(self.memberships, self.counts.matrix, dense=False)
        known = sums[:, :m]
        best = np.asarray(known.argmax(axis=1)).ravel()
        usual = int(np.argmax(self.counts.context_totals[:m]))
        best[known.sum(axis=1) <= 0] = usual
        new = sums[:, m:].tocsc()
        alike[m:] = np.where(
            np.diff(new.indptr) > 0, best[np.asarray(new.argmax(axis=0)).ravel()], usual
        )
        return alike


def _sum(memberships: Any, matrix: Any, *, dense: bool) -> Any:
    """Sum the counts of each class in each context."""
    table = sparse.csr_array(memberships.T @ matrix.astype(np.float64))
    return to_dense(table) if dense else table


def _scale(table: Any, by: Any) -> Any:
    """Multiply each row of a table by a factor."""
    if sparse.issparse(table):
        return sparse.csr_array(sparse.diags_array(by) @ table)
    return np.asarray(table, dtype=np.float64) * np.asarray(by)[:, None]


def _widen(table: Any, more: int) -> Any:
    if not more:
        return table
    if sparse.issparse(table):
        wide = sparse.csr_array(table, copy=True)
        wide.resize((table.shape[0], table.shape[1] + more))
        return wide
    return np.pad(table, ((0, 0), (0, more)))
