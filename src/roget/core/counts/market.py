"""A safe reader for Matrix Market files.

SciPy's compiled reader crashes on some malformed files, e.g. with a space after the last number.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from roget.core.io.source import Source
from roget.core.types import Array
from roget.errors import InputError

_BANNER = b"%%matrixmarket"
_LAYOUTS = ("coordinate", "array")
_FIELD_COUNTS = {"integer": 3, "unsigned-integer": 3, "real": 3, "double": 3, "pattern": 2}
"""Number of fields per line of a sparse matrix: row, column and, except for "pattern", a value."""
_SYMMETRIES = ("general", "symmetric")
_MAX_NUMBER_LENGTH = 40
"""Maximum length of a number in characters."""
_IGNORED_BYTES = {*b"_\0"}
"""Bytes that numpy ignores when it parses a number, although they are invalid."""
_NUMBER = re.compile(rb"(?=.{1,40}$)[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_WHOLE = re.compile(rb"[+-]?\d{1,18}")
_PLAIN: dict[type[Any], re.Pattern[bytes]] = {
    np.int64: re.compile(rb"\s*+(?:\d{1,18}+\s++)*+"),
    np.float64: re.compile(rb"\s*+(?:-?\d{1,18}+(?:\.\d{0,30}+)?+(?:[eE][+-]?\d{1,3}+)?+\s++)*+"),
}
"""Patterns for blocks of plainly written numbers. numpy parses such a block in one call."""
_MAX_SHOWN = 40
"""Maximum number of characters to show from an invalid line in a message."""


def read_matrix_market(source: Source) -> Any:
    """Read a Matrix Market file.

    The result is sparse for the coordinate layout and dense for the array layout.
    """
    lines = _Lines(source)
    layout, field, symmetry = _read_banner(lines)
    sizes = lines.read_sizes(3 if layout == "coordinate" else 2)
    shape = sizes[0], sizes[1]
    if symmetry == "symmetric" and shape[0] != shape[1]:
        raise lines.fault(f"a symmetric matrix must be square, not {shape[0]} × {shape[1]}")
    kind = np.float64 if field in ("real", "double") else np.int64
    if layout == "array":
        return _fill(lines, shape, symmetry, kind)
    width = _FIELD_COUNTS[field]
    found = lines.read_numbers(sizes[2] * width, kind).reshape(-1, width)
    ends = np.any((found[:, :2] < 1) | (found[:, :2] > shape), axis=1)
    ends |= np.any(found[:, :2] % 1 != 0, axis=1)
    for row in np.flatnonzero(ends)[:1].tolist():
        place = " ".join(f"{number:g}" for number in found[row, :2])
        raise lines.fault(
            f"entry {row + 1} is at {place}; expected a position from 1 1 to {shape[0]} {shape[1]}"
        )
    rows, columns = found[:, :2].astype(np.int64).T - 1
    values = found[:, 2] if width == 3 else np.ones(len(found), np.int64)
    if symmetry == "symmetric":
        # The file stores only one triangle of a symmetric matrix. Add its mirror image without the
        # diagonal.
        other = rows != columns
        values = np.append(values, values[other])
        rows, columns = np.append(rows, columns[other]), np.append(columns, rows[other])
    return sparse.coo_array((values, (rows, columns)), shape=shape)


def _fill(lines: _Lines, shape: tuple[int, int], symmetry: str, kind: type[Any]) -> Array:
    """Build a dense matrix from values stored in column-major order.

    For a symmetric matrix, only the lower triangle is stored.
    """
    n, m = shape
    if symmetry == "general":
        return lines.read_numbers(n * m, kind).reshape(m, n).T
    found = lines.read_numbers(n * (n + 1) // 2, kind)
    columns, rows = np.triu_indices(n)
    whole = np.zeros(shape, kind)
    whole[rows, columns] = whole[columns, rows] = found
    return whole


def _read_banner(lines: _Lines) -> tuple[str, str, str]:
    words = lines.next().decode("utf-8", "replace").lower().split()
    if len(words) != 5 or words[0].encode() != _BANNER or words[1] != "matrix":
        raise lines.fault("the header must be %%MatrixMarket matrix LAYOUT FIELD SYMMETRY")
    layout, field, symmetry = words[2:]
    for word, known in ((layout, _LAYOUTS), (field, _FIELD_COUNTS), (symmetry, _SYMMETRIES)):
        if word not in known:
            raise lines.fault(f"unsupported {word!r}; use {' or '.join(known)}")
    if (layout, field) == ("array", "pattern"):
        raise lines.fault("the field 'pattern' requires the layout 'coordinate'")
    return layout, field, symmetry


class _Lines:
    """A reader that returns the header lines of a Matrix Market file, then its numbers.

    It keeps track of the line number for error messages.
    """

    def __init__(self, source: Source) -> None:
        self._blocks = (block.data for block in source.blocks())
        self._line, self._rest = 0, next(self._blocks, b"")

    def fault(self, problem: str) -> InputError:
        """Return an error that reports the number of the last line read."""
        return InputError(
            f"cannot be read as Matrix Market: line {self._line}: {problem}", code="broken-lines"
        )

    def next(self) -> bytes:
        """Return the next line."""
        line, _, rest = self._rest.partition(b"\n")
        self._rest = rest or next(self._blocks, b"")
        self._line += 1
        return line

    def read_sizes(self, number: int) -> list[int]:
        """Skip comments, and read the numbers of rows, columns and (sparse only) entries."""
        line = self.next()
        while line.lstrip().startswith(b"%") or (not line.strip() and self._rest):
            line = self.next()
        words = line.split()
        if len(words) != number or not all(word.isdigit() and len(word) < 19 for word in words):
            raise self.fault(f"expected {number} sizes, found {_show(line)}")
        return [int(word) for word in words]

    def read_numbers(self, number: int, kind: type[Any]) -> Array:
        """Return the remaining numbers. Raise an error if there are more or fewer than `number`."""
        found, seen = [np.empty(0, kind)], 0
        for block in chain([self._rest], self._blocks):
            found.append(self._parse(block, kind))
            seen += found[-1].size
            self._line += block.count(b"\n")
            if seen > number:
                raise self.fault(f"more numbers than the {number:,} stated in the header")
        if seen < number:
            raise self.fault(f"the file ends after {seen:,} of {number:,} numbers")
        return np.concatenate(found)

    def _parse(self, block: bytes, kind: type[Any]) -> Array:
        if not block.strip():
            return np.empty(0, kind)
        if _PLAIN[kind].fullmatch(block):
            return np.fromstring(block.decode("ascii"), dtype=kind, sep=" ")
        words = block.split()
        try:
            if max(map(len, words)) <= _MAX_NUMBER_LENGTH and not _IGNORED_BYTES & {*block}:
                found: Array = np.array(words).astype(kind)
                if np.all(np.isfinite(found)):
                    return found
        except (ValueError, OverflowError):
            pass
        # The block cannot be parsed, so find the first invalid line for the message.
        pattern, name = (_WHOLE, "whole numbers") if kind is np.int64 else (_NUMBER, "numbers")
        for line in block.split(b"\n"):
            self._line += 1
            if not all(pattern.fullmatch(word) for word in line.split()):
                raise self.fault(f"{_show(line)} is not a line of {name}")
        raise self.fault("one of the numbers above is too large")


def _show(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    return repr(text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…")
