"""Edit: one thing a person changed, told by words, so that a rebuilt thesaurus understands it."""

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
"""What each kind of edit has; a note is on a class (node) or on a word (words)."""

KINDS = tuple(NEEDS)

DEFINITION, REMARK = "definition", "note"
FIELDS = (DEFINITION, REMARK)
"""What can be written about a class or a word."""

LONGEST_WORD, LONGEST_NOTE = 200, 10_000
"""Characters, at most."""

SAMPLE = 100
"""Words by which a class is remembered."""

LIKE = 0.5
"""How much two classes must have in common (F of their words) to be taken for the same."""

SHOWN, LINE = 3, 80
"""Words, and characters of a text, that a sentence shows."""

SURE = 0.8
"""How much they must have in common for nothing to be said of it."""

_CONTROL = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufdd0-\\ufdef"
    + "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)
"""Characters of control, ends of lines, and what Unicode calls no character."""


@dataclass(frozen=True)
class ClassSnapshot:
    """A class at the time of an edit: its node, its label, and words by which to find it again."""

    node: int
    label: str
    size: int
    words: tuple[str, ...]
    """All its words, or of a large class so many, taken evenly from the frequent to the rare."""


@dataclass(frozen=True)
class Edit:
    """One thing a person changed; `str` tells it in plain words."""

    kind: str
    """One of `KINDS`."""
    node: ClassSnapshot | None = None
    """The class that was renamed, moved to, merged, put under another, split or written about."""
    text: str = ""
    """The new label, or what was written."""
    into: ClassSnapshot | None = None
    """What the class was merged into, or put under."""
    waiting: bool = False
    """Whether this could not be done in this thesaurus; it is kept for the next one."""
    words: tuple[str, ...] = ()
    """The words that were moved, added, deleted or split off; or the one written about."""
    ids: tuple[int, ...] = ()
    """The ids of classes that were made."""
    field: str = ""
    """What was written: "definition" or "note"."""
    changes: tuple[int, ...] = ()
    """The numbers of changes that were accepted or refused."""

    def __post_init__(self) -> None:
        if self.kind not in NEEDS:
            raise InputError(f"an edit of kind {self.kind!r}: expected {', '.join(KINDS)}")
        needs = NEEDS[self.kind]
        for name in ("node", "into", "words", "field", "changes"):
            if self.kind == NOTE and name in ("node", "words"):
                continue
            has = getattr(self, name) not in (None, "", ())
            if has is not (name in needs):
                said = "needs" if name in needs else "has no"
                raise InputError(f"an edit of kind {self.kind} {said} {name!r}")
        if self.kind == RENAME:
            _check_letters(self.text)  # labels of older folders may hold more than new ones
        if self.kind == NOTE:
            if (self.node is None) is (len(self.words) != 1) or len(self.words) > 1:
                raise InputError("a note is on one class or on one word")
            if self.field not in FIELDS:
                raise InputError(f"a note of kind {self.field!r}: expected {' or '.join(FIELDS)}")
            check_text(self.text, f"a {self.field}", LONGEST_NOTE)

    def __str__(self) -> str:
        label = "" if self.node is None else _quote(self.node.label)
        into = "" if self.into is None else _quote(self.into.label)
        words = list_words(self.words)
        if self.kind == NOTE:
            about = f"{self.field} of {label or words}"
            return f"{about}: {_quote(self.text)}" if self.text else f"{about} taken away"
        return {
            RENAME: f"{label} renamed {_quote(self.text)}",
            MOVE: f"{words} moved to {label}",
            MERGE: f"{label} merged into {into}",
            NEST: f"{label} put under {into}",
            ADD: f"{words} added to {label}",
            DELETE: f"{words} deleted",
            SPLIT: f"{label} split: {words} apart from the others",
            ACCEPT: f"{describe_changes(self.changes)} accepted: {words}",
            REFUSE: f"{describe_changes(self.changes)} refused: {words}",
        }[self.kind]

    def to_json(self) -> dict[str, Any]:
        """The edit as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Any) -> Edit:
        """The edit of `to_json`, or of an older roget."""
        try:
            text, waiting = given["text"], given["waiting"]
            if not isinstance(text, str) or not isinstance(waiting, bool):
                raise TypeError("'text' is a text and 'waiting' true or false")
            kind, words = given["kind"], given.get("words", ())
            if kind == MOVE and "words" not in given:  # one word, before there could be several
                words, text = (text,), ""
            ids, field = given.get("ids", ()), given.get("field", "")
            changes = given.get("changes", ())
            if not _is_list(words, str) or not _is_list(ids, int) or not isinstance(field, str):
                raise TypeError("'words' are texts, 'ids' numbers and 'field' is a text")
            if not _is_list(changes, int):
                raise TypeError("'changes' are numbers")
            node, into = (
                None if given[name] is None else _remembered(given[name])
                for name in ("node", "into")
            )
            return cls(
                kind, node, text, into, waiting, tuple(words), tuple(ids), field, tuple(changes)
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"this is not an edit: {error!r}") from None


class Note(NamedTuple):
    """What was written about a class or a word."""

    definition: str = ""
    note: str = ""


class MatchedClass(NamedTuple):
    """The class of another thesaurus that is most like one that is remembered."""

    node: int
    like: float
    """F of their words."""
    common: int
    """About how many words both have."""
    size: int
    """Words of the class that was found."""


def check_label(label: object) -> None:
    """Say what is wrong with a new name of a class, if anything."""
    _check_letters(label)
    if _CONTROL.search(str(label)):
        raise InputError(f"the label {label!r:.80}: expected signs that can be shown, on one line")


def _check_letters(label: object) -> None:
    check_text(label, "the label")
    if not str(label).strip():
        raise InputError("a label of no letters: expected a text")


def check_text(text: object, what: str, longest: int | None = None) -> None:
    """Say what is wrong with something that was written, if anything."""
    if not isinstance(text, str):
        raise InputError(f"{what} {text!r}: expected a text")
    if longest is not None and len(text) > longest:
        raise InputError(f"{what} of {len(text):,} characters: expected {longest:,} at most")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} {text!r} cannot be written as UTF-8") from None


def check_word(word: str) -> None:
    """Say what is wrong with a new word, if anything."""
    check_text(word, "the word", LONGEST_WORD)
    if not word.strip() or word != word.strip():
        raise InputError(f"the word {word!r}: expected letters, without blanks before or after")
    if not word.isprintable():
        raise InputError(f"the word {word!r}: expected signs that can be printed, on one line")


def word_list(words: str | Iterable[str]) -> tuple[str, ...]:
    """One word or several, each once, in their order."""
    listed = (words,) if isinstance(words, str) else tuple(words)
    for word in listed:
        if not isinstance(word, str):
            raise InputError(f"the word {word!r}: expected a text")
    if not listed:
        raise InputError("no words: name one or more")
    return tuple(dict.fromkeys(str(word) for word in listed))


def list_words(words: tuple[str, ...]) -> str:
    """Words for a sentence; of many the first."""
    shown = words if len(words) <= SHOWN + 1 else words[:SHOWN]
    describe_match = [_quote(word) for word in shown]
    if len(words) > len(shown):
        describe_match.append(f"{len(words) - len(shown):,} more")
    return join_names(describe_match)


def describe_changes(numbers: tuple[int, ...]) -> str:
    """Changes for a sentence."""
    return f"change {numbers[0]}" if len(numbers) == 1 else f"{len(numbers):,} changes"


def _quote(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line if len(line) <= LINE else line[: LINE - 1] + '…'}”"


def node_number(node: object, what: str = "node") -> int:
    """The number of a node, or of something else, as an int of Python's own."""
    if isinstance(node, int | np.integer) and not isinstance(node, bool):
        return int(node)
    raise InputError(f"{what} {node!r}: expected a whole number")


