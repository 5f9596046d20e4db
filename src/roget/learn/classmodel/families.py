"""Families of classes. A family holds the classes of one method, for several numbers of classes.

Each family is learnt twice: from counts, and from types, where every (word, context) pair counts
once. Types predict unseen contexts better, which is also why Kneser–Ney uses them. The nearest
neighbours of a word, weighted by similarity, are a family too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from roget import catalogue
from roget.core.contents import array
from roget.core.counts.views import ppmi, unit
from roget.core.tree import Tree
from roget.core.types import Array, Floats
from roget.learn.classmodel.classes import ClassCounts, count_types, from_levels, normalise
from roget.learn.clustering.result import Clustering, Rule
from roget.learn.clustering.tokens import unigram

NEIGHBOURS = (50, 100, 200)
DIMENSIONS = 100
POWER = 4
"""Exponent applied to cosines to obtain the weights of neighbours."""

BACKGROUND = 0.05
"""Weight of the unigram distribution. It ensures that every context has a positive probability."""

ROWS = 1 << 10
"""Number of words whose neighbours are computed in one batch."""

View: TypeAlias = Callable[[Any, int], list[ClassCounts]]

SIZES = (2, 5, 10, 20, 50, 100, 200, 400)


def _nearest(train: Any, seed: int) -> list[ClassCounts]:
    """Return predictors from the nearest neighbours of words, one per neighbourhood size.

    Similarity is the cosine of PPMI vectors reduced to 100 dimensions.
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
    words = unit(associations @ projection)
    shares = sparse.csr_array(train / np.maximum(totals, 1e-300)[:, None])
    background = unigram(train)
    # Predict the unigram distribution for words without counts.
    shares = shares + sparse.csr_array((totals == 0)[:, None] * background)
    centroids = sparse.csr_array(sparse.vstack([shares, background[None, :]], format="csr"))
    found, mass = [], np.append(np.zeros(n), 1.0)
    for size in sorted({min(size, n - 1) for size in NEIGHBOURS}):
        rule = NearestWords(size, columns, projection, words)
        near = rule.weigh_nearest(words, same=True)
        made = Clustering(Tree.flat(n + 1), near, centroids, mass, rule=rule)
        found.append(ClassCounts(f"{size} nearest", (made,)))
    return found


@dataclass(frozen=True, eq=False)
class NearestWords(Rule):
    """Rule that places words by their nearest neighbours.

    Every training word is a class, and the last class is the unigram distribution.
    """

    clusterer = "nearest"

    size: int
    columns: Floats = array("iuf", "m", low=0)
    projection: Floats = array("iuf", "m", "d")
    words: Floats = array("iuf", "n", "d")

    def place(self, matrix: Any, leaves: Clustering) -> Any:
        """Return p(c|word) as a csr_array. A word without neighbours goes to the unigram class."""
        totals = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
        vectors = unit(ppmi(matrix, totals, self.columns) @ self.projection)
        return self.weigh_nearest(vectors, same=False)

    def check(self, k: int, m: int) -> None:
        """Raise ValueError if arrays are inconsistent or the number of neighbours is invalid."""
        super().check(k, m)
        if len(self.words) != k - 1:
            raise ValueError(f"'words' has shape {self.words.shape}; expected {k - 1} rows")
        if type(self.size) is not int or not 0 < self.size < k:
            raise ValueError(
                f"'size' is {self.size!r}; expected an integer from 1 to {k - 1}, the "
                "number of words"
            )

    def weigh_nearest(self, vectors: Floats, same: bool) -> Any:
        """Return the weights of the neighbours, and of the unigram class in the last column.

        Set `same` if the rows are the training words themselves. A word is never its own neighbour.
        """
        words, size = self.words, self.size
        parts = []
        for begin in range(0, len(vectors), ROWS):
            near = vectors[begin : begin + ROWS] @ words.T
            rows = np.arange(len(near))
            if same:
                near[rows, begin + rows] = -2.0
            best = np.argpartition(-near, size - 1, axis=1)[:, :size]
            weights = np.maximum(np.take_along_axis(near, best, axis=1), 0.0) ** POWER
            sums = weights.sum(axis=1, keepdims=True)
            weights *= np.where(sums > 0, (1 - BACKGROUND) / np.where(sums > 0, sums, 1.0), 0.0)
            rest = 1.0 - weights.sum(axis=1)
            table = (
                np.append(weights.ravel(), rest),
                (np.append(np.repeat(rows, size), rows),
                 np.append(best.ravel(), np.full(rows.size, len(words)))),
            )  # fmt: skip
            parts.append(sparse.csr_array(table, shape=(rows.size, len(words) + 1)))
        return sparse.csr_array(sparse.vstack(parts, format="csr"))


def sizes(words: int, per_class: int, most: int) -> list[int]:
    """Return the largest numbers in `SIZES` that leave `per_class` words per class.

    Return at most `most` numbers. Up to five classes need only two words each.
    """
    fit = [size for size in SIZES if size * (2 if size <= 5 else per_class) <= words]
    return fit[-most:] or [min(words, SIZES[0])]


