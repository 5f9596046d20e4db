"""From found classes to one: the merges that lengthen the description least, as trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaln

from roget.core.tree import Tree
from roget.core.types import Floats, Ints
from roget.learn.clustering.comdl.criterion import Length, Table, length, members
from roget.learn.clustering.comdl.search import Classes, agglomerate


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Classes of both sides, numbered as the splits of their trees make them."""

    labels: tuple[Ints, Ints]
    trees: tuple[Tree, Tree]
    path: list[dict[str, Any]]
    length: Length
    a: float
    b: float


def build(table: Table, classes: Classes, *, shorten: bool = True) -> Hierarchy:
    """Merge all classes of both sides, and read the merges backwards, as splits.

    With `shorten`, what lies on the way with a shorter description takes the classes' place.
    """
    classes = replace(classes, labels=[_in_order(part) for part in classes.labels])
    pairs, added = agglomerate(table, classes, 1, 1)
    first = _shortest(added) if shorten else 0
    into = [np.arange(k) for k in classes.k]
    for side, one, two in pairs[:first].tolist():
        into[side][into[side] == two] = one
    splits, saved = pairs[first:][::-1].tolist(), added[first:][::-1].tolist()
    numbers = [{0: 0}, {0: 0}]
    for side, _, two in splits:
        numbers[side][two] = len(numbers[side])
    labels = []
    for side in (0, 1):
        number = np.array([numbers[side][c] for c in into[side].tolist()], dtype=np.int64)
        labels.append(number[classes.labels[side]])
    named = [(side, numbers[side][one], numbers[side][two]) for side, one, two in splits]
    trees = [
        Tree.of_splits(
            (one, gain) for (s, one, _), gain in zip(named, saved, strict=True) if s == side
        )
        for side in (0, 1)
    ]
    whole = length(table, labels[0], labels[1], classes.a, classes.b)
    path = _path(table, labels, named, saved, whole)
    found = (labels[0], labels[1]), (trees[0], trees[1])
    return Hierarchy(*found, path, whole, classes.a, classes.b)


def _in_order(labels: Ints) -> Ints:
    """The same classes, numbered as they come."""
    _, first, places = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[places])


def _shortest(added: Floats) -> int:
    """After how many merges the length is shortest."""
    sums = np.cumsum(added)
    last = int(np.argmin(sums)) if sums.size else 0
    return last + 1 if sums.size and sums[last] < 0 else 0


def _path(
    table: Table, labels: list[Ints], splits: list[tuple[int, int, int]], saved: list[float],
    whole: Length,
) -> list[dict[str, Any]]:  # fmt: skip
    """One row for each split, from one class to all; lengths are those after the split."""
    k = [int(part.max()) + 1 for part in labels]
    sizes = [
        members(side, part, n)[0].tolist()
        for side, part, n in zip(table.sides, labels, k, strict=True)
    ]
    total, model = whole.total, whole.partition
    rows: list[dict[str, Any]] = []
    for step in range(len(splits), 0, -1):
        side, one, two = splits[step - 1]
        rows.append(
            {
                "step": step,
                "side": ("rows", "columns")[side],
                "parent": one,
                "n_clusters": k[0],
                "n_column_clusters": k[1],
                "model": model,
                "data": total - model,
                "description_length": total,
                "saved": saved[step - 1],
            }
        )
        partition, n, m = table.sides[side].partition, sizes[side][one], sizes[side][two]
        model += float(partition[k[side] - 1] - partition[k[side]])
        if table.sized:
            model -= float(gammaln(n + m + 1) - gammaln(n + 1) - gammaln(m + 1))
        total += saved[step - 1]
        sizes[side][one] += m
        k[side] -= 1
    return rows[::-1]
