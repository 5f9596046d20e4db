"""Edits: their records, which can be replayed after a rebuild, and requests for edits.

A record identifies classes by their words. A request comes from a web page, a table or a file, and
identifies a class by its id, its name or a word in it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roget.core.io.problems import join_names, plural
from roget.core.io.source import source_of
from roget.core.io.table import Roles, open_table
from roget.core.io.values import whole_number
from roget.core.progress import Progress, Report
from roget.core.tree import Tree
from roget.core.types import Ints, PathLike
from roget.errors import InputError, RogetError

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

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
"""Required fields of each kind of edit. A note also requires a class (node) or a word (words)."""

KINDS = tuple(NEEDS)

ACTIONS = (RENAME, MOVE, MERGE, NEST, ADD, DELETE, SPLIT, NOTE)
"""Edits that tables and web pages can request. Changes made by growth are accepted or refused by
number instead."""

DEFINITION, REMARK = "definition", "note"
FIELDS = (DEFINITION, REMARK)
"""Fields to which a note on a class or word can be written."""

LONGEST_WORD, LONGEST_LABEL, LONGEST_NOTE = 200, 200, 10_000
"""Maximum number of characters in a word, in a requested label and in a note."""

MAX_PROBLEMS = 10
"""Maximum number of problems listed in an error message."""

SAMPLE = 100
"""Maximum number of words in the snapshot of a class."""

SHOWN, LINE = 3, 80
"""Maximum number of words, and maximum length of a string, in a message."""

MIN_MATCH = 0.5
"""Minimum F-measure of the word sets of two classes for the classes to match."""

_CONTROL = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufdd0-\\ufdef"
    + "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)
"""Control characters, line breaks and Unicode noncharacters."""


class Note(NamedTuple):
    """The definition of a class or word, and a note on it."""

    definition: str = ""
    note: str = ""


@dataclass(frozen=True)
class ClassSnapshot:
    """A class at the time of an edit, with the words by which it is matched after a rebuild."""

    node: int
    label: str
    size: int
    words: tuple[str, ...]
    """All words of the class. If the class is large, a sample of words of all frequencies."""


@dataclass(frozen=True)
class Edit:
    """An edit made by a user. `str` returns a description of it."""

    kind: str
    """Kind of edit, one of `KINDS`."""
    node: ClassSnapshot | None = None
    """The class that is renamed, merged, nested, split or annotated, or to which words are
    added."""
    text: str = ""
    """The new label, or the text of a note."""
    into: ClassSnapshot | None = None
    """The class into which the class is merged, or under which it is nested."""
    waiting: bool = False
    """True if the edit cannot be applied to this thesaurus and is kept for the next rebuild."""
    words: tuple[str, ...] = ()
    """The words that are moved, added, deleted, split off or annotated."""
    ids: tuple[int, ...] = ()
    """The ids of the classes that the edit creates."""
    field: str = ""
    """Field of a note: "definition" or "note"."""
    changes: tuple[int, ...] = ()
    """The numbers of the growth changes that are accepted or refused."""

    def __post_init__(self) -> None:
        if self.kind not in NEEDS:
            raise refuse(f"unknown kind of edit {self.kind!r}; expected {', '.join(KINDS)}")
        needs = NEEDS[self.kind]
        for name in ("node", "into", "words", "field", "changes"):
            if self.kind == NOTE and name in ("node", "words"):
                continue
            has = getattr(self, name) not in (None, "", ())
            if has is not (name in needs):
                verb = "needs" if name in needs else "has no"
                raise refuse(f"an edit of kind {self.kind} {verb} {name!r}")
        if self.kind == RENAME:
            _check_letters(self.text)  # Labels from earlier versions may contain other characters.
        if self.kind == NOTE:
            if (self.node is None) is (len(self.words) != 1) or len(self.words) > 1:
                raise refuse("a note needs exactly one class or one word")
            if self.field not in FIELDS:
                raise refuse(f"unknown field {self.field!r} of a note; use {' or '.join(FIELDS)}")
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
            if (
                kind == MOVE and "words" not in content
            ):  # Version 1 stored a single word as a string.
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


NEW, MOVED, CLASS = "new", "moved", "class"
CHANGE_KINDS = {
    SPLIT: "a class split in two",
    CLASS: "new words that form a new class",
    MOVED: "a word moved to another class by the new text",
    NEW: "a new word",
}
"""Kinds of changes made by growth, in display order."""

OPEN, ACCEPTED, REFUSED = "open", "accepted", "refused"
STATES = (OPEN, ACCEPTED, REFUSED)


@dataclass(frozen=True)
class GrowthChange:
    """A change made by growth, which users can accept or refuse. Classes are identified by id."""

    number: int
    kind: str
    """Kind of change, one of `CHANGE_KINDS`."""
    words: tuple[str, ...]
    """The new or moved word, the words in the smaller part of a split, or all words of a class."""
    source: int | None
    """The previous class of a word, or the class most similar to a new class.

    None for a new word.
    """
    target: int
    """The new class."""
    score: float
    """Strength of the change. For a word, the log odds against the previous or second-best class,
    in nats. For a split, the mean cosine within the parts minus the mean cosine between them. For a
    new class, the mean cosine between its words."""
    reasons: tuple[str, ...]
    """Contexts that support the change, strongest first."""
    tokens: float
    """Total number of new tokens of the words."""
    state: str = OPEN
    rest: int | None = None
    """For a split, the id of the class that keeps the larger part."""

    def __post_init__(self) -> None:
        for name, value, known in (
            ("kind", self.kind, CHANGE_KINDS),
            ("state", self.state, STATES),
        ):
            if value not in known:
                raise InputError(
                    f"invalid change: the {name} is {value!r}; expected one of {', '.join(known)}",
                    code="damaged-folder",
                )

    def to_json(self) -> dict[str, Any]:
        """Return the change as JSON-compatible values."""
        return asdict(self)

    @classmethod
    def from_json(cls, content: Any) -> GrowthChange:
        """Read a change written by `to_json`."""
        try:
            plain = dict(content)
            for name in ("words", "reasons"):
                if not all(isinstance(text, str) for text in plain[name]):
                    raise TypeError(f"{name!r} must be a list of strings")
                plain[name] = tuple(plain[name])
            for name in ("number", "target", "source", "rest"):
                value = plain[name]
                if isinstance(value, bool) or not isinstance(value, int | None):
                    raise TypeError(f"{name!r} must be an integer")
            return cls(**plain)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"invalid change: {error!r}", code="damaged-folder") from None


def refuse(message: str) -> InputError:
    """Return the error for an invalid edit."""
    return InputError(message, code="edit-refused")


def check_label(label: object) -> None:
    """Raise an error if a new label of a class is invalid."""
    _check_letters(label)
    if _CONTROL.search(str(label)):
        raise refuse(f"invalid label {label!r:.80}: expected one line of printable characters")


def _check_letters(label: object) -> None:
    """Raise an error if a label is empty or not a string."""
    check_text(label, "the label")
    if not str(label).strip():
        raise refuse("the label is empty")


def check_text(text: object, what: str, longest: int | None = None) -> None:
    """Raise an error if a value is not a string, is too long, or cannot be encoded as UTF-8."""
    if not isinstance(text, str):
        raise refuse(f"{what} is {text!r}; expected a string")
    if longest is not None and len(text) > longest:
        raise refuse(f"{what} has {len(text):,} characters; expected at most {longest:,}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refuse(f"{what} {text!r} cannot be encoded as UTF-8") from None


def check_word(word: str) -> None:
    """Raise an error if a new word is invalid."""
    check_text(word, "the word", LONGEST_WORD)
    if not word.strip() or word != word.strip():
        raise refuse(f"invalid word {word!r}: it is empty, or has leading or trailing spaces")
    if not word.isprintable():
        raise refuse(f"invalid word {word!r}: expected printable characters on one line")


def check_words(words: str | Iterable[str]) -> tuple[str, ...]:
    """Return one or more words as a tuple without duplicates. Raise an error for other types."""
    listed = (words,) if isinstance(words, str) else tuple(words)
    for word in listed:
        if not isinstance(word, str):
            raise refuse(f"the word is {word!r}; expected a string")
    if not listed:
        raise refuse("no words; pass one or more")
    return tuple(dict.fromkeys(str(word) for word in listed))


def check_number(number: object, what: str = "node") -> int:
    """Convert an integer-like value to int. Raise an error for any other type."""
    if isinstance(number, int | np.integer) and not isinstance(number, bool):
        return int(number)
    raise refuse(f"{what} is {number!r}; expected an integer")


def list_words(words: tuple[str, ...]) -> str:
    """Join the first few of the given words for a message, with the number of omitted words."""
    shown = words if len(words) <= SHOWN + 1 else words[:SHOWN]
    listed = [_quote(word) for word in shown]
    if len(words) > len(shown):
        listed.append(f"{len(words) - len(shown):,} more")
    return join_names(listed)


def describe_changes(numbers: tuple[int, ...]) -> str:
    """Describe growth changes for a message."""
    return f"change {numbers[0]}" if len(numbers) == 1 else f"{len(numbers):,} changes"


def _quote(text: str) -> str:
    """Return a string as a single line, shortened and in quotes."""
    line = " ".join(text.split())
    return f"“{line if len(line) <= LINE else line[: LINE - 1] + '…'}”"


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


class MatchedClass(NamedTuple):
    """The class of a thesaurus that is most similar to a class snapshot in a stored edit."""

    node: int
    similarity: float
    """F-measure between the word sets of the class and the snapshot."""
    common: int
    """Estimated number of words that the class and the snapshot have in common."""
    size: int
    """Number of words in the matched class."""


def match_class(
    seen: ClassSnapshot, rows: Mapping[str, int], places: Ints, sizes: Ints, tree: Tree
) -> MatchedClass:
    """Find the class whose words are most similar to the words of a snapshot.

    Similarity is the F-measure, twice the number of common words divided by the sum of both sizes.
    Words of the snapshot that are not in this thesaurus are ignored. If the snapshot contains only
    a sample of a large class, the number of common words is extrapolated from the sample. The root
    matches only the root.
    """
    known = [rows[word] for word in seen.words if word in rows]
    if not known:
        raise refuse(f"no word of “{seen.label}” is in this thesaurus")
    each = seen.size / len(seen.words)
    common = np.zeros(tree.n_nodes)
    for place in places[known].tolist():
        common[list(tree.path(place))] += each
    common = np.minimum(common, sizes)
    similarity = 2 * common / (each * len(known) + sizes)
    best = 0
    if seen.node:
        best = 1 + int(similarity[1:].argmax()) if tree.n_nodes > 1 else 0
        # If a subclass contains all words of a class, both match equally well. Prefer the original
        # node.
        if 0 < seen.node < tree.n_nodes and similarity[seen.node] == similarity[best]:
            best = seen.node
        if not best:
            raise refuse(f"no class matches “{seen.label}”: the thesaurus has only the root")
        if similarity[best] < MIN_MATCH:
            raise refuse(
                f"no class matches “{seen.label}”: the most similar one has an F-measure of "
                f"{similarity[best]:.2f}, below {MIN_MATCH}"
            )
    return MatchedClass(best, float(similarity[best]), round(float(common[best])), int(sizes[best]))


def describe_match(seen: ClassSnapshot, label: str, found: MatchedClass) -> str:
    """Describe the match of a snapshot, so that users can check it."""
    others = found.size - found.common
    more = f", and {plural(others, 'other', ',')}" if others else ""
    return f"“{seen.label}” is now “{label}” ({found.common:,} of {seen.size:,} words{more})"


def add_or_move(edit: Edit, present: Collection[str]) -> list[Edit]:
    """Split an edit that adds words into one that adds words and one that moves words.

    The words in `present` are moved.
    """
    new = tuple(word for word in edit.words if word not in present)
    old = tuple(word for word in edit.words if word in present)
    parts = (edit.kind, new), (MOVE, old)
    return [replace(edit, kind=kind, words=words) for kind, words in parts if words]


def renumber(edit: Edit, tree: Tree, used: set[int]) -> Edit:
    """Return the edit with one id for each class that it creates in a tree.

    An id is kept if it is still free.
    """
    needed = 2 if edit.kind == SPLIT else 0
    if edit.kind == NEST and edit.into is not None and not tree.children(edit.into.node):
        needed = 1
    if len(edit.ids) == needed and not used & set(edit.ids):
        return edit
    first = max(used, default=-1) + 1
    return replace(edit, ids=tuple(range(first, first + needed)))


@dataclass(frozen=True)
class EditRequest:
    """An edit requested by a web page, a table or a file.

    Parameters
    ----------
    action
        One of `ACTIONS`.
    target
        The class: its id, its name, or a word in it.
    words
        The words to move, add, delete or split off, or the word to annotate.
    text
        The new label, or the text of a note.
    into
        The destination: the class to merge into, nest under, or move or add words to, in the same
        form as `target`. If words are moved, `target` is the class that they are moved from.
    field
        Field of a note: "definition" or "note".
    place
        The origin of the request for messages, e.g. "edits.tsv:3".
    """

    action: str
    target: int | str | None = None
    words: tuple[str, ...] = ()
    text: str = ""
    into: int | str | None = None
    field: str = REMARK
    place: str = ""

    def apply(self, thesaurus: Thesaurus) -> Thesaurus:
        """Return the thesaurus after this edit."""
        editor = thesaurus.editor
        if self.action not in ACTIONS:
            raise refuse(
                f"unknown action {self.action!r}; expected one of {', '.join(ACTIONS)}",
            )
        if self.action == DELETE:
            return editor.delete(self.words)
        if self.action == NOTE and self.target is None:
            if len(self.words) != 1:
                raise refuse("a note needs exactly one class or one word")
            return editor.note(self.words[0], self.text, self.field)
        node = self._find_destination(thesaurus)
        if self.action == RENAME and len(self.text) > LONGEST_LABEL:
            raise refuse(
                f"the label has {len(self.text):,} characters; expected at most {LONGEST_LABEL}"
            )
        if self.action in (RENAME, NOTE, SPLIT, MOVE, ADD):
            return {
                RENAME: lambda: editor.rename(node, self.text),
                NOTE: lambda: editor.note(node, self.text, self.field),
                SPLIT: lambda: editor.split(node, self.words or None),
                MOVE: lambda: editor.move(self.words, node),
                ADD: lambda: editor.add(self.words, node),
            }[self.action]()
        into = find_class(thesaurus, self.into)
        change = editor.merge if self.action == MERGE else editor.nest
        return change(node, into)

    def _find_destination(self, thesaurus: Thesaurus) -> int:
        """Return the node of the class to change, which is `into` if words are moved or added."""
        if self.into is None or self.action not in (MOVE, ADD):
            return find_class(thesaurus, self.target)
        if self.target is not None and self.action == MOVE:
            source = find_class(thesaurus, self.target)
            outside = [word for word in self.words if source not in thesaurus.path(word)]
            if outside:
                raise refuse(
                    f"{outside[0]!r} is not in the class {thesaurus.label(source)!r}; leave the "
                    "class field empty to move words from any class"
                )
        return find_class(thesaurus, self.into)

    def is_done(self, thesaurus: Thesaurus) -> bool:
        """Return True if the class or word already has the requested name or note.

        Moving a word to its current class never counts as done, because the edit keeps the word in
        this class in later rebuilds.
        """
        if self.action == NOTE and self.field in FIELDS:
            if self.target is None and (
                len(self.words) != 1 or self.words[0] not in thesaurus.rows
            ):
                return False
            about = self.words[0] if self.target is None else find_class(thesaurus, self.target)
            return bool(getattr(thesaurus.notes.get(about, Note()), self.field) == self.text)
        if self.action == RENAME:
            return thesaurus.labels.get(find_class(thesaurus, self.target)) == self.text
        return False


def apply_edits(
    thesaurus: Thesaurus, requests: Iterable[EditRequest], progress: Report | None = None
) -> Thesaurus:
    """Apply all requested edits in order, or none of them.

    Parameters
    ----------
    thesaurus
        The thesaurus, which is not changed.
    requests
        The edits. Classes are looked up one edit at a time, so a request can refer to a class by a
        name that an earlier request has set.
    progress
        Called with the number of edits done.

    Returns
    -------
    Thesaurus
        A thesaurus with one more edit for each request that changes something.

    Raises
    ------
    InputError
        If edits cannot be applied. The message lists these edits with their origin.
    """
    problems, listed = [], list(requests)
    for number, one in enumerate(listed):
        if progress is not None:
            progress(Progress(number, len(listed)))
        try:
            thesaurus = thesaurus if one.is_done(thesaurus) else one.apply(thesaurus)
        except (RogetError, LookupError) as error:
            problems.append(f"{one.place}: {error}" if one.place else str(error))
    refuse_all(problems)
    return thesaurus


def refuse_all(problems: Sequence[str]) -> None:
    """Raise an error that lists the first problems, if there are any problems."""
    if problems:
        more = (
            f"\nand {len(problems) - MAX_PROBLEMS:,} more" if len(problems) > MAX_PROBLEMS else ""
        )
        raise refuse("\n".join(problems[:MAX_PROBLEMS]) + more)


def is_within(thesaurus: Thesaurus, word: str, node: int) -> bool:
    """Return True if a word belongs only to this class."""
    if node not in thesaurus.path(word):
        return False
    inside = thesaurus.tree.cluster[thesaurus.tree.leaves(node)]
    row = thesaurus.memberships[[thesaurus.row(word)]]
    return not row.count_nonzero() - row[:, inside].count_nonzero()


def find_class(thesaurus: Thesaurus, name: int | str | None) -> int:
    """Return the node of a class, given its id, its name, or a word of the class."""
    if name is None or name == "":
        raise refuse("the class is missing; expected its id, its name, or a word in it")
    if isinstance(name, int):
        return thesaurus.node(name)
    text = name.strip()
    number = whole_number(text)
    if number is not None:
        return thesaurus.node(number)
    found = [node for node, label in thesaurus.labels.items() if label == text]
    if not found and text not in thesaurus.rows:
        found = [node for node in range(thesaurus.tree.n_nodes) if thesaurus.label(node) == text]
    if len(found) > 1:
        ids = ", ".join(str(thesaurus.ids[node]) for node in found)
        raise refuse(f"several classes have the name {text!r}; use an id instead ({ids})")
    if found:
        return found[0]
    if text not in thesaurus.rows:
        raise InputError(f"no class or word is named {text!r:.60}", code="unknown-word")
    return thesaurus.path(text)[-1]


COLUMNS = Roles(
    {"action": ("edit", "kind")},
    {
        "class": ("id", "node", "of"),
        "word": (),
        "text": ("label", "name"),
        "into": ("under", "to"),
        "field": (),
    },
    by_option=False,
)
"""Columns in a table of edits, with their aliases."""

SEPARATOR = "|"
"""Separator between words in one cell."""


def read_requests(path: PathLike) -> list[EditRequest]:
    """Read the edits in a table, row by row.

    The columns are action (rename, move, merge, nest, add, delete, split or note), class (an id, a
    name, or a word of the class), word (several separated by |), text (the new name, or the text of
    a note), into (a class, for merge, nest, move and add) and field (definition or note). Only
    action is required.

    Raises
    ------
    InputError
        If the table has no rows.
    FormatError
        If rows are invalid. The message names the lines.
    """
    source = source_of(os.fspath(path))
    requests = []
    with open_table(source, roles=COLUMNS, guess=True) as table:
        for row, place, report in table.texts(pad=True):
            if row["action"] not in ACTIONS:
                report(f"the action is {row['action']!r}; expected one of {', '.join(ACTIONS)}")
                continue
            words = [word.strip() for word in row.get("word", "").split(SEPARATOR)]
            one = EditRequest(
                row["action"],
                row.get("class") or None,
                tuple(word for word in words if word),
                row.get("text", ""),
                row.get("into") or None,
                row.get("field") or REMARK,
                place,
            )
            # Ignore the class in a request for a note on a word.
            requests.append(replace(one, target=None) if one.action == NOTE and one.words else one)
    if not requests:
        raise InputError(
            f"{Path(source.name)}: no edits; expected rows of action, class, …", code="empty-input"
        )
    return requests
