"""Clusters that came to nothing: no word's first choice, or the same as another one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from roget.core.merging import merge
from roget.core.types import Ints
from roget.learn.clustering.memberships import to_dense
from roget.learn.clustering.result import Clustering

SAME = 1e-6
"""Centroids are the same if their squared Hellinger distance is no more."""


def close_gaps(found: Clustering, settle: Callable[[Clustering], Any]) -> Clustering:
    """Put clusters that came to nothing together with those that have their words.

    The tree is closed over the gaps, and masses and memberships are added up; `settle` gives the
    words' memberships in what is left.
    """
    while into := {**_empty(found), **_copies(found)}:
        tree, parts = found.tree, np.arange(found.n_clusters)
        for cluster, other in into.items():
            if parts[cluster] != parts[other]:
                made = merge(tree, tree.leaf(int(parts[cluster])), tree.leaf(int(parts[other])))
                tree, parts = made.tree, made.clusters[parts]
        found = replace(found.join(tree, parts), learnt=None, parts=None)
        found = replace(found, memberships=settle(found))
    return found


def _empty(found: Clustering) -> dict[int, int]:
    """Clusters that are no word's likeliest, and where most of their words' memberships are."""
    sizes = np.bincount(found.labels, minlength=found.n_clusters)
    gone = np.flatnonzero(sizes == 0)
    if not gone.size or not found.labels.size:
        return {}
    shared = to_dense(found.memberships[:, gone].T @ found.memberships)
    shared[np.arange(gone.size), gone] = 0
    shared[:, sizes > 0] += 1e-300  # one that nobody belongs to goes to a cluster with words
    return dict(zip(gone.tolist(), shared.argmax(axis=1).tolist(), strict=True))


def _copies(found: Clustering) -> dict[int, int]:
    """Clusters that have the same centroid as another one, and which."""
    roots = np.sqrt(to_dense(found.centroids))
    # The same centroids are as near to the background, so only neighbours are compared.
    order: Ints = np.argsort(roots @ np.sqrt(found.background), kind="stable")
    return {
        b: a
        for a, b in pairwise(order.tolist())
        if float(np.sum((roots[a] - roots[b]) ** 2)) <= SAME
    }
