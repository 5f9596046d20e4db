"""Index: a thesaurus laid out so that any class or word is answered at once."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from roget.core.information import xlogx
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus
from roget.learn.thesaurus.places import layout_of

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


KEPT = 64
"""Centroids that are kept."""


class Listed(NamedTuple):
    """A word of a class, by its row: distance from the centroid (nats) and p(class|word)."""

    row: int
    distance: float
    probability: float


class Telling(NamedTuple):
    """A context of a class or word: how often or how probable, and log p(here)/p(anywhere)."""

    context: str
    amount: float
    lift: float


class Index:
    """Words in the order of the leaves they have their place in, so that a class is a slice.

    What `Thesaurus.word_class` gathers anew for every class is then one pass over the class.
    """

    def __init__(self, thesaurus: Thesaurus) -> None:
        self.thesaurus = thesaurus
        self.tree = thesaurus.tree
        self._kept: dict[int, Floats] = {}
        self._lay_out()
        own = thesaurus.counts.conditional()[self.order]
        self._own = sparse.csr_array(own, dtype=np.float64)
        self._own.sort_indices()
        self._unseen = np.asarray(thesaurus.counts.word_totals[self.order] <= 0)
        terms = sparse.csr_array((xlogx(self._own.data), self._own.indices, self._own.indptr))
        self._information = np.asarray(terms.sum(axis=1)).ravel()

    def _lay_out(self) -> None:
        tree, thesaurus = self.tree, self.thesaurus
        laid = layout_of(tree)
        leaves, first, last = laid.leaves, laid.first, laid.last
        place = first[thesaurus.places]
        self.order: Ints = np.argsort(place, kind="stable")
        at = place[self.order]
        self._leaf_first, self._leaf_last = first, last
        self.begin: Ints = np.searchsorted(at, first)
        self.end: Ints = np.searchsorted(at, last)
        clusters = tree.cluster[leaves]
        self._mass = thesaurus.mass[clusters]
        self._centroids = thesaurus.centroids[clusters]

    @property
    def sizes(self) -> Ints:
        """How many words have their place in each node."""
        return self.end - self.begin

    @cached_property
    def masses(self) -> Floats:
        """The probability of each node."""
        sums = np.concatenate([[0.0], np.cumsum(self._mass)])
        return np.asarray(sums[self._leaf_last] - sums[self._leaf_first])

    def centroid(self, node: int) -> Floats:
        """p(context|class) of a node; the last ones are kept."""
        found = self._kept.get(node)
        if found is None:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            found = self._kept[node] = self._centroid(node)
        return found

    def _centroid(self, node: int) -> Floats:
        part = slice(int(self._leaf_first[node]), int(self._leaf_last[node]))
        weights = self._mass[part]
        if not weights.sum() > 0:
            weights = np.ones(weights.size)
        # In the precision of the centroids: converting all of them would take longer than this.
        shares = (weights / weights.sum()).astype(self._centroids.dtype)
        # Not by BLAS, whose threads wait for each other on a busy machine.
        summed = np.einsum("i,ij->j", shares, self._centroids[part])
        return np.asarray(summed, dtype=np.float64)

    @cached_property
    def average(self) -> Floats:
        """p(context), by the classes."""
        return self._centroid(0)

    def known(self, node: int) -> int:
        """The node, if the tree has it."""
        if not 0 <= node < self.tree.n_nodes:
            raise InputError(f"class {node}: expected 0 to {self.tree.n_nodes - 1}")
        return node

    def row(self, word: str) -> int:
        """The row of a word."""
        return int(self.thesaurus.counts.word_id(word))

    def word(self, row: int) -> str:
        """The word of a row."""
        if not 0 <= row < len(self.thesaurus):
            raise InputError(f"word number {row}: expected 0 to {len(self.thesaurus) - 1}")
        return str(self.thesaurus.words[row])

    def typical(self, node: int, n: int, offset: int = 0) -> list[Listed]:
        """Words of a class, those nearest to its centroid first; of all where it has none."""
        slots, distances = self._ranked(node, offset + n)
        slots, distances = slots[offset:], distances[offset:]
        rows = self.order[slots]
        # Slicing clusters by node keeps the order of the tree, not that of the layout.
        clusters = self.tree.cluster[self.tree.leaves(node)]
        belongs = self.thesaurus.memberships[rows][:, clusters].sum(axis=1)
        return [
            Listed(int(row), float(d), min(float(p), 1.0))
            for row, d, p in zip(rows, distances, np.asarray(belongs).ravel(), strict=True)
        ]

    def _ranked(self, node: int, n: int) -> tuple[Ints, Floats]:
        """The places in `order` of the n words nearest to a centroid, and their distances."""
        begin, end = int(self.begin[node]), int(self.end[node])
        if begin == end:
            begin, end = 0, self.order.size
        with np.errstate(divide="ignore"):
            logs = np.log(self.centroid(node))
        distances = np.maximum(self._information[begin:end] - self._slice(begin, end) @ logs, 0.0)
        distances[self._unseen[begin:end]] = math.inf
        near = np.arange(end - begin)
        if 0 < n < near.size:
            near = np.flatnonzero(distances <= np.partition(distances, n - 1)[n - 1])
        # Ties are told by the row, whatever the layout.
        best = near[np.lexsort((self.order[begin:end][near], distances[near]))[:n]]
        return best + begin, distances[best]

    def _slice(self, begin: int, end: int) -> Any:
        pointers = self._own.indptr[begin : end + 1]
        part = slice(pointers[0], pointers[-1])
        arrays = self._own.data[part], self._own.indices[part], pointers - pointers[0]
        return sparse.csr_array(arrays, shape=(end - begin, self._own.shape[1]))

    def telling(self, node: int, n: int) -> list[Telling]:
        """Contexts that set a class apart: p(v|c)·log(p(v|c) / p(v)), the most telling first."""
        return self._telling(self.centroid(node), n)

    def evidence(self, row: int, n: int) -> list[Telling]:
        """Contexts a word was counted in, the most telling first, with their counts."""
        counts = self.thesaurus.counts
        seen = counts.matrix[[row]].tocoo()
        total = float(seen.data.sum())
        here = np.zeros(counts.contexts.size)
        if total > 0:
            here[seen.col] = seen.data / total
        amounts = dict(zip(counts.contexts[seen.col], seen.data, strict=True))
        return [one._replace(amount=float(amounts[one.context])) for one in self._telling(here, n)]

    def _telling(self, here: Floats, n: int) -> list[Telling]:
        contexts = self.thesaurus.contexts
        seen = np.flatnonzero((here > 0) & (self.average > 0))
        p, lift = here[seen], np.log(here[seen] / self.average[seen])
        best = np.lexsort((-p, -p * lift.round(9)))[:n]
        return [
            Telling(str(contexts[seen[at]]), float(p[at]), float(lift[at])) for at in best.tolist()
        ]

    def memberships(self, row: int, n: int) -> tuple[list[tuple[int, float]], int]:
        """The n leaves a word belongs to most, with p(class|word), and how many there are."""
        belongs = self.thesaurus.memberships[[row]].tocoo()
        leaves = self._leaf_of[belongs.col]
        best = np.lexsort((leaves, -belongs.data))[:n]
        found = [(int(leaves[at]), float(belongs.data[at])) for at in best]
        return found, int((belongs.data > 0).sum())

    @cached_property
    def _leaf_of(self) -> Ints:
        leaves = np.flatnonzero(self.tree.cluster >= 0)
        return np.asarray(leaves[np.argsort(self.tree.cluster[leaves])])

    @cached_property
    def labels(self) -> list[str]:
        """The label of every node, as the thesaurus has it."""
        return [self.thesaurus.label(node) for node in range(self.tree.n_nodes)]

    def cut(self, k: int) -> list[int]:
        """The nodes of the first k classes, in the order of the tree."""
        inner = [node for node in range(self.tree.n_nodes) if self.tree.children(node)]
        tops = {0}
        for node in sorted(inner, key=self.tree.children):
            below = self.tree.children(node)
            if len(tops) + len(below) - 1 > k:
                break
            tops = (tops - {node}) | set(below)
        return sorted(tops, key=lambda node: int(self._leaf_first[node]))

    def cut_labels(self, tops: list[int]) -> Ints:
        """For each word, the number of the class among some that has its place."""
        labels = np.full(self.order.size, -1, dtype=np.int64)
        for number, node in enumerate(tops):
            labels[self.order[self.begin[node] : self.end[node]]] = number
        return labels
