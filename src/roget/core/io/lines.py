"""The lines of a table of text, decompressed, decoded and checked to their end."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from roget.errors import FormatError, InputError

if TYPE_CHECKING:
    from roget.core.io.table import Layout

COMPRESSED = (".gz", ".zst")
"""What the database can read too."""

_BLOCK = 1 << 20


def lines(found: Layout) -> Iterator[tuple[int, str]]:
    """The lines and their numbers from 1; line ends are \\n, \\r\\n or \\r."""
    number, rest = 1, b""
    for block in _blocks(found):
        data = rest + block
        # A \r at the very end may be half of a \r\n.
        cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1
        rest = data[cut:]
        for line in data[:cut].splitlines():
            yield number, _decoded(line, number, found.name)
            number += 1
    for line in rest.splitlines():
        yield number, _decoded(line, number, found.name)
        number += 1


def check_compressed(found: Layout) -> None:
    """Refuse compressed data that are cut short or damaged: the database may not notice."""
    if Path(found.path).suffix.lower() in COMPRESSED:
        for _ in _blocks(found):
            pass


def _blocks(found: Layout) -> Iterator[bytes]:
    suffix = Path(found.path).suffix.lower()
    read = {".gz": _gz, ".zst": _zst}.get(suffix, _plain)
    first = True
    try:
        for block in read(found.path):
            yield block.removeprefix(b"\xef\xbb\xbf") if first else block
            first = False
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{found.name}: the data are cut short or damaged ({error})") from None
    except OSError as error:
        raise InputError(f"{found.name}: cannot be read: {error.strerror or error}") from None


def _plain(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _gz(path: str) -> Iterator[bytes]:
    with gzip.open(path, "rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _zst(path: str) -> Iterator[bytes]:
    """Frame by frame: the library's own file object does not tell a frame that is cut short."""
    import zstandard

    frame = None
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            while block:
                frame = frame or zstandard.ZstdDecompressor().decompressobj()
                try:
                    yield frame.decompress(block)
                except zstandard.ZstdError as error:
                    raise EOFError(error) from None
                block = frame.unused_data if frame.eof else b""
                frame = None if frame.eof else frame
    if frame is not None:
        raise EOFError("the last frame has no end")


def _decoded(line: bytes, number: int, name: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{line[error.start]:02x} is not UTF-8 text"
        hint = "is it UTF-16?" if line[:2] in (b"\xff\xfe", b"\xfe\xff") else "is it Latin-1?"
        text = f"{name}:{number}: {byte}; {hint} Name its encoding, or save it as UTF-8"
        raise FormatError(name, [text]) from None
