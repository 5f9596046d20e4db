"""Classes of a clustering that is there already, at several levels of its tree.

A fitted SoftAnnealing, MDLTree or CoMDL, a thesaurus (learnt or imported), or a pair of tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from roget.core.tree import Tree
from roget.errors import InputError
from roget.learn.classmodel.classes import Classes, Floats, Rule, dense, types_of
from roget.learn.clustering.memberships import one_hot

LEVELS = (1.0, 0.5, 0.25, 0.1)
"""The parts of the classes that are left at each level."""

PARENT = 10.0
"""By how many tokens of all words' a class is smoothed, where no more is known of it."""


def given_classes(source: Any, train: Any, names: tuple[Any, Any] | None) -> list[Classes]:
    """The classes of a clustering, for the words of `train`; `names` are its words and contexts."""
    if isinstance(source, tuple):
        if len(source) != 2 or any(isinstance(one, str) or _clustered(one) for one in source):
            raise InputError(
                f"{len(source)} classes in a tuple: expected a list of them, or a pair "
                "(memberships, centroids)"
            )
        return _of_tables(*source, train)
    if _is_thesaurus(source):
        return _of_thesaurus(source, train, names)
    if not hasattr(source, "membership_"):
        raise InputError(
            f"{type(source).__name__}: expected a fitted clusterer, a Thesaurus, a pair "
            "(memberships, centroids) or a name"
        )
    if source.membership_.shape[0] != train.shape[0] or source.n_features_in_ != train.shape[1]:
        fitted = source.membership_.shape[0], source.n_features_in_
        raise InputError(
            f"{type(source).__name__} was fitted to a table of {fitted[0]} × {fitted[1]}, but the "
            f"counts are {train.shape[0]} × {train.shape[1]}: fit it to the same words and contexts"
        )
    if hasattr(source, "column_labels_"):
        return [*of_comdl(source, False), *_levels(source.tree_, source.membership_, train, "x")]
    name = type(source).__name__
    return [*of_tree(source, train, False, name), *_levels(source.tree_, source.membership_, train)]


def _clustered(source: Any) -> bool:
    return _is_thesaurus(source) or hasattr(source, "membership_")


def _is_thesaurus(source: Any) -> bool:
    return hasattr(source, "memberships") and hasattr(source, "tree")


def of_comdl(model: Any, types: bool) -> list[Classes]:
    """Two-sided classes at the model's levels, the mean over the starts of the search."""
    found: list[Classes] = []
    before: list[tuple[int, ...]] = []
    for level in model.levels:
        parts = [one.level(level) for one in model._models]
        shapes = [part.blocks.shape for part in parts]
        if shapes == before:
            continue
        before = shapes
        share = 1 / len(parts)
        rows = [share * one_hot(part.rows, part.blocks.shape[0]) for part in parts]
        mass = np.concatenate([share * _shares(part.blocks.sum(axis=1)) for part in parts])
        blocks = tuple(part.blocks.shape[0] for part in parts)
        centroids = np.vstack([part.centroids() for part in parts])
        centroids /= centroids.sum(axis=1, keepdims=True)
        membership = sparse.csr_array(sparse.hstack(rows, format="csr"))
        rule = Rule("posterior", mass, types=types, blocks=blocks)
        found.append(Classes(f"comdl {blocks[0]}", membership, centroids, rule))
    return found


def of_tree(model: Any, train: Any, types: bool, name: str) -> list[Classes]:
    """The model's own clusters, and those of its tree's upper levels."""
    membership, k = sparse.csr_array(model.membership_, dtype=np.float64), model.n_clusters_
    own = dense(model.centroids_)
    own /= own.sum(axis=1, keepdims=True)
    mass = _shares(np.asarray(model.mass_, dtype=np.float64))
    symmetric = getattr(model, "model", "") == "symmetric"
    kind = "posterior" if not hasattr(model, "beta_") else "fold-in" if symmetric else "anneal"
    rule = Rule(kind, mass, getattr(model, "beta_", 1.0), types)
    found = [Classes(f"{name} {k}", membership, own, rule)]
    for size in dict.fromkeys(max(1, round(level * k)) for level in LEVELS[1:]):
        if size < k:
            groups = one_hot(model.tree_.cut(size), size)
            found.append(_counted(f"{name} {size}", membership @ groups, train, types))
    return found


