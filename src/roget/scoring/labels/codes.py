"""Factorize labels: convert one-dimensional data to integer codes without sorting.

Labels that are equal in Python get the same code: 1, 1.0 and True are equal, but "1" is different.
Missing values (None, NaN, NA and NaT) get the code −1. An integer array with a small range is used
as codes directly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.core.types import BoolArray, Codes, Ints
from roget.errors import InputError
from roget.scoring.labels.labels import EXACT, Coder, LabelCodes


def factorize(values: npt.NDArray[Any] | Sequence[Any]) -> LabelCodes:
    """Factorize a one-dimensional array, list or tuple.

    >>> factorize(["a", None, "b", "a"]).codes.tolist()
    [0, -1, 1, 0]
    >>> array = np.array([3, 1, 3])
    >>> factorize(array).codes is array
    True
    """
    if not isinstance(values, np.ndarray):
        return factorize_objects(values)
    if isinstance(values, np.ma.MaskedArray):
        return _with_gaps(np.asarray(values), ~np.ma.getmaskarray(values))
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    kind = values.dtype.kind
    if not values.size:
        return LabelCodes(np.empty(0, dtype=np.int32), 0)
    if kind == "b":
        return LabelCodes(values.view(np.uint8), 2, (False, True))
    if kind in "iu":
        return _integers(values)
    if kind in "mM" or (kind == "f" and values.dtype.itemsize <= 8):
        answered = ~np.isnan(values)
        if not answered.all():
            return _with_gaps(values, answered)
        if kind == "f":
            return _floats(values)
        return _by_bits(values, lambda part: np.ascontiguousarray(part).view(np.uint64))
    if kind in "US" and values.dtype.itemsize:
        codes, firsts = number_strings(values)
        return LabelCodes(codes, firsts.size, _text(values[firsts]))
    return factorize_objects(values.tolist())


def factorize_objects(values: Sequence[Any]) -> LabelCodes:
    """Factorize hashable Python objects with a dictionary."""
    coder = Coder()
    try:
        codes = coder.codes(values, len(values))
    except TypeError as error:
        raise _unhashable(values, error) from None
    names = list(coder)
    plain = set(map(type, names)) <= {str, int}
    gaps = [] if plain else [code for code, name in enumerate(names) if is_missing(name)]
    coded = LabelCodes(codes, len(names), names)
    return coded.drop(gaps) if gaps else coded


def is_missing(value: object) -> bool:
    """Return True if a value means "no label": None, NaN, NaT or NA.

    >>> [is_missing(value) for value in (None, float("nan"), "", 0, "nan")]
    [True, True, False, False, False]
    """
    if value is None:
        return True
    if isinstance(value, str | int | tuple):
        return False
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(value != value)


def _integers(values: Codes) -> LabelCodes:
    largest = max(4 * values.size, 1 << 16)
    # The bitwise OR of all labels is an upper bound on them, and requires only one pass over the
    # data.
    bits = int(np.bitwise_or.reduce(values))
    if 0 <= bits < largest:
        # View uint64 as int64, because numpy converts uint64 mixed with signed integers to floats.
        codes = values.view(np.int64) if values.dtype == np.uint64 else values
        return LabelCodes(codes, bits + 1)
    low, high = int(values.min()), int(values.max())
    if high - low < largest:
        codes = np.empty(values.shape, dtype=np.int32 if high - low < 2**31 else np.int64)
        # The subtraction may wrap around, but the result is correct because the true difference is
        # small.
        base = values.min().astype(np.int64)
        np.subtract(values, base, out=codes, dtype=np.int64, casting="unsafe")
        return LabelCodes(codes, high - low + 1, offset=low)
    return _by_bits(values, lambda part: part.astype(np.uint64))


def _floats(values: npt.NDArray[Any]) -> LabelCodes:
    low, high = float(values.min()), float(values.max())
    whole = max(abs(low), abs(high)) < EXACT and high - low < max(4 * values.size, 1 << 16)
    if whole and bool(np.all(np.rint(values) == values)):
        return _integers(values.astype(np.int64))
    # Adding 0.0 converts −0.0 to 0.0, which is equal but has different bits.
    return _by_bits(values, lambda part: (part.astype(np.float64) + 0.0).view(np.uint64))


def _by_bits(values: npt.NDArray[Any], bits: Callable[[npt.NDArray[Any]], Word]) -> LabelCodes:
    """Factorize values by the 64-bit patterns that `bits` returns."""
    codes, firsts = number_rows(values.size, 1, lambda start, end: [bits(values[start:end])])
    return LabelCodes(codes, firsts.size, values[firsts])


def _text(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Decode byte strings to text if they are valid UTF-8."""
    if values.dtype.kind == "U":
        return values
    try:
        return np.char.decode(values, "utf-8")
    except UnicodeDecodeError:
        return values


def _with_gaps(values: npt.NDArray[Any], answered: BoolArray) -> LabelCodes:
    """Factorize the items that have a label, and assign the code −1 to all other items."""
    coded = factorize(values[answered])
    wide = np.int64 if coded.codes.dtype.itemsize == 8 else np.int32
    codes = np.full(answered.shape, -1, dtype=wide)
    codes[answered] = coded.codes
    return coded._replace(codes=codes, complete=bool(answered.all()))


def _unhashable(values: Sequence[Any], error: TypeError) -> Exception:
    for position, value in enumerate(values):
        try:
            hash(value)
        except TypeError:
            return InputError(
                f"item {position}: a {type(value).__name__} cannot be a label (found "
                f"{value!r:.60}); expected a string or a number. Pass weighted labels as a "
                "two-dimensional array",
                code="broken-lines",
            )
    return error


