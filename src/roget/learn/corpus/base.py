"""Data types for corpus readers: reading options, batches of tokens, and extracted pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from roget.core.io.source import Source
from roget.core.types import BoolArray, Codes, Ints
from roget.errors import InputError

Ids: TypeAlias = npt.NDArray[np.int32]

NONE = -1
"""Id that stands for a missing word, tag, dependency label or head."""


@dataclass(frozen=True)
class ReadContext:
    """Options for a corpus reader, such as whether words are lemmas or word forms."""

    form: bool = False
    """True to use word forms instead of lemmas."""
    keep_case: bool = False
    """True to keep capitals. By default, words are lower-cased."""
    model: str | None = None
    """A spaCy pipeline (name or folder), or the language of the tagger."""
    lines: bool = False
    """True to treat every line of plain text as a sentence. By default, text is split into
    sentences by Unicode's rules."""
    segment: str | None = None
    """Segmenter for text in scripts without spaces. Without one, every character is a word."""
    lexicon: tuple[tuple[str, int], ...] = ()
    """Words and their counts, as learnt by the segmenter from the text."""
    both: bool = False
    """True to return both lemmas and word forms, if the reader supports this."""
    elisions: str | None = None
    """Language in which elided words are split off (l'homme = l' + homme), or None."""
    texts: bool = False
    """True to include the text of each sentence and its line number."""


class Strings:
    """A bijection between strings and integer ids, assigned in order of first occurrence."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._ids: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.texts)

    def id(self, text: str) -> int:
        """Return the id of a string. A new string is assigned the next id."""
        known = self._ids.get(text)
        if known is None:
            known = self._ids[text] = len(self.texts)
            self.texts.append(text)
        return known


class TextFilter:
    def __init__(self, strings: Strings, accepts: Callable[[str], bool]) -> None:
        self._strings, self._accepts = strings, accepts
        # answers[i] is the result for the string with id i. The last element is the result for NONE
        # (-1).
        self._answers = np.zeros(1, np.bool_)

    def __call__(self, ids: Ids) -> BoolArray:
        new = self._strings.texts[len(self._answers) - 1 :]
        if new:
            answers = np.array([*map(self._accepts, new), False])
            self._answers = np.concatenate([self._answers[:-1], answers])
        return self._answers[ids]


class Written(NamedTuple):
    """The original text of a batch of sentences, with token marks (see `marks`)."""

    text: npt.NDArray[np.uint8]
    """Sentences in UTF-8. Sentence i is text[ends[i]:ends[i + 1]]."""
    ends: Ints
    line: Ints
    """Line in this part of the source on which each sentence starts (from 1), or 0 if unknown."""


class Places(NamedTuple):
    """Positions of words and of their contexts in a batch, as indices of first and last tokens."""

    word: tuple[Ids, Ids]
    context: tuple[Ids, Ids]


@dataclass
class Tokens:
    """A batch of complete sentences, stored as columns.

    Words, tags and labels are ids in `Strings`.
    """

    starts: Ints
    """Index of the first token of each sentence, followed by the number of tokens."""
    word: Ids
    """Lemma or form in lower case (unless case is kept), or NONE if the token is not a word."""
    upos: Ids | None = None
    head: Ids | None = None
    """Index of each token's head within the batch (not within the sentence), or NONE for roots."""
    deprel: Ids | None = None
    form: Ids | None = None
    """Ids of the word forms, if both lemmas and forms were requested."""
    written: Written | None = None
    """Original text of the sentences, if it was requested and the reader can return it."""
    spans: tuple[Ids, Ids] | None = None
    """Indices of each token's first and last original token, if multiword terms were joined."""

    def __len__(self) -> int:
        return len(self.word)

    def first(self, sentences: int) -> Tokens:
        """Return the first `sentences` sentences of the batch."""
        stop = int(self.starts[sentences])
        columns = (self.upos, self.head, self.deprel, self.form)
        upos, head, deprel, form = (None if one is None else one[:stop] for one in columns)
        starts, word = self.starts[: sentences + 1], self.word[:stop]
        return Tokens(starts, word, upos, head, deprel, form, self.written)

    def locate(self, at: Codes) -> tuple[Ids, Ids]:
        """Return the indices of the first and last original token of each token in `at`."""
        if self.spans is None:
            return at.astype(np.int32), at.astype(np.int32)
        return self.spans[0][at], self.spans[1][at]

    def find_places(self, word: Codes, context: Codes) -> Places | None:
        """Return the positions of words and contexts, or None if the batch has no text."""
        if self.written is None:
            return None
        return Places(self.locate(word), self.locate(context))


def require_parse(tokens: Tokens) -> tuple[Ids, Ids, Ids]:
    """Return the UPOS tags, heads and labels of a batch.

    Raise InputError if any of them is missing.
    """
    if tokens.upos is None or tokens.head is None or tokens.deprel is None:
        columns = {"UPOS tags": tokens.upos, "heads": tokens.head, "labels": tokens.deprel}
        missing = ", no ".join(name for name, column in columns.items() if column is None)
        raise InputError(
            f"relations require parsed text, but this text has no {missing}; "
            "use --window 2 to count neighbours instead",
            code="not-parsed",
        )
    return tokens.upos, tokens.head, tokens.deprel


@dataclass
class Tables:
    """The string tables of one counting task, for words, tags, dependency labels and slots."""

    words: Strings = field(default_factory=Strings)
    upos: Strings = field(default_factory=Strings)
    deprels: Strings = field(default_factory=Strings)
    slots: Strings = field(default_factory=Strings)


def map_pairs(first: Ids, second: Ids, make: Callable[[int, int], int]) -> Ids:
    """Apply `make` once to each distinct pair of ids, and return the results in order."""
    # Pack both ids into one key. The second is shifted by 1 because NONE is negative.
    keys, places = np.unique(first.astype(np.int64) << 32 | (second + 1), return_inverse=True)
    made = [make(key >> 32, (key & 0xFFFFFFFF) - 1) for key in keys.tolist()]
    return np.array(made, np.int32)[places]


def add_tags(word: Ids, upos: Ids, tables: Tables) -> Ids:
    """Return the ids of the words with their tags appended (drink/VERB).

    Words without a tag are left unchanged.
    """
    words, tags = tables.words, tables.upos.texts

    def add_tag(word: int, tag: int) -> int:
        return word if NONE in (word, tag) else words.id(f"{words.texts[word]}/{tags[tag]}")

    return map_pairs(word, upos, add_tag)


@dataclass
class PairColumns:
    """Word–context pairs, with one row per occurrence. A context consists of a slot and a word."""

    word: Ids
    slot: Ids
    """Relation between word and context, as an id in `Tables.slots`.

    Contexts without a relation have the slot "".
    """
    context: Ids
    times: Ints | None = None
    """Weight of each occurrence in units of 1/`CountRecipe.per_one`. None if all weights are 1."""
    places: Places | None = None
    """Position of each occurrence, if the batch has the original text."""

    def transpose(self) -> PairColumns:
        """Return the pairs with words and contexts exchanged."""
        places = None if self.places is None else Places(self.places.context, self.places.word)
        return PairColumns(self.context, self.slot, self.word, self.times, places)


class CorpusReader(Protocol):
    """A function that reads a source in batches of complete sentences (10,000–100,000 tokens)."""

    def __call__(
        self, source: Source, tables: Tables, reading: ReadContext
    ) -> Iterator[Tokens]: ...
