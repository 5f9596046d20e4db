"""Senses: the classes that a word's contexts vote for, where the word itself has no vote.

A word is put together of classes: its row of PPMI, of length 1, is fitted by a sum of the rows of
classes with weights that are not negative, and each class is known by its other words only. A word
of one sense is not wholly like its class, either: what counts is by how much another class weighs
more than it does with the words that have the same place, in units of their spread. The fit is made
twice, by contexts and by how classes share them, and both are averaged, which is steadier. Frequent
words have more senses (Zipf 1945) and more evidence for them, so that the bar is lower for words in
more contexts than usual, and higher for others. Classes that the tree has together are one sense.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.views import like, unit
from roget.core.tree import Tree
from roget.core.types import BoolArray, Floats, Ints
from roget.learn.clustering.memberships import one_hot, tabulate
from roget.learn.thesaurus.nodes import MANY, parts

CANDIDATES = 16
"""Classes that a word may be put together of: those it is most like."""

SWEEPS = 10
"""How often the weight of each is fitted to what the others leave."""

MOST = 4
"""Senses of a word, at most."""

BAR = 3.9
"""Spreads by which a class has to weigh more than with others, for a word in as many contexts as
usual: chosen such that nine of ten nouns with one sense in WordNet stay in one class."""

ZIPF = 2.5
"""Spreads by which the bar is lower for a word in e times as many contexts."""

APART = 0.2
"""Classes that are more alike than this, by the cosine of their rows, are one sense."""

TOGETHER, LEAST_CLASSES = 5, 40
"""Classes, on average, of a part of the tree within which a word has one sense; and in how many
classes a tree is looked at for that: smaller ones are broad enough themselves."""

PRIOR = 10.0
"""Words that all classes lend to each, so that small ones have a spread as well."""

LEAST = 0.02
"""The least spread."""

FEW = 50.0
"""Contexts with which half of what makes a word like a sense is believed, where words are told."""


class Vote(NamedTuple):
    """A sense by numbers: its cluster, its share, and columns and rows, the best first."""

    cluster: int
    share: float
    contexts: Ints
    words: Ints


class Senses:
    """The senses of all words, by counts, a tree, and the cluster in which each has its place.

    Where there are too many classes to compare them all, senses are what classes were `told`:
    p(class|word), a csr_array.
    """

    def __init__(self, counts: Counts, home: Ints, tree: Tree, told: Any = None) -> None:
        self._home, self._rows = home, unit(counts.ppmi()).sorted_indices()
        if told is not None and tree.n_clusters > MANY:
            self.memberships = told
            return
        self._kin = find_kin(tree)
        belongs = sparse.csr_array(one_hot(home, tree.n_clusters).T)
        self._sums = sparse.csr_array(belongs @ self._rows)
        self._gram = (self._sums @ self._sums.T).toarray()
        lengths = np.sqrt(np.maximum(np.diag(self._gram), 1e-300))
        self._alike = self._gram / lengths / lengths[:, None]
        known = self._weigh()
        shares = like(known[0], (known[0].data + known[1].data) / 2)
        # Its place is the first sense of a word, unless nobody but the word itself speaks for it.
        placed = np.asarray(shares[np.arange(home.size), home]).ravel() > 0
        first = np.where(placed, home, np.asarray(shares.argmax(axis=1)).ravel())
        row = np.repeat(np.arange(home.size), np.diff(shares.indptr))
        score = stand_out(known, shares, first[row], belongs)
        score += ZIPF * _more_than_usual(np.diff(counts.matrix.indptr))[row]
        good = (score >= BAR) & (shares.indices != first[row]) & (shares.data > 0)
        self.memberships = self._keep(shares, first, score, good)
        del self._sums, self._gram, self._alike, self._kin
        """p(sense|word), a csr_array of words × clusters; a word of one sense is in its place."""

    def after(self, home: Ints, memberships: Any, rows: Ints | None = None) -> Senses:
        """The senses of words whose classes were edited: `rows` of these, -1 for new ones."""
        made = copy(self)
        made._home, made.memberships = home, memberships
        if rows is not None:
            nothing = sparse.csr_array((1, self._rows.shape[1]))
            stacked = sparse.vstack([self._rows, nothing], format="csr")
            made._rows = sparse.csr_array(stacked[rows])
        return made

    def rank(self, row: int, n: int) -> list[Vote]:
        """The senses of a word, the commonest first, with n contexts and words of each."""
        begin, end = self.memberships.indptr[row : row + 2]
        order = begin + np.argsort(-self.memberships.data[begin:end], kind="stable")
        kept, shares = self.memberships.indices[order], self.memberships.data[order]
        own = self._rows[[row]]
        sums = [self._rows[self._home == cluster].sum(axis=0) for cluster in kept]
        lengths = np.array([max(float(np.linalg.norm(one)), 1e-150) for one in sums])
        known = np.array(sums).reshape(kept.size, -1)[:, own.indices]
        known -= (kept == self._home[row])[:, None] * own.data
        # What rounding leaves of the word's own vote is none.
        known = np.where(known > 1e-9, known / lengths[:, None], 0.0)
        votes = known * shares[:, None]
        votes *= own.data / np.maximum(votes.sum(axis=0), 1e-300)
        found = []
        for cluster, share, vote, strength in zip(kept, shares, votes, votes * known, strict=True):
            best = np.argsort(-strength, kind="stable")[:n]
            weights = np.zeros(self._rows.shape[1])
            weights[own.indices] = vote
            others = np.flatnonzero(self._home == cluster)
            others = others[others != row]
            contexts = np.diff(self._rows.indptr)[others]
            near = (self._rows[others] @ weights) * (contexts / (contexts + FEW))
            nearest = np.argsort(-near, kind="stable")[:n]
            told = own.indices[best[strength[best] > 0]]
            words = others[nearest[near[nearest] > 0]]
            found.append(Vote(int(cluster), float(share), told, words))
        return found

    def _weigh(self) -> list[Any]:
        """How much of each word each class is, by either fit: rows add up to 1, or to 0."""
        size, clusters = self._home.size, self._gram.shape[0]
        n, grams = min(CANDIDATES, clusters), (self._alike, self._alike @ self._alike)
        found: list[list[Any]] = [[], []]
        for part in parts(size, clusters + 2 * n * n):
            fits = self._compare(part)
            near = np.sort(np.argpartition(-fits, n - 1, axis=1)[:, :n], axis=1)
            for gram, wanted, out in zip(grams, (fits, fits @ self._alike), found, strict=True):
                blocks = gram[near[:, :, None], near[:, None]]
                weights = fit(blocks, np.take_along_axis(wanted, near, axis=1))
                weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
                ends = np.arange(0, near.size + 1, n)
                cells = weights.ravel(), near.ravel(), ends
                out.append(sparse.csr_array(cells, shape=(len(near), clusters)))
        return [sparse.csr_array(sparse.vstack(out)) for out in found]

    def _compare(self, part: slice) -> Floats:
        """The cosine of some words with each class, which is known by its other words only."""
        table, home = (self._rows[part] @ self._sums.T).toarray(), self._home[part]
        at, seen = (np.arange(home.size), home), np.diff(self._rows.indptr)[part] > 0
        lengths = np.tile(np.diag(self._gram), (home.size, 1))
        lengths[at] += seen * (1 - 2 * table[at])
        table[at] -= seen
        good = (table > 1e-9) & (lengths > 1e-9)
        return np.where(good, table / np.sqrt(np.where(good, lengths, 1.0)), 0.0)

    def _keep(self, shares: Any, first: Ints, score: Floats, good: BoolArray) -> Any:
        """Of each word the first class, and those that are good and apart; or else its place."""
        kept = {}
        ends = shares.indptr
        for word in np.unique(np.searchsorted(ends, np.flatnonzero(good), side="right") - 1):
            at = np.arange(ends[word], ends[word + 1])
            weights = dict(zip(shares.indices[at].tolist(), shares.data[at].tolist(), strict=True))
            at = at[good[at]]
            chosen = [int(first[word])]
            for cluster in shares.indices[at[np.argsort(-score[at], kind="stable")]].tolist():
                near = self._alike[cluster, chosen].max() > APART
                if len(chosen) < MOST and not (near or self._kin[cluster] in self._kin[chosen]):
                    chosen.append(cluster)
            if len(chosen) > 1:
                kept[word] = {cluster: weights[cluster] for cluster in sorted(chosen)}
        alone = ({place: 1.0} for place in self._home.tolist())
        rows = (kept.get(word, one) for word, one in enumerate(alone))
        found = tabulate(rows, shares.shape[1])
        sums = np.add.reduceat(found.data, found.indptr[:-1]) if found.nnz else found.data
        found.data /= np.repeat(sums, np.diff(found.indptr))
        return found


def find_kin(tree: Tree) -> Ints:
    """For each cluster the part of the tree that it has one sense with; flat trees have none."""
    k = tree.n_clusters
    parts = tree.cut(k // TOGETHER) if k >= LEAST_CLASSES else np.arange(k)
    return parts if parts.any() else np.arange(k)


def fit(grams: Floats, wanted: Floats) -> Floats:
    """Weights ≥ 0, row by row, with which grams·weights comes near to what is wanted."""
    weights, rest = np.zeros_like(wanted), wanted.copy()
    for _ in range(SWEEPS):
        for one in range(wanted.shape[1]):
            step = rest[:, one] / np.maximum(grams[:, one, one], 1e-12)
            step = np.maximum(step, -weights[:, one])
            weights[:, one] += step
            rest -= step[:, None] * grams[:, one]
    return weights


def stand_out(known: list[Any], shares: Any, first: Ints, belongs: Any) -> Floats:
    """By how many spreads each share is above that of words in the first class of its word.

    `known` has the shares by either fit, at the same places as `shares`.
    """
    score, at = np.zeros(shares.nnz), shares.indices
    size = np.asarray(belongs.sum(axis=1)).ravel()
    for one in known:
        sums, squares = ((belongs @ table).toarray() for table in (one, one.power(2)))
        mean = _lend(sums, size)
        spread = np.sqrt(np.maximum(_lend(squares, size) - mean**2, LEAST**2))
        score += (one.data - mean[first, at]) / spread[first, at] / len(known)
    return score


def _lend(sums: Floats, size: Floats) -> Floats:
    """Means of what words in one class (row) are of another, drawn to that of all others."""
    usual = (sums.sum(axis=0) - np.diag(sums)) / np.maximum(size.sum() - size, 1)
    return np.asarray((sums + PRIOR * usual) / (size[:, None] + PRIOR))


def _more_than_usual(contexts: Any) -> Floats:
    """The logarithm of each number over the usual one, by words as often as they have contexts."""
    logs = np.log(np.maximum(contexts, 1))
    return np.asarray(logs - np.average(logs, weights=contexts) if contexts.any() else logs)
