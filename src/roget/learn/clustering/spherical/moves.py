"""Spherical k-means of unit vectors, with initial classes computed by Ward linkage.

Spherical k-means maximises Σ_i x_i·c(i), where c(i) is the centre of the class of vector x_i. It
alternates two steps: centres are set to the normalised sums of their vectors, and vectors move to
the centre with the highest cosine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts.views import unit
from roget.core.types import Floats, Ints
from roget.learn.clustering.checkpoints import Pause
from roget.learn.clustering.memberships import one_hot
from roget.learn.representation.vectors import BLOCK, Singles

START = 6000
"""Minimum number of vectors in the sample for Ward linkage, which needs quadratic memory.

With many classes, the sample has four vectors per class.
"""

MAX_SAMPLE = 12000
"""Maximum number of vectors in the sample for Ward linkage, unless there are more classes."""

ROUNDS = 60
"""Maximum number of k-means iterations. Most vectors stop moving after 20."""


def start(vectors: Singles, k: int, order: Ints) -> Ints:
    """Return k initial classes, from Ward linkage of the first vectors in `order`.

    The remaining vectors join the nearest class.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    # 1. Choose the vectors for Ward linkage: four per class, at least START, and at most MAX_SAMPLE
    # or k.
    first = order[: min(max(START, 4 * k), max(MAX_SAMPLE, k))]
    # 2. Cut the dendrogram at k classes.
    if k >= first.size:
        labels = np.arange(first.size)
    else:
        labels = fcluster(linkage(_compute_distances(vectors[first]), "ward"), k, "maxclust") - 1
        labels = labels.astype(np.int64)
    # 3. Restore the original order, or assign all vectors to the nearest centre.
    if first.size == vectors.shape[0]:
        found = np.empty(first.size, dtype=np.int64)
        found[first] = labels
        return found
    return nearest(vectors, compute_centres(vectors[first], labels, int(labels.max()) + 1))[0]


def _compute_distances(vectors: Singles) -> Floats:
    """Return all pairwise distances ‖x − y‖ = √(2 − 2·cosine), as a condensed matrix."""
    n = vectors.shape[0]
    found = np.empty(n * (n - 1) // 2)
    begin = 0
    for at in range(0, n, BLOCK):
        table = vectors[at : at + BLOCK] @ vectors[at:].T
        for row in range(table.shape[0]):
            line = table[row, row + 1 :]
            found[begin : begin + line.size] = line
            begin += line.size
    return np.asarray(np.sqrt(np.maximum(2 - 2 * found, 0)))


def move(vectors: Singles, labels: Ints, pause: Pause, weights: Any = None) -> Ints:
    """Run spherical k-means until no vector moves, and return the labels.

    If a class would become empty, it gets the vector with the lowest cosine to its centre.
    """
    k = int(labels.max()) + 1
    for _ in range(ROUNDS):
        pause()
        # 1. Compute the centres, and assign each vector to the nearest one.
        new, cosines = nearest(vectors, compute_centres(vectors, labels, k, weights))
        # 2. Fill empty classes with vectors from other classes, but do not empty those.
        for gone in np.flatnonzero(np.bincount(new, minlength=k) == 0):
            alone = np.bincount(new, minlength=k)[new] == 1
            far = int(np.argmin(np.where(alone, np.inf, cosines)))
            new[far], cosines[far] = gone, np.inf
        # 3. Stop if nothing has changed.
        if np.array_equal(new, labels):
            break
        labels = new
    return labels


def compute_centres(vectors: Singles, labels: Ints, k: int, weights: Any = None) -> Singles:
    """Return the centre of each class: the normalised (weighted) sum of its vectors."""
    members = sparse.csr_array(one_hot(labels, k).T, dtype=np.float32)
    if weights is not None:
        members.data *= weights[members.indices]
    return np.asarray(unit(members @ vectors), dtype=np.float32)


def nearest(vectors: Singles, centres: Singles) -> tuple[Ints, Floats]:
    """Return the index of each vector's nearest centre, and the cosine between the two."""
    labels = np.empty(vectors.shape[0], dtype=np.int64)
    cosines = np.empty(vectors.shape[0])
    for begin in range(0, labels.size, BLOCK):
        table = vectors[begin : begin + BLOCK] @ centres.T
        here = table.argmax(axis=1)
        labels[begin : begin + BLOCK] = here
        cosines[begin : begin + BLOCK] = np.take_along_axis(table, here[:, None], 1).ravel()
    return labels, cosines


def measure_fit(vectors: Singles, labels: Ints, k: int) -> tuple[Floats, Floats]:
    """Return the cosine of each vector with the rest of its class and with the nearest other class.

    The vector itself is not part of the rest. If it is alone in its class, the first cosine is −1.
    """
    members = sparse.csr_array(one_hot(labels, k).T, dtype=np.float32)
    sums = np.asarray(members @ vectors)
    centres = unit(sums)
    own, others = np.empty(labels.size), np.empty(labels.size)
    for begin in range(0, labels.size, BLOCK):
        part, here = vectors[begin : begin + BLOCK], labels[begin : begin + BLOCK]
        # Compute the cosine with the sum of the other vectors in the class.
        rest = sums[here] - part
        lengths = np.linalg.norm(rest, axis=1)
        products = np.einsum("ij,ij->i", part, rest)
        own[begin : begin + BLOCK] = np.where(
            lengths > 1e-4, products / np.maximum(lengths, 1e-4), -1
        )
        # Compute the highest cosine with the centre of another class.
        table = part @ centres.T
        table[np.arange(here.size), here] = -1
        others[begin : begin + BLOCK] = table.max(axis=1)
    return own, others
