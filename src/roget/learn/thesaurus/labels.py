"""Generated labels of classes: their most characteristic words."""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.tree import Tree
from roget.core.types import Array, Floats, Ints
from roget.learn.thesaurus.quality import centrality

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

LABEL = 3
"""Number of words in a label."""

REPEATED = 0.5
"""Factor applied to the score of a word that is already in the label of an ancestor."""

BROAD = 1.5
"""Exponent of the log frequency in the scores of words in classes with subclasses. The words of a
broad class differ, so frequent words name it better than central ones."""

STABLE = 0.95
"""Minimum F-measure between the words of a class before and after edits at which the class keeps
its label."""

CACHED = 64
"""Maximum number of class profiles in the cache."""


class ClassLabels:
    """The words that name each class of a tree: typical and frequent words.

    If the classes were made from vectors, the score of a word is ln(1 + n)·c, where n is its number
    of occurrences and c its centrality, the cosine with the mean of the other words of the class.
    In classes with subclasses, it is ln(1 + n)^1.5·c.

    Without vectors, the score measures how much better the class predicts the tokens of the word
    than a reference:
    Σ n(v)·ln(½ + ½·p(v|class) / p(v|reference)). The word itself is excluded from both
    distributions, and contexts in which no other word occurs contribute 0. Scores are summed over
    two references, all words and the parent class, so labels are typical but differ between levels.

    Only the classes that people see (`shown`) affect the labels of their subclasses. With vectors,
    the word with the highest score comes first even if it is in the label of an ancestor, because
    it is the best name of the class; other words of such labels come last. Without vectors, words
    of the parent's label come last, and the scores of words in labels further up are halved.
    Ties are broken by frequency. The label of the root consists of its most frequent words.

    Labelling takes one pass over the words for each level of the tree.
    """

    def __init__(
        self,
        counts: Counts,
        tree: Tree,
        places: Ints,
        shown: Container[int],
        vectors: Array | None = None,
    ) -> None:
        self._matrix, self._vectors = sparse.csr_array(counts.matrix), vectors
        self._shown = shown
        self._totals = np.asarray(counts.word_totals, dtype=np.float64)
        self._tree = tree
        first, last = tree.layout.first, tree.layout.end
        # Sort the words by leaf, so the words of each node form a slice.
        self._order = np.argsort(first[places], kind="stable")
        at = first[places][self._order]
        self._begin, self._end = np.searchsorted(at, first), np.searchsorted(at, last)
        self._profile = lru_cache(CACHED)(self._sum_counts)
        self._chosen: dict[int, list[int]] = {}

    def rows(self, node: int) -> list[int]:
        """Return the rows of the words in the label of a class, best first."""
        if node not in self._chosen:
            for one in (*self._above(node), node):
                if one not in self._chosen:
                    self._chosen[one] = self._choose(one)
        return self._chosen[node]

    def _above(self, node: int) -> list[int]:
        """Return the shown classes above a class, from the root down."""
        return [one for one in self._tree.path(node)[:-1] if one in self._shown]

    def _choose(self, node: int) -> list[int]:
        """Return the rows of a class's label.

        The labels of the shown classes above it must be chosen already.
        """
        rows = self._inside(node)
        totals = self._totals[rows]
        score, last = totals, np.zeros(rows.size, dtype=bool)
        if node:
            *above, parent = self._above(node)
            # Do not penalise words in the label of the root, because the root has the most frequent
            # words.
            used = np.isin(rows, [row for one in above if one for row in self._chosen[one]])
            last = np.isin(rows, self._chosen[parent] if parent else [])
            if self._vectors is None:
                score = self._score(node, rows, (0, parent))
                score = np.where(used & (score > 0), REPEATED * score, score)
            else:
                power = BROAD if self._tree.children(node) else 1.0
                central = centrality(self._vectors, self._totals, rows)
                score = np.log1p(totals) ** power * central
                last |= used
                last[np.lexsort((rows, -totals, -score))[:1]] = False
        return [int(row) for row in rows[np.lexsort((rows, -totals, -score, last))[:LABEL]]]

    def _score(self, node: int, rows: Ints, outside: tuple[int, ...]) -> Floats:
        """Return the score Σ n(v)·ln(½ + ½·p(v|class) / p(v|reference)) of each word.

        Scores are summed over all references.
        """
        part = self._matrix[rows]
        word = np.repeat(np.arange(rows.size), np.diff(part.indptr))
        contexts, n = part.indices, np.asarray(part.data, dtype=np.float64)
        own = self._totals[rows][word]

        def predict(one: int) -> Floats:
            """Return p(v|node) for each entry, excluding the tokens of the entry's word."""
            profile = self._profile(one)
            left = np.maximum(profile.sum() - own, 0.0)
            seen = np.maximum(profile[contexts] - n, 0.0)
            return np.asarray(np.divide(seen, left, out=np.zeros(n.size), where=left > 0))

        inside, sums = predict(node), np.zeros(rows.size)
        for one in outside:
            there = predict(one)
            ratio = np.divide(inside, there, out=np.ones(n.size), where=there > 0)
            sums += np.bincount(word, n * np.log((1 + ratio) / 2), minlength=rows.size)
        return np.asarray(sums)

    def _sum_counts(self, node: int) -> Floats:
        """Return the count of each context, summed over the words of a class."""
        part: Any = self._matrix[self._inside(node)]
        sums = np.bincount(part.indices, part.data, minlength=self._matrix.shape[1])
        return np.asarray(sums, dtype=np.float64)

    def _inside(self, node: int) -> Ints:
        """Return the rows of the words of a class."""
        return self._order[self._begin[node] : self._end[node]]


