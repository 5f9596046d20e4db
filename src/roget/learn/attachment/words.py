"""Words as quadruples are compared by them: base forms, numbers by their shapes, traits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from roget import catalogue
from roget.core.quadruple import Quadruple

LANGUAGE = "english"

_SHAPES = tuple(
    (f"<{name}>", re.compile(pattern))
    for name, pattern in (
        ("year", r"(?:1[5-9]|20)\d\d|'\d\d"),
        ("decade", r"(?:1[5-9]|20)\d0s|'?\d0s"),
        ("clock", r"\d{1,2}:\d\d"),
        ("fraction", r"(?:\d+-)?\d+/\d+"),
        ("decimal", r"\d+\.\d+"),
        ("thousands", r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"),
        ("small", r"\d{1,2}"),
        ("digits", r"\d+"),
        ("figure", r"[$£€#.,+'-]*\d.*"),
    )
)


class Normal(NamedTuple):
    """A quadruple by base forms."""

    verb: str
    noun1: str
    preposition: str
    noun2: str


class Forms(Protocol):
    """Base forms of words, chosen among the possible ones by how often each is known."""

    verbs: dict[str, float]
    nouns: dict[str, float]

    def normal(self, quads: Iterable[Quadruple]) -> list[Normal]:
        """Quadruples by base forms."""


def make_forms(verbs: Mapping[str, float], nouns: Mapping[str, float]) -> Forms:
    """The base forms of the language, by how often verbs and nouns are known."""
    made: Forms = catalogue.load("languages", LANGUAGE).forms(verbs, nouns)
    return made


def number(word: str) -> str | None:
    """The shape of a number, such as <year>; None of other words.

    >>> [number(word) for word in ("1989", "3/4", "10,000", "$5", "seven")]
    ['<year>', '<fraction>', '<thousands>', '<figure>', None]
    """
    return next((name for name, shape in _SHAPES if shape.fullmatch(word)), None)


def traits(word: str) -> list[str]:
    """What can be told of a word that nobody has counted: capitals, a dot, its ending.

    >>> traits("Corp."), traits("sales")
    (['^Capital', '^dot', '^-rp.'], ['^s', '^-les'])
    """
    small = word.lower()
    found = {
        "^Capital": word[:1].isupper(),
        "^CAPITALS": len(word) > 1 and word.isupper(),
        "^dot": word.endswith("."),
        "^ing": small.endswith("ing"),
        "^s": small.endswith("s"),
        f"^-{small[-3:]}": len(word) > 4 and not number(word),
    }
    return [name for name, holds in found.items() if holds]


_PRONOUNS = ("i", "me", "you", "he", "him", "she", "her", "we", "us", "they", "them", "who")
_OTHER_NAMES = {
    **dict.fromkeys(("<small>", "<digits>", "<decimal>", "<figure>", "<thousands>"), "number"),
    **dict.fromkeys(_PRONOUNS, "person"),
    "<year>": "year", "<decade>": "decade", "<clock>": "hour", "<fraction>": "fraction",
    "%": "percentage", "co.": "company", "inc.": "corporation", "corp.": "corporation",
}  # fmt: skip


def other_name(word: str) -> str:
    """What a thesaurus knows as something else: pronouns as persons, shapes as what they mean."""
    return _OTHER_NAMES.get(word, word)
