"""Shared parts of all exporters: default options, targets, and the classes with their words."""

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
from roget.learn.thesaurus.quality import ClassTrust, mean_trust
from roget.learn.thesaurus.thesaurus import LISTED
from roget.report.contexts import ContextPhrases
from roget.report.format import plural
from roget.report.options import ReportOptions

Target: TypeAlias = PathLike | IO[Any]
"""An output: a path, which is written atomically, or an open text or binary stream."""

TYPICAL = 10
"""Number of contexts listed for a class."""

PLAIN = ReportOptions()


class Member(NamedTuple):
    """A word listed in a leaf class."""

    word: str
    row: int
    probability: float
    """p(class|word)."""
    placed: bool
    """True if the class is the main class of the word."""


@dataclass(frozen=True, eq=False)
class ExportEntry:
    """A class in an export. Expensive properties are computed on first use."""

    thesaurus: Thesaurus
    path: tuple[int, ...]
    """Nodes on the path from the root to this class."""
    node: int
    children: tuple[int, ...]
    label: str
    listed: tuple[Member, ...]
    phrase: ContextPhrases

    @property
    def id(self) -> int:
        """The id of the class, which `roget edit` accepts."""
        return int(self.thesaurus.ids[self.node])

    @property
    def parent(self) -> int | None:
        """The parent class, or None for the root."""
        return self.path[-2] if len(self.path) > 1 else None

    @cached_property
    def about(self) -> WordClass:
        """The size, words and contexts of the class."""
        return self.thesaurus.word_class(self.node, max(TYPICAL, len(self.listed)))

    @property
    def written(self) -> list[str]:
        """The definition and the note that users have written for the class."""
        return [text for text in self.thesaurus.notes.get(self.node, ()) if text]

    @property
    def contexts(self) -> list[str]:
        """The most typical contexts, as readable phrases."""
        names = (one.context for one in self.about.contexts[:TYPICAL])
        return self.phrase.distinct(names)

    @property
    def trust(self) -> ClassTrust | None:
        """The trust in a leaf class, or None for other classes."""
        return None if self.children else self.thesaurus.trust(self.node)

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """The words of a leaf class, most typical first.

        Words whose main class is another one come last.
        """
        if len(self.listed) < 2:
            return self.listed
        order = {one.word: rank for rank, one in enumerate(self.about.words)}

        def key(member: Member) -> tuple[bool, int, float, int]:
            rank = order.get(member.word, len(order))
            return not member.placed, rank, -member.probability, member.row

        return tuple(sorted(self.listed, key=key))


def entries(
    thesaurus: Thesaurus, left_out: Iterable[int] = (), *, by_trust: bool = False
) -> Iterator[ExportEntry]:
    """Yield all classes, each followed by its subclasses. Subclasses can be sorted by trust.

    `left_out` contains the ids of the leaf classes to leave out. An inner class is also left out if
    it has no other leaves.
    """
    listed, tree = members(thesaurus), thesaurus.tree
    phrase = ContextPhrases(thesaurus.counts)
    hidden = set(left_out)
    leaves = [node for node in tree.cluster_nodes.tolist() if thesaurus.ids[node] not in hidden]
    shown = {above for leaf in leaves for above in tree.path(leaf)}
    trust = mean_trust(thesaurus) if by_trust else [None] * tree.n_nodes
    waiting = [0] if 0 in shown else []
    while waiting:
        node = waiting.pop()
        children = tuple(
            sorted(
                (child for child in tree.children(node) if child in shown),
                key=lambda child: -(trust[child] or 0.0),
            )
        )
        waiting += reversed(children)
        about = tree.path(node), node, children, thesaurus.label(node)
        yield ExportEntry(thesaurus, *about, listed.get(node, ()), phrase)


def is_mere_root(root: ExportEntry) -> bool:
    """Return True if a class is a root that only joins the top classes.

    It has no name, words or notes.
    """
    named = 0 in root.thesaurus.labels or any(root.written)
    return root.node == 0 and bool(root.children) and not root.members and not named


