"""Split clusters in two after learning, with a rule that assigns new words to one of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from roget.core.types import Floats, Ints

PRIOR = 1.0
"""Number of pseudo-tokens added per context, divided between the two sides of a split in proportion
to p(side)."""


class SplitRule(NamedTuple):
    """A split of a cluster, or of several clusters that were merged, into two parts called sides.

    The sides are numbered after all existing clusters.
    """

    clusters: Ints
    centroids: Floats
    """p(context|side), as an array of shape (2, contexts)."""
    mass: Floats
    """p(side) for the two sides of the split."""

    def share(self, matrix: Any) -> Floats:
        """Return p(second side|word) for words in the split clusters.

        By Bayes' rule, p(side|word) is proportional to p(side)·Π p(context|side).
        """
        with np.errstate(divide="ignore"):
            logs = np.log(self.centroids)
        # Bound the logarithm, so a context that is impossible on one side gives only finite
        # evidence.
        logs = np.maximum(logs, -700.0)
        odds = matrix @ (logs[1] - logs[0])
        total = self.mass.sum()
        prior = self.mass / total if total > 0 else np.full(2, 0.5)
        odds = odds + np.log(np.maximum(prior[1], 1e-300)) - np.log(np.maximum(prior[0], 1e-300))
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700.0, 700.0))))


def split_cluster(clusters: Ints, centroid: Floats, mass: float, sides: Floats) -> SplitRule:
    """Split a cluster in two, given the counts of both sides as an array of shape (2, contexts).

    p(side|context) is estimated from these counts and shrunk towards p(side). The mean of the two
    new centroids, weighted by mass, is the original centroid.
    """
    # p(side|v) = (f(side, v) + PRIOR·p(side)) / (f(v) + PRIOR).
    seen = sides.sum(axis=0)
    usual = sides.sum(axis=1) / seen.sum() if seen.sum() > 0 else np.full(2, 0.5)
    shares = (sides + PRIOR * usual[:, None]) / (seen + PRIOR)
    # p(v|side) ∝ p(side|v)·p(v|cluster).
    parts = shares * centroid
    sums = parts.sum(axis=1)
    centroids = np.where(
        sums[:, None] > 0, parts / np.where(sums > 0, sums, 1.0)[:, None], centroid
    )
    whole = sums.sum()
    return SplitRule(clusters, centroids, mass * (sums / whole if whole > 0 else np.full(2, 0.5)))


def apply_splits(placed: Floats, matrix: Any, divisions: Sequence[SplitRule]) -> Floats:
    """Append the two sides of each split as columns of p(cluster|word).

    The columns of split clusters are set to 0.
    """
    for one in divisions:
        whole, second = placed[:, one.clusters].sum(axis=1), one.share(matrix)
        placed[:, one.clusters] = 0
        sides = np.stack([whole * (1 - second), whole * second], 1)
        placed = np.hstack([placed, sides])
    return placed
