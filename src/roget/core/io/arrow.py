"""How much an Arrow file (.arrow, .feather) will take in memory, by what it says of its batches.

Only the footer, the head of each batch and the length before each packed buffer are looked at. They
are flatbuffers: tables whose first number leads back to a list of where each field stands.
https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
"""

from __future__ import annotations

import mmap
from struct import Struct
from typing import NamedTuple

import numpy as np

from roget.core.types import Ints

MAGIC = b"ARROW1"
"""How such files begin and end; those of Feather's first version, which packs nothing, do not."""

_INT, _LONG, _SHORT = Struct("<i"), Struct("<q"), Struct("<H")

_DICTIONARIES, _BATCHES = 2, 3
_HEADER = 2
_COMPRESSION = 3
"""Fields: two of the footer, one of a message, one of a batch."""

_CELL = 8
"""Bytes that a cell takes at least, once it is read: there are columns that store none at all."""


class _Table(NamedTuple):
    """A table of a flatbuffer: where it begins in the file."""

    data: mmap.mmap
    at: int

    def long(self, field: int) -> int:
        """A number of 64 bits; 0 if it is left out, as fields may be."""
        at = self._find(field)
        return _number(self.data, at, _LONG) if at else 0

    def table(self, field: int) -> _Table | None:
        """A table inside."""
        at = self._find(field)
        return _Table(self.data, at + _number(self.data, at, _INT)) if at else None

    def longs(self, field: int, width: int) -> Ints:
        """A list of so many numbers of 64 bits each, in rows."""
        at = self._find(field)
        if not at:
            return np.zeros((0, width), np.int64)
        at += _number(self.data, at, _INT)
        size = 8 * width * _number(self.data, at, _INT)
        return np.frombuffer(_cut(self.data, at + 4, size), "<i8").reshape(-1, width)

    def _find(self, field: int) -> int:
        """Where a field stands."""
        fields = self.at - _number(self.data, self.at, _INT)
        if 4 + 2 * field >= _number(self.data, fields, _SHORT):
            return 0
        offset = _number(self.data, fields + 4 + 2 * field, _SHORT)
        return self.at + offset if offset else 0


def weigh_arrow(path: str) -> tuple[int, int]:
    """The rows of an Arrow file, and the bytes that they take; a ValueError if it is damaged.

    A file of another kind weighs nothing.
    """
    with open(path, "rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return 0, 0
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _weigh(data)


def _weigh(data: mmap.mmap) -> tuple[int, int]:
    end = len(data) - len(MAGIC) - _INT.size
    footer = _root(data, end - _number(data, end, _INT))
    rows = size = 0
    for field in (_DICTIONARIES, _BATCHES):
        # A batch that is listed twice is read twice.
        for offset, head, _ in footer.longs(field, 3).tolist():
            batch = _open_batch(data, offset, within=field == _DICTIONARIES)
            cells = batch.longs(1, 2)[:, 0]
            body = offset + (head & 0xFFFFFFFF)
            buffers = [(at, length) for at, length in batch.longs(2, 2).tolist() if length > 0]
            if batch.table(_COMPRESSION) is not None:
                taken = sum(_unpacked(data, body + at, length) for at, length in buffers)
            else:
                taken = sum(length for _, length in buffers)
            size += max(int(cells.clip(0).sum(dtype=float)) * _CELL, taken)
            rows += batch.long(0) if field == _BATCHES else 0
    return rows, size


def _open_batch(data: mmap.mmap, at: int, *, within: bool) -> _Table:
    """The head of a batch; that of a dictionary is `within` another."""
    # Before the first number of later versions stands a mark.
    message = _root(data, at + (8 if _number(data, at, _INT) == -1 else 4))
    found = message.table(_HEADER)
    if found is not None and within:
        found = found.table(1)
    if found is None:
        raise ValueError("a batch has no head")
    return found


def _unpacked(data: mmap.mmap, at: int, length: int) -> int:
    """The bytes of a packed buffer, which stand before it; -1 if it is stored as it is."""
    size = _number(data, at, _LONG)
    return length if size < 0 else size


def _root(data: mmap.mmap, at: int) -> _Table:
    return _Table(data, at + _number(data, at, _INT))


def _number(data: mmap.mmap, at: int, kind: Struct) -> int:
    return int(kind.unpack(_cut(data, at, kind.size))[0])


def _cut(data: mmap.mmap, at: int, size: int) -> bytes:
    if not 0 <= at <= at + size <= len(data):
        raise ValueError("an offset leads out of the file")
    return data[at : at + size]
