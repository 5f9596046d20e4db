"""Votes: which classes known words speak for, by contexts that are alike and by endings."""

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
from roget.learn.representation import Representation
from roget.learn.representation.similarity import (
    Similarity,
    StandardisedCosine,
    select_common_rows,
    weigh_contexts,
)

NEAREST = 100
"""Known words that vote by their contexts, or a tenth of all, where that is less."""

FEWEST = 20
"""Words that both the corpus and the taxonomy must have."""

SPELT = 0.2
"""What votes by endings are of all."""

ENDING, ENOUGH, MOST = 3, 30, 400
"""The shortest ending; words that are enough; and most words of one ending that vote."""

SILENCE = {"contexts": 100.0, "ending": 64.0}
"""What is added to the weights of all who speak: few who hardly know are not to be heard."""

BLOCK = 256
"""Words whose votes are counted at a time."""

_LAST = chr(0x10FFFF)


class Supporter(NamedTuple):
    """A known word that speaks for a class."""

    word: str
    alike: float
    """In deviations above what is common; of endings, the signs in common."""
    by: str
    """contexts or ending."""
    share: float
    """How much of all that was said for the class it said."""


class VoteSource:
    """Voters of one kind, for some rows."""

    def __init__(self, by: str, share: float, alike: Any, entries: Ints) -> None:
        self.by, self.share, self.alike = by, share, alike
        self.entries = entries
        """The row of each voter among the words of the taxonomy."""

    @cached_property
    def weights(self) -> Any:
        """csr_array, rows × voters: how much each is heard; 1 in all, less where they say little.

        Voters count by the square of how much alike they are, by endings by 2 to the number of
        signs, of which each more halves the words that have it, or so.
        """
        table = self.alike.copy()
        table.data = 2.0**table.data if self.by == "ending" else table.data**2
        sums = np.asarray(table.sum(axis=1)).ravel() + SILENCE[self.by]
        table.data /= np.repeat(sums, np.diff(table.indptr))
        return table


class Votes:
    """What known words said of some rows."""

    def __init__(self, graph: Graph, sources: Sequence[VoteSource], classes: Any) -> None:
        self._graph, self._sources = graph, sources
        self.classes = classes
        """csr_array, rows × classes."""

    @cached_property
    def values(self) -> Any:
        """csr_array, rows × classes: the votes for a class and, less, for those near it."""
        return sparse.csr_array(self.classes @ self._graph.nearness)

    def speakers(self, at: int, target: int, n: int) -> list[Supporter]:
        """The n words that said most for a class, of those of one row."""
        near = self._graph.nearness[[target]].toarray().ravel()
        found = []
        for one in self._sources:
            part = slice(one.weights.indptr[at], one.weights.indptr[at + 1])
            voters, alike = one.weights.indices[part], one.alike.data[part]
            entries = one.entries[voters]
            said = (self._graph.shares[entries] @ near) * one.weights.data[part] * one.share
            for entry, much, loud in zip(entries, alike, said, strict=True):
                if loud > 0:
                    word = self._graph.words[entry]
                    found.append(Supporter(word, float(much), one.by, float(loud)))
        whole = sum(one.share for one in found) or 1.0
        found.sort(key=lambda one: (-one.share, one.word))
        return [one._replace(share=one.share / whole) for one in found[:n]]


