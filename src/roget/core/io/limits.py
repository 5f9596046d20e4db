"""Size limits: a small file must not expand to more than memory or disk can hold.

There is one mechanism. An input may expand (text out of .gz, arrays out of .npz, the rows and
columns that a header declares) to `ROGET_MAX_SIZE` bytes, which `roget --max-size` sets, or to a
multiple of its stored size, whichever is more. The multiple is `IN_MEMORY` for data held in memory
and `ON_DISK` for data copied to disk. Data that are read in pieces and not held have no limit,
except for the memory of the decompressor.
"""

from __future__ import annotations

import os
import re
import zlib

from roget.errors import InputError

VARIABLE = "ROGET_MAX_SIZE"
DEFAULT = 64 << 20
"""Default of `ROGET_MAX_SIZE` in bytes. As Python objects, text can take 15 times as much."""

IN_MEMORY = 100
"""Maximum expansion of data held in memory; text and counts compress to about a tenth."""

ON_DISK = 1000
"""Maximum expansion of data copied to disk and read from there."""

DECOMPRESSOR = 96 << 20
"""Bytes that a decompressor may always use: xz -9 needs 65 MiB however small the file is."""

LARGEST_DICTIONARY = 1 << 32
"""The largest dictionary, in bytes, that an .xz file can request."""

_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?) ?([kmgt]?)(i?)b?", re.IGNORECASE)


def parse_size(text: str, name: str = VARIABLE, example: str = "500MB or 2GB") -> int:
    """Return the bytes of a size such as 500MB, 2GB or 2GiB.

    >>> parse_size("500MB"), parse_size("2 GiB"), parse_size("1000")
    (500000000, 2147483648, 1000)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"{name} {text!r}: expected a size such as {example}", code="invalid-option"
        )
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** _UNITS[unit.lower()])


def max_size() -> int:
    """Return the number of bytes to which any input may expand."""
    text = os.environ.get(VARIABLE, "")
    return parse_size(text) if text.strip() else DEFAULT


def set_max_size(text: str) -> None:
    """Set the limit for this process and its child processes."""
    parse_size(text, "--max-size")
    os.environ[VARIABLE] = text


def stored_size(path: str) -> int:
    """Return the bytes that a file occupies on disk, without holes; 0 if unknown."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return 0
    return min(status.st_size, getattr(status, "st_blocks", status.st_size) * 512)


def allowed(stored: int, expansion: int = IN_MEMORY) -> int:
    """Return the number of bytes to which an input of `stored` bytes may expand."""
    return max(max_size(), stored * expansion)


def decompressor_memory(stored: int) -> int:
    """Return the bytes that the decompressor of a file of `stored` bytes may use."""
    return max(DECOMPRESSOR, allowed(stored))


def require_room(name: str, size: int, stored: int, what: str, expansion: int = IN_MEMORY) -> None:
    """Raise an error if an input takes more bytes than allowed; `what` describes the data."""
    if size > allowed(stored, expansion):
        raise too_large(name, what, size)


def check_inflated(name: str, data: bytes) -> None:
    """Raise an error if zlib data expand to more than allowed, before they are held as a whole."""
    most, inflated, decompressor = allowed(len(data)), 0, zlib.decompressobj()
    try:
        while data and inflated <= most:
            inflated += len(decompressor.decompress(data, 1 << 20))
            data = decompressor.unconsumed_tail
    except zlib.error:
        return  # reported when the data are used
    if inflated > most:
        raise too_large(name, f"expands to more than {show_size(most)}", most)


def too_large(name: str, what: str, size: int) -> InputError:
    """Return the error for an input of at least `size` bytes, with the option that allows it."""
    more = f"{-(-2 * size // 10**9)}GB"  # easy to type, and at least twice as much
    return InputError(
        f"{name}: {what}, far more than expected for a file of this size; if that is right, pass "
        f"roget --max-size {more} …, or set {VARIABLE}={more}",
        code="too-large",
    )


def show_size(size: int) -> str:
    """Format a size for messages.

    >>> show_size(64 << 20), show_size(999), show_size(12_300_000_000)
    ('67 MB', '999 bytes', '12 GB')
    """
    for unit, power in (("GB", 9), ("MB", 6)):
        if size >= 10**power:
            return f"{size // 10**power:,} {unit}"
    return f"{size:,} bytes"


_ZIPPED = (0, 8, 12)
"""Allowed compression methods in a .zip: stored, deflate, bzip2.

Python does not limit the memory of LZMA."""


def check_packing(name: str, file: str, method: int) -> None:
    """Raise an error if a file in a .zip uses a method with unlimited memory, or a rare one."""
    if method not in _ZIPPED:
        raise InputError(
            f"{name}: {file} is compressed with LZMA, whose memory use is unlimited, or with a "
            "rare method; expected deflate or bzip2: unpack it, or compress it again",
            code="unsupported-format",
        )
