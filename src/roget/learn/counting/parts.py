"""Recipes, tasks and parts: what was counted in one task, kept until all are added up.

A part is a folder of Parquet files. Numbers in it are the part's own:

    words.parquet      id BIGINT, word VARCHAR, and its count
    contexts.parquet   id BIGINT, slot VARCHAR, context VARCHAR, and its count
    pairs-0.parquet …  word BIGINT, context BIGINT, and their count; no pair twice in one file
    seen-0.parquet …, sentences-0.parquet …   where pairs were seen, if that is kept: see `witness`
    part.json          `Facts`

A count is the column n BIGINT; where a part is fractional, also fraction and rest (see `exact`).
"""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from math import lcm
from pathlib import Path
from typing import Any

from roget._version import __version__
from roget.core.folder import changed, is_sealed, parse, seal_text
from roget.core.io.source import STANDARD_INPUT, Source, absolute
from roget.core.store import new_directory
from roget.learn.corpus.base import ReadContext

VERSION = 2
WORDS, CONTEXTS, MANIFEST = "words.parquet", "contexts.parquet", "part.json"

UNITS = {"table": "row", "matrix": "cell"}
"""What is read in the place of tokens, by reader."""


@dataclass(frozen=True)
class CountRecipe:
    """How pairs are drawn from the inputs. Two counts with equal recipes can be merged."""

    reader: str
    """A name of the catalogue's readers."""
    reading: ReadContext = field(default_factory=ReadContext)
    relations: tuple[str, ...] = ()
    """Names or patterns of dependency relations; empty where a window is used, or a table."""
    window: int | None = None
    """Contexts are the words up to so many places away in the sentence."""
    sides: str = "both"
    """Of a window: both, left, right, apart (named left: and right:) or each (by place)."""
    decay: bool = False
    """Of a window: a neighbour d places away counts 1/d."""
    function_words: tuple[str, ...] | None = None
    """Of a window: what takes no place and is counted nowhere; None if all words are counted."""
    terms: tuple[str, ...] = ()
    """Two words each that in a row are one."""
    left_out: tuple[str, ...] = ()
    """Of relations: what is tagged as a noun and is none."""
    repairs: tuple[tuple[str, str, str], ...] = ()
    """Of relations: forms and lemmas of nouns, with the words that are counted instead."""
    separable: bool = False
    """Of relations: particles are joined to their verbs, anfangen for "fängt … an"."""
    tags: bool = False
    """Words and contexts carry their part of speech: drink/VERB."""
    columns: tuple[str, ...] = ()
    """Of a table: the columns of the word, the context and perhaps the count, or ROLE=COLUMN."""
    transpose: bool | None = False
    """Words and contexts change places; None, of a table, if header or name shall tell."""
    limit: int | None = None
    """Stop after the sentence in which so many tokens have been read (rows, for tables)."""
    evidence: int = 0
    """Of how many of its occurrences each pair keeps the sentence."""
    evidence_size: float = 2.0
    """How many times the room of the counts sentences may take; 0 for any."""

    @property
    def per_one(self) -> int:
        """How many times its count a part holds, so that it is a whole number."""
        return lcm(*range(1, self.window + 1)) if self.decay and self.window else 1


@dataclass(frozen=True)
class CountCuts:
    """What is left out of the result, as the options of these names ask.

    Totals are those before any cut, so order is no matter.
    """

    min_count: int = 1
    min_context: int = 1
    min_pair: int = 1
    stop: frozenset[str] = frozenset()
    vocabulary: frozenset[str] | None = None
    contexts: frozenset[str] | None = None
    """The only context words wanted (without their slot)."""
    alphabetic: bool = False
    """Only words and contexts made of letters, hyphens and apostrophes inside allowed."""


@dataclass(frozen=True)
class CountTask:
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
    witnessed: int = 0
    """How many files there are of where pairs were seen, and as many of sentences."""
    pieces: list[tuple[str, int, int]] = field(default_factory=list)
    """Of sources whose sentences are kept: the name, where the piece begins, and its lines."""


@dataclass(frozen=True)
class CountPart:
    """A part on disk."""

    folder: Path
    facts: Facts


def task(sources: tuple[Source, ...], recipe: CountRecipe) -> CountTask:
    """The task of counting some sources by a recipe."""
    said: list[Any] = [VERSION, __version__, asdict(recipe)]
    for source in sources:
        place = absolute(source.path)
        said.append(
            [place, source.size, source.modified, source.start, source.stop, source.encoding]
        )
        if source.path == STANDARD_INPUT:
            # What comes next time may be something else, so nothing may be used again.
            said.append(os.urandom(16).hex())
    return CountTask(
        sources, sha256(json.dumps(said).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    )


def pairs_name(run: int) -> str:
    """The name of one of a part's files of pairs."""
    return f"pairs-{run}.parquet"


def seen_names(run: int) -> tuple[str, str]:
    """The names of one of a part's files of where pairs were seen, and of their sentences."""
    return f"seen-{run}.parquet", f"sentences-{run}.parquet"


def new_part(parent: Path, key: str) -> AbstractContextManager[Path]:
    """A draft folder to fill with a part; it takes the part's name if the block ends well."""
    return new_directory(parent / key, lambda part: True, "a part")


def seal(folder: Path, facts: Facts) -> None:
    """Write what a part says of itself; its last file."""
    (folder / MANIFEST).write_bytes(seal_text(asdict(facts)))


def load(folder: Path) -> CountPart:
    """A finished part."""
    place = folder / MANIFEST
    data = place.read_bytes()
    record = parse(place, data)
    if not is_sealed(data):
        raise changed(place)
    del record["seal"]
    return CountPart(folder, Facts(**record))
