"""One input and its bytes: opened, decompressed, decoded, each line with its place."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import re
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
from urllib.parse import urlsplit

import numpy as np

from roget.core.io import limits
from roget.core.types import PathLike
from roget.errors import FormatError, InputError, RogetError

BLOCK = 4 << 20
"""Decompressed bytes handled at a time."""

PIECE = 64 << 20
"""Plain files are cut into pieces of about this size, so that one file can feed many processes.
It never depends on the machine: the same input is always cut at the same places."""

REACH = 1 << 20
"""How many bytes without a blank line are borne before a cut is made after any line."""

_STORED = 1 << 17

_FED = 1 << 12
"""Bytes of a .zst file that are unpacked at once: they cannot become more than 128 MB."""

_WAIT = 2.0
"""Seconds after which people are told that nothing comes through a pipe."""

FORMATS = {
    ".tsv": "tsv", ".tab": "tsv", ".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".json": "jsonl", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
"""Formats of tables by suffix; one of compression may follow."""

STANDARD_INPUT = "-"

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_KEYS = re.compile(r"(://)[^\s/?#]*@")
_ASKED = re.compile(r"(://[^\s?'\"]*)\?[^\s'\"]*[^\s'\":;,)]")


def is_remote(path: str) -> bool:
    """Whether a name is an address.

    >>> [is_remote(path) for path in ("s3://bucket/a.tsv", "a.tsv", "C:/a.tsv", "x=https://h/a")]
    [True, False, False, False]
    """
    return _ADDRESS.match(path) is not None


def name_part(path: str) -> str:
    """An address without what follows the name of its file.

    >>> name_part("https://example.org/gold.tsv.gz?download=1")
    '/gold.tsv.gz'
    """
    return urlsplit(path).path if path.lower().startswith(("https:", "http:")) else path


def show_address(text: str) -> str:
    """A text whose addresses tell nothing that may be a secret: keys, and what follows a "?".

    >>> show_address("https://me:word@example.org/gold.tsv?token=abc: no such file")
    'https://…@example.org/gold.tsv?…: no such file'
    """
    return _ASKED.sub(r"\1?…", _KEYS.sub(r"\1…@", text)) if "://" in text else text


def _open_plain(path: str) -> IO[bytes]:
    if not is_remote(path):
        return open(path, "rb")
    from roget.core.io.remote import open_remote

    return open_remote(path)


class _Zst:
    """A .zst file, all frames of it; zstandard's own stream ends after one, or in the middle."""

    def __init__(self, given: str | IO[bytes]) -> None:
        import zstandard

        self._decompressor = zstandard.ZstdDecompressor()
        self._frame: Any = None
        self._ready = self._left = memoryview(b"")
        self.fileobj = _open_plain(given) if isinstance(given, str) else given

    def read(self, size: int) -> bytes:
        """So many decompressed bytes, fewer only at the end."""
        parts, have = [self._ready], len(self._ready)
        while have < size and (stored := memoryview(self._left or self.fileobj.read(_STORED))):
            at = 0
            while at < len(stored) and have < size:
                fed = stored[at : at + _FED]
                self._frame = self._frame or self._decompressor.decompressobj()
                parts.append(memoryview(self._frame.decompress(fed)))
                have += len(parts[-1])
                at += len(fed) - len(self._frame.unused_data)
                if self._frame.eof:
                    self._frame = None
            self._left = stored[at:]
        if have < size and self._frame is not None:
            raise EOFError("the last frame has no end")
        last = len(parts[-1]) - max(have - size, 0)
        parts[-1], self._ready = parts[-1][:last], parts[-1][last:]
        return b"".join(parts)

    def __enter__(self) -> _Zst:
        return self

    def __exit__(self, *_: object) -> None:
        self.fileobj.close()


class _TakesTooMuch(Exception):
    """What an unpacker asks for is more than it may take; that is the message."""