def learn_family(name: str, train: Any, seed: int) -> list[ClassCounts]:
    """Learn the classes of a family.

    The family is the name of a clusterer or a key of `FAMILIES`. The classes are learnt once from
    counts and once from types. Words without counts have the memberships p(c).
    """
    learn = FAMILIES[name] if name in FAMILIES else partial(_cluster, name)
    part, seen = _take_seen(train)
    if not seen.size:
        return []
    found = []
    for types in (False, True):
        for one in learn(count_types(part) if types else part, seed):
            label = f"{one.name}{', types' if types else ''}"
            parts = tuple(_fill_words(clusters, seen, train.shape[0]) for clusters in one.parts)
            found.append(replace(one, name=label, parts=parts, types=types))
    return found


def learn_sizes(name: str, train: Any, seed: int, sizes: Sequence[int]) -> list[ClassCounts]:
    """Learn the classes of a clusterer from counts, for each number of classes in `sizes`.

    Words without counts have the memberships p(c). If there are too few words, the result has fewer
    classes than requested.
    """
    kind = catalogue.load("models", name)
    part, seen = _take_seen(train)
    found: dict[int, Clustering] = {}
    if kind.sized_levels:
        levels = kind.learn_levels(part, seed, sorted(set(sizes)))
        found = {one.n_clusters: one for (one,) in levels}
    for size in sizes:
        if size not in found:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found[size] = kind.make(size, random_state=seed).fit(part).clustering_
    return [
        ClassCounts(f"{name} {size}", (normalise(_fill_words(found[size], seen, train.shape[0])),))
        for size in sizes
    ]


def _take_seen(train: Any) -> tuple[Any, Array]:
    """Return the rows of the words with counts, and their indices."""
    table = sparse.csr_array(train, dtype=np.float64)
    table.eliminate_zeros()
    seen = np.flatnonzero(np.diff(table.indptr))
    return (table if seen.size == table.shape[0] else table[seen]), seen


def _fill_words(clustering: Clustering, seen: Any, words: int) -> Clustering:
    """Add the words that were not clustered, with the memberships p(c)."""
    if seen.size == words:
        return clustering
    at = np.full(words, seen.size)
    at[seen] = np.arange(seen.size)
    mass = sparse.csr_array(clustering.mass[None, :] / clustering.mass.sum())
    table = sparse.vstack([clustering.memberships, mass], format="csr")
    return replace(clustering, memberships=sparse.csr_array(table[at]))


def _cluster(name: str, train: Any, seed: int) -> list[ClassCounts]:
    """Learn the classes of a clusterer at several levels."""
    kind = catalogue.load("models", name)
    levels = kind.learn_levels(train, seed, sizes(train.shape[0], 8, 4))
    return from_levels(name, levels, train)


def _nmf(train: Any, seed: int) -> list[ClassCounts]:
    """Learn classes by non-negative matrix factorisation with the Kullback–Leibler loss."""
    from sklearn.decomposition import NMF

    options = {"beta_loss": "kullback-leibler", "solver": "mu", "init": "random", "max_iter": 200}
    return _factor("nmf", train, lambda k: NMF(k, random_state=seed, **options))


def _lda(train: Any, seed: int) -> list[ClassCounts]:
    """Learn classes by latent Dirichlet allocation."""
    from sklearn.decomposition import LatentDirichletAllocation

    return _factor("lda", train, lambda k: LatentDirichletAllocation(k, random_state=seed))


def _factor(name: str, train: Any, make: Callable[[int], Any]) -> list[ClassCounts]:
    """Convert a scikit-learn factorisation to predictors, for several numbers of factors."""
    from sklearn.exceptions import ConvergenceWarning

    from roget.learn.clustering.symmetric.estimator import FoldIn

    totals = np.asarray(train.sum(axis=1), dtype=np.float64).ravel()
    found = []
    for k in sizes(train.shape[0], 20, 3):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # 200 updates are sufficient.
            model = make(k)
            rows, columns = model.fit_transform(train), model.components_
        scale = columns.sum(axis=1)
        if name == "lda":
            # Topic proportions of LDA are already normalised per token. Factors of NMF are not.
            rows = rows / np.maximum(scale, 1e-300)
        used = np.flatnonzero(scale > 0)
        weights = rows[:, used] * scale[used]
        sums = weights.sum(axis=1, keepdims=True)
        mass = weights.sum(axis=0) / max(float(weights.sum()), 1e-300)
        membership = np.where(sums > 0, weights / np.where(sums > 0, sums, 1.0), mass)
        mass = totals @ membership
        # Both models factorise p(n, v) like the symmetric model at β = 1, so they use its placement
        # rule.
        made = Clustering(
            Tree.flat(used.size), membership, columns[used] / scale[used, None], mass / mass.sum(),
            rule=FoldIn(1.0),
        )  # fmt: skip
        found.append(ClassCounts(f"{name} {k}", (normalise(made),)))
    return found


FAMILIES: dict[str, View] = {"nmf": _nmf, "lda": _lda, "nearest": _nearest}
"""Families of classes other than the clusterers in the catalogue."""
