"""Parts: what was counted in one task, kept on disk until all of them are added up.

A part is a folder of Parquet files. Numbers in it are the part's own:

    words.parquet      id BIGINT, word VARCHAR, and its count
    contexts.parquet   id BIGINT, slot VARCHAR, context VARCHAR, and its count
    pairs-0.parquet …  word BIGINT, context BIGINT, and their count; no pair twice in one file
    part.json          `Facts`

A count is the column n BIGINT; where a part is fractional, also fraction and rest (see `exact`).
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from roget._version import __version__
from roget.core.io.source import STANDARD_INPUT, Source
from roget.learn.counting.recipe import Recipe

VERSION = 1
WORDS, CONTEXTS, MANIFEST = "words.parquet", "contexts.parquet", "part.json"


@dataclass(frozen=True)
class Task:
    """Some sources that are counted together, or a piece of one."""

    sources: tuple[Source, ...]
    key: str
    """Names the part: the same for the same task and recipe, unless a file was changed."""


@dataclass(frozen=True)
class Facts:
    """What a part says of itself."""

    tokens: int
    """Rows, of tables."""
    sentences: int
    fractional: bool = False
    runs: int = 1
    """How many files of pairs there are; a pair may stand in several of them."""
    read: int = 0
    """Bytes of standard input."""
    sha256: str | None = None
    """Of standard input, which can be read only once."""
    seen: dict[str, dict[str, int]] | None = None
    """Of running text without a pair: its tags and labels."""
    note: str = ""
    """What to tell the caller."""


@dataclass(frozen=True)
class Part:
    """A part on disk."""

    folder: Path
    facts: Facts

    def pairs(self, run: int) -> Path:
        """One of its files of pairs."""
        return self.folder / pairs_name(run)


def task(sources: tuple[Source, ...], recipe: Recipe) -> Task:
    """The task of counting some sources by a recipe."""
    said: list[Any] = [VERSION, __version__, asdict(recipe)]
    for source in sources:
        place = os.path.abspath(source.path)
        said.append(
            [place, source.size, source.modified, source.start, source.stop, source.encoding]
        )
        if source.path == STANDARD_INPUT:
            # What comes next time may be something else, so nothing may be used again.
            said.append(os.urandom(16).hex())
    return Task(sources, sha256(json.dumps(said).encode("utf-8", "surrogatepass")).hexdigest()[:32])


def pairs_name(run: int) -> str:
    """The name of one of a part's files of pairs."""
    return f"pairs-{run}.parquet"


@contextmanager
def new_part(parent: Path, key: str) -> Iterator[Path]:
    """A draft folder to fill with a part; it takes the part's name if the block ends well."""
    draft = Path(tempfile.mkdtemp(dir=parent, prefix=f".{key}."))
    try:
        yield draft
        if not (parent / key).exists():
            os.rename(draft, parent / key)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def seal(folder: Path, facts: Facts) -> None:
    """Write what a part says of itself; its last file."""
    (folder / MANIFEST).write_text(json.dumps(asdict(facts)))


def load(folder: Path) -> Part:
    """A finished part."""
    return Part(folder, Facts(**json.loads((folder / MANIFEST).read_text())))


def pack(folder: Path) -> dict[str, bytes]:
    """A part's files, to be sent to where there is no shared disk."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def unpack(files: dict[str, bytes], parent: Path, key: str) -> None:
    """Put a part that was sent in its place."""
    with new_part(parent, key) as draft:
        for name, data in files.items():
            (draft / name).write_bytes(data)