class NeighbourModel:
    """The known words of a corpus, and all words of a taxonomy, as voters for unknown ones."""

    def __init__(self, graph: Graph, counts: Counts) -> None:
        self.graph, self.counts = graph, counts
        self.folded = [fold(str(word)) for word in counts.words]
        rows = np.array([graph.rows.get(word, -1) for word in self.folded], dtype=np.int64)
        self.known: Ints = np.flatnonzero((rows >= 0) & (counts.word_totals > 0))
        if self.known.size < FEWEST:
            raise InputError(
                f"{graph.title}: {self.known.size:,} of its words are among the "
                f"{len(counts):,} of the corpus: expected {FEWEST} or more to place others by; "
                "is it another language, another part of speech, or too little text?"
            )
        self._entries = rows[self.known]
        self._endings = Endings(graph.words)

    @cached_property
    def usual(self) -> Floats:
        """What any word's votes count at each class, on the average over known words."""
        mean = np.asarray(self.graph.shares[self._entries].mean(axis=0), dtype=np.float32).ravel()
        return np.asarray(mean @ self.graph.nearness, dtype=np.float64)

    @cached_property
    def spelt(self) -> dict[str, list[int]]:
        """The rows of the counts that have each word, folded."""
        found: dict[str, list[int]] = {}
        for row in self.known.tolist():
            found.setdefault(self.folded[row], []).append(row)
        return found

    @cached_property
    def telling(self) -> Any:
        """How much each context tells about a word, in rows of length 1."""
        return weigh_contexts(self.counts)

    @cached_property
    def _alike(self) -> Similarity:
        counts = self.counts
        learnt = Representation.learn(counts.matrix, words=counts.words, contexts=counts.contexts)
        common = select_common_rows(counts.word_totals)
        vectors = StandardisedCosine(learnt.vectors.astype(np.float64), common)
        return Similarity(counts.word_totals, StandardisedCosine(self.telling, common), vectors)

    def by_contexts(self, rows: Ints) -> Any:
        """csr_array, rows × known words: similarities of the nearest; a family does not vote.

        The family of a word is itself, and words that it is a part of.
        """
        alike = self._alike.compare(rows)[:, self.known]
        for at, row in enumerate(rows):
            alike[at, self._family(self.folded[row])] = 0
        n = int(min(NEAREST, max(5, self.known.size // 10), self.known.size))
        best = np.argsort(-alike, axis=1, kind="stable")[:, :n]
        values = np.maximum(np.take_along_axis(alike, best, axis=1), 0)
        places = np.repeat(np.arange(rows.size), n), best.ravel()
        table = sparse.csr_array((values.ravel(), places), shape=alike.shape)
        table.eliminate_zeros()
        return table

    def by_endings(self, rows: Ints) -> Any:
        """csr_array, rows × words of the taxonomy: how many last signs they have in common."""
        found = (self._endings.alike(self.folded[row]) for row in rows)
        table = tabulate(found, len(self.graph.words))
        table.sort_indices()
        return table

    def votes(self, rows: Ints, spelt: float = SPELT) -> Votes:
        """The votes of known words for the classes of some rows; `spelt` of all by endings."""
        sources = [VoteSource("contexts", 1 - spelt, self.by_contexts(rows), self._entries)]
        if spelt:
            every = np.arange(len(self.graph.words))
            sources.append(VoteSource("ending", spelt, self.by_endings(rows), every))
        said = sum(one.share * (one.weights @ self.graph.shares[one.entries]) for one in sources)
        return Votes(self.graph, sources, sparse.csr_array(said, dtype=np.float32))

    @cached_property
    def _containing(self) -> dict[str, list[int]]:
        """The known words that each part, and each word whole, stands in."""
        found: dict[str, list[int]] = {}
        for at, row in enumerate(self.known):
            word = self.folded[row]
            for part in {word, *word.split(" ")}:
                found.setdefault(part, []).append(at)
        return found

    def _family(self, word: str) -> list[int]:
        first = word.split(" ")[0]
        return [
            at
            for at in self._containing.get(first, ())
            if is_part(word, self.folded[self.known[at]])
        ]


class Endings:
    """Words by how they end: sorted from the back, so that those alike stand together."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._order = sorted(range(len(words)), key=lambda at: _turn(words[at]))
        self._turned = [_turn(words[at]) for at in self._order]

    def alike(self, word: str) -> dict[int, int]:
        """The words that end most like a word, and how many signs they share.

        A blank before a word is one of its signs. Longer endings come first, until there are
        enough; of an ending with too many words, some are taken evenly. The family of a word,
        itself and words it is a part of, is left out.
        """
        turned, found = _turn(word), {}
        for length in range(len(turned), ENDING - 1, -1):
            begin = bisect_left(self._turned, turned[:length])
            end = bisect_left(self._turned, turned[:length] + _LAST)
            places: Sequence[int] = range(begin, end)
            if len(places) > MOST:
                places = [begin + at * len(places) // MOST for at in range(MOST)]
            for at in places:
                other = self._order[at]
                if other not in found and not is_part(word, self._words[other]):
                    found[other] = length
            if len(found) >= ENOUGH:
                break
        return found


def _turn(word: str) -> str:
    return f" {word}"[::-1]
