"""Prediction with a co-clustering: p(context|word), and classes for new words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.contents import array
from roget.core.counts import Counts
from roget.core.kernels.rows import RowItems, rows_of
from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.comdl import kernels
from roget.learn.clustering.memberships import one_hot
from roget.learn.clustering.result import SAVED, Clustering, Rule, posterior

_EMPTY = sparse.csr_array((1, 1))


@dataclass(frozen=True, eq=False)
class CoclusterModel:
    """Word classes and context classes, with their block counts.

    For a word of class i and a context of class j, p(v|w) = (N_ij + a)/(R_i + a·J) · (f_v + b)/(C_j
    + b·m_j). N_ij is the count of the block, R_i that of the word class, f_v that of the context
    and C_j that of the context class. There are J context classes, and class j has m_j contexts.
    """

    blocks: Floats
    rows: Ints
    columns: Ints
    totals: Floats
    """Total count of each context."""
    a: float
    b: float
    sized: bool
    trees: tuple[Tree, Tree]

    def level(self, part: float) -> CoclusterModel:
        """Return a model that keeps the given fraction of word classes and of context classes."""
        if not 0 < part <= 1:
            raise InputError(
                f"level={part}: expected a fraction of the classes, greater than 0 and at most 1",
                code="invalid-option",
            )
        if part == 1:
            return self
        sizes = [max(1, round(part * tree.n_clusters)) for tree in self.trees]
        rows, columns = (tree.cut(k) for tree, k in zip(self.trees, sizes, strict=True))
        trees = self.trees[0].prune(sizes[0]), self.trees[1].prune(sizes[1])
        blocks = np.zeros((trees[0].n_clusters, trees[1].n_clusters))
        np.add.at(blocks, (rows[:, None], columns[None, :]), self.blocks)
        rows, columns = rows[self.rows], columns[self.columns]
        return replace(self, blocks=blocks, rows=rows, columns=columns, trees=trees)

    def block_shares(self) -> Floats:
        """Return p(class of context|class of word) = (N_ij + a)/(R_i + a·J)."""
        table = self.blocks + self.a
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def within(self) -> Floats:
        """Return p(context|class of the context) = (f_v + b)/(C_j + b·m_j)."""
        k = self.blocks.shape[1]
        mass = np.bincount(self.columns, self.totals + self.b, minlength=k)
        return np.asarray((self.totals + self.b) / mass[self.columns])

    def cells(self, rows: Ints, columns: Ints) -> Floats:
        """Return p(v|w) for pairs of rows (words w) and columns (contexts v)."""
        table, within = self.block_shares(), self.within()
        return np.asarray(table[self.rows[rows], self.columns[columns]] * within[columns])

    def centroids(self) -> Floats:
        """Return p(v|word class) as an array of shape (word classes, contexts)."""
        return np.asarray(self.block_shares()[:, self.columns] * self.within())

    def rule(self) -> ClassAssignment:
        """Return the rule for placing new words in the classes."""
        sizes = np.bincount(self.rows, minlength=self.blocks.shape[0])
        return ClassAssignment(self.a, self.b, self.sized, sizes, self.columns, self.blocks)

    def cheapest(self) -> tuple[int, int]:
        """Return the row class and the column class in which an item without counts costs least."""
        turned = replace(self, blocks=self.blocks.T, rows=self.columns, columns=self.rows)
        row, column = (one.rule().code_lengths(_EMPTY).argmin() for one in (self, turned))
        return int(row), int(column)

    def clustering(self) -> Clustering:
        """Return the word classes as a `Clustering`, with memberships, centroids and masses."""
        tree, mass = self.trees[0], self.blocks.sum(axis=1)
        return Clustering(
            tree, one_hot(self.rows, tree.n_clusters), self.centroids(), mass / mass.sum(),
            self.totals / self.totals.sum(), self.rule(), SAVED,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ClassAssignment(Rule):
    """Rule that places words by p(c|word) ∝ exp(−ΔL_c).

    ΔL_c is the increase in description length if the word joins class c.
    """

    clusterer = "comdl"

    a: float
    b: float
    sized: bool
    sizes: Ints = array("iu", "k", low=0)
    """Number of words in each class."""
    columns: Ints = array("iu", "m", low=0, below="j")
    """The class of each context."""
    blocks: Floats = array("iuf", "k", "j", low=0)
    """Block counts, as an array of shape (word classes, context classes)."""

    @property
    def context_labels(self) -> Ints:
        """The class of each context."""
        return self.columns

    def place(self, matrix: Any, leaves: Clustering) -> Floats:
        """Return p(c|word).

        A word without counts gets the highest probability in the class where it costs least.
        """
        return posterior(self.code_lengths(matrix), np.ones(self.sizes.size))

    def code_lengths(self, matrix: Any) -> Floats:
        """Return the increase in description length, in nats, if each row joins each class.

        The shape is (rows, classes).
        """
        out = np.empty((matrix.shape[0], self.sizes.size))
        # Copy read-only arrays, because numba would otherwise compile the kernel again for them.
        turned, nothing = np.array(self.blocks.T, order="C"), np.empty(0)
        columns = self.columns.copy()
        mass = self.blocks.sum(axis=1)
        kernels.code_lengths(
            RowItems(*rows_of(matrix), nothing),
            kernels.CoclusterCounts(columns, columns, self.sizes.copy(), mass, turned, turned),
            kernels.CostTables(nothing, nothing, nothing, self.sized, 0.0, self.a, self.b),
            out,
        )
        return out

    def regroup(self, made: Clustering, counts: Counts) -> Clustering:
        """Update the sizes and counts of the word classes. The context classes do not change."""
        labels = one_hot(made.labels, made.n_clusters)
        known = np.flatnonzero(np.diff(made.memberships.indptr))
        labels = labels[known]
        classes = one_hot(self.columns, self.blocks.shape[1])
        blocks = (labels.T @ counts.matrix[known].astype(np.float64) @ classes).toarray()
        sizes = np.asarray(labels.sum(axis=0)).ravel().astype(self.sizes.dtype)
        return replace(made, rule=replace(self, sizes=sizes, blocks=blocks))

    def check(self, k: int, m: int) -> None:
        """Raise ValueError if arrays are inconsistent or a and b are not positive."""
        super().check(k, m)
        if self.columns.max(initial=0) >= self.blocks.shape[1]:
            raise ValueError(
                f"'columns' must contain class numbers from 0 to {self.blocks.shape[1] - 1}"
            )
        if not (self.a > 0 and self.b > 0):
            raise ValueError(f"a={self.a}, b={self.b}: expected positive numbers")
