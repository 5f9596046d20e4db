"""HanTa, the tagger, asked less often: the same tags and lemmas as its `tag_sent`, only sooner.

HanTa analyses a word anew wherever it stands, and tries all tags where few can be. Here each word
is analysed once, and the search over a sentence is compiled; sums and ties come out the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from roget.core.types import Floats
from roget.errors import MissingExtra
from roget.learn.corpus import hanta_kernel as kernel

LONGEST_WORD = 50
"""Characters; longer ones are not analysed (the time grows with the square) but fit any tag."""

_KEPT = 1 << 18
"""Analyses kept in memory before they are forgotten."""


class Tagger:
    """A HanTa model with a memory. Making one unpickles a file of the HanTa package."""

    def __init__(self, file: str) -> None:
        try:
            import HanTa
            from HanTa.HanoverTagger import EMPTY, END, START, UNKNOWN, HanoverTagger
        except ImportError:
            raise MissingExtra("HanTa", "tagger", "tagging plain text") from None
        # By its bare name, a file of that name in the working directory would be unpickled.
        self._model: Any = HanoverTagger(str(Path(HanTa.__file__).with_name(file)))
        names = self._model.int2tag
        self._unknown = UNKNOWN
        order = [tag for tag in self._model.LP_trans_word[EMPTY, START] if tag != END]
        self._rank = {tag: rank for rank, tag in enumerate(order)}
        self.names = [names[tag] for tag in order]
        numbers = {**self._rank, START: len(order), END: len(order), EMPTY: len(order) + 1}
        self._transitions = _dense(self._model.LP_trans_word, numbers)
        self.seen = {
            word: frozenset(names[tag] for tag, _ in tags)
            for word, tags in self._model.cache.items()
        }
        """The tags that frequent words had where the model was trained."""
        self._forget()
        self._lemmas: dict[tuple[str, str], str] = {}

    def _forget(self) -> None:
        self._numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._offsets = [0]
        self._tags: list[int] = []
        self._fits: list[float] = []

    def tags(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """The tags of each sentence; none may be empty."""
        if len(self._offsets) > _KEPT:
            self._forget()
        words = [
            self._number(word, first=i == 0) for one in sentences for i, word in enumerate(one)
        ]
        ends = np.cumsum([0, *map(len, sentences)])
        found = kernel.best(
            ends,
            np.array(words, np.int64),
            np.array(self._offsets, np.int64),
            np.array(self._tags, np.int64),
            np.array(self._fits, np.float64),
            self._transitions,
        )
        names = list(map(self.names.__getitem__, found.tolist()))
        return [names[a:b] for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]

    def _number(self, word: str, first: bool) -> int:
        """The number of a word's candidates; a capital says nothing where a sentence begins."""
        numbers = self._numbers[first]
        found = numbers.get(word)
        if found is None:
            found = numbers[word] = len(self._offsets) - 1
            candidates = self._candidates(word, first)
            self._tags += [tag for tag, _ in candidates]
            self._fits += [fit for _, fit in candidates]
            self._offsets.append(len(self._tags))
        return found

    def _candidates(self, word: str, first: bool) -> list[tuple[int, float]]:
        """The tags that a word can have and their log-probabilities, in HanTa's order."""
        fits = {}
        if len(word) <= LONGEST_WORD:
            fits = dict(self._model._tag_word(word, 5, casesensitive=not first, conditional=True))
        known = sorted((self._rank[tag], fit) for tag, fit in fits.items() if tag != self._unknown)
        return known or [(rank, 0.0) for rank in self._rank.values()]

    def lemma(self, word: str, tag: str) -> str:
        """The lemma of a word with a tag."""
        found = self._lemmas.get((word, tag))
        if found is None:
            if len(self._lemmas) >= _KEPT:
                self._lemmas.clear()
            found = word.lower()
            if len(word) <= LONGEST_WORD:
                found = self._model._analyze(word, self._model.tag2int[tag])[0]
            self._lemmas[word, tag] = found
        return found


def _dense(transitions: dict[tuple[int, int], dict[int, float]], numbers: dict[int, int]) -> Floats:
    """Log-probabilities by the numbers of two tags and the next."""
    size = max(numbers.values())
    dense = np.full((size + 1, size, size), -np.inf)
    tags: list[int] = []
    for (last, now), after in transitions.items():
        if last in numbers and now in numbers:
            if list(after) != tags:
                tags = list(after)
                columns = np.array([numbers[tag] for tag in tags])
            dense[numbers[last], numbers[now], columns] = list(after.values())
    return dense
