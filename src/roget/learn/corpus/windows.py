"""Window contexts, which are the words within N positions in the same sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from roget.core.types import BoolArray
from roget.errors import InputError, UnknownName
from roget.learn.corpus import SIDES
from roget.learn.corpus.base import (
    NONE,
    Ids,
    PairColumns,
    Tables,
    TextFilter,
    Tokens,
    add_tags,
)
from roget.learn.corpus.lemma_repair import is_number
from roget.learn.corpus.terms import Joiner

_OPEN = ("ADJ", "ADV", "NOUN", "PROPN", "VERB", "X")
"""UPOS tags of open word classes (content words)."""


class Windows:
    """Extract pairs of words and their neighbours from batches of tokens.

    In tagged text, punctuation does not count towards distances. If `function_words` is passed,
    these words, numbers and words tagged as function words do not count either. A token without a
    word keeps its position but forms no pairs. With `per_one`, a common multiple of all distances,
    a neighbour at distance d is counted per_one/d times. Multiword terms are joined first (see
    `terms`).
    """

    def __init__(
        self,
        window: int,
        sides: str,
        tables: Tables,
        tags: bool = False,
        per_one: int | None = None,
        function_words: Iterable[str] | None = None,
        terms: Sequence[str] = (),
    ) -> None:
        if window < 1:
            raise InputError(f"window is {window}, but must be at least 1", code="invalid-option")
        if sides not in SIDES:
            raise UnknownName("side of a window", sides, SIDES)
        self._window, self._sides, self._tables, self._tags = window, sides, tables, tags
        self._per_one = per_one
        self._lefts = {"left": (True,), "right": (False,)}.get(sides, (True, False))
        self._join = Joiner(terms, tables) if terms else None
        self._drops = function_words is not None
        dropped = frozenset(function_words or ())
        self._is_dropped = TextFilter(tables.words, lambda text: text in dropped or is_number(text))
        self._is_open = TextFilter(tables.upos, _OPEN.__contains__)

    def __call__(self, tokens: Tokens) -> PairColumns:
        """Return the pairs of a batch, ordered by distance, with left neighbours first."""
        tokens = self._join(tokens) if self._join else tokens
        words = self._find_words(tokens)
        placed = np.flatnonzero(self._find_placed(tokens))
        sentences = np.repeat(np.arange(tokens.starts.size - 1), np.diff(tokens.starts))[placed]
        worded = words[placed] != NONE
        slots, times, words_at, contexts_at = [], [], [], []
        for distance in range(1, self._window + 1):
            # Compare the tokens with the tokens `distance` positions later. Keep pairs of words in
            # the same sentence.
            near = sentences[:-distance] == sentences[distance:]
            near &= worded[:-distance] & worded[distance:]
            first, second = placed[:-distance][near], placed[distance:][near]
            for left in self._lefts:
                words_at.append(second if left else first)
                contexts_at.append(first if left else second)
                slots.append(np.full(first.size, self._find_slot(left, distance), np.int32))
                times.append(np.full(first.size, (self._per_one or 0) // distance, np.int64))
        slot, at, context_at = map(np.concatenate, (slots, words_at, contexts_at))
        weights = np.concatenate(times) if self._per_one else None
        places = tokens.find_places(at, context_at)
        return PairColumns(words[at], slot, words[context_at], weights, places)

    def _find_words(self, tokens: Tokens) -> Ids:
        """Return the words of a batch, with their tags if requested."""
        if not self._tags:
            return tokens.word
        if tokens.upos is None:
            raise InputError(
                "--tags requires tagged text, but this text has no tags; use a reader that tags "
                "or parses it",
                code="not-parsed",
            )
        return add_tags(tokens.word, tokens.upos, self._tables)

    def _find_placed(self, tokens: Tokens) -> BoolArray:
        """Return a mask of tokens that count towards distances in the window."""
        placed = np.ones(len(tokens), np.bool_)
        if tokens.upos is not None:
            placed &= tokens.upos != self._tables.upos.id("PUNCT")
        if self._drops:
            placed &= ~self._is_dropped(tokens.word)
            if tokens.upos is not None:
                placed &= self._is_open(tokens.upos) | (tokens.upos == NONE)
        return placed

    def _find_slot(self, left: bool, distance: int) -> int:
        """Return the part of a context's name that shows the side or distance of the neighbour."""
        side, sign = ("left", "-") if left else ("right", "+")
        names = {"apart": side, "each": f"{sign}{distance}"}
        return self._tables.slots.id(names.get(self._sides, ""))
