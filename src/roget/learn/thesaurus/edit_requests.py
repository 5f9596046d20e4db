"""Asked: edits that somebody asks for, from a page, a table or a file; done all, or none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from roget.core.io.values import whole_number
from roget.core.progress import Progress, Report
from roget.errors import InputError, RogetError
from roget.learn.thesaurus import edits as editing
from roget.learn.thesaurus.edits import Note
from roget.learn.thesaurus.thesaurus import Thesaurus

LONGEST_LABEL = 200

SHOWN = 10
"""Problems that are told at a time."""


@dataclass(frozen=True)
class EditRequest:
    """One edit to be made.

    Parameters
    ----------
    action
        One of `edits.KINDS`.
    of
        The class: its id, or a text, which is the name of a class, or a word in it.
    words
        The words that are moved, added, deleted or split off, or the one that a note is on.
    text
        The new label, or what is written.
    into
        The class that it is merged into, or put under, as with `of`.
    field
        What is written: "definition" or "note".
    place
        Where this was asked for, for messages, such as "edits.tsv:3".
    """

    action: str
    of: int | str | None = None
    words: tuple[str, ...] = ()
    text: str = ""
    into: int | str | None = None
    field: str = editing.REMARK
    place: str = ""

    def do(self, thesaurus: Thesaurus) -> Thesaurus:
        """The thesaurus after this edit."""
        if self.action not in editing.KINDS:
            raise InputError(f"{self.action!r}: expected one of {', '.join(editing.KINDS)}")
        if self.action == editing.DELETE:
            return thesaurus.delete(self.words)
        if self.action == editing.NOTE and self.of is None:
            if len(self.words) != 1:
                raise InputError("a note is on one class or on one word: name it")
            return thesaurus.note(self.words[0], self.text, self.field)
        node = find_class(thesaurus, self.of)
        match self.action:
            case editing.RENAME:
                if len(self.text) > LONGEST_LABEL:
                    raise InputError(f"a label has 1 to {LONGEST_LABEL} characters")
                return thesaurus.rename(node, self.text)
            case editing.NOTE:
                return thesaurus.note(node, self.text, self.field)
            case editing.SPLIT:
                return thesaurus.split(node, self.words or None)
            case editing.MOVE:
                return thesaurus.move(self.words, node)
            case editing.ADD:
                return thesaurus.add(self.words, node)
        into = find_class(thesaurus, self.into)
        change = thesaurus.merge if self.action == editing.MERGE else thesaurus.nest
        return change(node, into)

    def is_done(self, thesaurus: Thesaurus) -> bool:
        """Whether a name or a note is as asked for already.

        To move a word to where it is, is a decision that outlives a rebuilding.
        """
        if self.action == editing.NOTE and self.field in editing.FIELDS:
            if self.of is None and (len(self.words) != 1 or self.words[0] not in thesaurus.rows):
                return False
            about = self.words[0] if self.of is None else find_class(thesaurus, self.of)
            return bool(getattr(thesaurus.notes.get(about, Note()), self.field) == self.text)
        if self.action == editing.RENAME:
            return thesaurus.labels.get(find_class(thesaurus, self.of)) == self.text
        return False


def apply_edits(
    thesaurus: Thesaurus, asked: Iterable[EditRequest], progress: Report | None = None
) -> Thesaurus:
    """The thesaurus after all that is asked for, one after the other.

    Parameters
    ----------
    thesaurus
        What is edited; it stays as it is.
    asked
        Classes are looked up when their turn comes, so that a name that was given before is known.
    progress
        Called with how many are done.

    Returns
    -------
    Thesaurus
        With one more edit for each that was asked for and changes something.

    Raises
    ------
    InputError
        If any of them cannot be done; those that cannot are named, by their place.
    """
    problems, listed = [], list(asked)
    for number, one in enumerate(listed):
        if progress is not None:
            progress(Progress(number, len(listed)))
        try:
            thesaurus = thesaurus if one.is_done(thesaurus) else one.do(thesaurus)
        except (RogetError, LookupError) as error:
            problems.append(f"{one.place}: {error}" if one.place else str(error))
    refuse_all(problems)
    return thesaurus


def refuse_all(problems: Sequence[str]) -> None:
    """Raise one error of all problems, of which the first are told, if there are any."""
    if problems:
        more = f"\nand {len(problems) - SHOWN:,} more" if len(problems) > SHOWN else ""
        raise InputError("\n".join(problems[:SHOWN]) + more)


def is_within(thesaurus: Thesaurus, word: str, node: int) -> bool:
    """Whether a word is in a class with all of its membership."""
    if node not in thesaurus.path(word):
        return False
    inside = thesaurus.tree.cluster[thesaurus.tree.leaves(node)]
    row = thesaurus.memberships[[thesaurus.row(word)]]
    return not row.count_nonzero() - row[:, inside].count_nonzero()


def find_class(thesaurus: Thesaurus, of: int | str | None) -> int:
    """The node of a class that is known by its id, its name, or a word that has its place there."""
    if of is None or of == "":
        raise InputError("no class is named: expected its id, its name or a word in it")
    if isinstance(of, int):
        return thesaurus.node(of)
    text = of.strip()
    number = whole_number(text)
    if number is not None:
        return thesaurus.node(number)
    found = [node for node, label in thesaurus.labels.items() if label == text]
    if not found and text not in thesaurus.rows:
        found = [node for node in range(thesaurus.tree.n_nodes) if thesaurus.label(node) == text]
    if len(found) > 1:
        ids = ", ".join(str(thesaurus.ids[node]) for node in found)
        raise InputError(f"several classes are called {text!r}: name one by its id, {ids}")
    if found:
        return found[0]
    if text not in thesaurus.rows:
        raise InputError(f"no class is called {text!r:.60}, and no such word is there")
    return thesaurus.path(text)[-1]
