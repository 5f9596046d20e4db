"""Find inputs by name: files, folders, patterns, URLs, and "-" for standard input."""

from __future__ import annotations

import codecs
import glob
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from roget.core.io.address import is_remote, name_part
from roget.core.io.remote import match
from roget.core.io.source import STANDARD_INPUT, Source, is_pipe, source_of, special
from roget.core.types import PathLike
from roget.errors import InputError

LONGEST = 4096
"""Maximum length of a pattern; matching "[[[[…" takes quadratic time."""


def spell(name: str) -> str:
    """Return a file name as text if Python could not decode it although it is UTF-8.

    Under LANG=C, Python treats everything that is not ASCII as undecodable bytes.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        with suppress(UnicodeError):
            return os.fsencode(name).decode()
    return name


def name_here(given: str) -> list[str]:
    """Return the local files behind a name, which may be a pattern or file://….

    >>> name_here("file:///tmp/a.tsv"), name_here("s3://bucket/a.tsv")
    (['/tmp/a.tsv'], [])
    """
    scheme, mark, path = given.rpartition("://")
    if mark and scheme.rpartition("::")[2].lower() not in ("file", "local"):
        return []
    return [path] if os.path.exists(path) else _match(path) or [path]


def name_sources(given: Any, noun: str, *first: Any) -> dict[str, Any]:
    """Return inputs by name: the key of a mapping, NAME=FILE, the file name, or a number.

    Inputs in `first` come before those of a mapping and have no key.

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
            own = Path(name_part(path)).stem
            before, equals, after = path.partition("=")
            if equals and not (name or os.path.exists(path) or is_remote(path)):
                name, source = before, after
        name = name or own
        if name in named:
            raise InputError(
                f"two {noun} are named {name!r}: rename one, e.g. NAME={source}",
                code="duplicate-name",
            )
        named[name] = source
    return named


def _match(pattern: str) -> list[str]:
    if len(pattern) > LONGEST:
        return []
    try:
        return sorted(filter(os.path.isfile, glob.glob(pattern, recursive=True)))
    except (ValueError, RecursionError):  # a zero byte, or thousands of folders
        return []


def find(
    inputs: Sequence[PathLike], suffixes: Sequence[str], encoding: str = "utf-8"
) -> list[Source]:
    """Return the files behind inputs, in order and without duplicates.

    A folder stands for the files below it with one of the suffixes (before ".gz" and the like), a
    pattern for its matches, "-" for standard input, and a URL such as s3://… for the file there,
    or with * for all matches.
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
            # It is read twice, but a pipe has its content only once.
            what = special(os.stat(given).st_mode)
            hint = "; redirect it to standard input (-) with < or |" if is_pipe(given) else ""
            raise InputError(
                f"{given}: is {what}; expected a file{hint}", code="unsupported-format"
            )
        else:
            if glob.has_magic(given) and len(given) > LONGEST:
                text = f"a pattern of {len(given):,} characters; expected at most {LONGEST:,}"
                raise InputError(f"{given[:80]}…: {text}", code="file-not-found")
            paths = _match(given)
            if not paths:
                what = "matches no file" if glob.has_magic(given) else "no such file or folder"
                raise InputError(f"{given}: {what}", code="file-not-found")
        for path in paths:
            key = path if path == STANDARD_INPUT or is_remote(path) else os.path.realpath(path)
            if key not in found:
                # Corpora are never held in memory.
                found[key] = source_of(path, encoding, expansion=0)
    if not found:
        raise InputError(
            "no input: pass a file, a folder, a pattern or - for standard input",
            code="missing-option",
        )
    return list(found.values())


def _below(folder: str, suffixes: Sequence[str]) -> list[str]:
    wanted = [
        os.path.join(base, name)
        for base, _, names in os.walk(folder)
        for name in names
        if not name.startswith(".") and Source(name).suffix in suffixes
    ]
    if not wanted:
        raise InputError(
            f"{folder}: no files with the suffixes {', '.join(suffixes)} (compressed or not)",
            code="file-not-found",
        )
    return sorted(wanted)
