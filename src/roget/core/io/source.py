"""The class `Source`: an input that can be opened, decompressed, decoded and split into lines."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import shutil
import stat
import sys
import threading
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory, TemporaryFile, gettempdir
from typing import IO, Any, cast

import numpy as np

from roget.core.io import limits
from roget.core.io.address import is_remote, name_part, show_address
from roget.core.types import PathLike
from roget.errors import FormatError, InputError, Notice, RogetError

BLOCK = 4 << 20
"""Number of decompressed bytes per block."""

PIECE = 64 << 20
"""Approximate size, in bytes, of the pieces into which a plain file is split for several processes.

The size is fixed so that an input is split at the same positions on every machine.
"""

REACH = 1 << 20
"""Number of bytes in which to search for a blank line that can end a block.

Without a blank line, the block may end after any line.
"""

_READ_SIZE = 1 << 17
"""Number of bytes to read at once from a compressed file."""

_ZST_SIZE = 1 << 12
"""Number of bytes of a .zst file to decompress at once.

This many bytes expand to at most 128 MB.
"""

_WAIT = 2.0
"""Seconds to wait for data from a pipe before printing a message."""

_UNCHECKED = 1 << 16
"""Number of bytes that may be read before the size limit applies."""

FORMATS = {
    ".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".json": "jsonl", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
"""Map from file suffixes to table formats. A compression suffix may follow the suffix."""

STANDARD_INPUT = "-"


def _open_plain(path: str) -> IO[bytes]:
    if not is_remote(path):
        return open(path, "rb")
    from roget.core.io.remote import open_remote

    return open_remote(path)


def import_zstd() -> Any:
    """Return the module `compression.zstd` of Python 3.14, or its backport."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


class _Zst:
    """A reader for .zst files with any number of frames. It uses one decompressor per frame."""

    def __init__(self, given: str | IO[bytes]) -> None:
        self._begin_frame: Callable[[], Any] = import_zstd().ZstdDecompressor
        self._frame: Any = None
        self._ready = self._left = memoryview(b"")
        self.fileobj = _open_plain(given) if isinstance(given, str) else given

    def read(self, size: int) -> bytes:
        """Read `size` decompressed bytes, or fewer at the end of the file."""
        parts, have = [self._ready], len(self._ready)
        while have < size and (stored := memoryview(self._left or self.fileobj.read(_READ_SIZE))):
            at = 0
            while at < len(stored) and have < size:
                fed = stored[at : at + _ZST_SIZE]
                self._frame = self._frame or self._begin_frame()
                parts.append(memoryview(self._frame.decompress(fed)))
                have += len(parts[-1])
                at += len(fed) - len(self._frame.unused_data)
                if self._frame.eof:
                    self._frame = None
            self._left = stored[at:]
        if have < size and self._frame is not None:
            raise EOFError("the last frame is incomplete")
        last = len(parts[-1]) - max(have - size, 0)
        parts[-1], self._ready = parts[-1][:last], parts[-1][last:]
        return b"".join(parts)

    def __enter__(self) -> _Zst:
        return self

    def __exit__(self, *_: object) -> None:
        self.fileobj.close()


class _MemoryLimit(Exception):
    """Raised when a decompressor needs more memory than allowed.

    The message is the limit.
    """


