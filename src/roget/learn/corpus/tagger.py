"""Tagged plain text: sentences tokenised and analysed by one of the catalogue's languages."""

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
"""Maximum number of tokens of a sentence; longer ones are split."""

_SHARE = 0.2
"""Minimum share of a text covered by its language's frequent words; usually about a third."""


def read(source: Source, tables: Tables, reading: ReadContext) -> Iterator[Tokens]:
    """Read plain text tagged by HanTa; patterns of tags give heads and labels."""
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
    """Return the sentences of a text that have tokens, with their lines."""
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
    """The analysis of a sentence, one element per token."""

    lemmas: list[str]
    upos: list[str]
    """Universal parts of speech."""
    heads: list[int] | None = None
    """Indices in the sentence, NONE without a head; None if the language finds no heads."""
    labels: list[str] | None = None
    """Dependency labels, "" without a head."""


class Language(Protocol):
    """Protocol of the objects that entries of the catalogue's languages create.

    Attributes of an entry: `code` is its BCP 47 code; `frequent` lists its most frequent words in
    order, for detection; `has_heads = False` declares that analyses have no heads; `needs` names a
    module to install.
    """

    def tokenise(self, sentence: str) -> list[str]:
        """Split a sentence into tokens."""

    def analyse(self, sentences: Sequence[Sequence[str]]) -> Iterator[Analysis]:
        """Yield lemmas, tags and, if supported, heads of each sentence; no sentence is empty."""


@cache
def load(name: str) -> Language:
    """Return the language with this name or code; each process loads it once."""
    # Only names of the catalogue: HanTa models are pickles, so loading a file would run its code.
    made: Language = catalogue.load("languages", find_name(name))()
    return made


def find_name(name: str) -> str:
    """Return the name of a language of the catalogue, given its name or code."""
    key = name.lower()
    if key in catalogue.names("languages"):
        return key
    return next((one for one, code in get_attributes("code").items() if code == key), key)


def detect(sample: str) -> str | None:
    """Return the name of the language with the largest share of frequent words, or None.

    >>> detect("Of all the cats in the house, one is mine; and to see it is a joy. " * 7)
    'english'
    """
    found = measure_shares(sample, get_attributes("frequent", ""))
    best = max(found, key=lambda name: found[name], default=None)
    return best if best is not None and found[best] >= _SHARE else None


def get_attribute(name: str, attribute: str, default: Any = None) -> Any:
    """Return an attribute of one of the catalogue's languages, by its name or code."""
    return getattr(catalogue.load("languages", find_name(name)), attribute, default)
