"""Split clusters in two after learning, and assign new words to one of the halves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.core.types import BoolArray, Floats, Ints
from roget.errors import InputError
from roget.learn.representation.vectors import Representation

PRIOR = 1.0
"""Number of pseudo-tokens per context.

They are divided between the halves of a split in proportion to their masses.
"""

MAX_ITERATIONS = 50
"""Maximum number of iterations of two-means clustering, and of power iteration."""


class SplitRule(NamedTuple):
    """A split of a cluster, or of several merged clusters, into two halves, which are called sides.

    The new sides are numbered after all existing clusters.
    """

    clusters: Ints
    centroids: Floats
    """p(context|side) for both sides, with shape (2, contexts)."""
    mass: Floats
    """p(side) for both sides."""

    def share(self, matrix: Any) -> Floats:
        """Return p(second side|word) for words in the clusters that were split.

        By Bayes' rule, p(side|word) is proportional to p(side)·Π p(context|side).
        """
        with np.errstate(divide="ignore"):
            logs = np.log(self.centroids)
        # Bound the logarithm. A context that never occurs on one side is strong evidence, but not
        # infinite evidence.
        logs = np.maximum(logs, -700.0)
        odds = matrix @ (logs[1] - logs[0])
        total = self.mass.sum()
        prior = self.mass / total if total > 0 else np.full(2, 0.5)
        odds = odds + np.log(np.maximum(prior[1], 1e-300)) - np.log(np.maximum(prior[0], 1e-300))
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700.0, 700.0))))


def split_cluster(clusters: Ints, centroid: Floats, mass: float, sides: Floats) -> SplitRule:
    """Split a cluster in two, given the counts of both sides with shape (2, contexts).

    p(side|context) is estimated from these counts and shrunk towards p(side). The mean of the new
    centroids, weighted by mass, is the old centroid.
    """
    # Estimate p(side|v) = (f(side, v) + PRIOR·p(side)) / (f(v) + PRIOR).
    seen = sides.sum(axis=0)
    usual = sides.sum(axis=1) / seen.sum() if seen.sum() > 0 else np.full(2, 0.5)
    shares = (sides + PRIOR * usual[:, None]) / (seen + PRIOR)
    # By Bayes' rule, p(v|side) ∝ p(side|v)·p(v|cluster).
    parts = shares * centroid
    sums = parts.sum(axis=1)
    centroids = np.where(
        sums[:, None] > 0, parts / np.where(sums > 0, sums, 1.0)[:, None], centroid
    )
    whole = sums.sum()
    return SplitRule(clusters, centroids, mass * (sums / whole if whole > 0 else np.full(2, 0.5)))


def apply_splits(placed: Floats, matrix: Any, divisions: Sequence[SplitRule]) -> Floats:
    """Append the two sides of each split as columns of p(cluster|word).

    The columns of clusters that were split become 0.
    """
    for one in divisions:
        whole, second = placed[:, one.clusters].sum(axis=1), one.share(matrix)
        placed[:, one.clusters] = 0
        sides = np.stack([whole * (1 - second), whole * second], 1)
        placed = np.hstack([placed, sides])
    return placed


def bisect(counts: Counts, known: Representation | None, rows: Ints) -> BoolArray:
    """Split words into two clusters and return a mask of the smaller one (the second if tied).

    Spherical two-means starts from the first principal component of the words' vectors, or of
    √p(context|word) if there are no vectors.

    Parameters
    ----------
    counts
        The counts of all words.
    known
        The representation of the words, if the clustering has one.
    rows
        The rows of the words to split.
    """
    table = _get_vectors(counts, known, rows)
    has_vector = np.asarray((table * table).sum(axis=1)).ravel() > 0
    if has_vector.sum() < 2:
        raise InputError(
            "fewer than two words of the class have contexts; specify the words to split off",
            code="edit-refused",
        )
    some = table[has_vector]
    # The sum of n identical unit vectors has length n.
    length = np.linalg.norm(_sum(some, np.ones(some.shape[0], dtype=bool)))
    if not length < some.shape[0] * (1 - 1e-9):
        raise InputError(
            "the words of the class have identical contexts; specify the words to split off",
            code="edit-refused",
        )
    sides = _split_by_variance(some)
    for _ in range(MAX_ITERATIONS):
        means = unit(np.stack([_sum(some, ~sides), _sum(some, sides)]))
        cosines = np.asarray(some @ means.T)
        new = cosines[:, 1] > cosines[:, 0]
        if not new.any() or new.all() or (new == sides).all():
            break
        sides = new
    apart = np.zeros(rows.size, dtype=bool)
    apart[has_vector] = sides if sides.sum() <= (~sides).sum() else ~sides
    return apart


def _get_vectors(counts: Counts, known: Representation | None, rows: Ints) -> Any:
    """Return unit vectors for the rows: learnt vectors, or square roots of relative frequencies."""
    if known is not None:
        at = rows if known.rows is None else known.rows[rows]
        vectors = known.vectors[np.maximum(at, 0)].astype(np.float64)
        vectors[at < 0] = known.embed(counts.matrix[rows[at < 0]])
        return vectors
    part = counts.matrix[rows].astype(np.float64)
    part.data = np.sqrt(part.data)
    return unit(part)


def _split_by_variance(table: Any) -> BoolArray:
    """Return a mask of the words above the mean on the first principal component."""
    size = table.shape[0]
    mean = _sum(table, np.ones(size, dtype=bool)) / size
    # Start from the word that is least similar to the mean, which makes the result deterministic.
    far = int(np.asarray(table @ mean).argmin())
    scores = np.asarray(table @ (_sum(table, np.arange(size) == far) - mean))
    scores = scores - scores.mean()
    # Run power iteration. Subtract the mean within each product, so the matrix stays sparse.
    for _ in range(MAX_ITERATIONS):
        back = np.asarray(table.T @ scores) - mean * scores.sum()
        length = np.linalg.norm(back)
        if not length > 0:
            break
        scores = np.asarray(table @ (back / length))
        scores = scores - scores.mean()
    sides = np.asarray(scores > 0)
    if not sides.any() or sides.all():
        sides = np.arange(size) == far
    return sides


def _sum(table: Any, rows: BoolArray) -> Floats:
    return np.asarray(table.T @ rows.astype(np.float64), dtype=np.float64)