class _Xz:
    """An .xz or .lzma file, all streams of it.

    Python's own reader takes whatever memory a file asks for, and stops without a word at the first
    bytes after a stream that begin no other: padding, or damage.
    """

    def __init__(self, given: str | IO[bytes]) -> None:
        self.fileobj = _open_plain(given) if isinstance(given, str) else given
        self._room = limits.unpacker_room(limits.weigh(given) if isinstance(given, str) else 0)
        self._stream = self._begin_stream()

    def _begin_stream(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(memlimit=self._room)

    def read(self, size: int) -> bytes:
        """So many decompressed bytes, fewer only at the end."""
        parts: list[bytes] = []
        while size > 0:
            stored = b""
            if self._stream.eof:
                stored = self._skip_padding(self._stream.unused_data)
                if not stored:
                    break
                self._stream = self._begin_stream()
            elif self._stream.needs_input:
                stored = self.fileobj.read(_STORED)
                if not stored:
                    raise EOFError("the last stream has no end")
            try:
                parts.append(self._stream.decompress(stored, size))
            except lzma.LZMAError as error:
                if "usage limit" in str(error):
                    raise _TakesTooMuch(limits.show_size(self._room)) from None
                raise
            size -= len(parts[-1])
        return b"".join(parts)

    def _skip_padding(self, stored: bytes) -> bytes:
        """What follows the zeros that may stand between two streams."""
        stored = stored.lstrip(b"\0")
        while not stored and (more := self.fileobj.read(_STORED)):
            stored = more.lstrip(b"\0")
        return stored

    def __enter__(self) -> _Xz:
        return self

    def __exit__(self, *_: object) -> None:
        self.fileobj.close()


def _open_zip(path: str | IO[bytes], name: str = "") -> IO[bytes]:
    """The one file in a .zip; messages call it by its name, if it is not that of the path."""
    called = name or path
    try:
        # Closed here; what is beneath stays open until the one file is closed.
        with zipfile.ZipFile(path) as archive:
            files = [one for one in archive.infolist() if not one.filename.endswith("/")]
            if len(files) != 1:
                names = ", ".join(one.filename for one in files[:5])
                said = f"{len(files)} files: {names}" if files else "no file"
                raise InputError(f"{called}: a .zip with {said}; expected one, or unpack it")
            [file] = files
            limits.check_packing(str(called), file.filename, file.compress_type)
            return archive.open(file)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{called}: the zip data are cut short or damaged ({error})") from None


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
"""How compressed files begin, with which no text does."""
_TOOLS = {".gz": "gzip", ".xz": "xz", ".zst": "zstd", ".bz2": "bzip2"}


class NotText(FormatError):
    """Bytes that are not text in UTF-8."""


@dataclass
class TextBlock:
    """Some bytes of a source: whole paragraphs, so that no sentence is cut."""

    data: bytes
    line: int
    """Lines that the source's piece has before it."""


@dataclass
class Source:
    """One input, or a piece of a large one; survives pickling, so any process may read it."""

    path: str
    size: int = 0
    modified: int = 0
    """In nanoseconds; with the size it tells whether the file is still the same."""
    start: int = 0
    stop: int | None = None
    """The piece, in bytes as stored; None: to the end."""
    encoding: str = "utf-8"
    packed: str = ""
    """ ".gz" and the like, where the first bytes tell it and the name does not."""
    stream: bool = False
    """Whether it can be read only from its beginning on, as what comes from the web."""
    times: int = field(default=0, compare=False)
    """It may unpack to so many times what is stored, see `limits`; 0 for any size, where it is not
    held."""
    called: str = field(default="", compare=False)
    """What messages call it, if not by its path."""
    spool: Any = field(default=None, compare=False, repr=False)
    """What keeps the file there, if it is a copy of what came through a pipe."""
    read: int = field(default=0, compare=False)
    """Stored bytes read so far, for progress."""
    begin: int = field(default=0, compare=False)
    """Where the piece really begins, once it is being read: cuts move on to a blank line."""
    digest: Any = field(default=None, compare=False, repr=False)
    """A hashlib object that is fed the bytes read, for what can be read only once."""
    opened: IO[bytes] | None = field(default=None, compare=False, repr=False)
    """The file, where it is held open; every reading begins at its beginning."""
    ended: int = field(default=0, compare=False, repr=False)
    """Lines that ended in the blocks read so far."""
    _lines_before: int = field(default=0, compare=False, repr=False)

    @property
    def name(self) -> str:
        """What messages call it."""
        if self.path == STANDARD_INPUT:
            return "standard input"
        return self.called or show_address(self.path)

    @property
    def is_remote(self) -> bool:
        """Whether the path is an address."""
        return is_remote(self.path)

    @property
    def compression(self) -> str:
        """ ".gz" and the like, or nothing."""
        return _compression(self.path) or self.packed

    @property
    def suffix(self) -> str:
        """What the name says of the format, compression left aside."""
        return _without_compression(self.path).suffix.lower()

    @property
    def stem(self) -> str:
        """The file's own name without what tells format and compression."""
        return _without_compression(self.path).stem

    @property
    def is_plain(self) -> bool:
        """Whether the file itself is UTF-8 text, so that other programs can read it too."""
        return self.is_text and not self.is_remote and self.path != STANDARD_INPUT

    @property
    def is_text(self) -> bool:
        """Whether it is stored as UTF-8 text, wherever it is."""
        return not self.compression and _is_utf8(self.encoding)

    def pieces(self, size: int = PIECE) -> list[Source]:
        """The source cut for several processes, where its bytes can be reached directly."""
        if not self.is_text or self.stream or self.size <= 2 * size:
            return [self]
        cuts = [*range(0, self.size - size // 2, size), self.size]
        ends = [*cuts[1:-1], None]
        return [replace(self, start=a, stop=b) for a, b in zip(cuts, ends, strict=False)]

    def blocks(self, size: int | None = None, reach: int = REACH) -> Iterator[TextBlock]:
        """The bytes as UTF-8 in blocks that end after a blank line, or at least after a line."""
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
                    # Where the last line ends, or in want of one, the last word.
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
        """The first bytes."""
        return next(self.chunks(size), b"")[:size]

    def lines(self, name: str | None = None, size: int | None = None) -> Iterator[tuple[int, str]]:
        """All lines as text, numbered from 1; they end in \\n, \\r\\n or \\r.

        A line that is not text is a FormatError, in which the source goes by the name.
        """
        name = name or self.name
        number, rest = 1, b""
        longest = self.longest_line()
        for chunk in chain(self._decode_chunks(size or BLOCK, REACH), [b""]):
            data = rest + chunk
            # A \r at the very end may be half of a \r\n.
            cut = max(data.rfind(b"\n"), data.rfind(b"\r", 0, -1)) + 1 if chunk else len(data)
            rest = data[cut:]
            for line in data[:cut].splitlines():
                yield number, _decode_line(line, number, name)
                number += 1
            if len(rest) > longest:
                raise self.refuse_line(number, longest)

    def longest_line(self) -> int:
        """The bytes that a line may have, which must be held."""
        return limits.allowed(self._weigh(), limits.LINE_TIMES)

    def refuse_line(self, number: int, longest: int) -> InputError:
        """The error for a line that has more."""
        shown = limits.show_size(longest)
        return limits.too_large(f"{self.name}:{number}", f"a line of more than {shown}", longest)

    def place(self, line: int) -> str:
        """file:line of a line of this piece, counted from 1 where the piece being read begins."""
        if self.begin and not self._lines_before:
            with _open_plain(self.path) as file:
                for at in range(0, self.begin, BLOCK):
                    self._lines_before += file.read(min(self.begin - at, BLOCK)).count(b"\n")
        return f"{self.name}:{line + self._lines_before}"

    def chunks(self, size: int = BLOCK) -> Iterator[bytes]:
        """The bytes of the whole file, decompressed, so many at a time, not decoded."""
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
                chunks = _ahead(chunks)
            first = True
            for chunk in self._transcoded(chunks):
                yield chunk.removeprefix(codecs.BOM_UTF8) if first and not self.start else chunk
                first = False

    @contextmanager
    def hold(self) -> Iterator[Source]:
        """The same source, whose plain file is opened once for all readings."""
        with _open_plain(self.path) as file:
            yield replace(self, opened=file)

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
            raise InputError(f"cannot read {self.path}: {error.strerror or error}") from None
        return opened

    def _weigh(self) -> int:
        """The bytes that the file has on disk; 0 if that cannot be known."""
        return self.size if self.is_remote else limits.weigh(self.path)

    def _read_all(self, file: IO[bytes], size: int, left: int) -> Iterator[bytes]:
        before = total = 0
        most = sys.maxsize
        if self.times and self.path != STANDARD_INPUT:
            most = limits.allowed(self._weigh(), self.times)
        while left > 0:
            try:
                chunk = file.read(min(size, left))
            except RogetError:
                raise
            except _TakesTooMuch as error:
                what = f"to unpack it takes more than {error} of memory"
                raise limits.too_large(self.name, what, limits.LARGEST_DICTIONARY) from None
            except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError) as error:
                raise self._broken(error) from None
            except MemoryError:
                # What LZMA needs, the file tells.
                said = "to unpack it takes more memory than there is; it may be damaged"
                raise InputError(f"{self.name}: {said}") from None
            except Exception as error:
                # Stores have errors of their own.
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
            # Not all stores tell how large a file is.
            if total > most and total > limits.allowed(now, self.times if self.is_remote else 0):
                what = f"unpacks to more than {limits.show_size(most)}"
                raise limits.too_large(self.name, what, most)
            self.read, before = self.read + now - before, now
            yield chunk

    def _broken(self, error: Exception) -> InputError:
        kind = self.compression.removeprefix(".")
        what = f"the {kind} data are cut short or damaged" if kind else "cannot be read"
        return InputError(f"{self.name}: {what} ({error})")

    def _transcoded(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        if _is_utf8(self.encoding):
            yield from chunks
            return
        decoder = codecs.getincrementaldecoder(self.encoding)()
        try:
            for chunk in chunks:
                yield decoder.decode(chunk).encode()
            yield decoder.decode(b"", final=True).encode()
        except UnicodeError as error:
            raise InputError(f"{self.name}: not {self.encoding} text ({error})") from None


@contextmanager
def open_output(draft: str | os.PathLike[str], name: str) -> Iterator[IO[bytes]]:
    """Open a draft for writing; its bytes are gzipped if the file will be called NAME.gz."""
    with open(draft, "wb") as raw:
        if not name.lower().endswith(".gz"):
            yield raw
            return
        # Without a name and a time inside, equal contents give equal bytes.
        with gzip.GzipFile("", "wb", 5, raw, mtime=0) as packed:
            yield cast("IO[bytes]", packed)


def _decode_line(line: bytes, number: int, name: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = f"byte 0x{line[error.start]:02x} is not UTF-8 text"
        hint = "is it UTF-16?" if line[:2] in (b"\xff\xfe", b"\xfe\xff") else "is it Latin-1?"
        text = f"{name}:{number}: {byte}; {hint} Name its encoding, or save it as UTF-8"
        raise NotText(name, [text]) from None


def _is_utf8(encoding: str) -> bool:
    return codecs.lookup(encoding).name in ("utf-8", "ascii", "utf-8-sig")


def _compression(path: str) -> str:
    last = Path(name_part(path)).suffix.lower()
    return last if last in _COMPRESSED else ""


def _without_compression(path: str) -> Path:
    place = Path(name_part(path))
    return place.with_suffix("") if _compression(path) else place


@contextmanager
def _unpack(stored: IO[bytes], kind: str, name: str) -> Iterator[IO[bytes]]:
    """What is compressed in an open file, which is closed with it."""
    if kind != ".zip":
        with stored, _COMPRESSED[kind](stored) as file:
            yield file
        return
    # Its list of contents stands at the end.
    with stored, TemporaryFile() as copy:
        shutil.copyfileobj(stored, copy, BLOCK)
        with _open_zip(copy, name) as file:
            yield file


def _stored(file: Any, decompressed: int) -> int:
    """How far the stored file has been read: for compressed ones, ask what lies beneath."""
    for beneath in ("fileobj", "_fp", "_source"):
        stored = getattr(file, beneath, None)
        if stored is not None and hasattr(stored, "tell"):
            return int(stored.tell())
    return decompressed


def _boundary(file: IO[bytes], position: int, reach: int) -> int:
    """Where a piece that was cut at a position really begins: after a blank line if one is near."""
    if position == 0:
        return 0
    file.seek(position)
    ahead = b""
    while len(ahead) < reach and (chunk := file.read(min(reach - len(ahead), REACH))):
        # A blank line may begin in the chunk before.
        before = max(len(ahead) - 2, 0)
        ahead += chunk
        for mark in (b"\n\n", b"\n\r\n"):
            at = ahead.find(mark, before)
            if at >= 0:
                return position + at + len(mark)
    at = ahead.find(b"\n") if len(ahead) == reach else -1
    return position + (at + 1 if at >= 0 else len(ahead))


def _blank_line(data: bytes) -> int:
    """Where the last blank line ends; 0 if there is none."""
    at = data.rfind(b"\n\n")
    with_return = data.rfind(b"\n\r\n", max(at, 0))
    return with_return + 3 if with_return >= 0 else at + 2 if at >= 0 else 0


def _ahead(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The same chunks, the next one being decompressed while this one is used."""
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, chunks, b"")
        while chunk := coming.result():
            coming = pool.submit(next, chunks, b"")
            yield chunk


def source_of(path: str, encoding: str = "utf-8", times: int = limits.TIMES) -> Source:
    """The source of a file, or of standard input if it is called "-".

    What comes through a pipe is copied to a file, so that it can be read more than once. `times` as
    in `limits`; 0 if the source is read bit by bit and never held.
    """
    if path == STANDARD_INPUT:
        kind = compression_of(standard_head(16))
        if kind:
            tool = _TOOLS[kind]
            raise InputError(f"standard input is {tool} data: unpack it first (… | {tool} -dc |)")
        return Source(path, encoding=encoding, stream=True)
    if is_remote(path):
        from roget.core.io.remote import look_at

        size, mark, seekable = look_at(path)
        packed, stream = _magic(path), not seekable
        return Source(
            path, size, mark, encoding=encoding, packed=packed, stream=stream, times=times
        )
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"cannot read {path}: {said}") from None
    what = special(status.st_mode)
    if what not in ("", _PIPE):
        raise InputError(f"{path}: is {what}; expected a file")
    spool = _Spool(path) if what else None
    copy = spool.path if spool else path
    status = os.stat(copy) if spool else status
    return Source(
        copy,
        status.st_size,
        status.st_mtime_ns,
        encoding=encoding,
        packed=_magic(copy),
        times=times,
        called=path if spool else "",
        spool=spool,
    )


_PIPE = "a pipe"
_SPECIAL = {
    stat.S_ISDIR: "a folder",
    stat.S_ISFIFO: _PIPE,
    stat.S_ISSOCK: "a socket",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
}


def special(mode: int) -> str:
    """What a path leads to by its mode, in words; nothing for a plain file."""
    return next((what for is_kind, what in _SPECIAL.items() if is_kind(mode)), "")


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a pipe, such as that of <(…): what it has can be had only once."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


class _Spool:
    """A temporary copy of all that comes through a pipe, which lasts as long as this."""

    def __init__(self, pipe: str) -> None:
        # Its name tells the format, as that of the pipe does.
        suffix = "".join(Path(pipe).suffixes[-2:])
        with NamedTemporaryFile(prefix="roget.", suffix=suffix, delete=False) as copy:
            self.path = copy.name
            weakref.finalize(self, _remove, copy.name)
            with _notice(f"waiting for something to come through {pipe}"):
                file = _open_plain(pipe)
                chunk = file.read(1)
            with file:
                room = shutil.disk_usage(gettempdir()).free // 2
                while chunk:
                    copy.write(chunk)
                    room -= len(chunk)
                    if room < 0:
                        raise InputError(
                            f"{pipe}: more comes through it than half of what is free in "
                            f"{gettempdir()}: save it as a file, or set TMPDIR"
                        )
                    chunk = file.read(BLOCK)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


@contextmanager
def _notice(text: str) -> Iterator[None]:
    """Say on standard error what is waited for, if it takes long."""
    timer = threading.Timer(_WAIT, lambda: print(f"roget: {text} …", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def state_of(path: str) -> tuple[int, int] | None:
    """Size and time of a file, or what its store tells in their place; None if it is gone."""
    try:
        if is_remote(path):
            from roget.core.io.remote import look_at

            return look_at(path)[:2]
        status = os.stat(path)
    except (OSError, RogetError):
        return None
    return status.st_size, status.st_mtime_ns


def absolute(path: str) -> str:
    """The name by which a file is known in any folder; an address is one already."""
    return path if is_remote(path) or path == STANDARD_INPUT else os.path.abspath(path)


@contextmanager
def local_file(path: PathLike) -> Iterator[Path]:
    """The file itself, or a copy of one elsewhere, for what must be read as a file of this machine.

    Messages name the file, not the copy.
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


def _magic(path: str) -> str:
    """The compression that a file's first bytes tell, where its name does not."""
    if _compression(path):
        return ""
    try:
        with _open_plain(path) if is_remote(path) else open(path, "rb") as file:
            return compression_of(file.read(16))
    except (OSError, RogetError):
        return ""  # whoever reads the file for its contents will say why


def standard_head(size: int) -> bytes:
    """First bytes of standard input, looked at, not taken: the reader will get them again."""
    return bytes(getattr(standard_input(), "peek", lambda _: b"")(size))


def standard_input() -> IO[bytes]:
    """The bytes of standard input, unless whoever started us has closed it."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("standard input is closed: give it something by < or |, or name a file")
    return sys.stdin.buffer


def compression_of(head: bytes) -> str:
    """The compression that first bytes tell: ".gz" and the like, or nothing.

    >>> compression_of(gzip.compress(b"milk")), compression_of(b"milk")
    ('.gz', '')
    """
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), "")
