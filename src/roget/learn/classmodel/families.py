"""Classes of each kind learnt from a table, at several sizes: name → function(train, seed).

Each is learnt twice: from the counts, and from the types (every pair once). What a word does that
it was not yet seen doing follows the types: that is why Kneser and Ney back off to them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from roget.learn.classmodel.classes import Classes, Floats, Rule, dense, types_of
from roget.learn.classmodel.given import of_comdl, of_tree
from roget.learn.classmodel.nearest import nearest

Family: TypeAlias = Callable[[Any, int], list[Classes]]
View: TypeAlias = Callable[[Any, int, bool], list[Classes]]

SIZES = (2, 5, 10, 20, 50, 100, 200, 400)
NEIGHBOURS = (50, 100, 200)


def sizes(words: int, per_class: int, most: int) -> list[int]:
    """The largest so many numbers of classes, with so many words to a class on average.

    Where words are few, five classes of two are allowed all the same.
    """
    fit = [size for size in SIZES if size * (2 if size <= 5 else per_class) <= words]
    return fit[-most:] or [min(words, SIZES[0])]


def both_views(learn: View) -> Family:
    """Learn from counts and from types, from the words that have any; the others get p(c)."""

    def family(train: Any, seed: int) -> list[Classes]:
        table = sparse.csr_array(train, dtype=np.float64)
        table.eliminate_zeros()
        seen = np.flatnonzero(np.diff(table.indptr))
        if not seen.size:
            return []
        part = table if seen.size == table.shape[0] else table[seen]
        found = []
        for types in (False, True):
            for classes in learn(types_of(part) if types else part, seed, types):
                name = f"{classes.name}{', types' if types else ''}"
                everywhere = _everywhere(classes, seen, table.shape[0])
                found.append(replace(classes, name=name, membership=everywhere))
        return found

    return family


def _everywhere(classes: Classes, seen: Any, words: int) -> Any:
    """Memberships of all words, where those with counts are the ones that were learnt from."""
    if seen.size == words:
        return classes.membership
    at = np.full(words, seen.size)
    at[seen] = np.arange(seen.size)
    if sparse.issparse(classes.membership):
        mass = sparse.csr_array(classes.rule.mass[None, :])
        return sparse.csr_array(sparse.vstack([classes.membership, mass], format="csr")[at])
    return np.vstack([classes.membership, classes.rule.mass])[at]


def _annealed(model: str, rule: str) -> View:
    def learn(train: Any, seed: int, types: bool) -> list[Classes]:
        from roget import catalogue
        from roget.learn.clustering.annealing.walk import Walker

        found = []
        steps = 50 if model == "symmetric" else 20
        named = catalogue.load("clusterers", {"asymmetric": "soft"}.get(model, model))
        walker = Walker(train, named().method, seed=seed, max_iter=steps)
        for beta, point in walker.points(sizes(train.shape[0], 8, 4)):
            membership = dense(point.memberships)
            mass = _mass(membership, train)
            name = f"soft{'-symmetric' if model == 'symmetric' else ''} {point.n_clusters}"
            centroids = np.asarray(point.centroids, dtype=np.float64)
            found.append(_classes(name, membership, centroids, Rule(rule, mass, beta, types)))
        return found

    return learn


def _mdl(train: Any, seed: int, types: bool) -> list[Classes]:
    from roget.learn.clustering.mdl.estimator import MDLTree

    return of_tree(_whole(MDLTree(random_state=seed), train), train, types, "mdl")


def _comdl(train: Any, seed: int, types: bool) -> list[Classes]:
    from roget.learn.clustering.comdl.estimator import CoMDL

    return of_comdl(_whole(CoMDL(random_state=seed), train), types)


def _whole(model: Any, train: Any) -> Any:
    """A model learnt to its end: half of one would give numbers that nobody could have again."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "interrupted")
        model.fit(train)
    if model.interrupted_:
        raise KeyboardInterrupt
    return model


def _nmf(train: Any, seed: int, types: bool) -> list[Classes]:
    from sklearn.decomposition import NMF

    def factors(k: int) -> tuple[Floats, Floats]:
        model = NMF(
            k, beta_loss="kullback-leibler", solver="mu", init="random", max_iter=200,
            random_state=seed,
        )  # fmt: skip
        return model.fit_transform(train), model.components_

    return _factored("nmf", train, factors, types)


def _lda(train: Any, seed: int, types: bool) -> list[Classes]:
    from sklearn.decomposition import LatentDirichletAllocation

    def factors(k: int) -> tuple[Floats, Floats]:
        model = LatentDirichletAllocation(k, random_state=seed)
        rows = model.fit_transform(train)
        # Topics of words are shares of their tokens already, not factors of their counts.
        return rows / np.maximum(model.components_.sum(axis=1), 1e-300), model.components_

    return _factored("lda", train, factors, types)


def _factored(
    name: str, train: Any, factors: Callable[[int], tuple[Floats, Floats]], types: bool
) -> list[Classes]:
    from sklearn.exceptions import ConvergenceWarning

    found = []
    for k in sizes(train.shape[0], 20, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # 200 updates are enough here
            rows, columns = factors(k)
        scale = columns.sum(axis=1)
        used = np.flatnonzero(scale > 0)
        weights = rows[:, used] * scale[used]
        totals = weights.sum(axis=1, keepdims=True)
        mass = weights.sum(axis=0) / max(float(weights.sum()), 1e-300)
        membership = np.where(totals > 0, weights / np.where(totals > 0, totals, 1.0), mass)
        centroids = columns[used] / scale[used, None]
        rule = Rule("fold-in", _mass(membership, train), 1.0, types)
        found.append(_classes(f"{name} {k}", membership, centroids, rule))
    return found


def _nearest(train: Any, seed: int, types: bool) -> list[Classes]:
    return nearest(train, seed, NEIGHBOURS, types)


def _classes(name: str, membership: Floats, centroids: Floats, rule: Rule) -> Classes:
    """Classes whose rows add up to 1 to the last digit."""
    membership = membership / membership.sum(axis=1, keepdims=True)
    return Classes(name, membership, centroids / centroids.sum(axis=1, keepdims=True), rule)


def _mass(membership: Floats, train: Any) -> Floats:
    totals = np.asarray(train.sum(axis=1), dtype=np.float64).ravel()
    mass = totals @ membership
    return np.asarray(mass / mass.sum())


FAMILIES: dict[str, Family] = {
    "soft": both_views(_annealed("asymmetric", "anneal")),
    "soft-symmetric": both_views(_annealed("symmetric", "fold-in")),
    "mdl": both_views(_mdl),
    "comdl": both_views(_comdl),
    "nmf": both_views(_nmf),
    "lda": both_views(_lda),
    "nearest": both_views(_nearest),
}
