"""List the label files that an input refers to, and read the lines of a label file."""

from __future__ import annotations

import glob
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from tempfile import TemporaryDirectory

from roget.core.io.address import is_remote
from roget.core.io.limits import IN_MEMORY
from roget.core.io.paths import find
from roget.core.io.remote import match
from roget.core.io.source import STANDARD_INPUT, NotText, Source, inspect_source, is_pipe
from roget.core.io.table import HEAD, plain_file
from roget.errors import FormatError, InputError, Notice
from roget.scoring.labels.labels import NoItems

ONE_SIDE = "standard input can be used for one side only"

_SHEET = re.compile(r"(.+\.xlsx):([^/\\]+)", re.IGNORECASE)
"""Pattern of a sheet of a workbook, FILE.xlsx:SHEET."""

BLOCK = 1 << 20
"""Number of bytes to read at once."""

SMALL = 1 << 20
"""Maximum size in bytes of a file whose lines are cached after the first read."""


def is_thesaurus(path: str) -> bool:
    """Return True if a path is a thesaurus folder."""
    if not os.path.isdir(path):
        return False
    from roget.core.folder import THESAURUS

    return os.path.isfile(os.path.join(path, THESAURUS))


def list_files(path: str, suffixes: Sequence[str]) -> list[str]:
    """Return the files of an input, which may be a file, a folder or a glob pattern.

    A name with wildcards is not treated as a pattern if a file with exactly that name exists.
    """
    if path == STANDARD_INPUT or os.path.isfile(path) or is_pipe(path):
        return [path]
    if os.path.isdir(path):
        try:
            return [source.path for source in find([path], tuple(suffixes))]
        except InputError:
            known = ", ".join(suffixes)
            raise InputError(
                f"{path} is a folder without label files; expected the suffixes {known}. To score "
                "each of its files as a system, use `roget compare`",
                code="file-not-found",
            ) from None
    if is_remote(path):
        return match(path)
    return [source.path for source in find([path], ())] if glob.has_magic(path) else [path]


def name_files(paths: Sequence[str]) -> str:
    """Return a name for one or more files, for use in messages.

    >>> name_files(["a.csv"]), name_files(["a.csv", "b.csv", "c.csv"])
    ('a.csv', 'a.csv and 2 more')
    """
    first = Source(paths[0]).name
    return first if len(paths) == 1 else f"{first} and {len(paths) - 1} more"


@dataclass(eq=False)
class LabelFile(Source):
    """A label file that is open in a `with` block, and options that control how it is read."""

    expansion: int = IN_MEMORY
    cover: bool = False
    """True if the same item may be listed in several clusters."""
    header: bool | None = None
    """True or False if the first line is known to be a header or data."""
    short: bool = False
    """True if only the first lines of a compressed file are decompressed."""
    sheet: str = field(default="", init=False)
    """The sheet of a workbook, from a path such as FILE.xlsx:SHEET."""
    warnings: list[Notice] = field(default_factory=list, init=False, repr=False)
    """Notices about how the file was read."""
    _on_exit: ExitStack = field(default_factory=ExitStack, init=False, repr=False)

    def __enter__(self) -> LabelFile:
        sheet = _SHEET.fullmatch(self.path)
        if sheet and not os.path.exists(self.path):
            self.path, self.sheet = sheet.groups()
        inspect_source(self, hold=True)
        if self.opened is not None:
            self._on_exit.callback(self.opened.close)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            # Several files may be open, so handle only errors raised while reading this file.
            if isinstance(error, NotText) and error.source == self.name:
                raise self._name_byte() from None
        finally:
            self._on_exit.close()

    @cached_property
    def plain(self) -> Source:
        """The source as a plain file, copied if necessary.

        Both roget and DuckDB can read it repeatedly.
        """
        if self.opened is not None or self.is_plain:
            return self
        if self.short and self.compression:
            block = next(self.blocks(), None)
            text = "" if block is None else block.data.decode(errors="replace")
            return Source(self.keep(text), called=self.name)
        path = self._on_exit.enter_context(plain_file(self))
        if self.path == STANDARD_INPUT and not os.path.getsize(path):
            # Standard input was probably already consumed by the other input (gold or system).
            raise NoItems(f"{self.name}: no items; {ONE_SIDE}")
        return Source(path, os.path.getsize(path), called=self.name)

    def keep(self, text: str) -> str:
        """Write text to a temporary file and return its path.

        The temporary file is deleted when the label file is closed.
        """
        folder = self._on_exit.enter_context(TemporaryDirectory(prefix="roget."))
        path = os.path.join(folder, "text")
        with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(text)
        return path

    def lines(self, name: str | None = None, size: int | None = None) -> Iterator[tuple[int, str]]:
        """Yield the number and text of each line. Large files are read `size` bytes at a time."""
        plain = self.plain
        if plain.cached is None and 0 < plain.size <= SMALL:
            if plain.opened is None:
                plain.cached = list(Source.lines(plain, size=BLOCK))
            else:
                # Invalid UTF-8 is reported later, when the lines are read one by one.
                with suppress(UnicodeDecodeError):
                    plain.opened.seek(0)
                    texts = plain.opened.read().removeprefix(BOM_UTF8).splitlines()
                    plain.cached = [(at, text.decode()) for at, text in enumerate(texts, 1)]
        return Source.lines(plain, name, size or BLOCK)

    def text(self) -> str:
        """Return the whole text, or raise an error if it is blank."""
        text = "\n".join(text for _, text in self.lines())
        if not text.strip():
            raise NoItems(f"{self.name}: no items")
        return text

    def first_lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines that are neither blank nor "!!" comments."""
        lines = self.lines(size=HEAD)
        return ((at, row) for at, row in lines if row.strip() and not row.startswith("!!"))

    @cached_property
    def first_line(self) -> tuple[int, str]:
        """The number and text of the first line that is neither blank nor a comment.

        The text is empty if the file has no such line.
        """
        return next(self.first_lines(), (1, ""))

    def _name_byte(self) -> FormatError:
        """Return an error that reports the position of the first byte that is not valid UTF-8."""
        before, line, rest, begin, bad = 0, 1, b"", b"", 0
        for chunk in chain(self.plain.chunks(), [b""]):
            data = rest + chunk
            begin = begin or data[:2]
            # Decode only complete lines, so that no character or \r\n is split.
            cut = data.rfind(b"\n") + 1 if chunk else len(data)
            try:
                data[:cut].decode("utf-8")
            except UnicodeDecodeError as error:
                at = error.start
                line += len(data[:at].splitlines()) - (not data[:at].endswith((b"\n", b"\r")))
                before, bad = before + at, data[at]
                break
            line += len(data[:cut].splitlines())
            before, rest = before + cut, data[cut:]
        if begin[:1] == b"\x80" and begin[1:] in (b"\x02", b"\x03", b"\x04", b"\x05"):
            text = (
                f"{self.name}: pickle files are not read, because loading them may run code; save "
                "the labels as CSV, Parquet or npy"
            )
            return FormatError(self.name, [Notice(text, code="unsupported-format")])
        hint = "; it may be UTF-16" if begin in (b"\xff\xfe", b"\xfe\xff") else ""
        text = (
            f"{self.name}:{max(line, 1)}: byte 0x{bad:02x} at position {before + 1:,} is not UTF-8 "
            f"text{hint}; save the file as UTF-8"
        )
        return FormatError(self.name, [Notice(text, code="not-text")])
