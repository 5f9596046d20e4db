"""Terms of several words in any language: neighbours that are often together and seldom apart.

Two words in a row make a term if the text has them often enough and their normalised pointwise
mutual information, ln(p(a b) / p(a) p(b)) / −ln p(a b), is high; three, if the first two do and the
last two. Function words and numbers belong to no term.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from roget.core.types import BoolArray, Ints
from roget.learn.corpus.base import NONE, Tables, Tokens
from roget.learn.corpus.relations import Choice

JOIN = "_"

_LEAST, _BOND = 8, 0.6
_NOMINAL, _LAST = ("ADJ", "NOUN", "PROPN"), ("NOUN", "PROPN")


def find_terms(
    batches: Iterable[Tokens], tables: Tables, function_words: Sequence[str]
) -> tuple[str, ...]:
    """Pairs of words that make a term, as "first second", the most frequent first."""
    words, dropped = tables.words, frozenset(function_words)
    pairs, bare = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    wanted = Choice(words, lambda text: text not in dropped and any(map(str.isalpha, text)))
    for tokens in batches:
        first, second = tokens.word[:-1].astype(np.int64), tokens.word[1:].astype(np.int64)
        near = _inside(tokens) & wanted(tokens.word[:-1]) & wanted(tokens.word[1:])
        if tokens.upos is not None:
            near &= _nominal(tokens, tables)
        pairs.append(first[near] << 32 | second[near])
        bare.append(tokens.word[tokens.word != NONE].astype(np.int64))
    text = np.concatenate(bare)
    keys, n = np.unique(np.concatenate(pairs), return_counts=True)
    keys, n = keys[n >= _LEAST], n[n >= _LEAST]
    counts = np.bincount(text, minlength=len(words))
    first, second = keys >> 32, keys & 0xFFFFFFFF
    share = n / max(text.size, 1)
    bond = np.log(n * (text.size / counts[first] / counts[second])) / -np.log(share)
    strong = np.flatnonzero(bond >= _BOND)
    strong = strong[np.argsort(-n[strong], kind="stable")]
    texts = words.texts
    return tuple(f"{texts[first[i]]} {texts[second[i]]}" for i in strong.tolist())


class Joiner:
    """Makes one token of those in a row of which every two are a term."""

    def __init__(self, terms: Sequence[str], tables: Tables) -> None:
        self._tables, words = tables, tables.words
        keys = [words.id(a) << 32 | words.id(b) for a, b in map(str.split, terms)]
        self._keys: Ints = np.sort(np.array(keys, np.int64))

    def __call__(self, tokens: Tokens) -> Tokens:
        """The batch with its terms joined; heads, which they would change, are left out."""
        if len(tokens) < 2:
            return tokens
        word = tokens.word.astype(np.int64)
        bound = np.isin(word[:-1] << 32 | word[1:], self._keys) & _inside(tokens)
        if tokens.upos is not None:
            bound &= _nominal(tokens, self._tables)
        after = np.append(False, bound)  # joined to the token before it
        starts = np.flatnonzero(~after)
        ends = np.append(starts[1:], len(tokens))
        joined = tokens.word[starts]
        texts = self._tables.words.texts
        for i in np.flatnonzero(ends - starts > 1).tolist():
            run = tokens.word[starts[i] : ends[i]].tolist()
            joined[i] = self._tables.words.id(JOIN.join(texts[one] for one in run))
        places = np.cumsum(~after)
        begins = np.append(0, places)[tokens.starts]
        upos = None if tokens.upos is None else tokens.upos[ends - 1]
        return replace(tokens, starts=begins, word=joined, upos=upos, head=None, deprel=None)


def _inside(tokens: Tokens) -> BoolArray:
    """Which tokens have a next one in their sentence, both with a word."""
    inside: BoolArray = (tokens.word[:-1] != NONE) & (tokens.word[1:] != NONE)
    ends = tokens.starts[1:-1] - 1
    inside[ends[ends < inside.size]] = False
    return inside


def _nominal(tokens: Tokens, tables: Tables) -> BoolArray:
    """Which tokens, with the next one, can be part of a noun phrase that ends in a noun."""
    assert tokens.upos is not None
    first, second = (Choice(tables.upos, tags.__contains__) for tags in (_NOMINAL, _LAST))
    found: BoolArray = first(tokens.upos[:-1]) & second(tokens.upos[1:])
    return found
