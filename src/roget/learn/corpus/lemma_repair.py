"""Detect words wrongly tagged as nouns, and lemmas contradicted by the text.

Taggers tag "something" and "km" as nouns, and lemmatisers map taxes, data and knives to taxis,
datum and knive. Most of these errors can be detected in any language from the text itself. A lemma
is considered wrong if it never occurs in the text, but the form can be derived from another word
that does. The rules for this are learnt from the other words of the text. A plural never replaces
its singular, even if the singular does not occur in the text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from roget.core.types import BoolArray, Ints
from roget.learn.corpus.base import NONE, Tables, TextFilter, Tokens, map_pairs, require_parse

INDEFINITE = re.compile(r"(some|any|no|every)(thing|one|body)|(an)?others?|ones?")
"""English pronouns that are often tagged as nouns."""

_CLOSED = ("PRON", "DET", "NUM", "ADP", "CCONJ", "SCONJ", "PART")
"""UPOS tags of closed word classes (pronouns, prepositions and so on)."""
_MOSTLY = 0.8
"""Minimum share of tokens with a closed-class tag for a word to be rejected as a noun."""
_MEASURED = 0.6
"""Minimum share of tokens with a numeral for a noun to be considered a unit of measure."""
_LEAST = 10
"""Minimum number of tokens that a noun must have to be tested."""

_WEAK = 0.05
"""Maximum frequency of a weak lemma, relative to that of its inflected form.

A weak lemma, such as "datum" for "data", is not good evidence for a rule.
"""
_TRUSTED = 0.75
"""Minimum share of forms for which a trusted rule predicts the correct lemma."""
_RULE = 3
"""Minimum number of forms that must support a rule."""
_STEM, _ENDING = 2, 4
"""Minimum length of the common stem of a form and its lemma, and maximum length of the ending."""


_PLURALS = (
    *(("s", ""), ("ies", "y"), ("ves", "f"), ("ves", "fe")),
    *((end + "es", end) for end in ("s", "x", "z", "ch", "sh", "o")),
    *(("men", "man"), ("children", "child"), ("people", "person"), ("oxen", "ox")),
    *(("feet", "foot"), ("teeth", "tooth"), ("geese", "goose"), ("mice", "mouse")),
)
"""Endings of regular and irregular English plurals and of their singulars.

Plurals in other languages are detected by rules learnt from the text.
"""


def is_wordless(text: str) -> bool:
    """Return True if a string has too few letters to be a word.

    A word has at least two letters, or one letter in a script without capitals.

    >>> [is_wordless(text) for text in ("%", "3d", "x.", "tv", "水")]
    [True, True, True, False, False]
    """
    letters = [sign for sign in text if sign.isalpha()]
    return len(letters) < 2 and not any(sign.lower() == sign.upper() for sign in letters)


_NUMBER = re.compile(r"\W*\d[\d.,:/]*(x\d+)?[^\W\d_]{0,3}", re.IGNORECASE)
"""Pattern for numbers with a currency or unit, such as £20m, $9.4bn, 512mb, 4x100m or 1990s."""


def is_number(text: str) -> bool:
    """Return True if a string is a number, with or without a unit, or has too few letters.

    >>> [text for text in ("1990", "£20m", "x", "mp3", "tv") if is_number(text)]
    ['1990', '£20m', 'x']
    """
    return is_wordless(text) or _NUMBER.fullmatch(text) is not None


_NO_NOUNS = ("ll", "ve", "re", "it", "while")
"""Parts of English contractions, and function words, that taggers mistake for nouns."""


def is_plural(form: str, lemma: str) -> bool:
    """Return True if a form is the English plural of a lemma, judged by their endings.

    >>> [is_plural(*pair) for pair in (("women", "woman"), ("data", "datum"), ("taxes", "taxis"))]
    [True, False, False]
    """
    return lemma in list_singulars(form)


def list_singulars(form: str) -> list[str]:
    """Return the possible singulars of an English plural.

    >>> list_singulars("companies")
    ['companie', 'company']
    """
    return [
        form[: -len(plural)] + singular for plural, singular in _PLURALS if form.endswith(plural)
    ]


def is_odd(text: str) -> bool:
    """Return True if a string cannot be a noun because it is a number, a letter or a pronoun.

    >>> [text for text in ("£20m", "e", "others", "mp3", "17-year-old", "tv") if is_odd(text)]
    ['£20m', 'e', 'others']
    """
    return is_number(text) or text in _NO_NOUNS or INDEFINITE.fullmatch(text.lower()) is not None


class NounStatistics:
    """Collect statistics on the nouns of a text, batch by batch."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._noun, self._closed = (
            TextFilter(tables.upos, one) for one in ("NOUN".__eq__, _CLOSED.__contains__)
        )
        self._numeral = TextFilter(tables.deprels, lambda label: label.startswith("nummod"))
        self._nouns, self._measured, self._others = Counter[int](), Counter[int](), Counter[int]()
        self._pairs = Counter[int]()

    def add(self, tokens: Tokens) -> None:
        upos, head, deprel = require_parse(tokens)
        noun, has_numeral = self._noun(upos), np.zeros(len(tokens), np.bool_)
        numerals = head[self._numeral(deprel)]
        has_numeral[numerals[numerals != NONE]] = True
        word = tokens.word.astype(np.int64)
        sums = [
            (self._nouns, noun),
            (self._measured, noun & has_numeral),
            (self._others, self._closed(upos)),
        ]
        for counts, which in sums:
            _add(counts, word[which])
        if tokens.form is not None:
            _add(self._pairs, (tokens.form.astype(np.int64) << 32 | (word & 0xFFFFFFFF))[noun])

    def find_odd(self) -> dict[str, Counter[str]]:
        """Return words wrongly tagged as nouns, with their counts, grouped by kind of error."""
        texts = self._tables.words.texts
        found = {
            "pronouns": Counter[str](),
            "measures": Counter[str](),
            "non-words": Counter[str](),
        }
        for word, n in self._nouns.items():
            if word == NONE:
                continue
            text = texts[word]
            if is_wordless(text):
                found["non-words"][text] = n
            elif INDEFINITE.fullmatch(text.lower()) or (
                n >= _LEAST and self._others[word] >= _MOSTLY * (n + self._others[word])
            ):
                found["pronouns"][text] = n
            elif n >= _LEAST and self._measured[word] >= _MEASURED * n:
                found["measures"][text] = n
        return found

    def find_repairs(self) -> dict[tuple[str, str], tuple[str, int]]:
        """Return corrected lemmas and their counts, keyed by (form, lemma).

        Words that are not nouns are ignored.
        """
        texts = self._tables.words.texts
        seen = {}
        for key, n in self._pairs.items():
            form, lemma = key >> 32, key & 0xFFFFFFFF
            if form < len(texts) and lemma < len(texts):
                seen[texts[form], texts[lemma]] = n
        better, odd = (
            find_repairs(seen),
            {word for found in self.find_odd().values() for word in found},
        )
        return {pair: (word, seen[pair]) for pair, word in better.items() if pair[1] not in odd}


