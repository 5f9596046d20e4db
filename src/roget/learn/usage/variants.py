"""Unite spellings, lemmas and relations of two corpora that were written or tagged differently.

In a comparison of a British text with an American background, "centre" and "center" are two words.
If a tagger takes an adjective for a noun, its contexts differ as well. Neither of these is a change
in the use of a word.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.counts import Counts
from roget.errors import Notice
from roget.learn.usage.sketch import Sketches

SHOWN = 5
"""Maximum number of united words listed in a note."""

KEPT = 0.2
"""Minimum share of each of two spellings in a text for the spellings to remain separate words.

In British texts, "program" refers to software, and "programme" does not.
"""

_RULES = [
    (re.compile(pattern), change)
    for pattern, change in (
        (r"-", ""),
        (r"(?<=[a-z]{2})our(?=(s|ed|ing|er|ers|al|able|ful|less|ist|ite|hood|hoods|y)?$)", "or"),
        (r"(?<=[a-z]{2}[tb])re(?=s?$)", "er"),
        (r"is(?=(ation|ations|e|ed|es|ing|er|ers)$)", "iz"),
        (r"ys(?=(e|ed|es|ing|er|ers)$)", "yz"),
        (r"(?<=[a-z]{3}og)ue(?=s?$)", ""),
        (r"(?<=(?:def|off|lic|ret)en)c(?=es?$)", "s"),
        (r"(?<=[a-z]{4})ll(?=(ed|ing|er|ers|or|ors|ist|ous)$)", "l"),
        (r"[ao]e(?=[a-z]{3})", "e"),
        (r"^programmes?$", "program"),
    )
]
_WORDS = {
    "grey": "gray", "jewellery": "jewelry", "aluminium": "aluminum", "mum": "mom",
    "sceptic": "skeptic", "mould": "mold", "moustache": "mustache", "tonne": "ton",
    "people": "person", "data": "datum", "media": "medium", "men": "man", "women": "woman",
    "children": "child", "feet": "foot", "mice": "mouse", "statistics": "statistic",
}  # fmt: skip
_PLURAL = ((re.compile(r"(?<=[^aeiou])ies$"), "y"), (re.compile(r"(?<=[^s])s$"), ""))


def spell(word: str) -> str:
    """Return a key that is equal for British and American spellings of an English word.

    >>> [spell(word) for word in ("centre", "colours", "organisation", "plug-in", "hour")]
    ['center', 'colors', 'organization', 'plugin', 'hour']
    """
    word = _WORDS.get(word, word)
    for pattern, change in _RULES:
        word = pattern.sub(change, word)
    return word


def unite(background: Counts, text: Counts) -> tuple[Counts, Counts, tuple[Notice, ...]]:
    """Unite the spellings and lemmas of two corpora, and contexts with the same phrase.

    A word that occurs in only one corpus is united with its singular. Words are spelt as in the
    text. They are united only if the text is English or its language is unknown. Return the changed
    counts, and a note on the united words.
    """
    sides = (background, text)
    english = str(text.provenance.get("language") or "en").partition("-")[0] == "en"
    totals = [dict(zip(one.words.tolist(), one.word_totals.tolist(), strict=True)) for one in sides]
    named = _unite_words(totals) if english else {}
    sides = (_merge_words(background, named), _merge_words(text, named))
    phrases = [_print_contexts(one, named, spell if english else str) for one in sides]
    groups: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for one, printed in zip(sides, phrases, strict=True):
        for context, phrase, n in zip(
            one.contexts.tolist(), printed, one.context_totals.tolist(), strict=True
        ):
            groups[phrase][context] = groups[phrase].get(context, 0.0) + n
    best = {
        phrase: max(seen, key=lambda name: (seen[name], name)) for phrase, seen in groups.items()
    }
    slots = {
        context: slot
        for one in sides
        for context, slot in zip(one.contexts.tolist(), one.slots.tolist(), strict=True)
    }
    merged = [
        _merge_contexts(one, [best[phrase] for phrase in printed], slots)
        for one, printed in zip(sides, phrases, strict=True)
    ]
    united = sorted((n for n in named.items() if n[0] != n[1]), key=lambda n: -_count(totals, n[0]))
    if not united:
        return merged[0], merged[1], ()
    shown = [f"{word} = {name}" for word, name in united[:SHOWN]]
    shown += ["…"] * (len(united) > SHOWN)
    listed = f"spellings and lemmas united: {len(united):,} ({', '.join(shown)})"
    return merged[0], merged[1], (Notice(listed, code="variants"),)


def _unite_words(totals: Sequence[Mapping[str, float]]) -> dict[str, str]:
    """Return the common name of each word that has several spellings or lemmas."""
    known = set().union(*totals)
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for word in known:
        groups[spell(word)].add(word)
    for key in list(groups):
        # A plural that occurs in only one corpus is a lemmatisation error.
        if any(not groups[key].intersection(side) for side in totals):
            for pattern, ending in _PLURAL:
                single = pattern.sub(ending, key)
                if single != key and single in groups:
                    groups[single] |= groups.pop(key)
                    break
    named = {}
    for words in groups.values():
        if len(words) > 1 and not _has_both(totals[1], words):
            name = max(words, key=lambda w: (totals[1].get(w, 0), totals[0].get(w, 0), w))
            named.update(dict.fromkeys(words, name))
    return named


def _has_both(side: Mapping[str, float], words: set[str]) -> bool:
    """Return True if a corpus distinguishes the spellings of a word."""
    seen = sorted((side.get(word, 0.0) for word in words), reverse=True)
    return seen[1] >= KEPT * sum(seen) > 0


def _count(totals: Sequence[Mapping[str, float]], word: str) -> float:
    return sum(side.get(word, 0.0) for side in totals)


def _print_contexts(
    counts: Counts, named: Mapping[str, str], spell: Callable[[str], str]
) -> list[str]:
    """Return the phrases of all contexts, with united spellings."""
    phrase = Sketches(counts).phrase
    words = (phrase(column).split(" ") for column in range(counts.contexts.size))
    return [" ".join(spell(named.get(word, word)) for word in some) for some in words]


def _merge_words(counts: Counts, named: Mapping[str, str]) -> Counts:
    """Return the counts with the rows of united words summed."""
    names, join = _group([named.get(word, word) for word in counts.words.tolist()])
    return Counts(
        join.T @ counts.matrix, names, counts.contexts, slots=counts.slots, **_about(counts)
    )


def _merge_contexts(counts: Counts, named: Sequence[str], slots: Mapping[str, str]) -> Counts:
    """Return the counts with the columns of contexts of the same name summed."""
    names, join = _group(named)
    of = [slots[name] for name in names]
    return Counts(counts.matrix @ join, counts.words, names, slots=of, **_about(counts))


def _group(named: Sequence[str]) -> tuple[list[str], Any]:
    """Return the distinct names, and an indicator matrix that maps each element to its name."""
    names = list(dict.fromkeys(named))
    at = {name: place for place, name in enumerate(names)}
    places = np.array([at[name] for name in named], dtype=np.int64)
    ones = np.ones(places.size, dtype=np.int64)
    return names, sparse.csr_array(
        (ones, (np.arange(places.size), places)), shape=(places.size, len(names))
    )


def _about(counts: Counts) -> dict[str, Any]:
    return {name: getattr(counts, name) for name in ("relations", "provenance", "evidence")}