def match_class(
    seen: ClassSnapshot, ids: Mapping[str, int], places: Ints, sizes: Ints, tree: Tree
) -> MatchedClass:
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
    return MatchedClass(best, float(like[best]), round(float(common[best])), int(sizes[best]))


def describe_match(seen: ClassSnapshot, label: str, found: MatchedClass) -> str:
    """What a class has become, for a person to check."""
    others = found.size - found.common
    beside = f", and {plural(others, 'other', ',')}" if others else ""
    return f"“{seen.label}” is now “{label}” ({found.common:,} of {seen.size:,} words{beside})"


def renumber(edit: Edit, tree: Tree, used: set[int]) -> Edit:
    """The edit with as many ids as it needs in a tree, its own if they are free."""
    needed = 2 if edit.kind == SPLIT else 0
    if edit.kind == NEST and edit.into is not None and not tree.children(edit.into.node):
        needed = 1
    if len(edit.ids) == needed and not used & set(edit.ids):
        return edit
    first = max(used, default=-1) + 1
    return replace(edit, ids=tuple(range(first, first + needed)))


def add_or_move(edit: Edit, there: Collection[str]) -> list[Edit]:
    """An edit that adds words, where some of them are there already: those are moved."""
    new = tuple(word for word in edit.words if word not in there)
    old = tuple(word for word in edit.words if word in there)
    parts = (edit.kind, new), (MOVE, old)
    return [replace(edit, kind=kind, words=words) for kind, words in parts if words]


def _is_list(given: object, kind: type) -> bool:
    return isinstance(given, list | tuple) and all(
        isinstance(one, kind) and not isinstance(one, bool) for one in given
    )


def _remembered(given: Any) -> ClassSnapshot:
    node, label, size, words = (given[name] for name in ("node", "label", "size", "words"))
    is_right = _is_list([node, size], int) and isinstance(label, str) and _is_list(words, str)
    if not is_right or size < len(words):
        raise TypeError(
            "'node' is a number, 'label' a text, 'words' a list of texts and 'size' how many "
            "there are, or more"
        )
    return ClassSnapshot(node, label, size, tuple(words))
