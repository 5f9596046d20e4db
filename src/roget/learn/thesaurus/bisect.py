"""Halves: the words of a class in two clusters, the same whenever it is asked."""

from __future__ import annotations

from typing import Any

import numpy as np

from roget.core.counts import Counts
from roget.core.counts.views import unit
from roget.core.types import BoolArray, Floats, Ints
from roget.errors import InputError
from roget.learn.representation.vectors import Representation

STEPS = 50
"""How often words change sides, and the first direction is made better, at most."""


def halve(counts: Counts, known: Representation | None, rows: Ints) -> BoolArray:
    """Which of the words of some rows are in the smaller of two clusters; of equals, the second.

    The clusters are two means on the sphere, from the direction in which the words differ most:
    of their vectors, if there are any, else of √p(context|word).
    """
    table = _vectors(counts, known, rows)
    told = np.asarray((table * table).sum(axis=1)).ravel() > 0
    if told.sum() < 2:
        raise InputError("fewer than two words of the class have contexts: name those to split off")
    some = table[told]
    # Rows of length 1 that are all the same add up to one of as many times that length.
    length = np.linalg.norm(_sum(some, np.ones(some.shape[0], dtype=bool)))
    if not length < some.shape[0] * (1 - 1e-9):
        raise InputError("the words of the class are all alike: name those to split off")
    sides = _direction(some)
    for _ in range(STEPS):
        means = unit(np.stack([_sum(some, ~sides), _sum(some, sides)]))
        near = np.asarray(some @ means.T)
        new = near[:, 1] > near[:, 0]
        if not new.any() or new.all() or (new == sides).all():
            break
        sides = new
    apart = np.zeros(rows.size, dtype=bool)
    apart[told] = sides if sides.sum() <= (~sides).sum() else ~sides
    return apart


def _vectors(counts: Counts, known: Representation | None, rows: Ints) -> Any:
    if known is not None:
        at = rows if known.rows is None else known.rows[rows]
        vectors = known.vectors[np.maximum(at, 0)].astype(np.float64)
        vectors[at < 0] = known.embed(counts.matrix[rows[at < 0]])
        return vectors
    part = counts.matrix[rows].astype(np.float64)
    part.data = np.sqrt(part.data)
    return unit(part)


def _direction(table: Any) -> BoolArray:
    """On which side of their mean words are, in the direction in which they differ most."""
    size = table.shape[0]
    mean = _sum(table, np.ones(size, dtype=bool)) / size
    # From the word that is least like the mean, so that chance has no part in it.
    far = int(np.asarray(table @ mean).argmin())
    scores = np.asarray(table @ (_sum(table, np.arange(size) == far) - mean))
    scores = scores - scores.mean()
    for _ in range(STEPS):
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