class _Xz:
    """A reader for .xz and .lzma files with any number of streams.

    Python's own reader has no memory limit. It also stops without an error if the bytes after a
    stream, e.g. padding or damaged data, do not begin another stream.
    """

    def __init__(self, given: str | IO[bytes]) -> None:
        self.fileobj = _open_plain(given) if isinstance(given, str) else given
        stored = limits.stored_size(given) if isinstance(given, str) else 0
        self._memory = limits.decompressor_memory(stored)
        self._stream = self._begin_stream()

    def _begin_stream(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(memlimit=self._memory)

    def read(self, size: int) -> bytes:
        """Read `size` decompressed bytes, or fewer at the end of the file."""
        parts: list[bytes] = []
        while size > 0:
            stored = b""
            if self._stream.eof:
                stored = self._skip_padding(self._stream.unused_data)
                if not stored:
                    break
                self._stream = self._begin_stream()
            elif self._stream.needs_input:
                stored = self.fileobj.read(_READ_SIZE)
                if not stored:
                    raise EOFError("the last stream is incomplete")
            try:
                parts.append(self._stream.decompress(stored, size))
            except lzma.LZMAError as error:
                if "usage limit" in str(error):
                    raise _MemoryLimit(limits.show_size(self._memory)) from None
                raise
            size -= len(parts[-1])
        return b"".join(parts)

    def _skip_padding(self, stored: bytes) -> bytes:
        """Skip the zero bytes that may separate two streams, and return the bytes after them."""
        stored = stored.lstrip(b"\0")
        while not stored and (more := self.fileobj.read(_READ_SIZE)):
            stored = more.lstrip(b"\0")
        return stored

    def __enter__(self) -> _Xz:
        return self

    def __exit__(self, *_: object) -> None:
        self.fileobj.close()


def _open_zip(path: str | IO[bytes], name: str = "") -> IO[bytes]:
    """Open the only file in a .zip archive. `name` is used in messages and defaults to the path."""
    shown = name or path
    try:
        # The `with` statement closes the archive, but the opened member stays readable.
        with zipfile.ZipFile(path) as archive:
            files = [one for one in archive.infolist() if not one.filename.endswith("/")]
            if len(files) != 1:
                names = ", ".join(one.filename for one in files[:5])
                content = f"{len(files)} files: {names}" if files else "no file"
                raise InputError(
                    f"{shown}: the .zip contains {content}; expected one file. Unpack it first",
                    code="unsupported-format",
                )
            [file] = files
            limits.check_packing(str(shown), file.filename, file.compress_type)
            return archive.open(file)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise InputError(
            f"{shown}: the zip data are truncated or damaged ({error})", code="broken-archive"
        ) from None


_COMPRESSED: dict[str, Callable[[Any], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": _Xz,
    ".lzma": _Xz,
    ".zst": _Zst,
    ".zip": _open_zip,
}
_MAGIC = {
    b"\x1f\x8b\x08": ".gz",
    b"\xfd7zXZ\x00": ".xz",
    b"\x28\xb5\x2f\xfd": ".zst",
    **{b"BZh%d1AY&SY" % level: ".bz2" for level in range(1, 10)},
}
"""Map from the first bytes of compressed files to the compression type.

Text never begins with these bytes.
"""
_TOOLS = {".gz": "gzip", ".xz": "xz", ".zst": "zstd", ".bz2": "bzip2"}


class NotText(FormatError):
    """Raised when an input contains bytes that are not valid UTF-8."""


@dataclass
class TextBlock:
    """A block of complete paragraphs, so that no sentence is split between blocks."""

    data: bytes
    line: int
    """Number of lines before this block in the same piece of the source."""


@dataclass
class Source:
    """An input, or a piece of a large input. It can be pickled and sent to other processes."""

    path: str
    size: int = 0
    modified: int = 0
    """Modification time in nanoseconds.

    Together with the size, it identifies the version of a file.
    """
    start: int = 0
    stop: int | None = None
    """Start and end of the piece, as byte offsets in the stored file.

    `stop` is None if the piece extends to the end of the file.
    """
    encoding: str = "utf-8"
    packed: str = ""
    """Compression detected from the first bytes, e.g. ".gz", if the suffix does not indicate it."""
    stream: bool = False
    """True if the source does not support seeking, e.g. a download."""
    expansion: int = field(default=0, compare=False)
    """Maximum ratio of decompressed to stored size (see `limits`), or 0 for no limit."""
    called: str = field(default="", compare=False)
    """The name used in messages, if it differs from the path."""
    spool: Any = field(default=None, compare=False, repr=False)
    """The object that owns the temporary copy of a pipe's content."""
    cached: list[tuple[int, str]] | None = field(default=None, compare=False, repr=False)
    """The numbered lines of a small file, stored after they were first read."""
    read: int = field(default=0, compare=False)
    """Number of stored bytes read so far, for progress bars."""
    begin: int = field(default=0, compare=False)
    """The offset at which the piece begins, which is after the first blank line from `start`
    onwards."""
    digest: Any = field(default=None, compare=False, repr=False)
    """A hashlib object that hashes all bytes read, for inputs that can be read only once."""
    opened: IO[bytes] | None = field(default=None, compare=False, repr=False)
    """The open file, if it is kept open. Each read starts at the beginning of the file."""
    ended: int = field(default=0, compare=False, repr=False)
    """Number of complete lines in the blocks read so far."""
    _lines_before: int = field(default=0, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The name of the source, for messages."""
        if self.path == STANDARD_INPUT:
            return "standard input"
        return self.called or show_address(self.path)

    @property
    def is_remote(self) -> bool:
        """True if the path is a URL."""
        return is_remote(self.path)

    @property
    def compression(self) -> str:
        """The compression, such as ".gz", or an empty string."""
        return _compression(self.path) or self.packed

    @property
    def suffix(self) -> str:
        """The format suffix of the name, ignoring any compression suffix."""
        place = Path(name_part(self.path))
        suffix = place.suffix.lower()
        return place.with_suffix("").suffix.lower() if suffix in _COMPRESSED else suffix

    @property
    def stem(self) -> str:
        """The file name without the format and compression suffixes."""
        place = Path(name_part(self.path))
        return place.with_suffix("").stem if _compression(self.path) else place.stem

    @property
    def is_plain(self) -> bool:
        """True if the source is a local, uncompressed UTF-8 file that other programs can read."""
        return self.is_text and not self.is_remote and self.path != STANDARD_INPUT

    @property
    def is_text(self) -> bool:
        """True if the source is stored as uncompressed UTF-8 text."""
        return not self.compression and _is_utf8(self.encoding)

    def pieces(self, size: int = PIECE) -> list[Source]:
        """Split a large source into pieces for several processes.

        The source is not split if it does not support seeking.
        """
        if not self.is_text or self.stream or self.size <= 2 * size:
            return [self]
        cuts = [*range(0, self.size - size // 2, size), self.size]
        ends = [*cuts[1:-1], None]
        return [replace(self, start=a, stop=b) for a, b in zip(cuts, ends, strict=False)]

    def blocks(self, size: int | None = None, reach: int = REACH) -> Iterator[TextBlock]:
        """Yield the content as UTF-8 blocks, which end after a blank line if possible."""
        line, rest = 0, b""
        longest = max(self.longest_line(), 2 * reach)
        for chunk in self._decode_chunks(size or BLOCK, reach):
            cut = _blank_line(chunk)
            if cut:
                data, rest = b"".join((rest, memoryview(chunk)[:cut])), chunk[cut:]
            else:
                rest += chunk
                cut = _blank_line(rest)
                if not cut and len(rest) >= reach:
                    # Split after the last line break or, without a line break, after the last
                    # space.
                    cut = rest.rfind(b"\n") + 1 or rest.rfind(b" ") + 1
                data, rest = rest[:cut], rest[cut:]
            if len(rest) > longest:
                raise self.refuse_line(line + 1, longest)
            if data:
                yield TextBlock(data, line)
                line += int(np.count_nonzero(np.frombuffer(data, np.uint8) == 10))
                self.ended = line
        if rest:
            yield TextBlock(rest, line)

    def head(self, size: int) -> bytes:
        """Return the first `size` decompressed bytes."""
        return next(self.chunks(size), b"")[:size]

    def lines(self, name: str | None = None, size: int | None = None) -> Iterator[tuple[int, str]]:
        """Yield the number (from 1) and the text of each line. Lines end in \\n, \\r\\n or \\r.

        If a line is not UTF-8, raise `NotText`, with `name` as the name of the source.
        """
        if self.cached is not None:
            yield from self.cached
            return
        name = name or self.name
        number, rest = 1, b""
        longest = self.longest_line()
        for chunk in chain(self._decode_chunks(size or BLOCK, REACH), [b""]):
            data = rest + chunk
            # A \r at the end of the data may be the first character of \r\n.
            cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1 if chunk else len(data)
            rest = data[cut:]
            for line in data[:cut].splitlines():
                yield number, _decode_line(line, number, name)
                number += 1
            if len(rest) > longest:
                raise self.refuse_line(number, longest)

    def longest_line(self) -> int:
        """Return the maximum allowed size of a line, in bytes.

        The limit exists because lines are held in memory.
        """
        return limits.allowed(self._stored_size())

    def refuse_line(self, number: int, longest: int) -> InputError:
        """Return the error for a line that has more than `longest` bytes."""
        shown = limits.show_size(longest)
        return limits.too_large(f"{self.name}:{number}", f"a line of more than {shown}", longest)

    def place(self, line: int) -> str:
        """Return the location FILE:LINE of a line in this piece.

        `line` is counted from the start of the piece.
        """
        if self.begin and not self._lines_before:
            with _open_plain(self.path) as file:
                for at in range(0, self.begin, BLOCK):
                    self._lines_before += file.read(min(self.begin - at, BLOCK)).count(b"\n")
        return f"{self.name}:{line + self._lines_before}"

    def chunks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the decompressed bytes of the whole file in chunks of `size` bytes."""
        with self._open() as file:
            yield from self._read_all(file, size, sys.maxsize)

    def _decode_chunks(self, size: int, reach: int) -> Iterator[bytes]:
        with self._open() as file:
            left = sys.maxsize
            if self.start or self.stop is not None:
                self.begin = _boundary(file, self.start, reach)
                end = self.size if self.stop is None else _boundary(file, self.stop, reach)
                left = end - self.begin
                file.seek(self.begin)
            chunks = self._read_all(file, size, left)
            if self.compression:
                chunks = _read_ahead(chunks)
            if not _is_utf8(self.encoding):
                chunks = self._transcode(chunks)
            first = True
            for chunk in chunks:
                yield chunk.removeprefix(codecs.BOM_UTF8) if first and not self.start else chunk
                first = False

    def _open(self) -> AbstractContextManager[IO[bytes]]:
        if self.opened is not None:
            self.opened.seek(0)
            return nullcontext(self.opened)
        if self.path == STANDARD_INPUT:
            return nullcontext(standard_input())
        try:
            if self.is_remote and self.compression:
                return _unpack(_open_plain(self.path), self.compression, self.name)
            opened: IO[bytes] = _COMPRESSED.get(self.compression, _open_plain)(self.path)
        except OSError as error:
            raise _unreadable(self.path, error) from None
        return opened

    def _stored_size(self) -> int:
        """Return the number of bytes that the file occupies on disk, or 0 if unknown."""
        return self.size if self.is_remote else limits.stored_size(self.path)

    def _read_all(self, file: IO[bytes], size: int, left: int) -> Iterator[bytes]:
        before = total = 0
        most = None if self.expansion and self.path != STANDARD_INPUT else sys.maxsize
        while left > 0:
            try:
                chunk = file.read(min(size, left))
            except RogetError:
                raise
            except _MemoryLimit as error:
                what = f"decompression needs more than {error} of memory"
                raise limits.too_large(self.name, what, limits.LARGEST_DICTIONARY) from None
            except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError) as error:
                raise self._broken(error) from None
            except MemoryError:
                if not self.compression:
                    raise
                # An LZMA file declares how much memory it needs. A damaged file may declare too
                # much.
                text = "decompression needs more memory than available; the file may be damaged"
                raise InputError(f"{self.name}: {text}", code="broken-archive") from None
            except Exception as error:
                # Remote file systems raise exceptions of various types.
                if type(error).__name__ != "ZstdError" and not self.is_remote:
                    raise
                raise self._broken(error) from None
            if not chunk:
                break
            left -= len(chunk)
            total += len(chunk)
            if self.digest is not None:
                self.digest.update(chunk)
            now = _stored(file, before + len(chunk))
            if most is None and total > _UNCHECKED:
                most = limits.allowed(self._stored_size(), self.expansion)
            # Some remote file systems do not report file sizes. The limit then depends on the
            # number of bytes received.
            if most is not None and total > most:
                received = limits.allowed(now, self.expansion if self.is_remote else 0)
                if total > received:
                    what = f"expands to more than {limits.show_size(most)}"
                    raise limits.too_large(self.name, what, most)
            self.read, before = self.read + now - before, now
            yield chunk

    def _broken(self, error: Exception) -> InputError:
        kind = self.compression.removeprefix(".")
        what = f"the {kind} data are truncated or damaged" if kind else "cannot be read"
        return InputError(f"{self.name}: {what} ({error})", code="broken-archive")

    def _transcode(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(self.encoding)()
        try:
            for chunk in chunks:
                yield decoder.decode(chunk).encode()
            yield decoder.decode(b"", final=True).encode()
        except UnicodeError as error:
            raise InputError(
                f"{self.name}: not {self.encoding} text ({error})", code="not-text"
            ) from None


@contextmanager
def open_output(draft: str | os.PathLike[str], name: str) -> Iterator[IO[bytes]]:
    """Open a draft for writing. The output is compressed if the final name ends in .gz."""
    with open(draft, "wb") as raw:
        if not name.lower().endswith(".gz"):
            yield raw
            return
        # Omit the name and time from the header, so that equal contents give identical files.
        with gzip.GzipFile("", "wb", 5, raw, mtime=0) as packed:
            yield cast("IO[bytes]", packed)


def _decode_line(line: bytes, number: int, name: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{line[error.start]:02x} is not UTF-8 text"
        hint = "is it UTF-16?" if line[:2] in (b"\xff\xfe", b"\xfe\xff") else "is it Latin-1?"
        text = f"{name}:{number}: {byte}; {hint} Pass the encoding, or save the file as UTF-8"
        raise NotText(name, [Notice(text, code="not-text")]) from None


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name in ("utf-8", "ascii", "utf-8-sig")


def _compression(path: str) -> str:
    last = Path(name_part(path)).suffix.lower()
    return last if last in _COMPRESSED else ""


@contextmanager
def _unpack(stored: IO[bytes], kind: str, name: str) -> Iterator[IO[bytes]]:
    """Decompress an open file, which is closed at the end of the block."""
    if kind != ".zip":
        with stored, _COMPRESSED[kind](stored) as file:
            yield file
        return
    # The directory of a .zip archive is at its end, so the whole file must be downloaded.
    with stored, TemporaryFile() as copy:
        shutil.copyfileobj(stored, copy, BLOCK)
        with _open_zip(copy, name) as file:
            yield file


def _stored(file: Any, decompressed: int) -> int:
    """Return the number of stored bytes read so far, i.e. the position in the underlying file."""
    for attribute in ("fileobj", "_fp", "_source"):
        stored = getattr(file, attribute, None)
        if stored is not None and hasattr(stored, "tell"):
            return int(stored.tell())
    return decompressed


def _boundary(file: IO[bytes], position: int, reach: int) -> int:
    """Return the start of a piece: the end of the first blank line after `position`.

    If there is no blank line within `reach` bytes, return the end of the current line.
    """
    if position == 0:
        return 0
    file.seek(position)
    ahead = b""
    while len(ahead) < reach and (chunk := file.read(min(reach - len(ahead), REACH))):
        # A blank line may begin in the previous chunk.
        before = max(len(ahead) - 2, 0)
        ahead += chunk
        for mark in (b"\n\n", b"\n\r\n"):
            at = ahead.find(mark, before)
            if at >= 0:
                return position + at + len(mark)
    at = ahead.find(b"\n") if len(ahead) == reach else -1
    return position + (at + 1 if at >= 0 else len(ahead))


def _blank_line(data: bytes) -> int:
    """Return the offset of the end of the last blank line, or 0 if there is no blank line."""
    at = data.rfind(b"\n\n")
    with_return = data.rfind(b"\n\r\n", max(at, 0))
    return with_return + 3 if with_return >= 0 else at + 2 if at >= 0 else 0


def _read_ahead(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the chunks, decompressing the next one in a thread while the current one is used."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, chunks, b"")
        while chunk := coming.result():
            coming = pool.submit(next, chunks, b"")
            yield chunk


def source_of(path: str, encoding: str = "utf-8", expansion: int = limits.IN_MEMORY) -> Source:
    """Return the source for a path, or for standard input if the path is "-".

    The content of a pipe is copied to a temporary file, so it can be read more than once.
    `expansion` is the maximum expansion factor (see `limits`), or 0 if the content is processed
    block by block.
    """
    source = Source(path, encoding=encoding, expansion=expansion)
    inspect_source(source)
    return source


def inspect_source(source: Source, *, hold: bool = False) -> None:
    """Fill in the size, version and compression of a source.

    With `hold`, a plain local file stays open until the caller closes `opened`.
    """
    path = source.path
    if path == STANDARD_INPUT:
        kind = compression_of(standard_head(16))
        if kind:
            tool = _TOOLS[kind]
            raise InputError(
                f"standard input is compressed with {tool}; decompress it first (… | {tool} -dc |)",
                code="unsupported-format",
            )
        source.stream, source.expansion = True, 0
        return
    if is_remote(path):
        from roget.core.io.remote import inspect_remote

        source.size, source.modified, seekable = inspect_remote(path)
        source.packed = compression_of(b"" if _compression(path) else _read_head(path))
        source.stream = not seekable
        return
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file", code="file-not-found") from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    what = "" if stat.S_ISREG(status.st_mode) else special(status.st_mode)
    if what not in ("", _PIPE):
        raise InputError(f"{path} is {what}; expected a file", code="unsupported-format")
    if what:
        source.spool, source.called = _Spool(path), path
        source.path = source.spool.path
        status = os.stat(source.path)
    source.size, source.modified = status.st_size, status.st_mtime_ns
    if _compression(source.path):
        return
    try:
        file = open(source.path, "rb")  # noqa: SIM115 - the file may stay open
    except OSError as error:
        if hold:
            raise _unreadable(path, error) from None
        return  # Ignore the error here, because reading the content will raise it again.
    source.packed = compression_of(file.read(16))
    if hold and not source.packed and (source.encoding == "utf-8" or _is_utf8(source.encoding)):
        source.opened = file
    else:
        file.close()


def _unreadable(path: str, error: OSError | ValueError) -> InputError:
    reason = (error.strerror if isinstance(error, OSError) else None) or error
    return InputError(f"cannot read {path}: {reason}", code="file-not-found")


_PIPE = "a pipe"
_SPECIAL = {
    stat.S_ISDIR: "a folder",
    stat.S_ISFIFO: _PIPE,
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}


def special(mode: int) -> str:
    """Return the type of a special file, given its mode, or an empty string for a regular file."""
    return next((what for is_kind, what in _SPECIAL.items() if is_kind(mode)), "")


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Return True if a path is a pipe, e.g. from a process substitution <(…)."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


class _Spool:
    """A temporary copy of a pipe's content, deleted together with this object."""

    def __init__(self, pipe: str) -> None:
        # The suffixes determine the format, so the copy must have the same suffixes as the pipe.
        suffix = "".join(Path(pipe).suffixes[-2:])
        with NamedTemporaryFile(prefix="roget.", suffix=suffix, delete=False) as copy:
            self.path = copy.name
            weakref.finalize(self, _remove, copy.name)
            with _announce(f"waiting for input from {pipe}"):
                file = _open_plain(pipe)
                chunk = file.read(1)
            with file:
                room = shutil.disk_usage(gettempdir()).free // 2
                while chunk:
                    copy.write(chunk)
                    room -= len(chunk)
                    if room < 0:
                        raise InputError(
                            f"{pipe}: the content needs more than half of the free space in "
                            f"{gettempdir()}; save it as a file, or set TMPDIR to another folder",
                            code="too-large",
                        )
                    chunk = file.read(BLOCK)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


@contextmanager
def _announce(text: str) -> Iterator[None]:
    """Print a message on standard error if the block takes more than two seconds."""
    timer = threading.Timer(_WAIT, lambda: print(f"roget: {text} …", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def state_of(path: str) -> tuple[int, int] | None:
    """Return the size and version of a local or remote file, or None if it does not exist.

    The version of a local file is its modification time.
    """
    try:
        if is_remote(path):
            from roget.core.io.remote import inspect_remote

            return inspect_remote(path)[:2]
        status = os.stat(path)
    except (OSError, RogetError):
        return None
    return status.st_size, status.st_mtime_ns


def absolute(path: str) -> str:
    """Return the absolute path of a file. Return URLs and "-" unchanged."""
    return path if is_remote(path) or path == STANDARD_INPUT else os.path.abspath(path)


@contextmanager
def local_file(path: PathLike) -> Iterator[Path]:
    """Provide a local path: the file itself, or a temporary copy of a remote file.

    Error messages name the remote file, not the copy.
    """
    name = os.fspath(path)
    if not is_remote(name):
        yield Path(name)
        return
    shown = show_address(name)
    with TemporaryDirectory(prefix="roget.") as folder:
        copy = Path(folder) / Path(name_part(name)).name
        with copy.open("wb") as file, _open_plain(name) as stored:
            shutil.copyfileobj(stored, file, BLOCK)
        try:
            yield copy
        except RogetError as error:
            error.args = tuple(
                one.replace(str(copy), shown) if isinstance(one, str) else one for one in error.args
            )
            raise


def _read_head(path: str) -> bytes:
    """Return the first bytes of a remote file, or b"" if it cannot be read."""
    try:
        with _open_plain(path) as file:
            return file.read(16)
    except (OSError, RogetError):
        return b""  # Ignore the error here, because reading the content will raise it again.


def standard_head(size: int) -> bytes:
    """Return the first bytes of standard input without consuming them."""
    return bytes(getattr(standard_input(), "peek", lambda _: b"")(size))


def standard_input() -> IO[bytes]:
    """Return standard input as a binary stream. Raise an error if it is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError(
            "standard input is closed; redirect input with < or |, or pass a file",
            code="empty-input",
        )
    return sys.stdin.buffer


def compression_of(head: bytes) -> str:
    """Detect the compression from the first bytes and return its suffix, e.g. ".gz", or "".

    >>> compression_of(gzip.compress(b"milk")), compression_of(b"milk")
    ('.gz', '')
    """
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), "")
