"""Numbers for labels: any one-dimensional thing becomes an array of codes, without sorting.

Labels that are equal in Python are one label: 1, 1.0 and True are the same, "1" is another.
None, NaN and the NA or NaT of other libraries are not labels but missing answers, code −1.
An integer array is its own code wherever its range is small enough to count by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from roget.core.types import BoolArray, Codes, Ints
from roget.errors import InputError
from roget.scoring.labels.labels import EXACT, Coder, Factors


def factorize(values: npt.NDArray[Any] | Sequence[Any]) -> Factors:
    """The codes and labels of a one-dimensional array, list or tuple.

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
        return Factors(np.empty(0, dtype=np.int32), None, 0)
    if kind == "b":
        return Factors(values.view(np.uint8), (False, True), 2)
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
        return Factors(codes, _text(values[firsts]), firsts.size)
    return factorize_objects(values.tolist())


def factorize_objects(values: Sequence[Any]) -> Factors:
    """Codes of any hashable Python objects, by one dictionary look-up each."""
    coder = Coder()
    try:
        codes = coder.codes(values, len(values))
    except TypeError as error:
        raise _unhashable(values, error) from None
    names = coder.names()
    plain = set(map(type, names)) <= {str, int}
    gaps = [] if plain else [code for code, name in enumerate(names) if is_missing(name)]
    factors = Factors(codes, names, len(names))
    return factors.drop(gaps) if gaps else factors


def is_missing(value: object) -> bool:
    """Whether a value means "no answer": None, NaN, NaT or NA.

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


def _integers(values: Codes) -> Factors:
    room = max(4 * values.size, 1 << 16)
    # All bits any label has: one pass, where smallest and largest would take two.
    bits = int(np.bitwise_or.reduce(values))
    if 0 <= bits < room:
        # Unsigned 64-bit arithmetic with signed numbers falls to floats, so it is renamed.
        codes = values.view(np.int64) if values.dtype == np.uint64 else values
        return Factors(codes, None, bits + 1)
    low, high = int(values.min()), int(values.max())
    if high - low < room:
        codes = np.empty(values.shape, dtype=np.int32 if high - low < 2**31 else np.int64)
        # Wrapping round is harmless: the difference itself fits.
        base = values.min().astype(np.int64)
        np.subtract(values, base, out=codes, dtype=np.int64, casting="unsafe")
        return Factors(codes, None, high - low + 1, low)
    return _by_bits(values, lambda part: part.astype(np.uint64))


def _floats(values: npt.NDArray[Any]) -> Factors:
    low, high = float(values.min()), float(values.max())
    whole = max(abs(low), abs(high)) < EXACT and high - low < max(4 * values.size, 1 << 16)
    if whole and bool(np.all(np.rint(values) == values)):
        return _integers(values.astype(np.int64))
    # Adding zero turns −0.0 into 0.0, which is equal to it but has other bits.
    return _by_bits(values, lambda part: (part.astype(np.float64) + 0.0).view(np.uint64))


def _by_bits(values: npt.NDArray[Any], bits: Callable[[npt.NDArray[Any]], Word]) -> Factors:
    """Numbers that are equal if their 64 bits are."""
    codes, firsts = number_rows(values.size, 1, lambda start, end: [bits(values[start:end])])
    return Factors(codes, values[firsts], firsts.size)


def _text(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Byte strings as text where they are UTF-8, so that labels print as they read."""
    if values.dtype.kind == "U":
        return values
    try:
        return np.char.decode(values, "utf-8")
    except UnicodeDecodeError:
        return values


def _with_gaps(values: npt.NDArray[Any], answered: BoolArray) -> Factors:
    """The factors of the answered items, spread over all items."""
    factors = factorize(values[answered])
    wide = np.int64 if factors.codes.dtype.itemsize == 8 else np.int32
    codes = np.full(answered.shape, -1, dtype=wide)
    codes[answered] = factors.codes
    return factors._replace(codes=codes, complete=bool(answered.all()))


def _unhashable(values: Sequence[Any], error: TypeError) -> Exception:
    for position, value in enumerate(values):
        try:
            hash(value)
        except TypeError:
            return InputError(
                f"item {position}: a {type(value).__name__} cannot be a label "
                f"(found {value!r:.60}); expected text or a number, or for weighted answers "
                "a two-dimensional array"
            )
    return error


Word = npt.NDArray[np.uint64]
Words = list[Word]
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
    def firsts(self) -> Ints:
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

    def _home(self, words: Words) -> Ints:
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

    def _unlike(self, words: Words, found: npt.NDArray[np.int32]) -> BoolArray:
        unlike: BoolArray = words[0] != self._rows[0].take(found)
        for word, known in zip(words[1:], self._rows[1:], strict=True):
            unlike |= word != known.take(found)
        return unlike

    def _add(self, words: Words, rows: Ints) -> Ints:
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


def number_rows(rows: int, n_words: int, words: Callable[[int, int], Words]) -> tuple[Codes, Ints]:
    """Codes of `rows` rows, and the index of one row of each code.

    `words(start, end)` packs a stretch of rows; only one stretch at a time is in memory.
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
