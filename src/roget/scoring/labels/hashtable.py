"""Equal rows get equal codes, in linear time and little memory: an open hash table in numpy.

Sorting N strings to number them costs many times more than looking each up in a table of the
few distinct ones. A row is first packed without loss into 64-bit words, so comparing words
compares rows, and two different rows never share a code whatever their hashes do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.scoring.labels.base import IntArray

Words = list[npt.NDArray[np.uint64]]
"""The rows of one chunk, packed: word j of every row in the j-th array."""

CHUNK = 1 << 15
"""Rows looked at together: few enough that the temporary arrays stay in the cache."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


class RowTable:
    """Numbers distinct rows as they come; `firsts` holds the index of one row per number."""

    def __init__(self, n_words: int, rows: int) -> None:
        self.size = 0
        self._firsts = np.empty(64, dtype=np.int64)
        self._rows = [np.empty(64, dtype=np.uint64) for _ in range(n_words)]
        self._bits = max(6, (4 * min(rows, CHUNK)).bit_length())
        self._slots = np.full(1 << self._bits, -1, dtype=np.int32)

    @property
    def firsts(self) -> npt.NDArray[np.int64]:
        return self._firsts[: self.size]

    def codes(self, words: Words, start: int) -> npt.NDArray[np.int32]:
        """The number of each row of a chunk whose first row has index `start`."""
        self._reserve(len(words[0]))
        slots = self._home(words)
        rows = np.arange(start, start + slots.size)
        found = self._look_up(words, slots, rows)
        apart = np.flatnonzero(self._unlike(words, found))
        while apart.size:
            # The slot holds another row: try the next one, for the rows concerned only.
            slots = (slots[apart] + 1) & (self._slots.size - 1)
            words = [word[apart] for word in words]
            rows = rows[apart]
            nearer = self._look_up(words, slots, rows)
            found[rows - start] = nearer
            apart = np.flatnonzero(self._unlike(words, nearer))
        return found

    def _home(self, words: Words) -> npt.NDArray[np.int64]:
        h = words[0] * _GOLDEN
        for word in words[1:]:
            h ^= h >> _HALF
            h += word
            h *= _GOLDEN
        h ^= h >> _HALF
        h *= _MIX
        h >>= np.uint64(64 - self._bits)
        return h.view(np.int64)

    def _look_up(
        self, words: Words, slots: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int32]:
        """What the slots hold, after rows that found one empty have moved in."""
        found = self._slots.take(slots)
        free = np.flatnonzero(found < 0)
        if not free.size:
            return found
        wanted = slots[free]
        # Of several writes to one slot the last stays: backwards, that is the earliest row.
        self._slots[wanted[::-1]] = free[::-1]
        winners = free[self._slots[wanted] == free]
        self._slots[slots[winners]] = self._add([word[winners] for word in words], rows[winners])
        found[free] = self._slots[wanted]
        return found

    def _unlike(self, words: Words, found: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        unlike: npt.NDArray[np.bool_] = words[0] != self._rows[0].take(found)
        for word, known in zip(words[1:], self._rows[1:], strict=True):
            unlike |= word != known.take(found)
        return unlike

    def _add(self, words: Words, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        end = self.size + rows.size
        if end > self._firsts.size:
            room = max(2 * self._firsts.size, end)
            self._firsts = np.resize(self._firsts, room)
            self._rows = [np.resize(known, room) for known in self._rows]
        self._firsts[self.size : end] = rows
        for word, known in zip(words, self._rows, strict=True):
            known[self.size : end] = word
        new = np.arange(self.size, end)
        self.size = end
        return new

    def _reserve(self, rows: int) -> None:
        """Keep the table at most half full even if every coming row is new."""
        if 2 * (self.size + rows) <= self._slots.size:
            return
        while 2 * (self.size + rows) > 1 << self._bits:
            self._bits += 1
        self._slots = np.full(1 << self._bits, -1, dtype=np.int32)
        pending = np.arange(self.size)
        slots = self._home([known[: self.size] for known in self._rows])
        while pending.size:
            free = self._slots[slots] < 0
            self._slots[slots[free]] = pending[free]
            apart = self._slots[slots] != pending
            pending, slots = pending[apart], (slots[apart] + 1) & (self._slots.size - 1)


def number_rows(
    rows: int, n_words: int, words: Callable[[int, int], Words]
) -> tuple[IntArray, npt.NDArray[np.int64]]:
    """Codes of `rows` rows, and the index of one row of each code.

    `words(start, end)` packs a stretch of rows; only one stretch at a time is in memory.
    """
    table = RowTable(n_words, rows)
    codes: IntArray = np.empty(rows, dtype=np.uint16)
    for start in range(0, rows, CHUNK):
        end = min(start + CHUNK, rows)
        found = table.codes(words(start, end), start)
        if table.size > 1 << 16 and codes.dtype == np.uint16:
            codes = codes.astype(np.int32)
        codes[start:end] = found
    return codes, table.firsts


def number_strings(
    values: npt.NDArray[Any],
) -> tuple[IntArray, npt.NDArray[np.int64]]:
    """Codes of a fixed-width string array ('U' or 'S'), and one occurrence of each code."""
    unit = np.uint32 if values.dtype.kind == "U" else np.uint8
    width = values.dtype.itemsize // np.dtype(unit).itemsize

    def characters(start: int, end: int) -> npt.NDArray[Any]:
        rows = np.ascontiguousarray(values[start:end])
        return rows.view(unit).reshape(end - start, width)

    # Most text needs 8 or 16 of a character's 32 bits, so that fewer words hold a row.
    top = max(
        int(characters(start, min(start + CHUNK, values.size)).max())
        for start in range(0, values.size, CHUNK)
    )
    narrow: npt.DTypeLike = np.uint8 if top < 1 << 8 else np.uint16 if top < 1 << 16 else np.uint32
    per_word = 8 // np.dtype(narrow).itemsize
    n_words = -(-width // per_word)

    def words(start: int, end: int) -> Words:
        rows = characters(start, end)
        packed = np.zeros((n_words, end - start, per_word), dtype=narrow)
        for j in range(width):
            packed[j // per_word, :, j % per_word] = rows[:, j]
        return [word.view(np.uint64).ravel() for word in packed]

    return number_rows(values.size, n_words, words)
