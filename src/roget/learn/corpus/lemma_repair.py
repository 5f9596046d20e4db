"""Nouns that are none, and lemmas that the text itself speaks against.

Taggers take "something" and "km" for nouns, lemmatisers make taxes, data and knives into taxis,
datum and knive. What the text has of tags, numerals, forms and lemmas tells most of that without
knowing its language: a lemma that never stands as a word of its own, while another one does that
the form can come from as other forms do, is wrong.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from roget.core.types import BoolArray, Ints
from roget.learn.corpus.base import NONE, Tables, Tokens, map_pairs
from roget.learn.corpus.relations import RelationFilter, need_parse

INDEFINITE = re.compile(r"(some|any|no|every)(thing|one|body)|(an)?others?|ones?")
"""English pronouns that are tagged as nouns nowhere but in English."""

_CLOSED = ("PRON", "DET", "NUM", "ADP", "CCONJ", "SCONJ", "PART")
_MOSTLY = 0.8
"""A noun that has so large a share of its tokens in closed classes is none."""
_MEASURED = 0.6
"""A noun that has so large a share of its tokens beside numerals is a measure."""
_LEAST = 10
"""Tokens below which nothing is told of a noun."""

_WEAK = 0.05
"""A lemma is weak if it stands as a word of its own so seldom, by the form that it is given to."""
_TRUSTED = 0.75
"""Endings are trusted that lead to the lemma of so many of the forms they could belong to."""
_RULE = 3
"""Forms that show endings to be some of the language's."""
_STEM, _ENDING = 2, 4
"""Letters that a form shares with its lemma, at least, and that it may have beyond them."""


def is_wordless(text: str) -> bool:
    """Whether a text has fewer than two letters; one is enough in scripts without capitals.

    >>> [is_wordless(text) for text in ("%", "3d", "x.", "tv", "水")]
    [True, True, True, False, False]
    """
    letters = [sign for sign in text if sign.isalpha()]
    return len(letters) < 2 and not any(sign.lower() == sign.upper() for sign in letters)


