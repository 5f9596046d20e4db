"""Find word kinds and noun phrases in English sentences, based on C5 tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roget.languages.english.words import KINDS, MEASURES, TIMES
from roget.languages.tokens import words
from roget.learn.corpus.base import NONE

FINITE = ("VVD", "VVZ", "VVB", "VHD", "VHZ", "VHB", "VDD", "VDZ", "VDB")
"""Tags of finite main verbs."""
_FINITE_AUXILIARY = ("VM0", "VBB", "VBD", "VBZ")
_PARTICIPLES = ("VVN", "VBN", "VHN", "VDN", "VVD")
_INFINITIVES = ("VVI", "VVB", "VHI", "VDI", "VBI", "VHB")
_QUANTITIES = words("more most less few fewer little enough much many several")
_BEFORE_DETERMINER = ("all", "both", "half", "such")
_ROUGHLY = ("over", "about", "around", "under", "nearly", "almost")
_AT_LEAST = {
    ("at", "least"), ("at", "most"), ("more", "than"), ("less", "than"), ("fewer", "than"),
    ("up", "to"),
}  # fmt: skip
FIXED = {
    "according": "to", "because": "of", "due": "to", "such": "as", "instead": "of", "prior": "to",
}  # fmt: skip
"""Two-word prepositions, as a mapping from the first word to the second."""
_WHEN = ("last", "next", "this", "these", "that", "every", "each", "all", "one", "several")
_PARTICLES = ("up", "out", "off", "away", "back")


class Phrase(NamedTuple):
    """A noun phrase: the positions of its start, its end (exclusive) and its head."""

    start: int
    stop: int
    head: int


def kinds_of(low: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the one-letter kind of each token (see `KINDS`), corrected by neighbouring tokens.

    >>> "".join(kinds_of(["he", "had", "n't", "over", "five", "books"],
    ...                  ["PNP", "VHD", "XX0", "PRP", "CRD", "NN2"]))
    'OHXA#N'
    """
    kinds = [KINDS.get(tag, "?") for tag in tags]
    for i, kind in enumerate(kinds):
        if low[i] == "same":
            kinds[i] = "J"
        elif i + 1 < len(kinds) and _joins(i, low, kinds):
            kinds[i] = kinds[i + 1] = "P" if low[i] in FIXED else "A"
        elif kind in _CHANGES:
            kinds[i] = _CHANGES[kind](i, kinds, low, tags)
        elif kind in "ADPOWJ?":
            kinds[i] = _by_next(i, kinds, low, tags)
    return kinds


def _joins(i: int, low: Sequence[str], kinds: Sequence[str]) -> bool:
    """Return True if a word and the next one form a unit, such as "because of" or "at least"."""
    if low[i] in FIXED:
        return low[i + 1] == FIXED[low[i]]
    return (low[i], low[i + 1]) in _AT_LEAST and seen(kinds, i + 2, "A") in (
        "#" if low[i] == "up" else "#D"
    )


def skip(kinds: Sequence[str], i: int, over: str, step: int = 1) -> int:
    """Return the first position, starting at i, whose kind is not in `over`.

    If there is no such position, return the position after the end of the sentence (or before its
    start).
    """
    while 0 <= i < len(kinds) and kinds[i] in over:
        i += step
    return i


def seen(kinds: Sequence[str], i: int, over: str) -> str:
    """Return the first kind, starting at i, that is not in `over`. The end counts as a comma."""
    i = skip(kinds, i, over)
    return kinds[i] if i < len(kinds) else ","


