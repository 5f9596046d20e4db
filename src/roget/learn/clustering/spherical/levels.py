"""Build the tree over the classes: optimise each level, and connect the levels by merges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.checkpoints import Pause
from roget.learn.clustering.memberships import merge_labels
from roget.learn.clustering.spherical.moves import compute_centres, move
from roget.learn.representation.vectors import Singles

TOP = 8
"""Number of classes at the top level. Users can survey this number at a glance."""

RATIO = 6
"""Approximate number of subclasses of each class."""


def choose_levels(k: int) -> tuple[int, ...]:
    """Return the number of classes at each level above k classes, followed by k.

    >>> choose_levels(128), choose_levels(75), choose_levels(2500), choose_levels(10)
    ((8, 32, 128), (8, 24, 75), (8, 34, 141, 595, 2500), (10,))
    """
    if k <= 2 * TOP:
        return (k,)
    steps = max(1, math.ceil(math.log(k / TOP) / math.log(RATIO) - 0.2))
    return (*(round(TOP * (k / TOP) ** (at / steps)) for at in range(steps)), k)


def read_levels(given: object, k: int | None) -> tuple[int, ...] | None:
    """Return the requested number of classes at each level.

    Return None if the numbers are to be chosen automatically.
    The last number is the total number of classes.
    """
    if given is None or given == "auto":
        return None
    try:
        sizes = [int(one) for one in (given.split(",") if isinstance(given, str) else given)]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise InputError(
            f"levels={given!r}: expected whole numbers, such as 8,64,512", code="invalid-option"
        ) from None
    if k is not None and (not sizes or sizes[-1] != k):
        sizes.append(k)
    if not sizes or sizes[0] < 1 or any(a >= b for a, b in pairwise(sizes)):
        raise InputError(
            f"levels={given!r}: expected increasing numbers, each at least 1", code="invalid-option"
        )
    return tuple(sizes)


class LevelNode(NamedTuple):
    """A node of a dendrogram: a class, or a merge of two nodes.

    step: number of the level, counted from the finest, at which the nodes were merged.
    height: cost of the merge.
    below: the two merged nodes, or None for a class.
    label: number of the class, or −1 for a merge.
    """

    step: int
    height: float
    below: tuple[LevelNode, LevelNode] | None = None
    label: int = -1


def grow(centres: Singles, sizes: Ints, levels: Sequence[int], pause: Pause) -> tuple[Tree, Ints]:
    """Build the tree over the classes. Return the tree and the node of each class.

    Levels are built from the finest to the coarsest. Classes are merged by Ward's criterion,
    weighted by the square roots of their sizes. Then each item moves to the nearest centre of the
    level. Cutting the tree at the size of a level gives exactly the classes of this level.
    """
    weights = np.sqrt(sizes)
    groups = [LevelNode(0, 0.0, label=at) for at in range(sizes.size)]
    for step, size in enumerate(reversed([one for one in levels if one < sizes.size]), 1):
        # 1. Merge until the level has the requested number of classes, then run k-means on the
        #    centres.
        labels = merge_labels((pair[:2] for pair in merge(centres, weights, size)), len(groups))
        labels = np.unique(move(centres, labels, pause, weights), return_inverse=True)[1]
        # 2. Build the dendrogram within each class of the level.
        inside = [np.flatnonzero(labels == at) for at in range(int(labels.max()) + 1)]
        groups = [_join(centres, weights, rows, groups, step) for rows in inside]
        # 3. The classes of this level are the items of the next one.
        centres = compute_centres(centres, labels, len(groups), weights)
        weights = np.bincount(labels, weights)
    return _number(_join(centres, weights, np.arange(len(groups)), groups, len(levels) + 1))


def merge(centres: Singles, weights: Floats, size: int = 1) -> list[tuple[int, int, float]]:
    """Merge classes by Ward's criterion until `size` are left.

    Return (into, merged, cost) triples.
    """
    n = weights.size
    at, mass = centres.astype(np.float64), weights.astype(np.float64)
    # 1. Compute Ward's cost of merging each pair: w_i·w_j/(w_i + w_j) · ‖x_i − x_j‖².
    squares = np.maximum((at**2).sum(1)[:, None] + (at**2).sum(1)[None, :] - 2 * at @ at.T, 0.0)
    costs = squares * (mass[:, None] * mass[None, :] / (mass[:, None] + mass[None, :]))
    np.fill_diagonal(costs, np.inf)
    best = costs.argmin(axis=1)
    least = costs[np.arange(n), best]
    done = []
    for _ in range(n - size):
        # 2. Merge the cheapest pair, the higher number into the lower.
        i = int(least.argmin())
        j = int(best[i])
        i, j = min(i, j), max(i, j)
        done.append((i, j, float(costs[i, j])))
        # 3. Update the costs of merging the new class with each other class (Lance–Williams).
        total = mass[i] + mass[j] + mass
        new = (
            (mass[i] + mass) * costs[i] + (mass[j] + mass) * costs[j] - mass * costs[i, j]
        ) / total
        new[[i, j]] = np.inf
        mass[i] += mass[j]
        costs[i], costs[:, i] = new, new
        costs[j], costs[:, j] = np.inf, np.inf
        least[j] = np.inf
        # 4. Recompute the nearest neighbour of each class for which it was class i or j. Class i
        # may now be the nearest neighbour of further classes.
        stale = np.flatnonzero((best == i) | (best == j))
        stale = np.union1d(stale[np.isfinite(least[stale])], [i])
        best[stale] = costs[stale].argmin(axis=1)
        least[stale] = costs[stale, best[stale]]
        lower = np.flatnonzero(new < least)
        best[lower], least[lower] = i, new[lower]
    return done


def _join(
    centres: Singles, weights: Floats, rows: Ints, groups: Sequence[LevelNode], step: int
) -> LevelNode:
    """Join several nodes into one. A node is at least as high as its children."""
    here: dict[int, LevelNode] = {at: groups[row] for at, row in enumerate(rows.tolist())}
    for i, j, cost in merge(centres[rows], weights[rows]):
        height = max(cost, here[i].height, here[j].height)
        here[i] = LevelNode(step, height, (here[i], here.pop(j)))
    return here[0]


def _number(root: LevelNode) -> tuple[Tree, Ints]:
    """Assign numbers to the clusters in the order of the splits, highest first.

    Return the tree, and the number of each class.
    """
    waiting, splits = {0: root}, []
    while high := [one for one in waiting.items() if one[1].below is not None]:
        number, node = max(high, key=lambda one: (one[1].step, one[1].height, -one[0]))
        assert node.below is not None
        splits.append((number, node.height))
        waiting[number], waiting[len(splits)] = node.below
    clusters = np.empty(len(waiting), dtype=np.int64)
    for number, node in waiting.items():
        clusters[node.label] = number
    return Tree.from_splits(splits), clusters
