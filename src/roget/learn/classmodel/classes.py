"""Prediction from classes: p(v|n) = Σ_c p(c|n)·p(v|c) for a word n and a context v.

The classes come from a fitted clusterer, a `Clustering`, a thesaurus, or a pair of arrays. A tree
of classes is used at several levels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.views import to_dense
from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.errors import InputError
from roget.learn.clustering.base import LEVELS, Clusterer
from roget.learn.clustering.memberships import one_hot, predict_cells
from roget.learn.clustering.result import Clustering, Posterior
from roget.learn.thesaurus.thesaurus import Thesaurus

PARENT = 10.0
"""Number of pseudo-tokens by which each class is smoothed with the background distribution."""

SLACK = 1e-6
"""Tolerance for rounding errors in sums of probabilities and in discounts."""

COUNTED = Posterior(1e-12)
"""Name of the rule for placing new words when centroids are the summed counts of the words."""


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Predict contexts by averaging over one or more clusterings.

    types: True if the classes were learnt from a table in which each (word, context) pair counts
    once. New words are then placed by such a table as well.
    """

    name: str
    parts: tuple[Clustering, ...]
    types: bool = False

    def cells(self, rows: Array, columns: Array) -> Floats:
        """Return p(context|word) for (word, context) pairs, given as row and column indices."""
        found = [predict_cells(one.memberships, one.centroids, rows, columns) for one in self.parts]
        return np.asarray(np.mean(found, axis=0))

    def rows(self, rows: Array | slice, columns: Array | slice = slice(None)) -> Floats:
        """Return p(context|word) for the given rows and columns (default: all columns)."""
        found = [to_dense(one.memberships[rows] @ one.centroids[:, columns]) for one in self.parts]
        return np.asarray(np.mean(found, axis=0))

    def place(self, matrix: Any) -> ClassCounts:
        """Assign the words in the rows of `matrix` to these classes, and return a predictor."""
        counts = count_types(matrix) if self.types else matrix
        return replace(
            self, parts=tuple(_set_members(one, one.place(counts)) for one in self.parts)
        )


def _set_members(clustering: Clustering, memberships: Any) -> Clustering:
    """Replace the memberships of a clustering. The new ones are normalised to sum to 1."""
    table = sparse.csr_array(memberships, dtype=np.float64)
    sums = np.asarray(table.sum(axis=1)).ravel()
    table.data /= np.repeat(np.where(sums > 0, sums, 1.0), np.diff(table.indptr))
    return replace(clustering, memberships=table)


def normalise(clustering: Clustering) -> Clustering:
    """Return the clustering with memberships and centroids normalised to sum to 1."""
    table = clustering.centroids
    if sparse.issparse(table):
        return _set_members(clustering, clustering.memberships)
    table = np.asarray(table, dtype=np.float64)
    table = table / table.sum(axis=1, keepdims=True)
    return _set_members(replace(clustering, centroids=table), clustering.memberships)


def are_shares(table: Any) -> bool:
    """Return True if the rows are probabilities that sum to 1, up to rounding."""
    sums = np.asarray(table.sum(axis=1)).ravel()
    return bool(table.min() >= 0 and np.allclose(sums, 1.0, atol=SLACK))


def count_types(matrix: Any) -> Any:
    """Return a copy of the matrix in which each (word, context) pair counts at most once."""
    once = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    once.eliminate_zeros()
    once.data = np.minimum(once.data, 1.0)
    return once


def continuation(matrix: Any) -> Floats:
    """Return the continuation probability p(v), based on the number of words per context.

    Subtract one word from each context, and distribute these words equally over all contexts.
    Contexts that occur with a single word are then hardly more probable than unseen contexts. This
    worked best on development data.
    """
    words = np.asarray(count_types(matrix).sum(axis=0), dtype=np.float64).ravel()
    taken = np.minimum(words, 1.0)
    if not words.sum() > 0:
        return np.full(words.size, 1 / words.size)
    return np.asarray((words - taken + taken.sum() / words.size) / words.sum())


def read_classes(source: Any, train: Any, names: tuple[Any, Any] | None) -> list[ClassCounts]:
    """Make predictors for the words of `train` from existing classes.

    `names` holds the names of the words and contexts, if known.
    """
    if isinstance(source, tuple):
        if len(source) != 2 or any(isinstance(one, str | Clusterer | Thesaurus) for one in source):
            raise InputError(
                f"'classes' is a tuple of length {len(source)}; pass a list of classes, or one "
                "pair (memberships, centroids)",
                code="invalid-input",
            )
        return _from_tables(*source, train)
    if isinstance(source, Thesaurus):
        return _from_thesaurus(source, train, names)
    if isinstance(source, Clusterer) and "clustering_" in vars(source):
        name, own, levels = type(source).__name__, source.clustering_, source.predictors()
    elif isinstance(source, Clustering):
        name, own, levels = "Clustering", source, source.levels(LEVELS)
    else:
        raise InputError(
            f"'classes' has type {type(source).__name__}; expected a fitted clusterer, a "
            "Thesaurus, a pair (memberships, centroids) or a name",
            code="invalid-input",
        )
    # The classes must have been learnt from the same words and contexts.
    fitted = own.memberships.shape[0], own.centroids.shape[1]
    if fitted != train.shape:
        raise InputError(
            f"{name} was fitted on a table of {fitted[0]} × {fitted[1]}, but the counts have shape "
            f"{train.shape[0]} × {train.shape[1]}; fit it on the same words and contexts",
            code="length-mismatch",
        )
    return [
        *from_levels(name, levels, train),
        *_cuts(own.tree, sparse.csr_array(own.memberships, dtype=np.float64), train),
    ]


