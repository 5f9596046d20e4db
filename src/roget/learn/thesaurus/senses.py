"""Senses of words: a decomposition of each word into classes.

A word is represented by its PPMI vector, scaled to length 1, and a class by the vectors of its
other words. The vector of the word is approximated by a combination of class vectors with weights ≥
0. Even a word with a single sense is not fully explained by its class. A class is therefore a sense
only if its weight is unusually large, in standard deviations, among the words of the same class.
For stability, weights are averaged over two fits, one by contexts and one by similarities to
classes. Frequent words have more senses (Zipf 1945) and more evidence for them, so the threshold
decreases with the number of contexts. A small text provides little evidence for any word, so most
words in it get one sense. Classes that are close in the tree count as one sense.

With prior vectors, the threshold also decreases with the ambiguity of the word, which is estimated
from these vectors (`measure_ambiguity`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.counts.views import like, unit
from roget.core.tree import Tree
from roget.core.types import BoolArray, Floats, Ints
from roget.learn.clustering.memberships import one_hot, tabulate
from roget.learn.representation.ambiguity import measure_ambiguity
from roget.learn.representation.vectors import Representation
from roget.learn.thesaurus.neighbours import MANY, parts

CANDIDATES = 16
"""Number of classes used in the decomposition of a word. The most similar classes are used."""

SWEEPS = 10
"""Number of iterations of coordinate descent. Each one updates all weights."""

MAX_SENSES = 4
"""Maximum number of senses of a word."""

THRESHOLD = 3.9
"""Minimum z-score of the weight of a sense, for a word with the usual number of contexts.

With this value, in a text of 2.5 million tokens, nouns that have one sense in WordNet also get one
sense here in 92 % of cases (50 or more occurrences) or 74 % (150 or more).
"""

PRIOR_THRESHOLD, AMBIGUITY = 4.25, 2.0
"""With prior vectors: the threshold, and its decrease for each standard deviation of ambiguity.

With these values, nouns that have one sense in WordNet also get one sense here in 97 % of cases (50
or more occurrences in a text of 2.5 million tokens) or 94 % (150 or more).
"""

LEAST_AMBIGUITY, MAX_AMBIGUITY = -0.4, 1.0
"""Ambiguity below which a word has one sense, and above which the threshold does not decrease."""

ZIPF = 2.0
"""Decrease in the threshold for each increase of the number of contexts by the factor e."""

USUAL = 200
"""Lower bound of the usual number of contexts per word, at which the threshold applies unchanged.

