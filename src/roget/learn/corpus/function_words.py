"""The function words of a text in any language: frequent, everywhere, and beside anything.

No list is needed. A word such as "the" or "de" is frequent; it is spread over the text as if its
occurrences were thrown at random, while those of a word with a topic come in bursts (Church &
Gale's residual inverse document frequency tells them apart); and on one side at least its
neighbours are about as many different ones as any words drawn at random would be.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from roget.core.types import Floats, Ints
from roget.learn.corpus.base import NONE, Strings, Tokens

LEAST = 5000
"""Tokens below which a text does not tell."""

_SHARE, _BURST, _SPREAD = 0.0015, 0.25, 0.8
"""A function word is at least so frequent, at most so bursty (bits) and has such neighbours."""
_TOP_SHARE, _TOP_SPREAD = 0.0025, 0.6
"""So is what is that frequent, be it bursty (pronouns are)."""
_CHUNK, _CHUNKS = 1000, 40
"""Tokens of a stretch of text, fewer where there would not be so many stretches."""


def find_function_words(batches: Iterable[Tokens], words: Strings) -> tuple[str, ...]:
    """The function words of some text, the most frequent first; none if it is too short to tell."""
    # With NONE between sentences.
    read = [np.insert(one.word.astype(np.int64), one.starts[1:], NONE) for one in batches]
    tokens = np.concatenate([np.empty(0, np.int64), *read])
    text = tokens[tokens != NONE]
    if text.size < LEAST:
        return ()
    counts = np.bincount(text, minlength=len(words))
    frequent = np.flatnonzero(counts >= _SHARE * text.size)
    burst = _measure_bursts(text, counts, frequent)
    expected = _expect_entropies(counts, counts[frequent])
    spread = _measure_spreads(tokens, frequent) / expected
    share = counts[frequent] / text.size
    found = (burst <= _BURST) & (spread >= _SPREAD)
    found |= (share >= _TOP_SHARE) & (spread >= _TOP_SPREAD)
    chosen = sorted(frequent[found].tolist(), key=lambda word: (-counts[word], words.texts[word]))
    return tuple(words.texts[word] for word in chosen)


def _measure_bursts(text: Ints, counts: Ints, chosen: Ints) -> Floats:
    """By how many bits words stand in fewer stretches of text than chance would have it."""
    size = min(_CHUNK, text.size // _CHUNKS)
    stretches = text.size // size
    keys = np.unique(text[: stretches * size] * stretches + np.arange(stretches * size) // size)
    seen = np.bincount(keys // stretches, minlength=counts.size)[chosen]
    chance = -np.expm1(-counts[chosen] / stretches)
    return np.asarray(np.log2(chance) - np.log2(np.maximum(seen, 1) / stretches))


def _measure_spreads(tokens: Ints, chosen: Ints) -> Floats:
    """The entropy of words' neighbours, to the left or to the right, whichever is larger."""
    sides = [(tokens[1:], tokens[:-1]), (tokens[:-1], tokens[1:])]
    return np.asarray(np.max([_measure_entropies(*side, chosen) for side in sides], axis=0))


def _measure_entropies(word: Ints, neighbour: Ints, chosen: Ints) -> Floats:
    near = np.isin(word, chosen) & (neighbour != NONE)
    width = int(neighbour.max()) + 1
    keys, n = np.unique(word[near] * width + neighbour[near], return_counts=True)
    owner = np.searchsorted(chosen, keys // width)
    totals = np.bincount(owner, n, chosen.size)
    logs = np.bincount(owner, n * np.log(n), chosen.size)
    return np.asarray(np.log(np.maximum(totals, 1)) - logs / np.maximum(totals, 1))


def _expect_entropies(counts: Ints, sizes: Ints) -> Floats:
    """The entropy of so many words drawn at random from a text."""
    generator, shares = np.random.default_rng(0), counts / counts.sum()
    tried = np.unique(np.geomspace(sizes.min(), sizes.max(), 20).astype(np.int64))
    drawn = (generator.multinomial(size, shares) for size in tried.tolist())
    logs = [float((n * np.log(np.maximum(n, 1))).sum()) for n in drawn]
    return np.asarray(np.interp(np.log(sizes), np.log(tried), np.log(tried) - logs / tried))
