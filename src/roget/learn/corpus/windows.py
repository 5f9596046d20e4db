"""Contexts by nearness: the words up to so many places away in the same sentence."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from roget.errors import InputError, UnknownName
from roget.learn.corpus.base import NONE, Ids, Pairs, Tables, Tokens, add_tags

SIDES = ("both", "left", "right", "apart", "each")
"""Which neighbours count, and whether their side or place is part of the context's name."""


class Windows:
    """Draws from batches of tokens each word with its neighbours.

    Punctuation, where tags tell it, is left out and takes no place. A token without a word takes
    its place and pairs with nothing.
    """

    def __init__(self, window: int, sides: str, tables: Tables, tags: bool = False) -> None:
        if window < 1:
            raise InputError(f"window {window}: expected at least 1 place")
        if sides not in SIDES:
            raise UnknownName("side of a window", sides, SIDES)
        self._window, self._sides, self._tables, self._tags = window, sides, tables, tags

    def __call__(self, tokens: Tokens) -> Pairs:
        """The pairs of a batch: nearest neighbours first, those to the left before the right."""
        words, sentences = self._places(tokens)
        word, slot, context = [], [], []
        for distance in range(1, self._window + 1):
            before, after = words[:-distance], words[distance:]
            near = sentences[:-distance] == sentences[distance:]
            near &= (before != NONE) & (after != NONE)
            before, after = before[near], after[near]
            for name in self._names(distance):
                left = name[0] == "-"
                word.append(after if left else before)
                context.append(before if left else after)
                slot.append(np.full(before.size, self._slot(name), np.int32))
        return Pairs(np.concatenate(word), np.concatenate(slot), np.concatenate(context))

    def _places(self, tokens: Tokens) -> tuple[Ids, npt.NDArray[np.int64]]:
        """The words that take a place, and the sentence of each."""
        words = tokens.word
        sentences = np.repeat(np.arange(tokens.starts.size - 1), np.diff(tokens.starts))
        if self._tags:
            if tokens.upos is None:
                raise InputError("tags are wanted, but the text has none: use a tagger or a parser")
            words = add_tags(words, tokens.upos, self._tables)
        if tokens.upos is not None:
            placed = tokens.upos != self._tables.upos.id("PUNCT")
            words, sentences = words[placed], sentences[placed]
        return words, sentences

    def _names(self, distance: int) -> list[str]:
        """The neighbours wanted at a distance, as signed places."""
        wanted = {"left": "-", "right": "+"}.get(self._sides, "-+")
        return [f"{sign}{distance}" for sign in wanted]

    def _slot(self, name: str) -> int:
        if self._sides == "apart":
            name = "left" if name[0] == "-" else "right"
        elif self._sides != "each":
            name = ""
        return self._tables.slots.id(name)
