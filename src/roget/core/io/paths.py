"""Inputs as people name them: files, folders, patterns, addresses, "-"."""

from __future__ import annotations

import codecs
import glob
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from roget.core.io.remote import match
from roget.core.io.source import (
    STANDARD_INPUT,
    Source,
    is_pipe,
    is_remote,
    name_part,
    source_of,
    special,
)
from roget.core.types import PathLike
from roget.errors import InputError

LONGEST = 4096
"""Characters of a pattern; to look through "[[[[…" takes time that grows with their square."""


def spell(name: str) -> str:
    """The name of a file in letters, where Python could not decode it but it is UTF-8.

    Under LANG=C, Python takes whatever is not ASCII for bytes that it cannot decode.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        with suppress(UnicodeError):
            return os.fsencode(name).decode()
    return name


def name_here(given: str) -> list[str]:
    """What is read on this machine if an input is so named: also by a pattern, or as file://….

    >>> name_here("file:///tmp/a.tsv"), name_here("s3://bucket/a.tsv")
    (['/tmp/a.tsv'], [])
    """
    scheme, mark, path = given.rpartition("://")
    if mark and scheme.rpartition("::")[2].lower() not in ("file", "local"):
        return []
    return [path] if os.path.exists(path) else _match(path) or [path]


def name_sources(given: Any, noun: str, *first: Any) -> dict[str, Any]:
    """Inputs by name: as a mapping or NAME=FILE has it, or that of the file; others are numbered.

    Those that come `first` have no names in the mapping.

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
            raise InputError(f"two {noun} are named {name!r}: name one yourself, NAME={source}")
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
    """The files that inputs name, in order, each once.

    A folder stands for the files below it whose names end in one of the suffixes (".gz" and the
    like left aside); a pattern for what it matches; "-" for standard input; an address such as
    s3://… for what lies there, and with * in it for all that it matches.
    """
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise InputError(f"encoding {encoding!r} is not known to Python") from None
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
            # It would be read twice, and have something only once.
            what = special(os.stat(given).st_mode)
            cure = "; give what comes through it as -, by < or |" if is_pipe(given) else ""
            raise InputError(f"{given}: is {what}; expected a file{cure}")
        else:
            if glob.has_magic(given) and len(given) > LONGEST:
                said = f"a pattern of {len(given):,} characters; expected at most {LONGEST:,}"
                raise InputError(f"{given[:80]}…: {said}")
            paths = _match(given)
            if not paths:
                what = "matches no file" if glob.has_magic(given) else "no such file or folder"
                raise InputError(f"{given}: {what}")
        for path in paths:
            key = path if path == STANDARD_INPUT or is_remote(path) else os.path.realpath(path)
            if key not in found:
                # Corpora are never held.
                found[key] = source_of(path, encoding, times=0)
    if not found:
        raise InputError("no input: name a file, a folder, a pattern or - for standard input")
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
            f"{folder}: no file here ends in {', '.join(suffixes)} (compressed or not)"
        )
    return sorted(wanted)
