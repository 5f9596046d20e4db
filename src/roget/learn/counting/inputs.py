"""Inputs → sources of one kind → tasks."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from roget import catalogue
from roget.core.counts.files import is_counts
from roget.core.io.paths import find
from roget.core.io.source import PIECE, STANDARD_INPUT, Source, standard_head
from roget.core.io.table import FORMATS
from roget.data import is_sample
from roget.errors import InputError
from roget.learn.counting import parts
from roget.learn.counting.extract import TABULAR
from roget.learn.counting.parts import Recipe, Task

SUFFIXES = {
    ".conllu": "conllu",
    ".conll": "conllu",
    ".txt": "text",
    ".text": "text",
    ".spacy": "docbin",
    **dict.fromkeys(FORMATS, "table"),
    ".npz": "matrix",
    ".mtx": "matrix",
}
"""Readers by suffix; a suffix of compression may follow."""

UNPARSED = "text"
"""The reader of what is neither parsed nor a table."""

BUNDLE = 8 << 20
"""Small files are counted together until they have so many bytes."""

SLOW = {"hanta": 1 << 20, "spacy": 1 << 20}
"""Readers so slow that even so many bytes are worth a process."""

_HEAD = 1 << 16
_TOKEN = re.compile(rb"\d+([-.]\d+)?\t([^\t\n]*\t){8}[^\t\n]*")


def sources_of(
    inputs: Sequence[str | os.PathLike[str]], reader: str | None, encoding: str, tabular: bool
) -> tuple[list[Source], str]:
    """The sources that inputs stand for, and the reader they all need.

    Without a reader, names tell it, then the first bytes; `tabular` says that columns were named.
    """
    for given in inputs:
        if is_counts(Path(given)) or is_sample(os.fspath(given)):
            raise InputError(
                f"{os.fspath(given)}: is counted already; Counts.read can cut and merge it"
            )
    known = _suffixes()
    wanted = [suffix for suffix, name in known.items() if reader in (None, name)]
    sources = find(inputs, wanted or list(known), encoding)
    if reader is not None:
        return sources, reader
    first: dict[str, Source] = {}
    for source in sources:
        # Columns make a table of what might be text; what the name says otherwise stays so.
        table = tabular and known.get(source.suffix, UNPARSED) == UNPARSED
        first.setdefault("table" if table else kind_of(source), source)
    if len(first) > 1:
        (one, a), (other, b) = list(first.items())[:2]
        raise InputError(
            f"inputs of two kinds: {a.name} is {one}, {b.name} is {other}; count them apart, or "
            "name the --reader for all"
        )
    return sources, next(iter(first))


def kind_of(source: Source) -> str:
    """The reader for a source."""
    return _suffixes().get(source.suffix) or ("conllu" if is_conllu(_head(source)) else UNPARSED)


def _suffixes() -> dict[str, str]:
    """Readers by suffix, those of other packages as well."""
    return {**catalogue.suffixes("readers"), **SUFFIXES}


def is_conllu(head: bytes) -> bool:
    """Whether the first line that is no comment is a token's, with ten columns.

    >>> is_conllu(b"# a comment\\n1" + b"\\t_" * 9 + b"\\n"), is_conllu(b"1 cat")
    (True, False)
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    first = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    return _TOKEN.fullmatch(first.rstrip(b"\r")) is not None


def _head(source: Source) -> bytes:
    if source.path == STANDARD_INPUT:
        return standard_head(_HEAD)
    blocks = replace(source).blocks(_HEAD)
    try:
        return next(blocks).data
    except StopIteration:
        return b""
    finally:
        getattr(blocks, "close", lambda: None)()


def plan_tasks(sources: Sequence[Source], recipe: Recipe) -> list[Task]:
    """Tasks that one process each can do: pieces of large sources, bundles of small ones.

    They depend on the inputs and the recipe only, so that they are the same whenever the same is
    counted again.
    """
    if recipe.reader in TABULAR:
        return [parts.task((source,), recipe) for source in sources]
    size = SLOW.get(recipe.reader)
    pieces = [piece for source in sources for piece in _pieces(source, recipe.reader)]
    bundles = _bundles(pieces, size or BUNDLE)
    return [parts.task(bundle, recipe) for bundle in bundles]


def _pieces(source: Source, reader: str) -> list[Source]:
    # Files without blank lines cannot be cut: a reader of such ones says so.
    if reader == "docbin" or getattr(catalogue.load("readers", reader), "whole", False):
        return [source]
    return source.pieces(SLOW.get(reader, PIECE))


def _bundles(sources: Sequence[Source], size: int) -> Iterator[tuple[Source, ...]]:
    bundle: list[Source] = []
    full = 0
    for source in sources:
        if bundle and full + stored(source) > size:
            yield tuple(bundle)
            bundle, full = [], 0
        bundle.append(source)
        full += stored(source)
    if bundle:
        yield tuple(bundle)


def stored(source: Source) -> int:
    """The bytes of a source or of its piece."""
    return (source.size if source.stop is None else source.stop) - source.start
