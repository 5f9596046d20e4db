"""Numbers for labels: any one-dimensional thing becomes an array of codes, without sorting.

Labels that are equal in Python are one label: 1, 1.0 and True are the same, "1" is another.
None, NaN and the NA or NaT of other libraries are not labels but missing answers, code −1.
An integer array is its own code wherever its range is small enough to count by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from roget.errors import InputError
from roget.scoring.labels.base import IntArray, Names
from roget.scoring.labels.hashtable import number_rows, number_strings

_EXACT = 2.0**53
"""Whole numbers below this are exact in a 64-bit float."""


class Factors(NamedTuple):
    """Codes in [0, n_labels), −1 for no answer; names None: code + offset is the label."""

    codes: IntArray
    names: Names | None
    n_labels: int
    offset: int = 0
    complete: bool = True


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
        answered = ~np.ma.getmaskarray(values)
        return _with_gaps(factorize(np.asarray(values)[answered]), answered)
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    kind = values.dtype.kind
    if not values.size:
        return Factors(np.empty(0, dtype=np.int32), None, 0)
    if kind == "b":
        return Factors(values.view(np.uint8), (False, True), 2)
    if kind in "iu":
        return _integers(values)
    if kind == "f" and values.dtype.itemsize <= 8:
        return _floats(values)
    if kind in "US" and values.dtype.itemsize:
        codes, firsts = number_strings(values)
        return Factors(codes, _text(values[firsts]), firsts.size)
    if kind in "mM":
        return _times(values)
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
    if not gaps:
        return Factors(codes, names, len(names))
    kept = np.ones(len(names), dtype=bool)
    kept[gaps] = False
    lookup = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    names = [name for name, keep in zip(names, kept.tolist(), strict=True) if keep]
    return Factors(lookup[codes], names, len(names), complete=False)


def without_empty(factors: Factors) -> Factors:
    """The same factors with the empty text as no answer, as in files.

    >>> without_empty(factorize(["", "a", None])).codes.tolist()
    [-1, 0, -1]
    """
    names = factors.names
    if names is None or (isinstance(names, np.ndarray) and names.dtype.kind != "U"):
        return factors
    names = list(names)
    if "" not in names:
        return factors
    empty = names.index("")
    # The last place is that of code −1, which stays.
    lookup = np.append(np.arange(len(names), dtype=np.int32), np.int32(-1))
    lookup[empty + 1 : -1] -= 1
    lookup[empty] = -1
    del names[empty]
    return Factors(lookup[factors.codes], names, len(names), complete=False)


class Coder:
    """Gives each new value the next number; for values that come a chunk at a time."""

    def __init__(self) -> None:
        self._numbers: defaultdict[Hashable, int] = defaultdict()

    def __len__(self) -> int:
        return len(self._numbers)

    def codes(self, values: Iterable[Hashable], count: int) -> npt.NDArray[np.int32]:
        """The numbers of `count` values, in one pass."""
        # The factory holds the dictionary it belongs to: set only while it is needed.
        self._numbers.default_factory = self._numbers.__len__
        try:
            return np.fromiter(map(self._numbers.__getitem__, values), np.int32, count)
        finally:
            self._numbers.default_factory = None

    def names(self) -> list[Any]:
        """The values seen, in the order of their numbers."""
        return list(self._numbers)


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


def _integers(values: IntArray) -> Factors:
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
    codes, firsts = number_rows(
        values.size, 1, lambda start, end: [values[start:end].astype(np.uint64)]
    )
    return Factors(codes, values[firsts], firsts.size)


def _floats(values: npt.NDArray[Any]) -> Factors:
    answered = ~np.isnan(values)
    if not answered.all():
        return _with_gaps(factorize(values[answered]), answered)
    low, high = float(values.min()), float(values.max())
    whole = max(abs(low), abs(high)) < _EXACT and high - low < max(4 * values.size, 1 << 16)
    if whole and bool(np.all(np.rint(values) == values)):
        return _integers(values.astype(np.int64))
    # Adding zero turns −0.0 into 0.0, which is equal to it but has other bits.
    codes, firsts = number_rows(
        values.size,
        1,
        lambda start, end: [(values[start:end].astype(np.float64) + 0.0).view(np.uint64)],
    )
    return Factors(codes, values[firsts], firsts.size)


def _times(values: npt.NDArray[Any]) -> Factors:
    answered = ~np.isnat(values)
    if not answered.all():
        return _with_gaps(factorize(values[answered]), answered)
    ticks = np.ascontiguousarray(values).view(np.uint64)
    codes, firsts = number_rows(values.size, 1, lambda start, end: [ticks[start:end]])
    return Factors(codes, values[firsts], firsts.size)


def _text(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Byte strings as text where they are UTF-8, so that labels print as they read."""
    if values.dtype.kind == "U":
        return values
    try:
        return np.char.decode(values, "utf-8")
    except UnicodeDecodeError:
        return values


def _with_gaps(factors: Factors, answered: npt.NDArray[np.bool_]) -> Factors:
    """The factors of the answered items, spread over all items."""
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
