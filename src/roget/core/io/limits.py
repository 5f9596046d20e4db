"""Limits on decompressed sizes, so that a small file cannot fill the memory or the disk.

An input expands when it is decompressed, or when its header declares many rows and columns. It may
expand to `ROGET_MAX_SIZE` bytes (set by `roget --max-size`) or to a multiple of its stored size,
whichever is larger. The multiple is `IN_MEMORY` for data held in memory and `ON_DISK` for data
copied to disk. The size of data that are processed block by block is not limited, only the memory
of the decompressor.
"""

from __future__ import annotations

import os
import re
import zlib

from roget.errors import InputError

VARIABLE = "ROGET_MAX_SIZE"
DEFAULT = 64 << 20
"""Default of `ROGET_MAX_SIZE`, in bytes. Text held as Python objects may take 15 times its size."""

IN_MEMORY = 100
"""Maximum expansion factor of data held in memory.

Typical text and counts expand by a factor of 10.
"""

ON_DISK = 1000
"""Maximum expansion factor of data processed on disk."""

DECOMPRESSOR = 96 << 20
"""Memory, in bytes, that any decompressor may use. xz -9 needs 65 MiB even for a small file."""

LARGEST_DICTIONARY = 1 << 32
"""Maximum dictionary size of an .xz file, in bytes."""

_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?) ?([kmgt]?)(i?)b?", re.IGNORECASE)


def parse_size(text: str, name: str = VARIABLE, example: str = "500MB or 2GB") -> int:
    """Convert a size such as 500MB, 2GB or 2GiB to bytes.

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
    """Return the size, in bytes, to which any input may expand, even a small one."""
    text = os.environ.get(VARIABLE, "")
    return parse_size(text) if text.strip() else DEFAULT


def set_max_size(text: str) -> None:
    """Set the limit returned by `max_size`, for this process and its child processes."""
    parse_size(text, "--max-size")
    os.environ[VARIABLE] = text


def stored_size(path: str) -> int:
    """Return the number of bytes that a file occupies on disk, excluding holes, or 0 if unknown."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return 0
    return min(status.st_size, getattr(status, "st_blocks", status.st_size) * 512)


def allowed(stored: int, expansion: int = IN_MEMORY) -> int:
    """Return the size in bytes to which an input of `stored` bytes may expand."""
    return max(max_size(), stored * expansion)


def decompressor_memory(stored: int) -> int:
    """Return the memory in bytes that the decompressor may use for a file of `stored` bytes."""
    return max(DECOMPRESSOR, allowed(stored))


def require_room(name: str, size: int, stored: int, what: str, expansion: int = IN_MEMORY) -> None:
    """Raise an error if an input needs more bytes than the limits allow.

    `what` describes the data in the message.
    """
    if size > allowed(stored, expansion):
        raise too_large(name, what, size)


def check_inflated(name: str, data: bytes) -> None:
    """Raise an error if zlib data expand to more than allowed.

    At most 1 MB is held in memory at a time.
    """
    most, inflated, decompressor = allowed(len(data)), 0, zlib.decompressobj()
    try:
        while data and inflated <= most:
            inflated += len(decompressor.decompress(data, 1 << 20))
            data = decompressor.unconsumed_tail
    except zlib.error:
        return  # Invalid data are reported when they are used.
    if inflated > most:
        raise too_large(name, f"expands to more than {show_size(most)}", most)


def too_large(name: str, what: str, size: int) -> InputError:
    """Return the error for an input that expands to `size` bytes or more.

    The message names the option that allows larger inputs.
    """
    more = f"{-(-2 * size // 10**9)}GB"  # Suggest a round number that is at least twice the size.
    return InputError(
        f"{name}: {what}, far more than expected for a file of this size; if this is correct, run "
        f"`roget --max-size {more} …` or set {VARIABLE}={more}",
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


_ZIP_METHODS = (0, 8, 12)
"""Allowed compression methods in a .zip: stored, deflate, bzip2.

LZMA is excluded, because Python cannot limit its memory.
"""


def check_packing(name: str, file: str, method: int) -> None:
    """Raise an error if a file in a .zip archive uses a compression method that is not allowed."""
    if method not in _ZIP_METHODS:
        raise InputError(
            f"{name}: {file} is compressed with LZMA or another unsupported method; expected "
            "deflate or bzip2. Unpack the archive, or compress it again",
            code="unsupported-format",
        )
