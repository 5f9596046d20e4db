"""Records of edits, which identify classes by words and can be replayed after a rebuild."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from roget.core.io.problems import join_names, plural
from roget.core.tree import Tree
from roget.core.types import Ints
from roget.errors import InputError

RENAME, MOVE, MERGE, NEST = "rename", "move", "merge", "nest"
ADD, DELETE, SPLIT, NOTE = "add", "delete", "split", "note"
ACCEPT, REFUSE = "accept", "refuse"

NEEDS: dict[str, tuple[str, ...]] = {
    RENAME: ("node", "text"),
    MOVE: ("node", "words"),
    MERGE: ("node", "into"),
    NEST: ("node", "into"),
    ADD: ("node", "words"),
    DELETE: ("words",),
    SPLIT: ("node", "words"),
    NOTE: ("field",),
    ACCEPT: ("words", "changes"),
    REFUSE: ("words", "changes"),
}
"""Required fields of each kind of edit. A note also needs a class (node) or a word (words)."""

KINDS = tuple(NEEDS)

DEFINITION, REMARK = "definition", "note"
FIELDS = (DEFINITION, REMARK)
"""Fields to which a note on a class or word can be written."""

LONGEST_WORD, LONGEST_NOTE = 200, 10_000
"""Maximum numbers of characters in a word and in a note."""

SAMPLE = 100
"""Maximum number of words in the snapshot of a class."""

MIN_MATCH = 0.5
"""Minimum F-measure of the word sets of two classes for the classes to match."""

SURE_MATCH = 0.8
"""Minimum F-measure for a match not to be reported as doubtful."""

SHOWN, LINE = 3, 80
"""Maximum number of words, and of characters of a string, shown in a message."""

_CONTROL = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufdd0-\\ufdef"
    + "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)
"""Control characters, line breaks and Unicode noncharacters."""


class Note(NamedTuple):
    """A definition and a note on a class or a word."""

    definition: str = ""
    note: str = ""


@dataclass(frozen=True)
class ClassSnapshot:
    """A class at the time of an edit, with the words by which it is matched after a rebuild."""

    node: int
    label: str
    size: int
    words: tuple[str, ...]
    """All words of the class or, for a large class, a sample across all frequencies."""


class MatchedClass(NamedTuple):
    """The class of a thesaurus that is most similar to a snapshot."""

    node: int
    similarity: float
    """F-measure of the two sets of words."""
    common: int
    """Estimated number of common words."""
    size: int
    """Number of words in the matched class."""


@dataclass(frozen=True)
class Edit:
    """An edit made by a user. `str` returns a description of it."""

    kind: str
    """One of `KINDS`."""
    node: ClassSnapshot | None = None
    """The class that is renamed, merged, nested, split or annotated, or to which words are
    added."""
    text: str = ""
    """The new label, or the text of a note."""
    into: ClassSnapshot | None = None
    """The class to merge into or nest under."""
    waiting: bool = False
    """True if the edit cannot be applied to this thesaurus and is kept for the next rebuild."""
    words: tuple[str, ...] = ()
    """The words that are moved, added, deleted, split off or annotated."""
    ids: tuple[int, ...] = ()
    """The ids of new classes."""
    field: str = ""
    """Field of a note: "definition" or "note"."""
    changes: tuple[int, ...] = ()
    """The numbers of the growth changes that are accepted or refused."""

    def __post_init__(self) -> None:
        if self.kind not in NEEDS:
            raise _refuse(f"unknown kind of edit {self.kind!r}; expected {', '.join(KINDS)}")
        needs = NEEDS[self.kind]
        for name in ("node", "into", "words", "field", "changes"):
            if self.kind == NOTE and name in ("node", "words"):
                continue
            has = getattr(self, name) not in (None, "", ())
            if has is not (name in needs):
                verb = "needs" if name in needs else "has no"
                raise _refuse(f"an edit of kind {self.kind} {verb} {name!r}")
        if self.kind == RENAME:
            _check_letters(self.text)  # older labels may contain other characters
        if self.kind == NOTE:
            if (self.node is None) is (len(self.words) != 1) or len(self.words) > 1:
                raise _refuse("a note needs exactly one class or one word")
            if self.field not in FIELDS:
                raise _refuse(f"unknown field {self.field!r} of a note; use {' or '.join(FIELDS)}")
            check_text(self.text, f"the {self.field}", LONGEST_NOTE)

    def __str__(self) -> str:
        label = "" if self.node is None else _quote(self.node.label)
        into = "" if self.into is None else _quote(self.into.label)
        words = list_words(self.words)
        if self.kind == NOTE:
            about = f"{self.field} of {label or words}"
            return f"{about}: {_quote(self.text)}" if self.text else f"{about} removed"
        return {
            RENAME: f"{label} renamed {_quote(self.text)}",
            MOVE: f"{words} moved to {label}",
            MERGE: f"{label} merged into {into}",
            NEST: f"{label} put under {into}",
            ADD: f"{words} added to {label}",
            DELETE: f"{words} deleted",
            SPLIT: f"{words} split off from {label}",
            ACCEPT: f"{describe_changes(self.changes)} accepted: {words}",
            REFUSE: f"{describe_changes(self.changes)} refused: {words}",
        }[self.kind]

    def to_json(self) -> dict[str, Any]:
        """Return the edit as JSON-compatible values."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> Edit:
        """Read an edit written by `to_json`, in the format of this or an older version."""
        try:
            text, waiting = content["text"], content["waiting"]
            if not isinstance(text, str) or not isinstance(waiting, bool):
                raise TypeError("'text' must be a string and 'waiting' a boolean")
            kind, words = content["kind"], content.get("words", ())
            if kind == MOVE and "words" not in content:  # version 1 stored one word as a string
                words, text = (text,), ""
            ids, field = content.get("ids", ()), content.get("field", "")
            changes = content.get("changes", ())
            if not _is_list(words, str) or not _is_list(ids, int) or not isinstance(field, str):
                raise TypeError(
                    "'words' must be a list of strings, 'ids' a list of integers, and 'field' "
                    "a string"
                )
            if not _is_list(changes, int):
                raise TypeError("'changes' must be a list of integers")
            node, into = (
                None if content[name] is None else _read_snapshot(content[name])
                for name in ("node", "into")
            )
            return cls(
                kind,
                node,
                text,
                into,
                waiting,
                words=tuple(words),
                ids=tuple(ids),
                field=field,
                changes=tuple(changes),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"invalid edit: {error!r}", code="damaged-folder") from None


