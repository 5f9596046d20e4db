"""Functions that renumber integer codes and count pairs of codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from roget.core.types import Array, Codes, CountArray, Ints
from roget.scoring.entropy.base import ONE
from roget.scoring.labels.labels import EXACT

_CHUNK = 1 << 16
"""Number of keys per batch, chosen to fit in the CPU cache."""

_DIRECT = 1 << 18
"""Maximum number of possible keys for counting them in an array with one entry per key."""


def compact(codes: Ints, *, ordered: bool) -> tuple[Ints, Ints]:
    """Renumber codes as 0, 1, … in increasing order, and return the old code of each number."""
    # Sort sparse codes. Mark dense codes in an array and rank them in linear time.
    top = int(codes[-1] if ordered else codes.max()) + 1
    if top > 4 * codes.size + 1024:
        old, new = np.unique(codes, return_inverse=True)
        return new.astype(np.int64), old
    used = np.zeros(top, dtype=bool)
    used[codes] = True
    old = np.flatnonzero(used)
    if old.size == top:
        return codes, old
    rank = np.cumsum(used) - 1
    return rank[codes], old


def order_kinds(columns: Sequence[Ints], counts: Ints) -> Ints:
    """Return indices that sort kinds of items regardless of the names and the order of labels.

    `columns` holds the label codes of each kind, in gold and in each system. Initially, the hash of
    a kind depends only on its count. In each round, the hashes of all kinds with a label are
    summed, and the new hash of a kind is computed from the sums of its labels. After a few rounds,
    only kinds with equivalent positions in the table have equal hashes (Weisfeiler & Leman 1968).
    """
    kinds = _hash(counts.astype(np.uint64))
    sums: list[NDArray[np.uint64]] = []
    for _ in range(_ROUNDS):
        sums = [_sum_by_code(codes, kinds) for codes in columns]
        kinds = _hash(counts.astype(np.uint64))
        for number, each in enumerate(sums, start=2):
            kinds = _hash(kinds * np.uint64(number) + each)
    return np.lexsort((kinds, *reversed(sums)))


_ROUNDS = 4
"""Number of rounds in which hashes are refined."""


def _sum_by_code(codes: Ints, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """For each kind, sum the hashes of all kinds with the same code, and hash that sum."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=codes[order[:1]] - 1))
    sums = np.add.reduceat(hashes[order], starts)
    found = np.empty_like(hashes)
    found[order] = np.repeat(_hash(sums), np.diff(np.append(starts, codes.size)))
    return found


def _hash(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of integers (the final step of MurmurHash3; Appleby 2011)."""
    mixed = values + np.uint64(1)
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return np.asarray(mixed ^ (mixed >> np.uint64(33)))


def find_kinds(columns: Iterable[tuple[Array, int]]) -> tuple[Ints, Ints]:
    """Return the kind of each row, and the position of one row of each kind.

    Rows with equal codes in all columns form one kind. A column consists of an array of
    codes and an exclusive upper bound on the codes.

    >>> find_kinds([(np.array([0, 1, 0]), 2), (np.array([2, 2, 2]), 3)])
    (array([0, 1, 0]), array([2, 1]))
    """
    kinds: Ints = ONE[:0]
    for codes, width in columns:
        # Renumber the kinds after each column, so that keys cannot overflow.
        key = kinds * width + codes if kinds.size else codes.astype(np.int64)
        kinds, old = compact(key, ordered=False)
    one_of = np.empty(old.size, dtype=np.int64)
    one_of[kinds] = np.arange(kinds.size)
    return kinds, one_of


def sum_by_code(codes: Ints, counts: CountArray, size: int) -> CountArray:
    """Return the sum of the counts for each code. Sums of integer counts are exact."""
    if counts.dtype.kind == "f":
        return np.bincount(codes, counts, minlength=size)
    if float(counts.sum(dtype=np.float64)) < EXACT:
        return np.bincount(codes, counts, minlength=size).astype(np.int64)
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, codes, counts)
    return totals


def count_pairs(first: Codes, second: Codes, n_second: int, keys: int) -> tuple[Ints, Ints]:
    """Return the distinct keys first·n_second + second in increasing order, and their counts.

    `keys` is an exclusive upper bound on the keys. If there are few possible keys, they are counted
    in an array. Otherwise, one key of 4 or 8 bytes per item is sorted. A large dense table is never
    allocated.
    """
    if keys <= min(max(4 * first.size, 1 << 12), max(_DIRECT, first.size // 8)):
        counts = np.zeros(keys, dtype=np.int64)
        chunk = max(_CHUNK, keys)
        buffer = np.empty(min(chunk, first.size), dtype=np.intp)
        for begin in range(0, first.size, chunk):
            part = slice(begin, begin + chunk)
            key = buffer[: first[part].size]
            _make_keys(first[part], second[part], n_second, key)
            counts += np.bincount(key, minlength=keys)
        seen = np.flatnonzero(counts)
        return seen.astype(np.int64), counts[seen]
    return _count_sorted(first, second, n_second, keys)


def _count_sorted(first: Codes, second: Codes, n_second: int, keys: int) -> tuple[Ints, Ints]:
    """Count keys by sorting them."""
    dtype = np.uint32 if keys <= 1 << 32 else np.uint64
    key = np.empty(first.size, dtype=dtype)
    for begin in range(0, first.size, _CHUNK):
        part = slice(begin, begin + _CHUNK)
        _make_keys(first[part], second[part], n_second, key[part])
    key.sort()
    # Equal keys are now adjacent, so the count of a key is the length of its run.
    change = np.empty(key.size, dtype=bool)
    change[:1] = True
    np.not_equal(key[1:], key[:-1], out=change[1:])
    starts = np.flatnonzero(change)
    del change
    counts = np.diff(starts, append=key.size)
    return key[starts].astype(np.int64), counts


def _make_keys(first: Codes, second: Codes, n_second: int, key: Array) -> None:
    """Write the keys first·n_second + second into the array `key`."""
    # Without an explicit dtype, numpy would multiply 8-bit codes in 8 bits and overflow.
    np.multiply(first, n_second, out=key, dtype=key.dtype, casting="unsafe")
    np.add(key, second, out=key, dtype=key.dtype, casting="unsafe")