class StableLabels(ClassLabels):
    """Generated labels after edits. A class whose words have hardly changed keeps its label."""

    def __init__(self, thesaurus: Thesaurus, shown: Container[int]) -> None:
        vectors = thesaurus.index.vectors
        super().__init__(thesaurus.counts, thesaurus.tree, thesaurus.places, shown, vectors)
        self._thesaurus, self._base = thesaurus, thesaurus.base
        self._memory = thesaurus.draft.memory.labels

    def _choose(self, node: int) -> list[int]:
        here, base = self._thesaurus, self._base
        before = base.index.places.node_by_id.get(int(here.ids[node]))
        words: list[str] | None = None
        if before is not None:
            words = base.words[base.index.places.labels.rows(before)].tolist()
            same = base.index.places.fingerprints[before] == here.index.places.fingerprints[node]
            if not same and not self._is_stable(before, node, words):
                words = None
        if words is None:
            key = self._key(node)
            if key not in self._memory:
                self._memory[key] = here.words[super()._choose(node)].tolist()
            words = self._memory[key]
        return [here.rows[word] for word in words]

    def _is_stable(self, before: int, node: int, label: list[str]) -> bool:
        """Return True if a class still has most of its words, and all words of its label."""
        here, base = self._thesaurus, self._base
        rows = here.inside(node)
        if not label or not {*label} <= {*here.words[rows].tolist()}:
            return False
        origin = rows if here.edited is None else here.edited.rows[rows]
        members = np.zeros(max(len(base), int(origin.max(initial=-1)) + 1), dtype=bool)
        members[base.inside(before)] = True
        # F-measure = 2·common / (size before + size now).
        return bool(2 * members[origin].sum() >= STABLE * (members.sum() + origin.size))

    def _key(self, node: int) -> Any:
        """Return a cache key that contains everything that the label of a class depends on."""
        here, above = self._thesaurus, self._above(node)
        labels = tuple(tuple(here.words[self.rows(one)].tolist()) for one in above)
        marks = here.index.places.fingerprints
        return marks[node], marks[above[-1]] if above else None, marks[0], labels
