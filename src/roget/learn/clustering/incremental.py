"""Renewal: the same classes of more counts, learnt on from where they stand."""

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
"""Tokens of a class in a context that are no more than rounding."""


class IncrementalUpdate:
    """A clustering whose words have been counted further, and what its classes become of it.

    `counts` are those of `before` and more: its words and contexts come first, in their order. What
    a class had besides the counts of its words, such as smoothing, it keeps.
    """

    def __init__(self, found: Clustering, before: Counts, counts: Counts) -> None:
        n, m = before.shape
        if not (
            np.array_equal(counts.words[:n], before.words)
            and np.array_equal(counts.contexts[:m], before.contexts)
        ):
            raise InputError("more counts: expected the words and contexts of before, then others")
        self.counts = counts
        if found.learnt is not None:
            # A level of other classes: those are not what words are in.
            found = replace(found, learnt=None, parts=None, rule=Posterior(), representation=None)
        total = float(before.total)
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
        """Of the words before; new ones belong nowhere yet."""
        background = np.asarray(counts.context_totals, dtype=np.float64)
        made = replace(
            found, memberships=self.memberships, centroids=_widen(found.centroids, more),
            background=background / max(float(counts.total), 1e-300), contexts=counts.contexts,
            rule=found.placing.widen(self._find_alike(m)), representation=None,
        )  # fmt: skip
        self.wide = made.placing.learn_on(made, found, counts)

    def regroup(
        self, memberships: Any = None, tree: Tree | None = None, origin: Ints | None = None
    ) -> Clustering:
        """The classes with these words in them, by default those they had.

        A tree with more classes says by `origin` which one each was part of, −1 for none.
        """
        belongs = self.memberships if memberships is None else memberships
        tree = self.wide.tree if tree is None else tree
        k = tree.n_clusters
        origin = np.arange(k) if origin is None else origin
        sums = _sum(belongs, self.counts.matrix, dense=not sparse.issparse(self._rest))
        tokens = np.asarray(sums.sum(axis=1), dtype=np.float64).ravel()
        known = origin >= 0
        of = np.bincount(origin[known], tokens[known], minlength=self.wide.n_clusters)
        share = np.where(of[origin] > 0, tokens / np.where(of > 0, of, 1.0)[origin], 1.0)
        sums = sums + grouping_matrix(origin, self._rest.shape[0], share) @ self._rest
        if sparse.issparse(sums):
            sums.data[sums.data < 0] = 0
            sums = sparse.csr_array(sums)
        else:
            np.maximum(sums, 0, out=sums)
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
        """For each context itself, or for a new one a known context that is used likewise.

        That is the most frequent one of the class whose words it is most seen with.
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
    """The counts of each class in each context."""
    table = sparse.csr_array(memberships.T @ matrix.astype(np.float64))
    return to_dense(table) if dense else table


def _scale(table: Any, by: Any) -> Any:
    """The rows, each times a number."""
    if sparse.issparse(table):
        return sparse.csr_array(sparse.diags_array(by) @ table)
    return np.asarray(table, dtype=np.float64) * np.asarray(by)[:, None]


def _widen(table: Any, more: int) -> Any:
    """The table with more columns of zeros."""
    if not more:
        return table
    if sparse.issparse(table):
        wide = sparse.csr_array(table, copy=True)
        wide.resize((table.shape[0], table.shape[1] + more))
        return wide
    return np.pad(table, ((0, 0), (0, more)))
