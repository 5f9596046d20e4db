"""The nouns of reading: how to read, a batch of tokens, and the pairs drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from roget.core.io.source import Source
from roget.core.types import Codes, Ints

Ids: TypeAlias = npt.NDArray[np.int32]

NONE = -1
"""The id of a word, tag or label that is missing, and the head of a token that has none."""


@dataclass(frozen=True)
class ReadContext:
    """What a token's word is, and what reads it."""

    form: bool = False
    """Words are the forms as they stand in the text, not the lemmas."""
    keep_case: bool = False
    """Words keep their capitals; otherwise they are lower-cased."""
    model: str | None = None
    """A spaCy pipeline (name or folder), or the language of the tagger."""
    lines: bool = False
    """Plain text: every line is a sentence; otherwise sentences end by Unicode's rules."""
    segment: str | None = None
    """Plain text: what finds words in scripts without blanks; None: each character is one."""
    lexicon: tuple[tuple[str, int], ...] = ()
    """Words that it found in the text before, and how often."""
    both: bool = False
    """Parsed text: tokens tell their forms beside their lemmas, from readers that can."""
    texts: bool = False
    """Batches tell how their sentences are written, and on which lines."""


class Strings:
    """Texts by number: the same text has one id, given in order of first sight."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._ids: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def id(self, text: str) -> int:
        """The text's id, new if need be."""
        found = self._ids.get(text)
        if found is None:
            found = self._ids[text] = len(self.texts)
            self.texts.append(text)
        return found


class Written(NamedTuple):
    """The sentences of a batch as they stand in the source, tokens marked: see `evidence`."""

    text: npt.NDArray[np.uint8]
    """UTF-8; sentence i is from ends[i] to ends[i + 1]."""
    ends: Ints
    line: Ints
    """The line on which each begins, counted from 1 in the source's piece; 0 if not known."""


class Places(NamedTuple):
    """Where words, and contexts, stand in a batch: the first and the last token of each."""

    word: tuple[Ids, Ids]
    context: tuple[Ids, Ids]


@dataclass
class Tokens:
    """Whole sentences, column by column. Words, tags and labels are ids into `Strings`."""

    starts: Ints
    """Where each sentence begins, and the number of tokens: one more than sentences."""
    word: Ids
    """Lemma or form, folded as asked; NONE where there is nothing to count."""
    upos: Ids | None = None
    head: Ids | None = None
    """The head's place in this batch (not in its sentence); NONE for roots."""
    deprel: Ids | None = None
    form: Ids | None = None
    """The forms as words, if both were asked for."""
    written: Written | None = None
    """The sentences themselves, if their texts were asked for, from readers that can."""
    spans: tuple[Ids, Ids] | None = None
    """Where tokens were joined: the first and the last of those that were read, for each."""

    def __len__(self) -> int:
        return len(self.word)

    def first(self, sentences: int) -> Tokens:
        """The same batch without what comes after so many sentences."""
        stop = int(self.starts[sentences])
        columns = (self.upos, self.head, self.deprel, self.form)
        upos, head, deprel, form = (None if one is None else one[:stop] for one in columns)
        starts, word = self.starts[: sentences + 1], self.word[:stop]
        return Tokens(starts, word, upos, head, deprel, form, self.written)

    def locate(self, at: Codes) -> tuple[Ids, Ids]:
        """The first and the last token, as they were read, of some tokens."""
        if self.spans is None:
            return at.astype(np.int32), at.astype(np.int32)
        return self.spans[0][at], self.spans[1][at]

    def find_places(self, word: Codes, context: Codes) -> Places | None:
        """Where words and contexts that are these tokens stand, if the batch tells it."""
        if self.written is None:
            return None
        return Places(self.locate(word), self.locate(context))


@dataclass
class Tables:
    """The id spaces of one task's tokens: words, tags, dependency labels, and slots."""

    words: Strings = field(default_factory=Strings)
    upos: Strings = field(default_factory=Strings)
    deprels: Strings = field(default_factory=Strings)
    slots: Strings = field(default_factory=Strings)


def map_pairs(first: Ids, second: Ids, make: Callable[[int, int], int]) -> Ids:
    """What `make` gives for each two ids; it is asked once for equal ones."""
    keys, places = np.unique(first.astype(np.int64) << 32 | (second + 1), return_inverse=True)
    made = [make(key >> 32, (key & 0xFFFFFFFF) - 1) for key in keys.tolist()]
    return np.array(made, np.int32)[places]


def add_tags(word: Ids, upos: Ids, tables: Tables) -> Ids:
    """The ids of lemma/UPOS; a word without a tag stays as it is."""
    words, tags = tables.words, tables.upos.texts

    def tagged(word: int, tag: int) -> int:
        return word if NONE in (word, tag) else words.id(f"{words.texts[word]}/{tags[tag]}")

    return map_pairs(word, upos, tagged)


@dataclass
class PairColumns:
    """Words in contexts, one entry per occurrence; a context is a slot and another word."""

    word: Ids
    slot: Ids
    """Ids into `Tables.slots`; the slot "" is that of a context named by its word alone."""
    context: Ids
    times: Ints | None = None
    """How often each counts, in parts of one that they agree on; None: once."""
    places: Places | None = None
    """Where each stands, if the batch tells how it is written."""

    def turned(self) -> PairColumns:
        """Words as contexts, and contexts as words."""
        places = None if self.places is None else Places(self.places.context, self.places.word)
        return PairColumns(self.context, self.slot, self.word, self.times, places)


class CorpusReader(Protocol):
    """Reads one source in batches of whole sentences (some ten to hundred thousand tokens)."""

    def __call__(
        self, source: Source, tables: Tables, reading: ReadContext
    ) -> Iterator[Tokens]: ...
