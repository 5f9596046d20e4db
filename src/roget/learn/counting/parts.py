"""Counting tasks, and their results, which are stored on disk until they are merged.

The result of a task is called a part. It is a folder of Parquet files, with ids that are valid only
within the folder:

    words.parquet      id BIGINT, word VARCHAR, count
    contexts.parquet   id BIGINT, slot VARCHAR, context VARCHAR, count
    pairs-0.parquet …  word BIGINT, context BIGINT, count; each pair at most once per file
    seen-0.parquet …, sentences-0.parquet …   example occurrences, if requested (see `examples`)
    part.json          `Facts`

The count is the column n BIGINT. A part with fractional counts also has the columns fraction and
rest (see `fixed_point`).
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
    """Several sources, or a part of one source, that are counted together."""

    sources: tuple[Source, ...]
    key: str
    """Digest of the recipe and of the sources' paths, sizes and modification times.

    It is the name of the result.
    """


@dataclass(frozen=True)
class Facts:
    """The manifest of a counted task."""

    tokens: int
    """Number of tokens, or of rows if the input is a table."""
    sentences: int
    fractional: bool = False
    runs: int = 1
    """Number of files with pairs. A pair may occur in several files."""
    read: int = 0
    """Number of bytes read from standard input, or 0."""
    sha256: str | None = None
    """SHA-256 of standard input, which is computed while the input is read."""
    seen: dict[str, dict[str, int]] | None = None
    """Counts of tags and labels in running text, if no pair was found."""
    names: dict[str, int] = field(default_factory=dict)
    """Counts of the text's most frequent names and acronyms, which were not counted as words."""
    note: str = ""
    """A note for the user, or an empty string."""
    witnessed: int = 0
    """Number of files with example occurrences.

    For each, there is also a file with the sentences.
    """
    pieces: list[tuple[str, int, int]] = field(default_factory=list)
    """Origin of the sentences: path, byte offset and number of lines of each part of a source."""


@dataclass(frozen=True)
class CountPart:
    """The counts of one task on disk."""

    folder: Path
    facts: Facts


def make_task(sources: tuple[Source, ...], recipe: CountRecipe) -> CountTask:
    """Return the task that counts the given sources with a recipe."""
    content: list[Any] = [VERSION, __version__, recipe.to_record()]
    for source in sources:
        place = absolute(source.path)
        content.append(
            [place, source.size, source.modified, source.start, source.stop, source.encoding]
        )
        if source.path == STANDARD_INPUT:
            # The next run may have different input, so it must not reuse these counts.
            content.append(os.urandom(16).hex())
    return CountTask(
        sources, sha256(json.dumps(content).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    )


def pairs_name(run: int) -> str:
    """Return the name of a file of pairs, given its number."""
    return f"pairs-{run}.parquet"


def seen_names(run: int) -> tuple[str, str]:
    """Return the names of a file with example occurrences and of the file with their sentences."""
    return f"seen-{run}.parquet", f"sentences-{run}.parquet"


def new_part(parent: Path, key: str) -> AbstractContextManager[Path]:
    """Yield a draft folder that becomes the result of a task if no error occurs."""
    return new_directory(parent / key, lambda part: True, "a part")


def seal(folder: Path, facts: Facts) -> None:
    """Write the manifest, which marks the result of a task as complete."""
    (folder / MANIFEST).write_bytes(seal_text(asdict(facts)))


def load(folder: Path) -> CountPart:
    """Load the counts of a finished task. Raise InputError if the manifest was modified."""
    place = folder / MANIFEST
    data = place.read_bytes()
    record = parse(place, data)
    if not is_sealed(data):
        raise changed(place)
    del record["seal"]
    return CountPart(folder, Facts(**record))
