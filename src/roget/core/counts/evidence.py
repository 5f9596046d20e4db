"""Evidence: example sentences for (word, context) pairs, as lines of a concordance.

Counts and thesaurus folders store evidence in two tables, which are loaded on first use:

sentences.parquet   The sentences in corpus order: source VARCHAR (name of the file), line INTEGER
                    (first line of the sentence, 0 if unknown), text VARCHAR (with token marks, see
                    `marks`).
evidence.parquet    The examples, sorted by entry, the best example first: entry INTEGER (row of
                    entries.parquet), sentence INTEGER (row of sentences.parquet), word USMALLINT
                    (index of the word's first token), word_more UTINYINT (number of further
                    tokens), context INTEGER (first token of the context, relative to the word),
                    context_more UTINYINT (number of further tokens).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from roget.core.contents import Contents, column, table, tables_of
from roget.core.counts import marks
from roget.core.counts.matrix import Names, unite_names
from roget.core.folder import Folder, open_folder
from roget.core.types import Array, Ints
from roget.errors import InputError, UnknownName

if TYPE_CHECKING:
    from roget.core.counts.counts import Counts

SENTENCES, SEEN = "sentences.parquet", "evidence.parquet"


@dataclass(frozen=True)
class SentenceTable:
    """The table of sentences, in corpus order."""

    source: Array = column("VARCHAR")
    line: Array = column("INTEGER")
    text: Array = column("VARCHAR")


@dataclass(frozen=True)
class ExampleTable:
    """The table of occurrences of (word, context) pairs in sentences, sorted by entry."""

    entry: Array = column("INTEGER", below="entries")
    sentence: Array = column("INTEGER", below="sentences")
    word: Array = column("USMALLINT")
    word_more: Array = column("UTINYINT")
    context: Array = column("INTEGER")
    context_more: Array = column("UTINYINT")


@dataclass(frozen=True)
class ExampleContents(Contents):
    """The optional tables of example sentences."""

    sentences: SentenceTable = table(SentenceTable, SENTENCES, "sentences", optional=True)
    examples: ExampleTable = table(ExampleTable, SEEN, "examples", optional=True)


TABLES = {name: one.types for name, one in tables_of(ExampleContents, optional=True).items()}
"""The column types (SQL) of each table of example sentences."""

SORTS = ("corpus", "left", "right")
"""Sort orders for concordance lines: corpus order, or by the words before or after the keyword."""


class EvidenceLine(NamedTuple):
    """A line of a concordance: a sentence with the positions of a word and its context."""

    source: str
    """Name of the file that contains the sentence."""
    line: int
    """Line number on which the sentence begins in the file, or 0 if unknown."""
    text: str
    word: tuple[int, int]
    """Character offsets of the start and end of the word in the text."""
    context: tuple[int, int] | None
    """Character offsets of the start and end of the context word, or None if unknown."""
    pair: tuple[str, str]
    """The word and the context, as named in the counts."""

    @property
    def left(self) -> str:
        """The text before the keyword."""
        return self.text[: self.word[0]]

    @property
    def keyword(self) -> str:
        """The word as written in the sentence."""
        return self.text[slice(*self.word)]

    @property
    def right(self) -> str:
        """The text after the keyword."""
        return self.text[self.word[1] :]


@dataclass(frozen=True)
class InMemoryEvidence:
    """Evidence in memory: occurrences sorted by word, context and readability (best first)."""

    words: Names
    contexts: Names
    row: npt.NDArray[np.integer[Any]]
    column: npt.NDArray[np.integer[Any]]
    sentence: npt.NDArray[np.integer[Any]]
    places: npt.NDArray[np.int32]
    """Token positions, with one row per occurrence and four columns: the first and last token of
    the word, and the first and last token of the context.
    """
    source: Array
    line: Array
    text: Array


class Evidence:
    """Example sentences for (word, context) pairs, loaded on first use.

    Evidence stores its own list of words and contexts, so that tables derived from the counts can
    share it.
    """

    def __init__(self, read: Callable[[], InMemoryEvidence]) -> None:
        self._read = read
        self._kept: InMemoryEvidence | None = None
        self._ids: tuple[dict[str, int], dict[str, int]] | None = None
        self._files: Ints | None = None
        self._single = False

    def load(self) -> InMemoryEvidence:
        """Load all evidence into memory and return it. The folder is read only once."""
        if self._kept is None:
            self._kept = self._read()
        return self._kept

    def lines(
        self, word: str, context: str | None = None, n: int = 10, sort: str = "corpus"
    ) -> list[EvidenceLine]:
        """Return concordance lines for a word, or for a word in a given context.

        Parameters
        ----------
        word
            The keyword. If it is not in the evidence, the result is empty.
        context
            A context as named in the counts, such as obj:have. By default, the lines cover as many
            different contexts as possible.
        n
            Maximum number of lines. The most readable sentences are preferred.
        sort
            "corpus" for corpus order, "left" to sort by the words before the keyword (nearest "
            "first), or "right" to sort by the words after it.

        Returns
        -------
        list of EvidenceLine
            The lines in the requested order.
        """
        if sort not in SORTS:
            raise UnknownName("order of lines", sort, SORTS)
        kept = self.load()
        at = self._find(word, context)
        if context is None:
            # Take the best line of every context, then the second best, and so on. Ties are broken
            # by a hash of the sentence number, which is the same in every run.
            new = np.diff(kept.column[at], prepend=-1) != 0
            starts = np.maximum.accumulate(np.where(new, np.arange(at.size), 0))
            mixed = kept.sentence[at].astype(np.int64) * 2654435761 % (1 << 32)
            at = at[np.lexsort((mixed, np.arange(at.size) - starts))]
        at = np.sort(at[: max(n, 0)])
        order = np.lexsort((kept.places[at, 2], kept.places[at, 0], kept.sentence[at]))
        return sort_lines([self._line(one) for one in at[order].tolist()], sort)

    def count(self, word: str, context: str | None = None) -> int:
        """Return the number of stored lines for a word, or for a word in a given context."""
        return int(self._find(word, context).size)

    def count_files(self, word: str) -> int | None:
        """Return the number of files with a stored line for a word, or None if there is only one
        file."""
        if self._files is None:
            names, self._files = np.unique(self.load().source, return_inverse=True)
            self._single = names.size < 2
        if self._single:
            return None
        return int(np.unique(self._files[self.load().sentence[self._find(word, None)]]).size)

    def transpose(self) -> Evidence:
        """Return the evidence with words and contexts exchanged."""

        def read() -> InMemoryEvidence:
            kept = self.load()
            order = np.lexsort((np.arange(kept.row.size), kept.row, kept.column))
            return replace(
                kept,
                words=kept.contexts,
                contexts=kept.words,
                row=kept.column[order],
                column=kept.row[order],
                sentence=kept.sentence[order],
                places=kept.places[order][:, [2, 3, 0, 1]],
            )

        return Evidence(read)

    def _find(self, word: str, context: str | None) -> Ints:
        """Find the occurrences of a word or of a (word, context) pair, and return their indices."""
        kept = self.load()
        if self._ids is None:
            rows, columns = (
                {name: at for at, name in enumerate(names.tolist())}
                for names in (kept.words, kept.contexts)
            )
            self._ids = rows, columns
        row = self._ids[0].get(word)
        column = None if context is None else self._ids[1].get(context)
        if row is None or (context is not None and column is None):
            return np.empty(0, np.int64)
        begin, end = np.searchsorted(kept.row, [row, row + 1])
        if column is not None:
            inside = kept.column[begin:end]
            begin, end = begin + np.searchsorted(inside, [column, column + 1])
        return np.arange(begin, end)

    def _line(self, at: int) -> EvidenceLine:
        kept = self.load()
        sentence = int(kept.sentence[at])
        text, spans = marks.read(kept.text[sentence])
        first, last, other, until = kept.places[at].tolist()
        if max(last, until) >= len(spans):
            raise InputError(
                f"{SEEN}: row {at} refers to a token beyond the end of its sentence",
                code="damaged-folder",
            )
        return EvidenceLine(
            str(kept.source[sentence]),
            int(kept.line[sentence]),
            text,
            (spans[first][0], spans[last][1]),
            (spans[other][0], spans[until][1]),
            (str(kept.words[kept.row[at]]), str(kept.contexts[kept.column[at]])),
        )


def sort_lines(lines: Iterable[EvidenceLine], sort: str) -> list[EvidenceLine]:
    """Sort lines by the words before or after the keyword (nearest first), or keep their order."""
    if sort == "right":
        return sorted(lines, key=lambda line: line.right.casefold().split())
    if sort == "left":
        return sorted(lines, key=lambda line: line.left.casefold().split()[::-1])
    return list(lines)


def from_folder(folder: Folder, counts: Counts) -> Evidence | None:
    """Return the evidence stored in a counts or thesaurus folder, or None if it has no evidence."""
    if not folder.has(SEEN) and not folder.has(SENTENCES):
        return None

    def read() -> InMemoryEvidence:
        # Check that the folder has not changed since the counts were loaded.
        if open_folder(folder.path, folder.kind).digest != folder.digest:
            raise InputError(
                f"{folder.path} was changed after it was loaded; load it again", code="changed"
            )
        tables = folder.tables(SENTENCES, SEEN, entries=counts.matrix.nnz)
        _check_positions(folder.path / SEEN, tables[SEEN])
        return _from_tables(tables, counts)

    return Evidence(read)


def from_tables(tables: Mapping[str, Mapping[str, Array]], counts: Counts) -> Evidence:
    """Create evidence from tables in memory. The tables must belong to the given counts."""
    made = _from_tables(tables, counts)
    return Evidence(lambda: made)


def _check_positions(place: object, seen: Mapping[str, Array]) -> None:
    """Raise an error if examples are not sorted, or if token positions are out of range."""
    if np.any(seen["entry"][1:] < seen["entry"][:-1]):
        raise InputError(f"{place}: the column 'entry' is not sorted", code="damaged-folder")
    context = seen["word"].astype(np.int32) + seen["context"]
    if context.size and not (int(context.min()) >= 0 and int(context.max()) < 1 << 16):
        raise InputError(
            f"{place}: column context has a value outside 0 to {(1 << 16) - 1:,}",
            code="damaged-folder",
        )


def _from_tables(tables: Mapping[str, Mapping[str, Array]], counts: Counts) -> InMemoryEvidence:
    sentences, seen, matrix = tables[SENTENCES], tables[SEEN], counts.matrix
    word = seen["word"].astype(np.int32)
    context = word + seen["context"]
    # Entries are numbered in the order in which a CSR matrix stores its cells.
    rows = np.repeat(np.arange(len(counts.words), dtype=np.int32), np.diff(matrix.indptr))
    places = (word, word + seen["word_more"], context, context + seen["context_more"])
    return InMemoryEvidence(
        counts.words,
        counts.contexts,
        rows[seen["entry"]],
        matrix.indices[seen["entry"]],
        seen["sentence"],
        np.stack(places, axis=1).astype(np.int32),
        sentences["source"],
        sentences["line"],
        sentences["text"],
    )


def to_tables(counts: Counts) -> dict[str, dict[str, Array]]:
    """Return the evidence for the pairs in the given counts, as tables.

    The result is empty if there is no evidence.
    """
    if counts.evidence is None:
        return {}
    kept, (words, contexts) = counts.evidence.load(), counts.shape
    rows, columns = (
        _map_names(mine, its)
        for mine, its in ((kept.words, counts.words), (kept.contexts, counts.contexts))
    )
    row, column = rows[kept.row], columns[kept.column]
    # Cells are sorted by row · n_contexts + column, so a binary search finds the cell of each
    # occurrence.
    matrix = counts.matrix
    cells = np.repeat(np.arange(words), np.diff(matrix.indptr)) * contexts + matrix.indices
    at = np.flatnonzero((row >= 0) & (column >= 0))
    keys = row[at] * contexts + column[at]
    entry = np.searchsorted(cells, keys)
    there = cells[np.minimum(entry, cells.size - 1)] == keys if cells.size else keys < 0
    at, entry = at[there], entry[there]
    order = np.argsort(entry, kind="stable")
    at, entry = at[order], entry[order]
    if not at.size:
        return {}
    used, sentence = np.unique(kept.sentence[at], return_inverse=True)
    word, last, context, until = kept.places[at].T
    return {
        SENTENCES: {"source": kept.source[used], "line": kept.line[used], "text": kept.text[used]},
        SEEN: {
            "entry": entry,
            "sentence": sentence,
            "word": word,
            "word_more": last - word,
            "context": context - word,
            "context_more": until - context,
        },
    }


def _map_names(mine: Names, its: Names) -> Ints:
    """Return the index in `its` of each name in `mine`, or -1 if the name is missing in `its`."""
    ids: Mapping[str, int] = {name: at for at, name in enumerate(its.tolist())}
    return np.fromiter((ids.get(name, -1) for name in mine.tolist()), np.int64, mine.size)


def unite(all: Sequence[Evidence]) -> Evidence | None:
    """Merge the evidence from several tables of counts. Return None for an empty sequence."""
    if len(all) < 2:
        return all[0] if all else None

    def read() -> InMemoryEvidence:
        found = [one.load() for one in all]
        words, rows = unite_names(one.words for one in found)
        contexts, columns = unite_names(one.contexts for one in found)
        before = np.cumsum([0, *(one.text.size for one in found)])
        row = np.concatenate([to[one.row] for to, one in zip(rows, found, strict=True)])
        column = np.concatenate([to[one.column] for to, one in zip(columns, found, strict=True)])
        sentence = [one.sentence + n for one, n in zip(found, before, strict=False)]
        order = np.lexsort((np.arange(row.size), column, row))
        source, line, text = (
            np.concatenate([getattr(one, name) for one in found])
            for name in ("source", "line", "text")
        )
        places = np.concatenate([one.places for one in found])[order]
        return InMemoryEvidence(
            words, contexts, row[order], column[order], np.concatenate(sentence)[order], places,
            source, line, text,
        )  # fmt: skip

    return Evidence(read)
