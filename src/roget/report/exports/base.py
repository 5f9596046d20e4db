"""What all exports share: options, where to write, and the classes with their words."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias

import numpy as np

from roget.core.store import new_file
from roget.core.types import PathLike
from roget.errors import InputError
from roget.learn.thesaurus import Thesaurus, WordClass, lookup
from roget.learn.thesaurus.files import is_thesaurus, read_edits
from roget.learn.thesaurus.nodes import LISTED
from roget.report.options import ReportOptions

Target: TypeAlias = PathLike | IO[Any]
"""A file to write, whole or not at all, or an open stream of text or bytes."""

TYPICAL = 10
"""Contexts listed for a class."""

PLAIN = ReportOptions()


class Member(NamedTuple):
    """A word listed in a class that has no parts."""

    word: str
    row: int
    probability: float
    """p(class|word)."""
    placed: bool
    """Whether the word has its place here."""


@dataclass(frozen=True, eq=False)
class ExportEntry:
    """A class as the exports list it; what costs time is found out when it is asked for."""

    thesaurus: Thesaurus
    path: tuple[int, ...]
    """The nodes from the root to this one."""
    node: int
    children: tuple[int, ...]
    label: str
    listed: tuple[Member, ...]

    @property
    def parent(self) -> int | None:
        """The class of which this one is a part."""
        return self.path[-2] if len(self.path) > 1 else None

    @cached_property
    def about(self) -> WordClass:
        """What is to be known of the class."""
        return self.thesaurus.word_class(self.node, max(TYPICAL, len(self.listed)))

    @property
    def written(self) -> list[str]:
        """What people wrote about the class: its definition, and a note."""
        return [text for text in self.thesaurus.notes.get(self.node, ()) if text]

    @property
    def contexts(self) -> list[str]:
        """Its most typical contexts."""
        return [one.context for one in self.about.contexts[:TYPICAL]]

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """Of a leaf: the words that have their place here, most typical first, then others."""
        if len(self.listed) < 2:
            return self.listed
        order = {one.word: rank for rank, one in enumerate(self.about.words)}

        def key(member: Member) -> tuple[bool, int, float, int]:
            rank = order.get(member.word, len(order))
            return not member.placed, rank, -member.probability, member.row

        return tuple(sorted(self.listed, key=key))


def entries(thesaurus: Thesaurus) -> Iterator[ExportEntry]:
    """All classes, each followed by its parts."""
    listed, tree = members(thesaurus), thesaurus.tree
    for node in tree.walk():
        about = tree.path(node), node, tree.children(node), thesaurus.label(node)
        yield ExportEntry(thesaurus, *about, listed.get(node, ()))


def members(thesaurus: Thesaurus) -> dict[int, tuple[Member, ...]]:
    """The words listed in each leaf, in the order of the words."""
    belongs = thesaurus.memberships.tocoo()
    nodes, placed = thesaurus.tree.cluster_nodes[belongs.col], thesaurus.places[belongs.row]
    listed = np.flatnonzero((belongs.data >= LISTED) | (nodes == placed))
    found: dict[int, list[Member]] = {}
    for at in listed[np.lexsort((nodes[listed], belongs.row[listed]))]:
        node, row = int(nodes[at]), int(belongs.row[at])
        member = Member(
            str(thesaurus.words[row]), row, float(belongs.data[at]), bool(node == placed[at])
        )
        found.setdefault(node, []).append(member)
    return {node: tuple(some) for node, some in found.items()}


def quote_lines(thesaurus: Thesaurus, word: str, n: int) -> list[str]:
    """Up to n sentences in which a word was seen, each with its source."""
    found = {
        f"{line.text} ({line.source}{f':{line.line}' if line.line else ''})": None
        for line in (lookup.find_lines(thesaurus, word, n=n) if n else ())
    }
    return list(found)


def number(value: float) -> int | float:
    """A count as it is written: without decimals if it has none."""
    return int(value) if value == int(value) else float(value)


def write_lines(target: Target, lines: Iterable[str]) -> None:
    """Write pieces of text to a stream, or to a file, which appears when all is written."""
    if isinstance(target, str | os.PathLike):
        with new_file(target) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
        return
    is_text = isinstance(target, io.TextIOBase)
    target.writelines(lines if is_text else map(str.encode, lines))


@contextmanager
def new_bytes(target: Target, what: str) -> Iterator[Path]:
    """A path to write bytes to: a file appears when all is written, and so a stream gets them."""
    if isinstance(target, io.TextIOBase):
        raise InputError(f"{what} is bytes: expected a file, or a stream of bytes")
    if isinstance(target, str | os.PathLike):
        with new_file(target) as draft:
            yield draft
        return
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        draft = Path(folder) / "draft"
        yield draft
        target.write(draft.read_bytes())


def exporter(lines: Callable[[Thesaurus, ReportOptions], Iterable[str]]) -> Callable[..., None]:
    """Make an exporter of a function that gives the pieces of a text."""

    @wraps(lines)
    def write(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
        write_lines(target, lines(thesaurus, options))

    return write


def one_line(texts: Iterable[str], format: str) -> None:
    """Refuse texts that a table of lines and tabs cannot hold."""
    for text in texts:
        if not text or "\t" in text or "\n" in text or "\r" in text:
            shown = repr(text if len(text) <= 60 else text[:60] + "…")
            raise InputError(
                f"{shown} is empty or holds a tab or line break, which {format} cannot: "
                "export as json or parquet instead"
            )


def write_folder(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write the folder that `roget.load` reads, whole or not at all; without sentences."""
    if not isinstance(target, str | os.PathLike):
        raise InputError("a thesaurus is a folder: expected its name, not a stream")
    place = Path(target)
    if (
        is_thesaurus(place)
        and Path(os.path.realpath(place)) not in thesaurus.base.homes
        and read_edits(place)
    ):
        raise InputError(f"{place}: holds a thesaurus with edits, which would be lost")
    thesaurus.save(target, evidence=bool(options.evidence))
