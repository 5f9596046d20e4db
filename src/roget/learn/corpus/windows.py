"""Contexts by nearness: the words up to so many places away in the same sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from roget.core.types import BoolArray
from roget.errors import InputError, UnknownName
from roget.learn.corpus import SIDES
from roget.learn.corpus.base import NONE, Ids, Pairs, Places, Tables, Tokens, add_tags
from roget.learn.corpus.relations import Choice
from roget.learn.corpus.terms import Joiner

_OPEN = ("ADJ", "ADV", "NOUN", "PROPN", "VERB", "X")
"""Parts of speech that are no function words'."""


class Windows:
    """Draws from batches of tokens each word with its neighbours.

    Punctuation, where tags tell it, is left out and takes no place. A token without a word takes
    its place and pairs with nothing. Function words, if they are given, take no place either;
    where there are tags, these tell them too. With `per_one`, which is such a multiple that all are
    whole numbers, a neighbour d places away counts per_one/d times. Terms (see there) are words.
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
            raise InputError(f"window {window}: expected at least 1 place")
        if sides not in SIDES:
            raise UnknownName("side of a window", sides, SIDES)
        self._window, self._sides, self._tables, self._tags = window, sides, tables, tags
        self._per_one = per_one
        self._join = Joiner(terms, tables) if terms else None
        self._drops = function_words is not None
        dropped = frozenset(function_words or ())
        self._is_dropped = Choice(tables.words, dropped.__contains__)
        self._is_open = Choice(tables.upos, _OPEN.__contains__)

    def __call__(self, tokens: Tokens) -> Pairs:
        """The pairs of a batch: nearest neighbours first, those to the left before the right."""
        tokens = self._join(tokens) if self._join else tokens
        words, sentences, places = self._list_places(tokens)
        word, slot, context, times = [], [], [], []
        at, beside = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
        for distance in range(1, self._window + 1):
            before, after = words[:-distance], words[distance:]
            near = sentences[:-distance] == sentences[distance:]
            near &= (before != NONE) & (after != NONE)
            before, after = before[near], after[near]
            first, second = places[:-distance][near], places[distance:][near]
            for name in self._name_places(distance):
                left = name[0] == "-"
                word.append(after if left else before)
                context.append(before if left else after)
                slot.append(np.full(before.size, self._find_slot(name), np.int32))
                times.append(np.full(before.size, (self._per_one or 0) // distance, np.int64))
                at.append(second if left else first)
                beside.append(first if left else second)
        return Pairs(
            np.concatenate(word),
            np.concatenate(slot),
            np.concatenate(context),
            np.concatenate(times) if self._per_one else None,
            None
            if tokens.written is None
            else Places(*(tokens.locate(np.concatenate(one)) for one in (at, beside))),
        )

    def _list_places(
        self, tokens: Tokens
    ) -> tuple[Ids, npt.NDArray[np.int64], npt.NDArray[np.intp]]:
        """The words that take a place, the sentence of each, and which tokens they are."""
        words = tokens.word
        sentences = np.repeat(np.arange(tokens.starts.size - 1), np.diff(tokens.starts))
        if self._tags:
            if tokens.upos is None:
                raise InputError("tags are wanted, but the text has none: use a tagger or a parser")
            words = add_tags(words, tokens.upos, self._tables)
        placed = np.flatnonzero(self._find_placed(tokens))
        return words[placed], sentences[placed], placed

    def _find_placed(self, tokens: Tokens) -> BoolArray:
        """Which tokens take a place."""
        placed = np.ones(len(tokens), np.bool_)
        if tokens.upos is not None:
            placed &= tokens.upos != self._tables.upos.id("PUNCT")
        if self._drops:
            placed &= ~self._is_dropped(tokens.word)
            if tokens.upos is not None:
                placed &= self._is_open(tokens.upos) | (tokens.upos == NONE)
        return placed

    def _name_places(self, distance: int) -> list[str]:
        """The neighbours wanted at a distance, as signed places."""
        wanted = {"left": "-", "right": "+"}.get(self._sides, "-+")
        return [f"{sign}{distance}" for sign in wanted]

    def _find_slot(self, name: str) -> int:
        if self._sides == "apart":
            name = "left" if name[0] == "-" else "right"
        elif self._sides != "each":
            name = ""
        return self._tables.slots.id(name)
