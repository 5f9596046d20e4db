"""Detect and join multiword terms, that is, adjacent words that rarely occur apart.

Two adjacent words a and b form a term if they are frequent enough and their normalised pointwise
mutual information, ln(p(a b) / (p(a) p(b))) / −ln p(a b), is high. Three words form a term if the
first two and the last two do. Function words and numbers are excluded. The method works for any
language.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from roget.core.types import BoolArray, Ints
from roget.learn.corpus.base import NONE, Ids, Tables, TextFilter, Tokens, require_parse

JOIN = "_"

_LEAST, _BOND = 8, 0.6
"""Minimum count of a term, and minimum normalised PMI of the words in it."""
_PARTS, _PARTICLE = ("compound", "flat", "fixed"), "compound:prt"
_NOMINAL, _LAST = ("ADJ", "NOUN", "PROPN"), ("NOUN", "PROPN")


def find_terms(
    batches: Iterable[Tokens],
    tables: Tables,
    function_words: Sequence[str] = (),
    chained: bool = False,
) -> tuple[str, ...]:
    """Return pairs of words that form a term, as "first second", most frequent first.

    With `chained`, a term must also be a compound or a name according to the parse.
    """
    words, dropped = tables.words, frozenset(function_words)
    pairs, bare = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    accepts = TextFilter(words, lambda text: text not in dropped and any(map(str.isalpha, text)))
    for tokens in batches:
        first, second = tokens.word[:-1].astype(np.int64), tokens.word[1:].astype(np.int64)
        near = _find_inside(tokens) & accepts(tokens.word[:-1]) & accepts(tokens.word[1:])
        if chained:
            near &= _find_chained(tokens, tables)
        elif tokens.upos is not None:
            near &= _find_nominal(tokens, tables)
        pairs.append(first[near] << 32 | second[near])
        bare.append(tokens.word[tokens.word != NONE].astype(np.int64))
    text = np.concatenate(bare)
    keys, n = np.unique(np.concatenate(pairs), return_counts=True)
    keys, n = keys[n >= _LEAST], n[n >= _LEAST]
    counts = np.bincount(text, minlength=len(words))
    first, second = keys >> 32, keys & 0xFFFFFFFF
    # NPMI = ln(p(a b) / (p(a) p(b))) / −ln p(a b), with p(a b) = n / N and p(a) = count(a) / N.
    share = n / max(text.size, 1)
    bond = np.log(n * (text.size / counts[first] / counts[second])) / -np.log(share)
    strong = np.flatnonzero(bond >= _BOND)
    strong = strong[np.argsort(-n[strong], kind="stable")]
    texts = words.texts
    return tuple(f"{texts[first[i]]} {texts[second[i]]}" for i in strong.tolist())


class Joiner:
    """Joins multiword terms.

    A term is a run of tokens in which every two adjacent words are a known pair.
    """

    def __init__(self, terms: Sequence[str], tables: Tables) -> None:
        self._tables, words = tables, tables.words
        keys = [words.id(a) << 32 | words.id(b) for a, b in map(str.split, terms)]
        self._keys: Ints = np.sort(np.array(keys, np.int64))

    def _find_bound(self, tokens: Tokens) -> BoolArray:
        """Return a mask of tokens that form a term with the next word."""
        word = tokens.word.astype(np.int64)
        return np.isin(word[:-1] << 32 | word[1:], self._keys) & _find_inside(tokens)

    def _name_term(self, words: Ids) -> int:
        """Return the id of a term: the given words joined by underscores."""
        texts = self._tables.words.texts
        return self._tables.words.id(JOIN.join(texts[one] for one in words.tolist()))

    def join_chains(self, tokens: Tokens) -> Tokens:
        """Join terms in a parsed batch.

        The head of a term becomes the term, and the words of its other tokens are removed.
        """
        if len(tokens) < 2:
            return tokens
        _, head, _ = require_parse(tokens)
        bound = self._find_bound(tokens) & _find_chained(tokens, self._tables)
        first, starts, ends = _find_runs(bound)
        run = np.cumsum(first) - 1
        many = ends - starts > 1
        inside = np.flatnonzero(many[run])
        word = tokens.word.copy()
        word[inside] = NONE
        begin, end = tokens.locate(np.arange(len(tokens)))
        # The head of a term is the last token whose own head is outside the term.
        outer = inside[(head[inside] == NONE) | (run[head[inside]] != run[inside])]
        for i, at in {int(run[at]): at for at in outer.tolist()}.items():
            word[at] = self._name_term(tokens.word[starts[i] : ends[i]])
            begin[at], end[at] = starts[i], ends[i] - 1
        return replace(tokens, word=word, spans=(begin, end))

    def __call__(self, tokens: Tokens) -> Tokens:
        """Join each term into a single token.

        Heads and labels are dropped, because token indices change.
        """
        if len(tokens) < 2:
            return tokens
        bound = self._find_bound(tokens)
        if tokens.upos is not None:
            bound &= _find_nominal(tokens, self._tables)
        first, starts, ends = _find_runs(bound)
        joined = tokens.word[starts]
        for i in np.flatnonzero(ends - starts > 1).tolist():
            joined[i] = self._name_term(tokens.word[starts[i] : ends[i]])
        begins = np.append(0, np.cumsum(first))[tokens.starts]
        upos = None if tokens.upos is None else tokens.upos[ends - 1]
        spans = starts.astype(np.int32), (ends - 1).astype(np.int32)
        return replace(
            tokens, starts=begins, word=joined, upos=upos, head=None, deprel=None, spans=spans
        )


def _find_runs(bound: BoolArray) -> tuple[BoolArray, Ints, Ints]:
    """Find the runs of joined tokens. Return a mask of first tokens, and all starts and ends."""
    first = np.append(True, ~bound)
    starts = np.flatnonzero(first)
    return first, starts, np.append(starts[1:], first.size)


def _find_inside(tokens: Tokens) -> BoolArray:
    """Return a mask of tokens with a word, before another token with a word."""
    inside: BoolArray = (tokens.word[:-1] != NONE) & (tokens.word[1:] != NONE)
    ends = tokens.starts[1:-1] - 1
    inside[ends[ends < inside.size]] = False
    return inside


def _find_chained(tokens: Tokens, tables: Tables) -> BoolArray:
    """Return a mask of tokens in the same compound or name as the next token.

    One of the two depends on the other, or both depend on a third token.
    """
    upos, head, deprel = require_parse(tokens)
    part = TextFilter(
        tables.deprels, lambda label: label.split(":")[0] in _PARTS and label != _PARTICLE
    )
    is_part = part(deprel) & (head != NONE)
    noun = TextFilter(tables.upos, _LAST.__contains__)(upos)
    here = np.arange(len(tokens) - 1)
    first, second = is_part[:-1], is_part[1:]
    linked = (first & (head[:-1] == here + 1)) | (second & (head[1:] == here))
    linked |= first & second & (head[:-1] == head[1:])
    return np.asarray(linked & noun[:-1] & noun[1:])


def _find_nominal(tokens: Tokens, tables: Tables) -> BoolArray:
    """Return a mask of nouns and adjectives that are followed by a noun."""
    assert tokens.upos is not None
    first, second = (TextFilter(tables.upos, tags.__contains__) for tags in (_NOMINAL, _LAST))
    return np.asarray(first(tokens.upos[:-1]) & second(tokens.upos[1:]))