def from_levels(name: str, levels: list[tuple[Clustering, ...]], train: Any) -> list[ClassCounts]:
    """Make a predictor for each level of clusterings.

    Merged clusters get new centroids, computed from the counts.
    """
    return [
        ClassCounts(f"{name} {parts[0].n_clusters}", tuple(_known(one, train) for one in parts))
        for parts in levels
    ]


def _known(clustering: Clustering, train: Any) -> Clustering:
    """Normalise a clustering, and recompute the centroids of merged clusters from the counts."""
    if clustering.learnt is None:
        return normalise(clustering)
    return normalise(replace(clustering, centroids=_count(clustering.memberships, train)[0]))


def _from_tables(membership: Any, centroids: Any, train: Any) -> list[ClassCounts]:
    """Make a predictor from arrays of memberships and centroids."""
    rows = sparse.csr_array(membership, dtype=np.float64)
    columns = sparse.csr_array(centroids) if sparse.issparse(centroids) else to_dense(centroids)
    if rows.shape[0] != train.shape[0] or columns.shape != (rows.shape[1], train.shape[1]):
        raise InputError(
            f"memberships have shape {rows.shape} and centroids {columns.shape}; "
            f"expected (words, classes) and (classes, contexts) with {train.shape[0]} "
            f"words and {train.shape[1]} contexts",
            code="length-mismatch",
        )
    for name, table in (("memberships", rows), ("centroids", columns)):
        if not are_shares(table):
            raise InputError(
                f"the rows of {name} must be probabilities that sum to 1", code="bad-weight"
            )
    totals = np.asarray(train.sum(axis=1), dtype=np.float64).ravel()
    mass = _shares(rows.T @ totals)
    found = Clustering(Tree.flat(mass.size), rows, columns, mass, rule=COUNTED)
    return [ClassCounts(f"classes {mass.size}", (found,))]


def _from_thesaurus(
    source: Thesaurus, train: Any, names: tuple[Any, Any] | None
) -> list[ClassCounts]:
    """Make predictors from the classes of a thesaurus.

    Centroids are recomputed from the counts, because the thesaurus may have other contexts.
    """
    if names is None:
        raise InputError(
            "a thesaurus requires Counts, because a matrix has no words to look up; fit the "
            "model to Counts",
            code="invalid-input",
        )
    # Match words by name. Words that are missing from the thesaurus are placed by their counts.
    at = np.array([source.rows.get(word, -1) for word in names[0].tolist()])
    known = np.flatnonzero(at >= 0)
    if not known.size:
        raise InputError("none of the words in the counts is in the thesaurus", code="unknown-word")
    lift = one_hot(known, at.size).T
    return _cuts(source.tree, sparse.csr_array(lift @ source.memberships[at[known]]), train)


def _cuts(tree: Tree, membership: Any, train: Any) -> list[ClassCounts]:
    """Return two predictors for each of several cuts of the tree.

    The first uses the counts. The second counts each (word, context) pair once.
    """
    used = np.flatnonzero(np.asarray(membership.sum(axis=0)).ravel() > 0)
    found: list[ClassCounts] = []
    before = 0
    for level in LEVELS:
        groups = tree.cut(max(1, round(level * tree.n_clusters)))[used]
        _, numbers = np.unique(groups, return_inverse=True)
        size = int(numbers.max()) + 1
        # Levels with the same number of classes are identical, because cuts are nested.
        if size == before:
            continue
        before = size
        table = sparse.csr_array(membership[:, used] @ one_hot(numbers, size))
        for types in (False, True):
            name = f"classes {size}{', types' if types else ''}"
            counted = count_types(train) if types else train
            found.append(ClassCounts(name, (_count_classes(table, counted),), types))
    return found


def _count_classes(rows: Any, train: Any) -> Clustering:
    """Return a predictor whose centroids are the summed counts of the words in each class."""
    table, mass = _count(rows, train)
    found = Clustering(Tree.flat(mass.size), rows, table, mass, rule=COUNTED)
    # Place words without a class like new words.
    lost = np.asarray(rows.sum(axis=1)).ravel() <= 0
    if lost.any():
        placed = sparse.csr_array(found.place(train) * lost[:, None])
        found = replace(found, memberships=sparse.csr_array(rows + placed))
    return found


def _count(membership: Any, train: Any) -> tuple[Floats, Floats]:
    """Return smoothed centroids and the masses of classes, computed from memberships and counts."""
    table = to_dense(membership.T @ train)
    totals = np.asarray(train.sum(axis=0), dtype=np.float64).ravel() + 0.5
    table += PARENT * totals / totals.sum()
    mass = _shares(table.sum(axis=1))
    return table / table.sum(axis=1, keepdims=True), mass


def _shares(values: Floats) -> Floats:
    """Divide the values by their sum. If the sum is 0, return equal values."""
    total = float(values.sum())
    return values / total if total > 0 else np.full(values.size, 1 / values.size)