def _of_tables(membership: Any, centroids: Any, train: Any) -> list[Classes]:
    rows = sparse.csr_array(membership, dtype=np.float64)
    columns = centroids if sparse.issparse(centroids) else np.asarray(centroids, dtype=np.float64)
    if rows.shape[0] != train.shape[0] or columns.shape != (rows.shape[1], train.shape[1]):
        raise InputError(
            f"memberships {rows.shape} and centroids {columns.shape}: expected words × classes and "
            f"classes × contexts, for {train.shape[0]} words and {train.shape[1]} contexts"
        )
    for name, table in (("memberships", rows), ("centroids", columns)):
        sums = np.asarray(table.sum(axis=1)).ravel()
        if table.min() < 0 or not np.allclose(sums, 1.0, atol=1e-6):
            raise InputError(f"every row of {name} should be probabilities that add up to 1")
    totals = np.asarray(train.sum(axis=1), dtype=np.float64).ravel()
    rule = Rule("posterior", _shares(rows.T @ totals))
    return [Classes(f"classes {rows.shape[1]}", rows, columns, rule)]


def _of_thesaurus(source: Any, train: Any, names: tuple[Any, Any] | None) -> list[Classes]:
    """A thesaurus's classes of words; what they do is counted anew, since contexts may differ."""
    if names is None:
        raise InputError("a thesaurus is matched by words: the model must be fitted to Counts")
    places = {word: row for row, word in enumerate(source.words.tolist())}
    at = np.array([places.get(word, -1) for word in names[0].tolist()])
    known = at >= 0
    if not known.any():
        raise InputError("none of the words is in the thesaurus")
    chosen = sparse.csr_array(source.memberships, dtype=np.float64)[at[known]]
    scatter = np.flatnonzero(known)
    lift = sparse.csr_array(
        (np.ones(scatter.size), (scatter, np.arange(scatter.size))), shape=(at.size, scatter.size)
    )
    return _levels(source.tree, sparse.csr_array(lift @ chosen), train)


def _levels(tree: Tree, membership: Any, train: Any, name: str = "classes") -> list[Classes]:
    """What the classes of each level do, by counts and by types; only classes with words."""
    used = np.flatnonzero(np.asarray(membership.sum(axis=0)).ravel() > 0)
    found: list[Classes] = []
    for level in LEVELS:
        groups = tree.cut(max(1, round(level * tree.n_clusters)))[used]
        _, numbers = np.unique(groups, return_inverse=True)
        size = int(numbers.max()) + 1
        # Cuts lie within each other: as many classes as before are the same classes.
        if found and size == found[-1].rule.mass.size:
            continue
        table = sparse.csr_array(membership[:, used] @ one_hot(numbers, size))
        for types in (False, True):
            label = f"{name} {table.shape[1]}{', types' if types else ''}"
            counted = types_of(train) if types else train
            found.append(_counted(label, table, counted, types))
    return found


def _counted(name: str, membership: Any, train: Any, types: bool) -> Classes:
    """Classes of words by what their words do, and a little of what all words do.

    Words that are in no class (rows of zeros) are placed by their counts.
    """
    table = dense(membership.T @ train)
    totals = np.asarray(train.sum(axis=0), dtype=np.float64).ravel() + 0.5
    table += PARENT * totals / totals.sum()
    mass = _shares(table.sum(axis=1))
    table /= table.sum(axis=1, keepdims=True)
    rule = Rule("posterior", mass, types=types)
    rows = sparse.csr_array(membership)
    lost = np.asarray(rows.sum(axis=1)).ravel() <= 0
    found = Classes(name, rows, table, rule)
    if lost.any():
        placed = sparse.csr_array(found.placed(train).membership * lost[:, None])
        found = Classes(name, sparse.csr_array(rows + placed), table, rule)
    return found


def _shares(values: Floats) -> Floats:
    total = float(values.sum())
    return values / total if total > 0 else np.full(values.size, 1 / values.size)
