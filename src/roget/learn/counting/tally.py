"""Count pairs of word and context ids by packing them into 64 bits and sorting them."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias, TypeVar

import duckdb
import numpy as np
import numpy.typing as npt

from roget.core.counts.matrix import frozen
from roget.core.io.duck import write_parquet
from roget.core.types import Array, Ints
from roget.errors import InputError
from roget.learn.corpus.base import PairColumns, Strings, Tables
from roget.learn.counting.parts import CONTEXTS, WORDS, pairs_name

Keys: TypeAlias = npt.NDArray[np.uint64]
K = TypeVar("K", np.uint64, np.int64)

BUFFER = 1 << 22
"""Number of occurrences to collect before they are sorted and counted."""

RUN = 1 << 23
"""Number of distinct pairs in memory above which they are written to a file."""


class PairTally:
    """Count the pairs of one task, and write the counts to a folder.

    Memory use grows with the number of words and contexts, but not with the number of pairs.
    """

    def __init__(self, tables: Tables, folder: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self._tables, self._folder, self._connection = tables, folder, connection
        self._buffer: Keys = np.empty(BUFFER, np.uint64)
        self._times: Ints | None = None
        self._used = 0
        self._counted: list[tuple[Keys, Ints]] = []
        self._bits = (26, 12)
        nothing: tuple[Ints, Ints] = (np.empty(0, np.int64), np.empty(0, np.int64))
        self._words = self._contexts = nothing
        self.runs = 0

    def add(self, pairs: PairColumns) -> None:
        """Add the pairs of a batch to the counts."""
        words, slots = self._bits
        if len(self._tables.words) > 1 << words or len(self._tables.slots) > 1 << slots:
            self._write_run()
            self._bits = self._choose_widths()
        keys, times = self._pack(pairs), pairs.times
        if times is not None and self._times is None:
            self._times = np.empty(BUFFER, np.int64)
        while keys.size:
            room = min(keys.size, BUFFER - self._used)
            self._buffer[self._used : self._used + room] = keys[:room]
            if times is not None and self._times is not None:
                self._times[self._used : self._used + room] = times[:room]
                times = times[room:]
            self._used += room
            keys = keys[room:]
            if self._used == BUFFER:
                self._count()
                self._settle()

    def finish(self) -> None:
        """Write the remaining counts, and the totals of words and contexts."""
        self._write_run()
        ids, totals = self._words
        words = {"id": ids, "word": _get_texts(self._tables.words, ids), "n": totals}
        self._write(words, WORDS)
        ids, totals = self._contexts
        contexts = {
            "id": ids,
            "slot": _get_texts(self._tables.slots, ids >> 32),
            "context": _get_texts(self._tables.words, ids & 0xFFFFFFFF),
            "n": totals,
        }
        self._write(contexts, CONTEXTS)

    def _choose_widths(self) -> tuple[int, int]:
        """Return the number of bits for word ids and for relation ids.

        They are sufficient for twice the current number of words.
        """
        words = len(self._tables.words).bit_length() + 1
        slots = 64 - 2 * words
        if slots < 0 or len(self._tables.slots) > 1 << slots:
            raise InputError(
                f"too many distinct words ({len(self._tables.words):,}) or relations "
                f"({len(self._tables.slots):,}) in one input; split it into several files",
                code="too-large",
            )
        return words, slots

    def _pack(self, pairs: PairColumns) -> Keys:
        """Pack word, relation and context into one integer: word | relation | context."""
        words, slots = self._bits
        keys: Keys = pairs.word.astype(np.uint64) << np.uint64(words + slots)
        keys |= pairs.slot.astype(np.uint64) << np.uint64(words)
        keys |= pairs.context.astype(np.uint64)
        return keys

    def _count(self) -> None:
        """Sort and count the pairs in the buffer, and empty it."""
        if self._used:
            keys = self._buffer[: self._used]
            counted = (
                np.unique(keys, return_counts=True)
                if self._times is None
                else _add_up((keys, self._times[: self._used]))
            )
            self._counted.append(counted)
            self._used = 0

    def _settle(self) -> None:
        """Merge the counted buffers if this saves time. Write the result to disk if it is large."""
        sizes = [keys.size for keys, _ in self._counted]
        if sum(sizes[1:]) >= min(sizes[0], RUN):
            self._merge()
        if sum(keys.size for keys, _ in self._counted) >= RUN:
            self._write_run()

    def _merge(self) -> None:
        """Merge the counts of several buffers into one table."""
        if len(self._counted) > 1:
            self._counted = [_add_up(*self._counted)]

    def _write_run(self) -> None:
        """Write the counts so far to a new file, and add them to the totals."""
        self._count()
        self._merge()
        if not self._counted:
            return
        keys, counts = self._counted.pop()
        width, slots = self._bits
        words = (keys >> np.uint64(width + slots)).astype(np.int64)
        slot = (keys >> np.uint64(width)) & np.uint64((1 << slots) - 1)
        contexts = (slot << np.uint64(32) | keys & np.uint64((1 << width) - 1)).astype(np.int64)
        self._words = _add_up(self._words, (words, counts))
        self._contexts = _add_up(self._contexts, (contexts, counts))
        arrays = {"word": words, "context": contexts, "n": counts}
        self._write(arrays, pairs_name(self.runs))
        self.runs += 1

    def _write(self, arrays: dict[str, Array], name: str) -> None:
        # DuckDB cannot infer the type of an empty array of strings.
        types = {
            column: "VARCHAR" if array.dtype == np.object_ else "BIGINT"
            for column, array in arrays.items()
        }
        write_parquet(self._connection, arrays, types, self._folder / name)


def _add_up(*counted: tuple[npt.NDArray[K], Ints]) -> tuple[npt.NDArray[K], Ints]:
    """Merge several (keys, counts) tables. Return sorted distinct keys with their total counts."""
    keys, counts = (np.concatenate(column) for column in zip(*counted, strict=True))
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[starts], np.add.reduceat(counts, starts)


def _get_texts(strings: Strings, ids: Ints) -> npt.NDArray[np.object_]:
    return frozen(strings.texts[number] for number in ids.tolist())
