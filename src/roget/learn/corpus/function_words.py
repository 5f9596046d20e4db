"""Detect function words in any language, without a word list.

A function word such as "the" or "de" is frequent. It occurs all over the text, whereas content
words come in bursts (measured by Church and Gale's residual inverse document frequency). The words
before or after it are about as diverse as a random sample of words.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from roget.core.types import Floats, Ints
from roget.learn.corpus.base import NONE, Strings, Tokens

LEAST = 5000
"""Minimum number of tokens in a text for detecting function words."""

_SHARE, _BURST, _SPREAD = 0.0015, 0.25, 0.8
"""Thresholds for function words.

The first is the minimum relative frequency, the second the maximum burstiness in bits, and the
third the minimum entropy of the neighbours, relative to a random sample of words.
"""
_TOP_SHARE, _TOP_SPREAD = 0.0025, 0.6
"""Minimum relative frequency and minimum entropy ratio of very frequent function words.

Such words, e.g. pronouns, may be bursty.
"""
_CHUNK, _CHUNKS = 1000, 40
"""Number of tokens per chunk for measuring burstiness, and minimum number of chunks.

Short texts use smaller chunks.
"""


def find_function_words(batches: Iterable[Tokens], words: Strings) -> tuple[str, ...]:
    """Return the function words of a text, most frequent first.

    The result is empty if the text is too short.
    """
    # Insert NONE after each sentence, so that words of different sentences are not neighbours.
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
    """Return the burstiness of words in bits, log2(expected / observed number of chunks).

    The expected number, for n occurrences placed at random in C chunks, is C (1 − exp(−n / C)).
    """
    size = min(_CHUNK, text.size // _CHUNKS)
    chunks = text.size // size
    keys = np.unique(text[: chunks * size] * chunks + np.arange(chunks * size) // size)
    seen = np.bincount(keys // chunks, minlength=counts.size)[chosen]
    chance = -np.expm1(-counts[chosen] / chunks)
    return np.asarray(np.log2(chance) - np.log2(np.maximum(seen, 1) / chunks))


def _measure_spreads(tokens: Ints, chosen: Ints) -> Floats:
    """Return the entropy of each word's left or right neighbours, whichever is higher."""
    sides = [(tokens[1:], tokens[:-1]), (tokens[:-1], tokens[1:])]
    return np.asarray(np.max([_measure_entropies(*side, chosen) for side in sides], axis=0))


def _measure_entropies(word: Ints, neighbour: Ints, chosen: Ints) -> Floats:
    """Return ln N − Σ n ln n / N, the entropy of each chosen word's neighbours."""
    near = np.isin(word, chosen) & (neighbour != NONE)
    width = int(neighbour.max()) + 1
    keys, n = np.unique(word[near] * width + neighbour[near], return_counts=True)
    owner = np.searchsorted(chosen, keys // width)
    totals = np.bincount(owner, n, chosen.size)
    logs = np.bincount(owner, n * np.log(n), chosen.size)
    return np.asarray(np.log(np.maximum(totals, 1)) - logs / np.maximum(totals, 1))


def _expect_entropies(counts: Ints, sizes: Ints) -> Floats:
    """Return the expected neighbour entropy for random samples of words.

    It is computed for about 20 sample sizes and interpolated.
    """
    generator, shares = np.random.default_rng(0), counts / counts.sum()
    tried = np.unique(np.geomspace(sizes.min(), sizes.max(), 20).astype(np.int64))
    drawn = (generator.multinomial(size, shares) for size in tried.tolist())
    logs = [float((n * np.log(np.maximum(n, 1))).sum()) for n in drawn]
    return np.asarray(np.interp(np.log(sizes), np.log(tried), np.log(tried) - logs / tried))