def _by_next(i: int, kinds: Sequence[str], low: Sequence[str], tags: Sequence[str]) -> str:
    """Return the kind of a word, corrected by its neighbours, as in "more time" and "two more
    days"."""
    kind, word, after = kinds[i], low[i], seen(kinds, i + 1, "")
    before = kinds[i - 1] if i else " "
    if kind == "A":
        if word == "no" and after in "JVN#":
            return "D"
        if word in _QUANTITIES and after in "N#":
            return "J" if before in "D#" else "D"
    elif kind == "D":
        second = tags[i] == "DT0" and before in "D#"
        return "J" if second and low[i - 1] not in _BEFORE_DETERMINER else "D"
    elif kind == "P":
        if word in _ROUGHLY and (after == "#" or kinds[i + 1 : i + 3] == ["D", "#"]):
            return "A"
        return "R" if word in _PARTICLES and before in "VHY" else "P"
    elif kind == "O":
        return "D" if after == "'" else "O"
    elif kind == "W":
        return "D" if after in "JN#" else "O"
    elif kind == "J":
        return "N" if tags[i] == "NN" and after not in "JN" else "J"
    elif word.isalnum() and after in "JN":
        return "J"
    return kind


def _conjunction(i: int, kinds: Sequence[str], low: Sequence[str], tags: Sequence[str]) -> str:
    """Return the kind of a conjunction.

    "that" is a pronoun before a verb, and a determiner before a noun at the end of a clause.
    """
    if low[i] == "that" and i:
        if seen(kinds, i + 1, "AX") in "VHYBM":
            return "O"
        if kinds[i - 1] in "VHY" and seen(kinds, i + 1, "JN") == ",":
            return "D"
    return "S"


def _verb(i: int, kinds: Sequence[str], low: Sequence[str], tags: Sequence[str]) -> str:
    """Return the kind of a verb.

    A participle between a preposition or verb and a noun is an adjective.
    """
    if i and tags[i] == "VVN" and seen(kinds, i + 1, "J") == "N":
        before = kinds[i - 1]
        if before in "PVHY#" or (before == "C" and i > 1 and kinds[i - 2] == "J"):
            return "J"
    return "V"


def _auxiliary(i: int, kinds: Sequence[str], low: Sequence[str], tags: Sequence[str]) -> str:
    """Return the kind of "have" or "do": h or y for an auxiliary, H or Y for a main verb."""
    j, pronouns = i + 1, 0
    while j < len(kinds) and (kinds[j] in "XA" or (kinds[j] == "O" and not pronouns)):
        pronouns += kinds[j] == "O"
        j += 1
    after = tags[j] if j < len(tags) else ""
    if kinds[i] == "H":
        return "h" if after in _PARTICIPLES else "H"
    helps = after in _INFINITIVES or "X" in kinds[i + 1 : j]
    return "y" if helps and tags[i] in ("VDB", "VDD", "VDZ") else "Y"


_CHANGES = {"S": _conjunction, "V": _verb, "H": _auxiliary, "Y": _auxiliary}


def phrases_of(kinds: Sequence[str], tags: Sequence[str], low: Sequence[str]) -> list[Phrase]:
    """Return the noun phrases of a sentence from left to right."""
    found: list[Phrase] = []
    i, n = 0, len(kinds)
    while i < n:
        kind = kinds[i]
        if kind == "O":
            found.append(Phrase(i, i + 1, i))
        elif kind in "DJN#" or (kind == "A" and seen(kinds, i + 1, "") in "J#"):
            stop, noun = _extent(i, kinds, tags, low)
            if noun != NONE:
                found.append(Phrase(i, noun + 1, _head(i, noun, kinds, tags)))
            elif stop > i + 1 and tags[stop - 1] == "AJ0" and low[i] in ("a", "an"):
                found.append(Phrase(i, stop, stop - 1))
            elif kind == "#" or tags[i] == "DT0":
                head = i
                while head + 1 < stop and kinds[head + 1] == "#":
                    head += 1
                found.append(Phrase(i, head + 1, head))
        i = max(i + 1, found[-1].stop if found else 0)
    return found


def _head(start: int, noun: int, kinds: Sequence[str], tags: Sequence[str]) -> int:
    """Return the head of a phrase: its last noun, or the noun before a name ("the group Hamas")."""
    i = noun
    while kinds[start] == "D" and i > start and tags[i] == "NP0":
        i -= 1
    return i if kinds[i] == "N" and i > start else noun


