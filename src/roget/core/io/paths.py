"""Resolve input names: files, folders, glob patterns, URLs, and "-" for standard input."""

from __future__ import annotations

import codecs
import glob
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from roget.core.io.address import is_remote
from roget.core.io.remote import match
from roget.core.io.source import STANDARD_INPUT, Source, is_pipe, source_of, special
from roget.core.types import PathLike
from roget.errors import InputError

LONGEST = 4096
"""Maximum length of a glob pattern.

Longer patterns are rejected because "[[[[…" takes quadratic time.
"""


def spell(name: str) -> str:
    """Decode a UTF-8 file name that Python represents with surrogate escapes.

    Under LANG=C, Python does not decode the non-ASCII bytes of a file name.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        with suppress(UnicodeError):
            return os.fsencode(name).decode()
    return name


def find_local(given: str) -> list[str]:
    """Return the local files that a path, glob pattern or file:// URL refers to.

    >>> find_local("file:///tmp/a.tsv"), find_local("s3://bucket/a.tsv")
    (['/tmp/a.tsv'], [])
    """
    scheme, mark, path = given.rpartition("://")
    if mark and scheme.rpartition("::")[2].lower() not in ("file", "local"):
        return []
    return [path] if os.path.exists(path) else _match(path) or [path]


def name_sources(given: Any, noun: str, *first: Any) -> dict[str, Any]:
    """Return a dictionary from names to inputs.

    The name of an input is its key in a mapping, NAME in NAME=FILE, or the file name without
    suffixes. Inputs without a name are numbered. `noun` is the plural noun for inputs in numbered
    names and messages. The inputs in `first` are placed before the others.

    >>> name_sources(["runs/a.tsv", "mine=b.tsv", [0, 0, 1]], "systems")
    {'a': 'runs/a.tsv', 'mine': 'b.tsv', 'system 3': [0, 0, 1]}
    """
    listed = [given] if isinstance(given, str | os.PathLike) else given
    others = given.items() if isinstance(given, Mapping) else (("", one) for one in listed)
    named: dict[str, Any] = {}
    for number, (known, source) in enumerate([*(("", one) for one in first), *others], start=1):
        name, own = str(known), f"{noun.split()[0].removesuffix('s')} {number}"
        if isinstance(source, str | os.PathLike):
            path = os.fspath(source)
            own = Source(path).stem or own
            before, equals, after = path.partition("=")
            if equals and not (name or os.path.exists(path) or is_remote(path)):
                name, source = before, after
        name = name or own
        if name in named:
            raise InputError(
                f"two {noun} have the name {name!r}; rename one of them, e.g. NAME={source}",
                code="duplicate-name",
            )
        named[name] = source
    return named


def _match(pattern: str) -> list[str]:
    if len(pattern) > LONGEST:
        return []
    try:
        return sorted(filter(os.path.isfile, glob.glob(pattern, recursive=True)))
    # The pattern contains a NUL character, or the folders are nested thousands of levels deep.
    except (ValueError, RecursionError):
        return []


def find(
    inputs: Sequence[PathLike], suffixes: Sequence[str], encoding: str = "utf-8"
) -> list[Source]:
    """Return the sources for a list of inputs, in order and without duplicates.

    An input is a file, a folder (all files below it that have one of the suffixes, compressed or
    not), a glob pattern, "-" for standard input, or a URL such as s3://…, which may contain *.
    """
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise InputError(f"unknown encoding {encoding!r}", code="invalid-option") from None
    found: dict[str, Source] = {}
    for given in [os.fspath(path) for path in inputs]:
        if given == STANDARD_INPUT:
            paths = [given]
        elif is_remote(given):
            paths = match(given)
        elif os.path.isdir(given):
            paths = _below(given, suffixes)
        elif os.path.isfile(given):
            paths = [given]
        elif os.path.exists(given):
            # Reject pipes, because an input may be read twice.
            what = special(os.stat(given).st_mode)
            hint = "; redirect it to standard input (-) with < or |" if is_pipe(given) else ""
            raise InputError(f"{given} is {what}; expected a file{hint}", code="unsupported-format")
        else:
            if glob.has_magic(given) and len(given) > LONGEST:
                text = f"the pattern has {len(given):,} characters; expected at most {LONGEST:,}"
                raise InputError(f"{given[:80]}…: {text}", code="file-not-found")
            paths = _match(given)
            if not paths:
                what = "matches no file" if glob.has_magic(given) else "no such file or folder"
                raise InputError(f"{given}: {what}", code="file-not-found")
        for path in paths:
            key = path if path == STANDARD_INPUT or is_remote(path) else os.path.realpath(path)
            if key not in found:
                # Corpora are read in blocks, so their size is not limited.
                found[key] = source_of(path, encoding, expansion=0)
    if not found:
        raise InputError(
            "no input; pass a file, a folder, a pattern, or - for standard input",
            code="missing-option",
        )
    return list(found.values())


def _below(folder: str, suffixes: Sequence[str]) -> list[str]:
    paths = [
        os.path.join(base, name)
        for base, _, names in os.walk(folder)
        for name in names
        if not name.startswith(".") and Source(name).suffix in suffixes
    ]
    if not paths:
        raise InputError(
            f"{folder}: the folder has no files with the suffixes {', '.join(suffixes)} "
            f"(compressed or not)",
            code="file-not-found",
        )
    return sorted(paths)