class NounStatistics:
    """What the nouns of a text are seen with, counted batch by batch."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._noun, self._closed = (
            RelationFilter(tables.upos, one) for one in ("NOUN".__eq__, _CLOSED.__contains__)
        )
        self._numeral = RelationFilter(tables.deprels, lambda label: label.startswith("nummod"))
        self._nouns, self._measured, self._others = Counter[int](), Counter[int](), Counter[int]()
        self._pairs = Counter[int]()

    def add(self, tokens: Tokens) -> None:
        """Count a batch."""
        upos, head, deprel = need_parse(tokens)
        noun, beside = self._noun(upos), np.zeros(len(tokens), np.bool_)
        numerals = head[self._numeral(deprel)]
        beside[numerals[numerals != NONE]] = True
        word = tokens.word.astype(np.int64)
        sums = [
            (self._nouns, noun),
            (self._measured, noun & beside),
            (self._others, self._closed(upos)),
        ]
        for counts, which in sums:
            _add(counts, word[which])
        if tokens.form is not None:
            _add(self._pairs, (tokens.form.astype(np.int64) << 32 | (word & 0xFFFFFFFF))[noun])

    def odd(self) -> dict[str, Counter[str]]:
        """Nouns to leave out, by what they are."""
        texts = self._tables.words.texts
        found = {"pronouns": Counter[str](), "measures": Counter[str](), "no words": Counter[str]()}
        for word, n in self._nouns.items():
            if word == NONE:
                continue
            text = texts[word]
            if is_wordless(text):
                found["no words"][text] = n
            elif INDEFINITE.fullmatch(text.lower()) or (
                n >= _LEAST and self._others[word] >= _MOSTLY * (n + self._others[word])
            ):
                found["pronouns"][text] = n
            elif n >= _LEAST and self._measured[word] >= _MEASURED * n:
                found["measures"][text] = n
        return found

    def repairs(self) -> dict[tuple[str, str], tuple[str, int]]:
        """Better words for some (form, lemma) that stay, and how often those were seen."""
        texts = self._tables.words.texts
        seen = {}
        for key, n in self._pairs.items():
            form, lemma = key >> 32, key & 0xFFFFFFFF
            if form < len(texts) and lemma < len(texts):
                seen[texts[form], texts[lemma]] = n
        better, odd = find_repairs(seen), {word for found in self.odd().values() for word in found}
        return {pair: (word, seen[pair]) for pair, word in better.items() if pair[1] not in odd}


def _add(counts: Counter[int], keys: Ints) -> None:
    distinct, sizes = np.unique(keys, return_counts=True)
    counts.update(dict(zip(distinct.tolist(), sizes.tolist(), strict=True)))


def find_repairs(seen: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], str]:
    """Better words for some (form, lemma), told by how often each is seen.

    >>> seen = {("data", "datum"): 90, ("datum", "datum"): 1, ("cat", "cat"): 9}
    >>> find_repairs(seen)
    {('data', 'datum'): 'data'}
    """
    first = _find_minorities(seen)
    mended = Counter[tuple[str, str]]()
    for (form, lemma), n in seen.items():
        mended[form, first.get((form, lemma), lemma)] += n
    paradigms = _Paradigms(mended)
    second = {pair: word for pair in paradigms.seen if (word := paradigms.better(*pair))}
    found = {**second, **first}
    for (form, lemma), word in first.items():
        found[form, lemma] = second.get((form, word), word)
    return {pair: word for pair, word in found.items() if pair in seen and word != pair[1]}


def _find_minorities(seen: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], str]:
    """Lemmas that a form has seldom, where it has another more often which is seen more itself."""
    lemmas: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (form, lemma), n in seen.items():
        lemmas[form][lemma] = n
    found = {}
    for form, given in lemmas.items():
        best = max(given, key=lambda lemma: (given[lemma], lemma))
        for lemma, n in given.items():
            own = 0 if lemma == form else seen.get((lemma, lemma), 0)
            if 2 * n <= given[best] and seen.get((best, best), 0) > 2 * own:
                found[form, lemma] = best
    return found


class _Paradigms:
    """Which endings of forms stand for which endings of lemmas, and how far that can be trusted."""

    def __init__(self, seen: Counter[tuple[str, str]]) -> None:
        self.seen = seen
        self._own = Counter({lemma: n for (form, lemma), n in seen.items() if form == lemma})
        self._totals = Counter[str]()
        for (_, lemma), n in seen.items():
            self._totals[lemma] += n
        starts: defaultdict[str, list[str]] = defaultdict(list)
        for lemma, n in self._own.items():
            if n >= 3:
                for size in range(max(_STEM, len(lemma) - _ENDING), len(lemma) + 1):
                    starts[lemma[:size]].append(lemma)
        regular, perhaps = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for (form, lemma), n in seen.items():
            if form != lemma and self._own[lemma] and n > 1:
                regular[_split_endings(form, lemma)] += 1
            elif form != lemma and not self._own[lemma]:
                # A lemma that is no word says nothing; what else the form may come from does.
                perhaps.update({_split_endings(form, one) for one in _find_nearest(form, starts)})
        both = perhaps + regular
        self._support = {rule: both[rule] for rule in regular if both[rule] >= _RULE}
        self._regular = {rule for rule, n in regular.items() if n >= _RULE}
        self._endings: defaultdict[str, list[str]] = defaultdict(list)
        for ending, other in self._support:
            self._endings[ending].append(other)
        self._trust = self._try_rules()

    def _try_rules(self) -> dict[tuple[str, str], float]:
        """How many of the forms that endings could belong to have such a lemma.

        Forms whose lemma is weak are left aside, or, if it is for them that the endings are known,
        are taken to have it.
        """
        right, tried = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for (form, lemma), n in self.seen.items():
            for rule, other in self._candidates(form) if form != lemma else ():
                weak = self._own[lemma] <= _WEAK * n
                if self._own[other] >= 3 and not (weak and rule in self._regular):
                    tried[rule] += 1
                    right[rule] += weak or other == lemma
        return {rule: right[rule] / (n + 1) for rule, n in tried.items()}

    def _candidates(self, form: str) -> Iterator[tuple[tuple[str, str], str]]:
        for size in range(max(_STEM, len(form) - _ENDING), len(form)):
            for other in self._endings.get(form[size:], ()):
                yield (form[size:], other), form[:size] + other

    def better(self, form: str, lemma: str) -> str | None:
        """The lemma that the form has rather than this one, if there is reason to think so."""
        n, own = self.seen[form, lemma], self._own[lemma]
        if form == lemma or n < 5:
            return None
        found = []
        for rule, other in self._candidates(form):
            often = self._own[other]
            if other in (form, lemma) or often < 5 or 2 * often < n:
                continue
            trust = self._trust.get(rule, 0.0)
            weak = own <= _WEAK * n and often >= n
            if (trust >= _TRUSTED and often >= 2 * own) or (
                weak and (trust >= 0.5 or rule in self._regular)
            ):
                found.append((self._support[rule], other))
        if found:
            return max(found)[1]
        total = self._totals[lemma]
        # Data, diabetes, scissors: nothing in the text has the word without its ending.
        alone = own <= _WEAK * total and n >= max(_LEAST, 0.9 * total)
        return form if alone else None


def _find_nearest(form: str, starts: Mapping[str, list[str]]) -> Iterable[str]:
    """The words that share most of a form's beginning."""
    for size in range(len(form), max(_STEM, len(form) - _ENDING) - 1, -1):
        found = [one for one in starts.get(form[:size], ()) if one != form]
        if found:
            return found
    return ()


def _split_endings(form: str, lemma: str) -> tuple[str, str]:
    shared = next((at for at, (a, b) in enumerate(zip(form, lemma, strict=False)) if a != b), None)
    shared = min(len(form), len(lemma)) if shared is None else shared
    return form[shared:], lemma[shared:]


class LemmaRepair:
    """Mends the words of nouns in batches of tokens, and takes out those that are none."""

    def __init__(
        self,
        tables: Tables,
        left_out: Iterable[str],
        repairs: Iterable[tuple[str, str, str]],
    ) -> None:
        out = frozenset(left_out)
        self._words = tables.words
        self._better = {(form, lemma): word for form, lemma, word in repairs}
        mended = {lemma for _, lemma in self._better}
        self._noun = RelationFilter(tables.upos, "NOUN".__eq__)
        self._out, self._mended = (
            RelationFilter(tables.words, one) for one in (out.__contains__, mended.__contains__)
        )

    def __call__(self, tokens: Tokens) -> Tokens:
        """The batch with other words."""
        upos, _, _ = need_parse(tokens)
        word, noun = tokens.word.copy(), self._noun(upos)
        if tokens.form is not None:
            at = np.flatnonzero(noun & self._mended(word))
            word[at] = map_pairs(word[at], tokens.form[at], self._mend)
        out: BoolArray = noun & self._out(word)
        word[out] = NONE
        return replace(tokens, word=word)

    def _mend(self, lemma: int, form: int) -> int:
        texts = self._words.texts
        better = self._better.get((texts[form], texts[lemma])) if form != NONE else None
        return lemma if better is None else self._words.id(better)
