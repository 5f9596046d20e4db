"""Labels from whatever the caller has; label files are opened and told apart here.

The name of a file tells its format first, its content second. Decompression is `core/io`'s.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from typing import Any

from roget import catalogue
from roget.core.io.problems import Problems
from roget.core.io.source import FORMATS, STANDARD_INPUT, Source, source_of
from roget.errors import FormatError, InputError, UnknownName
from roget.scoring.labels.labels import Labels
from roget.scoring.labels.table import LABEL_NAMES, PAIR, Columns, Reader, is_header, to_labels
from roget.scoring.labels.text import looks_like_json

ONE_SIDE = "standard input can serve one side only"

BLOCK = 1 << 20
"""Bytes read at a time: enough lines to handle together, little to hold."""

_LOOKED_AT = 100
"""Lines that may help to tell a format."""

SUFFIXES = {".key": "key", **FORMATS}


def as_labels(
    source: Any,
    *,
    labels: str | None = None,
    columns: Columns | None = None,
    gold: bool = False,
    name: str | None = None,
) -> Labels:
    """The answers behind a source.

    A str or path is a label file, whose format `labels` may name and whose columns `columns` may
    choose. A mapping goes from item to label, or to a mapping of labels to weights. A matrix, dense
    or sparse, holds a weight per item (row) and label (column); an empty row is no answer. `gold`
    refuses files with items that have no label. `name` is how messages call data in memory.

    >>> as_labels(["a", "b", "a"]).codes.tolist()
    [0, 1, 0]
    >>> as_labels({"d1": "x", "d2": {"x": 1, "y": 3}}).weights.tolist()
    [1.0, 0.25, 0.75]
    """
    if isinstance(source, Labels):
        return source
    if isinstance(source, str | os.PathLike):
        with LabelFile(source) as file:
            form = labels or detect_format(file)
            read: Reader = catalogue.load("label formats", form)
            if form != "parquet":
                # Opened here, whoever reads it; DuckDB opens its files itself.
                file.head()
            return read(file, columns=columns, gold=gold)
    from roget.scoring.labels.memory import convert_data

    name = name or ("the gold labels" if gold else "the system labels")
    return convert_data(source, name, columns, gold=gold)


def read_pair(
    path: str | os.PathLike[str], *, labels: str | None = None, columns: Columns | None = None
) -> tuple[Labels, Labels]:
    """Gold and system labels of a file with a column for each, in this order or by header.

    With a header there may also be columns for item and group. An empty system cell is an item
    without an answer.
    """
    from roget.scoring.labels import frames, jsonl, text

    known = catalogue.names("label formats")
    if labels is not None and labels not in known:
        raise UnknownName("label format", labels, known)
    with LabelFile(path) as file:
        problems = Problems(file.name)
        form = labels or detect_format(file)
        tables = {"csv": text.csv_table, "jsonl": jsonl.read_table, "parquet": frames.read_table}
        table = tables.get(form, text.tsv_table)(file, columns, PAIR, problems)
        # The system first: its contradictions are found while gold gaps are still collected.
        system = to_labels(table, role="system", gold=False)
        table.warnings.clear()
        gold = to_labels(table, role="gold", gold=True)
        return gold, system


class LabelFile:
    """A label file: its name for messages, and its text in blocks of whole lines."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.source = Source(os.fspath(path))
        self.name = self.source.name
        self._chunks: Iterator[bytes] = iter(())
        self._head: bytes | None = None
        self._rest = b""

    def __enter__(self) -> LabelFile:
        return self

    def __exit__(self, *_: object) -> None:
        # A generator that is closed closes its file.
        getattr(self._chunks, "close", lambda: None)()

    def head(self) -> bytes:
        """The first block, which stays to be read; the file is opened for it."""
        if self._head is None:
            try:
                self.source = source_of(self.source.path)
            except OSError as error:
                raise InputError(f"{self.name}: cannot be read: {error.strerror}") from None
            self._chunks = self.source.chunks(BLOCK)
            self._head = self._end_line(next(self._chunks, b""))
            if self.source.path == STANDARD_INPUT and not self._head:
                # Most likely the other side has read it all.
                raise InputError(f"{self.name}: no items; {ONE_SIDE}")
        return self._head

    def blocks(self) -> Iterator[tuple[int, str]]:
        """The number of each block's first line, and its lines as text without the last "\\n"."""
        line, offset = 1, 0
        block = self.head()
        while block:
            yield line, self._decode(block, line, offset)
            ends = block.count(b"\n")
            line += ends if ends else block.count(b"\r")
            offset += len(block)
            block = self._end_line(self._rest or next(self._chunks, b""))

    def first_lines(self) -> Iterator[tuple[int, str]]:
        """The numbered lines of the beginning that are not blank and no "!!" comment."""
        head = self.head()
        for number, row in enumerate(self._decode(head, 1, 0).split("\n"), 1):
            if row.strip() and not row.startswith("!!"):
                yield number, row

    def first_line(self) -> tuple[int, str]:
        """The number and text of the first such line; empty text if there is none."""
        return next(self.first_lines(), (1, ""))

    def _end_line(self, chunk: bytes) -> bytes:
        """The chunk and what follows it up to the end of a line; the rest is kept."""
        parts, self._rest = [chunk], b""
        while chunk and not parts[-1].endswith(b"\n"):
            chunk = next(self._chunks, b"")
            cut = chunk.find(b"\n") + 1 or len(chunk)
            parts.append(chunk[:cut])
            self._rest = chunk[cut:]
        return b"".join(parts)

    def _decode(self, block: bytes, line: int, offset: int) -> str:
        if offset == 0 and block.startswith(b"\xef\xbb\xbf"):
            block, offset = block[3:], 3
        block = block.removesuffix(b"\n")
        if b"\r" in block:
            block = block.removesuffix(b"\r").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        try:
            return block.decode("utf-8")
        except UnicodeDecodeError as error:
            at = line + block.count(b"\n", 0, error.start)
            byte = f"byte 0x{block[error.start]:02x} (the {_ordinal(offset + error.start + 1)})"
            hint = "; it looks like UTF-16" if block[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
            text = f"{self.name}:{at}: {byte} is not UTF-8 text{hint}; save the file as UTF-8"
            raise FormatError(self.name, [text]) from None


def _ordinal(number: int) -> str:
    """A place in a row.

    >>> [_ordinal(number) for number in (1, 2, 3, 4, 11, 112, 1021)]
    ['1st', '2nd', '3rd', '4th', '11th', '112th', '1,021st']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if number % 100 in (11, 12, 13) else ending}"


def detect_format(file: LabelFile) -> str:
    """The name of a file's format.

    The suffix decides, if it is one of `SUFFIXES` (one of compression is looked through).
    Otherwise the first line does: see `guess_format`.
    """
    known = SUFFIXES.get(file.source.suffix)
    if known is not None:
        return known
    if file.head().startswith(b"PAR1"):
        return "parquet"
    return guess_format([row for _, row in islice(file.first_lines(), _LOOKED_AT)])


def guess_format(lines: list[str]) -> str:
    """The format of a file without a telling name, from its first lines.

    >>> [guess_format([line]) for line in ("add.v add.v.1 sense1/4 sense2/1", "item label", "noun")]
    ['key', 'tsv', 'lines']
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
