"""Tasks and parts: a part holds the counts of one task until all parts are merged.

A part is a folder of Parquet files. Ids are local to the part:

    words.parquet      id BIGINT, word VARCHAR, and its count
    contexts.parquet   id BIGINT, slot VARCHAR, context VARCHAR, and its count
    pairs-0.parquet …  word BIGINT, context BIGINT, and their count; no pair twice in one file
    seen-0.parquet …, sentences-0.parquet …   example occurrences, if they are kept: see `examples`
    part.json          `Facts`

A count is the column n BIGINT; in a fractional part also fraction and rest (see `fixed_point`).
"""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from roget._version import __version__
from roget.core.folder import changed, is_sealed, parse, seal_text
from roget.core.io.source import STANDARD_INPUT, Source, absolute
from roget.core.store import new_directory
from roget.learn.counting.recipe import CountRecipe

VERSION = 2
WORDS, CONTEXTS, MANIFEST = "words.parquet", "contexts.parquet", "part.json"


@dataclass(frozen=True)
class CountTask:
    """Some sources that are counted together, or a piece of one."""

    sources: tuple[Source, ...]
    key: str
    """Name of the part: the same for the same task and recipe, unless a file has changed."""


@dataclass(frozen=True)
class Facts:
    """The manifest of a part."""

    tokens: int
    """Number of tokens, or of rows of a table."""
    sentences: int
    fractional: bool = False
    runs: int = 1
    """Number of files of pairs; a pair may occur in several of them."""
    read: int = 0
    """Number of bytes of standard input."""
    sha256: str | None = None
    """Digest of standard input, which can be read only once."""
    seen: dict[str, dict[str, int]] | None = None
    """Tags and labels of running text without any pair, with their counts."""
    note: str = ""
    """A note for the caller."""
    witnessed: int = 0
    """Number of files of example occurrences, and of their sentences."""
    pieces: list[tuple[str, int, int]] = field(default_factory=list)
    """Sources of the sentences: name, start of the piece, and its number of lines."""


@dataclass(frozen=True)
class CountPart:
    """A part on disk."""

    folder: Path
    facts: Facts


def make_task(sources: tuple[Source, ...], recipe: CountRecipe) -> CountTask:
    """Return the task of counting some sources by a recipe."""
    content: list[Any] = [VERSION, __version__, recipe.to_record()]
    for source in sources:
        place = absolute(source.path)
        content.append(
            [place, source.size, source.modified, source.start, source.stop, source.encoding]
        )
        if source.path == STANDARD_INPUT:
            # The next run may get another input, so its part must not be reused.
            content.append(os.urandom(16).hex())
    return CountTask(
        sources, sha256(json.dumps(content).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    )


def pairs_name(run: int) -> str:
    """Return the name of a file of pairs."""
    return f"pairs-{run}.parquet"


def seen_names(run: int) -> tuple[str, str]:
    """Return the names of a file of example occurrences, and of the file of their sentences."""
    return f"seen-{run}.parquet", f"sentences-{run}.parquet"


def new_part(parent: Path, key: str) -> AbstractContextManager[Path]:
    """Return a draft folder for a part, which gets its final name if the block ends well."""
    return new_directory(parent / key, lambda part: True, "a part")


def seal(folder: Path, facts: Facts) -> None:
    """Write the manifest, the last file of a part."""
    (folder / MANIFEST).write_bytes(seal_text(asdict(facts)))


def load(folder: Path) -> CountPart:
    """Return a finished part; refuse one whose manifest was changed."""
    place = folder / MANIFEST
    data = place.read_bytes()
    record = parse(place, data)
    if not is_sealed(data):
        raise changed(place)
    del record["seal"]
    return CountPart(folder, Facts(**record))