def _add(counts: Counter[int], keys: Ints) -> None:
    distinct, sizes = np.unique(keys, return_counts=True)
    counts.update(dict(zip(distinct.tolist(), sizes.tolist(), strict=True)))


def find_repairs(seen: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], str]:
    """Return corrected lemmas, keyed by (form, lemma), given the counts of all such pairs.

    >>> seen = {("data", "datum"): 90, ("datum", "datum"): 1, ("cat", "cat"): 9}
    >>> find_repairs(seen)
    {('data', 'datum'): 'data'}
    """
    # 1. If a form has several lemmas, replace the rare lemmas by the most frequent one.
    first = {
        pair: word
        for pair, word in _find_minorities(seen).items()
        if word != pair[0] or not is_plural(*pair)
    }
    repaired = Counter[tuple[str, str]]()
    for (form, lemma), n in seen.items():
        repaired[form, first.get((form, lemma), lemma)] += n
    # 2. Replace lemmas that do not occur as forms, by rules learnt from the other words.
    paradigms = _Paradigms(repaired)
    second = {pair: word for pair in paradigms.seen if (word := paradigms.better(*pair))}
    # 3. Apply both steps in turn: the second may correct the result of the first.
    found = {**second, **first}
    for (form, lemma), word in first.items():
        found[form, lemma] = second.get((form, word), word)
    return {pair: word for pair, word in found.items() if pair in seen and word != pair[1]}


def _find_minorities(seen: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], str]:
    """Map each rare lemma of a form to the most frequent lemma of the same form."""
    lemmas: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (form, lemma), n in seen.items():
        lemmas[form][lemma] = n
    found = {}
    for form, counts in lemmas.items():
        best = max(counts, key=lambda lemma: (counts[lemma], lemma))
        for lemma, n in counts.items():
            # If the lemma also occurs as a form (`own` times), it is probably a real word.
            own = 0 if lemma == form else seen.get((lemma, lemma), 0)
            if 2 * n <= counts[best] and seen.get((best, best), 0) > 2 * own:
                found[form, lemma] = best
    return found