The value is the weighted geometric mean in a text of 2.5 million tokens. In smaller texts, the
threshold is therefore higher for all words.
"""

MAX_COSINE = 0.2
"""Maximum cosine between two classes for them to count as different senses."""

TOGETHER, LEAST_CLASSES = 5, 40
"""The mean number of classes per part of the tree, and the minimum number of classes for a tree to
be divided into parts. Classes in the same part count as one sense. Smaller trees are not divided,
because their classes are broad."""

PRIOR = 10.0
"""Number of pseudo-words added to each class. They have the mean weight of all words, which
regularises small classes."""

MIN_SPREAD = 0.02
"""Minimum standard deviation of weights. Smaller values would make z-scores too large."""

HALF_CONTEXTS = 50.0
"""Number of contexts of a word at which its similarity to a sense is halved."""


class Vote(NamedTuple):
    """A sense: its cluster and weight, with its best contexts (columns) and words (rows)."""

    cluster: int
    share: float
    contexts: Ints
    words: Ints


class Senses:
    """The senses of all words.

    Parameters
    ----------
    counts
        The counts of all words.
    home
        The cluster of each word.
    tree
        The tree over the clusters.
    fallback
        p(class|word) as a csr_array. It is used if there are too many classes to compare.
    known
        The word vectors. They are used only if they include prior vectors.
    """

    def __init__(
        self,
        counts: Counts,
        home: Ints,
        tree: Tree,
        fallback: Any = None,
        known: Representation | None = None,
    ) -> None:
        self._home, self._rows = home, unit(counts.ppmi()).sorted_indices()
        self._n_clusters = tree.n_clusters
        if fallback is not None and tree.n_clusters > MANY:
            self.memberships = fallback
            return
        fit = _ClassFit(self._rows, home, tree)
        weights = fit.weigh()
        shares = like(weights[0], (weights[0].data + weights[1].data) / 2)
        # The first sense is the word's own class, unless no other word supports it.
        placed = np.asarray(shares[np.arange(home.size), home]).ravel() > 0
        first = np.where(placed, home, np.asarray(shares.argmax(axis=1)).ravel())
        row = np.repeat(np.arange(home.size), np.diff(shares.indptr))
        score = standardise(weights, shares, first[row], fit.belongs)
        score += ZIPF * log_ratio_to_usual(np.diff(counts.matrix.indptr))[row]
        good = (shares.indices != first[row]) & (shares.data > 0)
        if known is None or not known.prior:
            good &= score >= THRESHOLD
        else:
            ambiguity = measure_ambiguity(known, counts.word_totals)[row]
            threshold = PRIOR_THRESHOLD - AMBIGUITY * np.minimum(ambiguity, MAX_AMBIGUITY)
            good &= (score >= threshold) & (ambiguity >= LEAST_AMBIGUITY)
        self.memberships = fit.keep(shares, first, score, good)
        """p(sense|word) as a csr_array of shape (words, clusters)."""

    def after(self, home: Ints, memberships: Any, rows: Ints | None = None) -> Senses:
        """Return the senses updated for edits to the classes.

        Parameters
        ----------
        home
            The cluster of each word after the edits.
        memberships
            p(sense|word) after the edits.
        rows
            The row of each word before the edits, or −1 for new words. By default, rows are
            unchanged.
        """
        made = Senses.__new__(Senses)
        made._home, made.memberships, made._rows = home, memberships, self._rows
        made._n_clusters = memberships.shape[1]
        if rows is not None:
            empty = sparse.csr_array((1, self._rows.shape[1]))
            stacked = sparse.vstack([self._rows, empty], format="csr")
            made._rows = sparse.csr_array(stacked[rows])
        return made

    @cached_property
    def _members(self) -> list[Ints]:
        """Indices of the words in each cluster."""
        order = np.argsort(self._home, kind="stable")
        ends = np.cumsum(np.bincount(self._home, minlength=self._n_clusters))
        return np.split(order, ends[:-1])

    @cached_property
    def _sums(self) -> Any:
        """The sum of the word vectors in each cluster, as a csr_array with sorted indices."""
        belongs = sparse.csr_array(one_hot(self._home, self._n_clusters).T)
        return sparse.csr_array(belongs @ self._rows).sorted_indices()

    @cached_property
    def _lengths(self) -> Floats:
        """The norm of the summed word vectors of each cluster."""
        squares = self._sums.copy()
        squares.data = squares.data**2
        sums = np.asarray(squares.sum(axis=1)).ravel()
        return np.asarray(np.maximum(np.sqrt(sums), 1e-150))

    @cached_property
    def _member_rows(self) -> dict[int, Any]:
        """Cache of the vectors of each cluster's words."""
        return {}

    def _get_sums(self, clusters: Ints, columns: Ints) -> Floats:
        """Return the summed word vectors of the given clusters, restricted to the given columns.

        The result is a dense array of shape (clusters, columns).
        """
        table = np.zeros((clusters.size, columns.size))
        for at, cluster in enumerate(clusters.tolist()):
            begin, end = self._sums.indptr[cluster : cluster + 2]
            indices, data = self._sums.indices[begin:end], self._sums.data[begin:end]
            where = np.minimum(np.searchsorted(indices, columns), max(indices.size - 1, 0))
            if indices.size:
                table[at] = np.where(indices[where] == columns, data[where], 0.0)
        return table

    def rank(self, row: int, n: int) -> list[Vote]:
        """Return the senses of a word, largest weight first, each with n contexts and n words."""
        begin, end = self.memberships.indptr[row : row + 2]
        order = begin + np.argsort(-self.memberships.data[begin:end], kind="stable")
        kept, shares = self.memberships.indices[order], self.memberships.data[order]
        here = slice(*self._rows.indptr[row : row + 2])
        columns, values = self._rows.indices[here], self._rows.data[here]
        # Get the summed vectors of the classes in the contexts of the word, and exclude the word
        # itself.
        known = self._get_sums(kept, columns)
        known -= (kept == self._home[row])[:, None] * values
        # Differences below 1e-9 are rounding errors of the subtraction.
        known = np.where(known > 1e-9, known / self._lengths[kept][:, None], 0.0)
        # Divide each context among the senses in proportion to weight × value of the class.
        votes = known * shares[:, None]
        votes *= values / np.maximum(votes.sum(axis=0), 1e-300)
        found = []
        for cluster, share, vote, strength in zip(kept, shares, votes, votes * known, strict=True):
            best = np.argsort(-strength, kind="stable")[:n]
            contexts = columns[best[strength[best] > 0]]
            words = self._rank_members(int(cluster), row, columns, vote, n)
            found.append(Vote(int(cluster), float(share), contexts, words))
        return found

    def _rank_members(self, cluster: int, row: int, columns: Ints, vote: Floats, n: int) -> Ints:
        """Return the n words of a cluster that are most similar to a word.

        Contexts are weighted by `vote`.
        """
        if cluster not in self._member_rows:
            self._member_rows[cluster] = self._rows[self._members[cluster]]
        members, rows = self._members[cluster], self._member_rows[cluster]
        weights = np.zeros(rows.shape[1])
        weights[columns] = vote
        n_contexts = np.diff(rows.indptr)
        near = (rows @ weights) * (n_contexts / (n_contexts + HALF_CONTEXTS))
        near[members == row] = 0.0
        nearest = np.argsort(-near, kind="stable")[:n]
        return np.asarray(members[nearest[near[nearest] > 0]])


