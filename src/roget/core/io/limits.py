"""How much an input may unpack to: what is small on disk must not fill memory.

An input is vouched for by the bytes it has on disk. What it unpacks to (text out of .gz, arrays out
of .npz, the rows and columns that a header claims) may be so many times as much, or up to a size
that does no harm, whichever is more. `ROGET_MAX_SIZE`, or `roget --max-size`, sets that size.
Whatever is read bit by bit and not held has no such limit, but for what its unpacker takes.
"""

from __future__ import annotations

import os
import re
import zlib

from roget.errors import InputError

VARIABLE = "ROGET_MAX_SIZE"
DEFAULT = 64 << 20
"""Bytes that anything may unpack to. As rows of Python's, text can take 15 times as much."""

TIMES = 100
"""What is held may be so many times as large as on disk; texts and counts are packed to a tenth."""

LINE_TIMES = 10
"""A single line may be so many times as large as the file."""

SPOOLED_TIMES = 1000
"""What is put on disk, to be read from there, may be so many times as large."""

UNPACKER = 96 << 20
"""Bytes that an unpacker may take for itself, however small the file: xz -9 asks for 65 MiB."""

LARGEST_DICTIONARY = 1 << 32
"""Bytes that an .xz file can ask for at most."""

_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?) ?([kmgt]?)(i?)b?", re.IGNORECASE)


def parse_size(text: str, name: str = VARIABLE, example: str = "500MB or 2GB") -> int:
    """The bytes of a size such as 500MB, 2GB or 2GiB.

    >>> parse_size("500MB"), parse_size("2 GiB"), parse_size("1000")
    (500000000, 2147483648, 1000)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise InputError(f"{name} {text!r}: expected a size such as {example}")
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** _UNITS[unit.lower()])


def max_size() -> int:
    """The bytes that anything may unpack to."""
    asked = os.environ.get(VARIABLE, "")
    return parse_size(asked) if asked.strip() else DEFAULT


def set_max_size(text: str) -> None:
    """Set the limit for this process, and for those that it starts."""
    parse_size(text, "--max-size")
    os.environ[VARIABLE] = text


def weigh(path: str) -> int:
    """The bytes that a file has on disk, holes left aside; 0 if that cannot be known."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return 0
    return min(status.st_size, getattr(status, "st_blocks", status.st_size) * 512)


def allowed(stored: int, times: int = TIMES) -> int:
    """The bytes that an input of so many stored bytes may unpack to."""
    return max(max_size(), stored * times)


def unpacker_room(stored: int) -> int:
    """The bytes that the unpacker of a file of so many stored bytes may take for itself."""
    return max(UNPACKER, allowed(stored))


def require_room(name: str, size: int, stored: int, what: str, times: int = TIMES) -> None:
    """Refuse an input that takes more bytes than it may; `what` says what takes them."""
    if size > allowed(stored, times):
        raise too_large(name, what, size)


def check_inflated(name: str, data: bytes) -> None:
    """Refuse zlib's data that unpack to more than they may, before anybody unpacks them whole."""
    most, inflated, unpacker = allowed(len(data)), 0, zlib.decompressobj()
    try:
        while data and inflated <= most:
            inflated += len(unpacker.decompress(data, 1 << 20))
            data = unpacker.unconsumed_tail
    except zlib.error:
        return  # whoever unpacks them will say so
    if inflated > most:
        raise too_large(name, f"unpacks to more than {show_size(most)}", most)


def too_large(name: str, what: str, size: int) -> InputError:
    """The error for an input that takes at least so many bytes, with the option that allows it."""
    more = f"{-(-2 * size // 10**9)}GB"  # to be typed; not less than twice as much
    return InputError(
        f"{name}: {what}, far more than such a file should hold; if that is right, allow it: "
        f"roget --max-size {more} …, or {VARIABLE}={more}"
    )


def show_size(size: int) -> str:
    """A size as people read it.

    >>> show_size(64 << 20), show_size(999), show_size(12_300_000_000)
    ('67 MB', '999 bytes', '12 GB')
    """
    for unit, power in (("GB", 9), ("MB", 6)):
        if size >= 10**power:
            return f"{size // 10**power:,} {unit}"
    return f"{size:,} bytes"


_ZIPPED = (0, 8, 12)
"""How what is in a .zip may be packed: not at all, by deflate, by bzip2.

Python sets no limit to the memory of LZMA."""


def check_packing(name: str, file: str, method: int) -> None:
    """Refuse a file in a .zip whose packing may take any memory, or is not known everywhere."""
    if method not in _ZIPPED:
        raise InputError(
            f"{name}: {file} is packed by LZMA, which takes whatever memory it asks for, or by a "
            "rarer method; expected deflate or bzip2: unpack it, or pack it again"
        )
