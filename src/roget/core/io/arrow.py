"""Estimate the memory needed to load an Arrow file (.arrow, .feather) from its metadata.

Only the footer, the header of each batch and the length of each compressed buffer are read. The
footer and the headers are flatbuffer tables, which begin with the offset of a list of field
positions. https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
"""

from __future__ import annotations

import mmap
from struct import Struct
from typing import NamedTuple

import numpy as np

from roget.core.types import Ints

MAGIC = b"ARROW1"
"""Bytes at the beginning and end of Arrow files, but not of uncompressed Feather 1 files."""

_INT, _LONG, _SHORT = Struct("<i"), Struct("<q"), Struct("<H")

# Positions of fields in the flatbuffer tables of the Arrow format.
_DICTIONARIES, _BATCHES = 2, 3
"""Positions of the dictionary batches and the record batches in the footer."""

_HEADER = 2
"""Position of the header in a message."""

_COMPRESSION = 3
"""Position of the compression in a record batch."""

_CELL = 8
"""Minimum size of a cell in memory, in bytes.

It applies even if the column takes no space on disk.
"""


class _Table(NamedTuple):
    """A flatbuffer table at an offset in the file."""

    data: mmap.mmap
    at: int

    def long(self, field: int) -> int:
        """Return the value of a 64-bit integer field, or 0 if it is absent."""
        at = self._find(field)
        return _number(self.data, at, _LONG) if at else 0

    def table(self, field: int) -> _Table | None:
        """Return the nested table in a field, or None if it is absent."""
        at = self._find(field)
        return _Table(self.data, at + _number(self.data, at, _INT)) if at else None

    def longs(self, field: int, width: int) -> Ints:
        """Return the structs in a field, as an array with `width` 64-bit integers per row."""
        at = self._find(field)
        if not at:
            return np.zeros((0, width), np.int64)
        at += _number(self.data, at, _INT)
        size = 8 * width * _number(self.data, at, _INT)
        return np.frombuffer(_cut(self.data, at + 4, size), "<i8").reshape(-1, width)

    def _find(self, field: int) -> int:
        """Return the offset of a field, or 0 if it is absent."""
        fields = self.at - _number(self.data, self.at, _INT)
        if 4 + 2 * field >= _number(self.data, fields, _SHORT):
            return 0
        offset = _number(self.data, fields + 4 + 2 * field, _SHORT)
        return self.at + offset if offset else 0


def measure_arrow(path: str) -> tuple[int, int]:
    """Return the number of rows in an Arrow file, and the number of bytes they need in memory.

    Return zeros for a file in another format. Raise ValueError if the file is damaged.
    """
    with open(path, "rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return 0, 0
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _measure(data)


def _measure(data: mmap.mmap) -> tuple[int, int]:
    end = len(data) - len(MAGIC) - _INT.size
    footer = _root(data, end - _number(data, end, _INT))
    rows = size = 0
    for field in (_DICTIONARIES, _BATCHES):
        # A batch that is listed twice is loaded twice, so count it twice.
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
    """Return the header of a record batch.

    The header of a dictionary batch is nested in field `within`.
    """
    # In newer versions of the format, a marker (-1) precedes the length.
    message = _root(data, at + (8 if _number(data, at, _INT) == -1 else 4))
    found = message.table(_HEADER)
    if found is not None and within:
        found = found.table(1)
    if found is None:
        raise ValueError("a batch has no header")
    return found


def _unpacked(data: mmap.mmap, at: int, length: int) -> int:
    """Return the decompressed size of a buffer, which is stored before the buffer.

    The stored value -1 means that the buffer is not compressed.
    """
    size = _number(data, at, _LONG)
    return length if size < 0 else size


def _root(data: mmap.mmap, at: int) -> _Table:
    return _Table(data, at + _number(data, at, _INT))


def _number(data: mmap.mmap, at: int, kind: Struct) -> int:
    return int(kind.unpack(_cut(data, at, kind.size))[0])


def _cut(data: mmap.mmap, at: int, size: int) -> bytes:
    if not 0 <= at <= at + size <= len(data):
        raise ValueError("an offset points outside the file")
    return data[at : at + size]
