"""Two twins in the place of a cluster: how they part, and whether they have become one again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from roget.core.information import xlogx
from roget.core.types import Array, Floats
from roget.learn.clustering.annealing.data import Data
from roget.learn.clustering.soft import kernels
from roget.learn.clustering.soft.instability import Instability

PARTED = 0.05
"""Twins have parted if some words' shares of them differ by as much."""

SAME = 1e-3
"""Centroids are the same if their logarithms differ by less on average."""


@dataclass(frozen=True, eq=False)
class Twins:
    """Twins that have parted; the first is the heavier one."""

    share: Floats
    """The first one's part of each word of the parent."""
    mass: float
    """The mass of the second."""
    gain: float
    """By how much the distortion falls."""
    entropy: float
    """By how much the entropy of memberships rises."""


def part(data: Data, found: Instability, beta: float, floor: Floats) -> Twins | None:
    """The twins of a cluster, started along its instability; None if they do not part."""
    share = 1.0 / (1.0 + np.exp(np.clip(-2.0 * found.scores, -30, 30)))
    sums = np.zeros((2, data.n_contexts))
    one = kernels.twins(found.words, found.weights, data.rows, float(beta), floor, share, sums)
    first, second = sums
    total = float(np.sum(found.weights))
    if share.max() - share.min() < PARTED or not 1e-9 * total < one < total * (1 - 1e-9):
        return None
    if one < total / 2:
        share, first, second = 1.0 - share, second, first
    gain = _weighted_entropy(first + second) - _weighted_entropy(first) - _weighted_entropy(second)
    inner = found.weights * (xlogx(share) + xlogx(1.0 - share))
    mass = float(np.sum(found.weights * (1.0 - share)))
    return Twins(share, mass, gain, -float(np.sum(inner)))


def alike(logs: Array, background: Floats, one: int, other: int) -> bool:
    """Whether two clusters, columns of log p(v|c), have the same centroid."""
    return float(np.sum(background * np.abs(logs[:, one] - logs[:, other]))) < SAME


def copies(logs: Array, background: Floats) -> dict[int, int]:
    """Clusters that have the same centroid as another one, and which."""
    # The same centroids have the same mean logarithm, so only neighbours are compared.
    means = np.sum(background[:, None] * logs, axis=0)
    order = np.argsort(means, kind="stable").tolist()
    return {
        b: a
        for a, b in pairwise(order)
        if means[b] - means[a] < SAME and alike(logs, background, a, b)
    }


def _weighted_entropy(sums: Floats) -> float:
    """Σ sums times the entropy of sums, normalised."""
    total = float(np.sum(sums))
    return total * math.log(total) - float(np.sum(xlogx(sums))) if total > 0 else 0.0
