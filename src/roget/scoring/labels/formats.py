"""Detect label formats, and look up the registered readers."""

from __future__ import annotations

import os
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from roget import catalogue
from roget.core.io.address import name_part
from roget.core.io.source import Source
from roget.errors import InputError
from roget.scoring.labels import files
from roget.scoring.labels.files import LabelFile, is_thesaurus
from roget.scoring.labels.readers.base import LabelReader

KIND = "label formats"
THESAURUS = "thesaurus"
"""Format name for thesaurus folders, which are detected by their content."""

_SNIFF_LINES = 100
"""Number of lines to read in order to detect a format."""


@cache
def list_readers() -> dict[str, LabelReader]:
    """Return the built-in readers, keyed by the name of the format."""
    names = (name for name in catalogue.KINDS[KIND] if name != THESAURUS)
    return {name: catalogue.load(KIND, name) for name in names}


@cache
def list_suffixes() -> dict[str, str]:
    """Return a map from file suffixes to formats for the built-in readers."""
    return {suffix: name for name, reader in list_readers().items() for suffix in reader.suffixes}


def is_tree(format: str | None) -> bool:
    """Return True if a format stores trees, which are allowed for systems but not for gold."""
    if format is None or format == THESAURUS:
        return format == THESAURUS
    return bool(getattr(catalogue.load(KIND, format), "is_tree", False))


def is_binary(path: str) -> bool:
    """Return True if a file name has the suffix of a binary format."""
    name = list_suffixes().get(Path(name_part(path)).suffix.lower())
    return name is not None and list_readers()[name].is_binary


def list_files(path: str) -> list[str]:
    """Return the label files of an input: a file, a folder or a glob pattern."""
    return files.list_files(path, tuple(list_suffixes()))


def find_plugin(suffix: str) -> str | None:
    """Return the plug-in format with a file suffix, or None if the suffix is unknown."""
    outside = (name for name in catalogue.entries(KIND) if name not in catalogue.KINDS[KIND])
    for name in outside:
        if suffix in getattr(catalogue.load(KIND, name), "suffixes", ()):
            return name
    return None


def detect_format(file: LabelFile) -> str:
    """Detect the format of a file from its suffix or, if that is unknown, its first lines.

    Some formats, such as exports of a thesaurus, share their suffix with another format. They are
    recognised by their first lines.
    """
    suffix = file.suffix
    format = list_suffixes().get(suffix)
    if format is None and suffix not in ("", ".txt"):
        format = find_plugin(suffix)
    if format is not None:
        inside = [(name, one) for name, one in list_readers().items() if format in one.inside]
        if not inside or not file.first_line[1]:
            return format
        lines = [text for _, text in islice(file.first_lines(), 2)]
        return next((name for name, one in inside if one.sniff(lines)), format)
    if file.plain.head(4) == b"PAR1":
        return "parquet"
    return sniff_format([text for _, text in islice(file.first_lines(), _SNIFF_LINES)])


def sniff_format(lines: list[str]) -> str:
    """Detect the format of a file from its first lines.

    >>> [sniff_format([line]) for line in ("add.v add.v.1 sense1/4 sense2/1", "d1 x", "noun")]
    ['key', 'tsv', 'lines']
    """
    readers = sorted(list_readers().items(), key=lambda entry: entry[1].is_general)
    return next((name for name, one in readers if lines and one.sniff(lines)), "lines")


def refuse_tree(source: Any) -> Any:
    """Return the source, or raise an error if it is a tree, which requires the local engine."""
    tree = hasattr(type(source), "to_labels")
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        tree = is_thesaurus(path) or is_tree(list_suffixes().get(Source(path).suffix))
    if tree:
        raise InputError(f"{source}: a tree requires --engine local", code="conflicting-options")
    return source
