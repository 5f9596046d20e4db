"""The nouns of reading: how to read, a batch of tokens, and the pairs drawn from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from roget.core.io.source import Source
from roget.core.types import Ints

Ids: TypeAlias = npt.NDArray[np.int32]

NONE = -1
"""The id of a word, tag or label that is missing, and the head of a token that has none."""


@dataclass(frozen=True)
class Reading:
    """What a token's word is, and what reads it."""

    form: bool = False
    """Words are the forms as they stand in the text, not the lemmas."""
    keep_case: bool = False
    """Words keep their capitals; otherwise they are lower-cased."""
    model: str | None = None
    """A spaCy pipeline (name or folder), or the language of the tagger."""
    lines: bool = False
    """Plain text: every line is a sentence; otherwise sentences end by Unicode's rules."""
    both: bool = False
    """Parsed text: tokens tell their forms beside their lemmas, from readers that can."""


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

    def __len__(self) -> int:
        return len(self.word)

    def first(self, sentences: int) -> Tokens:
        """The same batch without what comes after so many sentences."""
        stop = int(self.starts[sentences])
        columns = (self.upos, self.head, self.deprel, self.form)
        cut = (None if column is None else column[:stop] for column in columns)
        return Tokens(self.starts[: sentences + 1], self.word[:stop], *cut)


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
class Pairs:
    """Words in contexts, one entry per occurrence; a context is a slot and another word."""

    word: Ids
    slot: Ids
    """Ids into `Tables.slots`; the slot "" is that of a context named by its word alone."""
    context: Ids
    times: Ints | None = None
    """How often each counts, in parts of one that they agree on; None: once."""


class Reader(Protocol):
    """Reads one source in batches of whole sentences (some ten to hundred thousand tokens)."""

    def __call__(self, source: Source, tables: Tables, reading: Reading) -> Iterator[Tokens]: ...
