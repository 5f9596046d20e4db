"""Opening label files and telling their formats apart, by name first and by content second."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeAlias

from roget import catalogue
from roget.errors import FormatError, InputError
from roget.scoring.labels.base import Labels
from roget.scoring.labels.columns import LABEL_NAMES, is_header
from roget.scoring.labels.lookalike import looks_like_json
from roget.scoring.labels.words import ordinal

Columns: TypeAlias = Mapping[str, str | int]

ONE_SIDE = "standard input can serve one side only"

BLOCK = 1 << 20
"""Bytes read at a time: enough lines to handle together, little to hold."""

_LOOKED_AT = 100
"""Lines that may help to tell a format."""

_COMPRESSED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

SUFFIXES = {
    ".key": "key",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}


class Source:
    """An open label file: its name for messages, and its text in blocks of whole lines."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)
        self.path = Path(self.name)
        suffixes = [suffix.lower() for suffix in self.path.suffixes]
        self._open = _COMPRESSED.get(suffixes[-1]) if suffixes else None
        if self._open is not None:
            suffixes.pop()
        self.suffix = suffixes[-1] if suffixes else ""
        self.compressed = self._open is not None
        self.standard_input = self.name == "-"
        if self.standard_input:
            self.name = "standard input"
        self._stream: IO[bytes] | None = None
        self._head = b""

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None and not self.standard_input:
            self._stream.close()

    def head(self) -> bytes:
        """The first block, which stays to be read."""
        if not self._head:
            self._head = self._read_lines()
            if self.standard_input and not self._head:
                # Most likely the other side has read it all.
                raise InputError(f"{self.name}: no items; {ONE_SIDE}")
        return self._head

    def blocks(self) -> Iterator[tuple[int, str]]:
        """The number of each block's first line, and its lines as text without the last "\\n"."""
        line, offset = 1, 0
        block = self.head()
        while block:
            yield line, self._text(block, line, offset)
            ends = block.count(b"\n")
            line += ends if ends else block.count(b"\r")
            offset += len(block)
            block = self._read_lines()

    def first_lines(self) -> list[str]:
        """Some lines of the beginning that are not blank and no "!!" comment."""
        return [row for _, row in islice(self._telling_lines(), _LOOKED_AT)]

    def first_line(self) -> tuple[int, str]:
        """The number and text of the first such line; empty text if there is none."""
        return next(self._telling_lines(), (1, ""))

    def _telling_lines(self) -> Iterator[tuple[int, str]]:
        text = self._text(self.head(), 1, 0) if self.head() else ""
        for number, row in enumerate(text.split("\n"), 1):
            if row.strip() and not row.startswith("!!"):
                yield number, row

    def _text(self, block: bytes, line: int, offset: int) -> str:
        if offset == 0 and block.startswith(b"\xef\xbb\xbf"):
            block, offset = block[3:], 3
        if block.endswith(b"\n"):
            block = block[:-1]
        if b"\r" in block:
            block = block.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        try:
            return block.decode("utf-8")
        except UnicodeDecodeError as error:
            at = line + block.count(b"\n", 0, error.start)
            byte = f"byte 0x{block[error.start]:02x} (the {ordinal(offset + error.start + 1)})"
            hint = "; it looks like UTF-16" if block[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
            text = f"{self.name}:{at}: {byte} is not UTF-8 text{hint}; save the file as UTF-8"
            raise FormatError(self.name, [text]) from None

    def _read_lines(self) -> bytes:
        """About a block of bytes, up to the end of a line."""
        try:
            if self._stream is None:
                self._stream = self._opened()
            block = self._stream.read(BLOCK)
            return block + self._stream.readline() if block else block
        except FileNotFoundError:
            raise InputError(f"{self.name}: no such file") from None
        except IsADirectoryError:
            raise InputError(f"{self.name}: is a directory; a label file was expected") from None
        except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{self.name}: cannot be decompressed: {error}") from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError(f"{self.name}: cannot be read: {reason}") from None

    def _opened(self) -> IO[bytes]:
        if self.standard_input:
            return sys.stdin.buffer
        stream: IO[bytes] = self._open(self.path, "rb") if self._open else self.path.open("rb")
        return stream


def detect(source: Source) -> str:
    """The name of a file's format.

    The suffix decides, if it is one of `SUFFIXES` (one of compression is looked through).
    Otherwise the first line does: see `guess`.
    """
    known = SUFFIXES.get(source.suffix)
    if known is not None:
        return known
    return "parquet" if source.head().startswith(b"PAR1") else guess(source.first_lines())


def guess(lines: list[str]) -> str:
    """The format of a file without a telling name, from its first lines.

    >>> guess(["add.v add.v.1 sense1/4 sense2/1"]), guess(["item label"]), guess(["noun"])
    ('key', 'tsv', 'lines')
    """
    first = lines[0] if lines else ""
    if first.lstrip().startswith("{") or looks_like_json(first):
        return "jsonl"
    cells = first.split("\t")
    if len(cells) == 2 or (len(cells) > 1 and is_header(cells, LABEL_NAMES)):
        return "tsv"
    if "," in first and (is_header(first.split(","), LABEL_NAMES) or _ids_and_commas(lines)):
        return "csv"
    fields = len(first.split())
    if fields == 2 and not is_header(first.split(), LABEL_NAMES):
        # A key may begin with items that have no answer; its other lines tell.
        fields = max(len(row.split()) for row in lines)
    return "lines" if fields <= 1 else "tsv" if fields == 2 else "key"


def _ids_and_commas(lines: list[str]) -> bool:
    """Whether all lines have as many commas, and before the first a word that comes once."""
    ids = {line.partition(",")[0].strip() for line in lines}
    same = len({line.count(",") for line in lines}) == 1
    return same and len(ids) == len(lines) > 1 and not any(len(name.split()) > 1 for name in ids)


def read_labels(
    path: str | os.PathLike[str],
    *,
    labels: str | None = None,
    columns: Columns | None = None,
    gold: bool = False,
) -> Labels:
    """Read a label file; `labels` names its format, else it is told by name or content."""
    with Source(path) as source:
        reader = catalogue.load("label formats", labels or detect(source))
        result: Labels = reader(source, columns=columns, gold=gold)
        return result