class _ClassFit:
    """The decomposition of the vectors of all words into class vectors."""

    def __init__(self, rows: Any, home: Ints, tree: Tree) -> None:
        self._rows, self._home, self._kin = rows, home, find_kin(tree)
        self.belongs = sparse.csr_array(one_hot(home, tree.n_clusters).T)
        self._sums = sparse.csr_array(self.belongs @ rows)
        self._gram = (self._sums @ self._sums.T).toarray()
        lengths = np.sqrt(np.maximum(np.diag(self._gram), 1e-300))
        self._cosines = self._gram / lengths / lengths[:, None]

    def weigh(self) -> list[Any]:
        """Return the weights from two fits, each with shape (words, classes).

        Non-zero rows sum to 1.

        The first fit approximates the vector of a word by class vectors. The second approximates
        its cosines with all classes.
        """
        size, clusters = self._home.size, self._gram.shape[0]
        n, grams = min(CANDIDATES, clusters), (self._cosines, self._cosines @ self._cosines)
        found: list[list[Any]] = [[], []]
        for part in parts(size, clusters + 2 * n * n):
            cosines = self._compare(part)
            near = np.sort(np.argpartition(-cosines, n - 1, axis=1)[:, :n], axis=1)
            targets = cosines, cosines @ self._cosines
            for gram, target, out in zip(grams, targets, found, strict=True):
                blocks = gram[near[:, :, None], near[:, None]]
                weights = fit(blocks, np.take_along_axis(target, near, axis=1))
                weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
                ends = np.arange(0, near.size + 1, n)
                cells = weights.ravel(), near.ravel(), ends
                out.append(sparse.csr_array(cells, shape=(len(near), clusters)))
        return [sparse.csr_array(sparse.vstack(out)) for out in found]

    def _compare(self, part: slice) -> Floats:
        """Return the cosines between words and classes, where a class excludes the word itself."""
        table, home = (self._rows[part] @ self._sums.T).toarray(), self._home[part]
        at, seen = (np.arange(home.size), home), np.diff(self._rows.indptr)[part] > 0
        # With |w| = 1, the class sum without the word, s − w, has the dot product s·w − 1 with the
        # word and the squared norm |s|² − 2 s·w + 1.
        lengths = np.tile(np.diag(self._gram), (home.size, 1))
        lengths[at] += seen * (1 - 2 * table[at])
        table[at] -= seen
        good = (table > 1e-9) & (lengths > 1e-9)
        return np.where(good, table / np.sqrt(np.where(good, lengths, 1.0)), 0.0)

    def keep(self, shares: Any, first: Ints, score: Floats, good: BoolArray) -> Any:
        """Return p(sense|word).

        The senses of a word are its first class and the other good classes that differ enough from
        the first class.

        A word without other good classes has its own class as its only sense.
        """
        kept = {}
        ends = shares.indptr
        for word in np.unique(np.searchsorted(ends, np.flatnonzero(good), side="right") - 1):
            at = np.arange(ends[word], ends[word + 1])
            weights = dict(zip(shares.indices[at].tolist(), shares.data[at].tolist(), strict=True))
            at = at[good[at]]
            chosen = [int(first[word])]
            for cluster in shares.indices[at[np.argsort(-score[at], kind="stable")]].tolist():
                is_near = self._cosines[cluster, chosen].max() > MAX_COSINE
                is_kin = self._kin[cluster] in self._kin[chosen]
                if len(chosen) < MAX_SENSES and not (is_near or is_kin):
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
    """Divide the tree into parts, and return the part to which each cluster belongs.

    Clusters in the same part of the tree count as one sense of a word.
    """
    k = tree.n_clusters
    kin = tree.cut(k // TOGETHER) if k >= LEAST_CLASSES else np.arange(k)
    return kin if kin.any() else np.arange(k)


def fit(grams: Floats, target: Floats) -> Floats:
    """Return the weights ≥ 0 that minimise |Σ weight·class − word|², for each row.

    Coordinate descent sets each weight in turn to its optimum for fixed other weights. `grams`
    contains the dot products between classes. `target` contains their dot products with the words.
    """
    weights, residual = np.zeros_like(target), target.copy()
    for _ in range(SWEEPS):
        for one in range(target.shape[1]):
            step = residual[:, one] / np.maximum(grams[:, one, one], 1e-12)
            step = np.maximum(step, -weights[:, one])
            weights[:, one] += step
            residual -= step[:, None] * grams[:, one]
    return weights


def standardise(weights: list[Any], shares: Any, first: Ints, belongs: Any) -> Floats:
    """Return the z-score of each weight among the words with the same first class.

    `weights` has the weights of both fits, with the same sparsity as `shares`. The z-scores of the
    two fits are averaged.
    """
    score, at = np.zeros(shares.nnz), shares.indices
    size = np.asarray(belongs.sum(axis=1)).ravel()
    for one in weights:
        sums, squares = ((belongs @ table).toarray() for table in (one, one.power(2)))
        mean = _shrink_means(sums, size)
        variance = _shrink_means(squares, size) - mean**2
        spread = np.sqrt(np.maximum(variance, MIN_SPREAD**2))
        score += (one.data - mean[first, at]) / spread[first, at] / len(weights)
    return score


def _shrink_means(sums: Floats, size: Floats) -> Floats:
    """Return the mean weight of each class (column) over the words of each class (row).

    The means are shrunk towards the overall mean.
    """
    usual = (sums.sum(axis=0) - np.diag(sums)) / np.maximum(size.sum() - size, 1)
    return np.asarray((sums + PRIOR * usual) / (size[:, None] + PRIOR))


def log_ratio_to_usual(contexts: Any) -> Floats:
    """Return the log ratio of each number of contexts to the usual number (at least `USUAL`)."""
    logs = np.log(np.maximum(contexts, 1))
    usual = float(np.average(logs, weights=contexts)) if contexts.any() else 0.0
    return np.asarray(logs - max(usual, np.log(USUAL)))
