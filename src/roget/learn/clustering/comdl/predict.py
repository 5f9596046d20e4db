"""What two-sided classes say of words and contexts: p(v|w), and the class of a word not seen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.kernels.rows import RowItems, rows_of
from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.comdl import kernels
from roget.learn.clustering.memberships import one_hot
from roget.learn.clustering.result import SAVED, Clustering, Rule, array, posterior

_EMPTY = sparse.csr_array((1, 1))


@dataclass(frozen=True, eq=False)
class CoclusterModel:
    """Classes of both sides, with the counts of their blocks.

    p(v|w) = (N_ij + a)/(R_i + aJ) · (f_v + b)/(C_j + b·m_j), for a word of class i and a context
    of class j, one of m_j with C_j counts together.
    """

    blocks: Floats
    rows: Ints
    columns: Ints
    totals: Floats
    """The sums of contexts."""
    a: float
    b: float
    sized: bool
    trees: tuple[Tree, Tree]

    def level(self, part: float) -> CoclusterModel:
        """The same with no more than a part of the classes left on each side."""
        if not 0 < part <= 1:
            raise InputError(f"level={part}: expected a part of the classes, above 0 up to 1")
        if part == 1:
            return self
        sizes = [max(1, round(part * tree.n_clusters)) for tree in self.trees]
        rows, columns = (tree.cut(k) for tree, k in zip(self.trees, sizes, strict=True))
        trees = self.trees[0].prune(sizes[0]), self.trees[1].prune(sizes[1])
        blocks = np.zeros((trees[0].n_clusters, trees[1].n_clusters))
        np.add.at(blocks, (rows[:, None], columns[None, :]), self.blocks)
        rows, columns = rows[self.rows], columns[self.columns]
        return replace(self, blocks=blocks, rows=rows, columns=columns, trees=trees)

    def of_classes(self) -> Floats:
        """p(class of context | class of word)."""
        table = self.blocks + self.a
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def within(self) -> Floats:
        """p(context | its class)."""
        k = self.blocks.shape[1]
        mass = np.bincount(self.columns, self.totals + self.b, minlength=k)
        return np.asarray((self.totals + self.b) / mass[self.columns])

    def cells(self, rows: Ints, columns: Ints) -> Floats:
        """p(v|w) of pairs of row and column."""
        table, within = self.of_classes(), self.within()
        return np.asarray(table[self.rows[rows], self.columns[columns]] * within[columns])

    def centroids(self) -> Floats:
        """p(v|class of words), classes × contexts."""
        return np.asarray(self.of_classes()[:, self.columns] * self.within())

    def rule(self) -> ClassAssignment:
        """How words join the classes."""
        sizes = np.bincount(self.rows, minlength=self.blocks.shape[0])
        return ClassAssignment(self.a, self.b, self.sized, sizes, self.columns, self.blocks)

    def nothing(self) -> tuple[int, int]:
        """The classes that a row and a column without counts cost least in."""
        turned = replace(self, blocks=self.blocks.T, rows=self.columns, columns=self.rows)
        row, column = (one.rule().code_lengths(_EMPTY).argmin() for one in (self, turned))
        return int(row), int(column)

    def clustering(self) -> Clustering:
        """The classes of words as a clustering."""
        tree, mass = self.trees[0], self.blocks.sum(axis=1)
        return Clustering(
            tree, one_hot(self.rows, tree.n_clusters), self.centroids(), mass / mass.sum(),
            self.totals / self.totals.sum(), self.rule(), SAVED,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ClassAssignment(Rule):
    """∝ exp(−nats by which the description grows if the word joins a class)."""

    clusterer = "comdl"

    a: float
    b: float
    sized: bool
    sizes: Ints = field(metadata=array("k", whole=True))
    """How many words each class has."""
    columns: Ints = field(metadata=array("m", whole=True))
    """The class of each context."""
    blocks: Floats = field(metadata=array("k", "j"))
    """The counts of words' classes with contexts' classes."""

    @property
    def context_labels(self) -> Ints:
        """The class of each context."""
        return self.columns

    def place(self, matrix: Any, leaves: Clustering) -> Floats:
        """p(c|word); a word without counts goes where it costs least."""
        return posterior(self.code_lengths(matrix), np.ones(self.sizes.size))

    def code_lengths(self, matrix: Any) -> Floats:
        """By how much the description grows when a row joins a class, rows × classes; nats."""
        out = np.empty((matrix.shape[0], self.sizes.size))
        # Copies, as kernels are compiled anew for arrays that are frozen.
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
        """The sizes and counts of classes as they are now; contexts stay in theirs."""
        labels = one_hot(made.labels, made.n_clusters)
        known = np.flatnonzero(np.diff(made.memberships.indptr))
        labels = labels[known]
        classes = one_hot(self.columns, self.blocks.shape[1])
        blocks = (labels.T @ counts.matrix[known].astype(np.float64) @ classes).toarray()
        sizes = np.asarray(labels.sum(axis=0)).ravel().astype(self.sizes.dtype)
        return replace(made, rule=replace(self, sizes=sizes, blocks=blocks))

    def check(self, k: int, m: int) -> None:
        """Refuse classes of contexts that there are not, too."""
        super().check(k, m)
        if self.columns.max(initial=0) >= self.blocks.shape[1]:
            raise ValueError(f"columns: expected classes 0 to {self.blocks.shape[1] - 1}")
        if not (self.a > 0 and self.b > 0):
            raise ValueError(f"a={self.a}, b={self.b}: expected positive numbers")
