"""The words nearest to a word: by their classes, by their counts, or by both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import entr

from roget.errors import InputError, UnknownName
from roget.learn.thesaurus.places import parts

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

OWN = 0.5
"""How much a word's own counts weigh, beside its classes, where words are compared by both."""

WAYS = {"both": OWN, "classes": 0.0, "counts": 1.0}

ROUNDING = 1e-12

FEW = 48
"""Groups of contexts by which all words are compared."""

FIRST = 64
"""Words that are compared in full at first; then twice as many, and so on."""


def grouped(centroids: Any, mass: Floats, own: Any, rank: Any) -> list[tuple[Floats, Any]]:
    """Centroids and words over few groups of contexts, then over as many as there are owners.

    A context is owned by the cluster that it is most in; `rank` orders the clusters such that
    those near each other in the tree, whose contexts are put together first, are neighbours.
    """
    owner = np.argmax(centroids * mass[:, None], axis=0)
    owners, fine = np.unique(np.asarray(rank)[owner], return_inverse=True)
    levels = [fine] if owners.size <= FEW else [fine * FEW // owners.size, fine]
    found = []
    for group in levels:
        at = np.arange(group.size), group
        shape = group.size, int(group.max(initial=0)) + 1
        table = sparse.csr_array((np.ones(group.size), at), shape=shape)
        found.append((np.asarray(centroids @ table), own @ table))
    return found


class Profiles:
    """What is known of each word, as a distribution over contexts, ready to be compared."""

    def __init__(
        self,
        seen: npt.NDArray[np.bool_],
        own: Any,
        memberships: Any,
        centroids: Any,
        groups: list[tuple[Floats, Any]],
    ) -> None:
        self._seen, self._own = seen, own
        self._memberships, self._centroids, self._grouped = memberships, centroids, groups

    def nearest(self, row: int, n: int, by: str = "both") -> tuple[Rows, Floats]:
        """The n rows whose profiles diverge least from one, and how much; equals by number."""
        if by not in WAYS:
            raise UnknownName("way to compare words", by, WAYS)
        if n < 1:
            raise InputError(f"{n} neighbours: expected 1 or more")
        if by == "counts":
            return self._by_counts(row, n)
        own = WAYS[by]
        # Groups of contexts tell words apart no better than contexts do, so this is a lower bound.
        bound = self._divergences(row, *self._grouped[0], np.arange(self._seen.size), own)
        bound[row] = math.inf
        order = np.argsort(bound, kind="stable")[: self._seen.size - 1]
        rows, distances = np.empty(0, dtype=np.intp), np.empty(0)
        begin, step = 0, max(n, FIRST)
        while begin < order.size:
            part = order[begin : begin + step]
            if rows.size == n and bound[part[0]] > distances[-1] + ROUNDING:
                break
            begin, step = begin + step, step * 2
            for level in self._grouped[1:] if rows.size == n else ():
                part = part[bound[part] <= distances[-1] + ROUNDING]
                bound[part] = self._divergences(row, *level, part, own)
            if rows.size == n:
                part = part[bound[part] <= distances[-1] + ROUNDING]
            rows = np.concatenate([rows, part])
            new = self._divergences(row, self._centroids, self._own, part, own)
            distances = np.concatenate([distances, new])
            best = np.lexsort((rows, distances))[:n]
            rows, distances = rows[best], distances[best]
        return rows, distances

    def _divergences(self, row: int, centroids: Any, own: Any, rows: Rows, share: float) -> Floats:
        """Jensen–Shannon divergence of one word from some."""
        out = np.empty(rows.size)
        mine = self._of(np.array([row]), centroids, own, share)[0]
        spread = entr(mine).sum()
        for part in parts(rows.size, centroids.shape[1]):
            theirs = self._of(rows[part], centroids, own, share)
            middle = entr((theirs + mine) / 2).sum(axis=1)
            out[part] = middle - (spread + entr(theirs).sum(axis=1)) / 2
        return np.maximum(out, 0.0)

    def _of(self, rows: Rows, centroids: Any, own: Any, share: float) -> Floats:
        """What is known of words: by their classes, and by their counts if they have any."""
        by_class = np.asarray(self._memberships[rows] @ centroids, dtype=np.float64)
        if not share:
            return by_class
        weight = np.where(self._seen[rows], share, 0.0)[:, None]
        return np.asarray((1 - weight) * by_class + weight * own[rows].toarray())

    def _by_counts(self, row: int, n: int) -> tuple[Rows, Floats]:
        """By counts alone, where only contexts that both words have need to be looked at.

        JS(p, q) = log 2 + ½ Σ [p log p/(p+q) + q log q/(p+q)], over those contexts; elsewhere the
        sum comes to −log 2 on each side for all of the probability.
        """
        if not self._seen[row]:
            raise InputError("a word that was never seen cannot be compared by its counts")
        begin, end = self._own.indptr[row : row + 2]
        columns, mine = self._own.indices[begin:end], self._own.data[begin:end]
        shared = self._own[:, columns].tocoo()
        p, q = mine[shared.col], shared.data
        both = p + q
        gain = (p * np.log(2 * p / both) + q * np.log(2 * q / both) - (p + q) * math.log(2)) / 2
        out = math.log(2) + np.bincount(shared.row, gain, minlength=self._seen.size)
        found = np.flatnonzero(self._seen)
        found = found[found != row]
        distances = np.maximum(out[found], 0.0)
        best = np.lexsort((found, distances))[:n]
        return found[best], distances[best]
