"""Voting of known words for classes of new words, by similar contexts and common endings.

Known words are words that are in both the corpus and the taxonomy. Each votes for its own classes
as candidate classes of a new word.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.core.types import Floats, Ints
from roget.errors import InputError
from roget.learn.clustering.memberships import tabulate
from roget.learn.placing.graph import Graph, fold, is_part
from roget.learn.representation.background import add_background
from roget.learn.representation.similarity import (
    Similarity,
    StandardisedCosine,
    select_common_rows,
    weigh_contexts,
)
from roget.learn.representation.vectors import Representation

NEAREST, LEAST_NEAREST = 100, 10
"""Maximum number of known words that vote by contexts. A tenth of the known words vote if they are
fewer, but no fewer than the second number."""

FEWEST = 20
"""Minimum number of known words, that is, words in both the corpus and the taxonomy."""

SPELT = 0.2
"""Weight of votes by endings. Votes by contexts have the remaining weight."""

ENDING = 3
"""Minimum number of characters in an ending."""

ENOUGH = 30
"""Number of voters above which shorter endings are not tried."""

MAX_VOTERS = 400
"""Maximum number of voters for each ending."""

SILENCE = {"contexts": 100.0, "ending": 64.0}
"""Constant added to the total weight of the voters.

It keeps the values small if there are few or weak votes.
"""

BLOCK = 256
"""Batch size: number of words whose votes are computed at once."""

_LAST = chr(0x10FFFF)


class Supporter(NamedTuple):
    """A known word that votes for a class."""

    word: str
    alike: float
    """Similarity to the new word.

    For contexts, it is in standard deviations. For endings, it is the number of common characters.
    """
    by: str
    """Kind of vote, "contexts" or "ending"."""
    share: float
    """Fraction of the votes for the class that come from this word."""


class VoteSource:
    """Votes of one kind, by contexts or by endings, for a batch of words."""

    def __init__(self, by: str, share: float, similarity: Any, entries: Ints) -> None:
        self.by, self.share, self.similarity = by, share, similarity
        self.entries = entries
        """Row of each voter in the taxonomy's list of words."""

    @cached_property
    def weights(self) -> Any:
        """Weight of each vote: a csr_array of shape (rows, voters). Rows sum to less than 1.

        The weight by contexts is the squared similarity. The weight by endings is 2 to the power of
        the ending's length, since each character roughly halves the number of words that share it.
        """
        table = self.similarity.copy()
        table.data = 2.0**table.data if self.by == "ending" else table.data**2
        sums = np.asarray(table.sum(axis=1)).ravel() + SILENCE[self.by]
        table.data /= np.repeat(sums, np.diff(table.indptr))
        return table


class Votes:
    """The votes of known words for a batch of words."""

    def __init__(self, graph: Graph, sources: Sequence[VoteSource], classes: Any) -> None:
        self._graph, self._sources = graph, sources
        self.classes = classes
        """Votes for each class: a csr_array of shape (rows, classes)."""

    @cached_property
    def values(self) -> Any:
        """Votes for each class including, with less weight, votes for nearby classes."""
        return sparse.csr_array(self.classes @ self._graph.nearness)

    @cached_property
    def totals(self) -> Floats:
        """Total weight of the votes for each word, which is less than 1."""
        return np.asarray(self.classes.sum(axis=1), dtype=np.float64).ravel()

    def list_supporters(self, at: int, target: int, n: int) -> list[Supporter]:
        """Return the n known words whose votes contribute most to a class for a word."""
        near = self._graph.nearness[[target]].toarray().ravel()
        found = []
        for one in self._sources:
            part = slice(one.weights.indptr[at], one.weights.indptr[at + 1])
            voters, values = one.weights.indices[part], one.similarity.data[part]
            entries = one.entries[voters]
            votes = (self._graph.shares[entries] @ near) * one.weights.data[part] * one.share
            for entry, similarity, vote in zip(entries, values, votes, strict=True):
                if vote > 0:
                    word = self._graph.words[entry]
                    found.append(Supporter(word, float(similarity), one.by, float(vote)))
        whole = sum(one.share for one in found) or 1.0
        found.sort(key=lambda one: (-one.share, one.word))
        return [one._replace(share=one.share / whole) for one in found[:n]]


