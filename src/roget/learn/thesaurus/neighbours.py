"""The words nearest to a word: by their classes, by their counts, or by both.

All words are looked at, but few of them context by context. Groups of contexts tell words apart no
better than contexts do, and JS(p, q) ≥ log 2 · ½ Σ (√p − √q)², term by term: both bound the
distance from below. What two such bounds leave is compared in single precision, and the nearest in
double; distances in single precision are allowed to be wrong by more than they can be.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.errors import InputError, UnknownName
from roget.learn.thesaurus.places import parts

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

OWN = 0.5
"""How much a word's own counts weigh, beside its classes, where words are compared by both."""

WAYS = {"both": OWN, "classes": 0.0, "counts": 1.0}

ALONE = 64
"""Contexts that are a group each: the commonest of all, and then those of the word looked up."""

FEW = 64
"""Groups of the other contexts, at most."""

LIKELY = 256
"""Words, beside as many as are wanted, among which the nearest are guessed at first."""

FIRST = 16
"""Words that are compared in full at first; then twice as many, and so on."""

TINY = 1e-37


class Neighbours:
    """Words by p(context|word), as far as it is known: of their own counts and of their classes.

    `rank` orders the clusters such that those near each other in the tree are neighbours.
    """

    def __init__(
        self, own: Any, memberships: Any, centroids: Any, mass: Floats, rank: npt.ArrayLike
    ) -> None:
        self._own, self._memberships = sparse.csr_array(own), sparse.csr_array(memberships)
        self._centroids, self._group = centroids, group_contexts(centroids, mass, rank)
        self._seen = np.asarray(self._own.sum(axis=1)).ravel() > 0
        self._profiles = cache(self._weigh)

    def nearest(self, row: int, n: int, by: str = "both") -> tuple[Rows, Floats]:
        """The n rows whose profiles diverge least from one, and how much; equals by number."""
        if by not in WAYS:
            raise UnknownName("way to compare words", by, WAYS)
        if n < 1:
            raise InputError(f"{n} neighbours: expected 1 or more")
        return self._by_counts(row, n) if by == "counts" else self._profiles(by).nearest(row, n)

    def _weigh(self, by: str) -> Profiles:
        """Profiles in which counts weigh as asked, of words that have any."""
        weight = np.where(self._seen, WAYS[by], 0.0)
        own, memberships = self._own.copy(), self._memberships.copy()
        own.data = own.data * np.repeat(weight, np.diff(own.indptr))
        memberships.data *= np.repeat(1 - weight, np.diff(memberships.indptr))
        return Profiles(own, memberships, self._centroids, self._group)

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