class _Paradigms:
    """Rules that derive lemmas from word forms by changing the ending."""

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
        self._stem_ends = Counter[tuple[str, str, str]]()
        for (form, lemma), n in seen.items():
            if form != lemma and self._own[lemma] and n > 1:
                regular[_split_endings(form, lemma)] += 1
                self._stem_ends[_split_stem_end(form, lemma)] += 1
            elif form != lemma and not self._own[lemma]:
                # If the lemma does not occur as a form, look for words with the same stem.
                perhaps.update({_split_endings(form, one) for one in _find_nearest(form, starts)})
        both = perhaps + regular
        self._support = {rule: both[rule] for rule in regular if both[rule] >= _RULE}
        self._regular = {rule for rule, n in regular.items() if n >= _RULE}
        self._endings: defaultdict[str, list[str]] = defaultdict(list)
        for ending, other in self._support:
            self._endings[ending].append(other)
        self._trust = self._try_rules()

    def _try_rules(self) -> dict[tuple[str, str], float]:
        """Return, for each rule, the share of forms whose lemma it predicts correctly.

        Forms with a weak lemma (see `_WEAK`) are ignored for regular rules. For other rules they
        count as correct.
        """
        right, tried = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        for (form, lemma), n in self.seen.items():
            for rule, other in self._list_candidates(form) if form != lemma else ():
                weak = self._own[lemma] <= _WEAK * n
                if self._own[other] >= 3 and not (weak and rule in self._regular):
                    tried[rule] += 1
                    right[rule] += weak or other == lemma
        return {rule: right[rule] / (n + 1) for rule, n in tried.items()}

    def _list_candidates(self, form: str) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield each rule that applies to a form, and the lemma it predicts."""
        for size in range(max(_STEM, len(form) - _ENDING), len(form)):
            for other in self._endings.get(form[size:], ()):
                yield (form[size:], other), form[:size] + other

    def better(self, form: str, lemma: str) -> str | None:
        """Return a better lemma for a form, or None."""
        n, own = self.seen[form, lemma], self._own[lemma]
        if form == lemma or n < 5 or (own and self._is_regular(form, lemma)):
            return None
        found = []
        for rule, other in self._list_candidates(form):
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
        # Keep the form of words such as data, diabetes and scissors, whose stems without the ending
        # are rare.
        alone = own <= _WEAK * total and n >= max(_LEAST, 0.9 * total)
        return form if alone and not self._is_regular(form, lemma) else None

    def _is_regular(self, form: str, lemma: str) -> bool:
        """Return True if the form is a plural of the lemma, as in symptoms, symptom.

        The rule must be known for English, or supported by other words of the text whose stems
        have the same last letter: "boxes" supports "foxes", but not "diabetes" from "diabet".
        """
        if is_plural(form, lemma):
            return True
        itself = self._own[lemma] > 0 and self.seen[form, lemma] > 1
        support = self._stem_ends[_split_stem_end(form, lemma)] - itself
        return support > 0 and _split_endings(form, lemma) in self._regular


def _find_nearest(form: str, starts: Mapping[str, list[str]]) -> Iterable[str]:
    """Return the words that share the longest prefix with a form."""
    for size in range(len(form), max(_STEM, len(form) - _ENDING) - 1, -1):
        found = [one for one in starts.get(form[:size], ()) if one != form]
        if found:
            return found
    return ()


def _split_endings(form: str, lemma: str) -> tuple[str, str]:
    """Return the parts of form and lemma that follow their common prefix."""
    shared = next((at for at, (a, b) in enumerate(zip(form, lemma, strict=False)) if a != b), None)
    shared = min(len(form), len(lemma)) if shared is None else shared
    return form[shared:], lemma[shared:]


def _split_stem_end(form: str, lemma: str) -> tuple[str, str, str]:
    """Return the last letter of the common prefix of form and lemma, and the parts after it."""
    ending, other = _split_endings(form, lemma)
    return form[: len(form) - len(ending)][-1:], ending, other


class LemmaRepair:
    """Correct the lemmas of nouns, and remove words that are not nouns."""

    def __init__(
        self,
        tables: Tables,
        left_out: Iterable[str],
        repairs: Iterable[tuple[str, str, str]],
        drop_odd: bool = False,
    ) -> None:
        out = frozenset(left_out)
        self._words = tables.words
        self._better = {(form, lemma): word for form, lemma, word in repairs}
        repaired = {lemma for _, lemma in self._better}
        self._noun = TextFilter(tables.upos, "NOUN".__eq__)
        self._out = TextFilter(
            tables.words, lambda text: text in out or (drop_odd and is_odd(text))
        )
        self._repaired = TextFilter(tables.words, repaired.__contains__)

    def __call__(self, tokens: Tokens) -> Tokens:
        upos, _, _ = require_parse(tokens)
        word, noun = tokens.word.copy(), self._noun(upos)
        if tokens.form is not None:
            at = np.flatnonzero(noun & self._repaired(word))
            word[at] = map_pairs(word[at], tokens.form[at], self._repair)
        out: BoolArray = noun & self._out(word)
        word[out] = NONE
        return replace(tokens, word=word)

    def _repair(self, lemma: int, form: int) -> int:
        """Return the id of the corrected lemma, or the same id if the lemma is correct."""
        texts = self._words.texts
        better = self._better.get((texts[form], texts[lemma])) if form != NONE else None
        return lemma if better is None else self._words.id(better)