def _refuse(message: str) -> InputError:
    """Return the error for an invalid edit."""
    return InputError(message, code="edit-refused")


def check_label(label: object) -> None:
    """Raise an error if a new label of a class is invalid."""
    _check_letters(label)
    if _CONTROL.search(str(label)):
        raise _refuse(f"invalid label {label!r:.80}: expected one line of printable characters")


def _check_letters(label: object) -> None:
    """Raise an error if a label is empty or not a string."""
    check_text(label, "the label")
    if not str(label).strip():
        raise _refuse("the label is empty")


def check_text(text: object, what: str, longest: int | None = None) -> None:
    """Raise an error if a value is not a string, is too long, or cannot be encoded as UTF-8."""
    if not isinstance(text, str):
        raise _refuse(f"{what} is {text!r}; expected a string")
    if longest is not None and len(text) > longest:
        raise _refuse(f"{what} has {len(text):,} characters; expected at most {longest:,}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _refuse(f"{what} {text!r} cannot be encoded as UTF-8") from None


def check_word(word: str) -> None:
    """Raise an error if a new word is invalid."""
    check_text(word, "the word", LONGEST_WORD)
    if not word.strip() or word != word.strip():
        raise _refuse(f"invalid word {word!r}: it is empty, or has leading or trailing spaces")
    if not word.isprintable():
        raise _refuse(f"invalid word {word!r}: expected printable characters on one line")


def check_words(words: str | Iterable[str]) -> tuple[str, ...]:
    """Return one or more words as a tuple without duplicates; raise an error for other types."""
    listed = (words,) if isinstance(words, str) else tuple(words)
    for word in listed:
        if not isinstance(word, str):
            raise _refuse(f"the word is {word!r}; expected a string")
    if not listed:
        raise _refuse("no words; pass one or more")
    return tuple(dict.fromkeys(str(word) for word in listed))


def check_number(number: object, what: str = "node") -> int:
    """Convert an integer-like value to int; raise an error for any other type."""
    if isinstance(number, int | np.integer) and not isinstance(number, bool):
        return int(number)
    raise _refuse(f"{what} is {number!r}; expected an integer")


def list_words(words: tuple[str, ...]) -> str:
    """Join the first few words for a message."""
    shown = words if len(words) <= SHOWN + 1 else words[:SHOWN]
    listed = [_quote(word) for word in shown]
    if len(words) > len(shown):
        listed.append(f"{len(words) - len(shown):,} more")
    return join_names(listed)


def describe_changes(numbers: tuple[int, ...]) -> str:
    """Describe growth changes for a message."""
    return f"change {numbers[0]}" if len(numbers) == 1 else f"{len(numbers):,} changes"


def _quote(text: str) -> str:
    """Return a string on one line, shortened and in quotes."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= LINE else line[: LINE - 1] + '…'}”"


def match_class(
    seen: ClassSnapshot, rows: Mapping[str, int], places: Ints, sizes: Ints, tree: Tree
) -> MatchedClass:
    """Find the class whose words are most similar to the words of a snapshot.

    Similarity is the F-measure, twice the number of common words divided by the sum of both sizes.
    Words of the snapshot that are not in this thesaurus are ignored. For a large class, counts are
    extrapolated from the sample. The root only matches the root.
    """
    known = [rows[word] for word in seen.words if word in rows]
    if not known:
        raise _refuse(f"no word of “{seen.label}” is in this thesaurus")
    each = seen.size / len(seen.words)
    common = np.zeros(tree.n_nodes)
    for place in places[known].tolist():
        common[list(tree.path(place))] += each
    common = np.minimum(common, sizes)
    similarity = 2 * common / (each * len(known) + sizes)
    best = 0
    if seen.node:
        best = 1 + int(similarity[1:].argmax()) if tree.n_nodes > 1 else 0
        # A class ties with a subclass that has all of its words. Prefer the original node.
        if 0 < seen.node < tree.n_nodes and similarity[seen.node] == similarity[best]:
            best = seen.node
        if not best:
            raise _refuse(f"no class matches “{seen.label}”: the thesaurus has only the root")
        if similarity[best] < MIN_MATCH:
            raise _refuse(
                f"no class matches “{seen.label}”: the most similar one has an F-measure of "
                f"{similarity[best]:.2f}, below {MIN_MATCH}"
            )
    return MatchedClass(best, float(similarity[best]), round(float(common[best])), int(sizes[best]))


def describe_match(seen: ClassSnapshot, label: str, found: MatchedClass) -> str:
    """Describe the match of a snapshot, so users can check it."""
    others = found.size - found.common
    more = f", and {plural(others, 'other', ',')}" if others else ""
    return f"“{seen.label}” is now “{label}” ({found.common:,} of {seen.size:,} words{more})"


def renumber(edit: Edit, tree: Tree, used: set[int]) -> Edit:
    """Return the edit with the number of ids that it needs in a tree.

    Ids that are still free are kept.
    """
    needed = 2 if edit.kind == SPLIT else 0
    if edit.kind == NEST and edit.into is not None and not tree.children(edit.into.node):
        needed = 1
    if len(edit.ids) == needed and not used & set(edit.ids):
        return edit
    first = max(used, default=-1) + 1
    return replace(edit, ids=tuple(range(first, first + needed)))


def add_or_move(edit: Edit, present: Collection[str]) -> list[Edit]:
    """Split an edit that adds words. Words that are already present are moved instead."""
    new = tuple(word for word in edit.words if word not in present)
    old = tuple(word for word in edit.words if word in present)
    parts = (edit.kind, new), (MOVE, old)
    return [replace(edit, kind=kind, words=words) for kind, words in parts if words]


def _is_list(value: object, kind: type) -> bool:
    """Return True for a list or tuple whose elements have the given type and are not booleans."""
    return isinstance(value, list | tuple) and all(
        isinstance(one, kind) and not isinstance(one, bool) for one in value
    )


def _read_snapshot(content: Any) -> ClassSnapshot:
    """Read a snapshot from JSON."""
    node, label, size, words = (content[name] for name in ("node", "label", "size", "words"))
    is_valid = _is_list([node, size], int) and isinstance(label, str) and _is_list(words, str)
    if not is_valid or size < len(words):
        raise TypeError(
            "'node' must be an integer, 'label' a string, 'words' a list of strings, and 'size' at "
            "least the number of words"
        )
    return ClassSnapshot(node, label, size, tuple(words))