Word = npt.NDArray[np.uint64]
Words = list[Word]
"""The rows of a chunk as arrays of 64-bit words. Array j contains word j of every row."""

CHUNK = 1 << 15
"""Number of rows per chunk. Temporary arrays of this size fit into the CPU cache."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


class RowTable:
    """A hash table with open addressing that assigns numbers to distinct rows.

    A row consists of one or more 64-bit words. `firsts` contains the index of the first row with
    each number.
    """

    def __init__(self, n_words: int, rows: int) -> None:
        self.size = 0
        self._firsts = np.empty(64, dtype=np.int64)
        self._rows = [np.empty(64, dtype=np.uint64) for _ in range(n_words)]
        self._bits = max(6, (4 * min(rows, CHUNK)).bit_length())
        self._slots = np.full(1 << self._bits, -1, dtype=np.int32)

    @property
    def firsts(self) -> Ints:
        return self._firsts[: self.size]

    def codes(self, words: Words, start: int) -> npt.NDArray[np.int32]:
        """Return the integer code of each row in a chunk.

        `start` is the index of the chunk's first row.
        """
        self._reserve(len(words[0]))
        slots = self._hash(words)
        rows = np.arange(start, start + slots.size)
        numbers = self._look_up(words, slots, rows)
        collided = np.flatnonzero(self._differ(words, numbers))
        while collided.size:
            # Linear probing: if a slot is occupied by a different row, try the next slot.
            slots = (slots[collided] + 1) & (self._slots.size - 1)
            words = [word[collided] for word in words]
            rows = rows[collided]
            next_numbers = self._look_up(words, slots, rows)
            numbers[rows - start] = next_numbers
            collided = np.flatnonzero(self._differ(words, next_numbers))
        return numbers

    def _hash(self, words: Words) -> Ints:
        """Return the first slot to probe for each row, using a multiplicative hash of its words."""
        h = words[0] * _GOLDEN
        for word in words[1:]:
            h ^= h >> _HALF
            h += word
            h *= _GOLDEN
        h ^= h >> _HALF
        h *= _MIX
        h >>= np.uint64(64 - self._bits)
        return h.view(np.int64)

    def _look_up(self, words: Words, slots: Ints, rows: Ints) -> npt.NDArray[np.int32]:
        """Return the number stored in the slot of each row.

        Rows whose slots are empty are added to the table.
        """
        numbers = self._slots.take(slots)
        free = np.flatnonzero(numbers < 0)
        if not free.size:
            return numbers
        empty = slots[free]
        # Several rows may hash to the same empty slot. Write in reverse order, so that the first
        # row is written last and gets the slot.
        self._slots[empty[::-1]] = free[::-1]
        winners = free[self._slots[empty] == free]
        self._slots[slots[winners]] = self._add([word[winners] for word in words], rows[winners])
        numbers[free] = self._slots[empty]
        return numbers

    def _differ(self, words: Words, numbers: npt.NDArray[np.int32]) -> BoolArray:
        """Return a mask of the rows that differ from the stored row with the given number."""
        differ: BoolArray = words[0] != self._rows[0].take(numbers)
        for word, known in zip(words[1:], self._rows[1:], strict=True):
            differ |= word != known.take(numbers)
        return differ

    def _add(self, words: Words, rows: Ints) -> Ints:
        """Store new rows, and return the numbers assigned to them."""
        end = self.size + rows.size
        if end > self._firsts.size:
            capacity = max(2 * self._firsts.size, end)
            self._firsts = np.resize(self._firsts, capacity)
            self._rows = [np.resize(known, capacity) for known in self._rows]
        self._firsts[self.size : end] = rows
        for word, known in zip(words, self._rows, strict=True):
            known[self.size : end] = word
        new = np.arange(self.size, end)
        self.size = end
        return new

    def _reserve(self, rows: int) -> None:
        """Enlarge the table so that it stays at most half full after adding `rows` new rows."""
        if 2 * (self.size + rows) <= self._slots.size:
            return
        while 2 * (self.size + rows) > 1 << self._bits:
            self._bits += 1
        self._slots = np.full(1 << self._bits, -1, dtype=np.int32)
        pending = np.arange(self.size)
        slots = self._hash([known[: self.size] for known in self._rows])
        while pending.size:
            free = self._slots[slots] < 0
            self._slots[slots[free]] = pending[free]
            collided = self._slots[slots] != pending
            pending, slots = pending[collided], (slots[collided] + 1) & (self._slots.size - 1)


def number_rows(rows: int, n_words: int, words: Callable[[int, int], Words]) -> tuple[Codes, Ints]:
    """Return the codes of `rows` rows, and the index of the first row with each code.

    `words(start, end)` returns a slice of the rows as 64-bit words. Only one slice is in memory at
    a time.
    """
    table = RowTable(n_words, rows)
    codes: Codes = np.empty(rows, dtype=np.uint16)
    for start in range(0, rows, CHUNK):
        end = min(start + CHUNK, rows)
        found = table.codes(words(start, end), start)
        if table.size > 1 << 16 and codes.dtype == np.uint16:
            codes = codes.astype(np.int32)
        codes[start:end] = found
    return codes, table.firsts


def number_strings(values: npt.NDArray[Any]) -> tuple[Codes, Ints]:
    """Return the codes of a string array (dtype U or S), and the first index of each code."""
    unit = np.uint32 if values.dtype.kind == "U" else np.uint8
    width = values.dtype.itemsize // np.dtype(unit).itemsize

    def characters(start: int, end: int) -> npt.NDArray[Any]:
        rows = np.ascontiguousarray(values[start:end])
        return rows.view(unit).reshape(end - start, width)

    # Most characters need only 8 or 16 of their 32 bits. Packing them reduces the number of 64-bit
    # words per row.
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
