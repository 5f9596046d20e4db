"""Plain text, tagged: what a language of the catalogue makes of its sentences, as tokens.

A language cuts sentences into tokens and analyses them; each is a package of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple, Protocol

import numpy as np

from roget import catalogue
from roget.core.io.source import Source
from roget.learn.corpus import text, token_offsets
from roget.learn.corpus.base import NONE, ReadContext, Tables, Tokens, Written
from roget.learn.corpus.language import ask, shares

LONGEST = 1000
"""Tokens of a sentence; longer ones, which are no sentences, are cut."""

_SHARE = 0.2
"""How much of a text its language's frequent words must be at least; they are about a third."""


def read(source: Source, tables: Tables, reading: ReadContext) -> Iterator[Tokens]:
    """Plain text, tagged by HanTa; patterns of tags give heads and labels."""
    language = load(reading.model or "english")
    words, tags = text.Numbers(tables.words), text.Numbers(tables.upos)
    labels = text.Numbers(tables.deprels)
    labels[""] = NONE
    for line, part in text.passages(source):
        divided = text.sentences(part, reading.lines)
        lines = divided.split("\n")
        tokenised = list(map(language.tokenise, lines))
        sentences = [
            tokens[i : i + LONGEST] for tokens in tokenised for i in range(0, len(tokens), LONGEST)
        ]
        if not sentences:
            continue
        found = list(language.analyse(sentences))
        starts = np.cumsum([0, *map(len, sentences)])
        forms = _join(sentences if reading.form else [one.lemmas for one in found])
        heads = [
            NONE if head == NONE else begin + head
            for begin, one in zip(starts[:-1].tolist(), found, strict=True)
            for head in one.heads or ()
        ]
        yield Tokens(
            starts,
            words.look_up(forms if reading.keep_case else list(map(str.lower, forms))),
            tags.look_up(_join([one.upos for one in found])),
            np.array(heads, np.int32) if heads else None,
            labels.look_up(_join([one.labels or [] for one in found])) if heads else None,
            written=_write(part, divided, tokenised, line) if reading.texts else None,
        )


def _write(part: str, divided: str, tokenised: Sequence[Sequence[str]], line: int) -> Written:
    """The sentences of a text that have tokens, and on which lines they are."""
    lines = token_offsets.find_lines(part, divided, line + 1)
    cut = [
        (*one, lines[at])
        for at, (text, tokens) in enumerate(zip(divided.split("\n"), tokenised, strict=True))
        if tokens
        for one in token_offsets.cut(text, tokens, LONGEST)
    ]
    texts, parts, numbers = zip(*cut, strict=True)
    return token_offsets.write(texts, parts, np.array(numbers))


def _join(parts: Iterable[Sequence[str]]) -> list[str]:
    return list(chain.from_iterable(parts))


class Analysis(NamedTuple):
    """What is known of a sentence, token by token."""

    lemmas: list[str]
    upos: list[str]
    """Universal parts of speech."""
    heads: list[int] | None = None
    """Places in the sentence, NONE where there is no head; None if the language finds none."""
    labels: list[str] | None = None
    """Dependency labels, "" where there is no head."""


class Language(Protocol):
    """What an entry of the catalogue's languages makes when it is called.

    An entry says its BCP 47 `code`. One that has `frequent`, its most frequent words, the first
    first, is told from them; one whose analyses have no heads says so by `has_heads = False`;
    `needs` is a module to install.
    """

    def tokenise(self, sentence: str) -> list[str]:
        """Cut a sentence into tokens."""

    def analyse(self, sentences: Sequence[Sequence[str]]) -> Iterator[Analysis]:
        """Find the lemmas and tags of tokens and, if it can, their heads; no sentence is empty."""


@cache
def load(name: str) -> Language:
    """The language of that name or code; each process loads it once."""
    # A file of one's own is no language: HanTa's models are pickles, which run code.
    made: Language = catalogue.load("languages", find_name(name))()
    return made


def find_name(name: str) -> str:
    """The name of a language of the catalogue, which may be asked for by its code."""
    asked = name.lower()
    if asked in catalogue.names("languages"):
        return asked
    return next((one for one, code in ask("code").items() if code == asked), asked)


def detect(sample: str) -> str | None:
    """The language whose frequent words a text is made of; None if there is none such.

    >>> detect("Of all the cats in the house, one is mine; and to see it is a joy. " * 7)
    'english'
    """
    found = shares(sample, ask("frequent", ""))
    best = max(found, key=lambda name: found[name], default=None)
    return best if best is not None and found[best] >= _SHARE else None
