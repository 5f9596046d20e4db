"""`Editor`: edits, undo and redo, and replay of edits on another thesaurus."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from roget.core import tree_edits
from roget.core.counts import NotCounted
from roget.core.io.values import whole_number
from roget.core.progress import Progress, Report
from roget.errors import InputError, RogetError
from roget.learn.thesaurus import edits as editing
from roget.learn.thesaurus.bisect import bisect
from roget.learn.thesaurus.draft import Draft
from roget.learn.thesaurus.edits import ClassSnapshot, Edit, Note
from roget.learn.thesaurus.lookup import Carried

if TYPE_CHECKING:
    from roget.learn.thesaurus.thesaurus import Thesaurus

LONGEST_LABEL = 200
"""Maximum number of characters in a new label."""

SHOWN = 10
"""Maximum number of problems listed in an error message."""


class Replayed(NamedTuple):
    """A thesaurus after replaying the edits of another one."""

    thesaurus: Thesaurus
    problems: list[str]
    """Edits that could not be applied, with the reasons."""
    doubts: list[str]
    """Edits whose classes were matched with low similarity."""


class Editor:
    """Interface for editing a thesaurus, with undo and redo.

    Each method returns a new thesaurus and leaves the old one unchanged.

    >>> from roget import Counts, SoftAnnealing, Thesaurus
    >>> counts = Counts([[9, 1, 0], [8, 2, 0], [0, 1, 7]], ["tea", "ale", "book"])
    >>> thesaurus = Thesaurus.from_clustering(counts, SoftAnnealing(2, random_state=0).fit(counts))
    >>> edited = thesaurus.editor.delete("ale")
    >>> edited.words.tolist(), len(edited.editor.undo())
    (['tea', 'book'], 3)
    """

    def __init__(self, thesaurus: Thesaurus) -> None:
        self.thesaurus = thesaurus

    def rename(self, node: int, label: str) -> Thesaurus:
        """Rename a class."""
        editing.check_label(label)
        return self._append(Edit(editing.RENAME, self._remember(node), label))

    def move(self, words: str | Iterable[str], node: int) -> Thesaurus:
        """Move one or more words to a class, which becomes their only class.

        The memberships of a word in the clusters of the class keep their proportions. A word that
        was in none of the clusters is distributed by its counts. Other words and the centroids are
        unchanged.
        """
        seen = self._remember(node)
        return self._append(Edit(editing.MOVE, seen, words=self._resolve(words)))

    def merge(self, node: int, into: int) -> Thesaurus:
        """Merge a class into another one, which keeps its id. Nodes are renumbered.

        If the other class is a leaf, the leaves of both are merged: memberships and masses are
        summed, and centroids are averaged by mass. Otherwise the subclasses of the class become
        subclasses of the other. The words of both classes are in the merged class.
        """
        return self._append(Edit(editing.MERGE, self._remember(node), into=self._remember(into)))

    def nest(self, node: int, into: int) -> Thesaurus:
        """Move a class with its subtree under another class. Nodes are renumbered.

        If the other class is a leaf, its words go into a new subclass. A class that is left with a
        single subclass is replaced by it.

        Raises
        ------
        InputError
            If the class is the root, or the other class is the same, in its subtree, or already
            its parent.
        """
        seen, there = self._remember(node), self._remember(into)
        is_leaf = not self.thesaurus.tree.children(there.node)
        ids = (self.thesaurus.next_id,) if is_leaf else ()
        return self._append(Edit(editing.NEST, seen, into=there, ids=ids))

    def add(self, words: str | Iterable[str], node: int) -> Thesaurus:
        """Add one or more new words to a class.

        A new word has no counts, so its neighbours are the words of its class. A deleted word is
        restored with its counts.

        Raises
        ------
        InputError
            If a word is already in the thesaurus, or is not a single line of printable characters.
        """
        seen = self._remember(node)
        return self._append(Edit(editing.ADD, seen, words=editing.check_words(words)))

    def delete(self, words: str | Iterable[str]) -> Thesaurus:
        """Delete one or more words. The centroids of classes remain unchanged."""
        return self._append(Edit(editing.DELETE, words=self._resolve(words)))

    def split(self, node: int, words: str | Iterable[str] | None = None) -> Thesaurus:
        """Split a leaf into two new subclasses. Nodes are renumbered.

        The class keeps its id and name. Words of other classes with a partial membership in this
        one are distributed over the subclasses by their counts.

        Parameters
        ----------
        node
            The class, which must be a leaf.
        words
            The words of the second subclass; by default the words of `suggest_split`.

        Raises
        ------
        InputError
            If the class has subclasses, if a word is in another class, if the first subclass would
            be empty, or if the words of the class cannot be distinguished.
        """
        thesaurus, seen = self.thesaurus, self._remember(node)
        if thesaurus.tree.children(seen.node):
            tree_edits.split(thesaurus.tree, seen.node)  # raises an error with the reason
        apart = self.suggest_split(seen.node) if words is None else self._resolve(words)
        ids = (thesaurus.next_id, thesaurus.next_id + 1)
        return self._append(Edit(editing.SPLIT, seen, words=apart, ids=ids))

    def suggest_split(self, node: int) -> tuple[str, ...]:
        """Return the words that `split` separates by default: the smaller of two clusters."""
        thesaurus = self.thesaurus
        rows = thesaurus.inside(node)
        apart = bisect(thesaurus.counts, thesaurus.clustering.representation, rows)
        return tuple(thesaurus.words[rows[apart]].tolist())

    def note(self, about: int | str, text: str, field: str = editing.REMARK) -> Thesaurus:
        """Set the note or the definition of a class or a word. An empty string removes it.

        Parameters
        ----------
        about
            A node, or a word.
        text
            The text, up to 10,000 characters.
        field
            "definition" or "note".
        """
        thesaurus = self.thesaurus
        if isinstance(about, str):
            word = str(thesaurus.words[thesaurus.row(about)])
            return self._append(Edit(editing.NOTE, None, text, words=(word,), field=field))
        return self._append(Edit(editing.NOTE, self._remember(about), text, field=field))

    def accept(self, numbers: int | Iterable[int]) -> Thesaurus:
        """Accept one or more changes made by growth.

        Raises
        ------
        InputError
            If a change does not exist, or was already accepted or refused.
        """
        return self._decide(editing.ACCEPT, numbers)

    def refuse(self, numbers: int | Iterable[int]) -> Thesaurus:
        """Revert one or more changes made by growth.

        Moved words are moved back, new words are deleted, split classes are merged, and a new class
        is merged into the most similar class.

        Raises
        ------
        InputError
            If a change does not exist, or was already accepted or refused.
        """
        return self._decide(editing.REFUSE, numbers)

    def _decide(self, kind: str, numbers: int | Iterable[int]) -> Thesaurus:
        """Accept or refuse changes by number."""
        listed = [numbers] if isinstance(numbers, int | np.integer) else list(numbers)
        chosen = tuple(dict.fromkeys(editing.check_number(one, "change") for one in listed))
        if not chosen:
            raise InputError("no changes; pass one or more numbers", code="edit-refused")
        known = self.thesaurus.draft.changes
        words = [word for one in chosen if one in known for word in known[one].words]
        edit = Edit(kind, words=tuple(dict.fromkeys(words)) or ("?",), changes=chosen)
        return self._append(edit)

    @property
    def done(self) -> tuple[Edit, ...]:
        """The edits in effect, excluding edits that wait for the next rebuild."""
        return tuple(edit for edit in self.thesaurus.edits if not edit.waiting)

    @property
    def undoable(self) -> Edit | None:
        """The edit that `undo` would undo, or None if there are no edits."""
        return self.done[-1] if self.done else None

    def undo(self) -> Thesaurus:
        """Undo the last edit; `redo` restores it."""
        if not self.done:
            raise InputError("nothing to undo", code="edit-refused")
        return self.undo_to(len(self.done) - 1)

    def redo(self) -> Thesaurus:
        """Redo the edit that was undone last."""
        edits, undone = self.thesaurus.edits, self.thesaurus.undone
        if not undone:
            raise InputError("nothing to redo", code="edit-refused")
        return self.with_edits((*edits, undone[0]), undone[1:])

    def undo_to(self, n: int) -> Thesaurus:
        """Undo all but the first n edits; `redo` restores them."""
        edits = self.thesaurus.edits
        done = [at for at, edit in enumerate(edits) if not edit.waiting]
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 0 <= n <= len(done):
            raise InputError(
                f"cannot undo to edit {n!r}; expected a number from 0 to {len(done)}",
                code="edit-refused",
            )
        gone = set(done[n:])
        if not gone:
            return self.thesaurus
        left = (edit for at, edit in enumerate(edits) if at not in gone)
        return self.with_edits(left, (*self.done[n:], *self.thesaurus.undone))

    @property
    def state(self) -> str:
        """An identifier of the current state, which is stored in exports.

        It consists of the number of edits, and a hash of the edits, words and classes.
        """
        return f"{len(self.done)} {self._digest(self.done)}"

    def at_state(self, state: str) -> Thesaurus:
        """Return the thesaurus in an earlier state, given its identifier."""
        text, _, digest = state.partition(" ")
        number = whole_number(text)
        if number is None or number > len(self.done) or self._digest(self.done[:number]) != digest:
            raise InputError(
                "the file was exported from another thesaurus, or this one was rebuilt, grown or "
                "undone since; export it again, and repeat the changes",
                code="edit-refused",
            )
        return self.undo_to(number)

    def _digest(self, done: Sequence[Edit]) -> str:
        """Return a hash of the unedited thesaurus and the given edits."""
        base = self.thesaurus.base
        content = [
            base.words.tolist(),
            base.tree.parent.tolist(),
            base.ids.tolist(),
            [edit.to_json() for edit in done],
        ]
        return hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()[:16]

    def replay(self, edits: Iterable[Edit]) -> Replayed:
        """Apply the edits of another thesaurus to this one.

        Classes are matched by their words, since a rebuild numbers classes differently. Edits that
        cannot be applied are kept as waiting edits for the next replay.
        """
        draft, log = self.thesaurus.draft, list(self.thesaurus.edits)
        problems, doubts = [], []
        for edit in edits:
            try:
                target = draft.locate(edit)
                used = self._used_ids(log)
                here = [editing.renumber(one, draft.tree, used) for one in target.edits]
                after = draft.after_all(here)
            except (InputError, NotCounted) as error:
                log.append(replace(edit, waiting=True))
                problems.append(f"{edit}: {error}")
                continue
            if target.unsure:
                before = self.with_edits(log)
                matches = (
                    editing.describe_match(seen, before.label(found.node), found)
                    for seen, found in target.unsure
                )
                doubts.append(f"{edit}: {'; '.join(matches)}")
            draft = after
            log += here
            if target.left is not None:
                log.append(target.left)
                problems.append(f"{target.left}: not in this thesaurus")
        return Replayed(self.with_edits(log), problems, doubts)

    def _used_ids(self, log: Iterable[Edit]) -> set[int]:
        """Return the ids that are taken, which new classes must not use."""
        return {*range(self.thesaurus.base.next_id), *(id for edit in log for id in edit.ids)}

    def with_edits(
        self, edits: Iterable[Edit], undone: Iterable[Edit] = (), next_id: int = 0
    ) -> Thesaurus:
        """Return the thesaurus with exactly the given edits.

        The edits identify classes by node number.

        Parameters
        ----------
        edits
            The edits in order. Waiting edits are kept but not applied.
        undone
            The edits for `redo`, in the order in which they would be redone.
        next_id
            A lower bound of the id of the next new class.
        """
        edits, undone, now = tuple(edits), tuple(undone), self.thesaurus
        before = now.draft
        draft = _continue(before, [edit for edit in edits if not edit.waiting])
        ids = [id + 1 for edit in (*edits, *undone) for id in edit.ids]
        # Reuse the indexes that these edits do not affect.
        same_words = draft.added == before.added and draft.gone == before.gone
        same_clusters = draft.parts is before.parts and draft.divisions is before.divisions
        same_places = (
            same_words and same_clusters and draft.tree is before.tree and draft.home is before.home
        )
        same_clustering = same_places and draft.moved is before.moved
        clustering = now.clustering
        if not same_clustering:
            clustering = draft.clustering(now.clustering if same_clusters else None)
        return replace(
            now,
            counts=now.counts if same_words else draft.counts(),
            clustering=clustering,
            labels=draft.labels,
            notes=draft.notes,
            ids=draft.ids,
            next_id=max(now.next_id, next_id, *ids),
            changes=tuple(
                replace(one, state=draft.states.get(one.number, one.state))
                for one in now.base.changes
            ),
            edits=edits,
            undone=undone,
            edited=draft,
            carried=Carried(
                now.index.words if same_words else None,
                now.index.profiles if same_clusters else None,
                now.index.places if same_places else None,
                now.index.known_neighbours if same_clustering else None,
            ),
        )

    def _append(self, edit: Edit) -> Thesaurus:
        """Return the thesaurus with one more edit."""
        return self.with_edits((*self.thesaurus.edits, edit))

    def _resolve(self, words: str | Iterable[str]) -> tuple[str, ...]:
        """Return the words in the spelling of the thesaurus; raise an error for unknown words."""
        thesaurus = self.thesaurus
        return tuple(
            str(thesaurus.words[thesaurus.row(word)]) for word in editing.check_words(words)
        )

    def _remember(self, node: int) -> ClassSnapshot:
        """Return a snapshot of a class, with a sample of its words across all frequencies."""
        thesaurus, node = self.thesaurus, editing.check_number(node)
        rows = thesaurus.inside(node)
        size = int(rows.size)
        rows = rows[np.argsort(-thesaurus.counts.word_totals[rows], kind="stable")]
        if size > editing.SAMPLE:
            rows = rows[np.arange(editing.SAMPLE) * size // editing.SAMPLE]
        words = tuple(thesaurus.words[rows].tolist())
        return ClassSnapshot(node, thesaurus.label(node), size, words)


def _continue(draft: Draft, edits: list[Edit]) -> Draft:
    """Return a draft with the given edits applied, reusing the states it shares with `draft`."""
    history = draft.history()
    for at, (edit, one) in enumerate(zip(edits, history[1:], strict=False)):
        if edit is not one.edit and edit != one.edit:
            return history[at].after_all(edits[at:])
    common = min(len(edits), len(history) - 1)
    return history[common].after_all(edits[common:])


@dataclass(frozen=True)
class EditRequest:
    """An edit requested by a web page, a table or a file.

    Parameters
    ----------
    action
        One of `edits.KINDS`.
    target
        The class: its id, its name, or a word in it.
    words
        The words to move, add, delete or split off, or the word to annotate.
    text
        The new label, or the text of a note.
    into
        The class to merge into or nest under, in the form of `target`.
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
    field: str = editing.REMARK
    place: str = ""

    def apply(self, thesaurus: Thesaurus) -> Thesaurus:
        """Return the thesaurus after this edit."""
        editor = thesaurus.editor
        if self.action not in editing.KINDS:
            raise InputError(
                f"unknown action {self.action!r}; expected one of {', '.join(editing.KINDS)}",
                code="edit-refused",
            )
        if self.action == editing.DELETE:
            return editor.delete(self.words)
        if self.action == editing.NOTE and self.target is None:
            if len(self.words) != 1:
                raise InputError("a note needs exactly one class or one word", code="edit-refused")
            return editor.note(self.words[0], self.text, self.field)
        node = find_class(thesaurus, self.target)
        match self.action:
            case editing.RENAME:
                if len(self.text) > LONGEST_LABEL:
                    raise InputError(
                        f"the label has {len(self.text):,} characters; expected at most "
                        f"{LONGEST_LABEL}",
                        code="edit-refused",
                    )
                return editor.rename(node, self.text)
            case editing.NOTE:
                return editor.note(node, self.text, self.field)
            case editing.SPLIT:
                return editor.split(node, self.words or None)
            case editing.MOVE:
                return editor.move(self.words, node)
            case editing.ADD:
                return editor.add(self.words, node)
        into = find_class(thesaurus, self.into)
        change = editor.merge if self.action == editing.MERGE else editor.nest
        return change(node, into)

    def is_done(self, thesaurus: Thesaurus) -> bool:
        """Return True if the class or word already has the requested name or note.

        Moving a word to its current class never counts as done, since the edit fixes the class for
        later rebuilds.
        """
        if self.action == editing.NOTE and self.field in editing.FIELDS:
            if self.target is None and (
                len(self.words) != 1 or self.words[0] not in thesaurus.rows
            ):
                return False
            about = self.words[0] if self.target is None else find_class(thesaurus, self.target)
            return bool(getattr(thesaurus.notes.get(about, Note()), self.field) == self.text)
        if self.action == editing.RENAME:
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
        The edits. Classes are looked up one edit at a time, so a request can use the name that an
        earlier one has set.
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
    """Raise an error that lists the first problems, if there are any."""
    if problems:
        more = f"\nand {len(problems) - SHOWN:,} more" if len(problems) > SHOWN else ""
        raise InputError("\n".join(problems[:SHOWN]) + more, code="edit-refused")


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
        raise InputError(
            "the class is missing; expected its id, its name, or a word in it", code="edit-refused"
        )
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
        raise InputError(
            f"several classes have the name {text!r}; use an id instead ({ids})",
            code="edit-refused",
        )
    if found:
        return found[0]
    if text not in thesaurus.rows:
        raise InputError(f"no class or word has the name {text!r:.60}", code="unknown-word")
    return thesaurus.path(text)[-1]
