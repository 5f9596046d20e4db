"""Reader for plain text that is tokenised and tagged by a language in the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np

from roget import catalogue
from roget.core.io.source import Source
from roget.learn.corpus import text, token_offsets
from roget.learn.corpus.base import NONE, ReadContext, Tables, Tokens, Written
from roget.learn.corpus.language import get_attributes, measure_shares

LONGEST = 1000
"""Maximum number of tokens in a sentence. Longer sentences are split."""

_SHARE = 0.2
"""Minimum share of tokens that a language's frequent words must cover. A typical share is 1/3."""


def read(source: Source, tables: Tables, reading: ReadContext) -> Iterator[Tokens]:
    """Read plain text, and tag it with HanTa.

    Heads and labels are inferred from patterns of tags.
    """
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
    """Return the non-empty sentences of a text with token marks, and their line numbers."""
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
    """The analysis of a sentence, as lists with one element per token."""

    lemmas: list[str]
    upos: list[str]
    """Universal part-of-speech tags of the tokens."""
    heads: list[int] | None = None
    """Index of each token's head in the sentence, or NONE.

    The whole list is None if the language has no rules for heads.
    """
    labels: list[str] | None = None
    """Dependency labels, or "" for tokens without a head."""


class Language(Protocol):
    """Protocol for languages with a tokeniser and a tagger.

    Languages are registered in the catalogue as classes. They may have these attributes: `code`
    (the BCP 47 code), `frequent` (the most frequent words in order, for language detection),
    `has_heads` (False if analyses have no heads) and `needs` (a module to install).
    """

    def tokenise(self, sentence: str) -> list[str]:
        """Split a sentence into tokens."""

    def analyse(self, sentences: Sequence[Sequence[str]]) -> Iterator[Analysis]:
        """Yield the analysis of each sentence. Every sentence has at least one token."""


@cache
def load(name: str) -> Language:
    """Return the language with this name or code. Each process loads a language only once."""
    # Accept only names in the catalogue, because HanTa models are pickles, and unpickling can
    # execute code.
    made: Language = catalogue.load("languages", find_name(name))()
    return made


def find_name(name: str) -> str:
    """Return the catalogue name of a language, given its name or code."""
    key = name.lower()
    if key in catalogue.names("languages"):
        return key
    return next((one for one, code in get_attributes("code").items() if code == key), key)


def detect(sample: str) -> str | None:
    """Return the language whose frequent words cover most of the text, or None if unclear.

    >>> detect("Of all the cats in the house, one is mine; and to see it is a joy. " * 7)
    'english'
    """
    found = measure_shares(sample, get_attributes("frequent", ""))
    best = max(found, key=lambda name: found[name], default=None)
    return best if best is not None and found[best] >= _SHARE else None


def get_attribute(name: str, attribute: str, default: Any = None) -> Any:
    """Return an attribute of a language in the catalogue, given its name or code."""
    return getattr(catalogue.load("languages", find_name(name)), attribute, default)
