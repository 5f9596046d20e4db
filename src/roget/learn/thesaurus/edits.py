"""Edit: one thing a person changed, told by words, so that a rebuilt thesaurus understands it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from roget.core.tree import Tree
from roget.core.types import Ints
from roget.errors import InputError

RENAME, MOVE, MERGE = "rename", "move", "merge"
KINDS = (RENAME, MOVE, MERGE)

SAMPLE = 100
"""Words by which a class is remembered."""

LIKE = 0.5
"""How much two classes must have in common (F of their words) to be taken for the same."""

SURE = 0.8
"""How much they must have in common for nothing to be said of it."""


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
        if self.kind == RENAME:
            check_label(self.text)

    def __str__(self) -> str:
        label = f"“{self.node.label}”"
        if self.kind == RENAME:
            return f"{label} renamed “{self.text}”"
        if self.into is None:
            return f"“{self.text}” moved to {label}"
        return f"{label} merged into “{self.into.label}”"

    def to_json(self) -> dict[str, Any]:
        """The edit as plain values."""
        return asdict(self)

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


class Found(NamedTuple):
    """The class of another thesaurus that is most like one that is remembered."""

    node: int
    like: float
    """F of their words."""
    common: int
    """About how many words both have."""
    size: int
    """Words of the class that was found."""


def check_label(label: object) -> None:
    """Say what is wrong with the name of a class, if anything."""
    if not isinstance(label, str):
        raise InputError(f"the label {label!r}: expected a text")
    if not label.strip():
        raise InputError("a label of no letters: expected a text")
    try:
        label.encode()
    except UnicodeEncodeError:
        raise InputError(f"the label {label!r} cannot be written as UTF-8") from None


def node_number(node: object) -> int:
    """The number of a node, as an int of Python's own."""
    if isinstance(node, int | np.integer) and not isinstance(node, bool):
        return int(node)
    raise InputError(f"node {node!r}: expected a whole number")


def remember(node: int, label: str, rows: Ints, words: Any) -> Remembered:
    """A class with a sample of its words, whose rows are given from the frequent to the rare."""
    size = int(rows.size)
    picked = rows if size <= SAMPLE else rows[np.arange(SAMPLE) * size // SAMPLE]
    return Remembered(node, label, size, tuple(str(word) for word in words[picked]))


def found_again(
    seen: Remembered, ids: Mapping[str, int], places: Ints, sizes: Ints, tree: Tree
) -> Found:
    """The class whose words are most like those of one of another thesaurus.

    Likeness is F, twice the words in common over the sizes of both, where of the remembered class
    only what is left in this thesaurus counts; a sample stands for all of its words. The root is
    the root again, and no other class is.
    """
    known = [ids[word] for word in seen.words if word in ids]
    if not known:
        raise InputError(f"no word of “{seen.label}” is in this thesaurus")
    each = seen.size / len(seen.words)
    common = np.zeros(tree.n_nodes)
    for place in places[known].tolist():
        common[list(tree.path(place))] += each
    common = np.minimum(common, sizes)
    like = 2 * common / (each * len(known) + sizes)
    best = 0
    if seen.node:
        best = 1 + int(like[1:].argmax()) if tree.n_nodes > 1 else 0
        # A class without words of its own is as like as the one above it: then, the same number.
        if 0 < seen.node < tree.n_nodes and like[seen.node] == like[best]:
            best = seen.node
        if not best:
            raise InputError(f"no class is like “{seen.label}”: there is but one, of all words")
        if like[best] < LIKE:
            raise InputError(f"no class is like “{seen.label}”: the nearest (F {like[best]:.2f}) "
                             "is no more than half the same")  # fmt: skip
    return Found(best, float(like[best]), round(float(common[best])), int(sizes[best]))


def told(seen: Remembered, label: str, found: Found) -> str:
    """What a class has become, for a person to check."""
    others = found.size - found.common
    beside = f", and {others:,} other{'s' * (others != 1)}" if others else ""
    return f"“{seen.label}” is now “{label}” ({found.common:,} of {seen.size:,} words{beside})"


def done(edits: Iterable[Edit], kinds: tuple[str, ...]) -> list[tuple[int, int | None, str]]:
    """What edits of some kinds did, in their order: nodes, and the word if one was moved."""
    return [
        (edit.node.node, None if edit.into is None else edit.into.node, edit.text)
        for edit in edits
        if edit.kind in kinds and not edit.waiting
    ]


def without_last(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits but for the last that was done."""
    for place in range(len(edits) - 1, -1, -1):
        if not edits[place].waiting:
            return (*edits[:place], *edits[place + 1 :])
    raise InputError("there is nothing to undo")


def _remembered(given: Any) -> Remembered:
    node, label, size, words = (given[name] for name in ("node", "label", "size", "words"))
    numbers = all(isinstance(one, int) and not isinstance(one, bool) for one in (node, size))
    listed = isinstance(words, list | tuple)
    texts = listed and all(isinstance(text, str) for text in (label, *words))
    if not numbers or not texts or size < len(words):
        raise TypeError(
            "'node' is a number, 'label' a text, 'words' a list of texts and 'size' how many "
            "there are, or more"
        )
    return Remembered(node, label, size, tuple(words))
