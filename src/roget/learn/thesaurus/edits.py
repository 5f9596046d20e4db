"""Edit: one thing a person changed, told by words, so that a rebuilt thesaurus understands it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roget.core.tree import Ints, Tree
from roget.errors import InputError

RENAME, MOVE, MERGE = "rename", "move", "merge"
KINDS = (RENAME, MOVE, MERGE)

SAMPLE = 100
"""Words by which a class is remembered."""

LIKE = 0.5
"""How much two classes must have in common (F of their words) to be taken for the same."""


@dataclass(frozen=True)
class Remembered:
    """A class at the time of an edit: its node, its label, and words by which to find it again."""

    node: int
    label: str
    size: int
    words: tuple[str, ...]
    """All its words, or of a large class so many, taken evenly from the frequent to the rare."""


@dataclass(frozen=True)
class Edit:
    """A class renamed, a word moved to a class, or a class merged into another."""

    kind: str
    """"rename", "move" or "merge"."""
    node: Remembered
    """The class that was renamed, moved to, or merged."""
    text: str = ""
    """The new label, or the word that was moved."""
    into: Remembered | None = None
    """What the class was merged into."""
    waiting: bool = False
    """Whether this could not be done in this thesaurus; it is kept for the next one."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"an edit of kind {self.kind!r}: expected {', '.join(KINDS)}")
        if (self.into is None) is (self.kind == MERGE):
            raise InputError(f"an edit of kind {self.kind}: 'into' is there for {MERGE} only")
        if self.kind == RENAME and not self.text.strip():
            raise InputError("a label of no letters: expected a text")

    def __str__(self) -> str:
        label = f"“{self.node.label}”"
        if self.kind == RENAME:
            return f"{label} renamed “{self.text}”"
        if self.into is None:
            return f"“{self.text}” moved to {label}"
        return f"{label} merged into “{self.into.label}”"

    def to_json(self) -> dict[str, Any]:
        """The edit as plain values."""
        return {
            "kind": self.kind,
            "text": self.text,
            "node": _plain(self.node),
            "into": None if self.into is None else _plain(self.into),
            "waiting": self.waiting,
        }

    @classmethod
    def from_json(cls, given: Any) -> Edit:
        """The edit of `to_json`."""
        try:
            into = given["into"]
            text, waiting = given["text"], given["waiting"]
            if not isinstance(text, str) or not isinstance(waiting, bool):
                raise TypeError("'text' is a text and 'waiting' true or false")
            node = _remembered(given["node"])
            other = None if into is None else _remembered(into)
            return cls(given["kind"], node, text, other, waiting)
        except (KeyError, TypeError) as error:
            raise InputError(f"this is not an edit: {error!r}") from None


def remember(node: int, label: str, rows: Ints, words: Any) -> Remembered:
    """A class with a sample of its words, whose rows are given from the frequent to the rare."""
    size = int(rows.size)
    picked = rows if size <= SAMPLE else rows[np.arange(SAMPLE) * size // SAMPLE]
    return Remembered(node, label, size, tuple(str(word) for word in words[picked]))


def found_again(
    seen: Remembered, ids: Mapping[str, int], places: Ints, sizes: Ints, tree: Tree
) -> int:
    """The node whose words are most like those of a class of another thesaurus.

    Likeness is F, twice the words in common over the sizes of both, where of the remembered class
    only what is left in this thesaurus counts; a sample stands for all of its words.
    """
    known = [ids[word] for word in seen.words if word in ids]
    if not known:
        raise InputError(f"no word of “{seen.label}” is in this thesaurus")
    each = seen.size / len(seen.words)
    common = np.zeros(tree.n_nodes)
    for place in places[known].tolist():
        common[list(tree.path(place))] += each
    like = 2 * np.minimum(common, sizes) / (each * len(known) + sizes)
    best = int(like.argmax())
    # A class without words of its own is as like as the one above it: then, the same number.
    if 0 <= seen.node < tree.n_nodes and like[seen.node] == like[best]:
        best = seen.node
    if like[best] < LIKE:
        raise InputError(f"no class is like “{seen.label}”: the nearest (F {like[best]:.2f}) is no "
                         "more than half the same")  # fmt: skip
    return best


def by_frequency(rows: Ints, totals: Any) -> Ints:
    """Rows of words, from the frequent to the rare."""
    return np.asarray(rows[np.argsort(-totals[rows], kind="stable")])


def merges(edits: Iterable[Edit]) -> list[tuple[int, int]]:
    """The classes that were merged, by node."""
    return [(edit.node.node, edit.into.node) for edit in edits if edit.into and not edit.waiting]


def without_last(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits but for the last that was done."""
    for place in range(len(edits) - 1, -1, -1):
        if not edits[place].waiting:
            return (*edits[:place], *edits[place + 1 :])
    raise InputError("there is nothing to undo")


def _plain(seen: Remembered) -> dict[str, Any]:
    return {
        "node": seen.node, "label": seen.label, "size": seen.size, "words": list(seen.words)
    }  # fmt: skip


def _remembered(given: Mapping[str, Any]) -> Remembered:
    made = Remembered(given["node"], given["label"], given["size"], tuple(given["words"]))
    numbers = isinstance(made.node, int) and isinstance(made.size, int)
    if not numbers or not all(isinstance(text, str) for text in (made.label, *made.words)):
        raise TypeError("'node' and 'size' are numbers, 'label' and 'words' texts")
    return made


def waiting(edit: Edit) -> Edit:
    """The edit, to be tried again in the next thesaurus."""
    return replace(edit, waiting=True)