def list_other_uses(
    thesaurus: Thesaurus, left_out: Iterable[int] = ()
) -> dict[int, tuple[int, ...]]:
    """Return the classes of the further senses of words, by row, most frequent first.

    Words with one sense, and the leaf classes whose ids are in `left_out`, are not included.
    """
    table, hidden = thesaurus.sense_memberships, {thesaurus.node(id) for id in left_out}
    found: dict[int, tuple[int, ...]] = {}
    for row in np.flatnonzero(np.diff(table.indptr) > 1).tolist():
        here = slice(*table.indptr[row : row + 2])
        order = np.argsort(-table.data[here], kind="stable")
        nodes = thesaurus.tree.cluster_nodes[table.indices[here][order]].tolist()
        place = int(thesaurus.places[row])
        if some := tuple(node for node in nodes if node != place and node not in hidden):
            found[row] = some
    return found


def describe_left_out(thesaurus: Thesaurus, left_out: Iterable[int]) -> str:
    """Return a sentence on the classes that are left out, or "" if no class is left out."""
    nodes = [thesaurus.node(id) for id in left_out]
    if not nodes:
        return ""
    words = plural(sum(int(thesaurus.inside(node).size) for node in nodes), "word")
    return f"{plural(len(nodes), 'class')} with low trust left out ({words})"


def count_written(thesaurus: Thesaurus, left_out: Iterable[int]) -> tuple[int, int]:
    """Return the number of words and of leaf classes that remain if some classes are left out."""
    hidden = {thesaurus.node(id) for id in left_out}
    shown = {node: some for node, some in members(thesaurus).items() if node not in hidden}
    return len({member.word for some in shown.values() for member in some}), len(shown)


def members(thesaurus: Thesaurus) -> dict[int, tuple[Member, ...]]:
    """Return the words listed in each leaf class, keyed by node, in thesaurus order."""
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
    """Return up to n example sentences for a word, each with its source."""
    found = {
        f"{line.text} ({line.source}{f':{line.line}' if line.line else ''})": None
        for line in (lookup.find_lines(thesaurus, word, n=n) if n else ())
    }
    return list(found)


def number(value: float) -> int | float:
    """Convert a count to an integer if it is a whole number."""
    return int(value) if value == int(value) else float(value)


def write_lines(target: Target, lines: Iterable[str]) -> None:
    """Write text to a stream, or atomically to a file."""
    if isinstance(target, str | os.PathLike):
        with new_file(target) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
        return
    is_text = isinstance(target, io.TextIOBase)
    target.writelines(lines if is_text else map(str.encode, lines))


@contextmanager
def new_bytes(target: Target, what: str) -> Iterator[Path]:
    """Provide a temporary path. Its content is moved to the target if no error is raised."""
    if isinstance(target, io.TextIOBase):
        raise InputError(
            f"{what} is a binary format: pass a file name or a binary stream",
            code="not-writable",
        )
    if isinstance(target, str | os.PathLike):
        with new_file(target) as draft:
            yield draft
        return
    with tempfile.TemporaryDirectory(prefix="roget.") as folder:
        draft = Path(folder) / "draft"
        yield draft
        target.write(draft.read_bytes())


def exporter(lines: Callable[[Thesaurus, ReportOptions], Iterable[str]]) -> Callable[..., None]:
    """Convert a function that yields lines of text to a function that writes them to a target."""

    @wraps(lines)
    def write(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
        write_lines(target, lines(thesaurus, options))

    return write


def check_one_line(texts: Iterable[str], format: str) -> None:
    """Raise an error if a string cannot be a field of a tab-separated file."""
    for text in texts:
        if not text or "\t" in text or "\n" in text or "\r" in text:
            shown = repr(text if len(text) <= 60 else text[:60] + "…")
            raise InputError(
                f"{shown} is empty or contains a tab or line break, which {format} cannot "
                "represent; export as json or parquet instead",
                code="unsupported-format",
            )


def write_folder(thesaurus: Thesaurus, target: Target, options: ReportOptions = PLAIN) -> None:
    """Write a thesaurus folder atomically, including example sentences if `evidence` is set."""
    if not isinstance(target, str | os.PathLike):
        raise InputError(
            "a thesaurus is written as a folder; pass its path, not a stream", code="not-writable"
        )
    place = Path(target)
    if (
        is_thesaurus(place)
        and Path(os.path.realpath(place)) not in thesaurus.base.homes
        and read_edits(place)
    ):
        raise InputError(
            f"{place} contains another thesaurus whose edits would be lost; choose another path",
            code="not-writable",
        )
    thesaurus.save(target, evidence=bool(options.evidence))
