"""Counting label pairs: two arrays of codes in, the distinct pairs and their counts out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.integer]
IntArray = npt.NDArray[np.int64]

_CHUNK = 1 << 16
"""Keys are made a stretch at a time, so that they are still in the cache when counted."""

_DIRECT = 1 << 18
"""Up to so many possible keys, an array with a place for each is the fastest counter."""


def count_pairs(first: Codes, second: Codes, n_second: int, keys: int) -> tuple[IntArray, IntArray]:
    """Distinct values of first·n_second + second in increasing order, with their counts.

    `keys` is one more than the largest key there can be. Memory is a small table when there are
    few possible keys, else one 4- or 8-byte key per item; never a dense table of all label pairs.
    """
    if keys <= min(max(4 * first.size, 1 << 12), max(_DIRECT, first.size // 8)):
        counts = _counted(first, second, n_second, keys)
        seen = np.flatnonzero(counts)
        return seen.astype(np.int64), counts[seen]
    return _sorted(first, second, n_second, keys)


def _counted(first: Codes, second: Codes, n_second: int, keys: int) -> IntArray:
    counts = np.zeros(keys, dtype=np.int64)
    chunk = max(_CHUNK, keys)
    room = np.empty(min(chunk, first.size), dtype=np.intp)
    for begin in range(0, first.size, chunk):
        part = first[begin : begin + chunk]
        key = room[: part.size]
        # The type is named because numpy would multiply 8-bit codes in 8 bits.
        np.multiply(part, n_second, out=key, dtype=np.intp, casting="unsafe")
        np.add(key, second[begin : begin + chunk], out=key, dtype=np.intp, casting="unsafe")
        counts += np.bincount(key, minlength=keys)
    return counts


def _sorted(first: Codes, second: Codes, n_second: int, keys: int) -> tuple[IntArray, IntArray]:
    dtype = np.uint32 if keys <= 1 << 32 else np.uint64
    key = np.empty(first.size, dtype=dtype)
    for begin in range(0, first.size, _CHUNK):
        part = slice(begin, begin + _CHUNK)
        np.multiply(first[part], n_second, out=key[part], dtype=dtype, casting="unsafe")
        np.add(key[part], second[part], out=key[part], dtype=dtype, casting="unsafe")
    key.sort()
    change = np.empty(key.size, dtype=bool)
    change[:1] = True
    np.not_equal(key[1:], key[:-1], out=change[1:])
    starts = np.flatnonzero(change)
    del change
    counts = np.diff(starts, append=key.size)
    return key[starts].astype(np.int64), counts
