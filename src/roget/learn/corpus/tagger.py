"""Plain text with HanTa: lemmas and parts of speech; for English, heads by patterns as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
import regex

from roget.core.io.source import Source
from roget.errors import InputError, UnknownName
from roget.learn.corpus import english, text
from roget.learn.corpus.base import NONE, Ids, Reading, Tables, Tokens
from roget.learn.corpus.hanta import Tagger
from roget.learn.corpus.shallow import Parse, attach

LONGEST = 1000
"""Tokens of a sentence; longer ones, which are no sentences, are cut."""

_ENGLISH, _GERMAN, _DUTCH = "morphmodel_en.pgz", "morphmodel_ger.pgz", "morphmodel_dutch.pgz"
_FILES = {
    "english": _ENGLISH, "en": _ENGLISH, "german": _GERMAN, "de": _GERMAN, "dutch": _DUTCH,
    "nl": _DUTCH,
}  # fmt: skip
"""The models that come with HanTa. Others are not read: a model is a pickle, which runs code."""

_OTHER_TOKEN = regex.compile(
    r"(?:\p{L}\.){2,}|\p{N}+(?:[.,:/]\p{N}+)*|\p{L}[\p{L}\p{M}\p{N}]*(?:[-'’][\p{L}\p{N}\p{M}]+)*|\S"
)

GERMAN = (
    (r"\$", "PUNCT"), (r"NE", "PROPN"), (r"NN", "NOUN"), (r"V[AM]", "AUX"), (r"VV", "VERB"),
    (r"ADJ", "ADJ"), (r"ADV|PROAV|PWAV", "ADV"), (r"ART|P.*AT$", "DET"), (r"AP|PTKVZ", "ADP"),
    (r"KO[NK]", "CCONJ"), (r"KOU", "SCONJ"), (r"ITJ|PTKANT", "INTJ"), (r"PTK", "PART"),
    (r"P", "PRON"), (r"CARD", "NUM"),
)  # fmt: skip
"""STTS tags as patterns, the first that fits, and their universal parts of speech."""
DUTCH = (
    (r"LET", "PUNCT"), (r"N\(eigen|SPEC\(deel", "PROPN"), (r"N\(", "NOUN"), (r"WW", "VERB"),
    (r"TW\(rang|ADJ", "ADJ"), (r"TW", "NUM"), (r"BW", "ADV"), (r"LID|VNW.*prenom", "DET"),
    (r"VNW", "PRON"), (r"VZ", "ADP"), (r"VG\(neven", "CCONJ"), (r"VG", "SCONJ"), (r"TSW", "INTJ"),
)  # fmt: skip
"""The same for the tags of the Corpus Gesproken Nederlands."""


def read(source: Source, tables: Tables, reading: Reading) -> Iterator[Tokens]:
    """Plain text tagged by HanTa; patterns of tags give heads and labels, in English."""
    language = load(reading.model or "english")
    columns = _Columns(tables, reading)
    for part in text.decoded(source):
        lines = text.sentences(part, reading.lines).split("\n")
        sentences = [
            tokens[i : i + LONGEST]
            for tokens in map(language.tokenise, lines)
            for i in range(0, len(tokens), LONGEST)
        ]
        if sentences:
            yield columns.fill(sentences, language.analyse(sentences))


class Analysis(NamedTuple):
    """A sentence's lemmas, universal parts of speech and, if there are patterns, heads."""

    lemmas: list[str]
    upos: list[str]
    parse: Parse | None


@dataclass(frozen=True)
class Language:
    """A tagger, how it wants its tokens, and what becomes of its tags."""

    tagger: Tagger
    tokenise: Callable[[str], list[str]]
    upos: Callable[[str], str] | None = None
    """Without it, the language is English and the patterns say."""

    def analyse(self, sentences: Sequence[Sequence[str]]) -> Iterator[Analysis]:
        """Tag sentences and find their lemmas and heads."""
        for forms, tags in zip(sentences, self.tagger.tags(sentences), strict=True):
            if self.upos is not None:
                lemmas = list(map(self.tagger.lemma, forms, tags))
                yield Analysis(lemmas, list(map(self.upos, tags)), None)
                continue
            english.refine(forms, tags, self.seen)
            lemmas = list(map(self.lemma, forms, tags))
            parse = attach(forms, [lemma.lower() for lemma in lemmas], tags)
            yield Analysis(lemmas, parse.upos, parse)

    def seen(self, word: str) -> frozenset[str]:
        """The tags with which a word has been seen."""
        return self.tagger.seen.get(word, frozenset())

    def lemma(self, form: str, tag: str) -> str:
        """The lemma of an English word; a name is its own."""
        if tag == "NP0":
            return form
        return english.mend_lemma(
            form.lower(), tag, self.tagger.lemma(form, tag).lower(), self.seen
        )


@cache
def load(name: str) -> Language:
    """The language of that name; each process loads it once."""
    file = _FILES.get(name.lower())
    if file is None:
        raise UnknownName("language of the tagger", name, _FILES)
    tagger = Tagger(file)
    if file == _ENGLISH and "VVB" not in tagger.names:
        raise InputError("this HanTa has another English model: pip install -U 'HanTa>=1.2'")
    if file == _ENGLISH:
        return Language(tagger, english.tokenise)
    return Language(tagger, _OTHER_TOKEN.findall, _mapping(DUTCH if file == _DUTCH else GERMAN))


def _mapping(table: Sequence[tuple[str, str]]) -> Callable[[str], str]:
    @cache
    def upos(tag: str) -> str:
        return next((upos for pattern, upos in table if regex.match(pattern, tag)), "X")

    return upos


class _Columns:
    """Turns analysed sentences into the columns of a batch."""

    def __init__(self, tables: Tables, reading: Reading) -> None:
        self._reading = reading
        self._words, self._upos = text.Ids(tables.words), text.Ids(tables.upos)
        self._deprels = text.Ids(tables.deprels)
        self._deprels[""] = NONE

    def fill(self, sentences: Sequence[Sequence[str]], analyses: Iterator[Analysis]) -> Tokens:
        """One batch of these sentences."""
        words: list[str] = []
        upos: list[str] = []
        heads: list[int] = []
        deprels: list[str] = []
        for forms, (lemmas, tags, parse) in zip(sentences, analyses, strict=True):
            if parse is not None:
                begin = len(words)
                heads += [NONE if head == NONE else begin + head for head in parse.head]
                deprels += parse.deprel
            words += forms if self._reading.form else lemmas
            upos += tags
        if not self._reading.keep_case:
            words = [word.lower() for word in words]
        return Tokens(
            np.cumsum([0, *map(len, sentences)]),
            _look_up(self._words, words),
            _look_up(self._upos, upos),
            np.array(heads, np.int32) if heads else None,
            _look_up(self._deprels, deprels) if heads else None,
        )


def _look_up(known: text.Ids, texts: Sequence[str]) -> Ids:
    return np.fromiter(map(known.__getitem__, texts), np.int32, len(texts))
