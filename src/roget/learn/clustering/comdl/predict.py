"""What two-sided classes say of words and contexts: p(v|w), and the class of a word not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.kernels.rows import Items
from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.comdl import kernels

_EMPTY = sparse.csr_array((1, 1))


@dataclass(frozen=True, eq=False)
class Model:
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

    def level(self, part: float) -> Model:
        """The same with no more than a part of the classes left on each side."""
        if not 0 < part <= 1:
            raise InputError(f"level={part}: expected a part of the classes, above 0 up to 1")
        if part == 1:
            return self
        rows, columns = (tree.cut(max(1, round(part * tree.n_clusters))) for tree in self.trees)
        blocks = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
        np.add.at(blocks, (rows[:, None], columns[None, :]), self.blocks)
        return replace(self, blocks=blocks, rows=rows[self.rows], columns=columns[self.columns])

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

    def code_lengths(self, matrix: Any) -> Floats:
        """By how much the description grows when a row joins a class, rows × classes; nats."""
        return self._code_lengths(matrix, self.rows, self.columns, self.blocks)

    def nothing(self) -> tuple[int, int]:
        """The classes that a row and a column without counts cost least in."""
        row = self._code_lengths(_EMPTY, self.rows, self.columns, self.blocks)
        column = self._code_lengths(_EMPTY, self.columns, self.rows, self.blocks.T)
        return int(row.argmin()), int(column.argmin())

    def _code_lengths(self, matrix: Any, labels: Ints, other: Ints, blocks: Floats) -> Floats:
        k, nothing = blocks.shape[0], np.empty(0)
        out, turned = np.empty((matrix.shape[0], k)), np.ascontiguousarray(blocks.T)
        sums = np.bincount(labels, minlength=k), blocks.sum(axis=1)
        kernels.code_lengths(
            Items(matrix.indptr, matrix.indices, matrix.data, nothing),
            kernels.Board(labels, other, *sums, turned, turned),
            kernels.Prices(nothing, nothing, nothing, self.sized, 0.0, self.a, self.b),
            out,
        )
        return out


def shares(lengths: Floats) -> Floats:
    """p(class|row) by code lengths."""
    weights = np.exp(lengths.min(axis=1, keepdims=True) - lengths)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def places(given: Any, names: Any, size: int, noun: str) -> Ints:
    """Rows or columns that are given by number or, where there are names, by name."""
    asked = np.atleast_1d(np.asarray(given))
    if asked.dtype.kind in "iu":
        if asked.size and not (asked.min() >= 0 and asked.max() < size):
            raise InputError(f"{noun}s are numbered from 0 to {size - 1}")
        return asked.astype(np.int64)
    if names is None:
        raise InputError(f"{noun}s have no names here: fit on Counts, or give numbers")
    known = {name: place for place, name in enumerate(names.tolist())}
    missing = [name for name in asked.tolist() if name not in known]
    if missing:
        raise InputError(f"unknown {noun}: {', '.join(map(repr, missing[:5]))}")
    return np.array([known[name] for name in asked.tolist()], dtype=np.int64)
