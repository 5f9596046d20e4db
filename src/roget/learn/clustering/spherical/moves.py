"""Spherical k-means of unit vectors: initial classes by Ward linkage, then moves."""

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
"""Minimum number of vectors for Ward linkage, whose distances need quadratic memory."""

MOST = 12000
"""Maximum number, for any number of classes."""

ROUNDS = 60
"""Maximum number of rounds; most words stop moving after twenty."""


def start(vectors: Singles, k: int, order: Ints) -> Ints:
    """Return k initial classes: Ward linkage of the first vectors in `order`, then the nearest."""
    from scipy.cluster.hierarchy import fcluster, linkage

    first = order[: min(max(START, 4 * k), max(MOST, k))]
    if k >= first.size:
        labels = np.arange(first.size)
    else:
        labels = fcluster(linkage(_distances(vectors[first]), "ward"), k, "maxclust") - 1
        labels = labels.astype(np.int64)
    if first.size == vectors.shape[0]:
        found = np.empty(first.size, dtype=np.int64)
        found[first] = labels
        return found
    return nearest(vectors, compute_centres(vectors[first], labels, int(labels.max()) + 1))[0]


def _distances(vectors: Singles) -> Floats:
    """Return the condensed distances of unit vectors for `linkage`: √(2 − 2·cosine)."""
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
    """Move every vector to the nearest centre until none moves; return the labels.

    A class that would become empty takes the vector farthest from its own centre.
    """
    k = int(labels.max()) + 1
    for _ in range(ROUNDS):
        pause()
        new, cosines = nearest(vectors, compute_centres(vectors, labels, k, weights))
        for gone in np.flatnonzero(np.bincount(new, minlength=k) == 0):
            # Vectors alone in their class stay, or they would leave another class empty.
            alone = np.bincount(new, minlength=k)[new] == 1
            far = int(np.argmin(np.where(alone, np.inf, cosines)))
            new[far], cosines[far] = gone, np.inf
        if np.array_equal(new, labels):
            break
        labels = new
    return labels


def compute_centres(vectors: Singles, labels: Ints, k: int, weights: Any = None) -> Singles:
    """Return the normalised sum of the vectors of each class, optionally weighted."""
    members = sparse.csr_array(one_hot(labels, k).T, dtype=np.float32)
    if weights is not None:
        members.data *= weights[members.indices]
    return np.asarray(unit(members @ vectors), dtype=np.float32)


def nearest(vectors: Singles, centres: Singles) -> tuple[Ints, Floats]:
    """Return the nearest centre of each vector and its cosine."""
    labels = np.empty(vectors.shape[0], dtype=np.int64)
    cosines = np.empty(vectors.shape[0])
    for begin in range(0, labels.size, BLOCK):
        table = vectors[begin : begin + BLOCK] @ centres.T
        here = table.argmax(axis=1)
        labels[begin : begin + BLOCK] = here
        cosines[begin : begin + BLOCK] = np.take_along_axis(table, here[:, None], 1).ravel()
    return labels, cosines


def measure_fit(vectors: Singles, labels: Ints, k: int) -> tuple[Floats, Floats]:
    """Return each vector's cosine with the rest of its class, and with the nearest other class.

    A vector alone in its class has no rest; its first cosine is −1.
    """
    members = sparse.csr_array(one_hot(labels, k).T, dtype=np.float32)
    sums = np.asarray(members @ vectors)
    centres = unit(sums)
    own, others = np.empty(labels.size), np.empty(labels.size)
    for begin in range(0, labels.size, BLOCK):
        part, here = vectors[begin : begin + BLOCK], labels[begin : begin + BLOCK]
        # The centre of the class without the vector itself.
        rest = sums[here] - part
        lengths = np.linalg.norm(rest, axis=1)
        products = np.einsum("ij,ij->i", part, rest)
        own[begin : begin + BLOCK] = np.where(
            lengths > 1e-4, products / np.maximum(lengths, 1e-4), -1
        )
        table = part @ centres.T
        table[np.arange(here.size), here] = -1
        others[begin : begin + BLOCK] = table.max(axis=1)
    return own, others