class Profiles:
    """Distributions over contexts: `own` + `memberships` @ `centroids`, ready to be compared."""

    def __init__(self, own: Any, memberships: Any, centroids: Any, group: Rows) -> None:
        self._exact = own, memberships, centroids
        # Whole rows of centroids are added up, so that they have to lie one after another.
        rows = np.ascontiguousarray(centroids, dtype=np.float32)
        self._light = own.astype(np.float32), memberships.astype(np.float32), rows
        ones = np.ones(group.size, dtype=np.float32), (np.arange(group.size), group)
        self._table = sparse.csr_array(ones, shape=(group.size, int(group.max(initial=0)) + 1))
        summed = (self._light[1] @ (rows @ self._table)) + (self._light[0] @ self._table).toarray()
        self._roots, self._sums = np.sqrt(summed), summed.sum(axis=1)
        # Sums of so many terms, each rounded by 2⁻²⁴, under a logarithm that may be steep.
        most = int(np.diff(memberships.indptr).max(initial=0))
        self._slack = 2.0**-20 * (most + 2 * (ALONE + FEW))

    def nearest(self, row: int, n: int) -> tuple[Rows, Floats]:
        """The n rows that diverge least from one, and how much; equals by number."""
        (mine,) = fill_in(np.array([row]), *self._light)
        rows, bound, found = self._select(row, n, mine)
        step = FIRST
        while (begin := found.size) < rows.size:
            new = compare(mine, rows[begin : begin + step], *self._light)
            found, step = np.concatenate([found, new]), step * 2
            rows = rows[: max(found.size, np.searchsorted(bound, self._reach(found, n), "right"))]
        rows = rows[found <= self._reach(found, n)]
        distances = compare(fill_in(np.array([row]), *self._exact)[0], rows, *self._exact)
        best = np.lexsort((rows, distances))[:n]
        return rows[best], distances[best]

    def _select(self, row: int, n: int, mine: Any) -> tuple[Rows, Floats, Floats]:
        """The rows that may be among the n nearest, in order of a bound; distances of the first."""
        # Not by BLAS: on a busy machine its threads wait for each other longer than this takes.
        alike = np.einsum("ij,j->i", self._roots, self._roots[row])
        bound = math.log(2) * ((self._sums + self._sums[row]) / 2 - alike)
        bound[row] = math.inf
        first, distances = np.empty(0, dtype=np.intp), np.empty(0)
        if n + LIKELY < bound.size:
            likely = np.argpartition(bound, n + LIKELY)[: n + LIKELY]
            second = self._bound(row, likely, mine)
            first = likely[np.argpartition(second, n - 1)[:n]]
            distances = compare(mine, first, *self._light)
            bound[first] = math.inf
        rows = np.flatnonzero(bound < self._reach(distances, n))
        second = self._bound(row, rows, mine)
        order = np.argsort(second, kind="stable")
        lowest = np.full(first.size, -math.inf)
        return np.append(first, rows[order]), np.append(lowest, second[order]), distances

    def _bound(self, row: int, rows: Rows, mine: Any) -> Floats:
        """The divergence over groups, the likeliest contexts of one word set apart from them."""
        own, memberships, centroids = self._light
        alone, both = np.argsort(-mine, kind="stable")[:ALONE], np.append(rows, row)
        single = memberships[both] @ centroids[:, alone] + own[both][:, alone].toarray()
        rest = self._roots[both] ** 2 - single @ self._table[alone]
        table = np.hstack([single, np.maximum(rest, 0)])
        return np.asarray(divergence(table[:-1], table[-1]))

    def _reach(self, found: Floats, n: int) -> float:
        """How far the n-th nearest may be, by distances that are off by the slack at most."""
        if found.size < n:
            return math.inf
        return float(np.partition(found, n - 1)[n - 1]) + 2 * self._slack


def group_contexts(centroids: Any, mass: Floats, rank: npt.ArrayLike) -> Rows:
    """The group of each context: its own if it is common, else one with others of its owner.

    A context is owned by the cluster that it is most in; contexts of clusters that are near each
    other by their rank are put together first.
    """
    joint = centroids * mass[:, None]
    _, owner = np.unique(np.asarray(rank)[np.argmax(joint, axis=0)], return_inverse=True)
    owners = int(owner.max(initial=0)) + 1
    group = owner * min(FEW, owners) // owners
    common = np.argsort(-joint.sum(axis=0), kind="stable")[:ALONE]
    group[common] = FEW + np.arange(common.size)
    return np.asarray(np.unique(group, return_inverse=True)[1])


def fill_in(rows: Rows, own: Any, memberships: Any, centroids: Any) -> Any:
    """Profiles of some words, context by context."""
    belongs, counted = memberships[rows], own[rows]
    if centroids.dtype != own.dtype:
        # Only the classes that matter: all of them would take longer to convert than this.
        used = np.unique(belongs.indices)
        belongs, centroids = belongs[:, used], centroids[used].astype(own.dtype)
    known = belongs @ centroids
    known[np.repeat(np.arange(rows.size), np.diff(counted.indptr)), counted.indices] += counted.data
    return known


def compare(mine: Any, rows: Rows, *known: Any) -> Floats:
    """The divergence of one profile from those of some words."""
    out = np.empty(rows.size)
    for part in parts(rows.size, mine.size):
        out[part] = divergence(fill_in(rows[part], *known), mine)
    return out


def divergence(table: Any, mine: Any) -> Any:
    """Jensen–Shannon divergence of each row of a table from one distribution."""
    middle = information((table + mine) / 2)
    return np.maximum((information(table) + information(mine[None])) / 2 - middle, 0)


def information(table: Any) -> Any:
    """Σ p log p of each row."""
    logs = np.log(table + table.dtype.type(TINY))
    logs *= table
    return logs.sum(axis=1)