def _extent(
    start: int, kinds: Sequence[str], tags: Sequence[str], low: Sequence[str]
) -> tuple[int, int]:
    """Return the end of a sequence of determiners, modifiers and nouns, and its last noun."""
    noun, modified = NONE, False
    i = start
    while i < len(kinds):
        kind = kinds[i]
        after = seen(kinds, i + 1, "")
        before = kinds[i - 1] if i > start else ""
        if kind == "N":
            if before == "N" and tags[i - 1] == "NN2" and tags[i] == "NP0":
                break
            noun = i
        elif kind == "D":
            if before and not (before == "D" and low[i - 1] in _BEFORE_DETERMINER):
                break
            modified = True
        elif kind in "J#":
            if before == "N" and (kind == "#" or after != "N" or low[i] in ("last", "next")):
                break
            modified = True
        elif kind == "'":
            if before not in ("N", "D"):
                break
            modified = True
        elif before == "N" or (not modified and i > start) or not _inside(i, kinds, tags, noun):
            break
        i += 1
    return i, noun


def _inside(i: int, kinds: Sequence[str], tags: Sequence[str], noun: int) -> bool:
    """Return True if a participle, adverb, quote or conjunction is part of a noun phrase."""
    kind, after = kinds[i], seen(kinds, i + 1, "")
    if kind == "V":
        return after in "NJ" and tags[i] in ("VVN", "VVG")
    if kind == "A":
        return after == "J" or tags[i + 1 : i + 2] == ["VVN"]
    if kind == '"':
        return noun == NONE
    return kind in "C," and noun == NONE and kinds[i - 1] == after == "J"


class Sentence:
    """A sentence with its words, lemmas, tags, kinds and noun phrases."""

    def __init__(self, forms: Sequence[str], lemmas: Sequence[str], tags: Sequence[str]) -> None:
        self.low = [form.lower() for form in forms]
        self.lemmas, self.tags = lemmas, tags
        self.kinds = kinds_of(self.low, tags)
        phrases = phrases_of(self.kinds, tags, self.low)
        self.starts = {phrase.start: phrase for phrase in phrases}

    def finite(self, i: int) -> bool:
        """Return True if the next token, ignoring adverbs, is a finite verb or auxiliary."""
        i = skip(self.kinds, i, "AX")
        return i < len(self.tags) and (self.tags[i] in FINITE or self.tags[i] in _FINITE_AUXILIARY)

    def end(self, phrase: Phrase) -> int:
        """Return the end of a noun phrase including its prepositional phrases."""
        stop = phrase.stop
        while stop < len(self.kinds) and self.kinds[stop] == "P":
            more = self.starts.get(stop + 1)
            if more is None:
                break
            stop = more.stop
        return stop

    def is_interrogative(self, phrase: Phrase) -> bool:
        """Return True if a phrase is interrogative, such as "which book" or "how many books"."""
        first = phrase.start
        if first == phrase.head:
            return False
        many = self.low[first] in ("many", "much") and first and self.low[first - 1] == "how"
        return self.tags[first] == "DTQ" or bool(many)

    def is_time(self, phrase: Phrase) -> bool:
        """Return True if a phrase is a time or duration, such as "last week" or "two years"."""
        if self.lemmas[phrase.head] not in TIMES:
            return False
        first = phrase.start
        dated = self.low[first] in _WHEN or self.kinds[first] == "#"
        return dated or self.tags[phrase.head] == "NP0"

    def is_measure(self, phrase: Phrase) -> bool:
        """Return True if a phrase is a quantity, such as "20 km" or "a lot", but not "a lot of
        apples".
        """
        head = phrase.head
        if self.low[phrase.stop : phrase.stop + 1] == ["of"]:
            return False
        counted = self.lemmas[head] in MEASURES and self.kinds[head - 1] == "#"
        return counted or self.low[head] in ("lot", "bit")
