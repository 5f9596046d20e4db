"""Select example sentences for each word–context pair, independently of the reading order.

Each task stores its examples in two kinds of files (`parts.seen_names`):

    seen-0.parquet …       word and context BIGINT as in the part's pairs, rank UBIGINT, sentence
                           BIGINT (numbered across all files), and the positions of both in the
                           sentence: index of the first token (word_at, context_at) and number of
                           further tokens (word_more, context_more)
    sentences-0.parquet …  sentence BIGINT, piece INTEGER (of the part), line BIGINT, text VARCHAR

Occurrences with a lower rank are better. Sentences of readable length come first (as in Kilgarriff
et al. 2008). Among these, a hash of the text determines the order. Repeated sentences come last.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import numpy.typing as npt

from roget.core.counts.matrix import frozen
from roget.core.io.duck import write_parquet
from roget.core.io.source import Source
from roget.core.kernels.jit import compiled
from roget.core.types import Array, BoolArray, Ints
from roget.learn.corpus.base import PairColumns, Tokens, Written
from roget.learn.counting.parts import seen_names

BUFFER = 1 << 22
"""Number of occurrences to collect before the best ones are selected."""

ROOM = 128 << 20
"""Number of bytes of text to collect before the selected sentences are written."""

SHORTEST, LONGEST = 6, 30
"""Minimum and maximum number of tokens in a sentence that is considered easy to read."""

MAX_BYTES, MAX_TOKENS = 1 << 14, 1 << 16
"""Maximum number of bytes, and of tokens, in an example sentence."""

TYPES = {
    "word": "BIGINT", "context": "BIGINT", "rank": "UBIGINT", "sentence": "BIGINT",
    "word_at": "USMALLINT", "context_at": "USMALLINT",
    "word_more": "UTINYINT", "context_more": "UTINYINT",
}  # fmt: skip
"""Columns of the occurrence files, with their SQL types."""
SENTENCES = {"sentence": "BIGINT", "piece": "INTEGER", "line": "BIGINT", "text": "VARCHAR"}
"""Columns of the sentence files, with their SQL types."""


class _Batch(NamedTuple):
    """The sentences of a batch, with their sources."""

    first: int
    piece: int
    written: Written


class ExampleSampler:
    """Select the best occurrences of each pair in a task, at most `most` per pair, and write them.

    Memory use does not grow with the number of pairs or sentences.
    """

    def __init__(self, most: int, folder: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self._most, self._folder, self._connection = most, folder, connection
        self._seen: list[dict[str, Array]] = []
        self._batches: list[_Batch] = []
        self._sentences = self._rows = self._bytes = 0
        self.runs = 0
        self.pieces: list[tuple[str, int, int]] = []

    def add(self, tokens: Tokens, pairs: PairColumns) -> None:
        """Add a batch of tokens and the pairs extracted from it."""
        written, places = tokens.written, pairs.places
        if written is None or places is None:
            return
        sizes = np.diff(tokens.starts)
        bytes_of = np.diff(written.ends[: sizes.size + 1])
        rank = rank_sentences(written.text, written.ends, sizes)
        first, other = places.word[0], places.context[0]
        sentence = np.repeat(np.arange(sizes.size), sizes)[first]
        begins = tokens.starts[sentence]
        good = (sizes <= MAX_TOKENS) & (bytes_of <= MAX_BYTES)
        kept = slice(None) if good.all() else np.flatnonzero(good[sentence])
        context = pairs.slot.astype(np.int64) << 32 | pairs.context
        self._seen.append(
            {
                "word": pairs.word[kept].astype(np.int64),
                "context": context[kept],
                "rank": rank[sentence[kept]],
                "sentence": sentence[kept] + self._sentences,
                "word_at": (first - begins)[kept].astype(np.uint16),
                "context_at": (other - begins)[kept].astype(np.uint16),
                "word_more": np.minimum(places.word[1] - first, 255)[kept].astype(np.uint8),
                "context_more": np.minimum(places.context[1] - other, 255)[kept].astype(np.uint8),
            }
        )
        self._batches.append(_Batch(self._sentences, len(self.pieces), written))
        self._sentences += sizes.size
        self._rows += len(self._seen[-1]["word"])
        self._bytes += written.text.size
        if self._rows >= BUFFER:
            self._choose()
            if 2 * self._rows >= BUFFER:
                self._write_run()
        if self._bytes >= ROOM:
            self._choose()
            self._write_run()

    def end(self, source: Source) -> None:
        """Record that a source, or a part of a source, was read to the end."""
        self.pieces.append((source.path, source.start, source.ended))

    def finish(self) -> None:
        """Write the remaining occurrences."""
        self._choose()
        self._write_run()

    def _choose(self) -> None:
        """Keep only the best occurrences of each pair in memory."""
        if not self._seen:
            return
        joined = {name: np.concatenate([one[name] for one in self._seen]) for name in TYPES}
        kept = choose(joined, self._most)
        self._seen = [{name: column[kept] for name, column in joined.items()}]
        self._rows = kept.size

    def _write_run(self) -> None:
        """Write the collected occurrences to one new file, and their sentences to another."""
        if not self._rows:
            return
        seen, sentences = seen_names(self.runs)
        (table,) = self._seen
        write_parquet(self._connection, table, TYPES, self._folder / seen)
        used = np.zeros(self._sentences - self._batches[0].first, np.bool_)
        used[table["sentence"] - self._batches[0].first] = True
        columns = self._list_sentences(used)
        write_parquet(self._connection, columns, SENTENCES, self._folder / sentences)
        self._seen, self._batches, self._rows, self._bytes = [], [], 0, 0
        self.runs += 1

    def _list_sentences(self, used: BoolArray) -> dict[str, Array]:
        """Return the sentences that contain a selected occurrence, as table columns."""
        texts: list[str] = []
        columns: dict[str, list[Ints]] = {"sentence": [], "piece": [], "line": []}
        for first, piece, written in self._batches:
            begin = first - self._batches[0].first
            at = np.flatnonzero(used[begin : begin + written.line.size])
            raw = written.text.tobytes()
            begins, ends = written.ends[at].tolist(), written.ends[at + 1].tolist()
            texts += [raw[a:b].decode() for a, b in zip(begins, ends, strict=True)]
            columns["sentence"].append(at + first)
            columns["piece"].append(np.full(at.size, piece))
            columns["line"].append(written.line[at])
        found: dict[str, Array] = {name: np.concatenate(all) for name, all in columns.items()}
        return {**found, "text": frozen(texts)}


def choose(seen: dict[str, Array], most: int) -> Ints:
    """Return the rows with the lowest ranks of each pair, at most `most` per pair."""
    # 1. Sort by pair. Pairs with at most `most` rows keep all of them.
    order = _order_pairs(seen["word"], seen["context"])
    word, context = seen["word"][order], seen["context"][order]
    new = np.flatnonzero((np.diff(word, prepend=-1) != 0) | (np.diff(context, prepend=-1) != 0))
    sizes = np.diff(new, append=order.size)
    many = np.repeat(sizes > most, sizes)
    crowded = order[many]
    group = np.repeat(np.arange(sizes.size), sizes)[many]
    # 2. Sort the rows of the other pairs by rank, and by position if ranks are equal.
    rank = seen["rank"][crowded]
    ties = seen["context_at"][crowded], seen["word_at"][crowded], seen["sentence"][crowded]
    order_in = np.lexsort((*ties, rank, group))
    crowded, rank, group = crowded[order_in], rank[order_in], group[order_in]
    # 3. Equal ranks mean identical sentences. Sort the repetitions (`again` > 0) last.
    new = (np.diff(group, prepend=-1) != 0) | np.append(True, rank[1:] != rank[:-1])[: rank.size]
    again = np.arange(rank.size) - np.maximum.accumulate(np.where(new, np.arange(rank.size), 0))
    crowded = crowded[np.lexsort((rank, again, group))]
    # 4. Keep only the first `most` rows of each of these pairs.
    large = sizes[sizes > most]
    nth = np.arange(crowded.size) - np.repeat(np.cumsum(large) - large, large)
    return np.concatenate([order[~many], crowded[nth < most]])


def _order_pairs(word: Array, context: Array) -> Ints:
    """Return an order of the rows in which equal pairs are adjacent."""
    slot, other = context >> 32, context & 0xFFFFFFFF
    bits = [int(one.max(initial=0)).bit_length() for one in (word, slot, other)]
    if sum(bits) > 63:
        return np.lexsort((context, word))
    return np.argsort((word << bits[1] | slot) << bits[2] | other)


@compiled
def rank_sentences(text: npt.NDArray[np.uint8], ends: Ints, sizes: Ints) -> npt.NDArray[np.uint64]:
    """Return the rank of each sentence: 3 bits for its length, then 61 bits of its hash."""
    ranks = np.empty(sizes.size, np.uint64)
    for i in range(sizes.size):
        # 1. Hash the text (FNV-1a).
        hashed = np.uint64(0xCBF29CE484222325)
        for at in range(ends[i], ends[i + 1]):
            hashed = (hashed ^ np.uint64(text[at])) * np.uint64(0x100000001B3)
        # 2. Let the last bytes affect the high bits too, with the finalizer of MurmurHash3.
        hashed = (hashed ^ (hashed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
        hashed = (hashed ^ (hashed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
        hashed ^= hashed >> np.uint64(33)
        # 3. Grade the length from 0 (easy to read) to 3 (much too short or too long).
        off = max(SHORTEST - sizes[i], sizes[i] - LONGEST, 0)
        grade = 0 if off == 0 else 1 if off <= 10 else 2 if off <= 30 else 3
        ranks[i] = np.uint64(grade) << np.uint64(61) | hashed >> np.uint64(3)
    return ranks