class NeighbourModel:
    """A model in which known words of a corpus and a taxonomy vote for classes of new words.

    Background counts, if any, are used for the word vectors.
    """

    def __init__(self, graph: Graph, counts: Counts, background: Counts | None = None) -> None:
        self.graph, self.counts, self._background = graph, counts, background
        self.folded = [fold(str(word)) for word in counts.words]
        rows = np.array([graph.rows.get(word, -1) for word in self.folded], dtype=np.int64)
        self.known: Ints = np.flatnonzero((rows >= 0) & (counts.word_totals > 0))
        if self.known.size < FEWEST:
            raise InputError(
                f"{graph.title}: only {self.known.size:,} of its words are among the "
                f"{len(counts):,} words of the corpus; at least {FEWEST} are needed. Check "
                "the language and the part of speech, or add text.",
                code="too-little-text",
            )
        self._entries = rows[self.known]
        self._endings = Endings(graph.words)

    @cached_property
    def usual(self) -> Floats:
        """Mean votes of known words for each class."""
        mean = np.asarray(self.graph.shares[self._entries].mean(axis=0), dtype=np.float32).ravel()
        return np.asarray(mean @ self.graph.nearness, dtype=np.float64)

    @cached_property
    def spelt(self) -> dict[str, list[int]]:
        """Mapping from each folded known word to its rows in the counts."""
        found: dict[str, list[int]] = {}
        for row in self.known.tolist():
            found.setdefault(self.folded[row], []).append(row)
        return found

    @cached_property
    def context_weights(self) -> Any:
        """Weight of each context for each word. Rows have unit length."""
        return weigh_contexts(self.counts)

    @cached_property
    def _similarity(self) -> Similarity:
        """Similarities of words by contexts and by vectors."""
        counts = self.counts
        matrix, contexts, background = counts.matrix, counts.contexts, self._background
        if background is not None:
            matrix, contexts = add_background(matrix, counts.words, contexts, background)
        learnt = Representation.learn(
            matrix, words=counts.words, contexts=contexts, exact=background is not None
        )
        common = select_common_rows(counts.word_totals)
        vectors = StandardisedCosine(learnt.vectors.astype(np.float64), common)
        return Similarity(
            counts.word_totals, StandardisedCosine(self.context_weights, common), vectors
        )

    def by_contexts(self, rows: Ints) -> Any:
        """Return the similarities to the nearest known words as a csr_array (rows, known words).

        The word itself and words that contain it are excluded.
        """
        similarity = self._similarity.compare(rows)[:, self.known]
        for at, row in enumerate(rows):
            similarity[at, self._find_containing(self.folded[row])] = 0
        n = int(min(NEAREST, max(LEAST_NEAREST, self.known.size // 10), self.known.size))
        best = np.argsort(-similarity, axis=1, kind="stable")[:, :n]
        values = np.maximum(np.take_along_axis(similarity, best, axis=1), 0)
        places = np.repeat(np.arange(rows.size), n), best.ravel()
        table = sparse.csr_array((values.ravel(), places), shape=similarity.shape)
        table.eliminate_zeros()
        return table

    def by_endings(self, rows: Ints) -> Any:
        """Return the lengths of common endings as a csr_array (rows, words of the taxonomy)."""
        found = (self._endings.find(self.folded[row]) for row in rows)
        table = tabulate(found, len(self.graph.words))
        table.sort_indices()
        return table

    def votes(self, rows: Ints, spelt: float = SPELT) -> Votes:
        """Return the votes of known words for the words in the given rows.

        Votes by endings have the total weight `spelt`.
        """
        sources = [VoteSource("contexts", 1 - spelt, self.by_contexts(rows), self._entries)]
        if spelt:
            every = np.arange(len(self.graph.words))
            sources.append(VoteSource("ending", spelt, self.by_endings(rows), every))
        votes = sum(one.share * (one.weights @ self.graph.shares[one.entries]) for one in sources)
        return Votes(self.graph, sources, sparse.csr_array(votes, dtype=np.float32))

    @cached_property
    def _containing(self) -> dict[str, list[int]]:
        """Mapping from words, and their parts, to indices of the known words that contain them."""
        found: dict[str, list[int]] = {}
        for at, row in enumerate(self.known):
            word = self.folded[row]
            for part in {word, *word.split(" ")}:
                found.setdefault(part, []).append(at)
        return found

    def _find_containing(self, word: str) -> list[int]:
        """Return the indices of the known words that are equal to a word or contain it."""
        first = word.split(" ")[0]
        return [
            at
            for at in self._containing.get(first, ())
            if is_part(word, self.folded[self.known[at]])
        ]


class Endings:
    """An index of words by ending, with words sorted by their reversed spelling."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._order = sorted(range(len(words)), key=lambda at: _reverse(words[at]))
        self._reversed = [_reverse(words[at]) for at in self._order]

    def find(self, word: str) -> dict[int, int]:
        """Return the words with the longest common endings, and the lengths of these endings.

        The ending is shortened until there are enough words. If too many words share an ending, an
        evenly spaced sample of them is used. The space before a word counts as a character of the
        ending. The word itself and words that contain it are excluded.
        """
        reversed_word, found = _reverse(word), {}
        for length in range(len(reversed_word), ENDING - 1, -1):
            begin = bisect_left(self._reversed, reversed_word[:length])
            end = bisect_left(self._reversed, reversed_word[:length] + _LAST)
            places: Sequence[int] = range(begin, end)
            if len(places) > MAX_VOTERS:
                places = [begin + at * len(places) // MAX_VOTERS for at in range(MAX_VOTERS)]
            for at in places:
                other = self._order[at]
                if other not in found and not is_part(word, self._words[other]):
                    found[other] = length
            if len(found) >= ENOUGH:
                break
        return found


def _reverse(word: str) -> str:
    """Return a word, preceded by a space, in reverse order."""
    return f" {word}"[::-1]
