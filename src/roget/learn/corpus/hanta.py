"""A faster implementation of the HanTa tagger, with the same results as HanTa's `tag_sent`.

HanTa analyses a word again at every occurrence and tries all tags. Here each word is analysed once
(see `morphemes`), and the Viterbi search over a sentence is compiled.

A state of the search is a pair of tags of two consecutive tokens. To get the same results, sums,
ties and pruning follow HanTa exactly. States are visited in the order in which they were first
reached, and the first of several equally good states wins. If there are more than five states,
those more than one nat below the sixth best are pruned.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from roget.catalogue import name_extra
from roget.core.kernels.jit import compiled, compiled_within
from roget.core.types import Floats, Ints
from roget.learn.corpus.morphemes import Morphemes

LONGEST_WORD = 50
"""Maximum length of a word in characters. For longer words, every tag is considered possible,
because the analysis takes quadratic time.
"""

_KEPT = 1 << 18
"""Maximum number of entries in each of the two caches (analyses and lemmas)."""

_LOWEST = -1e6
_LAST, _NOW, _CAME = range(3)


class Tagger:
    """A HanTa model with caches. The constructor unpickles a file from the HanTa package."""

    def __init__(self, file: str) -> None:
        with name_extra():
            import HanTa.HanoverTagger as Hanta
        # Pass the full path. With a bare name, HanTa would unpickle a file of that name in the
        # working directory.
        self._model: Any = Hanta.HanoverTagger(str(Path(Hanta.__file__).with_name(file)))
        empty, start, self._unknown = Hanta.EMPTY, Hanta.START, Hanta.UNKNOWN
        Morphemes(self._model, empty, start, (self._unknown, Hanta.END_UNKNOWN))
        names = self._model.int2tag
        order = [tag for tag in self._model.LP_trans_word[empty, start] if tag != Hanta.END]
        self._rank = {tag: rank for rank, tag in enumerate(order)}
        self.names = [names[tag] for tag in order]
        numbers = {**self._rank, start: len(order), Hanta.END: len(order), empty: len(order) + 1}
        self._transitions = _make_dense(self._model.LP_trans_word, numbers)
        self.seen = {
            word: frozenset(names[tag] for tag, _ in tags)
            for word, tags in self._model.cache.items()
        }
        """Tags of the frequent words in HanTa's training data, keyed by word."""
        self._candidates = lru_cache(_KEPT)(self._find_candidates)
        self.lemma = lru_cache(_KEPT)(self._find_lemma)

    def tags(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """Return the tags of the words in each sentence. Sentences must not be empty."""
        numbers: dict[tuple[str, bool], int] = {}
        words = [
            numbers.setdefault((word, i == 0), len(numbers))
            for one in sentences
            for i, word in enumerate(one)
        ]
        known = [self._candidates(*word) for word in numbers]
        ends = np.cumsum([0, *map(len, sentences)])
        found = _find_best_tags(
            ends,
            np.array(words, np.int64),
            np.cumsum([0, *(len(tags) for tags, _ in known)]),
            np.fromiter(chain.from_iterable(tags for tags, _ in known), np.int64),
            np.fromiter(chain.from_iterable(fits for _, fits in known), np.float64),
            self._transitions,
        )
        names = list(map(self.names.__getitem__, found.tolist()))
        return [names[a:b] for a, b in pairwise(ends.tolist())]

    def _find_candidates(self, word: str, first: bool) -> list[tuple[Any, ...]]:
        """Return the possible tags of a word and their log-probabilities, in HanTa's order.

        For the first word of a sentence, capitals are ignored.
        """
        fits = {}
        if len(word) <= LONGEST_WORD:
            fits = dict(self._model._tag_word(word, 5, casesensitive=not first, conditional=True))
        known = sorted((self._rank[tag], fit) for tag, fit in fits.items() if tag != self._unknown)
        return [*zip(*(known or [(rank, 0.0) for rank in self._rank.values()]), strict=True)]

    def _find_lemma(self, word: str, tag: str) -> str:
        if len(word) > LONGEST_WORD:
            return word.lower()
        return str(self._model._analyze(word, self._model.tag2int[tag])[0])


def _make_dense(
    transitions: dict[tuple[int, int], dict[int, float]], numbers: dict[int, int]
) -> Floats:
    """Return transition log-probabilities as an array indexed by two tags and the next tag."""
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


@compiled_within
def _extend_states(
    states: Ints, totals: Floats, begin: int, end: int, tags: Ints, fits: Floats,
    transitions: Floats, place: Ints,
) -> int:  # fmt: skip
    """Append the states reachable with the next token, and return the new number of states."""
    count = transitions.shape[1] - 1
    # 1. Prune states more than 1 nat below the sixth best.
    lowest, stop = _LOWEST, end
    if end - begin > 5:
        lowest = np.sort(totals[begin:end])[end - begin - 6] - 1
    # 2. Extend each remaining state by each possible tag of the token.
    for state in range(begin, end):
        if totals[state] < lowest:
            continue
        last, now = states[_LAST, state], states[_NOW, state]
        for k in range(tags.size):
            total = totals[state] + transitions[last, now, tags[k]] + fits[k]
            if total <= _LOWEST:
                continue
            # 3. place[key] is the index of the state with this pair of tags, or -1. Keep the path
            #    with the higher log-probability.
            key = now * count + tags[k]
            if place[key] < 0:
                place[key] = stop
                states[_LAST, stop], states[_NOW, stop], states[_CAME, stop] = now, tags[k], state
                totals[stop] = total
                stop += 1
            elif total > totals[place[key]]:
                totals[place[key]], states[_CAME, place[key]] = total, state
    for state in range(end, stop):
        place[states[_LAST, state] * count + states[_NOW, state]] = -1
    return stop


@compiled
def _find_best_tags(
    sentences: Ints, words: Ints, offsets: Ints, tags: Ints, fits: Floats, transitions: Floats
) -> Ints:
    """Return the best tag of each token, by a second-order Viterbi search.

    The words of sentence s are words[sentences[s]:sentences[s + 1]]. The possible tags of word w
    are tags[offsets[w]:offsets[w + 1]], with log-probabilities `fits`. transitions[a, b, c] is the
    log-probability of tag c after tags a and b. Tag T (the number of tags) stands for START and
    END, and T + 1 for EMPTY.
    """
    end_tag = transitions.shape[1] - 1
    found = np.empty(words.size, np.int64)
    place = np.full((end_tag + 1) * end_tag, -1, np.int64)
    states, totals = np.empty((3, 1 << 12), np.int64), np.empty(1 << 12, np.float64)
    for s in range(sentences.size - 1):
        states[_LAST, 0], states[_NOW, 0], totals[0] = end_tag + 1, end_tag, 0.0
        begin, end = 0, 1
        for t in range(sentences[s], sentences[s + 1]):
            first, past = offsets[words[t]], offsets[words[t] + 1]
            need = end + (end - begin) * (past - first)
            if need > totals.size:
                # Enlarge the arrays of states if they are too small for the next token.
                more, sums = np.empty((3, 2 * need), np.int64), np.empty(2 * need, np.float64)
                more[:, :end], sums[:end] = states[:, :end], totals[:end]
                states, totals = more, sums
            stop = _extend_states(
                states, totals, begin, end, tags[first:past], fits[first:past], transitions, place
            )
            begin, end = end, stop
        # Choose the best final state, including the transition to END, and trace it back.
        highest, state = -np.inf, begin
        for last in range(begin, end):
            total = totals[last] + transitions[states[_LAST, last], states[_NOW, last], end_tag]
            if total > highest:
                highest, state = total, last
        for t in range(sentences[s + 1] - 1, sentences[s] - 1, -1):
            found[t] = states[_NOW, state]
            state = states[_CAME, state]
    return found
